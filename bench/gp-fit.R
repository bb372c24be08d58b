# Whole fits of Gaussian processes beside other packages that estimate the same parameters, in one run:
#   Rscript bench/gp-fit.R [n]
# For each fit the log likelihood that gpLoglik() has at its estimates, and processor time. The mean is one constant.
# Exact likelihoods: spmodel, nlme, fields, and GPBoost, which is compared where it is installed but not installed
# from here, for its build takes half an hour and 7 GB. gstat fits the empirical variogram by least squares: no
# likelihood is computed, and its time is not one to be compared with.
library(statcl)
source("bench/peers.R")
argument <- commandArgs(trailingOnly = TRUE)
n <- if (length(argument)) as.integer(argument[1]) else 1000L
options(statcl.threads = 1, width = 160)
peers <- need_peers(c("spmodel", "nlme", "fields", "gstat", "sp"))
peers <- c(peers, Filter(function(p) requireNamespace(p, quietly = TRUE), "gpboost"))
if (!"gpboost" %in% peers) message("Not installed, left out: gpboost")
# fields looks its covariances up by name
if ("fields" %in% peers) suppressPackageStartupMessages(library(fields))
cat(machine(), "\nR's BLAS:", extSoftVersion()[["BLAS"]], "LAPACK:", La_library(), "\n")

set.seed(1)
x <- cbind(x = runif(n), y = runif(n))
field <- function(model) drop(crossprod(chol(covariance(model, x)), rnorm(n))) + 10
worlds <- list(
  exponential = list(model = covModel("exponential", range = 0.15, nugget = 0.1), cov = "exponential", smooth = NULL),
  matern = list(model = covModel("matern", range = 0.06, smoothness = 1.2, nugget = 0.1), cov = "matern", smooth = 1))

# Each returns the model that it has estimated.
fits <- list(
  statcl = function(d, w) gpFit(z ~ 1, d, ~ x + y, w$cov)$cov,
  spmodel = function(d, w) {
    fit <- spmodel::splm(z ~ 1, d, spcov_type = w$cov, xcoord = x, ycoord = y, estmethod = "ml")
    v <- as.list(coef(fit, type = "spcov"))
    if (w$cov == "exponential") covModel("exponential", range = v$range, variance = v$de, nugget = v$ie)
    else covModel("matern", range = v$range, smoothness = v$extra, variance = v$de, nugget = v$ie,
                  scaling = "sqrt2nu")
  },
  nlme = function(d, w) {
    if (w$cov != "exponential") return(NULL) # it has no Matern covariance
    fit <- nlme::gls(z ~ 1, d, nlme::corExp(form = ~ x + y, nugget = TRUE), method = "ML")
    v <- coef(fit$modelStruct$corStruct, unconstrained = FALSE)
    covModel("exponential", range = v[["range"]], variance = fit$sigma^2 * (1 - v[["nugget"]]),
             nugget = fit$sigma^2 * v[["nugget"]])
  },
  fields = function(d, w) {
    cov <- list(Covariance = if (w$cov == "exponential") "Exponential" else "Matern")
    # With smoothness it needs a start, and fails from those farther away than the true values, for it searches
    # smoothness itself and not its logarithm. Else it begins with a grid of its own.
    start <- if (!is.null(w$smooth))
      list(aRange = w$model$range, lambda = w$model$nugget, smoothness = w$model$smoothness)
    fit <- fields::spatialProcess(x, d$z, mKrig.args = list(m = 1, find.trA = FALSE), cov.function = "stationary.cov",
                                  cov.args = cov, cov.params.start = start)
    v <- as.list(c(fit$summary[c("sigma2", "tau")], fit$MLEInfo$pars.MLE))
    model <- list(w$cov, range = v$aRange, variance = v$sigma2, nugget = v$tau^2)
    do.call(covModel, c(model, if (!is.null(w$smooth)) list(smoothness = v$smoothness)))
  },
  gpboost = function(d, w) {
    fit <- gpboost::fitGPModel(gp_coords = x, likelihood = "gaussian", y = d$z, X = cbind(rep(1, n)),
                               cov_function = if (w$cov == "matern") "matern_estimate_shape" else w$cov)
    v <- unlist(fit$get_cov_pars())
    at <- function(name) v[[grep(name, names(v), ignore.case = TRUE)[1]]]
    model <- list(w$cov, range = at("range"), variance = at("GP_var"), nugget = at("error"))
    do.call(covModel, c(model, if (w$cov == "matern") list(smoothness = at("smooth|shape"), scaling = "sqrt2nu")))
  },
  "gstat, least squares" = function(d, w) {
    spatial <- d
    sp::coordinates(spatial) <- ~ x + y
    v <- gstat::variogram(z ~ 1, spatial)
    start <- gstat::vgm(0.9 * var(d$z), if (w$cov == "exponential") "Exp" else "Mat", 0.1, 0.1 * var(d$z),
                        kappa = if (is.null(w$smooth)) 0.5 else w$smooth)
    covModel(suppressWarnings(gstat::fit.variogram(v, start, fit.kappa = !is.null(w$smooth))))
  })
fits <- fits[sub(",.*", "", names(fits)) %in% c("statcl", peers)]

invisible(gpFit(z ~ 1, data.frame(x, z = x[, 1] + rnorm(n))[1:60, ], ~ x + y)) # whatever a first call does
for (world in names(worlds)) {
  w <- worlds[[world]]
  d <- data.frame(x, z = field(w$model))
  rows <- lapply(names(fits), function(name) {
    runs <- if (name == "statcl") 3 else 1
    model <- NULL
    seconds <- tryCatch(cpu_seconds(utils::capture.output(model <- fits[[name]](d, w)), runs), error = function(e) {
      message(name, ": ", conditionMessage(e))
      NA
    })
    if (is.null(model)) return(NULL)
    loglik <- as.numeric(gpLoglik(model, x, d$z, X = matrix(1, n)))
    smoothness <- if (is.null(model$smoothness)) 0.5 else model$smoothness
    plain <- model$range / if (identical(model$scaling, "sqrt2nu")) sqrt(2 * smoothness) else 1
    data.frame(fit = name, seconds, loglik, variance = model$variance, range = plain, smoothness,
               nugget = model$nugget)
  })
  table <- do.call(rbind, rows)
  table$"below statcl" <- table$loglik[1] - table$loglik
  table$"ratio of times" <- table$seconds / table$seconds[1]
  cat(sprintf("\n%d observations of a field with %s covariance\n", n, world))
  table$loglik <- sprintf("%.6f", table$loglik)
  print_table(table)
  exact <- table$fit != "statcl" & !grepl("least squares", table$fit)
  if (any(exact))
    cat(sprintf("Likelihoods above that of statcl by at most %.2g (goal: 1e-6);",
                max(-table$"below statcl"[exact], 0)),
        sprintf("the fastest of the others takes %.1f times as long (goal: 5)\n", min(table$"ratio of times"[exact])))
}

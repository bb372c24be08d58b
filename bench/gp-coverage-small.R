# How often do intervals of small data cover what they are of? Predictions at new locations with the true parameters,
# with those of the fit and integrated, beside package spmodel where it is there; limits of covariance parameters by
# each method; those of coefficients by "default" and "transformed" are of t tests. The posterior distribution is that
# of the restricted likelihood for both estimators: its limits are taken once.
#   Rscript bench/gp-coverage-small.R [sets] [n, ...] [smoothness, ...] [methods of limits, ...]
# The field has variance 1 and effective range 0.4 on the unit square, a nugget of 0.15 and a linear mean.
library(statcl)
source("bench/peers.R")
options(statcl.threads = 1)
cores <- if (.Platform$OS.type == "windows") 1L else min(2L, parallel::detectCores())
cat(machine(), "\n")

args <- commandArgs(TRUE)
list_of <- function(k, default) if (length(args) < k) default else strsplit(args[k], ",")[[1L]]
sets <- as.integer(list_of(1L, "400"))
sizes <- as.integer(list_of(2L, c("30", "60", "150")))
shapes <- as.numeric(list_of(3L, c("0.5", "1.5")))
methods <- list_of(4L, c("default", "transformed", "integrate"))
new_points <- 30L

simulated <- function(set, n, nu) {
  set.seed(1000 * set + n)
  model <- covModel("matern", range = 0.4 / sqrt(8 * nu), smoothness = nu, variance = 1, nugget = 0.15)
  d <- data.frame(x1 = runif(n + new_points), x2 = runif(n + new_points), w = rnorm(n + new_points))
  matrix <- unname(covariance(model, as.matrix(d[c("x1", "x2")])))
  diag(matrix) <- 1.15 # errors of the observations
  d$y <- 1 + d$w / 2 + drop(rnorm(n + new_points) %*% chol(matrix))
  list(data = d[seq_len(n), ], new = d[n + seq_len(new_points), ], model = model)
}

covers <- function(limits, truth) limits[, 1L] <= truth & truth <= limits[, 2L]

spmodel_limits <- function(data, new, nu) {
  if (!requireNamespace("spmodel", quietly = TRUE)) return(NULL)
  initial <- if (nu == 0.5) spmodel::spcov_initial("exponential")
             else spmodel::spcov_initial("matern", extra = nu, known = "extra")
  fit <- spmodel::splm(y ~ w, data, xcoord = x1, ycoord = x2, estmethod = "reml", spcov_initial = initial)
  predict(fit, new, interval = "prediction")[, c("lwr", "upr")]
}

one <- function(set, n, nu) {
  s <- simulated(set, n, nu)
  fits <- suppressWarnings(lapply(c(ML = "ML", REML = "REML"), function(estimator)
    gpFit(y ~ w, s$data, ~ x1 + x2, if (nu == 0.5) "exponential" else "matern", estimator = estimator,
          fixed = if (nu != 0.5) list(smoothness = nu))))
  limits <- function(fit, ...) as.matrix(predict(fit, s$new, interval = "prediction", ...)[c("lwr", "upr")])
  known <- gpFit(y ~ w, s$data, ~ x1 + x2, s$model, fixed = TRUE)
  predicted <- list(true = limits(known), ML = limits(fits$ML), REML = limits(fits$REML),
                    integrated = limits(fits$REML, parameters = "integrate"),
                    spmodel = try(spmodel_limits(s$data, s$new, nu), silent = TRUE))
  predicted <- Filter(is.matrix, predicted)
  truth <- c("(Intercept)" = 1, w = 0.5, variance = 1, range = 0.4 / sqrt(8 * nu), nugget = 0.15)
  parameters <- list()
  for (method in methods) for (estimator in if (method %in% c("default", "integrate")) "REML" else names(fits))
    parameters[[paste(estimator, method)]] <-
      covers(suppressWarnings(confint(fits[[estimator]], names(truth), method = method)), truth)
  list(predicted = vapply(predicted, function(p) mean(covers(p, s$new$y)), 0),
       wide = vapply(predicted, function(p) mean(p[, 2L] - p[, 1L]), 0), parameters = parameters)
}

for (n in sizes) for (nu in shapes) {
  found <- parallel::mclapply(seq_len(sets), function(set) try(one(set, n, nu), silent = TRUE), mc.cores = cores)
  bad <- vapply(found, inherits, NA, "try-error")
  if (any(bad)) cat("failed:", sum(bad), conditionMessage(attr(found[[which(bad)[1L]]], "condition")), "\n")
  found <- found[!bad]
  cat(sprintf("n = %d, smoothness %g, %d sets: coverage of 95 %% intervals\n", n, nu, length(found)))
  kind <- names(found[[1L]]$predicted)
  share <- vapply(found, function(f) f$predicted[kind], numeric(length(kind)))
  wide <- vapply(found, function(f) f$wide[kind], numeric(length(kind)))
  print(round(cbind(predictions = rowMeans(share), "standard error" = apply(share, 1L, sd) / sqrt(ncol(share)),
                    width = rowMeans(wide)), 4))
  kind <- names(found[[1L]]$parameters)
  each <- vapply(found, function(f) do.call(rbind, f$parameters), matrix(0, length(kind), 5L))
  table <- apply(each, 1:2, mean, na.rm = TRUE)
  dimnames(table) <- list(kind, c("constant", "w", "variance", "range", "nugget"))
  print(round(cbind(table, missing = apply(is.na(each), 1L, mean)), 3))
  cat("\n")
}

# Fit, prediction and scores of a large data set with held-out observations, beside other packages, all in one run.
#   Rscript bench/gp.R TRAIN TEST [mean: linear or constant [covariance: exponential or matern [peers, 1 or 0]]]
# Tables with two columns of coordinates and one of the response. The land-surface temperatures of Heaton et al.
# (2019, Journal of Agricultural, Biological and Environmental Statistics 24, 398-425) are such a set. m = 30. GpGp
# predicts with its default of 60 neighbours, standard deviations are those of 30 of its conditional simulations.
# spmodel's and gstat's predictions are local; fields' compactly supported covariance reaches some 50 neighbours,
# without standard errors. What a peer cannot do in some minutes it does for fewer observations, whose number is in
# the table. Below a row of statcl: its log likelihood, the distance at which the correlation has fallen to 0.05, and
# root mean square errors by the distance from the nearest observation (package FNN).
library(statcl)
source("bench/peers.R")
argument <- c(commandArgs(trailingOnly = TRUE), rep(NA, 5))
train <- setNames(read.csv(argument[1])[1:3], c("x", "y", "z"))
test <- setNames(read.csv(argument[2])[1:3], c("x", "y", "z"))
linear <- !argument[3] %in% "constant"
matern <- argument[4] %in% "matern"
peers <- if (argument[5] %in% "0") character() else need_peers(c("GpGp", "gpboost", "spmodel", "fields", "gstat"))
mean <- if (linear) z ~ x + y else z ~ 1
design <- function(d) model.matrix(mean[-2], d)
options(width = 150, statcl.threads = 1)
cat(machine(), ", one thread\n", sep = "")
heading <- TRUE
# `predicts` gives means and, of responses, standard deviations.
run <- function(by, predicts, most = nrow(train)) {
  set.seed(1)
  some <- if (most < nrow(train)) train[sort(sample(nrow(train), most)), ] else train
  found <- NULL
  seconds <- tryCatch(cpu_seconds(found <- predicts(some), 1), error = function(e) {
    cat(by, ": ", conditionMessage(e), "\n", sep = "")
    NA
  })
  if (is.null(found)) return(invisible())
  e <- test$z - found$mean
  z <- if (is.null(found$sd)) NA else e / found$sd
  crps <- if (is.null(found$sd)) NA else base::mean(found$sd * (z * (2 * pnorm(z) - 1) + 2 * dnorm(z) - 1 / sqrt(pi)))
  if (heading) cat(sprintf("%-28s%8s%9s%10s%10s%10s%9s\n", "", "n", "seconds", "RMSE", "MAE", "CRPS", "coverage"))
  heading <<- FALSE
  cat(sprintf("%-28s%8d%9.1f%10.4g%10.4g%10.4g%9.3f  %s\n", by, nrow(some), seconds, sqrt(base::mean(e^2)),
              base::mean(abs(e)), crps, base::mean(abs(z) < qnorm(0.975)),
              if (is.null(found$note)) "" else found$note))
  if (!is.null(found$below)) found$below()
}
model <- function(...) covModel(if (matern) "matern" else "exponential", range = NA, nugget = NA, variance = NA,
                                distance = "euclidean", ...)
statcl_by <- function(model, block = 1, m = 30) function(d) {
  fit <- gpFit(mean, d, ~ x + y, method = "vecchia", cov = model, m = m, block = block)
  p <- predict(fit, test, se.fit = TRUE)
  se <- fit$parameters["smoothness", "std.error"]
  list(mean = p$fit, sd = p$se.fit, note = if (matern) sprintf("smoothness %.4f (%.4f)", fit$cov$smoothness, se)
                                                  else "", below = function() {
    cat(sprintf("  log likelihood %.1f, correlation 0.05 at %s\n", as.numeric(logLik(fit)),
                paste(format(statcl:::effective_range(fit$cov), digits = 3), collapse = " ")))
    if (length(need_peers("FNN"))) {
      nearest <- FNN::knnx.dist(train[1:2], test[1:2], 1)
      class <- cut(nearest, c(0, stats::quantile(nearest, 1:4 / 5), Inf))
      rmse <- tapply((test$z - p$fit)^2, class, function(e) sqrt(base::mean(e)))
      cat(paste0("  ", names(rmse), ": ", format(rmse, digits = 3), collapse = ""), "\n")
    }
  })
}
with_smoothness <- function(...) if (matern) model(smoothness = NA, ...) else model(...)
run("statcl", statcl_by(with_smoothness()))
run("statcl, blocks of 4, m = 60", statcl_by(with_smoothness(), 4, 60))
run("statcl, anisotropic", statcl_by(with_smoothness(angle = NA, ratio = NA)))
if ("GpGp" %in% peers) run("GpGp", function(d) {
  at <- as.matrix(d[1:2])
  to <- as.matrix(test[1:2])
  fit <- GpGp::fit_model(d$z, at, design(d), if (matern) "matern_isotropic" else "exponential_isotropic",
                         silent = TRUE, m_seq = c(10, 30))
  mean <- GpGp::predictions(fit, to, design(test))
  draws <- GpGp::cond_sim(fit, to, design(test), nsims = 30)
  list(mean = mean, sd = sqrt(rowMeans((draws - mean)^2) + fit$covparms[1] * utils::tail(fit$covparms, 1)))
}, if (matern) 5000 else nrow(train))
if ("gpboost" %in% peers) run("GPBoost", function(d) {
  theirs <- gpboost::fitGPModel(
    y = d$z, X = design(d), gp_coords = as.matrix(d[1:2]), likelihood = "gaussian", gp_approx = "vecchia",
    num_neighbors = 30, cov_function = if (matern) "matern_estimate_shape" else "matern", cov_fct_shape = 0.5,
    num_parallel_threads = 1)
  p <- predict(theirs, gp_coords_pred = as.matrix(test[1:2]), X_pred = design(test), predict_var = TRUE,
               predict_response = TRUE)
  list(mean = p$mu, sd = sqrt(p$var))
}, if (matern) 2000 else nrow(train))
if ("spmodel" %in% peers) run("spmodel", function(d) {
  fit <- spmodel::splm(mean, d, spcov_type = if (matern) "matern" else "exponential", xcoord = x, ycoord = y,
                       local = list(size = 100, parallel = FALSE))
  p <- predict(fit, test, se.fit = TRUE, local = list(method = "distance", size = 60))
  list(mean = p$fit, sd = p$se.fit)
}, 2000)
if ("fields" %in% peers) run("fields", function(d) {
  suppressPackageStartupMessages(library(fields)) # fastTps() looks its covariance up by name
  area <- diff(range(d$x)) * diff(range(d$y))
  fit <- fields::fastTps(as.matrix(d[1:2]), d$z, aRange = sqrt(50 * area / pi / nrow(d)), find.trA = FALSE)
  list(mean = as.vector(predict(fit, as.matrix(test[1:2]))))
}, 20000)
if ("gstat" %in% peers) run("gstat", function(d) {
  v <- gstat::variogram(mean, ~ x + y, d[sample(nrow(d), min(nrow(d), 10000)), ])
  model <- gstat::fit.variogram(v, gstat::vgm(max(v$gamma), if (matern) "Ste" else "Exp", max(v$dist) / 3, 0.01,
                                              kappa = 1), fit.kappa = matern)
  p <- gstat::krige(mean, ~ x + y, d, test, model, nmax = 60, debug.level = 0)
  list(mean = p$var1.pred, sd = sqrt(p$var1.var))
})

# Coverage of the 95 % confidence limits of the coefficients of the mean, in fits of many simulated fields.
#   Rscript bench/gp-coverage-mean.R [sets [observations ...]]
# Fields of a Matern covariance of variance 1 with a nugget of 0.15 at random locations of the unit square, where the
# correlation falls to 0.05 at 0.3 in one half of the sets and at 0.6 in the other. The mean is 0 in all; fitted are a
# constant, a covariate that is a smooth field of its own, and one that is independent from place to place. All
# parameters of the covariance, the smoothness too, are estimated. Limits are the default ones, by t quantiles and
# standard errors of Kenward and Roger, the normal ones of method = "wald", and those of the true parameters.
library(statcl)
source("bench/peers.R")
argument <- as.integer(commandArgs(trailingOnly = TRUE))
sets <- if (length(argument)) argument[1] else 400L
sizes <- if (length(argument) > 1) argument[-1] else c(30L, 60L, 150L)
options(statcl.threads = 1, width = 140)
cores <- if (.Platform$OS.type == "windows") 1L else min(2L, parallel::detectCores())
cat(machine(), "\n")

coefficients <- c("constant", "smooth", "rough")
draw <- function(model, x) drop(crossprod(chol(covariance(model, x)), rnorm(nrow(x))))
covered <- function(limits) limits[1:3, 1] <= 0 & limits[1:3, 2] >= 0

# Of set i, whether 0 is between the limits, their widths by those of the true parameters, and degrees of freedom.
one <- function(i, n, smoothness) {
  set.seed(1e6 * smoothness + 1e3 * n + i)
  unit <- statcl:::distance_at(covModel("matern", range = 1, smoothness = smoothness), 0.05)
  truth <- covModel("matern", smoothness = smoothness, range = (if (i %% 2) 0.3 else 0.6) / unit, nugget = 0.15)
  x <- cbind(x = runif(n), y = runif(n))
  d <- data.frame(x, smooth = draw(covModel("gaussian", range = 0.4, nugget = 1e-8), x), rough = rnorm(n))
  d$z <- draw(truth, x)
  known <- gpFit(z ~ smooth + rough, d, ~ x + y, truth, fixed = TRUE)
  of <- function(estimator) {
    fit <- gpFit(z ~ smooth + rough, d, ~ x + y, "matern", estimator = estimator)
    tests <- coef(summary(fit))
    data.frame(coefficient = coefficients, estimator, covers = covered(confint(fit, 1:3)),
               normal = covered(confint(fit, 1:3, method = "wald")), known = covered(confint(known, 1:3)),
               df = tests[, "df"], width = unname(
                 (confint(fit, 1:3)[, 2] - tests[, 1]) / (confint(known, 1:3)[, 2] - coef(known))))
  }
  rbind(of("ML"), of("REML"))
}

for (n in sizes) for (smoothness in c(0.5, 1.5)) {
  seconds <- system.time(done <- parallel::mclapply(seq_len(sets), function(i)
    suppressWarnings(one(i, n, smoothness)), mc.cores = cores))[["elapsed"]]
  failed <- vapply(done, inherits, NA, "try-error")
  if (any(failed)) cat(sum(failed), "sets failed, the first with:", done[failed][[1]], "\n")
  all <- do.call(rbind, done[!failed])
  cat(sprintf("\n%d observations, smoothness %g: %d sets, %.0f s\n", n, smoothness, sum(!failed), seconds))
  cells <- split(all, list(factor(all$coefficient, coefficients), all$estimator))
  print_table(do.call(rbind, lapply(cells, function(cell) data.frame(
    estimator = cell$estimator[1], coefficient = cell$coefficient[1], "default, %" = 100 * mean(cell$covers),
    "normal, %" = 100 * mean(cell$normal), "known, %" = 100 * mean(cell$known), "median df" = median(cell$df),
    "median width by that of known" = median(cell$width), check.names = FALSE))))
  cat(sprintf("Monte Carlo error where coverage is 95 %%: %.2f %%\n", 100 * sqrt(0.95 * 0.05 / sum(!failed))))
}

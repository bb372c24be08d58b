# Bias, and how often 95 % limits cover what they are of: the correlation of two variables, and the slopes of
# parameters that follow covariates.
#   Rscript bench/gp-coverage-several.R [sets] [several, local]
# Two variables at 150 places of the unit square, smoothness 0.5 and 1 fixed, effective range about 0.4, correlation
# 0.5, nuggets of a tenth; and 300 places whose logarithms of variance and range have slopes 0.4 and 0.5 by a
# covariate that is a smooth function of the place.
library(statcl)
source("bench/peers.R")
options(statcl.threads = 1)
cores <- if (.Platform$OS.type == "windows") 1L else min(2L, parallel::detectCores())
cat(machine(), "\n")
args <- commandArgs(TRUE)
sets <- if (length(args)) as.integer(args[1L]) else 200L
kinds <- if (length(args) > 1L) strsplit(args[2L], ",")[[1L]] else c("several", "local")

two <- covModel("multimatern", variance = c(1, 2), range = 0.15, smoothness = c(0.5, 1), nugget = c(0.1, 0.2),
                correlation = matrix(c(1, 0.5, 0.5, 1), 2), variable = c("a", "b"))

several <- function(set) {
  set.seed(set)
  xy <- matrix(runif(300), 150)
  all <- cbind(xy[rep(1:150, 2), ], rep(1:2, each = 150))
  z <- matrix(drop(rnorm(300) %*% chol(covariance(two, all))), 150)
  d <- data.frame(x = xy[, 1], y = xy[, 2], a = z[, 1], b = 1 + z[, 2])
  fit <- gpFit(cbind(a, b) ~ 1, d, ~ x + y, "multimatern", fixed = list(smoothness.a = 0.5, smoothness.b = 1))
  answer(fit, c("correlation.a.b" = 0.5, range = 0.15, variance.a = 1, variance.b = 2, "b:(Intercept)" = 1))
}

slopes <- function(...) c("(Intercept)" = ..1, e = ..2)
land <- covModel("matern", variance = ~ e, range = ~ e, smoothness = 0.8, nugget = 0.1, coefficients = list(
  variance = slopes(0, 0.4), range = slopes(-0.5, 0.5)))

local <- function(set) {
  set.seed(set)
  d <- data.frame(x = runif(300, 0, 10), y = runif(300, 0, 10))
  d$e <- sin(d$x / 2) + d$y / 5 - 1
  d$z <- as.numeric(simulate(land, x = d))
  fit <- gpFit(z ~ 1, d, ~ x + y, covModel("matern", variance = ~ e, range = ~ e, smoothness = 0.8, nugget = NA),
               fixed = "smoothness")
  answer(fit, c(variance.e = 0.4, range.e = 0.5, "variance.(Intercept)" = 0, "range.(Intercept)" = -0.5))
}

answer <- function(fit, truth) {
  own <- fit$parameters[names(truth), "estimate"]
  limits <- suppressWarnings(confint(fit, names(truth)))
  list(error = own - truth, covers = limits[, 1L] <= truth & truth <= limits[, 2L])
}

for (kind in kinds) {
  run <- get(kind)
  time <- system.time(found <- parallel::mclapply(seq_len(sets), function(set) try(suppressWarnings(run(set)), TRUE),
                                                  mc.cores = cores))
  bad <- vapply(found, inherits, NA, "try-error")
  if (any(bad)) cat("failed:", sum(bad), conditionMessage(attr(found[[which(bad)[1L]]], "condition")), "\n")
  each <- function(part) do.call(rbind, lapply(found[!bad], `[[`, part))
  cat(sprintf("%s, %d sets, %.1f s for each: limits cover with a standard error of %.3f\n", kind, sum(!bad),
              time[["elapsed"]] * cores / sets, sqrt(0.05 * 0.95 / sum(!bad))))
  print(round(data.frame(bias = colMeans(each("error")), sd = apply(each("error"), 2L, sd),
                         coverage = colMeans(each("covers"), na.rm = TRUE),
                         missing = colMeans(is.na(each("covers"))), row.names = names(found[!bad][[1L]]$covers)), 3))
}

# Covariances whose parameters follow covariates: the time of a log likelihood, and of one with its gradient and
# average information, beside the stationary model on one thread; and fits of simulated data, whose coefficients
# should be within three standard errors of what they are, unless a nugget ends at 0, where these are too small.
#   Rscript bench/gp-local.R [FITS] [N ...]
# FITS data sets (5) of 600 observations, of which the first is fitted by Vecchia's approximation, too; times for N
# observations (1000 and 3000).
library(statcl)
options(statcl.threads = 1, warn = 1)
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
fits <- if (length(argument)) argument[1] else 5
sizes <- if (length(argument) > 1) argument[-1] else c(1000, 3000)
least <- function(expr) {
  expr <- substitute(expr)
  min(replicate(3, system.time(eval(expr, parent.frame(2)))[["elapsed"]]))
}
slopes <- function(...) c("(Intercept)" = ..1, e = ..2)

cat("seconds             n  smoothness  value  ratio  gradient  ratio\n")
for (n in sizes) {
  set.seed(1)
  d <- data.frame(x = runif(n, 0, 10), y = runif(n, 0, 10), e = rnorm(n))
  z <- rnorm(n)
  for (nu in c(0.5, 0.8)) {
    same <- covModel("matern", range = 1, smoothness = nu, nugget = 0.1)
    models <- list(
      stationary = same,
      "range" = covModel("matern", range = ~ e, smoothness = nu, nugget = 0.1,
                         coefficients = list(range = slopes(0, 0.3))),
      "and smoothness" = covModel("matern", range = ~ e, smoothness = ~ e, nugget = 0.1, coefficients = list(
        range = slopes(0, 0.3), smoothness = slopes(log(nu), 0.1))))
    for (name in names(models)) {
      m <- models[[name]]
      x <- if (name == "stationary") d[1:2] else d
      value <- least(gpLoglik(m, x, z))
      gradient <- least(gpLoglik(m, x, z, gradient = TRUE, information = "average"))
      if (name == "stationary") base <- c(value, gradient)
      cat(sprintf("%-15s %5d  %10.1f  %5.3f  %5.2f  %8.3f  %5.2f\n", name, n, nu, value, value / base[1], gradient,
                  gradient / base[2]))
    }
  }
}

truth <- covModel("matern", variance = ~ e, range = ~ e, smoothness = 0.8, nugget = 0.1, coefficients = list(
  variance = slopes(0, 0.4), range = slopes(-0.5, 0.5)))
asked <- covModel("matern", variance = ~ e, range = ~ e, smoothness = NA, nugget = NA)
values <- c("variance.(Intercept)" = 0, variance.e = 0.4, "range.(Intercept)" = -0.5, range.e = 0.5, smoothness = 0.8,
            nugget = 0.1)
cat("\n(estimate - truth) / standard error\n")
for (k in seq_len(fits)) {
  set.seed(k)
  d <- data.frame(x = runif(600, 0, 10), y = runif(600, 0, 10))
  d$e <- sin(d$x / 2) + d$y / 5 - 1
  d$z <- as.numeric(simulate(truth, x = d))
  time <- system.time(fit <- gpFit(z ~ 1, d, ~ x + y, asked))[["elapsed"]]
  flat <- gpFit(z ~ 1, d, ~ x + y, "matern")
  own <- fit$parameters[names(values), ]
  if (k == 1) {
    near <- gpFit(z ~ 1, d, ~ x + y, asked, method = "vecchia", m = 30)
    shift <- (near$parameters[names(values), "estimate"] - own$estimate) / own$std.error
    cat(sprintf("%21s", names(values)), "  chi squared  seconds\n", sep = "")
    cat(sprintf("%21.2f", shift), "  (30 neighbours less all)\n", sep = "")
  }
  cat(sprintf("%21.2f", (own$estimate - values) / own$std.error),
      sprintf("%13.1f  %7.1f", 2 * (fit$loglik - flat$loglik), time), "\n", sep = "")
}

# Bias of estimates and coverage of 95 % limits of fits with families and grouped effects, by simulation: of those by
# default, and of normal ones by standard errors.
#   Rscript bench/gp-coverage-families.R SETS N FAMILIES GROUPS [APPROXIMATION]
# as in "200 500 poisson,nbinom2,bernoulli without,with laplace,ep". Locations are uniform in the unit square, the
# process exponential of range 0.15 (at n = 500, shorter as 1/sqrt(n) beyond) and variance 0.5 (1 behind Bernoulli
# responses), the mean 0.5 + 0.4 z, and the groups 25 levels with variance 0.2.
library(statcl)
options(statcl.threads = 1, warn = -1)
argument <- commandArgs(trailingOnly = TRUE)
sets <- as.integer(argument[1])
n <- as.integer(argument[2])
range <- 0.15 * min(1, sqrt(500 / n))
approximations <- if (length(argument) > 4) strsplit(argument[5], ",")[[1]] else "laplace"
one <- function(family, groups, seed, approximation) {
  set.seed(seed)
  variance <- if (family == "bernoulli") 1 else 0.5
  truth <- c("(Intercept)" = 0.5, z = 0.4, variance = variance, range = range, if (groups) c(variance.g = 0.2),
             if (family == "nbinom2") c(family.theta = 3))
  d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n), g = factor(sample(25, n, TRUE)))
  model <- covModel("exponential", range = range, variance = variance, distance = "euclidean")
  method <- if (n > 2000) "tbrf" else "exact"
  eta <- 0.5 + 0.4 * d$z + as.vector(simulate(model, x = as.matrix(d[1:2]), method = method)) +
    groups * rnorm(25, sd = sqrt(0.2))[d$g]
  d$v <- switch(family, poisson = rpois(n, exp(eta)), nbinom2 = rnbinom(n, size = 3, mu = exp(eta)),
                bernoulli = rbinom(n, 1, plogis(eta)))
  fit <- tryCatch(gpFit(if (groups) v ~ z + (1 | g) else v ~ z, d, ~ x + y, "exponential", m = 20,
                        family = switch(family, poisson = poisson(), nbinom2 = nbinom2(), bernoulli = binomial()),
                        approximation = approximation), error = function(e) NULL)
  if (is.null(fit)) return(matrix(NA_real_, length(truth), 5, dimnames = list(names(truth), NULL)))
  limits <- confint(fit, names(truth))
  normal <- rbind(confint(fit, names(truth)[1:2], method = "wald"),
                  confint(fit, names(truth)[-(1:2)], method = "transformed"))
  estimate <- fit$parameters[names(truth), "estimate"]
  error <- fit$parameters[names(truth), "std.error"]
  message(sprintf("set %d: %s", seed, paste(names(truth), signif(estimate, 4), "+-", signif(error, 2),
                                             collapse = ", "))) # of long runs that do not come to their end
  cbind(estimate, error, limits[, 1] <= truth & truth <= limits[, 2], !is.na(limits[, 1]) & !is.na(limits[, 2]),
        normal[, 1] <= truth & truth <= normal[, 2])
}
for (family in strsplit(argument[3], ",")[[1]]) for (groups in strsplit(argument[4], ",")[[1]] == "with")
  for (approximation in approximations) {
  took <- system.time(found <- lapply(seq_len(sets), function(k) one(family, groups, k, approximation)))[["elapsed"]]
  cat(sprintf("%s by %s, n = %d, %s groups, %d sets, %.1f s a set\n", family, approximation, n,
              if (groups) "with" else "without", sets, took / sets))
  names <- rownames(found[[1]])
  variance <- if (family == "bernoulli") 1 else 0.5
  truth <- c(0.5, 0.4, variance, range, if (groups) 0.2, if (family == "nbinom2") 3)
  positive <- !names %in% c("(Intercept)", "z")
  for (j in seq_along(names)) {
    v <- vapply(found, function(f) f[j, ], numeric(5))
    bias <- if (positive[j]) log(stats::median(v[1, ], na.rm = TRUE) / truth[j])
            else mean(v[1, ], na.rm = TRUE) - truth[j]
    cat(sprintf(paste("  %-13s %s %+.3f, median standard error %.3f; coverage %.3f (%.3f), normal %.3f,",
                      "without limits %d, failed %d\n"),
                names[j], if (positive[j]) "log(median / truth)" else "bias", bias,
                stats::median(v[2, ], na.rm = TRUE), mean(v[3, ], na.rm = TRUE),
                sqrt(0.0475 / sum(!is.na(v[3, ]))), mean(v[5, ], na.rm = TRUE), sum(v[4, ] == 0, na.rm = TRUE),
                sum(is.na(v[1, ]))))
  }
}

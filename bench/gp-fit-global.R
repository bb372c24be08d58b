# Does gpFit() find the largest likelihood? Against the best of many random starts, on simulated fields.
#   Rscript bench/gp-fit-global.R [samples] [starts] [seed]
library(statcl)
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
samples <- if (length(argument)) argument[1] else 40
count <- if (length(argument) > 1) argument[2] else 20
set.seed(if (length(argument) > 2) argument[3] else 1)
options(statcl.threads = 1)
miss <- took <- numeric()
for (sample in seq_len(samples)) {
  n <- sample(c(20, 50, 100, 150), 1)
  x <- cbind(runif(n), runif(n))
  truth <- covModel("matern", range = exp(runif(1, log(0.02), log(1))), smoothness = exp(runif(1, log(0.2), log(4))),
                    nugget = if (runif(1) < 0.3) 0.001 else exp(runif(1, log(0.003), log(2))))
  factor <- chol(covariance(truth, x))
  data <- data.frame(x = x[, 1], y = x[, 2], z = drop(crossprod(factor, rnorm(n))))
  turned <- covModel("matern", range = NA, smoothness = NA, nugget = NA, angle = NA, ratio = NA)
  cov <- switch(sample(4, 1), "matern", "exponential", "powexp", turned)
  estimator <- sample(c("ML", "REML"), 1)
  formula <- if (runif(1) < 0.5) z ~ 1 else z ~ x + y
  took[sample] <- system.time(fit <- suppressWarnings(gpFit(formula, data, ~ x + y, cov, estimator = estimator)))[3]
  best <- NULL
  for (k in seq_len(count)) {
    start <- list(variance = 1, range = exp(runif(1, log(0.01), log(3))), nugget = exp(runif(1, log(1e-3), log(5))))
    free <- rownames(fit$parameters)
    if ("smoothness" %in% free) start$smoothness <- exp(runif(1, log(0.1), log(10)))
    if ("shape" %in% free) start$shape <- runif(1, 0.1, 1.95)
    if (!fit$parameters["ratio", "fixed"]) start[c("angle", "ratio")] <- list(runif(1, -90, 90), runif(1, 0.1, 0.9))
    other <- tryCatch(suppressWarnings(gpFit(formula, data, ~ x + y, cov, estimator = estimator, start = start)),
                      error = function(e) NULL)
    if (!is.null(other) && (is.null(best) || other$loglik > best$loglik)) best <- other
  }
  miss[sample] <- best$loglik - fit$loglik
  if (miss[sample] > 1e-6 || !fit$converged) {
    cat(sprintf("sample %d, n = %d, %s, %s: %.3g below%s\n", sample, n,
                if (is.character(cov)) cov else "anisotropic matern", estimator, miss[sample],
                if (fit$converged) "" else ", not converged"))
    print(cbind(found = fit$parameters$estimate, best = best$parameters$estimate))
  }
}
cat(sprintf("%d of %d samples below the best of %d starts by more than 1e-6, %d ahead of them; median %.2f s a fit\n",
            sum(miss > 1e-6), samples, count, sum(miss < -1e-6), stats::median(took)))

# Methods of fits of Gaussian processes, against the same by hand and by nlme.

some_field <- function(n = 60, seed = 1) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), u = rnorm(n), g = gl(3, 1, n))
  S <- covariance(covModel("exponential", variance = 2, range = 0.2, nugget = 0.3), cbind(d$x, d$y))
  d$z <- 1 + d$u + as.vector(crossprod(chol(S), rnorm(n)))
  d
}

test_that("leave-one-out predictions are those of fits without the observation", {
  d <- some_field()
  d$w <- runif(60)
  d$one <- as.numeric(seq_len(60) == 60)
  fit <- gpFit(z ~ u + g, d, ~ x + y, "exponential", error.variance = w, offset = u^2)
  loo <- statcl:::gp_loo(fit)
  for (i in c(1, 17, 60)) {
    without <- gpFit(z ~ u + g, d[-i, ], ~ x + y, fit$cov, fixed = TRUE, error.variance = w, offset = u^2)
    from <- as.matrix(d[-i, c("x", "y")])
    to <- as.matrix(d[i, c("x", "y")])
    S <- covariance(fit$cov, from) + diag(d$w[-i])
    k <- covariance(update(fit$cov, nugget = 0), from, to)
    new <- fit$X[i, ]
    mean <- sum(new * coef(without)) + d$u[i]^2 + sum(k * solve(S, residuals(without)))
    left <- new - crossprod(without$X, solve(S, k))
    variance <- sum(fit$parameters[c("variance", "nugget"), "estimate"]) + d$w[i] - sum(k * solve(S, k)) +
      sum(left * (without$vcov %*% left))
    expect_equal(loo$mean[i], mean, tolerance = 1e-10)
    expect_equal(loo$sd[i]^2, variance, tolerance = 1e-10)
    expect_equal(loo$residual[i], d$z[i] - mean, tolerance = 1e-10)
  }
  # only the last tells of a covariate
  loo <- statcl:::gp_loo(gpFit(z ~ one, d, ~ x + y, fit$cov, fixed = TRUE))
  expect_identical(which(is.nan(loo$residual)), 60L)
  expect_identical(which(is.nan(loo$sd)), 60L)
})

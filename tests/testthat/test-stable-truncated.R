# Fits to truncated observations.

set.seed(1)
whole <- rstable(3000, 1.6, 0.3, 2, 1)
range <- c(-5, 12)
x <- whole[whole > range[1] & whole < range[2]]

minus_loglik <- function(p, x, lower, upper) {
  mass <- pstable(upper, p[1], p[2], p[3], p[4]) - pstable(lower, p[1], p[2], p[3], p[4])
  -sum(dstable(x, p[1], p[2], p[3], p[4], log = TRUE)) + length(x) * log(mass)
}

fit <- stableFit(x, lower = range[1], upper = range[2])

test_backends("the estimate maximises the conditional likelihood, with its second derivatives", {
  fit <- stableFit(x, lower = -5, upper = 12)
  expect_true(fit$converged)
  expect_equal(minus_loglik(coef(fit), x, -5, 12), -fit$loglik, tolerance = 1e-11)
  error <- fit$parameters$std.error
  value <- function(by) minus_loglik(coef(fit) + by * error, x, -5, 12)
  h <- diag(0.05, 4)
  for (k in 1:4) expect_gt(min(value(h[k, ]), value(-h[k, ])), -fit$loglik)
  hessian <- outer(1:4, 1:4, Vectorize(function(j, k)
    (value(h[j, ] + h[k, ]) - value(h[j, ] - h[k, ]) - value(h[k, ] - h[j, ]) + value(-h[j, ] - h[k, ])) /
      (4 * 0.05^2)))
  expect_equal(solve(hessian), vcov(fit) / outer(error, error), tolerance = 5e-3, ignore_attr = TRUE)
  # of the whole distribution, within three standard errors
  expect_lt(max(abs(coef(fit) - c(1.6, 0.3, 2, 1)) / error), 3)
})

test_that("one side, weights, fixed values and other parameterisations work", {
  below <- stableFit(whole[whole < 4][1:500], upper = 4, fixed = list(beta = 0.3))
  expect_equal(minus_loglik(coef(below), below$x, -Inf, 4), -below$loglik, tolerance = 1e-11)
  twice <- stableFit(below$x, upper = 4, fixed = list(beta = 0.3), weights = rep(2, 500))
  expect_equal(coef(twice), coef(below), tolerance = 1e-5)
  expect_equal(twice$loglik, 2 * below$loglik, tolerance = 1e-9)
  one <- stableFit(x, pm = 1, lower = -5, upper = 12)
  expect_equal(one$loglik, fit$loglik, tolerance = 1e-9)
  # a range that holds everything changes nothing
  wide <- stableFit(x, lower = -1e200)
  expect_equal(coef(wide), coef(stableFit(x)), tolerance = 1e-5)
})

test_that("residuals, samples and pictures are of what is observed", {
  expect_identical(fit$truncation, range)
  u <- residuals(fit)
  expect_true(all(u >= 0 & u <= 1))
  expect_gt(ks.test(u, "punif")$p.value, 0.05)
  p <- coef(fit)
  f <- function(q) pstable(q, p[1], p[2], p[3], p[4])
  expect_equal(u, (f(x) - f(-5)) / (f(12) - f(-5)), tolerance = 1e-10)
  expect_equal(qnorm(u), residuals(fit, "quantile"), tolerance = 1e-6)
  drawn <- simulate(fit, 5, seed = 1)
  expect_identical(dim(drawn), c(length(x), 5L))
  expect_true(min(drawn) > -5 && max(drawn) <= 12)
  expect_gt(suppressWarnings(ks.test(drawn[[1]], x)$p.value), 0.01)
  expect_equal(integrate(function(v) statcl:::fitted_density(fit, v), -5, 12)$value, 1, tolerance = 1e-7)
  expect_output(print(fit), "truncated to \\(-5, 12\\)")
  file <- tempfile(fileext = ".pdf")
  pdf(file)
  on.exit(unlink(file))
  expect_silent(plot(fit))
  dev.off()
})

test_that("profiles and tests know of the truncation", {
  small <- stableFit(x[1:400], lower = -5, upper = 12)
  limits <- confint(small, c("gamma", "delta"), method = "profile")
  depth <- statcl:::profile_depth(400, 4, 0.95)
  held <- update(small, fixed = list(delta = limits["delta", 1]), x = x[1:400])
  expect_equal(2 * (small$loglik - held$loglik), depth, tolerance = 1e-4)
  expect_error(anova(stableFit(x[1:400]), small), "not of the same sample", class = "statcl_error_input")
  expect_error(stableTest(small), "truncated", class = "statcl_error_input")
  expect_error(statcl:::estfun.stableFit(small), "truncated", class = "statcl_error_input")
})

test_that("mistakes are named", {
  expect_input <- function(expr, text) expect_error(expr, text, class = "statcl_error_input")
  expect_input(stableFit(x, lower = 0), "x\\[[0-9]+\\] = -.*must lie between lower and upper")
  expect_input(stableFit(x, lower = 5, upper = 5), "lower = 5: lower must be below upper, which is 5")
  expect_input(stableFit(x, lower = "0"), "lower = 0: lower must be a single number")
  expect_input(stableFit(x, upper = NA_real_), "single number")
  expect_input(stableFit(x, "ecf", lower = -5), "cannot use truncated observations")
  expect_input(stableFit(cbind(x, x), lower = -5), "for one series")
  expect_input(stableFit(x, censored = x + 1, lower = -5), "truncated, by lower and upper, or censored")
})

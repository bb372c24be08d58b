# Several variables: priors on the scale of the search, posterior distributions, and what is averaged over them.

set.seed(3)
n <- 30
truth <- covModel("multimatern", range = 0.3, smoothness = 0.5, variance = c(1, 1e4), correlation = 0.7,
                  nugget = c(0.1, 500))
places <- data.frame(x = runif(n), y = runif(n), w = rnorm(n))
values <- drop(crossprod(chol(covariance(truth, cbind(places[rep(seq_len(n), 2), 1:2], rep(1:2, each = n)))),
                         rnorm(2 * n)))
data <- cbind(places, a = values[1:n], b = 500 + values[n + 1:n])
data$b[1:5] <- NA
new <- data.frame(x = c(0.1, 0.5, 0.9), y = c(0.4, 0.5, 0.2), w = 0)
jacobian <- function(f, t, h = 1e-4) matrix(vapply(seq_along(t), function(j) {
  at <- function(k) f(replace(t, j, t[j] + k * h))
  (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
}, f(t)), ncol = length(t))
log_det <- function(f, t) as.numeric(determinant(jacobian(f, t))$modulus)
# What remains of one function when another is subtracted does not depend on t.
expect_constant <- function(f, g, d, trials = 8, sd = 0.7) {
  set.seed(1)
  left <- replicate(trials, {
    t <- rnorm(d, sd = sd)
    f(t) - g(t)
  })
  expect_lt(diff(range(left)), 1e-6)
}

test_that("partial correlations have the density of uniform matrices of correlations", {
  for (p in 2:4) {
    row <- function(k) list(element = statcl:::of_pairs(list(nugget = numeric(p)), "correlation", FALSE)$element[k])
    each <- lapply(seq_len(p * (p - 1) / 2), function(k) statcl:::correlation_prior(row(k), p))
    beta <- function(t) tcrossprod(statcl:::sphere_root(t, p)$root)[lower.tri(diag(p))]
    expect_constant(function(t) sum(vapply(seq_along(each), function(k) each[[k]](t[k]), 0)),
                    function(t) log_det(beta, t), length(each))
  }
})

lmc_of <- function(count, sill = NA, rank = NULL, family = "exponential", ...)
  covModel("lmc", parts = lapply(seq_len(count), function(k) covModel(family, range = NA)), sill = sill, rank = rank,
           ...)

test_that("matrices have exponential standard deviations and uniform correlations, and ranges in order their prior", {
  fit <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, lmc_of(2, nugget = matrix(NA, 2, 2)))
  prior <- gpPrior(range = c(0.2, 0.1), sd = c(NA, 0.2), error = c(2, 0.01))
  target <- target_of(fit, prior)
  s <- target$s
  rows <- s$rows[s$at, ]
  unit <- statcl:::several_scales(s)
  residual <- function(y) sqrt(mean((y - mean(y, na.rm = TRUE))^2, na.rm = TRUE))
  expect_equal(sqrt(unit), c(residual(data$a), residual(data$b)), tolerance = 1e-12)
  # the logarithms of standard deviations and ranges, and the correlations
  natural <- function(t) {
    v <- statcl:::search_point(t, s)$v[s$at]
    of <- function(T) c(log(T[c(1, 3)]) / 2, T[2] / sqrt(T[1] * T[3]))
    c(of(v[1:3]), log(v[4]), of(v[5:7]), log(v[8]), of(v[c(9, 11, 10)]))
  }
  expect_identical(rows$kind, c("coregionalisation", "cross", "coregionalisation", "length")[c(1:4, 1:4, 1, 3, 2)])
  density <- function(x) {
    rate <- -log(0.2) / (3 * sqrt(unit))
    errors <- -log(0.01) / 2
    sd <- function(log, rate) sum(log - rate * exp(log))
    far <- log(statcl:::falls_at(list(name = "exponential")))
    range <- function(log) -(log + far) + log(0.1) * 0.2 / exp(log + far)
    sd(x[1:2], rate) + sd(x[5:6], rate) + sd(x[9:10], errors) + range(x[4]) + range(x[8])
  }
  whole <- function(t) density(natural(t)) + log_det(natural, t)
  expect_constant(function(t) sum(target$given(t)), whole, nrow(rows))
  # slopes of priors of several coordinates together
  t <- seq(-0.5, 0.5, length.out = nrow(rows))
  expect_equal(statcl:::slopes_of(target$given, t)$first, drop(jacobian(function(t) sum(target$given(t)), t)),
               tolerance = 1e-5)
})

test_that("matrices of lower rank have exponential standard deviations", {
  fit <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, lmc_of(1, rank = 1, nugget = c(NA, NA)),
               fixed = list(range = 0.3, nugget = c(0.1, 500)))
  target <- target_of(fit, gpPrior(sd = c(2, 0.2)))
  unit <- sqrt(statcl:::several_scales(target$s))
  rate <- -log(0.2) / 2 * unit
  # of the one of the second variable, whose root is A, and of the first, exp(t)
  expect_constant(function(t) sum(target$given(t)), function(t) t[1] - rate[1] * exp(t[1]) - rate[2] * abs(t[2]), 2)
})

test_that("variances and nuggets of each variable have their quantiles, by default in units of the residuals", {
  fit <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, fixed = list(smoothness = 0.5))
  target <- target_of(fit)
  name <- target$s$rows$name[target$s$at]
  unit <- statcl:::several_scales(target$s)
  share <- function(of, end) {
    j <- match(of, name)
    density <- function(t) vapply(t, function(v) exp(target$given(replace(numeric(length(name)), j, v))[j]), 0)
    part <- function(low, high) integrate(density, low, high, rel.tol = 1e-8, subdivisions = 1000)$value
    part(end, end + 20) / (part(end - 60, end) + part(end, end + 20))
  }
  for (k in 1:2) {
    expect_equal(share(paste0("variance.", c("a", "b")[k]), log(9 * unit[k])), 0.05, tolerance = 1e-6)
    expect_equal(share(paste0("nugget.", c("a", "b")[k]), log(unit[k])), 0.05, tolerance = 1e-6)
  }
  expect_equal(target_of(fit, gpPrior("flat", "flat", "flat", "flat"))$given(1:6 / 6), numeric(6))
})

test_that("points are drawn on a scale that leads back, with its slope", {
  for (model in list(covModel("multimatern", range = NA, smoothness = 0.5, correlation = NA, variance = c(NA, NA),
                              nugget = c(NA, NA)), lmc_of(1, nugget = c(NA, NA)),
                     lmc_of(1, nugget = matrix(NA, 2, 2)))) {
    fit <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, model, fixed = if (model$name == "lmc") list(range = 0.3) else
      list(smoothness = 0.5))
    scale <- target_of(fit)$scale
    set.seed(1)
    for (trial in 1:5) {
      u <- rnorm(sum(!statcl:::covariance_rows(fit)$fixed), sd = 2)
      expect_equal(scale$to(scale$from(u)), u, tolerance = 1e-10)
      slopes <- jacobian(scale$from, u)
      expect_equal(scale$jacobian(u), slopes, tolerance = 1e-7)
      expect_equal(scale$log_slope(u), as.numeric(determinant(slopes)$modulus), tolerance = 1e-7)
    }
  }
})

fit <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, fixed = list(smoothness = 0.5, range = 0.3, nugget.a = 0.1,
                                                          nugget.b = 500, variance.a = 1))

test_that("points have the posterior distribution that integration over a grid has", {
  skip_if_quick()
  target <- target_of(fit)
  expect_identical(target$s$rows$name[target$s$at], c("variance.b", "correlation.a.b"))
  points <- statcl:::known_posterior(fit)
  t <- t(apply(points$u, 1L, target$scale$from))
  axes <- lapply(1:2, function(j) seq(min(t[, j]), max(t[, j]), length.out = 50))
  grid <- as.matrix(expand.grid(axes))
  value <- apply(grid, 1L, target$value)
  mass <- exp(value - max(value))
  mass <- mass / sum(mass)
  for (j in 1:2) for (p in c(0.025, 0.25, 0.5, 0.75, 0.975)) {
    q <- statcl:::weighted_quantile(t[, j], points$weight, p)
    # as for one variable: ranks of 300 points, and cells of the grid
    expect_lt(abs(sum(mass[grid[, j] <= q]) - p), 4 * sqrt(p * (1 - p) / 300) + 0.015)
  }
})

test_that("nodes have the predictions that all points have", {
  skip_unless_all()
  points <- statcl:::known_posterior(fit)
  all <- statcl:::fits_at(fit, points$v)
  each <- lapply(all, function(f) predict(f, new, se.fit = TRUE))
  mean <- Reduce(`+`, Map(function(p, w) w * p$fit, each, points$weight))
  sd <- sqrt(Reduce(`+`, Map(function(p, w) w * (p$se.fit^2 + (p$fit - mean)^2), each, points$weight)))
  got <- predict(fit, new, se.fit = TRUE, parameters = "integrate", interval = "prediction")
  # the nodes have the first moments of all points, to within a few hundredths of a standard deviation
  expect_lt(max(abs(got$fit - mean) / sd), 0.05)
  expect_lt(max(abs(got$se.fit / sd - 1)), 0.05)
})

test_that("predictions, simulations and cross-validations average over the posterior distribution", {
  got <- predict(fit, new, se.fit = TRUE, parameters = "integrate")
  expect_false(isTRUE(all.equal(got$se.fit, predict(fit, new, se.fit = TRUE)$se.fit, tolerance = 1e-3)))
  together <- predict(fit, new, parameters = "integrate", covariance = TRUE, se.fit = TRUE)
  expect_equal(together$fit, got$fit, tolerance = 1e-9)
  expect_equal(together$se.fit, got$se.fit, tolerance = 1e-9)
  expect_equal(together$cov.a[1:3], together$se.fit[1:3]^2, tolerance = 1e-9)
  difference <- predict(fit, new, parameters = "integrate", combine = c(a = 1, b = -0.01), se.fit = TRUE)
  expect_equal(difference$se.fit^2, together$se.fit[1:3]^2 - 0.02 * together$cov.b[1:3] +
                 1e-4 * together$se.fit[4:6]^2, tolerance = 1e-9)
  fields <- simulate(fit, 3000, seed = 1, newdata = new, parameters = "integrate")
  fields <- as.matrix(fields[paste0("sim_", 1:3000)])
  expect_lt(max(abs(rowMeans(fields) - got$fit) / got$se.fit), 4 / sqrt(3000))
  expect_lt(max(abs(apply(fields, 1, sd) / got$se.fit - 1)), 4 * sqrt(1 / 3000)) # kurtosis of a mixture
  cv <- gpCV(fit, k = 4, seed = 1, parameters = "integrate")
  expect_true(all(abs(cv$mean - gpCV(fit, k = 4, seed = 1)$mean) < cv$sd))
  draws <- posterior(fit, 500, seed = 1)
  expect_named(draws, c("a:(Intercept)", "b:(Intercept)", "variance.b", "correlation.a.b"))
  expect_equal(predict(fit, new, parameters = draws), predict(fit, new, parameters = "integrate"), tolerance = 0.02)
  limits <- confint(fit, "correlation.a.b", method = "integrate")
  expect_equal(c(limits), unname(quantile(draws$correlation.a.b, c(0.025, 0.975))), tolerance = 0.15)
})

test_that("units of a variable change what has its unit, and nothing else", {
  skip_if_quick()
  big <- update(fit, data = transform(data, b = 1e3 * b), fixed = list(
    smoothness = 0.5, range = 0.3, nugget.a = 0.1, nugget.b = 5e8, variance.a = 1))
  a <- quantile(posterior(fit, 300, seed = 1))
  b <- quantile(posterior(big, 300, seed = 1))
  expect_equal(b["correlation.a.b", ], a["correlation.a.b", ], tolerance = 1e-3)
  expect_equal(b["variance.b", ], 1e6 * a["variance.b", ], tolerance = 1e-3)
})

test_that("errors that a matrix of nuggets shares are averaged, too", {
  skip_if_quick()
  shared <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, update(truth, nugget = matrix(c(0.1, 2, 2, 500), 2)),
                  fixed = list(smoothness = 0.5, range = 0.3, variance = c(1, 1e4), nugget = c(0.1, 500),
                               nugget.a.b = 2))
  latent <- simulate(shared, 2, seed = 1, newdata = new, type = "latent", parameters = "integrate")
  expect_false(anyNA(latent))
  fields <- simulate(shared, 2000, seed = 1, newdata = new, parameters = "integrate")
  fields <- as.matrix(fields[paste0("sim_", 1:2000)])
  wanted <- predict(shared, new, se.fit = TRUE, parameters = "integrate")$se.fit
  expect_lt(max(abs(apply(fields, 1, sd) / wanted - 1)), 4 * sqrt(1 / 2000))
})

test_that("models of coregionalisation and matrices of nuggets have posterior distributions", {
  skip_unless_all()
  part <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, lmc_of(1, nugget = c(NA, NA)))
  draws <- posterior(part, 300, seed = 1)
  expect_gt(attr(draws, "ess"), 50) # below that there is a warning
  expect_true(all(draws$sill1.a.b^2 <= draws$sill1.a.a * draws$sill1.b.b))
  full <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, lmc_of(1, nugget = matrix(NA, 2, 2)), fixed = list(range = 0.3))
  draws <- posterior(full, 300, seed = 1)
  expect_true(all(draws$nugget.a.b^2 <= draws$nugget.a * draws$nugget.b))
  expect_false(anyNA(predict(full, new, se.fit = TRUE, parameters = "integrate")$se.fit))
})

test_that("largest weights are bounded where moments are taken", {
  weight <- c(0.9, rep(0.1 / 99, 99))
  expect_identical(statcl:::bounded_weights(weight, 100), weight / sum(weight))
  expect_equal(statcl:::bounded_weights(weight, 2), rep(0.01, 100), tolerance = 1e-12)
})

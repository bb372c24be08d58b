# Posterior distributions of the parameters of Gaussian processes, and predictions averaged over them.

set.seed(5)
n <- 40
small <- data.frame(x = runif(n), y = runif(n), w = rnorm(n))
small$z <- small$w + as.vector(simulate(covModel("exponential", range = 0.2, nugget = 0.15), x = small[c("x", "y")],
                                        seed = 2))
new <- data.frame(x = c(0.1, 0.5, 0.9), y = c(0.4, 0.5, 0.2), w = c(0, 1, -1))
fit <- gpFit(z ~ w, small, ~ x + y, "exponential", fixed = list(nugget = 0.15))

test_that("priors have the quantiles that they are asked for", {
  models <- list(covModel("matern", range = NA, smoothness = NA, nugget = NA),
                 covModel("exponential", range = NA, nugget = NA),
                 covModel("matern", range = NA, smoothness = NA, nugget = NA, angle = NA, ratio = NA),
                 covModel("powexp", range = NA, shape = NA, nugget = NA))
  for (model in models) {
    full <- gpFit(z ~ w, small, ~ x + y, model)
    target <- target_of(full, gpPrior(range = c(0.3, 0.1), sd = c(2, 0.2), error = c(1.5, 0.01)))
    name <- target$s$rows$name[target$s$at]
    share <- function(name_of, end, below) {
      j <- match(name_of, name)
      density <- function(t) vapply(t, function(v) exp(target$given(replace(numeric(length(name)), j, v))[j]), 0)
      part <- function(low, high) integrate(density, low, high, rel.tol = 1e-8, subdivisions = 1000)$value
      whole <- part(-60, end) + part(end, 60)
      (if (below) part(-60, end) else part(end, 60)) / whole
    }
    expect_equal(share("variance", 2 * log(2), FALSE), 0.2, tolerance = 1e-6)
    expect_equal(share("nugget", 2 * log(1.5), FALSE), 0.01, tolerance = 1e-6)
    # of effective ranges, where the correlation is 0.1354, at the usual values of other parameters
    usual <- statcl:::usual_point(target$s)
    j <- match("range", name)
    expect_equal(share("range", log(0.3) - usual$effective[j] + usual$t[j], TRUE), 0.1, tolerance = 1e-6)
    point <- statcl:::search_point(usual$t, target$s)$v
    parts <- statcl:::model_parts(full$cov)
    there <- statcl:::set_parameters(full$cov, point, statcl:::cov_parameters(parts))
    axis <- sqrt(there$range * there$range * there$ratio) # the geometric mean of both
    plain <- update(there, range = axis, angle = 0, ratio = 1, nugget = 0)
    expect_equal(unname(covariance(plain, exp(usual$effective[j])) / covariance(plain, 0)), 0.1354, tolerance = 1e-3,
                 ignore_attr = TRUE)
  }
  flat <- target_of(gpFit(z ~ w, small, ~ x + y, "matern"), gpPrior("flat", "flat", "flat", "flat"))
  expect_equal(flat$given(c(1, 2, 3, 4)), numeric(4))
})

test_that("flat densities end where the search does, and ranges that the data exclude are no error", {
  set.seed(2)
  d <- data.frame(x = runif(25), y = runif(25), z = rnorm(25))
  d$z <- sin(4 * d$x) + d$z
  flat <- gpFit(z ~ 1, d, ~ x + y, "exponential")
  for (prior in list(gpPrior("flat", "flat", "flat", "flat"), gpPrior(range = c(0.2, 0.999999)))) {
    draws <- posterior(flat, 100, prior, seed = 1)
    expect_null(statcl:::session$loop) # else the progress of later calls would be taken for a part of this one
    expect_gt(attr(draws, "ess"), 200)
    expect_true(all(log(as.matrix(draws[c("variance", "range", "nugget")])) > -50))
    expect_lt(max(draws$range), 1e7)
  }
})

test_that("points have the posterior distribution that integration over a grid has", {
  skip_if_quick()
  target <- target_of(fit)
  points <- statcl:::known_posterior(fit)
  expect_equal(sum(points$weight), 1)
  expect_gt(points$ess, 200)
  axes <- lapply(1:2, function(j) seq(min(points$u[, j]), max(points$u[, j]), length.out = 60))
  grid <- as.matrix(expand.grid(axes))
  value <- apply(grid, 1L, target$value)
  mass <- exp(value - max(value))
  mass <- mass / sum(mass)
  for (j in 1:2) for (p in c(0.025, 0.25, 0.5, 0.75, 0.975)) {
    q <- statcl:::weighted_quantile(points$u[, j], points$weight, p)
    # ranks of 300 points have standard deviations below sqrt(p (1 - p) / 300), and the grid has cells
    expect_lt(abs(sum(mass[grid[, j] <= q]) - p), 4 * sqrt(p * (1 - p) / 300) + 0.01)
  }
  # by all points and by the grid predictions have the same limits; by the nodes nearly so
  all <- statcl:::fits_at(fit, points$v)
  parts <- lapply(all, function(f) statcl:::likelihood_of(f)$predictive(statcl:::new_places(f, new), TRUE,
                                                                        "prediction", "response"))
  wanted <- statcl:::predicted_columns(parts, points$weight, TRUE, "prediction", 0.95, "response")
  got <- predict(fit, new, se.fit = TRUE, interval = "prediction", parameters = "integrate")
  unit <- wanted$se.fit
  for (column in names(wanted)) expect_lt(max(abs(got[[column]] - wanted[[column]]) / unit), 0.08)
  expect_true(all(got$upr - got$lwr > 0))
  # limits of the mean at the origin are those of the intercept
  origin <- data.frame(x = 0.5, y = 0.5, w = 0)
  expect_equal(unlist(predict(fit, origin, interval = "confidence", parameters = "integrate")[c("lwr", "upr")]),
               confint(fit, "(Intercept)", method = "integrate")[1, ], tolerance = 1e-7, ignore_attr = TRUE)
})

test_that("fits at other parameters are those with these fixed", {
  v <- rbind(unname(coef(fit, "covariance")), unname(replace(coef(fit, "covariance"), 1:2, c(2, 0.3))))
  both <- statcl:::fits_at(fit, v)
  expect_equal(coef(both[[1L]]), coef(fit), tolerance = 1e-10)
  expect_equal(predict(both[[1L]], new, interval = "prediction"), predict(fit, new, interval = "prediction"),
               tolerance = 1e-10)
  held <- gpFit(z ~ w, small, ~ x + y, covModel("exponential", variance = 2, range = 0.3, nugget = 0.15),
                fixed = TRUE)
  expect_equal(predict(both[[2L]], new, se.fit = TRUE), predict(held, new, se.fit = TRUE), tolerance = 1e-10)
  expect_equal(residuals(both[[2L]]), residuals(held), tolerance = 1e-10)
  for (interval in c("prediction", "confidence"))
    expect_identical(predict(held, new, interval = interval, parameters = "integrate"),
                     predict(held, new, interval = interval))
})

test_that("mixtures have the moments and quantiles of their parts", {
  parts <- list(list(mean = c(0, 1, 5), sd = c(1, 1e-3, 2)), list(mean = c(3, 1, -5), sd = c(0.2, 1, 2)))
  weight <- c(0.3, 0.7)
  for (p in c(0.001, 0.025, 0.3, 0.5, 0.975)) {
    q <- statcl:::mixed_quantiles(parts, weight, p)
    expect_equal(0.3 * pnorm(q, parts[[1]]$mean, parts[[1]]$sd) + 0.7 * pnorm(q, parts[[2]]$mean, parts[[2]]$sd),
                 rep(p, 3), tolerance = 1e-9)
  }
  m <- statcl:::mixed_moments(parts, weight)
  expect_equal(m$mean, c(2.1, 1, -2))
  expect_equal(m$sd[3], sqrt(4 + 0.3 * 49 + 0.7 * 9))
  far <- list(list(mean = 0, sd = 1e-8), list(mean = 1e6, sd = 1e-8))
  expect_equal(statcl:::mixed_quantiles(far, c(0.5, 0.5), 0.25), qnorm(0.5) * 1e-8, tolerance = 1e-6)
})

test_that("nodes have positive weights and the moments of all points", {
  x <- matrix(rnorm(900), ncol = 3)
  weight <- rexp(300)
  weight <- weight / sum(weight)
  few <- statcl:::few_points(x, weight, 3)
  expect_true(all(few$weight > 0))
  expect_lte(length(few$at), 11L)
  score <- apply(x %*% eigen(cov.wt(x, weight, method = "ML")$cov)$vectors, 2, statcl:::normal_scores, weight)
  for (j in 1:3) for (power in 1:2)
    expect_equal(sum(few$weight * score[few$at, j]^power), sum(weight * score[, j]^power), tolerance = 1e-4)
  expect_equal(statcl:::nonnegative_solution(diag(3), c(1, -1, 2)), c(1, 0, 2))
})

test_that("posterior() draws all parameters, by R's generator, and says what they are", {
  set.seed(1)
  draws <- posterior(fit, 400)
  set.seed(1)
  expect_equal(posterior(fit, 400), draws)
  expect_named(draws, c("(Intercept)", "w", "variance", "range"))
  expect_s3_class(draws, c("gpPosterior", "data.frame"), exact = TRUE)
  # coefficients given the covariance are normal: over all, the mean is near that of the fit
  expect_lt(abs(mean(draws$w) - coef(fit)[["w"]]), 4 * sd(draws$w) / 20 + 0.1 * sd(draws$w))
  expect_output(print(draws), "400 draws")
  expect_equal(rownames(quantile(draws)), names(draws))
  expect_identical(class(draws[1:3, ]), "data.frame")
  limits <- confint(fit, method = "integrate")
  expect_equal(unname(limits[c("variance", "range"), ]),
               unname(quantile(draws, c(0.025, 0.975))[c("variance", "range"), ]), tolerance = 0.35)
  expect_true(all(is.na(limits["nugget", ])))
  expect_error(confint(stableFit(rnorm(50)), method = "integrate"), "gpFit")
  other <- update(fit, . ~ 1)
  expect_error(predict(other, new, parameters = draws), "another fit")
  expect_error(posterior(fit, 10, prior = 1), "gpPrior")
  expect_error(gpPrior(range = c(-1, 0.1)), "positive")
  expect_error(gpPrior(sd = c(1, 2)), "probability")
  expect_error(gpPrior(sd = 1), "flat")
  expect_error(posterior(gpFit(z ~ w, small, ~ x + y, covModel("exponential", range = 1), fixed = TRUE)), "fixed")
  expect_output(print(gpPrior(range = c(3, 0.1))), "below 3 with probability 0.1")
  expect_gt(diff(confint(fit, "range", method = "integrate")[1, ]), 0)
})

test_that("limits do not depend on names, on the order of rows, on units, or on the estimator", {
  skip_if_quick()
  limits <- confint(fit)
  named <- small
  named$range <- named$w
  other <- confint(gpFit(z ~ range, named, ~ x + y, "exponential", fixed = list(nugget = 0.15)))
  expect_equal(unname(other), unname(limits), tolerance = 1e-8)
  expect_named(posterior(gpFit(z ~ range, named, ~ x + y, "exponential", fixed = list(nugget = 0.15)), 5),
               c("(Intercept)", "range", "variance", "range.1"))
  # the search ends within 1e-4 standard errors of the mode
  turned <- gpFit(z ~ w, small[n:1, ], ~ x + y, "exponential", fixed = list(nugget = 0.15))
  expect_equal(confint(turned), limits, tolerance = 0.02)
  expect_equal(confint(update(fit, estimator = "REML")), limits, tolerance = 0.02)
  scaled <- transform(small, z = 1000 * z, x = x / 50, y = y / 50)
  again <- confint(gpFit(z ~ w, scaled, ~ x + y, "exponential", fixed = list(nugget = 0.15e6)))
  expect_equal(again[c("variance", "range"), ] / c(1e6, 1 / 50), limits[c("variance", "range"), ], tolerance = 0.02)
})

test_that("limits of an angle are around its estimate", {
  set.seed(11)
  d <- data.frame(x = runif(80), y = runif(80))
  turn <- covModel("exponential", range = 0.6, nugget = 0.1, angle = 88, ratio = 0.2)
  d$z <- drop(rnorm(80) %*% chol(covariance(turn, as.matrix(d))))
  turned <- gpFit(z ~ 1, d, ~ x + y, covModel("exponential", range = NA, nugget = NA, angle = NA, ratio = NA))
  limits <- confint(turned, "angle")
  expect_true(limits[1] < turned$cov$angle && turned$cov$angle < limits[2])
  expect_lt(diff(limits[1, ]), 150)
})

test_that("packages posterior and coda take the draws", {
  draws <- posterior(fit, 40, seed = 1)
  expect_identical(posterior(fit, 40, seed = 1), draws)
  if (requireNamespace("posterior", quietly = TRUE)) {
    taken <- posterior::as_draws_df(draws)
    expect_setequal(posterior::variables(taken), names(draws))
    expect_identical(taken$range, draws$range)
  }
  skip_if_not_installed("coda")
  expect_equal(unname(coda::as.mcmc(draws)[, "range"]), draws$range, ignore_attr = TRUE)
})

test_that("simulations and cross-validation average over parameters", {
  skip_if_quick()
  set.seed(3)
  fields <- simulate(fit, 2000, newdata = new, parameters = "integrate")
  sims <- as.matrix(fields[, grepl("sim_", names(fields))])
  wanted <- predict(fit, new, se.fit = TRUE, parameters = "integrate")
  expect_lt(max(abs(rowMeans(sims) - wanted$fit) / wanted$se.fit), 4 / sqrt(2000))
  expect_equal(unname(apply(sims, 1, sd)), wanted$se.fit, tolerance = 0.08)
  grid <- rfGrid(0.1, 0.2, c(4, 4))
  maps <- rfSummary(simulate(update(fit, . ~ 1), 50, seed = 1, newdata = grid, parameters = "integrate"))
  expect_true(all(is.finite(maps)))
  folds <- rep_len(1:4, n)
  plain <- gpCV(fit, folds = folds)
  wide <- gpCV(fit, folds = folds, parameters = "integrate")
  expect_gt(mean(wide$sd), mean(plain$sd))
  expect_equal(wide$mean, plain$mean, tolerance = 0.5)
  expect_error(gpCV(fit, folds = folds, refit = TRUE, parameters = "integrate"), "refit")
  expect_equal(gpCV(fit, "loo", parameters = "integrate")$sd > 0, rep(TRUE, n))
})

test_that("the posterior of large data is next to normal, with the standard errors of the fit", {
  skip_if_quick()
  set.seed(8)
  d <- data.frame(x = runif(2000, 0, 8), y = runif(2000, 0, 8))
  d$z <- as.vector(tbrf(as.matrix(d), covModel("exponential", range = 0.3), 500)) + rnorm(2000) * 0.4
  big <- gpFit(z ~ 1, d, ~ x + y, "exponential", method = "vecchia", m = 15)
  points <- statcl:::known_posterior(big)
  expect_identical(points$ess, Inf)
  expect_length(points$nodes$weight, 4L)
  error <- apply(log(points$v[, c(1, 2, 5)]), 2, sd)
  wanted <- big$parameters[c("variance", "range", "nugget"), ]
  expect_equal(error, wanted$std.error / wanted$estimate, tolerance = 0.25)
  # corners have the moments of the points
  expect_equal(colMeans(points$corners), colMeans(points$u), tolerance = 1e-10)
  expect_equal(crossprod(sweep(points$corners, 2, colMeans(points$u))) / 4, cov(points$u), tolerance = 1e-8)
  p <- predict(big, d[1:5, ], interval = "prediction")
  q <- predict(big, d[1:5, ], interval = "prediction", parameters = "integrate")
  expect_equal(q$upr - q$lwr, p$upr - p$lwr, tolerance = 0.02)
})

test_that("other families have posterior distributions, too", {
  skip_if_quick()
  small$k <- rpois(n, exp(1 + small$z / 2))
  counts <- gpFit(k ~ w, small, ~ x + y, "exponential", family = poisson(), m = 10)
  set.seed(1)
  draws <- posterior(counts, 300)
  expect_named(draws, c("(Intercept)", "w", "variance", "range"))
  expect_lt(abs(mean(draws$w) - coef(counts)[["w"]]), sd(draws$w))
  p <- predict(counts, new, se.fit = TRUE, interval = "prediction", parameters = "integrate")
  expect_true(all(p$lwr <= p$fit, p$fit <= p$upr, p$lwr == floor(p$lwr)))
  latent <- predict(counts, new, type = "latent", se.fit = TRUE, parameters = "integrate")
  expect_gt(mean(latent$se.fit), mean(predict(counts, new, type = "latent", se.fit = TRUE)$se.fit))
  limits <- confint(counts, method = "integrate")
  expect_true(all(is.finite(limits[c("(Intercept)", "w", "variance", "range"), ])))
  # points for predictions and tests are the first of those for limits, whichever are asked for first
  first <- statcl:::known_posterior(counts, nodes = TRUE)$begun
  expect_identical(utils::head(statcl:::known_posterior(counts)$begun$value, length(first$value)), first$value)
  session <- statcl:::session
  old <- session$remembered
  session$remembered <- NULL
  expect_identical(confint(counts, method = "integrate"), limits)
  session$remembered <- old
})

test_that("coefficients of a family with the link identity have the unit of responses", {
  set.seed(3)
  d <- data.frame(g = factor(rep(1:6, each = 8)), u = rep(0:7, 6))
  d$y <- 250 + 10 * d$u + rnorm(6, sd = 30)[d$g] + rnorm(48, sd = 20)
  fit <- gpFit(y ~ u + (1 | g), d, cov = NULL)
  draws <- posterior(fit, 200, seed = 1)
  off <- (colMeans(draws[1:2]) - coef(fit)) / sqrt(diag(vcov(fit)))
  expect_lt(max(abs(off)), 0.5)
  limits <- confint(fit, 1:2, method = "integrate")
  expect_true(all(limits[, 1] < coef(fit), coef(fit) < limits[, 2]))
})

test_that("variances of grouped effects have the prior of standard deviations", {
  set.seed(3)
  d <- data.frame(g = factor(rep(1:6, each = 50)))
  d$y <- rpois(300, exp(2 + rnorm(6, sd = 0.3)[d$g]))
  given <- gpFit(y ~ 1 + (1 | g), d, cov = NULL, family = poisson())
  points <- statcl:::known_posterior(given)
  sums <- tapply(d$y, d$g, sum)
  # counts of a group tell of its mean as one count of their sum does, whose integral over the effect is a sum here
  effect <- seq(-3, 3, by = 0.01)
  of_group <- function(sum, mean, sd) {
    logs <- sum * (mean + effect) - 50 * exp(mean + effect) + dnorm(effect, 0, sd, log = TRUE)
    top <- max(logs)
    top + log(sum(exp(logs - top)))
  }
  mean <- seq(1, 3, by = 0.05)
  t <- seq(log(1e-3), log(4), by = 0.1)
  grid <- expand.grid(mean = mean, t = t)
  value <- mapply(function(mean, t) sum(vapply(sums, of_group, 0, mean, exp(t / 2))), grid$mean, grid$t) +
    grid$t / 2 + log(0.05) / 3 * exp(grid$t / 2) # above 3 with probability 0.05
  mass <- tapply(exp(value - max(value)), grid$t, sum)
  own <- statcl:::parameters_of_points(given, points)[, "variance.g"]
  for (p in c(0.1, 0.5, 0.9)) {
    q <- log(statcl:::weighted_quantile(own, points$weight, p))
    # as for the grid above, and Laplace's approximation
    expect_lt(abs(approx(t + 0.05, cumsum(mass) / sum(mass), q)$y - p), 4 * sqrt(p * (1 - p) / 300) + 0.02)
  }
})

test_that("where estimates of variances are 0 the posterior distribution is found, too", {
  skip_if_quick()
  set.seed(2)
  d <- data.frame(x = runif(60), y = runif(60), g = factor(rep(1:12, 5)))
  d$n <- rpois(60, 2)
  none <- gpFit(n ~ 1 + (1 | g), d, ~ x + y, "exponential", family = nbinom2())
  expect_identical(none$parameters["variance.g", "boundary"], "lower")
  draws <- posterior(none, 100, seed = 1)
  expect_true(all(is.finite(as.matrix(draws))))
  expect_true(all(draws[["variance.g"]] > 0))
  # limits by default are of that distribution, one-sided on a boundary
  limits <- confint(none)
  p <- none$parameters[rownames(limits), ]
  open <- p$component == "covariance" & !p$fixed
  expect_identical(limits[open, ], confint(none, method = "integrate")[open, ])
  expect_identical(limits[["variance.g", 1L]], 0)
  expect_true(all(limits[open, 2L] > limits[open, 1L]))
})

test_that("directions in which predictions hardly differ have no nodes", {
  set.seed(4)
  features <- cbind(rnorm(500), 0.5 * rnorm(500), 1e-3 * rnorm(500), matrix(0, 500, 7))
  few <- statcl:::few_points(features, rep(1 / 500, 500), 3)
  expect_lte(length(few$at), 7)
  expect_gt(length(statcl:::few_points(features * c(1, 1, 1e3)[c(1, 2, 3, rep(1, 7))][col(features)],
                                       rep(1 / 500, 500), 3)$at), 7)
})

test_that("coefficients of other families are drawn in their own units", {
  set.seed(6)
  far <- small
  far$v <- 5000 + 100 * (small$z + 0.3 * rt(n, 4))
  far$k <- rpois(n, exp(1 + small$z / 2))
  far$start <- -40
  fits <- list(gpFit(v ~ w, far, ~ x + y, "exponential", fixed = list(range = 0.2), family = student(df = 4)),
               gpFit(k ~ w + offset(start), far, ~ x + y, "exponential", fixed = list(range = 0.2),
                     family = poisson()))
  for (one in fits) {
    draws <- as.data.frame(posterior(one, 200, seed = 1))
    for (name in names(coef(one))) expect_lt(abs(mean(draws[[name]]) - coef(one)[[name]]), sd(draws[[name]]))
  }
})

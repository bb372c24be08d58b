# Confidence limits of fits with families: profiles of the likelihood, and errors over the posterior distribution.
set.seed(8)
n <- 60
d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n), g = factor(rep(1:6, 10)))
d$v <- rpois(n, exp(1 + 0.4 * d$z + drop(crossprod(chol(0.5 * exp(-as.matrix(dist(d[1:2])) / 0.2)), rnorm(n)))))
fit <- gpFit(v ~ z, d, ~ x + y, "exponential", family = poisson())
depth <- qchisq(0.95, 1)
# the fall of twice the likelihood to that with a parameter, or the slope of z, held
fall <- function(fit, name, value) {
  if (name == "z") {
    d$held <- value * d$z
    other <- update(fit, . ~ . - z + offset(held), data = d)
  } else other <- update(fit, fixed = stats::setNames(list(value), name))
  2 * (fit$loglik - other$loglik)
}

test_that("limits of profiles are where the likelihood has fallen by half the quantile", {
  skip_if_quick()
  limits <- confint(fit, c("z", "variance", "range"), method = "profile")
  for (name in rownames(limits)) for (value in limits[name, ])
    expect_equal(fall(fit, name, value), depth, tolerance = 1e-3)
  curve <- profile(fit, "variance", points = 2)
  expect_equal(attr(curve, "original.fit")$loglik, fit$loglik)
  expect_true(all(diff(as.data.frame(curve)$tau) > 0))
})

test_that("without a process profiles are those of generalised linear models", {
  plain <- gpFit(v ~ z, d, cov = NULL, family = poisson())
  limits <- confint(plain, "z", method = "profile")
  for (value in limits) {
    held <- glm(v ~ 1 + offset(value * z), poisson, d)
    expect_equal(as.numeric(2 * (logLik(glm(v ~ z, poisson, d)) - logLik(held))), depth, tolerance = 1e-5)
  }
})

test_that("a variance of 0 has one-sided limits by default", {
  set.seed(9)
  many <- data.frame(g = factor(rep(1:30, 20)), v = sort(rpois(600, 2))) # the groups are nearly the same
  none <- gpFit(v ~ 1 + (1 | g), many, cov = NULL, family = poisson())
  expect_identical(none$parameters["variance.g", "boundary"], "lower")
  limits <- confint(none)["variance.g", ]
  expect_identical(limits[[1L]], 0)
  held <- gpFit(v ~ 1 + (1 | g), many, cov = NULL, family = poisson(), fixed = list(variance.g = limits[[2L]]))
  expect_equal(2 * (none$loglik - held$loglik), depth, tolerance = 1e-3)
  skip_if_quick()
  both <- suppressWarnings(gpFit(v ~ z + (1 | g), d, ~ x + y, "exponential", family = poisson(),
                                 fixed = list(range = 0.2)))
  expect_identical(both$parameters["variance.g", "boundary"], "lower")
  limits <- confint(both, "variance.g")
  expect_identical(limits[[1L]], 0)
  expect_true(is.finite(limits[[2L]]) && limits[[2L]] > 0)
})

test_that("coefficients of the probability of a zero have profiles", {
  skip_if_quick()
  set.seed(10)
  zeros <- data.frame(x = runif(100), u = rnorm(100))
  zeros$v <- rpois(100, 3) * rbinom(100, 1, 0.7)
  one <- gpFit(v ~ 1, zeros, cov = NULL, family = zi_poisson(), zi = ~ 1)
  limits <- confint(one, "zi.(Intercept)", method = "profile")
  value <- function(zi) -optimize(function(b) -sum(log(ifelse(zeros$v == 0, zi, 0) + (1 - zi) * dpois(
    zeros$v, exp(b)))), c(-3, 3), tol = 1e-9)$objective
  for (limit in limits) expect_equal(2 * (one$loglik - value(plogis(limit))), depth, tolerance = 1e-4)
  two <- gpFit(v ~ 1, zeros, cov = NULL, family = zi_poisson(), zi = ~ u)
  both <- function(b, zi) {
    zero <- plogis(zi[1] + zi[2] * zeros$u)
    sum(log(ifelse(zeros$v == 0, zero, 0) + (1 - zero) * dpois(zeros$v, exp(b))))
  }
  limits <- confint(two, c("zi.(Intercept)", "zi.u"), method = "profile")
  for (j in 1:2) for (limit in limits[j, ]) {
    held <- optim(c(1, two$own[3 - j]), function(t) -both(t[1], replace(rep(t[2], 2), j, limit)), method = "BFGS",
                  control = list(reltol = 1e-14))
    expect_equal(2 * (two$loglik + held$value), depth, tolerance = 1e-4)
  }
  expect_named(profile(two, points = 2), c("(Intercept)", "zi.(Intercept)", "zi.u"))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(posterior(two, 50), "density", profile = TRUE))
  expect_true(all(is.finite(confint(two, "(Intercept)", method = "profile"))))
})

test_that("errors of coefficients are those over the posterior distribution, for all tests", {
  table <- coef(summary(fit))
  expect_identical(colnames(table)[3:4], c("df", "t value"))
  expect_gt(table["(Intercept)", "Std. Error"], sqrt(diag(vcov(fit)))[["(Intercept)"]])
  half <- qt(0.975, table[, "df"]) * table[, "Std. Error"]
  limits <- confint(fit)
  expect_equal(limits[1:2, ], cbind(coef(fit) - half, coef(fit) + half), ignore_attr = TRUE)
  expect_equal(limits[c("variance", "range"), ], confint(fit, c("variance", "range"), method = "integrate"))
  # of the mixture over the nodes quantiles are nearly the same
  at <- data.frame(x = 0, y = 0, z = c(0, 1))
  told <- predict(fit, at, type = "link", interval = "confidence")
  mixture <- predict(fit, at, type = "link", interval = "confidence", parameters = "integrate")
  expect_equal(told$upr - told$lwr, mixture$upr - mixture$lwr, tolerance = 0.15)
  tests <- anova(fit)
  expect_equal(tests["z", "F value"], table["z", "t value"]^2)
  expect_equal(tests[, "DenDF"], unname(table[, "df"]))
  tidied <- statcl:::tidy.statclFit(fit, conf.int = TRUE)
  expect_equal(tidied$conf.low, unname(limits[, 1L]))
  normal <- summary(fit, ddf = "none")
  expect_equal(coef(normal)[, "Std. Error"], sqrt(diag(vcov(fit))))
  expect_identical(colnames(coef(normal))[3L], "z value")
  # those of grouped effects without a process are as everywhere
  expect_identical(colnames(coef(summary(gpFit(v ~ z + (1 | g), d, cov = NULL, family = poisson()))))[3L], "z value")
})

test_that("limits do not depend on the unit of responses", {
  some <- d[1:30, ]
  set.seed(11)
  some$r <- some$z + rnorm(30, sd = 0.5)
  some$a <- exp(1 + 0.5 * rnorm(30))
  limits <- function(unit, formula, family, variance = 0.05) {
    some[c("r", "a")] <- unit * some[c("r", "a")]
    fit <- gpFit(formula, some, ~ x + y, "exponential", family = family,
                 fixed = list(range = 0.2, variance = variance))
    confint(fit, c("z", if (family$family == "student") "family.scale" else "family.phi"))
  }
  expect_equal(limits(1e6, r ~ z, student(df = 5), 0.05e12) / 1e6, limits(1, r ~ z, student(df = 5)),
               tolerance = 1e-3)
  expect_equal(limits(1e-5, a ~ z, inverse.gaussian("log")) * c(1, 1e-5), limits(1, a ~ z, inverse.gaussian("log")),
               tolerance = 1e-3)
})

test_that("responses that do not determine the mean have limits without an error of linear algebra", {
  apart <- d[1:30, ]
  apart$b <- as.integer(apart$z > 0)
  fit <- suppressWarnings(gpFit(b ~ z, apart, ~ x + y, "exponential", family = binomial(), fixed = list(range = 0.2)))
  expect_silent(suppressWarnings(summary(fit)))
})

test_that("a prediction that does not depend on the coefficients has no error", {
  through <- gpFit(v ~ 0 + z, d[1:30, ], ~ x + y, "exponential", family = poisson(), fixed = list(range = 0.2))
  told <- predict(through, data.frame(x = 0, y = 0, z = 0:1), type = "link", interval = "confidence")
  expect_equal(unlist(told[1L, c("lwr", "upr")]), c(lwr = 0, upr = 0))
  expect_gt(told$upr[2L], told$lwr[2L])
})

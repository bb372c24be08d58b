# What observations have besides their response: prior weights.
set.seed(1)
d <- data.frame(x = rnorm(120), g = factor(rep(1:12, 10)), w = sample(c(0.5, 1, 2, 3), 120, TRUE),
                m = sample(1:8, 120, TRUE), u = runif(120), v = runif(120))
effect <- rnorm(12, 0, 0.6)[d$g]
d$y <- rnbinom(120, 1.5, mu = exp(1 + 0.4 * d$x + effect))
d$p <- rbinom(120, d$m, plogis(d$x + effect)) / d$m
d$z <- rnorm(120, 1 + d$x + effect)
plain <- function(...) eval.parent(as.call(c(list(quote(gpFit)), as.list(sys.call())[-1], list(cov = NULL))))
expect_same_fit <- function(fit, theirs, b = coef(theirs), ...) {
  # a process of variance 1e-8 stands for none: it adds half the sum of weights and squared scores times 1e-8
  expect_equal(fit$loglik, as.numeric(logLik(theirs)), tolerance = 1e-7)
  expect_lt(max(abs(coef(fit) - b)), 1e-4)
}

test_that("weights are those of glm() where there is no process", {
  fit <- plain(y ~ x, d, family = poisson(), weights = w)
  theirs <- glm(y ~ x, poisson, d, weights = w)
  expect_same_fit(fit, theirs)
  expect_lt(max(abs(coef(fit) - coef(theirs))), 1e-6)
  expect_equal(residuals(fit, "pearson"), residuals(theirs, "pearson"), tolerance = 1e-6)
  expect_equal(residuals(fit, "deviance"), residuals(theirs, "deviance"), tolerance = 1e-6)
  expect_identical(unname(weights(fit)), d$w)
  expect_equal(coef(plain(exp(z) ~ x, d, family = Gamma("log"), weights = w)),
               coef(glm(exp(z) ~ x, Gamma("log"), d, weights = w)), tolerance = 1e-4)
  # proportions have numbers of trials
  fit <- plain(p ~ x, d, family = binomial(), weights = m)
  theirs <- glm(p ~ x, binomial, d, weights = m)
  expect_same_fit(fit, theirs)
  expect_equal(fitted(fit), fitted(theirs), tolerance = 1e-6)
  expect_identical(as.double(weights(fit)), as.double(d$m))
  expect_equal(residuals(fit, "deviance"), residuals(theirs, "deviance"), tolerance = 1e-6)
  expect_equal(fit$loglik, plain(cbind(p * m, m - p * m) ~ x, d, family = binomial())$loglik, tolerance = 1e-12)
  # numbers of successes have weights beside these
  pairs <- plain(cbind(p * m, m - p * m) ~ x, d, family = binomial(), weights = w)
  expect_same_fit(pairs, glm(cbind(p * m, m - p * m) ~ x, binomial, d, weights = w))
  expect_equal(as.double(weights(pairs)), d$w * d$m)
})

test_that("weights beside grouped effects are those of glmmTMB", {
  skip_if_not_installed("glmmTMB")
  each <- list(list(y ~ x + (1 | g), nbinom2(), glmmTMB::nbinom2()), list(z ~ x + (1 | g), gaussian(), gaussian()),
               list(exp(z) ~ x + (1 | g), Gamma("log"), Gamma("log")))
  for (k in each) {
    data <- d
    if (k[[2]]$family == "Gamma") data$ez <- exp(d$z)
    formula <- if (k[[2]]$family == "Gamma") ez ~ x + (1 | g) else k[[1]]
    fit <- plain(formula, data, family = k[[2]], weights = w)
    theirs <- glmmTMB::glmmTMB(formula, data, family = k[[3]], weights = w)
    expect_same_fit(fit, theirs, glmmTMB::fixef(theirs)$cond)
  }
})

test_that("a weight of 2 is two observations, one of 0 is none that is predicted", {
  truth <- covModel("exponential", range = 0.2, variance = 0.3)
  d <- d[1:40, ]
  d$k <- rep(c(1, 2, 0, 1), 10)
  held <- list(range = 0.2, variance = 0.3, nugget = 0, family.theta = 1.5)
  some <- function(data, weights = NULL)
    gpFit(y ~ x, data, ~ u + v, truth, family = nbinom2(), fixed = held, method = "exact", weights = weights)
  weighted <- some(d, d$k)
  again <- some(d[rep(1:40, d$k), ])
  expect_equal(weighted$loglik, again$loglik, tolerance = 1e-8)
  expect_equal(coef(weighted), coef(again), tolerance = 1e-6)
  expect_equal(predict(weighted, type = "link")[d$k == 0], predict(again, d[d$k == 0, ], type = "link")$fit,
               tolerance = 1e-6, ignore_attr = TRUE)
  expect_equal(residuals(weighted, "deviance")[d$k == 0], rep(0, 10), ignore_attr = TRUE)
  # kept by all that fits anew
  weighted <- gpFit(y ~ x, d, ~ u + v, truth, family = nbinom2(), fixed = held, method = "exact", weights = k)
  expect_equal(update(weighted, . ~ x)$loglik, weighted$loglik)
  expect_equal(statcl:::family_fit_at(weighted, unlist(statcl:::covariance_values(weighted)))$loglik, weighted$loglik)
  less <- statcl:::fit_without(weighted, weighted$y, 1:3, statcl:::covariance_values(weighted))$fit
  expect_identical(less$cases$weights, d$k[-(1:3)])
  expect_identical(statcl:::refit.gpFit(weighted, weighted$y)$cases, weighted$cases)
  expect_true(all(is.finite(gpCV(weighted, folds = rep(1:2, 20))$log.density)))
  expect_error(anova(weighted, some(d)), "not of the same observations")
})

test_that("weights that cannot be are refused", {
  fit <- function(weights) gpFit(y ~ x, d, cov = NULL, family = poisson(), weights = weights)
  expect_error(fit(weights = -d$w), "weights\\[1\\].*not negative")
  expect_error(fit(weights = replace(d$w, 3, Inf)), "weights\\[3\\]")
  expect_error(fit(weights = 0 * d$w), "all 0")
  expect_error(fit(weights = as.character(d$w)), "must be a numeric vector")
  expect_error(gpFit(z ~ x, d, ~ u + v, "exponential", weights = w), "error.variance")
  expect_identical(nobs(fit(weights = replace(d$w, 3, NA))), 119L)
})

# What observations have besides their response: prior weights, and covariates of the probability of a zero; and
# probabilities of categories.
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
  skip_if_quick()
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

test_that("responses of weight 0 do not count as variation", {
  none <- c(0, rep(1, 39))
  fit <- function(y, family, formula = y ~ 1) gpFit(formula, data.frame(y = y, g = rep(1:4, 10)), cov = NULL,
                                                    family = family, weights = none)
  for (family in list(poisson(), student(), binomial(), betabinomial()))
    expect_error(fit(c(1, rep(0, 39)), family), "constant", label = family$family)
  expect_error(fit(c(0, rep(1, 39)), binomial()), "constant")
  expect_error(fit(c(1, rep(2, 39)), gaussian(), y ~ 1 + (1 | g)), "constant")
  expect_error(fit(c(2, rep(c(0, 1), length.out = 39)), delta_gamma()), "above 0 are equal")
  for (category in c(1, 3)) expect_error(fit(c(category, rep(setdiff(1:3, category), length.out = 39)), cumulative()),
                                         sprintf("category %d of .* has observations of weight 0", category))
})

# ---- the probability of a zero ----

truth <- covModel("exponential", range = 0.2, variance = 0.3)
zeros <- local({
  set.seed(7)
  n <- 60
  d <- data.frame(u = runif(n), v = runif(n), x = rnorm(n), f = factor(rep(c("a", "b", "c"), n / 3)))
  d$eta <- 0.8 + 0.4 * d$x + drop(crossprod(chol(covariance(truth, d[c("u", "v")])), rnorm(n)))
  d$none <- runif(n) < plogis(-0.5 + 0.8 * d$x)
  d$y <- ifelse(d$none, 0, rpois(n, exp(d$eta)))
  d$p <- ifelse(d$none, 0, rgamma(n, 2) * exp(d$eta) / 2)
  d
})

# By four values: errors of h^4/30 of the fifth derivative and of 1.5e-16/h of the value.
slope <- function(f, x, h) (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)

test_that("derivatives of families with covariates of a zero are those of differences", {
  y <- c(0, 0, 1, 3, 0)
  Z <- cbind(1, c(-2, 0.5, 1, -0.3, 40))
  more <- list(zi_nbinom2 = c(theta = 2), hurdle_nbinom1 = c(phi = 2), delta_gamma = c(shape = 2), zi_poisson = NULL)
  for (name in names(more)) {
    family <- statcl:::own_family(name, "log")
    family$zi <- c("(Intercept)", "x")
    own <- c(`zi.(Intercept)` = -0.4, zi.x = 0.7, more[[name]])
    l <- list(family = family, y = y, trials = rep(1, 5), cases = list(zero = Z, weights = c(1, 2, 0, 1, 0.5)))
    eta <- c(-1, 0.5, 1, 2, 0.3)
    e <- statcl:::case_terms(l, eta, own, TRUE)
    expect_setequal(names(e$by), names(own))
    for (p in names(own)) for (what in c("value", "score", "weight")) {
      wanted <- slope(function(t) statcl:::case_terms(l, eta, replace(own, p, t))[[what]], own[[p]], 1e-3)
      expect_lt(max(abs(e$by[[p]][[what]] - wanted) / (1 + abs(wanted))), 1e-6, label = paste(name, p, what))
    }
    near <- slope(function(t) statcl:::case_terms(l, eta + t, own)$value, 0, 1e-3)
    expect_lt(max(abs(e$score - near)), 1e-6)
    expect_identical(e$value[3], 0)
  }
  # next to certain zeros and others keep their digits
  l <- list(family = family, y = c(0, 2), trials = c(1, 1), cases = list(zero = cbind(c(1, 1), 0)))
  value <- function(b) statcl:::case_terms(l, c(0.3, 0.3), c(`zi.(Intercept)` = b, zi.x = 0), TRUE)
  expect_equal(value(50)$value[2], dpois(2, exp(0.3), log = TRUE) - 50, tolerance = 1e-14)
  expect_equal(value(-50)$value[1], -exp(0.3), tolerance = 1e-14)
  expect_equal(value(-50)$by[[1]]$value[1], exp(-50) * expm1(exp(0.3)), tolerance = 1e-12)
})

some_zeros <- function(zi, family = "zi_poisson", formula = y ~ x, data = zeros, ...)
  gpFit(formula, data, ~ u + v, truth, family = family, zi = zi, method = "exact", ...)
known <- list(range = 0.2, variance = 0.3, nugget = 0)

test_that("gradients by coefficients of a zero are those of differences", {
  for (family in c("zi_poisson", "delta_gamma")) {
    fit <- some_zeros(~ x + f, family, if (family == "zi_poisson") y ~ x else p ~ x, fixed = known)
    lik <- statcl:::likelihood_of(fit)
    about <- lik$search()
    at <- match(about$task$searched, about$rows$name)
    v <- about$rows$value
    v[startsWith(about$rows$name, "zi.")] <- c(-0.5, 0.3, 0.2, -0.4)
    e <- lik$evaluate(statcl:::parameter_point(v, at), -Inf)
    value <- function(x, j) lik$evaluate(statcl:::parameter_point(replace(v, j, x), at), Inf)$value
    wanted <- vapply(at, function(j) slope(function(x) value(x, j), v[j], 1e-3), 0)
    # the mode has an error of 1e-9, over steps of 1e-3
    expect_lt(max(abs(e$gradient - wanted) / (1 + abs(wanted))), 1e-5, label = family)
    lik$close()
  }
})

test_that("covariates of a zero are those of glmmTMB", {
  skip_if_quick()
  skip_if_not_installed("glmmTMB")
  data("Salamanders", package = "glmmTMB", envir = environment())
  compare <- function(fit, theirs) {
    zi <- fit$own[startsWith(names(fit$own), "zi.")]
    expect_equal(fit$loglik, as.numeric(logLik(theirs)), tolerance = 1e-8)
    expect_lt(max(abs(coef(fit) - glmmTMB::fixef(theirs)$cond), abs(zi - glmmTMB::fixef(theirs)$zi)), 1e-3)
    expect_equal(unname(sqrt(diag(vcov(fit, "all")))[names(zi)]), unname(sqrt(diag(vcov(theirs)$zi))),
                 tolerance = 1e-3)
  }
  fit <- gpFit(count ~ mined + (1 | site), Salamanders, cov = NULL, family = zi_poisson(), zi = ~ mined)
  theirs <- glmmTMB::glmmTMB(count ~ mined + (1 | site), Salamanders, family = poisson(), ziformula = ~ mined)
  compare(fit, theirs)
  expect_equal(unname(fitted(fit)), as.double(fitted(theirs)), tolerance = 1e-3)
  expect_equal(unname(residuals(fit, "pearson")), as.double(residuals(theirs, "pearson")), tolerance = 1e-3)
  compare(gpFit(count ~ mined + (1 | site), Salamanders, cov = NULL, family = hurdle_nbinom2(), zi = ~ spp + mined),
          glmmTMB::glmmTMB(count ~ mined + (1 | site), Salamanders, family = glmmTMB::truncated_nbinom2(),
                           ziformula = ~ spp + mined))
})

test_that("a constant zi is the fit without, and shifts and scales of its covariates do not matter", {
  one <- some_zeros(~ 1, fixed = known)
  none <- some_zeros(NULL, fixed = known)
  expect_equal(one$loglik, none$loglik, tolerance = 1e-10)
  expect_equal(plogis(one$own[["zi.(Intercept)"]]), none$own[["zero"]], tolerance = 1e-5)
  expect_equal(coef(one), coef(none), tolerance = 1e-5)
  fit <- some_zeros(~ x, fixed = known)
  shifted <- some_zeros(~ I(2005 + 1e-3 * x), fixed = known)
  expect_equal(shifted$loglik, fit$loglik, tolerance = 1e-9)
  expect_equal(shifted$own[[2]] * 1e-3, fit$own[["zi.x"]], tolerance = 1e-4)
  error <- function(f) sqrt(diag(vcov(f, "all")))[startsWith(rownames(vcov(f, "all")), "zi.")][[2]]
  expect_equal(error(shifted) * 1e-3, error(fit), tolerance = 1e-3)
  held <- some_zeros(~ x, fixed = c(known, list(zi.x = fit$own[["zi.x"]])))
  expect_equal(held$loglik, fit$loglik, tolerance = 1e-9)
  expect_equal(held$own[["zi.(Intercept)"]], fit$own[["zi.(Intercept)"]], tolerance = 1e-4)
  started <- some_zeros(~ x, fixed = known, start = list(zi.x = 0.5))
  expect_equal(started$loglik, fit$loglik, tolerance = 1e-9)
})

test_that("predictions, draws, folds and limits know the probability of a zero at each place", {
  skip_if_quick()
  fit <- some_zeros(~ x + f, "zi_nbinom2", fixed = c(known, family.theta = 3))
  new <- data.frame(u = c(0.2, 0.7), v = 0.4, x = c(-1, 2), f = c("b", "c"))
  Z <- cbind(1, new$x, new$f == "b", new$f == "c")
  zero <- plogis(drop(Z %*% fit$own[1:4]))
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  expect_equal(predict(fit, new)$fit, (1 - zero) * exp(link$fit + link$se.fit^2 / 2), tolerance = 1e-12)
  upper <- predict(fit, new, interval = "prediction", level = 0.8)$upr
  for (i in 1:2) {
    below <- function(q) zero[i] * (q >= 0) + (1 - zero[i]) * integrate(function(e)
      pnbinom(q, 3, mu = exp(link$fit[i] + e * link$se.fit[i])) * dnorm(e), -8, 8, rel.tol = 1e-9)$value
    expect_gte(below(upper[i]), 0.9)
    expect_lt(below(upper[i] - 1), 0.9)
  }
  expect_equal(fitted(fit), (1 - plogis(drop(fit$cases$zero %*% fit$own[1:4]))) * exp(fit$linear.predictors),
               tolerance = 1e-12)
  expect_equal(predict(fit, transform(new, f = NULL), type = "link")$fit, link$fit)
  expect_error(predict(fit, transform(new, f = NULL)), "no column f, a variable of zi")
  expect_identical(is.na(predict(fit, transform(new, f = c(NA, "c")))$fit), c(TRUE, FALSE))
  drawn <- as.matrix(simulate(replace(fit, "own", list(replace(fit$own, 1:4, c(0, 100, 0, 0)))), 20, seed = 1))
  expect_true(all(drawn[zeros$x > 0.5, ] == 0))
  expect_lt(mean(drawn[zeros$x < -0.5, ] == 0), 0.9)
  for (type in c("pearson", "deviance", "quantile")) expect_true(all(is.finite(residuals(fit, type))), label = type)
  cv <- gpCV(fit, folds = rep(1:2, 30))
  expect_true(all(is.finite(cv$log.density)))
  free <- some_zeros(~ x, fixed = known)
  limits <- confint(free)
  expect_true(all(limits["zi.x", ] * c(1, -1) < c(1, -1) * free$own[["zi.x"]]))
  draws <- posterior(free, 200, seed = 1)
  expect_gt(mean(draws$zi.x > free$own[["zi.x"]]), 0.1)
  expect_gt(mean(draws$zi.x < free$own[["zi.x"]]), 0.1)
  expect_output(print(summary(free)), "zi.x")
  # posterior draws are of the coefficients, fits at them too
  points <- statcl:::known_posterior(free)
  again <- statcl:::family_fit_at(free, points$v[1, ])
  expect_equal(again$own[["zi.x"]], statcl:::parameters_of_points(free, points)[1, "zi.x"], ignore_attr = TRUE)
})

test_that("without an excess of zeros the coefficient of a constant goes to its lower end", {
  X <- cbind(1, zeros$x)
  basis <- statcl:::zero_basis(X, c(TRUE, TRUE))
  expect_true(all(diag(basis$root) > 0))
  expect_equal(basis$X %*% basis$root, X, tolerance = 1e-14)
  expect_equal(crossprod(basis$X), diag(60, 2), tolerance = 1e-13)
  set.seed(4)
  few <- data.frame(x = rnorm(80), y = rpois(80, 2))
  few$y[few$x > -1.5 & few$y == 0] <- 1 # one zero, at a low x
  expect_warning(fit <- gpFit(y ~ 1, few, cov = NULL, family = zi_poisson(), zi = ~ x), NA) # of glm.fit(), as a start
  expect_lt(fit$parameters["zi.(Intercept)", "estimate"], -10)
  expect_identical(fit$parameters["zi.(Intercept)", "boundary"], "lower")
})

test_that("zi that cannot be is refused", {
  fit <- function(zi, family = "zi_poisson") gpFit(y ~ x, zeros, cov = NULL, family = family, zi = zi)
  expect_error(fit(~ x, "poisson"), "is for families with a probability of zeros")
  expect_error(fit(~ x, gaussian()), "is for families with a probability of zeros")
  expect_error(fit(y ~ x), "without a left side")
  expect_error(fit(~ x + (1 | f)), "no grouped effects")
  expect_error(fit(~ x + I(2 * x)), "combinations of others")
  expect_error(fit(~ absent), "absent")
  expect_error(fit(~ 0), "no column")
  zeros$x2 <- replace(zeros$x, 3, NA)
  expect_identical(nobs(gpFit(y ~ x, zeros, cov = NULL, family = "zi_poisson", zi = ~ x2)), 59L)
  expect_error(gpFit(y ~ x, zeros, cov = NULL, family = "zi_poisson", ziformula = ~ x), "it is called zi here")
})

# ---- ordered categories ----

test_that("probabilities of categories are averages over the predictor, by their names, and add up to 1", {
  truth <- covModel("exponential", range = 0.2, variance = 0.5)
  set.seed(11)
  d <- data.frame(u = runif(60), v = runif(60), x = rnorm(60))
  eta <- 0.7 * d$x + drop(crossprod(chol(covariance(truth, d[c("u", "v")])), rnorm(60)))
  d$y <- cut(eta + rlogis(60), c(-Inf, -1, 0.5, 2, Inf), c("none", "some", "more", "most"), ordered_result = TRUE)
  known <- list(range = 0.2, variance = 0.5, nugget = 0)
  new <- data.frame(u = c(0.3, 0.8, 2), v = c(0.4, 0.1, 2), x = c(-2, 0, NA))
  for (link in c("logit", "probit")) {
    fit <- gpFit(y ~ x, d, ~ u + v, truth, family = cumulative(link), fixed = known, method = "exact")
    p <- predict(fit, new, type = "probabilities")
    expect_identical(names(p), c(names(new), levels(d$y)))
    p <- as.matrix(p[levels(d$y)])
    expect_true(all(is.na(p[3, ])))
    p <- p[1:2, ]
    expect_equal(rowSums(p), c(1, 1), tolerance = 1e-13, ignore_attr = TRUE)
    at <- predict(fit, new[1:2, ], type = "link", se.fit = TRUE)
    cuts <- c(-Inf, cumsum(fit$own), Inf)
    if (link == "probit") { # of which the average is a normal distribution function
      below <- vapply(cuts, function(c) pnorm((c - at$fit) / sqrt(1 + at$se.fit^2)), c(0, 0))
      expect_equal(p, t(diff(t(below))), tolerance = 1e-9, ignore_attr = TRUE)
    } else for (k in 1:4) expect_equal(p[1, k], integrate(function(e)
      (plogis(cuts[k + 1] - e) - plogis(cuts[k] - e)) * dnorm(e, at$fit[1], at$se.fit[1]),
      at$fit[1] - 9 * at$se.fit[1], at$fit[1] + 9 * at$se.fit[1], rel.tol = 1e-10)$value, tolerance = 1e-9,
      ignore_attr = TRUE)
    expect_equal(drop(p %*% 1:4), predict(fit, new[1:2, ])$fit, tolerance = 1e-9, ignore_attr = TRUE)
  }
  own <- predict(fit, type = "probabilities")
  expect_identical(dimnames(own), list(names(fit$y), levels(d$y)))
  expect_equal(rowSums(own), rep(1, 60), ignore_attr = TRUE)
  numbers <- gpFit(as.integer(y) ~ x, d, cov = NULL, family = cumulative())
  expect_identical(colnames(predict(numbers, type = "probabilities")), c("1", "2", "3", "4"))
  expect_error(predict(fit, new, type = "probabilities", se.fit = TRUE), "no standard errors")
  expect_error(predict(gpFit(x ~ 1, d, ~ u + v, truth, fixed = TRUE), new, type = "probabilities"), "cumulative")
})

test_that("searches begin at the weighted generalised linear model", {
  set.seed(4)
  d <- data.frame(x = runif(60), y = runif(60), z = rnorm(60), w = rep(c(0, 1, 20), 20))
  d$v <- rpois(60, exp(0.5 + ifelse(d$w == 20, 1, -1) * d$z))
  cov <- covModel("exponential", range = 0.2, variance = 0.1)
  fit <- gpFit(v ~ z, d, ~ x + y, cov, family = poisson(), weights = w, fixed = list(range = 0.2, nugget = 0))
  own <- statcl:::laplace_request(fit, NULL)
  plain <- glm(v ~ z, poisson(), d, weights = w)
  expect_equal(own$none, sum(d$w * dpois(d$v, fitted(plain), log = TRUE)), tolerance = 1e-8)
})

test_that("coefficients of zero probabilities that are next to 0 are named", {
  set.seed(2)
  d <- data.frame(z = rnorm(100), n = rbinom(100, 8, 0.6))
  fit <- gpFit(n ~ z, d, cov = NULL, family = zi_poisson(), zi = ~z)
  expect_match(fit$notes, "probabilities of zi are next to 0", all = FALSE)
  expect_output(print(fit), "Parameters of the family:")
  d$n[1:30] <- 0
  expect_length(gpFit(n ~ z, d, cov = NULL, family = zi_poisson(), zi = ~z)$notes, 0)
})

test_that("lognormal errors may be small", {
  set.seed(1)
  d <- data.frame(z = rnorm(50), e = rnorm(50))
  for (sd in c(1e-2, 1e-6)) {
    d$y <- exp(d$z + sd * d$e)
    fit <- gpFit(y ~ z, d, cov = NULL, family = lognormal())
    expect_equal(fit$parameters["family.sdlog", "estimate"], sd * sqrt(mean(residuals(lm(e ~ z, d))^2)),
                 tolerance = 1e-5)
  }
})

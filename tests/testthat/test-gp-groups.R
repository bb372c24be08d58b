# Grouped effects: (1 | site) and others in formulas of gpFit(), with a process and without.
some_groups <- function(n = 40, seed = 5) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n), g = sample(c("b", "a", "c"), n, TRUE),
                  h = factor(sample(6, n, TRUE)))
  d$v <- 3 + d$z + rnorm(3)[factor(d$g)] + 0.5 * rnorm(6)[d$h] + 0.4 * rnorm(6)[d$h] * d$z + rnorm(n, sd = 0.3) +
    as.vector(t(chol(exp(-as.matrix(dist(d[1:2])) / 0.3))) %*% rnorm(n))
  d
}
held <- list(variance = 0.7, range = 0.3, nugget = 0.16, variance.g = 0.5, variance.h = 0.2, variance.h.z = 0.1)
with_process <- function(d, ...) gpFit(v ~ z + (1 | g) + (z || h), d, ~ x + y, "exponential", method = "exact",
                                       fixed = held, ...)
# The covariance of the effects of rows of d with those of e.
of_groups <- function(d, e = d) {
  same <- function(name) outer(as.character(d[[name]]), as.character(e[[name]]), "==")
  0.5 * same("g") + (0.2 + 0.1 * outer(d$z, e$z)) * same("h")
}
of_process <- function(d, e = d)
  0.7 * exp(-sqrt(outer(d$x, e$x, "-")^2 + outer(d$y, e$y, "-")^2) / 0.3)
density_of <- function(r, S) -(length(r) * log(2 * pi) + determinant(S)$modulus + sum(r * solve(S, r))) / 2

test_that("bars of formulas are read", {
  split <- function(f) statcl:::split_groups(f)
  s <- split(y ~ x + (1 | a/b) + log(z) + (0 + u || c) - 1)
  expect_identical(deparse(s$formula), "y ~ x + log(z) - 1")
  expect_identical(vapply(s$terms, function(t) deparse(t$group), ""), c("a", "a:b", "c"))
  expect_identical(vapply(s$terms, function(t) deparse(t$slope), ""), c("1", "1", "0 + u"))
  expect_identical(deparse(split(y ~ (1 | g))$formula), "y ~ 1")
  expect_identical(deparse(split(y ~ (1 | g) + x)$formula), "y ~ x")
  expect_identical(deparse(split(y ~ 0 + (1 | g))$formula), "y ~ 0")
  expect_length(split(y ~ x * w)$terms, 0L)
  d <- some_groups()
  expect_error(gpFit(v ~ z + (z | g), d, ~ x + y), "(z || g)", fixed = TRUE, class = "statcl_error_input")
  expect_error(gpFit(v ~ z * (1 | g), d, ~ x + y), "term of its own", class = "statcl_error_input")
  expect_error(gpFit(v ~ z + (1 | g) + (1 | g), d, ~ x + y), "twice", class = "statcl_error_input")
  expect_error(gpFit(v ~ z + (1 | none), d, ~ x + y), "none", class = "statcl_error_input")
  expect_error(gpFit(v ~ (1 | g), transform(d, g = 1), ~ x + y), "two levels", class = "statcl_error_input")
  expect_error(gpFit(v ~ (0 | g), d, ~ x + y), "no column", class = "statcl_error_input")
  expect_error(gpFit(v ~ (1 | g), d, ~ x + y, estimator = "REML"), "REML", class = "statcl_error_input")
})

test_that("likelihood, effects and predictions of normal responses are those of the dense model", {
  d <- some_groups()
  fit <- with_process(d)
  S <- of_process(d) + of_groups(d) + diag(0.16, nrow(d))
  X <- cbind(1, d$z)
  beta <- solve(crossprod(X, solve(S, X)), crossprod(X, solve(S, d$v)))
  r <- as.vector(d$v - X %*% beta)
  expect_equal(unname(coef(fit)), as.vector(beta), tolerance = 1e-7)
  expect_equal(fit$loglik, as.numeric(density_of(r, S)), tolerance = 1e-10)
  expect_equal(unname(sqrt(diag(vcov(fit)))), unname(sqrt(diag(solve(crossprod(X, solve(S, X)))))), tolerance = 1e-5)
  new <- data.frame(x = c(0.2, 0.9, 0.5), y = c(0.3, 0.1, 0.5), z = c(1, -1, 0.5), g = c("a", "new", "b"),
                    h = c("2", "3", "other"))
  c <- of_process(new, d) + of_groups(new, d)
  P <- solve(S) - solve(S, X) %*% solve(crossprod(X, solve(S, X)), t(solve(S, X)))
  w <- solve(S, t(c)) + solve(S, X) %*% solve(crossprod(X, solve(S, X)), t(cbind(1, new$z)) - crossprod(X, solve(S, t(c))))
  variance <- 0.7 + diag(of_groups(new)) - diag(c %*% P %*% t(c))
  variance <- diag(of_process(new) + of_groups(new) - 2 * c %*% w + t(w) %*% S %*% w)
  got <- predict(fit, new, se.fit = TRUE, type = "link")
  expect_equal(got$fit, as.vector(crossprod(w, d$v)), tolerance = 1e-6)
  expect_equal(got$se.fit, unname(sqrt(variance)), tolerance = 1e-5)
  # without groups the process alone is predicted
  alone <- predict(fit, new, type = "link", re.form = NA)$fit
  expect_equal(alone, as.vector(cbind(1, new$z) %*% beta + of_process(new, d) %*% solve(S, r)), tolerance = 1e-6)
  expect_equal(unname(fitted(fit)), as.vector(X %*% beta + (of_process(d) + of_groups(d)) %*% solve(S, r)),
               tolerance = 1e-6)
  # all neighbours of Vecchia's approximation are the same, and so are observations in another order
  expect_equal(with_process(d[nrow(d):1, ])$loglik, fit$loglik, tolerance = 1e-10)
  all <- gpFit(v ~ z + (1 | g) + (z || h), d, ~ x + y, "exponential", method = "vecchia", m = 39, fixed = held)
  expect_equal(all$loglik, fit$loglik, tolerance = 1e-10)
})

test_that("gradients are those of differences", {
  d <- some_groups(30)
  d$v <- rpois(30, exp(0.3 * d$v))
  for (method in c("exact", "vecchia")) {
    fit <- gpFit(v ~ z + (1 | g) + (z || h), d, ~ x + y, "exponential", family = nbinom2(), method = method, m = 6,
                 fixed = list(range = 0.3))
    lik <- statcl:::likelihood_of(fit)
    about <- lik$search()
    v <- about$rows$value
    v[match(c("variance", "variance.g", "variance.h", "variance.h.z", "family.theta"), about$rows$name)] <-
      c(0.4, 0.3, 0.2, 0.1, 3)
    scales <- c(statcl:::gp_scales(about$problem, about$data), list(began = proc.time(), penalty = FALSE))
    s <- statcl:::search_space(about, setdiff(about$rows$name, c("range", "angle", "ratio", "nugget")), scales, v)
    t <- statcl:::search_start(v, s)
    at <- function(t) lik$evaluate(statcl:::search_point(t, s), -Inf)
    h <- 1e-3 # errors of h^4/30 of the fifth derivative
    differences <- vapply(seq_along(t), function(i) {
      value <- vapply(c(-2, -1, 1, 2) * h, function(by) at(replace(t, i, t[i] + by))$value, 0)
      (8 * (value[3] - value[2]) - (value[4] - value[1])) / (12 * h)
    }, 0)
    # gradients by the covariance are differences of its precision, of errors of some 1e-7
    expect_equal(at(t)$gradient, differences, tolerance = 1e-6)
    lik$close()
  }
})

test_that("without a process fits are mixed models", {
  skip_if_not_installed("nlme")
  fit <- gpFit(weight ~ Time + (Time || Chick), datasets::ChickWeight, cov = NULL)
  other <- nlme::lme(weight ~ Time, datasets::ChickWeight, random = list(Chick = nlme::pdDiag(~Time)), method = "ML")
  expect_equal(fit$loglik, as.numeric(logLik(other)), tolerance = 1e-8)
  expect_equal(coef(fit), nlme::fixef(other), tolerance = 1e-6)
  expect_identical(nlme::fixef(fit), coef(fit))
  effects <- nlme::ranef(fit)$Chick
  theirs <- nlme::ranef(other)[rownames(effects), ]
  expect_equal(unname(as.matrix(effects)), unname(as.matrix(theirs)), tolerance = 1e-4)
  components <- as.data.frame(nlme::VarCorr(fit))
  expect_equal(components$sdcor, as.numeric(nlme::VarCorr(other)[, "StdDev"]), tolerance = 1e-4)
  expect_equal(sigma(fit), other$sigma, tolerance = 1e-4)
  # a variance that is 0 is on its boundary
  none <- gpFit(weight ~ Time + (1 | odd), transform(datasets::ChickWeight, odd = rep(1:2, length.out = 578)), cov = NULL)
  expect_identical(none$parameters["variance.odd", "boundary"], "lower")
  expect_equal(none$loglik, as.numeric(logLik(lm(weight ~ Time, datasets::ChickWeight))), tolerance = 1e-8)
  # and without groups they are generalised linear models
  counts <- gpFit(breaks ~ tension, datasets::warpbreaks, cov = NULL, family = poisson())
  plain <- glm(breaks ~ tension, poisson(), datasets::warpbreaks)
  expect_equal(coef(counts), coef(plain), tolerance = 1e-6)
  expect_equal(counts$loglik, as.numeric(logLik(plain)), tolerance = 1e-7)
  expect_equal(predict(counts, datasets::warpbreaks[1:3, ], type = "link")$fit, unname(predict(plain)[1:3]),
               tolerance = 1e-6, ignore_attr = TRUE)
})

test_that("fits of packages lme4 and glmmTMB are the same", {
  skip_if_not_installed("lme4")
  fit <- gpFit(cbind(incidence, size - incidence) ~ period + (1 | herd), lme4::cbpp, cov = NULL, family = binomial())
  other <- lme4::glmer(cbind(incidence, size - incidence) ~ period + (1 | herd), lme4::cbpp, binomial())
  expect_equal(fit$loglik, as.numeric(logLik(other)), tolerance = 1e-5)
  # glmer() stops some 1e-3 from its maximum
  expect_equal(coef(fit), lme4::fixef(other), tolerance = 1e-2)
  expect_equal(unname(attr(lme4::VarCorr(fit)$herd, "stddev")), unname(attr(lme4::VarCorr(other)$herd, "stddev")),
               tolerance = 1e-2)
  skip_if_not_installed("glmmTMB")
  own <- new.env()
  data("Salamanders", package = "glmmTMB", envir = own)
  fit <- gpFit(count ~ mined + spp + (1 | site), own$Salamanders, cov = NULL, family = nbinom2())
  other <- glmmTMB::glmmTMB(count ~ mined + spp + (1 | site), own$Salamanders, family = glmmTMB::nbinom2())
  expect_equal(fit$loglik, as.numeric(logLik(other)), tolerance = 1e-6)
  expect_equal(coef(fit), glmmTMB::fixef(other)$cond, tolerance = 1e-4)
  expect_equal(unname(sqrt(diag(vcov(fit, "mean")))), unname(sqrt(diag(vcov(other)$cond))), tolerance = 1e-2)
})

test_that("methods know of groups", {
  d <- some_groups()
  d$g[3] <- NA
  fit <- gpFit(v ~ z + (1 | g) + (z || h), d, ~ x + y, "exponential", fixed = list(range = 0.3))
  expect_identical(nobs(fit), 39L)
  expect_match(deparse(formula(fit)), "(1 | g)", fixed = TRUE)
  less <- update(fit, . ~ . - (z || h))
  expect_identical(less$groups$variances, "variance.g")
  expect_output(print(fit), "variance.h.z", fixed = TRUE)
  expect_output(print(summary(fit)), "Gaussian process and grouped effects")
  expect_output(print(gpFit(v ~ z + (1 | g), d, cov = NULL)), "Grouped effects behind")
  each <- coef(fit, "groups")
  expect_identical(rownames(each$g), c("a", "b", "c"))
  expect_equal(each$h$z, unname(coef(fit)["z"] + fit$effects[9:14 + 1 - 0]), tolerance = 1e-12)
  limits <- confint(fit)
  expect_true(all(c("variance.g", "variance.h.z") %in% rownames(limits)))
  expect_error(coef(gpFit(v ~ z, d, ~ x + y, "exponential"), "groups"), "no grouped effects",
               class = "statcl_error_input")
  cv <- gpCV(fit, k = 4, seed = 1)
  expect_true(all(is.finite(cv$mean) & cv$sd > 0))
  expect_error(predict(fit, d[1:2, ], re.form = ~ 1), "re.form", class = "statcl_error_input")
  expect_error(predict(fit, d[1:2, c("x", "y", "z", "h")]), "g", class = "statcl_error_input")
})

test_that("simulations have the variances of the effects", {
  d <- some_groups(30)
  fit <- with_process(d)
  set.seed(1)
  S <- of_process(d) + of_groups(d)
  drawn <- as.matrix(simulate(fit, 4000, conditional = FALSE, type = "latent"))
  # the mean of 30 ratios, each with a standard deviation of sqrt(2 / 4000), far from independent
  expect_equal(mean(apply(drawn, 1, var) / diag(S)), 1, tolerance = 0.1)
  pair <- which(outer(d$g, d$g, "==") & upper.tri(S), arr.ind = TRUE)[1, ]
  expect_equal(cov(drawn[pair[1], ], drawn[pair[2], ]), S[pair[1], pair[2]], tolerance = 0.15)
  new <- d[1:4, ]
  new$h <- c("2", "new", "new", "4")
  given <- as.matrix(simulate(fit, 4000, newdata = new, type = "latent")[sprintf("sim_%d", 1:4000)])
  wanted <- predict(fit, new, se.fit = TRUE, type = "link")
  expect_equal(rowMeans(given), wanted$fit, tolerance = 0.05, ignore_attr = TRUE)
  expect_equal(apply(given, 1, sd), wanted$se.fit, tolerance = 0.06, ignore_attr = TRUE)
  # two rows of one new level share its effect
  expect_gt(cor(given[2, ], given[3, ]), 0.05)
})

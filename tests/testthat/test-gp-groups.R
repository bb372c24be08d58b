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
  # a minus leaves out what was there before it
  expect_identical(deparse(split(y ~ x - (1 | g))$formula), "y ~ x")
  expect_length(split(y ~ x - (1 | g))$terms, 0L)
  expect_length(split(y ~ x + (1 | g) - (1 | g))$terms, 0L)
  s <- split(y ~ (1 | a/b) + (x || a) - (1 | a) - 1)
  expect_identical(deparse(s$formula), "y ~ -1")
  expect_identical(vapply(s$terms, function(t) deparse(t$group), ""), c("a:b", "a"))
  expect_identical(deparse(s$terms[[2]]$slope), "x")
  s <- split(y ~ x + (1 | a) + (1 | b) - ((1 | a) + z))
  expect_identical(deparse(s$formula), "y ~ x - z")
  expect_identical(vapply(s$terms, function(t) deparse(t$group), ""), "b")
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
  left <- t(cbind(1, new$z)) - crossprod(X, solve(S, t(c)))
  w <- solve(S, t(c)) + solve(S, X) %*% solve(crossprod(X, solve(S, X)), left)
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
    scales <- c(statcl:::gp_scales(about$problem, about$data), list(began = 0, penalty = FALSE))
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
  none <- gpFit(weight ~ Time + (1 | odd), transform(datasets::ChickWeight, odd = rep(1:2, length.out = 578)),
                cov = "none")
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

test_that("coefficients that vary are those of the dense model", {
  d <- some_groups()
  known <- list(variance.1 = 0.7, range.1 = 0.3, variance.2 = 0.4, range.2 = 0.2, nugget.1 = 0.16, variance.g = 0.5)
  one <- function(...) gpFit(v ~ z + (1 | g), d, ~ x + y, "exponential", varying = ~ z, fixed = known, ...)
  between <- function(a, b) sqrt(outer(a$x, b$x, "-")^2 + outer(a$y, b$y, "-")^2)
  slopes <- function(a, b) 0.4 * exp(-between(a, b) / 0.2)
  S <- of_process(d) + tcrossprod(d$z) * slopes(d, d) + 0.5 * outer(d$g, d$g, "==") + diag(0.16, 40)
  X <- cbind(1, d$z)
  A <- solve(crossprod(X, solve(S, X)))
  beta <- A %*% crossprod(X, solve(S, d$v))
  r <- as.vector(d$v - X %*% beta)
  fit <- one(method = "exact")
  expect_equal(fit$loglik, as.numeric(density_of(r, S)), tolerance = 1e-12)
  expect_equal(unname(coef(fit)), as.vector(beta), tolerance = 1e-6)
  new <- data.frame(x = c(0.2, 0.9), y = c(0.3, 0.5), z = c(1, -0.5), g = c("a", "none"))
  c <- of_process(new, d) + outer(new$z, d$z) * slopes(new, d) + 0.5 * outer(new$g, d$g, "==")
  left <- cbind(1, new$z) - c %*% solve(S, X)
  variance <- 0.7 + 0.4 * new$z^2 + 0.5 - diag(c %*% solve(S, t(c))) + diag(left %*% A %*% t(left))
  got <- predict(fit, new, se.fit = TRUE, type = "link")
  expect_equal(got$fit, as.vector(cbind(1, new$z) %*% beta + c %*% solve(S, r)), tolerance = 1e-6)
  expect_equal(got$se.fit, sqrt(variance), tolerance = 1e-6)
  # the coefficient itself
  c <- rep(d$z, each = 2) * slopes(new, d)
  left <- cbind(c(0, 0), 1) - c %*% solve(S, X)
  surface <- predict(fit, new[c("x", "y")], se.fit = TRUE, coefficient = "z")
  expect_equal(surface$fit, as.vector(beta[2] + c %*% solve(S, r)), tolerance = 1e-6)
  expect_equal(surface$se.fit, sqrt(0.4 - diag(c %*% solve(S, t(c))) + diag(left %*% A %*% t(left))),
               tolerance = 1e-6)
  expect_error(predict(fit, new, coefficient = "g"), "one of those that vary", class = "statcl_error_input")
  # fewer neighbours are an approximation that nears it
  expect_equal(one(m = 39)$loglik, fit$loglik, tolerance = 1e-10)
  expect_lt(abs(one(m = 20)$loglik - fit$loglik), 0.05)
  drawn <- as.matrix(simulate(fit, 2000, newdata = new, type = "latent", seed = 1)[sprintf("sim_%d", 1:2000)])
  # standard errors of 0.9 / sqrt(2000) and 0.9 / sqrt(4000)
  expect_lt(max(abs(rowMeans(drawn) - got$fit)), 5 * 1 / sqrt(2000))
  expect_lt(max(abs(apply(drawn, 1, sd) - got$se.fit)), 5 * 1 / sqrt(4000))
  lik <- statcl:::likelihood_of(gpFit(round(exp(v / 4)) ~ z, d, ~ x + y, "exponential", family = poisson(), m = 6,
                                      varying = list(z = "exponential"), fixed = known[1:4]))
  about <- lik$search()
  at <- which(about$rows$name %in% c("variance.1", "range.1", "variance.2", "range.2", ".mean1", ".mean2"))
  e <- lik$evaluate(statcl:::parameter_point(about$rows$value, at), -Inf)
  h <- 1e-3 # errors of h^4/30 of the fifth derivative
  differences <- vapply(at, function(i) {
    value <- vapply(c(-2, -1, 1, 2) * h * 0.3, function(by) lik$evaluate(statcl:::parameter_point(
      replace(about$rows$value, i, about$rows$value[i] + by), at), -Inf)$value, 0)
    (8 * (value[3] - value[2]) - (value[4] - value[1])) / (12 * h * 0.3)
  }, 0)
  expect_lt(max(abs(e$gradient - differences) / (1 + abs(differences))), 1e-5)
  lik$close()
  expect_error(gpFit(v ~ z, d, ~ x + y, NULL, varying = ~ z), "needs a process", class = "statcl_error_input")
  expect_error(gpFit(v ~ z, d, ~ x + y, varying = ~ 1), "no covariate", class = "statcl_error_input")
})

test_that("replicates of a process are independent", {
  d <- some_groups(60)
  d$x[31:60] <- d$x[1:30] # locations that others have, too
  d$y[31:60] <- d$y[1:30]
  d$year <- factor(rep(c(2001, 2003, 2002), 20))
  d$v <- rpois(60, exp(0.3 * d$z))
  known <- list(variance = 0.5, range = 0.3, nugget = 0)
  one <- function(data, ...) gpFit(v ~ 0 + offset(0.1 * z), data, ~ x + y, "exponential", family = poisson(),
                                   fixed = known, method = "exact", ...)
  fit <- one(d, by = year)
  alone <- lapply(split(d, d$year), one)
  expect_equal(fit$loglik, sum(vapply(alone, `[[`, 0, "loglik")), tolerance = 1e-11)
  new <- data.frame(x = c(0.2, 0.5, 0.7), y = c(0.3, 0.3, 0.8), z = 0, year = c("2002", "2003", "2010"))
  got <- predict(fit, new, se.fit = TRUE, type = "link")
  each <- lapply(1:2, function(i) predict(alone[[new$year[i]]], new[i, ], se.fit = TRUE, type = "link"))
  expect_equal(got$fit[1:2], c(each[[1]]$fit, each[[2]]$fit), tolerance = 1e-8)
  expect_equal(got$se.fit[1:2], c(each[[1]]$se.fit, each[[2]]$se.fit), tolerance = 1e-8)
  # a year that was not seen is known by the mean alone
  expect_equal(c(got$fit[3], got$se.fit[3]), c(0, sqrt(0.5)), tolerance = 1e-10)
  # few neighbours are of the same replicate
  few <- gpFit(v ~ 0 + offset(0.1 * z), d, ~ x + y, "exponential", family = poisson(), fixed = known, by = year,
               m = 19)
  expect_equal(few$loglik, fit$loglik, tolerance = 1e-10)
  drawn <- simulate(fit, 2000, newdata = new, type = "latent", seed = 1)[sprintf("sim_%d", 1:2000)]
  # standard errors of 0.6 / sqrt(2000) and 0.6 / sqrt(4000)
  expect_lt(max(abs(rowMeans(drawn) - got$fit)), 5 * 0.7 / sqrt(2000))
  expect_lt(max(abs(apply(drawn, 1, sd) - got$se.fit)), 5 * 0.7 / sqrt(4000))
  expect_output(print(fit), "3 replicates")
  cv <- gpCV(fit, k = 4, seed = 1)
  expect_true(all(is.finite(cv$mean)))
  expect_error(predict(fit, new[c("x", "y", "z")]), "year", class = "statcl_error_input")
})

# Effects of levels at one location are in the pattern of the precision of the process, others in a matrix of their
# own.
with_few <- function(few, code) {
  before <- statcl:::few_levels
  on.exit(utils::assignInNamespace("few_levels", before, "statcl"))
  utils::assignInNamespace("few_levels", few, "statcl")
  code
}
test_that("effects of many levels are those of few", {
  set.seed(7)
  at <- data.frame(x = runif(20), y = runif(20))
  of <- sample(20, 120, TRUE)
  d <- data.frame(at[of, ], z = rnorm(120), site = factor(of), visit = factor(sample(4, 120, TRUE)))
  d$part <- paste(of, sample(3, 120, TRUE))
  d$v <- rpois(120, exp(0.3 * d$z + rnorm(20, sd = 0.5)[of] + rnorm(4, sd = 0.3)[d$visit]))
  known <- list(variance = 0.4, range = 0.2, nugget = 0, variance.site = 0.2, variance.part = 0.15,
                variance.visit = 0.1, variance.part.z = 0.05)
  new <- transform(d[c(1, 5, 9), ], site = c("1", "2", "other"), visit = c("1", "2", "none"))
  both <- function(method, cov = "exponential") lapply(c(1e6L, 1L, 30L), function(few) with_few(few, {
    fit <- gpFit(v ~ z + (1 | site) + (z || part) + (1 | visit), d, ~ x + y, cov, family = poisson(), method = method,
                 m = 8, fixed = known[if (is.null(cov)) 4:7 else 1:7])
    predicted <- predict(fit, new, se.fit = TRUE, type = "link")
    lik <- statcl:::likelihood_of(fit)
    rows <- lik$search()$rows
    at <- which(rows$kind %in% c("effect", "coefficient") | rows$name == "range" & !is.null(cov))
    e <- lik$evaluate(statcl:::parameter_point(rows$value, at), -Inf)
    lik$close()
    list(fit$loglik, fit$effects, predicted$fit, predicted$se.fit, vcov(fit, "mean"), e$gradient,
         statcl:::ranef.gpFit(fit))
  }))
  # matrices of condition up to 1e4 times 1e-16, solutions of conjugate gradients to 1e-9
  exact <- both("exact")
  expect_equal(exact[[2]], exact[[1]], tolerance = 1e-7)
  expect_equal(exact[[3]], exact[[1]], tolerance = 1e-7)
  none <- both("vecchia", NULL)
  expect_equal(none[[2]], none[[1]], tolerance = 1e-7)
  # with few neighbours the two leave out different fill, corrected to its standard error
  some <- both("vecchia")
  expect_equal(some[[2]][-6], some[[1]][-6], tolerance = 1e-4)
})

# More effects than tiles of dense matrices have rows, of factors that are crossed with locations or with each other.
test_that("many crossed effects are those of the dense model, for any number of threads", {
  set.seed(11)
  n <- 500
  d <- data.frame(f = factor(sample(110, n, TRUE)), g = factor(sample(70, n, TRUE)), z = rnorm(n))
  at <- data.frame(x = runif(60), y = runif(60))
  place <- sample(60, n, TRUE)
  d[c("x", "y")] <- at[place, ]
  d$v <- 1 + d$z + rnorm(110)[d$f] + rnorm(70)[d$g] + rnorm(n)
  same <- function(v) outer(v, v, "==") + 0
  effects <- 0.8 * same(d$f) + 0.6 * same(d$g)
  known <- list(variance.f = 0.8, variance.g = 0.6, family.sd = 1)
  compare <- function(fit, S) {
    X <- cbind(1, d$z)
    beta <- solve(crossprod(X, solve(S, X)), crossprod(X, solve(S, d$v)))
    r <- as.vector(d$v - X %*% beta)
    expect_equal(unname(coef(fit)), as.vector(beta), tolerance = 1e-7)
    # no process is one of a variance of 1e-8, which is seen where the constant is well known
    expect_equal(fit$loglik, as.numeric(density_of(r, S)), tolerance = 1e-8)
    own <- solve(S, r)
    expect_equal(fit$effects, as.vector(c(0.8 * rowsum(own, d$f), 0.6 * rowsum(own, d$g))), tolerance = 1e-6)
    Z <- stats::model.matrix(~ 0 + g, d)
    expect_equal(as.vector(attr(statcl:::ranef.gpFit(fit)$g, "postVar")),
                 unname(0.6 - 0.36 * diag(crossprod(Z, solve(S, Z)))), tolerance = 1e-6)
  }
  fits <- lapply(1:3, function(threads) {
    before <- options(statcl.threads = threads)
    on.exit(options(before))
    list(gpFit(v ~ z + (1 | f) + (1 | g), d, cov = "none", fixed = known),
         gpFit(v ~ z + (1 | f) + (1 | g), d, ~ x + y, "exponential", method = "exact",
               fixed = c(known, variance = 0.5, range = 0.3)))
  })
  compare(fits[[1]][[1]], effects + diag(n))
  compare(fits[[1]][[2]], effects + diag(n) + 0.5 * exp(-as.matrix(dist(d[c("x", "y")])) / 0.3))
  for (k in 2:3) for (part in c("loglik", "coefficients", "effects", "vcov"))
    expect_identical(lapply(fits[[k]], `[[`, part), lapply(fits[[1]], `[[`, part))
})

several_groups <- function(seed) {
  set.seed(seed)
  d <- data.frame(x = runif(80), px = runif(80), py = runif(80), f = factor(sample(letters[1:6], 80, TRUE)),
                  z = rnorm(80))
  d$y <- 0.5 + d$x + rnorm(6)[as.integer(d$f)] + 0.5 * rnorm(80)
  d
}
test_that("terms of slopes and of coefficients that vary are those of the fit at new data", {
  d <- several_groups(1)
  for (fit in list(gpFit(y ~ x + (poly(z, 2) || f), d, cov = "none"),
                   gpFit(y ~ x, d, ~ px + py, covModel("exponential", range = 0.2, variance = 0.1), fixed = TRUE,
                         varying = list(`scale(z)` = covModel("exponential", range = 0.3, variance = 0.2))),
                   gpFit(y ~ x + (1 | cut(z, c(-9, 0, 9))), d, cov = "none")))
    expect_equal(predict(fit, d[1:3, ])$fit, unname(predict(fit)[1:3]), tolerance = 1e-10)
})
test_that("fits do not depend on the units of responses and slopes", {
  d <- several_groups(1)
  fit <- gpFit(y ~ x + (z || f), d, cov = "none")
  known <- c("(Intercept)", "x", "variance.f", "variance.f.z", "family.sd")
  for (unit in c(1e-9, 1e6)) {
    other <- gpFit(I(y * unit) ~ x + (z || f), d, cov = "none")
    expect_equal(other$parameters[known, "estimate"] / unit^c(1, 1, 2, 2, 1), fit$parameters[known, "estimate"],
                 tolerance = 1e-3) # where a search ends
    expect_equal(other$loglik + nrow(d) * log(unit), fit$loglik, tolerance = 1e-6)
    # with a covariate of 1e6 variances above 0 that stood for none were large
    other <- gpFit(y ~ x + (I(z * unit) || f), d, cov = "none")
    expect_equal(other$parameters$estimate[9] * unit^2, fit$parameters["variance.f.z", "estimate"], tolerance = 1e-3)
    expect_equal(other$loglik, fit$loglik, tolerance = 1e-6)
  }
})
test_that("the ridge between a process without correlation and errors is climbed", {
  d <- several_groups(3)
  expect_no_warning(fit <- gpFit(y ~ x + (1 | f), d, ~ px + py, "exponential"))
  expect_gt(fit$loglik, -68.07) # with all of the ridge, range by range
  expect_lt(fit$iterations, 50)
})
test_that("the information of normal responses is the average one", {
  d <- several_groups(3)
  v <- c(variance = 0.3, range = 0.1, nugget = 0, variance.f = 0.8, family.sd = 0.4)
  fit <- gpFit(y ~ 0 + (1 | f), d, ~ px + py, "exponential", fixed = as.list(v))
  lik <- statcl:::likelihood_of(fit)
  rows <- lik$search()$rows
  found <- lik$evaluate(statcl:::parameter_point(rows$value, match(names(v)[-3], rows$name)), -Inf)
  lik$close()
  h <- as.matrix(dist(d[c("px", "py")]))
  part <- list(variance = exp(-h / 0.1), range = 0.3 * exp(-h / 0.1) * h / 0.1^2, variance.f = outer(d$f, d$f, "=="),
               family.sd = 2 * 0.4 * diag(80))
  total <- 0.3 * part$variance + 0.8 * part$variance.f + 0.4^2 * diag(80)
  moved <- vapply(part, function(m) drop(m %*% solve(total, d$y)), numeric(80))
  expect_equal(unname(found$information), unname(crossprod(moved, solve(total, moved)) / 2), tolerance = 1e-4)
})
test_that("a process that is what errors are has no variance", {
  set.seed(1)
  d <- data.frame(x = runif(80), px = runif(80), py = runif(80), f = sample(6, 80, TRUE))
  d$y <- d$x + rnorm(6)[d$f] + rnorm(80)
  none <- gpFit(y ~ x + (1 | f), d, cov = "none")
  expect_no_warning(fit <- gpFit(y ~ x + (1 | f), d, ~ px + py, "exponential", start = list(range = 1e-4)))
  expect_equal(fit$loglik, none$loglik, tolerance = 1e-6)
  expect_equal(fit$parameters["variance", "boundary"], "lower")
  expect_equal(sigma(fit), sigma(none), tolerance = 1e-4)
})
test_that("a coefficient that does not vary has a variance of 0", {
  skip_if_quick()
  d <- several_groups(3)
  near <- exp(-as.matrix(dist(d[c("px", "py")])) / 0.3)
  d$v <- d$y + 1.5 * drop(crossprod(chol(near), rnorm(nrow(d))))
  fit <- gpFit(v ~ x, d, ~ px + py, "exponential", varying = ~x)
  one <- gpFit(v ~ x, d, ~ px + py, "exponential")
  expect_equal(fit$loglik, one$loglik, tolerance = 1e-5)
  expect_equal(fit$parameters[c("variance.1", "variance.2"), "boundary"], c("", "lower"))
  expect_equal(fit$parameters["variance.2", "estimate"], 0)
})
test_that("what has no meaning beside grouped effects is an error that says so", {
  d <- cbind(several_groups(1), one = 1)
  fit <- gpFit(y ~ x + (1 | f), d, cov = "none")
  place <- function(...) gpFit(y ~ x + (1 | f), d, ~ px + py, "exponential", ...)
  expect_error(place(estimator = "REML"), "without grouped effects", class = "statcl_error")
  expect_error(place(penalty = TRUE), "without grouped effects", class = "statcl_error")
  expect_error(plot(fit), "no locations to draw", class = "statcl_error")
  expect_error(plot(fit, "data"), "without a process", class = "statcl_error")
  expect_error(predict(gpFit(y ~ x + (1 | cut(z, 3)), d, cov = "none"), d[1:2, ]), "other breaks",
               class = "statcl_error")
  expect_error(gpFit(y ~ x + (1 | f * z), d, cov = "none"), "terms of their own", class = "statcl_error")
  expect_error(gpFit(y ~ x + (1 | f), d, cov = "none", fixed = list(variance.g = 1)), "has variance.f, family.sd",
               class = "statcl_error")
  expect_error(place(by = not_there), "there is no not_there", class = "statcl_error")
  expect_error(place(by = "f"), "as by = year", class = "statcl_error")
  expect_error(place(by = ~f), "as by = year", class = "statcl_error")
  expect_error(gpFit(y ~ x, d, cov = "none", by = f), "there is none", class = "statcl_error")
  expect_error(place(varying = ~ (1 | f)), "must have no grouped effects", class = "statcl_error")
  expect_error(place(varying = ~one), "same in all cases", class = "statcl_error")
})
test_that("effects of observations are told from the errors of normal responses, or refused", {
  d <- several_groups(1)
  d$row <- factor(seq_len(nrow(d)))
  d$size <- ifelse(seq_len(nrow(d)) %% 2, 1, 2)
  fit <- function(formula, ...) gpFit(formula, d, cov = "none", ...)
  expect_error(fit(y ~ x + (1 | f) + (1 | row)), "(1 | row)", fixed = TRUE, class = "statcl_error_input")
  expect_error(fit(y ~ x + (1 | f/row)), "family.sd", fixed = TRUE, class = "statcl_error_input")
  expect_error(gpFit(exp(y) ~ x + (1 | row), d, cov = "none", family = lognormal()), "family.sdlog", fixed = TRUE,
               class = "statcl_error_input")
  expect_error(gpFit(exp(y) ~ x, d, ~ px + py, covModel("exponential", range = NA, variance = NA, nugget = NA),
                     family = lognormal()), "nugget", class = "statcl_error_input")
  # a value for one of both is an error in two parts, and so are errors or effects of several sizes
  whole <- fit(y ~ x)
  parts <- fit(y ~ x + (1 | row), fixed = list(family.sd = 0.8 * whole$parameters["family.sd", "estimate"]))
  expect_equal(parts$loglik, whole$loglik, tolerance = 1e-8)
  expect_equal(sqrt(coef(parts, "covariance")[["variance.row"]]), 0.6 * whole$parameters["family.sd", "estimate"],
               tolerance = 1e-4)
  expect_s3_class(gpFit(y ~ x + (1 | row), d, cov = "none", weights = size), "gpFit")
  expect_s3_class(fit(y ~ x + (0 + size | row)), "gpFit")
})

test_that("rows without a level have the mean of all levels, and each an effect of its own", {
  d <- several_groups(1)
  fit <- gpFit(y ~ x + (1 | f), d, cov = "none")
  new <- data.frame(x = 0.5, f = c(NA, NA, "another", "another"))
  found <- predict(fit, new, se.fit = TRUE)[c("fit", "se.fit")]
  expect_equal(found[1, ], found[3, ], ignore_attr = TRUE)
  drawn <- statcl:::drawn_effects(fit, statcl:::new_groups(fit$groups, new, globalenv()), NULL, 5)
  expect_identical(drawn[3, ], drawn[4, ])
  expect_true(all(drawn[1, ] != drawn[2, ]))
})

test_that("factors keep their names, and terms are added to the mean alone", {
  d <- several_groups(1)
  names(d)[4] <- "my f"
  fit <- gpFit(y ~ x + (1 | `my f`), d, cov = "none", fixed = list(`variance.my f` = 1))
  expect_named(statcl:::ranef.gpFit(fit), "my f")
  expect_equal(rownames(add1(fit, ~ . + z)), c("<none>", "z"))
  # step() puts the terms of the mean where the formula was
  chosen <- step(fit, list(upper = ~ . + z), trace = 0)
  expect_equal(chosen$loglik, gpFit(update(y ~ x + (1 | `my f`), formula(chosen)), d, cov = "none",
                                    fixed = list(`variance.my f` = 1))$loglik)
  expect_false(is.null(chosen$groups))
  expect_equal(drop1(chosen)["x", "AIC"], extractAIC(update(chosen, . ~ . - x))[2])
})

test_that("levels keep the order of their factor, or of numbers", {
  d <- several_groups(1)
  d$number <- rep(c(10, 2, 1), length.out = nrow(d))
  d$size <- factor(rep(c("small", "large"), length.out = nrow(d)), c("small", "large"))
  fit <- gpFit(y ~ x + (1 | number) + (1 | size) + (1 | size:number), d, cov = "none")
  effects <- statcl:::ranef.gpFit(fit, FALSE)
  expect_identical(rownames(effects$number), c("1", "2", "10"))
  expect_identical(rownames(effects$size), c("small", "large"))
  expect_identical(rownames(effects$`size:number`), paste(rep(c("small", "large"), each = 3), c(1, 2, 10), sep = ":"))
})

test_that("logarithmic scores of outliers are those of the normal predictive density", {
  set.seed(7)
  d <- data.frame(g = factor(rep(1:6, 6)), z = rnorm(36))
  d$z[5] <- 60
  cv <- gpCV(gpFit(z ~ 1 + (1 | g), d, cov = NULL, fixed = list(family.sd = 1)), folds = rep(1:9, each = 4))
  expect_equal(cv$log.density, dnorm(cv$y, cv$mean, cv$sd, log = TRUE), tolerance = 1e-10)
})

test_that("responses of which most are one value determine the mean", {
  set.seed(8)
  d <- data.frame(g = factor(rep(1:6, 10)), z = ifelse(1:60 %% 5 < 3, 0, rnorm(60, 10)))
  expect_warning(gpFit(z ~ 1 + (1 | g), d, cov = NULL), NA)
  # a coefficient without observations is not
  d$none <- as.double(d$g == "1")
  expect_warning(gpFit(z ~ none + (1 | g), d, cov = NULL, weights = 1 - d$none, fixed = list(variance.g = 1)),
                 "do not determine the mean")
})

test_that("effects without variance are beside a process that is known", {
  set.seed(2)
  d <- data.frame(u = runif(40), v = runif(40), g = factor(rep(1:8, 5)), y = rpois(40, 2))
  model <- covModel("exponential", range = 0.3, variance = 0.5)
  fit <- gpFit(y ~ 1 + (1 | g), d, ~ u + v, model, fixed = TRUE, family = poisson())
  expect_identical(fit$parameters["variance.g", "boundary"], "lower")
  expect_equal(fit$loglik, gpFit(y ~ 1, d, ~ u + v, model, fixed = TRUE, family = poisson())$loglik, tolerance = 1e-6)
})

test_that("a missing level is one that the fit does not know", {
  d <- data.frame(g = factor(rep(1:4, 5)), y = c(1, 5, 9, 20))
  fit <- gpFit(y ~ 1 + (1 | g), d, cov = NULL, family = poisson())
  p <- predict(fit, data.frame(g = factor(c(NA, "new", "1"), c("1", "new"))), se.fit = TRUE)
  expect_identical(unlist(p[1, c("fit", "se.fit")]), unlist(p[2, c("fit", "se.fit")]))
  expect_gt(abs(p$fit[1] - p$fit[3]), 0.5)
})

test_that("replicates of one location each tell nothing of a covariance", {
  set.seed(9)
  d <- data.frame(u = runif(10), v = runif(10), y = rpois(10, 3), id = 1:10)
  model <- covModel("exponential", range = 0.3, variance = 1)
  fit <- function(...) gpFit(y ~ 1, d, ~ u + v, model, family = poisson(), by = id, ...)
  expect_error(fit(), "by = id: .*one location in each level.*\\(1 \\| id\\)", class = "statcl_error_input")
  expect_true(is.finite(fit(fixed = TRUE)$loglik))
})

test_that("smooth terms of package mgcv are refused", {
  d <- data.frame(x = rnorm(20), y = rpois(20, 3))
  expect_error(gpFit(y ~ s(x), d, cov = NULL, family = poisson()),
               "s\\(x\\): .*mgcv.*splines::ns", class = "statcl_error_input")
  s <- function(x) x^2 # a function of one's own is one
  expect_equal(coef(gpFit(y ~ s(x), d, cov = NULL, family = poisson())),
               coef(glm(y ~ s(x), family = poisson(), data = d)), tolerance = 1e-6)
})

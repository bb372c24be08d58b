# Responses between two ends: probabilities with derivatives, and fits.

# log P of intervals (a, b) and its derivatives, in 60 digits by mpmath: a, b, the value, its derivative by eta, minus
# the second and minus the third one, and those of value, score and weight by the scale, at eta = 0 and scale = 1;
# Student's t with the degrees of freedom before these.
normal <- rbind(
c(-Inf, 0.3, -0.4814101615885, -0.6172208536127, 0.5661278382183, 0.2514693129707, -0.1851662560838,
    0.4473825021473, -1.056814882545),
  c(-1.0, 2.0, -0.2001662943245, 0.2296371790913, 0.4802374607885, -0.1208645685873, -0.4275042267674,
    -0.09969618299162, -0.3223023947354),
  c(3.0, 3.001, -12.32819360373, 3.000499749958, 0.9999999166667, -2.500414641926e-14, 8.002998832834,
    -6.000998999834, -1.999999666667),
  c(8.0, Inf, -35.01343715991, 8.121368112236, 0.9856751165567, -0.003291876566344, 64.97094489789,
    -16.00676904469, -1.997685245644),
  c(-Inf, -200.0, -20006.2172809, -200.00499975, 0.9999750037492, 2.499250234294e-7, 40000.99995001,
    400.0000004999, -1.999999992503),
  c(-0.001, 0.002, -6.728082023519, 0.0004999996250001, 0.9999992500002, -3.374997107143e-16, -0.9999990000006,
    -0.0009999985000007, -1.999997000001))
student_t <- rbind(
  c(3, -1.0, 2.0, -0.3081080615075, 0.1894826776106, 0.4222514823205, -0.2464078302096, -0.4650938450442,
    -0.02999184465807, -0.2087097460486),
  c(3, 8.0, Inf, -6.195644649661, 0.3615319493268, -0.04196662541385, -0.009350311329883, 2.892255594614,
    -0.02579894601597, 0.009130760188634),
  c(3, -Inf, -200.0, -15.79731865742, -0.01499910006364, -7.498650159091e-5, 7.497300477257e-7, 2.999820012728,
    1.799745456398e-6, 2.699363668819e-8),
  c(3, 40.0, 40.001, -20.47073376208, 0.09981160795517, -0.00248591953315, -0.0001235957189166, 2.992514222973,
    -0.0003735837210334, 2.794851563138e-5),
  c(1000, -1.0, 2.0, -0.2004790699544, 0.2294461137222, 0.4799709707332, -0.1214742688159, -0.4277204203694,
    -0.09934558095713, -0.3220348560986),
  c(1000, 8.0, Inf, -34.00033711703, 7.632652522212, 0.8116313313371, 0.03566708430384, 61.06122017769,
    -14.12570317291, -1.337925988243),
  c(1000, -Inf, -200.0, -1861.146778167, -4.878170482237, -0.02320227168955, 0.0002147738003344, 975.6340964475,
    0.237716144327, 0.003449783312224),
  c(1000, 40.0, 40.001, -486.068112152, 15.39995568988, -0.08884933553538, 0.006378302480356, 615.0059078026,
    -11.84593807131, 0.4328339443149))
# Relative to the largest of the terms of which it is the sum: third derivatives nearly vanish in the tails.
near <- function(got, wanted, size, what)
  expect_lt(max(abs(got - wanted) / (abs(wanted) + size)), 1e-11, label = what)

test_that("probabilities between two ends keep their digits in both tails and for short intervals", {
  e <- statcl:::gaussian_between(normal[, 1], normal[, 2], rep(0, nrow(normal)), c(sd = 1), "identity", TRUE)
  got <- cbind(e$value, e$score, e$weight, e$third, e$by$sd$value, e$by$sd$score, e$by$sd$weight)
  for (k in 1:7) near(got[, k], normal[, k + 2], if (k == 4) 1e-2 else 0, paste("normal", k))
  for (df in unique(student_t[, 1])) {
    r <- student_t[student_t[, 1] == df, -1]
    e <- statcl:::student_between(r[, 1], r[, 2], rep(0, nrow(r)), c(scale = 1, df = df), "identity", TRUE)
    got <- cbind(e$value, e$score, e$weight, e$third, e$by$scale$value, e$by$scale$score, e$by$scale$weight)
    # by differences of tails where the density falls by a power: some 1e-14 of the logarithm, times df
    for (k in 1:7) near(got[, k], r[, k + 2], 1e-2, paste("t", df, k))
  }
})

slope <- function(f, x, h) (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)

test_that("derivatives of probabilities are those of differences, and counts those of sums", {
  each <- list(gaussian = list(from = c(-Inf, 0.3, -1, 1, 0.7), to = c(0.2, Inf, 3, 1.01, 40), own = c(sd = 0.7)),
               lognormal = list(from = c(0, 0.3, 0.1, 1, 2), to = c(0.2, Inf, 3, 1.01, 40), own = c(sdlog = 0.7)),
               student = list(from = c(-Inf, 0.3, -1, 1, 7), to = c(0.2, Inf, 3, 1.01, Inf),
                              own = c(scale = 0.7, df = 3)),
               student = list(from = c(-Inf, 0.3, -1, 1, 7), to = c(0.2, Inf, 3, 1.01, Inf),
                              own = c(scale = 0.7, df = 90)),
               poisson = list(from = c(-Inf, 3, 2, 0, 40), to = c(2, Inf, 5, 30, 50)))
  for (i in seq_along(each)) {
    k <- each[[i]]
    f <- function(eta, own) statcl:::response_families[[names(each)[i]]]$between(k$from, k$to, eta, own, "", TRUE)
    for (eta in c(-1, 0.4, 2)) {
      eta <- rep(eta, 5)
      e <- f(eta, k$own)
      close <- function(got, wanted, what)
        expect_lt(max(abs(got - wanted) / (1 + abs(wanted))), 1e-7, label = paste(names(each)[i], what))
      close(e$score, slope(function(t) f(eta + t, k$own)$value, 0, 1e-3), "score")
      close(e$weight, -slope(function(t) f(eta + t, k$own)$score, 0, 1e-3), "weight")
      close(e$third, slope(function(t) f(eta + t, k$own)$weight, 0, 1e-3), "third")
      expect_identical(names(e$by), names(k$own))
      for (p in names(k$own)) for (what in c("value", "score", "weight"))
        close(e$by[[p]][[what]], slope(function(t) f(eta, replace(k$own, p, t))[[what]], k$own[[p]],
                                       1e-3 * k$own[[p]]), paste("by", p, "of", what))
    }
  }
  e <- statcl:::poisson_between(c(-Inf, 3, 2, 0, 90), c(2, Inf, 5, Inf, 95), log(rep(4, 5)), NULL, "log", FALSE)
  expect_equal(e$value[1:4], log(c(ppois(2, 4), ppois(2, 4, FALSE), sum(dpois(2:5, 4)), 1)), tolerance = 1e-14)
  expect_equal(e$value[5], dpois(90, 4, TRUE) + log(sum(dpois(90:95, 4) / dpois(90, 4))), tolerance = 1e-14)
  expect_equal(e$score[5], sum(90:95 * dpois(90:95, 4)) / sum(dpois(90:95, 4)) - 4, tolerance = 1e-13)
  # far from a large mean, and around it
  e <- statcl:::poisson_between(c(1.1e6, -Inf, 999000), c(Inf, 9e5, 1001000), log(rep(1e6, 3)), NULL, "log", FALSE)
  expect_equal(e$value, c(ppois(1.1e6 - 1, 1e6, FALSE, TRUE), ppois(9e5, 1e6, log.p = TRUE),
                          log(diff(ppois(c(998999, 1001000), 1e6)))), tolerance = 1e-9)
  expect_true(all(e$weight > 0))
})

test_that("censored() has one interval a row, in data frames and model frames too", {
  x <- censored(c(1, NA, 3, 4, NA), c(2, 2, Inf, 4, NA))
  expect_identical(format(x), c("[1, 2]", "2-", "3+", "4", "NA"))
  expect_identical(is.na(x), c(FALSE, FALSE, FALSE, FALSE, TRUE))
  expect_s3_class(x[2:3], "censored")
  d <- data.frame(x, u = 1:5)
  expect_identical(dim(d), c(5L, 2L))
  expect_identical(nrow(model.frame(x ~ u, d)), 4L)
  expect_output(print(d), "\\[1, 2\\]")
  expect_error(censored(2, 1), "lower must not be above upper")
  expect_error(censored(c(1, Inf), Inf), "lower\\[2\\] = Inf: no number is above it")
  expect_error(censored(-Inf, -Inf), "upper.* = -Inf: no number is below it")
  expect_error(censored("a", 1), "lower must be numeric")
  expect_error(censored(1:3, 1:2), "length")
})

set.seed(3)
d <- data.frame(x = rnorm(120), u = runif(120), v = runif(120), g = factor(rep(1:12, 10)))
d$z <- 1 + 0.7 * d$x + rnorm(120)
d$limit <- rnorm(120, 2)
d$k <- rpois(120, exp(1 + 0.5 * d$x))

test_that("censored responses without a process are those of survreg()", {
  skip_if_not_installed("survival")
  Surv <- survival::Surv
  d$right <- Surv(pmin(d$z, d$limit), d$z <= d$limit)
  d$left <- Surv(pmax(d$z, 0.5), d$z >= 0.5, type = "left")
  d$between <- Surv(ifelse(d$z < -0.5, NA, floor(d$z)), ifelse(d$z > 2, NA, floor(d$z) + 1), type = "interval2")
  d$time <- Surv(exp(pmin(d$z, d$limit)), d$z <= d$limit)
  for (name in c("right", "left", "between", "time")) {
    formula <- reformulate("x", name)
    log <- name == "time"
    fit <- gpFit(formula, d, cov = NULL, family = if (log) lognormal() else gaussian())
    theirs <- survival::survreg(formula, d, dist = if (log) "lognormal" else "gaussian")
    # a process of variance 1e-8 stands for none
    expect_equal(fit$loglik, as.numeric(logLik(theirs)), tolerance = 1e-7, label = name)
    expect_equal(coef(fit), coef(theirs), tolerance = 1e-5, label = name)
    expect_equal(fit$own[[1]], theirs$scale, tolerance = 1e-5, label = name)
    expect_equal(unname(sqrt(diag(vcov(fit, "all")))[1:2]), unname(sqrt(diag(vcov(theirs)))[1:2]), tolerance = 1e-4)
  }
  fit <- gpFit(right ~ x, d, cov = NULL, family = student(df = 4))
  theirs <- survival::survreg(right ~ x, d, dist = "t")
  expect_equal(fit$loglik, as.numeric(logLik(theirs)), tolerance = 1e-5)
  expect_equal(coef(fit), coef(theirs), tolerance = 1e-4)
  own <- gpFit(censored(pmin(z, limit), ifelse(z <= limit, z, Inf)) ~ x, d, cov = NULL)
  expect_equal(own$loglik, gpFit(right ~ x, d, cov = NULL)$loglik)
  expect_error(gpFit(Surv(u, u + 1, z > 0) ~ x, d, cov = NULL), "type \"counting\"")
})

test_that("what is observed is as if nothing were censored, with a process too", {
  fit <- gpFit(censored(z, z) ~ x, d[1:60, ], ~ u + v, "exponential", method = "exact")
  none <- gpFit(z ~ x, d[1:60, ], ~ u + v, "exponential")
  expect_equal(fit$loglik, none$loglik, tolerance = 1e-6)
  # of two observations at known parameters the probability is that of the normal distribution in the plane
  truth <- covModel("exponential", range = 0.2, variance = 0.5)
  two <- data.frame(u = c(0, 0.1), v = 0, y = NA)
  known <- list(range = 0.2, variance = 0.5, nugget = 0, family.sd = 1)
  pair <- function(lower, upper)
    gpFit(censored(lower, upper) ~ 0, two, ~ u + v, truth, fixed = known, method = "exact")
  fit <- pair(c(0.3, -1), c(Inf, 0.5))
  r <- 0.5 * exp(-0.5)
  wanted <- log(integrate(function(w) (1 - pnorm(0.3, w)) * dnorm(w, 0, sqrt(0.5)) * vapply(w, function(w)
    diff(pnorm(c(-1, 0.5), w * r / 0.5, sqrt(1 + 0.5 - r^2 / 0.5))), 0), -8, 8, rel.tol = 1e-10)$value)
  # by Laplace's approximation
  expect_equal(fit$loglik, wanted, tolerance = 0.01)
})

test_that("counts, predictions, residuals and folds of censored responses", {
  d$most <- censored(pmin(d$k, 6), ifelse(d$k > 5, Inf, d$k))
  fit <- gpFit(most ~ x, d, cov = NULL, family = poisson())
  minus <- function(b) -sum(ifelse(d$k > 5, ppois(5, exp(b[1] + b[2] * d$x), FALSE, TRUE),
                                   dpois(d$k, exp(b[1] + b[2] * d$x), TRUE)))
  found <- nlminb(c(0, 0), minus)
  expect_equal(fit$loglik, -found$objective, tolerance = 1e-7)
  expect_lt(max(abs(coef(fit) - found$par)), 1e-5)
  set.seed(1)
  r <- replicate(20, residuals(fit, "quantile"))
  expect_gt(ks.test(r[, 1], "pnorm")$p.value, 1e-4)
  low <- qnorm(ppois(5, fitted(fit)))[d$k > 5]
  expect_true(all(r[d$k > 5, ] >= low))
  expect_true(all(apply(r[d$k > 5, ], 1, sd) > 0))
  deviance <- residuals(fit, "deviance")[d$k > 5]
  expect_equal(unname(deviance), sqrt(-2 * ppois(5, fitted(fit)[d$k > 5], FALSE, TRUE)), tolerance = 1e-10,
               ignore_attr = TRUE)
  expect_true(all(is.finite(c(residuals(fit), residuals(fit, "pearson")))))
  cv <- gpCV(fit, folds = rep(1:2, 60))
  expect_true(all(is.finite(cv$log.density)))
  expect_true(all(as.matrix(simulate(fit, 2, seed = 1)) %% 1 == 0))
  expect_null(statcl:::refit.gpFit(fit, d$k)$cases$from)
  grouped <- gpFit(censored(pmin(z, limit), ifelse(z <= limit, z, Inf)) ~ x + (1 | g), d, cov = NULL)
  expect_true(is.finite(grouped$loglik) && grouped$own[["sd"]] > 0)
  expect_equal(update(fit, . ~ .)$loglik, fit$loglik)
  twice <- gpFit(most ~ x, d, cov = NULL, family = poisson(), weights = rep(2, 120))
  expect_equal(twice$loglik, 2 * fit$loglik, tolerance = 1e-7)
  expect_error(gpFit(most ~ x, d, cov = NULL, family = nbinom2()), "is censored, which is for the families")
  expect_error(gpFit(censored(k - 0.5, k) ~ x, d, cov = NULL, family = poisson()), "whole numbers")
  expect_error(gpFit(censored(-k - 1, -k - 1) ~ x, d, cov = NULL, family = lognormal()), "must be positive")
})

test_that("responses whose intervals alone tell of no maximum are refused with the reason", {
  refused <- function(lower, upper, text, formula = r ~ x, family = gaussian(), fixed = list()) {
    d$r <- censored(lower, upper)
    expect_error(gpFit(formula, d, cov = NULL, family = family, fixed = fixed), text)
  }
  for (family in list(gaussian(), lognormal(), student(df = 4), poisson())) {
    refused(rep(1, 120), Inf, "censored above", family = family)
    refused(-Inf, 1 + round(3 * d$u), "censored below", family = family)
  }
  refused(1, rep(2, 120), "one mean is inside of all intervals: .* as family.sd goes to 0")
  refused(1, rep(2, 120), "the response is constant", fixed = list(family.sd = 1))
  high <- d$z > 1
  for (family in list(gaussian(), lognormal(), student(df = 4)))
    refused(ifelse(high, 1, -Inf), ifelse(high, Inf, 1), "cut at one point, .* list\\(family", family = family)
  refused(ifelse(high, 1 + d$x, -Inf), ifelse(high, Inf, 1 + d$x), "cut at limits that are linear in the covariates")
  refused(ifelse(high, 2, 1), ifelse(high, 2, Inf), "goes through all .* as family.sd goes to 0", r ~ 1)
  # with the scale, or an offset, they are those of a probit model
  d$r <- censored(ifelse(high, 1, -Inf), ifelse(high, Inf, 1))
  fit <- gpFit(r ~ x, d, cov = NULL, fixed = list(family.sd = 0.5))
  theirs <- glm(high ~ x, binomial("probit"), d)
  expect_equal(fit$loglik, as.numeric(logLik(theirs)), tolerance = 1e-9)
  expect_equal(coef(fit), 0.5 * coef(theirs) + c(1, 0), tolerance = 1e-5)
  expect_true(is.finite(gpFit(r ~ 1 + offset(x), d, cov = NULL)$own))
  # one exact value, at limits of others, is no reason
  d$r <- censored(pmax(d$z, 2), ifelse(d$z > 2, d$z, 2))
  expect_true(gpFit(r ~ x, d, cov = NULL)$converged)
})

test_that("the unit of responses of which most are at one limit is that of the others", {
  y <- c(rep(1, 70), 1 + d$u[1:50])
  expect_gt(statcl:::linear_unit(gaussian(), y), 0.3)
  expect_identical(statcl:::linear_unit(gaussian(), d$z), mad(d$z))
  # separated: the likelihood goes to 1
  d$r <- censored(ifelse(d$x > 0, 2, -Inf), ifelse(d$x > 0, Inf, 1))
  expect_warning(fit <- gpFit(r ~ x, d, cov = NULL), "separated")
  expect_equal(fit$loglik, 0, tolerance = 1e-6)
})

test_that("expectation propagation of normal errors has no integrals", {
  d$z[2] <- 0.4
  d$r <- censored(ifelse(d$z < 1, -Inf, d$z), ifelse(d$z < 1, 1, ifelse(d$u > 0.8, d$z + 0.5, d$z)))
  d$e <- censored(exp(d$r[, 1]), exp(d$r[, 2]))
  some <- d[1:60, ]
  known <- list(variance = 0.5, range = 0.2, family.sd = 0.4)
  of <- function(formula, fixed, family = gaussian(), approximation = "auto", more = NULL) {
    some$w <- more
    call <- quote(gpFit(formula, some, ~ u + v, "exponential", "exact", fixed = fixed, family = family,
                        approximation = approximation))
    if (!is.null(more)) call$weights <- quote(w)
    eval(call)
  }
  fit <- of(r ~ x, fixed = known)
  expect_identical(fit$approximation, "ep")
  by_integrals <- of(r ~ x, fixed = known, more = rep(1, 60), approximation = "ep")
  expect_equal(fit$loglik, by_integrals$loglik, tolerance = 1e-9)
  expect_equal(fit$latent, by_integrals$latent, tolerance = 1e-6)
  names(known)[3] <- "family.sdlog"
  log_fit <- of(e ~ x, fixed = known, family = lognormal())
  seen <- some$r[, 1] == some$r[, 2]
  expect_equal(log_fit$loglik, fit$loglik - sum(some$r[seen, 1]), tolerance = 1e-9)
  # a process without correlation is errors
  known <- list(variance = 0.5, range = 1e-6, family.sd = 0.4)
  errors <- gpFit(r ~ x, some, cov = NULL, fixed = list(family.sd = sqrt(0.66)))
  expect_equal(of(r ~ x, fixed = known)$loglik, errors$loglik, tolerance = 1e-7)
})

test_that("coefficients of responses most of which are censored are those without a process where there is none", {
  skip_if_quick()
  set.seed(1)
  n <- 60
  rain <- data.frame(x = runif(n), y = runif(n), u = rnorm(n))
  rain$z <- rlnorm(n, 0.5 + 0.4 * rain$u, 0.6)
  rain$r <- censored(ifelse(rain$z < 2.2, NA, rain$z), pmax(rain$z, 2.2))
  plain <- gpFit(r ~ u, rain, cov = NULL, family = lognormal())
  # by Laplace's approximation the slope was 0.016 and the likelihood higher by 16
  fit <- suppressWarnings(gpFit(r ~ u, rain, ~ x + y, "exponential", family = lognormal()))
  expect_lt(abs(coef(fit)[["u"]] - coef(plain)[["u"]]), 0.05)
  expect_lt(fit$loglik - plain$loglik, 2)
})

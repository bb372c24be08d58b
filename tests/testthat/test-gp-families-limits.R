# Fits of families at the limits of what data tell: smooth covariances, heavy tails, units of the responses,
# separation, parameters that run to a limit. None may end in an error of R, or in numbers that are no maximum.
set.seed(3)
n <- 40
d <- data.frame(x = runif(n), y = runif(n), u = rnorm(n), g = factor(rep(c("a", "b"), c(10, n - 10))))
d$eta <- 1 + 0.3 * d$u + 0.7 * drop(crossprod(chol(exp(-as.matrix(dist(d[1:2])) / 0.3) + diag(1e-8, n)), rnorm(n)))
fit_of <- function(d, formula, family) gpFit(formula, d, ~ x + y, "exponential", family = family)

test_that("covariances that are singular to working precision serve", {
  line <- data.frame(x = seq(0, 1, length.out = 30))
  set.seed(4)
  line$count <- rpois(30, exp(1 + sin(5 * line$x)))
  smooth <- covModel("gaussian", range = 1, variance = 1)
  root <- tryCatch(chol(covariance(smooth, as.matrix(line$x))), error = function(e) NULL)
  expect_null(root)
  fit <- gpFit(count ~ 1, line, ~ x, smooth, fixed = TRUE, family = poisson())
  at <- data.frame(x = c(line$x[3], 0.5 * sum(line$x[3:4]), 1.3))
  p <- predict(fit, at, se.fit = TRUE, type = "latent")
  expect_true(all(is.finite(as.matrix(p[c("fit", "se.fit")]))))
  # dense, with the same nugget and without: it is as good as none
  latent <- fit$latent[match(line$x, fit$latent.x)]
  mean <- function(nugget) drop(covariance(smooth, as.matrix(at$x), as.matrix(line$x)) %*%
                                  solve(covariance(smooth, as.matrix(line$x)) + diag(nugget, 30), latent, tol = 0))
  expect_equal(unname(p$fit) - fit$coefficients[[1L]], mean(1e-10), tolerance = 1e-5)
  # conditional fields have the process of one value at an observed location
  expect_identical(anyNA(simulate(fit, newdata = at, seed = 1)$sim_1), FALSE)
  expect_true(gpFit(count ~ 1, line, ~ x, "gaussian", family = poisson())$converged)
})

test_that("few locations have all others as neighbours", {
  d$count <- rpois(n, exp(d$eta))
  fit <- fit_of(d, count ~ u, poisson())
  expect_identical(fit$method, "exact")
  expect_identical(fit$loglik.correction, 0)
  expect_identical(gpFit(count ~ u, d, ~ x + y, "exponential", "vecchia", family = poisson())$method, "vecchia")
})

test_that("scoring that diverges is replaced", {
  set.seed(1)
  n <- 20
  heavy <- data.frame(x = runif(n), y = runif(n), u = rnorm(n), v = exp(2 * rt(n, 2)))
  expect_error(suppressWarnings(glm(v ~ u, Gamma("log"), heavy)), "NA/NaN/Inf")
  # coefficients of the maximum by another optimizer; those of a Gamma distribution do not depend on its shape
  least <- optim(c(0, 0), function(b) sum(heavy$v * exp(-b[1] - b[2] * heavy$u) + b[1] + b[2] * heavy$u),
                 method = "BFGS", control = list(reltol = 1e-14))
  l <- statcl:::laplace_design(list(family = Gamma("log"), y = heavy$v, trials = rep(1, n), offset = numeric(n),
                                    X = cbind(1, heavy$u), coefficients = c(0, 0), nobs = n),
                               as.matrix(heavy[1:2]), TRUE)
  own <- list(value = c(shape = 1), free = c(shape = TRUE), started = c(shape = FALSE))
  plain <- statcl:::plain_fit(cbind(1, heavy$u), l, own)
  expect_equal(backsolve(l$root, plain$mean)[order(l$pivot)], least$par, tolerance = 1e-5)
  for (family in list(Gamma("log"), inverse.gaussian("log")))
    expect_true(all(is.finite(coef(suppressWarnings(gpFit(v ~ u, heavy, ~ x + y, "exponential", family = family))))))
})

test_that("fits do not depend on the unit of responses", {
  skip_if_quick()
  draws <- list(student = d$eta + 0.3 * rt(n, 5), inverse.gaussian = exp(d$eta + 0.4 * rnorm(n)),
                tweedie = ifelse(runif(n) < 0.2, 0, rgamma(n, 2, 2 / exp(d$eta))))
  units <- c(1, 1e-6, 1e4)
  for (family in list(student(), inverse.gaussian("log"), tweedie())) {
    y <- draws[[family$family]]
    fits <- lapply(units, function(s) {
      d$v <- s * y
      gpFit(v ~ u, d, ~ x + y, "exponential", family = family)
    })
    eta <- lapply(fits, `[[`, "linear.predictors")
    for (k in 2:3) {
      s <- units[k]
      same <- if (family$link == "identity") s * eta[[1]] else eta[[1]] + log(s)
      # the search ends where steps promise less than 1e-6 of the log likelihood: some 1e-3 standard errors
      expect_equal(eta[[k]], same, tolerance = 5e-3, info = paste(family$family, s))
    }
  }
})

test_that("standard errors of coefficients are those given the rest where there is no other", {
  # noise without structure: variance and sdlog are not told apart
  set.seed(6)
  d$v <- exp(0.5 * d$u + rnorm(n))
  fit <- suppressWarnings(fit_of(d, v ~ u, lognormal()))
  plain <- summary(lm(log(v) ~ u, d))$coefficients[, 2]
  expect_true(all(is.finite(fit$parameters$std.error[1:2])))
  expect_equal(fit$parameters$std.error[1:2], unname(plain), tolerance = 0.3)
  # a group without positive responses: the others have their errors
  d$v[d$g == "a"] <- 0
  expect_warning(fit <- fit_of(d, v ~ g, delta_lognormal()), "do not determine the mean")
  p <- predict(fit, d[c(1, 20), ], interval = "prediction", type = "response")
  expect_true(all(is.finite(as.matrix(p[2, c("fit", "lwr", "upr")]))))
})

test_that("the information has no directions down, and a likelihood that jumps is not taken for a maximum", {
  h <- matrix(c(2, 1, 0, 1, -3, 0, 0, 0, 0), 3)
  up <- statcl:::without_signs(h)
  expect_true(min(eigen(up)$values) >= 0)
  sound <- crossprod(matrix(c(1, 2, 3, 4), 2))
  expect_identical(statcl:::without_signs(sound), sound)
  # steps that fail by a constant, however short
  at <- list(left = Inf, failed = FALSE)
  for (slope in 10^-(0:6)) at <- list(left = statcl:::still_left(at, slope, -0.1), failed = TRUE)
  expect_gt(at$left, 0.1)
})

test_that("modes that are about to vanish are no maximum", {
  skip_if_quick()
  d$v <- rep(c(0, 3), n / 2)
  d$x <- seq_len(n)
  fit <- suppressWarnings(gpFit(v ~ 1, d, ~ x, "exponential", family = zi_poisson()))
  own <- statcl:::laplace_request(fit, NULL)
  made <- statcl:::laplace_problem(own$p, own$l, own$m)
  on.exit(statcl:::vecchia_close(made))
  rows <- own$about$rows
  set <- function(...) replace(own$starts[[1]], match(names(c(...)), rows$name), c(...))
  # independent observations with a large variance: the mean goes past where zeros have two modes
  value <- vapply(seq(1.4, 1.8, 0.01), function(mean) {
    v <- set(variance = 1.5, range = 0.05, .mean1 = sign(made$laplace$basis[1]) * mean, family.zero = 0.3)
    statcl:::laplace_value(statcl:::parameter_point(v, 1:2), made, rows)$value
  }, 0)
  exact <- vapply(seq(1.4, 1.8, 0.01), function(mean) sum(log(vapply(d$v, function(y) integrate(function(e)
    exp(statcl:::family_terms(zi_poisson(), rep(y, length(e)), 1, e, c(zero = 0.3))$value) *
      dnorm(e, mean, sqrt(1.5)), mean - 6, mean + 6, rel.tol = 1e-8)$value, 0))), 0)
  expect_true(any(is.infinite(value)))
  expect_lt(max(value - exact), 10) # 12.4 where the mode vanishes
})

test_that("means of distribution functions are those of many nodes", {
  mean <- c(8, 8, 10, 2, 5)
  sd <- c(1, 2, 0.5, 1, 0.01)
  q <- c(3000, 10000, 20000, 5, 150)
  below <- list(function(q, x) ppois(q, exp(x)), function(q, x) 0.3 + 0.7 * ppois(q, exp(x)))
  for (f in below) {
    many <- statcl:::normal_mean(function(x) f(q, x), mean, sd, exp(-mean / 2) / 3)
    expect_equal(statcl:::falling_mean(f, q, mean, sd, exp(-mean / 2)), many, tolerance = 1e-11)
  }
  # where nothing is known of the mean quantiles go as far as numbers are useful
  own <- c(zero = 0.3, phi = 2)
  upper <- statcl:::predicted_quantiles(hurdle_nbinom1(), list(list(mean = 0, sd = 4000, own = own)), 1, 0.975)
  expect_true(upper > 1e100 && is.finite(upper))
})

test_that("distribution functions of Tweedie's family are sums over all numbers, or over steps", {
  all <- function(q, eta, phi, p, lower) {
    lambda <- exp((2 - p) * eta) / (phi * (2 - p))
    j <- 1:(2 * lambda + 100)
    sum(dpois(j, lambda) * pgamma(q, j * (2 - p) / (p - 1), lower.tail = lower,
                                  scale = phi * (p - 1) * exp((p - 1) * eta))) + lower * exp(-lambda)
  }
  for (p in c(1.05, 1.5, 1.95)) for (lower in c(TRUE, FALSE)) {
    own <- c(phi = 1e-3, power = p)
    q <- exp(4) + sqrt(1e-3 * exp(4 * p)) * c(-2, 0, 3)
    expect_equal(statcl:::tweedie_below(q, rep(4, 3), own, 1, lower), vapply(q, all, 0, 4, 1e-3, p, lower),
                 tolerance = 1e-11)
  }
  expect_equal(statcl:::tweedie_below(exp(250) * c(0.9, 1, 1.1), rep(250, 3), c(phi = 0.9, power = 1.7), 1, TRUE),
               c(0, 0.5, 1), tolerance = 1e-3)
})

test_that("draws are what the family allows", {
  v <- statcl:::family_draws(beta_family(), matrix(rep(c(-8, 8), 500)), 1, c(phi = 0.05))
  expect_true(all(v > 0 & v < 1))
})

test_that("what data do not determine is said", {
  d$won <- as.integer(d$u > 0)
  expect_warning(fit_of(d, won ~ u, binomial()), "separated")
  d$many <- 20 * d$won
  for (family in list(binomial(), betabinomial())) # with many trials, and a parameter that runs to its end
    expect_warning(fit_of(d, cbind(many, 20 - many) ~ u, family), "separated")
  set.seed(5)
  d$count <- rpois(n, 3) * (d$g == "b")
  for (family in list(poisson(), nbinom2())) expect_warning(fit_of(d, count ~ g, family), "do not determine the mean")
  d$even <- pmax(round(4 + 0.3 * d$u), 0)
  for (family in list(nbinom2(), nbinom1())) {
    fit <- fit_of(d, even ~ u, family)
    expect_output(print(summary(fit)), "no overdispersion")
    expect_equal(coef(fit), coef(glm(even ~ u, poisson, d)), tolerance = 1e-4)
  }
  d$one <- 1
  for (family in list(poisson(), nbinom2(), hurdle_poisson(), Gamma("log"), lognormal(), student(), tweedie()))
    expect_error(fit_of(d, one ~ 1, family), "constant", class = "statcl_error_input")
  d$one[1] <- 0
  for (family in list(delta_gamma(), delta_lognormal(), tweedie()))
    expect_error(fit_of(d, one ~ 1, family), "above 0 are equal", class = "statcl_error_input")
})

test_that("without a process and groups a fit is the generalised linear model, for large counts too", {
  set.seed(1)
  x <- rnorm(100)
  for (mean in c(1, 1e7)) {
    d <- data.frame(x = x, y = rpois(100, mean * exp(0.3 * x)), g = gl(5, 20))
    plain <- glm(y ~ x, poisson(), d)
    for (approximation in c("laplace", "ep")) {
      fit <- gpFit(y ~ x, d, cov = "none", family = poisson(), approximation = approximation)
      # the search ends where the likelihood rises by less than 1e-6; a process of 1e-14 beside weights of 1e9 in all
      expect_lt(abs(fit$loglik - as.numeric(logLik(plain))), if (approximation == "ep") 1e-5 else 1e-6)
      expect_equal(sqrt(diag(vcov(fit, "mean"))), sqrt(diag(vcov(plain))), tolerance = 1e-4)
    }
    expect_false(any(grepl("Variances|propagation", setdiff(utils::capture.output(print(fit)), deparse(fit$call)))))
  }
  expect_error(gpFit(y ~ x, d, cov = "none", family = nbinom2(), fixed = list(theta = 2)), "called family.theta here")
})

test_that("offsets and units may put the coefficients far from 0", {
  set.seed(2)
  n <- 50
  d <- data.frame(x = rnorm(n), far = 500)
  d$count <- rpois(n, exp(0.5 + 0.3 * d$x))
  d$more <- exp(d$x) * rgamma(n, 2)
  # steps of 1e-6 of the log likelihood are some 1e-3 standard errors
  near <- function(a, b) expect_equal(unname(a), unname(b), tolerance = 1e-5)
  for (s in c(-1, 1)) {
    fit <- expect_silent(gpFit(count ~ x + offset(s * far), d, cov = "none", family = poisson()))
    plain <- glm(count ~ x, poisson(), d)
    near(coef(fit) + c(s * 500, 0), coef(plain))
    near(fit$loglik, as.numeric(logLik(plain)))
    near(predict(fit, d[1:3, ], type = "link")$fit, predict(plain, d[1:3, ]))
    fit <- expect_silent(gpFit((count > 1) ~ x + offset(s * far), d, cov = "none", family = binomial()))
    near(coef(fit) + c(s * 500, 0), coef(glm((count > 1) ~ x, binomial(), d)))
  }
  for (family in list(Gamma("log"), inverse.gaussian("log"), delta_lognormal(), tweedie(power = 1.5))) {
    of <- function(unit) expect_silent(gpFit(more ~ x, transform(d, more = unit * more), cov = "none",
                                             family = family))
    one <- of(1)
    for (unit in c(1e-88, 1e85)) {
      fit <- of(unit)
      near(coef(fit) - c(log(unit), 0), coef(one))
      near(fit$loglik + n * log(unit), one$loglik)
      limits <- function(fit) as.matrix(predict(fit, d[1:2, ], interval = "prediction")[c("lwr", "upr")])
      near(limits(fit) / unit, limits(one))
    }
  }
  expect_input_error(gpFit(more ~ x, transform(d, more = 1e-300 * more), cov = "none", family = Gamma("log")),
                     "is the largest response: it must be between 1e-90 and 1e90")
  expect_input_error(gpFit(more ~ x, transform(d, more = 1e300 * more), cov = "none", family = student()),
                     "is the largest response")
  # equal responses of unequal exposures
  exposed <- transform(d, count = 1, exposure = rexp(n))
  near(coef(gpFit(count ~ x + offset(log(exposure)), exposed, cov = "none", family = poisson())),
       coef(glm(count ~ x + offset(log(exposure)), poisson(), exposed)))
  expect_input_error(gpFit(count ~ x + offset(far), exposed, cov = "none", family = poisson()), "is constant")
  expect_input_error(gpFit(count ~ x + offset(log(exposure)), transform(exposed, count = 0), cov = "none",
                           family = poisson()), "is constant")
})

test_that("counts and trials of a billion have their densities and limits", {
  set.seed(3)
  d <- data.frame(x = rnorm(60))
  d$count <- rpois(60, 1e9 * exp(0.3 * pmin(d$x, 2)))
  plain <- glm(count ~ pmin(x, 2), poisson(), d)
  fit <- gpFit(count ~ pmin(x, 2), d, cov = "none", family = nbinom2())
  expect_identical(fit$parameters["family.theta", "boundary"], "upper")
  expect_lt(abs(fit$loglik - as.numeric(logLik(plain))), 2e-3)
  # of many trials the share of successes has the beta distribution, up to 1 / trials
  trials <- 1e9
  shape <- c(8, 24)
  share <- c(1e-4, 0.01, 0.2, 0.25, 0.6)
  at <- function(y, trials) statcl:::betabinomial_terms(y, trials, rep(log(1 / 3), length(y)), c(phi = 32), "logit",
                                                        FALSE)$value
  expect_equal(at(trials * share, trials), dbeta(share, 8, 24, log = TRUE) - log(trials), tolerance = 1e-5)
  expect_equal(sum(exp(at(0:1000, 1000))), 1, tolerance = 1e-12)
  # both forms, on both sides of where they meet
  k <- c(0, 1, 30, 99, 100)
  by_gamma <- function(y, trials) lchoose(trials, y) + lbeta(y + 8, trials - y + 24) - lbeta(8, 24)
  for (trials in c(100, 101)) expect_equal(at(k, trials), by_gamma(k, trials), tolerance = 1e-12)
  d$yes <- rbinom(60, 1e9, plogis(-1 + 0.3 * d$x))
  binary <- gpFit(cbind(yes, 1e9 - yes) ~ x, d, cov = "none", family = binomial())
  fit <- gpFit(cbind(yes, 1e9 - yes) ~ x, d, cov = "none", family = betabinomial())
  expect_identical(fit$parameters["family.phi", "boundary"], "upper")
  expect_lt(abs(fit$loglik - binary$loglik), 2e-3)
})

test_that("log densities alone are those beside their derivatives", {
  eta <- c(-800, -40, -3, 0.2, 2, 30)
  for (name in names(statcl:::response_families)) {
    entry <- statcl:::response_families[[name]]
    if (is.null(entry$value)) next
    for (link in entry$links) for (y in if (isTRUE(entry$trials)) 0:1 else c(0, 1, 7, 1e9)) {
      own <- vapply(entry$parameters(list()), `[[`, 0, "start")
      y <- rep(y, length(eta))
      expect_equal(entry$value(y, 1 + 0 * y, eta, own, link), entry$terms(y, 1 + 0 * y, eta, own, link, FALSE)$value,
                   tolerance = 1e-14, info = paste(name, link))
    }
  }
  # against base R, at means far below the counts, too
  for (theta in c(0.3, 20)) for (y in c(0, 1, 7, 300)) expect_equal(
    statcl:::nbinom2_terms(rep(y, 5), 1, eta[2:6], c(theta = theta), "log", FALSE)$value,
    dnbinom(y, theta, mu = exp(eta[2:6]), log = TRUE), tolerance = 1e-12)
})

test_that("a likelihood of few data with several maxima has the fit of the highest", {
  set.seed(5)
  n <- 70
  d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n), f = sample(3, n, TRUE), g = factor(sample(8, n, TRUE)),
                  t = sample(3, n, TRUE))
  d$count <- rpois(n, exp(0.5 + 0.3 * d$z + 0.6 * sin(6 * d$x) + rnorm(8, sd = 0.5)[d$g]))
  fit <- function(...) gpFit(count ~ z + (1 | g), d, ~ x + y, "exponential", family = poisson(), ...)
  # by the working observations the search began at a range of 0.0002, and ended 3.4 below
  long <- fit(start = list(range = 0.3, variance = 0.2))
  expect_gt(long$loglik, fit(start = list(range = 1e-3, variance = 0.01))$loglik + 1)
  expect_equal(fit()$loglik, long$loglik, tolerance = 1e-6)
})

test_that("truncated counts go to the logarithmic distribution, beside a process too", {
  set.seed(3)
  n <- sample(c(60, 100, 160), 1)
  theta <- sample(c(0.02, 0.1, 0.3), 1)
  some <- data.frame(x = runif(n), y = runif(n), u = rnorm(n))
  w <- drop(crossprod(chol(exp(-as.matrix(dist(some[1:2])) / 0.2) + diag(1e-8, n)), rnorm(n)))
  mu <- exp(0.2 + 0.7 * w + 0.3 * some$u)
  zero <- dnbinom(0, mu = mu, size = theta)
  some$k <- qnbinom(zero + (1 - zero) * runif(n), mu = mu, size = theta)
  plain <- gpFit(k ~ u, some, cov = NULL, family = truncated_nbinom2())
  series <- optim(c(3, 0), function(b) {
    p <- plogis(b[1] + b[2] * some$u)
    -sum(some$k * log(p) - log(some$k) - log(-log1p(-p)))
  }, method = "BFGS", control = list(reltol = 1e-14))
  expect_equal(plain$loglik, -series$value, tolerance = 1e-4)
  expect_equal(coef(plain) - c(log(plain$own), 0), series$par, tolerance = 1e-2, ignore_attr = TRUE)
  expect_match(plain$notes, "that of the logarithmic distribution", all = FALSE)
  # a step of the mode to where a probability is below any number was an error
  fit <- gpFit(k ~ u, some, ~ x + y, "exponential", family = truncated_nbinom2())
  expect_true(fit$converged)
  expect_gte(fit$loglik, plain$loglik - 1e-3)
  expect_match(fit$notes, "that of the logarithmic distribution", all = FALSE)
})

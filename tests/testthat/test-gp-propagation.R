# Expectation propagation behind responses of all families (R/gp-propagation.R).

far <- function(n) data.frame(x = 100 * seq_len(n), y = 0) # locations without correlation
apart <- function(variance) covModel("exponential", range = 0.1, variance = variance, distance = "euclidean")
log_integral <- function(f) log(integrate(f, -30, 30, rel.tol = 1e-12, subdivisions = 2000L)$value)

# With one observation for each independent value of the process no site disturbs another, and the moments are those
# of the posterior distribution itself. Integrals have errors of 1e-10 and the steps to sites 1e-7, of which the value
# has the square.
test_that("likelihood and predictions of independent observations are exact", {
  set.seed(1)
  d <- far(20)
  d$p <- rpois(20, exp(0.5 + rnorm(20)))
  d$b <- rep(0:1, 10)
  d$n <- rnbinom(20, size = 2, mu = exp(rnorm(20)))
  density <- list(p = function(y, eta) dpois(y, exp(eta), log = TRUE),
                  b = function(y, eta) plogis((2 * y - 1) * eta, log.p = TRUE),
                  n = function(y, eta) dnbinom(y, size = 2, mu = exp(eta), log = TRUE))
  family <- list(p = poisson(), b = binomial(), n = nbinom2())
  for (name in names(family)) for (variance in c(0.3, 9)) {
    held <- c(list(range = 0.1, variance = variance, nugget = 0), if (name == "n") list(family.theta = 2))
    fit <- gpFit(reformulate("1", name), d, ~ x + y, apart(variance), family = family[[name]], fixed = held,
                 approximation = "ep")
    joint <- function(y, b = coef(fit)) function(u)
      exp(density[[name]](y, b + u) + dnorm(u, 0, sqrt(variance), log = TRUE))
    value <- function(b) sum(vapply(d[[name]], function(y) log_integral(joint(y, b)), 0))
    expect_equal(fit$loglik, value(coef(fit)), tolerance = 1e-9, info = paste(name, variance))
    best <- optimize(value, coef(fit) + c(-0.5, 0.5), maximum = TRUE, tol = 1e-8)
    # the search ends where the likelihood rises by 1e-6 or less
    expect_lt(abs(coef(fit)[[1L]] - best$maximum), 2e-3 * sqrt(vcov(fit)[1L]), label = paste(name, variance))
    got <- predict(fit, d, type = "link", parameters = "plugin", se.fit = TRUE)
    for (k in 1:2) {
      f <- joint(d[[name]][k])
      moment <- function(g) integrate(function(u) g(u) * f(u), -30, 30, rel.tol = 1e-10, subdivisions = 2000L)$value
      mean <- moment(function(u) u) / moment(function(u) 1)
      expect_equal(got$fit[k] - coef(fit)[[1L]], mean, tolerance = 1e-6, info = paste(name, variance))
      expect_equal(fit$linear.predictors[[k]] - coef(fit)[[1L]], mean, tolerance = 1e-6)
      sd <- sqrt(moment(function(u) (u - mean)^2) / moment(function(u) 1))
      # the rest of the variance is that of the coefficient
      expect_gt(got$se.fit[k], sd)
    }
  }
})

# Several observations with one effect have one site, and each group is a one-dimensional integral.
test_that("the likelihood of groups is the true one", {
  set.seed(2)
  d <- data.frame(g = gl(30, 4))
  d$b <- rbinom(120, 1, plogis(rnorm(30, sd = 1.5)[d$g]))
  d$p <- rpois(120, exp(-1 + rnorm(30)[d$g]))
  for (name in c("b", "p")) {
    fit <- gpFit(reformulate("(1 | g)", name), d, cov = "none", family = if (name == "b") binomial() else poisson(),
                 fixed = list(variance.g = 2), approximation = "ep")
    eta <- function(u) coef(fit)[[1L]] + u
    true <- sum(vapply(split(d[[name]], d$g), function(y) log_integral(function(u) vapply(u, function(u)
      exp(sum(if (name == "b") dbinom(y, 1, plogis(eta(u)), log = TRUE) else dpois(y, exp(eta(u)), log = TRUE)) +
            dnorm(u, 0, sqrt(2), log = TRUE)), 0)), 0))
    # means and variances have errors of 1e-7 at the end, and the value the square of that
    expect_equal(fit$loglik, true, tolerance = 1e-8)
  }
})

test_that("gradients are those of differences, with parameters of families, groups and a nugget", {
  skip_if_quick()
  set.seed(3)
  d <- data.frame(x = runif(40), y = runif(40), z = rnorm(40), g = gl(5, 8))
  eta <- 0.3 + 0.4 * d$z + rnorm(5, sd = 0.5)[d$g]
  responses <- list(list(binomial(), rbinom(40, 1, plogis(eta))),
                    list(nbinom2(), rnbinom(40, size = 2, mu = exp(eta))),
                    list(tweedie(), rpois(40, exp(eta)) * rgamma(40, 2)), list(student(), eta + rt(40, 4)),
                    list(zi_poisson(), rbinom(40, 1, 0.7) * rpois(40, exp(eta))),
                    list(cumulative(), factor(findInterval(eta + rlogis(40), c(-0.5, 0.5, 1.5)), ordered = TRUE)))
  own <- list(NULL, c(theta = 2), c(phi = 1, power = 1.5), c(scale = 1, df = 4), c(zero = 0.3), NULL)
  for (k in seq_along(responses)) {
    d$v <- responses[[k]][[2L]]
    given <- c(list(range = 0.2, variance = 0.5, nugget = 0.1, variance.g = 0.3),
               if (!is.null(own[[k]])) as.list(stats::setNames(own[[k]], sprintf("family.%s", names(own[[k]])))))
    fit <- suppressWarnings(gpFit(v ~ z + (1 | g), d, ~ x + y, "exponential", family = responses[[k]][[1L]],
                                  method = "exact", fixed = given, approximation = "ep"))
    fit$parameters$fixed[] <- FALSE
    lik <- statcl:::likelihood_of(fit)
    rows <- lik$search()$rows
    v <- rows$value
    v[match(names(given), rows$name)] <- unlist(given)
    at <- which(rows$kind == "coefficient" | rows$name %in% names(given) | startsWith(rows$name, "family."))
    e <- lik$evaluate(statcl:::parameter_point(v, at), -Inf)
    value <- function(x, j) lik$evaluate(statcl:::parameter_point(replace(v, j, x)), Inf)$value
    wanted <- vapply(at, function(j) {
      h <- 1e-3 * max(abs(v[j]), 0.1)
      f <- function(i) value(v[j] + i * h, j)
      (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * h)
    }, 0)
    # sites have errors of 1e-7 of the standard deviations of 40 linear predictors; differences of Q 1e-8
    expect_lt(max(abs(e$gradient - wanted) / (1 + abs(wanted))), 2e-5, label = responses[[k]][[1L]]$family)
    lik$close()
  }
})

test_that("fits have all that fits by Laplace's approximation have", {
  set.seed(4)
  d <- data.frame(x = runif(80), y = runif(80), z = rnorm(80), g = gl(4, 20))
  d$p <- rpois(80, exp(0.5 + 0.5 * d$z + rnorm(4, sd = 0.5)[d$g] + sin(6 * d$x)))
  plain <- gpFit(p ~ z + (1 | g), d, ~ x + y, "exponential", family = poisson())
  fit <- update(plain, approximation = "ep")
  expect_output(print(fit), "by maximum likelihood, expectation propagation")
  expect_equal(coef(fit), coef(plain), tolerance = 0.1)
  new <- data.frame(x = c(0.2, 3), y = 0.5, z = 0, g = "2")
  predicted <- predict(fit, new, type = "response", interval = "prediction")
  for (f in list(as.matrix(predicted[c("fit", "lwr", "upr")]), as.matrix(simulate(fit, 2, seed = 1)),
                 residuals(fit, "quantile"), confint(fit)[c("z", "variance", "range", "variance.g"), ],
                 gpCV(fit, k = 4)$log.density)) expect_true(all(is.finite(f)))
  expect_error(anova(fit, plain), "block and approximation")
  expect_s3_class(anova(update(fit, . ~ . - z), fit), "anova")
  expect_error(gpFit(p ~ z, d, ~ x + y, approximation = "ep"), "for responses with a family")
  expect_error(gpFit(p ~ z, d, ~ x + y, family = poisson(), approximation = "mcmc"), "approximation")
})

test_that("binary fits by Laplace's approximation tell what is more accurate", {
  set.seed(5)
  d <- data.frame(x = runif(60), y = runif(60))
  d$b <- as.numeric(sin(7 * d$x) + rlogis(60) / 2 > 0)
  fixed <- list(range = 0.3, nugget = 0)
  fit <- gpFit(b ~ 1, d, ~ x + y, "exponential", family = binomial(), fixed = fixed)
  expect_match(fit$notes, "approximation = \"ep\"", all = FALSE)
  better <- update(fit, approximation = "ep")
  expect_false(any(grepl("Laplace", better$notes)))
  expect_gt(better$cov$variance, fit$cov$variance)
})

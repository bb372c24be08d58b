# Families of responses: densities, moments and derivatives of all of them, and fits with them. `y` are responses that
# each may have, `own` some of its parameters.
cases <- list(
  poisson = list(y = c(0, 1, 5, 200)),
  nbinom2 = list(y = c(0, 1, 5, 200), own = list(c(theta = 0.1), c(theta = 2), c(theta = 50), c(theta = 1e4))),
  nbinom1 = list(y = c(0, 1, 5, 200), own = list(c(phi = 0.05), c(phi = 0.3), c(phi = 20))),
  binomial = list(y = c(0, 3, 10), trials = 10, links = c("logit", "probit", "cloglog", "cauchit")),
  betabinomial = list(y = c(0, 3, 10), trials = 10, own = list(c(phi = 0.2), c(phi = 3), c(phi = 500))),
  beta = list(y = c(1e-4, 0.3, 0.99), own = list(c(phi = 0.3), c(phi = 8), c(phi = 300))),
  Gamma = list(y = c(0.01, 1, 30), own = list(c(shape = 0.5), c(shape = 7))),
  lognormal = list(y = c(0.01, 1, 30), own = list(c(sdlog = 0.5), c(sdlog = 2))),
  inverse.gaussian = list(y = c(0.01, 1, 30), own = list(c(phi = 0.5), c(phi = 5))),
  gaussian = list(y = c(-3, 0.1, 20), own = list(c(sd = 0.5), c(sd = 4))), # beside grouped effects
  student = list(y = c(-3, 0.1, 20), own = list(c(scale = 0.5, df = 3), c(scale = 2, df = 0.8),
                                                c(scale = 1, df = 200))),
  tweedie = list(y = c(0, 0.01, 1, 30), own = list(c(phi = 0.5, power = 1.1), c(phi = 2, power = 1.5),
                                                   c(phi = 1, power = 1.9), c(phi = 0.01, power = 1.5))),
  cumulative = list(y = 1:4, own = list(c(cut1 = -0.5, gap2 = 0.7, gap3 = 1.5)), links = c("logit", "probit")),
  truncated_poisson = list(y = c(1, 5, 200)),
  truncated_nbinom2 = list(y = c(1, 5, 200), own = list(c(theta = 0.1), c(theta = 2), c(theta = 1e4))),
  truncated_nbinom1 = list(y = c(1, 5, 200), own = list(c(phi = 0.05), c(phi = 3))),
  zi_poisson = list(y = c(0, 1, 5, 200), own = list(c(zero = 0.2), c(zero = 0.9))),
  zi_nbinom2 = list(y = c(0, 1, 5), own = list(c(zero = 0.2, theta = 2))),
  zi_nbinom1 = list(y = c(0, 1, 5), own = list(c(zero = 0.2, phi = 2))),
  hurdle_poisson = list(y = c(0, 1, 5), own = list(c(zero = 0.2))),
  hurdle_nbinom2 = list(y = c(0, 1, 5), own = list(c(zero = 0.2, theta = 2))),
  hurdle_nbinom1 = list(y = c(0, 1, 5), own = list(c(zero = 0.2, phi = 2))),
  delta_gamma = list(y = c(0, 1, 5), own = list(c(zero = 0.2, shape = 2))),
  delta_lognormal = list(y = c(0, 1, 5), own = list(c(zero = 0.2, sdlog = 2))))
each_case <- function(f) for (name in names(cases)) {
  k <- cases[[name]]
  entry <- statcl:::response_families[[name]]
  for (link in if (is.null(k$links)) entry$links[1] else k$links)
    for (own in if (is.null(k$own)) list(NULL) else k$own)
      f(name, entry, k$y, if (is.null(k$trials)) 1 else k$trials, own, link)
}

test_that("every family is tried", expect_setequal(names(cases), names(statcl:::response_families)))

# By four values: errors of h^4/30 of the fifth derivative and of 1.5e-16/h of the value.
slope <- function(f, x, h) (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)

test_that("derivatives of log densities are those of differences", {
  each_case(function(name, entry, y, trials, own, link) {
    at <- expand.grid(y = y, eta = c(-6, -2, -0.3, 0.6, 2, 5))
    terms <- function(eta, v) entry$terms(at$y, rep(trials, nrow(at)), eta, v, link, TRUE)
    e <- terms(at$eta, own)
    expect_setequal(as.character(names(e$by)), as.character(names(own)))
    near <- function(got, f, x, what, h = 1e-3) {
      wanted <- slope(f, x, h)
      size <- 1 + abs(wanted) + abs(f(x)) * 1e-13 / h / 1e-6
      expect_lt(max(abs(got - wanted) / size), 1e-6, label = paste(name, link, toString(own), what))
    }
    near(e$score, function(x) terms(x, own)$value, at$eta, "score")
    near(e$weight, function(x) -terms(x, own)$score, at$eta, "weight")
    near(e$third, function(x) terms(x, own)$weight, at$eta, "third")
    for (p in names(own)) for (what in c("value", "score", "weight")) # by the logarithm, or the number itself
      near(e$by[[p]][[what]] * abs(own[[p]]), function(t)
        terms(at$eta, replace(own, p, own[[p]] + t * abs(own[[p]])))[[what]], 0, paste("by", p, "of", what))
  })
})

test_that("densities are probabilities with the moments, distribution functions and draws of their family", {
  set.seed(1)
  each_case(function(name, entry, y, trials, own, link) {
    eta <- 0.4
    # densities that are too steep at 0 and 1 for integrate()
    if (any(own[names(own) %in% c("theta", "phi")] < 0.1) || any(own > 1e3) || name == "beta" && own < 1) return()
    label <- paste(name, link, toString(own))
    density <- function(q) exp(entry$terms(q, rep(trials, length(q)), rep(eta, length(q)), own, link, FALSE)$value)
    below <- function(q, lower = TRUE) entry$below(q, rep(eta, length(q)), own, trials, lower, link)
    mean <- entry$mean(eta, own, link)
    variance <- if (trials > 1) entry$variance(eta, own, link, trials) else entry$variance(eta, own, link)
    if (entry$atoms == "whole") {
      q <- 0:if (trials > 1) trials else if (name == "cumulative") 4 else 2000
      p <- if (name == "cumulative") c(0, density(1:4)) else if (grepl("truncated", name)) c(0, density(q[-1])) else
        density(q)
      # sums of up to 2000 terms
      expect_equal(sum(p), 1, tolerance = 1e-10, label = label)
      expect_equal(sum(p * q) / trials, mean, tolerance = 1e-9, label = label)
      expect_equal(sum(p * (q / trials - mean)^2), variance, tolerance = 1e-8, label = label)
      expect_equal(below(q), cumsum(p), tolerance = 1e-9, label = label)
    } else {
      zero <- if (entry$atoms == "zero") density(0) else 0
      # by t, y = exp(t) or plogis(t), or itself; 1e-8 where integrate() has it
      into <- switch(name, student = , gaussian = identity, beta = plogis, exp)
      by <- switch(name, student = , gaussian = function(t) 1, beta = dlogis, exp)
      part <- function(t, g) {
        v <- density(into(t)) * g(into(t)) * by(t)
        ifelse(is.finite(v), v, 0)
      }
      over <- function(g, to = 40, from = if (name == "tweedie") -200 else -40)
        integrate(part, from, to, g, rel.tol = 1e-9, subdivisions = 2000, stop.on.error = FALSE)$value
      heavy <- name == "student"
      expect_equal(zero + over(function(q) 1), 1, tolerance = if (heavy) 0.1 else 1e-6, label = label)
      if (!heavy) expect_equal(over(identity), mean, tolerance = 1e-6, label = label)
      if (!heavy) expect_equal(over(function(q) q^2) - mean^2, variance, tolerance = 1e-5, label = label)
      q <- into(0.3)
      if (!heavy) expect_equal(below(q), zero + over(function(q) 1, 0.3), tolerance = 1e-6, label = label)
    }
    expect_equal(below(1) + below(1, FALSE), 1, tolerance = 1e-12, label = label)
    drawn <- entry$draw(rep(eta, 4000), own, rep(trials, 4000), link)
    # Kolmogorov's distance exceeds 2.2/sqrt(n) with probability 1e-4, in some 45 cases
    some <- sort(unique(drawn))
    expect_lt(max(abs(ecdf(drawn)(some) - entry$below(some, eta, own, trials, TRUE, link))), 2.2 / sqrt(4000),
              label = label)
  })
})

test_that("distribution functions have the ends of the support", {
  each_case(function(name, entry, y, trials, own, link) {
    q <- c(if (entry$support[1] == 0) -1 else -Inf, Inf)
    ends <- function(lower) entry$below(q, 0.5, own, trials, lower, link)
    expect_equal(c(ends(TRUE), ends(FALSE)), c(0, 1, 1, 0), tolerance = 1e-15, label = name)
  })
})

test_that("densities keep their digits near their limits", {
  terms <- function(name, y, eta, own, trials = 1)
    statcl:::response_families[[name]]$terms(y, trials, eta, own, statcl:::response_families[[name]]$links[1], TRUE)
  # log f - log Poisson is ((y - mu)^2 - y) / (2 theta) but for terms of 1/theta^2
  y <- c(0, 1, 3, 50)
  mu <- c(2, 0.1, 4, 40)
  for (theta in c(1e6, 1e9, 1e12)) {
    e <- terms("nbinom2", y, log(mu), c(theta = theta))
    first <- ((y - mu)^2 - y) / 2
    expect_lt(max(abs((e$value - dpois(y, mu, log = TRUE)) - first / theta)), 1e-13 + 1e6 / theta^2)
    expect_equal(e$by$theta$value * theta^2, -first, tolerance = 1e-10 + 1e3 / theta)
    # nbinom1 with phi = mu/theta is the same distribution
    one <- Map(function(y, mu) terms("nbinom1", y, log(mu), c(phi = mu / theta)), y, mu)
    expect_equal(vapply(one, `[[`, 0, "value"), e$value, tolerance = 1e-12)
  }
  # huge counts: by Stirling's series the density at y = mu is that of dnbinom()
  expect_equal(terms("nbinom2", 1e12, log(1e12), c(theta = 3))$value, dgamma(1, 3, 3, log = TRUE) - log(1e12),
               tolerance = 1e-11)
  # tiny means: truncated counts are ones
  expect_equal(terms("truncated_poisson", c(1, 2), log(1e-12), NULL)$value, c(-0.5e-12, log(0.5e-12)),
               tolerance = 1e-12)
  # a beta-binomial distribution of large phi is nearly binomial, with the difference of 1/phi
  y <- c(0, 3, 10)
  p <- plogis(0.3)
  e <- terms("betabinomial", y, rep(0.3, 3), c(phi = 1e8), 10)
  change <- (y * (y - 1) / p + (10 - y) * (9 - y) / (1 - p) - 90) / 2
  expect_lt(max(abs(e$value - dbinom(y, 10, p, log = TRUE) - change / 1e8)), 1e-13)
  expect_equal(e$by$phi$value * 1e16, -change, tolerance = 1e-4) # digamma differences of 1e-7 with an error of 1e-20
  # Student's t of many degrees of freedom is normal
  expect_equal(terms("student", 1:3, 0.5, c(scale = 2, df = 1e10))$value, dnorm(1:3, 0.5, 2, log = TRUE),
               tolerance = 1e-9)
  # links far out, by 60 digits: value, score, weight and its derivative
  far <- function(link, eta) unlist(statcl:::binary_terms(link, eta), use.names = FALSE)
  expect_lt(max(abs(far("probit", -5.5) / c(-17.779376352625261, 5.6714103138973056, 0.97213822214555377,
                                            -0.0086189435223161058) - 1)), 1e-14)
  expect_lt(max(abs(far("probit", -1e4) / c(-50000010.129278915, 10000.000099999998, 0.9999999900000006,
                                            -1.99999976000003e-12) - 1)), 1e-14)
  expect_equal(far("probit", -1e10)[3:4], c(1, -2e-30), tolerance = 1e-14)
  expect_equal(far("probit", -5 + 1e-9), far("probit", -5 - 1e-9), tolerance = 1e-8)
  expect_lt(max(abs(far("cloglog", 4) / c(-1.9423376049564018e-24, 1.0604803997042767e-22, 5.6839787570558596e-21,
                                          -2.9886071940885838e-19) - 1)), 1e-13)
  expect_identical(far("cloglog", -800), c(-800, 1, 0, 0))
  expect_lt(max(abs(far("cloglog", 800))), 1e-300)
  # zero inflation next to none
  expect_equal(terms("zi_poisson", 0, log(1e-9), c(zero = 1e-12))$value, -1e-9, tolerance = 1e-11)
})

test_that("Tweedie densities are the sums over numbers of gamma variables", {
  direct <- function(y, mu, phi, p) {
    lambda <- mu^(2 - p) / (phi * (2 - p))
    most <- max(mu, y)^(2 - p) / (phi * (2 - p))
    j <- 1:max(200, ceiling(most + 40 * sqrt(most)))
    t <- dpois(j, lambda, log = TRUE) +
      dgamma(y, j * (2 - p) / (p - 1), scale = phi * (p - 1) * mu^(p - 1), log = TRUE)
    if (y == 0) -lambda else max(t) + log(sum(exp(t - max(t))))
  }
  for (p in c(1.02, 1.2, 1.5, 1.8, 1.98)) for (phi in c(1e-5, 0.01, 1, 30)) for (y in c(0, 1e-3, 0.7, 25)) {
    mu <- if (y > 0) y * c(0.9, 1.3) else c(0.5, 2)
    if (max(y, mu)^(2 - p) / phi > 1e6) next
    got <- statcl:::tweedie_terms(rep(y, 2), 1, log(mu), c(phi = phi, power = p), "log", FALSE)$value
    wanted <- vapply(mu, function(m) direct(y, m, phi, p), 0)
    # terms have the rounding errors of dpois() and dgamma(), some 1e-15 of lambda where mu is not y
    expect_lt(max(abs(got - wanted) / (1 + abs(wanted))), 1e-10, label = paste(p, phi, y))
  }
})

reference_fit <- function(r, d) {
  number <- as.double(c(r$par1, r$par2))
  kind <- switch(r$family,
    poisson = list(poisson()), gamma = list(Gamma("log"), shape = number[1]),
    beta = list(beta_family(), phi = number[1]),
    tweedie = list(tweedie(), power = number[1], phi = number[2]), lognormal = list(lognormal(), sdlog = number[1]),
    delta_gamma = list(delta_gamma(), zero = number[1], shape = number[2]),
    ologit = list(cumulative(), cut1 = number[1], gap2 = number[2] - number[1]),
    nbinom2 = list(nbinom2(), theta = number[1]), binomial = list(binomial()), probit = list(binomial("probit")),
    student = list(student(), df = number[1], scale = number[2]), zip = list(zi_poisson(), zero = number[1]),
    hurdle_poisson = list(hurdle_poisson(), zero = number[1]))
  d$known <- r$beta0 + r$beta1 * d$x1
  smooth <- r$covariance == "matern15"
  model <- if (smooth) covModel("matern", smoothness = 1.5, range = r$range, variance = r$sigma2)
           else covModel("exponential", range = r$range, variance = r$sigma2)
  held <- c(list(range = r$range, variance = r$sigma2, nugget = 0), if (smooth) list(smoothness = 1.5),
            stats::setNames(kind[-1], sprintf("family.%s", names(kind)[-1])),
            if (!is.na(r$group_var)) list(variance.group = r$group_var))
  trials <- r$family %in% c("binomial", "probit")
  formula <- if (trials) cbind(value, trials - value) ~ 0 + offset(known) else value ~ 0 + offset(known)
  if (!is.na(r$group_var)) formula <- update(formula, . ~ . + (1 | group))
  gpFit(formula, d, ~ x + y, model, family = kind[[1]], fixed = held, method = "exact")
}

# Laplace's value and mode in 220-bit arithmetic at given parameters.
test_that("values are those of multiple precision", {
  ref <- read_ref("laplace")
  data <- read_ref("laplace_data")
  for (i in seq_len(nrow(ref))) {
    fit <- reference_fit(ref[i, ], data[data$config == ref$config[i], ])
    # matrices of condition up to 1e7 times 1e-16, and sums of a hundred terms
    expect_lt(abs(fit$loglik / ref$loglik_laplace[i] - 1), 1e-9, label = ref$family[i])
    expect_equal(sqrt(sum(fit$latent^2)), ref$mode_norm[i], tolerance = 1e-8, label = ref$family[i])
    if (!is.na(ref$group_var[i]))
      expect_equal(sqrt(sum(fit$effects^2)), ref$group_mode_norm[i], tolerance = 1e-8, label = ref$family[i])
  }
})

truth <- covModel("exponential", range = 0.2, variance = 0.5)
some_data <- function(n, seed = 2) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n))
  d$eta <- 0.6 + 0.4 * d$z + drop(crossprod(chol(covariance(truth, d[c("x", "y")])), rnorm(n)))
  d
}
object_of <- function(name, link = statcl:::response_families[[name]]$links[1]) {
  if (name %in% c("poisson", "Gamma")) return(get(name)("log"))
  family <- statcl:::own_family(name, link)
  if (name == "cumulative") family$categories <- 4
  family
}
drawn_data <- function(name, own, n = 40, link = statcl:::response_families[[name]]$links[1]) {
  d <- some_data(n)
  d$v <- statcl:::response_families[[name]]$draw(d$eta, own, rep(1, n), link)
  d
}
# Families with other parameters than those of their cases, one each.
typical <- lapply(cases, function(k) if (is.null(k$own)) NULL else k$own[[min(2, length(k$own))]])
typical$zi_poisson <- c(zero = 0.2)
typical$student <- c(scale = 0.5, df = 5)
typical$delta_lognormal <- c(zero = 0.2, sdlog = 0.5)
held <- function(own) c(list(range = 0.2, variance = 0.5, nugget = 0), if (length(own))
  as.list(stats::setNames(own, sprintf("family.%s", names(own)))))

test_that("gradients of Laplace's value are those of differences, for all parameters", {
  skip_if_quick()
  for (name in setdiff(names(cases), c("binomial", "gaussian"))) {
    own <- typical[[name]]
    d <- drawn_data(name, own)
    if (name == "betabinomial") d$v <- rbinom(40, 5, plogis(d$eta - 0.6))
    formula <- if (name == "betabinomial") cbind(v, 5 - v) ~ z else v ~ z
    fit <- suppressWarnings(gpFit(formula, d, ~ x + y, truth, family = object_of(name), method = "exact",
                                  fixed = held(own)))
    fit$parameters$fixed[] <- FALSE
    lik <- statcl:::likelihood_of(fit)
    rows <- lik$search()$rows
    v <- rows$value
    given <- held(own)
    v[match(names(given), rows$name)] <- unlist(given)
    v[rows$kind == "coefficient"] <- drop(qr.R(qr(fit$X)) %*% coef(fit)) / sqrt(40)
    at <- which(rows$kind == "coefficient" | rows$name %in% setdiff(names(given), "nugget"))
    e <- lik$evaluate(statcl:::parameter_point(v, at), -Inf)
    value <- function(x, j) lik$evaluate(statcl:::parameter_point(replace(v, j, x)), Inf)$value
    wanted <- vapply(at, function(j) slope(function(x) value(x, j), v[j], 1e-3 * max(abs(v[j]), 0.1)), 0)
    # the slopes of Q are differences with an error of 1e-8, the mode has one of 1e-9, over steps of 1e-4
    expect_lt(max(abs(e$gradient - wanted) / (1 + abs(wanted))), 2e-5, label = name)
    lik$close()
  }
})

test_that("predictions, simulations, residuals and cross-validation are there for all families", {
  skip_if_quick()
  new <- data.frame(x = c(0.2, 1.4), y = c(0.3, 0.2), z = c(0, 1))
  for (name in setdiff(names(cases), c("binomial", "poisson", "Gamma", "gaussian"))) {
    own <- typical[[name]]
    entry <- statcl:::response_families[[name]]
    d <- drawn_data(name, own)
    if (name == "betabinomial") d$v <- rbinom(40, 5, plogis(d$eta - 0.6))
    formula <- if (name == "betabinomial") cbind(v, 5 - v) ~ z else v ~ z
    fit <- suppressWarnings(gpFit(formula, d, ~ x + y, truth, family = object_of(name), method = "exact",
                                  fixed = held(own)))
    expect_equal(unname(fit$own), as.double(unname(own[names(fit$own)])), label = name)
    link <- predict(fit, new, se.fit = TRUE, type = "link")
    found <- predict(fit, new, se.fit = TRUE, interval = "prediction", level = 0.8)
    for (i in 1:2) {
      over <- function(g) integrate(function(e) g(link$fit[i] + e * link$se.fit[i]) * dnorm(e), -8.5, 8.5,
                                    rel.tol = 1e-9, subdivisions = 1000)$value
      expect_equal(found$fit[i], over(function(e) entry$mean(e, own, entry$links[1])), tolerance = 1e-6, label = name)
      if (name == "betabinomial") next # whose limits are those of the probability
      below <- function(q) over(function(e) entry$below(rep(q, length(e)), e, own, 1, TRUE, entry$links[1]))
      if (entry$atoms == "none") expect_equal(below(found$upr[i]), 0.9, tolerance = 1e-6, label = name)
      else {
        expect_gte(below(found$upr[i]), 0.9 - 1e-6)
        if (entry$atoms == "whole" && found$upr[i] > 0) expect_lt(below(found$upr[i] - 1), 0.9 + 1e-6)
      }
    }
    drawn <- as.matrix(simulate(fit, 3, seed = 1))
    expect_identical(dim(drawn), c(40L, 3L))
    expect_true(all(is.finite(drawn)), label = name)
    confidence <- predict(fit, new, se.fit = TRUE, interval = "confidence")
    expect_true(all(confidence$lwr <= confidence$fit & confidence$fit <= confidence$upr, confidence$se.fit > 0))
    cv <- gpCV(fit, folds = rep(1:2, 20))
    expect_true(all(is.finite(cv$log.density), cv$sd > 0), label = name)
    for (type in c("raw", "pearson", "deviance", "quantile"))
      expect_true(all(is.finite(residuals(fit, type))), label = paste(name, type))
    expect_true(all(residuals(fit, "deviance") * residuals(fit) >= 0), label = name)
    expect_output(print(summary(fit)), "Deviance residuals")
  }
})

test_that("quantile residuals are standard normal where the process is known", {
  set.seed(4)
  n <- 3000
  each_case(function(name, entry, y, trials, own, link) {
    if (name == "beta" && own < 1) return() # whose numbers are 0 and 1 to working precision
    eta <- rnorm(n, 0.3, 0.5)
    trials <- rep(trials, n)
    drawn <- entry$draw(eta, own, trials, link)
    family <- object_of(name, link)
    r <- statcl:::quantile_residuals(family, drawn, trials, eta, own)
    # of some 45 cases
    expect_gt(ks.test(r, "pnorm")$p.value, 1e-5, label = paste(name, link, toString(own)))
  })
  # and far out in the upper tail
  expect_equal(statcl:::quantile_residuals(student(), 1e3, 1, 0, c(scale = 1, df = 3)),
               qnorm(pt(1e3, 3, lower.tail = FALSE), lower.tail = FALSE), tolerance = 1e-10)
})

test_that("estimates are those of other functions where there is no process", {
  d <- some_data(150)
  set.seed(9)
  d$v <- rnbinom(150, 2, mu = exp(d$eta))
  none <- covModel("exponential", range = 0.2, variance = 0)
  plain <- function(formula, family, ...)
    gpFit(formula, d, ~ x + y, none, family = family, fixed = list(variance = 0, range = 0.2, ...))
  skip_if_not_installed("MASS")
  fit <- plain(v ~ z, nbinom2())
  theirs <- MASS::glm.nb(v ~ z, d)
  # a search that ends at gains of 1e-9; a process without variance has one of 1e-8
  expect_equal(fit$loglik, as.numeric(logLik(theirs)), tolerance = 1e-7)
  expect_equal(fit$own[["theta"]], theirs$theta, tolerance = 1e-3)
  expect_equal(coef(fit), coef(theirs), tolerance = 1e-4)
  known <- plain(v ~ z, MASS::negative.binomial(3))
  expect_true(known$parameters["family.theta", "fixed"])
  expect_equal(known$loglik, as.numeric(logLik(glm(v ~ z, MASS::negative.binomial(3), d))), tolerance = 1e-7)
  expect_equal(plain(v ~ z, nbinom2(theta = 3))$loglik, known$loglik)
  expect_equal(plain(v ~ z, nbinom2(), family.theta = 3)$loglik, known$loglik)
  d$class <- cut(0.4 * d$z + rlogis(150), c(-Inf, -1, 0.3, 1.5, Inf), labels = letters[1:4],
                 ordered_result = TRUE)
  theirs <- MASS::polr(class ~ z, d)
  fit <- plain(class ~ 0 + z, cumulative())
  expect_equal(fit$loglik, as.numeric(logLik(theirs)), tolerance = 1e-7)
  expect_equal(cumsum(unname(fit$own)), unname(theirs$zeta), tolerance = 1e-3)
  one <- plain(class ~ z, "cumulative") # with an intercept the first threshold is 0
  expect_equal(one$loglik, fit$loglik, tolerance = 1e-7)
  expect_equal(-coef(one)[[1]], fit$own[["cut1"]], tolerance = 1e-3)
})

test_that("parameters that run to a limit are there, by name", {
  d <- some_data(150)
  set.seed(10)
  d$v <- rpois(150, exp(0.6 + 0.4 * d$z))
  none <- covModel("exponential", range = 0.2, variance = 0)
  theirs <- as.numeric(logLik(glm(v ~ z, poisson, d)))
  ends <- c(nbinom2 = "upper", nbinom1 = "lower", zi_poisson = "lower")
  for (name in names(ends)) {
    fit <- gpFit(v ~ z, d, ~ x + y, none, family = name, fixed = list(variance = 0, range = 0.2))
    if (fit$loglik > theirs + 1e-2) next # that is the better model of these data
    own <- fit$parameters[nrow(fit$parameters), ]
    expect_identical(own$boundary, ends[[name]])
    expect_equal(fit$loglik, theirs, tolerance = 1e-7)
    expect_match(fit$notes, "end of its search", all = FALSE)
  }
  fit <- gpFit(v ~ z, d, ~ x + y, none, family = nbinom2(), fixed = list(variance = 0, range = 0.2))
  expect_identical(fit$own[["theta"]], 1e8)
})

test_that("objects of other packages are taken, and what is no distribution is refused", {
  known <- function(family) statcl:::response_family(family)
  skip_if_not_installed("mgcv")
  expect_identical(known(mgcv::nb())$family, "nbinom2")
  expect_identical(known(mgcv::nb(theta = 2.5))$given, c(theta = 2.5))
  expect_identical(known(mgcv::tw())$family, "tweedie")
  expect_equal(known(mgcv::tw(theta = 1.4))$given, c(power = 1.4))
  expect_identical(known(mgcv::betar())$family, "beta")
  expect_identical(known(mgcv::scat())$family, "student")
  expect_identical(known(mgcv::ocat(R = 4))$family, "cumulative")
  expect_equal(known(mgcv::ocat(theta = c(1, 2)))$given, c(gap2 = 1, gap3 = 2))
  expect_identical(known(mgcv::ziP())$family, "zi_poisson")
  expect_identical(known(inverse.gaussian("log"))$family, "inverse.gaussian")
  expect_identical(known("beta")$family, "beta")
  expect_identical(known(delta_gamma)$family, "delta_gamma")
  expect_error(known(quasipoisson()), "nbinom1")
  expect_error(known(quasibinomial()), "betabinomial")
  expect_error(known(inverse.gaussian()), "link")
  expect_error(known(mgcv::nb(link = "sqrt")), "link")
  expect_error(nbinom2("identity"), "link")
  expect_error(tweedie(power = 2.5), "power")
  d <- some_data(20)
  fit <- function(v, family, ...) gpFit(v ~ 1, d, ~ x + y, truth, family = family, ...)
  expect_error(fit(rep(0:1, 10), truncated_poisson()), "below 1")
  expect_error(fit(rep(0:1, 10) / 2, nbinom2()), "whole numbers")
  expect_error(fit(rep(0:1, 10), beta_family()), "above 0 and below 1")
  expect_error(fit(rep(c(1, 3), 10), cumulative()), "category 2")
  expect_error(fit(rep(1:5, 4), mgcv::ocat(theta = c(1, 2))), "ocat.theta. of 4 categories.* 5")
  held <- gpFit(rep(1:4, 5) ~ 1, cov = NULL, family = mgcv::ocat(theta = c(1, 2)))
  expect_identical(held$own[c("gap2", "gap3")], c(gap2 = 1, gap3 = 2))
  expect_identical(held$df, 1L)
  expect_error(fit(rep(c(-1, 3), 10), tweedie()), "negative")
  expect_error(fit(rep(c(1, 3), 10), nbinom2(), fixed = list(family.theta = -1)), "family.theta")
  expect_error(fit(rep(c(1, 3), 10), tweedie(), fixed = list(family.power = 2.2)), "between 1.01 and 1.99")
  expect_error(fit(rep(c(1, 3), 10), zi_poisson(), start = list(family.zero = 1)), "between 0 and 1")
})

test_that("the series of many Tweedie responses, by panels, are those of each", {
  set.seed(1)
  y <- exp(rnorm(2000, 0, 2))
  batch <- rep(1:20, 100)
  for (p in c(1.01, 1.3, 1.5, 1.8, 1.99)) for (phi in c(0.05, 1, 50)) {
    one <- lapply(split(y, batch), function(v) statcl:::tweedie_series(v, p, phi, TRUE))
    many <- statcl:::tweedie_series(y, p, phi, TRUE)
    for (name in names(many)) {
      direct <- unsplit(lapply(one, `[[`, name), batch)
      # means of j - lambda are differences of numbers up to 1e5
      expect_lt(max(abs(many[[name]] - direct) / (1 + abs(direct))), if (name == "value") 1e-13 else 5e-11,
                label = paste(name, p, phi))
    }
  }
})

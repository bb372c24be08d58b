# Laplace's approximation in dense matrices: Newton's method with second differences of glm families' own functions
# would be inexact, so derivatives are those of the textbook formulas by the mean, written for one trial.
dense_terms <- function(family, y, trials, eta, shape) {
  mu <- family$linkinv(eta)
  switch(paste(family$family, family$link),
    "poisson log" = list(sum(dpois(y, mu, log = TRUE)), y - mu, mu),
    "Gamma log" = list(sum(dgamma(y, shape, shape / mu, log = TRUE)), shape * (y / mu - 1), shape * y / mu), {
      value <- sum(dbinom(y, trials, mu, log = TRUE))
      # d mu/d eta and its derivative
      d <- family$mu.eta(eta)
      dd <- switch(family$link, logit = d * (1 - 2 * mu), probit = -eta * d, cloglog = d * (1 - exp(eta)))
      s <- y / mu - (trials - y) / (1 - mu)
      list(value, s * d, d^2 * (y / mu^2 + (trials - y) / (1 - mu)^2) - s * dd)
    })
}

# location: which value of the process an observation has; S: the covariance matrix of these values.
dense_laplace <- function(family, y, trials, mean, S, location = seq_along(y), shape = 1) {
  Q <- solve(S)
  sums <- function(v) as.vector(rowsum(v, location))
  w <- numeric(nrow(S))
  for (i in 1:100) {
    e <- dense_terms(family, y, trials, mean + w[location], shape)
    step <- solve(Q + diag(sums(e[[3]]), nrow(S)), sums(e[[2]]) - Q %*% w)
    w <- w + drop(step)
    if (max(abs(step)) < 1e-12) break
  }
  e <- dense_terms(family, y, trials, mean + w[location], shape)
  H <- Q + diag(sums(e[[3]]), nrow(S))
  list(value = e[[1]] - sum(w * (Q %*% w)) / 2 - (determinant(S)$modulus + determinant(H)$modulus)[[1]] / 2,
       w = w, H = H, weight = e[[3]])
}

made <- function(n = 60, seed = 3) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n))
  w <- drop(crossprod(chol(covariance(truth, d[c("x", "y")])), rnorm(n)))
  eta <- 0.3 + 0.5 * d$z + w
  d$count <- rpois(n, exp(eta))
  d$amount <- rgamma(n, 4, 4 / exp(eta))
  d$tried <- rpois(n, 3) + 1
  d$won <- rbinom(n, d$tried, plogis(eta))
  d$yes <- rbinom(n, 1, plogis(eta))
  d
}
truth <- covModel("exponential", range = 0.2, variance = 0.8)
d <- made()
families <- list(poisson(), binomial(), binomial("probit"), binomial("cloglog"), Gamma("log"))
responses <- list(count ~ z, cbind(won, tried - won) ~ z, cbind(won, tried - won) ~ z, yes ~ z, amount ~ z)
# tried by some: all covariance parameters are known, or some are searched
fit_of <- function(k, ..., data = d) suppressWarnings(
  gpFit(responses[[k]], data, ~ x + y, ..., family = families[[k]], method = "exact"))
dense_of <- function(fit, beta = coef(fit), model = fit$cov, shape = fit$shape) {
  trials <- unname(fit$trials)
  y <- unname(fit$y) * if (fit$family$family == "binomial") trials else 1
  dense_laplace(fit$family, y, trials, drop(fit$X %*% beta), covariance(model, fit$latent.x), fit$location, shape)
}

test_that("with all neighbours the likelihood is that of dense matrices, for all families and links", {
  for (k in seq_along(families)) {
    fit <- fit_of(k, cov = truth, fixed = TRUE)
    dense <- dense_of(fit)
    # both are sums of 60 terms and logarithms of condition about 1e3: 1e3 * 60 eps is 1.4e-11
    expect_equal(fit$loglik, dense$value, tolerance = 1e-10, info = family_label(fit$family))
    expect_lt(max(abs(fit$latent - dense$w)), 1e-8)
  }
})

test_that("estimates are at the maximum of the dense likelihood", {
  for (k in seq_along(families)) {
    fit <- fit_of(k, cov = covModel("exponential", range = NA, variance = NA))
    expect_true(fit$converged)
    value <- function(t) {
      model <- update(fit$cov, range = fit$cov$range * exp(t[3]), variance = fit$cov$variance * exp(t[4]))
      dense_of(fit, coef(fit) + t[1:2], model, fit$shape * exp(t[5]))$value
    }
    best <- value(numeric(5))
    expect_equal(fit$loglik, best, tolerance = 1e-10)
    for (j in 1:(4 + (k == 5))) for (side in c(-1, 1))
      expect_lt(value(replace(numeric(5), j, side * 0.02)), best)
    # the search ends where a step gains less than 1e-9: with information of 1 to 100 the gradient is below
    # sqrt(2e-9 * 100) = 4.5e-4; differences over 1e-3 add 1e-6 third derivatives
    slope <- vapply(1:(4 + (k == 5)), function(j)
      (value(replace(numeric(5), j, 1e-3)) - value(replace(numeric(5), j, -1e-3))) / 2e-3, 0)
    expect_lt(max(abs(slope)), 1e-3)
  }
})

test_that("standard errors are those of the second derivatives", {
  fit <- fit_of(1, cov = covModel("exponential", range = NA, variance = NA))
  value <- function(t) dense_of(fit, t[1:2], update(fit$cov, variance = t[3], range = t[4]))$value
  at <- c(coef(fit), fit$cov$variance, fit$cov$range)
  h <- 1e-3 * sqrt(diag(vcov(fit, "all")))[c(1:2, 3:4)]
  hessian <- matrix(0, 4, 4)
  move <- function(i, j, a, b) value(at + a * h[i] * (1:4 == i) + b * h[j] * (1:4 == j))
  for (i in 1:4) for (j in 1:4)
    hessian[i, j] <- (move(i, j, 1, 1) - move(i, j, 1, -1) - move(i, j, -1, 1) + move(i, j, -1, -1)) /
      (4 * h[i] * h[j])
  # steps of 0.002 standard errors on one side: a thousandth times the third derivative; values right to 1e-11 over
  # steps of 1e-3 standard errors: 1e-5
  expect_equal(unname(vcov(fit, "all")[1:4, 1:4]), solve(-hessian), tolerance = 5e-3)
  expect_equal(vcov(fit, "all")[1:2, 1:2], vcov(fit))
})

test_that("observations at one location have one value of the process, unless there is a nugget", {
  twice <- rbind(d, transform(d[1:20, ], count = rev(count), z = -z))
  fit <- fit_of(1, cov = truth, fixed = TRUE, data = twice)
  expect_identical(nrow(fit$latent.x), 60L)
  expect_equal(fit$loglik, dense_of(fit)$value, tolerance = 1e-10)
  nugget <- update(truth, nugget = 0.3)
  fit <- fit_of(1, cov = nugget, fixed = TRUE, data = twice)
  expect_identical(nrow(fit$latent.x), 80L)
  expect_equal(fit$loglik, dense_of(fit)$value, tolerance = 1e-10)
  free <- fit_of(1, cov = covModel("exponential", variance = NA, range = NA, nugget = NA), data = twice)
  expect_false(free$parameters["nugget", "fixed"])
  held <- fit_of(1, cov = covModel("exponential", variance = NA, range = NA), data = twice)
  expect_true(held$parameters["nugget", "fixed"])
  expect_gte(free$loglik, held$loglik - 1e-3)
})

test_that("without variance it is the generalised linear model", {
  none <- covModel("exponential", range = 0.2, variance = 1e-10)
  for (k in 1:4) {
    fit <- fit_of(k, cov = none, fixed = TRUE)
    glm <- glm(responses[[k]], families[[k]], d, epsilon = 1e-12)
    # the variance adds at most half the sum of weights and squared scores times 1e-10 to the log likelihood
    expect_equal(as.double(logLik(fit)), as.double(logLik(glm)), tolerance = 1e-8)
    # a search that ends at gains of 1e-9 is within sqrt(2e-9) standard errors
    expect_lt(max(abs(coef(fit) - coef(glm)) / sqrt(diag(vcov(glm)))), 1e-3)
    expect_equal(sqrt(diag(vcov(fit))), sqrt(diag(vcov(glm))), tolerance = if (k == 4) 0.1 else 5e-3)
  }
})

test_that("fewer neighbours are near the exact likelihood", {
  some <- made(300)
  fit <- function(m) gpFit(count ~ z, some, ~ x + y, truth, family = poisson(), fixed = TRUE, m = m)$loglik
  exact <- fit(299)
  expect_lt(abs(fit(30) - exact), 0.02 * 300 / 100)
  expect_lt(abs(fit(30) - exact), abs(fit(3) - exact))
})

# The normal distribution of the linear predictor at new locations by dense matrices: the posterior of the process at
# the observations, carried on by kriging.
dense_prediction <- function(fit, new, X) {
  dense <- dense_of(fit)
  S <- covariance(fit$cov, fit$latent.x)
  cross <- covariance(update(fit$cov, nugget = 0), as.matrix(new[c("x", "y")]), fit$latent.x)
  B <- cross %*% solve(S)
  P <- solve(dense$H)
  A <- diag(nrow(S))[fit$location, ]
  moves <- -P %*% crossprod(A, dense$weight * fit$X)
  short <- X + B %*% moves
  list(mean = drop(X %*% coef(fit) + B %*% dense$w),
       sd = sqrt(diag(fit$cov$variance - B %*% t(cross) + B %*% P %*% t(B) + short %*% vcov(fit) %*% t(short))))
}

new <- data.frame(x = c(0.2, 0.5, 1.4, d$x[3]), y = c(0.3, 0.5, 0.2, d$y[3]), z = c(0, 1, -1, 0.5))

test_that("predictions of the linear predictor are those of dense matrices", {
  for (model in list(truth, update(truth, nugget = 0.2))) {
    fit <- fit_of(1, cov = model, fixed = TRUE, data = rbind(d, d[1:9, ]))
    dense <- dense_prediction(fit, new, cbind(1, new$z))
    link <- predict(fit, new, se.fit = TRUE, type = "link", interval = "prediction", level = 0.9)
    # sums of 60 products of condition 1e3
    expect_equal(link$fit, dense$mean, tolerance = 1e-9)
    expect_equal(link$se.fit, dense$sd, tolerance = 1e-7)
    expect_equal(link$upr, link$fit + qnorm(0.95) * link$se.fit)
    expect_equal(predict(fit, new, type = "latent")$fit, link$fit)
    # with a nugget the response has it, too
    v <- link$se.fit^2 + model$nugget
    expect_equal(predict(fit, new)$fit, exp(link$fit + v / 2))
    expect_equal(fitted(fit, "latent"), predict(fit, type = "latent"), ignore_attr = TRUE)
  }
  expect_equal(predict(fit_of(1, cov = truth, fixed = TRUE), type = "latent"),
               fit_of(1, cov = truth, fixed = TRUE)$linear.predictors, tolerance = 1e-9)
})

test_that("predictions of responses are means over the linear predictor, and limits their quantiles", {
  for (k in seq_along(families)) {
    fit <- fit_of(k, cov = truth, fixed = TRUE)
    link <- predict(fit, new, se.fit = TRUE, type = "link")
    found <- predict(fit, new, se.fit = TRUE, interval = "prediction", level = 0.8)
    for (i in seq_len(nrow(new))) {
      over <- function(g) integrate(function(e) g(link$fit[i] + e * link$se.fit[i]) * dnorm(e), -9, 9,
                                    rel.tol = 1e-10)$value
      inverse <- fit$family$linkinv
      expect_equal(found$fit[i], over(inverse), tolerance = 1e-6)
      expect_equal(found$se.fit[i], sqrt(over(function(e) (inverse(e) - found$fit[i])^2)), tolerance = 1e-4)
      if (k == 5)
        expect_equal(over(function(e) pgamma(found$upr[i], fit$shape, fit$shape / exp(e))), 0.9, tolerance = 1e-6)
      if (k == 1) {
        below <- function(q) over(function(e) ppois(q, exp(e)))
        expect_gte(below(found$upr[i]), 0.9 - 1e-9)
        if (found$upr[i] > 0) expect_lt(below(found$upr[i] - 1), 0.9)
      }
      if (k == 3) expect_equal(found$lwr[i], pnorm(link$fit[i] + qnorm(0.1) * link$se.fit[i]))
    }
  }
  mean <- predict(fit_of(1, cov = truth, fixed = TRUE), new, interval = "confidence")
  expect_equal(mean$fit, drop(exp(cbind(1, new$z) %*% coef(fit_of(1, cov = truth, fixed = TRUE)))))
})

test_that("simulations have the moments of the approximation", {
  fit <- fit_of(1, cov = truth, fixed = TRUE)
  nsim <- 2000
  link <- predict(fit, new[1:2, ], se.fit = TRUE, type = "link")
  drawn <- as.matrix(simulate(fit, nsim, seed = 1, newdata = new[1:2, ], type = "latent")[paste0("sim_", 1:nsim)])
  expect_lt(max(abs(rowMeans(drawn) - link$fit) / link$se.fit), 4 / sqrt(nsim))
  expect_lt(max(abs(apply(drawn, 1, sd) / link$se.fit - 1)), 4 / sqrt(2 * nsim))
  # log-normal means have tails: errors by the variance that the draws have
  counts <- as.matrix(simulate(fit, nsim, seed = 2, newdata = new[1:2, ])[paste0("sim_", 1:nsim)])
  expect_lt(max(abs(rowMeans(counts) - predict(fit, new[1:2, ])$fit) / apply(counts, 1, sd)), 4 / sqrt(nsim))
  free <- as.matrix(simulate(fit, nsim, seed = 3))
  expect_identical(dim(free), c(60L, as.integer(nsim)))
  mean <- exp(drop(fit$X %*% coef(fit)) + truth$variance / 2)
  expect_lt(max(abs(rowMeans(free) - mean) / apply(free, 1, sd)), 4.5 / sqrt(nsim)) # of 60
  won <- simulate(fit_of(2, cov = truth, fixed = TRUE), 20, seed = 1)
  expect_true(all(won >= 0 & won <= d$tried))
  expect_gt(max(as.matrix(won)), 1)
})

test_that("cross-validation predicts new responses from the other folds", {
  for (k in c(1, 2, 5)) {
    fit <- fit_of(k, cov = truth, fixed = TRUE)
    folds <- rep(1:3, 20)
    cv <- gpCV(fit, folds = folds)
    out <- folds == 2
    rest <- fit_of(k, cov = truth, data = d[!out, ], fixed = list(
      variance = truth$variance, range = truth$range, family.shape = fit$shape)[seq_len(2 + (k == 5))])
    expect_equal(cv$mean[out], unname(predict(rest, d[out, ])$fit), tolerance = 1e-8)
    link <- predict(rest, d[out, ][1, ], type = "link", se.fit = TRUE)
    over <- function(g) integrate(function(e) g(link$fit + e * link$se.fit) * dnorm(e), -9, 9, rel.tol = 1e-9)$value
    i <- which(out)[1]
    likely <- switch(fit$family$family, poisson = function(e) dpois(d$count[i], exp(e)), Gamma = function(e)
      dgamma(d$amount[i], fit$shape, fit$shape / exp(e)), function(e) dbinom(d$won[i], d$tried[i], plogis(e)))
    expect_equal(cv$log.density[i], log(over(likely)), tolerance = 1e-6)
    expect_named(gpScores(cv), c("RMSE", "MAE", "logscore"))
  }
  expect_output(print(summary(cv)), "logscore")
  one <- rep(1:2, c(59, 1)) # of which only the second fold leaves enough
  expect_warning(cv <- gpCV(fit, folds = one), "without fold 1: 1 observation")
  expect_equal(is.na(cv$mean), one == 1)
  expect_error(gpCV(fit, "loo"), "gaussian")
})

test_that("methods and what they refuse", {
  fit <- gpFit(count ~ z, d, ~ x + y, covModel("exponential", range = NA, variance = NA), family = poisson)
  expect_output(print(fit), "family poisson, link log")
  expect_output(print(summary(fit)), "Deviance residuals")
  expect_identical(dim(confint(fit)), c(5L, 2L)) # the nugget is held
  expect_equal(AIC(fit), 8 - 2 * fit$loglik)
  expect_identical(nobs(fit), 60L)
  expect_equal(residuals(fit), d$count - fitted(fit), ignore_attr = TRUE)
  mu <- unname(fitted(fit))
  expect_equal(unname(residuals(fit, "pearson")), (d$count - mu) / sqrt(mu))
  expect_equal(unname(residuals(fit, "deviance")^2), poisson()$dev.resids(d$count, mu, 1), tolerance = 1e-10)
  won <- fit_of(2, cov = truth, fixed = TRUE)
  expect_equal(unname(residuals(won, "deviance")^2),
               binomial()$dev.resids(d$won / d$tried, unname(fitted(won)), d$tried), tolerance = 1e-10)
  expect_error(residuals(fit, "loo"), "family gaussian")
  expect_error(hatvalues(fit), "family gaussian")
  expect_error(varcomp(fit), "family gaussian")
  expect_error(plot(fit, "variogram"), "poisson")
  expect_error(predict(fit, new, block = 0.1), "averages")
  expect_error(simulate(fit, newdata = new, method = "tbrf"), "tbrf")
  smaller <- update(fit, . ~ 1)
  expect_equal(anova(smaller, fit)$Df[2], 1)
  expect_error(anova(fit, update(fit, method = "vecchia", m = 20)), "approximations")
  amount <- fit_of(5, cov = truth, fixed = list(family.shape = 4))
  expect_equal(amount$parameters["family.shape", "estimate"], 4)
  expect_true(amount$parameters["family.shape", "fixed"])
  gap <- transform(d, count = replace(count, 5, NA))
  expect_identical(nobs(update(fit, data = gap)), 59L)
  expect_length(fitted(update(fit, data = gap, na.action = na.exclude)), 60L)
})

test_that("responses that are none of their family are named", {
  fit <- function(formula, family, ...) gpFit(formula, d, ~ x + y, truth, fixed = TRUE, family = family, ...)
  expect_error(fit(count - 5 ~ 1, poisson()), "Poisson")
  expect_error(fit(amount - amount[1] ~ 1, Gamma("log")), "positive")
  expect_error(fit(count ~ 1, binomial()), "cbind")
  expect_error(fit(I(yes / 2) ~ 1, binomial()), "cbind")
  expect_error(fit(I(0 * yes) ~ 1, binomial()), "constant")
  expect_error(fit(count + 0.5 ~ 1, poisson()), "count + 0.5[1] = ", fixed = TRUE)
  expect_error(fit(log(count + 1) ~ 1, poisson()), "whole numbers", class = "statcl_error_input")
  expect_error(fit(count ~ 1, Gamma), "link")
  expect_error(fit(count ~ 1, quasi()), "must be one of")
  expect_error(fit(count ~ 1, 3), "family")
  expect_error(fit(count ~ 1, poisson(), estimator = "REML"), "REML")
  expect_error(fit(count ~ 1, poisson(), error.variance = 1), "error.variance")
  expect_warning(fit(yes ~ I(10 * yes), binomial()), "separated")
  by <- lapply(list(d$yes, d$yes == 1, factor(d$yes), cbind(d$yes, 1 - d$yes)), function(v)
    gpFit(v ~ 1, d, ~ x + y, truth, fixed = TRUE, family = binomial)$loglik)
  expect_equal(by, rep(by[1], 4))
})

test_that("predictive densities and quantiles are right where counts are large", {
  mean <- c(2, 9, 11.5)
  sd <- c(0.3, 0.5, 0.2)
  y <- round(exp(mean + c(-1, 0.4, 1) * sd))
  for (k in 1:3) {
    width <- statcl:::response_width(poisson(), y[k], 1, 1)
    density <- function(eta) dpois(y[k], exp(eta)) * dnorm(eta, mean[k], sd[k])
    ends <- log(y[k]) + c(-1, 1) * 12 / sqrt(y[k]) # the density of y falls by 1e-30 there, or the normal one does
    if (k == 1) ends <- mean[k] + c(-1, 1) * 10 * sd[k]
    wanted <- integrate(density, ends[1], ends[2], rel.tol = 1e-12, subdivisions = 1000)$value
    got <- statcl:::normal_mean(function(eta) dpois(y[k], exp(eta)), mean[k], sd[k], width)
    expect_lt(abs(got / wanted - 1), 1e-9)
  }
  # and of outliers, beyond what numbers have and beyond the normal distribution
  mean <- c(mean, 0, -3)
  sd <- c(sd, 0.1, 0.001)
  y <- c(y, 1000, 1000)
  f <- function(eta) dpois(y, exp(eta), log = TRUE)
  got <- statcl:::log_normal_mean(f, mean, sd, statcl:::response_width(poisson(), y, 1, 1), f(log(y)))
  for (k in 1:5) {
    log_density <- function(eta) dpois(y[k], exp(eta), log = TRUE) + dnorm(eta, mean[k], sd[k], log = TRUE)
    top <- optimize(log_density, range(log(y[k]), mean[k] + c(-1, 1)), maximum = TRUE, tol = 1e-10)
    wide <- 1 / sqrt(exp(top$maximum) + 1 / sd[k]^2)
    ends <- top$maximum + c(-12, 12) * wide
    wanted <- top$objective + log(integrate(function(eta) exp(log_density(eta) - top$objective), ends[1], ends[2],
                                            rel.tol = 1e-12)$value)
    expect_lt(abs(got[k] - wanted), 1e-9)
  }
  # and of responses with next to no error of their own
  seen <- c(0.3, -0.2, 2, 0.7)
  centre <- c(0, 0.1, -0.5, 0.2)
  spread <- c(0.5, 0.3, 0.4, 1)
  got <- statcl:::log_normal_mean(function(eta) dnorm(seen, eta, 2e-3, log = TRUE), centre, spread, 2e-3,
                                  dnorm(0, 0, 2e-3, log = TRUE))
  expect_lt(max(abs(got - dnorm(seen, centre, sqrt(spread^2 + 4e-6), log = TRUE))), 1e-11)
  expect_equal(statcl:::mixed_logs(list(c(-1, -2000), c(-2, -2001)), c(0.5, 0.5)),
               c(-1, -2000) + log((1 + exp(-1)) / 2), tolerance = 1e-14)
  mean <- mean[1:3]
  sd <- sd[1:3]
  part <- list(mean = c(-3, 0.5, 2, 0), sd = c(0.01, 0.4, 1, 5))
  for (link in c("logit", "probit", "cloglog", "cauchit")) {
    at <- function(eta) statcl:::binomial_mean(eta, NULL, link)
    got <- statcl:::predicted_response(binomial(link), part)
    for (k in 1:4) {
      moment <- function(f) integrate(function(z) f(at(part$mean[k] + part$sd[k] * z)) * dnorm(z), -9, 9,
                                      rel.tol = 1e-12, abs.tol = 0, subdivisions = 2000)$value
      wanted <- moment(identity)
      expect_lt(abs(got$mean[k] - wanted), 1e-10)
      expect_lt(abs(got$sd[k] - sqrt(moment(function(p) (p - wanted)^2))), 1e-9)
    }
    alone <- statcl:::predicted_response(binomial(link), part, FALSE)
    expect_identical(alone, list(mean = got$mean, sd = NULL))
  }
  q <- statcl:::predicted_quantiles(poisson(), list(list(mean = mean, sd = sd)), 1, 0.975)
  for (k in 1:3) {
    below <- function(q) integrate(function(eta) ppois(q, exp(eta)) * dnorm(eta, mean[k], sd[k]), mean[k] - 9 * sd[k],
                                   mean[k] + 9 * sd[k], rel.tol = 1e-10, subdivisions = 5000)$value
    expect_gte(below(q[k]), 0.975 - 1e-9)
    expect_lt(below(q[k] - 1), 0.975 + 1e-9)
  }
  d <- data.frame(x = 1:6 / 6, y = cospi(1:6), s = c(1, 0, 2, 1, 0, 1), f = c(1, 2, 0, 1, 0, 1))
  expect_error(gpFit(cbind(s, f) ~ 1, d, ~ x + y, family = binomial()), "no trials")
  expect_error(gpFit(s ~ 1, d, ~ x + y, family = "lm"), "family")
})

test_that("responses without spatial structure have the variance 0, and the fit is that of glm()", {
  set.seed(5)
  none <- data.frame(x = runif(150), y = runif(150), z = rnorm(150))
  none$yes <- rbinom(150, 1, plogis(-0.5 + none$z))
  none$amount <- rgamma(150, 3, 3 / exp(none$z))
  model <- covModel("exponential", range = NA, variance = NA)
  for (family in list(binomial(), Gamma("log"))) {
    response <- if (family$family == "binomial") "yes" else "amount"
    formula <- stats::reformulate("z", response)
    expect_no_warning(fit <- gpFit(formula, none, ~ x + y, model, family = family))
    plain <- glm(formula, family, none)
    expect_true(fit$converged)
    expect_identical(fit$parameters["variance", "estimate"], 0)
    expect_identical(fit$parameters["variance", "boundary"], "lower")
    expect_identical(fit$cov$variance, 0)
    expect_output(print(fit), "variance is on its boundary 0")
    expect_no_match(utils::capture.output(print(summary(fit))), "correlation falls")
    expect_equal(coef(fit), coef(plain), tolerance = 1e-4)
    expect_equal(attr(logLik(fit), "df"), 4 + (family$family == "Gamma"))
    new <- none[1:5, ]
    expect_equal(predict(fit, new, type = "link")$fit, unname(predict(plain, new)), tolerance = 1e-4)
    expect_equal(predict(fit, new, type = "link", se.fit = TRUE)$se.fit,
                 unname(predict(plain, new, se.fit = TRUE)$se.fit / sqrt(if (family$family == "Gamma")
                   summary(plain)$dispersion * fit$shape else 1)), tolerance = 0.01)
    expect_identical(dim(simulate(fit, 3, seed = 1)), c(150L, 3L))
    expect_true(all(is.finite(gpCV(fit, k = 3)$mean)))
  }
  expect_equal(as.numeric(logLik(update(fit, yes ~ z, family = binomial()))),
               as.numeric(logLik(glm(yes ~ z, binomial(), none))), tolerance = 1e-6)
})

test_that("what is fixed is judged in all families", {
  for (family in c("gaussian", "poisson"))
    for (fixed in list(methods::getClass("numeric"), list(range = sum), as.name("range")))
      expect_input_error(gpFit(speed ~ 1, cars, coords = ~ dist, fixed = fixed, family = family), "fixed")
})

# Rounding errors of covariances, some eps of the variance, count as much more as that is above the variances that
# neighbours leave, here some hundred times. Modes are found to 1e-10 of a standard deviation, steps to them by
# conjugate gradients, which stop at 1e-8.
test_that("likelihoods, predictions and draws are the same on all devices", {
  skip_if_quick()
  skip_if(!length(opencl_devices()), "no OpenCL device")
  set.seed(5)
  n <- 150
  d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n), site = sample(8, n, TRUE))
  eta <- 0.3 + 0.4 * d$z + as.vector(tbrf(as.matrix(d[1:2]), truth, 100)) + rnorm(8, 0, 0.4)[d$site]
  d$count <- rpois(n, exp(eta))
  d$yes <- rbinom(n, 1, plogis(eta))
  d$much <- rnbinom(n, mu = exp(eta), size = 2)
  d$amount <- vapply(rpois(n, exp(eta)), function(k) sum(rgamma(k, 2, 2)), 0)
  new <- data.frame(x = runif(40), y = runif(40), z = 0.5, site = 3:10)
  known <- function(formula, family, cov = truth, fixed = TRUE, method = "vecchia", ...)
    gpFit(formula, d, ~ x + y, cov = cov, family = family, m = 10, method = method, fixed = fixed, ...)
  rough <- covModel("matern", range = 0.2, smoothness = 0.7, variance = 0.8)
  cases <- list(
    counts = quote(known(count ~ z, poisson())), yes = quote(known(yes ~ z, binomial(), rough)),
    all = quote(known(count ~ z, poisson(), rough, method = "exact")),
    propagated = quote(known(yes ~ z, binomial(), approximation = "ep")),
    groups = quote(known(count ~ z + (1 | site), poisson(),
                         fixed = list(variance = 0.8, range = 0.2, variance.site = 0.2))),
    nbinom2 = quote(known(much ~ z, nbinom2(), fixed = list(variance = 0.8, range = 0.2, family.theta = 2))),
    tweedie = quote(known(amount ~ z, tweedie(), fixed = list(variance = 0.8, range = 0.2, family.phi = 1,
                                                              family.power = 1.5))))
  found <- function(case) {
    fit <- eval(case)
    link <- predict(fit, new, se.fit = TRUE, type = "link")
    c(loglik = c(logLik(fit)), coef(fit), sqrt(diag(fit$vcov)), link$fit, link$se.fit, predict(fit, new)$fit,
      unlist(simulate(fit, 2, seed = 1, newdata = new, type = "latent")[c("sim_1", "sim_2")]))
  }
  values <- lapply(cases, found)
  on_each_backend(for (name in names(cases))
    expect_equal(found(cases[[name]]), values[[name]], tolerance = 1e-8, label = paste(name, "by", device)))
})

test_that("searches end at the same maximum on all devices", {
  skip_if_quick()
  skip_if(!length(opencl_devices()), "no OpenCL device")
  found <- function() gpFit(count ~ z, d, ~ x + y, cov = covModel("matern", range = NA, smoothness = NA), m = 10,
                            family = poisson(), method = "vecchia")
  alone <- found()
  error <- sqrt(diag(alone$vcov))
  on_each_backend({
    fit <- found()
    expect_equal(c(logLik(fit)), c(logLik(alone)), tolerance = 1e-9)
    # no step from there promises more than 1e-9, which is one of sqrt(2e-9) standard errors
    expect_lt(max(abs(fit$parameters$estimate - alone$parameters$estimate)[error > 0] / error, na.rm = TRUE), 1e-4)
  })
})

# Scores against their definitions, cross-validation against fits and predictions without the fold, and losses of
# efficiency against a computation by hand.

test_that("scores are those of their definitions", {
  set.seed(1)
  y <- rnorm(20)
  m <- rnorm(20) / 2
  s <- runif(20, 0.3, 2)
  got <- gpScores(y, m, s, level = 0.9)
  crps <- mapply(function(y, m, s) {
    below <- integrate(function(x) pnorm(x, m, s)^2, -Inf, y, rel.tol = 1e-10)$value
    below + integrate(function(x) pnorm(x, m, s, lower.tail = FALSE)^2, y, Inf, rel.tol = 1e-10)$value
  }, y, m, s)
  l <- qnorm(0.05, m, s)
  u <- qnorm(0.95, m, s)
  expect_equal(got, c(RMSE = sqrt(mean((y - m)^2)), MAE = mean(abs(y - m)), CRPS = mean(crps),
                      logscore = -mean(dnorm(y, m, s, log = TRUE)),
                      interval = mean(u - l + 20 * pmax(l - y, 0) + 20 * pmax(y - u, 0)),
                      coverage = mean(y >= l & y <= u)), tolerance = 1e-9)
  # far out, where a difference of distribution functions is 0
  expect_equal(gpScores(50, 0, 1)[["CRPS"]], 50 - 1 / sqrt(pi), tolerance = 1e-14)
  expect_equal(gpScores(-50, 0, 1)[["CRPS"]], 50 - 1 / sqrt(pi), tolerance = 1e-14)
  expect_equal(gpScores(c(2, 1), 1, 0)[c("CRPS", "coverage")], c(CRPS = 0.5, coverage = 0.5))
})

test_that("vectors are recycled, and missing values left out if that is asked for", {
  expect_identical(gpScores(1:4, 2, c(1, 2)), gpScores(1:4, rep(2, 4), c(1, 2, 1, 2)))
  expect_warning(gpScores(1:3, 1:2, 1), "not a multiple")
  with_gap <- gpScores(c(1, NA, 3), c(0, 0, 5), 1)
  expect_true(all(is.na(with_gap)))
  expect_identical(gpScores(c(1, NA, 3, 9), c(0, 0, 5, 1), c(1, 1, 1, NA), na.rm = TRUE),
                   gpScores(c(1, 3), c(0, 5), 1))
  only_means <- gpScores(1:4, 2)
  expect_equal(only_means[1:2], c(RMSE = sqrt(1.5), MAE = 1))
  expect_true(all(is.na(only_means[-(1:2)])))
  expect_identical(gpScores(c(1:4, NA), 2, na.rm = TRUE), only_means)
  expect_error(gpScores(1, 1, -1), "sd = -1: sd must not be negative", class = "statcl_error_input")
  expect_error(gpScores("a", 1, 1), "y must be numeric", class = "statcl_error_input")
  expect_error(gpScores(numeric(), 1, 1), "y has length 0", class = "statcl_error_input")
  expect_error(gpScores(1, 1, 1, level = 1), "level", class = "statcl_error_input")
})

# 130 observations in a plane, with errors of known variances; two columns of the mean are the same.
cv_fit <- function(...) {
  set.seed(4)
  n <- 130
  d <- data.frame(x = runif(n), y = runif(n), u = rnorm(n), group = rep(c("a", "b"), c(n - 3, 3)))
  d$twice <- 2 * d$u
  d$known <- runif(n, 0, 0.1)
  model <- covModel("exponential", range = 0.2, nugget = 0.1)
  d$z <- drop(crossprod(chol(covariance(model, d[1:2]) + diag(d$known)), rnorm(n))) + d$u + 10
  gpFit(z ~ u + twice + group + offset(x), d, ~ x + y, "exponential", error.variance = known, ...)
}

# The prediction of observations at `at` from all others, by formulas.
krige_by_hand <- function(model, fit, at) {
  X <- fit$X[, !is.na(fit$coefficients)]
  S <- covariance(model, fit$x, error.variance = fit$error.variance)
  A <- chol2inv(chol(S[-at, -at]))
  y <- fit$y - fit$offset
  R <- X[-at, , drop = FALSE]
  beta <- solve(t(R) %*% A %*% R, t(R) %*% A %*% y[-at])
  k <- S[-at, at, drop = FALSE]
  trend <- X[at, , drop = FALSE] - t(k) %*% A %*% R
  variance <- diag(S)[at] - colSums(k * (A %*% k)) + rowSums((trend %*% solve(t(R) %*% A %*% R)) * trend)
  list(mean = unname(drop(X[at, , drop = FALSE] %*% beta + t(k) %*% A %*% (y[-at] - R %*% beta)) + fit$offset[at]),
       sd = sqrt(unname(variance)))
}

test_backends("predictions of folds from one inverse are those without the fold", {
  fit <- cv_fit()
  for (type in c("random", "block", "loo")) {
    set.seed(2)
    cv <- gpCV(fit, type, k = 4)
    expect_s3_class(cv, "gpCV")
    expect_equal(nrow(cv), fit$nobs)
    expect_equal(cv$fold, if (type == "loo") 1:130 else cv$fold)
    some <- split(seq_len(fit$nobs), cv$fold)
    for (at in some[unique(round(seq(1, length(some), length.out = 6)))]) {
      by_hand <- krige_by_hand(fit$cov, fit, at)
      expect_lt(max(abs(cv$mean[at] - by_hand$mean)), 1e-10)
      expect_lt(max(abs(cv$sd[at] / by_hand$sd - 1)), 1e-10)
    }
    expect_equal(cv$residual, unname(fit$y) - cv$mean)
    expect_equal(cv$z, cv$residual / cv$sd)
    set.seed(2)
    expect_identical(gpCV(fit, type, k = 4), cv)
    expect_identical(gpScores(cv), gpScores(cv$y, cv$mean, cv$sd))
  }
  set.seed(3)
  expect_true(all(table(gpCV(fit, k = 7)$fold) %in% 18:19))
})

test_that("covariance parameters are refitted without the fold", {
  fit <- cv_fit(fixed = list(nugget = 0.1))
  folds <- rep(1:3, length.out = 130)
  cv <- gpCV(fit, folds = folds, refit = TRUE)
  expect_equal(dim(attr(cv, "parameters")), c(3L, length(coef(fit, "covariance"))))
  expect_equal(unname(attr(cv, "parameters")[, "nugget"]), rep(0.1, 3))
  at <- which(folds == 2)
  again <- gpFit(z ~ u + group + offset(x), data.frame(z = fit$y, fit$X[, "u", drop = FALSE], x = fit$offset,
                                                     group = fit$X[, "groupb"])[-at, ],
                 fit$x[-at, ], "exponential", fixed = list(nugget = 0.1), error.variance = fit$error.variance[-at])
  expect_equal(attr(cv, "parameters")["2", ], coef(again, "covariance"),
               tolerance = 1e-4)
  by_hand <- krige_by_hand(update(fit$cov, variance = attr(cv, "parameters")["2", "variance"],
                                  range = attr(cv, "parameters")["2", "range"]), fit, at)
  expect_equal(cv$mean[at], by_hand$mean, tolerance = 1e-10)
  expect_equal(cv$sd[at], by_hand$sd, tolerance = 1e-10)
})

test_that("what the others do not tell is missing, with a warning", {
  fit <- cv_fit()
  folds <- c(rep(1:3, length.out = 127), 4, 4, 4)
  folds[5] <- 4
  expect_warning(cv <- gpCV(fit, folds = folds), "observation 128 (and 2 more)", fixed = TRUE)
  expect_equal(which(is.na(cv$mean)), 128:130)
  # the fifth is of the other group
  X <- fit$X[, c("(Intercept)", "u")]
  at <- c(5, 128:130)
  short <- fit
  short$X <- X
  short$coefficients <- fit$coefficients[colnames(X)]
  by_hand <- krige_by_hand(fit$cov, short, at)
  expect_equal(cv$mean[5], by_hand$mean[1], tolerance = 1e-10)
  expect_equal(cv$sd[5], by_hand$sd[1], tolerance = 1e-10)
  expect_true(anyNA(gpScores(cv)))
  expect_false(anyNA(gpScores(cv, na.rm = TRUE)))
  expect_output(print(cv), "3 not predicted")
  expect_error(gpCV(fit, folds = 1:4), "folds has length 4: there are 130 observations", class = "statcl_error_input")
  expect_error(gpCV(fit, folds = rep(1, 130)), "two or more", class = "statcl_error_input")
  expect_error(gpCV(fit, k = 1), "from 2 to the number of observations", class = "statcl_error_input")
  expect_error(gpCV(fit, "spatial"), "type must be one of", class = "statcl_error_input")
  expect_error(gpCV(lm(1:3 ~ 1)), "must be a fit by gpFit", class = "statcl_error_input")
})

test_that("rows with missing values have no part in folds, and blocks are near each other", {
  d <- data.frame(x = c(1:20, 101:120), y = rep(c(0, 1), 20), z = sin(1:40) + (1:40) / 40)
  d$z[3] <- NA
  fit <- gpFit(z ~ 1, d, ~ x + y, "exponential")
  cv <- gpCV(fit, folds = rep(c("a", "b"), 20))
  expect_equal(cv$fold, rep(c("a", "b"), 20)[-3])
  expect_equal(cv$observation, as.character(1:40)[-3])
  set.seed(1)
  blocks <- gpCV(fit, "block", k = 2)$fold
  expect_length(unique(blocks[1:19]), 1L)
  expect_length(unique(blocks[20:39]), 1L)
  expect_error(gpCV(gpFit(z ~ 1, transform(d, x = x %/% 100), ~ x + y, "exponential"), "block", k = 10),
               "at most the number of locations, 4", class = "statcl_error_input")
})

test_that("few observations or places have a fold each", {
  d <- data.frame(x = c(1, 2, 4, 7, 7, 9), z = c(1, 3, 2, 5, 4, 4))
  fit <- gpFit(z ~ 1, d, ~ x, covModel("exponential", range = 3, nugget = 0.5), fixed = TRUE)
  expect_identical(sort(gpCV(fit)$fold), 1:6)
  expect_identical(lengths(split(1:6, gpCV(fit, "block")$fold)), lengths(split(1:6, c(1, 2, 3, 4, 4, 5))))
  expect_error(gpCV(fit, k = 10), "from 2 to the number of observations, 6", class = "statcl_error_input")
})

test_that("results print, are summarised and plotted", {
  fit <- cv_fit()
  set.seed(1)
  cv <- gpCV(fit, k = 3)
  expect_output(print(cv), "3 random folds, 130 observations.*RMSE +MAE +CRPS +logscore +interval +coverage")
  expect_output(print(summary(cv)), "Standardised residuals.*fold +n +RMSE")
  expect_equal(summary(cv)$folds$n, as.vector(table(cv$fold)))
  expect_output(print(gpCV(fit, "loo")), "leave-one-out, 130")
  expect_identical(class(head(cv)), "data.frame")
  expect_identical(class(cv[1:3, c("y", "mean")]), "data.frame")
  expect_identical(class(as.data.frame(cv)), "data.frame")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_invisible(plot(cv))
  expect_invisible(plot(cv, "qq", main = "z", col = 2))
})

mloe_by_hand <- function(true, approximate, x, new, nugget = TRUE) {
  K <- covariance(true, x)
  A <- covariance(approximate, x)
  k <- covariance(true, x, new)
  a <- covariance(approximate, x, new)
  w <- solve(A, a)
  own <- function(model) model$variance + if (nugget) model$nugget else 0
  t <- own(true) - colSums(k * solve(K, k))
  ta <- own(true) - 2 * colSums(w * k) + colSums(w * (K %*% w))
  data.frame(LOE = ta / t - 1, MOM = (own(approximate) - colSums(a * w)) / ta - 1)
}

test_backends("losses of efficiency are those by hand", {
  set.seed(5)
  x <- matrix(runif(200), 100)
  new <- matrix(runif(60), 30)
  true <- covModel("matern", range = 0.1, smoothness = 1, variance = 2, nugget = 0.1)
  other <- covModel("exponential", range = 0.3, nugget = 0.2, angle = 20, ratio = 0.5)
  got <- gpMLOE(true, other, x, new)
  by_hand <- mloe_by_hand(true, other, x, new, FALSE)
  expect_equal(got$points$LOE, by_hand$LOE, tolerance = 1e-10)
  expect_equal(got$points$MOM, by_hand$MOM, tolerance = 1e-10)
  expect_equal(c(got$MLOE, got$MMOM), unname(colMeans(by_hand)), tolerance = 1e-10)
  response <- gpMLOE(true, other, x, new, "response")
  expect_equal(response$points[1:2], mloe_by_hand(true, other, x, new), tolerance = 1e-10)
  same <- gpMLOE(true, true, x, new)
  expect_lt(max(abs(unlist(same[1:2]))), 1e-14)
  # losses of second order in the difference of the models are right to the last: a quarter for half of it
  loss <- vapply(c(1e-5, 5e-6), function(e) gpMLOE(true, update(true, range = 0.1 * (1 + e)), x, new)$MLOE, 0)
  expect_equal(loss[1] / loss[2], 4, tolerance = 1e-4)
  expect_output(print(got), "Predictions at 30 locations\nMLOE 0.*MMOM")
})

test_that("losses are there for other metrics, at observed locations and for wrong arguments", {
  set.seed(6)
  sphere <- cbind(runif(40, -180, 180), runif(40, -80, 80))
  true <- covModel("exponential", range = 3000, distance = "greatcircle")
  other <- covModel("exponential", range = 3000, distance = "chordal")
  got <- gpMLOE(true, other, sphere[1:30, ], sphere[31:40, ])
  expect_true(all(got$points$LOE > 0))
  plane <- covModel("exponential", range = 1)
  expect_true(is.nan(gpMLOE(plane, update(plane, range = 2), cbind(1:5, 0), cbind(c(2, 2.5), 0))$points$LOE[1]))
  expect_output(print(gpMLOE(plane, update(plane, range = 2), cbind(1:5, 0), cbind(c(2, 2.5), 0))), "1 observed")
  expect_error(gpMLOE(plane, "exponential", cbind(1:5, 0), cbind(1, 1)), "approximate must be a model",
               class = "statcl_error_input")
  expect_error(gpMLOE(plane, plane, cbind(1:5, 0), cbind(1, 1, 1)), "dimension", class = "statcl_error_input")
  expect_error(gpMLOE(update(plane, distance = "given"), plane, cbind(1:5, 0), cbind(1, 1)), "another distance",
               class = "statcl_error_input")
  place <- gpMLOE(covModel("separable", space = plane, time = plane), covModel("separable", space = plane,
    time = covModel("exponential", range = 3)), cbind(runif(20), runif(20), 1:20), cbind(0.5, 0.5, 3.5))
  expect_gt(place$MLOE, 0)
})

test_that("refits that fail, or end on a boundary, are named by their fold", {
  set.seed(61)
  d <- data.frame(x = runif(24), y = runif(24), z = rnorm(24))
  d$fold <- rep(c("a", "b", "c"), 8)
  d$z[d$fold != "b"] <- 1
  fit <- gpFit(z ~ 1, d, ~ x + y, "exponential", fixed = list(nugget = 0.1))
  expect_warning(cv <- gpCV(fit, folds = d$fold, refit = TRUE),
                 "^without fold b: the response is constant.*: its predictions are missing$")
  expect_identical(is.na(cv$mean), d$fold == "b")
  expect_identical(unname(is.na(attr(cv, "parameters")[, "range"])), c(FALSE, TRUE, FALSE))
  set.seed(1)
  d[c("x", "y")] <- runif(48)
  d$z <- sin(4 * d$x) + ifelse(d$fold == "b", rnorm(24), 0)
  fit <- gpFit(z ~ 1, d, ~ x + y, covModel("exponential", range = 0.3, nugget = 0.1))
  expect_identical(fit$parameters["nugget", "boundary"], "")
  expect_message(gpCV(fit, folds = d$fold, refit = TRUE), "on a boundary: nugget without fold b\n$")
})

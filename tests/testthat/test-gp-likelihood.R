# Against 40 digits (tools/gp_reference.py), and against the formula with R's own factor of covariance()'s matrix.

by_hand <- function(model, x, y, X = NULL, estimator = "ML", error = 0, deriv = character()) {
  S <- covariance(model, x) + diag(error, nrow(x))
  R <- chol(S)
  inverse <- chol2inv(R)
  P <- inverse
  n <- length(y)
  if (!is.null(X)) P <- P - inverse %*% X %*% solve(t(X) %*% inverse %*% X, t(X) %*% inverse)
  log_det <- 2 * sum(log(diag(R)))
  if (!is.null(X) && estimator == "REML") {
    n <- n - ncol(X)
    log_det <- log_det + determinant(t(X) %*% inverse %*% X)$modulus
  }
  a <- P %*% y
  value <- -(n * log(2 * pi) + log_det + sum(y * a)) / 2
  W <- tcrossprod(a) - if (estimator == "REML") P else inverse
  list(value = as.numeric(value),
       gradient = vapply(deriv, function(d) sum(W * covariance(model, x, deriv = d)) / 2, 0))
}

test_backends("log likelihood and gradient are those of 40 digits", {
  ref <- read.csv(test_path("ref", "gp_small.csv"))
  phi <- (sqrt(5) - 1) / 2
  u <- round((1:24 * phi) %% 1, 6)
  v <- round((1:24 * phi^2 * 3) %% 1, 6)
  names <- c("variance", "range", "smoothness", "nugget")
  for (i in seq_len(nrow(ref))) for (route in c("direct", "table")) {
    model <- do.call(covModel, c("matern", ref[i, names]))
    options(statcl.covariance.route = route)
    got <- gpLoglik(model, cbind(u, v), round(sin(5 * u) + v, 6), gradient = TRUE)
    options(statcl.covariance.route = NULL)
    expect_lt(abs(got - ref$loglik[i]), 1e-13 * max(24, abs(ref$loglik[i]))) # a sum of 24 terms about 1
    expect_lt(max(abs(attr(got, "gradient")[names] / unlist(ref[i, paste0("d_", names)]) - 1)), 1e-11)
  }
})

test_backends("means, restricted likelihood, known errors, sums and anisotropy agree with R's own factor", {
  set.seed(8)
  x <- matrix(runif(400), 200)
  y <- rnorm(200) + 3
  X <- cbind(one = 1, x, sin(9 * x[, 1]))
  models <- list(covModel("matern", range = 0.2, smoothness = 0.8, nugget = 0.1, angle = 30, ratio = 0.4),
                 covModel("cauchy", range = 0.2, shape = 1.3) + covModel("wendland", range = 0.5, smoothness = 1,
                                                                         shape = 4, variance = 2, nugget = 0.3))
  error <- runif(200)
  for (model in models) for (estimator in c("ML", "REML")) {
    parts <- statcl:::model_parts(model)
    names <- statcl:::parameter_names(parts)$name
    wanted <- by_hand(model, x, y, X, estimator, error, names)
    got <- gpLoglik(model, x, y, X, estimator, error.variance = error, gradient = TRUE)
    expect_lt(abs(as.numeric(got) / wanted$value - 1), 1e-12)
    expect_named(attr(got, "gradient"), names)
    expect_lt(max(abs(attr(got, "gradient") - wanted$gradient)), 1e-10 * max(abs(wanted$gradient)))
    expect_named(attr(got, "coefficients"), colnames(X))
  }
  shifted <- update(models[[1]], mean = 3)
  expect_equal(gpLoglik(shifted, x, y), gpLoglik(models[[1]], x, y - 3))
  expect_equal(gpLoglik(update(shifted, mean = function(x) x[, 1]), x, y), gpLoglik(models[[1]], x, y - x[, 1]))
  sphere <- covModel("exponential", range = 800, variance = 2, nugget = 0.1, distance = "greatcircle")
  places <- cbind(runif(150, -180, 180), runif(150, -80, 80))
  got <- gpLoglik(sphere, places, y[1:150], gradient = TRUE, information = TRUE)
  wanted <- by_hand(sphere, places, y[1:150], deriv = c("variance", "range", "nugget"))
  expect_lt(abs(as.numeric(got) / wanted$value - 1), 1e-12)
  # angles and ratios are of the plane
  expect_identical(names(attr(got, "gradient")), c("variance", "range", "nugget"))
  expect_lt(max(abs(attr(got, "gradient") - wanted$gradient)), 1e-10 * max(abs(wanted$gradient)))
  expect_silent(chol(attr(got, "information")))
  time <- covModel("gneiting", space = covModel("matern", range = 0.3, smoothness = 0.5), time = list(range = 1))
  moving <- cbind(x, 1:200 / 20)
  got <- gpLoglik(time, moving, y, gradient = TRUE)
  names <- names(attr(got, "gradient"))
  wanted <- by_hand(time, moving, y, deriv = names)
  expect_lt(abs(as.numeric(got) / wanted$value - 1), 1e-12)
  expect_lt(max(abs(attr(got, "gradient") - wanted$gradient)), 1e-10 * max(abs(wanted$gradient)))
})

test_that("the likelihood does not depend on the threads, and few observations have one", {
  set.seed(9)
  x <- matrix(runif(1400), 700)
  y <- rnorm(700)
  model <- covModel("matern", range = 0.1, smoothness = 1.5, nugget = 0.01)
  old <- options(statcl.threads = 1)
  on.exit(options(old))
  one <- gpLoglik(model, x, y, gradient = TRUE)
  options(statcl.threads = 3)
  expect_identical(gpLoglik(model, x, y, gradient = TRUE), one)
  for (n in c(1, 2, 63, 64, 65)) {
    some <- x[seq_len(n), , drop = FALSE]
    expect_equal(gpLoglik(model, some, y[seq_len(n)]), by_hand(model, some, y[seq_len(n)])$value, tolerance = 1e-13)
  }
})

test_that("a value that overflows has the attributes that were asked for", {
  x <- cbind(1:5, c(2, 1, 4, 3, 5))
  y <- c(1, 3, 2, 5, 4)
  model <- covModel("exponential", range = 2, nugget = 0.1)
  for (X in list(NULL, rep(1, 5))) {
    usual <- attributes(gpLoglik(model, x, y, X, gradient = TRUE, information = TRUE))
    value <- gpLoglik(model, x, 1e200 * y, X, gradient = TRUE, information = TRUE)
    expect_identical(c(value), -Inf)
    expect_identical(names(attributes(value)), names(usual))
    expect_identical(attr(value, "gradient"), NaN * usual$gradient)
    expect_identical(attr(value, "information"), NaN * usual$information)
    if (!is.null(X)) expect_equal(attr(value, "coefficients"), 1e200 * usual$coefficients)
  }
})

test_that("a matrix that is not positive definite is told of, and nothing is added to it", {
  x <- cbind(c(0, 1, 0.3, 1), 0)
  model <- covModel("gaussian", range = 2)
  expect_warning(value <- gpLoglik(model, x, 1:4, gradient = TRUE),
                 "not positive definite .* from location 4 on; 2 is the nearest .*range = 2, nugget = 0")
  expect_identical(as.numeric(value), -Inf)
  expect_true(all(is.nan(attr(value, "gradient"))))
  expect_silent(gpLoglik(update(model, nugget = 1e-6), x, 1:4))
})

test_that("arguments are checked", {
  model <- covModel("exponential", range = 1)
  x <- cbind(1:3, 0)
  expect_error(gpLoglik(model, x, 1:4), "y has length 4: x has 3 points")
  expect_error(gpLoglik(model, x, c(1, NA, 2)), "y\\[2\\] = NA: y must be finite")
  expect_error(gpLoglik(model, 1:3, 1:3), "x has distances")
  expect_error(gpLoglik(model, x, 1:3, X = cbind(1:2)), "X has 2 rows")
  expect_error(gpLoglik(model, x, 1:3, X = cbind(1, c(2, 2, 2))), "X has 2 columns, and rank 1")
  expect_error(gpLoglik(model, x, 1:3, error.variance = 1:2), "error.variance has length 2")
  expect_error(gpLoglik(model, x, 1:3, gradient = NA), "gradient = NA")
  expect_error(gpLoglik(covModel("exponential", range = NA), x, 1:3), "range")
})

test_that("vectors are columns, or refused", {
  model <- covModel("exponential", range = 1)
  x <- cbind(c(1, 2, 4), 0)
  expect_identical(gpLoglik(model, x, 1:3, X = c(1, 0, 2)), gpLoglik(model, x, 1:3, X = cbind(c(1, 0, 2))))
  expect_error(gpLoglik(model, x, 1:3, X = 1:2), "X has 2 rows: x has 3 points", class = "statcl_error_input")
  expect_error(gpLoglik(model, 1:3, 1:3), "x has distances; cbind\\(x\\) has points on a line",
               class = "statcl_error_input")
})

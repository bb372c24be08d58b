# options(statcl.blas = "R") against tiles, and memory that is not there.

test_that("R's LAPACK gives the same values, gradients and information", {
  set.seed(31)
  x <- matrix(runif(400), 200)
  y <- rnorm(200)
  X <- cbind(one = 1, x)
  models <- list(covModel("matern", range = 0.2, smoothness = 0.8, nugget = 0.1, angle = 30, ratio = 0.4),
                 covModel("exponential", range = 0.3, nugget = 0.2) + covModel("cauchy", range = 0.2, shape = 1.3))
  for (model in models) for (estimator in c("ML", "REML")) for (kind in c("expected", "average")) {
    evaluate <- function(...)
      gpLoglik(model, x, y, X, estimator, error.variance = 0.01, gradient = TRUE, information = kind)
    own <- evaluate()
    old <- options(statcl.blas = "R")
    theirs <- evaluate()
    options(old)
    expect_lt(abs(as.numeric(theirs) / as.numeric(own) - 1), 1e-12)
    for (name in c("coefficients", "gradient", "information")) {
      a <- attr(theirs, name)
      b <- attr(own, name)
      expect_identical(attributes(a), attributes(b))
      expect_lt(max(abs(a - b)), 1e-11 * max(abs(b)))
    }
  }
})

test_that("R's LAPACK finds the same row that is not positive definite", {
  x <- cbind(c(0, 1, 0.3, 1), 0)
  old <- options(statcl.blas = "R")
  on.exit(options(old))
  expect_warning(value <- gpLoglik(covModel("gaussian", range = 2), x, 1:4, gradient = TRUE), "from location 4 on")
  expect_identical(as.numeric(value), -Inf)
  far <- cbind(c(1:20, 7), 0) # a pivot that is rounding errors, of either sign
  expect_warning(gpLoglik(covModel("exponential", range = 3), far, 1:21), "from location 21 on; 7 is the nearest")
  options(statcl.blas = "mine")
  expect_input_error(gpLoglik(covModel("exponential", range = 3), far[1:3, ], 1:3),
                     "options(statcl.blas = \"mine\") must be one of")
})

test_that("cross-validation and losses of efficiency take R's LAPACK too", {
  set.seed(32)
  x <- matrix(runif(260), 130)
  d <- data.frame(y = rnorm(130), g = c("a", rep(c("b", "c"), length.out = 129)))
  model <- covModel("exponential", range = 0.3, nugget = 0.2)
  fit <- gpFit(y ~ g, d, x, model, fixed = TRUE)
  new <- matrix(runif(20), 10)
  several <- function() list(
    suppressWarnings(gpCV(fit, folds = rep(1:5, 26)))[c("mean", "sd")], # a level is seen in one fold alone
    gpMLOE(model, update(model, range = 0.5), x, new), residuals(fit, "loo"))
  own <- several()
  old <- options(statcl.blas = "R")
  on.exit(options(old))
  expect_equal(several(), own, tolerance = 1e-11) # the condition, some 1e3, times eps, and n of these
})

test_backends("no device keeps a factor when a call is over", {
  set.seed(33)
  x <- matrix(runif(140), 70)
  model <- covModel("exponential", range = 0.3, nugget = 0.2)
  fit <- gpFit(y ~ 1, data.frame(y = rnorm(70)), x, model, fixed = TRUE)
  new <- matrix(runif(8), 4)
  data <- list(x = x, y = as.double(fit$y))
  kept <- function(expr) { # whether one is there after the expression
    force(expr)
    .Call(statcl:::C_gpForget)
  }
  expect_false(kept(gpLoglik(model, x, fit$y, gradient = TRUE)))
  expect_false(kept(predict(fit, new, se.fit = TRUE)))
  for (method in c("exact", "spectral")) expect_false(kept(simulate(fit, newdata = new, method = method)))
  expect_false(kept(simulate(fit)))
  expect_false(kept(simulate(model, x = x)))
  expect_false(kept(simulate(covModel("gaussian", range = 9), x = x)))
  expect_false(kept(tbrf(new, model, 20, data = data)))
  for (type in c("standardized", "loo")) expect_false(kept(residuals(fit, type)))
  expect_false(kept(gpCV(fit, folds = rep(1:2, 35))))
  expect_false(kept(gpMLOE(model, update(model, range = 0.5), x, new)))
  p <- statcl:::fit_problem(fit)
  device <- !identical(useDevice(), "cpu")
  expect_identical(kept(statcl:::gp_factor(p)), device)
  # nor does it forget one that is still needed
  there <- logical()
  solve <- statcl:::gp_solve
  on.exit(utils::assignInNamespace("gp_solve", solve, "statcl"))
  utils::assignInNamespace("gp_solve", function(factor, b, transposed) {
    if (transposed) there <<- c(there, .Call(statcl:::C_gpFetch, factor, nrow(b)))
    solve(factor, b, transposed)
  }, "statcl")
  residuals(fit, "loo")
  expect_identical(there[1], device)
  there <- logical()
  gpCV(fit, folds = rep(1:2, 35))
  expect_identical(there[1], device)
})

test_that("memory that is not there is told of before anything is computed", {
  skip_if_not(is.finite(statcl:::free_gigabytes()))
  n <- 1e6L # 4 TB
  model <- covModel("exponential", range = 0.1)
  expect_error(statcl:::gp_memory(n), "1000000 observations takes 4000.* GB of memory, and .* GB are available",
               class = "statcl_error_memory")
  x <- cbind(seq_len(n), 0)
  expect_error(gpLoglik(model, x, rep(0, n)), class = "statcl_error_memory")
  expect_error(simulate(model, x = x, method = "exact"), class = "statcl_error_memory")
  old <- options(statcl.blas = "R")
  expect_error(statcl:::gp_memory(n), "16000.* GB .*options\\(statcl.blas = \"own\"\\)",
               class = "statcl_error_memory")
  # a gradient has the factor, the weights, a derivative and their product
  expect_equal(statcl:::gp_gigabytes(n, gradient = TRUE), 32000)
  options(old)
  expect_equal(statcl:::gp_gigabytes(n, gradient = TRUE), statcl:::gp_gigabytes(n))
  # and expected information a matrix for each of its parameters, and five
  expect_equal(statcl:::gp_gigabytes(n, expected = 3) - statcl:::gp_gigabytes(n), 8 * 8000)
  few <- 1e5L # a tenth of this is what a factor takes
  skip_if(statcl:::gp_gigabytes(few, expected = 3) < statcl:::free_gigabytes())
  expect_error(gpLoglik(model, x[seq_len(few), ], rep(0, few), information = TRUE), "expected information",
               class = "statcl_error_memory")
  expect_silent(statcl:::gp_memory(2000))
  expect_identical(statcl:::free_gigabytes(tempfile()), Inf)
  free <- statcl:::free_gigabytes
  on.exit(utils::assignInNamespace("free_gigabytes", free, "statcl"))
  utils::assignInNamespace("free_gigabytes", function() 0, "statcl")
  expect_silent(statcl:::gp_memory(2000)) # too little to be refused
  expect_error(statcl:::gp_memory(20000), class = "statcl_error_memory")
  utils::assignInNamespace("free_gigabytes", free, "statcl")
  # where nobody tells how much there is, the allocation fails: these are more than addresses
  p <- statcl:::gp_problem(model, statcl:::likelihood_points(x[1:2, ], model), NULL)
  p[c("xy", "metric", "diagonal")] <- list(matrix(0, 7e6, 1), list(kind = "euclidean", radius = 1), 0)
  expect_error(statcl:::gp_factor(p), "7000000 observations takes 196001", class = "statcl_error_memory")
})

# Laplace's approximation without fill against dense matrices, and against sparse factors of package Matrix.

solver_data <- function(n, seed = 1, range = 0.15) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n))
  model <- covModel("exponential", range = range)
  d$w <- if (n > 1000) as.vector(simulate(model, 1, seed = seed, x = as.matrix(d[1:2]), method = "tbrf"))
         else drop(crossprod(chol(covariance(model, as.matrix(d[1:2]))), rnorm(n)))
  transform(d, count = rpois(n, exp(w + 0.3 * z)), yes = rbinom(n, 1, plogis(w)))
}

# What gpFit() has while it searches: the likelihood at parameters v, with derivatives by the logarithms of those of
# the covariance and by the mean, and by another solver if one is given.
solver_problem <- function(formula, d, family, m) {
  fit <- gpFit(formula, d, ~ x + y, covModel("exponential", range = 0.15, variance = 1), family = family,
               fixed = TRUE, m = m)
  ask <- list(model = covModel("exponential", range = 0.15, variance = 1), fixed = list(nugget = 0), start = NULL,
              points = statcl:::plain_points(fit$x))
  fit$y <- statcl:::responses_of(fit)
  fit$m <- m
  own <- statcl:::laplace_request(fit, ask)
  list(p = statcl:::laplace_problem(own$p, own$l, m), rows = own$about$rows)
}
solver_free <- function(problem)
  which(problem$rows$name %in% c("variance", "range") | problem$rows$kind == "coefficient")
solver_value <- function(problem, v, solver = NULL, slopes = FALSE) {
  p <- problem$p
  if (!is.null(solver)) p$laplace$factorise <- function(l, q, weight, whole) {
    f <- solver(q, statcl:::location_sums(l, weight))
    list(step = function(b, weight, tolerance) f$step(b, statcl:::location_sums(l, weight), tolerance),
         log_det = f$log_det, sound = TRUE)
  }
  p$laplace$graph$state <- new.env()
  at <- if (slopes) solver_free(problem) else integer()
  point <- statcl:::parameter_point(v, at)
  point$moved <- function(j, h) replace(v, at[j], v[at[j]] * exp(h))
  statcl:::laplace_value(point, p, problem$rows, if (slopes) -Inf else Inf)
}
solver_factor <- function(problem, v) {
  l <- problem$p$laplace
  mean <- v[problem$rows$kind == "coefficient"]
  statcl:::laplace_at(statcl:::gp_at(problem$p, statcl:::laplace_model(problem$p, v, problem$rows)),
                      l$offset + drop(l$basis %*% mean), l$own)$factor
}
solver_slopes <- function(problem, v, solver = NULL, h = 1e-3) vapply(solver_free(problem), function(i) {
  move <- function(h) replace(v, i, if (problem$rows$part[i] > 0) v[i] * exp(h) else v[i] + h)
  (solver_value(problem, move(h), solver)$value - solver_value(problem, move(-h), solver)$value) / (2 * h)
}, 0)

dense_precision <- function(q) {
  n <- length(q$prior[[1]])
  B <- diag(n)
  B[cbind(rep(seq_len(n), diff(q$pattern[[1]])), q$pattern[[2]] + 1L)] <- -q$prior[[2]]
  crossprod(B / sqrt(q$prior[[1]]))
}
# A solver by package Matrix: sparse factors with all fill.
with_fill <- function(q, weight) {
  n <- length(weight)
  B <- Matrix::sparseMatrix(c(seq_len(n), rep(seq_len(n), diff(q$pattern[[1]]))), c(seq_len(n), q$pattern[[2]] + 1L),
                            x = c(rep(1, n), -q$prior[[2]]))
  Q <- Matrix::crossprod(B / sqrt(q$prior[[1]]))
  factor <- function(weight)
    Matrix::Cholesky(Q + Matrix::Diagonal(n, weight), perm = TRUE, LDL = FALSE, super = TRUE)
  f <- factor(weight)
  list(step = function(b, weight, tolerance) list(x = as.vector(Matrix::solve(factor(weight), b)), steps = 1L),
       log_det = function() 2 * as.vector(Matrix::determinant(f, sqrt = TRUE)$modulus),
       forms = function(at, weights) vapply(seq_len(ncol(at)), function(k) {
         c <- replace(numeric(n), at[, k], weights[, k])
         sum(c * as.vector(Matrix::solve(f, c)))
       }, 0))
}
solver_precision <- function(problem) statcl:::laplace_precision(problem$p)

d300 <- solver_data(300)

test_that("the factor is that of the prior without responses, and what it solves for is that of dense matrices", {
  problem <- solver_problem(count ~ z, d300, poisson(), 10)
  q <- solver_precision(problem)
  Q <- dense_precision(q)
  # ratios of variances reach 1e3, and sums have 300 terms
  none <- .Call(statcl:::C_laplaceFactor, list(q$pattern, q$prior, numeric(300)))
  expect_equal(none[[1]], 1 / sqrt(q$prior[[1]]), tolerance = 1e-12)
  expect_equal(none[[2]], -q$prior[[2]] / rep(sqrt(q$prior[[1]]), diff(q$pattern[[1]])), tolerance = 1e-11)
  expect_identical(none[[4]], 0)
  set.seed(2)
  weight <- exp(rnorm(300))
  A <- Q + diag(weight)
  f <- statcl:::reverse_factor(q, weight)
  b <- matrix(rnorm(300 * 9), 300)
  expect_equal(f$solve(b), solve(A, b), tolerance = 1e-8)
  expect_equal(f$solve(b[, 4]), solve(A, b[, 4]), tolerance = 1e-8)
  expect_lte(f$step(b, weight, 1e-6)$steps, 12L)
  expect_lte(f$step(b[, 1], 2 * weight, 1e-6)$steps, 30L)
  expect_equal(f$step(b[, 1], 2 * weight, 1e-9)$x, solve(A + diag(weight), b[, 1]), tolerance = 1e-6)
  V <- solve(f$draws(diag(300)))
  expect_equal(f$log_det(), 2 * sum(log(diag(V))), tolerance = 1e-11)
  at <- matrix(sample(300, 40), 4)
  weights <- matrix(rnorm(40), 4)
  wanted <- vapply(1:10, function(k) sum(solve(t(V[, ]), replace(numeric(300), at[, k], weights[, k]))^2), 0)
  # every element that is dropped is below 1e-6 of a sum, and there are 300
  expect_lt(max(abs(f$forms(at, weights) / wanted - 1)), 300e-6)
  # which columns go together does not matter
  expect_identical(vapply(1:10, function(k) f$forms(at[, k, drop = FALSE], weights[, k, drop = FALSE]), 0),
                   f$forms(at, weights))
  exact <- vapply(1:10, function(k) {
    c <- replace(numeric(300), at[, k], weights[, k])
    sum(c * solve(A, c))
  }, 0)
  expect_lt(max(abs(f$forms(at, weights) / exact - 1)), 0.01)
  more <- f$correction(64L)
  expect_lt(abs(f$log_det() + more[1] - determinant(A)$modulus[[1]]), 4 * more[2])
  expect_lt(more[2], 0.05)
})

test_that("with all neighbours there is nothing to correct", {
  fit <- gpFit(count ~ z, d300[1:80, ], ~ x + y, covModel("exponential", range = 0.15), family = poisson(),
               fixed = TRUE, method = "exact")
  expect_identical(c(fit$loglik.correction, fit$loglik.error), c(0, 0))
  # the prior by the covariance matrix is that by the neighbours: the condition number of the matrix is 1e4
  p <- solver_problem(count ~ z, d300[1:80, ], poisson(), 79)$p
  dense <- statcl:::dense_prior(p, p$laplace$graph$pattern)
  near <- .Call(statcl:::C_laplacePrior, p$laplace$graph$pattern, p$vecchia$pointer, p$engine,
                statcl:::latent_jitter(p))
  expect_equal(dense, near, tolerance = 1e-11)
  new <- matrix(c(0.1, 0.5, 0.9, 0.2, 0.7, 0.4), 3)
  near <- statcl:::nearest_observations(p, new, 80)
  expect_equal(statcl:::given_all(p, new, near),
               statcl:::given_neighbours(p, new, matrix(0, 80, 0), near, 80, TRUE), tolerance = 1e-11)
  singular <- covariance(covModel("gaussian", range = 5, variance = 1), as.matrix(d300[1:80, c("x", "y")]))
  expect_gt(.Call(statcl:::C_laplaceDensePrior, p$laplace$graph$pattern, singular)[[3]], 0)
  some <- gpFit(count ~ z, d300, ~ x + y, covModel("exponential", range = 0.15), family = poisson(), fixed = TRUE,
                m = 10)
  expect_gt(some$loglik.error, 0)
  expect_output(print(summary(some)), "standard error of the log likelihood 0.0")
  expect_no_match(utils::capture.output(print(summary(fit))), "standard error of the log")
})

test_that("more locations than one task has columns can all be neighbours, and variances are exact", {
  skip_if_quick()
  d <- solver_data(1100, 6)
  model <- covModel("exponential", range = 0.15)
  fit <- gpFit(count ~ 0, d, ~ x + y, model, family = poisson(), fixed = TRUE, method = "exact")
  some <- gpFit(count ~ 0, d, ~ x + y, model, family = poisson(), fixed = TRUE)
  at <- as.matrix(d[c("x", "y")])
  w <- fit$linear.predictors
  # at the mode w = S score, where scores are of about 1
  expect_lt(max(abs(w - covariance(model, at) %*% (d$count - exp(w)))), 1e-5)
  new <- data.frame(x = runif(100), y = runif(100))
  across <- covariance(model, at, as.matrix(new))
  exact <- 1 - colSums(across * solve(covariance(model, at) + diag(exp(-w)), across))
  expect_equal(predict(fit, new, type = "link", se.fit = TRUE)$se.fit^2, exact, tolerance = 1e-6)
  expect_true(all(simulate(fit, 1, seed = 1, newdata = new[1:3, ], conditional = TRUE)$sim_1 >= 0))
  expect_lt(max(abs(predict(some, new, type = "link", se.fit = TRUE)$se.fit^2 / exact - 1)), 0.01)
})

test_that("gradients are those of the value", {
  for (k in 1:2) {
    problem <- solver_problem(if (k == 1) count ~ z else yes ~ z, d300, list(poisson(), binomial())[[k]], 10)
    v <- problem$rows$value
    e <- solver_value(problem, v, slopes = TRUE)
    by <- solver_slopes(problem, v, h = 1e-4)
    # values are right to 1e-10, over steps of 1e-4; gradients, of 100, differ by h^2/6 third derivatives: 1e-7
    expect_lt(max(abs(e$gradient - by)), 1e-5)
    expect_gt(max(abs(by)), 1)
  }
})

test_that("values, scores and variances are near those with all fill", {
  skip_if_not_installed("Matrix")
  skip_if_quick()
  d <- solver_data(2000, 4, 0.1)
  for (k in every_nth(1:2, 2)) {
    problem <- solver_problem(if (k == 1) count ~ z else yes ~ z, d, list(poisson(), binomial())[[k]], 20)
    v <- problem$rows$value
    e <- solver_value(problem, v, slopes = TRUE)
    exact <- solver_value(problem, v, with_fill)$value
    more <- solver_factor(problem, v)$correction(64L) / 2
    expect_lt(abs(e$value - exact), 0.5)
    expect_lt(abs(e$value - more[1] - exact), 4 * more[2] + 1e-6)
    expect_lt(more[2], 0.05)
    by <- solver_slopes(problem, v, with_fill)
    expect_lt(max(abs((e$gradient - by) / sqrt(diag(e$information)))), 0.03)
  }
})

test_that("variances of predictions do not depend on the order of cells, nor results on threads", {
  fit <- gpFit(count ~ z, d300, ~ x + y, covModel("exponential", range = 0.15), family = poisson(), fixed = TRUE,
               m = 10)
  set.seed(3)
  new <- data.frame(x = runif(500), y = runif(500), z = rnorm(500))
  turn <- sample(500)
  error <- predict(fit, new, type = "link", se.fit = TRUE)$se.fit
  expect_equal(predict(fit, new[turn, ], type = "link", se.fit = TRUE)$se.fit, error[turn], tolerance = 1e-12)
  expect_gt(sd(error), 0.05)
  old <- options(statcl.threads = 1)
  on.exit(options(old))
  one <- gpFit(count ~ z, d300, ~ x + y, "exponential", family = poisson(), m = 10)
  alone <- predict(fit, new, type = "link", se.fit = TRUE)$se.fit
  options(statcl.threads = 3)
  expect_identical(gpFit(count ~ z, d300, ~ x + y, "exponential", family = poisson(), m = 10)[c(
    "coefficients", "loglik", "loglik.error", "latent", "vcov")], one[c(
    "coefficients", "loglik", "loglik.error", "latent", "vcov")])
  expect_identical(predict(fit, new, type = "link", se.fit = TRUE)$se.fit, alone)
})

test_that("patterns have as many places as there are integers", {
  expect_null(statcl:::check_pattern(2^31 - 1, 1L, 1e8))
  expect_error(statcl:::check_pattern(2^31, 1L, 1e8), "a process at 100000000 locations .*smaller m",
               class = "statcl_error_memory")
  expect_error(statcl:::check_pattern(3e9, 2L, 1e6), "2 processes at 1000000 locations")
})

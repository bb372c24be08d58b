# Matrices in integrands, and functions that are called for their elements: against R for single numbers, on both
# backends.
fast_builds_in_file()

must <- function(...) {
  old <- options(statcl.translate = "must")
  on.exit(options(old))
  integrategpu(...)
}
expect_r_values <- function(f, at = c(-1.3, 0.2, 2), tolerance = 1e-14) {
  old <- options(statcl.translate = "must")
  on.exit(options(old))
  value <- integrand_values(f, at)
  truth <- matrix(vapply(at, function(x) as.double(f(x)), as.double(f(at[1L]))), ncol = length(at))
  expect_equal(unname(value), truth, tolerance = tolerance, info = paste(deparse(f), collapse = " "))
}
y <- c(0.3, -1.2, 0.8, 2.1, -0.4)
X <- cbind(1, y, y^2)
S <- crossprod(X)
beta <- c(0.2, 0.7, -0.1)
set.seed(5)
Z <- cbind(1, matrix(rnorm(600), 200))
z <- rbinom(200, 1, 0.4)

test_backends("products, outer products, margins and elements of matrices are R's", {
  for (f in list(
    function(x) as.vector(outer(x, y, dnorm) %*% rep(1 / 5, 5)),
    function(x) rowMeans(outer(x, y, function(a, b) dnorm(a, b, 0.5))),
    function(x) apply(outer(y, x, dnorm), 2, prod),
    function(x) sum(outer(c(x, 1), y) * outer(1:2, 1:5, "+")), function(x) drop(X %*% c(1, x, x^2)),
    function(x) sum(exp(X %*% beta * x)), function(x) X[2, 3] * x + X[, 2][3],
    function(x) drop(c(1, x, 2) %*% S %*% c(1, x, 2)), function(x) drop(crossprod(c(1, x, 2), S %*% c(x, 1, 1))),
    function(x) sum(t(X * x) %*% X), function(x) crossprod(X * x)[2, 3], function(x) colSums(X * x),
    function(x) rowSums(X + x), function(x) apply(X * x, 1, max),
    function(x) { M <- cbind(c(x, 1), c(2, x)); M[1, 1] * M[2, 2] - M[1, 2] * M[2, 1] },
    function(x) { M <- matrix(c(x, 1, 2, x^2), 2, byrow = TRUE); M[1, ] %*% M[, 2] },
    function(x) mapply(function(a, b) a * exp(-b), x, x),
    function(x) sum(mapply(function(a, b) a^2 * b, c(x, 1, 2), y[1:3])),
    function(x) colMeans(sapply(y, function(b) c(x, b, x * b))),
    function(x) nrow(X * x) + ncol(rbind(x, X * x)[, -1]) * x,
    function(x) sum(head(cumsum(y * x), 3)) + tail(c(x, x^2), 1), function(x) rowMeans(outer(x, z, "+")),
    function(x) mean(as.vector(outer(x, Z[, 2], dnorm))), function(x) sum(Z %*% c(x, 1, x^2, 2)),
    function(x) sum(dbinom(z, 1, plogis(drop(Z %*% c(x, beta))), log = TRUE))))
    expect_r_values(f, tolerance = 1e-13)
})

test_backends("likelihoods with a matrix of many rows are loops", {
  f <- function(u, s) exp(sum(dbinom(z, 1, plogis(Z %*% c(0.1, beta) + s * u), log = TRUE))) * dnorm(u) * 1e60
  s <- c(0.2, 1)
  truth <- vapply(s, function(s) integrate(Vectorize(f), -8, 8, s = s, rel.tol = 1e-11, abs.tol = 0)$value, 0)
  expect_equal(must(f, -8, 8, params = list(s = s))$value, truth, tolerance = 1e-10)
  program <- integrand_translate(f, params = list(s = s))
  expect_lt(ncol(program$code), 60)
})

test_that("what does not fit is refused with what is wrong", {
  refused <- function(f, why) expect_error(must(f, 0, 1), why, class = "statcl_error_translation")
  refused(function(x) sum(X %*% c(x, 1)), "not conformable")
  refused(function(x) sum(rowSums(c(x, 1))), "it is not a matrix")
  refused(function(x) det(X[1:3, ] * x), "not among the functions")
  refused(function(x) sum(Z %*% matrix(x, 4, 2)), "so large a matrix")
  refused(function(x) (X * x)[9, 1], "no such element")
})

test_that("what is no matrix has no dimensions, and what stays a list or a matrix is left to R", {
  expect_r_values(function(x) if (is.null(dim(x))) x else 2 * x)
  expect_r_values(function(x) if (is.null(nrow(x)) && is.null(ncol(x))) x else 2 * x)
  expect_r_values(function(x) x + NROW(x) + 10 * NCOL(x))
  expect_r_values(function(x) sum(unname(matrix(c(x, 1, 2, x), 2)) %*% c(1, x)))
  refused <- function(f) expect_error(must(f, 0, 1), class = "statcl_error_translation")
  refused(function(x) length(sapply(c(x, 1), function(a) c(a, a), simplify = FALSE)))
  refused(function(x) length(dim(outer(matrix(c(x, x, x, x), 2), 1:3))))
})

# Sums over vectors of data are loops of the program: against R, for every kind of fold, on both backends.
fast_builds_in_file()
few_on_devices(2)

set.seed(31)
n <- 1500L # of more than one run of RUN_OF_DATA
y <- rbinom(n, 1, 0.4)
z <- rnorm(n)
k <- rpois(n, 2)
must <- function(...) {
  old <- options(statcl.translate = "must")
  on.exit(options(old))
  integrategpu(...)
}

test_backends("sums, products and extremes over data are R's", {
  integrands <- list(
    function(b) sum(dbinom(y, 1, plogis(b * z), log = TRUE)),
    function(b) sum(dbinom(pmin(k, 9), 9, plogis(b * z), log = TRUE)),
    function(b) sum(dbinom(k, 9L + k, plogis(b * z))), function(b) sum(dbinom(k, 3, plogis(b * z)) > 0) + b,
    function(b) sum(dbinom(k, 40 + k, plogis(b * z), log = TRUE)), function(b) sum(dnorm(z, b, 1.5, log = TRUE)),
    function(b) prod(dbinom(k[1:30], k[1:30], plogis(b))),
    function(b) sum(dpois(k, exp(b), log = TRUE)), function(b) prod(1 + b * z / n), function(b) mean((z - b)^2),
    function(b) max(z * b), function(b) min(z + b^2), function(b) drop(crossprod(z - b)),
    function(b) drop(z %*% (y * b)) + drop(crossprod(z, k + b)), function(b) sum(ifelse(y == 1, z - b, b^2)),
    function(b) { r <- z - b; w <- 1 / (1 + r^2); sum(w * r) / sum(w) }, function(b) sum(pmax(z, b)),
    function(b) { p <- plogis(b * z + 0.2); -sum(y * log(p) + (1 - y) * log1p(-p)) },
    function(b) length(z) * b + sum(z) + z[3] + mean(k[y == 1]), function(b) sum((z * b)[2]) * 0 + b,
    function(b) sum(dnorm(z, sum(k * b) / n, log = TRUE)), function(b) exp(sum(dnorm(z, b, log = TRUE)) + 1.4 * n),
    function(b) sum(dt(z, 4 + b, log = TRUE)) + sum(dgamma(abs(z), 2, 1 + b^2, log = TRUE)))
  at <- c(-0.7, 0, 0.4, 1)
  loops <- 0
  for (f in integrands) {
    program <- tryCatch(integrand_translate(f), error = identity)
    loops <- loops + !is.null(program$start)
    value <- drop(suppressMessages(integrand_values(f, at)))
    expect_equal(value, vapply(at, f, 0), tolerance = 1e-12, info = paste(deparse(f), collapse = " "))
  }
  expect_gte(loops, length(integrands) - 3L)
  # rows of parameters, and operations of a row that the loop reads
  f <- function(b, s) sum(dnorm(z, b * exp(s), exp(s), log = TRUE)) + sum(log(s * abs(z)))
  p <- data.frame(s = c(0.2, 0.5, 1))
  truth <- vapply(p$s, function(s) integrate(Vectorize(f), -1, 1, s = s, rel.tol = 1e-10)$value, 0)
  expect_lte(max(relative_error(must(f, -1, 1, params = p)$value, truth)), 1e-11)
  expect_lte(relative_error(must(f, -1, 1, s = 0.2, method = "pbcaq", abs.tol = 1e-3, region = c(8, 16))$value,
                            truth[1]), 1e-5)
})

test_that("sums keep their digits, and infinite ones are what they are", {
  long <- c(1e16, rep(1, 1e4), -1e16)
  expect_identical(must(~ sum(long * x^0), 0, 1)$value, 1e4)
  expect_identical(drop(integrand_values(~ sum(dexp(long, x, log = TRUE)), 1)), -Inf)
  expect_identical(must(~ exp(sum(dexp(z, x, log = TRUE))), 0, 1, stop.on.error = FALSE) |> suppressWarnings() |>
                     getElement("value"), 0)
})

test_that("a million of data are no programs of a million operations", {
  big <- rep_len(z, 1e6)
  found <- must(~ sum((big - x)^2), 0, 1, min.panels = 1)
  expect_equal(found$value, sum(big^2) - sum(big) + 1e6 / 3, tolerance = 1e-12)
  expect_lt(ncol(integrand_translate(~ sum((big - x)^2))$code), 20)
  # other data of the same name are other data
  big <- big + 1
  expect_equal(must(~ sum((big - x)^2), 0, 1, min.panels = 1)$value, sum(big^2) - sum(big) + 1e6 / 3,
               tolerance = 1e-12)
})

test_that("what needs the elements of data one by one is left to R", {
  refused <- function(f) expect_error(integrand_translate(f), class = "statcl_error_translation")
  for (f in list(~ z * x, ~ (z * x)[2], ~ sum(cumsum(z * x)), ~ sum(c(z, x)), ~ sum(z * c(x, 1)), ~ sum(z * long * x),
                 ~ sum(rev(z * x)), ~ sum(besselK(abs(z) + x, 1)), ~ if (z > x) 1 else 2, ~ var(z * x)))
    refused(f)
  long <- numeric(n - 1L)
  expect_equal(suppressMessages(integrategpu(function(x) sum(rev(z * x)) + var(z * x), 0, 1))$value,
               sum(z) / 2 + var(z) / 3, tolerance = 1e-10)
})

test_backends("a loop reads more numbers than a kernel has columns", {
  X <- matrix(sin(1:(130 * 1100)), 130)
  b <- matrix(cos(1:2200) / 1100, 2)
  found <- must(function(x, b) dnorm(x) * exp(-sum((X %*% b)^2) * x^2 / 100), -3, 3, params = list(b = b))
  size <- colSums(tcrossprod(X, b)^2) / 100
  truth <- (2 * pnorm(3 * sqrt(1 + 2 * size)) - 1) / sqrt(1 + 2 * size)
  expect_equal(found$value, truth, tolerance = 1e-13)
})

test_that("lengths and shapes of data are R's, translated or not", {
  u <- (1:20) / 21
  X <- cbind(1, u)
  w <- c(0.3, -1.1)
  integrands <- list(
    function(x) sum(ifelse(x > 0.2, u * x, 0)), function(x) sum(dnorm(ifelse(x > 0.2, u, 0), x)),
    function(x) sum(ifelse(u > x, u * x, 0)), function(x) length(u[u > 0.3 + x / 100]),
    function(x) mean(u[u > 0.3 + x / 100]), function(x) sum(u[1 + 10 * x]), function(x) sum(dbeta(u, 2, 1 + x)),
    function(x) sum(dbeta(u, 2, 1 + x, log = TRUE)), function(x) sum(df(u, 1 + x, 2, log = TRUE)),
    function(x) sum((X %*% c(x, 1)) %*% w), function(x) sum(outer(u, x) %*% w),
    function(x) sum(crossprod(outer(x, u), u)), function(x) sum(crossprod(u - X %*% c(x, 1))),
    function(x) drop(crossprod(u, X %*% c(x, 1))), function(x) drop((2 * as.vector(X %*% c(x, 1))) %*% u),
    function(x) sum((2 * (X %*% c(x, 1))) %*% w), function(x) sum(u %*% outer(x, u)),
    function(x) sum(sapply(1:40, function(k) pgamma(x, k))))
  at <- c(0.31, 0.77, 0.95)
  for (f in integrands)
    expect_equal(drop(suppressMessages(integrand_values(f, at))), vapply(at, f, 0), tolerance = 1e-13,
                 info = paste(deparse(f), collapse = " "))
})

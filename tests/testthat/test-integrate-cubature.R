# Integrals over two to eight variables by the rules of Genz and Malik.
skip_if_quick()
fast_builds_in_file()

zeros <- function(d) as.list(rep(0, d))
ones <- function(d) as.list(rep(1, d))

test_that("one box is exact for polynomials of degree 7", {
  # of degree 3 along each variable the error is that of rounding, and one box is enough
  nodes <- function(d) 1 + 6 * d + 2 * d * (d - 1) + 2^d
  for (d in c(2, 3, 5, 8)) {
    x <- paste0("x", seq_len(d))
    f <- function() NULL
    formals(f) <- setNames(rep(list(quote(expr = )), d), x)
    body(f) <- str2lang(paste("1 +", paste(rev(x)[1:2], collapse = "^3 * ")))
    r <- integrategpu(f, zeros(d), ones(d), rel.tol = 1e-6)
    expect_equal(r$value, 1 + 1 / 8, tolerance = 1e-13)
    expect_identical(r$evaluations, nodes(d))
    body(f) <- str2lang(paste("x1^6 * x2 + x2^4 * x1^2 *", x[d]))
    r <- integrategpu(f, zeros(d), ones(d), rel.tol = 1e-6, subdivisions = 1, stop.on.error = FALSE)
    expect_equal(r$value, 1 / 14 + if (d == 2) 1 / 18 else 1 / 30, tolerance = 1e-13)
  }
})

test_backends("jumps, kinks and many integrals: errors as they are said to be, nodes that are few", {
  r <- integrategpu(function(x, y) ifelse(x + y < 0.7137, 1, 0), list(0, 0), list(1, 1), rel.tol = 1e-3)
  expect_lt(abs(r$value - 0.7137^2 / 2), r$abs.error)
  expect_lt(r$evaluations, 1e5)
  p <- data.frame(a = seq(0.5, 3, length.out = 40), u = seq(0.05, 0.95, length.out = 40))
  f <- function(x, y, a, u) exp(-a * abs(x - u)) * ifelse(y < u, y, 1)
  r <- integrategpu(f, zeros(2), ones(2), params = p, rel.tol = 1e-3)
  truth <- with(p, (2 - exp(-a * u) - exp(-a * (1 - u))) / a * (u^2 / 2 + 1 - u))
  expect_true(all(r$code == 0L))
  expect_lt(max(abs(r$value / truth - 1)), 1e-3)
  # no integral affects another
  alone <- integrategpu(f, zeros(2), ones(2), params = p[7, ], rel.tol = 1e-3)
  expect_identical(unlist(alone[1, ]), unlist(r[7, ]))
  # a function that R evaluates is the same integrand
  old <- options(statcl.translate = "never")
  by_r <- tryCatch(integrategpu(f, zeros(2), ones(2), params = p[1:5, ], rel.tol = 1e-3), finally = options(old))
  expect_equal(by_r$value, r$value[1:5], tolerance = 1e-12)
  expect_identical(by_r$evaluations, r$evaluations[1:5])
})

test_that("five and eight variables, infinite boxes, limits by functions, components, singular edges", {
  g <- function(a, b, c, d, e) dnorm(a) * dnorm(b) * dnorm(c) * dexp(d) * exp(-e)
  r <- integrategpu(g, list(-Inf, -Inf, 0, 0, 0), list(Inf, 0, Inf, Inf, 1), rel.tol = 1e-3)
  expect_lt(abs(r$value - -expm1(-1) / 4), min(r$abs.error, 1e-3 * r$value))
  g <- function(a, b, c, d, e, f, g, h) c(one = a, two = exp(-(a + b + c + d + e + f + g + h)))
  r <- integrategpu(g, zeros(8), ones(8), rel.tol = 1e-3)
  expect_lt(max(abs(r$value[1, ] / c(0.5, (-expm1(-1))^8) - 1)), 1e-3)
  expect_identical(colnames(r$value), c("one", "two"))
  r <- integrategpu(function(x, y, z) 1, list(0, 0, 0), list(1, function(x) x, function(x, y) x + y), rel.tol = 1e-4)
  expect_lt(abs(r$value - 0.5), r$abs.error)
  for (f in list(function(x, y) 1 / sqrt(x * y), function(x, y) log(x) * log(1 - y) * 4)) {
    r <- integrategpu(f, zeros(2), ones(2), rel.tol = 1e-5)
    expect_lt(abs(r$value - 4), r$abs.error)
  }
  expect_equal(integrategpu(function(x, y) x + y, list(1, 0), list(0, 1), rel.tol = 1e-3)$value, -1)
})

test_that("an absolute tolerance, codes and messages", {
  f <- function(x, y, k) cos(k * x) * y
  r <- integrategpu(f, zeros(2), ones(2), params = data.frame(k = c(1, 30)), abs.tol = 1e-4)
  expect_lt(max(abs(r$value - sin(c(1, 30)) / c(1, 30) / 2)), 1e-4)
  code <- function(...) suppressWarnings(integrategpu(..., rel.tol = 1e-3, stop.on.error = FALSE))$code
  expect_identical(code(function(x, y) 1 / (x * y), zeros(2), ones(2), subdivisions = 200), 1L)
  expect_identical(code(function(x, y) log(x - 0.5) + y, zeros(2), ones(2)), 7L)
  expect_identical(code(function(x, y) dnorm(x, 0.3, 1e-5) * y, zeros(2), ones(2)), 8L)
  expect_identical(code(function(x, y) x * y, list(c(0, NA), 0), ones(2)), c(0L, 6L))
  expect_identical(code(function(x, y) x * y, list(1, 0), ones(2)), 0L)
  expect_error(integrategpu(function(x, y, z) log(x - 0.5), zeros(3), ones(3), rel.tol = 1e-3), "at x = 0[.]",
               class = "statcl_error_integral")
  expect_error(integrategpu(function(...) 1, zeros(8), ones(8), rel.tol = 1e-3), "8 variables",
               class = "statcl_error_input")
  expect_identical(nrow(integrategpu(function(x, y) x * y, list(numeric(), 0), ones(2), rel.tol = 1e-3)), 0L)
})

test_that("where products of rules fail, others are tried", {
  skip_unless_all()
  # the integral of 2 (c - x - 2 y)_+ less that of c - x - 2 y, by corners of the triangle
  r <- integrategpu(function(x, y) abs(x + 2 * y - 1.1), zeros(2), ones(2), rel.tol = 1e-9)
  expect_lt(abs(r$value - (0.4 + (1.1^3 - 0.1^3) / 6)), 1e-9)
})

test_that("of Genz's families and of half-spaces hardly any error is silent", {
  set.seed(5)
  n <- 60
  a <- matrix(rexp(2 * n), n)
  a <- a / rowSums(a)
  u <- runif(n)
  silent <- function(f, p, truth, tol) {
    r <- suppressWarnings(integrategpu(f, zeros(2), ones(2), params = p, rel.tol = tol))
    sum(r$code == 0L & abs(r$value - truth) > tol * abs(truth))
  }
  p <- data.frame(a = a[, 1], b = a[, 2], c = 0.25 + u / 2)
  below <- with(p, (pmax(c, 0)^2 - pmax(c - a, 0)^2 - pmax(c - b, 0)^2) / (2 * a * b))
  count <- silent(function(x, y, a, b, c) ifelse(a * x + b * y < c, 1, 0), p, below, 1e-2) +
    silent(function(x, y, a, u) ifelse(x < u, exp(4 * a * y), 0), data.frame(a = a[, 1], u),
           u * expm1(4 * a[, 1]) / (4 * a[, 1]), 1e-3) +
    silent(function(x, y, a, u) cos(2 * pi * u + 9 * (a * x + (1 - a) * y)), data.frame(a = a[, 1], u), Re(
      exp(2i * pi * u) * (exp(9i * a[, 1]) - 1) * (exp(9i * a[, 2]) - 1) / (-81 * a[, 1] * a[, 2])), 1e-4)
  expect_lte(count, 1)
})

# Integrals over two to four variables by products of rules.
skip_if_quick()
fast_builds_in_file()

test_that("rules are exact for polynomials of their degrees", {
  moment <- function(k) ifelse(k %% 2 == 0, 1 / (k + 1), 0)
  for (case in list(c(2, 22, 10), c(3, 18, 8), c(4, 10, 4))) {
    rule <- statcl:::cube_rule(case[1])
    set.seed(1)
    random <- function(degree) t(rmultinom(60, degree, rep(1, case[1])))
    powers <- rbind(0L, random(case[2]), random(case[3]))
    for (i in seq_len(nrow(powers))) {
      value <- apply(t(rule$nodes)^powers[i, ], 2, prod)
      truth <- prod(moment(powers[i, ]))
      expect_lt(abs(sum(value * rule$weights[, 1]) - truth), 1e-13)
      if (sum(powers[i, ]) <= case[3]) expect_lt(abs(sum(value * rule$weights[, 2]) - truth), 1e-13)
    }
    # differences that tell where to halve, and comparisons on faces, see nothing of a constant
    expect_lt(max(abs(colSums(rule$weights)[-(1:2)])), 1e-13)
    expect_lt(max(abs(crossprod(rule$ends, rule$nodes[, 1]^3 * rule$nodes[, 2] + 2))), 1e-12)
  }
})

test_backends("integrals over two and three variables, many rows at once", {
  value <- function(...) {
    found <- integrategpu(...)
    expect_true(all(found$code == 0L))
    found$value
  }
  expect_equal(value(function(x, y) exp(x + y), list(0, 0), list(1, 1)), expm1(1)^2, tolerance = 1e-12)
  expect_equal(value(function(x, y) dnorm(x) * dnorm(y, 1, 3), list(-Inf, Inf), list(Inf, -Inf)), -1,
               tolerance = 1e-9)
  half <- function(u) sqrt(1 - u^2)
  expect_equal(value(function(u, v) u^2 + v, list(-1, function(u) -half(u)), list(1, half)), pi / 4,
               tolerance = 1e-9)
  p <- data.frame(a = 1:30 / 10, b = 30:1)
  expect_equal(value(function(x, y, a, b) exp(-a * x - b * y), list(0, 0), list(Inf, 1), params = p),
               with(p, -expm1(-b) / (a * b)), tolerance = 1e-9)
  # limits that depend on variables, parameters and constants
  expect_equal(value(function(x, y, a) a * x, list(0, function(x, a) a * x), list(1, function(x, c) c + x * 0),
                     params = list(a = c(0.5, 1)), c = 2), c(0.5, 1) * (1 - c(0.5, 1) / 3), tolerance = 1e-10)
  expect_equal(value(function(x, y) x * y, list(0:2, 0), list(3, 1)), (9 - (0:2)^2) / 4, tolerance = 1e-12)
  m <- integrategpu(function(x, y, z) c(one = 1, product = x * y * z, sum = exp(x + y + z)), list(0, 0, 0),
                    list(1, 1, 2), params = data.frame(row.names = "r"))
  expect_equal(unname(m$value[1, ]), c(2, 0.5, expm1(1)^2 * expm1(2)), tolerance = 1e-10)
  expect_identical(colnames(m$value), c("one", "product", "sum"))
})

test_that("four variables, singular corners, jumps and failures", {
  x <- integrategpu(function(x, y, z, w) exp(x + y - z * w), list(0, 0, 0, 0), list(1, 1, 1, 1), rel.tol = 1e-5)
  # the integral of exp(-z w) over the square is the sum of (-1)^k / (k! (k + 1)^2)
  truth <- expm1(1)^2 * sum((-1)^(0:20) / (factorial(0:20) * (1:21)^2))
  expect_lt(abs(x$value - truth), 1e-5 * truth)
  expect_lt(abs(x$value - truth), x$abs.error)
  x <- integrategpu(function(x, y) 1 / sqrt(x * y), list(0, 0), list(1, 1), rel.tol = 1e-5)
  expect_lt(abs(x$value - 4), x$abs.error)
  set.seed(1)
  u <- runif(10, 0.1, 0.9)
  x <- suppressWarnings(integrategpu(function(x, y, u) ifelse(x > u, 0, exp(y)), list(0, 0), list(1, 1),
                                     params = list(u = u), rel.tol = 1e-5, subdivisions = 1000))
  expect_true(all(abs(x$value - u * expm1(1)) < pmax(x$abs.error, 1e-5) | x$code != 0L))
  code <- function(...) suppressWarnings(integrategpu(..., stop.on.error = FALSE))$code
  expect_identical(code(function(x, y) 1 / (x * y), list(0, 0), list(1, 1), subdivisions = 200), 1L)
  expect_identical(code(function(x, y) log(x - 0.5) + y, list(0, 0), list(1, 1)), 7L)
  expect_identical(code(function(x, y) dnorm(x, 0.3, 1e-5) * y, list(0, 0), list(1, 1)), 8L)
  expect_identical(code(function(x, y) x * y, list(c(0, NA), 0), list(1, 1)), c(0L, 6L))
  expect_identical(nrow(integrategpu(function(x, y) x * y, list(numeric(), 0), list(1, 1))), 0L)
  expect_identical(code(function(x, y) x * y, list(1, 0), list(1, 1)), 0L)
  refused <- function(call, message) expect_error(call, message, class = "statcl_error_input")
  refused(integrategpu(function(x, y) x, list(0, 0), list(1)), "as many limits")
  refused(integrategpu(function(x) x, list(0, 0), list(1, 1)), "function of 2 variables")
  refused(integrategpu(function(x, y) x, list(function(y) y, 0), list(1, 1)), "limits of x")
  refused(integrategpu(function(x, y) x, list(0, 0), list(1, 1), params = list(y = 1)), "column y")
  refused(integrategpu(function(x, y) x, list(0, 0), list(1, 1), breaks = 1), "lists")
})

test_that("limits with the names of the variables may have any order", {
  f <- function(x, y) x * y^2
  expect_identical(integrategpu(f, list(y = 0, x = 0), list(y = 2, x = 1))$value,
                   integrategpu(f, list(0, 0), list(1, 2))$value)
  inner <- integrategpu(f, list(y = 0, x = 0), list(y = function(x) x, x = 1))$value
  expect_equal(inner, 1 / 15, tolerance = 1e-10)
})

test_that("limits that are functions are those of single points", {
  expect_equal(integrategpu(function(x, y) 1, list(0, 0), list(1, function(x) min(1, 2 * x)))$value, 0.75,
               tolerance = 1e-10)
  expect_equal(integrategpu(function(x, y) x * y, list(0, function(x) max(0.5, x)), list(1, 1))$value,
               3 / 64 + 9 / 128, tolerance = 1e-9)
  expect_equal(integrategpu(function(x, y) 1, list(0, 0), list(1, function(x) if (x < 0.5) 2 * x else 1))$value, 0.75,
               tolerance = 1e-10)
  a <- c(0.5, 1)
  found <- integrategpu(function(x, y, a) a, list(0, 0), list(1, function(x, a) min(a, x)), params = data.frame(a))
  expect_equal(found$value, a * (a - a^2 / 2), tolerance = 1e-10)
  error <- function(upper, pattern)
    expect_error(integrategpu(function(x, y) 1, list(0, 0), list(1, upper)), pattern, class = "statcl_error_input")
  error(function(x) c(1, 2), "upper\\[\\[2\\]\\] = 1, 2: .* must give one number at x = ")
  error(function(x) "a", "upper\\[\\[2\\]\\] = a: ")
  # a limit that is not known somewhere makes the integral not finite
  expect_error(integrategpu(function(x, y) 1, list(-1, 0), list(1.1, function(x) sqrt(1 - x^2))),
               "x = 1\\.0[0-9]+, y = NaN", class = "statcl_error_integral")
  expect_error(integrategpu(function(x, y) x * y, list(0, c(0, 1)), list(1:3, 1)), "lower\\[\\[2\\]\\] is for 2",
               class = "statcl_error_input")
})

# Tables in integrands: what approxfun(), stepfun(), ecdf() and splinefun() make, vectors with an index that depends
# on the variable, and findInterval(), against R on both backends.
fast_builds_in_file()

must <- function(...) {
  old <- options(statcl.translate = "must")
  on.exit(options(old))
  integrategpu(...)
}
# The largest difference, relative to values above 1; all are translated, and missing where R's are.
expect_r_values <- function(f, at, tolerance = 4e-15) {
  old <- options(statcl.translate = "must")
  on.exit(options(old))
  value <- drop(integrand_values(f, at))
  truth <- vapply(at, function(x) as.double(f(x)), 0)
  expect_identical(is.nan(value), is.na(truth), info = deparse(f))
  expect_lte(max(abs(value - truth) / pmax(1, abs(truth)), 0, na.rm = TRUE), tolerance)
}
knots <- c(0, 1, 2.5, 3, 4)
at <- c(-1.3, 0, 0.2, 0.9, 1, 1.7, 2.5, 2.6, 3, 3.2, 4, 4.3, 7, -1e300)

test_backends("interpolations are R's, at and beyond the knots too", {
  for (method in c("linear", "constant")) for (rule in list(1, 2, 1:2, 2:1)) for (f in c(0, 0.3, 1)) {
    tab <- approxfun(knots, c(0, 2, 1, 3, -1), method = method, rule = rule, f = f)
    expect_r_values(function(x) tab(x), at)
  }
  tab <- approxfun(knots, c(0, 2, 1, 3, -1), yleft = -7, yright = 9)
  expect_r_values(function(x) tab(1 / x) + tab(v = 3), c(at[at != 0], 0))
  tab <- approxfun(c(1, 1, 2, 3), c(1, 3, 4, 0), ties = mean)
  expect_r_values(function(x) tab(x), at)
  tab <- approxfun(c(1, 2, 3), c(1, NA, 4), na.rm = FALSE)
  expect_r_values(function(x) tab(x), c(1, 1.5, 2, 2.5, 3))
  steps <- stepfun(1:3, c(0, 1, 3, 2))
  expect_r_values(function(x) steps(x) * x, at)
  Fn <- ecdf(c(0.3, -1.2, 0.8, 2.1, -0.4, 0.3))
  expect_r_values(function(x) (Fn(x) - pnorm(x))^2, c(at, 0.3))
  many <- approxfun(seq(0, 1, length.out = 1001), sin(0:1000), rule = 2)
  expect_r_values(function(x) many(x), c(-1, (0:999 + 0.3) / 1000, 2), tolerance = 1e-12)
})

test_backends("splines and their derivatives are R's", {
  for (method in c("fmm", "natural", "periodic", "hyman", "monoH.FC")) for (deriv in 0:3) {
    y <- switch(method, periodic = c(0, 1, 0, 2, 0), fmm = , natural = c(0, 1, 0, 2, 1), c(0, 1, 1.5, 4, 4.2))
    s <- splinefun(knots, y, method = method)
    # at an inner knot R may take the derivatives of the piece before
    expect_r_values(function(x) s(x, deriv = deriv), setdiff(at, c(1, 2.5, 3, if (method == "periodic") -1e300)))
  }
  s <- splinefunH(knots, c(0, 1, 0, 2, 1), c(1, -1, 0, 2, 1))
  expect_r_values(function(x) s(x, extrapol = "cubic") + s(x, 1), setdiff(at, -1e300), 1e-14)
  expect_error(must(function(x) s(x, x), 0, 1), "deriv must be a constant", class = "statcl_error_translation")
})

test_backends("elements of vectors with an index that depends on the variable", {
  rate <- c(0.2, 0.5, 0.1)
  f <- function(x) rate[findInterval(x, c(0, 1, 3))] * x
  expect_r_values(f, c(0, 0.5, 1, 2, 3, 9))
  expect_identical(drop(integrand_values(~ rate[x], c(1.9, 3, 4, 0, -1))), c(0.2, 0.1, NaN, NaN, NaN))
  z <- cos(1:300)
  expect_r_values(function(x) sum(findInterval(z, c(-1, 0, 1)) * x) + rate[findInterval(0.5, 0:1)], c(1, 2), 1e-13)
  expect_r_values(function(x) z[floor(x)] + z[[2]], c(1, 17.5, 300))
  # within loops over data, on data, and with params
  tab <- approxfun(knots, c(0, 2, 1, 3, -1), rule = 2)
  expect_r_values(function(x) sum(tab(z * x)) + sum(dnorm(z, tab(x))), c(0.3, 1, 2), 1e-13)
  x <- must(function(x, s) tab(s) * tab(x), 0, 4, params = list(s = c(0.5, 3.5, 9)))
  expect_equal(x$value, tab(c(0.5, 3.5, 9)) * (1 + 2.25 + 1 + 1), tolerance = 1e-14)
})

test_that("knots of the variable are borders, and other tables of the same name are other tables", {
  tab <- approxfun(knots, c(0, 2, 1, 3, -1))
  found <- must(tab, 0, 4)
  expect_equal(found$value, 5.25, tolerance = 1e-15)
  expect_lte(found$subdivisions, 8L)
  expect_lte(must(function(x) exp(x) * tab(x), 0, 4, rel.tol = 1e-13)$subdivisions, 8L)
  tab <- approxfun(knots, c(0, 2, 1, 3, 1))
  expect_equal(must(function(x) exp(-x) * tab(x), 0, 4)$value,
               sum(vapply(1:4, function(k) integrate(function(x) exp(-x) * tab(x), knots[k], knots[k + 1L],
                                                     rel.tol = 1e-12)$value, 0)), tolerance = 1e-12)
  # a gap of the range is NaN, and so is reported
  expect_identical(must(tab, 0, 5, stop.on.error = FALSE)$code, 7L)
})

test_that("what is no table is refused", {
  z <- cos(1:300)
  refused <- function(f, why) expect_error(must(f, 0, 1), why, class = "statcl_error_translation")
  refused(function(x) findInterval(x, c(1, 0)), "ascending order")
  refused(function(x) findInterval(x, z * x), "must be constant")
  refused(function(x) sum(findInterval(z, c(x, 1))), "one by one")
  refused(function(x) c(x, 1)[x + 1], "must be a constant")
})

test_that("a table whose values have been assigned to is another table", {
  tab <- approxfun(knots, c(0, 2, 1, 3, -1))
  f <- function(x) 2 * tab(x)
  expect_equal(must(f, 0, 4)$value, 10.5, tolerance = 1e-15)
  assign("y", c(0, 2, 1, 3, 1), envir = environment(tab))
  expect_equal(must(f, 0, 4)$value, 12.5, tolerance = 1e-15)
})

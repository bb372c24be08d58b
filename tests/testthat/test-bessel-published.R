# K_nu(x) by the published algorithms. They are for comparison, so their errors against the reference table are
# bounded from both sides where the method has a known weakness: a bound that nothing can miss would test nothing.
published <- function(x, nu, method, bins = 0L, scaled = FALSE)
  .External(statcl:::C_elementwise, "besselPublished", x, nu, method, bins, scaled)

bessel_ref <- read_ref("besselk")
bessel_areas <- with(bessel_ref, list(
  small = nu <= 20 & x >= 0.001 & x < 0.1, middle = nu <= 20 & x >= 0.1 & x <= 2, large = nu <= 20 & x > 2 & x <= 140,
  tiny = nu <= 20 & x < 0.001, huge = nu <= 20 & x > 140, "high order" = nu > 20))

# Largest error of log K in units of eps max(1, |log K|).
area_errors <- function(method, bins = 0L, scaled = FALSE) {
  error <- with(bessel_ref, log_error(published(x, nu, method, bins, scaled), if (scaled) log(ke) else logk))
  error <- ifelse(scaled & !(bessel_ref$ke > 1e-300 & bessel_ref$ke < 1e300), 0, error / .Machine$double.eps)
  vapply(bessel_areas, function(rows) max(error[rows]), 1)
}

test_backends("Temme's method is good to rounding errors", {
  # twice what was measured: 2.3, 18, 9.8, 0.9, 0.8, 27
  expect_true(all(area_errors("temme") < c(5, 36, 20, 2, 2, 60)))
})

test_backends("exp(x) K is computed as such", {
  # twice what was measured: 2.5, 37, 9.2, 1.3, 2, 6.1 and 4.1, 6.1, 6.1, -, 2.9, 4
  expect_true(all(area_errors("temme", scaled = TRUE) < c(5, 75, 19, 3, 4, 13)))
  expect_true(all(area_errors("takekawa", 128L, TRUE)[c(1:3, 5, 6)] < c(9, 13, 13, 6, 8)))
  x <- c(700, 1e5, 1e10, 1e300)
  exact <- sqrt(pi / 2 / x) * (1 + 1 / x) # K_1.5
  for (method in c("temme", "takekawa")) {
    value <- besselKgpu(x, 1.5, expon.scaled = TRUE, method = method)
    error <- abs(value / exact - 1) / pmax(1, abs(log(exact)))
    if (method == "takekawa") error <- error[-4] # ten halvings do not find a peak of width 1e-150
    expect_lt(max(error), 4 * .Machine$double.eps)
  }
  for (method in c("temme", "takekawa", "refined")) {
    call <- function(x, nu, ...) besselKgpu(x, nu, ..., method = method)
    expect_identical(call(c(Inf, 0), 1.5, expon.scaled = TRUE), c(0, Inf))
    expect_identical(call(3, 1.5, expon.scaled = TRUE, log = TRUE), call(3, 1.5, log = TRUE))
    long <- c(a = 1, b = 2, c = 5, d = 11, e = 20)
    pairs <- call(unname(long), c(2, 0.5, 2, 0.5, 2), TRUE)
    expect_identical(call(long, c(2, 0.5), TRUE), setNames(pairs, names(long)))
    expect_identical(call(c(1, 2), unname(long), TRUE), call(c(1, 2, 1, 2, 1), unname(long), TRUE))
    expect_identical(call(numeric(), long, TRUE), numeric())
    expect_equal(call(long, c(2, 0.5), TRUE), besselKgpu(long, c(2, 0.5), TRUE), tolerance = 1e-14)
  }
})

test_backends("Takekawa's method needs bins", {
  # measured: 4e11 with 16 bins, 6e6, 561, 12 with 32 (the default), 1.6e4, 3.3, 17 with 40, 4, 6, 11 with 128
  default <- area_errors("takekawa")
  expect_identical(area_errors("takekawa", 32L), default)
  expect_true(all(default[1:3] < c(1e7, 1e3, 35)))
  expect_gt(default[["small"]], 1e4)
  expect_true(all(area_errors("takekawa", 40L)[1:3] < c(3e4, 10, 30)))
  expect_true(all(area_errors("takekawa", 128L)[c(1:3, 5, 6)] < c(8, 12, 25, 2, 45)))
  few <- area_errors("takekawa", 16L)
  expect_true(few[["small"]] > 1e9 && few[["small"]] < 1e12)
})

test_backends("the refined method holds where it was published", {
  # measured: 2.3, 5, 15 with 128 bins; 40 are enough for small orders, 2.4e7 and 4e12 for others
  default <- area_errors("refined")
  expect_identical(area_errors("refined", 128L), default)
  expect_true(all(default[1:3] < c(5, 10, 35)))
  expect_gt(default[["huge"]], 1e9) # the peak is narrower than a bin
  few <- area_errors("refined", 40L)
  expect_true(few[["middle"]] > 1e6 && few[["middle"]] < 1e8)
  # below x = 0.1 both are Temme's series
  rows <- bessel_ref$x <= 0.1
  with(bessel_ref[rows, ], expect_identical(published(x, nu, "refined"), published(x, nu, "temme")))
})

test_backends("limits and arguments outside the domain", {
  x <- c(0, Inf, 1, Inf, 0)
  nu <- c(2.5, 2.5, Inf, 0, 0)
  for (method in c("temme", "takekawa", "refined")) {
    expect_identical(published(x, nu, method), c(Inf, -Inf, Inf, -Inf, Inf))
    expect_warning(bad <- published(c(-1, 1, Inf), c(1, -1, Inf), method), "NaNs produced")
    expect_identical(bad, c(NaN, NaN, NaN))
    expect_identical(published(c(NaN, NA, 1), c(1, 1, NA), method), c(NaN, NA, NA))
    expect_identical(published(numeric(), 1, method), numeric())
  }
  expect_error(published(1, 1, "refined", -1L), "bins", class = "statcl_error_input")
  expect_error(published(1, 1, "refined", 1e6L), "bins", class = "statcl_error_input")
})

test_backends("a value does not depend on its neighbours", {
  x <- rep(bessel_ref$x, 2)[1:5000]
  nu <- rep(bessel_ref$nu, 2)[1:5000]
  order <- c(seq(1, 5000, by = 2), seq(5000, 2, by = -2))
  for (method in c("temme", "takekawa", "refined"))
    expect_identical(published(x[order], nu[order], method), published(x, nu, method)[order])
})

test_backends("hostile arguments end", {
  x <- c(5e-324, 1e-310, 1e-300, 1e-17, 0.1, 1, 2, 2 + 4e-16, 700, 1e17, 1e155, 1.7e308)
  nu <- c(0, 5e-324, 1e-200, 1e-17, 0.5, 1, 1.5 - 1e-16, 20, 170.5, 1e4)
  grid <- expand.grid(x = x, nu = nu)
  for (method in c("temme", "takekawa", "refined"))
    expect_true(all(is.finite(published(grid$x, grid$nu, method))), info = method)
  expect_warning(beyond <- published(x, 1e6, "temme"), "NaNs produced")
  expect_true(all(is.nan(beyond)))
  for (method in c("temme", "takekawa", "refined"))
    expect_length(suppressWarnings(published(x, 1e300, method)), length(x))
})

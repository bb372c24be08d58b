ref <- read_ref("besselk")
eps <- .Machine$double.eps
# K and exp(x) K where they are normal doubles
normal <- function(value) is.finite(value) & value >= .Machine$double.xmin
paper <- ref$nu <= 20 & ref$x >= 0.001 & ref$x <= 140 # the range of orders and distances of Geng et al. (2025)

test_backends("K and exp(x) K agree with high precision", {
  for (scaled in c(FALSE, TRUE)) {
    truth <- if (scaled) ref$ke else ref$k
    value <- besselKgpu(ref$x, ref$nu, expon.scaled = scaled)
    error <- relative_error(value, truth) / eps
    # the table is rounded to doubles as well: half a unit
    expect_lte(max(error[paper & normal(truth)]), 6)
    expect_gte(mean(error[paper & normal(truth)] <= 4), 0.99)
    expect_lte(max(error[normal(truth)]), 1e-13 / eps)
    expect_identical(value[truth == Inf], truth[truth == Inf])
    expect_true(all(value[truth < .Machine$double.xmin] <= .Machine$double.xmin))
  }
})

test_backends("the expansion for large x begins where the integral ends", {
  nu <- c(0, 0.5, 1.5, seq(0.1, 20, 0.013))
  before <- 30 * (1 - eps / 2)
  for (deriv in c("none", "x"))
    expect_lte(max(relative_error(besselKgpu(30, nu, TRUE, deriv = deriv),
                                  besselKgpu(before, nu, TRUE, deriv = deriv))), 10 * eps)
})

test_backends("log K agrees with high precision", {
  value <- besselKgpu(ref$x, ref$nu, log = TRUE)
  expect_true(all(is.finite(value)))
  expect_lte(max(log_error(value, ref$logk)) / eps, 8)
})

test_backends("derivatives of log K agree with high precision", {
  for (deriv in c("x", "nu")) {
    error <- relative_error(besselKgpu(ref$x, ref$nu, log = TRUE, deriv = deriv), ref[[paste0("dlogk_d", deriv)]])
    expect_lte(max(error[paper]) / eps, 16)
    expect_lte(max(error), 1e-13)
  }
})

test_backends("derivatives of K are K times those of log K", {
  rows <- which(normal(ref$k) & normal(abs(ref$k * ref$dlogk_dx)) & normal(abs(ref$k * ref$dlogk_dnu)) & ref$nu <= 20)
  x <- ref$x[rows]
  nu <- ref$nu[rows]
  for (deriv in c("x", "nu")) {
    slope <- besselKgpu(x, nu, log = TRUE, deriv = deriv)
    expect_lte(max(relative_error(besselKgpu(x, nu, deriv = deriv), besselKgpu(x, nu) * slope)), 4 * eps)
    expect_lte(max(relative_error(besselKgpu(x, nu, TRUE, deriv = deriv), besselKgpu(x, nu, TRUE) * slope)), 4 * eps)
    expect_identical(besselKgpu(x, -nu, deriv = deriv),
                     (if (deriv == "nu") -1 else 1) * besselKgpu(x, nu, deriv = deriv))
  }
})

test_backends("neighbouring orders fulfil the recurrence", {
  set.seed(1)
  x <- exp(runif(1e4, log(1e-5), log(600)))
  nu <- c(runif(5e3, 1, 20), runif(5e3, 20, 60)) # crosses from one formula to another
  # K_(nu+1) = K_(nu-1) + (2 nu/x) K_nu, all terms positive; each value right to 8 units, formed here with 3 roundings
  scale <- besselKgpu(x, nu, TRUE)
  right <- besselKgpu(x, nu - 1, TRUE) / scale + 2 * nu / x
  left <- besselKgpu(x, nu + 1, TRUE) / scale
  known <- is.finite(scale) & is.finite(left) & scale > 1e-300
  expect_gt(sum(known), 9000)
  # beyond order 20.5 K may be off by 10 units
  expect_lte(max(relative_error(left, right)[known]), 40 * eps)
})

test_backends("limits are those of the function", {
  nu <- c(0, 0.3, -1, 5, 30, 1e4)
  expect_identical(besselKgpu(0, nu), rep(Inf, 6))
  expect_identical(besselKgpu(0, nu, log = TRUE), rep(Inf, 6))
  expect_identical(besselKgpu(Inf, nu), numeric(6))
  expect_identical(besselKgpu(Inf, nu, expon.scaled = TRUE), numeric(6))
  expect_identical(besselKgpu(Inf, nu, log = TRUE), rep(-Inf, 6))
  expect_identical(besselKgpu(0, nu, deriv = "x"), rep(-Inf, 6))
  expect_identical(besselKgpu(Inf, nu, log = TRUE, deriv = "x"), rep(-1, 6))
  expect_identical(besselKgpu(0, nu, deriv = "nu"), c(0, Inf, -Inf, Inf, Inf, Inf))
  expect_identical(besselKgpu(c(1, 50, 1e4), 0, deriv = "nu"), numeric(3))
  expect_identical(besselKgpu(c(0.5, 3e4), c(1e15, 1e308)), c(Inf, Inf))
  expect_identical(besselKgpu(1, Inf), Inf)
  expect_warning(expect_identical(besselKgpu(Inf, Inf), NaN), "NaNs produced")
  # large x: sqrt(pi/(2 x)) (1 + (4 nu^2 - 1)/(8 x) + ...), here to the last digit
  x <- c(1e18, 1e100, 1e200, 1e300, 1.7e308)
  expect_lte(max(relative_error(besselKgpu(x, 3, TRUE), sqrt(pi / 2) / sqrt(x))), 4 * eps)
  expect_lte(max(relative_error(besselKgpu(x, 3e5, TRUE), sqrt(pi / 2) / sqrt(x))), 1e-7)
})

test_backends("smallest and largest arguments give numbers", {
  x <- c(5e-324, 1e-310, 2.3e-308, 1e-200, 0.5, 0.7, 1, 2, 8, 1e10, 1e150, 1e308, 1.7e308)
  nu <- c(0, 5e-324, 1e-300, 0.5, 0.5 + 1e-12, 1, 20.5, 20.5 + 1e-9, 300, 1e10, 3e14, 1e150, 4e307, 1.7e308)
  both <- expand.grid(x = x, nu = nu)
  for (log in c(FALSE, TRUE)) for (deriv in c("none", "x", "nu")) for (scaled in c(FALSE, TRUE))
    expect_false(anyNA(besselKgpu(both$x, both$nu, scaled, log, deriv)))
  expect_true(all(besselKgpu(both$x, both$nu) >= 0))
  expect_true(all(diff(besselKgpu(1e-300, 0:40, log = TRUE)) > 0))
})

test_backends("a value does not depend on its neighbours", {
  set.seed(2)
  x <- exp(runif(777, -8, 6))
  nu <- c(runif(700, 0, 20), runif(77, 20, 200))
  together <- besselKgpu(x, nu)
  expect_identical(mapply(besselKgpu, x, nu), together)
  expect_identical(rev(besselKgpu(rev(x), rev(nu))), together)
})

test_backends("one order for many points: the table agrees with the direct values", {
  old <- options(statcl.covariance.route = NULL)
  on.exit(options(old))
  set.seed(3)
  x <- exp(runif(5e4, log(1e-3), log(600)))
  for (nu in c(0, 0.5, 1.3, 7.77, 20))
    for (scaled in c(FALSE, TRUE)) {
      options(statcl.covariance.route = "direct")
      direct <- besselKgpu(x, nu, scaled)
      options(statcl.covariance.route = "table")
      # both are right to 6 units; the product with exp(-x) of the table rounds once more
      expect_lte(max(relative_error(besselKgpu(x, nu, scaled), direct)), 13 * eps)
    }
})

test_that("arguments are treated as besselK() treats them", {
  x <- c(a = 1, b = NA, c = 2.5)
  expect_equal(besselKgpu(x, 1.2), besselK(x, 1.2), tolerance = 1e-14)
  expect_identical(attributes(besselKgpu(x, 1.2)), attributes(x))
  m <- matrix(c(0.1, 1, 10, 100), 2, dimnames = list(NULL, c("u", "v")))
  expect_identical(attributes(besselKgpu(m, c(1, 2))), attributes(m))
  expect_identical(besselKgpu(numeric(), 1), numeric())
  expect_identical(besselKgpu(1, numeric()), numeric())
  expect_warning(expect_identical(besselKgpu(c(-1, 1), 0.5), c(NaN, besselKgpu(1, 0.5))), "NaNs produced")
  expect_silent(expect_identical(besselKgpu(c(NA, NaN), 1), c(NA, NaN)))
  expect_identical(besselKgpu(1L, 2L), besselKgpu(1, 2))
  expect_error(besselKgpu("1", 1), "Non-numeric argument")
  expect_error(besselKgpu(1, 1, log = NA), class = "statcl_error_input")
  expect_error(besselKgpu(1, 1, deriv = "y"), "deriv = y", class = "statcl_error_input")
  expect_error(besselKgpu(1, 1, method = "temme", deriv = "x"), class = "statcl_error_input")
  expect_error(besselKgpu(1, 1, method = "refined", bins = 0.5), class = "statcl_error_input")
})

test_that("published algorithms are at hand by name", {
  x <- c(0.05, 0.5, 5, 50)
  for (method in c("temme", "takekawa", "refined")) {
    expect_equal(besselKgpu(x, 1.7, method = method), besselKgpu(x, 1.7), tolerance = 1e-12)
    expect_equal(besselKgpu(x, -1.7, TRUE, method = method), besselKgpu(x, 1.7, TRUE), tolerance = 1e-12)
    expect_equal(besselKgpu(x, 1.7, log = TRUE, method = method), besselKgpu(x, 1.7, log = TRUE), tolerance = 1e-12)
  }
  coarse <- besselKgpu(x, 1.7, method = "takekawa", bins = 8)
  expect_false(isTRUE(all.equal(coarse, besselKgpu(x, 1.7), tolerance = 1e-9)))
})

test_backends("derivatives for the order next to the smallest numbers", {
  # mpmath, 30 digits
  x <- c(1e-306, 1e-307, 1e-308, 1e-310, 1e-312)
  slope <- c(704.06416208303999, 706.36674717603404, 708.66933226902809, 713.27450245501617, 717.87967264100426)
  expect_lt(max(abs(besselKgpu(x, 0.7, log = TRUE, deriv = "nu") / slope - 1)), 1e-14)
})

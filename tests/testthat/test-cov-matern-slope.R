# dM/dnu where one of its formulas takes over from another: values from differences in 45 digits.
slopes <- read_ref("matern_slope")

test_backends("derivatives by smoothness agree with high precision where formulas meet", {
  old <- options(statcl.covariance.route = "direct")
  on.exit(options(old))
  value <- mapply(function(x, nu) matern(x, range = 1, smoothness = nu, deriv = "smoothness"), slopes$x, slopes$nu)
  expect_lte(max(relative_error(value, slopes$slope)), 1e-13)
  expect_lte(stats::median(relative_error(value, slopes$slope)), 1e-14)
})

test_backends("derivatives by smoothness are continuous where formulas meet", {
  old <- options(statcl.covariance.route = "direct")
  on.exit(options(old))
  slope <- function(x, nu) matern(x, range = 1, smoothness = nu, deriv = "smoothness")
  near <- 1 + c(-1, 1) * 1e-13
  # each side is right to 1e-13, and the step of 1e-13 changes the value by less than 1e-11 of it
  for (nu in c(0.3, 1, 2.5, 7.7, 15.9)) expect_lte(abs(diff(log(slope(2 * near, nu)))), 1e-11)
  for (nu in c(12, 16.5, 60, 400)) expect_lte(abs(diff(log(slope(2 * sqrt(nu) * near, nu)))), 1e-11)
  for (x in c(3, 0.5)) for (nu in c(10, 16))
    expect_lte(abs(log(slope(x, nu * near[1]) / slope(x, nu * near[2]))), 1e-11)
})

test_backends("the derivative for the range keeps its digits next to 0 at large smoothness", {
  old <- options(statcl.covariance.route = "direct")
  on.exit(options(old))
  for (nu in c(21, 25, 300, 1e4)) {
    x <- 10^seq(-150, -10, by = 10)
    expect_lt(max(abs(matern(x, range = 1, smoothness = nu, deriv = "range") / (x^2 / (2 * (nu - 1))) - 1)), 1e-13,
              label = nu)
  }
})

test_backends("derivatives for a large smoothness at scaled distances keep their digits", {
  # tools/matern_scaled_reference.py, with a = (r/range)^2/2
  ref <- read.csv(test_path("ref", "matern_scaled.csv"))
  for (nu in unique(ref$nu)) {
    g <- ref[ref$nu == nu, ]
    for (scaling in c("sqrt2nu", "sqrt8nu")) {
      v <- matern(sqrt(2 * g$a) / (if (scaling == "sqrt8nu") 2 else 1), range = 1, smoothness = nu, scaling = scaling,
                  deriv = "smoothness")
      expect_lt(max(abs(v - g$value)) / max(abs(g$value)), 1e-12)
    }
  }
})

# Values, line covariances, spectral densities and random wave vectors of all families.
part <- function(name, ...) covModel(name, ..., range = 1)
unit_models <- list(
  part("exponential"), part("gaussian"), part("spherical"), part("cubic"), part("pentaspherical"),
  part("matern", smoothness = 0.3),
  part("matern", smoothness = 2.5), part("cauchy", shape = 0.5), part("cauchy", shape = 2),
  part("powexp", shape = 0.5), part("powexp", shape = 1.5), part("besselj", shape = 1.5),
  part("powerlaw", exponent = -2, kmin = 0.05, kmax = 3),
  part("powerlaw", exponent = 1, kmin = 0.05, kmax = 3), part("gammaspectrum", exponent = 6),
  part("gammaspectrum", exponent = -1.5))


cov_radius <- function(...) statcl:::cov_radius(...)

# Integral in pieces that integrate() takes for smooth ones.
integrate_pieces <- function(f, a, b, breaks = NULL) {
  x <- sort(c(seq(a, b, length.out = 2 + ceiling(b - a)), breaks[breaks > a & breaks < b]))
  mapply(function(a, b) integrate(f, a, b, rel.tol = 1e-10, abs.tol = 0, subdivisions = 500L)$value,
         x[-length(x)], x[-1])
}

test_that("every row of the reference", {
  ref <- read_ref("line_covariance")
  expect_identical(nrow(ref), 2520L)
  for (g in split(ref, ref[c("model", "param", "quantity")], drop = TRUE)) {
    value <- ref_value(ref_model(g$model[1], g$param[1]), g$quantity[1], g$arg)
    expect_lt(max(abs(value - g$value)) / max(abs(g$value)), 1e-13, label = paste(g[1, 1:3], collapse = " "))
  }
})

# C3(r) = int_0^1 C1(r t) dt and C2(r) = (2/pi) int_0^(pi/2) C1(r sin t) dt, for what the table has not.
test_that("lines give back their covariance", {
  models <- c(unit_models, list(part("sinc"), part("cauchy", shape = 0.1), part("powexp", shape = 1.99),
                                part("besselj", shape = 40), part("matern", smoothness = 60)))
  for (m in models) for (r in c(0.03, 0.8, 7)) {
    space <- integrate(function(t) lineCovariance(m, r * t), 0, 1, rel.tol = 1e-10, subdivisions = 500L)$value
    expect_lt(abs(space - covariance(m, r)), 1e-9, label = paste(format(m), r))
    plane <- integrate(function(t) lineCovariance(m, r * sin(t), dim = 2), 0, pi / 2, rel.tol = 1e-8)$value
    expect_lt(abs(2 / pi * plane - covariance(m, r)), 1e-7, label = paste(format(m), r))
  }
})

# One dimension less is a projection: S2(k) = 2 int S3(sqrt(k^2 + z^2)) dz, and the same from S2 to S1.
test_that("spectral densities of the dimensions belong together", {
  for (m in unit_models) for (dim in 2:3) for (k in c(0.2, 0.7)) {
    f <- function(z) spectralDensity(m, sqrt(k^2 + z^2), dim = dim)
    # breaks at the ends of a band, and a slow tail
    top <- switch(m$name, besselj = 1, powerlaw = 3, spherical = , cubic = , pentaspherical = 400, Inf)
    ends <- if (is.finite(top)) sqrt(top^2 - k^2) else c(1, 1e8)
    x <- unique(c(0, ends))
    value <- 2 * sum(mapply(function(a, b) if (b <= 1 || is.finite(top))
      integrate(function(t) f(b - (b - a) * t^2) * 2 * (b - a) * t, 0, 1, subdivisions = 2000L)$value
      else integrate(function(t) f(exp(t)) * exp(t), log(a), log(b), subdivisions = 2000L)$value,
      x[-length(x)], x[-1]))
    expect_equal(value, spectralDensity(m, k, dim = dim - 1), tolerance = 3e-4, label = paste(format(m), dim, k))
  }
})

# The mass below a quantile, by integrate() from its own panels. Tails are those of the distribution, on both sides.
test_that("random radii have the spectral density", {
  skip_if_quick()
  u <- c(1e-12, 1e-4, 0.1, 0.5, 0.9)
  for (m in unit_models) for (dim in 2:3) {
    k <- cov_radius(m, u, dim)
    f <- function(x) statcl:::sphere_surface(dim) * exp(dim * x) * spectralDensity(m, exp(x), dim = dim)
    band <- if (m$name == "powerlaw") log(m$kmin)
    x <- c(if (length(band) && dim == 3) band else log(k[1]) - 40, log(k))
    mass <- cumsum(mapply(function(a, b) sum(integrate_pieces(f, a, b, band)), x[-6], x[-1]))
    expect_lt(max(abs(mass / u - 1)[-1]), 1e-9, label = paste(format(m), dim))
    # next to an edge of the band the rounding of k counts
    if (is.null(band)) expect_lt(abs(mass[1] / u[1] - 1), 1e-9, label = paste(format(m), dim))
    many <- c(1e-300, 1e-15, ppoints(50), 1 - 1e-10, 1 - 1e-15)
    expect_false(is.unsorted(cov_radius(m, many, dim), strictly = TRUE), label = paste(format(m), dim))
  }
})

test_that("far quantiles are those of the tails", {
  p <- 1e-10 # as doubles allow: 1 - p is rounded by 1e-6 of p
  # of the first order, 2 k^-1 B(...): see the closed tails
  expect_equal(cov_radius(part("spherical"), 1 - p, 3), 6 / pi / p, tolerance = 1e-5)
  expect_equal(cov_radius(part("spherical"), 1 - p, 2), 1.5 / p, tolerance = 1e-5)
  expect_equal(cov_radius(part("exponential"), 1 - p, 3), 4 / pi / p, tolerance = 1e-5)
  expect_equal(cov_radius(part("powexp", shape = 1), c(0.1, 0.7, 1 - p), 2),
               cov_radius(part("exponential"), c(0.1, 0.7, 1 - p), 2), tolerance = 1e-9)
  expect_identical(cov_radius(part("sinc"), c(0.1, 0.9), 3), c(1, 1))
  scaled <- covModel("cauchy", range = 5, shape = 2)
  expect_equal(cov_radius(scaled, u <- c(0.1, 0.8), 3), cov_radius(part("cauchy", shape = 2), u, 3) / 5)
})

test_that("far quantiles of compact models have the mass beyond them, at every octave", {
  p <- 2^-(8:53)
  for (name in c("spherical", "cubic", "pentaspherical")) for (dim in 1:3) {
    powers <- statcl:::families[[name]]$powers
    p <- p[p < statcl:::compact_tail(powers, 100, dim)]
    k <- statcl:::compact_quantile(powers, p, dim)
    # where a rounding of log k moves the mass by 40 times as much, and that of k h the waves
    expect_lt(max(abs(statcl:::compact_tail(powers, k, dim) / p - 1)), 1e-12, label = paste(name, dim))
  }
})

test_that("the cubic model has the power of its spectral density far out in the plane", {
  # of the odd power 8.75 h^3: -8.75 2^4 Gamma(5/2)/Gamma(-3/2)/(2 pi k^5) and waves of k^-5.5 (DLMF 10.22.43)
  k <- 10^(4:9)
  limit <- 8.75 * 2^4 * gamma(2.5) / gamma(-1.5) / (2 * pi)
  expect_true(all(abs(k^5 * spectralDensity(part("cubic"), k, dim = 2) / limit - 1) < 3 / sqrt(k)))
})

# The area that two discs of diameter 1 share, from the sine of an arc, in which no terms cancel; the squared
# transform of a disc.
test_that("the circular model is that of discs, in values, slopes, spectra, lines and radii", {
  m <- part("circular")
  h <- c(0, 2^-(1:40), 1 - 2^-(1:50), runif(200), 1, 2, Inf)
  y <- 4 * asin(sqrt(pmax(1 - h, 0) / 2))
  area <- function(y) if (y == 0) 0 else integrate(function(t) sin(t * y / 2)^2, 0, 1, rel.tol = 1e-13)$value * 2 * y
  expect_lt(max(abs(covariance(m, h) * pi / vapply(y, area, 1) - 1), na.rm = TRUE), 1e-12)
  expect_identical(covariance(m, c(0, 1, 3, Inf)), c(1, 0, 0, 0))
  h <- h[h < 2]
  expect_equal(covariance(m, h, deriv = "range"), 4 / pi * h * sqrt((1 - h) * (1 + h)), tolerance = 1e-14)
  k <- c(1e-3, 0.5, 4, 12, 39, 41, 90)
  waves <- function(k, f) integrate(function(t) f(k * sin(t)) * (2 * (pi / 2 - t) - sin(2 * t)) * cos(t), 0, pi / 2,
                                    rel.tol = 1e-12, subdivisions = 500L)$value / pi
  expect_equal(spectralDensity(m, k, dim = 1), vapply(k, waves, 1, cos) / pi, tolerance = 1e-10)
  expect_equal(spectralDensity(m, k, dim = 2), besselJ(k / 2, 1)^2 / (pi * k^2), tolerance = 1e-12)
  expect_equal(spectralDensity(m, 0, dim = 1), 4 / (3 * pi^2))
  for (r in c(0.03, 0.8, 1.02, 7)) {
    plane <- integrate(function(t) lineCovariance(m, r * sin(t), dim = 2), 0, pi / 2, rel.tol = 1e-9,
                       subdivisions = 2000L)$value
    expect_lt(abs(2 / pi * plane - covariance(m, r)), 1e-9)
  }
  expect_equal(lineCovariance(m, c(1e3, 1e8), dim = 2) * c(8e6, 8e16), c(-1, -1), tolerance = 1e-6)
  u <- c(1e-300, 1e-15, 1e-12, ppoints(50), 1 - 1e-10, 1 - 1e-15)
  z <- cov_radius(m, u, 2) / 2
  expect_false(is.unsorted(z, strictly = TRUE))
  some <- z > 0.1 & z < 1e3
  expect_equal(besselJ(z[some], 0)^2 + besselJ(z[some], 1)^2, 1 - u[some], tolerance = 1e-11)
  expect_equal(z[1:3]^2 / 4, u[1:3], tolerance = 1e-11)
  expect_equal(2 / (pi * z[54]), 1e-10, tolerance = 1e-5)
  expect_input_error(covariance(m, matrix(1:6, 2)), "it is valid up to dimension 2")
  expect_input_error(covModel("circular", range = 1, distance = "chordal"), "valid up to dimension 2")
})

test_that("cosines are for lines", {
  m <- covModel("cosine", range = 2, variance = 3)
  expect_equal(covariance(m, c(0, 1, 400)), 3 * cos(c(0, 0.5, 200)), tolerance = 1e-14)
  expect_equal(covariance(m, c(0, 1, 400), deriv = "range"), 3 * c(0, 0.5, 200) * sin(c(0, 0.5, 200)) / 2)
  expect_identical(spectralDensity(m, c(0.4, 0.5), dim = 1), c(0, Inf))
  expect_input_error(covariance(m, matrix(1:4, 2)), "it is valid up to dimension 1")
  expect_input_error(tbrf(cbind(1:3), m), "simulate(model, x =)")
  expect_s3_class(simulate(m, x = cbind(1:3)), "rfield")
})

test_that("digits are kept near 0, near the range and far out", {
  expect_equal(covariance(part("spherical"), 1 - 2^-40), 1.5 * 2^-80, tolerance = 1e-11)
  expect_equal(covariance(part("cubic"), 1 - 2^-20), 8.75 * 2^-80, tolerance = 1e-5)
  for (kappa in c(0, 0.3, 0.9)) # as x^(2 kappa + 1)
    expect_lt(max(covariance(part("wendland", smoothness = kappa, shape = 3), 10^-c(137, 141, 200, 300, 320),
                             deriv = "range")), 1e-130)
  expect_equal(covariance(part("gaussian"), 25), exp(-625), tolerance = 1e-15)
  expect_equal(covariance(part("cauchy", shape = 2), 1e200), 0)
  expect_equal(covariance(part("cauchy", shape = 0.5), 1e200), 1e-200, tolerance = 1e-13)
  # the lines of an exponential in the plane go like -1/r^2
  expect_equal(lineCovariance(part("exponential"), c(1e4, 1e6), dim = 2) * c(1e8, 1e12), c(-1, -1), tolerance = 1e-7)
  expect_equal(spectralDensity(part("matern", smoothness = 1e12), 0, dim = 1), 1e6 / (2 * sqrt(pi)) * 2,
               tolerance = 1e-10)
  for (b in c(-30, -20, 10, 30)) for (kmin in c(1e-20, 0.25)) # powers overflow
    expect_equal(covariance(part("powerlaw", exponent = b, kmin = kmin, kmax = 4), kmin * 1e-9), 1,
                 tolerance = 1e-14)
  expect_input_error(part("powerlaw", exponent = -31, kmin = 1, kmax = 2), "exponent = -31: exponent must be from")
  expect_input_error(part("powerlaw", exponent = -3, kmin = 1e-300, kmax = 1e300), "kmin = 1e-300: kmin is too small")
  expect_equal(covariance(part("besselj", shape = 0), 1e300, deriv = "shape"), 0)
  h <- c(1e9, 1e100)
  expect_lt(max(abs(lineCovariance(part("powerlaw", exponent = -3, kmin = 1, kmax = 3), h, dim = 2)) * h^1.5), 2)
  nu <- c(0, 0.5, 3, 30, 300)
  # J at neighbouring orders: x Lambda_(nu+1)/(2 nu + 2) is -Lambda_nu'
  for (n in nu) for (x in c(0.1, 3, 12, 49.9, 77, 400, 5e4)) {
    d <- 1e-3 # rounding of x is x eps/d in the slope
    slope <- sum(c(1, -8, 8, -1) * statcl:::bessel_wave(x + c(-2, -1, 1, 2) * d, n)) / (12 * d)
    expect_lt(abs(slope + x / (2 * n + 2) * statcl:::bessel_wave(x, n + 1)), 1e-12 + x * 1e-12,
              label = paste("order", n, "at", x))
  }
})

test_that("lines in the plane are the same by panels and from the ends", {
  h <- c(101, 300.5, 2000)
  for (nu in c(0, 0.2, 0.5, 1.5, 7)) {
    panels <- statcl:::plane_line(h, list(name = "besselj", shape = nu))
    expect_lt(max(abs(lineCovariance(part("besselj", shape = nu), h, dim = 2) - panels)), 1e-13, label = nu)
  }
  expect_equal(lineCovariance(part("besselj", shape = 0.5), 1e8, dim = 2), lineCovariance(part("sinc"), 1e8, dim = 2),
               tolerance = 1e-7)
})

test_that("functions of the user", {
  matern <- covModel("matern", range = 1, smoothness = 1.5, variance = 2)
  r <- c(0, 1e-3, 0.1, 1, 5)
  k <- c(0, 0.1, 1, 7)
  for (dim in 2:3) {
    d <- dim
    shape <- covModel("spectrum", density = function(k) 7 * spectralDensity(matern, k, dim = d), dim = dim,
                      variance = 2)
    expect_equal(covariance(shape, r), covariance(matern, r), tolerance = 1e-12)
    expect_equal(lineCovariance(shape, r, dim = 2), lineCovariance(matern, r, dim = 2), tolerance = 1e-12)
    for (low in 1:dim)
      expect_equal(spectralDensity(shape, k[-1], dim = low), spectralDensity(matern, k[-1], dim = low),
                   tolerance = 1e-11)
    u <- c(1e-10, 0.2, 0.9, 1 - 1e-8)
    expect_equal(cov_radius(shape, u, dim), cov_radius(matern, u, dim), tolerance = 1e-8)
    given <- covModel("covariance", covariance = function(h) covariance(matern, h) / 2, dim = dim, variance = 2)
    expect_identical(covariance(given, r), covariance(matern, r))
    expect_equal(lineCovariance(given, r, dim = dim), lineCovariance(matern, r, dim = dim), tolerance = 1e-11)
    expect_equal(spectralDensity(given, k[-1], dim = dim), spectralDensity(matern, k[-1], dim = dim),
                 tolerance = 1e-9)
  }
  band <- covModel("spectrum", density = function(k) as.numeric(k > 1 & k < 2), dim = 3)
  power <- part("powerlaw", exponent = 0, kmin = 1, kmax = 2)
  expect_equal(covariance(band, 1:5), covariance(power, 1:5), tolerance = 1e-8)
  expect_equal(cov_radius(band, c(0.1, 0.8), 3), cov_radius(power, c(0.1, 0.8), 3), tolerance = 1e-8)
  expect_input_error(covModel("spectrum", density = function(k) -k, dim = 3), "finite and not negative")
  expect_input_error(covModel("spectrum", density = function(k) k^-3, dim = 3), "no finite integral")
  expect_input_error(covModel("spectrum", density = function(k) 1, dim = 3), "a number for each element")
  expect_input_error(covModel("covariance", covariance = function(h) pmax(1 - h, 0), dim = 3),
                     "not positive definite")
  expect_input_error(covModel("covariance", covariance = function(h) 2 * exp(-h), dim = 3), "covariance(0) = 2")
  expect_identical(covModel("covariance", covariance = function(h) pmax(1 - h, 0), dim = 1)$dim, 1)
  plain <- function(h) if (length(h) > 1L) stop("no vectors") else 1
  expect_input_error(covModel("covariance", covariance = plain, dim = 1),
                     "covariance failed for a vector of length 3001")
  for (model in list(list("covariance", covariance = plain), list("spectrum", density = plain)))
    expect_input_error(do.call(covModel, model), ": no vectors; it must take vectors: see ifelse() and pmax()")
})

test_that("a spectral density of the user has covariances next to those of its closed form", {
  eps <- .Machine$double.eps
  set.seed(3)
  h <- exp(runif(4000, -14, 2.7))
  # the density is the difference of two Matern ones, see tools/covariance_reference.py
  closed <- 2 * matern(h, range = 1, smoothness = 1.5) - matern(h, range = 1, smoothness = 2.5)
  shape <- covModel("spectrum", density = function(k) k^2 / (1 + k^2)^4)
  for (route in c("table", "direct")) {
    old <- options(statcl.covariance.route = route)
    expect_lt(max(abs(covariance(shape, h) - closed)), 8 * eps, label = route)
    options(old)
  }
})

test_that("panels give their sums within and 0 outside", {
  panels <- statcl:::resolved_panels(sin, c(0, 1, 2), c(1, 2, 4))
  x <- c(-Inf, -1e-9, 0, 0.5, 3.9, 1, 2, 4, 4 + 1e-9, Inf, NaN, 1.5)
  inside <- !is.nan(x) & x >= 0 & x <= 4
  expect_equal(statcl:::panel_value(panels, x)[inside], sin(x[inside]), tolerance = 1e-12)
  expect_equal(statcl:::panel_value(panels, x, slope = TRUE)[inside], cos(x[inside]), tolerance = 1e-11)
  expect_identical(statcl:::panel_value(panels, x)[!inside], ifelse(is.nan(x[!inside]), NaN, 0))
})

test_that("a user's function is asked again when variables that it uses have changed", {
  values <- numeric()
  for (a in c(1, 25)) {
    model <- covModel("spectrum", density = function(k) 1 / (a + k^2)^4)
    values <- c(values, covariance(model, 1), lineCovariance(model, 1), statcl:::cov_radius(model, 0.5, 3))
  }
  # k = sqrt(a) q: the second model is the first with range 1/5
  model <- covModel("spectrum", density = function(k) 1 / (1 + k^2)^4)
  expect_equal(values, c(covariance(model, 1), lineCovariance(model, 1), statcl:::cov_radius(model, 0.5, 3),
                         covariance(model, 5), lineCovariance(model, 5), 5 * statcl:::cov_radius(model, 0.5, 3)),
               tolerance = 1e-9)
})

test_that("powered exponentials of small shape have the spectral density of their series", {
  # S3(k) = sum (-1)^(n+1) Gamma(n a + 2) sin(n pi a/2) / (2 pi^2 n! k^(n a + 3)), convergent for a < 1
  n <- 1:400
  for (a in c(0.05, 0.1, 0.2, 0.24, 0.3)) for (k in c(0.5, 2, 8)) {
    terms <- (-1)^(n + 1) * exp(lgamma(n * a + 2) - lgamma(n + 1) - (n * a + 3) * log(k)) * sinpi(n * a / 2)
    exact <- sum(terms) / (2 * pi^2)
    expect_lt(abs(spectralDensity(covModel("powexp", range = 1, shape = a), k) / exact - 1),
              1e-12 + 4 * .Machine$double.eps * sum(abs(terms)) / abs(sum(terms)))
  }
})

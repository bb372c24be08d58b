# Fields of other distributions whose values have the covariance, or the spectrum, of the model.

grid <- rfGrid(0, 0.5, c(14, 9))
rough <- covModel("exponential", range = 2, variance = 1.5, mean = 2)
made <- function(model = rough, ..., marginal = "lognormal", x = grid)
  seeded(tbrf(x, model, method = "fft", marginal = marginal, ...))

# Covariances around the box of the Gaussian field that is the root of a recipe's, and of the given one.
around <- function(torus) {
  whole <- if (!torus$folded) NULL else {
    at <- lapply(torus$dims, function(m) 1 + pmin(seq_len(m) - 1, m - seq_len(m) + 1))
    do.call(`[`, c(list(array(torus$variance, torus$dims %/% 2 + 1)), at, drop = FALSE))
  }
  Re(fft(whole, inverse = TRUE))
}

test_that("exponentials of the Gaussian field have the covariance asked for, at all lags of a box", {
  for (variance in c("model", "spectrum")) {
    recipe <- made(periodic = TRUE, variance = variance, object = TRUE)
    given <- Re(fft(array(box_spectrum(recipe)$variance, grid$dims), inverse = TRUE))
    expect_equal(4 * expm1(around(half_spectrum(recipe))), given, tolerance = 1e-12)
  }
  # without waves of number 0: all but the mean over the box
  dented <- spectrumModel(function(k) k^2 / (1 + k^2)^2.6, "density", 2, band = c(0, 50))
  recipe <- made(update(dented, mean = 3), periodic = TRUE, variance = "spectrum", object = TRUE)
  given <- Re(fft(array(box_spectrum(recipe)$variance, grid$dims), inverse = TRUE))
  torus <- half_spectrum(recipe)
  more <- 9 * expm1(around(torus)) - given
  expect_lt(diff(range(more)), 1e-12 * max(abs(given)))
  expect_gt(mean(more), 0)
  expect_lt(torus$variance[1], 1e-12 * max(torus$variance))
  # on a torus around the grid
  torus <- half_spectrum(made(object = TRUE))
  h <- sqrt(outer((0:13 / 2)^2, (0:8 / 2)^2, `+`))
  expect_equal(as.vector(4 * expm1(around(torus)[1:14, 1:9])), covariance(update(rough, mean = 0), as.vector(h)),
               tolerance = 1e-12)
})

test_that("moments and distributions of fields are those asked for", {
  n <- 1000
  fields <- made(periodic = TRUE, nsim = n)
  values <- matrix(fields, ncol = n)
  score <- function(x, mean) (mean(x) - mean) / (sd(x) / sqrt(n))
  expect_lt(abs(score(values[1, ], 2)), 4)
  expect_lt(abs(score((values[1, ] - 2)^2, 1.5)), 4)
  recipe <- attr(fields, "recipe")
  s2 <- half_total(half_spectrum(recipe))
  expect_equal(s2, log1p(1.5 / 4), tolerance = 1e-12)
  expect_gt(ks.test(log(values[7, ]), "pnorm", log(2) - s2 / 2, sqrt(s2))$p.value, 1e-4)
  found <- rfSpectrum(fields, expected = FALSE)
  expect_lt(max(abs(found$spectrum - found$model) / found$std.error), 4)
  # angles: the spectrum is no function of |k| along the axes
  narrow <- covModel("exponential", range = 3, ratio = 0.4, angle = 30, variance = 1.5, mean = 4)
  found <- rfSpectrum(made(narrow, periodic = TRUE, nsim = 300), expected = FALSE)
  expect_lt(max(abs(found$spectrum - found$model) / found$std.error), 4)
})

test_that("quantile functions give their distribution with the covariance of the model", {
  gamma2 <- update(rough, variance = 2)
  q <- function(p) qgamma(p, 2)
  for (periodic in c(TRUE, FALSE)) {
    recipe <- made(gamma2, marginal = q, periodic = periodic, object = TRUE)
    rho <- around(half_spectrum(recipe))
    expect_equal(rho[1], 1, tolerance = 1e-10)
    moments <- recipe$marginal$moments
    h <- sqrt(outer((0:6 / 2)^2, (0:4 / 2)^2, `+`))
    given <- if (periodic) Re(fft(array(box_spectrum(recipe)$variance, grid$dims), inverse = TRUE))[1:7, 1:5]
             else covariance(update(gamma2, mean = 0), as.vector(h))
    expect_equal(as.vector(transformed_covariance(moments, as.vector(rho[1:7, 1:5]))), as.vector(given),
                 tolerance = 1e-9)
  }
  values <- matrix(made(gamma2, marginal = q, periodic = TRUE, nsim = 500), ncol = 500)
  expect_gt(ks.test(values[5, ], "pgamma", 2)$p.value, 1e-4)
  # counts, whose quantile function has jumps; of two values their covariance is that of a break
  counts <- made(update(rough, mean = 3, variance = 3), marginal = function(p) qpois(p, 3), object = TRUE)
  expect_equal(counts$marginal$moments$mean, 3, tolerance = 1e-9)
  # exactly, also of thousands of jumps
  days <- made(update(rough, mean = 99, variance = 9900), marginal = function(p) qgeom(p, 0.01), object = TRUE)
  expect_equal(days$marginal$moments$mean, 99, tolerance = 1e-12)
  expect_equal(transformed_variance(days$marginal$moments), 9900, tolerance = 1e-12)
  for (none in list(qcauchy, function(p) qt(p, 2)))
    expect_error(made(marginal = none), "variance must be finite", class = "statcl_error_input")
  two <- tbrf(grid, rough, object = TRUE)
  expect_equal(covariance(rfTransform(two, quantile = function(p) qbinom(p, 1, 0.3)), 0:3),
               covariance(rfTransform(two, breaks = 2 + sqrt(1.5) * qnorm(0.7)), 0:3), tolerance = 1e-8)
  expect_error(made(marginal = q), "variance 2, the model 2 and 1.5", class = "statcl_error_input")
  expect_error(made(gamma2, marginal = q, periodic = TRUE, variance = "spectrum"), "variance",
               class = "statcl_error_input")
  # what no such field can have: covariances below the least of two values of a skewed distribution
  wave <- covModel("sinc", range = 0.3, variance = 1, mean = 1)
  expect_error(made(wave, marginal = qexp, periodic = TRUE), "covariance", class = "statcl_error_input")
})

test_that("what is no covariance of a Gaussian field is refused, with its smallest eigenvalue", {
  smooth <- covModel("gaussian", range = 3, variance = 5, mean = 1)
  for (periodic in c(TRUE, FALSE))
    expect_error(made(smooth, periodic = periodic), "smallest eigenvalue is -0.0[0-9]+ of the largest",
                 class = "statcl_error_input")
  peak <- update(spectrumModel(function(k) k^4 * exp(-2 * k^2), "scalar"), mean = 1)
  expect_error(made(peak, periodic = TRUE, variance = "spectrum", x = rfGrid(0, 1, c(16, 16, 16))),
               "smallest eigenvalue", class = "statcl_error_input")
  expect_error(made(covModel("sinc", range = 1, variance = 9, mean = 1), periodic = TRUE), "falls to",
               class = "statcl_error_input")
})

test_that("distributions are for fields of one variable by transforms", {
  expect_error(tbrf(grid, rough, marginal = "lognormal"), "fft", class = "statcl_error_input")
  expect_error(made(update(rough, mean = 0)), "positive mean", class = "statcl_error_input")
  expect_error(made(update(rough, nugget = 0.1)), "nugget", class = "statcl_error_input")
  expect_error(made(marginal = "gamma"), "marginal", class = "statcl_error_input")
  expect_error(made(data = list(x = cbind(1, 1), y = 1)), "data", class = "statcl_error_input")
  expect_error(tbrf(grid, rfVector(covModel("exponential", 1)), method = "fft", periodic = TRUE,
                    marginal = "lognormal"), "one variable", class = "statcl_error_input")
  field <- made(periodic = TRUE)
  expect_error(rfTransform(field, sqrt), "marginal", class = "statcl_error_input")
  expect_output(print(field), "log-normal values")
  expect_identical(made(periodic = TRUE, file = tempfile(fileext = ".nc"), fragment = 5)[], field[])
  expect_equal(covariance(attr(field, "recipe"), 1), covariance(rough, 1))
})

test_that("waves with a negative variance are left out where clip allows it, and told", {
  smooth <- covModel("gaussian", range = 1.5, variance = 1.5, mean = 2)
  expect_error(made(smooth, periodic = TRUE, variance = "spectrum"), "clip = .* leaves such waves out",
               class = "statcl_error_input")
  field <- made(smooth, periodic = TRUE, variance = "spectrum", clip = 0.05)
  recipe <- attr(field, "recipe")
  torus <- half_spectrum(recipe)
  told <- summary(field)$clip
  expect_true(told$share > 0 && told$share < 0.05 && all(torus$variance >= 0))
  given <- Re(fft(array(box_spectrum(recipe)$variance, grid$dims), inverse = TRUE))
  has <- 4 * expm1(around(torus))
  expect_equal(has[1], given[1], tolerance = 1e-12)
  off <- max(abs(has - given)) / given[1]
  expect_true(off > 1e-9 && off <= told$covariance)
  expect_output(print(summary(field)), "are left out.*are off by at most")
  expect_error(made(smooth, periodic = TRUE, variance = "spectrum", clip = told$share / 2), "positive definite")
  around_grid <- made(smooth, clip = 0.05)
  expect_lt(summary(around_grid)$clip$share, 0.05)
  expect_null(summary(made(periodic = TRUE, clip = 0.05))$clip)
  turned <- update(smooth, ratio = 0.5, angle = 30)
  expect_gt(summary(made(turned, periodic = TRUE, variance = "spectrum", clip = 0.2))$clip$share, 0)
  expect_error(made(smooth, clip = 0.1, marginal = "normal"), "is for fields with a marginal")
  expect_error(made(smooth, clip = -1), "clip")
})

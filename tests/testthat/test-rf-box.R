# Periodic boxes that keep a spectrum, models of spectra in all conventions, variances in spheres.

bbks <- function(k) {
  q <- k / 0.2
  k * (log1p(2.34 * q) / (2.34 * q))^2 / sqrt(1 + 3.89 * q + (16.1 * q)^2 + (5.46 * q)^3 + (6.71 * q)^4)
}

test_that("the waves of a box have the density of the model at every wave vector", {
  models <- list(covModel("matern", range = 2, smoothness = 0.7, variance = 3),
                 covModel("gaussian", range = 1) + covModel("exponential", range = 4, ratio = 0.5, angle = 25),
                 covModel("exponential", range = 3, ratio = 0.3, angle = 90))
  for (model in models) for (dims in list(c(9, 8), c(6, 12))) {
    grid <- rfGrid(0, c(0.5, 0.8), dims)
    recipe <- seeded(tbrf(grid, model, method = "fft", periodic = TRUE, variance = "spectrum", object = TRUE))
    half <- half_spectrum(recipe)
    size <- if (half$folded) dims %/% 2 + 1 else c(dims[1] %/% 2 + 1, dims[2])
    j <- as.matrix(expand.grid(lapply(size, seq_len))) - 1
    j <- ifelse(j > rep(dims %/% 2, each = nrow(j)), j - rep(dims, each = nrow(j)), j)
    k <- 2 * pi * j / rep(dims * grid$spacing, each = nrow(j))
    density <- Reduce(`+`, lapply(model_parts(model), function(part) {
      transform <- anisotropy(part, 2L)
      if (is.null(transform)) transform <- diag(2)
      spectralDensity(update(part, ratio = 1, angle = 0), sqrt(rowSums((k %*% solve(transform))^2)), 2) /
        abs(det(transform))
    }))
    expect_equal(half$variance, density * prod(2 * pi / (dims * grid$spacing)), tolerance = 1e-12)
    expect_equal(box_total(recipe), sum(box_spectrum(recipe)$variance), tolerance = 1e-12)
  }
})

test_that("measured spectra are the ones given, in bins of the wave number", {
  model <- covModel("powerlaw", exponent = -11 / 3, kmin = 2 * pi / 16, kmax = 2.5)
  fields <- seeded(tbrf(rfGrid(0, 1, c(16, 16, 16)), model, method = "fft", periodic = TRUE, variance = "spectrum",
                        nsim = 30))
  found <- rfSpectrum(fields, expected = FALSE)
  waves <- grid_waves(attr(fields, "grid"), FALSE)
  k <- norm_on_grid(waves$k)
  shell <- round(k / (2 * pi / 16))
  own <- vapply(seq_len(nrow(found)), function(i) mean(spectralDensity(model, k[shell == i])), 0)
  expect_equal(found$model, own, tolerance = 1e-12)
  some <- own > 0
  expect_lt(max(abs(found$spectrum - own)[some] / found$std.error[some]), 4)
  expect_lt(max(found$spectrum[!some], 0), 1e-28)
  expect_output(print(found), "as asked for by variance = \"spectrum\"")
  # 0.81 of the density is what "model" leaves of it: 1/0.81 of the variance of the model are in the box
  expect_output(print(summary(fields)), "has 12[0-9] % of its variance, and is kept")
  scaled <- seeded(tbrf(rfGrid(0, 1, c(16, 16, 16)), model, method = "fft", periodic = TRUE))
  ratio <- box_total(attr(scaled, "recipe")) / box_total(attr(fields, "recipe"))
  expect_equal(rfSpectrum(scaled)$model, ratio * own, tolerance = 1e-12)
  expect_output(print(rfSpectrum(scaled)),
                paste0("of\\s+the model, ", format(ratio, digits = 4), " times that of the\\s*model"))
})

test_that("shares beyond the box are those of the distribution of wave numbers", {
  model <- covModel("exponential", range = 2, variance = 3)
  recipe <- seeded(tbrf(rfGrid(0, 0.5, c(40, 64)), model, method = "fft", periodic = TRUE, object = TRUE))
  shares <- box_shares(recipe)
  # P(|k| <= q) = 1 - (1 + 4 q^2)^(-1/2) of an exponential model in the plane
  tail <- function(q) 3 / sqrt(1 + 4 * q^2)
  expect_equal(c(shares$lowest, shares$nyquist), c(2 * pi / 32, 2 * pi))
  expect_equal(shares$below, 3 - tail(2 * pi / 32), tolerance = 1e-9)
  expect_equal(shares$beyond, tail(2 * pi), tolerance = 1e-9)
  # halving all distances along y: the mean over directions
  narrow <- covModel("exponential", range = 2, variance = 3, ratio = 0.5)
  shares <- box_shares(seeded(tbrf(rfGrid(0, 0.5, c(40, 64)), narrow, method = "fft", periodic = TRUE,
                                   object = TRUE)))
  w <- 2 * pi * (seq_len(4000) - 0.5) / 4000
  scale <- sqrt(cos(w)^2 + sin(w)^2 * 4)
  if (is.null(anisotropy(narrow, 2L))) scale <- 1
  length_of <- sqrt(rowSums((cbind(cos(w), sin(w)) %*% anisotropy(narrow, 2L))^2))
  expect_equal(shares$beyond, mean(tail(2 * pi / length_of)), tolerance = 1e-6)
})

test_that("models of spectra have the densities of all conventions", {
  s <- function(k) k^2 * exp(-k)
  k <- c(0, 0.1, 1, 4)
  for (dim in 1:3) {
    area <- c(2, 2 * pi, 4 * pi)[dim]
    forms <- list(density = s, P = function(k) (2 * pi)^dim * s(k), Delta2 = function(k) area * k^dim * s(k),
                  E = function(k) dim / 2 * area * k^(dim - 1) * s(k), scalar = function(k) area * k^(dim - 1) * s(k),
                  cycles = function(nu) (2 * pi)^dim * s(2 * pi * nu))
    for (form in names(forms)) {
      model <- spectrumModel(forms[[form]], form, dim)
      expect_equal(spectralDensity(model, k, dim), s(k), tolerance = 1e-10, info = form)
      expect_equal(model$variance, area * gamma(dim + 2), tolerance = 1e-10)
    }
  }
  # a density that is infinite at 0 counts as 0 there, and none beyond the band
  banded <- spectrumModel(function(k) k^-2, "density", 3, band = c(0, 2))
  expect_equal(spectralDensity(banded, c(0, 1, 3)), c(0, 1, 0), tolerance = 1e-9)
  expect_equal(banded$variance, 4 * pi * 2, tolerance = 1e-9)
  # at k = 0 that of fewer dimensions is an integral, which may be infinite: the box has a mean, or none
  space <- spectrumModel(function(k) (1 + k^2)^-3)
  expect_equal(spectralDensity(space, c(0, 1e-300, 1), 2), 3 * pi / 8 * c(1, 1, 2^-2.5), tolerance = 1e-12)
  expect_equal(spectralDensity(space, 0, 1), pi / 2, tolerance = 1e-12)
  steep <- spectrumModel(function(k) exp(-k) / k^1.5)
  expect_identical(spectralDensity(steep, 0, 2), Inf)
  expect_equal(spectralDensity(steep, 0, 1), 2 * pi * gamma(0.5), tolerance = 1e-9)
  set.seed(1)
  box <- function(model) mean(tbrf(rfGrid(0, 1, c(4, 4)), model, method = "fft", periodic = TRUE,
                                   variance = "spectrum"))
  expect_gt(abs(box(space)), 0.01)
  expect_lt(abs(box(steep)), 1e-12)
  expect_error(spectrumModel(function(k) k^-3, "density"), "no finite integral", class = "statcl_error_input")
  expect_error(spectrumModel(1), "spectrum", class = "statcl_error_input")
  expect_error(spectrumModel(function(k) -k, "P"), "spectrum\\(.*\\) = -", class = "statcl_error_input")
  expect_error(spectrumModel(function(k) 1, "E"), "spectrum must give a number", class = "statcl_error_input")
  expect_equal(spectrumModel(function(k) k < 1)$variance, 4 * pi / 3, tolerance = 1e-9)
  expect_error(spectrumModel(bbks, band = c(2, 1)), "band", class = "statcl_error_input")
  expect_error(spectrumModel(bbks, dim = 4), "dim", class = "statcl_error_input")
})

test_that("variances in spheres are the integrals of their covariances and spectra", {
  # of an interval from -R to R: int (2 R - h) C(h) dh over 2 R^2
  model <- covModel("gaussian", range = 1.3, variance = 2)
  interval <- function(R) sqrt(2 / (2 * R)^2 * integrate(function(h) (2 * R - h) * covariance(model, h), 0, 2 * R,
                                                         rel.tol = 1e-12)$value)
  expect_equal(rfSigma(model, c(0.01, 1, 20), dim = 1), vapply(c(0.01, 1, 20), interval, 0), tolerance = 1e-9)
  # of a sphere the density of the distance of two random points is 3 t^2 (1 - 3 t/2 + t^3/2) with t = h/(2 R), times
  # 8; of a disc 16 t/pi (acos(t) - t sqrt(1 - t^2))
  of_pairs <- function(R, density) sqrt(integrate(function(t) density(t) * covariance(model, 2 * R * t), 0, 1,
                                                  rel.tol = 1e-12, subdivisions = 1000L)$value)
  ball <- function(t) 24 * t^2 * (1 - 1.5 * t + 0.5 * t^3)
  disc <- function(t) 16 * t / pi * (acos(t) - t * sqrt(1 - t^2))
  expect_equal(rfSigma(model, c(0.1, 1, 6)), vapply(c(0.1, 1, 6), of_pairs, 0, ball), tolerance = 1e-9)
  expect_identical(rfSigma(model, c(a = 0.1, b = 6)), c(a = rfSigma(model, 0.1), b = rfSigma(model, 6)))
  expect_equal(rfSigma(model, c(0.1, 1, 6), dim = 2), vapply(c(0.1, 1, 6), of_pairs, 0, disc), tolerance = 1e-8)
  model <- covModel("exponential", range = 1.3, variance = 2)
  expect_equal(rfSigma(model, c(0.1, 1, 6)), vapply(c(0.1, 1, 6), of_pairs, 0, ball), tolerance = 1e-7)
  # by covariances and by spectra: that of exp(-h^2) is exp(-k^2/4)/(4 pi)^(d/2)
  for (dim in 1:3) {
    same <- spectrumModel(function(k) exp(-k^2 / 4) / (4 * pi)^(dim / 2), "density", dim)
    expect_equal(rfSigma(same, c(0.1, 1, 6, 50), dim), rfSigma(covModel("gaussian", 1), c(0.1, 1, 6, 50), dim),
                 tolerance = 1e-9)
  }
  matter <- spectrumModel(bbks, "P", band = c(0, 20))
  factor <- rfSigma(matter, 8, sigma = 0.8)
  expect_equal(rfSigma(update(matter, variance = factor * matter$variance), 8), 0.8, tolerance = 1e-12)
  expect_error(rfSigma(matter, c(8, 9), sigma = 0.8), "radius", class = "statcl_error_input")
  expect_error(rfSigma(covModel("gaussian", 1, ratio = 0.5), 1, dim = 2), "anisotropic", class = "statcl_error_input")
  expect_error(rfSigma(matter, -1), "radius", class = "statcl_error_input")
})

test_that("variance is an argument of periodic fields alone", {
  grid <- rfGrid(0, 1, c(8, 8))
  model <- covModel("exponential", range = 2)
  expect_error(tbrf(grid, model, variance = "spectrum"), "variance is for method", class = "statcl_error_input")
  expect_error(tbrf(grid, model, method = "fft", variance = "spectrum"), "periodic = TRUE",
               class = "statcl_error_input")
  set.seed(1)
  a <- tbrf(grid, model, method = "fft", periodic = TRUE)
  set.seed(1)
  expect_identical(tbrf(grid, model, method = "fft", periodic = TRUE, variance = "model"), a)
})

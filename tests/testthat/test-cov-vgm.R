# Models of gstat: the same values, and the same model back.

line <- function(v, h, dir = c(1, 0, 0))
  gstat::variogramLine(v, dist_vector = h, dir = dir, covariance = TRUE)$gamma

# Without nugget at distance 0, where gstat has it.
values <- function(model, h, dir = c(1, 0, 0)) {
  dim <- if (length(statcl:::model_parts(model)[[1]]$scales) == 3 || dir[3] != 0) 3 else 2
  drop(covariance(model, outer(h, dir[seq_len(dim)]), matrix(0, 1, dim)))
}

h <- c(0.01, 0.3, 1, 2.7, 5, 11)

test_that("structures of gstat have the same values here, and come back", {
  skip_if_not_installed("gstat")
  for (name in c("Exp", "Sph", "Gau", "Exc", "Mat", "Ste", "Bes", "Wav", "Hol", "Cir", "Pen")) {
    v <- gstat::vgm(1.5, name, 2.3, 0.4, kappa = 0.7)
    model <- covModel(v)
    expect_s3_class(model, "covModel")
    expect_equal(model$nugget, 0.4)
    expect_equal(values(model, h), line(v, h), tolerance = 1e-12)
    back <- as.vgm(model)
    expect_s3_class(back, "variogramModel")
    expect_equal(line(back, h), line(v, h), tolerance = 1e-12)
    if (name %in% c("Exc", "Mat", "Ste")) expect_equal(back, v, ignore_attr = "call")
    expect_equal(covModel(back), model)
  }
})

test_that("anisotropy, sums and missing parameters go both ways", {
  skip_if_not_installed("gstat")
  v <- gstat::vgm(2, "Exp", 3, 0.5, anis = c(30, 0.4))
  v <- gstat::vgm(1, "Mat", 10, kappa = 1.2, anis = c(110, 0.8), add.to = v)
  v <- gstat::vgm(0.25, "Err", 0, add.to = v)
  model <- covModel(v)
  expect_equal(length(model$parts), 2L)
  expect_equal(model$parts[[1]]$nugget, 0.75)
  expect_equal(model$parts[[2]]$nugget, 0)
  expect_equal(model$parts[[1]][c("angle", "ratio")], list(angle = 60, ratio = 0.4))
  for (angle in seq(0, 150, 30)) {
    dir <- c(cospi(angle / 180), sinpi(angle / 180), 0)
    expect_equal(values(model, h, dir), line(v, h, dir), tolerance = 1e-10)
    expect_equal(line(as.vgm(model), h, dir), line(v, h, dir), tolerance = 1e-10)
  }
  expect_equal(as.vgm(model)$psill, c(0.75, 2, 1))
  mine <- covModel("matern", range = 2, smoothness = 0.8, scaling = "sqrt2nu", angle = -20, ratio = 0.3) +
    covModel("powexp", range = 1, shape = 1.5, nugget = 0.1)
  for (dir in list(c(1, 0, 0), c(0, 1, 0), c(cos(1), sin(1), 0)))
    expect_equal(line(as.vgm(mine), h, dir), values(mine, h, dir), tolerance = 1e-12)
  unknown <- covModel(gstat::vgm(NA, "Ste", NA, NA, kappa = NA))
  expect_true(is.na(unknown$variance) && is.na(unknown$range) && is.na(unknown$smoothness) && is.na(unknown$nugget))
  expect_equal(covModel(as.vgm(unknown)), unknown)
  only <- covModel(gstat::vgm(2, "Nug", 0))
  expect_equal(c(only$variance, only$nugget), c(0, 2))
})

test_that("axes in space are scales", {
  skip_if_not_installed("gstat")
  v <- gstat::vgm(1, "Sph", 4, anis = c(90, 0, 0, 0.5, 0.2))
  model <- covModel(v)
  expect_equal(model$range * model$scales, c(4, 2, 0.8))
  for (k in 1:3) {
    dir <- as.numeric(1:3 == k)
    expect_equal(values(model, h, dir), line(v, h, dir), tolerance = 1e-12)
    expect_equal(line(as.vgm(model), h, dir), line(v, h, dir), tolerance = 1e-12)
  }
  north <- covModel("gaussian", range = 1, scales = c(2, 5, 3))
  for (k in 1:3) {
    dir <- as.numeric(1:3 == k)
    expect_equal(line(as.vgm(north), h, dir), values(north, h, dir), tolerance = 1e-12)
  }
  plane <- covModel("gaussian", range = 2, scales = c(2, 5))
  for (dir in list(c(1, 0, 0), c(0.6, 0.8, 0)))
    expect_equal(line(as.vgm(plane), h, dir), values(plane, h, dir), tolerance = 1e-12)
})

test_that("axes that are turned in space come and go", {
  skip_if_not_installed("gstat")
  set.seed(1)
  random_direction <- function() {
    d <- rnorm(3)
    d / sqrt(sum(d^2))
  }
  for (i in 1:100) {
    angles <- runif(3, 0, 360)
    if (i %% 3 == 0) angles[sample(3, 1)] <- sample(c(0, 90, 180), 1)
    # of the third angle it says that its code is that of GSLIB
    v <- suppressWarnings(gstat::vgm(2, "Sph", 7, 0.1, anis = c(angles, runif(2, 0.05, 1))))
    model <- covModel(v)
    dir <- random_direction()
    expect_lt(max(abs(values(model, h, dir) - line(v, h, dir))), 1e-13)
    expect_lt(max(abs(line(as.vgm(model), h, dir) - line(v, h, dir))), 1e-13)
    # ratios of gstat are at most 1: the longest axis is its first
    mine <- covModel("gaussian", range = 5, scales = sample(c(0.3, 1, 1, 4), 3),
                     rotation = if (i %% 2) sample(c(0, 90, -90, 45, 180, runif(1, -400, 400)), 3, TRUE))
    expect_true(all(as.vgm(mine)[c("anis1", "anis2")] <= 1))
    expect_lt(max(abs(line(as.vgm(mine), h, dir) - values(mine, h, dir))), 1e-13)
    expect_lt(max(abs(values(covModel(as.vgm(mine)), h, dir) - values(mine, h, dir))), 1e-13)
  }
  # the power of a distance whose longest axis is the third, or turned
  for (rotation in list(NULL, c(30, 40, 50))) {
    grows <- covModel("power", range = 3, shape = 0.8, variance = 2, scales = c(1, 2, 5), rotation = rotation)
    v <- as.vgm(grows)
    expect_lt(max(v$anis1, v$anis2), 1)
    dir <- random_direction()
    along <- covModel("gaussian", range = 3, scales = c(1, 2, 5), rotation = rotation)
    expect_equal(gstat::variogramLine(v, dist_vector = h, dir = dir)$gamma,
                 2 * sqrt(-log(values(along, h, dir)))^0.8, tolerance = 1e-9)
  }
})

test_that("structures that are valid on a line alone come and go, and are errors in the plane", {
  skip_if_not_installed("gstat")
  for (name in c("Lin", "Per")) {
    v <- gstat::vgm(1.5, name, 2.3, 0.4)
    model <- covModel(v)
    expect_equal(drop(covariance(model, cbind(h), cbind(0))), line(v, h), tolerance = 1e-12)
    expect_equal(line(as.vgm(model), h), line(v, h), tolerance = 1e-12)
    expect_error(covariance(model, cbind(1:2, 1:2)), "not valid in dimension 2", class = "statcl_error_input")
  }
})

test_that("what has no equal is an error that says so", {
  skip_if_not_installed("gstat")
  for (name in c("Log", "Spl", "Leg"))
    expect_error(covModel(gstat::vgm(1, name, 2)), sprintf("model = %s.*no equal here", name),
                 class = "statcl_error_input")
  expect_error(as.vgm(covModel("cauchy", range = 1, shape = 1)), "name = cauchy.*no equal in gstat",
               class = "statcl_error_input")
  v <- gstat::vgm(1, "Exp", 2)
  expect_equal(covModel(v, distance = "chordal", radius = 1, mean = 3),
               covModel("exponential", range = 2, distance = "chordal", radius = 1, mean = 3))
  expect_error(covModel(v, range = 3), "range = 3: range is no argument for a model of gstat",
               class = "statcl_error_input")
  expect_error(as.vgm(covModel("separable", space = covModel("exponential", range = 1),
                               time = covModel("exponential", range = 1))), "no equal", class = "statcl_error_input")
})

model <- covModel("matern", range = 2, smoothness = 1.5, variance = 2, nugget = 0.3)

# Independent fields of a model at points, by a Cholesky factor; as many more columns as fields.
exact_fields <- function(model, points, n, seed) {
  set.seed(seed)
  crossprod(chol(covariance(model, points)), matrix(rnorm(nrow(points) * n), nrow(points)))
}

# Points of a grid in the order of its values.
cells <- function(grid) {
  axes <- Map(function(o, s, n) o + s * (seq_len(n) - 1), grid$origin, grid$spacing, grid$dims)
  unname(as.matrix(expand.grid(axes)))
}

grids <- list(rfGrid(3, 0.5, 17), rfGrid(c(0, -2), c(1, 2.5), c(9, 6)), rfGrid(c(1, 0, 2), c(0.5, 1, 2), c(5, 4, 3)))

test_that("covariances on a grid are those of all pairs", {
  set.seed(2)
  for (grid in grids) {
    z <- array(rnorm(prod(grid$dims)), grid$dims)
    xy <- cells(grid)
    h <- as.matrix(dist(xy))
    pairs <- outer(as.vector(z), as.vector(z))
    width <- min(grid$spacing)
    bin <- ifelse(h > 0, pmax(1, round(h / width)), 0)
    once <- upper.tri(h, diag = TRUE) & h <= 4
    estimate <- rfCovariance(z, grid = grid, to = 4, mean = 0)
    expect_equal(estimate$covariance, as.vector(tapply(pairs[once], bin[once], mean)), tolerance = 1e-13)
    expect_equal(estimate$distance, as.vector(tapply(h[once], bin[once], mean)), tolerance = 1e-14)
    expect_equal(estimate$pairs, as.vector(table(bin[once])), tolerance = 0)
    axes <- rfCovariance(z, grid = grid, mean = 0, direction = "axes", to = 2)
    for (i in seq_len(nrow(axes))) {
      a <- axes$axis[i]
      lag <- outer(xy[, a], xy[, a], "-")
      at <- abs(lag - axes$distance[i]) < 1e-9 & abs(h - axes$distance[i]) < 1e-9
      expect_equal(axes$covariance[i], mean(pairs[at]), tolerance = 1e-12)
      expect_equal(axes$pairs[i], sum(at))
    }
    expect_equal(as.vector(table(axes$axis)), pmin(grid$dims - 1, floor(2 / grid$spacing)) + 1)
  }
})

test_that("the column model is the expected value of the estimates", {
  skewed <- covModel("matern", range = 2, smoothness = 0.7, nugget = 0.2, angle = 30, ratio = 0.4)
  grid <- grids[[2]]
  n <- 1000
  for (m in list(model, skewed)) {
    fields <- exact_fields(m, cells(grid), n, seed = 3)
    for (direction in c("isotropic", "axes")) {
      e <- rfCovariance(array(fields, c(grid$dims, n)), m, grid, direction = direction)
      expect_lt(max(abs(e$covariance - e$model) / e$std.error), 4.5)
      # a fault of 10 % in the variance would be seen
      expect_gt(max(abs(1.1 * e$covariance - e$model) / e$std.error), 4.5)
    }
  }
  # The average over the pairs, from the covariance matrix.
  h <- as.matrix(dist(cells(grid)))
  once <- upper.tri(h, diag = TRUE) & h <= 4
  bin <- ifelse(h > 0, pmax(1, round(h)), 0)[once]
  e <- rfCovariance(fields[, 1], skewed, grid, to = 4)
  expect_equal(e$model, as.vector(tapply(covariance(skewed, cells(grid))[once], bin, mean)), tolerance = 1e-13)
})

test_that("covariances at points are those of their pairs", {
  set.seed(4)
  for (dim in 1:3) {
    xy <- matrix(runif(40 * dim), 40)
    z <- rnorm(40)
    h <- as.matrix(dist(xy))
    once <- upper.tri(h) & h <= 0.5
    bin <- ceiling(h[once] / 0.1)
    e <- rfCovariance(z, model, x = if (dim == 1) xy[, 1] else xy, to = 0.5, width = 0.1, mean = 0)
    expect_equal(e$covariance, c(mean(z^2), tapply(outer(z, z)[once], bin, mean)), ignore_attr = TRUE,
                 tolerance = 1e-13)
    expect_identical(e$pairs, as.double(c(40, table(bin))))
    expect_equal(e$distance, c(0, tapply(h[once], bin, mean)), ignore_attr = TRUE, tolerance = 1e-13)
    expect_equal(e$model, c(2.3, tapply(covariance(model, h[once]), bin, mean)), ignore_attr = TRUE,
                 tolerance = 1e-12)
  }
  twice <- rfCovariance(c(1, 3, 5), x = rbind(1:2, 1:2, 2:3), mean = 0, to = 2)
  expect_equal(twice$covariance, c(mean(c(1, 9, 25, 3)), mean(c(5, 15))))
  expect_equal(twice$pairs, c(4, 2))
})

test_that("pairs of many points are a random sample", {
  set.seed(5)
  xy <- matrix(runif(400), 200)
  z <- exact_fields(covModel("matern", 0.3, 0.5), xy, 1, seed = 6)
  all <- rfCovariance(z, x = xy, mean = 0)
  draw <- function() {
    set.seed(7)
    rfCovariance(z, x = xy, mean = 0, pairs = 19899)
  }
  some <- draw()
  expect_identical(draw(), some)
  expect_false(identical(rfCovariance(z, x = xy, mean = 0, pairs = 19899), some))
  # shares of the bins, and means of products whose standard deviation is about the variance, at most 3 here
  expect_lt(max(abs(some$pairs - all$pairs)[-1] / sqrt(all$pairs[-1])), 4.5)
  expect_lt(max(abs(some$covariance - all$covariance)[-1] * sqrt(all$pairs[-1])), 4.5 * 3)
  pairs <- lapply(1:50, function(i) point_pairs(3, 2))
  expect_false(any(vapply(pairs, function(p) any(p$i == p$j), NA)))
  expect_setequal(unlist(lapply(pairs, function(p) paste(p$i, p$j))), c("1 2", "1 3", "2 1", "2 3", "3 1", "3 2"))
})

test_that("chordal distances for points of a sphere", {
  globe <- covModel("matern", 2000, 0.5, distance = "chordal")
  places <- cbind(c(0, 90, 180, 10), c(0, 0, 0, 90))
  e <- rfCovariance(c(1, 2, 3, 5), globe, x = places, to = 1.3e4, width = 1e4)
  r <- 6371
  expect_equal(e$pairs, c(4, 5, 1))
  expect_equal(e$distance, c(0, sqrt(2) * r, 2 * r))
  expect_equal(e$covariance, c(39 / 4, (2 + 6 + 5 + 10 + 15) / 5, 3))
  expect_equal(e$model, covariance(globe, e$distance))
  expect_input_error(rfCovariance(1:4, update(globe, distance = "greatcircle"), x = places), "greatcircle")
})

test_that("the mean is the model's, a number, or estimated", {
  grid <- grids[[2]]
  set.seed(8)
  z <- array(rnorm(54), c(9, 6))
  zero <- rfCovariance(z, grid = grid, mean = 0)
  expect_equal(rfCovariance(z + 5, grid = grid, mean = 5)$covariance, zero$covariance)
  expect_equal(rfCovariance(z + 5, grid = grid), rfCovariance(z, grid = grid))
  expect_equal(rfCovariance(z - mean(z), grid = grid, mean = 0)$covariance, rfCovariance(z, grid = grid)$covariance)
  expect_equal(rfCovariance(z, model, grid)$covariance, zero$covariance)
  two <- array(c(z, z + 7), c(9, 6, 2))
  expect_equal(rfCovariance(two, grid = grid)$covariance, rfCovariance(z, grid = grid)$covariance)
  expect_equal(max(rfCovariance(two, grid = grid)$std.error), 0, tolerance = 1e-14)
  expect_input_error(rfCovariance(z, grid = grid, mean = "model"), "needs a model")
  expect_equal(rfSpectrum(z + 5, grid = grid, mean = 5), rfSpectrum(z, grid = grid, mean = 0), ignore_attr = "title")
})

test_that("periodograms have the field's variance", {
  set.seed(9)
  for (grid in grids) {
    z <- array(rnorm(prod(grid$dims)), grid$dims)
    s <- rfSpectrum(z, grid = grid, to = 1e3)
    unit <- prod(2 * pi / (grid$dims * grid$spacing))
    # k and -k count once in modes, and each even axis has its Nyquist number
    own <- 2^sum(grid$dims %% 2 == 0) - 1
    expect_equal(2 * sum(s$modes) - own, prod(grid$dims) - 1)
    waves <- grid_waves(grid, FALSE)
    shell <- round(norm_on_grid(waves$k) / max(2 * pi / (grid$dims * grid$spacing)))[-1]
    expect_equal(sum(s$spectrum * as.vector(table(shell))) * unit, mean((z - mean(z))^2))
  }
  z <- array(rnorm(15), c(15, 1))
  s <- rfSpectrum(z, grid = rfGrid(c(0, 0), c(0.2, 1), c(15, 1)), transect = TRUE)
  expect_equal(2 * sum(s$spectrum) * 2 * pi / 3, mean((z - mean(z))^2))
})

test_that("white noise has a flat spectrum", {
  grid <- rfGrid(c(0, 0), c(2, 0.5), c(32, 64))
  noise <- covModel("matern", 1, 1, variance = 0, nugget = 4)
  set.seed(10)
  z <- array(2 * rnorm(prod(grid$dims)), grid$dims)
  flat <- 4 * 1 / (2 * pi)^2
  for (taper in c("none", "cosine")) {
    s <- rfSpectrum(z, noise, grid, taper = taper)
    expect_equal(s$model, rep(flat, nrow(s)))
    expect_equal(s$expected, rep(flat, nrow(s)))
    # the mean of n squares of normal complex numbers; the taper correlates 9 neighbours in each axis at most
    wide <- if (taper == "none") 1 else (35 / 18)^2
    expect_lt(max(abs(s$spectrum / flat - 1) * sqrt(s$modes / wide)), 5)
  }
  t <- rfSpectrum(z, noise, grid, transect = TRUE)
  expect_equal(t$expected, rep(4 * 2 / (2 * pi), 16))
  expect_equal(t$model, t$expected)
  expect_identical(t$modes, rep(64, 16))
  expect_lt(max(abs(t$spectrum / t$model - 1) * sqrt(t$modes / 2)), 5)
  expect_equal(rfCovariance(z, noise, grid, direction = "axes")$model, rep(c(4, rep(0, 15), 4, rep(0, 31))))
})

test_that("a wave is found at its wave number", {
  grid <- rfGrid(c(5, 0), c(0.25, 3), c(48, 20))
  x <- cells(grid)
  k <- 2 * pi * 6 / 12
  z <- 3 * cos(k * x[, 1] + 1)
  s <- rfSpectrum(z, grid = grid, to = 8)
  top <- which.max(s$spectrum)
  step <- c(2 * pi / 12, 2 * pi / 60)
  expect_lt(abs(s$wavenumber[top] - k), step[1] / 2)
  t <- rfSpectrum(z, grid = grid, transect = TRUE, to = 100)
  expect_equal(t$wavenumber[which.max(t$spectrum)], k)
  expect_equal(2 * max(t$spectrum) * step[1], 9 / 2)
  expect_lt(max(t$spectrum[-which.max(t$spectrum)]), 1e-25)
  expect_equal(taper_weights(5, "cosine"), sin(pi * c(1, 3, 5, 7, 9) / 10)^2)
  # the taper spreads it over its neighbours: shares 1/6, 2/3, 1/6
  t <- rfSpectrum(z, grid = grid, transect = TRUE, taper = "cosine", to = 100)
  expect_equal(2 * t$spectrum[5:7] * step[1], 9 / 2 * c(1, 4, 1) / 6)
  e <- rfCovariance(z, grid = grid, mean = 0, direction = "axes", to = 6)
  e <- e[e$axis == 1, ]
  # the products average to half of 9 cos(k h) but for waves of twice the number, 9 / 2 cos(..) / pairs
  expect_lt(max(abs(e$covariance - 4.5 * cos(k * e$distance)) * e$pairs / 20 * sin(k * 0.25)), 4.5)
})

test_that("expected periodograms are exact", {
  skewed <- covModel("matern", range = 2, smoothness = 0.7, nugget = 0.2, angle = 30, ratio = 0.4)
  cases <- list(list(model, grids[[1]]), list(model, grids[[2]]), list(skewed, grids[[2]]), list(model, grids[[3]]),
                list(update(model, scales = c(1, 0.5, 2)), grids[[3]]))
  for (case in cases) for (taper in c("none", "cosine")) {
    grid <- case[[2]]
    xy <- cells(grid)
    covariances <- covariance(update(case[[1]], distance = "euclidean"), xy)
    windows <- lapply(grid$dims, taper_weights, taper)
    w <- as.vector(Reduce(outer, windows))
    waves <- grid_waves(grid, FALSE)
    k <- as.matrix(expand.grid(waves$k))
    turn <- exp(-1i * tcrossprod(k, xy)) * rep(w, each = nrow(k))
    direct <- Re(rowSums((turn %*% covariances) * Conj(turn))) * prod(grid$spacing) /
      ((2 * pi)^length(grid$dims) * sum(w^2))
    data <- list(model = case[[1]], grid = grid, waves = waves)
    expect_equal(as.vector(expected_periodogram(data, windows)), direct, tolerance = 1e-12)
    along <- xy[, -1, drop = FALSE]
    line <- rowSums(abs(along - rep(along[1, ], each = nrow(along)))) == 0
    turn <- exp(-1i * outer(waves$k[[1]], xy[line, 1])) * rep(windows[[1]], each = grid$dims[1])
    direct <- Re(rowSums((turn %*% covariances[line, line]) * Conj(turn))) * grid$spacing[1] /
      (2 * pi * sum(windows[[1]]^2))
    s <- rfSpectrum(0 * w, case[[1]], grid, transect = TRUE, taper = taper)
    expect_equal(s$expected, direct[1 + seq_len(nrow(s))], tolerance = 1e-12)
  }
})

test_that("densities of models belong to their covariances", {
  # sum_k S(k) e^{ikx} dk is the covariance, repeated with the period of the grid; what is beyond the Nyquist number,
  # (1 + (ratio range pi / spacing)^2)^-smoothness = 6e-8 of the variance, and the repetitions, 3e-8, are left out.
  grid <- rfGrid(c(0, 0), c(0.5, 0.5), c(128, 128))
  smooth <- covModel("matern", range = 2, smoothness = 4.5, variance = 3, angle = 30, ratio = 0.5)
  waves <- grid_waves(grid, FALSE)
  density <- array(grid_density(smooth, waves, 2), grid$dims)
  back <- Re(fft(density)) * prod(2 * pi / (grid$dims * grid$spacing))
  near <- as.matrix(expand.grid(0:10, 0:10))
  expect_lt(max(abs(back[near + 1] - covariance(smooth, near / 2, cbind(0, 0)))), 3 * 1e-7)
  along <- grid_waves(grid, TRUE)
  back <- Re(fft(grid_density(smooth, along, 2))) * 2 * pi / 64
  # in one dimension less is beyond the Nyquist number than in two
  expect_lt(max(abs(back[1:11] - covariance(smooth, cbind(0:10 / 2, 0), cbind(0, 0)))), 3 * 1e-7)
})

test_that("spectra of fields have their expected values", {
  for (grid in grids[2:3]) {
    n <- 1000
    fields <- array(exact_fields(model, cells(grid), n, seed = 11), c(grid$dims, n))
    for (transect in c(FALSE, TRUE)) for (taper in c("none", "cosine")) {
      s <- rfSpectrum(fields, model, grid, transect = transect, taper = taper, to = 10)
      expect_lt(max(abs(s$spectrum - s$expected) / s$std.error), 4.5)
      expect_gt(max(abs(1.25 * s$spectrum - s$expected) / s$std.error), 4.5)
    }
    # the density is not what a short periodogram shows
    s <- rfSpectrum(fields, model, grid, to = 10)
    expect_gt(max(abs(s$spectrum - s$model) / s$std.error), 10)
  }
})

test_that("small and constant fields", {
  one <- rfCovariance(3, grid = rfGrid(0, 1, 1), mean = 0)
  expect_equal(unlist(one), c(distance = 0, covariance = 9, pairs = 1))
  expect_equal(rfCovariance(2, x = cbind(1, 1), mean = 0)$covariance, 4)
  expect_equal(rfCovariance(c(1, 2), grid = rfGrid(0, 3, 2), mean = 0)[1:3],
               data.frame(distance = c(0, 3), covariance = c(2.5, 2), pairs = c(2, 1)), ignore_attr = TRUE)
  expect_equal(rfSpectrum(c(1, 2), grid = rfGrid(0, 3, 2))$spectrum, 3 / (2 * pi * 2))
  expect_equal(rfCovariance(array(1:2, c(1, 2)), grid = rfGrid(c(0, 0), c(1, 3), c(1, 2)), mean = 0)$covariance,
               c(2.5, 2))
  constant <- array(7, c(8, 8))
  grid <- rfGrid(c(0, 0), c(1, 1), c(8, 8))
  expect_equal(rfCovariance(constant, grid = grid)$covariance, rep(0, 4))
  expect_equal(rfCovariance(constant, grid = grid, mean = 0)$covariance, rep(49, 4))
  expect_equal(rfSpectrum(constant, grid = grid)$spectrum, rep(0, 3))
  expect_input_error(rfSpectrum(1, grid = rfGrid(0, 1, 1)), "at least 2")
  expect_input_error(rfSpectrum(1:5, grid = rfGrid(c(0, 0), c(1, 1), c(5, 1))), "see transect")
  expect_input_error(rfSpectrum(1:5, grid = rfGrid(c(0, 0), c(1, 1), c(1, 5)), transect = TRUE), "first axis")
  expect_input_error(rfSpectrum(constant, grid = grid, to = 0.1), "smallest wave number")
})

test_that("estimates refuse what they cannot take", {
  grid <- grids[[2]]
  z <- array(1, grid$dims)
  for (f in list(rfCovariance, rfSpectrum)) {
    expect_input_error(f(), "field is missing")
    expect_input_error(f(replace(z, 5, NA), grid = grid), "field[5] = NA")
    expect_input_error(f(replace(z, 7:8, Inf), grid = grid), "field[7] = Inf (and 1 more)")
    expect_input_error(f(z[-1], grid = grid), "53 values")
    expect_input_error(f(c(z, z), grid = grid), "field has 108 values for 54 points")
    expect_input_error(f(t(z), grid = grid), "field is 6 x 9, the grid 9 x 6: use t(field), or swap dims")
    expect_input_error(f(array(1, c(3, 18)), grid = grid), "field is 3 x 18, the grid 9 x 6")
    expect_identical(f(array(z, c(9, 6, 1)), grid = grid), f(as.vector(z), grid = grid))
    expect_identical(f(matrix(z, 54), grid = grid), f(z, grid = grid))
    expect_input_error(f("a", grid = grid), "field = character")
    expect_input_error(f(z, grid = list()), "rfGrid()")
    expect_input_error(f(z, 3, grid), "model = numeric")
    expect_input_error(f(z, grid = grid, to = -1), "to = -1")
    expect_input_error(f(z, grid = grid, to = 1:2), "single number")
    expect_input_error(f(z, grid = grid, mean = NA), "mean")
    expect_input_error(f(z, replace(model, "range", -1), grid), "range = -1")
  }
  expect_input_error(rfCovariance(z), "grid = rfGrid(...)")
  expect_input_error(rfCovariance(z, grid = grid, x = 1:5), "together")
  expect_input_error(rfCovariance(1:3, x = cbind(1:3, c(1, NA, 2))), "x[2, 2] = NA")
  expect_input_error(rfCovariance(1:6, x = cbind(1:3, 1:3)), "field has 6 values for 3 points")
  expect_input_error(rfCovariance(c(1, NA, 3), x = cbind(1:3, 1:3)), "field[2] = NA")
  expect_input_error(rfCovariance(1:3, x = cbind(1:3, 1:3), direction = "axes"), "grid")
  expect_input_error(rfCovariance(data.frame(a = 1:3), x = cbind(1:3, 1:3)), "column")
  expect_input_error(rfSpectrum(1:3), "scattered points")
  expect_input_error(rfSpectrum(z, grid = grid, expected = TRUE), "needs a model")
  expect_input_error(rfSpectrum(z, grid = grid, taper = "hann"), "taper")
  expect_input_error(rfSpectrum(z, grid = grid, transect = 2), "transect")
})

test_that("estimates are printed and plotted", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  grid <- grids[[2]]
  fields <- array(exact_fields(model, cells(grid), 2, seed = 12), c(grid$dims, 2))
  e <- rfCovariance(fields, model, grid, direction = "axes", to = 8)
  expect_output(print(e), "Covariance of 2 fields on a grid of 9 x 6, mean known, 0", fixed = TRUE)
  expect_output(print(e, n = 3), "... and 10 more rows", fixed = TRUE)
  expect_output(print(rfCovariance(fields[, , 1], x = cells(grid))), "a field at 54 points, mean estimated")
  expect_output(print(rfCovariance(3, x = cbind(1, 1))), "a field at 1 point, mean")
  s <- rfSpectrum(fields, model, grid)
  expect_output(print(s), "Spectrum of 2 fields")
  expect_output(print(rfSpectrum(fields, model, grid, transect = TRUE)), "Spectrum along the first axis of 2 fields")
  expect_output(print(s[1:2, ]), "Spectrum")
  skewed <- update(model, angle = 30, ratio = 0.4)
  for (m in list(model, skewed, NULL)) for (direction in c("isotropic", "axes")) {
    e <- rfCovariance(fields, m, grid, direction = direction)
    expect_identical(expect_silent(plot(e, main = "title")), e)
  }
  expect_silent(plot(rfCovariance(fields[, , 1], model, x = cells(grid))))
  for (m in list(model, NULL)) for (transect in c(FALSE, TRUE)) {
    s <- rfSpectrum(fields, m, grid, transect = transect)
    expect_identical(expect_silent(plot(s, ylim = c(1e-3, 10))), s)
  }
  expect_silent(plot(rfSpectrum(0 * fields, grid = grid)))
})

test_that("fields by tbrf() know their places and model", {
  drift <- covModel("matern", range = 2, smoothness = 1.5, mean = function(x) 10 * x[, 1])
  grid <- rfGrid(c(0, 1), c(0.5, 1), c(12, 10))
  points <- cbind(c(0, 3, 1, 5), c(1, 2, 2, 7))
  set.seed(13)
  for (nsim in c(1, 3)) {
    field <- tbrf(grid, drift, nlines = 50, nsim = nsim)
    for (f in list(rfCovariance, rfSpectrum)) {
      level <- matrix(field, ncol = nsim) - 10 * cells(grid)[, 1]
      expect_equal(f(field), f(level, drift, grid, mean = 0), ignore_attr = "title")
      expect_equal(f(field, mean = 1), f(matrix(field, ncol = nsim), drift, grid, mean = 1))
    }
    field <- tbrf(points, drift, nlines = 50, nsim = nsim)
    expect_equal(rfCovariance(field), rfCovariance(matrix(field, ncol = nsim) - 10 * points[, 1], drift, x = points,
                                                   mean = 0), ignore_attr = "title")
    expect_input_error(rfSpectrum(field), "scattered points")
    expect_output(print(rfCovariance(field)), "mean known (drift)", fixed = TRUE)
  }
  expect_input_error(rfCovariance(tbrf(grid, drift, object = TRUE)), "has no values")
})

test_that("of objects of other packages the values are asked for", {
  expect_asked <- function(field, values, n) {
    expect_input_error(rfCovariance(field), paste0("field = ", values, ", x = field, model = attr"))
    model <- attr(field, "recipe")$model
    e <- rfCovariance(eval(parse(text = values)), x = field, model = model)
    expect_identical(e$pairs[1], n)
    expect_equal(e$covariance[1], mean(as.vector(eval(parse(text = values)))^2))
  }
  skip_if_not_installed("sf")
  expect_asked(tbrf(sf::st_as_sf(data.frame(x = 1:3, y = 1), coords = c("x", "y")), model), "field$sim_1", 3)
  if (requireNamespace("stars", quietly = TRUE))
    expect_asked(tbrf(stars::st_as_stars(matrix(1:6, 2)), model), "field$sim_1", 6)
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 4, ncols = 5, xmin = 0, xmax = 5, ymin = 0, ymax = 4, crs = "local")
  expect_asked(tbrf(raster, model, nsim = 2), "terra::values(field)", 20)
})

test_that("sums of models and other families", {
  grid <- grids[[2]]
  n <- 200
  parts <- list(covModel("exponential", range = 1, nugget = 0.1),
                covModel("gaussian", range = 3, variance = 2, angle = 60, ratio = 0.5))
  fields <- Reduce(`+`, lapply(1:2, function(i) exact_fields(parts[[i]], cells(grid), n, seed = 13 + i)))
  both <- parts[[1]] + parts[[2]]
  e <- rfCovariance(fields, both, grid)
  expect_lt(max(abs(e$covariance - e$model) / e$std.error), 4.5)
  expect_equal(e$model, rfCovariance(fields, parts[[1]], grid)$model + rfCovariance(fields, parts[[2]], grid)$model)
  for (transect in c(FALSE, TRUE)) {
    s <- lapply(c(list(both), parts), function(m) rfSpectrum(fields, m, grid, transect = transect))
    expect_equal(s[[1]]$model, s[[2]]$model + s[[3]]$model)
    expect_equal(s[[1]]$expected, s[[2]]$expected + s[[3]]$expected)
    expect_lt(max(abs(s[[1]]$spectrum - s[[1]]$expected) / s[[1]]$std.error), 4.5)
  }
})

test_that("periodic fields are compared with the density that the waves of their box have", {
  n <- 16
  steep <- covModel("powerlaw", exponent = -11 / 3, kmin = 2 * pi / n, kmax = pi, nugget = 0.01)
  grid <- rfGrid(0, 1, c(n, n, n))
  set.seed(11)
  field <- tbrf(grid, steep, method = "fft", periodic = TRUE, nsim = 40)
  plain <- rfSpectrum(field[], steep, grid, expected = FALSE)
  s <- rfSpectrum(field)
  # 0.8 times the density of the model, as said in the help of tbrf()
  band <- s$wavenumber < 2.5
  ratio <- ((s$model - 0.01 / (2 * pi)^3) / (plain$model - 0.01 / (2 * pi)^3))[band]
  expect_equal(ratio, rep(0.79, sum(band)), tolerance = 0.02)
  expect_equal(s$expected, s$model) # the box is the period
  for (taper in c("none", "cosine")) for (transect in c(FALSE, TRUE)) {
    s <- rfSpectrum(field, taper = taper, transect = transect)
    expect_lt(max(abs(s$spectrum - s$expected) / s$std.error), 5)
  }
  low <- update(steep, kmin = 0.75 * 2 * pi / n)
  field <- tbrf(grid, low, method = "fft", periodic = TRUE)
  expect_equal(rfSpectrum(field)$model[1:5], rfSpectrum(field[], low, grid, expected = FALSE)$model[1:5],
               tolerance = 0.02)
})

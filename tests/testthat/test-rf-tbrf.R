
model <- field_models()$smooth

test_that("a mesh, its points, parts of them and other classes have the same values", {
  for (d in 1:3) for (m in field_models()) {
    grid <- field_grid(d)
    field <- seeded(tbrf(grid, m, 50))
    values <- as.vector(field)
    points <- as.matrix(grid)
    expect_identical(dim(field), grid$dims)
    expect_lt(max(abs(predict(field, points) - values)), 1e-11)
    expect_lt(max(abs(predict(field, as.data.frame(grid)[5:2, , drop = FALSE]) - values[5:2])), 1e-11)
    expect_identical(as.vector(predict(field, grid)), values)
    expect_lt(max(abs(seeded(tbrf(points, m, 50)) - values)), 1e-11)
  }
})

test_that("values are sums of the waves of the recipe", {
  m <- field_models()$sum
  x <- matrix(c(0, 0.5, 1, 3, -2, 7), 3)
  recipe <- seeded(tbrf(x, update(m, mean = 0), 30, nsim = 2, object = TRUE))
  recipe$model$parts[[2]]$nugget <- 0
  for (sim in 1:2) {
    waves <- recipe_lines(recipe, sim)
    expect_identical(dim(waves$k), c(30L, 2L))
    expect_equal(sum(waves$amplitude^2 / 2), 3)
    sum <- cos(2 * pi * (x %*% t(waves$k) + rep(waves$phase, each = 3))) %*% waves$amplitude
    expect_equal(predict(recipe, x)[, sim], drop(sum), tolerance = 1e-12)
  }
  expect_identical(recipe$share, c(10L, 20L))
})

test_that("fields are reproducible, differ from each other, and depend on R's generator by two numbers only", {
  x <- c(0, 1, 2.5)
  expect_identical(seeded(tbrf(x, model)), seeded(tbrf(x, model)))
  two <- seeded(list(tbrf(x, model), tbrf(x, model)))
  expect_true(all(two[[1]] != two[[2]]))
  after <- seeded({
    tbrf(x, model, nsim = 3)
    runif(1)
  })
  expect_identical(after, seeded(runif(3))[3])
  expect_identical(seeded({
    tbrf(numeric(), model)
    runif(1)
  }), seeded(runif(1)))
  fields <- seeded(tbrf(x, model, nsim = 3))
  expect_identical(fields[, 1], as.vector(seeded(tbrf(x, model))))
  expect_equal(anyDuplicated(as.vector(fields)), 0)
})

test_that("recipes are small, can be saved, and give the same field", {
  for (method in c("spectral", "table", "fft")) {
    grid <- field_grid(2)
    with_lines <- if (method != "fft") list(nlines = 40)
    made <- function(...) seeded(do.call(tbrf, c(list(grid, model, nsim = 2, method = method, ...), with_lines)))
    recipe <- made(object = TRUE)
    expect_s3_class(recipe, "rfRecipe")
    expect_lt(length(serialize(recipe, NULL)), 5000)
    file <- tempfile()
    saveRDS(recipe, file)
    expect_identical(predict(readRDS(file), grid), made())
    unlink(file)
  }
})

test_that("the nugget belongs to the place", {
  pure <- covModel("exponential", range = 1, variance = 0, nugget = 4)
  x <- cbind(runif(500), runif(500))
  z <- seeded(tbrf(rbind(x, x[1:3, ]), pure, nsim = 2))
  expect_identical(z[501:503, ], z[1:3, ])
  expect_identical(predict(z, x[c(7, 3), ])[, 2], z[c(7, 3), 2])
  expect_lt(abs(cor(z[, 1], z[, 2])), 5 / sqrt(500))
  expect_lt(abs(var(z[1:500, 1]) / 4 - 1), 5 * sqrt(2 / 500))
})

test_that("means and drifts are added", {
  x <- cbind(x = 0:3, y = c(2, 1, 0, 5))
  plain <- seeded(tbrf(x, model))
  expect_equal(as.vector(seeded(tbrf(x, update(model, mean = 7)))), as.vector(plain) + 7)
  drift <- update(model, mean = function(p) p[, "x"] - 2 * p[, "y"])
  expect_equal(as.vector(seeded(tbrf(x, drift))), as.vector(plain) + x[, 1] - 2 * x[, 2], ignore_attr = TRUE)
  bad <- function(f) tbrf(x, update(model, mean = f))
  expect_input_error(bad(function(p) 1:3), "it gave 3 for 4 points")
  expect_input_error(bad(function(p) c(1, 2, NA, NA)), "mean is NA at point 3")
  expect_input_error(bad(function(p) rep(NA, 4)), "mean is NA at point 1")
  expect_input_error(bad(function(x, y) x + y), "one matrix of coordinates, with columns x, y: argument \"y\"")
  expect_input_error(bad(function(p) p[, "lon"]), "columns x, y: subscript out of bounds")
})

test_that("tables have their values where the rule of the nearest entry puts them, and a domain", {
  x <- cbind(c(0, 1, 0.3), c(0, 1, 0.8))
  smooth <- covModel("gaussian", range = 1)
  for (lines in c("circulant", "powerlaw", "pulse")) {
    field <- seeded(tbrf(x, smooth, 200, method = "table", lines = lines, step = 0.25))
    expect_equal(predict(field, x[3:1, ]), field[3:1], ignore_attr = TRUE)
    near <- predict(field, rbind(c(0.5, 0.5), c(0.5, 0.5) + 1e-9))
    expect_lte(abs(diff(near)), 1) # a step of few of the lines
    expect_input_error(predict(field, x + 0.1), "larger extent")
  }
  wide <- seeded(tbrf(x, smooth, 20, method = "table", extent = rbind(c(-1, -1), c(3, 3))))
  expect_length(predict(wide, x + 2), 3)
  expect_input_error(predict(wide, x + 2.1), "coordinate 1 of newdata goes from 2.1 to 3.1")
  expect_input_error(tbrf(x, smooth, method = "table", max.table = 1000), "max.table = 1000")
  expect_input_error(tbrf(x, smooth, method = "table", extent = c(0, 1)), "2 columns")
})

test_that("a table is the circulant sequence that it is drawn from", {
  # one line through points of a line: its values at the entries are those of the table
  recipe <- seeded(tbrf(c(0, 10), covModel("exponential", range = 2), 2, method = "table", step = 0.5, object = TRUE))
  spectrum <- table_spectrum(recipe, recipe$model, 1)
  m <- length(spectrum)
  r <- 0.5 * (0:20)
  expect_equal(Re(fft(spectrum))[1:21], cov_line(recipe$model, r, 3), tolerance = 1e-12)
  expect_gte(m, 2 * 20)
})

test_that("meshes by transforms are known on the mesh only, with the covariance of the model on the torus", {
  grid <- field_grid(2)
  for (m in list(field_models()$rough, covModel("exponential", 1, angle = 30, ratio = 0.4))) {
    recipe <- seeded(tbrf(grid, m, method = "fft", object = TRUE))
    torus <- torus_spectrum(recipe)
    around <- array(Re(fft(array(torus$variance, torus$dims))), torus$dims)
    x <- as.matrix(grid)
    to <- expand.grid(seq_len(7), seq_len(5))
    expect_equal(around[as.matrix(to)], covariance(m, x)[1, ], tolerance = 1e-10)
  }
  field <- seeded(tbrf(grid, model, method = "fft"))
  expect_input_error(predict(field, cbind(0, 0)), "its own grid only")
  expect_input_error(tbrf(cbind(0, 0), model, method = "fft"), "rfGrid()")
  expect_input_error(tbrf(rfGrid(0, 0.01, c(20, 20)), covModel("gaussian", range = 10), method = "fft",
                          max.table = 1e5), "periodic = TRUE")
})

test_that("periodic fields have the period of their mesh and the variance of the model", {
  recipe <- seeded(tbrf(rfGrid(0, 1, c(16, 8)), covModel("matern", 2, 1, variance = 3), method = "fft",
                        periodic = TRUE, object = TRUE))
  expect_equal(sum(box_spectrum(recipe)$variance), 3)
  line <- covModel("powerlaw", exponent = -3.9, kmin = 0.3, kmax = 2)
  recipe <- seeded(tbrf(rfGrid(0, 1, c(16, 16, 16)), line, method = "fft", periodic = TRUE, object = TRUE))
  variance <- array(box_spectrum(recipe)$variance, c(16, 16, 16))
  expect_identical(variance[1, 1, 1], 0)
  expect_equal(variance[2, 1, 1] / variance[3, 1, 1], 2^3.9)
  expect_input_error(tbrf(rfGrid(0, 0.1, c(4, 4, 4)), line, method = "fft", periodic = TRUE), "no wave number")
})

test_that("sets of directions are spread evenly, and turned as a whole", {
  uniforms <- uniforms_for(c(1, 2), 1L)
  for (set in c("halton", "fibonacci")) {
    u <- turn_round(direction_set(2000, 3, set), uniforms)
    expect_equal(rowSums(u^2), rep(1, 2000))
    # the sums of a van der Corput sequence are off by up to about log(2000)/2000
    expect_lt(max(abs(crossprod(u) / 2000 - diag(3) / 3)), log(2000) / 2000)
    flat <- turn_round(direction_set(2000, 2, set), uniforms)
    expect_lt(max(abs(crossprod(flat) / 2000 - diag(2) / 2)), log(2000) / 2000)
  }
  expect_equal(van_der_corput(1:4, 2), c(0.5, 0.25, 0.75, 0.125))
  expect_equal(van_der_corput(1:4, 3), c(1 / 3, 2 / 3, 1 / 9, 4 / 9))
  joint <- wave_set(4000, 3, "lowdiscrepancy", uniforms)
  # 64 cells of equal probability: independent points would have counts of standard deviation sqrt(4000/64) = 7.9
  cells <- findInterval(joint$u, 1:3 / 4) + 4 * findInterval(joint$direction[, 3], c(-0.5, 0, 0.5)) +
    16 * findInterval(atan2(joint$direction[, 2], joint$direction[, 1]), c(-pi / 2, 0, pi / 2))
  expect_lt(sd(tabulate(cells + 1, 64)), 4)
})

test_that("errors fall with the lines, and a tolerance is met by the smallest of the numbers tried", {
  m <- covModel("exponential", range = 2)
  # measured on prototypes; the fields taken make 0.5/sqrt(32) = 9 % of it
  known <- list(shells = c(0.0443, 0.0172, 0.0065), spectrum = c(0.046, 0.021, 0.009))
  for (waves in names(known)) {
    e <- tbrfError(m, c(64, 256, 1024), distance = 2, waves = waves)
    expect_named(e, c("nlines", "distance", "error"))
    expect_lt(max(abs(e$error / known[[waves]] - 1)), 0.3)
  }
  table <- tbrfError(m, 1024, distance = c(0.1, 2), method = "table")
  expect_lt(max(abs(table$error / c(5.6e-6, 1.1e-4) - 1)), 0.3)
  expect_identical(tbrfError(m, 64, 2), seeded(tbrfError(m, 64, 2), 3))
  recipe <- tbrf(matrix(0, 1, 3), m, nlines = 0.03, object = TRUE)
  expect_true(recipe$nlines %in% ceiling(16 * 2^(0:18 / 2)))
  expect_lte(recipe_error(recipe, 2), 0.03)
  expect_gt(recipe_error(share_lines(recipe, floor(recipe$nlines / sqrt(2))), 2), 0.03)
  expect_input_error(tbrfError(m, dim = 4), "dim = 4")
})

test_that("a field is an array, whose arithmetic and functions keep its points, but no model", {
  field <- seeded(tbrf(field_grid(2), model, 20))
  bare <- field[]
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (f in list(function(x) x * 2, exp, function(x) x + x, function(x) -x, function(x) 1 / x, abs, function(x) x^2,
                 function(x) round(x, 1), function(x) x - bare, function(x) bare * x)) {
    value <- f(field)
    expect_identical(value[], f(bare))
    expect_s3_class(value, "rfield")
    expect_identical(attr(value, "grid"), attr(field, "grid"))
    expect_null(attr(value, "recipe")$model)
    plot(value)
    expect_identical(as.data.frame(value)$value, as.vector(f(bare)))
    expect_null(summary(value)$variance)
    expect_input_error(predict(value, cbind(0, 0)), "rfTransform")
    expect_input_error(rfTransform(value, exp), "by tbrf()")
  }
  expect_output(print(exp(field)), "Values of 1 field on a grid")
  positive <- exp(field)
  for (f in list(log10, log2, log1p, function(x) log(x, 3), function(x) round(x, 1)))
    expect_identical(f(positive)[], f(positive[]))
  far <- seeded(tbrf(rfGrid(0, 1, c(7, 5)), model, 20))
  for (plain in list(field > 0, field == field, !field, cumsum(field), field + far))
    expect_null(attr(plain, "recipe"))
  points <- seeded(tbrf(cbind(a = 1:3, b = 2), model, 20, nsim = 2))
  expect_named(as.data.frame(points^2), c("a", "b", "sim_1", "sim_2"))
  expect_identical(attributes(field[1:2, 3]), NULL)
  changed <- field
  changed[2, ] <- 99
  one <- field
  one[[3]] <- 99
  for (plain in list(field[], changed, one)) expect_identical(names(attributes(plain)), "dim")
  expect_identical(c(changed[2, 4], one[3], changed[1, 1]), c(99, 99, field[1, 1]))
  expect_identical(t(field), t(matrix(as.vector(field), 7)))
  turned <- field
  dim(turned) <- c(5, 7)
  for (f in list(as.data.frame, summary, plot))
    expect_input_error(f(turned), "x is 5 x 7, the grid 7 x 5: use t(x), or swap dims")
  expect_equal(mean(field), mean(as.vector(field)))
  expect_identical(nrow(as.data.frame(field)), 35L)
  expect_output(print(field), "grid of 7 x 5 points")
  expect_output(print(summary(field)), "Expected error")
  expect_output(print(attr(field, "recipe")), "Key: ")
  named <- seeded(tbrf(c(a = 0, b = 1), model, nsim = 2))
  expect_identical(rownames(named), c("a", "b"))
  expect_identical(row.names(as.data.frame(named)), c("a", "b"))
})

test_that("one is not many", {
  expect_output(print(tbrf(cbind(1, 2), model, 1)), "1 point of 2 coordinates.*1 line,")
  expect_output(print(tbrf(1:3, model)), "3 points of 1 coordinate ")
  expect_output(print(summary(tbrf(1:3, model))), "at 3 points")
  expect_output(print(rfGrid(0, 1, 1)), "1 point, origin")
})

test_that("fields are plotted, those of a line together", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  meshes <- list(rfGrid(0, 1, 5), rfGrid(0, 1, c(4, 3)), rfGrid(0, 1, c(4, 3, 2)))
  for (x in c(meshes, list(c(3, 1, 2), cbind(1:3, c(1, 1, 2)))))
    for (nsim in c(1, 3)) expect_silent(plot(tbrf(x, model, 10, nsim), main = "title"))
  several <- seeded(tbrf(rfGrid(0, 1, 5), model, 10, nsim = 3))
  plot(several)
  expect_equal(graphics::par("usr")[3:4], grDevices::extendrange(several, f = 0.04))
  plot(several, sim = 2:3)
  expect_equal(graphics::par("usr")[3:4], grDevices::extendrange(several[, 2:3], f = 0.04))
  flat <- tbrf(rfGrid(0, 1, c(4, 3)), model, 10, nsim = 3)
  expect_input_error(plot(flat, sim = 2:3), "sim = 2, 3: sim must be the number of one field")
  expect_input_error(plot(flat, sim = 4), "at most 3")
  expect_input_error(plot(several, sim = c(1, 4)), "at most 3")
  expect_input_error(plot(attr(flat, "recipe")), "plot(predict(x, newdata))")
})

test_that("arguments that the method does not use are refused, if they are given", {
  grid <- rfGrid(0, 1, c(4, 3))
  for (given in list(list(lines = "circulant"), list(step = 0.1), list(extent = c(0, 3)), list(rate = 20),
                     list(block = 2)))
    expect_input_error(do.call(tbrf, c(list(1:3, model), given)), paste(names(given), "is for method = \"table\""))
  for (given in list(list(nlines = 10), list(directions = "halton")))
    expect_input_error(do.call(tbrf, c(list(grid, model, method = "fft"), given)), "the method is \"fft\"")
  expect_input_error(tbrf(1:3, model, periodic = TRUE), "periodic is for method = \"fft\"")
  expect_length(tbrf(1:3, model, step = NULL, extent = NULL, block = NULL, periodic = FALSE), 3)
  expect_length(tbrf(1:3, model, method = "table", lines = "pulse", step = 0.5, rate = 5, block = 4), 3)
})

test_that("models of a user's covariance have tables, unless a method is named", {
  own <- covModel("covariance", covariance = function(h) exp(-h))
  chosen <- function(m, ...) tbrf(1:3, m, 10, ..., object = TRUE)$method
  expect_identical(c(chosen(own), chosen(own + model), chosen(model)), c("table", "table", "spectral"))
})

test_that("simulate() is tbrf() with a seed of its own", {
  set.seed(5)
  before <- .Random.seed
  expect_identical(simulate(model, nsim = 2, seed = 1, x = 1:4, method = "tbrf"), seeded(tbrf(1:4, model, nsim = 2)))
  expect_identical(simulate(model, nsim = 2, seed = 1, x = 1:4, nlines = 20), seeded(tbrf(1:4, model, 20, nsim = 2)))
  set.seed(5)
  simulate(model, seed = 1, x = 1:4, method = "tbrf")
  expect_identical(.Random.seed, before)
})

test_that("points on a sphere are in space", {
  chordal <- covModel("exponential", range = 1000, distance = "chordal")
  places <- cbind(c(0, 180, 20), c(90, 90, 30))
  z <- seeded(tbrf(places, chordal))
  expect_equal(z[1], z[2], tolerance = 1e-9)
  expect_lt(max(abs(z - seeded(tbrf(rfGrid(c(20, 30), c(1, 60), c(1, 2)), chordal))[2:1][c(1, 1, 2)])[3]), 1e-9)
  expect_input_error(tbrf(cbind(0, 91), chordal), "latitudes")
  expect_input_error(tbrf(places, update(chordal, distance = "greatcircle")), "chordal")
})

test_that("objects of other packages come back", {
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(data.frame(v = 1:3, x = 1:3, y = 2:4), coords = c("x", "y"))
  z <- seeded(tbrf(points, model, nsim = 2))
  expect_s3_class(z, "sf")
  expect_named(z, c("v", "geometry", "sim_1", "sim_2"), ignore.order = TRUE)
  expect_equal(z$sim_2, seeded(tbrf(cbind(1:3, 2:4), model, nsim = 2))[, 2])
  expect_identical(predict(attr(z, "recipe"), points)$sim_1, z$sim_1)
  more <- predict(attr(z, "recipe"), z[c("v", "sim_2")])
  expect_named(more, c("v", "sim_2", "geometry", "sim_1", "sim_3"), ignore.order = TRUE)
  plain <- sf::st_drop_geometry(z)
  expect_identical(sf::st_drop_geometry(more)[c("sim_2", "sim_1", "sim_3")],
                   stats::setNames(plain[c("sim_2", "sim_1", "sim_2")], c("sim_2", "sim_1", "sim_3")))
})

test_that("rasters of terra and stars come back", {
  if (requireNamespace("terra", quietly = TRUE)) {
    raster <- terra::rast(nrows = 4, ncols = 5, xmin = 0, xmax = 5, ymin = 0, ymax = 4, crs = "local",
                          vals = c(NA, 1:19))
    z <- seeded(tbrf(raster, model, nsim = 2))
    expect_equal(terra::values(z)[, 2], seeded(tbrf(terra::xyFromCell(raster, 1:20), model, nsim = 2))[, 2])
  }
  skip_if_not_installed("stars")
  raster <- stars::st_as_stars(matrix(1:6, 2))
  z <- seeded(tbrf(raster, model))
  centres <- as.matrix(expand.grid(x = c(0.5, 1.5), y = c(0.5, 1.5, 2.5)))
  expect_equal(as.vector(z$sim_1), as.vector(seeded(tbrf(centres, model))))
})

test_that("input is checked", {
  expect_input_error(tbrf(cbind(1, c(2, Inf)), model), "x[2, 2] = Inf")
  expect_input_error(tbrf(matrix(0, 1, 4), model), "dimension 4")
  expect_input_error(tbrf(1:3), "model is missing")
  expect_input_error(tbrf(1:3, list()), "must be a model")
  expect_input_error(tbrf(1:3, structure(list(), class = "gpFit")), "that of a fit is fit$cov")
  expect_input_error(tbrf(1:3, model, nsim = 0), "nsim = 0")
  expect_input_error(tbrf(1:3, model, nlines = 2.5), "nlines = 2.5")
  expect_input_error(tbrf(1:3, model, nlines = c(1, 2)), "single number")
  expect_input_error(tbrf(1:3, field_models()$sum, nlines = 1), "at least 2")
  expect_input_error(tbrf(1:3, model, seed = 1), "no argument seed: use set.seed()")
  expect_input_error(tbrf(1:3, model, nsims = 2), "it is called nsim")
  expect_input_error(tbrf(grid = rfGrid(0, 1, 3), model = model), "it is called x")
  expect_input_error(tbrf(1:3, model, other = 2), "no argument other")
  for (f in list(tbrf(1:3, model), tbrf(1:3, model, object = TRUE)))
    expect_input_error(predict(f, x = 1:3), "no argument x: it is called newdata")
  expect_input_error(tbrf(model, 1:3), "the points come first: tbrf(x, model)")
  expect_input_error(tbrfError(model, nlines = 0.01), "tolerances are for tbrf()")
  expect_input_error(tbrf(dist(1:3), model), "x has distances: give the points")
  expect_input_error(tbrf(1:3, model, method = "tbm"), "method = tbm")
  expect_input_error(tbrf(1:3, model, periodic = TRUE), "method = \"fft\"")
  expect_input_error(tbrf(1:3, model, step = -1, method = "table"), "step = -1")
  expect_input_error(tbrf(1:3, update(model, distance = "given")), "distance = given")
  expect_input_error(tbrf(cbind(1, 2, 3), covModel("besselj", range = 1, shape = 0.2)), "not valid")
  expect_input_error(rfGrid(0, 1, c(2, 2.5)), "dims[2] = 2.5")
  expect_input_error(rfGrid(0, 0, 2), "spacing = 0")
  expect_input_error(rfGrid(1:2, 1, c(1, 2, 3)), "origin must have 1 or 3 elements")
  expect_input_error(rfGrid(c(0, 0), 1, 10), "dims has 1 element, origin 2: give dims for each axis")
  expect_input_error(predict(tbrf(1:3, model), cbind(1, 2)), "dimension 2")
  expect_length(tbrf(numeric(), model), 0)
  expect_identical(dim(tbrf(matrix(0, 0, 2), model, nsim = 3)), c(0L, 3L))
  expect_identical(dim(tbrf(rfGrid(0, 1, c(0, 3)), model)), c(0L, 3L))
})

test_that("fields are the same on every device, on several at once, and with any number of threads", {
  model <- covModel("matern", range = 5, smoothness = 1.2, nugget = 0.1) + covModel("gaussian", range = 2)
  grid <- rfGrid(0, 0.5, c(40, 33, 9))
  set.seed(7)
  x <- matrix(20 * stats::runif(6000), ncol = 3)
  for (method in c("spectral", "table")) {
    recipe <- tbrf(x, model, nlines = 200, method = method, extent = if (method == "table") matrix(c(0, 20), 2, 3),
                   object = TRUE)
    values <- function() list(as.vector(predict(recipe, x)), as.vector(predict(recipe, grid)))
    here <- withDevice("cpu", values())
    old <- options(statcl.threads = 1)
    expect_identical(withDevice("cpu", values()), here)
    options(old)
    for (device in opencl_devices()) for (set in list(device, c("cpu", device)))
      expect_lt(max(abs(unlist(withDevice(set, values())) - unlist(here))), 1e-9)
  }
})

test_that("what would be wrong or endless without a word is an error", {
  model <- covModel("exponential", range = 1)
  x <- cbind(c(0, 1, 5), 0)
  expect_input_error(tbrf(x, model, method = "table", extent = rbind(c(0, 0), c(1, 1))),
                     "coordinate 1 of x goes from 0 to 5, beyond the tables")
  expect_input_error(tbrf(x, model, method = "table", lines = "pulse", rate = 1e300), "rate must be at most 1e6")
  expect_input_error(tbrf(x, model, method = "table", lines = "pulse", rate = 1:2), "rate must be a single number")
  expect_input_error(tbrf(x, model, max.table = 1:2), "max.table must be a single number")
  long <- covModel("powerlaw", exponent = -3.9, kmin = 1e-9, kmax = 1)
  expect_input_error(tbrf(x, long, method = "table", lines = "powerlaw"), "max.table is less than the")
  band <- covModel("powerlaw", exponent = -2, kmin = 0.5, kmax = 5)
  expect_input_error(tbrf(x, band, method = "table", lines = "circulant"), "lines is not for \"powerlaw\" models")
  expect_identical(tbrf(x, band, method = "table", object = TRUE)$lines, "powerlaw")
  expect_input_error(tbrf(rfGrid(0, 1, c(9, 9)), band, method = "fft"), "periodic is not for \"powerlaw\" models")
  expect_input_error(tbrf(x, model, nlines = 1e9), "nlines must be at most 2e7")
  expect_error(tbrf(rfGrid(0, 1, rep(.Machine$integer.max, 3)), model), "is too large", class = "statcl_error_memory")
  recipe <- tbrf(x, model, object = TRUE)
  for (changed in list(list(key = c(-1, NaN)), list(nsim = 2.5), list(method = "foo")))
    expect_input_error(predict(utils::modifyList(recipe, changed), x), names(changed))
})

test_that("rough models, whose waves may be endlessly short, have fields", {
  x <- cbind(c(0, 0.3, 100), 0)
  for (model in list(covModel("matern", range = 10, smoothness = 0.03), covModel("powexp", range = 10, shape = 0.2)))
    for (seed in 1:5) {
      set.seed(seed)
      expect_true(all(is.finite(tbrf(x, model, nlines = 1000))))
    }
})

test_that("fields that memory has no room for are refused before anything is computed", {
  own <- free_gigabytes
  on.exit(utils::assignInNamespace("free_gigabytes", own, "statcl"))
  utils::assignInNamespace("free_gigabytes", function(...) 0.3, "statcl")
  grid <- rfGrid(0, 1, c(400, 400, 400))
  expect_error(tbrf(grid, model), "64000000 points take 0.5 GB of memory, and 0.3 GB are available: file =",
               class = "statcl_error_memory", fixed = TRUE)
  expect_error(tbrf(rfGrid(0, 1, c(4000, 1000)), model, nsim = 20), "file =", class = "statcl_error_memory")
  recipe <- tbrf(grid, model, object = TRUE)
  expect_error(predict(recipe, grid), class = "statcl_error_memory")
})

test_that("values are those of blocks of points put together", {
  # more points than a block has, and than those from which on its memory is collected
  drift <- update(covModel("exponential", range = 3, nugget = 0.2), mean = function(x) x[, 1])
  grid <- rfGrid(0, 1, c(1100, 1000))
  field <- seeded(tbrf(grid, drift, 101, nsim = 2))
  at <- cbind(c(1, 700, 1100, 263), c(1, 400, 1000, 239))
  cells <- t(apply(at, 1, function(i) field[i[1], i[2], ]))
  expect_equal(predict(field, at - 1), cells, tolerance = 1e-12, ignore_attr = TRUE)
})

test_backends("lines that are made and summed in lots give the bits of all at once", {
  model <- covModel("exponential", range = 2) + covModel("gaussian", range = 1)
  for (waves in c("shells", "spectrum")) for (d in every_nth(1:2, 2, if (waves == "shells") 1 else 2)) {
    x <- matrix(c(0.3, 5, -2, 0.7)[seq_len(2 * d)], 2)
    recipe <- seeded(tbrf(x, model, 7e4, object = TRUE, waves = waves))
    all <- recipe_lines(recipe, 1)
    expect_identical(length(all$phase), 70000L)
    whole <- numeric(2)
    .Call(statcl:::C_bandPoints, x, all, NULL, whole, 0)
    expect_identical(as.vector(predict(recipe, x)), whole)
    grid <- rfGrid(0, 0.3, c(5, 3)[seq_len(d)])
    whole <- numeric(prod(grid$dims))
    .Call(statcl:::C_bandGrid, statcl:::grid_axes(grid), all, NULL, whole, 0)
    expect_identical(as.vector(predict(recipe, grid)), whole)
  }
  flow <- seeded(tbrf(x, rfVector(model), 7e4, time = 0.3, correlation.time = 1, object = TRUE))
  all <- recipe_lines(flow, 1)
  own <- statcl:::wave_coefficients(flow, 1, all, NULL, 0.3, 0)
  whole <- numeric(4)
  statcl:::point_waves(x, all$k, own, whole, 0, NULL)
  expect_identical(as.vector(predict(flow, x)), whole)
})

test_that("dimensions that are taken for points or spacings have a message", {
  model <- covModel("exponential", range = 2)
  expect_message(tbrf(c(16, 16, 16), model, 50), "x = c(16, 16, 16) is 3 points on a line; a grid of 16 x 16 x 16",
                 fixed = TRUE)
  expect_message(tbrf(c(1, 2, 3), model, 50), NA)
  expect_message(tbrf(c(16, 16.5), model, 50), NA)
  expect_message(rfGrid(16, 16, 16), "a line of 16 points, with origin 16 and spacing 16; a cube is rfGrid",
                 fixed = TRUE)
  expect_message(rfGrid(0, 16, 16), NA)
  expect_message(tbrf(suppressMessages(rfGrid(16, 16, 16)), model, 50), NA)
  expect_match(format(update(model, distance = "chordal", radius = 1)), "radius = 1")
  data <- data.frame(x = 1:5, z = c(1, 3, 2, 4, 1))
  fit <- gpFit(z ~ 1, data, ~ x, model, fixed = TRUE)
  expect_error(rfTransform(predict(fit, rfGrid(0, 1, 9)), exp), "arithmetic transforms its values, such as exp(x)",
               fixed = TRUE)
})

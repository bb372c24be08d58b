model <- covModel("matern", range = 2, smoothness = 1.5, variance = 3, nugget = 0.1)
grid <- as.matrix(expand.grid(1:3, 1:2))


test_backends("a model gives the covariances of matern()", {
  distances <- c(a = 0, b = 1, c = 5)
  expect_identical(covariance(model, distances), matern(distances, range = 2, smoothness = 1.5, variance = 3))
  expect_identical(covariance(model, grid), matern(grid, range = 2, smoothness = 1.5, variance = 3, nugget = 0.1))
  expect_identical(covariance(model, grid, grid + 1, deriv = "range"),
                   matern(grid, grid + 1, range = 2, smoothness = 1.5, variance = 3, deriv = "range"))
  skewed <- covModel("matern", 1, 0.5, angle = 20, ratio = 0.4, scaling = "sqrt8nu")
  expect_identical(covariance(skewed, grid),
                   matern(grid, range = 1, smoothness = 0.5, angle = 20, ratio = 0.4, scaling = "sqrt8nu"))
  round <- covModel("matern", 500, 0.5, distance = "greatcircle", radius = 1000)
  expect_identical(covariance(round, grid),
                   matern(grid, range = 500, smoothness = 0.5, distance = "greatcircle", radius = 1000))
})

test_that("models are checked, and plain lists", {
  expect_input_error(covModel("gauss", 1, 1), "name = gauss")
  expect_input_error(covModel("gauss", 1, 1), "\"matern\"")
  expect_input_error(covModel(3, 1, 1), "name = 3")
  expect_input_error(covModel("matern", 1:2, 1), "range = 1, 2: range must be a single number")
  expect_input_error(covModel("matern", 1, -1), "smoothness = -1")
  expect_input_error(covModel("matern", 1, 1, distance = "greatcircle"), "smoothness = 1")
  expect_input_error(covariance(model, 1, derivative = "range"), "covariance()")
  expect_identical(unclass(covModel("matern", 1L, 1L))[c("range", "smoothness", "scaling", "distance")],
                   list(range = 1, smoothness = 1, scaling = "plain", distance = "auto"))
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(model, file)
  expect_identical(readRDS(file), model)
})

test_that("edited models are checked again", {
  edited <- replace(model, "range", -1)
  for (f in list(print, format, plot, lines, update, function(m) covariance(m, 1)))
    expect_input_error(f(edited), "range = -1")
  edited <- model
  edited$nu <- 3
  expect_input_error(covariance(edited, 1), "no argument nu")
  edited <- model
  edited$range <- NULL
  expect_input_error(covariance(edited, 1), "range is missing")
})

test_that("models are updated", {
  expect_identical(update(model), model)
  expect_identical(update(model, range = 3, scales = 1:2),
                   covModel("matern", range = 3, smoothness = 1.5, variance = 3, nugget = 0.1, scales = 1:2))
  expect_identical(update(update(model, scales = 1:2), scales = NULL), model)
  expect_input_error(update(model, 3), "by name")
  expect_input_error(update(model, nu = 3), "no argument nu")
  for (m in list(model, model + model)) expect_input_error(update(m, rnage = 3), "covModel() has no argument rnage")
})

test_that("a grid stands for its points", {
  mesh <- rfGrid(c(1, 2), 1, c(3, 2))
  expect_identical(covariance(model, mesh), covariance(model, as.matrix(mesh)))
  expect_identical(covariance(model, grid, mesh), covariance(model, grid, as.matrix(mesh)))
  expect_input_error(covariance(update(model, distance = "given"), mesh), "x = rfGrid")
})

test_that("longitudes and latitudes are announced with their unit", {
  skip_if_not_installed("sf")
  places <- sf::st_sfc(sf::st_point(c(0, 0)), sf::st_point(c(1, 1)), crs = 4326)
  for (m in list(model, covModel("exponential", 2)))
    expect_message(covariance(m, places), "distances are chordal, in units of radius, by default 6371 (km)",
                   fixed = TRUE)
})

test_that("models are refused among points of a dimension in which they are none", {
  plane <- cbind(c(0, 1, 0.3), c(0.2, 0, 1))
  space <- cbind(plane, 1:3)
  tent <- covModel("wendland", 1, smoothness = 0, shape = 1)
  line <- covModel("covariance", covariance = function(h) pmax(0, 1 - h), dim = 1)
  wave <- covModel("besselj", 1, shape = 0)
  for (f in list(function(x) covariance(tent, x), function(x) covariance(covModel("exponential", 1) + tent, x),
                 function(x) covariance(tent, x, x), function(x) covariance(tent, x, deriv = "range")))
    expect_input_error(f(plane), "the model \"wendland\" is not valid in dimension 2: it needs shape >=")
  expect_input_error(covariance(update(tent, ratio = 0.5), plane), "not valid in dimension 2")
  expect_input_error(covariance(line, plane), "it is given for dimension 1")
  expect_input_error(covariance(wave, space), "it needs shape >= 0.5 in dimension 3")
  expect_input_error(covariance(covModel("sinc", 1, distance = "euclidean"), cbind(space, 1)), "valid in dimension 4")
  timed <- covModel("separable", space = covModel("exponential", 1), time = tent)
  expect_input_error(covariance(timed + tent, space), "not valid in dimension 2")
  expect_identical(dim(covariance(timed + tent, plane)), c(3L, 3L))
  for (m in list(tent, line)) {
    expect_equal(covariance(m, c(0, 0.4)), c(1, 0.6))
    expect_equal(covariance(m, cbind(c(0, 0.4)))[1, 2], 0.6)
    expect_equal(covariance(update(m, distance = "given"), matrix(0.4)), matrix(0.6))
  }
  expect_identical(dim(covariance(wave, plane)), c(3L, 3L))
  for (m in list(model, covModel("powexp", 1, shape = 1.5)))
    expect_identical(dim(covariance(update(m, distance = "euclidean"), cbind(space, space))), c(3L, 3L))
  skip_if_not_installed("sf")
  globe <- sf::st_as_sf(as.data.frame(plane), coords = 1:2, crs = 4326)
  expect_input_error(suppressMessages(covariance(wave, globe)), "not valid in dimension 3")
})

test_that("coordinates without a reference system have that of the sf points they are with", {
  skip_if_not_installed("sf")
  plane <- cbind(c(0, 1, 0.3), c(0.2, 0, 1))
  globe <- sf::st_as_sf(as.data.frame(plane), coords = 1:2, crs = 4326)
  flat <- sf::st_set_crs(globe, NA)
  degrees <- update(model, range = 100)
  sphere <- covariance(update(degrees, distance = "chordal"), plane, plane)
  for (f in list(function(...) covariance(degrees, ...), function(...)
    matern(..., range = 100, smoothness = 1.5, variance = 3))) {
    expect_message(value <- f(globe, plane), "x has longitudes and latitudes")
    expect_identical(unname(value), sphere)
    expect_message(value <- f(plane, globe), "y has longitudes and latitudes")
    expect_identical(unname(value), sphere)
    projected <- sf::st_set_crs(flat, 3857)
    expect_identical(f(plane, projected), f(projected, plane))
    expect_input_error(f(projected, globe), "reference system")
  }
  expect_input_error(covariance(update(model, distance = "euclidean"), plane, globe), "which y has")
  expect_input_error(covariance(update(model, distance = "chordal"), plane, projected), "of y are projected")
})

test_that("what sf points lack for models of time or of two variables is told", {
  skip_if_not_installed("sf")
  plane <- sf::st_as_sf(data.frame(x = 1:3, y = c(0, 2, 1)), coords = 1:2, crs = 3857)
  globe <- sf::st_set_crs(sf::st_set_crs(plane, NA), 4326)
  solid <- sf::st_as_sf(data.frame(x = 1:3, y = c(0, 2, 1), z = c(1, 2, 1)), coords = 1:3, crs = 3857)
  lifted <- sf::st_set_crs(sf::st_set_crs(solid, NA), 4326)
  space <- covModel("exponential", 100)
  models <- list(time = covModel("separable", space = space, time = covModel("gaussian", 1)),
                 variable = covModel("bimatern", range = 1, smoothness = 1:2, correlation = 0.2))
  for (last in names(models)) for (m in list(models[[last]], 2 * models[[last]])) {
    given <- sprintf("give cbind(sf::st_coordinates(x), %s)", last)
    expect_input_error(covariance(m, plane), given)
    expect_input_error(covariance(m, sf::st_geometry(globe)), paste0(given, ", with distance = \"chordal\" in"))
    expect_input_error(covariance(m, sf::st_coordinates(solid), globe), "sf::st_coordinates(y)")
    expect_input_error(covariance(m, lifted), "give sf::st_coordinates(x), with")
    expect_identical(unname(covariance(m, solid)), unname(covariance(m, sf::st_coordinates(solid))))
  }
  expect_input_error(covariance(models$time + space, plane), "cbind(")
})

test_that("sparse matrices of distances are refused with what to give", {
  for (f in list(covariance, function(model, ...) matern(..., range = 1, smoothness = 1))) {
    expect_input_error(f(model, structure(1, class = c("dsCMatrix", "sparseMatrix", "Matrix"))), "stored, x@x")
    expect_input_error(f(model, grid, structure(1, class = c("dgeMatrix", "Matrix"))), "as.matrix(y)")
    expect_input_error(f(model, structure(1, class = "spam")), "stored, x@entries")
  }
})

test_that("models print what they are", {
  expect_output(print(model), paste0("variance 3, range 2, smoothness 1.5, nugget 0.1\n",
                                     "Correlation first falls to 0.05 at distance 9.488"), fixed = TRUE)
  expect_output(print(covModel("matern", 1, 0.5)), paste0("smoothness 0.5\n",
                "Correlation first falls to 0.05 at distance 2.996"), fixed = TRUE)
  expect_output(print(covModel("matern", 1, 2, scaling = "sqrt8nu")), "sqrt(8 * smoothness) * distance / range",
                fixed = TRUE)
  expect_output(print(covModel("matern", 100, 0.5, distance = "greatcircle")),
                "great circle on a sphere of radius 6371", fixed = TRUE)
  expect_output(print(covModel("matern", 1, 2, angle = 30, ratio = 0.2)),
                "major axis at 30 degrees, range across it 0.2", fixed = TRUE)
  expect_output(print(covModel("matern", 2, 2, scales = c(1, 3))), "Ranges of the coordinates: 2, 6", fixed = TRUE)
  for (smoothness in c(1e-9, 0.01, 30, 1000)) expect_output(print(covModel("matern", 1, smoothness)), "smoothness")
  expect_identical(format(model), "matern(variance = 3, range = 2, smoothness = 1.5, nugget = 0.1)")
  text <- format(covModel("matern", 2, 0.5, angle = 30, ratio = 0.5, distance = "euclidean", scaling = "sqrt2nu"))
  rebuilt <- str2lang(text)
  rebuilt <- as.call(c(quote(covModel), "matern", as.list(rebuilt)[-1]))
  expect_identical(format(eval(rebuilt)), text)
})

test_that("models print their axes and scaling, known or not, and as many digits as are wanted", {
  shown <- function(m, ...) paste(utils::capture.output(print(m, ...)), collapse = "\n")
  expect_match(shown(covModel("matern", NA, 1.5, angle = 30, ratio = 0.5)), "major axis at 30 degrees, ratio 0.5")
  expect_match(shown(covModel("matern", 2, 1.5, angle = NA)), "major axis at NA degrees, range across it 2")
  expect_match(format(covModel("matern", 2, 1.5, angle = NA)), "angle = NA")
  expect_match(shown(covModel("exponential", NA, scales = c(1, 3))), "Scales of the coordinates: 1, 3")
  expect_match(shown(covModel("exponential", 2, nugget = NA, scales = c(1, 3))), "Ranges of the coordinates: 2, 6")
  two <- covModel("bimatern", range = 1:3 / 3, smoothness = c(0.5, 1, 2), correlation = 0, scaling = "sqrt8nu",
                  angle = 30, ratio = 0.25)
  expect_match(shown(two), "sqrt(8 * smoothness) * distance / range", fixed = TRUE)
  expect_match(shown(two), "major axis at 30 degrees, ratio 0.25")
  space <- covModel("exponential", 1 / 3, angle = 20, ratio = 0.5)
  time <- covModel("separable", space = space, time = covModel("gaussian", 1))
  expect_match(shown(time), "range 0.3333\nAnisotropy: major axis at 20 degrees, range across it 0.1667")
  expect_match(shown(time, digits = 2), "range 0.33\nAnisotropy: major axis at 20 degrees, range across it 0.17")
  expect_match(shown(time + space, digits = 2), "space = exponential(variance = 1, range = 0.33,", fixed = TRUE)
  expect_match(shown(covModel("exponential", 1 / 3), digits = 6), "at distance 0.998577")
})

test_that("updates keep what they do not name, and take the parameters of parts by name", {
  space <- covModel("exponential", 1)
  g <- covModel("gneiting", space = space,
                time = list(range = 1, shape = 0.7, interaction = 0.4, decay = 0.1, dim = 3))
  expect_identical(update(g, time = list(range = 3))$time, replace(g$time, "range", 3))
  expect_input_error(update(g, time = list(range = 3, alpha = 1)), "time$alpha = 1")
  expect_input_error(update(g, time = space), "time = covModel")
  expect_identical(update(g, time.range = 3, space.range = 2, variance = 5),
                   update(g, space = update(space, range = 2), time = list(range = 3), variance = 5))
  both <- model + covModel("gaussian", 5, scales = 1:2) + g
  changed <- update(both, range.2 = 3, scales2.2 = 4, space.range.3 = 2, nugget.1 = NA, mean = 7)
  expect_identical(changed, update(update(model, nugget = NA) + covModel("gaussian", 3, scales = c(1, 4)) +
                                     update(g, space.range = 2), mean = 7))
  expect_input_error(update(both, range = 3), "as in range.2")
  expect_input_error(update(both, range.4 = 3), "no argument range.4")
  expect_input_error(update(both, range.2 = -3), "range = -3")
  expect_input_error(update(both, range.2 = 1:2), "range.2 = 1, 2: range.2 must be a single number")
})

test_that("errors name what is wrong", {
  space <- covModel("exponential", 1)
  two <- covModel("bimatern", range = 1, smoothness = 1:2, correlation = 0)
  expect_input_error(covariance(space, grid, errors = 1), "covariance() has no argument errors")
  expect_input_error(covModel("gneiting", space = space, time = list(range = 1, alpha = 1)), "time$alpha = 1")
  expect_input_error(covModel("gneiting", space = space, time = list()), "time$range is missing")
  expect_input_error(covModel("gneiting", space = space, time = list(1)), "must be a list of range")
  for (name in c("separable", "gneiting")) {
    timed <- function(...) covModel(name, space = space, time = list(range = 1), ...)
    expect_input_error(timed(ratio = 0.5), "give it in `space`")
    expect_input_error(timed(distance = "chordal"), "give it in `space`")
    expect_input_error(timed(scales = 1:2), "give it in `space`")
  }
  for (p in c("angle", "ratio"))
    expect_input_error(covariance(space, cbind(grid, 1), deriv = p), sprintf("deriv = %s: deriv is for points", p))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (f in list(plot, lines)) {
    expect_input_error(f(space, to = c(1, 2)), "to = 1, 2: to must be a single number")
    expect_input_error(f(space, to = 1, n = 1), "n = 1: n must be at least 2")
    expect_input_error(f(space, to = 1, n = 10.5), "n = 10.5")
  }
  expect_input_error(two + space, "those of several variables are not possible")
  expect_input_error(covModel("covariance", covariance = function(h) exp(-h), dim = 0), "must be 1, 2 or 3")
  for (nu in list("a", list(1), NULL)) expect_input_error(besselKgpu(1, nu), "nu must be numeric")
})

test_that("models are plotted", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(model), model)
  expect_silent(plot(model, to = 1, n = 11, main = "near", ylim = c(2, 4)))
  expect_silent(plot(covModel("matern", 1, 1, angle = 30, ratio = 0.2), xlab = "km"))
  expect_silent(plot(covModel("matern", 1, 1, scales = c(1, 3, 2))))
  expect_silent(plot(covModel("matern", 1e5, 0.5, distance = "greatcircle")))
  expect_silent(plot(covModel("matern", 1, 1e-9)))
  expect_silent(plot(model, log = "y", to = 1e4))
  expect_gt(10^graphics::par("usr")[3], 1e-320)
  expect_silent(plot(model, log = "xy"))
  expect_silent(lines(covModel("matern", 1, 1, scales = 1:2), lty = 2))
  for (log in c("", "y")) expect_silent(plot(covModel("matern", 1, 1, variance = 0), log = log))
  expect_gt(graphics::par("usr")[4], graphics::par("usr")[3])
  expect_silent(plot(covModel("matern", 1, 1, distance = "given")))
  for (m in list(covModel("wendland", 2, smoothness = 1, shape = 5),
                 covModel("cubic", 2) + covModel("gaussian", 0.1))) {
    plot(m)
    expect_gt(graphics::par("usr")[2], 2.1)
  }
  for (log in c("", "x")) expect_input_error(plot(model, to = "far", log = log), "to = \"far\"")
  expect_input_error(plot(model, to = -1), "to = -1")
})

test_backends("known variances of errors go to the diagonal of one set of points", {
  set.seed(4)
  xy <- matrix(runif(140), 70)
  own <- runif(70)
  smooth <- covModel("matern", range = 0.3, smoothness = 1.3, variance = 2, nugget = 0.25)
  shape <- covModel("spectrum", density = function(k) 1 / (1 + k^2)^4, range = 0.1)
  for (m in list(smooth, shape, smooth + shape)) {
    plain <- covariance(m, xy)
    nugget <- sum(vapply(statcl:::model_parts(m), `[[`, 0, "nugget"))
    with <- covariance(m, xy, error.variance = own)
    expect_equal(diag(with), diag(plain) + own, tolerance = 1e-15)
    expect_identical(with[-1, ][lower.tri(with[-1, ], TRUE)], plain[-1, ][lower.tri(plain[-1, ], TRUE)])
    expect_identical(with, t(with))
    expect_identical(covariance(m, xy, error.variance = 0.5), covariance(m, xy, error.variance = rep(0.5, 70)))
    expect_identical(covariance(m, xy, error.variance = NULL), plain)
  }
  expect_identical(covariance(smooth, xy, deriv = "range", error.variance = own),
                   covariance(smooth, xy, deriv = "range"))
  expect_identical(covariance(smooth, as.data.frame(xy[1, , drop = FALSE]), error.variance = 1L), matrix(3.25))
  expect_identical(dim(covariance(smooth, xy[0, ], error.variance = 1)), c(0L, 0L))
  two <- covModel("bimatern", range = 0.3, smoothness = c(0.5, 1.5), variance = c(1, 2), correlation = 0.2,
                  nugget = c(0.1, 0.2))
  at <- cbind(xy, rep(1:2, 35))
  expect_equal(covariance(two, at, error.variance = own), covariance(two, at) + diag(own), tolerance = 1e-15)
  expect_identical(covariance(two, at, deriv = "nugget1", error.variance = own),
                   covariance(two, at, deriv = "nugget1"))
  when <- covModel("separable", space = smooth, time = covModel("exponential", range = 2), variance = 2)
  expect_equal(covariance(when, at, error.variance = own), covariance(when, at) + diag(own), tolerance = 1e-15)
  expect_input_error(covariance(smooth, xy, error.variance = own[-1]),
                     "error.variance has length 69: x has 70 points")
  expect_input_error(covariance(smooth, xy, error.variance = -own), "error.variance[1] = ")
  expect_input_error(covariance(smooth, xy, error.variance = c(NA, own[-1])),
                     "error.variance must be finite and not negative")
  expect_input_error(covariance(smooth, xy, error.variance = "a"), "error.variance must be numeric")
  expect_input_error(covariance(smooth, xy, xy, error.variance = own), "y must be NULL")
  expect_input_error(covariance(two, at, at, error.variance = own), "y must be NULL")
  expect_input_error(covariance(smooth, 1:3, error.variance = own), "x has distances")
})

test_that("misspelt arguments have the nearest one suggested", {
  refused <- function(expr, pattern) expect_error(expr, pattern, class = "statcl_error_input")
  refused(covModel("matern", rnge = 2), "covModel\\(\\) has no argument rnge: is range meant\\?")
  refused(covModel("matern", sill = 2), "no argument sill: it is called variance here")
  refused(covModel("matern", weight = 2), "no argument weight$")
})

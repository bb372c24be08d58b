set.seed(4)
places <- matrix(stats::runif(24), 12)
named <- matrix(stats::runif(6), 3, dimnames = list(c("a", "b", "c"), NULL))
earth <- cbind(lon = c(-170, -3.7, 0, 12.5, 151.2, 179.9, 40), lat = c(-89, 40.4, 0, 41.9, -33.9, 64, 90))

# Parameters are not elementwise data: a bad one is an error that names it.

by_bessel <- function(r, range, nu) {
  x <- r / range
  ifelse(x == 0, 1, 2^(1 - nu) / gamma(nu) * x^nu * besselK(pmax(x, 1e-300), nu))
}

test_backends("half-integer smoothness has its closed forms", {
  r <- c(0, 1e-9, 0.01, 0.5, 1, 3, 20, 90)
  x <- r / 2
  expect_equal(matern(r, range = 2, smoothness = 0.5), exp(-x), tolerance = 1e-14)
  expect_equal(matern(r, range = 2, smoothness = 1.5), (1 + x) * exp(-x), tolerance = 1e-14)
  expect_equal(matern(r, range = 2, smoothness = 2.5, variance = 3), 3 * (1 + x + x^2 / 3) * exp(-x),
               tolerance = 1e-14)
  expect_identical(matern(0, range = 2, smoothness = c(0.1, 1, 30), variance = 1.7)[1, ], rep(1.7, 3))
})

test_backends("values agree with besselK()", {
  r <- 10^seq(-3, 2, length.out = 201)
  for (nu in c(0.05, 0.3, 1, 2.2, 7, 19.5))
    expect_equal(matern(r, range = 3, smoothness = nu), by_bessel(r, 3, nu), tolerance = 1e-13)
})

test_backends("scalings are factors of the distance", {
  r <- c(0, 0.2, 1, 4)
  for (nu in c(0.3, 0.5, 1, 6)) {
    plain <- function(factor, deriv = "none") matern(factor * r, range = 2, smoothness = nu, deriv = deriv)
    for (scaling in c("sqrt2nu", "sqrt8nu")) {
      factor <- sqrt(nu * if (scaling == "sqrt2nu") 2 else 8)
      expect_equal(matern(r, range = 2, smoothness = nu, scaling = scaling), plain(factor), tolerance = 1e-14)
      expect_equal(matern(r, range = 2, smoothness = nu, scaling = scaling, deriv = "range"), plain(factor, "range"),
                   tolerance = 1e-13)
    }
  }
})

test_backends("derivatives are those of the covariance", {
  r <- c(0, 1e-3, 0.1, 0.7, 2, 9)
  central <- function(f, at) (f(at * (1 + 1e-5)) - f(at * (1 - 1e-5))) / (2e-5 * at)
  for (scaling in c("plain", "sqrt2nu", "sqrt8nu")) for (nu in c(0.3, 0.5, 1, 3.3)) {
    value <- function(range = 1.3, smoothness = nu, deriv = "none")
      matern(r, range = range, smoothness = smoothness, variance = 2, scaling = scaling, deriv = deriv)
    expect_equal(value(deriv = "range"), central(function(v) value(range = v), 1.3), tolerance = 1e-8)
    expect_equal(value(deriv = "smoothness"), central(function(v) value(smoothness = v), nu), tolerance = 1e-7)
    expect_identical(c(value(deriv = "range")[1], value(deriv = "smoothness")[1]), c(0, 0))
  }
})

test_backends("distances keep their attributes", {
  expect_identical(names(matern(c(a = 1, b = NA), range = 1, smoothness = 1)), c("a", "b"))
  d <- stats::dist(named)
  value <- matern(d, range = 1, smoothness = 0.5)
  expect_identical(attributes(value), attributes(d))
  expect_equal(as.matrix(value)[2, 3], exp(-as.matrix(d)[2, 3]), tolerance = 1e-14)
  cube <- array(1:8, c(2, 2, 2))
  expect_equal(matern(cube, range = 1, smoothness = 0.5), exp(-cube), tolerance = 1e-14)
  expect_identical(matern(TRUE, range = 1, smoothness = 2), matern(1, range = 1, smoothness = 2))
  expect_identical(matern(numeric(), range = 1, smoothness = 2), numeric())
  expect_identical(matern(integer(), range = 1, smoothness = 1:2), matrix(0, 0, 2))
})

test_backends("missing and negative distances", {
  expect_silent(value <- matern(c(NA, NaN, Inf, -0), range = 1, smoothness = 1.2))
  expect_identical(value, c(NA, NaN, 0, 1))
  expect_identical(is.nan(value), c(FALSE, TRUE, FALSE, FALSE))
  expect_identical(matern(NA, range = 1, smoothness = 1), NA_real_)
  expect_warning(value <- matern(c(-1, NA, 2), range = 1, smoothness = 0.5), "^NaNs produced$")
  expect_identical(is.nan(value), c(TRUE, FALSE, FALSE))
  expect_identical(suppressWarnings(matern(c(-1, NA), range = 1, smoothness = 1:2, deriv = "range")),
                   matrix(c(NaN, NA), 2, 2))
})

test_backends("matrices have the covariances of all pairs", {
  for (nu in c(0.5, 0.8)) {
    whole <- matern(places, range = 0.4, smoothness = nu, variance = 2)
    expected <- as.matrix(matern(stats::dist(places), range = 0.4, smoothness = nu, variance = 2))
    expect_equal(whole, unname(expected) + diag(2, 12), tolerance = 1e-13)
    expect_identical(whole, t(whole))
    expect_identical(diag(whole), rep(2, 12))
    expect_equal(matern(places[1:5, ], places[4:12, ], range = 0.4, smoothness = nu, variance = 2),
                 whole[1:5, 4:12], tolerance = 1e-15)
  }
  line <- matrix(c(1, 2, 4))
  expect_equal(matern(line, range = 2, smoothness = 0.5), exp(-abs(outer(c(line), c(line), `-`)) / 2),
               tolerance = 1e-14)
  five <- matrix(stats::runif(20), 4)
  expect_equal(matern(five, range = 2, smoothness = 1.5, distance = "euclidean")[upper.tri(diag(4))],
               c(t(as.matrix(matern(stats::dist(five), range = 2, smoothness = 1.5))))[upper.tri(diag(4))],
               tolerance = 1e-13)
})

test_backends("the nugget is on the diagonal of observations only", {
  twice <- places[c(1, 1, 2), ]
  plain <- matern(twice, range = 1, smoothness = 1)
  expect_identical(matern(twice, range = 1, smoothness = 1, nugget = 0.5), plain + diag(0.5, 3))
  expect_identical(matern(twice, twice, range = 1, smoothness = 1, nugget = 0.5), plain)
  expect_identical(matern(c(0, 1), range = 1, smoothness = 1, nugget = 0.5),
                   matern(c(0, 1), range = 1, smoothness = 1))
  for (deriv in c("range", "smoothness"))
    expect_identical(matern(twice, range = 1, smoothness = 1, nugget = 0.5, deriv = deriv),
                     matern(twice, range = 1, smoothness = 1, deriv = deriv))
})

test_backends("points give their names, as matrix, data frame or table of integers", {
  value <- matern(named, range = 1, smoothness = 1)
  expect_identical(dimnames(value), list(rownames(named), rownames(named)))
  expect_identical(matern(as.data.frame(named), range = 1, smoothness = 1), value)
  expect_identical(dimnames(matern(named, places, range = 1, smoothness = 1)), list(rownames(named), NULL))
  expect_identical(dimnames(matern(named, places, range = 1, smoothness = 1:2)), list(rownames(named), NULL, NULL))
  expect_null(dimnames(matern(as.data.frame(places), range = 1, smoothness = 1)))
  expect_identical(rownames(matern(as.data.frame(places)[c(9, 2), ], range = 1, smoothness = 1)), c("9", "2"))
  expect_equal(matern(matrix(1:4, 2), range = 1, smoothness = 0.5)[1, 2], exp(-sqrt(2)), tolerance = 1e-14)
  expect_identical(dim(matern(places[0, ], places, range = 1, smoothness = 1)), c(0L, 12L))
  expect_identical(dim(matern(places[0, ], range = 1, smoothness = 1:3)), c(0L, 0L, 3L))
})

test_backends("distances on the sphere", {
  radians <- earth * pi / 180
  xyz <- cbind(cos(radians[, 2]) * cos(radians[, 1]), cos(radians[, 2]) * sin(radians[, 1]), sin(radians[, 2]))
  chord <- as.matrix(stats::dist(xyz))
  arc <- 2 * asin(pmin(chord / 2, 1))
  expect_equal(matern(earth, range = 5000, smoothness = 2.2, distance = "chordal"),
               by_bessel(6371 * unname(chord), 5000, 2.2), tolerance = 1e-12)
  expect_equal(matern(earth, range = 0.7, smoothness = 0.3, distance = "greatcircle", radius = 1),
               by_bessel(unname(arc), 0.7, 0.3), tolerance = 1e-12)
  expect_equal(matern(earth, sweep(earth, 2, c(360, 0), `+`), range = 1e4, smoothness = 1, distance = "chordal"),
               matern(earth, range = 1e4, smoothness = 1, distance = "chordal"), tolerance = 1e-9)
  # two points that are a metre apart: nothing cancels
  near <- cbind(c(10, 10), c(45, 45 + 1e-5))
  metre <- 6371 * 1e-5 * pi / 180
  for (distance in c("chordal", "greatcircle"))
    expect_equal(matern(near, range = metre, smoothness = 0.5, distance = distance)[1, 2], exp(-1), tolerance = 1e-8)
})

test_that("great circles are for smoothness up to 1/2, beyond which eigenvalues are negative", {
  globe <- as.matrix(expand.grid(lon = seq(-180, 150, 30), lat = seq(-75, 75, 15)))
  least <- function(v) min(eigen(v, TRUE, TRUE)$values)
  expect_gt(least(matern(globe, range = 20000, smoothness = 0.5, distance = "greatcircle")), 0)
  arcs <- matern(globe, range = 1, smoothness = 0.5, distance = "greatcircle", radius = 1)
  smooth <- matern(stats::as.dist(-log(arcs)), range = 3, smoothness = 1.5)
  expect_lt(least(as.matrix(smooth) + diag(nrow(globe))), -1e-6)
  expect_input_error(matern(globe, range = 1, smoothness = 0.51, distance = "greatcircle"),
                     "smoothness = 0.51: smoothness must be at most 1/2 for distance = \"greatcircle\"")
  expect_input_error(matern(1, range = 1, smoothness = c(0.5, 1), distance = "greatcircle"), "smoothness[2] = 1")
})

test_backends("anisotropy has its range along the major axis", {
  along <- c(cos(pi / 6), sin(pi / 6))
  across <- c(-along[2], along[1])
  points <- unname(rbind(0, along, across))
  value <- matern(points, range = 2, smoothness = 0.5, angle = 30, ratio = 0.25)
  expect_equal(value[1, 2:3], exp(-c(1 / 2, 1 / 0.5)), tolerance = 1e-14)
  expect_equal(value[2, 3], exp(-sqrt(1 + 16) / 2), tolerance = 1e-14)
  expect_equal(matern(places, range = 2, smoothness = 1.3, angle = 210, ratio = 0.25),
               matern(places, range = 2, smoothness = 1.3, angle = 30, ratio = 0.25), tolerance = 1e-14)
  expect_equal(matern(places, range = 2, smoothness = 1.3, angle = 90, ratio = 0.5),
               matern(places, range = 2, smoothness = 1.3, scales = c(0.5, 1)), tolerance = 1e-15)
  expect_identical(matern(places, range = 2, smoothness = 1.3, angle = 77),
                   matern(places, range = 2, smoothness = 1.3))
  scales <- c(1, 3, 0.5)
  solid <- matrix(stats::runif(15), 5)
  expect_equal(matern(solid, range = 2, smoothness = 0.7, scales = scales),
               matern(sweep(solid, 2, scales, "/"), range = 2, smoothness = 0.7), tolerance = 1e-14)
})

test_backends("several sets of parameters are several calls", {
  range <- c(0.1, 0.5, 2, 3)
  smoothness <- c(0.5, 1.2)
  sets <- matern(places, range = range, smoothness = smoothness, nugget = 0:3, deriv = "none")
  expect_identical(dim(sets), c(12L, 12L, 4L))
  slopes <- matern(places, named, range = range, smoothness = smoothness, deriv = "smoothness")
  lines <- matern(c(a = 0, b = 1), range = range, smoothness = smoothness, scaling = "sqrt2nu")
  expect_identical(dimnames(lines), list(c("a", "b"), NULL))
  for (k in 1:4) {
    nu <- smoothness[(k - 1) %% 2 + 1]
    expect_identical(sets[, , k], matern(places, range = range[k], smoothness = nu, nugget = k - 1))
    expect_identical(slopes[, , k], matern(places, named, range = range[k], smoothness = nu, deriv = "smoothness"))
    expect_identical(lines[, k], matern(c(a = 0, b = 1), range = range[k], smoothness = nu, scaling = "sqrt2nu"))
  }
  expect_identical(dim(matern(stats::dist(named), range = range, smoothness = 1)), c(3L, 4L))
  nuggets <- matern(places, range = range[1:2], smoothness = 1, nugget = 1:4)
  expect_identical(nuggets[, , 4], matern(places, range = range[2], smoothness = 1, nugget = 4))
  expect_identical(matern(0:2, range = 1, smoothness = 1, nugget = 0:1),
                   matern(0:2, range = 1, smoothness = c(1, 1)))
})

test_that("objects of class dist have distances even where a package, as proxy does, gives them dimensions", {
  expect_true(in_new_R({
    registerS3method("dim", "dist", function(x) rep(attr(x, "Size"), 2L))
    d <- stats::dist(1:4)
    identical(dim(d), c(4L, 4L)) && identical(attributes(matern(d, range = 1, smoothness = 0.5)), attributes(d))
  }))
})

test_that("bad parameters are errors that name them", {
  for (bad in list(0, -1, NA, NaN, Inf, "1", NULL, numeric())) {
    expect_input_error(matern(1, range = bad, smoothness = 1), "range")
    expect_input_error(matern(1, range = 1, smoothness = bad), "smoothness")
  }
  expect_input_error(matern(1, range = c(1, -2), smoothness = 1), "range[2] = -2: range must be finite and positive")
  expect_input_error(matern(1, range = 1, smoothness = 1e15), "smoothness = 1e+15: smoothness must be below 1e15")
  expect_input_error(matern(1, range = 1, smoothness = 1, variance = -1), "variance = -1")
  expect_input_error(matern(1, range = 1, smoothness = 1, nugget = NA), "nugget = NA")
  expect_input_error(matern(1, range = 1, smoothness = 1:2, variance = 1:3), "smoothness has length 2")
  expect_input_error(matern(1, range = 1, smoothness = 1, scaling = "sqrt"), "scaling = sqrt")
  expect_input_error(matern(1, range = 1, smoothness = 1, deriv = "variance"), "deriv = variance")
  expect_input_error(matern(1, range = 1, smoothness = 1, distance = NA), "distance = NA")
  expect_input_error(matern(places, range = 1, smoothness = 1, ratio = 2), "ratio = 2: ratio must be at most 1")
  expect_input_error(matern(places, range = 1, smoothness = 1, ratio = 0), "ratio = 0")
  expect_input_error(matern(places, range = 1, smoothness = 1, angle = 1:2), "angle = 1, 2")
  expect_input_error(matern(cbind(places, 1), range = 1, smoothness = 1, ratio = 0.5), "dimension 3")
  expect_input_error(matern(places, range = 1, smoothness = 1, scales = 1:3), "scales has length 3")
  expect_input_error(matern(places, range = 1, smoothness = 1, scales = 1:2, ratio = 0.5), "ratio = 0.5")
  expect_input_error(matern(earth, range = 1, smoothness = 1, scales = 1:2, distance = "chordal"),
                     "distance = chordal")
  expect_input_error(matern(1, range = 1, smoothness = 1, ratio = 0.5), "x has distances")
})

test_that("bad points are errors that name the place", {
  expect_input_error(matern("a", range = 1, smoothness = 1), "x = character")
  expect_input_error(matern(NULL, range = 1, smoothness = 1), "x = NULL")
  expect_input_error(matern(factor(1), range = 1, smoothness = 1), "x = factor")
  expect_input_error(matern(1, 2, range = 1, smoothness = 1), "y must be NULL")
  expect_input_error(matern(places, 2, range = 1, smoothness = 1), "y must have coordinates")
  expect_input_error(matern(places, earth[, c(1, 2, 2)], range = 1, smoothness = 1), "dimension 3")
  expect_input_error(matern(replace(places, 14, NA), range = 1, smoothness = 1), "x[2, 2] = NA")
  expect_input_error(matern(places, replace(places, 1, Inf), range = 1, smoothness = 1), "y[1, 1] = Inf")
  expect_input_error(matern(datasets::iris, range = 1, smoothness = 1), "x$Species = factor")
  expect_input_error(matern(matrix("a"), range = 1, smoothness = 1), "x = character")
  expect_input_error(matern(places[, 0], range = 1, smoothness = 1), "no coordinates")
  expect_input_error(matern(earth[, 2:1], range = 1, smoothness = 1, distance = "chordal"), "x has lat before lon")
  expect_input_error(matern(unname(as.matrix(earth))[, 2:1], range = 1, smoothness = 1, distance = "chordal"),
                     "x[1, 2] = -170")
  expect_input_error(matern(cbind(earth, 1), range = 1, smoothness = 1, distance = "chordal"), "dimension 3")
})

test_backends("distances in matrices of any shape", {
  call <- function(x, ...) matern(x, range = 2, smoothness = 0.5, distance = "given", ...)
  away <- matrix(1:8 / 4, 2, dimnames = list(c("a", "b"), NULL))
  expect_silent(value <- call(away))
  expect_equal(value, exp(-away / 2), tolerance = 1e-14)
  expect_equal(call(as.data.frame(away)), exp(-as.matrix(as.data.frame(away)) / 2), tolerance = 1e-14)
  expect_equal(call(matrix(1:3)), exp(-matrix(1:3) / 2), tolerance = 1e-14)
  sets <- call(away, variance = c(u = 1, v = 2))
  expect_identical(dimnames(sets), list(c("a", "b"), NULL, c("u", "v")))
  expect_identical(sets[, , "v"], 2 * value)
  expect_input_error(call(away, y = away), "y must be NULL")
  expect_input_error(call(away, ratio = 0.5), "distance = given")
})

test_that("coordinates that may be distances are told", {
  call <- function(x, ...) matern(x, range = 1, smoothness = 1, ...)
  within <- as.matrix(stats::dist(places[1:3, ]))
  expect_input_error(call(within), "as.dist(x) or with distance = \"given\"")
  expect_input_error(covariance(covModel("exponential", range = 1), within), "symmetric matrix of 3 rows")
  expect_input_error(gpLoglik(covModel("exponential", range = 1), within, 1:3), "symmetric matrix of 3 rows")
  diag(within) <- 1e-8 # as arc cosines leave it
  expect_warning(call(within, distance = "euclidean"), "distance = \"given\"", fixed = TRUE)
  expect_input_error(call(as.data.frame(within)), "distance = \"given\"")
  expect_equal(call(within, distance = "given")[2, 1], call(stats::as.dist(within))[1], tolerance = 1e-15)
  wide <- matrix(stats::runif(8), 2)
  expect_warning(value <- call(wide), "distance = \"given\"", fixed = TRUE)
  expect_message(call(as.data.frame(wide)), "the 4 columns of x are taken for coordinates: V1, V2, V3, V4")
  expect_silent(expect_identical(call(wide, distance = "euclidean"), value))
  expect_silent(expect_identical(call(wide, scales = rep(1, 4)), value))
  scaled <- covModel("matern", range = 1, smoothness = 1, scales = rep(1, 4))
  expect_silent(expect_equal(covariance(scaled + scaled, wide), 2 * value, tolerance = 1e-15))
  expect_silent(call(as.data.frame(wide[, 1:3])))
})

test_that("sets of parameters have their names", {
  range <- c(u = 1, v = 2)
  expect_identical(colnames(matern(1:3, range = range, smoothness = 1)), c("u", "v"))
  expect_identical(dimnames(matern(places, range = 1:2, smoothness = range)), list(NULL, NULL, c("u", "v")))
  expect_null(attributes(matern(1:3, range = c(u = 1), smoothness = 1)))
})

test_that("arguments that are missing, misnamed or of foreign classes", {
  expect_input_error(matern(range = 1, smoothness = 1), "x is missing")
  expect_input_error(matern(1, smoothness = 1), "range is missing")
  expect_input_error(matern(1, range = 1), "smoothness is missing")
  expect_input_error(matern(1, range = 1, smoothness = 1, nu = 2), "no argument nu: it is called smoothness here")
  expect_input_error(matern(1, NULL, 1, 1, 1, 0), "by name only")
  expect_input_error(matern(1, range = NA, smoothness = 1), "range = NA: range must be finite")
  expect_input_error(matern(1, range = numeric(), smoothness = 1), "range has length 0")
  expect_input_error(matern(1, range = "1", smoothness = 1), "range = \"1\": range must be numeric, not character")
  expect_input_error(matern(matrix(list(1, 2), 1), range = 1, smoothness = 1), "x = list: x must be numeric")
  with_units <- structure(1, class = "units")
  expect_input_error(matern(with_units, range = 1, smoothness = 1), "drop_units(x)")
  table <- structure(list(a = with_units), class = "data.frame", row.names = 1L)
  expect_input_error(matern(table, range = 1, smoothness = 1), "drop_units(x$a)")
  expect_input_error(matern(1, range = with_units, smoothness = 1), "drop_units(range)")
  expect_input_error(besselKgpu(with_units, 1), "drop_units(x)")
  expect_input_error(matern(structure(1:2, class = c("XY", "POINT", "sfg")), range = 1, smoothness = 1), "st_sfc(x)")
  expect_input_error(matern(1, structure(list(), class = "SpatVector"), range = 1, smoothness = 1), "st_as_sf(y)")
  expect_input_error(besselKgpu(1, 1, method = "series"), "method = series")
  expect_input_error(besselKgpu(1, 1, bins = 10), "bins = 10")
})

test_that("sf points", {
  skip_if_not_installed("sf")
  globe <- sf::st_as_sf(as.data.frame(earth), coords = c("lon", "lat"), crs = 4326)
  expect_message(value <- matern(globe, range = 1000, smoothness = 1.5), "chordal")
  expect_identical(value, matern(earth, range = 1000, smoothness = 1.5, distance = "chordal"))
  cities <- globe[2:3, ]
  expect_silent(value <- matern(sf::st_geometry(globe), cities, range = 1e3, smoothness = 0.5, distance = "great"))
  expect_identical(unname(value), matern(earth, earth[2:3, ], range = 1e3, smoothness = 0.5, distance = "great"))
  expect_input_error(matern(globe, range = 1, smoothness = 1, distance = "euclidean"), "distance = euclidean")
  expect_input_error(suppressMessages(matern(globe, range = 1, smoothness = 1, ratio = 0.5)), "has no anisotropy")
  plane <- sf::st_as_sf(as.data.frame(places), coords = 1:2)
  within <- matern(places, range = 1, smoothness = 1)
  expect_identical(matern(plane, places, range = 1, smoothness = 1), within)
  plane <- sf::st_set_crs(plane, 3857)
  expect_identical(matern(plane, range = 1, smoothness = 1), within)
  expect_input_error(matern(plane, globe, range = 1, smoothness = 1), "reference system")
  expect_input_error(matern(plane, range = 1, smoothness = 1, distance = "chordal"), "projected")
  expect_identical(dim(matern(plane[0, ], range = 1, smoothness = 1)), c(0L, 0L))
  expect_input_error(matern(sf::st_zm(globe, drop = FALSE, what = "Z"), range = 1, smoothness = 1), "sf::st_zm(x)")
  expect_input_error(matern(sf::st_buffer(plane, 1), range = 1, smoothness = 1), "must have points")
})

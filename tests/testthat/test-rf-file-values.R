# What files say of their values and coordinates: transforms, categories, units and reference systems.

model <- covModel("matern", range = 4, smoothness = 1.5, mean = 0.5)
grid <- rfGrid(c(5, 10), 2, c(23, 14), units = "m")
recipe_of_model <- function(x = grid, ...) seeded(tbrf(x, model, 40, object = TRUE, ...))
new_file <- function(ending = ".nc") tempfile("field", fileext = ending)

test_that("recipes with transforms are written as they are, in any fragments", {
  recipe <- recipe_of_model(nsim = 2)
  cases <- list(rfTransform(recipe, exp), rfTransform(recipe, quantile = function(p) qgamma(p, 2)),
                rfTransform(rfTransform(recipe, function(z) z^2), breaks = c(0.5, 1)), recipe)
  for (own in cases) for (ending in if (identical(own, recipe)) ".dat" else ".nc") {
    x <- tbrf(grid, own, file = new_file(ending), fragment = c(9, 5))
    expect_identical(x[], predict(own, grid)[])
    expect_identical(x[3:7, 14, 2], predict(own, grid)[3:7, 14, 2])
    again <- rfOpen(x$file)
    expect_identical(again[], x[])
    expect_message(same <- tbrf(grid, own, file = x$file, fragment = c(9, 5)), NA)
    expect_identical(same[], x[])
  }
  # what is not done is computed, and a call goes on
  begun <- tbrf(grid, cases[[1]], file = new_file(), fragment = c(9, 5), object = TRUE)
  expect_identical(begun[], predict(cases[[1]], grid)[])
  rfOpen(begun$file, resume = TRUE, part = c(1, 3))
  expect_gt(sum(fragments_done(begun)), 0)
  expect_identical(begun[], predict(cases[[1]], grid)[])
  expect_identical(rfOpen(begun$file, resume = TRUE)[], begun[])
  # a box by transforms, log-normal
  gas <- covModel("exponential", range = 4, mean = 1)
  box <- seeded(tbrf(grid, gas, method = "fft", periodic = TRUE, marginal = "lognormal", object = TRUE))
  expect_identical(tbrf(grid, box, file = new_file(), fragment = 6)[], predict(box, grid)[])
  seen <- 0
  tbrf(grid, cases[[1]], file = function(start, array) seen <<- seen + sum(array), fragment = 7)
  expect_equal(seen, sum(predict(cases[[1]], grid)[]))
  expect_identical(tbrf(grid, cases[[1]])[], predict(cases[[1]], grid)[])
  expect_identical(tbrf(grid, recipe, object = TRUE), recipe)
  expect_error(tbrf(grid, recipe, nsim = 3), "nsim cannot be given", class = "statcl_error_input")
})

test_that("a field in a file is transformed when it is read", {
  for (type in c("double", "float")) {
    x <- tbrf(grid, recipe_of_model(), file = new_file(), fragment = c(9, 5), type = type, object = TRUE)
    rfOpen(x$file, resume = TRUE, part = c(2, 3))
    y <- rfTransform(x, exp)
    expect_identical(y[], exp(x[]))
    expect_identical(y[4, 2:9], exp(x[4, 2:9]))
    expect_identical(rfTransform(y, breaks = 1, labels = c("low", "high"))[], 1 + (exp(x[]) > 1))
    z <- rfTransform(x, quantile = qexp)
    expect_equal(z[], qexp(pnorm(x[], 0.5)), tolerance = 1e-12)
    expect_output(print(y), "transformed by a function")
    expect_equal(as.vector(rfSummary(y)[, , "mean"]), as.vector(exp(x[])))
  }
  pdf(NULL)
  on.exit(dev.off())
  plot(y)
})

test_that("categories are bytes", {
  rock <- rfTransform(recipe_of_model(), breaks = c(0, 0.8), labels = c("clay", "silty sand", "sand"))
  for (ending in c(".nc", ".dat")) {
    x <- tbrf(grid, rock, file = new_file(ending), fragment = c(9, 5))
    expect_identical(x$type, "byte")
    expect_identical(x[], predict(rock, grid)[])
    expect_identical(rfOpen(x$file)[2, ], predict(rock, grid)[2, ])
  }
  expect_identical(as.numeric(readBin(x$file, "raw", 400)), as.vector(x[]))
  expect_true("categories, from 1: clay silty_sand sand" %in% readLines(paste0(x$file, ".txt")))
  expect_identical(tbrf(grid, rock, file = new_file(), type = "double")[], x[])
  expect_error(tbrf(grid, recipe_of_model(), file = new_file(), type = "byte"), "byte", class = "statcl_error_input")
  many <- rfTransform(recipe_of_model(), breaks = seq(-3, 3, length.out = 130))
  expect_identical(tbrf(grid, many, file = new_file())$type, "double")
  skip_if_not_installed("ncdf4")
  nc <- ncdf4::nc_open(tbrf(grid, rock, file = new_file(), fragment = c(9, 5))$file)
  on.exit(ncdf4::nc_close(nc))
  expect_identical(nc$var$field$prec, "byte")
  expect_identical(ncdf4::ncvar_get(nc, "field") + 0, x[])
  expect_equal(ncdf4::ncatt_get(nc, "field", "flag_values")$value, 1:3)
  expect_identical(ncdf4::ncatt_get(nc, "field", "flag_meanings")$value, "clay silty_sand sand")
  expect_identical(ncdf4::ncatt_get(nc, "field", "long_name")$value, "categories of a Gaussian random field")
})

test_that("grids have units and reference systems, and refuse what is none", {
  expect_identical(grid$units, "m")
  expect_error(rfGrid(0, 1, c(2, 2), units = 1), "units", class = "statcl_error_input")
  text <- "LOCAL_CS[\"mine\",UNIT[\"metre\",1]]"
  expect_identical(rfGrid(0, 1, c(2, 2), crs = text)$crs, text)
  expect_output(print(rfGrid(0, 1, c(2, 2), units = "m", crs = text)), "Units: m\nCoordinate reference system: mine")
  # a grid of other units is the same cells
  field <- seeded(tbrf(grid, model, method = "fft", periodic = TRUE))
  expect_identical(predict(field, rfGrid(c(5, 10), 2, c(23, 14)))[], field[])
  skip_if_not_installed("sf")
  expect_match(rfGrid(0, 1, c(2, 2), crs = "EPSG:25832")$crs, "^PROJC")
  expect_error(rfGrid(0, 1, c(2, 2), crs = "EPSG:0"), "crs", class = "statcl_error_input")
  skip_if_not_installed("stars")
  zone <- rfGrid(c(5, 10), 2, c(23, 14), units = "m", crs = "EPSG:25832")
  expect_match(sf::st_crs(stars::st_as_stars(seeded(tbrf(zone, model, 40))))$input, "UTM zone 32N")
})

# Other packages, which are not there where the tests are short.
test_that("other programs read values to the bit, units and reference systems", {
  x <- tbrf(grid, rfTransform(recipe_of_model(), exp), file = new_file(), fragment = c(9, 5))
  has_terra <- requireNamespace("terra", quietly = TRUE)
  for (crs in list(NULL, "EPSG:25832")) {
    if (!is.null(crs)) {
      skip_if_not_installed("sf")
      zone <- rfGrid(c(5, 10), 2, c(23, 14), units = "m", crs = crs)
      x <- tbrf(zone, rfTransform(recipe_of_model(zone), exp), file = new_file(), fragment = c(9, 5))
    }
    if (has_terra) {
      raster <- terra::rast(x$file)
      expect_false(terra::is.lonlat(raster))
      expect_match(terra::crs(raster), if (is.null(crs)) "coordinates of the field" else "25832")
      values <- terra::as.matrix(raster, wide = TRUE)
      expect_identical(t(values[nrow(values):1, ]), x[])
    }
    if (requireNamespace("stars", quietly = TRUE)) {
      raster <- stars::read_stars(x$file, quiet = TRUE)
      expect_match(sf::st_crs(raster)$wkt, if (is.null(crs)) "coordinates of the field" else "25832")
      expect_identical(as.vector(unclass(raster[[1]])[, 14:1]), as.vector(x[]))
    }
    skip_if_not_installed("ncdf4")
    nc <- ncdf4::nc_open(x$file)
    expect_identical(ncdf4::ncvar_get(nc, "field"), x[])
    for (axis in c("x", "y")) {
      expect_identical(ncdf4::ncatt_get(nc, axis, "units")$value, "m")
      expect_identical(ncdf4::ncatt_get(nc, axis, "standard_name")$value, sprintf("projection_%s_coordinate", axis))
    }
    expect_identical(ncdf4::ncatt_get(nc, "field", "grid_mapping")$value, "crs")
    expect_identical(ncdf4::ncatt_get(nc, "field", "long_name")$value, "exp of a Gaussian random field")
    ncdf4::nc_close(nc)
  }
})

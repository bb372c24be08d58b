# Where a field is wanted: points, grids and the classes of other packages, and the way back to these.

# A list of `xy`, coordinates in the rows of a matrix, or `axes`, the coordinates along the axes of a grid; `n`, the
# number of points; `dims`, those of the value, or NULL; `names` of the points or NULL; `geographic` and `crs` as
# points_of() has them; and `back`, which puts a matrix of values, a column for each field, into the class of x.
places_of <- function(x, name) {
  if (inherits(x, c("SpatialPoints", "SpatVector"))) return(spatial_places(x, name))
  refuse_foreign(name, x)
  if (inherits(x, "dist")) raise_engine_error("input", sprintf("%s has distances: give the points", name))
  if (inherits(x, "rfGrid")) return(grid_places(checked_grid(x)))
  if (inherits(x, "SpatRaster")) return(terra_places(x, name))
  if (inherits(x, "stars")) return(stars_places(x, name))
  if (is.numeric(x) && is.null(dim(x)))
    x <- matrix(x, ncol = 1L, dimnames = if (!is.null(names(x))) list(names(x), NULL))
  points <- points_of(x, name, list(distance = "euclidean"))
  if (ncol(points$xy) > 3L)
    raise_engine_error("input", sprintf("the points of %s have dimension %d: fields have 1 to 3", name,
                                        ncol(points$xy)))
  points$n <- nrow(points$xy)
  if (inherits(x, c("sf", "sfc"))) points$back <- function(values) sf_with(x, values)
  points
}

grid_places <- function(grid) {
  if (prod(grid$dims) > 2^52)
    raise_engine_error("memory", sprintf("a grid of %s points is too large", paste(grid$dims, collapse = " x ")))
  list(axes = grid_axes(grid), n = prod(grid$dims), dims = grid$dims, grid = grid, geographic = NA,
       staggered = grid$staggered)
}

# Cells first, ..., first + dims - 1 of each axis of a grid. Their coordinates, and with them values, have the bits
# that they have in the whole grid.
fragment_places <- function(grid, first, dims) {
  axes <- Map(function(axis, from, n) axis[from - 1L + seq_len(n)], grid_axes(grid), first, dims)
  list(axes = axes, n = prod(dims), dims = as.integer(dims), geographic = NA, first = first,
       staggered = grid$staggered)
}

sf_with <- function(x, values) {
  columns <- as.data.frame(values)
  if (inherits(x, "sfc")) return(sf::st_sf(columns, geometry = x))
  # Columns that x has, as of a field before, are not overwritten.
  free <- setdiff(paste0("sim_", seq_len(length(x) + length(columns))), names(x))
  fields <- grepl("^sim_[0-9]+$", names(columns))
  names(columns)[fields] <- free[seq_len(sum(fields))]
  names(columns) <- utils::tail(make.unique(c(names(x), names(columns))), length(columns))
  x[names(columns)] <- columns
  x
}

# By way of sf, and back.
spatial_places <- function(x, name) {
  need_package("sf", x, name)
  places <- places_of(sf::st_as_sf(x), name)
  values <- places$back
  places$back <- function(v) if (inherits(x, "SpatVector")) terra::vect(values(v)) else sf::as_Spatial(values(v))
  places
}

# Rows run from the top, cells along rows first: the order of a grid whose second axis falls.
terra_places <- function(x, name) {
  need_package("terra", x, name)
  list(axes = list(terra::xFromCol(x), terra::yFromRow(x)), n = terra::ncell(x),
       dims = c(terra::ncol(x), terra::nrow(x)), geographic = terra::is.lonlat(x), back = function(values) {
         raster <- terra::rast(x, nlyrs = ncol(values))
         terra::values(raster) <- values
         names(raster) <- colnames(values)
         raster
       })
}

stars_places <- function(x, name) {
  need_package("stars", x, name)
  along <- attr(stars::st_dimensions(x), "raster")$dimensions
  if (length(along) != 2L || anyNA(along) || !identical(names(dim(x)), along))
    input_error(name, toString(names(dim(x))), "must have the two dimensions of a raster, and no others")
  axes <- lapply(along, function(d) stars::st_get_dimension_values(x, d, where = "center"))
  if (!all(vapply(axes, is.numeric, NA)) || !identical(lengths(axes), unname(dim(x))))
    raise_engine_error("input", sprintf("%s must have a raster with rows and columns along its axes", name))
  list(axes = lapply(axes, as.double), n = prod(dim(x)), dims = unname(dim(x)), geographic = sf::st_is_longlat(x),
       crs = sf::st_crs(x), back = function(values) {
         layers <- lapply(seq_len(ncol(values)), function(i) array(values[, i], dim(x)))
         stars::st_as_stars(stats::setNames(layers, colnames(values)), dimensions = stars::st_dimensions(x))
       })
}

# Coordinates of the points with the numbers `at`, as given.
places_points <- function(places, at = seq_len(places$n))
  if (is.null(places$axes)) places$xy[at, , drop = FALSE] else axes_points(places$axes, at)

places_dim <- function(places) if (is.null(places$axes)) ncol(places$xy) else length(places$axes)

# The corners of a grid stand for all its points.
check_places_sphere <- function(places, name)
  check_sphere(if (is.null(places$axes)) places$xy else do.call(cbind, lapply(places$axes, range)), name, "chordal")

#' Random fields as objects of stars
#'
#' This method of `stars::st_as_stars()` converts fields by [tbrf()], [simulate()][simulate.gpFit] and
#' [predict()][predict.gpFit] on an [rfGrid()]. Several fields or layers become attributes. For package \pkg{terra}
#' `as(stars::st_as_stars(field), "SpatRaster")` makes a raster of a field in the plane.
#'
#' @param .x a field on a grid.
#' @param ... none.
#' @return An object of class `stars`: the points of the grid are the centres of its cells.
#' @examples
#' if (requireNamespace("stars", quietly = TRUE)) {
#'   set.seed(1)
#'   field <- tbrf(rfGrid(0, 1, c(6, 4)), covModel("exponential", range = 2))
#'   stars::st_as_stars(field)
#' }
#' @exportS3Method stars::st_as_stars
st_as_stars.rfield <- function(.x, ...) {
  refuse_extra("st_as_stars", ...)
  need_package("stars", .x, ".x")
  grid <- attr(.x, "grid")
  if (is.null(grid)) input_error(".x", "rfield", "has values at points, and no grid: sf::st_as_sf(as.data.frame(.x))")
  values <- sim_columns(.x)
  layers <- lapply(seq_len(ncol(values)), function(k) array(values[, k], grid$dims))
  d <- length(grid$dims)
  two <- lapply(seq_len(d), function(k) grid$origin[k] + 0:1 * grid$spacing[k]) # cells have a size from two on
  dimensions <- do.call(stars::st_dimensions, c(stats::setNames(two, axis_names(d)), list(cell_midpoints = TRUE)))
  for (k in seq_len(d)) dimensions[[k]]$to <- as.integer(grid$dims[k])
  crs <- attr(.x, "recipe")$space$crs
  if (is.null(crs) && !is.null(grid$crs)) crs <- sf::st_crs(grid$crs)
  if (!is.null(crs) && d > 1L) sf::st_crs(dimensions) <- crs
  stars::st_as_stars(stats::setNames(layers, colnames(values)), dimensions = dimensions)
}

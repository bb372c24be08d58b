# Regular grids.

#' Regular grids
#'
#' `rfGrid()` describes the points `origin + spacing * (i - 1)`, i from 1 to `dims`, of a line, a plane or space, for
#' [tbrf()] and other functions. The points are not stored, and a field on a grid takes less time than a field at the
#' same points in a matrix.
#'
#' @param origin coordinates of the first point; one number is taken for all axes.
#' @param spacing distances between neighbours along the axes, positive; one number is taken for all axes.
#' @param dims numbers of points along the axes: one to three whole numbers, not negative.
#' @param staggered if `TRUE`, the points are centres of cells, and component j of a vector field is known on the face
#'   of the cell half a `spacing` below, towards smaller coordinates j: see [rfVector()]. For vector fields alone.
#' @param units the unit of the coordinates, such as `"m"`, which files by [tbrf()] name.
#' @param crs the coordinate reference system of a plane, for files and for objects of package \pkg{stars}: well-known
#'   text, or with package \pkg{sf} anything that `sf::st_crs()` takes, such as `"EPSG:25832"`.
#' @param x a grid by `rfGrid()`.
#' @param row.names,optional,... not used.
#' @return An object of class `rfGrid`, a list with the components `origin`, `spacing` and `dims`, and those of
#'   `staggered`, `units` and `crs` that were given. `dim()` gives
#'   `dims`; `as.matrix()` and `as.data.frame()` give the coordinates of all points, the first axis changing fastest
#'   as in arrays.
#' @seealso [tbrf()]
#' @examples
#' grid <- rfGrid(origin = c(0, 10), spacing = 0.5, dims = c(4, 3))
#' grid
#' as.data.frame(grid)
#' @export
rfGrid <- function(origin = 0, spacing = 1, dims, staggered = FALSE, units = NULL, crs = NULL) {
  need(dims = missing(dims))
  grid <- made_grid(origin, spacing, dims, one_flag("staggered", staggered))
  if (!is.null(units) && !(is.character(units) && length(units) == 1L && !is.na(units) && nzchar(units)))
    input_error("units", units, "must be a unit of length, such as \"m\"")
  grid[c("units", "crs")] <- list(units, if (!is.null(crs)) crs_text(crs))
  same <- length(grid$dims) == 1L && grid$dims > 1L && all(c(grid$origin, grid$spacing) == grid$dims)
  if (same)
    message(sprintf("a line of %d points, with origin %d and spacing %d; %s", grid$dims, grid$dims, grid$dims,
                    sprintf("a cube is rfGrid(0, 1, c(%s))", toString(rep(grid$dims, 3L)))))
  grid
}

made_grid <- function(origin, spacing, dims, staggered = FALSE) {
  check_numbers("dims", dims, "not negative")
  if (length(dims) > 3L) input_error("dims", dims, "must have one to three elements, one for each axis")
  odd <- dims != floor(dims) | dims > .Machine$integer.max
  if (any(odd)) name_value("dims", dims, odd, "must be a whole number of points")
  check_numbers("origin", origin, "")
  check_numbers("spacing", spacing, "positive")
  d <- length(dims)
  for (p in c("origin", "spacing"))
    if (!length(get(p)) %in% c(1L, d)) {
      if (d == 1L)
        raise_engine_error("input", sprintf("dims has 1 element, %s %d: give dims for each axis", p, length(get(p))))
      input_error(p, get(p), sprintf("must have 1 or %d elements, as dims has %d", d, d))
    }
  structure(c(list(origin = rep_len(as.double(origin), d), spacing = rep_len(as.double(spacing), d),
                   dims = as.integer(dims)), if (staggered) list(staggered = TRUE)), class = "rfGrid")
}

# A coordinate reference system as well-known text, which files keep.
crs_text <- function(crs) {
  if (is.character(crs) && length(crs) == 1L && grepl("^[A-Z_]+ *\\[", crs)) return(crs)
  if (!requireNamespace("sf", quietly = TRUE))
    raise_engine_error("input", "crs: package sf, which knows it, is not installed: give well-known text")
  found <- tryCatch(suppressWarnings(sf::st_crs(crs)), error = function(e) NULL)
  if (is.null(found) || is.na(found))
    input_error("crs", crs, "is no coordinate reference system that package sf knows")
  found$wkt
}

# The name in well-known text, the first string in it.
crs_name <- function(text) {
  name <- regmatches(text, regexpr("\"[^\"]*\"", text))
  if (length(name)) gsub("\"", "", name, fixed = TRUE) else text
}

# A grid is a list that anybody may have changed.
checked_grid <- function(grid) {
  new <- made_grid(grid$origin, grid$spacing, grid$dims, isTRUE(grid$staggered))
  new[c("units", "crs")] <- list(grid$units, grid$crs)
  new
}

same_cells <- function(a, b) {
  own <- c("origin", "spacing", "dims", "staggered")
  identical(unclass(a)[intersect(own, names(a))], unclass(b)[intersect(own, names(b))])
}

grid_axes <- function(grid) Map(function(o, s, n) o + s * (seq_len(n) - 1), grid$origin, grid$spacing, grid$dims)

# Coordinates of all points of a grid with these axes, or of those with the numbers `at`.
axes_points <- function(axes, at = seq_len(prod(lengths(axes)))) {
  before <- cumprod(c(1, lengths(axes)))
  xy <- matrix(0, length(at), length(axes))
  for (j in seq_along(axes)) xy[, j] <- axes[[j]][((at - 1) %/% before[j]) %% length(axes[[j]]) + 1]
  xy
}

#' @rdname rfGrid
#' @export
dim.rfGrid <- function(x) x$dims

#' @rdname rfGrid
#' @export
as.matrix.rfGrid <- function(x, ...) {
  xy <- axes_points(grid_axes(checked_grid(x)))
  colnames(xy) <- axis_names(ncol(xy))
  xy
}

axis_names <- function(d) c("x", "y", "z")[seq_len(d)]

#' @rdname rfGrid
#' @export
as.data.frame.rfGrid <- function(x, row.names = NULL, optional = FALSE, ...)
  name_rows(as.data.frame(as.matrix(x)), row.names)

#' @rdname rfGrid
#' @export
format.rfGrid <- function(x, ...) {
  numbers <- function(v)
    if (length(unique(v)) == 1L) format(v[1L]) else sprintf("(%s)", toString(format(v, trim = TRUE)))
  points <- if (length(x$dims) == 1L) count_text(x$dims, "point")
            else paste(paste(x$dims, collapse = " x "), "points")
  sprintf("%s, origin %s, spacing %s%s", points, numbers(x$origin), numbers(x$spacing),
          if (isTRUE(x$staggered)) ", staggered" else "")
}

# Values are in the order of the grid. A matrix of all points, with a column for each field, is as good as an array,
# and so is one without axes of a single point.
check_dims <- function(name, size, dims) {
  shown <- function(n) paste(n, collapse = " x ")
  long <- dims[dims > 1L]
  if (is.null(size) || size[1L] == prod(dims) || identical(size[size > 1L][seq_along(long)], long)) return()
  raise_engine_error("input", sprintf("%s is %s, the grid %s%s", name, shown(size), shown(dims),
    if (length(dims) == 2L && identical(rev(size), dims)) sprintf(": use t(%s), or swap dims", name) else ""))
}

#' @rdname rfGrid
#' @export
print.rfGrid <- function(x, ...) {
  cat("Regular grid:", format(x), "\n")
  if (!is.null(x$units)) cat("Units: ", x$units, "\n", sep = "")
  if (!is.null(x$crs)) cat("Coordinate reference system: ", crs_name(x$crs), "\n", sep = "")
  invisible(x)
}

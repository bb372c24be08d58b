# Methods of fields and their recipes.

#' Fields at other points
#'
#' `predict()` computes the field of a recipe, or the field that a result of [tbrf()] is a part of, at any points.
#'
#' The value at a point is the same, up to rounding, whatever the other points and the class of `newdata`. On grids of
#' two or three axes the value at the same coordinates is equal in all bits. With `method = "table"` the points must
#' be in the domain of the tables, see the argument `extent` of [tbrf()], and with `method = "fft"` they must be the
#' grid itself.
#'
#' @param object a field or a recipe by [tbrf()]. Objects of other packages, as `sf`, keep their recipe as the
#'   attribute `"recipe"`: `predict(attr(z, "recipe"), newdata)`. Files do not: `terra::writeRaster()`,
#'   `sf::st_write()` and other writers lose it, and operations on such objects may. Keep it with
#'   `saveRDS(attr(z, "recipe"), file)`.
#' @param newdata points, as `x` of [tbrf()], with as many coordinates.
#' @param time of fields that change in time: the times wanted, by default those that the field was made for.
#' @param ... not used.
#' @return As [tbrf()].
#' @seealso [tbrf()]
#' @examples
#' set.seed(1)
#' field <- tbrf(rfGrid(0, 0.1, c(30, 20)), covModel("matern", range = 0.5, smoothness = 1.5))
#' predict(field, cbind(c(0.1, 0.15, 0.2), 0.3))
#' field[2:3, 4]
#' # a part of it, four times as fine
#' detail <- predict(field, rfGrid(c(1, 0.5), 0.025, c(40, 40)))
#' plot(detail)
#'
#' # a flow where it carries a point, and when
#' model <- rfVector(covModel("gaussian", range = 1))
#' flow <- tbrf(cbind(0, 0), model, correlation.time = 2, object = TRUE)
#' x <- cbind(0, 0)
#' for (t in seq(0, 1, by = 0.05)) x <- x + 0.05 * predict(flow, x, time = t)[]
#' x
#' @export
predict.rfRecipe <- function(object, newdata, time = NULL, ...) {
  refuse_extra("predict", ...)
  need(newdata = missing(newdata))
  check_recipe(object)
  if (!is.null(time)) {
    if (is.null(object$motion)) raise_engine_error("input", "time is for fields that change: that of object does not")
    object$times <- checked_times(time, object$motion)
  }
  places <- places_of(newdata, "newdata")
  check_places(object, places)
  field_of(object, places)
}

#' @rdname predict.rfRecipe
#' @export
predict.rfield <- function(object, newdata, time = NULL, ...)
  predict(attr(object, "recipe"), newdata, time = time, ...)

# A recipe is a list that anybody may have changed.
check_recipe <- function(recipe) {
  key <- recipe$key
  good <- is.numeric(key) && length(key) == 2L && all(is.finite(key) & key >= 0 & key < 2^32)
  if (!good) input_error("object", "recipe", "must be a recipe by tbrf(): its key is not two numbers below 2^32")
  whole_number("nsim", recipe$nsim)
  choice("method", recipe$method, c("spectral", "table", "fft", if (!is.null(recipe$fields)) "parts",
                                     if (!is.null(recipe$facies)) "facies"))
  if (has_inner(recipe)) for (own in inner_recipes(recipe)) check_recipe(with_key(own, recipe))
  shells <- recipe$shells
  waves <- function(n) {
    if (is.null(n)) return(0)
    if (is.numeric(n) && !anyNA(n) && all(n >= 1 & n == floor(n))) sum(n) else -1
  }
  if (!is.null(shells) && !identical(vapply(shells, waves, 1), as.double(recipe$share)))
    input_error("object", "recipe", "must be a recipe by tbrf(): its shells have not as many waves as its lines")
  checked_model(recipe$model)
  if (!is.null(recipe$vector)) do.call(rfVector, vector_arguments(c(list(model = recipe$model), recipe$vector)))
  if (!is.null(recipe$motion)) {
    if (recipe$motion$kind != "frequencies") one_number("correlation.time", recipe$motion$range, "positive")
    checked_times(recipe$times, recipe$motion)
  }
}

# New points must be in the space of the recipe, in the domain of its tables, and on its grid.
check_places <- function(recipe, places) {
  space <- recipe$space
  if (places_dim(places) != space$columns)
    raise_engine_error("input", sprintf("the points of newdata have dimension %d, the field has %d",
                                        places_dim(places), space$columns))
  if (!is.null(space$sphere)) check_places_sphere(places, "newdata")
  if (!is.null(places$crs) && !is.null(space$crs) && places$crs != space$crs)
    input_error("newdata", places$crs$input, "must have the coordinate reference system of the field")
  if (!is.null(recipe$intrinsic)) warn_of_distance(recipe, places)
  if (is.null(recipe$common) && has_inner(recipe)) for (own in inner_recipes(recipe)) check_places(own, places)
  if (isTRUE(places$staggered) && recipe$method != "fft" && !identical(places$grid$spacing, recipe$faces))
    raise_engine_error("input", paste("newdata is a staggered grid: the field must be made on one of the same",
                                      "spacing, for which its waves have no divergence"))
  if (recipe$method == "fft" && !(inherits(places$grid, "rfGrid") && same_cells(places$grid, recipe$grid)))
    raise_engine_error("input", paste("a field by method = \"fft\" is known on its own grid only:",
                                      "method = \"spectral\" has values everywhere"))
  if (recipe$method == "table" && is.null(space$sphere)) check_domain(recipe$table$box, places, "newdata")
}

# Tables end at the box: beyond, a look-up would take their last entries.
check_domain <- function(box, places, name) {
  if (places$n == 0) return(invisible())
  asked <- places_box(places)
  slack <- 1e-9 * (box[2L, ] - box[1L, ])
  out <- which(asked[1L, ] < box[1L, ] - slack | asked[2L, ] > box[2L, ] + slack)
  if (length(out))
    raise_engine_error("input", sprintf(paste(
      "coordinate %d of %s goes from %s to %s, beyond the tables of the field, from %s to %s: make it with a",
      "larger extent, or by method = \"spectral\", which has values everywhere"), out[1L], name,
      format(asked[1L, out[1L]]), format(asked[2L, out[1L]]), format(box[1L, out[1L]]), format(box[2L, out[1L]])))
}

#' Methods of random fields
#'
#' A field is the vector, matrix or array of its values with two attributes: `"recipe"`, from which the field can be
#' computed again, and `"grid"` or `"coordinates"`, its points. Indexing (also `field[]`), `t()`, comparisons and
#' replacement of values give plain values without these attributes. [image()], [mean()], [apply()] and other
#' functions treat a field as the array that it is. Arithmetic and mathematical functions of scalar fields, also of
#' several fields at the same points, give values that `plot()` and the other methods accept, but that have no model
#' and no recipe; [rfTransform()] keeps both. Predictions of [gpFit()] on a grid and fields that are simulated exactly
#' are also of this class, but cannot be computed at other points.
#'
#' The title of a plot says which field, layer, component, time or slice is shown, unless there is only one. A field
#' has no unit: `key = "height (m)"` writes one beside the colours, and `xlab = "x (m)"` below the axis.
#' Categories by `rfTransform(breaks = )` have a key with one colour and label for each. Maps have equal scales on
#' both axes, and longitudes and latitudes the aspect of their middle latitude. A slice that is more than four times
#' as long as high fills the plot without equal scales, unless `asp = 1` is given. After `plot()` returns, `points()`
#' and other functions add to the map in its coordinates.
#'
#' @param x,object a field or a recipe by [tbrf()].
#' @param digits number of significant digits.
#' @param sim number of the field to plot, by default the first; on a line, the numbers of one or more fields, by
#'   default all. For kriging and [rfSummary()], also the name of the layer, such as `"se.fit"` or `"sd"`.
#' @param slice for a grid in space: the index of the plane to plot, named by the axis that is perpendicular to it, as
#'   in `c(y = 3)`; an index without a name is along the third axis. By default the middle of that axis.
#' @param component for fields with several values at a point: the name or number of the component to plot. By default
#'   vectors are drawn as arrows over a map of their length (in space, on a slice), and of a matrix or of several
#'   variables the first one.
#' @param time for fields that change in time: one of their times; by default the first, on a line all.
#' @param palette name of a palette of [grDevices::hcl.colors()].
#' @param key the title of the colour key, with the unit, such as `"height (m)"`; `TRUE` for a key without a title
#'   (of arrows the key says that it is their length), `FALSE` for none.
#' @param row.names,optional not used.
#' @param ... for `plot()` graphical parameters, such as `main`, `zlim` or `asp`; not used by the other methods.
#' @return `summary()` gives a list with the recipe, the number, mean, variance and range of the values, the variance
#'   of the model (of fields by [rfTransform()] that of the transformed values), and the expected errors by
#'   [tbrfError()] of fields by that. `as.data.frame()` gives the coordinates, and the values as the column `value`,
#'   or `sim_1`, `sim_2`, ... for several fields; of vectors the columns `vx`, `vy` and `vz`, or `vx_sim_1` and so on;
#'   of fields in time a block of rows for each, with the column `time`.
#' @seealso [tbrf()], [predict.rfRecipe()]
#' @examples
#' set.seed(1)
#' field <- tbrf(rfGrid(0, 1, c(60, 40)), covModel("exponential", range = 10))
#' field
#' summary(field)
#' head(as.data.frame(field))
#' plot(field)
#' plot(field, key = "height (m)", xlab = "x (m)", ylab = "y (m)")
#' mean(exp(field))
#' plot(exp(field))
#' as.data.frame(field^2)[1:3, ]
#' @name rfield
NULL

plain_values <- function(x) {
  attributes(x) <- attributes(x)[intersect(names(attributes(x)), c("dim", "dimnames", "names"))]
  x
}

#' @export
`[.rfield` <- function(x, ...) plain_values(NextMethod())

# Values that were changed are not those of the recipe any more.
#' @export
`[<-.rfield` <- function(x, ..., value) {
  x <- plain_values(x)
  if (nargs() == 3L && !missing(..1) && is.numeric(..1) && any(..1 > length(x), na.rm = TRUE))
    input_error("i", max(..1, na.rm = TRUE),
                sprintf("must be at most %s, the number of values", big_count(length(x))))
  x[...] <- value
  x
}

#' @export
`[[<-.rfield` <- `[<-.rfield`

#' @export
t.rfield <- function(x) t(plain_values(x))

# Comparisons are plain values.
#' @export
Ops.rfield <- function(e1, e2) {
  if (is.list(e1)) input_error("e1", e1, "must be numbers or a field")
  if (!missing(e2) && is.list(e2)) input_error("e2", e2, "must be numbers or a field")
  value <- NextMethod()
  field <- if (inherits(e1, "rfield")) e1 else e2
  same <- missing(e2) || !inherits(e1, "rfield") || !inherits(e2, "rfield") || same_points(e1, e2)
  if (is.numeric(value) && same) function_of(value, field) else plain_values(value)
}

#' @export
Math.rfield <- function(x, ...) {
  value <- get(.Generic, mode = "function")(plain_values(x), ...) # NextMethod() would hand log10() a base
  if (startsWith(.Generic, "cum")) plain_values(value) else function_of(value, x)
}

same_points <- function(x, y)
  identical(attr(x, "grid"), attr(y, "grid")) && identical(attr(x, "coordinates"), attr(y, "coordinates"))

# Values computed from those of a field have its points, but no recipe and no model.
function_of <- function(value, field) {
  recipe <- attr(field, "recipe")
  points <- if (is.null(attr(field, "grid"))) NROW(attr(field, "coordinates")) else prod(attr(field, "grid")$dims)
  same <- !is.null(recipe) && length(value) == length(field) && identical(dim(value), dim(field)) &&
    length(field) == points * recipe$nsim
  if (!same) return(plain_values(value))
  for (name in c("grid", "coordinates")) attr(value, name) <- attr(field, name)
  attr(value, "recipe") <- structure(class = "rfValues", list(
    nsim = recipe$nsim, method = "function", layers = recipe$layers, nobs = 0, trend = FALSE, space = recipe$space))
  class(value) <- "rfield"
  value
}

# Values as a matrix with a column for each field.
sim_columns <- function(x) {
  recipe <- attr(x, "recipe")
  if (is.null(recipe)) input_error("x", class(x)[1L], "has lost its attributes: it must be a field by tbrf()")
  grid <- attr(x, "grid")
  if (!is.null(grid)) check_dims("x", dim(x), grid$dims)
  names <- if (is.null(recipe$layers)) column_names(recipe) else recipe$layers
  matrix(as.vector(x), ncol = length(names), dimnames = list(NULL, names))
}

field_points <- function(x) {
  grid <- attr(x, "grid")
  xy <- if (is.null(grid)) attr(x, "coordinates") else as.matrix(grid)
  if (is.null(colnames(xy))) colnames(xy) <- axis_names(ncol(xy))
  xy
}

#' @rdname rfield
#' @export
as.data.frame.rfield <- function(x, row.names = NULL, optional = FALSE, ...) {
  recipe <- attr(x, "recipe")
  if (!is.null(recipe$motion)) return(name_rows(times_below(x, recipe), row.names))
  table <- data.frame(field_points(x), sim_columns(x), check.names = FALSE)
  given <- if (is.matrix(x)) rownames(x) else names(x)
  if (is.null(attr(x, "grid")) && !is.null(given) && !anyDuplicated(given)) row.names(table) <- given
  name_rows(table, row.names)
}

# A block of rows for each time.
times_below <- function(x, recipe) {
  xy <- field_points(x)
  n <- nrow(xy)
  times <- length(recipe$times)
  values <- array(as.vector(x), c(n, component_number(recipe), times, recipe$nsim))
  names <- column_names(replace(recipe, "times", 0))
  values <- matrix(aperm(values, c(1L, 3L, 2L, 4L)), n * times, length(names), dimnames = list(NULL, names))
  data.frame(xy[rep(seq_len(n), times), , drop = FALSE], time = rep(recipe$times, each = n), values,
             check.names = FALSE, row.names = NULL)
}

#' @rdname rfield
#' @export
format.rfRecipe <- function(x, ...) {
  if (has_inner(x)) return(format_several(x))
  how <- switch(x$method,
    spectral = sprintf("%s, waves \"%s\", directions \"%s\"", count_text(x$nlines, "line"),
                       if (is.null(x$waves)) "spectrum" else x$waves, x$directions),
    table = sprintf("%s \"%s\", directions \"%s\"", count_text(x$nlines, "line"), x$lines, x$directions),
    fft = if (!x$periodic) "circulant embedding"
          else if (identical(x$variance, "spectrum")) "periodic, spectrum as given" else "periodic")
  sprintf("method \"%s\", %s%s", x$method, how,
          paste0(c(if (!is.null(x$data)) paste(", given", count_text(nrow(x$data$xy), "value")), transform_text(x),
                   marginal_text(x), if (!is.null(x$transfer)) ", times functions of the wave vector"),
                 collapse = ""))
}

# Of values that no recipe decides, of kriging or simulated by a matrix.
#' @export
format.rfValues <- function(x, ...)
  paste0(switch(x$method, kriging = "universal kriging", summary = paste0(count_text(x$of, "field"), x$how),
                `function` = "arithmetic or a function of fields",
                sprintf("simulation, method \"%s\"", x$method)),
         if (x$nobs > 0) paste(",", count_text(x$nobs, "observation")))

#' @export
predict.rfValues <- function(object, newdata, ...)
  raise_engine_error("input", if (object$method == "kriging")
    "values of kriging are known at their own locations: predict(fit, newdata) has them at others"
  else if (object$method == "function") "functions of fields are known at their own points: rfTransform() has others"
  else if (object$method == "summary") "summaries are known at their own locations: predict() of fields has others"
  else paste("simulated values are known at their own locations only, without a recipe: tbrf() makes fields that",
             "predict() has at others"))

#' @rdname rfield
#' @export
print.rfRecipe <- function(x, ...) {
  what <- field_text(x)
  if (x$nsim == 1L) what <- paste(if (is.null(x$derived)) "a" else "the", sub("^(.)", "\\L\\1", what, perl = TRUE))
  cat("Recipe of ", what, " on ",
      if (!is.null(x$space$sphere)) "a sphere" else c("a line", "a plane", "space")[x$space$dim], "\n", sep = "")
  print_how(x)
  cat("Key:", format(x$key, scientific = FALSE, trim = TRUE), "\n")
  invisible(x)
}

print_how <- function(recipe) {
  if (!is.null(recipe$facies)) print.rfFacies(recipe$facies)
  else if (!is.null(recipe$model)) cat("Model:", format(recipe$model), sep = "\n  ")
  if (!is.null(recipe$vector)) cat("Vectors: ", format.rfVector(recipe$vector), "\n", sep = "")
  if (!is.null(recipe$motion)) cat(motion_text(recipe), "\n", sep = "")
  cat("By ", format(recipe), "\n", sep = "")
}

#' @rdname rfield
#' @export
print.rfield <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  print_size(x)
  print_how(attr(x, "recipe"))
  if (length(x) <= 20L) print(plain_values(x), digits = digits)
  else cat("Values from", paste(format(value_ends(x), digits = digits), collapse = " to "), "\n")
  invisible(x)
}

# What the values are.
field_text <- function(recipe) {
  if (recipe$method == "kriging") return(paste("Kriging:", toString(recipe$layers)))
  if (recipe$method == "summary") return(paste("Summaries:", toString(recipe$layers)))
  if (recipe$method == "function") return(paste("Values of", count_text(recipe$nsim, "field")))
  what <- if (!is.null(recipe$facies)) "random field of categories"
          else if (is.null(recipe$vector)) "random field" else "random vector field"
  several <- if (!is.null(recipe$variables)) paste(" of", count_text(length(recipe$variables), "variable"))
  of <- if (!is.null(recipe$derived)) paste(recipe$derived, "of a")
  if (recipe$nsim == 1L)
    return(sub("^(.)", "\\U\\1", paste0(paste(c(of, what), collapse = " "), several), perl = TRUE))
  sprintf("%d %s%s", recipe$nsim, sub("field", "fields", what),
          if (!is.null(of)) paste(",", recipe$derived) else paste0("", several))
}

motion_text <- function(recipe) {
  at <- recipe$times
  range <- if (length(at) > 1L) sprintf("%d times from %s to %s", length(at), format(min(at)), format(max(at)))
           else paste("time", toString(format(at)))
  paste0("In time: ", if (recipe$motion$kind == "frequencies") "frequencies of waves"
                      else paste("amplitudes with the correlation time", format(recipe$motion$range)), "; at ", range)
}

print_size <- function(x) {
  recipe <- attr(x, "recipe")
  cat(field_text(recipe), "on",
      if (!is.null(attr(x, "grid"))) paste("a grid of", format(attr(x, "grid")))
      else paste(count_text(NROW(x), "point"), "of", count_text(recipe$space$columns, "coordinate")), "\n")
}

#' @rdname rfield
#' @export
summary.rfield <- function(object, ...) {
  refuse_extra("summary", ...)
  values <- sim_columns(object)
  table <- data.frame(mean = colMeans(values, na.rm = TRUE), variance = apply(values, 2L, stats::var, na.rm = TRUE),
                      min = apply(values, 2L, function(v) value_ends(v)[1L]),
                      max = apply(values, 2L, function(v) value_ends(v)[2L]))
  summary_of_values(attr(object, "recipe"), nrow(values), table)
}

# With the table of the values of n points.
summary_of_values <- function(recipe, n, table) {
  model <- if (recipe$method != "summary") model_of_values(recipe)
  lines <- inherits(recipe, "rfRecipe") && is_plain(recipe) && recipe$method != "fft" &&
    is.null(recipe$intrinsic) && is.null(recipe$data) && is.null(recipe$transform) && is.null(recipe$facies)
  structure(list(recipe = recipe, n = n, values = table,
                 variance = if (!is.null(model) && !has_intrinsic(model) && !is_several(model))
                   variance_of_values(model),
                 box = if (inherits(recipe, "rfRecipe") && isTRUE(recipe$periodic)) box_shares(recipe),
                 clip = if (inherits(recipe, "rfRecipe") && !is.null(recipe$marginal$clip)) clip_report(recipe),
                 error = if (lines) tbrfError(recipe)), class = "summary.rfield")
}

# The least and the largest value; NA where all are missing.
value_ends <- function(v) if (all(is.na(v))) c(NA_real_, NA_real_) else range(v, na.rm = TRUE)

variance_of_values <- function(model)
  if (is.null(model$transform)) model_variance(model) else transformed_variance(model$transform)

#' @rdname rfield
#' @param max.sims number of fields of which mean, variance and range are printed.
#' @export
print.summary.rfield <- function(x, digits = max(3L, getOption("digits") - 3L), max.sims = 6L, ...) {
  digits <- print_digits(digits)
  max.sims <- check_rows("max.sims", max.sims)
  cat(field_text(x$recipe), "at", count_text(x$n, "point"), "\n")
  print_how(x$recipe)
  if (!is.null(x$variance))
    cat(paste0("Variance of the model", transform_text(x$recipe), ": ", format(x$variance, digits = digits), "\n"))
  print(utils::head(x$values, max.sims), digits = digits)
  if (!is.null(x$box)) print_box(x$box, x$recipe, digits)
  if (!is.null(x$clip)) print_clip(x$clip, digits)
  if (!is.null(x$error)) {
    cat("Expected error of the covariance of a field:\n")
    print(x$error[c("distance", "error")], digits = digits, row.names = FALSE)
  }
  invisible(x)
}

# A field whose values are not those of a recipe; `trend`: they have a mean besides that of the model.
as_rfield <- function(values, new, model, metric, method, nobs, trend) {
  layers <- colnames(values)
  recipe <- structure(class = "rfValues", list(
    model = model, nsim = length(layers), method = method, layers = layers, nobs = nobs, trend = trend,
    space = list(columns = ncol(new$xy), dim = metric$dim, sphere = if (metric$kind != "euclidean") metric$radius)))
  own <- value_dims(recipe, list(n = nrow(values), dims = new$grid$dims, names = new$names))
  if (length(layers) > 1L && method %in% c("kriging", "summary"))
    own$dimnames <- c(rep(list(NULL), length(own$dim) - 1L), list(layers))
  attributes(values) <- c(own, if (is.null(new$grid)) list(coordinates = new$xy) else list(grid = new$grid),
                          list(recipe = recipe, class = "rfield"))
  values
}

with_row_names <- function(values, names) {
  if (is.matrix(values)) rownames(values) <- names else names(values) <- names
  values
}

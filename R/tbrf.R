#' @export
tbrf <- function(x, model, nlines = 1000, nsim = 1, method = c("auto", "spectral", "table", "fft"),
                 lines = c("circulant", "powerlaw", "pulse"),
                 directions = c("lowdiscrepancy", "halton", "fibonacci"), ..., step = NULL, extent = NULL, rate = 20,
                 periodic = FALSE, max.table = 2e9, object = FALSE) {
  refuse_extra("tbrf", ...)
  need(x = missing(x), model = missing(model))
  if (!inherits(model, "covModel")) input_error("model", class(model)[1L], "must be a model by covModel()")
  object <- one_flag("object", object)
  places <- places_of(x, "x")
  settings <- list(method = choice("method", method, eval(formals(tbrf)$method)),
                   lines = choice("lines", lines, eval(formals(tbrf)$lines)),
                   directions = choice("directions", directions, eval(formals(tbrf)$directions)),
                   step = step, extent = extent, rate = rate, periodic = one_flag("periodic", periodic), max.table = max.table)
  recipe <- new_recipe(places, checked_model(model), nlines, whole_number("nsim", nsim), settings)
  if (object || places$n > 0) recipe$key <- new_key()
  if (object) recipe else field_of(recipe, places)
}

refuse_extra <- function(f, ...) {
  if (!...length()) return(invisible())
  name <- c(names(list(...)), "")[1L]
  raise_engine_error("input", if (nzchar(name)) sprintf("%s() has no argument %s", f, name)
                              else sprintf("%s() takes what comes after its first arguments by name only", f))
}

whole_number <- function(name, value) {
  check_numbers(name, value, "positive")
  if (length(value) != 1L || value != floor(value) || value > .Machine$integer.max)
    input_error(name, value, "must be a positive whole number")
  as.integer(value)
}

# Everything that decides a field but its key and the points.
new_recipe <- function(places, model, nlines, nsim, settings) {
  space <- space_of(places, model)
  recipe <- structure(list(model = model, space = space, nsim = nsim), class = "rfRecipe")
  recipe$method <- chosen_method(settings$method, model, space$dim)
  recipe$law <- vapply(model_parts(model), law_dimension, 1L, space$dim, recipe$method)
  check_numbers("max.table", settings$max.table, "positive")
  if (recipe$method == "fft") return(fft_recipe(recipe, places, settings))
  if (settings$periodic) input_error("periodic", TRUE, "is for method = \"fft\"")
  recipe <- with_lines(recipe, nlines, settings$directions)
  if (recipe$method == "table") table_recipe(recipe, places, settings) else recipe
}

# Waves, unless the radius of a random one has no quantile function.
chosen_method <- function(method, model, dim) {
  if (method != "auto") return(method)
  parts <- model_parts(model)
  laws <- vapply(parts, law_dimension, 1L, dim, "spectral")
  drawn <- mapply(function(part, law) tryCatch(is.finite(cov_radius(part, 0.5, law)),
                                               statcl_error_input = function(e) FALSE), parts, laws)
  if (all(drawn)) "spectral" else "table"
}

with_lines <- function(recipe, nlines, directions) {
  recipe$directions <- directions
  check_numbers("nlines", nlines, "positive")
  if (length(nlines) != 1L) input_error("nlines", nlines, "must be a single number")
  if (nlines < 1) return(enough_lines(recipe, nlines))
  share_lines(recipe, whole_number("nlines", nlines))
}

# The space of a field: `columns` of the coordinates, `dim` of the space that waves are in, and for points on a
# sphere its radius, where waves go straight through.
space_of <- function(places, model) {
  columns <- places_dim(places)
  if (model$distance == "given")
    input_error("distance", "given", "has no fields: the model must say how distances of points are measured")
  kind <- distance_kind(model$distance, places$geographic)
  if (kind == "greatcircle")
    input_error("distance", kind, "has no waves: use \"chordal\", the distance through the sphere")
  for (p in model_parts(model)) check_isotropy(p, kind)
  if (kind == "euclidean") return(list(columns = columns, dim = columns, crs = places$crs))
  check_places_sphere(places, "x")
  list(columns = 2L, dim = 3L, sphere = model$radius, crs = places$crs)
}

# The dimension whose spectrum the waves of a part are drawn from: that of the points, if the model is valid there.
# Waves of space serve a line; those of the plane do where the model is valid only there. Tables have the line
# covariance of space in closed form for all models, so that they prefer space.
law_dimension <- function(part, dim, method) {
  wanted <- switch(method, spectral = if (dim == 1L) 3:2 else dim, table = if (dim < 3L) 3:2 else 3L, fft = dim)
  reasons <- lapply(wanted, function(d) cov_valid(part, d))
  good <- vapply(reasons, isTRUE, NA)
  if (!any(good)) raise_engine_error("input", sprintf("the model is not valid for these points: %s", reasons[[1L]]))
  as.integer(wanted[good][1L])
}

# The values of a recipe at places, in the class that belongs to these.
field_of <- function(recipe, places) {
  value <- field_values(recipe, places)
  if (!is.null(places$back)) {
    dim(value) <- c(places$n, recipe$nsim)
    colnames(value) <- paste0("sim", seq_len(recipe$nsim))
    value <- places$back(value)
    attr(value, "recipe") <- recipe
    return(value)
  }
  if (!is.null(places$dims)) {
    dim(value) <- c(places$dims, if (recipe$nsim > 1L) recipe$nsim)
    attr(value, "grid") <- places$grid
  } else {
    if (!is.null(places$names)) {
      if (recipe$nsim > 1L) rownames(value) <- places$names else names(value) <- places$names
    }
    attr(value, "coordinates") <- places$xy
  }
  attr(value, "recipe") <- recipe
  class(value) <- "rfield"
  value
}

# A vector, or a matrix with a column for each of several fields.
field_values <- function(recipe, places) {
  if (places$n == 0) return(if (recipe$nsim == 1L) numeric() else matrix(0, 0L, recipe$nsim))
  field <- switch(recipe$method, spectral = spectral_field, table = table_field, fft = fft_field)(recipe, places)
  one <- function(sim) with_mean(with_nugget(field(sim), recipe, places, sim), recipe, places)
  if (recipe$nsim == 1L) return(one(1L))
  value <- matrix(0, places$n, recipe$nsim)
  for (sim in seq_len(recipe$nsim)) value[, sim] <- one(sim)
  value
}

# Field number sim as a function of sim.
spectral_field <- function(recipe, places) {
  xy <- if (!is.null(recipe$space$sphere)) sphere_points(places_points(places), recipe$space$sphere)
        else if (is.null(places$axes)) places$xy
  function(sim) {
    waves <- recipe_lines(recipe, sim)
    if (!length(waves$phase)) return(numeric(places$n))
    if (is.null(xy)) .Call(C_bandGrid, places$axes, waves$k, waves$phase, waves$amplitude)
    else .Call(C_bandPoints, xy, waves$k, waves$phase, waves$amplitude)
  }
}

# Adds a function of the coordinates in blocks of points: a mesh has no coordinates that are stored.
in_blocks <- function(value, places, change) {
  for (first in seq(1, length(value), by = 1e6)) {
    at <- first:min(first + 1e6 - 1, length(value))
    value[at] <- value[at] + change(places_points(places, at))
  }
  value
}

# The noise of a point depends on its coordinates only: the same at the same place, in whatever set of points.
with_nugget <- function(value, recipe, places, sim) {
  nugget <- sum(vapply(model_parts(recipe$model), function(part) part$nugget, 1))
  if (nugget == 0) return(value)
  key <- floor(uniforms_for(field_key(recipe$key, sim), 0L)("nugget", 2) * 2^32)
  in_blocks(value, places, function(xy) sqrt(nugget) * .Call(C_bandNoise, xy, key))
}

with_mean <- function(value, recipe, places) {
  mean <- recipe$model$mean
  if (is.function(mean)) in_blocks(value, places, function(xy) drift_at(mean, xy))
  else if (mean != 0) value + mean
  else value
}

drift_at <- function(mean, xy) {
  colnames(xy) <- axis_names(ncol(xy))
  drift <- mean(xy)
  if (!is.numeric(drift) || length(drift) != nrow(xy))
    raise_engine_error("input", sprintf("mean must give a number for each point: it gave %d for %d points",
                                        length(drift), nrow(xy)))
  as.double(drift)
}

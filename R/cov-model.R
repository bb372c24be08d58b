#' Covariance models
#'
#' A covariance function with its parameters and its way to measure distances, as one object; the functions for
#' random fields take it.
#'
#' There is one model so far, `"matern"`, with the arguments of [matern()]. That page describes them in full, in its
#' sections on distances, nugget, anisotropy and the sphere. Here each parameter is a single number.
#'
#' A model is a plain list: it can be saved, and sent to other R processes. `update()` changes some of its arguments;
#' a model whose components were changed by hand is checked again wherever it is used.
#'
#' @param name name of the model: `"matern"`.
#' @inheritParams matern
#' @param ... for `update()` the arguments to change, by name; for the other functions none.
#' @return An object of class `covModel`: a list with the components `name`, `variance`, `range`, `smoothness`,
#'   `nugget`, `scaling`, `distance`, `angle`, `ratio`, `scales` and `radius`.
#' @seealso [covariance()], [plot.covModel()], [matern()]
#' @examples
#' model <- covModel("matern", range = 2, smoothness = 1.5, variance = 3, nugget = 0.1)
#' model
#' covariance(model, c(0, 1, 2, 5))
#' update(model, range = 3, nugget = 0)
#' plot(model)
#' @export
covModel <- function(name, range, smoothness, variance = 1, ..., nugget = 0,
                     scaling = c("plain", "sqrt2nu", "sqrt8nu"),
                     distance = c("auto", "euclidean", "chordal", "greatcircle", "given"), angle = 0, ratio = 1,
                     scales = NULL, radius = 6371) {
  refuse_others("covModel", ...)
  need(name = missing(name), range = missing(range), smoothness = missing(smoothness))
  if (!is.character(name) || length(name) != 1L || !name %in% known_models)
    input_error("name", name, paste("must be the name of a model, one of", toString(dQuote(known_models, FALSE))))
  model <- matern_model(range, smoothness, variance, nugget, scaling, distance, angle, ratio, scales, radius)
  for (p in matern_parameters) {
    if (length(model[[p]]) != 1L)
      input_error(p, model[[p]], "must be a single number in a model (matern() takes more)")
    model[[p]] <- as.double(model[[p]])
  }
  structure(model, class = "covModel")
}

# A model is a list that anybody may have changed.
checked_model <- function(model) do.call(covModel, unclass(model))

known_models <- "matern"
matern_parameters <- c("smoothness", "range", "variance", "nugget") # in the order of the engine

need <- function(...) {
  absent <- c(...)
  if (any(absent)) raise_engine_error("input", paste(names(which(absent))[1L], "is missing"))
}

# nugget and what follows it stand after the dots, so that nu is not taken for an abbreviation of nugget.
refuse_others <- function(f, ...) {
  if (!...length()) return(invisible())
  name <- c(names(list(...)), "")[1L]
  if (!nzchar(name))
    raise_engine_error("input", sprintf("%s() takes nugget, and what comes after it, by name only", f))
  here <- c(nu = "smoothness", kappa = "smoothness", extra = "smoothness", aRange = "range", theta = "range",
            scale = "range", sill = "variance", psill = "variance")
  raise_engine_error("input", sprintf("%s() has no argument %s%s", f, name, if (name %in% names(here))
    sprintf(": it is called %s here", here[[name]]) else ""))
}

# The parameters and choices of a Matern model, checked; the parameters may be vectors.
matern_model <- function(range, smoothness, variance, nugget, scaling, distance, angle, ratio, scales, radius) {
  model <- list(name = "matern", variance = variance, range = range, smoothness = smoothness, nugget = nugget,
                scaling = choice("scaling", scaling, eval(formals(covModel)$scaling)),
                distance = choice("distance", distance, eval(formals(covModel)$distance)),
                angle = angle, ratio = ratio, scales = scales, radius = radius)
  for (p in c("range", "smoothness")) check_numbers(p, model[[p]], "positive")
  for (p in c("variance", "nugget")) check_numbers(p, model[[p]], "not negative")
  for (p in c("angle", "ratio", "radius"))
    if (length(model[[p]]) != 1L) input_error(p, model[[p]], "must be a single number")
  check_numbers("angle", angle, "")
  check_numbers("ratio", ratio, "positive")
  check_numbers("radius", radius, "positive")
  if (ratio > 1) input_error("ratio", ratio, "must be at most 1: range is along the major axis")
  if (!is.null(scales)) check_numbers("scales", scales, "positive")
  check_combination(model)
  for (p in matern_parameters) model[[p]] <- stats::setNames(as.double(model[[p]]), names(model[[p]]))
  for (p in c("angle", "ratio", "radius")) model[[p]] <- as.double(model[[p]])
  if (!is.null(scales)) model$scales <- as.double(scales)
  model
}

check_combination <- function(model) {
  large <- model$smoothness >= 1e15
  if (any(large)) name_value("smoothness", model$smoothness, large, "must be below 1e15")
  if (!is.null(model$scales) && model$ratio != 1)
    input_error("ratio", model$ratio, "cannot be used together with scales")
  check_isotropy(model, model$distance)
  bad <- model$smoothness > 0.5
  if (model$distance == "greatcircle" && any(bad))
    name_value("smoothness", model$smoothness, bad, paste(
      "must be at most 1/2 for distance = \"greatcircle\": beyond, the function is not positive definite on the",
      "sphere (Gneiting 2013); distance = \"chordal\" takes every smoothness"))
}

check_isotropy <- function(model, kind)
  if (is_anisotropic(model) && kind %in% c("chordal", "greatcircle", "given"))
    input_error("distance", kind, "has no anisotropy: ratio and scales are for Euclidean distances")

choice <- function(name, value, choices) {
  if (identical(value, choices)) return(choices[1L])
  i <- if (is.character(value) && length(value) == 1L) pmatch(value, choices, 0L) else 0L
  if (i == 0L) input_error(name, value, paste("must be one of", toString(dQuote(choices, FALSE))))
  choices[i]
}

check_numbers <- function(name, value, sign) {
  refuse_units(name, value)
  if (is.character(value)) value <- dQuote(value, FALSE)
  if (is.logical(value) && all(is.na(value))) value <- as.double(value)
  if (!is.numeric(value)) input_error(name, value, paste("must be numeric, not", class(value)[1L]))
  if (!length(value)) raise_engine_error("input", paste(name, "has length 0"))
  bad <- !is.finite(value) | switch(sign, positive = value <= 0, "not negative" = value < 0, FALSE)
  if (any(bad)) name_value(name, value, bad, paste0("must be finite", if (nzchar(sign)) " and ", sign))
}

# An error that names the first bad element of a parameter, or the parameter if it has one value only.
name_value <- function(name, value, bad, what) {
  if (length(value) == 1L) input_error(name, value, what)
  element_error(name, value, bad, paste(name, what))
}

#' Covariances of a model
#'
#' The covariances that a model gives at distances, among points, or between two sets of points.
#'
#' What `x` and `y` may be, and where the nugget is added, is the same as for [matern()], which computes the same
#' values and has sections on both.
#'
#' @param model a model by [covModel()].
#' @param x distances, or points: see the section on distances or coordinates of [matern()].
#' @inheritParams matern
#' @param ... arguments of methods.
#' @return A vector, matrix or array, as [matern()] gives.
#' @seealso [covModel()]
#' @examples
#' model <- covModel("matern", range = 100, smoothness = 0.5, distance = "greatcircle")
#' epicentres <- head(datasets::quakes[, c("long", "lat")])
#' covariance(model, epicentres)
#' covariance(model, c(0, 100, 200), deriv = "range")
#' @export
covariance <- function(model, x, y = NULL, ...) UseMethod("covariance")

#' @rdname covariance
#' @export
covariance.covModel <- function(model, x, y = NULL, deriv = c("none", "range", "smoothness"), ...) {
  if (...length()) raise_engine_error("input", "covariance() takes model, x, y and deriv only")
  need(x = missing(x))
  covariance_of(checked_model(model), x, y, deriv)
}

# What matern() and covariance() compute; the parameters of model may be vectors.
covariance_of <- function(model, x, y, deriv) {
  deriv <- choice("deriv", deriv, eval(formals(covariance.covModel)$deriv))
  how <- list(parameters = parameter_sets(model), deriv = match(deriv, c("none", "range", "smoothness")) - 1L,
              scaling = match(model$scaling, c("plain", "sqrt2nu", "sqrt8nu")) - 1L)
  refuse_foreign("x", x)
  refuse_foreign("y", y)
  if (has_points(x, model)) covariance_matrix(model, how, x, y) else covariance_vector(model, how, x, y)
}

# A matrix with a row for each set of parameters, with the names that one of them has.
parameter_sets <- function(model) {
  lengths <- lengths(model[matern_parameters])
  sets <- max(lengths)
  odd <- which(sets %% lengths != 0L)
  if (length(odd))
    raise_engine_error("input", sprintf("%s has length %d, which does not divide that of %s, %d",
                                        matern_parameters[odd[1L]], lengths[odd[1L]],
                                        matern_parameters[which.max(lengths)], sets))
  names <- lapply(model[matern_parameters], names)[lengths == sets]
  matrix(unlist(lapply(model[matern_parameters], rep_len, sets)), nrow = sets,
         dimnames = list(Find(Negate(is.null), names), NULL))
}

covariance_vector <- function(model, how, x, y) {
  if (is.data.frame(x)) {
    names <- given_row_names(x)
    x <- table_points(x, "x")
    rownames(x) <- names
  }
  if (!is.numeric(x) && !is.logical(x)) input_error("x", class(x)[1L], "must be distances or coordinates")
  if (!is.null(y)) input_error("y", class(y)[1L], "must be NULL: x has distances, not coordinates")
  if (is_anisotropic(model))
    raise_engine_error("input", "x has distances, which have no direction: ratio and scales need coordinates")
  r <- if (is.double(x)) x else as.double(x)
  value <- .Call(C_matern, r, how$parameters[, 1:3, drop = FALSE], how$deriv, how$scaling)
  if (anyNA(value) && any(is.nan(value) & !is.na(r))) warning(simpleWarning("NaNs produced", user_call()))
  sets <- nrow(how$parameters)
  if (sets == 1L) {
    attributes(value) <- attributes(x)
    return(value)
  }
  if (is.matrix(x)) return(array(value, c(dim(x), sets), slice_names(dimnames(x), how)))
  matrix(value, ncol = sets, dimnames = slice_names(list(names(x)), how))
}

slice_names <- function(names, how) {
  if (!length(names)) names <- list(NULL, NULL)
  if (nrow(how$parameters) > 1L) names <- c(names, list(rownames(how$parameters)))
  if (!all(vapply(names, is.null, NA))) names
}

covariance_matrix <- function(model, how, x, y) {
  a <- points_of(x, "x", model)
  b <- if (!is.null(y)) points_of(y, "y", model)
  question_points(x, a$xy, model)
  metric <- metric_of(model, a, b)
  columns <- if (is.null(b)) a else b
  sets <- nrow(how$parameters)
  size <- c(nrow(a$xy), nrow(columns$xy), if (sets > 1L) sets)
  value <- if (all(size > 0L))
    .Call(C_maternMatrix, a$xy, b$xy, metric$kind, metric$transform, metric$radius, how$parameters, how$deriv,
          how$scaling)
  else array(0, size)
  dimnames(value) <- slice_names(list(a$names, columns$names), how)
  value
}

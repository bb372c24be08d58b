# Covariances of a model at distances and among points.

#' Covariances of a model
#'
#' The covariances of a model at distances, among points, or between two sets of points, with derivatives with respect
#' to its parameters.
#'
#' The covariances of a sum are the sums of those of its parts. [matern()] has sections on what `x` and `y` may be,
#' and on where the nugget is added, which hold here as well.
#'
#' `deriv` is the name of a parameter, from the section on names of parameters of [covModel()]. Derivatives by `angle`
#' are per degree; those by `angle`, `ratio` and elements of `scales` need coordinates.
#'
#' Errors, beside what the rounding of a distance costs: covariances are within 16 eps of the variance (`eps =
#' .Machine$double.eps`), derivatives within 1e-12 of the largest value of that derivative. `"matern"` and positive
#' families with a closed form have small relative errors, as stated for [matern()]. Exceptions are `"wendland"`,
#' with half an eps more for each unit of shape plus smoothness, and derivatives for both as stated while their sum
#' is at most 100; `"powerlaw"` with `kmax` below 1.0001 `kmin`, whose derivatives lose digits far out; and functions
#' of the user, see [covModel()]. For models of space and time, extreme parameters for which no table can be made (a
#' smoothness of hundreds, ranges very far from the distances) are an error.
#'
#' @param model a model by [covModel()].
#' @param x distances, or points: see the section on distances or coordinates of [matern()]. An [rfGrid()] stands for
#'   its points, also as `y`. Where parameters follow covariates, a data frame with these: see [covModel()].
#' @inheritParams matern
#' @param deriv `"none"`, or the name of the parameter with respect to which the derivative is taken.
#' @param error.variance known variances of the errors of the observations, one for each row of `x` or one for all:
#'   they are added to the diagonal of the matrix of `x` with itself, as the nugget is, and have no derivatives.
#'   `NULL` for none, and for distances or with `y`.
#' @param file `NULL`, or the name of a file that the matrix is written to, for those that are larger than memory. An
#'   existing file of this name is overwritten.
#' @param ... arguments of methods.
#' @return A vector, matrix or array, as [matern()] gives; with `file` a [covFile].
#' @seealso [covModel()]
#' @examples
#' model <- covModel("matern", range = 100, smoothness = 0.5, distance = "greatcircle")
#' epicentres <- head(datasets::quakes[, c("long", "lat")])
#' covariance(model, epicentres)
#' covariance(model, c(0, 100, 200), deriv = "range")
#' two <- covModel("matern", range = 1, smoothness = 1.5) +
#'   covModel("gaussian", range = 5, ratio = 0.5)
#' covariance(two, cbind(0:2, 0), deriv = "ratio.2")
#' covariance(two, cbind(0:2, 0), error.variance = c(0.1, 0.1, 0.4))
#'
#' # simple kriging step by step: depths of epicentres minus their average, at two new locations
#' epicentres <- datasets::quakes[1:50, ]
#' depth <- epicentres$depth - mean(epicentres$depth)
#' sites <- epicentres[, c("long", "lat")]
#' new <- cbind(long = c(180, 182), lat = c(-20, -18))
#' model <- covModel("exponential", range = 300, variance = 4e4, nugget = 2e3, distance = "chordal")
#' root <- chol(covariance(model, sites)) # the nugget is on the diagonal
#' cross <- backsolve(root, covariance(model, sites, new), transpose = TRUE)
#' mean(epicentres$depth) + drop(crossprod(cross, backsolve(root, depth, transpose = TRUE)))
#' sqrt(4e4 - colSums(cross^2)) # standard errors
#'
#' # the log-likelihood, and its gradient from derivatives
#' -sum(log(diag(root))) - sum(backsolve(root, depth, transpose = TRUE)^2) / 2 - 25 * log(2 * pi)
#' inverse <- chol2inv(root)
#' weights <- inverse %*% depth
#' vapply(c("variance", "range", "nugget"), function(p) {
#'   slope <- covariance(model, sites, deriv = p)
#'   (sum(weights * (slope %*% weights)) - sum(inverse * slope)) / 2
#' }, 0)
#' @export
covariance <- function(model, x, y = NULL, ...) {
  need(model = missing(model))
  UseMethod("covariance")
}

#' @rdname covariance
#' @export
covariance.covModel <- function(model, x, y = NULL, deriv = "none", error.variance = NULL, file = NULL, ...) {
  refuse_extra("covariance", ...)
  need(x = missing(x))
  covariance_of(checked_model(model), x, y, deriv, error.variance, file)
}

#' @export
covariance.default <- function(model, x, y = NULL, ...) {
  if (!missing(x) && inherits(x, "covModel"))
    raise_engine_error("input", "model is the first argument and x the second: they are exchanged")
  name <- is.character(model) && length(model) == 1L
  input_error("model", if (name) model else class(model)[1L], paste0("must be a model by covModel()", if (name)
    sprintf(", as covModel(\"%s\", range = 1)", model)))
}

# What matern() and covariance() compute; the parameters of a Matern model may be vectors. Lists without a class are
# read several times as fast.
covariance_of <- function(model, x, y, deriv, error = NULL, file = NULL) {
  if (!is.null(file)) check_path(file)
  if (!is.character(deriv) || length(deriv) != 1L || is.na(deriv))
    input_error("deriv", deriv, "must be \"none\" or the name of a parameter")
  model <- unclass(model)
  parts <- if (is_sum(model)) lapply(model$parts, unclass) else list(model)
  refuse_foreign("x", x)
  refuse_foreign("y", y)
  among <- families[[model$name]]$among
  if (!is.null(file) && (!is.null(among) || !has_points(x, model)))
    input_error("file", file, "is for the matrix of one variable among points")
  if (!is.null(among)) return(among(model, x, y, deriv, error))
  if (model$distance != "given") {
    if (inherits(x, "rfGrid")) x <- as.matrix(x)
    if (inherits(y, "rfGrid")) y <- as.matrix(y)
  }
  if (!has_points(x, model)) {
    if (!is.null(error)) raise_engine_error("input", "error.variance is for a matrix among points: x has distances")
    return(covariance_vector(parts, x, y, deriv))
  }
  a <- points_of(x, "x", model)
  b <- if (!is.null(y)) points_of(y, "y", model)
  question_points(x, a$xy, parts[[1L]], has_time(parts))
  sets <- set_names(model)
  own <- own_errors(error, nrow(a$xy), y)
  diagonal <- if (is.null(b)) diagonal_of(parts, deriv, own)
  if (!is.null(file)) return(covariance_file(parts, a, b, deriv, diagonal, file))
  value <- whole_matrix(nrow(a$xy), nrow((if (is.null(b)) a else b)$xy), max(lengths(model[matern_parameters]), 1L),
                        covariance_matrix(parts, a, b, deriv, diagonal))
  names <- slice_names(list(a$names, if (is.null(b)) a$names else b$names), sets)
  if (!is.null(names)) dimnames(value) <- names
  value
}

# A matrix larger than the memory there is, is an error before it is computed, or where nobody tells, after.
whole_matrix <- function(rows, columns, sets, matrix) {
  need <- 8e-9 * rows * columns * sets
  if (need <= 0.1) return(matrix)
  free <- free_gigabytes()
  refuse <- function() raise_engine_error("memory", sprintf(
    paste("the covariances of %s with %s take %.1f GB of memory%s: covariance(file = ) writes them to a file, x and",
          "y may be some of the points at a time, and tbrf() and gpFit(method = \"vecchia\") need no such matrix"),
    count_text(rows, "point"), count_text(columns, "point"), need,
    if (is.finite(free)) sprintf(", and %.1f GB are available", free) else ""))
  if (need > free) refuse()
  tryCatch(matrix, error = function(e) if (is_out_of_memory(e)) refuse() else stop(e))
}

# The matrix for points a and b, or among points a where b is NULL.
covariance_matrix <- function(parts, a, b, deriv, diagonal = NULL) {
  metric <- metric_of(parts, a, b)
  want <- want_of(parts, deriv, metric$dim)
  maps <- if (metric$kind == "euclidean") lapply(parts, anisotropy, metric$dim, want[[1L]] == "map")
  .Call(C_covarianceMatrix, engine_among(a$xy, b$xy, metric, engine_parts(parts, maps)), list(want), diagonal)
}

# The names of several sets of parameters, which only a Matern model on its own has, as a list; NULL for one set.
set_names <- function(part) {
  lengths <- lengths(part[matern_parameters])
  sets <- max(lengths)
  if (sets < 2L) return(NULL)
  odd <- which(sets %% lengths != 0L)
  if (length(odd))
    raise_engine_error("input", sprintf("%s has length %d, which does not divide that of %s, %d",
                                        matern_parameters[odd[1L]], lengths[odd[1L]],
                                        matern_parameters[which.max(lengths)], sets))
  list(Find(Negate(is.null), lapply(part[matern_parameters], names)[lengths == sets]))
}

slice_names <- function(names, sets) {
  if (is.null(sets) && is.null(names[[1L]]) && is.null(names[[2L]])) return(NULL)
  names <- c(if (length(names)) names else list(NULL, NULL), sets)
  if (!all(vapply(names, is.null, NA))) names
}

covariance_vector <- function(parts, x, y, deriv) {
  if (is.data.frame(x)) {
    names <- given_row_names(x)
    x <- table_points(x, "x")
    rownames(x) <- names
  }
  if (!is.numeric(x) && !is.logical(x)) input_error("x", class(x)[1L], "must be distances or coordinates")
  if (!is.null(y)) input_error("y", class(y)[1L], "must be NULL: x has distances, not coordinates")
  for (part in parts) if (is_anisotropic(part))
    raise_engine_error("input", "x has distances, which have no direction: ratio and scales need coordinates")
  names <- set_names(parts[[1L]])
  x <- plain_numbers(x)
  r <- if (is.double(x)) x else as.double(x)
  if (has_time(parts)) raise_engine_error("input", "x has distances: a model of space and time needs coordinates")
  value <- .Call(C_covariance, r, engine_parts(parts), list(want_of(parts, deriv)))
  if (anyNA(value) && any(is.nan(value) & !is.na(r))) warn("NaNs produced")
  if (is.null(names)) {
    attributes(value) <- attributes(x)
    return(value)
  }
  sets <- max(lengths(parts[[1L]][matern_parameters]))
  if (is.matrix(x)) return(array(value, c(dim(x), sets), slice_names(dimnames(x), names)))
  matrix(value, ncol = sets, dimnames = slice_names(list(names(x)), names))
}

# What the diagonal of the matrix of observations has besides, for each set of parameters; with known variances of
# errors, of which there is one set, for each point; NULL: nothing.
diagonal_of <- function(parts, deriv, own = NULL) {
  if (deriv != "none") {
    known <- parameter_names(parts)
    return(if (deriv %in% known$name[known$base == "nugget"]) 1) # want_of() judges the name
  }
  nugget <- 0
  for (part in parts) nugget <- nugget + part$nugget
  if (length(own)) matrix(nugget + own) else if (any(nugget > 0)) as.double(nugget)
}

# Known variances of the errors at n points of x; `within` is what messages call both in, if they are not arguments.
own_errors <- function(error, n, y = NULL, within = "") {
  if (is.null(error)) return(NULL)
  if (!is.null(y))
    raise_engine_error("input", "error.variance is for the matrix of x with itself: y must be NULL")
  name <- paste0(within, "error.variance")
  check_numbers(name, error, "not negative")
  if (!length(error) %in% c(1L, n))
    raise_engine_error("input", sprintf("%s has length %d: %sx has %.0f points", name, length(error), within, n))
  rep_len(as.double(error), n)
}

# Likelihoods of Gaussian processes by a Cholesky factor in packed tiles (src/dense), half the memory of a matrix.

#' Log likelihood of a Gaussian process
#'
#' The logarithm of the density of `y`, normal with a mean of `X %*% beta` and the covariance of `model` among the
#' points `x`, with or without its gradient. Use it with an optimiser or a prior of one's own; [gpFit()] maximises it.
#'
#' With `S` the covariance matrix of the n observations and r their distance from the mean, it is `-(n log(2 pi) +
#' log det S + r' inv(S) r) / 2`. Without `X` the mean is that of the model. With `X`, which is added to that, the
#' coefficients are those of generalised least squares: the value is the maximum over all `beta` (`"ML"`), or the
#' restricted likelihood (`"REML"`), with n - p for n and `log det(X' inv(S) X)` added to `log det S`: to compare
#' models by it they need the same `X`.
#'
#' The matrix takes `4 n^2` bytes in packed tiles, and its inverse for the gradient overwrites it; matrices of
#' derivatives are never made. Interrupts end a call between columns of tiles. If there is not enough memory, the
#' error is of class `statcl_error_memory`, and on Linux it comes before anything is computed. `options(statcl.blas =
#' "R")` uses R's LAPACK instead, see [statcl-options]. Factor and inverse are computed on an OpenCL device in use,
#' see [useDevice()], where it has double precision and room for the tiles, else on the CPU.
#'
#' A matrix that is not positive definite to working precision gives `-Inf` (and a gradient of `NaN`), with a warning
#' that names the first location where that shows and the one that is nearest to it by covariance. Nothing is added to
#' the diagonal: choose a nugget, or a smaller smoothness or range. Where observations are so far from the mean that
#' the value overflows, it is `-Inf` with a gradient of `NaN`, too.
#'
#' @inheritParams covariance
#' @param x locations of the observations, as for [covariance()].
#' @param y numeric vector of the observations, one for each location.
#' @param X `NULL`, or a numeric matrix with a row for each location, of full rank: the covariates of the mean; a
#'   vector is one column.
#' @param estimator `"ML"` or `"REML"`; without `X` they are the same.
#' @param error.variance known variances of the errors of `y`, one for each or one for all, or `NULL`.
#' @param gradient `TRUE` for the derivatives with respect to all parameters of the model, named as `deriv` of
#'   [covariance()] takes them; `angle` and `ratio` are among them for points in the plane.
#' @param information `TRUE` or `"expected"` for the Fisher information of the same parameters, `"average"` for the
#'   average information, whose expectation that is and which takes a few products of matrices and vectors.
#' @return A number. With `X` its attribute `"coefficients"` is beta, with `gradient` its attribute `"gradient"` the
#'   vector of derivatives, as [nlm()] expects them, and with `information` its attribute `"information"` a matrix.
#' @references Gilmour, A. R., Thompson, R. and Cullis, B. R. (1995) Average information REML: an efficient algorithm
#'   for variance parameter estimation in linear mixed models. Biometrics 51, 1440-1450.
#'
#'   Harville, D. A. (1977) Maximum likelihood approaches to variance component estimation and to related
#'   problems. Journal of the American Statistical Association 72, 320-338.
#'
#'   Mardia, K. V. and Marshall, R. J. (1984) Maximum likelihood estimation of models for residual covariance in
#'   spatial regression. Biometrika 71, 135-146.
#' @seealso [covModel()], [covariance()]
#' @examples
#' # heights of the volcano Maunga Whau at 150 points of its grid, with coordinates in metres
#' set.seed(1)
#' cell <- arrayInd(sample(5307, 150), dim(datasets::volcano))
#' height <- datasets::volcano[cell]
#' model <- covModel("matern", range = 90, smoothness = 1.8, variance = 600)
#' gpLoglik(model, 10 * cell, height, X = rep(1, 150), gradient = TRUE)
#' # had they been measured with errors of 2 m
#' gpLoglik(model, 10 * cell, height, X = rep(1, 150), error.variance = 2^2)
#'
#' # longitudes and latitudes, in degrees, with distances in kilometres
#' quakes <- datasets::quakes[1:200, ]
#' model <- covModel("exponential", range = 5, variance = 0.05, nugget = 0.04, distance = "chordal")
#' gpLoglik(model, quakes[c("long", "lat")], log(quakes$stations), X = cbind(1, mag = quakes$mag),
#'          gradient = TRUE)
#' @export
gpLoglik <- function(model, x, y, X = NULL, estimator = c("ML", "REML"), error.variance = NULL,
                     gradient = FALSE, information = FALSE) {
  need(model = missing(model), x = missing(x), y = missing(y))
  estimator <- choice("estimator", estimator)
  gradient <- one_flag("gradient", gradient)
  if (is.character(information)) information <- choice("information", information, c("expected", "average"))
  else information <- if (one_flag("information", information)) "expected"
  if (!inherits(model, "covModel")) input_error("model", class(model)[1L], "must be a model by covModel()")
  model <- checked_model(model)
  local <- if (is_local(model)) local_points(x, "x", model)
  if (!is.null(local)) model <- checked_model(local$model)
  points <- if (is.null(local)) likelihood_points(x, model) else local$points
  p <- gp_problem(model, points, error.variance)
  data <- gp_data(p, y, X)
  names <- derivative_names(p)
  expected <- identical(information, "expected")
  if (nrow(p$xy) > if (expected) 1000 else 5000)
    gp_memory(nrow(p$xy), gradient, expected * length(names), p$process$packed)
  e <- gp_evaluate(p, data, estimator, if (gradient) names, if (!is.null(information)) names, information)
  if (e$bad > 0) warn(indefinite_text(p, e$bad))
  else if (!is.null(X)) attr(e$value, "coefficients") <- stats::setNames(e$beta, colnames(X))
  k <- length(names)
  known <- is.finite(e$value) # else there are no derivatives
  if (gradient) attr(e$value, "gradient") <- if (known) e$gradient else stats::setNames(rep(NaN, k), names)
  if (!is.null(information)) attr(e$value, "information") <-
    if (known) e$information else matrix(NaN, k, k, dimnames = list(names, names))
  e$value
}

# Angle and ratio are of the plane.
derivative_names <- function(p) {
  known <- parameter_names(p$parts)
  plane <- p$metric$kind == "euclidean" && p$metric$dim == 2L
  turned <- !is_local(p$model) || local_turned(p$model)
  known$name[plane & turned | !known$base %in% c("angle", "ratio")]
}

# ---- likelihoods as values ----

# The likelihood of a fit, or of a new one that asks for a model: see the table in CONTRIBUTING.md.
likelihood_of <- function(fit, ask = NULL) {
  kind <- if (is.null(fit$family)) fit$method else "laplace"
  get(paste0(kind, "_likelihood"), mode = "function")(fit, ask)
}

# That of a fit with independent normal errors, of which alone there is what follows from whitened data.
normal_only <- function(fit, what) {
  lik <- likelihood_of(fit)
  if (is.null(lik$whiten))
    raise_engine_error("input", sprintf("%s are for %s: the fit is %s", what, plain_normal(fit$family),
                                        lik$text$family))
  lik
}

# What fits by Laplace's approximation are not: normal responses may be among these.
plain_normal <- function(family) if (family$family != "gaussian") "the family gaussian" else
  "normal responses of one process alone, without grouped effects, by, varying or censoring"

# The whitened model of gp_whiten(), without its factor, or NULL.
gp_whitened <- function(fit) {
  whiten <- likelihood_of(fit)$whiten
  if (!is.null(whiten)) whiten()
}

gp_loo <- function(fit) likelihood_of(fit)$leave_out()

likelihood_points <- function(x, model) {
  refuse_foreign("x", x)
  if (inherits(x, "rfGrid")) x <- as.matrix(x)
  if (!has_points(x, model)) raise_engine_error("input", paste0(
    "gpLoglik() needs coordinates: x has distances",
    if (model$distance != "given" && is.numeric(x)) "; cbind(x) has points on a line"))
  a <- points_of(numbered_variables(x, "x", model), "x", model)
  question_points(x, a$xy, model, has_time(model_parts(model)))
  a
}

gp_data <- function(p, y, X) {
  n <- nrow(p$xy)
  check_numbers("y", y, "")
  if (length(y) != n) raise_engine_error("input", sprintf("y has length %d: x has %d points", length(y), n))
  mean <- p$model$mean
  if (is.function(mean)) mean <- mean(if (is_local(p$model)) p$xy[, seq_len(p$metric$dim), drop = FALSE] else p$xy)
  if (!is.numeric(mean) || !length(mean) %in% c(1L, n) || anyNA(mean))
    raise_engine_error("input", sprintf("mean must give a number for each of %d locations", n))
  if (is.null(X)) return(list(y = as.double(y) - mean))
  if (is.null(dim(X)) && is.numeric(X)) X <- as.matrix(X)
  if (!is.matrix(X) || !is.numeric(X)) input_error("X", class(X)[1L], "must be a numeric matrix")
  if (nrow(X) != n) raise_engine_error("input", sprintf("X has %d rows: x has %d points", nrow(X), n))
  check_numbers("X", as.vector(X), "")
  rank <- qr(X)$rank
  if (rank < ncol(X)) raise_engine_error("input", sprintf("X has %d columns, and rank %d", ncol(X), rank))
  storage.mode(X) <- "double"
  list(y = as.double(y) - mean, X = X)
}

row_label <- function(p, i) as.character(if (is.null(p$rows)) i else p$rows[i])

indefinite_text <- function(p, row) {
  text <- ""
  if (row > 1) {
    near <- process_covariance(p, p$xy[row, , drop = FALSE], p$xy[seq_len(row - 1), , drop = FALSE])
    text <- sprintf("; %s is the nearest to it, of covariance %s", row_label(p, which.max(near)),
                    rounded(max(near), 6L))
  }
  rows <- cov_parameters(p$parts)
  rows <- rows[rows$parameter %in% c("range", "smoothness", "shape", "nugget"), ]
  sprintf("the covariance matrix is not positive definite to working precision, from location %s on%s (%s)",
          row_label(p, row), text,
          paste(rows$name, "=", format(rows$value, digits = 6, trim = TRUE), collapse = ", "))
}

gp_indefinite_error <- function(p, row) raise_engine_error("input", indefinite_text(p, row))

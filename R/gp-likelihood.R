# Likelihoods of Gaussian processes by a Cholesky factor in packed tiles (src/dense), half the memory of a matrix.

#' Log likelihood of a Gaussian process
#'
#' The logarithm of the density of `y`, normal with a mean of `X %*% beta` and the covariance that `model` has among
#' the points `x`, with or without its gradient: for an optimiser of one's own.
#'
#' With `S` the covariance matrix of the n observations and r their distance from the mean, it is `-(n log(2 pi) +
#' log det S + r' inv(S) r) / 2`. Without `X` the mean is that of the model. With `X`, which is added to that, the
#' coefficients are those of generalised least squares: the value is the maximum over all `beta` (`"ML"`), or the
#' restricted likelihood (`"REML"`), with n - p for n and `log det(X' inv(S) X)` added to `log det S`: to compare
#' models by it they need the same `X`.
#'
#' The matrix exists once, in packed tiles of `4 n^2` bytes, and so does its inverse, in the same place, for the
#' gradient; matrices of derivatives are never made. Interrupts end a call between columns of tiles. Factor and inverse
#' are made on an OpenCL device in use, see [useDevice()], where it has double precision and room for the tiles, else on
#' the CPU.
#'
#' A matrix that is not positive definite to working precision gives `-Inf` (and a gradient of `NaN`), with a warning
#' that names the first location where that shows and the one that is nearest to it by covariance. Nothing is added to
#' the diagonal: a nugget, or a smaller smoothness or range, is for the user to choose.
#'
#' @inheritParams covariance
#' @param x locations of the observations, as for [covariance()].
#' @param y numeric vector of the observations, one for each location.
#' @param X `NULL`, or a numeric matrix with a row for each location, of full rank: the covariates of the mean.
#' @param estimator `"ML"` or `"REML"`; without `X` they are the same.
#' @param error known variances of the errors of `y`, one for each or one for all, or `NULL`.
#' @param gradient `TRUE` for the derivatives with respect to all parameters of the model, named as `deriv` of
#'   [covariance()] takes them.
#' @return A number. With `X` its attribute `"coefficients"` has beta, and with `gradient` its attribute `"gradient"`
#'   the derivatives, as [nlm()] takes them.
#' @references Harville, D. A. (1977) Maximum likelihood approaches to variance component estimation and to related
#'   problems. Journal of the American Statistical Association 72, 320-338.
#'
#'   Mardia, K. V. and Marshall, R. J. (1984) Maximum likelihood estimation of models for residual covariance in
#'   spatial regression. Biometrika 71, 135-146.
#' @seealso [covModel()], [covariance()]
#' @examples
#' model <- covModel("matern", range = 200, smoothness = 0.7, variance = 100, nugget = 5)
#' xy <- with(datasets::quakes[1:200, ], cbind(long, lat) * 100)
#' gpLoglik(model, xy, datasets::quakes$depth[1:200] / 10, X = cbind(1, xy), gradient = TRUE)
#' @export
gpLoglik <- function(model, x, y, X = NULL, estimator = c("ML", "REML"), error = NULL, gradient = FALSE) {
  need(model = missing(model), x = missing(x), y = missing(y))
  estimator <- match.arg(estimator)
  if (!isTRUE(gradient) && !isFALSE(gradient)) input_error("gradient", gradient, "must be TRUE or FALSE")
  p <- gp_problem(checked_model(model), x, error)
  data <- gp_data(p, y, X)
  on.exit(.Call(C_gpForget)) # an OpenCL device keeps the factor from call to call
  f <- .Call(C_gpFactor, p$xy, p$metric$kind, p$metric$radius, p$engine, p$diagonal)
  if (f[[3L]] > 0) return(gp_indefinite(p, f[[3L]], gradient))
  whitened <- .Call(C_gpSolve, f[[1L]], cbind(data$y, data$X), FALSE)
  z <- whitened[, 1L]
  n <- length(z)
  log_det <- f[[2L]]
  if (!is.null(X)) {
    qr <- qr(whitened[, -1L, drop = FALSE], tol = 1e-14)
    beta <- qr.coef(qr, z)
    z <- qr.resid(qr, z)
    if (estimator == "REML") {
      n <- n - ncol(X)
      log_det <- log_det + 2 * sum(log(abs(diag(qr.R(qr)))))
    }
  }
  value <- -(n * log(2 * pi) + log_det + sum(z^2)) / 2
  if (!is.null(X)) attr(value, "coefficients") <- stats::setNames(beta, colnames(X))
  if (!gradient) return(value)
  # (a' dS a - tr(P dS))/2 for a = inv(S) r and P = inv(S), of the restricted likelihood less B B' with
  # B B' = inv(S) X inv(X' inv(S) X) X' inv(S)
  u <- .Call(C_gpSolve, f[[1L]], cbind(z, if (!is.null(X) && estimator == "REML") qr.Q(qr)), TRUE)
  .Call(C_gpWeights, f[[1L]], u)
  attr(value, "gradient") <- gp_contract(p, f[[1L]]) / 2
  value
}

# What the engine takes of a model among points, for one evaluation after the other.
gp_problem <- function(model, x, error) {
  parts <- model_parts(model)
  if (model$name == "bimatern" || !is.null(set_names(parts[[1L]])))
    raise_engine_error("input", "gpLoglik() takes a model of one variable with one set of parameters")
  refuse_foreign("x", x)
  if (inherits(x, "rfGrid")) x <- as.matrix(x)
  if (!has_points(x, model)) raise_engine_error("input", "gpLoglik() needs coordinates: x has distances")
  a <- points_of(x, "x", model)
  question_points(x, a$xy, model, has_time(parts))
  if (anyNA(a$xy)) input_error("x", NA, "must have no missing coordinates")
  own <- own_errors(error, nrow(a$xy), NULL)
  nugget <- sum(vapply(parts, function(part) as.double(part$nugget), 0))
  metric <- metric_of(parts, a, NULL)
  list(model = model, parts = parts, xy = a$xy, metric = metric,
       engine = engine_parts(parts, if (metric$kind == "euclidean") lapply(parts, anisotropy, metric$dim, FALSE)),
       diagonal = rep_len(nugget, nrow(a$xy)) + if (is.null(own)) 0 else own)
}

gp_data <- function(p, y, X) {
  n <- nrow(p$xy)
  check_numbers("y", y, "finite")
  if (length(y) != n) raise_engine_error("input", sprintf("y has length %d: x has %d points", length(y), n))
  mean <- p$model$mean
  if (is.function(mean)) mean <- mean(p$xy)
  if (!is.numeric(mean) || !length(mean) %in% c(1L, n) || anyNA(mean))
    raise_engine_error("input", sprintf("mean must give a number for each of %d locations", n))
  if (is.null(X)) return(list(y = as.double(y) - mean))
  if (!is.matrix(X) || !is.numeric(X)) input_error("X", class(X)[1L], "must be a numeric matrix")
  if (nrow(X) != n) raise_engine_error("input", sprintf("X has %d rows: x has %d points", nrow(X), n))
  check_numbers("X", as.vector(X), "finite")
  rank <- qr(X)$rank
  if (rank < ncol(X)) raise_engine_error("input", sprintf("X has %d columns, and rank %d", ncol(X), rank))
  storage.mode(X) <- "double"
  list(y = as.double(y) - mean, X = X)
}

# The sums over the packed weights times the derivatives of the matrix, in as few passes as there may be: one takes a
# parameter of the family for each part, and maps only where a derivative needs them.
gp_contract <- function(p, factor) {
  names <- parameter_names(p$parts)$name
  wants <- lapply(names, function(name) want_of(p$parts, name, p$metric$dim))
  what <- vapply(wants, `[[`, "", 1L)
  own <- ifelse(what == "shape", vapply(wants, `[[`, 0, 2L), 0)
  pass <- ifelse(what == "map", 0, ifelse(own > 0, stats::ave(own, own, FUN = seq_along), 1))
  value <- stats::setNames(numeric(length(names)), names)
  for (k in unique(pass)) {
    parts <- if (k > 0) p$engine else engine_parts(p$parts, lapply(p$parts, anisotropy, p$metric$dim, TRUE))
    value[pass == k] <- .Call(C_gpContract, factor, p$xy, p$metric$kind, p$metric$radius, parts, wants[pass == k])
  }
  value
}

gp_indefinite <- function(p, row, gradient) {
  text <- ""
  if (row > 1) {
    near <- covariance(p$model, p$xy[row, , drop = FALSE], p$xy[seq_len(row - 1), , drop = FALSE])
    text <- sprintf("; %d is the nearest to it, of covariance %.6g", which.max(near), max(near))
  }
  rows <- cov_parameters(p$parts)
  rows <- rows[rows$parameter %in% c("range", "smoothness", "shape", "nugget"), ]
  warning(simpleWarning(sprintf(
    "the covariance matrix is not positive definite to working precision, from location %d on%s (%s)", row, text,
    paste(rows$name, "=", format(rows$value, digits = 6, trim = TRUE), collapse = ", ")), user_call()))
  value <- -Inf
  if (gradient) {
    names <- parameter_names(p$parts)$name
    attr(value, "gradient") <- stats::setNames(rep(NaN, length(names)), names)
  }
  value
}

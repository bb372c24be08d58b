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
#' the diagonal: choose a nugget, or a smaller smoothness or range.
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
  points <- likelihood_points(x, model)
  p <- gp_problem(model, points, error.variance)
  data <- gp_data(p, y, X)
  names <- derivative_names(p)
  expected <- identical(information, "expected")
  if (nrow(p$xy) > if (expected) 1000 else 5000) gp_memory(nrow(p$xy), gradient, expected * length(names))
  e <- gp_evaluate(p, data, estimator, if (gradient) names, if (!is.null(information)) names, information)
  if (e$bad > 0) return(gp_indefinite(p, e$bad, gradient, information))
  value <- e$value
  if (!is.null(X)) attr(value, "coefficients") <- stats::setNames(e$beta, colnames(X))
  if (gradient) attr(value, "gradient") <- e$gradient
  if (!is.null(information)) attr(value, "information") <- e$information
  value
}

# Angle and ratio are of the plane.
derivative_names <- function(p) {
  known <- parameter_names(p$parts)
  plane <- p$metric$kind == "euclidean" && p$metric$dim == 2L
  known$name[plane | !known$base %in% c("angle", "ratio")]
}

# One evaluation at the parameters of p: `value`, the coefficients `beta` and the `scale`, and if they are wanted, for
# the parameters that are named, the gradient and the information. With `profile`, the covariances are those of p
# times a scale, of which the value is the maximum. What comes after a value below `least` is not computed. `bad` is
# the row from which the matrix is not positive definite, or 0.
gp_evaluate <- function(p, data, estimator, slopes = NULL, informs = NULL, kind = "average", profile = FALSE,
                        least = -Inf) {
  if (!is.null(p$vecchia)) return(vecchia_evaluate(p, estimator, slopes, informs, profile))
  on.exit(.Call(C_gpForget))
  w <- gp_whiten(p, data, estimator)
  if (w$bad > 0) return(list(value = -Inf, bad = w$bad))
  scale <- if (profile) sum(w$z^2) / w$n else 1
  value <- -(w$n * log(2 * pi * scale) + w$log_det + sum(w$z^2) / scale) / 2
  e <- list(value = value, bad = 0, beta = w$beta, scale = scale)
  if (length(slopes) + length(informs) == 0L || !isTRUE(value > least)) return(e)
  factor <- w$factor
  q <- w$q
  z <- w$z / sqrt(scale)
  if (length(informs)) e$information <- switch(
    kind, average = gp_average(p, factor, z, q, informs, profile),
    expected = gp_expected(p, factor, if (estimator == "REML") q, informs, profile))
  if (!length(slopes)) return(e)
  # (a' dS a - tr(P dS))/2 for a = inv(S) r and P = inv(S), of the restricted likelihood less B B' with
  # B B' = inv(S) X inv(X' inv(S) X) X' inv(S)
  u <- gp_solve(factor, cbind(z, if (estimator == "REML") q), TRUE)
  e$gradient <- gp_contract(p, gp_weights(factor, u), slopes) / 2
  e
}

# The model in which observations are independent with variance 1: `y` and `X` are inv(L) times those of data, with
# the `factor` L of the covariance matrix, `qr` decomposes X into `q` and `root`, `beta` and `z` are coefficients and
# residuals, of each column where y is a matrix; the number `n` of independent residuals and the `log_det` belong to
# the estimator.
gp_whiten <- function(p, data, estimator = "ML") {
  f <- gp_factor(p)
  if (f[[3L]] > 0) return(list(bad = f[[3L]]))
  own <- seq_len(NCOL(data$y))
  whitened <- gp_solve(f[[1L]], cbind(data$y, data$X), FALSE)
  w <- list(bad = 0, factor = f[[1L]], X = whitened[, -own, drop = FALSE], n = nrow(whitened), log_det = f[[2L]])
  w$y <- w$z <- whitened[, own, drop = is.null(dim(data$y))]
  if (!ncol(w$X)) return(w)
  w$qr <- qr(w$X, tol = 1e-14)
  w$beta <- qr.coef(w$qr, w$y)
  w$z <- qr.resid(w$qr, w$y)
  w$q <- qr.Q(w$qr)
  w$root <- qr.R(w$qr)
  if (estimator == "REML") {
    w$n <- w$n - ncol(w$X)
    w$log_det <- w$log_det + 2 * sum(log(abs(diag(w$root))))
  }
  w
}

# The same, or an error, with the weights inv(S) (y - X beta) of kriging, a column for each of y.
gp_solved <- function(p, data, estimator = "ML") {
  w <- gp_whiten(p, data, estimator)
  if (w$bad > 0) gp_indefinite_error(p, w$bad)
  w$weights <- gp_solve(w$factor, cbind(w$z), TRUE)
  w
}

# Average information of Gilmour, Thompson and Cullis (1995), a' dS P dS a / 2: the mean of what is observed and what
# is expected, but for terms of mean 0. A scale takes its part away.
gp_average <- function(p, factor, z, q, names, profile) {
  a <- drop(gp_solve(factor, cbind(z), TRUE))
  v <- gp_solve(factor, gp_slopes(p, a, names), FALSE)
  if (profile) v <- cbind(v, z)
  if (!is.null(q)) v <- v - q %*% crossprod(q, v)
  without_scale(crossprod(v) / 2, names, profile)
}

# tr(P dS P dS)/2. With G = inv(L) dS inv(L)' it is a sum of products.
gp_expected <- function(p, factor, q, names, profile) {
  n <- nrow(p$xy)
  known <- parameter_names(p$parts)
  g <- lapply(names, function(name) {
    slope <- if (known$parameter[match(name, known$name)] == "nugget") diag(n) else gp_matrix(p, name)
    slope <- gp_solve(factor, t(gp_solve(factor, slope, FALSE)), FALSE)
    if (!is.null(q)) {
      slope <- slope - q %*% crossprod(q, slope)
      slope <- slope - tcrossprod(slope %*% q, q)
    }
    slope
  })
  if (profile) g <- c(g, list(diag(n) - if (!is.null(q)) tcrossprod(q) else 0))
  k <- length(g)
  information <- matrix(0, k, k)
  for (i in seq_len(k)) for (j in seq_len(i)) information[i, j] <- information[j, i] <- sum(g[[i]] * g[[j]]) / 2
  without_scale(information, names, profile)
}

without_scale <- function(information, names, profile) {
  k <- seq_along(names)
  if (profile)
    information <- information[k, k, drop = FALSE] - tcrossprod(information[k, length(k) + 1L]) /
      information[length(k) + 1L, length(k) + 1L]
  dimnames(information) <- list(names, names)
  information
}

# Products of derivatives of the matrix and a vector, a column for each parameter.
gp_slopes <- function(p, a, names) {
  if (is_bivariate(p)) return(vapply(names, function(name) drop(gp_matrix(p, name) %*% a), a))
  value <- matrix(0, length(a), length(names))
  for (pass in gp_passes(p, names))
    value[, pass$at] <- .Call(C_gpSlopes, engine_among(p$xy, NULL, p$metric, pass$parts), pass$wants, cbind(a))
  nugget <- parameter_names(p$parts)
  value[, nugget$parameter[match(names, nugget$name)] == "nugget"] <- a
  value
}

# What the engine takes of a model among points, for one evaluation after the other; `rows` are what messages call
# them, or NULL.
gp_problem <- function(model, a, error) {
  parts <- model_parts(model)
  own <- own_errors(error, nrow(a$xy), NULL)
  metric <- if (model$name == "bimatern") bivariate_metric(model, a) else metric_of(parts, a, NULL)
  gp_at(list(xy = a$xy, rows = a$rows, metric = metric, error = if (is.null(own)) 0 else own),
        with_distance(model, metric$kind))
}

# The model with the kind of distance that its points have decided.
with_distance <- function(model, kind) {
  model$distance <- kind
  if (!is.null(model$parts)) model$parts <- lapply(model$parts, with_distance, kind)
  if (!is.null(model$space)) model$space <- with_distance(model$space, kind)
  model
}

likelihood_points <- function(x, model) {
  refuse_foreign("x", x)
  if (inherits(x, "rfGrid")) x <- as.matrix(x)
  if (!has_points(x, model)) raise_engine_error("input", paste0(
    "gpLoglik() needs coordinates: x has distances",
    if (model$distance != "given" && is.numeric(x)) "; cbind(x) has points on a line"))
  a <- points_of(x, "x", model)
  question_points(x, a$xy, model, has_time(model_parts(model)))
  a
}

# The same points with a model of other parameters.
gp_at <- function(p, model) {
  p$model <- model
  p$parts <- model_parts(model)
  if (is_bivariate(p)) {
    p$diagonal <- rep_len(model$nugget, 2L)[p$xy[, ncol(p$xy)]] + p$error
    return(p)
  }
  euclidean <- p$metric$kind == "euclidean"
  p$engine <- engine_parts(p$parts, if (euclidean) lapply(p$parts, anisotropy, p$metric$dim, FALSE))
  if (is.null(p$vecchia)) p$diagonal <- rep_len(model_nugget(model), nrow(p$xy)) + p$error
  p
}

gp_data <- function(p, y, X) {
  n <- nrow(p$xy)
  check_numbers("y", y, "")
  if (length(y) != n) raise_engine_error("input", sprintf("y has length %d: x has %d points", length(y), n))
  mean <- p$model$mean
  if (is.function(mean)) mean <- mean(p$xy)
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

# The sums over the packed weights times the derivatives of the matrix.
gp_contract <- function(p, weights, names) {
  if (is.matrix(weights)) return(lapack_contract(p, weights, names))
  value <- stats::setNames(numeric(length(names)), names)
  for (pass in gp_passes(p, names))
    value[pass$at] <- .Call(C_gpContract, weights, engine_among(p$xy, NULL, p$metric, pass$parts), pass$wants)
  value
}

# Derivatives in as few passes over the pairs of points as there may be: one takes a parameter of the family for each
# part, and maps only where a derivative needs them.
gp_passes <- function(p, names) {
  wants <- lapply(names, function(name) want_of(p$parts, name, p$metric$dim))
  what <- vapply(wants, `[[`, "", 1L)
  own <- ifelse(what == "shape", vapply(wants, `[[`, 0, 2L), 0)
  pass <- ifelse(own > 0, stats::ave(own, own, FUN = seq_along), 1)
  mapped <- any(what == "map")
  lapply(unique(pass), function(k) list(at = which(pass == k), wants = wants[pass == k], parts =
    if (mapped && k == 1) engine_parts(p$parts, lapply(p$parts, anisotropy, p$metric$dim, TRUE)) else p$engine))
}

row_label <- function(p, i) as.character(if (is.null(p$rows)) i else p$rows[i])

gp_indefinite <- function(p, row, gradient, information) {
  text <- ""
  if (row > 1) {
    near <- covariance(p$model, p$xy[row, , drop = FALSE], p$xy[seq_len(row - 1), , drop = FALSE])
    text <- sprintf("; %s is the nearest to it, of covariance %s", row_label(p, which.max(near)),
                    rounded(max(near), 6L))
  }
  rows <- cov_parameters(p$parts)
  rows <- rows[rows$parameter %in% c("range", "smoothness", "shape", "nugget"), ]
  warn(sprintf(
    "the covariance matrix is not positive definite to working precision, from location %s on%s (%s)",
    row_label(p, row), text,
    paste(rows$name, "=", format(rows$value, digits = 6, trim = TRUE), collapse = ", ")))
  value <- -Inf
  names <- derivative_names(p)
  if (gradient) attr(value, "gradient") <- stats::setNames(rep(NaN, length(names)), names)
  if (!is.null(information))
    attr(value, "information") <- matrix(NaN, length(names), length(names), dimnames = list(names, names))
  value
}

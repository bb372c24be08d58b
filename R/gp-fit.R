# Fits of Gaussian processes by exact likelihood: the formula, the points, and what is kept.

#' Fit a Gaussian process
#'
#' Linear models with spatially correlated errors, universal kriging models: the mean is a linear function of
#' covariates, and the rest a Gaussian process with a covariance of [covModel()], whose parameters, the smoothness of
#' a Matern covariance among them, are found by maximum or restricted maximum likelihood.
#'
#' The observations are \eqn{y = X\beta + Z + e}{y = X beta + Z + e} with a Gaussian process Z and independent errors
#' e of variance `nugget`, to which known variances `error.variance` are added.
#'
#' @section Covariance:
#' `cov` is the name of a family, or a model in which numbers are where the search begins and `NA` is for it to find a
#' beginning. All parameters of the family are estimated, with `variance` and `nugget`, but for those in `fixed`;
#' `angle` and `ratio`, or `scales`, are estimated where they are `NA` or not those of an isotropic model. With
#' `scales` the range is 1, and they are ranges along the axes. Models of space and time and sums are fitted in the
#' same way; a sum has one nugget. `fixed = TRUE` takes all parameters as they are, of any model but those of two
#' variables.
#'
#' @section Search:
#' It runs on logarithms, and on logits of what has two bounds; the smoothness of a Matern covariance beside the
#' range times `sqrt(8 smoothness)`, angle and ratio as the logarithm of a symmetric matrix. Variance and mean are
#' profiled out. Steps are those of Newton's method with exact gradients and the average information. It begins at the
#' best of several values at some of the points and, where two of these lead to different maxima there, goes on from
#' both. A column `boundary` of `parameters` tells what has ended on a bound: a nugget of 0, a smoothness of 50, which
#' is the largest that is searched and nearly `"gaussian"`, or a range so large that only differences count.
#'
#' A covariance matrix that is not positive definite to working precision has the log likelihood `-Inf` in the search.
#' Nothing is added to its diagonal. If that is so everywhere the search began, it is an error that names the nearest
#' pair of locations.
#'
#' @param formula the mean, as for [lm()].
#' @param data data frame, or points of package \pkg{sf} with attributes, or the variables of `formula` are taken from
#'   its environment.
#' @param coords coordinates: a formula as `~ x + y`, names of columns of `data`, or a matrix or data frame with a row
#'   for each row of `data`; the last column is the time for models of space and time. Not needed for \pkg{sf} points;
#'   an [rfGrid()] stands for its points.
#' @param cov name of a family of [covModel()], or a model: see the section on covariance.
#' @param method `"exact"`, or `"auto"`, which is the same.
#' @param estimator `"ML"`, or `"REML"` for the restricted likelihood.
#' @param fixed list of parameters by name that are not estimated, as in `list(nugget = 0, smoothness = 1.5)`, with
#'   names as `deriv` of [covariance()] has them; or `TRUE` for all of `cov`.
#' @param start list of parameters by name from which the search begins, in place of the numbers of `cov`.
#' @param error.variance known variances of the errors of observations, one for each row of `data` or one for all;
#'   evaluated in `data`.
#' @param subset,na.action,offset as for [lm()]. Missing coordinates are missing values.
#' @param contrasts as for [lm()].
#' @return An object of class `gpFit`, a list with, among others, the `coefficients` of the mean, `cov`, the
#'   covariance as a [covModel()] that [covariance()] and [tbrf()] take, `parameters`, a data frame of its parameters
#'   with estimates, standard errors, and whether they were `fixed` or end on a `boundary`, `loglik`, `fitted.values`
#'   and `residuals` (of the mean alone), and `converged`.
#' @references
#' Lindgren, F., Rue, H. and Lindstrom, J. (2011). An explicit link between Gaussian fields and Gaussian Markov random
#' fields. *Journal of the Royal Statistical Society B* **73**, 423--498.
#'
#' Mardia, K. V. and Marshall, R. J. (1984). Maximum likelihood estimation of models for residual covariance in
#' spatial regression. *Biometrika* **71**, 135--146.
#'
#' Stein, M. L. (1999). *Interpolation of Spatial Data*. Springer, New York.
#' @seealso [gpLoglik()] for the likelihood alone
#' @examples
#' # magnitudes of earthquakes near Fiji
#' quakes <- subset(datasets::quakes, depth < 100)
#' fit <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat,
#'              cov = covModel("exponential", range = NA, nugget = NA, distance = "chordal"))
#' fit$parameters
#' fit$cov
#' @export
gpFit <- function(formula, data, coords, cov = "matern", method = c("auto", "exact"), estimator = c("ML", "REML"),
                  fixed = list(), start = NULL, error.variance = NULL, subset, na.action, offset,
                  contrasts = NULL) {
  call <- match.call()
  need(formula = missing(formula))
  method <- choice("method", method, c("auto", "exact"))
  estimator <- choice("estimator", estimator, c("ML", "REML"))
  model <- fit_model(cov)
  if (missing(data)) data <- environment(formula)
  points <- fit_points(data, if (missing(coords)) NULL else coords)
  frame <- match.call(expand.dots = FALSE)
  frame <- frame[c(1L, match(c("formula", "subset", "na.action", "offset"), names(frame), 0L))]
  frame$drop.unused.levels <- TRUE
  rows <- if (is.data.frame(points$data)) nrow(points$data)
  if (!is.null(rows) && nrow(points$xy) != rows)
    raise_engine_error("input", sprintf("coords has %d rows: data has %d", nrow(points$xy), rows))
  frame$data <- points$data
  frame$.coords <- points$xy
  error <- eval(substitute(error.variance), points$data, parent.frame())
  if (!is.null(error)) frame$error.variance <- if (length(error) == 1L) rep_len(error, nrow(points$xy)) else error
  frame[[1L]] <- quote(stats::model.frame)
  frame <- eval(frame, parent.frame())
  terms <- attr(frame, "terms")
  y <- reg_response(frame, terms)
  x <- model.matrix(terms, frame, contrasts)
  points["xy"] <- list(unname(frame[["(.coords)"]]))
  bad <- which(!is.finite(points$xy), arr.ind = TRUE)
  if (nrow(bad)) place_error("coords", points$xy, bad[1L, 1L], bad[1L, 2L], "coordinates must be finite")
  error <- frame[["(error.variance)"]]
  frame[["(.coords)"]] <- frame[["(error.variance)"]] <- NULL
  attr(frame, "terms") <- terms
  fit <- gp_fit(y, x, model.offset(frame), points, model, estimator, fixed, start, error)
  structure(c(fit, list(call = call, terms = terms, model = frame, contrasts = attr(x, "contrasts"),
                        xlevels = stats::.getXlevels(terms, frame), na.action = attr(frame, "na.action"),
                        coords = points$coords)), class = "gpFit")
}

# A model in which what is not known is NA.
fit_model <- function(cov) {
  if (inherits(cov, "covModel")) return(checked_model(cov, unknown = TRUE))
  check_name_of_family(cov)
  takes <- families[[cov]]$takes
  do.call(covModel, c(list(cov, variance = NA, range = NA, nugget = NA),
                      stats::setNames(as.list(rep(NA, length(takes))), takes)))
}

check_name_of_family <- function(cov) {
  if (!is.character(cov) || length(cov) != 1L)
    input_error("cov", if (is.character(cov)) cov else class(cov)[1L],
                "must be the name of a family or a model by covModel()")
  check_name(cov, "cov")
  if (cov %in% c("separable", "gneiting", "bimatern", "spectrum", "covariance"))
    input_error("cov", cov, "needs a model: covModel() makes one, with NA for what is to be found")
}

# The variables, and the coordinates as a matrix with a row for each of their rows; `coords` says how newdata gives
# them: the `names` of columns, or NULL for points of sf, and the `formula` or NULL.
fit_points <- function(data, coords) {
  none <- list(names = NULL, formula = NULL, geographic = NA, crs = NULL)
  if (inherits(data, "sf")) {
    if (!is.null(coords)) raise_engine_error("input", "data has points of package sf: leave coords out")
    a <- sf_points(data, "data")
    return(list(data = sf::st_drop_geometry(data), xy = a$xy, geographic = a$geographic, crs = a$crs,
                coords = utils::modifyList(none, a[c("geographic", "crs")])))
  }
  if (inherits(data, c("SpatRaster", "stars", "Spatial", "SpatVector")))
    input_error("data", class(data)[1L], "must be a data frame, or points of the package sf")
  if (is.null(coords))
    raise_engine_error("input", "coords is missing: coordinates are needed, as in coords = ~ x + y")
  found <- none
  if (inherits(coords, "formula")) {
    if (length(coords) != 2L) input_error("coords", deparse(coords)[1L], "must be a formula without a left side")
    found$formula <- coords
    xy <- formula_coords(coords, data)
  } else if (is.character(coords)) {
    odd <- setdiff(coords, names(data))
    if (length(odd)) input_error("coords", odd[1L], "is no column of data")
    xy <- table_points(as.data.frame(data)[coords], "coords")
  } else {
    a <- points_of(if (inherits(coords, "rfGrid")) as.matrix(coords) else coords, "coords", list(distance = "auto"))
    xy <- a$xy
    found[c("geographic", "crs")] <- a[c("geographic", "crs")]
  }
  found["names"] <- list(colnames(xy))
  storage.mode(xy) <- "double"
  list(data = data, xy = xy, geographic = found$geographic, crs = found$crs, coords = found)
}

formula_coords <- function(formula, data) {
  frame <- stats::model.frame(formula, data, na.action = stats::na.pass)
  if (!length(frame)) input_error("coords", deparse(formula)[1L], "has no variables")
  table_points(frame, "coords")
}

# The fit of a design matrix; everything that does not need the formula.
gp_fit <- function(y, x, offset, points, model, estimator, fixed, start, error) {
  n <- length(y)
  if (any(!is.finite(y))) element_error("y", y, !is.finite(y), "the response must be finite")
  if (is.null(offset)) offset <- numeric(n)
  if (any(!is.finite(offset))) element_error("offset", offset, !is.finite(offset), "offset must be finite")
  bad <- which(!is.finite(x), arr.ind = TRUE)
  if (nrow(bad)) input_error(colnames(x)[bad[1L, 2L]], x[bad[1L, , drop = FALSE]], "must be finite in all cases")
  if (!is.null(error)) check_numbers("error.variance", error, "not negative")
  qr <- qr(x)
  keep <- sort(qr$pivot[seq_len(qr$rank)])
  data <- list(y = as.double(y - offset), X = if (length(keep)) x[, keep, drop = FALSE])
  if (n <= length(keep)) raise_engine_error("input", sprintf("%d observations for %d coefficients: a fit needs more",
                                                             n, length(keep)))
  p <- gp_problem(known_model(model), points, error)
  gp_memory(n)
  task <- fit_task(model, fixed, start, p)
  if (max(abs(qr.resid(qr, data$y))) <= 1e-13 * max(abs(data$y)) && length(task$free))
    raise_engine_error("input", if (length(unique(y)) == 1L) "the response is constant: there is nothing to fit"
                                else "the mean fits the response exactly: nothing is left for the covariance")
  p$model <- task$model
  p$parts <- model_parts(task$model)
  found <- gp_find(p, data, task, estimator)
  fit <- gp_result(gp_at(p, found$model), data, estimator, task, found)
  coefficients <- stats::setNames(rep(NA_real_, ncol(x)), colnames(x))
  coefficients[keep] <- fit$beta
  vcov <- matrix(NA_real_, ncol(x), ncol(x), dimnames = list(colnames(x), colnames(x)))
  vcov[keep, keep] <- fit$vcov
  fitted <- offset + if (length(keep)) drop(data$X %*% fit$beta) else 0
  fit$beta <- NULL
  fit$vcov <- vcov
  c(list(coefficients = coefficients), fit,
    list(estimator = estimator, method = "exact", nobs = n, df = length(keep) + length(task$free),
         rank = length(keep),
         fitted.values = stats::setNames(fitted, names(y)), residuals = y - fitted, y = y, X = x, offset = offset,
         x = points$xy, error.variance = error))
}

# What is known at the maximum: parameters with standard errors, coefficients with their covariance, kriging weights.
gp_result <- function(p, data, estimator, task, found) {
  on.exit(.Call(C_gpForget))
  w <- gp_whiten(p, data, estimator)
  if (w$bad > 0) gp_indefinite_error(p, w$bad)
  loglik <- -(w$n * log(2 * pi) + w$log_det + sum(w$z^2)) / 2
  rows <- cov_parameters(p$parts)
  ends <- stats::setNames(rep("", nrow(rows)), rows$name)
  ends[names(found$ends)] <- found$ends
  used <- rows$name[!task$fixed[rows$name] & ends == ""]
  information <- matrix(0, 0L, 0L)
  if (length(used))
    information <- if (w$n <= 1000) gp_expected(p, w$factor, if (estimator == "REML") w$q, used, FALSE)
                   else gp_average(p, w$factor, w$z, w$q, used, FALSE)
  cov_vcov <- inverse_or_na(information)
  error <- rep(NA_real_, nrow(rows))
  error[match(used, rows$name)] <- sqrt(diag(cov_vcov))
  parameters <- data.frame(estimate = rows$value, std.error = error, fixed = unname(task$fixed[rows$name]),
                           boundary = unname(ends), row.names = rows$name)
  if (!found$converged)
    warning(simpleWarning("the likelihood has not been maximised: try other values of start", user_call()))
  list(cov = p$model, parameters = parameters, vcov.cov = cov_vcov, beta = w$beta,
       vcov = if (is.null(w$root)) matrix(0, 0L, 0L) else chol2inv(w$root), loglik = loglik,
       weights = drop(gp_solve(w$factor, cbind(w$z), TRUE)), metric = p$metric, converged = found$converged,
       iterations = found$iterations, evaluations = found$evaluations)
}

gp_indefinite_error <- function(p, row) {
  text <- tryCatch(gp_indefinite(p, row, FALSE, NULL), warning = conditionMessage)
  raise_engine_error("input", text)
}

# The inverse, in units in which the diagonal is 1; NA where there is none.
inverse_or_na <- function(information) {
  unit <- sqrt(diag(information))
  inverse <- information * NA
  sound <- which(is.finite(unit) & unit > 0)
  if (!length(sound)) return(inverse)
  e <- eigen((information / tcrossprod(unit))[sound, sound, drop = FALSE], symmetric = TRUE)
  seen <- e$values > 1e-10 * e$values[1L]
  # what the likelihood does not tell apart has no variance
  known <- rowSums(abs(e$vectors[, !seen, drop = FALSE])) < 1e-4
  part <- e$vectors[known, seen, drop = FALSE]
  at <- sound[known]
  inverse[at, at] <- part %*% (t(part) / e$values[seen]) / tcrossprod(unit[at])
  inverse
}

# How good predictions are: scores, cross-validation of a fit, and what another model loses by its predictions.

#' Scores of predictions
#'
#' Scores of normal predictions against observations: of their means, their distributions and their intervals.
#'
#' With the errors \eqn{e = y - \mathrm{mean}}{e = y - mean} and \eqn{z = e/\mathrm{sd}}{z = e / sd} the scores are
#' averages over the observations. Except for the coverage, smaller scores are better (Gneiting and Raftery 2007):
#'
#' * `RMSE`, the root of the mean of \eqn{e^2}{e^2}, and `MAE`, the mean of \eqn{|e|}{|e|};
#' * `CRPS`, the continuous ranked probability score, the integral of the squared difference of the normal
#'   distribution function and the step at the observation, \eqn{\mathrm{sd}\,(z (2 \Phi(z) - 1) + 2 \phi(z) -
#'   1/\sqrt\pi)}{sd (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi))}; for `sd = 0` it is \eqn{|e|}{|e|};
#' * `logscore`, minus the logarithm of the normal density at the observation;
#' * `interval`, the interval score of the central interval (l, u) of probability `level`: its width, and
#'   \eqn{2/(1 - \mathrm{level})}{2 / (1 - level)} times the distance to it of observations outside;
#' * `coverage`, the share of the observations within the interval.
#'
#' @param y observations, or the result of [gpCV()].
#' @param mean,sd means and standard deviations of their predictions; vectors are recycled to the longest. Without
#'   `sd` only the first two scores are computed, the others are `NA`. For a new observation the variance of the
#'   prediction is that of the field and the nugget.
#' @param level probability of the interval.
#' @param na.rm if `TRUE`, cases with missing values are omitted; else scores that need them are `NA`.
#' @param ... not used.
#' @return A named numeric vector of the scores; of [gpCV()] of several variables a matrix with a row for each of
#'   these, and a last row `all` for all observations, in which observations and predictions are divided by the
#'   standard deviation of the observations of their variable.
#' @references
#' Gneiting, T. and Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and estimation. *Journal of the
#' American Statistical Association* **102**, 359--378.
#' @seealso [gpCV()]
#' @examples
#' gpScores(y = c(1.2, 0.3, 2.5), mean = c(1, 0.5, 2), sd = 0.4)
#' @export
gpScores <- function(y, ...) {
  need(y = missing(y))
  UseMethod("gpScores")
}

#' @rdname gpScores
#' @export
gpScores.default <- function(y, mean, sd = NULL, level = 0.95, na.rm = FALSE, ...) {
  check_extra(...)
  need(mean = missing(mean))
  check_level(level)
  na.rm <- one_flag("na.rm", na.rm)
  given <- list(y = y, mean = mean, sd = if (is.null(sd)) NA_real_ else sd)
  for (name in names(given)) {
    refuse_units(name, given[[name]])
    refuse_integer64(name, given[[name]])
    check_numeric(name, given[[name]])
    if (!length(given[[name]])) raise_engine_error("input", paste(name, "has length 0"))
  }
  if (any(sd < 0, na.rm = TRUE)) name_value("sd", sd, !is.na(sd) & sd < 0, "must not be negative")
  n <- max(lengths(given))
  if (any(n %% lengths(given) != 0L))
    warn("longer object length is not a multiple of shorter object length")
  v <- lapply(given, rep_len, n)
  error <- v$y - v$mean
  z <- ifelse(v$sd == 0 & error == 0, 0, error / v$sd)
  half <- -stats::qnorm((1 - level) / 2) * v$sd
  outside <- abs(error) - half
  average <- function(score) {
    if (is.null(sd) && na.rm) return(base::mean(score))
    base::mean(score, na.rm = na.rm)
  }
  if (na.rm && !is.null(sd)) error[is.na(z)] <- NA # the same observations for all scores
  crps <- ifelse(v$sd == 0, abs(error), v$sd * (abs(z) * (1 - 2 * stats::pnorm(-abs(z))) + 2 * stats::dnorm(z) -
                                                  1 / sqrt(pi)))
  c(RMSE = sqrt(base::mean(error^2, na.rm = na.rm)), MAE = base::mean(abs(error), na.rm = na.rm),
    CRPS = average(crps), logscore = average(-stats::dnorm(v$y, v$mean, v$sd, log = TRUE)),
    interval = average(2 * half + 2 / (1 - level) * pmax(outside, 0)), coverage = average(outside <= 0))
}

#' @rdname gpScores
#' @export
gpScores.gpCV <- function(y, level = 0.95, na.rm = FALSE, ...) {
  check_extra(...)
  cv_scores(y, level, na.rm)
}

# Of other families than the normal one intervals and distributions are not those of mean and standard deviation.
cv_scores <- function(rows, level, na.rm) {
  if (!is.null(rows$variable)) return(rbind(variable_scores(rows, level, na.rm), all = standardised_scores(
    rows, variable_units(rows), level, na.rm)))
  if (is.null(rows$log.density)) return(gpScores(rows$y, rows$mean, rows$sd, level, na.rm))
  c(gpScores(rows$y, rows$mean, na.rm = na.rm)[c("RMSE", "MAE")], logscore = -mean(rows$log.density, na.rm = na.rm))
}

# A row for each variable of which there are observations.
variable_scores <- function(rows, level, na.rm) {
  each <- split(as.data.frame(rows), droplevels(rows$variable))
  t(vapply(each, function(own) gpScores(own$y, own$mean, own$sd, level, na.rm), numeric(6L)))
}

# Of all variables together, whose units may differ: in units of the standard deviations of each.
standardised_scores <- function(rows, unit, level, na.rm) {
  unit <- unit[as.character(rows$variable)]
  gpScores(rows$y / unit, rows$mean / unit, rows$sd / unit, level, na.rm)
}

# Standard deviations of the observations by the names of the variables; one that has none keeps its unit.
variable_units <- function(rows) {
  unit <- vapply(split(rows$y, rows$variable), stats::sd, 0)
  replace(unit, is.na(unit) | unit == 0, 1)
}

#' Cross-validation of a Gaussian process
#'
#' Predicts each observation of a fit from the observations in other folds, to judge the predictions of the model.
#'
#' The coefficients of the mean are always those of the other folds, by generalised least squares. The covariance
#' parameters are those of the fit, and all predictions come from one inverse of its matrix (Dubrule 1983), or with
#' `refit = TRUE` they are estimated without the fold, the search beginning at those of the fit: that takes the time
#' of as many fits. Predictions are of the observations themselves: the nugget, and the known variances of errors, are
#' part of the variance.
#'
#' Random folds assess interpolation between observations; with `type = "block"` neighbouring observations are in one
#' fold, which assesses predictions where nothing was observed near by. Blocks are clusters of the
#' locations by [kmeans()], in space alone for models of space and time, and on the sphere for longitudes and
#' latitudes. Both are drawn with R's generator, which [set.seed()] governs.
#'
#' For a fit with a `family`, `mean` and `sd` are those of a new response, and scores are the first two and the
#' logarithmic one, of the predictive distribution (for 0 and 1 the square of `RMSE` is Brier's score). Folds are
#' fitted again, with the covariance parameters of the fit; `refit` and `"loo"` are not available.
#'
#' Of a fit of several variables, `leave = "observation"` leaves single observations out, and those of other variables
#' at the same place, which may be in other folds, are among what they are predicted from: the errors are those of a
#' variable that is measured where the others are. `leave = "place"` leaves all variables out where one is, so that
#' the errors are those of predictions at new places: folds are sets of places, and `"loo"` has a fold for each.
#' (Package \pkg{gstat} has this as `remove.all = TRUE`.) Scores are given for each variable, and for all with
#' observations and predictions in units of the standard deviation of the observations of the variable: see
#' [gpScores()]. `leave` is for fits of one variable, too, that has several observations at a place.
#'
#' If the covariance parameters cannot be estimated without a fold, its predictions are missing, with a warning that
#' names it; a message names folds without which an estimate is on a boundary, where that of the fit is not. If a
#' coefficient of the mean cannot be estimated without an observation, such as the only one of a level of a factor,
#' the prediction of that observation is missing, with a warning.
#'
#' @param fit a fit by [gpFit()].
#' @param type `"random"` folds of nearly equal sizes, `"block"`, or `"loo"`, where each observation is a fold.
#' @param k number of folds of `"random"` and `"block"`, by default 10, or as many as there are observations or places
#'   if these are fewer. It does not count for `"loo"`, which has as many folds as observations, nor with `folds`.
#' @param folds user-defined folds, instead of `type` and `k`: a vector with an element for each observation that the
#'   fit has, or for each row of its data. For fits of several variables these are rows of `data`, if as many.
#' @param refit `TRUE` to estimate the covariance parameters for each fold anew.
#' @param parameters `"plugin"` takes the covariance parameters of the fit for known, `"integrate"` averages over
#'   their posterior distribution given all observations: see [predict()][predict.gpFit].
#' @param leave `"observation"`, or `"place"` to keep all observations at a place in one fold.
#' @param seed a number that makes the folds reproducible, as for [simulate()][stats::simulate()]; by default they
#'   are drawn from R's random numbers as they are.
#' @param x,object a result of `gpCV()`.
#' @param level probability of the intervals.
#' @param digits number of significant digits.
#' @param which the plots to draw, any of `"observed"`, the observations against their predictions with intervals,
#'   `"qq"`, quantiles of the standardised residuals z, and `"map"`, these at their locations; or their numbers.
#' @param ask if `TRUE`, ask before each page; by default on an interactive device that has not room for all plots.
#' @param ... not used; for `plot` further graphical parameters for the first call of each plot.
#' @return A data frame of class `gpCV` with a row for each observation and the columns `observation` (its name or
#'   number), `fold` (for `"loo"` numbers of the observations used), `y`, `mean`, `sd`, `residual` (`y - mean`) and
#'   `z` (`residual / sd`), for a fit with a `family` also `log.density`, and of several variables `variable`.
#'   `print()` shows its scores, `summary()` those of each fold as well, and `as.data.frame()`
#'   gives the plain data frame. With `refit` the attribute `"parameters"` is a matrix of the covariance parameters,
#'   with a row for each fold.
#' @references
#' Dubrule, O. (1983). Cross validation of kriging in a unique neighborhood. *Mathematical Geology* **15**, 687--699.
#'
#' Roberts, D. R. et al. (2017). Cross-validation strategies for data with temporal, spatial, hierarchical, or
#' phylogenetic structure. *Ecography* **40**, 913--929.
#' @seealso [gpScores()]
#' @examples
#' quakes <- subset(datasets::quakes, depth < 100)
#' model <- covModel("exponential", range = NA, nugget = NA, distance = "chordal") # distances in km
#' fit <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat, cov = model)
#' cv <- gpCV(fit, k = 5, seed = 1)
#' cv
#' summary(gpCV(fit, "block", k = 5))
#' plot(cv, "observed")
#'
#' # two variables: what is lost where neither has been measured
#' model <- covModel("multimatern", range = 0.3, smoothness = 0.5, correlation = 0.9, nugget = 0.1)
#' set.seed(1)
#' places <- cbind(x = runif(40), y = runif(40))
#' both <- simulate(model, seed = 2, x = cbind(places[c(1:40, 1:40), ], rep(1:2, each = 40)))
#' soil <- data.frame(places, clay = both[1:40], carbon = both[41:80])
#' fit <- gpFit(cbind(clay, carbon) ~ 1, soil, ~ x + y, model, fixed = TRUE)
#' gpScores(gpCV(fit, "loo"))
#' gpScores(gpCV(fit, "loo", leave = "place"))
#' @export
gpCV <- function(fit, type = c("random", "block", "loo"), k = 10, folds = NULL, refit = FALSE, seed = NULL,
                 parameters = c("plugin", "integrate"), leave = c("observation", "place"), ...) {
  check_extra(...)
  need(fit = missing(fit))
  check_fit("fit", fit, "gpFit")
  leave <- choice("leave", leave)
  refit <- one_flag("refit", refit)
  type <- if (is.null(folds)) choice("type", type) else "own"
  mixture <- parameter_mixture(fit, parameters)
  if (refit && length(mixture$fits) > 1L)
    input_error("refit", refit, "estimates parameters: parameters = \"integrate\" averages over them")
  if (refit || type == "loo") normal_only(fit, "cross-validations with refit = TRUE or of type \"loo\"")
  n <- fit$nobs
  # what is left out together: an observation, or all that are at a place
  unit <- if (leave == "place") observed_at(fit) else seq_len(n)
  units <- max(unit)
  if (missing(k)) k <- min(k, if (type == "block") nrow(unique(space_points(fit$x, fit$metric))) else units)
  what <- if (leave == "place") "places" else "observations"
  if (units < 2L) input_error("leave", leave, "is for observations at two or more places: there is one")
  fold <- with_seed(seed, switch(type, own = own_folds(folds, fit), loo = unit,
                                 random = sample(rep_len(seq_len(fold_number(k, units, what)), units))[unit],
                                 block = block_folds(fit, fold_number(k, units, what))))
  attr(fold, "seed") <- NULL
  if (leave == "place" && type == "own") check_whole_places(fold, unit, fit)
  sets <- split(seq_len(n), fold)
  name <- names(fit$y)
  if (is.null(name)) name <- seq_len(n)
  rows <- if (refit) cv_refitted(fit, sets) else cv_mixed(mixture, if (type != "loo" || units < n) sets)
  gone <- which(is.nan(rows$mean)) # NA is of a fold that cannot be fitted
  if (length(gone))
    warn(sprintf(
      "a coefficient of the mean is not known without the fold of observation %s%s: predictions are missing",
      name[gone[1L]], if (length(gone) > 1L) sprintf(" (and %d more)", length(gone) - 1L) else ""))
  mean <- ifelse(is.na(rows$mean), NA_real_, rows$mean)
  sd <- ifelse(is.na(rows$sd), NA_real_, rows$sd)
  y <- unname(as.double(fit$y))
  value <- data.frame(observation = name, fold = fold, y = y, mean = mean, sd = sd, residual = y - mean,
                      z = (y - mean) / sd)
  if (!is.null(fit$variables)) value$variable <- factor(fit$variables$names[fit$variables$of], fit$variables$names)
  if (!is.null(rows$log.density)) value$log.density <- ifelse(is.na(rows$log.density), NA_real_, rows$log.density)
  attr(value, "type") <- type
  attr(value, "refit") <- refit
  attr(value, "leave") <- leave
  if (refit) attr(value, "parameters") <- rows$parameters
  attr(value, "x") <- structure(fit$x, dimnames = list(NULL, gp_axes(fit)))
  attr(value, "sphere") <- gp_recipe(fit)$space$sphere
  class(value) <- c("gpCV", "data.frame")
  value
}

# Predictions of the observations in each set, or of each, from all others.
cv_mixed <- function(mixture, sets) {
  parts <- lapply(mixture$fits, function(fit) likelihood_of(fit)$leave_out(sets))
  value <- mixed_moments(parts, mixture$weight)
  if (!is.null(parts[[1L]]$log.density))
    value$log.density <- mixed_logs(lapply(parts, `[[`, "log.density"), mixture$weight)
  value
}

fold_number <- function(k, n, what = "observations") {
  k <- whole_number("k", k)
  if (k < 2L || k > n) input_error("k", k, sprintf("must be from 2 to the number of %s, %d", what, n))
  k
}

# The numbers of the places where observations are, in the order in which these come first.
observed_at <- function(fit) {
  xy <- if (is.null(fit$variables)) fit$x else fit$x[, -ncol(fit$x), drop = FALSE]
  place <- place_numbers(xy)
  match(place, unique(place))
}

check_whole_places <- function(fold, place, fit) {
  first <- match(place, place)
  odd <- which(fold != fold[first])
  if (!length(odd)) return(invisible())
  names <- if (is.null(names(fit$y))) seq_along(fit$y) else names(fit$y)
  raise_engine_error("input", sprintf(paste(
    "folds has %s and %s for observations %s and %s, which are at one place: leave = \"place\" needs one fold for",
    "each place, and leave = \"observation\" takes these"), fold[first[odd[1L]]], fold[odd[1L]],
    names[first[odd[1L]]], names[odd[1L]]))
}

own_folds <- function(folds, fit) {
  n <- fit$nobs
  gone <- fit$na.action
  several <- fit$variables
  rows <- if (is.null(several)) n + length(gone) else several$rows
  if (!is.atomic(folds) || !length(folds) %in% c(n, rows)) raise_engine_error("input", sprintf(
    "folds has length %d: %s%s", length(folds), if (is.null(several)) sprintf("there are %d observations", n)
    else sprintf("there are %d rows of data, with %d observations of all variables", rows, n),
    if (is.numeric(folds) && length(folds) == 1L)
      sprintf("; gpCV(fit, k = %s) draws that number of folds", format(folds)) else ""))
  if (!is.null(several)) {
    if (length(folds) == rows) folds <- folds[several$row]
  } else if (length(folds) != n) folds <- folds[-gone]
  if (anyNA(folds)) element_error("folds", as.vector(folds), is.na(folds), "folds must not be missing", names(fit$y))
  if (length(unique(folds)) < 2L) input_error("folds", folds[1L], "must have two or more values")
  if (is.factor(folds)) droplevels(folds) else as.vector(folds)
}

block_folds <- function(fit, k) {
  xy <- space_points(fit$x, fit$metric)
  places <- nrow(unique(xy))
  if (k > places) input_error("k", k, sprintf("must be at most the number of locations, %d", places))
  if (k == places) return(match(data.frame(t(xy)), data.frame(t(unique(xy)))))
  # that a step was not its best is of no importance for blocks
  unname(suppressWarnings(stats::kmeans(xy, k, iter.max = 100L, nstart = 5L))$cluster)
}

# Which rows of X are no combinations of the others?
beyond_rows <- function(others, X)
  sqrt(colSums(qr.resid(qr(t(others)), t(X))^2)) > 1e-7 * sqrt(rowSums(X^2))

# The `fit` of all observations but those of a set, with the parameters of the covariance that are `fixed`; `new`, the
# set as places for it; and which of these are `unknown` to it, as their covariates are no combinations of the others.
fit_without <- function(fit, y, at, fixed) {
  X <- known_design(fit)
  others <- plain_points(fit$x[-at, , drop = FALSE])
  if (!is.null(fit$local)) others$local <- fit$local[-at, , drop = FALSE]
  some <- gp_fit(y[-at], X[-at, , drop = FALSE], fit$offset[-at], others,
                 list(model = fit$cov, fixed = fixed), fit$estimator, fit$method, fit$m, fit$block, fit$penalty,
                 fit$error.variance[-at], fit$family, fit$trials[-at],
                 lapply(beside_of(fit), rows_beside, -at))
  seen <- is_known(some)
  own <- X[at, , drop = FALSE]
  beside <- lapply(beside_of(fit), rows_beside, at)
  list(fit = some, unknown = if (!all(seen)) which(beyond_rows(X[-at, , drop = FALSE], own)),
       new = list(xy = fit_places(fit)[at, , drop = FALSE], X = own[, seen, drop = FALSE], offset = fit$offset[at],
                  groups = beside$groups, by = beside$by, varying = beside$varying, zero = beside$cases$zero))
}

# With the covariance parameters that each fit of the others has.
cv_refitted <- function(fit, sets) {
  mean <- sd <- rep(NA_real_, fit$nobs)
  known <- rownames(covariance_rows(fit))
  parameters <- matrix(NA_real_, length(sets), length(known), dimnames = list(names(sets), known))
  on.exit(progress_loop_done())
  folds <- Map(function(at, name) list(at = at, name = name), sets, names(sets))
  found <- cluster_apply(folds, "cv_refit", bare_fit(fit), if (is.null(cluster_in_use())) names(sets), proc.time())
  for (k in seq_along(sets)) if (!is.null(found[[k]]$mean)) {
    parameters[k, ] <- found[[k]]$estimate
    mean[sets[[k]]] <- found[[k]]$mean
    sd[sets[[k]]] <- found[[k]]$sd
  }
  ends <- unlist(lapply(found, `[[`, "end"))
  failed <- unlist(lapply(found, `[[`, "failed"))
  if (length(ends)) message("estimates are on a boundary: ", paste(ends, collapse = "; "))
  if (length(failed)) warn(paste(failed, collapse = "\n"))
  list(mean = mean, sd = sd, parameters = parameters)
}

# names: of all folds, where they are fitted one after the other from the time `began`.
cv_refit <- function(fold, fit, names, began) {
  at <- fold$at
  own <- covariance_rows(fit)
  failed <- character()
  note <- function(...) {
    failed <<- c(failed, paste0("without fold ", fold$name, ": ", ...))
    NULL
  }
  found <- withCallingHandlers(
    tryCatch({
      some <- fit_without(fit, fit$y, at, rownames(own)[own$fixed])$fit
      c(list(parameters = covariance_rows(some)),
        likelihood_of(replace(fit, "cov", some["cov"]))$leave_out(stats::setNames(list(at), fold$name)))
    }, statcl_error_input = function(e) note(conditionMessage(e), ": its predictions are missing")),
    warning = function(w) {
      note(conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    })
  if (is.null(found)) return(list(failed = failed))
  moved <- nzchar(found$parameters$boundary) & !nzchar(own$boundary)
  if (!is.null(names)) progress_loop("gpCV", began, match(fold$name, names) / length(names))
  list(failed = failed, estimate = found$parameters$estimate, mean = found$mean[at], sd = found$sd[at],
       end = if (any(moved)) sprintf("%s without fold %s", toString(rownames(own)[moved]), fold$name))
}

cv_heading <- function(x) {
  count <- length(unique(x$fold))
  folds <- switch(if (is.null(attr(x, "type"))) "own" else attr(x, "type"), loo = "leave-one-out",
                  random = sprintf("%d random folds", count), block = sprintf("%d blocks", count),
                  sprintf("%d folds", count))
  sprintf("Cross-validation of a Gaussian process: %s, %d observations%s%s\n", folds, nrow(x),
          if (identical(attr(x, "leave"), "place")) ", those of a place together" else "",
          if (isTRUE(attr(x, "refit"))) ", covariance parameters refitted" else "")
}

tell_units <- function(scores)
  if (is.matrix(scores)) cat("(all: in units of the standard deviation of each variable)\n")

cv_missing <- function(x) if (anyNA(x$mean)) cat(sprintf("(%d not predicted)\n", sum(is.na(x$mean))))

#' @rdname gpCV
#' @export
print.gpCV <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  cat(cv_heading(x), "\n", sep = "")
  scores <- gpScores(x, na.rm = TRUE)
  print(scores, digits = digits)
  tell_units(scores)
  cv_missing(x)
  invisible(x)
}

#' @rdname gpCV
#' @export
summary.gpCV <- function(object, level = 0.95, ...) {
  check_extra(...)
  several <- !is.null(object$variable)
  unit <- if (several) variable_units(object)
  scores <- function(rows) if (several) standardised_scores(rows, unit, level, na.rm = TRUE)
                           else cv_scores(rows, level, na.rm = TRUE)
  folds <- if (!identical(attr(object, "type"), "loo"))
    do.call(rbind, lapply(split(as.data.frame(object), object$fold), function(rows)
      data.frame(fold = rows$fold[1L], n = nrow(rows), t(scores(rows)))))
  z <- function(z) c(mean = mean(z, na.rm = TRUE), sd = stats::sd(z, na.rm = TRUE))
  structure(list(scores = cv_scores(object, level, na.rm = TRUE), folds = folds, heading = cv_heading(object),
                 level = level, z = if (several) rbind(t(vapply(split(object$z, droplevels(object$variable)), z,
                                                                numeric(2L))), all = z(object$z)) else z(object$z),
                 missing = sum(is.na(object$mean))), class = "summary.gpCV")
}

#' @rdname gpCV
#' @export
print.summary.gpCV <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  cat(x$heading, sprintf("Intervals of %g %%\n\n", 100 * x$level), sep = "")
  print(x$scores, digits = digits)
  tell_units(x$scores)
  if (is.matrix(x$z)) {
    cat("\nStandardised residuals\n")
    print(x$z, digits = digits)
  } else cat(sprintf("\nStandardised residuals: mean %s, standard deviation %s\n",
                     format(x$z[[1L]], digits = digits), format(x$z[[2L]], digits = digits)))
  if (!is.null(x$folds)) {
    cat("\n")
    print(x$folds, digits = digits, row.names = FALSE)
  }
  if (x$missing) cat(sprintf("(%d not predicted)\n", x$missing))
  invisible(x)
}

# Some of the rows or columns are a plain data frame.
#' @export
`[.gpCV` <- function(x, ...) as.data.frame(x)[...]

#' @export
as.data.frame.gpCV <- function(x, ...) {
  class(x) <- "data.frame"
  for (name in c("type", "refit", "leave", "parameters", "x", "sphere")) attr(x, name) <- NULL
  x
}

#' @rdname gpCV
#' @importFrom graphics plot
#' @export
plot.gpCV <- function(x, which = c("observed", "qq", "map"), level = 0.95, ask = NULL, ...) {
  which <- plot_views(which, eval(formals(plot.gpCV)$which))
  check_level(level)
  use <- !is.na(x$mean)
  xy <- attr(x, "x")
  d <- predicted_rows(x)
  views <- list(
    observed = function(...) draw_picture(observed_picture(d, level), ...),
    qq = function(...) {
      call_plot(stats::qqnorm, list(y = d$z, main = "Standardised residuals", xlab = "normal quantiles", ylab = "z",
                                    pch = 16, cex = 0.6, col = "#2166ac", las = 1), ...)
      graphics::abline(0, 1, col = "grey45")
    },
    map = function(...) {
      if (is.null(xy) || nrow(xy) != nrow(x) || ncol(xy) < 2L)
        raise_engine_error("input", "there are no locations in the plane for a map")
      size <- 0.5 + 1.5 * sqrt(pmin(abs(d$z), 4)) / 2
      call_plot(graphics::plot.default, list(
        x = xy[use, 1L], y = xy[use, 2L], xlab = colnames(xy)[1L], ylab = colnames(xy)[2L],
        main = "Standardised residuals", asp = map_aspect(attr(x, "sphere"), xy[use, 2L]),
        pch = ifelse(d$z < 0, 1, 16), cex = size, col = ifelse(d$z < 0, "#2166ac", "#b2182b"),
        las = upright(xy[use, 2L])), ...)
      graphics::mtext("larger: larger |z|; open circles: observed less than predicted", line = 0.3, cex = 0.8)
    })
  draw_views(which, ask, function(view) views[[view]](...))
  invisible(x)
}

predicted_rows <- function(x) as.data.frame(x)[!is.na(x$mean), ]

# Observations beside predictions with the limits of these.
observed_picture <- function(d, level) {
  half <- -stats::qnorm((1 - level) / 2) * d$sd
  limits <- data.frame(low = d$mean - half, high = d$mean + half, y = d$y)
  picture("Cross-validation", "prediction", "observation",
          list(mark("segments", limits, "#00000022"), mark("diagonal"),
               mark("points", data.frame(x = d$mean, y = d$y), plot_colours[["sample"]], size = 1.5, first = TRUE)),
          xlim = range(limits$low, limits$high))
}

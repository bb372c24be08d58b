# Methods of the class stableFits.

#' Methods for batches of fits of stable distributions
#'
#' Methods for the results of [stableFit()] for many series and of [stableRoll()] for many windows: a batch behaves as
#' a list of fits, and what its methods say is what those of [single fits][stableFit-methods] say, series by series.
#'
#' A batch has the components of [all fits][statclFit-methods]: `parameters` has the rows of the first series, then
#' those of the second and so on, `vcov` a slice for each, and `loglik`, `df`, `nobs` and `converged` an element.
#'
#' `fits[[i]]` is the fit of one series, an object of class [`stableFit`][stableFit()] with all its methods (an error
#' with the reason where there is none), and `fits[i]` a smaller batch. `fits$DAX` is that of the series named `DAX`,
#' unless a component of the batch, as `parameters`, has this name. Series that were not fitted have `NA`
#' everywhere, and the reason in the component `message`.
#'
#' @param x,object,fit,fitted a batch of fits.
#' @param i numbers, names or logical values that select series.
#' @param component,scale,na.rm as for [all fits][statclFit-methods]: not of use, as there is one component.
#' @param complete if `FALSE`, series without a fit are left out.
#' @param parm names or numbers of the parameters; by default all four.
#' @param level confidence level, between 0 and 1.
#' @param probs,names as for [quantile.stableFit()].
#' @param lower.tail if `FALSE`, `probs` are probabilities of exceedance.
#' @param method method of the limits, see [confint.stableFit()]. For `plot()`, `"auto"` is that of `confint()` for up
#'   to 40 fits. For more, limits are approximate: those on a transformed scale, for `alpha` the narrower of these and
#'   those on its own scale, and profiles only for `alpha` above 1.97 and estimates on a boundary, as profiles of all
#'   would take several times as long as the fits. `"default"` has them.
#' @param log if `TRUE`, `gamma` has a logarithmic axis; by default it has where its estimates differ by a factor of
#'   more than 30.
#' @param interval if `TRUE`, standard errors and confidence limits of the quantiles are given too.
#' @param type,nsim,seed as for single fits, see [residuals.stableFit()] and [simulate.stableFit()].
#' @param k the penalty per parameter.
#' @param test the only test there is.
#' @param n number of series to print.
#' @param legend position of the legend of several rolling series: `"above"` for the margin above the plots, or a
#'   keyword of [graphics::legend()] for one within the first plot; `NULL` for none.
#' @param digits number of significant digits.
#' @param row.names,optional as in [as.data.frame()].
#' @param ylim,xlab,col,... graphical parameters; further batches for `AIC`, `BIC` and `anova`; for `profile` what
#'   that of [all fits][statclFit-methods] takes; for the other methods not used.
#' @return `coef` gives a matrix with a row per series, `vcov` an array of covariance matrices (its third dimension
#'   counts the series), `confint` an array of series by limits by parameters, `quantile` a matrix of series by
#'   probabilities (with `interval = TRUE` an array, its third dimension `estimate`, `std.error`, `lower` and
#'   `upper`), `logLik` an object of class `logLik` with an element per series, `AIC` and `BIC` a vector, or for
#'   several batches a matrix with a column for each, `nobs`, `sigma`, `mean` and `median` a vector, `extractAIC` a
#'   matrix with the columns `df` and `AIC`, `anova` one table with a row for each series and model, `residuals`,
#'   `simulate` and `profile` a list with an element for each series, `as.data.frame` a row per series with
#'   estimates, standard errors (`std.error.alpha`, ...), log likelihood, number of observations and the message of
#'   the fit; `as.list` the single fits. `summary` has `coefficients`, an array of series by estimates and standard
#'   errors by parameters. `plot` shows estimates with pointwise confidence limits against the series,
#'   or the time of the window, with the panels of several parameters in one grid; `beta` is left out where `alpha`
#'   is above 1.99: it has hardly an effect there and jumps between -1 and 1. If a few of 20 series or more have a
#'   `delta` far from the others, the axis has the range of the others, and triangles at the frame mark the few:
#'   `ylim` shows more. `getCall` gives the call, so that [update()] works on batches, their parts (not those of
#'   rolling fits) and single fits.
#' @name stableFits-methods
#' @aliases stableFits
#' @seealso [stableFit()], [stableRoll()]
#' @examples
#' returns <- 100 * diff(log(datasets::EuStockMarkets))
#' fits <- stableFit(returns)
#' fits
#' coef(fits)
#' fits[["DAX"]]
#' as.data.frame(fits)
#' AIC(fits)
NULL

#' @rdname stableFits-methods
#' @export
length.stableFits <- function(x) length(unclass(x)$message)

#' @rdname stableFits-methods
#' @export
names.stableFits <- function(x) names(unclass(x)$message)

#' @rdname stableFits-methods
#' @export
as.list.stableFits <- function(x, ...) {
  fitted <- fitted_series(x)
  stats::setNames(lapply(seq_along(x), function(i) if (fitted[i]) x[[i]]), names(x))
}

# What f makes of the fit of each series; NULL where there is none.
each_series <- function(x, f, ...) lapply(as.list(x), function(fit) if (!is.null(fit)) f(fit, ...))

# Numbers of the series that are kept; component as for single fits.
kept_series <- function(object, component, complete, ...) {
  check_extra(...)
  component_rows(object, component)
  if (one_flag("complete", complete)) seq_along(object) else which(fitted_series(object))
}

#' @rdname stableFits-methods
#' @export
coef.stableFits <- function(object, component = NULL, complete = TRUE, ...)
  fit_rows(object, "estimate")[kept_series(object, component, complete, ...), , drop = FALSE]

#' @rdname stableFits-methods
#' @export
vcov.stableFits <- function(object, component = NULL, complete = TRUE, ...)
  object$vcov[, , kept_series(object, component, complete, ...), drop = FALSE]

#' @rdname stableFits-methods
#' @export
logLik.stableFits <- function(object, ...) {
  value <- NextMethod()
  structure(value, class = c("stableFitsLogLik", class(value)))
}

#' @export
print.stableFitsLogLik <- function(x, digits = getOption("digits"), ...) {
  digits <- print_digits(digits)
  table <- data.frame("log likelihood" = format(as.vector(x), digits = digits), df = unname(attr(x, "df")),
                      check.names = FALSE, row.names = series_labels(x))
  print(if (nrow(table)) table else "no series", quote = FALSE)
  invisible(x)
}

#' @rdname stableFits-methods
#' @importFrom stats AIC
#' @export
AIC.stableFits <- function(object, ..., k = 2) {
  one_number("k", k, "")
  fits_criterion(list(object, ...), substitute(list(object, ...)), function(n) as.double(k))
}

#' @rdname stableFits-methods
#' @importFrom stats BIC
#' @export
BIC.stableFits <- function(object, ...) fits_criterion(list(object, ...), substitute(list(object, ...)), log)

check_batches <- function(batches) {
  same <- vapply(batches, function(b) inherits(b, "stableFits") && length(b) == length(batches[[1L]]), TRUE)
  if (!all(same)) raise_engine_error("input", "all arguments must be batches of fits of the same number of series")
}

# A vector for one batch, a matrix with a column for each of several.
fits_criterion <- function(batches, call, penalty) {
  check_batches(batches)
  if (any(vapply(batches, function(b) any(nobs(b) != nobs(batches[[1L]]), na.rm = TRUE), TRUE)))
    warn("the fits are not all of the same number of observations")
  value <- vapply(batches, function(b) -2 * unname(b$loglik) + penalty(nobs(b)) * b$df,
                  numeric(length(batches[[1L]])))
  value <- matrix(value, ncol = length(batches))
  if (length(batches) == 1L) return(stats::setNames(value[, 1L], names(batches[[1L]])))
  dimnames(value) <- list(names(batches[[1L]]), vapply(as.list(call)[-1L], function(e) deparse(e)[1L], ""))
  value
}

#' @rdname stableFits-methods
#' @export
extractAIC.stableFits <- function(fit, scale = 0, k = 2, ...) {
  one_number("k", k, "")
  cbind(df = fit$dimension, AIC = as.double(k) * fit$dimension - 2 * fit$loglik)
}

#' @rdname stableFits-methods
#' @export
anova.stableFits <- function(object, ..., test = "Chisq") {
  choice("test", test, "Chisq")
  batches <- list(object, ...)
  check_batches(batches)
  if (length(batches) == 1L) raise_engine_error("input", "anova needs two or more batches of fits")
  check_comparable(object, batches)
  column <- function(f) matrix(vapply(batches, f, numeric(length(object))), ncol = length(batches))
  series_tests(column(function(b) b$dimension), column(function(b) b$loglik), series_labels(object),
               model_heading("Likelihood ratio tests of stable distributions", batches))
}

# Likelihood ratio tests of models for many series: df and loglik have a row for each series, a column for each model.
series_tests <- function(df, loglik, series, heading,
                         again = "start from the estimates of the smaller model") {
  models <- ncol(df)
  df <- c(t(df))
  loglik <- c(t(loglik))
  worse <- ratio_faults(df, loglik) - 1L
  worse <- unique(series[worse[worse %% models > 0] %/% models + 1L])
  if (length(worse))
    warn(sprintf("a larger model has a smaller likelihood for series %s: fit them again with %s",
                 toString(worse, 60L), again), class = "statcl_warning_better_fit", with = list(series = worse))
  ratio_table(df, loglik, paste(rep(series, each = models), rep(seq_len(models), length(series)), sep = "."), heading,
              models)
}

# Models that are of one sample, series by series, as far as they have a fit.
#' @exportS3Method NULL
check_comparable.stableFits <- function(fit, fits) {
  need_mle(fits)
  for (other in fits[-1L]) {
    both <- which(fitted_series(fit) & fitted_series(other))
    same <- vapply(both, function(i) identical(series_data(fit, i), series_data(other, i)), NA)
    if (!all(same))
      raise_engine_error("input", sprintf("the fits of series %s are not of the same sample",
                                          toString(both[!same], 40L)))
  }
}

#' @exportS3Method NULL
fit_label.stableFits <- function(fit) {
  fitted <- which(fitted_series(fit))
  if (length(fitted)) fit_label(fit[[fitted[1L]]]) else "no fits"
}

#' @rdname stableFits-methods
#' @export
confint.stableFits <- function(object, parm, level = 0.95, method = c("default", "profile", "transformed", "wald"),
                               ...) {
  refuse_extra("confint.stableFits", ...)
  method <- choice("method", method)
  check_level(level)
  parm <- if (missing(parm)) parameters else parameters[which_parameters(parm, parameters, "parm")]
  tail <- c(1 - level, 1 + level) / 2
  limits <- array(normal_limits(object$parameters, stats::qnorm(tail), method != "wald"), c(4L, length(object), 2L),
                  list(parameters, names(object), percent(tail)))
  limits <- aperm(limits[parm, , , drop = FALSE], c(2L, 3L, 1L))
  if (method == "profile") need_likelihood("object", object)
  if (object$method == "mle" && method %in% c("default", "profile")) {
    use <- is.finite(object$loglik) & object$converged
    if (method == "default") {
      edge <- colSums(matrix(on_edge(object$parameters), 4L)) > 0
      cheap <- profile_is_cheap(object$data$n[object$place], TRUE)
      # next to alpha = 2 the normal approximation fails on any scale
      upper <- fit_rows(object, "estimate") + stats::qnorm(tail[2L]) * fit_rows(object, "std.error")
      near <- use & !edge & cheap & !fit_rows(object, "fixed")[, 1L] & upper[, 1L] > 2
      if ("alpha" %in% parm) limits[which(near), , "alpha"] <- fits_profiles(object, which(near), "alpha", level)
      use <- use & edge & cheap
    } else use <- is.finite(object$loglik)
    limits[use, , ] <- fits_profiles(object, which(use), parm, level)
  }
  limits
}

# Profile limits of the parameters of some of the fits: series by limits by parameters. A thousand at a time, with one
# warning for all of them.
fits_profiles <- function(object, which, parm, level) {
  limits <- array(NA_real_, c(length(which), 2L, length(parm)))
  lost <- 0L
  better <- integer()
  for (some in split(seq_along(which), (seq_along(which) - 1L) %/% 1000L)) {
    set <- profile_set(object[which[some]])
    at <- match(parm, parameters)
    wanted <- which(!set$fixed[, at, drop = FALSE], arr.ind = TRUE)
    if (!nrow(wanted)) next
    found <- profile_search(set, wanted[, 1L], at[wanted[, 2L]], level)
    for (side in 1:2) limits[cbind(some[wanted[, 1L]], side, wanted[, 2L])] <- found$limits[, side]
    lost <- lost + sum(found$searches$state %in% c("open", "lost"))
    better <- c(better, which[some][found$set$loglik > set$loglik])
  }
  if (lost) warn(sprintf("%d profile limits have not been found", lost))
  if (length(better))
    warn("the profiles have found larger maxima than the fits of ", toString(better, 60L),
         ": they are those of the larger ones; profile() of a single fit tells where")
  limits
}

#' @exportS3Method NULL
profile_set.stableFits <- function(fit, at) {
  data <- fit$data
  data[c("first", "n")] <- list(data$first[fit$place], data$n[fit$place])
  stable_set(fit, data)
}

#' @rdname stableFits-methods
#' @export
profile.stableFits <- function(fitted, ...) each_series(fitted, profile, ...)

#' @rdname stableFits-methods
#' @export
quantile.stableFits <- quantile.stableFit

#' @rdname stableFits-methods
#' @export
sigma.stableFits <- function(object, ...) stats::setNames(c(coef(object)[, "gamma"]), names(object))

#' @rdname stableFits-methods
#' @export
mean.stableFits <- function(x, ...) {
  check_extra(...)
  stats::setNames(fit_means(x), names(x))
}

#' @rdname stableFits-methods
#' @export
median.stableFits <- function(x, na.rm = FALSE, ...) {
  check_extra(...)
  stats::setNames(c(quantile(x, 0.5)), names(x))
}

#' @rdname stableFits-methods
#' @export
residuals.stableFits <- function(object, type = c("pit", "quantile"), ...) {
  check_extra(...)
  each_series(object, residuals, choice("type", type))
}

#' @rdname stableFits-methods
#' @export
simulate.stableFits <- function(object, nsim = 1, seed = NULL, ...) {
  check_extra(...)
  with_seed(seed, each_series(object, simulate, nsim))
}

#' @rdname stableFits-methods
#' @export
as.data.frame.stableFits <- function(x, row.names = NULL, optional = FALSE, ...) {
  frame <- estimates_frame(x)
  if (!is.null(x$window) || !is.null(names(x))) frame <- cbind(fits_label_columns(x), frame)
  if (is.null(row.names) && is.null(x$window) && !anyDuplicated(names(x)) && !anyNA(names(x)))
    row.names <- names(x)
  name_rows(frame, row.names)
}

#' @rdname stableFit-methods
#' @export
as.data.frame.stableFit <- function(x, row.names = NULL, optional = FALSE, ...)
  name_rows(estimates_frame(x), row.names)

# A row for each of the fits, or the one fit.
estimates_frame <- function(x) {
  errors <- fit_rows(x, "std.error")
  colnames(errors) <- paste0("std.error.", parameters)
  values <- cbind(fit_rows(x, "estimate"), errors)
  rownames(values) <- NULL
  data.frame(values, loglik = unname(x$loglik), nobs = unname(x$nobs), converged = unname(x$converged),
             message = unname(x$message))
}

# Different names of the series; those without one have their number.
series_labels <- function(x) {
  if (is.null(names(x))) return(seq_along(x))
  none <- !nzchar(names(x))
  make.unique(replace(paste(names(x)), none, which(none)))
}

# What the batch is made of.
fits_word <- function(fits, n = 2L) if (is.null(fits$window)) "series" else if (n == 1L) "window" else "windows"

fits_title <- function(method, pm) sprintf("Stable distributions by %s, pm = %d", fit_methods[[method]], pm)

#' @rdname stableFits-methods
#' @export
print.stableFits <- function(x, n = 8L, digits = max(3L, getOption("digits") - 4L), ...) {
  digits <- print_digits(digits)
  n <- check_rows("n", n)
  m <- length(x)
  cat(sprintf("%s: %d %s\n", fits_title(x$method, x$pm), m, fits_word(x, m)))
  if (m == 0L) return(invisible(x))
  shown <- seq_len(min(n, m))
  errors <- fit_rows(x, "std.error")[shown, , drop = FALSE]
  estimates <- fit_rows(x, "estimate")[shown, , drop = FALSE]
  edge <- fit_rows(x, "boundary")[shown, , drop = FALSE]
  column <- function(k) {
    error <- ifelse(is.na(errors[, k]), ifelse(nzchar(edge[, k]), " *", ""),
                    sprintf(" (%s)", format(errors[, k], digits = max(digits - 1L, 2L))))
    as.character(ifelse(is.na(estimates[, k]), "-", paste0(format(estimates[, k], digits = digits), format(error))))
  }
  table <- vapply(1:4, column, character(length(shown)))
  table <- matrix(table, ncol = 4L, dimnames = list(rownames(estimates), parameters))
  if (is.null(rownames(table))) rownames(table) <- shown
  cat("\n")
  print(table, quote = FALSE, right = TRUE)
  if (m > n) cat(sprintf("... and %.0f more\n", m - n))
  if (any(nzchar(edge) & is.na(errors) & !is.na(estimates))) cat("* on the boundary, without a standard error\n")
  bad <- nzchar(x$message)
  if (any(bad)) {
    # without the element, value or counts that a message begins with
    text <- sub("^[a-z]+([[][0-9]+[]])? = [^:]*: ", "", x$message[bad])
    text <- sub("^[^ ]+ of [^ ]+ values are equal", "many values are equal", text)
    text <- sub("(the likelihood is unbounded).*", "\\1", text)
    reasons <- sort(table(text), decreasing = TRUE)
    reasons <- utils::head(reasons, 5L)
    count <- as.vector(reasons)
    line <- sprintf("%d %s: %s", count, vapply(count, function(k) fits_word(x, k), ""),
                    gsub("[[:space:]]+", " ", names(reasons)))
    own <- vapply(names(reasons), function(reason) toString(series_labels(x)[bad][text == reason], 30L), "")
    room <- 97L - nchar(own)
    cat("\n")
    writeLines(sprintf("%s [%s]", ifelse(nchar(line) > room, paste0(substr(line, 1L, room - 3L), "..."), line), own))
  }
  invisible(x)
}

#' @rdname stableFits-methods
#' @export
summary.stableFits <- function(object, ...) {
  check_extra(...)
  edge <- fit_rows(object, "boundary")
  quartiles <- apply(coef(object), 2L, stats::quantile, probs = c(0, 0.25, 0.5, 0.75, 1), na.rm = TRUE)
  rolling <- !is.null(object$window)
  errors <- fit_rows(object, "std.error")
  table <- array(c(coef(object), errors), c(length(object), 4L, 2L),
                 list(names(object), parameters, c("Estimate", "Std. Error")))
  structure(list(coefficients = aperm(table, c(1L, 3L, 2L)), quartiles = quartiles,
                 se = apply(errors, 2L, stats::median, na.rm = TRUE),
                 n = length(object), fitted = sum(object$converged), normal = sum(edge[, "alpha"] == "upper"),
                 skew = sum(nzchar(edge[, "beta"])), method = object$method, pm = object$pm,
                 what = fits_word(object),
                 # windows may share observations: the sum says nothing
                 loglik = if (!rolling) sum(object$loglik, na.rm = TRUE)), class = "summary.stableFits")
}

#' @rdname stableFits-methods
#' @export
print.summary.stableFits <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  tell <- function(...) writeLines(strwrap(sprintf(...), width = getOption("width")))
  tell("%s: %d of %d %s fitted", fits_title(x$method, x$pm), x$fitted, x$n, x$what)
  cat("\n")
  print(rbind(x$quartiles, "median s.e." = x$se), digits = digits)
  cat("\n")
  if (!is.null(x$loglik)) tell("sum of log likelihoods %s", format_finely(x$loglik, digits))
  tell("on the boundary: alpha = 2 in %d, |beta| = 1 in %d of %d %s", x$normal, x$skew, x$n, x$what)
  invisible(x)
}

# Methods of the class stableFits.

#' Methods for batches of fits of stable laws
#'
#' What [stableFit()] makes of many series, and [stableRoll()] of many windows, behaves as a list of fits that is kept
#' in arrays.
#'
#' `fits[[i]]` is the fit of one series, an object of class [`stableFit`][stableFit()] with all its methods (an error
#' with the reason where there is none), and `fits[i]` a smaller batch. Series that were not fitted have `NA`
#' everywhere, and the reason in the component `message`.
#'
#' @param x,object a batch of fits.
#' @param i numbers, names or logical values that choose series.
#' @param parm names or numbers of the parameters wanted; by default all four.
#' @param level confidence level, between 0 and 1.
#' @param probs probabilities.
#' @param n number of series shown.
#' @param digits number of significant digits.
#' @param row.names,optional as in [as.data.frame()].
#' @param ylim,xlab,col,... graphical parameters; for the other methods not used.
#' @return `coef` gives a matrix with a row per series, `vcov` an array of covariance matrices (its third dimension
#'   counts the series), `confint` an array of series by limits by parameters, `quantile` a matrix of series by
#'   probabilities, `logLik` an object of class `logLik` with an element per series, so that [AIC()] and [BIC()] give
#'   vectors, `nobs` a vector, `as.data.frame` a row per series with estimates, standard errors (`se.alpha`, ...), log
#'   likelihood, number of observations and whatever the fit has to say; `as.list` the single fits. `plot` shows
#'   estimates with pointwise confidence limits against the number of the series, or the time of the window.
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

# The numbers of the series that i chooses.
fits_index <- function(x, i) {
  at <- seq_along(x$message)
  names(at) <- names(x$message)
  chosen <- unname(at[i])
  if (anyNA(chosen)) raise_engine_error("input", sprintf("there is no series %s", toString(i[is.na(chosen)], 60L)))
  chosen
}

#' @rdname stableFits-methods
#' @export
`[.stableFits` <- function(x, i) {
  kind <- class(x)
  x <- unclass(x)
  at <- fits_index(x, i)
  for (name in c("coefficients", "fixed", "boundary")) x[[name]] <- x[[name]][at, , drop = FALSE]
  for (name in c("loglik", "converged", "iterations", "evaluations", "message", "nobs", "place"))
    x[[name]] <- x[[name]][at]
  x$vcov <- x$vcov[, , at, drop = FALSE]
  if (!is.null(x$window)) x$window <- x$window[at, , drop = FALSE]
  structure(x, class = kind)
}

#' @rdname stableFits-methods
#' @export
`[[.stableFits` <- function(x, i) {
  x <- unclass(x)
  if (length(i) != 1L) input_error("i", i, "must be one number or name")
  at <- fits_index(x, i)
  place <- x$place[at]
  if (is.na(place) || !is.finite(x$loglik[at])) raise_engine_error("input", x$message[[at]])
  rows <- x$data$first[place] + seq_len(x$data$n[place])
  call <- x$call
  if (!is.null(call)) call$x <- call("[[", call$x, i)
  fit_one(x, at, lapply(x$data[c("x", "weights", "upper")], function(v) v[rows]), call)
}

#' @rdname stableFits-methods
#' @export
as.list.stableFits <- function(x, ...) {
  all <- seq_along(x)
  fitted <- is.finite(x$loglik)
  stats::setNames(lapply(all, function(i) if (fitted[i]) x[[i]]), names(x))
}

#' @rdname stableFits-methods
#' @export
coef.stableFits <- function(object, ...) object$coefficients

#' @rdname stableFits-methods
#' @export
vcov.stableFits <- function(object, ...) object$vcov

#' @rdname stableFits-methods
#' @export
nobs.stableFits <- function(object, ...) object$nobs

#' @rdname stableFits-methods
#' @export
logLik.stableFits <- function(object, ...)
  structure(object$loglik, df = fits_df(object), nobs = object$nobs, class = "logLik")

# As counted() in fit-methods.R.
fits_df <- function(object)
  rowSums(!object$fixed) - (!object$fixed[, 2L] & object$coefficients[, 1L] %in% 2)

percent <- function(p) paste(format(100 * p, trim = TRUE, digits = 3), "%")

# Standard errors, a row per series.
fits_errors <- function(object) {
  errors <- vapply(1:4, function(k) sqrt(object$vcov[k, k, ]), numeric(length(object)))
  matrix(errors, ncol = 4L, dimnames = dimnames(object$coefficients))
}

#' @rdname stableFits-methods
#' @export
confint.stableFits <- function(object, parm, level = 0.95, ...) {
  check_level(level)
  if (missing(parm)) parm <- parameters
  if (is.numeric(parm)) parm <- parameters[parm]
  if (anyNA(match(parm, parameters)))
    input_error("parm", setdiff(parm, parameters), "must name parameters of the fit")
  tail <- c(1 - level, 1 + level) / 2
  estimate <- object$coefficients[, parm, drop = FALSE]
  error <- fits_errors(object)[, parm, drop = FALSE]
  limits <- array(c(estimate + stats::qnorm(tail[1]) * error, estimate + stats::qnorm(tail[2]) * error),
                  c(dim(estimate), 2L), list(rownames(estimate), parm, percent(tail)))
  aperm(limits, c(1L, 3L, 2L))
}

#' @rdname stableFits-methods
#' @export
quantile.stableFits <- function(x, probs = c(0.01, 0.05, 0.5, 0.95, 0.99), ...) {
  p <- x$coefficients
  good <- !is.na(p[, 1L])
  value <- matrix(NA_real_, nrow(p), length(probs), dimnames = list(names(x), percent(probs)))
  for (k in seq_along(probs))
    value[good, k] <- qstable(probs[k], p[good, 1L], p[good, 2L], p[good, 3L], p[good, 4L], x$pm)
  value
}

#' @rdname stableFits-methods
#' @export
as.data.frame.stableFits <- function(x, row.names = NULL, optional = FALSE, ...) {
  errors <- fits_errors(x)
  colnames(errors) <- paste0("se.", parameters)
  frame <- data.frame(x$coefficients, errors, loglik = x$loglik, nobs = x$nobs, converged = x$converged,
                      message = x$message, row.names = row.names, stringsAsFactors = FALSE)
  if (is.null(x$window)) {
    if (is.null(names(x))) frame else data.frame(series = names(x), frame, row.names = row.names)
  } else {
    rownames(frame) <- NULL
    cbind(x$window, frame)
  }
}

#' @rdname stableFits-methods
#' @export
print.stableFits <- function(x, n = 8L, digits = max(3L, getOption("digits") - 4L), ...) {
  m <- length(x)
  what <- if (is.null(x$window)) "series" else "windows"
  cat(sprintf("Stable laws by %s, pm = %d: %d %s\n\n", fit_methods[[x$method]], x$pm, m, what))
  shown <- seq_len(min(n, m))
  errors <- fits_errors(x)[shown, , drop = FALSE]
  estimates <- x$coefficients[shown, , drop = FALSE]
  column <- function(k) {
    error <- ifelse(is.na(errors[, k]), "", sprintf(" (%s)", format(errors[, k], digits = max(digits - 1L, 2L))))
    ifelse(is.na(estimates[, k]), "-", paste0(format(estimates[, k], digits = digits), format(error)))
  }
  table <- vapply(1:4, column, character(length(shown)))
  table <- matrix(table, ncol = 4L, dimnames = list(rownames(estimates), parameters))
  if (is.null(rownames(table))) rownames(table) <- shown
  print(table, quote = FALSE, right = TRUE)
  if (m > n) cat(sprintf("... and %d more\n", m - n))
  bad <- nzchar(x$message)
  if (any(bad)) {
    reasons <- sort(table(sub("^[^:]*: ", "", x$message[bad])), decreasing = TRUE)
    cat("\n")
    writeLines(sprintf("%d: %s", utils::head(reasons, 5L), names(utils::head(reasons, 5L))))
  }
  invisible(x)
}

#' @rdname stableFits-methods
#' @export
summary.stableFits <- function(object, ...) {
  p <- object$coefficients
  errors <- fits_errors(object)
  quartiles <- apply(p, 2L, stats::quantile, probs = c(0, 0.25, 0.5, 0.75, 1), na.rm = TRUE)
  structure(list(quartiles = quartiles, se = apply(errors, 2L, stats::median, na.rm = TRUE), n = nrow(p),
                 fitted = sum(object$converged), normal = sum(object$boundary[, "alpha"] == "upper"),
                 skew = sum(nzchar(object$boundary[, "beta"])), method = object$method, pm = object$pm,
                 loglik = sum(object$loglik, na.rm = TRUE)), class = "summary.stableFits")
}

#' @rdname stableFits-methods
#' @export
print.summary.stableFits <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat(sprintf("Stable laws by %s, pm = %d: %d of %d series fitted\n\n", fit_methods[[x$method]], x$pm, x$fitted, x$n))
  print(rbind(x$quartiles, "median s.e." = x$se), digits = digits)
  cat(sprintf("\nsum of log likelihoods %s; on the boundary: alpha = 2 %d times, |beta| = 1 %d times\n",
              format(x$loglik, digits = digits + 3L), x$normal, x$skew))
  invisible(x)
}

#' @rdname stableFits-methods
#' @export
plot.stableFits <- function(x, parm = c("alpha", "beta", "gamma", "delta"), level = 0.95, ylim = NULL, xlab = NULL,
                            col = NULL, ...) {
  parm <- match.arg(parm, several.ok = TRUE)
  window <- x$window
  at <- if (is.null(window)) seq_along(x) else if (is.null(window$time)) window$to else window$time
  group <- if (is.null(window$series)) rep("", length(at)) else as.character(window$series)
  groups <- unique(group)
  if (is.null(col)) col <- rep_len(c("#2166ac", "#b2182b", "#1b7837", "#762a83", "#e08214", "#4d4d4d"), length(groups))
  if (is.null(xlab)) xlab <- if (is.null(window)) "series" else if (is.null(window$time)) "end of window" else "time"
  limits <- confint(x, parm, level)
  for (p in parm) {
    estimate <- x$coefficients[, p]
    if (p == "beta") estimate[x$coefficients[, "alpha"] == 2 & !x$fixed[, "beta"]] <- NA # without effect
    low <- clip(limits[, 1L, p], p)
    high <- clip(limits[, 2L, p], p)
    banded <- length(groups) == 1L || is.null(window)
    inside <- if (is.null(ylim)) range(estimate, if (banded) c(low, high), na.rm = TRUE) else ylim
    named <- is.null(window) && !is.null(names(x)) && length(x) <= 30L
    call_plot(graphics::plot.default, list(x = range(at), y = inside, type = "n", xlab = xlab, ylab = p, las = 1,
                                           xaxt = if (named) "n" else "s"), ...)
    if (named) graphics::axis(1, at, names(x))
    for (k in seq_along(groups)) {
      mine <- group == groups[k]
      if (is.null(window)) {
        graphics::segments(at, low, y1 = high, col = "grey60")
        graphics::points(at, estimate, pch = 16, col = col[k])
      } else {
        if (banded) plot_band(at, low, high, grDevices::adjustcolor(col[k], 0.2))
        graphics::lines(at[mine], estimate[mine], col = col[k], lwd = 1.5)
      }
    }
    if (length(groups) > 1L) graphics::legend("bottomleft", groups, col = col, lwd = 1.5, bty = "n", cex = 0.8)
  }
  invisible(x)
}

# A band between low and high over every stretch where they are known.
plot_band <- function(at, low, high, col) {
  stretch <- rle(!is.na(low))
  last <- cumsum(stretch$lengths)
  first <- last - stretch$lengths + 1L
  for (k in which(stretch$values)) {
    i <- first[k]:last[k]
    if (length(i) > 1L) graphics::polygon(c(at[i], rev(at[i])), c(low[i], rev(high[i])), border = NA, col = col)
    else graphics::segments(at[i], low[i], y1 = high[i], col = col)
  }
}

# Confidence limits within the range of the parameter.
clip <- function(v, p) switch(p, alpha = pmin(pmax(v, 0), 2), beta = pmin(pmax(v, -1), 1), gamma = pmax(v, 0), v)

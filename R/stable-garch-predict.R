# Forecasts by stableGarch().

#' Forecasts of volatility, value at risk and shortfall
#'
#' Mean, scale, quantiles and means beyond these of the times that follow a series, or of the times of new data, each
#' from those before it, without fitting again.
#'
#' For the next time all are exact: location and scale are known, and quantiles and shortfalls are those of the
#' innovations. Further on the mean and \eqn{(E s_{n+h}^p)^{1/p}}{(E s^p)^(1/p)}, which is reported as the scale,
#' follow from the recursions, while quantiles and shortfalls are those of the mixture of distributions over `nsim`
#' simulated paths up to the time before: only the scales are simulated, not the tails. They are drawn by R's
#' generator.
#'
#' The quantile of probability `p` of a return is minus the value at risk at level `p`. The shortfall is the mean of
#' the values below the quantile for `p` up to 1/2, and above it otherwise, see [esstable()].
#'
#' `newdata` are observations that follow those of the fit. The recursions go on through them with the estimates as
#' they are. Forecasts are then for the times after these; with `each = TRUE` also for each of them, as they would
#' have been made at the time before.
#'
#' @inheritParams simulate.stableFit
#' @param object a fit by [stableGarch()], or many.
#' @param n.ahead number of times to forecast; may be 0 with `each = TRUE`.
#' @param probs probabilities of the quantiles, between 0 and 1.
#' @param newdata observations that follow those of the fit, or `NULL`; for many series in columns, or a list.
#' @param xreg regressors of all times of `newdata` and then of `n.ahead`, where the fit has them. Columns are found
#'   by their names, or by their order where they have none.
#' @param each if `TRUE`, one-step forecasts for the times of `newdata` come first.
#' @param nsim number of paths for more than one step.
#' @param ... not used.
#' @return A data frame with a row for each time: `ahead`, the number of steps, `observed` (with `each`), `mean`,
#'   `scale`, and for each of `probs` columns as `quantile.1%` and `shortfall.1%`. For many series their rows follow
#'   one another after a column `series`.
#' @seealso [stableGarch()], [backtest()], [esstable()]
#' @examples
#' returns <- 100 * diff(log(datasets::EuStockMarkets[, "SMI"]))
#' fit <- stableGarch(returns[1:1800])
#' predict(fit, 5, probs = 0.01, seed = 1)
#' # without fitting again
#' predict(fit, 1, probs = c(0.01, 0.05), newdata = returns[1801:1859])
#' tail(predict(fit, 0, probs = 0.01, newdata = returns[1801:1859], each = TRUE))
#' @importFrom stats predict
#' @export
predict.stableGarch <- function(object, n.ahead = 1, probs = c(0.01, 0.05), newdata = NULL, xreg = NULL, each = FALSE,
                                nsim = 1000, seed = NULL, ...) {
  check_extra(...)
  check_numbers("n.ahead", n.ahead, "not negative")
  if (length(n.ahead) != 1L || n.ahead != floor(n.ahead))
    input_error("n.ahead", n.ahead, "must be a whole number, not negative")
  each <- one_flag("each", each)
  if (n.ahead == 0 && !each) input_error("n.ahead", n.ahead, "must be positive, but with each = TRUE")
  nsim <- whole_number("nsim", nsim)
  probs <- garch_probs(probs)
  new <- garch_new(newdata)
  if (each && !length(new)) raise_engine_error("input", "each = TRUE is for newdata")
  xreg <- garch_new_regressors(object, xreg, length(new) + n.ahead)
  old <- length(object$x)
  rows <- seq_along(new)
  past <- garch_filter(object, c(object$x, new), rbind(object$xreg, xreg[rows, , drop = FALSE]))
  law <- garch_law(object$model, object$coefficients)
  told <- NULL
  if (each) {
    at <- old + rows
    told <- data.frame(ahead = 1, observed = new, garch_row(new - past$e[at], past$scale[at], law, probs),
                       check.names = FALSE)
  }
  if (n.ahead == 0) return(told)
  location <- garch_location(object, n.ahead, xreg[length(new) + seq_len(n.ahead), , drop = FALSE])
  future <- garch_forecast(object, past, location, law, probs, nsim, seed)
  future <- data.frame(ahead = seq_len(n.ahead), observed = NA_real_, future, check.names = FALSE)
  if (!each) future$observed <- NULL
  value <- rbind(told, future)
  rownames(value) <- NULL
  value
}

garch_probs <- function(probs) {
  check_numbers("probs", probs, "positive")
  if (any(probs >= 1)) element_error("probs", probs, probs >= 1, "probs must be between 0 and 1")
  as.double(probs)
}

garch_new <- function(newdata) {
  if (is.null(newdata)) return(numeric())
  newdata <- plain_numbers(newdata)
  if (!is.numeric(newdata) || NCOL(newdata) > 1L)
    input_error("newdata", class(newdata)[1L], "must be a numeric vector: the observations that follow")
  newdata <- as.double(newdata)
  if (any(!is.finite(newdata))) element_error("newdata", newdata, !is.finite(newdata), "newdata must be finite")
  newdata
}

garch_new_regressors <- function(fit, xreg, n) {
  if (is.null(fit$xreg)) {
    if (!is.null(xreg)) input_error("xreg", class(xreg)[1L], "is for fits with regressors")
    return(NULL)
  }
  if (is.null(xreg)) raise_engine_error("input", sprintf(
    "xreg is missing: the fit has regressors, %s, whose values are needed for %s", toString(colnames(fit$xreg)),
    count_text(n, "time")))
  value <- garch_regressors(xreg, n)
  own <- colnames(fit$xreg)
  if (all(own %in% colnames(value))) return(value[, own, drop = FALSE])
  if (!is.null(colnames(xreg)) && !all(grepl("^xreg[0-9]+$", own)))
    input_error("xreg", toString(colnames(xreg)), sprintf("must have the columns of the fit, %s", toString(own)))
  if (ncol(value) != ncol(fit$xreg))
    input_error("xreg", ncol(value), sprintf("must have %s", count_text(ncol(fit$xreg), "column")))
  value
}

# Columns for times with known locations and scales.
garch_row <- function(mean, scale, law, probs)
  garch_columns(mean, scale, outer(scale, law$q(probs)) + mean, outer(scale, law_shortfall(law, probs)) + mean, probs)

garch_columns <- function(mean, scale, quantile, shortfall, probs) {
  label <- vapply(probs, function(p) sub(" ", "", percent(p)), "")
  columns <- unlist(lapply(seq_along(probs), function(k) list(quantile[, k], shortfall[, k])), recursive = FALSE)
  names(columns) <- paste0(c("quantile.", "shortfall."), rep(label, each = 2L))
  data.frame(c(list(mean = mean, scale = scale), columns), check.names = FALSE)
}

garch_forecast <- function(fit, past, location, law, probs, nsim, seed) {
  n <- length(location)
  model <- fit$model
  theta <- unname(fit$coefficients)
  p <- model$places
  asym <- if (length(p$asym)) theta[p$asym] else numeric(length(p$arch))
  moment <- exp(garch_moment(model, theta[p$law], asym)$log)
  last <- length(past$u)
  u <- past$u
  e <- past$e
  scale <- past$c
  news <- outer(abs(e), rep(1, length(p$arch))) - outer(e, asym)
  news <- news^fit$power
  lag <- function(v, k, t, before) if (t > k) v[t - k] else before
  for (t in last + seq_len(n)) {
    scale[t] <- theta[p$omega] +
      sum(vapply(seq_along(p$arch), function(i)
        theta[p$arch[i]] * (if (t > i) news[t - i, i] else fit$first), 1)) +
      sum(vapply(seq_along(p$garch), function(j) theta[p$garch[j]] * lag(scale, j, t, fit$first), 1))
    u[t] <- sum(vapply(seq_along(p$ar), function(i) theta[p$ar[i]] * lag(u, i, t, 0), 1)) +
      sum(vapply(seq_along(p$ma), function(j) theta[p$ma[j]] * lag(e, j, t, 0), 1))
    e[t] <- 0
    news <- rbind(news, scale[t] * moment)
  }
  at <- last + seq_len(n)
  mean <- location + u[at]
  told <- garch_row(mean[1L], scale[at[1L]]^(1 / fit$power), law, probs)
  if (n == 1L) return(told)
  z <- with_seed(seed, matrix(law$r(as.double(n) * nsim), n, nsim))
  z <- matrix(as.vector(z), n, nsim)
  paths <- garch_ahead(fit, past, z)
  if (model$law == "stable" && n > 4L) law <- quick_law(law)
  rows <- lapply(2:n, function(h) {
    of <- garch_mixture(paths$y[h, ] - paths$scale[h, ] * z[h, ], paths$scale[h, ], law, probs)
    garch_columns(mean[h], scale[at[h]]^(1 / fit$power), location[h] + rbind(of$quantile),
                  location[h] + rbind(of$shortfall), probs)
  })
  do.call(rbind, c(list(told), rows))
}

# A law whose probabilities and means beyond z are interpolated, for many mixtures: cubic splines in steps of 0.01 of
# asinh(z), of the log probability and of the mean over sqrt(1 + z^2), for |z| up to 1e4 where no tail underflows.
# Their relative errors are below 1e-6 where probabilities are above 1e-6, which tests measure.
quick_law <- function(law) {
  v <- seq(-9.9, 9.9, by = 0.01)
  tail <- lapply(c(upper = FALSE, lower = TRUE), function(low) law$p(sinh(v), lower.tail = low, log.p = TRUE))
  known <- tail$lower > -500 & tail$upper > -500
  v <- v[known]
  side <- function(low) if (low) "lower" else "upper"
  log_p <- lapply(tail, function(tail) stats::splinefun(v, tail[known]))
  mean <- list()
  inside <- function(z) z >= sinh(v[1L]) & z <= sinh(v[length(v)])
  at <- function(z, quick, exact) {
    value <- quick(asinh(z))
    far <- which(!inside(z))
    if (length(far)) value[far] <- exact(z[far])
    value
  }
  own <- law
  own$p <- function(z, lower.tail) at(z, function(v) exp(log_p[[side(lower.tail)]](v)),
                                      function(z) law$p(z, lower.tail = lower.tail))
  own$es_at <- function(z, low) {
    name <- side(low)
    if (is.null(mean[[name]]))
      mean[[name]] <<- stats::splinefun(v, law$es(exp(tail[[name]][known]), low) / cosh(v))
    at(z, function(v) mean[[name]](v) * cosh(v), function(z) law$es(law$p(z, lower.tail = low), low))
  }
  own
}

# Quantiles and shortfalls of the mixture, with equal weights, of laws with these locations and scales.
# They are searched as an inverse hyperbolic sine, which keeps digits in the middle where some scales are large.
garch_mixture <- function(location, scale, law, probs) {
  middle <- stats::median(location)
  unit <- stats::median(scale)
  at <- function(v) middle + unit * sinh(v)
  value <- vapply(probs, function(p) {
    low <- p <= 0.5
    level <- if (low) p else 1 - p
    beyond <- function(x) law$p((x - location) / scale, lower.tail = low)
    ends <- asinh((range(location + scale * law$q(p)) - middle) / unit)
    q <- at(if (diff(ends) > 0) stats::uniroot(function(v) log(base::mean(beyond(at(v)))) - log(level), ends,
                                               tol = 1e-11, extendInt = "yes")$root else ends[1L])
    own <- beyond(q)
    some <- own > 0
    mean <- if (is.null(law$es_at)) law$es(own[some], low) else law$es_at((q - location[some]) / scale[some], low)
    c(q, sum(own[some] * (location[some] + scale[some] * mean)) / sum(own))
  }, numeric(2L))
  list(quantile = value[1L, ], shortfall = value[2L, ])
}

#' @rdname predict.stableGarch
#' @export
predict.stableGarchs <- function(object, n.ahead = 1, probs = c(0.01, 0.05), newdata = NULL, xreg = NULL,
                                 each = FALSE, nsim = 1000, seed = NULL, ...) {
  check_extra(...)
  many <- is.list(newdata) || NCOL(newdata) > 1L
  new <- if (!is.null(newdata)) if (many) fit_series(newdata) else list(newdata)
  if (!is.null(new) && length(new) != length(object))
    raise_engine_error("input", sprintf("newdata has %d series for %d fits", length(new), length(object)))
  known <- garchs_fitted(object)
  if (!length(known)) raise_engine_error("input", "no series was fitted")
  told <- lapply(known, function(i) {
    table <- predict(object[[i]], n.ahead, probs, new[[i]], xreg, each, nsim, seed)
    data.frame(series = rep(garchs_labels(object)[i], nrow(table)), table, check.names = FALSE)
  })
  value <- do.call(rbind, told)
  rownames(value) <- NULL
  value
}

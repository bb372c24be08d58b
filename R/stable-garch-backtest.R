# Backtests of value at risk and shortfall by stableGarch().

#' Backtests of value at risk and shortfall
#'
#' Forecasts each of the last times of a series from those before, with estimates that are renewed every so often, and
#' tests whether losses exceed the quantiles as often as they should, independently of each other, and by as much.
#'
#' The model of the fit is fitted again in windows that end before times `n`, `n - every`, ... from the last, from the
#' estimates of the fit as start; each serves for the `every` forecasts that follow. No forecast sees its own time.
#' All windows of all series are fitted side by side, on the devices and workers of [stableGarch()].
#'
#' For each probability `p` up to 1/2, an exceedance is a value below the quantile of `p`, and above 1/2 one above it.
#' Of `n` times and their exceedances
#' * `p.kupiec` is the p-value of the likelihood ratio test of Kupiec (1995) that they have the probability `p`
#'   (or 1 - p), by the chi-squared distribution with 1 degree of freedom;
#' * `p.independence` that of Christoffersen (1998) that an exceedance does not depend on whether there was one the
#'   time before, and `p.coverage` that of both together, with 2 degrees;
#' * `Z` is the second statistic of Acerbi and Szekely (2014), the sum of exceeding values over what is expected of
#'   it, less 1 and with the sign that makes it negative where shortfalls were underestimated; `p.shortfall` is the
#'   probability of a smaller one, from `nsim` samples by the forecasts themselves, drawn by R's generator.
#'
#' The log score is the mean of the log densities that the forecasts gave to what followed: the larger the better,
#' over the same times.
#'
#' @param object a fit by [stableGarch()], or many.
#' @param n number of times to forecast, the last of the series.
#' @param every number of times for which estimates are kept.
#' @param width number of times in a window; by default all but the last `n`.
#' @param probs probabilities of the quantiles, between 0 and 1.
#' @param window `"rolling"` windows have `width` times, `"expanding"` ones all before their forecasts.
#' @param nsim number of samples for the test of the shortfall.
#' @param seed `NULL`, or a number for [set.seed()].
#' @param x,row.names,optional a backtest; as for [as.data.frame()].
#' @param digits number of significant digits.
#' @param p which of the probabilities to draw, by default the first.
#' @param ... for `plot` graphical parameters; else not used.
#' @return An object of class `backtest`, a list with `table`, a data frame with a row for each probability and
#'   series: `p`, `n`, `expected` and `observed` numbers of exceedances, the p-values above and `Z`; `score`, the mean
#'   log score of each series; and `forecasts`, a data frame with a row for each time and series: `time` (or number),
#'   `observed`, `mean`, `scale`, quantiles and shortfalls as [predict.stableGarch()] has them, `log.score` and
#'   `window`, the number of the fit. `as.data.frame` gives the table with the score. `plot` draws values with
#'   quantile and exceedances of one series.
#' @references
#' Acerbi, C. and Szekely, B. (2014). Backtesting expected shortfall. *Risk* **27**(11), 76--81.
#'
#' Christoffersen, P. F. (1998). Evaluating interval forecasts. *International Economic Review* **39**, 841--862.
#'
#' Kupiec, P. H. (1995). Techniques for verifying the accuracy of risk measurement models. *Journal of Derivatives*
#' **3**(2), 73--84.
#' @seealso [stableGarch()], [predict.stableGarch()]
#' @examples
#' returns <- 100 * diff(log(datasets::EuStockMarkets[, "DAX"]))
#' fit <- stableGarch(returns)
#' test <- backtest(fit, n = 500, every = 100, probs = c(0.01, 0.05), seed = 1)
#' test
#' plot(test)
#' @export
backtest <- function(object, ...) UseMethod("backtest")

#' @rdname backtest
#' @export
backtest.stableGarch <- function(object, n = 250, every = 25, width = NULL, probs = c(0.01, 0.05),
                                 window = c("rolling", "expanding"), nsim = 1000, seed = NULL, ...) {
  refuse_extra("backtest", ...)
  backtest_all(list(object), NULL, n, every, width, probs, choice("window", window), nsim, seed)
}

#' @rdname backtest
#' @export
backtest.stableGarchs <- function(object, n = 250, every = 25, width = NULL, probs = c(0.01, 0.05),
                                  window = c("rolling", "expanding"), nsim = 1000, seed = NULL, ...) {
  refuse_extra("backtest", ...)
  known <- garchs_fitted(object)
  if (!length(known)) raise_engine_error("input", "no series was fitted")
  backtest_all(unclass(object)[known], garchs_labels(object)[known], n, every, width, probs, choice("window", window),
               nsim, seed)
}

backtest_all <- function(fits, labels, n, every, width, probs, window, nsim, seed) {
  n <- whole_number("n", n)
  every <- whole_number("every", every)
  nsim <- whole_number("nsim", nsim)
  probs <- garch_probs(probs)
  model <- fits[[1L]]$model
  known <- stats::setNames(ifelse(fits[[1L]]$parameters$fixed, fits[[1L]]$coefficients, NA_real_), model$names)
  plan <- lapply(fits, backtest_windows, n, every, width, window)
  data <- unlist(lapply(seq_along(fits), function(i) lapply(plan[[i]], function(w)
    backtest_data(fits[[i]], w$rows, model, known, labels[i]))), recursive = FALSE)
  from <- unlist(Map(function(fit, plan) rep(list(unname(fit$coefficients)), length(plan)), fits, plan),
                 recursive = FALSE)
  found <- garch_run_parts(data, model, known, 2L, from)
  of <- rep(seq_along(fits), lengths(plan))
  told <- lapply(seq_along(fits), function(i) {
    own <- which(of == i)
    do.call(rbind, Map(backtest_forecasts, plan[[i]], found[own], data[own], seq_along(own),
                       MoreArgs = list(fit = fits[[i]], probs = probs)))
  })
  laws <- lapply(seq_along(fits), function(i) lapply(found[of == i], function(f) garch_law(model, f$theta)))
  table <- with_seed(seed, do.call(rbind, lapply(seq_along(fits), function(i)
    backtest_table(told[[i]], laws[[i]], probs, nsim))))
  attr(table, "seed") <- NULL
  if (!is.null(labels)) {
    table <- data.frame(series = rep(labels, each = length(probs)), table)
    told <- Map(function(label, t) data.frame(series = label, t, check.names = FALSE), labels, told)
  }
  score <- stats::setNames(vapply(told, function(t) base::mean(t$log.score), 1), labels)
  forecasts <- do.call(rbind, unname(told))
  rownames(forecasts) <- NULL
  unsound <- sum(!vapply(found, `[[`, NA, "converged"))
  if (unsound) warn(sprintf("the likelihood of %d of %s has not been maximised", unsound,
                            count_text(length(found), "window")))
  structure(list(table = table, score = score, forecasts = forecasts, probs = probs, title = garch_title(fits[[1L]]),
                 windows = length(found), every = every, n = n), class = "backtest")
}

# Windows of a series: the rows to fit and the times to forecast.
backtest_windows <- function(fit, n, every, width, window) {
  size <- length(fit$x)
  if (n >= size) input_error("n", n, sprintf("must be below the number of times of the series, %d", size))
  if (is.null(width)) width <- size - n
  width <- whole_number("width", width)
  if (n + width > size)
    input_error("n", n, sprintf("must leave the %d times of a window: the series has %d", width, size))
  first <- seq(size - n + 1L, size, by = every)
  lapply(first, function(at) list(rows = seq(if (window == "rolling") at - width else 1L, at - 1L),
                                  ahead = seq(at, min(at + every - 1L, size))))
}

# What a window has of a series; what is wrong with it says where.
backtest_data <- function(fit, rows, model, known, label)
  tryCatch(garch_data(fit$x[rows], fit$xreg[rows, , drop = FALSE], NULL, model, known),
           statcl_error_input = function(e) raise_engine_error("input", sprintf(
             "the window of times %d to %d%s cannot be fitted: %s", rows[1L], rows[length(rows)],
             if (is.null(label)) "" else paste(" of series", label), conditionMessage(e))))

backtest_forecasts <- function(window, found, data, number, fit, probs) {
  here <- fit
  here$coefficients[] <- found$theta
  here$first <- data$unit^fit$power
  rows <- c(window$rows, window$ahead)
  past <- garch_filter(here, fit$x[rows], fit$xreg[rows, , drop = FALSE])
  at <- length(window$rows) + seq_along(window$ahead)
  law <- garch_law(fit$model, found$theta)
  x <- fit$x[window$ahead]
  time <- if (is.null(fit$times)) window$ahead else fit$times[window$ahead]
  data.frame(time = time, observed = x, garch_row(x - past$e[at], past$scale[at], law, probs),
             log.score = past$log_f[at] - log(past$scale[at]), window = number, check.names = FALSE)
}

# Tests of one series.
backtest_table <- function(told, laws, probs, nsim) {
  columns <- match("scale", names(told)) + 2L * seq_along(probs) - 1L
  do.call(rbind, lapply(seq_along(probs), function(k) {
    p <- probs[k]
    low <- p <= 0.5
    level <- if (low) p else 1 - p
    side <- if (low) 1 else -1
    quantile <- told[[columns[k]]]
    shortfall <- told[[columns[k] + 1L]]
    hit <- side * told$observed < side * quantile
    uc <- kupiec_ratio(hit, level)
    independent <- christoffersen_ratio(hit)
    z <- szekely(told$observed, hit, shortfall, level)
    data.frame(p = p, n = length(hit), expected = length(hit) * level, observed = sum(hit),
               p.kupiec = stats::pchisq(uc, 1, lower.tail = FALSE),
               p.independence = stats::pchisq(independent, 1, lower.tail = FALSE),
               p.coverage = stats::pchisq(uc + independent, 2, lower.tail = FALSE), Z = z,
               p.shortfall = base::mean(szekely_draws(told, laws, shortfall, level, side, nsim) <= z))
  }))
}

log_likelihood_of <- function(k, n, p) ifelse(k > 0, k * log(p), 0) + ifelse(n > k, (n - k) * log1p(-p), 0)

# Twice the log likelihood ratio of the share of exceedances against p.
kupiec_ratio <- function(hit, p) {
  k <- sum(hit)
  n <- length(hit)
  2 * max(0, log_likelihood_of(k, n, k / n) - log_likelihood_of(k, n, p))
}

# ... and of a Markov chain against independent exceedances, over the times that have one before.
christoffersen_ratio <- function(hit) {
  before <- hit[-length(hit)]
  now <- hit[-1L]
  after <- c(sum(now & before), sum(now & !before))
  n <- c(sum(before), sum(!before))
  share <- function(k, n) if (n > 0) k / n else 0
  chain <- sum(log_likelihood_of(after, n, c(share(after[1L], n[1L]), share(after[2L], n[2L]))))
  2 * max(0, chain - log_likelihood_of(sum(after), sum(n), sum(after) / sum(n)))
}

# 1 less the sum of what exceeds over what is expected: 0 in the mean where shortfalls are right (their second test).
szekely <- function(x, hit, shortfall, level) 1 - sum(x[hit] / shortfall[hit]) / (length(x) * level)

# The same of samples by the forecasts: which times exceed, and by the law how far.
szekely_draws <- function(told, laws, shortfall, level, side, nsim) {
  n <- nrow(told)
  count <- stats::rbinom(nsim, n, level)
  at <- unlist(lapply(count, function(k) sample.int(n, k)))
  u <- stats::runif(length(at)) * level
  z <- numeric(length(at))
  for (w in unique(told$window[at])) {
    own <- told$window[at] == w
    z[own] <- laws[[w]]$q(if (side > 0) u[own] else 1 - u[own])
  }
  value <- (told$mean[at] + told$scale[at] * z) / shortfall[at]
  1 - vapply(split(value, factor(rep(seq_len(nsim), count), seq_len(nsim))), sum, 1) / (n * level)
}

#' @rdname backtest
#' @export
as.data.frame.backtest <- function(x, row.names = NULL, optional = FALSE, ...) {
  score <- if (is.null(names(x$score))) x$score else x$score[as.character(x$table$series)]
  name_rows(data.frame(x$table, log.score = unname(score)), row.names)
}

#' @rdname backtest
#' @export
print.backtest <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat(sprintf("Backtest of %s: %s, fitted again every %s\n\n", x$title, count_text(x$n, "time"),
              count_text(x$every, "time")))
  print(format(as.data.frame(x), digits = print_digits(digits)), row.names = FALSE)
  invisible(x)
}

#' @rdname backtest
#' @param series name or number of the series to draw.
#' @export
plot.backtest <- function(x, p = x$probs[1L], series = 1, ...) {
  one_number("p", p, "positive")
  k <- match(TRUE, abs(x$probs - p) < 1e-12)
  if (is.na(k)) input_error("p", p, paste("must be one of", toString(x$probs)))
  told <- x$forecasts
  if (!is.null(told$series)) told <- told[told$series == drawn_series(series, unique(told$series)), ]
  else if (!identical(series, 1) && !identical(series, 1L))
    input_error("series", series, "must be 1: the backtest is of one series")
  quantile <- told[[match("scale", names(told)) + 2L * k - 1L]]
  hit <- if (p <= 0.5) told$observed < quantile else told$observed > quantile
  time <- as.numeric(told$time)
  label <- sub(" ", "", percent(p))
  layers <- list(mark("points", data.frame(x = time, y = told$observed), "grey60", first = TRUE),
                 mark("line", data.frame(x = time, y = quantile), plot_colours[["fit"]]),
                 if (any(hit)) mark("points", data.frame(x = time[hit], y = told$observed[hit], censored = FALSE),
                                    plot_colours[["sample"]]))
  draw_picture(picture(sprintf("Exceedances of the quantile of %s: %d of %d", label, sum(hit), length(hit)),
                       "time", "value", layers, ylim = range(told$observed, quantile),
                       ticks = garch_time(list(x = time, times = told$time))$ticks), ...)
  invisible(x)
}

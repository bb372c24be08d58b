# Plots of the class stableGarch.

#' Plots of volatility with stable innovations
#'
#' Draws the series with quantiles of the distribution of each time, the scale, quantiles of the standardised
#' residuals against those of the innovations, and the news impact: the scale that follows a value.
#'
#' The news impact curve of Engle and Ng (1993) has the last scale at its median and the deviation from the mean of
#' the last time on the horizontal axis. Residuals have axes that are linear at the centre of the distribution and
#' logarithmic far from it; the grey band contains each point with probability `level`.
#'
#' @inheritParams plot.stableFit
#' @param x a fit by [stableGarch()], or fits of many series.
#' @param series name or number of the series to draw; by default the first that was fitted.
#' @param which the plots to draw, any of `"series"`, `"volatility"`, `"qq"` and `"news"`, or their numbers.
#' @param level probability between the quantiles that are drawn with the series, and of the band of residuals; `NA`
#'   for none.
#' @return `x`, invisibly.
#' @references
#' Engle, R. F. and Ng, V. K. (1993). Measuring and testing the impact of news on volatility. *Journal of Finance*
#' **48**, 1749--1778.
#' @examples
#' fit <- stableGarch(100 * diff(log(datasets::EuStockMarkets[, "CAC"])), asymmetry = TRUE)
#' old <- par(mfrow = c(2, 2))
#' plot(fit)
#' par(old)
#' @importFrom graphics plot
#' @export
plot.stableGarch <- function(x, which = c("series", "volatility", "qq", "news"), level = 0.98, ask = NULL, ...) {
  which <- plot_views(which, eval(formals(plot.stableGarch)$which))
  views <- garch_views(x, level)
  draw_views(which, ask, function(view) draw_picture(views[[view]](), ...))
  invisible(x)
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.stableGarch <- function(object, which = c("series", "volatility", "qq", "news"), level = 0.98, ...) {
  warn_extra(...)
  which <- choice("which", which)
  gg_picture(garch_views(object, level)[[which]]())
}

#' @rdname plot.stableGarch
#' @export
plot.stableGarchs <- function(x, which = c("series", "volatility", "qq", "news"), level = 0.98, ask = NULL,
                              series = NULL, ...) {
  plot.stableGarch(garchs_drawn(x, series), which, level, ask, ...)
  invisible(x)
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.stableGarchs <- function(object, which = c("series", "volatility", "qq", "news"), level = 0.98,
                                  series = NULL, ...)
  autoplot.stableGarch(garchs_drawn(object, series), which, level, ...)

# The fit of the series that is to be drawn.
garchs_drawn <- function(fits, series) {
  known <- garchs_fitted(fits)
  if (!length(known)) raise_engine_error("input", "no series was fitted")
  label <- garchs_labels(fits)
  at <- if (is.null(series)) known[1L] else match(drawn_series(series, label), label)
  if (!at %in% known) raise_engine_error("input", attr(fits, "message")[at])
  fits[[at]]
}

garch_views <- function(fit, level) {
  if (!is_one_na(level)) check_level(level)
  list(series = function() series_picture(fit, level), volatility = function() volatility_picture(fit),
       qq = function() innovation_picture(fit, level), news = function() news_picture(fit))
}

# Times as numbers, with ticks by R's axis of dates where they are dates.
garch_time <- function(fit) {
  time <- if (is.null(fit$times)) seq_along(fit$x) else fit$times
  value <- list(at = as.numeric(time), label = if (is.null(fit$times)) "number" else "time")
  if (inherits(time, c("Date", "POSIXct"))) value$ticks <- list(x = function(ends) {
    at <- pretty(if (inherits(time, "Date")) as.Date(ends, origin = "1970-01-01")
                 else as.POSIXct(ends, origin = "1970-01-01", tz = attr(time, "tzone")))
    list(at = as.numeric(at), text = format(at))
  })
  value
}

series_picture <- function(fit, level) {
  time <- garch_time(fit)
  x <- unname(fit$x)
  limits <- NULL
  if (!is.na(level)) {
    q <- garch_law(fit$model, fit$coefficients)$q(c(1 - level, 1 + level) / 2)
    limits <- lapply(q, function(q) {
      line <- data.frame(x = time$at, y = unname(fit$fitted.values) + q * unname(fit$scale))
      mark("line", line, plot_colours[["fit"]])
    })
  }
  picture("Series", time$label, "value", c(list(
    mark("points", data.frame(x = time$at, y = x), plot_colours[["sample"]], first = TRUE)), limits),
    ticks = time$ticks)
}

volatility_picture <- function(fit) {
  time <- garch_time(fit)
  scale <- unname(fit$scale)
  picture("Volatility", time$label, "scale", list(mark("line", data.frame(x = time$at, y = scale),
                                                      plot_colours[["fit"]])),
          range(time$at), range(0, scale), ticks = time$ticks)
}

# Standardised residuals in order against quantiles of the innovations.
innovation_picture <- function(fit, level) {
  law <- garch_law(fit$model, fit$coefficients)
  sample <- in_order(unname(fit$residuals), rep(1, length(fit$residuals)))
  i <- shown_points(length(sample$x))
  quartile <- law$q(c(0.25, 0.5, 0.75))
  unit <- (quartile[3L] - quartile[1L]) / 2
  scale <- function(v) asinh((v - quartile[2L]) / unit)
  place <- function(lower, upper) scale(law$q(exp(lower)))
  x <- place(log(sample$rank[i]))
  y <- scale(sample$x[i])
  picture("Quantiles", "quantiles of the innovations", "standardised residuals",
          points_layers(sample, i, x, y, level, place), range(x), range(x, y),
          ticks = both_axes(scaled_ticks(scale, function(t) quartile[2L] + unit * sinh(t))))
}

news_picture <- function(fit) {
  p <- fit$model$places
  theta <- unname(fit$coefficients)
  middle <- stats::median(fit$scale)
  e <- seq(-8, 8, length.out = 401L) * middle
  asym <- if (length(p$asym)) theta[p$asym] else numeric(length(p$arch))
  arch <- seq_along(p$arch)
  rest <- theta[p$omega] + sum(theta[p$garch]) * middle^fit$power +
    sum(theta[p$arch][-1L] * exp(garch_moment(fit$model, theta[p$law], asym)$log)[-1L]) * middle^fit$power
  next_one <- rest + if (length(arch)) theta[p$arch[1L]] * (abs(e) - asym[1L] * e)^fit$power else 0
  picture("News impact", "deviation from the mean", "scale of the next time",
          list(mark("line", data.frame(x = e, y = next_one^(1 / fit$power)), plot_colours[["fit"]])), range(e),
          range(0, next_one^(1 / fit$power)))
}

# Plots of linear models with stable errors.

#' Plots of linear models with stable errors
#'
#' Draws residuals against fitted locations, quantiles and probabilities of the residuals against those of the fitted
#' distribution of the errors, and both tails of the residuals.
#'
#' @param x a fit by [stableReg()].
#' @param which the plots to draw, any of `"residuals"`; `"qq"`, quantiles of the residuals against those of the
#'   fitted distribution; `"pp"`, probabilities against each other; and `"tail"`, tail probabilities against the
#'   distance from the median on logarithmic axes; or their numbers.
#' @param log if `TRUE`, the axis of residuals is stretched: linear at the centre and logarithmic in the tails, as
#'   `asinh(residual/gamma)`; if `FALSE`, those of quantiles are linear, which are stretched by default.
#' @param level probability of the pointwise bands of quantiles and probabilities, and between the dotted limits of
#'   residuals; `NA` for none.
#' @param ask if `TRUE`, ask before each page; by default on an interactive device that has not room for all plots.
#' @param ... further graphical parameters, such as `main` or `col`, for the first call of each plot.
#' @return `x`, invisibly. Dotted lines in the first plot are limits of the distribution of the errors; the grey bands
#'   in plots of quantiles and probabilities are those of a sample, see [plot.stableFit()].
#' @examples
#' returns <- as.data.frame(diff(log(datasets::EuStockMarkets)) * 100)
#' fit <- stableReg(CAC ~ DAX, returns)
#' plot(fit, "qq")
#' plot(fit, "tail")
#' @importFrom graphics plot
#' @export
plot.stableReg <- function(x, which = c("residuals", "qq", "pp", "tail"), log = NULL, level = 0.95, ask = NULL,
                           ...) {
  which <- plot_views(which, eval(formals(plot.stableReg)$which))
  if (!is.null(log)) log <- one_flag("log", log)
  if (!is_one_na(level)) check_level(level)
  errors <- reg_sample(x)
  draw_views(which, ask, function(view) switch(view,
    residuals = plot_residuals(residual_parts(x, errors, isTRUE(log), level), ...),
    qq = plot_qq(errors$fit, errors$sample, !isFALSE(log), level, ..., labels = reg_labels$qq),
    pp = plot_pp(errors$fit, errors$sample, FALSE, level, ..., labels = reg_labels$pp),
    tail = plot_tail(errors$fit, errors$sample, ...)))
  invisible(x)
}

reg_labels <- list(residuals = c("fitted location", "residuals"),
                   qq = c("quantiles of the distribution", "residuals"),
                   pp = c("probability of the residuals", "probability by the fitted distribution"))

# Residuals with weight against fitted locations, limits of their distribution, and the scale of their axis.
residual_parts <- function(fit, errors, stretched, level) {
  unit <- fit$shape[["gamma"]]
  scale <- if (stretched) function(v) asinh(v / unit) else identity
  list(points = data.frame(fitted = fit$fitted.values, residuals = scale(fit$residuals))[errors$use, ],
       limits = if (!is.na(level)) scale(at_distribution(qstable, c(1 - level, 1 + level) / 2, errors$fit)),
       ticks = if (stretched) function(range) {
         tick <- round_ticks(range, scale, function(t) unit * sinh(t))
         list(at = scale(tick), label = vapply(tick, format, "", digits = 4))
       })
}

plot_residuals <- function(v, ...) {
  call_plot(graphics::plot.default,
            list(x = v$points$fitted, y = v$points$residuals, pch = 16, cex = 0.6, col = plot_colours[["sample"]],
                 las = 1, yaxt = "n", xlab = reg_labels$residuals[1L], ylab = reg_labels$residuals[2L],
                 main = "Residuals"), ...)
  tick <- if (!is.null(v$ticks)) v$ticks(graphics::par("usr")[3:4])
  if (is.null(tick)) left_axis(list(...)) else left_axis(list(...), tick$at, tick$label)
  graphics::abline(h = 0, col = "grey45")
  graphics::abline(h = v$limits, col = "grey45", lty = 3)
}

# The residuals with weight as an ordered sample, beside the fitted distribution of the errors.
reg_sample <- function(fit) {
  use <- if (is.null(fit$weights)) rep(TRUE, length(fit$residuals)) else fit$weights > 0
  o <- which(use)[order(fit$residuals[use])]
  weight <- if (is.null(fit$weights)) rep(1, length(o)) else fit$weights[o]
  list(fit = error_distribution(fit),
       use = use,
       sample = list(x = fit$residuals[o], weight = weight, rank = (cumsum(weight) - weight / 2) / sum(weight),
                     size = sum(weight), hidden = logical(length(o))))
}

# The fitted distribution of the errors, as a fit that has no sample.
error_distribution <- function(fit)
  structure(list(coefficients = c(fit$shape[c("alpha", "beta", "gamma")], delta = 0), pm = 0L), class = "stableFit")

# Plots of linear models with stable errors.

#' Plots of linear models with stable errors
#'
#' Draws residuals against fitted locations, quantiles and probabilities of the residuals against those of the fitted
#' distribution of the errors, and both tails of the residuals.
#'
#' @inheritParams plot.stableFit
#' @param x a fit by [stableReg()].
#' @param which the plots to draw, any of `"residuals"`; `"qq"`, quantiles of the residuals against those of the
#'   fitted distribution; `"pp"`, probabilities against each other; and `"tail"`, tail probabilities against the
#'   distance from the median on logarithmic axes; or their numbers.
#' @param log if `TRUE`, the axis of residuals is stretched: linear at the centre and logarithmic in the tails, as
#'   `asinh(residual/gamma)`; if `FALSE`, those of quantiles are linear, which are stretched by default.
#' @param level probability of the pointwise bands of quantiles and probabilities, and between the dotted limits of
#'   residuals; `NA` for none.
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
  views <- reg_views(x, log, level)
  draw_views(which, ask, function(view) draw_picture(views[[view]](), ...))
  invisible(x)
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.stableReg <- function(object, which = c("residuals", "qq", "pp", "tail"), log = NULL, level = 0.95, ...) {
  warn_extra(...)
  which <- choice("which", which)
  gg_picture(reg_views(object, log, level)[[which]]())
}

# As fit_views().
reg_views <- function(fit, log, level) {
  if (!is.null(log)) log <- one_flag("log", log)
  if (!is_one_na(level)) check_level(level)
  errors <- reg_sample(fit)
  list(residuals = function() residual_picture(fit, errors, isTRUE(log), level),
       qq = function() qq_picture(errors$fit, errors$sample, !isFALSE(log), level,
                                  c("quantiles of the distribution", "residuals")),
       pp = function() pp_picture(errors$fit, errors$sample, FALSE, level,
                                  c("probability of the residuals", "probability by the fitted distribution")),
       tail = function() tail_picture(errors$fit, errors$sample))
}

# Residuals with weight against fitted locations, with limits of their distribution.
residual_picture <- function(fit, errors, stretched, level) {
  unit <- fit$shape[["gamma"]]
  scale <- if (stretched) function(v) asinh(v / unit) else identity
  limits <- function() scale(at_distribution(qstable, c(1 - level, 1 + level) / 2, errors$fit))
  points <- data.frame(x = fit$fitted.values, y = scale(fit$residuals))[errors$use, ]
  picture("Residuals", "fitted location", "residuals",
          list(mark("level", data.frame(y = 0)), mark("points", points, plot_colours[["sample"]], first = TRUE),
               if (!is.na(level)) mark("level", data.frame(y = limits()), lty = 3)),
          ticks = if (stretched) list(y = scaled_ticks(scale, function(t) unit * sinh(t))))
}

# The residuals with weight as an ordered sample, beside the fitted distribution of the errors.
reg_sample <- function(fit) {
  w <- if (is.null(fit$weights)) rep(1, length(fit$residuals)) else fit$weights
  use <- w > 0
  list(fit = error_distribution(fit), use = use, sample = in_order(fit$residuals[use], w[use]))
}

# The fitted distribution of the errors, as a fit that has no sample.
error_distribution <- function(fit)
  structure(list(coefficients = c(fit$shape[c("alpha", "beta", "gamma")], delta = 0), pm = 0L), class = "stableFit")

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
#' @param log if `TRUE`, the axes of residuals and quantiles are stretched: linear at the centre and logarithmic in
#'   the tails, as `asinh(residual/gamma)`; if `FALSE`, they are linear. By default those of quantiles are stretched.
#' @param ask if `TRUE`, ask before each plot.
#' @param ... further graphical parameters, such as `main` or `col`, for the first call of each plot.
#' @return `x`, invisibly. Dotted lines in the first plot are the limits of 95 % of the distribution; those in plots
#'   of quantiles and probabilities are pointwise 95 % limits of a sample.
#' @examples
#' returns <- as.data.frame(diff(log(datasets::EuStockMarkets)) * 100)
#' fit <- stableReg(CAC ~ DAX, returns)
#' plot(fit, "qq")
#' plot(fit, "tail")
#' @importFrom graphics plot
#' @export
plot.stableReg <- function(x, which = c("residuals", "qq", "pp", "tail"), log = NULL,
                           ask = length(which) > 1L && grDevices::dev.interactive(), ...) {
  which <- plot_views(which, eval(formals(plot.stableReg)$which))
  if (!is.null(log)) log <- one_flag("log", log)
  if (one_flag("ask", ask)) {
    old <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(old))
  }
  unit <- x$shape[["gamma"]]
  stretch <- function(v) asinh(v / unit)
  shrink <- function(t) unit * sinh(t)
  quantiles <- function(p) do.call(qstable, c(list(p), as.list(x$shape)))
  errors <- reg_sample(x)
  rest <- errors$sample$x
  rank <- errors$sample$rank
  size <- errors$sample$size
  ends <- function(tail) stats::qbeta(tail, size * rank + 0.5, size * (1 - rank) + 0.5)
  # both, x or y: the axes that are stretched, with labels in units of the residuals
  first <- function(x, y, ..., stretched = "") {
    given <- list(...)
    if (stretched == "both") x <- stretch(x)
    if (stretched != "") y <- stretch(y)
    defaults <- list(pch = 16, cex = 0.6, col = "#2166ac", las = 1, yaxt = "n",
                     xaxt = if (stretched == "both") "n" else "s")
    call_plot(graphics::plot.default, defaults, x, y, ...)
    if (stretched == "both") scaled_axes(stretch, shrink, given)
    else if (stretched == "y") {
      tick <- round_ticks(graphics::par("usr")[3:4], stretch, shrink)
      left_axis(given, stretch(tick), vapply(tick, format, "", digits = 4))
    } else left_axis(given)
  }
  views <- list(
    residuals = function(xlab = "fitted location", ylab = "residuals", main = "Residuals", ...) {
      own <- isTRUE(log)
      first(x$fitted.values[errors$use], x$residuals[errors$use], xlab = xlab, ylab = ylab, main = main, ...,
            stretched = if (own) "y" else "")
      graphics::abline(h = 0, col = "grey45")
      limits <- quantiles(c(0.025, 0.975))
      graphics::abline(h = if (own) stretch(limits) else limits, col = "grey45", lty = 3)
    },
    qq = function(xlab = "quantiles of the distribution", ylab = "residuals", main = "Quantiles", ...) {
      own <- !isFALSE(log)
      scale <- if (own) stretch else identity
      theory <- quantiles(rank)
      first(theory, rest, xlab = xlab, ylab = ylab, main = main, ..., stretched = if (own) "both" else "")
      graphics::abline(0, 1, col = "grey45")
      for (tail in c(0.025, 0.975))
        graphics::lines(scale(theory), scale(quantiles(ends(tail))), col = "grey45", lty = 3)
    },
    pp = function(xlab = "probabilities of the sample", ylab = "probabilities of the fitted distribution",
                  main = "Probabilities", ...) {
      fitted <- do.call(pstable, c(list(rest), as.list(x$shape)))
      first(rank, fitted, xlab = xlab, ylab = ylab, main = main, ...)
      graphics::abline(0, 1, col = "grey45")
      for (tail in c(0.025, 0.975)) graphics::lines(rank, ends(tail), col = "grey45", lty = 3)
    },
    tail = function(...) plot_tail(errors$fit, errors$sample, ...))
  for (view in which) views[[view]](...)
  invisible(x)
}

# The residuals with weight as an ordered sample, beside the fitted distribution of the errors.
reg_sample <- function(fit) {
  use <- if (is.null(fit$weights)) rep(TRUE, length(fit$residuals)) else fit$weights > 0
  o <- which(use)[order(fit$residuals[use])]
  weight <- if (is.null(fit$weights)) rep(1, length(o)) else fit$weights[o]
  list(fit = structure(class = "stableFit", list(coefficients = c(fit$shape[c("alpha", "beta", "gamma")], delta = 0),
                                                 pm = 0L)),
       use = use,
       sample = list(x = fit$residuals[o], weight = weight, rank = (cumsum(weight) - weight / 2) / sum(weight),
                     size = sum(weight), hidden = logical(length(o))))
}

# Plots of linear models with stable errors.

#' Plots of linear models with stable errors
#'
#' Draws residuals against fitted locations, and quantiles and probabilities of the residuals against those of the
#' fitted distribution of the errors.
#'
#' @param x a fit by [stableReg()].
#' @param which the plots to draw, any of `"residuals"`, `"qq"`, quantiles of the residuals against those of the
#'   fitted distribution, and `"pp"`, probabilities against each other; or their numbers.
#' @param log if `TRUE`, residuals and quantiles are shown as `asinh(residual/gamma)`, which keeps the centre and
#'   makes the tails logarithmic.
#' @param ask if `TRUE`, ask before each plot.
#' @param ... further graphical parameters, such as `main` or `col`, for the first call of each plot.
#' @return `x`, invisibly. Dotted lines in the first plot hold 95 % of the distribution, those in the others 95 % of
#'   the points of a sample from it, each taken alone.
#' @examples
#' returns <- as.data.frame(diff(log(datasets::EuStockMarkets)) * 100)
#' fit <- stableReg(CAC ~ DAX, returns)
#' plot(fit, "qq", log = TRUE)
#' @importFrom graphics plot
#' @export
plot.stableReg <- function(x, which = c("residuals", "qq", "pp"), log = FALSE,
                           ask = length(which) > 1L && grDevices::dev.interactive(), ...) {
  which <- plot_views(which, eval(formals(plot.stableReg)$which))
  if (ask) {
    old <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(old))
  }
  use <- if (is.null(x$weights)) rep(TRUE, length(x$residuals)) else x$weights > 0
  rest <- x$residuals[use]
  weights <- if (is.null(x$weights)) rep(1, length(rest)) else x$weights[use]
  scale <- function(v) if (log) asinh(v / x$shape[["gamma"]]) else v
  label <- function(text) if (log) paste0(text, ", asinh") else text
  quantiles <- function(p) scale(do.call(qstable, c(list(p), as.list(x$shape))))
  o <- order(rest)
  rank <- (cumsum(weights[o]) - weights[o] / 2) / sum(weights)
  ends <- function(tail) stats::qbeta(tail, sum(weights) * rank + 0.5, sum(weights) * (1 - rank) + 0.5)
  first <- function(...) {
    given <- list(...)
    defaults <- list(pch = 16, cex = 0.6, col = "#2166ac", las = 1, yaxt = "n")
    do.call(graphics::plot.default, c(given, defaults[!names(defaults) %in% names(given)]))
    left_axis(given)
  }
  views <- list(
    residuals = function(xlab = "fitted location", ylab = label("residuals"), main = "Residuals", ...) {
      first(x = x$fitted.values[use], y = scale(rest), xlab = xlab, ylab = ylab, main = main, ...)
      graphics::abline(h = 0, col = "grey45")
      graphics::abline(h = quantiles(c(0.025, 0.975)), col = "grey45", lty = 3)
    },
    qq = function(xlab = label("quantiles of the distribution"), ylab = label("residuals"), main = "Quantiles", ...) {
      theory <- quantiles(rank)
      first(x = theory, y = scale(rest[o]), xlab = xlab, ylab = ylab, main = main, ...)
      graphics::abline(0, 1, col = "grey45")
      for (tail in c(0.025, 0.975)) graphics::lines(theory, quantiles(ends(tail)), col = "grey45", lty = 3)
    },
    pp = function(xlab = "probabilities of the sample", ylab = "probabilities of the fitted distribution",
                  main = "Probabilities", ...) {
      fitted <- do.call(pstable, c(list(rest[o]), as.list(x$shape)))
      first(x = rank, y = fitted, xlab = xlab, ylab = ylab, main = main, ...)
      graphics::abline(0, 1, col = "grey45")
      for (tail in c(0.025, 0.975)) graphics::lines(rank, ends(tail), col = "grey45", lty = 3)
    })
  for (view in which) views[[view]](...)
  invisible(x)
}

# Plots of batches of fits.

#' @rdname stableFits-methods
#' @export
plot.stableFits <- function(x, parm = c("alpha", "beta", "gamma", "delta"), level = 0.95, ylim = NULL, xlab = NULL,
                            col = NULL, legend = "bottomleft", ...) {
  parm <- match.arg(parm, several.ok = TRUE)
  if (all(is.na(x$coefficients[, 1L]))) return(invisible(x))
  window <- x$window
  at <- if (is.null(window)) seq_along(x) else if (is.null(window$time)) window$to else window$time
  group <- if (is.null(window$series)) rep("", length(at)) else as.character(window$series)
  groups <- unique(group)
  if (is.null(col))
    col <- rep_len(c("#2166ac", "#b2182b", "#1b7837", "#762a83", "#e08214", "#4d4d4d"), length(groups))
  if (is.null(xlab)) xlab <- if (is.null(window)) "series" else if (is.null(window$time)) "end of window" else "time"
  limits <- confint(x, parm, level)
  for (p in parm) {
    estimate <- x$coefficients[, p]
    if (p == "beta") { # nearly without effect
      gone <- x$coefficients[, "alpha"] > 1.99 & !x$fixed[, "beta"]
      estimate[gone] <- limits[gone, , p] <- NA
    }
    low <- clip(limits[, 1L, p], p)
    high <- clip(limits[, 2L, p], p)
    banded <- length(groups) == 1L || is.null(window)
    shown <- c(estimate, if (banded) c(low, high))
    inside <- if (!is.null(ylim)) ylim else if (any(is.finite(shown))) range(shown[is.finite(shown)]) else c(-1, 1)
    named <- is.null(window) && !is.null(names(x)) && length(x) <= 30L
    call_plot(graphics::plot.default, list(x = range(at), y = inside, type = "n", xlab = xlab, ylab = p, las = 1,
                                           xaxt = if (named) "n" else "s"), ...)
    if (named) own_axis(1, list(...), at, names(x), las = 0, gap = NA)
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
    if (length(groups) > 1L && p == parm[1L] && !is.null(legend))
      graphics::legend(legend, groups, col = col, lwd = 1.5, bty = "n", cex = 0.8)
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

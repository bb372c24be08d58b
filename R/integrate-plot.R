# Plots of many integrals.

#' @rdname integrals-methods
#' @param against for `plot`: a number for each integral, such as a limit or a parameter, against which the values are
#'   drawn; by default the number of the row.
#' @details `plot` draws the values with bars of their estimated errors, and a cross for each integral whose code is
#'   not 0. Crosses of values beyond the axis lie on the frame, those of `NaN` on its lower side. Several values for
#'   each integral have a colour each, those of `col` if it is given among the graphical parameters in `...`.
#' @importFrom graphics plot
#' @export
plot.integrals <- function(x, against = NULL, ...) {
  value <- as.matrix(x$value)
  error <- as.matrix(x$abs.error)
  if (!nrow(value)) raise_engine_error("input", "x has no integrals: there is nothing to plot")
  at <- integral_places(against, nrow(value))
  colours <- list(...)[["col"]] # not col.axis
  colours <- rep_len(if (is.null(colours)) curve_colours else colours, ncol(value))
  shown <- value[x$code == 0L, , drop = FALSE] # a divergent one would flatten the others
  if (!any(is.finite(shown))) shown <- value
  shown <- shown[is.finite(shown)]
  call_plot(graphics::plot.default,
            list(x = at, y = rep(NA_real_, length(at)), type = "n", las = 1, ylab = "integral",
                 xlab = if (is.null(against)) "row" else deparse(substitute(against))[1L],
                 ylim = if (length(shown)) range(shown) else c(-1, 1)), ...)
  failed <- x$code != 0L
  reach <- graphics::par("usr")[3:4]
  if (graphics::par("ylog")) reach <- 10^reach
  for (k in seq_len(ncol(value))) {
    graphics::segments(at, value[, k] - error[, k], y1 = value[, k] + error[, k], col = "grey60")
    graphics::points(at[!failed], value[!failed, k], pch = 16, cex = 0.7, col = colours[k])
    inside <- pmin(pmax(value[failed, k], reach[1L]), reach[2L])
    inside[is.nan(inside)] <- reach[1L]
    graphics::points(at[failed], inside, pch = 4, col = colours[k], xpd = NA)
  }
  names <- if (is.null(colnames(value))) paste("value", seq_along(colours)) else colnames(value)
  labels <- c(if (ncol(value) > 1L) names, if (any(failed)) "code is not 0")
  if (length(labels))
    graphics::legend("topright", labels, bty = "n", inset = 0.02,
                     pch = c(rep(16, length(labels) - any(failed)), if (any(failed)) 4),
                     col = c(if (ncol(value) > 1L) colours, if (any(failed)) "black"))
  invisible(x)
}

integral_places <- function(against, n) {
  if (is.null(against)) return(seq_len(n))
  check_numbers("against", against, "")
  if (length(against) != n)
    raise_engine_error("input", sprintf("against has %s for %s", count_text(length(against), "number"),
                                        count_text(n, "integral")))
  as.double(against)
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.integrals <- function(object, against = NULL, ...) {
  warn_extra(...)
  value <- as.matrix(object$value)
  names <- if (is.null(colnames(value))) paste("value", seq_len(ncol(value))) else colnames(value)
  table <- data.frame(place = integral_places(against, nrow(value)), value = as.vector(value),
                      error = as.vector(as.matrix(object$abs.error)),
                      column = factor(rep(names, each = nrow(value)), names),
                      code = ifelse(object$code == 0L, "0", "not 0"))
  table$low <- table$value - table$error
  table$high <- table$value + table$error
  sound <- table$code == "0" & is.finite(table$value)
  reach <- if (any(sound)) range(table$value[sound]) else c(-Inf, Inf)
  beyond <- which(!sound & !(table$value >= reach[1L] & table$value <= reach[2L]) %in% TRUE)
  table$value[beyond] <- ifelse(table$value[beyond] > reach[2L], Inf, -Inf) # the upper and the lower side
  table$value[is.na(table$value)] <- -Inf
  table[beyond, c("low", "high")] <- NA
  ggplot2::ggplot(table, gg_aes(x = "place", y = "value", colour = "column")) +
    ggplot2::geom_linerange(gg_aes(ymin = "low", ymax = "high"), na.rm = TRUE) +
    ggplot2::geom_point(gg_aes(shape = "code")) +
    ggplot2::scale_shape_manual(values = c("0" = 16, "not 0" = 4)) +
    ggplot2::scale_colour_manual(values = rep_len(curve_colours, ncol(value))) +
    ggplot2::guides(colour = if (ncol(value) > 1L) "legend" else "none",
                    shape = if (all(sound)) "none" else "legend") +
    ggplot2::coord_cartesian(clip = "off") +
    ggplot2::labs(x = if (is.null(against)) "row" else deparse(substitute(against))[1L], y = "integral",
                  colour = NULL)
}

# Plots of batches of fits.

#' @rdname stableFits-methods
#' @export
plot.stableFits <- function(x, parm = c("alpha", "beta", "gamma", "delta"), level = 0.95, ylim = NULL, xlab = NULL,
                            col = NULL, legend = "above", method = c("auto", "default", "profile", "transformed",
                                                                     "wald"), log = NULL, ...) {
  parm <- several("parm", parm)
  method <- choice("method", method)
  if (!is.null(log)) log <- one_flag("log", log)
  check_drawing(col, ylim, xlab)
  if (!any(fitted_series(x))) return(invisible(x))
  curves <- fits_curves(x, parm, level, method)
  groups <- unique(curves$group)
  rolling <- !is.null(x$window)
  banded <- length(groups) == 1L || !rolling
  col <- rep_len(if (is.null(col)) curve_colours else col, length(groups))
  named <- !rolling && !is.null(names(x)) && length(x) <= 30L
  dated <- inherits(x$window$time, c("Date", "POSIXt"))
  keyed <- length(groups) > 1L && !is.null(legend)
  outside <- keyed && identical(legend, "above")
  grid <- length(parm) > 1L && prod(graphics::par("mfrow")) == 1L
  if (grid) {
    old <- graphics::par(c("mfrow", "mar", "oma"))
    on.exit(graphics::par(old))
    graphics::par(mfrow = grDevices::n2mfrow(length(parm)), oma = c(0, 0, if (outside) 2 else 0, 0),
                  mar = c(graphics::par("mar")[1:2], if (is.null(list(...)$main)) 1 else 2.5, 1))
  }
  labels <- if (named) paste(names(x)) # a name may be missing
  upright <- named && fits_labels_collide(labels)
  if (upright) {
    margin <- graphics::par("mar")
    if (!grid) on.exit(graphics::par(mar = margin))
    graphics::par(mar = c(max(margin[1L], fits_label_lines(labels) + 1), margin[-1L]))
  }
  if (is.null(xlab))
    xlab <- if (upright) "" else if (!rolling) "series" else if (is.null(x$window$time)) "end of window" else "time"
  for (p in parm) {
    draw_parameter(curves[curves$parameter == p, ], p, col, list(rolling = rolling, banded = banded, dated = dated,
                   names = labels, upright = upright, groups = groups), ylim, xlab, log, ...)
    if (keyed && p == parm[1L]) {
      if (outside) legend_above(groups, col, grid)
      else graphics::legend(legend, groups, col = col, lwd = 1.5, bty = "n", cex = 0.8)
    }
  }
  invisible(x)
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.stableFits <- function(object, parm = c("alpha", "beta", "gamma", "delta"), level = 0.95,
                                method = c("auto", "default", "profile", "transformed", "wald"), ...) {
  warn_extra(...)
  parm <- several("parm", parm)
  curves <- fits_curves(object, parm, level, choice("method", method))
  curves$parameter <- factor(curves$parameter, parm)
  window <- object$window
  facets <- ggplot2::facet_wrap("parameter", scales = "free_y")
  if (is.null(window)) {
    curves$series <- if (is.null(names(object))) curves$at
                     else factor(names(object)[curves$at], unique(names(object)))
    return(ggplot2::ggplot(curves, gg_aes(x = "series", y = "estimate", ymin = "low", ymax = "high")) +
             ggplot2::geom_pointrange(na.rm = TRUE, size = 0.3, colour = plot_colours[["sample"]]) + facets)
  }
  curves$group <- factor(curves$group, unique(curves$group))
  plot <- ggplot2::ggplot(curves, gg_aes(x = "at", y = "estimate", colour = "group", fill = "group"))
  if (length(unique(curves$group)) == 1L)
    plot <- plot + ggplot2::geom_ribbon(gg_aes(ymin = "low", ymax = "high"), alpha = 0.2, colour = NA)
  keyed <- if (length(unique(curves$group)) == 1L) "none" else "legend"
  plot + ggplot2::geom_line(na.rm = TRUE) + ggplot2::geom_point(data = curves[curves$alone, ], size = 0.8) + facets +
    ggplot2::scale_colour_manual(values = rep_len(curve_colours, length(unique(curves$group)))) +
    ggplot2::scale_fill_manual(values = rep_len(curve_colours, length(unique(curves$group)))) +
    ggplot2::guides(colour = keyed, fill = "none") +
    ggplot2::labs(x = if (is.null(window$time)) "end of window" else "time", colour = "series")
}

# The plot of one parameter p of all fits; what: how they are shown.
draw_parameter <- function(own, p, col, what, ylim, xlab, log, ...) {
  shown <- c(own$estimate, if (what$banded) c(own$low, own$high))
  shown <- shown[is.finite(shown)]
  wide <- p == "gamma" && if (is.null(log)) is.null(ylim) && spans_decades(own$estimate) else log
  if (wide) {
    shown <- shown[shown > 0]
    own$low <- pmax(own$low, min(own$estimate, na.rm = TRUE) / 10)
  }
  inside <- if (!is.null(ylim)) ylim else if (p == "delta") centre_range(own, shown)
            else if (length(shown)) range(shown) else c(-1, 1)
  labelled <- !is.null(what$names) || what$dated
  call_plot(graphics::plot.default, list(x = range(own$at), y = inside, type = "n", xlab = xlab, ylab = p, las = 1,
                                         xaxt = if (labelled) "n" else "s", yaxt = "n", log = if (wide) "y" else ""),
            ...)
  left_axis(list(...))
  if (!is.null(what$names)) own_axis(1, list(...), own$at, what$names, las = if (what$upright) 2 else 0, gap = NA)
  if (what$dated) { # axis.Date() may have a single label for a year or two
    ticks <- pretty(own$at)
    own_axis(1, list(...), ticks, attr(ticks, "labels"), las = 0)
  }
  for (k in seq_along(what$groups)) {
    mine <- own[own$group == what$groups[k], ]
    if (what$rolling) draw_rolling(mine, col[k], what$banded)
    else draw_fits(mine, col[k], if (is.null(ylim)) inside)
  }
}

# Estimates of series with their limits; inside: where those beyond are marked.
draw_fits <- function(mine, col, inside) {
  many <- nrow(mine) > 60L # whose bars would hide the estimates
  graphics::segments(mine$at, mine$low, y1 = mine$high, col = if (many) "grey85" else "grey60")
  graphics::points(mine$at, mine$estimate, pch = 16, cex = if (many) 0.5 else 1, col = col)
  if (!is.null(inside)) mark_beyond(mine, inside, col)
}

# Estimates of windows as a curve.
draw_rolling <- function(mine, col, banded) {
  if (banded) plot_band(mine$at, mine$low, mine$high, grDevices::adjustcolor(col, 0.2))
  graphics::lines(mine$at, mine$estimate, col = col, lwd = 1.5)
  graphics::points(mine$at[mine$alone], mine$estimate[mine$alone], col = col, pch = 16, cex = 0.6)
}

# Estimates and limits within the range of the parameter, a row per fit and parameter. That of beta is missing where
# it has nearly no effect.
fits_curves <- function(x, parm, level, method) {
  window <- x$window
  at <- if (is.null(window)) seq_along(x) else if (is.null(window$time)) window$to else window$time
  group <- if (is.null(window$series)) rep("", length(at)) else as.character(window$series)
  limits <- if (method == "auto") drawn_limits(x, parm, level) else confint(x, parm, level, method)
  all <- unname(coef(x))
  hidden <- all[, 1L] > 1.99 & !fit_rows(x, "fixed")[, 2L]
  do.call(rbind, lapply(parm, function(p) {
    estimate <- all[, match(p, parameters)]
    low <- unname(clip(limits[, 1L, p], p))
    high <- unname(clip(limits[, 2L, p], p))
    if (p == "beta") estimate[hidden] <- low[hidden] <- high[hidden] <- NA
    data.frame(at = at, group = group, parameter = p, estimate = estimate, low = low, high = high,
               alone = as.logical(stats::ave(estimate, group, FUN = is_alone)))
  }))
}

# Estimates that no line reaches, for those before and after them are missing.
is_alone <- function(estimate) {
  absent <- is.na(c(NA, estimate, NA))
  at <- seq_along(estimate) + 1L
  !absent[at] & absent[at - 1L] & absent[at + 1L]
}

# The limits of confint() take several times as long as the fits themselves, as next to alpha = 2 they come from
# profiles. Of many fits they are on a transformed scale, and for alpha not below those on its own scale, as the
# transformed limit may fall to 0 there. Above 1.97 neither is near the profile, which is used there, and for what has
# no other limits.
drawn_limits <- function(x, parm, level) {
  if (length(x) <= 40L || x$method != "mle") return(confint(x, parm, level))
  limits <- confint(x, parm, level, "transformed")
  alpha <- coef(x)[, "alpha"]
  if ("alpha" %in% parm)
    limits[, 1L, "alpha"] <- pmax(limits[, 1L, "alpha"], confint(x, "alpha", level, "wald")[, 1L, "alpha"])
  for (p in intersect(parm, c("alpha", "beta"))) {
    lost <- is.na(limits[, 1L, p]) | if (p == "alpha") alpha > 1.97 else FALSE
    if (p == "beta") lost <- lost & alpha <= 1.99 # is not drawn
    lost <- which(lost & is.finite(x$loglik) & !fit_rows(x, "fixed")[, p])
    if (length(lost)) limits[lost, , p] <- fits_profiles(x, lost, p, level)
  }
  limits
}

spans_decades <- function(v) {
  v <- v[is.finite(v) & v > 0]
  length(v) > 1L && max(v) > 30 * min(v)
}

# Of estimates among which a few are far from the others: the range of the others, if it is far narrower.
centre_range <- function(own, shown) {
  if (!length(shown)) return(c(-1, 1))
  middle <- stats::quantile(own$estimate, c(0.05, 0.5, 0.95), na.rm = TRUE, names = FALSE)
  reach <- middle[2L] + 5 * (middle[c(1L, 3L)] - middle[2L])
  whole <- range(shown)
  if (nrow(own) < 20L || diff(whole) <= 4 * diff(reach)) whole else reach
}

# Triangles at the frame for estimates that are beyond it.
mark_beyond <- function(mine, inside, col) {
  for (side in 1:2) {
    out <- which(if (side == 1L) mine$estimate < inside[1L] else mine$estimate > inside[2L])
    graphics::points(mine$at[out], rep(inside[side], length(out)), pch = c(6, 2)[side], cex = 0.8, col = col)
  }
}

# The width of labels in inches before there is a plot: letters are about 0.6 times as wide as the widest.
fits_label_width <- function(labels) 0.6 * nchar(labels) * graphics::par("cin")[1L] * graphics::par("cex.axis") *
  graphics::par("cex") / 0.75
fits_labels_collide <- function(labels) max(fits_label_width(labels)) > graphics::par("pin")[1L] / length(labels)
fits_label_lines <- function(labels) max(fits_label_width(labels)) / (graphics::par("csi") * graphics::par("cex"))

# A key in the margin above the plot, or above all plots of the page, in as many columns as there is room for.
legend_above <- function(labels, col, page) {
  room <- if (page) graphics::par("din")[1L] else graphics::par("fin")[1L]
  each <- max(graphics::strwidth(labels, "inches", cex = 0.9)) + 4 * graphics::par("cin")[1L]
  columns <- min(length(labels), max(1, floor(0.95 * room / each)))
  at <- if (page) c(graphics::grconvertX(0.5, "ndc"), graphics::grconvertY(1, "ndc"))
        else c(mean(graphics::par("usr")[1:2]), graphics::par("usr")[4L])
  if (!page && graphics::par("xlog")) at[1L] <- 10^at[1L]
  if (!page && graphics::par("ylog")) at[2L] <- 10^at[2L]
  graphics::legend(at[1L], at[2L], labels, col = col, lwd = 1.5, bty = "n", cex = 0.9, ncol = columns, xjust = 0.5,
                   yjust = if (page) 1 else 0, xpd = NA)
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

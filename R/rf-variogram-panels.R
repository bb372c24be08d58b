# Plots of variograms of several variables: a panel for each pair.

# Those of a variable are on the diagonal, those of two below it.
variogram_panels <- function(x, ..., main = NULL, xlab = attr(x, "label"), ylab = NULL) {
  panels <- all_panels(x)
  shown <- unique(unlist(lapply(panels, `[[`, "pair")))
  shown <- attr(x, "variables")$names[sort(shown)]
  p <- length(shown)
  old <- graphics::par(mfrow = c(p, p), mar = c(2, 3, 1.8, 0.6), oma = c(1.8, 1.5, if (is.null(main)) 0 else 2, 0),
                       mgp = c(2, 0.7, 0))
  on.exit(graphics::par(old))
  for (row in seq_len(p)) for (column in seq_len(p)) {
    panel <- Find(function(panel) setequal(panel$names, shown[c(row, column)]), panels)
    if (column > row || is.null(panel)) graphics::plot.new() else variogram_panel(panel, max(x$distance), ...)
    if (row == 1L && column == p) panel_legend(x, panels, if (p > 1L) "topright" else "bottomright")
  }
  if (is.null(ylab)) ylab <- if (any(!is.na(x$covariance))) "variogram, covariance" else "variogram"
  graphics::mtext(xlab, 1, 0.4, outer = TRUE, cex = 0.9)
  graphics::mtext(ylab, 2, 0.2, outer = TRUE, cex = 0.9)
  if (!is.null(main)) graphics::mtext(main, 3, 0.4, outer = TRUE, font = 2)
}

variogram_panel <- function(panel, to, ...) {
  given <- list(...)
  call_plot(graphics::plot.default,
            list(x = panel$table$distance, y = panel$table$value, type = "n", xlab = "", ylab = "", yaxt = "n",
                 main = panel$title, cex.main = 1, xlim = c(0, to),
                 ylim = range(0, panel$table$value, panel$table$model, panel$curves$value, panel$bounds$value,
                              panel$nugget, finite = TRUE)), ...)
  left_axis(given)
  graphics::abline(h = 0, col = "grey70")
  draw <- function(table, ...) if (NROW(table)) for (curve in split(table, list(table$group, table$side), TRUE))
    graphics::lines(curve$distance, curve$value, ..., col = curve_colour(curve$group[1L]))
  draw(panel$bounds, lty = 3)
  draw(panel$curves, lwd = 2)
  graphics::points(panel$table$distance, panel$table$value, pch = 19, cex = 0.8,
                   col = curve_colour(panel$table$group))
  if (length(panel$nugget)) graphics::points(0, panel$nugget, cex = 1.4)
}

curve_colour <- function(group) curve_colours[(group - 1L) %% length(curve_colours) + 1L]

panel_legend <- function(x, panels, where) {
  label <- panel_groups(x)$label
  lines <- c(model = 1, "full correlation" = 3)[c(!is.null(attr(x, "model")), any(lengths(lapply(
    panels, `[[`, "bounds")) > 0))]
  count <- c(length(label), length(lines))
  both <- if (count[1L] == 1L) curve_colour(1L) else "black"
  graphics::legend(where, c(label, names(lines)), bty = "n", inset = 0.02, pt.cex = 0.8, pch = rep(c(19, NA), count),
                   lty = c(rep(NA, count[1L]), lines), lwd = c(rep(NA, count[1L]), c(2, 1)[seq_along(lines)]),
                   col = c(curve_colour(seq_len(count[1L])), rep(both, count[2L])))
}

# Directions, with colours of their own.
panel_groups <- function(x) {
  names <- if (is.null(x$direction)) 1 else unique(x$direction)
  list(names = names, label = direction_labels(x, names))
}

all_panels <- function(x) {
  pairs <- unique(as.data.frame(unclass(x))[c("variable1", "variable2")])
  lapply(seq_len(nrow(pairs)), function(k)
    panel_of(x, which(x$variable1 == pairs$variable1[k] & x$variable2 == pairs$variable2[k])))
}

# What a pair of variables has: estimates, curves of the model, which are averages over pairs of all directions where
# it is anisotropic and no direction is given, and the bounds of cross-variograms on the side where these are, the
# roots of the products of both variograms, as increments have a correlation of 1 at most.
panel_of <- function(x, rows) {
  own <- attr(x, "variables")
  t <- as.data.frame(unclass(x))[rows, ]
  pair <- match(c(as.character(t$variable1[1L]), as.character(t$variable2[1L])), own$names)
  what <- if (is.null(t$covariance) || all(is.na(t$covariance))) "variogram" else "covariance"
  groups <- panel_groups(x)$names
  t$value <- t[[what]]
  t$group <- if (is.null(t$direction)) 1L else match(t$direction, groups)
  title <- paste(unique(own$names[pair]), collapse = ", ")
  panel <- list(table = t, pair = pair, names = own$names[pair],
                title = if (what == "covariance") paste("covariance of", title) else title)
  if (is.null(own$model)) return(panel)
  nugget <- pair_nugget(own, pair[1L], pair[2L])
  if (nugget != 0 && what == "variogram") panel$nugget <- nugget
  turned <- any(vapply(families[[own$model$name]]$terms(own$model, FALSE), function(term)
    is_anisotropic(term$part), NA))
  if (turned && is.null(t$direction)) {
    panel$curves <- data.frame(distance = t$distance, value = t$model, group = 1L, side = 1L)[t$distance > 0, ]
    return(panel)
  }
  r <- max(x$distance) * seq(0, 1, length.out = 201)^2
  for (k in seq_along(groups)) {
    unit <- if (is.null(t$direction)) seq_len(attr(x, "space")) == 1L else attr(x, "sectors")[[k]]$unit
    panel <- with_curves(panel, own, what, outer(r, unit), r, k)
  }
  panel
}

with_curves <- function(panel, own, what, lag, r, group) {
  values <- function(i, j) pair_values(own, i, j, what, lag, r)
  i <- panel$pair[1L]
  j <- panel$pair[2L]
  curve <- values(i, j)
  if (what == "covariance") curve[r == 0] <- curve[r == 0] - pair_nugget(own, i, j) # errors are no part of the curve
  panel$curves <- rbind(panel$curves, data.frame(distance = r, value = curve, group = group, side = 1L))
  if (what == "covariance" || i == j) return(panel)
  bound <- sqrt(values(i, i) * values(j, j))
  for (side in c(1L, -1L)[c(any(curve >= 0 & r > 0), any(curve < 0))])
    panel$bounds <- rbind(panel$bounds, data.frame(distance = r, value = side * bound, group = group, side = side))
  panel
}

# ---- by ggplot2 ----

gg_variogram_panels <- function(x) {
  panels <- all_panels(x)
  titles <- vapply(panels, `[[`, "", "title")
  labels <- panel_groups(x)$label
  all <- function(part) {
    table <- do.call(rbind, lapply(panels, function(panel) if (NROW(panel[[part]]))
      data.frame(panel[[part]][c("distance", "value")], group = factor(labels[panel[[part]]$group], labels),
                 side = if (is.null(panel[[part]]$side)) 1L else panel[[part]]$side,
                 panel = factor(panel$title, titles))))
    if (!is.null(table)) table[!is.na(table$value), ]
  }
  estimates <- all("table")
  curves <- all("curves")
  bounds <- all("bounds")
  plot <- ggplot2::ggplot(estimates, gg_aes(x = "distance", y = "value", colour = "group")) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey70")
  if (!is.null(bounds)) for (side in c(1L, -1L)) plot <- plot +
    ggplot2::geom_line(data = bounds[bounds$side == side, ], linetype = 3)
  if (!is.null(curves)) plot <- plot + ggplot2::geom_line(data = curves, linewidth = 0.8)
  plot + ggplot2::geom_point() + ggplot2::facet_wrap("panel", scales = "free_y") + ggplot2::expand_limits(x = 0) +
    ggplot2::scale_colour_manual(values = curve_colour(seq_along(labels))) +
    ggplot2::guides(colour = if (length(labels) > 1L) "legend" else "none") +
    ggplot2::labs(x = attr(x, "label"), y = "variogram", colour = NULL)
}

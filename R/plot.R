# What plots of all families share: arguments, axes, colours.

# Arguments of the user before the defaults.
call_plot <- function(f, defaults, ...) {
  given <- list(...)
  if (!is.factor(given[["col"]])) check_colour("col", given[["col"]]) # of which graphics takes the codes
  all <- c(given, defaults[!names(defaults) %in% names(given)])
  for (name in names(all)) if (is.character(all[[name]]) && !all(validEnc(all[[name]])))
    input_error(name, all[[name]], "must be text in its encoding: see Encoding() and iconv()")
  do.call(f, all, quote = TRUE) # titles may be calls
}

plot_colours <- c(fit = "#b2182b", sample = "#2166ac", band = "grey88")

# The plots wanted, by their names or numbers.
plot_views <- function(which, views) {
  if (!is.numeric(which)) return(several("which", which, views))
  if (!length(which) || !all(which %in% seq_along(views)))
    input_error("which", which, sprintf("must be among 1 to %d or %s", length(views), toString(dQuote(views, FALSE))))
  views[unique(which)]
}

# The views one after the other. ask: before each page? NULL: if a person looks on and there is not room for all.
draw_views <- function(views, ask, draw) {
  if (is.null(ask))
    ask <- length(views) > 1L && grDevices::dev.interactive() && prod(graphics::par("mfcol")) < length(views)
  if (one_flag("ask", ask)) {
    old <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(old))
  }
  for (view in views) draw(view)
}

# The vertical axis. Its labels are horizontal where they end before the title of the axis. The value is las.
left_axis <- function(given = list(), at = graphics::axTicks(2), label = TRUE) {
  reach <- graphics::par("usr")[3:4]
  position <- if (graphics::par("ylog")) log10(at) else at
  text <- (if (isTRUE(label)) format(at) else label)[position >= reach[1L] & position <= reach[2L]]
  of <- function(name) if (is.null(given[[name]])) graphics::par(name) else given[[name]]
  lines <- of("mgp")
  line <- graphics::par("mai")[2L] / max(graphics::par("mar")[2L], 1e-9)
  width <- max(graphics::strwidth(text, "inches", cex = of("cex.axis"), font = of("font.axis")), 0)
  own_axis(2, given, at, label, las = if (width > (lines[1L] - lines[2L]) * line) 0 else 1)
}

curve_colours <- c("#2166ac", "#b2182b", "#1b7837", "#762a83", "#e08214")

# Columns by name, which R CMD check would take for unknown variables.
gg_aes <- function(...) do.call(ggplot2::aes, lapply(c(...), as.name))

# An axis, unless the arguments that the user has given leave it out, with those of them that are about axes; las, if
# none is given.
own_axis <- function(side, given, at, label = TRUE, las, gap = 0.3) {
  type <- given[[if (side == 1) "xaxt" else "yaxt"]]
  if (identical(type, "n") || isFALSE(given$axes)) return(invisible())
  of_axes <- c("las", "cex.axis", "col.axis", "font.axis", "family", "tck", "tcl", "mgp", "fg", "xpd")
  given <- given[names(given) %in% of_axes]
  if (is.null(given$las)) given$las <- las
  do.call(graphics::axis, c(list(side, at, label, gap.axis = gap), given), quote = TRUE)
  invisible(given$las)
}

# ---- what plot() and autoplot() of one object both draw ----

# A picture: title and labels of the axes, and layers by mark() from the lowest on. xlim, ylim: ends of the axes, by
# default those of the data; log: which axes are logarithmic; ticks: for `x`, `y` or both a function of the ends of
# the axis that gives positions `at` and `text`; las, gap: how these stand, by default level where there is room;
# caption: a remark; key: colours by name of the groups in the column `group` of all layers.
picture <- function(title, x, y, layers, xlim = NULL, ylim = NULL, log = "", ticks = list(), las = NULL, gap = 0.3,
                    caption = NULL, key = NULL, group = NULL) {
  layers <- Filter(length, layers)
  as.list(environment())
}

# A layer of a picture. data has the columns x and y of points, with `censored` for open circles, and lines; x, low
# and high of a band; left, right, floor and height of bars; low, high and y of segments; y of horizontal lines.
# first: are these the points that arguments of plot() are about? It draws them before the other layers.
mark <- function(kind, data = NULL, colour = "grey45", lty = 1, lwd = 1, size = 1, first = FALSE)
  list(kind = kind, data = data, colour = colour, lty = lty, lwd = lwd, size = size, first = first)

draw_picture <- function(v, ...) {
  given <- list(...)
  first <- Find(function(layer) layer$first, v$layers)
  shown <- if (is.null(first)) list(x = v$xlim, y = v$ylim, type = "n")
           else list(x = first$data$x, y = first$data$y, xlim = v$xlim, ylim = v$ylim, pch = 16, cex = 0.6,
                     col = first$colour)
  own <- !is.null(v$ticks$y) || !grepl("y", v$log) # else R's logarithmic axis
  call_plot(graphics::plot.default,
            c(shown, list(main = v$title, xlab = v$x, ylab = v$y, log = v$log, las = if (own) 1 else 0,
                          xaxt = if (is.null(v$ticks$x)) "s" else "n", yaxt = if (own) "n" else "s")), ...)
  if (own) draw_ticks(v, given)
  for (k in if (is.null(v$key)) "" else names(v$key)) for (layer in v$layers) if (!layer$first) {
    if (!is.null(v$key)) {
      layer$colour <- v$key[[k]]
      layer$data <- layer$data[layer$data[[v$group]] == k, ]
    }
    draw_mark(layer)
  }
  if (!is.null(v$caption)) graphics::legend("topright", v$caption, bty = "n", cex = 0.8, text.col = "grey35")
  if (!is.null(v$key)) graphics::legend("topright", names(v$key), col = v$key, pch = 16, lwd = 1.5, bty = "n")
  covered <- any(vapply(v$layers, function(layer) layer$kind %in% c("band", "bars"), NA))
  if (covered && !isFALSE(if (is.null(given$frame.plot)) given$axes else given$frame.plot))
    graphics::box(bty = if (is.null(given$bty)) graphics::par("bty") else given$bty)
}

draw_ticks <- function(v, given) {
  usr <- graphics::par("usr")
  tick <- Map(function(f, ends) f(ends), v$ticks, list(x = usr[1:2], y = usr[3:4])[names(v$ticks)])
  if (!is.null(tick$x))
    own_axis(1, given, tick$x$at, tick$x$text, las = if (is.null(v$las)) 1 else v$las, gap = v$gap)
  if (is.null(tick$y)) left_axis(given)
  else if (is.null(v$las)) left_axis(given, tick$y$at, tick$y$text)
  else own_axis(2, given, tick$y$at, tick$y$text, las = v$las, gap = v$gap)
}

draw_mark <- function(layer) {
  d <- layer$data
  switch(layer$kind,
    points = graphics::points(d$x, d$y, pch = ifelse(d$censored, 1, 16), cex = 0.6, col = layer$colour),
    line = graphics::lines(d$x, d$y, col = layer$colour, lwd = layer$lwd),
    band = {
      d <- d[is.finite(d$x) & is.finite(d$low) & is.finite(d$high), ]
      graphics::polygon(c(d$x, rev(d$x)), c(d$low, rev(d$high)), col = layer$colour, border = NA)
    },
    bars = graphics::rect(d$left, d$floor, d$right, d$height, col = layer$colour, border = "grey65"),
    segments = graphics::segments(d$low, d$y, d$high, d$y, col = layer$colour),
    level = graphics::abline(h = d$y, col = layer$colour, lty = layer$lty),
    diagonal = graphics::abline(0, 1, col = layer$colour))
}

gg_picture <- function(v) {
  layers <- lapply(v$layers, gg_mark, group = v$group)
  plot <- ggplot2::ggplot() + layers + ggplot2::coord_cartesian(v$xlim, v$ylim) +
    ggplot2::labs(title = v$title, x = v$x, y = v$y, caption = v$caption)
  if (any(vapply(v$layers, function(layer) any(layer$data$censored), NA)))
    plot <- plot + ggplot2::scale_shape_manual(values = c("FALSE" = 16, "TRUE" = 1))
  if (!is.null(v$key)) plot <- plot + ggplot2::scale_colour_manual(values = v$key, limits = names(v$key))
  if (grepl("x", v$log)) plot <- plot + ggplot2::scale_x_log10()
  if (grepl("y", v$log)) return(plot + ggplot2::scale_y_log10()) # with ticks that are ggplot2's
  for (axis in names(v$ticks)) plot <- plot + gg_axis(v, axis)
  plot
}

gg_axis <- function(v, axis) {
  ends <- v[[paste0(axis, "lim")]]
  if (is.null(ends)) ends <- range(unlist(lapply(v$layers, function(layer) layer$data[[axis]])))
  tick <- v$ticks[[axis]](ends)
  scale <- if (axis == "x") ggplot2::scale_x_continuous else ggplot2::scale_y_continuous
  scale(breaks = tick$at, labels = tick$text, minor_breaks = NULL,
        guide = ggplot2::guide_axis(check.overlap = axis == "x"))
}

gg_mark <- function(layer, group) {
  d <- layer$data
  width <- 0.4 * layer$lwd
  drawn <- function(geom, ..., look = list(colour = layer$colour))
    do.call(geom, c(list(gg_aes(...), d), if (length(look)) look))
  open <- any(d$censored)
  own <- if (is.null(group)) list(colour = layer$colour)
  switch(layer$kind,
    points = {
      d <- d[is.finite(d$y), ]
      drawn(ggplot2::geom_point, x = "x", y = "y", colour = group, shape = if (open) "censored",
            look = c(own, size = layer$size, if (!open) list(shape = if (is.null(d$censored)) 19 else 16)))
    },
    line = drawn(ggplot2::geom_line, x = "x", y = "y", colour = group, look = c(own, linewidth = width)),
    band = {
      d <- d[is.finite(d$low) & is.finite(d$high), ]
      drawn(ggplot2::geom_ribbon, x = "x", ymin = "low", ymax = "high", look = list(fill = layer$colour))
    },
    bars = drawn(ggplot2::geom_rect, xmin = "left", xmax = "right", ymin = "floor", ymax = "height",
                 look = list(fill = layer$colour, colour = "grey65", linewidth = 0.2)),
    segments = drawn(ggplot2::geom_segment, x = "low", xend = "high", y = "y", yend = "y"),
    level = ggplot2::geom_hline(yintercept = d$y, colour = layer$colour, linetype = layer$lty),
    diagonal = ggplot2::geom_abline(colour = layer$colour))
}

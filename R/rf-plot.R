# Plots of random fields.

#' @rdname rfield
#' @importFrom graphics plot
#' @export
plot.rfield <- function(x, sim = NULL, slice = NULL, palette = "viridis", key = TRUE, ...) {
  recipe <- attr(x, "recipe")
  if (!length(x)) raise_engine_error("input", "x has no points: there is nothing to plot")
  grid <- attr(x, "grid")
  d <- recipe$space$columns
  values <- sim_columns(x)[, plotted_sims(sim, recipe, d), drop = FALSE]
  if (!is.null(slice) && (is.null(grid) || d != 3L)) input_error("slice", slice, "is for a mesh in space")
  if (is.null(grid)) points_plot(field_points(x), values, palette, key, recipe, ...)
  else if (d == 1L) line_plot(grid_axes(grid)[[1L]], values, ...)
  else if (d == 2L) image_plot(grid_axes(grid), array(values, grid$dims), palette, key, axis_names(2L), recipe, ...)
  else slice_plot(grid, function(...) array(values, grid$dims)[...], slice, palette, key, recipe, ...)
  invisible(x)
}

#' @export
plot.rfRecipe <- function(x, ...)
  raise_engine_error("input", "x is a recipe, without values: plot(predict(x, newpoints))")

plotted_sims <- function(sim, recipe, dim) {
  nsim <- recipe$nsim
  if (is.null(sim)) return(if (dim == 1L) setdiff(seq_len(nsim), match("se.fit", recipe$layers)) else 1L)
  if (is.character(sim)) {
    odd <- setdiff(sim, recipe$layers)
    if (length(odd)) input_error("sim", odd, sprintf("must be %s", if (is.null(recipe$layers)) "a number" else
      paste("one of", toString(dQuote(recipe$layers, FALSE)))))
    sim <- match(sim, recipe$layers)
  }
  if (dim > 1L && length(sim) != 1L) input_error("sim", sim, "must be the number of one field")
  for (i in sim) if (whole_number("sim", i) > nsim)
    input_error("sim", i, sprintf("must be at most %d, the number of fields", nsim))
  sim
}

# Arguments of the user go before defaults.
with_defaults <- function(f, given, defaults) do.call(f, c(given, defaults[!names(defaults) %in% names(given)]))

line_plot <- function(x, values, ...) {
  o <- order(x)
  colours <- if (ncol(values) == 1L) "#2166ac" else grDevices::hcl.colors(ncol(values), "Dark 3")
  with_defaults(graphics::matplot, list(x = x[o], y = values[o, , drop = FALSE], ...),
                list(type = "l", lty = 1, pch = 1, xlab = "x", ylab = "value", col = colours, las = 1))
}

# part: the values at indices along the axes.
slice_plot <- function(grid, part, slice, palette, key, recipe, ...) {
  axis <- if (is.null(names(slice))) 3L else match(names(slice)[1L], axis_names(3L))
  if (is.null(slice)) slice <- (grid$dims[3L] + 1) %/% 2
  if (is.na(axis) || !is.numeric(slice) || length(slice) != 1L || !slice %in% seq_len(grid$dims[axis]))
    input_error("slice", slice, "must be an index of the mesh, as 5 or c(y = 5)")
  index <- lapply(grid$dims, seq_len)
  index[[axis]] <- slice
  plane <- array(do.call(part, index), grid$dims[-axis])
  place <- sprintf("%s = %s", axis_names(3L)[axis], format(grid_axes(grid)[[axis]][slice]))
  image_plot(grid_axes(grid)[-axis], plane, palette, key, axis_names(3L)[-axis], recipe, main = place, ...)
}

image_plot <- function(axes, values, palette, key, labels, recipe, ...) {
  colours <- grDevices::hcl.colors(256L, palette)
  old <- key_margin(key)
  on.exit(graphics::par(old))
  given <- list(x = axes[[1L]], y = axes[[2L]], z = values, ...)
  given <- given[!duplicated(names(given), fromLast = TRUE)]
  limits <- if (is.null(given$zlim)) value_limits(values) else given$zlim
  with_defaults(graphics::image.default, given,
                list(zlim = limits, col = colours, xlab = labels[1L], ylab = labels[2L],
                     asp = map_aspect(recipe$space$sphere, axes[[2L]]), las = upright(axes[[2L]]),
                     useRaster = TRUE))
  graphics::box(bty = if (is.null(given$bty)) "o" else given$bty) # over the image, which may end there
  if (key) draw_key(limits, if (is.null(given$col)) colours else given$col)
}

points_plot <- function(xy, values, palette, key, recipe, ...) {
  if (ncol(xy) == 1L) return(line_plot(xy[, 1L], values, ...))
  if (ncol(xy) == 3L) raise_engine_error("input", paste("scattered points in space cannot be plotted:",
                                                        "plot(predict(x, rfGrid(...))) shows the field on a mesh"))
  colours <- grDevices::hcl.colors(256L, palette)
  limits <- value_limits(values)
  old <- key_margin(key)
  on.exit(graphics::par(old))
  shade <- colours[1L + pmin(255L, floor(256 * (values - limits[1L]) / diff(limits)))]
  with_defaults(graphics::plot.default, list(x = xy[, 1L], y = xy[, 2L], ...),
                list(col = shade, pch = 16, cex = max(0.7, min(1.8, 30 / sqrt(nrow(xy)))),
                     xlab = colnames(xy)[1L], ylab = colnames(xy)[2L],
                     asp = map_aspect(recipe$space$sphere, xy[, 2L]), las = upright(xy[, 2L])))
  if (key) draw_key(limits, colours)
}

# A degree of latitude over one of longitude, in the middle of a map that is not too far north or south.
map_aspect <- function(sphere, latitude)
  if (is.null(sphere)) 1 else 1 / cospi(max(min(mean(range(latitude)), 75), -75) / 180)

value_limits <- function(values) {
  limits <- range(values, finite = TRUE)
  if (diff(limits) > 0) limits else limits + c(-0.5, 0.5)
}

# Labels of the vertical axis are level where they are short, else they would be cut off.
upright <- function(values) if (any(nchar(format(pretty(range(values)))) > 5L)) 0 else 1

key_margin <- function(key) {
  if (!key) return(graphics::par(no.readonly = TRUE)["mar"])
  margin <- graphics::par("mar")
  graphics::par(mar = c(margin[1:3], max(margin[4L], 5.1)))
}

# A strip in the right margin, with the values at its side.
draw_key <- function(limits, colours) {
  usr <- graphics::par("usr")
  line <- graphics::par("cxy")[1L]
  left <- usr[2L] + line
  right <- left + 1.2 * line
  edge <- seq(usr[3L], usr[4L], length.out = length(colours) + 1L)
  graphics::rect(left, edge[-length(edge)], right, edge[-1L], col = colours, border = NA, xpd = NA)
  at <- pretty(limits, 5)
  at <- at[at >= limits[1L] & at <= limits[2L]]
  y <- usr[3L] + (usr[4L] - usr[3L]) * (at - limits[1L]) / diff(limits)
  graphics::segments(right, y, right + 0.4 * line, y, xpd = NA)
  graphics::text(right + 0.6 * line, y, format(at), adj = c(0, 0.5), cex = 0.85, xpd = NA)
}

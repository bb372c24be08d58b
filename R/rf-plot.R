# Plots of random fields.

#' @rdname rfield
#' @importFrom graphics plot
#' @export
plot.rfield <- function(x, sim = NULL, slice = NULL, palette = "viridis", key = TRUE, component = NULL, time = NULL,
                        ...) {
  recipe <- attr(x, "recipe")
  if (!length(x)) raise_engine_error("input", "x has no points: there is nothing to plot")
  if (!is_plain(recipe)) return(flow_plot(x, sim, slice, palette, key, component, time, ...))
  if (!is.null(component)) input_error("component", component, "is for fields of several values at a point")
  if (!is.null(time)) input_error("time", time, "is for fields that change in time")
  grid <- attr(x, "grid")
  d <- recipe$space$columns
  values <- sim_columns(x)[, plotted_sims(sim, recipe, d), drop = FALSE]
  if (!is.null(slice) && (is.null(grid) || d != 3L)) input_error("slice", slice, "is for a mesh in space")
  draw_field(x, values, slice, palette, key, ...)
  invisible(x)
}

draw_field <- function(x, values, slice, palette, key, ...) {
  recipe <- attr(x, "recipe")
  grid <- attr(x, "grid")
  d <- recipe$space$columns
  if (is.null(grid)) points_plot(field_points(x), values, palette, key, recipe, ...)
  else if (d == 1L) line_plot(grid_axes(grid)[[1L]], values, ...)
  else if (d == 2L) image_plot(grid_axes(grid), array(values, grid$dims), palette, key, axis_names(2L), recipe, ...)
  else slice_plot(grid, function(...) array(values, grid$dims)[...], slice, palette, key, recipe, ...)
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

# Axis and index of a slice of a mesh in space.
slice_of <- function(grid, slice) {
  axis <- if (is.null(names(slice))) 3L else match(names(slice)[1L], axis_names(3L))
  if (is.null(slice)) slice <- (grid$dims[3L] + 1) %/% 2
  if (is.na(axis) || !is.numeric(slice) || length(slice) != 1L || !slice %in% seq_len(grid$dims[axis]))
    input_error("slice", slice, "must be an index of the mesh, as 5 or c(y = 5)")
  list(axis = axis, at = unname(slice))
}

# part: the values at indices along the axes.
slice_plot <- function(grid, part, slice, palette, key, recipe, ...) {
  own <- slice_of(grid, slice)
  index <- lapply(grid$dims, seq_len)
  index[[own$axis]] <- own$at
  plane <- array(do.call(part, index), grid$dims[-own$axis])
  place <- sprintf("%s = %s", axis_names(3L)[own$axis], format(grid_axes(grid)[[own$axis]][own$at]))
  image_plot(grid_axes(grid)[-own$axis], plane, palette, key, axis_names(3L)[-own$axis], recipe, main = place, ...)
}

# over: draws on the picture.
image_plot <- function(axes, values, palette, key, labels, recipe, ..., over = NULL) {
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
  if (!is.null(over)) over()
  graphics::box(bty = if (is.null(given$bty)) "o" else given$bty) # over the image, which may end there
  if (key) draw_key(limits, if (is.null(given$col)) colours else given$col)
}

points_plot <- function(xy, values, palette, key, recipe, ..., over = NULL) {
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
  if (!is.null(over)) over()
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

# ---- vectors, and fields in time ----

# Components of a vector are arrows over its length, unless one of them is wanted; other values are drawn as those of
# scalar fields.
flow_plot <- function(x, sim, slice, palette, key, component, time, ...) {
  recipe <- attr(x, "recipe")
  d <- recipe$space$columns
  names <- component_names(recipe)
  sim <- if (is.null(sim)) 1L else plotted_sims(sim, replace(recipe, "layers", NULL), 2L)
  step <- plotted_time(time, recipe)
  values <- array(as.vector(x), c(prod(places_size(x)), component_number(recipe), time_number(recipe), recipe$nsim))
  if (is.null(component)) {
    if (length(names) == d) {
      arrows_plot(x, matrix(values[, , step[1L], sim], ncol = d), slice, palette, key, ...)
      return(invisible(x))
    }
    component <- 1L
  } else if (is.null(names)) input_error("component", component, "is for fields of several values at a point")
  own <- if (is.character(component)) match(component, names) else component
  if (length(own) != 1L || !own %in% seq_along(names) && !is.null(names))
    input_error("component", component, paste("must be one of", toString(names)))
  shown <- matrix(values[, own, if (d == 1L) step else step[1L], sim], nrow(values))
  draw_field(x, shown, slice, palette, key, ...)
  invisible(x)
}

places_size <- function(x) if (is.null(attr(x, "grid"))) nrow(attr(x, "coordinates")) else attr(x, "grid")$dims

# All times on a line, else the first.
plotted_time <- function(time, recipe) {
  if (is.null(recipe$motion)) {
    if (!is.null(time)) input_error("time", time, "is for fields that change in time")
    return(1L)
  }
  if (is.null(time)) return(seq_along(recipe$times))
  one_number("time", time, "")
  step <- which.min(abs(recipe$times - time))
  if (abs(recipe$times[step] - time) > 1e-9 * max(abs(recipe$times)))
    input_error("time", time, sprintf("must be one of the times of x, as %s: predict() has others",
                                      format(recipe$times[step])))
  step
}

# Arrows of the components in the plane over a picture of the length of the whole vector. The longest arrow is as long
# as arrows are apart.
arrows_plot <- function(x, values, slice, palette, key, ...) {
  grid <- attr(x, "grid")
  d <- ncol(values)
  inside <- seq_len(d)
  if (is.null(grid)) {
    at <- seq_len(nrow(values))
    xy <- attr(x, "coordinates")
  } else {
    index <- lapply(grid$dims, function(n) seq((ceiling(n / 20) + 1) %/% 2, n, by = ceiling(n / 20)))
    if (d == 3L) {
      own <- slice_of(grid, slice)
      index[[own$axis]] <- own$at
      inside <- inside[-own$axis]
    }
    xy <- axes_points(Map(`[`, grid_axes(grid), index))
    at <- 1 + drop((axes_points(index) - 1) %*% cumprod(c(1, grid$dims))[seq_len(d)])
  }
  over <- function() {
    ends <- graphics::par("usr")
    apart <- sqrt((ends[2L] - ends[1L]) * (ends[4L] - ends[3L]) / nrow(xy))
    own <- values[at, inside, drop = FALSE]
    by <- own * (apart / sqrt(max(rowSums(own^2), .Machine$double.xmin)))
    from <- xy[, inside, drop = FALSE] - by / 2
    seen <- sqrt(rowSums(by^2)) > apart / 50 # arrows without length have no direction
    graphics::arrows(from[seen, 1L], from[seen, 2L], from[seen, 1L] + by[seen, 1L], from[seen, 2L] + by[seen, 2L],
                     length = min(0.05, 0.25 * apart * graphics::par("pin")[1L] / (ends[2L] - ends[1L])),
                     col = if (is.null(grid)) "black" else "white")
  }
  draw_field(x, matrix(sqrt(rowSums(values^2))), slice, palette, key, ..., over = over)
}

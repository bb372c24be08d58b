# Plots of random fields.

#' @rdname rfield
#' @importFrom graphics plot
#' @export
plot.rfield <- function(x, sim = NULL, slice = NULL, palette = "viridis", key = TRUE, component = NULL, time = NULL,
                        ...) {
  recipe <- attr(x, "recipe")
  if (!length(x)) raise_engine_error("input", "x has no points: there is nothing to plot")
  if (!is_plain(recipe)) return(flow_plot(x, sim, slice, palette, key, component, time, ...))
  refuse_flow_choices(component, time)
  grid <- attr(x, "grid")
  d <- recipe$space$columns
  sim <- plotted_sims(sim, recipe, d)
  if (!is.null(slice) && (is.null(grid) || d != 3L)) input_error("slice", slice, "is for a grid in space")
  draw_field(x, sim_columns(x)[, sim, drop = FALSE], slice, palette, key, sim_label(sim, recipe), ...)
  invisible(x)
}

# Which of several fields or layers is shown; NULL where there is one, or lines of all of them.
sim_label <- function(sim, recipe) {
  if (length(sim) != 1L) return(NULL)
  if (!is.null(recipe$layers)) return(recipe$layers[sim])
  number <- if (is.null(recipe$shown)) sim else recipe$shown$sims[sim]
  if (max(recipe$nsim, recipe$shown$nsim) > 1L) paste("field", number)
}

time_label <- function(times) if (length(times) == 1L) paste("time", format(times, digits = 6))

# label: what the title says.
draw_field <- function(x, values, slice, palette, key, label, ...) {
  recipe <- attr(x, "recipe")
  grid <- attr(x, "grid")
  d <- recipe$space$columns
  main <- if (length(label)) paste(label, collapse = ", ")
  if (is.null(grid)) points_plot(field_points(x), values, palette, key, recipe, main = main, ...)
  else if (d == 1L) line_plot(grid_axes(grid)[[1L]], values, main = main, ...)
  else if (d == 2L) image_plot(grid_axes(grid), array(values, grid$dims), palette, key, axis_names(2L), recipe,
                               main = main, ...)
  else slice_plot(grid, function(...) array(values, grid$dims)[...], slice, palette, key, recipe, label, ...)
}

#' @export
plot.rfRecipe <- function(x, ...)
  raise_engine_error("input", "x is a recipe, without values: plot(predict(x, newdata))")

plotted_sims <- function(sim, recipe, dim) {
  nsim <- recipe$nsim
  if (is.null(sim)) return(if (dim == 1L) setdiff(seq_len(nsim), match("se.fit", recipe$layers)) else 1L)
  if (is.character(sim)) {
    sim <- vapply(sim, layer_name, "", recipe, USE.NAMES = FALSE)
    odd <- setdiff(sim, recipe$layers)
    if (length(odd)) input_error("sim", odd, sprintf("must be %s", if (is.null(recipe$layers)) "a number" else
      paste("one of", toString(dQuote(recipe$layers, FALSE)))))
    sim <- match(sim, recipe$layers)
  }
  if (dim > 1L && length(sim) != 1L) input_error("sim", sim, "must be the number of one field")
  check_numbers("sim", sim, "positive")
  for (i in sim) if (whole_number("sim", i) > nsim)
    input_error("sim", i, sprintf("must be at most %d, the number of fields", nsim))
  sim
}

# The name of a layer of rfSummary(), in which a level or probability is rounded, from one that has more digits.
layer_name <- function(name, recipe) {
  part <- regmatches(name, regexec("^(P[(]> |q)(.*?)[)]?$", name, perl = TRUE))[[1L]]
  at <- if (length(part)) suppressWarnings(as.numeric(part[3L])) else NA
  if (name %in% recipe$layers || is.na(at)) return(name)
  own <- recipe$numbers[startsWith(names(recipe$numbers), part[2L])]
  near <- which(abs(own - at) <= 1e-6 * abs(at))
  if (length(near)) names(own)[near[1L]] else name
}

# Arguments of the user go before defaults, as does the last of two of the same name.
with_defaults <- function(f, given, defaults) {
  if (!is.null(names(given))) given <- given[names(given) == "" | !duplicated(names(given), fromLast = TRUE)]
  do.call(f, c(given, defaults[!names(defaults) %in% names(given)]), quote = TRUE) # titles may be calls
}

line_plot <- function(x, values, ...) {
  o <- order(x)
  colours <- if (ncol(values) == 1L) "#2166ac" else grDevices::hcl.colors(ncol(values), "Dark 3")
  with_defaults(graphics::matplot, list(x = x[o], y = values[o, , drop = FALSE], ...),
                list(type = "l", lty = 1, pch = 1, xlab = "x", ylab = "value", col = colours, las = 1))
}

# Axis and index of a slice of a grid in space.
slice_of <- function(grid, slice) {
  axis <- if (is.null(names(slice))) 3L else match(names(slice)[1L], axis_names(3L))
  if (is.null(slice)) slice <- (grid$dims[3L] + 1) %/% 2
  if (is.na(axis) || !is.numeric(slice) || length(slice) != 1L || !slice %in% seq_len(grid$dims[axis]))
    input_error("slice", slice, "must be an index of the grid, as 5 or c(y = 5)")
  list(axis = axis, at = unname(slice))
}

# part: the values at indices along the axes.
slice_plot <- function(grid, part, slice, palette, key, recipe, label, ...) {
  own <- slice_of(grid, slice)
  index <- lapply(grid$dims, seq_len)
  index[[own$axis]] <- own$at
  plane <- array(do.call(part, index), grid$dims[-own$axis])
  place <- sprintf("%s = %s", axis_names(3L)[own$axis], format(grid_axes(grid)[[own$axis]][own$at]))
  sides <- side_lengths(grid)[-own$axis]
  image_plot(grid_axes(grid)[-own$axis], plane, palette, key, axis_names(3L)[-own$axis], recipe,
             main = paste(c(label, place), collapse = ", "), asp = if (max(sides) > 4 * min(sides)) NA else 1, ...)
}

# Does image() take steps for equal? Far from 0 they are rounded.
is_even <- function(axis) {
  steps <- diff(axis)
  isTRUE(all.equal(steps, rep_len(steps[1L], length(steps))))
}

# over: draws on the picture.
image_plot <- function(axes, values, palette, key, labels, recipe, ..., over = NULL) {
  given <- list(x = axes[[1L]], y = axes[[2L]], z = values, ...)
  given <- given[!duplicated(names(given), fromLast = TRUE)]
  classes <- class_labels(recipe)
  colours <- if (is.null(given[["col"]])) map_colours(classes, palette) else given[["col"]]
  limits <- if (is.null(given$zlim)) map_limits(classes, values) else given$zlim
  half <- function(v) if (length(v) > 1L) abs(v[2L] - v[1L]) / 2 else 0.5
  extent <- lapply(axes, function(v) range(v) + c(-1, 1) * half(v))
  aspect <- if (is.null(given$asp)) map_aspect(recipe$space$sphere, axes[[2L]]) else given$asp
  key <- map_key(key, limits, classes)
  old <- map_region(key, extent, aspect, given)
  on.exit(graphics::par(old))
  with_defaults(graphics::image.default, given,
                list(zlim = limits, col = colours, xlab = labels[1L], ylab = labels[2L], asp = aspect,
                     las = upright(axes[[2L]]), useRaster = all(vapply(axes, is_even, NA))))
  if (!is.null(over)) over()
  graphics::box(bty = if (is.null(given$bty)) "o" else given$bty) # over the image, which may end there
  draw_key(key, colours)
}

# Labels of the categories by rfFacies() or rfTransform(breaks = ), or NULL.
class_labels <- function(recipe) {
  if (!length(recipe$transform)) return(recipe$facies$labels)
  last <- recipe$transform[length(recipe$transform)]
  if (!identical(names(last), "breaks")) return(NULL)
  labels <- attr(last[[1L]], "labels")
  if (is.null(labels)) as.character(seq_len(length(last[[1L]]) + 1L)) else labels
}

map_colours <- function(classes, palette) {
  known <- is.character(palette) && length(palette) == 1L &&
    !is.null(tryCatch(grDevices::hcl.colors(2L, palette), error = function(e) NULL))
  if (!known) input_error("palette", palette, "must be the name of a palette, one of hcl.pals()")
  grDevices::hcl.colors(if (is.null(classes)) 256L else length(classes), palette)
}

map_limits <- function(classes, values)
  if (is.null(classes)) value_limits(values) else c(0.5, length(classes) + 0.5)

points_plot <- function(xy, values, palette, key, recipe, ..., over = NULL) {
  if (ncol(xy) == 1L) return(line_plot(xy[, 1L], values, ...))
  if (ncol(xy) == 3L) raise_engine_error("input", paste("scattered points in space cannot be plotted:",
                                                        "plot(predict(x, rfGrid(...))) shows the field on a grid"))
  classes <- class_labels(recipe)
  colours <- map_colours(classes, palette)
  limits <- map_limits(classes, values)
  aspect <- map_aspect(recipe$space$sphere, xy[, 2L])
  key <- map_key(key, limits, classes)
  if (!is.null(list(...)[["col"]])) key <- NULL # points in colours that are not those of values
  old <- map_region(key, list(grDevices::extendrange(xy[, 1L], f = 0.04), grDevices::extendrange(xy[, 2L], f = 0.04)),
                    aspect, list(...))
  on.exit(graphics::par(old))
  steps <- length(colours)
  shade <- colours[1L + pmin(steps - 1, floor(steps * (values - limits[1L]) / diff(limits)))]
  with_defaults(graphics::plot.default, list(x = xy[, 1L], y = xy[, 2L], ...),
                list(col = shade, pch = 16, cex = max(0.7, min(1.8, 30 / sqrt(nrow(xy)))),
                     xlab = colnames(xy)[1L], ylab = colnames(xy)[2L], asp = aspect, las = upright(xy[, 2L])))
  if (!is.null(over)) over()
  draw_key(key, colours)
}

# Begins a plot, with room for the key in the margin and a region of the shape of the map, so that no strips are left
# beside it. Its value are the graphical parameters as they were; setting the margins again restores the region.
map_region <- function(key, extent, aspect, given) {
  old <- key_margin(key)
  shape <- vapply(extent, diff, 1) * c(1, aspect)
  free <- graphics::par("pty") == "m" && !any(c("xlim", "ylim") %in% names(given))
  if (free && all(is.finite(shape) & shape > max(shape) / 10)) { # longer maps would be a strip
    graphics::plot.new() # before, the size is that of the last plot
    room <- graphics::par("pin")
    half <- shape * min(room / shape) / graphics::par("fin") / 2
    margins <- graphics::par("plt") # par(pin = ) would take from the room of the key what the left margin lacks
    middle <- c(mean(margins[1:2]), mean(margins[3:4]))
    graphics::par(plt = c(middle[1L] + c(-1, 1) * half[1L], middle[2L] + c(-1, 1) * half[2L]), new = TRUE)
  }
  old
}

# A degree of latitude over one of longitude, in the middle of a map that is not too far north or south.
map_aspect <- function(sphere, latitude)
  if (is.null(sphere)) 1 else 1 / cospi(max(min(mean(range(latitude)), 75), -75) / 180)

value_limits <- function(values) {
  if (!any(is.finite(values))) raise_engine_error("input", "no value is finite: there is nothing to plot")
  limits <- range(values, finite = TRUE)
  if (diff(limits) > 0) limits else limits + c(-0.5, 0.5)
}

# Labels of the vertical axis are level where they are short, else they would be cut off.
upright <- function(values) if (any(nchar(format(pretty(range(values)))) > 5L)) 0 else 1

# The key of a map: its labels, where on the strip they are, from 0 to 1, whether it is one of categories, and its
# title or NULL; NULL without a key.
map_key <- function(key, limits, classes = NULL) {
  titled <- is.language(key) || is.character(key) && length(key) == 1L && !is.na(key)
  flag <- (is.logical(key) || is.numeric(key)) && length(key) == 1L && !is.na(key)
  if (!titled && !flag) input_error("key", key, "must be TRUE, FALSE or the title of the key, as \"height (m)\"")
  if (flag && !key) return(NULL)
  at <- if (is.null(classes)) pretty(limits, 5) else seq_along(classes)
  at <- at[at >= limits[1L] & at <= limits[2L]]
  list(at = (at - limits[1L]) / diff(limits), labels = if (is.null(classes)) format(at) else classes[at],
       apart = !is.null(classes), title = if (titled) key)
}

# Labels are measured without a plot, which there is not yet: most characters are less than 0.7 of par("cin") wide.
key_margin <- function(key) {
  margin <- graphics::par("mar")
  if (is.null(key)) return(list(mar = margin))
  size <- graphics::par("cin")
  wide <- (3 + 0.7 * max(0, nchar(key$labels, "width"))) * size[1L] / size[2L] + 1.2 * !is.null(key$title)
  graphics::par(mar = c(margin[1:3], max(margin[4L], wide)))
}

# A strip in the right margin, with the values at its side and the title along these; of categories, their colours
# with gaps.
draw_key <- function(key, colours) {
  if (is.null(key)) return()
  usr <- graphics::par("usr")
  line <- graphics::par("cxy")[1L] * graphics::par("cex") # as lines of margins, whose number is that of key_margin()
  left <- usr[2L] + line
  right <- left + 1.2 * line
  edge <- seq(usr[3L], usr[4L], length.out = length(colours) + 1L)
  gap <- if (key$apart) diff(edge)[1L] / 20 else 0
  # each colour over those before it leaves no seams
  over <- !key$apart && all(grDevices::col2rgb(colours, TRUE)["alpha", ] == 255)
  top <- if (over) usr[4L] else edge[-1L] - gap
  graphics::rect(left, edge[-length(edge)] + gap, right, top, col = colours, border = NA, xpd = NA)
  y <- usr[3L] + (usr[4L] - usr[3L]) * key$at
  graphics::segments(right, y, right + 0.4 * line, y, xpd = NA)
  graphics::text(right + 0.6 * line, y, key$labels, adj = c(0, 0.5), cex = 0.85, xpd = NA)
  if (is.null(key$title)) return()
  end <- right + 0.6 * line + max(0, graphics::strwidth(key$labels, cex = 0.85))
  graphics::text(end + 1.2 * line, mean(usr[3:4]), key$title, srt = 90, cex = 0.9, xpd = NA)
}

# ---- vectors, and fields in time ----

# Components of a vector are arrows over its length, unless one of them is wanted; other values are drawn as those of
# scalar fields.
flow_plot <- function(x, sim, slice, palette, key, component, time, ...) {
  recipe <- attr(x, "recipe")
  own <- flow_values(x, sim, component, time)
  values <- own$values
  size <- dim(values)
  label <- c(if (is.null(sim)) sim_label(1L, recipe) else if (is.numeric(sim)) sim_label(sim, recipe),
             if (!is.null(recipe$motion)) time_label(own$times))
  if (size[2L] > 1L && size[2L] == recipe$space$columns && is.null(recipe$variables))
    return(arrows_plot(x, matrix(values, ncol = size[2L]), slice, palette,
                       if (isTRUE(key)) "length of the vectors" else key, label, ...))
  draw_field(x, matrix(values[, 1L, ], size[1L]), slice, palette, key,
             c(if (component_number(recipe) > 1L) own$names[1L], label), ...)
  invisible(x)
}

# What is wanted of a field: points times components times times, with the names of these. In the plane and space
# it is the first time.
flow_values <- function(x, sim, component, time) {
  recipe <- attr(x, "recipe")
  names <- component_names(recipe)
  sim <- if (is.null(sim)) 1L else plotted_sims(sim, replace(recipe, "layers", NULL), 2L)
  step <- plotted_time(time, recipe)
  if (recipe$space$columns > 1L) step <- step[1L]
  own <- seq_len(component_number(recipe))
  if (!is.null(component)) {
    if (is.null(names)) input_error("component", component, "is for fields of several values at a point")
    own <- if (is.character(component)) match(component, names) else if (is.numeric(component)) component
    if (length(own) != 1L || !own %in% seq_along(names))
      input_error("component", component, paste("must be one of", toString(names)))
  }
  values <- array(as.vector(x), c(prod(places_size(x)), component_number(recipe), time_number(recipe), recipe$nsim))
  list(values = array(values[, own, step, sim], c(nrow(values), length(own), length(step))),
       names = if (is.null(names)) "value" else names[own],
       times = if (is.null(recipe$motion)) 0 else recipe$times[step])
}

refuse_flow_choices <- function(component, time) {
  if (!is.null(component)) input_error("component", component, "is for fields of several values at a point")
  if (!is.null(time)) input_error("time", time, "is for fields that change in time")
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
arrows_plot <- function(x, values, slice, palette, key, label, ...) {
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
  draw_field(x, matrix(sqrt(rowSums(values^2))), slice, palette, key, label, ..., over = over)
  invisible(x)
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.rfield <- function(object, sim = 1, component = NULL, time = NULL, ...) {
  warn_extra(...)
  recipe <- attr(object, "recipe")
  if (!is_plain(recipe)) return(gg_flow(object, sim, component, time))
  refuse_flow_choices(component, time)
  table <- as.data.frame(object)
  axes <- colnames(field_points(object))
  values <- setdiff(names(table), axes)
  if (is.numeric(sim)) sim <- values[whole_number("sim", sim)]
  if (!is.character(sim) || length(sim) != 1L || !sim %in% values)
    input_error("sim", sim, paste("must be the number of a field or one of", toString(dQuote(values, FALSE))))
  gg_field(table, axes, sim, object)
}

gg_field <- function(table, axes, value, field, times = NULL) {
  if (length(axes) > 2L)
    raise_engine_error("input", "fields in space are shown by plot(), with slice = for a plane")
  if (length(axes) == 1L) {
    plot <- ggplot2::ggplot(table, gg_aes(x = axes, y = value, colour = times))
    return(plot + if (is.null(times)) ggplot2::geom_line(colour = plot_colours[["sample"]]) else ggplot2::geom_line())
  }
  classes <- class_labels(attr(field, "recipe"))
  if (!is.null(classes)) table[[value]] <- factor(classes[table[[value]]], classes)
  plot <- ggplot2::ggplot(table, gg_aes(x = axes[1L], y = axes[2L])) + ggplot2::coord_equal()
  layer <- if (is.null(attr(field, "grid"))) ggplot2::geom_point(gg_aes(colour = value))
           else ggplot2::geom_raster(gg_aes(fill = value))
  both <- c("colour", "fill")
  plot + layer + if (is.factor(table[[value]])) ggplot2::scale_colour_viridis_d(drop = FALSE, aesthetics = both)
                 else ggplot2::scale_colour_viridis_c(aesthetics = both)
}

# A panel for each component, or lines for the times.
gg_flow <- function(object, sim, component, time) {
  own <- flow_values(object, sim, component, time)
  xy <- field_points(object)
  size <- dim(own$values)
  table <- data.frame(xy[rep(seq_len(size[1L]), size[2L] * size[3L]), , drop = FALSE],
                      component = rep(factor(own$names, own$names), each = size[1L], length.out = prod(size)),
                      time = rep(factor(own$times), each = size[1L] * size[2L]), value = as.vector(own$values))
  plot <- gg_field(table, colnames(xy), "value", object, if (size[3L] > 1L) "time")
  if (size[2L] > 1L) plot + ggplot2::facet_wrap("component") else plot
}

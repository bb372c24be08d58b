# Printing and plotting of covariance models.

#' @rdname covModel
#' @param x a model by `covModel()`.
#' @param digits number of significant digits.
#' @export
format.covModel <- function(x, digits = NULL, ...) {
  if (!is.null(digits)) digits <- print_digits(digits)
  x <- checked_model(x, unknown = TRUE)
  paste(vapply(model_parts(x), format_part, "", digits), collapse = " + ")
}

format_part <- function(x, digits) {
  shown <- function(p) {
    value <- if (is.function(x[[p]])) "<function>" else format(x[[p]], digits = digits, trim = TRUE)
    sprintf("%s = %s", p, if (length(value) > 1L) sprintf("c(%s)", toString(value)) else value)
  }
  if (!is.null(x$space)) return(format_space_time(x, shown, digits))
  if (is_local(x)) return(format_local(x, digits))
  if (is_several(x)) return(sprintf("%s(%s)", x$name, count_text(variable_count(x), "variable")))
  takes <- families[[x$name]]$takes
  parts <- c(vapply(c("variance", if (has_range(x)) "range", takes), shown, ""),
             if (!isTRUE(all(x$nugget == 0))) shown("nugget"),
             if (!identical(x$mean, 0)) shown("mean"),
             if (!is.null(x$scaling) && x$scaling != "plain") sprintf("scaling = \"%s\"", x$scaling),
             if (x$distance != "auto") sprintf("distance = \"%s\"", x$distance),
             if (x$distance %in% c("chordal", "greatcircle") && !isTRUE(x$radius == 6371)) shown("radius"),
             if (is_turned(x)) vapply(c("angle", "ratio"), shown, ""),
             if (!is.null(x$scales)) shown("scales"), if (!is.null(x$rotation)) shown("rotation"))
  sprintf("%s(%s)", x$name, toString(parts))
}

# A range of 1 that the parameters' own unit stands for is not shown.
has_range <- function(part) !families[[part$name]]$own_unit || !isTRUE(part$range == 1)

#' @rdname covModel
#' @export
print.covModel <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  given <- x
  x <- checked_model(x, unknown = TRUE)
  if (is_sum(x)) {
    cat("Sum of", length(x$parts), if (has_intrinsic(x)) "variograms\n" else "covariances\n")
    for (part in x$parts) cat("  ", format_part(part, digits), "\n", sep = "")
  } else if (!is.null(own <- families[[x$name]]$print)) own(x, digits)
  else print_part(x, digits)
  if (x$distance != "auto")
    cat("Distance: ", distance_text[[x$distance]], if (x$distance %in% c("chordal", "greatcircle"))
      c(" on a sphere of radius ", format(x$radius, digits = digits)), "\n", sep = "")
  if (!identical(x$mean, 0))
    cat("Mean:", if (is.function(x$mean)) "a function of the coordinates" else format(x$mean, digits = digits), "\n")
  if (!is_sum(x) && is.null(x$space) && !is_local(x) && !is.null(x$ratio)) print_axes(x, digits)
  if (!is_sum(x) && !is.null(families[[x$name]]$spectrum) && !is_intrinsic(x) &&
      !length(unknown_parameters(x)))
    print_shape(x, digits)
  invisible(given)
}

print_part <- function(x, digits) {
  number <- function(v) if (is.function(v)) "given" else format(v, digits = digits, trim = TRUE)
  shown <- c("variance", if (has_range(x)) "range", families[[x$name]]$takes, if (!isTRUE(x$nugget == 0)) "nugget")
  cat(families[[x$name]]$text, if (!is_intrinsic(x)) " covariance", ": ",
      toString(vapply(shown, function(p) paste(p, number(x[[p]])), "")), "\n", sep = "")
  print_scaling(x)
}

# What is not known is shown.
is_turned <- function(part) !isTRUE(part$ratio == 1) || is.na(part$angle)

# Ranges along the axes, or where they are not known or several, their ratios.
print_axes <- function(x, digits) {
  number <- function(v) toString(format(v, digits = digits, trim = TRUE))
  several <- length(x$range) > 1L || anyNA(c(x$range, x$ratio, x$scales))
  if (is_turned(x))
    cat("Anisotropy: major axis at ", number(x$angle), " degrees, ", if (several) "ratio " else "range across it ",
        number(if (several) x$ratio else x$ratio * x$range), "\n", sep = "")
  if (!is.null(x$scales)) cat(if (several) "Scales" else "Ranges", "of the coordinates:",
                              number(if (several) x$scales else x$scales * x$range), "\n")
  if (!is.null(x$rotation)) cat("Their axes are turned by", number(x$rotation), "degrees\n")
}

print_scaling <- function(x)
  if (!is.null(x$scaling) && x$scaling != "plain") cat("Scaled distance:", scaling_text[[x$scaling]], "\n")

print_shape <- function(x, digits) {
  far <- distance_at(x, 0.05)
  if (is.null(x$scales) && isTRUE(far < longest_distance(x)))
    cat("Correlation first falls to 0.05 at distance ", format(far, digits = min(digits, 7L)),
        if (x$ratio != 1) " along the major axis", "\n", sep = "")
}

#' @rdname covModel
#' @param object a model by `covModel()`.
#' @export
update.covModel <- function(object, ...) {
  changes <- list(...)
  if (length(changes) && !all(nzchar(c(names(changes), "")[seq_along(changes)])))
    raise_engine_error("input", "update() takes the arguments of covModel() by name")
  model <- unclass(checked_model(object, unknown = TRUE))
  rows <- parameter_names(model_parts(model))
  single <- setdiff(intersect(names(changes), rows$name), names(formals(covModel)))
  for (p in single) if (!is_number(changes[[p]])) input_error(p, changes[[p]], "must be a single number")
  if (length(single))
    model <- unclass(set_parameters(model, as.double(unlist(changes[single])), rows[match(single, rows$name), ]))
  changes <- changes[setdiff(names(changes), single)]
  odd <- if (!is.null(model$space)) setdiff(names(changes), c("space", "time", "variance", "nugget", "mean"))
  if (length(odd))
    raise_engine_error("input", sprintf("the models of space and time have %s: update these", odd[1L]))
  do.call(refuse_extra, c("covModel", changes[setdiff(names(changes), names(formals(covModel)))]), quote = TRUE)
  odd <- setdiff(names(changes), "mean")
  if (is_sum(model) && length(odd))
    raise_engine_error("input", sprintf(
      "the models of a sum have %s: name the part, as in range.2, or update these, and add them", odd[1L]))
  if (!is.null(joint_time(model)) && is.list(changes$time) && !inherits(changes$time, "covModel"))
    changes$time <- utils::modifyList(model$time, changes$time)
  odd <- if (is_local(model)) intersect(names(changes), c(names(model$local), "name", "coefficients"))
  if (length(odd)) raise_engine_error("input", sprintf(
    "numbers and coefficients, as %s, of a model with formulas can be changed: for another %s make it by covModel()",
    c(rows$name[rows$name != rows$base], "range.x")[1L], odd[1L]))
  model[names(changes)] <- changes
  checked_model(model, unknown = TRUE)
}

scaling_text <- c(plain = "distance / range", sqrt2nu = "sqrt(2 * smoothness) * distance / range",
                  sqrt8nu = "sqrt(8 * smoothness) * distance / range")
distance_text <- c(auto = "by the kind of points", euclidean = "Euclidean", chordal = "chordal",
                   greatcircle = "great circle", given = "as given")

# Covariances at distances, nugget not included; the parts of a sum have axes of their own.
isotropic_values <- function(model, r)
  Reduce(`+`, lapply(model_parts(model), function(part) cov_value(part, r)))

model_variogram <- function(model, r) model_nugget(model) * (r > 0) +
  Reduce(`+`, lapply(model_parts(model), semivariance, r))

# The first distance from which the correlation is not above a level; NA where doubles have no such distance.
distance_at <- function(model, level) {
  parts <- model_parts(model)
  total <- sum(vapply(parts, `[[`, 0, "variance"))
  if (total == 0) return(distance_at(within_one_variance(model), level))
  scale <- vapply(parts, unit_range, 0)
  above <- function(log_r) isotropic_values(model, exp(log_r)) / total - level
  falls <- if (length(parts) == 1L) families[[parts[[1L]]$name]]$falls
  ends <- if (!is.null(falls)) falls(parts[[1L]])
  if (is.null(ends)) { # the first crossing, as some covariances come back
    for (start in seq(log(min(scale)) - 12, log(max(scale)) + 12, by = 0.5)) {
      x <- start + (0:8) / 16
      low <- which(above(x) <= 0)
      if (length(low)) {
        ends <- x[max(low[1L], 2L) - 1:0]
        break
      }
    }
    if (is.null(ends)) return(NA_real_)
  }
  if (above(ends[1L]) <= 0 || !is.finite(exp(ends[2L]))) return(NA_real_)
  exp(stats::uniroot(above, ends, tol = 1e-8)$root)
}

within_one_variance <- function(model) {
  if (!is_sum(model)) model$variance <- 1
  else model$parts <- lapply(model$parts, within_one_variance)
  model
}

#' Plot a covariance model
#'
#' Draws the covariance, line covariance or spectral density of a model. The range is marked on the axis, and the open
#' circle at distance 0 is the variance of an observation, nugget included. An anisotropic model has a curve of
#' covariances for each of its axes. `lines()` adds curves to a plot.
#'
#' @param x a model by [covModel()].
#' @param to largest distance or wave number shown; by default a little more than where the correlation has fallen to
#'   0.05, with some periods of a wave and the whole of a compact support, or the spectral density to a thousandth,
#'   and for `lines()` where the plot ends. A logarithmic axis of wave numbers shows the whole band of a power law.
#' @param n number of distances or wave numbers at which the function is evaluated; they are densest near 0, where it
#'   is steepest.
#' @param what `"covariance"`, `"line"` for [lineCovariance()], `"spectrum"` for [spectralDensity()], or `"variogram"`
#'   for the semivariogram, with the nugget, which is the default for intrinsic models.
#' @param dim dimension, for `"line"` and `"spectrum"`.
#' @param ... further graphical parameters, such as `main`, `ylim` or `log`.
#' @return `x`, invisibly.
#' @seealso [covModel()]
#' @examples
#' plot(covModel("matern", range = 2, smoothness = 1.5, nugget = 0.2))
#' lines(covModel("matern", range = 2, smoothness = 0.5), col = 2, lty = 2)
#' plot(covModel("matern", range = 2, smoothness = 0.5, angle = 30, ratio = 0.4))
#' plot(covModel("spherical", range = 2), what = "line")
#' plot(covModel("cauchy", range = 2, shape = 0.8), what = "spectrum", log = "xy")
#' @export
plot.covModel <- function(x, to = NULL, n = 401, what = c("covariance", "spectrum", "line", "variogram"), dim = 3,
                           ...) {
  given <- x
  x <- checked_model(x)
  refuse_without_spectrum(x)
  what <- curve_choice(what, x)
  log <- as.character(list(...)$log)
  log_axis <- function(axis) any(grepl(axis, log, fixed = TRUE))
  ends <- plot_ends(x, what, dim, to, log_axis("x"))
  to <- ends[2L]
  curves <- model_curves(x, to, n, what, dim)
  if (log_axis("x")) curves$r[1L] <- NA
  if (log_axis("y")) curves$values[curves$values <= 0] <- NA
  # next to a pole the curve leaves the plot
  from <- if (all(is.finite(curves$values[1L, ]))) ends[1L] else max(ends[1L], to / 100 * !log_axis("x"))
  shown <- curves$values[!is.na(curves$r) & curves$r >= from, ]
  shown <- shown[is.finite(shown)]
  top <- if (what == "spectrum" || has_intrinsic(x)) max(shown, 0) else model_variance(x)
  bottom <- if (log_axis("y")) min(shown, top) else min(shown, 0)
  ylim <- if (top == 0) c(0.1 * log_axis("y"), 1) else c(bottom, top)
  call_plot(graphics::matplot,
            list(x = curves$r, y = curves$values, type = "l", lty = 1, lwd = 2, col = curves$colours,
                 xlab = curves$labels[1L], ylab = curves$labels[2L], xlim = ends, ylim = ylim,
                 # long numbers would run into ylab
                 las = if (log_axis("y") || any(nchar(pretty(ylim)) > 4L)) 0 else 1), ...)
  if (what != "spectrum" && !is_sum(x)) {
    graphics::abline(v = curves$axes * x$range, lty = 3, col = curves$colours)
    if (length(curves$axes) == 1L && x$range < to) graphics::mtext("range", 3, 0.2, at = x$range, cex = 0.8)
  }
  if (length(curves$at_zero) && !log_axis("x")) graphics::points(0, curves$at_zero, xpd = NA)
  if (length(curves$axes) > 1L)
    graphics::legend("topright", axis_legend(x), col = curves$colours, lwd = 2, bty = "n")
  invisible(given)
}

#' @rdname plot.covModel
#' @importFrom graphics lines
#' @export
lines.covModel <- function(x, to = NULL, n = 401, what = c("covariance", "spectrum", "line", "variogram"), dim = 3,
                           ...) {
  given <- x
  x <- checked_model(x)
  refuse_without_spectrum(x)
  what <- curve_choice(what, x)
  if (is.null(to)) {
    to <- graphics::par("usr")[2L]
    if (graphics::par("xlog")) to <- 10^to
  }
  curves <- model_curves(x, to, n, what, dim)
  if (graphics::par("xlog")) curves$r[1L] <- NA
  if (graphics::par("ylog")) curves$values[curves$values <= 0] <- NA
  call_plot(graphics::matlines, list(x = curves$r, y = curves$values, lty = 1, lwd = 2, col = curves$colours), ...)
  invisible(given)
}

curve_labels <- c(covariance = "covariance", spectrum = "spectral density", line = "line covariance",
                  variogram = "variogram")

# Distances on the Earth are in kilometres; others have the unit of the coordinates, which nobody knows.
distance_label <- function(kind, radius)
  if (isTRUE(kind %in% c("chordal", "greatcircle") && radius == 6371)) "distance (km)" else "distance"

curve_choice <- function(what, model) {
  if (identical(what, names(curve_labels)) && has_intrinsic(model)) return("variogram")
  what <- choice("what", what, names(curve_labels))
  if (what %in% c("covariance", "line")) refuse_intrinsic(model, sprintf("has no %s", curve_labels[[what]]))
  what
}

# The ends of the horizontal axis. A logarithmic one has three decades, or all bands of wave numbers.
plot_ends <- function(x, what, dim, to, log) {
  band <- if (log && what == "spectrum" && is.null(to)) bands_of(x) * c(1 / 1.2, 1.2)
  if (is.null(to)) to <- max(plot_end(x, what, dim), band) else one_number("to", to, "positive")
  if (to < 1e-300) input_error("to", to, "is too small for an axis")
  c(if (!log) 0 else if (!is_sum(x) && length(band)) band[1L] else min(1e-3 * to, band), to)
}

# Wave numbers where the density jumps: pairs of ends.
bands_of <- function(model) as.double(unlist(lapply(model_parts(model), function(part)
  if (has_band(part)) families[[part$name]]$band(part) / unit_range(part))))

has_band <- function(part) !is.null(families[[part$name]]$band)

# Where a plot ends by default.
plot_end <- function(x, what, dim) {
  parts <- model_parts(x)
  scale <- max(vapply(parts, unit_range, 0))
  if (what == "spectrum") {
    k <- exp(seq(-12, 12, by = 0.1)) / scale
    s <- spectralDensity(x, k, dim)
    large <- which(is.finite(s) & s > 1e-3 * max(s[is.finite(s) & k * scale > 0.05], 0))
    return(if (length(large)) k[max(large)] else 3 / scale)
  }
  if (has_intrinsic(x)) return(2 * scale)
  to <- distance_at(x, 0.04)
  if (is.na(to)) to <- 4 * scale
  # line covariances and waves come back
  r <- to * seq(1, 9, length.out = 201L)
  value <- if (what == "line") lineCovariance(x, r, dim) else isotropic_values(x, r)
  level <- if (what == "line") 0.04 else 0.01
  large <- which(abs(value) > level * sum(vapply(parts, `[[`, 0, "variance")) & cummin(value) < 0)
  if (length(large)) to <- max(to, 1.05 * r[max(large)])
  for (part in parts) if (isTRUE(families[[part$name]]$compact)) to <- max(to, 1.05 * part$range)
  widest <- if (what == "line") 1 else max(unlist(lapply(parts, `[[`, "scales")), 1)
  min(to * widest, longest_distance(x))
}

# A curve for each axis. Near 0 it goes like distance^(2 smoothness), and powers of even steps follow that.
model_curves <- function(model, to, n, what, dim) {
  one_number("to", to, "positive")
  if (whole_number("n", n) < 2L) input_error("n", n, "must be at least 2")
  r <- to * seq(0, 1, length.out = n)^4
  if (what == "spectrum") {
    jumps <- Filter(function(k) k < to, bands_of(model))
    r <- sort(c(r, jumps * (1 - 1e-9), jumps * (1 + 1e-9)))
  }
  single <- what %in% c("covariance", "variogram") && !is_sum(model)
  axes <- if (!single) 1 else if (!is.null(model$scales)) model$scales else unique(c(1, model$ratio))
  values <- switch(what, line = lineCovariance(model, r, dim), spectrum = spectralDensity(model, r, dim),
                   variogram = vapply(axes, function(scale) model_variogram(model, r / scale), r),
                   vapply(axes, function(scale) isotropic_values(model, r / scale), r))
  list(r = r, values = matrix(values, length(r)), axes = axes, colours = rep_len(curve_colours, length(axes)),
       labels = c(if (what == "spectrum") "wave number" else distance_label(model$distance, model$radius),
                  curve_labels[[what]]),
       at_zero = if (what == "covariance" && model_nugget(model) > 0) model_variance(model))
}

longest_distance <- function(model) switch(model$distance, chordal = 2, greatcircle = pi, Inf) * model$radius

axis_legend <- function(model)
  if (is.null(model$scales)) c("along the major axis", "across it") else paste("coordinate", seq_along(model$scales))

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.covModel <- function(object, to = NULL, n = 401, what = c("covariance", "spectrum", "line", "variogram"),
                              dim = 3, ...) {
  warn_extra(...)
  model <- checked_model(object)
  refuse_without_spectrum(model)
  what <- curve_choice(what, model)
  ends <- plot_ends(model, what, dim, to, FALSE)
  curves <- model_curves(model, ends[2L], n, what, dim)
  axes <- length(curves$axes)
  label <- if (axes > 1L) axis_legend(model) else ""
  table <- data.frame(r = curves$r, value = as.vector(curves$values),
                      axis = factor(rep(label, each = length(curves$r)), label))
  table <- table[is.finite(table$value), ]
  plot <- ggplot2::ggplot(table, gg_aes(x = "r", y = "value", colour = "axis")) +
    ggplot2::geom_line(linewidth = 0.8) + ggplot2::scale_colour_manual(values = curves$colours) +
    ggplot2::guides(colour = if (axes > 1L) "legend" else "none") +
    ggplot2::labs(x = curves$labels[1L], y = curves$labels[2L], colour = NULL)
  if (length(curves$at_zero)) plot + ggplot2::annotate("point", 0, curves$at_zero, shape = 1, size = 2) else plot
}

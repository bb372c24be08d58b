# Plots by ggplot2, whose generic gets these methods when it is loaded.

#' Plots by ggplot2
#'
#' Methods for the generic `autoplot()` of package \pkg{ggplot2}: the main plots of fits, models and fields as objects
#' of class `ggplot`, to which layers, scales and themes can be added. They are registered once ggplot2 is loaded.
#' The methods of [plot()] show the same, and more, without another package.
#'
#' @param object a fit by [stableFit()], for one series or for many, by [stableRoll()] or by [stableReg()]; a profile
#'   of a fit; a fit by [gpFit()]; a result of [gpCV()]; a model by [covModel()]; or a field by [tbrf()] or
#'   [predict()][predict.gpFit] on a line, in the plane or at points in the plane.
#' @param which the view, a single one: see [plot.stableFit()], [plot.stableReg()] and [plot.gpFit()], of which
#'   `"variogram"`, `"residuals"` and `"qq"` are available.
#' @param parm names of the parameters shown, by default all.
#' @param log if `TRUE`, the density has a logarithmic axis; see [plot.stableFit()]. Of regressions, `FALSE` gives
#'   quantiles linear axes.
#' @param level probability of bands and intervals.
#' @param pairs,to,n,what,dim as for [plot.gpFit()] and [plot.covModel()].
#' @param sim number or name of the field that is shown.
#' @param component,time of fields with several values at a point, or that change in time: as for
#'   [plot()][plot.rfield]. By default there is a panel for each component.
#' @param ... not used.
#' @return An object of class `ggplot`.
#' @name autoplot
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' returns <- 100 * diff(log(datasets::EuStockMarkets))
#' ggplot2::autoplot(stableFit(returns[, "CAC"]), "tail")
#' ggplot2::autoplot(stableFit(returns)) + ggplot2::theme_bw()
#' ggplot2::autoplot(covModel("matern", range = 2, smoothness = 1.5, nugget = 0.2))
NULL

# Columns by name, which R CMD check would take for unknown variables.
gg_aes <- function(...) do.call(ggplot2::aes, lapply(c(...), as.name))

gg_titles <- function(title, x, y) ggplot2::labs(title = title, x = x, y = y)

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.stableFit <- function(object, which = c("density", "qq", "pp", "tail"), log = NULL, level = 0.95, ...) {
  warn_extra(...)
  which <- choice("which", which)
  if (!is.null(log)) log <- one_flag("log", log)
  if (!is_one_na(level)) check_level(level)
  sample <- order_sample(object)
  stretched <- !isFALSE(log)
  switch(which, density = gg_density(object, density_parts(object, sample, isTRUE(log)), isTRUE(log)),
         qq = gg_qq(qq_parts(object, sample, stretched, level), stretched),
         pp = gg_pp(pp_parts(object, sample, stretched, level), stretched),
         tail = gg_tail(tail_parts(object, sample)))
}

gg_density <- function(fit, v, log) {
  v$bars$floor <- if (log) v$reach[1L] / 10 else 0
  plot <- ggplot2::ggplot() +
    ggplot2::geom_rect(gg_aes(xmin = "left", xmax = "right", ymin = "floor", ymax = "height"), v$bars,
                       fill = "grey88", colour = "grey65", linewidth = 0.2) +
    ggplot2::geom_line(gg_aes(x = "x", y = "density"), v$curve, colour = plot_colours[["fit"]], linewidth = 0.8) +
    ggplot2::coord_cartesian(v$limits, v$reach) + gg_titles("Density", sample_name(fit), "density")
  if (v$hidden > 0) plot <- plot + ggplot2::labs(caption = beyond_text(v$hidden))
  if (log) plot + ggplot2::scale_y_log10() else plot
}

# Points beside the diagonal, and their band.
gg_points <- function(q) {
  frame <- data.frame(at = q$at, points = q$points, censored = q$symbol == 1)
  plot <- ggplot2::ggplot(frame, gg_aes(x = "at"))
  if (length(q$band)) {
    frame$low <- q$band[[1L]]
    frame$high <- q$band[[2L]]
    plot <- plot + ggplot2::geom_ribbon(gg_aes(ymin = "low", ymax = "high"),
                                        frame[is.finite(frame$low) & is.finite(frame$high), ], fill = "grey88")
  }
  plot + ggplot2::geom_abline(colour = plot_colours[["fit"]]) +
    ggplot2::geom_point(gg_aes(y = "points", shape = "censored"), frame[is.finite(frame$points), ], size = 1,
                        colour = plot_colours[["sample"]], show.legend = any(frame$censored)) +
    ggplot2::scale_shape_manual(values = c("FALSE" = 16, "TRUE" = 1))
}

gg_qq <- function(q, stretched) {
  plot <- gg_points(q) + ggplot2::coord_cartesian(range(q$at), range(q$at, q$points)) +
    gg_titles("Quantiles", "quantiles of the fitted distribution", "quantiles of the sample")
  if (!stretched) return(plot)
  for (axis in 1:2) {
    tick <- round_ticks(range(q$at, if (axis == 2L) q$points), q$scale, q$inverse)
    scale <- list(ggplot2::scale_x_continuous, ggplot2::scale_y_continuous)[[axis]]
    plot <- plot + scale(breaks = q$scale(tick), labels = vapply(tick, format, "", digits = 4),
                         minor_breaks = NULL)
  }
  plot
}

gg_pp <- function(q, stretched) {
  plot <- gg_points(q) +
    gg_titles("Probabilities", "probability in the sample", "probability by the fitted distribution")
  if (!stretched) return(plot)
  tick <- probability_ticks(range(q$at, q$points[is.finite(q$points)]))
  plot + ggplot2::scale_x_continuous(breaks = tick$logit, labels = tick$text, minor_breaks = NULL,
                                     guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::scale_y_continuous(breaks = tick$logit, labels = tick$text, minor_breaks = NULL) +
    ggplot2::coord_cartesian(range(q$at), range(q$at, q$points[is.finite(q$points)]))
}

gg_tail <- function(v)
  ggplot2::ggplot(v$points, gg_aes(x = "t", y = "p", colour = "tail")) + ggplot2::geom_point(size = 1) +
    ggplot2::geom_line(data = v$curves) + ggplot2::scale_x_log10() + ggplot2::scale_y_log10() +
    ggplot2::scale_colour_manual(values = c(upper = plot_colours[["fit"]], lower = plot_colours[["sample"]]),
                                 limits = c("upper", "lower")) +
    ggplot2::coord_cartesian(v$reach, c(v$low, 0.5)) +
    gg_titles("Tails", "distance from the median", "tail probability")

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.stableReg <- function(object, which = c("residuals", "qq", "pp", "tail"), log = NULL, level = 0.95, ...) {
  warn_extra(...)
  which <- choice("which", which)
  if (!is.null(log)) log <- one_flag("log", log)
  if (!is_one_na(level)) check_level(level)
  errors <- reg_sample(object)
  fit <- errors$fit
  sample <- errors$sample
  stretched <- !isFALSE(log)
  switch(which,
         residuals = {
           frame <- data.frame(fitted = object$fitted.values, residuals = object$residuals)[errors$use, ]
           plot <- ggplot2::ggplot(frame, gg_aes(x = "fitted", y = "residuals")) +
             ggplot2::geom_hline(yintercept = 0, colour = "grey45") +
             ggplot2::geom_point(size = 1, colour = plot_colours[["sample"]]) +
             gg_titles("Residuals", "fitted location", "residuals")
           if (is.na(level)) plot else plot + ggplot2::geom_hline(
             yintercept = at_distribution(qstable, c(1 - level, 1 + level) / 2, fit), linetype = 3, colour = "grey45")
         },
         qq = gg_qq(qq_parts(fit, sample, stretched, level), stretched) +
           ggplot2::labs(x = "quantiles of the distribution", y = "residuals"),
         pp = gg_pp(pp_parts(fit, sample, FALSE, level), FALSE) + ggplot2::labs(x = "probability of the residuals"),
         tail = gg_tail(tail_parts(fit, sample)))
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.stableFits <- function(object, parm = c("alpha", "beta", "gamma", "delta"), level = 0.95, ...) {
  warn_extra(...)
  parm <- several("parm", parm)
  curves <- fits_curves(object, parm, level)
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

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.profile.stableFit <- function(object, ...) {
  warn_extra(...)
  table <- as.data.frame(object)
  table$parameter <- factor(table$parameter, names(object))
  ggplot2::ggplot(table, gg_aes(x = "value", y = "tau")) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey75") +
    ggplot2::geom_line(colour = plot_colours[["sample"]]) +
    ggplot2::geom_point(colour = plot_colours[["sample"]]) +
    ggplot2::facet_wrap("parameter", scales = "free_x") + ggplot2::labs(x = NULL, y = "signed root")
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.profile.stableReg <- autoplot.profile.stableFit

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.gpFit <- function(object, which = c("variogram", "residuals", "qq"), pairs = 1e6, ...) {
  warn_extra(...)
  which <- choice("which", which)
  refused <- gp_refused(which, object)
  if (!is.null(refused)) raise_engine_error("input", refused)
  pairs <- whole_number("pairs", pairs)
  switch(which, variogram = gg_variogram(gp_variogram(object, pairs)), residuals = gg_loo(gp_loo(object)),
         qq = gg_normal(gp_whitened(object)$z))
}

gg_variogram <- function(v) {
  h <- v$to * seq(0, 1, length.out = 201L)^2
  model <- data.frame(distance = if (is.null(v$curve)) v$table$distance else h,
                      variogram = if (is.null(v$curve)) v$table$model else v$curve(h))
  ggplot2::ggplot(v$table, gg_aes(x = "distance", y = "variogram")) +
    ggplot2::geom_point(gg_aes(size = "pairs"), colour = plot_colours[["sample"]]) +
    ggplot2::geom_line(data = model, colour = plot_colours[["fit"]]) + ggplot2::scale_size_area(max_size = 4) +
    ggplot2::expand_limits(x = 0, y = 0) + ggplot2::labs(title = "Variogram of the residuals", x = v$label)
}

gg_loo <- function(loo)
  ggplot2::ggplot(data.frame(mean = loo$mean, z = loo$residual / loo$sd), gg_aes(x = "mean", y = "z")) +
    ggplot2::geom_hline(yintercept = c(0, stats::qnorm(c(0.025, 0.975))), linetype = c(1, 3, 3), colour = "grey45") +
    ggplot2::geom_point(colour = plot_colours[["sample"]], na.rm = TRUE) +
    gg_titles("Leave-one-out errors", "leave-one-out prediction", "standardised error")

gg_normal <- function(z) {
  z <- sort(z)
  k <- seq_along(z)
  band <- function(tail) stats::qnorm(stats::qbeta(tail, k, length(z) + 1 - k))
  ggplot2::ggplot(data.frame(theory = stats::qnorm((k - 0.5) / length(z)), z = z, low = band(0.025),
                             high = band(0.975)), gg_aes(x = "theory", y = "z")) +
    ggplot2::geom_ribbon(gg_aes(ymin = "low", ymax = "high"), fill = "grey88") +
    ggplot2::geom_abline(colour = plot_colours[["fit"]]) +
    ggplot2::geom_point(colour = plot_colours[["sample"]]) +
    gg_titles("Standardised residuals", "normal quantiles", "standardised residuals")
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.gpCV <- function(object, level = 0.95, ...) {
  warn_extra(...)
  check_level(level)
  table <- as.data.frame(object)
  table <- table[!is.na(table$mean), ]
  half <- -stats::qnorm((1 - level) / 2) * table$sd
  table$low <- table$mean - half
  table$high <- table$mean + half
  ggplot2::ggplot(table, gg_aes(x = "mean", y = "y")) +
    ggplot2::geom_segment(gg_aes(x = "low", xend = "high", yend = "y"), colour = "#00000022") +
    ggplot2::geom_abline(colour = "grey45") + ggplot2::geom_point(colour = plot_colours[["sample"]]) +
    gg_titles("Cross-validation", "prediction", "observation")
}

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
    gg_titles(NULL, if (what == "spectrum") "wave number" else distance_label(model$distance, model$radius),
             curve_labels[[what]]) +
    ggplot2::labs(colour = NULL)
  if (what == "covariance" && model_nugget(model) > 0)
    plot <- plot + ggplot2::annotate("point", 0, model_variance(model), shape = 1, size = 2)
  plot
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

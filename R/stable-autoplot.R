# Plots of fits by ggplot2.

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
  switch(which, residuals = gg_residuals(residual_parts(object, errors, isTRUE(log), level)),
         qq = gg_qq(qq_parts(fit, sample, stretched, level), stretched) +
           ggplot2::labs(x = reg_labels$qq[1L], y = reg_labels$qq[2L]),
         pp = gg_pp(pp_parts(fit, sample, FALSE, level), FALSE) + ggplot2::labs(x = reg_labels$pp[1L]),
         tail = gg_tail(tail_parts(fit, sample)))
}

gg_residuals <- function(v) {
  plot <- ggplot2::ggplot(v$points, gg_aes(x = "fitted", y = "residuals")) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey45") +
    ggplot2::geom_point(size = 1, colour = plot_colours[["sample"]]) +
    gg_titles("Residuals", reg_labels$residuals[1L], reg_labels$residuals[2L])
  if (!is.null(v$limits)) plot <- plot + ggplot2::geom_hline(yintercept = v$limits, linetype = 3, colour = "grey45")
  if (is.null(v$ticks)) return(plot)
  tick <- v$ticks(range(v$points$residuals, v$limits))
  plot + ggplot2::scale_y_continuous(breaks = tick$at, labels = tick$label, minor_breaks = NULL)
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

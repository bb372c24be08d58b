# Plots of Gaussian processes by ggplot2.

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.gpFit <- function(object, which = c("variogram", "residuals", "qq"), pairs = 1e6, ...) {
  warn_extra(...)
  which <- choice("which", which)
  if (!is.null(object$variables)) return(gg_several(object, which, whole_number("pairs", pairs)))
  refused <- gp_refused(which, object)
  if (!is.null(refused)) raise_engine_error("input", refused)
  pairs <- whole_number("pairs", pairs)
  switch(which, variogram = gg_variogram(gp_variogram(object, pairs)),
         residuals = gg_picture(loo_picture(gp_loo(object))), qq = gg_normal(normal_parts(gp_whitened(object)$z)))
}

# A panel for each variable, or each pair.
gg_several <- function(fit, which, pairs) {
  of <- factor(fit$variables$names[fit$variables$of], fit$variables$names)
  switch(which, variogram = gg_variogram_panels(rfVariogram(fit, pairs = pairs)) +
           ggplot2::labs(title = "Variograms of the residuals"),
         residuals = gg_picture(loo_picture(c(gp_loo(fit), list(variable = of)))) +
           ggplot2::facet_wrap("variable", scales = "free_x"),
         qq = gg_normal(normal_parts(gp_whitened(fit)$z)))
}

gg_variogram <- function(v)
  ggplot2::ggplot(v$table, gg_aes(x = "distance", y = "variogram")) +
    ggplot2::geom_point(gg_aes(size = "pairs"), colour = plot_colours[["sample"]]) +
    ggplot2::geom_line(data = v$model, colour = plot_colours[["fit"]]) + ggplot2::scale_size_area(max_size = 4) +
    ggplot2::expand_limits(x = 0, y = 0) + ggplot2::labs(title = "Variogram of the residuals", x = v$label)

gg_normal <- function(v)
  ggplot2::ggplot(v, gg_aes(x = "theory", y = "z")) +
    ggplot2::geom_ribbon(gg_aes(ymin = "low", ymax = "high"), fill = "grey88") +
    ggplot2::geom_abline(colour = plot_colours[["fit"]]) +
    ggplot2::geom_point(colour = plot_colours[["sample"]]) +
    ggplot2::labs(title = "Standardised residuals", x = "normal quantiles", y = "standardised residuals")

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.gpCV <- function(object, level = 0.95, ...) {
  warn_extra(...)
  check_level(level)
  gg_picture(observed_picture(predicted_rows(object), level))
}

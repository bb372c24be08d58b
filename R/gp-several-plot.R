# Plots of fits of several variables: a page of variograms, and the other views of one variable after the other.

plot_several <- function(fit, which, n, palette, key, points, pairs, ask, variable, ...) {
  at <- asked_variables(fit, variable)
  shown <- lapply(at, plotted_variable, fit = fit)
  for (view in which) {
    why <- gp_refused(view, shown[[1L]])
    if (!is.null(why)) raise_engine_error("input", why)
  }
  loo <- if ("residuals" %in% which) gp_loo(fit)
  surfaces <- if (any(c("surface", "se") %in% which)) lapply(shown, gp_surface, n = n)
  pages <- do.call(rbind, lapply(which, function(view) data.frame(
    view, k = if (view %in% c("variogram", "qq")) 1L else seq_along(at))))
  draw_views(seq_len(nrow(pages)), ask, function(page) {
    view <- pages$view[page]
    k <- pages$k[page]
    one <- shown[[k]]
    crosses <- if (is.null(points)) length(one$y) <= 1000L else points
    switch(view,
      variogram = variables_variograms(fit, at, pairs, ...), data = data_plot(one, palette, key, ...),
      residuals = draw_picture(variable_errors(one, loo), ...),
      qq = qq_plot(gp_whitened(fit)$z[fit$variables$of %in% at], ...),
      surface_plot(one, surfaces[[k]], palette, key, crosses, if (view == "se") "se" else "fit", ...))
  })
}

variables_variograms <- function(fit, at, pairs, ..., main = "Variograms of the residuals") {
  v <- rfVariogram(fit, pairs = pairs)
  names <- fit$variables$names[at]
  variogram_panels(v[v$variable1 %in% names & v$variable2 %in% names, ], ..., main = main)
}

variable_errors <- function(view, loo)
  loo_picture(lapply(loo[c("mean", "residual", "sd")], `[`, view$rows), paste("Leave-one-out errors,", view$shown))

# What plots of the data and of the process take of a variable, in place of a fit of one.
plotted_variable <- function(k, fit) {
  view <- variable_view(fit, k)
  rows <- which(fit$variables$of == k)
  view[c("x", "y", "offset")] <- list(view$x[rows, , drop = FALSE], as.vector(fit$y)[rows], fit$offset[rows])
  view[c("method", "rows", "number", "shown", "whole")] <- list(fit$method, rows, k, fit$variables$names[k], fit)
  view
}

# Predictions of the process of the variable, without its mean where this has covariates.
variable_surface <- function(view, points) {
  fit <- view$whole
  if (!has_covariates(view)) return(predict(fit, points, variable = view$number, se.fit = TRUE, type = "latent"))
  n <- nrow(points)
  new <- list(n = n, xy = unname(cbind(points, view$number)), X = matrix(0, n, sum(is_known(fit))),
              offset = numeric(n), ok = rep(TRUE, n), areas = NULL, observed = FALSE, class = "matrix")
  columns <- gp_columns(plugin(fit), new, TRUE, "none", 0.95, "latent")
  cbind(fit = columns$fit, se.fit = columns$se.fit)
}

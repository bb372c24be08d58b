# Plots of fits of Gaussian processes.

#' Plots of fits of Gaussian processes
#'
#' Plots the data, the predicted process with its standard errors, the variogram of the residuals beside that of the
#' fit, and residuals.
#'
#' * `"data"`: the response at its locations. Maps of longitudes and latitudes have the aspect of their middle
#'   latitude.
#' * `"surface"`, `"se"`: kriging predictions of the process without nugget over the box around the data, and their
#'   standard errors. If the mean has an offset, or covariates other than the coordinates, these are not known between
#'   the data: the surface is then that of the latent process alone, whose mean is 0, without \eqn{x \beta}{x beta},
#'   and the title says so. For predictions where the covariates are known use [predict()]. White crosses are the
#'   observations.
#' * `"variogram"`: half the mean squared difference of the raw residuals of pairs of observations by their distance,
#'   as [rfVariogram()] computes it, and the variogram of the fit with its nugget, averaged over the same pairs if it
#'   depends on the direction. The area of a point is larger for more pairs. Estimates at neighbouring distances are
#'   correlated, and those at long distances uncertain. Where the range
#'   is long against the region, all estimates at long distances may together be far from a curve that is right, more
#'   often below it than above: those of fields by [simulate()][simulate.gpFit] show how far. For models of space and
#'   time the pairs are those of the same time.
#' * `"residuals"`: standardised leave-one-out errors against leave-one-out predictions.
#' * `"qq"`: quantiles of the standardised residuals, which are uncorrelated, against those of the normal
#'   distribution; dotted lines are pointwise 95 % limits of a normal sample.
#'
#' * `"sd"`, `"range"`, `"smoothness"`: of parameters that follow covariates, see [covModel()], their values at the
#'   locations of the observations.
#'
#' For a fit with a `family` the surface is that of the linear predictor, and the last three are not available.
#'
#' For a fit of several variables `"variogram"` is a page with a panel for each pair of them, the variogram of a
#' variable on the diagonal and cross-variograms, or cross-covariances of variables at different places, below it,
#' with those of the fit: see [rfVariogram()]. The residuals of `"qq"` are those of all variables, which are
#' uncorrelated together; the other views have a plot for each variable, where `"surface"` and `"se"` are of
#' co-kriging over the box around all data. By default the variograms are drawn.
#'
#' On a line the first three are curves against the coordinate, and the surface has a band of two standard errors. For
#' points in space, or in space and time, these three are not available.
#'
#' @param x a fit by [gpFit()].
#' @param which the plots to draw, any of `"data"`, `"surface"`, `"se"`, `"variogram"`, `"residuals"`, `"qq"`, `"sd"`,
#'   `"range"` and `"smoothness"`; or their numbers. By default all that are available for this fit, and of several
#'   variables `"variogram"`.
#' @param n number of points of the surface along the longer side of the box.
#' @param palette name of a palette of [hcl.colors()].
#' @param key `TRUE` for a key of the colours, a title for it with the unit, such as `"height (m)"`, or `FALSE`.
#' @param points `TRUE` for the observations on maps of the surface; by default they are drawn if they are at most
#'   1000: more would hide the map.
#' @param pairs largest number of pairs for the variogram, beyond which they are drawn at random by R's generator.
#' @param ask if `TRUE`, ask before each page; by default on an interactive device that has not room for all plots.
#' @param variable names or numbers of the variables that are shown, of a fit of several; by default all.
#' @param ... further graphical parameters, such as `main` or `xlim`, for the first call of each plot.
#' @return `x`, invisibly.
#' @seealso [gpFit()], [residuals.gpFit()], [rfCovariance()] for covariances of a field
#' @examples
#' quakes <- subset(datasets::quakes, depth < 100)
#' model <- covModel("exponential", range = NA, nugget = NA, distance = "chordal")
#' fit <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat, cov = model)
#' plot(fit, "data")
#' plot(fit, "variogram")
#'
#' # two variables: variograms of both and of the pair, and a map of one by co-kriging
#' set.seed(1)
#' model <- covModel("multimatern", range = 0.15, smoothness = 0.5, variance = c(1, 2),
#'                   correlation = 0.8)
#' places <- data.frame(x = runif(80), y = runif(80))
#' both <- cbind(places[rep(1:80, 2), ], variable = rep(1:2, each = 80))
#' values <- crossprod(chol(covariance(model, both)), rnorm(160))
#' soil <- data.frame(places, clay = values[1:80], water = values[81:160])
#' soil$water[1:30] <- NA
#' fit <- gpFit(cbind(clay, water) ~ 1, soil, ~ x + y, fixed = list(smoothness = 0.5))
#' plot(fit)
#' plot(fit, "surface", variable = "water")
#' @export
plot.gpFit <- function(x, which = c("data", "surface", "se", "variogram", "residuals", "qq", "sd", "range",
                                    "smoothness"), n = 80, palette = "viridis", key = TRUE, points = NULL,
                       pairs = 1e6, ask = NULL, variable = NULL, ...) {
  default <- missing(which)
  which <- if (default && !is.null(x$variables)) "variogram" else plot_views(which, eval(formals(plot.gpFit)$which))
  n <- whole_number("n", n)
  pairs <- whole_number("pairs", pairs)
  if (!is.null(points)) one_flag("points", points)
  if (!is.null(x$variables)) {
    plot_several(x, which, n, palette, key, points, pairs, ask, variable, ...)
    return(invisible(x))
  }
  if (!is.null(variable)) asked_variables(x, variable)
  refused <- lapply(which, gp_refused, fit = x)
  if (!default) for (why in refused) if (!is.null(why)) raise_engine_error("input", why)
  which <- which[vapply(refused, is.null, NA)]
  if (!length(which) && isTRUE(x$no.process)) input_error("x", class(x)[1L], paste(
    "has no process, and no locations to draw: residuals(x, \"quantile\") are for plots of residuals"))
  if (is.null(points)) points <- length(x$y) <= 1000L
  surface <- if (any(c("surface", "se") %in% which)) gp_surface(x, n)
  draw_views(which, ask, function(view) switch(view,
    data = data_plot(x, palette, key, ...), surface = surface_plot(x, surface, palette, key, points, ...),
    se = surface_plot(x, surface, palette, key, points, "se", ...), variogram = variogram_plot(x, pairs, ...),
    residuals = draw_picture(loo_picture(gp_loo(x)), ...), qq = qq_plot(gp_whitened(x)$z, ...),
    local_plot(x, view, palette, key, ...)))
  invisible(x)
}

# Why there is no such plot; NULL where there is one.
gp_refused <- function(view, fit) {
  shown <- sprintf("which = \"%s\": ", view)
  if (is.null(likelihood_of(whole_fit(fit))$whiten) && view %in% c("variogram", "residuals", "qq"))
    return(sprintf("%sthere is none for the family %s: it is for %s", shown, fit$family$family,
                   plain_normal(fit$family)))
  if (view %in% names(local_views)) {
    if (!local_views[[view]] %in% names(fit$cov$local))
      return(paste0(shown, "there is no formula for it: see covModel()"))
    return(if (fit$metric$dim > 2L) paste0(shown, "there are no maps of points in space"))
  }
  if (is_local(fit$cov) && view == "variogram") return(paste0(shown, "it differs from place to place"))
  if (view %in% c("surface", "se") && !all(local_variables(fit$cov) %in% gp_axes(fit)))
    return(paste0(shown, "covariates of the covariance are not known between the data: predict() takes them"))
  if (view == "variogram" && fit$metric$dim < ncol(fit$x) && !anyDuplicated(fit$x[, ncol(fit$x)]))
    return(paste0(shown, "no two observations are of the same time"))
  if (!view %in% c("data", "surface", "se")) return(NULL)
  if (isTRUE(fit$no.process)) return(paste0(shown, "there are no locations without a process"))
  if (fit$metric$dim < ncol(fit$x)) return(paste0(shown, "there are no maps of space and time"))
  if (fit$metric$dim > 2L) return(paste0(shown, "there are no maps of points in space"))
}

# Has the mean what is not known between the data?
has_covariates <- function(fit)
  !is.null(fit$groups) || !is.null(fit$by) || any(fit$offset != 0) ||
    length(setdiff(all.vars(stats::delete.response(fit$terms)), gp_axes(fit))) > 0L

gp_recipe <- function(fit) list(space = list(sphere = if (fit$metric$kind != "euclidean") TRUE))

gp_response <- function(fit) if (is.null(fit$shown)) deparse(formula(fit)[[2L]])[1L] else fit$shown

# The fit of which a variable is shown.
whole_fit <- function(fit) if (is.null(fit$whole)) fit else fit$whole

# The first call of a plot, with numbers beside the axis that leave its label free.
first_call <- function(given, defaults) {
  common <- list(pch = 16, cex = 0.6, col = plot_colours[["sample"]], las = 1, yaxt = "n")
  with_defaults(graphics::plot.default, given, utils::modifyList(common, defaults))
  left_axis(given)
}

data_plot <- function(fit, palette, key, ..., main = gp_response(fit)) {
  xy <- fit$x
  colnames(xy) <- gp_axes(fit)
  if (ncol(xy) == 1L)
    return(first_call(list(x = xy[, 1L], y = as.vector(fit$y), main = main, ...),
                      list(xlab = colnames(xy), ylab = gp_response(fit))))
  points_plot(xy, as.vector(fit$y), palette, key, gp_recipe(fit), main = main, ...)
}

# Predictions of the process on a mesh over the data: its axes, and a matrix with the columns fit and se.fit.
gp_surface <- function(fit, n) {
  box <- apply(whole_fit(fit)$x[, seq_len(ncol(fit$x)), drop = FALSE], 2L, range)
  sides <- box[2L, ] - box[1L, ]
  sides[sides == 0] <- max(sides) / n
  axes <- lapply(seq_along(sides), function(j)
    seq(box[1L, j], box[1L, j] + sides[j], length.out = max(2L, ceiling(n * sides[j] / max(sides)))))
  if (length(axes) == 1L) axes[[1L]] <- unique(sort(c(axes[[1L]], fit$x))) # where a curve may have a peak
  points <- axes_points(axes)
  colnames(points) <- fit$coords$names
  values <- if (!is.null(fit$whole)) variable_surface(fit, points)
            else if (has_covariates(fit)) process_predictions(fit, points)
            else predict(fit, points, se.fit = TRUE, type = "latent")
  list(axes = axes, values = values)
}

# The process without the mean: that of locations whose covariates are all 0.
process_predictions <- function(fit, points) {
  n <- nrow(points)
  own <- if (!is.null(fit$local))
    local_columns(fit$cov, stats::setNames(as.data.frame(points), gp_axes(fit)), "points")$columns
  new <- list(n = n, xy = unname(cbind(points, own)), X = matrix(0, n, sum(!is.na(fit$coefficients))),
              offset = numeric(n), ok = rep(TRUE, n), areas = NULL, observed = FALSE, class = "matrix")
  if (!is.null(fit$by)) new$by <- replace(fit$by, "code", list(rep(1L, n)))
  columns <- gp_columns(plugin(fit), new, TRUE, "none", 0.95, "latent")
  cbind(fit = columns$fit, se.fit = columns$se.fit)
}

surface_plot <- function(fit, surface, palette, key, points, what = "fit", ..., main = NULL) {
  shown <- surface_label(fit)
  if (is.null(main)) main <- if (what == "fit") shown else paste("standard error,", shown)
  values <- surface$values[, if (what == "fit") "fit" else "se.fit"]
  labels <- gp_axes(fit)
  if (length(surface$axes) == 1L) return(curve_plot(fit, surface, values, what, labels, main, ...))
  crosses <- function() graphics::points(fit$x[, 1L], fit$x[, 2L], pch = 3, cex = 0.3, col = "#ffffff99")
  image_plot(surface$axes, matrix(values, length(surface$axes[[1L]])), palette, key, labels, gp_recipe(fit),
             main = main, ..., over = if (points) crosses)
}

surface_label <- function(fit)
  paste0(if (has_covariates(fit)) "process without its mean: " else likelihood_of(whole_fit(fit))$text$surface,
         gp_response(fit))

curve_plot <- function(fit, surface, values, what, label, main, ...) {
  x <- surface$axes[[1L]]
  data <- !is.null(likelihood_of(whole_fit(fit))$whiten) && !has_covariates(fit) # on the scale of the curve
  band <- if (what == "fit") cbind(values - 2 * surface$values[, "se.fit"], values + 2 * surface$values[, "se.fit"])
  first_call(list(x = x, y = values, main = main, ...),
             list(type = "n", xlab = label, ylab = if (what == "fit") surface_label(fit) else "standard error",
                  ylim = range(band, values, if (what != "fit") 0 else if (data) fit$y)))
  if (what == "fit") {
    graphics::polygon(c(x, rev(x)), c(band[, 1L], rev(band[, 2L])), col = plot_colours[["band"]], border = NA)
    if (data) graphics::points(fit$x[, 1L], fit$y, pch = 16, cex = 0.6, col = plot_colours[["sample"]])
  }
  graphics::lines(x, values, lwd = 2, col = plot_colours[["fit"]])
}

# The variogram of the residuals in classes of distance, as those of rfCovariance() at points, and of the fit, both
# for pairs of the same time: `model`, in the same classes where it depends on the direction and there is no `curve`.
gp_variogram <- function(fit, most) {
  d <- fit$metric$dim
  xy <- space_points(fit$x, fit$metric)
  pair <- point_pairs(nrow(xy), most)
  if (ncol(fit$x) > d) {
    now <- fit$x[pair$i, d + 1L] == fit$x[pair$j, d + 1L]
    pair <- lapply(pair, `[`, now)
    if (!any(now))
      raise_engine_error("input", "which = \"variogram\": no two observations are of the same time")
  }
  lag <- xy[pair$i, , drop = FALSE] - xy[pair$j, , drop = FALSE]
  distance <- sqrt(rowSums(lag^2))
  if (fit$metric$kind == "greatcircle")
    distance <- 2 * fit$metric$radius * asin(pmin(distance / (2 * fit$metric$radius), 1))
  to <- max(sqrt(sum(apply(xy, 2L, function(v) diff(range(v)))^2)) / 3, min(distance))
  kept <- distance <= to
  pair <- lapply(pair, `[`, kept)
  lag <- lag[kept, , drop = FALSE]
  distance <- distance[kept]
  model <- fit$cov
  model$parts <- lapply(model_parts(model), spatial_part)
  model$name <- "sum"
  own <- function(name) sum(vapply(model$parts, `[[`, 0, name))
  sill <- own("variance") + own("nugget") + if (is.null(fit$error.variance)) 0 else mean(fit$error.variance)
  turned <- any(vapply(model$parts, is_anisotropic, NA))
  class <- ceiling(distance * 15 / max(to, 1e-300))
  sums <- rowsum(cbind(1, distance, (fit$residuals[pair$i] - fit$residuals[pair$j])^2 / 2,
                       if (turned) sill - lag_covariances(model, lag)), class)
  table <- data.frame(distance = sums[, 2L] / sums[, 1L], variogram = sums[, 3L] / sums[, 1L], pairs = sums[, 1L])
  curve <- function(h) sill - isotropic_values(model, h)
  h <- if (turned) table$distance else to * seq(0, 1, length.out = 201L)^2
  list(table = table, to = to, sill = sill, variance = own("variance"),
       label = distance_label(fit$metric$kind, fit$metric$radius),
       curve = if (!turned) curve,
       model = data.frame(distance = h, variogram = if (turned) sums[, 4L] / sums[, 1L] else curve(h)))
}

# A part at one time.
spatial_part <- function(part) {
  if (is.null(part$space)) return(part)
  space <- part$space
  space$variance <- part$variance
  space$nugget <- part$nugget
  space
}

variogram_plot <- function(fit, pairs, ..., main = "Variogram of the residuals") {
  v <- gp_variogram(fit, pairs)
  t <- v$table
  shown <- utils::modifyList(list(pch = 16, col = plot_colours[["sample"]]), list(...)) # in the key too
  first_call(list(x = t$distance, y = t$variogram, main = main, ...),
             list(cex = 0.5 + sqrt(t$pairs / max(t$pairs)), xlab = v$label, ylab = "variogram", xlim = c(0, v$to),
                  ylim = range(0, t$variogram, v$model$variogram)))
  graphics::lines(v$model$distance, v$model$variogram, lwd = 2, col = plot_colours[["fit"]])
  if (v$sill > v$variance) graphics::points(0, v$sill - v$variance, col = plot_colours[["fit"]]) # the nugget
  graphics::legend("bottomright", c("residuals (larger: more pairs)", "fit"), pch = c(shown$pch[1L], NA),
                   lty = c(NA, 1), lwd = c(NA, 2), bty = "n",
                   col = c(shown$col[1L], plot_colours[["fit"]]), inset = 0.02)
}

# Leave-one-out errors beside the predictions.
loo_picture <- function(loo, title = "Leave-one-out errors") {
  points <- data.frame(x = loo$mean, y = loo$residual / loo$sd)
  if (!is.null(loo$variable)) points$variable <- loo$variable
  picture(title, "leave-one-out prediction", "standardised error",
          list(mark("level", data.frame(y = 0)),
               mark("level", data.frame(y = stats::qnorm(c(0.025, 0.975))), lty = 3),
               mark("points", points, plot_colours[["sample"]], size = 1.5, first = TRUE)))
}

# Standardised residuals beside quantiles of the normal distribution, with pointwise 95 % limits of a normal sample.
normal_parts <- function(z) {
  n <- length(z)
  k <- seq_len(n)
  limit <- function(tail) stats::qnorm(stats::qbeta(tail, k, n + 1 - k))
  data.frame(theory = stats::qnorm((k - 0.5) / n), z = sort(z), low = limit(0.025), high = limit(0.975))
}

qq_plot <- function(z, ..., main = "Standardised residuals") {
  v <- normal_parts(z)
  first_call(list(x = v$theory, y = v$z, main = main, ...),
             list(xlab = "normal quantiles", ylab = "standardised residuals"))
  graphics::abline(0, 1, col = "grey45")
  for (end in c("low", "high")) graphics::lines(v$theory, v[[end]], col = "grey45", lty = 3)
}

# Empirical variograms of fields and data, with the pairs and pools of rfCovariance().

#' Empirical variogram
#'
#' Estimates the variogram of a random field or of measured values by half the mean squared difference of the pairs
#' in classes of distance, for points and grids, in all directions or in given ones; of several variables, direct and
#' cross-variograms; and those of the residuals of fits. The variogram of a model can be compared with it.
#'
#' For the pairs of values at the distances in a class, the estimate is
#' \deqn{\hat\gamma = \frac{1}{2 N} \sum_{(i, j)} (z_i - z_j)^2}{gamma = sum (z_i - z_j)^2 / (2 N)}
#' with the number N of these pairs (Matheron 1962). It does not depend on the mean if that is constant. If there is a
#' trend, estimate the variogram of residuals, or give a `model` whose mean is the trend. The trend that was estimated
#' takes away some of the variance at long distances, so that the variogram of residuals is too low there; estimates
#' of [gpFit()] by maximum likelihood are not affected.
#'
#' Pairs and distances are those of [rfCovariance()]: all pairs of a grid, and of scattered points up to `pairs`,
#' which are drawn at random if there are more. Pairs of points at the same location have a row of their own with the
#' distance 0: it estimates the nugget.
#'
#' Classes, the largest distance and their defaults for scattered points are those of `gstat::variogram()`, whose
#' angles, in contrast, are clockwise from the second axis, and whose tolerance depends on the number of directions.
#'
#' @section Several variables:
#' The columns of a data frame are variables, as are those of a matrix where `model` is of several variables; without
#' such a model, those of a matrix are fields of one variable. Values may be missing. For two variables z and w, the
#' cross-variogram is half the mean product of their increments over the pairs of places where both are known,
#' \deqn{\hat\gamma_{zw} = \frac{1}{2 N} \sum_{(i, j)} (z_i - z_j) (w_i - w_j),}{gamma = sum (z_i - z_j) (w_i - w_j) /
#' (2 N),} which is negative where one rises as the other falls, and \eqn{C(0) - C(h)} of their cross-covariance C in
#' models of [covModel()]. Rows with the same coordinates are one place. Variables that were measured at different
#' places have no increments of both: of these the cross-covariance is estimated, the mean product of the values of
#' one variable and the other in the class, less the mean of each, in the column `covariance`. Values of both at one
#' place are its row of distance 0. Unlike a variogram it depends on these means: see the section on them of
#' [rfCovariance()]. `cross = "auto"` takes it where both variables are known at fewer than half of the places of the
#' one that has fewer.
#'
#' Points of a grid count as scattered points here. The order of variables is that of the columns, with a row for each
#' class of each pair, and a variable with itself first among its pairs.
#'
#' @section Residuals of fits:
#' `rfVariogram(fit)` of a fit by [gpFit()] is that of its residuals, beside the model of the fit, with the average of
#' `error.variance` as further nugget; `plot(fit, "variogram")` draws it. Residuals have less variance than the
#' process at long distances, as said above.
#'
#' @inheritParams rfCovariance
#' @param field a field by [tbrf()] with its values, or plain values, as for [rfCovariance()]; several variables, a
#'   data frame with a column for each: see the section on these; or a fit by [gpFit()], without `model`, `grid` and
#'   `x`.
#' @param model a model by [covModel()], whose variogram is averaged over the same pairs, intrinsic models included;
#'   by default that of a field by [tbrf()], and for fields by [rfTransform()] that of the transformed values. For
#'   several variables a `"multimatern"` or `"lmc"`, whose `variable`, if given, are names of columns.
#' @param direction `NULL` for pairs in all directions. In the plane, angles in degrees, counterclockwise from the
#'   first axis, as `angle` of [covModel()]; in any dimension, a matrix with a direction vector in each row. A
#'   direction and its opposite are the same.
#' @param tolerance largest angle in degrees, at most 90, between a pair and its `direction`. A pair counts in all
#'   directions from which it is within the tolerance.
#' @param to largest distance, in units of the coordinates. By default half the shortest side of a grid, and a third
#'   of the diagonal of the box around scattered points.
#' @param cross of two variables, `"variogram"` or `"covariance"`, by default according to where they were measured:
#'   see the section on several variables.
#' @return A data frame of class `rfVariogram` with the columns
#'   * `variable1` and `variable2`, for several variables, the same for one with itself,
#'   * `direction`, the angle in degrees or the row of the matrix, where directions are given,
#'   * `distance`, the mean distance of the pairs,
#'   * `variogram`, the estimate, averaged over the fields,
#'   * `covariance`, of variables at different places, where `variogram` is `NA`,
#'   * `pairs`, `model` and `std.error`, as those of [rfCovariance()].
#'
#'   Classes without pairs have no row.
#' @references
#' Matheron, G. (1962). *Traite de geostatistique appliquee*. Editions Technip, Paris.
#'
#' Chiles, J.-P. and Delfiner, P. (2012). *Geostatistics: Modeling Spatial Uncertainty*. Wiley, Hoboken, chapters 2
#' and 5.
#' @concept variogram
#' @concept semivariogram
#' @concept geostatistics
#' @seealso [rfCovariance()] and [rfSpectrum()], [gpFit()] for fits, whose `plot(fit, "variogram")` shows the
#'   residuals and the estimated model, [as.vgm()]
#' @examples
#' # earthquakes off Fiji: number of stations that reported them, by magnitude
#' shallow <- subset(datasets::quakes, depth < 100)
#' residual <- resid(lm(log(stations) ~ mag, shallow))
#' model <- covModel("exponential", variance = 0.02, range = 150, nugget = 0.1, distance = "chordal")
#' v <- rfVariogram(residual, model, x = shallow[c("long", "lat")], to = 1500)
#' v
#' plot(v)
#'
#' # an anisotropic field in two directions: the range is 12 along 30 degrees and 4 across
#' set.seed(1)
#' model <- covModel("exponential", range = 12, angle = 30, ratio = 1 / 3)
#' field <- tbrf(rfGrid(0, 1, c(100, 80)), model)
#' plot(rfVariogram(field, direction = c(30, 120), to = 30))
#'
#' # two variables, of which one is known at some places only
#' set.seed(2)
#' model <- covModel("multimatern", range = 0.2, smoothness = c(0.5, 1.5), variance = c(1, 4),
#'                   correlation = -0.7, nugget = c(0.1, 0), variable = c("pH", "lime"))
#' places <- data.frame(x = runif(150), y = runif(150))
#' both <- rbind(cbind(places, variable = "pH"), cbind(places, variable = "lime"))
#' values <- crossprod(chol(covariance(model, both)), rnorm(300))
#' soil <- data.frame(pH = values[1:150], lime = values[151:300])
#' soil$lime[1:50] <- NA
#' plot(rfVariogram(soil, model, x = places))
#' @export
rfVariogram <- function(field, model = NULL, grid = NULL, x = NULL, direction = NULL, tolerance = 22.5, to = NULL,
                        width = NULL, pairs = 1e6, cross = c("auto", "variogram", "covariance")) {
  need(field = missing(field))
  cross <- choice("cross", cross)
  for (name in c("to", "width")) check_single(name, get(name), "positive")
  one_number("tolerance", tolerance, "positive")
  if (tolerance > 90) input_error("tolerance", tolerance, "must be at most 90 degrees")
  pairs <- whole_number("pairs", pairs)
  data <- variogram_data(field, list(model = model, grid = grid, x = x))
  if (!is.null(data$variables))
    return(several_variograms(data, direction, tolerance, to, width, pairs, cross))
  if (cross != "auto") input_error("cross", cross, "is for several variables: field has one")
  dim <- if (is.null(data$grid)) ncol(data$points) else length(data$grid$dims)
  sectors <- variogram_sectors(direction, tolerance, dim)
  if (nrow(data$values) < 2L) raise_engine_error("input", "field has a single value: there are no pairs")
  table <- if (is.null(data$grid)) point_table(data, to, width, pairs, variogram_estimate, sectors)
           else grid_variogram(data, sectors, to, width)
  if (!is.null(sectors)) table$direction <- unlist(lapply(sectors, `[[`, "name"))[table$direction]
  title <- if (is.null(data$title)) sub(", mean .*", "", field_title(data)) else data$title
  structure(table, class = c("rfVariogram", "data.frame"), title = title, model = data$model,
            space = dim, sectors = sectors)
}

# Squares are products and squares of both values. Differences of nearly equal values are left with rounding errors
# of the squares, which must not be negative.
variogram_estimate <- list(
  column = "variogram", self = FALSE, pair = function(u, v) (u - v)^2 / 2,
  power = function(values, padded) {
    inside <- padded(rep(1, length(values)))
    Re(Conj(inside) * padded(values^2)) - Mod(padded(values))^2
  },
  of_part = function(part, h) semivariance(part, h) + part$nugget,
  transformed = function(moments, value)
    transformed_variance(moments) - transformed_covariance(moments, moments$gaussian - value))

# Directions with their unit vectors and a function of lags, in the rows of a matrix, that says which are near enough;
# NULL for all directions.
variogram_sectors <- function(direction, tolerance, dim) {
  if (is.null(direction)) return(NULL)
  refuse_units("direction", direction)
  if (!is.numeric(direction) || !length(direction)) input_error("direction", direction, "must be angles or vectors")
  check_numbers("direction", as.vector(direction), "")
  name <- seq_len(NROW(direction))
  if (is.matrix(direction)) {
    if (ncol(direction) != dim)
      input_error("direction", direction, sprintf("must have %s, as the points have coordinates",
                                                  count_text(dim, "column")))
  } else {
    if (dim != 2L)
      input_error("direction", direction, "is an angle in the plane: a matrix of vectors is for other points")
    name <- as.double(direction)
    direction <- cbind(cospi(direction / 180), sinpi(direction / 180))
  }
  size <- sqrt(rowSums(direction^2))
  if (any(size == 0)) input_error("direction", 0, "must be vectors with a length")
  least <- cospi(tolerance / 180) - 1e-9 # lags of a grid may lie on the edge
  lapply(seq_along(name), function(k) {
    unit <- direction[k, ] / size[k]
    list(name = name[k], unit = unit,
         inside = function(lag) abs(drop(lag %*% unit)) >= least * sqrt(rowSums(lag^2)))
  })
}

grid_variogram <- function(data, sectors, to, width) {
  data$values <- data$values - rep(colMeans(data$values), each = nrow(data$values)) # a level takes digits of squares
  table <- grid_table(data, to, width, variogram_estimate, sectors)
  table$variogram <- pmax(table$variogram, 0)
  table
}

#' @rdname rfVariogram
#' @export
print.rfVariogram <- function(x, n = 15L, digits = max(3L, getOption("digits") - 3L), ...)
  print_estimates(x, "Variogram", n, digits)

#' @rdname rfVariogram
#' @details `plot()` draws the estimates as points, with bars of two standard errors where there are several fields,
#'   and the variogram of the model as a line, which is averaged over the pairs of all directions if the model is
#'   anisotropic and no direction is given. An open circle at distance 0 is the nugget of the model. Several variables
#'   have a panel for each pair, those of one variable on the diagonal of the page; dotted lines in those of two are
#'   what the model had for them if they were fully correlated.
#' @export
plot.rfVariogram <- function(x, ...) {
  if (!is.null(attr(x, "variables"))) {
    variogram_panels(x, ...)
    return(invisible(x))
  }
  names <- if (is.null(x$direction)) 1 else unique(x$direction)
  group <- if (is.null(x$direction)) rep(1L, nrow(x)) else match(x$direction, names)
  colours <- rep_len(curve_colours, length(names))
  model <- attr(x, "model")
  curves <- if (!is.null(model)) lapply(seq_along(names), variogram_curve, x = x, group = group)
  bars <- error_bars(x, "variogram")
  call_plot(graphics::plot.default,
            list(x = x$distance, y = x$variogram, type = "n", las = 1, xlab = "distance", ylab = "variogram",
                 xlim = c(0, max(x$distance)),
                 ylim = range(0, x$variogram, x$model, unlist(lapply(curves, `[[`, "value")), bars, finite = TRUE)),
            ...)
  for (k in seq_along(curves)) graphics::lines(curves[[k]]$r, curves[[k]]$value, lwd = 2, col = colours[k])
  draw_bars(x$distance, bars, colours[group])
  graphics::points(x$distance, x$variogram, pch = 19, cex = 0.8, col = colours[group])
  if (has_nugget(model)) graphics::points(0, nugget_of(x), cex = 1.4)
  label <- direction_labels(x, names)
  count <- c(length(names), sum(!is.null(bars), !is.null(model)))
  both <- if (length(names) == 1L) colours else "black"
  graphics::legend("bottomright", c(label, if (!is.null(bars)) "two standard errors", if (!is.null(model)) "model"),
                   bty = "n", inset = 0.02, pch = rep(c(19, NA), count), lty = rep(c(NA, 1), count), pt.cex = 0.8,
                   lwd = c(rep(NA, count[1L]), if (!is.null(bars)) 1, if (!is.null(model)) 2),
                   col = c(colours, rep(both, count[2L])))
  invisible(x)
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.rfVariogram <- function(object, ...) {
  warn_extra(...)
  if (!is.null(attr(object, "variables"))) return(gg_variogram_panels(object))
  names <- if (is.null(object$direction)) 1 else unique(object$direction)
  group <- if (is.null(object$direction)) rep(1L, nrow(object)) else match(object$direction, names)
  model <- attr(object, "model")
  gg_estimates(object, "variogram", group, direction_labels(object, names),
               if (!is.null(model)) lapply(seq_along(names), variogram_curve, x = object, group = group),
               if (has_nugget(model)) nugget_of(object))
}

direction_labels <- function(x, names) {
  if (is.null(x$direction)) return("estimate")
  if (identical(attr(x, "space"), 2L)) sprintf("%s degrees", format(names, trim = TRUE))
  else paste("direction", names)
}

nugget_of <- function(x) lags_of_model(attr(x, "model"), matrix(0, 1L, attr(x, "space")), variogram_estimate)

# The model along a direction, or in any if it is isotropic; else its averages over the pairs, joined.
variogram_curve <- function(k, x, group) {
  model <- attr(x, "model")
  if (is.null(x$direction) && any(vapply(model_parts(model), is_anisotropic, NA))) {
    own <- group == k & x$distance > 0
    return(list(r = x$distance[own], value = x$model[own]))
  }
  unit <- if (is.null(x$direction)) seq_len(attr(x, "space")) == 1L else attr(x, "sectors")[[k]]$unit
  r <- max(x$distance) * seq(0, 1, length.out = 201)^2
  list(r = r, value = lags_of_model(model, outer(r, unit), variogram_estimate))
}

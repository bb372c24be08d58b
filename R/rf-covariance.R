# Covariances that a field has, beside those of its model. What rfSpectrum() shares with this is at the end.

#' Covariance of a field
#'
#' Estimates the covariance that a random field has, from its values on a grid or at scattered points, beside the
#' covariance of its model.
#'
#' At each lag the estimate is the mean of the products of all pairs of values at this lag, after the mean of the
#' field has been subtracted. A row of the result is the mean over lags of similar length. On a grid all pairs are
#' used: the sums are computed by a Fourier transform of the field with enough zeros around it, so that no pair wraps
#' around the edges. Distance 0 has a row of its own, the variance.
#'
#' The model is averaged over the same pairs, with its anisotropy. If the mean is known, the column `model` is the
#' exact expected value of the column `covariance`, whatever the width of the rows. A nugget counts at distance 0
#' only.
#'
#' @section Known or estimated mean:
#' With the mean of the model the estimate has no bias. With `mean = "estimated"` the average of each field is
#' subtracted, and with it the covariance on scales of the whole domain: at all distances, estimates are then too low
#' by about the variance of that average. This bias is small if the domain is many ranges wide, and large if the field
#' has a trend or wavelengths as long as the domain.
#'
#' @section Variograms:
#' The empirical variogram is estimated by [rfVariogram()]. The variance at distance 0 less the covariance at other
#' distances is not the same: it is the variogram only if the mean is constant and the points are not clustered.
#'
#' @section Scattered points:
#' All `n * (n - 1) / 2` pairs of `n` points are used if they are at most `pairs`; else `pairs` of them are drawn at
#' random, with replacement, by R's generator, which [set.seed()] governs. Longitudes and latitudes, of points of the
#' package sf or for a model with `distance = "chordal"`, have the chordal distance through the sphere.
#' Points at the same location count as distance 0.
#'
#' @param field a field by [tbrf()] with its values, or plain values: an array of the grid's dimensions or a vector
#'   in the order of the points, for several fields with a further dimension. Components of vectors, and times, count
#'   as further fields: the mean covariance of the components of [rfVector()] is that of its model. Of objects of
#'   other packages the values, as `s$sim_1` of sf and stars or `terra::values(s)`, with `x = s` for the points.
#'   Missing values are refused.
#' @param model a model by [covModel()] to compare with; by default that of a field by [tbrf()]. Fields by
#'   [rfTransform()] are compared with the mean and covariance of the transformed values, if the Gaussian field has a
#'   constant mean, no data and no intrinsic model, and the values a finite variance; else there is no model.
#' @param grid the grid of plain values, by [rfGrid()].
#' @param x the points of plain values: a matrix or data frame of coordinates, a vector for points on a line, or
#'   points of the package sf. For the methods, the result to be shown.
#' @param mean the known mean of the field, a number or `"model"`, or `"estimated"`. By default the model's where
#'   there is a model.
#' @param direction `"isotropic"` for pairs in all directions, or `"axes"` for separate rows for the pairs along each
#'   axis of a grid.
#' @param to largest distance, in units of the coordinates. By default half the shortest side of a grid, half of each
#'   side for `direction = "axes"`, and a third of the diagonal of the box around scattered points.
#' @param width width in distance of the lags that share a row. By default the smallest spacing of a grid, whose rows
#'   are then centred at its multiples, and a fifteenth of `to` for scattered points, whose rows are (0, width],
#'   (width, 2 width] and so on.
#' @param pairs largest number of pairs of scattered points.
#' @return A data frame of class `rfCovariance` with the columns
#'   * `axis`, the number of the axis, for `direction = "axes"`,
#'   * `distance`, the mean distance of the pairs,
#'   * `covariance`, the estimate, averaged over the fields,
#'   * `pairs`, the number of pairs in each field,
#'   * `model`, the average of the model over these pairs, where there is a model,
#'   * `std.error`, for several fields: that of their average, from the spread among them.
#' @concept autocovariance
#' @concept covariogram
#' @seealso [rfVariogram()] for the variogram, [rfSpectrum()] for the spectrum, [tbrf()], [covModel()]
#' @examples
#' # A moving average of white noise: its covariance falls linearly to zero over 4 cells.
#' set.seed(1)
#' noise <- matrix(rnorm(67 * 64), 67)
#' field <- (noise[1:64, ] + noise[2:65, ] + noise[3:66, ] + noise[4:67, ]) / 2
#' grid <- rfGrid(origin = c(0, 0), spacing = c(10, 10), dims = c(64, 64))
#' rfCovariance(field, grid = grid, mean = 0, direction = "axes", to = 60)
#'
#' model <- covModel("matern", range = 3, smoothness = 1.5)
#' fields <- tbrf(rfGrid(c(0, 0), c(1, 1), c(64, 64)), model, nsim = 4)
#' estimate <- rfCovariance(fields)
#' estimate
#' plot(estimate)
#' @export
rfCovariance <- function(field, model = NULL, grid = NULL, x = NULL, mean = NULL,
                         direction = c("isotropic", "axes"), to = NULL, width = NULL, pairs = 1e6) {
  need(field = missing(field))
  direction <- choice("direction", direction)
  for (name in c("to", "width")) check_single(name, get(name), "positive")
  pairs <- whole_number("pairs", pairs)
  data <- field_data(field, grid, x, model, mean)
  if (!is.null(data$model)) refuse_intrinsic(data$model, "has no covariance: rfVariogram() estimates its variogram")
  if (is.null(data$grid) && direction == "axes")
    input_error("direction", direction, "needs a field on a grid")
  table <- if (is.null(data$grid)) point_table(data, to, width, pairs)
           else if (direction == "axes") axis_covariance(data, to, width)
           else grid_table(data, to, width)
  structure(table, class = c("rfCovariance", "data.frame"), title = field_title(data), model = data$model,
            space = if (is.null(data$grid)) ncol(data$points) else length(data$grid$dims))
}

grid_table <- function(data, to, width, estimate = covariance_estimate, sectors = NULL) {
  sides <- side_lengths(data$grid)
  if (is.null(width)) width <- min(data$grid$spacing[sides > 0], Inf)
  if (is.null(to)) to <- max(width, min(sides[sides > 0], Inf) / 2)
  table_of_lags(data, lag_reach(data$grid, to), to, width, estimate, sectors)
}

axis_covariance <- function(data, to, width) {
  sides <- side_lengths(data$grid)
  rows <- lapply(seq_along(sides), function(axis) {
    spacing <- data$grid$spacing[axis]
    end <- if (is.null(to)) max(spacing, sides[axis] / 2) else to
    reach <- replace(0 * sides, axis, lag_reach(data$grid, end)[axis])
    cbind(axis = axis, table_of_lags(data, reach, end, if (is.null(width)) spacing else width, covariance_estimate))
  })
  do.call(rbind, rows)
}

side_lengths <- function(grid) (grid$dims - 1) * grid$spacing

# The largest lag along each axis, in cells; a little more than `to`, for multiples of the spacing that are rounded.
lag_reach <- function(grid, to) pmin(grid$dims - 1, floor(to / grid$spacing * (1 + 1e-9)))

# Lags to `reach` cells and distance `to`, pooled. Lags l and -l are the same pairs: the half with a lag not negative
# along the first axis of any length is enough, where those of lag 0 along it are seen twice.
table_of_lags <- function(data, reach, to, width, estimate, sectors = NULL) {
  grid <- data$grid
  first <- match(TRUE, reach > 0, 1L)
  cells <- lapply(reach, function(m) seq(-m, m))
  cells[[first]] <- seq(0, reach[first])
  lags <- Map(`*`, cells, grid$spacing)
  distance <- norm_on_grid(lags)
  counts <- Reduce(outer, Map(function(l, n) n - abs(l), cells, grid$dims))
  repeated <- slice.index(array(0, lengths(cells)), first) == 1L & distance > 0
  kept <- which(distance <= to * (1 + 1e-9) & (estimate$self | distance > 0))
  sector <- sectors_of(sectors, length(kept), axes_points(lags, kept))
  kept <- kept[sector$at]
  bin <- ifelse(distance > 0, pmax(1, round(distance / width)), 0)[kept]
  sums <- function(s) (lag_sums(data$values[, s], grid$dims, cells, reach, estimate$power) / (1 + repeated))[kept]
  pooled(data, bin, distance[kept], (counts / (1 + repeated))[kept], sums,
         grid_lags(data$model, lags, estimate)[kept], estimate$column, sector$number)
}

# Which of n lags, in rows, are in each sector of directions: a lag may be in several. Without sectors all count.
sectors_of <- function(sectors, n, lag) {
  if (is.null(sectors)) return(list(at = seq_len(n)))
  at <- lapply(sectors, function(s) which(s$inside(lag)))
  list(at = unlist(at), number = rep(seq_along(at), lengths(at)))
}

# What is averaged over pairs: the column, sums over all pairs of a lag by their transform, the value of a pair,
# whether the pairs of a value with itself count, what a part of the model has at distances, and what transformed
# values have where Gaussian ones have `value`.
covariance_estimate <- list(
  column = "covariance", self = TRUE, power = function(values, padded) Mod(padded(values))^2,
  pair = function(u, v) u * v,
  of_part = function(part, h) cov_value(part, h) + (part$nugget > 0) * (h == 0) * part$nugget,
  transformed = function(moments, value) transformed_covariance(moments, value))

# Sums over pairs at all the lags `cells`, of which `power` gives the transform. The zeros after the values of an axis
# are as many as its largest lag, so that the circular sums of the transform wrap around into zeros only.
lag_sums <- function(values, dims, cells, reach, power) {
  padded <- stats::nextn(dims + reach)
  padded[reach == 0] <- dims[reach == 0]
  z <- array(0i, padded)
  of_padded <- function(values) dft(do.call(`[<-`, c(list(z), lapply(dims, seq_len), list(value = values))), padded)
  power <- power(values, of_padded)
  sums <- array(Re(dft(power, padded, inverse = TRUE)), padded) / prod(padded)
  do.call(`[`, c(list(sums), Map(function(l, p) l %% p + 1, cells, padded), drop = FALSE))
}

dft <- function(z, dims, inverse = FALSE) .Call(C_fft, as.complex(z), as.double(dims), inverse)

# A row for each bin, of each sector, from the numbers of pairs at lags, a function that gives their sums in field s,
# and the values of the model there.
pooled <- function(data, bin, distance, counts, products, model, column, sector = NULL) {
  if (!length(bin)) raise_engine_error("input", "no pairs are within the distance and the tolerance")
  if (!is.null(sector)) bin <- 2^32 * sector + bin
  sums <- rowsum(cbind(pairs = counts, distance = counts * distance, model = counts * model), bin)
  fields <- ncol(data$values)
  each <- matrix(vapply(seq_len(fields), function(s) rowsum(as.vector(products(s)), bin)[, 1L], sums[, 1L]),
                 ncol = fields) / sums[, "pairs"]
  table <- data.frame(distance = sums[, "distance"] / sums[, "pairs"], estimate = rowMeans(each),
                      pairs = sums[, "pairs"], row.names = NULL)
  names(table)[2L] <- column
  if (!is.null(sector)) table <- cbind(direction = sort(unique(bin)) %/% 2^32, table)
  with_errors(table, each, if (!is.null(model)) list(model = unname(sums[, "model"] / sums[, "pairs"])))
}

# What the model says, and for several fields the standard error of their average, each with an estimate in a column.
with_errors <- function(table, each, theory) {
  table[names(theory)] <- theory
  n <- ncol(each)
  if (n > 1L) table$std.error <- sqrt(rowSums((each - rowMeans(each))^2) / (n - 1) / n)
  table
}

# Pairs of points to the distance `to`, with their lags.
point_lags <- function(data, to, pairs) {
  xy <- data$points
  p <- point_pairs(nrow(xy), pairs)
  lag <- xy[p$i, , drop = FALSE] - xy[p$j, , drop = FALSE]
  distance <- sqrt(rowSums(lag^2))
  kept <- distance <= point_reach(data, to)
  list(i = p$i[kept], j = p$j[kept], lag = lag[kept, , drop = FALSE], distance = distance[kept])
}

point_reach <- function(data, to)
  if (is.null(to)) sqrt(sum(apply(data$points, 2L, function(v) diff(range(v)))^2)) / 3 else to

point_table <- function(data, to, width, pairs, estimate = covariance_estimate, sectors = NULL) {
  p <- point_lags(data, to, pairs)
  if (is.null(width)) width <- point_reach(data, to) / 15
  self <- seq_len(if (estimate$self) nrow(data$points) else 0) # each point with itself: distance 0
  i <- c(self, p$i)
  j <- c(self, p$j)
  distance <- c(0 * self, p$distance)
  lag <- rbind(matrix(0, length(self), ncol(p$lag)), p$lag)
  sector <- sectors_of(sectors, length(i), lag)
  i <- i[sector$at]
  j <- j[sector$at]
  distance <- distance[sector$at]
  bin <- ifelse(distance > 0, ceiling(distance / width), 0)
  pooled(data, bin, distance, rep(1, length(i)), function(s) estimate$pair(data$values[i, s], data$values[j, s]),
         lags_of_model(data$model, lag[sector$at, , drop = FALSE], estimate), estimate$column, sector$number)
}

# Pairs of different points, all of them or so many at random.
point_pairs <- function(n, most) {
  if (n * (n - 1) / 2 <= most) {
    j <- rep(seq_len(n), seq_len(n) - 1L)
    return(list(i = sequence(seq_len(n) - 1L), j = j))
  }
  i <- sample.int(n, most, replace = TRUE)
  list(i = i, j = (i - 1L + sample.int(n - 1L, most, replace = TRUE)) %% n + 1L)
}

#' @rdname rfCovariance
#' @param n number of rows shown.
#' @param digits number of significant digits.
#' @param ... for `plot()` further graphical parameters; else not used.
#' @export
print.rfCovariance <- function(x, n = 12L, digits = max(3L, getOption("digits") - 3L), ...)
  print_estimates(x, "Covariance", n, digits)

print_estimates <- function(x, what, n, digits) {
  digits <- print_digits(digits)
  n <- check_rows("n", n)
  title <- attr(x, "title")
  cat(what, if (length(title)) paste(" of", title), "\n", sep = "")
  rows <- as.data.frame(unclass(x))[seq_len(min(n, nrow(x))), , drop = FALSE]
  print(rows, digits = digits, row.names = FALSE)
  if (nrow(x) > n) cat("... and", count_text(nrow(x) - n, "more row"), "\n")
  invisible(x)
}

#' @rdname rfCovariance
#' @details `plot()` draws the estimates as points, with bars of two standard errors where there are several fields,
#'   and the model as a line; an open circle at distance 0 is the variance of the model with its nugget.
#' @export
plot.rfCovariance <- function(x, ...) {
  axis <- if (is.null(x$axis)) rep(1L, nrow(x)) else x$axis
  colours <- curve_colours[axis]
  theory <- covariance_curves(x, axis)
  bars <- error_bars(x, "covariance")
  call_plot(graphics::plot.default,
            list(x = x$distance, y = x$covariance, type = "n", las = 1, xlab = "distance", ylab = "covariance",
                 xlim = c(0, max(x$distance)),
                 ylim = range(0, x$covariance, x$model, theory$value, bars, finite = TRUE)), ...)
  graphics::abline(h = 0, col = "grey70")
  for (curve in theory$lines) graphics::lines(curve$r, curve$value, lwd = 2, col = curve$colour)
  draw_bars(x$distance, bars, colours)
  graphics::points(x$distance, x$covariance, pch = 19, cex = 0.7, col = colours)
  if (has_nugget(attr(x, "model"))) graphics::points(0, x$model[match(0, x$distance)], cex = 1.4)
  covariance_legend(x, unique(axis), !is.null(theory), !is.null(bars))
  invisible(x)
}

covariance_legend <- function(x, axes, theory, bars) {
  field <- if (is.null(x$axis)) "field" else paste("field, axis", axes)
  count <- c(length(axes), bars + theory) # points, and lines in the colour of all axes
  both <- if (length(axes) == 1L) curve_colours[axes] else "black"
  graphics::legend("topright", c(field, if (bars) "two standard errors", if (theory) "model"), bty = "n",
                   inset = 0.02, pt.cex = 0.7, pch = rep(c(19, NA), count), lty = rep(c(NA, 1), count),
                   lwd = c(rep(NA, count[1L]), if (bars) 1, if (theory) 2),
                   col = c(curve_colours[axes], rep(both, count[2L])))
}

# The model itself along the axes, or along the first if it is isotropic; else its averages over the pairs, joined.
covariance_curves <- function(x, axis) {
  model <- attr(x, "model")
  if (is.null(model)) return(NULL)
  pooled <- is.null(x$axis) && any(vapply(model_parts(model), is_anisotropic, NA))
  lines <- lapply(unique(axis), function(a) {
    rows <- axis == a & x$distance > 0
    r <- if (pooled) x$distance[rows] else max(x$distance) * seq(0, 1, length.out = 201)^2
    value <- if (pooled) x$model[rows]
             else lag_covariances(model, outer(r, seq_len(attr(x, "space")) == a))
    list(r = r, value = value, colour = curve_colours[a])
  })
  list(lines = lines, value = unlist(lapply(lines, function(l) l$value)))
}

# Limits two standard errors below and above, or NULL.
error_bars <- function(x, column)
  if (!is.null(x$std.error)) cbind(x[[column]] - 2 * x$std.error, x[[column]] + 2 * x$std.error)

draw_bars <- function(at, bars, colours)
  if (!is.null(bars)) graphics::segments(at, bars[, 1L], at, bars[, 2L], col = colours)

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.rfCovariance <- function(object, ...) {
  warn_extra(...)
  axis <- if (is.null(object$axis)) rep(1L, nrow(object)) else object$axis
  curves <- covariance_curves(object, axis)$lines
  model <- attr(object, "model")
  gg_estimates(object, "covariance", axis, paste("axis", unique(axis)), curves,
               if (has_nugget(model)) object$model[match(0, object$distance)])
}

# Estimates in groups with bars of two standard errors, a curve of the model for each group, and its nugget.
gg_estimates <- function(x, column, group, labels, curves, at_zero) {
  grouped <- function(k) factor(labels[k], labels)
  table <- data.frame(distance = x$distance, value = x[[column]], group = grouped(match(group, unique(group))))
  bars <- error_bars(x, column)
  plot <- ggplot2::ggplot(table, gg_aes(x = "distance", y = "value", colour = "group"))
  lines <- lapply(seq_along(curves), function(k)
    data.frame(distance = curves[[k]]$r, value = curves[[k]]$value, group = grouped(k)))
  if (length(lines)) plot <- plot + ggplot2::geom_line(data = do.call(rbind, lines), linewidth = 0.8)
  if (!is.null(bars)) {
    table[c("low", "high")] <- as.data.frame(bars)
    plot <- plot + ggplot2::geom_linerange(gg_aes(ymin = "low", ymax = "high"), table)
  }
  plot <- plot + ggplot2::geom_point() + ggplot2::expand_limits(x = 0, y = 0) +
    ggplot2::scale_colour_manual(values = rep_len(curve_colours, length(labels))) +
    ggplot2::guides(colour = if (length(labels) > 1L) "legend" else "none") +
    ggplot2::labs(x = "distance", y = column, colour = NULL)
  if (length(at_zero)) plot + ggplot2::annotate("point", 0, at_zero, shape = 1, size = 3) else plot
}

# What a field is made of: `values`, a matrix with a column for each field, less their mean; their `grid`, or the
# `points` in the space where distances are Euclidean; the model, if any; the known mean, or NULL; how they were
# transformed.
field_data <- function(field, grid, x, model, mean) {
  if (inherits(field, "rfRecipe")) input_error("field", "rfRecipe", "has no values: predict() computes them")
  if (inherits(field, c("sf", "stars", "SpatRaster")))
    input_error("field", class(field)[1L], sprintf(
      "must be values: field = %s, x = field, model = attr(field, \"recipe\")$model",
      if (inherits(field, "SpatRaster")) "terra::values(field)" else "field$sim_1"))
  if (is.data.frame(field)) input_error("field", class(field)[1L], "must be the values of a column: x has its points")
  if (!is.numeric(field)) input_error("field", class(field)[1L], "must be numeric values")
  recipe <- attr(field, "recipe")
  if (identical(recipe$method, "kriging"))
    raise_engine_error("input", "field has predictions, which vary less than the process: see simulate()")
  refuse_variables(recipe, "estimates are")
  if (!is.null(recipe$derived) && is.null(model))
    input_error("field", recipe$derived, "has another covariance than the model: give field[] and grid or x")
  flow <- !is.null(recipe$vector) && !identical(recipe$vector$mean, 0)
  level <- !is.null(recipe$intrinsic) # is arbitrary
  if ((isTRUE(recipe$trend) || flow || level) && is.null(mean)) mean <- "estimated"
  model <- if (is.null(model)) model_of_values(recipe) else field_model(model)
  if (is.null(grid) && is.null(x)) {
    grid <- attr(field, "grid")
    x <- attr(field, "coordinates")
  }
  places <- field_places(grid, x)
  values <- estimate_values(field, places$n)
  if (!is.null(grid)) check_dims("field", dim(field), places$dims)
  known <- field_mean(mean, model)
  centre <- if (is.null(known)) rep(colMeans(values), each = nrow(values))
            else if (is.function(known)) add_drift(numeric(nrow(values)), known, places)
            else known
  list(values = values - centre, grid = places$grid, model = model, mean = known,
       points = if (is.null(grid)) straight_points(places, if (is.null(model)) recipe$model else model),
       transform = transform_text(recipe))
}

field_places <- function(grid, x) {
  if (is.null(grid) == is.null(x))
    raise_engine_error("input", if (is.null(x)) "field has plain values: grid = rfGrid(...), or x with its points"
                                else "grid and x cannot be used together")
  if (!is.null(grid) && !inherits(grid, "rfGrid")) input_error("grid", class(grid)[1L], "must be a grid by rfGrid()")
  if (is.null(grid)) places_of(x, "x") else grid_places(checked_grid(grid))
}

# The model of the values of a recipe, or NULL. That of transformed ones is the Gaussian model, with their mean and
# with the moments that make their covariances of its own.
model_of_values <- function(recipe) {
  if (!is.null(recipe$transfer) || !is.null(recipe$facies)) return(NULL)
  model <- if (is.null(recipe$motion)) recipe$model else model_of_space(recipe$model)
  if (!length(recipe$transform)) return(model)
  if (has_intrinsic(model) || is.function(model$mean) || !is.null(recipe$data)) return(NULL)
  model$transform <- transformed_moments(recipe)
  if (is.null(model$transform)) return(NULL)
  model$mean <- model$transform$mean
  model
}

given_model <- function(model) {
  if (!inherits(model, "covModel")) input_error("model", class(model)[1L], "must be a model by covModel()")
  checked_model(model)
}

field_model <- function(model) {
  model <- given_model(model)
  if (is_several(model)) input_error("model", model$name, "is of several variables: that of one is needed here")
  model
}

estimate_values <- function(field, size) {
  values <- as.double(field)
  if (!length(values)) raise_engine_error("input", "field has no values")
  if (size == 0 || length(values) %% size != 0 || length(dim(field)) < 2L && length(values) != size)
    raise_engine_error("input", sprintf("field has %s for %s: %s", count_text(length(values), "value"),
                                        count_text(size, "point"),
                                        "one is needed for each, for several fields with a further dimension"))
  bad <- !is.finite(values)
  if (any(bad)) element_error("field", values, bad, "values must be finite")
  matrix(values, size)
}

# The known mean, a number or function; NULL where it is to be estimated.
field_mean <- function(mean, model) {
  if (is.null(mean)) mean <- if (is.null(model)) "estimated" else "model"
  if (is.numeric(mean)) {
    check_single("mean", mean, "")
    return(mean)
  }
  if (choice("mean", mean, c("model", "estimated")) == "estimated") return(NULL)
  if (is.null(model)) input_error("mean", mean, "needs a model: the field has none")
  model$mean
}

field_title <- function(data) {
  fields <- ncol(data$values)
  place <- if (is.null(data$grid)) paste("at", count_text(nrow(data$points), "point"))
           else paste("on a grid of", paste(data$grid$dims, collapse = " x "))
  place <- paste0(place, data$transform)
  mean <- if (is.null(data$mean)) "estimated" else if (is.function(data$mean)) "known (drift)"
          else paste("known,", format(data$mean, digits = 4))
  sprintf("%s %s, mean %s", if (fields > 1L) paste(fields, "fields") else "a field", place, mean)
}

# Coordinates in the space where distances are Euclidean.
straight_points <- function(places, model) {
  part <- if (is.null(model)) list(distance = "auto", radius = 6371) else model_parts(model)[[1L]]
  kind <- distance_kind(part$distance, places$geographic)
  if (kind == "greatcircle") input_error("distance", kind, "has no fields here: distance = \"chordal\" has")
  points <- places_points(places)
  if (kind != "chordal") return(points)
  check_sphere(points, "x", kind)
  sphere_points(points, part$radius)
}

# Lengths sqrt(v' m v) of all vectors v whose coordinates are on the axes, first axis fastest.
norm_on_grid <- function(axes, m = diag(length(axes))) {
  dims <- lengths(axes)
  along <- lapply(seq_along(axes), function(i)
    rep_len(rep(axes[[i]], each = prod(dims[seq_len(i - 1L)])), prod(dims)))
  squares <- 0
  for (i in seq_along(axes)) for (j in seq_len(i))
    if (m[i, j] != 0) squares <- squares + (if (i == j) 1 else 2) * m[i, j] * along[[i]] * along[[j]]
  sqrt(pmax(squares, 0)) # cross terms may leave a rounding error below 0
}

# The matrix m for which sqrt(v' m v) is the distance that the model has for a difference v of coordinates.
distance_form <- function(part, dim) {
  transform <- anisotropy(part, dim)
  if (is.null(transform)) diag(dim) else crossprod(transform)
}

# What a model has at the differences of coordinates on these axes, or in the rows of `lag`; NULL without model.
grid_lags <- function(model, axes, estimate)
  if (!is.null(model)) sum_of_parts(model, function(part) norm_on_grid(axes, distance_form(part, length(axes))),
                                    estimate)

# Without the nugget.
lag_covariances <- function(model, lag)
  lags_of_model(model, lag, replace(covariance_estimate, "of_part", list(cov_value)))

lags_of_model <- function(model, lag, estimate)
  if (!is.null(model)) sum_of_parts(model, function(part) {
    transform <- anisotropy(part, ncol(lag))
    sqrt(rowSums((if (is.null(transform)) lag else tcrossprod(lag, transform))^2))
  }, estimate)

# Lags of the same length in many directions, and the same lag of many pairs, are one distance.
sum_of_parts <- function(model, distance, estimate) {
  value <- Reduce(`+`, lapply(model_parts(model), function(part)
    at_distinct(distance(part), function(u) estimate$of_part(part, u))))
  if (is.null(model$transform)) value
  else at_distinct(value, function(v) estimate$transformed(model$transform, v))
}

has_nugget <- function(model) !is.null(model) && any(vapply(model_parts(model), function(p) p$nugget > 0, NA))

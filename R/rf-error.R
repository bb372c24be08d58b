# How far the covariance of a single field is from that of its model.

# The smallest distance from which the correlation of a part is below exp(-1), or its range if that is less.
part_scale <- function(part, dim) {
  part$variance <- 1
  min(fall_distance(function(h) cov_value(part, h), part_length(part, dim)),
      if (!families[[part$name]]$own_unit) part$range)
}

part_length <- function(part, dim) if (is_slow(part, "radius")) part$range else 1 / cov_radius(part, 0.5, dim)

# Where a correlation first falls below exp(-1), near the distance `unit`.
fall_distance <- function(correlation, unit) {
  h <- unit * 2^seq(-20, 20, by = 0.25)
  below <- integer()
  for (first in seq(1L, length(h), by = 20L)) { # far out some correlations take long
    at <- first:min(first + 19L, length(h))
    below <- at[correlation(h[at]) < exp(-1)]
    if (length(below)) break
  }
  if (!length(below)) return(max(h))
  if (below[1L] == 1L) return(h[1L])
  ends <- h[below[1L] - 1:0]
  stats::uniroot(function(x) correlation(x) - exp(-1), ends, tol = 1e-9 * ends[1L])$root
}

# The distance along the first axis at which the correlation of the whole model is exp(-1).
reference_lag <- function(recipe) {
  total <- sum(part_variances(recipe))
  along <- c(1, rep(0, recipe$space$dim - 1))
  units <- mapply(part_length, model_parts(recipe$model), recipe$wave_dim)
  fall_distance(function(h) true_covariance(recipe, outer(h, along)) / total, min(units))
}

true_covariance <- function(recipe, lags)
  Reduce(`+`, lapply(model_parts(recipe$model),
                     function(part) cov_value(part, sqrt(rowSums(stretched(lags, part, recipe$space)^2)))))

# Differences of coordinates whose lengths are the distances of a part.
stretched <- function(xy, part, space) {
  transform <- if (is.null(space$sphere)) anisotropy(part, ncol(xy))
  if (is.null(transform)) xy else each_times(xy, t(transform))
}

# x %*% m, with rows whose bits do not depend on the other rows: those of BLAS may.
each_times <- function(x, m)
  vapply(seq_len(ncol(m)), function(j) Reduce(`+`, lapply(seq_len(ncol(x)), function(i) x[, i] * m[i, j])),
         numeric(nrow(x))) |> matrix(nrow(x))

# Root mean square, over fields and directions of the lag, of the covariance that a field has in the whole of space
# less that of the model. Keys are fixed: the figure belongs to the recipe, not to a field.
recipe_error <- function(recipe, distance, nfields = 16L) {
  own <- switch(recipe$method, spectral = wave_covariance, table = table_covariance)(recipe)
  squares <- vapply(seq_len(nfields), function(i) {
    key <- c(i, 0)
    lags <- lag_set(distance, recipe$space$dim, 8L, key)
    moments <- own(key, lags)
    rowMeans(matrix((moments$mean - true_covariance(recipe, lags))^2 + moments$variance, length(distance)))
  }, numeric(length(distance)))
  sqrt(rowMeans(matrix(squares, length(distance))))
}

# All distances in the first direction, then all in the second, and so on.
lag_set <- function(distance, dim, ndirections, key) {
  way <- if (dim == 1L) matrix(1, ndirections) else
    turn_round(direction_set(ndirections, dim, "fibonacci"), uniforms_for(key, 0L))
  way[rep(seq_len(ndirections), each = length(distance)), , drop = FALSE] * rep(distance, ndirections)
}

# Of a sum of cosines: sum of amplitude^2 / 2 cos(2 pi k . h).
wave_covariance <- function(recipe) function(key, lags) {
  recipe$key <- key
  mean <- 0
  over_lines(recipe, 1L, function(waves, lot)
    mean <<- mean + drop(cospi(2 * within_numbers(lags %*% t(waves$k))) %*% (waves$amplitude^2 / 2)))
  list(mean = mean, variance = 0)
}

# Lags in units of the lengths of waves, or of the steps of a table.
within_numbers <- function(lags) {
  if (!all(abs(lags) < .Machine$double.xmax / 2))
    raise_engine_error("input", "distance is so long that the phases of waves there exceed the largest number")
  lags
}

# Of lines: the mean over their directions of the covariance that a line has, a random function with a mean and a
# variance of its own.
table_covariance <- function(recipe) {
  parts <- model_parts(recipe$model)
  at <- which(recipe$share > 0L)
  known <- lapply(at, function(i) line_moments(recipe, parts[[i]], i))
  function(key, lags) {
    sums <- lapply(seq_along(at), function(j) {
      r <- abs(stretched(lags, parts[[at[j]]], recipe$space) %*% t(line_directions(recipe, at[j], key)))
      over_lines <- function(f) rowMeans(matrix(f(as.vector(r)), nrow(r)))
      list(mean = over_lines(known[[j]]$mean), variance = over_lines(known[[j]]$variance) / ncol(r))
    })
    list(mean = Reduce(`+`, lapply(sums, `[[`, "mean")), variance = Reduce(`+`, lapply(sums, `[[`, "variance")))
  }
}

# A line without end has the covariance of the model. One of a table has that of its waves, interpolated by the
# look-up at the nearest entry, with the variance 2 sum of v^2 cos(k r)^2, v the variances of the waves of the circle;
# the table shows a part of this only, and its variance is larger by as much as it is shorter.
line_moments <- function(recipe, part, i) {
  if (is.null(recipe$table))
    return(list(mean = function(r) cov_line(part, r, recipe$wave_dim[i]), variance = function(r) 0 * r))
  spectrum <- table_spectrum(recipe, part, i)
  m <- length(spectrum)
  transform <- function(v) Re(.Call(C_fft, as.complex(v), as.double(m), FALSE))
  between <- function(nodes) function(r) {
    t <- within_numbers(r / recipe$table$step[i])
    j <- floor(t)
    (1 - t + j) * nodes[j %% m + 1] + (t - j) * nodes[(j + 1) %% m + 1]
  }
  twice <- between(transform(spectrum^2))
  longer <- m / recipe$table$entries[i]
  list(mean = between(transform(spectrum)), variance = function(r) longer * (sum(spectrum^2) + twice(2 * r)))
}

# The distance at which a tolerance is meant: the range of a model that has one, else that of correlation exp(-1).
tolerance_lag <- function(recipe) {
  parts <- model_parts(recipe$model)
  if (length(parts) == 1L && !families[[parts[[1L]]$name]]$own_unit) parts[[1L]]$range else reference_lag(recipe)
}

# The smallest of a set of numbers of lines that meets a tolerance. Up to 2^13 lines each is larger than the one
# before by sqrt(2), then by 2, with fewer fields in the mean, two at least, so that the time stays what it is: the
# eight directions of two fields give errors to some 20 percent. Beyond 2^17 lines the larger of the last two errors
# is taken to fall as n^(-1/2), as that of independent waves does, and with shells and low-discrepancy directions as
# n^(-3/4): errors with 2^18 to 2^20 lines, computed, were 0.2 to 1.1 times those by this rule (exponential,
# Gaussian, Matern 0.3 and 1.5, Cauchy, k^-11/3, a sum; plane and space). With waves of one amplitude those of smooth
# models in the plane were up to 1.9 times those by n^(-1/2). Or the recipe that `instead` has for a number of them.
enough_lines <- function(recipe, tolerance, instead = function(nlines) NULL) {
  total <- sum(part_variances(recipe))
  if (total == 0) return(share_lines(recipe, 1L))
  lag <- tolerance_lag(recipe)
  began <- proc.time()
  on.exit(progress_loop_done())
  errors <- numeric()
  numbers <- c(ceiling(16 * 2^(0:18 / 2)), 2^(14:17))
  for (nlines in numbers) {
    other <- instead(nlines)
    if (!is.null(other)) return(other)
    recipe <- share_lines(recipe, max(nlines, length(recipe$wave_dim)))
    errors <- c(errors, recipe_error(recipe, lag, as.integer(min(16, max(2, 2^17 / nlines)))))
    if (errors[length(errors)] <= tolerance * total) return(recipe)
    progress_loop("tbrf", began, NaN)
  }
  far <- 2^(18:24)
  fall <- if (identical(recipe$waves, "shells") && recipe$directions == "lowdiscrepancy") 3 / 4 else 1 / 2
  enough <- far[max(utils::tail(errors, 2L)) * (2^17 / far)^fall <= tolerance * total]
  if (length(enough)) return(share_lines(recipe, enough[1L]))
  input_error("nlines", tolerance, sprintf("is a tolerance that is not met by %.0f lines", 2^24))
}

#' Expected error of the covariance of a field
#'
#' The covariance that a single field by [tbrf()] has, taken over the whole of space, differs from that of its model,
#' and the less so the more lines there are. This is the root mean square of the difference.
#'
#' A field of L cosines with wave vectors k and amplitudes a has the covariance \eqn{\sum_l a_l^2/2
#' \cos(k_l \cdot h)}{sum a^2/2 cos(k . h)} at the lag h. It is computed for `nfields` fields and eight directions of
#' the lag in each, and the mean square of its difference from the model is taken. With tables it is the mean over
#' the directions of the lines of their covariance, and a table of finite length adds the error of the line itself.
#' The random numbers are the same in every call: R's generator is not used, and the result is a function of the
#' arguments.
#'
#' Of a field in a bounded domain the covariance varies more, since the domain has only so many ranges in it. That is
#' the statistics of the model, not an error of the method.
#'
#' @param model a model by [covModel()], or a field or recipe by [tbrf()], from which all else but `distance` and
#'   `nfields` is taken. Of a field by [rfTransform()] it is the Gaussian field.
#' @param nlines numbers of lines.
#' @param distance lags; by default 0.1, 0.5, 1 and 2 times that of the correlation `exp(-1)`.
#' @param dim number of coordinates of the points: 1, 2 or 3.
#' @param method `"spectral"` or `"table"`; tables are here of infinite length and have no steps, unless a field or a
#'   recipe is given.
#' @param directions,waves as for [tbrf()].
#' @param nfields number of fields in the mean. The figures vary by about `0.5/sqrt(nfields)` of themselves with the
#'   fields that are taken.
#' @param n not used: it is an error that names `nlines` and `nfields`, of which it could be an abbreviation.
#' @return A data frame with columns `nlines`, `distance` and `error`, in units of the covariance.
#' @seealso [tbrf()], where `nlines` may be given as a tolerance.
#' @examples
#' model <- covModel("exponential", range = 10)
#' tbrfError(model, nlines = c(64, 256, 1024), distance = 10)
#' tbrfError(model, nlines = 256, distance = 10, method = "table")
#' @export
tbrfError <- function(model, nlines = 1000, distance = NULL, dim = 3, method = c("spectral", "table"),
                      directions = c("lowdiscrepancy", "halton", "fibonacci"), nfields = 32,
                      waves = c("shells", "spectrum"), n) {
  if (!missing(n))
    raise_engine_error("input", "there is no argument n: nlines is the number of lines, nfields that of fields")
  need(model = missing(model))
  nfields <- whole_number("nfields", nfields)
  check_numbers("nlines", nlines, "positive")
  if (any(nlines < 1))
    input_error("nlines", nlines, "must be whole numbers: tolerances are for tbrf()")
  recipe <- recipe_of(model)
  if (inherits(recipe, "rfValues")) raise_engine_error("input", "model has no recipe: its values are not by tbrf()")
  if (!is.null(recipe)) refuse_vectors(recipe, "errors are")
  own <- if (is.null(recipe)) field_model(model) else recipe$model
  refuse_intrinsic(own, "has no covariance that fields could differ from")
  if (is.null(recipe)) {
    if (has_time(model_parts(own)))
      input_error("model", own$name, "is a model of space and time: errors are those of models of space")
    recipe <- recipe_without_points(own, dim, choice("method", method))
    recipe$directions <- choice("directions", directions)
    waves <- choice("waves", waves)
    if (recipe$method == "spectral" && waves == "shells") recipe$waves <- "shells"
  } else nlines <- recipe$nlines
  if (recipe$method == "fft") input_error("method", "fft", "has no lines: its fields have all waves of the grid")
  if (is.null(distance)) distance <- c(0.1, 0.5, 1, 2) * reference_lag(recipe)
  check_numbers("distance", distance, "not negative")
  distance <- as.double(distance)
  error <- function(n) recipe_error(share_lines(recipe, whole_number("nlines", n)), distance, nfields)
  data.frame(nlines = rep(nlines, each = length(distance)), distance = distance,
             error = unlist(lapply(nlines, error)))
}

recipe_of <- function(x) if (inherits(x, "rfRecipe")) x else attr(x, "recipe")

recipe_without_points <- function(model, dim, method) {
  check_among("dim", dim, 1:3)
  chordal <- model$distance == "chordal"
  space <- list(columns = as.integer(dim), dim = if (chordal) 3L else as.integer(dim),
                sphere = if (chordal) model$radius)
  list(model = model, space = space, nsim = 1L, method = method,
       wave_dim = vapply(model_parts(model), wave_dimension, 1L, space$dim, method))
}

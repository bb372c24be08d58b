# The spectrum that a field on a grid has, beside that of its model.

#' Spectrum of a field
#'
#' Estimates the spectral density that a random field on a grid has by its periodogram, beside that of its model.
#'
#' Densities are those of the convention
#' \eqn{C(h) = \int S_d(k) e^{i k h} dk}{C(h) = integral of S_d(k) exp(i k h) dk}, with wave vectors k in radians per
#' unit of the coordinates: the integral of the density over all k is the variance. The periodogram of `n`
#' values `z(x)` at spacings \eqn{\delta}{delta} is
#' \deqn{I(k) = \frac{\prod \delta}{(2 \pi)^d \sum w(x)^2} \left| \sum_x w(x) z(x) e^{-i k x} \right|^2}{%
#'       I(k) = prod(delta) / ((2 pi)^d sum_x w(x)^2) |sum_x w(x) z(x) exp(-i k x)|^2}
#' with the taper w, at the wave vectors of the discrete Fourier transform. A row of the result is its average over a
#' shell of similar |k|. Shells are as wide as the coarsest step between wave numbers,
#' \eqn{2 \pi / (n \delta)}{2 pi / (n delta)}, of any axis. The wave number 0, where an estimated mean leaves
#' nothing, is left out.
#'
#' @section What a periodogram shows:
#' A periodogram is not the spectral density. Its expected value is the Fourier transform of the covariance times the
#' share of the pairs of points that are at each lag, a triangle in each axis (Percival and Walden 1993): power leaks
#' from strong wave numbers into weak ones, where a density that falls faster than \eqn{k^{-2}}{k^-2} along an axis
#' looks as if it fell like \eqn{k^{-2}}{k^-2}, and power beyond the Nyquist wave number
#' \eqn{\pi / \delta}{pi / delta} is folded back. The column `expected` is that expected value, exact for a known
#' mean; compare with it, not with a slope. The cosine taper makes leakage fall off much faster, and widens the
#' response at each wave number to two steps on both sides.
#'
#' A transect, one line through a field, does not show the slope of the density in space or the plane: the field's
#' other directions are integrated out. For `transect = TRUE` density and expected value are those of the
#' one-dimensional process along the first axis.
#'
#' A nugget is noise that is independent at all points of the grid: its part of the density,
#' `nugget` times \eqn{\prod \delta / (2 \pi)^d}{prod(delta) / (2 pi)^d}, depends on the spacing.
#'
#' @inheritParams rfCovariance
#' @param field a field by [tbrf()] on a grid, or plain values: an array of the grid's dimensions, for several fields
#'   with a further dimension. Missing values are refused.
#' @param taper `"none"`, or `"cosine"` for weights
#'   \eqn{\sin^2(\pi (j - 1/2) / n)}{sin^2(pi (j - 1/2) / n)} along each axis.
#' @param transect if `TRUE`, the one-dimensional periodogram along the first axis, averaged over all lines of the
#'   grid that are parallel to it.
#' @param expected if `TRUE`, also the exact expected value of the periodogram. It needs the covariances at all lags,
#'   \eqn{2^d n} for `n` points in d dimensions; by default it is computed for up to \eqn{2^{21}} lags.
#' @param to largest wave number. By default that of the last shell that is complete: those beyond reach over the
#'   smallest Nyquist wave number of the axes, and have no wave vectors along that axis. For a transect, the Nyquist
#'   wave number.
#' @return A data frame of class `rfSpectrum` with the columns
#'   * `wavenumber`, the mean |k| of the shell, in radians per unit of the coordinates,
#'   * `spectrum`, the average of the periodogram over the shell and the fields,
#'   * `modes`, the number of wave vectors in the shell, k and -k counted once (for a transect the number of lines),
#'   * `model`, the spectral density of the model averaged over these wave vectors, where there is a model; of a field
#'     by [tbrf()] with `periodic = TRUE`, the density that the waves of the box have: with `variance = "spectrum"`
#'     that of the model, else a multiple of it, which is printed. Other fields by [rfTransform()] have only
#'     `expected`, as the density of their values is not known,
#'   * `expected`, the expected value of `spectrum`, where it is computed,
#'   * `std.error`, for several fields: that of their average, from the spread among them.
#' @references
#' Percival, D. B. and Walden, A. T. (1993) *Spectral Analysis for Physical Applications*. Cambridge University Press.
#' @seealso [rfCovariance()], [tbrf()], [spectralDensity()]
#' @examples
#' # White noise of variance 1 has the density prod(spacing) / (2 pi)^2 at all wave numbers.
#' set.seed(1)
#' grid <- rfGrid(origin = c(0, 0), spacing = c(10, 10), dims = c(64, 64))
#' rfSpectrum(matrix(rnorm(64^2), 64), grid = grid, mean = 0)
#' 100 / (2 * pi)^2
#'
#' model <- covModel("matern", range = 3, smoothness = 1.5)
#' fields <- tbrf(rfGrid(c(0, 0), c(1, 1), c(64, 64)), model, nsim = 4)
#' plot(rfSpectrum(fields))
#' plot(rfSpectrum(fields, taper = "cosine"))
#' plot(rfSpectrum(fields, transect = TRUE))
#' @export
rfSpectrum <- function(field, model = NULL, grid = NULL, mean = NULL, taper = c("none", "cosine"), transect = FALSE,
                       expected = NULL, to = NULL) {
  need(field = missing(field))
  taper <- choice("taper", taper)
  transect <- one_flag("transect", transect)
  if (!is.null(expected)) expected <- one_flag("expected", expected)
  check_single("to", to, "positive")
  if (is.null(grid) && is.null(attr(field, "grid")))
    raise_engine_error("input", paste(
      "field is not on a grid: of an array, grid = rfGrid() says where its cells are; at scattered points a",
      "periodogram is distorted by their pattern, and rfCovariance() takes them"))
  data <- field_data(field, grid, NULL, model, mean)
  if (isTRUE(expected) && !is.null(data$model))
    refuse_intrinsic(data$model, "has no covariance, from which expected = TRUE would compute")
  data$waves <- grid_waves(data$grid, transect)
  data$box <- if (is.null(model) && is.null(grid)) periodic_box(attr(field, "recipe"), data$model)
  if (isTRUE(expected) && is.null(data$model) && is.null(data$box))
    input_error("expected", expected, "needs a model: the field has none")
  windows <- lapply(data$waves$dims, taper_weights, taper)
  spectrum <- if (transect) transect_spectrum else shell_spectrum
  structure(spectrum(data, windows, to, expected), class = c("rfSpectrum", "data.frame"),
            title = field_title(data), model = data$model, transect = transect,
            box = if (!is.null(data$box) && !length(data$transform)) box_text(attr(field, "recipe")))
}

# Wave numbers along the axes that are transformed, in the order of the discrete transform.
grid_waves <- function(grid, transect) {
  axes <- if (transect) 1L else seq_along(grid$dims)
  dims <- grid$dims[axes]
  if (any(dims < 2L))
    raise_engine_error("input", sprintf("the grid has %s points: a spectrum needs at least 2 along %s",
                                        paste(grid$dims, collapse = " x "),
                                        if (transect) "the first axis" else "each axis (see transect)"))
  spacing <- grid$spacing[axes]
  list(dims = dims, spacing = spacing, k = Map(signed_lags, dims, 2 * pi / (dims * spacing)))
}

# A little more than `to`, for multiples of 2 pi / (n spacing) that are rounded.
waves_up_to <- function(k, to) {
  kept <- which(k > 0 & k <= to * (1 + 1e-9))
  if (!length(kept)) input_error("to", to, "is below the smallest wave number of the grid")
  kept
}

taper_weights <- function(n, taper) if (taper == "none") rep(1, n) else sinpi((seq_len(n) - 0.5) / n)^2

# The factor that makes a squared transform a density, for a field with these weights along its axes.
density_unit <- function(waves, windows)
  prod(waves$spacing / (2 * pi)) / prod(vapply(windows, function(w) sum(w^2), 1))

shell_spectrum <- function(data, windows, to, expected) {
  waves <- data$waves
  wavenumber <- norm_on_grid(waves$k)
  width <- max(2 * pi / (waves$dims * waves$spacing))
  if (is.null(to)) to <- (max(1, floor(min(pi / waves$spacing) / width - 0.5 + 1e-9)) + 0.5) * width
  kept <- waves_up_to(wavenumber, to)
  shell <- round(wavenumber[kept] / width)
  average <- function(values) rowsum(as.vector(values)[kept], shell)[, 1L] / sizes
  sizes <- rowsum(rep(1, length(kept)), shell)[, 1L]
  weights <- Reduce(outer, windows)
  unit <- density_unit(waves, windows)
  each <- matrix(vapply(seq_len(ncol(data$values)), function(s)
    average(unit * Mod(dft(weights * data$values[, s], waves$dims))^2), 0 * sizes), length(sizes))
  # Only vectors whose components are 0 or at the Nyquist number are their own opposites.
  alone <- Reduce(outer, lapply(waves$dims, function(n) (seq_len(n) - 1) %in% c(0, n / 2)))
  modes <- sizes * (1 + average(1 * alone)) / 2
  table <- data.frame(wavenumber = average(wavenumber), spectrum = rowMeans(each), modes = modes, row.names = NULL)
  with_errors(table, each, spectrum_theory(data, windows, expected, function(values) unname(average(values))))
}

transect_spectrum <- function(data, windows, to, expected) {
  waves <- data$waves
  kept <- waves_up_to(waves$k[[1L]], if (is.null(to)) Inf else to)
  unit <- density_unit(waves, windows)
  each <- vapply(seq_len(ncol(data$values)), function(s) {
    lines <- matrix(data$values[, s], waves$dims)
    unit * rowMeans(Mod(stats::mvfft(windows[[1L]] * lines))^2)[kept]
  }, numeric(length(kept)))
  each <- matrix(each, length(kept))
  table <- data.frame(wavenumber = waves$k[[1L]][kept], spectrum = rowMeans(each),
                      modes = nrow(data$values) / waves$dims)
  with_errors(table, each, spectrum_theory(data, windows, expected, function(values) values[kept]))
}

# What the model says at the wave vectors, averaged as the periodogram is.
spectrum_theory <- function(data, windows, expected, average) {
  if (is.null(data$model) && is.null(data$box)) return(NULL)
  if (is.null(expected))
    expected <- prod(2 * data$waves$dims) <= 2^21 && (is.null(data$model) || !has_intrinsic(data$model))
  density <- if (!is.null(data$box)) box_density(data)
             else if (is.null(data$model$transform)) grid_density(data$model, data$waves, length(data$grid$dims))
  c(if (!is.null(density)) list(model = average(density)),
    if (expected) list(expected = average(expected_periodogram(data, windows))))
}

# A periodic field has waves of the box alone, which scale its density to the variance of the model: their variances
# with the nugget, or NULL where the field is of another kind. Those of transformed values are the transform of their
# covariances at all lags of the box.
periodic_box <- function(recipe, model) {
  other <- !identical(recipe$method, "fft") || !isTRUE(recipe$periodic) || !is.null(recipe$data)
  if (other || is.null(model) && (is.null(recipe$transfer) || length(recipe$transform))) return(NULL)
  dims <- recipe$grid$dims
  box <- list(variance = array(box_spectrum(recipe)$variance, dims), nugget = model_nugget(recipe$model))
  if (!is.null(recipe$transfer)) box$variance[] <- box$variance * transfer_power(recipe)
  if (is.null(model$transform)) return(box)
  covariance <- Re(dft(box$variance, dims))
  covariance[1L] <- covariance[1L] + box$nugget
  covariance <- at_distinct(covariance, function(v) transformed_covariance(model$transform, v))
  list(variance = array(Re(dft(covariance, dims)) / prod(dims), dims), nugget = 0)
}

# For a transect, variances of the other axes are added up.
box_density <- function(data) {
  own <- seq_along(data$waves$k)
  variance <- if (length(own) == length(data$grid$dims)) data$box$variance else apply(data$box$variance, own, sum)
  (as.vector(variance) * prod(data$waves$dims) + data$box$nugget) * prod(data$waves$spacing / (2 * pi))
}

box_covariances <- function(data, lags) {
  around <- array(Re(dft(data$box$variance, dim(data$box$variance))), dim(data$box$variance))
  index <- Map(function(lag, by, n) round(lag / by) %% n + 1, lags, data$grid$spacing, dim(around))
  as.vector(do.call(`[`, c(list(around), index, drop = FALSE))) + data$box$nugget * (norm_on_grid(lags) == 0)
}

# Spectral density at all wave vectors. With distances |A x| the density at k is that at A^-T k, divided by |A|; along
# the first axis alone distances are stretched by the length of its column of A.
grid_density <- function(model, waves, dim) {
  transformed <- seq_along(waves$k)
  values <- lapply(model_parts(model), function(part) {
    form <- distance_form(part, dim)[transformed, transformed, drop = FALSE]
    k <- norm_on_grid(waves$k, solve(form))
    at_distinct(k, function(u) cov_spectrum(part, u, length(waves$k))) / sqrt(det(form)) +
      part$nugget * prod(waves$spacing / (2 * pi))
  })
  Reduce(`+`, values)
}

# E I(k) is the transform of the covariance at each lag times sum_x w(x) w(x + lag), with lags that differ by the
# number of points along an axis added up: they have the same phases. Lag -n, which no pair has, makes an even number.
expected_periodogram <- function(data, windows) {
  waves <- data$waves
  others <- length(data$grid$dims) - length(waves$k)
  lags <- c(Map(function(n, by) by * seq(-n, n - 1), waves$dims, waves$spacing), rep(list(0), others))
  overlap <- lapply(windows, function(w) c(0, stats::convolve(w, w, type = "open")))
  sums <- as.vector(Reduce(outer, overlap)) *
    (if (is.null(data$box)) grid_lags(data$model, lags, covariance_estimate) else box_covariances(data, lags))
  for (i in seq_along(waves$dims)) {
    before <- prod(waves$dims[seq_len(i - 1L)])
    n <- waves$dims[i]
    halves <- array(sums, c(before * n, 2, length(sums) / (2 * before * n)))
    sums <- halves[, 1L, ] + halves[, 2L, ]
  }
  density_unit(waves, windows) * Re(dft(sums, waves$dims))
}

#' @rdname rfSpectrum
#' @param x a spectrum by `rfSpectrum()`.
#' @export
print.rfSpectrum <- function(x, n = 12L, digits = max(3L, getOption("digits") - 3L), ...) {
  print_estimates(x, if (isTRUE(attr(x, "transect"))) "Spectrum along the first axis" else "Spectrum", n, digits)
  if (!is.null(attr(x, "box"))) cat(strwrap(attr(x, "box"), exdent = 2L), sep = "\n")
  invisible(x)
}

#' @rdname rfSpectrum
#' @details `plot()` draws the estimates as points on logarithmic axes, with bars of two standard errors where there
#'   are several fields, the expected periodogram as a line and the density of the model as a broken line.
#' @export
plot.rfSpectrum <- function(x, ...) {
  bars <- error_bars(x, "spectrum")
  shown <- c(x$spectrum, x$model, x$expected)
  shown <- shown[is.finite(shown) & shown > 0]
  if (!length(shown)) shown <- 1
  if (!is.null(bars)) bars[, 1L] <- pmax(bars[, 1L], min(shown) / 10)
  call_plot(graphics::plot.default,
            list(x = x$wavenumber, y = replace(x$spectrum, x$spectrum <= 0, NA), type = "n", log = "xy",
                 xlab = "wave number (radians per unit of length)",
                 ylab = paste0("spectral density", if (isTRUE(attr(x, "transect"))) " along the first axis"),
                 ylim = range(shown)), ...)
  curves <- intersect(c("model", "expected"), names(x))
  types <- c(model = 2, expected = 1)[curves]
  for (curve in curves)
    graphics::lines(x$wavenumber, replace(x[[curve]], !(x[[curve]] > 0), NA), lwd = 2, lty = types[[curve]],
                    col = plot_colours[["fit"]])
  draw_bars(x$wavenumber, bars, plot_colours[["sample"]])
  visible <- x$spectrum > 0
  graphics::points(x$wavenumber[visible], x$spectrum[visible], pch = 19, cex = 0.7, col = plot_colours[["sample"]])
  labels <- c(model = "density of the model", expected = "expected periodogram")[curves]
  graphics::legend("bottomleft", c("field", labels), lwd = c(NA, rep(2, length(curves))), lty = c(NA, types),
                   pch = c(19, rep(NA, length(curves))), pt.cex = 0.7, bty = "n", inset = 0.03,
                   col = c(plot_colours[["sample"]], rep(plot_colours[["fit"]], length(curves))))
  invisible(x)
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.rfSpectrum <- function(object, ...) {
  warn_extra(...)
  shown <- as.data.frame(object)
  shown[c("low", "high")] <- if (is.null(shown$std.error)) NA_real_ else as.data.frame(error_bars(object, "spectrum"))
  shown <- shown[shown$spectrum > 0, ]
  shown$low[!(shown$low > 0)] <- 0 # the logarithm is the lower side
  curves <- intersect(c("model", "expected"), names(object))
  labels <- c(model = "density of the model", expected = "expected periodogram")
  lines <- do.call(rbind, lapply(curves, function(curve)
    data.frame(wavenumber = object$wavenumber, spectrum = object[[curve]], curve = labels[[curve]])))
  plot <- ggplot2::ggplot(shown, gg_aes(x = "wavenumber", y = "spectrum")) + ggplot2::scale_x_log10() +
    ggplot2::scale_y_log10() +
    ggplot2::geom_linerange(gg_aes(ymin = "low", ymax = "high"), na.rm = TRUE, colour = plot_colours[["sample"]]) +
    ggplot2::geom_point(colour = plot_colours[["sample"]]) + ggplot2::labs(
      x = "wave number (radians per unit of length)", linetype = NULL,
      y = paste0("spectral density", if (isTRUE(attr(object, "transect"))) " along the first axis"))
  if (is.null(lines)) return(plot)
  plot + ggplot2::scale_linetype_manual(values = stats::setNames(2:1, labels)) +
    ggplot2::geom_line(gg_aes(linetype = "curve"), lines[lines$spectrum > 0, ], linewidth = 0.8,
                       colour = plot_colours[["fit"]])
}

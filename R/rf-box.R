# Periodic boxes and the spectrum that they are given: forms of spectra, what a box has of one, variances in spheres.

#' Models with a given spectrum
#'
#' `spectrumModel()` makes a model of a power spectrum in absolute units, in any of the conventions of cosmology,
#' turbulence and geostatistics. `rfSigma()` has the standard deviation of averages over spheres, and the factor that
#' brings it to a given value.
#'
#' The spectral densities of this package are those of
#' \deqn{C(h) = \int S_d(k) e^{i k \cdot h} d^d k,}{C(h) = integral of S_d(k) exp(i k . h) d^d k,}
#' so that their integral over all wave vectors k, in radians per unit of length, is the variance. A model by
#' [covModel()] is a shape with a variance; `spectrumModel()` computes the variance from the function given, and
#' [tbrf()] with `periodic = TRUE, variance = "spectrum"` makes fields whose waves have this spectrum and no other.
#'
#' | form | function | what it integrates to | density S(k) |
#' |------|----------|-----------------------|--------------|
#' | `"density"` | S(k) | the variance, over all wave vectors | S |
#' | `"P"` | P(k) of cosmology | the variance, over all wave vectors, divided by (2 pi)^d | P/(2 pi)^d |
#' | `"Delta2"` | Delta^2(k) of cosmology | the variance, over log k; k^3 P/(2 pi^2) in space | Delta^2/(A k^d) |
#' | `"E"` | E(k) of turbulence | the kinetic energy of d components, over k | 2 E/(d A k^(d-1)) |
#' | `"scalar"` | E(k) of a scalar | the variance, over k | E/(A k^(d-1)) |
#' | `"cycles"` | G(nu), nu = k/(2 pi) | the variance, over all vectors of frequencies | G(k/(2 pi))/(2 pi)^d |
#'
#' Here d is the dimension and A is 2, \eqn{2 \pi}{2 pi} or \eqn{4 \pi}{4 pi} in one, two or three dimensions. The
#' components of [rfVector()] have the density of the model each, and so \eqn{E(k) = 6 \pi k^2 S_3(k)}{E(k) = 6 pi
#' k^2 S_3(k)} in space. A nugget of geostatistics is no wave, and belongs to none of these.
#'
#' One-dimensional spectra, as probes measure along a line, are integrals of those above: of a scalar the two-sided
#' density along an axis is `spectralDensity(model, k, dim = 1)`, which is also what `rfSpectrum(transect = TRUE)`
#' estimates, and half of the one-sided spectrum whose integral over positive k is the variance. Of an isotropic
#' solenoidal field in space the one-sided longitudinal spectrum is
#' \eqn{E_{11}(k_1) = \int_{k_1}^\infty E(k)/k (1 - k_1^2/k^2) dk}{E11(k1) = integral of E(k)/k (1 - k1^2/k^2) dk
#' over k > k1} (Pope 2000, section 6.5).
#'
#' `rfSigma()` is
#' \eqn{\sigma(R) = \left( \int S_d(k) W(kR)^2 d^d k \right)^{1/2}}{sigma(R) = sqrt(integral of S_d(k) W(kR)^2 d^d k)}
#' with the transform of a sphere of radius R, \eqn{W(x) = 3 (\sin x - x \cos x) / x^3}{W(x) = 3 (sin x - x cos
#' x)/x^3} in space, \eqn{2 J_1(x)/x}{2 J_1(x)/x} of a disc in the plane and \eqn{\sin(x)/x}{sin(x)/x} of the
#' interval from -R to R on a line. The nugget does not count.
#'
#' @param spectrum a vectorised function of the wave number k, of `"cycles"` of the frequency; not negative. At k = 0
#'   it need not be finite, and counts as 0 there if it is not.
#' @param form the convention that `spectrum` is in: see the table.
#' @param dim dimension of the space of the wave vectors, 1, 2 or 3.
#' @param band two wave numbers beyond which the spectrum is 0, the second perhaps `Inf`. The integral over the band
#'   must be finite. (That of a spectrum that falls like \eqn{k^{-3}}{k^-3} in space is not: give a second number
#'   beyond the grid's largest wave number.)
#' @param model a model by [covModel()], isotropic.
#' @param radius radii of the spheres, in the unit of the coordinates.
#' @param sigma `NULL`, or the standard deviation that averages over spheres of the one `radius` are to have.
#' @return `spectrumModel()` gives a model by [covModel()] of the family `"spectrum"`, whose variance is the integral.
#'   `rfSigma()` gives the standard deviation for each radius, with its name; with `sigma` the factor that the
#'   variance of the model is to be multiplied by, which is that for its spectrum.
#'
#'   Errors have the class `statcl_error_input` and name the argument and the value.
#' @references
#' Pope, S. B. (2000). *Turbulent Flows*. Cambridge University Press.
#'
#' Peebles, P. J. E. (1980). *The Large-Scale Structure of the Universe*. Princeton University Press.
#' @seealso [tbrf()], [rfSpectrum()], [spectralDensity()]
#' @examples
#' # cold dark matter (Bardeen et al. 1986), normalised to 0.8 in spheres of 8 Mpc/h
#' bbks <- function(k) {
#'   q <- k / 0.2
#'   k * (log1p(2.34 * q) / (2.34 * q))^2 /
#'     sqrt(1 + 3.89 * q + (16.1 * q)^2 + (5.46 * q)^3 + (6.71 * q)^4)
#' }
#' matter <- spectrumModel(bbks, "P", band = c(0, 20))
#' matter <- update(matter, variance = matter$variance * rfSigma(matter, 8, sigma = 0.8))
#' rfSigma(matter, c(1, 8, 30))
#' set.seed(1)
#' box <- tbrf(rfGrid(0, 4, c(32, 32, 32)), matter, method = "fft", periodic = TRUE,
#'             variance = "spectrum")
#' summary(box)
#' rfSpectrum(box)
#'
#' # the energy spectrum of von Karman: a flow of kinetic energy 3/2
#' karman <- function(k) k^4 / (1 + k^2)^(17 / 6)
#' eddies <- spectrumModel(karman, "E")
#' eddies$variance
#' @export
spectrumModel <- function(spectrum, form = c("density", "P", "Delta2", "E", "scalar", "cycles"), dim = 3,
                          band = c(0, Inf)) {
  need(spectrum = missing(spectrum))
  form <- choice("form", form)
  check_function("spectrum", spectrum)
  if (!is.function(spectrum)) input_error("spectrum", class(spectrum)[1L], "must be a function of wave numbers")
  check_among("dim", dim, 1:3)
  if (!is.numeric(band) || length(band) != 2L || anyNA(band) || band[1L] < 0 || band[1L] >= band[2L])
    input_error("band", band, "must be two increasing wave numbers from 0 to Inf")
  density <- density_of_form(spectrum, form, dim, as.double(band))
  shape <- covModel("spectrum", density = density, dim = dim)
  update(shape, variance = density_panels(shape)$total * sphere_surface(dim))
}

# The density by the forms of the table in the help. What it is made of are attributes, by which files tell one from
# another.
density_of_form <- function(spectrum, form, dim, band) {
  surface <- sphere_surface(dim)
  from <- function(k, spectrum) switch(
    EXPR = form, density = spectrum(k), P = spectrum(k) / (2 * pi)^dim, Delta2 = spectrum(k) / surface / k^dim,
    E = 2 * spectrum(k) / (dim * surface * k^(dim - 1)), scalar = spectrum(k) / (surface * k^(dim - 1)),
    cycles = spectrum(k / (2 * pi)) / (2 * pi)^dim)
  checked <- function(k) user_values(list(spectrum = spectrum), "spectrum", k, TRUE)
  structure(function(k) {
    value <- numeric(length(k))
    inside <- k > 0 & k >= band[1L] & k <= band[2L]
    if (any(inside)) value[inside] <- from(k[inside], checked)
    if (band[1L] == 0 && 0 %in% k) {
      mean <- from(0, spectrum)
      if (isTRUE(is.finite(mean))) value[k == 0] <- mean
    }
    value
  }, spectrum = spectrum, form = form, band = band)
}

#' @rdname spectrumModel
#' @export
rfSigma <- function(model, radius, dim = 3, sigma = NULL) {
  need(model = missing(model), radius = missing(radius))
  if (!inherits(model, "covModel")) input_error("model", class(model)[1L], "must be a model by covModel()")
  if (is_several(model)) input_error("model", model$name, "is a model of several variables: it takes that of one")
  refuse_intrinsic(model, "has no variance in spheres")
  model <- checked_model(model)
  check_among("dim", dim, 1:3)
  check_numbers("radius", radius, "positive")
  check_single("sigma", sigma, "positive")
  if (!is.null(sigma) && length(radius) != 1L) input_error("radius", radius, "must be one number, that of sigma")
  parts <- model_parts(model)
  for (part in parts) {
    check_dimension(part, dim)
    if (!is.null(anisotropy(part, dim)))
      input_error("model", part$name, "is anisotropic: spheres are for isotropic models")
  }
  variance <- Reduce(`+`, lapply(parts, sphere_variance, as.double(radius), dim))
  if (is.null(sigma)) stats::setNames(sqrt(variance), names(radius)) else sigma^2 / variance
}

# int S(k) W(k R)^2 dk. The square of W goes through a wave at half the distance that W does, and has a part that does
# not change its sign, to which wave_sum() leaves what is far out: of sin(x) - x cos(x) the mean square (1 + x^2)/2,
# of J_1(x)^2 the mean 1/(pi x).
sphere_variance <- function(part, radius, dim) {
  if (part$variance == 0) return(numeric(length(radius)))
  if (!part$name %in% c("spectrum", "powerlaw", "gammaspectrum"))
    return(vapply(radius, function(R) pairs_in_sphere(part, R, dim), 0))
  panels <- spectrum_panels(part, dim)
  power <- switch(dim, function(x) sinc(x)^2, function(x) bessel_wave(x, 1)^2, function(x) bessel_wave(x, 1.5)^2)
  smooth <- switch(dim, function(x) 1 / (2 * x^2), function(x) 4 / (pi * x^3), function(x) 4.5 * (1 + x^2) / x^6)
  sums <- wave_sum(function(k) panel_value(panels, log(k)), panels, function(x) power(x / 2), 2 * radius,
                   smooth = function(x) smooth(x / 2))
  part$variance * sums
}

# Where covariances have closed forms: their mean over two random points of the sphere, whose distance is 2 R t with
# the density of t below. Panels become finer towards 0, where rough and short covariances change.
pairs_in_sphere <- function(part, radius, dim) {
  rule <- panel_rule(c(0, 2^-(60:6), seq_len(63) / 64 + 1 / 64))
  t <- rule$x
  density <- switch(dim, 2 * (1 - t), 16 * t / pi * (acos(t) - t * sqrt((1 - t) * (1 + t))),
                    12 * t^2 * (1 - t)^2 * (2 + t))
  sum(rule$w * density * cov_value(part, 2 * radius * t))
}

# The density of log k of a part of unit variance.
spectrum_panels <- function(part, dim) {
  if (part$name == "spectrum" && part$dim == dim) return(density_panels(part))
  part$variance <- 1
  remembered(list("spectrum", part, dim), {
    f <- function(x) {
      value <- cov_spectrum(part, exp(x), dim)
      ifelse(value == 0, 0, exp(dim * x + log(value)))
    }
    density_table(f, log(cov_radius(part, 0.5, dim)))
  })
}

# ---- what a box has of a spectrum ----

# Variances of a model: of all its waves, of those of the box, of waves that are longer than the box and of waves
# beyond the Nyquist wave number of its coarsest axis; NULL where the lengths of waves have no known distribution.
box_shares <- function(recipe) {
  grid <- recipe$grid
  long <- grid$dims > 1L
  if (!any(long)) return(NULL)
  ends <- c(lowest = 2 * pi / max((grid$dims * grid$spacing)[long]), nyquist = pi / max(grid$spacing[long]))
  parts <- model_parts(recipe$model)
  below <- tryCatch(Reduce(`+`, lapply(parts, function(part)
    part$variance * vapply(ends, function(k) share_below(part, k, length(grid$dims)), 0))),
    statcl_error_input = function(e) NULL)
  recipe$variance <- "spectrum"
  c(list(variance = sum(part_variances(recipe)), waves = box_total(recipe), lowest = ends[["lowest"]],
         nyquist = ends[["nyquist"]]),
    if (!is.null(below)) list(below = below[["lowest"]], beyond = sum(part_variances(recipe)) - below[["nyquist"]]))
}

# The sum of the variances of all waves of the box.
box_total <- function(recipe) {
  if (has_skew(recipe)) return(sum(box_spectrum(recipe)$variance))
  octant <- box_octant(recipe)
  sum(octant$variance * wave_counts(octant$dims))
}

# The share of the waves shorter in |k|, which with distances |A x| are A^T q, the q of an isotropic model: the mean
# over directions w of the probability that |q| < |k| / |A^T w|.
share_below <- function(part, k, dim) {
  transform <- anisotropy(part, dim)
  limits <- if (is.null(transform)) k
            else k / sqrt(rowSums((direction_set(500, dim, "fibonacci") %*% transform)^2))
  mean(radius_share(part, limits, dim))
}

# The distribution function of |k| by bisection of its quantiles.
radius_share <- function(part, k, dim) {
  low <- numeric(length(k))
  high <- rep(1, length(k))
  for (step in seq_len(40L)) {
    middle <- (low + high) / 2
    less <- cov_radius(part, middle, dim) <= k
    low[less] <- middle[less]
    high[!less] <- middle[!less]
  }
  (low + high) / 2
}

# What `model` is in rfSpectrum(), where fields have the waves of a box.
box_text <- function(recipe) {
  if (!is.null(recipe$transfer)) {
    recipe$transfer <- NULL
    return(paste0(box_text(recipe), "; with the transfer function"))
  }
  if (identical(recipe$variance, "spectrum")) return(paste(
    "Model: the density of the model, as asked for by variance = \"spectrum\", which the waves of the box have"))
  given <- recipe
  given$variance <- "spectrum"
  sprintf("Model: the density of the waves of the box, scaled to the variance of the model, %s times that of %s",
          format(box_total(recipe) / box_total(given), digits = 4), "the model")
}

print_box <- function(box, recipe, digits) {
  share <- function(x) paste0(format(100 * round(x / box$variance, 10L), digits = 3), " %") # as bisection has it
  cat(sprintf("The spectrum of the model%s at the wave vectors of the box has %s of its variance%s\n",
              if (length(recipe$transform) || !is.null(recipe$transfer)) ", before functions of it," else "",
              share(box$waves),
              if (identical(recipe$variance, "spectrum")) ", and is kept" else ", and is scaled to it"))
  if (!is.null(box$below))
    cat(sprintf("  waves longer than the box, k < %s: %s; beyond the Nyquist wave number, k > %s: %s\n",
                format(box$lowest, digits = digits), share(box$below), format(box$nyquist, digits = digits),
                share(box$beyond)))
}

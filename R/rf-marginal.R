# Fields of other distributions with a given covariance or spectrum, by transforms: of a Gaussian field whose
# covariance is the image of the one given.

# What recipes keep: "lognormal" with the mean, or a quantile function with the moments of its transform.
marginal_of <- function(marginal, model, settings) {
  one_number("clip", settings$clip, "not negative")
  if (settings$clip >= 1) input_error("clip", settings$clip, "must be below 1")
  if (identical(marginal, "normal")) {
    if (settings$clip > 0) input_error("clip", settings$clip, "is for fields with a marginal distribution")
    return(NULL)
  }
  own <- distribution_of(marginal, model, settings)
  if (settings$clip > 0) own$clip <- settings$clip
  own
}

distribution_of <- function(marginal, model, settings) {
  if (!is.function(marginal)) marginal <- choice("marginal", marginal, c("normal", "lognormal"))
  check_function("marginal", marginal)
  no <- function(...) raise_engine_error("input", paste0("marginal: ", ...))
  if (settings$method != "fft") no("fields of a distribution with a given covariance are by method = \"fft\"; ",
                                   "rfTransform() makes functions of Gaussian fields by any method")
  if (is_several(model) || !is.null(settings$flow$vector)) no("distributions are for fields of one variable")
  if (model_nugget(model) > 0) no("the model has a nugget, which has no distribution of its own")
  if (is.function(model$mean)) no("the mean must be a number")
  refuse_intrinsic(model, "has no covariance that a distribution could have")
  if (is.function(marginal)) return(quantile_marginal(marginal, model, settings))
  if (!model$mean > 0) no(sprintf(
    "log-normal values have a positive mean, that of the model is %s: update(model, mean = 1), for example",
    format(model$mean)))
  list(name = "lognormal", mean = as.double(model$mean))
}

# The field is Q(Phi(u)) of u with variance 1, so that its variance is that of Q.
quantile_marginal <- function(quantile, model, settings) {
  if (settings$variance == "spectrum") input_error("variance", "spectrum", paste(
    "is not for a quantile function, which decides the variance: variance = \"model\" is"))
  moments <- transformed_moments(list(model = covModel("exponential", range = 1),
                                      transform = list(quantile = quantile)))
  if (is.null(moments)) raise_engine_error("input", "marginal: its quantiles and their variance must be finite")
  has <- c(mean = moments$mean, variance = transformed_variance(moments))
  asked <- c(mean = model$mean, variance = model_variance(model))
  if (any(abs(has - asked) > 1e-6 * max(abs(asked["mean"]), sqrt(asked["variance"]))^c(1, 2)))
    raise_engine_error("input", sprintf(
      paste("marginal: it has mean %1$s and variance %2$s, the model %3$s and %4$s:",
            "update(model, mean = %1$s, variance = %2$s)"),
      format(has[[1L]], digits = 8), format(has[[2L]], digits = 8), format(asked[[1L]], digits = 8),
      format(asked[[2L]], digits = 8)))
  list(name = "quantile", quantile = quantile, moments = moments)
}

# The covariance of the Gaussian field where values have this one.
gaussian_covariance <- function(marginal, covariance) {
  if (marginal$name == "quantile")
    return(at_distinct(covariance, function(v) inverse_covariance(v, marginal$moments)))
  relative <- covariance / marginal$mean^2
  if (min(relative) <= -1) raise_engine_error("input", sprintf(
    "marginal: the covariance falls to %s, and of log-normal values it is above -mean^2 = %s",
    format(min(covariance), digits = 4), format(-marginal$mean^2, digits = 4)))
  log1p(relative)
}

# By Newton's method from a monotone spline: the covariance of Q(Phi(u)) increases with the correlation, as its
# derivative is the mean of a product of two positive slopes (Price 1958).
inverse_covariance <- function(covariance, moments) {
  rho <- sin(seq(-pi / 2, pi / 2, length.out = 401L))
  values <- transformed_covariance(moments, rho)
  if (min(covariance) < values[1L] - 1e-9 * values[401L]) raise_engine_error("input", sprintf(
    "marginal: the covariance falls to %s, and of values of this distribution it is at least %s",
    format(min(covariance), digits = 4), format(values[1L], digits = 4)))
  good <- c(TRUE, diff(values) > 0)
  found <- stats::splinefun(values[good], rho[good], method = "monoH.FC")(pmin(pmax(covariance, values[1L]),
                                                                                values[401L]))
  slopes <- list(gaussian = moments$gaussian, squares = moments$squares * seq_along(moments$squares))
  for (step in 1:3) { # the sum of k c_k^2 rho^k is rho times the derivative
    slope <- transformed_covariance(slopes, found) / found
    move <- (transformed_covariance(moments, found) - covariance) / slope
    near <- is.finite(move) & abs(found) > 1e-6
    found[near] <- pmin(pmax((found - move)[near], -1), 1)
  }
  found
}

# Variances of the Gaussian waves of a box, or of the octant of one, where those of the values are given. What a
# spectrum without waves of number 0 leaves for the Gaussian field there is below 0, as log(1 + x) < x: the values get
# the least variance of the mean over the box that makes it 0, and keep their spectrum at all other wave numbers.
gaussian_box <- function(torus, marginal) {
  dims <- as.double(torus$dims)
  transform <- if (torus$folded) function(x) .Call(C_torusEven, x + 0, dims)
               else function(x) Re(.Call(C_fft, as.complex(x), dims, FALSE))
  count <- if (torus$folded) wave_counts(dims) else 1
  covariance <- transform(torus$variance)
  spectrum_of <- function(more) transform(gaussian_covariance(marginal, covariance + more)) / prod(dims)
  value <- spectrum_of(0)
  if (marginal$name == "lognormal" && value[1L] < 0) {
    mean_log <- function(more) sum(count * gaussian_covariance(marginal, covariance + more)) / prod(dims)
    high <- max(-2 * mean_log(0) * marginal$mean^2, 1e-300)
    while (mean_log(high) < 0) high <- 2 * high
    more <- stats::uniroot(mean_log, c(0, high), tol = 1e-15 * high, maxiter = 200L)$root
    value <- spectrum_of(more)
    value[1L] <- max(value[1L], 0)
  }
  lost <- clipped_share(value, count)
  if (!is_embedded(value) && lost > max(0, marginal$clip)) refuse_map(value, torus$dims, torus$folded, lost)
  torus$variance <- without_negative(value, count)
  if (!is_embedded(value)) torus$clipped <- lost
  torus
}

# Of variances of waves, each of which counts so many times: the share of negative ones, and the others scaled to the
# sum of all.
clipped_share <- function(value, count = 1) sum(count * pmax(-value, 0)) / sum(count * value)
without_negative <- function(value, count = 1) {
  positive <- pmax(value, 0)
  if (is_embedded(value)) positive else positive * (sum(count * value) / sum(count * positive))
}

# What summary() says of waves that were left out. Covariances C of the Gaussian field are off by 2 share s^2 at most,
# and so those of log-normal values, mean^2 (exp(C) - 1), by exp(s^2) 2 share s^2 mean^2.
clip_report <- function(recipe) {
  torus <- half_spectrum(recipe)
  if (is.null(torus$clipped)) return(NULL)
  s2 <- half_total(torus)
  list(share = torus$clipped, covariance = if (recipe$marginal$name == "lognormal")
    -2 * torus$clipped * s2 / expm1(-s2))
}

print_clip <- function(clip, digits) {
  cat("Waves of the Gaussian field with a negative variance, ", format(clip$share, digits = digits),
      " of all of its variance, are left out\n", sep = "")
  if (!is.null(clip$covariance))
    cat("  covariances of the values are off by at most", format(clip$covariance, digits = digits),
        "of their variance\n")
}

refuse_map <- function(value, dims, folded, lost) {
  at <- which.min(value)
  j <- axes_points(lapply(dims, function(m) if (folded) 0:(m %/% 2) else signed_lags(m, 1)), at)
  raise_engine_error("input", sprintf(paste(
    "marginal: there is no such field: the covariance that the Gaussian field would have is not positive definite,",
    "its smallest eigenvalue is %s of the largest, at the wave with the numbers (%s): a smaller variance, a coarser",
    "grid or a rougher model may have one, or clip = %s leaves such waves out"),
    format(min(value) / max(value), digits = 3), toString(j), format(signif(1.1 * lost, 2))))
}

# In place, of Gaussian values with this variance.
put_marginal <- function(marginal, variance, into, at, n) {
  for (first in seq(0, by = 2^18, length.out = ceiling(n / 2^18))) {
    some <- first + seq_len(min(2^18, n - first))
    z <- into[at + some]
    value <- if (marginal$name == "lognormal") marginal$mean * exp(z - variance / 2)
             else quantile_values(marginal$quantile, z / sqrt(variance))
    .Call(C_bandPut, into, at + first, as.double(value), length(some))
  }
}

marginal_text <- function(recipe) if (!is.null(recipe$marginal))
  if (recipe$marginal$name == "lognormal") ", log-normal values" else ", values of a distribution by quantiles"

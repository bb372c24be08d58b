# Intrinsic models: a variogram and no covariance.

is_intrinsic <- function(part) isTRUE(families[[part$name]]$intrinsic)

has_intrinsic <- function(model) any(vapply(model_parts(model), is_intrinsic, NA))

refuse_intrinsic <- function(model, why) if (has_intrinsic(model)) input_error("model", "power", why)

power_spectrum_mass <- function(shape, dim)
  exp(shape * log(2) + lgamma((dim + shape) / 2) - lgamma(dim / 2) - lgamma(1 - shape / 2))

# The density f over wave vectors.
variogram_spectrum <- function(k, shape, dim)
  shape * power_spectrum_mass(shape, dim) * gamma(dim / 2) / (2 * pi^(dim / 2)) * k^(-dim - shape)

# Half the expected square of the difference at two points.
semivariance <- function(part, h)
  if (is_intrinsic(part)) part$variance * (h / part$range)^part$shape else part$variance - cov_value(part, h)

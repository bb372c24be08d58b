#' Line covariances and spectral densities of a model
#'
#' The covariance of the processes on lines from which the turning bands method makes a field, and the spectral
#' density of a field. [tbrf()] uses both; here they are for checks and for simulations of one's own.
#'
#' The field \eqn{L^{-1/2} \sum_i Y_i(x \cdot u_i)}{L^(-1/2) sum Y_i(x . u_i)} of independent processes on lines with
#' directions \eqn{u_i} spread evenly has the covariance \eqn{C(r)} if the lines have
#' \deqn{C_1(r) = \frac{d}{dr} r C(r)}{C1(r) = d(r C(r))/dr} in space, and in the plane
#' \deqn{C_1(r) = C(0) + r \int_0^{\pi/2} C'(r \sin t)\, dt}{C1(r) = C(0) + r int_0^(pi/2) C'(r sin t) dt}
#' (Matheron 1973). It is negative at some distances for most models. The second formula is computed as
#' \eqn{C(r) + \int_0^{\pi/2} q(r \sin t) \tan(t/2)\, dt}{C(r) + int_0^(pi/2) q(r sin t) tan(t/2) dt} with
#' \eqn{q(r) = r C'(r)}{q(r) = r C'(r)}, which has no terms that cancel for large r.
#'
#' The spectral density in `dim` dimensions is that of
#' \eqn{C(h) = \int S(k) e^{i k \cdot h}\, dk}{C(h) = int S(k) exp(i k.h) dk}, with k in radians per length: its
#' integral over the whole space is the variance. With `line = TRUE` it is that of the line covariance,
#' \eqn{\pi k S_2(k)}{pi k S2(k)} in the plane and \eqn{2 \pi k^2 S_3(k)}{2 pi k^2 S3(k)} in space, for positive and
#' negative k, so that its integral from 0 on is half the variance.
#'
#' Neither includes the nugget. For an anisotropic model both hold along the major axis, or along a coordinate whose
#' scale is 1, with the model taken as isotropic. `"sinc"`, `"cosine"` and `"besselj"` with the smallest shape have
#' all of their variance at one wave number: the density is infinite there and 0 elsewhere.
#'
#' On all 2520 values of a table of high-precision line covariances and spectral densities the error is at most 3e-15
#' of the largest value of its model and quantity. Where a model has no closed form there are series and quadrature;
#' for `"covariance"` models, the error of spectral densities is some 1e-14 of the largest one, and that of line
#' covariances 1e-12 of the variance.
#'
#' @param model a model by [covModel()].
#' @param r distances, not negative.
#' @param k wave numbers in radians per length; the sign does not matter.
#' @param dim dimension of the field: 2 or 3 for lines, 1 to 3 for densities.
#' @param line if `TRUE`, the density of the line covariance.
#' @param ... arguments of methods.
#' @return A vector with the attributes of `r` or `k`. A model that is not valid in this dimension is an error of
#'   class `statcl_error_input`.
#' @references
#' Matheron, G. (1973). The intrinsic random functions and their applications. *Advances in Applied Probability*
#' **5**, 439--468.
#'
#' Mantoglou, A. and Wilson, J. L. (1982). The turning bands method for simulation of random fields using line
#' generation by a spectral method. *Water Resources Research* **18**, 1379--1394.
#'
#' Gneiting, T. (1998). Closed form solutions of the two-dimensional turning bands equation. *Mathematical Geology*
#' **30**, 379--390.
#' @seealso [covModel()], [covariance()]
#' @examples
#' model <- covModel("exponential", range = 2)
#' lineCovariance(model, c(0, 1, 2, 5))
#' lineCovariance(model, c(0, 1, 2, 5), dim = 2)
#' spectralDensity(model, c(0, 0.5, 5))
#' # half of the variance
#' integrate(function(k) spectralDensity(model, k, line = TRUE), 0, Inf)
#' @export
lineCovariance <- function(model, r, dim = 3, ...) {
  need(model = missing(model))
  UseMethod("lineCovariance")
}

#' @rdname lineCovariance
#' @export
lineCovariance.covModel <- function(model, r, dim = 3, ...) {
  if (...length()) raise_engine_error("input", "lineCovariance() takes model, r and dim only")
  need(r = missing(r))
  check_argument("r", r)
  r <- plain_numbers(r)
  if (any(r < 0, na.rm = TRUE)) name_value("r", r, !is.na(r) & r < 0, "must not be negative")
  sum_parts(checked_model(model), r, dim, 2:3, cov_line)
}

#' @rdname lineCovariance
#' @export
spectralDensity <- function(model, k, dim = 3, line = FALSE, ...) {
  need(model = missing(model))
  UseMethod("spectralDensity")
}

#' @rdname lineCovariance
#' @export
spectralDensity.covModel <- function(model, k, dim = 3, line = FALSE, ...) {
  if (...length()) raise_engine_error("input", "spectralDensity() takes model, k, dim and line only")
  need(k = missing(k))
  check_argument("k", k)
  k <- plain_numbers(k)
  line <- one_flag("line", line)
  if (line && is.numeric(dim) && identical(as.double(dim), 1))
    input_error("dim", dim, "must be 2 or 3 with line = TRUE")
  sum_parts(checked_model(model), k, dim, 1:3, function(part, k, dim) {
    value <- cov_spectrum(part, abs(k), dim)
    if (line) sphere_surface(dim) / 2 * abs(k)^(dim - 1) * value else value
  })
}

# The sum of f(part, x, dim) over the parts, with missing values of x kept.
sum_parts <- function(model, x, dim, dims, f) {
  check_among("dim", dim, dims)
  parts <- model_parts(model)
  for (part in parts) check_dimension(part, dim)
  value <- as.double(x)
  good <- !is.na(value)
  at <- value[good]
  value[good] <- Reduce(`+`, lapply(parts, f, at, dim))
  attributes(value) <- attributes(x)
  value
}

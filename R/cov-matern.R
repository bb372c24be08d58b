#' Matern covariances
#'
#' Covariances of the Matern family and their exact derivatives, at distances, as the matrix of all pairs of points,
#' or between two sets of points; for one set of parameters or several at once. Use it for likelihoods and kriging of
#' one's own; [covModel()] has other families, and [gpFit()] fits.
#'
#' The covariance at distance \eqn{r} is
#' \deqn{C(r) = \sigma^2 \frac{2^{1-\nu}}{\Gamma(\nu)} x^\nu K_\nu(x), \qquad x = s\, r / \rho,}{%
#'       C(r) = variance * 2^(1 - nu) / Gamma(nu) * x^nu * K_nu(x),   x = s * r / range,}
#' with \eqn{K_\nu}{K_nu} the modified Bessel function of the second kind, [besselK()], and \eqn{\nu}{nu} the
#' smoothness. `scaling` says what \eqn{s} is: 1, \eqn{\sqrt{2\nu}}{sqrt(2 nu)} or \eqn{\sqrt{8\nu}}{sqrt(8 nu)}.
#' A random field with this covariance is \eqn{m} times differentiable in mean square for \eqn{\nu > m}{nu > m}.
#' `smoothness = 1/2` is the exponential covariance. With `"sqrt2nu"` the limit for large smoothness is the Gaussian
#' \eqn{\exp(-r^2/(2\rho^2))}{exp(-r^2 / (2 range^2))}, and with `"sqrt8nu"` the correlation at distance `range` is
#' 0.13 to 0.14 for every smoothness from 0.3.
#'
#' @section Accuracy: On all 798 points of a table of high-precision values the relative error of covariances is at
#'   most \eqn{(8 + x/2)\,\epsilon}{(8 + x/2) eps} for smoothness up to 20 and 1e-13 beyond, and that of derivatives
#'   1e-13. Here \eqn{\epsilon}{eps} is `.Machine$double.eps`, and \eqn{x/2} is what the rounding of \eqn{x} costs.
#'   The derivative for smoothness changes its sign if the scaling depends on it: there its error is at most 1e-12 of
#'   its largest value. Long vectors and matrices come from a table that is made for the smoothness and kept for
#'   further calls, or for half-integers from their closed form. A table is refined until between its nodes it agrees
#'   with direct values to 8 \eqn{\epsilon}{eps} (derivatives: 32 \eqn{\epsilon}{eps}), or until the difference is the
#'   rounding noise of the direct values, and is used if the difference is at most ten times as large. With
#'   `options(statcl.verbose = TRUE)` a message reports the largest difference. For single precision see
#'   [withPrecision()].
#'
#' @section Distances or coordinates:
#' Pass a matrix of distances as `as.dist(D)`, or with `distance = "given"`, which takes matrices and data frames of
#' any shape, as those of distances between two sets of points. No nugget is added to the diagonal of a matrix of
#' distances.
#'
#' Otherwise a matrix, a data frame or an `sf` object contains a point in each row, even if it has one column only.
#' Anything else, a vector, a [dist] object or an array of another number of dimensions, contains distances. If
#' `distance` is `"auto"` and `scales` is `NULL`, a symmetric matrix of at least three rows with zeros on its diagonal
#' is an error, because it may be either; for another one with more than 3 columns there is a warning, and for a data
#' frame with more than 3 a message that names them.
#'
#' Objects with units (package units) are errors: use numbers. So are sparse matrices of distances (packages Matrix
#' and spam), because elements that are not stored are not distances of 0: use those that are stored, `x@x` or
#' `x@entries`.
#'
#' @section Nugget:
#' The nugget is the variance of independent errors of the observations. It is added to the diagonal of the matrix of
#' `x` with itself (`y = NULL`), where row and column are the same observation, and nowhere else: not at distance
#' 0, not between two points at the same location, not to the covariances of `x` and `y`, even if `y` is `x`, and not
#' to derivatives, which are those of the covariance without nugget. It is never added to covariances of distances:
#' the diagonal of `as.matrix(matern(dist(x), nugget = 0.1))` contains the zeros of [as.matrix.dist()], neither
#' variance nor nugget.
#'
#' @section Distances on the sphere:
#' With `"greatcircle"` and `"chordal"` the coordinates are longitude and latitude in degrees. The great circle
#' distance is measured along the surface, the chordal distance along the straight line through the sphere. A
#' covariance must be positive definite, and the Matern function of great circle distances is positive definite for
#' smoothness up to 1/2 only (Gneiting 2013): a larger smoothness is an error. Chordal distances allow every
#' smoothness, and differ from great circles by less than 1 % up to 3000 km. Points of class `sf` with longitudes and
#' latitudes have chordal distances by default, and a message says so. Other coordinates are those of a plane by
#' default; where their columns are called `lon` and `lat`, `long` and `lat` or `longitude` and `latitude` and have
#' such values, a message of class `statcl_message_plane` says so once a session, unless `distance = "euclidean"` is
#' given.
#'
#' @section Anisotropy:
#' In the plane, `range` holds along the direction `angle`, in degrees counter-clockwise from the axis of the first
#' coordinate, and the range across it is `ratio * range`. In any number of dimensions, `scales` gives the range of
#' coordinate k as `scales[k] * range`.
#'
#' @section Several sets of parameters:
#' `range`, `smoothness`, `variance` and `nugget` may be vectors; those of shorter length are recycled, and must
#' divide the longest. Set k gives column k of the result for distances and slice `[, , k]` for coordinates and for
#' matrices of distances. If one of the longest has names, these columns or slices have them.
#'
#' @section Other packages:
#' The same covariance with the arguments of other packages:
#'
#' | other package | `matern()` |
#' | --- | --- |
#' | `fields::Matern(d, aRange, smoothness, phi)` | `range = aRange` (`range` in older versions), `variance = phi` |
#' | `geoR::matern(u, phi, kappa)` | `x = u`, `range = phi` |
#' | `GpGp::matern_isotropic(c(v, a, nu, t), locs)` | `variance = v`, `range = a`, `nugget = v * t` |
#' | `GpGp::matern_scaledim(c(v, a1, a2, nu, t), locs)` | the same with `range = 1`, `scales = c(a1, a2)` |
#' | `RandomFields::RMwhittle(nu, var, scale)` | `variance = var`, `range = scale` |
#' | `RandomFields::RMmatern(nu, var, scale)` | the same with `scaling = "sqrt2nu"` |
#' | `gstat::vgm()` | see [as.vgm()] |
#' | `spmodel::spcov_params("matern", de, ie, range, extra)` | `variance = de`, `nugget = ie`, `scaling = "sqrt2nu"` |
#' | `spmodel::spcov_params(..., rotate, scale)` | `angle = rotate * 180 / pi`, `ratio = scale` |
#' | INLA: practical range \eqn{\sqrt{8\nu}/\kappa}{sqrt(8 nu) / kappa} | `range` is that with `scaling = "sqrt8nu"` |
#'
#' Their smoothness is called `smoothness`, `nu`, `kappa` or `extra`. GpGp's nugget is in units of the variance. The
#' package attached last masks the other's `matern()`: with geoR write `statcl::matern()` or `geoR::matern()`.
#'
#' @param x distances, or points: see the section on distances or coordinates.
#' @param y a second set of points, for the covariances of all points of `x` with all of `y`; `NULL` for those within
#'   `x`.
#' @param range range, positive, in the unit of the distances.
#' @param smoothness smoothness, positive and below 1e15.
#' @param variance variance, the covariance at distance 0, not negative.
#' @param ... not used: arguments after it must be given by their full names, and other names are errors.
#' @param nugget variance of the independent error of each observation, not negative.
#' @param scaling how the distance is scaled: by the range alone, or by \eqn{\sqrt{2\nu}}{sqrt(2 nu)} or
#'   \eqn{\sqrt{8\nu}}{sqrt(8 nu)} over it.
#' @param distance how distances between points are measured. `"auto"` is Euclidean, but `"chordal"` for `sf` points
#'   with longitudes and latitudes. `"given"` if `x` contains distances, even if it is a matrix.
#' @param angle direction of the major axis of anisotropy in degrees, counter-clockwise from the first axis.
#' @param ratio range across the major axis over that along it, from more than 0 to 1.
#' @param scales a positive factor of the range for each coordinate, or `NULL`; not together with `ratio`.
#' @param radius radius of the sphere, and so the unit of distances on it; by default that of the Earth in kilometres.
#' @param deriv `"none"` for covariances; `"range"` or `"smoothness"` for their derivatives with respect to that
#'   parameter, the other one, the variance and the scaling held fixed.
#' @return For distances, a vector with the attributes of `x` (a [dist] object for such), `NA` where `x` is `NA`, and
#'   `NaN` with a warning where it is negative; with k sets of parameters a matrix with k columns, or an array with k
#'   slices if `x` is a matrix. A data frame of distances gives a matrix. For points, the matrix of covariances of the
#'   points of `x` with those of `y` or `x`, with the row names that these have; with k sets of parameters an array
#'   with k slices.
#'
#'   Errors have the class `statcl_error_input` and name the argument and the value.
#' @references
#' Gneiting, T. (2013). Strictly and non-strictly positive definite functions on spheres. *Bernoulli* **19**,
#' 1327--1349.
#'
#' Stein, M. L. (1999). *Interpolation of Spatial Data: Some Theory for Kriging*. Springer, New York.
#' @seealso [covModel()] for models as objects, [withDevice()] to choose where to compute.
#' @examples
#' matern(c(0, 0.5, 1, 2), range = 1, smoothness = 1.5)
#' matern(dist(c(0, 1, 3)), range = 2, smoothness = 0.5)
#'
#' # covariances of the observations at five locations, and of those with two new ones
#' set.seed(1)
#' sites <- matrix(runif(10), 5, dimnames = list(letters[1:5], NULL))
#' matern(sites, range = 0.3, smoothness = 1, nugget = 0.1)
#' matern(sites, rbind(c(0, 0), c(1, 1)), range = 0.3, smoothness = 1)
#'
#' # derivatives, several smoothnesses, anisotropy
#' matern(sites, range = 0.3, smoothness = 1, deriv = "range")
#' matern(c(0, 0.1, 1), range = 0.3, smoothness = c(0.5, 1, 2))
#' matern(sites, range = 0.3, smoothness = 1, angle = 45, ratio = 0.2)
#'
#' # kilometres between longitudes and latitudes
#' quakes <- head(datasets::quakes[, c("long", "lat")])
#' matern(quakes, range = 500, smoothness = 1.5, distance = "chordal")
#' @export
matern <- function(x, y = NULL, range, smoothness, variance = 1, ..., nugget = 0,
                   scaling = c("plain", "sqrt2nu", "sqrt8nu"),
                   distance = c("auto", "euclidean", "chordal", "greatcircle", "given"), angle = 0, ratio = 1,
                   scales = NULL, radius = 6371, deriv = c("none", "range", "smoothness")) {
  refuse_extra("matern", ...)
  need(x = missing(x))
  if (missing(smoothness) && is.numeric(y) && length(y) == 1L)
    input_error("y", y, "must have locations: parameters go by name, as in matern(x, range = 1, smoothness = 0.5)")
  need(range = missing(range), smoothness = missing(smoothness))
  model <- list(name = "matern", variance = variance, range = range, smoothness = smoothness, scaling = scaling,
                nugget = nugget, distance = distance, angle = angle, ratio = ratio, scales = scales, radius = radius)
  covariance_of(matern_model(model), x, y, choice("deriv", deriv, c("none", "range", "smoothness")))
}

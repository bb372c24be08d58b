#' The stable distributions
#'
#' Density, distribution function, quantile function and random numbers of the stable distributions with index
#' `alpha`, skewness `beta`, scale `gamma` and location `delta`, over the whole parameter space, to about 13 digits.
#' Stable distributions are the limits of sums of independent quantities, and models for data with heavy tails.
#'
#' A stable distribution has no closed density in general. In the parameterisation `pm = 0` (Nolan's S0) with
#' `gamma = 1` and `delta = 0` it is defined by its characteristic function
#' \deqn{\exp\{-|t|^\alpha [1 + i\beta \tan(\pi\alpha/2)\,\mathrm{sign}(t)\,(|t|^{1-\alpha} - 1)]\}}{%
#'       exp(-|t|^alpha (1 + i beta tan(pi alpha/2) sign(t) (|t|^(1-alpha) - 1)))}
#' for \eqn{\alpha \ne 1}{alpha != 1}, and by its limit
#' \eqn{\exp\{-|t| [1 + i\beta (2/\pi)\,\mathrm{sign}(t) \log|t|]\}}{%
#'      exp(-|t| (1 + i beta (2/pi) sign(t) log|t|))} for \eqn{\alpha = 1}{alpha = 1}: it is continuous in all four
#' parameters. The other parameterisations are of the same family, with another location and for `pm = 2` another
#' scale:
#' * `pm = 1` (S1): `delta` is the location of S0 less `beta * gamma * tan(pi * alpha / 2)`, or for `alpha = 1` less
#'   `beta * (2 / pi) * gamma * log(gamma)`. For `alpha > 1` it is the mean.
#' * `pm = 2` (S*): `delta` is the mode, and the scale of S0 is `alpha^(-1/alpha) * gamma`, so that `gamma` is the
#'   standard deviation of the normal distribution (`alpha = 2`).
#'
#' Special cases are the normal distribution with variance `2 * gamma^2` (`alpha = 2`, where `beta` does not matter),
#' the Cauchy distribution (`alpha = 1`, `beta = 0`) and the Levy distribution (`alpha = 1/2`, `beta = 1`, `pm = 1`).
#' For `alpha < 1` and `beta = 1` or `-1` the support is a half-line, and the density is exactly zero outside it.
#'
#' The functions treat their arguments as [dnorm()], [pnorm()], [qnorm()] and [rnorm()] do. All arguments but `n`,
#' `log`, `log.p` and `lower.tail` may be vectors and are recycled. Parameters outside their ranges (`alpha` in
#' (0, 2], `beta` in \[-1, 1\], `gamma >= 0`, `pm` one of 0, 1 and 2) and values of `p` that are not probabilities
#' give `NaN` with a warning. `gamma = 0` is a point mass at `delta`.
#'
#' Densities and probabilities are evaluated by the tail series or by quadrature along a path chosen for every point.
#' The smaller of the two tails is computed, and the other one is 1 minus it, so that both are accurate; they are
#' computed as logarithms, and with `log.p = TRUE` they stay accurate far below the smallest double. Log densities are
#' accurate to 1e-13 (relative to the larger of 1 and their size) on all 2594 points of a table of high-precision
#' values with `alpha` from 0.05 to 2 and `x` up to 1e300, and so are densities down to 1e-43, both tails down to
#' 1e-43 and the logarithms of both tails.
#'
#' Quantiles are found by Newton's method on the logarithm of the smaller tail.
#'
#' Where one distribution (`alpha`, `beta` and `pm` of length 1) is evaluated at 16384 points or more, all three come
#' from piecewise polynomials instead, which are made for the distribution, checked against the direct values and kept
#' for further calls; where these do not reach, as in the far tails, from the direct evaluation. Both are within 2e-13
#' of each other (relative, or in the logarithm once it exceeds 1; for quantiles 1e-12, where they are well determined
#' by the probability), so that the value at a point may depend on the length of the vector it is in, but on its last
#' digits only.
#'
#' Random numbers come from the method of Chambers, Mallows and Stuck, arranged so that no digits cancel near
#' `alpha = 1`. Their counter-based generator takes its key from R's: [set.seed()] makes them reproducible, and the
#' draws do not depend on number of threads or chunk size. The uniform numbers are the same on every device, to the
#' last bit. The draws made of them are the same on the built-in CPU backend with AVX2 and with AVX-512; at its
#' baseline level, which has no fused multiply-adds on x86-64, less than 1.5 % of them are rounded otherwise, by less
#' than 2e-14 relative to the larger of 1 and the draw for `alpha` from 0.1 on. Draws of other devices are within
#' 1e-12 of these, relative likewise. Every call begins a stream of its own: two draws and then three are not
#' the first five. `first` takes draws `first`, ..., `first + n - 1` of a stream, with the elements of the parameters
#' that belong to them in the whole, so that workers who begin with the same seed make the parts of one sample.
#'
#' @param x,q vector of quantiles.
#' @param p vector of probabilities.
#' @param n number of draws. If `length(n) > 1`, the length is taken to be the number required.
#' @param alpha index of stability, greater than 0 and at most 2.
#' @param beta skewness, from -1 to 1.
#' @param gamma scale, not negative.
#' @param delta location.
#' @param pm parameterisation: 0, 1 or 2, see Details.
#' @param first number of the first draw in its stream, from 1.
#' @param log,log.p if `TRUE`, densities and probabilities are given as logarithms.
#' @param lower.tail if `TRUE`, probabilities are those of \eqn{X \le x}{X <= x}, else of \eqn{X > x}{X > x}.
#' @return `dstable` gives the density, `pstable` the distribution function, `qstable` the quantile function, and
#'   `rstable` random numbers. The length of the result is `n` for `rstable`, and the longest of the lengths of the
#'   arguments for the others, whose results have the attributes of the first longest argument.
#' @references
#' Nolan, J. P. (1997). Numerical calculation of stable densities and distribution functions.
#' *Communications in Statistics. Stochastic Models* **13**, 759--774.
#'
#' Chambers, J. M., Mallows, C. L. and Stuck, B. W. (1976). A method for simulating stable random variables.
#' *Journal of the American Statistical Association* **71**, 340--344.
#' @seealso [dpstable()] for densities and both tails in one pass, [esstable()] for means of the tails,
#'   [stableMode()], [stableConvert()] between the parameterisations, [stableFit()] to fit a stable distribution,
#'   [withDevice()] to choose where to compute.
#' @examples
#' x <- seq(-4, 6, by = 0.5)
#' dstable(x, alpha = 1.5, beta = 0.5)
#' dstable(1e6, alpha = c(0.5, 1, 1.5, 2), beta = 0, log = TRUE)
#'
#' pstable(c(-3, 0, 3), alpha = 1.5, beta = 0.5)
#' pstable(50, alpha = 1.5, beta = -1, lower.tail = FALSE, log.p = TRUE) # a light tail
#' qstable(c(0.001, 0.01, 0.5), alpha = 1.5, beta = 0.5)
#'
#' set.seed(1)
#' rstable(5, alpha = 1.7, beta = -0.3, gamma = 2, delta = 1)
#' @name stable
NULL

#' @rdname stable
#' @export
dstable <- function(x, alpha, beta, gamma = 1, delta = 0, pm = 0, log = FALSE)
  .External(C_elementwise, "dstable", x, alpha, beta, gamma, delta, pm, log)

#' @rdname stable
#' @export
pstable <- function(q, alpha, beta, gamma = 1, delta = 0, pm = 0, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "pstable", q, alpha, beta, gamma, delta, pm, lower.tail, log.p)

#' @rdname stable
#' @export
qstable <- function(p, alpha, beta, gamma = 1, delta = 0, pm = 0, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "qstable", p, alpha, beta, gamma, delta, pm, lower.tail, log.p)

#' @rdname stable
#' @export
rstable <- function(n, alpha, beta, gamma = 1, delta = 0, pm = 0, first = 1)
  .Call(C_rstable, n, list(alpha = alpha, beta = beta, gamma = gamma, delta = delta, pm = pm), check_first(first))

#' Density and both tails of stable distributions
#'
#' Density, distribution function and upper tail of stable distributions from one pass over the same quadrature, with
#' estimates of their errors.
#'
#' The values are those of [dstable()] and [pstable()]. An estimate is made of the rounding errors of the terms
#' that were summed, and of the size of the logarithm that a value comes from. It is evidence and no bound, but the
#' true errors are below it at all points of the package's tables of high-precision values. Values that are exact,
#' such as zeros outside the support, have the estimate 0.
#' @inheritParams stable
#' @param x vector of quantiles.
#' @return A data frame with a row for each element of the longest argument and columns `x`; `density`; `lower`, the
#'   probability of values up to `x`; `upper`, that of values above `x`; and `density.error`, `lower.error` and
#'   `upper.error`, the estimated relative errors of the three.
#' @inherit stable references
#' @seealso [dstable()]
#' @examples
#' dpstable(c(-10, 0, 10), alpha = 1.5, beta = 0.5)
#' @export
dpstable <- function(x, alpha, beta, gamma = 1, delta = 0, pm = 0) {
  columns <- .Call(C_dpstable, x, alpha, beta, gamma, delta, pm)
  names(columns) <- c("density", "lower", "upper", "density.error", "lower.error", "upper.error")
  data.frame(x = rep_len(as.double(x), length(columns$density)), columns)
}

#' Scores of stable distributions
#'
#' The log density of stable distributions and its derivatives by `x` and all parameters, in one pass: likelihoods of
#' one's own, of whatever model has stable errors, get exact gradients from them by the chain rule.
#'
#' Values and derivatives come from one quadrature, which holds `x` and the other parameters of the parameterisation
#' `pm` for each derivative. The log density is that of [dstable()]. The derivative by `x` is relatively accurate in
#' both tails, up to 1e300; derivatives by parameters are accurate relative to the larger of 1 and their size, to
#' 1e-11 at 310 points of a table of high-precision values. Light tails, of `beta = 1` or `-1`, and `pm = 2` have them
#' by differences of the log density, with 8 digits or more.
#'
#' At the ends of their ranges, `alpha = 2` and `beta = -1` or `1`, derivatives by `alpha` and `beta` are one-sided,
#' from values inside, with 8 digits or more; at `alpha = 2` that by `beta` is 0. Far out in a light tail they may
#' exceed the range of numbers, for a tail of Pareto's type appears there at once, and are `NaN` then.
#'
#' Some derivatives are not there, and `NaN` without a warning: all where the density is 0, at infinite `x` and for
#' `gamma = 0`; that by `alpha` for `pm = 1` at `alpha = 1`; and for `pm = 2` the one-sided ones. Else arguments are
#' treated as by [dstable()]: missing values are `NA` in all columns, and parameters outside their ranges `NaN` with a
#' warning.
#' @inheritParams stable
#' @param x vector of quantiles.
#' @return A matrix with a row for each element of the longest argument, named as `x` where that has its length, and
#'   the columns `log.density`, `x`, `alpha`, `beta`, `gamma` and `delta`: the log density, and its derivative by each
#'   of these.
#' @seealso [dstable()]; [estfun()][stableFit-scores] for the scores of fits; [stableGarch()], whose likelihood is
#'   made of them
#' @examples
#' stableScore(c(-10, 0, 1, 1e6), alpha = 1.5, beta = 0.5)
#'
#' # a trend in the location, by maximum likelihood with an exact gradient
#' set.seed(1)
#' t <- 1:200
#' y <- 1 + 0.02 * t + rstable(200, 1.6, 0)
#' score <- function(p) stableScore(y, 1.6, 0, exp(p[3]), p[1] + p[2] * t)
#' fit <- optim(c(0, 0, 0), function(p) -sum(score(p)[, "log.density"]), function(p) {
#'   s <- score(p)
#'   -c(sum(s[, "delta"]), sum(s[, "delta"] * t), sum(s[, "gamma"]) * exp(p[3]))
#' }, method = "BFGS")
#' fit$par
#' @export
stableScore <- function(x, alpha, beta, gamma = 1, delta = 0, pm = 0) {
  score <- .Call(C_stableScore, x, alpha, beta, gamma, delta, pm)
  dimnames(score) <- list(if (length(x) == nrow(score)) names(x),
                          c("log.density", "x", "alpha", "beta", "gamma", "delta"))
  score
}

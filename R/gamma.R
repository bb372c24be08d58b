#' Gamma and chi-squared distributions, with exact tails and fast random numbers
#'
#' Density, distribution function, quantile function and random numbers of the gamma distribution, and of the
#' chi-squared one, which is that with shape `df/2` and scale 2, also non-central, for whole vectors. Both tails and
#' their logarithms keep their digits for shapes from 1e-300 to 1e300 and tails far below the smallest double; random
#' numbers are quantiles of uniform ones.
#'
#' The arguments are those of [dgamma()] and [dchisq()] and are treated in the same way: vectors are recycled,
#' attributes and `NA` are kept, `shape = 0` is a point mass at 0. Where only base R's arguments are asked for, as by
#' `fitdistrplus`, these functions may take their place.
#'
#' @section Numerics:
#' With the deviance \eqn{D = x - a + a \log(a/x)}{D = x - a + a log(a/x)} at x for shape a, formed in two doubles,
#' a tail is \eqn{F e^{-D}}{F exp(-D)}, so that its relative error does not grow with the shape or far out. F is from
#' Temme's uniform expansion for \eqn{a \ge 20}{a >= 20} and x between a/2 and 2 a, elsewhere from the series of the
#' lower and the continued fraction of the upper tail, and for a and x below 1 from the series of DiDonato and Morris,
#' by which an upper tail of the size of a is as exact as any. What is lost in `q/scale` is made up for. The number of
#' operations does not grow with the shape. Densities and tails take a `rate` as it is: 1/rate would be rounded.
#'
#' Logarithms of densities and of both tails of the package's table of 600 values, with shapes from 1e-10 to 1e5, are
#' within 2 units of \eqn{2^{-52}}{2^-52} relative to the larger of 1 and their size.
#'
#' Most quantiles, for shapes from 1 on those of tails above 5e-4 and from 0.06 to 1 those of lower tails from 1e-15
#' to a half, are polynomials of two variables, of which no tail is evaluated. Others begin with such a polynomial of
#' fewer terms, with Temme's inversion of that expansion, or with the power of x that the lower tail is near 0, and go
#' on by steps of seventh order on the logarithm of the smaller tail (Gil, Segura and Temme 2012): one is enough from
#' where the tail is off by 0.01 of it. The tail and the logarithm are kept as given; nothing is lost in `1 - p` or
#' `exp(p)`. The quantiles of the package's table, with shapes from 1e-10 to 1e10, probabilities from 1e-300 to
#' `1 - 2^-53` and logarithms to -1e4, are met within the larger of 4 units of the last digit and what half a unit of
#' `p` does.
#'
#' @section Non-central chi-squared distribution:
#' It is that of the sum of squares of `df` normal variables of variance 1 whose squared means add up to `ncp`, and
#' for any `df` the chi-squared distribution with `df + 2 N` degrees of freedom, N from the Poisson distribution of
#' mean `ncp/2`. With `df = 0` it has a point mass of `exp(-ncp/2)` at 0. With a = `df/2`, y = `ncp/2` and u = `x/2`,
#' a tail for \eqn{R = \sqrt{a^2 + 4 u y} \ge 20}{R = sqrt(a^2 + 4 u y) >= 20} is the integral of Gil, Segura and
#' Temme (2014) on a straight path through its saddle point, by the trapezoidal rule of at most 23 nodes with the
#' share of the pole next to the path; its exponent is formed in two doubles. Elsewhere it is a sum of at most some 60
#' positive terms. The number of operations does not grow with `df` or `ncp`, which may be as large as 1e290.
#' Quantiles begin with the saddle point approximation of a tail (Barndorff-Nielsen 1991) and go on by steps of
#' fourth order on the logarithm of the smaller tail, mostly one or two.
#'
#' Logarithms of the density and of both tails of the package's table of 160 values, with `df` and `ncp` from 1e-30 to
#' 1e12, are within 3 units of \eqn{2^{-52}}{2^-52} relative to the larger of 1 and their size, and the quantiles of a
#' table of 150 within half of what is said above for the gamma distribution.
#'
#' @section Random numbers:
#' `rgammagpu()` and `rchisqgpu()` draw by the rejection of Marsaglia and Tsang (2000), with normal and uniform
#' numbers from Philox4x32-10, a counter-based generator that takes its key from R's; the probability of a
#' rejection is right to 1e-10. With `ncp` the shape is `df / 2` and a Poisson number with mean `ncp / 2` more.
#' [set.seed()] makes draws reproducible, which do not depend on device, number of threads or chunk size. `first`
#' is that of [rpoisgpu()]. Numbers that grow with uniform ones, as common random numbers of different parameters,
#' copulas and quasi Monte Carlo want them, are `qgammagpu(u, ...)` and `qchisqgpu(u, ...)`.
#'
#' @inheritParams stable
#' @inheritParams rpoisgpu
#' @param shape,scale vectors of shapes, not negative, and of scales, positive.
#' @param rate vector of 1/scale, an alternative to it.
#' @param df vector of degrees of freedom, not negative, which need not be whole.
#' @param ncp vector of non-centrality parameters, not negative. Left out, it is 0 for all and the functions are those
#'   of the gamma distribution, as in base R.
#' @param lower.tail if `TRUE`, probabilities are those of \eqn{X \le q}{X <= q}, else of \eqn{X > q}{X > q}.
#' @return `dgammagpu` and `dchisqgpu` give the density, `pgammagpu` and `pchisqgpu` the distribution function,
#'   `qgammagpu` and `qchisqgpu` the quantile function, and `rgammagpu` and `rchisqgpu` `n` random numbers, as
#'   doubles in the units of the scale. The length of the result is that of the longest argument, of which it has the
#'   attributes (of the first one if several are as long).
#'
#'   Negative shapes, degrees of freedom and non-centrality parameters, infinite ones of the latter two where `ncp` is
#'   given, scales that are not positive and values of `p` that are no probabilities give `NaN`, also at the
#'   ends of the support, with one warning for the whole vector. Different `rate` and `scale` together are an error of
#'   class `statcl_error_input`. In single precision there is an error of class `statcl_error_device`.
#' @references
#' Barndorff-Nielsen, O. E. (1991). Modified signed log likelihood ratio. *Biometrika* **78**, 557--563.
#'
#' DiDonato, A. R. and Morris, A. H. (1986). Computation of the incomplete gamma function ratios and their inverse.
#' *ACM Transactions on Mathematical Software* **12**, 377--393.
#'
#' Gil, A., Segura, J. and Temme, N. M. (2012). Efficient and accurate algorithms for the computation and inversion of
#' the incomplete gamma function ratios. *SIAM Journal on Scientific Computing* **34**, A2965--A2981.
#'
#' Gil, A., Segura, J. and Temme, N. M. (2014). Algorithm 939: computation of the Marcum Q-function. *ACM Transactions
#' on Mathematical Software* **40**, article 20.
#'
#' Loader, C. (2000). Fast and accurate computation of binomial probabilities.
#'
#' Temme, N. M. (1979). The asymptotic expansion of the incomplete gamma functions. *SIAM Journal on Mathematical
#' Analysis* **10**, 757--766.
#'
#' Marsaglia, G. and Tsang, W. W. (2000). A simple method for generating gamma variables. *ACM Transactions on
#' Mathematical Software* **26**, 363--372.
#'
#' Temme, N. M. (1992). Asymptotic inversion of incomplete gamma functions. *Mathematics of Computation* **58**,
#' 755--764.
#' @seealso [qgamma()] and [qchisq()] for base R's functions, [qpoisgpu()] for the Poisson distribution, and
#'   `vignette("poisson-by-inversion")` for simulation by inversion.
#' @examples
#' qgammagpu(c(0.01, 0.5, 0.99), shape = 3, rate = 2)
#' qgammagpu(1e-6, shape = 0.1) # 6.07e-61
#' pgammagpu(1e-3, shape = 1e-10, lower.tail = FALSE)
#' qchisqgpu(-5000, df = 4, lower.tail = FALSE, log.p = TRUE) # an upper tail of exp(-5000)
#' qchisqgpu(0.5, df = 3, ncp = c(0, 1, 1e3, 1e10))
#' pchisqgpu(c(0, 1), df = 0, ncp = 2) # exp(-1) at 0
#'
#' set.seed(1)
#' rgammagpu(5, shape = 3)
#' u <- runif(5)
#' qgammagpu(u, shape = 3.01) - qgammagpu(u, shape = 3) # common random numbers
#' @name gammagpu
NULL

#' @rdname gammagpu
#' @export
dgammagpu <- function(x, shape, rate = 1, scale = 1 / rate, log = FALSE) {
  if (!missing(rate) && !missing(scale)) rate_and_scale(rate, scale)
  by_rate <- missing(scale)
  .External(C_elementwise, "dgammagpu", x, shape, if (by_rate) rate else scale, log, by_rate)
}

#' @rdname gammagpu
#' @export
pgammagpu <- function(q, shape, rate = 1, scale = 1 / rate, lower.tail = TRUE, log.p = FALSE) {
  if (!missing(rate) && !missing(scale)) rate_and_scale(rate, scale)
  by_rate <- missing(scale)
  .External(C_elementwise, "pgammagpu", q, shape, if (by_rate) rate else scale, lower.tail, log.p, by_rate)
}

#' @rdname gammagpu
#' @export
qgammagpu <- function(p, shape, rate = 1, scale = 1 / rate, lower.tail = TRUE, log.p = FALSE) {
  if (!missing(rate) && !missing(scale)) rate_and_scale(rate, scale)
  .External(C_elementwise, "qgammagpu", p, shape, scale, lower.tail, log.p)
}

#' @rdname gammagpu
#' @export
rgammagpu <- function(n, shape, rate = 1, scale = 1 / rate, first = 1) {
  if (!missing(rate) && !missing(scale)) rate_and_scale(rate, scale)
  .Call(C_rgamma, n, shape, scale, check_first(first))
}

# As base R: both are allowed, with a warning, where they say the same.
rate_and_scale <- function(rate, scale) {
  if (any(abs(rate * scale - 1) >= 1e-15, na.rm = TRUE))
    input_error("scale", scale, "must be 1/rate: leave out one of the two")
  warning("specify 'rate' or 'scale' but not both", call. = FALSE)
}

#' @rdname gammagpu
#' @export
dchisqgpu <- function(x, df, ncp = 0, log = FALSE) {
  if (missing(ncp)) .External(C_elementwise, "dchisqgpu", x, df, log)
  else .External(C_elementwise, "dnchisqgpu", x, df, ncp, log)
}

#' @rdname gammagpu
#' @export
pchisqgpu <- function(q, df, ncp = 0, lower.tail = TRUE, log.p = FALSE) {
  if (missing(ncp)) .External(C_elementwise, "pchisqgpu", q, df, lower.tail, log.p)
  else .External(C_elementwise, "pnchisqgpu", q, df, ncp, lower.tail, log.p)
}

#' @rdname gammagpu
#' @export
qchisqgpu <- function(p, df, ncp = 0, lower.tail = TRUE, log.p = FALSE) {
  if (missing(ncp)) .External(C_elementwise, "qchisqgpu", p, df, lower.tail, log.p)
  else .External(C_elementwise, "qnchisqgpu", p, df, ncp, lower.tail, log.p)
}

#' @rdname gammagpu
#' @export
rchisqgpu <- function(n, df, ncp = 0, first = 1) {
  if (missing(ncp)) .Call(C_rchisq, n, df, check_first(first))
  else .Call(C_rnchisq, n, df, ncp, check_first(first))
}

#' The binomial distribution, by inversion
#'
#' Density, distribution function, quantile function and random numbers of the binomial distribution of `size` trials
#' with probability `prob`, for whole vectors. Quantiles are exact for `p` as given, and random numbers are quantiles
#' of uniform ones: use them for common, antithetic and quasi-random numbers, and for tails below the smallest double.
#'
#' The arguments are those of [dbinom()], [pbinom()], [qbinom()] and [rbinom()] and are treated in the same way:
#' vectors are recycled, attributes and `NA` are kept. Only the first of the warnings of `dbinom()` for `x` that are
#' not whole is given.
#'
#' @section Quantiles:
#' `qbinomgpu(p, size, prob)` is the smallest whole number q with \eqn{P(X \le q) \ge p}{P(X <= q) >= p}, and with
#' `lower.tail = FALSE` the smallest one with \eqn{P(X > q) \le p}{P(X > q) <= p}, for the numbers `p`, `size` and
#' `prob` exactly as given, without the tolerance of [qbinom()] (see [qpoisgpu()]). The tail and the logarithm are
#' kept as they are.
#'
#' Where the variance is at least 8 the expansion of Cornish and Fisher of the normal quantile, to the fourth order
#' and with corrections for whole numbers, gives a real number whose error is known, and of which the quantile is the
#' next whole number unless it is too close to one. Small means are summed. Where neither decides, the distribution
#' function does, and where its digits do not suffice, one in two doubles each, with some 30 digits: an integral of a
#' convex function by the double exponential formula. Equal to `p` is what these cannot tell from it, such as the
#' probability 1/4 of two heads. The number of steps does not grow with `size`, which may be up to \eqn{2^{53}}{2^53}.
#'
#' @section Density and distribution function:
#' Densities are Loader's, with the deviance in two doubles. Tails are those of [pbetagpu()], by a rule of 24 nodes, a
#' series or a continued fraction. Of the two tails the smaller is computed; it and its logarithm keep their digits,
#' far below the smallest double for the logarithm. Relative errors of densities and tails are at most 4 times
#' 2.2e-16, and of logarithms the same of the larger of 1 and their size.
#'
#' @section Random numbers:
#' `rbinomgpu()` inverts: each draw is the quantile of a uniform number from a counter-based generator that takes its
#' key from R's, so that draws do not depend on device, threads or chunks, increase with `prob` where seed and length
#' are the same, and serve as common random numbers. See [rpoisgpu()] for `first` and what else holds.
#'
#' Single precision is an error of class `statcl_error_device`: see [withPrecision()].
#'
#' @inheritParams stable
#' @param size number of trials, a vector of whole numbers from 0 on.
#' @param prob probability of success in each trial, a vector.
#' @param lower.tail if `TRUE`, probabilities are those of \eqn{X \le q}{X <= q}, else of \eqn{X > q}{X > q}.
#' @return `dbinomgpu` gives the density, `pbinomgpu` the distribution function and `qbinomgpu` the quantile function,
#'   as doubles. The length of the result is that of the longest argument. `rbinomgpu` gives `n` random numbers, an
#'   integer vector where `size` is at most `.Machine$integer.max` and a double one otherwise.
#'
#'   A `size` that is negative, infinite or not whole, a `prob` outside 0 to 1, and values of `p` that are not
#'   probabilities give `NaN` (`NA` for `rbinomgpu`) with one warning for the whole vector. `dbinomgpu` is 0 for `x`
#'   that is not whole, with one warning that names the first of them.
#' @references
#' Loader, C. (2000). Fast and accurate computation of binomial probabilities. Bell Laboratories.
#'
#' Cornish, E. A. and Fisher, R. A. (1938). Moments and cumulants in the specification of distributions. *Revue de
#' l'Institut International de Statistique* **5**, 307--320.
#'
#' Takahasi, H. and Mori, M. (1974). Double exponential formulas for numerical integration. *Publications of the
#' Research Institute for Mathematical Sciences* **9**, 721--741.
#' @seealso [qbinom()] for base R's functions, [nbinomgpu] and [poisson] for the other counts, and
#'   `vignette("poisson-by-inversion")`.
#' @examples
#' qbinomgpu(c(0.01, 0.5, 0.99), size = 50, prob = 0.3)
#' qbinomgpu(-5000, size = 1e5, prob = 0.5, log.p = TRUE) # a lower tail of exp(-5000)
#' pbinomgpu(60, size = 100, prob = 0.3, lower.tail = FALSE)
#' dbinomgpu(0:3, size = 3, prob = 0.5)
#'
#' # the probability of at most 2 heads, and the next double
#' p <- 7 / 8 * c(1, 1 + .Machine$double.eps)
#' qbinomgpu(p, 3, 0.5)
#' qbinom(p, 3, 0.5)
#'
#' set.seed(1)
#' rbinomgpu(5, size = c(10, 1e6), prob = 0.2)
#' @name binomgpu
NULL

#' @rdname binomgpu
#' @export
dbinomgpu <- function(x, size, prob, log = FALSE)
  .External(C_elementwise, "dbinomgpu", x, size, prob, log, session$strict_counts, 0)

#' @rdname binomgpu
#' @export
pbinomgpu <- function(q, size, prob, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "pbinomgpu", q, size, prob, lower.tail, log.p, 0)

#' @rdname binomgpu
#' @export
qbinomgpu <- function(p, size, prob, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "qbinomgpu", p, size, prob, lower.tail, log.p, 0)

#' @rdname binomgpu
#' @export
rbinomgpu <- function(n, size, prob, first = 1) .Call(C_rbinom, n, size, prob, 0, check_first(first))

#' The negative binomial distribution, by inversion
#'
#' Density, distribution function, quantile function and random numbers of the negative binomial distribution, of the
#' number of failures before `size` successes of probability `prob`, or of counts with mean `mu` and variance
#' `mu + mu^2/size`, for whole vectors. `size` need not be whole. Quantiles are exact for `p` as given, and random
#' numbers are quantiles of uniform ones.
#'
#' The arguments are those of [dnbinom()], [pnbinom()], [qnbinom()] and [rnbinom()] and are treated in the same way.
#' With `mu`, `prob` is `size / (size + mu)` exactly, not rounded. `size = 0` is a point mass at 0, and `size = Inf`
#' with `mu` the Poisson distribution.
#'
#' @section Quantiles:
#' As those of [qbinomgpu()], for `size` from 1e-10 to 1e15 and beyond. Where `size` is so small that nearly all is at
#' 0 the upper tail is formed without its complement. Where the mean is larger than `size` and the expansion does not
#' serve, the quantile is found from that of the gamma distribution that mixes Poisson's, with a correction of second
#' order whose error is known, too: this takes ten times as long as the expansion. From \eqn{2^{53}}{2^53} on not
#' every whole number is a double, and the result may be the one next to the rounded quantile.
#'
#' @section Density, distribution function and random numbers:
#' As for [dbinomgpu()], [pbinomgpu()] and [rbinomgpu()]. Single precision is an error of class `statcl_error_device`.
#'
#' @inheritParams stable
#' @param size number of successes, or the parameter of dispersion: a vector of numbers from 0 on.
#' @param prob probability of success in each trial, a vector of numbers above 0 and up to 1.
#' @param mu means, a vector of numbers from 0 on, in place of `prob`.
#' @param lower.tail if `TRUE`, probabilities are those of \eqn{X \le q}{X <= q}, else of \eqn{X > q}{X > q}.
#' @return `dnbinomgpu` gives the density, `pnbinomgpu` the distribution function and `qnbinomgpu` the quantile
#'   function, as doubles. The length of the result is that of the longest argument. `rnbinomgpu` gives `n` random
#'   numbers, an integer vector where no draw can exceed `.Machine$integer.max` and a double one otherwise.
#'
#'   A negative `size` or `mu`, a `prob` that is not above 0 and up to 1, and values of `p` that are not probabilities
#'   give `NaN` (`NA` for `rnbinomgpu`) with one warning for the whole vector. `dnbinomgpu` is 0 for `x` that is not
#'   whole, with one warning that names the first of them. Both `prob` and `mu` are an error of class
#'   `statcl_error_input`.
#' @seealso [qnbinom()] for base R's functions, [binomgpu] for formulas and references, and [poisson].
#' @examples
#' qnbinomgpu(c(0.01, 0.5, 0.99), size = 30.5, prob = 0.4)
#' qnbinomgpu(0.5, size = 1e-10, mu = 3) # nearly all is at 0
#' pnbinomgpu(3, size = 1e-10, mu = 3, lower.tail = FALSE)
#' dnbinomgpu(0:3, size = 2, mu = 1.5)
#'
#' # common random numbers: the effect of 1 percent more claims, with and without them
#' u <- runif(1000)
#' sd(qnbinomgpu(u, 200, mu = 101) - qnbinomgpu(u, 200, mu = 100))
#' sd(rnbinom(1000, 200, mu = 101) - rnbinom(1000, 200, mu = 100))
#' @name nbinomgpu
NULL

# The second parameter of the negative binomial distribution is prob, or mu, and 1 or 2 says so.
either_of <- function(prob, mu, no_prob, no_mu) {
  if (!no_prob && !no_mu) input_error("mu", mu, "and prob must not both be given: leave out one of them")
  if (no_mu) list(prob, 1) else list(mu, 2)
}

#' @rdname nbinomgpu
#' @export
dnbinomgpu <- function(x, size, prob, mu, log = FALSE) {
  second <- either_of(prob, mu, missing(prob), missing(mu))
  .External(C_elementwise, "dnbinomgpu", x, size, second[[1]], log, session$strict_counts, second[[2]])
}

#' @rdname nbinomgpu
#' @export
pnbinomgpu <- function(q, size, prob, mu, lower.tail = TRUE, log.p = FALSE) {
  second <- either_of(prob, mu, missing(prob), missing(mu))
  .External(C_elementwise, "pnbinomgpu", q, size, second[[1]], lower.tail, log.p, second[[2]])
}

#' @rdname nbinomgpu
#' @export
qnbinomgpu <- function(p, size, prob, mu, lower.tail = TRUE, log.p = FALSE) {
  second <- either_of(prob, mu, missing(prob), missing(mu))
  .External(C_elementwise, "qnbinomgpu", p, size, second[[1]], lower.tail, log.p, second[[2]])
}

#' @rdname nbinomgpu
#' @export
rnbinomgpu <- function(n, size, prob, mu, first = 1) {
  second <- either_of(prob, mu, missing(prob), missing(mu))
  .Call(C_rbinom, n, size, second[[1]], second[[2]], check_first(first))
}

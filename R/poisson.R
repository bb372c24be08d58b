#' The Poisson distribution, by inversion
#'
#' Density, distribution function, quantile function and random numbers of the Poisson distribution with mean
#' `lambda`, for whole vectors. Quantiles are exact for `p` as given, also next to a jump, and random numbers are
#' quantiles of uniform ones: use them for common, antithetic and quasi-random numbers, and for tails below the
#' smallest double.
#'
#' The arguments are those of [dpois()], [ppois()], [qpois()] and [rpois()] and are treated in the same way: vectors
#' are recycled, attributes and `NA` are kept, `lambda = 0` is a point mass at 0. Only the first of the
#' warnings of `dpois()` for `x` that are not whole is given.
#'
#' @section Quantiles:
#' `qpoisgpu(p, lambda)` is the smallest whole number q with \eqn{P(N \le q) \ge p}{P(N <= q) >= p}, and with
#' `lower.tail = FALSE` the smallest one with \eqn{P(N > q) \le p}{P(N > q) <= p}, for the numbers `p` and `lambda`
#' exactly as given. The tail and the logarithm are kept as they are: nothing is lost in `1 - p` or `exp(p)`, so that
#' tails below the smallest double have quantiles too.
#'
#' [qpois()] takes answers a few units of the last digit of `p` beyond a jump of the distribution function as being
#' at the jump, so that `qpois(ppois(k, lambda), lambda)` is `k`. The price is a wrong answer for every `p` that is
#' so close in truth, and for more of them where jumps are small, as for `p` near 1. `qpoisgpu()` has no such
#' tolerance: for the smaller of the two tails, `qpoisgpu(ppois(k, lambda), lambda)` is `k` or, where `ppois()` was
#' rounded past the jump, `k + 1`. For the larger one, near 1, many `k` share a double.
#'
#' With \eqn{w = \Phi^{-1}(p)}{w = Phi^-1(p)}, taken from the smaller tail, and \eqn{r}{r} the solution of
#' \eqn{\mathrm{sign}(r - 1) \sqrt{2 (1 - r + r \log r)} = w/\sqrt{\lambda}}{%
#'      sign(r - 1) sqrt(2 (1 - r + r log r)) = w/sqrt(lambda)}, Temme's uniform expansion of the incomplete gamma
#' function gives \eqn{x = \lambda r + c_0(r) + c_1(r)/\lambda + \dots}{x = lambda r + c0(r) + c1(r)/lambda + ...},
#' of which the quantile is the whole part (Giles 2016). Where x is next to a whole number, the distribution
#' function decides between the two neighbours, and where its digits do not suffice, one in two doubles each, with
#' some 30 digits: an integral of a convex function by the double exponential formula. Equal to `p` is what these
#' cannot tell from it, as `-lambda`, the logarithm of \eqn{P(N = 0)}. For small `lambda` probabilities are added, or
#' looked up where one `lambda` serves many `p`; the far tails are left to Newton's method. The number of steps does
#' not grow with `lambda`.
#'
#' `lambda` may be anything from 1e-300 up. Beyond \eqn{2^{53}}{2^53} not every whole number is a double, and the
#' result may be the one next to the rounded quantile; the distribution itself is narrower than the distance of two
#' doubles from about 1e32 on, and all but its far tails is then `lambda`.
#'
#' Of the package's tables of 4779 quantiles, which were found by interval arithmetic with `lambda` up to 1e100, all
#' up to \eqn{2^{53}}{2^53} are met.
#'
#' @section Density and distribution function:
#' Of the two tails the smaller is computed, by Temme's expansion near the mean and by sums elsewhere; it and its
#' logarithm keep their digits, far below the smallest double for the logarithm. The relative error of densities and
#' of both tails is at most 1e-15 on a table of 495 arguments with `lambda` from 1e-300 to 1e15, and at random ones
#' with `lambda` up to 1e9. From \eqn{2^{53}}{2^53} on the tails at `q` are those at the double next to `q + 1`,
#' as in base R.
#'
#' @section Random numbers:
#' `rpoisgpu()` inverts: each draw is the quantile of a uniform number \eqn{(k + 1/2) 2^{-53}}{(k + 1/2) 2^-53}
#' with k from Philox4x32-10, a counter-based generator that takes its key from R's. [set.seed()] makes draws
#' reproducible, and they do not depend on device, number of threads or chunk size. Every call begins a stream of its
#' own: two draws and then three are not the first five. `first` takes draws `first`, ..., `first + n - 1` of a
#' stream, with the elements of `lambda` that belong to them in the whole, so that workers who begin with the same
#' seed make the parts of one sample: `set.seed(1); rpoisgpu(1e6, lambda, first = 1e6 + 1)` has the values of the
#' second half of `set.seed(1); rpoisgpu(2e6, lambda)`. Whether they are integers or doubles depends on the means of
#' each part alone (see Value), so that the types of two parts may differ: `c()` makes one of them.
#'
#' Being quantiles, the draws increase with the uniform numbers and with `lambda`: with the same seed and length,
#' larger means give draws that are nowhere smaller. That is what common random numbers need, and rejection methods
#' as that of [rpois()] do not have it. Antithetic, stratified and quasi-random numbers go through `qpoisgpu()` in
#' the same way: `qpoisgpu(u, lambda)` and `qpoisgpu(u, lambda, lower.tail = FALSE)` are an antithetic pair, and `u`
#' may be a Latin hypercube or a Sobol sequence.
#'
#' No uniform number is below \eqn{2^{-54}}{2^-54}, so that nothing is drawn from beyond a tail of that probability
#' (5.6e-17).
#'
#' @section Single precision:
#' `qpoisgpu()` and `rpoisgpu()` are available with `withPrecision("single", ...)`. There is then no correction next
#' to whole numbers, and `lambda` and the smaller tail of `p` are rounded to 24 bits. Of uniform `p` a share of at
#' most `2e-6 * sqrt(max(lambda, 1))` is one off (the vignette measures less), and of `6e-8 * lambda` besides where
#' means are no 32-bit numbers; of far smaller tails one in a thousand. From 1.7e7 on, 32-bit numbers do not hold all
#' whole numbers. One `lambda` and a vector of its copies may differ where either is one off. A call with a mean
#' outside 1e-30 to 1e30 is computed in double precision on the CPU. For `dpoisgpu()` and `ppoisgpu()` single
#' precision is an error of class `statcl_error_device`. See [withPrecision()].
#'
#' @inheritParams stable
#' @param lambda vector of means, not negative.
#' @param lower.tail if `TRUE`, probabilities are those of \eqn{N \le q}{N <= q}, else of \eqn{N > q}{N > q}.
#' @return `dpoisgpu` gives the density, `ppoisgpu` the distribution function and `qpoisgpu` the quantile function, as
#'   doubles: quantiles are whole numbers that may be beyond the largest integer. The length of the result is that
#'   of the longer argument, of which it has the attributes (of the first one if both are as long). `rpoisgpu` gives
#'   `n` random numbers, an integer vector where `lambda` is so far below `.Machine$integer.max` that no draw exceeds
#'   it and a double one otherwise.
#'
#'   Negative means and values of `p` that are not probabilities give `NaN`, as does an infinite mean for `qpoisgpu`,
#'   with one warning for the whole vector; `rpoisgpu` gives `NA` for means that are negative or infinite. `dpoisgpu`
#'   is 0 for `x` that is not whole, with one warning that names the first of them; as in the R that runs, what is
#'   within 1e-7 of a whole number (for `x` 1e-9 from R 4.4 on, relative to `x` beyond 1; for `q` only upwards) is
#'   taken for it.
#' @references
#' Giles, M. B. (2016). Algorithm 955: approximation of the inverse Poisson cumulative distribution function.
#' *ACM Transactions on Mathematical Software* **42**(1), article 7.
#'
#' Temme, N. M. (1979). The asymptotic expansion of the incomplete gamma functions. *SIAM Journal on Mathematical
#' Analysis* **10**, 757--766.
#'
#' Temme, N. M. (1992). Asymptotic inversion of incomplete gamma functions. *Mathematics of Computation* **58**,
#' 755--764.
#'
#' Salmon, J. K., Moraes, M. A., Dror, R. O. and Shaw, D. E. (2011). Parallel random numbers: as easy as 1, 2, 3.
#' *Proceedings of the International Conference for High Performance Computing, Networking, Storage and Analysis*
#' (SC11), article 16.
#' @seealso [qpois()] for base R's functions, [withDevice()] to choose where to compute, and
#'   `vignette("poisson-by-inversion")` for simulation with common, antithetic and quasi-random numbers.
#' @examples
#' qpoisgpu(c(0.01, 0.5, 0.99), lambda = 8)
#' qpoisgpu(-5000, lambda = 1e4, log.p = TRUE) # a lower tail of exp(-5000)
#' ppoisgpu(150, lambda = 32, lower.tail = FALSE)
#' dpoisgpu(0:5, lambda = 2)
#'
#' # just below and above a jump of the distribution function
#' p <- exp(-2) * (1 + c(-4, 4) * .Machine$double.eps)
#' qpoisgpu(p, 2)
#' qpois(p, 2)
#'
#' set.seed(1)
#' rpoisgpu(5, lambda = c(2, 2000))
#'
#' # common random numbers: the effect of 1 percent more claims, with and without them
#' u <- runif(1000)
#' sd(qpoisgpu(u, 101) - qpoisgpu(u, 100))
#' sd(rpois(1000, 101) - rpois(1000, 100))
#' @name poisson
NULL

#' @rdname poisson
#' @export
dpoisgpu <- function(x, lambda, log = FALSE)
  .External(C_elementwise, "dpoisgpu", x, lambda, log, session$strict_counts)

#' @rdname poisson
#' @export
ppoisgpu <- function(q, lambda, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "ppoisgpu", q, lambda, lower.tail, log.p)

#' @rdname poisson
#' @export
qpoisgpu <- function(p, lambda, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "qpoisgpu", p, lambda, lower.tail, log.p)

#' @rdname poisson
#' @export
rpoisgpu <- function(n, lambda, first = 1) .Call(C_rpois, n, lambda, check_first(first))

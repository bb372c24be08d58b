# Adaptive quadrature: arguments of integrategpu(), and what becomes of its values.

#' Many integrals at once
#'
#' Adaptive quadrature as [integrate()] does it, for one integral or for thousands of them that differ in parameters
#' and limits, over one variable or, with limits in lists, over two to thirty. The integrand is an ordinary R
#' function or expression: it is translated, and evaluated on all cores of the CPU or on a GPU.
#'
#' @section Integrand:
#' `f` is an R function, whose first argument is the variable of integration, or a one-sided formula or an
#' expression in the variable `x`: `function(u) exp(-u^2)`, `~ exp(-x^2)` and `quote(exp(-x^2))` are the same. What is
#' made of it, a vector-valued integrand too, what is translated, and where names are looked up, is described in
#' [integrand]; the rest R evaluates itself, with a message.
#'
#' Values that differ from integral to integral are columns of `params`, used in `f` by their names; what is the same
#' for all of them is given by name in `...`, or is a variable that `f` sees. None of these numbers are part of what
#' is compiled, so that on OpenCL devices only the first call with a new integrand takes the time of a compiler.
#'
#' @section Many integrals:
#' There are as many integrals as `params` has rows or `lower` or `upper` has elements; shorter ones are recycled.
#' In each round all panels of all integrals that are not yet accurate are halved, and the nodes of all of them are
#' evaluated in one go. No integral affects another, and results are, to the last bit, those of single calls. The
#' components of a vector-valued integrand share their nodes, and panels are halved until all components are accurate.
#'
#' Integrals that fail do not stop the others. Their `code` is not 0, their value is the best estimate, or `NaN`
#' where there is none, and one warning tells how many there are.
#'
#' @section Method:
#' `"gk"` is the 21-point Gauss-Kronrod rule with the error estimate of QUADPACK (Piessens et al. 1983), beginning
#' with `min.panels` panels. An integral is accepted when its estimated error is at most
#' `max(abs.tol, rel.tol * abs(value))`, or when its value is hidden by rounding errors of much larger values of `f`,
#' so that it is 0 as far as can be seen. [integrate()] has `abs.tol = rel.tol`; here `abs.tol` is 0 by default.
#'
#' In every round those panels are accepted whose error is at most half of what is left of the tolerance, divided by
#' the number of panels of the round. Where few panels are left round after round, there are singularities, and the
#' sequence of integrals next to each of them is extrapolated by the epsilon algorithm (Wynn 1956). At the end panels
#' are laid side by side, and where values or slopes at a border do not fit, they are cut next to it; what jumps and
#' kinks may hide there, at most a tenth of the tolerance, is part of the estimated error. Within a panel QUADPACK's
#' formula judges, which is for functions that are smooth as a whole, and besides null rules of degrees 9 to 20
#' (Berntsen and Espelid 1991): where values of a panel have components that do not decrease with the degree, as a
#' wave or a kink has under something large and smooth, these are part of its error. What is between the nodes of a
#' panel may still look like something smoother: of small waves of random frequency on smooth functions some 1 in 1000
#' are taken for such.
#'
#' Limits may be infinite; a range without end on both sides is divided at 0 unless there are `breaks`, with three
#' quarters of `min.panels` on each side. From a, the end of a half-line, to a + 1 the variable of the panels is x,
#' and beyond it is t between 0 and 1/2, where x = a + (1 - t)/t. Reversed limits change the sign, and equal ones
#' give 0.
#'
#' No rule sees what is between its nodes, nor between the ends of the range and the nodes next to them. Where `f` is
#' 0 at all nodes, and not the constant 0, or so small that the integral is less than 2.2e-308, its code is 8, which
#' is no error for a single integral, and there is a warning of class `statcl_warning_zero`. A narrow peak in a wide
#' range is found with more `min.panels`, or, if its location is known, with `breaks` at its sides. `breaks` are also
#' for jumps, kinks and singularities within the range, at which no value is needed: break points and limits are never
#' nodes. Put strong singularities at 0, next to which x has all its digits. At another limit u they are resolved only
#' if `f` is translated and contains `x - u`, `u - x` or `log1p(-x)`, as [dbeta()] does: an integral that fails is
#' then computed again with this difference as the variable. `(1 - x^2)^-0.95` cannot be resolved next to 1, however
#' many panels there are. The same holds for a narrow peak far from 0: the digits of x limit the accuracy, the
#' estimated error includes this, and the code is 2.
#'
#' On infinite ranges of functions that oscillate without end, as `sin(w * x)/x`, `sin(x)^2/x^2` or `x * cos(x^3)`,
#' the range is cut at 64 zeros, from where there are at least five between x and 2 x, x being the distance from the
#' other end, or at as many extrema where `f` keeps its sign. Smooth means are taken of the sums of the integrals
#' between cuts, which is Euler's transformation for all frequencies at once, and what is left of the mean of `f` is
#' extrapolated over whole periods (Sidi 2003); where that is not enough there are up to 1024 cuts. It is done where
#' panels towards infinity become too many, or fail. The error is how far several such limits are apart; where their
#' ways contradict each other, or not even six digits of the extrapolated part seem known, it is larger, and the code
#' is 3. What does not fall towards infinity, or keeps its sign and does not fall faster than 1/x, has code 5 and an
#' infinite error.
#'
#' Of what `f` does beyond the last cut only some points of each octave, from x to 2 x, are looked at, about 200: it
#' must be smooth. The error is at least a tenth of the tolerance for it. Where a peak is seen there panels are all
#' there is, and what the points tell of it is part of the error if they fail; one that is narrower than 0.4 % of its
#' distance, or not higher than five times `f` beside it, may be missed. Where a frequency comes down to 0 far out, as
#' that of `cos(x^2 - 1000 * x)`, the cuts are put beyond, if that is seen and not too far. Of products and sums of
#' several frequencies most are integrated. Where two differ by less than a hundredth and `f` has a mean, as in
#' `sin(x) * sin(0.999 * x)/x^2`, or where its mean falls as slowly as `1/(x * log(x)^2)`, the code is 1 or 3. So it
#' is where the scale of the mean is a hundred periods, as in `(2 + cos(300 * x))/(1 + x^2)`: the terms of a sum alone
#' may be integrated.
#'
#' @section Several variables:
#' Where `lower` and `upper` are lists, `f` is a function whose first arguments are as many variables, two to thirty.
#' Lists whose names are those of the variables may have any order, others have that of `f`. A limit is a number or a
#' vector with a number for each integral, which may be infinite, or from the second variable on a function of
#' variables before it: `list(-1, function(x) -sqrt(1 - x^2))` and `list(1, function(x) sqrt(1 - x^2))` are the disc.
#' Such a function may have columns of `params` and constants of `...` as further arguments. It is called with
#' vectors, and with single numbers where it gives others for these, as `min(x, 1)` does. Everything else is as for
#' one variable, codes too, but for `breaks`, `min.panels`, `log`, `cauchy` and `weight`, which are not for several.
#'
#' The range is mapped to a cube, which is cut into boxes, those of all integrals in the same rounds. Two to eight
#' variables have the rules of Genz and Malik (1980) of degrees 7 and 5, with 21, 39, 103 and 417 nodes a box for 2,
#' 3, 5 and 8 variables. In each round the boxes with the largest errors are halved, as many as are needed to come
#' within the tolerance, across the variable with the largest fourth difference. Next to all faces of a box there is a
#' node of its own, by which jumps are seen that hide behind the outermost nodes. The error is the difference of the
#' two rules or, where it may be small by chance, what the decrease of terms of low degree and the box before it was
#' halved tell; with few boxes it is larger than the sum of theirs. There are at most 100,000 boxes unless
#' `subdivisions` is given.
#'
#' In two and three variables with `rel.tol` below 1e-7, and in four up to 1e-6, these rules would need more nodes for
#' what is smooth than products of Fejer's second rule with 23, 19 and 11 nodes for each of two, three and four
#' variables, which are used there, in boxes halved breadth-first, at most 10,000. Smooth integrands take some
#' thousand nodes in two and a hundred thousand in three variables for ten digits; what jumps or has a kink is for
#' larger tolerances, and better cut by limits that are functions. With `abs.tol` it is seen first what 500 boxes of
#' Genz and Malik's rules give. What products of rules fail at, Genz and Malik's rules get 100,000 boxes for, if
#' `subdivisions` is not given.
#'
#' With `method = "lattice"`, and always from nine variables on, points are those of rank-one lattices, with 16 random
#' shifts, which follow [set.seed()], and the tent transformation `1 - abs(2 * u - 1)`. The number of points is
#' doubled from 256 with each shift to at most `subdivisions`, 2^18 if that is not given and 2^20 in any case.
#' `std.error` is the standard error that the means of the shifts tell, `abs.error` 4.07 times that, which one in 1000
#' means exceeds, and `rel.tol` is 1e-4 unless given. Integrands that are smooth and depend on no more than some
#' variables at a time have errors that fall nearly as the square of the number of points; those with narrow peaks,
#' kinks and jumps are little better than by Monte Carlo. The generating vector is for the weights `1/j^2` of variable
#' j: put the variables that matter most first.
#'
#' @section Principal values and weights:
#' With `cauchy = c`, a number or one for each integral, the integral is that of `f(x) / (x - c)`, as QAWC of QUADPACK
#' has it: between the limits its principal value, at other places the ordinary integral, on infinite ranges too. It
#' is computed as the integral of `(f(c + t) - f(c - t)) / t`, whose rounding errors are of the size of those of
#' `f(c)`. Where `f` jumps at c there is no principal value, and the code is 5. A function that is even about the
#' middle c of its limits has the value 0, with code 0 and the error of rounding.
#'
#' With `weight = list(lower = a, upper = b)` the integral is that of `f(x) * (x - lower)^a * (upper - x)^b`, for
#' finite limits and exponents above -1, 0 where one is not given, which may differ from integral to integral. `log =
#' "lower"` multiplies this by `log(x - lower)`, `"upper"` by `log(upper - x)`, and `"both"` by both of them, as QAWS
#' has it. `f` has to be smooth only, however near to -1 an exponent is: the variable is `t` with `x = lower + h *
#' exp(-t / (1 + a))`, and the same from the other end. Both evaluate `f` twice for each node that is counted in
#' `evaluations`; points of `breaks` are values of x.
#'
#' @section Oscillation of known phase:
#' With `oscillation = list(cos = g)`, where `g` is a phase as `f` is an integrand, the integral is that of `f(x) *
#' cos(g(x))`, with `sin` of the sine; of up to six phases, `list(sin = g1, sin = g2)`, the factors are multiplied. It
#' takes about the same number of nodes for all frequencies: on panels which are halved, Levin's equation `p' + i g' p
#' = f` is solved at 16 Chebyshev points for each sum and difference of phases, of which `p * exp(i g)` is the
#' integral (Levin 1982; Chen, Serkh and Bremer 2022). Panels where all phases change by less than 6 take the product
#' itself, so that `1/x^2` times two sines may begin at 0. Halves are compared with the panels that they are of; the
#' difference is the error, larger next to singularities. Towards infinity panels are twice as long each, and what is
#' beyond the last one is `-p * exp(i g)`; how far sums with it are apart is the error there. Nearly equal
#' frequencies, slow phases, stationary points and ends where `f` is infinite are allowed; `f` and phases have to be
#' smooth between `breaks`, and what does not fall towards infinity at least like a small power of x has code 5.
#' Rounding errors of the phases, of size 2.2e-16 of their values, are part of the error.
#'
#' @section Integrands by their logarithm:
#' With `log = TRUE` values of `f` are logarithms of what is integrated, and `value` is the logarithm of the integral:
#' likelihoods of many observations, integrated over a random effect or a prior, are neither 0 nor infinite for it. If
#' `f` has an argument `log`, as [dnorm()] has, it is called with `log = TRUE`, too. `abs.error` is the error of
#' `value`, which is the relative error of the integral, and `rel.tol` its tolerance; `abs.tol` has no meaning.
#' Where `f` has the size of 1e9 its own digits end at 1e-7: the tolerance is at least 10 units of the last digit of
#' the largest value.
#'
#' Before panels are laid the modes of every integrand are located, from 70 points over a logarithmic axis from
#' 1e-42 to 1e42 (of intervals: down to 1e-15 of the length from each end) on, so that a single peak is found however
#' narrow and however far out it is. What is integrated is scaled there, and the range divided at the modes and on
#' both sides of them. Of several peaks those are found that are the largest for one of these points, at most sixteen:
#' others may be missed with code 0. A point of `breaks` at a peak makes it found.
#' For a vector-valued integrand each component has a scale of its own. With `lower > upper` there is no
#' logarithm: code 6.
#'
#' @section Published algorithms:
#' The other methods are those of Kern and Alaghband on block cutting (PBCAQ), see References, for studies and
#' comparisons: adaptive quadrature by the trapezoidal and Simpson's rule, whose difference is the error. They take
#' finite limits, one component, and the absolute tolerance `abs.tol` or, if that is not given, `rel.tol`, or 1e-6. No
#' interval is longer than the range over `min.panels`. `breaks` are not theirs. They need far more evaluations than
#' `"gk"`.
#' * `"caq"`: intervals whose error exceeds their share of the tolerance are halved. Values at their ends are kept.
#' * `"scaq"`: side-cutting, from the right: the next interval begins with the length of the one accepted before it.
#' * `"pbcaq"`: block cutting. A region of `blocks * threads` equal intervals is evaluated in one launch and accepted
#'   when the sum of their errors is within its share of the tolerance. Otherwise its length is halved; the next
#'   region to the left begins with twice the length of the one accepted (expansion).
#' * `"pbcaqr"`: with expansion on the flip of a coin, which follows [set.seed()].
#' * `"pbcaqs"`: with expansion where errors do not grow towards the next region.
#' * `"pbcaqg"`: with expansion by the binary logarithm of the share over the error.
#' * `"bcaq"`: as `"pbcaq"`, one interval after the other.
#' * `"pscaq"`: side-cutting by regions.
#'
#' Their description leaves rules open, which are chosen as follows. Shares are by length, and a region ends at the
#' lower limit; as printed, length and tolerance grow beyond it. `"scaq"` cuts a rejected interval to its right half,
#' and doubles the length when the error was within an eighth of the share. `"pscaq"` accepts the blocks of a region
#' from the right up to the first whose error exceeds its share, where the next region begins with intervals of half
#' the length; it doubles as `"scaq"` does. `"pbcaqs"` takes the least-squares slope of the errors of blocks, and
#' `"pbcaqg"` doubles `floor(log2(share / error) / 2)` times, at most four times. Intervals of a few units of the last
#' digit of x, or whose error could be the rounding of their values, are accepted as they are, with code 2. When
#' `2 * subdivisions` evaluations have been made the rest is taken as it is, with code 1.
#'
#' `"caq"`, `"scaq"` and `"bcaq"` run on the CPU, whatever device is in use.
#'
#' @section Codes:
#' Those of QUADPACK, and two more:
#'
#' | code | message |
#' |------|---------|
#' | 0 | OK |
#' | 1 | maximum number of subdivisions reached |
#' | 2 | roundoff error was detected |
#' | 3 | extremely bad integrand behaviour |
#' | 4 | roundoff error is detected in the extrapolation table |
#' | 5 | the integral is probably divergent |
#' | 6 | the input is invalid |
#' | 7 | non-finite function value, or sums beyond the largest number |
#' | 8 | f is 0 or denormal at all nodes |
#'
#' An integral that is small because positive and negative parts cancel may not have a small relative error: it ends
#' with code 2 and an honest error, or with code 1 or 3, unless `abs.tol` is given. With code 5 `abs.error` is
#' infinite, and so it is with codes 1 to 3 where nothing bounds the error of a function that oscillates without end;
#' the value is the best estimate then, too. The error of other integrals that failed may be too small: with code 3 it
#' may tell no more than how little the value changed at last, but for oscillation without end (see Method). Code 7
#' far out on an infinite range is mostly `Inf * 0` or the logarithm of an underflow.
#'
#' Code 4 is kept for the meaning that it has in QUADPACK, and not given. Code 6 is for rows with a missing limit, or
#' an infinite one where the method has no infinite ranges.
#'
#' @param f integrand: a function, a one-sided formula, or an expression.
#' @param lower,upper limits of integration, vectors for several integrals. With `method = "gk"` they may be infinite.
#'   Lists of limits for integrals over several variables.
#' @param ... named numbers that are used in `f`, and lists of them. A name that neither `f` nor any function it calls
#'   asks for is an error. Partial matching applies to further arguments of a function. A name that begins one of `f`,
#'   `lower` and `upper` is taken for that argument, unless these are given by their full names.
#' @param params data frame with a row for each integral, whose columns are used in `f` by their names; a matrix
#'   column is a vector for each row, and so is a list column, whose vectors may have different lengths: integrals
#'   with the same lengths are computed together. A list of columns, in which a single number may stand for many, or
#'   a matrix with column names is taken, too. Columns may be left unused; where all are, there is a warning.
#' @param rel.tol,abs.tol relative and absolute tolerance.
#' @param subdivisions largest number of panels of one integral; where it is computed a second time, as next to a
#'   singularity or before the first of many zeros (see Method), so many again. Of the published algorithms the
#'   largest number of intervals tried by two evaluations each, 1e8 if it is not given, and at least one region.
#' @param method `"gk"`, the name of a published algorithm, see there, or `"lattice"` for several variables.
#' @param breaks points at which the range is divided from the start: a vector for all integrals, or a matrix with a
#'   row for each, with `NA` where there are fewer. Points that are not between the limits do not matter.
#' @param min.panels number of panels to begin with; more than `subdivisions` are not begun with.
#' @param stop.on.error should a single integral (without `params`) that fails be an error, of class
#'   `statcl_error_integral`? Otherwise its message says what failed.
#' @param region blocks and threads of block cutting, in this order or by these names.
#' @param cauchy points c of principal values of `f(x) / (x - c)`, see there.
#' @param weight list of exponents and logarithms of a weight with ends, see there.
#' @param oscillation list of phases, named `cos` and `sin`, by whose cosines and sines `f` is multiplied, see there.
#' @param log does `f` give logarithms, and is the logarithm of the integral wanted? See there.
#' @return For one integral (without `params`, one limit on each side, a single component) an object of class
#'   `"integrate"` as [integrate()] gives it, that is a list with components `value`, `abs.error`, `subdivisions`,
#'   `message` and `call`, and also `evaluations` (number of nodes) and `code`.
#'
#'   For several integrals, and whenever `params` is given, a data frame of class `"integrals"` with a row for each,
#'   named as those of `params`, and columns `value`, `abs.error`, `subdivisions`, `evaluations` and `code`.
#'
#'   Of a vector-valued integrand, which always gives a data frame, `value` and `abs.error` are matrices with a column
#'   for each component, named as in `f`.
#'
#' Published algorithms add `regions`, the number of regions tried, and `launches`, lattices `std.error`, as a matrix
#' of several components.
#' @references
#' Levin, D. (1982). Procedures for computing one- and two-dimensional integrals of functions with rapid irregular
#' oscillations. *Mathematics of Computation* **38**, 531--538.
#'
#' Chen, S., Serkh, K. and Bremer, J. (2022). On the adaptive Levin method. *arXiv* 2211.13400.
#'
#' Berntsen, J. and Espelid, T. O. (1991). Error estimation in automatic quadrature routines. *ACM Transactions on
#' Mathematical Software* **17**, 233--252.
#'
#' Cools, R., Kuo, F. Y. and Nuyens, D. (2006). Constructing embedded lattice rules for multivariate integration.
#' *SIAM Journal on Scientific Computing* **28**, 2162--2188.
#'
#' Genz, A. C. and Malik, A. A. (1980). Remarks on algorithm 006: an adaptive algorithm for numerical integration over
#' an N-dimensional rectangular region. *Journal of Computational and Applied Mathematics* **6**, 295--302.
#'
#' Hickernell, F. J. (2002). Obtaining O(N^(-2+e)) convergence for lattice quadrature rules. In *Monte Carlo and
#' Quasi-Monte Carlo Methods 2000*, 274--289. Springer, Berlin.
#'
#' Kaiser, J. F. and Schafer, R. W. (1980). On the use of the I0-sinh window for spectrum analysis. *IEEE Transactions
#' on Acoustics, Speech, and Signal Processing* **28**, 105--107.
#'
#' Kern and Alaghband on parallel block cutting adaptive quadrature (PBCAQ) for graphics processors: the algorithms of
#' `method`, trapezoidal and Simpson's rule on regions of equal intervals whose errors are added up on the device.
#'
#' Nuyens, D. and Cools, R. (2006). Fast algorithms for component-by-component construction of rank-1 lattice rules in
#' shift-invariant reproducing kernel Hilbert spaces. *Mathematics of Computation* **75**, 903--920.
#'
#' Piessens, R., de Doncker-Kapenga, E., Ueberhuber, C. W. and Kahaner, D. K. (1983). *QUADPACK: A
#' Subroutine Package for Automatic Integration*. Springer, Berlin.
#'
#' Sidi, A. (2003). *Practical Extrapolation Methods: Theory and Applications*. Cambridge University Press, chapter 6.
#'
#' Wynn, P. (1956). On a device for computing the \eqn{e_m(S_n)}{e_m(S_n)} transformation. *Mathematical Tables and
#' Other Aids to Computation* **10**, 91--96.
#' @seealso [integrand] for what is translated, [integrals-methods] for the results, [integrate()] for base R's
#'   function, [withDevice()] to choose where to compute, and `vignette("many-integrals")`.
#' @concept quadrature
#' @concept cubature
#' @concept numerical integration
#' @examples
#' integrategpu(dnorm, -1.96, 1.96)
#' integrategpu(function(x, a) exp(-a * x) / sqrt(x), 0, Inf, a = 2) # sqrt(pi/2)
#'
#' # a success probability, averaged over normal effects of different sizes
#' integrategpu(~ dnorm(x) * plogis(a + b * x), -Inf, Inf, params = data.frame(a = 0.5, b = 0:4))
#'
#' # three moments, and three ranges
#' m <- integrategpu(function(x) c(mass = 1, mean = x, square = x^2) * dexp(x), 0, 1:3)
#' m
#' m$value[, "mean"] / m$value[, "mass"]
#'
#' # a peak that is too narrow to be seen
#' needle <- function(x) exp(-1e10 * (x - 0.43)^2)
#' integrategpu(needle, 0, 1)
#' integrategpu(needle, 0, 1, breaks = c(0.4299, 0.4301))
#' sqrt(pi) / 1e5
#'
#' # a likelihood of 9730 events, averaged over a gamma prior, by its logarithm
#' f <- function(l) dpois(9730, l, log = TRUE) + dgamma(l, 28, 0.003, log = TRUE)
#' integrategpu(f, 0, Inf, log = TRUE)
#' dnbinom(9730, 28, 0.003 / 1.003, log = TRUE)
#'
#' # a normal distribution of two variables over a disc, for three correlations
#' f <- function(x, y, r)
#'   exp(-(x^2 - 2 * r * x * y + y^2) / (2 * (1 - r^2))) / (2 * pi * sqrt(1 - r^2))
#' integrategpu(f, list(-1, function(x) -sqrt(1 - x^2)), list(1, function(x) sqrt(1 - x^2)),
#'              params = data.frame(r = c(0, 0.5, 0.9)))
#' 1 - exp(-1 / 2)
#'
#' # a triangle by a jump, and ten variables by a lattice
#' integrategpu(function(x, y) x + y < 0.7137, list(0, 0), list(1, 1), rel.tol = 1e-3)
#' f <- function(a, b, c, d, e, f, g, h, i, j) exp(-a * b * c * d * e * f * g * h * i * j)
#' integrategpu(f, rep(list(0), 10), rep(list(1), 10))
#'
#' # a principal value, and a weight with both ends
#' integrategpu(function(x) 1 / (5 * x^3 + 6), -1, 5, cauchy = 0)
#' integrategpu(cos, -1, 1, weight = list(lower = -0.5, upper = -0.5))
#' pi * besselJ(1, 0)
#'
#' # a known phase of high frequency, and two frequencies that are nearly equal
#' integrategpu(exp, 0, 1, oscillation = list(cos = function(x) 1e4 * x))
#' integrategpu(~ 1 / x^2, 0, Inf, oscillation = list(sin = ~ x, sin = ~ 0.999 * x))
#' pi / 2 * 0.999
#'
#' # groups of different size, with a normal effect for each
#' groups <- list(c(1.2, 0.3), 0.1, c(-0.5, 0.4, 0.9))
#' integrategpu(function(b, y, s) prod(dnorm(y, b)) * dnorm(b, sd = s), -Inf, Inf,
#'              params = list(y = groups, s = 2))
#'
#' # one of the published algorithms
#' integrategpu(~ exp(2 * x) * sin(3 * x), 0, 5, method = "caq")$evaluations
#' @export
integrategpu <- function(f, lower, upper, ..., params = NULL, rel.tol = 1e-10, abs.tol = 0, subdivisions = 2000L,
                         method = "gk", breaks = NULL, min.panels = 8L, stop.on.error = TRUE,
                         region = c(blocks = 2048L, threads = 256L), log = FALSE, cauchy = NULL, weight = NULL,
                         oscillation = NULL) {
  call <- match.call()
  check_whole_names(names(sys.call()), ...)
  need(f = missing(f), lower = missing(lower), upper = missing(upper))
  check_function("f", f)
  if (!identical(method, "gk")) method <- choice("method", method, integral_methods)
  given <- list(rel.tol = !missing(rel.tol), abs.tol = !missing(abs.tol), breaks = !is.null(breaks),
                subdivisions = !missing(subdivisions))
  several <- is.list(lower) || is.list(upper)
  published <- !method %in% c("gk", "lattice")
  if (several && (method == "lattice" || length(lower) > 8L) && !given$rel.tol) # what lattices are for
    rel.tol <- if (given$abs.tol) 0 else 1e-4
  tolerance <- integral_tolerance(rel.tol, abs.tol, if (published) method else "gk", given)
  log <- one_flag("log", log)
  if (log && (method != "gk" || tolerance[2L] > 0))
    raise_engine_error("input", "log = TRUE is for method = \"gk\", and has no abs.tol: rel.tol is its error")
  check_weights(list(cauchy = cauchy, weight = weight, oscillation = oscillation), several, method, log)
  if (published && !given$subdivisions) subdivisions <- 1e8
  control <- list(tolerance = tolerance, subdivisions = whole_number("subdivisions", subdivisions),
                  min.panels = whole_number("min.panels", min.panels), log = log, tails = !log, method = method)
  control$min.panels <- min(control$min.panels, control$subdivisions)
  stop.on.error <- one_flag("stop.on.error", stop.on.error)
  if (published || !missing(region)) control$region <- region_size(region)
  if (several) {
    lower <- box_limits("lower", lower)
    upper <- box_limits("upper", upper)
    if (published || log || given$breaks || !missing(min.panels)) raise_engine_error("input", paste(
      "limits in lists are for method = \"gk\" and \"lattice\", without breaks, min.panels and log"))
    if (!given$subdivisions) control["subdivisions"] <- list(NULL) # box_integrals() knows
  }
  alone <- is.null(params) && length(cauchy) < 2L && all(lengths(weight) < 2L) &&
    if (several) all(lengths(lower) == 1L, lengths(upper) == 1L) else length(lower) == 1L && length(upper) == 1L
  if (!several) {
    lower <- limit_values("lower", lower, alone, method)
    upper <- limit_values("upper", upper, alone, method)
  }
  of <- list(f = f, lower = lower, upper = upper, params = parameter_columns(params),
             constants = integrand_constants(...), env = parent.frame())
  result <- integrals_of(of, control, breaks, if (!is.null(cauchy)) as.double(cauchy),
                         if (!is.null(weight)) end_weight(weight),
                         if (!is.null(oscillation)) checked_oscillation(oscillation))
  if (!alone) {
    warn_integrals(result)
    warn_zero(result, FALSE)
    return(integrals_frame(result))
  }
  endless <- !several && (is.infinite(lower) || is.infinite(upper))
  one_integral(result, stop.on.error, call, integral_hint(result, method, tolerance[2L], endless))
}

check_weights <- function(further, several, method, log) {
  if (method == "lattice" && !several)
    input_error("method", method, "is for several variables, whose limits are lists")
  given <- names(Filter(Negate(is.null), further))
  if (length(given) && (several || length(given) > 1L || method != "gk" || log))
    raise_engine_error("input", paste(given[1L], "is for one variable and method = \"gk\", without log and the",
                                      "others of cauchy, weight and oscillation"))
  cauchy <- further$cauchy
  if (is.null(cauchy)) return(invisible())
  check_numeric("cauchy", cauchy)
  if (!length(cauchy) || any(is.infinite(cauchy))) input_error("cauchy", cauchy, "must be finite")
}

# Lists of a class, as of dates, are no limits.
box_limits <- function(name, value) {
  if (!is.numeric(value) && (!is.list(value) || is.object(value) && !is.data.frame(value)))
    input_error(name, value, "must be a list of limits")
  if (is.pairlist(value)) as.list(value) else value
}

# Integrals over one variable. of: f, limits, params as columns, constants, and the environment of the call.
integrate_lines <- function(of, control, breaks) {
  if (control$log && is.function(of$f) && "log" %in% names(formals(args(of$f)))) of$constants$log <- TRUE
  check_variables(of)
  program <- integrand_program(of, first_place(of$lower, of$upper))
  m <- length(program$outputs)
  if (control$method != "gk" && m != 1L)
    input_error("method", control$method, sprintf("takes one component, and f has %d", m))
  n <- count_of_sizes(c(params = attr(of$params, "size"), lower = length(of$lower), upper = length(of$upper)))
  # further columns are no mistake, but if none is used names do not fit
  if (length(of$params) && !length(program$parameters$name))
    warn(sprintf("f uses no column of params (%s): all integrals have the same integrand",
                 toString(names(of$params), width = 60L)))
  part <- list(rows = parameter_rows(program, of$params, n), lower = rep_len(of$lower, n),
               upper = rep_len(of$upper, n),
               breaks = with_knots(break_points(breaks, n), program$knots, control))
  result <- if (control$method == "gk") integrate_rows(part, program, control) else panels_of(part, program, control)
  labelled_result(with_place(result, program, part$rows, of), program, of$params, if (control$log) "log")
}

# With what is shown of results besides.
labelled_result <- function(result, program, params, kind) {
  if (is_literal_zero(program)) result$code[result$code == 8L] <- 0L
  c(result, list(names = attr(params, "names_of_rows"), components = program$component_names, kind = kind))
}

# Where the first value that is not finite was met, and what f says if it stops there.
with_place <- function(result, program, rows, of) {
  bad <- which(result$code == 7L & !is.na(result$x))[1L]
  if (is.na(bad)) return(result)
  at <- result$x[bad]
  if (all(is.finite(integrand_columns(program, rows, bad, at)))) result$x[bad] <- NA # it is the sums that are not
  else result$place <- paste0(if (is.null(of$place)) shown_x(at) else of$place(at, bad),
                              missing_parameter(program, of$params, bad))
  if (isTRUE(program$stops)) result$says <- said_by(of, bad, at)
  result
}

# Arguments of f that have no value: further variables, as for limits in vectors elsewhere, or a column misspelt.
check_variables <- function(of) {
  open <- open_arguments(of$f, names(of$params), names(of$constants))
  own <- if (is.function(of$f)) formals(args(of$f))
  # where x itself has a default, a further argument may be one that is not needed
  if (!length(open) || nzchar(as.character(own[1L]))) return(invisible())
  own <- names(own)
  typo <- setdiff(names(of$params), own)
  typo <- typo[tolower(typo) %in% tolower(open)]
  if (length(typo))
    raise_engine_error("input", sprintf("params has a column %s, but f has %s", typo[1L], toString(own)))
  limits <- max(length(of$lower), length(of$upper))
  if (limits == length(open) + 1L && limits %in% 2:8)
    raise_engine_error("input", sprintf(paste(
      "no values are given for %s of f: if it is a variable of integration, limits are lists with an element for",
      "each variable, as lower = list(%s)"), toString(open), toString(rep("0", limits))))
}

# Arguments of a function f, but for the first, that have neither a default nor a value.
open_arguments <- function(f, columns, constants) {
  own <- if (is.function(f)) as.list(formals(args(f)))[-1L]
  setdiff(names(own)[vapply(own, identical, NA, quote(expr = ))], c("...", columns, constants))
}

integral_methods <- c("gk", "caq", "scaq", "bcaq", "pscaq", "pbcaq", "pbcaqr", "pbcaqs", "pbcaqg",
                      "lattice")

# Texts of the codes 0, 1, ...: the first seven are R's.
integral_messages <- c("OK", "maximum number of subdivisions reached", "roundoff error was detected",
                       "extremely bad integrand behaviour", "roundoff error is detected in the extrapolation table",
                       "the integral is probably divergent", "the input is invalid", "non-finite function value",
                       "f is 0 or denormal at all nodes")

# What may help. x: place of a value that is not finite.
integral_hint <- function(result, method, abs.tol, infinite) {
  code <- result$code
  x <- result$x
  if (code == 7L && is.null(result$place)) return("sums go beyond the largest number: scale f")
  if (method != "gk")
    return(switch(code, "give a larger abs.tol, or use method = \"gk\"", "give a larger abs.tol", "", "", "",
                  "see its limits and parameters",
                  "ends of intervals are nodes: choose other limits, or use method = \"gk\""))
  boxes <- identical(result$kind, "boxes")
  breaks <- if (boxes) "divide the range where f is difficult" else "give difficult points as breaks"
  panels <- if (!boxes) ", or more min.panels if f oscillates"
  small <- if (!identical(result$kind, "log")) paste0("; ", if (abs.tol == 0)
    "give abs.tol if the value is small against those of f (it is 0, where integrate() takes rel.tol)"
  else "give a larger abs.tol")
  far <- infinite && is.finite(x) && abs(x) > 1e3
  endless <- if (infinite && !boxes)
    "; if f oscillates without end, integrate the terms of a sum or product alone, or up to a finite limit"
  switch(code, paste0("allow more subdivisions or a larger rel.tol", panels, "; ", breaks, small, endless),
         paste0("rel.tol is smaller than rounding allows", small),
         paste0(breaks, panels, endless), paste0(breaks, ", or a larger rel.tol"),
         paste0("if it is not, ", breaks, endless), "see its limits and parameters",
         if (far) paste("Inf * 0, the logarithm of 0 or an overflow far out: use finite limits, or logarithms within",
                        "f, unless the integral diverges")
         else if (boxes) "if f is finite beside this point, and the integral too, divide the range there"
         else "if f is finite beside this point, and the integral too, give it as one of breaks")
}

# Integrals are a list: rows, a column of parameters for each, lower, upper, breaks and, of logarithms, shift, see
# log_scales(). control: tolerance, relative and absolute, subdivisions, min.panels, log, method, region of published
# algorithms, and whether tails that oscillate are looked for. Workers have some of the integrals each.
integrate_rows <- function(part, program, control) {
  n <- length(part$lower)
  parts <- if (n > 1000) cluster_parts(n, 1000) else 1L
  if (length(parts) == 1L) return(integrate_part(part, program, control))
  joined_parts(cluster_apply(lapply(parts, part_of, whole = part), "integrate_part", program, control))
}

part_of <- function(whole, at) {
  columns <- function(m) if (NCOL(m) == length(whole$lower)) m[, at, drop = FALSE] else m
  list(rows = columns(whole$rows), lower = whole$lower[at], upper = whole$upper[at], breaks = columns(whole$breaks))
}

# A column of break points for each integral.
own_breaks <- function(part) {
  n <- length(part$lower)
  if (is.null(part$breaks) || ncol(part$breaks) == n) part$breaks else matrix(part$breaks, length(part$breaks), n)
}

joined_parts <- function(found) sapply(names(found[[1L]]), function(name) {
  own <- lapply(found, `[[`, name)
  if (is.matrix(own[[1L]])) do.call(cbind, own) else unlist(own)
}, simplify = FALSE)

integrate_part <- function(part, program, control) {
  n <- length(part$lower)
  if (control$log && n > 2e4) # the grid of log_scales() takes memory
    return(joined_parts(lapply(split(seq_len(n), (seq_len(n) - 1L) %/% 2e4), function(at)
      integrate_part(part_of(part, at), program, control))))
  if (control$log) {
    given <- own_breaks(part)
    scales <- log_scales(program, part$rows, part$lower, part$upper, given)
    part$breaks <- rbind(given, scales$breaks)
    part$shift <- scales$shift
  }
  result <- panels_of(part, program, control)
  # 9: given up, as there seems to be oscillation
  endless <- is.infinite(part$lower - part$upper)
  tried <- if (control$tails) which(result$code == 9L | result$code %in% c(1L, 3L, 5L) & endless) else integer()
  # in blocks, for up to 1024 arcs of each row are kept at a time
  for (at in split(tried, (seq_along(tried) - 1L) %/% tail_rows)) {
    own <- part_of(part, at)
    found <- if (length(program$outputs) > 1L) integrate_components(own, program, control)
             else integrate_tails(own, columns_of(result, at), program, control)
    result <- put_columns(result, at, found)
  }
  integrate_local(result, part, program, control)
}

# Components oscillate each in its own way, or not at all: every one has cuts of its own.
integrate_components <- function(part, program, control) {
  each <- lapply(seq_along(program$outputs), function(k)
    integrate_part(part, component_program(program, k), control))
  of <- function(name) do.call(rbind, lapply(each, `[[`, name))
  rank <- code <- of("code")
  rank[code == 8L] <- 0L # a component that is 0 is none of the others' trouble
  rank[code == 5L] <- 99L
  worst <- cbind(max.col(t(rank), "first"), seq_len(ncol(rank)))
  found_code <- ifelse(colSums(code != 8L) == 0, 8L, ifelse(rank[worst] == 0L, 0L, code[worst]))
  list(value = unname(of("value")), abs.error = unname(of("abs.error")),
       subdivisions = as.integer(colSums(of("subdivisions"))), evaluations = colSums(of("evaluations")),
       code = found_code, x = of("x")[worst])
}

component_program <- function(program, k) {
  program$outputs <- program$outputs[k]
  if (is.null(program$call)) return(program)
  all <- program$call
  program$call <- function(x, row) {
    v <- all(x, row)
    if (!is.null(v)) matrix(v, length(x))[, k]
  }
  program
}

panels_of <- function(part, program, control) run_integrand(program, function()
  if (control$method == "gk") .Call(C_integrate, program, c(part, control))
  else .Call(C_integratePublished, program, c(part, control)))

# Relative and absolute tolerance. Published algorithms have the latter alone.
integral_tolerance <- function(rel.tol, abs.tol, method, given) {
  check_single("rel.tol", rel.tol, "not negative")
  check_single("abs.tol", abs.tol, "not negative")
  if (is.null(rel.tol) || is.null(abs.tol)) raise_engine_error("input", "rel.tol and abs.tol must be numbers")
  if (method == "gk") {
    least <- 50 * .Machine$double.eps
    if (abs.tol == 0 && rel.tol < least)
      input_error("rel.tol", rel.tol, sprintf("must be at least 50 * .Machine$double.eps (%.2g) where abs.tol is 0",
                                              least))
    return(c(rel.tol, abs.tol))
  }
  if (given$breaks)
    raise_engine_error("input", sprintf("breaks is for method = \"gk\", and the method is \"%s\"", method))
  if (!given$abs.tol) abs.tol <- if (given$rel.tol) rel.tol else 1e-6
  if (abs.tol == 0) input_error("abs.tol", abs.tol, sprintf("must be positive for method = \"%s\"", method))
  c(0, abs.tol)
}

region_size <- function(region) {
  parts <- c("blocks", "threads")
  if (!is.null(names(region))) {
    if (!setequal(names(region), parts)) input_error("names(region)", names(region), "must be blocks and threads")
    region <- region[parts]
  }
  check_numbers("region", region, "positive")
  if (length(region) != 2L || any(region != floor(region)) || prod(region) > 2^24)
    input_error("region", region, "must be two whole numbers, of blocks and of threads, with a product up to 2^24")
  stats::setNames(as.integer(region), parts)
}

# Limits of a single integral must be valid; bad ones among many have a code.
limit_values <- function(name, value, alone, method) {
  refuse_units(name, value)
  value <- plain_numbers(value)
  check_numeric(name, value)
  if (alone && is.na(value)) input_error(name, value, "must be a number: a limit is NA or NaN")
  if (alone && method != "gk" && !is.finite(value))
    input_error(name, value, sprintf("must be finite for method = \"%s\"", method))
  as.double(value)
}

# params as a list of columns: vectors and matrices of as many elements or rows. Attributes: the number of rows, and
# their names if they were given.
parameter_columns <- function(params) {
  if (is.null(params)) return(NULL)
  if (is.matrix(params)) {
    if (is.null(colnames(params))) input_error("params", "a matrix", "must have names of columns")
    params <- as.data.frame(params, optional = TRUE, stringsAsFactors = FALSE)
  }
  if (!is.list(params) || is.null(names(params)) && length(params))
    input_error("params", if (is.list(params)) "a list" else params,
                "must be a data frame, or a list with names, of columns")
  params <- plain_numbers(params)
  size <- if (is.data.frame(params)) nrow(params) else vapply(params, NROW, 1L)
  n <- if (!length(size)) 1L else if (all(size > 0L)) max(size) else 0L
  uneven <- which(size > 0L & n %% pmax(size, 1L) != 0L)
  if (length(uneven))
    raise_engine_error("input", sprintf("params$%s has %d elements, of which %d are no multiple",
                                        names(params)[uneven[1L]], size[uneven[1L]], n))
  for (name in names(params)) if (is_ragged(params[[name]])) check_ragged(name, params[[name]])
  odd <- names(params)[!vapply(params, function(v) is.atomic(v) || is.list(v), NA)]
  if (length(odd)) input_error(paste0("params$", odd[1L]), params[[odd[1L]]],
                               "must be a vector, or a matrix with a row for each integral")
  twice <- names(params)[duplicated(names(params))]
  if (length(twice)) raise_engine_error("input", sprintf("params has two columns named %s", twice[1L]))
  structure(lapply(as.list(params), bare_column), size = n,
            names_of_rows = if (is.data.frame(params)) given_row_names(params))
}

# Without the class of I(), which many a matrix column has.
bare_column <- function(v) {
  class(v) <- setdiff(oldClass(v), "AsIs")
  v
}

# R takes `l = 3` for lower. What was meant for lower is then left over without a name. written: names in the call.
check_whole_names <- function(written, ...) {
  for (whole in c("lower", "upper")) {
    is_part <- startsWith(rep(whole, length(written)), as.character(written))
    part <- written[is_part & nzchar(written) & written != whole]
    if (!length(part) || ...length() == 0L || all(nzchar(names(list(...)))) && !is.null(names(list(...)))) next
    raise_engine_error("input", sprintf(
      "%s was taken for %s, of whose name it is the beginning: give lower and upper by their names", part[1L], whole))
  }
}

# `...` as a list of constants.
integrand_constants <- function(...) {
  if (...length() == 0L) return(list())
  constants <- list(...)
  name <- names(constants)
  if (is.null(name) || anyNA(name) || !all(nzchar(name))) {
    i <- if (is.null(name)) 1L else which(is.na(name) | !nzchar(name))[1L]
    raise_engine_error("input", sprintf(paste(
      "argument %d of ... has no name: what f uses must be named (and a name such as l or up is taken for lower or",
      "upper, unless these are named)"), i))
  }
  for (i in seq_along(constants)) if (is.null(constants[[i]])) input_error(name[i], NULL, "must be a number")
  if (anyDuplicated(name)) raise_engine_error("input", sprintf("%s is given twice", name[duplicated(name)][1L]))
  plain_numbers(constants)
}

integrand_program <- function(of, at) {
  mode <- option_choice("statcl.translate", c("auto", "must", "never")) # must: be translated
  both <- intersect(names(of$constants), names(of$params))
  if (length(both)) raise_engine_error("input", sprintf("%s is given in params and by itself", both[1L]))
  of$f <- without_vectorize(of$f)
  if (mode == "never") return(integrand_by_r(of, NULL, at))
  program <- translate_or_refuse(of$f, of$params, of$constants, of$env)
  if (is.null(program$why)) return(program)
  if (mode == "must") raise_translation_error(program$why)
  by_r <- integrand_by_r(of, program$why, at)
  tell_translation(of$f, program$why, program$state)
  by_r
}

# The number of integrals: none where anything is empty.
count_of_sizes <- function(size) {
  if (any(size == 0L)) return(0L)
  n <- max(size)
  uneven <- which(n %% size != 0L)
  if (length(uneven))
    raise_engine_error("input", sprintf("%s is for %d integrals, of which %d (%s) are no multiple",
                                        names(size)[uneven[1L]], size[uneven[1L]], n, names(size)[which.max(size)]))
  n
}

# A column for each integral, a row for each parameter of the program.
parameter_rows <- function(program, params, n) {
  if (program$n_param == 0L || n == 0L) return(NULL)
  if (!is.null(program$call)) return(matrix(as.double(seq_len(n)), 1L))
  rows <- matrix(0, program$n_param, n)
  for (k in seq_len(program$n_param)) {
    column <- params[[program$parameters$name[k]]]
    rows[k, ] <- if (is.matrix(column)) column[, program$parameters$column[k]] else column
  }
  rows
}

# Break points and, where there is room for panels between them, the knots of tables.
with_knots <- function(breaks, knots, control) {
  if (!length(knots) || 2 * length(knots) >= control$subdivisions) return(breaks)
  rbind(breaks, matrix(knots, length(knots), if (is.null(breaks)) 1L else ncol(breaks)))
}

# A column of break points for each integral, or one for all; NULL for none. Those that are not finite divide nothing.
break_points <- function(breaks, n) {
  if (is.null(breaks)) return(NULL)
  if (is.data.frame(breaks)) breaks <- as.matrix(breaks)
  check_numeric("breaks", breaks)
  if (is.matrix(breaks)) {
    if (nrow(breaks) != 1L && nrow(breaks) != n)
      raise_engine_error("input", sprintf("breaks has %d rows for %d integrals", nrow(breaks), n))
    breaks <- t(unname(breaks))
  } else breaks <- matrix(breaks, ncol = 1L)
  breaks[!is.finite(breaks)] <- NA
  storage.mode(breaks) <- "double"
  breaks <- breaks[rowSums(!is.na(breaks)) > 0L, , drop = FALSE]
  if (length(breaks)) breaks
}

one_integral <- function(result, stop.on.error, call, hint) {
  code <- result$code
  message <- integral_messages[code + 1L]
  if (code == 7L && !is.null(result$place)) message <- paste(message, "at", shown_place(result))
  if (!is.null(result$says)) hint <- "see its limits and parameters"
  if (code != 0L && code != 8L && stop.on.error)
    raise_engine_error("integral", sprintf("%s: %s", message, hint))
  warn_zero(result, TRUE)
  frame <- integrals_frame(result)
  if (length(result$value) > 1L) return(frame)
  frame <- as.list(frame)
  structure(c(frame[1:3], list(message = message, call = call), frame[-(1:3)]), class = "integrate")
}

# Values and errors of several components are matrices. Published algorithms have two more columns.
integrals_frame <- function(result) {
  n <- ncol(result$value)
  names <- if (n > 0L) rep_names(result$names, n)
  columns <- function(v) {
    if (nrow(v) == 1L) return(as.vector(v))
    dimnames(v) <- if (!is.null(result$components)) list(result$components, NULL)
    t(v)
  }
  counters <- c("subdivisions", "evaluations", "code", if (!is.null(result$regions)) c("regions", "launches"))
  of_shifts <- if (!is.null(result$std.error)) list(std.error = columns(result$std.error))
  own <- list(value = columns(result$value), abs.error = columns(result$abs.error))
  structure(c(own, result[counters], of_shifts),
            row.names = if (is.null(names)) .set_row_names(n) else names, class = c("integrals", "data.frame"))
}

# Names of the rows of params, if these are the integrals.
rep_names <- function(names, n) if (length(names) == n) names
shown_row <- function(label, row) if (is.null(label)) row else dQuote(label[row], FALSE)

# One warning for all integrals that failed.
warn_integrals <- function(result) {
  code <- replace(result$code, result$code == 8L, 0L) # see warn_zero()
  if (all(code == 0L)) return()
  label <- rep_names(result$names, length(code))
  parts <- vapply(sort(unique(code[code != 0L])), function(k) {
    at <- which(code == k)
    place <- if (k == 7L && !is.null(result$place)) paste(" at", shown_place(result)) else ""
    sprintf("%s (%d, first in row %s%s)", integral_messages[k + 1L], length(at), shown_row(label, at[1L]), place)
  }, "")
  warn(sprintf("%d of %d integrals failed: %s", sum(code != 0L), length(code), paste(parts, collapse = "; ")))
}

# Of an integrand that is not 0 as it is written, this is more often a peak between the nodes or an underflow.
warn_zero <- function(result, alone) {
  if (!any(result$code == 8L)) return()
  zero <- which(result$code == 8L)
  label <- rep_names(result$names, length(result$code))
  what <- if (alone) "the integral is"
          else sprintf("%d of %d integrals (first in row %s) %s", length(zero), length(result$code),
                       shown_row(label, zero[1L]), if (length(zero) > 1L) "are" else "is")
  kind <- if (is.null(result$kind)) "plain" else result$kind
  message <- paste0(what, switch(
    kind, log = " that of 0, for f is -Inf, or next to it, at all nodes: if there is a narrow peak, give breaks",
    boxes = " 0, for f is 0 or denormal at all nodes: if there is a narrow peak, give limits near it",
    paste(" 0, for f is 0 or denormal at all nodes: if there is a narrow peak, see min.panels and breaks; if values",
          "underflow, give the logarithm of f with log = TRUE")))
  warn(message, class = "statcl_warning_zero")
}

is_literal_zero <- function(program) {
  at <- program$outputs
  all(at >= 1L & at <= length(program$constants)) && isTRUE(all(program$constants[at] == 0))
}

shown_x <- function(x) paste("x =", format(x, digits = 15))

missing_parameter <- function(program, params, row) {
  for (name in program$parameters$name) {
    value <- rows_of_column(params[[name]], row)
    if (anyNA(value)) return(sprintf(", where %s is %s", name, value[is.na(value)][1L]))
  }
  ""
}

# Where the first integral that has met such a place is not finite, and what f says if it stops there.
shown_place <- function(result)
  paste0(result$place, if (!is.null(result$says)) sprintf(", where f stops: %s", result$says))

said_by <- function(of, row, x) tryCatch({
  suppressWarnings(integrand_by_r(of, NULL, list(x = x, row = row)))
  NULL
}, error = conditionMessage)

#' Parameterisations of stable distributions
#'
#' `stableConvert` gives the parameters of the same distributions in another parameterisation, `stableMode` their
#' modes.
#'
#' Use `stableConvert` to compare estimates with those of other software, or to get the mean, which is the location of
#' `pm = 1` for `alpha > 1`. `alpha` and `beta` are the same in all three parameterisations (see [dstable()]); `gamma`
#' differs for `pm = 2` only. Where `alpha` is near 1 the location of `pm = 1` is far from the others, so that a
#' conversion there loses the digits by which `gamma * tan(pi * alpha / 2)` exceeds the result.
#'
#' The mode has a closed form in special cases only. It is found by Newton's method on the derivative of the log
#' density; stable densities are unimodal (Yamazato, 1978).
#' @inheritParams stable
#' @param from,to parameterisations of the arguments and of the result: 0, 1 or 2. They are recycled, too.
#' @return `stableConvert` gives a data frame with columns `alpha`, `beta`, `gamma`, `delta` and `pm`, and a row for
#'   each element of the longest argument. `stableMode` gives a vector, as [dstable()] does. Parameters outside their
#'   ranges give `NaN` with a warning, in `stableConvert` for `gamma` and `delta`; values of `from` and `to` other
#'   than 0, 1, 2 and `NA` are errors.
#' @references
#' Yamazato, M. (1978). Unimodality of infinitely divisible distribution functions of class L.
#' *Annals of Probability* **6**, 523--531.
#' @seealso [dstable()]
#' @examples
#' # the mean of a distribution given by its mode: the location for pm = 1
#' stableConvert(1.5, c(-0.5, 0, 0.5), gamma = 2, delta = 10, from = 2, to = 1)
#' stableMode(c(0.5, 1, 1.5, 2), beta = 0.7)
#' @export
stableConvert <- function(alpha, beta, gamma = 1, delta = 0, from, to) {
  need(alpha = missing(alpha), beta = missing(beta), from = missing(from), to = missing(to))
  check_parameterisation("from", from)
  check_parameterisation("to", to)
  r <- recycle(alpha = alpha, beta = beta, gamma = gamma, delta = delta, from = from, to = to)
  ok <- known_distribution(r)
  new_gamma <- r$gamma
  new_delta <- r$delta
  new_gamma[!ok] <- new_delta[!ok] <- NaN
  i <- which(ok & r$from != r$to)
  if (length(i)) {
    a <- r$alpha[i]
    shrink <- a^(-1 / a)
    scale <- ifelse(r$from[i] == 2, shrink * r$gamma[i], r$gamma[i]) # of S0 and S1
    # the location in units of the scale, counted from that of S0
    mode <- numeric(length(i))
    by_mode <- r$from[i] == 2 | r$to[i] == 2
    if (any(by_mode)) mode[by_mode] <- stableMode(a[by_mode], r$beta[i][by_mode])
    offset <- function(pm)
      ifelse(pm == 2, mode, ifelse(pm == 1, mean_offset(a, r$beta[i], scale), 0))
    move <- offset(r$to[i]) - offset(r$from[i])
    new_delta[i] <- r$delta[i] + ifelse(move == 0, 0, scale * move)
    new_gamma[i] <- ifelse(r$to[i] == 2, scale / shrink, scale)
  }
  missing <- set_missing(ifelse(ok & !is.nan(new_delta), 0, NaN), r)
  gone <- is.na(missing)
  new_gamma[gone] <- new_delta[gone] <- missing[gone]
  data.frame(alpha = r$alpha, beta = r$beta, gamma = new_gamma, delta = new_delta, pm = r$to)
}

# Missing ones are those of the result.
check_parameterisation <- function(name, value) {
  value <- plain_numbers(value)
  bad <- if (is.numeric(value) || is.logical(value)) !is.na(value) & !value %in% 0:2 else rep(TRUE, length(value))
  if (any(bad)) name_value(name, value, bad, "must be 0, 1 or 2, as pm of dstable()")
}

#' @rdname stableConvert
#' @export
stableMode <- function(alpha, beta, gamma = 1, delta = 0, pm = 0)
  .External(C_elementwise, "stableMode", alpha, beta, gamma, delta, pm)

# tan(pi alpha/2) with its relative accuracy next to alpha = 1 and 2, as in src/stable/stable.c; 0 for alpha = 1.
stable_tangent <- function(alpha)
  ifelse(alpha == 1, 0,
         ifelse(alpha > 1.5, tan(pi / 2 * (alpha - 2)),
                ifelse(alpha < 0.5, tan(pi / 2 * alpha), -1 / tan(pi / 2 * (alpha - 1)))))

# Location of S1 less that of S0, for scale gamma, in units of it: for alpha > 1 the mean of the standard S0
# distribution.
mean_offset <- function(alpha, beta, gamma = 1)
  -beta * ifelse(alpha == 1, 2 / pi * log(ifelse(gamma > 0, gamma, 1)), stable_tangent(alpha))

known_distribution <- function(r) {
  known <- r$alpha > 0 & r$alpha <= 2 & abs(r$beta) <= 1 & r$gamma >= 0
  !is.na(known) & known & !r$is_na & !r$is_nan
}

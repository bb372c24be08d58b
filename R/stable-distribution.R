#' The distribution of a fit, and starts for other fitting functions
#'
#' `distribution()` gives the density, distribution function, quantiles and random numbers of a fitted stable
#' distribution, in the parameterisation of the fit; `stableStart()` gives starting values to functions that fit
#' distributions by name, such as `fitdist()` of package \pkg{fitdistrplus}.
#'
#' The parameterisation `pm` of a fit is not part of its coefficients, and [dstable()] assumes `pm = 0`. The functions
#' of `distribution()` use that of the fit, so that no conversion is needed.
#' @param object a [stableFit()].
#' @param ... for methods of other classes.
#' @param x numeric vector of observations.
#' @return `distribution()`: a list of class `stableDistribution` with the functions `d(x, log = FALSE)`, `p(q,
#'   lower.tail = TRUE, log.p = FALSE)`, `q(p, lower.tail = TRUE, log.p = FALSE)` and `r(n)`, and the vector
#'   `parameters` of `alpha`, `beta`, `gamma`, `delta` and `pm`. `stableStart()`: a list of `alpha`, `beta`, `gamma`
#'   and `delta` (`pm = 0`), by McCulloch's quantiles, inside the range of the parameters.
#' @seealso [stableFit()], [dstable()]
#' @examples
#' returns <- 100 * diff(log(datasets::EuStockMarkets[, "DAX"]))
#' fit <- stableFit(returns, pm = 1)
#' dax <- distribution(fit)
#' dax
#' dax$q(c(0.01, 0.99))
#' dax$p(-3)
#'
#' if (requireNamespace("fitdistrplus", quietly = TRUE))
#'   fitdistrplus::fitdist(as.numeric(returns[1:300]), "stable", start = stableStart,
#'                         fix.arg = list(pm = 0),
#'                         lower = c(0.1, -1, 0, -Inf), upper = c(2, 1, Inf, Inf))
#' @export
distribution <- function(object, ...) {
  need(object = missing(object))
  UseMethod("distribution")
}

#' @rdname distribution
#' @export
distribution.stableFit <- function(object, ...) {
  check_extra(...)
  check_fit("object", object, "stableFit")
  par <- as.list(c(coef(object), pm = object$pm))
  at <- function(f, given, ...) f(given, par$alpha, par$beta, par$gamma, par$delta, par$pm, ...)
  structure(list(
    d = function(x, log = FALSE) at(dstable, x, log),
    p = function(q, lower.tail = TRUE, log.p = FALSE) at(pstable, q, lower.tail, log.p),
    q = function(p, lower.tail = TRUE, log.p = FALSE) at(qstable, p, lower.tail, log.p),
    r = function(n) at(rstable, n), parameters = unlist(par)), class = "stableDistribution")
}

#' @export
print.stableDistribution <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  cat("Stable distribution with functions d, p, q and r\n")
  print(x$parameters, digits = digits)
  invisible(x)
}

#' @rdname distribution
#' @export
stableStart <- function(x) {
  start <- as.list(coef(stableFit(x, "mcculloch")))
  start$alpha <- min(max(start$alpha, 0.1), 1.98)
  start$beta <- min(max(start$beta, -0.95), 0.95)
  start
}

# Responses that are known to be between two ends.

#' Censored responses
#'
#' Responses of [gpFit()] of which only an interval is known, or that they are above or below a limit.
#'
#' `gpFit(censored(lower, upper) ~ x, ...)` has the probability of the interval in the place of the density of an
#' observation, for responses of the families [gaussian()], [lognormal()], [student()] and [poisson()]. Where `lower`
#' and `upper` are the same the response is observed, and in one fit there may be both. Intervals of counts include
#' their ends: `censored(5, Inf)` is 5 or more. Responses by `survival::Surv()`, of the types `"right"`, `"left"`,
#' `"interval"` and `"interval2"`, are the same; the package is not needed for them.
#'
#' Errors of censored normal responses have the standard deviation `family.sd`, whose square is the nugget of fits to
#' responses that are not censored. Beside a process or [grouped effects][gpGroups] they, and log-normal ones, are
#' fitted by expectation propagation: where many are censored, Laplace's approximation takes errors for a process
#' without correlation, and coefficients may be far too small. With `weights`, and of other families, the default is
#' Laplace's approximation.
#'
#' Ends alone tell less than observations do. Where all responses are above, or all below their ends, where one mean
#' is inside of all intervals, and where it goes through all that is observed and these, the likelihood has no
#' maximum, which is an error. Responses that are all known to be above or below one point tell coefficients in units
#' of the standard deviation of errors alone, which then is to be given, as in `fixed = list(family.sd = 1)`.
#'
#' Probabilities and their derivatives keep their digits in both tails and for short intervals: differences of
#' distribution functions are taken by their logarithms or, where these cancel, by quadrature. Those of normal,
#' log-normal and Poisson responses are logarithmically concave in the linear predictor.
#'
#' Of a censored response, `"quantile"` [residuals][residuals.gpFit] are drawn at random within its interval,
#' `"deviance"` residuals are by the largest probability of the interval, with the sign of the direction to it, and
#' all others, and the observations of [gpCV()], take its finite end or the middle between both ends. Its logarithmic
#' score in cross-validation is that of the interval. [simulate()][simulate.gpFit] draws responses that are not
#' censored.
#'
#' @param lower,upper numeric vectors of the ends of intervals, recycled to the longer; `-Inf`, `Inf` or `NA` where
#'   there is none. Where both are missing, so is the response.
#' @param x a result of `censored()`.
#' @param i,j rows, and columns.
#' @param drop,... for methods.
#' @return A matrix with a row for each response and the columns `lower` and `upper`, of class `censored`; `format()`
#'   and `print()` show it as `3`, `3+`, `3-` and `[3, 5]`.
#' @seealso [gpFit()], [gpFamilies]
#' @examples
#' # precipitation below 0.5 is not measured
#' set.seed(1)
#' d <- data.frame(x = runif(60))
#' d$rain <- rlnorm(60, 2 * d$x - 1, 0.6)
#' d$measured <- censored(ifelse(d$rain < 0.5, NA, d$rain), pmax(d$rain, 0.5))
#' head(d)
#' gpFit(measured ~ x, d, cov = NULL, family = lognormal())
#' @export
censored <- function(lower, upper) {
  need(lower = missing(lower), upper = missing(upper))
  given <- list(lower = lower, upper = upper)
  for (name in names(given)) {
    refuse_units(name, given[[name]])
    check_numeric(name, given[[name]])
  }
  n <- if (min(lengths(given))) max(lengths(given)) else 0L
  if (n && any(n %% lengths(given) != 0L)) raise_engine_error("input", sprintf(
    "lower has length %d and upper %d: they must be the same, or one of them 1", length(lower), length(upper)))
  lower <- rep_len(as.double(lower), n)
  upper <- rep_len(as.double(upper), n)
  lower[is.na(lower)] <- -Inf
  upper[is.na(upper)] <- Inf
  if (any(lower > upper)) element_error("lower", lower, lower > upper, "lower must not be above upper")
  for (name in c("lower", "upper")) {
    bad <- get(name) == if (name == "lower") Inf else -Inf
    if (any(bad)) element_error(name, get(name), bad, sprintf(
      "no number is %s it", if (name == "lower") "above" else "below"))
  }
  structure(cbind(lower = lower, upper = upper), class = "censored")
}

#' @rdname censored
#' @export
`[.censored` <- function(x, i, j, drop = TRUE) {
  if (missing(j)) structure(unclass(x)[i, , drop = FALSE], class = "censored") else unclass(x)[i, j, drop = drop]
}

#' @export
is.na.censored <- function(x) unname(unclass(x)[, 1L] == -Inf & unclass(x)[, 2L] == Inf)

#' @rdname censored
#' @export
format.censored <- function(x, ...) {
  ends <- unclass(x)
  ends[] <- format(as.vector(ends), trim = TRUE, ...)
  known <- is.finite(unclass(x))
  unname(ifelse(known[, 1L] & known[, 2L],
                ifelse(unclass(x)[, 1L] == unclass(x)[, 2L], ends[, 1L], sprintf("[%s, %s]", ends[, 1L], ends[, 2L])),
                ifelse(known[, 1L], paste0(ends[, 1L], "+"), ifelse(known[, 2L], paste0(ends[, 2L], "-"), "NA"))))
}

#' @rdname censored
#' @export
print.censored <- function(x, ...) {
  print(format(x, ...), quote = FALSE)
  invisible(x)
}

#' @export
as.data.frame.censored <- function(x, ...)
  stats::setNames(as.data.frame.model.matrix(x, ...), deparse1(substitute(x)))

# ---- of model frames ----

is_censored <- function(y) inherits(y, c("censored", "Surv"))

# Is the response of the formula such a one? What cannot be evaluated is for the model frame to say.
has_censored_response <- function(formula, data)
  length(formula) == 3L && (is.list(data) || is.environment(data)) &&
    is_censored(tryCatch(eval(formula[[2L]], data, environment(formula)), error = function(e) NULL))

# Two columns of ends; those of survival::Surv() by its attributes.
censored_ends <- function(y, name) {
  if (inherits(y, "censored")) return(unname(unclass(y)))
  type <- attr(y, "type")
  y <- unclass(y)
  time <- y[, 1L]
  status <- y[, ncol(y)]
  if (!type %in% c("right", "left", "interval", "interval2"))
    input_error("formula", name, sprintf(
      "must be of type \"right\", \"left\" or \"interval2\": it is of type \"%s\"", type))
  event <- status == 1
  if (type == "right") cbind(time, ifelse(event, time, Inf))
  else if (type == "left") cbind(ifelse(event, time, -Inf), time)
  else cbind(ifelse(status == 2, -Inf, time), ifelse(status == 0, Inf, ifelse(status == 3, y[, 2L], time)))
}

# The response with a number for each interval, and its ends as `from` and `to`, of which one beyond the support is
# infinite; NULL as `cases` where all are observed.
censored_response <- function(y, family, name, labels) {
  entry <- family_entry(family)
  if (is.null(entry$between)) input_error("formula", name, sprintf(
    "is censored, which is for the families gaussian, lognormal, student and poisson, not %s", family$family))
  ends <- censored_ends(y, name)
  from <- ifelse(ends[, 1L] <= entry$support[1L], -Inf, ends[, 1L])
  to <- ends[, 2L]
  same <- ends[, 1L] == to
  from[same] <- to[same]
  known <- cbind(is.finite(from), is.finite(to))
  if (any(!known[, 1L] & !known[, 2L])) element_error(name, from, !known[, 1L] & !known[, 2L],
                                                      "the response must have one finite end", labels)
  for (end in list(ifelse(known[, 1L], from, to), ifelse(known[, 2L], to, from)))
    entry$check(end, 1, function(at, what) if (any(at)) element_error(name, end, at, what, labels))
  whole <- identical(entry$atoms, "whole")
  middle <- if (entry$support[1L] == 0) sqrt(pmax(from, 0) * to) else (from + to) / 2
  middle <- ifelse(known[, 1L] & known[, 2L], middle, ifelse(known[, 1L], from, to))
  list(y = ifelse(same, to, if (whole) floor(middle) else middle),
       cases = if (!all(same)) list(from = unname(from), to = unname(to)))
}

# Is there a maximum? Intervals may have a probability of 1 at a limit of the mean or of the scale of errors, the
# first of the family's `own` parameters, and ends tell nothing of this scale where the mean can be all of them. `X`
# has the covariates.
check_censored <- function(l, own, X) {
  if (is.null(l$cases$from)) return(invisible())
  seen <- if (is.null(l$cases$weights)) seq_along(l$y) else which(l$cases$weights > 0)
  from <- l$cases$from[seen]
  to <- l$cases$to[seen]
  X <- X[seen, , drop = FALSE]
  refuse <- function(...) raise_engine_error("input", paste0(...))
  above <- all(to == Inf)
  if (has_constant(X) && (above || all(from == -Inf))) refuse(
    "all responses are censored ", if (above) "above" else "below", ": their probability is the larger the ",
    if (above) "larger" else "smaller", " the mean is, and there is nothing to fit")
  scale <- own_names(l$family)[own$free][1L]
  if (!is.na(scale)) check_scale(family_entry(l$family), from, to, l$offset[seen], X, scale, refuse)
  if (ncol(X) && all(from == from[1L] & to == to[1L] & l$offset[seen] == l$offset[seen[1L]]))
    refuse("the response is constant: there is nothing to fit")
}

check_scale <- function(entry, from, to, offset, X, scale, refuse) {
  ends <- lapply(list(from, to), pmax, entry$support[1L])
  low <- entry$middle(ends[[1L]], ends[[1L]]) - offset # as linear predictors
  high <- entry$middle(ends[[2L]], ends[[2L]]) - offset
  exact <- from == to
  fitted <- function(v, at) {
    if (!ncol(X)) return(0 * low)
    b <- stats::lm.fit(X[at, , drop = FALSE], v[at])$coefficients
    drop(X %*% ifelse(is.na(b), 0, b))
  }
  ends <- c(low, high)
  near <- 1e-10 * max(abs(ends[is.finite(ends)]))
  if (any(exact)) {
    eta <- fitted(low, exact)
    if (all(abs(eta - low)[exact] <= near) && all(eta >= low - near & eta <= high + near)) refuse(
      "the mean goes through all responses that are observed, and through the intervals of all others: their ",
      "density grows without bound as ", scale, " goes to 0")
    return(invisible())
  }
  if (if (has_constant(X)) max(low) < min(high) else max(low) < 0 && min(high) > 0) refuse(
    "all responses are censored, and one mean is inside of all intervals: their probability goes to 1 as ", scale,
    " goes to 0, and there is nothing to fit")
  if (any(is.finite(low) & is.finite(high))) return(invisible())
  end <- ifelse(is.finite(low), low, high)
  if (all(abs(end - fitted(end, TRUE)) <= near)) refuse(
    "all responses are cut at ", if (all(end == end[1L])) "one point" else "limits that are linear in the covariates",
    ", which tells coefficients in units of ", scale, " alone: give that, as in fixed = list(", scale, " = 1)")
}

# ---- densities and probabilities ----

# The log densities of observations and the logarithms of probabilities of intervals, as case_terms() has them.
interval_terms <- function(l, eta, own, by) {
  inside <- l$cases$from < l$cases$to
  entry <- family_entry(l$family)
  of <- function(at) family_terms(l$family, l$y[at], l$trials[at], eta[at], some_own(own, at), by)
  between <- entry$between(l$cases$from[inside], l$cases$to[inside], eta[inside], some_own(own, inside),
                           l$family$link, by)
  mixed_terms(inside, of(!inside), between)
}

mixed_terms <- function(at, no, yes) {
  if (is.list(no)) return(Map(function(a, b) mixed_terms(at, a, b), no, yes[names(no)]))
  value <- numeric(length(at))
  value[at] <- yes
  value[!at] <- no
  value
}

# Residuals of the likelihood: of an interval what its probability is below the largest one, towards it.
case_deviance <- function(l, eta, own) {
  found <- deviance_residuals(l$family, l$y, l$trials, eta, own)
  inside <- if (is.null(l$cases$from)) FALSE else l$cases$from < l$cases$to
  if (!any(inside)) return(found)
  entry <- family_entry(l$family)
  from <- l$cases$from[inside]
  to <- l$cases$to[inside]
  value <- function(eta) entry$between(from, to, eta, own, l$family$link, FALSE)
  here <- value(eta[inside])
  best <- pmin(pmax(entry$middle(from, to), -1e100), 1e100)
  open <- is.infinite(from) | is.infinite(to) # of which the probability may be 1
  most <- ifelse(open, 0, value(ifelse(open, eta[inside], best))$value)
  found[inside] <- sign(here$score) * sqrt(2 * pmax(most - here$value, 0))
  found
}

# The largest log density of observations over the linear predictor; of an interval the probability may be 1.
largest_case <- function(l, eta, own) {
  most <- largest_density(l$family, l$y, l$trials, eta, own)
  if (is.null(l$cases$from)) most else ifelse(l$cases$from < l$cases$to, 0, most)
}

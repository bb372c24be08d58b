# Confidence limits of Gaussian processes: normal ones on the scale of the search, and those of the profile of the
# likelihood.

#' Confidence limits of Gaussian processes
#'
#' Confidence limits for the coefficients of the mean and the parameters of the covariance.
#'
#' `"transformed"` limits, the default, are normal ones: of coefficients as they are, of covariance parameters on the
#' scale of the search, which is the logarithm of what is positive, the logit of what is between two bounds, and the
#' angle itself. Carried back they are inside the range of the parameter. `"wald"` limits are normal for the
#' parameters themselves. Parameters on a boundary have neither.
#'
#' `"profile"` limits are where the likelihood, maximised over all other parameters, has fallen by half the quantile
#' of the chi-squared distribution with one degree of freedom. The distribution of estimates of covariance
#' parameters is often far from normal, above all of range and variance: normal limits are then too narrow.
#' If the profile does not fall so far up to the end of the search, the limit is the boundary of the parameter, 0 or
#' `Inf`. Parameters that are on a boundary have limits too. A limit takes about ten fits, each of which starts from
#' the one before. A restricted likelihood has no profile for
#' coefficients: they have the normal limits then.
#'
#' A fit with a `family` has no profile.
#'
#' A profile that meets a larger maximum than the fit begins again from there, and a warning of class
#' `statcl_warning_better_fit` has the parameters in its component `start`.
#'
#' @param object a fit by [gpFit()].
#' @param parm names or numbers of the parameters, as `coef(object, "all")` has them (a name that a covariate
#'   shares with a parameter is that of the covariate); by default the coefficients of the mean and the parameters of
#'   the covariance, without those of anisotropy where there is none.
#' @param level confidence level, between 0 and 1.
#' @param method method of the limits, see details.
#' @param ... not used.
#' @return A matrix with a row for each parameter and two columns, `NA` for parameters without limits, such as those
#'   that are fixed.
#' @references
#' Stein, M. L. (1999). *Interpolation of Spatial Data*. Springer, New York.
#' @seealso [gpFit()], [vcov()][gpFit-methods]
#' @examples
#' quakes <- subset(datasets::quakes, depth < 100)
#' model <- covModel("exponential", range = NA, nugget = NA, distance = "chordal")
#' fit <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat, cov = model)
#' confint(fit)
#' confint(fit, "range", method = "profile")
#' @export
confint.gpFit <- function(object, parm, level = 0.95, method = c("default", "profile", "transformed", "wald"),
                          ...) {
  refuse_extra("confint.gpFit", ...)
  method <- choice("method", method)
  check_level(level)
  estimate <- gp_estimates(object)
  k <- length(object$coefficients)
  if (missing(parm)) parm <- which(c(rep(TRUE, k), gp_notable(object)))
  at <- which_parameters(parm, names(estimate), "parm")
  limits <- gp_normal_limits(object, estimate, level, method != "wald")
  if (method == "profile") {
    normal_only(object, "profiles")
    means <- at[at <= k]
    if (length(means) && object$estimator == "REML")
      message("a restricted likelihood has no profile for coefficients: their limits are normal ones")
    profiled <- at[at > k | object$estimator == "ML"]
    limits[profiled, ] <- gp_profile(object, profiled, level)
  }
  dimnames(limits) <- list(names(estimate), percent(c(1 - level, 1 + level) / 2))
  limits[at, , drop = FALSE]
}

gp_normal_limits <- function(object, estimate, level, transformed) {
  z <- stats::qnorm((1 + level) / 2)
  error <- gp_errors(object)
  limits <- cbind(estimate - z * error, estimate + z * error)
  if (!transformed) return(limits)
  rows <- gp_parameter_rows(object)
  own <- length(object$coefficients) + seq_len(nrow(rows))
  t <- to_search(rows$value, rows)
  step <- z * error[own] / search_jacobian(rows$value, rows)
  limits[own, ] <- cbind(from_search(t - step, rows), from_search(t + step, rows))
  limits
}

# Profile limits of the parameters `at` of c(coefficients, covariance parameters), a row each. The profile begins
# again from a larger maximum that it meets.
gp_profile <- function(object, at, level) {
  k <- length(object$coefficients)
  limits <- matrix(NA_real_, length(at), 2L)
  open <- which(c(!is.na(object$coefficients), !object$parameters$fixed)[at])
  if (!length(open)) return(limits)
  s <- gp_profile_state(object)
  on.exit(s$lik$close())
  depth <- stats::qchisq(level, 1)
  began <- proc.time()
  on.exit(progress_loop_done(), add = TRUE)
  for (attempt in 1:4) {
    higher <- NULL
    for (m in seq_along(open)) {
      limits[open[m], ] <- tryCatch(
        vapply(c(-1, 1), function(side) {
          progress_loop("confint", began, (m - (side < 0) / 2 - 0.5) / length(open))
          gp_limit(s, at[open[m]], side, depth)
        }, 0), statcl_higher = function(e) {
          higher <<- e
          c(NA_real_, NA_real_)
        })
      if (!is.null(higher)) break
    }
    if (is.null(higher)) break
    s <- gp_higher(s, higher$v)
    if (attempt == 3L) s$least <- Inf
  }
  if (s$loglik > object$loglik + s$least || s$least == Inf) {
    free <- s$rows$name %in% s$free
    warn(sprintf(paste("the profile has found a larger maximum than the fit, by %s, and is that of the larger one:",
                       "fit again with start from the estimates that this warning has in its component start"),
                 rounded(s$loglik - object$loglik)),
         class = "statcl_warning_better_fit",
         with = list(start = as.list(stats::setNames(s$v[free], s$rows$name[free]))))
  }
  lost <- is.na(limits[open, , drop = FALSE])
  if (any(lost))
    warn("no profile limit found for ", toString(names(gp_estimates(object))[at[open[rowSums(lost) > 0]]]))
  limits
}

# What a profile needs of a fit: its likelihood, all `rows` of covariance parameters with their values v, the names of
# those that are `free`, the ends of the search for each, coefficients with their errors, the largest likelihood, and
# by how much it must be missed for the profile to begin again: the limits do not depend on less.
gp_profile_state <- function(object) {
  lik <- likelihood_of(object)
  about <- lik$search()
  rows <- about$rows
  free <- rows$name[!object$parameters$fixed]
  scales <- gp_scales(about$problem, about$data)
  for (map in search_space(about, free, scales)$maps) if (!is.null(map$lower)) rows$lower[map$at[1L]] <- map$lower
  ends <- list(low = rep(NA_real_, nrow(rows)), high = rep(NA_real_, nrow(rows)))
  space <- list(rows = rows, at = match(free, rows$name), reference = 0L, maps = list())
  bounds <- search_bounds(space, scales, about$ends)
  angle <- rows$kind[space$at] == "angle" # half a turn is none
  bounds$low[angle] <- rows$value[space$at][angle] - 90
  bounds$high[angle] <- rows$value[space$at][angle] + 90
  ends$low[space$at] <- bounds$low
  ends$high[space$at] <- bounds$high
  list(lik = lik, rows = rows, v = rows$value, free = free, ends = ends, k = length(object$coefficients),
       used = which(!is.na(object$coefficients)), least = 1e-3, coefficients = object$coefficients,
       loglik = object$loglik, error = gp_errors(object), sill = sum(rows$value[rows$kind == "sill"]))
}

# The likelihood with parameter i of all at this value, maximised over the others, from the covariance parameters v or
# from starts of its own, if there is no v.
gp_profile_point <- function(s, i, value, v) {
  free <- s$free
  anew <- is.null(v)
  if (anew) v <- s$v
  if (i > s$k) {
    v[i - s$k] <- value
    free <- setdiff(free, s$rows$name[i - s$k])
  } else s$lik <- s$lik$hold(match(i, s$used), value)
  found <- gp_maximise(s, free, v, anew)
  if (found$loglik > s$loglik + s$least)
    stop(structure(class = c("statcl_higher", "condition"), list(message = "", call = NULL, v = found$v)))
  found
}

# The maximum over the free parameters from v, or anew.
gp_maximise <- function(s, free, v, anew = FALSE) {
  start <- v
  start[s$rows$name %in% free & s$rows$kind == "sill" & v == 0] <- 1e-3 * s$sill # 0 is no place to begin at
  found <- tryCatch(
    if (length(free))
      gp_find(s$lik, list(free = free, searched = free, unknown = if (anew) free else character(), v = start))
    else c(s$lik$evaluate(parameter_point(start), -Inf), list(v = start)),
    statcl_error_input = function(e) list(value = -Inf, v = v))
  list(loglik = found$value, v = found$v)
}

# The state at a larger maximum.
gp_higher <- function(s, v) {
  found <- gp_maximise(s, s$free, v)
  s$v <- found$v
  s$loglik <- found$loglik
  s$coefficients[s$used] <- s$lik$evaluate(parameter_point(s$v), -Inf)$beta
  s
}

# The limit of parameter i on one side: steps on the scale of the search, each twice as long as the one before, until
# the likelihood has fallen by depth/2, and between the last two regula falsi for its signed root, which is nearly
# linear.
gp_limit <- function(s, i, side, depth) {
  own <- i - s$k
  row <- if (own > 0) s$rows[own, ]
  back <- function(t) if (own > 0) from_search(t, row) else t
  at <- if (own > 0) to_search(s$v[own], row) else s$coefficients[[i]]
  error <- s$error[i] / if (own > 0) search_jacobian(s$v[own], row) else 1
  end <- if (own <= 0) side * Inf else if (side < 0) s$ends$low[own] else s$ends$high[own]
  boundary <- if (own <= 0) NA else if (side < 0) row$lower else row$upper
  if (own > 0 && is.infinite(row$lower)) boundary <- end
  v <- s$v
  root <- function(t, value = back(t), from = v) {
    found <- gp_profile_point(s, i, value, from)
    fall <- 2 * (s$loglik - found$loglik)
    if (isTRUE(fall < depth)) v <<- found$v
    if (is.finite(fall)) min(sqrt(max(fall, 0)) - sqrt(depth), 10) else 10
  }
  if (own > 0) {
    if (s$v[own] == boundary) return(boundary)
    # a variance or nugget of 0 is a model as others are
    if (side < 0 && row$kind == "sill" && isTRUE(root(NA, 0) < 0)) return(0)
    v <- s$v
  }
  if (!is.finite(at)) # on a boundary
    at <- if (is.finite(row$upper)) 7 * sign(at) else log(1e-6 * s$sill)
  step <- if (is.finite(error) && error > 0) min(sqrt(depth) * error, 1) else 1
  if (own <= 0 && is.finite(error)) step <- sqrt(depth) * error
  inner <- at
  low <- -sqrt(depth)
  for (attempt in 1:4) {
    repeat {
      outer <- if (side < 0) max(inner - step, end) else min(inner + step, end)
      high <- root(outer)
      # the maximum over the others may have moved far away
      if (high > 1 || high >= 0 && outer == end) high <- min(high, root(outer, from = NULL))
      if (high >= 0) break
      if (outer == end || abs(outer) > 1e300) return(boundary)
      inner <- outer
      low <- high
      step <- 2 * step
    }
    found <- falling_root(root, inner, low, outer, high)
    again <- root(found$at, from = NULL)
    if (again > -1e-3) break
    inner <- found$at
    low <- again
    step <- abs(outer - inner)
  }
  if (abs(found$value) > 1e-2) NA_real_ else back(found$at) # there is no likelihood beyond
}

# Where f, negative at `inner` and positive at `outer`, is nearly 0: regula falsi, the value of an end that stays
# halved (Illinois).
falling_root <- function(f, inner, low, outer, high) {
  if (high == 0) return(list(at = outer, value = 0))
  last <- 0
  width <- abs(outer - inner)
  for (round in seq_len(60L)) {
    new <- (inner * high - outer * low) / (high - low)
    now <- f(new)
    if (abs(now) < 2e-5 || abs(outer - inner) < 1e-6 * width) break
    if (now < 0) {
      inner <- new
      low <- now
      if (last < 0) high <- high / 2
    } else {
      outer <- new
      high <- now
      if (last > 0) low <- low / 2
    }
    last <- sign(now)
  }
  list(at = new, value = now)
}

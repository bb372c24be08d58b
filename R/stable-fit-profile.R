# Confidence limits: normal approximations, and profiles of the likelihood.

#' Confidence limits of the parameters of a fitted stable distribution
#'
#' Confidence limits from the profile of the likelihood, from the standard errors on transformed scales, or Wald
#' limits.
#'
#' The profile of a parameter is the log likelihood maximised over all others. A limit of `method = "profile"` is the
#' value at which twice the log likelihood of the profile is lower than the maximum by \eqn{n \log(1 + F/(n - p))}{n
#' log(1 + F/(n - p))}, `F` the `level` quantile of the F distribution with 1 and `n - p` degrees of freedom, with `n`
#' observations and `p` parameters that were estimated. For coefficients of a normal linear model these limits are
#' exact, for large `n` the quantile is that of the chi squared distribution with one degree of freedom. A limit is
#' found by root finding, in which all parameters and both sides advance together, a batch of
#' fits for each step. Where the profile does not fall so far before the parameter reaches a boundary (`alpha = 2`,
#' `beta = -1` or `1`, and the smallest `alpha` that is searched), the boundary is the limit. The limits need no
#' standard errors, and so there are limits for estimates on a boundary. Where `alpha = 2`, `beta` has the limits -1
#' and 1. Where the profile meets a larger maximum than that of the fit, it begins again from there, and a warning of
#' class `statcl_warning_better_fit` has the larger one in its component `fit`; the object that `profile` returns has
#' it as attribute `original.fit`.
#'
#' `method = "transformed"` makes the normal approximation for `log(alpha/(2 - alpha))`, `atanh(beta)`, `log(gamma)`
#' and `delta`, whose limits carried back are inside the range of the parameters. Where an estimate is on a boundary,
#' or there are no standard errors, that parameter has no such limits, and those of the others tend to be too narrow.
#'
#' By default the limits of a maximum likelihood fit are those of the profile for up to 5000 observations, no more
#' than 250 of them censored, and where an estimate is on a boundary for four times as many; else they are the
#' transformed ones, which take no further fits. All four parameters take about 20 times as long as the fit. Where
#' there are so many observations that an estimate on a boundary is left without limits, a message says so:
#' `method = "profile"` has them. Those of a batch of fits are those of the profile for series of up to 20000
#' observations with an estimate on a boundary, and the transformed ones for all others, except that `alpha` has those
#' of its profile where its upper Wald limit is above 2: the normal approximation fails there on any scale.
#'
#' `profile` gives the profiles themselves. `plot` draws the signed square root of twice the fall of the log
#' likelihood against the parameter, with dashed lines at the limits of 95 %: where the curve is straight, Wald limits
#' are as good. It arranges the plots in a grid unless `par(mfrow)` has done so. `as.data.frame` gives a profile as
#' one table.
#'
#' @param object,fitted a fit by [stableFit()].
#' @param parm,which names or numbers of the parameters; by default all four, for `profile` all that are not fixed.
#' @param level confidence level, between 0 and 1; for `profile` that of the limits at which it ends.
#' @param method `"profile"` for limits from the likelihood, which must have been maximised by `method = "mle"`,
#'   `"transformed"` for the normal approximation on scales without boundaries, `"wald"` for that of the parameters
#'   themselves.
#' @param points number of points on each side of the estimate.
#' @param x a profile.
#' @param row.names,optional as for [as.data.frame()].
#' @param ... not used; for `plot` graphical parameters, such as `main` or `col`.
#' @return `confint` gives a matrix with the lower and upper limits of `parm`. They are `NA` for fixed parameters;
#'   where there is no standard error (`"wald"`, `"transformed"`, and other estimators); and, with a warning, where no
#'   limit has been found (`"profile"`).
#'   For small `alpha` the likelihood has several maxima, and the profile may jump over its limit: then it is given
#'   where it jumps, with a warning.
#'   `profile` gives an object of class `c("profile.stableFit", "profile")`, a list with a data frame for each
#'   parameter: `tau`, the signed root, and `par.vals`, a matrix of all four parameters at the maximum.
#' @references
#' Bates, D. M. and Watts, D. G. (1988). *Nonlinear Regression Analysis and Its Applications*, chapter 6. Wiley.
#'
#' Venzon, D. J. and Moolgavkar, S. H. (1988). A method for computing profile-likelihood-based confidence intervals.
#' *Applied Statistics* **37**, 87--94.
#' @seealso [stableFit()], [quantile.stableFit()]
#' @examples
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"]))[1:500])
#' confint(fit, c("alpha", "beta"))
#' confint(fit, c("alpha", "beta"), method = "profile")
#' plot(profile(fit, "beta"))
#' @export
confint.stableFit <- function(object, parm, level = 0.95, method = c("default", "profile", "transformed", "wald"),
                              ...) {
  refuse_extra("confint.stableFit", ...)
  method <- choice("method", method)
  check_level(level)
  estimate <- coef(object)
  parm <- if (missing(parm)) names(estimate) else names(estimate)[which_parameters(parm, names(estimate), "parm")]
  tail <- c(1 - level, 1 + level) / 2
  label <- percent(tail)
  error <- fit_errors(object)
  if (method == "default" && object$method == "mle" && object$converged) {
    edge <- on_edge(rbind(object$fixed), rbind(object$boundary), rbind(error))
    if (profile_is_cheap(length(object$x), edge, sum(censored_rows(object)))) method <- "profile"
    else if (edge) tell_costly(length(object$x))
  }
  if (method == "profile") {
    need_likelihood("object", object)
    known <- unique(parm)
    limits <- matrix(NA_real_, length(known), 2L, dimnames = list(known, label))
    open <- known[!object$fixed[known]]
    limits[open, ] <- profile_limits(object, open, level)$limits
    return(limits[parm, , drop = FALSE])
  }
  limits <- if (method == "wald") estimate + outer(error, stats::qnorm(tail))
            else sapply(stats::qnorm(tail), function(z) transformed_limit(rbind(estimate), rbind(error), z))
  dimnames(limits) <- list(names(estimate), label)
  limits[parm, , drop = FALSE]
}

# Does the profile of all parameters of a fit to n observations, of which some are censored, take about half a second
# of processor time at most? Where an estimate is on a boundary, so that nothing else has its limits, four times as
# much is well spent. Times: bench/stable-fit-limits.R.
profile_is_cheap <- function(n, edge, censored = 0, n_parameters = 4) {
  most <- ifelse(edge, 4, 1)
  n * n_parameters <= most * 4 * 5000 & censored <= most * 250
}

tell_costly <- function(n)
  message("estimates on a boundary have no limits by default with ", big_count(n),
          " observations: method = \"profile\" has them")

# Has something that was estimated, a row per fit, no standard error, which is so on boundaries?
on_edge <- function(fixed, boundary, error) rowSums((nzchar(boundary) | is.na(error)) & !fixed) > 0

# Normal limits on scales without boundaries, of estimates and their errors in rows.
transformed_limit <- function(estimate, error, z) {
  a <- estimate[, 1L]
  cbind(2 * stats::plogis(stats::qlogis(a / 2) + z * error[, 1L] * 2 / (a * (2 - a))),
        tanh(atanh(estimate[, 2L]) + z * error[, 2L] / (1 - estimate[, 2L]^2)),
        estimate[, 3L] * exp(z * error[, 3L] / estimate[, 3L]), estimate[, 4L] + z * error[, 4L])
}

# Coordinates of the root finding: gamma by its logarithm.
to_coordinate <- function(value, parameter) {
  positive <- parameter == "gamma"
  value[positive] <- log(value[positive])
  value
}
from_coordinate <- function(u, parameter) {
  positive <- parameter == "gamma"
  u[positive] <- exp(u[positive])
  u
}

# Fits whose profiles are wanted, a row each, and where their samples are.
profile_set <- function(object) {
  if (inherits(object, "stableFit"))
    return(list(par = rbind(object$coefficients), error = rbind(fit_errors(object)), loglik = object$loglik,
                fixed = rbind(object$fixed), n = nobs(object), pm = object$pm,
                data = list(x = object$x, weights = object$weights, upper = object$censored, first = 0,
                            n = length(object$x))))
  data <- object$data
  data[c("first", "n")] <- list(data$first[object$place], data$n[object$place])
  list(par = object$coefficients, error = fits_errors(object), loglik = unname(object$loglik), fixed = object$fixed,
       n = unname(object$nobs), pm = object$pm, data = data)
}

# Fits to the samples of the rows `of` with these values fixed, NA where they are not.
profile_refit <- function(set, of, fixed, start) {
  loglik <- rep(NA_real_, length(of))
  par <- fixed
  ok <- rep(FALSE, length(of))
  good <- setdiff(seq_along(of), refused_rows(fixed, set$pm))
  if (length(good)) {
    data <- set$data
    data[c("first", "n")] <- list(data$first[of[good]], data$n[of[good]])
    fit <- fit_run(data, "mle", set$pm, fixed[good, , drop = FALSE], if (!is.null(start)) start[good, , drop = FALSE])
    ok[good] <- fit$converged & fit$boundary[, 1L] != "lower"
    loglik[good] <- ifelse(is.finite(fit$loglik) & !fit$refused, fit$loglik, NA)
    par[good, ] <- fit$coefficients
  }
  # a likelihood that grows without bound, at repeated values, says nothing about the parameters
  loglik[!ok & loglik > set$loglik[of]] <- NA
  list(loglik = loglik, par = par, ok = ok)
}

# Fall of twice the log likelihood from its maximum in the fits `of` of a set with parameter[i] fixed at value[i], and
# the estimates there (a row each). start: rows of values for the others. A fit that its start does not serve is made
# again from starts of its own.
profile_fits <- function(set, of, parameter, value, start) {
  known <- set$par[of, , drop = FALSE]
  known[!set$fixed[of, , drop = FALSE]] <- NA
  known[cbind(seq_along(of), match(parameter, parameters))] <- value
  if (!anyNA(known)) return(list(fall = 2 * (set$loglik[of] - distributions_loglik(set, of, known)), par = known))
  start[!is.na(known)] <- NA
  fit <- profile_refit(set, of, known, start)
  weak <- which(!fit$ok)
  if (length(weak)) {
    second <- profile_refit(set, of[weak], known[weak, , drop = FALSE], NULL)
    better <- which(!is.na(second$loglik) & (is.na(fit$loglik[weak]) | second$loglik > fit$loglik[weak]))
    fit$loglik[weak[better]] <- second$loglik[better]
    fit$par[weak[better], ] <- second$par[better, ]
  }
  list(fall = 2 * (set$loglik[of] - fit$loglik), par = fit$par)
}

# Log likelihoods of whole distributions, a row of par each.
distributions_loglik <- function(set, of, par) {
  s0 <- stableConvert(par[, 1L], par[, 2L], par[, 3L], par[, 4L], from = set$pm, to = 0)
  samples_loglik(set$data, of, as.matrix(s0[parameters]))
}

# By how much twice the log likelihood falls to the limits of confidence intervals. For a coefficient of the normal
# linear model with n observations and p parameters it is exact, the likelihood ratio being n log(1 + F/(n - p)).
profile_depth <- function(n, p, level) {
  rest <- pmax(n - p, 1)
  n * log1p(stats::qf(level, 1, rest) / rest)
}

# Profiles are those of a likelihood that has been maximised.
need_likelihood <- function(name, fit)
  if (fit$method != "mle")
    input_error(paste0(name, "$method"), fit$method, "must be \"mle\", maximum likelihood, for profiles")

# Profile limits of the parameters of one fit: limits (a row each), a table of the searches with the estimates at the
# limits, and the fit, which is a better one than that given if the searches have met one.
profile_limits <- function(object, parameters, level) {
  if (!length(parameters)) return(list(limits = matrix(NA_real_, 0L, 2L), fit = object))
  found <- profile_sets(profile_set(object), rep(1L, length(parameters)), parameters, level)
  s <- found$searches
  label <- paste(s$parameter, ifelse(s$side < 0, "(lower)", "(upper)"))
  better <- found$set$loglik - object$loglik
  if (better > 0) object <- profile_hand_over(object, found$set$par[1L, ], better)
  lost <- s$state %in% c("open", "lost")
  if (any(lost)) warn("no profile limit found for ", toString(label[lost]))
  if (any(s$state == "jump"))
    warn("the profile jumps at the limit of ", toString(label[s$state == "jump"]),
         ": the likelihood has several maxima")
  c(found[c("limits", "searches", "found")], list(fit = object))
}

# The fit that begins at par, where its profile has found more: a warning has it, too.
profile_hand_over <- function(object, par, more) {
  data <- list(x = object$x, weights = object$weights, upper = object$censored, first = 0, n = length(object$x))
  fixed <- ifelse(object$fixed, object$coefficients, NA)
  better <- fit_one(fit_run(data, "mle", object$pm, fixed, par), 1L, data, object$call)
  values <- vapply(par, format, "", digits = 7, decimal.mark = ".") # to be typed
  start <- sprintf("list(%s)", toString(sprintf("%s = %s", parameters, values)))
  if (!is.null(better$call)) better$call$start <- str2lang(start)
  warn(sprintf(paste("the profile has found a larger maximum than the fit, by %s, and is that of the larger one:",
                     "fit again with start = %s"), rounded(more), start),
       class = "statcl_warning_better_fit", with = list(fit = better))
  better
}

# Profile limits of parameter[i] of fit of[i] of a set, all searched for together. Where a fit turns out not to be the
# maximum, the searches begin again from the larger one, which is in the set that comes back.
profile_sets <- function(set, of, parameter, level) {
  searches <- function() {
    estimated <- rowSums(counted_parameters(set$fixed, set$par[, 1L]))
    profile_searches(set, of, parameter, sqrt(profile_depth(set$n, estimated, level))[of])
  }
  s <- searches()
  restarts <- rep(3L, nrow(set$par))
  repeat {
    more <- numeric(nrow(set$par))
    peak <- set$par
    for (round in seq_len(40L)) {
      i <- which(s$state == "open" & (more[s$of] < 1e-5 | !restarts[s$of]))
      if (!length(i)) break
      fit <- profile_fits(set, s$of[i], s$parameter[i], from_coordinate(s$trial[i], s$parameter[i]),
                          s$par[i, , drop = FALSE])
      for (k in which(fit$fall < -2 * more[s$of[i]])) {
        more[s$of[i[k]]] <- -fit$fall[k] / 2
        peak[s$of[i[k]], ] <- fit$par[k, ]
      }
      s <- advance(s, i, ifelse(is.na(fit$fall), Inf, sqrt(pmax(fit$fall, 0))), fit$par)
    }
    low <- which(more >= 1e-5 & restarts > 0L)
    if (!length(low)) break
    again <- profile_refit(set, low, ifelse(set$fixed, set$par, NA)[low, , drop = FALSE], peak[low, , drop = FALSE])
    risen <- again$ok & again$loglik > set$loglik[low] + 1e-6
    restarts[low] <- ifelse(risen, restarts[low] - 1L, 0L)
    set$par[low[risen], ] <- again$par[risen, ]
    set$loglik[low[risen]] <- again$loglik[risen]
    set$error[low, ] <- NA
    redone <- s$of %in% low
    s <- Map(function(old, new) {
      if (is.matrix(old)) old[redone, ] <- new[redone, ] else old[redone] <- new[redone]
      old
    }, s, searches())
  }
  limit <- from_coordinate(s$trial, s$parameter)
  limit[s$state %in% c("open", "lost")] <- NA
  list(limits = matrix(limit, ncol = 2L), searches = s, found = from_coordinate(s$trial, s$parameter), set = set)
}

# State of the searches for the lower and the upper limits: fit (of a regression the number of the parameter),
# parameter and side; z, the root wanted; end, the boundary of the parameter; inner and outer, points with a smaller
# and a larger signed root, and these roots; last, which of the two moved last, and weight, that of the other one in
# the Illinois rule; trial, the point to be tried; par, where its fit starts.
profile_searches <- function(set, of, parameter, z) {
  at <- cbind(of, match(parameter, parameters))
  estimate <- set$par[at]
  error <- set$error[at]
  gamma <- set$par[of, 3L]
  guess <- unname(c(1.5, 3, 1.3, 1.5)[at[, 2L]] * ifelse(parameter == "delta", gamma, 1) / sqrt(set$n[of]))
  step <- ifelse(is.na(error), guess, ifelse(parameter == "gamma", error / gamma, error))
  search_state(rep(of, 2L), parameter, estimate, step, z, smallest_alpha, set$par[rep(of, 2L), , drop = FALSE])
}

search_state <- function(of, parameter, estimate, scale, z, floor, par) {
  m <- length(parameter)
  s <- list(of = of, parameter = rep(parameter, 2L), side = rep(c(-1, 1), each = m), z = rep_len(z, 2L * m),
            scale = rep(scale, 2L), par = par)
  rownames(s$par) <- NULL
  low <- c(alpha = floor, beta = -1)[s$parameter]
  high <- c(alpha = 2, beta = 1)[s$parameter]
  s$end <- unname(ifelse(s$side < 0, ifelse(is.na(low), -Inf, low), ifelse(is.na(high), Inf, high)))
  s$centre <- s$inner <- rep(to_coordinate(estimate, parameter), 2L)
  s$outer <- s$outer_root <- rep(NA_real_, 2L * m)
  s$inner_root <- numeric(2L * m)
  s$last <- s$tries <- integer(2L * m)
  s$weight <- rep(1, 2L * m)
  s$state <- ifelse(s$inner == s$end, "boundary", "open")
  s$trial <- within_end(s$inner + s$side * s$z * s$scale, s$side, s$end)
  s
}

within_end <- function(u, side, end) ifelse(side < 0, pmax(u, end), pmin(u, end))

# The searches i after their trials gave these roots.
advance <- function(s, i, root, par) {
  s$tries[i] <- s$tries[i] + 1L
  short <- root < s$z[i]
  moved <- ifelse(short, 1L, 2L)
  s$weight[i] <- ifelse(s$last[i] == moved, s$weight[i] / 2, 1)
  s$last[i] <- moved
  s$inner[i[short]] <- s$trial[i[short]]
  s$inner_root[i[short]] <- root[short]
  s$outer[i[!short]] <- s$trial[i[!short]]
  s$outer_root[i[!short]] <- root[!short]
  fitted <- is.finite(root)
  s$par[i[fitted], ] <- par[fitted, , drop = FALSE]
  found <- abs(root^2 - s$z[i]^2) < 1e-7
  at_end <- short & s$trial[i] == s$end[i]
  # Where the profile jumps, its jump is the limit, unless no distribution fits beyond.
  narrow <- !is.na(s$outer[i]) & abs(s$outer[i] - s$inner[i]) < 1e-9 * s$scale[i]
  s$state[i] <- ifelse(found, "found", ifelse(at_end, "boundary",
                       ifelse(narrow, ifelse(is.finite(s$outer_root[i]), "jump", "lost"), "open")))
  open <- i[s$state[i] == "open"]
  s$trial[open] <- next_trial(s, open)
  s
}

# While there is no outer point, on along the chord from the estimate; then the secant by the Illinois rule, which
# halves the weight of an end that stays, and bisection where that is slow or no distribution fits at the outer point.
next_trial <- function(s, i) {
  grow <- pmin(pmax(s$z[i] / pmax(s$inner_root[i], 1e-8), 1.1), 4)
  out <- s$centre[i] + (s$inner[i] - s$centre[i]) * grow
  below <- (s$z[i] - s$inner_root[i]) * ifelse(s$last[i] == 2L, s$weight[i], 1)
  above <- (s$outer_root[i] - s$z[i]) * ifelse(s$last[i] == 1L, s$weight[i], 1)
  share <- below / (below + above)
  share <- ifelse(is.finite(above) & s$tries[i] < 15L, pmin(pmax(share, 1e-3), 1 - 1e-3), 0.5)
  trial <- ifelse(is.na(s$outer[i]), out, s$inner[i] + share * (s$outer[i] - s$inner[i]))
  within_end(trial, s$side[i], s$end[i])
}

#' @rdname confint.stableFit
#' @export
profile.stableFit <- function(fitted, which, level = 0.99, points = 8, ...) {
  check_extra(...)
  check_level(level)
  points <- whole_number("points", points)
  need_likelihood("fitted", fitted)
  parameters <- names(coef(fitted))[!fitted$fixed]
  if (!missing(which)) parameters <- unique(parameters[which_parameters(which, parameters, "which")])
  found <- profile_limits(fitted, parameters, level)
  fitted <- found$fit
  s <- found$searches
  centre <- s$centre
  end <- to_coordinate(found$found, s$parameter)
  end[is.na(end)] <- centre[is.na(end)]
  share <- rep(seq_len(points) / points, each = length(centre))
  row <- rep(seq_along(centre), points)
  row <- row[end[row] != centre[row]]
  share <- share[rep(end != centre, points)]
  u <- centre[row] + share * (end[row] - centre[row])
  # between the estimates at the fit and at the limit, where the others lie nearly
  start <- outer(1 - share, coef(fitted)) + share * s$par[row, , drop = FALSE]
  fits <- profile_fits(profile_set(fitted), rep(1L, length(row)), s$parameter[row],
                       from_coordinate(u, s$parameter[row]), start)
  tau <- s$side[row] * sqrt(pmax(fits$fall, 0))
  curves <- lapply(stats::setNames(nm = parameters), function(p) {
    i <- base::which(s$parameter[row] == p & is.finite(tau))
    value <- rbind(coef(fitted), fits$par[i, , drop = FALSE])
    order <- order(value[, p])
    curve <- data.frame(tau = c(0, tau[i])[order])
    curve$par.vals <- value[order, , drop = FALSE]
    rownames(curve$par.vals) <- NULL
    curve
  })
  structure(curves, original.fit = fitted, class = c("profile.stableFit", "profile"))
}

#' @rdname confint.stableFit
#' @export
plot.profile.stableFit <- function(x, ...) {
  fit <- attr(x, "original.fit")
  plot_profiles(x, coef(fit), sqrt(profile_depth(nobs(fit), sum(counted(fit)), 0.95)), ...)
}

# z: the signed root at the limits of 95 %, dashed.
plot_profiles <- function(x, estimate, z, ...) {
  if (length(x) > 1L && prod(graphics::par("mfrow")) == 1L) {
    old <- graphics::par(mfrow = grDevices::n2mfrow(length(x)))
    on.exit(graphics::par(old))
  }
  for (p in names(x)) {
    value <- x[[p]]$par.vals[, p]
    tau <- x[[p]]$tau
    call_plot(graphics::plot.default,
              list(x = value, y = tau, type = "n", xlab = p, ylab = "signed root", las = 1,
                   main = paste("Profile of", p), ylim = range(tau, 0)), ...)
    graphics::abline(h = 0, v = estimate[[p]], col = "grey75")
    graphics::abline(h = c(-z, z), lty = 2, col = "grey60")
    graphics::lines(value, tau, type = "b", pch = 16, cex = 0.6, col = "#2166ac")
  }
  invisible(x)
}

#' @rdname confint.stableFit
#' @export
as.data.frame.profile.stableFit <- function(x, row.names = NULL, optional = FALSE, ...)
  profile_table(x, row.names)

#' @rdname stableReg-methods
#' @export
as.data.frame.profile.stableReg <- function(x, row.names = NULL, optional = FALSE, ...)
  profile_table(x, row.names)

profile_table <- function(x, row.names) {
  class(x) <- NULL
  table <- do.call(rbind, lapply(names(x), function(p)
    data.frame(parameter = p, value = x[[p]]$par.vals[, p], tau = x[[p]]$tau, x[[p]]$par.vals, check.names = FALSE)))
  rownames(table) <- NULL
  name_rows(table, row.names)
}

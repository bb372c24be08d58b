# Confidence limits: normal approximations, and profiles of the likelihood.

#' Confidence limits of the parameters of a fitted stable law
#'
#' Limits from the standard errors on transformed scales, from the profile of the likelihood, or Wald limits.
#'
#' By default the normal approximation is made for `log(alpha/(2 - alpha))`, `atanh(beta)`, `log(gamma)` and `delta`,
#' whose limits carried back are inside the range of the parameters. Where an estimate is on a boundary, or there are
#' no standard errors, such an approximation knows nothing of that parameter and too little of the others: the limits
#' of all are those of the profile then, if the fit is by maximum likelihood. Fits of many series do not do this of
#' themselves, for a profile takes many further fits: their limits are `NA` for what is on a boundary.
#'
#' The profile of a parameter is the log likelihood maximised over all others. A limit of `method = "profile"` is the
#' value at which the profile is lower than the maximum by half the `level` quantile of the chi squared law with one
#' degree of freedom. It is found by root finding, in which all parameters and both sides advance together, a batch of
#' fits for each step. Where the profile does not fall so far before the parameter reaches a boundary (`alpha = 2`,
#' `beta = -1` or `1`, and the smallest `alpha` that is searched), the boundary is the limit. The limits need no
#' standard errors, and so there are limits for estimates on a boundary; there, and close to it, a one-sided test is
#' known to be conservative with this quantile. Where `alpha = 2`, `beta` has the limits -1 and 1.
#'
#' `profile` gives the profiles themselves, for pictures: if the curves that `plot` draws, of the signed square root
#' of twice the fall of the log likelihood, are straight lines, then Wald limits are as good. It makes a grid of plots
#' unless `par(mfrow)` has one.
#'
#' @param object,fitted a fit by [stableFit()].
#' @param parm,which names or numbers of the parameters wanted; by default all four, for `profile` all that are not
#'   fixed.
#' @param level confidence level, between 0 and 1; for `profile` that of the limits at which it ends.
#' @param method `"transformed"` for the normal approximation on scales without boundaries, `"wald"` for that of the
#'   parameters themselves, `"profile"` for limits from the likelihood, which must have been maximised by `method =
#'   "mle"`.
#' @param points number of points on each side of the estimate.
#' @param x a profile.
#' @param ... not used; for `plot` graphical parameters, such as `main` or `col`.
#' @return `confint` gives a matrix with the lower and upper limits of `parm`. They are `NA` for fixed parameters;
#'   where there is no standard error (`"wald"`, and `"transformed"` for other estimators and for many series); and,
#'   with a warning, where no limit has been found (`"profile"`).
#'   For small `alpha` the likelihood has several maxima, and the profile may jump over its limit: then the place of
#'   the jump is given, with a warning.
#'   `profile` gives an object of class `c("profile.stableFit", "profile")`, a list with a data frame for each
#'   parameter: `tau`, the signed root, and `par.vals`, a matrix of all four parameters at the maximum.
#' @references
#' Venzon, D. J. and Moolgavkar, S. H. (1988). A method for computing profile-likelihood-based confidence intervals.
#' *Applied Statistics* **37**, 87--94.
#' @seealso [stableFit()], [quantile.stableFit()]
#' @examples
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"]))[1:500])
#' confint(fit, c("alpha", "beta"))
#' confint(fit, c("alpha", "beta"), method = "profile")
#' plot(profile(fit, "beta"))
#' @export
confint.stableFit <- function(object, parm, level = 0.95, method = c("transformed", "profile", "wald"), ...) {
  base::chkDots(...)
  method <- match.arg(method)
  check_level(level)
  estimate <- coef(object)
  parm <- if (missing(parm)) names(estimate) else names(estimate)[which_parameters(parm, names(estimate), "parm")]
  tail <- c(1 - level, 1 + level) / 2
  label <- percent(tail)
  error <- sqrt(diag(vcov(object)))
  open <- !object$fixed
  on_edge <- any(nzchar(object$boundary[open])) || anyNA(error[open])
  if (method == "profile" || (method == "transformed" && on_edge && object$method == "mle" && object$converged)) {
    limits <- matrix(NA_real_, length(parm), 2L, dimnames = list(parm, label))
    open <- parm[!object$fixed[parm]]
    limits[open, ] <- profile_limits(object, open, level)$limits
    return(limits)
  }
  limits <- if (method == "wald") estimate + outer(error, stats::qnorm(tail))
            else sapply(stats::qnorm(tail), function(z) transformed_limit(rbind(estimate), rbind(error), z))
  dimnames(limits) <- list(names(estimate), label)
  limits[parm, , drop = FALSE]
}

# Normal limits on scales without boundaries, of estimates and their errors in rows.
transformed_limit <- function(estimate, error, z) {
  a <- estimate[, 1L]
  cbind(2 * stats::plogis(stats::qlogis(a / 2) + z * error[, 1L] * 2 / (a * (2 - a))),
        tanh(atanh(estimate[, 2L]) + z * error[, 2L] / (1 - estimate[, 2L]^2)),
        estimate[, 3L] * exp(z * error[, 3L] / estimate[, 3L]), estimate[, 4L] + z * error[, 4L])
}

# Places of parameters, which parm names or counts, among those that are known.
which_parameters <- function(parm, known, name) {
  at <- if (is.numeric(parm)) seq_along(known)[parm] else match(parm, known)
  if (anyNA(at) || !length(at))
    input_error(name, if (length(at) == length(parm)) parm[is.na(at)] else parm, "must name parameters of the fit")
  at
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

# Fall of twice the log likelihood from its maximum with parameter[i] fixed at value[i], and the estimates there (a
# row each). start: rows of values for the others. A fit that its start does not serve is made again from starts of
# its own.
profile_fits <- function(object, parameter, value, start) {
  n <- length(value)
  known <- estimate_rows(object, n, object$fixed)
  known[cbind(seq_len(n), match(parameter, colnames(known)))] <- value
  if (!anyNA(known)) return(list(fall = 2 * (object$loglik - laws_loglik(object, known)), par = known))
  start[!is.na(known)] <- NA
  again <- function(i, start) {
    batch <- fit_batch(rep(list(object$x), length(i)), pm = object$pm, fixed = known[i, , drop = FALSE],
                       start = start, weights = if (!is.null(object$weights)) rep(list(object$weights), length(i)),
                       censored = if (!is.null(object$censored)) rep(list(object$censored), length(i)))
    list(loglik = batch$loglik, par = batch$coefficients, ok = batch$converged & !is.na(batch$loglik))
  }
  fit <- again(seq_len(n), start)
  weak <- which(is.na(fit$ok) | !fit$ok)
  if (length(weak)) {
    second <- again(weak, NULL)
    better <- which(!is.na(second$loglik) & (is.na(fit$loglik[weak]) | second$loglik > fit$loglik[weak]))
    fit$loglik[weak[better]] <- second$loglik[better]
    fit$par[weak[better], ] <- second$par[better, ]
  }
  list(fall = 2 * (object$loglik - fit$loglik), par = fit$par)
}

# Log likelihoods of whole laws, a row of par each.
laws_loglik <- function(object, par) {
  m <- nrow(par)
  s0 <- stableConvert(par[, 1L], par[, 2L], par[, 3L], par[, 4L], from = object$pm, to = 0)
  .Call(C_stableLogLik, object$x, object$weights, object$censored, numeric(m), rep(as.double(length(object$x)), m),
        as.matrix(s0[parameters]))
}

# Profile limits of the parameters: limits (a row each), and a table of the searches with the estimates at the limits.
profile_limits <- function(object, parameters, level) {
  if (object$method != "mle")
    input_error("method", "profile", sprintf("must be \"wald\": the fit is by \"%s\", not by maximum likelihood",
                                             object$method))
  if (!length(parameters)) return(list(limits = matrix(NA_real_, 0L, 2L)))
  s <- profile_searches(object, parameters, sqrt(stats::qchisq(level, 1)))
  best <- 0
  for (round in seq_len(40L)) {
    i <- which(s$state == "open")
    if (!length(i)) break
    fit <- profile_fits(object, s$parameter[i], from_coordinate(s$trial[i], s$parameter[i]), s$par[i, , drop = FALSE])
    best <- min(best, fit$fall, na.rm = TRUE)
    s <- advance(s, i, ifelse(is.na(fit$fall), Inf, sqrt(pmax(fit$fall, 0))), fit$par)
  }
  if (best < -1e-4)
    warning(sprintf("a law with a log likelihood larger by %.3g than the fit's was found: fit again", -best / 2))
  label <- paste(s$parameter, ifelse(s$side < 0, "(lower)", "(upper)"))
  lost <- s$state %in% c("open", "lost")
  if (any(lost)) warning("no profile limit found for ", toString(label[lost]))
  if (any(s$state == "jump"))
    warning("the profile jumps at the limit of ", toString(label[s$state == "jump"]),
            ": the likelihood has several maxima")
  limit <- from_coordinate(s$trial, s$parameter)
  limit[lost] <- NA
  list(limits = matrix(limit, ncol = 2L), searches = s, found = limit)
}

# State of the searches: parameter and side; z, the root wanted; end, the boundary of the parameter; inner and outer,
# points with a smaller and a larger signed root, and these roots; last, which of the two moved last, and weight, that
# of the other one in the Illinois rule; trial, the point to be tried; par, where its fit starts.
profile_searches <- function(object, parameters, z) {
  k <- length(parameters)
  estimate <- coef(object)
  error <- sqrt(diag(vcov(object)))[parameters]
  gamma <- estimate[["gamma"]]
  guess <- c(alpha = 1.5, beta = 3, gamma = 1.3, delta = 1.5 * gamma)[parameters] / sqrt(nobs(object))
  step <- ifelse(is.na(error), guess, ifelse(parameters == "gamma", error / gamma, error))
  s <- list(parameter = rep(parameters, 2L), side = rep(c(-1, 1), each = k), z = z, scale = rep(step, 2L))
  low <- c(alpha = smallest_alpha, beta = -1, gamma = -Inf, delta = -Inf)
  high <- c(alpha = 2, beta = 1, gamma = Inf, delta = Inf)
  s$end <- unname(ifelse(s$side < 0, low[s$parameter], high[s$parameter]))
  s$centre <- s$inner <- to_coordinate(unname(estimate[s$parameter]), s$parameter)
  s$outer <- s$outer_root <- rep(NA_real_, 2L * k)
  s$inner_root <- numeric(2L * k)
  s$last <- s$tries <- integer(2L * k)
  s$weight <- rep(1, 2L * k)
  s$par <- matrix(estimate, 2L * k, 4L, byrow = TRUE, dimnames = list(NULL, names(estimate)))
  s$state <- ifelse(s$inner == s$end, "boundary", "open")
  s$trial <- within_end(s$inner + s$side * z * s$scale, s$side, s$end)
  s
}

within_end <- function(u, side, end) ifelse(side < 0, pmax(u, end), pmin(u, end))

# The searches i after their trials gave these roots.
advance <- function(s, i, root, par) {
  s$tries[i] <- s$tries[i] + 1L
  short <- root < s$z
  moved <- ifelse(short, 1L, 2L)
  s$weight[i] <- ifelse(s$last[i] == moved, s$weight[i] / 2, 1)
  s$last[i] <- moved
  s$inner[i[short]] <- s$trial[i[short]]
  s$inner_root[i[short]] <- root[short]
  s$outer[i[!short]] <- s$trial[i[!short]]
  s$outer_root[i[!short]] <- root[!short]
  fitted <- is.finite(root)
  s$par[i[fitted], ] <- par[fitted, , drop = FALSE]
  found <- abs(root^2 - s$z^2) < 1e-7
  at_end <- short & s$trial[i] == s$end[i]
  # Where the profile jumps, its jump is the limit, unless no law fits beyond.
  narrow <- !is.na(s$outer[i]) & abs(s$outer[i] - s$inner[i]) < 1e-9 * s$scale[i]
  s$state[i] <- ifelse(found, "found", ifelse(at_end, "boundary",
                       ifelse(narrow, ifelse(is.finite(s$outer_root[i]), "jump", "lost"), "open")))
  open <- i[s$state[i] == "open"]
  s$trial[open] <- next_trial(s, open)
  s
}

# While there is no outer point, on along the chord from the estimate; then the secant by the Illinois rule, which
# halves the weight of an end that stays, and bisection where that is slow or no law fits at the outer point.
next_trial <- function(s, i) {
  grow <- pmin(pmax(s$z / pmax(s$inner_root[i], 1e-8), 1.1), 4)
  out <- s$centre[i] + (s$inner[i] - s$centre[i]) * grow
  below <- (s$z - s$inner_root[i]) * ifelse(s$last[i] == 2L, s$weight[i], 1)
  above <- (s$outer_root[i] - s$z) * ifelse(s$last[i] == 1L, s$weight[i], 1)
  share <- below / (below + above)
  share <- ifelse(is.finite(above) & s$tries[i] < 15L, pmin(pmax(share, 1e-3), 1 - 1e-3), 0.5)
  trial <- ifelse(is.na(s$outer[i]), out, s$inner[i] + share * (s$outer[i] - s$inner[i]))
  within_end(trial, s$side[i], s$end[i])
}

#' @rdname confint.stableFit
#' @export
profile.stableFit <- function(fitted, which, level = 0.99, points = 8, ...) {
  base::chkDots(...)
  check_level(level)
  parameters <- names(coef(fitted))[!fitted$fixed]
  if (!missing(which)) parameters <- parameters[which_parameters(which, parameters, "which")]
  found <- profile_limits(fitted, parameters, level)
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
  fits <- profile_fits(fitted, s$parameter[row], from_coordinate(u, s$parameter[row]), start)
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
  if (length(x) > 1L && prod(graphics::par("mfrow")) == 1L) {
    old <- graphics::par(mfrow = grDevices::n2mfrow(length(x)))
    on.exit(graphics::par(old))
  }
  estimate <- coef(attr(x, "original.fit"))
  for (p in names(x)) {
    value <- x[[p]]$par.vals[, p]
    tau <- x[[p]]$tau
    call_plot(graphics::plot.default,
              list(x = value, y = tau, type = "n", xlab = p, ylab = "signed root", las = 1,
                   main = paste("Profile of", p), ylim = range(tau, 0)), ...)
    graphics::abline(h = 0, v = estimate[[p]], col = "grey75")
    z <- stats::qnorm(0.975)
    graphics::abline(h = c(-z, z), lty = 2, col = "grey60")
    graphics::lines(value, tau, type = "b", pch = 16, cex = 0.6, col = "#2166ac")
  }
  invisible(x)
}

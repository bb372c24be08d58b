# Confidence limits of stable distributions from the profile of the likelihood.

#' Confidence limits of the parameters of a fitted stable distribution
#'
#' Confidence limits from the profile of the likelihood, from the standard errors on transformed scales, or Wald
#' limits.
#'
#' The profile of a parameter is the log likelihood maximised over all others. A limit of `method = "profile"` is the
#' value at which twice the log likelihood of the profile is lower than the maximum by \eqn{n \log(1 + F/(n - p))}{n
#' log(1 + F/(n - p))}, `F` the `level` quantile of the F distribution with 1 and `n - p` degrees of freedom, with `n`
#' observations and `p` parameters that were estimated. With `p` the number of coefficients alone, this would be exact
#' in a normal linear model; as the scale counts, too, limits are slightly wider. For large `n` the quantile is that
#' of the chi squared distribution with one degree of freedom. A limit is found by root finding, in which all
#' parameters and both sides advance together, a batch of fits for each step. Where the profile does not fall so far
#' before the parameter reaches a boundary (`alpha = 2`, `beta = -1` or `1`, and the smallest `alpha` that is
#' searched), the boundary is the limit. The limits need no standard errors, and so there are limits for estimates on
#' a boundary. Where `alpha = 2`, `beta` has the limits -1 and 1.
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
#' Profiles themselves are given by [profile()][statclFit-methods], where it says what becomes of those that meet a
#' larger maximum than that of the fit.
#'
#' @return `confint` gives a matrix with the lower and upper limits of `parm`. They are `NA` for fixed parameters;
#'   where there is no standard error (`"wald"`, `"transformed"`, and other estimators); and, with a warning, where no
#'   limit has been found (`"profile"`).
#'   For small `alpha` the likelihood has several maxima, and the profile may jump over its limit: then it is given
#'   where it jumps, with a warning.
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
#' @name confint.stableFit
NULL

#' @exportS3Method NULL
default_limits.stableFit <- function(fit, at) {
  if (fit$method != "mle" || !fit$converged) return("transformed")
  edge <- any(on_edge(fit$parameters))
  cheap <- profile_is_cheap(length(fit$x), edge, sum(censored_rows(fit)))
  if (edge && !cheap) tell_costly(length(fit$x))
  if (cheap) "profile" else "transformed"
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

# Which parameters, in vectors or matrices, were estimated and have no standard error, as on boundaries?
on_edge <- function(p) (nzchar(p$boundary) | is.na(p$std.error)) & !p$fixed

#' @exportS3Method NULL
profile_set.stableFit <- function(fit, at) {
  need_likelihood("fit", fit)
  set <- stable_set(fit, list(x = fit$x, weights = fit$weights, upper = fit$censored, first = 0, n = length(fit$x),
                             cut = fit$truncation))
  set$better <- function(set) stable_better(set, fit$call)
  set
}

# Of one fit or a batch, with its data.
stable_set <- function(fit, data)
  list(par = fit_rows(fit, "estimate"), error = fit_rows(fit, "std.error"), fixed = fit_rows(fit, "fixed"),
       loglik = unname(fit$loglik), n = unname(fit$nobs), pm = fit$pm, data = data,
       rows = stable_rows(smallest_alpha),
       depth = function(set, level)
         profile_depth(set$n, rowSums(counted_parameters(set$fixed, set$par[, 1L])), level),
       guess = function(set) cbind(1.5, 3, 1.3, 1.5 * set$par[, 3L], deparse.level = 0L) / sqrt(set$n),
       least = 1e-5, tolerance = 1e-7, narrow = 1e-9, fit = profile_fits, climb = function(set, of, par)
         profile_refit(set, of, ifelse(set$fixed, set$par, NA)[of, , drop = FALSE], par))

# The scale of the search, and its ends, of alpha, which is searched above floor, beta, gamma and delta.
stable_rows <- function(floor)
  data.frame(lower = c(-Inf, -Inf, 0, -Inf), upper = Inf, low = c(floor, -1, -Inf, -Inf), high = c(2, 1, Inf, Inf),
             from = c(floor, -1, 0, -Inf), to = c(2, 1, Inf, Inf))

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

# The fits of a profile set. One that its start does not serve is made again from starts of its own.
profile_fits <- function(set, of, at, value, start, tell) {
  known <- set$par[of, , drop = FALSE]
  known[!set$fixed[of, , drop = FALSE]] <- NA
  known[cbind(seq_along(of), at)] <- value
  if (!anyNA(known)) return(list(loglik = distributions_loglik(set, of, known), par = known))
  start[!is.na(known)] <- NA
  fit <- profile_refit(set, of, known, start)
  weak <- which(!fit$ok)
  if (length(weak)) {
    second <- profile_refit(set, of[weak], known[weak, , drop = FALSE], NULL)
    better <- which(!is.na(second$loglik) & (is.na(fit$loglik[weak]) | second$loglik > fit$loglik[weak]))
    fit$loglik[weak[better]] <- second$loglik[better]
    fit$par[weak[better], ] <- second$par[better, ]
  }
  fit[c("loglik", "par")]
}

# Log likelihoods of whole distributions, a row of par each.
distributions_loglik <- function(set, of, par) {
  s0 <- stableConvert(par[, 1L], par[, 2L], par[, 3L], par[, 4L], from = set$pm, to = 0)
  samples_loglik(set$data, of, as.matrix(s0[parameters]))
}

# Profiles are those of a likelihood that has been maximised.
need_likelihood <- function(name, fit)
  if (fit$method != "mle")
    input_error(paste0(name, "$method"), fit$method, "must be \"mle\", maximum likelihood, for profiles")

# The fit that begins where the profile of a single one has found more.
stable_better <- function(set, call) {
  par <- set$par[1L, ]
  fixed <- ifelse(set$fixed[1L, ], par, NA)
  fit <- fit_one(fit_core(fit_run(set$data, "mle", set$pm, fixed, par), set$data, fixed), 1L, set$data, call)
  values <- vapply(par, format, "", digits = 7, decimal.mark = ".") # to be typed
  start <- sprintf("list(%s)", toString(sprintf("%s = %s", parameters, values)))
  if (!is.null(fit$call)) fit$call$start <- str2lang(start)
  list(fit = fit, how = paste("start =", start))
}

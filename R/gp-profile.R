# Profiles of the likelihood of Gaussian processes.

#' Confidence limits of Gaussian processes
#'
#' Confidence limits for the coefficients of the mean and the parameters of the covariance.
#'
#' The methods are those of [all fits][statclFit-methods]. For up to 500 observations the default is `"integrate"` for
#' covariance parameters: normal limits are too narrow where data are few, and parameters on a boundary have none.
#' Else, without a process (`cov = NULL`) and by expectation propagation, it is `"transformed"`, with angles as they
#' are, and with `"profile"` limits where an estimate is on a boundary. Coefficients have the t limits that belong to
#' the tests in `summary()`: with 30 to 60 observations of a normal response these cover 0.93 to 0.97, quantiles of
#' the posterior distribution 0.925 to 0.975 (`bench/gp-coverage-small.R` of the sources, 400 sets each).
#'
#' With a `family` limits by default of 200 sets of 500 Poisson counts cover 0.96 of the constants, 0.965 of the
#' slopes, 0.955 of the variances and 0.95 of the ranges, normal ones by `vcov()` 0.89, 0.965, 0.90 and 0.905, with
#' standard errors of 0.015 (`bench/gp-coverage-families.R` of the sources). Where the range may be longer than the
#' region they are wide. The posterior distribution takes several times as long as the fit there, what
#' `summary()` needs of it less.
#'
#' `"integrate"` limits are quantiles of the [posterior()] distribution with the priors of [gpPrior()], one-sided
#' where the estimate is on a boundary, which then is one of the limits. An estimate that the priors make unlikely,
#' such as a range below the distances between the observations, may be outside. Limits end at the outermost points of
#' the posterior, and have an error of numerical integration: other 600 points move a tail probability of 0.025 by
#' some 0.006.
#'
#' `"profile"` limits are where the likelihood has fallen by half the quantile of the chi-squared distribution with
#' one degree of freedom. The distribution of estimates of covariance parameters is often far from normal, above all
#' of range and variance: normal limits are then too narrow.
#' If the profile does not fall so far up to the end of the search, the limit is the boundary of the parameter, 0 or
#' `Inf`. Parameters that are on a boundary have limits too. A limit takes about ten fits, each of which starts from
#' the one before. A restricted likelihood has no profile for
#' coefficients: they have the limits of t tests then.
#'
#' With a `family` the likelihood is that of its approximation. Of several variables the default is `"integrate"` for
#' covariance parameters of `"multimatern"` and `"bimatern"`, without a matrix of nuggets and for up to 500
#' observations by the exact method; for others `"transformed"`, with `"profile"` limits of variances on a boundary.
#' Elements of matrices, as correlations of more than two variables, have no profiles.
#'
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
#' @name confint.gpFit
NULL

# Elements of matrices have none.
#' @exportS3Method NULL
profile_rows.gpFit <- function(fit) which(profiled_rows(fit))

# Coefficients and covariance parameters stand in one row, of which free ones that are 0 or on a bound are replaced
# by what is next to them on the scale of the search.
#' @exportS3Method NULL
profile_set.gpFit <- function(fit, at) {
  k <- length(fit$coefficients)
  if (!all(profiled_rows(fit)[at])) raise_engine_error("input", paste(
    "profiles of elements of a matrix are for fits of one variable: limits of method = \"transformed\" are by",
    "standard errors"))
  restricted <- fit$estimator == "REML"
  if (restricted && any(at <= k))
    message("a restricted likelihood has no profile for coefficients: their limits are those of t tests")
  s <- gp_profile_state(fit)
  rows <- s$rows
  table <- fit$parameters
  free <- rows$name %in% s$free
  beside <- function(v) {
    least <- rows$lower + ifelse(is.finite(rows$upper), stats::plogis(-7) * (rows$upper - rows$lower), 1e-6 * s$sill)
    v <- ifelse(free & v == rows$lower, least, v)
    v <- ifelse(free & is.infinite(v), from_search(s$ends$high, rows), v)
    ifelse(free & v == rows$upper, rows$upper - stats::plogis(-7) * (rows$upper - rows$lower), v)
  }
  mean <- rep(-Inf, k)
  list(par = rbind(c(fit$coefficients, beside(s$v))),
       error = rbind(pmin(table$std.error, c(rep(Inf, k), search_jacobian(s$v, rows) / 2))),
       fixed = rbind(table$fixed | is.na(table$estimate) | restricted & seq_along(table$fixed) <= k),
       loglik = fit$loglik, rows = data.frame(
         lower = c(mean, rows$lower), upper = c(-mean, rows$upper), low = c(mean, s$ends$low),
         high = c(-mean, s$ends$high), from = c(mean, ifelse(is.infinite(rows$lower), s$ends$low, rows$lower)),
         to = c(-mean, ifelse(is.infinite(rows$lower), s$ends$high, rows$upper))),
       depth = function(set, level) {
         s$depth <<- stats::qchisq(level, 1)
         s$depth
       },
       guess = function(set) matrix(0.5, 1L, nrow(table)), least = 1e-3, tolerance = 1e-6, narrow = 1e-6,
       begin = function(search) gp_profile_begin(s, search),
       fit = function(set, of, at, value, start, tell) profile_points(at, function(i) {
         tell(i)
         gp_profile_point(s, at[i], value[i], start[i, ])
       }),
       anew = function(set, at, value) profile_points(at, function(i) gp_profile_point(s, at[i], value[i])),
       climb = function(set, of, par) {
         higher <- gp_maximise(s, s$free, par[k + seq_along(s$v)], beta = par[s$used])
         if (higher$loglik > s$loglik) s[c("v", "beta", "loglik")] <<- higher[c("v", "beta", "loglik")]
         list(loglik = higher$loglik, par = rbind(c(gp_profile_mean(s, s), beside(s$v))),
              ok = is.finite(higher$loglik), error = set$error)
       },
       better = function(set)
         list(start = as.list(stats::setNames(s$v[free], rows$name[free])), how = "start from these estimates"),
       close = s$lik$close)
}

# What a profile needs of a fit: its likelihood, all `rows` of covariance parameters with their values v, the names of
# those that are `free`, the ends of the search for each, the coefficients `beta`, and the largest likelihood, which
# is by `correction` above that of a search.
gp_profile_state <- function(object) {
  lik <- likelihood_of(object)
  about <- lik$search()
  rows <- lik$rows()
  rows$value <- covariance_rows(object)$estimate
  free <- intersect(about$task$searched, rows$name)
  scales <- gp_scales(about$problem, about$data)
  for (map in search_space(about, free, scales)$maps) if (!is.null(map$lower)) rows$lower[map$at[1L]] <- map$lower
  ends <- list(low = rep(NA_real_, nrow(rows)), high = rep(NA_real_, nrow(rows)))
  space <- list(rows = rows, at = match(free, rows$name), reference = 0L, maps = list(), units = about$units)
  space$own <- lapply(rows, `[`, space$at)
  bounds <- search_bounds(space, scales, about$ends)
  angle <- rows$kind[space$at] == "angle" # half a turn is none
  bounds$low[angle] <- rows$value[space$at][angle] - 90
  bounds$high[angle] <- rows$value[space$at][angle] + 90
  ends$low[space$at] <- bounds$low
  ends$high[space$at] <- bounds$high
  zero <- which(is_zero_coefficient(rows$name) & rows$name %in% free)
  if (length(zero)) { # the search has bounds for those of a basis
    reach <- rowSums(abs(solve(zero_root(object)))) * 40
    ends$high[zero] <- reach[match(rows$name[zero], Filter(is_zero_coefficient, rows$name))]
    ends$low[zero] <- -ends$high[zero]
  }
  used <- which(is_known(object))
  unit <- if (is.null(about$problem$unit)) 0 else about$problem$unit^2
  list(lik = lik, rows = rows, v = rows$value, free = free, ends = ends, k = length(object$coefficients),
       used = used, beta = object$coefficients[used], loglik = object$loglik,
       correction = if (is.null(object$loglik.correction)) 0 else object$loglik.correction,
       sill = if (is.null(about$units)) max(sum(rows$value[rows$kind == "sill"]), unit) else about$units)
}

# Searches that end where they begin: those of estimates on a bound, of a variance or nugget whose model with 0 is as
# likely as that at the limit, where 0 is next to nothing on the scale of the search, and of a variance above, where a
# range without bound is: the variance grows with a power of it, and falls only where the search for ranges ends.
gp_profile_begin <- function(s, search) {
  own <- search$at - s$k
  row <- s$rows[pmax(own, 1L), ]
  at_bound <- own > 0 & s$v[pmax(own, 1L)] == ifelse(search$side < 0, row$lower, row$upper)
  for (i in which(own > 0 & !at_bound & search$side < 0 & row$kind %in% c("sill", "effect")))
    at_bound[i] <- gp_inside_limits(s, search$at[i], 0)
  for (i in which(own > 0 & !at_bound & search$side > 0 & row$parameter == "variance")) {
    range <- which(s$rows$part == row$part[i] & s$rows$parameter == "range" & s$rows$name %in% s$free &
                     is.infinite(s$rows$upper) & is.finite(s$ends$high))
    at_bound[i] <- length(range) == 1L && gp_inside_limits(s, s$k + range, from_search(s$ends$high, s$rows)[range])
  }
  search$state[at_bound] <- "boundary"
  search
}

# With parameter i of all at this value, is the likelihood above that at the limits?
gp_inside_limits <- function(s, i, value)
  isTRUE(2 * (s$loglik - gp_profile_fit(s, i, value, s)$loglik) < s$depth)

# The maximum with parameter i of all at this value, from par or anew. Where the likelihood has fallen far, that over
# the others may have moved far away: there it is searched for anew, too.
gp_profile_point <- function(s, i, value, par = NULL) {
  known <- match(s$free, s$rows$name)
  found <- gp_profile_fit(s, i, value, if (!is.null(par)) list(v = replace(s$v, known, par[s$k + known]),
                                                               beta = par[s$used]))
  if (!is.null(par) && sqrt(max(2 * (s$loglik - found$loglik), 0)) > sqrt(s$depth) + 1) {
    anew <- gp_profile_fit(s, i, value, NULL)
    if (anew$loglik > found$loglik) found <- anew
  }
  if (!is.finite(found$loglik)) return(list(loglik = NA_real_, par = rep(NA_real_, s$k + length(s$v))))
  mean <- gp_profile_mean(s, found)
  if (i <= s$k) {
    mean[s$used[s$used != i]] <- mean[s$used][seq_len(length(s$used) - 1L)]
    mean[i] <- value
  }
  list(loglik = found$loglik, par = c(mean, found$v))
}

# The coefficients that go with what was found.
gp_profile_mean <- function(s, found) {
  value <- rep(NA_real_, s$k)
  beta <- if (is.null(found$lik$natural)) found$lik$evaluate(parameter_point(found$v), -Inf)$beta else found$beta
  value[s$used][seq_along(beta)] <- beta
  value
}

# The same from the parameters in `from`, or from starts of its own if there are none, with the likelihood.
gp_profile_fit <- function(s, i, value, from) {
  free <- s$free
  anew <- is.null(from)
  if (anew) from <- s
  v <- from$v
  beta <- from$beta
  if (i > s$k) {
    v[i - s$k] <- value
    free <- setdiff(free, s$rows$name[i - s$k])
    if (!is.null(s$lik$apart)) s$lik <- s$lik$apart(s$rows$name[i - s$k])
  } else {
    s$lik <- s$lik$hold(match(i, s$used), value)
    beta <- beta[s$used != i]
  }
  c(gp_maximise(s, free, v, anew, beta), s["lik"])
}

# The maximum over the free parameters from v, or anew; of a likelihood that has coefficients among its parameters
# also over these, from beta.
gp_maximise <- function(s, free, v, anew = FALSE, beta = NULL) {
  start <- v
  none <- s$rows$name %in% free & s$rows$kind %in% c("sill", "effect") & v < 2e-6 * s$sill
  start[none] <- 1e-3 * rep_len(s$sill, length(v))[none] # 0 is no place to begin at
  about <- s$lik$search()
  task <- list(free = intersect(free, about$task$free), searched = free)
  if (!is.null(s$lik$natural)) {
    start <- s$lik$searched(beta, start)
    task$searched <- c(free, setdiff(about$task$searched, s$rows$name))
  }
  task[c("unknown", "v")] <- list(if (anew) free else character(), start)
  found <- tryCatch(
    if (length(task$searched)) gp_find(s$lik, task)
    else c(s$lik$evaluate(parameter_point(start), -Inf), list(v = start)),
    statcl_error_input = function(e) list(value = -Inf, v = start))
  c(list(loglik = found$value + s$correction), if (is.null(s$lik$natural)) list(v = found$v)
    else s$lik$natural(if (is.null(found$v)) start else found$v))
}

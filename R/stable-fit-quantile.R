# Quantiles of a fitted distribution with standard errors, and the derivatives that these and the scores need.

#' Quantiles of a fitted stable distribution
#'
#' Quantiles of a fitted distribution, such as values at risk, with standard errors and confidence limits that account
#' for the estimation of its parameters.
#'
#' The variance of the quantile \eqn{q} of probability \eqn{p} comes from the covariance matrix of the estimates by
#' the delta method. Differentiation of \eqn{F(q; \theta) = p} gives the derivatives
#' \eqn{\partial q/\partial\theta = -(\partial F/\partial\theta) / f}, where those of the logarithm of the smaller
#' tail with respect to `alpha` and `beta` are central differences of fourth order, and the others are exact.
#' Parameters that are fixed or on a boundary are treated as known by `std.error`.
#'
#' The limits are normal ones on the scale of \eqn{\mathrm{asinh}((q - \delta)/\gamma)}{asinh((q - delta)/gamma)},
#' with \eqn{\delta}{delta} and \eqn{\gamma}{gamma} of S0 at their estimates, carried back. So they are symmetric
#' about the quantile at the centre of the distribution, and about its logarithm in the tails, where the distribution
#' of the estimate is skew. They do not leave the half-line that holds a distribution with `alpha < 1` and a `beta`
#' that is fixed at -1 or 1.
#'
#' Where the estimate of `alpha` or `beta` is on a boundary, as it often is in short series with light tails, such
#' limits would be far too narrow. Then the limits are those of the profile of the likelihood for the quantile, within
#' which twice the log likelihood, maximised over all distributions with this quantile, falls less than for limits of
#' [`confint()`][confint.stableFit()]; given `alpha` and `beta`, the quantile is taken for normal on the scale above.
#' This takes some 50 further fits, and is done where `confint()` has limits by default, up to 20,000 observations; a
#' message says where not. Limits that are not found are `NA`, with a warning.
#'
#' @param x a fit by [stableFit()].
#' @param probs numeric vector of probabilities.
#' @param interval if `TRUE`, standard errors and confidence limits are given too.
#' @param level confidence level of the limits, between 0 and 1.
#' @param lower.tail if `FALSE`, `probs` are probabilities of exceedance, \eqn{P(X > q)}.
#' @param names if `TRUE`, the result has names, or row names, as those of [quantile()].
#' @param ... not used.
#' @return A numeric vector of the length of `probs`; with `interval = TRUE` a matrix with a row for each and columns
#'   `estimate`, `std.error` (that of the quantile itself), `lower` and `upper`, where the last three are `NA` if the
#'   fit has no standard errors, and at probabilities 0 and 1.
#' @seealso [qstable()], [esstable()] for expected shortfall
#' @concept value at risk
#' @examples
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"])))
#' quantile(fit)
#' -quantile(fit, c(0.05, 0.01), interval = TRUE)[, "estimate"] # values at risk of one day
#' quantile(fit, c(0.05, 0.01), interval = TRUE, level = 0.9)
#' @export
quantile.stableFit <- function(x, probs = seq(0, 1, 0.25), interval = FALSE, level = 0.95, names = TRUE,
                               lower.tail = TRUE, ...) {
  check_extra(...)
  check_fit("x", x, c("stableFit", "stableFits"))
  value_table(x, quantile_kind, probs, interval, level, names, lower.tail)
}

# Values of a fit or a batch at probabilities, with standard errors and limits. A kind of value has the function `of`,
# as qstable(), and `slope`, the derivatives of values of a fit with respect to its parameters. The profiles of fits
# on boundaries go together, some at a time for the memory of their grids.
value_table <- function(fits, kind, probs, interval, level, names, lower.tail) {
  check_probs(probs)
  check_level(level)
  interval <- one_flag("interval", interval)
  label <- if (one_flag("names", names)) names(stats::quantile(0, probs))
  lower <- one_flag("lower.tail", lower.tail)
  probs <- as.double(probs)
  of_rows <- rows_of(kind, probs, lower)
  one <- inherits(fits, "stableFit")
  good <- if (one) 1L else which(fitted_series(fits))
  found <- array(NA_real_, c(if (one) 1L else length(fits), length(probs), if (interval) 4L),
                 c(list(if (!one) base::names(fits), label),
                   if (interval) list(c("estimate", "std.error", "lower", "upper"))))
  if (interval) {
    for (i in good) found[i, , ] <- normal_values(if (one) fits else fits[[i]], kind, of_rows, probs, level, lower)
    edge <- which(on_shape_edge(fits))
    for (some in split(edge, (seq_along(edge) - 1L) %/% 100L)) {
      limits <- found[some, , 3:4, drop = FALSE]
      own <- edge_limits(if (one) fits else fits[some], level, of_rows, limits)
      found[some, , 3:4] <- with_edges(limits, own, found[some, , 1L], rep(probs, each = length(some)))
    }
  } else found[good, ] <- of_rows(fit_rows(fits, "estimate")[good, , drop = FALSE], fits$pm)
  if (!one) found
  else if (interval) array(found, dim(found)[-1L], dimnames(found)[-1L])
  else stats::setNames(c(found), label)
}

# Estimates, standard errors and normal limits, a column each.
normal_values <- function(fit, kind, of_rows, probs, level, lower) {
  value <- drop(of_rows(rbind(coef(fit)), fit$pm))
  error <- delta_error(fit, value, if (length(value)) kind$slope(fit, value, probs, lower))
  error[is.nan(error)] <- NA # at the end point of the support
  c(value, error, quantile_limits(fit, value, error, level))
}

# Values of distributions in the rows of par, a column for each probability.
rows_of <- function(kind, probs, lower) function(par, pm) {
  value <- lapply(probs, kind$of, par[, 1L], par[, 2L], par[, 3L], par[, 4L], pm, lower.tail = lower)
  matrix(as.double(unlist(value)), nrow(par))
}

# Values at the ends of the support, or that are not finite, have no limits.
with_edges <- function(limits, edge, value, probs) {
  inner <- rep(c(is.finite(value) & probs > 0 & probs < 1), 2L)
  limits[inner] <- edge[inner]
  limits
}

quantile_kind <- list(
  of = function(...) qstable(...), # which is collated later
  slope = function(fit, value, probs, lower) quantile_slope(fit, value))

# Limits of the quantiles q, a column for either side: those of asinh((q - delta)/gamma), which is linear at the
# centre and logarithmic in the tails, carried back.
quantile_limits <- function(fit, q, error, level) {
  p <- s0_distribution(fit)$par
  limits <- asinh_limits(q, p[["delta"]], p[["gamma"]], error, level)
  if (p[["alpha"]] < 1 && abs(p[["beta"]]) == 1) {
    end <- at_distribution(qstable, if (p[["beta"]] > 0) 0 else 1, fit)
    limits[] <- if (p[["beta"]] > 0) pmax(limits, end) else pmin(limits, end)
  }
  limits
}

# Limits that are normal on the scale of asinh((q - location)/gamma).
asinh_limits <- function(q, location, gamma, error, level) {
  z <- (q - location) / gamma
  reach <- stats::qnorm((1 + level) / 2) * error / gamma / sqrt(1 + z^2)
  location + gamma * sinh(asinh(z) + outer(reach, c(-1, 1)))
}

# Have alpha or beta been estimated to be on a boundary? Not at the smallest alpha, where there is no maximum.
on_shape_edge <- function(fits) {
  boundary <- fit_rows(fits, "boundary")
  edge <- nzchar(boundary[, 1:2, drop = FALSE]) & !fit_rows(fits, "fixed")[, 1:2, drop = FALSE]
  fits$method == "mle" & fits$converged & rowSums(edge) > 0 & boundary[, 1L] != "lower"
}

# Limits from the profile of the likelihood, of values that fits have: value(par, pm) gives them for distributions in
# the rows of par, a column each. Given alpha and beta, gamma and delta are estimated with a regular likelihood, and
# the value h has the standard error s. So the limits are the extremes over alpha and beta of
#   h(alpha, beta) -+ s(alpha, beta) sqrt(depth - fall(alpha, beta))
# where twice the log likelihood falls by less than depth, see profile_depth().
# The result is an array of fits by values by sides, NA where a search has failed, and `limits` where it would take
# too long.
edge_limits <- function(fits, level, value, limits) {
  set <- profile_set(fits)
  n <- nrow(set$par)
  cheap <- profile_is_cheap(set$data$n, TRUE, if (inherits(fits, "stableFit")) sum(censored_rows(fits)) else 0)
  if (!all(cheap)) message("limits treat estimates on a boundary as known with ",
                           big_count(max(set$data$n)), " observations")
  open <- which(!set$fixed[, 1:2, drop = FALSE] & cheap, arr.ind = TRUE)
  limits <- array(limits, c(n, length(limits) / n / 2, 2L))
  limits[cheap, , ] <- NA
  if (!nrow(open)) return(limits)
  found <- profile_search(set, open[, 1L], open[, 2L], level)
  if (any(found$set$loglik > set$loglik + 1e-5))
    warn("the profile has found a larger maximum than the fit, and the limits are those of the larger one: ",
         "see confint()")
  set <- found$set
  depth <- set$depth(set, level)
  # S1 has a pole at alpha = 1, where S0 is continuous and has the same gamma; what else is fixed holds for its own
  pm <- if (any(set$fixed[, 4L]) || set$pm == 2 && any(set$fixed[, 3L])) set$pm else 0
  ends <- array(set$par[, 1:2], c(n, 2L, 2L)) # of what is fixed the value
  for (side in 1:2) ends[cbind(open, side)] <- found$limits[, side]
  for (i in which(cheap & !is.na(rowSums(ends)))) {
    own <- edge_grid(set, i, ends[i, , ], depth[i], pm)
    h <- value(as.matrix(own$grid[1:4]), pm)
    for (j in seq_len(ncol(h))) {
      z <- asinh((h[, j] - own$grid$delta) / own$grid$gamma)
      part <- own$grid
      if (own$smooth && all(is.finite(z))) # not so the shortfall for alpha <= 1
        part <- refined(cbind(part, z), own$size, c(41L, 41L))
      else part$z <- z
      part <- part[part$room >= 0, ]
      if (nrow(part)) limits[i, j, ] <- extremes(part, set$par[i, ], set$pm, pm)
    }
  }
  lost <- cheap & rowSums(is.na(limits)) > 0
  if (any(lost)) warn(sprintf("no profile limits found for values of %d of %d fits", sum(lost), n))
  limits
}

# Estimates of gamma and delta of fit i, and their covariances, on a grid of alpha and beta between these ends, nodes
# of alpha being dense at 2, to which the fall is quadratic: `room` is what is left of the depth. In a
# parameterisation without a pole they are interpolated by splines; else a denser grid is taken as it is, as are nodes
# some of which have no estimate.
edge_grid <- function(set, i, ends, depth, pm) {
  smooth <- pm == 0
  between <- function(end, at) if (end[1L] < end[2L]) end[2L] - at * (end[2L] - end[1L]) else end[1L]
  share <- lapply(if (smooth) c(7L, 7L) else c(25L, 9L), function(n) seq(0, 1, length.out = n))
  nodes <- list(alpha = between(ends[1L, ], share[[1L]]^(if (ends[1L, 2L] == 2) 2 else 1)),
                beta = between(ends[2L, ], share[[2L]]))
  grid <- expand.grid(nodes)
  known <- cbind(as.matrix(grid), set$par[rep(i, nrow(grid)), 3:4])
  fixed <- set$fixed[i, 3:4]
  known[, 3:4][, !fixed] <- NA
  data <- set$data
  data[c("first", "n")] <- list(rep(data$first[i], nrow(grid)), rep(data$n[i], nrow(grid)))
  fit <- fit_run(data, "mle", pm, known, NULL)
  for (j in c(3L, 4L)[fixed]) fit$vcov[j, , ] <- fit$vcov[, j, ] <- 0
  grid <- cbind(grid, gamma = fit$coefficients[, 3L], delta = fit$coefficients[, 4L], gg = fit$vcov[3L, 3L, ],
                gd = fit$vcov[3L, 4L, ], dd = fit$vcov[4L, 4L, ],
                room = depth - pmax(2 * (set$loglik[i] - fit$loglik), 0))
  bad <- !fit$converged | is.na(rowSums(grid))
  size <- lengths(nodes)
  if (!smooth || any(bad)) return(list(grid = grid[!bad, ], smooth = FALSE))
  list(grid = refined(grid, size, c(31L, 7L)), size = ifelse(size > 1L, c(31L, 7L), 1L), smooth = TRUE)
}

# Columns whose values are on a grid of this size, interpolated by splines to a finer one, unless there is one node.
refined <- function(columns, size, to) {
  along <- function(v, n) if (nrow(v) < 2L) v else apply(v, 2L, function(y) stats::spline(y, n = n)$y)
  as.data.frame(lapply(columns, function(v) c(t(along(t(along(matrix(v, size[1L]), to[1L])), to[2L])))))
}

# The least and the largest of h -+ s sqrt(room) on the scale of quantile_limits(), with z = asinh((h - delta)/gamma)
# in the parameterisation pm and the estimates p of the fit.
extremes <- function(own, p, fit_pm, pm) {
  s0 <- stableConvert(p[[1L]], p[[2L]], p[[3L]], p[[4L]], from = fit_pm, to = 0)
  # h is delta + gamma times a number of alpha and beta, but for S1 at alpha = 1
  slope <- sinh(own$z) + (pm == 1) * (own$alpha == 1) * 2 / pi * own$beta
  scaled <- (own$delta + own$gamma * sinh(own$z) - s0$delta) / s0$gamma
  error <- sqrt(slope^2 * own$gg + 2 * slope * own$gd + own$dd) / s0$gamma / sqrt(1 + scaled^2)
  reach <- ifelse(is.finite(scaled), sqrt(own$room) * error, 0)
  s0$delta + s0$gamma * sinh(c(min(asinh(scaled) - reach), max(asinh(scaled) + reach)))
}

# Standard errors of values, from their derivatives with respect to the parameters, a row for each value.
delta_error <- function(fit, value, slope) {
  open <- !is.na(diag(vcov(fit)))
  if (!any(open) || !length(value)) return(rep(NA_real_, length(value)))
  # in units of gamma
  gamma <- coef(fit)[["gamma"]]
  slope <- sweep(slope, 2L, gamma / c(1, 1, gamma, gamma), `/`)[, open, drop = FALSE]
  variance <- rowSums((slope %*% fit$unit.vcov[open, open]) * slope)
  ifelse(is.finite(value), gamma * sqrt(variance), NA)
}

# Derivatives of the quantiles q of the distribution with respect to its parameters: a row for each, NaN where a
# parameter has no neighbourhood (alpha = 2, beta = -1 or 1).
quantile_slope <- function(fit, q) {
  distribution <- s0_distribution(fit)
  p <- distribution$par
  z <- (q - p[["delta"]]) / p[["gamma"]]
  lower <- pstable(z, p[["alpha"]], p[["beta"]]) < 0.5
  log_tail <- function(alpha, beta) {
    value <- numeric(length(z))
    for (side in unique(lower[!is.na(lower)])) {
      i <- which(lower == side)
      value[i] <- pstable(z[i], alpha, beta, lower.tail = side, log.p = TRUE)
    }
    value
  }
  alpha <- p[["alpha"]]
  beta <- p[["beta"]]
  # to z units: -(dF/dtheta)/f = -+ T (d log T/dtheta)/f, T the lower (-) or upper (+) tail
  factor <- ifelse(lower, -1, 1) * exp(log_tail(alpha, beta) - dstable(z, alpha, beta, log = TRUE))
  slope_alpha <- factor * central(function(a) log_tail(a, beta), alpha, min(2e-3 * alpha, (2 - alpha) / 2.01))
  slope_beta <- factor * central(function(b) log_tail(alpha, b), beta, min(0.01, (1 - abs(beta)) / 2.01))
  chain(cbind(p[["gamma"]] * slope_alpha, p[["gamma"]] * slope_beta, z, 1), distribution$jacobian)
}

# Central difference of fourth order.
central <- function(f, at, h) {
  if (h <= 0) return(NaN)
  (8 * (f(at + h) - f(at - h)) - (f(at + 2 * h) - f(at - 2 * h))) / (12 * h)
}

# From derivatives in the parameters of S0, a column each, to those in the parameters of the fit. Zeros of the
# Jacobian meet NaN where a parameter is on its boundary, and must not spread it.
chain <- function(slope, jacobian) {
  value <- vapply(1:4, function(k) {
    used <- jacobian[, k] != 0 | is.na(jacobian[, k])
    as.vector(slope[, used, drop = FALSE] %*% jacobian[used, k])
  }, numeric(nrow(slope)))
  matrix(value, nrow(slope), 4L, dimnames = list(NULL, c("alpha", "beta", "gamma", "delta")))
}

# The parameters of the fit in S0 and their derivatives (rows) with respect to those of the fit (columns).
s0_distribution <- function(fit) {
  p <- coef(fit)
  alpha <- p[["alpha"]]
  beta <- p[["beta"]]
  jacobian <- diag(4)
  if (fit$pm == 0) return(list(par = p, jacobian = jacobian))
  to <- stableConvert(alpha, beta, p[["gamma"]], p[["delta"]], from = fit$pm, to = 0)
  gamma <- to$gamma
  if (fit$pm == 1) {
    # delta of S0 is that of S1 plus beta gamma tan(pi alpha/2), or at alpha = 1 plus beta (2/pi) gamma log(gamma)
    if (alpha == 1) {
      jacobian[4L, 1:3] <- c(NaN, 2 / pi * gamma * log(gamma), 2 / pi * beta * (log(gamma) + 1))
    } else {
      t <- stable_tangent(alpha)
      jacobian[4L, 1:3] <- c(beta * gamma * pi / 2 * (1 + t^2), gamma * t, beta * t)
    }
  } else {
    # gamma of S0 is alpha^(-1/alpha) times that of S*, and delta that of S* less gamma times the mode m of S0. At the
    # mode the slope of the density is 0, so that the derivatives of m are those of the slope over the curvature.
    mode <- stableMode(alpha, beta)
    at <- stable_slopes(mode, alpha, beta)
    gamma_slope <- c(gamma * (log(alpha) - 1) / alpha^2, 0, alpha^(-1 / alpha))
    jacobian[3L, 1:3] <- gamma_slope
    jacobian[4L, 1:3] <- -gamma_slope * mode + gamma * c(at[, c("alpha.z", "beta.z")], 0) / at[, "z.z"]
  }
  list(par = c(alpha = alpha, beta = beta, gamma = gamma, delta = to$delta), jacobian = jacobian)
}

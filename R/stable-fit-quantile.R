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
#' Parameters that are fixed or on a boundary are treated as known.
#'
#' The limits are normal ones on the scale of \eqn{\mathrm{asinh}((q - \delta)/\gamma)}{asinh((q - delta)/gamma)},
#' with \eqn{\delta}{delta} and \eqn{\gamma}{gamma} of S0 at their estimates, carried back. So they are symmetric
#' about the quantile at the centre of the distribution, and about its logarithm in the tails, where the distribution
#' of the estimate is skew. They do not leave the half-line that holds a distribution with `alpha < 1` and `|beta| =
#' 1`.
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
  check_probs(probs)
  check_level(level)
  q <- at_law(qstable, as.double(probs), x, lower.tail = is_true(lower.tail))
  label <- if (names) names(stats::quantile(0, probs))
  if (!interval) return(stats::setNames(q, label))
  error <- quantile_error(x, q)
  error[is.nan(error)] <- NA # at the end point of the law
  matrix(c(q, error, quantile_limits(x, q, error, level)), length(q),
         dimnames = list(label, c("estimate", "std.error", "lower", "upper")))
}

# Limits of the quantiles q, a column for either side: those of asinh((q - delta)/gamma), which is linear at the
# centre and logarithmic in the tails, carried back.
quantile_limits <- function(fit, q, error, level) {
  p <- s0_law(fit)$par
  z <- (q - p[["delta"]]) / p[["gamma"]]
  reach <- stats::qnorm((1 + level) / 2) * error / p[["gamma"]] / sqrt(1 + z^2)
  limits <- p[["delta"]] + p[["gamma"]] * sinh(asinh(z) + outer(reach, c(-1, 1)))
  if (p[["alpha"]] < 1 && abs(p[["beta"]]) == 1) {
    end <- at_law(qstable, if (p[["beta"]] > 0) 0 else 1, fit)
    limits[] <- if (p[["beta"]] > 0) pmax(limits, end) else pmin(limits, end)
  }
  limits
}

quantile_error <- function(fit, q) delta_error(fit, q, if (length(q)) quantile_slope(fit, q))

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
  law <- s0_law(fit)
  p <- law$par
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
  chain(cbind(p[["gamma"]] * slope_alpha, p[["gamma"]] * slope_beta, z, 1), law$jacobian)
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
s0_law <- function(fit) {
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

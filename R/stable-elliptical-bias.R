# The bias of the index of elliptical stable distributions.

# n times the bias of order 1/n of the maximum likelihood estimate of alpha, with a full matrix and without missing
# values, by the formula of Cox and Snell (1968, Journal of the Royal Statistical Society B 30, 248-275) as McCullagh
# (1987, Tensor Methods in Statistics, section 7.3) has it: minus half the sum over s of the inverse information of
# alpha and s times E[score_s Q], where
#   Q = sum over all pairs j, k of the inverse information times (d^2 f/d theta_j d theta_k)/f.
# The distribution has S = I, for the bias does not depend on S and delta. Then alpha and the scale are correlated
# with each other alone, and of delta and of the matrices without trace only sums over all directions are needed: with
# v = r dlog h/dr and A = r^2 (d^2 h/dr^2)/h they are, but for the information, (A + (d - 1) v)/r^2, the Laplacian,
# and A (1 - 1/d) + v (d - 1/d). Derivatives by log r along the grid of the moments are differences of fourth order.
elliptical_bias <- function(alpha, d, delta) {
  s <- elliptical_grid(alpha, d)
  n <- length(s)
  r <- exp(s)
  h <- elliptical_values(r, alpha, d, TRUE)
  f <- d * s + h[, 1L]
  f <- exp(f - max(f))
  f <- f / sum(f)
  k <- 3:(n - 2L)
  along <- function(v)
    c(0, 0, (8 * (v[k + 1L] - v[k - 1L]) - (v[k + 2L] - v[k - 2L])) / (12 * (s[2L] - s[1L])), 0, 0)
  step <- min(1e-3, (2 - alpha) / 4)
  by_alpha <- function(at) elliptical_values(r, at, d, TRUE)[, 3L]
  a <- h[, 3L]
  v <- r * h[, 2L]
  A <- along(v) - v + v^2
  scale <- -d - v # the score of log scale
  inverse <- solve(matrix(c(sum(f * a^2), sum(f * a * scale), sum(f * a * scale), sum(f * scale^2)), 2L))
  Q <- inverse[1L, 1L] * (a^2 + (by_alpha(alpha + step) - by_alpha(alpha - step)) / (2 * step)) -
    2 * inverse[1L, 2L] * (d * a + v * a + along(a)) + inverse[2L, 2L] * (d^2 + (2 * d + 1) * v + A)
  if (delta) Q <- Q + (A + (d - 1) * v) / r^2 * d / sum(f * (v / r)^2)
  if (d > 1L) Q <- Q + (A * (1 - 1 / d) + v * (d - 1 / d)) * d * (d + 2) / (2 * sum(f * v^2))
  -0.5 * (inverse[1L, 1L] * sum(f * a * Q) + inverse[1L, 2L] * sum(f * scale * Q))
}

# That of a fit, or NA: where alpha is known, on or near its boundary, or the fit is of another kind.
fit_bias <- function(fit) {
  error <- fit$parameters$std.error[1L]
  if (fit$structure != "full" || anyNA(fit$x) || !is.finite(error) || fit$alpha < 0.2) return(NA_real_)
  bias <- elliptical_bias(fit$alpha, length(fit$delta), !fit$parameters$fixed[2L]) / fit$nobs
  if (isTRUE(abs(bias) < error && fit$alpha + 2 * error < 2)) bias else NA_real_
}

#' @rdname mstableFit-methods
#' @export
summary.mstableFit <- function(object, ...) {
  value <- NextMethod()
  value$bias <- fit_bias(object)
  value
}

#' @rdname mstableFit-methods
#' @export
print.summary.mstableFit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  after <- if (!is.na(x$bias)) list(distribution = sprintf(
    "alpha less its bias of order 1/n: %s", format(x$fit$alpha - x$bias, digits = digits)))
  print_summary(x, digits, ..., after = after)
}

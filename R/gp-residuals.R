# Residuals of Gaussian processes: what is left of the observations by the mean alone, in independent pieces, and by
# all other observations.

# The model in which observations are independent with variance 1: inv(L) times the response less the offset, and times
# the design matrix of coefficients that were found.
gp_whitened <- function(fit) {
  p <- fit_problem(fit)
  f <- .Call(C_gpFactor, p$xy, p$metric$kind, p$metric$radius, p$engine, p$diagonal)
  if (f[[3L]] > 0) gp_indefinite_error(p, f[[3L]])
  X <- fit$X[, !is.na(fit$coefficients), drop = FALSE]
  both <- .Call(C_gpSolve, f[[1L]], cbind(as.double(fit$y - fit$offset), X), FALSE)
  list(factor = f[[1L]], y = both[, 1L], X = both[, -1L, drop = FALSE])
}

fit_problem <- function(fit)
  gp_problem(fit$cov, list(xy = fit$x, geographic = NA, crs = NULL), fit$error.variance)

# Predictions of each observation from all others at the covariance parameters of the fit, the coefficients being
# those of the others: with P = inv(S) - inv(S) X inv(X' inv(S) X) X' inv(S) the error is (P y)_i / P_ii, of variance
# 1 / P_ii (Dubrule 1983). An observation without which the coefficients are not known has NaN.
gp_loo <- function(fit) {
  w <- gp_whitened(fit)
  q <- if (ncol(w$X)) qr.Q(qr(w$X, tol = 1e-14)) else matrix(0, length(w$y), 1L)
  u <- .Call(C_gpSolve, w$factor, q, TRUE)
  .Call(C_gpWeights, w$factor, u) # - P in the place of the factor
  precision <- -packed_diagonal(w$factor, length(w$y))
  precision[precision <= 1e-10 * rowSums(u^2)] <- NaN
  residual <- unname(fit$weights) / precision
  list(mean = unname(fit$y) - residual, sd = 1 / sqrt(precision), residual = residual)
}

# Of a matrix in packed tiles (src/dense/dense.h).
packed_diagonal <- function(packed, n) {
  tiles <- ceiling(n / 64)
  packed[outer(65 * (0:63) + 1, 4096 * cumsum(c(0, tiles:1)[seq_len(tiles)]), `+`)[seq_len(n)]]
}

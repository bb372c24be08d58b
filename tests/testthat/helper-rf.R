# Points, models and meshes for the tests of tbrf().
field_models <- function() list(
  rough = covModel("exponential", range = 1.5, variance = 2),
  smooth = covModel("matern", range = 0.7, smoothness = 1.5, nugget = 0.3),
  sum = covModel("exponential", range = 1) + covModel("gaussian", range = 3, variance = 2, nugget = 0.1, mean = 5))

field_grid <- function(d) rfGrid(origin = c(-1, 2, 0.5)[1:d], spacing = c(0.4, 0.3, 0.7)[1:d], dims = c(7, 5, 4)[1:d])

seeded <- function(code, seed = 1) {
  set.seed(seed)
  code
}

# Moments of normal samples in the rows of `draws` against the true ones, in standard errors: variances of sample
# covariances are (S_ii S_jj + S_ij^2)/(N - 1).
moment_scores <- function(draws, mean, covariance) {
  n <- ncol(draws)
  spread <- tcrossprod(diag(covariance)) + covariance^2
  c((rowMeans(draws) - mean) / sqrt(diag(covariance) / n),
    (cov(t(draws)) - covariance) / sqrt(spread / (n - 1)))
}

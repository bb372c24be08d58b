# Fits of many series, each with its own fixed values and start.

# series: a list of numeric vectors. fixed, start: NULL, or matrices with columns alpha, beta, gamma, delta and a row
# for each series, NA where not fixed and where there is no start. weights, censored: NULL, or lists like series.
# Value: list of coefficients (matrix, row per series), loglik, converged, boundary (matrix) and vcov (list); NA for a
# series that cannot be fitted.
fit_batch <- function(series, pm = 0, fixed = NULL, start = NULL, weights = NULL, method = "mle", censored = NULL) {
  parameters <- c("alpha", "beta", "gamma", "delta")
  given <- function(values, i) {
    row <- if (is.null(values)) NA else values[i, ]
    as.list(row[!is.na(row)])
  }
  one <- function(i) {
    arguments <- list(x = series[[i]], method = method, pm = pm, fixed = given(fixed, i),
                      start = if (length(given(start, i))) given(start, i), weights = weights[[i]])
    if (!is.null(censored)) arguments$censored <- censored[[i]]
    tryCatch(suppressWarnings(do.call(stableFit, arguments)), statcl_error_input = function(e) NULL)
  }
  fits <- lapply(seq_along(series), one)
  pick <- function(name, none)
    vapply(fits, function(f) if (is.null(f)) none else unname(f[[name]]), none)
  no_names <- function(m) matrix(t(m), length(fits), 4L, dimnames = list(NULL, parameters))
  list(coefficients = no_names(pick("coefficients", rep(NA_real_, 4L))), loglik = pick("loglik", NA_real_),
       converged = pick("converged", NA), boundary = no_names(pick("boundary", rep(NA_character_, 4L))),
       vcov = lapply(fits, function(f) if (is.null(f)) matrix(NA_real_, 4L, 4L) else f$vcov))
}

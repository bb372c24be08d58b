# Estimators of stable laws other than maximum likelihood by derivatives: see src/stable_estimators.c, stable_ecf.c
# and stable_grid.c. series: a list of numeric vectors; fixed: NULL or a matrix with a row per series and columns
# alpha, beta, gamma and delta (pm = 0), NA where free; weights: NULL or a list of vectors that are not negative. The
# value is a matrix like fixed; a row of NA where a series has no estimate: it is constant, not finite or too short.
stable_estimates <- function(series, method = estimators, fixed = NULL, weights = NULL) {
  method <- match.arg(method)
  if (!is.null(weights) && !identical(lengths(weights, FALSE), lengths(series, FALSE)))
    raise_engine_error("input", "weights must have as many elements as series, each as long as its series")
  parameters <- c("alpha", "beta", "gamma", "delta")
  if (!is.null(fixed)) {
    fixed <- matrix(as.double(fixed), length(series), 4L, dimnames = list(NULL, parameters))
    kept <- setdiff(parameters[colSums(!is.na(fixed)) > 0], c("alpha", "beta"))
    if (method == "grid2d" && length(kept))
      raise_engine_error("input", sprintf("method = \"grid2d\" cannot fix %s: they come from quantiles",
                                          toString(kept)))
  }
  estimates <- .Call(C_stableEstimate, lapply(series, as.double), if (!is.null(weights)) lapply(weights, as.double),
                     fixed, match(method, estimators) - 1L)
  colnames(estimates) <- parameters
  estimates
}

# In the order of enum estimate_method in src/stable_estimators.h.
estimators <- c("mcculloch", "logmoment", "koutrouvelis", "ecf", "grid", "grid2d")

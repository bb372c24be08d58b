# Factors of covariance matrices: packed tiles of src/dense in half the memory of a matrix or, with
# options(statcl.blas = "R"), the upper triangular matrix of R's LAPACK. gp_solve() and gp_weights() tell them apart.
# An OpenCL device keeps packed tiles from call to call until C_gpForget(), for the exit of what works on them. It may
# have them alone: then R's vector is their name, and has no numbers before C_gpFetch().

by_lapack <- function() option_choice("statcl.blas", c("own", "R")) == "R"

# list(factor, log det, number of the first row whose pivot is too small, or 0)
gp_factor <- function(p) {
  tryCatch(
    if (by_lapack()) lapack_factor(p)
    else if (!p$process$packed) p$process$factor(p)
    else .Call(C_gpFactor, engine_among(p$xy, NULL, p$metric, p$engine), p$diagonal),
    error = function(e) if (is_out_of_memory(e)) no_memory(nrow(p$xy)) else stop(e))
}

# The factor, or an error.
sound_factor <- function(p) {
  f <- gp_factor(p)
  if (f[[3L]] > 0) gp_indefinite_error(p, f[[3L]])
  f[[1L]]
}

lapack_factor <- function(p) {
  S <- gp_matrix(p)
  diag(S) <- diag(S) + p$diagonal
  least <- 4 * .Machine$double.eps * diag(S) # as dense_cholesky() has it
  R <- tryCatch(chol(S), error = function(e) e)
  if (inherits(R, "error")) { # its message is in the user's language, and has one number
    row <- as.integer(gsub("[^0-9]", "", conditionMessage(R)))
    if (is.na(row) || row < 1L || row > nrow(S)) stop(R)
    return(list(NULL, 0, row))
  }
  root <- diag(R)
  bad <- which(root^2 <= least)
  list(R, 2 * sum(log(root)), if (length(bad)) bad[1L] else 0)
}

# The value of code(), which the CPU computes anew where a device fails in the middle, which may have had the factor
# alone. The random numbers are the same again.
despite_failures <- function(code) {
  if (identical(useDevice(), "cpu")) return(code())
  state <- get0(".Random.seed", globalenv(), inherits = FALSE)
  again <- function(e) {
    if (!is.null(state)) assign(".Random.seed", state, envir = globalenv())
    value <- withDevice("cpu", code())
    warn("the CPU has computed what a device failed to: ", conditionMessage(e))
    value
  }
  tryCatch(code(), statcl_error_device = again, statcl_error_memory = again)
}

# inv(l) b, or inv(l') b
gp_solve <- function(factor, b, transposed) {
  if (is.matrix(factor)) backsolve(factor, b, transpose = !transposed)
  else .Call(C_gpSolve, factor, b, transposed)
}

# u u' - inv(S): packed in the place of the factor, which is of no use any more, or a matrix.
gp_weights <- function(factor, u) {
  if (is.matrix(factor)) return(tcrossprod(u) - chol2inv(factor))
  .Call(C_gpWeights, factor, u)
  factor
}

# Of a matrix of weights what C_gpContract() gives of packed ones.
lapack_contract <- function(p, weights, names) {
  vapply(names, function(name) sum(weights * gp_matrix(p, name)), 0)
}

# Gigabytes that n observations take: packed tiles, where the engine does not make these with R's matrix and what is
# kept of derivatives, or R's matrix and its factor, and with a gradient the weights, a derivative and their product;
# and the matrices of expected information, one for each of `expected` parameters and at most five to make one.
gp_gigabytes <- function(n, gradient = FALSE, expected = 0, packed = TRUE) {
  tiles <- ceiling(n / 64)
  8e-9 * (if (by_lapack()) (2 + 2 * gradient) * n^2 else tiles * (tiles + 1) / 2 * 64^2 + 4 * n^2 * !packed) +
    8e-9 * n^2 * if (expected) expected + 5 else 0
}

# Before anything is computed: whether the memory is there, and where much is needed, how much. Less than 0.1 GB is
# tried in any case: what is free changes.
gp_memory <- function(n, gradient = FALSE, expected = 0, packed = TRUE) {
  need <- gp_gigabytes(n, gradient, expected, packed)
  if (need > 0.1 && need > free_gigabytes()) no_memory(n, need, expected)
  if (interactive() && need >= 1.6)
    message(sprintf("The covariance matrix of %d observations takes %.1f GB of memory.", n, need))
}

no_memory <- function(n, need = gp_gigabytes(n), expected = 0) {
  free <- free_gigabytes()
  raise_engine_error("memory", sprintf(
    "the covariance matrix of %d observations%s takes %.1f GB of memory%s: take fewer of them%s%s", n,
    if (expected) ", with those of expected information," else "", need,
    if (is.finite(free)) sprintf(", and %.1f GB are available", free) else "",
    if (expected) ", or information = \"average\"" else "",
    if (by_lapack()) ", or options(statcl.blas = \"own\"), which needs less" else ""))
}

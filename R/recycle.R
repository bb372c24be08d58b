# The rules of src/glue/r_vec.c for functions that are written in R: numeric arguments are recycled to the longest,
# none is left when one is empty.
recycle <- function(...) {
  arguments <- list(...)
  for (a in arguments)
    if (!typeof(a) %in% c("double", "integer", "logical") || is.factor(a))
      stop(structure(class = c("simpleError", "error", "condition"),
                     list(message = "Non-numeric argument to mathematical function", call = user_call())))
  n <- if (all(lengths(arguments) > 0L)) max(lengths(arguments)) else 0L
  columns <- lapply(arguments, function(a) rep_len(as.double(a), n))
  is_na <- Reduce(`|`, lapply(columns, function(v) is.na(v) & !is.nan(v)), logical(n))
  is_nan <- !is_na & Reduce(`|`, lapply(columns, is.nan), logical(n))
  c(columns, list(n = n, is_na = is_na, is_nan = is_nan,
                  longest = if (n > 0L) arguments[[match(n, lengths(arguments))]]))
}

# Sets missing values; one warning, in the name of the function called by the user, if a NaN is due to the parameters.
settle <- function(value, r) {
  invalid <- any(is.nan(value) & !r$is_na & !r$is_nan)
  value[r$is_nan] <- NaN
  value[r$is_na] <- NA_real_
  if (invalid) warning(simpleWarning("NaNs produced", user_call()))
  value
}

known_law <- function(r) {
  known <- r$alpha > 0 & r$alpha <= 2 & abs(r$beta) <= 1 & r$gamma >= 0
  !is.na(known) & known & !r$is_na & !r$is_nan
}

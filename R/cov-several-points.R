# Arguments and points of models of several variables, checked.

# How many variables there are by what is given: `lengths` are those of vectors and `matrices` those that are square.
count_variables <- function(name, lengths, matrices, variable) {
  known <- c(lengths, vapply(matrices, NROW, 1L), variable = length(variable))
  p <- max(known, 1L)
  odd <- names(known)[!known %in% c(0L, 1L, p)]
  if (length(odd)) raise_engine_error("input", sprintf(
    "%s has length %d, and %s has %d: \"%s\" takes one for each variable, or one for all", odd[1L], known[[odd[1L]]],
    names(known)[which.max(known)], p, name))
  p
}

check_variable <- function(variable, p) {
  if (is.null(variable)) return(NULL)
  if (!is.character(variable) || anyNA(variable) || length(variable) != p || anyDuplicated(variable) ||
      !all(nzchar(variable)))
    input_error("variable", variable, sprintf("must be %s", if (p == 1L) "a name" else
      sprintf("%d different names, one for each variable", p)))
  as.character(variable)
}

# A symmetric matrix, or a number where there are two variables, with NA for what is not known.
check_symmetric <- function(name, x, p) {
  if (!is.matrix(x)) input_error(name, x, sprintf("must be a %d x %d matrix", p, p))
  if (!is.numeric(x) && !is.logical(x)) input_error(name, typeof(x), "must be numeric")
  if (any(dim(x) != p)) raise_engine_error("input", sprintf(
    "%s is a %d x %d matrix: there %s", name, nrow(x), ncol(x),
    if (p == 1L) "is one variable" else sprintf("are %d variables", p)))
  x <- matrix(as.double(x), p)
  x[is.na(x)] <- t(x)[is.na(x)]
  odd <- which(abs(x - t(x)) > 1e-12 * (abs(x) + abs(t(x))), arr.ind = TRUE)
  if (length(odd)) input_error(sprintf("%s[%d, %d]", name, odd[1L, 1L], odd[1L, 2L]), x[odd[1L, , drop = FALSE]],
                               sprintf("must be %s[%d, %d], the matrix being symmetric", name, odd[1L, 2L],
                                       odd[1L, 1L]))
  if (any(is.infinite(x))) input_error(name, x[is.infinite(x)][1L], "must be finite")
  symmetric(x)
}

# Nuggets as a vector, or a matrix that is positive semidefinite.
check_nuggets <- function(nugget, p) {
  if (!is.matrix(nugget) || p == 1L) {
    if (!is.numeric(nugget) && !is.logical(nugget)) input_error("nugget", nugget, "must be numeric")
    nugget <- rep_len(as.double(nugget), p)
    if (!all(is.na(nugget))) check_numbers("nugget", nugget[!is.na(nugget)], "not negative")
    return(nugget)
  }
  nugget <- check_symmetric("nugget", nugget, p)
  if (!all(is.na(diag(nugget)))) check_numbers("nugget", diag(nugget)[!is.na(diag(nugget))], "not negative")
  if (!anyNA(nugget)) refuse_indefinite("nugget", nugget)
  nugget
}

# Is it a matrix of covariances? Rounding of what a user has computed is not told from less than that.
refuse_indefinite <- function(name, x, what = "") {
  least <- least_eigenvalue(x)
  if (least < -1e-10) raise_engine_error("input", sprintf(
    "%s must be positive semidefinite%s: its smallest eigenvalue, at unit diagonal, is %s", name, what,
    format(least, digits = 4)))
}

# At unit diagonal.
least_eigenvalue <- function(x) {
  unit <- sqrt(pmax(diag(x), 0))
  unit[unit == 0] <- max(unit, 1)
  min(eigen(x / tcrossprod(unit), TRUE, TRUE)$values)
}

# ---- points ----

# A data frame may have names of variables in its last column, in place of which are their numbers.
numbered_variables <- function(x, name, model) {
  if (!is.data.frame(x) || ncol(x) < 2L || inherits(x, "sf") || !is_several(model) || is.null(model$variable))
    return(x)
  last <- x[[ncol(x)]]
  if (!is.factor(last) && !is.character(last)) return(x)
  odd <- setdiff(as.character(last), model$variable)
  if (length(odd)) input_error(sprintf("%s$%s", name, names(x)[ncol(x)]), odd[1L],
                               paste("is none of the variables", toString(model$variable)))
  x[[ncol(x)]] <- match(as.character(last), model$variable)
  x
}

# Coordinates, and the numbers of variables after them.
labelled_points <- function(x, name, model) {
  points <- points_of(numbered_variables(x, name, model), name, model)
  n <- ncol(points$xy)
  if (n < 2L)
    raise_engine_error("input", sprintf("%s has one column: the variable's number follows coordinates", name))
  p <- variable_count(model)
  odd <- which(!points$xy[, n] %in% seq_len(p))
  if (length(odd)) place_error(name, points$xy, odd[1L], n, sprintf(
    "the last column has the number of the variable, from 1 to %d", p))
  points[c("xy", "variable")] <- list(points$xy[, -n, drop = FALSE], as.integer(points$xy[, n]))
  points
}

# The same, of coordinates that are known to be sound.
split_label <- function(xy) {
  n <- ncol(xy)
  list(xy = xy[, -n, drop = FALSE], variable = as.integer(xy[, n]))
}

# How to measure between them.
several_metric <- function(model, a, b = NULL) {
  metric <- metric_of(lapply(families[[model$name]]$terms(model, FALSE), `[[`, "part"), a, b)
  space <- if (metric$kind == "chordal") 3L else metric$dim
  if (space > several_dim(model))
    input_error("dim", several_dim(model), sprintf("must be at least the dimension of space, %d", space))
  metric
}

several_dim <- function(model) if (is.null(model$dim)) Inf else model$dim

# What methods of fits ask where these are of several variables.

# What is for fits of one variable.
refuse_several <- function(fit, what, use = "predict() and residuals() tell of the variables")
  if (!is.null(fit$variables)) raise_engine_error("input", sprintf("%s not for fits of several variables: %s", what,
                                                                   use))

# What is said of ends of the search that are none of a single parameter.
several_notes <- function(rows, own) {
  open <- nzchar(own$boundary) & !(is.finite(own$lower) & own$estimate == own$lower)
  name <- rownames(own)
  c(if (any(at <- open & rows$kind == "correlation")) sprintf(
      "%s: the variables are as correlated as the model allows.", toString(name[at])),
    if (any(at <- open & rows$kind %in% c("coregionalisation", "cross"))) sprintf(
      "%s: the matrix is at the end of its search, where it is singular.", toString(name[at])),
    if (any(at <- open & rows$base == "range" & nzchar(rows$inside) & own$boundary == "lower")) sprintf(
      "%s is that of the part before: one part may be enough.", toString(name[at])),
    if (any(at <- open & !rows$kind %in% c("correlation", "coregionalisation", "cross") &
              !(rows$base == "range" & nzchar(rows$inside) & own$boundary == "lower"))) sprintf(
      "%s is at the end of its search: %s values have the same likelihood.", name[at],
      ifelse(own$boundary[at] == "upper", "larger", "smaller")))
}

# Correlations of which some are fixed may leave a search where the model is valid.
checked_correlations <- function(own) {
  rho <- own$rows$base == "correlation"
  fixed <- own$task$fixed[own$rows$name]
  own$task$model$name == "multimatern" && any(fixed[rho] & !own$rows$value[rho] %in% 0) ||
    any(fixed[rho]) && !all(fixed[rho])
}

# Which parameters have profiles: not the elements of a matrix one by one.
profiled_rows <- function(fit) {
  if (is.null(fit$variables)) return(rep(TRUE, nrow(fit$parameters)))
  rows <- gp_parameter_rows(fit)
  rho <- rows$base == "correlation"
  c(rep(TRUE, length(fit$coefficients)), !(rows$kind %in% c("coregionalisation", "cross") | rho & sum(rho) > 1L))
}

# 1 less the generalised residual sum of squares over that of a constant for each variable.
several_r_squared <- function(w, fit) {
  constant <- endsWith(as.character(names(fit$coefficients)), ":(Intercept)")[is_known(fit)]
  if (all(constant)) return(0)
  null <- if (any(constant)) qr.resid(qr(w$X[, constant, drop = FALSE]), w$y) else w$y
  1 - sum(w$z^2) / sum(null^2)
}

# The inverse of the information of parameters where matrices are on their boundary, of which a search has reached an
# end: by those coordinates of the search that have not.
on_boundary <- function(information, rows, v, space) {
  t <- search_start(v, space)
  j <- match(rownames(information), space$rows$name[space$at])
  jacobian <- search_point(t, space)$jacobian[j, rows$end[space$at] == "", drop = FALSE]
  open <- is.na(diag(information)) # of what nothing is known
  seen <- colSums(jacobian[!open, , drop = FALSE] != 0) > 0 & colSums(jacobian[open, , drop = FALSE] != 0) == 0
  own <- jacobian[!open, seen, drop = FALSE]
  inverse <- inverse_or_na(crossprod(own, information[!open, !open, drop = FALSE] %*% own))
  seen[seen] <- !is.na(diag(inverse))
  known <- !is.na(diag(inverse))
  own <- jacobian[, seen, drop = FALSE]
  value <- own %*% inverse[known, known, drop = FALSE] %*% t(own)
  dimnames(value) <- dimnames(information)
  hidden <- open | rowSums(jacobian[, !seen, drop = FALSE] != 0) > 0
  kept <- rows$end[match(rownames(information), rows$name)] == "" & !hidden
  value[kept, kept, drop = FALSE]
}

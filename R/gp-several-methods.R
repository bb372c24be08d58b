# What methods of fits ask where these are of several variables.

# What is for fits of one variable.
refuse_several <- function(fit, what, use = "predict() and residuals() tell of the variables")
  if (!is.null(fit$variables)) raise_engine_error("input", sprintf("%s not for fits of several variables: %s", what,
                                                                   use))

# Columns are responses of several variables, which are normal, but for numbers of successes and failures.
refuse_family_of_columns <- function(formula, family, cov) {
  columns <- if (inherits(formula, "formula") && length(formula) == 3L) formula[[2L]]
  if (!is.call(columns) || !identical(columns[[1L]], quote(cbind)) || length(columns) < 3L) return(invisible())
  family <- response_family(family)
  several <- inherits(cov, "covModel") && is_several(cov) || identical(cov, "multimatern") || identical(cov, "lmc")
  if (has_trials(family) && !several) return(invisible())
  input_error("family", family$family, sprintf(paste(
    "is for one response, and %s has several: several variables are normal, fit each column on its own, or their",
    "logarithms or roots together"), deparse1(columns)))
}

# Pairs of variables that were nowhere measured together: what tells of their correlation are places near each other,
# and where that is little its standard error is large.
apart_notes <- function(fit, rows, own) {
  at <- which(rows$kind == "correlation" & !own$fixed & (is.na(own$std.error) | own$std.error > 0.25))
  if (!length(at)) return(NULL)
  p <- length(fit$variables$names)
  place <- split(place_numbers(fit$x[, -ncol(fit$x), drop = FALSE]), fit$variables$of)
  element <- ifelse(is.na(rows$element[at]), p, rows$element[at]) # the only one of two variables
  pair <- cbind((element - 1L) %/% p + 1L, (element - 1L) %% p + 1L)
  apart <- !apply(pair, 1L, function(k) any(place[[k[1L]]] %in% place[[k[2L]]]))
  sprintf("%s and %s were not measured at one place: their correlation is that of places near each other.",
          fit$variables$names[pair[apart, 1L]], fit$variables$names[pair[apart, 2L]])
}

# What is said of ends of the search that are none of a single parameter, and of what is not known well.
several_notes <- function(fit, rows, own) {
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
      ifelse(own$boundary[at] == "upper", "larger", "smaller")),
    if (!is.null(fit$variables)) apart_notes(fit, rows, own))
}

# Correlations of which some are fixed may leave a search where the model is valid.
checked_correlations <- function(own) {
  rho <- own$rows$base == "correlation"
  fixed <- own$task$fixed[own$rows$name]
  !is.null(families[[own$task$model$name]]$check) && any(fixed[rho] & !own$rows$value[rho] %in% 0) ||
    any(fixed[rho]) && !all(fixed[rho])
}

# The smoothness of a cross-covariance is hardly seen: towards the mean of both, with a standard deviation of 0.25.
cross_penalty <- function(found, v, s) {
  nu <- which(s$rows$base == "smoothness")
  own <- match(nu, s$at)
  if (length(nu) < 3L || is.na(own[3L])) return(found)
  along <- c(-0.5, -0.5, 1)
  away <- sum(along * v[nu])
  free <- !is.na(own)
  found$value <- found$value + away^2 / (2 * 0.25^2)
  found$slope[own[free]] <- found$slope[own[free]] + away * along[free] / 0.25^2
  curvature <- diag(found$curvature, length(s$at))
  curvature[own[free], own[free]] <- curvature[own[free], own[free]] + tcrossprod(along[free]) / 0.25^2
  replace(found, "curvature", list(curvature))
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

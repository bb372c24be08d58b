# Co-kriging and simulations of fits of several variables: new places are those of one variable, or of all of them one
# after the other, and then as those of any fit.

# The variables by name or number, NULL for all.
asked_variables <- function(fit, variable) {
  names <- fit$variables$names
  if (is.null(fit$variables)) input_error("variable", variable, "is for fits of several variables")
  if (is.null(variable)) return(seq_along(names))
  if (is.factor(variable)) variable <- as.character(variable)
  at <- if (is.character(variable)) match(variable, names)
        else if (is.numeric(variable)) ifelse(variable %in% seq_along(names), variable, NA)
  if (!length(at) || anyNA(at) || anyDuplicated(at))
    input_error("variable", variable, paste("must be variables of the fit, any of", toString(names)))
  as.integer(at)
}

# What new places need to know of a fit, for one of its variables.
variable_view <- function(fit, k) {
  part <- fit$variables$parts[[k]]
  view <- fit[c("coords", "metric", "estimator", "nobs")]
  view[c("terms", "xlevels", "contrasts")] <- part[c("terms", "xlevels", "contrasts")]
  view$coefficients <- fit$coefficients[fit$variables$column == k]
  view$x <- fit$x[, -ncol(fit$x), drop = FALSE]
  view$cov <- variable_model(fit$cov, k)
  view$y <- fit$y
  view$call <- fit$call["formula"]
  structure(view, class = class(fit))
}

# The model of one variable by itself.
variable_model <- function(model, k) {
  known <- families[[model$name]]$terms(model, FALSE)
  own <- Filter(function(term) any(term$pairs[, 1L] == k & term$pairs[, 2L] == k), known)
  parts <- lapply(own, function(term) {
    part <- term$part
    part[c("variance", "nugget")] <- list(term$weight[k, k], 0)
    do.call(covModel, part[setdiff(names(part), "mean")], quote = TRUE)
  })
  parts[[1L]]$nugget <- nugget_variances(model)[k]
  Reduce(`+`, parts)
}

# New places of one variable in the coordinates and the design of the whole fit.
places_of_variable <- function(fit, newdata, k) {
  view <- variable_view(fit, k)
  new <- new_places(view, newdata)
  if (!is.null(new$areas)) input_error("newdata", class(newdata)[1L], paste(
    "has polygons, whose averages are those of fits of one variable"))
  X <- matrix(0, nrow(new$xy), sum(is_known(fit)))
  X[, fit$variables$column[is_known(fit)] == k] <- new$X
  new$X <- X
  new$xy <- cbind(new$xy, rep(k, nrow(new$xy)))
  list(new = new, view = view)
}

# Several of them, one after the other.
joined_places <- function(places) {
  new <- lapply(places, `[[`, "new")
  all <- function(part) do.call(rbind, lapply(new, `[[`, part))
  list(xy = all("xy"), X = all("X"), offset = unlist(lapply(new, `[[`, "offset")),
       ok = unlist(lapply(new, `[[`, "ok")), n = sum(vapply(new, `[[`, 1, "n")), observed = FALSE, areas = NULL)
}

# `ask` has the arguments of predict() that are for several variables.
predict_several <- function(object, newdata, ask, se.fit, interval, level, type, block, parameters) {
  variable <- ask$variable
  if (is.null(object$variables) && is.null(variable)) {
    if (!is.null(ask$combine)) asked_combinations(object, ask$combine)
    input_error("covariance", TRUE, "is for fits of several variables")
  }
  at <- asked_variables(object, variable)
  if (!is.null(block)) input_error("block", block, "is for fits of one variable: average simulations of several")
  if (type == "probabilities") check_probabilities(NULL, se.fit, interval)
  if (!is.null(ask$combine) || ask$covariance)
    return(predict_combined(object, newdata, ask, se.fit, interval, level, type, parameters))
  columns_at <- function(new) {
    some <- some_places(new, which(new$ok))
    columns <- despite_failures(function() gp_columns(
      parameter_mixture(object, parameters, interval == "confidence"), some, se.fit, interval, level, type))
    columns <- columns[!vapply(columns, is.null, NA)]
    value <- matrix(NA_real_, new$n, length(columns), dimnames = list(NULL, names(columns)))
    value[new$ok, ] <- unlist(columns, use.names = FALSE)
    value
  }
  if (missing(newdata) || is.null(newdata)) {
    own <- which(object$variables$of %in% at)
    value <- columns_at(observed_places(object))[own, , drop = FALSE]
    return(with_row_names(drop_column(value), names(object$y)[own]))
  }
  if (anyNA(object$coefficients)) warn("prediction from a rank-deficient fit may be misleading")
  places <- lapply(at, function(k) places_of_variable(object, newdata, k))
  if (length(at) == 1L && !is.null(variable)) {
    one <- places[[1L]]
    return(places_back(replace(one$new, "xy", list(one$new$xy[, -ncol(one$new$xy), drop = FALSE])),
                       columns_at(one$new), one$view, "kriging"))
  }
  value <- columns_at(joined_places(places))
  labelled_rows(object, at, places, value, ncol(value) == 1L)
}

# A matrix with a column for each variable, or a data frame with the variables one after the other.
labelled_rows <- function(object, at, places, value, wide) {
  combined_rows(places[[1L]]$new, value, factor(object$variables$names[at], object$variables$names[sort(at)]),
                "variable", wide)
}

# ---- simulations ----

simulate_several <- function(object, nsim, seed, newdata, variable, conditional, type, method, parameters, ...) {
  at <- asked_variables(object, variable)
  if (...length()) raise_engine_error("input", sprintf(
    "simulate() of several variables takes no %s, an argument of tbrf()", c(names(list(...)), "more")[1L]))
  if (!method %in% c("auto", "exact", "vecchia"))
    input_error("method", method, "is for one variable: \"exact\" and \"vecchia\" simulate several")
  if (method == "auto") method <- object$method
  own <- is.null(newdata)
  places <- if (!own) lapply(at, function(k) places_of_variable(object, newdata, k))
  new <- if (own) observed_places(object) else joined_places(places)
  shared <- is.matrix(object$cov$nugget) && type == "response" && !(own && !conditional)
  if (shared && own) input_error("type", type, paste(
    "is not for a matrix of nuggets where simulations are conditional, at the observations: \"latent\" is"))
  value <- with_seed(seed, despite_failures(function() several_draws(
    parameter_mixture(object, parameters), new, nsim, conditional, type, if (shared) at, method)))
  state <- attr(value, "seed")
  attr(value, "seed") <- NULL
  if (own) value <- response_frame(object, value)[object$variables$of %in% at, , drop = FALSE]
  else if (length(at) == 1L && !is.null(variable)) {
    one <- places[[1L]]
    one$new$xy <- one$new$xy[, -ncol(one$new$xy), drop = FALSE]
    value <- if (one$new$class %in% c("grid", "matrix"))
      as_rfield(value, one$new, one$view$cov, object$metric, "exact", conditional * object$nobs, TRUE)
    else places_back(one$new, value, one$view, "exact")
  } else value <- labelled_rows(object, at, places, value, FALSE)
  structure(value, seed = state)
}

# Each simulation is of one of the fits; errors of the variables `shared` are drawn together.
several_draws <- function(mixture, new, nsim, conditional, type, shared, method) {
  value <- matrix(NA_real_, new$n, nsim, dimnames = list(NULL, paste0("sim_", seq_len(nsim))))
  count <- length(mixture$fits)
  of <- if (count == 1L) rep(1L, nsim) else sample(count, nsim, replace = TRUE, prob = mixture$weight)
  for (k in unique(of)) {
    fit <- mixture$fits[[k]]
    own <- which(of == k)
    value[new$ok, own] <- likelihood_of(fit)$draw(some_places(new, which(new$ok)), length(own), conditional,
                                                  if (is.null(shared)) type else "latent", method)
    if (!is.null(shared)) value[, own] <- value[, own] +
      shared_draws(fit$cov$nugget[shared, shared, drop = FALSE], new$n, length(own))
  }
  value
}

# Errors of all variables at each of some places, of which all those of a variable are together.
shared_draws <- function(nugget, n, nsim) {
  p <- nrow(nugget)
  places <- n / p
  normal <- matrix(stats::rnorm(as.double(n) * nsim), p)
  draws <- semidefinite_root(nugget, 1e-12 * max(diag(nugget)), normal)
  matrix(aperm(array(draws, c(p, places, nsim)), c(2L, 1L, 3L)), n)
}

# Predictions of several variables together: linear combinations of them, and the covariances of their errors at a
# place.

# Weights by the names of variables: a row for each combination, and a column for each variable of the fit.
asked_combinations <- function(fit, combine) {
  names <- fit$variables$names
  if (is.null(names)) input_error("combine", deparse1(combine), "is for fits of several variables")
  if (is.data.frame(combine)) combine <- as.matrix(combine)
  if (!is.numeric(combine)) input_error("combine", class(combine)[1L], "must be numbers, weights of variables")
  given <- if (is.matrix(combine)) combine else matrix(combine, 1L, dimnames = list(NULL, names(combine)))
  own <- colnames(given)
  if (is.null(own) || !all(own %in% names) || anyDuplicated(own)) input_error(
    "combine", if (is.null(own)) deparse1(combine) else toString(own), sprintf(
      "must have the names of variables of the fit, any of %s, as in c(%s = 1, %s = -0.5)", toString(names),
      names[1L], names[2L]))
  check_numbers("combine", as.double(given), "")
  none <- which(rowSums(given != 0) == 0)
  if (length(none)) raise_engine_error("input", sprintf(
    "combine%s has weights of 0 alone: a combination is of one variable or more",
    if (is.matrix(combine)) sprintf("[%d, ]", none[1L]) else ""))
  rows <- if (is.null(rownames(given))) as.character(seq_len(nrow(given))) else rownames(given)
  if (anyDuplicated(rows)) input_error("combine", rows[anyDuplicated(rows)],
                                       "is the name of two rows: combinations need names of their own")
  weights <- matrix(0, nrow(given), length(names), dimnames = list(rows, names))
  weights[, own] <- given
  weights
}

# With `combine` or `covariance` of predict(): without the first it is of variables.
predict_combined <- function(object, newdata, ask, se.fit, interval, level, type, parameters) {
  variable <- ask$variable
  combine <- ask$combine
  covariance <- ask$covariance
  what <- if (is.null(combine)) "covariance" else "combine"
  if (!is.null(combine) && !is.null(variable)) raise_engine_error("input", paste(
    "variable and combine say both what is predicted: combine alone has the names of its variables"))
  weights <- if (is.null(combine)) diag(length(object$variables$names))[asked_variables(object, variable), ,
                                                                        drop = FALSE]
             else asked_combinations(object, combine)
  if (is.null(combine))
    dimnames(weights) <- list(object$variables$names[asked_variables(object, variable)], object$variables$names)
  if (covariance && nrow(weights) < 2L) input_error("covariance", TRUE, sprintf(
    "is between variables or combinations: %s has one", if (is.null(combine)) "variable" else "combine"))
  if (is.null(newdata)) raise_engine_error("input", sprintf(
    "%s is for newdata, which may be the data of the fit", what))
  if (anyNA(object$coefficients)) warn("prediction from a rank-deficient fit may be misleading")
  at <- which(colSums(weights != 0) > 0)
  places <- lapply(at, function(k) places_of_variable(object, newdata, k))
  value <- combined_values(object, places, weights[, at, drop = FALSE], parameters, function(mixture, new, weights)
    combined_columns(mixture, new, weights, se.fit, interval, level, type, covariance), interval == "confidence")
  one <- places[[1L]]
  if (!is.null(combine) && !is.matrix(combine) && !is.data.frame(combine)) {
    one$view$cov <- object$cov
    return(places_back(replace(one$new, "xy", list(one$new$xy[, -ncol(one$new$xy), drop = FALSE])), value, one$view,
                       "kriging"))
  }
  labels <- factor(rownames(weights), if (is.null(combine)) object$variables$names[sort(at)] else rownames(weights))
  combined_rows(one$new, value, labels, if (is.null(combine)) "variable" else "combination")
}

# A matrix with the columns that f() makes: all places of the first combination, of the second, and so on, with NA
# where a coordinate is missing, or a covariate of a variable that has a weight.
combined_values <- function(object, places, weights, parameters, f, mean) {
  n <- places[[1L]]$new$n
  known <- matrix(unlist(lapply(places, function(one) one$new$ok)), n)
  ok <- tcrossprod(!known + 0, (weights != 0) + 0) == 0
  some <- which(rowSums(ok) > 0)
  new <- lapply(places, function(one) {
    own <- some_places(one$new, some)
    own$X[!is.finite(own$X)] <- 0
    own$offset[!is.finite(own$offset)] <- 0
    own
  })
  columns <- despite_failures(function() f(parameter_mixture(object, parameters, mean), new, weights))
  columns <- columns[!vapply(columns, is.null, NA)]
  value <- matrix(NA_real_, n * nrow(weights), length(columns), dimnames = list(NULL, names(columns)))
  value[rep(seq_len(n) %in% some, nrow(weights)), ] <- unlist(columns, use.names = FALSE)
  value[!ok, ] <- NA_real_
  value
}

# Columns of predict(), with those of covariances, of a mixture of fits with weights.
combined_columns <- function(mixture, new, weights, se.fit, interval, level, type, covariance) {
  error <- se.fit || covariance || interval != "none" || length(mixture$fits) > 1L
  parts <- lapply(mixture$fits, function(fit) combined_part(fit, new, weights, error, interval, type))
  columns <- predicted_columns(parts, mixture$weight, se.fit, interval, level, type)
  if (!covariance) return(columns)
  m <- nrow(weights)
  mean <- matrix(mixed_moments(parts, mixture$weight)$mean, ncol = m)
  for (j in seq_len(m)) {
    name <- paste0("cov.", rownames(weights)[j])
    columns[[name]] <- mixed(parts, mixture$weight, function(part) {
      apart <- matrix(part$mean, ncol = m) - mean
      c(part$joint[, , j] + apart * apart[, j])
    })
  }
  columns
}

# Moments of all combinations at the places of each variable, by one fit: `mean` and `sd` of all places of the first
# combination, of the second and so on, and `joint`, an array of the covariance matrices at each place.
combined_part <- function(fit, new, weights, error, interval, type) {
  n <- nrow(new[[1L]]$xy)
  m <- nrow(weights)
  trend <- interval == "confidence"
  each <- if (trend) unlist(lapply(new, function(own) mean_at(fit, own))) else
    likelihood_of(fit)$predictive(joined_places(lapply(new, function(own) list(new = own))), FALSE, "none",
                                  "latent")$mean
  found <- list(mean = c(matrix(each, n) %*% t(weights)))
  if (!error) return(found)
  e <- if (trend) coefficient_errors(fit)
  joint <- if (trend) trend_covariances(e$vcov, new) else kriging_covariances(fit, new, type)
  found$joint <- array(0, c(n, m, m))
  for (a in seq_len(m)) for (b in seq_len(a)) found$joint[, a, b] <- found$joint[, b, a] <-
    matrix(joint, n) %*% c(outer(weights[a, ], weights[b, ]))
  variance <- c(vapply(seq_len(m), function(a) found$joint[, a, a], numeric(n)))
  found$sd <- sqrt(pmax(variance, 0))
  if (trend) found$df <- unlist(lapply(seq_len(m), function(a)
    rep_len(e$df(Reduce(`+`, Map(function(own, w) w * own$X, new, weights[a, ]))), n)))
  found
}

# Of the mean alone.
trend_covariances <- function(vcov, new) {
  value <- array(0, c(nrow(new[[1L]]$X), length(new), length(new)))
  for (i in seq_along(new)) for (j in seq_along(new))
    value[, i, j] <- rowSums((new[[i]]$X %*% vcov) * new[[j]]$X)
  value
}

# Of the errors of universal co-kriging: with v = inv(L) c of each variable, S = L L', covariances at one place are
# those of the process less v_i' v_j, and those of what the coefficients add.
kriging_covariances <- function(fit, new, type) {
  if (fit$method != "exact") input_error("method", fit$method, paste(
    "has no covariances of variables at a place: \"exact\" has, and simulate() draws the variables together"))
  on.exit(.Call(C_gpForget))
  p <- fit_problem(fit)
  krige <- gp_solved(p, fitted_data(fit))
  n <- nrow(new[[1L]]$xy)
  label <- vapply(new, function(own) own$xy[1L, ncol(own$xy)], 0)
  own <- Reduce(`+`, lapply(families[[fit$cov$name]]$terms(fit$cov, FALSE), `[[`, "weight"))
  if (type == "response") own <- own + if (is.matrix(fit$cov$nugget)) fit$cov$nugget
                                       else diag(fit$cov$nugget, length(fit$cov$nugget))
  value <- array(0, c(n, length(new), length(new)))
  for (at in split(seq_len(n), (seq_len(n) * as.double(nrow(p$xy)) * length(new)) %/% 2^22)) {
    each <- lapply(new, function(one) {
      v <- gp_solve(krige$factor, process_covariance(p, p$xy, one$xy[at, , drop = FALSE]), FALSE)
      short <- if (!is.null(krige$qr))
        (t(one$X[at, , drop = FALSE]) - crossprod(krige$X, v))[krige$qr$pivot, , drop = FALSE]
      list(v = v, left = if (!is.null(short)) backsolve(krige$root, short, transpose = TRUE))
    })
    for (i in seq_along(new)) for (j in seq_len(i)) {
      more <- if (is.null(each[[i]]$left)) 0 else colSums(each[[i]]$left * each[[j]]$left)
      value[at, i, j] <- value[at, j, i] <- own[label[i], label[j]] - colSums(each[[i]]$v * each[[j]]$v) + more
    }
  }
  value
}

# A matrix with a column for each combination or, with more than predictions, a data frame with the combinations one
# after the other.
combined_rows <- function(given, value, labels, name, wide = ncol(value) == 1L) {
  rows <- if (is.data.frame(given$given)) row.names(given$given) else given$names
  if (wide)
    return(matrix(value, given$n, length(labels), dimnames = list(rows, as.character(labels))))
  place <- rep(if (is.null(rows)) seq_len(given$n) else rows, length(labels))
  data.frame(place = place, stats::setNames(list(rep(labels, each = given$n)), name), value, check.names = FALSE)
}

# The process of models of several variables, whose number is the last column of the coordinates: blocks of
# covariances by the engine, put together in matrices of R, whose factors are in packed tiles (gp-process.R,
# cov-several.R).

several_process <- list(
  labels = 1L, packed = FALSE,
  metric = function(model, a) {
    labelled_points(a$xy, "x", model)
    several_metric(model, utils::modifyList(a, list(xy = a$xy[, -ncol(a$xy), drop = FALSE])))
  },
  engine = function(p) NULL,
  nugget = function(p, xy) nugget_variances(p$model)[xy[, ncol(xy)]],
  shared = function(p) shared_errors(p$model, split_label(p$xy)),
  variance = function(p, xy) variable_variances(p$model)[xy[, ncol(xy)]],
  covariance = function(p, a, b)
    several_matrix(p$model, split_label(a), if (!is.null(b)) split_label(b), p$metric),
  sums = function(p, a, b, weights) several_sums(p$model, split_label(a), split_label(b), p$metric, weights),
  slope = function(p, name) several_matrix(p$model, split_label(p$xy), NULL, p$metric, name) +
    error_matrix(p$model, split_label(p$xy), name),
  factor = function(p) factor_of_matrix(p),
  slopes = function(p, a, names, kept) several_slopes(p, a, names, kept),
  contract = function(p, weights, names, kept) several_contract(p, weights_matrix(p, weights), names, kept),
  vecchia = list(sums = function(p, names) several_set_sums(p, names), rows = function(...) several_rows(...),
                 metric = function(p) several_neighbour_metric(p),
                 start = function(p, free) if (length(free)) list(map = NULL, time = NULL, by = NULL)
                                           else several_neighbour_metric(p),
                 other = function(p) other_choice(p), ordered = function(p, metric, m) several_ordered(p, metric, m),
                 nearest = function(p, xy, m, group = NULL, data_group = NULL)
                   several_nearest(p, xy, m, group, data_group),
                 drawn = function(p, xy, m) several_drawn(p, xy, m)))

# Of the process of each variable.
variable_variances <- function(model) {
  value <- 0
  for (term in families[[model$name]]$terms(model, FALSE)) value <- value + diag(term$weight)
  value
}

# Products of derivatives of the matrix of observations and a vector, a column for each parameter.
several_slopes <- function(p, a, names, kept = NULL) {
  own <- split_label(p$xy)
  value <- matrix(0, length(a), length(names))
  each_block(p$model, own, NULL, p$metric, names, function(rows, columns, matrices, factors, twice) {
    there <- vapply(matrices, function(m) drop(m %*% a[columns]), numeric(length(rows)))
    value[rows, ] <<- value[rows, ] + tcrossprod(matrix(there, length(rows)), factors)
    if (!twice) return()
    back <- vapply(matrices, function(m) drop(crossprod(m, a[rows])), numeric(length(columns)))
    value[columns, ] <<- value[columns, ] + tcrossprod(matrix(back, length(columns)), factors)
  }, kept)
  each_nugget(p, own, names, function(k, i, j) if (is.null(j)) value[i, k] <<- a[i]
              else value[, k] <<- value[, k] + rowsum_at(a[j], i, length(a)))
  value
}

rowsum_at <- function(x, at, n) {
  sums <- rowsum(x, at)
  replace(numeric(n), as.integer(rownames(sums)), sums)
}

# Sums of a symmetric matrix of weights times derivatives.
several_contract <- function(p, weights, names, kept = NULL) {
  own <- split_label(p$xy)
  value <- stats::setNames(numeric(length(names)), names)
  each_block(p$model, own, NULL, p$metric, names, function(rows, columns, matrices, factors, twice) {
    block <- weights[rows, columns]
    sums <- vapply(matrices, function(m) sum(m * block), 0)
    value <<- value + (1 + twice) * drop(factors %*% sums)
  }, kept)
  each_nugget(p, own, names, function(k, i, j)
    value[k] <<- sum(weights[if (is.null(j)) cbind(i, i) else cbind(i, j)]))
  value
}

# f(k, i, j) of the parameters that are variances of errors, or covariances of these: their number among the names,
# and where in the matrix of observations they are, j being NULL for the diagonal.
each_nugget <- function(p, a, names, f) {
  rows <- nugget_parameters(p$model)
  count <- variable_count(p$model)
  shared <- if (is.matrix(p$model$nugget)) shared_errors(p$model, a)
  for (k in which(names %in% rows$parameter)) {
    at <- rows$element[match(names[k], rows$parameter)]
    i <- if (is.matrix(p$model$nugget)) (at - 1L) %/% count + 1L else at
    j <- if (is.matrix(p$model$nugget)) (at - 1L) %% count + 1L else at
    if (i == j) {
      own <- which(a$variable == i)
      if (length(own)) f(k, own, NULL)
    } else if (!is.null(shared)) {
      own <- which(shared$pair[, 1L] == i & shared$pair[, 2L] == j | shared$pair[, 1L] == j & shared$pair[, 2L] == i)
      if (length(own)) f(k, shared$at[own, 1L], shared$at[own, 2L])
    }
  }
}

# What models of several variables share. Points have the number of a variable after their coordinates, and the
# covariance of variables i and j is a sum of terms, each of which is a covariance of one variable at unit variance
# times a weight. `terms` of a family is a function of the model and of whether derivatives are wanted that gives a
# list of such terms:
#   part    the model of one variable
#   pairs   the variables i <= j that it is for, in the rows of a matrix
#   weight  a symmetric matrix
#   shares  by the names of parameters what derivatives are made of: `weight`, that of the weight, and `inner`, by the
#           names of parameters of the part, their derivatives
# `check` raises an error where correlations are those of no model, for families whose search may leave these, `maps`
# are coordinates of a search (cov-several-search.R), and `settle` makes matrices symmetric of which one triangle has
# changed. `spectra(model, k, dim)` of a family whose models are no sums of independent fields gives what waves need
# (rf-several.R): the `variance` of each variable, the logarithms of their `own` spectral densities at unit
# variance, with a column for each, and `coherence(i, j)`, that of two variables over the root of the product of
# theirs.

is_several <- function(model) !is.null(families[[model$name]]$terms)

variable_count <- function(model) if (is.matrix(model$nugget)) nrow(model$nugget) else length(model$nugget)

# What distinguishes parameters of one variable, and of two, in their names.
variable_labels <- function(model) {
  if (is.null(model$variable)) list(one = as.character(seq_len(variable_count(model))), before = "",
                                    between = if (variable_count(model) > 9L) "." else "")
  else list(one = model$variable, before = ".", between = ".")
}

# Rows of parameters, one for each variable, or for each pair of the lower triangle of a matrix, by its columns.
each_variable <- function(model, base) {
  labels <- variable_labels(model)
  new_parameters(base, seq_along(labels$one), paste0(labels$before, labels$one))
}

of_pairs <- function(model, base, diagonal, before = variable_labels(model)$before, first = 0L, kinds = NA,
                     rank = Inf) {
  labels <- variable_labels(model)
  p <- length(labels$one)
  at <- pairs_of(p, diagonal)
  at <- at[at[, 1L] <= rank, , drop = FALSE]
  if (!nrow(at)) return(NULL)
  new_parameters(base, first + (at[, 1L] - 1L) * p + at[, 2L],
                 paste0(before, labels$one[at[, 1L]], labels$between, labels$one[at[, 2L]]),
                 kinds[1L + (length(kinds) > 1L & at[, 1L] != at[, 2L])])
}

# Variables i <= j, or i < j.
pairs_of <- function(p, diagonal = TRUE) {
  at <- which(if (diagonal) lower.tri(diag(p), TRUE) else lower.tri(diag(p)), arr.ind = TRUE)
  unname(at[, 2:1, drop = FALSE])
}

# A vector of variances of errors, or a matrix of those at one place.
nugget_parameters <- function(model) {
  own <- each_variable(model, "nugget")
  if (!is.matrix(model$nugget)) return(own)
  own$element <- (own$element - 1L) * nrow(model$nugget) + own$element
  own$kind[] <- "coregionalisation"
  join_parameters(own, of_pairs(model, "nugget", FALSE, kinds = "cross"))
}

nugget_variances <- function(model) if (is.matrix(model$nugget)) diag(model$nugget) else model$nugget

# The lower triangle, which parameters are of, is that of the whole matrix.
symmetric <- function(x) {
  x[upper.tri(x)] <- t(x)[upper.tri(x)]
  x
}

# ---- covariances ----

several_covariance <- function(model, x, y, deriv, error) {
  known <- c("none", part_parameters(model)$parameter)
  if (!is.character(deriv) || length(deriv) != 1L || !deriv %in% known)
    input_error("deriv", deriv, paste("must be one of", toString(dQuote(known, FALSE))))
  if (inherits(x, "rfGrid"))
    input_error("x", "rfGrid", "has no variable: give coordinates and the number of a variable")
  a <- labelled_points(x, "x", model)
  b <- if (!is.null(y)) labelled_points(y, "y", model)
  errors <- own_errors(error, length(a$variable), y)
  metric <- several_metric(model, a, b)
  value <- several_matrix(model, a, b, metric, deriv)
  if (is.null(y)) {
    value <- value + error_matrix(model, a, deriv)
    if (deriv == "none" && !is.null(errors)) diag(value) <- diag(value) + errors
  }
  dimnames(value) <- slice_names(list(a$names, if (is.null(y)) a$names else b$names), NULL)
  value
}

# Without nugget, among points a or between a and b, or the derivative for a parameter.
several_matrix <- function(model, a, b, metric, deriv = "none") {
  value <- matrix(0, length(a$variable), length((if (is.null(b)) a else b)$variable))
  each_block(model, a, b, metric, deriv, function(rows, columns, matrices, factors, twice) {
    block <- 0
    for (k in seq_along(matrices)) block <- block + factors[1L, k] * matrices[[k]]
    value[rows, columns] <<- value[rows, columns] + block
    if (twice) value[columns, rows] <<- value[columns, rows] + t(block)
  })
  value
}

# f() of all blocks of the matrix, those above the diagonal alone if b is NULL: numbers of rows and columns, matrices
# of the covariance of a part and its derivatives, and their `factors`, with a row for each parameter that is named;
# `twice`: does the transposed block belong to it? Matrices are left in the environment `kept` if there is one.
each_block <- function(model, a, b, metric, names, f, kept = NULL) {
  among <- is.null(b)
  if (among) b <- a
  rows <- split(seq_along(a$variable), factor(a$variable, seq_len(variable_count(model))))
  columns <- split(seq_along(b$variable), factor(b$variable, seq_len(variable_count(model))))
  slopes <- !identical(names, "none")
  terms <- families[[model$name]]$terms(model, slopes)
  for (number in seq_along(terms)) for (k in seq_len(nrow(terms[[number]]$pairs))) {
    term <- terms[[number]]
    pair <- term$pairs[k, ]
    factors <- block_factors(term, pair, names)
    factors <- factors[, colSums(factors != 0) > 0, drop = FALSE]
    if (!ncol(factors)) next
    turns <- if (among || pair[1L] == pair[2L]) list(pair) else list(pair, rev(pair))
    for (turn in turns) {
      at <- list(rows[[turn[1L]]], columns[[turn[2L]]])
      if (!length(at[[1L]]) || !length(at[[2L]])) next
      own <- among && turn[1L] == turn[2L]
      key <- paste(c(number, turn, colnames(factors)), collapse = " ")
      matrices <- kept[[key]]
      if (is.null(matrices)) matrices <- block_matrices(term$part, a$xy[at[[1L]], , drop = FALSE],
                                                        if (!own) b$xy[at[[2L]], , drop = FALSE], metric,
                                                        colnames(factors))
      if (!is.null(kept)) kept[[key]] <- matrices
      f(at[[1L]], at[[2L]], matrices, factors, among && !own)
    }
  }
}

# What the covariance of a part, "none", and its derivatives count for in a block.
block_factors <- function(term, pair, names) {
  i <- pair[1L]
  j <- pair[2L]
  if (identical(names, "none")) return(matrix(term$weight[i, j], dimnames = list(NULL, "none")))
  inner <- unique(unlist(lapply(term$shares[names], function(share) names(share$inner))))
  value <- matrix(0, length(names), 1L + length(inner), dimnames = list(names, c("none", inner)))
  for (name in intersect(names, names(term$shares))) {
    share <- term$shares[[name]]
    if (!is.null(share$weight)) value[name, "none"] <- share$weight[i, j]
    if (!is.null(share$inner)) value[name, names(share$inner)] <- term$weight[i, j] * share$inner
  }
  value
}

block_matrices <- function(part, a, b, metric, wants) {
  wanted <- lapply(wants, function(want) want_of(list(part), want, metric$dim))
  map <- any(vapply(wanted, `[[`, "", 1L) == "map")
  maps <- if (metric$kind == "euclidean") list(anisotropy(part, metric$dim, map))
  value <- .Call(C_covarianceMatrix, engine_among(a, b, metric, engine_parts(list(part), maps)), wanted, NULL)
  if (length(wants) == 1L) list(value) else value
}

# Products of covariances without nugget between points a and b with a matrix; none is made of them.
several_sums <- function(model, a, b, metric, weights) {
  value <- matrix(0, length(a$variable), ncol(weights))
  for (term in families[[model$name]]$terms(model, FALSE)) {
    maps <- if (metric$kind == "euclidean") list(anisotropy(term$part, metric$dim, FALSE))
    engine <- engine_parts(list(term$part), maps)
    for (k in seq_len(nrow(term$pairs))) for (turn in unique(list(term$pairs[k, ], rev(term$pairs[k, ])))) {
      rows <- which(a$variable == turn[1L])
      columns <- which(b$variable == turn[2L])
      factor <- term$weight[turn[1L], turn[2L]]
      if (!length(rows) || !length(columns) || factor == 0) next
      value[rows, ] <- value[rows, ] + factor * .Call(
        C_covarianceProduct, engine_among(a$xy[rows, , drop = FALSE], b$xy[columns, , drop = FALSE], metric, engine),
        weights[columns, , drop = FALSE])
    }
  }
  value
}

# ---- errors ----

# What errors add to the matrix of observations, or to a derivative of it.
error_matrix <- function(model, a, deriv = "none") {
  n <- length(a$variable)
  if (deriv == "none") {
    value <- diag(nugget_variances(model)[a$variable], n)
    shared <- shared_errors(model, a)
    if (!is.null(shared)) value[shared$at] <- shared$value
    return(value)
  }
  rows <- nugget_parameters(model)
  k <- match(deriv, rows$parameter)
  if (is.na(k)) return(matrix(0, n, n))
  model$nugget[] <- 0
  model$nugget[rows$element[k]] <- 1
  if (is.matrix(model$nugget)) model$nugget <- symmetric(model$nugget)
  error_matrix(model, a)
}

# Errors of different variables at one place, which a matrix of nuggets says are correlated: rows and columns in the
# matrix of observations, and the covariances; NULL if there are none.
shared_errors <- function(model, a) {
  if (!is.matrix(model$nugget)) return(NULL)
  place <- place_numbers(a$xy)
  if (anyDuplicated(place * (1 + variable_count(model)) + a$variable)) raise_engine_error("input", paste(
    "a matrix of nuggets is for one observation of a variable at a place: some places have two, whose errors are",
    "independent with one nugget for each variable"))
  of <- split(seq_along(place), a$variable)
  at <- do.call(rbind, unlist(lapply(seq_along(of), function(i) lapply(seq_along(of)[-i], function(j) {
    there <- match(place[of[[i]]], place[of[[j]]])
    cbind(of[[i]], of[[j]][there])[!is.na(there), , drop = FALSE]
  })), recursive = FALSE))
  if (!NROW(at)) return(NULL)
  list(at = at, value = model$nugget[cbind(a$variable[at[, 1L]], a$variable[at[, 2L]])],
       pair = cbind(a$variable[at[, 1L]], a$variable[at[, 2L]]))
}

# ---- spectra ----

# Of Matern covariances, of variables and between them: that of a pair with the smoothness nu and the inverse range a
# has the spectral density Gamma(nu + d/2)/(Gamma(nu) pi^(d/2)) a^(2 nu) (a^2 + k^2)^-(nu + d/2), k being the length
# of a wave vector where distances are those of the model.
matern_spectra <- function(model, k, dim) {
  terms <- families[[model$name]]$terms(model, FALSE)
  term_of <- function(i, j) Filter(function(term) term$pairs[1L, 1L] == i && term$pairs[1L, 2L] == j, terms)[[1L]]
  log_density <- function(part) {
    range <- unit_range(part)
    log(gamma_ratio(part$smoothness, dim)) - dim / 2 * log(pi) + dim * log(range) -
      (part$smoothness + dim / 2) * log1p_square(k * range)
  }
  p <- variable_count(model)
  own <- matrix(vapply(seq_len(p), function(i) log_density(term_of(i, i)$part), k), length(k))
  variance <- vapply(seq_len(p), function(i) term_of(i, i)$weight[i, i], 1)
  list(variance = variance, own = own, coherence = function(i, j) {
    term <- term_of(min(i, j), max(i, j))
    size <- sqrt(variance[i] * variance[j])
    (if (size > 0) term$weight[i, j] / size else 0) * exp(log_density(term$part) - (own[, i] + own[, j]) / 2)
  })
}

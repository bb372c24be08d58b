# Laplace's approximation: the sparse precision Q of a process by Vecchia's approximation, factors of Q and of Q + W,
# which are those of package Matrix, and the mode. The process is kept in the order of the approximation; without
# nugget observations at one location have one value of it.

need_matrix <- function()
  if (!requireNamespace("Matrix", quietly = TRUE))
    raise_engine_error("input", "families other than gaussian need the package Matrix, for sparse factors")

# ---- the sparse precision ----

# Locations of p in order with their neighbours; observations are at the locations l$location.
laplace_problem <- function(p, l, m, few = NULL, metric = vecchia_metric(p)) {
  sets <- gp_ordered(vecchia_coordinates(p, metric), m)
  m <- nrow(sets$members)
  none <- matrix(0, nrow(p$xy), 0L)
  near <- vecchia_nearest(p, sets$order, sets$members)
  p$error <- 0
  make <- function(m) {
    neighbours <- sets$members[seq_len(m), , drop = FALSE]
    list(pointer = vecchia_make(p, sets$order, none, neighbours, near), graph = laplace_graph(neighbours))
  }
  full <- make(m)
  less <- if (!is.null(few) && few < m) make(few)
  p$vecchia <- list(n = nrow(p$xy), m = m, metric = metric, order = sets$order, pointer = full$pointer,
                    few = less$pointer)
  place <- order(sets$order)
  p$laplace <- c(l, list(graph = full$graph, few = less$graph, factorise = sparse_factor, place = place,
                         at = place[l$location]))
  p
}

# The pattern of the factor B of the precision Q = B' B, and where its elements are among the variances and weights of
# vecchia_rows(); `state` is what one evaluation leaves for the next: a mode, and a factor as a preconditioner.
laplace_graph <- function(neighbours) {
  n <- ncol(neighbours)
  there <- which(!is.na(neighbours))
  location <- (there - 1L) %/% nrow(neighbours) + 1L
  row <- c(seq_len(n), location)
  b <- Matrix::sparseMatrix(row, c(seq_len(n), neighbours[there]), x = as.double(seq_along(row)), dims = c(n, n))
  list(b = b, from = as.integer(b@x), row = b@i + 1L, state = new.env(parent = emptyenv()),
       pick = location + n * ((there - 1) %% nrow(neighbours) + 1))
}

# Q, its log determinant, and the number of the first location whose variance given its neighbours is not positive.
laplace_precision <- function(p) {
  p <- above_zero(p)
  g <- p$laplace$graph
  rows <- .Call(C_vecchiaPredict, p$vecchia$pointer, p$engine, model_nugget(p$model), TRUE)
  variance <- rows[, 1L]
  bad <- which(!(variance > 0 & is.finite(variance)))
  if (length(bad)) return(list(bad = bad[1L]))
  b <- g$b
  b@x <- c(rep(1, length(variance)), -rows[g$pick])[g$from] / sqrt(variance)[g$row]
  list(b = b, q = Matrix::crossprod(b), log_det = -sum(log(variance)), bad = 0)
}

# A process without variance has no precision: one of 1e-8, the least of a search, which on the scale of a linear
# predictor is none, stands for it.
above_zero <- function(p) {
  if (model_variance(p$model) > 0) return(p)
  rows <- cov_parameters(model_parts(p$model))
  gp_at(p, set_parameters(p$model, ifelse(rows$parameter == "variance", 1e-8, rows$value), rows))
}

diagonal_places <- function(q) q@p[-1L] # of the upper triangle by columns

times <- function(a, b) if (is.matrix(b)) as.matrix(a %*% b) else as.vector(a %*% b)

with_weight <- function(q, weight) {
  at <- diagonal_places(q)
  q@x[at] <- q@x[at] + weight
  q
}

# A factor of the matrix h, in the pattern of an earlier one: `again` for other matrices of that pattern, and by what
# is done with its inverse: `elements` are those that q has elements for, a list with a `pattern` kept in `state`,
# `forms` a' inv(h) a for weights a, columns, of locations, and `draws` have it as their covariance matrix. Another
# solver is another function like this one, as `factorise` of the data l of a likelihood.
sparse_factor <- function(h, before = NULL) {
  f <- if (is.null(before)) Matrix::Cholesky(h, perm = TRUE, LDL = FALSE, super = TRUE) else Matrix::update(before, h)
  slots <- list(f@super, f@pi, f@px, f@s, f@x)
  rows <- order(f@perm) - 1L # of locations, counted from 0
  list(
    again = function(h) sparse_factor(h, f),
    solve = function(b) {
      value <- Matrix::solve(f, b, system = "A")
      if (is.matrix(b)) as.matrix(value) else as.vector(value)
    },
    log_det = function() {
      columns <- diff(f@super)
      block <- rep(seq_along(columns), columns)
      2 * sum(log(f@x[f@px[block] + (sequence(columns) - 1) * (diff(f@pi)[block] + 1) + 1]))
    },
    elements = function(q, state) {
      if (is.null(state$pattern))
        state$pattern <- list(rows[q@i + 1L], rows[rep(seq_len(ncol(q)), diff(q@p))])
      .Call(C_selectedInverse, slots, state$pattern[[1L]], state$pattern[[2L]])
    },
    forms = function(at, weights) .Call(C_sparseForms, slots, matrix(rows[at], nrow(at)), weights),
    draws = function(normal) as.matrix(Matrix::solve(f, normal, system = "Lt"))[rows + 1L, , drop = FALSE])
}

# ---- the mode ----

# By Newton's method with halved steps. Steps are by conjugate gradients with the factor of an earlier evaluation as
# preconditioner, which is made anew where it does not serve; at the mode one factorisation is needed anyway. Where
# the density is not concave at some observations, steps have the positive part of W, with which they are upwards,
# until they gain little: then those with W itself converge faster, where Q + W is positive definite.
laplace_mode <- function(p, precision, eta, own) {
  l <- p$laplace
  state <- l$graph$state
  if (is.null(state$w) && !is.null(l$few)) state$w <- l$few$state$w # from the first climbs, with fewer neighbours
  n <- nrow(precision$q)
  at <- function(w) {
    terms <- family_terms(l$family, l$y, l$trials, eta + w[l$at], own)
    qw <- times(precision$q, w)
    list(w = w, terms = terms, qw = qw, value = sum(terms$value) - sum(w * qw) / 2)
  }
  now <- if (!is.null(state$w)) at(state$w)
  zero <- at(numeric(n))
  if (is.null(now) || !isTRUE(now$value > zero$value)) now <- zero
  if (!is.finite(now$value)) return(NULL)
  gain <- Inf
  for (round in 1:100) {
    convex <- now$terms$weight < 0
    weight <- location_sums(l, pmax(now$terms$weight, 0))
    gradient <- location_sums(l, now$terms$score) - now$qw
    if (is.null(state$factor)) state$factor <- l$factorise(with_weight(precision$q, weight))
    step <- if (any(convex) && gain < 1) tryCatch(newton_step(
      precision$q, location_sums(l, now$terms$weight), gradient, state), error = function(e) NULL)
    if (is.null(step) || !isTRUE(sum(step * gradient) > 0)) step <- newton_step(precision$q, weight, gradient, state)
    if (is.null(step)) break # the gradient is no number
    gain <- sum(step * gradient)
    length <- 1
    repeat {
      new <- at(now$w + length * step)
      if (isTRUE(new$value >= now$value + 1e-4 * length * gain - 1e-12 * abs(now$value)) || length < 1e-10) break
      length <- length / 2
    }
    if (length >= 1e-10) now <- new
    if (gain < 1e-10 || length < 1e-10) break # the next one would be about 1e-10 of a standard deviation
  }
  state$w <- now$w
  now[c("terms", "weight", "factor")] <- weighted_factor(l, precision$q, family_terms(
    l$family, l$y, l$trials, eta + now$w[l$at], own, TRUE), state$factor$again)
  state$factor <- now$factor
  now
}

# The factor of Q + W, or with the positive part of W where that is not positive definite, as at the end of a search
# for a mode that has not found one: `terms` then have the derivatives of that part.
weighted_factor <- function(l, q, terms, factorise) {
  weight <- location_sums(l, terms$weight)
  convex <- terms$weight < 0
  factor <- if (!any(convex)) factorise(with_weight(q, weight)) else tryCatch({
    factor <- factorise(with_weight(q, weight))
    if (is.finite(factor$log_det())) factor
  }, error = function(e) NULL, warning = function(w) NULL)
  if (is.null(factor)) {
    terms$weight[convex] <- 0
    terms$third[convex] <- 0
    terms$by <- lapply(terms$by, function(b) replace(b, "weight", list(replace(b$weight, convex, 0))))
    weight <- location_sums(l, terms$weight)
    factor <- factorise(with_weight(q, weight))
  }
  list(terms = terms, weight = weight, factor = factor)
}

# Sums of what observations have over those of each location.
location_sums <- function(l, values) {
  sums <- rowsum(values, l$at)
  if (is.matrix(values)) unname(sums) else as.vector(sums)
}

newton_step <- function(q, weight, gradient, state) {
  x <- numeric(length(gradient))
  r <- gradient
  z <- state$factor$solve(r)
  d <- z
  rz <- first <- sum(r * z)
  tolerance <- max(1e-8, min(1e-2, sqrt(first)))
  for (k in 1:30) {
    if (rz <= tolerance^2 * first) return(x)
    if (k == 20L) { # H has changed too much since
      state$factor <- state$factor$again(with_weight(q, weight))
      return(state$factor$solve(gradient))
    }
    h <- times(q, d) + weight * d
    curvature <- sum(d * h)
    if (!isTRUE(curvature > 0)) return(NULL)
    by <- rz / curvature
    x <- x + by * d
    r <- r - by * h
    z <- state$factor$solve(r)
    new <- sum(r * z)
    d <- z + new / rz * d
    rz <- new
  }
  x
}

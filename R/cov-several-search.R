# Coordinates of a search for models of several variables, in which the matrices are those of covariances whatever the
# coordinates are: maps as in cov-search.R. A family has them by maps(rows, at, m, units): all `rows` of parameters,
# the numbers `at` of those that are searched, the model, and units of all parameters, in which they are near 1.

# Rows of the Jacobian of parameters, 0 where these are not searched.
jacobian_rows <- function(s, j) {
  value <- matrix(0, length(j), ncol(s$jacobian))
  value[!is.na(j), ] <- s$jacobian[j[!is.na(j)], ]
  value
}

searched_rows <- function(rows, at, base) {
  all <- which(rows$base == base & !nzchar(rows$inside))
  list(all = all, at = ifelse(all %in% at, all, 0L))
}

multimatern_maps <- function(rows, at, m, units) {
  nu <- searched_rows(rows, at, "smoothness")
  range <- searched_rows(rows, at, "range")
  rho <- searched_rows(rows, at, "correlation")
  list(if (m$scaling == "plain" && any(nu$at > 0L) && any(range$at > 0L)) effective_ranges(range, nu),
       if (length(rho$all) && all(rho$at > 0L)) partial_correlations(m, rho, range, nu),
       nugget_map(rows, at, m, units))
}

# Of a matrix of nuggets.
nugget_map <- function(rows, at, m, units) {
  if (!is.matrix(m$nugget)) return(NULL)
  p <- nrow(m$nugget)
  own <- which(rows$base == "nugget")
  own <- own[order(rows$element[own])]
  whole_matrix_searched(own, at, "nugget")
  if (all(own %in% at)) triangular_sills(own, p, p, units[own])
}

whole_matrix_searched <- function(own, at, name) if (any(own %in% at) && !all(own %in% at))
  raise_engine_error("input", sprintf("%s is one matrix: all of its elements are fixed, or none", name))

# Ranges times sqrt(8 smoothness), or one range with the mean smoothness.
effective_ranges <- function(range, nu) {
  own <- if (length(range$all) == 1L) function(x) matrix(colMeans(x), 1L) else function(x) x
  factor <- function(v) sqrt(8 * own(cbind(v[nu$all]))[, 1L])
  k <- seq_along(range$all)
  free <- range$at > 0L
  search_map(c(range$at, nu$at), point = function(s, t, j) {
    by <- factor(s$v)
    v <- s$v[range$all] / by
    moved <- jacobian_rows(s, j[k]) / by - v / (by^2 / 4) * own(jacobian_rows(s, j[-k]))
    s$v[range$all[free]] <- v[free]
    s$jacobian[j[k][free], ] <- moved[free, ]
    s
  }, scale = function(v) {
    v[range$all[free]] <- (v[range$all] * factor(v))[free]
    v
  })
}

# All correlations: beta = L L' with rows of L on a sphere, whose coordinates are the hyperbolic tangents of those of
# the search (Pinheiro and Bates 1996, Statistics and Computing 6, 289-296, with partial correlations for cosines).
partial_correlations <- function(m, rho, range, nu) {
  k <- seq_along(rho$all)
  p <- length(nu$all)
  lower <- lower.tri(diag(p))
  at <- pairs_of(p, FALSE)
  flipped <- at[, 2:1, drop = FALSE]
  model <- function(v) {
    m$smoothness <- v[nu$all]
    m$range <- v[range$all]
    m
  }
  slope <- function(by, own) by[at] * own[at[, 1L], , drop = FALSE] + by[flipped] * own[at[, 2L], , drop = FALSE]
  search_map(c(rho$at, nu$at, range$at), ends = c(rep(8, length(k)), rep(NA, length(nu$all) + length(range$all))),
             point = function(s, t, j) {
    now <- model(s$v)
    found <- multimatern_factors(now)
    sphere <- sphere_root(t[j[k]], p)
    s$v[rho$all] <- (tcrossprod(sphere$root) * found$value)[lower]
    s$jacobian[j[k], ] <- 0
    for (e in k)
      s$jacobian[j[k], j[k][e]] <- (sphere$slope(e) * found$value)[lower]
    by_nu <- jacobian_rows(s, j[length(k) + seq_len(p)])
    by_range <- jacobian_rows(s, j[-seq_len(length(k) + p)])
    scale <- diag(matern_scales(now))
    by_scale <- -2 * scale / rep_len(now$range, p) * by_range[rep_len(seq_along(range$all), p), , drop = FALSE] +
      (if (now$scaling == "plain") 0 else scale / now$smoothness) * by_nu
    s$jacobian[j[k], ] <- s$jacobian[j[k], ] + s$v[rho$all] * (slope(found$by_nu, by_nu) +
                                                                 slope(found$by_scale, by_scale))
    s
  }, start = function(t, given, v, j) {
    beta <- diag(p)
    beta[lower] <- given[rho$all] / multimatern_factors(model(given))$value[lower]
    replace(t, j[k], sphere_start(symmetric(beta)))
  })
}

# The root with these coordinates for the elements below its diagonal, and derivatives of the product.
sphere_root <- function(t, p) {
  z <- rest <- diag(p)
  z[lower.tri(z)] <- tanh(t)
  rest[lower.tri(z)] <- 1 / cosh(t) # sqrt(1 - z^2)
  before <- matrix(1, p, p) # products of the rest up to each column
  for (j in seq_len(p)[-1L]) before[, j] <- before[, j - 1L] * rest[, j - 1L]
  root <- z * before
  root[upper.tri(root)] <- 0
  at <- which(lower.tri(z), arr.ind = TRUE)
  list(root = root, slope = function(e) {
    i <- at[e, 1L]
    k <- at[e, 2L]
    d <- numeric(p)
    d[k] <- rest[i, k]^2 * before[i, k]
    after <- which(seq_len(p) > k & seq_len(p) <= i)
    d[after] <- -root[i, after] * z[i, k]
    change <- matrix(0, p, p)
    change[i, ] <- root %*% d
    change + t(change)
  })
}

# A matrix that has no root is drawn towards that of independent variables.
sphere_start <- function(beta) {
  p <- nrow(beta)
  for (shrink in c(1, 0.99, 0.95, 0.9, 0.8, 0.6, 0.4, 0.2, 0)) {
    trial <- shrink * beta
    diag(trial) <- 1
    root <- tryCatch(t(chol(trial)), error = function(e) NULL)
    if (!is.null(root)) break
  }
  z <- root
  for (i in seq_len(p)[-1L]) {
    left <- 1
    for (j in seq_len(i - 1L)) {
      z[i, j] <- root[i, j] / left
      left <- left * sqrt(max(1 - z[i, j]^2, 1e-12))
    }
  }
  z <- z[lower.tri(z)]
  atanh(pmin(pmax(z, -1 + 1e-6), 1 - 1e-6))
}

# ---- coregionalisation ----

lmc_maps <- function(rows, at, m, units) {
  sills <- lapply(seq_along(m$parts), function(k) {
    own <- sill_rows(rows, m, k)
    whole_matrix_searched(own, at, sprintf("sill[[%d]]", k))
    if (all(own %in% at)) triangular_sills(own, dim(m$sill)[1L], lmc_rank(m)[k], units[own])
  })
  c(sills, ordered_ranges(rows, at, m), list(nugget_map(rows, at, m, units)))
}

sill_rows <- function(rows, m, k) {
  size <- dim(m$sill)[1L]^2
  which(rows$base == "sill" & (rows$element - 1L) %/% size == k - 1L)
}

# T = A A' with a lower triangular A, of whose diagonal the logarithms are searched, or the first columns of it: the
# lower triangle by columns has the numbers `own`, and a `unit` for each.
triangular_sills <- function(own, p, rank, unit) {
  at <- pairs_of(p)
  at <- at[at[, 1L] <= rank, 2:1, drop = FALSE]
  diagonal <- at[, 1L] == at[, 2L]
  search_map(own, ends = ifelse(diagonal, 20, 1e4), point = function(s, t, j) {
    A <- matrix(0, p, rank)
    A[at] <- ifelse(diagonal, exp(t[j]), t[j])
    s$v[own] <- unit * tcrossprod(A)[at]
    s$jacobian[j, ] <- 0
    for (e in seq_along(own)) {
      change <- matrix(0, p, p)
      change[at[e, 1L], ] <- A[, at[e, 2L]] * if (diagonal[e]) A[at[e, , drop = FALSE]] else 1
      s$jacobian[j, j[e]] <- unit * (change + t(change))[at]
    }
    s
  }, start = function(t, given, v, j) {
    sill <- matrix(0, p, p)
    sill[at] <- given[own] / unit
    sill <- symmetric(sill)
    first <- sill[seq_len(rank), seq_len(rank), drop = FALSE]
    least <- 1e-6 * max(diag(first), 1e-300)
    e <- eigen(first, TRUE)
    first <- e$vectors %*% (pmax(e$values, least) * t(e$vectors))
    root <- chol(first)
    A <- rbind(t(root), t(backsolve(root, t(sill[-seq_len(rank), seq_len(rank), drop = FALSE]), transpose = TRUE)))
    replace(t, j, ifelse(diagonal, log(abs(A[at])), A[at]))
  })
}

# Parts of one family whose ranges alone are searched are in the order of these, so that they cannot change places:
# a range is that of the part before times one and a positive number.
ordered_ranges <- function(rows, at, m) {
  names <- vapply(m$parts, `[[`, "", "name")
  range <- vapply(names(m$parts), function(inside) which(rows$inside == inside & rows$base == "range"), 1L)
  alone <- vapply(names(m$parts), function(inside) sum(which(rows$inside == inside) %in% at) == 1L, NA)
  if (length(range) < 2L || length(unique(names)) > 1L || !all(alone & range %in% at)) return(NULL)
  given <- rows$value[range]
  if (!anyNA(given) && is.unsorted(given)) return(NULL) # in an order that somebody has asked for
  list(search_map(range, ends = c(NA, rep(7, length(range) - 1L)), point = function(s, t, j) {
    for (k in seq_along(range)[-1L]) {
      before <- s$v[range[k - 1L]]
      s$v[range[k]] <- before * (1 + exp(t[j[k]]))
      s$jacobian[j[k], ] <- s$jacobian[j[k - 1L], ] * (1 + exp(t[j[k]]))
      s$jacobian[j[k], j[k]] <- before * exp(t[j[k]])
    }
    s
  }, start = function(t, given, v, j)
    replace(t, j[-1L], log(pmax(given[range[-1L]] / given[range[-length(range)]] - 1, 1e-3)))))
}

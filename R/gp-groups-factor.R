# The precision of a process and grouped effects given responses, A = (Q + A'WA, A'WZ; Z'WA, P + Z'WZ), where A takes
# the process at the location of each observation, Z the effects, and P has the precisions of these.

# What a likelihood does with A: as reverse_factor() has it, for joint vectors, but for `log_det`, `elements` and
# `correction` with weights of observations; `variances` are derivatives of log_det by these, variances of the linear
# predictors, and `own` those of elements. `more(dQ beside)` is the sum of the products of dQ and what the effects add
# to the covariance of the process. For a Newton step the factor need not be `whole`.
joint_factor <- function(l, q, weight, whole = FALSE) {
  if (length(q$effects)) return(grouped_factor(l, q, weight, whole))
  f <- reverse_factor(q, latent_weights(l, weight))
  step <- f$step
  f$step <- function(b, weight, tolerance) step(b, latent_weights(l, weight), tolerance)
  f$variances <- function(elements) latent_variances(l, elements)
  f$own <- function(rows, elements) elements[[1L]][rows]
  f
}

# With the factor V of M = Q + A'WA, R = A'WZ and Y = inv(M) R, by conjugate gradients where that is needed whole, S =
# P + Z'WZ - R'Y is the precision of the effects alone, and det(A) = det(M) det(S). With a diagonal M, `alone`, as of
# crossed factors without a process, R and Y have few elements, and are not made for an evaluation.
grouped_factor <- function(l, q, weight, whole) {
  places <- seq_len(l$count)
  own <- latent_weights(l, weight)
  f <- reverse_factor(q, own)
  alone <- isTRUE(l$still) && !length(q$pattern[[2L]])
  known <- new.env(parent = emptyenv()) # what is computed when it is asked for
  if (alone) {
    diagonal <- 1 / q$prior[[1L]] + if (is.list(own)) own[[1L]] else own
    s <- .Call(C_laplaceCross, l$joint, weight, diagonal)
  } else {
    cross <- .Call(C_laplaceCross, l$joint, weight, NULL)
    known$y <- if (whole) f$solve(cross[[1L]], 1e-9) else f$apply(cross[[1L]])
    s <- cross[[2L]] - .Call(C_laplaceCrossed, l$joint, cross[[1L]], known$y)
  }
  diag(s) <- diag(s) + q$effects
  root <- .Call(C_laplaceRoot, s)
  # rounding, and what V leaves out, may take more than there is where effects are hardly known
  if (is.null(root)) return(if (whole) list(sound = FALSE) else grouped_factor(l, q, weight, TRUE))
  y <- function() {
    if (is.null(known$y)) known$y <- .Call(C_laplaceCross, l$joint, weight, NULL)[[1L]] / diagonal
    known$y
  }
  covariance <- function() {
    if (is.null(known$inverse)) known$inverse <- .Call(C_laplaceRootInverse, root)
    known$inverse
  }
  mixed <- function() {
    if (is.null(known$mixed)) known$mixed <- .Call(C_laplaceTimes, y(), covariance())
    known$mixed
  }
  # list(what effects add to variances of linear predictors, and to those of latent elements)
  added <- function() {
    if (is.null(known$added)) known$added <- .Call(C_laplaceVariancesAlone, l$joint, weight, diagonal, covariance())
    known$added
  }
  # elements of inv(M) + Y covariance Y', those that one observation takes
  of_both <- function(elements) {
    if (is.null(known$both)) known$both <- if (!is.null(l$graph$joint))
      .Call(C_laplaceElements, q$pattern, elements, mixed(), y())
    else .Call(C_laplaceElements, list(integer(l$count + 1L), integer()), list(elements[[1L]], numeric()), mixed(), y())
    known$both
  }
  none <- function(rows, b) matrix(0, rows, ncol(b))
  among <- function(x) latent_sums(l, weight * latent_of(l, x))
  of_latent <- function(x) { # R'x
    if (!alone) return(crossprod(cross[[1L]], x))
    among(rbind(x, none(length(q$effects), x)))[-places, , drop = FALSE]
  }
  of_effects <- function(x) { # Y x
    if (!alone) return(y() %*% x)
    among(rbind(none(l$count, x), x))[places, , drop = FALSE] / diagonal
  }
  split <- function(b, first) { # inv(A) b by inv(M) b
    own <- b[-places, , drop = FALSE] - of_latent(first)
    effects <- backsolve(root, backsolve(root, own, transpose = TRUE))
    rbind(first - of_effects(effects), effects)
  }
  columns <- function(b, solve) {
    one <- is.null(dim(b))
    b <- cbind(b, deparse.level = 0L)
    found <- split(b, solve(b[places, , drop = FALSE]))
    if (one) found[, 1L] else found
  }
  list(
    step = function(b, weight, tolerance) conjugate_gradients(
      b, function(x) prior_times(q, x) + latent_sums(l, weight * latent_of(l, x)),
      function(x) columns(x, f$apply), tolerance, 30L),
    solve = function(b, tolerance = 1e-10) columns(b, function(x) f$solve(x, tolerance)),
    log_det = function() f$log_det() + 2 * sum(log(diag(root))), sound = f$sound, elements = f$elements,
    variances = function(elements) {
      if (alone) latent_variances(l, elements) + added()[[1L]]
      else .Call(C_laplaceVariances, l$joint, latent_variances(l, of_both(elements)), mixed(), covariance())
    },
    own = function(rows, elements)
      c(if (alone) elements[[1L]] + added()[[2L]] else of_both(elements)[[1L]], diag(covariance()))[rows],
    beside = if (!alone) y(), more = function(moved) sum(mixed() * moved),
    forms = function(at, weights) {
      effects <- at > length(places)
      some <- replace(at, effects, 1L)
      inside <- replace(weights, effects, 0)
      value <- f$forms(some, inside)
      left <- -t(matrix(colSums(matrix(c(inside) * y()[some, ], nrow(at))), ncol(at)))
      for (i in which(rowSums(effects) > 0)) {
        known <- which(effects[i, ])
        to <- cbind(at[i, known] - length(places), known)
        left[to] <- left[to] + weights[i, known]
      }
      value + colSums(backsolve(root, left, transpose = TRUE)^2)
    },
    draws = function(normal) {
      effects <- backsolve(root, normal[-places, , drop = FALSE])
      rbind(f$draws(normal[places, , drop = FALSE]) - of_effects(effects), effects)
    },
    correction = f$correction)
}

# A x = b to a relative tolerance in the norm of the preconditioner, as list(x, steps).
conjugate_gradients <- function(b, product, invert, tolerance, most) {
  x <- 0 * b
  r <- b
  z <- invert(r)
  p <- z
  size <- first <- sum(r * z)
  if (!isTRUE(first > 0)) return(list(x = z, steps = 0L))
  for (steps in seq_len(most)) {
    moved <- product(p)
    by <- size / sum(p * moved)
    x <- x + by * p
    r <- r - by * moved
    z <- invert(r)
    new <- sum(r * z)
    if (!isTRUE(new > tolerance^2 * first)) break
    p <- z + new / size * p
    size <- new
  }
  list(x = x, steps = steps)
}

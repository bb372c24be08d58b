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
# P + Z'WZ - R'Y is the precision of the effects alone, and det(A) = det(M) det(S).
grouped_factor <- function(l, q, weight, whole) {
  places <- seq_len(l$count)
  own <- latent_weights(l, weight)
  f <- reverse_factor(q, own)
  alone <- isTRUE(l$still) && !length(q$pattern[[2L]])
  cross <- if (alone) cross_alone(l, weight, 1 / q$prior[[1L]] + if (is.list(own)) own[[1L]] else own, q)
           else cross_products(l, weight, if (whole) function(b) f$solve(b, 1e-9) else f$apply, q)
  root <- .Call(C_laplaceRoot, cross$precision)
  # rounding, and what V leaves out, may take more than there is where effects are hardly known
  if (is.null(root)) return(if (whole) list(sound = FALSE) else grouped_factor(l, q, weight, TRUE))
  covariance <- when_asked(function() .Call(C_laplaceRootInverse, root))
  mixed <- when_asked(function() .Call(C_laplaceTimes, cross$y(), covariance()))
  added <- NULL
  with_effects <- function(elements) {
    if (is.null(added)) added <<- cross$variances(elements, covariance, mixed)
    added
  }
  split <- function(b, first) { # inv(A) b by inv(M) b
    own <- b[-places, , drop = FALSE] - cross$of_latent(first)
    effects <- backsolve(root, backsolve(root, own, transpose = TRUE))
    rbind(first - cross$of_effects(effects), effects)
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
    variances = function(elements) with_effects(elements)[[1L]],
    own = function(rows, elements) c(with_effects(elements)[[2L]], diag(covariance()))[rows],
    beside = if (!alone) cross$y(), more = function(moved) sum(mixed() * moved),
    forms = if (alone) function(at, weights) grouped_forms(f$forms, cross$y(), root)(at, weights)
            else grouped_forms(f$forms, cross$y(), root),
    draws = function(normal) {
      effects <- backsolve(root, normal[-places, , drop = FALSE])
      rbind(f$draws(normal[places, , drop = FALSE]) - cross$of_effects(effects), effects)
    },
    correction = f$correction)
}

# As inverse_forms(), by those of M.
grouped_forms <- function(forms, y, root) {
  force(forms)
  force(root)
  first <- nrow(y)
  function(at, weights) {
    effects <- at > first
    some <- replace(at, effects, 1L)
    inside <- replace(weights, effects, 0)
    value <- forms(some, inside)
    left <- -t(matrix(colSums(matrix(c(inside) * y[some, ], nrow(at))), ncol(at)))
    for (i in which(rowSums(effects) > 0)) {
      known <- which(effects[i, ])
      to <- cbind(at[i, known] - first, known)
      left[to] <- left[to] + weights[i, known]
    }
    value + colSums(backsolve(root, left, transpose = TRUE)^2)
  }
}

# f() is called once, when it is wanted.
when_asked <- function(f) {
  value <- NULL
  function() {
    if (is.null(value)) value <<- f()
    value
  }
}

# What the effects take part in: their `precision` S, the matrix `y`, and products R' x, `of_latent` elements, and
# Y x, `of_effects`; `variances` of linear predictors and of latent elements given all responses, by the elements of
# inv(M) and functions that give the covariance C of the effects and Y C.
cross_products <- function(l, weight, solve, q) {
  cross <- .Call(C_laplaceCross, l$joint, weight, NULL)
  y <- solve(cross[[1L]])
  precision <- cross[[2L]] - .Call(C_laplaceCrossed, l$joint, cross[[1L]], y)
  diag(precision) <- diag(precision) + q$effects
  list(precision = precision, y = function() y, of_latent = function(x) crossprod(cross[[1L]], x),
       of_effects = function(x) y %*% x, variances = function(elements, covariance, mixed) {
         # of inv(M) + Y C Y' those elements that one observation takes
         pattern <- q$pattern
         if (is.null(l$graph$joint)) {
           pattern <- list(integer(l$count + 1L), integer())
           elements <- list(elements[[1L]], numeric())
         }
         both <- .Call(C_laplaceElements, pattern, elements, mixed(), y)
         list(.Call(C_laplaceVariances, l$joint, latent_variances(l, both), mixed(), covariance()), both[[1L]])
       })
}

# The same with a diagonal M, as of crossed factors without a process: R and Y have few elements, and are not made for
# an evaluation.
cross_alone <- function(l, weight, diagonal, q) {
  places <- seq_len(l$count)
  precision <- .Call(C_laplaceCross, l$joint, weight, diagonal)
  diag(precision) <- diag(precision) + q$effects
  none <- function(rows, b) matrix(0, rows, ncol(b))
  among <- function(x) latent_sums(l, weight * latent_of(l, x))
  list(precision = precision,
       y = when_asked(function() .Call(C_laplaceCross, l$joint, weight, NULL)[[1L]] / diagonal),
       of_latent = function(x) among(rbind(x, none(length(q$effects), x)))[-places, , drop = FALSE],
       of_effects = function(x) among(rbind(none(l$count, x), x))[places, , drop = FALSE] / diagonal,
       variances = function(elements, covariance, mixed) {
         added <- .Call(C_laplaceVariancesAlone, l$joint, weight, diagonal, covariance())
         list(latent_variances(l, elements) + added[[1L]], elements[[1L]] + added[[2L]])
       })
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

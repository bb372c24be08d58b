# Elliptical stable distributions: density, probabilities, quantiles and random numbers.

#' Multivariate stable distributions
#'
#' Density, probabilities of rectangles and random numbers of the elliptical (or sub-Gaussian) stable distributions in
#' any number of dimensions, and density, both tails and quantiles of their radius. Random numbers, and in two
#' dimensions the density, of stable distributions with a discrete spectral measure.
#'
#' The distribution with index `alpha`, matrix `S` and location `delta` has the characteristic function
#' \deqn{\exp\{-(u'Su)^{\alpha/2} + i u'\delta\}.}{exp(-(u'Su)^(alpha/2) + i u'delta).}
#' In one dimension it is the symmetric distribution of [dstable()] with `beta = 0` and `gamma = sqrt(S)`; a linear
#' combination \eqn{w'X}{w'X} has that distribution with `gamma` \eqn{\sqrt{w'Sw}}{sqrt(w'Sw)} and location
#' \eqn{w'\delta}{w'delta}, and so have the margins. For `alpha = 2` it is normal with the covariance matrix `2 * S`,
#' for `alpha = 1` it is the Cauchy distribution. Given a positive stable variable A of index `alpha/2`, `X` is normal
#' with the covariance matrix `2 * A * S`.
#'
#' The density depends on the radius \eqn{r = \sqrt{(x-\delta)'S^{-1}(x-\delta)}}{r = sqrt((x - delta)'S^-1(x -
#' delta))} alone. Log densities and both tails of the radius are line integrals of gamma functions for each point,
#' which are accurate for `alpha` from 0.1 to 2, in up to 200 dimensions, and for every radius: errors of the log
#' density are below 1e-14 of the larger of 1 and its size in the tests. Where one distribution has 1024 points or
#' more, they come from a table that is made for it, checked against the direct values, and kept: the two are within
#' 1e-13.
#'
#' Probabilities of rectangles in two or more dimensions are by a randomised quasi-Monte Carlo rule over the mixing
#' variable and Genz's sequence of conditional normal distributions, with as many points as the error needs, on all
#' threads. Far out, where probabilities are small, more points have large values of the mixing variable, so that
#' relative errors are as small as elsewhere: ask for them by `releps`, with `abseps = 0`. The attribute `"error"` is
#' three standard errors of the 12 means. They take their shifts from R's random numbers: [set.seed()] makes them
#' reproducible. In one dimension they are exact.
#'
#' Random numbers are counter-based as those of [rstable()]: the same on every device but for rounding, whatever the
#' number of threads.
#'
#' With `spectral`, a list of directions `s`, in the rows of a matrix, of which the lengths do not count, and their
#' `mass`, the characteristic function is
#' \deqn{\exp\{-\sum_j m_j |u's_j|^\alpha (1 - i\, sign(u's_j) \tan(\pi\alpha/2)) + i u'\delta\},}{exp(-sum_j m_j
#'   |u's_j|^alpha (1 - i sign(u's_j) tan(pi alpha/2)) + i u'delta),}
#' with \eqn{(2/\pi)\log|u's_j|}{(2/pi) log|u's_j|} in place of
#' \eqn{-\tan(\pi\alpha/2)}{-tan(pi alpha/2)} for `alpha = 1`: that of `delta` and the sum of all
#' \eqn{m_j^{1/\alpha} Z_j s_j}{m_j^(1/alpha) Z_j s_j} with independent variables of the parameterisation `pm = 1`,
#' `beta = 1` (and for `alpha = 1` a shift). Such a distribution need neither be elliptical nor symmetric. Its density
#' is known in two dimensions, if the directions are on more than one line: on two it is a product of two univariate
#' ones, with their accuracy; on more, for `alpha` from 0.5, an integral over angles and radii, whose errors are below
#' 1e-10 of the density in the tests. Far out, where that is very small beside its maximum, digits are lost: a warning
#' says for how many points fewer than 9 are left, and those that have none are `NaN`. A value takes of the order of
#' 10 milliseconds. Calls with 64 points or more make a table of the integral over radii, once for an `alpha`, in 0.1
#' to 1 second, and take some 0.1 to 1 milliseconds a value; where it would cost digits, values are integrated.
#'
#' Where columns of `x`, `lower` and `upper`, or elements of `delta`, have names of columns of `S` (or `spectral$s`),
#' variables are matched by them.
#'
#' Rows of `x` (`lower`, `upper`) with missing values give missing values. `alpha` outside (0, 2] gives `NaN` with a
#' warning.
#'
#' @param x a matrix or data frame with a row for each point, or a vector: one point, or in one dimension all points.
#' @param alpha index of stability, greater than 0 and at most 2; for `dmstable` and the radius a vector, with an
#'   element for each point.
#' @param S a symmetric and positive definite matrix; its size is the dimension. A number in one dimension.
#' @param delta location: a vector, or one number for all dimensions.
#' @param spectral instead of `S`, a discrete spectral measure: a list of directions `s` in rows and their `mass`, or
#'   a fit by [mstableFit()] with `spectral`, which has `alpha` and `delta`, too, where `alpha` is left out.
#' @param lower,upper limits of the rectangle: vectors, or matrices with a row for each rectangle.
#' @param n number of draws. If `length(n) > 1`, the length is taken to be the number required.
#' @param first number of the first draw in its stream, from 1.
#' @param r,q radius, not negative.
#' @param p probability.
#' @param d number of dimensions.
#' @param log,log.p if `TRUE`, densities and probabilities are given as logarithms.
#' @param lower.tail if `TRUE`, probabilities are those of radii up to `q`, else of larger ones.
#' @param abseps,releps the quasi-Monte Carlo rule ends where the error is below the larger of `abseps` and `releps`
#'   times the probability, or
#' @param maxpts after so many points.
#' @return `dmstable` gives the density at each point, named as the rows are, and `pmstable` the probability of each
#'   rectangle with the attribute `"error"`. `rmstable` gives a matrix with `n` rows, whose columns are named as those
#'   of `S` or `delta`. `dmstableRadius`, `pmstableRadius` and `qmstableRadius` give density, distribution function
#'   and quantiles of the radius.
#' @references
#' Nolan, J. P. (2013). Multivariate elliptically contoured stable distributions: theory and estimation.
#' *Computational Statistics* **28**, 2067--2089.
#'
#' Abdul-Hamid, H. and Nolan, J. P. (1998). Multivariate stable densities as functions of one dimensional projections.
#' *Journal of Multivariate Analysis* **67**, 80--89.
#'
#' Genz, A. (1992). Numerical computation of multivariate normal probabilities. *Journal of Computational and
#' Graphical Statistics* **1**, 141--149.
#' @seealso [mstableFit()] to fit one, [dstable()] for one dimension.
#' @examples
#' S <- matrix(c(2, 0.8, 0.8, 1), 2)
#' dmstable(rbind(c(0, 0), c(3, -1)), alpha = 1.6, S)
#' dmstable(c(1e5, 0), alpha = 1.6, S, log = TRUE)
#' pmstable(c(-1, -1), c(1, 1), alpha = 1.6, S)
#'
#' set.seed(1)
#' rmstable(3, alpha = 1.6, S, delta = c(1, 2))
#'
#' pmstableRadius(c(1, 10, 1000), alpha = 1.6, d = 2, lower.tail = FALSE)
#' qmstableRadius(c(0.5, 0.99), alpha = 1.6, d = 2)
#'
#' three <- list(s = rbind(c(1, 0), c(0, 1), c(-0.6, -0.8)), mass = c(1, 0.6, 0.8))
#' dmstable(rbind(c(0, 0), c(3, -1)), alpha = 1.6, spectral = three)
#' rmstable(3, alpha = 1.6, spectral = three)
#' @name mstable
NULL

#' @rdname mstable
#' @export
dmstable <- function(x, alpha, S, delta = 0, log = FALSE, spectral = NULL) {
  of_fit <- inherits(spectral, "mstableSpectral") && missing(alpha)
  need(x = missing(x), alpha = missing(alpha) && !of_fit, S = missing(S) && is.null(spectral))
  if (!is.null(spectral)) {
    if (of_fit && missing(delta)) delta <- spectral$delta
    law <- spectral_law(spectral, if (of_fit) spectral$alpha else alpha, missing(S))
    x <- elliptical_points("x", x, ncol(law$s), "column of spectral$s", law$names)
    value <- spectral_log_density(x, law, spectral_location(delta, ncol(law$s), law$names))
    if (!is_true(log)) value <- exp(value)
    return(if (is.null(rownames(x))) value else stats::setNames(value, rownames(x)))
  }
  S <- elliptical_matrix(S)
  d <- nrow(S$S)
  x <- elliptical_points("x", x, d, known = S$names)
  delta <- elliptical_location(delta, d, S$names)
  check_numeric("alpha", alpha)
  n <- nrow(x)
  if (n == 0L || !length(alpha)) return(numeric())
  if (length(alpha) > n) raise_engine_error("input", sprintf(
    "alpha has %d elements, x has %d points: alpha must be a number, or one for each point", length(alpha), n))
  r <- elliptical_radius(x, delta, S$factor)
  value <- as.vector(elliptical_values(r, alpha, d)) - S$half_log_det
  if (anyNA(value)) {
    alpha <- rep_len(alpha, n)
    if (any(is.nan(value) & !is.na(r) & !is.na(alpha))) warn("NaNs produced")
    value[is.na(r) | is.na(alpha)] <- NaN
    value[is.na(r) & !is.nan(r) | is.na(alpha) & !is.nan(alpha)] <- NA
  }
  if (!is_true(log)) value <- exp(value)
  if (is.null(rownames(x))) value else stats::setNames(value, rownames(x))
}

# log h, and its derivatives by r and alpha; alpha as given, one for all or one for each.
elliptical_values <- function(r, alpha, d, slopes = FALSE)
  .Call(C_ellipticalValues, as.double(r), as.double(alpha), as.double(d), slopes)

# A positive definite matrix with the lower triangle of its factor and half the log of its determinant.
elliptical_matrix <- function(S, name = "S") {
  if (is.data.frame(S)) S <- as.matrix(S)
  if (is.numeric(S) && is.null(dim(S)) && length(S) == 1L) S <- matrix(S)
  if (!is.numeric(S) || length(dim(S)) != 2L)
    input_error(name, if (is.null(dim(S))) S else class(S)[1L], "must be a symmetric and positive definite matrix")
  if (nrow(S) != ncol(S) || nrow(S) == 0L) raise_engine_error("input", sprintf(
    "%s has %d rows and %d columns: %s must be a square matrix", name, nrow(S), ncol(S), name))
  bad <- which(!is.finite(S), arr.ind = TRUE)
  if (nrow(bad)) raise_engine_error("input", sprintf("%s[%d, %d] = %s: %s must be finite", name, bad[1L, 1L],
                                                     bad[1L, 2L], format(S[bad[1L, , drop = FALSE]]), name))
  gap <- abs(S - t(S)) > 100 * .Machine$double.eps * sqrt(abs(outer(diag(S), diag(S))))
  if (any(gap)) {
    at <- which(gap, arr.ind = TRUE)[1L, ]
    raise_engine_error("input", sprintf("%s[%d, %d] = %s, but %s[%d, %d] = %s: %s must be symmetric", name, at[1L],
                                        at[2L], format(S[at[1L], at[2L]], digits = 15), name, at[2L], at[1L],
                                        format(S[at[2L], at[1L]], digits = 15), name))
  }
  # of the correlations, so that the units of the variables do not matter
  scale <- sqrt(pmax(diag(S), 0))
  factor <- if (all(scale > 0)) tryCatch(t(chol(S / outer(scale, scale))), error = function(e) NULL)
  if (is.null(factor) || min(diag(factor))^2 < nrow(S) * .Machine$double.eps) {
    least <- min(eigen(S, TRUE, TRUE)$values)
    raise_engine_error("input", sprintf(paste(
      "%s is not positive definite, its smallest eigenvalue is %s: variables that are combinations of others are to",
      "be left out"), name, format(least, digits = 4)))
  }
  list(S = unname(S), factor = factor * scale, half_log_det = sum(log(diag(factor)) + log(scale)),
       names = matrix_names(S))
}

matrix_names <- function(S) if (is.null(colnames(S))) rownames(S) else colnames(S)

# The places of the variables `known` among names, or NULL where none of these is one of them.
places_by_name <- function(name, names, known) {
  if (!any(names %in% known) || identical(names, known)) return(NULL)
  wrong <- setdiff(names, known)
  if (length(wrong)) input_error(name, wrong, paste("must have the names of the variables:", toString(known, 100L)))
  if (anyDuplicated(names)) input_error(name, names[duplicated(names)], "must have each variable once")
  match(known, names)
}

elliptical_location <- function(delta, d, known = NULL) {
  check_numbers("delta", delta, "")
  if (length(delta) != 1L && length(delta) != d) raise_engine_error("input", sprintf(
    "delta has %d elements: it must have 1 or %d, one for each row of S", length(delta), d))
  at <- if (length(delta) == d && d > 1L) places_by_name("delta", names(delta), known)
  rep_len(as.double(if (is.null(at)) delta else delta[at]), d)
}

# A numeric vector, or what is a numeric matrix.
numbers_in_rows <- function(name, x) {
  if (is.null(x) || !is.atomic(x) && !is.data.frame(x))
    input_error(name, if (is.null(x)) x else class(x)[1L],
                "must be a numeric matrix or data frame with an observation in each row")
  x <- plain_numbers(x)
  if (length(dim(x)) == 1L) x <- as.vector(x)
  if (is.data.frame(x)) {
    wrong <- which(!vapply(x, function(v) is.null(dim(v)) && (is.numeric(v) || is.logical(v) && all(is.na(v))), NA))
    if (length(wrong)) raise_engine_error("input", sprintf(
      "column %s of %s is of class %s: all must be numeric", names(x)[wrong[1L]], name, class(x[[wrong[1L]]])[1L]))
    x <- as.matrix(x)
  }
  check_numeric(name, x)
  if (length(dim(x)) > 2L) raise_engine_error("input", sprintf("%s has %d dimensions: it must be a matrix", name,
                                                               length(dim(x))))
  x
}

# Points in rows, with columns in the order of the names that are known.
elliptical_points <- function(name, x, d, of = "row of S", known = NULL) {
  x <- numbers_in_rows(name, x)
  if (is.null(dim(x))) {
    x <- if (d == 1L) matrix(as.double(x), dimnames = list(names(x), NULL)) else {
      if (length(x) != d) raise_engine_error("input", sprintf(
        "%s has %d elements: one point has %d, points are the rows of a matrix", name, length(x), d))
      matrix(as.double(x), 1L, dimnames = if (!is.null(names(x))) list(NULL, names(x)))
    }
  }
  if (ncol(x) != d) raise_engine_error("input", sprintf("%s has %d columns: it must have %d, one for each %s",
                                                        name, ncol(x), d, of))
  at <- if (d > 1L) places_by_name(name, colnames(x), known)
  if (!is.null(at)) x <- x[, at, drop = FALSE]
  storage.mode(x) <- "double"
  x
}

# Radii of points in rows; factor: the lower triangle of S. Squares of numbers beyond 1e150 or below 1e-150 are of
# scaled ones.
elliptical_radius <- function(x, delta, factor) {
  y <- forwardsolve(factor, t(x) - delta)
  r <- sqrt(.colSums(y * y, nrow(y), ncol(y)))
  odd <- which(!(r < 1e150 & r > 1e-150))
  for (i in odd) {
    v <- y[, i]
    most <- max(abs(v))
    if (anyNA(x[i, ])) r[i] <- if (all(is.nan(x[i, is.na(x[i, ])]))) NaN else NA
    else if (any(is.infinite(x[i, ]))) r[i] <- Inf
    else r[i] <- if (is.finite(most) && most > 0) most * sqrt(sum((v / most)^2)) else most
  }
  r
}

#' @rdname mstable
#' @export
rmstable <- function(n, alpha, S, delta = 0, first = 1, spectral = NULL) {
  of_fit <- inherits(spectral, "mstableSpectral") && missing(alpha)
  need(n = missing(n), alpha = missing(alpha) && !of_fit, S = missing(S) && is.null(spectral))
  if (of_fit) {
    alpha <- spectral$alpha
    if (missing(delta)) delta <- spectral$delta
  }
  if (is.null(spectral)) {
    S <- elliptical_matrix(S)
    d <- nrow(S$S)
    given <- elliptical_location(delta, d, S$names)
    names <- S$names
  } else {
    law <- spectral_law(spectral, alpha, missing(S))
    d <- ncol(law$s)
    given <- spectral_location(delta, d, law$names)
    names <- law$names
  }
  if (is.null(names)) names <- names(delta)
  one_number("alpha", alpha, "positive")
  if (alpha > 2) input_error("alpha", alpha, "must be greater than 0 and at most 2")
  first <- check_first(first)
  n <- if (length(n) > 1L) length(n) else {
    check_numbers("n", n, "not negative")
    floor(n)
  }
  if (n > .Machine$integer.max) input_error("n", n, "must be less than 2^31")
  if (is.null(spectral)) {
    x <- .Call(C_ellipticalDraws, as.double(n), as.double(first), as.double(alpha), d)
    far <- which(abs(x[, 1L]) > 1e180) # where the mixing variable was beyond all numbers
    x <- x %*% t(S$factor)
    if (length(far)) x[far, ] <- x[far, ] * Inf
    x <- x + rep(given, each = n)
  } else x <- spectral_draws(n, law, given, first)
  dimnames(x) <- if (length(names) == d) list(NULL, names)
  x
}

#' @rdname mstable
#' @export
pmstable <- function(lower = -Inf, upper = Inf, alpha, S, delta = 0, abseps = 1e-4, releps = 0, maxpts = 1e6) {
  need(alpha = missing(alpha), S = missing(S))
  S <- elliptical_matrix(S)
  d <- nrow(S$S)
  delta <- elliptical_location(delta, d, S$names)
  one_number("alpha", alpha, "positive")
  if (alpha > 2) input_error("alpha", alpha, "must be greater than 0 and at most 2")
  one_number("abseps", abseps, "not negative")
  one_number("releps", releps, "not negative")
  maxpts <- whole_number("maxpts", maxpts)
  ends <- Map(function(name, v) {
    v <- numbers_in_rows(name, v)
    elliptical_points(name, if (is.null(dim(v)) && length(v) == 1L) rep(v, d) else v, d, known = S$names)
  }, c("lower", "upper"), list(lower, upper))
  names(ends) <- c("lower", "upper")
  m <- max(nrow(ends$lower), nrow(ends$upper))
  if (!all(vapply(ends, nrow, 0L) %in% c(1L, m))) raise_engine_error("input", sprintf(
    "lower has %d rows and upper %d: they must have as many", nrow(ends$lower), nrow(ends$upper)))
  value <- vapply(seq_len(m), function(i) {
    a <- ends$lower[min(i, nrow(ends$lower)), ] - delta
    b <- ends$upper[min(i, nrow(ends$upper)), ] - delta
    if (anyNA(a) || anyNA(b)) return(c(NA_real_, NA_real_))
    if (any(a >= b)) return(c(0, 0))
    elliptical_box(a, b, alpha, S$S, abseps, releps, maxpts)
  }, c(0, 0))
  names <- if (m > 1L) rownames(ends[[which.max(vapply(ends, nrow, 0L))]])
  structure(stats::setNames(value[1L, ], names), error = value[2L, ])
}

# Probability and error of one rectangle, with the variables in the order of their probabilities, the smallest first.
elliptical_box <- function(a, b, alpha, S, abseps, releps, maxpts) {
  finite <- a > -Inf | b < Inf
  if (!any(finite)) return(c(1, 0))
  a <- a[finite]
  b <- b[finite]
  S <- S[finite, finite, drop = FALSE]
  scale <- sqrt(diag(S))
  one <- function(a, b, scale) {
    right <- a > 0
    tail <- function(x, lower) pstable(x, alpha, 0, scale, lower.tail = lower)
    if (right) tail(a, FALSE) - tail(b, FALSE) else tail(b, TRUE) - tail(a, TRUE)
  }
  alone <- mapply(one, a, b, scale)
  if (length(a) == 1L) return(c(alone, 0))
  # the probability that the variable whose limits are the farthest out is beyond the nearer of them
  beyond <- min(pstable(-pmax(a, -b, 0), alpha, 0, scale, log.p = TRUE) + log(2))
  at <- order(alone)
  factor <- t(chol(S[at, at]))
  shifts <- 12L
  points <- 256L
  sums <- 0
  weights <- 0
  repeat {
    means <- .Call(C_ellipticalBox, a[at], b[at], factor, c(as.double(alpha), max(1, -beyond)),
                   matrix(stats::runif(shifts * (length(a) + 2L)), shifts), points)
    # later means have more points, and their errors fall nearly as these grow
    weight <- as.double(points)^2
    error <- 3 * stats::sd(means) / sqrt(shifts)
    sums <- sums + weight * mean(means)
    weights <- weights + weight
    value <- sums / weights
    if (isTRUE(error <= max(abseps, releps * value)) || 2 * points * shifts > maxpts) return(c(value, error))
    points <- 2L * points
  }
}

#' @rdname mstable
#' @export
dmstableRadius <- function(r, alpha, d, log = FALSE) {
  a <- radius_arguments(r, alpha, d)
  value <- a$none
  if (a$n) value <- log_radius_density(a[[1L]], a[[2L]], a[[3L]])
  radius_result(if (is_true(log)) value else exp(value), a)
}

log_radius_density <- function(r, alpha, d) {
  h <- elliptical_values(r, shortest(alpha), shortest(d))[, 1L]
  value <- log(2) + d / 2 * log(pi) - lgamma(d / 2) + h + ifelse(d == 1, 0, (d - 1) * log(pmax(r, 0)))
  value[which((r < 0 | r == Inf) & alpha > 0 & alpha <= 2)] <- -Inf
  value
}

#' @rdname mstable
#' @export
pmstableRadius <- function(q, alpha, d, lower.tail = TRUE, log.p = FALSE) {
  a <- radius_arguments(q, alpha, d)
  value <- if (a$n) .Call(C_ellipticalTails, pmax(a[[1L]], 0), shortest(a[[2L]]), shortest(a[[3L]]))[,
    if (is_true(lower.tail)) 1L else 2L]
  radius_result(if (is_true(log.p)) value else exp(value), a)
}

#' @rdname mstable
#' @export
qmstableRadius <- function(p, alpha, d, lower.tail = TRUE, log.p = FALSE) {
  a <- radius_arguments(p, alpha, d)
  value <- if (a$n) .Call(C_ellipticalQuantile, a[[1L]], shortest(a[[2L]]), shortest(a[[3L]]), is_true(lower.tail),
                          is_true(log.p))
  radius_result(value, a)
}

# One element where all are the same.
shortest <- function(v) if (length(v) > 1L && isTRUE(all(v == v[1L]))) v[1L] else v

radius_arguments <- function(x, alpha, d) {
  what <- "must be a positive whole number"
  if (!is.numeric(d) && !(is.logical(d) && all(is.na(d))) || is.object(d) && !inherits(d, "integer64"))
    input_error("d", if (is.atomic(d) && !is.object(d)) d else class(d)[1L], what)
  d <- plain_numbers(d)
  bad <- !is.na(d) & !(d >= 1 & d == floor(d) & d < Inf)
  if (any(bad)) name_value("d", c(d), c(bad), what)
  recycle(x, alpha, d)
}

radius_result <- function(value, a) {
  if (!a$n) return(numeric())
  value <- set_missing(value, a)
  attributes(value) <- attributes(a$longest)
  value
}

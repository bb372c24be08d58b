# Fits of elliptical stable distributions by maximum likelihood.

#' Fits of elliptical stable distributions
#'
#' Maximum likelihood for the index, the location and the matrix of an elliptical stable distribution, [dmstable()],
#' with exact derivatives and standard errors; observations may be missing in part.
#'
#' The likelihood is maximised by a quasi-Newton method in coordinates that the expected information at the start
#' makes alike, from the spatial median, Tyler's matrix and the moments of the logarithm of the radius. Standard
#' errors are those of the expected information at the maximum, which the distribution of the radius gives by
#' one-dimensional integrals. A row with missing values takes part by the others: margins of the distribution are of
#' the same family.
#'
#' Near `alpha = 2` the likelihood is maximised in the logarithm of `2 - alpha`; where the normal distribution has the
#' largest likelihood, `alpha` is 2, on the boundary, without a standard error.
#'
#' Structures of `S` are `"full"`, `"diagonal"`, and `"factor"`: \eqn{LL' + D}{LL' + D} with `factors` columns of
#' loadings and a diagonal matrix. A diagonal matrix does not make the variables independent: they share the mixing
#' variable.
#'
#' The likelihood is unbounded where many rows are equal: if `m` of `n` rows in `d` dimensions are, for `alpha` below
#' `m d/(n - m)`; the search stays above that, and a sample in which that leaves nothing is refused, as are columns
#' that are constant or combinations of others.
#'
#' @param x a matrix or data frame (or a multivariate series) with an observation in each row and a column for each
#'   variable, of which some may be `NA`. Rows without any value are left out.
#' @param structure structure of the matrix `S`.
#' @param factors number of factors, for `structure = "factor"`.
#' @param fixed a list of known parameters: `alpha`, and `delta`, a vector or a number.
#' @param weights numbers of times that the rows count; `NULL`: once.
#' @param start `NULL`, or a list with starting values of `alpha`, `delta` and `S`, of which each may be left out.
#' @param spectral `NULL`, or the number of directions of a spectral measure: then the distribution is not elliptical,
#'   `x` has two columns, and the result is described on the page [mstableSpectral].
#' @param merge with `spectral`: are masses at neighbouring directions to be joined?
#' @param ... not used.
#' @return An object of class `c("mstableFit", "statclFit")`: see [statclFit-methods] for what fits have in common,
#'   and [mstableFit-methods]. Its components are, besides, `alpha`, `delta`, `S` and, with factors, `loadings` and
#'   `uniqueness`; `x` and `weights`; `structure` and `factors`; `iterations` and `evaluations`.
#' @references
#' Nolan, J. P. (2013). Multivariate elliptically contoured stable distributions: theory and estimation.
#' *Computational Statistics* **28**, 2067--2089.
#'
#' Tyler, D. E. (1987). A distribution-free M-estimator of multivariate scatter. *Annals of Statistics* **15**,
#' 234--251.
#' @seealso [mstableFit-methods], [dmstable()], [stableFit()] for one variable
#' @examples
#' returns <- 100 * diff(log(datasets::EuStockMarkets))
#' fit <- mstableFit(returns)
#' fit
#' confint(fit, "alpha")
#' quantile(fit, c(0.01, 0.05), portfolio = rep(1 / 4, 4))
#' anova(mstableFit(returns, "factor", factors = 1), fit)
#' @export
mstableFit <- function(x, structure = c("full", "diagonal", "factor"), factors = 1, fixed = list(), weights = NULL,
                       start = NULL, spectral = NULL, merge = TRUE, ...) {
  refuse_extra("mstableFit", ...)
  need(x = missing(x))
  if (!is.null(spectral)) {
    given <- c(structure = !missing(structure), factors = !missing(factors), fixed = length(fixed) > 0L,
               weights = !is.null(weights), start = !is.null(start))
    if (any(given)) raise_engine_error("input", sprintf(
      "%s is for elliptical distributions: leave it out where spectral is given", names(which(given))[1L]))
    return(spectral_fit(x, spectral, merge, match.call()))
  }
  structure <- choice("structure", structure)
  data <- elliptical_data(x, weights)
  d <- ncol(data$x)
  if (structure == "factor") {
    factors <- whole_number("factors", factors)
    k <- seq_len(d)
    most <- sum(elliptical_count("factor", d, k) <= d * (d + 1) / 2 & k < d)
    if (factors > most) raise_engine_error("input", sprintf(
      "factors = %d: %d variable%s at most %d, or structure = \"full\"", factors, d,
      if (d == 1L) " has" else "s have", most))
  } else factors <- NULL
  fixed <- elliptical_fixed(fixed, d)
  start <- elliptical_given(start, d)
  # the search is in units of the data, of which only powers of 2 leave all digits
  for (name in intersect(names(fixed), "delta")) fixed$delta <- fixed$delta / data$unit
  if (!is.null(start$delta)) start$delta <- start$delta / data$unit
  if (!is.null(start$S)) start$S <- start$S / data$unit / rep(data$unit, each = d)
  data$least <- elliptical_ties(data, fixed$alpha)
  open <- is.null(fixed$alpha) + is.null(fixed$delta) * d + elliptical_count(structure, d, factors)
  if (sum(data$weight) < open || nrow(data$x) <= d) raise_engine_error("input", sprintf(
    "x has %s with values: %s of %s need more", count_text(nrow(data$x), "row"), count_text(open, "parameter"),
    count_text(d, "variable")))
  found <- elliptical_search(data, structure, factors, fixed, start)
  if (is.null(fixed$alpha) && found$alpha > 1.9) {
    normal <- elliptical_search(data, structure, factors, c(list(alpha = 2), fixed["delta"]),
                                list(alpha = 2, delta = found$delta, S = found$S))
    if (normal$loglik >= found$loglik - 1e-7) {
      normal$boundary <- "upper"
      found <- normal
    }
  }
  if (data$least > 0.1 && is.null(fixed$alpha) && found$alpha < 1.02 * data$least)
    raise_engine_error("input", sprintf(
      "many rows of x are equal: the likelihood is unbounded for alpha below %s, and has no maximum above",
      rounded(data$least / 1.01)))
  elliptical_fit(found, data, structure, factors, fixed, match.call())
}

elliptical_count <- function(structure, d, factors)
  switch(structure, full = d * (d + 1) / 2, diagonal = d, factor = d * factors - factors * (factors - 1) / 2 + d)

# ---- arguments ----

# Rows with values, in groups of those that have the same ones.
elliptical_data <- function(x, weights) {
  x <- as.matrix(numbers_in_rows("x", x))
  storage.mode(x) <- "double"
  if (any(is.infinite(x))) {
    at <- which(is.infinite(x), arr.ind = TRUE)[1L, ]
    raise_engine_error("input", sprintf("x[%d, %d] = %s: x must be finite, or NA", at[1L], at[2L],
                                        format(x[at[1L], at[2L]])))
  }
  if (!nrow(x) || !ncol(x)) raise_engine_error("input", sprintf("x has %d rows and %d columns", nrow(x), ncol(x)))
  n <- nrow(x)
  if (is.null(weights)) weight <- rep(1, n) else {
    check_numbers("weights", weights, "not negative")
    if (length(weights) != n) raise_engine_error("input", sprintf("weights has %d elements, x has %d rows",
                                                                  length(weights), n))
    weight <- as.double(weights)
  }
  kept <- which(rowSums(!is.na(x)) > 0L & weight > 0)
  if (!length(kept)) raise_engine_error("input", "x has no row with a value and a positive weight")
  # columns without a name among others that have one, as cbind() makes them, have their number
  if (!is.null(colnames(x))) {
    nameless <- which(is.na(colnames(x)) | !nzchar(colnames(x)))
    colnames(x)[nameless] <- nameless
  }
  whole <- x
  names <- if (is.null(colnames(x))) seq_len(ncol(x)) else colnames(x)
  x <- unname(x[kept, , drop = FALSE])
  weight <- weight[kept]
  for (j in seq_len(ncol(x))) {
    v <- x[!is.na(x[, j]), j]
    if (length(v) < 2L || min(v) == max(v)) raise_engine_error("input", sprintf(
      "column %s of x %s, leave it out", names[j],
      if (length(v)) "is constant: the likelihood is unbounded" else "has no values"))
  }
  there <- !is.na(x)
  key <- if (all(there)) rep("", nrow(x)) else apply(there, 1L, function(v) paste(which(v), collapse = " "))
  groups <- lapply(unname(split(seq_along(key), factor(key, unique(key)))), function(rows) {
    at <- which(there[rows[1L], ])
    list(rows = rows, at = at, tx = t(x[rows, at, drop = FALSE]), weight = weight[rows])
  })
  unit <- apply(x, 2L, column_unit)
  for (k in seq_along(groups)) groups[[k]]$tx <- groups[[k]]$tx / unit[groups[[k]]$at]
  x <- x / rep(unit, each = nrow(x))
  refuse_combinations(x[rowSums(!there) == 0L, , drop = FALSE], names)
  list(x = x, unit = unit, weight = weight, groups = groups, kept = kept, whole = whole, names = colnames(whole),
       given = weights, complete = all(there))
}

# A power of 2 near the spread of a column.
column_unit <- function(v) {
  s <- stats::mad(v, na.rm = TRUE)
  if (!(s > 0)) s <- mean(abs(v - stats::median(v, na.rm = TRUE)), na.rm = TRUE)
  if (is.finite(s) && s > 0) 2^round(log2(s)) else 1
}

# Columns that are combinations of others, from rows without gaps: by the directions of differences of rows, among
# which none is larger than the others.
refuse_combinations <- function(x, names) {
  x <- unique(x)
  if (nrow(x) <= ncol(x) + 1L || ncol(x) == 1L) return()
  move <- x[-1L, , drop = FALSE] - x[-nrow(x), , drop = FALSE]
  same <- qr(move / sqrt(rowSums(move^2)), tol = 1e-8)
  if (same$rank < ncol(x)) raise_engine_error("input", sprintf(
    "column %s of x is a combination of the others: the likelihood is unbounded, leave it out",
    names[same$pivot[same$rank + 1L]]))
}

elliptical_fixed <- function(fixed, d) {
  if (!is.list(fixed) || length(fixed) && is.null(names(fixed)))
    input_error("fixed", fixed, "must be a list with names")
  wrong <- setdiff(names(fixed), c("alpha", "delta"))
  if (length(wrong)) input_error("fixed", wrong, "must have the names alpha or delta")
  if (!is.null(fixed$alpha)) elliptical_alpha(fixed$alpha)
  if (!is.null(fixed$delta)) fixed$delta <- elliptical_location(fixed$delta, d)
  fixed
}

elliptical_alpha <- function(alpha) {
  one_number("alpha", alpha, "positive")
  if (alpha < 0.1 || alpha > 2) input_error("alpha", alpha, "must be from 0.1 to 2")
}

elliptical_given <- function(start, d) {
  if (is.null(start)) return(list())
  if (!is.list(start) || is.null(names(start)) || length(setdiff(names(start), c("alpha", "delta", "S"))))
    input_error("start", start, "must be a list with the names alpha, delta or S")
  if (!is.null(start$alpha)) elliptical_alpha(start$alpha)
  if (!is.null(start$delta)) start$delta <- elliptical_location(start$delta, d)
  if (!is.null(start$S)) {
    start$S <- elliptical_matrix(start$S, "start$S")$S
    if (nrow(start$S) != d) input_error("start$S", start$S, sprintf("must have %d rows", d))
  }
  start
}

# The least alpha of the search: with m of n rows equal, those give a likelihood of s^(-m d) where the matrix shrinks
# by s, the others s^(alpha (n - m)). A row with a larger weight than others counts as many.
elliptical_ties <- function(data, alpha) {
  d <- ncol(data$x)
  total <- sum(data$weight)
  # equal rows are neighbours in order
  at <- do.call(order, as.data.frame(data$x))
  x <- data$x[at, , drop = FALSE]
  n <- nrow(x)
  equal <- n > 1L & c(FALSE, .rowSums(x[-1L, , drop = FALSE] == x[-n, , drop = FALSE], n - 1L, d) %in% d)
  same <- max(rowsum(data$weight[at], cumsum(!equal)))
  bound <- if (any(equal) || same > min(data$weight)) same * d / (total - same) else 0
  if (!is.finite(bound) || bound >= if (is.null(alpha)) 1.98 else alpha) raise_engine_error("input", sprintf(
    "%s of %s rows of x are equal: the likelihood of %s is unbounded for alpha below %s", format(same),
    format(total), count_text(d, "variable"), if (is.finite(bound)) rounded(bound) else "2"))
  max(0.1, 1.01 * bound)
}

# ---- the likelihood ----

# Log likelihood and its derivatives by alpha, delta and the elements of S, in which both of a pair are counted apart.
elliptical_loglik <- function(data, alpha, delta, S, slopes = TRUE) {
  d <- length(delta)
  groups <- data$groups
  parts <- vector("list", length(groups))
  for (k in seq_along(groups)) {
    g <- groups[[k]]
    upper <- tryCatch(chol(S[g$at, g$at, drop = FALSE]), error = function(e) NULL)
    if (is.null(upper)) return(list(value = -Inf))
    v <- backsolve(upper, g$tx - delta[g$at], transpose = TRUE)
    parts[[k]] <- list(upper = upper, v = v, r = sqrt(.colSums(v * v, nrow(v), ncol(v))))
  }
  size <- vapply(groups, function(g) length(g$at), 0L)
  value <- 0
  by_alpha <- 0
  by_delta <- numeric(d)
  by_S <- matrix(0, d, d)
  for (of in unique(size)) {
    those <- which(size == of)
    r <- pmax(unlist(lapply(parts[those], `[[`, "r")), 1e-150)
    if (!all(is.finite(r))) return(list(value = -Inf))
    h <- elliptical_values(r, alpha, of, slopes)
    end <- cumsum(vapply(groups[those], function(g) length(g$rows), 0L))
    for (i in seq_along(those)) {
      g <- groups[[those[i]]]
      p <- parts[[those[i]]]
      rows <- (end[i] - length(g$rows) + 1L):end[i]
      total <- sum(g$weight)
      value <- value + sum(g$weight * h[rows, 1L]) - total * sum(log(diag(p$upper)))
      if (!slopes) next
      by_alpha <- by_alpha + sum(g$weight * h[rows, 3L])
      u <- -g$weight * h[rows, 2L] / r[rows]
      z <- backsolve(p$upper, p$v)
      by_delta[g$at] <- by_delta[g$at] + drop(z %*% u)
      outer <- tcrossprod(z * rep(sqrt(u), each = of))
      by_S[g$at, g$at] <- by_S[g$at, g$at] + 0.5 * (outer - total * chol2inv(p$upper))
    }
  }
  list(value = value, alpha = by_alpha, delta = by_delta, S = by_S)
}

# ---- information ----

# Moments of the scores of one observation in d dimensions, by the trapezoid rule for log R, whose density falls
# exponentially on both sides: those of alpha, E[u^2 R^2]/d, E[u^2 R^4]/(d(d + 2)) and E[u R^2 score(alpha)]/d, where
# u = -dlog h/dr / r.
elliptical_moments <- function(alpha, d) {
  s <- elliptical_grid(alpha, d)
  r <- exp(s)
  h <- elliptical_values(r, alpha, d, TRUE)
  f <- exp(log(2) + d / 2 * log(pi) - lgamma(d / 2) + d * s + h[, 1L])
  f <- f / sum(f)
  w <- -h[, 2L] * r
  score <- if (alpha < 2) h[, 3L] else 0
  c(alpha = sum(f * score^2), delta = sum(f * (w / r)^2) / d, shape = sum(f * w^2) / (d * (d + 2)),
    cross = sum(f * w * score) / d)
}

elliptical_grid <- function(alpha, d) {
  ends <- log(c(qmstableRadius(1e-17, alpha, d), if (alpha < 2) qmstableRadius(1e-16, alpha, d, FALSE)
                else qmstableRadius(1e-20, alpha, d, FALSE)))
  # (of so many points the values are those of a table)
  seq(ends[1L], ends[2L], length.out = max(1024, ceiling(diff(ends) / 0.03)))
}

# Expected information of alpha, delta and the lower triangle of S.
elliptical_information <- function(data, alpha, delta, S) {
  d <- length(delta)
  groups <- data$groups
  size <- vapply(groups, function(g) length(g$at), 0L)
  moments <- lapply(stats::setNames(unique(size), unique(size)), function(of) elliptical_moments(alpha, of))
  m <- length(groups)
  inverse <- matrix(0, m, d * d)
  c1 <- c2 <- numeric(m)
  by_delta <- by_cross <- matrix(0, d, d)
  by_alpha <- 0
  for (k in seq_len(m)) {
    at <- groups[[k]]$at
    total <- sum(groups[[k]]$weight)
    e <- moments[[as.character(size[k])]]
    p <- matrix(0, d, d)
    p[at, at] <- chol2inv(chol(S[at, at, drop = FALSE]))
    inverse[k, ] <- p
    c1[k] <- total * e[["shape"]]
    c2[k] <- total * (e[["shape"]] - 1)
    by_alpha <- by_alpha + total * e[["alpha"]]
    by_delta <- by_delta + total * e[["delta"]] * p
    by_cross <- by_cross + total * e[["cross"]] * p
  }
  # of pairs of elements: tr(P E P E') = P P + P P, tr(P E) tr(P E') = P P, twice for those beside the diagonal
  low <- which(lower.tri(S, TRUE), arr.ind = TRUE)
  i <- low[, 1L]
  j <- low[, 2L]
  q <- length(i)
  pairs <- crossprod(inverse * c1, inverse)
  place <- function(a, b) a + (b - 1L) * d
  element <- function(a, b, c, e) matrix(pairs[cbind(place(a, b), place(c, e))], q)
  a <- rep(i, q)
  b <- rep(j, q)
  c <- rep(i, each = q)
  e <- rep(j, each = q)
  twice <- ifelse(i == j, 1, 2)
  both <- outer(twice, twice)
  first <- 0.5 * (element(a, c, b, e) + element(a, e, b, c))
  pairs <- crossprod(inverse * c2, inverse)
  second <- element(a, b, c, e)
  shape <- both * (0.5 * first + 0.25 * second)
  cross <- 0.5 * twice * by_cross[low]
  zero <- matrix(0, d, q)
  rbind(c(by_alpha, numeric(d), cross), cbind(0, by_delta, zero), cbind(cross, t(zero), shape))
}

# ---- structures ----

# Each has the coordinates `from` a matrix, the matrix `S` at coordinates, the `gradient` by them that the derivatives
# by S make, and, but for the full one, the `jacobian` of the lower triangle and which coordinates are `gone` to a
# boundary, logs of uniquenesses that are none, by which the derivatives are 0. frame: a factor of the matrix at which
# the coordinates of the full one are 0.
elliptical_structure <- function(structure, frame, factors)
  switch(structure, full = full_structure(frame), diagonal = diagonal_structure(nrow(frame)),
         factor = factor_structure(nrow(frame), factors))

full_structure <- function(frame) {
  d <- nrow(frame)
  low <- lower.tri(frame, TRUE)
  triangle <- function(t) {
    l <- matrix(0, d, d)
    l[low] <- t
    diag(l) <- exp(diag(l))
    l
  }
  list(
    from = function(S) {
      l <- forwardsolve(frame, t(forwardsolve(frame, S)))
      l <- t(chol((l + t(l)) / 2))
      diag(l) <- log(diag(l))
      l[low]
    },
    S = function(t) tcrossprod(frame %*% triangle(t)),
    gradient = function(t, G) {
      l <- triangle(t)
      g <- 2 * crossprod(frame, G %*% frame) %*% l
      diag(g) <- diag(g) * diag(l)
      g[low]
    })
}

# Rows of the diagonal in the lower triangle.
on_diagonal <- function(d) which(diag(d)[lower.tri(diag(d), TRUE)] == 1)

diagonal_structure <- function(d) list(
  from = function(S) log(diag(S)), S = function(t) diag(exp(t), d), gradient = function(t, G) diag(G) * exp(t),
  gone = function(t) integer(),
  jacobian = function(t) {
    J <- matrix(0, d * (d + 1) / 2, d)
    J[cbind(on_diagonal(d), seq_len(d))] <- exp(t)
    J
  })

# Loadings in a lower trapezoid, which fixes their rotation, and the logs of the diagonal matrix; parts has both.
factor_structure <- function(d, factors) {
  low <- lower.tri(diag(d), TRUE)
  loading <- which(row(matrix(0, d, factors)) >= col(matrix(0, d, factors)))
  parts <- function(t) {
    b <- matrix(0, d, factors)
    b[loading] <- t[seq_along(loading)]
    list(loadings = b, uniqueness = exp(t[-seq_along(loading)]))
  }
  # principal factors
  from <- function(S) {
    unique <- 0.5 / diag(solve(S))
    for (k in 1:30) {
      e <- eigen((S - diag(unique, d)) / sqrt(outer(diag(S), diag(S))), TRUE)
      root <- diag(sqrt(pmax(e$values[seq_len(factors)], 1e-4)), factors)
      b <- sqrt(diag(S)) * e$vectors[, seq_len(factors), drop = FALSE] %*% root
      unique <- pmax(diag(S) - rowSums(b^2), 0.02 * diag(S))
    }
    b <- b %*% qr.Q(qr(t(b[seq_len(factors), , drop = FALSE])))
    c(b[loading], log(unique))
  }
  jacobian <- function(t) {
    p <- parts(t)
    J <- vapply(loading, function(k) {
      e <- matrix(0, d, factors)
      e[k] <- 1
      m <- tcrossprod(e, p$loadings)
      (m + t(m))[low]
    }, numeric(sum(low)))
    D <- matrix(0, sum(low), d)
    D[cbind(on_diagonal(d), seq_len(d))] <- p$uniqueness
    cbind(J, D)
  }
  list(parts = parts, from = from, jacobian = jacobian, S = function(t) {
    p <- parts(t)
    tcrossprod(p$loadings) + diag(p$uniqueness, d)
  }, gone = function(t) {
    p <- parts(t)
    length(loading) + which(p$uniqueness < 1e-10 * (rowSums(p$loadings^2) + p$uniqueness))
  }, gradient = function(t, G) {
    p <- parts(t)
    c((2 * G %*% p$loadings)[loading], diag(G) * p$uniqueness)
  })
}

# ---- search ----

# Location, matrix and index where the search begins.
elliptical_start <- function(data, given, fixed) {
  d <- ncol(data$x)
  x <- data$x
  weight <- data$weight
  centre <- apply(x, 2L, stats::median, na.rm = TRUE)
  scale <- apply(x, 2L, stats::mad, na.rm = TRUE)
  scale <- ifelse(scale > 0, scale, apply(x, 2L, stats::sd, na.rm = TRUE))
  z <- (x - rep(centre, each = nrow(x))) / rep(scale, each = nrow(x))
  if (!data$complete) {
    full <- rowSums(is.na(z)) == 0
    if (sum(full) >= max(5 * d, nrow(x) / 4)) {
      z <- z[full, , drop = FALSE]
      weight <- weight[full]
    } else z[is.na(z)] <- 0
  }
  delta <- if (is.null(fixed$delta)) given$delta else fixed$delta
  if (is.null(delta)) {
    mid <- numeric(d)
    for (k in 1:30) {
      y <- z - rep(mid, each = nrow(z))
      w <- weight / pmax(sqrt(rowSums(y^2)), 1e-8)
      move <- colSums(w * y) / sum(w)
      mid <- mid + move
      if (max(abs(move)) < 1e-4) break
    }
  } else mid <- (delta - centre) / scale
  y <- z - rep(mid, each = nrow(z))
  # of rows at the centre that are equal the radius says nothing
  nearest <- rowSums(y == rep(y[which.min(rowSums(y^2)), ], each = nrow(y))) == d
  y <- y[!nearest | (sum(nearest) == 1L & rowSums(y^2) > 0), , drop = FALSE]
  shape <- diag(d)
  for (k in 1:20) {
    v <- y / sqrt(colSums(forwardsolve(t(chol(shape)), t(y))^2))
    new <- crossprod(v) * d / nrow(y)
    new <- (1 - 1e-6) * new + diag(1e-6 * mean(diag(new)), d)
    new <- new * d / sum(diag(new))
    done <- max(abs(new - shape)) < 1e-3
    shape <- new
    if (done) break
  }
  log_r <- 0.5 * log(colSums(forwardsolve(t(chol(shape)), t(y))^2))
  # log R = log(2 A)/2 + log |Z| with the moments of log A, b = alpha/2: mean g(1/b - 1), variance pi^2/6 (1/b^2 - 1)
  spread <- if (is.finite(stats::var(log_r))) stats::var(log_r) else trigamma(d / 2)
  b <- 1 / sqrt(max(1 + (4 * spread - trigamma(d / 2)) * 6 / pi^2, 1))
  alpha <- if (!is.null(fixed$alpha)) fixed$alpha else if (!is.null(given$alpha)) given$alpha else
    min(max(2 * b, data$least + 0.05 * (2 - data$least), 0.2), 1.95)
  mean <- 0.5 * log(2) + 0.5 * 0.5772156649015329 * (2 / alpha - 1) + 0.5 * (digamma(d / 2) + log(2))
  S <- shape * exp(2 * (mean(log_r) - mean)) * outer(scale, scale)
  list(alpha = alpha, delta = if (is.null(delta)) centre + scale * mid else delta,
       S = if (is.null(given$S)) S else given$S)
}

# What is searched: -log(2 - alpha), delta - centre in units of the frame, and the coordinates of the structure; what
# is fixed is left out. `at` gives the parameters at theta, `gradient` what their derivatives make by theta.
elliptical_coordinates <- function(point, structure, factors, fixed) {
  frame <- t(chol(point$S))
  shape <- elliptical_structure(structure, frame, factors)
  d <- nrow(frame)
  open <- c(is.null(fixed$alpha), is.null(fixed$delta))
  centre <- point$delta
  most <- log(1e9)
  from <- c(if (open[1L]) -log(2 - min(point$alpha, 2 - 1e-9)), numeric(d * open[2L]), shape$from(point$S))
  at <- function(theta) {
    rest <- if (open[1L]) theta[-1L] else theta
    t <- if (open[2L]) rest[-seq_len(d)] else rest
    list(alpha = if (open[1L]) 2 - exp(-min(theta[1L], most)) else fixed$alpha,
         delta = if (open[2L]) centre + drop(frame %*% rest[seq_len(d)]) else fixed$delta, t = t, S = shape$S(t))
  }
  gradient <- function(theta, p, l) c(if (open[1L]) l$alpha * (2 - p$alpha) * (theta[1L] < most),
                                      if (open[2L]) drop(crossprod(frame, l$delta)), shape$gradient(p$t, l$S))
  list(structure = structure, from = from, at = at, gradient = gradient, shape = shape, frame = frame, open = open)
}

# What carries steps of coordinates in which the expected information is 1 to those of theta, or transposed.
elliptical_scaling <- function(coordinates, p, n)
  (if (coordinates$structure == "full") full_scaling else structured_scaling)(coordinates, p, n)

# At the frame the information of the elements beside the diagonal is a number, and that of the diagonal and alpha a
# small matrix.
full_scaling <- function(coordinates, p, n) {
  d <- length(p$delta)
  open <- coordinates$open
  e <- elliptical_moments(p$alpha, d)
  block <- matrix(e[["shape"]] - 1, d, d)
  diag(block) <- 3 * e[["shape"]] - 1
  if (open[1L]) {
    cross <- e[["cross"]] * (2 - p$alpha)
    block <- rbind(c(e[["alpha"]] * (2 - p$alpha)^2, rep(cross, d)), cbind(cross, block))
  }
  first <- backsolve(chol(block), diag(nrow(block)))
  diagonal <- c(if (open[1L]) 1L, open[1L] + open[2L] * d + on_diagonal(d))
  step <- c(if (open[1L]) 1, rep(1 / sqrt(e[["delta"]]), open[2L] * d), rep(1 / sqrt(e[["shape"]]), length(p$t)))
  function(phi, transposed) {
    out <- phi * step
    out[diagonal] <- if (transposed) drop(crossprod(first, phi[diagonal])) else drop(first %*% phi[diagonal])
    out / sqrt(n)
  }
}

structured_scaling <- function(coordinates, p, n) {
  d <- length(p$delta)
  open <- coordinates$open
  J <- coordinates$shape$jacobian(p$t)
  info <- elliptical_information(list(groups = list(list(at = seq_len(d), weight = n))), p$alpha, p$delta, p$S)
  wide <- rbind(c(if (open[1L]) 2 - p$alpha, numeric(open[2L] * d + ncol(J))),
                cbind(matrix(0, d, open[1L]), if (open[2L]) coordinates$frame, matrix(0, d, ncol(J))),
                cbind(matrix(0, nrow(J), open[1L] + open[2L] * d), J))
  used <- setdiff(seq_len(ncol(wide)), ncol(wide) - ncol(J) + coordinates$shape$gone(p$t))
  wide <- wide[, used, drop = FALSE]
  root <- tryCatch(chol(crossprod(wide, info %*% wide)), error = function(e) diag(sqrt(n), ncol(wide)))
  first <- backsolve(root, diag(ncol(wide)))
  function(phi, transposed) {
    out <- numeric(length(phi))
    out[used] <- if (transposed) crossprod(first, phi[used]) else first %*% phi[used]
    out
  }
}

elliptical_search <- function(data, structure, factors, fixed, given) {
  coordinates <- elliptical_coordinates(elliptical_start(data, given, fixed), structure, factors, fixed)
  count <- 0L
  evaluate <- function(theta) {
    p <- coordinates$at(theta)
    none <- !is.finite(p$alpha) || p$alpha < data$least || !all(is.finite(p$S)) || !all(is.finite(p$delta))
    if (none) return(list(value = -Inf))
    count <<- count + 1L
    c(elliptical_loglik(data, p$alpha, p$delta, p$S), list(at = p))
  }
  scale_at <- function(p) {
    if (coordinates$open[1L]) p$alpha <- min(p$alpha, 2 - 1e-9)
    elliptical_scaling(coordinates, p, sum(data$weight))
  }
  theta <- coordinates$from
  l <- evaluate(theta)
  if (!is.finite(l$value))
    raise_engine_error("input", "the likelihood at the start is not finite: give another one by start")
  # Fisher's scoring, whose steps become Newton's as the observed information does the expected one; of a full matrix
  # the frame follows, in whose coordinates that is known in closed form
  for (k in 1:most_scorings) {
    turn <- scale_at(l$at)
    score <- turn(coordinates$gradient(theta, l$at, l), TRUE)
    gain <- sum(score^2)
    if (gain < 1e-10) break
    step <- turn(score, FALSE)
    if (coordinates$open[1L]) step <- step * min(1, 2 / abs(step[1L]))
    # logs of uniquenesses
    if (structure == "factor") step <- step * min(1, 4 / max(abs(utils::tail(step, ncol(data$x)))))
    for (cut in 0.5^(0:12)) {
      tried <- evaluate(theta + cut * step)
      better <- tried$value > l$value + 1e-4 * cut * gain
      if (better) break
    }
    if (!better) break
    theta <- theta + cut * step
    l <- tried
    if (structure != "full") next
    coordinates <- elliptical_coordinates(l$at, structure, factors, fixed)
    theta <- coordinates$from
    l$at$t <- coordinates$at(theta)$t
  }
  if (gain > 1e-6) {
    l <- quasi_newton(evaluate, coordinates, theta, l, turn)
    gain <- sum(turn(coordinates$gradient(l$theta, l$at, l), TRUE)^2)
  }
  c(l$at, list(loglik = l$value, converged = gain < 1e-4, evaluations = count, boundary = "",
               shape = coordinates$shape))
}

# Goes on where scoring stops early, as it may far from the maximum, in the coordinates that turn makes.
quasi_newton <- function(evaluate, coordinates, origin, l, turn) {
  base <- l$value
  last <- NULL
  known <- function(phi) {
    if (!identical(phi, last$phi)) last <<- c(evaluate(origin + turn(phi, FALSE)), list(phi = phi))
    last
  }
  found <- stats::optim(numeric(length(origin)), function(phi) {
    v <- known(phi)$value
    if (is.finite(v)) base - v else 1e100
  }, function(phi) {
    v <- known(phi)
    -turn(coordinates$gradient(origin + turn(phi, FALSE), v$at, v), TRUE)
  }, method = "BFGS", control = list(maxit = 500, reltol = 1e-12))
  theta <- origin + turn(found$par, FALSE)
  end <- evaluate(theta)
  if (end$value >= base) c(end, list(theta = theta)) else c(l, list(theta = origin)) # where no step could be taken
}

most_scorings <- 60L

# The inverse of the information of the elements `open` and of those behind them whose Jacobian is J, or NA.
elliptical_vcov <- function(info, open, J) {
  p <- nrow(info)
  value <- matrix(0, p, p)
  wide <- if (!is.null(J)) cbind(diag(p)[, open, drop = FALSE], rbind(matrix(0, p - nrow(J), ncol(J)), J))
  tryCatch({
    if (is.null(J)) value[open, open] <- chol2inv(chol(info[open, open]))
    else value <- wide %*% chol2inv(chol(crossprod(wide, info %*% wide))) %*% t(wide)
    value
  }, error = function(e) matrix(NA_real_, p, p))
}

# By how much the log likelihood of the data in units of their own is larger.
unit_term <- function(data) sum(data$weight * as.vector((!is.na(data$x)) %*% log(data$unit)))

# Why the information has no inverse: of two variables that no row has both of, the data do not tell the element of S.
singular_cause <- function(fit, names) {
  together <- crossprod(!is.na(fit$x))
  apart <- which(together == 0 & lower.tri(together), arr.ind = TRUE)
  if (fit$structure == "full" && nrow(apart)) sprintf(
    "no row has values of both %s and %s%s, and their element of S is not determined.", names[apart[1L, 2L]],
    names[apart[1L, 1L]], if (nrow(apart) > 1L) sprintf(" (and of %d more pairs)", nrow(apart) - 1L) else "")
  else "the information is not positive definite."
}

# The Jacobian of a structure but for uniquenesses that are 0; `none`: of which variables.
open_jacobian <- function(shape, t, d) {
  J <- shape$jacobian(t)
  gone <- shape$gone(t)
  if (length(gone)) structure(J[, -gone, drop = FALSE], none = gone - ncol(J) + d) else J
}

elliptical_fit <- function(found, data, structure, factors, fixed, call) {
  d <- length(found$delta)
  low <- lower.tri(found$S, TRUE)
  names <- if (is.null(data$names)) seq_len(d) else data$names
  at <- which(low, arr.ind = TRUE)
  labels <- c("alpha", sprintf("delta[%s]", names), sprintf("S[%s,%s]", names[at[, 1L]], names[at[, 2L]]))
  S <- (found$S + t(found$S)) / 2
  info <- elliptical_information(data, found$alpha, found$delta, S)
  no_alpha <- !is.null(fixed$alpha) || nzchar(found$boundary)
  no_delta <- !is.null(fixed$delta)
  rows <- c(if (!no_alpha) 1L, if (!no_delta) 1L + seq_len(d))
  q <- sum(low)
  J <- if (structure != "full") open_jacobian(found$shape, found$t, d)
  cov <- elliptical_vcov(info, c(rows, if (is.null(J)) 1L + d + seq_len(q)), J)
  # back in the user's units
  unit <- data$unit
  scale <- c(1, unit, unit[at[, 1L]] * unit[at[, 2L]])
  cov <- cov * scale * rep(scale, each = length(scale))
  found$delta <- found$delta * unit
  S <- S * unit * rep(unit, each = d)
  if (!all(is.finite(S)) || !all(diag(S) > 1e-300)) raise_engine_error("input", paste(
    "x has values whose squares are no numbers: divide its columns by a number"))
  found$loglik <- found$loglik - unit_term(data)
  estimate <- c(found$alpha, found$delta, S[low])
  on_diagonal <- at[, 1L] == at[, 2L]
  is_fixed <- c(!is.null(fixed$alpha), rep(no_delta, d), structure == "diagonal" & !on_diagonal)
  boundary <- c(found$boundary, rep("", d + q))
  gone <- is_fixed | nzchar(boundary)
  cov[gone, ] <- cov[, gone] <- NA
  dimnames(cov) <- list(make.unique(labels), make.unique(labels))
  p <- parameter_table(labels, factor(rep("distribution", length(labels))), estimate, sqrt(diag(cov)), is_fixed,
                       boundary, c(0, rep(-Inf, d), ifelse(on_diagonal, 0, -Inf)), c(2, rep(Inf, d + q)))
  count <- elliptical_count(structure, d, factors)
  dimension <- as.integer(is.null(fixed$alpha) + (!no_delta) * d + count)
  dimnames(S) <- if (!is.null(data$names)) list(data$names, data$names)
  fit <- list(parameters = p, vcov = cov, loglik = found$loglik, df = dimension - nzchar(found$boundary),
              dimension = dimension, nobs = sum(data$weight), converged = found$converged, notes = character(),
              call = call, alpha = found$alpha, delta = stats::setNames(found$delta, data$names), S = S,
              x = data$whole, weights = data$given, structure = structure, factors = factors,
              evaluations = found$evaluations)
  if (structure == "factor") {
    parts <- found$shape$parts(found$t)
    fit$loadings <- parts$loadings * unit
    fit$uniqueness <- stats::setNames(parts$uniqueness * unit^2, data$names)
    dimnames(fit$loadings) <- list(data$names, paste0("F", seq_len(factors)))
  }
  gaps <- sum(is.na(data$x))
  fit$notes <- c(
    character(), if (nzchar(found$boundary)) "alpha is on its boundary 2: the normal distribution.",
    if (is.null(fixed$alpha) && found$alpha < 1.02 * data$least && !nzchar(found$boundary))
      sprintf("alpha is at the lower end of the search, %s.", rounded(data$least)),
    if (length(attr(J, "none"))) sprintf("The uniqueness of %s is 0, on its boundary; fewer factors may do.",
                                         toString(names[attr(J, "none")])),
    if (gaps) sprintf("%s of %s values are missing.", big_count(gaps), big_count(length(data$x))),
    if (!found$converged) "The likelihood has not been maximised.",
    if (anyNA(diag(cov)[!gone])) paste("There are no standard errors:", singular_cause(fit, names)))
  fit <- structure(fit, class = c("mstableFit", "statclFit"))
  if (!fit$converged) warn("the likelihood has not been maximised: try other values of start")
  fit
}

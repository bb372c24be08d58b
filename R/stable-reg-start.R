# Starts of the search for linear models with stable errors: columns in which it is well conditioned, coefficients.

# ---- columns ----

# Coefficients of the columns of x that give the constant 1, NULL if there are none.
reg_constant <- function(x, qr) {
  alone <- which(apply(x, 2L, function(v) v[1L] != 0 && all(v == v[1L])))
  if (length(alone)) return(replace(numeric(ncol(x)), alone[1L], 1 / x[1L, alone[1L]]))
  kept <- seq_len(ncol(x))
  q <- qr.qy(qr, diag(1, nrow(x), ncol(x)))
  unit <- colSums(q)
  if (max(abs(q %*% unit - 1)) < 1e-9) backsolve(qr.R(qr)[kept, kept, drop = FALSE], unit)
}

# Columns divided by an upper triangular matrix from the right.
reg_through <- function(x, root) if (ncol(x)) t(backsolve(root, t(x), transpose = TRUE)) else x

# Columns q in place of x, of full rank with the decomposition qr: the first is 1 where they allow it, and for most
# cases they are orthogonal with mean square 1. Gross values, far from the median in terms of the median distance from
# it, do not tell what is far: they are cut off before columns are made orthogonal, and stay what they are in q. back:
# from the coefficients of q to those of x, and to, the other way; clean, cases without gross values.
reg_basis <- function(x, qr) {
  rank <- ncol(x)
  if (!rank) return(list(q = x, constant = 0L, back = diag(0), to = diag(0), clean = rep(TRUE, nrow(x))))
  one <- reg_constant(x, qr)
  own <- seq_len(rank)
  back <- to <- diag(rank)
  z <- x
  if (!is.null(one)) { # takes the place of the column that has the largest part in it
    out <- which.max(abs(one) * colSums(abs(x)))
    own <- own[-out]
    # centred, so that back and to are those of c(1, x[, own] - middle)
    middle <- apply(x[, own, drop = FALSE], 2L, stats::median)
    back[1L, -1L] <- -middle
    to[1L, -1L] <- middle
    mixed <- unmixed <- diag(rank)
    mixed[, 1L] <- one[c(out, own)]
    unmixed[, 1L] <- c(1, -one[own]) / one[out]
    back <- (mixed %*% back)[order(c(out, own)), , drop = FALSE]
    to <- to %*% unmixed[, order(c(out, own)), drop = FALSE]
    z <- cbind(1, x[, own, drop = FALSE] - rep(middle, each = nrow(x)), deparse.level = 0L)
  }
  unit <- apply(abs(z), 2L, function(v) stats::median(v[v > 0]))
  z <- z / rep(unit, each = nrow(z))
  for (most in c(6, 600, Inf)) {
    cut <- pmax(pmin(z, most), -most)
    root <- qr.R(qr(cut, tol = 0)) / sqrt(nrow(z))
    if (all(abs(diag(root)) > 1e-7 * sqrt(colMeans(cut^2)))) break
  }
  root <- root * sign(diag(root))
  q <- reg_through(z, root)
  list(q = q, constant = as.integer(!is.null(one)), back = reg_through(back / rep(unit, each = rank), root),
       to = root %*% (to * unit), clean = rowSums(abs(z) > 6) == 0)
}

reg_least_squares <- function(q, y, w) {
  root <- sqrt(w)
  unname(qr.coef(qr(q * root, tol = 0), y * root))
}

# The matrix that turns coefficients of q to those of columns that are orthogonal for the cases as a search from here
# sees them, with the weights of observed information in heavy tails: a case with a gross value that the model
# fits counts, and one that it does not fit hardly does.
reg_turn <- function(p, location) {
  rest <- abs(p$y - drop(p$q %*% location))
  w <- p$w / (1 + (rest / max(stats::median(rest), .Machine$double.xmin))^2)
  w <- pmax(w / max(w), 1e-24)
  root <- qr.R(qr(p$q * sqrt(w), tol = 0)) / sqrt(sum(w))
  root <- root * sign(diag(root))
  if (p$constant) root[1L, ] <- root[1L, ] / root[1L, 1L]
  if (all(is.finite(root)) && all(diag(root) != 0)) root else diag(ncol(p$q))
}

# ---- coefficients ----

# Robust start: least squares with weights 1/max(|residual|, their median), between least absolute deviations, which
# would go through some of the observations and suggest a peak there, and least squares.
reg_robust <- function(p) {
  location <- unname(p$normal)
  for (round in 1:100) {
    rest <- abs(p$y - drop(p$q %*% location))
    fit <- stats::lm.wfit(p$q, p$y, p$w / pmax(rest, stats::median(rest), .Machine$double.xmin))
    change <- max(abs(p$q %*% (fit$coefficients - location)), 0)
    if (is.na(change)) break
    location <- unname(fit$coefficients)
    if (change < 1e-3 * stats::median(abs(fit$residuals))) break
  }
  location
}

# Numbers i of a sequence that fills the unit cube evenly: multiples of square roots of primes, modulo 1.
reg_even <- function(i, dimensions) {
  primes <- 2L
  candidate <- 3L
  while (length(primes) < dimensions) {
    if (all(candidate %% primes > 0L)) primes <- c(primes, candidate)
    candidate <- candidate + 2L
  }
  outer(i, sqrt(primes[seq_len(dimensions)]), `*`) %% 1
}

# Subsets of k of n numbers, a row each, by Floyd's algorithm (Bentley and Floyd 1987).
reg_subsets <- function(count, k, n) {
  u <- reg_even(seq_len(count), k)
  chosen <- matrix(0L, count, k)
  for (j in seq_len(k)) {
    last <- n - k + j
    pick <- pmin(floor(u[, j] * last) + 1, last)
    taken <- rowSums(chosen == pick) > 0
    chosen[, j] <- ifelse(taken, last, pick)
  }
  chosen
}

# Solutions of many symmetric systems at a time, by Cholesky's method: gram has their lower triangles, a column each,
# at the places `at`, and right a column for each. A small multiple of the identity makes good what a system does not
# determine.
reg_solve <- function(gram, right, at) {
  k <- nrow(right)
  factor <- vector("list", k * k)
  place <- function(i, j) (j - 1L) * k + i
  for (j in seq_len(k)) {
    pivot <- gram[at[j, j], ] * (1 + 1e-12) + 1e-14 * colSums(abs(gram[diag(at), , drop = FALSE])) + 1e-300
    top <- right[j, ]
    own <- pivot
    for (l in seq_len(j - 1L)) own <- own - factor[[place(j, l)]]^2
    own <- sqrt(pmax(own, 1e-14 * pivot))
    factor[[place(j, j)]] <- own
    for (i in j + seq_len(k - j)) {
      sum <- gram[at[i, j], ]
      for (l in seq_len(j - 1L)) sum <- sum - factor[[place(i, l)]] * factor[[place(j, l)]]
      factor[[place(i, j)]] <- sum / own
    }
    for (l in seq_len(j - 1L)) top <- top - factor[[place(j, l)]] * right[l, ]
    right[j, ] <- top / own
  }
  for (j in rev(seq_len(k))) {
    for (i in j + seq_len(k - j)) right[j, ] <- right[j, ] - factor[[place(i, j)]] * right[i, ]
    right[j, ] <- right[j, ] / factor[[place(j, j)]]
  }
  right
}

# What steps for many coefficients at a time need: products of columns, and where they are.
reg_cases <- function(p, rows) {
  k <- ncol(p$q)
  at <- matrix(0L, k, k)
  at[lower.tri(at, TRUE)] <- seq_len(k * (k + 1L) / 2L)
  q <- p$q[rows, , drop = FALSE]
  pair <- which(lower.tri(at, TRUE), arr.ind = TRUE)
  list(q = q, y = p$y[rows], w = p$w[rows], at = at,
       product = q[, pair[, 1L], drop = FALSE] * q[, pair[, 2L], drop = FALSE])
}

# The planes through subsets of cases. Planes are the same for multiples of cases, so that all count the same.
reg_planes <- function(d, subsets) {
  size <- pmax(rowSums(d$q^2), .Machine$double.xmin)
  gram <- right <- 0
  for (j in seq_len(ncol(subsets))) {
    i <- subsets[, j]
    gram <- gram + d$product[i, , drop = FALSE] / size[i]
    right <- right + d$q[i, , drop = FALSE] * (d$y[i] / size[i])
  }
  reg_solve(t(gram), t(right), d$at)
}

# Steps of the EM algorithm towards maxima of the likelihood of t distributions with nu degrees of freedom (Lange,
# Little and Taylor 1989, with the scale of Kent, Tyler and Vardi 1994), from many coefficients at a time, the columns
# of b; value: log likelihood; known: the scale is known.
reg_ascend <- function(d, b, nu, steps, scale = NULL, known = FALSE) {
  rest <- d$y - d$q %*% b
  if (is.null(scale)) scale <- apply(abs(rest), 2L, stats::median)
  n <- nrow(d$q)
  least <- 1e-12 * max(abs(d$y - mean(d$y)))
  for (step in seq_len(steps)) {
    w <- d$w * (nu + 1) / (nu + (rest / rep(pmax(scale, least), each = n))^2)
    b <- reg_solve(crossprod(d$product, w), crossprod(d$q, w * d$y), d$at)
    rest <- d$y - d$q %*% b
    if (!known) scale <- sqrt(colSums(w * rest^2) / colSums(w))
  }
  value <- -sum(d$w) * log(scale) - (nu + 1) / 2 * colSums(d$w * log1p((rest / rep(scale, each = n))^2 / nu))
  list(b = b, scale = scale, value = ifelse(is.finite(value), value, -Inf))
}

# Those of the best coefficients that predict most of some cases differently from better ones, at most so many.
reg_distinct <- function(d, found, many, apart) {
  few <- unique(round(seq(1, nrow(d$q), length.out = 40L)))
  fitted <- d$q[few, , drop = FALSE] %*% found$b
  kept <- integer()
  value <- found$value
  while (length(kept) < many && any(value > -Inf)) {
    i <- which.max(value)
    kept <- c(kept, i)
    value[i] <- -Inf
    left <- which(value > -Inf)
    distance <- abs(fitted[, left, drop = FALSE] - fitted[, i]) / found$scale[i]
    value[left[colMeans(pmin(distance, 1)) < apart]] <- -Inf
  }
  list(b = found$b[, kept, drop = FALSE], scale = found$scale[kept], value = found$value[kept])
}

# Robust starts: from planes through few cases, the best of which lead to maxima of the likelihood of t distributions,
# as in the fast algorithms for trimmed squares and S-estimates (Rousseeuw and Van Driessen 2006; Salibian-Barrera and
# Yohai 2006), at most so many for each number of degrees of freedom; early: also those that have not got there. Half
# of the planes go through cases without gross values alone. Where 30 % of the cases are unlike the others, 14 / 0.7^k
# planes through k cases have one through none of them but for a chance of 1e-6.
reg_robust_starts <- function(p, many, early) {
  k <- p$rank
  n <- length(p$y)
  rest <- p$y - drop(p$q %*% p$normal)
  unit <- max(abs(rest)) # whose square may be out of range
  p$y <- rest / unit
  order <- order(rest)
  rows <- if (n > 1000L) order[floor((seq_len(500L) - 0.5) * n / 500) + 1] else order
  d <- reg_cases(p, rows)
  count <- min(max(50, ceiling(14 / 0.7^k)), 500)
  b <- cbind(reg_planes(d, reg_subsets(count, k, length(rows))), 0, -p$normal / unit,
             reg_least_squares(d$q, d$y, d$w / pmax(rowSums(d$q^2), 1)))
  clean <- which(p$clean[rows])
  if (length(clean) >= max(2L * k, length(rows) / 10))
    b <- cbind(b, reg_planes(d, matrix(clean[reg_subsets(count, k, length(clean))], count)),
               reg_least_squares(d$q[clean, , drop = FALSE], d$y[clean], d$w[clean]))
  b[!is.finite(b)] <- 0
  found <- lapply(pmax(c(1, 3), 1.5 * p$floor), function(nu) {
    few <- reg_distinct(d, reg_ascend(d, b, nu, 2L), 40L, 0.1)
    led <- reg_distinct(d, reg_ascend(d, few$b, nu, 15L, few$scale), many, 0.1)$b
    cbind(led, if (early && nu < 3) few$b[, seq_len(min(12L, ncol(few$b))), drop = FALSE])
  })
  p$normal + unit * do.call(cbind, found)
}

# The likeliest shape for each of many coefficients, of some on a grid, and its log likelihood; the same of the shapes
# with alpha > 1.2, the climbs from which meet maxima before the likelihood grows without bound.
reg_likeliest <- function(p, b, fixed) {
  rest <- p$y - p$q %*% b
  n <- nrow(rest)
  scale <- pmax(apply(abs(rest), 2L, stats::median), 1e-12 * max(abs(p$y)), .Machine$double.xmin)
  if (!is.na(fixed[["gamma"]])) scale[] <- fixed[["gamma"]]
  either <- function(name, values) if (is.na(fixed[[name]])) unique(values) else fixed[[name]]
  grid <- expand.grid(alpha = either("alpha", pmin(pmax(c(0.6, 0.9, 1.3, 1.8), 1.05 * p$floor), 1.995)),
                      beta = either("beta", c(-0.5, 0, 0.5)))
  value <- vapply(seq_len(nrow(grid)), function(i) {
    log_f <- dstable(rest / rep(scale, each = n), grid$alpha[i], grid$beta[i], log = TRUE)
    colSums(p$w * matrix(log_f, n)) - sum(p$w) * log(scale)
  }, numeric(ncol(b)))
  value <- matrix(ifelse(is.finite(value), value, -Inf), ncol(b))
  best <- function(of) {
    at <- which(of)[max.col(value[, of, drop = FALSE], "first")]
    list(b = b, value = value[cbind(seq_along(at), at)], shape = cbind(grid$alpha[at], grid$beta[at], scale))
  }
  above <- grid$alpha > 1.2
  c(list(best(rep(TRUE, nrow(grid)))), if (any(above) && !all(above)) list(best(above)))
}

# ---- starts that are given ----

reg_names <- function(given, name, known) {
  bad <- if (is.null(names(given))) "(no names)" else setdiff(names(given), known)
  if (length(given) && length(bad)) input_error(name, bad, paste("must have names among", toString(known)))
}

# Checks start: a list of coefficients and shape, each a vector or NULL.
reg_start <- function(start, fixed, p) {
  if (is.null(start)) return(list())
  if (!is.list(start) && !is.numeric(start)) input_error("start", start, "must be a named list")
  start <- as.list(start)
  reg_names(start, "start", c("alpha", "beta", "gamma", "coefficients"))
  b <- start$coefficients
  start$coefficients <- NULL
  columns <- colnames(p$qr$qr)[seq_len(p$rank)]
  if (!is.null(b)) {
    if (!is.numeric(b) || any(!is.finite(b[!is.na(b)]))) input_error("start$coefficients", b, "must be finite")
    if (!is.null(names(b)) && all(columns %in% names(b))) b <- b[columns]
    if (length(b) != p$rank || anyNA(b))
      input_error("start$coefficients", b, paste("must have a value for each of", toString(columns)))
  }
  if (!length(start)) return(list(coefficients = b))
  shape <- fit_values(start, "start")[1:3]
  both <- !is.na(shape) & !is.na(fixed)
  if (any(both)) input_error("start", names(shape)[both], "names a parameter that is fixed")
  none <- is.na(shape) & is.na(fixed)
  if (any(none)) input_error("start", names(start), paste("has no value for", toString(names(shape)[none])))
  list(coefficients = b, shape = ifelse(is.na(fixed), shape, fixed))
}

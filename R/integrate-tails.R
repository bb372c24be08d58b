# Integrals over half-lines of functions that change their sign without end. The range is cut at zeros of f, and the
# sums of the integrals between them, which alternate, are extrapolated by the epsilon algorithm: as QUADPACK's qawf
# does (Piessens et al. 1983), which knows the frequency and cuts at its half periods. Zeros are looked for here, so
# that there may be one frequency for each row, or one that grows, as in sin(x^2). What oscillates without changing
# its sign, as sin(x)^2/x^2, is cut where its slope changes sign, and sums over pairs of pieces, which fall like a
# power, are extrapolated by Sidi's d transformation (Sidi 2003, Practical Extrapolation Methods, chapter 6; Levin's u
# transformation at numbers in geometric progression).

tail_windows <- 8L # of zeros
tail_zeros <- 8L   # in each

# The rows `at` of integrals that are given up for oscillation: their results, in the form of integrate_part().
integrate_oscillating <- function(part, program, tolerance, limits) {
  n <- length(part$lower)
  m <- length(program$outputs)
  value <- error <- matrix(0, m, n)
  count <- numeric(n)
  good <- rep(TRUE, n)
  swap <- part$lower > part$upper
  given <- ends <- list(pmin(part$lower, part$upper), pmax(part$lower, part$upper))
  for (side in 1:2) {
    at <- which(is.infinite(ends[[side]]))
    if (!length(at)) next
    from <- given[[3L - side]][at]
    tail <- tail_integrals(program, part$rows, at, ifelse(is.finite(from), from, 0), 2 * side - 3, tolerance, limits)
    ends[[side]][at] <- tail$start # infinite where f does not oscillate
    value[, at] <- value[, at] + tail$value
    error[, at] <- error[, at] + tail$error
    count[at] <- count[at] + tail$evaluations
  }
  changed <- count > 0 & (is.finite(ends[[1L]]) | is.finite(ends[[2L]]))
  limits[4L] <- 0L
  part$lower <- ifelse(changed, ends[[1L]], pmin(part$lower, part$upper))
  part$upper <- ifelse(changed, ends[[2L]], pmax(part$lower, part$upper))
  result <- integrate_part(part, program, tolerance, limits)
  total <- result$value + value
  error <- result$abs.error + error
  within <- colSums(!(error <= pmax(tolerance[1L] * abs(total), tolerance[2L]))) == 0
  sign <- rep(ifelse(swap, -1, 1), each = m)
  result$value <- total * sign
  result$abs.error <- error
  result$evaluations <- result$evaluations + count
  result$code[result$code == 0L & !within] <- 3L
  result
}

# Integrals from a start, a zero of f, to infinity in one direction; start is infinite, and the integral 0, where f
# does not change its sign again and again.
tail_integrals <- function(program, rows, at, from, direction, tolerance, limits) {
  n <- length(at)
  m <- length(program$outputs)
  one_sign <- rep(FALSE, n)
  scale <- NULL
  f <- function(i, x) { # what has the zeros: the first component, or its difference over a short way
    away <- one_sign[i] * if (is.null(scale$far)) (x - from[i]) / 256 else scale$far[i] / 128
    away[is.na(away)] <- 0
    y <- integrand_columns(program, rows, at[i], x + away)[, 1L]
    if (any(one_sign[i])) y <- y - one_sign[i] * integrand_columns(program, rows, at[i], x - away)[, 1L]
    y[!is.finite(y)] <- 0
    matrix(y, length(i), NCOL(x))
  }
  found <- list(start = rep(direction * Inf, n), value = matrix(0, m, n), error = matrix(0, m, n),
                evaluations = numeric(n))
  of_values <- tail_scale(f, n, from, direction)
  one_sign <- is.na(of_values$spacing)
  if (any(one_sign)) {
    of_slope <- tail_scale(f, n, from, direction)
    for (name in names(of_values)[1:3]) of_values[[name]][one_sign] <- of_slope[[name]][one_sign]
    of_values$evaluations <- 3 * of_values$evaluations
  }
  scale <- of_values
  i <- which(!is.na(scale$spacing))
  found$evaluations[] <- scale$evaluations
  if (!length(i)) return(found)
  x <- from[i] + direction * scale$far[i]
  spacing <- scale$spacing[i]
  zeros <- matrix(NA_real_, length(i), tail_windows * tail_zeros)
  for (window in seq_len(tail_windows)) {
    grid <- x + direction * outer(spacing, seq(0, tail_zeros, by = 0.125))
    y <- f(i, grid)
    N <- ncol(y)
    change <- y[, -N, drop = FALSE] * y[, -1L, drop = FALSE] < 0
    order <- t(apply(change, 1L, cumsum))
    if (length(i) == 1L) order <- matrix(order, 1L)
    where <- which(change & order <= tail_zeros, arr.ind = TRUE)
    k <- where[, 1L]
    low <- grid[where]
    high <- grid[cbind(k, where[, 2L] + 1L)]
    zero <- bracketed_zeros(function(x) f(i[k], x)[, 1L], low, high, y[where], y[cbind(k, where[, 2L] + 1L)])
    zeros[cbind(k, (window - 1L) * tail_zeros + order[where])] <- zero
    of_window <- zeros[, (window - 1L) * tail_zeros + seq_len(tail_zeros), drop = FALSE]
    last <- do.call(pmax, c(as.data.frame(direction * of_window), na.rm = TRUE)) * direction
    many <- rowSums(!is.na(of_window))
    spacing <- ifelse(many > 1L, abs(last - of_window[, 1L]) / pmax(many - 1L, 1L), spacing)
    # just beyond the last one
    x <- ifelse(many > 0L, last + direction * 0.3 * spacing, grid[, N])
    found$evaluations[i] <- found$evaluations[i] + N + 10 * many
  }
  # those of each row side by side, so many in every row
  have <- rowSums(!is.na(zeros))
  enough <- have >= 3L * tail_zeros
  i <- i[enough]
  if (!length(i)) return(found)
  most <- min(have[enough])
  zeros <- t(apply(zeros[enough, , drop = FALSE], 1L, function(z) z[!is.na(z)][seq_len(most)]))
  pieces <- most - 1L
  arc <- list(rows = if (!is.null(rows)) rows[, rep(at[i], pieces), drop = FALSE],
              lower = as.vector(zeros[, -most]), upper = as.vector(zeros[, -1L]))
  limits[2L] <- 1L
  limits[4L] <- 0L
  each <- integrate_part(arc, program, c(1e-13, 0), limits)
  found$evaluations[i] <- found$evaluations[i] + rowSums(matrix(each$evaluations, length(i)))
  for (k in seq_len(m)) {
    of_arcs <- matrix(each$value[k, ], length(i)) * direction
    sum <- sequence_limits(of_arcs)
    single <- which(one_sign[i])
    if (length(single)) {
      even <- 2L * seq_len(pieces %/% 2L)
      pairs <- of_arcs[single, even - 1L, drop = FALSE] + of_arcs[single, even, drop = FALSE]
      limit <- sidi_limits(pairs, 2 + abs(zeros[single, 1L] - from[i[single]]) / (2 * scale$spacing[i[single]]))
      sum$limit[single] <- limit$limit
      sum$error[single] <- limit$error
    }
    falls <- scale$falls[i] | abs(of_arcs[, pieces]) < 0.999 * abs(of_arcs[, pieces %/% 2L]) | of_arcs[, pieces] == 0
    sum$error[!falls] <- Inf
    found$value[k, i] <- sum$limit
    found$error[k, i] <- sum$error + rowSums(matrix(each$abs.error[k, ], length(i)))
  }
  found$start[i] <- zeros[, 1L]
  found
}

# How far from the end f changes its sign some times between x and 2 x, and no less often between 2 x and 4 x, and
# whether it is smaller at last: the integral of what keeps its size, at equal distances of zeros, does not exist.
tail_scale <- function(f, n, from, direction) {
  far <- 2^(-24:30)
  changes <- height <- matrix(0, n, length(far))
  for (k in seq_along(far)) {
    y <- f(seq_len(n), from + direction * matrix(far[k] * (1 + 0:63 / 64), n, 64L, byrow = TRUE))
    changes[, k] <- rowSums(y[, -64L, drop = FALSE] * y[, -1L, drop = FALSE] < 0)
    height[, k] <- do.call(pmax, as.data.frame(abs(y)))
  }
  last <- length(far)
  now <- changes[, -last, drop = FALSE]
  some <- cbind(now >= 5 & now <= 20 & changes[, -1L, drop = FALSE] >= now, FALSE)
  first <- max.col(some + 0, "first")
  first[!some[cbind(seq_len(n), first)]] <- NA
  # A peak further out may have its share in the integral, and none in the zeros that are found: where f rises by more
  # than a power, over a distance that the oscillation would average out, nothing is known.
  rises <- height[, -1L, drop = FALSE] > 4.5 * height[, -last, drop = FALSE]
  first[rowSums(rises & col(rises) >= rep(first, last - 1L)) > 0] <- NA
  here <- cbind(seq_len(n), first)
  list(far = far[first], spacing = far[first] / changes[here], falls = height[, last] < 0.5 * height[here],
       evaluations = 64 * last)
}

# Between low and high, where f has different signs: regula falsi, with the value of an end that stays halved
# (Illinois).
bracketed_zeros <- function(f, low, high, f_low, f_high) {
  for (step in 1:10) {
    x <- (low * f_high - high * f_low) / (f_high - f_low)
    y <- f(x)
    left <- y * f_low > 0
    moved <- if (step > 1L) left == before else FALSE
    f_high <- ifelse(left & moved, f_high / 2, f_high)
    f_low <- ifelse(!left & moved, f_low / 2, f_low)
    low[left] <- x[left]
    f_low[left] <- y[left]
    high[!left] <- x[!left]
    f_high[!left] <- y[!left]
    before <- left
    if (!length(x) || all(y == 0)) break
  }
  x
}

# Limits of the sums of the columns, by Wynn's epsilon algorithm: of those that begin with column 1, 9, ..., of each
# where its last three limits agree best, the one where they do so most. Of several frequencies three may agree by
# chance, or on what a slow one has added so far: the error is no less than what lies between the best three
# beginnings. Where a term is next to nothing beside the one after it, two sums agree, and so do their limits: nothing
# is known.
sequence_limits <- function(term) {
  n <- ncol(term)
  sums <- term
  for (k in seq_len(n)[-1L]) sums[, k] <- sums[, k - 1L] + term[, k]
  least <- 4 * .Machine$double.eps * do.call(pmax, as.data.frame(abs(sums)))
  begin <- seq(1L, n - 14L, by = 8L)
  best <- error <- matrix(Inf, nrow(term), length(begin))
  for (k in seq_along(begin)) for (last in unique(pmin(begin[k] + c(14L, 22L, 30L), n))) {
    of_sums <- function(off) epsilon_limit(sums[, begin[k]:(last - off), drop = FALSE])
    limit <- matrix(vapply(0:2, of_sums, least), ncol = 3L)
    size <- abs(term[, begin[k]:last, drop = FALSE])
    is_gap <- size[, -ncol(size), drop = FALSE] < 0.01 * size[, -1L, drop = FALSE]
    off <- 2 * pmax(abs(limit[, 1L] - limit[, 2L]), abs(limit[, 1L] - limit[, 3L])) + least
    better <- which(off < error[, k] & rowSums(is_gap) == 0)
    best[better, k] <- limit[better, 1L]
    error[better, k] <- off[better]
  }
  every <- seq_len(nrow(term))
  ranked <- t(apply(error, 1L, order))
  if (length(begin) == 1L) ranked <- matrix(1L, nrow(term), 1L)
  of <- function(v, k) v[cbind(every, ranked[, k])]
  limit <- of(best, 1L)
  off <- of(error, 1L)
  for (k in seq_len(min(3L, length(begin)))[-1L]) off <- pmax(off, abs(of(best, k) - limit))
  off[is.nan(off)] <- Inf
  list(limit = ifelse(is.finite(limit), limit, 0), error = off)
}

# The same of terms of one sign, of number start, start + 1, ..., that fall like a power above 1: other sums have an
# infinite error. Sums at numbers in geometric progression, lest rounding errors grow with the order.
sidi_limits <- function(term, start) {
  n <- ncol(term)
  number <- (start + col(term) - 1)
  size <- number * abs(term)
  falls <- size[, n] < 0.95 * size[, n %/% 2L] & rowSums(term > 0) %in% c(0, n)
  sums <- t(apply(term, 1L, cumsum))
  pick <- unique(pmin(round(1.25^(0:40)), n))
  t <- 1 / number[, pick, drop = FALSE]
  unit <- t / term[, pick, drop = FALSE]
  value <- sums[, pick, drop = FALSE] * unit
  m <- length(pick)
  limits <- matrix(NaN, nrow(term), m - 1L)
  for (k in seq_len(m - 1L)) {
    step <- t[, -seq_len(k), drop = FALSE] - t[, seq_len(m - k), drop = FALSE]
    value <- (value[, -1L, drop = FALSE] - value[, seq_len(m - k), drop = FALSE]) / step
    unit <- (unit[, -1L, drop = FALSE] - unit[, seq_len(m - k), drop = FALSE]) / step
    limits[, k] <- value[, m - k] / unit[, m - k]
  }
  off <- abs(limits[, -1L, drop = FALSE] - limits[, -(m - 1L), drop = FALSE])
  off <- pmax(off[, -1L, drop = FALSE], off[, -(m - 2L), drop = FALSE]) # of three in a row
  off[!is.finite(off)] <- Inf
  best <- max.col(-off, "first")
  limit <- limits[cbind(seq_along(best), best + 2L)]
  list(limit = ifelse(is.finite(limit), limit, 0),
       # the least of so many differences is less than the error that it stands for
       error = ifelse(falls, 16 * off[cbind(seq_along(best), best)] + 16 * .Machine$double.eps * abs(sums[, n]), Inf))
}

epsilon_limit <- function(s) {
  older <- matrix(0, nrow(s), ncol(s) + 1L)
  limit <- s[, ncol(s)]
  change <- rep(Inf, nrow(s))
  for (k in seq_len(ncol(s) - 1L)) {
    N <- ncol(s)
    made <- older[, seq_len(N - 1L) + 1L, drop = FALSE] + 1 / (s[, -1L, drop = FALSE] - s[, -N, drop = FALSE])
    older <- s
    s <- made
    if (k %% 2L == 0L && N > 2L) {
      off <- abs(s[, N - 1L] - s[, N - 2L])
      better <- which(is.finite(s[, N - 1L]) & off < change)
      limit[better] <- s[better, N - 1L]
      change[better] <- off[better]
    }
  }
  limit
}

# Cuts of a half-line whose integrand oscillates: zeros of f or, where it keeps its sign, of its slope, which are
# extrema; and the power of x that their distances go with. tail_zeros() returns a matrix of cuts for rows of a `tail`
# of integrate-tail-probe.R, with values of f alone.

# Zeros of f, or of its slope, one after the other, for rows i of a tail: eight spacings are looked at in each step.
tail_zeros <- function(tail, i, arcs) {
  n <- length(tail$at)
  x <- tail$start
  spacing <- tail$spacing
  cuts <- matrix(NA_real_, n, arcs + 1L)
  have <- evaluations <- numeric(n)
  # what has the zeros: f, or its difference over an eighth of their spacing
  g <- function(i, x) values_or_slopes(tail$f, tail$one_sign, function(i, x) spacing[i] / 16)(i, x)
  for (step in seq_len(arcs / 4)) {
    i <- i[have[i] <= arcs]
    if (!length(i)) break
    grid <- x[i] + outer(spacing[i], seq(0, 8, by = 0.125))
    y <- g(i, grid)
    at <- sign_changes(y, pmin(8, arcs + 1 - have[i]))
    k <- i[at$row]
    zero <- bracketed_zeros(function(j, x) g(k[j], matrix(x))[, 1L], grid[at$low], grid[at$high], y[at$low],
                            y[at$high])
    zero <- polished_extrema(tail, k, zero, spacing)
    cuts[cbind(k, have[k] + at$number)] <- zero
    many <- tabulate(at$row, length(i))
    evaluations[i] <- evaluations[i] + (1 + tail$one_sign[i]) * (65 + 6 * many) + 16 * tail$one_sign[i] * many
    before <- have[i]
    have[i] <- before + many
    last <- cuts[cbind(i, pmax(have[i], 1))]
    first <- cuts[cbind(i, before + 1)]
    spacing[i] <- ifelse(many > 1, (last - first) / pmax(many - 1, 1), spacing[i])
    # just beyond the last one
    x[i] <- ifelse(many > 0, last + 0.3 * spacing[i], grid[, 65L])
  }
  list(cuts = cuts, found = have > arcs, evaluations = evaluations)
}

# Of different signs, whatever their size: products of small and large values leave the range of numbers.
opposite <- function(a, b) (a < 0 & b > 0) | (a > 0 & b < 0)

# Differences of f over a short way, as a function of the same arguments.
slope_of <- function(f, way) function(i, x) {
  away <- way(i, x)
  y <- f(i, cbind(x + away, x - away))
  N <- ncol(x)
  y[, seq_len(N), drop = FALSE] - y[, N + seq_len(N), drop = FALSE]
}

# f, or for rows that are to have it its slope.
values_or_slopes <- function(f, sloping, way) function(i, x) {
  single <- sloping[i]
  if (all(single)) return(slope_of(f, way)(i, x))
  y <- f(i, x)
  if (any(single)) y[single, ] <- slope_of(f, way)(i[single], x[single, , drop = FALSE])
  y
}

# Where y changes its sign along a row, at most so many times: the points before and behind, and which change it is.
sign_changes <- function(y, most) {
  N <- ncol(y)
  change <- opposite(y[, -N, drop = FALSE], y[, -1L, drop = FALSE])
  number <- change + 0
  for (k in seq_len(N - 1L)[-1L]) number[, k] <- number[, k] + number[, k - 1L]
  where <- which(change & number <= most, arr.ind = TRUE)
  list(row = where[, 1L], number = number[where], low = where, high = cbind(where[, 1L], where[, 2L] + 1L))
}

# Between low and high, where f has different signs: regula falsi, with the value of an end that stays halved
# (Illinois); what has not become small then is a jump, which is halved down to its last digit. f(k, x): at numbers k.
bracketed_zeros <- function(f, low, high, f_low, f_high) {
  size <- pmin(abs(f_low), abs(f_high))
  k <- seq_along(low)
  for (step in 1:6) {
    x <- low + (high - low) / (1 - f_high / f_low)
    y <- f(k, x)
    left <- opposite(y, f_high)
    moved <- if (step > 1L) left == before else FALSE
    f_high <- ifelse(left & moved, f_high / 2, f_high)
    f_low <- ifelse(!left & moved, f_low / 2, f_low)
    low[left] <- x[left]
    f_low[left] <- y[left]
    high[!left] <- x[!left]
    f_high[!left] <- y[!left]
    before <- left
  }
  jump <- which(abs(y) > 1e-3 * size)
  if (!length(jump)) return(x)
  for (step in 1:48) {
    middle <- (low[jump] + high[jump]) / 2
    left <- opposite(f(jump, middle), f_high[jump])
    low[jump[left]] <- middle[left]
    high[jump[!left]] <- middle[!left]
  }
  x[jump] <- high[jump]
  x
}

# Extrema as differences over a long way show them, by shorter and shorter ones: a kink, as |sin(x)| has at its zeros,
# must be an end of an arc.
polished_extrema <- function(tail, k, x, spacing) {
  single <- which(tail$one_sign[k])
  if (!length(single)) return(x)
  k <- k[single]
  middle <- x[single]
  for (step in 1:4) {
    away <- spacing[k] / 16 / 4^step
    y <- tail$f(k, middle + outer(away, c(-2, 2, -1, 3)))
    here <- y[, 2L] - y[, 1L] # as of |x - z| and (x - z)^2, it is linear in x next to z
    move <- away * here / (here - (y[, 4L] - y[, 3L]))
    middle <- middle + ifelse(is.finite(move), pmax(-away, pmin(away, move)), 0)
  }
  x[single] <- middle
  x
}

# ---- distances -----------------------------------------------------------------------------------------------------

# Cut k is about (b + c k)^(1/power): 1 for one frequency, p + 1 for one that grows like x^p. NA where spacings grow
# as fast as x.
spacing_power <- function(cuts) {
  N <- ncol(cuts)
  below <- cuts[, 1L] / cuts[, (N + 1L) / 2]
  above <- cuts[, N] / cuts[, (N + 1L) / 2]
  low <- rep(0.02, nrow(cuts))
  high <- rep(60, nrow(cuts))
  for (step in 1:50) {
    middle <- (low + high) / 2
    more <- above^middle + below^middle > 2
    high <- ifelse(more, middle, high)
    low <- ifelse(more, low, middle)
  }
  ifelse(high > 0.05 & high < 50, high, NA)
}

# The same by the first half of the cuts, and by the second.
two_powers <- function(cuts) {
  half <- (ncol(cuts) + 1L) %/% 2L
  cbind(spacing_power(cuts[, seq_len(half), drop = FALSE]), spacing_power(cuts[, half:ncol(cuts), drop = FALSE]))
}

power_or_1 <- function(tail, i) ifelse(is.na(tail$power[i]), 1, tail$power[i])

# So many cuts behind x, by the one that is `steps` before (sign 1) or behind (-1).
more_cuts <- function(x, other, sign, steps, power, many)
  x * (1 + outer(sign * (1 - (other / x)^power) / steps, seq_len(many)))^(1 / power)

# Is every second spacing nearly as the one before?
has_periods <- function(cuts) {
  N <- ncol(cuts)
  periods <- cuts[, 3:N, drop = FALSE] - cuts[, seq_len(N - 2L), drop = FALSE]
  change <- periods[, -1L, drop = FALSE] / periods[, -(N - 2L), drop = FALSE]
  rowSums(abs(change - 1) > 0.2) == 0
}

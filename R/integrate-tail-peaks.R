# What may be hidden in octaves of a half-line: peaks before and beyond the cuts, means of what seems to oscillate,
# and frequencies that come down to 0. Each function has a `tail` of integrate-tail-probe.R and returns it with what
# it has seen, above all without cuts where a peak is: nothing is known of the sum of something that oscillates and a
# peak beyond its first zeros.

# Beyond the first cut every octave is looked at more closely: for its height, which a peak shows in, and for what the
# points tell of the integral over it.
look_for_peaks <- function(tail, i) {
  if (!length(i)) return(tail)
  spike <- logical(length(i))
  before <- matrix(NA_real_, length(i), 48L)
  dead <- dead_octaves(tail$height[i, , drop = FALSE])
  for (k in seq_along(tail_octaves)) {
    x <- tail_octaves[k]
    shift <- octave_shift(k)
    rows <- which(2 * x >= tail$cuts[i, 1L] & !dead[, k])
    if (!length(rows)) next
    j <- i[rows]
    at <- matrix(x * 2^((0:191 + shift) / 192), length(j), 192L, byrow = TRUE)
    y <- tail$f(j, at)
    height <- row_most(abs(y))
    tail$height[j, k] <- pmax(tail$height[j, k], height)
    share <- y * at / (pmax(height, .Machine$double.xmin) * x)
    mean <- rowMeans(share)
    tail$sum[j, k] <- log(2) * mean * height * x
    tail$noise[j, k] <- log(2) * sqrt(pmax(rowMeans(share^2) - mean^2, 0) / 191) * height * x
    found <- lone_peaks(tail$f, j, x, shift, cbind(before[rows, , drop = FALSE], abs(share) * height))
    spike[rows] <- spike[rows] | found$alone
    before[rows, ] <- found$last
    tail$evaluations[j] <- tail$evaluations[j] + 192 + found$evaluations
  }
  tail$peaked[i] <- spike | has_peak(tail$height[i, , drop = FALSE], tail$octave[i])
  tail$cut[i] <- !tail$peaked[i]
  tail
}

octave_shift <- function(k) (k * 0.6180339887) %% 1

# Is the largest x |f|, of 192 points of an octave from x on and the last 48 before it, four times as large as those
# within an eighth of an octave on both sides? If so, as closer points tell? last: what comes before the next octave.
lone_peaks <- function(f, i, x, shift, size) {
  n <- length(i)
  best <- max.col(size[, 25:216, drop = FALSE], "first") + 24L
  near <- c(-24:-3, 3:24)
  beside <- size[cbind(seq_len(n), rep(best, length(near)) + rep(near, each = n))]
  largest <- size[cbind(seq_len(n), best)]
  seen <- which(largest > 4 * row_most(matrix(beside, n)))
  alone <- logical(n)
  if (length(seen)) {
    place <- (best[seen] - 49 + shift) / 192
    at <- 2^outer(place, c(-64:-11, 11:64) / 512, "+")
    closer <- row_most(abs(f(i[seen], x * at)) * at)
    alone[seen] <- largest[seen] > 4 * closer
  }
  list(alone = alone, last = size[, 193:240, drop = FALSE] / 2, evaluations = 108 * (seq_len(n) %in% seen))
}

# A peak further out may have its share in the integral, and none in the zeros that are found: where f rises by more
# than a power, and by more than it mostly does, over a distance that the oscillation would average out, nothing is
# known.
has_peak <- function(height, octave) {
  last <- ncol(height)
  dead <- dead_octaves(height)
  rise <- log2(height[, -1L, drop = FALSE] / height[, -last, drop = FALSE])
  beyond <- col(rise) >= rep(octave, last - 1L) & !dead[, -1L] & is.finite(rise)
  beyond[is.na(beyond)] <- FALSE
  usual <- vapply(seq_along(octave), function(i) if (any(beyond[i, ])) stats::median(rise[i, beyond[i, ]]) else 0, 0)
  rowSums(beyond & rise > pmax(2.17, usual + 1)) > 0
}

# Means over a period, of a frequency that is not 0, are small beside f. slow is the first octave beyond the last cut
# in which some are not, though they are between the cuts: zeros are farther apart there than the cuts let expect.
slow_octaves <- function(tail, i) {
  if (!length(i)) return(tail)
  N <- tail_arcs + 1L
  cuts <- tail$cuts[i, , drop = FALSE]
  last <- cuts[, N]
  spacing <- (last - cuts[, N - 16L]) / 16
  power <- power_or_1(tail, i)
  place <- last
  usual <- largest_mean(tail$f, i, cuts[, seq(1L, N - 16L, by = 2L), drop = FALSE], spacing, last, power)[, 1L]
  # what has a mean, and spacings that no power tells, are not judged by means
  powers <- two_powers(cuts)
  grows <- powers[, 2L] > 2.5 & powers[, 2L] > 1.05 * powers[, 1L]
  judged <- (!tail$one_sign[i] & !is.na(tail$power[i]) & !grows) %in% TRUE
  dead <- dead_octaves(tail$height[i, , drop = FALSE])
  for (k in seq_along(tail_octaves)) {
    x <- tail_octaves[k]
    on <- which(x >= last & !dead[, k] & judged)
    if (!length(on)) next
    spacing[on] <- spacing[on] * (x / place[on])^(1 - power[on])
    place[on] <- x
    spacing[on] <- zeros_apart(tail$f, i[on], x, spacing[on], power[on])
    tail$evaluations[i[on]] <- tail$evaluations[i[on]] + 48
    # as far as x has the digits to tell
    judged[on] <- spacing[on] > 64 * .Machine$double.eps * x
    on <- on[judged[on]]
    if (!length(on)) next
    at <- matrix(x * 2^((0:9 + octave_shift(k)) / 10), length(on), 10L, byrow = TRUE)
    means <- largest_mean(tail$f, i[on], at, spacing[on], x, power[on])
    tail$evaluations[i[on]] <- tail$evaluations[i[on]] + 40
    on <- on[means[, 2L] > pmax(0.3, 2 * usual)[on]]
    tail$slow[i[on]] <- pmin(tail$slow[i[on]], k, na.rm = TRUE)
  }
  tail
}

# Means over periods that begin at each column of x, in units of the largest value there: the largest two. Half
# periods are `spacing` at place, and go with x^(1 - power).
largest_mean <- function(f, i, x, spacing, place, power) {
  n <- ncol(x)
  step <- spacing / 2 * (x / place)^(1 - power)
  y <- f(i, cbind(x, x + step, x + 2 * step, x + 3 * step))
  part <- function(k) y[, (k - 1L) * n + seq_len(n), drop = FALSE]
  height <- pmax(abs(part(1L)), abs(part(2L)), abs(part(3L)), abs(part(4L)))
  around <- height # beats have nodes
  for (by in c(-2L, -1L, 1L, 2L))
    around <- pmax(around, height[, pmin(pmax(seq_len(n) + by, 1L), n), drop = FALSE])
  ratio <- abs(part(1L) + part(2L) + part(3L) + part(4L)) / 4 / pmax(around, .Machine$double.xmin)
  most <- second <- rep(0, length(i))
  for (k in seq_len(n)) {
    second <- pmax(second, pmin(most, ratio[, k]))
    most <- pmax(most, ratio[, k])
  }
  cbind(most, second)
}

# Spacings of zeros at the beginning of an octave, as changes of sign at three places tell them, if they are about
# what is thought.
zeros_apart <- function(f, i, x, spacing, power) {
  changes <- vapply(c(1.1, 1.4, 1.8), function(u) {
    step <- spacing / 3 * u^(1 - power)
    y <- matrix(f(i, x * u + outer(step, 0:15)), length(i))
    rowSums(opposite(y[, -16L, drop = FALSE], y[, -1L, drop = FALSE]))
  }, numeric(length(i)))
  changes <- matrix(changes, length(i))
  middle <- pmax(pmin(changes[, 1L], changes[, 2L]), pmin(pmax(changes[, 1L], changes[, 2L]), changes[, 3L]))
  ifelse(middle == 5, spacing, spacing * 5 / pmax(middle, 1))
}

# Narrow peaks before the first cut, within 12 octaves, as points show that are larger than others 3 % away: the sides
# of one in each octave, to divide the range at.
peaks_before <- function(tail) {
  tail$peaks <- matrix(NA_real_, length(tail$at), 2L * length(tail_octaves))
  first <- ifelse(tail$cut, tail$cuts[, 1L], 0)
  at <- 2^(seq(-8, 199) / 192)
  for (k in seq_along(tail_octaves)) {
    x <- tail_octaves[k]
    i <- which(x < first & x > first / 4096)
    if (!length(i)) next
    y <- abs(tail$f(i, matrix(x * at, length(i), 208L, byrow = TRUE)))
    tail$evaluations[i] <- tail$evaluations[i] + 208
    beside <- pmax(y[, 1:192, drop = FALSE], y[, 17:208, drop = FALSE], .Machine$double.xmin)
    ratio <- y[, 9:200, drop = FALSE] / beside
    best <- max.col(ratio, "first")
    peak <- x * at[8L + best]
    seen <- which(ratio[cbind(seq_along(i), best)] > 4 & peak < first[i])
    tail$peaks[i[seen], 2L * k - 1:0] <- outer(peak[seen], c(0.985, 1.015))
  }
  tail
}

# Octaves beyond the cuts that seem to have a peak or a mean, by few points, are looked at again: there f has a mean
# that is no accident, or is larger than beside.
without_bumps <- function(tail) {
  N <- ncol(tail$height)
  seems <- bulges(tail$height, 1L) > 1 | !tail$one_sign & (bulges(tail$height, 2L) > 1.5 | abs(tail$mean) > 0.5)
  seems <- seems & outer(tail$cuts[, tail_arcs + 1L], tail_octaves, "<") & !dead_octaves(tail$height)
  values <- function(i, k) values_at_points(tail$f, i, k, octave_points(k, 256L))
  for (k in which(colSums(seems & tail$cut) > 0)) {
    i <- which(tail$cut & seems[, k] & !tail$one_sign)
    if (length(i)) tail$cut[i] <- abs(mean_in_units(values(i, k))) < 0.3
    tail$evaluations[i] <- tail$evaluations[i] + 256
    i <- which(tail$cut & seems[, k] & tail$one_sign)
    if (!length(i)) next
    height <- lapply(pmin(k + -1:1, N), function(k) row_most(abs(values(i, k))))
    tail$cut[i] <- bulges(do.call(cbind, height), 1L)[, 2L] < 0.8
    tail$evaluations[i] <- tail$evaluations[i] + 768
  }
  tail
}

# By how many powers of 2 a column is more than those so many before and behind it.
bulges <- function(height, by) {
  height <- log2(height)
  k <- seq_len(ncol(height) - 2L * by)
  more <- height[, k + by, drop = FALSE] - (height[, k, drop = FALSE] + height[, k + 2L * by, drop = FALSE]) / 2
  more[is.na(more)] <- -Inf
  none <- matrix(-Inf, nrow(height), by)
  cbind(none, more, none)
}

# Integrals over half-lines of functions that oscillate without end. The range is cut some way out, where f has begun
# to oscillate; what lies before is integrated by panels. Beyond are arcs, between zeros of f or, where f keeps its
# sign, between extrema: their sums S(k) = a(1) + ... + a(k) approach the integral in two ways.
#
# What f has of frequencies other than 0 makes S(k) swing around its limit. A mean of S(k) with weights that begin and
# end smoothly, here Kaiser's (Kaiser and Schafer 1980, IEEE Trans. ASSP 28), takes that away to the last digit once
# the weights extend over some 20 periods, whatever the powers or logarithms before sin and cos, and however many
# frequencies there are: it is Euler's transformation for all of them, and has no rounding errors to amplify.
#
# The mean of f itself makes S(k) creep, as a sum of powers. Sums over whole periods are extrapolated by Sidi's d
# transformation (Sidi 2003, Practical Extrapolation Methods, chapter 6; Levin's u transformation at numbers in
# geometric progression), smooth means at numbers in geometric progression by Wynn's epsilon algorithm.
#
# Each limit has its error from several beginnings or ends, and those that contradict each other have an error that
# says so. Where the far end is, nothing is known but from some points in each octave: those are looked at for peaks,
# for a mean, and for how fast f falls.
#
# No operation here joins rows: what is computed for one does not depend, to the bit, on the others.

tail_octaves <- 2^(-24:36) # distances from the end of the half-line at which f is looked at
tail_arcs <- 64L           # at first, between zeros
tail_more <- 256L          # where those are not enough
tail_most <- 1024L         # at last, at distances that the zeros show
tail_rough <- 40L          # panels before the first cut, of which more may follow small waves
tail_rows <- 2000L         # integrals at a time: some 100 kB each

# Integrals of one component that are given up for oscillation, or have failed: their results. Where arcs fail, panels
# are tried after all.
integrate_tails <- function(part, before, program, control) {
  before <- lapply(before, as.vector)
  control$tails <- FALSE
  failed <- before$code != 9L # else panels have not been tried to the end
  found <- integrate_oscillating(part, failed, program, control)
  found$evaluations <- found$evaluations + failed * before$evaluations
  before$evaluations <- found$evaluations
  idle <- which(failed & !found$cut)
  again <- which(found$code != 0L & found$cut)
  unseen <- found$unseen
  found$cut <- found$unseen <- NULL
  found <- put_columns(found, idle, columns_of(before, idle))
  rest <- ifelse(found$code %in% 1:3, unseen, 0) # panels alone
  rest[again] <- 0
  found$abs.error <- pmax(found$abs.error, rest)
  if (!length(again)) return(found)
  panels <- columns_of(before, again)
  untried <- which(!failed[again])
  if (length(untried)) {
    tried <- panels_alone(part_of(part, again[untried]), program, control)
    tried$evaluations <- panels$evaluations[untried] + tried$evaluations
    panels <- put_columns(panels, untried, tried)
  }
  arcs <- columns_of(found, again)
  apart <- abs(panels$value - arcs$value)
  contradict <- (apart > 10 * (panels$abs.error + arcs$abs.error)) %in% TRUE
  taken <- which(panels$code == 0L & !contradict | arcs$code != 5L & panels$abs.error < arcs$abs.error)
  panels$code[contradict & panels$code == 0L] <- 3L
  # what failed is known no better than two ways to it agree
  off <- panels$abs.error
  panels$abs.error <- contradicted(off, arcs$abs.error, apart)
  arcs$abs.error <- contradicted(arcs$abs.error, off, apart)
  panels$abs.error <- pmax(panels$abs.error, ifelse(panels$code != 0L, unseen[again], 0))
  arcs$evaluations <- panels$evaluations
  found <- put_columns(put_columns(found, again, arcs), again[taken], columns_of(panels, taken))
  # the least of several errors that are all too large is less than the error that it stands for
  failed <- again[found$code[again] %in% 1:3]
  found$abs.error[failed] <- 3 * found$abs.error[failed]
  found
}

panels_alone <- function(part, program, control) lapply(integrate_part(part, program, control), as.vector)

# The error of a limit, where another with an error of its own is so far from it.
contradicted <- function(error, other, apart) {
  least <- apart - 3 * other
  ifelse(is.finite(least) & least > error, least, error)
}

columns_of <- function(result, at)
  lapply(result, function(v) if (is.matrix(v)) v[, at, drop = FALSE] else v[at])

put_columns <- function(result, at, new) {
  for (name in names(result)) {
    if (is.matrix(result[[name]])) result[[name]][, at] <- new[[name]]
    else result[[name]][at] <- new[[name]]
  }
  result
}

# The same by arcs alone; cut tells which integrals have some. Where those that have failed have none there is nothing
# to do.
integrate_oscillating <- function(part, failed, program, control) {
  low <- pmin(part$lower, part$upper)
  high <- pmax(part$lower, part$upper)
  tails <- list(half_line(part$rows, high, low, program, control), half_line(part$rows, low, high, program, control))
  between <- list(rows = part$rows, lower = with_starts(low, tails[[1L]]), upper = with_starts(high, tails[[2L]]),
                  breaks = with_breaks(part, tails))
  cut <- logical(length(low))
  unseen <- numeric(length(low))
  for (tail in tails) {
    cut[tail$at[tail$cut]] <- TRUE
    unseen[tail$at] <- unseen[tail$at] + tail$unseen
  }
  between$lower[failed & !cut] <- between$upper[failed & !cut] <- 0
  middle <- panels_alone(between, program, control)
  # what fails with further breaks may not without: next to an end 1 - cos(x) has no digits
  again <- which(cut & middle$code %in% 1:3)
  plain <- between
  plain$breaks <- part$breaks
  if (length(again)) middle <- better_middle(middle, again, part_of(plain, again), program, control)
  # of small waves under something larger those panels are accepted whose nodes meet them by chance
  again <- which(cut & middle$code == 0L & middle$subdivisions > tail_rough)
  if (length(again)) middle <- better_middle(middle, again, part_of(between, again), program, sharper(control, 1e-2))
  open <- rep(TRUE, length(low))
  for (sums in list(first_sums, more_sums, most_sums)) {
    tails <- lapply(tails, function(tail) sums(tail, which(tail$cut & open[tail$at])))
    result <- joined_tails(middle, tails, control$tolerance)
    share <- 0.3 * allowed_error(result, control$tolerance)
    failed <- result$cut & result$code %in% 1:3
    open <- failed & result$abs.error - middle$abs.error > share
    # a small mean under what swings may have a scale of its own far out
    for (tail in tails) open[tail$at] <- open[tail$at] | tail$creep > share[tail$at]
  }
  # the total may be small beside what is before the first cut
  again <- which(failed & !open)
  if (length(again)) {
    middle <- better_middle(middle, again, part_of(between, again), program, sharper(control, 1e-4))
    result <- joined_tails(middle, tails, control$tolerance)
  }
  result$value <- result$value * ifelse(part$lower > part$upper, -1, 1)
  result$unseen <- unseen
  result
}

sharper <- function(control, share) {
  control$tolerance <- c(max(share * control$tolerance[1L], 50 * .Machine$double.eps), share * control$tolerance[2L])
  control
}

allowed_error <- function(result, tolerance) pmax(tolerance[1L] * abs(result$value), tolerance[2L])

# What is before the first cuts once more, for a smaller tolerance or without further breaks.
better_middle <- function(middle, again, between, program, control) {
  found <- panels_alone(between, program, control)
  before <- columns_of(middle, again)
  kept <- which(found$abs.error < before$abs.error)
  # of two ways one of which fails, or has many panels, their distance tells
  doubtful <- before$code != 0L | before$subdivisions > tail_rough
  apart <- abs(found$value - before$value) * doubtful
  apart[!is.finite(apart)] <- 0
  found$abs.error <- pmax(found$abs.error, apart)
  middle$abs.error[again] <- pmax(before$abs.error, apart)
  # what fails for so small a tolerance may be good enough
  found$code[found$code %in% 1:3 & before$code == 0L] <- 0L
  found$evaluations <- found$evaluations + before$evaluations
  middle$evaluations[again] <- found$evaluations
  put_columns(middle, again[kept], columns_of(found, kept))
}

# Limits with those that are infinite moved to the first cuts.
with_starts <- function(limit, tail) {
  at <- tail$at[tail$cut]
  limit[at] <- tail$from[tail$cut] + tail$direction * tail$unit[tail$cut] * tail$cuts[tail$cut, 1L]
  limit
}

# Break points as they are, and some more before the first cuts, from where there is a share of the integral on: the
# range may be long beside what is at its beginning.
with_breaks <- function(part, tails) {
  n <- length(part$lower)
  breaks <- part$breaks
  if (!is.null(breaks) && ncol(breaks) != n) breaks <- matrix(breaks, length(breaks), n)
  for (tail in tails) if (any(tail$cut)) {
    i <- which(tail$cut)
    x <- outer(tail$cuts[i, 1L], 4^-(1:30))
    octave <- pmin(pmax(floor(log2(x)) + 1 - log2(tail_octaves[1L]), 1), length(tail_octaves))
    mass <- tail$height[i, , drop = FALSE] * rep(tail_octaves, each = length(i))
    most <- row_most(mass * outer(tail$cuts[i, 1L], tail_octaves, ">"))
    little <- matrix(mass[cbind(rep(seq_along(i), 30L), as.vector(octave))] < 0.02 * most, length(i))
    for (k in 29:1) little[, k] <- little[, k] & little[, k + 1L]
    x[little] <- NA
    more <- matrix(NA_real_, 30L, n)
    more[, tail$at[i]] <- t(tail$from[i] + tail$direction * tail$unit[i] * x)
    sides <- matrix(NA_real_, ncol(tail$peaks), n)
    sides[, tail$at] <- t(tail$from + tail$direction * tail$unit * tail$peaks)
    breaks <- rbind(breaks, more, sides)
  }
  if (!is.null(breaks)) breaks[rowSums(!is.na(breaks)) > 0, , drop = FALSE]
}

# The sums of what is before the first cuts and beyond, and their codes.
joined_tails <- function(middle, tails, tolerance) {
  result <- middle
  result$cut <- divergent <- logical(length(middle$code))
  for (tail in tails) {
    at <- tail$at
    result$value[at] <- result$value[at] + tail$value
    result$abs.error[at] <- result$abs.error[at] + tail$error
    result$evaluations[at] <- result$evaluations[at] + tail$evaluations
    result$cut[at] <- result$cut[at] | tail$cut
    divergent[at] <- divergent[at] | tail$divergent
  }
  # what is hidden between the points that are looked at far out
  allowed <- allowed_error(result, tolerance)
  result$abs.error[result$cut] <- pmax(result$abs.error[result$cut], 0.1 * allowed[result$cut])
  within <- (result$abs.error <= allowed) %in% TRUE
  code <- result$code
  result$code[result$cut & within & code %in% c(2L, 8L)] <- 0L
  result$code[code %in% c(0L, 8L) & result$cut & !within] <- 3L
  result$code[divergent & code %in% 0:5] <- 5L
  result
}

# ---- where f oscillates --------------------------------------------------------------------------------------------

# Half-lines from near to far, where that is infinite. x is the distance from the end, 0 if there is none. cut tells
# where f oscillates, cuts[i, ] are then distances of zeros or extrema. Rows of those that are not found are not used.
half_line <- function(rows, near, far, program, control) {
  at <- which(is.infinite(far))
  n <- length(at)
  direction <- if (n) sign(far[at[1L]]) else 1
  from <- ifelse(is.finite(near[at]), near[at], 0)
  tail <- list(at = at, from = from, direction = direction, cut = logical(n), peaked = logical(n),
               unseen = numeric(n), creep = numeric(n), divergent = logical(n),
               cuts = matrix(NA_real_, n, tail_arcs + 1L), evaluations = numeric(n),
               value = numeric(n), error = numeric(n))
  if (!n) return(tail)
  in_units <- function(unit) function(i, x) {
    y <- integrand_columns(program, rows, at[i], from[i] + direction * unit[i] * x)[, 1L]
    y[!is.finite(y)] <- 0
    matrix(y, length(i), ncol(x))
  }
  scale <- scaled_tails(in_units, n)
  tail[names(scale)] <- scale
  tail$f <- in_units(tail$unit)
  tail$integrals <- function(i, cuts)
    arc_integrals(program, rows, at[i], from[i] + direction * tail$unit[i] * cuts, direction, control)
  tail$evaluations <- tail$looks
  tail$swing <- logical(n)
  tail$fall <- numeric(n)
  tail$power <- rep(NA_real_, n)
  tail <- with_cuts(tail, which(tail$cut))
  tail$more <- matrix(NA_real_, n, tail_more + 1L)
  i <- which(tail$cut)
  for (try in 1:3) {
    beyond <- look_beyond(tail, i)
    tail <- beyond$tail
    i <- i[tail$cut[i] & !is.na(beyond$slow[i])]
    tail$cut[i] <- FALSE
    # frequencies come down to 0 there: once more, from two octaves farther on
    i <- i[beyond$slow[i] + 3L < length(tail_octaves) & try < 3L]
    if (!length(i)) break
    tail$octave[i] <- beyond$slow[i] + 2L
    tail$start[i] <- tail$spacing[i] <- NA
    tail$looks[i] <- 0
    for (points in c(256L, 2048L)) tail <- first_zeros(tail, tail$f, i[is.na(tail$spacing[i])], points)
    tail$evaluations[i] <- tail$evaluations[i] + tail$looks[i]
    tail$cut[i] <- !is.na(tail$spacing[i])
    i <- i[tail$cut[i]]
    tail <- with_cuts(tail, i)
    i <- i[tail$cut[i]]
  }
  # panels that fail may miss a peak that is seen: by as much as the points in its octave tell
  tail$unseen[tail$peaked] <- (row_most(abs(tail$sum) + 12 * tail$noise) * tail$unit)[tail$peaked]
  tail$unseen[is.nan(tail$unseen)] <- Inf
  with_falls(peaks_before(without_bumps(tail)), in_units)
}

# With zeros or extrema of rows i.
with_cuts <- function(tail, i) {
  zeros <- tail_zeros(tail, i, tail_arcs)
  tail$cut[i] <- zeros$found[i]
  tail$cuts[i, ] <- zeros$cuts[i, ]
  tail$evaluations <- tail$evaluations + zeros$evaluations
  tail$power[i] <- spacing_power(tail$cuts[i, , drop = FALSE])
  tail
}

# Where f oscillates, with distances in units that are powers of 2: larger ones where no oscillation is found, and f
# still counts at the end, and smaller ones where there is some from the first octave on.
scaled_tails <- function(in_units, n) {
  found <- tail_scale(in_units(rep(1, n)), seq_len(n))
  found$unit <- rep(1, n)
  for (sign in c(1, -1)) {
    open <- function(found) if (sign > 0) is.na(found$octave) & found$open else found$octave %in% 1L
    i <- which(found$unit == 1 & open(found))
    for (step in 1:16) {
      if (!length(i)) break
      unit <- rep(2^(sign * 60 * step), n)
      end <- if (sign > 0) swings_at_end(in_units(unit), i)
             else list(swings = !logical(length(i)), dead = FALSE, looks = 0)
      found$looks[i] <- found$looks[i] + end$looks
      later <- i[!end$swings & !end$dead]
      i <- i[end$swings]
      if (length(i)) {
        there <- tail_scale(in_units(unit), i)
        there$unit <- unit[i]
        found$looks[i] <- there$looks <- found$looks[i] + there$looks
        later <- c(later, i[open(there)])
        new <- which(there$cut & there$octave > 1L)
        for (name in names(found)) {
          if (is.matrix(found[[name]])) found[[name]][i[new], ] <- there[[name]][new, ]
          else found[[name]][i[new]] <- there[[name]][new]
        }
      }
      i <- later
    }
  }
  found
}

# Do f or its slope change their signs again and again in the last octaves? Oscillations that have begun do not end:
# there are none before where there are none at the end. dead: f is 0 there.
swings_at_end <- function(f, i) {
  last <- length(tail_octaves) - 1:0
  many <- function(octaves) rowSums(octaves$changes[, last, drop = FALSE] >= 5) == 2
  values <- octaves_of(f, i, last)
  swings <- many(values)
  still <- which(!swings)
  if (length(still)) swings[still] <- many(octaves_of(slope_of(f, function(i, x) x / 128), i[still], last))
  list(swings = swings, dead = rowSums(values$height[, last, drop = FALSE]) == 0,
       looks = 48 * (1 + 2 * seq_along(i) %in% still))
}

# Beyond the last cut every octave is looked at more closely: for its height, which a peak shows in, and for how far
# apart zeros are there. Means over a period, of a frequency that is not 0, are small beside f; slow is the first
# octave in which some are not, though they are between the cuts.
look_beyond <- function(tail, i) {
  slow <- rep(NA_integer_, length(tail$at))
  if (!length(i)) return(list(tail = tail, slow = slow))
  N <- tail_arcs + 1L
  last <- tail$cuts[i, N]
  spacing <- (last - tail$cuts[i, N - 16L]) / 16
  power <- ifelse(is.na(tail$power[i]), 1, tail$power[i])
  place <- last
  spike <- logical(length(i))
  before <- matrix(NA_real_, length(i), 48L)
  between <- tail$cuts[i, seq(1L, N - 16L, by = 2L), drop = FALSE]
  usual <- largest_mean(tail$f, i, between, spacing, last, power)[, 1L]
  # what has a mean, and spacings that no power tells, are not judged by means
  powers <- two_powers(tail$cuts[i, , drop = FALSE])
  grows <- powers[, 2L] > 2.5 & powers[, 2L] > 1.05 * powers[, 1L]
  judged <- (!tail$one_sign[i] & !is.na(tail$power[i]) & !grows) %in% TRUE
  most <- pmax(0.3, 2 * usual)
  dead <- dead_octaves(tail$height)
  for (k in seq_along(tail_octaves)) {
    x <- tail_octaves[k]
    shift <- (k * 0.6180339887) %% 1
    rows <- which(2 * x >= tail$cuts[i, 1L] & !dead[i, k])
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
    tail$evaluations[j] <- tail$evaluations[j] + 192
    found <- lone_peaks(tail$f, j, x, shift, cbind(before[rows, , drop = FALSE], abs(share) * height))
    spike[rows] <- spike[rows] | found$alone
    tail$evaluations[j] <- tail$evaluations[j] + found$evaluations
    before[rows, ] <- found$last
    on <- which(x >= last & !dead[i, k] & judged)
    if (!length(on)) next
    j <- i[on]
    spacing[on] <- spacing[on] * (x / place[on])^(1 - power[on])
    place[on] <- x
    spacing[on] <- zeros_apart(tail$f, j, x, spacing[on], power[on])
    tail$evaluations[j] <- tail$evaluations[j] + 48
    # as far as x has the digits to tell
    judged[on] <- spacing[on] > 64 * .Machine$double.eps * x
    on <- on[judged[on]]
    if (!length(on)) next
    j <- i[on]
    at <- matrix(x * 2^((0:9 + shift) / 10), length(on), 10L, byrow = TRUE)
    means <- largest_mean(tail$f, j, at, spacing[on], x, power[on])
    tail$evaluations[j] <- tail$evaluations[j] + 40
    slow[j[means[, 2L] > most[on] & is.na(slow[j])]] <- k
  }
  tail$peaked[i] <- spike | has_peak(tail$height[i, , drop = FALSE], tail$octave[i])
  tail$cut[i] <- !tail$peaked[i]
  list(tail = tail, slow = slow)
}

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

# Nor is anything known of a sum of something that oscillates and a peak beyond its first zeros. Octaves that seem to
# have one, by few points, are looked at again: there f has a mean that is no accident, or is larger than beside.
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

# Of different signs, whatever their size: products of small and large values leave the range of numbers.
opposite <- function(a, b) (a < 0 & b > 0) | (a > 0 & b < 0)

# Roots of the sums of squares of each row, in units that are powers of 2.
root_sum <- function(error) {
  largest <- row_most(error)
  unit <- ifelse(is.finite(largest) & largest > 0, 2^floor(log2(largest)), 1)
  sqrt(rowSums((error / unit)^2)) * unit
}

# The largest of each row. Of many columns in few rows max.col() would take longer.
row_most <- function(m) {
  most <- m[, 1L]
  for (k in seq_len(ncol(m))[-1L]) most <- pmax.int(most, m[, k])
  most
}

# Of each row, in units of the root of the mean square.
mean_in_units <- function(y) {
  y <- y / pmax(row_most(abs(y)), .Machine$double.xmin)
  rowSums(y) / sqrt(ncol(y) * pmax(rowSums(y^2), 1e-300))
}

# The first octave, from x to 2 x, from which on f changes its sign again and again, or where it keeps it the slope;
# how far apart zeros are there; how large f is from there on.
tail_scale <- function(f_of, every) {
  f <- function(i, x) f_of(every[i], x)
  values <- octaves_of(f, seq_along(every))
  octave <- first_octave(values$changes, values$height)
  one_sign <- is.na(octave)
  looks <- 24 * length(tail_octaves) * (1 + 2 * one_sign)
  if (any(one_sign)) {
    i <- which(one_sign)
    slopes <- octaves_of(slope_of(f, function(i, x) x / 128), i)
    octave[i] <- first_octave(slopes$changes, values$height[i, , drop = FALSE])
  }
  peak <- has_peak(values$height, octave)
  octave[peak] <- NA
  dead <- dead_octaves(values$height)
  beyond <- col(values$changes) >= octave & !dead
  mixed <- one_sign & rowSums(beyond & values$changes > 0) > 0.2 * rowSums(beyond)
  found <- list(peaked = peak, cut = !is.na(octave), octave = octave, one_sign = one_sign, mixed = mixed,
                height = values$height, mean = values$mean, sum = values$sum, noise = values$noise,
                open = !dead[, ncol(dead)] & !peak,
                start = octave + NA, spacing = octave + NA, looks = looks)
  for (points in c(256L, 2048L)) # as many as tell the first zeros apart
    found <- first_zeros(found, f, which(found$cut & is.na(found$spacing)), points)
  found$cut <- !is.na(found$spacing)
  found
}

# Where f, or its slope, changes its sign for the first time in that octave, and how far apart the first zeros are.
first_zeros <- function(found, f, i, points) {
  if (!length(i)) return(found)
  x <- outer(tail_octaves[found$octave[i]], 1 + seq(0, 1, length.out = points))
  single <- found$one_sign[i]
  y <- f(i, x)
  if (any(single))
    y[single, ] <- slope_of(f, function(i, x) x / (2 * points))(i[single], x[single, , drop = FALSE])
  at <- sign_changes(y, 5)
  place <- matrix(NA_real_, length(i), 5L)
  place[cbind(at$row, at$number)] <- at$low[, 2L]
  good <- !is.na(place[, 5L]) & rowSums(place[, -1L, drop = FALSE] - place[, -5L, drop = FALSE] < 4) == 0
  good <- which(good)
  first <- x[cbind(good, place[good, 1L])]
  found$start[i[good]] <- first
  found$spacing[i[good]] <- (x[cbind(good, place[good, 5L])] - first) / 4
  found$looks[i] <- found$looks[i] + points * (1 + 2 * single)
  found
}

# Differences of f over a short way, as a function of the same arguments.
slope_of <- function(f, way) function(i, x) {
  away <- way(i, x)
  y <- f(i, cbind(x + away, x - away))
  N <- ncol(x)
  y[, seq_len(N), drop = FALSE] - y[, N + seq_len(N), drop = FALSE]
}

# So many points of octave k, in units of its beginning, where nothing is regular, lest they meet a period of f.
octave_points <- function(k, many) {
  number <- seq_len(many) - 1L
  1 + (number + ((many * k + number)^2 * 0.6180339887) %% 1) / many
}

values_at_points <- function(f, i, k, u) f(i, matrix(tail_octaves[k] * u, length(i), length(u), byrow = TRUE))

# Changes of sign among 24 points of each octave; the largest value, and the mean in units of the root of that of
# squares. What the points tell of the integral over each octave, and its standard error.
octaves_of <- function(f, i, octaves = seq_along(tail_octaves)) {
  changes <- height <- mean <- sum <- noise <- matrix(0, length(i), length(tail_octaves))
  for (k in octaves) {
    y <- values_at_points(f, i, k, octave_points(k, 24L))
    changes[, k] <- rowSums(opposite(y[, -24L, drop = FALSE], y[, -1L, drop = FALSE]))
    height[, k] <- row_most(abs(y))
    mean[, k] <- mean_in_units(y)
    size <- pmax(height[, k], .Machine$double.xmin)
    root <- sqrt(rowSums((y / size)^2) / 24)
    sum[, k] <- mean[, k] * root * size * tail_octaves[k]
    noise[, k] <- sqrt(pmax(1 - mean[, k]^2, 0) / 23) * root * size * tail_octaves[k]
  }
  list(changes = changes, height = height, mean = mean, sum = sum, noise = noise)
}

# Octaves at the end in which f does not count any more: nothing is known of them, nor need it be.
dead_octaves <- function(height) {
  mass <- height * rep(tail_octaves, each = nrow(height))
  most <- mass[, 1L]
  dead <- height == 0
  for (k in seq_along(tail_octaves)[-1L]) {
    dead[, k] <- dead[, k] | mass[, k] < 1e-18 * most
    most <- pmax(most, mass[, k])
  }
  for (k in rev(seq_along(tail_octaves))[-1L]) dead[, k] <- dead[, k] & dead[, k + 1L] # at the end
  dead
}

# The first of two octaves side by side with at least five changes from which on all that count have so many, but for
# one in ten: noise, as f is where octaves have many periods, has fewer in one of 300.
first_octave <- function(changes, height) {
  last <- ncol(changes)
  counts <- !dead_octaves(height)
  many <- changes >= 5 & counts
  first <- rep(NA_integer_, nrow(changes))
  few <- all <- numeric(nrow(changes))
  for (k in last:1) {
    few <- few + (counts[, k] & !many[, k])
    all <- all + counts[, k]
    if (k < last) first[many[, k] & many[, k + 1L] & few <= pmax(2, 0.1 * all)] <- k
  }
  first
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

# ---- cuts ----------------------------------------------------------------------------------------------------------

# Zeros of f, or of its slope, one after the other, for rows i of a tail: eight spacings are looked at in each step.
tail_zeros <- function(tail, i, arcs) {
  n <- length(tail$at)
  x <- tail$start
  spacing <- tail$spacing
  cuts <- matrix(NA_real_, n, arcs + 1L)
  have <- evaluations <- numeric(n)
  for (step in seq_len(arcs / 4)) {
    i <- i[have[i] <= arcs]
    if (!length(i)) break
    grid <- x[i] + outer(spacing[i], seq(0, 8, by = 0.125))
    g <- values_or_slopes(tail, spacing)
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

# What has the zeros: f, or its difference over an eighth of their spacing.
values_or_slopes <- function(tail, spacing) function(i, x) {
  single <- tail$one_sign[i]
  if (all(single)) return(slope_of(tail$f, function(i, x) spacing[i] / 16)(i, x))
  y <- tail$f(i, x)
  if (any(single))
    y[single, ] <- slope_of(tail$f, function(i, x) spacing[i] / 16)(i[single], x[single, , drop = FALSE])
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

# Integrals between the cuts of each row, away from the end: a column for each arc; and the errors of their sums.
arc_integrals <- function(program, rows, at, cuts, direction, control) {
  n <- length(at)
  N <- ncol(cuts) - 1L
  arcs <- list(rows = if (!is.null(rows)) rows[, rep(at, N), drop = FALSE],
               lower = as.vector(cuts[, -(N + 1L)]), upper = as.vector(cuts[, -1L]))
  control[c("tolerance", "min.panels", "tails")] <- list(c(1e-13, 0), 1L, FALSE)
  each <- panels_of(arcs, program, control)
  value <- matrix(each$value * direction, n)
  error <- matrix(each$abs.error, n)
  # rounding errors are not all of one sign; those of x count the more the shorter arcs are beside it
  most <- row_most(abs(value))
  far <- abs(arcs$lower) / abs(arcs$upper - arcs$lower)
  noise <- error <= 30 * .Machine$double.eps * far * most
  small <- !noise & error <= 1e-11 * most
  list(value = value, evaluations = rowSums(matrix(each$evaluations, n)),
       # of noise an error is some ten standard deviations
       error = 0.3 * root_sum(noise * error) + 3 * root_sum(small * error) + rowSums((!noise & !small) * error))
}

# ---- limits --------------------------------------------------------------------------------------------------------

# The sums of rows i of a tail, by the arcs between zeros that are known,
first_sums <- function(tail, i) {
  tail$value[i] <- 0
  tail$error[i] <- Inf
  tail_sums(tail, i, tail$cuts[i, seq_len(tail_arcs + 1L), drop = FALSE], pair_limits)
}

# by more of them, if every second one is like those before,
more_sums <- function(tail, i) {
  i <- i[which(has_periods(tail$cuts[i, seq_len(tail_arcs + 1L), drop = FALSE]))]
  if (!length(i)) return(tail)
  zeros <- tail_zeros(tail, i, tail_more)
  tail$evaluations <- tail$evaluations + zeros$evaluations
  i <- i[zeros$found[i]]
  tail$more[i, ] <- zeros$cuts[i, ]
  tail_sums(tail, i, zeros$cuts[i, , drop = FALSE], pair_limits)
}

# and by many more, at distances that the last ones show, or, where they come at odd ones, all on average.
most_sums <- function(tail, i) {
  if (!length(i)) return(tail)
  is_known <- !is.na(tail$more[i, tail_more + 1L])
  known <- i[is_known]
  last <- tail$more[known, tail_more + c(-127L, -63L, 1L), drop = FALSE]
  cuts <- cbind(tail$more[known, , drop = FALSE],
                more_cuts(last[, 3L], last[, 2L], 1L, 64L, spacing_power(last), tail_most - tail_more))
  every <- !is.na(cuts[, tail_most + 1L])
  tail <- tail_sums(tail, known[every], cuts[every, , drop = FALSE], pair_limits)
  odd <- i[!is_known & !is.na(tail$power[i])]
  first <- tail$cuts[odd, 1L]
  cuts <- cbind(first, more_cuts(first, tail$cuts[odd, tail_arcs + 1L], -1L, tail_arcs, tail$power[odd], tail_most))
  tail_sums(tail, odd, cuts, function(...) c(pair_limits(...), list(creeping_limits(...))))
}

# So many cuts behind x, by the one that is `steps` before (sign 1) or behind (-1).
more_cuts <- function(x, other, sign, steps, power, many)
  x * (1 + outer(sign * (1 - (other / x)^power) / steps, seq_len(many)))^(1 / power)

# By arcs between cuts: smooth means, and what `creeping` finds behind the last one.
tail_sums <- function(tail, i, cuts, creeping) {
  if (!length(i)) return(tail)
  N <- ncol(cuts) - 1L
  arcs <- tail$integrals(i, cuts)
  tail$evaluations[i] <- tail$evaluations[i] + arcs$evaluations
  swing <- tail$swing[i]
  fall <- tail$fall[i]
  beyond <- rough_integral(tail, i, cuts[, N + 1L], fall)
  tail$divergent[i] <- !swing
  power <- ifelse(is.na(tail$power[i]), 1, tail$power[i])
  # of the first arc, in units of arcs
  number <- N / ((cuts[, N + 1L] / cuts[, 1L])^power - 1)
  far <- ifelse(tail$one_sign[i], fall, Inf)
  ways <- c(list(smooth_limits(arcs$value, arcs$error, far)), creeping(arcs$value, number, far))
  partial <- rowSums(arcs$value)
  for (way in seq_along(ways)) {
    apart <- abs(ways[[way]]$limit - partial - beyond$sum) - beyond$error
    ways[[way]]$error <- pmax(ways[[way]]$error, apart) + arcs$error
    ways[[way]]$error[!swing] <- Inf
  }
  with_limits(tail, i, ways)
}

# Is every second spacing nearly as the one before?
has_periods <- function(cuts) {
  N <- ncol(cuts)
  periods <- cuts[, 3:N, drop = FALSE] - cuts[, seq_len(N - 2L), drop = FALSE]
  change <- periods[, -1L, drop = FALSE] / periods[, -(N - 2L), drop = FALSE]
  rowSums(abs(change - 1) > 0.2) == 0
}

# Of several limits with errors the one with the least: its error is no less than the others contradict it by, and the
# one of fewer arcs before.
with_limits <- function(tail, i, ways) {
  before <- list(limit = tail$value[i], error = tail$error[i])
  value <- matrix(vapply(ways, `[[`, numeric(length(i)), "limit"), length(i))
  error <- matrix(vapply(ways, `[[`, numeric(length(i)), "error"), length(i))
  error[is.na(error) | !is.finite(value)] <- Inf
  value[!is.finite(value)] <- 0
  best <- cbind(seq_along(i), max.col(-error, "first"))
  off <- contradicted(error[best], before$error, abs(before$limit - value[best]))
  extrapolated <- tail$creep[i] > 0
  off[extrapolated] <- pmax(off, abs(before$limit - value[best]))[extrapolated] # by fewer arcs
  for (way in seq_along(ways)) off <- contradicted(off, error[, way], abs(value[, way] - value[best]))
  tail$value[i] <- value[best]
  tail$error[i] <- off
  tail$creep[i] <- ifelse(is.finite(before$error) | tail$one_sign[i] | best[, 2L] == 1L, 0, error[, 1L])
  tail
}

# The integral beyond x as the points in each octave tell it, and four standard errors: no limit may be farther off.
# What changes its sign has little of an integral there, and points may meet its periods: twelve. Beyond the last
# octave f goes on to fall, and the one of x is known in part.
rough_integral <- function(tail, i, x, fall) {
  low <- rep(tail_octaves, each = length(i))
  share <- pmin(pmax(2 - x / low, 0), 1)
  part <- tail$sum[i, , drop = FALSE] * share
  last <- ncol(part)
  more <- part[, last] / pmax(2^(fall - 1) - 1, 1e-3)
  more[!tail$one_sign[i]] <- 0
  noise <- root_sum(tail$noise[i, , drop = FALSE] * share)
  half <- rowSums(abs(part) * (1 - share))
  sure <- ifelse(tail$one_sign[i], 4, 12)
  list(sum = (rowSums(part) + more) * tail$unit[i], error = (sure * noise + half + abs(more)) * tail$unit[i])
}

# Does f fall, as far as one can see, so that what swings has a limit? Arcs become shorter like x^(1 - power). And how
# fast, by x^-fall, far out? 0 where there is more than what swings near the end, for f changes its sign later.
with_falls <- function(tail, in_units) {
  i <- which(tail$cut)
  if (!length(i)) return(tail)
  height <- tail$height[i, , drop = FALSE]
  dead <- dead_octaves(height)
  last <- rowSums(!dead)
  gone <- rowSums(dead) > 0
  first <- (last + tail$octave[i]) %/% 2L
  line <- straight_line(log2(height), first, last)
  slope <- line$slope
  shorter <- ifelse(is.na(tail$power[i]) | abs(tail$power[i] - 1) < 0.02, 0, tail$power[i] - 1)
  # what keeps its sign must fall faster than 1/x
  slow <- tail$one_sign[i] & !tail$mixed[i] & slope > -1 - 3 * line$noise
  swing <- gone | slope - shorter < -5 * line$noise - 0.002
  near <- which(!swing & slope - shorter < 0.03)
  if (length(near)) {
    closer <- look_closer(tail, i[near], first[near], last[near], slope[near], in_units)
    gone[near] <- closer$gone
    swing[near] <- closer$gone | closer$slope - shorter[near] < -closer$margin
    tail$evaluations[i[near]] <- tail$evaluations[i[near]] + closer$evaluations
  }
  tail$swing[i] <- (gone | swing & !slow) %in% TRUE
  # and where f keeps its sign and hardly falls faster than 1/x they leave a rest that nothing bounds
  tail$unseen[i[which(tail$one_sign[i] & !(gone | slope < -1.05))]] <- Inf
  tail$fall[i] <- ifelse(tail$mixed[i], 0, ifelse(gone, Inf, -slope))
  tail
}

# Slopes of straight lines through columns first to last, and their standard errors.
straight_line <- function(height, first, last) {
  k <- col(height)
  weight <- k - (first + last) / 2
  weight[k > last | k < first] <- 0
  height[weight == 0] <- 0
  slope <- rowSums(weight * height) / rowSums(weight^2)
  many <- rowSums(weight != 0)
  off <- height - (rowSums(height) / many + slope * weight)
  list(slope = slope, noise = sqrt(rowSums(off^2 * (weight != 0)) / rowSums(weight^2) / many))
}

# The same by many points, where it is hard to tell, and whether f falls at last, still farther out.
look_closer <- function(tail, i, first, last, slope, in_units) {
  far <- octaves_of(in_units(tail$unit * 2^60), i)$height
  mass <- row_most(tail$height[i, , drop = FALSE] * rep(tail_octaves, each = length(i)))
  end <- ncol(far)
  height <- matrix(0, length(i), end)
  for (k in min(first):max(last)) {
    u <- octave_points(k, 512L)
    y <- values_at_points(tail$f, i, k, u)
    height[, k] <- log2(row_most(abs(y * outer(-slope, u, function(s, u) u^s))))
  }
  line <- straight_line(height, first, last)
  powers <- two_powers(tail$cuts[i, , drop = FALSE])
  apart <- abs(powers[, 2L] - powers[, 1L])
  list(gone = far[, end] * tail_octaves[end] * 2^60 < 1e-18 * mass, slope = line$slope,
       margin = 5 * line$noise + 1e-5 + 3 * ifelse(is.na(apart), 0, apart),
       evaluations = 24 * end + 512 * (last - first + 1))
}

# Means of the sums of arcs up to each end, by weights that fall over the last fall[k] arcs.
smooth_sums <- function(term, ends, fall) {
  sums <- matrix(0, nrow(term), length(ends))
  for (k in seq_along(ends)) {
    L <- fall[k]
    s <- sqrt(1 - (2 * 0:L / L - 1)^2)
    bump <- besselI(32 * s, 0, TRUE) * exp(32 * (s - 1))
    weight <- c(rep(1, ends[k] - L), rev(cumsum(rev(bump)))[-1L] / sum(bump))
    sums[, k] <- rowSums(term[, seq_len(ends[k]), drop = FALSE] * rep(weight, each = nrow(term)))
  }
  sums
}

# Three of them agree where nothing creeps. If they move on in one direction, by more than the error of the arcs, what
# is left depends on how fast they become slower.
smooth_limits <- function(term, noise, fall) {
  N <- ncol(term)
  sums <- smooth_sums(term, N - as.integer(0.1 * N) * 2:0, rep(as.integer(round(0.66 * N)), 3L))
  first <- sums[, 2L] - sums[, 1L]
  second <- sums[, 3L] - sums[, 2L]
  most <- pmax(abs(first), abs(second), abs(first + second))
  noise <- pmax(noise, 1e-12 * row_most(abs(term)))
  power <- log(pmax(second / first, 1e-300)) / log(0.85 / 0.95)
  left <- ifelse(first * second <= 0, 4 * most, ifelse(most < noise, 50 * most, ifelse(
    power > 1.1 & fall > 1.05, pmax(50 * most, 20 * abs(second) / (power - 1)), Inf)))
  list(limit = sums[, 3L], error = left + 8 * .Machine$double.eps * rowSums(abs(term)))
}

# Such means of up to 64, 91, ..., 1024 arcs creep like sums of powers.
creeping_limits <- function(term, number, fall) {
  ends <- as.integer(round(64 * 2^(0:8 / 2)))
  sums <- smooth_sums(term, ends, as.integer(round(0.66 * ends)))
  limit <- epsilon_table(sums)
  off <- pmax(abs(limit$last - limit$older), abs(limit$last - limit$shorter))
  N <- ncol(sums)
  power <- 1 + 2 * log2(abs((sums[, N - 1L] - sums[, N - 2L]) / (sums[, N] - sums[, N - 1L])))
  off <- off + slower_fall(fall, power, abs(limit$last - sums[, N]))
  list(limit = limit$last, error = vague_error(4 * off, abs(limit$last - sums[, N])) +
         64 * .Machine$double.eps * rowSums(abs(term)))
}

# Wynn's epsilon algorithm on the columns: from all of them, from all but the first two, and but the last two.
epsilon_table <- function(s) {
  older <- matrix(0, nrow(s), ncol(s) + 1L)
  steps <- ncol(s) - 1L # even
  for (k in seq_len(steps)) {
    N <- ncol(s)
    made <- older[, seq_len(N - 1L) + 1L, drop = FALSE] + 1 / (s[, -1L, drop = FALSE] - s[, -N, drop = FALSE])
    older <- s
    s <- made
    if (k == steps - 2L) before <- s
  }
  list(last = s[, 1L], older = before[, 3L], shorter = before[, 1L])
}

# Sums over pairs of arcs, of which number is the first one's, beginning with the first and the second arc. fall: f
# falls like this power far out. If terms fall by a higher one, there will be more to come than they show.
pair_limits <- function(term, number, fall) {
  pairs <- ncol(term) %/% 2L - 1L
  both <- lapply(0:1, function(begin) {
    at <- begin + 2L * seq_len(pairs) - 1L
    found <- sidi_limits(term[, at, drop = FALSE] + term[, at + 1L, drop = FALSE], 1 + (number + begin) / 2, fall)
    if (begin) found$limit <- found$limit + term[, 1L]
    found
  })
  apart <- 2 * abs(both[[1L]]$limit - both[[2L]]$limit)
  partial <- rowSums(term)
  lapply(both, function(way)
    list(limit = way$limit, error = vague_error(way$error + apart, abs(way$limit - partial))))
}

# Where not even six digits of what is beyond the last arc seem to be known, the error is not either.
vague_error <- function(error, beyond) ifelse(error > 1e-6 * beyond, sqrt(error * pmax(error, beyond)), error)

# What may be missing where terms fall by a power so far, and f by a smaller one far out, as logarithms have it.
slower_fall <- function(fall, power, beyond) ifelse(fall < 1.05, Inf, ifelse(
  fall - 1 < 0.95 * (power - 1) - 0.02, beyond * ((power - 1) / (fall - 1) - 1), 0))

# The limit of sums of terms of one sign, of number start, start + 1, ..., that fall like a power above 1: others have
# an infinite error. Sums at numbers in geometric progression, lest rounding errors grow with the order.
sidi_limits <- function(term, start, fall) {
  n <- ncol(term)
  number <- start + col(term) - 1
  last <- abs(term[, n])
  power <- log(abs(term[, n %/% 2L]) / last) / log(number[, n] / number[, n %/% 2L])
  falls <- power > 1.05 & rowSums(term > 0) %in% c(0, n)
  more <- slower_fall(fall, power, number[, n] * last / (power - 1))
  sums <- term
  for (k in seq_len(n)[-1L]) sums[, k] <- sums[, k - 1L] + term[, k]
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
       error = ifelse(falls %in% TRUE, 16 * off[cbind(seq_along(best), best)] +
                        16 * .Machine$double.eps * abs(sums[, n]) + more, Inf))
}

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
#
# This file joins what is before the first cuts with what is beyond, and chooses between arcs and panels. Half-lines
# and where they are cut come from integrate-tail-probe.R, the sums of arcs from integrate-tail-sums.R. integrate.R
# calls integrate_tails(), and has from it what panels_of() gives.

tail_arcs <- 64L   # at first, between zeros
tail_more <- 256L  # where those are not enough
tail_most <- 1024L # at last, at distances that the zeros show
tail_rough <- 40L  # panels before the first cut, of which more may follow small waves
tail_rows <- 2000L # integrals at a time: some 100 kB each

# Integrals of one component that are given up for oscillation, or have failed: their results. Where arcs fail, panels
# are tried after all.
integrate_tails <- function(part, before, program, control) {
  before <- lapply(before, as.vector)
  control$tails <- FALSE
  failed <- before$code != 9L # else panels have not been tried to the end
  found <- integrate_oscillating(part, failed, program, control)
  found$evaluations <- found$evaluations + failed * before$evaluations
  before$evaluations <- found$evaluations
  again <- which(found$code != 0L & found$cut)
  idle <- which(failed & !found$cut)
  unseen <- found$unseen
  found <- put_columns(found[names(before)], idle, columns_of(before, idle))
  alone <- setdiff(which(found$code %in% 1:3), again)
  found$abs.error[alone] <- pmax(found$abs.error[alone], unseen[alone])
  if (!length(again)) return(found)
  panels <- columns_of(before, again)
  untried <- which(!failed[again])
  if (length(untried)) {
    tried <- panels_alone(part_of(part, again[untried]), program, control)
    tried$evaluations <- panels$evaluations[untried] + tried$evaluations
    panels <- put_columns(panels, untried, tried)
  }
  put_columns(found, again, arcs_or_panels(columns_of(found, again), panels, unseen[again]))
}

# The better one of two ways to the same integrals, with an error that is no less than how far they are apart tells.
arcs_or_panels <- function(arcs, panels, unseen) {
  apart <- abs(panels$value - arcs$value)
  contradict <- (apart > 10 * (panels$abs.error + arcs$abs.error)) %in% TRUE
  taken <- which(panels$code == 0L & !contradict | arcs$code != 5L & panels$abs.error < arcs$abs.error)
  panels$code[contradict & panels$code == 0L] <- 3L
  # what failed is known no better than two ways to it agree
  off <- panels$abs.error
  panels$abs.error <- contradicted(off, arcs$abs.error, apart)
  arcs$abs.error <- contradicted(arcs$abs.error, off, apart)
  panels$abs.error <- pmax(panels$abs.error, ifelse(panels$code != 0L, unseen, 0))
  arcs$evaluations <- panels$evaluations
  found <- put_columns(arcs, taken, columns_of(panels, taken))
  # the least of several errors that are all too large is less than the error that it stands for
  failed <- found$code %in% 1:3
  found$abs.error[failed] <- 3 * found$abs.error[failed]
  found
}

# The error of a limit, where another with an error of its own is so far from it.
contradicted <- function(error, other, apart) {
  least <- apart - 3 * other
  ifelse(is.finite(least) & least > error, least, error)
}

panels_alone <- function(part, program, control) lapply(integrate_part(part, program, control), as.vector)

columns_of <- function(result, at)
  lapply(result, function(v) if (is.matrix(v)) v[, at, drop = FALSE] else v[at])

put_columns <- function(result, at, new) {
  for (name in names(result)) {
    if (is.matrix(result[[name]])) result[[name]][, at] <- new[[name]]
    else result[[name]][at] <- new[[name]]
  }
  result
}

# The same by arcs alone; `cut` tells which integrals have some, and `unseen` what panels may miss. Where those that
# have failed have no arcs there is nothing to do.
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
  plain <- between
  plain$breaks <- part$breaks
  middle <- better_middle(middle, which(cut & middle$code %in% 1:3), plain, program, control)
  # of small waves under something larger those panels are accepted whose nodes meet them by chance
  many <- which(cut & middle$code == 0L & middle$subdivisions > tail_rough)
  middle <- better_middle(middle, many, between, program, sharper(control, 1e-2))
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
  middle <- better_middle(middle, which(failed & !open), between, program, sharper(control, 1e-4))
  result <- joined_tails(middle, tails, control$tolerance)
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
  if (!length(again)) return(middle)
  found <- panels_alone(part_of(between, again), program, control)
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
# range may be long beside what is at its beginning. And the sides of peaks.
with_breaks <- function(part, tails) {
  breaks <- own_breaks(part)
  for (tail in tails) if (any(tail$cut)) {
    i <- which(tail$cut)
    x <- outer(tail$cuts[i, 1L], 4^-(1:30))
    octave <- pmin(pmax(floor(log2(x)) + 1 - log2(tail_octaves[1L]), 1), length(tail_octaves))
    mass <- tail$height[i, , drop = FALSE] * rep(tail_octaves, each = length(i))
    most <- row_most(mass * outer(tail$cuts[i, 1L], tail_octaves, ">"))
    little <- matrix(mass[cbind(rep(seq_along(i), 30L), as.vector(octave))] < 0.02 * most, length(i))
    for (k in 29:1) little[, k] <- little[, k] & little[, k + 1L]
    x[little] <- NA
    more <- matrix(NA_real_, 30L, length(part$lower))
    more[, tail$at[i]] <- t(tail$from[i] + tail$direction * tail$unit[i] * x)
    sides <- matrix(NA_real_, ncol(tail$peaks), length(part$lower))
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

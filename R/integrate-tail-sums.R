# Integrals over half-lines beyond their first cut, by arcs: first_sums(), more_sums() and most_sums() give ever more
# of them to rows of a `tail` of integrate-tail-probe.R and return it with value, error, evaluations and what follows
# from them. Limits of sums are those of integrate-tail-limits.R.

# The sums of rows i of a tail, by the arcs between zeros that are known,
first_sums <- function(tail, i) {
  tail$value[i] <- 0
  tail$error[i] <- Inf
  tail_sums(tail, i, tail$cuts[i, , drop = FALSE], pair_limits)
}

# by more of them, if every second one is like those before,
more_sums <- function(tail, i) {
  i <- i[which(has_periods(tail$cuts[i, , drop = FALSE]))]
  zeros <- tail_zeros(tail, i, tail_more)
  tail$evaluations <- tail$evaluations + zeros$evaluations
  i <- i[zeros$found[i]]
  tail$more[i, ] <- zeros$cuts[i, ]
  tail_sums(tail, i, zeros$cuts[i, , drop = FALSE], pair_limits)
}

# and by many more, at distances that the last ones show, or, where they come at odd ones, all on average.
most_sums <- function(tail, i) {
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
  # of the first arc, in units of arcs
  number <- N / ((cuts[, N + 1L] / cuts[, 1L])^power_or_1(tail, i) - 1)
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

# Roots of the sums of squares of each row, in units that are powers of 2.
root_sum <- function(error) {
  largest <- row_most(error)
  unit <- ifelse(is.finite(largest) & largest > 0, 2^floor(log2(largest)), 1)
  sqrt(rowSums((error / unit)^2)) * unit
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

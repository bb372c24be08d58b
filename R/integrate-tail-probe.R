# Half-lines of integrands that oscillate without end: where oscillation begins, in octaves from x to 2 x of the
# distance from the end of the half-line, and how fast f falls. Some points of each octave tell; where these are not
# enough, units of x are chosen, and octaves beyond the cuts are looked at for peaks (integrate-tail-peaks.R). Zeros
# are those of integrate-tail-zeros.R. half_line() returns a `tail`, which integrate-tails.R joins with what is before
# and integrate-tail-sums.R sums up.

tail_octaves <- 2^(-24:36) # distances from the end of the half-line at which f is looked at

# Half-lines from near to far, where that is infinite. x is the distance from the end, 0 if there is none. cut tells
# where f oscillates, cuts[i, ] are then distances of zeros or extrema. Rows of those that are not found are not used.
half_line <- function(rows, near, far, program, control) {
  at <- which(is.infinite(far))
  n <- length(at)
  direction <- if (n) sign(far[at[1L]]) else 1
  from <- ifelse(is.finite(near[at]), near[at], 0)
  no <- logical(n)
  zero <- numeric(n)
  tail <- list(at = at, from = from, direction = direction, cut = no, peaked = no, swing = no, divergent = no,
               unseen = zero, creep = zero, fall = zero, evaluations = zero, value = zero, error = zero,
               power = rep(NA_real_, n), slow = rep(NA_integer_, n), cuts = matrix(NA_real_, n, tail_arcs + 1L),
               more = matrix(NA_real_, n, tail_more + 1L))
  if (!n) return(tail)
  f <- function(i, x) {
    y <- integrand_columns(program, rows, at[i], from[i] + direction * x)[, 1L]
    y[!is.finite(y)] <- 0
    matrix(y, length(i), ncol(x))
  }
  scale <- scaled_tails(f, n)
  tail[names(scale)] <- scale
  unit <- scale$unit
  tail$f <- function(i, x) f(i, unit[i] * x)
  tail$integrals <- function(i, cuts)
    arc_integrals(program, rows, at[i], from[i] + direction * unit[i] * cuts, direction, control)
  tail <- with_late_cuts(with_cuts(tail, which(tail$cut)))
  # panels that fail may miss a peak that is seen: by as much as the points in its octave tell
  tail$unseen[tail$peaked] <- (row_most(abs(tail$sum) + 12 * tail$noise) * tail$unit)[tail$peaked]
  tail$unseen[is.nan(tail$unseen)] <- Inf
  with_falls(peaks_before(without_bumps(tail)))
}

# Where frequencies come down to 0 beyond the last cut: cuts once more, from two octaves farther on.
with_late_cuts <- function(tail) {
  i <- which(tail$cut)
  for (try in 1:3) {
    tail <- look_for_peaks(slow_octaves(tail, i), i)
    i <- i[tail$cut[i] & !is.na(tail$slow[i])]
    tail$cut[i] <- FALSE
    i <- i[tail$slow[i] + 3L < length(tail_octaves) & try < 3L]
    if (!length(i)) break
    tail$octave[i] <- tail$slow[i] + 2L
    tail$spacing[i] <- tail$slow[i] <- NA
    tail <- first_zeros(tail, tail$f, i)
    i <- i[!is.na(tail$spacing[i])]
    tail <- with_cuts(tail, i)
    i <- i[tail$cut[i]]
  }
  tail
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
scaled_tails <- function(f, n) {
  found <- tail_scale(f, seq_len(n))
  found$unit <- rep(1, n)
  for (sign in c(1, -1)) {
    open <- function(found) if (sign > 0) is.na(found$octave) & found$open else found$octave %in% 1L
    i <- which(found$unit == 1 & open(found))
    for (step in 1:16) {
      if (!length(i)) break
      unit <- 2^(sign * 60 * step)
      f_there <- function(i, x) f(i, unit * x)
      later <- integer()
      if (sign > 0) {
        end <- swings_at_end(f_there, i)
        found$evaluations[i] <- found$evaluations[i] + end$evaluations
        later <- i[!end$swings & !end$dead]
        i <- i[end$swings]
      }
      if (length(i)) {
        there <- tail_scale(f_there, i)
        there$unit <- rep(unit, length(i))
        found$evaluations[i] <- there$evaluations <- found$evaluations[i] + there$evaluations
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
       evaluations = 48 * (1 + 2 * seq_along(i) %in% still))
}

# The first octave, from x to 2 x, from which on f changes its sign again and again, or where it keeps it the slope;
# how far apart zeros are there; how large f is from there on.
tail_scale <- function(f_of, every) {
  f <- function(i, x) f_of(every[i], x)
  values <- octaves_of(f, seq_along(every))
  octave <- first_octave(values$changes, values$height)
  one_sign <- is.na(octave)
  if (any(one_sign)) {
    i <- which(one_sign)
    slopes <- octaves_of(slope_of(f, function(i, x) x / 128), i)
    octave[i] <- first_octave(slopes$changes, values$height[i, , drop = FALSE])
  }
  peaked <- has_peak(values$height, octave)
  octave[peaked] <- NA
  dead <- dead_octaves(values$height)
  beyond <- col(values$changes) >= octave & !dead
  found <- c(values[c("height", "mean", "sum", "noise")], list(
    peaked = peaked, octave = octave, one_sign = one_sign,
    mixed = one_sign & rowSums(beyond & values$changes > 0) > 0.2 * rowSums(beyond),
    open = !dead[, ncol(dead)] & !peaked, start = octave + NA, spacing = octave + NA,
    evaluations = 24 * length(tail_octaves) * (1 + 2 * one_sign)))
  found <- first_zeros(found, f, which(!is.na(octave)))
  found$cut <- !is.na(found$spacing)
  found
}

# Where f, or its slope, changes its sign for the first time in that octave, and how far apart the first zeros are: by
# as many points as tell them apart.
first_zeros <- function(found, f, i) {
  for (points in c(256L, 2048L)) {
    i <- i[is.na(found$spacing[i])]
    if (!length(i)) break
    x <- outer(tail_octaves[found$octave[i]], 1 + seq(0, 1, length.out = points))
    y <- values_or_slopes(f, found$one_sign, function(i, x) x / (2 * points))(i, x)
    at <- sign_changes(y, 5)
    place <- matrix(NA_real_, length(i), 5L)
    place[cbind(at$row, at$number)] <- at$low[, 2L]
    good <- !is.na(place[, 5L]) & rowSums(place[, -1L, drop = FALSE] - place[, -5L, drop = FALSE] < 4) == 0
    good <- which(good)
    first <- x[cbind(good, place[good, 1L])]
    found$start[i[good]] <- first
    found$spacing[i[good]] <- (x[cbind(good, place[good, 5L])] - first) / 4
    found$evaluations[i] <- found$evaluations[i] + points * (1 + 2 * found$one_sign[i])
  }
  found
}

# ---- octaves -------------------------------------------------------------------------------------------------------

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

# ---- how fast f falls ----------------------------------------------------------------------------------------------

# Does f fall, as far as one can see, so that what swings has a limit? Arcs become shorter like x^(1 - power). And how
# fast, by x^-fall, far out? 0 where there is more than what swings near the end, for f changes its sign later.
with_falls <- function(tail) {
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
    closer <- look_closer(tail, i[near], first[near], last[near], slope[near])
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
look_closer <- function(tail, i, first, last, slope) {
  far <- octaves_of(function(i, x) tail$f(i, 2^60 * x), i)$height
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

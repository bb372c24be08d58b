# Integrands given by their logarithm: where the mass of exp(f) lies and how large it is, for all integrals at once.

# The axis v on which mass is looked for: x = sinh(v) on a whole line, a + exp(v) and b - exp(v) on half-lines, and
# a + (b - a)/(1 + exp(-v)) on an interval, counted from the nearer end. Points of v that are tried first.
log_grid <- 1.2 * sinh(seq(-5.1, 5.1, by = 0.15))

# x and log(dx/dv) for a row of v for each range; a, b: its ends.
log_axis <- function(v, a, b) {
  a <- rep_len(a, length(v))
  b <- rep_len(b, length(v))
  x <- ifelse(is.finite(a), a + exp(v), ifelse(is.finite(b), b - exp(v), sinh(v)))
  slope <- ifelse(is.finite(a) | is.finite(b), v, abs(v) + log1p(exp(-2 * abs(v))) - log(2))
  finite <- is.finite(a) & is.finite(b)
  if (any(finite)) {
    at <- which(finite)
    share <- (b[at] - a[at]) * stats::plogis(-abs(v[at]))
    x[at] <- ifelse(v[at] < 0, a[at] + share, b[at] - share)
    slope[at] <- log(b[at] - a[at]) + stats::dlogis(v[at], log = TRUE)
  }
  list(x = x, slope = slope)
}

# The v of x, a matrix with a row for each range; not finite outside.
log_axis_of <- function(x, a, b) {
  v <- asinh(x)
  finite <- is.finite(a) & is.finite(b)
  up <- is.finite(a) & !finite
  down <- is.finite(b) & !finite
  suppressWarnings({
    v[up, ] <- log(x - a)[up, ]
    v[down, ] <- log(b - x)[down, ]
    v[finite, ] <- ifelse((x - a) / (b - a) < 0.5, stats::qlogis((x - a) / (b - a)),
                          -stats::qlogis((b - x) / (b - a)))[finite, ]
  })
  v
}

# For each integral `shift`, a column of the logarithms of scales, one for each component, and `breaks`, a column of
# points beside the modes, NA where there are fewer. The density on the axis v, g = exp(f(x)) dx/dv, is bracketed at
# its local maxima on the grid and the user's breaks (columns, or NULL); brackets are divided until g changes little
# within. From each mode on points are laid at growing distances, until g is e^-45 of what it is there.
log_scales <- function(program, rows, lower, upper, given) {
  n <- length(lower)
  m <- length(program$outputs)
  at <- which(lower < upper) # not where a limit is missing
  if (!length(at)) return(list(shift = matrix(0, m, n)))
  # logarithms of g, for each component, at the points v, a matrix with a row for each of the integrals `at`
  density <- function(at, v) {
    axis <- log_axis(v, lower[at], upper[at])
    g <- integrand_columns(program, rows, at, axis$x)
    g[is.na(g) | g == Inf] <- -Inf
    g + axis$slope
  }
  v <- log_starts(lower[at], upper[at], if (!is.null(given)) t(given[, at, drop = FALSE]))
  g <- density(at, v)
  top <- matrix(0, n, m)
  for (k in seq_len(m)) top[at, k] <- do.call(pmax, as.data.frame(matrix(g[, k], nrow(v))))
  # the components as one, in units such that their largest values on the grid are the same
  unit <- top - do.call(pmax, as.data.frame(top))
  unit[!is.finite(unit)] <- 0
  joined <- function(at, g, shape) {
    off <- unit[at, , drop = FALSE]
    matrix(do.call(pmax, lapply(seq_len(m), function(k) g[, k] - off[, k])), nrow(shape), ncol(shape))
  }
  from <- log_brackets(at, v, joined(at, g, v))
  if (!nrow(from)) return(list(shift = matrix(0, m, n)))
  from <- log_refine(from, function(at, v) joined(at, density(at, v), v))
  if (m > 1L) g <- density(from$row, matrix(from$v))
  for (k in seq_len(m)) {
    best <- first_of_rows(from$row, if (m > 1L) g[, k] else from$m + unit[from$row, 1L])
    top[best$row, k] <- pmax(top[best$row, k], best$value)
  }
  points <- log_points(log_peaks(from), lower, upper, function(at, x) {
    g <- integrand_columns(program, rows, at, x)
    g[is.na(g)] <- -Inf
    drop(joined(at, g, matrix(x)))
  })
  top[!is.finite(top)] <- 0
  list(shift = t(top), breaks = columns_by_row(points$row, points$x, n))
}

# Points of the axis of each range that are looked at first, in ascending order: the grid, and those that are given.
log_starts <- function(lower, upper, given) {
  v <- outer(ifelse(is.finite(lower) & is.finite(upper), 0.36, 1), log_grid)
  if (is.null(given)) return(v)
  own <- log_axis_of(given, lower, upper)
  own[!is.finite(own)] <- v[row(own)[!is.finite(own)], 1L]
  t(apply(cbind(v, own), 1L, sort))
}

# At most sixteen local maxima m of values at v, a row each for the integrals `at`: brackets, and the values there.
log_brackets <- function(at, v, value) {
  N <- ncol(v)
  beside <- cbind(-Inf, value, -Inf)
  is_mode <- which(value > -Inf & value >= beside[, seq_len(N), drop = FALSE] &
                     value > beside[, 2L + seq_len(N), drop = FALSE], arr.ind = TRUE)
  is_mode <- is_mode[order(is_mode[, 1L], -value[is_mode]), , drop = FALSE]
  is_mode <- is_mode[sequence(rle(is_mode[, 1L])$lengths) <= 16L, , drop = FALSE]
  row <- is_mode[, 1L]
  column <- is_mode[, 2L]
  pick <- function(by) v[cbind(row, pmin(pmax(column + by, 1L), N))]
  data.frame(row = at[row], v = pick(0L), low = pick(-1L), high = pick(1L), m = value[is_mode],
             m_low = beside[cbind(row, column)], m_high = beside[cbind(row, column + 2L)])
}

# Of each row the largest value.
first_of_rows <- function(row, value) {
  o <- order(row, -value)
  o <- o[!duplicated(row[o])]
  list(row = row[o], value = value[o])
}

# Modes with how wide their peaks are, by what is left of them on both sides: those that count.
log_peaks <- function(from) {
  width <- function(d, drop) d / sqrt(2 * pmax(drop, 0.02))
  from$sd <- pmax(width(from$v - from$low, from$m - from$m_low), width(from$high - from$v, from$m - from$m_high),
                  1e-14 * pmax(1, abs(from$v)))
  mass <- from$m + log(from$sd)
  largest <- first_of_rows(from$row, mass)
  from[mass >= largest$value[match(from$row, largest$row)] - 40, ]
}

# Points of n integrals as columns in ascending order, NA where there are fewer.
columns_by_row <- function(row, x, n) {
  o <- order(row, x)
  place <- sequence(rle(row[o])$lengths)
  columns <- matrix(NA_real_, max(place, 0L), n)
  columns[cbind(place, row[o])] <- x[o]
  columns
}

# Narrows the brackets (low, v, high) of modes: four times in each step, until the density falls by less than e.
log_refine <- function(from, value) {
  for (step in 1:40) {
    go <- which(pmax(from$m - from$m_low, from$m - from$m_high) > 1 &
                  from$high - from$low > 1e-14 * pmax(1, abs(from$v)))
    if (!length(go)) break
    one <- from[go, ]
    v <- with(one, cbind(low, low + outer(v - low, 1:3 / 4), v, v + outer(high - v, 1:3 / 4), high))
    new <- c(2:4, 6:8)
    m <- cbind(one$m_low, 0, 0, 0, one$m, 0, 0, 0, one$m_high)
    m[, new] <- value(one$row, v[, new, drop = FALSE])
    best <- max.col(m, "first")
    take <- function(matrix, by) matrix[cbind(seq_along(best), pmin(pmax(best + by, 1L), 9L))]
    from[go, c("v", "low", "high", "m", "m_low", "m_high")] <-
      list(take(v, 0L), take(v, -1L), take(v, 1L), take(m, 0L), take(m, -1L), take(m, 1L))
    from$m_low[go[best == 1L]] <- -Inf
    from$m_high[go[best == 9L]] <- -Inf
  }
  from
}

# Modes, and points at growing distances on both sides, until next to nothing is left beyond, or, far from the mode
# and from 0, what is left falls like a power, which the panels of half-lines know how to meet.
log_points <- function(from, lower, upper, value) {
  place <- function(v) log_axis(v, lower[from$row], upper[from$row])$x
  mode <- place(from$v)
  height <- value(from$row, mode)
  found <- data.frame(row = from$row, x = mode)
  for (side in c(-1, 1)) {
    at <- data.frame(row = from$row, mode = mode, sd = abs(place(from$v + side * from$sd) - mode), left = 0,
                     slope = 0, from = from$sd)
    at$sd <- pmax(at$sd, 2 * .Machine$double.eps * abs(mode), 1e-300)
    at$height <- height
    distance <- 3 * at$sd
    for (growth in c(2.5, 2.5, 3, 4, 6, rep(10, 60))) { # to the next one
      x <- at$mode + side * distance
      go <- is.finite(x) & x > lower[at$row] & x < upper[at$row]
      at <- at[go, ]
      if (!nrow(at)) break
      x <- x[go]
      distance <- distance[go]
      left <- value(at$row, x) - at$height + log(distance / at$sd)
      found <- rbind(found, data.frame(row = at$row, x = x))
      slope <- (left - at$left) / log(distance / at$from)
      power <- distance > 3 * pmax(1, abs(at$mode)) & abs(slope - at$slope) < 0.1 * abs(slope)
      go <- left > -45 & !power
      at[c("left", "slope", "from")] <- list(left, slope, distance)
      at <- at[go, ]
      distance <- growth * distance[go]
    }
  }
  found[is.finite(found$x) & found$x > lower[found$row] & found$x < upper[found$row], ]
}

# Values of a program at points x, a matrix with a row for each of the integrals `at`: a column for each component.
# These points are looked at, and not part of an integral: what f warns of there is nobody's concern.
integrand_columns <- function(program, rows, at, x) suppressWarnings(run_integrand(program, function()
  .Call(C_integrandValues, program, if (!is.null(rows)) rows[, at, drop = FALSE], as.double(x))))

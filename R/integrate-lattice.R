# Integrals over two to thirty variables by rank-one lattices with random shifts: points k z / 2^m + shift modulo 1
# for k = 0, ..., 2^m - 1, and then 1 - |2 u - 1| of each coordinate u (the tent), which makes periodic what is not.
# Errors fall as fast as 2^-2m for integrands with mixed second derivatives (Hickernell 2002, in Monte Carlo and
# Quasi-Monte Carlo Methods 2000, 274-289). Means over independent shifts are independent and unbiased, and tell the
# standard error.

# Made by tools/lattice-vector.R.
lattice_vector <- c(1L, 865725L, 94973L, 799585L, 769093L, 230169L, 590729L, 100173L, 1041069L, 746089L, 679809L,
                    371797L, 251581L, 221569L, 645821L, 312629L, 411369L, 581297L, 89625L, 560941L, 745641L,
                    787985L, 256609L, 657941L, 26705L, 693637L, 615129L, 95645L, 739253L, 533177L)

lattice_shifts <- 16L
# The error is as many standard errors: 999 of 1000 means of so many are within.
lattice_errors <- stats::qt(0.9995, lattice_shifts - 1)
lattice_first <- 8L # 2^8 points with each shift

# most: points with each shift.
lattice_integrals <- function(program, of, n, tolerance, most) {
  of$began <- proc.time()
  on.exit(progress_loop_done())
  d <- length(of$names)
  m <- length(program$outputs)
  top <- max(lattice_first, min(20L, floor(log2(most))))
  known <- known_limits(of, n)
  shifts <- matrix(stats::runif(lattice_shifts * d), lattice_shifts)
  sums <- array(0, c(lattice_shifts, m, n))
  result <- list(value = matrix(NaN, m, n), abs.error = matrix(NaN, m, n), subdivisions = integer(n),
                 evaluations = numeric(n), code = rep(6L, n), x = rep(NaN, n), std.error = matrix(NaN, m, n))
  result$code[known] <- -1L
  for (k in lattice_first:top) {
    left <- which(result$code == -1L)
    if (!length(left)) break
    found <- lattice_sums(program, of, left, k, shifts, m)
    sums[, , left] <- sums[, , left, drop = FALSE] + found$sums
    if (is.null(result$place)) result[c("place", "says")] <- found[c("place", "says")]
    means <- sums[, , left, drop = FALSE] / 2^k
    result$value[, left] <- colMeans(means)
    result$std.error[, left] <- apply(means, 2:3, stats::sd) / sqrt(lattice_shifts)
    result$abs.error[, left] <- lattice_errors * result$std.error[, left]
    result$subdivisions[left] <- as.integer(2^k)
    result$evaluations[left] <- lattice_shifts * 2^k
    result$code[left] <- lattice_codes(result$value[, left, drop = FALSE], result$abs.error[, left, drop = FALSE],
                                       tolerance, k == top)
  }
  equal_limits(result, of, n)
}

# -1 while an integral is not accurate.
lattice_codes <- function(value, error, tolerance, last) {
  within <- colSums(!(error <= pmax(tolerance[1L] * abs(value), tolerance[2L]))) == 0
  zero <- colSums(abs(value) + error >= .Machine$double.xmin) == 0
  ifelse(colSums(!is.finite(error)) > 0, 7L, ifelse(zero %in% TRUE, if (last) 8L else -1L,
                                                    ifelse(within %in% TRUE, 0L, if (last) 1L else -1L)))
}

# Sums over the points that 2^k has and 2^(k - 1) has not, by shifts and components for each integral. Points are
# those of some integrals with all shifts at a time, or of one with some points of each shift.
lattice_sums <- function(program, of, integrals, k, shifts, m) {
  step <- if (k > lattice_first) 2L else 1L
  points <- 2^k / step
  at_once <- min(points, cubature_points %/% lattice_shifts)
  together <- max(1L, cubature_points %/% (at_once * lattice_shifts))
  sums <- array(0, c(lattice_shifts, m, length(integrals)))
  place <- NULL
  spec <- cube_spec(program, of)
  for (i in split(seq_along(integrals), (seq_along(integrals) - 1L) %/% together))
    for (first in seq(0, points - 1, by = at_once)) {
      progress_loop("integrategpu", of$began, NaN)
      count <- min(at_once, points - first)
      u <- .Call(C_latticePoints, lattice_vector[seq_len(ncol(shifts))], c(k, step, first, count), shifts, length(i))
      row <- rep(as.double(integrals[i]), each = count * lattice_shifts)
      at <- points_and_values(program, of, row, u, spec)
      y <- matrix(at$y * at$size, length(row))
      y[at$y == 0] <- 0
      if (is.null(place) && !all(is.finite(y))) {
        bad <- which(rowSums(!is.finite(y)) > 0)[1L]
        place <- place_in_cube(program, of, row[bad], u[bad, , drop = FALSE])
      }
      y <- colSums(array(y, c(count, lattice_shifts, length(i), m)))
      sums[, , i] <- sums[, , i, drop = FALSE] + aperm(y, c(1L, 3L, 2L))
    }
  c(list(sums = sums), place)
}

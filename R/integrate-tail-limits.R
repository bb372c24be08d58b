# Limits of sums of arcs: by smooth means where f swings, by extrapolation where its mean creeps. Each function has
# a matrix of terms with a row for each integral, and returns limit and error, or a list of such; what these functions
# are is told in integrate-tails.R. Nothing here knows of f.

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

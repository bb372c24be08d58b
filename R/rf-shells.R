# Waves in shells of wave numbers: as many in the tail as short lags need, with smaller amplitudes.
#
# The probability of a part's radii k is split by tails: shell j of J has those with a tail probability P(|k| > k) in
# (2^-j, 2^-(j-1)], the last down to 0. Its mass P_j is shared by n_j waves, i = 1, ..., n_j, of the same amplitude
# sqrt(2 v P_j / n_j), v the variance of the part. Wave i has the radius of the tail probability
#   2^-(j-1) - P_j (i - U_i) / n_j, U_i uniform on (0, 1).
# No matter how the n_j are chosen, the covariance of the model is exact in the mean: a uniform rotation of the whole
# set makes the direction of each wave uniform, whatever its radius, so that with f(k, h) = E cos(k u . h) over u
#   E C(h) = sum_j v P_j / n_j sum_i E f(k_ij, h) = sum_j v P_j E(f(k, h) | shell j) = v E f(k, h),
# as the n_j strata of equal probability make up the shell. The total variance is v in each field. One cosine of
# amplitude a and uniform phase has the fourth cumulant a^4 (3/8 - 3/4), so that the field has the excess kurtosis
#   -3/8 sum a^4 / (sum v)^2 = -3/2 sum v^2 P_j^2 / n_j / (sum v)^2, sums over all shells of all parts,
# which with n_j >= 0.4 L P_j, as below up to rounding, is nearer to 0 than -3.75/L for one part of L waves.
#
# The numbers n_j are sums of three shares of the L waves. One is in proportion to P_j, as large lags need. The
# largest is in proportion to P_j g_j, where g_j is the most that a wave of shell j adds to the mean square second
# difference at any lag h, min(1, (k h)^4) up to a factor, over its expected value. For a tail P(|k| > k) ~ k^-2nu
# with nu < 2 this is about the same number for each octave of k, and it falls for smoother models. The third is the
# same for all shells: single waves of a far tail, were they of the amplitude of nearer ones, would be rare and count
# for too much. Shells go to wave numbers of 1500 times the median, and so beyond those of a grid with 500 cells to a
# range, or of 1.5 L times it if that is more, or to where P_j g_j has become a ten thousandth of the whole.
# bench/field-shells.R has what this gives, and what n_j ~ sqrt(P_j) in 11 shells does.

shell_settings <- list(most = 40L, reach = 1.5, least = 1e-4, share = c(mass = 0.4, second = 0.55, equal = 0.05))

# The numbers of waves of a part in its shells, the outermost last: as many shells as have a wave each.
wave_shells <- function(part, wave_dim, n) {
  if (!is.null(joint_time(part))) return(n) # whose radii are those of a mixture
  if (!is.null(part$space)) part <- part$space
  edge <- 2^-(seq_len(shell_settings$most) - 1)
  k <- wave_radius(part, c(0.5, 1 - 0.75 * edge), wave_dim) # the median, and in the middle of each shell
  k <- k[-1L][which(k[-1L] <= shell_settings$reach * max(n, 1000) * k[1L])]
  if (!isTRUE(k[1L] > 0)) return(n)
  gain <- second_gain(k)
  for (last in max(which(gain >= shell_settings$least * sum(gain))):1) {
    shares <- cbind(shell_masses(last), second_gain(k[seq_len(last)]), 1)
    wanted <- n * drop(shares %*% (shell_settings$share / colSums(shares)))
    if (min(wanted) >= 1) break
  }
  whole_shares(wanted)
}

# P_j g_j of shells with wave numbers k.
second_gain <- function(k) {
  mass <- shell_masses(length(k))
  second <- pmin(outer(k, k, `/`)^4, 1)
  mass * apply(second / rep(colSums(mass * second), each = length(k)), 1L, max)
}

shell_masses <- function(n) 2^-c(seq_len(n - 1L), n - 1L)

# Of some lines: their shells, and their places in these.
shell_places <- function(shells, lines) {
  ends <- cumsum(shells)
  shell <- findInterval(lines - 1, ends) + 1L
  list(shell = shell, at = lines - (ends - shells)[shell])
}

# Amplitudes of waves of a part.
shell_amplitudes <- function(shells, variance, lines)
  sqrt(2 * variance * shell_masses(length(shells)) / shells)[shell_places(shells, lines)$shell]

# Directions, and of each the number of its shell and where it is in it, from 0 to the number of its waves, by
# increasing radius. Low-discrepancy directions follow each other in an additive lattice, of which any run is spread
# evenly: those of all waves, of a shell and of an octave.
shell_set <- function(shells, dim, directions, uniforms, lines) {
  n <- sum(shells)
  direction <- if (directions == "lowdiscrepancy" && dim > 1L) {
    points <- additive_lattice(lines, uniforms("shift", dim - 1L))
    if (dim == 2L) circle(points[, 1L] / 2) else sphere(points[, 1L], points[, 2L])
  } else direction_set(n, dim, directions, order(uniforms("order", n))[lines])
  own <- shell_places(shells, lines)
  list(direction = direction, shell = own$shell, at = own$at - uniforms("strata", length(lines), lines[1L] - 1))
}

# Probabilities of the radii of a set.
shell_radii <- function(shells, set) {
  first <- 2^-(seq_along(shells) - 1)
  share <- shell_masses(length(shells)) / shells
  inside(1 - (first[set$shell] - share[set$shell] * set$at))
}

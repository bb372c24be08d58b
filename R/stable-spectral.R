# Stable distributions whose spectral measure has finitely many atoms: random numbers, and the density in the plane.

# The law of list(s = directions in rows, mass =): unit directions, and the masses of those that have any.
spectral_law <- function(spectral, alpha, S_missing = TRUE) {
  if (!S_missing) raise_engine_error("input", "S and spectral are both given: one of them describes the distribution")
  if (inherits(spectral, "mstableSpectral")) spectral <- spectral$spectral
  if (!is.list(spectral) || !all(c("s", "mass") %in% names(spectral)))
    input_error("spectral", spectral, "must be a list with directions s, in rows, and their mass")
  wrong <- setdiff(names(spectral), c("s", "mass"))
  if (length(wrong)) input_error("spectral", wrong, "must have the names s and mass")
  s <- numbers_in_rows("spectral$s", spectral$s)
  if (is.null(dim(s))) s <- matrix(s, 1L)
  names <- colnames(s)
  s <- matrix(as.double(s), nrow(s))
  check_numbers("spectral$s", c(s), "")
  mass <- as.double(spectral$mass)
  check_numbers("spectral$mass", spectral$mass, "not negative")
  if (length(mass) != nrow(s)) raise_engine_error("input", sprintf(
    "spectral$mass has %d elements, spectral$s has %d rows: each direction must have a mass", length(mass), nrow(s)))
  most <- apply(abs(s), 1L, max)
  if (any(most == 0)) raise_engine_error("input", sprintf("spectral$s[%d, ] is 0: it must have a direction",
                                                          which(most == 0)[1L]))
  if (!any(mass > 0)) input_error("spectral$mass", mass, "must have a positive element")
  s <- s / most
  s <- s / sqrt(rowSums(s^2))
  one_number("alpha", alpha, "positive")
  if (alpha > 2) input_error("alpha", alpha, "must be greater than 0 and at most 2")
  list(s = s[mass > 0, , drop = FALSE], mass = mass[mass > 0], names = names, alpha = as.double(alpha))
}

spectral_location <- function(delta, d, known = NULL) {
  check_numbers("delta", delta, "")
  if (length(delta) != 1L && length(delta) != d) raise_engine_error("input", sprintf(
    "delta has %d elements: it must have 1 or %d, one for each column of spectral$s", length(delta), d))
  at <- if (length(delta) == d && d > 1L) places_by_name("delta", names(delta), known)
  rep_len(as.double(if (is.null(at)) delta else delta[at]), d)
}

# sum_j mass_j^(1/alpha) Z_j s_j, with independent Z_j that are totally skewed, from a stream for each atom. For
# alpha = 1 the log of a scale moves the location: u'(g Z s) has the exponent
# g|u's| (1 + i (2/pi) sign(u's) log|g u's|).
spectral_draws <- function(n, law, delta, first) {
  x <- matrix(0, n, ncol(law$s))
  for (j in seq_along(law$mass)) {
    scale <- law$mass[j]^(1 / law$alpha)
    z <- rstable(n, law$alpha, 1, 1, 0, pm = 1, first = first)
    if (law$alpha == 1) z <- z + 2 / pi * log(scale)
    x <- x + (scale * z) %o% law$s[j, ]
  }
  x + rep(delta, each = n)
}

# Density and an estimate of its absolute error. They are those of BX, with the matrix B that makes the sum of all
# mass^(2/alpha) s s', in which the scales of the atoms are squared, a unit matrix: laws narrow in one direction
# lose no digits.
spectral_density <- function(x, law, delta) {
  scale <- law$mass^(1 / law$alpha)
  most <- max(scale)
  # (lower triangle; at 1e-300 of the largest, an atom's scale has no weight)
  factor <- t(qr.R(qr(law$s * (scale / most)))) * most
  # B X has atoms B s, of which the lengths go into the masses
  z <- forwardsolve(factor, t(x) - delta)
  s <- t(forwardsolve(factor, t(law$s)))
  length <- sqrt(rowSums(s^2))
  s <- s / length
  mass <- (scale * length)^law$alpha
  if (law$alpha == 1) z <- z + 2 / pi * colSums(mass * log(length) * s)
  f <- spectral_unit(t(z), list(s = s, mass = mass, alpha = law$alpha))
  f / abs(factor[1L, 1L]) / abs(factor[2L, 2L])
}

# Of a law whose scales are near 1, in units in which the masses sum up to 1: of X = sigma Z.
spectral_unit <- function(x, law) {
  sigma <- sum(law$mass)^(1 / law$alpha)
  shift <- if (law$alpha == 1) 2 / pi * log(sigma) * colSums(law$mass * law$s) else c(0, 0)
  z <- (x - rep(shift, each = nrow(x))) / sigma
  .Call(C_spectralDensity, z, law$alpha, law$s, law$mass / sum(law$mass)) / sigma^2
}

# Directions that are on one line have the same number; those of lines are known to 1e-12 of a radian.
spectral_lines <- function(s) {
  line <- integer(nrow(s))
  for (j in seq_len(nrow(s))) {
    if (line[j]) next
    line[abs(s[, 1L] * s[j, 2L] - s[, 2L] * s[j, 1L]) < 1e-12 & !line] <- max(line) + 1L
  }
  line
}

# The log density of two independent variables on two lines: x = y_1 s_1 + y_2 s_2.
spectral_product <- function(x, law, delta, line) {
  first <- match(1:2, line)
  s <- law$s[first, ]
  y <- (x - rep(delta, each = nrow(x))) %*% solve(s)
  value <- -log(abs(s[1L, 1L] * s[2L, 2L] - s[1L, 2L] * s[2L, 1L]))
  for (k in 1:2) {
    on <- line == k
    up <- sum(law$mass[on & drop(law$s %*% s[k, ]) > 0])
    down <- sum(law$mass[on]) - up
    # in this parameterisation for alpha = 1 a scale is a factor within the log of the exponent
    scale <- (up + down)^(1 / law$alpha)
    beta <- (up - down) / (up + down)
    shift <- if (law$alpha == 1) 2 / pi * beta * scale * log(scale) else 0
    value <- value + dstable((y[, k] - shift) / scale, law$alpha, beta, 1, 0, pm = 1, log = TRUE) - log(scale)
  }
  value
}

spectral_log_density <- function(x, law, delta) {
  d <- ncol(law$s)
  if (d != 2L) raise_engine_error("input", sprintf(
    "spectral$s has %d columns: densities are known in two dimensions, random numbers (rmstable) in any", d))
  line <- spectral_lines(law$s)
  if (max(line) < 2L) raise_engine_error("input", paste(
    "all directions of spectral$s with a mass are on one line: the distribution has no density in the plane"))
  value <- rep(NA_real_, nrow(x))
  known <- rowSums(is.na(x)) == 0
  value[rowSums(is.nan(x)) > 0] <- NaN
  far <- known & rowSums(is.infinite(x)) > 0
  value[far] <- -Inf
  known <- known & !far
  if (!any(known)) return(value)
  z <- x[known, , drop = FALSE]
  if (law$alpha == 2) {
    # sum_j mass_j (u's_j)^2 = u'Su, the normal distribution with the covariance matrix 2 S
    S <- crossprod(law$s * sqrt(law$mass))
    value[known] <- dmstable(z, 2, S, delta, log = TRUE)
    return(value)
  }
  if (max(line) == 2L) {
    value[known] <- spectral_product(z, law, delta, line)
    return(value)
  }
  if (law$alpha < spectral_least) input_error("alpha", law$alpha, sprintf(
    "must be from %s to 2 for densities of three or more directions", spectral_least))
  f <- spectral_density(z, law, delta)
  # where the integral cancels, digits are lost
  lost <- !(f[, 2L] < 1e-9 * f[, 1L]) %in% TRUE
  none <- !(f[, 2L] < 0.1 * f[, 1L]) %in% TRUE
  if (any(lost)) warn(sprintf(
    "%d of %d densities are of points so far out that fewer than 9 digits are known%s", sum(lost), length(lost),
    if (any(none)) "; those of which none is are NaN" else ""))
  f[none, 1L] <- NaN
  value[known] <- log(f[, 1L])
  value
}

# The least alpha for which the rule over angles has been measured.
spectral_least <- 0.5

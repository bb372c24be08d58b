# The power law: its covariance and the derivatives of that. Its spectral densities are in cov-spectrum.R.

# Power law: the mean of a wave (see waves) over the radius of the wave vector. From k h = 40 on a wave is a smooth
# part and exp(i k h) times another, whose integral comes from the ends of the band, along the imaginary direction;
# those of a narrow band cancel each other up to many waves.
power_mean <- function(h, m, wave, density = power_density(m)) {
  sums <- function(from, to, h, f, waves = h) {
    p <- wave_panels(from, to, waves)
    nodes <- panel_nodes(p$left, p$right)
    drop(rowsum(colSums(nodes$w * density(nodes$x) * f(nodes$x * rep(h[p$of], each = 24L))), p$of, reorder = FALSE))
  }
  ends <- function(k, h) {
    z <- rep(k * h, each = 40L) + 1i * laguerre_rule$x
    inside <- colSums(matrix(laguerre_rule$w * density(z / rep(h, each = 40L)) * wave$wave(z), 40L))
    Re(1i / h * exp(1i * k * h) * inside)
  }
  at_distinct(h, function(h) {
    h <- pmin(h, 1e300 / m$kmax) # beyond, the phases overflow, and the value is less than 1e-300
    middle <- pmin(pmax(40 / h, m$kmin), m$kmax)
    if (m$kmax < 2 * m$kmin) middle[(m$kmax - m$kmin) * h < 200] <- m$kmax
    value <- numeric(length(h))
    near <- which(middle > m$kmin)
    if (length(near)) value[near] <- sums(rep(m$kmin, length(near)), middle[near], h[near], wave$value)
    far <- which(middle < m$kmax)
    if (length(far)) {
      end <- rep(m$kmax, length(far))
      value[far] <- value[far] + ends(middle[far], h[far]) - ends(end, h[far])
      if (!is.null(wave$smooth)) value[far] <- value[far] + sums(middle[far], end, h[far], wave$smooth, 0 * far)
    }
    value
  })
}

# log(k/kmin) for k from kmin on, also of narrow bands.
power_log <- function(k, m) if (is.complex(k)) log(k / m$kmin) else log1p((k - m$kmin) / m$kmin)

# Of the length of the wave vector.
power_density <- function(m) {
  e <- m$exponent + 3
  end <- if (e > 0) m$kmax else m$kmin # where the density does not overflow
  total <- end * power_integral(abs(e), power_log(m$kmax, m))
  function(k) exp((e - 1) * log(k / end)) / total
}

# Derivatives of the power law. With f = x (sin(x)/x)', P the mass of the band below k and p its density, they are by
# parts, where nothing cancels: -int dP/dexponent f(k h) dk/k, p(kmin) int (1 - P) f(k h) dk/k for kmin, and p(kmax)
# int P f(k h) dk/k for kmax. For b = |exponent + 3| log(kmax/kmin) and u = log(k/kmin)/log(kmax/kmin), P is
# expm1(-b u)/expm1(-b), times exp(-b (1 - u)) for exponents above -3.
power_slope <- function(h, m, parameter) {
  span <- power_log(m$kmax, m)
  weight <- power_weight(m, parameter)
  value <- numeric(length(h))
  width <- m$kmax - m$kmin
  pieces <- ifelse(m$kmax < 2 * m$kmin & width * h < 200, ceiling(width * h / 12), 0)
  for (n in unique(pieces[pieces > 0])) { # of narrow bands in u, since k has too few digits there
    nodes <- panel_rule(seq(0, 1, length.out = n + 1))
    value[pieces == n] <- sum_nodes(function(h, k) wave_fall(k * h), h[pieces == n],
                                    list(x = m$kmin * exp(span * nodes$x), w = span * nodes$w * weight(nodes$x)))
  }
  wide <- pieces == 0
  if (any(wide)) value[wide] <- power_mean(h[wide], m, waves$fall, function(k) weight(power_log(k, m) / span) / k)
  power_factor(m, parameter) * value
}

power_factor <- function(m, parameter) {
  e <- m$exponent + 3
  span <- power_log(m$kmax, m)
  switch(parameter, exponent = 1, kmin = (if (e == 0) 1 / span else e / expm1(e * span)) / m$kmin,
         kmax = (if (e == 0) 1 / span else -e / expm1(-e * span)) / m$kmax)
}

power_weight <- function(m, parameter) {
  e <- m$exponent + 3
  span <- power_log(m$kmax, m)
  b <- abs(e) * span
  mass <- function(u) if (b == 0) u else expm1_any(-b * u) / expm1(-b) * if (e > 0) exp(-b * (1 - u)) else 1
  # -d log(expm1(-b u)/expm1(-b))/db without the terms that cancel for small b, by the Langevin function
  fall <- function(u) if (b > 1) 1 / expm1(b) - u / expm1_any(b * u)
                      else (u - 1 - u * langevin(b * u / 2) + langevin(b / 2)) / 2
  function(u)
    switch(parameter, exponent = -span * mass(u) * if (e > 0) u - 1 - fall(u) else fall(u),
           kmin = if (e >= 0) 1 - mass(u) else exp(-b * u) * expm1_any(-b * (1 - u)) / expm1(-b), kmax = mass(u))
}

# About the largest value of each derivative: small for narrow bands.
power_units <- function(m) {
  nodes <- panel_rule(seq(0, 1, length.out = 9L))
  vapply(c("exponent", "kmin", "kmax"), function(parameter) {
    mean <- power_log(m$kmax, m) * sum(nodes$w * power_weight(m, parameter)(nodes$x))
    power_factor(m, parameter) * min(1, abs(mean))
  }, 0)
}

check_power_law <- function(m, refuse) {
  refuse(abs(m$exponent) > 30, "exponent", "must be from -30 to 30: beyond, waves have nearly one length")
  refuse(m$kmin >= m$kmax, "kmin", sprintf("must be below kmax, %s", format(m$kmax)))
  refuse(m$kmax / m$kmin == Inf, "kmin", sprintf("is too small beside kmax, %s", format(m$kmax)))
}

expm1_any <- function(z) {
  if (is.complex(z)) expm1_complex(complex(real = pmin(Re(z), 700), imaginary = Im(z))) else expm1(z)
}

# coth(z) - 1/z for |z| below 3, say: Gauss's continued fraction.
langevin <- function(z) {
  value <- 0
  for (j in seq(41, 3, by = -2)) value <- z^2 / (j + value)
  ifelse(z == 0, 0, value / z)
}

# Panels from `from` to `to` for each element of h, within a factor of 2 and of at most 12 radians of the wave.
wave_panels <- function(from, to, h) {
  octaves <- ceiling(log2(to / from))
  of <- rep(seq_along(h), octaves)
  j <- sequence(octaves, 0L)
  grow <- (log(to / from) / octaves)[of]
  left <- from[of] * exp(grow * j)
  right <- ifelse(j + 1 == octaves[of], to[of], from[of] * exp(grow * (j + 1)))
  p <- wave_pieces(left, right, h[of])
  replace(p, "of", list(of[p$of]))
}

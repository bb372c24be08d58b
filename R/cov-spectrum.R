# Spectral densities of the families at unit variance and range, in 1 to 3 dimensions.

is_rough <- function(part) families[[part$name]]$rough(part)

# Gamma(x + d/2)/Gamma(x) without cancellation for large x.
gamma_ratio <- function(x, d) {
  half <- exp(lgamma(0.5) - lbeta(x, 0.5))
  switch(d, half, x, (x + 0.5) * half)
}

# Matern: a multivariate t distribution with 2 nu degrees of freedom.
student_spectrum <- function(k, nu, dim)
  gamma_ratio(nu, dim) / pi^(dim / 2) * exp(-(nu + dim / 2) * log1p_square(k))

ball_spectrum <- function(k, nu, dim) {
  power <- nu - dim / 2
  if (power == -1) return(ifelse(k == 1, Inf, 0)) # all on the sphere k = 1
  ifelse(k <= 1, exp(lgamma(nu + 1) - lgamma(power + 1)) / pi^(dim / 2) * (pmax(1 - k, 0) * (1 + k))^power, 0)
}

cauchy_spectrum <- function(k, g, dim) {
  order <- dim / 2 - g
  log_k <- besselKgpu(k, abs(order), log = TRUE)
  log_value <- (1 - g) * log(2) - order * log(k) + log_k - dim / 2 * log(2 * pi) - lgamma(g)
  zero <- if (order < 0) exp(lgamma(-order) - lgamma(g)) / (2^dim * pi^(dim / 2)) else Inf
  ifelse(k == 0, zero, ifelse(k == Inf, 0, exp(log_value)))
}

power_spectrum <- function(k, m, dim) {
  e <- m$exponent + 3
  span <- log(m$kmax / m$kmin)
  # S3 = a (k/kmax)^exponent
  a <- 1 / (4 * pi * m$kmax^3 * power_integral(e, span))
  from <- pmax(k, m$kmin)
  inside <- k < m$kmax
  value <- switch(dim,
    2 * pi * a * m$kmax^2 * power_integral(e - 1, log(m$kmax / pmin(from, m$kmax))),
    2 * a * at_distinct(ifelse(inside, k, NA), function(k) vapply(k, function(k) power_abel(k, m), 0)),
    ifelse(k >= m$kmin & k <= m$kmax, a * (k / m$kmax)^m$exponent, 0))
  if (dim < 3) value[!inside] <- 0
  value
}

# int_{exp(-span)}^1 x^(e - 1) dx
power_integral <- function(e, span) if (e == 0) span else -expm1(-e * span) / e

# int q (q/kmax)^b / sqrt(q^2 - k^2) dq over the band above k, with q^2 = k^2 + z^2
power_abel <- function(k, m) {
  low <- if (k < m$kmin) sqrt((m$kmin - k) * (m$kmin + k)) else 0
  high <- sqrt((m$kmax - k) * (m$kmax + k))
  scale <- max(k, m$kmin)
  edges <- sinh(seq(asinh(low / scale), asinh(high / scale), length.out = 2 + ceiling(asinh(high / scale))))
  nodes <- panel_rule(scale * edges)
  sum(nodes$w * (sqrt(k^2 + nodes$x^2) / m$kmax)^m$exponent)
}

gamma_spectrum <- function(k, m, dim) {
  e <- m$exponent
  density <- function(q, power) exp(power * log(q) - q - lgamma(e + 3)) / (4 * pi)
  if (dim == 3) return(ifelse(k == 0, if (e > 0) 0 else if (e == 0) 1 / (8 * pi) else Inf, density(k, e)))
  at0 <- if (e <= dim - 3) Inf else if (dim == 2) exp(lgamma(e + 1) - lgamma(e + 3)) / (2 * pi) else 1 / (2 * (e + 2))
  at_distinct(k, function(k) vapply(k, function(k) {
    if (k == 0) return(at0)
    # k cosh(x) in the plane, k exp(x) on the line
    far <- (750 + 4 * abs(e)) / k
    nodes <- panel_rule(seq(0, if (dim == 2) acosh(1 + far) else log1p(far), length.out = 81L))
    q <- k * if (dim == 2) cosh(nodes$x) else exp(nodes$x)
    c(2 * pi, 2)[dim] * sum(nodes$w * density(q, e + 3 - dim))
  }, 0))
}

# Powered exponential: on the line the symmetric stable density, else a series in 1/k for large k.
powexp_spectrum <- function(k, alpha, dim) {
  if (alpha == 2) return(families$gaussian$spectrum(k, NULL, dim))
  if (dim == 1) return(dstable(k, alpha, 0))
  value <- rep(gamma(dim / alpha) / (c(1, 1, pi)[dim] * 2 * pi * alpha), length(k)) # at 0
  far <- k > 15
  near <- k > 0 & !far
  value[far] <- stable_far(k[far], alpha, dim)
  value[near] <- if (dim == 3) powexp_space(k[near], alpha) else {
    density <- function(x) exp(3 * x) * powexp_spectrum(exp(x), alpha, 3)
    abel_sum(pmax(k[near], 1e-90), remembered(list("powexp", alpha), density_table(density)), 2) / (2 * pi)
  }
  value
}

# S3 = Im int_0^inf z exp(-z^alpha + i k z) dz / (2 pi^2 k) along the ray of angle pi/(4 alpha), where nothing
# oscillates much, but at most pi/2, as exp(i k z) grows beyond pi.
powexp_space <- function(k, alpha) {
  t <- seq(-20, log(60 + 60 / alpha) / alpha, by = 0.05)
  z <- exp(t + 1i * min(pi / (4 * alpha), pi / 2))
  weight <- exp(2 * log(z) - z^alpha)
  # The 1 in exp(i k z) has a real integral. It is left out where that is the larger one, as for small k.
  small <- gamma(2 / alpha) / gamma(3 / alpha)
  vapply(k, function(k) {
    wave <- if (k < small) expm1_complex(1i * k * z) else exp(1i * k * z)
    Im(sum(weight * wave)) * 0.05 / (2 * pi^2 * k)
  }, 0)
}

expm1_complex <- function(w)
  complex(real = expm1(Re(w)) * cos(Im(w)) - 2 * sin(Im(w) / 2)^2, imaginary = exp(Re(w)) * sin(Im(w)))

# Series in 1/k. A term k^-(m + 3) of S3 has the term k^-(m + 2) B((m + 2)/2, 1/2) in S2.
stable_far <- function(k, alpha, dim) {
  value <- numeric(length(k))
  last <- rep(Inf, length(k))
  for (n in 1:150) {
    m <- n * alpha
    size <- exp(lgamma(m + 2) - lgamma(n + 1) - (m + dim) * log(k) + if (dim == 2) lbeta((m + 2) / 2, 0.5) else 0)
    size[size > last] <- 0
    value <- value - (-1)^n * size * sinpi(m / 2)
    last <- size
  }
  value / (2 * pi^2)
}

# int f(log q) q^-power dy with q = k cosh(y), of a function f that panels hold. The density one dimension below S(q)
# is 2 int_k^inf S(q) q / sqrt(q^2 - k^2) dq = 2 int S(q) q dy.
abel_sum <- function(k, panels, power) {
  end <- panels$right[length(panels$right)]
  breaks <- refined_edges(panels)
  vapply(log(k), function(x) {
    if (x >= end) return(0)
    # log cosh(y) = d has the solution y = d + log(1 + sqrt(1 - exp(-2 d)))
    reach <- function(d) d + log1p(sqrt(-expm1(-2 * d)))
    last <- reach(min(end - x, max(0, -x) + 40))
    edges <- sort(unique(c(seq(0, last, length.out = 2 + ceiling(last)), reach(pmax(breaks - x, 0)))))
    nodes <- panel_rule(edges[edges <= last])
    q <- x + nodes$x + log1p(exp(-2 * nodes$x)) - log(2)
    sum(nodes$w * panel_value(panels, q) * exp(-power * q))
  }, 0)
}

# Ends of panels that were halved: there the function has breaks.
refined_edges <- function(panels) {
  width <- panels$right - panels$left
  fine <- width < 0.6 * max(width)
  unique(c(panels$left[fine], panels$right[fine]))
}

# Circular: in the plane the square of the transform of a disc; on a line 2/(pi k^2) H_1(k) with Struve's function
# (DLMF 11.5.1, and 11.6.1 for large k).
circular_spectrum <- function(k, dim) {
  if (dim == 2L) return(bessel_wave(k / 2, 1)^2 / (16 * pi))
  rule <- panel_rule(seq(0, pi / 2, length.out = 3L))
  at_distinct(k, function(k) {
    value <- ifelse(k == 0, 4 / (3 * pi^2), 0)
    near <- which(k > 0 & k < 40)
    value[near] <- 4 / pi^2 / k[near] *
      colSums(rule$w * cos(rule$x)^2 * sin(outer(sin(rule$x), k[near])))
    far <- k[k >= 40]
    m <- 0:10
    sum <- colSums(gamma(m + 0.5) / gamma(1.5 - m) * outer(m, far / 2, function(m, z) z^(-2 * m))) / pi
    value[k >= 40] <- 2 / (pi * far^2) * (sum + Im(exp(1i * (far - 0.75 * pi)) * hankel_scaled(far, 1)))
    value
  })
}

# Spherical and cubic: C(r) = sum c_j r^j up to r = 1.
compact_spectrum <- function(k, m, dim) {
  powers <- families[[m$name]]$powers
  at_distinct(pmin(k, 1e300), function(k) {
    value <- numeric(length(k))
    near <- k < c(12, 32, 12)[dim]
    value[near] <- near_spectrum(k[near], m, dim, seq(0, 1, by = 0.25))
    middle <- dim == 2 & near & k > 1
    value[middle] <- compact_middle(powers, k[middle])
    far <- k[!near]
    value[!near] <- switch(dim, Re(ends_of(powers, far)) / pi, compact_plane(powers, far),
                           Im(ends_of(c(0, powers), far)) / (2 * pi^2 * far))
    pmax(value, 0)
  })
}

spherical_spectrum <- function(k, m, dim) {
  if (dim < 3) return(compact_spectrum(k, m, dim))
  at_distinct(pmin(k, 1e300), function(k) bessel_wave(k / 2, 1.5)^2 / (48 * pi^2))
}

# Of C(r) up to r = 1, by quadrature between edges.
near_spectrum <- function(k, m, dim, edges) {
  nodes <- panel_rule(edges)
  nodes$w <- nodes$w * nodes$x^(dim - 1) * unit_value(nodes$x, m)
  sum_nodes(function(k, r) wave_kernels[[dim]]$value(k * r), k, nodes) / transform_scale[dim]
}

# -int (r C')' J_0(k r) dr/k^2 is int r C J_0(k r) dr, with less rounding for k > 1.
compact_middle <- function(powers, k) {
  nodes <- panel_rule(seq(0, 1, by = 0.25))
  nodes$w <- nodes$w * polynomial((powers * (seq_along(powers) - 1)^2)[-1L], nodes$x)
  -sum_nodes(function(k, r) besselJ(k * r, 0), k, nodes) / (2 * pi * k^2)
}

sinc <- function(x) {
  value <- sin(x) / x
  value[x == 0] <- 1
  value
}

derivatives_at <- function(powers, x)
  vapply(seq_along(powers) - 1L, function(n) {
    j <- seq_along(powers) - 1L
    sum(powers * ifelse(j >= n, gamma(j + 1) / gamma(pmax(j - n, 0) + 1), 0) * x^pmax(j - n, 0))
  }, 0)

# int_0^1 p(r) exp(i k r) dr of a polynomial, by parts.
ends_of <- function(powers, k) {
  at0 <- derivatives_at(powers, 0)
  at1 <- derivatives_at(powers, 1)
  sum <- complex(length(k))
  wave <- exp(1i * k)
  for (n in seq_along(powers)) sum <- sum + (-1)^(n - 1) * (at1[n] * wave - at0[n]) / (1i * k)^n
  sum
}

# Both ends of int_0^1 C(r) r J_0(k r) dr, along the imaginary direction, where H_0 falls off.
compact_plane <- function(powers, k) {
  odd <- odd_weights(powers)
  r <- 1 + 1i * outer(1 / k, laguerre_rule$x)
  end <- (polynomial_at_end(powers, k) * r * hankel_scaled(k * r, 0)) %*% laguerre_rule$w
  (drop(outer(k, -odd$j - 2, `^`) %*% odd$w) + Re(-1i / k * exp(1i * (k - pi / 4)) * drop(end))) / (2 * pi)
}

# The polynomial at 1 + i x/k, x the Laguerre nodes, as one in i x/k: where it has a zero at 1, no digits are lost.
polynomial_at_end <- function(powers, k)
  polynomial(derivatives_at(powers, 1) / gamma(seq_along(powers)), 1i * outer(1 / k, laguerre_rule$x))

# Factors of k^-(j + 2) by the odd powers r^j.
odd_weights <- function(powers) {
  j <- seq(1, length(powers) - 1, 2)
  list(j = j, w = powers[j + 1] * (-1)^((j + 1) / 2) * 2 / pi * 2^j * gamma((j + 2) / 2)^2)
}

# Generalised Wendland: see wendland_source.c. For small k by quadrature, beyond by the two ends of the integral: at
# h = 0 the powers 2 kappa + 1, 2 kappa + 3, ... of h, whose transforms are known (the algebraic part of 1F2, DLMF
# 16.11.8), at h = 1 along the imaginary direction, with (1 - h)^(mu + kappa) for weight.
wendland_spectrum <- function(k, m, dim) at_distinct(pmin(k, 1e100), function(k) {
  kappa <- m$smoothness
  mu <- m$shape
  value <- numeric(length(k))
  near <- k < 30 + 4 * (2 * kappa + mu)
  edges <- c(0, 2^-(50:1), seq(9 / 16, 15 / 16, by = 1 / 16), 1 - 2^-(5:50), 1)
  value[near] <- near_spectrum(k[near], m, dim, edges)
  far <- k[!near]
  value[!near] <- wendland_start(far, m, dim) + wendland_end(far, m, dim)
  pmax(value, 0)
})

# mass: of all waves beyond k instead, of which the other end has one part in k only.
wendland_start <- function(k, m, dim, mass = FALSE) {
  a <- (dim + 1) / 2 + m$smoothness
  j <- 0:10
  # Gamma(a + j)/j! over 1/(Gamma(mu/2 - j) Gamma(mu/2 + 1/2 - j)), by Legendre's duplication; zeros are for whole mu
  falling <- vapply(j, function(j) prod(m$shape - seq_len(2 * j)), 0) * 4^-j / factorial(j)
  term <- (-1)^j * falling * exp(lgamma(a + j) - lgamma(a)) * rep(k / 2, each = 11L)^outer(-2 * (a + j), 0 * k, `+`)
  if (mass) term <- term * outer(sphere_surface(dim) / (2 * (a + j) - dim), k^dim)
  log_factor <- lgamma(a + m$shape / 2) + lgamma(a + m$shape / 2 + 0.5) - lgamma(m$shape) + (m$shape - 1) * log(2) -
    log(pi) / 2 - dim / 2 * log(4 * pi) + lgamma(m$smoothness + 1) - lgamma(m$smoothness + 1 + dim / 2) +
    lbeta(2 * m$smoothness + dim + 1, m$shape) - lbeta(2 * m$smoothness + 1, m$shape)
  exp(log_factor) * colSums(term)
}

wendland_end <- function(k, m, dim) {
  kappa <- m$smoothness
  p <- m$shape + kappa
  rule <- laguerre(p)
  i <- 1:23 # Jacobi, for t^kappa (1 - t)^(mu - 1), on -1 to 1
  b <- kappa
  a <- m$shape - 1
  n <- 0:23
  middle <- (b^2 - a^2) / ((2 * n + a + b) * (2 * n + a + b + 2))
  if (a + b == 0) middle[1L] <- (b - a) / 2
  off <- 4 * i * (i + a) * (i + b) * (i + a + b) / ((2 * i + a + b)^2 * (2 * i + a + b + 1) * (2 * i + a + b - 1))
  jacobi <- golub_welsch(middle, sqrt(off), exp(lbeta(kappa + 1, m$shape) - lbeta(2 * kappa + 1, m$shape)))
  t <- (1 + jacobi$x) / 2
  y <- -1i * outer(rule$x, k, `/`) # 1 - h
  smooth <- matrix(0i, 40L, length(k))
  for (q in seq_along(t)) smooth <- smooth + jacobi$w[q] * (2 - y * (2 - t[q]))^kappa
  at_end <- smooth * switch(dim, 1, (1 - y) * hankel_scaled((1 - y) * rep(k, each = 40L), 0), 1 - y)
  wave <- switch(dim, 1 / pi, exp(-0.25i * pi) / (2 * pi), 1 / (2i * pi^2 * k))
  size <- exp(lgamma(p + 1) - (p + 1) * log(k))
  Re(wave * exp(1i * k) * -1i * exp(-0.5i * pi * p) * size * colSums(rule$w * at_end))
}

polynomial <- function(powers, x) {
  value <- 0
  for (a in rev(powers)) value <- value * x + a
  value
}

# H_nu^(1)(z) exp(-i (z - nu pi/2 - pi/4)) for large z.
hankel_scaled <- function(z, nu) {
  term <- sum <- 1 + 0 * z
  for (j in 1:25) {
    term <- term * 1i * (4 * nu^2 - (2 * j - 1)^2) / (8 * j * z)
    sum <- sum + term
    if (max(Mod(term), 0) < 1e-18) break
  }
  sum * sqrt(2 / (pi * z))
}

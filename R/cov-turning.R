# The covariance of lines that turning bands add up: what lineCovariance() gives.

# Covariance of the lines whose turning bands sum has the covariance of the part: in space d(r C)/dr, and in the
# plane, with r C'(r) = q(r), C(r) + int_0^(pi/2) q(r sin t) tan(t/2) dt. That is Matheron's
# 1 + r int_0^(pi/2) C'(r sin t) dt less terms that cancel for large r.
cov_line <- function(part, r, dim) {
  closed <- closed_line(part, dim)
  part$variance * at_finite(r / unit_range(part), function(h)
    if (!is.null(closed)) closed(h, part)
    else if (dim == 2) plane_line(h, part)
    else unit_value(h, part) + unit_slope(h, part))
}

# At unit variance and range.
closed_line <- function(part, dim) families[[part$name]]$line[[dim - 1L]]

plane_line <- function(h, part) {
  known <- families[[part$name]]
  value <- unit_value(h, part)
  inside <- which(is.finite(h) & h > 0)
  value[inside] <- value[inside] + vapply(h[inside], function(r) {
    # q r sin t changes on the scale of its argument, and waves on that of their length besides; at the end of a
    # compact covariance q has a root as (1 - r sin t)^(shape - 1), with a shape that is no whole number
    top <- if (known$compact && r > 1) asin(1 / r) else pi / 2
    edges <- top * c(2^-((40 + max(0, ceiling(log2(r)))):1), if (known$compact) 1 - 2^-(2:40), 1)
    pieces <- wave_pieces(edges[-length(edges)], edges[-1L], min(r * known$wave, 1e5))
    nodes <- panel_nodes(pieces$left, pieces$right)
    sum(nodes$w * unit_slope(r * sin(nodes$x), part) * tan(nodes$x / 2))
  }, 0)
  value
}

# Far out by the ends of the integral, which panels of waves would have to follow.
bessel_line <- function(h, part) {
  far <- h > max(100, part$shape^2)
  value <- numeric(length(h))
  value[far] <- bessel_line_far(h[far], part$shape)
  value[!far] <- plane_line(h[!far], part)
  value
}

# Line covariance in the plane, 2 nu int_0^1 k (1 - k^2)^(nu - 1) cos(k h) dk, from the ends of the integral along the
# imaginary direction, for large h.
bessel_line_far <- function(h, nu) {
  if (nu == 0) return(cos(h))
  rule <- laguerre(nu - 1)
  at0 <- vapply(h, function(h) sum(laguerre_rule$w * laguerre_rule$x * (1 + (laguerre_rule$x / h)^2)^(nu - 1)), 0)
  at1 <- vapply(h, function(h) {
    s <- 1i * rule$x / h
    sum(rule$w * (1 + s) * (1 + s / 2)^(nu - 1))
  }, 0i)
  wave <- exp(1i * h) * exp(-0.5i * pi * nu)
  2 * Re(wave * at1) * exp(lgamma(nu + 1) + (nu - 1) * log(2) - nu * log(h)) - 2 * nu / h * (at0 / h)
}

# Line covariance in the plane of the circular model, by complete elliptic integrals of parameter m: 1 - 4/pi h E(h^2)
# up to the range, and beyond, with m = 1/h^2, 1 - 4/(pi m) (E - (1 - m) K) = 1 - F(1/2, 1/2; 2; m) (DLMF 19.5.1,
# 19.5.2), whose series has no terms that cancel for large h.
circular_line <- function(h) {
  value <- 1 - 4 / pi * h * elliptic(pmin(h, 1)^2)$E
  beyond <- which(h > 1)
  m <- 1 / h[beyond]^2
  e <- elliptic(m)
  term <- rep(1, length(m))
  sum <- 0
  for (n in 1:60) {
    term <- term * (n - 0.5)^2 / (n * (n + 1)) * m
    sum <- sum + term
  }
  value[beyond] <- ifelse(m < 0.5, -sum, 1 - 4 / (pi * m) * (e$E - (1 - m) * e$K))
  value
}

# K(m) and E(m) by the arithmetic-geometric mean (DLMF 19.8.5, 19.8.6).
elliptic <- function(m) {
  a <- 1
  b <- sqrt(1 - m)
  less <- m / 2
  for (n in 0:6) {
    c <- (a - b) / 2
    less <- less + 2^n * c^2
    mean <- (a + b) / 2
    b <- sqrt(a * b)
    a <- mean
  }
  K <- pi / (2 * a)
  list(K = K, E = ifelse(m == 1, 1, K * (1 - less)))
}

# Line covariance in the plane of sin(x)/x: int_0^1 cos(x sqrt(1 - w^2)) dw = 1 - pi/2 H_1(x), a Struve function.
plane_wave <- function(x) {
  near <- x < 40
  value <- x
  value[near] <- sum_nodes(function(x, w) cos(x * sqrt((1 - w) * (1 + w))), x[near], plane_nodes)
  far <- x[!near]
  value[!near] <- plane_smooth(far) + Re(plane_end(far + 0i) * exp(1i * far))
  value
}

# The two parts of plane_wave() for large x: 1 - pi/2 (H_1 - Y_1), and -pi/2 Y_1 without exp(i x).
plane_smooth <- function(x) {
  term <- sum <- 1 / x^2
  for (j in 1:15) {
    term <- -term * (2 * j - 1) * (2 * j + 1) / x^2
    sum <- sum + term
  }
  -sum
}

plane_end <- function(x) pi / 2 * 1i * exp(-0.75i * pi) * hankel_scaled(x, 1)

# In the plane and in space.
line_waves <- list(list(value = plane_wave, smooth = plane_smooth, wave = plane_end),
                   list(value = cos, wave = function(x) 1 + 0 * x))

# w = sin(t), where the integrand has no root
plane_nodes <- local({
  rule <- panel_rule(seq(0, pi / 2, length.out = 4L))
  list(x = sin(rule$x), w = rule$w * cos(rule$x))
})

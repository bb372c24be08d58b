# Covariances of random waves of one length: Bessel functions.

# Gamma(nu + 1) (2/h)^nu J_nu(h)
bessel_wave <- function(h, nu) {
  value <- rep(1, length(h))
  near <- h^2 <= 4 * (nu + 1)
  value[near] <- bessel_series(h[near], nu)
  middle <- !near & h < nu & nu > 20
  if (any(middle)) value[middle] <- bessel_poisson(h[middle], nu)
  far <- !near & h >= pmax(50, nu^2)
  if (any(far)) value[far] <- bessel_far(h[far], nu)
  rest <- !near & !middle & !far
  if (any(rest))
    value[rest] <- besselJ(h[rest], nu) * exp(lgamma(nu + 1) + nu * log(2 / h[rest]))
  value
}

bessel_series <- function(h, nu) {
  term <- sum <- rep(1, length(h))
  for (j in 1:40) {
    term <- -term * h^2 / (4 * j * (nu + j))
    sum <- sum + term
  }
  sum
}

# Poisson's integral with t = tanh(s), by the trapezoidal rule. What it misses is the Fourier transform of the weight,
# of width 1/sqrt(2 nu + 1), at 2 pi/step less h: below exp(-9^2/2). The weight is 1/cosh(s)^(2 nu + 1).
bessel_poisson <- function(h, nu) {
  s <- seq(0, 20, by = 2 * pi / (max(h) + 9 * sqrt(2 * nu + 1) + 20)) # both sides are alike
  weight <- exp(-(2 * nu + 1) * log1p(2 * sinh(s / 2)^2))
  weight[1L] <- 0.5
  keep <- weight > 1e-20
  sum_nodes(function(h, t) cos(h * t), h, list(x = tanh(s[keep]), w = weight[keep] / sum(weight)))
}

# Hankel's expansion of J_nu(h).
bessel_far <- function(h, nu)
  exp(lgamma(nu + 1) + nu * log(2 / h)) *
    Re(exp(-1i * (2 * nu + 1) * pi / 4) * exp(1i * h) * hankel_scaled(h, nu))

wave_slope <- function(h, nu) -h / (2 * (nu + 1)) * (h * bessel_wave(h, nu + 1))

# For large x a wave is smooth(x) + Re(exp(i x) wave(x)).
waves <- list(sinc = list(value = function(x) sinc(x), wave = function(x) -1i / x),
              fall = list(value = function(x) wave_fall(x), wave = function(x) 1 + 1i / x))

# cos x - sin x / x, by its series where the difference is small: the term left out is below 1.5^22/22!
wave_fall <- function(x) {
  value <- cos(x) - sinc(x)
  near <- which(abs(x) < 1.5)
  square <- x[near]^2
  sum <- 0
  for (j in 10:1) sum <- square * ((-1)^j * 2 * j / factorial(2 * j + 1) + sum)
  value[near] <- sum
  value
}

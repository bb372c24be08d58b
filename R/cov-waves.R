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

# Derivative of bessel_wave() for nu, by Poisson's integral, with log(1 - t^2) less its mean, or far out from the
# ends of that, along the imaginary direction, with t = 1 + i s/h and s = exp(y).
bessel_order <- function(h, nu) {
  value <- numeric(length(h))
  far <- h >= max(50, nu^1.5)
  octave <- pmax(0, ceiling(log2(h)))
  for (n in unique(octave[!far])) {
    at <- which(!far & octave == n)
    s <- seq(0, 3 + 50 / (2 * nu + 1), by = trapezoidal_step(2^n, 2 * nu + 1))
    log_cosh <- log1p(2 * sinh(s / 2)^2)
    weight <- exp(-(2 * nu + 1) * log_cosh)
    weight[1L] <- 0.5
    keep <- weight > 1e-22
    weight <- weight[keep] / sum(weight)
    log_cosh <- log_cosh[keep]
    value[at] <- sum_nodes(function(h, t) sin(h * t / 2)^2, h[at],
                           list(x = tanh(s[keep]), w = 4 * weight * (log_cosh - sum(weight * log_cosh))))
  }
  if (!any(far)) return(value)
  p <- nu + 0.5
  y <- seq(-48 / p, log(60 + 3 * p), by = trapezoidal_step(0, p))
  s <- exp(y)
  w <- exp(p * y - s - lgamma(p)) * (y[2L] - y[1L])
  log_mean <- digamma(p) - digamma(nu + 1) + 0.5i * pi
  sums <- sum_nodes(function(h, s) {
    log_rest <- log(complex(real = 1, imaginary = s / (2 * h)))
    exp((nu - 0.5) * log_rest) * (log(s) - log(h / 2) + log_rest - log_mean)
  }, h[far], list(x = s, w = w))
  size <- exp(lgamma(nu + 1) + nu * log(2 / h[far])) * sqrt(2 / (pi * h[far]))
  phase <- complex(real = cos(h[far]), imaginary = sin(h[far])) * exp(-0.5i * pi * p)
  value[far] <- size * Re(phase * sums)
  value
}

# Step of the trapezoidal rule for the integral of a function that is exp(h tan(a)) cos(a)^-n times larger at the
# imaginary part a than on the real line, for an error of exp(-38).
trapezoidal_step <- function(h, n) {
  a <- seq(0.002, 1.5, by = 0.002)
  max(2 * pi * a / (38 + h * tan(a) - n * log(cos(a))))
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

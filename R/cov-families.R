# The families of covariance models at unit variance and range: value(h, m) is the correlation, slope(h, m) is h times
# its derivative, without cancellation. line3 is value + slope unless it is given (Matheron 1973).

family <- function(text, value, slope, spectrum, radius = NULL, takes = NULL, line3 = NULL, line2 = NULL, valid = 3,
                   wave = NULL)
  list(text = text, value = value, slope = slope, spectrum = spectrum, radius = radius, takes = takes, line3 = line3,
       line2 = line2, valid = if (is.function(valid)) valid else function(m, dim) {
         if (dim <= valid) TRUE else sprintf("it is valid up to dimension %d", valid)
       }, wave = wave)

# exp(-h^2) with the rounding of h^2 taken care of.
gauss_value <- function(h) {
  head <- round(h * 65536) / 65536
  ifelse(h > 30, 0, exp(-head^2) * exp((head - h) * (head + h)))
}

unit_matern <- function(h, m, deriv) .Call(C_matern, h, cbind(m$smoothness, 1, 1), deriv, "plain")

within_one <- function(h, f) ifelse(h < 1, f(pmin(h, 1)), 0)

# 2/(1 + 1/h^2) is 2 h^2/(1 + h^2) without overflow.
log1p_square <- function(h) ifelse(h > 1e8, 2 * log(h), log1p(pmin(h, 1e8)^2))

# Power law: the mean of a wave (see waves) over the radius of the wave vector. From k h = 40 on a wave is a smooth
# part and exp(i k h) times another, whose integral comes from the ends of the band, along the imaginary direction.
power_mean <- function(h, m, wave) {
  e <- m$exponent + 3
  density <- function(k) exp((e - 1) * log(k / m$kmax))
  total <- m$kmax * power_integral(e, log(m$kmax / m$kmin))
  end <- function(k, h) {
    z <- k * h + 1i * laguerre_rule$x
    1i / h * complex(real = cos(k * h), imaginary = sin(k * h)) *
      sum(laguerre_rule$w * density(z / h) * wave$wave(z))
  }
  at_distinct(h, function(h) vapply(h, function(h) {
    middle <- min(max(40 / h, m$kmin), m$kmax)
    value <- 0
    if (middle > m$kmin) {
      nodes <- panel_rule(power_edges(m$kmin, middle, h))
      value <- sum(nodes$w * density(nodes$x) * wave$value(nodes$x * h))
    }
    if (middle < m$kmax) {
      value <- value + Re(end(middle, h) - end(m$kmax, h))
      nodes <- panel_rule(power_edges(middle, m$kmax, 0))
      if (!is.null(wave$smooth)) value <- value + sum(nodes$w * density(nodes$x) * wave$smooth(nodes$x * h))
    }
    value / total
  }, 0))
}

# Edges of panels within a factor of 2, and of at most 12 radians of the wave.
power_edges <- function(from, to, h) {
  edges <- from * exp(log(to / from) * seq(0, 1, length.out = 1L + ceiling(log2(to / from))))
  c(from, unlist(lapply(seq_along(edges)[-1L], function(i) {
    n <- max(1, ceiling((edges[i] - edges[i - 1L]) * h / 12))
    seq(edges[i - 1L], edges[i], length.out = n + 1)[-1L]
  })))
}

# S3 proportional to k^a exp(-k): with n = a + 2 and h = tan(t), C3 = sin(n t) / (n h) cos(t)^n.
gamma_value <- function(h, m) {
  n <- m$exponent + 2
  t <- atan(h)
  ifelse(h == 0, 1, bessel_wave(abs(n) * t, 0.5) * t / h * exp(-n / 2 * log1p_square(h)))
}
gamma_line3 <- function(h, m) {
  n <- m$exponent + 3
  cos(n * atan(h)) * exp(-n / 2 * log1p_square(h))
}

families <- list(
  matern = family("Matern", takes = "smoothness", valid = Inf,
                  function(h, m) unit_matern(h, m, "none"), function(h, m) -unit_matern(h, m, "range"),
                  function(k, m, dim) student_spectrum(k, m$smoothness, dim),
                  function(u, m, dim) student_radius(u, m$smoothness, dim)),
  exponential = family("Exponential", function(h, m) exp(-h), function(h, m) ifelse(h > 800, 0, -h * exp(-h)),
                       function(k, m, dim) student_spectrum(k, 0.5, dim),
                       function(u, m, dim) student_radius(u, 0.5, dim), valid = Inf),
  gaussian = family("Gaussian", function(h, m) gauss_value(h),
                    function(h, m) ifelse(h > 30, 0, -2 * h^2 * gauss_value(h)),
                    function(k, m, dim) gauss_value(k / 2) / (2^dim * pi^(dim / 2)),
                    function(u, m, dim) sqrt(2 * stats::qchisq(u, dim)), valid = Inf),
  spherical = family("Spherical", function(h, m) within_one(h, function(h) (1 - h)^2 * (2 + h) / 2),
                     function(h, m) within_one(h, function(h) -1.5 * h * (1 - h) * (1 + h)),
                     function(k, m, dim) compact_spectrum(k, m, dim)),
  cubic = family("Cubic", function(h, m) within_one(h, function(h) (1 - h)^4 * (1 + h * (4 + h * (3 + 0.75 * h)))),
                 function(h, m) within_one(h, function(h) -h^2 * (1 - h)^3 * (14 + h * (15.75 + 5.25 * h))),
                 function(k, m, dim) compact_spectrum(k, m, dim)),
  cauchy = family("Cauchy", function(h, m) exp(-m$shape * log1p_square(h)), takes = "shape", valid = Inf,
                  function(h, m) ifelse(h == 0, 0, -2 * m$shape / (1 + 1 / h^2) * exp(-m$shape * log1p_square(h))),
                  function(k, m, dim) cauchy_spectrum(k, m$shape, dim)),
  powexp = family("Powered exponential", function(h, m) exp(-h^m$shape), takes = "shape", valid = Inf,
                  function(h, m) ifelse(h^m$shape > 800, 0, -m$shape * h^m$shape * exp(-h^m$shape)),
                  function(k, m, dim) powexp_spectrum(k, m$shape, dim)),
  besselj = family("Bessel", function(h, m) bessel_wave(h, m$shape), takes = "shape",
                   function(h, m) wave_slope(h, m$shape),
                   function(k, m, dim) ball_spectrum(k, m$shape, dim),
                   function(u, m, dim) ball_radius(u, m$shape, dim),
                   valid = function(m, dim) if (m$shape >= dim / 2 - 1) TRUE
                           else sprintf("it needs shape >= %g in dimension %d", dim / 2 - 1, dim), wave = 1),
  sinc = family("Hole effect", function(h, m) bessel_wave(h, 0.5), function(h, m) wave_fall(h),
                function(k, m, dim) ball_spectrum(k, 0.5, dim), function(u, m, dim) ball_radius(u, 0.5, dim),
                line3 = function(h, m) cos(h), line2 = function(h, m) plane_wave(h)),
  powerlaw = family("Power law", takes = c("exponent", "kmin", "kmax"),
                    function(h, m) power_mean(h, m, waves$sinc),
                    function(h, m) power_mean(h, m, waves$fall),
                    function(k, m, dim) power_spectrum(k, m, dim),
                    function(u, m, dim) if (dim == 3) power_radius(u, m),
                    line3 = function(h, m) power_mean(h, m, waves$cos),
                    line2 = function(h, m) power_mean(h, m, waves$plane)),
  gammaspectrum = family("Gamma spectrum", gamma_value, takes = "exponent",
                         function(h, m) gamma_line3(h, m) - gamma_value(h, m),
                         function(k, m, dim) gamma_spectrum(k, m, dim),
                         function(u, m, dim) if (dim == 3) stats::qgamma(u, m$exponent + 3), line3 = gamma_line3),
  spectrum = family("Spectral density", takes = c("density", "dim"),
                    function(h, m) density_mean(h, m, wave_kernels[[m$dim]]$value),
                    function(h, m) density_mean(h, m, wave_kernels[[m$dim]]$slope),
                    function(k, m, dim) density_spectrum(k, m, dim),
                    line3 = function(h, m) density_mean(h, m, cos),
                    line2 = function(h, m)
                      if (m$dim == 3) density_mean(h, m, plane_wave, plane_smooth) else density_mean(h, m, cos),
                    valid = function(m, dim) if (dim <= m$dim) TRUE
                            else sprintf("its density is given for dimension %d, nothing is known beyond", m$dim)),
  covariance = family("Covariance function", takes = c("covariance", "dim"),
                      function(h, m) given_covariance(h, m), function(h, m) given_slope(h, m),
                      function(k, m, dim) given_spectrum(k, m, dim),
                      valid = function(m, dim) given_valid(m, dim)))

# The distance that is 1 in the formulas of the family.
unit_range <- function(part)
  part$range / switch(if (is.null(part$scaling)) "plain" else part$scaling, plain = 1,
                      sqrt2nu = sqrt(2 * part$smoothness), sqrt8nu = sqrt(8 * part$smoothness))

# The single models of which a model is the sum; nuggets are with them.
model_parts <- function(model) if (model$name == "sum") model$parts else list(model)

# TRUE, or why a part is no covariance in this dimension.
cov_valid <- function(part, dim) families[[part$name]]$valid(part, dim)

# Covariance without nugget at distances h.
cov_value <- function(part, h)
  part$variance * at_finite(h / unit_range(part), function(h) families[[part$name]]$value(h, part))

# What falls to 0 is 0 at infinity.
at_finite <- function(x, f) {
  value <- numeric(length(x))
  inside <- x < Inf
  value[inside] <- f(x[inside])
  value
}

# Covariance of the lines whose turning bands sum has the covariance of the part: in space d(r C)/dr, and in the
# plane, with r C'(r) = q(r), C(r) + int_0^(pi/2) q(r sin t) tan(t/2) dt. That is Matheron's
# 1 + r int_0^(pi/2) C'(r sin t) dt less terms that cancel for large r.
cov_line <- function(part, r, dim) {
  known <- families[[part$name]]
  part$variance * at_finite(r / unit_range(part), function(h)
    if (dim == 2 && !is.null(known$line2)) known$line2(h, part)
    else if (dim == 2) plane_line(h, part, known)
    else if (!is.null(known$line3)) known$line3(h, part)
    else known$value(h, part) + known$slope(h, part))
}

plane_line <- function(h, part, known) {
  far <- if (part$name == "besselj") which(h > max(100, part$shape^2))
  if (length(far)) {
    value <- numeric(length(h))
    value[far] <- bessel_line_far(h[far], part$shape)
    value[-far] <- plane_line(h[-far], part, known)
    return(value)
  }
  wave <- known$wave
  value <- known$value(h, part)
  inside <- which(is.finite(h) & h > 0)
  value[inside] <- value[inside] + vapply(h[inside], function(r) {
    # q r sin t changes on the scale of its argument, and waves on that of their length besides
    edges <- pi / 2 * 2^-(0:(40 + max(0, ceiling(log2(r)))))
    if (known$text %in% c("Spherical", "Cubic") && r > 1) edges <- sort(c(asin(1 / r) * 2^-(0:40)), TRUE)
    if (!is.null(wave)) {
      longest <- 12 / (wave * min(r, 1e5 / wave))
      edges <- c(unlist(lapply(seq_along(edges)[-1L], function(i) {
        n <- max(1, ceiling((edges[i - 1L] - edges[i]) / longest))
        seq(edges[i - 1L], edges[i], length.out = n + 1)[-(n + 1)]
      })), edges[length(edges)])
    }
    nodes <- panel_rule(rev(edges))
    sum(nodes$w * known$slope(r * sin(nodes$x), part) * tan(nodes$x / 2))
  }, 0)
  value
}

# Spectral density at k radians per length: C(h) is its Fourier integral over the space of this dimension.
cov_spectrum <- function(part, k, dim) {
  a <- unit_range(part)
  part$variance * a^dim * at_finite(k * a, function(k) families[[part$name]]$spectrum(k, part, dim))
}

# Models that a user gives by a spectral density or a covariance, as functions.

user_functions <- c("density", "covariance") # arguments of covModel()

# They may need variables that workers do not have.
has_functions <- function(parts) any(vapply(parts, function(part)
  any(names(c(part, part$space, part$time)) %in% user_functions), NA))

refuse_dim <- function(m, refuse) refuse(!m$dim %in% 1:3, "dim", "must be 1, 2 or 3")

# Covariance and slope of a random wave in each dimension, at x = k h.
wave_kernels <- list(
  list(value = cos, slope = function(x) -x * sin(x)),
  list(value = function(x) bessel_zero(x), slope = function(x) wave_slope(x, 0)),
  list(value = function(x) sinc(x), slope = function(x) wave_fall(x)))

# bessel_wave(x, 0) where relative errors next to its zeros do not matter.
bessel_zero <- function(x) {
  far <- x > 50
  value <- besselJ(pmin(x, 50), 0)
  value[far] <- bessel_far(x[far], 0)
  value
}

# A spectral density is int C(r) r^(dim - 1) wave(k r) dr over this.
transform_scale <- c(pi, 2 * pi, 2 * pi^2)

# Sum of a function that panels hold in log k, times kernel(k h), for each h, with the same nodes for all h of an
# octave. Up to some 100 radians beyond the last break of the function the panels are as fine as the wave; then the
# function fades, times erfc((k - middle)/s)/2 with s h >= 12.2. What that leaves out is the Fourier integral of a
# function without breaks, of which exp(-(s h)^2/4) = 1e-16 is left. Panels up to the smaller of least and near/h
# are left out; those that need not be as fine as the wave serve all h.
wave_sum <- function(f, panels, kernel, h, power = 0, least = 0, near = 1e-8, smooth = NULL) {
  end <- panels$right[length(panels$right)]
  breaks <- refined_edges(panels)
  wave <- if (is.null(smooth)) kernel else function(x) kernel(x) - smooth(x)
  value <- numeric(length(h))
  if (!length(h)) return(value)
  group <- ceiling(log2(h))
  weighted <- function(rule) {
    if (length(rule$x)) rule$w <- rule$w * f(c(rule$x)) * rule$x^(power - 1)
    rule
  }
  left <- exp(panels$left)
  right <- exp(panels$right)
  some <- panels$right > log(min(near / max(h), least)) & min(h) * (right - left) <= 12
  whole <- weighted(panel_nodes(left[some], right[some]))
  for (g in unique(group)) {
    at <- which(group == g)
    shortest <- min(h[at])
    longest <- max(h[at])
    last <- min(end, max(log(100 / shortest), breaks))
    nodes <- function(left, right) {
      pieces <- pmin(pmax(ceiling(longest * (right - left) / 12), 1), 1e5)
      if (sum(pieces) > 4e6)
        raise_engine_error("input", "the function given oscillates too far out for its transform to be found")
      width <- rep((right - left) / pieces, pieces)
      left <- rep(left, pieces) + sequence(pieces, 0L) * width
      weighted(lapply(panel_nodes(left, left + width), c))
    }
    use <- panels$left < last & panels$right > log(min(near / longest, least))
    plain <- use & panels$right <= last & longest * (right - left) <= 12
    cut <- use & !plain
    fine <- nodes(left[cut], pmin(right[cut], exp(last)))
    sum <- sum_nodes(function(h, k) kernel(h * k), h[at],
                     list(x = c(whole$x[, plain[some]], fine$x), w = c(whole$w[, plain[some]], fine$w)))
    if (last < end) {
      from <- exp(last)
      s <- 12.2 / shortest
      edges <- from * (1 + 12 * s / from)^(0:4 / 4)
      fading <- nodes(edges[-5L], edges[-1L])
      fading$w <- fading$w * stats::pnorm(sqrt(2) * (from + 6 * s - fading$x) / s)
      sum <- sum + sum_nodes(function(h, k) wave(h * k), h[at], fading)
      if (!is.null(smooth)) { # the part of the kernel that does not change its sign
        beyond <- panels$right > last
        rule <- weighted(panel_rule(exp(c(last, panels$right[beyond]))))
        sum <- sum + sum_nodes(function(h, k) smooth(h * k), h[at], rule)
      }
    }
    value[at] <- sum
  }
  value
}

# A user's function at positive arguments, checked.
user_values <- function(m, name, x, sign) {
  vectors <- "it must take vectors: see ifelse() and pmax()"
  value <- tryCatch(m[[name]](x), error = function(e) {
    if (inherits(e, "statcl_error")) stop(e) # of a model within it
    pass_on(e)
    raise_engine_error("input", sprintf("%s failed for a vector of length %d: %s; %s", name, length(x),
                                        conditionMessage(e), vectors))
  })
  if (!(is.numeric(value) || is.logical(value)) || length(value) != length(x))
    raise_engine_error("input", sprintf("%s must give a number for each element of its argument; %s", name, vectors))
  bad <- which(!is.finite(value) | sign & value < 0)
  if (length(bad)) raise_engine_error("input", sprintf(
    "%s(%s) = %s: it must be finite%s", name, format(x[bad[1L]], digits = 15), format(value[bad[1L]], digits = 15),
    if (sign) " and not negative" else ""))
  as.double(value)
}

# Panels of the density of log k in the dimension for which it is given.
density_panels <- function(m) remembered(list("density", m$density, m$dim), {
  f <- function(x) {
    k <- exp(x)
    value <- user_values(m, "density", k, TRUE)
    ifelse(value == 0, 0, exp(m$dim * x + log(value)))
  }
  x <- seq(-30, 30, by = 0.02)
  start <- x[which.max(f(x))]
  panels <- density_table(f, start, 150, lowest = -150)
  if (panels$total <= 0) input_error("density", m$density, "is 0 everywhere")
  n <- length(panels$left)
  mass <- panels$coef[1L, ] * (panels$right - panels$left)
  if (max(mass[1L], mass[n]) > 1e-12)
    input_error("density", m$density, sprintf("has no finite integral in dimension %d", m$dim))
  panels
})

density_mean <- function(h, m, kernel, smooth = NULL) at_distinct(h, function(h) {
  panels <- density_panels(m)
  value <- rep(kernel(0), length(h))
  # longer waves have no mass to speak of; of a wave with k h <= 1 no kernel is larger than 1
  least <- exp(panels$left[max(findInterval(1e-20, panels$below), 1L)])
  value[h > 0] <- wave_sum(function(k) panel_value(panels, log(k)), panels, kernel, h[h > 0], least = least, near = 1,
                           smooth = smooth)
  value
})

density_spectrum <- function(k, m, dim) {
  panels <- density_panels(m)
  below <- m$dim - dim
  at_distinct(k, function(k) {
    if (below == 0) return(user_values(m, "density", k, TRUE) / (panels$total * sphere_surface(dim)))
    # a sum from k = 0 on has no first panel, and one from 1e-60 on is the same
    value <- if (below == 1) abel_sum(pmax(k, 1e-60), panels, m$dim - 1) / (sphere_surface(m$dim) / 2)
    else vapply(log(k), function(x) {
      edges <- unique(pmax(c(panels$left, panels$right[length(panels$right)]), x))
      if (length(edges) < 2L) return(0)
      nodes <- panel_rule(edges)
      sum(nodes$w * panel_value(panels, nodes$x) * exp(-nodes$x)) / 2
    }, 0)
    if (0 %in% k && !fades_at_zero(m, panels, below)) value[k == 0] <- Inf
    value
  })
}

# Has the density of fewer dimensions, the integral of S(q) q^below over log q, a value at k = 0?
fades_at_zero <- function(m, panels, below) {
  mode <- panels$left[which.max(panels$coef[1L, ] * (panels$right - panels$left))]
  q <- exp(mode - c(30, 60))
  part <- user_values(m, "density", q, TRUE) * q^below
  part[1L] == 0 || part[2L] < part[1L] / 2
}

given_covariance <- function(h, m) at_distinct(h, function(h) user_values(m, "covariance", h, FALSE))

check_covariance <- function(model) {
  at0 <- user_values(model, "covariance", 0, FALSE)
  if (abs(at0 - 1) > 1e-8)
    raise_engine_error("input", sprintf("covariance(0) = %s: it must be 1, and variance is an argument of its own",
                                        format(at0, digits = 15)))
  h <- exp(seq(-20, 40, by = 0.02))
  beyond <- which(abs(user_values(model, "covariance", h, FALSE)) > 1 + 1e-8)
  if (length(beyond))
    raise_engine_error("input", sprintf("covariance(%s) is larger than covariance(0)", format(h[beyond[1L]])))
  check_dimension(model, model$dim)
}

covariance_panels <- function(m) remembered(list("covariance", m$covariance), {
  edges <- seq(-40, 60, length.out = 146L)
  resolved_panels(function(x) user_values(m, "covariance", exp(x), FALSE), edges[-146L], edges[-1L], 1e-16)
})

# h C'(h), the derivative for log h
given_slope <- function(h, m) {
  value <- numeric(length(h))
  value[h > 0] <- panel_value(covariance_panels(m), log(h[h > 0]), slope = TRUE)
  value
}

half_distance <- function(m) {
  panels <- covariance_panels(m)
  exp(panels$right[which(abs(panel_value(panels, panels$right)) < 0.5)[1L]])
}

# Far out S comes from C - 1, which has the same integral there and is small where it counts.
given_spectrum <- function(k, m, dim) at_distinct(k, function(k) {
  panels <- covariance_panels(m)
  far <- k * half_distance(m) > 10
  least <- 1e-8 * half_distance(m) # nearer to 0 there is no weight
  plain <- function(r) user_values(m, "covariance", r, FALSE)
  less <- function(r) plain(r) - 1
  value <- numeric(length(k))
  value[!far] <- wave_sum(plain, panels, wave_kernels[[dim]]$value, k[!far], dim, least)
  value[far] <- wave_sum(less, panels, wave_kernels[[dim]]$value, k[far], dim, least)
  value / transform_scale[dim]
})

# The spectral density at places from far below 1/range to beyond what rounding leaves of it, in the largest
# dimension: what is valid there is so in all below.
given_valid <- function(m, dim) {
  if (dim > m$dim) return(sprintf("it is given for dimension %d, nothing is known beyond", m$dim))
  lowest <- remembered(list("valid", m$covariance, m$dim), {
    half <- half_distance(m)
    if (is.na(half)) return("it does not fall below 1/2")
    k <- exp(seq(log(1e-2), log(1e2), length.out = 120L)) / half
    s <- k^m$dim * given_spectrum(k, m, m$dim)
    list(k = k[which.min(s)], share = min(s) / max(s))
  })
  if (lowest$share > -1e-8) TRUE
  else paste("it is not positive definite, its spectral density is negative at k =", format(lowest$k, digits = 3))
}

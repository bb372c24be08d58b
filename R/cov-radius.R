# The radius of a random wave vector: its density is that of |k| under the spectral density, and cov_radius() its
# quantile function. A family without a closed one has a table by panels (R/cov-quadrature.R).

# Quantiles of |k|, in radians per length, of a random wave vector in this dimension.
cov_radius <- function(part, u, dim) {
  known <- families[[part$name]]
  closed <- known$radius
  k <- if (!is.null(closed)) closed(u, part, dim)
  if (is.null(k)) {
    table <- tryCatch(radius_table(part, dim), simpleError = function(e) {
      pass_on(e)
      extreme_parameters(part)
    })
    # some at a time: a number takes a kilobyte, and some times that before R collects it
    some <- split(u, (seq_along(u) - 1) %/% 2^10)
    k <- unlist(lapply(some, tabulated_radius, table, known$powers, dim), use.names = FALSE)
  }
  k / unit_range(part)
}

is_slow <- function(part, what) what %in% families[[part$name]]$slow

tabulated_radius <- function(u, table, compact, dim) {
  k <- table_quantile(table, u)
  far <- if (!is.null(compact)) which(k >= 127.9)
  if (length(far)) k[far] <- compact_quantile(compact, 1 - u[far], dim)
  k
}

extreme_parameters <- function(part)
  raise_engine_error("input", sprintf("the waves of a \"%s\" model with such extreme parameters cannot be computed",
                                      part$name))

radius_table <- function(part, dim) remembered(c("radius", unit_part(part), dim), {
  known <- families[[part$name]]
  density <- function(x) sphere_surface(dim) * exp(dim * x) * known$spectrum(exp(x), unit_part(part), dim)
  if (!is.null(known$powers))
    density_table(density, limit = log(128), beyond = compact_tail(known$powers, 128, dim))
  else if (!is.null(known$table)) known$table(density, part, dim)
  else density_table(density)
})

# k^2/(1 + k^2) has the distribution Beta(d/2, nu). The smaller of it and its distance from 1 is a quantile, which
# takes long; beyond the smallest double that distance is known from its logarithm.
student_radius <- function(u, nu, dim) {
  if (dim == 2) return(sqrt(expm1(-log1p(-u) / nu)))
  # qbeta() warns where one of the two is next to 0 or 1, and then the other or the logarithm counts
  suppressWarnings({
    low <- u < stats::pbeta(0.5, dim / 2, nu)
    below <- above <- u
    below[low] <- stats::qbeta(u[low], dim / 2, nu)
    above[!low] <- stats::qbeta(u[!low], nu, dim / 2, lower.tail = FALSE)
    above[low] <- 1 - below[low]
    below[!low] <- 1 - above[!low]
  })
  k <- exp((log(below) - log(above)) / 2)
  far <- above < 1e-280
  k[far] <- exp(-(log1p(-u[far]) + log(nu) + lbeta(nu, dim / 2)) / (2 * nu))
  k
}

# With the Laplace transform exp(-v^a), 0 < a <= 1 (Kanter 1975), from two uniforms.
positive_stable <- function(u, v, a) {
  if (a == 1) return(rep(1, length(u)))
  sinpi(a * u) / sinpi(u)^(1 / a) * (sinpi((1 - a) * u) / -log(v))^((1 - a) / a)
}

ball_radius <- function(u, nu, dim) {
  rest <- nu + 1 - dim / 2
  if (rest == 0) return(rep(1, length(u)))
  if (dim == 2) return(sqrt(-expm1(log1p(-u) / rest)))
  sqrt(stats::qbeta(u, dim / 2, rest))
}

# Circular, in the plane: with z = k/2 the mass below is 1 - J_0(z)^2 - J_1(z)^2, for small z by its series (DLMF
# 10.8.3); quantiles by bisection, as the density is 0 at the zeros of J_1.
circular_radius <- function(u) {
  below <- function(z) {
    j <- 0:12
    term <- exp(lgamma(2 * j + 2) - lgamma(j + 1) - lgamma(j + 3) - 2 * lgamma(j + 2)) * (-1)^j
    ifelse(z < 1, colSums(term * outer(2 * j + 2, z, function(p, z) (z / 2)^p)) * 2, 1 - circular_beyond(z))
  }
  low <- ifelse(u < 0.5, -400, -2)
  high <- rep(80, length(u)) # of log z
  for (i in 1:70) {
    middle <- (low + high) / 2
    z <- exp(middle)
    under <- ifelse(u < 0.5, below(z) < u, circular_beyond(z) > 1 - u)
    low[under] <- middle[under]
    high[!under] <- middle[!under]
  }
  2 * exp(low)
}

circular_beyond <- function(z) bessel_wave(z, 0)^2 + (z / 2 * bessel_wave(z, 1))^2

# Density proportional to k^(e - 1) on the band, with both ends exact for any e.
power_radius <- function(u, m) {
  e <- m$exponent + 3
  span <- log(m$kmax / m$kmin)
  if (e == 0) m$kmin * exp(u * span)
  else if (e > 0) m$kmax * (u + (1 - u) * exp(-e * span))^(1 / e)
  else m$kmin * ((1 - u) + u * exp(e * span))^(1 / e)
}

# Quantiles by Newton's method within a panel, from the side with the smaller mass.
table_quantile <- function(table, u) {
  low <- u <= 0.5
  p <- pmin(u, 1 - u)
  n <- length(table$left)
  panel <- integer(length(u))
  panel[low] <- findInterval(p[low], table$below)
  panel[!low] <- n + 1L - findInterval(p[!low], rev(table$above), left.open = FALSE)
  near <- low & panel == 0L
  panel <- pmin(pmax(panel, 1L), n)
  half <- ((table$right - table$left) / 2)[panel]
  coef <- table$coef[, panel, drop = FALSE]
  # mass from the left end of the panel to t in [-1, 1]: the integral of P_j is (P_(j+1) - P_(j-1))/(2j + 1)
  integral <- function(at) {
    p <- legendre_values(t[at], 24L)
    q <- (p[, 3:25, drop = FALSE] - p[, 1:23, drop = FALSE]) / rep(2 * (1:23) + 1, each = length(at))
    q <- cbind(p[, 2L] + 1, q)
    own <- t(coef[, at, drop = FALSE])
    list(mass = half[at] * rowSums(q * own), density = half[at] * rowSums(p[, 1:24, drop = FALSE] * own))
  }
  whole <- 2 * half * coef[1L, ]
  wanted <- ifelse(low, p - table$below[panel], whole - (p - table$above[panel]))
  a <- rep(-1, length(u))
  b <- -a
  t <- pmin(pmax(2 * wanted / pmax(whole, 1e-300) - 1, -1), 1)
  at <- seq_along(u) # those that still move
  for (i in 1:60) {
    value <- integral(at)
    over <- value$mass > wanted[at]
    b[at[over]] <- t[at[over]]
    a[at[!over]] <- t[at[!over]]
    new <- t[at] - (value$mass - wanted[at]) / value$density
    out <- !is.finite(new) | new < a[at] | new > b[at]
    new[out] <- ((a + b) / 2)[at[out]]
    moved <- abs(new - t[at]) >= 1e-15
    t[at] <- new
    at <- at[moved]
    if (!length(at)) break
  }
  k <- exp(table$left[panel] + half * (t + 1))
  far <- !low & p < table$above[n]
  k[near] <- exp(table$left[1L] + log(p[near] / table$below[1L]) / table$rise)
  k[far] <- exp(table$right[n]) * (table$above[n] / p[far])^(1 / table$fall)
  k
}

# Mass beyond a large k of a compact model, by the ends that its spectral density has there (see compact_spectrum()).
compact_tail <- function(powers, k, dim) {
  if (dim == 2) {
    odd <- odd_weights(powers)
    r <- 1 + 1i * outer(1 / k, laguerre_rule$x)
    end <- (polynomial_at_end(powers, k) * hankel_scaled(k * r, 1)) %*% laguerre_rule$w
    return(drop(outer(k, -odd$j, `^`) %*% (odd$w / odd$j)) + Re(1i * exp(1i * (k - 3 * pi / 4)) * drop(end)))
  }
  at0 <- derivatives_at(c(0, powers), 0)
  at1 <- derivatives_at(c(0, powers), 1)
  sum <- 0
  wave <- exp(1i * k)
  # int_k^inf q^-m exp(i q) dq along the imaginary direction
  for (n in seq_along(at0)[-(1:2)]) {
    m <- n - 1
    along <- 1i * wave * drop((k + 1i * rep(laguerre_rule$x, each = length(k)))^-m |>
                                matrix(length(k)) %*% laguerre_rule$w)
    level <- if (m > 1) k^(1 - m) / (m - 1)
    sum <- sum + (-1)^(n - 1) * (at1[n] * along - at0[n] * level) / 1i^n
  }
  2 / pi * Im(sum)
}

# By the Illinois method (Dowell and Jarratt 1971, A modified regula falsi method for computing the root of an
# equation, BIT 11) in log k, in which the logarithm of the mass is nearly straight: it falls like a power of k, with
# small waves. The interval reaches from a tenth of the wave number that this power gives to threefold, and every
# fourth step halves it.
compact_quantile <- function(powers, p, dim) {
  excess <- function(x, p) compact_tail(powers, exp(x), dim) / p
  from <- log(compact_tail(powers, c(100, 1e4), dim))
  fall <- (from[1L] - from[2L]) / log(100)
  a <- pmax(log(100) + (from[1L] - log(p)) / fall - 2.3, log(100))
  b <- a + 3.4
  over <- log(excess(a, p))
  under <- log(excess(b, p))
  side <- numeric(length(p))
  x <- b
  at <- seq_along(p) # those that still move
  for (i in 1:80) {
    x[at] <- if (i %% 4 == 0) (a[at] + b[at]) / 2 else (b - under * (b - a) / (under - over))[at]
    value <- log(excess(x[at], p[at]))
    more <- value > 0
    # an end that stays for a second time counts half
    up <- at[more]
    down <- at[!more]
    under[up] <- ifelse(side[up] == 1, under[up] / 2, under[up])
    over[down] <- ifelse(side[down] == -1, over[down] / 2, over[down])
    side[at] <- ifelse(more, 1, -1)
    a[up] <- x[up]
    over[up] <- value[more]
    b[down] <- x[down]
    under[down] <- value[!more]
    at <- at[abs(value) > .Machine$double.eps * (4 + fall * x[at])] # as the rounding of x allows
    if (!length(at)) break
  }
  exp(x)
}

# The radius of a random wave vector: its density is that of |k| under the spectral density, and cov_radius() its
# quantile function. A family without a closed one has a table: panels in log k on which the density is a sum of
# Legendre polynomials, with the mass below and above each.

# Quantiles of |k|, in radians per length, of a random wave vector in this dimension.
cov_radius <- function(part, u, dim) {
  closed <- families[[part$name]]$radius
  k <- if (!is.null(closed)) closed(u, part, dim)
  if (is.null(k)) {
    k <- table_quantile(tryCatch(radius_table(part, dim), simpleError = function(e) {
      pass_on(e)
      extreme_parameters(part)
    }), u)
    compact <- compact_powers[[part$name]]
    far <- if (!is.null(compact)) which(k >= 127.9)
    if (length(far)) k[far] <- compact_quantile(compact, 1 - u[far], dim)
  }
  k / unit_range(part)
}

extreme_parameters <- function(part)
  raise_engine_error("input", sprintf("the waves of a \"%s\" model with such extreme parameters cannot be computed",
                                      part$name))

sphere_surface <- function(dim) c(2, 2 * pi, 4 * pi)[dim]

# k^2/(1 + k^2) has the law Beta(d/2, nu). Beyond the smallest double its distance from 1 is known from its logarithm.
student_radius <- function(u, nu, dim) {
  if (dim == 2) return(sqrt(expm1(-log1p(-u) / nu)))
  # qbeta() warns where one of the two is next to 0 or 1, and then the other or the logarithm counts
  suppressWarnings({
    below <- stats::qbeta(u, dim / 2, nu)
    above <- stats::qbeta(u, nu, dim / 2, lower.tail = FALSE)
  })
  k <- exp((log(below) - log(above)) / 2)
  far <- above < 1e-280
  k[far] <- exp(-(log1p(-u[far]) + log(nu) + lbeta(nu, dim / 2)) / (2 * nu))
  k
}

ball_radius <- function(u, nu, dim) {
  rest <- nu + 1 - dim / 2
  if (rest == 0) return(rep(1, length(u)))
  if (dim == 2) return(sqrt(-expm1(log1p(-u) / rest)))
  sqrt(stats::qbeta(u, dim / 2, rest))
}

# Density proportional to k^(e - 1) on the band, with both ends exact for any e.
power_radius <- function(u, m) {
  e <- m$exponent + 3
  span <- log(m$kmax / m$kmin)
  if (e == 0) m$kmin * exp(u * span)
  else if (e > 0) m$kmax * (u + (1 - u) * exp(-e * span))^(1 / e)
  else m$kmin * ((1 - u) + u * exp(e * span))^(1 / e)
}

# P_j(x) in column j + 1.
legendre_values <- function(x, n) {
  p <- matrix(1, length(x), n + 1L)
  if (n > 0L) p[, 2L] <- x
  for (j in seq_len(n - 1L)) p[, j + 2L] <- ((2 * j + 1) * x * p[, j + 1L] - j * p[, j]) / (j + 1)
  p
}

# Legendre coefficients of a function from its values at the nodes.
legendre_fit <- t(legendre_values(legendre_rule$x, 23L) * legendre_rule$w) * (2 * (0:23) + 1) / 2

# Panels of the intervals from..to on which f, a function of logarithms, is resolved; halved where it is not, and
# where neighbours do not meet: a jump next to an edge may be between two nodes of a panel.
resolved_panels <- function(f, from, to, floor = 1e-14) {
  done <- list(left = NULL, right = NULL, coef = NULL)
  todo <- list(left = from, right = to)
  largest <- 0
  finest <- 1e-9
  repeat {
    while (length(todo$left)) {
      x <- outer(legendre_rule$x + 1, (todo$right - todo$left) / 2) + rep(todo$left, each = 24L)
      value <- matrix(f(c(x)), 24L)
      coef <- legendre_fit %*% value
      largest <- max(largest, abs(value))
      size <- apply(abs(value), 2L, max)
      rough <- pmax(abs(coef[23L, ]), abs(coef[24L, ])) > 1e-13 * size + floor * largest
      rough <- rough & todo$right - todo$left > finest & sum(rough) < 500L
      done <- join_panels(done, list(left = todo$left[!rough], right = todo$right[!rough],
                                     coef = coef[, !rough, drop = FALSE]))
      todo <- halves(todo$left[rough], todo$right[rough])
    }
    done <- take_panels(done, order(done$left))
    n <- length(done$left)
    gap <- abs(colSums(done$coef)[-n] - colSums(done$coef * (-1)^(0:23))[-1L]) > 1e-9 * largest
    apart <- (c(gap, FALSE) | c(FALSE, gap)) & done$right - done$left > finest
    if (!any(apart) || n > 3000L) return(done)
    todo <- halves(done$left[apart], done$right[apart])
    done <- take_panels(done, !apart)
  }
}

halves <- function(left, right) {
  middle <- (left + right) / 2
  list(left = c(left, middle), right = c(middle, right))
}

take_panels <- function(panels, at)
  list(left = panels$left[at], right = panels$right[at], coef = panels$coef[, at, drop = FALSE])

# The table of a density f of x = log k, from a place where it is not negligible outwards until what lies beyond is.
density_table <- function(f, start = 0, limit = 230, beyond = NULL, floor = 1e-14, lowest = -230, fall = 1) {
  # exp(3 * 230) is still a double; what lies beyond is taken for a power of k
  step <- log(4)
  grow <- function(from, to) {
    edges <- seq(from, to, length.out = 1L + ceiling((to - from) / step))
    resolved_panels(f, edges[-length(edges)], edges[-1L], floor)
  }
  panels <- grow(start - 8 * step, min(start + 8 * step, limit))
  mass <- function() panels$coef[1L, ] * (panels$right - panels$left)
  repeat {
    low <- panels$left[1L]
    if (low < lowest || sum(mass()[panels$left < low + step]) <= 1e-30 * sum(mass())) break
    panels <- join_panels(grow(low - 16 * step, low), panels)
  }
  repeat {
    high <- panels$right[length(panels$right)]
    if (high > limit - 1e-6 || sum(mass()[panels$right > high - 1.5 * step]) <= 1e-19 * sum(mass())) break
    panels <- join_panels(panels, grow(high, min(high + 16 * step, limit)))
  }
  mass <- pmax(mass(), 0)
  panels$fall <- fall <- if (is.null(beyond)) tail_power(panels) else fall
  if (is.null(beyond)) beyond <- if (high > limit - 1e-6 && fall > 0) panel_value(panels, high) / fall else 0
  panels$rise <- -tail_power(panels, panels$left[1L])
  beneath <- if (low < lowest && panels$rise > 0) panel_value(panels, low) / panels$rise else 0
  total <- sum(mass) + beyond + beneath
  panels$coef <- panels$coef / total
  panels$below <- (beneath + c(0, cumsum(mass[-length(mass)]))) / total
  panels$above <- (beyond + rev(c(0, cumsum(rev(mass)[-length(mass)])))) / total
  panels$total <- total
  panels
}

# The function falls like k^-power at an end of its panels.
tail_power <- function(panels, end = panels$right[length(panels$right)]) {
  -panel_value(panels, end, slope = TRUE) / panel_value(panels, end)
}

join_panels <- function(a, b)
  list(left = c(a$left, b$left), right = c(a$right, b$right), coef = cbind(a$coef, b$coef))

radius_table <- function(part, dim) remembered(c("radius", unit_part(part), dim), {
  spectrum <- families[[part$name]]$spectrum
  density <- function(x) sphere_surface(dim) * exp(dim * x) * spectrum(exp(x), unit_part(part), dim)
  compact <- compact_powers[[part$name]]
  if (!is.null(compact)) density_table(density, limit = log(128), beyond = compact_tail(compact, 128, dim))
  else if (part$name == "wendland")
    density_table(density, limit = log(512), beyond = wendland_start(512, part, dim, mass = TRUE),
                  fall = 2 * part$smoothness + 1)
  else if (part$name == "covariance") density_table(density, start = -log(half_distance(part)),
                                                    limit = log(1e3 / half_distance(part)), floor = 3e-11)
  else density_table(density)
})

# The value made for one of the last keys, or made now. A user's function may depend on variables that have changed
# since: what it gives at some places is part of the key.
remembered <- function(key, make) {
  given <- Filter(is.function, key)
  key <- list(Filter(Negate(is.function), key), lapply(given, function(f)
    tryCatch(f(exp(seq(-20, 20, by = 0.25))), error = conditionMessage)))
  for (known in session$remembered)
    if (identical(known$key, key) && all(mapply(is_kept_function, known$given, given))) return(known$value)
  value <- make
  known <- list(key = key, given = lapply(given, keep_function), value = value)
  session$remembered <- utils::head(c(list(known), session$remembered), 16L)
  value
}

# The function of x that the panels hold, and with slope = TRUE its derivative; 0 outside.
panel_value <- function(panels, x, slope = FALSE) {
  coef <- panels$coef
  if (slope) coef <- legendre_slope %*% coef / rep((panels$right - panels$left) / 2, each = nrow(coef))
  .Call(C_panelValues, panels$left, panels$right, coef, as.double(x))
}

# P_n' = sum of (2 j + 1) P_j over j = n - 1, n - 3, ...
legendre_slope <- outer(0:23, 0:23, function(j, n) ifelse(j < n & (n - j) %% 2 == 1, 2 * j + 1, 0))

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
    j <- seq(1, length(powers) - 1, 2)
    algebraic <- drop(outer(1 / k, j, `^`) %*%
      (powers[j + 1] * (-1)^((j + 1) / 2) * 2 / pi * 2^j * gamma((j + 2) / 2)^2 / j))
    r <- 1 + 1i * outer(1 / k, laguerre_rule$x)
    end <- (polynomial(powers, r) * hankel_scaled(k * r, 1)) %*% laguerre_rule$w
    wave <- complex(real = cos(k - 3 * pi / 4), imaginary = sin(k - 3 * pi / 4))
    return(algebraic + Re(1i * wave * drop(end)))
  }
  at0 <- derivatives_at(c(0, powers), 0)
  at1 <- derivatives_at(c(0, powers), 1)
  sum <- 0
  wave <- complex(real = cos(k), imaginary = sin(k))
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

# By bisection in log k: the mass falls without a break, but not at an even pace.
compact_quantile <- function(powers, p, dim) {
  a <- rep(log(100), length(p))
  b <- rep(log(1e19), length(p))
  for (i in 1:60) {
    x <- (a + b) / 2
    more <- compact_tail(powers, exp(x), dim) > p
    a[more] <- x[more]
    b[!more] <- x[!more]
  }
  exp((a + b) / 2)
}

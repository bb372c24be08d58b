# Coordinates of a search in place of several parameters of one model, nearly orthogonal where the parameters are not.
# Such a map is a list: `at`, the numbers of its parameters in cov_parameters(), 0 for what is not searched; `scale`,
# the parameters v with those that the map divides by others; `start`, the coordinates t for given parameters, where
# they are not those of the scaled ones; and `point`, which makes of v and the Jacobian at t of a search without the
# map those with it, j being the columns of t that belong to `at`. `ends` are those of the search, NA for the usual
# ones, `lower` is a bound of the first parameter whatever the others are, and `upper` the number and the bound of
# one. Families bring maps by functions of free(base), the number of a parameter that is searched, or 0, value(base),
# the model m and the dimension in which it has to be valid.

search_map <- function(at, point, scale = function(v) v, start = function(t, given, v, j) t, ...)
  list(at = at, point = point, scale = scale, start = start, ...)

# Range, angle and ratio: the logarithm of a symmetric matrix, of the trace and in the directions of 0 and 45 degrees.
turned_range <- function(free) {
  i <- c(free("range"), free("angle"), free("ratio"))
  if (all(i > 0L)) search_map(i, rugged = TRUE, ends = c(NA, 10, 10), point = function(s, t, j) {
    d <- max(sqrt(sum(t[j[2:3]]^2)), 1e-6)
    u <- t[j[2:3]] / d
    v <- s$v
    v[i] <- c(exp(t[j[1L]] + d), atan2(u[2L], u[1L]) * 90 / pi, exp(-2 * d))
    s$jacobian[j, j] <- rbind(v[i[1L]] * c(1, u), c(0, 90 / pi / d * c(-u[2L], u[1L])), c(0, -2 * v[i[3L]] * u))
    s$v <- v
    s
  }, start = function(t, given, v, j) {
    d <- -log(min(v[i[3L]], 1)) / 2
    turn <- v[i[2L]] * pi / 90
    replace(t, j, c(log(v[i[1L]]) - d, d * cos(turn), d * sin(turn)))
  })
}

# Range times sqrt(8 smoothness), and smoothness (Lindgren, Rue and Lindstrom 2011).
effective_pair <- function(free, value, m, dim) {
  i <- c(free("range"), free("smoothness"))
  factor <- function(nu) switch(m$scaling, plain = sqrt(8 * nu), sqrt2nu = 2, 1)
  if (all(i > 0L)) search_map(i, point = function(s, t, j) {
    by <- factor(s$v[i[2L]])
    s$v[i[1L]] <- s$v[i[1L]] / by
    s$jacobian[j[1L], ] <- s$jacobian[j[1L], ] / by
    if (m$scaling == "plain")
      s$jacobian[j[1L], ] <- s$jacobian[j[1L], ] - s$v[i[1L]] / (2 * s$v[i[2L]]) * s$jacobian[j[2L], ]
    s
  }, scale = function(v) replace(v, i[1L], v[i[1L]] * factor(v[i[2L]])))
}

# Shape less its bound by the smoothness, and the range by both.
compact_pair <- function(free, value, m, dim) {
  least <- (dim + 1) / 2
  i <- c(free("shape"), free("smoothness"), free("range"))
  if (!i[1L] && !i[2L]) return(NULL)
  if (!i[1L]) return(list(upper = c(i[2L], value("shape") - least)))
  smoothness <- function(v) if (i[2L]) v[i[2L]] else value("smoothness")
  search_map(i, lower = least + if (i[2L]) 0 else value("smoothness"), point = function(s, t, j) {
    nu <- smoothness(s$v)
    s$v[i[1L]] <- nu + least + exp(t[j[1L]])
    s$jacobian[j[1L], ] <- 0
    s$jacobian[j[1L], j[1L]] <- exp(t[j[1L]])
    if (i[2L]) s$jacobian[j[1L], ] <- s$jacobian[j[1L], ] + s$jacobian[j[2L], ]
    if (!i[3L]) return(s)
    by <- compact_factor(nu, s$v[i[1L]])
    range <- s$v[i[3L]] <- s$v[i[3L]] * by$factor
    s$jacobian[j[3L], ] <- s$jacobian[j[3L], ] * by$factor + range * by$shape * s$jacobian[j[1L], ]
    if (i[2L]) s$jacobian[j[3L], ] <- s$jacobian[j[3L], ] + range * by$smoothness * s$jacobian[j[2L], ]
    s
  }, scale = function(v) {
    if (i[3L]) v[i[3L]] <- v[i[3L]] / compact_factor(smoothness(v), v[i[1L]])$factor
    v
  }, start = function(t, given, v, j)
    replace(t, j[1L], log(max(given[i[1L]] - smoothness(given) - least, 1e-8))))
}

# A generalised Wendland covariance of this support is like a Matern covariance of smoothness kappa + 1/2 and
# effective range 1 (Bevilacqua, Caamano-Carrillo and Porcu 2022, Journal of Multivariate Analysis 189, 104856); with
# derivatives of its logarithm.
compact_factor <- function(kappa, mu) {
  by <- 1 + 2 * kappa
  log_factor <- (lgamma(mu + by) - lgamma(mu)) / by
  top <- digamma(mu + by)
  list(factor = exp(log_factor) / sqrt(8 * kappa + 4), smoothness = (2 * (top - log_factor) - 1) / by,
       shape = (top - digamma(mu)) / by)
}

# Quadrature for covariances and spectra: everything is vectorised over the points of a rule.

# Nodes and weights by the eigenvalues of the Jacobi matrix (Golub and Welsch 1969).
golub_welsch <- function(diagonal, off, mass) {
  n <- length(diagonal)
  jacobi <- diag(diagonal, n)
  jacobi[cbind(2:n, 1:(n - 1L))] <- jacobi[cbind(1:(n - 1L), 2:n)] <- off
  e <- eigen(jacobi, symmetric = TRUE)
  at <- order(e$values)
  list(x = e$values[at], w = mass * e$vectors[1L, at]^2)
}

# P_j(x) in column j + 1.
legendre_values <- function(x, n) {
  p <- matrix(1, length(x), n + 1L)
  if (n > 0L) p[, 2L] <- x
  for (j in seq_len(n - 1L)) p[, j + 2L] <- ((2 * j + 1) * x * p[, j + 1L] - j * p[, j]) / (j + 1)
  p
}

# Eigenvectors lose digits of the weights 2/sum (2 j + 1) P_j(x)^2, and so does the rounding of x, which another step
# of Newton's method tells.
legendre_rule <- local({
  step <- function(x) {
    p <- legendre_values(x, 24L)
    p[, 25L] * (1 - x^2) / (24 * (p[, 24L] - x * p[, 25L]))
  }
  k <- 1:23
  x <- golub_welsch(numeric(24L), k / sqrt(4 * k^2 - 1), 2)$x
  x <- x - step(x)
  sums <- drop(legendre_values(x, 23L)^2 %*% (2 * (0:23) + 1))
  list(x = x, w = (2 + 4 * x / (1 - x^2) * step(x)) / sums)
})
# For the weight x^a exp(-x) of integral 1.
laguerre <- function(a) golub_welsch(2 * (1:40) - 1 + a, sqrt(1:39 * (1:39 + a)), 1)
laguerre_rule <- laguerre(0)

# Nodes and weights of panels between neighbouring edges.
panel_rule <- function(edges) lapply(panel_nodes(edges[-length(edges)], edges[-1L]), c)

# The same of any panels, one in each column.
panel_nodes <- function(left, right) {
  half <- (right - left) / 2
  list(x = outer(legendre_rule$x, half) + rep(right - half, each = 24L), w = outer(legendre_rule$w, half))
}

# Panels in pieces of at most 12 radians of waves of h radians per length, and which panel each is of.
wave_pieces <- function(left, right, h) {
  pieces <- pmax(1, ceiling((right - left) * h / 12))
  width <- rep((right - left) / pieces, pieces)
  left <- rep(left, pieces) + sequence(pieces, 0L) * width
  list(left = left, right = left + width, of = rep(seq_along(pieces), pieces))
}

# Sums over the nodes for each element of r, in pieces of at most a million values.
sum_nodes <- function(f, r, nodes) {
  value <- numeric(length(r))
  size <- max(1L, 1000000L %/% max(1L, length(nodes$x)))
  for (first in seq(1L, by = size, length.out = ceiling(length(r) / size))) {
    at <- first:min(first + size - 1L, length(r))
    value[at] <- colSums(nodes$w * matrix(f(rep(r[at], each = length(nodes$x)), nodes$x), length(nodes$x)))
  }
  value
}

# Values of f at the distinct ones of x that are finite; NA elsewhere.
at_distinct <- function(x, f) {
  value <- rep(NA_real_, length(x))
  good <- !is.na(x)
  points <- unique(x[good])
  if (length(points)) value[good] <- f(points)[match(x[good], points)]
  value
}

# ---- functions of log k as sums of Legendre polynomials on panels ----

sphere_surface <- function(dim) c(2, 2 * pi, 4 * pi)[dim]

# Legendre coefficients of a function from its values at the nodes.
legendre_fit <- t(legendre_values(legendre_rule$x, 23L) * legendre_rule$w) * (2 * (0:23) + 1) / 2

# Panels of the intervals from..to on which f, a function of logarithms, is resolved; halved where it is not, and
# where neighbours do not meet: a jump next to an edge may be between two nodes of a panel. `floor` is a share of the
# largest value, or of `largest` if that is known.
resolved_panels <- function(f, from, to, floor = 1e-14, largest = 0) {
  done <- list(left = NULL, right = NULL, coef = NULL)
  todo <- list(left = from, right = to)
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

# The function of x that the panels hold, and with slope = TRUE its derivative; 0 outside.
panel_value <- function(panels, x, slope = FALSE) {
  coef <- panels$coef
  if (slope) coef <- legendre_slope %*% coef / rep((panels$right - panels$left) / 2, each = nrow(coef))
  .Call(C_panelValues, panels$left, panels$right, coef, as.double(x))
}

# P_n' = sum of (2 j + 1) P_j over j = n - 1, n - 3, ...
legendre_slope <- outer(0:23, 0:23, function(j, n) ifelse(j < n & (n - j) %% 2 == 1, 2 * j + 1, 0))

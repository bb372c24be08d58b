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

legendre_rule <- local({
  k <- 1:23
  golub_welsch(numeric(24L), k / sqrt(4 * k^2 - 1), 2)
})
laguerre_rule <- golub_welsch(2 * (1:40) - 1, 1:39, 1)

# Nodes and weights of panels between neighbouring edges.
panel_rule <- function(edges) lapply(panel_nodes(edges[-length(edges)], edges[-1L]), c)

# The same of any panels, one in each column.
panel_nodes <- function(left, right) {
  half <- (right - left) / 2
  list(x = outer(legendre_rule$x, half) + rep(right - half, each = 24L), w = outer(legendre_rule$w, half))
}

# Sums over the nodes for each element of r, in pieces of at most a million values.
sum_nodes <- function(f, r, nodes) {
  value <- numeric(length(r))
  size <- max(1L, as.integer(1e6 / length(nodes$x)))
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

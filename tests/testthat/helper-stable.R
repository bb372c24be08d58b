# Tail probabilities of a standard stable distribution (pm = 0) from integrals of dstable(): 8-point Gauss-Legendre
# panels in u, x = centre + side * exp(u). Each tail is summed from its far end, so that small probabilities keep
# their digits.
stable_tails <- function(alpha, beta, panel = 0.125) {
  centre <- if (alpha < 0.8) -beta * tan(pi * alpha / 2) else 0
  edge <- seq(-45, 45 / alpha, by = panel)
  node <- c(0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363)
  weight <- c(0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763)
  u <- outer(panel / 2 * c(-rev(node), node), edge[-1] - panel / 2, `+`)
  side <- function(sign) {
    value <- dstable(centre + sign * exp(u), alpha, beta) * exp(u)
    mass <- colSums(panel / 2 * c(rev(weight), weight) * value)
    list(x = centre + sign * exp(edge), p = c(rev(cumsum(rev(mass))), 0),
         slope = -dstable(centre + sign * exp(edge), alpha, beta) * exp(edge))
  }
  list(centre = centre, edge = edge, lower = side(-1), upper = side(1))
}

# Distribution function, interpolated in u between the panel edges.
stable_cdf <- function(tails) {
  tail_of <- function(side) stats::splinefunH(tails$edge, side$p, side$slope)
  lower <- tail_of(tails$lower)
  upper <- tail_of(tails$upper)
  function(x) {
    u <- pmin(pmax(log(abs(x - tails$centre)), tails$edge[1]), max(tails$edge))
    pmin(pmax(ifelse(x < tails$centre, lower(u), 1 - upper(u)), 0), 1)
  }
}

# Counts beyond the panel edges whose tail probability is nearest to each p, as standard normal deviates.
tail_deviates <- function(draws, side, p, sign) {
  at <- unique(vapply(p, function(q) which.min(abs(log(pmax(side$p, 1e-300) / q))), 1L))
  at <- at[side$p[at] > min(p) / 2 & side$p[at] < 0.5]
  expected <- length(draws) * side$p[at]
  observed <- vapply(side$x[at], function(x) sum(sign * draws > sign * x), 1)
  (observed - expected) / sqrt(expected * (1 - side$p[at]))
}

# Arguments of the calls of a kind of graphics, such as C_text, that code makes on one page.
drawn <- function(kind, code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  grDevices::dev.control("enable")
  force(code)
  calls <- lapply(grDevices::recordPlot()[[1L]], `[[`, 2L)
  calls[vapply(calls, function(call) identical(call[[1L]]$name, kind), TRUE)]
}

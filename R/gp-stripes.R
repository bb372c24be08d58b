# Stripes, across which alone a field varies: few points suit many directions, most of them narrow ones, which are
# found by a likelihood that costs little, that of an exponential covariance across the stripes.

# Choices of a grid: wide ones in all directions at equal steps, narrow ones in the best. Their widths are multiples
# of the distance to the nearest neighbour, and they are as long as the longest of the grid, or have a `given` ratio.
grid_stripes <- function(grid, p, s, given) {
  near <- s$scales$space[1L]
  size <- findInterval(nrow(p$xy), c(60, 120, 240)) + 1L
  of <- expand.grid(angle = seq(-90, 90, c(0.5, 2, 5, 7.5)[size])[-1L],
                    width = c(if (size < 2L) 0.1, if (size < 3L) 0.3, 0.8, 2) * near)
  best <- if (p$metric$kind == "euclidean" && ncol(p$xy) == 2L)
    best_stripes(p$xy, s, c(0.02, 0.06, 0.2, 0.6) * near, c(40L, 16L, 8L, 8L)[size])
  narrow <- NROW(best)
  of <- rbind(best, of)
  across <- of$width / s$scales$space[2L]
  choices <- data.frame(length = if (length(given)) across / given else max(grid$length), angle = of$angle)
  choices$ratio <- across / choices$length
  smooth <- unique(range(grid$smoothness))
  choices$stripe <- c(seq_len(narrow), integer(nrow(of) - narrow)) # each may be a peak
  cbind(choices[rep(seq_len(nrow(choices)), length(smooth)), ], smoothness = rep(smooth, each = nrow(choices)),
        axis = 0, late = 1)
}

# Directions, in degrees, and widths of the highest likelihoods of stripes, some for each width, and not two for the
# same direction: of all directions at equal steps, and of those from one point to another whose residuals are nearly
# the same.
best_stripes <- function(xy, s, widths, most) {
  y <- s$about$data$y
  X <- s$about$data$X
  if (!is.null(X)) y <- stats::lm.fit(X, y)$residuals
  pair <- pairs_of_points(length(y))
  pair <- pair[order(abs(y[pair[, 1L]] - y[pair[, 2L]])), , drop = FALSE]
  turns <- c(seq(-90, 90, 1)[-1L], utils::head(pair_directions(xy, pair), 1000L))
  value <- stripe_values(xy, y, turns * pi / 180, widths)
  chosen <- matrix(0L, 0L, 2L)
  for (at in order(-value)) {
    i <- (at - 1L) %% length(turns) + 1L
    k <- (at - 1L) %/% length(turns) + 1L
    between <- abs((turns[i] - turns[chosen[, 1L]] + 90) %% 180 - 90) * pi / 180
    if (sum(chosen[, 2L] == k) < most && all(between > 0.5 * widths[k] / s$scales$space[2L]))
      chosen <- rbind(chosen, c(i, k))
    if (nrow(chosen) == most * length(widths)) break
  }
  data.frame(angle = turns[chosen[, 1L]], width = widths[chosen[, 2L]])
}

# For each direction and width the log likelihood, the highest for some shares of the nugget, with mean and variance
# profiled out: along one line a field of exponential covariance is an autoregression, which Kalman's filter takes
# from one point to the next, for all directions at a time (Hartikainen and Sarkka 2010).
stripe_values <- function(xy, y, turns, widths, shares = c(1e-4, 0.2)) {
  n <- length(y)
  at <- outer(cos(turns), xy[, 2L]) - outer(sin(turns), xy[, 1L]) # a row for each direction
  by <- matrix(order(row(at), at), n) # a column for each
  by <- (by - 1L) %/% length(turns) + 1L
  at <- matrix(at[cbind(rep(seq_along(turns), each = n), c(by))], n)
  lanes <- expand.grid(turn = seq_along(turns), width = seq_along(widths), share = shares)
  share <- lanes$share
  variance <- 1 - share
  known <- variance # of the field, given the points before; and its mean there, by y and by 1
  y_mean <- one_mean <- log_det <- yy <- y1 <- one <- numeric(nrow(lanes))
  for (k in seq_len(n)) {
    if (k > 1L) {
      rho <- exp(outer(-2 * (at[k, ] - at[k - 1L, ]), 1 / widths))
      rho <- rep(c(rho), length(shares))
      y_mean <- rho * y_mean
      one_mean <- rho * one_mean
      known <- variance + rho^2 * (known - variance)
    }
    total <- known + share
    weight <- 1 / total
    miss <- y[by[k, ]] - y_mean
    rest <- 1 - one_mean
    log_det <- log_det + log(total)
    yy <- yy + miss^2 * weight
    y1 <- y1 + miss * rest * weight
    one <- one + rest^2 * weight
    gain <- known * weight
    y_mean <- y_mean + gain * miss
    one_mean <- one_mean + gain * rest
    known <- known * share * weight
  }
  value <- -(n * log(pmax(yy - y1^2 / one, 0)) + log_det) / 2
  matrix(do.call(pmax, split(value, lanes$share)), length(turns))
}

# All pairs of n points, a row with their numbers each, and the differences of their coordinates in the plane.
pairs_of_points <- function(n) which(upper.tri(diag(n)), arr.ind = TRUE)
pairs_apart <- function(xy, pair) xy[pair[, 1L], 1:2, drop = FALSE] - xy[pair[, 2L], 1:2, drop = FALSE]

# Directions from one point of each pair to the other, in degrees from -90 to 90, without pairs at one place.
pair_directions <- function(xy, pair = pairs_of_points(nrow(xy))) {
  apart <- pairs_apart(xy, pair)
  apart <- apart[rowSums(apart^2) > 0, , drop = FALSE]
  (atan2(apart[, 2L], apart[, 1L]) * 180 / pi + 90) %% 180 - 90
}

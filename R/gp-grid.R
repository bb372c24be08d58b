# The likelihood of small data on a grid of parameters, which costs little: where a search begins, and whether another
# maximum is higher than the one that it found.

# Up to so many observations values of the likelihood are cheap enough for a grid.
most_on_grid <- 500L

# Values for the parameters `unknown` of the problem p: a matrix `value` with a row for each of the `choices`, whose
# parameters are in the list `first`, and a column for each division of the variance into `parts`. along(lines,
# factor, nugget) gives the values at these, a column for each line, with all variances times each factor, and each
# nugget.
gp_grid <- function(p, s, unknown, along) {
  wanted <- s$rows[s$rows$name %in% unknown, ]
  choices <- grid_choices(p, wanted, s)
  first <- grid_lines(p, s, wanted, choices)
  known <- !duplicated(first)
  parts <- variance_parts(s, wanted, first[[1L]])
  grid <- list(choices = choices[known, ], first = first[known], parts = parts, rows = s$rows, wanted = wanted$name)
  dear <- if (any(choices$angle != choices$angle[1L])) findInterval(nrow(p$xy), c(60, 120)) else 0
  grid$value <- grid_values(grid$first, parts, along, dear)
  grid
}

# Of eight shares of the nugget three are tried first, and the others unless the best of these is far below the best
# of all: a start is one that is at most 10 below. In many directions values are `dear`: from 1 on only the shares
# beside the best of the three are tried, and from 2 on the first and last of the three only for choices that are in
# the better half by the other one.
grid_values <- function(first, parts, along, dear = 0, far = if (dear) 15 else 20) {
  value <- matrix(-Inf, length(first), length(parts$factor))
  fill <- function(lines, columns) if (length(lines)) {
    found <- along(first[lines], parts$factor[columns], parts$nugget[columns])
    found[is.nan(found)] <- -Inf
    value[lines, columns] <<- t(found)
  }
  if (length(parts$share) != 8L) fill(seq_along(first), seq_along(parts$factor))
  else {
    beside <- list("1" = 2L, "4" = c(3L, 5L), "6" = c(5L, 7L, 8L))
    fill(seq_along(first), 4L)
    ahead <- if (dear > 1) which(value[, 4L] >= stats::median(value[, 4L])) else seq_along(first)
    fill(ahead, c(1L, 6L))
    best <- apply(value, 1L, max)
    near <- best > max(best) - far
    if (dear) for (k in names(beside)) fill(which(near & value[, as.integer(k)] == best), beside[[k]])
    else fill(which(near), sort(unique(unlist(beside))))
  }
  value
}

# The parameters of each choice, with half of the variance for the nugget.
grid_lines <- function(p, s, wanted, choices) {
  own <- s$rows$name %in% wanted$name
  length <- which(own & s$rows$kind == "length")
  angle <- which(own & s$rows$kind == "angle")
  ratio <- which(own & s$rows$kind == "ratio")
  kind <- do.call(paste, choices[c("smoothness", "axis", "late")])
  of_kind <- lapply(split(choices, kind), function(like) # lengths are multiples of those of the first
    start_of(p, s$rows, wanted$name, c(like[1L, ], list(nugget = 0.5, least = FALSE)), s$scales) /
      ifelse(seq_along(own) %in% length, like$length[1L], 1))
  Map(function(k, times, turn, across) {
    v <- of_kind[[k]]
    v[length] <- pmin(v[length] * times, 0.95 * s$rows$upper[length])
    v[angle] <- turn
    v[ratio] <- across
    v
  }, kind, choices$length, choices$angle, choices$ratio, USE.NAMES = FALSE)
}

# Lengths go from a tenth of the shortest distance to ten times the longest one, as shares of that. Covariances of
# compact support have many maxima, one beside the other.
grid_choices <- function(p, wanted, s) {
  scales <- s$scales
  free <- function(...) any(c(...) %in% wanted$base)
  turned <- free("angle", "ratio")
  shaped <- free("smoothness", "shape")
  ends <- log(c(0.1 * scales$least / scales$space[2L], 10))
  size <- findInterval(nrow(p$xy), c(60, 120, 240)) + 1
  step <- if (!any_compact(p$parts)) (if (turned) c(0.8, 1, 1.2, 0.6) else c(0.12, 0.12, 0.25, 0.5))[size]
          else (if (turned) c(0.2, 0.25, 0.4, 0.3) else c(0.05, 0.05, 0.1, 0.1))[size]
  most <- if (any_compact(p$parts)) 240 else 120
  axes <- sum(wanted$base == "scales")
  grid <- expand.grid(
    length = exp(seq(ends[1L], ends[2L], length.out = min(ceiling(diff(ends) / step), most) + 1)),
    angle = if (free("angle")) seq(-90, 90, if (size > 2) 45 else 15)[-1L] else 0,
    ratio = if (free("ratio")) c(0.9, 0.5, 0.25, 0.1) else if (free("angle")) 0.4 else 1,
    smoothness = if (!shaped) 0.5 else if (turned) c(0.5, 2, 8) else c(0.25, 0.5, 1.5, 4),
    axis = if (axes > 1L) 0:axes else 0,
    late = if (any(wanted$inside == "time" & wanted$kind == "length")) c(0.2, 1, 5) else 1)
  # directions are seen by ranges among the distances of the data
  seen <- grid$length > 0.5 * scales$space[1L] / scales$space[2L] & grid$length < 3
  grid <- grid[if (free("ratio")) grid$ratio >= 0.9 | seen else TRUE, ]
  grid <- grid[grid$ratio < 0.9 | grid$angle == grid$angle[1L], ]
  if (!any(wanted$kind == "length")) grid <- grid[grid$length == grid$length[1L], ]
  grid <- cbind(grid, stripe = 0L)
  given <- if (!free("ratio")) s$rows$value[s$rows$base == "ratio"]
  striped <- all(c("range", "angle") %in% wanted$base) && (is.null(given) || length(given) == 1L && given < 0.05)
  if (striped) rbind(grid, grid_stripes(grid, p, s, given)) else grid
}

# By what the variances of a start are multiplied, and the nuggets beside them, of which one is nearly none.
variance_parts <- function(s, wanted, v) {
  scaled <- s$reference > 0
  total <- s$scales$variance
  share <- c(1e-4, 0.01, 0.05, 0.15, 0.35, 0.65, 0.9, 0.99)
  level <- if (scaled) 1 else c(0.3, 1, 3)
  known <- sum(v[s$rows$parameter == "nugget"])
  free <- c("variance", "nugget") %in% wanted$parameter
  if (all(free)) {
    both <- expand.grid(share = share, level = level)
    list(factor = 2 * (1 - both$share) * both$level, nugget = total * both$share * both$level, share = both$share)
  } else if (free[1L] && !scaled) list(factor = c(0.05, 0.2, 0.6, 2, 6), nugget = rep(known, 5L))
  else if (free[2L]) list(factor = rep(1, length(share)), nugget = total * share / (1 - share))
  else list(factor = 1, nugget = known)
}

# All parameters at a point of the grid, the number of an element of its values.
grid_point <- function(grid, at) {
  v <- grid$first[[(at - 1L) %% nrow(grid$value) + 1L]]
  k <- (at - 1L) %/% nrow(grid$value) + 1L
  own <- grid$rows$name %in% grid$wanted
  variance <- own & grid$rows$parameter == "variance"
  v[variance] <- v[variance] * grid$parts$factor[k]
  nugget <- own & grid$rows$parameter == "nugget"
  v[nugget] <- grid$parts$nugget[k] / max(sum(nugget), 1)
  v
}

# Its peaks, the highest first: points that no neighbour in length, angle and in the division of the variance exceeds,
# all else being the same. Of equal ones the first is taken.
grid_peaks <- function(grid, most = if (length(unique(grid$choices$angle)) > 1L) 30L else 12L, least = 10) {
  other <- do.call(paste, grid$choices[setdiff(names(grid$choices), c("length", "angle"))])
  rank <- function(v) stats::ave(v, other, FUN = function(v) match(v, sort(unique(v)))) # among what is alike
  long <- rank(grid$choices$length)
  turn <- rank(grid$choices$angle)
  turns <- stats::ave(turn, other, FUN = max)
  place <- function(i, move) paste(other[i], long[i] + move[1L], (turn[i] + move[2L] - 1) %% turns[i] + 1)
  own <- place(seq_along(other), c(0L, 0L))
  k <- ncol(grid$value)
  top <- is.finite(grid$value)
  for (a in -1:1) for (t in if (max(turns) > 1) -1:1 else 0L) {
    beside <- match(place(seq_along(other), c(a, t)), own)
    around <- cbind(-Inf, grid$value[beside, , drop = FALSE], -Inf)
    around[is.na(around)] <- -Inf
    around[beside %in% seq_along(other) & beside == seq_along(other) & (a != 0L || t != 0L), ] <- -Inf
    for (b in 0:2) if (a != 0L || t != 0L || b != 1L) {
      value <- around[, b + seq_len(k), drop = FALSE]
      top <- top & (grid$value > value | grid$value == value & (a > 0L | a == 0L & (t > 0L | t == 0L & b > 1L)))
    }
  }
  of_line <- grid$choices$stripe > 0L # one peak for each direction
  top[of_line, ] <- top[of_line, ] & grid$value[of_line, ] == apply(grid$value[of_line, , drop = FALSE], 1L, max)
  peaks <- which(top)
  value <- grid$value[peaks]
  peaks <- peaks[order(-value)]
  peaks <- peaks[grid$value[peaks] > max(value) - least]
  lapply(utils::head(peaks, most), grid_point, grid = grid)
}

# The best point at each length: all that are above `least`, and some of the others.
grid_profile <- function(grid, least) {
  lengths <- unique(grid$choices$length)
  if (length(lengths) < 2L) return(NULL)
  best <- vapply(lengths, function(l) {
    i <- which(grid$choices$length == l)
    at <- which.max(grid$value[i, , drop = FALSE])
    i[(at - 1L) %% length(i) + 1L] + (at - 1L) %/% length(i) * nrow(grid$value)
  }, 0)
  some <- ceiling(seq(1, length(best), length.out = min(length(best), 15L)))
  keep <- sort(union(some, which(grid$value[best] > least)))
  lapply(best[keep], function(at) list(v = grid_point(grid, at), value = grid$value[at]))
}

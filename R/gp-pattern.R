# From starts on stripes to higher points near them, by values alone, many at a time: the likelihood of few points on
# narrow stripes has cusps and many maxima, which are nearer to each other than the first step of a climb.

# Up to so many observations values for all starts cost less than the steps of climbs.
most_in_pattern <- 120L

# NULL where there is no such search: of more observations, of other models than one that is anisotropic in the plane,
# or where values at parameters v are not made in one call. Else the number of starts, the first `steps`, and by how
# much a search may be below the highest in each round, which are less for more than `few` observations, where the
# cost of values tells.
pattern_effort <- function(lik, s, v, few = 60L) {
  at <- pattern_columns(s)
  none <- length(at$range) != 1L || length(at$angle) != 1L || sum(s$rows$base == "ratio") != 1L ||
    nrow(s$about$problem$xy) > most_in_pattern || isTRUE(s$scales$penalty) ||
    is.null(tryCatch(lik$values(rbind(v)), statcl_error_input = function(e) NULL))
  if (none) return(NULL)
  if (nrow(s$about$problem$xy) > few) list(starts = 20L, steps = 0.5, far = c(6, 4, rep(3, 10)))
  else list(starts = 160L, steps = c(0.5, 0.15), far = c(8, 6, 5, rep(4, 9)))
}

# Where compass searches (Kolda, Lewis and Torczon 2003, section 1.1) from each start end: those that are at most
# `within` below the highest, and of several at one place one. Starts that fall behind are left on the way. Near a
# spike the nugget keeps a share of at least `wall`, as searches that may come near are drawn to one from afar.
pattern_ends <- function(starts, lik, search, within = 3, wall = 0.05) {
  s <- search$space
  if (length(starts) < 2L) return(NULL)
  value_of <- function(v) {
    value <- tryCatch(lik$values(v, s$reference > 0), statcl_error_input = function(e) NULL)
    if (is.null(value)) return(rep(-Inf, nrow(v)))
    value[!is.finite(value)] <- -Inf
    if (search$spikes) value[search$spiked(v, wall)] <- -Inf
    value
  }
  v <- do.call(rbind, starts)
  sill <- s$rows$kind == "sill"
  if (s$reference) v[, sill] <- v[, sill] / v[, s$reference]
  at <- pattern_columns(s)
  free <- c(width = length(at$ratio) > 0L, length = TRUE, turn = TRUE, sill = rep(TRUE, length(at$sill)))
  step <- function(size)
    matrix(ifelse(names(free) %in% c("width", "turn"), size, 1) * free, nrow(v), length(free), byrow = TRUE)
  effort <- search$pattern
  copies <- rep(seq_len(nrow(v)), length(effort$steps))
  now <- list(v = v[copies, , drop = FALSE], value = value_of(v)[copies],
              step = do.call(rbind, lapply(effort$steps, step)))
  for (far in c(if (!s$reference) c(30, 15), effort$far)) { # a variance may be far off at first
    ahead <- now$value > max(now$value) - far & apply(now$step, 1L, max) > 0.05
    if (!any(ahead) || search$interrupted()) break
    some <- lapply(now, function(x) if (is.matrix(x)) x[ahead, , drop = FALSE] else x[ahead])
    some <- pattern_moved(some, at, s, value_of)
    now$v[ahead, ] <- some$v
    now$value[ahead] <- some$value
    now$step[ahead, ] <- some$step
  }
  ends <- lapply(which(is.finite(now$value)), function(i) list(v = now$v[i, ], value = now$value[i]))
  if (length(ends)) best_apart(ends, within, s)
}

# What such a search moves, of one anisotropic model of the plane alone.
pattern_columns <- function(s) {
  of <- function(...) s$at[s$rows$base[s$at] %in% c(...)]
  list(range = of("range"), ratio = of("ratio"), angle = of("angle"), sill = s$at[s$rows$kind[s$at] == "sill"])
}

# By the best of the steps in one coordinate or by those in all coordinates that help at a time; the steps of those
# that do not help become shorter.
pattern_moved <- function(now, at, s, value_of) {
  many <- ncol(now$step)
  moves <- expand.grid(start = seq_along(now$value), coordinate = seq_len(many), sign = c(-1, 1))
  moves <- moves[now$step[as.matrix(moves[1:2])] > 0, ]
  by <- matrix(0, nrow(moves), many)
  by[cbind(seq_len(nrow(by)), moves$coordinate)] <- moves$sign * now$step[as.matrix(moves[1:2])]
  moved <- pattern_move(now$v[moves$start, , drop = FALSE], by, at, s)
  value <- value_of(moved)
  gain <- value - now$value[moves$start]
  gains <- which(gain > 0) # not where both are infinite
  gains <- gains[order(gain[gains])] # the best last
  all <- matrix(0, length(now$value), many)
  for (i in gains) all[moves$start[i], moves$coordinate[i]] <- by[i, moves$coordinate[i]]
  new <- list(v = pattern_move(now$v, all, at, s), step = now$step * ifelse(all != 0, 1.3, 0.5))
  new$value <- value_of(new$v)
  for (i in gains) if (value[i] > new$value[moves$start[i]]) {
    new$v[moves$start[i], ] <- moved[i, ]
    new$value[moves$start[i]] <- value[i]
  }
  still <- !new$value > now$value
  new$v[still, ] <- now$v[still, ]
  new$value[still] <- now$value[still]
  new
}

# Parameters moved by logarithms of width and length, by angles in shares of width over longest distance, and by
# logarithms of nugget or variance.
pattern_move <- function(v, by, at, s) {
  longest <- s$scales$space[2L]
  width <- v[, at$range] * v[, s$rows$base == "ratio"]
  v[, at$angle] <- (v[, at$angle] + by[, 3L] * pmin(width / longest, 1) * 180 / pi + 90) %% 180 - 90
  v[, at$range] <- pmin(v[, at$range] * exp(by[, 2L]), 1e5 * longest)
  if (length(at$ratio)) v[, at$ratio] <- pmin(width * exp(by[, 1L]) / v[, at$range], 1)
  least <- 1e-6 * if (s$reference) 1 else s$scales$variance
  v[, at$sill] <- pmax(v[, at$sill], least) * exp(by[, -(1:3), drop = FALSE])
  v
}

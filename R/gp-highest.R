# The highest maximum of the likelihood of small data, and the second one.

# As gp_find() has it: by climbs from the peaks of a grid, from where the search is asked to begin, and from points of
# the profile of each range that are higher than what was found; NULL, where values are dear.
highest_maximum <- function(lik, task, search) {
  s <- search$space
  grid <- if (length(s$at)) lik$grid(s, task$searched)
  if (is.null(grid) || !any(is.finite(grid$value))) return(NULL)
  search <- off_spikes(search)
  search$pattern <- pattern_effort(lik, s, grid$first[[1L]])
  grid <- without_spikes(grid, search)
  starts <- c(if (is.null(search$pattern)) grid_peaks(grid) else grid_peaks(grid, search$pattern$starts),
              if (!setequal(task$unknown, task$searched)) lik$starts(s, task$unknown))
  climbs <- climbs_from(starts, lik, search)
  found <- highest_of(climbs, grid, lik, search)
  lost <- function(found) !found$converged && is_striped(found$v, s)
  if (search$spikes && (is.null(found) || lost(found$best)) && !search$interrupted()) {
    plain <- grid
    plain$value[vapply(grid$first, is_striped, NA, s), ] <- -Inf
    search$pattern <- NULL # searches by values may come to a spike again
    if (any(is.finite(plain$value))) climbs <- c(climbs, climbs_from(grid_peaks(plain), lik, search))
    again <- highest_of(Filter(Negate(lost), climbs), grid, lik, search)
    if (is.null(found) || isTRUE(again$best$converged)) found <- again
  }
  found
}

# The highest of the ends of climbs, or of those that are higher elsewhere; NULL, where none is finite.
highest_of <- function(climbs, grid, lik, search) {
  value <- function() vapply(climbs, `[[`, 0, "value")
  if (!length(climbs) || !any(is.finite(value()))) return(NULL)
  for (more in 1:5) {
    best <- climbs[[which.max(value())]]
    other <- if (!search$interrupted()) higher_elsewhere(best, grid, lik, search)
    if (is.null(other) && !search$interrupted()) other <- higher_beside(best, lik, search)
    if (is.null(other) && !search$interrupted()) other <- higher_across(best, lik, search)
    if (is.null(other)) break
    climbs <- c(climbs, list(other))
  }
  if (!search$interrupted()) {
    best <- at_cusp(further(best, search$climb(off_bounds(best$v, search$space), lik)), lik, search)
    best <- without_correlation(at_infinity(best, lik, search), lik, search)
  }
  list(best = best, lik = lik, second = second_maximum(best, climbs, lik, search$space))
}

# Where a field varies across narrow stripes alone and has no nugget, two points on one stripe have the same value: if
# their responses are equal, or the coefficients can make them so, the likelihood grows without bound as the angle
# comes to the direction from one to the other. That is no maximum: climbs there find nothing. Times are no place on a
# stripe.
off_spikes <- function(search) {
  s <- search$space
  search$spikes <- FALSE
  p <- s$about$problem
  if (!"angle" %in% s$rows$kind[s$at] || length(p$parts) > 1L || has_time(p$parts) || any(p$error > 0)) return(search)
  ties <- tied_pairs(s$about)
  if (!length(ties$across)) return(search)
  search$spikes <- TRUE
  search$spiked <- function(v, least) apply(v, 1L, on_spike, s, ties, least)
  climb <- search$climb
  search$climb <- function(...) {
    found <- climb(...)
    if (on_spike(found$v, s, ties)) found[c("value", "converged")] <- list(-Inf, FALSE)
    found
  }
  search
}

# Pairs of points whose residuals may be equal, by the differences of their coordinates: by maximum likelihood some
# coefficients make them so, which the restricted likelihood takes into account.
tied_pairs <- function(about) {
  y <- about$data$y
  X <- about$data$X
  pair <- pairs_of_points(length(y))
  same <- abs(y[pair[, 1L]] - y[pair[, 2L]]) <= 1e-10 * max(abs(y))
  if (!is.null(X)) {
    alike <- rowSums(abs(X[pair[, 1L], , drop = FALSE] - X[pair[, 2L], , drop = FALSE])) == 0
    same <- if (about$estimator == "REML") same & alike else same | !alike
  }
  apart <- pairs_apart(about$problem$xy, pair[same, , drop = FALSE])
  apart <- apart[rowSums(apart^2) > 0, , drop = FALSE] # those of one place are on one stripe, whatever the angle
  list(along = apart[, 1L], across = apart[, 2L])
}

# A grid without points on the way to one, whose value would hide others of the same direction.
without_spikes <- function(grid, search) {
  if (search$spikes) for (at in which(is.finite(grid$value) & grid$choices$stripe > 0L))
    if (search$spiked(rbind(grid_point(grid, at)), 0.01)) grid$value[at] <- -Inf
  grid
}

# Is v where one is, or on the way?
on_spike <- function(v, s, ties, least = 0.01) {
  value <- function(base) v[s$rows$base == base][1L]
  width <- value("range") * value("ratio")
  sill <- s$rows$kind == "sill"
  if (!is_striped(v, s) || sum(v[s$rows$parameter == "nugget"]) > least * sum(v[sill])) return(FALSE)
  turn <- value("angle") * pi / 180
  apart <- abs(ties$across * cos(turn) - ties$along * sin(turn))
  distance <- sqrt(ties$along^2 + ties$across^2)
  near <- 1e-3 * s$scales$space[1L] # of wide stripes
  any(apart < 0.3 * width & distance > width, apart < near & distance * value("ratio") < near)
}

# Does a field vary across narrow stripes alone? Of several models, that of the rows `own`.
is_striped <- function(v, s, own = TRUE) {
  value <- function(base) v[own & s$rows$base == base][1L]
  isTRUE(value("ratio") < 0.01 && value("range") > s$scales$space[2L])
}

# The ends of climbs from many starts: of short ones at first, and of longer ones from the best of these, all within 2
# of the highest, for second_maximum().
# A climb to a maximum where another one has ended stops on the way, but not where a covariance of compact support has
# one maximum beside the other.
climbs_from <- function(starts, lik, search, few = 6L) {
  seen <- list()
  rugged <- any_compact(search$space$about$problem$parts)
  climb <- function(...) {
    found <- search$climb(..., lik, seen = seen)
    if (found$converged && !rugged) seen <<- c(seen, list(found[c("at", "t", "value")]))
    found
  }
  better <- if (!is.null(search$pattern)) pattern_ends(starts, lik, search)
  if (length(better)) starts <- better
  for (within in if (length(better)) 2 else c(3, 2)) if (length(starts) > few) {
    climbs <- list()
    least <- -Inf
    for (v in starts) {
      found <- climb(v, tolerance = 0.01, maxit = 8, wanted = least - within)
      if (!found$repeated) climbs <- c(climbs, list(found))
      if (search$interrupted()) return(climbs)
      least <- max(least, found$value)
    }
    starts <- best_apart(climbs, within, search$space)
    seen <- list()
  }
  climbs <- list()
  for (v in utils::head(starts, 12L)) {
    least <- if (length(climbs) < 3L) -Inf else max(vapply(climbs, `[[`, 0, "value")) - 2
    found <- climb(v, tolerance = 1e-6, wanted = least)
    if (!found$repeated) climbs <- c(climbs, list(found))
    if (search$interrupted()) break
  }
  climbs
}

# Where the climbs ended, the highest first, that are not far below, and not where another one has been.
best_apart <- function(climbs, within, s) {
  value <- vapply(climbs, `[[`, 0, "value")
  climbs <- climbs[order(-value)][seq_len(sum(value >= max(value) - within))]
  place <- do.call(rbind, lapply(climbs, function(c) search_place(c$v, s)))
  near <- as.matrix(stats::dist(place, "maximum")) < 0.05
  near[upper.tri(near, TRUE)] <- FALSE
  lapply(climbs[!apply(near, 1L, any)], `[[`, "v")
}

# The point of the search for parameters that may be on a bound, which is where the search has its end.
search_place <- function(v, s) {
  if (s$reference) v[s$reference] <- max(v[s$reference], 1e-12 * sum(v[s$rows$kind == "sill"]))
  pmin(pmax(search_start(v, s), s$bounds$low), s$bounds$high)
}

# The end of another climb from a maximum, unless it is lower: it is one, too, where it is not higher.
further <- function(best, found, loss = 1e-9) {
  if (!found$value > best$value - loss) return(best)
  found$converged <- found$converged || best$converged && found$value < best$value + 1e-6
  found
}

# The end of a climb that has found no maximum, with angles held: where two points come to lie on the same narrow
# stripe, the likelihood has a cusp in the angle, and no derivative.
at_cusp <- function(found, lik, search, space = search$space) {
  free <- c(space$at, space$reference)
  turned <- space$rows$kind[free] == "angle"
  if (found$converged || !any(turned) || search$interrupted()) return(found)
  held <- search_space(space$about, space$rows$name[free[!turned]], space$scales, found$v)
  further(found, search$climb(off_bounds(found$v, held), lik, space = held))
}

# A maximum on narrow stripes, of the model of the rows `own`, where the angle is exactly the direction of two points,
# if that is higher: there the likelihood has a cusp, too, and climbs end beside it.
on_direction <- function(best, lik, search, s, own) {
  if (!is_striped(best$v, s, own)) return(best)
  turn <- which(own & s$rows$kind == "angle")
  from <- best$v[turn]
  away <- (pair_directions(s$about$problem$xy) - from + 90) %% 180 - 90
  held <- setdiff(s$rows$name[c(s$at, s$reference)], s$rows$name[turn])
  for (by in c(sort(away[away > 0])[1L], -sort(-away[away <= 0])[1L])) # the next ones on both sides
    if (isTRUE(abs(by) < 0.1) && !search$interrupted()) {
      v <- replace(best$v, turn, from + by)
      found <- search$climb(off_bounds(v, s), lik, space = search_space(s$about, held, s$scales, v))
      if (found$value > best$value + 1e-7) best <- further(best, found)
    }
  best
}

# The end of a range that grows without bound, while the variance over what it falls by, or the range across stripes,
# stays: there, where this has the same likelihood as all larger ones, or a higher one.
at_infinity <- function(best, lik, search) {
  s <- search$space
  for (i in s$at[s$rows$base[s$at] == "range"]) {
    m <- model_inside(s$about$problem$parts[[s$rows$part[i]]], s$rows$inside[i])
    own <- s$rows$part == s$rows$part[i] & s$rows$inside == s$rows$inside[i]
    turned <- which(own & s$rows$base %in% c("angle", "ratio"))
    striped <- length(turned) && all(turned %in% s$at) && is_striped(best$v, s, own)
    longest <- if (s$rows$inside[i] == "time") s$scales$time[2L] else s$scales$space[2L]
    if (is.null(m$name) || best$v[i] < 10 * longest || !striped && best$ends[s$rows$name[i]] != "") next
    takes <- families[[m$name]]$takes
    m[takes] <- as.list(best$v[own][match(takes, s$rows$base[own])])
    falls <- function(range) 1 - unit_value(longest / range, m)
    end <- best$v[i]
    while (falls(end) > 1e-6 && end < 1e5 * longest) end <- 10 * end
    lost <- 1e-7
    if (striped) end <- 1e9 * longest
    else if (falls(end) < 1e-8) { # too far: errors of rounding grow with the variance
      while (falls(end) < 1e-8) end <- end / 10
      lost <- max(lost, rounding_of(best$v, s))
    }
    held <- search_space(s$about, setdiff(s$rows$name[c(s$at, s$reference)], s$rows$name[i]), s$scales, best$v)
    held$rows$value[i] <- end
    v <- off_bounds(replace(best$v, i, end), s)
    width <- best$v[i]
    wide <- end
    if (striped) {
      ratio <- own & s$rows$base == "ratio"
      width <- width * best$v[ratio]
      wide <- if (width < longest) width else 100 * longest # across, too, without bound
      v[ratio] <- wide / end
    }
    variance <- s$rows$part == s$rows$part[i] & s$rows$parameter == "variance"
    v[variance] <- v[variance] * falls(width) / falls(wide)
    found <- at_cusp(search$climb(v, lik, space = held), lik, search, held)
    if (striped && !search$interrupted()) found <- on_direction(found, lik, search, held, own)
    found$ends[i] <- "upper"
    if (!search$interrupted()) best <- further(best, found, lost)
  }
  best
}

# What errors of rounding may do to the likelihood at parameters v: the smallest eigenvalues of the covariance matrix,
# which are the nugget, have errors of some eps of the largest ones.
rounding_of <- function(v, s) {
  sill <- s$rows$kind == "sill"
  nugget <- sum(v[s$rows$parameter == "nugget"])
  if (nugget > 0) .Machine$double.eps * length(s$about$data$y) * sum(v[sill]) / nugget else 0
}

# A place to begin at near v: on the scale of the search a bound is infinitely far. A small ratio is no bound, but a
# long range beside a short one.
off_bounds <- function(v, s) {
  inside <- inside_bounds(v, s)
  sill <- s$rows$kind == "sill"
  width <- s$rows$upper - s$rows$lower
  least <- 1e-6 * if (is.null(s$units)) sum(v[sill]) else s$units
  low <- v - s$rows$lower < ifelse(s$rows$base == "ratio", 1e-300, 1e-9 * width)
  on <- ifelse(sill, v < least, low | s$rows$upper - v < 1e-9 * width)
  ifelse(on %in% TRUE, inside, v)
}

# A maximum that is higher, if a point of the profile of a length is; or NULL.
higher_elsewhere <- function(best, grid, lik, search) {
  s <- search$space
  lengths <- grid_profile(grid, best$value - 2)
  for (i in s$at[s$rows$kind[s$at] == "length"]) {
    held <- search_space(s$about, setdiff(s$rows$name[c(s$at, s$reference)], s$rows$name[i]), s$scales, best$v)
    for (point in lengths) {
      from <- list(point$v, off_bounds(replace(best$v, i, point$v[i]), s))
      value <- c(point$value, search_value(search_start(from[[2L]], s), s, lik)$value)
      held$rows$value[i] <- point$v[i]
      found <- search$climb(from[[which.max(value)]], lik, space = held, tolerance = 1e-4, maxit = 20,
                            wanted = best$value)
      if (search$interrupted()) return(NULL)
      if (!found$value > best$value + 1e-6) next
      other <- search$climb(off_bounds(found$v, s), lik, tolerance = 1e-6)
      if (other$value > best$value + 1e-6) return(other)
    }
  }
  NULL
}

# A maximum that is higher, if a climb from a longer or a shorter range, or from another direction, ends there, or
# NULL. Covariances of compact support have kinks where the range passes the distance of two points, and one maximum
# beside the other; where they are nearly isotropic, there are some for each direction.
higher_beside <- function(best, lik, search) {
  s <- search$space
  if (!any_compact(s$about$problem$parts)) return(NULL)
  angle <- s$at[s$rows$kind[s$at] == "angle"][1L]
  for (turn in if (is.na(angle)) 0 else c(0, 45, 90, 135)) for (i in s$at[s$rows$kind[s$at] == "length"])
    for (times in c(if (turn > 0) 1, 1.25, 0.8, 1.6, 0.625)) {
      v <- replace(best$v, i, best$v[i] * times)
      if (turn > 0) v[angle] <- v[angle] + turn
      found <- search$climb(off_bounds(v, s), lik, tolerance = 1e-6, wanted = best$value)
      if (search$interrupted()) return(NULL)
      if (found$value > best$value + 1e-6) return(found)
    }
  NULL
}

# A maximum that is higher on stripes as long as the range of the best, of any direction: those of the grid have
# other widths. Or NULL.
higher_across <- function(best, lik, search) {
  s <- search$space
  own <- lapply(c("angle", "ratio", "range"), function(base) s$at[s$rows$base[s$at] == base])
  nugget <- s$at[s$rows$parameter[s$at] == "nugget"]
  if (any(lengths(own) != 1L) || length(nugget) != 1L || !s$reference) return(NULL)
  turns <- seq(-90, 90, if (length(s$about$data$y) < 240) 5 else 15)[-1L]
  lines <- expand.grid(turn = turns, ratio = c(0.03, 0.1), nugget = c(1e-4, max(best$v[nugget], 0.05)))
  v <- matrix(best$v, nrow(lines), length(best$v), byrow = TRUE)
  v[, c(own[[1L]], own[[2L]], nugget)] <- as.matrix(lines)
  v[, s$reference] <- 1
  value <- tryCatch(lik$values(v, TRUE), statcl_error_input = function(e) NULL)
  if (is.null(value)) return(NULL)
  value <- matrix(value, length(turns))
  k <- seq_along(turns)
  peak <- which(value >= value[c(k[-1L], 1L), ] & value >= value[c(length(k), k[-length(k)]), ] & is.finite(value))
  for (i in utils::head(peak[order(-value[peak])], 6L)) {
    found <- search$climb(off_bounds(v[i, ], s), lik, tolerance = 1e-6, wanted = best$value)
    if (search$interrupted()) return(NULL)
    if (found$value > best$value + 1e-6) return(found)
  }
  NULL
}

# The highest of the other maxima within 2 of the best, between which and that the likelihood is lower: how much it is
# `below`, and its parameters `v`.
second_maximum <- function(best, climbs, lik, s) {
  there <- search_place(best$v, s)
  for (c in climbs[order(-vapply(climbs, `[[`, 0, "value"))]) {
    here <- search_place(c$v, s)
    if (!c$converged || c$value < best$value - 2 || max(abs(here - there)) < 0.1) next
    between <- vapply(c(0.2, 0.4, 0.6, 0.8), function(u)
      search_value(u * here + (1 - u) * there, s, lik)$value, 0)
    if (min(between) > c$value - 0.05) next
    if (s$reference) c$v[s$rows$kind == "sill"] <- c$v[s$rows$kind == "sill"] * c$scale
    return(list(below = best$value - c$value, v = c$v))
  }
  NULL
}

# Where the search of gpFit() begins: from the distances among the points and the variance of the residuals.

# The parameters of the maximum: of a small sample the highest one that a grid and a profile show, see gp-highest.R,
# else the best of those that a few starts lead to.
gp_find <- function(lik, task = lik$search()$task) {
  about <- lik$search()
  if (!length(task$searched))
    return(list(v = task$v, converged = TRUE, interrupted = FALSE, iterations = 0, evaluations = 1,
                ends = character(), likelihood = lik))
  outermost <- !isTRUE(session$loop)
  on.exit(if (outermost) progress_loop_done())
  scales <- c(gp_scales(about$problem, about$data), list(began = proc.time(), penalty = task$penalty))
  if (!scales$space[2L] > 0 && length(task$free))
    raise_engine_error("input", "all observations are at one location: no covariance is seen")
  s <- search_space(about, task$searched, scales, task$v)
  task$unknown <- unknown_ratios(task$unknown, s)
  search <- counted_climbs(s)
  found <- if (isTRUE(task$thorough)) highest_maximum(lik, task, search)
  if (is.null(found)) {
    found <- renewed_maximum(first_maximum(lik, task$unknown, search), search)
    found$best <- without_correlation(found$best, found$lik, search)
  }
  best <- found$best
  interrupted <- search$interrupted()
  best$converged <- best$converged && !interrupted
  if (s$reference) best$v[s$rows$kind == "sill"] <- best$v[s$rows$kind == "sill"] * best$scale
  angle <- intersect(which(s$rows$kind == "angle"), s$at)
  best$v[angle] <- best$v[angle] - 180 * ceiling(best$v[angle] / 180 - 0.5) # above -90, up to 90
  best$evaluations <- search$evaluations()
  best$interrupted <- interrupted
  c(best, list(likelihood = found$lik, space = s, second = found$second))
}

# What has no start. A variance that is profiled out is none, where all others, which are ratios to it, have none.
unknown_ratios <- function(unknown, s) {
  others <- s$rows$name[s$at[s$rows$kind[s$at] == "sill"]]
  scaled <- length(unknown) && s$reference && all(others %in% unknown)
  if (scaled) union(unknown, s$rows$name[s$reference]) else unknown
}

# Climbs of one search of the space s, which count evaluations and notice an interrupt: climb(v, lik, ...).
counted_climbs <- function(s) {
  evaluations <- 0
  interrupted <- FALSE
  list(space = s, evaluations = function() evaluations, interrupted = function() interrupted,
       climb = function(v, lik, ..., space = s) {
         found <- search_climb(search_start(v, space), space, lik, ...)
         evaluations <<- evaluations + found$evaluations
         interrupted <<- found$interrupted
         found
       })
}

# The best of the climbs from all starts, the first ones of a cheaper likelihood if there is one.
first_maximum <- function(lik, unknown, search) {
  s <- search$space
  coarse <- lik$coarse()
  rough <- !is.null(coarse) || lik$renews()
  best <- NULL
  for (plain in c(FALSE, TRUE)) { # a peak of a grid may be no place to climb from
    starts <- lik$starts(s, unknown, plain)
    for (v in starts) {
      found <- search$climb(v, if (is.null(coarse)) lik else coarse, tolerance = if (rough) 0.01 else 1e-9)
      if (is.null(best) || found$value > best$value) best <- found
      if (search$interrupted()) break
    }
    if (is.finite(best$value) || search$interrupted()) break
  }
  if (!is.null(coarse) && !search$interrupted()) {
    best <- climbed_on(best, if (is.finite(best$value)) entered(best$v, s) else starts[[1L]], lik, search)
    for (v in starts) # with more neighbours a matrix may not be positive definite where the cheaper climb ended
      if (!is.finite(best$value) && !search$interrupted()) best <- climbed_on(best, v, lik, search)
  }
  if (search$interrupted() && !is.finite(best$value)) invokeRestart("abort") # nothing was found yet
  if (!is.finite(best$value)) refuse_start(s$about$problem, s, best)
  list(best = best, lik = lik)
}

# With what has been prepared for other parameters made anew, at most twice, but for those that are on the way.
renewed_maximum <- function(found, search) {
  more <- 2L
  while (more > 0L) {
    again <- if (!search$interrupted()) found$lik$renewed(found$best$v)
    if (is.null(again)) break
    rough <- again$renews()
    found$lik <- again
    found$best <- climbed_on(found$best, entered(found$best$v, search$space), again, search,
                             if (rough) 0.01 else 1e-9)
    more <- more - !rough
  }
  found
}

# The end of a climb from elsewhere, unless an interrupt left nothing of it.
climbed_on <- function(best, from, lik, search, tolerance = 1e-9) {
  found <- search$climb(from, lik, tolerance = tolerance)
  if (is.finite(found$value) || !search$interrupted()) found else best
}

# The maximum where the variance of one of several processes is 0, or that of all, if that is as likely: the search
# has logarithms, for which 0 is infinitely far.
without_correlation <- function(best, lik, search) {
  s <- search$space
  free <- c(s$at, s$reference)
  variance <- which(s$rows$parameter == "variance")
  if (s$about$inside) return(best)
  for (none in c(if (length(variance) > 1L) as.list(intersect(variance, free)), list(variance)))
    if (all(none %in% free | best$v[none] == 0) && any(best$v[none] > 0) && !search$interrupted()) {
      v <- replace(off_bounds(best$v, s), none, 0)
      rest <- intersect(setdiff(free, none), if (any(v[variance] > 0)) free else which(s$rows$parameter == "nugget"))
      if (all(v[variance] == 0)) {
        if (s$about$scaled && length(rest) && independent_value(s$about) < best$value - 1e-6) next
        v[rest] <- if (is.null(s$units)) s$scales$variance else s$units[rest]
      }
      found <- search$climb(v, lik, space = search_space(s$about, s$rows$name[rest], s$scales, v),
                            wanted = best$value - 1e-6)
      if (!isTRUE(found$value > best$value - 1e-6) || !found$converged) next
      found$ends[none] <- "lower"
      best <- found
    }
  best
}

# The likelihood of the linear model with independent errors.
independent_value <- function(about) {
  n <- length(about$data$y)
  rss <- sum(about$data$y^2)
  log_det <- 0
  if (!is.null(about$data$X)) {
    qr <- qr(about$data$X)
    rss <- sum(qr.resid(qr, about$data$y)^2)
    if (about$estimator == "REML") {
      n <- n - ncol(about$data$X)
      log_det <- 2 * sum(log(abs(diag(qr.R(qr)))))
    }
  }
  -(n * log(2 * pi * rss / n) + n + log_det) / 2
}

entered <- function(v, s) if (s$about$inside) v else inside_bounds(v, s)

# Of many starts those to go on from: maxima of a likelihood of some of the observations.
best_starts <- function(starts, some, s) {
  if (length(starts) < 2L) return(starts)
  values <- vapply(starts, function(v) search_value(search_start(v, s), s, some)$value, 0)
  if (!any(is.finite(values))) return(starts[seq_len(min(3L, length(starts)))])
  rugged <- any(vapply(s$maps, function(map) isTRUE(map$rugged), NA)) || any_compact(s$about$problem$parts)
  most <- if (rugged) 5L else 3L
  ahead <- starts[order(values, decreasing = TRUE)[seq_len(min(most, sum(is.finite(values))))]]
  climbs <- lapply(ahead, function(v) search_climb(search_start(v, s), s, some, tolerance = 1e-3, maxit = 30))
  best <- climbs[[which.max(vapply(climbs, `[[`, 0, "value"))]]
  from <- lapply(climbs, function(c) inside_bounds(c$v, s))
  first <- search_start(inside_bounds(best$v, s), s)
  least <- best$value - if (rugged) 10 else 3
  apart <- if (rugged) 0.1 else 1
  other <- vapply(seq_along(climbs), function(i)
    max(abs(search_start(from[[i]], s) - first), 0) > apart && climbs[[i]]$value > least, NA)
  c(list(inside_bounds(best$v, s)), from[other])
}

# A start that is not on a bound.
inside_bounds <- function(v, s) {
  sill <- s$rows$kind == "sill"
  total <- if (any(s$rows$parameter == "variance")) sum(v[sill]) else max(v[sill], s$scales$variance) # of formulas
  least <- 0.01 * if (is.null(s$units)) total else s$units[sill]
  v[sill] <- pmax(v[sill], ifelse(s$rows$name[sill] %in% s$rows$name[c(s$at, s$reference)], least, 0))
  width <- s$rows$upper - s$rows$lower
  near <- is.finite(width) & seq_along(v) %in% s$at
  v[near] <- pmin(pmax(v, s$rows$lower + 0.05 * width), s$rows$upper - 0.05 * width)[near]
  v
}

refuse_start <- function(p, s, best) {
  if (!is.null(best$said)) raise_engine_error("input", best$said)
  if (!isTRUE(best$bad > 0))
    raise_engine_error("input", paste("the likelihood is not finite where the search begins: other values of start,",
                                      "or a model that is less smooth, may serve"))
  xy <- if (p$metric$kind == "euclidean") p$xy else cbind(sphere_points(p$xy, p$metric$radius), p$xy[, -(1:2)])
  at <- seq_len(min(nrow(xy), 5000L))
  near <- vapply(at[-1L], function(i) {
    d <- colSums((t(xy[seq_len(i - 1L), , drop = FALSE]) - xy[i, ])^2)
    c(which.min(d), min(d))
  }, c(0, 0))
  j <- which.min(near[2L, ])
  rows <- s$rows
  rows$value <- best$v
  rows <- rows[rows$base %in% c("smoothness", "nugget"), ]
  raise_engine_error("input", sprintf(paste(
    "the covariance matrix is not positive definite to working precision wherever the search begins: locations",
    "%s and %s are the nearest%s (%s); a nugget or another smoothness may be needed"), row_label(p, near[1L, j]),
    row_label(p, j + 1L),
    if (near[2L, j] == 0) ", at one location" else paste(", at distance", rounded(sqrt(near[2L, j]), 4L)),
    paste(rows$name, "=", format(rows$value, digits = 4, trim = TRUE), collapse = ", ")))
}

# Shortest and longest distances in space and in time, the variance of the residuals of least squares, and the `least`
# distance in space. The shortest is the median of those to the nearest neighbour.
gp_scales <- function(p, data) {
  n <- nrow(p$xy)
  timed <- has_time(p$parts)
  at <- unique(round(seq(1, n, length.out = min(n, 200L))))
  space <- space_points(p$xy, p$metric)
  lengths <- function(xy) {
    if (n > 5000 && ncol(xy) <= 10L) { # a tree finds them, and the box has the others
      others <- xy[!duplicated(place_numbers(xy)), , drop = FALSE]
      d <- distances_to(xy[at, , drop = FALSE], others, gp_neighbours_among(xy[at, , drop = FALSE], others, 2L))
      d[d == 0] <- NA
      near <- apply(d, 2L, min, na.rm = TRUE)
      sides <- apply(xy, 2L, function(v) diff(range(v)))
      return(c(stats::median(near), sqrt(sum(sides^2)), min(near)))
    }
    far <- near <- numeric(length(at))
    for (k in seq_along(at)) {
      d <- sqrt(colSums((t(xy) - xy[at[k], ])^2))
      far[k] <- max(d)
      near[k] <- min(d[d > 0], Inf)
    }
    near <- near[is.finite(near)]
    c(if (length(near)) stats::median(near) else NA, max(far), min(near, max(far)))
  }
  residuals <- if (is.null(data$X)) data$y else stats::lm.fit(data$X, data$y)$residuals
  among <- lengths(space)
  list(space = among[1:2], least = among[3L],
       time = if (timed) lengths(p$xy[, ncol(p$xy), drop = FALSE])[1:2] else c(1, 1),
       diagonal = sqrt(sum(apply(space, 2L, function(v) diff(range(v)))^2)), variance = mean(residuals^2))
}

# Points by which starts are compared: some spread over all, and the nearest neighbour of each.
gp_sample <- function(p, size) {
  n <- nrow(p$xy)
  if (n <= 2 * size) return(seq_len(n))
  at <- unique(round(seq(1, n, length.out = size)))
  xy <- if (is_local(p$model)) space_coordinates(p$xy, p$metric)
        else if (p$metric$kind == "euclidean") p$xy else sphere_points(p$xy, p$metric$radius)
  near <- if (n > 5000 && ncol(xy) <= 10L) gp_neighbours_among(xy[at, , drop = FALSE], xy, 2L)
          else vapply(at, function(i) {
            d <- colSums((t(xy) - xy[i, ])^2)
            d[i] <- Inf
            which.min(d)
          }, 1L)
  sort(unique(c(at, near)))
}

# Of the rows of a to those of b of which columns of a matrix have the numbers.
distances_to <- function(a, b, rows) {
  square <- 0
  for (j in seq_len(ncol(a))) square <- square + (rep(a[, j], each = nrow(rows)) - b[rows, j])^2
  matrix(sqrt(square), nrow(rows))
}

any_compact <- function(parts) any(vapply(parts, function(part)
  isTRUE(family_inside(part, if (is.null(part$space)) "" else "space")$compact), NA))

# The distance at which a correlation of range 1 is about 0.14, where exp(-2 h) is.
falls_at <- function(part) {
  part[c("range", "variance", "nugget", "distance", "angle", "ratio", "scales")] <-
    list(1, 1, 0, "euclidean", 0, 1, NULL)
  d <- tryCatch(distance_at(part, 0.1354), error = function(e) NA)
  if (is.na(d)) 2 else d
}

# Starts for what is not known, a list of vectors of all parameters: each of several ranges, with several nuggets,
# values of a smoothness and directions.
gp_starts <- function(p, rows, unknown, scales) {
  if (!length(unknown)) return(list(rows$value))
  wanted <- rows$base[rows$name %in% unknown]
  # the likelihood of a compact support has many maxima: it has no second derivative where that ends
  lengths <- if (any_compact(p$parts)) c(0.02, 0.05, 0.08, 0.15, 0.25, 0.4, 0.55, 0.7, 0.9, 1.2)
             else c(0.02, 0.08, 0.25, 0.7)
  choices <- expand.grid(length = lengths, smoothness = c(0.5, 1.5), nugget = c(0.02, 0.3),
                         angle = if ("angle" %in% wanted) c(0, 45, 90, -45) else 0, ratio = 0.4, late = 1, axis = 0,
                         least = TRUE)
  if (!"smoothness" %in% wanted) choices <- choices[choices$smoothness == 0.5, ]
  if (!"nugget" %in% wanted) choices <- choices[choices$nugget == 0.02, ]
  unique(lapply(seq_len(nrow(choices)), function(i) {
    v <- start_of(p, rows, unknown, choices[i, ], scales)
    if (anyNA(v))
      input_error(rows$name[which(is.na(v))[1L]], NA, "has no start of its own: give a number to begin with")
    v
  }))
}

# One after the other, lengths last, as others say how far a correlation of a given range goes.
start_of <- function(p, rows, unknown, choice, scales) {
  dim <- max(p$metric$dim, if (p$metric$kind != "euclidean") 3)
  several <- length(p$parts)
  open <- which(rows$part > 0L & rows$name %in% unknown)
  for (i in open[order(rows$kind[open] == "length")]) {
    k <- rows$part[i]
    part <- p$parts[[k]]
    for (j in which(rows$part == k)) part <- set_in_part(part, rows, j)
    m <- model_inside(part, rows$inside[i])
    known <- family_inside(part, rows$inside[i])
    begin <- parameter_fact(known, rows$base[i], "begin")
    rows$value[i] <- switch(rows$kind[i],
      sill = scales$variance * if (rows$base[i] == "nugget") choice$nugget else (1 - choice$nugget) / several,
      length = { # of several parts the first has the shortest range
        late <- rows$inside[i] == "time"
        spread <- if (late) scales$time else scales$space
        far <- choice$length * spread[2L] * 4^(k - several) * (if (late) choice$late else 1) *
          if (choice$axis %in% rows$element[i]) 0.2 else 1
        if (choice$least) far <- max(far, spread[1L], na.rm = TRUE)
        range <- far / if (is.null(m$name)) 1 else falls_at(m)
        if (on_circle(m) && isTRUE(known$compact)) min(range, 0.9 * pi * m$radius) else range
      }, if (is.null(begin)) NA_real_ else begin(m, choice, dim))
  }
  rows$value
}

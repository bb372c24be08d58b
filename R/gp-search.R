# The search for the parameters of a Gaussian process: the scale on which it runs and its steps. It knows of a
# likelihood what the table in CONTRIBUTING.md says.

# What is searched, by what a likelihood says `about` itself: `rows`, all parameters with their values v, of which
# those with the numbers `at` are free; `reference`, the variance that is profiled out, all others being ratios to it,
# or 0; `maps`, coordinates in place of several parameters (cov-search.R); and `bounds`. `units` of all parameters are
# those of variances and covariances of several variables, NULL for one variable, whose unit is the variance.
search_space <- function(about, free, scales, v = about$rows$value) {
  rows <- about$rows
  rows$value <- v
  s <- list(rows = rows, at = match(free, rows$name), reference = 0L, scales = scales, about = about,
            units = about$units)
  metric <- about$problem$metric
  s$maps <- search_maps(rows, s$at, about$problem$parts, max(metric$dim, if (metric$kind != "euclidean") 3, 1),
                        s$units)
  for (map in s$maps) if (!is.null(map$upper)) s$rows$upper[map$upper[1L]] <- map$upper[2L]
  s$maps <- Filter(function(map) !is.null(map$at), s$maps)
  sill <- which(rows$kind == "sill")
  if (about$scaled && all(sill %in% s$at | v[sill] %in% 0)) {
    s$reference <- c(intersect(sill[rows$parameter[sill] == "variance"], s$at), intersect(sill, s$at), 0L)[1L]
    s$at <- setdiff(s$at, s$reference)
  }
  s$own <- lapply(s$rows, `[`, s$at) # a data frame would take more time than the likelihood of few data
  s$bounds <- search_bounds(s, scales, about$ends)
  s
}

# Of each model, a part or what is inside of one.
search_maps <- function(rows, at, parts, dim, units = NULL) {
  models <- lapply(rows[c("part", "inside")], `[`, rows$part > 0L & !duplicated(paste(rows$part, rows$inside)))
  maps <- Map(function(part, inside) {
    number <- function(base) c(which(rows$part == part & rows$inside == inside & rows$base == base), 0L)[1L]
    free <- function(base) if (number(base) %in% at) number(base) else 0L
    known <- family_inside(parts[[part]], inside)
    own <- known$search
    m <- model_inside(parts[[part]], inside)
    c(list(turned_range(free), local_map(rows, at, parts[[part]]),
           if (!is.null(own)) own(free, function(base) rows$value[number(base)], m, dim)),
      if (!is.null(known$maps)) known$maps(rows, at, m, units))
  }, models$part, models$inside)
  Filter(Negate(is.null), do.call(c, unname(maps)))
}

# All parameters at a point t of the search, and the derivatives of those that are searched (rows) by t (columns);
# `moved`, the parameters at a point that is farther by h in one coordinate, and what penalties take away there.
search_point <- function(t, s) {
  v <- s$rows$value
  v[s$at] <- from_search(t, s$own)
  point <- list(v = v, jacobian = diag(search_jacobian(v[s$at], s$own), length(t)))
  for (map in s$maps) point <- map$point(point, t, match(map$at, s$at))
  if (s$reference) point$v[s$reference] <- 1
  c(point, list(t = t, at = s$at, profile = s$reference > 0, penalty = search_penalty(point$v, s),
                moved = function(j, h) search_point(replace(t, j, t[j] + h), s)$v))
}

# The parameters alone at many points, a column of t each: a row for each point.
search_parameters <- function(t, s) {
  n <- ncol(t)
  if (length(s$maps)) return(matrix(vapply(seq_len(n), function(k) search_point(t[, k], s)$v, s$rows$value), n,
                                    byrow = TRUE))
  v <- matrix(s$rows$value, n, nrow(s$rows), byrow = TRUE)
  v[, s$at] <- t(matrix(from_search(t, lapply(s$own, rep, n)), length(s$at)))
  if (s$reference) v[, s$reference] <- 1
  v
}

# A point whose coordinates are the parameters themselves.
parameter_point <- function(v, at = integer(), profile = FALSE)
  list(v = v, jacobian = diag(1, length(at)), at = at, profile = profile, penalty = no_penalty,
       moved = function(j, h) replace(v, at[j], v[at[j]] + h))

# Derivatives by the parameters as those by the coordinates of a point, without what penalties take.
in_coordinates <- function(e, point) {
  e$value <- e$value - point$penalty$value
  if (is.null(e$gradient)) return(e)
  information <- e$information
  if (is.matrix(point$penalty$curvature)) information <- information + point$penalty$curvature
  else diag(information) <- diag(information) + point$penalty$curvature
  e$gradient <- drop(crossprod(point$jacobian, e$gradient - point$penalty$slope))
  e$information <- crossprod(point$jacobian, information %*% point$jacobian)
  e
}

# The point of the search for parameters v.
search_start <- function(v, s) {
  if (s$reference) {
    sill <- s$rows$kind == "sill"
    v[sill] <- v[sill] / v[s$reference]
  }
  given <- v
  for (map in s$maps) v <- map$scale(v)
  t <- to_search(v[s$at], s$own)
  for (map in s$maps) t <- map$start(t, given, v, match(map$at, s$at))
  t
}

# Bounds of the search, beyond which the likelihood does not change any more: a range so small that all are
# independent, or so large that differences are all that counts; smoothness 50, a Gaussian covariance but for 1 %.
# Angles, in degrees, have none. `step`: the longest at a time. `ends`: those that a likelihood has of its own, by
# kind.
search_bounds <- function(s, scales, ends = NULL) {
  own <- s$own
  low <- rep(-40, length(s$at))
  high <- -low
  for (i in which(is.infinite(own$upper))) {
    around <- if (own$inside[i] == "time") scales$time else scales$space
    usual <- switch(own$kind[i], length = log(c(1e-3, 1e5) * around),
                    sill = log(c(1e-15, 1e9) * if (s$reference) 1 else if (!is.null(s$units)) s$units[s$at[i]]
                                                else scales$variance),
                    parameter_facts[[own$base[i]]]$ends)
    for (end in list(usual, ends[[own$kind[i]]])) if (length(end)) {
      low[i] <- end[1L]
      high[i] <- end[2L]
    }
  }
  for (map in s$maps) if (!is.null(map$ends)) {
    j <- match(map$at, s$at)[!is.na(map$ends)]
    high[j] <- map$ends[!is.na(map$ends)]
    low[j] <- -high[j]
    if (is.null(map$centre)) next
    j <- match(map$at, s$at)
    centre <- map$centre(scales$variance, scales$space[2L])
    low[j] <- low[j] + centre
    high[j] <- high[j] + centre
  }
  list(low = low, high = high, step = ifelse(is.finite(low), 2, 20))
}

# The likelihood at t, with gradient and average information there if it is above `least`.
search_value <- function(t, s, lik, least = Inf) {
  progress_loop("gpFit", s$scales$began, NaN) # nobody knows how many steps there will be
  point <- search_point(t, s)
  c(tryCatch(lik$evaluate(point, least),
             statcl_error_input = function(e) list(value = -Inf, bad = 0, said = conditionMessage(e))), point["v"])
}

no_penalty <- list(value = 0, slope = 0, curvature = 0)

# What penalties take from the likelihood at parameters v, of which some are searched, with first and second
# derivatives by these: the section on penalties of gpFit()'s help.
search_penalty <- function(v, s) {
  if (!isTRUE(s$scales$penalty)) return(no_penalty)
  own <- s$own
  sill <- if (s$reference) 1 else if (!is.null(s$units)) s$units[s$at] else s$scales$variance
  base <- ifelse(own$kind == "cross", "", own$base)
  of_length <- base == "range" & own$inside != "time"
  low <- ifelse(base == "smoothness", 0.2, ifelse(base == "nugget", 1e-3 * sill, ifelse(of_length,
                                                                                        s$scales$space[1L], NA)))
  high <- ifelse(base == "smoothness", 4, ifelse(of_length, s$scales$diagonal, NA))
  below <- pmax(log(low / v[s$at]), 0)
  above <- pmax(log(v[s$at] / high), 0)
  below[is.na(below)] <- above[is.na(above)] <- 0
  unit <- ifelse(below > 0 | above > 0, v[s$at], 1) # a correlation, or an angle, may be 0
  found <- list(value = sum(0.1 * below^2 + above^2), slope = (2 * above - 0.2 * below) / unit,
                curvature = (2 * (above > 0) + 0.2 * (below > 0)) / unit^2)
  model <- s$about$problem$parts[[1L]]
  if (is_local(model)) local_penalty(found, v, s, sill) else if (identical(model$name, "bimatern"))
    cross_penalty(found, v, s) else found
}

# An interrupt ends the search of gpFit() with the best that was found, where somebody sees it; all others it ends as
# it ends anything.
keeps_best <- function() interactive()
or_interrupted <- function(expr)
  if (isTRUE(session$keeps_best)) tryCatch(expr, interrupt = function(e) NULL) else expr
uninterrupted <- function(expr) {
  old <- session$keeps_best
  on.exit(session$keeps_best <- old)
  session$keeps_best <- NULL
  expr
}

# The largest of g's - s'hs/2 over steps s between low and high: Newton's step where that is inside, else by cyclic
# coordinate ascent, and exactly among the coordinates that end inside.
search_step <- function(gradient, information, damping, low, high) {
  d <- pmax(diag(information), 1e-12 * max(diag(information), 0), 1e-100)
  h <- information + diag(damping * d, length(d))
  inside <- function(s) all(is.finite(s)) && all(s >= low & s <= high)
  newton <- function(free, s) {
    root <- tryCatch(chol(h[free, free, drop = FALSE]), error = function(e) NULL)
    if (is.null(root)) return(NULL)
    rest <- gradient[free] - h[free, !free, drop = FALSE] %*% s[!free]
    s[free] <- backsolve(root, backsolve(root, rest, transpose = TRUE))
    if (inside(s)) s
  }
  more <- 1e-9
  while (is.null(tryCatch(chol(h), error = function(e) NULL)) && more < 1e3) {
    more <- 10 * more
    h <- h + diag(more * d, length(d))
  }
  s <- newton(rep(TRUE, length(d)), numeric(length(d)))
  if (is.null(s)) s <- step_at_bounds(gradient, h, low, high)
  if (!is.null(s)) return(s)
  s <- pmin(pmax(numeric(length(d)), low), high)
  for (sweep in 1:200) {
    before <- s
    for (i in seq_along(s)) {
      best <- s[i] + (gradient[i] - sum(h[i, ] * s)) / h[i, i]
      if (is.finite(best)) s[i] <- min(max(best, low[i]), high[i])
    }
    if (max(abs(s - before)) < 1e-4) break
  }
  free <- s > low & s < high
  exact <- if (any(free)) newton(free, s)
  if (is.null(exact)) s else exact
}

# Where some coordinates end on a bound: by those that the best step of the others passes, one set after the other,
# until the conditions for the largest value hold; or NULL.
step_at_bounds <- function(gradient, h, low, high) {
  if (!all(low <= 0 & high >= 0 & is.finite(gradient))) return(NULL)
  s <- numeric(length(gradient))
  on <- logical(length(s))
  for (round in seq_along(s)) {
    free <- !on
    rest <- gradient[free] - h[free, on, drop = FALSE] %*% s[on]
    if (any(free)) s[free] <- tryCatch(drop(solve(h[free, free], rest)), error = function(e) NaN)
    if (!all(is.finite(s))) return(NULL)
    past <- free & (s < low | s > high)
    if (!any(past)) {
      slope <- drop(gradient - h %*% s)[on]
      return(if (all(ifelse(s[on] > 0 | high[on] <= 0 & low[on] < 0, slope >= 0, slope <= 0))) s)
    }
    s[past] <- ifelse(s[past] > high[past], high[past], low[past])
    on <- on | past
  }
  NULL
}

# What a step promises.
step_gain <- function(step, gradient, curvature) sum(step * gradient) - sum(step * (curvature %*% step)) / 2

# What gradients before and after a step tell of the difference of the second derivatives from the information.
secant_correction <- function(correction, step, now, new) {
  miss <- now$gradient - new$gradient - drop((new$information + correction) %*% step)
  along <- sum(miss * step)
  if (abs(along) > 1e-8 * sqrt(sum(miss^2) * sum(step^2))) correction + tcrossprod(miss) / along else correction
}

tell_step <- function(iteration, value, rise, gain)
  message(sprintf("gpFit: step %d, log likelihood %.8g, %.3g more of %.3g expected", iteration, value, rise, gain))

search_ends <- function(t, s) {
  ends <- stats::setNames(rep("", nrow(s$rows)), s$rows$name)
  ends[s$at] <- ifelse(t <= s$bounds$low, "lower", ifelse(t >= s$bounds$high, "upper", ""))
  ends
}

# Newton's method with the average information in place of the second derivatives, and what gradients tell of the
# difference (the symmetric rank-one update, as in the structured secant methods of Dennis, Gay and Welsch 1981);
# damped as by Levenberg and Marquardt. It ends where no step promises more than `tolerance`, where no value of
# `wanted` is to be expected, or on the way to one of the maxima `seen`: then it is `repeated`.
search_climb <- function(t, s, lik, tolerance = 1e-9, maxit = 100, wanted = -Inf, seen = list()) {
  t <- pmin(pmax(t, s$bounds$low), s$bounds$high)
  now <- or_interrupted(search_value(t, s, lik, -Inf))
  if (is.null(now)) return(list(value = -Inf, converged = FALSE, interrupted = TRUE, repeated = FALSE,
                                iterations = 0, evaluations = 1))
  at <- list(t = t, now = now, damping = 1e-3, correction = matrix(0, length(t), length(t)), iterations = 0,
             evaluations = 1, converged = !length(t), interrupted = FALSE, past = -Inf,
             left = Inf, failed = FALSE, repeated = FALSE)
  tried <- integer()
  while (!at$converged && is.finite(at$now$value) && all(is.finite(at$now$gradient), is.finite(at$now$information)) &&
         at$iterations < maxit) {
    ahead <- climb_ahead(at, s)
    beyond <- setdiff(search_beyond(ahead$step, at$now, s), tried)
    if (length(beyond)) {
      there <- search_at_bound(beyond[1L], at$now, s, lik, tolerance, maxit - at$iterations, seen)
      at$evaluations <- at$evaluations + there$evaluations
      tried <- c(tried, beyond[1L])
      at[c("interrupted", "repeated")] <- there[c("interrupted", "repeated")]
      if (at$interrupted || at$repeated) break
      if (there$maximum && there$value > at$now$value - tolerance) {
        there$evaluations <- at$evaluations
        there$iterations <- there$iterations + at$iterations
        return(there)
      }
      next
    }
    at$repeated <- leads_to(at, ahead, s, seen)
    if (at$repeated || at$now$value + 3 * ahead$gain < wanted) break
    if (at$iterations %% 8L == 7L) { # on a ridge that rises to a limit, steps never end
      at$converged <- at$now$value - at$past < 1e-6 && at$damping <= 1 && ahead$gain < 1e-6
      at$past <- at$now$value
      if (at$converged) break
    }
    if (ahead$gain < tolerance) { # by a step that is short because others failed, or for good
      free <- if (at$damping > 1) search_step(at$now$gradient, at$now$information, 1e-3, ahead$low, ahead$high)
              else ahead$step
      at$converged <- min(step_gain(free, at$now$gradient, at$now$information), at$left) < max(tolerance, 1e-6)
      break
    }
    at <- climb_on(at, ahead, s, lik)
    if (at$interrupted) break
  }
  c(list(value = at$now$value, v = at$now$v, scale = at$now$scale, bad = at$now$bad, said = at$now$said,
         ends = search_ends(at$t, s), t = at$t, at = s$at),
    at[c("converged", "interrupted", "repeated", "iterations", "evaluations")])
}

# Is one of the maxima `seen` what the next step expects, by its place, of which a distance of 1 is a standard error,
# and by its value?
leads_to <- function(at, ahead, s, seen) {
  if (at$damping > 0.01 || ahead$gain > 2) return(FALSE)
  for (end in seen) if (identical(end$at, s$at) && abs(end$value - at$now$value - ahead$gain) < 0.02) {
    miss <- end$t - at$t - ahead$step
    if (sum(miss * (at$now$information %*% miss)) < 0.04) return(TRUE)
  }
  FALSE
}

# The next step, within bounds, and what it promises.
climb_ahead <- function(at, s) {
  curvature <- at$now$information + at$correction
  if (!is_definite(curvature)) { # perhaps without what the likelihood hardly depends on, as it has run to a limit
    curvature <- at$now$information
    seen <- diag(curvature) > 1e-10 * max(diag(curvature), 0)
    part <- (curvature + at$correction)[seen, seen, drop = FALSE]
    if (!all(seen) && any(seen) && is_definite(part)) curvature[seen, seen] <- part
  }
  low <- pmax(-s$bounds$step, s$bounds$low - at$t)
  high <- pmin(s$bounds$step, s$bounds$high - at$t)
  step <- search_step(at$now$gradient, curvature, at$damping, low, high)
  list(step = step, gain = step_gain(step, at$now$gradient, curvature), low = low, high = high)
}

# The step is taken if the likelihood rises; else the next one is shorter.
climb_on <- function(at, ahead, s, lik) {
  at$iterations <- at$iterations + 1
  new <- or_interrupted(search_value(at$t + ahead$step, s, lik, at$now$value))
  at$interrupted <- is.null(new)
  if (at$interrupted) return(at)
  at$evaluations <- at$evaluations + 1
  rise <- new$value - at$now$value
  if (is_verbose()) tell_step(at$iterations, at$now$value, rise, ahead$gain)
  if (!isTRUE(rise > 0) || !all(is.finite(new$gradient), is.finite(new$information))) {
    at$damping <- max(10 * at$damping, 1e-3)
    at$correction[] <- 0
    slope <- sum(ahead$step * at$now$gradient)
    at$left <- still_left(at, slope, rise)
    at$failed <- TRUE
    return(at)
  }
  at$correction <- secant_correction(at$correction, ahead$step, at$now, new)
  at$t <- at$t + ahead$step
  at$now <- new
  at$failed <- FALSE
  if (at$damping <= 1) at$left <- Inf
  at$damping <- max(if (rise > 0.75 * ahead$gain) at$damping / 5
                    else if (rise < 0.25 * ahead$gain) at$damping * 4 else at$damping, 1e-12)
  at
}

# What a step that failed leaves to be gained, by the parabola along it. Where the likelihood jumps that falls with
# the length of the step, and the first one of those that failed tells.
still_left <- function(at, slope, rise) {
  left <- if (is.finite(rise)) slope^2 / (4 * (slope - rise)) else Inf
  if (at$failed) max(left, at$left) else left
}

# Of the parameters that may be at a bound, as a nugget of 0, those that a step to first order takes beyond it: on the
# scale of the search it is infinitely far.
search_beyond <- function(step, now, s) {
  if (s$about$inside || isTRUE(s$scales$penalty)) return(integer())
  own <- s$own
  v <- now$v[s$at]
  natural <- search_jacobian(v, own) * step
  total <- max(sum(now$v[s$rows$kind == "sill"]), if (!s$reference) s$scales$variance)
  if (!is.null(s$units)) total <- s$units[s$at]
  low <- own$kind == "sill" & v < 0.3 * total | own$kind == "interaction"
  high <- is.finite(own$upper) & own$base %in% c("shape", "smoothness", "interaction", "range")
  s$at[low & v + natural <= own$lower | high & v + natural >= own$upper]
}

# A search with parameter i at the bound next to it; `maximum`: the likelihood falls from there.
search_at_bound <- function(i, now, s, lik, tolerance, maxit, seen = list()) {
  v <- now$v
  upper <- s$rows$upper[i] - v[i] < v[i] - s$rows$lower[i]
  v[i] <- if (upper) s$rows$upper[i] else s$rows$lower[i]
  own <- search_space(s$about, s$rows$name[setdiff(c(s$at, s$reference), c(i, 0L))], s$scales, v)
  found <- search_climb(search_start(v, own), own, lik, tolerance, maxit, now$value, seen)
  found$maximum <- FALSE
  if (!found$converged) return(found)
  found$ends[i] <- if (upper) "upper" else "lower"
  slope <- tryCatch(lik$evaluate(parameter_point(found$v, i, own$reference > 0), -Inf)$gradient,
                    statcl_error_input = function(e) 0)
  found$maximum <- isTRUE(if (upper) slope >= 0 else slope <= 0)
  found
}

# Enough for a step that is not longer than a hundred of those without the correction.
is_definite <- function(h) {
  unit <- sqrt(pmax(diag(h), 0))
  all(unit > 0) && min(eigen(h / tcrossprod(unit), TRUE, TRUE)$values) > 1e-8
}

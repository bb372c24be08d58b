# The search for the parameters of a Gaussian process: the scale on which it runs, where it begins, and its steps.

# What is searched: `rows`, all parameters by cov_parameters(), those with the numbers `at` being free; `reference`,
# the variance that is profiled out, all others being ratios to it, or 0; and how parameters depend on several
# coordinates of the search, part by part: `effective` are pairs of range and smoothness, in place of which the search
# has range times sqrt(8 smoothness) and smoothness, which are nearly orthogonal (Lindgren, Rue and Lindstrom 2011);
# `turned` range, angle and ratio, of which it has the logarithm of a symmetric matrix; `compact` pairs of smoothness
# and shape with the bound that one has by the other.
search_space <- function(p, free, scales) {
  rows <- cov_parameters(p$parts)
  at <- match(free, rows$name)
  own <- function(k, base) { # the number of a free parameter of a part, or 0
    i <- match(paste(k, base), paste(rows$part, rows$parameter))
    if (is.na(i) || !i %in% at) 0L else i
  }
  s <- list(rows = rows, at = at, reference = 0L, effective = list(), turned = list(), compact = list(),
            penalty = isTRUE(scales$penalty))
  for (k in seq_along(p$parts)) for (prefix in c("", "space.", "time.")) {
    part <- p$parts[[k]]
    if (prefix == "space.") part <- part$space
    if (prefix == "time.") part <- if (part$name == "separable") part$time
    if (is.null(part) || prefix == "" && !is.null(part$space)) next
    range <- own(k, paste0(prefix, "range"))
    smoothness <- own(k, paste0(prefix, "smoothness"))
    angle <- own(k, paste0(prefix, "angle"))
    ratio <- own(k, paste0(prefix, "ratio"))
    if (part$name == "matern" && range && smoothness)
      s$effective <- c(s$effective, list(list(range = range, smoothness = smoothness, scaling = part$scaling)))
    if (range && angle && ratio) s$turned <- c(s$turned, list(c(range, angle, ratio)))
    if (part$name == "wendland") {
      least <- (max(p$metric$dim, if (p$metric$kind != "euclidean") 3, 1) + 1) / 2
      shape <- own(k, paste0(prefix, "shape"))
      if (shape) s$compact <- c(s$compact, list(list(shape = shape, smoothness = smoothness, least = least,
                                                     given = part$smoothness, range = range)))
      else if (smoothness) s$rows$upper[smoothness] <- part$shape - least
    }
  }
  sill <- which(rows$parameter == "variance" | rows$parameter == "nugget")
  if (all(sill %in% at | rows$value[sill] %in% 0) && all(p$error == 0) && is.null(p$laplace)) {
    s$reference <- intersect(sill[rows$parameter[sill] == "variance"], at)[1L]
    if (is.na(s$reference)) s$reference <- 0L
    s$at <- setdiff(at, s$reference)
  }
  s$scales <- scales
  s$bounds <- search_bounds(s, scales)
  s
}

effective_factor <- function(smoothness, scaling)
  switch(scaling, plain = sqrt(8 * smoothness), sqrt2nu = 2, 1)

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

# All parameters at a point t of the search, and the derivatives of those that are searched (rows) by t (columns).
search_point <- function(t, s) {
  own <- s$rows[s$at, ]
  v <- s$rows$value
  v[s$at] <- from_search(t, own)
  jacobian <- diag(search_jacobian(v[s$at], own), length(t))
  place <- function(i) match(i, s$at)
  for (i in s$turned) {
    j <- place(i)
    d <- max(sqrt(sum(t[j[2:3]]^2)), 1e-6)
    u <- t[j[2:3]] / d
    v[i] <- c(exp(t[j[1L]] + d), atan2(u[2L], u[1L]) * 90 / pi, exp(-2 * d))
    jacobian[j, j] <- rbind(v[i[1L]] * c(1, u), c(0, 90 / pi / d * c(-u[2L], u[1L])), c(0, -2 * v[i[3L]] * u))
  }
  for (pair in s$effective) {
    j <- place(c(pair$range, pair$smoothness))
    nu <- v[pair$smoothness]
    by <- effective_factor(nu, pair$scaling)
    v[pair$range] <- v[pair$range] / by
    jacobian[j[1L], ] <- jacobian[j[1L], ] / by
    if (pair$scaling == "plain")
      jacobian[j[1L], ] <- jacobian[j[1L], ] - v[pair$range] / (2 * nu) * jacobian[j[2L], ]
  }
  for (pair in s$compact) {
    j <- place(pair$shape)
    nu <- if (pair$smoothness) v[pair$smoothness] else pair$given
    v[pair$shape] <- nu + pair$least + exp(t[j])
    jacobian[j, ] <- 0
    jacobian[j, j] <- exp(t[j])
    if (pair$smoothness) jacobian[j, ] <- jacobian[j, ] + jacobian[place(pair$smoothness), ]
    if (!pair$range) next
    by <- compact_factor(nu, v[pair$shape])
    v[pair$range] <- v[pair$range] * by$factor
    i <- place(pair$range)
    jacobian[i, ] <- jacobian[i, ] * by$factor + v[pair$range] * by$shape * jacobian[j, ]
    if (pair$smoothness)
      jacobian[i, ] <- jacobian[i, ] + v[pair$range] * by$smoothness * jacobian[place(pair$smoothness), ]
  }
  if (s$reference) v[s$reference] <- 1
  list(v = v, jacobian = jacobian)
}

# The point of the search for parameters v.
search_start <- function(v, s) {
  if (s$reference) {
    sill <- s$rows$parameter %in% c("variance", "nugget")
    v[sill] <- v[sill] / v[s$reference]
  }
  given <- v
  for (pair in s$effective) v[pair$range] <- v[pair$range] * effective_factor(v[pair$smoothness], pair$scaling)
  for (pair in s$compact) if (pair$range)
    v[pair$range] <- v[pair$range] /
      compact_factor(if (pair$smoothness) v[pair$smoothness] else pair$given, v[pair$shape])$factor
  t <- to_search(v[s$at], s$rows[s$at, ])
  for (i in s$turned) {
    d <- -log(min(v[i[3L]], 1)) / 2
    turn <- v[i[2L]] * pi / 90
    t[match(i, s$at)] <- c(log(v[i[1L]]) - d, d * cos(turn), d * sin(turn))
  }
  for (pair in s$compact) {
    nu <- if (pair$smoothness) given[pair$smoothness] else pair$given
    t[match(pair$shape, s$at)] <- log(max(given[pair$shape] - nu - pair$least, 1e-8))
  }
  t
}

# Bounds of the search, beyond which the likelihood does not change any more: a range so small that all are
# independent, or so large that differences are all that counts; smoothness 50, a Gaussian covariance but for 1 %.
# Angles, in degrees, have none. `step`: the longest at a time.
search_bounds <- function(s, scales) {
  own <- s$rows[s$at, ]
  low <- rep(-40, length(s$at))
  high <- -low
  length <- ifelse(own$inside == "time", scales$time[2L], scales$space[2L])
  least <- ifelse(own$inside == "time", scales$time[1L], scales$space[1L])
  of_length <- own$base %in% c("range", "scales") & is.infinite(own$upper)
  low[of_length] <- log(1e-3 * least[of_length])
  high[of_length] <- log(1e5 * length[of_length])
  smooth <- own$base == "smoothness" & is.infinite(own$upper)
  low[smooth] <- log(1e-3)
  high[smooth] <- log(50)
  shape <- own$base == "shape" & is.infinite(own$upper)
  high[shape] <- log(1e3)
  sill <- own$parameter %in% c("variance", "nugget")
  if (s$reference) {
    low[sill] <- log(1e-15)
    high[sill] <- log(1e9)
  } else {
    low[sill] <- log(1e-15 * scales$variance)
    high[sill] <- log(1e9 * scales$variance)
  }
  angle <- own$base == "angle" & !s$at %in% unlist(s$turned)
  low[angle] <- -Inf
  high[angle] <- Inf
  for (i in s$turned) {
    low[match(i[2:3], s$at)] <- -10
    high[match(i[2:3], s$at)] <- 10
  }
  list(low = low, high = high, step = ifelse(angle, 20, 2))
}

# The likelihood at t, with gradient and average information there if it is above `least`.
search_value <- function(t, s, p, data, estimator, least = Inf) {
  progress_loop("gpFit", s$scales$began, NaN) # nobody knows how many steps there will be
  if (!is.null(p$laplace)) return(laplace_value(t, s, p, least))
  point <- search_point(t, s)
  names <- s$rows$name[s$at]
  e <- tryCatch(gp_evaluate(gp_at(p, set_parameters(p$model, point$v, s$rows)), data, estimator, names, names,
                            "average", s$reference > 0, least),
                statcl_error_input = function(e) list(value = -Inf, bad = 0, said = conditionMessage(e)))
  less <- search_penalty(point$v, s)
  e$value <- e$value - less$value
  if (is.null(e$gradient)) return(c(e, point["v"]))
  e$gradient <- e$gradient - less$slope
  diag(e$information) <- diag(e$information) + less$curvature
  e$gradient <- drop(crossprod(point$jacobian, e$gradient))
  e$information <- crossprod(point$jacobian, e$information %*% point$jacobian)
  c(e, point["v"])
}

# What penalties take from the likelihood at parameters v, of which some are searched, with first and second
# derivatives by these: the section on penalties of gpFit()'s help.
search_penalty <- function(v, s) {
  if (!s$penalty) return(list(value = 0, slope = 0, curvature = 0))
  own <- s$rows[s$at, ]
  sill <- if (s$reference) 1 else s$scales$variance
  base <- own$base
  of_length <- base == "range" & own$inside != "time"
  low <- ifelse(base == "smoothness", 0.2, ifelse(base == "nugget", 1e-3 * sill, ifelse(of_length,
                                                                                        s$scales$space[1L], NA)))
  high <- ifelse(base == "smoothness", 4, ifelse(of_length, s$scales$diagonal, NA))
  below <- pmax(log(low / v[s$at]), 0)
  above <- pmax(log(v[s$at] / high), 0)
  below[is.na(below)] <- above[is.na(above)] <- 0
  list(value = sum(0.1 * below^2 + above^2), slope = (2 * above - 0.2 * below) / v[s$at],
       curvature = (2 * (above > 0) + 0.2 * (below > 0)) / v[s$at]^2)
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
  if (!is.null(s)) return(s)
  s <- pmin(pmax(numeric(length(d)), low), high)
  for (sweep in 1:200) {
    before <- s
    for (i in seq_along(s)) {
      best <- s[i] + (gradient[i] - sum(h[i, ] * s)) / h[i, i]
      if (is.finite(best)) s[i] <- min(max(best, low[i]), high[i])
    }
    if (max(abs(s - before)) < 1e-8) break
  }
  free <- s > low & s < high
  exact <- if (any(free)) newton(free, s)
  if (is.null(exact)) s else exact
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
# damped as by Levenberg and Marquardt. It ends where no step promises more than `tolerance`.
search_climb <- function(t, s, p, data, estimator, tolerance = 1e-9, maxit = 100, wanted = -Inf) {
  t <- pmin(pmax(t, s$bounds$low), s$bounds$high)
  now <- or_interrupted(search_value(t, s, p, data, estimator, -Inf))
  if (is.null(now)) return(list(value = -Inf, converged = FALSE, interrupted = TRUE, iterations = 0, evaluations = 1))
  evaluations <- 1
  damping <- 1e-3
  none <- correction <- matrix(0, length(t), length(t))
  converged <- !length(t)
  iteration <- 0
  interrupted <- FALSE
  tried <- integer()
  while (!converged && is.finite(now$value) && all(is.finite(now$information)) && iteration < maxit) {
    curvature <- now$information + correction
    if (!is_definite(curvature)) curvature <- now$information
    low <- pmax(-s$bounds$step, s$bounds$low - t)
    high <- pmin(s$bounds$step, s$bounds$high - t)
    step <- search_step(now$gradient, curvature, damping, low, high)
    gain <- step_gain(step, now$gradient, curvature)
    beyond <- setdiff(search_beyond(step, now, s), tried)
    if (length(beyond)) {
      there <- search_at_bound(beyond[1L], now, s, p, data, estimator, tolerance, maxit - iteration)
      evaluations <- evaluations + there$evaluations
      tried <- c(tried, beyond[1L])
      interrupted <- there$interrupted
      if (interrupted) break
      if (there$maximum && there$value > now$value - tolerance) {
        there$evaluations <- evaluations
        there$iterations <- there$iterations + iteration
        return(there)
      }
      next
    }
    if (now$value + 3 * gain < wanted) break
    if (gain < tolerance) { # by a step that is short because others failed, or for good
      free <- if (damping > 1) search_step(now$gradient, now$information, 1e-3, low, high) else step
      converged <- step_gain(free, now$gradient, now$information) < max(tolerance, 1e-6)
      break
    }
    iteration <- iteration + 1
    new <- or_interrupted(search_value(t + step, s, p, data, estimator, now$value))
    interrupted <- is.null(new)
    if (interrupted) break
    evaluations <- evaluations + 1
    rise <- new$value - now$value
    if (is_verbose()) tell_step(iteration, now$value, rise, gain)
    if (isTRUE(rise > 0) && all(is.finite(new$gradient), is.finite(new$information))) {
      correction <- secant_correction(correction, step, now, new)
      t <- t + step
      now <- new
      damping <- max(if (rise > 0.75 * gain) damping / 5 else if (rise < 0.25 * gain) damping * 4 else damping, 1e-12)
    } else {
      damping <- max(10 * damping, 1e-3)
      correction <- none
    }
  }
  list(value = now$value, v = now$v, scale = now$scale, bad = now$bad, said = now$said, converged = converged,
       interrupted = interrupted, iterations = iteration, evaluations = evaluations,
       ends = search_ends(t, s))
}

# Of the parameters that may be at a bound, as a nugget of 0, those that a step to first order takes beyond it: on the
# scale of the search it is infinitely far.
search_beyond <- function(step, now, s) {
  if (s$penalty || isTRUE(s$joint)) return(integer()) # laplace_fit() has its own ends
  own <- s$rows[s$at, ]
  v <- now$v[s$at]
  natural <- search_jacobian(v, own) * step
  sill <- own$parameter %in% c("variance", "nugget")
  base <- own$base
  total <- sum(now$v[s$rows$parameter %in% c("variance", "nugget")])
  low <- sill & v < 0.3 * total | base == "interaction"
  high <- is.finite(own$upper) & base %in% c("shape", "smoothness", "interaction", "range")
  s$at[low & v + natural <= own$lower | high & v + natural >= own$upper]
}

# A search with parameter i at the bound next to it; `maximum`: the likelihood falls from there.
search_at_bound <- function(i, now, s, p, data, estimator, tolerance, maxit) {
  v <- now$v
  upper <- s$rows$upper[i] - v[i] < v[i] - s$rows$lower[i]
  v[i] <- if (upper) s$rows$upper[i] else s$rows$lower[i]
  p$model <- set_parameters(p$model, v, s$rows)
  p$parts <- model_parts(p$model)
  own <- search_space(p, s$rows$name[setdiff(c(s$at, s$reference), c(i, 0L))], s$scales)
  found <- search_climb(search_start(v, own), own, p, data, estimator, tolerance, maxit, now$value)
  found$maximum <- FALSE
  if (!found$converged) return(found)
  found$ends[i] <- if (upper) "upper" else "lower"
  slope <- tryCatch(gp_evaluate(gp_at(p, set_parameters(p$model, found$v, s$rows)), data, estimator, s$rows$name[i],
                                profile = own$reference > 0)$gradient,
                    statcl_error_input = function(e) 0)
  found$maximum <- isTRUE(if (upper) slope >= 0 else slope <= 0)
  found
}

# Enough for a step that is not longer than a hundred of those without the correction.
is_definite <- function(h) {
  unit <- sqrt(pmax(diag(h), 0))
  all(unit > 0) && min(eigen(h / tcrossprod(unit), TRUE, TRUE)$values) > 1e-8
}

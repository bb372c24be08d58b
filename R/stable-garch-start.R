# Starts of stableGarch() and the maxima that they lead to.
#
# Candidates differ in persistence and in how much of it is ARCH. They are compared with t innovations, whose
# likelihood costs little, and the likeliest climb with those; where there are AR and MA terms, first without, and
# then from the likeliest pairs of these. Stable climbs begin where these end: volatility hardly depends on the law of
# innovations.

garch_problem <- function(model, data, known)
  list(model = model, data = data, known = known, open = garch_open(known))

# Points t of candidates.
garch_candidates <- function(problem, df = 5) {
  model <- problem$model
  p <- model$places
  n <- length(p$arch) + length(p$garch)
  volatility <- if (!n) data.frame(total = 0, share = 0)
                else if (!length(p$garch)) data.frame(total = c(0.1, 0.4, 0.8, 0.95), share = 1)
                else expand.grid(total = c(0.6, 0.9, 0.97, 0.995), share = c(0.04, 0.12, 0.35))
  lapply(seq_len(nrow(volatility)), function(i) {
    theta <- numeric(model$size)
    total <- volatility$total[i]
    if (model$law != "normal") theta[p$law] <- if (model$law == "t") df else c(1.85, 0)
    moment <- exp(garch_moment(model, theta[p$law], numeric(1L))$log)
    arch <- if (length(p$garch)) volatility$share[i] else 1
    theta[p$arch] <- total * arch / length(p$arch) / moment
    theta[p$garch] <- total * (1 - arch) / length(p$garch)
    # data have the median absolute value 1, and innovations nearly so
    theta[p$omega] <- (1 - total) * (if (model$law == "t") 1.38 else if (model$law == "normal") 1.48 else 1.02)^
      model$power
    garch_start_known(problem, theta)
  })
}

# A mean with AR and MA terms has a ridge where these cancel, and maxima along it: from a climb, points with pairs of
# roots near each other, and with either term alone.
garch_arma_points <- function(problem, climb) {
  p <- problem$model$places
  theta <- garch_natural(climb$model, climb$t, climb$known)$value
  ends <- expand.grid(ar = c(-0.97, -0.8, -0.5, 0, 0.5, 0.8, 0.97, 0.995), apart = c(-0.15, -0.04, 0.04, 0.15))
  ends <- rbind(ends[abs(ends$ar - ends$apart) < 1, ],
                data.frame(ar = c(-0.5, 0.5, 0.998), apart = c(-0.5, 0.5, -0.0015)))
  lapply(seq_len(nrow(ends)), function(i) {
    theta[c(p$ar, p$ma)] <- 0
    theta[p$ar[1L]] <- ends$ar[i]
    theta[p$ma[1L]] <- ends$apart[i] - ends$ar[i]
    garch_start_known(problem, theta)
  })
}

garch_start_known <- function(problem, theta) {
  fixed <- !is.na(problem$known)
  theta[fixed] <- problem$known[fixed]
  garch_search_point(problem$model, theta)
}

# Of each problem the `most` likeliest of its points; points: a list of points for each.
garch_likeliest <- function(problems, points, most) {
  of <- rep(seq_along(problems), lengths(points))
  all <- unlist(points, recursive = FALSE)
  value <- vapply(garch_values(problems[of], all, 0L), function(told) told$loglik, 1)
  lapply(seq_along(problems), function(i) {
    own <- which(of == i)
    all[utils::head(own[order(-value[own])], most)]
  })
}

# Climbs of each problem from its points; of those that end at one maximum one is kept, the highest first.
garch_maxima <- function(problems, points, gain = 1e-9) {
  of <- rep(seq_along(problems), lengths(points))
  begun <- Map(function(i, t) c(problems[[i]], list(t = t)), of, unlist(points, recursive = FALSE))
  climbs <- garch_past_kinks(garch_climb(begun, gain), gain)
  lapply(seq_along(problems), function(i) {
    own <- climbs[of == i]
    value <- vapply(own, function(climb) climb$loglik, 1)
    own <- own[order(-value)]
    value <- sort(value, decreasing = TRUE)
    own[c(TRUE, diff(value) < -1e-4)]
  })
}

# For power <= 1 the likelihood has kinks where an e is 0, at which a climb may stop for want of a slope. It goes on
# from both sides of the kink in mu, a twentieth of a standard error away, and then a fifth; where neither leads
# higher, the kink is the maximum.
garch_past_kinks <- function(climbs, gain) {
  for (apart in c(0.05, 0.2)) {
    stuck <- which(vapply(climbs, function(climb)
      is.finite(climb$loglik) && climb$model$power <= 1 && 1L %in% climb$open && climb$promised > gain, NA))
    if (!length(stuck)) return(climbs)
    beside <- unlist(lapply(climbs[stuck], function(climb) lapply(c(-apart, apart), function(side) {
      climb$t[1L] <- climb$t[1L] + side * sqrt(garch_metric(climb$products)[1L, 1L])
      climb
    })), recursive = FALSE)
    beside <- garch_climb(beside, gain)
    for (k in seq_along(stuck)) {
      best <- climbs[[stuck[k]]]
      from <- best$loglik
      for (climb in beside[2L * k - 1:0]) if (climb$loglik > best$loglik) {
        climb$rounds <- climb$rounds + best$rounds
        best <- climb
      }
      if (apart > 0.1 && best$loglik < from + 1e-4) best$sound <- TRUE
      climbs[[stuck[k]]] <- best
    }
  }
  climbs
}

# A problem with t or normal innovations and what is known of its other parameters.
garch_as <- function(problem, law) {
  from <- problem$model
  o <- from$orders
  model <- garch_model(o[1:2], o[3:4], from$power, o[5L] > 0L, law, from$names[from$places$xreg])
  known <- rep(NA_real_, model$size)
  shared <- seq_len(model$size - length(model$places$law))
  known[shared] <- problem$known[shared]
  garch_problem(model, problem$data, known)
}

# From t innovations with their volatility to stable ones: the scale by the upper quartile, alpha near where the tails
# are alike.
garch_from_t <- function(problem, climb) {
  theta <- garch_natural(climb$model, climb$t, climb$known)$value
  own <- problem$model
  df <- theta[climb$model$places$law]
  law <- c(min(max(2 - 0.8 / df, own$floor + 0.2 * (2 - own$floor)), 1.97), 0)
  law <- ifelse(is.na(problem$known[own$places$law]), law, problem$known[own$places$law])
  ratio <- stats::qt(0.75, df) / qstable(0.75, law[1L], 0, pm = 1)
  shared <- seq_len(own$size - 2L)
  theta <- c(theta[shared], law)
  p <- own$places
  theta[p$omega] <- theta[p$omega] * ratio^own$power
  asym <- if (length(p$asym)) theta[p$asym] else numeric(length(p$arch))
  theta[p$arch] <- theta[p$arch] * exp(garch_moment(climb$model, df, asym)$log - garch_moment(own, law, asym)$log)
  garch_start_known(problem, theta)
}

# The highest maximum of each of the problems, which have one law. from: parameters to climb from instead, or NULL.
garch_search <- function(problems, starts = 2L, from = list(NULL)) {
  given <- rep_len(!vapply(from, is.null, NA), length(problems))
  result <- vector("list", length(problems))
  if (any(given)) {
    climbs <- garch_maxima(problems[given], Map(function(problem, theta) list(garch_start_known(problem, theta)),
                                                problems[given], from[given]))
    result[given] <- lapply(climbs, `[[`, 1L)
    given[given] <- vapply(climbs, function(climb) climb[[1L]]$sound, NA)
  }
  if (!all(given)) result[!given] <- garch_search_all(problems[!given], starts)
  garch_at_ends(problems, result)
}

garch_search_all <- function(problems, starts) {
  stable <- problems[[1L]]$model$law == "stable"
  first <- if (stable) lapply(problems, garch_as, law = "t") else problems
  found <- garch_from_candidates(first, starts, if (stable) 1e-3 else 1e-9)
  if (stable) found <- garch_maxima(problems, Map(function(problem, climbs)
    lapply(climbs[seq_len(min(length(climbs), starts))], garch_from_t, problem = problem), problems, found))
  lapply(found, `[[`, 1L)
}

garch_from_candidates <- function(problems, starts, gain) {
  p <- problems[[1L]]$model$places
  mixed <- length(p$ar) && length(p$ma)
  held <- if (!mixed) problems else lapply(problems, function(problem) {
    problem$known[c(p$ar, p$ma)] <- ifelse(is.na(problem$known[c(p$ar, p$ma)]), 0, problem$known[c(p$ar, p$ma)])
    garch_problem(problem$model, problem$data, problem$known)
  })
  points <- garch_likeliest(held, lapply(held, garch_candidates), starts)
  found <- garch_maxima(held, points, if (mixed) 1e-2 else gain)
  if (!mixed) return(found)
  points <- Map(function(problem, climbs) garch_arma_points(problem, climbs[[1L]]), problems, found)
  # roots next to 1 have a narrow maximum, which few points promise
  chosen <- garch_likeliest(problems, points, starts + 3L)
  garch_maxima(problems, Map(function(chosen, points) c(chosen, points[length(points)]), chosen, points), gain)
}

# Where alpha tends to 2, or beta to -1 or 1, the maximum at this end, if it is as high. That of alpha = 2 is also
# looked for from the maxima with normal innovations, for its volatility may be another.
garch_at_ends <- function(problems, climbs) {
  if (problems[[1L]]$model$law != "stable") return(climbs)
  law <- problems[[1L]]$model$places$law
  for (end in c("alpha", "beta")) {
    at <- lapply(climbs, function(climb) garch_natural(climb$model, climb$t, climb$known)$value)
    near <- which(vapply(seq_along(problems), function(i) {
      v <- at[[i]][law]
      open <- is.na(climbs[[i]]$known[law])
      if (end == "alpha") open[1L] && v[1L] > 1.9 else open[2L] && abs(v[2L]) > 0.99
    }, NA))
    if (!length(near)) next
    held <- lapply(near, function(i) {
      problem <- problems[[i]]
      problem$known[law] <- if (end == "alpha") c(2, 0) else c(problem$known[law[1L]], sign(at[[i]][law[2L]]))
      garch_problem(problem$model, problem$data, problem$known)
    })
    points <- Map(function(problem, theta) list(garch_start_known(problem, theta)), held, at[near])
    if (end == "alpha") points <- Map(c, points, garch_from_normal(held))
    found <- garch_maxima(held, points)
    for (k in seq_along(near)) if (found[[k]][[1L]]$loglik >= climbs[[near[k]]]$loglik - 1e-6) {
      climbs[[near[k]]] <- found[[k]][[1L]]
      climbs[[near[k]]]$end <- end
    }
  }
  climbs
}

# Points of problems with alpha = 2 from the maxima of those with normal innovations, whose scale is sqrt(2) times
# that of the same stable ones.
garch_from_normal <- function(problems) {
  first <- lapply(problems, garch_as, law = "normal")
  found <- garch_from_candidates(first, 2L, 1e-3)
  Map(function(problem, climbs) lapply(climbs[1L], function(climb) {
    theta <- c(garch_natural(climb$model, climb$t, climb$known)$value, 2, 0)
    p <- problem$model$places
    theta[c(p$omega, p$arch)] <- theta[c(p$omega, p$arch)] / 2^(problem$model$power / 2)
    garch_start_known(problem, theta)
  }), problems, found)
}

# What a climb has found, in units of the data: parameters, those on a boundary, and covariances by the observed
# information and with the products of scores.
garch_found <- function(climb, data) {
  model <- climb$model
  at <- garch_natural(model, climb$t, climb$known)
  theta <- at$value
  boundary <- garch_boundary(model, theta, climb$known)
  law <- model$places$law
  if (identical(climb$end, "alpha")) boundary[law[1L]] <- "upper"
  if (identical(climb$end, "beta")) boundary[law[2L]] <- if (theta[law[2L]] > 0) "upper" else "lower"
  open <- which(is.na(climb$known) & boundary == "")
  cov <- garch_covariances(climb, theta, open)
  scale <- outer(data$back, data$back)
  list(theta = garch_unscaled(data, theta), loglik = climb$loglik - length(data$y) * log(data$unit),
       boundary = boundary, persistence = at$persistence, vcov = cov$vcov * scale, sandwich = cov$sandwich * scale,
       converged = climb$sound, rounds = climb$rounds)
}

# In units of the search, where what is below 2e-7 has no effect on the likelihood.
garch_boundary <- function(model, theta, known) {
  p <- model$places
  edge <- rep("", model$size)
  edge[p$omega][theta[p$omega] < 1e-10] <- "lower"
  parts <- c(p$arch, p$garch)
  edge[parts][theta[parts] < 2e-7] <- "lower"
  inner <- c(p$asym, if (model$law == "stable") p$law[2L], if (length(p$ar) == 1L) p$ar, if (length(p$ma) == 1L) p$ma)
  edge[inner][theta[inner] > 1 - 2e-6] <- "upper"
  edge[inner][theta[inner] < -1 + 2e-6] <- "lower"
  if (model$law != "normal") {
    at <- p$law[1L]
    if (theta[at] < model$floor + 2e-5) edge[at] <- "lower"
    if (model$law == "t" && theta[at] > 5e4) edge[at] <- "upper"
  }
  edge[!is.na(known)] <- ""
  # without ARCH the asymmetry has no effect
  gone <- p$asym[edge[p$arch][seq_along(p$asym)] == "lower"]
  edge[gone] <- "lower"
  edge
}

# The observed information of the open parameters is the slope of their scores, by central differences over a
# hundredth of the standard error that a parameter has while the others are known: the third derivative changes it by
# some 1e-4 of itself or less, and rounding, of scores whose errors are 1e-11, by less than 1e-6. Steps by standard
# errors of all together would be too long where parameters are hardly told apart. For power <= 1 scores jump where an
# e is 0, and what many jumps add to the slopes in parameters of the mean needs wider steps to show.
garch_covariances <- function(climb, theta, open) {
  n <- length(theta)
  empty <- matrix(NA_real_, n, n)
  model <- climb$model
  evaluate <- function(points, detail) .Call(C_garchEvaluate, lapply(points, garch_given, climb = climb), detail)
  here <- evaluate(list(theta), 1L)[[1L]]
  products <- here$products[open, open, drop = FALSE]
  if (!length(open) || anyNA(products)) return(list(vcov = empty, sandwich = empty))
  moves <- open %in% unlist(model$places[c("mu", "ar", "ma", "xreg")])
  step <- ifelse(moves & model$power <= 1, 1 / 3, 0.01) / sqrt(pmax(diag(products), 1e-300))
  range <- garch_ranges(model)
  step <- pmin(step, abs(theta[open] - range$lower[open]) / 4, abs(range$upper[open] - theta[open]) / 4)
  points <- unlist(lapply(seq_along(open), function(k) lapply(c(-1, 1), function(side) {
    theta[open[k]] <- theta[open[k]] + side * step[k]
    theta
  })), recursive = FALSE)
  score <- vapply(evaluate(points, 1L), function(told) told$score[open], numeric(length(open)))
  score <- array(score, c(length(open), 2L, length(open))) # by side and parameter
  information <- matrix(score[, 1L, ] - score[, 2L, ], length(open)) / rep(2 * step, each = length(open))
  information <- (information + t(information)) / 2
  size <- sqrt(abs(diag(information)))
  if (anyNA(size) || any(size == 0)) return(list(vcov = empty, sandwich = empty))
  root <- tryCatch(chol(information / outer(size, size)), error = function(e) NULL)
  if (is.null(root)) return(list(vcov = empty, sandwich = empty))
  vcov <- chol2inv(root) / outer(size, size)
  put <- function(v) replace(empty, cbind(rep(open, length(open)), rep(open, each = length(open))), v)
  list(vcov = put(vcov), sandwich = put(vcov %*% products %*% vcov))
}

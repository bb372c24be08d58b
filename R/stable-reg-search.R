# The search for the maximum of the likelihood of a linear model with stable errors: climbs from starts, and the best
# of what they lead to. A distribution is a vector of alpha, beta, gamma and location, the coefficients of q, in S0.

# The maximum by the search of stableFit(), for which the constant is delta: from the columns of location, the first
# of which has the shape that is given. Its distribution is alpha, beta, gamma and location, and its covariance that
# of coefficients turned by reg_turn().
reg_climb <- function(p, location, fixed, shape = NULL, climbs = 0L, gives_up = FALSE, known = NA_real_) {
  turn <- reg_turn(p, as.matrix(location)[, 1L])
  location <- turn %*% location
  q <- reg_through(p$q, turn)
  start <- if (!is.null(shape)) t(c(shape, if (p$constant) location[1L] else 0))
  apart <- setdiff(seq_len(ncol(q)), p$constant)
  found <- .Call(C_stableFit, list(
    x = p$y, weights = p$w, first = 0, n = as.double(length(p$y)), fixed = t(c(fixed, if (p$constant) NA else 0)),
    start = start, q = q[, apart, drop = FALSE], b = location[apart, , drop = FALSE], smallest_alpha = p$floor,
    most_steps = min(p$maxit, 1e6), climbs = climbs, gives_up = gives_up, known = known))
  own <- seq_along(found$par)[if (p$constant) TRUE else -4L]
  distribution <- found$par[own]
  if (ncol(q)) distribution[-(1:3)] <- backsolve(turn, distribution[-(1:3)])
  list(distribution = distribution, cov = matrix(found$cov, length(found$par))[own, own], turn = turn,
       ll = found$log_lik,
       boundary = found$boundary[1:3], sound = found$converged && found$boundary[1L] >= 0L,
       iterations = found$iterations)
}

# The normal distribution has its maximum in closed form: least squares.
reg_normal <- function(p, fixed) {
  rest <- p$y - drop(p$q %*% p$normal)
  most <- max(abs(rest)) # whose square may be out of range
  shape <- c(2, 0, most * sqrt(sum(p$w * (rest / most)^2) / sum(p$w) / 2))
  shape[!is.na(fixed)] <- fixed[!is.na(fixed)]
  fit <- reg_climb(p, p$normal, replace(fixed, 1L, 2), shape)
  fit$boundary[1L] <- as.integer(is.na(fixed[[1L]]))
  fit
}

# The problem without the last of the columns of x; of very many with the first twelve.
reg_fewer <- function(p) {
  p$rank <- min(p$rank - 1L, 12L)
  p$x <- p$x[, seq_len(p$rank), drop = FALSE]
  basis <- reg_basis(p$x, qr(p$x, tol = 1e-7))
  p[names(basis)] <- basis
  p$normal <- reg_least_squares(p$q, p$y, p$w)
  p
}

# A search: the best that climbs have found, one that is a maximum, and not at the lower end of alpha, before any
# other. inner: of the problem of a larger search, which has more starts of its own.
reg_begin <- function(p, fixed, inner = FALSE) {
  s <- new.env(parent = emptyenv())
  s$p <- p
  s$fixed <- fixed
  s$inner <- inner
  s$small <- length(p$y) <= 100L # has more maxima than others
  s$brief <- inner && !s$small # robust starts suffice
  s$again <- if (inner) 2L else 24L # climbs to the lower end of alpha that are worth another
  s$iterations <- 0L
  s
}

# Whether a climb from here leads to a better fit.
reg_try <- function(s, location, shape = NULL, climbs = 0L) {
  fit <- reg_climb(s$p, location, s$fixed, shape, climbs, TRUE, if (isTRUE(s$best$sound)) s$best$ll else NA_real_)
  s$iterations <- s$iterations + fit$iterations
  best <- s$best
  better <- is.null(best) || fit$sound > best$sound || fit$sound == best$sound && fit$ll > best$ll + 1e-8
  if (better) s$best <- fit
  s$sound <- fit$sound
  better
}

# A climb from here, and where it goes to the lower end of alpha others, from shapes of all kinds and with alpha held
# at first: the likelihood grows there without bound next to maxima, which are sooner met from above.
reg_try_held <- function(s, location, shape) {
  reg_try(s, location, shape)
  if (s$sound || s$again == 0L || !is.na(s$fixed[["alpha"]])) return(invisible())
  s$again <- s$again - 1L
  reg_try(s, location, climbs = 1L)
  for (alpha in c(1.2, 1.6)) {
    if (s$sound) break
    held <- reg_climb(s$p, location, replace(s$fixed, 1L, alpha), replace(shape, 1L, alpha))
    s$iterations <- s$iterations + held$iterations
    reg_try(s, held$distribution[-(1:3)], held$distribution[1:3])
  }
}

# Climbs from robust coefficients, and from the constant alone.
reg_try_robust <- function(s, robust) {
  p <- s$p
  reg_try(s, cbind(robust, if (p$constant && p$rank > 1L) 0, deparse.level = 0L))
  if (!s$best$sound || s$best$distribution[1L] < 1) { # the distribution of the residuals
    errors <- p
    errors$y <- p$y - drop(p$q %*% robust)
    errors$q <- p$q[, seq_len(p$constant), drop = FALSE]
    distribution <- reg_climb(errors, numeric(p$constant), s$fixed)$distribution
    reg_try(s, robust + c(distribution[-(1:3)], numeric(p$rank - p$constant)), distribution[1:3])
  }
  if (p$rank == p$constant) return(invisible())
  b <- reg_robust_starts(p, if (s$inner) 6L else 12L, s$small && !s$inner)
  many <- if (!s$small) 8L else if (s$inner) 10L else 24L
  found <- reg_likeliest(p, b, s$fixed)
  # shapes that fit worse are starts of climbs to other maxima: what coefficients promise is their likeliest shape's
  value <- found[[1L]]$value
  for (start in found)
    for (i in utils::head(order(-start$value), many))
      if (!s$best$sound || value[i] > s$best$ll - 30 - 0.1 * length(p$y))
        reg_try_held(s, b[, i], start$shape[i, ])
}

# All robust coefficients have led to the lower end of alpha: climbs from planes that are not improved, with alpha
# held at first, for a maximum may lie apart from where most cases are near a plane.
reg_try_planes <- function(s) {
  p <- s$p
  planes <- reg_planes(reg_cases(p, seq_along(p$y)), reg_subsets(24L, p$rank, length(p$y)))
  alpha <- min(max(0.8, 1.1 * p$floor), 1.9)
  beta <- if (is.na(s$fixed[["beta"]])) 0 else s$fixed[["beta"]]
  for (i in which(colSums(!is.finite(planes)) == 0)) {
    scale <- stats::median(abs(p$y - drop(p$q %*% planes[, i])))
    if (!(scale > 0)) next
    if (!is.na(s$fixed[["gamma"]])) scale <- s$fixed[["gamma"]]
    held <- reg_climb(p, planes[, i], replace(s$fixed, 1L, alpha), c(alpha, beta, scale))
    s$iterations <- s$iterations + held$iterations
    reg_try(s, held$distribution[-(1:3)], held$distribution[1:3])
  }
}

# Climbs with other shapes: next to normal, and skewed, as a second group of cases makes them look.
reg_try_shapes <- function(s, robust, normal) {
  p <- s$p
  fixed <- s$fixed
  # the larger alpha is, the fewer maxima there are
  if ((!s$best$sound || s$best$distribution[1L] == 2) && is.na(fixed[["alpha"]]))
    for (alpha in c(1.2, 1.5, 1.8, 1.99)) reg_try(s, p$normal, c(alpha, 0, normal$distribution[3L]))
  if (!is.na(fixed[["beta"]]) || s$brief && s$best$sound) return(invisible())
  for (location in list(robust, p$normal)) for (beta in c(-0.9, 0.9))
    for (alpha in if (is.na(fixed[["alpha"]])) pmax(c(0.6, 0.9), p$floor) else fixed[["alpha"]]) {
      scale <- stats::median(abs(p$y - drop(p$q %*% location)))
      if (scale > 0) reg_try(s, location, ifelse(is.na(fixed), c(alpha, beta, scale), fixed))
    }
}

# Where alpha is small, the density has a sharp peak, and the likelihood a maximum for every group of cases that can
# lie there: from planes through few of the cases next to it, t distributions with the same tails and the same peak
# lead to the groups, and the likeliest of them are starts.
reg_groups <- function(p, distribution) {
  many <- 6L
  k <- p$rank
  n <- length(p$y)
  shift <- distribution[2L] * stable_tangent(distribution[1L]) # to zeta
  here <- p
  here$y <- (p$y - drop(p$q %*% distribution[-(1:3)])) / distribution[3L] + shift
  d <- reg_cases(here, utils::head(order(abs(here$y)), 500L))
  b <- cbind(reg_planes(d, reg_subsets(200L, k, min(n, 4L * k + 8L))),
             reg_planes(d, reg_subsets(200L, min(k + 2L, n), min(n, k + 4L))))
  # the same second derivative of the log density at the peak, for beta = 0
  scale <- sqrt((1 + 1 / distribution[1L]) * gamma(1 / distribution[1L]) / gamma(3 / distribution[1L]))
  b <- reg_distinct(d, reg_ascend(d, b, distribution[1L], 5L, rep(scale, ncol(b)), TRUE), 4L * many, 0.1)$b
  # also with the location of S0 there, from where beta may turn
  if (p$constant) b <- cbind(b, b - c(shift, numeric(k - 1L)))
  log_f <- dstable(here$y - shift - p$q %*% b, distribution[1L], distribution[2L], log = TRUE)
  found <- list(b = b, scale = rep(1, ncol(b)), value = colSums(p$w * matrix(log_f, n)))
  distribution[-(1:3)] + distribution[3L] * reg_distinct(d, found, many, 0.01)$b
}

# Climbs from the best with the location chosen anew, for alpha < 1 has many maxima of it, and with shapes beside.
reg_try_again <- function(s) {
  p <- s$p
  for (round in 1:3)
    if (!s$best$sound || s$best$distribution[1L] >= 1 || !reg_try(s, s$best$distribution[-(1:3)])) break
  beside <- list(c(1, 0), c(0.85, -0.4), c(0.85, 0.4), c(1.4, 0))
  for (round in 1:2) {
    better <- FALSE
    distribution <- s$best$distribution
    if (distribution[1L] >= 1.4 || p$rank == 0L || p$rank > 20L || length(p$y) < p$rank + 4L) break
    for (change in if (s$inner) beside[1L] else beside) {
      shape <- c(min(max(distribution[1L] * change[1L], 1.02 * p$floor), 1.9),
                 max(min(distribution[2L] + change[2L], 0.95), -0.95), distribution[3L])
      shape <- ifelse(is.na(s$fixed), shape, s$fixed)
      b <- reg_groups(p, c(shape, distribution[-(1:3)]))
      for (i in seq_len(ncol(b))) better <- reg_try(s, b[, i], shape) || better
    }
    if (!better) break
  }
}

# From the maximum without the last column, for a larger model is not worse. What it leads to counts where the
# likelihood goes on growing towards the lower end of alpha, too, if all maxima are below that of the smaller model.
reg_try_fewer <- function(s) {
  p <- s$p
  less <- reg_fewer(p)
  # without slopes it is stableFit(), which needs no other starts
  fewer <- if (less$rank == less$constant) reg_climb(less, numeric(less$rank), s$fixed)
           else reg_search(less, s$fixed, list(), TRUE)
  s$iterations <- s$iterations + fewer$iterations
  if (!fewer$sound || s$best$sound && fewer$ll <= s$best$ll - 5) return(invisible())
  best <- s$best
  s$best <- NULL
  location <- c(less$back %*% fewer$distribution[-(1:3)], numeric(p$rank - less$rank))
  reg_try(s, p$to %*% location, fewer$distribution[1:3])
  fit <- s$best
  higher <- fit$ll > best$ll + 1e-8
  s$best <- if (fit$sound > best$sound || higher && (fit$sound == best$sound || best$ll < fewer$ll - 1e-6)) fit
            else best
}

# The best maximum from all starts.
reg_search <- function(p, fixed, start, inner = FALSE) {
  normal <- if (is.na(fixed[["alpha"]]) || fixed[["alpha"]] == 2) reg_normal(p, fixed)
  if (!is.na(fixed[["alpha"]]) && fixed[["alpha"]] == 2) return(normal)
  robust <- reg_robust(p)
  s <- reg_begin(p, fixed, inner)
  reg_try_robust(s, robust)
  reg_try_shapes(s, robust, normal)
  if (!s$best$sound && s$small && !inner && p$rank > p$constant && is.na(fixed[["alpha"]])) reg_try_planes(s)
  if (!s$brief) reg_try_again(s)
  if (!is.null(normal) && (normal$ll >= s$best$ll || s$best$distribution[1L] == 2)) s$best <- normal
  if (p$rank > p$constant) reg_try_fewer(s)
  # a start adds to the others, so that it cannot do harm
  if (length(start)) {
    location <- if (is.null(start$coefficients)) s$best$distribution[-(1:3)] else p$to %*% start$coefficients
    reg_try(s, location, start$shape)
    if (!is.null(start$shape)) reg_try(s, location)
  }
  best <- s$best
  if (!is.null(normal) && (normal$ll >= best$ll || best$distribution[1L] == 2)) best <- normal
  if (!inner && best$distribution[1L] < 2) { # columns are turned to where it is, for its covariance
    last <- reg_climb(p, best$distribution[-(1:3)], fixed, best$distribution[1:3])
    if (last$sound == best$sound && last$ll > best$ll - 1e-8) best <- last
    s$iterations <- s$iterations + last$iterations
  }
  best$iterations <- s$iterations
  best
}

# Starts of the search for linear models with stable errors, and the best of what they lead to. A distribution is a
# vector of alpha, beta, gamma and location, the coefficients of q, in S0.

# The maximum by the search of stableFit(), for which the constant is delta: from the columns of location, the first
# of which has the shape that is given. Its distribution is alpha, beta, gamma and location.
reg_climb <- function(p, location, fixed, shape = NULL) {
  start <- if (!is.null(shape)) t(c(shape, if (p$constant) location[1L] else 0))
  apart <- setdiff(seq_len(ncol(p$q)), p$constant)
  found <- .Call(C_stableFit, p$y, p$w, NULL, 0, as.double(length(p$y)), 0L, t(c(fixed, if (p$constant) NA else 0)),
                 start, p$q[, apart, drop = FALSE], as.matrix(location)[apart, , drop = FALSE], p$floor,
                 as.integer(min(p$maxit, 1e6)), 0L)
  own <- seq_along(found$par)[if (p$constant) TRUE else -4L]
  list(law = found$par[own], cov = matrix(found$cov, length(found$par))[own, own], ll = found$log_lik,
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

# Robust start: least squares with weights 1/max(|residual|, their median), between least absolute deviations, which
# would go through some of the observations and suggest a peak there, and least squares.
reg_robust <- function(p) {
  location <- unname(p$normal)
  for (round in 1:100) {
    rest <- abs(p$y - drop(p$q %*% location))
    fit <- stats::lm.wfit(p$q, p$y, p$w / pmax(rest, stats::median(rest), .Machine$double.xmin))
    change <- max(abs(p$q %*% (fit$coefficients - location)), 0)
    if (is.na(change)) break
    location <- unname(fit$coefficients)
    if (change < 1e-3 * stats::median(abs(fit$residuals))) break
  }
  location
}

reg_names <- function(given, name, known) {
  bad <- if (is.null(names(given))) "(no names)" else setdiff(names(given), known)
  if (length(given) && length(bad)) input_error(name, bad, paste("must have names among", toString(known)))
}

# Checks start: a list of coefficients and shape, each a vector or NULL.
reg_start <- function(start, fixed, p) {
  if (is.null(start)) return(list())
  if (!is.list(start) && !is.numeric(start)) input_error("start", start, "must be a named list")
  start <- as.list(start)
  reg_names(start, "start", c("alpha", "beta", "gamma", "coefficients"))
  b <- start$coefficients
  start$coefficients <- NULL
  columns <- colnames(p$qr$qr)[seq_len(p$rank)]
  if (!is.null(b)) {
    if (!is.numeric(b) || any(!is.finite(b[!is.na(b)]))) input_error("start$coefficients", b, "must be finite")
    if (!is.null(names(b)) && all(columns %in% names(b))) b <- b[columns]
    if (length(b) != p$rank || anyNA(b))
      input_error("start$coefficients", b, paste("must have a value for each of", toString(columns)))
  }
  if (!length(start)) return(list(coefficients = b))
  shape <- fit_values(start, "start")[1:3]
  both <- !is.na(shape) & !is.na(fixed)
  if (any(both)) input_error("start", names(shape)[both], "names a parameter that is fixed")
  none <- is.na(shape) & is.na(fixed)
  if (any(none)) input_error("start", names(start), paste("has no value for", toString(names(shape)[none])))
  list(coefficients = b, shape = ifelse(is.na(fixed), shape, fixed))
}

# Where alpha is small, the likelihood has a maximum for every group of cases that can lie at zeta, the peak of the
# density: least squares through all groups of two more than there are coefficients from the few next to zeta, the
# likeliest of them.
reg_groups <- function(p, par) {
  y <- p$y + par[3L] * par[2L] * stable_tangent(par[1L]) # whose location is zeta
  near <- order(abs(y - drop(p$q %*% par[-(1:3)])))[seq_len(p$rank + 4L)]
  groups <- utils::combn(near, p$rank + 2L, function(i)
    qr.coef(qr(p$q[i, , drop = FALSE]), y[i]), simplify = FALSE)
  groups <- groups[!vapply(groups, anyNA, NA)]
  loglik <- vapply(groups, function(b)
    sum(p$w * dstable(p$y - drop(p$q %*% b), par[1L], par[2L], par[3L], log = TRUE)), 1)
  groups <- groups[utils::head(order(-loglik), 4L)]
  # also with the location of S0 there, from where beta may turn
  c(groups, lapply(groups, function(b) b - c(par[3L] * par[2L] * stable_tangent(par[1L]) * p$constant, 0 * b[-1L])))
}

# The problem without the last of the orthogonal columns; of very many the first twelve.
reg_fewer <- function(p) {
  p$rank <- min(p$rank - 1L, 12L)
  p$q <- p$q[, seq_len(p$rank), drop = FALSE]
  p$normal <- stats::lm.wfit(p$q, p$y, p$w)$coefficients
  p
}

# The best maximum from all starts: one that is a maximum, and not at the lower end of alpha, comes before any other.
reg_search <- function(p, fixed, start) {
  normal <- if (is.na(fixed[["alpha"]]) || fixed[["alpha"]] == 2) reg_normal(p, fixed)
  if (!is.na(fixed[["alpha"]]) && fixed[["alpha"]] == 2) return(normal)
  robust <- reg_robust(p)
  best <- NULL
  iterations <- 0L
  # whether starts lead to a better fit
  try <- function(location, shape = NULL) {
    fit <- reg_climb(p, location, fixed, shape)
    iterations <<- iterations + fit$iterations
    better <- is.null(best) || fit$sound > best$sound || fit$sound == best$sound && fit$ll > best$ll + 1e-8
    if (better) best <<- fit
    better
  }
  # a start adds to the others, so that it cannot do harm; the last is without slopes
  given <- if (!is.null(start$coefficients)) p$to %*% start$coefficients
  try(cbind(given, robust, if (p$constant && p$rank > 1L) 0, deparse.level = 0L), start$shape)
  if (!best$sound || best$law[1L] < 1) { # the distribution of the residuals
    errors <- p
    errors$y <- p$y - drop(p$q %*% robust)
    errors$q <- p$q[, seq_len(p$constant), drop = FALSE]
    law <- reg_climb(errors, numeric(p$constant), fixed)$law
    try(robust + c(law[-(1:3)], numeric(p$rank - p$constant)), law[1:3])
  }
  # the larger alpha is, the fewer maxima there are
  if ((!best$sound || best$law[1L] == 2) && is.na(fixed[["alpha"]]))
    for (alpha in c(1.2, 1.5, 1.8, 1.99)) try(p$normal, c(alpha, 0, normal$law[3L]))
  # a second group of cases looks like a heavy tail on one side
  if (is.na(fixed[["beta"]]) && is.null(start$shape))
    for (location in list(robust, p$normal)) for (beta in c(-0.9, 0.9))
      for (alpha in if (is.na(fixed[["alpha"]])) pmax(c(0.6, 0.9), p$floor) else fixed[["alpha"]]) {
        scale <- stats::median(abs(p$y - drop(p$q %*% location)))
        if (scale > 0) try(location, ifelse(is.na(fixed), c(alpha, beta, scale), fixed))
      }
  # with the location chosen anew, for alpha < 1 has many maxima of it
  for (round in 1:3) if (!best$sound || best$law[1L] >= 1 || !try(best$law[-(1:3)])) break
  if (best$law[1L] < 1 && p$rank > 0L && p$rank <= 12L && length(p$y) >= p$rank + 4L)
    for (location in reg_groups(p, best$law)) try(location, best$law[1:3])
  # From the maximum without the last column, for a larger model is not worse. What it leads to counts where the
  # likelihood goes on growing towards the lower end of alpha, too, if all maxima are below that of the smaller model.
  if (p$rank > p$constant && is.null(start$shape)) {
    less <- reg_fewer(p)
    # without slopes it is stableFit(), which needs no other starts
    fewer <- if (less$rank == p$constant) reg_climb(less, numeric(p$constant), fixed)
             else reg_search(less, fixed, list())
    iterations <- iterations + fewer$iterations
    if (fewer$sound && (!best$sound || fewer$ll > best$ll - 5)) {
      fit <- reg_climb(p, c(fewer$law[-(1:3)], numeric(p$rank - length(fewer$law) + 3L)), fixed, fewer$law[1:3])
      iterations <- iterations + fit$iterations
      if (fit$ll > best$ll + 1e-8 && (fit$sound >= best$sound || best$ll < fewer$ll - 1e-6)) best <- fit
    }
  }
  if (!is.null(normal) && (normal$ll >= best$ll || best$law[1L] == 2)) best <- normal
  best$iterations <- iterations
  best
}

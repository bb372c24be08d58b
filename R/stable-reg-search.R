# The likelihood of linear models with stable errors, and its maximum from a start.

# A law is a list of alpha, beta, gamma, the coefficients of q, location, and the parameterisation of the latter,
# frame: S0, or S1 for small alpha, where S0's location hardly varies independently of alpha and beta (see
# src/stable/stable_fit.c).
reg_reframed <- function(p, law, frame) {
  if (law$frame == frame) return(law)
  shift <- law$gamma * law$beta * tan(pi / 2 * law$alpha)
  law$location <- law$location + (if (frame == 0) shift else -shift) * p$unit
  law$frame <- frame
  law
}

reg_best_frame <- function(p, law)
  if (is.null(p$unit)) 0 else if (law$alpha < 0.75) 1 else if (law$alpha > 0.8) 0 else law$frame

reg_loglik <- function(p, law) {
  z <- (p$y - drop(p$q %*% law$location)) / law$gamma
  ll <- sum(p$w * dstable(z, law$alpha, law$beta, pm = law$frame, log = TRUE)) - sum(p$w) * log(law$gamma)
  if (is.nan(ll)) -Inf else ll
}

# Log likelihood, gradient g, observed information and outer product of the scores with respect to
# (log(alpha/(2 - alpha)), atanh(beta), log(gamma), location/gamma).
reg_differentiate <- function(p, law) {
  z <- (p$y - drop(p$q %*% law$location)) / law$gamma
  s <- stable_slopes(z, law$alpha, law$beta, law$frame)
  ll <- sum(p$w * s[, "log_f"]) - sum(p$w) * log(law$gamma)
  s[!is.finite(s)] <- 0 # of parameters that are held on a boundary
  da <- law$alpha * (2 - law$alpha) / 2
  db <- (1 - law$beta) * (1 + law$beta)
  l_z <- s[, "z"]
  mixed <- l_z + z * s[, "z.z"]
  score <- cbind(da * s[, "alpha"], db * s[, "beta"], -1 - z * l_z, -l_z * p$q)
  sum_of <- function(v) sum(p$w * v)
  shape <- matrix(0, 3L, 3L)
  shape[1L, ] <- c(da^2 * sum_of(s[, "alpha.alpha"]) + da * (1 - law$alpha) * sum_of(s[, "alpha"]),
                   da * db * sum_of(s[, "alpha.beta"]), -da * sum_of(z * s[, "alpha.z"]))
  shape[2L, 2:3] <- c(db^2 * sum_of(s[, "beta.beta"]) - 2 * law$beta * db * sum_of(s[, "beta"]),
                      -db * sum_of(z * s[, "beta.z"]))
  shape[3L, 3L] <- sum_of(z * mixed)
  shape[lower.tri(shape)] <- t(shape)[lower.tri(shape)]
  cross <- crossprod(p$q, p$w * cbind(-da * s[, "alpha.z"], -db * s[, "beta.z"], mixed))
  second <- rbind(cbind(shape, t(cross)), cbind(cross, crossprod(p$q, p$w * s[, "z.z"] * p$q)))
  list(ll = if (is.nan(ll)) -Inf else ll, g = colSums(p$w * score), info = -second,
       scores = crossprod(score, p$w * score))
}

# ---- the search ----

# solve(m, g) by Cholesky's method, or the inverse; NULL unless m is safely positive definite.
reg_solve <- function(m, g) {
  d <- diag(m)
  if (!all(is.finite(m)) || any(d <= 0)) return(NULL)
  scale <- 1 / sqrt(d)
  root <- tryCatch(chol(m * outer(scale, scale)), error = function(e) NULL)
  if (is.null(root) || min(diag(root))^2 < 1e-11) return(NULL)
  if (missing(g)) return(chol2inv(root) * outer(scale, scale))
  scale * backsolve(root, forwardsolve(t(root), scale * g))
}

# Newton's step. Where the likelihood is not concave, or with damping > 0, eigenvalues of the information take their
# absolute values and a ridge, in units in which the squared scores add up to 1, so that it leads uphill. gain: what
# the quadratic model promises, half the score statistic if concave. The step is cut to where that model may serve.
reg_ascent <- function(d, free, damping) {
  info <- d$info[free, free, drop = FALSE]
  g <- d$g[free]
  found <- if (damping == 0) reg_solve(info, g)
  concave <- !is.null(found)
  if (!concave) {
    scale <- 1 / sqrt(diag(d$scores)[free] + 1e-6)
    scaled <- info * outer(scale, scale)
    if (!all(is.finite(scaled))) return(list(step = numeric(length(free)), gain = -1, concave = FALSE))
    e <- eigen(scaled, symmetric = TRUE)
    values <- pmax(abs(e$values), 0.01) + damping * max(abs(e$values), 0.01)
    found <- scale * drop(e$vectors %*% (crossprod(e$vectors, scale * g) / values))
  }
  step <- numeric(length(free))
  step[free] <- found
  list(step = step / max(1, abs(step[1:3]), abs(step[-(1:3)]) / 5), gain = sum(step * d$g) / 2, concave = concave)
}

reg_moved <- function(p, law, step, free) {
  if (free[1L]) law$alpha <- max(2 * stats::plogis(stats::qlogis(law$alpha / 2) + step[1L]), p$floor)
  if (free[2L]) law$beta <- tanh(atanh(law$beta) + step[2L])
  law$location <- law$location + law$gamma * step[-(1:3)]
  if (free[3L]) law$gamma <- law$gamma * exp(step[3L])
  law
}

# Climbs to a maximum, which takes a concave likelihood and a score of no size ("maximum"), or until the search heads
# for a boundary that is watched ("alpha", "beta"), or no step helps ("stuck").
reg_climb <- function(p, law, free, watch = character()) {
  law <- reg_reframed(p, law, reg_best_frame(p, law))
  d <- reg_differentiate(p, law)
  damping <- 0
  iterations <- 0L
  mark <- -Inf
  why <- if (is.finite(d$ll)) "running" else "stuck"
  for (round in 0:p$maxit) {
    if (why != "running") break
    if (free[1L] && law$alpha <= p$floor && d$g[1L] < 0) free[1L] <- FALSE
    if ("alpha" %in% watch && free[1L] && law$alpha > 1.995 && d$g[1L] > 0) why <- "alpha"
    else if ("beta" %in% watch && free[2L] && abs(law$beta) > 0.995 && d$g[2L] * law$beta > 0) why <- "beta"
    if (why != "running") break
    ascent <- reg_ascent(d, free, damping)
    noise <- 1e-14 * abs(d$ll) + 1e-10 # differences below the rounding of the likelihood decide nothing
    # a likelihood that creeps has no maximum
    creeps <- round %% 25 == 0 && d$ll <= mark + 0.01
    if (round %% 25 == 0) mark <- d$ll
    if (ascent$concave && ascent$gain >= 0 && ascent$gain < noise) why <- "maximum"
    else if (ascent$gain < noise || round == p$maxit || creeps) why <- "stuck"
    if (why != "running") break
    to <- reg_moved(p, law, ascent$step, free)
    ll <- reg_loglik(p, to)
    share <- 1
    while (!(ll > d$ll - noise) && share > 1e-3) {
      share <- 0.4 * share
      to <- reg_moved(p, law, share * ascent$step, free)
      ll <- reg_loglik(p, to)
    }
    if (ll > d$ll - noise) {
      iterations <- iterations + 1L
      if (ll <= d$ll && ascent$gain < 1e-8 && ascent$concave) why <- "maximum"
      law <- reg_reframed(p, to, reg_best_frame(p, to))
      d <- reg_differentiate(p, law)
      damping <- 0
    } else if (ascent$gain < 1e-6 && ascent$concave) {
      why <- "maximum"
    } else {
      damping <- if (damping > 0) 100 * damping else 1
      if (damping > 1e4) why <- "stuck"
    }
  }
  list(law = law, d = d, free = free, why = why, iterations = iterations)
}

# Moves the end point of a one-sided law beyond the observations, if it is not there.
reg_cover <- function(p, law) {
  if (law$alpha >= 1 || abs(law$beta) < 1 || is.null(p$unit)) return(law)
  side <- sign(law$beta)
  end <- if (law$frame == 0) -law$beta * tan(pi / 2 * law$alpha) * law$gamma else 0
  room <- min(side * (p$y - drop(p$q %*% law$location) - end))
  if (room <= 0) law$location <- law$location + side * (room - 0.01 * law$gamma) * p$unit
  law
}

# The better of a fit and of a climb along beta = -1 or 1 from where it is.
reg_try_beta <- function(p, fit, watch = character()) {
  law <- fit$law
  law$beta <- if (law$beta < 0) -1 else 1
  free <- fit$free
  free[2L] <- FALSE
  edge <- reg_climb(p, reg_cover(p, law), free, watch)
  edge$iterations <- edge$iterations + fit$iterations
  if (edge$d$ll >= fit$d$ll) edge else within(fit, iterations <- edge$iterations)
}

# The normal law has its maximum in closed form: least squares.
reg_normal <- function(p, fixed) {
  rest <- p$y - drop(p$q %*% p$normal)
  gamma <- if (is.na(fixed[["gamma"]])) sqrt(sum(p$w * rest^2) / sum(p$w) / 2) else fixed[["gamma"]]
  beta <- if (is.na(fixed[["beta"]])) 0 else fixed[["beta"]]
  law <- list(alpha = 2, beta = beta, gamma = gamma, location = unname(p$normal), frame = 0)
  list(law = law, d = reg_differentiate(p, law), free = c(FALSE, FALSE, is.na(fixed[["gamma"]]), rep(TRUE, p$rank)),
       why = "maximum", iterations = 0L)
}

# The maximum that a start leads to, in the interior or on a boundary.
reg_maximise <- function(p, law, fixed, normal) {
  free <- c(unname(is.na(fixed)), rep(TRUE, p$rank))
  on_edge <- free[2L] && abs(law$beta) == 1
  start <- law
  if (on_edge) law$beta <- 0.99 * law$beta
  watch <- c("alpha", "beta")
  fit <- reg_climb(p, law, free, watch)
  while (fit$why %in% watch) {
    if (fit$why == "alpha" && normal$d$ll >= fit$d$ll) return(fit)
    watch <- setdiff(watch, fit$why)
    before <- fit
    if (fit$why == "beta") fit <- reg_try_beta(p, before, watch)
    if (fit$why %in% c("alpha", "beta") && !fit$why %in% watch) {
      fit <- reg_climb(p, fit$law, fit$free, watch)
      fit$iterations <- fit$iterations + before$iterations
    }
  }
  if (fit$why == "stuck" && fit$law$alpha <= p$floor) return(fit)
  if (fit$free[2L] && abs(fit$law$beta) > 0.95) fit <- reg_try_beta(p, fit)
  if (on_edge && fit$free[2L]) fit <- reg_try_beta(p, within(fit, law <- start))
  fit
}

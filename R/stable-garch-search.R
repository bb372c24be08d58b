# The search for the maximum of the likelihood of stableGarch(): parameters that keep a series stationary and its
# scale positive, their derivatives, and climbs of many series side by side, each round of which is one call of the
# engine.
#
# A model is a list with `orders` (ar, ma, arch, garch, asym), `columns`, `power` and `law`, as the engine takes it,
# and `names` and `places` of its parameters. The search runs on t:
#   mu and coefficients of xreg  themselves
#   ar, ma                       partial autocorrelations tanh(t) (Monahan 1984), of -ma for invertibility
#   omega                        exp(t)
#   arch, garch                  persistence P = plogis(t1), in shares w by a softmax of the other t and 0:
#                                arch_i = P w_i/E(|z| - asym_i z)^power, garch_j = P w_(arch + j)
#   asym, beta                   tanh(t)
#   alpha                        between its lower end and 2, by plogis; df above it, by exp

# ---- models ----

garch_model <- function(mean, garch, power, asymmetry, law, xnames = character()) {
  orders <- as.integer(c(mean, garch, if (asymmetry) garch[1L] else 0L))
  numbered <- function(name, n) if (n) paste0(name, seq_len(n))
  groups <- list(mu = "mu", ar = numbered("ar", orders[1L]), ma = numbered("ma", orders[2L]), xreg = xnames,
                 omega = "omega", arch = numbered("arch", orders[3L]), asym = numbered("asym", orders[5L]),
                 garch = numbered("garch", orders[4L]),
                 law = switch(law, stable = c("alpha", "beta"), t = "df", normal = NULL))
  end <- cumsum(lengths(groups))
  places <- Map(function(end, n) end - n + seq_len(n), end, lengths(groups))
  list(orders = orders, columns = length(xnames), power = as.double(power), law = law,
       names = unlist(groups, use.names = FALSE), places = places, size = end[[length(end)]],
       floor = max(1, power)) # of alpha and df: the mean, and E|z|^power, exist above
}

# Components and ranges of the parameters, as parameter_table() has them.
garch_ranges <- function(model) {
  n <- model$size
  p <- model$places
  lower <- rep(-Inf, n)
  upper <- rep(Inf, n)
  inner <- c(p$asym, if (model$law == "stable") p$law[2L], if (model$orders[1L] == 1L) p$ar,
             if (model$orders[2L] == 1L) p$ma)
  lower[inner] <- -1
  upper[inner] <- 1
  lower[c(p$omega, p$arch, p$garch)] <- 0
  upper[p$garch] <- 1
  if (model$law != "normal") lower[p$law[1L]] <- model$floor
  if (model$law == "stable") upper[p$law[1L]] <- 2
  component <- rep("mean", n)
  component[c(p$omega, p$arch, p$asym, p$garch)] <- "scale"
  component[p$law] <- "distribution"
  list(component = factor(component, unique(component)), lower = lower, upper = upper)
}

# log E(|z| - asym z)^power for each of asym, with its derivatives in asym and in the parameters of the distribution.
#
# For stable z of scale 1 and location 0 in S1, rho = P(z > 0) = 1/2 + atan(T)/(pi alpha), T = beta tan(pi alpha/2),
#   E max(z, 0)^p = Gamma(1 - p/alpha) Gamma(p) sin(pi p rho)/pi (1 + T^2)^(p/(2 alpha)),  0 < p < alpha
# (Zolotarev 1986, section 2.6), and for -z with 1 - rho.
garch_moment <- function(model, law, asym) {
  p <- model$power
  above <- (1 - asym)^p
  below <- (1 + asym)^p
  if (model$law == "stable") {
    alpha <- law[1L]
    tangent <- stable_tangent(alpha)
    t <- law[2L] * tangent
    by_t <- c(law[2L] * pi / 2 * (1 + tangent^2), tangent)
    by_angle <- by_t / (1 + t^2)
    rho <- 0.5 + c(1, -1) * atan(t) / (pi * alpha)
    by_rho <- (by_angle - c(atan(t) / alpha, 0)) / (pi * alpha) # of the first
    side <- sin(pi * p * rho)
    by_side <- pi * p * cos(pi * p * rho) * c(1, -1)
    common <- lgamma(1 - p / alpha) + lgamma(p) - log(pi) + p / (2 * alpha) * log1p(t^2)
    by_common <- c(digamma(1 - p / alpha) * p / alpha^2 - p / (2 * alpha^2) * log1p(t^2), 0) +
      p / alpha * t * by_angle
    sum <- above * side[1L] + below * side[2L]
    by_law <- rep(by_common, each = length(asym)) + outer((above * by_side[1L] + below * by_side[2L]) / sum, by_rho)
  } else {
    df <- law
    common <- lgamma((p + 1) / 2) - log(pi) / 2 - log(2) +
      if (model$law == "t") p / 2 * log(df) + lgamma((df - p) / 2) - lgamma(df / 2) else p / 2 * log(2)
    side <- c(1, 1)
    sum <- above + below
    by_law <- matrix(if (model$law == "t") p / (2 * df) + digamma((df - p) / 2) / 2 - digamma(df / 2) / 2
                     else numeric(), length(asym), length(law))
  }
  by_asym <- p * ((1 + asym)^(p - 1) * side[2L] - (1 - asym)^(p - 1) * side[1L]) / sum
  list(log = common + log(sum), by_asym = by_asym, by_law = by_law)
}

# Coefficients of a stationary autoregression from its partial autocorrelations, with their Jacobian
# (Durbin-Levinson).
partial_to_ar <- function(r) {
  n <- length(r)
  phi <- numeric()
  jacobian <- matrix(0, 0L, n)
  for (k in seq_len(n)) {
    back <- rev(seq_len(k - 1L))
    jacobian <- rbind(jacobian - r[k] * jacobian[back, , drop = FALSE], 0)
    jacobian[, k] <- c(-phi[back], 1)
    phi <- c(phi - r[k] * phi[back], r[k])
  }
  list(value = phi, jacobian = jacobian)
}

ar_to_partial <- function(phi) {
  r <- phi
  for (k in rev(seq_along(phi))) {
    r[k] <- phi[k]
    back <- rev(seq_len(k - 1L))
    phi <- (phi[seq_len(k - 1L)] + r[k] * phi[back]) / (1 - r[k]^2)
  }
  r
}

# ---- between parameters and what is searched ----

# Parameters at t, their Jacobian, and the persistence. known: values of parameters that are fixed, else NA.
garch_natural <- function(model, t, known) {
  p <- model$places
  value <- t
  jacobian <- diag(model$size)
  for (group in c("ar", "ma")) if (length(at <- p[[group]])) {
    r <- tanh(t[at])
    sign <- if (group == "ar") 1 else -1
    ar <- partial_to_ar(r)
    value[at] <- sign * ar$value
    jacobian[at, at] <- sign * ar$jacobian %*% diag(1 - r^2, length(r))
  }
  value[p$omega] <- exp(t[p$omega])
  jacobian[p$omega, p$omega] <- value[p$omega]
  for (at in c(p$asym, if (model$law == "stable") p$law[2L])) {
    value[at] <- tanh(t[at])
    jacobian[at, at] <- (1 - value[at]) * (1 + value[at])
  }
  if (model$law == "stable") {
    at <- p$law[1L]
    u <- stats::plogis(t[at])
    value[at] <- model$floor + (2 - model$floor) * u
    jacobian[at, at] <- (2 - model$floor) * u * stats::plogis(-t[at])
  }
  if (model$law == "t") {
    at <- p$law
    jacobian[at, at] <- exp(t[at])
    value[at] <- model$floor + jacobian[at, at]
  }
  fixed <- which(!is.na(known))
  value[fixed] <- known[fixed]
  jacobian[, fixed] <- 0
  parts <- garch_persistence(model, t, value, jacobian)
  at <- c(p$arch, p$garch)
  value[at] <- parts$value
  jacobian[at, ] <- parts$jacobian
  jacobian[at, fixed] <- 0
  list(value = value, jacobian = jacobian, persistence = parts$persistence)
}

# arch and garch, with the rows of the Jacobian.
garch_persistence <- function(model, t, value, jacobian) {
  p <- model$places
  at <- c(p$arch, p$garch)
  n <- length(at)
  if (!n) return(list(value = numeric(), jacobian = matrix(0, 0L, model$size), persistence = 0))
  total <- stats::plogis(t[at[1L]])
  logit <- c(t[at[-1L]], 0)
  share <- exp(logit - max(logit))
  share <- share / sum(share)
  arch <- seq_along(p$arch)
  asym <- if (length(p$asym)) value[p$asym] else numeric(length(arch))
  moment <- garch_moment(model, value[p$law], asym)
  own <- total * share
  own[arch] <- own[arch] / exp(moment$log)
  by <- matrix(0, n, model$size)
  by[, at[1L]] <- own * stats::plogis(-t[at[1L]])
  by[, at[-1L]] <- own * (diag(n)[, -n, drop = FALSE] - rep(share[-n], each = n))
  if (length(p$asym)) by[cbind(arch, p$asym)] <- -own[arch] * moment$by_asym * diag(jacobian)[p$asym]
  if (length(p$law))
    by[arch, p$law] <- -own[arch] * moment$by_law * rep(diag(jacobian)[p$law], each = length(arch))
  list(value = own, jacobian = by, persistence = total)
}

# The persistence of parameters, which is below 1 where E s^power is finite.
persistence_of <- function(model, theta) {
  p <- model$places
  asym <- if (length(p$asym)) theta[p$asym] else numeric(length(p$arch))
  sum(theta[p$arch] * exp(garch_moment(model, theta[p$law], asym)$log)) + sum(theta[p$garch])
}

# The inverse of garch_natural(); what is on a boundary or beyond is moved inside.
garch_search_point <- function(model, theta) {
  p <- model$places
  t <- theta
  inside <- function(v, margin = 1e-6) pmin(pmax(v, -1 + margin), 1 - margin)
  for (group in c("ar", "ma")) if (length(at <- p[[group]]))
    t[at] <- atanh(inside(ar_to_partial(if (group == "ar") theta[at] else -theta[at]), 1e-4))
  t[p$omega] <- log(max(theta[p$omega], 1e-12))
  at <- c(p$asym, if (model$law == "stable") p$law[2L])
  t[at] <- atanh(inside(theta[at]))
  if (model$law == "stable")
    t[p$law[1L]] <- stats::qlogis(min(max((theta[p$law[1L]] - model$floor) / (2 - model$floor), 1e-4), 1 - 1e-6))
  if (model$law == "t") t[p$law] <- log(max(theta[p$law] - model$floor, 1e-4))
  at <- c(p$arch, p$garch)
  if (length(at)) {
    asym <- if (length(p$asym)) theta[p$asym] else numeric(length(p$arch))
    part <- c(theta[p$arch] * exp(garch_moment(model, theta[p$law], asym)$log), theta[p$garch])
    total <- min(max(sum(part), 1e-4), 1 - 1e-7)
    part <- pmax(part / sum(part), 1e-7)
    t[at] <- c(stats::qlogis(total), log(part[-length(part)]) - log(part[length(part)]))
  }
  t
}

# ---- climbs ----

# Coordinates that are searched: all but those of parameters that are fixed.
garch_open <- function(known) which(is.na(known))

# data: y, x and first of a series. Log likelihood, and with detail 1 its gradient in t and the sum of products of
# scores, at the points t of the climbs.
garch_values <- function(climbs, t, detail = 1L) {
  at <- Map(function(climb, t) garch_natural(climb$model, t, climb$known), climbs, t)
  told <- .Call(C_garchEvaluate, Map(garch_given, climbs, lapply(at, `[[`, "value")), detail)
  Map(function(climb, at, told) {
    if (detail == 0L || !is.finite(told$loglik)) return(list(loglik = told$loglik))
    used <- rowSums(at$jacobian[, climb$open, drop = FALSE] != 0) > 0 # others may have no score, as alpha = 2
    j <- at$jacobian[used, climb$open, drop = FALSE]
    list(loglik = told$loglik, gradient = drop(told$score[used] %*% j),
         products = crossprod(j, told$products[used, used] %*% j))
  }, climbs, at, told)
}

garch_given <- function(climb, theta)
  c(climb$model[c("orders", "columns", "power", "law")], climb$data[c("y", "x", "first")],
    list(theta = as.double(theta)))

# The inverse of a sum of products of scores in the free coordinates. The ridge is for those that have next to no
# effect, as towards an end of the search: their gradients, tiny but larger than their scores, would lead far away; a
# coordinate that counts has thousands in its place.
garch_metric <- function(products, free = rep(TRUE, nrow(products)), ridge = 1e-2) {
  value <- 0 * products
  products <- products[free, free, drop = FALSE] + diag(ridge, sum(free))
  size <- sqrt(pmax(diag(products), 1e-300))
  scaled <- products / outer(size, size)
  if (length(size)) value[free, free] <- chol2inv(chol(scaled + diag(1e-9, nrow(scaled)))) / outer(size, size)
  value
}

# Climbs by quasi-Newton steps with the sum of products of scores as the first metric (Berndt, Hall, Hall and Hausman
# 1974), all of them a step a round. A climb is at its maximum where both metrics promise less than `gain`.
garch_climb <- function(climbs, gain = 1e-9, most = 300L) {
  climbs <- Map(garch_begin, climbs, garch_values(climbs, lapply(climbs, `[[`, "t")))
  for (round in seq_len(most)) {
    active <- which(vapply(climbs, function(climb) !climb$done, NA))
    if (!length(active)) break
    trial <- lapply(climbs[active], garch_trial)
    climbs[active] <- Map(garch_step, climbs[active], trial, garch_values(climbs[active], trial), gain)
  }
  lapply(climbs, function(climb) if (climb$done) climb else garch_rest(climb))
}

garch_begin <- function(climb, told) {
  bounds <- garch_bounds(climb$model)
  climb$lower <- bounds$lower[climb$open]
  climb$upper <- bounds$upper[climb$open]
  climb$rounds <- 0L
  climb$done <- !is.finite(told$loglik)
  climb$sound <- FALSE
  climb$promised <- Inf
  climb$loglik <- told$loglik
  climb$mark <- climb[c("rounds", "loglik")]
  if (!climb$done) climb <- garch_turn(climb, told, garch_metric(told$products), 1e-9)
  climb
}

# Ends of the search, beyond which parameters differ from their boundaries by 1e-6 of their range or less.
garch_bounds <- function(model) {
  p <- model$places
  end <- rep(Inf, model$size)
  end[c(p$ar, p$ma, p$asym, if (model$law == "stable") p$law[2L])] <- 7
  end[p$omega] <- 25
  end[c(p$arch, p$garch)] <- 16
  if (model$law != "normal") end[p$law[1L]] <- if (model$law == "t") 11 else 14
  list(lower = -end, upper = end)
}

# The next direction from where the climb is; a metric that promises nothing is given up for that of the scores.
# Coordinates at an end of the search stay there while their gradient points outwards.
garch_turn <- function(climb, told, metric, gain) {
  at <- climb$t[climb$open]
  free <- !(at <= climb$lower & told$gradient < 0 | at >= climb$upper & told$gradient > 0)
  g <- ifelse(free, told$gradient, 0)
  promise <- function(metric) sum(g * (metric %*% g)) / 2
  climb$promised <- promise(metric)
  climb$fresh <- FALSE
  if (!(climb$promised > gain)) {
    metric <- garch_metric(told$products, free)
    climb$promised <- promise(metric)
    climb$fresh <- TRUE
    climb$done <- climb$sound <- !(climb$promised > gain)
  }
  step <- ifelse(free, drop(metric %*% g), 0)
  climb$metric <- metric
  climb$gradient <- told$gradient
  climb$products <- told$products
  climb$step <- step / max(1, abs(step) / 1.5)
  climb$length <- 1
  climb
}

# Where the step that a climb is about to make leads.
garch_trial <- function(climb) {
  t <- climb$t
  t[climb$open] <- pmin(pmax(t[climb$open] + climb$length * climb$step, climb$lower), climb$upper)
  t
}

garch_step <- function(climb, trial, told, gain) {
  climb$rounds <- climb$rounds + 1L
  s <- (trial - climb$t)[climb$open]
  slope <- sum(climb$gradient * s)
  known <- is.finite(told$loglik) && all(is.finite(told$gradient))
  if (known && told$loglik >= climb$loglik + 1e-4 * slope) {
    y <- climb$gradient - told$gradient
    sy <- sum(s * y)
    metric <- climb$metric
    if (sy > 1e-10 * sqrt(sum(s^2) * sum(y^2))) {
      hy <- drop(metric %*% y)
      metric <- metric + (1 + sum(y * hy) / sy) * outer(s, s) / sy - (outer(hy, s) + outer(s, hy)) / sy
    }
    climb$t <- trial
    climb$loglik <- told$loglik
    climb <- garch_turn(climb, told, metric, gain)
    # thirty rounds that have gained nothing
    if (climb$rounds - climb$mark$rounds >= 30L) {
      if (!climb$done && climb$loglik - climb$mark$loglik < 1e-6) return(garch_rest(climb))
      climb$mark <- climb[c("rounds", "loglik")]
    }
    return(climb)
  }
  # back, to the top of a parabola; where rounding errors or a kink let nothing be gained, again by the scores
  fall <- told$loglik - climb$loglik
  factor <- if (known) slope / (2 * (slope - fall)) else 0.1
  climb$length <- climb$length * min(max(factor, 0.1), 0.5)
  if (climb$length > (if (climb$promised < 1e-4) 1e-2 else 1e-6)) return(climb)
  if (!climb$fresh) {
    climb <- garch_turn(climb, climb[c("gradient", "products")], garch_metric(climb$products), gain)
    climb$fresh <- TRUE
    return(climb)
  }
  garch_rest(climb)
}

# The end of a climb that gains no more, at a kink or on a ridge. Towards an end of the search, where the likelihood
# levels off, gradients are small although scores, which are smaller still, seem to promise much.
garch_rest <- function(climb) {
  g <- climb$gradient[climb$step != 0]
  climb$done <- TRUE
  climb$sound <- climb$promised < 1e-3 || all(abs(g) < 1e-3)
  climb
}

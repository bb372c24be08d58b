# Log densities of responses with their derivatives: a list of the `value`, its `score` by the linear predictor eta,
# the `weight`, which is minus the second derivative, and `third`, the derivative of the weight. `by` has for each of
# the family's own parameters the derivatives of value, score and weight by it. Values are relatively accurate;
# derivatives of families that are sums of others have errors of some 1e-16 of their largest term.

# ---- compositions ----

# g of a log density, given g and its first three derivatives there.
composed <- function(e, g0, g1, g2, g3) {
  part <- function(b) list(value = g1 * b$value, score = g2 * b$value * e$score + g1 * b$score,
                           weight = -g3 * b$value * e$score^2 - 2 * g2 * b$score * e$score + g2 * b$value * e$weight +
                             g1 * b$weight)
  list(value = g0, score = g1 * e$score, weight = g1 * e$weight - g2 * e$score^2,
       third = g1 * e$third + 3 * g2 * e$score * e$weight - g3 * e$score^3, by = lapply(e$by, part))
}

# a - b of two log densities with the same parameters, and either one or the other.
less_terms <- function(a, b) if (is.list(a)) Map(less_terms, a, b) else a - b
either_terms <- function(at, a, b)
  if (is.list(a)) Map(function(x, y) either_terms(at, x, y), a, b) else ifelse(at, a, b)
zero_terms <- function(e) if (is.list(e)) lapply(e, zero_terms) else 0 * e

# The logarithm of the probability of what is above 0, by that of 0.
above_zero_terms <- function(zero) {
  x <- zero$value
  r <- 1 / expm1(-x)
  composed(zero, log_1m_exp(x), -r, -r * (1 + r), -r * (1 + r) * (1 + 2 * r))
}

# log(1 - exp(x)), x < 0
log_1m_exp <- function(x) {
  near <- x > -log(2)
  ifelse(near, log(-expm1(pmax(x, -1))), log1p(-exp(pmin(x, -0.5))))
}

# Of a count that is not 0.
truncated_terms <- function(base) function(y, trials, eta, own, link, by)
  less_terms(base$terms(y, trials, eta, own, link, by),
             above_zero_terms(base$terms(0 * y, trials, eta, own, link, by)))

# log(1 - zero), given both.
log_rest <- function(zero, rest) ifelse(zero < 0.5, log1p(-zero), log(rest))

# With more zeros than the base has: P(0) = zero + (1 - zero) P0.
inflated_terms <- function(base) function(y, trials, eta, own, link, by) {
  e <- base$terms(y, trials, eta, own, link, by)
  zero <- own[["zero"]]
  rare <- some_share(own)
  x <- e$value
  d <- zero + rare * exp(x)
  share <- rare * exp(x) / d # of the base among the zeros
  value <- ifelse(x > -1, x + log1p(zero * expm1(-pmax(x, -1))), log(d))
  rest <- zero / d
  mixed <- composed(e, value, share, share * rest, share * rest * (rest - share))
  at <- y == 0
  some <- e
  some$value <- some$value + log_rest(zero, rare)
  found <- either_terms(at, mixed, some)
  if (by) {
    slope <- -share / (d * rare)
    found$by$zero <- either_terms(at, list(value = -expm1(x) / d, score = slope * e$score,
                                           weight = slope * (e$weight - (rest - share) * e$score^2)),
                                  list(value = rep_len(-1 / rare, length(y)), score = 0 * y, weight = 0 * y))
  }
  found
}

# Zeros on their own, all else by the base.
hurdle_terms <- function(base) function(y, trials, eta, own, link, by) {
  at <- y == 0
  e <- base$terms(ifelse(at, 1, y), trials, eta, own, link, by)
  zero <- own[["zero"]]
  rare <- some_share(own)
  none <- zero_terms(e)
  none$value <- none$value + log(zero)
  e$value <- e$value + log_rest(zero, rare)
  found <- either_terms(at, none, e)
  if (by) found$by$zero <- list(value = ifelse(at, 1 / zero, -1 / rare), score = 0 * y, weight = 0 * y)
  found
}

# ---- differences of gamma functions ----

# log(1 + z) - z, within 1e-13 of itself: by ten terms of its series the error is 0.02^10 / 6.
log1p_less <- function(z) {
  small <- abs(z) < 0.02
  s <- ifelse(small, z, 0)
  series <- 0
  for (k in 11:2) series <- s * series + (-1)^(k + 1) / k
  ifelse(small, s^2 * series, log1p(z) - z)
}

# (s + y)^-m - s^-m
power_change <- function(y, s, m) s^-m * expm1(-m * log1p(y / s))

# digamma(s + y) - digamma(s) less log(1 + y/s), and the differences of the next two derivatives. From 30 on by the
# asymptotic series (Abramowitz and Stegun 1972, 6.3.18, 6.4.11), whose next terms are below 1e-17 of them.
digamma_change <- function(y, s) large_or(s, digamma(s + y) - digamma(s) - log1p(y / s), function(s, y)
  -power_change(y, s, 1) / 2 - power_change(y, s, 2) / 12 + power_change(y, s, 4) / 120 -
    power_change(y, s, 6) / 252 + power_change(y, s, 8) / 240, y)
trigamma_change <- function(y, s) large_or(s, trigamma(s + y) - trigamma(s), function(s, y)
  power_change(y, s, 1) + power_change(y, s, 2) / 2 + power_change(y, s, 3) / 6 - power_change(y, s, 5) / 30 +
    power_change(y, s, 7) / 42 - power_change(y, s, 9) / 30, y)
tetragamma_change <- function(y, s) large_or(s, psigamma(s + y, 2) - psigamma(s, 2), function(s, y)
  -power_change(y, s, 2) - power_change(y, s, 3) - power_change(y, s, 4) / 2 + power_change(y, s, 6) / 6 -
    power_change(y, s, 8) / 6 + 3 * power_change(y, s, 10) / 10, y)

# log(gamma(s + y) / gamma(s)) - y log(s), by Stirling's series in the same way.
lgamma_change <- function(y, s) large_or(s, lgamma(s + y) - lgamma(s) - y * log(s), function(s, y)
  (s + y - 0.5) * log1p_less(y / s) + y * (y - 0.5) / s + power_change(y, s, 1) / 12 - power_change(y, s, 3) / 360 +
    power_change(y, s, 5) / 1260 - power_change(y, s, 7) / 1680, y)

# `direct` is not evaluated where all are large.
large_or <- function(s, direct, series, y) {
  large <- rep_len(s >= 30, max(length(s), length(y)))
  if (all(large, na.rm = TRUE)) return(series(s, y))
  ifelse(large, series(pmax(s, 30), y), direct)
}

# ---- counts ----

# What is the same at one evaluation after the other, as the responses are: the last value for a key.
of_responses <- function(name, key, value) {
  known <- session$of_responses[[name]]
  if (!identical(known$key, key)) session$of_responses[[name]] <- known <- list(key = key, value = value)
  known$value
}

log_factorial <- function(y) of_responses("factorials", y, lgamma(y + 1))

poisson_terms <- function(y, trials, eta, own, link, by) {
  mu <- exp(eta)
  list(value = y * eta - mu - log_factorial(y), score = y - mu, weight = mu, third = mu, by = list())
}

# R's dnbinom() loses digits in the ratio of size and y where the size is large, and has the density of a Poisson
# distribution with an error of mu^2 / (2 size) where y is below 1e-10 of it. There it is that of a Poisson
# distribution times what the size changes, with an error of 1e-16 y^2 / size.
nbinom_value <- function(y, size, mu) {
  few <- y > 0 & y < size^(2 / 3) & mu < size & size >= 30
  value <- suppressWarnings(stats::dnbinom(y, size = size, mu = mu, log = TRUE))
  if (!any(few, na.rm = TRUE)) return(value)
  ifelse(few, stats::dpois(y, mu, log = TRUE) - size * log1p_less(mu / size) - y * log1p(mu / size) +
           lgamma_change(y, size), value)
}

# The log density: from what it is where mu is y, which counts that are equal share.
nbinom2_value <- function(y, eta, mu, theta) {
  known <- of_responses("counts", list(y, theta), {
    counts <- unique(y)
    nbinom_value(counts, theta, counts)[match(y, counts)]
  })
  some <- pmax(y, 1)
  total <- theta + mu
  off <- theta * (mu - some) / (some * total)
  ratio <- log1p(pmax(off, -0.5))
  far <- which(off < -0.5)
  at <- function(v) rep_len(v, length(off))[far]
  ratio[far] <- at(eta) - log(at(some)) + log(at((theta + some) / total))
  known + y * ratio - theta * log1p((mu - y) / (theta + y))
}

# Variance mu + mu^2 / theta. With p = mu/(theta + mu) and z = (y - mu)/(theta + mu) the derivative by theta is
# log(1 + z) - z and a difference of digamma functions, both of which keep their digits for large theta.
nbinom2_terms <- function(y, trials, eta, own, link, by) {
  theta <- own[["theta"]]
  mu <- exp(eta)
  p <- stats::plogis(eta - log(theta))
  n <- stats::plogis(log(theta) - eta)
  weight <- (y + theta) * p * n
  found <- list(value = nbinom2_value(y, eta, mu, theta), score = (y - mu) * n, weight = weight,
                third = weight * (n - p), by = list())
  if (by) {
    change <- of_responses("changes", list(y, theta), {
      counts <- unique(y)
      digamma_change(counts, theta)[match(y, counts)]
    })
    total <- theta + mu
    z <- (y - mu) / total
    found$by$theta <- list(value = log1p_less(z) + change, score = z * p,
                           weight = p * (y * (p - n) + 2 * theta * p) / total)
  }
  found
}

# Variance mu (1 + phi): the size is s = mu / phi.
nbinom1_terms <- function(y, trials, eta, own, link, by) {
  phi <- own[["phi"]]
  mu <- exp(eta)
  s <- mu / phi
  z <- (y - mu) / (s * (1 + phi))
  change <- digamma_change(y, s)
  first <- s * (log1p(z) + change)
  second <- s^2 * trigamma_change(y, s)
  d2 <- first + second
  d3 <- first + 3 * second + s^3 * tetragamma_change(y, s)
  found <- list(value = nbinom_value(y, s, mu), score = first, weight = -d2, third = -d3, by = list())
  if (by) found$by$phi <- list(value = -s / phi * (log1p_less(z) + change), score = -d2 / phi - s / (1 + phi),
                               weight = d3 / phi + s / (1 + phi))
  found
}

# ---- shares ----

is_binary <- function(y, trials) all(trials == 1) && all(y == 0 | y == 1)

binomial_value <- function(y, trials, eta, own, link) {
  if (!link %in% c("logit", "probit") || !is_binary(y, trials))
    return(binomial_terms(y, trials, eta, own, link, FALSE)$value)
  (if (link == "logit") stats::plogis else stats::pnorm)((2 * y - 1) * eta, log.p = TRUE)
}

binomial_terms <- function(y, trials, eta, own, link, by) {
  if (link != "cloglog" && is_binary(y, trials)) {
    turn <- 2 * y - 1
    one <- binary_terms(link, turn * eta)
    one[c("score", "third")] <- list(turn * one$score, turn * one$third)
    return(c(one, list(by = list())))
  }
  yes <- binary_terms(link, eta)
  no <- if (link == "cloglog") binary_terms("failure", eta) else binary_terms(link, -eta)
  if (link != "cloglog") no[c("score", "third")] <- list(-no$score, -no$third)
  both <- Map(function(a, b) ifelse(y > 0, y * a, 0) + ifelse(y < trials, (trials - y) * b, 0), yes, no)
  both$value <- both$value + lchoose(trials, y)
  both$by <- list()
  both
}

# The logarithm of the probability of a success, and its derivatives.
binary_terms <- function(link, eta) switch(link,
  logit = {
    p <- stats::plogis(eta)
    q <- stats::plogis(-eta)
    list(value = stats::plogis(eta, log.p = TRUE), score = q, weight = p * q, third = p * q * (q - p))
  },
  probit = probit_terms(eta),
  cauchit = {
    r <- stats::dcauchy(eta) / stats::pcauchy(eta)
    g <- -2 * eta / (1 + eta^2)
    weight <- r * (r - g)
    list(value = stats::pcauchy(eta, log.p = TRUE), score = r, weight = weight,
         third = weight * (g - 2 * r) + 2 * r * (1 - eta^2) / (1 + eta^2)^2)
  },
  cloglog = {
    u <- exp(eta)
    # of u/expm1(u) + u - 1 the series where that cancels; for u > 700 score and weight are below 1e-298
    far <- u > 700
    u <- pmin(u, 700)
    score <- ifelse(far, 0, ifelse(u > 0, u / expm1(u), 1))
    rest <- ifelse(u < 1e-2, u / 2 + u^2 / 12 - u^4 / 720, u + score - 1)
    weight <- score * rest
    list(value = ifelse(u < 1e-17, eta, log_1m_exp(-u)), score = score, weight = weight,
         third = -weight * rest + score * (u - weight))
  },
  failure = { # with the link cloglog
    u <- exp(eta)
    list(value = -u, score = -u, weight = u, third = u)
  })

# With r = dnorm(eta) / pnorm(eta), whose logarithms lose what is left of eta + r where that is small: for x = -eta >
# 5 by the continued fraction of Laplace (Abramowitz and Stegun 1972, 26.2.14), r = x + 1/(x + 2/(x + 3/(x + ...))),
# whose terms are positive; 40 of them leave out less than 1e-17. With the tails e = 2/(x + f), f = 3/(x + g) and
# d = r - x = 1/(x + e) the weight is r d and its derivative r d 2 (e - f)/((x + f) (x + e)): nothing cancels.
probit_terms <- function(eta) {
  value <- stats::pnorm(eta, log.p = TRUE)
  r <- exp(stats::dnorm(eta, log = TRUE) - value)
  weight <- r * (eta + r)
  third <- r - weight * (eta + 2 * r)
  far <- which(eta < -5)
  if (length(far)) {
    x <- -eta[far]
    g <- 0
    for (k in 40:4) g <- k / (x + g)
    f <- 3 / (x + g)
    e <- 2 / (x + f)
    r[far] <- x + 1 / (x + e)
    weight[far] <- r[far] / (x + e)
    third[far] <- -2 * weight[far] * (x + 3 * f - 2 * g) / ((x + f)^2 * (x + g) * (x + e))
  }
  list(value = value, score = r, weight = weight, third = third)
}

# With the logit m of eta and shapes m phi and (1 - m) phi: d log f / d m is phi times `first`, whose derivatives by
# the two shapes are `a` and minus `b`, and the second ones `aa` and minus `bb`; `by_phi`, that of the value.
shape_terms <- function(value, eta, phi, first, a, b, aa, bb, by, by_phi) {
  m <- stats::plogis(eta)
  n <- stats::plogis(-eta)
  w <- m * n
  dw <- w * (n - m)
  t1 <- phi * w * (a + b)
  t2 <- phi * dw * (a + b) + (phi * w)^2 * (aa - bb)
  half <- dw * first + w * t1
  found <- list(value = value, score = phi * w * first, weight = -phi * half,
                third = -phi * (w * ((n - m)^2 - 2 * w) * first + 2 * dw * t1 + w * t2), by = list())
  if (by) {
    by_first <- m * a - n * b
    by_t1 <- w * (a + b) + phi * w * (m * aa + n * bb)
    found$by$phi <- list(value = by_phi, score = w * (first + phi * by_first),
                         weight = -half - phi * (dw * by_first + w * by_t1))
  }
  found
}

beta_terms <- function(y, trials, eta, own, link, by) {
  phi <- own[["phi"]]
  a <- stats::plogis(eta) * phi
  b <- stats::plogis(-eta) * phi
  value <- stats::dbeta(y, a, b, log = TRUE)
  shape_terms(value, eta, phi, log(y) - log1p(-y) - digamma(a) + digamma(b), -trigamma(a), -trigamma(b),
              -psigamma(a, 2), -psigamma(b, 2), by,
              digamma(phi) + (a * (log(y) - digamma(a)) + b * (log1p(-y) - digamma(b))) / phi)
}

betabinomial_terms <- function(y, trials, eta, own, link, by) {
  phi <- own[["phi"]]
  a <- stats::plogis(eta) * phi
  b <- stats::plogis(-eta) * phi
  no <- trials - y
  up <- eta > 0
  value <- stats::dbinom(ifelse(up, no, y), trials, stats::plogis(-abs(eta)), log = TRUE) + lgamma_change(y, a) +
    lgamma_change(no, b) - lgamma_change(trials, phi)
  many <- trials > 100 & trials > phi & is.finite(value)
  if (any(many)) value <- ifelse(many, betabinomial_by_share(y, no, a, b), value)
  first <- function(y, s) digamma_change(y, s) + log1p(y / s)
  shape_terms(value, eta, phi, first(y, a) - first(no, b), trigamma_change(y, a), trigamma_change(no, b),
              tetragamma_change(y, a), tetragamma_change(no, b), by,
              (a * first(y, a) + b * first(no, b)) / phi - first(trials, phi))
}

# Of many trials, where gamma functions of trials and successes cancel: by Bayes's theorem the density is that of a
# binomial distribution times the density of its share before the trials over that given them, at any share p. At the
# mean of the latter all three are of moderate size, and R's are accurate there (Loader's saddle-point expansion).
betabinomial_by_share <- function(y, no, a, b) {
  p <- (y + a) / (y + no + a + b)
  stats::dbinom(y, y + no, p, log = TRUE) + stats::dbeta(p, a, b, log = TRUE) -
    stats::dbeta(p, y + a, no + b, log = TRUE)
}

# ---- positive and real numbers ----

gamma_terms <- function(y, trials, eta, own, link, by) {
  shape <- own[["shape"]]
  ratio <- y * exp(-eta)
  found <- list(value = shape * (log(shape * ratio) - ratio) - log(y) - lgamma(shape), score = shape * (ratio - 1),
                weight = shape * ratio, third = -shape * ratio, by = list())
  if (by) found$by$shape <- list(value = 1 + log(shape * ratio) - digamma(shape) - ratio, score = ratio - 1,
                                 weight = ratio)
  found
}

gaussian_terms <- function(y, trials, eta, own, link, by) {
  sd <- own[["sd"]]
  z <- (y - eta) / sd
  found <- list(value = stats::dnorm(z, log = TRUE) - log(sd), score = z / sd, weight = rep_len(1 / sd^2, length(z)),
                third = 0 * z, by = list())
  if (by) found$by$sd <- list(value = (z^2 - 1) / sd, score = -2 * z / sd^2, weight = rep_len(-2 / sd^3, length(z)))
  found
}

lognormal_terms <- function(y, trials, eta, own, link, by) {
  sd <- own[["sdlog"]]
  z <- (log(y) - eta) / sd
  found <- list(value = stats::dnorm(z, log = TRUE) - log(sd) - log(y), score = z / sd,
                weight = rep_len(1 / sd^2, length(z)), third = 0 * z, by = list())
  if (by) found$by$sdlog <- list(value = (z^2 - 1) / sd, score = -2 * z / sd^2,
                                 weight = rep_len(-2 / sd^3, length(z)))
  found
}

# Variance phi mu^3.
inverse_gaussian_terms <- function(y, trials, eta, own, link, by) {
  phi <- own[["phi"]]
  i <- exp(-eta)
  square <- y * i^2
  weight <- (2 * square - i) / phi
  score <- (square - i) / phi
  distance <- (y * i - 1)^2 / y
  found <- list(value = -(log(2 * pi * phi) + 3 * log(y) + distance / phi) / 2, score = score, weight = weight,
                third = (i - 4 * square) / phi, by = list())
  if (by) found$by$phi <- list(value = (distance / phi - 1) / (2 * phi), score = -score / phi, weight = -weight / phi)
  found
}

student_terms <- function(y, trials, eta, own, link, by) {
  s <- own[["scale"]]
  df <- own[["df"]]
  z <- (y - eta) / s
  d <- df + z^2
  f <- (df - z^2) / d^2
  slope <- -2 * z * (3 * df - z^2) / d^3
  found <- list(value = stats::dt(z, df, log = TRUE) - log(s), score = (df + 1) * z / (s * d),
                weight = (df + 1) * f / s^2, third = -(df + 1) * slope / s^3, by = list())
  if (by) found$by <- list(
    scale = list(value = ((df + 1) * z^2 / d - 1) / s, score = -(df + 1) * (z / d + z * f) / s^2,
                 weight = -(df + 1) * (2 * f + z * slope) / s^3),
    df = list(value = (digamma_change(0.5, df / 2) + log1p(1 / df) - 1 / df - log1p(z^2 / df) +
                         (1 + 1 / df) * z^2 / d) / 2,
              score = z * (z^2 - 1) / (s * d^2),
              weight = ((2 * df - z^2 + 1) / d^2 - 2 * (df + 1) * (df - z^2) / d^3) / s^2))
  found
}

# ---- Tweedie's distributions ----

# Variance phi mu^power, 1 < power < 2: sums of a Poisson number of gamma variables. Where mu is y the density is the
# series of Dunn and Smyth (2005), elsewhere that times exp(-d / (2 phi)) with the unit deviance d, of which the first
# part does not depend on eta.
tweedie_terms <- function(y, trials, eta, own, link, by) {
  p <- own[["power"]]
  phi <- own[["phi"]]
  up <- exp((2 - p) * eta)
  down <- y * exp((1 - p) * eta)
  at <- y > 0
  value <- -up / (phi * (2 - p))
  series <- if (any(at)) known_series(y[at], p, phi, by)
  if (any(at)) value[at] <- series$value - tweedie_distance(eta[at] - log(y[at]), y[at], p) / phi
  score <- (down - up) / phi
  weight <- ((p - 1) * down + (2 - p) * up) / phi
  found <- list(value = value, score = score, weight = weight,
                third = ((2 - p)^2 * up - (p - 1)^2 * down) / phi, by = list())
  if (!by) return(found)
  by_power <- function(eta, up, down) (down * (eta / (p - 1) + 1 / (p - 1)^2) +
                                         up * (eta / (2 - p) - 1 / (2 - p)^2)) / phi
  of_phi <- -value / phi
  of_power <- by_power(eta, up, down)
  if (any(at)) {
    own_power <- y[at]^(2 - p)
    of_phi[at] <- series$phi + tweedie_distance(eta[at] - log(y[at]), y[at], p) / phi^2
    of_power[at] <- series$power + of_power[at] - by_power(log(y[at]), own_power, own_power)
  }
  found$by <- list(phi = list(value = of_phi, score = -score / phi, weight = -weight / phi),
                   power = list(value = of_power, score = -eta * score,
                                weight = (down * (1 - (p - 1) * eta) - up * (1 + (2 - p) * eta)) / phi))
  found
}

# Half the unit deviance of y and a mean y exp(t): y^(2 - p) times the integral of (exp((2-p) s) - exp((1-p) s)) over
# s up to t, whose series has less than 1e-17 after the term t^12 / 12! for |t| < 0.1.
tweedie_distance <- function(t, y, p) {
  far <- expm1((2 - p) * t) / (2 - p) + expm1((1 - p) * t) / (p - 1)
  near <- 0
  for (k in 12:2) near <- near + ((2 - p)^(k - 1) - (1 - p)^(k - 1)) * t^k / factorial(k)
  y^(2 - p) * ifelse(abs(t) < 0.1, near, far)
}

# tweedie_series(), which all steps of a search for the mode share.
known_series <- function(y, p, phi, by) {
  key <- list(y, p, phi)
  by <- by || identical(session$of_responses$slopes$key, key)
  of_responses(if (by) "slopes" else "series", key, tweedie_series(y, p, phi, by))
}

# The log density at y where the mean is y, and its derivatives by phi and power. With lambda, the mean of the number
# j of gamma variables, they are functions of lambda, alpha and y itself.
tweedie_series <- function(y, p, phi, by) {
  alpha <- (2 - p) / (p - 1)
  lambda <- y^(2 - p) / (phi * (2 - p))
  sums <- on_panels(log(lambda), function(x) tweedie_sums(exp(x), alpha, by))
  log_y <- log(y)
  found <- list(value = sums[, 1L] - log_y)
  if (!by) return(found)
  found$phi <- -(1 + alpha) / phi * sums[, 2L]
  found$power <- sums[, 2L] * (1 / (2 - p) - alpha / (p - 1) - (1 + alpha) * log_y) - sums[, 3L] / (p - 1)^2
  found
}

# The logarithm of y times that density, the mean of j - lambda and that of j (log(lambda alpha) - digamma(j alpha))
# under its terms. These are logarithmically concave in j, with a largest one near lambda, and fall at least as those
# of Bernstein's inequality: exp(-(1 + alpha) k^2 / (2 lambda + 2 k / 3)) at a distance k, below exp(-42) outside of
# what is summed. Where their standard deviation exceeds 20 only every so many of them are summed: by Poisson's
# formula the error of a sum over steps of sd/1.4 is 2 exp(-2 pi^2 1.4^2), 3e-17.
tweedie_sums <- function(lambda, alpha, by) {
  c <- 42 / (1 + alpha)
  width <- sqrt(2 * c * lambda)
  sd <- sqrt(lambda / (1 + alpha))
  step <- ifelse(sd > 20, floor(sd / 1.4), 1)
  low <- pmax(1, floor(lambda - width - 5))
  high <- ceiling(lambda + c / 3 + sqrt(c^2 / 9 + width^2)) + 5
  count <- floor((high - low) / step) + 1
  of <- rep(seq_along(lambda), count)
  j <- low[of] + (sequence(count) - 1) * step[of]
  x <- lambda * alpha
  term <- stats::dpois(j, lambda[of], log = TRUE) + stats::dgamma(x[of], j * alpha, log = TRUE)
  first <- cumsum(c(1, count[-length(count)]))
  most <- term[first + pmin(pmax(round((lambda - low) / step), 0), count - 1)]
  part <- exp(term - most[of])
  sums <- function(v) as.vector(rowsum(v, of, reorder = FALSE))
  total <- sums(part)
  mean <- function(v) sums(part * v) / total
  cbind(most + log(step * total) + log(x), if (by) mean(j - lambda[of]),
        if (by) mean(j * (log(x)[of] - digamma(j * alpha))))
}

# Columns of an analytic f at x, by Chebyshev's polynomials on panels where these have many x: a panel is halved until
# the last three of 16 coefficients of each column are below 2e-14 of its largest value there, or of 1 if that is
# less, and the error, of the order of the next ones, is as that of rounding. Panels of less than 40 of x have f
# itself.
on_panels <- function(x, f) {
  if (length(x) < 400L) return(f(x))
  n <- 16L
  angle <- (seq_len(n) - 0.5) * pi / n
  value <- NULL
  panels <- list(range(x))
  while (length(panels)) {
    ends <- panels[[1L]]
    panels <- panels[-1L]
    at <- which(x >= ends[1L] & x < ends[2L] | x == ends[2L] & ends[2L] == max(x))
    if (!length(at)) next
    middle <- sum(ends) / 2
    half <- diff(ends) / 2
    if (length(at) < 40L || half < 1e-6) part <- f(x[at])
    else {
      known <- f(middle + half * cos(angle))
      coefficients <- 2 / n * cos(outer(seq_len(n) - 1, angle)) %*% known
      scale <- pmax(apply(abs(known), 2L, max), 1)
      if (half > 2 || any(abs(coefficients[n - 0:2, , drop = FALSE]) > rep(2e-14 * scale, each = 3L))) {
        panels <- c(list(c(ends[1L], middle), c(middle, ends[2L])), panels)
        next
      }
      part <- chebyshev_sums(coefficients, (x[at] - middle) / half)
    }
    if (is.null(value)) value <- matrix(0, length(x), ncol(part))
    value[at, ] <- part
  }
  value
}

# Clenshaw's recurrence, for all columns.
chebyshev_sums <- function(coefficients, t) {
  next_one <- now <- matrix(0, length(t), ncol(coefficients))
  for (k in nrow(coefficients):2) {
    before <- rep(coefficients[k, ], each = length(t)) + 2 * t * now - next_one
    next_one <- now
    now <- before
  }
  rep(coefficients[1L, ] / 2, each = length(t)) + t * now - next_one
}

# ---- ordered categories ----

cut_order <- function(own) order(own_numbers(own))
own_numbers <- function(own) as.integer(gsub("[^0-9]", "", names(own)))
thresholds <- function(own) unname(cumsum(own[cut_order(own)]))

# P(y <= k) = F(threshold k - eta), the thresholds being `cut1`, cut1 + `gap2`, and so on. Of the logistic
# distribution F(b) - F(a) = F(b) F(-a) (1 - exp(a - b)).
cumulative_terms <- function(y, trials, eta, own, link, by) {
  own <- own[cut_order(own)]
  ends <- c(-Inf, thresholds(own), Inf)
  a <- ends[y] - eta
  b <- ends[y + 1] - eta
  found <- unname((if (link == "logit") logistic_between else normal_between)(a, b))
  found <- list(value = found[[1L]], score = found[[2L]], weight = found[[3L]], third = found[[4L]],
                a = found[[5L]], b = found[[6L]])
  lower <- found$a
  upper <- found$b
  found[c("a", "b")] <- NULL
  found$by <- list()
  if (by) for (k in seq_along(own)) {
    below <- y - 1 >= k # is the threshold under y among those that move
    found$by[[names(own)[k]]] <- Map(function(l, u) below * l + (y >= k & y <= length(own)) * u, lower, upper)
  }
  found
}

# log(F(b) - F(a)) and its derivatives, by a and b, too.
logistic_between <- function(a, b) {
  density <- function(x) stats::dlogis(x)
  slope <- function(x) ifelse(is.finite(x), density(x) * (stats::plogis(-x) - stats::plogis(x)), 0)
  apart <- 1 / expm1(b - a)
  fa <- density(a)
  fb <- density(b)
  list(stats::plogis(b, log.p = TRUE) + stats::plogis(-a, log.p = TRUE) + log_1m_exp(a - b),
       stats::plogis(a) - stats::plogis(-b), fa + fb, -slope(a) - slope(b),
       list(value = -stats::plogis(a) - apart, score = fa, weight = slope(a)),
       list(value = stats::plogis(-b) + apart, score = fb, weight = slope(b)))
}

normal_between <- function(a, b) {
  turn <- a > 0 # in the lower tail
  low <- stats::pnorm(ifelse(turn, -b, a), log.p = TRUE)
  high <- stats::pnorm(ifelse(turn, -a, b), log.p = TRUE)
  value <- high + log_1m_exp(low - high)
  ra <- exp(stats::dnorm(a, log = TRUE) - value)
  rb <- exp(stats::dnorm(b, log = TRUE) - value)
  times <- function(x, r) ifelse(is.finite(x), x * r, 0)
  p2 <- times(a, ra) - times(b, rb)
  p3 <- times(b^2 - 1, rb) - times(a^2 - 1, ra)
  l1 <- rb - ra
  l2 <- p2 - l1^2
  by_a <- times(a, ra) + ra * l1
  by_b <- -times(b, rb) - rb * l1
  list(value, -l1, -l2, p3 - 3 * l1 * p2 + 2 * l1^3,
       list(value = -ra, score = -by_a, weight = times(a^2 - 1, ra) - p2 * ra + 2 * l1 * by_a),
       list(value = rb, score = -by_b, weight = -times(b^2 - 1, rb) + p2 * rb + 2 * l1 * by_b))
}

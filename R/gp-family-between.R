# Logarithms of the probability that a response is between two ends, which may be infinite, with the derivatives that
# R/gp-family-density.R has of densities: the entry `between` of a family. With the derivatives l1, l2, l3 of the log
# density at z and moments over the distribution between the ends, those of log P are E l1, E l2 + Var l1 and
# E l3 + 3 Cov(l2, l1) + E (l1 - E l1)^3, and likewise for mixed ones (Louis 1982): quadrature gives these moments
# where differences of the values at both ends would cancel, which is far out and between close ends. Against 60
# digits the errors of values, scores and weights are below 1e-11 of them for ends of up to 1000 standard deviations.

# ---- y = eta + scale z, where z has a density that is symmetric around 0 and falls to both sides ----

# `scale`, the parameter; terms(z, own, by), the log density of z with derivatives by all parameters, its scale being
# 1; log_below(z, own), the logarithm of the distribution function in the lower half. fall(near, own): of an interval
# at a distance of `near` from 0, a `length` after which the density has fallen by exp(-40), and up to which length,
# `most`, its quadrature is wanted, and that of a polynomial of degree 47.
location_between <- function(scale, terms, log_below, fall, into = identity) function(from, to, eta, own, link, by) {
  s <- own[[scale]]
  a <- (into(from) - eta) / s
  b <- (into(to) - eta) / s
  unit <- function(z) terms(z, own, by)
  near <- pmax(a, -b, 0)
  reach <- fall(near, own)
  length <- ifelse(near > 0, pmin(b - a, reach$length), b - a)
  smooth <- length <= reach$most
  known <- smooth %in% TRUE # the ends have no numbers where eta has none
  found <- if (any(known)) between_by_quadrature(ifelse(known, a, -0.5), ifelse(known, b, 0.5),
                                                 ifelse(known, length, 1), unit)
  if (!all(known)) {
    ends <- between_by_ends(ifelse(known, -1, a), ifelse(known, 1, b), own, unit, log_below, scale)
    found <- if (is.null(found)) ends else either_terms(known, found, ends)
  }
  of_unit <- function(part, unit)
    list(value = part$value / unit, score = part$score / (s * unit), weight = part$weight / (s^2 * unit))
  list(value = found$value, score = found$score / s, weight = found$weight / s^2, third = found$third / s^3,
       by = if (by) Map(function(part, name) of_unit(part, if (name == scale) s else 1), found$by, names(found$by))
            else list())
}

# By Gauss and Legendre's rule on `length` from the end that is nearer to 0, or from a around it; two panels where the
# density falls by more than exp(-20).
between_by_quadrature <- function(a, b, length, unit) {
  rule <- panel_rule(if (all(length * (pmax(a, -b, 0) + length) <= 20)) c(0, 1) else c(0, 0.5, 1))
  below <- b <= 0
  z <- ifelse(below, b, a) + outer(ifelse(below, -1, 1) * length, rule$x)
  e <- lapply_terms(unit(as.vector(z)), matrix, length(a))
  top <- unit(pmin(pmax(a, 0), b))$value # the largest, as the density falls to both sides of 0
  p <- exp(e$value - top) * rep(rule$w, each = length(a))
  total <- rowSums(p)
  p <- p / total
  mean <- function(v) rowSums(p * v)
  m <- mean(e$score)
  d <- e$score - m
  c(list(value = top + log(total * length), score = m, weight = mean(e$weight) - mean(d^2),
         third = mean(e$third) + 3 * mean(e$weight * d) - mean(d^3)),
    list(by = lapply(e$by, function(part) {
      v <- part$value - mean(part$value)
      list(value = mean(part$value), score = mean(part$score + d * v),
           weight = mean(part$weight + e$weight * v - 2 * d * part$score - d^2 * v))
    })))
}

lapply_terms <- function(e, f, ...) if (is.list(e)) lapply(e, lapply_terms, f, ...) else f(e, ...)

# By the densities at the ends over the probability, which is from the logarithms of tails: around 0 all that cancels
# is small, and on one side of it what a long way is with a density that falls slowly.
between_by_ends <- function(a, b, own, unit, log_below, scale) {
  log_p <- function(own) {
    near <- pmax(a, -b, 0)
    far <- pmax(-a, b)
    high <- log_below(-near, own)
    low <- log_below(-far, own)
    ifelse(near > 0, high + log_1m_exp(low - high), log1p(-exp(log_below(a, own)) - exp(log_below(-b, own))))
  }
  value <- log_p(own)
  ends <- lapply(list(a, b), function(z) {
    known <- is.finite(z)
    z <- ifelse(known, z, 0)
    e <- unit(z)
    list(z = z, e = e, r = ifelse(known, exp(e$value - value), 0), slope = e$score, bend = e$score^2 - e$weight)
  })
  apart <- function(f) f(ends[[1L]]) * ends[[1L]]$r - f(ends[[2L]]) * ends[[2L]]$r
  l1 <- apart(function(x) 1)
  m2 <- apart(function(x) x$slope)
  l2 <- m2 - l1^2
  l3 <- apart(function(x) x$bend) - 3 * l1 * m2 + 2 * l1^3
  by <- lapply(stats::setNames(nm = names(ends[[1L]]$e$by)), function(name) {
    v <- if (name == scale) apart(function(x) x$z)
         else slope_of_log(function(t) log_p(replace(own, name, own[[name]] * exp(t))), 1e-3) / own[[name]]
    if (name == scale) {
      first <- apart(function(x) x$z * x$slope) - l1 * v
      second <- apart(function(x) x$z * x$bend) - m2 * v - 2 * l1 * first
      list(value = v, score = first - l1, weight = 2 * l2 - second)
    } else {
      first <- apart(function(x) x$e$by[[name]]$value) - l1 * v
      second <- apart(function(x) x$e$by[[name]]$score + x$slope * x$e$by[[name]]$value) - m2 * v - 2 * l1 * first
      list(value = v, score = first, weight = -second)
    }
  })
  list(value = value, score = l1, weight = -l2, third = -l3, by = by)
}

# By four values: errors of h^4/30 of the fifth derivative and of 1e-15/h of the value.
slope_of_log <- function(f, h) (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)

normal_unit <- function(name) function(z, own, by) {
  e <- gaussian_terms(z, 1, 0, c(sd = 1), "identity", by)
  if (by) names(e$by) <- name
  e
}
# Of what is longer than a standard deviation, and up to 6 of these away, what cancels is up to 1e-16 near^4 / 2.
normal_fall <- function(near, own) list(length = 80 / (near + sqrt(near^2 + 80)), most = ifelse(near > 6, Inf, 1))
normal_log_below <- function(z, own) stats::pnorm(z, log.p = TRUE)

gaussian_between <- location_between("sd", normal_unit("sd"), normal_log_below, normal_fall)
lognormal_between <- location_between("sdlog", normal_unit("sdlog"), normal_log_below, normal_fall,
                                      function(y) log(pmax(y, 0)))
student_between <- location_between(
  "scale", function(z, own, by) student_terms(z, 1, 0, c(scale = 1, df = own[["df"]]), "identity", by),
  function(z, own) stats::pt(z, own[["df"]], log.p = TRUE),
  function(near, own) {
    df <- own[["df"]]
    rise <- (df + near^2) * expm1(80 / (df + 1))
    # the singularities of the density are at distances of sqrt(df) from the line
    list(length = rise / (near + sqrt(near^2 + rise)),
         most = ifelse(near > 0, 2 * sqrt(df + near^2), pmin(1, sqrt(df))))
  })

# ---- counts ----

# Both ends are included. With the probabilities r of l and u + 1 over P, times these, the derivative of log P is
# r_l - r_(u+1). On one side of the mean, and for few counts, the moments of the counts between are sums, as far as
# terms exceed exp(-40) of the first; that are at most 2000 for means up to 1e8.
poisson_between <- function(from, to, eta, own, link, by) {
  l <- pmax(ceiling(from), 0)
  u <- floor(to)
  mu <- exp(eta)
  up <- l > mu
  down <- u < mu
  near <- ifelse(down, u, l)
  far <- ifelse(down, l, u)
  ratio <- abs(log(pmax(near, 1e-300)) - eta) # of neighbouring terms, at least
  count <- pmin(abs(far - near), ceiling(pmin(40 / ratio, sqrt(80 * (near + 1)) + 120))) + 1
  few <- ifelse(up | down, count <= 2000, u - l <= pmin(sqrt(mu), 2000)) & mu < Inf
  found <- lapply(stats::setNames(nm = c("value", "score", "weight", "third")), function(k) numeric(length(eta)))
  at <- which(few)
  if (length(at)) {
    number <- ifelse(up | down, count, u - l + 1)[at]
    of <- rep(seq_along(at), number)
    k <- near[at][of] + ifelse(down[at], -1, 1)[of] * (sequence(number) - 1)
    term <- stats::dpois(k, mu[at][of], log = TRUE)
    top <- stats::dpois(ifelse(up | down, near, pmin(pmax(floor(mu), l), u))[at], mu[at], log = TRUE)
    sums <- function(v) as.vector(rowsum(v, of, reorder = FALSE))
    p <- exp(term - top[of])
    total <- sums(p)
    p <- p / total[of]
    mean <- sums(p * (k - near[at][of]))
    d <- k - near[at][of] - mean[of]
    found$value[at] <- top + log(total)
    found$score[at] <- near[at] - mu[at] + mean
    found$weight[at] <- mu[at] - sums(p * d^2)
    found$third[at] <- mu[at] - sums(p * d^3)
  }
  at <- which(!few)
  if (length(at)) {
    l <- l[at]
    u <- u[at]
    mu <- mu[at]
    less <- stats::ppois(l - 1, mu, log.p = TRUE)
    more <- stats::ppois(u, mu, lower.tail = FALSE, log.p = TRUE)
    value <- ifelse(up[at], between_logs(stats::ppois(l - 1, mu, lower.tail = FALSE, log.p = TRUE), more),
                    ifelse(down[at], between_logs(stats::ppois(u, mu, log.p = TRUE), less),
                           log1p(-exp(less) - exp(more))))
    r <- list(l * exp(stats::dpois(l, mu, log = TRUE) - value),
              ifelse(u < Inf, (u + 1) * exp(stats::dpois(pmin(u, 1e300) + 1, mu, log = TRUE) - value), 0))
    k <- list(l, ifelse(u < Inf, u + 1, 0))
    apart <- function(f) f(k[[1L]]) * r[[1L]] - f(k[[2L]]) * r[[2L]]
    l1 <- apart(function(k) 1)
    m2 <- apart(function(k) k - mu)
    found$value[at] <- value
    found$score[at] <- l1
    found$weight[at] <- l1^2 - m2
    found$third[at] <- -(apart(function(k) (k - mu)^2 - mu) - 3 * l1 * m2 + 2 * l1^3)
  }
  c(found, list(by = list()))
}

# log(exp(high) - exp(low))
between_logs <- function(high, low) high + log_1m_exp(low - high)

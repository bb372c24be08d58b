# Expectation propagation (Minka 2001; Rasmussen and Williams 2006, section 3.6) in the place of Laplace's
# approximation. With u, the linear predictor without offset and mean, the density of what was observed at u is
# replaced by a normal factor exp(shift u - weight u^2 / 2), a site, such that under the posterior distribution with
# all sites, the normal one with precision Q + W, u has the mean and variance that it has with the true density in the
# place of the site. Observations of the same process and effects, whose u is one, have one site: sites that are
# correlated leave an error by the products of their skewness. With weights as W and means as the mode, all else is as
# for Laplace's approximation: the factor, its derivatives, predictions.

# As laplace_mode() has it, with the mean in the place of the mode: the log likelihood is
# sum(value) - w' Q w / 2 + log det(Q) / 2 - log det(Q + W) / 2 with `value` = log E(density / site) + log site(u) at
# the mean u, E over the distribution of u. It is stationary in all sites, so that the derivatives of their weights,
# `third` and those of `by`, are none, and those by linear predictors and own parameters are the expectations of those
# of the log density. Returns NULL where no sites are found.
propagated_mode <- function(p, precision, eta, own) {
  l <- p$laplace
  state <- l$graph$state
  found <- NULL
  sites <- if (is.null(state$sites)) l$few$state$sites else state$sites
  if (!is.null(sites)) found <- propagate(l, precision, eta, own, sites)
  if (is.null(found)) {
    mode <- laplace_mode(p, precision, eta, own)
    if (is.null(mode)) return(NULL)
    weight <- pmax(mode$terms$weight, 0)
    found <- propagate(l, precision, eta, own, lapply(list(
      weight = weight, shift = mode$terms$score + weight * latent_of(l, mode$w)), site_sums, l = l))
  }
  if (is.null(found)) return(NULL)
  state$sites <- found$sites
  qw <- prior_times(precision, found$w)
  terms <- expected_terms(l, eta, own, found)
  list(w = found$w, terms = terms, factor = found$factor, elements = found$elements,
       value = sum(terms$value) - sum(found$w * qw) / 2)
}

# All sites at once, until means move by less than this part of a standard deviation, and variances by it. Errors of
# the value are of its square, as that is stationary, and of its gradient of its size.
propagation_tolerance <- 1e-7
most_propagations <- 60L

propagate <- function(l, precision, eta, own, sites) {
  sites <- normal_sites(l, eta, own, sites)
  share <- 1 # of a step that is taken: a half where steps grow
  last <- Inf
  for (round in seq_len(most_propagations)) {
    factor <- l$factorise(l, precision, of_cases(l, sites$weight), TRUE)
    if (!isTRUE(factor$sound)) return(NULL)
    elements <- factor$elements()
    variance <- of_sites(l, factor$variances(elements))
    if (!all(is.finite(variance) & variance > 0)) return(NULL)
    w <- factor$solve(latent_sums(l, of_cases(l, sites$shift)), 1e-10)
    u <- of_sites(l, latent_of(l, w))
    found <- tilted_moments(l, eta, own, u, variance, sites)
    off <- max(abs(found$mean), abs(found$variance - 1), found$off)
    if (!is.finite(off)) return(NULL)
    if (off < propagation_tolerance)
      return(list(sites = sites, w = w, mean = u, variance = variance, factor = factor, elements = elements,
                  log_ratio = found$log_ratio))
    if (off > last) share <- share / 2
    last <- off
    # of the normal distribution with the moments, over that with the site
    step <- if (is.null(found$step)) list(
      weight = (1 / found$variance - 1) / variance,
      shift = ((u + sqrt(variance) * found$mean) / found$variance - u) / variance) else found$step
    sites <- Map(function(site, step) site + share * step, sites[names(step)], step)
  }
  NULL
}

# ---- which observations have a site together ----

# The `case` of each site that stands for it, the `number` of the site of each observation and the number `of` its
# observations; NULL if each has one of its own.
shared_sites <- function(l) {
  if (has_normal_errors(l)) return(NULL) # which have no integrals then
  id <- if (is.null(l$joint)) l$at else place_numbers(cbind(l$joint$index, l$joint$value))
  if (!anyDuplicated(id)) return(NULL)
  case <- which(!duplicated(id))
  number <- match(id, id[case])
  list(case = case, number = number, of = tabulate(number))
}

site_sums <- function(values, l) if (is.null(l$site)) values else as.vector(rowsum(values, l$site$number))
of_sites <- function(l, values) if (is.null(l$site)) values else values[l$site$case]
of_each <- function(l, values) if (is.null(l$site)) values else values[l$site$number]
of_cases <- function(l, values) if (is.null(l$site)) values else (values / l$site$of)[l$site$number]

# ---- one site ----

# Where the integrals over u have their nodes u + sd x, with the logarithms of what the density there, of which
# `log_density` is the logarithm, contributes to E(density / site). The density in the place of the site may fall as
# slowly as without the site, and as fast as with it: sd^2 is of the normal distribution whose precision is the mean
# of these two. For analytic densities the error of the trapezoidal rule falls exponentially with the step: a normal
# curve, at least 1/sqrt(2) wide, has exp(-pi^2 / step^2), 1e-12 for a step of 0.6, and a density that is analytic up
# to a distance a from the real line, pi for logits and pi / 2 or more for other links, exp(-2 pi a / step) and thus
# 1e-10 for steps of 0.43 in the linear predictor. 400 nodes at most leave an error of 1e-6 where the standard
# deviation of a logit is 35, as where the process separates zeros from ones.
site_nodes <- function(l, own, u, variance, sites) {
  cavity <- pmax(1 - variance * sites$weight, 1e-6) # of its precision, which rounding may make negative
  base <- sqrt(2 / (1 + cavity))
  sd <- base * sqrt(variance)
  width <- response_width(l$family, l$y, l$trials, own_at(own, l$cases$zero))
  step <- max(min(0.6, 0.43 / max(of_each(l, sd) / width)), 17 / 400)
  list(x = step * seq(-floor(8.5 / step), floor(8.5 / step)), sd = sd, base = base,
       part = function(x, log_density) {
         at <- u + sd * x
         site_sums(log_density, l) - (sites$shift - sites$weight * at / 2) * at + log(base * step / sqrt(2 * pi)) -
           (base * x)^2 / 2
       })
}

# The logarithm of E(density / site), and with the density in the place of the site mean and variance of (u - mean) /
# sd, for u normal with this mean and variance.
tilted_moments <- function(l, eta, own, u, variance, sites) {
  if (has_normal_errors(l)) return(normal_moments(l, eta, own, u, variance, sites))
  nodes <- site_nodes(l, own, u, variance, sites)
  top <- rep(-Inf, length(u))
  total <- first <- second <- numeric(length(u))
  for (x in nodes$x) {
    log <- nodes$part(x, suppressWarnings(case_values(l, eta + of_each(l, u + nodes$sd * x), own)))
    higher <- pmax(top, log)
    before <- exp(top - higher)
    now <- exp(log - higher)
    total <- total * before + now
    first <- first * before + x * now
    second <- second * before + x^2 * now
    top <- higher
  }
  mean <- first / total
  list(log_ratio = top + log(total), mean = nodes$base * mean, variance = nodes$base^2 * (second / total - mean^2))
}

# The terms of a likelihood for each observation. Of one with a site of its own the expected score is shift - weight u
# (Stein's lemma); of others it is computed, and they share value and weight equally.
expected_terms <- function(l, eta, own, found) {
  sites <- found$sites
  u <- found$mean
  value <- found$log_ratio + (sites$shift - sites$weight * u / 2) * u
  score <- sites$shift - sites$weight * u
  by <- has_own(l$family)
  means <- if (by || !is.null(l$site)) expected_slopes(l, eta, own, found, by)
  terms <- list(value = of_cases(l, value), score = if (is.null(l$site)) score else means$score,
                weight = of_cases(l, sites$weight), third = numeric(length(l$y)))
  if (by) terms$by <- lapply(means[names(means) != "score"], function(value)
    list(value = value, score = 0 * value, weight = 0 * value))
  terms
}

# Expected derivatives of log densities by linear predictors, `score`, and by own parameters.
expected_slopes <- function(l, eta, own, found, by) {
  if (has_normal_errors(l)) return(normal_smoothed(l, eta, own, found$mean, found$variance, found$sites, by)$slopes)
  nodes <- site_nodes(l, own, found$mean, found$variance, found$sites)
  total <- NULL
  for (x in nodes$x) {
    terms <- case_terms(l, eta + of_each(l, found$mean + nodes$sd * x), own, by)
    weight <- of_each(l, exp(nodes$part(x, terms$value) - found$log_ratio))
    part <- lapply(c(list(score = terms$score), lapply(terms$by, `[[`, "value")), function(slope)
      ifelse(weight == 0, 0, weight * slope))
    total <- if (is.null(total)) part else Map(`+`, total, part)
  }
  total
}

# ---- normal errors ----

# Where the response, or its logarithm, is the linear predictor with normal errors, the density of an observation is a
# site itself, and an interval has no integral left: where the linear predictor is normal as well, errors have a
# larger variance.
has_normal_errors <- function(l) !is.null(family_entry(l$family)$errors) && is.null(l$cases$weights)

is_observed <- function(l) if (is.null(l$cases$from)) rep(TRUE, length(l$y)) else l$cases$from == l$cases$to

# Sites of what is observed, which stay.
normal_sites <- function(l, eta, own, sites) {
  if (!has_normal_errors(l)) return(sites)
  terms <- case_terms(l, eta, own)
  at <- is_observed(l)
  list(weight = ifelse(at, terms$weight, sites$weight), shift = ifelse(at, terms$score, sites$shift))
}

# Without the site u is normal with precision 1 / variance - weight, `spread` being the inverse, and this `mean`; the
# `terms` of E(density) there. Those of what is observed are at u itself, for without the site hardly a digit may be
# left where errors are small.
normal_smoothed <- function(l, eta, own, u, variance, sites, by) {
  at <- is_observed(l)
  spread <- variance / pmax(1 - variance * sites$weight, 1e-6)
  spread[at] <- 0
  mean <- u + spread * (sites$weight * u - sites$shift)
  name <- family_entry(l$family)$errors
  wide <- stats::setNames(list(sqrt(own[[name]]^2 + spread)), name)
  terms <- case_terms(l, eta + mean, wide, by)
  more <- ifelse(at, variance * terms$weight / own[[name]], 0) # of the expectation, of the square of u
  list(at = at, spread = spread, mean = mean, terms = terms,
       slopes = lapply(terms$by, function(part) part$value * own[[name]] / wide[[name]] + more))
}

# The normal distribution with the site over the site is exp(log(spread / variance) / 2 + mean^2 / (2 spread) -
# u^2 / (2 variance)) times that without it. Sites are known without a division by the variance, which may be next to
# nothing: `off` tells how far they move in units of themselves.
normal_moments <- function(l, eta, own, u, variance, sites) {
  e <- normal_smoothed(l, eta, own, u, variance, sites, FALSE)
  ratio <- ifelse(e$at, (sites$weight * u / 2 - sites$shift) * u,
                  (log(e$spread / variance) + e$mean^2 / e$spread - u^2 / variance) / 2)
  gain <- 1 / (1 - e$spread * e$terms$weight)
  weight <- gain * e$terms$weight
  step <- list(weight = weight - sites$weight, shift = weight * e$mean + gain * e$terms$score - sites$shift)
  step <- lapply(step, function(move) ifelse(e$at, 0, move))
  unit <- max(weight, sites$weight)
  list(log_ratio = e$terms$value + ratio,
       mean = ifelse(e$at, 0, (e$mean + e$spread * e$terms$score - u) / sqrt(variance)),
       variance = ifelse(e$at, 1, e$spread / (gain * variance)),
       step = step, off = max(abs(step$weight) / unit, abs(step$shift - step$weight * u) / sqrt(unit)))
}

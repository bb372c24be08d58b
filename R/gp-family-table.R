# Families of responses whose mean depends on a Gaussian process, an entry each with all that is known of it; code
# elsewhere asks for what an entry has, and never which family it is. Of the linear predictor `eta`, the family's
# `own` parameters, a named vector, and the `link` an entry has
#   links, words: those that it takes, and what it is called in messages
#   parameters(family): its own ones, a list of own_parameter() by name; `zeros`: is `zero` among them, for which a
#     family with `zi` has coefficients; functions of `own` then get a list with vectors `zero` and `some`, its rest
#   check(y, trials, bad): errors of responses, by bad(where, text); read(y, family), perhaps: these as numbers
#   terms(y, trials, eta, own, link, by): the log density with derivatives, as R/gp-family-density.R has them
#   value(y, trials, eta, own, link), perhaps: the log density alone, where that takes less time
#   mean, variance(eta, own, link), and for shares of `trials` these of a share; factor(own): the mean over exp(eta),
#     where that is constant
#   below(q, eta, own, trials, lower, link): the distribution function, or with lower = FALSE its complement
#   draw(eta, own, trials, link): random numbers
#   support, atoms: the ends of responses, and where they have probabilities: "whole" numbers, "zero" or "none"
#   best(y, trials, own), perhaps: the eta with the largest density; deviance(y, trials, mean): where it has a formula
#   between(from, to, eta, own, link, by), perhaps: as `terms`, of the probability between two ends; middle(from, to):
#     the eta that makes it largest
#   size(y), perhaps: sizes of own parameters, where these have the unit of responses or a power of it; usual(y): of
#     these parameters, by name, what is usual, for their prior
#   shares(eta, own, link), of categories: their probabilities, a column each
#   errors, perhaps: the own parameter that is the standard deviation of normal errors added to eta
#   width(y, trials, own): over how much of eta a density may change
#   plain(y, trials, link): the generalised linear model from which a search begins, as list(y, family, weights); glm:
#     TRUE where that has the coefficients of the family itself; guess(y, trials, mean): its own parameters there

# limit: at which end, and as what number, the family becomes one without the parameter; there: what that has; large:
# the largest number that the limit has to exceed, of responses and their trials; small, perhaps: the family at the
# lower end of the search, to which coefficients go along
own_parameter <- function(kind, lower, upper, start, limit = NULL, there = NULL, large = NULL)
  list(kind = kind, lower = lower, upper = upper, start = start, limit = limit, there = there, large = large)
positive_parameter <- function(start = 1, limit = NULL, there = NULL, large = NULL)
  own_parameter("positive", 0, Inf, start, limit, there, large)
share_parameter <- function(start, limit = c(lower = 1e-8))
  own_parameter("share", 0, 1, start, limit, "no excess of zeros")
no_overdispersion <- "no overdispersion, as a Poisson distribution has none"

count_check <- function(words, least = 0) function(y, trials, bad) {
  bad(y < least, sprintf(if (least) "values below 1 are not allowed for the %s family"
                         else "negative values are not allowed for the %s family", words))
  bad(abs(y - round(y)) > 1e-7, paste(
    sprintf("counts of the %s family must be whole numbers:", words),
    "gaussian is the family of logarithms of counts, and Gamma(\"log\") that of positive numbers"))
}
positive_check <- function(words) function(y, trials, bad) {
  bad(y <= 0, sprintf("values of the %s family must be positive", words))
  check_unit(y, bad)
}
negative_check <- function(words) function(y, trials, bad) {
  bad(y < 0, sprintf("negative values are not allowed for the %s family", words))
  check_unit(y, bad)
}
# Third powers, and squares of what is summed over many observations, are numbers.
check_unit <- function(y, bad) {
  most <- max(abs(y))
  bad(abs(y) == most & most > 0 & (most < 1e-90 | most > 1e90),
      "is the largest response: it must be between 1e-90 and 1e90 in size, which another unit may serve for")
}
unit_check <- function(y, trials, bad) check_unit(y, bad)
trials_check <- function(y, trials, bad) {
  bad(trials == 0, "has no trials: leave the row out")
  bad(y < 0 | y > trials, "must be 0 or 1: numbers of successes are cbind(successes, failures)")
  bad(trials == 1 & y != round(y), paste(
    "must be 0 or 1: proportions are cbind(successes, failures), or have weights, their numbers of trials"))
}

at_log <- function(eta, own, link) exp(eta)
of_log <- function(family) function(y, trials, link) list(y = y, family = family("log"))
some_positive <- function(family) function(y, trials, link)
  list(y = ifelse(y > 0, y, 1), family = family("log"), weights = as.double(y > 0))
counts_width <- function(y, trials, own) 1 / sqrt(pmax(y, 1))
no_parameters <- function(family) list()

# ---- families with one part ----

poisson_entry <- list(
  links = "log", words = "Poisson", parameters = no_parameters, check = count_check("Poisson"), terms = poisson_terms,
  value = function(y, trials, eta, own, link) y * eta - exp(eta) - log_factorial(y),
  mean = at_log, variance = at_log, factor = function(own) 1,
  below = function(q, eta, own, trials, lower, link) stats::ppois(q, exp(eta), lower),
  above = function(p, eta, own) stats::qpois(p, exp(eta), lower.tail = FALSE),
  draw = function(eta, own, trials, link) stats::rpois(length(eta), exp(eta)),
  support = c(0, Inf), atoms = "whole", glm = TRUE, plain = of_log(stats::poisson), width = counts_width,
  between = poisson_between, middle = function(from, to) {
    from <- pmax(from, 0)
    (lgamma(to + 1) - ifelse(from > 0, lgamma(pmax(from, 1)), 0)) / (to - from + 1)
  },
  best = function(y, trials, own) log(y), deviance = function(y, trials, mean) share_log(y, mean) - (y - mean))

share_log <- function(a, b) ifelse(a == 0, 0, a * log(a / b))

nbinom2_entry <- list(
  links = "log", words = "negative binomial", parameters = function(family)
    list(theta = positive_parameter(2, c(upper = 1e8), no_overdispersion, function(y, trials) max(y))),
  check = count_check("negative binomial"), terms = nbinom2_terms, mean = at_log,
  value = function(y, trials, eta, own, link) nbinom2_value(y, eta, exp(eta), own[["theta"]]),
  variance = function(eta, own, link) exp(eta) + exp(2 * eta) / own[["theta"]], factor = function(own) 1,
  below = function(q, eta, own, trials, lower, link)
    stats::pnbinom(q, own[["theta"]], mu = exp(eta), lower.tail = lower),
  above = function(p, eta, own) stats::qnbinom(p, own[["theta"]], mu = exp(eta), lower.tail = FALSE),
  draw = function(eta, own, trials, link)
    stats::rpois(length(eta), stats::rgamma(length(eta), own[["theta"]]) * exp(eta) / own[["theta"]]),
  support = c(0, Inf), atoms = "whole", plain = of_log(stats::poisson), best = function(y, trials, own) log(y),
  width = counts_width)

nbinom1_entry <- list(
  links = "log", words = "negative binomial", parameters = function(family)
    list(phi = positive_parameter(1, c(lower = 1e-8), no_overdispersion)),
  check = count_check("negative binomial"), terms = nbinom1_terms, mean = at_log,
  variance = function(eta, own, link) exp(eta) * (1 + own[["phi"]]), factor = function(own) 1,
  below = function(q, eta, own, trials, lower, link)
    stats::pnbinom(q, exp(eta) / own[["phi"]], mu = exp(eta), lower.tail = lower),
  above = function(p, eta, own) stats::qnbinom(p, exp(eta) / own[["phi"]], mu = exp(eta), lower.tail = FALSE),
  draw = function(eta, own, trials, link)
    stats::rpois(length(eta), stats::rgamma(length(eta), exp(eta) / own[["phi"]]) * own[["phi"]]),
  support = c(0, Inf), atoms = "whole", plain = of_log(stats::poisson), width = counts_width)

binomial_mean <- function(eta, own, link) switch(link, logit = stats::plogis(eta), probit = stats::pnorm(eta),
                                                 cauchit = stats::pcauchy(eta), cloglog = -expm1(-exp(eta)))
binomial_entry <- list(
  links = c("logit", "probit", "cloglog", "cauchit"), words = "binomial", trials = TRUE, parameters = no_parameters,
  check = trials_check, terms = binomial_terms, value = binomial_value, mean = binomial_mean,
  variance = function(eta, own, link, trials = 1) {
    mean <- binomial_mean(eta, own, link)
    mean * (1 - mean) / trials
  },
  below = function(q, eta, own, trials, lower, link)
    stats::pbinom(q, trials, binomial_mean(eta, own, link), lower.tail = lower),
  draw = function(eta, own, trials, link) stats::rbinom(length(eta), trials, binomial_mean(eta, own, link)),
  support = c(0, Inf), atoms = "whole", glm = TRUE,
  plain = function(y, trials, link) list(y = y / trials, family = stats::binomial(link), weights = trials),
  width = function(y, trials, own) 1 / sqrt(pmax(trials, 1)),
  deviance = function(y, trials, mean) share_log(y, trials * mean) + share_log(trials - y, trials * (1 - mean)))

betabinomial_entry <- utils::modifyList(binomial_entry, list(
  links = "logit", words = "beta-binomial", glm = NULL, deviance = NULL, value = NULL,
  parameters = function(family) list(phi = positive_parameter(5, c(upper = 1e8), "a binomial distribution",
                                                              function(y, trials) max(trials))),
  terms = betabinomial_terms,
  variance = function(eta, own, link, trials = 1)
    stats::plogis(eta) * stats::plogis(-eta) / trials * (own[["phi"]] + trials) / (own[["phi"]] + 1),
  below = function(q, eta, own, trials, lower, link) betabinomial_below(q, eta, own, trials, lower),
  draw = function(eta, own, trials, link) stats::rbinom(length(eta), trials, stats::rbeta(
    length(eta), stats::plogis(eta) * own[["phi"]], stats::plogis(-eta) * own[["phi"]]))))

# Sums of the probabilities of what is on this side of q.
betabinomial_below <- function(q, eta, own, trials, lower) {
  all <- cbind(floor(q), eta, trials)
  from <- if (lower) rep(0, nrow(all)) else pmax(all[, 1L] + 1, 0)
  to <- if (lower) pmin(all[, 1L], all[, 3L]) else all[, 3L]
  count <- pmax(to - from + 1, 0)
  of <- rep(seq_along(count), count)
  k <- from[of] + sequence(count) - 1
  part <- exp(betabinomial_terms(k, all[of, 3L], all[of, 2L], own, "logit", FALSE)$value)
  value <- numeric(nrow(all))
  if (length(of)) value[unique(of)] <- rowsum(part, of, reorder = FALSE)
  pmin(value, 1)
}

beta_entry <- list(
  links = "logit", words = "beta", parameters = function(family) list(phi = positive_parameter(5)),
  check = function(y, trials, bad) bad(y <= 0 | y >= 1, paste(
    "values of the beta family must be above 0 and below 1: numbers of successes of so many trials are for",
    "betabinomial()")),
  terms = beta_terms, mean = function(eta, own, link) stats::plogis(eta),
  variance = function(eta, own, link) stats::plogis(eta) * stats::plogis(-eta) / (1 + own[["phi"]]),
  below = function(q, eta, own, trials, lower, link)
    stats::pbeta(q, stats::plogis(eta) * own[["phi"]], stats::plogis(-eta) * own[["phi"]], lower.tail = lower),
  draw = function(eta, own, trials, link) # the nearest numbers inside for 0 and 1, to which small shapes are rounded
    pmin(pmax(stats::rbeta(length(eta), stats::plogis(eta) * own[["phi"]], stats::plogis(-eta) * own[["phi"]]),
              .Machine$double.xmin), 1 - .Machine$double.neg.eps),
  support = c(0, 1), atoms = "none", plain = function(y, trials, link) list(y = y, family = stats::quasibinomial()),
  width = function(y, trials, own) 1 / sqrt(pmax(own[["phi"]], 1)))

gamma_entry <- list(
  links = "log", words = "Gamma", parameters = function(family) list(shape = positive_parameter(1)),
  check = positive_check("Gamma"), terms = gamma_terms, mean = at_log,
  variance = function(eta, own, link) exp(eta)^2 / own[["shape"]], factor = function(own) 1,
  below = function(q, eta, own, trials, lower, link)
    stats::pgamma(q, own[["shape"]], own[["shape"]] / exp(eta), lower.tail = lower),
  draw = function(eta, own, trials, link) stats::rgamma(length(eta), own[["shape"]], own[["shape"]] / exp(eta)),
  support = c(0, Inf), atoms = "none", glm = TRUE, plain = of_log(stats::Gamma),
  guess = function(y, trials, mean) c(shape = 2 / max(mean(((y - mean) / mean)^2), 1e-8)),
  information = function(own, n) matrix(n * (trigamma(own[["shape"]]) - 1 / own[["shape"]])),
  width = function(y, trials, own) 1 / sqrt(pmax(own[["shape"]], 1)),
  best = function(y, trials, own) log(y), deviance = function(y, trials, mean) (y - mean) / mean - log(y / mean))

lognormal_factor <- function(own) exp(own[["sdlog"]]^2 / 2)
# Beside grouped effects; without them normal responses have likelihoods of their own.
gaussian_entry <- list(
  links = "identity", words = "Gaussian", parameters = function(family) list(sd = positive_parameter(1)),
  check = unit_check, terms = gaussian_terms, mean = function(eta, own, link) eta,
  variance = function(eta, own, link) rep(own[["sd"]]^2, length(eta)),
  below = function(q, eta, own, trials, lower, link) stats::pnorm(q, eta, own[["sd"]], lower.tail = lower),
  draw = function(eta, own, trials, link) stats::rnorm(length(eta), eta, own[["sd"]]), support = c(-Inf, Inf),
  atoms = "none", plain = function(y, trials, link) list(y = y, family = stats::gaussian()),
  guess = function(y, trials, mean) c(sd = sqrt(mean((y - mean)^2))),
  between = gaussian_between, middle = function(from, to) (from + to) / 2,
  best = function(y, trials, own) y, width = function(y, trials, own) own[["sd"]], size = stats::sd,
  usual = function(y) c(sd = stats::sd(y)),
  errors = "sd")

lognormal_entry <- list(
  links = "log", words = "lognormal", parameters = function(family) list(sdlog = positive_parameter(1)),
  check = positive_check("lognormal"), terms = lognormal_terms,
  mean = function(eta, own, link) exp(eta) * lognormal_factor(own), factor = lognormal_factor,
  variance = function(eta, own, link) exp(2 * eta + own[["sdlog"]]^2) * expm1(own[["sdlog"]]^2),
  below = function(q, eta, own, trials, lower, link) stats::plnorm(q, eta, own[["sdlog"]], lower.tail = lower),
  draw = function(eta, own, trials, link) stats::rlnorm(length(eta), eta, own[["sdlog"]]),
  support = c(0, Inf), atoms = "none",
  plain = function(y, trials, link) list(y = log(ifelse(y > 0, y, 1)), family = stats::gaussian(),
                                         weights = as.double(y > 0)),
  between = lognormal_between, middle = function(from, to) (log(pmax(from, 0)) + log(to)) / 2,
  best = function(y, trials, own) log(y), width = function(y, trials, own) pmin(own[["sdlog"]], 1),
  size = function(y) 1e-5, # logarithms of responses that are rounded as they may be differ by 1e-16
  errors = "sdlog")

inverse_gaussian_entry <- list(
  links = "log", words = "inverse Gaussian", parameters = function(family) list(phi = positive_parameter(1)),
  check = positive_check("inverse Gaussian"), terms = inverse_gaussian_terms, mean = at_log,
  variance = function(eta, own, link) own[["phi"]] * exp(3 * eta), factor = function(own) 1,
  below = function(q, eta, own, trials, lower, link) {
    mu <- exp(eta)
    root <- sqrt(1 / (own[["phi"]] * pmax(q, 0)))
    more <- exp(2 / (own[["phi"]] * mu) + stats::pnorm(-root * (q / mu + 1), log.p = TRUE))
    first <- stats::pnorm(root * (q / mu - 1), lower.tail = lower)
    ifelse(q <= 0 | q == Inf, as.double((q > 0) == lower), if (lower) first + more else pmax(first - more, 0))
  },
  draw = function(eta, own, trials, link) { # Michael, Schucany and Haas (1976)
    mu <- exp(eta)
    v <- own[["phi"]] * mu * stats::rnorm(length(eta))^2
    x <- mu * 2 / (2 + v + sqrt(v * (4 + v))) # the smaller root, without cancellation
    ifelse(stats::runif(length(eta)) <= mu / (mu + x), x, mu^2 / x)
  },
  support = c(0, Inf), atoms = "none", plain = of_log(stats::Gamma), best = function(y, trials, own) log(y),
  guess = function(y, trials, mean) c(phi = mean((y / mean - 1)^2 / y)),
  width = function(y, trials, own) pmin(sqrt(own[["phi"]] * y), 1), size = function(y) 1 / range(y),
  usual = function(y) c(phi = 1 / mean(y)))

student_entry <- list(
  links = "identity", words = "Student t", check = unit_check, terms = student_terms,
  parameters = function(family) list(scale = positive_parameter(1), df = positive_parameter(8, c(upper = 1e8),
                                                                                          "normal errors")),
  mean = function(eta, own, link) if (own[["df"]] > 1) eta else NaN * eta,
  variance = function(eta, own, link) rep(own[["scale"]]^2 * if (own[["df"]] > 2) own[["df"]] / (own[["df"]] - 2)
                                          else Inf, length(eta)),
  below = function(q, eta, own, trials, lower, link)
    stats::pt((q - eta) / own[["scale"]], own[["df"]], lower.tail = lower),
  draw = function(eta, own, trials, link) eta + own[["scale"]] * stats::rt(length(eta), own[["df"]]),
  support = c(-Inf, Inf), atoms = "none",
  plain = function(y, trials, link) list(y = y, family = stats::gaussian()),
  guess = function(y, trials, mean) c(scale = stats::mad(y - mean, 0) + 1e-3 * stats::sd(y), df = 8),
  between = student_between, middle = function(from, to) (from + to) / 2,
  best = function(y, trials, own) y, width = function(y, trials, own) own[["scale"]], size = stats::sd,
  usual = function(y) c(scale = stats::sd(y)))

# Numbers of gamma variables with less than exp(-42) of the probability outside, of which large ones are summed over
# steps, both as for tweedie_series().
tweedie_below <- function(q, eta, own, trials, lower, link) {
  p <- own[["power"]]
  phi <- own[["phi"]]
  all <- unname(cbind(q, eta))
  # from 1e20 numbers on the standard deviation is below 1e-9 of the mean, by which alone the distribution then
  # changes
  most <- log(1e20 * phi * (2 - p)) / (2 - p)
  beyond <- pmax(all[, 2L] - most, 0)
  all <- all - beyond
  all[, 1L] <- unname(q) * exp(-beyond)
  lambda <- exp((2 - p) * all[, 2L]) / (phi * (2 - p))
  sd <- sqrt(lambda * (p - 1)) # of a number given the sum
  step <- ifelse(sd > 20, floor(sd / 1.4), 1)
  low <- pmax(1, floor(lambda - sqrt(84 * lambda) - 5))
  count <- floor((ceiling(lambda + 14 + sqrt(196 + 84 * lambda)) + 4 - low) / step) + 1
  of <- rep(seq_along(count), count)
  j <- low[of] + (sequence(count) - 1) * step[of]
  part <- stats::dpois(j, lambda[of]) * stats::pgamma(all[of, 1L], j * (2 - p) / (p - 1), lower.tail = lower,
                                                      scale = phi * (p - 1) * exp((p - 1) * all[of, 2L]))
  value <- step * as.vector(rowsum(part, of, reorder = FALSE)) + if (lower) exp(-lambda) else 0
  ifelse(all[, 1L] < 0, 1 - lower, pmin(value, 1))
}

tweedie_entry <- list(
  links = "log", words = "Tweedie", check = negative_check("Tweedie"), terms = tweedie_terms, mean = at_log,
  parameters = function(family) list(phi = positive_parameter(1), power = own_parameter("interval", 1.01, 1.99, 1.5)),
  variance = function(eta, own, link) own[["phi"]] * exp(own[["power"]] * eta), factor = function(own) 1,
  below = tweedie_below,
  draw = function(eta, own, trials, link) {
    p <- own[["power"]]
    number <- stats::rpois(length(eta), exp((2 - p) * eta) / (own[["phi"]] * (2 - p)))
    ifelse(number > 0, stats::rgamma(length(eta), pmax(number, 1) * (2 - p) / (p - 1)), 0) * own[["phi"]] * (p - 1) *
      exp((p - 1) * eta)
  },
  support = c(0, Inf), atoms = "zero",
  plain = function(y, trials, link) list(y = y, family = stats::quasipoisson()),
  guess = function(y, trials, mean) c(phi = mean((y - mean)^2 / mean^1.5)), best = function(y, trials, own) log(y),
  width = function(y, trials, own) pmin(sqrt(own[["phi"]] * y^(own[["power"]] - 2)), 1), size = mean,
  usual = function(y) c(phi = sqrt(mean(y)))) # at the power 1.5

# Probabilities of the categories, a column each.
category_shares <- function(eta, own, link) {
  each <- vapply(seq_len(length(own) + 1L), function(k)
    exp(cumulative_terms(rep(k, length(eta)), 1, as.vector(eta), own, link, FALSE)$value), numeric(length(eta)))
  matrix(each, length(eta))
}
category_mean <- function(eta, own, link, power = 1) {
  shares <- category_shares(eta, own, link)
  drop(shares %*% seq_len(ncol(shares))^power)
}
cumulative_entry <- list(
  links = c("logit", "probit"), words = "ordered", terms = cumulative_terms,
  parameters = function(family) {
    k <- family$categories - 1L
    each <- c(list(own_parameter("threshold", -Inf, Inf, 0)), rep(list(positive_parameter(1)), k - 1L))
    stats::setNames(each, c("cut1", sprintf("gap%d", seq_len(k - 1L) + 1L))[seq_len(k)])
  },
  level = "cut1", # a constant in the mean and this one are the same
  read = function(y, family) {
    if (is.factor(y)) y <- droplevels(y)
    value <- if (is.factor(y)) as.integer(y) else if (is.logical(y)) y + 1 else y
    family$categories <- if (is.numeric(value) && all(is.finite(value))) max(value, 2)
    family$levels <- if (is.factor(y)) levels(y)
    gaps <- length(family$given)
    if (gaps && !is.null(family$categories) && gaps != family$categories - 2L) input_error("family", sprintf(
      "ocat(theta) of %d categories", gaps + 2L), sprintf("must have as many as the response, %d", family$categories))
    list(y = value, family = family)
  },
  check = function(y, trials, bad) {
    bad(y < 1 | y != round(y), "must be an ordered factor, or numbers of categories from 1 on")
    none <- setdiff(seq_len(min(max(y), 1e4)), y)
    if (length(none)) raise_engine_error("input", sprintf(
      "category %d of the response has no observations: number those that there are from 1 on", none[1L]))
    bad(rep(max(y) > 100, length(y)), "has more than 100 categories")
  },
  mean = category_mean, shares = category_shares,
  variance = function(eta, own, link) category_mean(eta, own, link, 2) - category_mean(eta, own, link)^2,
  below = function(q, eta, own, trials, lower, link) {
    ends <- c(-Inf, thresholds(own), Inf)
    at <- ends[pmin(pmax(floor(q), 0), length(own) + 1) + 1] - eta
    if (link == "logit") stats::plogis(at, lower.tail = lower) else stats::pnorm(at, lower.tail = lower)
  },
  draw = function(eta, own, trials, link) {
    noise <- if (link == "logit") stats::rlogis(length(eta)) else stats::rnorm(length(eta))
    findInterval(eta + noise, thresholds(own)) + 1
  },
  support = c(0, Inf), atoms = "whole",
  plain = function(y, trials, link) list(y = stats::qlogis((rank(y) - 0.5) / length(y)), family = stats::gaussian()),
  width = function(y, trials, own) 1)

# ---- families made of others ----

# Given that a count is not 0.
truncated_entry <- function(base, words) utils::modifyList(base, list(
  words = words, check = count_check(words, 1), terms = truncated_terms(base), factor = NULL, glm = NULL, best = NULL,
  deviance = NULL, between = NULL, middle = NULL, value = NULL,
  mean = function(eta, own, link) exp(eta) / base$below(0, eta, own, 1, FALSE, link),
  variance = function(eta, own, link) {
    some <- base$below(0, eta, own, 1, FALSE, link)
    (base$variance(eta, own, link) + exp(2 * eta)) / some - (exp(eta) / some)^2
  },
  below = function(q, eta, own, trials, lower, link) {
    some <- base$below(0, eta, own, 1, FALSE, link)
    beyond <- pmin(base$below(pmax(q, 0), eta, own, 1, FALSE, link) / some, 1)
    if (lower) 1 - beyond else beyond
  },
  draw = function(eta, own, trials, link) pmax(base$above(
    stats::runif(length(eta)) * base$below(0, eta, own, 1, FALSE, link), eta, own), 1)))

# The probability of the base in families with a share `zero` of others.
some_share <- function(own) if (is.list(own)) own$some else 1 - own[["zero"]]

zero_parameters <- function(family, limit) {
  if (is.null(family$zi)) return(list(zero = share_parameter(0.3, limit)))
  stats::setNames(rep(list(own_parameter("threshold", -Inf, Inf, 0)), length(family$zi)), paste0("zi.", family$zi))
}

# A share `zero` of zeros besides those of the base.
with_zeros <- function(base, words, check, terms, plain = base$plain, limit = c(lower = 1e-8)) utils::modifyList(
  base, list(
    words = words, check = check, terms = terms, glm = NULL, best = NULL, deviance = NULL, guess = NULL,
    information = NULL, between = NULL, middle = NULL, value = NULL, plain = plain,
    parameters = function(family) c(zero_parameters(family, limit), base$parameters(family)), zeros = TRUE,
    mean = function(eta, own, link) some_share(own) * base$mean(eta, own, link),
    variance = function(eta, own, link)
      some_share(own) * (base$variance(eta, own, link) + own[["zero"]] * base$mean(eta, own, link)^2),
    factor = if (!is.null(base$factor)) function(own) some_share(own) * base$factor(own),
    below = function(q, eta, own, trials, lower, link) {
      rest <- some_share(own) * base$below(q, eta, own, 1, lower, link)
      ifelse(q < 0, 1 - lower, rest + if (lower) own[["zero"]] else 0)
    },
    draw = function(eta, own, trials, link)
      ifelse(stats::runif(length(eta)) < own[["zero"]], 0, base$draw(eta, own, trials, link)),
    atoms = if (base$atoms == "whole") "whole" else "zero"))

zero_inflated <- function(base) {
  words <- paste("zero-inflated", base$words)
  with_zeros(base, words, count_check(words), inflated_terms(base))
}
hurdle_counts <- function(truncated, words) with_zeros(truncated, words, count_check(words), hurdle_terms(truncated),
                                                       some_positive(stats::poisson), NULL)
delta_entry <- function(base, words, plain) with_zeros(base, words, negative_check(words), hurdle_terms(base), plain,
                                                       NULL)

truncated_poisson_entry <- truncated_entry(poisson_entry, "truncated Poisson")
truncated_nbinom2_entry <- truncated_entry(nbinom2_entry, "truncated negative binomial")
# As theta goes to 0, with mu/theta as it is, that of Fisher, Corbet and Williams (1943, Journal of Animal Ecology 12,
# 42-58): p^k / k over -log(1 - p), p = mu / (mu + theta).
truncated_nbinom2_entry$parameters <- function(family) list(theta = c(
  nbinom2_entry$parameters(family)$theta,
  small = "the logarithmic distribution, with a constant that falls by log(theta)"))
truncated_nbinom1_entry <- truncated_entry(nbinom1_entry, "truncated negative binomial")

response_families <- list(
  poisson = poisson_entry, binomial = binomial_entry, Gamma = gamma_entry, nbinom2 = nbinom2_entry,
  nbinom1 = nbinom1_entry, student = student_entry, lognormal = lognormal_entry, gaussian = gaussian_entry,
  inverse.gaussian = inverse_gaussian_entry, beta = beta_entry, betabinomial = betabinomial_entry,
  tweedie = tweedie_entry, cumulative = cumulative_entry, truncated_poisson = truncated_poisson_entry,
  truncated_nbinom2 = truncated_nbinom2_entry, truncated_nbinom1 = truncated_nbinom1_entry,
  zi_poisson = zero_inflated(poisson_entry), zi_nbinom2 = zero_inflated(nbinom2_entry),
  zi_nbinom1 = zero_inflated(nbinom1_entry),
  hurdle_poisson = hurdle_counts(truncated_poisson_entry, "hurdle Poisson"),
  hurdle_nbinom2 = hurdle_counts(truncated_nbinom2_entry, "hurdle negative binomial"),
  hurdle_nbinom1 = hurdle_counts(truncated_nbinom1_entry, "hurdle negative binomial"),
  delta_gamma = delta_entry(gamma_entry, "delta Gamma", some_positive(stats::Gamma)),
  delta_lognormal = delta_entry(lognormal_entry, "delta lognormal", lognormal_entry$plain))

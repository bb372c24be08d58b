# Families of responses whose mean depends on a Gaussian process: how their entries in the table of
# R/gp-family-table.R are asked. A family is the object that glm() takes, or one of R/gp-family-objects.R; its own
# parameters are a vector with names.

family_entry <- function(family) response_families[[family$family]]

family_label <- function(family) sprintf("%s (%s)", family$family, family$link)

has_trials <- function(family) isTRUE(family_entry(family)$trials)

# ---- own parameters ----

family_parameters <- function(family) family_entry(family)$parameters(family)

has_own <- function(family) length(family_parameters(family)) > 0L

# Values where a search begins that knows nothing of the data.
own_starts <- function(family) vapply(family_parameters(family), `[[`, 0, "start")

# At which end and at what number a parameter is at its limit, for responses of this size.
own_limit <- function(known, l) {
  size <- if (is.null(known$large)) 1 else known$large(l$y, l$trials)
  known$limit * max(1, size / 100) # which leaves 1e-6 of the overdispersion of 1
}

# Rows of parameters as cov_parameters() has them, named family.shape and so on.
own_names <- function(family) {
  names <- as.character(names(family_parameters(family)))
  paste0(ifelse(is_zero_coefficient(names), "", "family."), names)
}

family_rows <- function(family, own) {
  do.call(rbind, Map(function(name, p, value) other_parameters(name, p$kind, value, p$lower, p$upper),
                     own_names(family), unname(family_parameters(family)), unname(own), USE.NAMES = FALSE))
}

# The own parameters among values of all `rows`.
own_values <- function(family, v, rows)
  stats::setNames(v[match(own_names(family), rows$name)], names(family_parameters(family)))

# What `fixed` and `start` say of them, by their names, and the family's object, which may have values in `given`;
# fixed = TRUE is of the covariance. `held`: those that are not searched. Of the `level` of a family one is kept where
# the mean has a constant.
fixed_own <- function(fixed, start, family, constant) {
  known <- family_parameters(family)
  value <- own_starts(family)
  names <- own_names(family)
  named <- is.list(fixed) || is.numeric(fixed)
  held <- names(value) %in% names(family$given)
  value[held] <- unlist(family$given[names(value)[held]])
  level <- names(value) %in% family_entry(family)$level
  held[level & constant & !names %in% c(if (named) names(fixed), names(start))] <- TRUE
  started <- logical(length(names))
  for (k in seq_along(names)) for (given in list(start, if (named) fixed)) if (names[k] %in% names(given)) {
    number <- given[[names[k]]]
    check_own_value(names[k], number, known[[k]])
    value[k] <- number
    started[k] <- TRUE
  }
  held <- held | isTRUE(fixed) & names %in% names(start) | named & names %in% names(fixed)
  if (named) fixed <- fixed[setdiff(names(fixed), names)]
  list(fixed = fixed, start = start[setdiff(names(start), names)], value = value, free = !held, started = started)
}

check_own_value <- function(name, value, known) {
  one_number(name, value, if (known$kind == "positive") "positive" else "")
  inside <- if (known$kind == "share") value > 0 && value < 1 else value >= known$lower && value <= known$upper
  if (!inside) input_error(name, value, sprintf("must be between %g and %g", known$lower, known$upper))
}

# ---- responses ----

# The response as numbers with `trials`: counts, positive numbers, numbers of successes of a family that has trials,
# categories; and `cases`. The family has what it needs to know of the response.
family_response <- function(frame, terms, family) {
  if (attr(terms, "response") == 0L) input_error("formula", deparse(stats::formula(terms))[1L], "has no response")
  y <- without_units(model.response(frame))
  name <- names(frame)[1L]
  labels <- rownames(frame)
  entry <- family_entry(family)
  weights <- frame_weights(frame)
  cases <- if (!is.null(weights)) list(weights = weights)
  trials <- rep(1, NROW(y))
  if (is_censored(y)) {
    found <- censored_response(y, family, name, labels)
    y <- found$y
    cases <- c(cases, found$cases)
  }
  if (has_trials(family)) {
    pairs <- is.matrix(y) && ncol(y) == 2L && is.numeric(y)
    if (pairs) {
      trials <- rowSums(y)
      y <- y[, 1L]
    } else if (is.factor(y)) y <- y != levels(y)[1L]
    if (is.logical(y)) y <- as.double(y)
    if (is.numeric(y) && NCOL(y) == 1L) {
      found <- weighted_trials(y, trials, weights, pairs)
      y <- found$y
      trials <- found$trials
      cases <- found$cases
    }
  } else check_one_response(y, name)
  if (!is.null(entry$read)) {
    read <- entry$read(y, family)
    y <- read$y
    family <- read$family
  }
  if (!is.numeric(y) || NCOL(y) > 1L)
    input_error("formula", name, if (has_trials(family))
      "must have 0 and 1, a logical vector, a factor or cbind(successes, failures) on the left"
      else "must have a numeric vector on the left")
  y <- stats::setNames(as.double(y), labels)
  bad <- function(at, what) if (any(at)) element_error(name, y, at, what, labels)
  bad(!is.finite(y), "the response must be finite")
  entry$check(y, trials, bad)
  if (has_trials(family) && any(abs(y - round(y)) > 1e-7 | abs(trials - round(trials)) > 1e-7))
    warn(sprintf("non-integer counts in a %s fit", family$family))
  if (is.null(cases$from)) check_variation(y, trials, family, if (is.null(cases$weights)) TRUE else cases$weights > 0,
                                           bad, frame_offset(frame))
  list(y = y, trials = stats::setNames(trials, labels), family = family, cases = cases)
}

# Of the responses that are `counted`, with weights above 0.
check_variation <- function(y, trials, family, counted, bad, offset) {
  seen <- y[counted]
  level <- if (is.null(offset)) 0 * seen else offset[counted]
  all_or_none <- if (has_trials(family)) all(seen == 0) || all(seen == trials[counted])
                 else length(y) > 1L && all(seen == seen[1L]) && (seen[1L] == 0 || all(level == level[1L]))
  if (all_or_none) raise_engine_error("input", "the response is constant: there is nothing to fit")
  none <- setdiff(seq_len(max(family$categories, 0L)), seen)
  if (length(none)) raise_engine_error("input", sprintf(
    "category %d of the response has observations of weight 0 alone: leave these out", none[1L]))
  if (!identical(family_entry(family)$atoms, "zero")) return()
  if (!any(seen > 0)) bad(TRUE, "no response is above 0: there is nothing to fit")
  if (all(seen[seen > 0] == max(seen))) raise_engine_error("input", paste(
    "all responses above 0 are equal: their density grows without bound, and there is nothing to fit but their",
    "number, for which binomial is the family"))
}

# ---- densities and moments ----

# Log densities with derivatives by the linear predictor: see R/gp-family-density.R.
family_terms <- function(family, y, trials, eta, own = NULL, by = FALSE)
  family_entry(family)$terms(y, trials, eta, own, family$link, by && has_own(family))

# Means of one observation, and of families with trials of one of these.
family_mean <- function(family, eta, own = NULL) family_entry(family)$mean(eta, own, family$link)

# Derivatives of that by the linear predictor.
family_slope <- function(family, eta, own) {
  entry <- family_entry(family)
  if (isTRUE(entry$glm)) return(family$mu.eta(eta))
  if (!is.null(entry$factor)) return(family_mean(family, eta, own))
  h <- 1e-5 # errors of 1e-10 by the third derivative and of 1e-11 by rounding
  (family_mean(family, eta + h, own) - family_mean(family, eta - h, own)) / (2 * h)
}

family_variance <- function(family, eta, trials = 1, own = NULL) {
  entry <- family_entry(family)
  if (has_trials(family)) entry$variance(eta, own, family$link, trials) else entry$variance(eta, own, family$link)
}

family_draws <- function(family, eta, trials, own) array(as.double(
  family_entry(family)$draw(as.vector(eta), own, rep_len(trials, length(eta)), family$link)), dim(eta))

# The trapezoidal rule for the standard normal distribution: its error falls exponentially with the step for analytic
# functions, and where these change over a fraction of a standard deviation Gauss and Hermite need more points. For a
# normal curve the error is exp(-2 pi^2 (width / step)^2): 1e-13 for steps of 0.8 of its width. `width`: over how much
# of the linear predictor f changes, which is response_width() for a likelihood. There are `least` steps or more, and
# values of f may be several rows of those for the means.
normal_mean <- function(f, mean, sd, width = Inf, least = 200L) {
  steps <- 17 / 0.8 * max(sd / width, 0, na.rm = TRUE) # errors of a mean that is not determined are NaN
  at <- seq(-8.5, 8.5, length.out = 1L + min(max(least, ceiling(steps)), 1e5L))
  weight <- stats::dnorm(at) * (at[2L] - at[1L])
  value <- 0
  for (k in seq_along(at)) value <- value + weight[k] * f(mean + at[k] * sd)
  value
}

# The logarithm of the mean of exp(f) in the same way, which also holds where f is far from its largest value `most`
# all over the normal distribution, as for outliers. No f(mean + z sd) - z^2 / 2 is above most - z^2 / 2: nodes up
# to z^2 = 2 (most - top + 40) leave out less than exp(-40) of what is at a place with the value `top`: the best of
# some, between which that may be.
log_normal_mean <- function(f, mean, sd, width, most) {
  at <- function(z) {
    value <- suppressWarnings(f(mean + z * sd)) - z^2 / 2
    ifelse(is.nan(value), -Inf, value)
  }
  top <- at(0)
  best <- 0 * top
  visit <- function(z) {
    now <- at(z)
    best <<- ifelse(now > top, z, best)
    top <<- pmax(top, now)
  }
  reach <- function() sqrt(2 * (pmin(pmax(most - top, 0), 1e6) + 40))
  for (again in 1:2) {
    far <- reach()
    for (part in seq(-1, 1, 1 / 32)) visit(part * far)
  }
  # between these places may be the top of what falls to both sides of it over a small part of the standard deviation
  for (finer in 1:6) if (any(reach() > 15, na.rm = TRUE)) {
    centre <- best
    for (part in seq(-1, 1, 1 / 8)) visit(centre + part * far * 8^-finer)
  }
  far <- reach()
  n <- min(ceiling(max(far, na.rm = TRUE) / min(0.085, 0.8 * min(width / sd, na.rm = TRUE))), 1e5L)
  total <- 0
  for (part in seq(-1, 1, 1 / n)) {
    now <- at(part * far)
    higher <- pmax(top, now)
    total <- ifelse(higher == -Inf, 0, total * exp(top - higher) + exp(now - higher))
    top <- higher
  }
  top + log(total * far / n) - log(2 * pi) / 2
}

# normal_mean() of f(q, x), which falls with x from one number to another. Where it does so over a small part of the
# standard deviation, as distribution functions of large counts, only places between two ends have nodes, at which it
# differs by 1e-14 from the numbers beyond: the trapezoidal rule with the first correction of Euler and Maclaurin at
# the ends, whose error is (h/sd)^4/720 of the density for steps h of a fifth of the width: below 1e-9.
falling_mean <- function(f, q, mean, sd, width) {
  width <- rep_len(width, length(mean))
  narrow <- is.finite(sd) & sd > 10 * width
  if (!any(narrow)) return(normal_mean(function(x) f(q, x), mean, sd, width))
  value <- mean
  if (!all(narrow)) value[!narrow] <- falling_mean(f, q[!narrow], mean[!narrow], sd[!narrow], width[!narrow])
  q <- q[narrow]
  mean <- mean[narrow]
  sd <- sd[narrow]
  width <- width[narrow]
  first <- f(q, mean - 8.5 * sd)
  last <- f(q, mean + 8.5 * sd)
  end <- function(ahead) { # the last place with the property, which all before it have
    low <- mean - 8.5 * sd
    high <- mean + 8.5 * sd
    for (k in seq_len(ceiling(log2(17 * max(sd / width))) + 1)) {
      middle <- (low + high) / 2
      on <- ahead(f(q, middle)) %in% TRUE
      low[on] <- middle[on]
      high[!on] <- middle[!on]
    }
    list(low = low, high = high)
  }
  from <- end(function(v) v > first - 1e-14)$low
  to <- pmax(end(function(v) v > last + 1e-14)$high, from)
  n <- min(max(200L, ceiling(5 * max((to - from) / width))), 1e5L)
  h <- (to - from) / n
  inside <- 0
  for (k in 0:n) {
    at <- from + k * h
    inside <- inside + (if (k %in% c(0, n)) 0.5 else 1) * h * f(q, at) * stats::dnorm(at, mean, sd)
  }
  slope <- function(x) -(x - mean) / sd^2 * stats::dnorm(x, mean, sd)
  ends <- first * stats::pnorm(from, mean, sd) + last * stats::pnorm(to, mean, sd, lower.tail = FALSE)
  value[narrow] <- ends + inside + h^2 / 12 * (first * slope(from) - last * slope(to))
  value
}

# Responses beyond exp(300) are as good as infinite, and functions of what is infinite are no numbers.
bounded <- function(eta, family) if (family$link == "identity") eta else pmin(pmax(eta, -300), 300)

# How well a response tells its linear predictor, at best.
response_width <- function(family, y, trials, own) family_entry(family)$width(y, trials, own)

# The mean and, with `error`, the standard deviation of the mean of a response whose linear predictor is normal, given
# as `mean` and `sd`. Means by a link are analytic functions up to a distance s from the real line, 1 for cauchit and
# pi / 2 or more for others, so that the rule's error is about exp(a^2 / 2 - 2 pi a / step) with a = s / sd or, if
# that is less, 2 pi / step: below 3e-11 for steps of a quarter of sd and of 0.27 in the linear predictor. The
# standard deviation is by both moments of the difference to the mean at `mean`.
predicted_response <- function(family, part, error = TRUE) {
  factor <- family_entry(family)$factor
  if (!is.null(factor)) {
    value <- factor(part$own) * exp(part$mean + part$sd^2 / 2)
    return(list(mean = value, sd = if (error) value * sqrt(expm1(part$sd^2))))
  }
  value <- sd <- numeric(length(part$mean))
  for (at in chunks(length(value), 2^13)) { # which fit into caches
    middle <- family_mean(family, bounded(part$mean[at], family), part$own)
    found <- matrix(normal_mean(function(eta) {
      off <- family_mean(family, bounded(eta, family), part$own) - middle
      if (error) c(off, off^2) else off
    }, part$mean[at], part$sd[at], 0.27 / 0.8, 68L), length(at))
    value[at] <- middle + found[, 1L]
    if (error) sd[at] <- sqrt(pmax(found[, 2L] - found[, 1L]^2, 0))
  }
  list(mean = value, sd = if (error) sd)
}

check_probabilities <- function(family, se.fit, interval) {
  if (is.null(family) || is.null(family_entry(family)$shares)) input_error("type", "probabilities", sprintf(
    "is for ordered categories, family cumulative(), not %s", if (is.null(family)) "gaussian" else family$family))
  if (se.fit || interval != "none")
    raise_engine_error("input", "probabilities of categories have no standard errors and limits")
}

# Probabilities of categories, a column each by their names, of which all but rounding errors of the rule add up to 1.
predicted_probabilities <- function(family, parts, weight) {
  entry <- family_entry(family)
  value <- mixed(parts, weight, function(part) normal_mean(function(eta) entry$shares(eta, part$own, family$link),
                                                           part$mean, part$sd, 1))
  names <- if (is.null(family$levels)) as.character(seq_len(ncol(value))) else family$levels
  stats::setNames(lapply(seq_len(ncol(value)), function(k) value[, k]), names)
}

# Quantiles of a new response whose linear predictor has a mixture of normal distributions, by bisection of the mixed
# distribution function; of families with trials those of the probability.
predicted_quantiles <- function(family, parts, weight, prob) {
  eta <- mixed_quantiles(parts, weight, prob)
  if (has_trials(family)) return(family_mean(family, eta))
  known <- !is.na(eta)
  if (!all(known)) { # without a standard error there is none
    some <- lapply(parts, function(part)
      replace(part, c("mean", "sd", "own"), list(part$mean[known], part$sd[known], some_own(part$own, known))))
    if (any(known)) eta[known] <- predicted_quantiles(family, some, weight, prob)
    return(replace(eta, !known, NaN))
  }
  entry <- family_entry(family)
  count <- entry$atoms == "whole"
  below <- function(q) mixed(parts, weight, function(part) falling_mean(function(q, eta)
    entry$below(q, bounded(eta, family), part$own, 1, TRUE, family$link), q, part$mean, part$sd,
    response_width(family, abs(family_mean(family, bounded(part$mean, family), part$own)), 1, part$own)))
  ends <- entry$support
  low <- rep(if (count) -1 else max(ends[1L], -1), length(eta))
  high <- if (family$link == "log" && !count) exp(bounded(eta, family)) # of the size of the responses
          else rep(min(ends[2L], 1), length(eta))
  while (any(small <- below(high) < prob & high < ends[2L] & is.finite(high))) {
    low[small] <- high[small]
    high[small] <- ifelse(high[small] < 1e6, 2 * high[small], high[small]^1.25)
  }
  while (ends[1L] == -Inf && any(large <- below(low) >= prob & is.finite(low))) low[large] <- 2 * low[large]
  if (entry$atoms == "zero") high[below(numeric(length(eta))) >= prob] <- 0
  for (k in 1:200) {
    middle <- ifelse(low > 1 & high > 4 * low, sqrt(pmax(low, 1)) * sqrt(pmax(high, 1)), (low + high) / 2)
    if (count) middle <- floor(middle)
    enough <- below(middle) >= prob
    high[enough] <- middle[enough]
    low[!enough] <- middle[!enough]
    if (all(high - low <= if (count) 1 else 1e-10 * pmax(abs(high), abs(low)))) break
  }
  high
}

# ---- residuals ----

deviance_residuals <- function(family, y, trials, eta, own = NULL) {
  entry <- family_entry(family)
  mean <- family_mean(family, eta, own)
  d <- if (!is.null(entry$deviance)) entry$deviance(y, trials, mean)
       else largest_density(family, y, trials, eta, own) - family_terms(family, y, trials, eta, own)$value
  sign(y - trials * mean) * sqrt(2 * pmax(d, 0))
}

# The largest log density of y over the linear predictor: at `best`, or where its derivative changes its sign.
largest_density <- function(family, y, trials, eta, own) {
  entry <- family_entry(family)
  value <- function(at) {
    v <- family_terms(family, y, trials, at, own)$value
    ifelse(is.nan(v), -Inf, v)
  }
  if (!is.null(entry$best)) return(value(pmax(entry$best(y, trials, own), -700)))
  low <- eta - 40
  high <- eta + 40
  for (k in 1:60) {
    middle <- (low + high) / 2
    up <- family_terms(family, y, trials, middle, own)$score > 0
    up[is.na(up)] <- FALSE
    low[up] <- middle[up]
    high[!up] <- middle[!up]
  }
  pmax(value(low), value(high), value(eta))
}

# Normal quantiles of the distribution function at the response, of what has a probability at a random point between
# its values on both sides of it (Dunn and Smyth 1996), and of an interval between those at its ends; in the upper
# half by the upper tail.
quantile_residuals <- function(family, y, trials, eta, own, from = y, to = y) {
  entry <- family_entry(family)
  tail <- function(q, lower) entry$below(q, eta, own, trials, lower, family$link)
  before <- switch(entry$atoms, whole = ceiling(from) - 1, zero = ifelse(from == 0, -1, from), from)
  low <- tail(before, TRUE)
  share <- stats::runif(length(y))
  p <- low + share * (tail(to, TRUE) - low)
  far <- tail(to, FALSE)
  q <- far + (1 - share) * (tail(before, FALSE) - far)
  ifelse(p < 0.5, stats::qnorm(p), stats::qnorm(q, lower.tail = FALSE))
}

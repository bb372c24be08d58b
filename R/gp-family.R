# Families of responses whose mean depends on a Gaussian process: densities with the derivatives by the linear
# predictor that Laplace's approximation needs. All are log-concave there, so that there is one mode.

# The argument `family` as glm() takes it; NULL is the normal distribution.
response_family <- function(family) {
  links <- list(gaussian = "identity", poisson = "log", binomial = c("logit", "probit", "cloglog"), Gamma = "log")
  if (is.character(family) && length(family) == 1L && family %in% names(links))
    family <- get(family, asNamespace("stats"), mode = "function")
  if (is.function(family)) family <- tryCatch(family(), error = function(e) family)
  own <- inherits(family, "family")
  known <- if (own) links[[family$family]]
  if (is.null(known)) {
    name <- if (own) family$family else if (is.character(family)) family else class(family)[1L]
    input_error("family", name, paste0(if (own) paste("must be one of", toString(names(links)))
      else "must be a family as glm() takes it: gaussian, poisson, binomial or Gamma", family_instead(name)))
  }
  if (!family$link %in% known) {
    hint <- switch(family$family, gaussian = ": transform the response, as in log(y) ~ x",
                   if (identical(known, "log")) sprintf(": family = %s(\"log\")", family$family))
    input_error("family", sprintf("%s(%s)", family$family, family$link),
                paste0("must have the link ", paste(known, collapse = ", "), hint))
  }
  if (family$family != "gaussian") family
}

# What stands for other families until these are offered.
family_instead <- function(name) {
  overdispersed <- "%s with nugget = NA in cov has overdispersed %s"
  instead <- c("nb|neg|quasipoisson|compois" = sprintf(overdispersed, "family = poisson()", "counts"),
               quasibinomial = sprintf(overdispersed, "family = binomial()", "shares"),
               "inverse|lognormal|weibull" = "Gamma(\"log\") and log(y) ~ x are for positive responses",
               beta = "gaussian with qlogis(y) ~ x is for shares between 0 and 1",
               "tweedie|zero|zi|hurdle" = "fit y > 0 by binomial(), and what is positive by Gamma(\"log\")",
               "student|^t$|stable" = "stableReg() has heavy-tailed errors, without a process")
  at <- which(vapply(names(instead), grepl, NA, name, ignore.case = TRUE))
  if (length(at)) paste0("; ", instead[[at[1L]]]) else ""
}

family_label <- function(family) sprintf("%s (%s)", family$family, family$link)

has_shape <- function(family) family$family == "Gamma"

has_trials <- function(family) family$family == "binomial"

# The response as numbers with `trials`: counts, positive numbers, or of the binomial family numbers of successes.
family_response <- function(frame, terms, family) {
  if (attr(terms, "response") == 0L) input_error("formula", deparse(stats::formula(terms))[1L], "has no response")
  y <- without_units(model.response(frame))
  name <- names(frame)[1L]
  labels <- rownames(frame)
  trials <- rep(1, NROW(y))
  if (has_trials(family)) {
    if (is.matrix(y) && ncol(y) == 2L && is.numeric(y)) {
      trials <- rowSums(y)
      y <- y[, 1L]
    } else if (is.factor(y)) y <- y != levels(y)[1L]
    if (is.logical(y)) y <- as.double(y)
  }
  if (!has_trials(family)) check_one_response(y, name)
  if (!is.numeric(y) || NCOL(y) > 1L)
    input_error("formula", name, if (has_trials(family))
      "must have 0 and 1, a logical vector, a factor or cbind(successes, failures) on the left"
      else "must have a numeric vector on the left")
  y <- stats::setNames(as.double(y), labels)
  bad <- function(at, what) if (any(at)) element_error(name, y, at, what, labels)
  bad(!is.finite(y), "the response must be finite")
  switch(family$family,
    poisson = {
      bad(y < 0, "negative values are not allowed for the Poisson family")
      bad(abs(y - round(y)) > 1e-7, paste(
        "counts of the Poisson family must be whole numbers: gaussian is the family of logarithms of counts, and",
        "Gamma(\"log\") that of positive numbers"))
    },
    Gamma = bad(y <= 0, "values of the Gamma family must be positive"),
    binomial = {
      bad(trials == 0, "has no trials: leave the row out")
      bad(y < 0 | y > trials, "must be 0 or 1: numbers of successes are cbind(successes, failures)")
      bad(trials == 1 & y != round(y), "must be 0 or 1: proportions are cbind(successes, failures)")
    })
  if (has_trials(family) && any(abs(y - round(y)) > 1e-7 | abs(trials - round(trials)) > 1e-7))
    warn(sprintf("non-integer counts in a %s fit", family$family))
  if (length(y) > 1L && all(y == (if (has_trials(family)) 0 else y[1L])) || has_trials(family) && all(y == trials))
    raise_engine_error("input", "the response is constant: there is nothing to fit")
  list(y = y, trials = stats::setNames(trials, labels))
}

# Log densities, their derivatives by eta (`score`, `weight`, minus the second, and `third`, of the weight), and with
# a shape those of value, score and weight by its logarithm.
family_terms <- function(family, y, trials, eta, shape = 1) switch(family$family,
  poisson = {
    mu <- exp(eta)
    list(value = y * eta - mu - lgamma(y + 1), score = y - mu, weight = mu, third = mu)
  },
  Gamma = {
    ratio <- y * exp(-eta)
    own <- 1 + log(shape * ratio) - digamma(shape) - ratio
    list(value = shape * (log(shape * ratio) - ratio) - log(y) - lgamma(shape), score = shape * (ratio - 1),
         weight = shape * ratio, third = -shape * ratio, by_shape = shape * own, score_by_shape = shape * (ratio - 1),
         weight_by_shape = shape * ratio)
  },
  binomial = {
    yes <- binary_terms(family$link, eta)
    no <- if (family$link == "cloglog") binary_terms("failure", eta) else binary_terms(family$link, -eta)
    if (family$link != "cloglog") no[c("score", "third")] <- list(-no$score, -no$third)
    both <- Map(function(a, b) ifelse(y > 0, y * a, 0) + ifelse(y < trials, (trials - y) * b, 0), yes, no)
    both$value <- both$value + lchoose(trials, y)
    both
  })

# The logarithm of the probability of a success, and its derivatives.
binary_terms <- function(link, eta) switch(link,
  logit = {
    p <- stats::plogis(eta)
    q <- stats::plogis(-eta)
    list(value = stats::plogis(eta, log.p = TRUE), score = q, weight = p * q, third = p * q * (q - p))
  },
  probit = {
    value <- stats::pnorm(eta, log.p = TRUE)
    r <- exp(stats::dnorm(eta, log = TRUE) - value)
    weight <- r * (eta + r)
    list(value = value, score = r, weight = weight, third = r - weight * (eta + 2 * r))
  },
  cloglog = {
    u <- exp(eta)
    # of u/expm1(u) + u - 1 the series where that cancels
    score <- ifelse(u > 700, 0, u / expm1(pmin(u, 700)))
    rest <- ifelse(u < 1e-2, u / 2 + u^2 / 12 - u^4 / 720, u + score - 1)
    weight <- score * rest
    list(value = log(-expm1(-u)), score = score, weight = weight, third = -weight * rest + score * (u - weight))
  },
  failure = { # with the link cloglog
    u <- exp(eta)
    list(value = -u, score = -u, weight = u, third = u)
  })

# Means of one observation, and of binomial ones of one trial.
family_mean <- function(family, eta) switch(family$link, log = exp(eta), logit = stats::plogis(eta),
                                            probit = stats::pnorm(eta), cloglog = -expm1(-exp(eta)))

family_variance <- function(family, mean, trials = 1, shape = 1)
  switch(family$family, poisson = mean, Gamma = mean^2 / shape, binomial = mean * (1 - mean) / trials)

family_draws <- function(family, eta, trials, shape) {
  mean <- family_mean(family, eta)
  value <- switch(family$family, poisson = stats::rpois(length(eta), mean),
                  Gamma = stats::rgamma(length(eta), shape, shape / mean),
                  binomial = stats::rbinom(length(eta), rep_len(trials, length(eta)), mean))
  array(as.double(value), dim(eta))
}

# The trapezoidal rule for the standard normal distribution: its error falls exponentially with the step for analytic
# functions, and where these change over a fraction of a standard deviation Gauss and Hermite need more points. For a
# normal curve the error is exp(-2 pi^2 (width / step)^2): 1e-13 for steps of 0.8 of its width. `width`: over how much
# of the linear predictor f changes, which is response_width() for a likelihood.
normal_mean <- function(f, mean, sd, width = Inf) {
  steps <- 17 / 0.8 * max(sd / width, 0)
  at <- seq(-8.5, 8.5, length.out = 1L + min(max(200L, ceiling(steps)), 1e5L))
  weight <- stats::dnorm(at) * (at[2L] - at[1L])
  value <- 0
  for (k in seq_along(at)) value <- value + weight[k] * f(mean + at[k] * sd)
  value
}

# How well a response tells its linear predictor, at best.
response_width <- function(family, y, trials, shape)
  1 / sqrt(switch(family$family, poisson = pmax(y, 1), Gamma = pmax(shape, 1), binomial = pmax(trials, 1)))

# The mean and the standard deviation of the mean of a response whose linear predictor is normal, given as `mean` and
# `sd`.
predicted_response <- function(family, part) {
  if (family$link == "log") {
    value <- exp(part$mean + part$sd^2 / 2)
    return(list(mean = value, sd = value * sqrt(expm1(part$sd^2))))
  }
  middle <- family_mean(family, part$mean)
  value <- middle + normal_mean(function(eta) family_mean(family, eta) - middle, part$mean, part$sd)
  list(mean = value, sd = sqrt(normal_mean(function(eta) (family_mean(family, eta) - value)^2, part$mean, part$sd)))
}

# Quantiles of a new response whose linear predictor has a mixture of normal distributions: of counts and of Gamma by
# bisection of the mixed distribution function; of the binomial family those of the probability.
predicted_quantiles <- function(family, parts, weight, prob) {
  eta <- mixed_quantiles(parts, weight, prob)
  if (has_trials(family)) return(family_mean(family, eta))
  count <- family$family == "poisson"
  below <- function(q) mixed(parts, weight, function(part) normal_mean(function(eta)
    if (count) stats::ppois(q, exp(eta)) else stats::pgamma(q, part$shape, part$shape / exp(eta)),
    part$mean, part$sd, response_width(family, exp(eta), 1, part$shape)))
  low <- if (count) rep(-1, length(eta)) else numeric(length(eta))
  high <- rep(1, length(eta))
  while (any(small <- below(high) < prob & is.finite(high))) high[small] <- 2 * high[small]
  for (k in 1:200) {
    middle <- if (count) floor((low + high) / 2) else (low + high) / 2
    enough <- below(middle) >= prob
    high[enough] <- middle[enough]
    low[!enough] <- middle[!enough]
    if (all(high - low <= if (count) 1 else 1e-10 * high)) break
  }
  high
}

deviance_residuals <- function(family, y, trials, mean) {
  part <- function(a, b) ifelse(a == 0, 0, a * log(a / b))
  d <- switch(family$family, poisson = part(y, mean) - (y - mean), Gamma = (y - mean) / mean - log(y / mean),
              binomial = part(y, trials * mean) + part(trials - y, trials * (1 - mean)))
  sign(y - trials * mean) * sqrt(2 * pmax(d, 0))
}

# What observations have besides a response, a number of trials and a row of covariates: `cases`, a list of those parts
# that there are, vectors with an element or matrices with a row for each observation, or NULL.
#   weights: prior weights, by which the log density of an observation is multiplied

some_cases <- function(cases, at)
  if (!is.null(cases)) lapply(cases, function(part) if (is.matrix(part)) part[at, , drop = FALSE] else part[at])

# Of a fit, what log densities of its observations take; the data l of a likelihood has the same names.
observed_cases <- function(fit) list(family = fit$family, y = responses_of(fit), trials = unname(fit$trials),
                                     cases = fit$cases)

# Log densities of observations with derivatives, as family_terms() has them, times their weights.
case_terms <- function(l, eta, own = NULL, by = FALSE)
  times_weights(family_terms(l$family, l$y, l$trials, eta, own, by), l$cases$weights)

# Without weight there is no information, whatever the density is.
times_weights <- function(terms, weights) {
  if (is.null(weights)) terms
  else if (is.list(terms)) lapply(terms, times_weights, weights)
  else ifelse(weights == 0, 0, weights * terms)
}

glm_weights <- function(weights, cases)
  if (is.null(cases$weights)) weights else (if (is.null(weights)) 1 else weights) * cases$weights

# As many observations as their weights are.
case_number <- function(l) if (is.null(l$cases$weights)) length(l$y) else sum(l$cases$weights)

root_weights <- function(cases) if (is.null(cases$weights)) 1 else sqrt(cases$weights)

# ---- weights of a model frame ----

frame_weights <- function(frame) {
  weights <- frame[["(weights)"]]
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights) || NCOL(weights) != 1L)
    input_error("weights", if (NCOL(weights) != 1L) sprintf("%d columns", NCOL(weights)) else class(weights)[1L],
                "must be a numeric vector")
  weights <- as.double(weights)
  bad <- !is.finite(weights) | weights < 0
  if (any(bad)) element_error("weights", weights, bad, "weights must be finite and not negative", row.names(frame))
  if (all(weights == 0)) raise_engine_error("input", "weights are all 0: there is nothing to fit")
  weights
}

refuse_weights <- function(frame) if (!is.null(frame[["(weights)"]])) raise_engine_error("input", paste(
  "weights are for fits with a family other than gaussian, or with grouped effects: known variances of the errors of",
  "observations are error.variance, as in error.variance = 0.1 / w"))

# Of responses of a family with `trials`, which as for glm() weights are if these have not been given: with proportions,
# or zeros and ones. Else, and where numbers are not whole, they multiply the log density.
weighted_trials <- function(y, trials, weights, given) {
  rest <- list(y = y, trials = trials, cases = list(weights = weights))
  if (given || is.null(weights)) return(rest)
  if (all(y %in% 0:1) && any(weights != round(weights))) return(rest)
  trials <- ifelse(weights == 0, 1, weights)
  successes <- y * trials
  near <- abs(successes - round(successes)) < 1e-3 | weights == 0 # as glm() has it
  list(y = ifelse(near, round(successes), successes), trials = trials,
       cases = if (any(weights == 0)) list(weights = as.double(weights > 0)))
}

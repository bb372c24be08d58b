# Laplace's approximation: predictions, simulation and residuals of fits with a family.

# As they were given: a fit has shares of successes.
responses_of <- function(fit) unname(if (has_trials(fit$family)) fit$y * fit$trials else fit$y)

# ---- predictions ----

# `least`: what of the diagonal is no error, but for working precision.
latent_problem <- function(fit) {
  p <- gp_problem(fit$cov, plain_points(fit$latent.x), NULL)
  p$unit <- linear_unit(fit$family, responses_of(fit))
  p <- above_zero(p)
  p$least <- latent_jitter(p)
  p$diagonal <- rep(model_nugget(fit$cov) + p$least, nrow(p$xy))
  p
}

# The normal distribution of the process at the observations that Laplace's approximation has: the `factor` of its
# precision, the `place` in it of the rows of latent.x, and how the mode `moves` with the coefficients.
laplace_posterior <- function(fit) {
  l <- list(family = fit$family, y = responses_of(fit), trials = unname(fit$trials), location = fit$location)
  p <- laplace_problem(latent_problem(fit), l, fit$m, NULL, fit$neighbour.metric)
  on.exit(vecchia_close(p))
  l <- p$laplace
  terms <- family_terms(l$family, l$y, l$trials, unname(fit$linear.predictors), fit$own)
  known <- weighted_factor(l, laplace_precision(p), terms)
  factor <- known$factor
  terms <- known$terms
  X <- unname(known_design(fit))
  moves <- if (ncol(X)) -factor$solve(location_sums(l, terms$weight * X))[l$place, , drop = FALSE]
  list(factor = factor, place = l$place, moves = moves)
}

# The distribution of the linear predictor, or without the mean of the process alone, at new locations from the
# nearest observed ones, as vecchia_local() has it: the variance is that given the process at these, and what their
# posterior covariance and that of the coefficients add.
laplace_local <- function(fit, new, error) {
  p <- latent_problem(fit)
  posterior <- if (error) laplace_posterior(fit)
  mean <- mean_at(fit, new)
  variance <- taken <- numeric(length(mean))
  for (at in chunks(length(mean), 2^15)) {
    xy <- new$xy[at, , drop = FALSE]
    near <- nearest_observations(p, xy, 2L * fit$m)
    found <- given_neighbours(p, xy, matrix(0, nrow(p$xy), 0L), near, nrow(p$xy), TRUE)
    if (any(found[, 1L] == -Inf))
      raise_engine_error("input", sprintf("%s of new location %d is not positive definite to working precision",
                                          "the covariance matrix of the neighbours", at[found[, 1L] == -Inf][1L]))
    weights <- t(found[, -1L, drop = FALSE])
    mean[at] <- mean[at] + colSums(weights * fit$latent[near])
    if (!error) next
    near_each_other <- gp_cells(vecchia_coordinates(replace(p, "xy", list(xy)), vecchia_metric(p)), 64L)
    variance[at[near_each_other]] <- pmax(found[near_each_other, 1L], 0) +
      posterior$factor$forms(matrix(posterior$place[near[, near_each_other]], nrow(near)),
                             weights[, near_each_other, drop = FALSE])
    if (!ncol(new$X)) next
    taken[at] <- mean_variance(fit, new$X[at, , drop = FALSE] + vapply(seq_len(ncol(new$X)), function(k)
      colSums(weights * posterior$moves[near, k]), numeric(length(at))))
  }
  list(mean = mean, variance = variance, taken = taken)
}

# The normal distribution of the linear predictor, and the own parameters of the family with it.
laplace_predictive <- function(fit, new, error, interval, type) {
  if (!is.null(new$areas))
    input_error("newdata", "areas", sprintf("must have points: averages are for the family gaussian, not %s",
                                            fit$family$family))
  if (interval == "confidence") return(c(trend_predictions(fit, new), list(own = fit$own)))
  found <- laplace_local(fit, new, error || type == "response")
  list(mean = found$mean, own = fit$own,
       sd = sqrt(found$variance + found$taken + if (type == "response") model_nugget(fit$cov) else 0))
}

# As exact_folds(): means and standard deviations of the responses in each set, and the logarithms of their
# predictive densities, by fits of the others with the covariance parameters, and the family's, of this one.
laplace_folds <- function(fit, sets) {
  y <- responses_of(fit)
  value <- list(mean = rep(NaN, fit$nobs), sd = rep(NaN, fit$nobs), log.density = rep(NaN, fit$nobs))
  failed <- character()
  for (name in names(sets)) {
    at <- sets[[name]]
    found <- tryCatch(laplace_fold(fit, at, y), statcl_error_input = function(e) {
      failed <<- c(failed, paste0("without fold ", name, ": ", conditionMessage(e), ": its predictions are missing"))
      NA_real_
    })
    for (k in names(value)) value[[k]][at] <- if (is.list(found)) found[[k]] else found
  }
  if (length(failed)) warn(paste(failed, collapse = "\n"))
  value
}

# Of the observations `at`.
laplace_fold <- function(fit, at, y) {
  less <- fit_without(fit, y, at, covariance_values(fit))
  found <- laplace_local(less$fit, less$new, TRUE)
  sd <- sqrt(found$variance + found$taken + model_nugget(fit$cov))
  if (anyNA(sd)) raise_engine_error("input", "the responses do not determine the mean")
  response <- predicted_response(fit$family, list(mean = found$mean, sd = sd, own = fit$own))
  trials <- unname(fit$trials[at])
  own <- normal_mean(function(eta) family_variance(fit$family, eta, trials, fit$own),
                     found$mean, sd)
  density <- normal_mean(function(eta) exp(family_terms(fit$family, y[at], trials, eta, fit$own)$value),
                         found$mean, sd, response_width(fit$family, y[at], trials, fit$own))
  value <- list(mean = response$mean, sd = sqrt(own + response$sd^2), log.density = log(density))
  lapply(value, replace, less$unknown, NaN)
}

# ---- simulation, residuals ----

# Linear predictors at new locations, or given the data, and responses with these.
laplace_simulation <- function(fit, new, nsim, conditional, type, method) {
  if (!method %in% c("auto", "exact", "vecchia"))
    input_error("method", method, sprintf("must be \"exact\" or \"vecchia\" for the family %s", fit$family$family))
  error <- simulated_errors(fit, new, type, TRUE)
  eta <- exact_simulation(fit, latent_problem(fit), new, nsim, conditional, error,
                          if (method != "exact") fit$m, nrow(fit$latent.x), function(beta, normal) {
    posterior <- laplace_posterior(fit)
    latent <- fit$latent + posterior$factor$draws(normal)[posterior$place, , drop = FALSE]
    if (!nrow(beta)) latent else latent + posterior$moves %*% (beta - fit$coefficients[is_known(fit)])
  })
  if (type == "latent") return(eta)
  family_draws(fit$family, eta, if (new$observed) fit$trials else 1, fit$own)
}

laplace_residuals <- function(fit, type) {
  eta <- unname(fit$linear.predictors)
  trials <- unname(fit$trials)
  switch(type, raw = , response = unname(fit$residuals),
         pearson = unname(fit$residuals) / sqrt(family_variance(fit$family, eta, trials, fit$own)),
         deviance = deviance_residuals(fit$family, responses_of(fit), trials, eta, fit$own),
         quantile = quantile_residuals(fit$family, responses_of(fit), trials, eta, fit$own),
         normal_only(fit, sprintf("residuals of type \"%s\"", type)))
}

# Laplace's approximation: predictions, simulation and residuals of fits with a family.

# As they were given: a fit has shares of successes.
responses_of <- function(fit) unname(if (has_trials(fit$family)) fit$y * fit$trials else fit$y)

# ---- predictions ----

latent_problem <- function(fit) {
  p <- gp_problem(fit$cov, plain_points(fit$latent.x), NULL)
  p$unit <- linear_unit(fit$family, responses_of(fit))
  p$by <- fit$latent.by
  p[c("of", "size")] <- fit$varying[c("of", "size")]
  if (is.null(p$of)) p <- above_zero(p)
  with_jitter(p)
}

# `least`: what of the diagonal is no error, but for working precision.
with_jitter <- function(p) {
  p$least <- latent_jitter(p)
  p$diagonal <- rep(model_nugget(p$model) + p$least, nrow(p$xy))
  p
}

latent_process <- function(p, k) if (is.null(p$of)) p else with_jitter(above_zero(process_problem(p, k)))

# The normal distribution of the process at the observations that Laplace's approximation has: the `factor` of its
# precision, the `place` in it of the rows of latent.x, of one process after the other, and then of grouped effects,
# and how the mode `moves` with the coefficients.
laplace_posterior <- function(fit) {
  l <- c(observed_cases(fit), list(location = fit$location, groups = fit$groups, varying = fit$varying$value,
                                   still = isTRUE(fit$no.process),
                                   unit = linear_unit(fit$family, responses_of(fit))))
  p <- laplace_problem(latent_problem(fit), l, fit$m, NULL, fit$neighbour.metric)
  on.exit(vecchia_close(p))
  l <- p$laplace
  terms <- if (is.null(fit$sites)) case_terms(l, unname(fit$linear.predictors), fit$own) else list(weight = fit$sites)
  known <- weighted_factor(l, laplace_precision(p, group_variances(fit)), terms)
  factor <- known$factor
  terms <- known$terms
  X <- unname(known_design(fit))
  place <- as.integer(c(process_rows(l), effect_rows(l)))
  moves <- if (ncol(X)) -factor$solve(latent_sums(l, terms$weight * X))[place, , drop = FALSE]
  list(factor = factor, place = place, moves = moves)
}

# Of weights of locations, and of the effects that the rows of `groups` have after the `first` elements.
joint_forms <- function(posterior, near, weights, groups, first) {
  for (k in seq_len(NCOL(groups$index) * !is.null(groups))) {
    known <- !is.na(groups$index[, k])
    near <- rbind(near, ifelse(known, first + groups$index[, k], 1L))
    weights <- rbind(weights, ifelse(known, groups$value[, k], 0))
  }
  posterior$factor$forms(matrix(posterior$place[near], nrow(near)), weights)
}

# The distribution of the linear predictor, or without the mean of the process alone, at new locations from the
# nearest observed ones, as vecchia_local() has it: the variance is that given the process at these, and what their
# posterior covariance and that of the coefficients add.
laplace_local <- function(fit, new, error) {
  p <- latent_problem(fit)
  posterior <- if (error) laplace_posterior(fit)
  if (error) posterior$factor <- posterior$factor["forms"] # workers are sent no more
  mean <- mean_at(fit, new)
  # along cells of space, as laplace_forms() in src/gp/laplace.h wants them
  turn <- gp_cells(vecchia_coordinates(replace(p, "xy", list(new$xy)), vecchia_metric(p)), 8L)
  parts <- lapply(laplace_chunks(p, length(mean), fit$m), function(k) predictor_places(new, mean, turn[k]))
  known <- c(fit[c("coefficients", "parameters", "vcov", "metric", "m", "latent", "effects")],
             list(groups = fit$groups["variances"]))
  found <- cluster_apply(parts, "laplace_chunk", known, p, posterior)
  value <- matrix(0, length(mean), 3L)
  value[turn, ] <- do.call(rbind, c(list(matrix(0, 0L, 3L)), found))
  list(mean = value[, 1L], variance = value[, 2L], taken = value[, 3L])
}

# What a chunk takes of places whose predictors have the mean `mean` without the process.
predictor_places <- function(new, mean, at) list(
  at = at, mean = mean[at], xy = new$xy[at, , drop = FALSE], X = new$X[at, , drop = FALSE],
  groups = rows_beside(new$groups, at)[intersect(c("index", "value", "variance"), names(new$groups))],
  by = if (!is.null(new$by)) list(code = new$by$code[at]), varying = new$varying$value[at, , drop = FALSE])

# The numbers to n in chunks, which bound the memory. Workers have more and smaller ones, where values do not depend
# on which (see vecchia_kriging()), but none of less than an eighth of the number of observed locations: each worker
# is sent the factor of the precision once, which for 100 observed locations takes about as long as 3 new ones
# (bench/gp-cluster.R).
laplace_chunks <- function(p, n, m) {
  size <- min(max(2^15, nrow(p$xy)), 2^17, ceiling(2^23 / min(2 * m, nrow(p$xy))))
  parts <- if (cellwise(p) && 2 * m < nrow(p$xy))
    cluster_parts(n, min(size, max(4000, nrow(p$xy) %/% 8)), ceiling(n / size))
  if (length(parts) < 2L) chunks(n, size) else parts
}

# Of the places of a chunk columns as laplace_local() has them. `fit` has what is needed of it; without `posterior`
# there are no variances.
laplace_chunk <- function(new, fit, p, posterior) {
  near <- nearest_of_replicate(p, new$xy, new$by, 2L * fit$m)
  parts <- lapply(seq_len(count_processes(p)), function(k)
    process_given(latent_process(p, k), new$xy, near, new$at, if (!is.null(p$of)) new$varying[, k]))
  near[is.na(near)] <- 1L
  weights <- do.call(rbind, lapply(parts, `[[`, "weights"))
  near <- do.call(rbind, lapply(seq_along(parts), function(k) near + (k - 1L) * nrow(p$xy)))
  mean <- new$mean + colSums(weights * fit$latent[near]) + effects_at(new$groups, fit$effects)
  if (is.null(posterior)) return(cbind(mean, 0, 0))
  variance <- Reduce(`+`, lapply(parts, `[[`, "variance")) + variance_of_new(new$groups, group_variances(fit)) +
    joint_forms(posterior, near, weights, new$groups, length(fit$latent))
  if (!ncol(new$X)) return(cbind(mean, variance, 0))
  first <- length(fit$latent)
  taken <- mean_variance(fit, new$X + vapply(seq_len(ncol(new$X)), function(k)
    colSums(weights * posterior$moves[near, k]) + effects_at(new$groups, posterior$moves[-seq_len(first), k]),
    numeric(length(mean))))
  cbind(mean, variance, taken)
}

# Of a process at new locations, the numbers `at`, times its covariate x there: the weights of its values at the
# locations `near`, and the variance that is left.
process_given <- function(p, xy, near, at, x = NULL) {
  found <- if (nrow(near) == nrow(p$xy) && is.null(p$by)) given_all(p, xy, near)
           else given_neighbours(p, xy, matrix(0, nrow(p$xy), 0L), near, nrow(p$xy), TRUE)
  if (any(found[, 1L] == -Inf))
    raise_engine_error("input", sprintf("%s of new location %d is not positive definite to working precision",
                                        "the covariance matrix of the neighbours", min(at[found[, 1L] == -Inf])))
  weights <- t(found[, -1L, drop = FALSE])
  if (!is.null(p$by)) weights[is.na(near)] <- 0
  variance <- pmax(found[, 1L], 0)
  if (is.null(x)) list(weights = weights, variance = variance)
  else list(weights = weights * rep(x, each = nrow(weights)), variance = variance * x^2)
}

# As given_neighbours() has it, of locations that all have all others as neighbours, by one factor.
given_all <- function(p, xy, near) {
  covariance <- process_covariance(p, p$xy)
  diag(covariance) <- diag(covariance) + p$diagonal
  root <- tryCatch(chol(covariance), error = function(e) NULL)
  if (is.null(root)) return(matrix(-Inf, nrow(xy), 1L + nrow(near)))
  half <- backsolve(root, process_covariance(p, p$xy, xy), transpose = TRUE)
  weights <- backsolve(root, half)
  weights[] <- weights[cbind(c(near), c(col(near)))]
  cbind(process_variance(p) - colSums(half^2), t(weights))
}

# The normal distribution of the linear predictor, and the own parameters of the family with it.
laplace_predictive <- function(fit, new, error, interval, type) {
  if (!is.null(new$areas))
    input_error("newdata", "areas", paste("must have points: averages are for", plain_normal(fit$family)))
  own <- own_of_new(fit, new, type)
  if (interval == "confidence") return(c(trend_predictions(fit, new), list(own = own)))
  # the mean of a response is that over the distribution of its linear predictor
  found <- laplace_local(fit, new, error || type == "response" && fit$family$link != "identity")
  list(mean = found$mean, own = own,
       sd = sqrt(found$variance + found$taken + if (type == "response") model_nugget(fit$cov) else 0))
}

# As exact_folds(): means and standard deviations of the responses in each set, and the logarithms of their
# predictive densities, by fits of the others with the covariance parameters, and the family's, of this one.
laplace_folds <- function(fit, sets) {
  value <- list(mean = rep(NaN, fit$nobs), sd = rep(NaN, fit$nobs), log.density = rep(NaN, fit$nobs))
  folds <- Map(function(at, name) list(at = at, name = name), sets, names(sets))
  found <- cluster_apply(folds, "laplace_fold", bare_laplace(fit))
  for (i in seq_along(sets)) for (k in names(value))
    value[[k]][sets[[i]]] <- if (is.list(found[[i]])) found[[i]][[k]] else NA_real_
  failed <- unlist(Filter(is.character, found))
  if (length(failed)) warn(paste(failed, collapse = "\n"))
  value
}

# What folds need of a fit: not the formulas and their terms, in whose environments there may be anything.
bare_laplace <- function(fit) {
  fit <- fit[setdiff(names(fit), c("call", "terms", "model", "formula", "coords", "zi", "na.action"))]
  if (!is.null(fit$groups))
    fit$groups$known <- lapply(fit$groups$known, function(one) one[setdiff(names(one), "frame")])
  if (!is.null(fit$varying)) fit$varying <- fit$varying[setdiff(names(fit$varying), c("formula", "terms"))]
  fit
}

# Of the observations fold$at, or what to say where that fails.
laplace_fold <- function(fold, fit) tryCatch(
  laplace_without(fit, fold$at), statcl_error_input = function(e)
    paste0("without fold ", fold$name, ": ", conditionMessage(e), ": its predictions are missing"))

laplace_without <- function(fit, at) {
  less <- fit_without(fit, responses_of(fit), at, covariance_values(fit))
  found <- laplace_local(less$fit, less$new, TRUE)
  sd <- sqrt(found$variance + found$taken + model_nugget(fit$cov))
  if (anyNA(sd)) raise_engine_error("input", "the responses do not determine the mean")
  l <- cases_at(observed_cases(fit), at)
  l$cases$weights <- NULL # an observation is one
  own <- own_at(fit$own, l$cases$zero)
  response <- predicted_response(fit$family, list(mean = found$mean, sd = sd, own = own))
  variance <- normal_mean(function(eta) family_variance(fit$family, eta, l$trials, own), found$mean, sd)
  density <- log_normal_mean(function(eta) case_terms(l, eta, fit$own)$value, found$mean, sd,
                             response_width(fit$family, l$y, l$trials, own), largest_case(l, found$mean, own))
  value <- list(mean = response$mean, sd = sqrt(variance + response$sd^2), log.density = density)
  lapply(value, replace, less$unknown, NaN)
}

# ---- simulation, residuals ----

# Linear predictors at new locations, or given the data, and responses with these.
laplace_simulation <- function(fit, new, nsim, conditional, type, method) {
  if (!method %in% c("auto", "exact", "vecchia"))
    input_error("method", method, sprintf("must be \"exact\" or \"vecchia\" for the family %s", fit$family$family))
  error <- simulated_errors(fit, new, type, TRUE)
  n <- nrow(fit$latent.x)
  places <- seq_along(fit$latent)
  effects <- NULL
  p <- latent_problem(fit)
  first <- latent_process(p, 1L)
  first$new <- new$by
  others <- list() # processes of coefficients that vary
  m <- if (method != "exact") min(fit$m, 1000L) # as many results as there are neighbours have to fit in one task
  eta <- exact_simulation(fit, first, new, nsim, conditional, error, m,
                          length(places) + length(fit$effects), function(beta, normal) {
    posterior <- laplace_posterior(fit)
    latent <- c(fit$latent, fit$effects) + posterior$factor$draws(normal)[posterior$place, , drop = FALSE]
    if (nrow(beta)) latent <- latent + posterior$moves %*% (beta - fit$coefficients[is_known(fit)])
    effects <<- latent[-places, , drop = FALSE]
    others <<- lapply(seq_len(count_processes(p))[-1L], function(k) latent[(k - 1L) * n + seq_len(n), , drop = FALSE])
    latent[seq_len(n), , drop = FALSE]
  })
  for (k in seq_len(count_processes(p))[-1L]) {
    one <- latent_process(p, k)
    one$new <- new$by
    if (!conditional) one <- without_points(one)
    eta <- eta + new$varying$value[, k] * exact_fields(
      one, if (conditional) others[[k - 1L]] else matrix(0, 0L, nsim), new$xy,
      matrix(stats::rnorm(nrow(new$xy) * nsim), ncol = nsim), m)
  }
  if (!is.null(fit$groups)) eta <- eta + drawn_effects(fit, new$groups, effects, nsim)
  if (type == "latent") return(eta)
  family_draws(fit$family, eta, if (new$observed) fit$trials else 1, own_of_new(fit, new))
}

laplace_residuals <- function(fit, type) {
  eta <- unname(fit$linear.predictors)
  trials <- unname(fit$trials)
  root <- root_weights(fit$cases)
  own <- own_at(fit$own, fit$cases$zero)
  switch(type, raw = , response = unname(fit$residuals),
         pearson = unname(fit$residuals) * root / sqrt(family_variance(fit$family, eta, trials, own)),
         deviance = root * case_deviance(observed_cases(fit), eta, own),
         quantile = {
           y <- responses_of(fit)
           from <- if (is.null(fit$cases$from)) y else fit$cases$from
           quantile_residuals(fit$family, y, trials, eta, own, from, if (is.null(fit$cases$to)) y else fit$cases$to)
         },
         normal_only(fit, sprintf("residuals of type \"%s\"", type)))
}

# What likelihoods of normal responses share: the data, the search, coefficients and standard errors, predictions and
# simulations. They differ in how they find the numbers of one evaluation, and in how they predict.

# As the table in CONTRIBUTING.md has it. `own` are the problem p, the data y and X, all `rows` of parameters and the
# task; `prepared` gives p with what evaluations need besides. Of the functions of a single likelihood,
# evaluate(p, names, profile, least) gives the value and derivatives by parameters, best(p, used) what is known at the
# maximum, kriging(new, error) the predictions of the process, averages() those over areas, and condition(value, left,
# new, normal) adds to fields at new locations the kriging of what is left of the data, with coefficients, of which
# `drawn` are drawn from `normal`.
likelihood_of_normal <- function(fit, own, evaluate, best, whiten, leave_out, kriging, averages, condition, hold,
                              prepared = function() own$p, drawn = 0L, draws = "auto", coarse = function() NULL,
                              along = NULL, coefficients = NULL, renewed = function(v) NULL,
                              renews = function() FALSE, close = function() NULL, approximation = "") {
  rows <- as.list(own$rows) # for speed
  at <- function(v) {
    p <- prepared()
    gp_at(p, set_parameters(p$model, v, rows))
  }
  along_lines <- function(lines, factor, nugget, profile) {
    some <- chunks(length(lines), 256L)
    do.call(cbind, lapply(some, function(k) {
      engine <- engine_of_sets(own$p, do.call(rbind, lines[k]), rows)
      if (is.null(engine)) # one by one
        matrix(vapply(lines[k], function(v) along(at(v), factor, nugget, profile), factor), length(factor))
      else matrix(along(own$p, rep(factor, length(k)), rep(nugget, length(k)), profile, engine), length(factor))
    }))
  }
  grid <- function(s, unknown) if (!is.null(along) && length(own$data$y) <= most_on_grid && length(unknown))
    gp_grid(asked_problem(own$p, own$task), s, unknown,
            function(lines, factor, nugget) along_lines(lines, factor, nugget, s$reference > 0))
  list(
    search = function() list(problem = asked_problem(prepared(), own$task), rows = own$rows, data = own$data,
                             task = own$task, inside = FALSE, estimator = fit$estimator, units = own$units,
                             scaled = all(own$p$error == 0) && !has_local_sill(own$p$model) &&
                               !is_several(own$p$model)),
    starts = function(s, unknown, plain = FALSE) {
      if (is_local(own$p$model)) return(uninterrupted(best_starts(
        local_starts(fit, own, s, unknown), some_observations(asked_problem(own$p, own$task), own), s)))
      if (is_several(own$p$model)) return(several_starts(asked_problem(own$p, own$task), own, s, unknown))
      known <- if (!plain) grid(s, unknown)
      if (!is.null(known) && any(is.finite(known$value))) return(grid_peaks(known))
      p <- asked_problem(own$p, own$task)
      uninterrupted(best_starts(gp_starts(p, s$rows, unknown, s$scales), some_observations(p, own), s))
    },
    evaluate = function(point, least)
      in_coordinates(evaluate(at(point$v), own$rows$name[point$at], point$profile, least), point),
    result = function(found) normal_result(found, own, at, best),
    predictive = function(new, error, interval, type)
      normal_predictive(fit, own$p, kriging, averages, new, error, interval, type),
    leave_out = leave_out,
    draw = function(...) normal_draw(fit, own, condition, drawn, ...), draws = draws,
    values = function(v, profile = FALSE) if (!is.null(along) && length(own$data$y) <= most_on_grid) {
      engine <- engine_of_sets(own$p, v, rows)
      nugget <- rows$parameter == "nugget"
      if (!is.null(engine)) along(own$p, rep(1, nrow(v)), v[, nugget], profile, engine)
    },
    whiten = whiten, grid = grid, coarse = coarse, renewed = renewed, renews = renews, hold = hold, close = close,
    natural = NULL, searched = NULL, apart = NULL,
    residuals = normal_residuals(fit, own, whiten, leave_out), standard = "standardized", fitted = "confidence",
    coefficients = if (!is.null(coefficients)) function(v, names) coefficients(at(v), names),
    rows = function() cov_parameters(model_parts(fit$cov)),
    text = list(responses = "", approximation = approximation, family = "", surface = "prediction of "))
}

# ---- what is fitted ----

# Of a fit that is there, or of a new one, which asks for a model with what is fixed in it and where it starts.
normal_request <- function(fit, ask) {
  data <- fitted_data(fit)
  if (is.null(ask)) {
    p <- fit_problem(fit)
    rows <- cov_parameters(p$parts)
    fixed <- stats::setNames(covariance_rows(fit)$fixed, rows$name)
    return(with_units(list(p = p, data = data, rows = rows, task = searched_task(
      list(model = p$model, free = names(which(!fixed)), fixed = fixed, unknown = character()), rows))))
  }
  if (!is.null(fit$error.variance)) check_numbers("error.variance", fit$error.variance, "not negative", names(fit$y))
  p <- gp_problem(known_model(ask$model), ask$points, fit$error.variance)
  task <- fit_task(ask$model, ask$fixed, ask$start, p)
  task[c("penalty", "thorough")] <- list(fit$penalty, !is_local(ask$model))
  check_anisotropy(p, task$free)
  check_no_mean(ask$model)
  if (length(task$free)) {
    left <- if (is.null(data$X)) data$y else qr.resid(qr(data$X), data$y)
    if (max(abs(left)) <= 1e-13 * max(abs(data$y)))
      raise_engine_error("input", if (length(unique(fit$y)) == 1L) "the response is constant: there is nothing to fit"
                                  else "the mean fits the response exactly: nothing is left for the covariance")
    if (max(abs(left)) < 1e-70 || max(abs(left)) > 1e70) # fourth powers are in the information of variances
      raise_engine_error("input", sprintf(paste(
        "the response differs from its mean by %s at most: that must be between 1e-70 and 1e70, which another unit",
        "may serve for"), rounded(max(abs(left)))))
    check_observations(fit$nobs, fit$rank + length(task$free), "parameter")
  }
  rows <- cov_parameters(model_parts(task$model))
  with_units(list(p = p, data = data, rows = rows, task = searched_task(task, rows)))
}

# Of several variables the units of parameters, and whether a search may leave where the model is valid.
with_units <- function(own) {
  if (!is_several(own$p$model)) return(own)
  own$units <- several_units(own$rows, own$task$model, own$p, own$data)
  own$checked <- checked_correlations(own)
  own
}

# With what the search begins at, and all that it searches, where that is the covariance alone.
searched_task <- function(task, rows) replace(task, c("v", "searched"), list(rows$value, task$free))

# The problem with the model that is asked for, in which parameters may not be known.
asked_problem <- function(p, task) {
  p$model <- task$model
  p$parts <- model_parts(task$model)
  p
}

# The exact likelihood of some of the observations, for starts.
some_observations <- function(p, own) {
  at <- gp_sample(p, 150L)
  rest <- if (is.null(own$data$X)) own$data$y else stats::lm.fit(own$data$X, own$data$y)$residuals
  p$xy <- p$xy[at, , drop = FALSE]
  p$by <- NULL # of replicates the errors tell apart what is at one location
  if (length(p$error) > 1L) p$error <- p$error[at]
  own[c("p", "data")] <- list(p, list(y = rest[at]))
  exact_likelihood(list(estimator = "ML"), own = own)
}

# What is known at the maximum.
normal_result <- function(found, own, at, best) {
  # a nugget at the end of its search, which is next to nothing, is none
  if (is_local(own$p$model)) found$v[own$rows$name == "nugget" & found$ends[own$rows$name] %in% "lower"] <- 0
  if (any(own$rows$base %in% c("nugget", "local.nugget") & own$rows$name %in% own$task$free))
    warn_of_repeats(at(found$v), own$p$xy, own$data$y)
  known <- normal_maximum(found$v, found$ends, own, at, best, if (is_several(own$p$model)) found$space)
  limit <- without_process(known, own$task)
  none <- if (!is.null(limit)) normal_maximum(limit$v, limit$ends, own, at, best)
  if (isTRUE(none$loglik > known$loglik - 1e-6)) none else known
}

# Parameters with standard errors, coefficients with their covariance, and more of `best`.
# `space`: the search, of models whose matrices may be on their boundary.
normal_maximum <- function(v, ends, own, at, best, space = NULL) {
  p <- at(v)
  rows <- own$rows
  rows$value <- v
  rows$end <- ""
  rows$end[match(names(ends), rows$name)] <- ends
  singular <- !is.null(space) & rows$name %in% own$task$free & rows$end != "" &
    rows$kind %in% c("correlation", "coregionalisation", "cross")
  used <- rows$name[!own$task$fixed[rows$name] & (rows$end == "" | singular)]
  found <- best(p, used)
  information <- if (length(used)) found$information else matrix(0, 0L, 0L)
  # of what the likelihood does not depend on, as the range of independent values, nothing is known
  flat <- match(used, rows$name)
  flat <- diag(information) * rows$value[flat]^2 < 1e-8 &
    !rows$kind[flat] %in% c("angle", "coefficient", "correlation", "cross")
  information[flat, ] <- information[, flat] <- NA
  if (is_local(p$model)) rows$end <- local_ends(information, rows, p$model)
  c(list(cov = p$model, rows = rows, vcov.cov = if (any(singular)) on_boundary(information, rows, v, space)
                                                else if (is_local(p$model)) local_inverse(information, rows, p$model)
                                                else inverse_or_na(information)),
    found[setdiff(names(found), "information")])
}

# If no observations are correlated, the likelihood is that of a model without process: it tells neither the range nor
# what of the variance is nugget. Then all of it is, and the variance is 0.
without_process <- function(known, task) {
  rows <- known$rows
  variance <- rows$name[rows$parameter == "variance"]
  nugget <- rows$name[rows$parameter == "nugget"]
  if (length(variance) != 1L || !all(c(variance, nugget) %in% task$free)) return(NULL)
  if (!all(is.na(parameter_errors(known))[rows$name %in% setdiff(task$free, c(variance, nugget))])) return(NULL)
  at <- match(c(variance, nugget), rows$name)
  rows$value[at] <- c(0, sum(rows$value[at]))
  rows$end[at] <- c("lower", "")
  list(v = rows$value, ends = stats::setNames(rows$end, rows$name))
}

# ---- predictions ----

normal_predictive <- function(fit, p, kriging, averages, new, error, interval, type) {
  on.exit(.Call(C_gpForget))
  if (interval == "confidence") return(trend_predictions(fit, new))
  if (!is.null(new$areas)) return(area_predictions(p, averages(), new))
  found <- kriging(new, error)
  nugget <- if (type == "response") nugget_at(p, new$xy) else 0
  list(mean = found$mean, sd = if (error) sqrt(found$variance + nugget))
}

# Of the mean alone, with degrees of freedom.
trend_predictions <- function(fit, new) {
  e <- coefficient_errors(fit)
  list(mean = mean_at(fit, new), sd = sqrt(rowSums((new$X %*% e$vcov) * new$X)), df = e$df(new$X))
}

fitted_data <- function(object)
  list(y = as.double(object$y - object$offset), X = if (any(is_known(object))) known_design(object))


# What is averaged over parameters that are not known: predictive distributions, a list of `parts` with weights, of
# which each is normal, as a single fit has them, with its `mean`, `sd` and what else the family of a response takes.

# The average of f over the parts.
mixed <- function(parts, weight, f) {
  value <- 0
  for (k in seq_along(parts)) value <- value + weight[k] * f(parts[[k]])
  value
}

# The logarithm of the average of densities whose logarithms are given, which may be below that of any number.
mixed_logs <- function(logs, weight) {
  top <- do.call(pmax, logs)
  ifelse(top == -Inf, -Inf, top + log(mixed(logs, weight, function(log) exp(log - top))))
}

# Mean and standard deviation of a mixture of distributions that have these.
mixed_moments <- function(parts, weight) {
  if (length(parts) == 1L) return(list(mean = parts[[1L]]$mean, sd = parts[[1L]]$sd))
  mean <- mixed(parts, weight, function(part) part$mean)
  list(mean = mean, sd = if (!is.null(parts[[1L]]$sd))
    sqrt(mixed(parts, weight, function(part) part$sd^2 + (part$mean - mean)^2)))
}

# Quantiles of a mixture of normal distributions, by Newton's method with bisection where it leaves what is known.
mixed_quantiles <- function(parts, weight, prob) {
  if (length(parts) == 1L) return(parts[[1L]]$mean + stats::qnorm(prob) * parts[[1L]]$sd)
  each <- lapply(parts, function(part) part$mean + stats::qnorm(prob) * part$sd)
  low <- do.call(pmin, each)
  high <- do.call(pmax, each)
  q <- mixed(parts, weight, function(part) part$mean) + stats::qnorm(prob) * mixed_moments(parts, weight)$sd
  open <- which(!is.na(q) & high > low)
  for (step in 1:60) {
    if (!length(open)) break
    some <- lapply(parts, function(part) list(mean = part$mean[open], sd = part$sd[open]))
    x <- q[open]
    miss <- mixed(some, weight, function(part) stats::pnorm(x, part$mean, part$sd)) - prob
    low[open] <- ifelse(miss < 0, x, low[open])
    high[open] <- ifelse(miss < 0, high[open], x)
    x <- x - miss / mixed(some, weight, function(part) stats::dnorm(x, part$mean, part$sd))
    outside <- !(x >= low[open] & x <= high[open]) # a step that divides by 0, too
    x[outside] <- (low[open] + high[open])[outside] / 2
    q[open] <- x
    # the step after one of this length squares it
    open <- open[abs(miss) > 1e-8 * min(prob, 1 - prob) & high[open] - low[open] > 1e-15 * abs(x)]
  }
  q
}

# Columns of predict(). Of responses with a `family` the parts are of their linear predictor.
predicted_columns <- function(parts, weight, se.fit, interval, level, type, family = NULL) {
  found <- mixed_moments(parts, weight)
  probs <- c(1 - level, 1 + level) / 2
  limits <- if (interval != "none") {
    if (!is.null(family) && type == "response" && interval == "prediction")
      lapply(probs, function(prob) predicted_quantiles(family, parts, weight, prob))
    else if (length(parts) == 1L) {
      wide <- stats::qt(probs[2L], if (is.null(parts[[1L]]$df)) Inf else parts[[1L]]$df) * found$sd
      list(found$mean - wide, found$mean + wide)
    }
    else lapply(probs, function(prob) mixed_quantiles(parts, weight, prob))
  }
  if (!is.null(family) && type == "response") {
    if (interval == "confidence") {
      own <- parts[[1L]]$own
      limits <- lapply(limits, family_mean, family = family, own = own)
      found <- list(mean = family_mean(family, found$mean, own),
                    sd = found$sd * family_slope(family, found$mean, own))
    } else found <- mixed_moments(lapply(parts, predicted_response, family = family, error = se.fit), weight)
  }
  list(fit = found$mean, se.fit = if (se.fit) found$sd, lwr = limits[[1L]], upr = limits[[2L]])
}

# Fits of which predictions are averaged with weights: `object` itself, or with parameters integrated those at the
# nodes of their posterior distribution. These are for the process: of the `mean` alone, of few data, it is all
# points.
parameter_mixture <- function(object, parameters, mean = FALSE) {
  if (!identical(parameters, "plugin") && !identical(parameters, c("plugin", "integrate")))
    refuse_local(object, "parameters = \"integrate\"", "\"plugin\" takes this fit")
  all_points <- mean && is.null(object$family)
  found <- if (inherits(parameters, "gpPosterior")) {
    if (!identical(posterior_key(attr(parameters, "original.fit")), posterior_key(object)))
      raise_engine_error("input", "parameters has the posterior distribution of another fit")
    attr(parameters, "points")
  } else if (!is.character(parameters))
    input_error("parameters", class(parameters)[1L], "must be \"plugin\", \"integrate\" or a result of posterior()")
  else if (choice("parameters", parameters, c("plugin", "integrate")) == "integrate" && has_free(object))
    known_posterior(object, nodes = !all_points)
  if (is.null(found)) return(plugin(object))
  some <- if (all_points && is.finite(found$ess)) found else found$nodes
  list(fits = if (all_points) means_at(object, some$v) else fits_at(object, some$v), weight = some$weight,
       means = all_points)
}

plugin <- function(fit) list(fits = list(fit), weight = 1)

has_free <- function(fit) !all(covariance_rows(fit)$fixed)

# The fit with other covariance parameters, a row of v each: coefficients and predictions are by these, taken as
# known.
fits_at <- function(fit, v) {
  if (!is.null(fit$family)) return(lapply(seq_len(nrow(v)), function(k) family_fit_at(fit, v[k, ])))
  k <- is_known(fit)
  results_at(fit, v, function(best, i) {
    other <- fit
    other$parameters$fixed[fit$parameters$component == "covariance"] <- TRUE
    other[c("cov", "kriging")] <- best[c("cov", "kriging")]
    other$coefficients[k] <- best$beta
    other$fitted.values[] <- fit$offset + linear(fit$X[, k, drop = FALSE], other$coefficients)
    other$residuals[] <- fit$y - other$fitted.values
    other$vcov[] <- NA_real_
    if (length(best$beta)) other$vcov[which(k), which(k)] <- best$vcov
    other$parameters$estimate <- c(other$coefficients, best$rows$value)
    other
  })
}

# f(result, i) of the likelihood of normal responses at the parameters in each row of v, none of which is estimated.
results_at <- function(fit, v, f) {
  fit$parameters$fixed[fit$parameters$component == "covariance"] <- TRUE
  lik <- likelihood_of(fit)
  on.exit(lik$close())
  lapply(seq_len(nrow(v)), function(i) f(lik$result(list(v = v[i, ], ends = character())), i))
}

# Coefficients and their covariance matrices there.
coefficients_at <- function(fit, v) {
  lik <- likelihood_of(fit)
  on.exit(lik$close())
  apply(v, 1L, lik$coefficients, character(), simplify = FALSE)
}

# What predictions of the mean alone take of fits_at(), in a fraction of the time.
means_at <- function(fit, v) {
  known <- which(is_known(fit))
  if (!length(known)) return(rep(list(fit), nrow(v)))
  fit$parameters$fixed[fit$parameters$component == "covariance"] <- TRUE
  lapply(coefficients_at(fit, v), function(found) {
    fit$coefficients[known] <- found$beta
    fit$vcov[known, known] <- found$vcov
    fit
  })
}

# Of other families the coefficients, and the mode of the process, are found anew.
family_fit_at <- function(fit, v) {
  rows <- covariance_rows(fit)
  value <- v[seq_len(nrow(rows))]
  own <- length(fit$own) # the last ones of both
  value[nrow(rows) - own + seq_len(own)] <-
    zero_natural(stats::setNames(v[length(v) - own + seq_len(own)], names(fit$own)), zero_root(fit))
  other <- gp_fit(responses_of(fit), fit$X, fit$offset, plain_points(fit$x),
                  list(model = fit$cov, fixed = stats::setNames(as.list(value), rownames(rows))),
                  method = fit$method, m = fit$m, family = fit$family, trials = fit$trials, beside = beside_of(fit))
  more <- setdiff(names(fit), names(other))
  other[more] <- fit[more]
  structure(other, class = class(fit))
}

# Quantiles of the posterior distribution. Of coefficients of normal responses they are those of the mixture of their
# distributions given the covariance. Where the estimate is on a bound, the interval is one-sided and has it.
#' @exportS3Method NULL
integrated_limits.gpFit <- function(fit, at, level) {
  refuse_local(fit, "method = \"integrate\"", "\"profile\" takes this fit")
  table <- fit$parameters
  value <- matrix(NA_real_, nrow(table), 2L)
  probs <- cbind(ifelse(table$boundary == "upper", 1 - level, (1 - level) / 2),
                 ifelse(table$boundary == "lower", level, (1 + level) / 2))
  mean <- intersect(at, which(is_known(fit)))
  if (has_free(fit)) {
    points <- known_posterior(fit)
    own <- which(table$component == "covariance")
    columns <- parameters_of_points(fit, points)
    for (j in seq_along(own)) value[own[j], ] <- weighted_quantile(columns[, j], points$weight, probs[own[j], ])
    if (length(mean) && is.null(fit$family)) {
      # nodes are for predictions: of few data the coefficients at all points cost little
      some <- if (is.finite(points$ess)) list(v = points$v, weight = points$weight) else points$nodes
      known <- match(mean, which(is_known(fit)))
      parts <- lapply(despite_failures(function() coefficients_at(fit, some$v)), function(found)
        list(mean = found$beta[known], sd = sqrt(diag(found$vcov)[known])))
      for (side in 1:2) value[mean, side] <- mixed_quantiles(parts, some$weight, probs[mean[1L], side])
    } else if (length(mean)) {
      draws <- posterior_coefficients(fit, points, seq_len(nrow(points$v)))
      for (j in mean) value[j, ] <- weighted_quantile(draws[, j], points$weight, probs[j, ])
    }
  } else if (length(mean)) # the covariance is known
    value[linear_rows(fit), ] <- coefficient_limits(fit, probs[1L, ])
  lower <- table$boundary == "lower"
  upper <- table$boundary == "upper"
  value[lower, 1L] <- table$lower[lower]
  value[upper, 2L] <- table$upper[upper]
  value[table$fixed, ] <- NA
  value[at, , drop = FALSE]
}

# By measured coverage (bench/gp-coverage-small.R, gp-coverage-families.R): of few data normal limits of covariance
# parameters are too narrow, and there are none on a bound; of coefficients of normal responses t limits cover better
# than quantiles.
#' @exportS3Method NULL
default_limits.gpFit <- function(fit, at) {
  p <- fit$parameters[at, ]
  covariance <- p$component == "covariance" & !p$fixed
  if (tells_posterior(fit) && (!any(covariance) || is.null(fit$family) || has_posterior(fit)))
    return(ifelse(covariance, "integrate", "transformed"))
  few <- is.null(fit$family) && has_free(fit) && fit$nobs <= most_on_grid
  told <- if (!is.null(fit$variables)) p$boundary == "lower" & p$estimate == p$lower
          else few & is_local(fit$cov) | nzchar(p$boundary)
  ifelse(covariance & told & profiled_rows(fit)[at], "profile", "transformed")
}

# Is it found? That of other families may have no sound maximum, where the responses tell next to nothing.
has_posterior <- function(fit)
  tryCatch(length(known_posterior(fit)) > 0L, statcl_error_input = function(e) FALSE)

# Is the posterior distribution of the parameters of the covariance told by default? Of several variables that of
# matrices takes too many points, and that of expectation propagation with integrals too long. Grouped effects without
# a process have the errors that packages for these have.
tells_posterior <- function(fit)
  has_free(fit) && fit$nobs <= most_on_grid && !is_local(fit$cov) && is.null(fit$no.process) &&
    (!identical(fit$approximation, "ep") || has_normal_errors(fit)) &&
    (is.null(fit$variables) || fit$method == "exact" && fit$cov$name != "lmc" && !is.matrix(fit$cov$nugget))

weighted_quantile <- function(v, weight, probs) {
  o <- order(v)
  below <- cumsum(weight[o]) - weight[o] / 2
  stats::approx(below, v[o], probs, rule = 2, ties = "ordered")$y
}

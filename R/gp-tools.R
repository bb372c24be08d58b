# Methods of fits of Gaussian processes for tools; see R/fit-tools.R.

#' @rdname model-tools
#' @exportS3Method stats::family
family.gpFit <- function(object, ...) if (is.null(object$family)) gaussian() else object$family

#' Weights of fits of Gaussian processes
#'
#' Prior weights, which tools for models ask for, and the weights of kriging.
#'
#' Prior weights are those of `gpFit(weights = )`, times the numbers of trials of a binomial response, if one of these
#' is not 1. Other fits have none: `NULL`. Known variances of errors, `error.variance`, are no weights, for the whole
#' variance of an observation is not proportional to them.
#'
#' Kriging weights are \eqn{S^{-1}(y - X\beta)}{inv(S) (y - X beta)}, with the covariance matrix S of the
#' observations: the prediction at a new location is its mean plus the sum of these, times the covariances of the
#' location with the observations (dual kriging). They belong to the exact likelihood of normal responses; for other
#' fits they are an error.
#'
#' @param object a fit by [gpFit()].
#' @param type `"prior"` or `"kriging"`.
#' @param ... not used.
#' @return A vector with an element for each observation, `NA` for those that [stats::na.exclude()] left out, or
#'   `NULL`.
#' @seealso [predict.gpFit()]
#' @examples
#' quakes <- subset(datasets::quakes, depth < 60)
#' model <- covModel("exponential", range = 300, variance = 0.05, nugget = 0.1, distance = "chordal")
#' fit <- gpFit(log(stations) ~ 1, quakes, coords = ~ long + lat, fixed = TRUE, cov = model)
#' weights(fit)
#' new <- data.frame(long = 180, lat = -20)
#' cross <- covariance(model, new, quakes[c("long", "lat")])
#' coef(fit) + cross %*% weights(fit, "kriging")
#' predict(fit, new)
#' @importFrom stats weights
#' @export
weights.gpFit <- function(object, type = c("prior", "kriging"), ...) {
  check_extra(...)
  type <- choice("type", type)
  value <- if (type == "kriging") object$kriging else prior_weights(object)
  if (type == "kriging" && is.null(value))
    input_error("type", type, "is for fits of normal responses by method = \"exact\"")
  if (!is.null(value)) stats::naresid(object$na.action, stats::setNames(as.vector(value), names(object$y)))
}

prior_weights <- function(fit) {
  weights <- fit$cases$weights
  if (is.null(weights)) if (any(fit$trials != 1)) fit$trials else NULL
  else weights * fit$trials
}

# The data with the coordinates, for fits that tools make anew.
#' @exportS3Method insight::get_data
get_data.gpFit <- function(x, ...) {
  data <- NextMethod()
  xy <- gp_frame(x)[setdiff(gp_axes(x), names(data))]
  if (NROW(data) == nrow(xy)) data[names(xy)] <- xy
  data
}

# insight looks for single trials in fits of a list of classes.
#' @exportS3Method insight::model_info
model_info.gpFit <- function(x, ...) {
  value <- NextMethod()
  if (!is.null(x$family) && has_trials(x$family)) value$is_bernoulli <- all(x$trials == 1)
  value
}

#' @exportS3Method performance::r2
r2.gpFit <- function(model, ...) {
  value <- summary(model)$r.squared
  if (is.null(value)) raise_engine_error("input", paste(
    "a fit by gpFit() with a family has no R squared: AIC() and anova() compare models, gpCV() their predictions"))
  structure(list(R2 = c("Pseudo R2" = value)), class = "r2_generic")
}

# Pearson's test, of counts and numbers of successes given the process.
#' @exportS3Method performance::check_overdispersion
check_overdispersion.gpFit <- function(x, ...) {
  if (is.null(x$family) || has_own(x$family) || has_trials(x$family) && all(x$trials == 1))
    raise_engine_error("input", "overdispersion is that of counts and of numbers of successes in several trials")
  squares <- sum(residuals(x, "pearson")^2, na.rm = TRUE)
  left <- stats::df.residual(x)
  structure(list(chisq_statistic = squares, dispersion_ratio = squares / left, residual_df = left,
                 p_value = stats::pchisq(squares, left, lower.tail = FALSE)),
            object_name = deparse1(substitute(x)), class = c("check_overdisp", "see_check_overdisp"))
}

# The test of Breusch and Pagan, of standardised residuals.
#' @exportS3Method performance::check_heteroscedasticity
check_heteroscedasticity.gpFit <- function(x, ...) {
  if (!is.null(x$family)) return(NextMethod())
  name <- deparse1(substitute(x)) # by which plot() finds the fit
  x$na.action <- NULL
  square <- residuals(x, "standardized")^2
  of_mean <- stats::lm.fit(cbind(1, fitted(x)), square / mean(square))$fitted.values
  structure(stats::pchisq(sum((of_mean - 1)^2) / 2, 1, lower.tail = FALSE), data = x, object_name = name,
            class = c("check_heteroscedasticity", "see_check_heteroscedasticity", "numeric"))
}

# Given the data, observations are what they were.
has_no_errors <- function(fit) is.null(fit$family) && is.null(fit$error.variance) && model_nugget(fit$cov) == 0 &&
  !"nugget" %in% names(fit$cov$local)

# Simulations are given the process, which is known where there are no errors.
#' @exportS3Method performance::check_predictions
check_predictions.gpFit <- function(model, ...) {
  if (has_no_errors(model)) raise_engine_error("input", paste(
    "without nugget the process is that of the data, and simulations given it are the data:",
    "simulate(fit, conditional = FALSE) has others"))
  NextMethod()
}

#' @exportS3Method DHARMa::getSimulations
getSimulations.gpFit <- function(object, nsim = 1, simulateREs = c("conditional", "unconditional", "user-specified"),
                                 type = c("normal", "refit"), ...) {
  given <- choice("simulateREs", simulateREs)
  if (given == "conditional" && has_no_errors(object)) input_error("simulateREs", given, paste(
    "must be \"unconditional\" for a fit without nugget: given the data, observations are what they were"))
  if (given == "conditional" && !identical(object$cov$variance, 0)) message(paste(
    "Simulations are given the process, which was fitted to the same data: residuals vary less than those of the",
    "true model, and tests of uniformity fail too often. simulateREs = \"unconditional\" tests the model."))
  object$na.action <- NULL
  draws <- if (given == "user-specified") simulate(object, nsim, ...)
           else simulate(object, nsim, conditional = given == "conditional")
  if (choice("type", type) == "normal") data.matrix(draws) else draws
}

#' @exportS3Method DHARMa::getObservedResponse
getObservedResponse.gpFit <- function(object, ...)
  as.vector(if (is.null(object$family)) object$y else family_response(object$model, object$terms, object$family)$y)

# The same fit of another response, of the binomial family numbers of successes.
#' @exportS3Method lme4::refit
refit.gpFit <- function(object, newresp, ...) {
  own <- covariance_rows(object)
  y <- replace(object$y, seq_along(object$y), newresp)
  beside <- beside_of(object)
  beside$cases[c("from", "to")] <- NULL
  again <- gp_fit(y, object$X, object$offset, list(xy = object$x, local = object$local, geographic = NA, crs = NULL),
                  list(model = object$cov, fixed = covariance_values(object)[own$fixed]), object$estimator,
                  object$method, object$m, object$block, object$penalty, object$error.variance, object$family,
                  object$trials, beside)
  object$second <- NULL
  object[names(again)] <- again
  object$model[[1L]] <- if (is.null(object$family) || !has_trials(object$family)) newresp
                        else if (is.matrix(object$model[[1L]])) cbind(newresp, object$trials - newresp)
                        else newresp / object$trials
  object$notes <- gp_notes(object)
  object
}

#' @exportS3Method sandwich::estfun
estfun.gpFit <- function(x, ...)
  raise_engine_error("input", paste(
    "observations of a fit by gpFit() are correlated, and have no scores of their own: confint(fit, method =",
    "\"profile\") has limits without standard errors"))

# Whichever of the two functions masks the other.
#' @rawNamespace S3method(spmodel::varcomp, gpFit)
#' @export
varcomp.default <- function(object, ...) {
  if (!isNamespaceLoaded("spmodel")) input_error("object", class(object)[1L], "must be a fit by gpFit()")
  do.call(spmodel::varcomp, list(object, ...), envir = globalenv()) # from here it would find this method
}

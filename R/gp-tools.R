# Methods of fits of Gaussian processes for tools; see R/fit-tools.R.

#' Weights of fits of Gaussian processes
#'
#' Prior weights, which tools for models ask for, and the weights of kriging.
#'
#' Prior weights are the numbers of trials of a binomial response, if one of them is not 1. Other fits have none:
#' `NULL`. Known variances of errors, `error.variance`, are no weights, for the whole variance of an observation is
#' not proportional to them.
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
  value <- if (choice("type", type) == "kriging") object$kriging else if (any(object$trials != 1)) object$trials
  if (type[1L] == "kriging" && is.null(value))
    input_error("type", "kriging", "is for fits of normal responses by method = \"exact\"")
  if (!is.null(value)) stats::naresid(object$na.action, stats::setNames(as.vector(value), names(object$y)))
}

# Residuals of Gaussian processes: what is left of the observations by the mean alone, in independent pieces, and by
# all other observations.

#' Residuals and influence in fits of Gaussian processes
#'
#' Observations minus their mean or minus their predictions from all other observations, and the influence of
#' observations on the coefficients of the mean.
#'
#' With S the fitted covariance of the observations, nugget and errors included, `y` the observations and `Xb` the
#' mean:
#'
#' * `"raw"` residuals, or `"response"`, are `y - Xb`. They are correlated as the process is.
#' * `"pearson"` are these over their standard deviations, the roots of the diagonal of S.
#' * `"standardized"` are `inv(L) (y - Xb)` with `S = L L'`, Cholesky's factor: uncorrelated, with variance 1, if the
#'   model is right. The first is the first observation over its standard deviation, each other one the standardised
#'   error of its prediction from those before it, so that they depend on the order of the observations. Package
#'   \pkg{nlme} calls them `"normalized"`, which is accepted too, and \pkg{spmodel} `"pearson"`. [rstandard()] returns
#'   them.
#' * `"loo"` are the errors of leave-one-out predictions: each observation less its universal kriging prediction from
#'   all others, the coefficients being estimated from the others as well, with the covariance parameters of the fit.
#'   They come from one inverse of S (Dubrule 1983), or in fits by Vecchia's approximation from the nearest
#'   neighbours; the standardised residuals of these are in the order of the approximation, not of the observations,
#'   and given single neighbours also where the fit has blocks.
#' * `"loo.standardized"` are these over the standard deviations of the predictions, with variance 1 and correlated.
#'   [rstudent()] returns them.
#'
#' For a fit with a `family`, `"raw"` residuals are the response (binomial: the share of successes) minus its mean at
#' the mode of the process, `"pearson"` these over the standard deviation of the response, and `"deviance"` as for
#' [glm()]; those of other families are by the largest log density of the observation over the linear predictor. Both
#' are times the root of the `weights` of the fit, if it has any. For responses that are intervals see [censored()].
#' `"quantile"` are the normal quantiles of the distribution function of the response at the mode of the process, of
#' what has a probability at a point drawn at random between its values on both sides of it (Dunn and Smyth 1996, see
#' [gpFamilies]): standard normal where the model is right and the process well known. The other kinds, leverages and
#' distances are for the normal distribution.
#'
#' `cooks.distance` is the squared length of the change of the coefficients when an observation is left out, in the
#' metric of their covariance matrix, over their number; covariance parameters are those of the fit. With the
#' leverage h of `hatvalues` and the standardised leave-one-out error t it is `t^2 h/((1 - h) p)`, as for [lm()]. The
#' leverage is the share of the information of an observation, given all others, that the estimates of the mean
#' take; it is 1 for one without which they are not known. With `type = "whitened"` both are of the linear model
#' for `inv(L) y`, whose elements are not single observations, as in package \pkg{spmodel}.
#'
#' @param object,model a fit by [gpFit()].
#' @param type type of the residuals, leverages or distances: see details.
#' @param ... not used.
#' @return A numeric vector with an element for each observation, `NA` for those that [stats::na.exclude()] left out
#'   of the fit and `NaN` for leave-one-out errors that do not exist.
#' @references
#' Dubrule, O. (1983). Cross validation of kriging in a unique neighborhood. *Mathematical Geology* **15**, 687--699.
#' @seealso [gpFit()], [fitted()][gpFit-methods], [plot.gpFit()]
#' @examples
#' quakes <- subset(datasets::quakes, depth < 100)
#' model <- covModel("exponential", range = NA, nugget = NA, distance = "chordal")
#' fit <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat, cov = model)
#' sqrt(mean(residuals(fit)^2))
#' sqrt(mean(residuals(fit, "loo")^2))
#' head(sort(cooks.distance(fit), decreasing = TRUE))
#' @export
residuals.gpFit <- function(object, type = c("raw", "standardized", "loo", "loo.standardized", "pearson", "response",
                                             "normalized", "deviance", "quantile"), ...) {
  check_extra(...)
  known <- likelihood_of(object)$residuals
  types <- intersect(eval(formals(residuals.gpFit)$type), names(known))
  type <- if (missing(type)) "raw" else choice("type", type, types)
  stats::naresid(object$na.action, stats::setNames(known[[type]](), names(object$y)))
}

# Of a likelihood of normal responses.
normal_residuals <- function(fit, own, whiten, leave_out) {
  loo <- function() leave_out()$residual
  raw <- function() fit$residuals
  standardized <- function() whiten()$z
  list(raw = raw, response = raw, standardized = standardized, normalized = standardized, loo = loo,
       loo.standardized = function() {
         loo <- leave_out()
         loo$residual / loo$sd
       }, pearson = function() fit$residuals / sqrt(own_variances(own$p, own$p$xy) + own$p$diagonal))
}

#' @rdname residuals.gpFit
#' @export
hatvalues.gpFit <- function(model, type = c("deletion", "whitened"), ...) {
  check_extra(...)
  lik <- normal_only(model, "leverages")
  h <- if (choice("type", type) == "deletion") lik$leave_out()$leverage else whitened_leverage(lik$whiten())
  stats::naresid(model$na.action, stats::setNames(h, names(model$y)))
}

whitened_leverage <- function(w) if (is.null(w$q)) 0 * w$z else rowSums(w$q^2)

#' @rdname residuals.gpFit
#' @export
cooks.distance.gpFit <- function(model, type = c("deletion", "whitened"), ...) {
  check_extra(...)
  lik <- normal_only(model, "Cook's distances")
  if (choice("type", type) == "deletion") {
    loo <- lik$leave_out()
    h <- loo$leverage
    squares <- (loo$residual / loo$sd)^2
  } else {
    w <- lik$whiten()
    h <- whitened_leverage(w)
    squares <- w$z^2 / (1 - h)
  }
  stats::naresid(model$na.action, stats::setNames(squares * h / ((1 - h) * model$rank), names(model$y)))
}

#' @rdname residuals.gpFit
#' @importFrom stats rstandard
#' @export
rstandard.gpFit <- function(model, ...) {
  check_extra(...)
  residuals(model, "standardized")
}

#' @rdname residuals.gpFit
#' @importFrom stats rstudent
#' @export
rstudent.gpFit <- function(model, ...) {
  check_extra(...)
  residuals(model, "loo.standardized")
}

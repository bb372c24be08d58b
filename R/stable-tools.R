# Methods of fits of stable distributions and of linear models with stable errors for tools; see R/fit-tools.R.

#' @rdname model-tools
#' @exportS3Method stats::family
family.stableReg <- function(object, ...) {
  p <- all_estimates(object)
  variance <- if (p[["alpha"]] == 2) 2 * p[["gamma"]]^2 else Inf
  link <- unclass(stats::make.link("identity"))
  structure(c(list(family = "stable", link = "identity", variance = function(mu) 0 * mu + variance),
              link[c("linkfun", "linkinv", "mu.eta", "valideta")]), class = "family")
}

#' @rdname model-tools
#' @exportS3Method stats::family
family.stableFit <- family.stableReg

#' @exportS3Method DHARMa::getObservedResponse
getObservedResponse.stableReg <- function(object, ...) {
  if (any(object$weights != 1)) raise_engine_error("input", paste(
    "weights of a fit by stableReg() are numbers of observations: repeat these in data to simulate all of them"))
  unname(object$fitted.values + object$residuals)
}

#' @exportS3Method DHARMa::getObservedResponse
getObservedResponse.stableFit <- function(object, ...) {
  if (any(censored_rows(object))) raise_engine_error("input", "censored observations have no residuals by simulation")
  whole_size(object) # or an error
  if (is.null(object$weights)) object$x else rep(object$x, object$weights)
}

#' @exportS3Method DHARMa::getFitted
getFitted.stableFit <- function(object, ...) rep(median(object), nobs(object))

#' @exportS3Method DHARMa::getResiduals
getResiduals.stableFit <- function(object, ...) getObservedResponse.stableFit(object) - median(object)

#' @exportS3Method lme4::refit
refit.stableReg <- function(object, newresp, ...) {
  y <- replace(object$residuals, seq_along(object$residuals), newresp)
  known <- object$shape[shape_of(object, "fixed")]
  again <- reg_fit(model.matrix(object), y, object$weights, object$offset, known, NULL)
  object[names(again)] <- again
  if (!is.null(object$model)) object$model[[1L]] <- newresp
  object$notes <- reg_notes(object)
  object
}

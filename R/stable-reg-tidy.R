# Methods for the generics of broom, for linear models with stable errors.

#' @rdname stableReg-methods
#' @exportS3Method generics::glance
glance.stableReg <- function(x, ...) cbind(as.list(x$shape), glance.statclFit(x), df.residual = x$df.residual)

#' @rdname stableReg-methods
#' @exportS3Method generics::augment
augment.stableReg <- function(x, data = model.frame(x), newdata = NULL, ...) {
  check_extra(...)
  if (!is.null(newdata)) return(cbind(as_table("newdata", newdata), .fitted = predict(x, newdata)))
  bare <- x
  bare$na.action <- NULL
  augmented(x, as_table("data", data), list(.fitted = x$fitted.values, .resid = x$residuals,
                                            .quantile.resid = residuals(bare, "quantile")))
}

# Methods for the generics of broom, for linear models with stable errors.

#' @rdname stableReg-methods
#' @exportS3Method generics::glance
glance.stableReg <- function(x, ...) cbind(as.list(x$shape), glance.statclFit(x), df.residual = x$df.residual)

#' @rdname stableReg-methods
#' @exportS3Method generics::augment
augment.stableReg <- function(x, data = model.frame(x), newdata = NULL, ...) {
  check_extra(...)
  if (!is.null(newdata)) return(cbind(as_table("newdata", newdata), .fitted = predict(x, newdata)))
  data <- as_table("data", data)
  padded <- nrow(data) != length(x$residuals)
  column <- function(value) if (padded) stats::naresid(x$na.action, value) else value
  if (length(column(x$residuals)) != nrow(data))
    input_error("data", nrow(data), "must have a row for each observation of the fit")
  bare <- x
  bare$na.action <- NULL
  cbind(data, .fitted = unname(column(x$fitted.values)), .resid = unname(column(x$residuals)),
        .quantile.resid = unname(column(residuals(bare, "quantile"))))
}

# Methods for the generics of broom, for linear models with stable errors.

#' @rdname stableReg-methods
#' @exportS3Method generics::glance
glance.stableReg <- function(x, ...) cbind(as.list(x$shape), glance.statclFit(x))

#' @rdname stableReg-methods
#' @exportS3Method generics::augment
augment.stableReg <- function(x, data = model.frame(x), newdata = NULL, se_fit = FALSE,
                              interval = c("none", "confidence", "prediction"), conf.level = 0.95, ...) {
  check_extra(...)
  interval <- choice("interval", interval)
  bare <- x
  bare$na.action <- NULL
  told <- predict(bare, newdata, se.fit = TRUE, interval = interval, level = conf.level)
  limits <- if (interval != "none") list(.lower = told$fit[, "lwr"], .upper = told$fit[, "upr"])
  more <- c(if (one_flag("se_fit", se_fit)) list(.se.fit = told$se.fit), limits)
  if (!is.null(newdata)) {
    new <- as_table("newdata", newdata)
    new[c(".fitted", names(more))] <- c(list(as.matrix(told$fit)[, 1L]), more)
    new$.resid <- new_residuals(x, new, new$.fitted)
    return(new)
  }
  augmented(x, as_table("data", data), c(list(.fitted = x$fitted.values, .resid = x$residuals,
                                              .quantile.resid = residuals(bare, "quantile")), more))
}

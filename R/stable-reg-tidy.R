# Methods for the generics of broom, for linear models with stable errors.

#' @rdname stableReg-methods
#' @exportS3Method generics::tidy
tidy.stableReg <- function(x, which = c("all", "coefficients", "shape"), conf.int = FALSE, conf.level = 0.95,
                           conf.method = c("default", "profile", "transformed", "wald"), ...) {
  check_extra(...)
  part <- reg_part(x, choice("which", which))
  estimate <- coef(x, "all")
  error <- reg_errors(x)
  shape <- seq_along(estimate) > length(x$coefficients)
  z <- ifelse(shape, NA, estimate / error) # no null hypothesis about the shape
  value <- data.frame(term = names(estimate), component = ifelse(shape, "shape", "coefficients"), estimate = estimate,
                      std.error = error, statistic = z, p.value = 2 * stats::pnorm(-abs(z)))
  if (one_flag("conf.int", conf.int)) {
    limits <- confint(x, level = conf.level, method = choice("conf.method", conf.method))
    value$conf.low <- limits[, 1L]
    value$conf.high <- limits[, 2L]
  }
  value <- value[part, ]
  rownames(value) <- NULL
  value
}

#' @rdname stableReg-methods
#' @exportS3Method generics::glance
glance.stableReg <- function(x, ...)
  data.frame(alpha = x$shape[["alpha"]], beta = x$shape[["beta"]], gamma = x$shape[["gamma"]], logLik = x$loglik,
             AIC = stats::AIC(x), BIC = stats::BIC(x), df = x$df, df.residual = x$df.residual, nobs = x$nobs,
             converged = x$converged)

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

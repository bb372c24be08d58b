# Predictions of linear models with stable errors.

#' Predictions of linear models with stable errors
#'
#' Predicts the location, mean or quantiles of the response, with standard errors, confidence and prediction limits.
#'
#' Standard errors are those of the delta method with the covariance of all parameters. Confidence limits of quantiles
#' are normal ones on the scale of \eqn{\mathrm{asinh}((q - \mu)/\gamma)}{asinh((q - mu)/gamma)} with the location
#' \eqn{\mu}{mu}, as those of [`quantile()`][quantile.stableFit()] for `alpha` and `beta` within their range; other
#' confidence limits are symmetric. Prediction limits are quantiles of the distribution of a new observation at the
#' estimates, each with half of the probability `1 - level` beyond; they do not account for the uncertainty of the
#' estimates.
#'
#' @param object a fit by [stableReg()].
#' @param newdata data frame with the variables of the model; by default the data of the fit.
#' @param se.fit if `TRUE`, standard errors are computed too.
#' @param interval kind of limits: of the quantity predicted, or of a new observation.
#' @param level probability between the limits.
#' @param type `"location"`, the linear predictor; `"mean"`, which is `NaN` with a warning for `alpha <= 1`; or
#'   `"quantile"`.
#' @param probs probability of the quantile, or without `interval` a vector of them.
#' @param na.action what to do about missing values in `newdata`.
#' @param ... not used.
#' @return As [predict.lm()]: a vector, or a matrix with columns `fit`, `lwr` and `upr`, or if `se.fit` a list of
#'   that, `fit`, of `se.fit` and of `residual.scale`, which is `gamma`. For quantiles of several `probs` a matrix
#'   with a column for each takes the place of the vector.
#' @seealso [stableReg()], [esstable()] for expected shortfall
#' @examples
#' returns <- as.data.frame(diff(log(datasets::EuStockMarkets)) * 100)
#' fit <- stableReg(CAC ~ DAX, returns)
#' days <- data.frame(DAX = c(-3, 0, 3))
#' predict(fit, days, interval = "prediction", level = 0.99)
#' predict(fit, days, type = "quantile", probs = 0.01, se.fit = TRUE) # conditional value at risk
#' @importFrom stats predict
#' @export
predict.stableReg <- function(object, newdata, se.fit = FALSE, interval = c("none", "confidence", "prediction"),
                              level = 0.95, type = c("location", "mean", "quantile"), probs = 0.5,
                              na.action = stats::na.pass, ...) {
  check_extra(...)
  type <- choice("type", type)
  interval <- choice("interval", interval)
  check_level(level)
  se.fit <- one_flag("se.fit", se.fit)
  check_probs(probs)
  if (!length(probs) || anyNA(probs)) input_error("probs", probs, "must be probabilities")
  if (type == "quantile" && length(probs) > 1L && interval != "none")
    input_error("probs", probs, "must be a single probability where there is an interval")
  if (missing(newdata) || is.null(newdata)) {
    x <- model.matrix(object)
    location <- object$fitted.values
    omitted <- object$na.action
  } else {
    b <- object$coefficients
    if (anyNA(b)) warn("prediction from a rank-deficient fit may be misleading")
    new <- new_columns(object, newdata, na.action)
    x <- new$x
    location <- drop(x[, !is.na(b), drop = FALSE] %*% b[!is.na(b)]) + new$offset
    omitted <- new$omitted
  }
  if (type == "quantile" && length(probs) > 1L) return(reg_quantiles(object, x, location, probs, se.fit, omitted))
  shape <- object$shape
  shift <- reg_shift(shape, type, probs)
  if (is.nan(shift)) warn("there is no mean: alpha <= 1")
  value <- location + shift
  if (se.fit || interval == "confidence") error <- reg_error(object, x, type, probs)
  if (interval != "none") {
    tail <- c(1 - level, 1 + level) / 2
    limits <- if (interval == "prediction") outer(location, do.call(qstable, c(list(tail), as.list(shape))), `+`)
              else if (type == "quantile") asinh_limits(value, location, shape[["gamma"]], error, level)
              else value + outer(error, stats::qnorm(tail))
    value <- cbind(fit = value, lwr = limits[, 1L], upr = limits[, 2L])
  }
  value <- stats::napredict(omitted, value)
  if (!se.fit) return(value)
  list(fit = value, se.fit = stats::napredict(omitted, error), residual.scale = shape[["gamma"]])
}

# A column for each of the probabilities p.
reg_quantiles <- function(object, x, location, p, se.fit, omitted) {
  columns <- function(f) {
    value <- vapply(p, f, numeric(length(location)))
    stats::napredict(omitted, matrix(value, length(location),
                                     dimnames = list(names(location), names(stats::quantile(0, p)))))
  }
  value <- columns(function(one) location + reg_shift(object$shape, "quantile", one))
  if (!se.fit) return(value)
  list(fit = value, se.fit = columns(function(one) reg_error(object, x, "quantile", one)),
       residual.scale = object$shape[["gamma"]])
}

# What is added to the location.
reg_shift <- function(shape, type, p)
  switch(type, location = 0,
         mean = if (shape[["alpha"]] == 2) 0
                else if (shape[["alpha"]] > 1) -shape[["gamma"]] * shape[["beta"]] * tan(pi / 2 * shape[["alpha"]])
                else NaN,
         quantile = do.call(qstable, c(list(p), as.list(shape))))

# Standard errors by the delta method; the derivatives of quantiles are differences.
reg_error <- function(object, x, type, p) {
  keep <- !is.na(object$coefficients)
  k <- length(keep)
  free <- if (type == "location") integer() else which(reg_estimated(object)[k + 1:3])
  slope <- reg_shift_slope(object$shape, type, p, free)
  place <- c(which(keep), k + free)
  slopes <- cbind(x[, keep, drop = FALSE], matrix(slope, nrow(x), length(free), byrow = TRUE))
  gamma <- object$shape[["gamma"]]
  slopes <- sweep(slopes, 2L, gamma / object$unit[place], `/`)
  gamma * sqrt(rowSums((slopes %*% object$unit.vcov[place, place, drop = FALSE]) * slopes))
}

reg_shift_slope <- function(shape, type, p, free) {
  if (type == "mean" && shape[["alpha"]] < 2) {
    t <- tan(pi / 2 * shape[["alpha"]])
    beta <- shape[["beta"]]
    return(-c(shape[["gamma"]] * beta * pi / 2 * (1 + t^2), shape[["gamma"]] * t, beta * t)[free])
  }
  step <- c(min(1e-4, (2 - shape[["alpha"]]) / 2), min(1e-4, (1 - abs(shape[["beta"]])) / 2), 1e-4 * shape[["gamma"]])
  vapply(free, function(j) {
    at <- function(side) reg_shift(replace(shape, j, shape[[j]] + side * step[j]), type, p)
    (at(1) - at(-1)) / (2 * step[j])
  }, numeric(1))
}

# Scores, robust covariances and influence of the cases in linear models with stable errors.

#' Influence of the cases in linear models with stable errors
#'
#' Leverages, scores and the effect of each case on the estimates: use them to find the cases that determine a fit.
#'
#' All are computed from the first and second derivatives of the log density at the estimates, in the parameters that
#' have standard errors; others are treated as known.
#'
#' `hatvalues` are generalised leverages (Wei, Hu and Fung 1998), the derivatives of the fitted locations with respect
#' to their own responses. They are those of [lm()] where `alpha = 2`. A case far out in the tails has a negative one:
#' the further it moves away, the less it counts. `dfbeta` are changes of the estimates when a case is added to the
#' others, by one step of Newton's method (Pregibon 1981) from the estimates of all; `dfbetas` are these in units of
#' the standard errors. `cooks.distance` is the squared length of the changes of the coefficients in the metric of
#' their covariance matrix, over their number. `influence` has all of them.
#'
#' The methods for `estfun` and `bread` of package \pkg{sandwich} make its covariance matrices, such as
#' `sandwich::vcovCL()` of clustered cases, available. `estfun` has the scores times the weights, whose columns sum to
#' 0. `sandwich::sandwich()` counts each of its rows as one observation, also where its weight is that of several;
#' `vcov(type = "sandwich")` counts as many as the weight says.
#'
#' A case with weight `w` is `w` equal cases here: its leverage is the sum of theirs, and its `dfbeta` and
#' `cooks.distance` are the effects of all of them. The scores that `influence` has are those of one.
#'
#' @param model,x a fit by [stableReg()].
#' @param do.coef if `FALSE`, `dfbeta` and `cooks.distance` are left out.
#' @param infl not used: as the method of [lm()] has it.
#' @param ... not used.
#' @return `hatvalues` and `cooks.distance` give a vector with an element for each case, `dfbeta` and `dfbetas` a
#'   matrix with a row for each case and a column for each parameter, `influence` a list with `hat`, `dfbeta`,
#'   `cooks.distance` and `scores`. Cases that [stats::na.exclude()] has left out of the fit have `NA`; so have those
#'   in `dfbeta`, `dfbetas` and `cooks.distance` without which the matrix of Newton's step is not positive definite:
#'   the quadratic approximation has no maximum without them, and such cases should be checked. `estfun` gives the
#'   matrix of scores, times the weights, `bread` the covariance matrix times the number of cases.
#' @references
#' Pregibon, D. (1981). Logistic regression diagnostics. *Annals of Statistics* **9**, 705--724.
#'
#' Wei, B.-C., Hu, Y.-Q. and Fung, W.-K. (1998). Generalized leverage and its applications. *Scandinavian Journal of
#' Statistics* **25**, 25--37.
#' @name stableReg-influence
#' @seealso [stableReg()], [vcov()][vcov.stableReg()]
#' @examples
#' fit <- stableReg(stack.loss ~ ., datasets::stackloss)
#' round(cooks.distance(fit), 3)
#' round(hatvalues(fit), 3)
NULL

# Parameters with standard errors.
reg_open <- function(object) reg_settled(object) & !is.na(diag(object$unit.vcov))

# Derivatives of the log density of each case in the parameters that have standard errors, over their units: scores,
# and a function of the case that gives minus the second derivatives; mixed, those with respect to response/gamma;
# columns, of the model matrix in units of gamma, 0 for the shape; cov, the covariance of the parameters.
reg_derivatives <- function(object, name) {
  open <- reg_open(object)
  if (!any(open)) input_error(name, object, "must have standard errors: see vcov()")
  k <- length(object$coefficients)
  gamma <- object$shape[["gamma"]]
  d <- stable_slopes(object$residuals / gamma, object$shape[["alpha"]], object$shape[["beta"]])
  z <- object$residuals / gamma
  x <- sweep(model.matrix(object), 2L, object$unit[seq_len(k)] / gamma, `*`)
  zero <- numeric(length(z))
  lz <- d[, "z"]
  zz <- d[, "z.z"]
  pick <- function(m) {
    dimnames(m) <- list(names(object$residuals), names(open))
    m[, open, drop = FALSE]
  }
  second <- function(i) {
    b <- x[i, ]
    shape <- rbind(c(d[i, "alpha.alpha"], d[i, "alpha.beta"], -z[i] * d[i, "alpha.z"]),
                   c(d[i, "alpha.beta"], d[i, "beta.beta"], -z[i] * d[i, "beta.z"]),
                   c(-z[i] * d[i, "alpha.z"], -z[i] * d[i, "beta.z"], 1 + 2 * z[i] * lz[i] + z[i]^2 * zz[i]))
    cross <- outer(b, c(-d[i, "alpha.z"], -d[i, "beta.z"], lz[i] + z[i] * zz[i]))
    -rbind(cbind(zz[i] * outer(b, b), cross), cbind(t(cross), shape))[open, open, drop = FALSE]
  }
  list(scores = pick(cbind(-lz * x, d[, "alpha"], d[, "beta"], -1 - z * lz)), second = second,
       mixed = pick(cbind(-zz * x, d[, "alpha.z"], d[, "beta.z"], -lz - z * zz)),
       columns = pick(cbind(x, zero, zero, zero)), cov = object$unit.vcov[open, open, drop = FALSE],
       unit = object$unit[open], coefficient = which(open) <= k,
       weights = if (is.null(object$weights)) zero + 1 else object$weights)
}

#' @rdname stableReg-influence
#' @exportS3Method sandwich::estfun
estfun.stableReg <- function(x, ...) {
  check_extra(...)
  d <- reg_derivatives(x, "x")
  sweep(d$weights * d$scores, 2L, d$unit, `/`)
}

#' @rdname stableReg-influence
#' @exportS3Method sandwich::bread
bread.stableReg <- function(x, ...) {
  check_extra(...)
  open <- reg_open(x)
  length(x$residuals) * x$vcov[open, open, drop = FALSE]
}

# The covariance of the estimates that does not rest on the errors being stable, in units of the parameters. A case
# with weight w is w equal ones.
reg_sandwich <- function(object) {
  cov <- object$unit.vcov
  open <- reg_open(object)
  cov[] <- NA
  if (!any(open)) return(cov)
  d <- reg_derivatives(object, "object")
  cov[open, open] <- d$cov %*% crossprod(sqrt(d$weights) * d$scores) %*% d$cov
  cov
}

reg_leverage <- function(d) rowSums((d$columns %*% d$cov) * d$mixed) * d$weights

#' @rdname stableReg-influence
#' @importFrom stats influence
#' @export
influence.stableReg <- function(model, do.coef = TRUE, ...) {
  check_extra(...)
  do.coef <- one_flag("do.coef", do.coef)
  d <- reg_derivatives(model, "model")
  padded <- function(v) stats::naresid(model$na.action, v)
  hat <- padded(reg_leverage(d))
  scores <- padded(sweep(d$scores, 2L, d$unit, `/`))
  if (!do.coef) return(list(hat = hat, scores = scores))
  info <- solve(d$cov)
  change <- d$scores
  for (i in seq_len(nrow(change))) {
    w <- d$weights[i]
    root <- tryCatch(chol(info - w * d$second(i)), error = function(e) NULL)
    change[i, ] <- if (is.null(root)) NA else backsolve(root, backsolve(root, w * d$scores[i, ], transpose = TRUE))
  }
  b <- d$coefficient
  part <- change[, b, drop = FALSE]
  cook <- if (any(b)) rowSums((part %*% solve(d$cov[b, b, drop = FALSE])) * part) / sum(b) else rowSums(part)
  list(hat = hat, dfbeta = padded(sweep(change, 2L, d$unit, `*`)), cooks.distance = padded(cook), scores = scores)
}

#' @rdname stableReg-influence
#' @importFrom stats hatvalues
#' @export
hatvalues.stableReg <- function(model, ...) {
  check_extra(...)
  stats::naresid(model$na.action, reg_leverage(reg_derivatives(model, "model")))
}

#' @rdname stableReg-influence
#' @importFrom stats cooks.distance
#' @export
cooks.distance.stableReg <- function(model, infl, ...) {
  check_extra(...)
  influence(model)$cooks.distance
}

#' @rdname stableReg-influence
#' @importFrom stats dfbeta
#' @export
dfbeta.stableReg <- function(model, ...) {
  check_extra(...)
  influence(model)$dfbeta
}

#' @rdname stableReg-influence
#' @importFrom stats dfbetas
#' @export
dfbetas.stableReg <- function(model, ...) {
  check_extra(...)
  change <- influence(model)$dfbeta
  sweep(change, 2L, model$parameters$std.error[reg_open(model)], `/`)
}

# Methods for generics of other packages, registered when these are loaded.

#' Tables of a fitted stable law
#'
#' Methods for the generics `tidy`, `glance` and `augment` of package \pkg{generics}, which \pkg{broom} passes on: the
#' fit as plain data frames. They are there once either package is loaded.
#'
#' @param x a fit by [stableFit()].
#' @param conf.int if `TRUE`, confidence limits are added.
#' @param conf.level their confidence level.
#' @param conf.method kind of the limits, see [confint.stableFit()].
#' @param ... not used.
#' @return Data frames.
#'   `tidy`: a row for each parameter, with columns `term`, `estimate`, `std.error` (`NA` for parameters that are
#'   fixed or on a boundary), and `conf.low` and `conf.high` if `conf.int` is `TRUE`.
#'   `glance`: one row, with columns `logLik`, `AIC`, `BIC`, `df`, `nobs`, `converged`, `method` and `pm`.
#'   `augment`: a row for each observation, with columns `x`; `censored`, the upper end, and `weights`, where the fit
#'   has them; `.density` and `.cdf`, those of the fitted law at `x`; and `.resid`, the
#'   [quantile residuals][residuals.stableFit].
#' @name stableFit-tidy
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"])))
#' generics::tidy(fit, conf.int = TRUE)
#' generics::glance(fit)
#' head(generics::augment(fit))
NULL

#' @rdname stableFit-tidy
#' @exportS3Method generics::tidy
tidy.stableFit <- function(x, conf.int = FALSE, conf.level = 0.95,
                           conf.method = c("default", "profile", "transformed", "wald"), ...) {
  base::chkDots(...)
  estimate <- coef(x)
  table <- data.frame(term = names(estimate), estimate = unname(estimate), std.error = unname(fit_errors(x)))
  if (conf.int) {
    limits <- confint(x, level = conf.level, method = match.arg(conf.method))
    table$conf.low <- unname(limits[, 1L])
    table$conf.high <- unname(limits[, 2L])
  }
  table
}

#' @rdname stableFit-tidy
#' @exportS3Method generics::glance
glance.stableFit <- function(x, ...)
  data.frame(logLik = x$loglik, AIC = stats::AIC(x), BIC = stats::BIC(x), df = sum(counted(x)), nobs = nobs(x),
             converged = x$converged, method = x$method, pm = x$pm)

#' @rdname stableFit-tidy
#' @exportS3Method generics::augment
augment.stableFit <- function(x, ...) {
  base::chkDots(...)
  table <- data.frame(x = x$x)
  table$censored <- x$censored
  table$weights <- x$weights
  table$.density <- at_law(dstable, x$x, x)
  table$.cdf <- at_law(pstable, x$x, x)
  table$.resid <- residuals(x, "quantile")
  table
}

#' Scores of a fitted stable law
#'
#' Methods for the generics `estfun` and `bread` of package \pkg{sandwich}: scores of the observations and the inverse
#' information, from which it makes covariance matrices of the estimates that do not rest on the law being stable.
#'
#' The scores are derivatives of the log density with respect to the parameters that have standard errors, times the
#' weights of the observations, so that their columns sum to 0. They need observations that are not censored.
#' `sandwich::sandwich()` takes each row for one observation, also where the weight stands for several.
#'
#' @param x a fit by [stableFit()] with `method = "mle"`.
#' @param ... not used.
#' @return `estfun` gives a matrix with a row for each element of `x$x` and a column for each parameter that has a
#'   standard error; `bread` a square matrix, that many times the covariance matrix of these parameters.
#' @name stableFit-scores
#' @examplesIf requireNamespace("sandwich", quietly = TRUE)
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"])))
#' sqrt(diag(sandwich::sandwich(fit)))
#' sqrt(diag(vcov(fit)))
NULL

#' @rdname stableFit-scores
#' @exportS3Method sandwich::estfun
estfun.stableFit <- function(x, ...) {
  base::chkDots(...)
  if (any(censored_rows(x)))
    input_error("x", x, "must be a fit without censored observations, which have no scores")
  open <- open_parameters(x)
  law <- s0_law(x)
  p <- law$par
  z <- (x$x - p[["delta"]]) / p[["gamma"]]
  d <- stable_slopes(z, p[["alpha"]], p[["beta"]])
  s0 <- cbind(d[, "alpha"], d[, "beta"], -(1 + z * d[, "z"]) / p[["gamma"]], -d[, "z"] / p[["gamma"]])
  scores <- chain(s0, law$jacobian)[, open, drop = FALSE]
  if (is.null(x$weights)) scores else x$weights * scores
}

#' @rdname stableFit-scores
#' @exportS3Method sandwich::bread
bread.stableFit <- function(x, ...) {
  base::chkDots(...)
  open <- open_parameters(x)
  length(x$x) * vcov(x)[open, open, drop = FALSE]
}

# Parameters with standard errors.
open_parameters <- function(fit) {
  open <- names(coef(fit))[!is.na(diag(vcov(fit)))]
  if (!length(open) || fit$method != "mle")
    input_error("x", fit, "must be a fit by maximum likelihood with standard errors")
  open
}

# Methods for generics of other packages, registered when these are loaded.

#' Tidy data frames of stable fits
#'
#' Methods for the generics `tidy`, `glance` and `augment` of package \pkg{generics}, which \pkg{broom} re-exports:
#' estimates, summaries and observations as plain data frames. They are registered once either package is loaded.
#'
#' `tidy` of a single fit is that of [all fits][statclFit-methods].
#'
#' @param x a fit by [stableFit()], or a batch of fits by [stableFit()] or [stableRoll()].
#' @param component as for [all fits][statclFit-methods].
#' @param conf.int if `TRUE`, confidence limits are added.
#' @param conf.level their confidence level.
#' @param conf.method method of the limits, see [confint.stableFit()].
#' @param ... not used.
#' @return Data frames.
#'   `tidy`: a row for each parameter, with columns `term`, `component`, `estimate`, `std.error` (`NA` for parameters
#'   that are fixed or on a boundary), and `conf.low` and `conf.high` if `conf.int` is `TRUE`.
#'   `glance`: one row, with columns `logLik`, `AIC`, `BIC`, `df`, `nobs`, `converged`, `deviance`, `df.residual`,
#'   `method` and `pm`.
#'   Of a batch all have the rows of all fits, after a column `series`, or `from`, `to` and `time` of the windows.
#'   `augment`: a row for each observation, with columns `x`; `censored`, the upper end, and `weights`, where the fit
#'   has them; `.density` and `.cdf`, those of the fitted distribution at `x`; and `.resid`, the
#'   [quantile residuals][residuals.stableFit].
#' @name stableFit-tidy
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"])))
#' generics::tidy(fit, conf.int = TRUE)
#' generics::glance(fit)
#' head(generics::augment(fit))
NULL

#' @rdname stableFit-tidy
#' @exportS3Method generics::glance
glance.stableFit <- function(x, ...) {
  table <- glance.statclFit(x)
  cbind(table, method = rep(x$method, nrow(table)), pm = rep(x$pm, nrow(table)))
}

#' @rdname stableFit-tidy
#' @exportS3Method generics::tidy
tidy.stableFits <- function(x, component = "all", conf.int = FALSE, conf.level = 0.95,
                            conf.method = c("default", "profile", "transformed", "wald"), ...) {
  check_extra(...)
  table <- labelled(x, rep(seq_along(x), each = 4L), tidy.statclFit(x, component))
  if (one_flag("conf.int", conf.int)) {
    limits <- confint(x, level = conf.level, method = choice("conf.method", conf.method))
    table$conf.low <- as.vector(t(limits[, 1L, ]))
    table$conf.high <- as.vector(t(limits[, 2L, ]))
  }
  table
}

#' @rdname stableFit-tidy
#' @exportS3Method generics::glance
glance.stableFits <- function(x, ...) labelled(x, seq_along(x), glance.stableFit(x))

# What tells the fits of a batch apart: the windows, or the names or numbers of the series.
fits_label_columns <- function(x) {
  if (!is.null(x$window)) return(x$window)
  data.frame(series = if (is.null(names(x))) seq_along(x) else names(x))
}

# A table with what tells in which series each of its rows is.
labelled <- function(x, series, table) {
  table <- cbind(fits_label_columns(x)[series, , drop = FALSE], table)
  rownames(table) <- NULL
  table
}

#' @rdname stableFit-tidy
#' @exportS3Method generics::augment
augment.stableFits <- function(x, ...) {
  check_extra(...)
  tables <- each_series(x, augment.stableFit)
  rows <- do.call(rbind, unname(tables))
  if (is.null(rows)) rows <- data.frame(x = numeric(), .density = numeric(), .cdf = numeric(), .resid = numeric())
  labelled(x, rep(seq_along(x), vapply(tables, NROW, 1L)), rows)
}

#' @rdname stableFit-tidy
#' @exportS3Method generics::augment
augment.stableFit <- function(x, ...) {
  check_extra(...)
  table <- data.frame(x = x$x)
  table$censored <- x$censored
  table$weights <- x$weights
  table$.density <- fitted_density(x, x$x)
  table$.cdf <- if (is.null(x$truncation)) at_distribution(pstable, x$x, x) else exp(log_tails(x, x$x)$lower)
  table$.resid <- residuals(x, "quantile")
  table
}

#' Scores of a fitted stable distribution
#'
#' Methods for the generics `estfun` and `bread` of package \pkg{sandwich}: scores of the observations and the inverse
#' information, from which sandwich makes covariance matrices of the estimates that stay valid if the distribution is
#' not stable.
#'
#' The scores are derivatives of the log density with respect to the parameters that have standard errors, times the
#' weights of the observations, so that their columns sum to 0. They need observations that are not censored.
#' `sandwich::sandwich()` counts each row as one observation, also where its weight is that of several.
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
  check_extra(...)
  if (any(censored_rows(x)))
    input_error("x", x, "must be a fit without censored observations, which have no scores")
  refuse_truncated(x, "there are no scores")
  open <- open_parameters(x)
  distribution <- s0_distribution(x)
  p <- distribution$par
  z <- (x$x - p[["delta"]]) / p[["gamma"]]
  d <- stable_slopes(z, p[["alpha"]], p[["beta"]])
  s0 <- cbind(d[, "alpha"], d[, "beta"], -(1 + z * d[, "z"]) / p[["gamma"]], -d[, "z"] / p[["gamma"]])
  scores <- chain(s0, distribution$jacobian)[, open, drop = FALSE]
  if (is.null(x$weights)) scores else x$weights * scores
}

#' @rdname stableFit-scores
#' @exportS3Method sandwich::bread
bread.stableFit <- function(x, ...) {
  check_extra(...)
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

# Methods of the class stableGarch.

#' Methods for volatility with stable innovations
#'
#' What is special about the results of [stableGarch()] among [all fits][statclFit-methods].
#'
#' `vcov` is of all parameters: by default the inverse of the observed information, the slope of the exact scores.
#' `type = "sandwich"` is \eqn{I^{-1} J I^{-1}}{I^-1 J I^-1} with the sum J of the products of the scores of the
#' times, which stays valid where the innovations have another distribution (White 1982). Confidence limits are on the
#' scales of [all fits][statclFit-methods]: log for `omega` and ARCH coefficients, logit for those with two ends.
#' `summary` has them for `level`.
#'
#' `anova` is for fits with the same innovations to the same series. Models with different innovations are not nested:
#' `AIC()` compares them.
#'
#' @inheritParams simulate.stableFit
#' @param object,x a fit by [stableGarch()], or many.
#' @param component,complete as for [all fits][statclFit-methods]; by default all parameters.
#' @param type of the covariance matrix, see details; of residuals: `"standardised"`, which [residuals()] by default
#'   gives; `"response"`, observation less conditional mean; `"pit"`, the probability of lower values; `"quantile"`,
#'   the same as a standard normal deviate.
#' @param nsim number of series to simulate, as long as that of the fit and from the same start.
#' @param level confidence level.
#' @param i numbers or names of series.
#' @param parm,method as for [all fits][statclFit-methods].
#' @param data for `augment` a data frame with a row for each time of the fit; by default its series.
#' @param digits,k,row.names,optional as for [all fits][statclFit-methods].
#' @param fit,scale,test as for [all fits][statclFit-methods]: `fit` are many.
#' @param ... further fits of the same series for `anova`, and of many series for `AIC` and `BIC`; else not used.
#' @return `sigma` gives the scale at each time, `fitted` the conditional means, of a [ts] as one, as residuals are;
#'   `simulate` a data frame with a column for each series, `augment` one with the series, `.fitted`, `.scale`,
#'   `.std.resid` and `.cdf`.
#'
#'   Of many series `coef` gives a matrix with a row for each, `vcov` an array of covariance matrices (its third
#'   dimension counts the series), `confint` an array of series by limits by parameters, `nobs`, `logLik`, `deviance`
#'   and `df.residual` vectors, `AIC` and `BIC` a vector, or for several fits a matrix with a column for each,
#'   `extractAIC` a matrix with the columns `df` and `AIC`, `anova` one table with a row for each series and model,
#'   `residuals`, `fitted`, `sigma` and `simulate` a list with an element for each series, `as.data.frame` estimates,
#'   standard errors and log likelihoods, `tidy`, `glance` and `augment` the rows of all, after a column `series`.
#'   `summary` has `coefficients`, an array of series by estimates and standard errors by parameters, and prints a
#'   table for each series. Series that were not fitted have `NA` or `NULL`. `x[i]` and `x[[i]]` are parts, and
#'   [update()] fits all again.
#' @references
#' White, H. (1982). Maximum likelihood estimation of misspecified models. *Econometrica* **50**, 1--25.
#' @name stableGarch-methods
#' @seealso [stableGarch()], [predict.stableGarch()], [backtest()], [plot.stableGarch()]
#' @examples
#' returns <- 100 * diff(log(datasets::EuStockMarkets[, "FTSE"]))
#' fit <- stableGarch(returns)
#' confint(fit)
#' sqrt(diag(vcov(fit, type = "sandwich")))
#' anova(update(fit, fixed = list(beta = 0)), fit)
#' head(simulate(fit, 2, seed = 1))
#'
#' fits <- stableGarch(100 * diff(log(datasets::EuStockMarkets[, 1:2])), innovations = "t")
#' summary(fits)
#' confint(fits, "df")
NULL

#' @rdname stableGarch-methods
#' @export
coef.stableGarch <- function(object, component = "all", complete = TRUE, ...)
  coef.statclFit(object, component, complete, ...)

#' @rdname stableGarch-methods
#' @export
vcov.stableGarch <- function(object, component = "all", complete = TRUE, type = c("information", "sandwich"), ...) {
  check_extra(...)
  if (choice("type", type) == "sandwich") object$vcov <- object$sandwich
  vcov.statclFit(object, component, complete)
}

#' @exportS3Method NULL
check_comparable.stableGarch <- function(fit, fits) {
  if (!all(vapply(fits, function(f) identical(f$x, fit$x), NA)))
    raise_engine_error("input", "the fits are not of the same series")
  if (!all(vapply(fits, function(f) f$innovations == fit$innovations && f$power == fit$power, NA)))
    raise_engine_error("input", paste("fits with different innovations or powers are not nested, so that likelihood",
                                      "ratios do not test them: AIC() compares them"))
}

#' @exportS3Method NULL
fit_label.stableGarch <- function(fit) paste0(garch_title(fit), known_text(fit, " (%s)"))

garch_title <- function(fit) {
  o <- fit$orders
  mean <- if (o[1L] + o[2L] > 0L) sprintf("ARMA(%d, %d)-", o[1L], o[2L]) else ""
  sprintf("%s%sGARCH(%d, %d), %s innovations, power %s", mean, if (o[5L]) "asymmetric " else "", o[3L], o[4L],
          fit$innovations, format(fit$power))
}

#' @exportS3Method NULL
fit_text.stableGarch <- function(fit)
  utils::modifyList(NextMethod(), list(
    title = garch_title(fit), observations = count_text(fit$nobs, "time"),
    headings = c(mean = "Mean:", scale = sprintf("Scale, persistence %s:", rounded(fit$persistence, 4L)),
                 distribution = "Innovations:")[levels(fit$parameters$component)],
    steps = count_text(fit$iterations, "step"), residuals = "Standardised residuals",
    tests = "Likelihood ratio tests of volatility", effect = if (fit$coefficients["alpha"] %in% 2) "beta"))

#' @rdname stableGarch-methods
#' @export
summary.stableGarch <- function(object, level = 0.95, ...) {
  check_extra(...)
  value <- summary.statclFit(object)
  value$confint <- confint(object, level = level)
  value
}

#' @rdname stableGarch-methods
#' @export
print.summary.stableGarch <- function(x, digits = max(3L, getOption("digits") - 3L), ...)
  print_summary(x, print_digits(digits))

#' @rdname stableGarch-methods
#' @export
residuals.stableGarch <- function(object, type = c("standardised", "response", "pit", "quantile"), ...) {
  check_extra(...)
  type <- choice("type", type)
  z <- object$residuals
  if (type == "standardised") return(as_series(object, z))
  if (type == "response") return(as_series(object, z * object$scale))
  law <- garch_law(object$model, object$coefficients)
  z[] <- probability_residuals(list(lower = law$p(unname(z), log.p = TRUE),
                                    upper = law$p(unname(z), lower.tail = FALSE, log.p = TRUE)), type)
  as_series(object, z)
}

# A value for each time: a ts where the data were one.
as_series <- function(fit, v)
  if (is.null(fit$frequency)) v else stats::ts(unname(v), start = fit$times[1L], frequency = fit$frequency)

#' @rdname stableGarch-methods
#' @export
sigma.stableGarch <- function(object, ...) as_series(object, object$scale)

#' @rdname stableGarch-methods
#' @importFrom stats fitted
#' @export
fitted.stableGarch <- function(object, ...) as_series(object, object$fitted.values)

#' @rdname stableGarch-methods
#' @export
simulate.stableGarch <- function(object, nsim = 1, seed = NULL, ...) {
  check_extra(...)
  nsim <- whole_number("nsim", nsim)
  n <- length(object$x)
  with_seed(seed, {
    z <- matrix(garch_law(object$model, object$coefficients)$r(as.double(n) * nsim), n, nsim)
    draws <- as.data.frame(garch_location(object, n, object$xreg) + garch_ahead(object, NULL, z)$y)
    names(draws) <- paste0("sim_", seq_len(nsim))
    draws
  })
}

# Paths from a state, or from the start of a series: what is added to the location, and scales.
garch_ahead <- function(fit, past, z)
  .Call(C_garchPaths, c(fit$model[c("orders", "columns", "power", "law")], list(
    first = fit$first, theta = as.double(fit$coefficients), u = as.double(past$u), e = as.double(past$e),
    c = as.double(past$c), z = z)))

#' @exportS3Method sandwich::estfun
estfun.stableGarch <- function(x, ...) {
  scores <- garch_filter(x, x$x, x$xreg)$scores
  open <- !is.na(diag(x$vcov))
  dimnames(scores) <- list(x$names, rownames(x$vcov))
  scores[, open, drop = FALSE]
}

#' @exportS3Method sandwich::bread
bread.stableGarch <- function(x, ...) {
  open <- !is.na(diag(x$vcov))
  x$nobs * x$vcov[open, open, drop = FALSE]
}

#' @rdname stableGarch-methods
#' @exportS3Method generics::glance
glance.stableGarch <- function(x, ...)
  cbind(glance.statclFit(x), persistence = x$persistence, innovations = x$innovations, power = x$power)

#' @rdname stableGarch-methods
#' @exportS3Method generics::augment
augment.stableGarch <- function(x, data = NULL, ...) {
  check_extra(...)
  if (is.null(data)) {
    data <- data.frame(x = x$x, row.names = x$names)
    if (!is.null(x$times)) data <- cbind(time = x$times, data)
  }
  augmented(x, as_table("data", data), list(.fitted = x$fitted.values, .scale = x$scale, .std.resid = x$residuals,
                                            .cdf = as.vector(residuals(x, "pit"))))
}

# Searches end 1e-7 before a boundary, where slopes may be hundreds.
#' @exportS3Method NULL
search_end.stableGarch <- function(fit) list(slack = 1e-4, remedy = "more starts")

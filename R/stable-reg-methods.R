# Methods of the class stableReg.

#' Methods for linear models with stable errors
#'
#' Methods of the generic functions of base R for the result of [stableReg()].
#'
#' `anova` tests nested fits by likelihood ratios; where the larger model has the smaller likelihood, its search has
#' missed the maximum, and a warning of class `statcl_warning_better_fit` says so. With one fit the terms of its
#' formula are added one after the other. The chi-squared distribution of the statistic holds for parameters inside
#' their ranges: a test of `alpha = 2` or `|beta| = 1` by it is conservative.
#'
#' Confidence limits of the coefficients are by default normal ones, those of the shape on the scales of
#' [confint.stableFit()]; where an estimate is on a boundary all are those of the profile of the likelihood, as with
#' `method = "profile"`, as long as the product of the numbers of observations and limits is at most 80000 (a
#' message says if not). A profile that meets a larger maximum than the fit begins again from there, and a warning of
#' class `statcl_warning_better_fit` has that in its component `fit`.
#'
#' `profile` gives the profiles themselves, whose `plot` has dashed lines at the limits of 95 %: where the curve is
#' straight, Wald limits are as good. A fit whose likelihood was not maximised has no profile, which is an error.
#'
#' With `type = "sandwich"` the covariance matrix is that of White (1982), \eqn{I^{-1} J I^{-1}}{I^-1 J I^-1} of the
#' observed information and the sum of the squared scores: it stays valid if the errors are not stable. A case
#' with weight 2 counts as two cases, as it does in the likelihood.
#'
#' [update()], [formula()][stats::formula()], [terms()][stats::terms()], [weights()][stats::weights()],
#' [fitted()][stats::fitted()], [AIC()], [BIC()], [drop1()][stats::drop1()] and [step()][stats::step()] work too, and
#' `tidy()`, `glance()` and `augment()` where package generics or broom is loaded. Estimated parameters are counted as
#' degrees of freedom; those that are fixed, aliased coefficients, and `beta` where `alpha = 2`, are not. `anova`,
#' `extractAIC` and with it `drop1` and `step` compare models, whose dimensions do not depend on where their estimates
#' are: `beta` counts there unless it or `alpha = 2` is fixed.
#'
#' @param object,x,formula,fit,model,fitted a fit by [stableReg()], or its summary or profile.
#' @param which which parameters: the coefficients of the linear model, the shape of the errors, or all. For `profile`
#'   names or numbers of parameters that were estimated, by default all.
#' @param complete if `TRUE`, coefficients that could not be estimated are kept, as `NA`.
#' @param parm names or numbers of the parameters, the coefficients first and then the shape; by default all.
#' @param level confidence level, between 0 and 1; for `profile` that of the limits at which it ends.
#' @param points number of points on each side of the estimate.
#' @param row.names,optional as for [as.data.frame()].
#' @param method method of the limits, see [confint.stableFit()].
#' @param type of the covariance matrix, see details; of residuals: `"response"`, observation less location; `"pit"`,
#'   the probability that the fitted distribution gives to values below the observation, which is uniform if the model
#'   is right; `"quantile"`, the same as a standard normal deviate.
#' @param k penalty for each parameter.
#' @param scale not used.
#' @param nsim number of responses to simulate.
#' @param seed `NULL`, or what [set.seed()] takes.
#' @param digits number of significant digits.
#' @param data the data of the fit, with a row for each observation used (and those that `na.exclude` left out).
#' @param newdata data frame to predict for.
#' @param conf.int if `TRUE`, confidence limits are added.
#' @param conf.level,conf.method their level and method, see [confint.stableFit()].
#' @param ... further fits for `anova`, arguments of [stats::printCoefmat()] for `print`; else not used.
#' @return `coef`, `vcov`, `confint`, `residuals`, `logLik`, `nobs`, `model.frame` and `model.matrix` give what their
#'   names say; `rstandard` the quantile residuals; `sigma` the scale `gamma` of the errors; `extractAIC` the degrees
#'   of freedom and the criterion; `simulate` a data frame with a column for each response; `anova` a table of class
#'   `anova`; `summary` a list of class `summary.stableReg` with the tables `coefficients` and `shape`, which prints;
#'   `tidy`, `glance` and `augment` data frames.
#' @references
#' White, H. (1982). Maximum likelihood estimation of misspecified models. *Econometrica* **50**, 1--25.
#' @name stableReg-methods
#' @seealso [stableReg()], [predict.stableReg()], [influence()][stableReg-influence] of the cases
#' @examples
#' fit <- stableReg(stack.loss ~ ., datasets::stackloss)
#' confint(fit, level = 0.9)
#' vcov(fit, which = "shape")
#' anova(fit)
#' anova(update(fit, . ~ . - Acid.Conc.), fit)
NULL

# Standard errors of the coefficients and the shape.
reg_errors <- function(object) sqrt(diag(object$unit.vcov)) * object$unit

reg_part <- function(object, which) {
  k <- length(object$coefficients)
  switch(which, coefficients = seq_len(k), shape = k + 1:3, all = seq_len(k + 3L))
}

#' @rdname stableReg-methods
#' @export
coef.stableReg <- function(object, which = c("coefficients", "shape", "all"), complete = TRUE, ...) {
  check_extra(...)
  part <- reg_part(object, choice("which", which))
  value <- c(object$coefficients, object$shape)[part]
  if (one_flag("complete", complete)) value else value[!is.na(value)]
}

#' @rdname stableReg-methods
#' @export
vcov.stableReg <- function(object, which = c("coefficients", "shape", "all"), complete = TRUE,
                           type = c("information", "sandwich"), ...) {
  check_extra(...)
  part <- reg_part(object, choice("which", which))
  if (!one_flag("complete", complete)) part <- part[!is.na(c(object$coefficients, object$shape)[part])]
  cov <- object$vcov
  if (choice("type", type) == "sandwich")
    cov <- reg_sandwich(object) * object$unit * rep(object$unit, each = length(object$unit))
  cov[part, part, drop = FALSE]
}

#' @rdname stableReg-methods
#' @export
nobs.stableReg <- function(object, ...) object$nobs

#' @rdname stableReg-methods
#' @export
logLik.stableReg <- function(object, ...)
  structure(object$loglik, df = object$df, nobs = object$nobs, class = "logLik")

#' @rdname stableReg-methods
#' @importFrom stats extractAIC
#' @export
extractAIC.stableReg <- function(fit, scale = 0, k = 2, ...) {
  one_number("k", k, "")
  df <- fit$rank + stable_dimension(fit$fixed, fit$shape)
  c(df, as.double(k) * df - 2 * fit$loglik)
}

#' @rdname stableReg-methods
#' @export
confint.stableReg <- function(object, parm, level = 0.95, method = c("default", "profile", "transformed", "wald"),
                              ...) {
  refuse_extra("confint.stableReg", ...)
  method <- choice("method", method)
  check_level(level)
  estimate <- coef(object, "all")
  if (missing(parm)) parm <- seq_along(estimate)
  at <- which_parameters(parm, names(estimate), "parm")
  tail <- c(1 - level, 1 + level) / 2
  error <- reg_errors(object)
  if (method == "default") {
    edge <- reg_settled(object) && anyNA(error[c(!is.na(object$coefficients), !object$fixed)])
    cheap <- profile_is_cheap(length(object$residuals), edge, 0, length(at))
    if (edge && !cheap) tell_costly(length(object$residuals))
    method <- if (edge && cheap) "profile" else "transformed"
  }
  limits <- estimate + outer(error, stats::qnorm(tail))
  shape <- length(object$coefficients) + 1:3
  if (method == "transformed")
    limits[shape, ] <- sapply(stats::qnorm(tail), function(z)
      transformed_limit(t(c(estimate[shape], 0)), t(c(error[shape], 0)), z)[1:3])
  if (method == "profile") limits[at, ] <- reg_profile(object, at, level)$limits
  dimnames(limits) <- list(names(estimate), percent(tail))
  limits[at, , drop = FALSE]
}

#' @rdname stableReg-methods
#' @export
residuals.stableReg <- function(object, type = c("response", "pit", "quantile"), ...) {
  check_extra(...)
  type <- choice("type", type)
  value <- object$residuals
  if (type != "response") {
    tail <- function(lower) do.call(pstable, c(list(value), as.list(object$shape), lower.tail = lower, log.p = TRUE))
    low <- tail(TRUE)
    value <- if (type == "pit") exp(low)
             else ifelse(low < -log(2), stats::qnorm(low, log.p = TRUE),
                         stats::qnorm(tail(FALSE), lower.tail = FALSE, log.p = TRUE))
    names(value) <- names(object$residuals)
  }
  stats::naresid(object$na.action, value)
}

#' @rdname stableReg-methods
#' @importFrom stats rstandard
#' @export
rstandard.stableReg <- function(model, ...) {
  check_extra(...)
  residuals(model, "quantile")
}

#' @rdname stableReg-methods
#' @importFrom stats formula
#' @export
formula.stableReg <- function(x, ...) stats::formula(x$terms)

#' @rdname stableReg-methods
#' @importFrom stats sigma
#' @export
sigma.stableReg <- function(object, ...) object$shape[["gamma"]]

#' @rdname stableReg-methods
#' @importFrom stats model.frame
#' @export
model.frame.stableReg <- function(formula, ...) {
  if (!is.null(formula$model)) return(formula$model)
  call <- formula$call
  call <- call[c(1L, match(c("data", "subset", "weights", "na.action", "offset"), names(call), 0L))]
  call$formula <- formula$terms
  call$drop.unused.levels <- TRUE
  call$xlev <- formula$xlevels
  call[[1L]] <- quote(stats::model.frame)
  eval(call, environment(formula$terms))
}

#' @rdname stableReg-methods
#' @export
model.matrix.stableReg <- function(object, ...)
  model.matrix(object$terms, model.frame(object), contrasts.arg = object$contrasts)

#' @rdname stableReg-methods
#' @importFrom stats simulate
#' @export
simulate.stableReg <- function(object, nsim = 1, seed = NULL, ...) {
  check_extra(...)
  nsim <- whole_number("nsim", nsim)
  location <- stats::fitted(object)
  errors <- with_seed(seed, do.call(rstable, c(list(as.double(nsim) * length(location)), as.list(object$shape))))
  value <- as.data.frame(matrix(location + as.vector(errors), ncol = nsim,
                                dimnames = list(NULL, paste0("sim_", seq_len(nsim)))))
  attr(value, "row.names") <- if (is.null(names(location))) seq_along(location) else names(location)
  structure(value, seed = attr(errors, "seed"))
}

#' @rdname stableReg-methods
#' @importFrom stats anova
#' @export
anova.stableReg <- function(object, ...) {
  others <- list(...)
  if (length(others) && !all(vapply(others, inherits, NA, "stableReg")))
    input_error("...", vapply(others, function(o) class(o)[1L], ""), "must be fits by stableReg()")
  fits <- if (length(others)) c(list(object), others) else reg_sequence(object)
  nobs <- vapply(fits, function(f) as.double(f$nobs), 1)
  if (any(nobs != nobs[1L])) raise_engine_error("input", "the fits are not of the same number of observations")
  labels <- if (length(others)) vapply(fits, reg_label, "")
            else c("NULL", attr(object$terms, "term.labels"))
  df <- vapply(fits, function(f) f$rank + stable_dimension(f$fixed, f$shape), 1)
  title <- "Likelihood ratio tests of linear models with stable errors\n"
  heading <- if (length(others)) c(title, paste0("Model ", seq_along(fits), ": ", labels, collapse = "\n"))
             else c(title, paste0("Terms added first to last, response: ", deparse(formula(object)[[2L]])[1L], "\n"))
  ratio_table(fits, df, if (length(others)) seq_along(fits) else labels, heading)
}

reg_label <- function(fit) {
  known <- fit$shape[fit$fixed]
  paste0(paste(deparse(formula(fit)), collapse = " "),
         if (length(known)) sprintf(" (%s)", toString(paste(names(known), "=", format(known, digits = 4)))))
}

# Fits of the first terms of the formula, from none to all. Without the later terms a model may have no maximum where
# the whole has one, as when many responses are equal: it has no likelihood then, and a warning names its last term.
reg_sequence <- function(object) {
  frame <- model.frame(object)
  x <- model.matrix(object)
  assign <- attr(x, "assign")
  fixed <- object$shape[object$fixed]
  terms <- attr(object$terms, "term.labels")
  lapply(0:length(terms), function(k) {
    if (k == max(assign, 0)) return(object)
    columns <- x[, assign <= k, drop = FALSE]
    fit <- tryCatch(reg_fit(columns, model.response(frame), object$weights, object$offset, fixed, NULL),
                    statcl_error_input = identity)
    if (!inherits(fit, "error") && reg_settled(fit)) return(fit)
    warn(sprintf("no likelihood of the model %s: %s", if (k == 0L) "without terms" else paste("up to", terms[k]),
                 if (inherits(fit, "error")) conditionMessage(fit) else reg_trouble(fit)))
    list(loglik = NA_real_, nobs = object$nobs, rank = qr(columns, tol = 1e-7)$rank,
         fixed = object$fixed, shape = object$shape)
  })
}

#' @rdname stableReg-methods
#' @export
print.stableReg <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  cat("Linear model with stable errors\n\nCall: ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  if (length(x$coefficients)) {
    cat("Coefficients:\n")
    print(format(x$coefficients, digits = digits), quote = FALSE)
  } else cat("No coefficients\n")
  cat("\nErrors:\n")
  print(format(x$shape, digits = digits), quote = FALSE)
  cat(sprintf("\nlog likelihood %s (df = %d), %s observations\n", format_finely(x$loglik, digits),
              as.integer(x$df), format(x$nobs)))
  writeLines(reg_text(x))
  invisible(x)
}

reg_text <- function(fit)
  as.character(c(if (fit$boundary[["alpha"]] == "upper")
      "alpha is on its boundary 2: normal errors, least squares. beta has no effect.",
    if (nzchar(fit$boundary[["beta"]])) sprintf("beta is on its boundary %g.", fit$shape[["beta"]]),
    if (fit$boundary[["alpha"]] == "lower")
      "alpha is at the lower end of the search: the likelihood may grow without bound beyond."
    else if (!fit$converged) "The likelihood has not been maximised.",
    if (length(fit$na.action)) sprintf("(%s)", stats::naprint(fit$na.action))))

#' @rdname stableReg-methods
#' @export
summary.stableReg <- function(object, ...) {
  check_extra(...)
  error <- reg_errors(object)
  k <- length(object$coefficients)
  keep <- which(!is.na(object$coefficients))
  estimate <- object$coefficients[keep]
  z <- estimate / error[keep]
  table <- cbind(Estimate = estimate, "Std. Error" = error[keep], "z value" = z,
                 "Pr(>|z|)" = 2 * stats::pnorm(-abs(z)))
  shape <- cbind(Estimate = object$shape, "Std. Error" = error[k + 1:3])
  structure(list(call = object$call, coefficients = table, shape = shape, residuals = object$residuals,
                 aliased = is.na(object$coefficients), loglik = logLik(object), aic = stats::AIC(object),
                 bic = stats::BIC(object), nobs = object$nobs, df.residual = object$df.residual,
                 iterations = object$iterations, fixed = object$fixed, boundary = object$boundary,
                 converged = object$converged, notes = reg_notes(object), text = reg_text(object)),
            class = "summary.stableReg")
}

# What the table of the shape says about a parameter that has no standard error.
reg_notes <- function(object) {
  note <- ifelse(object$fixed, "fixed", ifelse(nzchar(object$boundary), "on the boundary", ""))
  if (object$shape[["alpha"]] == 2 && !object$fixed[["beta"]]) note[["beta"]] <- "no effect"
  note
}

#' @rdname stableReg-methods
#' @export
print.summary.stableReg <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  cat("Linear model with stable errors\n\nCall: ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  cat("Residuals:\n")
  print(stats::setNames(stats::quantile(x$residuals, names = FALSE), c("Min", "1Q", "Median", "3Q", "Max")),
        digits = digits)
  gone <- sum(x$aliased)
  if (nrow(x$coefficients)) {
    cat("\nCoefficients", if (gone) sprintf(" (%d not defined because of dependent columns)", gone), ":\n", sep = "")
    stats::printCoefmat(x$coefficients, digits = digits, ...)
  } else cat("\nNo coefficients\n")
  cat("\nErrors:\n")
  error <- x$shape[, 2L]
  print(data.frame(Estimate = format(x$shape[, 1L], digits = digits),
                   "Std. Error" = ifelse(is.na(error), "", format(error, digits = digits)),
                   " " = x$notes, check.names = FALSE), right = TRUE)
  shown <- function(value) format_finely(value, digits)
  cat(sprintf("\nlog likelihood %s (df = %d), AIC %s, BIC %s\n%s observations, %d Newton steps\n",
              shown(c(x$loglik)), as.integer(attr(x$loglik, "df")), shown(x$aic), shown(x$bic), format(x$nobs),
              x$iterations))
  writeLines(x$text)
  invisible(x)
}

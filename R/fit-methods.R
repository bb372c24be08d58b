# The shape of all fits, and the methods that they have in common.
#
# A fit is a list of the class c("<its function>", "statclFit") with
#   parameters  a data frame, see parameter_table()
#   vcov        covariance matrix of all of them, whose row names are their names
#   loglik      the log likelihood, with nobs and df, the number of parameters that were estimated; dimension is that
#               number for the model, wherever its estimate is
#   converged   was a maximum found?
#   notes       sentences about the fit
#   call        and terms, if the first component of the parameters are the coefficients of a linear model
# and what else its class needs. Of the generic functions below, a class has methods where it says more than others.

# A row for each parameter; component: a factor, of whose first level coef() is; lower and upper: its range. A name
# that is there twice gets a number.
parameter_table <- function(name, component, estimate, std.error, fixed, boundary, lower, upper)
  structure(lapply(list(estimate = estimate, std.error = std.error, fixed = fixed, boundary = boundary,
                        component = component, lower = lower, upper = upper), function(v)
                          if (is.factor(v)) v else rep_len(unname(v), length(name))),
            class = "data.frame", row.names = make.unique(name))

# What printing says: `title`, `headings` of the components, `none` where there are no coefficients, `likelihood`,
# `observations`, `steps` of the search, `residuals`, `tests`, and the name of a parameter without `effect`.
fit_text <- function(fit) UseMethod("fit_text")
#' @exportS3Method NULL
fit_text.statclFit <- function(fit) {
  kind <- levels(fit$parameters$component)
  list(title = sprintf("Fit by %s()", class(fit)[1L]),
       headings = stats::setNames(if (length(kind) == 1L) "" else paste0(kind, ":"), kind),
       none = "No coefficients", likelihood = "log likelihood",
       observations = paste(format(fit$nobs), "observations"), residuals = "Residuals",
       tests = "Likelihood ratio tests")
}

# Parameters that a user has thought of.
shown_parameters <- function(fit) UseMethod("shown_parameters")
#' @exportS3Method NULL
shown_parameters.statclFit <- function(fit) rep(TRUE, nrow(fit$parameters))

# Five numbers.
residual_range <- function(fit) UseMethod("residual_range")
#' @exportS3Method NULL
residual_range.statclFit <- function(fit)
  if (length(fit$residuals)) five_numbers(stats::quantile(fit$residuals, names = FALSE))
five_numbers <- function(v) stats::setNames(v, c("Min", "1Q", "Median", "3Q", "Max"))

# One line about the model, for tests.
fit_label <- function(fit) UseMethod("fit_label")
#' @exportS3Method NULL
fit_label.statclFit <- function(fit)
  paste0(if (is.null(fit$terms)) class(fit)[1L] else deparse1(stats::formula(fit$terms), " ", 60L),
         known_text(fit, " (%s)"))

known_text <- function(fit, pattern) {
  known <- fit$parameters$fixed & shown_parameters(fit)
  text <- paste(rownames(fit$vcov)[known], "=", vapply(fit$parameters$estimate[known], format, "", digits = 4))
  if (any(known)) sprintf(pattern, toString(text))
}

# An error where the likelihoods of fits of one class are not comparable.
check_comparable <- function(fit, fits) UseMethod("check_comparable")
#' @exportS3Method NULL
check_comparable.statclFit <- function(fit, fits)
  if (any(vapply(fits, function(f) f$nobs != fit$nobs, NA)))
    raise_engine_error("input", "the fits are not of the same number of observations")

# What tests of the coefficients of a linear model are made of: their covariance matrix `vcov`, degrees of freedom
# df(l) of the combinations in the rows of l, and the name of the `test`, which is "z" or "t". Of tests with degrees
# of freedom, joint(l, b) gives those of numerator and denominator and the statistic F for combinations that are 0.
coefficient_errors <- function(fit, ddf = "Kenward-Roger") UseMethod("coefficient_errors")
#' @exportS3Method NULL
coefficient_errors.statclFit <- function(fit, ddf = "Kenward-Roger")
  list(vcov = vcov.statclFit(fit, complete = FALSE), df = function(l) rep(Inf, nrow(l)), test = "z")

# anova() of a single fit.
test_terms <- function(fit) UseMethod("test_terms")
#' @exportS3Method NULL
test_terms.statclFit <- function(fit)
  raise_engine_error("input", sprintf("anova needs two or more fits by %s()", class(fit)[1L]))

# The method of the limits of the parameters `at` by default, one for all or one for each.
default_limits <- function(fit, at) UseMethod("default_limits")
#' @exportS3Method NULL
default_limits.statclFit <- function(fit, at) "transformed"

# Limits of the parameters `at` by their posterior distribution.
integrated_limits <- function(fit, at, level) UseMethod("integrated_limits")
#' @exportS3Method NULL
integrated_limits.statclFit <- function(fit, at, level)
  input_error("method", "integrate", sprintf("is for fits by gpFit(), not %s()", class(fit)[1L]))

#' Methods for all fits
#'
#' What the results of [stableFit()], [stableReg()], [mstableFit()], [stableGarch()] and [gpFit()] have in common.
#' They have the class `statclFit` besides their own, whose pages tell what is special: [stableFit-methods],
#' [stableFits-methods] for batches, [stableReg-methods], [mstableFit-methods], [stableGarch-methods],
#' [gpFit-methods].
#'
#' The component `parameters` of a fit is a data frame with a row for each parameter: `estimate`, `std.error`, whether
#' it was `fixed`, `boundary`, which is `"lower"` or `"upper"` where the estimate is on that boundary and else `""`,
#' the `component` that it belongs to, and its range, `lower` and `upper`. (Where a covariate has the name of another
#' parameter, that one gets a number.) `vcov` is the covariance matrix of all. Other components are `loglik`, `df`,
#' `nobs`, `converged`, and `notes`, sentences about the fit.
#'
#' Components of the parameters are `"distribution"` of [stableFit()], `"coefficients"` of the linear model and the
#' `"shape"` of the errors of [stableReg()], `"mean"`, `"scale"` and `"distribution"` of [stableGarch()], `"mean"` and
#' `"covariance"` of [gpFit()]. `coef` and `vcov` are of the first unless another, or `"all"`, is asked for; of
#' [stableGarch()] they are of all.
#'
#' Limits by `"wald"` are normal ones. `"transformed"` ones are normal for the logarithm of parameters that are
#' positive, and the logit of those between two bounds; carried back they are inside the range. Those of coefficients
#' belong to the tests in `summary`, of a [gpFit()] by t quantiles, see [gpFit-methods]. Parameters without standard
#' error, as those on a boundary, have neither. `"profile"` limits are where the likelihood, maximised over
#' all other parameters, has fallen to that of the level. See [confint.stableFit()] and [confint.gpFit()].
#'
#' `anova` tests nested fits by likelihood ratios; where the larger model has the smaller likelihood, its search has
#' missed the maximum, and a warning of class `statcl_warning_better_fit` says so. The chi-squared distribution of the
#' statistic holds for parameters inside their ranges: tests of values on a boundary by it are conservative. It
#' compares models, as `extractAIC` does, and with it [drop1()][stats::drop1()] and [step()][stats::step()]: all
#' parameters count that were not fixed, wherever their estimates are.
#'
#' [update()], [AIC()] and [BIC()] work too; `tidy` and `glance` are registered once package \pkg{generics} or
#' \pkg{broom} is loaded.
#'
#' `profile` gives the profiles themselves. `plot` draws the signed square root of twice the fall of the log
#' likelihood against the parameter, with dashed lines at the limits of 95 %: where the curve is straight, Wald limits
#' are as good. It arranges the plots in a grid unless `par(mfrow)` has done so. `as.data.frame` gives a profile as
#' one table, and `confint` the limits of its parameters, those of its fit by `method = "profile"`.
#' Where a profile meets a larger maximum than that of the fit, it begins again from there, and a warning of class
#' `statcl_warning_better_fit` has the larger one in its component `fit`, or of a [gpFit()] the estimates in `start`.
#'
#' @param object,x,fit,fitted,model a fit, its summary, or its profile.
#' @param component which parameters: a component or `"all"`; by default the first, for `tidy` all.
#' @param complete if `TRUE`, coefficients that could not be estimated are kept, as `NA`.
#' @param parm names or numbers of parameters, as `coef(object, "all")` has them; by default all, of a [gpFit()]
#'   without those of anisotropy where there is none. A name that is there twice is the first one's.
#' @param which names or numbers of the parameters to profile, among those that were estimated; by default all.
#' @param level confidence level, between 0 and 1; for `profile` that of the limits at which it ends.
#' @param points number of points on each side of the estimate.
#' @param row.names,optional as for [as.data.frame()].
#' @param method method of the limits.
#' @param k penalty for each parameter.
#' @param scale not used.
#' @param test the only test there is.
#' @param digits number of significant digits of the estimates; log likelihoods have three more.
#' @param conf.int if `TRUE`, confidence limits are added.
#' @param conf.level,conf.method their level and method.
#' @param infl not used: as the method of [lm()] has it.
#' @param ... further fits for `anova`, arguments of [stats::printCoefmat()] for `print`, graphical parameters for
#'   `plot`; else not used.
#' @return `coef`, `vcov`, `confint`, `logLik`, `nobs` and `formula` give what their names say, `rstandard` the
#'   residuals of type `"quantile"` (of a [gpFit()] see [residuals.gpFit()]), `extractAIC` the dimension of the model
#'   and the criterion, `anova` a table of class `anova`. `summary` gives a list that prints, with the `fit`, tables
#'   of its components (`coefficients` of a linear model with tests), `residuals` (five numbers), `loglik`, `aic` and
#'   `bic`. `tidy` gives a data frame with a row for each parameter (`term`, `component`, `estimate`, `std.error`,
#'   and `statistic`, `df` of t tests and `p.value` of coefficients), `glance` one with one row (`logLik`, `AIC`,
#'   `BIC`, `df`, `nobs`, `converged`, `deviance`, `df.residual`, and what the class adds). `profile` gives an object
#'   of class `c("profile.statclFit", "profile")`, a list with a data frame for each parameter: `tau`, the signed
#'   root, and `par.vals`, a matrix of all parameters at the maximum; its attribute `original.fit` is the fit.
#' @name statclFit-methods
#' @aliases statclFit
#' @seealso [stableFit()], [stableReg()], [stableGarch()], [gpFit()]
#' @examples
#' fit <- stableReg(stack.loss ~ ., datasets::stackloss)
#' fit$parameters
#' coef(fit, "shape")
#' confint(fit, c("alpha", "Air.Flow"), level = 0.9)
#' anova(update(fit, fixed = list(beta = 0)), fit)
NULL

# Numbers of the parameters of a component; NULL: the first.
component_rows <- function(object, component) {
  of <- object$parameters$component
  if (is.null(component)) component <- levels(of)[1L]
  component <- choice("component", component, c(levels(of), "all"))
  which(component == "all" | of == component)
}

all_estimates <- function(object) stats::setNames(object$parameters$estimate, rownames(object$vcov))

#' @rdname statclFit-methods
#' @importFrom stats coef confint logLik nobs vcov quantile residuals simulate profile update
#' @export
coef.statclFit <- function(object, component = NULL, complete = TRUE, ...) {
  check_extra(...)
  value <- all_estimates(object)[component_rows(object, component)]
  if (one_flag("complete", complete)) value else value[!is.na(value)]
}

#' @rdname statclFit-methods
#' @export
vcov.statclFit <- function(object, component = NULL, complete = TRUE, ...) {
  check_extra(...)
  rows <- component_rows(object, component)
  if (!one_flag("complete", complete)) rows <- rows[!is.na(object$parameters$estimate[rows])]
  object$vcov[rows, rows, drop = FALSE]
}

#' @rdname statclFit-methods
#' @export
nobs.statclFit <- function(object, ...) object$nobs

#' @rdname statclFit-methods
#' @export
logLik.statclFit <- function(object, ...)
  structure(object$loglik, df = object$df + 0, nobs = object$nobs, class = "logLik")

#' @rdname statclFit-methods
#' @importFrom stats rstandard
#' @export
rstandard.statclFit <- function(model, infl, ...) {
  check_extra(...)
  residuals(model, "quantile")
}

#' @rdname statclFit-methods
#' @importFrom stats formula
#' @export
formula.statclFit <- function(x, ...) if (is.null(x$formula)) stats::formula(linear_terms(x)) else x$formula

#' @rdname statclFit-methods
#' @importFrom stats extractAIC
#' @export
extractAIC.statclFit <- function(fit, scale = 0, k = 2, ...) {
  one_number("k", k, "")
  c(fit$dimension, as.double(k) * fit$dimension - 2 * fit$loglik)
}

#' @rdname statclFit-methods
#' @export
confint.statclFit <- function(object, parm, level = 0.95,
                              method = c("default", "profile", "transformed", "wald", "integrate"), ...) {
  refuse_extra("confint.statclFit", ...)
  method <- choice("method", method)
  check_level(level)
  known <- rownames(object$vcov)
  at <- if (missing(parm)) which(shown_parameters(object)) else which_parameters(parm, known, "parm")
  method <- rep_len(if (method == "default") default_limits(object, at) else method, length(at))
  tail <- c(1 - level, 1 + level) / 2
  by <- function(one) unique(at[method == one])
  limits <- normal_limits(object$parameters, stats::qnorm(tail), TRUE)
  mean <- linear_rows(object)
  if (any(at %in% mean)) limits[mean, ] <- coefficient_limits(object, tail)
  limits[by("wald"), ] <- normal_limits(object$parameters, stats::qnorm(tail), FALSE)[by("wald"), ]
  if (any(method == "integrate")) limits[by("integrate"), ] <- integrated_limits(object, by("integrate"), level)
  if (any(method == "profile")) {
    set <- profile_set(object, by("profile"))
    if (!is.null(set$close)) on.exit(set$close())
    open <- by("profile")[!set$fixed[by("profile")]]
    if (length(open)) limits[open, ] <- profile_limits(object, set, open, level)$limits
  }
  dimnames(limits) <- list(known, percent(tail))
  limits[at, , drop = FALSE]
}

# The rows of the coefficients of a linear model that are known.
linear_rows <- function(fit) if (is.null(fit$terms)) integer() else {
  rows <- component_rows(fit, NULL)
  rows[!is.na(fit$parameters$estimate[rows])]
}

coefficient_limits <- function(fit, tail) {
  tests <- coefficient_table(fit)
  tests$estimate + tests$std.error * outer(tests$df, tail, function(df, tail) stats::qt(tail, df))
}

# Limits at z standard errors, a column for each z, of the parameters or of what is searched for them.
normal_limits <- function(p, z, transformed) {
  if (!transformed) return(p$estimate + outer(p$std.error, z))
  error <- p$std.error / search_jacobian(p$estimate, p)
  vapply(z, function(z) from_search(to_search(p$estimate, p) + z * error, p), p$estimate)
}

# A search runs on the logarithm of what is positive, the logit of what is in an interval, and else on the parameter:
# v(t), its inverse and dv/dt for each row with a range from `lower` to `upper`.
from_search <- function(t, rows) {
  width <- rows$upper - rows$lower
  ifelse(is.infinite(rows$lower), t, rows$lower + ifelse(is.finite(width), width * stats::plogis(t), exp(t)))
}

to_search <- function(v, rows) {
  width <- rows$upper - rows$lower
  above <- pmax(v - rows$lower, 0)
  ifelse(is.infinite(rows$lower), v,
         ifelse(is.finite(width), log(above) - log(pmax(rows$upper - v, 0)), log(above)))
}

search_jacobian <- function(v, rows) {
  width <- rows$upper - rows$lower
  ifelse(is.infinite(rows$lower), 1,
         (v - rows$lower) * ifelse(is.finite(width), (rows$upper - v) / width, 1))
}

#' @rdname statclFit-methods
#' @importFrom stats anova
#' @export
anova.statclFit <- function(object, ..., test = "Chisq") {
  choice("test", test, "Chisq")
  fits <- list(object, ...)
  kind <- class(object)[1L]
  ours <- vapply(fits, function(f) inherits(f, kind) && !is.null(f$parameters), NA)
  if (!all(ours)) input_error("...", class(fits[[which(!ours)[1L]]])[1L], sprintf("must be fits by %s()", kind))
  if (length(fits) == 1L) return(test_terms(object))
  check_comparable(object, fits)
  test_fits(fits, seq_along(fits), model_heading(fit_text(object)$tests, fits))
}

model_heading <- function(title, fits) {
  labels <- vapply(fits, function(f) fit_label(f), "")
  c(paste0(title, "\n"), paste0("Model ", seq_along(fits), ": ", labels, collapse = "\n"))
}

# What a table of estimates says about a parameter that has no standard error.
parameter_notes <- function(fit) {
  p <- fit$parameters
  last <- p$component == utils::tail(levels(p$component), 1L)
  ifelse(p$fixed, "fixed", ifelse(last & rownames(fit$vcov) %in% fit_text(fit)$effect, "no effect",
                                  ifelse(nzchar(p$boundary), "on the boundary", "")))
}

# The table of the parameters of a component; limits: of all.
estimates_table <- function(fit, component)
  data.frame(Estimate = fit$parameters$estimate, "Std. Error" = fit$parameters$std.error, Note = parameter_notes(fit),
             row.names = rownames(fit$parameters),
             check.names = FALSE)[shown_parameters(fit) & fit$parameters$component == component, ]

is_linear <- function(fit, component)
  !is.null(fit$terms) && component == levels(fit$parameters$component)[1L]

print_table <- function(table, digits, error_digits = digits, limits = NULL) {
  error <- table[["Std. Error"]]
  shown <- list(Estimate = format(table$Estimate, digits = digits))
  if (!all(is.na(error)))
    shown[["Std. Error"]] <- ifelse(is.na(error), "", format(error, digits = error_digits))
  text <- format(limits, digits = digits)
  if (!all(is.na(limits))) for (end in colnames(limits)) shown[[end]] <- ifelse(is.na(limits[, end]), "", text[, end])
  if (any(nzchar(table$Note))) shown[[" "]] <- table$Note
  print(as.data.frame(shown, row.names = rownames(table), optional = TRUE), right = TRUE)
}

call_text <- function(call) c("Call: ", paste(deparse(call), collapse = "\n"), "\n\n")

#' @rdname statclFit-methods
#' @export
print.statclFit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  text <- fit_text(x)
  cat(text$title, "\n\n", if (!is.null(x$terms)) call_text(x$call), sep = "")
  for (component in levels(x$parameters$component)) {
    linear <- is_linear(x, component)
    if (!linear && !nrow(estimates_table(x, component))) next
    if (linear && !length(coef(x))) cat(text$none, "\n\n", sep = "")
    else {
      if (nzchar(text$headings[[component]])) cat(text$headings[[component]], "\n", sep = "")
      if (linear) print(format(coef(x), digits = digits), quote = FALSE)
      else print_table(estimates_table(x, component), digits, max(digits - 1L, 2L))
      cat("\n")
    }
  }
  cat(sprintf("%s %s (df = %d), %s\n", text$likelihood, format_finely(x$loglik, digits), as.integer(x$df),
              text$observations))
  writeLines(x$notes)
  invisible(x)
}

#' @rdname statclFit-methods
#' @export
summary.statclFit <- function(object, ...) {
  check_extra(...)
  fit_summary(object, residual_range(object))
}

fit_summary <- function(object, residuals, ddf = "Kenward-Roger") {
  kind <- levels(object$parameters$component)
  tables <- lapply(kind, function(component)
    if (is_linear(object, component)) coefficient_tests(object, ddf) else estimates_table(object, component))
  names(tables) <- ifelse(vapply(kind, is_linear, NA, fit = object), "coefficients", kind)
  structure(c(list(fit = object), tables,
              list(residuals = residuals, loglik = logLik(object), aic = stats::AIC(object),
                   bic = stats::BIC(object))), class = c(paste0("summary.", class(object)[1L]), "summary.statclFit"))
}

coefficient_tests <- function(fit, ddf = "Kenward-Roger") {
  t <- coefficient_table(fit, ddf)
  with_df <- t$test == "t"
  matrix(c(t$estimate, t$std.error, if (with_df) t$df, t$statistic, t$p.value), ncol = 4L + with_df,
         dimnames = list(t$name, c("Estimate", "Std. Error", if (with_df) "df", paste(t$test, "value"),
                                   sprintf("Pr(>|%s|)", t$test))))
}

coefficient_table <- function(fit, ddf = "Kenward-Roger") {
  e <- coefficient_errors(fit, ddf)
  p <- fit$parameters[linear_rows(fit), ]
  t <- list(name = rownames(p), estimate = p$estimate, df = e$df(diag(nrow(p))), test = e$test,
            std.error = if (e$test == "t") sqrt(unname(diag(e$vcov))) else p$std.error) # a variance may underflow
  t$statistic <- t$estimate / t$std.error
  t$p.value <- 2 * stats::pt(-abs(t$statistic), t$df)
  t
}

#' @rdname statclFit-methods
#' @export
print.summary.statclFit <- function(x, digits = max(3L, getOption("digits") - 3L), ...)
  print_summary(x, print_digits(digits), ...)

# limits: columns for the table of a component; after: lines that follow the tables, by component.
print_summary <- function(x, digits, ..., limits = NULL, after = NULL) {
  fit <- x$fit
  text <- fit_text(fit)
  cat(text$title, "\n\n", call_text(fit$call), sep = "")
  if (!is.null(x$residuals)) {
    cat(text$residuals, ":\n", sep = "")
    finite <- is.finite(x$residuals)
    print(replace(x$residuals, finite, zapsmall(x$residuals[finite], digits)), digits = digits)
    cat("\n")
  }
  for (component in levels(fit$parameters$component)) {
    linear <- is_linear(fit, component)
    if (!linear && !nrow(x[[component]])) next
    if (linear && !nrow(x$coefficients)) cat(text$none, "\n", sep = "")
    else {
      gone <- if (linear) sum(is.na(coef(fit))) else 0
      heading <- text$headings[[component]]
      if (gone) heading <- sub(":$", sprintf(" (%d not defined because of dependent columns):", gone), heading)
      if (nzchar(heading)) cat(heading, "\n", sep = "")
      if (linear) stats::printCoefmat(x$coefficients, digits = digits, cs.ind = 1:2,
                                      tst.ind = ncol(x$coefficients) - 1L, ...)
      else print_table(x[[component]], digits, limits = limits)
    }
    writeLines(as.character(after[[component]]))
    cat("\n")
  }
  shown <- function(value) format_finely(value, digits)
  cat(sprintf("%s %s (df = %d), AIC %s, BIC %s\n", text$likelihood, shown(c(x$loglik)), as.integer(fit$df),
              shown(x$aic), shown(x$bic)), toString(c(text$observations, text$steps)), "\n", sep = "")
  writeLines(fit$notes)
  invisible(x)
}

#' @rdname statclFit-methods
#' @exportS3Method generics::tidy
tidy.statclFit <- function(x, component = "all", conf.int = FALSE, conf.level = 0.95,
                           conf.method = c("default", "profile", "transformed", "wald", "integrate"), ...) {
  check_extra(...)
  part <- intersect(component_rows(x, component), which(shown_parameters(x)))
  p <- x$parameters
  value <- data.frame(term = rep_len(rownames(x$vcov), nrow(p)), component = as.character(p$component),
                      estimate = p$estimate, std.error = p$std.error)
  if (!is.null(x$terms)) { # no null hypothesis about other parameters
    value[c("statistic", "p.value")] <- NA_real_
    mean <- linear_rows(x)
    if (any(part %in% mean)) {
      tests <- coefficient_table(x)
      columns <- c("std.error", "statistic", if (tests$test == "t") "df", "p.value")
      value[mean, columns] <- tests[columns]
      value <- value[c("term", "component", "estimate", columns)]
    }
  }
  value <- value[part, ]
  if (one_flag("conf.int", conf.int)) {
    conf.method <- choice("conf.method", conf.method)
    limits <- if (length(part)) confint(x, part, conf.level, conf.method) else matrix(0, 0L, 2L)
    value$conf.low <- unname(limits[, 1L])
    value$conf.high <- unname(limits[, 2L])
  }
  rownames(value) <- NULL
  value
}

#' @rdname statclFit-methods
#' @exportS3Method generics::glance
glance.statclFit <- function(x, ...)
  data.frame(lapply(list(logLik = x$loglik, AIC = stats::AIC(x), BIC = stats::BIC(x), df = x$df, nobs = x$nobs,
                         converged = x$converged, deviance = stats::deviance(x),
                         df.residual = stats::df.residual(x)), unname))

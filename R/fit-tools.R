# Methods for generic functions of R and of other packages that ask for the linear part of a fit: the mean of gpFit(),
# the location of stableReg(). Those of other packages are registered when these are loaded.

#' Fits in R's tools for models
#'
#' Fits by [gpFit()] and [stableReg()] work with the functions of R and of other packages that take linear models.
#' These look at the linear part of a fit: the mean of [gpFit()], the location of [stableReg()].
#'
#' Predictions that tools ask for are \eqn{x\beta}{x beta} with the offset, without the process, as `predict(fit,
#' newdata, interval = "confidence")` gives them; they need no coordinates. For a fit with a `family` they are on the
#' scale of the link, or those of a response where the process is 0, as of mixed models without random effects.
#'
#' Tests and limits are those of [summary()]: of fits by [gpFit()] of normal responses they have the standard errors
#' and degrees of freedom that [gpFit-methods] tells of, in \pkg{emmeans} and the packages that ask \pkg{insight};
#' others are normal, with `Inf` degrees of freedom. Tools that ask for `vcov()` alone, as \pkg{marginaleffects},
#' \pkg{car} and \pkg{multcomp}, make normal tests of it unless degrees of freedom are given. Where the variance of
#' the process is 0 the coefficients are those of [lm()] or [glm()], as are their tests, and `vcov` by `estimator =
#' "REML"`; by `"ML"` that is `1 - p / n` times as large, for p coefficients and n observations. With a `family`
#' standard errors are those of the observed information, which for links other than the canonical one is not the
#' expected one of [glm()], and the shape of the Gamma family is that of maximum likelihood.
#'
#' | package | what works |
#' | --- | --- |
#' | stats | `add1`, `drop1`, `step`, `update`, and the functions below |
#' | \pkg{emmeans} | `emmeans`, `emtrends`, `joint_tests` and their contrasts |
#' | \pkg{marginaleffects} | `predictions`, `comparisons`, `slopes`, `hypotheses`, the last also of [stableFit()] |
#' | \pkg{parameters} | `model_parameters`, `ci`, `p_value`, `standard_error`, also of [stableFit()] |
#' | \pkg{performance} | `model_performance`, also of [stableFit()]; `r2`; `check_model` and its parts |
#' | \pkg{ggeffects} | `ggpredict`, `ggemmeans`, `ggeffect` |
#' | \pkg{modelsummary}, \pkg{report} | `modelsummary`, `report`, also of [stableFit()] |
#' | \pkg{DHARMa} | `simulateResiduals`, also of [stableFit()], and its tests |
#' | \pkg{effects}, \pkg{car}, \pkg{multcomp} | `Effect`, `Anova`, `linearHypothesis`, `vif`, `glht` |
#' | \pkg{MuMIn} | `dredge`, `model.avg`, `AICc`, for fits by `"ML"` |
#' | \pkg{lme4} | `refit` |
#' | \pkg{sandwich} | robust covariances of [stableReg()] and [stableFit()] |
#'
#' A fit by [stableFit()] has no formula, which is an error of tools that need one. Observations of a [gpFit()] are
#' correlated and have no scores of their own, which is an error of `sandwich()`. \pkg{DHARMa} simulates given the
#' process, as for random effects, which needs a nugget; as the process was fitted to the same data, its tests of
#' uniformity then reject too often. Its residuals with `simulateREs = "unconditional"` test the model; they are
#' correlated as the observations are, unless its argument `rotation` is given.
#'
#' @param object,x a fit by [gpFit()], [stableReg()] or [stableFit()].
#' @param full if `TRUE`, coefficients that could not be estimated, or cases of weight 0, are among the names.
#' @param ... for `dummy.coef` its further arguments; else not used.
#' @return `deviance` is minus twice the log likelihood. `df.residual` is the number of observations less that of the
#'   coefficients of the linear part, or of all parameters of [stableFit()]. `family` gives the family with its link;
#'   for [stableReg()] and [stableFit()] that is `"stable"` with the identity, and a variance of `Inf` unless `alpha`
#'   is 2. `variable.names` gives the names of coefficients, `case.names` those of observations, `labels` those of
#'   terms, `dummy.coef` the coefficients of all levels of factors (see [stats::dummy.coef()]). `terms`, `predict` and
#'   `quantile` are errors of fits that have none, which say what to ask for instead.
#' @name model-tools
#' @seealso [statclFit-methods], [weights.gpFit()]
#' @examples
#' fit <- stableReg(breaks ~ wool + tension, datasets::warpbreaks)
#' dummy.coef(fit)
#' drop1(fit)
#' @examplesIf requireNamespace("emmeans", quietly = TRUE)
#' emmeans::emmeans(fit, pairwise ~ tension)
NULL

# ---- generic functions of R ----

#' @rdname model-tools
#' @importFrom stats deviance
#' @export
deviance.statclFit <- function(object, ...) -2 * object$loglik

#' @rdname model-tools
#' @importFrom stats df.residual
#' @export
df.residual.statclFit <- function(object, ...) object$nobs - if (is.null(object$terms)) object$df else object$rank

#' @rdname model-tools
#' @importFrom stats terms
#' @export
terms.statclFit <- function(x, ...) linear_terms(x)

#' @rdname model-tools
#' @export
predict.statclFit <- function(object, ...)
  raise_engine_error("input", paste("a fit by stableFit() has no covariates to predict with: quantile(), mean() and",
                                    "median() tell of its distribution, simulate() draws from it"))

#' @rdname model-tools
#' @export
quantile.statclFit <- function(x, ...)
  raise_engine_error("input", sprintf(paste(
    "a fit by %s() has a distribution for each observation: predict() gives their limits or quantiles, and",
    "quantile(residuals(fit)) is of the residuals"), class(x)[1L]))

#' @rdname model-tools
#' @importFrom stats variable.names
#' @export
variable.names.statclFit <- function(object, full = FALSE, ...) {
  b <- linear_coefficients(object)
  names(if (one_flag("full", full)) b else b[!is.na(b)])
}

#' @rdname model-tools
#' @importFrom stats case.names
#' @export
case.names.statclFit <- function(object, full = FALSE, ...) {
  names <- names(residuals(object))
  weight <- stats::weights(object)
  if (one_flag("full", full) || is.null(weight)) names else names[!weight %in% 0]
}

#' @rdname model-tools
#' @export
labels.statclFit <- function(object, ...)
  if (is.null(object$variables)) attr(linear_terms(object), "term.labels") else object$variables$labels

#' @rdname model-tools
#' @importFrom stats dummy.coef
#' @export
dummy.coef.statclFit <- function(object, ...) {
  linear_terms(object)
  object$model <- model.frame(object)
  class(object) <- "lm" # whose components it has
  dummy.coef(object, ...)
}

# ---- the linear part ----

linear_terms <- function(fit) {
  if (is.null(fit$terms)) raise_engine_error("input", sprintf("a fit by %s() has no formula", class(fit)[1L]))
  if (!is.null(fit$variables)) raise_engine_error("input", paste(
    "a fit of several variables has a formula for each: its component variables has their parts"))
  fit$terms
}

linear_coefficients <- function(fit) {
  if (is.null(fit$variables)) linear_terms(fit)
  fit$coefficients
}

# Predictions of the linear part, of the data without `newdata`, with what coefficient_errors() says of them.
linear_predictions <- function(fit, newdata = NULL, errors = NULL) {
  b <- linear_coefficients(fit)
  known <- !is.na(b)
  new <- if (is.null(newdata)) list(x = model.matrix(fit), offset = if (is.null(fit$offset)) 0 else fit$offset)
         else new_columns(fit, newdata)
  x <- new$x[, known, drop = FALSE]
  list(fit = drop(x %*% b[known]) + new$offset,
       se.fit = if (!is.null(errors)) sqrt(rowSums((x %*% errors$vcov) * x)), df = if (!is.null(errors)) errors$df(x))
}

# Observations of new data less what is fitted, or NULL where they have none, as augment() of broom adds them.
new_residuals <- function(fit, newdata, fitted) {
  response <- stats::formula(fit)[[2L]]
  if (!all(all.vars(response) %in% names(newdata))) return(NULL)
  y <- without_units(eval(response, newdata, environment(fit$terms)), deparse1(response),
                     model.response(model.frame(fit)))
  if (is.numeric(y) && is.null(dim(y)) && length(y) == length(fitted)) y - fitted
}

# ---- emmeans ----

#' @exportS3Method emmeans::recover_data
recover_data.statclFit <- function(object, ..., frame = object$model)
  emmeans::recover_data(object$call, stats::delete.response(linear_terms(object)), object$na.action, frame = frame,
                        ...)

#' @exportS3Method emmeans::emm_basis
emm_basis.statclFit <- function(object, trms, xlev, grid, vcov. = function(...) errors$vcov, ...) {
  errors <- coefficient_errors(object)
  frame <- model.frame(trms, grid, na.action = stats::na.pass, xlev = xlev)
  b <- linear_coefficients(object)
  list(X = model.matrix(trms, frame, contrasts.arg = object$contrasts)[, names(b), drop = FALSE],
       bhat = unname(b), nbasis = unestimable(model.matrix(object)),
       V = emmeans::.my.vcov(object, vcov.), dffun = function(k, dfargs) dfargs$df(rbind(k)),
       dfargs = errors["df"],
       misc = emmeans::.std.link.labels(stats::family(object), list()))
}

# An orthonormal basis of the vectors b with x b = 0, or NA: combinations across it are not estimable.
unestimable <- function(x) {
  a <- qr(x)
  rank <- seq_len(a$rank)
  if (a$rank == ncol(x)) return(matrix(NA_real_))
  r <- qr.R(a)
  null <- rbind(-backsolve(r[rank, rank, drop = FALSE], r[rank, -rank, drop = FALSE]), diag(ncol(x) - a$rank))
  null[a$pivot, ] <- null
  qr.Q(qr(null))
}

# ---- effects ----

# A model by glm() of the same call is given the coefficients of the fit: the call needs the data wherever they are,
# and a family whose variance is finite.
#' @exportS3Method effects::effSources
effSources.statclFit <- function(mod) {
  call <- mod$call
  call$data <- eval(call$data, environment(linear_terms(mod)))
  family <- stats::family(mod)
  list(call = call, family = if (family$family == "stable") stats::gaussian() else family)
}

# ---- car ----

# The default binds coefficients of the first component to limits of all parameters.
#' @exportS3Method car::Confint
Confint.statclFit <- function(object, estimate = TRUE, level = 0.95, ...) {
  at <- which(shown_parameters(object))
  limits <- confint(object, at, level, ...)
  if (one_flag("estimate", estimate)) cbind(Estimate = object$parameters$estimate[at], limits) else limits
}

# ---- insight, and what stands on it ----

# Names of tests there are those of a list of classes.
#' @exportS3Method insight::get_statistic
get_statistic.statclFit <- function(x, ...) {
  table <- tidy.statclFit(x, NULL)
  value <- data.frame(Parameter = table$term, Statistic = if (is.null(x$terms)) NA_real_ else table$statistic)
  structure(value[!is.na(table$estimate), ], statistic = if (is.null(table$df)) "z-statistic" else "t-statistic")
}

#' @exportS3Method insight::get_df
get_df.statclFit <- function(x, type = "residual", ...)
  switch(tolower(type)[1L], residual = , analytical = stats::df.residual(x), model = x$df, normal = Inf,
         if (is.null(x$terms)) Inf else coefficient_table(x)$df)

# The default knows that of fits of a list of classes alone; ggeffects goes back from a logarithm by it.
#' @exportS3Method insight::find_transformation
find_transformation.statclFit <- function(x, include_all = FALSE, ...) {
  if (one_flag("include_all", include_all)) return(NextMethod())
  response <- insight::find_terms(x, verbose = FALSE)[["response"]]
  if (!is.null(response)) insight::find_transformation(response)
}

# Later versions of parameters ask insight for it.
#' @exportS3Method parameters::degrees_of_freedom
degrees_of_freedom.statclFit <- function(model, method = "wald", ...)
  get_df.statclFit(model, if (is.null(method)) "wald" else method)

#' @exportS3Method parameters::ci
ci.statclFit <- function(x, ci = 0.95, method = "wald", ...) {
  table <- lapply(ci, function(level) {
    value <- known_parameters(x, NULL, level, method)
    data.frame(Parameter = value$term, CI = level, CI_low = value$conf.low, CI_high = value$conf.high)
  })
  do.call(rbind, table)
}

known_parameters <- function(fit, component, level, method) {
  if (is.null(method)) method <- "wald"
  if (!method %in% c("wald", "normal", "residual", "profile"))
    input_error("ci_method", method, "must be \"wald\" or \"profile\"")
  value <- tidy.statclFit(fit, component, TRUE, level, if (method == "profile") method else "transformed")
  value[!is.na(value$estimate), ]
}

# The default takes no fits but those of a list of classes. `component`: as for coef().
#' @exportS3Method parameters::model_parameters
model_parameters.statclFit <- function(model, ci = 0.95, ci_method = "wald", exponentiate = FALSE, component = NULL,
                                       bootstrap = FALSE, standardize = NULL, p_adjust = NULL, vcov = NULL, ...) {
  one_number("ci", ci, "positive")
  if (!isFALSE(bootstrap) || !is.null(c(standardize, p_adjust, vcov)))
    raise_engine_error("input", paste("the table of a fit has neither bootstrap nor standardize, p_adjust and vcov:",
                                      "simulate() and update() make a bootstrap"))
  table <- known_parameters(model, component, ci, ci_method)
  back <- if (one_flag("exponentiate", exponentiate)) exp else identity
  value <- data.frame(Parameter = table$term, Coefficient = back(table$estimate),
                      SE = table$std.error * if (exponentiate) exp(table$estimate) else 1, CI = ci,
                      CI_low = back(table$conf.low), CI_high = back(table$conf.high))
  test <- if (is.null(table$df)) "z" else "t"
  if (!is.null(model$terms)) value[c(test, "df_error", "p")] <-
    list(table$statistic, if (test == "t") table$df else Inf, table$p.value)
  if (length(unique(table$component)) > 1L) value$Component <- table$component
  structure(value, class = c("parameters_model", "see_parameters_model", "data.frame"), ci = ci, digits = 2,
            ci_digits = 2, p_digits = 3, footer_digits = 3, ci_method = ci_method, exponentiate = exponentiate,
            pretty_names = stats::setNames(table$term, table$term), coefficient_name = "Coefficient",
            test_statistic = paste0(test, "-statistic"), model_class = class(model),
            model_formula = deparse1(model$call$formula), n_obs = model$nobs)
}

#' @exportS3Method insight::get_predicted
get_predicted.statclFit <- function(x, data = NULL, predict = "expectation", ci = 0.95, ..., type = predict) {
  if (!type %in% c("expectation", "expected", "response", "link")) input_error("predict", type, paste(
    "must be \"expectation\" or \"link\": predict(fit, newdata, interval = \"prediction\") has those of",
    "observations"))
  told <- linear_predictions(x, data, coefficient_errors(x))
  family <- stats::family(x)
  back <- if (type == "link") identity else family$linkinv
  limits <- NULL
  if (!is.null(ci)) {
    ends <- back(told$fit + told$se.fit * outer(told$df, c(1 - ci, 1 + ci) / 2, function(df, p) stats::qt(p, df)))
    limits <- data.frame(SE = unname(told$se.fit * if (type == "link") 1 else family$mu.eta(told$fit)),
                         CI_low = ends[, 1L], CI_high = ends[, 2L])
  }
  structure(unname(back(told$fit)), ci_data = limits, data = if (is.null(data)) model.frame(x) else data, ci = ci,
            predict = type, class = c("get_predicted", "numeric"))
}

# Its sentences for lm() have standardised coefficients, which fits of processes have none of.
#' @exportS3Method report::report
report.statclFit <- function(x, ...) {
  table <- known_parameters(x, NULL, 0.95, "wald")
  text <- fit_text(x)
  shown <- function(v) vapply(v, format, "", digits = 3L)
  model <- gsub("[[:space:]]+", " ", text$title)
  if (!is.null(x$terms)) model <- paste0(model, ", formula ", deparse1(stats::formula(x)))
  rows <- sprintf("  - %s: %s, 95%% CI [%s, %s]", table$term, shown(table$estimate), shown(table$conf.low),
                  shown(table$conf.high))
  if (!is.null(table$p.value))
    rows <- paste0(rows, ", p ", ifelse(table$p.value < 1e-3, "< 0.001", paste("=", shown(table$p.value))))
  fitted <- sprintf("%s %s (df = %d), %s", text$likelihood, format_finely(x$loglik, 3L), as.integer(x$df),
                    text$observations)
  report::as.report(paste(c(model, fitted, "", rows), collapse = "\n"), table = report::as.report_table(table))
}

#' @exportS3Method insight::is_converged
is_converged.statclFit <- function(x, ...) all(x$converged)

#' @exportS3Method insight::null_model
null_model.statclFit <- function(model, ...)
  eval(update(model, . ~ 1, evaluate = FALSE), environment(linear_terms(model)))

#' @exportS3Method performance::model_performance
model_performance.statclFit <- function(model, metrics = "all", ...) {
  value <- list(AIC = stats::AIC(model), AICc = performance::performance_aicc(model), BIC = stats::BIC(model),
                R2 = summary(model)$r.squared,
                RMSE = if (!is.null(model$terms)) sqrt(mean(residuals(model, "response")^2, na.rm = TRUE)),
                Sigma = sigma(model))
  value <- value[lengths(value) > 0L]
  if (identical(metrics, "common")) metrics <- c("AIC", "BIC", "R2", "RMSE")
  if (!identical(metrics, "all")) value <- value[tolower(names(value)) %in% tolower(metrics)]
  value <- as.data.frame(value)
  structure(value, class = c("performance_model", class(value)))
}

# ---- marginaleffects, which takes classes that an option names: see .onLoad() ----

#' @exportS3Method marginaleffects::set_coef
set_coef.statclFit <- function(model, coefs, ...) {
  model$coefficients[names(coefs)] <- coefs
  model$parameters$estimate[match(names(coefs), rownames(model$vcov))] <- coefs
  model
}

#' @exportS3Method marginaleffects::get_predict
get_predict.statclFit <- function(model, newdata, type = "response", ...) {
  eta <- linear_predictions(model, newdata)$fit
  type <- if (is.null(type)) "response" else choice("type", type, c("response", "link"))
  data.frame(rowid = if (is.null(newdata$rowid)) seq_along(eta) else newdata$rowid,
             estimate = unname(if (type == "link") eta else stats::family(model)$linkinv(eta)))
}

# ---- DHARMa, whose numbers are without rows that na.exclude keeps ----

#' @exportS3Method DHARMa::getSimulations
getSimulations.statclFit <- function(object, nsim = 1, type = c("normal", "refit"), ...) {
  object$na.action <- NULL
  draws <- simulate(object, nsim)
  if (choice("type", type) == "normal") data.matrix(draws) else draws
}

#' @exportS3Method DHARMa::getFitted
getFitted.statclFit <- function(object, ...) unname(stats::family(object)$linkinv(linear_predictions(object)$fit))

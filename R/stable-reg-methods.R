# Methods of the class stableReg.

#' Methods for linear models with stable errors
#'
#' What is special about the results of [stableReg()] among [all fits][statclFit-methods].
#'
#' With one fit `anova` adds the terms of its formula one after the other.
#'
#' Confidence limits of the coefficients are by default normal ones, those of the shape on the scales of
#' [confint.stableFit()]; where an estimate is on a boundary all are those of the profile of the likelihood, as with
#' `method = "profile"`, as long as the product of the numbers of observations and limits is at most 80000 (a
#' message says if not). A fit whose likelihood was not maximised has no profile, which is an error.
#'
#' With `type = "sandwich"` the covariance matrix is that of White (1982), \eqn{I^{-1} J I^{-1}}{I^-1 J I^-1} of the
#' observed information and the sum of the squared scores: it stays valid if the errors are not stable. A case
#' with weight 2 counts as two cases, as it does in the likelihood.
#'
#' [formula()][stats::formula()], [terms()][stats::terms()], [weights()][stats::weights()] and
#' [fitted()][stats::fitted()] work too, and `augment()` where package generics or broom is loaded. Degrees of freedom
#' are counted as for [stableFit()][stableFit-methods]; aliased coefficients do not count.
#'
#' @inheritParams simulate.stableFit
#' @param object,x,formula a fit by [stableReg()].
#' @param component,complete as for [all fits][statclFit-methods].
#' @param type of the covariance matrix, see details; of residuals: `"response"`, observation less location; `"pit"`,
#'   the probability that the fitted distribution gives to values below the observation, which is uniform if the model
#'   is right; `"quantile"`, the same as a standard normal deviate.
#' @param nsim number of responses to simulate.
#' @param re.form not used: an argument for models with random effects.
#' @param data for `model.frame` and `model.matrix` other data; for `augment` the data of the fit, with a row for each
#'   observation used (and those that `na.exclude` left out).
#' @param newdata data frame to predict for.
#' @param se_fit if `TRUE`, standard errors of the location are added, `.se.fit`.
#' @param interval,conf.level limits that are added, `.lower` and `.upper`, as of [predict.stableReg()], and their
#'   level.
#' @param ... not used.
#' @return `vcov`, `residuals`, `model.frame` and `model.matrix` give what their names say; `sigma` the scale `gamma`
#'   of the errors; `simulate` a data frame with a column for each response; `glance` and `augment` data frames.
#' @references
#' White, H. (1982). Maximum likelihood estimation of misspecified models. *Econometrica* **50**, 1--25.
#' @name stableReg-methods
#' @seealso [stableReg()], [predict.stableReg()], [influence()][stableReg-influence] of the cases
#' @examples
#' fit <- stableReg(stack.loss ~ ., datasets::stackloss)
#' confint(fit, level = 0.9)
#' vcov(fit, "shape")
#' anova(fit)
#' anova(update(fit, . ~ . - Acid.Conc.), fit)
NULL

#' @rdname stableReg-methods
#' @export
vcov.stableReg <- function(object, component = NULL, complete = TRUE, type = c("information", "sandwich"), ...) {
  check_extra(...)
  if (choice("type", type) == "sandwich")
    object$vcov <- reg_sandwich(object) * object$unit * rep(object$unit, each = length(object$unit))
  vcov.statclFit(object, component, complete)
}

#' @exportS3Method NULL
check_comparable.stableReg <- function(fit, fits) {
  observed <- function(f) list(unname(f$fitted.values + f$residuals), unname(f$weights)) # but for rounding errors
  if (!all(vapply(fits, function(f) isTRUE(all.equal(observed(f), observed(fit))), NA)))
    raise_engine_error("input", "the fits are not of the same observations")
}

#' @exportS3Method NULL
default_limits.stableReg <- function(fit, at) {
  edge <- reg_settled(fit) && any(on_edge(fit$parameters)[!is.na(fit$parameters$estimate)])
  cheap <- profile_is_cheap(length(fit$residuals), edge, 0, length(at))
  if (edge && !cheap) tell_costly(length(fit$residuals))
  if (edge && cheap) "profile" else "transformed"
}

#' @rdname stableReg-methods
#' @export
residuals.stableReg <- function(object, type = c("response", "pit", "quantile"), ...) {
  check_extra(...)
  type <- choice("type", type)
  value <- object$residuals
  if (type != "response") value[] <- probability_residuals(log_tails(error_distribution(object), value), type)
  stats::naresid(object$na.action, value)
}

#' @rdname stableReg-methods
#' @importFrom stats sigma
#' @export
sigma.stableReg <- function(object, ...) object$shape[["gamma"]]

#' @rdname stableReg-methods
#' @importFrom stats model.frame
#' @export
model.frame.stableReg <- function(formula, data = NULL, ...) {
  if (!is.null(data)) return(new_frame(formula, formula$terms, data, ...))
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
model.matrix.stableReg <- function(object, data = NULL, ...) {
  if (!is.null(data)) return(new_columns(object, data)$x)
  model.matrix(object$terms, model.frame(object), contrasts.arg = object$contrasts)
}

#' @rdname stableReg-methods
#' @importFrom stats simulate
#' @export
simulate.stableReg <- function(object, nsim = 1, seed = NULL, re.form = NULL, ...) {
  check_extra(...)
  nsim <- whole_number("nsim", nsim)
  location <- stats::fitted(object)
  errors <- with_seed(seed, do.call(rstable, c(list(as.double(nsim) * length(location)), as.list(object$shape))))
  value <- as.data.frame(matrix(location + as.vector(errors), ncol = nsim,
                                dimnames = list(NULL, paste0("sim_", seq_len(nsim)))))
  attr(value, "row.names") <- if (is.null(names(location))) seq_along(location) else names(location)
  structure(value, seed = attr(errors, "seed"))
}

# Terms added to those before.
#' @exportS3Method NULL
test_terms.stableReg <- function(fit)
  test_fits(reg_sequence(fit), c("NULL", attr(fit$terms, "term.labels")),
            c(paste0(fit_text(fit)$tests, "\n"),
              paste0("Terms added first to last, response: ", deparse(formula(fit)[[2L]])[1L], "\n")))

# Fits of the first terms of the formula, from none to all. Without the later terms a model may have no maximum where
# the whole has one, as when many responses are equal: it has no likelihood then, and a warning names its last term.
reg_sequence <- function(object) {
  y <- fit_response(model.frame(object), object$terms)
  x <- model.matrix(object)
  assign <- attr(x, "assign")
  known <- shape_of(object, "fixed")
  terms <- attr(object$terms, "term.labels")
  lapply(0:length(terms), function(k) {
    if (k == max(assign, 0)) return(object)
    columns <- x[, assign <= k, drop = FALSE]
    fit <- tryCatch(reg_fit(columns, y, object$weights, object$offset, object$shape[known], NULL),
                    statcl_error_input = identity)
    if (!inherits(fit, "error") && reg_settled(fit)) return(fit)
    warn(sprintf("no likelihood of the model %s: %s", if (k == 0L) "without terms" else paste("up to", terms[k]),
                 if (inherits(fit, "error")) conditionMessage(fit) else reg_trouble(fit)))
    list(loglik = NA_real_,
         dimension = qr(columns, tol = 1e-7)$rank + stable_dimension(rbind(known), object$shape[["alpha"]]))
  })
}

#' @exportS3Method NULL
fit_text.stableReg <- function(fit)
  utils::modifyList(NextMethod(), list(
    title = "Linear model with stable errors", headings = c(coefficients = "Coefficients:", shape = "Errors:"),
    steps = count_text(fit$iterations, "Newton step"),
    tests = "Likelihood ratio tests of linear models with stable errors",
    effect = if (fit$shape[["alpha"]] == 2) "beta"))

reg_notes <- function(fit) {
  boundary <- shape_of(fit, "boundary")
  as.character(c(if (boundary[["alpha"]] == "upper")
      "alpha is on its boundary 2: normal errors, least squares. beta has no effect.",
    if (nzchar(boundary[["beta"]])) sprintf("beta is on its boundary %g.", fit$shape[["beta"]]),
    if (boundary[["alpha"]] == "lower")
      "alpha is at the lower end of the search: the likelihood may grow without bound beyond."
    else if (!fit$converged) "The likelihood has not been maximised.",
    if (length(fit$na.action)) sprintf("(%s)", stats::naprint(fit$na.action))))
}

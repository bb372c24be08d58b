# Methods of the class gpFit.

#' Methods for fits of Gaussian processes
#'
#' What is special about the results of [gpFit()] among [all fits][statclFit-methods].
#'
#' Standard errors of covariance parameters are from the inverse of the information matrix, `NA` for parameters that
#' are fixed or on a boundary. The estimates of mean and covariance are independent for many observations, and
#' `vcov(fit, "all")` has zeros between.
#'
#' `logLik` counts the coefficients and the covariance parameters that were estimated, also those on a boundary.
#' For `"REML"` its number of observations, which [BIC()] uses, is less by the number of coefficients, as in package
#' \pkg{nlme}; `nobs` is not. `sigma` is the root of the sum of variances and nuggets, of several variables one for
#' each.
#'
#' `fitted` gives the mean by default, and with `type = "latent"` the kriging predictions of the field without nugget
#' and errors at the observations. For those of an observation by all others see [residuals.gpFit()].
#'
#' For a fit with a `family`, `fitted` gives the means of the responses at the mode of the process, or the linear
#' predictor, and `vcov` has the covariances between coefficients and covariance parameters; there is no pseudo R
#' squared and no `varcomp`. It is not printed where the mean is a constant.
#'
#' Fits with different means must be by maximum likelihood for `anova`: restricted likelihoods compare covariances
#' alone. Of one fit, `anova` tests each term of the mean, all other terms being in the model.
#'
#' @section Tests of coefficients:
#' Standard errors from the covariance at the estimates are too small where observations are few, or the range is not
#' much shorter than the region. Tests and confidence limits of the mean take those of Kenward and Roger (1997),
#' without second derivatives of the covariance matrix, with t and F distributions whose degrees of freedom come from
#' the precision of the covariance parameters: in `summary`, `anova` of one fit, `tidy`, [confint()][confint.gpFit()],
#' `predict(interval = "confidence")` and [R's tools][model-tools]. Without correlation they are those of [lm()].
#' Also for fits by `"ML"` they are those of the restricted likelihood, whose maximum is searched from the estimates,
#' by one step where there are more than 5000 observations; the estimates themselves stay, as `vcov` does, which is
#' that at the estimates. Parameters on a boundary are taken for known. There is no less than one degree of freedom:
#' the mean of a field whose range is longer than the region is hardly known. Where there are less than two, and
#' [confint()][confint.gpFit()] has limits of the covariance parameters from their posterior distribution by default,
#' they are found from that, by the variance of the logarithm of the squared standard error, if that has more. Where a
#' nugget of 0 or a smoothness at its bound let the process go through all of few observations, errors would be far
#' too small: there they are those of the maximum with the penalties of [gpFit()].
#'
#' Vecchia's approximation does not tell how the coefficients vary with the parameters: standard errors are those of
#' `"Satterthwaite"` there.
#'
#' `ddf = "Satterthwaite"` has the same degrees of freedom with standard errors of `vcov` at the maximum of the
#' restricted likelihood, `ddf = "none"` those of `vcov` and normal tests. Normal, too, are tests where nothing is
#' estimated, as with `fixed = TRUE`, where that is exact.
#'
#' Fits with a `family` to up to 500 observations have tests by the [posterior()] distribution of the other
#' parameters, whatever `ddf` is but `"none"`: given these, coefficients are normal, and over all of them they are
#' taken for t distributed, with the mean of the inverse covariance matrices, and degrees of freedom by the variance
#' of the logarithm of variances. That takes a few times as long as the fit, once for each. With more observations,
#' `cov = NULL` or expectation propagation tests are normal ones by `vcov`.
#'
#' The pseudo R squared of `summary` and `varcomp` is 1 less the generalised residual sum of squares over that of an
#' intercept alone (of no mean, where the formula has no intercept), both with the covariance of the fit. `varcomp`
#' shares the rest among the variances and nuggets by their size, as `varcomp()` of package \pkg{spmodel} does.
#'
#' @param object,x,formula,fit a fit by [gpFit()], or its summary.
#' @param type `"mean"` or `"latent"`.
#' @param k penalty for each parameter.
#' @param scale not used.
#' @param ddf how standard errors and degrees of freedom of coefficients are found: see the section on their tests.
#' @param data for the model frame or matrix of other data than those of the fit.
#' @param digits number of significant digits.
#' @param ... arguments of [stats::printCoefmat()] for `print`; else not used.
#' @return `fitted`, `logLik`, `sigma`, `model.frame` and `model.matrix` give what their
#'   names say; `extractAIC` the degrees of freedom and the criterion; `varcomp` a data frame with the columns
#'   `component` and `proportion`. `anova` of one fit has F tests with the columns `NumDF`, `DenDF`, `F value` and
#'   `Pr(>F)`, or normal ones with `Df`, `Chisq` and `Pr(>Chisq)`. `summary` has besides what
#'   [all summaries][statclFit-methods] have `r.squared`, and `effective.range`, the distance at which the correlation
#'   without nugget is 0.05.
#' @references
#' Kenward, M. G. and Roger, J. H. (1997). Small sample inference for fixed effects from restricted maximum
#' likelihood. *Biometrics* 53, 983-997.
#'
#' Harville, D. A. and Jeske, D. R. (1992). Mean squared error of estimation or prediction under a general linear
#' model. *Journal of the American Statistical Association* 87, 724-731.
#' @name gpFit-methods
#' @seealso [gpFit()], [statclFit-methods], [confint.gpFit()] for confidence limits, [residuals.gpFit()]
#' @examples
#' quakes <- subset(datasets::quakes, depth < 100)
#' model <- covModel("exponential", range = NA, nugget = NA, distance = "chordal")
#' fit <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat, cov = model)
#' summary(fit)
#' varcomp(fit)
#' anova(update(fit, fixed = list(nugget = 0.02)), fit)
NULL

# The covariance matrix of the coefficients that are known, and the rows of the covariance parameters by their names.
mean_vcov <- function(fit) {
  used <- which(is_known(fit))
  fit$vcov[used, used, drop = FALSE]
}
covariance_rows <- function(fit) {
  own <- fit$parameters$component == "covariance"
  table <- fit$parameters[own, ]
  rownames(table) <- rownames(fit$vcov)[own]
  table
}
covariance_vcov <- function(fit) {
  own <- fit$parameters$component == "covariance"
  fit$vcov[own, own, drop = FALSE]
}
covariance_values <- function(fit) {
  own <- covariance_rows(fit)
  stats::setNames(as.list(own$estimate), rownames(own))
}

#' @rdname gpFit-methods
#' @export
logLik.gpFit <- function(object, ...) {
  value <- NextMethod()
  attr(value, "nall") <- object$nobs
  attr(value, "nobs") <- object$nobs - if (object$estimator == "REML") object$rank else 0
  value
}

#' @rdname gpFit-methods
#' @export
sigma.gpFit <- function(object, ...) {
  if (has_local_sill(object$cov)) raise_engine_error("input", paste(
    "the standard deviation of the fit follows covariates: it is not one number"))
  if (!is.null(object$variables)) return(stats::setNames(
    sqrt(variable_variances(object$cov) + nugget_variances(object$cov)), object$variables$names))
  if (identical(object$family$family, "gaussian")) object$own[["sd"]] else sqrt(model_variance(object$cov))
}

#' @rdname gpFit-methods
#' @export
extractAIC.gpFit <- function(fit, scale = 0, k = 2, ...) {
  if (fit$estimator != "ML")
    input_error("fit$estimator", fit$estimator, "must be \"ML\": restricted likelihoods do not compare means")
  NextMethod()
}

#' @rdname gpFit-methods
#' @export
model.frame.gpFit <- function(formula, data = NULL, ...) {
  if (is.null(data)) return(formula$model)
  refuse_several(formula, "model frames of other data are", "model.frame(fit) has the observations")
  new_frame(formula, formula$terms, data, ...)
}

#' @rdname gpFit-methods
#' @export
model.matrix.gpFit <- function(object, data = NULL, ...) {
  if (is.null(data)) return(object$X)
  refuse_several(object, "model matrices of other data are", "model.matrix(fit) has the observations")
  new_columns(object, data)$x
}

#' @rdname gpFit-methods
#' @importFrom stats fitted
#' @export
fitted.gpFit <- function(object, type = c("mean", "latent"), ...) {
  check_extra(...)
  value <- object$fitted.values
  if (choice("type", type) == "latent")
    value[] <- gp_columns(plugin(object), observed_places(object), FALSE, "none", 0.5, "latent")$fit
  stats::napredict(object$na.action, value)
}

#' @exportS3Method NULL
check_comparable.gpFit <- function(fit, fits) {
  same <- function(part) all(vapply(fits, function(f) isTRUE(all.equal(f[[part]], fit[[part]],
                                                                       check.attributes = FALSE)), NA))
  anywhere <- any(vapply(fits, function(f) isTRUE(f$no.process), NA)) # then they have no locations
  if (!same("y") || !anywhere && !same("x") || !same("error.variance") || !same_cases(fit, fits))
    raise_engine_error("input", "the fits are not of the same observations")
  if (!anywhere && (!same("method") || !same("m") || !same("block")) ||
        length(unique(lapply(Filter(has_integral, fits), `[[`, "approximation"))) > 1L)
    raise_engine_error("input", paste("the fits are by different approximations: method and m must be the same,",
                                    "block and approximation"))
  families <- lapply(fits, function(f) f$family[setdiff(names(f$family), "zi")])
  if (!all(vapply(families, function(f) isTRUE(all.equal(f, families[[1L]], check.attributes = FALSE)), NA)))
    raise_engine_error("input", "the fits are of different families")
  if (!same("estimator")) raise_engine_error("input", "the fits are by different estimators, \"ML\" and \"REML\"")
  if (fit$estimator == "REML" && !(same("X") && same("offset")))
    raise_engine_error("input", "restricted likelihoods of fits with different means are not comparable: use \"ML\"")
}

#' @exportS3Method NULL
fit_label.gpFit <- function(fit) {
  rows <- gp_parameter_rows(fit)
  anisotropic <- any(rows$base == "ratio" & !(covariance_rows(fit)$fixed & rows$value == 1) | rows$base == "scales")
  family <- likelihood_of(fit)$text$family
  paste0(paste(deparse(formula(fit)), collapse = " "), ", ", if (anisotropic) "anisotropic ",
         if (is.null(fit$no.process)) gp_family(fit) else "no process", if (nzchar(family)) paste0(", ", family),
         if (!is.null(fit$zi)) sprintf(", zi = %s", deparse1(fit$zi$formula)), known_text(fit, " (%s)"))
}

gp_family <- function(fit) {
  names <- vapply(model_parts(fit$cov), `[[`, "", "name")
  if (is_local(fit$cov)) names <- local_text(fit$cov)
  if (is_several(fit$cov) && !is.null(fit$cov$parts))
    names <- sprintf("%s: %s", names, paste(vapply(fit$cov$parts, `[[`, "", "name"), collapse = " + "))
  of <- fit$varying$of
  if (!is.null(of)) names <- paste0(names, c("", paste(" x", fit$varying$names))[of])
  paste(names, collapse = " + ")
}

# What the rows of `parameters` are.
gp_parameter_rows <- function(fit) likelihood_of(fit)$rows()

# Not those of a model without anisotropy, nor a range beside scales, nor more than one nugget.
#' @exportS3Method NULL
shown_parameters.gpFit <- function(fit) {
  rows <- gp_parameter_rows(fit)
  model <- if (is_several(fit$cov)) paste(rows$part, rows$inside) else rows$part
  isotropic <- model %in% model[rows$base == "ratio" & rows$value == 1]
  scaled <- model %in% model[rows$base == "scales"]
  hidden <- covariance_rows(fit)$fixed & (
    rows$base %in% c("angle", "ratio") & isotropic | rows$parameter == "range" & scaled |
      rows$base == "nugget" & rows$part > 1L & rows$value == 0 | isTRUE(fit$no.process) & rows$part > 0L)
  c(rep(TRUE, length(fit$coefficients)), !hidden)
}

# Terms of the mean, each after all others.
#' @exportS3Method NULL
test_terms.gpFit <- function(fit) {
  e <- coefficient_errors(fit)
  assign <- attr(fit$X, "assign")[is_known(fit)]
  b <- fit$coefficients[is_known(fit)]
  terms <- unique(assign)
  tests <- vapply(terms, function(t) {
    at <- which(assign == t)
    if (e$test == "t") e$joint(diag(length(b))[at, , drop = FALSE], b)
    else c(length(at), Inf, sum(b[at] * solve(e$vcov[at, at], b[at])))
  }, c(0, 0, 0))
  names <- (if (is.null(fit$variables)) c("(Intercept)", attr(fit$terms, "term.labels"))
            else fit$variables$labels)[terms + 1L]
  table <- if (e$test == "t")
    data.frame(NumDF = as.integer(tests[1L, ]), DenDF = tests[2L, ], "F value" = tests[3L, ],
               "Pr(>F)" = stats::pf(tests[3L, ], tests[1L, ], tests[2L, ], lower.tail = FALSE), check.names = FALSE,
               row.names = names)
  else data.frame(Df = as.integer(tests[1L, ]), Chisq = tests[3L, ], "Pr(>Chisq)" = stats::pchisq(
    tests[3L, ], tests[1L, ], lower.tail = FALSE), check.names = FALSE, row.names = names)
  kind <- if (e$test != "t") "Wald tests of the terms of the mean\n"
          else paste0("F tests of the terms of the mean", if (is.null(fit$family)) " by Kenward and Roger", "\n")
  structure(table, class = c("anova", "data.frame"),
            heading = c(kind, if (is.null(fit$variables))
              paste0("Response: ", deparse(formula(fit)[[2L]])[1L], "\n")
              else paste0("Responses: ", toString(fit$variables$names), "\n")))
}

#' @rdname gpFit-methods
#' @export
varcomp <- function(object, ...) {
  need(object = missing(object))
  UseMethod("varcomp")
}

#' @rdname gpFit-methods
#' @export
varcomp.gpFit <- function(object, ...) {
  check_extra(...)
  check_fit("object", object, "gpFit")
  refuse_several(object, "variance components are", "sigma() has the standard deviations of the variables")
  normal_only(object, "variance components")
  refuse_local(object, "varcomp()", "plot(object, \"sd\") shows the local standard deviation")
  rows <- cov_parameters(model_parts(object$cov))
  rows <- rows[rows$parameter %in% c("variance", "nugget") & (rows$value > 0 | !covariance_rows(object)$fixed), ]
  covariates <- gp_r_squared(gp_whitened(object), object)
  data.frame(component = c("covariates (pseudo R squared)", rows$name),
             proportion = c(covariates, (1 - covariates) * rows$value / sum(rows$value)))
}

gp_r_squared <- function(w, fit) {
  if (is.null(w)) return(NA_real_)
  if (!is.null(fit$variables)) return(several_r_squared(w, fit))
  null <- if (attr(fit$terms, "intercept")) qr.resid(qr(w$X[, 1L]), w$y) else w$y
  if (ncol(w$X) == attr(fit$terms, "intercept")) return(0)
  1 - sum(w$z^2) / sum(null^2)
}

#' @exportS3Method NULL
fit_text.gpFit <- function(fit) {
  restricted <- if (fit$estimator == "REML") "restricted "
  sphere <- if (fit$metric$kind != "euclidean") sprintf(" on a sphere of radius %g", fit$metric$radius)
  ratio <- paste0(restricted, "likelihood ratio tests of Gaussian processes")
  lik <- likelihood_of(fit)
  utils::modifyList(NextMethod(), list(
    title = paste0(if (is.null(lik$text$title)) "Gaussian process" else lik$text$title, " ", lik$text$responses,
                   if (!is.null(fit$variables)) sprintf("of %d variables ", length(fit$variables$names)),
                   "by ", restricted, "maximum likelihood",
                   lik$text$approximation),
    headings = c(mean = "Coefficients of the mean:", covariance = if (isTRUE(fit$no.process)) other_heading(fit)
      else paste0("Covariance (", gp_family(fit), "), distance ", distance_text[[fit$metric$kind]], sphere, ":")),
    none = "Mean 0", likelihood = paste0(restricted, "log likelihood"),
    steps = c(paste(count_text(fit$iterations, "step"), "of the search"), if (isTRUE(fit$loglik.error > 1e-3))
      paste("standard error of the log likelihood", format(signif(fit$loglik.error, 2L)))),
    residuals = c(deviance = "Deviance residuals", standardized = "Standardized residuals")[[lik$standard]],
    tests = paste0(toupper(substr(ratio, 1L, 1L)), substring(ratio, 2L))))
}

# Without a process there are variances of grouped effects, and what else a family takes.
other_heading <- function(fit) {
  kinds <- c("variances"[!is.null(fit$groups)], "parameters of the family"[length(own_names(fit$family)) > 0L])
  paste0(sub("^(.)", "\\U\\1", paste(kinds, collapse = " and "), perl = TRUE), ":")
}

# What the family has where these rows are at a limit of it.
limit_of_family <- function(fit, p) {
  own <- if (!is.null(fit$family)) stats::setNames(family_parameters(fit$family), own_names(fit$family))
  vapply(seq_len(nrow(p)), function(k) {
    known <- own[[rownames(p)[k]]]
    there <- if (identical(names(known$limit), p$boundary[k])) known$there
             else if (p$boundary[k] == "lower") known$small
    if (is.null(there)) "" else sprintf(", that of %s", there)
  }, "")
}

gp_notes <- function(fit) {
  own <- covariance_rows(fit)
  p <- own[nzchar(own$boundary), ]
  end <- ifelse(p$boundary == "upper", p$upper, p$lower)
  at_end <- is.finite(end) & p$estimate == end
  # of a matrix, or of parts in order, the limit is one of several parameters
  p <- p[!(is_several(fit$cov) & !at_end), ]
  end <- ifelse(p$boundary == "upper", p$upper, p$lower)
  at_end <- is.finite(end) & p$estimate == end
  ends <- ifelse(at_end, sprintf("%s is on its boundary %g.", rownames(p), end),
                 sprintf("%s is at the end of its search: %s values have the same likelihood%s.", rownames(p),
                         ifelse(p$boundary == "upper", "larger", "smaller"), limit_of_family(fit, p)))
  rows <- gp_parameter_rows(fit)
  variance <- rows$parameter == "variance"
  none <- all(own$estimate[variance] == 0) && any(nzchar(own$boundary[variance]))
  idle <- rows$part[variance & own$estimate == 0 & nzchar(own$boundary)] # of a sum
  excess <- if (!is.null(fit$zi) && any(!own$fixed[is_zero_coefficient(rownames(own))]))
    max(own_at(fit$own, fit$cases$zero)$zero)
  biased <- identical(fit$approximation, "laplace") && is.null(fit$no.process) && is_single_binary(fit)
  as.character(c(ends, limit_notes(fit, own),
    if (biased && any(own$estimate[variance] > 0 & !own$fixed[variance])) paste(
      "Laplace's approximation often gives a process behind binary responses too small a variance:",
      "approximation = \"ep\" is more accurate."),
    if (isTRUE(excess < 1e-6)) "The probabilities of zi are next to 0: all smaller ones have the same likelihood.",
    if (none) "No correlation was found: the other parameters of the process have no effect."
    else if (length(idle)) sprintf("The other parameters of part %s of the sum have no effect.", toString(idle)),
    if (isTRUE(fit$interrupted)) "The search was interrupted: the estimates are the best so far."
    else if (!fit$converged) "The likelihood has not been maximised: try other values of start.",
    if (length(fit$na.action)) sprintf("(%s)", stats::naprint(fit$na.action))))
}

# Of a model of one part: what it is at the end of the search for a range or a smoothness.
limit_notes <- function(fit, own) {
  rows <- gp_parameter_rows(fit)
  at_end <- function(base) any(rows$base == base & own$boundary == "upper" & is.infinite(own$upper))
  m <- fit$cov
  if (is_several(m)) return(several_notes(fit, rows, own))
  if (is.null(families[[m$name]]$takes) && !at_end("range") || !is.null(m$parts) || !is.null(m$space) || is_local(m))
    return(NULL)
  longest <- max(apply(fit$x, 2L, function(v) diff(range(v))))
  wide <- at_end("range")
  c(if (wide && m$ratio < 0.01 && m$range * m$ratio < 10 * longest)
      sprintf("The limit is a field of stripes: it varies across the direction of angle, with range %.4g.",
              m$range * m$ratio)
    else if (wide) variogram_note(m, longest),
    if (at_end("smoothness") && !wide)
      sprintf("The limit is the covariance \"gaussian\" of range %.4g.", distance_at(within_one_variance(m), 0.5) /
                sqrt(log(2))))
}

# A covariance of a long range is a constant, of which the mean takes care, less a power of the distance.
variogram_note <- function(m, longest) {
  falls <- function(h) 1 - unit_value(h / (m$range * across), m)
  across <- 1
  if (falls(longest) < 1e-8) across <- min(m$ratio, 1) # along stripes without end no digits are left
  power <- log2(falls(longest) / falls(longest / 2))
  if (power > 1.95) return("The limit is a linear trend with normal coefficients.")
  sprintf("The limit is the variogram %s%.4g h^%.3g%s, which has no range.",
          if (model_nugget(m) > 0) sprintf("%.4g + ", model_nugget(m)) else "",
          m$variance * falls(longest) * (across / longest)^power, power,
          if (isTRUE(m$ratio < 1)) " in the direction of angle" else "")
}

#' @rdname gpFit-methods
#' @export
summary.gpFit <- function(object, ddf = c("Kenward-Roger", "Satterthwaite", "none"), ...) {
  check_extra(...)
  ddf <- choice("ddf", ddf)
  w <- gp_whitened(object)
  value <- fit_summary(object, if (is.null(w)) residual_range(object)
                               else five_numbers(stats::quantile(w$z, names = FALSE)), ddf)
  if (!is.null(w)) value$r.squared <- gp_r_squared(w, object)
  value$effective.range <- if (!is_local(object$cov)) effective_range(object$cov)
  value
}

#' @exportS3Method NULL
residual_range.gpFit <- function(fit) {
  lik <- likelihood_of(fit)
  five_numbers(stats::quantile(lik$residuals[[lik$standard]](), names = FALSE))
}

# Distances at which the correlation, without nugget, falls to 0.05, by names that say in which direction; none where
# parts of a sum have axes of their own, or where it does not fall so low.
effective_range <- function(model, level = 0.05) {
  if (has_labels(model)) return(numeric())
  falls <- function(m) {
    d <- tryCatch(distance_at(m, level), error = function(e) NA_real_)
    if (isTRUE(d < longest_distance(m)) && model_variance(m) > model_nugget(m)) d else NA_real_
  }
  if (!is.null(model$space)) {
    joint <- joint_time(model)
    time <- if (is.null(joint)) falls(model$time) else joint$falls(model$time, level)
    space <- effective_range(model$space, level)
    names(space) <- trimws(paste("in space", names(space)))
    value <- c(space, "in time" = time)
  } else {
    parts <- model_parts(model)
    turned <- vapply(parts, is_anisotropic, NA)
    if (length(parts) > 1L && any(turned)) return(numeric())
    value <- falls(model)
    if (turned[1L])
      value <- if (!is.null(model$scales)) stats::setNames(value * model$scales,
                                                           paste("along coordinate", seq_along(model$scales)))
               else c("along the major axis" = value, "across it" = value * model$ratio)
    else names(value) <- ""
  }
  value[is.finite(value)]
}

#' @rdname gpFit-methods
#' @export
print.summary.gpFit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  fit <- x$fit
  tested <- !is.null(x$r.squared) && !identical(rownames(x$coefficients), "(Intercept)") && nrow(x$coefficients) &&
    !is.na(x$r.squared)
  at <- trimws(paste(vapply(x$effective.range, format, "", digits = digits), names(x$effective.range)))
  print_summary(x, digits, ..., after = list(
    mean = if (tested) sprintf("\nPseudo R squared: %s", format(x$r.squared, digits = digits)),
    covariance = if (length(at)) sprintf("The correlation falls to 0.05 at distance %s", toString(at))))
  if (!is.null(fit$second)) cat(sprintf(
    "A second maximum of the likelihood is lower by %s: %s\n", format(fit$second$below, digits = 3), toString(paste(
      names(fit$second$estimates), vapply(fit$second$estimates, format, "", digits = digits)))))
  if (!is.null(likelihood_of(fit)$hold) && any(is.finite(x$covariance[["Std. Error"]])))
    cat("Limits of covariance parameters: confint(fit)\n")
  invisible(x)
}

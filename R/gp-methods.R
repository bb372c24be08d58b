# Methods of the class gpFit.

#' Methods for fits of Gaussian processes
#'
#' Methods of the generic functions of base R for the result of [gpFit()].
#'
#' `coef` and `vcov` are of the mean by default, with `type = "covariance"` of the parameters of the covariance:
#' its standard errors are from the inverse of the information matrix, `NA` for parameters that are fixed or on a
#' boundary. The estimates of mean and covariance are independent for many observations, and `type = "all"` has
#' zeros between.
#'
#' `logLik` counts the coefficients and the covariance parameters that were estimated, also those on a boundary.
#' For `"REML"` its number of observations, which [BIC()] uses, is less by the number of coefficients, as in package
#' \pkg{nlme}; `nobs` is not. `deviance` is minus twice the log likelihood, `sigma` the root of the sum of variances
#' and nuggets.
#'
#' `fitted` gives the mean by default, and with `type = "latent"` the kriging predictions of the field without nugget
#' and errors at the observations. For those of an observation by all others see [residuals.gpFit()].
#'
#' For a fit with a `family`, `fitted` gives the means of the responses at the mode of the process, or the linear
#' predictor, and `vcov` has the covariances between coefficients and covariance parameters; there is no pseudo R
#' squared and no `varcomp`. It is not printed where the mean is a constant.
#'
#' `anova` of several fits tests nested models by likelihood ratios; where the larger model has the smaller
#' likelihood, its search has missed the maximum, and a warning of class `statcl_warning_better_fit` says so. Fits
#' with different means must be by maximum likelihood: restricted likelihoods compare covariances alone. The
#' chi-squared distribution of the statistic holds for parameters inside their ranges: a test of `nugget = 0` by it
#' is conservative. Of one fit, `anova` tests each term of the mean by Wald's statistic, all other terms being in
#' the model.
#'
#' The pseudo R squared of `summary` and `varcomp` is 1 less the generalised residual sum of squares over that of an
#' intercept alone (of no mean, where the formula has no intercept), both with the covariance of the fit. `varcomp`
#' shares the rest among the variances and nuggets by their size, as `varcomp()` of package \pkg{spmodel} does.
#'
#' [update()], [formula()][stats::formula()], [terms()][stats::terms()], [AIC()], [BIC()], [drop1()][stats::drop1()]
#' and [step()][stats::step()] work too.
#'
#' @param object,x,formula,fit a fit by [gpFit()], or its summary.
#' @param type `"mean"`, `"covariance"` or `"all"`; for `fitted` `"mean"` or `"latent"`.
#' @param complete if `TRUE`, coefficients that could not be estimated are kept, as `NA`.
#' @param k penalty for each parameter.
#' @param scale not used.
#' @param digits number of significant digits.
#' @param ... further fits for `anova`, arguments of [stats::printCoefmat()] for `print`; else not used.
#' @return `coef`, `vcov`, `fitted`, `logLik`, `nobs`, `deviance`, `sigma`, `df.residual`, `model.frame` and
#'   `model.matrix` give what their names say; `extractAIC` the degrees of freedom and the criterion; `anova` a table
#'   of class `anova`; `varcomp` a data frame with the columns `component` and `proportion`; `summary` a list of class
#'   `summary.gpFit`, with the tables `coefficients` and `covariance`, `r.squared` and `effective.range` (the distance
#'   at which the correlation without nugget is 0.05) among others, which prints.
#' @name gpFit-methods
#' @seealso [gpFit()], [confint.gpFit()] for confidence limits, [residuals.gpFit()]
#' @examples
#' quakes <- subset(datasets::quakes, depth < 100)
#' model <- covModel("exponential", range = NA, nugget = NA, distance = "chordal")
#' fit <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat, cov = model)
#' summary(fit)
#' varcomp(fit)
#' anova(update(fit, fixed = list(nugget = 0.02)), fit)
NULL

# Names of the coefficients and of the covariance parameters, by position.
gp_part <- function(object, type) {
  k <- length(object$coefficients)
  all <- seq_len(k + nrow(object$parameters))
  switch(type, mean = all[all <= k], covariance = all[all > k], all)
}

gp_estimates <- function(object)
  c(object$coefficients, stats::setNames(object$parameters$estimate, rownames(object$parameters)))

#' @rdname gpFit-methods
#' @export
coef.gpFit <- function(object, type = c("mean", "covariance", "all"), complete = TRUE, ...) {
  check_extra(...)
  value <- gp_estimates(object)[gp_part(object, choice("type", type))]
  if (one_flag("complete", complete)) value else value[!is.na(value)]
}

#' @rdname gpFit-methods
#' @export
vcov.gpFit <- function(object, type = c("mean", "covariance", "all"), complete = TRUE, ...) {
  check_extra(...)
  part <- gp_part(object, choice("type", type))
  estimate <- gp_estimates(object)
  k <- length(object$coefficients)
  cov <- matrix(NA_real_, length(estimate), length(estimate), dimnames = list(names(estimate), names(estimate)))
  used <- k + match(rownames(object$vcov.cov), rownames(object$parameters))
  known <- c(which(!is.na(object$coefficients)), used)
  cov[known, known] <- 0
  cov[seq_len(k), seq_len(k)] <- object$vcov
  cov[used, used] <- object$vcov.cov
  if (!is.null(object$cross)) {
    mean <- which(!is.na(object$coefficients))
    cov[mean, used] <- object$cross
    cov[used, mean] <- t(object$cross)
  }
  if (!one_flag("complete", complete)) part <- part[!is.na(estimate[part])]
  cov[part, part, drop = FALSE]
}

# Standard errors of the coefficients and the covariance parameters.
gp_errors <- function(object) c(sqrt(diag(object$vcov)), object$parameters$std.error)

#' @rdname gpFit-methods
#' @export
nobs.gpFit <- function(object, ...) object$nobs

#' @rdname gpFit-methods
#' @export
logLik.gpFit <- function(object, ...)
  structure(object$loglik, df = object$df, nobs = object$nobs - if (object$estimator == "REML") object$rank else 0,
            nall = object$nobs, class = "logLik")

#' @rdname gpFit-methods
#' @importFrom stats deviance
#' @export
deviance.gpFit <- function(object, ...) -2 * object$loglik

#' @rdname gpFit-methods
#' @export
sigma.gpFit <- function(object, ...) sqrt(model_variance(object$cov))

#' @rdname gpFit-methods
#' @importFrom stats df.residual
#' @export
df.residual.gpFit <- function(object, ...) object$nobs - object$rank

#' @rdname gpFit-methods
#' @export
extractAIC.gpFit <- function(fit, scale = 0, k = 2, ...) {
  if (fit$estimator != "ML")
    input_error("fit$estimator", fit$estimator, "must be \"ML\": restricted likelihoods do not compare means")
  one_number("k", k, "")
  c(fit$df, as.double(k) * fit$df - 2 * fit$loglik)
}

#' @rdname gpFit-methods
#' @export
formula.gpFit <- function(x, ...) stats::formula(x$terms)

#' @rdname gpFit-methods
#' @export
model.frame.gpFit <- function(formula, ...) formula$model

#' @rdname gpFit-methods
#' @export
model.matrix.gpFit <- function(object, ...) object$X

#' @rdname gpFit-methods
#' @importFrom stats fitted
#' @export
fitted.gpFit <- function(object, type = c("mean", "latent"), ...) {
  check_extra(...)
  value <- object$fitted.values
  if (choice("type", type) == "latent")
    value[] <- likelihood_of(object)$predict(observed_places(object), FALSE, "none", 0.5, "latent")$fit
  stats::napredict(object$na.action, value)
}

#' @rdname gpFit-methods
#' @export
anova.gpFit <- function(object, ...) {
  fits <- list(object, ...)
  ours <- vapply(fits, inherits, NA, "gpFit")
  if (!all(ours)) input_error("...", class(fits[[which(!ours)[1L]]])[1L], "must be fits by gpFit()")
  if (length(fits) == 1L) return(gp_wald(object))
  same <- function(part) all(vapply(fits, function(f) isTRUE(all.equal(f[[part]], fits[[1L]][[part]],
                                                                       check.attributes = FALSE)), NA))
  if (!same("y") || !same("x") || !same("error.variance"))
    raise_engine_error("input", "the fits are not of the same observations")
  if (!same("method") || !same("m") || !same("block"))
    raise_engine_error("input", "the fits are by different approximations: method and m must be the same, and block")
  if (!same("family")) raise_engine_error("input", "the fits are of different families")
  if (!same("estimator")) raise_engine_error("input", "the fits are by different estimators, \"ML\" and \"REML\"")
  if (object$estimator == "REML" && !(same("X") && same("offset")))
    raise_engine_error("input", "restricted likelihoods of fits with different means are not comparable: use \"ML\"")
  ratio_table(fits, vapply(fits, function(f) as.double(f$df), 1), seq_along(fits),
              c(sprintf("%s ratio tests of Gaussian processes\n",
                        if (object$estimator == "REML") "Restricted likelihood" else "Likelihood"),
                paste0("Model ", seq_along(fits), ": ", vapply(fits, gp_label, ""), collapse = "\n")))
}

gp_label <- function(fit) {
  fixed <- fit$parameters[gp_notable(fit) & fit$parameters$fixed, ]
  rows <- gp_parameter_rows(fit)
  anisotropic <- any(rows$base == "ratio" & !(fit$parameters$fixed & rows$value == 1) | rows$base == "scales")
  paste0(paste(deparse(formula(fit)), collapse = " "), ", ", if (anisotropic) "anisotropic ", gp_family(fit),
         if (nzchar(family <- likelihood_of(fit)$text$family)) paste0(", ", family),
         if (nrow(fixed)) sprintf(" (%s)", toString(paste(rownames(fixed), "=", vapply(fixed$estimate, format, "",
                                                                                      digits = 4)))))
}

gp_family <- function(fit) paste(vapply(model_parts(fit$cov), `[[`, "", "name"), collapse = " + ")

# What the rows of `parameters` are.
gp_parameter_rows <- function(fit) likelihood_of(fit)$rows()

# Parameters that a user has thought of: those of a model without anisotropy are not, nor a range beside scales, nor
# more than one nugget.
gp_notable <- function(fit) {
  rows <- gp_parameter_rows(fit)
  isotropic <- rows$part %in% rows$part[rows$base == "ratio" & rows$value == 1]
  scaled <- rows$part %in% rows$part[rows$base == "scales"]
  !(fit$parameters$fixed & (rows$base %in% c("angle", "ratio") & isotropic | rows$parameter == "range" & scaled |
                              rows$base == "nugget" & rows$part > 1L & rows$value == 0))
}

# Terms of the mean, each after all others.
gp_wald <- function(fit) {
  assign <- attr(fit$X, "assign")
  keep <- !is.na(fit$coefficients)
  terms <- unique(assign[keep])
  tests <- vapply(terms, function(t) {
    at <- which(keep & assign == t)
    b <- fit$coefficients[at]
    c(length(at), sum(b * solve(fit$vcov[at, at], b)))
  }, c(0, 0))
  table <- data.frame(Df = as.integer(tests[1L, ]), Chisq = tests[2L, ],
                      "Pr(>Chisq)" = stats::pchisq(tests[2L, ], tests[1L, ], lower.tail = FALSE), check.names = FALSE,
                      row.names = c("(Intercept)", attr(fit$terms, "term.labels"))[terms + 1L])
  structure(table, class = c("anova", "data.frame"),
            heading = c("Wald tests of the terms of the mean\n",
                        paste0("Response: ", deparse(formula(fit)[[2L]])[1L], "\n")))
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
  if (is.null(object$coefficients)) input_error("object", "gpFit", "must be a fit by gpFit()")
  normal_only(object, "variance components")
  rows <- cov_parameters(model_parts(object$cov))
  rows <- rows[rows$parameter %in% c("variance", "nugget") & (rows$value > 0 | !object$parameters$fixed), ]
  covariates <- gp_r_squared(gp_whitened(object), object)
  data.frame(component = c("covariates (pseudo R squared)", rows$name),
             proportion = c(covariates, (1 - covariates) * rows$value / sum(rows$value)))
}

gp_r_squared <- function(w, fit) {
  if (is.null(w)) return(NA_real_)
  null <- if (attr(fit$terms, "intercept")) qr.resid(qr(w$X[, 1L]), w$y) else w$y
  if (ncol(w$X) == attr(fit$terms, "intercept")) return(0)
  1 - sum(w$z^2) / sum(null^2)
}

#' @rdname gpFit-methods
#' @export
print.gpFit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  cat(gp_title(x), "\n\nCall: ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  if (length(x$coefficients)) {
    cat("Coefficients of the mean:\n")
    print(format(x$coefficients, digits = digits), quote = FALSE)
  } else cat("Mean 0\n")
  cat("\nCovariance (", gp_family(x), "):\n", sep = "")
  shown <- x$parameters[gp_notable(x), ]
  print(stats::setNames(vapply(shown$estimate, format, "", digits = digits), rownames(shown)), quote = FALSE)
  cat(sprintf("\n%s %s (df = %d), %s observations\n", gp_likelihood_text(x), format_finely(x$loglik, digits),
              as.integer(x$df), format(x$nobs)))
  writeLines(gp_text(x))
  invisible(x)
}

gp_title <- function(fit) {
  text <- likelihood_of(fit)$text
  paste0("Gaussian process ", text$responses, "by ", if (fit$estimator == "REML") "restricted ", "maximum likelihood",
         text$approximation)
}

gp_likelihood_text <- function(fit) if (fit$estimator == "REML") "restricted log likelihood" else "log likelihood"

gp_text <- function(fit) {
  p <- fit$parameters[nzchar(fit$parameters$boundary), ]
  rows <- gp_parameter_rows(fit)
  rows <- rows[match(rownames(p), rows$name), ]
  end <- ifelse(p$boundary == "upper", rows$upper, rows$lower)
  at_end <- is.finite(end) & p$estimate == end
  ends <- ifelse(at_end, sprintf("%s is on its boundary %g.", rownames(p), end),
                 sprintf("%s is at the end of its search: %s values have the same likelihood.", rownames(p),
                         ifelse(p$boundary == "upper", "larger", "smaller")))
  variance <- gp_parameter_rows(fit)$parameter == "variance"
  none <- all(fit$parameters$estimate[variance] == 0) && any(nzchar(fit$parameters$boundary[variance]))
  as.character(c(ends, if (none) "No correlation was found: the other parameters of the process have no effect.",
    if (isTRUE(fit$interrupted)) "The search was interrupted: the estimates are the best so far."
    else if (!fit$converged) "The likelihood has not been maximised: try other values of start.",
    if (length(fit$na.action)) sprintf("(%s)", stats::naprint(fit$na.action))))
}

#' @rdname gpFit-methods
#' @export
summary.gpFit <- function(object, ...) {
  check_extra(...)
  keep <- which(!is.na(object$coefficients))
  estimate <- object$coefficients[keep]
  error <- sqrt(diag(object$vcov))[keep]
  z <- estimate / error
  p <- object$parameters
  lik <- likelihood_of(object)
  w <- gp_whitened(object)
  structure(list(
    call = object$call,
    coefficients = cbind(Estimate = estimate, "Std. Error" = error, "z value" = z,
                         "Pr(>|z|)" = 2 * stats::pnorm(-abs(z))),
    covariance = data.frame(Estimate = p$estimate, "Std. Error" = p$std.error,
                            Note = ifelse(p$fixed, "fixed", ifelse(nzchar(p$boundary), "on the boundary", "")),
                            row.names = rownames(p), check.names = FALSE)[gp_notable(object), ],
    family = gp_family(object),
    residuals = if (is.null(w)) lik$residuals[[lik$standard]]() else w$z,
    residuals.name = c(deviance = "Deviance residuals", standardized = "Standardized residuals")[[lik$standard]],
    r.squared = if (!is.null(w)) gp_r_squared(w, object),
    aliased = is.na(object$coefficients), loglik = logLik(object), aic = stats::AIC(object), bic = stats::BIC(object),
    nobs = object$nobs, estimator = object$estimator, distance = gp_distance_text(object),
    effective.range = effective_range(object$cov), converged = object$converged, iterations = object$iterations,
    evaluations = object$evaluations, text = gp_text(object), title = gp_title(object),
    likelihood = gp_likelihood_text(object)), class = "summary.gpFit")
}

gp_distance_text <- function(fit)
  paste0(distance_text[[fit$metric$kind]],
         if (fit$metric$kind != "euclidean") sprintf(" on a sphere of radius %g", fit$metric$radius))

# Distances at which the correlation, without nugget, falls to 0.05, by names that say in which direction; none where
# parts of a sum have axes of their own, or where it does not fall so low.
effective_range <- function(model, level = 0.05) {
  falls <- function(m) {
    d <- tryCatch(distance_at(m, level), error = function(e) NA_real_)
    if (isTRUE(d < longest_distance(m)) && model_variance(m) > model_nugget(m)) d else NA_real_
  }
  if (!is.null(model$space)) {
    time <- if (model$name == "separable") falls(model$time) else {
      power <- model$time$decay + model$time$interaction * model$time$dim / 2
      model$time$range * (level^(-1 / power) - 1)^(1 / (2 * model$time$shape))
    }
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
  cat(x$title, "\n\nCall: ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  cat(x$residuals.name, ":\n", sep = "")
  print(stats::setNames(stats::quantile(x$residuals, names = FALSE), c("Min", "1Q", "Median", "3Q", "Max")),
        digits = digits)
  gone <- sum(x$aliased)
  if (nrow(x$coefficients)) {
    cat("\nCoefficients of the mean",
        if (gone) sprintf(" (%d not defined because of dependent columns)", gone), ":\n", sep = "")
    stats::printCoefmat(x$coefficients, digits = digits, ...)
    if (!is.null(x$r.squared) && !identical(rownames(x$coefficients), "(Intercept)"))
      cat(sprintf("\nPseudo R squared: %s\n", format(x$r.squared, digits = digits)))
  } else cat("\nMean 0\n")
  cat("\nCovariance (", x$family, "), distance ", x$distance, ":\n", sep = "")
  table <- x$covariance
  error <- table[["Std. Error"]]
  shown <- data.frame(Estimate = format(table$Estimate, digits = digits),
                      "Std. Error" = ifelse(is.na(error), "", format(error, digits = max(digits - 1L, 2L))),
                      " " = table$Note, check.names = FALSE, row.names = rownames(table))
  print(if (any(nzchar(table$Note))) shown else shown[-3L], right = TRUE)
  if (length(x$effective.range)) {
    cat(sprintf("The correlation falls to 0.05 at distance %s\n", toString(trimws(
      paste(vapply(x$effective.range, format, "", digits = digits), names(x$effective.range))))))
  }
  shown <- function(value) format_finely(value, digits)
  cat(sprintf("\n%s %s (df = %d), AIC %s, BIC %s\n%s observations, %d steps of the search\n", x$likelihood,
              shown(c(x$loglik)), as.integer(attr(x$loglik, "df")), shown(x$aic), shown(x$bic), format(x$nobs),
              as.integer(x$iterations)))
  writeLines(x$text)
  if (!is.null(x$r.squared) && any(is.finite(error))) # a fit with a family has no profile
    cat("Limits of covariance parameters: confint(fit, method = \"profile\")\n")
  invisible(x)
}

# Methods of the class stableReg.

#' Methods for linear models with stable errors
#'
#' What base R offers for fitted models, for the result of [stableReg()].
#'
#' `anova` tests nested fits by likelihood ratios. With one fit the terms of its formula enter one after the other.
#' The chi-squared law of the statistic holds for parameters inside their ranges: a test of `alpha = 2` or
#' `|beta| = 1` by it is conservative.
#'
#' [update()], [formula()][stats::formula()], [terms()][stats::terms()], [weights()][stats::weights()],
#' [fitted()][stats::fitted()], [AIC()] and [BIC()] work too, and `tidy()`, `glance()` and `augment()` where package
#' generics or broom is loaded. Estimated parameters are counted as degrees of freedom; those that are fixed, aliased
#' coefficients, and `beta` where `alpha = 2`, are not.
#'
#' @param object,x,formula a fit by [stableReg()], or its summary.
#' @param which the parameters wanted: the coefficients of the linear model, the shape of the errors, or all.
#' @param complete if `TRUE`, coefficients that could not be estimated are kept, as `NA`.
#' @param parm names or numbers of the parameters wanted, of the coefficients and then the shape; by default all.
#' @param level confidence level, between 0 and 1.
#' @param type of residuals: `"response"`, observation less location; `"pit"`, the probability that the fitted law
#'   gives to values below the observation, which is uniform if the model is right; `"quantile"`, the same as a
#'   standard normal deviate.
#' @param nsim number of responses to simulate.
#' @param seed `NULL`, or what [set.seed()] takes.
#' @param digits number of significant digits.
#' @param data the data of the fit, with a row for each observation used (and those that `na.exclude` left out).
#' @param newdata data frame to predict for.
#' @param conf.int,conf.level should there be confidence limits, and at which level?
#' @param ... further fits for `anova`, arguments of [stats::printCoefmat()] for `print`; else not used.
#' @return `coef`, `vcov`, `confint`, `residuals`, `logLik`, `nobs`, `model.frame` and `model.matrix` give what their
#'   names say; `simulate` a data frame with a column for each response; `anova` a table of class `anova`;
#'   `summary` a list of class `summary.stableReg` with the tables `coefficients` and `shape`, which prints; `tidy`,
#'   `glance` and `augment` data frames.
#' @name stableReg-methods
#' @seealso [stableReg()], [predict.stableReg()]
#' @examples
#' fit <- stableReg(stack.loss ~ ., datasets::stackloss)
#' confint(fit, level = 0.9)
#' vcov(fit, which = "shape")
#' anova(fit)
#' anova(update(fit, . ~ . - Acid.Conc.), fit)
NULL

reg_part <- function(object, which, complete = TRUE) {
  k <- length(object$coefficients)
  switch(which, coefficients = seq_len(k), shape = k + 1:3, all = seq_len(k + 3L))
}

#' @rdname stableReg-methods
#' @export
coef.stableReg <- function(object, which = c("coefficients", "shape", "all"), complete = TRUE, ...) {
  part <- reg_part(object, match.arg(which))
  value <- c(object$coefficients, object$shape)[part]
  if (complete) value else value[!is.na(value)]
}

#' @rdname stableReg-methods
#' @export
vcov.stableReg <- function(object, which = c("coefficients", "shape", "all"), complete = TRUE, ...) {
  part <- reg_part(object, match.arg(which))
  if (!complete) part <- part[!is.na(c(object$coefficients, object$shape)[part])]
  object$vcov[part, part, drop = FALSE]
}

#' @rdname stableReg-methods
#' @export
nobs.stableReg <- function(object, ...) object$nobs

#' @rdname stableReg-methods
#' @export
logLik.stableReg <- function(object, ...)
  structure(object$loglik, df = object$df, nobs = object$nobs, class = "logLik")

#' @rdname stableReg-methods
#' @export
confint.stableReg <- function(object, parm, level = 0.95, ...) {
  check_level(level)
  estimate <- coef(object, "all")
  if (missing(parm)) parm <- seq_along(estimate)
  at <- which_parameters(parm, names(estimate), "parm")
  tail <- c(1 - level, 1 + level) / 2
  limits <- estimate + outer(sqrt(diag(object$vcov)), stats::qnorm(tail))
  dimnames(limits) <- list(names(estimate), percent(tail))
  limits[at, , drop = FALSE]
}

#' @rdname stableReg-methods
#' @export
residuals.stableReg <- function(object, type = c("response", "pit", "quantile"), ...) {
  type <- match.arg(type)
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
#' @importFrom stats formula
#' @export
formula.stableReg <- function(x, ...) stats::formula(x$terms)

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
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) stats::runif(1)
  before <- state <- get(".Random.seed", envir = globalenv())
  if (!is.null(seed)) {
    on.exit(assign(".Random.seed", before, envir = globalenv()))
    set.seed(seed)
    state <- structure(seed, kind = as.list(RNGkind()))
  }
  location <- stats::fitted(object)
  errors <- do.call(rstable, c(list(length(location) * nsim), as.list(object$shape)))
  value <- as.data.frame(matrix(location + errors, ncol = nsim, dimnames = list(NULL, paste0("sim_", seq_len(nsim)))))
  attr(value, "row.names") <- if (is.null(names(location))) seq_along(location) else names(location)
  structure(value, seed = state)
}

#' Predictions of linear models with stable errors
#'
#' Location, mean or quantiles of the response, with standard errors, confidence and prediction limits.
#'
#' Standard errors are those of the delta method with the covariance of all parameters. Prediction limits are
#' quantiles of the law of a new observation at the estimates, each with half of the probability `1 - level` beyond;
#' that the estimates are uncertain does not widen them.
#'
#' @param object a fit by [stableReg()].
#' @param newdata data frame with the variables of the model; by default the data of the fit.
#' @param type `"location"`, the linear predictor; `"mean"`, which is `NaN` with a warning for `alpha <= 1`; or
#'   `"quantile"`.
#' @param p probability of the quantile.
#' @param se.fit if `TRUE`, standard errors are computed too.
#' @param interval kind of limits: of the quantity predicted, or of a new observation.
#' @param level probability between the limits.
#' @param na.action what to do about missing values in `newdata`.
#' @param ... not used.
#' @return As [predict.lm()]: a vector, or a matrix with columns `fit`, `lwr` and `upr`, or if `se.fit` a list of
#'   that, `fit`, of `se.fit` and of `residual.scale`, which is `gamma`.
#' @seealso [stableReg()], [esstable()] for expected shortfall
#' @examples
#' returns <- as.data.frame(diff(log(datasets::EuStockMarkets)) * 100)
#' fit <- stableReg(CAC ~ DAX, returns)
#' days <- data.frame(DAX = c(-3, 0, 3))
#' predict(fit, days, interval = "prediction", level = 0.99)
#' predict(fit, days, type = "quantile", p = 0.01, se.fit = TRUE) # conditional value at risk
#' @importFrom stats predict
#' @export
predict.stableReg <- function(object, newdata, type = c("location", "mean", "quantile"), p = 0.5, se.fit = FALSE,
                              interval = c("none", "confidence", "prediction"), level = 0.95,
                              na.action = stats::na.pass, ...) {
  type <- match.arg(type)
  interval <- match.arg(interval)
  check_level(level)
  if (!is.numeric(p) || length(p) != 1L || is.na(p) || p < 0 || p > 1) input_error("p", p, "must be a probability")
  if (missing(newdata) || is.null(newdata)) {
    x <- model.matrix(object)
    location <- object$fitted.values
    omitted <- object$na.action
  } else {
    terms <- stats::delete.response(object$terms)
    frame <- model.frame(terms, newdata, na.action = na.action, xlev = object$xlevels)
    classes <- attr(terms, "dataClasses")
    if (!is.null(classes)) stats::.checkMFClasses(classes, frame)
    x <- model.matrix(terms, frame, contrasts.arg = object$contrasts)
    b <- object$coefficients
    if (anyNA(b)) warning("prediction from a rank-deficient fit may be misleading")
    offset <- reg_new_offset(object, terms, frame, newdata)
    location <- drop(x[, !is.na(b), drop = FALSE] %*% b[!is.na(b)]) + offset
    omitted <- attr(frame, "na.action")
  }
  shape <- object$shape
  shift <- reg_shift(shape, type, p)
  if (is.nan(shift)) warning("there is no mean: alpha <= 1")
  value <- location + shift
  if (se.fit || interval == "confidence") error <- reg_error(object, x, type, p)
  if (interval != "none") {
    tail <- c(1 - level, 1 + level) / 2
    limits <- if (interval == "confidence") value + outer(error, stats::qnorm(tail))
              else outer(location, do.call(qstable, c(list(tail), as.list(shape))), `+`)
    value <- cbind(fit = value, lwr = limits[, 1L], upr = limits[, 2L])
  }
  value <- stats::napredict(omitted, value)
  if (!se.fit) return(value)
  list(fit = value, se.fit = stats::napredict(omitted, error), residual.scale = shape[["gamma"]])
}

# The offsets of new data: the argument's, evaluated there, and those of the formula.
reg_new_offset <- function(object, terms, frame, newdata) {
  total <- numeric(nrow(frame))
  for (i in attr(terms, "offset"))
    total <- total + eval(attr(terms, "variables")[[i + 1L]], newdata, environment(terms))
  if (!is.null(object$call$offset)) total <- total + eval(object$call$offset, newdata, environment(terms))
  total
}

# What is added to the location.
reg_shift <- function(shape, type, p)
  switch(type, location = 0,
         mean = if (shape[["alpha"]] == 2) 0
                else if (shape[["alpha"]] > 1) -shape[["gamma"]] * shape[["beta"]] * tan(pi / 2 * shape[["alpha"]])
                else NaN,
         quantile = do.call(qstable, c(list(p), as.list(shape))))

# Standard errors by the delta method; the derivatives of quantiles are differences.
reg_error <- function(object, x, type, p) {
  keep <- !is.na(object$coefficients)
  k <- length(keep)
  free <- if (type == "location") integer() else which(reg_estimated(object)[k + 1:3])
  slope <- reg_shift_slope(object$shape, type, p, free)
  place <- c(which(keep), k + free)
  slopes <- cbind(x[, keep, drop = FALSE], matrix(slope, nrow(x), length(free), byrow = TRUE))
  sqrt(rowSums((slopes %*% object$vcov[place, place, drop = FALSE]) * slopes))
}

reg_shift_slope <- function(shape, type, p, free) {
  if (type == "mean" && shape[["alpha"]] < 2) {
    t <- tan(pi / 2 * shape[["alpha"]])
    beta <- shape[["beta"]]
    return(-c(shape[["gamma"]] * beta * pi / 2 * (1 + t^2), shape[["gamma"]] * t, beta * t)[free])
  }
  step <- c(min(1e-4, (2 - shape[["alpha"]]) / 2), min(1e-4, (1 - abs(shape[["beta"]])) / 2), 1e-4 * shape[["gamma"]])
  vapply(free, function(j) {
    at <- function(side) reg_shift(replace(shape, j, shape[[j]] + side * step[j]), type, p)
    (at(1) - at(-1)) / (2 * step[j])
  }, numeric(1))
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
  loglik <- vapply(fits, function(f) f$loglik, 1)
  df <- vapply(fits, function(f) as.double(f$df), 1)
  title <- "Likelihood ratio tests of linear models with stable errors\n"
  heading <- if (length(others)) c(title, paste0("Model ", seq_along(fits), ": ", labels, collapse = "\n"))
             else c(title, paste0("Terms added first to last, response: ", deparse(formula(object)[[2L]])[1L], "\n"))
  ratio_table(loglik, df, if (length(others)) seq_along(fits) else labels, heading)
}

reg_label <- function(fit) {
  known <- fit$shape[fit$fixed]
  paste0(paste(deparse(formula(fit)), collapse = " "),
         if (length(known)) sprintf(" (%s)", toString(paste(names(known), "=", format(known, digits = 4)))))
}

# Fits of the first terms of the formula, from none to all.
reg_sequence <- function(object) {
  frame <- model.frame(object)
  x <- model.matrix(object)
  assign <- attr(x, "assign")
  fixed <- object$shape[object$fixed]
  lapply(0:length(attr(object$terms, "term.labels")), function(k) {
    if (k == max(assign, 0)) return(object)
    fit <- reg_fit(x[, assign <= k, drop = FALSE], model.response(frame), object$weights, object$offset, fixed, NULL)
    if (!fit$converged) warning(reg_trouble(fit))
    fit
  })
}

#' @rdname stableReg-methods
#' @export
print.stableReg <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Linear model with stable errors\n\nCall: ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  if (length(x$coefficients)) {
    cat("Coefficients:\n")
    print(format(x$coefficients, digits = digits), quote = FALSE)
  } else cat("No coefficients\n")
  cat("\nErrors:\n")
  print(format(x$shape, digits = digits), quote = FALSE)
  cat(sprintf("\nlog likelihood %s (df = %d), %s observations\n", format(x$loglik, digits = digits + 3L),
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
  error <- sqrt(diag(object$vcov))
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
  shown <- function(value) format(value, digits = digits + 3L)
  cat(sprintf("\nlog likelihood %s (df = %d), AIC %s, BIC %s\n%s observations, %d Newton steps\n",
              shown(c(x$loglik)), as.integer(attr(x$loglik, "df")), shown(x$aic), shown(x$bic), format(x$nobs),
              x$iterations))
  writeLines(x$text)
  invisible(x)
}

#' Plots of linear models with stable errors
#'
#' Residuals against fitted locations, and two views of how well the law of the errors fits.
#'
#' @param x a fit by [stableReg()].
#' @param which the plots wanted, any of `"residuals"`, `"qq"`, quantiles of the residuals against those of the fitted
#'   law, and `"pp"`, probabilities against each other.
#' @param log if `TRUE`, residuals and quantiles are shown as `asinh(residual/gamma)`, which keeps the centre and
#'   makes the tails logarithmic.
#' @param ask if `TRUE`, ask before each plot.
#' @param ... further graphical parameters, such as `main` or `col`, for the first call of each plot.
#' @return `x`, invisibly. Dotted lines in the first plot hold 95 % of the law, those in the others 95 % of the
#'   points of a sample from it, each taken alone.
#' @examples
#' returns <- as.data.frame(diff(log(datasets::EuStockMarkets)) * 100)
#' fit <- stableReg(CAC ~ DAX, returns)
#' plot(fit, "qq", log = TRUE)
#' @importFrom graphics plot
#' @export
plot.stableReg <- function(x, which = c("residuals", "qq", "pp"), log = FALSE,
                           ask = length(which) > 1L && grDevices::dev.interactive(), ...) {
  which <- match.arg(which, several.ok = TRUE)
  if (ask) {
    old <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(old))
  }
  use <- if (is.null(x$weights)) rep(TRUE, length(x$residuals)) else x$weights > 0
  rest <- x$residuals[use]
  weights <- if (is.null(x$weights)) rep(1, length(rest)) else x$weights[use]
  scale <- function(v) if (log) asinh(v / x$shape[["gamma"]]) else v
  label <- function(text) if (log) paste0(text, ", asinh") else text
  quantiles <- function(p) scale(do.call(qstable, c(list(p), as.list(x$shape))))
  o <- order(rest)
  rank <- (cumsum(weights[o]) - weights[o] / 2) / sum(weights)
  ends <- function(tail) stats::qbeta(tail, sum(weights) * rank + 0.5, sum(weights) * (1 - rank) + 0.5)
  first <- function(...) {
    given <- list(...)
    defaults <- list(pch = 16, cex = 0.6, col = "#2166ac", las = 1)
    do.call(graphics::plot.default, c(given, defaults[!names(defaults) %in% names(given)]))
  }
  views <- list(
    residuals = function(xlab = "fitted location", ylab = label("residuals"), main = "Residuals", ...) {
      first(x = x$fitted.values[use], y = scale(rest), xlab = xlab, ylab = ylab, main = main, ...)
      graphics::abline(h = 0, col = "grey45")
      graphics::abline(h = quantiles(c(0.025, 0.975)), col = "grey45", lty = 3)
    },
    qq = function(xlab = label("quantiles of the law"), ylab = label("residuals"), main = "Quantiles", ...) {
      theory <- quantiles(rank)
      first(x = theory, y = scale(rest[o]), xlab = xlab, ylab = ylab, main = main, ...)
      graphics::abline(0, 1, col = "grey45")
      for (tail in c(0.025, 0.975)) graphics::lines(theory, quantiles(ends(tail)), col = "grey45", lty = 3)
    },
    pp = function(xlab = "probabilities of the sample", ylab = "probabilities of the fitted law",
                  main = "Probabilities", ...) {
      fitted <- do.call(pstable, c(list(rest[o]), as.list(x$shape)))
      first(x = rank, y = fitted, xlab = xlab, ylab = ylab, main = main, ...)
      graphics::abline(0, 1, col = "grey45")
      for (tail in c(0.025, 0.975)) graphics::lines(rank, ends(tail), col = "grey45", lty = 3)
    })
  for (view in which) views[[view]](...)
  invisible(x)
}

# ---- for the generics of broom ----

#' @rdname stableReg-methods
#' @exportS3Method generics::tidy
tidy.stableReg <- function(x, which = c("all", "coefficients", "shape"), conf.int = FALSE, conf.level = 0.95, ...) {
  part <- reg_part(x, match.arg(which))
  estimate <- coef(x, "all")
  error <- sqrt(diag(x$vcov))
  shape <- seq_along(estimate) > length(x$coefficients)
  z <- ifelse(shape, NA, estimate / error) # no null hypothesis about the shape
  value <- data.frame(term = names(estimate), component = ifelse(shape, "shape", "coefficients"), estimate = estimate,
                      std.error = error, statistic = z, p.value = 2 * stats::pnorm(-abs(z)))
  if (conf.int) {
    limits <- confint(x, level = conf.level)
    value$conf.low <- limits[, 1L]
    value$conf.high <- limits[, 2L]
  }
  value <- value[part, ]
  rownames(value) <- NULL
  value
}

#' @rdname stableReg-methods
#' @exportS3Method generics::glance
glance.stableReg <- function(x, ...)
  data.frame(alpha = x$shape[["alpha"]], beta = x$shape[["beta"]], gamma = x$shape[["gamma"]], logLik = x$loglik,
             AIC = stats::AIC(x), BIC = stats::BIC(x), df = x$df, df.residual = x$df.residual, nobs = x$nobs,
             converged = x$converged)

#' @rdname stableReg-methods
#' @exportS3Method generics::augment
augment.stableReg <- function(x, data = model.frame(x), newdata = NULL, ...) {
  if (!is.null(newdata)) return(cbind(as.data.frame(newdata), .fitted = predict(x, newdata)))
  data <- as.data.frame(data)
  padded <- nrow(data) != length(x$residuals)
  column <- function(value) if (padded) stats::naresid(x$na.action, value) else value
  if (length(column(x$residuals)) != nrow(data))
    input_error("data", nrow(data), "must have a row for each observation of the fit")
  bare <- x
  bare$na.action <- NULL
  cbind(data, .fitted = unname(column(x$fitted.values)), .resid = unname(column(x$residuals)),
        .quantile.resid = unname(column(residuals(bare, "quantile"))))
}

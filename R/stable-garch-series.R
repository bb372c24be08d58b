# Methods of the class stableGarchs, fits of many series.

garchs_fitted <- function(x) which(!vapply(unclass(x), is.null, NA))

# A value of each fit, NA where there is none.
garchs_each <- function(x, f, like = 1) stats::setNames(vapply(unclass(x), function(fit)
  if (is.null(fit)) like[NA_integer_] else f(fit), like), names(x))

#' @rdname stableGarch-methods
#' @export
`[.stableGarchs` <- function(x, i) {
  if (missing(i)) return(x)
  if (!is.atomic(i)) input_error("i", i, "must be names or numbers of series")
  at <- stats::setNames(seq_along(x), names(x))[i]
  if (anyNA(at)) input_error("i", i, "must be names or numbers of series")
  part <- attr(x, "call")
  part$x <- switch(attr(x, "kind"), list = call("[", part$x, unname(at)),
                   columns = call("[", part$x, quote(expr = ), unname(at), drop = FALSE))
  structure(unclass(x)[at], names = names(x)[at], message = attr(x, "message")[at], call = part,
            kind = attr(x, "kind"), class = "stableGarchs")
}

#' @rdname stableGarch-methods
#' @importFrom stats getCall
#' @export
getCall.stableGarchs <- function(x, ...) attr(x, "call")

#' @rdname stableGarch-methods
#' @export
coef.stableGarchs <- function(object, ...) {
  known <- garchs_fitted(object)
  if (!length(known)) raise_engine_error("input", "no series was fitted")
  names <- names(object[[known[1L]]]$coefficients)
  value <- t(vapply(unclass(object), function(fit)
    if (is.null(fit)) rep(NA_real_, length(names)) else unname(fit$coefficients), numeric(length(names))))
  dimnames(value) <- list(garchs_labels(object), names)
  value
}

#' @rdname stableGarch-methods
#' @export
logLik.stableGarchs <- function(object, ...) garchs_each(object, function(fit) fit$loglik)

# What f makes of the fit of each series; NULL where there is none.
garchs_list <- function(x, f, ...)
  stats::setNames(lapply(unclass(x), function(fit) if (!is.null(fit)) f(fit, ...)), names(x))

# Matrices of the same shape for each series, the last dimension; NA where there is no fit.
garchs_array <- function(x, f) {
  known <- garchs_fitted(x)
  if (!length(known)) raise_engine_error("input", "no series was fitted")
  first <- f(x[[known[1L]]])
  value <- array(NA_real_, c(dim(first), length(x)), c(dimnames(first), list(garchs_labels(x))))
  for (i in known) value[, , i] <- f(x[[i]])
  value
}

#' @rdname stableGarch-methods
#' @export
vcov.stableGarchs <- function(object, component = "all", type = c("information", "sandwich"), ...) {
  check_extra(...)
  garchs_array(object, function(fit) vcov.stableGarch(fit, component, type = type))
}

#' @rdname stableGarch-methods
#' @export
confint.stableGarchs <- function(object, parm, level = 0.95, method = c("default", "transformed", "wald"), ...) {
  refuse_extra("confint.stableGarchs", ...)
  method <- choice("method", method)
  if (missing(parm)) parm <- colnames(coef(object))
  aperm(garchs_array(object, function(fit) confint.statclFit(fit, parm, level, method)), c(3L, 2L, 1L))
}

#' @rdname stableGarch-methods
#' @importFrom stats nobs
#' @export
nobs.stableGarchs <- function(object, ...) garchs_each(object, function(fit) as.double(fit$nobs))

#' @rdname stableGarch-methods
#' @export
residuals.stableGarchs <- function(object, type = c("standardised", "response", "pit", "quantile"), ...) {
  check_extra(...)
  garchs_list(object, residuals.stableGarch, choice("type", type))
}

#' @rdname stableGarch-methods
#' @export
fitted.stableGarchs <- function(object, ...) garchs_list(object, fitted.stableGarch)

#' @rdname stableGarch-methods
#' @export
sigma.stableGarchs <- function(object, ...) garchs_list(object, sigma.stableGarch)

#' @rdname stableGarch-methods
#' @export
simulate.stableGarchs <- function(object, nsim = 1, seed = NULL, ...) {
  check_extra(...)
  with_seed(seed, garchs_list(object, simulate.stableGarch, nsim))
}

#' @rdname stableGarch-methods
#' @export
summary.stableGarchs <- function(object, ...) {
  check_extra(...)
  table <- garchs_array(object, function(fit)
    cbind(Estimate = fit$coefficients, "Std. Error" = fit$parameters$std.error))
  message <- stats::setNames(attr(object, "message"), garchs_labels(object))
  structure(list(coefficients = aperm(table, c(3L, 2L, 1L)), loglik = logLik(object), nobs = nobs(object),
                 persistence = garchs_each(object, function(fit) fit$persistence),
                 converged = garchs_each(object, function(fit) fit$converged, NA),
                 title = garch_title(object[[garchs_fitted(object)[1L]]]), message = message[nzchar(message)]),
            class = "summary.stableGarchs")
}

#' @rdname stableGarch-methods
#' @export
print.summary.stableGarchs <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  series <- dimnames(x$coefficients)[[1L]]
  fitted <- !is.na(x$loglik)
  cat(sprintf("%s: %d of %d series fitted\n", x$title, sum(fitted), length(series)))
  for (i in which(fitted)) {
    cat(sprintf("\n%s: log likelihood %s, %s, persistence %s%s\n", series[i], format_finely(x$loglik[[i]], digits),
                count_text(x$nobs[[i]], "time"), format(x$persistence[[i]], digits = digits),
                if (x$converged[[i]]) "" else ", not maximised"))
    print(matrix(x$coefficients[i, , ], 2L, dimnames = dimnames(x$coefficients)[-1L]), digits = digits)
  }
  if (length(x$message)) cat("\n", sprintf("%s: %s\n", names(x$message), x$message), sep = "")
  invisible(x)
}

#' @rdname stableGarch-methods
#' @importFrom stats AIC BIC
#' @export
AIC.stableGarchs <- function(object, ..., k = 2) {
  one_number("k", k, "")
  garchs_criterion(list(object, ...), substitute(list(object, ...)), function(fit) stats::AIC(fit, k = k))
}

#' @rdname stableGarch-methods
#' @export
BIC.stableGarchs <- function(object, ...)
  garchs_criterion(list(object, ...), substitute(list(object, ...)), stats::BIC)

garchs_alike <- function(batches) {
  ours <- vapply(batches, inherits, NA, "stableGarchs")
  if (!all(ours))
    input_error("...", class(batches[[which(!ours)[1L]]])[1L], "must be fits of many series by stableGarch()")
  if (!all(lengths(batches) == length(batches[[1L]])))
    raise_engine_error("input", "the fits are not of equally many series")
}

# f of each fit: a column for each of several batches.
garchs_columns <- function(batches, f)
  matrix(vapply(batches, function(b) unname(garchs_each(b, f)), numeric(length(batches[[1L]]))),
         ncol = length(batches))

# A vector for one batch, a matrix with a column for each of several.
garchs_criterion <- function(batches, call, f) {
  garchs_alike(batches)
  value <- garchs_columns(batches, f)
  if (length(batches) == 1L) return(stats::setNames(value[, 1L], names(batches[[1L]])))
  dimnames(value) <- list(garchs_labels(batches[[1L]]), vapply(as.list(call)[-1L], function(e) deparse(e)[1L], ""))
  value
}

#' @rdname stableGarch-methods
#' @export
extractAIC.stableGarchs <- function(fit, scale = 0, k = 2, ...) {
  one_number("k", k, "")
  df <- garchs_each(fit, function(one) as.double(one$df))
  cbind(df = df, AIC = as.double(k) * df - 2 * logLik(fit))
}

#' @rdname stableGarch-methods
#' @export
deviance.stableGarchs <- function(object, ...) -2 * logLik(object)

#' @rdname stableGarch-methods
#' @export
df.residual.stableGarchs <- function(object, ...) nobs(object) - garchs_each(object, function(fit) as.double(fit$df))

#' @rdname stableGarch-methods
#' @export
anova.stableGarchs <- function(object, ..., test = "Chisq") {
  choice("test", test, "Chisq")
  batches <- list(object, ...)
  garchs_alike(batches)
  if (length(batches) == 1L) raise_engine_error("input", "anova needs two or more fits of the series")
  for (i in seq_along(object)) {
    fits <- lapply(batches, `[[`, i)
    fits <- fits[lengths(fits) > 0L]
    if (length(fits) > 1L) check_comparable(fits[[1L]], fits)
  }
  labels <- lapply(batches, function(b) b[[c(garchs_fitted(b), 1L)[1L]]])
  if (any(lengths(labels) == 0L)) raise_engine_error("input", "no series was fitted")
  series_tests(garchs_columns(batches, function(fit) as.double(fit$dimension)),
               garchs_columns(batches, function(fit) fit$loglik), garchs_labels(object),
               model_heading("Likelihood ratio tests of volatility", labels), "more starts")
}

#' @rdname stableGarch-methods
#' @export
as.data.frame.stableGarchs <- function(x, row.names = NULL, optional = FALSE, ...) {
  value <- coef(x)
  error <- t(vapply(unclass(x), function(fit)
    if (is.null(fit)) rep(NA_real_, ncol(value)) else fit$parameters$std.error, numeric(ncol(value))))
  colnames(error) <- paste0("std.error.", colnames(value))
  table <- data.frame(value, error, persistence = garchs_each(x, function(fit) fit$persistence), loglik = logLik(x),
                      nobs = nobs(x),
                      converged = garchs_each(x, function(fit) fit$converged, NA), message = attr(x, "message"),
                      check.names = FALSE, row.names = garchs_labels(x))
  name_rows(table, row.names)
}

#' @rdname stableGarch-methods
#' @export
print.stableGarchs <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  known <- garchs_fitted(x)
  cat(sprintf("%s by stableGarch()", count_text(length(x), "fit")),
      if (length(known)) sprintf(": %s", garch_title(x[[known[1L]]])), "\n\n", sep = "")
  if (length(known)) {
    shown <- cbind(coef(x), persistence = garchs_each(x, function(fit) fit$persistence), loglik = logLik(x))
    print(shown, digits = print_digits(digits))
  }
  message <- attr(x, "message")
  for (i in which(nzchar(message))) cat(sprintf("%s: %s\n", garchs_labels(x)[i], message[i]))
  invisible(x)
}

# Rows of a table for each fit, after a column that tells which.
garchs_rows <- function(x, f) {
  known <- garchs_fitted(x)
  tables <- lapply(known, function(i) {
    table <- f(x[[i]])
    data.frame(series = rep(if (is.null(names(x))) i else names(x)[i], nrow(table)), table, check.names = FALSE)
  })
  value <- do.call(rbind, tables)
  rownames(value) <- NULL
  value
}

#' @rdname stableGarch-methods
#' @exportS3Method generics::tidy
tidy.stableGarchs <- function(x, ...) garchs_rows(x, function(fit) tidy.statclFit(fit, ...))

#' @rdname stableGarch-methods
#' @exportS3Method generics::glance
glance.stableGarchs <- function(x, ...) garchs_rows(x, glance.stableGarch)

#' @rdname stableGarch-methods
#' @exportS3Method generics::augment
augment.stableGarchs <- function(x, ...) {
  check_extra(...)
  garchs_rows(x, augment.stableGarch)
}

# The name among `known` of the one series that is to be drawn.
drawn_series <- function(series, known) {
  one <- is.atomic(series) && length(series) == 1L && !is.factor(series)
  chosen <- if (one && is.numeric(series)) known[match(series, seq_along(known))] else series
  if (!one || !chosen %in% known) input_error("series", series, paste("must be one of", toString(known, 60L)))
  chosen
}

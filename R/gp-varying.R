# Coefficients that are processes themselves: with covariates x_k, of which the first is 1, the linear predictor is
# offset + X beta + sum_k x_k w_k + Z u with independent processes w_k. The model is a sum, a part or more for each
# process. All have the order and the neighbours of the first one; in joint vectors (R/gp-joint.R) the values of a
# location are one after the other.

# ---- what gpFit() is asked for ----

# `varying` as a formula, or a list of models by the names of covariates.
asked_varying <- function(varying, cov, family, env) {
  if (is.null(varying)) return(NULL)
  if (is.null(cov)) input_error("varying", deparse1(varying), "needs a process: cov must not be NULL")
  if (inherits(varying, "formula")) {
    if (length(varying) != 2L)
      input_error("varying", deparse1(varying), "must be a formula without a left side, as ~ x")
    if (!is.null(random_term(varying[[2L]])))
      input_error("varying", deparse1(varying), "must have no grouped effects: these are terms of the formula")
    return(list(formula = varying, models = NULL))
  }
  if (!is.list(varying) || !length(varying) || is.null(names(varying)) || !all(nzchar(names(varying))))
    input_error("varying", class(varying)[1L],
                "must be a formula as ~ x, or a list of models by the names of covariates, as list(x = \"matern\")")
  list(formula = stats::as.formula(paste("~", paste(names(varying), collapse = " + ")), env), models = varying)
}

# The columns of covariates of all rows, without a constant, which the process itself has.
varying_columns <- function(formula, data, xlevels = NULL) {
  frame <- model_variables(formula, data, stats::model.frame(formula, data, na.action = stats::na.pass,
                                                             xlev = xlevels), "varying")
  seen <- attr(frame, "terms") # poly() and scale() keep in them what they have of the data
  x <- stats::model.matrix(seen, plain_numbers(frame))
  assign <- attr(x, "assign")
  x <- x[, assign > 0L, drop = FALSE]
  if (!ncol(x)) input_error("varying", deparse1(formula), "has no covariate")
  list(x = x, terms = seen, xlevels = stats::.getXlevels(seen, frame))
}

# The sum of the model and one for each column, `of` which process each part is.
varying_model <- function(model, cov, columns, models, nugget) {
  parts <- lapply(columns, function(name) fit_model(if (is.null(models)) cov else models[[name]], nugget))
  if (!is.null(models) && !all(columns %in% names(models)))
    input_error("varying", toString(names(models)), "must be names of numeric covariates")
  all <- c(list(model), parts)
  list(model = Reduce(`+`, all), of = rep(seq_along(all), vapply(all, function(m) length(model_parts(m)), 0L)))
}

# What a fit keeps, with the columns of the rows that are left.
known_varying <- function(varying, columns) if (!is.null(varying)) {
  bad <- which(!is.finite(columns), arr.ind = TRUE)
  if (nrow(bad)) input_error("varying", colnames(columns)[bad[1L, 2L]], "must be finite in all cases")
  same <- apply(columns, 2L, function(v) all(v == v[1L]))
  if (any(same)) input_error("varying", colnames(columns)[same][1L], paste(
    "is the same in all cases: of a constant the coefficient is the process itself"))
  list(formula = varying$formula, terms = varying$columns$terms, of = varying$of, xlevels = varying$columns$xlevels,
       names = colnames(columns), size = c(1, unname(colMeans(columns^2))), value = unname(cbind(1, columns)))
}

# A nugget would be an effect of each observation, as (1 | row) is.
check_varying <- function(fit, nugget) if (!is.null(fit$varying) && !nugget$zero)
  input_error("nugget", NA, paste("is not for fits with varying coefficients: a term (1 | row) of the formula, with",
                                  "a factor of all rows, is the same effect"))

new_varying <- function(varying, frame)
  replace(varying, "value", list(unname(cbind(1, varying_columns(varying$terms, frame, varying$xlevels)$x))))

check_coefficient <- function(object, coefficient) {
  if (!is.character(coefficient) || length(coefficient) != 1L || !coefficient %in% object$varying$names)
    input_error("coefficient", coefficient, if (is.null(object$varying))
      "is for fits with coefficients that vary, see varying of gpFit()"
      else paste("must be one of those that vary:", toString(object$varying$names)))
}

# Places where the linear predictor is this coefficient alone.
at_coefficient <- function(new, object, coefficient) {
  n <- nrow(new$xy)
  names <- names(object$coefficients)[is_known(object)]
  new$X <- matrix(rep(as.double(names == coefficient), each = n), n)
  new$offset <- numeric(n)
  if (!is.null(object$groups)) new$groups <- no_groups(n)
  new$varying <- replace(object$varying, "value", list(
    matrix(rep(as.double(c("", object$varying$names) == coefficient), each = n), n)))
  new
}

# ---- processes of a problem ----

count_processes <- function(p) if (is.null(p$of)) 1L else max(p$of)

# The problem of each process, which has its parts of the sum.
process_problem <- function(p, k) {
  if (is.null(p$of)) return(p)
  parts <- p$parts[p$of == k]
  p$of <- NULL
  p$unit <- p$unit / sqrt(p$size[k]) # of the process, by that of what its covariate makes of it
  gp_at(p, with_distance(if (length(parts) > 1L) sum_model(parts, 0) else structure(parts[[1L]], class = "covModel"),
                         p$metric$kind))
}

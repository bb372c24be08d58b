# What observations have besides a response, a number of trials and a row of covariates: `cases`, a list of those
# parts that there are, vectors with an element or matrices with a row for each observation, or NULL.
#   weights: prior weights, by which the log density of an observation is multiplied
#   zero: covariates of the logit of the probability of a zero
#   from, to: the ends between which a response is, both the response itself where that is observed

# What a fit has beside responses, mean and process: parts with vectors and matrices that have a row for each
# observation, and the approximation of the integral.
beside_of <- function(fit) fit[intersect(c("groups", "by", "varying", "cases", "approximation"), names(fit))]

# Some rows of one of these parts, of a fit or of new places.
rows_beside <- function(part, at) {
  if (!is.list(part)) return(part)
  own <- intersect(c("index", "value", "label", "code", "weights", "zero", "from", "to"), names(part))
  part[own] <- lapply(part[own], function(rows) if (is.matrix(rows)) rows[at, , drop = FALSE] else rows[at])
  part
}

# Of a fit, what log densities of its observations take; the data l of a likelihood has the same names.
observed_cases <- function(fit) list(family = fit$family, y = responses_of(fit), trials = unname(fit$trials),
                                     cases = fit$cases)

cases_at <- function(l, at) list(family = l$family, y = l$y[at], trials = l$trials[at],
                                 cases = rows_beside(l$cases, at))

# Log densities of observations with derivatives, as family_terms() has them, times their weights.
case_terms <- function(l, eta, own = NULL, by = FALSE) {
  at <- own_at(own, l$cases$zero)
  found <- if (is.null(l$cases$from)) family_terms(l$family, l$y, l$trials, eta, at, by)
           else interval_terms(l, eta, at, by)
  if (by && !is.null(l$cases$zero)) found$by <- zero_slopes(found$by, own, l$cases$zero)
  times_weights(found, l$cases$weights)
}

# These log densities alone.
case_values <- function(l, eta, own) {
  value <- family_entry(l$family)$value
  if (is.null(value) || !is.null(l$cases$from)) return(case_terms(l, eta, own)$value)
  times_weights(value(l$y, l$trials, eta, own_at(own, l$cases$zero), l$family$link), l$cases$weights)
}

# Without weight there is no information, whatever the density is.
times_weights <- function(terms, weights) {
  if (is.null(weights)) terms
  else if (is.list(terms)) lapply(terms, times_weights, weights)
  else ifelse(weights == 0, 0, weights * terms)
}

glm_weights <- function(weights, cases)
  if (is.null(cases$weights)) weights else (if (is.null(weights)) 1 else weights) * cases$weights

# As many observations as their weights are.
case_number <- function(l) if (is.null(l$cases$weights)) length(l$y) else sum(l$cases$weights)

root_weights <- function(cases) if (is.null(cases$weights)) 1 else sqrt(cases$weights)

# Do fits have the same observations, whatever their models of zeros are?
same_cases <- function(fit, fits) {
  observed <- function(f) f$cases[setdiff(names(f$cases), "zero")]
  all(vapply(fits, function(f) isTRUE(all.equal(observed(f), observed(fit), check.attributes = FALSE)), NA))
}

# ---- weights of a model frame ----

frame_weights <- function(frame) {
  weights <- frame[["(weights)"]]
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights) || NCOL(weights) != 1L)
    input_error("weights", if (NCOL(weights) != 1L) sprintf("%d columns", NCOL(weights)) else class(weights)[1L],
                "must be a numeric vector")
  weights <- as.double(weights)
  bad <- !is.finite(weights) | weights < 0
  if (any(bad)) element_error("weights", weights, bad, "weights must be finite and not negative", row.names(frame))
  if (all(weights == 0)) raise_engine_error("input", "weights are all 0: there is nothing to fit")
  weights
}

# An expression, for the variables are not known yet.
refuse_weights <- function(weights) if (!is.null(weights)) raise_engine_error("input", paste(
  "weights are for fits with a family other than gaussian, or with grouped effects: known variances of the errors of",
  "observations are error.variance, as in error.variance = 0.1 / w"))

# Of responses of a family with `trials`, which as for glm() weights are if these have not been given: with
# proportions, or zeros and ones. Else, and where numbers are not whole, they multiply the log density.
weighted_trials <- function(y, trials, weights, given) {
  rest <- list(y = y, trials = trials, cases = list(weights = weights))
  if (given || is.null(weights)) return(rest)
  if (all(y %in% 0:1) && any(weights != round(weights))) return(rest)
  trials <- ifelse(weights == 0, 1, weights)
  successes <- y * trials
  near <- abs(successes - round(successes)) < 1e-3 | weights == 0 # as glm() has it
  list(y = ifelse(near, round(successes), successes), trials = trials,
       cases = if (any(weights == 0)) list(weights = as.double(weights > 0)))
}

# ---- covariates of the probability of a zero ----

# Own parameters of a family with `zi` are coefficients by the names zi.(Intercept) and so on, in place of `zero`.
is_zero_coefficient <- function(names) startsWith(as.character(names), "zi.")

# The own parameters that entries of families take, where `zero` has covariates of the logit of the probability: this
# and the probability of the rest, `some`, each a vector. Beyond 690 one of them would be 0.
own_at <- function(own, zero) {
  if (is.null(zero)) return(own)
  at <- is_zero_coefficient(names(own))
  logit <- pmin(pmax(drop(zero %*% own[at]), -690), 690)
  c(as.list(own[!at]), list(zero = stats::plogis(logit), some = stats::plogis(-logit)))
}

# Of observations, of which some are left.
some_own <- function(own, at)
  if (is.list(own)) lapply(own, function(v) if (length(v) == length(at)) v[at] else v) else own

# Derivatives by coefficients, given those by `zero`.
zero_slopes <- function(by, own, zero) {
  at <- own_at(own, zero)
  names <- names(own)[is_zero_coefficient(names(own))]
  each <- lapply(seq_along(names), function(k) lapply(by$zero, `*`, at$zero * at$some * zero[, k]))
  c(by[setdiff(names(by), "zero")], stats::setNames(each, names))
}

# At new places, where the variables may not be known: only responses need them.
own_of_new <- function(fit, new, type = "response") {
  if (is.null(fit$zi) || !is.null(new$zero)) return(own_at(fit$own, new$zero))
  if (type == "response") raise_engine_error("input", sprintf(
    "newdata has no column %s, a variable of zi: type = \"link\" is without it",
    setdiff(all.vars(fit$zi$terms), names(new$frame))[1L]))
  fit$own
}

# What a fit asks for, or NULL: the variables of the formula in all n rows of the data, missing values included, and
# the numbers of the rows, missing where a variable is.
asked_zeros <- function(zi, family, data, env, n) {
  if (is.null(zi)) return(NULL)
  zi <- check_formula("zi", zi, env)
  if (length(zi) != 2L) input_error("zi", deparse1(zi), "must be a formula without a left side, as ~ x")
  if (is.null(family) || !isTRUE(family_entry(family)$zeros)) input_error("zi", deparse1(zi), paste(
    "is for families with a probability of zeros, such as zi_poisson(), hurdle_nbinom2() and delta_gamma()"))
  if (!is.null(random_term(zi[[2L]]))) input_error("zi", deparse1(zi), "must have no grouped effects")
  frame <- model_variables(zi, data, stats::model.frame(zi, data, na.action = stats::na.pass), "data")
  if (!is.null(attr(attr(frame, "terms"), "offset"))) input_error("zi", deparse1(zi), "must have no offset")
  list(formula = zi, variables = plain_numbers(frame),
       rows = if (length(frame)) ifelse(stats::complete.cases(frame), seq_len(n), NA) else seq_len(n))
}

# The matrix of the rows `at` that are left, and in `zi` what makes the same of new data.
zero_design <- function(asked, at) {
  formula <- asked$formula
  variables <- asked$variables
  terms <- attr(variables, "terms")
  some <- droplevels(variables[at, , drop = FALSE])
  X <- if (length(variables)) stats::model.matrix(terms, some) else zero_constant(terms, length(at))
  if (!ncol(X)) input_error("zi", deparse1(formula), "has no column: ~ 1 is a constant probability")
  bad <- which(!is.finite(X), arr.ind = TRUE)
  if (nrow(bad)) input_error("zi", deparse1(formula), "must have finite covariates in all cases")
  if (qr(X)$rank < ncol(X)) input_error("zi", deparse1(formula),
                                        "has columns that are combinations of others: leave them out")
  list(X = unname(X), zi = list(formula = formula, terms = terms, xlevels = stats::.getXlevels(terms, some),
                                contrasts = attr(X, "contrasts"), columns = colnames(X)))
}

zero_constant <- function(terms, n) {
  constant <- attr(terms, "intercept")
  matrix(1, n, constant, dimnames = list(NULL, rep("(Intercept)", constant)))
}

# NULL where a variable is not there.
zero_columns <- function(zi, frame) {
  names <- setdiff(all.vars(zi$terms), names(frame))
  if (any(!vapply(names, exists, NA, envir = environment(zi$terms), mode = "numeric"))) return(NULL)
  if (!length(all.vars(zi$terms))) return(unname(zero_constant(zi$terms, nrow(frame))))
  some <- model_variables(zi$formula, frame, stats::model.frame(zi$terms, frame, na.action = stats::na.pass,
                                                                xlev = zi$xlevels), "newdata")
  unname(stats::model.matrix(zi$terms, plain_numbers(some), contrasts.arg = zi$contrasts))
}

# ---- the search for coefficients of a zero ----

# The search is for coefficients of an orthonormal basis of the columns that are `free`, whose product with `root`
# they are; the others are as they are. Signs are those with which the first column, a constant, rises with its
# coefficient, so that the end at which the search leaves it is the end of that.
zero_basis <- function(X, free) {
  root <- diag(ncol(X))
  if (any(free)) {
    own <- qr(X[, free, drop = FALSE])
    sign <- ifelse(diag(qr.R(own)) < 0, -1, 1)
    root[free, free] <- sign * qr.R(own)[, order(own$pivot)] / sqrt(nrow(X))
    X[, free] <- qr.Q(own) * rep(sign * sqrt(nrow(X)), each = nrow(X))
  }
  list(X = X, root = root)
}

# The data l and own parameters with these. Where none is given the search begins from the logistic regression of what
# is zero.
zero_search <- function(l, own) {
  if (is.null(l$cases$zero)) return(list(l = l, own = own))
  at <- which(is_zero_coefficient(names(own$value)))
  free <- own$free[at]
  basis <- zero_basis(l$cases$zero, free)
  l$cases$zero <- basis$X
  l$zero.root <- basis$root
  if (any(free) && !any(own$started[at][free])) {
    known <- suppressWarnings(stats::glm.fit(
      basis$X[, free, drop = FALSE], as.double(l$y == 0), glm_weights(NULL, l$cases),
      offset = drop(basis$X[, !free, drop = FALSE] %*% own$value[at][!free]), family = stats::quasibinomial(),
      intercept = FALSE))$coefficients
    own$value[at][free] <- pmin(pmax(ifelse(is.na(known), 0, known), -5), 5)
  } else own$value[at] <- drop(basis$root %*% own$value[at])
  list(l = l, own = own)
}

# Back again, of a vector of own parameters or rows of a matrix.
zero_natural <- function(own, root) {
  if (is.null(root)) return(own)
  if (is.matrix(own)) {
    at <- is_zero_coefficient(colnames(own))
    own[, at] <- t(solve(root, t(own[, at, drop = FALSE])))
  } else {
    at <- is_zero_coefficient(names(own))
    own[at] <- solve(root, own[at])
  }
  own
}

# The root for a fit, whose parameters that are not fixed are searched.
zero_root <- function(fit) {
  if (is.null(fit$zi)) return(NULL)
  rows <- covariance_rows(fit)
  zero_basis(fit$cases$zero, !rows$fixed[is_zero_coefficient(rownames(rows))])$root
}

# The likelihood whose basis is without one of these coefficients, which a profile holds.
laplace_apart <- function(fit, own, made, name) {
  if (is_zero_coefficient(name)) {
    names <- Filter(is_zero_coefficient, own_names(fit$family))
    basis <- zero_basis(fit$cases$zero, names %in% setdiff(own$about$task$searched, name))
    at <- match(names, own$about$rows$name)
    move <- basis$root %*% solve(own$l$zero.root)
    moved <- function(v) replace(v, at, drop(move %*% v[at]))
    own$starts <- lapply(own$starts, moved)
    own$about$task$v <- moved(own$about$task$v)
    own$about$rows$value <- moved(own$about$rows$value)
    own$l$zero.root <- made$laplace$zero.root <- basis$root
    own$l$cases$zero <- made$laplace$cases$zero <- basis$X
  }
  laplace_likelihood(fit, NULL, own, made)
}

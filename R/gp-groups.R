# Grouped effects beside a process: terms as (1 | site) + (x || year) in a formula, of which each column of covariates
# has independent normal effects, one for each level of the factor, with a variance of its own. The linear predictor
# is offset + X beta + w + Z u, where a row of Z has a value for each term, in the column of its level.

# ---- terms of a formula ----

# The formula without its bars, and these as a list of `slope` and `group`, expressions, one for each factor.
split_groups <- function(formula) {
  found <- list()
  without <- function(e) { # NULL for what is a bar
    if (!is.call(e)) return(e)
    name <- as.character(e[[1L]])[1L]
    if (name %in% c("|", "||")) {
      found <<- c(found, group_terms(e, name))
      return(NULL)
    }
    if (name == "(" && !is.null(random_term(e[[2L]]))) return(without(e[[2L]]))
    if (is_smooth(name, environment(formula)))
      input_error("formula", deparse1(e), "is for package mgcv: splines::ns(x, 4) is a smooth curve here")
    if (!name %in% c("+", "-") || is.null(random_term(e))) {
      if (name != "(" && !is.null(inner <- random_term(e)))
        input_error("formula", sprintf("(%s)", deparse1(inner)), "is a term of its own, as in y ~ x + (1 | site)")
      return(e)
    }
    left <- if (length(e) == 3L) without(e[[2L]])
    right <- if (name == "-") left_out(e[[length(e)]]) else without(e[[length(e)]])
    if (is.null(right)) left
    else if (!is.null(left)) as.call(list(e[[1L]], left, right))
    else if (name == "-") call("-", right) else right
  }
  left_out <- function(e) { # after a minus: the same terms before it do not count
    before <- found
    found <<- list()
    rest <- without(e)
    gone <- lapply(found, `[`, c("slope", "group"))
    found <<- Filter(function(term) !list(term[c("slope", "group")]) %in% gone, before)
    rest
  }
  last <- length(formula)
  rest <- without(formula[[last]])
  formula[[last]] <- if (is.null(rest)) 1 else rest
  list(formula = formula, terms = found)
}

# A function of mgcv that says what a smooth is, and computes none.
is_smooth <- function(name, env) {
  if (!name %in% c("s", "te", "ti", "t2")) return(FALSE)
  known <- get0(name, env, mode = "function")
  is.null(known) || identical(environmentName(environment(known)), "mgcv")
}

# A term for each factor: (x | a/b) has a, and b within a.
group_terms <- function(bar, name) {
  slope <- bar[[2L]]
  groups <- function(e) {
    if (is.call(e) && identical(e[[1L]], quote(`(`))) return(groups(e[[2L]]))
    if (is.call(e) && identical(e[[1L]], quote(`/`))) {
      outer <- groups(e[[2L]])
      return(c(outer, list(call(":", outer[[length(outer)]], e[[3L]]))))
    }
    list(e)
  }
  lapply(groups(bar[[3L]]), function(group) list(slope = slope, group = group, independent = name == "||"))
}

# The factors and covariates of all rows of the data, with missing values where there are some, as two lists.
group_variables <- function(terms, data, env, known = NULL) {
  value <- function(e) model_variables(stats::as.formula(call("~", e), env), data, eval(e, data, env))
  level <- function(e) {
    if (is.call(e) && identical(e[[1L]], quote(`:`))) {
      parts <- list(level(e[[2L]]), level(e[[3L]]))
      both <- paste(parts[[1L]], parts[[2L]], sep = ":")
      both[is.na(parts[[1L]]) | is.na(parts[[2L]])] <- NA
      return(factor(both, unique(both[order(parts[[1L]], parts[[2L]])])))
    }
    if (is.call(e) && as.character(e[[1L]])[1L] %in% c("+", "-", "*", "^", "%in%", "|", "||")) input_error(
      "formula", deparse1(e), paste("is no factor after the bar: a:b is of combinations, a/b is a and a:b,",
                                         "and others are terms of their own, as (1 | a) + (1 | b)"))
    if (!is.null(known) && is.call(e) && identical(e[[1L]], quote(cut)) &&
          is_number(match.call(cut.default, e)$breaks)) input_error(
      "newdata", deparse1(e), "has other breaks in other data: all of them, or a column of the factor, are needed")
    v <- value(e)
    if (!is.null(dim(v)) || is.list(v)) input_error("formula", deparse1(e), "must be a factor after the bar")
    factor(v) # numbers in their order, a factor in its own
  }
  each <- lapply(seq_along(terms), function(k) {
    term <- terms[[k]]
    formula <- if (is.null(known)) stats::as.formula(call("~", term$slope), env) else known[[k]]$frame$terms
    frame <- model_variables(formula, data, stats::model.frame(formula, data, na.action = stats::na.pass,
                                                               xlev = known[[k]]$frame$xlevels))
    seen <- attr(frame, "terms") # poly() and scale() keep in them what they have of the data
    # without a variable the frame has no rows
    slope <- if (length(frame)) stats::model.matrix(seen, plain_numbers(frame)) else NULL
    levels <- level(term$group)
    if (is.null(slope)) {
      constant <- attr(seen, "intercept")
      slope <- matrix(1, length(levels), constant, dimnames = list(NULL, rep("(Intercept)", constant)))
    }
    if (!ncol(slope)) input_error("formula", sprintf("(%s | %s)", deparse1(term$slope), deparse1(term$group)),
                                  "has no column before the bar: 1 is a constant")
    if (ncol(slope) > 1L && !term$independent) input_error(
      "formula", sprintf("(%s | %s)", deparse1(term$slope), deparse1(term$group)), sprintf(
        "has correlated effects, which are not estimated: (%s || %s) has independent ones", deparse1(term$slope),
        deparse1(term$group)))
    list(levels = levels, slope = slope, frame = list(terms = seen, xlevels = stats::.getXlevels(seen, frame)))
  })
  list(levels = lapply(each, `[[`, "levels"), slopes = lapply(each, `[[`, "slope"),
       frames = lapply(each, `[[`, "frame"))
}

# As the variable is called, and without the spaces of an expression.
group_name <- function(e) {
  if (is.call(e) && identical(e[[1L]], quote(`:`))) paste0(group_name(e[[2L]]), ":", group_name(e[[3L]]))
  else if (is.name(e)) as.character(e) else gsub(" ", "", deparse1(e))
}

# What the rows that are left have: `index` and `value`, matrices with a column for each variance and the numbers of
# effects and their covariates, `term`, the variance that each of the `q` effects has, and for these names and labels.
group_design <- function(terms, levels, slopes, frames) {
  index <- value <- NULL
  variances <- character()
  term <- integer()
  known <- list()
  for (k in seq_along(terms)) {
    name <- group_name(terms[[k]]$group)
    own <- levels(droplevels(levels[[k]]))
    if (length(own) < 2L) input_error("formula", name, "must have two levels at least after the bar")
    code <- match(levels[[k]], own)
    columns <- colnames(slopes[[k]])
    known[[k]] <- list(terms = terms[[k]], name = name, levels = own, frame = frames[[k]], columns = columns,
                       variances = length(variances) + seq_along(columns))
    for (j in seq_along(columns)) {
      index <- cbind(index, length(term) + code)
      value <- cbind(value, as.double(slopes[[k]][, j]))
      variances <- c(variances, paste0("variance.", name, if (columns[j] != "(Intercept)") paste0(".", columns[j])))
      term <- c(term, rep(length(variances), length(own)))
    }
  }
  twice <- variances[duplicated(variances)]
  if (length(twice)) input_error("formula", sub("variance.", "", twice[1L], fixed = TRUE),
                                 "has the same effect twice after a bar")
  storage.mode(index) <- "integer"
  list(index = unname(index), value = unname(value), term = term, variances = variances, known = known)
}

# The same of the columns of a model frame.
groups_of_frame <- function(terms, frame, frames) {
  if (!length(terms)) return(NULL)
  column <- function(what, k) frame[[sprintf("(.%s%d)", what, k)]]
  at <- seq_along(terms)
  group_design(terms, lapply(at, function(k) column("level", k)),
               lapply(at, function(k) as.matrix(column("slope", k))), frames)
}

# Of new data: effects of levels that the fit does not know are NA. `left_out`: none of them counts.
new_groups <- function(groups, frame, env, left_out = FALSE) {
  if (left_out) return(no_groups(nrow(frame)))
  known <- groups$known
  found <- group_variables(lapply(known, `[[`, "terms"), frame, env, known)
  index <- value <- label <- NULL
  first <- match(seq_along(groups$variances), groups$term) - 1L
  for (k in seq_along(known)) for (j in seq_along(known[[k]]$columns)) {
    code <- match(found$levels[[k]], known[[k]]$levels)
    index <- cbind(index, first[known[[k]]$variances[j]] + code)
    value <- cbind(value, found$slopes[[k]][, j])
    label <- cbind(label, as.character(found$levels[[k]]))
  }
  list(index = unname(index), value = unname(value), label = label, variance = seq_along(groups$variances))
}

# ---- variances as parameters ----

group_parameters <- function(groups, value = rep(NA_real_, length(groups$variances)))
  if (!is.null(groups)) other_parameters(groups$variances, "effect", value, 0, Inf)

# What `fixed` and `start` say of them, without which both are left.
fixed_groups <- function(fixed, start, groups) {
  own <- groups$variances
  value <- stats::setNames(rep(NA_real_, length(own)), own)
  held <- logical(length(own))
  named <- is.list(fixed) || is.numeric(fixed)
  for (name in own) for (given in list(as.list(start), if (named) as.list(fixed))) if (name %in% names(given)) {
    one_number(name, given[[name]], "not negative")
    value[name] <- given[[name]]
  }
  if (named) {
    held <- own %in% names(fixed) & !is.na(value)
    fixed <- fixed[setdiff(names(fixed), own)]
  }
  list(fixed = fixed, start = start[setdiff(names(start), own)], value = value, free = !held)
}

# Starts for a search without those that are held.
group_values <- function(held, groups) {
  rows <- held$rows[held$rows$kind == "effect" & !held$rows$name %in% names(held$fixed), ]
  if (nrow(rows)) stats::setNames(as.list(rows$value), rows$name)
}

# The size of variances: that of differences of linear predictors, by the covariate.
effect_units <- function(l) {
  if (is.null(l$groups)) return(l$unit^2)
  size <- colMeans(l$groups$value^2)
  l$unit^2 / ifelse(size > 0, size, 1)
}

# Where a search begins: the variance among levels of means of the working observations, less that of their errors.
group_starts <- function(groups, given, plain, unit) {
  value <- given
  for (k in which(is.na(given))) {
    z <- groups$value[, k]
    information <- rowsum(plain$information * z^2, groups$index[, k])
    effect <- rowsum(plain$information * z * plain$residuals, groups$index[, k]) / pmax(information, 1e-8 / unit)
    weight <- information / (1 + information * 0.3 * unit)
    value[k] <- max(sum(weight * (effect^2 - 1 / pmax(information, 1e-8 / unit))) / sum(weight), 0.02 * unit /
                      max(mean(z^2), 1e-300))
  }
  value
}

# Effects of single observations are the same as the errors of normal responses: where both variances are free, the
# likelihood knows their sum alone. `free` are parameters besides those of the covariance.
check_errors_apart <- function(fit, task, free) {
  entry <- family_entry(fit$family)
  sd <- paste0("family.", entry$errors)
  if (is.null(entry$errors) || !sd %in% free) return()
  same <- function(v) max(v) - min(v) <= 1e-8 * max(v)
  weights <- if (is.null(fit$cases$weights)) rep(1, fit$nobs) else fit$cases$weights
  if (!same(weights[weights > 0])) return()
  remedy <- sprintf(paste(
    "%%s, as the errors of the responses are, whose standard deviation is %s, and only the sum of both variances is",
    "known: %%s, or fixed = list(%s = ) with a value, tells them apart"), sd, sd)
  rows <- cov_parameters(model_parts(task$model))
  if (any(rows$name[rows$parameter == "nugget"] %in% task$free)) input_error("cov", "nugget = NA", sprintf(
    remedy, "is the variance of independent effects of observations", "nugget = 0"))
  for (g in fit$groups$known) for (k in g$variances[fit$groups$variances[g$variances] %in% free])
    if (!anyDuplicated(fit$groups$index[weights > 0, k]) && same(abs(fit$groups$value[, k]))) input_error(
      "formula", sprintf("(%s | %s)", deparse1(g$terms$slope), g$name), sprintf(
        remedy, "has a level for each observation", "the formula without that term"))
}

# ---- at new places, whose `groups` have `index` and `value` as a design has, NA for levels without an effect ----

observed_groups <- function(groups, left_out = FALSE) if (!is.null(groups)) {
  if (left_out) return(no_groups(nrow(groups$index)))
  c(groups[c("index", "value")], list(variance = seq_along(groups$variances)))
}

no_groups <- function(n) list(index = matrix(NA_integer_, n, 0L), value = matrix(0, n, 0L))

# As predictions of lme4 take it: are grouped effects left out?
population_only <- function(re.form) {
  if (is.null(re.form)) return(FALSE)
  none <- length(re.form) == 1L && is.na(re.form) || inherits(re.form, "formula") && identical(re.form[[2L]], 0)
  if (!none) input_error("re.form", deparse1(re.form), "must be NULL for all grouped effects, or NA for none")
  TRUE
}

group_variances <- function(fit) if (!is.null(fit$groups))
  unname(fit$parameters$estimate[length(fit$coefficients) + match(fit$groups$variances,
                                                                  rownames(covariance_rows(fit)))])

# What effects, a vector or columns, add there; those that are not known add nothing.
effects_at <- function(groups, effects) {
  if (is.null(groups)) return(0)
  total <- 0
  for (k in seq_len(ncol(groups$index))) {
    one <- groups$value[, k] * (if (is.matrix(effects)) effects[groups$index[, k], , drop = FALSE]
                                else effects[groups$index[, k]])
    total <- total + replace(one, is.na(one), 0)
  }
  total
}

# The variance of effects of other levels.
variance_of_new <- function(groups, variances) {
  total <- 0
  for (k in seq_along(groups$variance))
    total <- total + ifelse(is.na(groups$index[, k]), groups$value[, k]^2 * variances[groups$variance[k]], 0)
  total
}

# Effects of fields: those given the data, or where there are none, and for other levels, drawn anew. Rows with the
# same unknown level have one effect, those without a level each its own.
drawn_effects <- function(fit, groups, given, nsim) {
  sd <- sqrt(group_variances(fit))
  total <- 0
  if (is.null(given)) given <- sd[fit$groups$term] * matrix(stats::rnorm(length(fit$effects) * nsim), ncol = nsim)
  for (k in seq_len(ncol(groups$index))) {
    one <- given[groups$index[, k], , drop = FALSE]
    new <- which(is.na(groups$index[, k]))
    if (length(new)) {
      label <- groups$label[new, k]
      level <- match(label, unique(label))
      level[is.na(label)] <- max(level) + seq_len(sum(is.na(label)))
      drawn <- sd[groups$variance[k]] * matrix(stats::rnorm(max(level) * nsim), ncol = nsim)
      one[new, ] <- drawn[level, ]
    }
    total <- total + groups$value[, k] * one
  }
  total
}

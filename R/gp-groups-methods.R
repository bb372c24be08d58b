# Methods for fits with grouped effects, in the forms of package lme4.

#' Grouped effects of fits of Gaussian processes
#'
#' Effects of the levels of factors, random effects of mixed models, in the formula of [gpFit()].
#'
#' @details A term `(1 | site)` of a formula is an effect of each level of `site`, and `(0 + x | site)` one of the
#'   covariate `x` that differs among them; `(x || site)` is both. Effects are independent and normal, and each term
#'   has a variance, a parameter by the name `variance.site` or `variance.site.x`. There may be any number of terms,
#'   of factors that are nested or crossed: `(1 | a:b)` is of combinations, and `(1 | a/b)` stands for `(1 | a) + (1 |
#'   a:b)`. Correlated effects, `(x | site)` as package \pkg{lme4} has them, are errors.
#'
#' The linear predictor is \eqn{X\beta + Z + \sum_k z_k u_k}{X beta + Z + sum z u} with the process Z, and the
#' likelihood that of Laplace's approximation over process and effects together, see the section on other families of
#' [gpFit()]; of normal responses (`family = gaussian()`) it is exact but for Vecchia's approximation of the process,
#' and the standard deviation of their errors is the parameter `family.sd`, the square root of what the nugget is
#' without groups. `nugget` in `fixed` and `start` is understood. Fits are by `"ML"`. With `cov = "none"` there is no
#' process, and no coordinates are needed: the fit is the generalised linear mixed model of \pkg{lme4} and
#' \pkg{glmmTMB}.
#'
#' An estimated variance of 0 is on its boundary. There may be any number of levels that are each at one location, as
#' of repeated visits to places, and all levels of the largest factor without a process; of others, which are crossed
#' with the locations, up to 4000 effects are fitted, in a time that grows with their square.
#'
#' Of normal and lognormal responses an effect of single observations, `(1 | row)` with a level for each of them, is
#' the same as their errors: it is an error, as in \pkg{lme4}, unless the standard deviation of the errors or the
#' variance of the effects is `fixed`, or the observations have different `weights`.
#'
#' A term after a minus leaves out the same term before it, as in `update(fit, . ~ . - (1 | site))`.
#'
#' [predict()][predict.gpFit] adds the effects of levels that the fit knows; others have the mean 0 and the variance
#' of their term, and so have rows in which the level is missing, as with `allow.new.levels = TRUE` of \pkg{lme4};
#' `re.form = NA` leaves all of them out. [simulate()][simulate.gpFit] draws them given the data,
#' or anew with `conditional = FALSE`.
#'
#' `ranef`, `fixef` and `VarCorr` are generic functions of package \pkg{nlme}, which \pkg{lme4} and \pkg{glmmTMB}
#' have, too: one of these has to be attached, or asked as `nlme::ranef(fit)`.
#'
#' @param object,x a fit by [gpFit()], or what these functions give.
#' @param condVar `TRUE` for the variances of the effects given the data.
#' @param sigma not used.
#' @param row.names,optional not used.
#' @param ... not used: other arguments are errors.
#' @return `ranef` gives a list with a data frame for each factor, a row for each level and a column for each term,
#'   whose
#'   attribute `"postVar"` has the covariance matrices of the effects of each level given the data, the parameters and
#'   the coefficients, an array. `as.data.frame` of that has columns `grpvar`, `term`, `grp`, `condval` and `condsd`.
#'   `fixef` gives the coefficients of the mean. `VarCorr` gives a list with a matrix for each factor and attributes
#'   `"stddev"` and `"correlation"`, and itself an attribute `"sc"`, the standard deviation of the errors of normal
#'   responses; `as.data.frame` of that has columns `grp`, `var1`, `var2`, `vcov` and `sdcor`. `coef(fit, "groups")`
#'   is a list of coefficients of the mean plus effects of each level.
#' @seealso [gpFit()]
#' @name gpGroups
#' @examples
#' # chicks begin and grow differently
#' fit <- gpFit(weight ~ Time + (Time || Chick), datasets::ChickWeight, cov = "none")
#' fit
#' if (requireNamespace("nlme", quietly = TRUE)) head(nlme::ranef(fit)$Chick)
#' # predictions for a new chick, and for the mean of all
#' new <- data.frame(Time = c(0, 10, 20), Chick = "new")
#' predict(fit, new, se.fit = TRUE)
#' predict(fit, new, re.form = NA)
NULL

check_groups <- function(object) if (is.null(object$groups))
  input_error("object", class(object)[1L], "has no grouped effects: terms as (1 | site) in its formula are such")

# Of each factor the numbers of its variances and effects, levels in rows.
groups_by_factor <- function(groups) {
  names <- vapply(groups$known, `[[`, "", "name")
  lapply(split(groups$known, factor(names, unique(names))), function(known) {
    own <- unlist(lapply(known, function(g) g$variances))
    list(levels = known[[1L]]$levels, terms = own, columns = unlist(lapply(known, `[[`, "columns")),
         effects = vapply(own, function(k) which(groups$term == k), integer(length(known[[1L]]$levels))))
  })
}

#' @rdname gpGroups
#' @exportS3Method nlme::ranef
ranef.gpFit <- function(object, condVar = TRUE, ...) {
  check_extra(...)
  check_groups(object)
  condVar <- one_flag("condVar", condVar)
  posterior <- if (condVar) laplace_posterior(object)
  structure(lapply(groups_by_factor(object$groups), function(f) {
    table <- as.data.frame(matrix(object$effects[f$effects], ncol = length(f$columns),
                                  dimnames = list(f$levels, f$columns)), optional = TRUE)
    if (condVar) attr(table, "postVar") <- effect_covariances(posterior, length(object$latent), f$effects)
    table
  }), class = "ranef.gpFit")
}

# Of the effects in each row of a matrix, given the data: by (v_i + v_j - v_(i - j)) / 2 of variances v.
effect_covariances <- function(posterior, first, effects) {
  none <- matrix(1L, 0L, nrow(effects))
  value <- array(0, c(ncol(effects), ncol(effects), nrow(effects)))
  form <- function(by) joint_forms(posterior, none, matrix(0, 0L, nrow(effects)), list(
    index = effects, value = matrix(by, nrow(effects), ncol(effects), byrow = TRUE)), first)
  unit <- diag(1, ncol(effects))
  for (i in seq_len(ncol(effects))) value[i, i, ] <- form(unit[i, ])
  for (i in seq_len(ncol(effects))) for (j in seq_len(i - 1L))
    value[i, j, ] <- value[j, i, ] <- (value[i, i, ] + value[j, j, ] - form(unit[i, ] - unit[j, ])) / 2
  value
}

#' @rdname gpGroups
#' @exportS3Method nlme::fixef
fixef.gpFit <- function(object, ...) {
  check_extra(...)
  object$coefficients
}

#' @rdname gpGroups
#' @exportS3Method nlme::VarCorr
VarCorr.gpFit <- function(x, sigma = 1, ...) {
  check_extra(...)
  check_groups(x)
  values <- group_variances(x)
  structure(lapply(groups_by_factor(x$groups), function(f) {
    own <- values[f$terms]
    names <- list(f$columns, f$columns)
    structure(matrix(diag(own, length(own)), length(own), dimnames = names),
              stddev = stats::setNames(sqrt(own), f$columns),
              correlation = matrix(diag(1, length(own)), length(own), dimnames = names))
  }), sc = if (identical(x$family$family, "gaussian")) sigma(x), class = "VarCorr.gpFit")
}

#' @rdname gpGroups
#' @export
as.data.frame.VarCorr.gpFit <- function(x, row.names = NULL, optional = FALSE, ...) {
  rows <- lapply(names(x), function(g) data.frame(grp = g, var1 = colnames(x[[g]]), var2 = NA_character_,
                                                  vcov = diag(x[[g]]), sdcor = unname(attr(x[[g]], "stddev"))))
  sc <- attr(x, "sc")
  if (!is.null(sc)) rows <- c(rows, list(data.frame(grp = "Residual", var1 = NA_character_, var2 = NA_character_,
                                                    vcov = sc^2, sdcor = sc)))
  value <- do.call(rbind, rows)
  rownames(value) <- NULL
  value
}

#' @rdname gpGroups
#' @export
as.data.frame.ranef.gpFit <- function(x, row.names = NULL, optional = FALSE, ...) {
  rows <- lapply(names(x), function(g) {
    table <- x[[g]]
    v <- attr(table, "postVar")
    do.call(rbind, lapply(seq_along(table), function(j) data.frame(
      grpvar = g, term = names(table)[j], grp = rownames(table), condval = table[[j]],
      condsd = if (is.null(v)) NA_real_ else sqrt(v[j, j, ]))))
  })
  value <- do.call(rbind, rows)
  value$term <- factor(value$term, unique(value$term))
  value$grp <- factor(value$grp, unique(value$grp))
  value
}

#' @export
print.VarCorr.gpFit <- function(x, digits = max(3L, getOption("digits") - 2L), ...) {
  table <- as.data.frame(x)
  shown <- data.frame(Groups = ifelse(duplicated(table$grp), "", table$grp),
                      Name = ifelse(is.na(table$var1), "", table$var1),
                      Std.Dev. = format(table$sdcor, digits = digits))
  print(shown, row.names = FALSE, right = FALSE)
  invisible(x)
}

#' @export
print.ranef.gpFit <- function(x, ...) {
  for (g in names(x)) {
    table <- x[[g]]
    attr(table, "postVar") <- NULL
    cat("$", g, "\n", sep = "")
    print(table, ...)
  }
  invisible(x)
}

#' @rdname statclFit-methods
#' @export
coef.gpFit <- function(object, component = NULL, complete = TRUE, ...) {
  if (!identical(component, "groups")) return(NextMethod())
  check_extra(...)
  check_groups(object)
  lapply(ranef.gpFit(object, FALSE), function(table) {
    names <- union(names(object$coefficients), names(table))
    as.data.frame(lapply(stats::setNames(names, names), function(name) {
      fixed <- object$coefficients[name]
      rep(if (is.na(fixed)) 0 else unname(fixed), nrow(table)) + if (name %in% names(table)) table[[name]] else 0
    }), row.names = rownames(table), optional = TRUE)
  })
}

# Terms of the mean alone: the default takes grouped effects in the formula for such. step() asks for both as text,
# and leaves out what adds no parameter.
#' @exportS3Method stats::add1
add1.gpFit <- function(object, scope, scale = 0, test = "none", k = 2, trace = FALSE, ...) {
  need(scope = missing(scope))
  add <- utils::getS3method("add1", "default", envir = asNamespace("stats"))
  if (!is.character(scope)) scope <- split_groups(stats::update.formula(object, scope))$formula
  bars <- if (is.character(scope)) Filter(function(term) !is.null(random_term(str2lang(term))), scope)
  if (!length(bars)) return(add(object, scope, scale, test, k, trace, ...))
  terms <- setdiff(scope, bars)
  table <- if (length(terms)) add(object, terms, scale, test, k, trace, ...) else
    structure(data.frame(Df = NA_real_, AIC = stats::extractAIC(object, scale, k)[2L], row.names = "<none>"),
              heading = "Single term additions", class = c("anova", "data.frame"))
  none <- table[rep(1L, length(bars)), ]
  none$Df <- 0
  rownames(none) <- bars
  structure(rbind(table, none), heading = attr(table, "heading"), class = class(table))
}

# step() puts the terms of the mean in the place of the formula of what it begins with.
#' @exportS3Method stats::formula
formula.gpFit <- function(x, ...) {
  if (is.null(x$groups) || !inherits(x$formula, "terms")) return(NextMethod())
  bars <- lapply(x$groups$known, function(g)
    call("(", call(if (g$terms$independent) "||" else "|", g$terms$slope, g$terms$group)))
  formula <- stats::formula(x$formula)
  formula[[3L]] <- Reduce(function(sum, bar) call("+", sum, bar), bars, formula[[3L]])
  formula
}

# Of several variables there may be a formula for each.
#' @exportS3Method stats::update
update.gpFit <- function(object, formula., ..., evaluate = TRUE) {
  if (missing(formula.) || !is.list(formula.) && !is.list(object$formula)) return(NextMethod())
  call <- stats::getCall(object)
  new <- if (is.list(formula.)) formula. else lapply(object$formula, stats::update, formula.)
  call$formula <- as.call(c(quote(list), new))
  call <- stats::update(list(call = call), ..., evaluate = FALSE)
  if (one_flag("evaluate", evaluate)) eval(call, parent.frame()) else call
}

#' @exportS3Method stats::getCall
getCall.gpFit <- function(x, ...) {
  if (!is.null(x$groups) && inherits(x$call$formula, "terms")) x$call$formula <- formula.gpFit(x)
  x$call
}

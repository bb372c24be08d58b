# Fits of several variables: what gpFit() is given in one of three forms, as one vector of observations with the
# number of a variable after their coordinates, and a mean for each variable.

# Is it a fit of several variables? Two columns may also be successes and failures.
asks_several <- function(formula, family, call)
  !is.null(call$variable) || is.list(formula) && length(formula) > 0L ||
    inherits(formula, "formula") && length(formula) == 3L && is.call(formula[[2L]]) &&
      identical(formula[[2L]][[1L]], quote(cbind)) && length(formula[[2L]]) > 2L && is.null(response_family(family))

several_arguments <- c("formula", "cov", "fixed", "start", "method", "m", "block", "estimator", "penalty", "family",
                       "contrasts")

# `ask` has these arguments of gpFit(), whose call was made in `env`.
fit_several <- function(ask, call, env) {
  if (!is.list(ask$formula)) ask$formula <- check_formula("formula", ask$formula, env)
  ask["data"] <- list(eval(call$data, env))
  ask["coords"] <- list(eval(call$coords, env))
  ask[c("subset", "variable")] <- list(call$subset, call$variable)
  if (!"cov" %in% names(call)) ask$cov <- "multimatern"
  refuse_for_several(ask, names(call))
  check_contrasts(ask$contrasts)
  ask[c("m", "block")] <- list(whole_number("m", ask$m), whole_number("block", ask$block))
  if (!is.data.frame(ask$data)) input_error("data", if (is.null(ask$data)) "NULL" else class(ask$data)[1L], paste(
    "must be a data frame, or points of the package sf, for several variables"))
  points <- fit_points(ask$data, ask$coords)
  check_point_rows(points)
  rows <- seq_len(nrow(points$xy))
  used <- if (is.null(ask$subset)) rows else rows[asked_rows(eval(ask$subset, points$data, env), length(rows))]
  forms <- variable_formulas(ask, points$data, used, env)
  model <- several_model(ask$cov, names(forms), points)
  error <- several_errors(eval(call$error.variance, points$data, env), forms, length(rows)) # in the formula's order
  turn <- order(match(names(forms), model$variable))
  forms <- forms[turn]
  error <- error[turn]
  designs <- Map(function(form, name, error) variable_design(form, name, points, error, ask$contrasts), forms,
                 names(forms), error)
  if (!isTRUE(ask$fixed)) for (k in seq_along(designs)) if (length(designs[[k]]$y) <= qr(designs[[k]]$X)$rank)
    raise_engine_error("input", sprintf("%s of %s for %s of its mean: a fit needs more, or fixed = TRUE", count_text(
      length(designs[[k]]$y), "observation"), names(forms)[k], count_text(ncol(designs[[k]]$X), "coefficient")))
  if (!isTRUE(ask$fixed)) {
    for (k in seq_along(designs)) check_left(designs[[k]], names(forms)[k])
    check_copies(designs, names(forms))
  }
  whole <- joined_designs(designs, names(forms), !is.null(ask$variable))
  points$xy <- whole$xy
  estimator <- choice("estimator", ask$estimator, c("ML", "REML"))
  session$keeps_best <- keeps_best()
  on.exit(session$keeps_best <- NULL)
  fit <- gp_fit(whole$y, whole$X, whole$offset, points, list(model = model, fixed = ask$fixed, start = ask$start),
                estimator, choice("method", ask$method, c("auto", "exact", "vecchia")), ask$m, ask$block,
                penalty = one_flag("penalty", ask$penalty), error.variance = whole$error)
  parts <- lapply(designs, `[`, c("formula", "terms", "xlevels", "contrasts"))
  more <- list(call = call, terms = designs[[1L]]$terms, model = several_frame(whole, points$coords$names),
               coords = points$coords, formula = ask$formula,
               variables = list(names = names(forms), of = whole$of, parts = parts, column = whole$column,
                                labels = whole$labels, long = !is.null(ask$variable), row = whole$row,
                                rows = length(rows)))
  finished_fit(c(fit, more))
}

refuse_for_several <- function(ask, given) {
  odd <- intersect(given, c("weights", "zi", "by", "varying", "approximation", "offset", "na.action"))
  if (length(odd)) raise_engine_error("input", sprintf("%s is not for several variables: %s", odd[1L], switch(
    odd[1L], offset = "offset() in the formula has what is known of a mean",
    na.action = "observations with missing values are left out, of each variable on its own",
    "fit each variable on its own")))
  family <- response_family(ask$family)
  if (!is.null(family)) input_error("family", family$family, paste(
    "is not for several variables, whose responses are normal: fit each variable on its own"))
  if (is.null(ask$cov) || identical(ask$cov, "none"))
    input_error("cov", "none", "is no covariance of several variables: use lm()")
}

asked_rows <- function(subset, n) {
  if (is.logical(subset)) {
    if (!length(subset) %in% c(1L, n)) raise_engine_error("input", sprintf(
      "subset has length %d: data has %d rows", length(subset), n))
    return(which(rep_len(subset, n) %in% TRUE))
  }
  if (!is.numeric(subset)) input_error("subset", class(subset)[1L], "must be a condition, or numbers of rows")
  seq_len(n)[subset]
}

# By the names of variables their formulas, with the rows of data that they are for.
variable_formulas <- function(ask, data, used, env) {
  if (!is.null(ask$variable)) return(long_formulas(ask, data, used, env))
  whole <- if (is.list(ask$formula)) ask$formula else {
    if ("." %in% all.vars(ask$formula[[3L]])) # as for lm(), all columns that are no response of any variable
      ask$formula <- stats::formula(stats::terms(ask$formula, data = data))
    response <- as.list(ask$formula[[2L]])[-1L]
    named <- names(response)
    formulas <- lapply(response, function(y) {
      own <- ask$formula
      own[[2L]] <- y
      own
    })
    stats::setNames(formulas, named)
  }
  if (length(whole) < 2L) input_error("formula", length(whole), "must have two or more variables")
  for (one in whole) if (!inherits(one, "formula") || length(one) != 3L)
    input_error("formula", if (is.call(one)) deparse1(one) else class(one)[1L],
                "must be a list of formulas, as in list(y1 ~ x, y2 ~ 1)")
  for (one in whole) if (!is.null(random_term(one[[3L]])))
    input_error("formula", deparse1(one), "must have no grouped effects: those are for one variable")
  own <- vapply(whole, function(one) deparse1(one[[2L]]), "")
  if (!is.null(names(whole))) own <- ifelse(nzchar(names(whole)), names(whole), own)
  own <- unname(own)
  if (anyDuplicated(own)) input_error("formula", own[anyDuplicated(own)], "is there twice: give names to variables")
  stats::setNames(lapply(whole, function(one) list(formula = one, rows = used)), own)
}

long_formulas <- function(ask, data, used, env) {
  if (is.list(ask$formula)) input_error("formula", "list", "has a formula for each variable: leave variable out")
  formula <- stats::as.formula(call("~", ask$variable), env)
  value <- model_variables(formula, data, eval(ask$variable, data, env))
  if (inherits(value, "formula")) {
    if (length(value) != 2L) input_error("variable", deparse1(value), "must be as ~ element")
    value <- model_variables(value, data, eval(value[[2L]], data, environment(value)))
  }
  if (!is.factor(value) && !is.character(value) && !is.numeric(value) || length(value) != nrow(data))
    input_error("variable", class(value)[1L], sprintf("must be a factor with an element for each of %d rows of data",
                                                      nrow(data)))
  value <- droplevels(factor(value)[used])
  if (nlevels(value) < 2L) input_error("variable", nlevels(value), "must have two or more levels that occur")
  own <- split(used, value)
  lapply(own, function(rows) list(formula = ask$formula, rows = rows))
}

# The model with the names of the variables, which it may have in an order of its own.
several_model <- function(cov, names, points) {
  p <- length(names)
  if (is.character(cov) && length(cov) == 1L) {
    if (identical(cov, "lmc")) input_error("cov", cov, paste(
      "needs a model: covModel(\"lmc\", parts = list(covModel(\"exponential\", range = NA), ...), sill = NA,",
      "nugget = NA)"))
    if (!cov %in% c("multimatern", "bimatern")) {
      check_name_of_family(cov)
      input_error("cov", cov, "is of one variable: \"multimatern\" is of several, and covModel(\"lmc\") makes models")
    }
    space <- if (isTRUE(points$geographic)) 3L else max(ncol(points$xy), 2L)
    if (cov == "bimatern") return(several_of(covModel(
      "bimatern", variance = c(NA, NA), range = c(NA, NA, NA), smoothness = NA, correlation = NA, nugget = c(NA, NA),
      dim = space), p, names))
    return(covModel("multimatern", variance = rep(NA_real_, p), range = NA, smoothness = NA, correlation = NA,
                    nugget = NA, dim = space, variable = names))
  }
  if (!inherits(cov, "covModel"))
    input_error("cov", class(cov)[1L], "must be \"multimatern\", or a model by covModel()")
  model <- checked_model(cov, unknown = TRUE)
  if (!is_several(model)) input_error("cov", model$name, paste(
    "is of one variable: \"multimatern\" and \"lmc\" are models of several"))
  whole <- several_of(model, p, names)
  odd <- setdiff(names, whole$variable)
  if (length(odd)) input_error("cov$variable", toString(whole$variable), sprintf("must have the names %s",
                                                                                toString(names)))
  whole
}

# With names; a model of one value for all may not have known how many there are.
several_of <- function(model, p, names) {
  own <- variable_count(model)
  if (own == 1L && p > 1L && is.null(model$variable)) {
    given <- unclass(model)
    given$variable <- names
    if (model$name == "multimatern") {
      given[c("variance", "smoothness", "nugget")] <- lapply(given[c("variance", "smoothness", "nugget")], rep_len, p)
      given$correlation <- NA
    } else if (all(is.na(given$sill))) {
      given$sill <- NA
      given$nugget <- rep_len(given$nugget, p)
    }
    model <- do.call(covModel, given[intersect(families[[model$name]]$arguments, names(given))], quote = TRUE)
    own <- variable_count(model)
  }
  if (own != p) raise_engine_error("input", sprintf("cov is a model of %s: formula has %d",
                                                    count_text(own, "variable"), p))
  if (is.null(model$variable)) update(model, variable = names) else model
}

# Known variances of errors: one for all, one for each row of data in long form, or a column for each variable.
several_errors <- function(error, forms, n) {
  p <- length(forms)
  if (is.null(error)) return(rep(list(NULL), p))
  if (is.data.frame(error)) error <- as.matrix(error)
  check_numeric("error.variance", error)
  long <- !identical(forms[[1L]]$rows, forms[[2L]]$rows)
  if (is.matrix(error) && ncol(error) == p && nrow(error) == n && !long)
    return(lapply(seq_len(p), function(k) error[, k]))
  if (!is.matrix(error) && length(error) %in% c(1L, if (long) n)) return(rep(list(rep_len(error, n)), p))
  raise_engine_error("input", sprintf("error.variance must be one number, or have %s", if (long)
    sprintf("an element for each of %d rows of data", n) else sprintf("%d rows, and a column for each variable", n)))
}

# The observations of a variable, with what makes its mean of new data.
variable_design <- function(form, name, points, error, contrasts) {
  data <- points$data[form$rows, , drop = FALSE]
  formula <- form$formula
  frame <- model_variables(formula, data, stats::model.frame(formula, data, na.action = stats::na.pass,
                                                             drop.unused.levels = TRUE))
  frame <- plain_numbers(frame)
  terms <- attr(frame, "terms")
  xy <- points$xy[form$rows, , drop = FALSE]
  own <- if (is.null(error)) NULL else error[form$rows]
  known <- stats::complete.cases(frame) & stats::complete.cases(xy)
  if (!is.null(own)) known <- known & !is.na(own)
  if (!any(known)) raise_engine_error("input", sprintf("no observation of %s is left: all have missing values", name))
  names <- row.names(data)[known]
  frame <- droplevels(frame[known, , drop = FALSE])
  attr(frame, "terms") <- terms
  y <- fit_response(frame, terms)
  X <- model_variables(formula, data, model.matrix(terms, frame, contrasts))
  xy <- unname(xy[known, , drop = FALSE])
  bad <- which(!is.finite(xy), arr.ind = TRUE)
  if (nrow(bad)) place_error("coords", xy, bad[1L, 1L], bad[1L, 2L], "coordinates must be finite", names)
  offset <- frame_offset(frame)
  list(formula = formula, terms = terms, xlevels = stats::.getXlevels(terms, frame), contrasts = attr(X, "contrasts"),
       y = as.double(y), X = X, xy = xy, rows = form$rows[known], names = names,
       offset = if (is.null(offset)) numeric(length(y)) else offset, error = if (!is.null(own)) own[known])
}

# A variable that its mean fits exactly has no variance, whatever the others are.
check_left <- function(design, name) {
  y <- design$y - design$offset
  if (max(abs(qr.resid(qr(design$X), y))) <= 1e-13 * max(abs(y))) raise_engine_error("input", if (
    length(unique(y)) == 1L) sprintf("%s is constant: there is nothing to fit, leave it out", name)
    else sprintf("the mean of %s fits it exactly: nothing is left for its covariance", name))
}

# A variable that is a multiple of another one, but for their means, where both were observed has an infinite density.
check_copies <- function(designs, names) {
  pairs <- utils::combn(length(designs), 2L * (length(designs) > 1L))
  for (k in seq_len(ncol(pairs) * (length(designs) > 1L))) {
    a <- designs[[pairs[1L, k]]]
    b <- designs[[pairs[2L, k]]]
    place <- place_numbers(rbind(a$xy, b$xy))
    there <- match(place[seq_along(a$y)], place[-seq_along(a$y)])
    one <- which(!is.na(there))
    other <- there[one]
    y <- (a$y - a$offset)[one]
    known <- qr(cbind(a$X[one, , drop = FALSE], b$X[other, , drop = FALSE], (b$y - b$offset)[other]))
    if (length(one) > known$rank + 1L && max(abs(qr.resid(known, y))) <= 1e-12 * max(abs(y)))
      raise_engine_error("input", sprintf(
        "%s and %s are multiples of one another where both were observed, but for their means: leave one out",
        names[pairs[1L, k]], names[pairs[2L, k]]))
  }
}

# All observations, those of a variable after the other or, in long form, in the order of the data, and the design
# with coefficients for each variable, `column` being whose they are.
joined_designs <- function(designs, names, long) {
  p <- length(designs)
  of <- rep(seq_len(p), lengths(lapply(designs, `[[`, "y")))
  column <- rep(seq_len(p), vapply(designs, function(d) ncol(d$X), 1L))
  X <- matrix(0, length(of), length(column))
  for (k in seq_len(p)) X[of == k, column == k] <- designs[[k]]$X
  colnames(X) <- paste0(names[column], ":", unlist(lapply(designs, function(d) colnames(d$X))), recycle0 = TRUE)
  all <- function(part) unlist(lapply(designs, `[[`, part), use.names = FALSE)
  row <- if (long) all("names") else paste0(names[of], ":", all("names"))
  terms <- lapply(designs, function(d)
    c("(Intercept)", attr(d$terms, "term.labels"))[unique(attr(d$X, "assign")) + 1L])
  before <- c(0L, cumsum(lengths(terms)))
  assign <- unlist(lapply(seq_len(p), function(k)
    before[k] + match(attr(designs[[k]]$X, "assign"), unique(attr(designs[[k]]$X, "assign"))) - 1L))
  order <- if (long) order(all("rows")) else seq_along(of)
  X <- structure(X[order, , drop = FALSE], dimnames = list(row[order], colnames(X)), assign = assign)
  list(y = stats::setNames(all("y"), row)[order], X = X, offset = all("offset")[order], error = all("error")[order],
       xy = cbind(do.call(rbind, lapply(designs, `[[`, "xy")), of)[order, , drop = FALSE], of = of[order],
       column = column, names = names, row = all("rows")[order],
       labels = paste0(rep(names, lengths(terms)), ":", unlist(terms), recycle0 = TRUE))
}

# A model frame with a row for each observation.
several_frame <- function(whole, axes) {
  xy <- whole$xy[, -ncol(whole$xy), drop = FALSE]
  colnames(xy) <- if (length(axes) == ncol(xy)) axes else make.unique(rep_len(c("x", "y", "z", "u"), ncol(xy)))
  frame <- data.frame(value = unname(whole$y), variable = factor(whole$names[whole$of], whole$names), xy,
                      check.names = FALSE)
  row.names(frame) <- make.unique(names(whole$y))
  frame
}

refuse_one_response <- function(name) input_error("cov", name, paste(
  "is of several variables, and formula has one: cbind(y1, y2) ~ x, list(y1 ~ x, y2 ~ 1) or variable = ~ element, a",
  "factor, say which these are"))

# Covariances whose parameters follow covariates, of families that are mixtures of Gaussian ones (Paciorek and
# Schervish 2006, Spatial modelling using a new class of nonstationary covariance functions, Environmetrics 17,
# 483-506). The entry "local.<family>" of `families` has its model: numbers where a parameter is one, in `local` by
# parameter the formula with what makes the same columns of other data, and the coefficients in local.<parameter>.
# What is in place of a parameter that has a formula, is a number that nothing depends on. Points have the columns of
# all formulas, one after the other, behind their coordinates.

is_local <- function(model) !is.null(families[[model$name]]$base)

# Of the logarithm, but for the angle, which is linear in degrees.
local_targets <- c("variance", "range", "smoothness", "angle", "nugget")

# ---- models ----

# Of arguments of covModel() those parameters that are formulas.
parameter_formulas <- function(given)
  Filter(function(value) inherits(value, "formula"), given[intersect(names(given), names(parameter_facts))])

local_model <- function(given) {
  coefficients <- given$coefficients
  given$coefficients <- NULL
  formulas <- parameter_formulas(given)
  odd <- setdiff(names(formulas), local_targets)
  if (length(odd)) input_error(odd[1L], deparse1(formulas[[odd[1L]]]), paste(
    "must not be a formula: these are for", toString(local_targets)))
  if (!given$name %in% local_families) input_error(names(formulas)[1L], deparse1(formulas[[1L]]), sprintf(
    "is a formula, which is for %s", toString(dQuote(local_families, FALSE))))
  formulas <- formulas[intersect(local_targets, names(formulas))]
  for (p in names(formulas)) check_local_formula(p, formulas[[p]])
  given[names(formulas)] <- list(variance = 1, range = 1, smoothness = 0.5, angle = 0, nugget = 0)[names(formulas)]
  model <- unclass(do.call(covModel, given, quote = TRUE))
  check_local_space(model, formulas)
  model$name <- paste0("local.", model$name)
  model$local <- lapply(formulas, function(formula) list(formula = formula))
  for (p in names(formulas)) model[[paste0("local.", p)]] <- numeric()
  if (!is.null(coefficients)) model <- local_given(model, coefficients)
  structure(model, class = "covModel")
}

check_local_formula <- function(p, formula) {
  if (length(formula) != 2L)
    input_error(p, deparse1(formula), "must be a formula without a left side, as ~ elevation")
  if (any(c("|", "||", "offset") %in% all.names(formula)))
    input_error(p, deparse1(formula), "must have covariates alone, no grouped effects and no offset")
  if ("." %in% all.vars(formula)) # which would have the response among them
    input_error(p, deparse1(formula), "must name its covariates, as ~ elevation + slope")
}

check_local_space <- function(model, formulas) {
  one <- sprintf("is not for models whose %s follows covariates", names(formulas)[1L])
  if (model$distance %in% c("greatcircle", "given"))
    input_error("distance", model$distance, paste0(one, ": \"chordal\" and \"euclidean\" are"))
  if (!is.null(model$scales)) input_error("scales", model$scales, paste0(one, ": angle and ratio are, in the plane"))
  if (!is.null(model$scaling) && model$scaling != "plain")
    input_error("scaling", model$scaling, paste0(one, ": \"plain\" is"))
  if ("angle" %in% names(formulas) && identical(model$ratio, 1)) input_error("ratio", 1, paste(
    "has no direction: with a formula for angle give another one, or NA for a fit"))
}

# Coefficients by parameter and name.
local_given <- function(model, coefficients) {
  coefficients <- Filter(length, coefficients)
  if (!length(coefficients)) return(model)
  if (!is.list(coefficients) || is.null(names(coefficients)) || anyDuplicated(names(coefficients)))
    input_error("coefficients", class(coefficients)[1L],
                "must be a list by parameters, as list(range = c(\"(Intercept)\" = 0, elevation = 0.5))")
  odd <- setdiff(names(coefficients), names(model$local))
  if (length(odd)) input_error("coefficients", odd[1L], paste(
    "must be of parameters with a formula:", toString(names(model$local))))
  for (p in names(coefficients)) {
    value <- coefficients[[p]]
    name <- paste0("coefficients$", p)
    if (!is.numeric(value) && !is.logical(value) || length(names(value)) != length(value) ||
          anyDuplicated(names(value)))
      input_error(name, if (is.numeric(value)) value else class(value)[1L], "must be numbers by the names of columns")
    if (any(is.infinite(value) | is.nan(value))) input_error(name, value, "must be finite, or NA")
    model[[paste0("local.", p)]] <- stats::setNames(as.double(value), names(value))
  }
  model
}

# What covModel() has made, which anybody may have changed since; NULL coefficients are not known.
check_local <- function(model, unknown) {
  model <- unclass(model)
  entry <- families[[model$name]]
  targets <- names(model$local)
  plain <- model[setdiff(names(model), c("local", "axes", paste0("local.", local_targets)))]
  plain$name <- entry$base
  base <- unclass(do.call(covModel, plain, quote = TRUE))
  check_local_space(base, model$local)
  model[names(base)] <- base
  model$name <- paste0("local.", entry$base)
  model <- local_given(model, stats::setNames(model[paste0("local.", targets)], targets))
  if (!unknown) {
    rows <- cov_parameters(list(model))
    if (anyNA(rows$value)) input_error(rows$name[is.na(rows$value)][1L], NA,
      "must be a number here: only fits take models with parameters that are not known")
  }
  structure(model, class = "covModel")
}

# A row for each number, and for each coefficient.
local_parameters <- function(model) {
  rows <- lapply(c("variance", "range", families[[model$name]]$takes, "angle", "ratio", "nugget"), function(p) {
    if (is.null(model$local[[p]])) return(new_parameters(p))
    own <- paste0("local.", p)
    n <- length(model[[own]])
    if (!n) return(NULL) # the columns are not known yet
    row <- new_parameters(rep(own, n), seq_len(n))
    row$parameter <- paste0(p, rep(".", n), names(model[[own]]))
    row
  })
  do.call(join_parameters, Filter(length, rows))
}

# The family's part at variance and range 1, for F and for the metric.
local_part <- function(model) {
  part <- unclass(model)
  part$name <- families[[model$name]]$base
  part[c("variance", "range", "nugget", "angle", "mean")] <- list(1, 1, 0, 0, 0)
  part[!startsWith(names(part), "local") & names(part) != "axes"]
}

print_local <- function(x, digits) {
  number <- function(v) format(v, digits = digits, trim = TRUE)
  shown <- function(p) paste(p, if (is.null(x$local[[p]])) number(x[[p]]) else deparse1(x$local[[p]]$formula))
  entry <- families[[x$name]]
  turned <- !isTRUE(x$ratio == 1)
  cat(families[[entry$base]]$text, " covariance with parameters that follow covariates: ", toString(vapply(
    c("variance", "range", entry$takes, if (turned) c("angle", "ratio"),
      if (!is.null(x$local$nugget) || !isTRUE(x$nugget == 0)) "nugget"), shown, "")), "\n", sep = "")
  for (p in names(x$local)) if (length(own <- x[[paste0("local.", p)]])) {
    cat("Coefficients of", if (p == "angle") "angle" else paste0("log(", p, "):"), "\n")
    print(own, digits = digits)
  }
}

format_local <- function(x, digits) {
  shown <- function(p) sprintf("%s = %s", p, if (is.null(x$local[[p]])) format(x[[p]], digits = digits, trim = TRUE)
                               else deparse1(x$local[[p]]$formula))
  entry <- families[[x$name]]
  sprintf("%s(%s)", entry$base, toString(vapply(c("variance", "range", entry$takes,
    if (!isTRUE(x$ratio == 1)) c("angle", "ratio"), "nugget"), shown, "")))
}

# ---- covariates ----

# The columns of all formulas for these data, and the model with what makes them of others, whose coefficients have
# their order: those that were not given are NA.
local_columns <- function(model, data, name) {
  columns <- list()
  for (p in names(model$local)) {
    known <- model$local[[p]]
    check_local_variables(p, known$formula, data, name)
    frame <- model_variables(known$formula, data, stats::model.frame(
      if (is.null(known$terms)) known$formula else known$terms, data, na.action = stats::na.pass,
      xlev = known$xlevels), name)
    if (is.null(known$terms)) frame <- droplevels(frame)
    seen <- attr(frame, "terms") # poly() and others keep in them what they have of the data
    X <- model_variables(known$formula, data, stats::model.matrix(seen, plain_numbers(frame),
                                                                  contrasts.arg = known$contrasts), name)
    if (!ncol(X)) input_error(p, deparse1(known$formula), "has no column: ~ 1 is a constant")
    if (is.null(known$terms)) {
      model$local[[p]] <- c(known["formula"], list(terms = seen, xlevels = stats::.getXlevels(seen, frame),
                                                   contrasts = attr(X, "contrasts"), columns = colnames(X)))
      own <- model[[paste0("local.", p)]]
      odd <- setdiff(names(own), colnames(X))
      if (length(odd)) input_error(paste0("coefficients$", p), odd[1L], paste(
        "must be names of columns, which are", toString(colnames(X))))
      model[[paste0("local.", p)]] <- stats::setNames(own[colnames(X)], colnames(X))
    }
    columns[[p]] <- unname(X[, , drop = FALSE])
  }
  list(model = model, columns = do.call(cbind, columns))
}

# A variable that is not among the columns may be a single number from elsewhere, and nothing that has other rows.
check_local_variables <- function(p, formula, data, name) {
  if (is.environment(data)) return(invisible())
  absent <- setdiff(all.vars(formula), names(data))
  absent <- absent[vapply(absent, function(v) {
    found <- get0(v, environment(formula))
    is.null(found) || is.function(found) || length(found) != 1L
  }, NA)]
  if (length(absent)) raise_engine_error("input", sprintf(
    "%s has no column %s, a covariate of %s = %s", name, absent[1L], p, deparse1(formula)))
}

# Points with their covariates: columns that are no covariates are coordinates, or those that a fit has called so.
local_points <- function(x, name, model) {
  spatial <- inherits(x, "sf")
  if (!is.data.frame(x)) input_error(name, class(x)[1L], sprintf(
    "must be a data frame, or points of the package sf, with the covariates %s beside the coordinates",
    toString(local_variables(model))))
  data <- if (spatial) sf::st_drop_geometry(x) else as.data.frame(x)
  found <- local_columns(model, data, name)
  axes <- if (all(model$axes %in% names(data)) && length(model$axes)) model$axes
          else setdiff(names(data), local_variables(model))
  if (!spatial && !length(axes)) raise_engine_error("input", sprintf(
    "%s has no coordinates: its columns %s are covariates", name, toString(names(data))))
  if (!spatial) check_other_axis(axes, local_variables(model), name)
  points <- points_of(if (spatial) sf::st_geometry(x) else data[axes], name, list(distance = model$distance))
  if (!spatial) points["names"] <- list(given_row_names(x))
  bad <- which(!is.finite(found$columns), arr.ind = TRUE)
  if (nrow(bad)) raise_engine_error("input", sprintf(
    "%s has no finite value of a covariate in row %d: covariates are %s", name, bad[1L, 1L],
    toString(local_variables(model))))
  points$xy <- cbind(unname(points$xy), found$columns)
  list(model = found$model, points = points)
}

# One axis of a plane as a covariate leaves the other one as the only coordinate, which nobody means.
check_other_axis <- function(axes, covariates, name) {
  pairs <- list(c("x", "y"), c("lon", "lat"), c("long", "lat"), c("longitude", "latitude"), c("easting", "northing"))
  for (pair in c(pairs, lapply(pairs, rev))) {
    other <- match(pair[2L], tolower(covariates))
    if (identical(tolower(axes), pair[1L]) && !is.na(other)) raise_engine_error("input", sprintf(
      "%s has the one coordinate %s, as %s is a covariate: give the covariate a column of its own", name, axes,
      covariates[other]))
  }
}

local_variables <- function(model)
  unique(unlist(lapply(model$local, function(known) all.vars(known$formula))))

local_width <- function(model) sum(lengths(unclass(model)[paste0("local.", names(model$local))]))

# Which of the columns behind the coordinates are of each formula.
local_places <- function(model, dim) {
  sizes <- lengths(unclass(model)[paste0("local.", names(model$local))])
  stats::setNames(Map(function(end, size) dim + end - size + seq_len(size), cumsum(sizes), sizes), names(model$local))
}

local_metric <- function(model, a) {
  a$xy <- a$xy[, seq_len(ncol(a$xy) - local_width(model)), drop = FALSE]
  metric <- metric_of(list(local_part(model)), a, NULL)
  if (!identical(model$ratio, 1) && (metric$kind != "euclidean" || metric$dim != 2L))
    input_error("ratio", model$ratio, "is for points in the plane")
  metric
}

# ---- what is known of places ----

# Of a parameter at places, that of all or one for each.
local_value <- function(p, target, xy) {
  at <- local_places(p$model, p$metric$dim)[[target]]
  if (is.null(at)) return(rep_len(as.double(p$model[[target]]), nrow(xy)))
  eta <- drop(xy[, at, drop = FALSE] %*% p$model[[paste0("local.", target)]])
  switch(target, angle = eta, smoothness = bounded_smoothness(eta)$value, exp(eta))
}

# A smoothness of more than 50 would change a covariance by less than 1 %, and one below 0.001 is noise. A sudden stop
# there would be none for a search, so that with a = 12 it is (exp(-a eta) + 50^-a)^(-1/a), and the like below:
# exp(eta) to within 3e-10 of it from 0.005 to 10, and to all digits from 0.02 to 2.5. `slope` is d log/d eta.
bounded_smoothness <- function(eta) {
  ends <- log(c(1e-3, 50))
  beyond <- function(u) (pmax(u, 0) + log1p(exp(-abs(u)))) / 12
  below <- eta - beyond(12 * (eta - ends[2L]))
  value <- exp(below + beyond(12 * (ends[1L] - below)))
  list(value = value, slope = stats::plogis(12 * (ends[2L] - eta)) * stats::plogis(12 * (below - ends[1L])))
}

# Squares of ranges must be numbers.
check_local_value <- function(v, target, low, high) {
  bad <- which(!(v >= low & v <= high))
  if (length(bad)) raise_engine_error("input", sprintf(
    "%s follows covariates to %s at point %d: it must be from %g to %g everywhere", target, format(v[bad[1L]]),
    bad[1L], low, high))
}

# The columns of local_values.h.
local_known <- function(p, xy) {
  n <- nrow(xy)
  sd <- sqrt(local_value(p, "variance", xy))
  range <- local_value(p, "range", xy)
  if (!all(is.finite(sd))) check_local_value(sd^2, "variance", 0, 1e300)
  check_local_value(range, "range", 1e-100, 1e100)
  takes <- families[[p$model$name]]$takes
  nu <- if (length(takes)) local_value(p, takes, xy) else rep(0.5, n)
  dim <- if (p$metric$kind == "euclidean") p$metric$dim else 3L
  turned <- local_turned(p$model)
  s <- by_angle <- by_ratio <- matrix(0, n, 3L)
  if (turned) {
    angle <- local_value(p, "angle", xy)
    ratio <- p$model$ratio
    c1 <- cospi(angle / 180)
    s1 <- sinpi(angle / 180)
    s <- range^2 * cbind(c1^2 + (ratio * s1)^2, c1 * s1 * (1 - ratio^2), s1^2 + (ratio * c1)^2)
    by_angle <- pi / 180 * (1 - ratio^2) * range^2 * cbind(-2 * c1 * s1, c1^2 - s1^2, 2 * c1 * s1)
    by_ratio <- 2 * ratio * range^2 * cbind(s1^2, -c1 * s1, c1^2)
  } else s[, 1L] <- range^2
  varying <- isTRUE(any(nu != nu[1L]))
  cbind(s, nu, if (varying) lgamma(nu) else 0, if (varying) digamma(nu) else 0,
        sd * (if (turned) range * sqrt(ratio) else range^(dim / 2)), by_angle, by_ratio, deparse.level = 0L)
}

local_turned <- function(model) !isTRUE(model$ratio == 1)

# What the engine takes of places a and b, or a alone.
local_among <- function(p, a, b = NULL) {
  own <- local_known(p, a)
  other <- if (!is.null(b)) local_known(p, b)
  nu <- c(own[, 4L], other[, 4L])
  varying <- isTRUE(any(nu != nu[1L]))
  if (varying) { # of one of the two it may be one number
    own[, 5:6] <- cbind(lgamma(own[, 4L]), digamma(own[, 4L]))
    if (!is.null(b)) other[, 5:6] <- cbind(lgamma(other[, 4L]), digamma(other[, 4L]))
  }
  part <- local_part(p$model)
  if (!is.null(p$model$local$smoothness)) part$smoothness <- if (length(nu)) nu[1L] else 0.5
  list(a = space_coordinates(a, p$metric), b = if (!is.null(b)) space_coordinates(b, p$metric), known = own,
       other = other, turned = local_turned(p$model), varying = varying, parts = engine_parts(list(part)))
}

space_coordinates <- function(xy, metric) {
  xy <- xy[, seq_len(metric$dim), drop = FALSE]
  if (metric$kind == "euclidean") xy else sphere_points(xy, metric$radius)
}

# Of parameters the field of local_values.h, 0 for the nugget, and the derivative of that at each place, a column
# each.
local_slopes <- function(p, names, xy) {
  rows <- cov_parameters(p$parts)
  rows <- rows[match(names, rows$name), ]
  target <- sub("^local\\.", "", rows$base)
  at <- local_places(p$model, p$metric$dim)
  by <- vapply(seq_along(names), function(k) {
    t <- target[k]
    value <- rep(rows$value[k], nrow(xy))
    if (rows$base[k] == t) # a number
      return(switch(t, variance = 0.5 / value, range = 1 / value, rep(1, nrow(xy))))
    x <- xy[, at[[t]][rows$element[k]]]
    if (t == "smoothness") {
      nu <- bounded_smoothness(drop(xy[, at[[t]], drop = FALSE] %*% p$model$local.smoothness))
      return(x * nu$value * nu$slope)
    }
    switch(t, variance = x / 2, range = , angle = x, x * local_value(p, t, xy))
  }, numeric(nrow(xy)))
  fields <- c(variance = 1L, range = 2L, smoothness = 3L, shape = 3L, angle = 4L, ratio = 5L, nugget = 0L)
  list(field = unname(fields[target]), by = matrix(by, nrow(xy)))
}

local_matrix <- function(among, field = 0L) .Call(C_localMatrix, among, as.integer(field))

# The matrix of derivatives for a parameter, between a and b or among a.
local_slope <- function(p, name, a, b = NULL) {
  own <- local_slopes(p, name, a)
  if (own$field == 0L) return(if (is.null(b)) diag(own$by[, 1L], nrow(a)) else matrix(0, nrow(a), nrow(b)))
  half <- own$by[, 1L] * local_matrix(local_among(p, a, b), own$field)
  if (is.null(b)) return(half + t(half))
  half + t(local_slopes(p, name, b)$by[, 1L] * local_matrix(local_among(p, b, a), own$field))
}

local_covariance <- function(model, x, y, deriv, error) {
  found <- local_points(x, "x", model)
  model <- checked_model(found$model)
  a <- found$points
  b <- if (!is.null(y)) local_points(y, "y", model)$points
  errors <- own_errors(error, nrow(a$xy), y)
  known <- parameter_names(list(model))$name
  if (!deriv %in% c("none", known))
    input_error("deriv", deriv, paste("must be one of", toString(dQuote(c("none", known), FALSE))))
  p <- list(model = model, parts = list(model), metric = local_metric(model, a))
  if (!is.null(b) && local_metric(model, b)$dim != p$metric$dim) raise_engine_error("input", sprintf(
    "the points of y have dimension %d, those of x %d", local_metric(model, b)$dim, p$metric$dim))
  if (deriv != "none") value <- local_slope(p, deriv, a$xy, b$xy)
  else {
    value <- local_matrix(local_among(p, a$xy, b$xy))
    if (is.null(b)) diag(value) <- diag(value) + local_value(p, "nugget", a$xy) + if (is.null(errors)) 0 else errors
  }
  dimnames(value) <- slice_names(list(a$names, if (is.null(b)) a$names else b$names), NULL)
  value
}

# ---- the search of a fit ----

# With the moments of the columns: `mean`, `square`, the means of their products, and their standard deviations,
# `spread`.
local_moments <- function(model, columns) {
  at <- local_places(model, 0L)
  for (p in names(model$local)) {
    X <- columns[, at[[p]], drop = FALSE]
    names <- model$local[[p]]$columns
    bad <- which(!is.finite(X), arr.ind = TRUE)
    if (nrow(bad)) input_error(p, deparse1(model$local[[p]]$formula), sprintf(
      "has the value %g of the column %s in observation %d: covariates must be finite", X[bad[1L, , drop = FALSE]],
      names[bad[1L, 2L]], bad[1L, 1L]))
    if (qr(X)$rank < ncol(X)) input_error(p, deparse1(model$local[[p]]$formula), paste(
      "has columns that are constant beside (Intercept), or combinations of others: leave them out"))
    model$local[[p]]$mean <- colMeans(X)
    model$local[[p]]$square <- crossprod(X) / nrow(X)
    model$local[[p]]$spread <- sqrt(pmax(colMeans(X^2) - colMeans(X)^2, 0))
  }
  model
}

# Coefficients that are searched, as those of orthonormal columns: with U'U the means of products, these are U b. For
# logarithms that are nearest to those of a unit these are inv(U') means log(unit): `centre`, with units of variances
# and of lengths, where the bounds of the search have their middle if all coefficients are searched.
local_map <- function(rows, at, part) {
  if (!is_local(part)) return(NULL)
  sets <- lapply(names(part$local), function(p) which(rows$base == paste0("local.", p)))
  free <- lapply(sets, intersect, at)
  roots <- Map(function(p, all, own) if (length(own) && !is.null(part$local[[p]]$square))
    chol(part$local[[p]]$square[match(own, all), match(own, all), drop = FALSE]), names(part$local), sets, free)
  used <- lengths(roots) > 0L
  if (!any(used)) return(NULL)
  free <- free[used]
  roots <- roots[used]
  own <- unlist(free)
  root <- matrix(0, length(own), length(own))
  ends <- cumsum(lengths(free))
  middle <- numeric(length(own))
  target <- rep(names(part$local)[used], lengths(free))
  for (k in seq_along(free)) {
    block <- ends[k] - length(free[[k]]) + seq_along(free[[k]])
    root[block, block] <- roots[[k]]
    mean <- part$local[[target[ends[k]]]]$mean
    if (length(mean) == length(block)) middle[block] <- backsolve(roots[[k]], mean, transpose = TRUE)
  }
  back <- backsolve(root, diag(nrow(root)))
  # standard deviations of a field beyond 10 are none that anything is known of
  slopes <- rows$base[own] != "local.angle" & !grepl("(Intercept)", rows$name[own], fixed = TRUE)
  centre <- function(variance, length)
    middle * ifelse(target %in% c("variance", "nugget"), log(variance), ifelse(target == "range", log(length), 0))
  search_map(own, ends = ifelse(slopes, 10, NA), centre = centre, point = function(s, t, j) {
    s$v[own] <- back %*% t[j]
    s$jacobian[j, j] <- back
    s
  }, start = function(t, given, v, j) replace(t, j, root %*% given[own]))
}

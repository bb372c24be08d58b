# The parameters of covariance models by name, part by part: what derivatives and fits speak of. Names, bounds, the
# scale of a search, and parameters that are not known.

# What is said of a parameter by the argument of covModel() that it is: its `kind`; `bounds` whatever the others are,
# if not 0 and Inf; its `sign`, if that is not "positive"; `filler` in place of one that is not known, and where a
# search may `begin`, functions of the model that has it; and `ends` of a search, on its scale, that do not depend on
# the data. Entries of families come first.
parameter_facts <- list(
  variance = list(kind = "sill", filler = function(m) 1),
  nugget = list(kind = "sill", filler = function(m) 0),
  range = list(kind = "length", filler = function(m) min(1, m$radius, na.rm = TRUE)),
  scales = list(kind = "length", filler = function(m) 1),
  smoothness = list(kind = "smoothness", sign = "not negative", filler = function(m) 0.5, ends = log(c(1e-3, 50)),
                    begin = function(m, choice, dim) choice$smoothness),
  shape = list(kind = "shape", filler = function(m) 1, ends = c(-40, log(1e3))),
  exponent = list(kind = "shape", sign = "", filler = function(m) -1),
  kmin = list(kind = "shape", filler = function(m) 1),
  kmax = list(kind = "shape", filler = function(m) 2),
  interaction = list(kind = "interaction", filler = function(m) 0.5, begin = function(m, choice, dim) 0.5),
  angle = list(kind = "angle", bounds = c(-Inf, Inf), filler = function(m) 0, ends = c(-Inf, Inf),
               begin = function(m, choice, dim) choice$angle),
  ratio = list(kind = "ratio", bounds = c(0, 1), filler = function(m) 1,
               begin = function(m, choice, dim) choice$ratio),
  correlation = list(kind = "correlation", bounds = c(-1, 1), filler = function(m) 0),
  sill = list(kind = "coregionalisation", filler = function(m) 1))
for (name in c("variance", "range", "smoothness", "angle", "nugget")) # of a parameter that follows covariates
  parameter_facts[[paste0("local.", name)]] <- list(kind = "coefficient", bounds = c(-Inf, Inf),
                                                    filler = function(m) 0, ends = if (name == "angle") c(-Inf, Inf))
rm(name)

parameter_kinds <- vapply(parameter_facts, `[[`, "", "kind")

# A row for each parameter: its `name` (with the number of its part where there are several), the `part`, and its name
# `parameter` there; where it is: `inside` which model of the part, "space" or "time", or "" for the part itself, the
# argument of covModel() that is its `base`, and the `element` of that, NA for the only one; kind, value and bounds. A
# covariance between two variables, of the kind "cross", has no bounds of its own.
cov_parameters <- function(parts) {
  rows <- parameter_names(parts)
  rows$kind <- ifelse(is.na(rows$kind), parameter_kinds[rows$base], rows$kind)
  rows$value <- mapply(function(k, ...) as.double(parts[[k]][[parameter_path(parts[[k]], ...)]]), rows$part,
                       rows$inside, rows$base, rows$element, USE.NAMES = FALSE)
  bounds <- mapply(function(k, ...) parameter_bounds(parts[[k]], ...), rows$part, rows$inside, rows$base)
  rows$lower <- bounds[1L, ]
  rows$upper <- bounds[2L, ]
  rows$lower[rows$kind == "cross"] <- -Inf
  rows
}

parameter_names <- function(parts) {
  own <- lapply(parts, part_parameters)
  part <- rep(seq_along(parts), lengths(lapply(own, `[[`, "base")))
  rows <- do.call(join_parameters, own)
  name <- if (length(parts) > 1L) paste0(rows$parameter, ".", part) else rows$parameter
  structure(c(list(name = name, part = part), rows), class = "data.frame", row.names = .set_row_names(length(part)))
}

# Columns of such rows, of one model: `label` is what distinguishes the elements of an argument, `kind` is NA where it
# is that of the argument. Data frames would take more time than the likelihoods of small data.
new_parameters <- function(base, element = rep(NA_integer_, length(base)), label = "", kind = NA_character_)
  list(parameter = paste0(base, label), inside = rep("", length(element)), base = rep_len(base, length(element)),
       element = as.integer(element), kind = rep_len(as.character(kind), length(element)))

join_parameters <- function(...) Map(c, ...)

part_parameters <- function(part) {
  known <- families[[part$name]]
  if (!is.null(known$parameters)) return(known$parameters(part))
  own <- intersect(known$takes, names(parameter_facts))
  join_parameters(new_parameters(c("variance", "range", own)), axes_parameters(part), new_parameters("nugget"))
}

axes_parameters <- function(part) {
  axes <- seq_along(part$scales)
  if (length(axes)) new_parameters("scales", axes, axes) else new_parameters(c("angle", "ratio"))
}

# Of a fit, parameters that are none of the covariance.
other_parameters <- function(name, kind, value, lower, upper) {
  row <- data.frame(name = "", part = 0L, parameter = "", inside = "", base = "", element = NA_integer_, kind = kind,
                    value = 0, lower = lower, upper = upper)[rep(1L, length(name)), ]
  row$name <- row$parameter <- row$base <- name
  row$value <- rep_len(value, length(name))
  row
}

# Where a part has a parameter.
parameter_path <- function(part, inside, base, element)
  c(if (nzchar(inside)) if (is.null(part$parts)) match(inside, names(part))
                        else c(match("parts", names(part)), match(inside, names(part$parts))),
    match(base, names(model_inside(part, inside))), if (!is.na(element)) element)

model_inside <- function(part, inside)
  if (!nzchar(inside)) part else if (is.null(part$parts)) part[[inside]] else part$parts[[inside]]

family_inside <- function(part, inside) {
  name <- model_inside(part, inside)$name
  if (is.null(name)) families[[part$name]][[inside]] else families[[name]]
}

on_circle <- function(m) identical(m$distance, "greatcircle")

# What the family says of a parameter, else what is said of all of its name.
parameter_fact <- function(known, base, what) {
  own <- known[[what]][[base]]
  if (is.null(own)) parameter_facts[[base]][[what]] else own
}

# Where a parameter may lie whatever the others are; "wendland" and "bimatern" have conditions on several.
parameter_bounds <- function(part, inside, base) {
  known <- family_inside(part, inside)
  m <- model_inside(part, inside)
  own <- if (on_circle(m)) known$circle[[base]]
  if (is.null(own) && on_circle(m) && base == "range" && known$compact) own <- c(0, pi * m$radius)
  if (is.null(own)) own <- parameter_fact(known, base, "bounds")
  if (is.null(own)) c(0, Inf) else own
}

# A number for one that is not known, which fits the others of the model m.
parameter_filler <- function(known, m, base) {
  value <- parameter_fact(known, base, "filler")(m)
  if (is.na(value)) parameter_facts[[base]]$filler(m) else value
}

# The model with numbers for what is not known, which fit the conditions of its family.
known_model <- function(model) {
  rows <- cov_parameters(model_parts(model))
  for (i in which(is.na(rows$value))) {
    part <- model_parts(model)[[rows$part[i]]]
    inside <- rows$inside[i]
    rows$value[i] <- if (rows$kind[i] == "ratio") 0.5 # which says that there is anisotropy
                     else if (rows$kind[i] == "cross") 0
                     else parameter_filler(family_inside(part, inside), model_inside(part, inside), rows$base[i])
    model <- set_parameters(model, rows$value, rows)
  }
  model
}

set_in_part <- function(part, rows, i)
  `[[<-`(part, parameter_path(part, rows$inside[i], rows$base[i], rows$element[i]), rows$value[i])

# The model with other values of its parameters, and those that are NA.
set_parameters <- function(model, value, rows = cov_parameters(model_parts(model))) {
  parts <- model_parts(model)
  rows$value <- value
  plain <- !nzchar(rows$inside) & is.na(rows$element)
  for (k in unique(rows$part[plain])) {
    own <- plain & rows$part == k
    parts[[k]][rows$base[own]] <- as.list(value[own])
  }
  for (i in which(!plain)) parts[[rows$part[i]]] <- set_in_part(parts[[rows$part[i]]], rows, i)
  for (k in seq_along(parts)) if (!is.null(families[[parts[[k]]$name]]$settle))
    parts[[k]] <- families[[parts[[k]]$name]]$settle(parts[[k]])
  # what a model of space and time has of that of space
  for (k in seq_along(parts)) if (!is.null(parts[[k]]$space))
    for (p in c("range", "angle", "ratio", "scales", "rotation")) parts[[k]][p] <- parts[[k]]$space[p]
  if (!is_sum(model)) return(parts[[1L]])
  model$parts <- parts
  model
}

unknown_parameters <- function(model) {
  rows <- cov_parameters(model_parts(model))
  rows$name[is.na(rows$value)]
}

holes_of <- function(given) Filter(length, lapply(given, function(v)
  if (is.numeric(v) || is.logical(v)) which(is.na(v) & !is.nan(v))))

# NA for a parameter of covModel(): it is checked with a value in its place, which fits all others.
model_with_holes <- function(given, holes) {
  own <- families[[given$name]]$arguments
  if (is.null(own)) check_takes(given)
  filled <- Filter(Negate(is.null), if (is.null(own)) given else given[intersect(own, names(given))])
  for (p in names(holes)) {
    filled[[p]][holes[[p]]] <- parameter_filler(families[[given$name]], filled, p)
    filled[[p]] <- as.double(filled[[p]])
  }
  related <- !is.null(given$correlation) && any(c("range", "smoothness", "correlation") %in% names(holes))
  if (related) {
    if (isTRUE(abs(given$correlation) > 1))
      input_error("correlation", given$correlation, "must be from -1 to 1")
    filled$correlation <- 0 # what it may be is not known
  }
  model <- do.call(covModel, filled, quote = TRUE)
  if (related) model$correlation <- as.double(given$correlation)
  for (p in names(holes)) model[[p]][holes[[p]]] <- NA_real_
  model
}

# What the engine is asked for: the covariance, or its derivative for a parameter.
want_of <- function(parts, deriv, dim = 0L, known = parameter_names(parts)) {
  if (identical(deriv, "none")) return(list("none", 0L, NULL))
  if (!is.character(deriv) || length(deriv) != 1L || !deriv %in% known$name)
    input_error("deriv", deriv, paste("must be \"none\" or one of", toString(dQuote(known$name, FALSE))))
  row <- lapply(known, `[[`, match(deriv, known$name))
  # engine_parts() has two of a part of space and time, of which that of time is the first
  at <- row$part + sum(!vapply(parts[seq_len(row$part)], function(p) is.null(p$space), NA)) - (row$inside == "time")
  m <- model_inside(parts[[row$part]], row$inside)
  if (is.null(m$name)) return(list(row$base, at, NULL)) # Gneiting's time has derivatives of their own
  takes <- families[[m$name]]$takes
  what <- switch(row$base, variance = "variance", range = "range", nugget = return(list("nothing", at, NULL)),
                 if (row$base %in% takes) "shape" else "map")
  if (row$inside == "" && !is.null(m$space)) return(list(what, at, NULL))
  if (what == "map" && dim == 0L)
    raise_engine_error("input", sprintf("deriv = \"%s\" needs coordinates: distances have no direction", deriv))
  if (what == "map" && dim != 2L && is.null(m$scales))
    input_error("deriv", deriv, sprintf("is for points in the plane, not of dimension %d: see scales", dim))
  list(what, at, if (what == "map") anisotropy(m, dim, deriv = row$base, axis = row$element), match(row$base, takes))
}

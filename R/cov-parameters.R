# The parameters of covariance models by name, part by part: what derivatives and fits speak of. Names, bounds, the
# scale of a search, and parameters that are not known.

# A row for each parameter: its `name` (with the number of its part where there are several), the `part`, and its name
# `parameter` there; where it is: `inside` which model of the part, "space" or "time", or "" for the part itself, the
# argument of covModel() that is its `base`, and the `element` of that, NA for the only one; its value and bounds.
cov_parameters <- function(parts) {
  rows <- parameter_names(parts)
  rows$value <- mapply(function(k, ...) as.double(parts[[k]][[parameter_path(parts[[k]], ...)]]), rows$part,
                       rows$inside, rows$base, rows$element, USE.NAMES = FALSE)
  bounds <- mapply(function(k, ...) parameter_bounds(parts[[k]], ...), rows$part, rows$inside, rows$base)
  rows$lower <- bounds[1L, ]
  rows$upper <- bounds[2L, ]
  rows
}

parameter_names <- function(parts) {
  own <- lapply(parts, part_parameters)
  part <- rep(seq_along(parts), lengths(lapply(own, `[[`, "base")))
  rows <- do.call(join_parameters, own)
  name <- if (length(parts) > 1L) paste0(rows$parameter, ".", part) else rows$parameter
  structure(c(list(name = name, part = part), rows), class = "data.frame", row.names = .set_row_names(length(part)))
}

# Columns of such rows, of one model: `label` is what distinguishes the elements of an argument. Data frames would
# take more time than the likelihoods of small data.
new_parameters <- function(base, element = rep(NA_integer_, length(base)), label = "")
  list(parameter = paste0(base, label), inside = rep("", length(element)), base = rep_len(base, length(element)),
       element = element)

join_parameters <- function(...) Map(c, ...)

part_parameters <- function(part) {
  if (!is.null(part$space)) return(space_time_parameters(part))
  if (part$name == "bimatern") return(bivariate_parameters(part))
  own <- setdiff(families[[part$name]]$takes, c("density", "covariance", "dim"))
  join_parameters(new_parameters(c("variance", "range", own)), axes_parameters(part), new_parameters("nugget"))
}

axes_parameters <- function(part) {
  axes <- seq_along(part$scales)
  if (length(axes)) new_parameters("scales", axes, axes) else new_parameters(c("angle", "ratio"))
}

# Of a fit, a parameter that is none of the covariance.
other_parameters <- function(name, value, lower, upper)
  data.frame(name = name, part = rep(0L, length(name)), parameter = name, inside = rep("", length(name)), base = name,
             element = rep(NA_integer_, length(name)), value = value, lower = lower, upper = upper)

# Where a part has a parameter.
parameter_path <- function(part, inside, base, element)
  c(if (nzchar(inside)) match(inside, names(part)), match(base, names(model_inside(part, inside))),
    if (!is.na(element)) element)

model_inside <- function(part, inside) if (nzchar(inside)) part[[inside]] else part

# Where a parameter may lie whatever the others are; "wendland" and "bimatern" have conditions on several.
parameter_bounds <- function(part, inside, base) {
  part <- model_inside(part, inside)
  if (is.null(part$name)) return(c(0, if (base == "range") Inf else 1)) # the time of "gneiting"
  known <- families[[part$name]]
  circle <- identical(part$distance, "greatcircle")
  own <- if (circle) known$circle[[base]]
  if (is.null(own)) own <- known$bounds[[base]]
  if (!is.null(own)) own
  else switch(base, range = c(0, if (circle && known$compact) pi * part$radius else Inf), angle = c(-Inf, Inf),
              ratio = c(0, 1), correlation = c(-1, 1), c(0, Inf))
}

# A search runs on the logarithm of what is positive, the logit of what is in an interval, and else on the parameter:
# v(t), its inverse and dv/dt for each row of cov_parameters().
from_search <- function(t, rows) {
  width <- rows$upper - rows$lower
  ifelse(is.infinite(rows$lower), t, rows$lower + ifelse(is.finite(width), width * stats::plogis(t), exp(t)))
}

to_search <- function(v, rows) {
  width <- rows$upper - rows$lower
  above <- pmax(v - rows$lower, 0)
  ifelse(is.infinite(rows$lower), v,
         ifelse(is.finite(width), log(above) - log(pmax(rows$upper - v, 0)), log(above)))
}

search_jacobian <- function(v, rows) {
  width <- rows$upper - rows$lower
  ifelse(is.infinite(rows$lower), 1,
         (v - rows$lower) * ifelse(is.finite(width), (rows$upper - v) / width, 1))
}

# The model with other values of its parameters, and those that are NA.
set_parameters <- function(model, value, rows = cov_parameters(model_parts(model))) {
  parts <- model_parts(model)
  for (i in seq_along(rows$part)) {
    k <- rows$part[i]
    parts[[k]][[parameter_path(parts[[k]], rows$inside[i], rows$base[i], rows$element[i])]] <- value[i]
  }
  # what a model of space and time has of that of space
  for (k in seq_along(parts)) if (!is.null(parts[[k]]$space))
    for (p in c("range", "angle", "ratio", "scales", "rotation")) parts[[k]][p] <- parts[[k]]$space[p]
  if (model$name != "sum") return(parts[[1L]])
  model$parts <- parts
  model
}

unknown_parameters <- function(model) {
  rows <- cov_parameters(model_parts(model))
  rows$name[is.na(rows$value)]
}

# NA for a parameter of covModel(): it is checked with a value in its place, which fits all others.
placeholders <- list(variance = 1, range = 1, smoothness = 0.5, shape = 1, exponent = -1, kmin = NULL, kmax = NULL,
                     nugget = 0, angle = 0, ratio = 1, scales = 1, correlation = 0)

holes_of <- function(given) Filter(length, lapply(given, function(v)
  if (is.numeric(v) || is.logical(v)) which(is.na(v) & !is.nan(v))))

model_with_holes <- function(given, holes) {
  own <- own_arguments[[given$name]]
  if (is.null(own)) check_takes(given)
  filled <- Filter(Negate(is.null), if (is.null(own)) given else given[intersect(own, names(given))])
  for (p in names(holes)) {
    value <- placeholders[[p]]
    if (given$name == "wendland") value <- switch(p, shape = given$smoothness + 2, smoothness = 0, value)
    if (p == "range" && !is.na(given$radius)) value <- min(1, given$radius)
    if (p == "kmin") value <- if (is.na(given$kmax)) 1 else given$kmax / 2
    if (p == "kmax") value <- if (is.na(given$kmin)) 2 else given$kmin * 2
    if (is.na(value)) value <- 2
    filled[[p]][holes[[p]]] <- value
    filled[[p]] <- as.double(filled[[p]])
  }
  related <- given$name == "bimatern" && any(c("range", "smoothness", "correlation") %in% names(holes))
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
want_of <- function(parts, deriv, dim = 0L) {
  if (identical(deriv, "none")) return(list("none", 0L, NULL))
  known <- parameter_names(parts)
  if (!is.character(deriv) || length(deriv) != 1L || !deriv %in% known$name)
    input_error("deriv", deriv, paste("must be \"none\" or one of", toString(dQuote(known$name, FALSE))))
  row <- known[match(deriv, known$name), ]
  part <- parts[[row$part]]
  ahead <- sum(!vapply(parts[seq_len(row$part)], function(p) is.null(p$space), NA)) # engine_parts() has two of each
  if (!is.null(part$space)) return(want_of_space_time(part, row, ahead, dim))
  takes <- families[[part$name]]$takes
  what <- switch(row$parameter, variance = "variance", range = "range",
                 nugget = return(list("nothing", row$part + ahead, NULL)),
                 if (row$parameter %in% takes) "shape" else "map")
  if (what == "map" && dim == 0L)
    raise_engine_error("input", sprintf("deriv = \"%s\" needs coordinates: distances have no direction", deriv))
  if (what == "map" && dim != 2L && is.null(part$scales))
    input_error("deriv", deriv, sprintf("is for points in the plane, not of dimension %d: see scales", dim))
  list(what, row$part + ahead, if (what == "map") anisotropy(part, dim, deriv = row$base, axis = row$element),
       match(row$parameter, takes))
}

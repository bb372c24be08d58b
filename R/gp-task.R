# What a fit is asked to find: the model, what is fixed in it, and where the search begins.

# What is searched: the model with the values of `fixed` and `start`, the names of the `free` parameters, and of these
# the `unknown`, which have no start.
fit_task <- function(model, fixed, start, p) {
  parts <- model_parts(model)
  rows <- cov_parameters(parts)
  if (is_several(model)) {
    fixed <- for_all_variables("fixed", fixed, rows, model)
    start <- for_all_variables("start", start, rows, model)
  }
  fixed <- named_values("fixed", fixed, rows)
  start <- named_values("start", start, rows)
  both <- intersect(names(fixed), names(start))
  if (length(both)) input_error(paste0("start$", both[1L]), start[[both[1L]]], "is for a parameter that is fixed")
  given <- c(fixed, start)
  v <- rows$value
  v[match(names(given), rows$name)] <- ifelse(is.na(given), v[match(names(given), rows$name)], given)
  if (any(!is.na(given))) check_values(model, given, rows)
  free <- !rows$name %in% names(fixed)
  base <- rows$base
  for (k in seq_along(parts)) for (inside in unique(rows$inside[rows$part == k])) {
    own <- rows$part == k & rows$inside == inside
    angle <- which(own & base == "angle")
    ratio <- which(own & base == "ratio")
    if (length(angle)) {
      planar <- p$metric$kind == "euclidean" && p$metric$dim == 2L
      # a fixed angle other than that of an isotropic model asks for its ratio
      isotropic <- !planar || identical(v[ratio], 1) && !is.na(v[angle]) && (free[angle] || !free[ratio])
      if (isotropic) {
        free[c(angle, ratio)] <- FALSE
        if (anyNA(v[c(angle, ratio)]))
          raise_engine_error("input", "angle and ratio are for Euclidean distances in the plane")
      } else if (free[ratio] && identical(v[ratio], 1)) v[ratio] <- NA
    }
    scales <- which(own & base == "scales")
    range <- which(own & base == "range" & rows$inside != "time")
    if (length(scales) && all(free[scales]) && all(free[range])) { # the range, or the first, is a factor of all
      v[scales] <- v[scales] * v[range[1L]]
      v[range[-1L]] <- v[range[-1L]] / v[range[1L]]
      v[range[1L]] <- 1
      free[range[1L]] <- FALSE
    }
    if (length(parts) > 1L && k > 1L && any(free[own & base == "nugget"]) &&
        any(free[base == "nugget" & rows$part < k])) {
      nugget <- which(own & base == "nugget")
      free[nugget] <- FALSE # of a sum the nuggets are one
      if (is.na(v[nugget])) v[nugget] <- 0
      first <- which(base == "nugget" & free)[1L]
      v[first] <- v[first] + v[nugget]
      v[nugget] <- 0
    }
  }
  # a nugget or variance of 0 is no place to begin at
  v[free & base %in% c("nugget", "variance") & v %in% 0] <- NA
  if (anyNA(v[!free]))
    input_error(rows$name[!free & is.na(v)][1L], NA, "must be a number: it is fixed")
  list(model = set_parameters(with_distance(model, p$metric$kind), v, rows), free = rows$name[free],
       fixed = stats::setNames(!free, rows$name), unknown = rows$name[free & is.na(v)])
}

# Of several variables the name of an argument, as smoothness, stands for that of each: one number for all, a vector
# with one for each, or a symmetric matrix for pairs.
for_all_variables <- function(name, value, rows, model) {
  if (is.character(value) || !length(names(value))) return(value)
  value <- as.list(value)
  whole <- setdiff(intersect(names(value), rows$base), rows$name)
  for (base in whole) {
    own <- value[[base]]
    value[[base]] <- NULL
    each <- rows$base == base
    if (is.matrix(own)) own <- elements_of_pairs(own, rows[each, ], variable_count(model),
                                                 sprintf("%s$%s", name, base))
    else {
      each <- each & !rows$kind %in% "cross"
      if (length(own) != 1L) own <- elements_of_each(own, rows[each, ], model, sprintf("%s$%s", name, base))
    }
    more <- stats::setNames(rep_len(as.list(own), sum(each)), rows$name[each])
    value <- c(value, more[setdiff(names(more), names(value))])
  }
  value
}

elements_of_each <- function(value, rows, model, name) {
  labels <- variable_labels(model)$one
  by_variable <- nrow(rows) == length(labels)
  if (length(value) != nrow(rows)) input_error(name, value, sprintf("must be one number%s", if (nrow(rows) > 1L)
    sprintf(", or %d: for %s", nrow(rows), toString(rows$name)) else ""))
  if (is.null(names(value)) || !by_variable) return(unname(value))
  if (!setequal(names(value), labels))
    input_error(name, toString(names(value)), sprintf("must have the names %s", toString(labels)))
  unname(value[labels])
}

elements_of_pairs <- function(value, rows, p, name) {
  value <- check_symmetric(name, value, p)
  if (!all(rows$element %in% seq_along(value))) input_error(name, "matrix", sprintf(
    "must be numbers by the names of parameters: %s", toString(rows$name)))
  value[rows$element]
}

# A list or vector of numbers by the names of parameters; TRUE stands for all.
named_values <- function(name, value, rows) {
  if (isTRUE(value)) return(stats::setNames(rep(NA_real_, nrow(rows)), rows$name))
  if (is.null(value) || identical(value, FALSE) || !length(value)) return(numeric())
  if (is.character(value)) value <- stats::setNames(rep(list(NA_real_), length(value)), value)
  if (!is.list(value) && !is.atomic(value)) input_error(name, value, "must be a named list of numbers")
  value <- as.list(value)
  if (length(names(value)) != length(value) || !all(nzchar(names(value))))
    raise_engine_error("input", sprintf("%s must have the names of parameters, as in list(smoothness = 0.5)", name))
  odd <- setdiff(names(value), rows$name)
  if (length(odd))
    input_error(paste0(name, "$", odd[1L]), value[[odd[1L]]],
                paste0("is no parameter of the model, which has ", toString(rows$name), other_name(odd[1L])))
  if (anyDuplicated(names(value)))
    raise_engine_error("input", sprintf("%s has %s twice", name, names(value)[duplicated(names(value))][1L]))
  single <- vapply(value, is_number, NA)
  if (!all(single)) input_error(paste0(name, "$", names(value)[!single][1L]), value[!single][[1L]],
                                "must be a single number")
  vapply(value, as.double, 0)
}

# Do `fixed` and `start` name parameters of the covariance, or these `others`?
check_named_parameters <- function(ask, others) {
  known <- c(if (is.null(ask$no.process)) cov_parameters(model_parts(ask$model))$name, others)
  for (name in c("fixed", "start")) {
    value <- ask[[name]]
    if (!is.list(value) && !is.atomic(value)) next # named_values() says what it must be
    value <- as.list(value)
    odd <- setdiff(names(value), c("", known, ask$no.process))
    if (length(odd)) input_error(paste0(name, "$", odd[1L]), value[[odd[1L]]], paste0(
      "is no parameter of the model, which has ", toString(known), other_name(odd[1L], known)))
  }
}

other_name <- function(name, known = character()) {
  own <- paste0("family.", name)
  if (own %in% known) sprintf(": it is called %s here", own)
  else if (name %in% names(argument_hints$covModel)) paste(":", argument_hints$covModel[[name]])
}

# Are these possible values of the model?
check_values <- function(model, given, rows) {
  given <- given[!is.na(given)]
  trial <- cov_parameters(model_parts(known_model(model)))$value
  trial[match(names(given), rows$name)] <- given
  checked_model(set_parameters(known_model(model), trial, rows))
}

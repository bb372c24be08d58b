# Models of space and time: a product of two models, and Gneiting's class.

has_time <- function(parts) {
  for (part in parts) if (!is.null(part$space)) return(TRUE)
  FALSE
}

# What a family knows of a time that is no model of its own, but part of one function of space and time; or NULL.
joint_time <- function(part) families[[part$name]]$time

# space: a model by covModel(), of which only the correlation counts; time: another, or for Gneiting's class a list of
# range, shape, interaction, decay and dim.
space_time_model <- function(given) {
  need(space = is.null(given$space), time = is.null(given$time))
  space <- single_model("space", given$space)
  for (p in c("variance", "nugget")) one_number(p, given[[p]], "not negative")
  if (space$distance == "given") input_error("distance", "given", "has no times: the model space needs coordinates")
  joint <- joint_time(given)
  time <- if (is.null(joint)) time_model(given$time) else joint$make(space, given$time)
  structure(c(list(name = given$name, space = unmeasured(space), time = time, variance = as.double(given$variance),
                   nugget = as.double(given$nugget), mean = check_mean(given$mean)),
              unclass(space)[c("range", "distance", "angle", "ratio", "scales", "radius", "rotation")]),
            class = "covModel")
}

single_model <- function(name, model) {
  if (!inherits(model, "covModel") || !is.null(model$space) || is_sum(model))
    input_error(name, class(model)[1L], "must be a model by covModel(), neither a sum nor one of space and time")
  model <- checked_model(model, TRUE)
  if (is_intrinsic(model)) input_error(name, "power", "must be a model with a covariance")
  model
}

# The correlation alone.
unmeasured <- function(model) update(model, variance = 1, nugget = 0, mean = 0)

time_model <- function(time) {
  time <- single_model("time", time)
  if (is_anisotropic(time)) input_error("ratio", time$ratio, "is for space: time has one dimension")
  if (!time$distance %in% c("auto", "euclidean"))
    input_error("distance", time$distance, "is for space: lags in time are differences")
  if (!length(unknown_parameters(time))) check_dimension(time, 1L)
  unmeasured(time)
}

# Theorem 2 of Gneiting (2002).
gneiting_time <- function(space, time) {
  mixed <- names(Filter(function(f) !is.null(f$mixture), families))
  if (!space$name %in% mixed)
    input_error("space", space$name, paste("must be completely monotone: one of", toString(mixed)))
  if (space$distance == "greatcircle")
    input_error("distance", "greatcircle", "is not for \"gneiting\": chordal distances are")
  known <- list(range = NULL, shape = 1, interaction = 1, decay = 0, dim = if (space$distance == "chordal") 3 else 2)
  if (!is.list(time) || inherits(time, "covModel") || sum(nzchar(names(time))) < length(time))
    input_error("time", class(time)[1L], paste("must be a list of", toString(names(known))))
  odd <- setdiff(names(time), names(known))
  if (length(odd))
    input_error(paste0("time$", odd[1L]), time[[odd[1L]]], paste("is none of", toString(names(known))))
  time <- utils::modifyList(known, time)
  if (is.null(time$range)) raise_engine_error("input", "time$range is missing: \"gneiting\" needs it")
  holes <- Filter(function(p) identical(is.na(time[[p]]), TRUE), c("range", "shape", "interaction"))
  time[holes] <- 0.5
  for (p in names(known))
    one_number(paste0("time$", p), time[[p]], if (p %in% c("interaction", "decay")) "not negative" else "positive")
  for (p in c("shape", "interaction"))
    if (time[[p]] > 1) input_error(paste0("time$", p), time[[p]], "must be at most 1")
  time$dim <- whole_number("time$dim", time$dim)
  time[holes] <- NA_real_
  lapply(time[c("range", "shape", "interaction", "decay", "dim")], as.double)
}

gneiting_power <- function(time) time$decay + time$interaction * time$dim / 2

check_space <- function(part, kind, dim) {
  check_metric(part$space, kind, dim)
  if (kind == "chordal") dim <- 3L
  if (!is.null(joint_time(part)) && dim > part$time$dim)
    input_error("time$dim", part$time$dim, sprintf("must be at least the dimension of space, %d", dim))
}

space_time_parameters <- function(part) {
  own <- function(rows, inside, without = c("variance", "nugget")) {
    rows <- lapply(rows, `[`, !rows$base %in% without)
    rows$inside[] <- inside
    rows$parameter <- paste0(inside, ".", rows$parameter)
    rows
  }
  joint <- joint_time(part)
  time <- if (is.null(joint)) part_parameters(part$time) else new_parameters(joint$parameters)
  join_parameters(new_parameters("variance"), own(part_parameters(part$space), "space"),
                  own(time, "time", c("variance", "nugget", "angle", "ratio")), new_parameters("nugget"))
}

format_space_time <- function(x, shown, digits) {
  time <- if (inherits(x$time, "covModel")) format_part(x$time, digits)
          else sprintf("list(%s)", toString(paste(names(x$time), "=", vapply(x$time, format, "", digits = digits))))
  space <- format_part(x$space, digits)
  sprintf("%s(%s)", x$name, toString(c(shown("variance"), paste("space =", space), paste("time =", time),
                                       if (!isTRUE(x$nugget == 0)) shown("nugget"))))
}

print_space_time <- function(x, digits) {
  cat(families[[x$name]]$text, " covariance of space and time: variance ", format(x$variance, digits = digits),
      if (!isTRUE(x$nugget == 0)) paste(", nugget", format(x$nugget, digits = digits)), "\n", sep = "")
  cat("  space: ")
  print_part(x$space, digits)
  print_axes(x$space, digits)
  cat("  time:  ")
  if (inherits(x$time, "covModel")) print_part(x$time, digits)
  else cat(toString(paste(names(x$time), vapply(x$time, format, "", digits = digits))), "\n")
}

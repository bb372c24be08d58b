# The parameters of covariance models by name, part by part: what derivatives and fits speak of.

# A row for each: its name (with the number of its part where there are several), part, parameter, the coordinate of a
# scale, and value.
cov_parameters <- function(parts) {
  rows <- lapply(seq_along(parts), function(k) {
    part <- parts[[k]]
    if (!is.null(part$space)) {
      own <- c("variance", space_time_parameters(part), "nugget")
      return(data.frame(name = if (length(parts) > 1L) paste0(own, ".", k) else own, part = k, parameter = own))
    }
    own <- c("variance", "range", setdiff(families[[part$name]]$takes, c("density", "covariance", "dim")),
             if (!is.null(part$scales)) paste0("scales", seq_along(part$scales)) else c("angle", "ratio"), "nugget")
    data.frame(name = if (length(parts) > 1L) paste0(own, ".", k) else own, part = k, parameter = own)
  })
  do.call(rbind, rows)
}

# What the engine is asked for: the covariance, or its derivative for a parameter.
want_of <- function(parts, deriv, dim = 0L) {
  if (identical(deriv, "none")) return(list("none", 0L, NULL))
  known <- cov_parameters(parts)
  if (!is.character(deriv) || length(deriv) != 1L || !deriv %in% known$name)
    input_error("deriv", deriv, paste("must be \"none\" or one of", toString(dQuote(known$name, FALSE))))
  row <- known[match(deriv, known$name), ]
  part <- parts[[row$part]]
  ahead <- sum(!vapply(parts[seq_len(row$part)], function(p) is.null(p$space), NA)) # engine_parts() has two of each
  if (!is.null(part$space)) return(want_of_space_time(part, row, ahead, dim))
  what <- switch(row$parameter, variance = "variance", range = "range", smoothness = "shape", shape = "shape",
                 nugget = return(list("nothing", row$part + ahead, NULL)), exponent = , kmin = , kmax = "none", "map")
  if (what == "none" || what == "shape" && !part$name %in% c("matern", "powexp", "cauchy"))
    input_error("deriv", deriv, sprintf("is not available for \"%s\"", part$name))
  if (what == "map" && dim == 0L)
    raise_engine_error("input", sprintf("deriv = \"%s\" needs coordinates: distances have no direction", deriv))
  list(what, row$part + ahead, if (what == "map") anisotropy(part, dim, deriv = row$parameter))
}

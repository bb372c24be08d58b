# Variograms of the residuals of fits, as rfVariogram() computes them.

#' @exportS3Method NULL
variogram_data.gpFit <- function(field, given) {
  odd <- names(Filter(Negate(is.null), given))
  if (length(odd)) input_error(odd[1L], class(given[[odd[1L]]])[1L], paste(
    "is for values: field is a fit, which has its own model and locations"))
  if (!is.null(field$variables)) return(several_residuals(field))
  why <- gp_refused("variogram", field)
  if (!is.null(why)) raise_engine_error("input", sub("^which = [^:]*:", "field has no variogram of residuals:", why))
  kind <- field$metric$kind
  if (field$metric$dim < ncol(field$x) || kind == "greatcircle") input_error("field", "gpFit", sprintf(
    "has %s: plot(fit, \"variogram\") shows the variogram of its residuals",
    if (kind == "greatcircle") "great circle distances" else "times"))
  model <- with_distance(field$cov, kind)
  if (!is.null(field$error.variance)) model <- with_errors_of(model, mean(field$error.variance))
  list(values = cbind(as.vector(field$residuals)), points = space_points(field$x, field$metric), model = model,
       mean = 0, title = sprintf("residuals at %s", count_text(length(field$residuals), "point")))
}

with_errors_of <- function(model, error) {
  if (is_sum(model)) model$parts[[1L]]$nugget <- model$parts[[1L]]$nugget + error
  else model$nugget <- model$nugget + error
  model
}

# The residuals of each variable where it was observed.
several_residuals <- function(fit) {
  own <- fit$variables
  p <- length(own$names)
  data <- site_values(space_points(fit$x, fit$metric), as.vector(fit$residuals), own$of, p)
  error <- if (!is.null(fit$error.variance))
    as.vector(tapply(rep_len(fit$error.variance, length(own$of)), factor(own$of, seq_len(p)), mean))
  kind <- fit$metric$kind
  c(data, list(variables = list(names = own$names, model = fit$cov, number = seq_len(p), error = error),
               title = sprintf("residuals of %s", toString(own$names)),
               label = distance_label(kind, fit$metric$radius),
               arc = if (kind == "greatcircle") fit$metric$radius))
}

# Priors of covariance parameters, on the scale of the search, where they are independent of each other.

#' Priors of covariance parameters
#'
#' What is known of covariance parameters before there are data, for [posterior()] and for predictions with
#' `parameters = "integrate"`.
#'
#' Standard deviations of the process, of grouped effects (times the root mean square of the covariate of a slope) and
#' of the errors (the square root of the nugget) have exponential distributions, and the effective range r, the
#' distance at which the correlation is about 0.14, has the density
#' \eqn{(d/2) \lambda r^{-d/2-1} \exp(-\lambda r^{-d/2})}{(d/2) lambda r^(-d/2 - 1) exp(-lambda r^(-d/2))} in d
#' dimensions. These are the penalised complexity priors of Fuglstad et al. (2019), which fall as models depart from a
#' constant without variation: a long range and a large variance, which few data do not tell from longer and larger
#' ones, are possible but not preferred. Ranges in time and `scales` have that of one dimension, and with angle and
#' ratio it is that of the geometric mean of the ranges along the axes. The logarithm of a smoothness has a normal
#' distribution around that of 1 with standard deviation 0.8, that of a shape without upper bound one around the value
#' at which a search begins with standard deviation 1, and that of a positive parameter of a family of responses one
#' around 0 with standard deviation 3, as a threshold itself; where the parameter has a unit, it is around that of
#' the standard deviation of the responses, the inverse of their mean (`inverse.gaussian()`) or its root
#' (`tweedie()`). Shapes in an interval, `interaction` and `ratio` are uniform, as are angles. Angle and ratio
#' together are those of a symmetric matrix whose logarithm has two normal coordinates with standard deviation 0.5.
#' `"flat"` has a constant density of what is searched instead: of logarithms of positive parameters, logits of those
#' in an interval. It falls off beyond the ends of the search: short ranges, and small nuggets, have a likelihood that
#' does not fall, and few data leave much of a flat distribution where they are.
#'
#' Coefficients of the mean have a constant density.
#'
#' Of several variables each has these priors of its standard deviation, error and smoothness; a value of `sd` or
#' `error` is for all of them. Correlations of `"multimatern"`, divided by the largest ones of their pair that the
#' model allows, are uniform over all matrices of correlations, which is the distribution of Lewandowski, Kurowicka
#' and Joe (2009) with eta = 1; for two variables that is uniform from -1 to 1. Each matrix `sill` of `"lmc"`, and a
#' matrix of nuggets, has uniform correlations, too, and its standard deviations have the prior `sd` or `error`. Where
#' its rank is lower that is so for the first variables, as many as the rank, and for the others a uniform direction
#' of what they have of the common factors. Ranges of parts that are kept in increasing order have their prior with
#' that condition.
#'
#' @param range,sd,error the quantiles that fix the distributions of the effective range, and of the standard
#'   deviations of process and errors, each a value and a probability: `range = c(r, p)` is a range below `r` with
#'   probability `p`, `sd = c(s, p)` a standard deviation above `s` with probability `p`. A value of `NA` is taken
#'   from the data: the median distance between nearest neighbours (in time, too), 3 standard deviations of the
#'   residuals of least squares for the process and 1 for errors (of several variables those of each); of a fit with a
#'   `family` 3 and 1. `"flat"` instead is a constant density of the logarithm.
#' @param other `"proper"` or `"flat"`, for all other parameters.
#' @return An object of class `gpPrior`.
#' @references
#' Fuglstad, G.-A., Simpson, D., Lindgren, F. and Rue, H. (2019). Constructing priors that penalize the complexity of
#' Gaussian random fields. *Journal of the American Statistical Association* **114**, 445--452.
#'
#' Lewandowski, D., Kurowicka, D. and Joe, H. (2009). Generating random correlation matrices based on vines and
#' extended onion method. *Journal of Multivariate Analysis* **100**, 1989--2001.
#' @seealso [posterior()]
#' @examples
#' gpPrior(range = c(100, 0.1), sd = c(2, 0.05))
#' @export
gpPrior <- function(range = c(NA, 0.05), sd = c(NA, 0.05), error = c(NA, 0.05), other = c("proper", "flat")) {
  structure(list(range = prior_quantile("range", range), sd = prior_quantile("sd", sd),
                 error = prior_quantile("error", error), other = choice("other", other, c("proper", "flat"))),
            class = "gpPrior")
}

prior_quantile <- function(name, q) {
  if (identical(q, "flat")) return(q)
  if (length(q) != 2L || !(is.numeric(q) || is.logical(q)) || is.na(q[2L]))
    input_error(name, q, "must be \"flat\", or a value (or NA) and a probability")
  if (!is.na(q[1L])) one_number(name, q[1L], "positive")
  if (q[2L] <= 0 || q[2L] >= 1) input_error(name, q[2L], "must have a probability between 0 and 1")
  as.double(q)
}

#' @export
print.gpPrior <- function(x, ...) {
  line <- function(name, q, text) cat(sprintf("  %s: %s\n", name, if (identical(q, "flat")) "flat logarithm" else
    sprintf(text, if (is.na(q[1L])) "a value from the data" else format(q[1L]), format(q[2L]))))
  cat("Prior of covariance parameters\n")
  line("effective range", x$range, "below %s with probability %s")
  line("standard deviation", x$sd, "above %s with probability %s")
  line("that of errors", x$error, "above %s with probability %s")
  cat("  other parameters: ", x$other, "\n", sep = "")
  invisible(x)
}

# The logarithm of the prior density of each coordinate t of the search s, up to constants, and behind these of some
# together; a function of t.
log_prior <- function(prior, s, dim) {
  usual <- usual_point(s)
  prior <- c(known_prior(prior, s), list(given = prior$range[1L]))
  ends <- search_bounds(s, s$scales, s$about$ends)
  each <- lapply(seq_along(s$at), function(j)
    coordinate_prior(prior, s, j, dim, usual, flat_between(ends$low[j], ends$high[j])))
  joint <- if (!is.null(s$units)) joint_priors(prior, s, dim)
  function(t) c(vapply(seq_along(each), function(j) each[[j]](t[j]), 0), vapply(joint, function(f) f(t), 0))
}

# Where a search would begin that knew nothing of the parameters: the coordinates `t`, and the logarithms of the
# `effective` ranges, with angle and ratio those of the geometric mean of the axes, NA for what is no range.
usual_point <- function(s) {
  if (!is.null(s$units)) return(several_usual(s))
  problem <- s$about$problem
  choice <- list(length = 0.25, smoothness = 1, nugget = 0.3, angle = 0, ratio = 0.4, late = 1, axis = 0,
                 least = TRUE)
  rows <- s$rows
  rows$value <- start_of(problem, rows, rows$name[s$at[rows$part[s$at] > 0L]], choice, s$scales)
  effective <- vapply(s$at, function(i) {
    if (rows$kind[i] != "length") return(NA_real_)
    part <- problem$parts[[rows$part[i]]]
    for (j in which(rows$part == rows$part[i])) part <- set_in_part(part, rows, j)
    m <- model_inside(part, rows$inside[i])
    ratio <- rows$value[rows$part == rows$part[i] & rows$inside == rows$inside[i] & rows$base == "ratio"]
    across <- if (rows$base[i] == "range" && length(ratio)) sqrt(ratio) else 1
    log(rows$value[i] * across * if (is.null(m$name)) 1 else falls_at(m))
  }, 0)
  list(t = search_start(rows$value, s), effective = effective)
}

# With the values from the data, but for ranges in time, and for the standard deviations of several variables.
known_prior <- function(prior, s) {
  usual <- list(range = s$scales$space[1L], sd = 3 * sqrt(s$scales$variance), error = sqrt(s$scales$variance))
  for (name in if (is.null(s$units)) names(usual) else "range")
    if (is.na(prior[[name]][1L])) prior[[name]][1L] <- usual[[name]]
  prior
}

# A constant up to the ends of the search, as posterior distributions would else have none: the likelihood is the same
# for all ranges that are short enough, and for all nuggets that are small enough.
flat_between <- function(low, high) {
  if (is.na(low)) low <- -Inf
  if (is.na(high)) high <- Inf
  function(t) -max(low - t, t - high, 0)^2 / 2
}

coordinate_prior <- function(prior, s, j, dim, usual, flat) {
  row <- s$rows[s$at[j], ]
  normal <- function(centre, sd) function(t) -((t - centre) / sd)^2 / 2
  late <- row$inside == "time"
  mapped <- any(vapply(s$maps, function(map) length(map$at) > 2L && s$at[j] %in% map$at, NA))
  switch(row$kind,
    effect =, sill = {
      q <- if (row$base == "nugget") prior$error else prior$sd
      if (identical(q, "flat")) return(flat)
      if (!is.null(s$units)) q <- quantile_of_variable(q, row$base, s$units[s$at[j]])
      rate <- -log(q[2L]) / q[1L] * if (row$kind == "effect") s$about$spread[[row$name]] else 1
      function(t) t / 2 - rate * exp(t / 2)
    },
    length = if (!is.null(s$units) && s$at[j] %in% ordered_at(s)[-1L]) function(t) 0 else
      length_prior(prior, row, dim, usual$effective[j] - usual$t[j], if (late) s$scales$time[1L], flat),
    coregionalisation =, cross =, coefficient = function(t) 0,
    if (row$kind == "angle" && !mapped) function(t) if (abs(t - row$value) <= 90) 0 else -Inf # half a turn is none
    else if (prior$other == "flat") flat
    else if (mapped && row$kind %in% c("angle", "ratio")) normal(0, 0.5)
    else if (mapped && row$kind == "correlation")
      correlation_prior(row, variable_count(s$about$problem$model))
    else if (is.finite(row$upper)) function(t) stats::dlogis(t, log = TRUE)
    else if (row$kind %in% c("positive", "threshold"))
      normal(if (row$name %in% names(s$about$usual)) log(s$about$usual[[row$name]]) else 0, 3)
    else normal(usual$t[j], if (row$kind == "smoothness") 0.8 else 1))
}

# Of the logarithm t of a range, which with `shift` is that of the effective range; `time` is the value from the data
# of a range in time.
length_prior <- function(prior, row, dim, shift, time = NULL, flat = function(t) 0) {
  q <- prior$range
  if (identical(q, "flat")) return(flat)
  d <- if (!is.null(time) || row$base == "scales") 1 else dim
  value <- if (!is.null(time) && is.na(prior$given)) time else q[1L]
  rate <- -log(q[2L]) * value^(d / 2)
  function(t) -d / 2 * (t + shift) - rate * exp(-d / 2 * (t + shift))
}

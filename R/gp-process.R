# A model among points as likelihoods, predictions and simulations have it: the problem p has the coordinates `xy`,
# what messages call the `rows`, the `metric`, known variances of `error`, and for one set of parameters after the
# other the `model`, its `parts`, what the `engine` takes of them and, for the matrix of the observations, the
# `diagonal`. How covariances are found is asked of p$process, and not which model it is.

# `labels`: columns after the coordinates, which are no coordinates; `packed`: does the engine factorise the matrix?
# `nugget` and `variance` are those at points, one number for all or one for each; `covariance` is the matrix between
# points a and b, or among a, without nugget, `sums` that times a matrix, and `slope` a derivative among observations.
# Where the engine does not make the matrix of the observations, `factor` is as gp_factor() has it, `slopes` are
# products of derivatives and a vector, and `contract` sums of weights, as gp_weights() has them, times these, which
# may leave matrices in the environment `kept`; `shared` are covariances of the errors of observations, if there are
# any, at places `at` in the matrix. In `vecchia` is what the approximation takes in place of the engine's locations:
# `sums` as of vecchia_sums() and `rows` of given_neighbours() from members alone, `metric` as vecchia_metric(), and
# where neighbours are chosen by the model `ordered`, `nearest` and `drawn` for what ordered_neighbours(),
# nearest_observations() and drawn_neighbours() give, `start` for the metric of a first search with few
# neighbours, and `other` for another one at its end or NULL.
plain_process <- list(
  labels = 0L, packed = TRUE,
  metric = function(model, a) metric_of(model_parts(model), a, NULL),
  engine = function(p)
    engine_parts(p$parts, if (p$metric$kind == "euclidean") lapply(p$parts, anisotropy, p$metric$dim, FALSE)),
  nugget = function(p, xy) model_nugget(p$model),
  variance = function(p, xy) process_variance(p),
  covariance = function(p, a, b)
    .Call(C_covarianceMatrix, engine_among(a, b, p$metric, p$engine), list(list("none", 0L, NULL)), NULL),
  sums = function(p, a, b, weights) .Call(C_covarianceProduct, engine_among(a, b, p$metric, p$engine), weights),
  slope = function(p, name) covariance_matrix(p$parts, plain_points(p$xy), NULL, name))

# Where the matrix of the observations is one of R, and so are weights of its derivatives.
factor_of_matrix <- function(p) .Call(C_gpFactorTiles, .Call(C_gpPack, gp_matrix(p)), p$diagonal)
weights_matrix <- function(p, weights) if (is.matrix(weights)) weights else .Call(C_gpUnpack, weights, nrow(p$xy))

# Parameters that follow covariates, whose columns are behind the coordinates.
local_process <- list(
  labels = 1L, packed = FALSE,
  metric = function(model, a) local_metric(model, a),
  engine = function(p) NULL,
  nugget = function(p, xy) local_value(p, "nugget", xy),
  variance = function(p, xy) local_value(p, "variance", xy),
  covariance = function(p, a, b) local_matrix(local_among(p, a, b)),
  sums = function(p, a, b, weights) {
    value <- matrix(0, nrow(a), ncol(weights))
    for (at in split(seq_len(nrow(a)), (seq_len(nrow(a)) * as.double(nrow(b))) %/% 2^22))
      value[at, ] <- process_covariance(p, a[at, , drop = FALSE], b) %*% weights
    value
  },
  slope = function(p, name) local_slope(p, name, p$xy),
  factor = function(p) .Call(C_gpFactorTiles, .Call(C_localTiles, local_among(p, p$xy)), p$diagonal),
  contract = function(p, weights, names, kept) {
    if (is.matrix(weights)) return(lapack_contract(p, weights, names))
    own <- local_slopes(p, names, p$xy)
    value <- stats::setNames(numeric(length(names)), names)
    .Call(C_gpFetch, weights, nrow(p$xy))
    some <- unique(own$field[own$field > 0L])
    if (length(some)) {
      each <- .Call(C_localAdjoint, local_among(p, p$xy), weights, some)
      inside <- which(own$field > 0L)
      value[inside] <- colSums(each[, own$field[inside], drop = FALSE] * own$by[, inside, drop = FALSE])
    }
    beside <- which(own$field == 0L)
    if (length(beside))
      value[beside] <- colSums(.Call(C_gpDiagonal, weights, nrow(p$xy)) * own$by[, beside, drop = FALSE])
    value
  },
  slopes = function(p, a, names, kept) {
    own <- local_slopes(p, names, p$xy)
    value <- a * own$by
    inside <- which(own$field > 0L)
    if (length(inside)) value[, inside] <- .Call(C_localProducts, local_among(p, p$xy), as.double(a),
                                                 own$field[inside], own$by[, inside, drop = FALSE])
    value
  },
  vecchia = list(sums = function(p, names) local_sums(p, names), rows = function(...) local_rows(...),
                 metric = function(p) list(map = NULL, time = NULL)))

process_of <- function(model)
  if (is_several(model)) several_process else if (is_local(model)) local_process else plain_process

# Is there more behind the coordinates: the number of a variable, or covariates?
has_labels <- function(model) process_of(model)$labels > 0L

gp_problem <- function(model, a, error) {
  process <- process_of(model)
  own <- own_errors(error, nrow(a$xy))
  metric <- process$metric(model, a)
  gp_at(list(xy = a$xy, rows = a$rows, metric = metric, process = process, error = if (is.null(own)) 0 else own),
        with_distance(model, metric$kind))
}

# Points whose coordinates are measured as the model says.
plain_points <- function(xy, rows = NULL) list(xy = xy, rows = rows, geographic = NA, crs = NULL)

# The numbers to n in runs of this size, which bounds the memory.
chunks <- function(n, size) lapply(seq_len(ceiling(n / size)), function(k) seq(size * (k - 1) + 1, min(size * k, n)))

# What the engine takes for many sets of the parameters of p$model, a row of v each; NULL where this is a sum, or has
# more than numbers.
engine_of_sets <- function(p, v, rows) {
  known <- families[[p$model$name]]
  if (!identical(p$process$engine, plain_process$engine) || is_sum(p$model) || !is.null(p$model$space) ||
      is.null(known$engine) || !is.null(known$second) || !is.null(known$settle) || !is.null(p$model$scales) ||
      any(nzchar(rows$inside)) || !all(is.finite(v))) return(NULL)
  part <- unclass(p$model)
  part[rows$base] <- lapply(seq_along(rows$base), function(j) v[, j])
  turned <- p$metric$kind == "euclidean" && any(part$ratio != 1)
  if (turned && p$metric$dim != 2L) return(NULL)
  along <- cospi(part$angle / 180)
  across <- sinpi(part$angle / 180)
  list(engine_part(part, if (turned) array(rbind(along, -across / part$ratio, across, along / part$ratio),
                                           c(2L, 2L, nrow(v)))))
}

# The same points with a model of other parameters.
gp_at <- function(p, model) {
  p$model <- model
  p$parts <- model_parts(model)
  p$engine <- p$process$engine(p)
  p$diagonal <- rep_len(nugget_at(p, p$xy), nrow(p$xy)) + p$error
  if (!is.null(p$process$shared)) p["shared"] <- list(p$process$shared(p))
  p
}

# The problem of a fit.
fit_problem <- function(fit)
  gp_problem(fit$cov, plain_points(fit_places(fit), names(fit$y)), fit$error.variance)

# Coordinates of the observations, and what processes have behind these.
fit_places <- function(fit) if (is.null(fit$local)) fit$x else cbind(fit$x, fit$local)

# The model with the kind of distance that its points have decided.
with_distance <- function(model, kind) {
  model$distance <- kind
  if (!is.null(model$parts)) model$parts <- lapply(model$parts, with_distance, kind)
  if (!is.null(model$space)) model$space <- with_distance(model$space, kind)
  model
}

# Coordinates in which distances in space are Euclidean, without the time.
space_points <- function(xy, metric) {
  xy <- xy[, seq_len(metric$dim), drop = FALSE]
  if (metric$kind == "euclidean") xy else sphere_points(xy, metric$radius)
}

nugget_at <- function(p, xy) p$process$nugget(p, xy)

own_variances <- function(p, xy) rep_len(p$process$variance(p, xy), nrow(xy))

# The largest one, where these differ.
process_variance <- function(p) {
  if (p$process$labels) return(max(own_variances(p, p$xy)))
  sum(vapply(p$parts, function(part) max(part$variance), 1))
}

process_covariance <- function(p, a, b = NULL) p$process$covariance(p, a, b)

# Covariances of the process at points a and b, times a matrix: none is made of them, if that can be avoided.
covariance_sums <- function(p, a, b, weights)
  if (nrow(a)) p$process$sums(p, a, b, weights) else matrix(0, 0L, ncol(weights))

# Covariances without nugget, or derivatives of the matrix, among the observations.
gp_matrix <- function(p, deriv = "none") {
  if (deriv == "none") {
    value <- process_covariance(p, p$xy)
    if (!is.null(p$shared)) value[p$shared$at] <- value[p$shared$at] + p$shared$value
    value
  } else if (is_nugget(p, deriv)) diag(nrow(p$xy)) else p$process$slope(p, deriv)
}

# Is it on the whole diagonal?
is_nugget <- function(p, names) {
  known <- parameter_names(p$parts)
  known$parameter[match(names, known$name)] == "nugget"
}

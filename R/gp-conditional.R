# Conditional fields of a recipe, by kriging of residuals: to a field Z is added the prediction of y - Z(x) from the
# data y at x (Chiles and Delfiner 2012, section 7.3). The field and the prediction have the nugget, as noise that is
# the same wherever the coordinates are the same; the data have errors of their own besides.

most_global <- 5000 # data of which all serve each prediction by default
nearest_data <- 60L # by default beyond that
most_columns <- 200 # fields that are conditioned in one pass over the neighbours

# The data of tbrf(): `p`, their locations with the model, nugget and errors on the diagonal, values `y` less the
# mean, variances of their `error`, the number `m` of them that serve a prediction or NULL for all, and the `trend` as
# terms with its design matrix `X`, or NULL. Of fields in time the last coordinate of locations is the time.
#' @exportS3Method NULL
conditioning_data.default <- function(data, places, model, motion) {
  if (!is.list(data) || is.null(names(data)))
    input_error("data", class(data)[1L], "must be list(x = points, y = values)")
  odd <- setdiff(names(data), c("x", "y", "error.variance", "trend", "m", "time"))
  if (length(odd))
    input_error("data", odd[1L], "must be a list of x and y, and perhaps error.variance, trend, m and time")
  for (name in c("x", "y")) if (is.null(data[[name]]))
    raise_engine_error("input", sprintf("data has no %s: it must be list(x = points, y = values)", name))
  own <- places_of(data$x, "data$x")
  xy <- places_points(own)
  if (ncol(xy) != places_dim(places))
    raise_engine_error("input", sprintf("the points of data$x have dimension %d, those of x %d", ncol(xy),
                                        places_dim(places)))
  if (!is.null(own$crs) && !is.null(places$crs) && own$crs != places$crs)
    input_error("data$x", own$crs$input, "must have the coordinate reference system of x")
  check_numbers("data$y", data$y, "")
  if (length(data$y) != own$n) raise_engine_error("input", sprintf("data$y has length %d: data$x has %.0f points",
                                                                   length(data$y), own$n))
  if (!own$n) input_error("data$x", "", "must have a point")
  error <- own_errors(data$error.variance, own$n, within = "data$")
  if (is.null(error)) error <- numeric(own$n)
  geographic <- if (is.na(own$geographic)) places$geographic else own$geographic
  model <- with_distance(model, distance_kind(model$distance, geographic, "data$x"))
  mean <- if (is.function(model$mean)) drift_at(model$mean, xy) else model$mean
  if (!is.null(motion)) {
    xy <- cbind(xy, data_times(data$time, own$n, motion), deparse.level = 0L)
    if (motion$kind == "amplitudes") model <- separable_model(model, motion$range)
  } else if (!is.null(data$time)) input_error("data$time", data$time, "is for fields that change in time")
  given <- one_value_each(xy, as.double(data$y) - mean, error)
  given$p <- if (has_intrinsic(model)) list(xy = given$xy, model = model)
             else gp_problem(model, plain_points(given$xy), given$error)
  n <- length(given$y)
  m <- if (is.null(data$m)) if (n > most_global && !has_intrinsic(model)) nearest_data else Inf else data$m
  if (!identical(m, Inf)) m <- min(whole_number("data$m", m), n)
  if (m < n && has_intrinsic(model))
    input_error("data$m", m, "is for models with a covariance: all data serve each prediction of intrinsic fields")
  if (m < n) given$m <- m
  if (!is.null(data$trend)) given[c("trend", "X")] <- trend_of(data$trend, given$xy, !is.null(motion))
  structure(given, class = "krigingData")
}

data_times <- function(time, n, motion) {
  if (is.null(time)) raise_engine_error("input", "data has no time: the field changes in time")
  check_numbers("data$time", time, "")
  if (!length(time) %in% c(1L, n))
    raise_engine_error("input", sprintf("data$time has length %d: data$x has %.0f points", length(time), n))
  rep_len(checked_times(time, motion), n)
}

# The covariance of fields whose amplitudes have a correlation time, as a model of space and time.
separable_model <- function(model, range) {
  parts <- lapply(model_parts(model), function(part)
    covModel("separable", variance = part$variance, nugget = part$nugget,
             space = if (is_sum(model)) part else update(part, mean = 0),
             time = covModel("exponential", range = range)))
  with_distance(Reduce(`+`, parts), model$distance)
}

# Several values at a location tell of the process there what their mean does, with weights 1/error.
one_value_each <- function(xy, y, error) {
  xy <- unname(xy)
  id <- place_numbers(xy)
  if (!anyDuplicated(id)) return(list(xy = xy, y = y, error = error))
  sure <- which(error == 0)
  twice <- sure[duplicated(id[sure])]
  if (length(twice)) place_error("data$x", xy, twice[1L], 1L, paste(
    "a location is given twice, and its values have no error: data$error.variance is needed"))
  weight <- ifelse(id %in% id[sure], error == 0, 1 / error)
  total <- rowsum(cbind(weight, weight * y), id, reorder = FALSE)
  first <- !duplicated(id)
  list(xy = xy[first, , drop = FALSE], y = total[, 2L] / total[, 1L],
       error = ifelse(id[first] %in% id[sure], 0, 1 / total[, 1L]))
}

# A trend of unknown coefficients: its terms, which know the bases of poly() and others, and its matrix at the data.
trend_of <- function(trend, xy, timed) {
  if (!inherits(trend, "formula") || length(trend) != 2L)
    input_error("data$trend", class(trend)[1L], "must be a formula without a left side, such as ~ 1 or ~ x + y")
  names <- colnames(coordinate_frame(xy, timed))
  odd <- setdiff(all.vars(trend), names)
  if (length(odd)) input_error("data$trend", odd[1L], sprintf("must be of coordinates: %s", toString(names)))
  terms <- attr(stats::model.frame(trend, coordinate_frame(xy, timed)), "terms")
  x <- trend_matrix(terms, xy, timed)
  if (qr(x)$rank < ncol(x))
    raise_engine_error("input", sprintf("data$trend has %d coefficients, which the %d locations of data$x do not %s",
                                        ncol(x), nrow(x), "determine"))
  list(terms, x)
}

coordinate_frame <- function(xy, timed)
  as.data.frame(`colnames<-`(xy, c(axis_names(ncol(xy) - timed), if (timed) "time")))

trend_matrix <- function(terms, xy, timed)
  unname(model.matrix(terms, stats::model.frame(terms, coordinate_frame(xy, timed), na.action = stats::na.pass)))

# What a recipe keeps of its data: locations, errors and the model; for each field a column of the `residuals` of the
# data from it, of the `weights` of the data where all of them serve, and of the coefficients `beta` of the trend.
#' @exportS3Method NULL
conditioned.krigingData <- function(given, recipe) {
  on.exit(.Call(C_gpForget))
  if (recipe$method == "fft")
    input_error("data", "list", "is not for method = \"fft\": its fields are known on their own grid alone")
  p <- given$p
  n <- NROW(given$y) # a value of each, or one for each field, too
  local <- !is.null(given$m)
  field <- data_fields(recipe, p$xy)
  normal <- normal_blocks(c(n, ncol(given$X) * local), recipe$nsim)
  left <- given$y - field - sqrt(given$error) * normal[[1L]]
  kept <- list(xy = p$xy, model = p$model, error = given$error, m = given$m, trend = given$trend)
  if (local) {
    if (!is.null(given$X)) kept$beta <- trend_draws(given, normal[[2L]])
  } else {
    if (n > most_global) gp_memory(n)
    if (has_intrinsic(p$model)) kept$increments <- increments_of(recipe, given)
    krige <- if (is.null(kept$increments)) gp_solved(p, list(y = left, X = given$X))
             else intrinsic_solved(kept, left, given$X)
    if (!is.null(given$X)) kept$beta <- krige$beta
    kept$weights <- krige$weights
  }
  if (local || model_nugget(p$model) > 0)
    kept$residuals <- if (is.null(kept$beta)) left else left - given$X %*% kept$beta
  recipe$data <- structure(kept, class = "krigingData")
  recipe
}

# Values of the fields where the data are, a column for each.
data_fields <- function(recipe, xy) {
  recipe <- without_mean(recipe)
  if (is.null(recipe$motion)) return(matrix(field_values(recipe, list(xy = xy, n = nrow(xy))), nrow(xy)))
  session$keep_lines <- TRUE
  on.exit(session$keep_lines <- session$lines <- NULL)
  d <- ncol(xy) - 1L
  at <- split(seq_len(nrow(xy)), match(xy[, d + 1L], xy[, d + 1L]))
  value <- matrix(0, nrow(xy), recipe$nsim)
  for (sim in seq_len(recipe$nsim)) for (i in at) {
    own <- of_fragment(replace(recipe, "times", xy[i[1L], d + 1L]), list(sim = sim, time = 1L))
    value[i, sim] <- some_fields(sim, own, list(xy = xy[i, seq_len(d), drop = FALSE], n = length(i)))
  }
  value
}

# Coefficients given the data, by Vecchia's approximation: estimates less those of the fields, whose covariance is
# the same, would need a fit for each; they are drawn instead.
trend_draws <- function(given, normal) {
  model <- given$p$model
  model$mean <- 0
  colnames(given$X) <- paste0("x", seq_len(ncol(given$X)))
  fit <- gp_fit(given$y, given$X, NULL, plain_points(given$xy), list(model = model, fixed = TRUE),
                method = "vecchia", m = min(30L, length(given$y) - 1L), error.variance = given$error)
  drawn_coefficients(fit, normal)
}

# Fields given the data of their recipe, from those without, in place: `value`, which nobody else has, is a vector, or
# has a column for each.
#' @exportS3Method NULL
with_data.krigingData <- function(data, value, recipe, places) {
  p <- if (is.null(data$increments)) gp_problem(data$model, plain_points(data$xy), data$error)
  times <- time_number(recipe)
  size <- max(2^16, nrow(data$xy)) # 2^16 locations take some 10 MB; the data are sorted for neighbours each time
  for (first in (seq_len(ceiling(places$n / size)) - 1) * size) for (i in seq_len(times)) {
    some <- min(size, places$n - first)
    xy <- places_points(places, first + seq_len(some))
    if (!is.null(recipe$motion)) xy <- cbind(unname(xy), recipe$times[i], deparse.level = 0L)
    more <- krige_data(p, data, xy)
    for (k in seq_len(ncol(more)))
      .Call(C_bandAdd, value, ((k - 1) * times + i - 1) * places$n + first, as.double(more[, k]), some)
    if (places$n > 2^20) gc(full = FALSE)
  }
  value
}

# The predictions, a column for each field. With a process S without nugget, weights w = inv(K) r of the residuals r
# and K = S + nugget + error the prediction of S at a location of the data is r - (nugget + error) w, so that of the
# whole process, r - error w, is between it and r.
krige_data <- function(p, data, xy) {
  value <- if (!is.null(data$increments)) increment_means(data, xy)
           else if (is.null(data$m)) covariance_sums(p, xy, p$xy, data$weights) else {
    do.call(cbind, lapply(chunks(ncol(data$residuals), most_columns), function(k)
      vecchia_kriging(p, data$m, data$residuals[, k, drop = FALSE], xy)$mean))
  }
  nugget <- model_nugget(data$model)
  if (nugget > 0) {
    n <- nrow(data$xy)
    known <- match(place_numbers(rbind(data$xy, unname(xy)))[-seq_len(n)], seq_len(n))
    at <- which(!is.na(known))
    known <- known[at]
    value[at, ] <- value[at, ] + nugget / (nugget + data$error[known]) *
      (data$residuals[known, , drop = FALSE] - value[at, , drop = FALSE])
  }
  if (is.null(data$trend)) value
  else value + trend_matrix(data$trend, xy, has_time(p$parts)) %*% data$beta
}

# Kriging: predictions of fits of Gaussian processes, at points and on meshes; areas are in gp-areas.R.

#' Predictions of Gaussian processes
#'
#' Universal kriging: predicts the process at new locations from the data, with standard errors and limits.
#'
#' The prediction is \eqn{x\beta + c' S^{-1}(y - X\beta)}{x beta + c' inv(S) (y - X beta)}, with the coefficients of
#' the fit and the covariances c of the new location with the observations. Its standard error accounts for the
#' estimation of the coefficients, but not for that of the parameters of the covariance, unless `parameters =
#' "integrate"` averages over these.
#'
#' What the predictions, standard errors and limits are of:
#'
#' | | predicted | variance includes |
#' | --- | --- | --- |
#' | `type = "latent"` or `"link"` | trend and process, without error | coefficients, process |
#' | `type = "response"`, the default | a new observation, the same value | coefficients, process, nugget |
#' | `interval = "confidence"` | the trend \eqn{x\beta}{x beta} alone, without the process | coefficients |
#'
#' Those of `"confidence"` are the standard errors and t quantiles of [gpFit-methods].
#' `interval = "prediction"` gives limits of what `type` predicts, from the normal distribution. The `error.variance`
#' of new observations is not known and never added. The prediction at an observed location is the observation itself
#' only if the model has neither nugget nor error. Without `newdata` the predictions are those at the observations,
#' smoothed in that sense.
#'
#' For a response that is a logarithm, `exp()` of the prediction and of the limits are the median and limits in the
#' original unit, and `exp(fit + se.fit^2 / 2)` is the mean (lognormal kriging): with `type = "latent"` of the process
#' without error, with `"response"` of a new observation.
#'
#' @section Parameters that are not known:
#' Few data leave range, variance and nugget uncertain, and intervals by their estimates are too short: in simulations
#' of 30 to 150 observations 95 % intervals contained 90 to 94 %. `parameters = "integrate"` averages the
#' predictive distributions over the [posterior()] distribution of the covariance parameters, by the restricted
#' likelihood and the priors of [gpPrior()]: `fit` is the mean of that mixture, `se.fit` its standard deviation, and
#' limits are its quantiles. A result of [posterior()] as `parameters` brings another prior. The points of the
#' posterior are found once for a fit and then kept; a prediction takes the time of about ten with known parameters.
#' The mean of a response with a logarithmic link is an average of `exp(fit + se.fit^2 / 2)`: far from the data it
#' depends on the largest variances that the prior allows, while limits, and `type = "link"`, do not.
#'
#' @section Other families:
#' For a fit with a `family`, `"link"` or `"latent"` is the linear predictor, normal with the mean at the mode of the
#' process, and a variance of three parts: of the process given its values at the neighbours, of these given the data,
#' and of the coefficients. `"response"` is the mean of a new response (binomial: of one trial), its expectation under
#' that distribution, with the nugget, and its standard deviation as standard error, by the trapezoidal rule where
#' there is no formula, to within 1e-10 for standard deviations of the linear predictor up to 5. Limits with `interval
#' = "prediction"` are quantiles of a new response, of families with trials of its probability. `type =
#' "probabilities"` has a column for each category of `cumulative()`, by the names of these, with its probability,
#' averaged over the same distribution; their sum is 1. The mean of ordered
#' categories is that of their numbers. With `"confidence"` the results are those of the response where the process is
#' 0. Averages over areas are not available. Fits of normal responses with groups, replicates or varying coefficients
#' are among these: their standard errors are without the error of a response, which limits with `interval =
#' "prediction"` have. Without `newdata`, [fitted()] has responses at the mode, and `predict()` their expectations.
#'
#' @section Several variables:
#' Predictions of fits of several variables are those of co-kriging, from all observations of all variables.
#' `variable` names one, whose predictions are as those of a fit of one variable. By default all are predicted: the
#' result is a matrix with a column for each or, with standard errors or limits, a data frame in long form, with the
#' columns `place`, the row of `newdata`, `variable`, `fit` and so on. `newdata` needs the covariates of the variables
#' that are predicted. Errors of predictions of different variables are correlated: `combine` predicts linear
#' combinations with standard errors that account for it, `covariance = TRUE` gives the covariances at each place, in
#' columns `cov.lead` and so on beside the others, and [simulate()][simulate.gpFit] draws all places jointly. With
#' `type = "response"` errors of the nugget are those of new observations of all variables at the place. Averages over
#' areas are for fits of one variable.
#'
#' @section New locations:
#' A data frame has columns for the covariates and the coordinates, by their names in the fit. Points of \pkg{sf},
#' rasters of \pkg{terra} and \pkg{stars} and grids by [rfGrid()] have their own coordinates, and attributes or layers
#' are covariates; further coordinates, such as the time, are taken from these, by the name or the term of `coords` in
#' the fit. The columns of a matrix are coordinates. In all of these the coordinates can be covariates by their names
#' in the fit, or by `x`, `y` and `z`, or `longitude` and `latitude`, if they had no names there. Where a covariate or
#' a coordinate is missing, so is the prediction.
#'
#' @section Averages over areas:
#' `block = c(40, 40)` predicts averages over rectangles with these sides and the new locations at their centres, for
#' longitudes and latitudes with sides in degrees. Polygons as `newdata` are averaged over the polygon. Where there
#' are longitudes and latitudes, averages are weighted by the cosine of latitude.
#'
#' An average is a sum over points: of a rectangle `4^d` of Gauss-Legendre quadrature, of a polygon the centres of
#' about 150 cells of a square grid, cut at its border. Where prediction or standard error differ by more than 0.5 %
#' of the standard error (of 0.001 standard deviations of the process, if that is more) from those of 3 points for 4
#' along each side, or the variance of the average of the process by more than 1 % of the squared standard error, the
#' distances of the points are halved, and so on up to 65536 points (16384 on a sphere, 9600 in polygons). In the
#' package's tests, for sides from a tenth of the range to ten ranges, errors were below 1 % of the standard error. A
#' warning says where the last points do not suffice. Vecchia's approximation takes the neighbours of the first
#' points.
#'
#' Covariates are constant over an area; coordinates as covariates are those of the centre, of a polygon the averages.
#' An average of independent errors over infinitely many locations is 0: the nugget does not enter, and
#' `"latent"` and `"response"` are the same.
#'
#' @param object a fit by [gpFit()].
#' @param newdata new locations: see the section on new locations.
#' @param se.fit if `TRUE`, standard errors are given too.
#' @param interval limits of the predicted value, of the mean, or none.
#' @param level probability between the limits.
#' @param type what is predicted: see details.
#' @param block sides of rectangles over which averages are predicted, one for each coordinate or one for all.
#' @param parameters `"plugin"` takes the covariance parameters of the fit for known, `"integrate"` averages over what
#'   is not known of them, by default priors or those of a result of [posterior()].
#' @param re.form `NULL`, or `NA` or `~ 0` for predictions without [grouped effects][gpGroups].
#' @param coefficient the name of a coefficient that varies in space, see `varying` of [gpFit()]: it is predicted in
#'   place
#'   of the response, that of the mean plus the process, and needs no covariates.
#' @param variable of a fit of several variables, the name of one, or names of some; by default all.
#' @param combine weights of a linear combination of variables by their names, as `c(lead = 1, zinc = -0.5)`, which is
#'   predicted in the form that one variable has; or a matrix with a row for each of several and with columns by the
#'   names of variables, which are predicted as several variables, with `combination`, the name of the row, in place
#'   of `variable`.
#' @param covariance if `TRUE`, covariances of the errors of predictions at one place: those of the variable or
#'   combination in a row of the result with each of them.
#' @param ... not used.
#' @return Predictions in the class of `newdata`: a data frame or \pkg{sf} points with columns `fit`, `se.fit`, `lwr`
#'   and `upr` (for `"probabilities"` one for each category) added if requested (`fit.1` and so on if it has columns
#'   of these names); a `SpatRaster` or `stars` raster with these as layers; on an [rfGrid()] an [rfield], an array
#'   with one more dimension if there is more than `fit`. For a matrix, and without `newdata`, a vector, or a matrix
#'   with these columns.
#' @references
#' Cressie, N. (1993). *Statistics for Spatial Data*. Wiley, New York, sections 3.2 and 3.4.
#'
#' Stein, M. L. (1999). *Interpolation of Spatial Data*. Springer, New York.
#' @seealso [gpFit()], [simulate.gpFit()] for conditional simulations
#' @concept kriging
#' @concept block kriging
#' @concept Gaussian process regression
#' @concept lognormal kriging
#' @examples
#' quakes <- subset(datasets::quakes, depth < 60)
#' fit <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat, fixed = TRUE,
#'              cov = covModel("exponential", range = 300, variance = 0.05, nugget = 0.1,
#'                             distance = "chordal"))
#' new <- data.frame(long = c(170, 180), lat = -20, mag = 5)
#' predict(fit, new, interval = "prediction")
#' latent <- predict(fit, new, type = "latent", se.fit = TRUE)
#' latent
#' # expected numbers of stations: the response is their logarithm
#' exp(latent$fit + latent$se.fit^2 / 2)
#'
#' # a map, with its standard errors
#' fit <- gpFit(log(stations) ~ 1, quakes, coords = ~ long + lat, fixed = TRUE, cov = fit$cov)
#' map <- predict(fit, rfGrid(c(165, -35), 0.5, c(46, 50)), se.fit = TRUE)
#' map
#' plot(map)
#' plot(map, sim = "se.fit")
#'
#' # co-kriging of two variables, and of their difference
#' model <- covModel("multimatern", range = 0.3, smoothness = 0.5, correlation = 0.9, nugget = 0.1)
#' set.seed(1)
#' places <- cbind(x = runif(40), y = runif(40))
#' both <- simulate(model, seed = 2, x = cbind(places[c(1:40, 1:40), ], rep(1:2, each = 40)))
#' soil <- data.frame(places, clay = both[1:40], carbon = both[41:80])
#' fit <- gpFit(cbind(clay, carbon) ~ 1, soil, ~ x + y, model, fixed = TRUE)
#' new <- data.frame(x = 0.5, y = c(0.4, 0.6))
#' predict(fit, new, covariance = TRUE, type = "latent", se.fit = TRUE)
#' predict(fit, new, combine = c(clay = 1, carbon = -1), type = "latent", se.fit = TRUE)
#' @importFrom stats predict
#' @export
predict.gpFit <- function(object, newdata, se.fit = FALSE, interval = c("none", "prediction", "confidence"),
                          level = 0.95, type = c("response", "latent", "link", "probabilities"), block = NULL,
                          parameters = c("plugin", "integrate"), re.form = NULL, coefficient = NULL,
                          variable = NULL, combine = NULL, covariance = FALSE, ...) {
  refuse_extra("predict.gpFit", ...)
  interval <- choice("interval", interval, c("none", "prediction", "confidence"))
  type <- choice("type", type, c("response", "latent", "link", "probabilities"))
  se.fit <- one_flag("se.fit", se.fit)
  if (type == "probabilities") check_probabilities(object$family, se.fit, interval)
  check_level(level)
  covariance <- one_flag("covariance", covariance)
  if (!is.null(variable) || !is.null(object$variables) || !is.null(combine) || covariance) {
    if (!is.null(coefficient)) check_coefficient(object, coefficient)
    ask <- list(variable = variable, combine = combine, covariance = covariance)
    return(predict_several(object, if (!missing(newdata)) newdata, ask, se.fit, interval, level, type, block,
                           parameters))
  }
  own <- missing(newdata) || is.null(newdata)
  if (own && !is.null(block)) input_error("block", block, "is for newdata")
  population <- population_only(re.form)
  if (!is.null(coefficient)) {
    check_coefficient(object, coefficient)
    type <- "link"
  }
  new <- if (own) observed_places(object, population)
         else new_places(object, newdata, block, population, coefficient)
  if (own && !is.null(coefficient)) new <- at_coefficient(new, object, coefficient)
  if (anyNA(object$coefficients) && !own) warn("prediction from a rank-deficient fit may be misleading")
  some <- some_places(new, which(new$ok))
  columns <- despite_failures(function() gp_columns(parameter_mixture(object, parameters, interval == "confidence"),
                                                    some, se.fit, interval, level, type))
  columns <- columns[!vapply(columns, is.null, NA)]
  value <- matrix(NA_real_, new$n, length(columns), dimnames = list(NULL, names(columns)))
  value[new$ok, ] <- unlist(columns, use.names = FALSE)
  places_back(new, value, object, "kriging")
}

# Columns of predict() at places, of a mixture of fits with weights.
gp_columns <- function(mixture, new, se.fit, interval, level, type) {
  if (length(mixture$fits) > 1L) { # which have the same neighbours, where they have the same metric
    session$near <- list()
    on.exit(session$near <- NULL)
  }
  error <- se.fit || interval != "none" || length(mixture$fits) > 1L
  categories <- type == "probabilities"
  parts <- lapply(mixture$fits, function(fit) if (isTRUE(mixture$means)) trend_predictions(fit, new) else
    likelihood_of(fit)$predictive(new, error, interval, if (categories) "response" else type))
  if (categories) return(predicted_probabilities(mixture$fits[[1L]]$family, parts, mixture$weight))
  predicted_columns(parts, mixture$weight, se.fit, interval, level, type, mixture$fits[[1L]]$family)
}

# Which coefficients are known, those that are not aliased; and their covariates.
is_known <- function(fit) !is.na(fit$coefficients)
known_design <- function(fit) fit$X[, is_known(fit), drop = FALSE]

# The mean at places, and the variance of what the coefficients make of covariates.
mean_at <- function(fit, new) new$offset + linear(new$X, fit$coefficients)
mean_variance <- function(fit, X) rowSums((X %*% mean_vcov(fit)) * X)

# The part of the mean that coefficients make.
linear <- function(x, coefficients) if (ncol(x)) drop(x %*% coefficients[!is.na(coefficients)]) else numeric(nrow(x))

# ---- new locations ----

# Locations are a list of `n`, their number, `xy`, coordinates, the covariates `X`, those of aliased coefficients left
# out, the `offset`, `ok`, where none of these is missing, `areas` or NULL, whether they are those `observed`, and
# what is known of the class they come in; of a fit with zi `zero`, its covariates, or NULL where they are not known.
new_places <- function(object, newdata, block = NULL, population = FALSE, coefficient = NULL) {
  new <- if (isTRUE(object$no.process)) anywhere(newdata) else new_source(newdata, gp_axes(object), object)
  new$xy <- complete_coordinates(new, gp_axes(object), object$coords$formula)
  check_new_space(object, new)
  if (!is.null(object$local) && !(is.null(new$areas) && is.null(block))) raise_engine_error("input", paste(
    "averages over areas are not for parameters that follow covariates: predict points of the areas, and average"))
  if (!is.null(new$areas)) {
    if (!is.null(block)) input_error("block", block, "is for points: newdata has polygons, which are areas")
  } else if (!is.null(block)) new$areas <- list(sides = block_sides(object, block))
  if (new$class != "table" || is.null(object$coords$formula))
    for (j in setdiff(gp_axes(object), names(new$frame)))
      new$frame[[j]] <- new$xy[, match(j, gp_axes(object))]
  if (is.null(coefficient)) {
    new[c("X", "offset")] <- new_design(object, new$frame)
    if (!is.null(object$groups))
      new$groups <- new_groups(object$groups, new$frame, environment(object$terms), population)
    if (!is.null(object$varying)) new$varying <- new_varying(object$varying, new$frame)
    if (!is.null(object$zi)) new$zero <- zero_columns(object$zi, new$frame)
  } else new <- at_coefficient(new, object, coefficient)
  if (!is.null(object$local)) new$xy <- cbind(new$xy, local_columns(object$cov, new$frame, "newdata")$columns)
  if (!is.null(object$by)) new$by <- new_replicates(object$by, new$frame, environment(object$terms))
  values <- function(m) if (is.null(m)) 0 else rowSums(m)
  new$ok <- unname(is.finite(rowSums(new$xy) + rowSums(new$X) + new$offset + values(new$groups$value) +
                               values(new$varying$value) + values(new$zero)) &
                     (if (is.null(new$by)) TRUE else !is.na(new$by$label)))
  new$n <- nrow(new$xy)
  new$observed <- FALSE
  new
}

observed_places <- function(object, population = FALSE) {
  data <- fitted_data(object)
  n <- length(object$y)
  list(n = n, xy = fit_places(object), X = if (is.null(data$X)) matrix(0, n, 0L) else data$X, offset = object$offset,
       ok = rep(TRUE, n), areas = NULL, observed = TRUE, class = "observed",
       groups = observed_groups(object$groups, population), by = object$by,
       varying = object$varying, zero = object$cases$zero)
}

some_places <- function(new, at) {
  if (length(at) == nrow(new$xy)) return(new)
  new$xy <- new$xy[at, , drop = FALSE]
  new$X <- new$X[at, , drop = FALSE]
  new$offset <- new$offset[at]
  beside <- beside_of(new)
  new[names(beside)] <- lapply(beside, rows_beside, at)
  if (!is.null(new$zero)) new$zero <- new$zero[at, , drop = FALSE]
  if (!is.null(new$areas$polygons)) new$areas$polygons <- new$areas$polygons[at]
  new
}

# For a fit without a process.
anywhere <- function(newdata) {
  if (!is.data.frame(newdata)) table_error("newdata", newdata, "must be a data frame")
  list(class = "table", frame = as.data.frame(newdata), xy = matrix(0, nrow(newdata), 1L), geographic = NA,
       given = newdata)
}

# `frame`, a data frame of the variables that come with the locations, and `xy`, their coordinates; `class` and
# `back` say how values come back.
new_source <- function(newdata, names, object) {
  refuse_foreign("newdata", newdata)
  if (inherits(newdata, c("sf", "sfc"))) return(sf_source(newdata))
  if (inherits(newdata, c("rfGrid", "SpatRaster", "stars"))) {
    places <- places_of(newdata, "newdata")
    frame <- if (inherits(newdata, "SpatRaster")) terra_layers(newdata) else if (inherits(newdata, "stars"))
      as.data.frame(lapply(unclass(newdata), function(a) {
        dim(a) <- NULL
        a
      }), optional = TRUE)
    if (is.null(frame) || !length(frame)) frame <- data.frame(row.names = seq_len(places$n))
    if (inherits(newdata, "SpatRaster") && !is.null(object$coords$crs) && nzchar(terra::crs(newdata)))
      places$crs <- sf::st_crs(terra::crs(newdata))
    return(list(class = if (is.null(places$grid)) "raster" else "grid", frame = frame, xy = places_points(places),
                geographic = places$geographic, crs = places$crs, back = places$back, grid = places$grid,
                given = newdata))
  }
  if (is.data.frame(newdata)) {
    xy <- table_coordinates(as.data.frame(newdata), object$coords$formula, names)
    return(list(class = "table", frame = as.data.frame(newdata), xy = xy, geographic = NA, given = newdata))
  }
  if (is.numeric(newdata) && is.null(dim(newdata)) && length(names) == 1L) newdata <- cbind(newdata)
  if (!is.matrix(newdata)) input_error("newdata", class(newdata)[1L], paste(
    "must be a data frame, a matrix of coordinates, points or a raster of the packages sf, terra or stars, or an",
    "rfGrid()"))
  xy <- table_points(newdata, "newdata")
  frame <- as.data.frame(unname(newdata))[0L]
  if (all(names %in% colnames(newdata))) {
    xy <- newdata[, names, drop = FALSE]
    frame <- as.data.frame(newdata)
  }
  storage.mode(xy) <- "double"
  list(class = "matrix", frame = frame, xy = unname(xy), geographic = NA, names = rownames(newdata))
}

table_coordinates <- function(newdata, formula, names) {
  plain <- if (is.null(formula)) names else utils::head(names, -length(coord_terms(formula)))
  absent <- setdiff(c(plain, all.vars(formula)), names(newdata))
  if (length(absent))
    raise_engine_error("input", sprintf("newdata has no column %s, a coordinate of the fit", absent[1L]))
  xy <- table_points(newdata[plain], "newdata")
  if (!is.null(formula)) xy <- cbind(xy, formula_coords(formula, newdata, "newdata"))
  storage.mode(xy) <- "double"
  unname(xy)
}

sf_source <- function(newdata) {
  need_package("sf", newdata, "newdata")
  geometry <- sf::st_geometry(newdata)
  frame <- if (inherits(newdata, "sf")) as.data.frame(sf::st_drop_geometry(newdata))
           else data.frame(row.names = seq_along(geometry))
  new <- list(class = "sf", frame = frame, given = newdata)
  if (length(geometry) && all(sf::st_geometry_type(geometry) %in% c("POLYGON", "MULTIPOLYGON"))) {
    new$areas <- list(polygons = polygon_areas(geometry))
    first <- bind_areas(lapply(new$areas$polygons, `[[`, "first"))
    new$xy <- area_means(first$xy, first)
    new$xy[diff(first$ends) == 0L, ] <- NA
    return(c(new, list(geographic = sf::st_is_longlat(geometry), crs = sf::st_crs(geometry))))
  }
  c(new, sf_points(newdata, "newdata"))
}

# Layers as variables, categories as factors.
terra_layers <- function(x) if (terra::hasValues(x)) terra::as.data.frame(x, na.rm = FALSE)

complete_coordinates <- function(new, names, formula) {
  xy <- unname(new$xy)
  more <- names[-seq_len(ncol(xy))]
  if (length(more)) {
    last <- if (!is.null(formula)) last_terms(formula, length(more))
    if (all(more %in% names(new$frame))) xy <- cbind(xy, unname(table_points(new$frame[more], "newdata")))
    else if (!is.null(last) && all(all.vars(last) %in% names(new$frame)))
      xy <- cbind(xy, unname(formula_coords(last, new$frame, "newdata")))
  }
  if (ncol(xy) != length(names))
    raise_engine_error("input", sprintf("the locations of newdata have dimension %d, those of the data %d (%s)",
                                        ncol(xy), length(names), toString(names)))
  storage.mode(xy) <- "double"
  xy
}

# The locations must be measured as those of the data.
check_new_space <- function(object, new) {
  crs <- object$coords$crs
  if (!is.null(new$crs) && !is.null(crs) && new$crs != crs)
    input_error("newdata", new$crs$input, "must have the coordinate reference system of the data")
  kind <- object$metric$kind
  if (!is.na(new$geographic)) distance_kind(kind, isTRUE(new$geographic), "newdata")
  if (kind == "euclidean") return(invisible())
  xy <- new$xy
  xy[!is.finite(xy)] <- 0
  check_sphere(xy, "newdata", kind, object$metric$dim)
}

# Covariates and offsets.
new_design <- function(object, frame) {
  new <- new_columns(object, frame)
  list(X = unname(new$x[, is_known(object), drop = FALSE]), offset = unname(as.double(new$offset)))
}

# ---- values in the class of the locations ----

# values: a matrix with a row for each location and named columns.
places_back <- function(new, values, object, method) {
  switch(new$class,
    observed = stats::napredict(object$na.action, with_row_names(drop_column(values), names(object$y))),
    matrix = with_row_names(drop_column(values), new$names),
    grid = as_rfield(values, new, object$cov, object$metric, method, length(object$y), TRUE),
    raster = new$back(values),
    add_columns(new$given, values))
}

drop_column <- function(values) if (ncol(values) == 1L) values[, 1L] else values

# Columns that are there, as those of a prediction before, are not overwritten.
add_columns <- function(x, values) {
  if (inherits(x, "sfc")) return(sf::st_sf(as.data.frame(values), geometry = x))
  wanted <- colnames(values)
  free <- if (all(startsWith(wanted, "sim_")))
    setdiff(paste0("sim_", seq_len(length(x) + length(wanted))), names(x))[seq_along(wanted)]
  else utils::tail(make.unique(c(names(x), wanted)), length(wanted))
  for (j in seq_along(wanted)) x[[free[j]]] <- unname(values[, j])
  x
}

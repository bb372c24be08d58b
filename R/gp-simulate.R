# Simulations of Gaussian processes: exact ones by factors of the covariance matrix, and fields of turning bands, with
# or without observations to be met.

#' Simulations of Gaussian processes
#'
#' Draws new responses of a fit, or fields given its data: these have the conditional distribution of the process at
#' new locations, with the mean and standard deviation of [predict()][predict.gpFit]. Use them for what depends on
#' several locations at once, such as the area above a level.
#'
#' Without `newdata` the result contains new responses at the observations, errors of `error.variance` included, for a
#' parametric bootstrap. With `newdata` fields are conditional: they agree with the data, to within nugget and errors,
#' and have coefficients of the mean drawn from their normal distribution, so that their spread is the standard error
#' of universal kriging. With `conditional = FALSE` the coefficients are those of the fit. The parameters of the
#' covariance are treated as known, or with `parameters = "integrate"` drawn for each simulation from the nodes of
#' their [posterior()] distribution. `"latent"` is the process without nugget, `"response"` has an error of its own
#' for each row of `newdata`.
#'
#' For a fit with a `family`, conditional fields are draws from the normal distribution of the process that Laplace's
#' approximation has, `"latent"` is the linear predictor, and `"response"` draws from the family, for
#' families with trials numbers of successes, in one trial at new locations. `"tbrf"` is not available.
#'
#' Of a fit of several variables all are drawn jointly, by `"tbrf"` with co-kriging of what is left. The result is a
#' data frame in long form, or with the name of one in `variable` as that of a fit of one variable.
#'
#' @section Methods:
#' `"exact"` draws from the joint distribution, by the Cholesky factor of the covariance matrix of all locations
#' together in packed tiles, `4 (n + m)^2` bytes. Locations that are given twice have one value, and those of
#' observations without error the value observed. Nothing is added to the diagonal: where the matrix is not positive
#' definite to working precision, as on fine grids of smooth processes, the conditional covariance matrix of the new
#' locations, `8 m^2` bytes, is factorised with pivoting until what is left is as small as the rounding errors of the
#' matrix.
#'
#' `"tbrf"` conditions fields of [tbrf()] by kriging of residuals: the field at the observations is subtracted from
#' these, with errors drawn, and the kriging prediction of the difference is added to the field. Only the fields
#' themselves are approximate. It is suited to grids of millions of points; `"spectral"` and `"table"` name the method
#' of [tbrf()].
#'
#' `"vecchia"` draws one location after the other given its nearest neighbours among the observations and those drawn
#' before, as many as those of the fit, or 30 if that is exact: see [gpFit()].
#'
#' `"auto"` is `"vecchia"` for fits by that method. For others it is `"exact"` for up to 3,000 new locations, and
#' `"tbrf"` beyond, with a message, of parameters that follow covariates `"vecchia"`. Where arguments of [tbrf()] are
#' given it is `"tbrf"`.
#'
#' @inheritParams predict.gpFit
#' @param nsim number of fields.
#' @param seed `NULL`, or a number for [set.seed()]; R's generator is then put back afterwards.
#' @param newdata new locations, as for [predict()][predict.gpFit], polygons excepted; by default those of the
#'   observations.
#' @param conditional if `TRUE`, the fields are those given the data.
#' @param method see the section on methods.
#' @param ... arguments of [tbrf()], as `nlines`.
#' @param n the same as `nsim`, of which it is an abbreviation for other models.
#' @param re.form as for fits of package \pkg{lme4}, in place of `conditional`: `NULL` for `TRUE`, `NA` or `~ 0` for
#'   `FALSE`.
#' @return Without `newdata` a data frame with columns `sim_1`, `sim_2`, ... and a row for each observation of the
#'   fit, and one of `NA` for each that [stats::na.exclude()] left out. Otherwise in the class of `newdata`: a data
#'   frame, \pkg{sf} points or a raster with columns or layers of these names; on an [rfGrid()] and for a matrix an
#'   [rfield]. The attribute `seed` is as for
#'   [simulate()][stats::simulate].
#' @references
#' Chiles, J.-P. and Delfiner, P. (2012). *Geostatistics: Modeling Spatial Uncertainty*. Wiley, Hoboken, chapter 7.
#' @seealso [predict.gpFit()], [tbrf()], whose argument `data` conditions fields of a known model, and
#'   [simulate.covModel()]
#' @examples
#' quakes <- subset(datasets::quakes, depth < 60)
#' fit <- gpFit(log(stations) ~ 1, quakes, coords = ~ long + lat, fixed = TRUE,
#'              cov = covModel("exponential", range = 300, variance = 0.05, nugget = 0.1,
#'                             distance = "chordal"))
#' new <- data.frame(long = c(170, 180), lat = -20)
#' simulate(fit, 3, seed = 1, newdata = new, type = "latent")
#'
#' # maps of the mean and the spread of fields, and of where they exceed a level
#' grid <- rfGrid(c(165, -35), 1, c(23, 25))
#' fields <- simulate(fit, 100, seed = 1, newdata = grid, type = "latent")
#' plot(fields, sim = 2)
#' x <- 165:187
#' y <- -35:-11
#' image(x, y, apply(fields, 1:2, mean))
#' image(x, y, apply(fields, 1:2, sd))
#' image(x, y, apply(fields > log(40), 1:2, mean))
#'
#' # a field of one of two variables, given observations of both
#' model <- covModel("multimatern", range = 0.3, smoothness = c(0.5, 1.5), correlation = 0.8,
#'                   variable = c("a", "b"))
#' set.seed(1)
#' data <- as.data.frame(tbrf(matrix(runif(80), 40), model))
#' data$a[1:30] <- NA
#' both <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, model, fixed = TRUE)
#' grid <- rfGrid(0, 0.02, c(51, 51))
#' plot(simulate(both, seed = 1, newdata = grid, variable = "a", method = "tbrf"))
#' @importFrom stats simulate
#' @export
simulate.gpFit <- function(object, nsim = 1, seed = NULL, newdata = NULL, conditional = !is.null(newdata),
                           type = c("response", "latent"),
                           method = c("auto", "exact", "vecchia", "tbrf", "spectral", "table"),
                           parameters = c("plugin", "integrate"), variable = NULL, ..., n = nsim, re.form) {
  if (!missing(n) && !missing(nsim)) raise_engine_error("input", "n and nsim are the same: one of them is enough")
  nsim <- whole_number("nsim", n)
  type <- choice("type", type, c("response", "latent"))
  conditional <- if (missing(re.form)) one_flag("conditional", conditional) else is.null(re.form)
  if (!is.null(variable) || !is.null(object$variables))
    return(simulate_several(object, nsim, seed, newdata, variable, conditional, type, choice("method", method),
                            parameters, ...))
  new <- if (is.null(newdata)) observed_places(object) else new_places(object, newdata)
  if (!is.null(new$areas)) input_error("newdata", class(newdata)[1L], "must have points: averages are for predict()")
  method <- choice("method", method)
  lik <- likelihood_of(object)
  if (method == "auto" && !...length()) method <- lik$draws
  if (is_local(object$cov)) {
    if (method == "auto" && !...length()) method <- if (sum(new$ok) <= most_exact) "exact" else "vecchia"
    if (!method %in% c("exact", "vecchia")) input_error("method", method, paste(
      "is not for parameters that follow covariates: \"exact\" and \"vecchia\" are"))
  }
  method <- simulation_method(method, sum(new$ok), "newdata", ...)
  with_seed(seed, {
    value <- matrix(NA_real_, new$n, nsim, dimnames = list(NULL, paste0("sim_", seq_len(nsim))))
    value[new$ok, ] <- despite_failures(function() mixture_draws(
      parameter_mixture(object, parameters), some_places(new, which(new$ok)), nsim, conditional, type, method, ...))
    if (is_local(object$cov)) new$xy <- new$xy[, seq_len(ncol(object$x)), drop = FALSE]
    if (new$observed) response_frame(object, value)
    else if (new$class %in% c("grid", "matrix"))
      as_rfield(value, new, object$cov, object$metric, method, conditional * object$nobs, TRUE)
    else places_back(new, value, object, method)
  })
}

# Each simulation is of one of the fits.
mixture_draws <- function(mixture, new, nsim, ...) {
  if (length(mixture$fits) == 1L) return(likelihood_of(mixture$fits[[1L]])$draw(new, nsim, ...))
  of <- sample(length(mixture$fits), nsim, replace = TRUE, prob = mixture$weight)
  value <- matrix(0, nrow(new$xy), nsim)
  for (k in unique(of))
    value[, of == k] <- likelihood_of(mixture$fits[[k]])$draw(new, sum(of == k), ...)
  value
}

most_exact <- 3000 # new locations for which a matrix is factorised by default

simulation_method <- function(method, n, name, ...) {
  if (method %in% c("exact", "vecchia") && ...length())
    raise_engine_error("input", sprintf("method \"%s\" takes no %s, an argument of tbrf()", method,
                                        c(names(list(...)), "more")[1L]))
  if (method != "auto") return(method)
  if (...length()) return("tbrf")
  if (n <= most_exact) return("exact")
  message(sprintf("%s has more than %s locations: fields by tbrf(); method = \"exact\" takes longer", name,
                  big_count(most_exact)))
  "tbrf"
}

response_frame <- function(object, value) {
  rownames(value) <- names(object$y)
  as.data.frame(stats::napredict(object$na.action, value))
}

# Of a likelihood of normal responses, by likelihood_of_normal().
normal_draw <- function(fit, own, condition, drawn, new, nsim, conditional, type, method, ...) {
  if (new$observed && !conditional && type == "response" && method == "exact")
    return(simulated_responses(fit, own$p, nsim))
  error <- simulated_errors(fit, new, type, conditional)
  if (method %in% c("exact", "vecchia"))
    exact_simulation(fit, own$p, new, nsim, conditional, error, if (method == "vecchia") simulation_neighbours(fit),
                     0L, function(beta, normal)
      as.vector(own$data$y) - if (nrow(beta)) own$data$X %*% beta else matrix(0, fit$nobs, nsim))
  else band_simulation(fit, own, condition, drawn, new, nsim, conditional, error, method, ...)
}

# Observations with their errors, whose matrix is factorised anyway.
simulated_responses <- function(object, p, nsim) {
  on.exit(.Call(C_gpForget))
  factor <- sound_factor(p)
  n <- length(object$y)
  as.vector(object$fitted.values) + gp_multiply(factor, matrix(stats::rnorm(as.double(n) * nsim), n))
}

# Their standard deviations at new locations; none if all are 0.
simulated_errors <- function(object, new, type, conditional) {
  if (type == "latent") return(numeric())
  n <- nrow(new$xy)
  variance <- rep_len(process_of(object$cov)$nugget(list(model = object$cov), new$xy), n)
  if (new$observed && !conditional && !is.null(object$error.variance)) variance <- variance + object$error.variance
  if (any(variance > 0)) sqrt(variance) else numeric()
}

# Standard normal variables, a column for each field and rows for several uses, which are a list: a field does not
# depend on how many come after it.
normal_blocks <- function(sizes, nsim) {
  normal <- matrix(stats::rnorm(sum(sizes) * as.double(nsim)), sum(sizes), nsim)
  ends <- cumsum(sizes)
  Map(function(end, size) normal[end - size + seq_len(size), , drop = FALSE], ends, sizes)
}

# Fields with the mean, coefficients drawn where they are `conditional`. The process is given by what `left(beta,
# normal)` has at the points of p, from `drawn` normal variables for each field.
exact_simulation <- function(fit, p, new, nsim, conditional, error, m, drawn, left) {
  known <- fit$coefficients[is_known(fit)]
  normal <- normal_blocks(c(length(known), drawn * conditional, nrow(new$xy), length(error)), nsim)
  if (conditional) {
    beta <- drawn_coefficients(fit, normal[[1L]])
    residuals <- left(beta, normal[[2L]])
  } else {
    beta <- matrix(known, length(known), nsim)
    p <- without_points(p)
    residuals <- matrix(0, 0L, nsim)
  }
  field <- new$offset + new$X %*% beta + exact_fields(p, residuals, new$xy, normal[[3L]], m)
  if (length(error)) field + error * normal[[4L]] else field
}

simulation_neighbours <- function(object) {
  if (is.null(object$m)) 30L else object$m
}

# From their normal distribution, a column for each of `normal`. On the diagonal of correlations stands 1 and not what
# rounding makes of it, which would choose the first pivot, and with it the draws.
drawn_coefficients <- function(object, normal) {
  known <- object$coefficients[is_known(object)]
  beta <- matrix(known, length(known), ncol(normal))
  if (!length(known)) return(beta)
  vcov <- mean_vcov(object)
  unit <- sqrt(diag(vcov))
  beta + unit * semidefinite_root(replace(vcov / tcrossprod(unit), diag(length(unit)) == 1, 1), .Machine$double.eps,
                                  normal)
}

without_points <- function(p) {
  p$xy <- p$xy[0L, , drop = FALSE]
  p["by"] <- list(p$by[0L])
  p["shared"] <- list(NULL)
  p$diagonal <- numeric()
  p
}

# ---- exact fields ----

# The process without nugget at the locations xy given the residuals at the points of p, a column for each field, from
# standard normal variables, of which each row of xy has one. Equal locations have one value.
exact_fields <- function(p, residuals, xy, normal, m = NULL) {
  if (!is.null(p$new)) {
    field <- matrix(0, nrow(xy), ncol(residuals))
    each_replicate(p, p$new, function(one, rows, at) {
      one$new <- NULL
      field[rows, ] <<- exact_fields(one, residuals[at, , drop = FALSE], xy[rows, , drop = FALSE],
                                     normal[rows, , drop = FALSE], m)
    })
    return(field)
  }
  n <- nrow(residuals)
  id <- place_numbers(rbind(p$xy, xy))
  new <- id[n + seq_len(nrow(xy))]
  sure <- which(p$diagonal <= max(p$least, 0))
  known <- sure[match(new, id[sure])]
  first <- which(!duplicated(new) & is.na(known))
  field <- matrix(0, nrow(xy), ncol(residuals))
  draws <- function(...) if (is.null(m)) joint_draws(...) else vecchia_draws(..., m)
  field[first, ] <- draws(p, residuals, xy[first, , drop = FALSE], normal[first, , drop = FALSE])
  field <- field[match(new, new), , drop = FALSE]
  field[!is.na(known), ] <- residuals[known[!is.na(known)], ]
  field
}

# With L, the factor of the matrix of points and xy together, and z, of which L z are the residuals at the points
# and which is normal beyond, the values are those of L z.
joint_draws <- function(p, residuals, xy, normal) {
  on.exit(.Call(C_gpForget))
  n <- nrow(p$xy)
  m <- nrow(xy)
  if (!m) return(normal)
  joint <- p
  joint$xy <- rbind(p$xy, xy)
  joint$diagonal <- c(p$diagonal, numeric(m))
  if (n + m > 5000) gp_memory(n + m)
  f <- gp_factor(joint)
  if (f[[3L]] > 0) {
    f <- NULL
    return(semidefinite_draws(p, residuals, xy, normal))
  }
  gp_draw(f[[1L]], rbind(residuals, normal), n)
}

# The rows of L z beyond n, those before being those of b, as z beyond n is.
gp_draw <- function(factor, b, n) {
  if (!is.matrix(factor)) return(.Call(C_gpDraw, factor, b, n))
  at <- seq_len(n)
  if (n) b[at, ] <- gp_solve(factor, b, FALSE)[at, , drop = FALSE]
  gp_multiply(factor, b)[n + seq_len(nrow(b) - n), , drop = FALSE]
}

# By the conditional mean and a pivoted factor of the conditional covariance matrix. Covariances are right to some 16
# eps of the variance: with the weights w of kriging that is 16 eps (1 + sum |w|)^2 in conditional ones, and pivots
# below are rounding errors.
semidefinite_draws <- function(p, residuals, xy, normal) {
  m <- nrow(xy)
  if (m > 11585L)
    raise_engine_error("memory", sprintf(paste(
      "the covariance matrix of %d locations is not positive definite to working precision, and their conditional",
      "one takes %.1f GiB: method = \"tbrf\" needs none"), m, 8 * m^2 / 2^30))
  left <- process_covariance(p, xy)
  mean <- 0
  variance <- if (is_local(p$model)) max(own_variances(p, rbind(p$xy, xy))) else process_variance(p)
  error <- max(m, 16) * .Machine$double.eps * variance
  if (nrow(p$xy)) {
    krige <- gp_solved(p, list(y = residuals))
    cross <- gp_solve(krige$factor, process_covariance(p, p$xy, xy), FALSE)
    mean <- covariance_sums(p, xy, p$xy, krige$weights)
    left <- left - crossprod(cross)
    size <- 1 + max(colSums(abs(gp_solve(krige$factor, cross, TRUE))))
    error <- max(error, 16 * .Machine$double.eps * variance * size^2)
  }
  mean + semidefinite_root(left, error, normal)
}

# Draws with this covariance matrix. Pivots below `error` are taken for 0.
semidefinite_root <- function(covariance, error, normal) {
  if (max(diag(covariance)) <= error) return(0 * normal)
  root <- suppressWarnings(chol(covariance, pivot = TRUE, tol = error)) # warns of what is wanted
  used <- seq_len(attr(root, "rank"))
  value <- normal
  value[attr(root, "pivot"), ] <- crossprod(root[used, , drop = FALSE], normal[used, , drop = FALSE])
  value
}

# L b
gp_multiply <- function(factor, b) if (is.matrix(factor)) crossprod(factor, b) else .Call(C_gpMultiply, factor, b)

# ---- fields of turning bands, and kriging of residuals ----

band_simulation <- function(object, own, condition, drawn, new, nsim, conditional, error, method, ...) {
  on.exit(.Call(C_gpForget))
  p <- own$p
  n <- if (conditional) nrow(p$xy) else 0L
  several <- is_several(p$model)
  variables <- if (several) unique(new$xy[, ncol(new$xy)])
  # waves of a mesh are faster, but those of scattered points are made once for all
  mesh <- !is.null(new$grid) && prod(new$grid$dims) > 1e5 &&
    nrow(new$xy) == prod(new$grid$dims) * max(1L, length(variables))
  xy <- rbind(p$xy[seq_len(n), , drop = FALSE], if (!mesh) new$xy)
  places <- function(xy) if (several) split_label(xy)$xy else xy
  settings <- list(...)
  odd <- intersect(names(settings), c("x", "model", "data", "object"))
  if (length(odd)) raise_engine_error("input", sprintf("simulate() has no argument %s", odd[1L]))
  settings$method <- if (method == "tbrf") "auto" else method
  model <- without_nugget(object$cov)
  if (mesh && conditional && is.null(settings$extent) && p$metric$kind == "euclidean" &&
      (method == "table" || method == "tbrf" && "table" %in% chosen_methods(model, p$metric$dim))) {
    settings$method <- "table"
    settings$extent <- apply(rbind(places_box(grid_places(new$grid)), places(p$xy)), 2L, range)
  }
  recipe <- do.call(tbrf, c(list(if (mesh) new$grid else places(xy), model, nsim = nsim, object = TRUE), settings),
                    quote = TRUE)
  beta <- object$coefficients[is_known(object)]
  field <- band_values(recipe, xy)
  value <- if (mesh) mesh_values(recipe, new$grid, variables)
           else field[n + seq_len(nrow(new$xy)), , drop = FALSE]
  normal <- normal_blocks(c(n, length(error), drawn), nsim)
  if (conditional) {
    left <- as.vector(own$data$y) - field[seq_len(n), , drop = FALSE] - observation_errors(p, normal[[1L]])
    met <- condition(value, left, new, normal[[3L]])
    value <- met$value
    beta <- met$beta
  }
  value <- new$offset + value + as.vector(if (length(beta)) new$X %*% beta else 0)
  if (!length(error)) return(value)
  value + if (new$observed) observation_errors(p, normal[[2L]], error) else error * normal[[2L]]
}

# How tbrf() makes fields of the model, or of the parts of one of several variables.
chosen_methods <- function(model, dim) {
  if (!is_several(model)) return(chosen_method("auto", model, dim))
  vapply(independent_sums(model), function(own) chosen_method("auto", own$part, dim), "")
}

# The fields at locations, a column for each; of several variables each row is that of its own.
band_values <- function(recipe, xy) {
  if (is.null(recipe$variables))
    return(matrix(field_values(recipe, list(xy = xy, n = nrow(xy))), nrow(xy), recipe$nsim))
  own <- split_label(xy)
  id <- place_numbers(own$xy)
  first <- which(!duplicated(id))
  field <- field_values(recipe, list(xy = own$xy[first, , drop = FALSE], n = length(first)))
  field <- matrix(field, length(first) * length(recipe$variables), recipe$nsim)
  field[match(id, id[first]) + (own$variable - 1L) * length(first), , drop = FALSE]
}

# On a grid, those of the variables one after the other.
mesh_values <- function(recipe, grid, variables) {
  value <- field_values(recipe, places_of(grid, "newdata"))
  if (is.null(variables)) return(matrix(value, ncol = recipe$nsim))
  size <- prod(grid$dims)
  matrix(array(value, c(size, length(recipe$variables), recipe$nsim))[, variables, ], size * length(variables))
}

# Errors of the observations from standard normal variables: those of several variables at one place may be
# correlated.
observation_errors <- function(p, normal, sd = sqrt(p$diagonal)) {
  value <- sd * normal
  if (is.null(p$shared)) return(value)
  own <- split_label(p$xy)
  together <- split(seq_along(sd), place_numbers(own$xy))
  for (i in together[lengths(together) > 1L]) {
    errors <- p$model$nugget[own$variable[i], own$variable[i]]
    diag(errors) <- sd[i]^2
    root <- matrix_root(errors)
    value[i, ] <- root %*% normal[i[seq_len(ncol(root))], , drop = FALSE]
  }
  value
}

# Predictions from weights, added to fields at these locations.
add_kriging <- function(value, p, weights, xy) {
  for (at in chunks(nrow(xy), 2^18))
    value[at, ] <- value[at, ] + covariance_sums(p, xy[at, , drop = FALSE], p$xy, weights)
  value
}

without_nugget <- function(model) {
  if (!is.null(model$nugget)) model$nugget[] <- 0
  model$mean <- 0
  if (!is.null(model$parts)) model$parts <- lapply(model$parts, without_nugget)
  model
}

# ---- fields of a model ----

#' Simulate fields of a model
#'
#' Simulates fields with the covariance of a model at any locations, by exact draws or by [tbrf()].
#'
#' `"exact"` values are normal with exactly the mean of the model and the matrix `covariance(object, x)`, the nugget
#' being an error of each row of `x`. It is available for all models, those of space and time, of several
#' variables and of great circle distances included, and takes `4 n^2` bytes for the factor of the matrix. Nothing is
#' added to its diagonal: where it is not positive definite to working precision it is factorised with pivoting, see
#' [simulate.gpFit()]. As the matrix is factorised once for all fields, `"exact"` is the fast way to many fields at
#' few points. With models of space and time the last column of `x` is the time of each point, with models of several
#' variables the number of the variable. Fields of several variables by [tbrf()] have all of them at each point, and
#' `x` is without that column.
#'
#' @param object a model by [covModel()].
#' @param nsim number of fields.
#' @param seed `NULL`, or a number for [set.seed()]; R's generator is then put back afterwards.
#' @param x points or a grid, as for [tbrf()] or, with `"exact"`, for [covariance()].
#' @param method `"exact"`; `"tbrf"`, or a method of that; or `"auto"`, which is `"exact"` for up to 3,000 locations
#'   if no arguments of [tbrf()] are given.
#' @param ... other arguments of [tbrf()].
#' @return As [tbrf()]. Exact fields have no recipe: they have values at `x` alone.
#' @concept random field
#' @concept Gaussian random field
#' @examples
#' simulate(covModel("exponential", range = 1), nsim = 2, seed = 1, x = 1:4)
#' great <- covModel("matern", range = 2000, smoothness = 0.4, distance = "greatcircle")
#' simulate(great, seed = 1, x = cbind(long = c(0, 10, 170), lat = c(50, 50, -40)))
#' @export
simulate.covModel <- function(object, nsim = 1, seed = NULL, x,
                              method = c("auto", "exact", "tbrf", "spectral", "table", "fft"), ...) {
  need(x = missing(x))
  method <- choice("method", method)
  nsim <- whole_number("nsim", nsim)
  model <- checked_model(object)
  exact <- method == "exact" || method == "auto" && !...length()
  if (is_local(model) && !exact) input_error("method", method, paste(
    "is not for parameters that follow covariates: \"exact\" is"))
  if (exact) {
    new <- model_places(x, model)
    if (!is.null(new$model)) model <- new$model
    method <- if (without_bands(model)) "exact" else simulation_method(method, nrow(new$xy), "x", ...)
  } else if (method == "auto") method <- "tbrf"
  value <- with_seed(seed, {
    if (method == "exact") despite_failures(function() model_fields(model, new, nsim))
    else tbrf(x, object, nsim = nsim, method = if (method == "tbrf") "auto" else method, ...)
  })
  attr(value, "seed") <- NULL
  value
}

# What tbrf() has no fields for.
without_bands <- function(model)
  has_labels(model) || has_time(model_parts(model)) || model$distance == "greatcircle"

model_places <- function(x, model) {
  refuse_foreign("x", x)
  if (is_local(model)) {
    found <- local_points(x, "x", model)
    if (inherits(x, "sf")) found$points$back <- function(values) sf_with(x, values)
    return(c(found$points, list(model = checked_model(found$model))))
  }
  if (inherits(x, c("rfGrid", "SpatRaster", "stars"))) {
    places <- places_of(x, "x")
    return(list(xy = places_points(places), geographic = places$geographic, crs = places$crs, back = places$back,
                grid = places$grid))
  }
  if (inherits(x, "dist")) raise_engine_error("input", "x has distances: give the points")
  if (is.numeric(x) && is.null(dim(x)))
    x <- matrix(x, ncol = 1L, dimnames = if (!is.null(names(x))) list(names(x), NULL))
  places <- points_of(numbered_variables(x, "x", model), "x", model)
  if (inherits(x, c("sf", "sfc"))) places$back <- function(values) sf_with(x, values)
  places
}

model_fields <- function(model, new, nsim) {
  n <- nrow(new$xy)
  metric <- list(kind = "euclidean", dim = ncol(new$xy), radius = 1)
  if (is_several(model)) {
    matrix <- unname(covariance(model, new$xy))
    most <- max(if (is_several(model)) variable_variances(model) else model$variance)
    value <- semidefinite_root(matrix, max(n, 16) * .Machine$double.eps * most,
                               matrix(stats::rnorm(as.double(n) * nsim), n))
  } else {
    p <- gp_problem(model, new, NULL)
    metric <- p$metric
    normal <- normal_blocks(c(n, if (any(p$diagonal > 0)) n), nsim)
    value <- exact_fields(without_points(p), matrix(0, 0L, nsim), new$xy, normal[[1L]])
    if (length(normal) > 1L) value <- value + sqrt(p$diagonal) * normal[[2L]]
  }
  if (is_local(model)) new$xy <- new$xy[, seq_len(metric$dim), drop = FALSE]
  places <- list(xy = new$xy, n = n)
  if (is.function(model$mean)) value <- value + as.vector(if (n) add_drift(numeric(n), model$mean, places))
  else value <- value + model$mean
  colnames(value) <- paste0("sim_", seq_len(nsim))
  if (!is.null(new$back)) return(new$back(value))
  if (nsim == 1L) colnames(value) <- "value"
  as_rfield(value, new, model, metric, "exact", 0, FALSE)
}

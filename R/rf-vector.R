# Vector fields, and what waves that move or have several values are summed to.

#' Models of vector fields
#'
#' `rfVector()` describes a random vector field in the plane or in space, which has as many values at a point as the
#' point has coordinates. It is a model for [tbrf()]: of an incompressible flow, of the gradient of a potential, or
#' of a mixture of both, for example to drive or to start simulations of turbulence.
#'
#' A wave with the wave vector k of the model has independent normal vectors as the amplitudes of its cosine and its
#' sine. Of these, `"solenoidal"` keeps the part perpendicular to k,
#' \eqn{a - k (k \cdot a)/k^2}{a - k (k . a)/k^2}, so that the divergence of the field is 0 everywhere.
#' `"compressive"` keeps the part parallel to k, so that the curl of the field is 0 everywhere. `"mixed"` is the sum
#' of two independent fields, one of each kind, of which the compressive one has the `share` of the energy at all
#' wave numbers, exactly in the mean of fields. A share of 1/d, with d the number of coordinates, is that of
#' independent components.
#'
#' Variances are those of a component: whatever the kind, \eqn{E|v|^2} is d times the variance of `model`, the trace
#' of the covariance matrix of two points is d times the covariance of `model`, and so the energy spectrum has the
#' shape of its spectrum. If the model is isotropic, each component has the variance of the model, and the components
#' at a point are not correlated. There is no mean flow other than `mean`: the waves of a model all have a finite
#' length, and the mean over a large box tends to 0.
#'
#' With `helicity` H, in space, the solenoidal part turns in one sense more than in the other: at every wave vector
#' \eqn{E(v \cdot \nabla \times v) = H |k| E|v|^2}{E(v . curl v) = H |k| E|v|^2} of that part, and with 1 or -1 its
#' curl is k or -k times the field. The energy spectrum is the same. (A wave a is replaced by
#' \eqn{\alpha a + i \beta k \times a / |k|}{alpha a + i beta k x a/|k|}, \eqn{\alpha^2 + \beta^2 = 1}{alpha^2 +
#' beta^2 = 1} and \eqn{2 \alpha \beta = H}{2 alpha beta = H}.)
#'
#' @section Boxes and staggered grids:
#' `tbrf(method = "fft", periodic = TRUE)` makes vector fields of the waves of a box, also with `variance =
#' "spectrum"`, whose components each have the spectrum of the model at every wave vector but 0, in the mean over the
#' components; there is no mean flow. Divergence and curl are those of the waves. At the Nyquist wave numbers of axes
#' with an even number of points waves have no derivative along the axis, and are solenoidal or compressive without
#' it.
#'
#' On a grid by `rfGrid(staggered = TRUE)`, component j of a cell is the value on its face towards smaller coordinates
#' j, half a `spacing` below its centre, as programs for incompressible flow and magnetic fields have it. Solenoidal
#' fields there have a divergence of rounding size in the sense of the differences between the faces of a cell, about
#' 1e-15 of the gradients; compressive ones are the differences of a potential between centres of cells. The spectrum
#' is that of the model all the same. Sums of waves by `method = "spectral"` have the same property, without a period,
#' also in time and in files: their directions are those of the differences, for grids of this spacing.
#' [rfDivergence()] of such a field is the discrete divergence, of fields that are not periodic without the last cells
#' along each axis. Coordinates in tables and estimates are those of the centres of the cells. (Helicity leaves out
#' the Nyquist wave numbers of boxes.)
#'
#' As the amplitudes are normal, the field is normal given its waves. A nugget adds independent noise to each
#' component.
#'
#' @param model a model by [covModel()], of space or of space and time.
#' @param kind kind of field.
#' @param share of `"mixed"`: share of the compressive part in the energy, from 0 to 1; 1/2 if not given.
#' @param mean mean of the components: one number for all, one for each, or a function of the matrix of coordinates
#'   with columns `x`, `y` and `z`, as many as there are, that gives a matrix with a row for each point and a column
#'   for each component.
#' @param helicity relative helicity of the solenoidal part, from -1 to 1, in space.
#' @param x a model by `rfVector()`.
#' @param ... none.
#' @return An object of class `rfVector`, a list with the components `model`, `kind`, `share` (of the compressive
#'   part), `mean`, and `helicity` where it is not 0.
#' @references
#' Kraichnan, R. H. (1970). Diffusion by a random velocity field. *Physics of Fluids* **13**, 22--31.
#'
#' Eswaran, V. and Pope, S. B. (1988). An examination of forcing in direct numerical simulations of turbulence.
#' *Computers & Fluids* **16**, 257--278.
#'
#' Schmidt, W., Federrath, C., Hupp, M., Kern, S. and Niemeyer, J. C. (2009). Numerical simulations of compressively
#' driven interstellar turbulence. *Astronomy & Astrophysics* **494**, 127--145.
#' @seealso [tbrf()], [rfGradient()] for derivatives.
#' @examples
#' set.seed(1)
#' eddies <- rfVector(covModel("gaussian", range = 3), "solenoidal")
#' flow <- tbrf(rfGrid(0, 0.25, c(60, 40)), eddies)
#' flow
#' plot(flow)
#' range(rfDivergence(flow))
#'
#' # a turbulent velocity in space, two thirds of its energy compressive, that changes in time
#' driving <- rfVector(covModel("gammaspectrum", range = 2, exponent = 4), "mixed", share = 2 / 3)
#' force <- tbrf(rfGrid(0, 0.5, c(8, 8, 8)), driving, time = c(0, 0.1), correlation.time = 0.5)
#' dim(force)
#'
#' # a periodic magnetic field on the faces of cells, without a divergence there
#' faces <- rfGrid(0, 1, c(32, 32, 32), staggered = TRUE)
#' field <- tbrf(faces, rfVector(covModel("gaussian", range = 4)), method = "fft", periodic = TRUE)
#' range(rfDivergence(field))
#' @export
rfVector <- function(model, kind = c("solenoidal", "compressive", "mixed"), share = NULL, mean = 0, helicity = 0) {
  need(model = missing(model))
  if (!inherits(model, "covModel")) input_error("model", class(model)[1L], "must be a model by covModel()")
  kind <- choice("kind", kind)
  if (kind != "mixed") {
    if (!is.null(share)) input_error("share", share, "is for kind = \"mixed\"")
    share <- as.double(kind == "compressive")
  } else {
    if (is.null(share)) share <- 0.5
    one_number("share", share, "not negative")
    if (share > 1) input_error("share", share, "must be at most 1")
  }
  if (!identical(model$mean, 0)) raise_engine_error("input", "model has a mean: it is given to rfVector()")
  check_function("mean", mean)
  if (!is.function(mean)) {
    check_numbers("mean", mean, "")
    if (length(mean) > 3L) input_error("mean", mean, "must have a number for each component")
  }
  one_number("helicity", helicity, "")
  if (abs(helicity) > 1) input_error("helicity", helicity, "must be from -1 to 1")
  if (helicity != 0 && share == 1) input_error("helicity", helicity, "is for fields with a solenoidal part")
  structure(c(list(model = checked_model(model), kind = kind, share = as.double(share), mean = mean),
              if (helicity != 0) list(helicity = as.double(helicity))), class = "rfVector")
}

#' @rdname rfVector
#' @export
format.rfVector <- function(x, ...) {
  mean <- if (is.function(x$mean)) ", mean a function"
          else if (any(x$mean != 0)) sprintf(", mean %s", toString(format(x$mean, trim = TRUE)))
  paste0(x$kind, if (x$kind == "mixed") sprintf(", compressive share %s", format(x$share)),
         if (!is.null(x$helicity)) sprintf(", helicity %s", format(x$helicity)), mean)
}

#' @rdname rfVector
#' @export
print.rfVector <- function(x, ...) {
  cat("Vector field, ", format(x), ", of waves of\n", sep = "")
  cat(format(x$model), sep = "\n  ")
  cat("\n")
  invisible(x)
}

# The model of components may be one of space and time, and has been changed by hand, as a list can be.
vector_arguments <- function(x) {
  own <- unclass(x)[intersect(c("model", "kind", "share", "mean", "helicity"), names(x))]
  if (!identical(own$kind, "mixed")) own["share"] <- list(NULL)
  own
}

# ---- recipes ----

# Those of one value at a point, always.
is_plain <- function(recipe)
  is.null(recipe$vector) && is.null(recipe$motion) && is.null(recipe$derived) && is.null(recipe$variables)

refuse_vectors <- function(recipe, what) {
  refuse_variables(recipe, what)
  if (!is_plain(recipe)) raise_engine_error("input", paste(
    what, "for scalar fields that do not change in time, and not for derivatives"))
}

refuse_variables <- function(recipe, what)
  if (!is.null(recipe$variables)) raise_engine_error("input", sprintf(
    "%1$s for fields of one variable: its values are z[, \"%2$s\"] of a field z at points, z[, , \"%2$s\"] on a grid",
    what, recipe$variables[1L]))

# What a recipe of vectors or of times cannot have.
check_flow <- function(settings, vector, space, nlines) {
  what <- if (is.null(vector)) "fields in time" else "vector fields"
  moving <- !is.null(settings$flow$motion)
  if (!settings$method %in% c("auto", "spectral", if (!moving) "fft"))
    input_error("method", settings$method, sprintf("is not for %s: \"spectral\" is", what))
  one_number("nlines", nlines, "positive")
  if (nlines < 1)
    input_error("nlines", nlines, sprintf("is a tolerance, which is not known for %s: give the number", what))
  if (is.null(vector)) return(invisible())
  if (!is.null(space$sphere)) input_error("distance", "chordal", "has no vector fields: points are those of a sphere")
  if (space$dim == 1L)
    raise_engine_error("input", "the points have dimension 1: vector fields are in the plane or in space")
  if (!is.null(vector$helicity) && space$dim != 3L)
    input_error("helicity", vector$helicity, "is for vectors in space")
  if (!is.function(vector$mean) && !length(vector$mean) %in% c(1L, space$dim))
    input_error("mean", vector$mean, sprintf("must have 1 or %d elements, as points have coordinates", space$dim))
}

# Names of the values at a point; NULL for a single one.
component_names <- function(recipe) {
  d <- recipe$space$dim
  own <- if (!is.null(recipe$vector)) paste0("v", axis_names(d)) else recipe$variables
  if (is.null(recipe$derived)) return(own)
  switch(recipe$derived, divergence = NULL, curl = if (d == 3L) paste0("curl_", axis_names(d)),
         gradient = if (is.null(own)) { if (d > 1L) paste0("d_d", axis_names(d)) }
                    else as.vector(outer(own, axis_names(d), function(v, x) paste0("d", v, "_d", x))))
}

component_number <- function(recipe) max(1L, length(component_names(recipe)))
time_number <- function(recipe) if (is.null(recipe$motion)) 1L else length(recipe$times)
columns_of_field <- function(recipe) component_number(recipe) * time_number(recipe)

# Dimensions of values besides those of the points: components, times if there is not one, and fields if there are
# several.
further_dims <- function(recipe) {
  names <- component_names(recipe)
  times <- time_number(recipe)
  c(component = if (!is.null(names)) length(names), time = if (times != 1L) times,
    realization = if (recipe$nsim > 1L) recipe$nsim)
}

# Of the columns of values: components fastest, then times, then fields.
column_names <- function(recipe, single = "value") {
  sims <- if (recipe$nsim > 1L) paste0("sim_", seq_len(recipe$nsim))
  times <- if (time_number(recipe) > 1L) paste0("t", seq_len(time_number(recipe)))
  parts <- Filter(Negate(is.null), list(component_names(recipe), times, sims))
  if (!length(parts)) return(if (time_number(recipe)) single)
  if (!time_number(recipe)) return(character())
  Reduce(function(a, b) as.vector(outer(a, b, paste, sep = "_")), parts)
}

# ---- sums of waves ----

# Field number sim as a function of it: a column for each component, and so for each time.
flow_field <- function(recipe, places) {
  axes <- places$axes
  xy <- if (!is.null(recipe$space$sphere)) sphere_points(places_points(places), recipe$space$sphere)
        else if (length(axes) == 1L) matrix(axes[[1L]], ncol = 1L) else places$xy
  m <- component_number(recipe)
  lines <- if (is.null(recipe$common)) recipe else with_key(recipe$common, recipe)
  function(sim, into, at) if (any(lines$share > 0L)) over_lines(lines, sim, function(waves, lot) {
    frequency <- if (identical(recipe$motion$kind, "frequencies")) line_frequencies(recipe, sim)
    for (i in seq_len(time_number(recipe))) {
      own <- wave_coefficients(recipe, sim, waves, frequency, if (!is.null(recipe$motion)) recipe$times[i],
                               if (is.null(lot)) 0 else lot[[1L]])
      first <- at + (i - 1) * m * places$n
      if (!is.null(xy)) point_waves(xy, waves$k, own, into, first, lot)
      else mesh_waves(axes, waves$k, own, into, first, lot, if (isTRUE(places$staggered)) recipe$faces)
    }
  })
}

# Phases of the waves at a time, and for each component the coefficients of their cosines and sines.
wave_coefficients <- function(recipe, sim, waves, frequency, time, before) {
  if (!is.null(recipe$common)) return(common_coefficients(recipe, sim, waves, before))
  n <- length(waves$phase)
  phase <- if (is.null(frequency)) waves$phase else waves$phase + turns_at(frequency, time)
  own <- list(phase = phase, cosine = matrix(waves$amplitude, n), sine = NULL)
  d <- recipe$space$dim
  if (!is.null(recipe$vector) || identical(recipe$motion$kind, "amplitudes")) {
    m <- if (is.null(recipe$vector)) 1L else d
    free <- amplitude_normals(recipe, sim, n, 2L * m, time, before) * (waves$amplitude / sqrt(2))
    own$cosine <- free[, seq_len(m), drop = FALSE]
    own$sine <- free[, m + seq_len(m), drop = FALSE]
    if (!is.null(recipe$vector)) {
      along <- unit_rows(wave_directions(waves$k, recipe$faces))
      if (!is.null(recipe$vector$helicity)) own <- turned(own, along, recipe$vector$helicity)
      own$cosine <- projected(own$cosine, along, recipe$vector$share)
      own$sine <- projected(own$sine, along, recipe$vector$share)
    }
  }
  if (is.null(recipe$derived)) own else differentiated(own, waves$k, recipe$derived)
}

turns_at <- function(frequency, time) {
  turns <- frequency * time
  far <- abs(turns) >= 2^50
  if (any(far)) input_error("time", time, sprintf("is too far from 0 for waves with the period %s",
                                                  format(1 / max(abs(frequency)))))
  turns %% 1
}

# Of the wave vectors, in turns, or of those that differences between the faces of cells with this spacing have: of a
# wave exp(i k x) the difference over a spacing delta is i sin(k delta/2)/(delta/2) times the wave in the middle.
wave_directions <- function(k, faces) {
  if (is.null(faces)) return(k)
  delta <- rep(faces, each = nrow(k))
  sin(pi * k * delta) / delta
}

unit_rows <- function(k) {
  k <- k / do.call(pmax, lapply(seq_len(ncol(k)), function(j) abs(k[, j])))
  k / sqrt(rowSums(k^2))
}

# Weights of the parts along and across a wave vector, of one and d - 1 components, with which the mean square of all
# d components is that of d free ones.
projected <- function(free, along, share) {
  d <- ncol(free)
  longitudinal <- along * rowSums(along * free)
  sqrt(d * share) * longitudinal + sqrt(d * (1 - share) / (d - 1)) * (free - longitudinal)
}

# The amplitude c - i s of exp(i t) becomes a + i b n x of its part across n, see helical_part(). The part along n
# stays.
turned <- function(own, n, helicity) {
  a <- cos(asin(helicity) / 2)
  b <- sin(asin(helicity) / 2)
  parallel <- function(x) n * rowSums(n * x)
  list(phase = own$phase,
       cosine = parallel(own$cosine) + a * (own$cosine - parallel(own$cosine)) + b * cross_rows(n, own$sine),
       sine = parallel(own$sine) + a * (own$sine - parallel(own$sine)) - b * cross_rows(n, own$cosine))
}

# c cos t + s sin t, t = 2 pi (k . x + phase), has the derivative 2 pi k_j (s cos t - c sin t) along axis j.
differentiated <- function(own, k, derived) {
  d <- ncol(k)
  if (is.null(own$sine)) own$sine <- 0 * own$cosine
  of <- function(component, axis) 2 * pi * k[, axis] * cbind(own$sine[, component], -own$cosine[, component])
  all <- switch(derived,
    gradient = do.call(c, lapply(seq_len(d), function(j) lapply(seq_len(ncol(own$cosine)), of, j))),
    divergence = list(Reduce(`+`, lapply(seq_len(d), function(j) of(j, j)))),
    curl = if (d == 2L) list(of(2L, 1L) - of(1L, 2L))
           else list(of(3L, 2L) - of(2L, 3L), of(1L, 3L) - of(3L, 1L), of(2L, 1L) - of(1L, 2L)))
  list(phase = own$phase, cosine = do.call(cbind, lapply(all, function(a) a[, 1L])),
       sine = do.call(cbind, lapply(all, function(a) a[, 2L])))
}

# Amplitude and phase of one component.
one_cosine <- function(own, j) {
  if (is.null(own$sine)) return(list(amplitude = own$cosine[, j], phase = own$phase))
  list(amplitude = sqrt(own$cosine[, j]^2 + own$sine[, j]^2),
       phase = own$phase - atan2(own$sine[, j], own$cosine[, j]) / (2 * pi))
}

# Results of a point share the phases of its waves, up to three of them in a pass. One by itself has no sines.
point_waves <- function(xy, k, own, into, at, lot) {
  m <- ncol(own$cosine)
  for (j in split(seq_len(m), (seq_len(m) - 1L) %/% (if (m == 4L) 2L else 3L))) {
    waves <- if (length(j) > 1L) list(k = k, phase = own$phase, amplitude = own$cosine[, j, drop = FALSE],
                                      sine = own$sine[, j, drop = FALSE])
             else {
               one <- one_cosine(own, j)
               list(k = k, phase = one$phase, amplitude = matrix(one$amplitude, ncol = 1L), sine = 0)
             }
    .Call(C_bandWaves, xy, waves, lot, into, at + (j[1L] - 1) * nrow(xy))
  }
}

# On a grid the phases cost nothing: what takes time are the products, which components do not share.
# With `faces`, component j is half a spacing below.
mesh_waves <- function(axes, k, own, into, at, lot, faces = NULL) {
  all <- lapply(seq_len(ncol(own$cosine)), one_cosine, own = own)
  for (j in seq_along(faces)) all[[j]]$phase <- all[[j]]$phase - k[, j] * faces[j] / 2
  column <- function(name) do.call(cbind, lapply(all, `[[`, name))
  .Call(C_bandGrid, axes, list(k = k, phase = column("phase"), amplitude = column("amplitude")), lot, into, at)
}

# Noise of a location, and with it of the component and of the time: that of a component is the sum of independent
# ones by the `root` of the matrix of its covariances.
flow_nugget <- function(into, at, recipe, places, sim, root) {
  key <- floor(uniforms_for(field_key(recipe$key, sim), 0L)("nugget", 2) * 2^32)
  m <- component_number(recipe)
  for (j in seq_len(columns_of_field(recipe))) {
    time <- if (is.null(recipe$motion)) 0 else recipe$times[(j - 1L) %/% m + 1L]
    component <- (j - 1L) %% m + 1
    for (q in which(root[component, ] != 0)) {
      own <- cbind(q, time, 1:2, deparse.level = 0L)
      of <- floor(stats::pnorm(.Call(C_bandNoise, own, key)) * 2^32)
      add_in_blocks(into, at + (j - 1) * places$n, places, function(xy, first)
        root[component, q] * .Call(C_bandNoise, xy, pmin(of, 2^32 - 1)))
    }
  }
}

# Values that nobody else has, a column for each of several, with the mean added in place. Means of vectors are those
# of the kind, of scalars and of several variables those of the model; derivatives of all of these are 0.
with_means <- function(value, recipe, places) {
  if (!is.null(recipe$derived) || !is.null(recipe$marginal) || !length(value)) return(value)
  scalar <- is.null(recipe$vector)
  mean <- if (scalar) recipe$model$mean else recipe$vector$mean
  d <- if (scalar) max(1L, length(recipe$variables)) else recipe$space$dim
  component <- (seq_len(NCOL(value)) - 1L) %% d + 1L
  if (!is.function(mean)) {
    mean <- rep_len(mean, d)[component]
    for (j in which(mean != 0)) .Call(C_bandAdd, value, (j - 1) * places$n, as.double(mean[j]), places$n)
    return(value)
  }
  for (j in seq_len(d)) {
    drift <- if (!is.null(recipe$variables)) function(xy) mean(with_variable(xy, j)) else if (scalar) mean else
      function(xy) {
        flow <- mean(xy)
        if (!is.numeric(flow) || !identical(dim(flow), dim(xy)))
          raise_engine_error("input", sprintf("mean must give a matrix of %d x %d numbers for as many coordinates",
                                              nrow(xy), ncol(xy)))
        flow[, j]
      }
    own <- if (isTRUE(places$staggered)) face_places(places, j, c(recipe$faces, recipe$grid$spacing))
           else places
    for (column in which(component == j)) add_drift(value, drift, own, (column - 1) * places$n)
  }
  value
}

# The points of component j on a staggered grid.
face_places <- function(places, j, spacing) {
  places$axes[[j]] <- places$axes[[j]] - spacing[j] / 2
  places
}

# ---- derivatives ----

#' Gradients, divergence and curl of random fields
#'
#' These functions compute the derivatives of fields by [tbrf()] from the same waves in closed form. No differences
#' are taken, and the derivatives are known at any points.
#'
#' The derivative of a wave with the wave vector k is k times as large as the wave. Fields of models that are not
#' differentiable in mean square, such as `"exponential"`, are sums of waves too and have derivatives, but these come
#' from the few shortest waves, and they do not converge as the number of waves grows: a warning says so. A nugget
#' has no derivatives, and neither have fields by tables or Fourier transforms, or the kriging of conditional fields:
#' these are errors, and so is a mean that is a function.
#'
#' `rfGradient()` of a vector field is the matrix of the derivatives of all components. The curl is \eqn{\nabla
#' \times v}{nabla x v}; in the plane it is the number \eqn{\partial v_y/\partial x - \partial v_x/\partial
#' y}{dvy/dx - dvx/dy}.
#'
#' @param x a field or recipe by [tbrf()]: of [rfVector()] for `rfDivergence()` and `rfCurl()`.
#' @return For a field, a field of class [rfield] of the derivatives at its points; for a recipe, a recipe, of which
#'   [predict()][predict.rfRecipe] has the derivatives at any points and times. The values of a point follow the
#'   dimensions of the points: `d_dx`, `d_dy`, ... of a scalar field; `dvx_dx`, `dvy_dx`, ..., first the derivatives
#'   along x, of a vector field; `curl_x`, `curl_y` and `curl_z` in space. The divergence, the curl in the plane and
#'   the derivative on a line are single values.
#' @seealso [rfVector()], [tbrf()]
#' @examples
#' set.seed(1)
#' grid <- rfGrid(0, 0.25, c(60, 40))
#' height <- tbrf(grid, covModel("gaussian", range = 3))
#' slope <- rfGradient(height)
#' dim(slope)
#' # the direction of steepest ascent
#' plot(slope)
#'
#' flow <- tbrf(grid, rfVector(covModel("gaussian", range = 3), "solenoidal"))
#' plot(rfCurl(flow))
#' predict(rfCurl(attr(flow, "recipe")), cbind(1.23, 4.56))
#' @export
rfGradient <- function(x) derivative_of(x, "gradient")

#' @rdname rfGradient
#' @export
rfDivergence <- function(x) derivative_of(x, "divergence")

#' @rdname rfGradient
#' @export
rfCurl <- function(x) derivative_of(x, "curl")

derivative_of <- function(x, derived) {
  need(x = missing(x))
  recipe <- recipe_of(x)
  if (!inherits(recipe, "rfRecipe") || !inherits(x, c("rfRecipe", "rfield")))
    input_error("x", class(x)[1L], "must be a field or a recipe by tbrf()")
  check_recipe(recipe)
  no <- function(what) raise_engine_error("input", paste("x has", what))
  if (!is.null(recipe$derived)) no("derivatives: those of the field itself can be had")
  if (derived != "gradient" && is.null(recipe$vector)) no("one value at a point: rfVector() makes models of vectors")
  if (!is.null(recipe$variables)) no("several variables: derivatives are those of fields of one")
  if (has_intrinsic(recipe$model)) no("a power variogram, whose fields have no derivatives")
  if (derived == "divergence" && (isTRUE(recipe$grid$staggered) || !is.null(recipe$faces)))
    return(divergence_on_faces(x, recipe))
  if (!is.null(recipe$faces)) no("components on the faces of cells: derivatives are those of fields on points")
  if (recipe$method != "spectral")
    no(sprintf("no derivatives: its method is \"%s\", not \"spectral\"", recipe$method))
  if (!is.null(recipe$space$sphere)) no("points of a sphere: derivatives are for coordinates of a plane or space")
  if (model_nugget(recipe$model) > 0) no("a nugget, noise without derivatives")
  if (!is.null(recipe$marginal)) no("a distribution of its own: derivatives are those of Gaussian fields")
  if (length(recipe$transform)) no("a transform: derivatives are those of the field before")
  if (!is.null(recipe$data)) no("data: the derivatives of their kriging are not known")
  if (is.function(recipe$model$mean) || is.function(recipe$vector$mean))
    no("a mean that is a function, whose derivatives are not known")
  rough <- vapply(model_parts(recipe$model), is_rough, NA)
  if (any(rough)) warn(sprintf(paste(
    "fields of the model \"%s\" are not differentiable in mean square: the derivatives of these sums of waves are",
    "those of the shortest waves, and grow with nlines"), model_parts(recipe$model)[[which(rough)[1L]]]$name))
  recipe$derived <- derived
  if (inherits(x, "rfRecipe")) recipe else field_of(recipe, own_places(x))
}

# Of a field alone, as its values are taken. One that is not periodic has no face beyond its last cells.
divergence_on_faces <- function(x, recipe) {
  if (!inherits(x, "rfield") || !isTRUE(attr(x, "grid")$staggered)) raise_engine_error("input", paste(
    "x has components on the faces of cells: the divergence is that of values on a staggered grid, by predict()"))
  cells <- attr(x, "grid")
  periodic <- recipe$method == "fft"
  value <- staggered_divergence(x, cells, periodic)
  cells$staggered <- NULL
  if (!periodic) cells$dims <- pmax(cells$dims - 1L, 0L)
  times <- time_number(recipe)
  own <- structure(class = "rfValues", list(nsim = recipe$nsim * times, method = "function", nobs = 0, trend = FALSE,
                                            space = recipe$space))
  dim(value) <- c(cells$dims, if (own$nsim > 1L) own$nsim)
  structure(value, grid = cells, recipe = own, class = "rfield")
}

own_places <- function(x) {
  grid <- attr(x, "grid")
  if (!is.null(grid)) return(grid_places(grid))
  first <- if (length(dim(x))) rownames(x) else names(x)
  list(xy = attr(x, "coordinates"), n = nrow(attr(x, "coordinates")), names = first, geographic = NA)
}

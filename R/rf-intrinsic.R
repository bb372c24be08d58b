# Intrinsic random fields: a sum of parts of which one or more, of the family "power", have a variogram and no
# covariance. Only increments are determined, so that the fields are those of Z(x) - Z(x0) plus the mean, with the
# first point that tbrf() is given for x0, its `origin`.
#
# The semivariogram v (h/range)^a, 0 < a < 2, is v times the integral of (1 - cos k.h) f(k) over wave vectors k in
# radians per range, in d dimensions (Yaglom 1957)
#   f(k) = a 2^(a-1) gamma((d+a)/2) / (pi^(d/2) gamma(1-a/2)) |k|^(-d-a),
# of which the wave numbers from k1 to k2 have the mass A (k1^-a - k2^-a), A = 2^a gamma((d+a)/2) / (gamma(d/2)
# gamma(1-a/2)).
#
# Waves are drawn from the band between kmin = 0.01/D and kmax = 1e9/D, D the diameter of the points. What is beyond
# kmax is noise of the variance v A kmax^-a at distances well above 1e-9 D, a function of the coordinates. Below
# kmin waves are straight over D: they are a plane through x0 whose slopes have the variance v A a kmin^(2-a) / (d
# (2-a)), with which the error of the variogram at distances h is at most a factor of (kmin h)^2/12, 1e-5 at D. The
# band is split into J shells of equal ratio, octaves if there are enough waves; shell j has n_j waves of one
# amplitude, sqrt(2 v P_j / n_j) for its mass P_j, in n_j strata of equal mass, and so the variogram is exact in the
# mean (see R/rf-shells.R).

intrinsic_band <- c(0.01, 1e9) # of wave numbers, times the diameter of the points

# What a recipe of an intrinsic field has besides: the origin, for each part the diameter of the points in its
# distances, and the distance of neighbours as a share of it.
intrinsic_recipe <- function(recipe, places, settings) {
  if (!has_intrinsic(recipe$model)) return(recipe)
  if (recipe$method == "table")
    input_error("method", "table", "is for models with a covariance: \"power\" has \"spectral\" and \"fft\"")
  if (settings$waves == "spectrum" && recipe$method == "spectral")
    input_error("waves", "spectrum", "is for models with a variance: \"power\" has waves in shells only")
  if (settings$periodic)
    input_error("periodic", TRUE, "is for models with a covariance: \"powerlaw\" has cut-offs, and is periodic")
  if (!is_plain(recipe))
    input_error("model", "power", "is for scalar fields that do not change in time")
  if (!places$n) raise_engine_error("input", "x has no point: intrinsic fields are the mean at the first one")
  box <- intrinsic_box(recipe, places, settings)
  diameters <- vapply(model_parts(recipe$model), function(part) {
    all <- largest_distance(box, part, recipe$space)
    if (all > 0) all else part$range
  }, 0)
  recipe$intrinsic <- list(origin = unname(places_points(places, 1)), diameters = diameters,
                           step = max(places$n, 2)^(-1 / recipe$space$columns))
  recipe
}

# Of points on a sphere those in space, 2^16 of them if there are more: the diameter need not be exact.
intrinsic_box <- function(recipe, places, settings) {
  if (is.null(recipe$space$sphere)) return(rbind(settings$extent, places_box(places)))
  at <- unique(round(seq(1, places$n, length.out = min(places$n, 2^16))))
  apply(straight_coordinates(rbind(settings$extent, places_points(places, at)), recipe$space), 2L, range)
}

# The largest distance of a part within a box, whose longest diagonal has it.
largest_distance <- function(box, part, space) {
  sides <- apply(box, 2L, function(v) diff(range(v)))
  diagonals <- as.matrix(expand.grid(lapply(sides, function(s) c(-s, s))))
  max(sqrt(rowSums(stretched(unname(diagonals), part, space)^2)))
}

# The error of the variogram grows as the square of the distance: 1e-3 at ten diameters.
warn_of_distance <- function(recipe, places) {
  if (!places$n || recipe$method == "fft" || !is.null(recipe$space$sphere)) return()
  box <- rbind(recipe$intrinsic$origin, places_box(places))
  reach <- max(mapply(function(part, diameter) if (is_intrinsic(part))
    largest_distance(box, part, recipe$space) / diameter else 0,
    model_parts(recipe$model), recipe$intrinsic$diameters))
  if (reach > 10) warn(sprintf(paste(
    "newdata reaches %s diameters of the points that the field was made for: the variogram there is off by a factor",
    "of up to %s"), format(reach, digits = 2), format(1 + (intrinsic_band[1L] * reach)^2 / 12, digits = 2)))
}

# ---- waves ----

# Radians per range.
band_of <- function(part, diameter) intrinsic_band * part$range / diameter

# Numbers of waves in shells of equal ratio, in shares that are mostly in proportion to the largest part that a wave
# of the shell has of the semivariogram at any distance between neighbours and the diameter.
intrinsic_shells <- function(part, step, n) {
  octaves <- ceiling(log2(intrinsic_band[2L] / intrinsic_band[1L]))
  h <- exp(seq(log(min(step, 0.5)), 0, length.out = 24L)) # diameters
  for (shells in min(octaves, n):1) {
    k <- intrinsic_band[1L] * (intrinsic_band[2L] / intrinsic_band[1L])^((seq_len(shells) - 0.5) / shells)
    gain <- apply(outer(k, h, function(k, h) pmin((k * h)^2, 1) * (k * h)^-part$shape), 1L, max)
    wanted <- n * (0.85 * gain / sum(gain) + 0.15 / shells)
    if (min(wanted) >= 1) break
  }
  whole_shares(wanted)
}

# Of so many shells: the wave numbers where they begin, in radians per range, and the logarithm of their ratio.
intrinsic_edges <- function(part, diameter, shells) {
  band <- band_of(part, diameter)
  step <- log(band[2L] / band[1L]) / shells
  list(first = band[1L] * exp(step * (seq_len(shells) - 1)), step = step)
}

# Wave numbers in radians per unit of length, by the quantiles of a shell's mass.
intrinsic_radii <- function(part, diameter, shells, set) {
  edges <- intrinsic_edges(part, diameter, length(shells))
  share <- set$at / shells[set$shell]
  edges$first[set$shell] * exp(-log1p(share * expm1(-part$shape * edges$step)) / part$shape) / part$range
}

intrinsic_amplitudes <- function(part, recipe, i, lines) {
  shells <- recipe$shells[[i]]
  edges <- intrinsic_edges(part, recipe$intrinsic$diameters[i], length(shells))
  mass <- power_spectrum_mass(part$shape, recipe$wave_dim[i]) * edges$first^-part$shape *
    -expm1(-part$shape * edges$step)
  sqrt(2 * part$variance * mass / shells)[shell_places(shells, lines)$shell]
}

# Variance of the noise that stands for the waves beyond the band.
intrinsic_noise <- function(recipe) {
  if (recipe$method != "spectral") return(0)
  sum(mapply(function(part, diameter, dim) if (is_intrinsic(part))
    part$variance * power_spectrum_mass(part$shape, dim) * band_of(part, diameter)[2L]^-part$shape else 0,
    model_parts(recipe$model), recipe$intrinsic$diameters, recipe$wave_dim))
}

# ---- circulant embedding ----

# Within the diameter of the grid the variogram is that of a plane and of a field with the covariance C, which is 0
# from `reach` diameters on (Stein 2002, section 3): with h in diameters
#   C(h) = c0 - h^a + c2 h^2 up to 1, b (reach - h)^3 / h up to reach,
# where with reach 1 b = 0, c2 = a/2, c0 = 1 - c2. The slopes of the plane have the variance 2 c2 each. C is positive
# definite for reach 1 on a line, up to a = 1.5 in the plane and a = 1 in space, and for reach 2 beyond, as the
# eigenvalues of each torus show. C is summed over the torus, which has to be as wide as grid and reach together.
embedding_terms <- function(shape, reach) {
  b <- if (reach == 1) 0 else shape * (2 - shape) / (3 * reach * (reach^2 - 1))
  c2 <- (shape - b * (reach - 1)^2 * (reach + 2)) / 2
  list(b = b, c2 = c2, c0 = b * (reach - 1)^3 + 1 - c2)
}

embedding_reach <- function(part, axes) if (part$shape <= c(2, 2, 1.5, 1)[axes + 1L]) 1 else 2

embedding_covariance <- function(h, shape, reach) {
  own <- embedding_terms(shape, reach)
  ifelse(h <= 1, own$c0 - h^shape + own$c2 * h^2, own$b * pmax(reach - h, 0)^3 / pmax(h, 1))
}

# The covariance around a torus, at all combinations of these lags along the axes.
intrinsic_torus <- function(part, i, lags, sides, recipe) {
  diameter <- recipe$intrinsic$diameters[i]
  form <- distance_form(part, length(lags))
  reach <- embedding_reach(part, sum(lengths(lags) > 1L))
  other <- Map(function(l, side) l - ifelse(l < 0, -1, 1) * side, lags, sides)
  long <- which(lengths(lags) > 1L)
  sum <- 0
  for (set in seq_len(2^length(long)) - 1) {
    away <- long[bitwAnd(set, 2^(seq_along(long) - 1)) > 0]
    sum <- sum + embedding_covariance(norm_on_grid(replace(lags, away, other[away]), form) / diameter,
                                      part$shape, reach)
  }
  semivariance(part, diameter) * sum
}

# The numbers of points that the torus needs along the axes.
intrinsic_dims <- function(recipe) {
  grid <- recipe$grid
  need <- 0
  for (i in seq_along(recipe$wave_dim)) {
    part <- model_parts(recipe$model)[[i]]
    if (!is_intrinsic(part)) next
    reach <- embedding_reach(part, sum(grid$dims > 1)) * recipe$intrinsic$diameters[i]
    width <- reach * sqrt(diag(solve(distance_form(part, length(grid$dims)))))
    need <- pmax(need, ifelse(grid$dims > 1, grid$dims + 1 + width / grid$spacing, 1))
  }
  need
}

# ---- both ----

# Adds the planes of the parts and the noise to field number sim in place, and takes off what it is at the origin,
# where its waves are `there`.
add_intrinsic <- function(into, at, recipe, places, sim, there) {
  key <- field_key(recipe$key, sim)
  origin <- intrinsic_origin(recipe)
  parts <- model_parts(recipe$model)
  used <- which(vapply(parts, is_intrinsic, NA))
  slopes <- lapply(used, function(i) sqrt(slope_variance(parts[[i]], recipe, i)) *
                     stats::qnorm(inside(uniforms_for(key, i)(200, recipe$space$dim))))
  noise <- function(xy) 0
  if (intrinsic_noise(recipe) > 0) {
    noise_key <- floor(uniforms_for(key, 0L)(201, 2) * 2^32)
    noise <- function(xy) sqrt(intrinsic_noise(recipe)) * .Call(C_bandNoise, xy, noise_key)
    there <- there + noise(recipe$intrinsic$origin)
  }
  add_in_blocks(into, at, places, function(xy, first) {
    away <- straight_coordinates(xy, recipe$space) - rep(origin, each = nrow(xy))
    planes <- Map(function(i, slope)
      drop(each_times(stretched(away, parts[[i]], recipe$space), cbind(slope))), used, slopes)
    Reduce(`+`, planes) + noise(xy) - there
  })
}

# In the space of the waves.
intrinsic_origin <- function(recipe) drop(straight_coordinates(recipe$intrinsic$origin, recipe$space))

# Per squared distance.
slope_variance <- function(part, recipe, i) {
  diameter <- recipe$intrinsic$diameters[i]
  a <- part$shape
  if (recipe$method == "fft")
    return(2 * embedding_terms(a, embedding_reach(part, sum(recipe$grid$dims > 1)))$c2 *
             semivariance(part, diameter) / diameter^2)
  dim <- recipe$wave_dim[i]
  part$variance * power_spectrum_mass(a, dim) * a / (dim * (2 - a)) * band_of(part, diameter)[1L]^(2 - a) /
    part$range^2
}

# What shares of the waves are in proportion to: semivariances at the diameter, or variances.
intrinsic_variances <- function(recipe) mapply(function(part, diameter)
  if (is_intrinsic(part)) semivariance(part, diameter) else part$variance,
  model_parts(recipe$model), recipe$intrinsic$diameters)

# ---- conditional fields ----

# What a recipe keeps for kriging beside its data. Where the trend has constants, one in the covariances changes
# nothing but that a value at the origin is one as any other.
increments_of <- function(recipe, given) {
  constant <- !is.null(given$X) && qr(cbind(1, given$X))$rank == ncol(given$X)
  list(space = recipe$space, origin = recipe$intrinsic$origin,
       constant = if (constant) sum(intrinsic_variances(recipe)) else 0)
}

# The predictions, in blocks of locations that bound the memory.
increment_means <- function(data, xy) {
  value <- matrix(0, nrow(xy), ncol(data$weights))
  block <- (seq_len(nrow(xy)) - 1) %/% ceiling(2^18 / nrow(data$xy))
  for (at in split(seq_len(nrow(xy)), block))
    value[at, ] <- increment_covariance(data, xy[at, , drop = FALSE], data$xy) %*% data$weights
  value
}

# Covariances without nugget of the field less its value at the origin, which with the semivariogram g are
# g(x - x0) + g(y - x0) - g(x - y), and a constant.
increment_covariance <- function(data, x, y) {
  own <- data$increments
  x <- straight_coordinates(x, own$space)
  y <- straight_coordinates(y, own$space)
  origin <- straight_coordinates(own$origin, own$space)
  Reduce(`+`, lapply(model_parts(data$model), function(part) {
    a <- stretched(x, part, own$space)
    b <- stretched(y, part, own$space)
    o <- stretched(origin, part, own$space)
    from_origin <- function(p) semivariance(part, sqrt(rowSums((p - rep(o, each = nrow(p)))^2)))
    apart <- sqrt(Reduce(`+`, lapply(seq_len(ncol(a)), function(j) outer(a[, j], b[, j], `-`)^2)))
    outer(from_origin(a), from_origin(b), `+`) - array(semivariance(part, as.vector(apart)), dim(apart))
  })) + own$constant
}

straight_coordinates <- function(xy, space) {
  xy <- unname(xy)
  if (is.null(space$sphere)) xy else sphere_points(xy, space$sphere)
}

# Kriging by data that all serve each prediction: what gp_solved() does where there is a covariance.
intrinsic_solved <- function(data, y, X) {
  own <- increment_covariance(data, data$xy, data$xy)
  diag(own) <- diag(own) + model_nugget(data$model) + data$error
  root <- tryCatch(chol(own), error = function(e) raise_engine_error("input", paste(
    "data: the matrix of kriging is not positive definite: a value at the first point of x, where the field is the",
    "mean, needs data$trend, and locations very near to each other need data$error.variance")))
  whitened <- function(b) backsolve(root, b, transpose = TRUE)
  beta <- NULL
  if (!is.null(X)) {
    beta <- qr.coef(qr(whitened(X)), whitened(y))
    y <- y - X %*% beta
  }
  list(beta = beta, weights = backsolve(root, whitened(y)))
}

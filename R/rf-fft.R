# Fields on a regular grid by a transform in all its dimensions.

fft_recipe <- function(recipe, places, settings) {
  if (is.null(places$grid))
    input_error("method", "fft", "needs a regular grid: x must be an rfGrid()")
  if (!is.null(recipe$space$sphere))
    input_error("method", "fft", "is for a plane or space, not for longitudes and latitudes")
  if (!is.null(recipe$vector) && !settings$periodic)
    input_error("periodic", FALSE,
                "is not for vector fields by \"fft\": use periodic = TRUE, or method = \"spectral\"")
  if (!settings$periodic && have_band(model_parts(recipe$model))) # eigenvalues next to its ends are always negative
    input_error("periodic", FALSE, "is not for \"powerlaw\" models: use periodic = TRUE, or method = \"spectral\"")
  recipe[c("periodic", "grid", "max.table")] <- list(settings$periodic, places$grid, settings$max.table)
  if (settings$variance == "spectrum") {
    if (!settings$periodic) input_error("variance", "spectrum", paste(
      "is for periodic = TRUE: without, the field has the covariance of the model, and so its spectrum"))
    recipe$variance <- "spectrum"
  }
  if (!is.null(settings$marginal)) recipe$marginal <- settings$marginal
  if (!is.null(settings$transfer)) {
    recipe$transfer <- settings$transfer[c("functions", "sets")]
    if (settings$transfer$several) recipe$variables <- names(settings$transfer$functions)
  }
  recipe
}

# Field number sim as a function of sim, which is written into a vector.
fft_field <- function(recipe, places) {
  if (!is.null(recipe$vector)) return(vector_box(recipe, places))
  if (!is.null(recipe$transfer)) return(transfer_box(recipe, places))
  torus <- half_spectrum(recipe)
  spectrum <- list(dims = as.double(torus$dims), folded = torus$folded, root = sqrt(torus$variance))
  own <- if (!is.null(recipe$marginal)) half_total(torus)
  function(sim, into, at) {
    .Call(C_torusField, spectrum, as.double(places$dims), noise_key(recipe, sim, 1L), into, at)
    if (!is.null(own)) put_marginal(recipe$marginal, own, into, at, places$n)
    if (!is.null(recipe$intrinsic)) add_intrinsic(into, at, recipe, places, sim, into[at + 1])
  }
}

# Variances of the waves of a torus: of the wave numbers 0, ..., m/2 along each axis, which stand for both signs, or
# where the spectrum is no function of |k_1|, |k_2|, ... those along the first axis and all along the others.
half_spectrum <- function(recipe) {
  mapped <- function(torus)
    if (is.null(recipe$marginal) || !recipe$periodic) torus else gaussian_box(torus, recipe$marginal)
  if (!has_skew(recipe)) return(if (recipe$periodic) mapped(box_octant(recipe)) else torus_spectrum(recipe, TRUE))
  whole <- if (recipe$periodic) mapped(c(box_spectrum(recipe), folded = FALSE)) else torus_spectrum(recipe)
  half <- lapply(whole$dims, seq_len)
  half[[1L]] <- seq_len(whole$dims[1L] %/% 2 + 1)
  variance <- do.call(`[`, c(list(array(whole$variance, whole$dims)), half, drop = FALSE))
  list(dims = whole$dims, folded = FALSE, variance = as.vector(variance), clipped = whole$clipped)
}

# The sum of the variances of all waves.
half_total <- function(torus) {
  count <- if (torus$folded) wave_counts(torus$dims) else {
    m <- torus$dims[1L]
    j <- 0:(m %/% 2)
    rep(ifelse(j == 0 | 2 * j == m, 1, 2), length(torus$variance) / length(j))
  }
  sum(count * torus$variance)
}

# Circulant embedding in all dimensions (Dietrich and Newsam 1997; Wood and Chan 1994): variances of the waves of a
# torus, of all or of an octant, that is wide enough for the covariance to be that of the model within the grid. An
# anisotropic covariance that is no function of |h_1|, |h_2| has no value of its own at half an even circumference, so
# that these are odd.
torus_spectrum <- function(recipe, folded = FALSE) {
  dims <- torus_dims(recipe)
  least <- -Inf # of a distribution's: what does not fall with the size of the torus stays
  repeat {
    check_torus(dims, recipe)
    value <- torus_values(recipe, dims, folded)
    if (is_embedded(value)) return(list(dims = dims, folded = folded, variance = pmax(value, 0) / prod(dims)))
    if (!is.null(recipe$marginal)) {
      count <- if (folded) wave_counts(dims) else 1
      lost <- clipped_share(value, count)
      if (lost <= max(0, recipe$marginal$clip)) return(list(
        dims = dims, folded = folded, variance = without_negative(value, count) / prod(dims), clipped = lost))
      if (min(value) / max(value) < least / 2) refuse_map(value, dims, folded, lost)
      least <- min(value) / max(value)
    } else if (folded && is.null(recipe$intrinsic)) check_prospect(value, dims, recipe)
    dims <- torus_dims(recipe, dims)
  }
}

# Eigenvalues of the covariance around a torus.
torus_values <- function(recipe, dims, folded) {
  spacing <- recipe$grid$spacing
  gaussian <- function(around) if (is.null(recipe$marginal)) around else gaussian_covariance(recipe$marginal, around)
  if (folded)
    return(.Call(C_torusEven, gaussian(sum_around(recipe, lapply(dims %/% 2, seq, from = 0), dims, function(part)
      octant_covariance(part, dims, spacing))), as.double(dims)))
  around <- gaussian(sum_around(recipe, lapply(dims, signed_lags, 1), dims, function(part)
    torus_covariance(part, dims, spacing, has_skew(recipe))))
  Re(.Call(C_fft, as.complex(around), as.double(dims), FALSE))
}

# The covariance of the model around a torus, at lags of so many steps along the axes.
sum_around <- function(recipe, steps, dims, of_part) {
  parts <- model_parts(recipe$model)
  spacing <- recipe$grid$spacing
  Reduce(`+`, lapply(seq_along(parts), function(i)
    if (is_intrinsic(parts[[i]])) intrinsic_torus(parts[[i]], i, Map(`*`, steps, spacing), dims * spacing, recipe)
    else of_part(parts[[i]])))
}

# Negative eigenvalues come from the edge of the torus, where the periodic covariance has a kink. Where the model has
# no spectrum to set against them, they have to fall to rounding errors, and they fall as the covariance at the edge
# does, and as the powers of wave numbers and of the size that a kink of a smooth function has: together by no more
# than size^-(d + 2), d the number of axes. What would be too large even so on the largest torus allowed, such as
# waves of one length, does not begin the search, which takes minutes.
check_prospect <- function(value, dims, recipe) {
  long <- dims > 1
  axes <- sum(long)
  growth <- (recipe$max.table / 16 / prod(dims))^(1 / axes)
  if (growth <= 1.5 || eigenvalue_beside(which.min(value), dims, recipe) > rounding(value)) return()
  reach <- min((recipe$grid$spacing * dims / 2)[long])
  along <- diag(length(dims))[long, , drop = FALSE]
  edge <- function(reach) max(abs(true_covariance(recipe, (reach * seq(0.8, 1, length.out = 200L)) %x% along)))
  now <- edge(reach)
  if (now > 0 && -min(value) * min(edge(reach * growth) / now, 1) * growth^-(axes + 2) > 10 * rounding(value))
    check_torus(ifelse(long, ceiling(1.1 * growth * dims), 1), recipe)
}

# The eigenvalue number `at` of an octant on a torus without end: the spectral density, folded at the wave numbers of
# the mesh.
eigenvalue_beside <- function(at, dims, recipe) {
  spacing <- recipe$grid$spacing
  j <- axes_points(lapply(dims %/% 2, seq, from = 0), at)
  folds <- as.matrix(expand.grid(lapply(dims, function(m) if (m > 1) -1:1 else 0)))
  k <- 2 * pi * (folds + rep(j / dims, each = nrow(folds))) / rep(spacing, each = nrow(folds))
  long <- dims > 1
  parts <- lapply(model_parts(recipe$model), function(part) {
    transform <- anisotropy(part, length(dims))
    scale <- if (is.null(transform)) rep(1, length(dims)) else diag(transform)
    wave <- sqrt(rowSums((k / rep(scale, each = nrow(k)))[, long, drop = FALSE]^2))
    sum(cov_spectrum(part, wave, sum(long))) / prod(scale[long])
  })
  Reduce(`+`, parts) * prod(2 * pi / spacing[long])
}

box_octant <- function(recipe) {
  grid <- recipe$grid
  check_torus(grid$dims, recipe)
  step <- 2 * pi / (grid$dims * grid$spacing)
  count <- wave_counts(grid$dims)
  part_box <- function(part) {
    transform <- anisotropy(part, length(grid$dims))
    if (!is.null(transform)) step <- step / diag(transform)
    box_variances(part, octant_lengths(grid$dims, step), length(grid$dims), count, box_cell(recipe, prod(step)),
                  still = !is.null(recipe$vector))
  }
  list(dims = grid$dims, folded = TRUE, variance = Reduce(`+`, lapply(model_parts(recipe$model), part_box)))
}

# Of each element of an octant, how many wave vectors it stands for.
wave_counts <- function(dims) as.vector(Reduce(outer, lapply(dims, function(m) {
  j <- 0:(m %/% 2)
  ifelse(j == 0 | 2 * j == m, 1, 2)
})))

# The part of the space of wave vectors that one of the box stands for, where spectra are kept as given; else NULL.
box_cell <- function(recipe, volume) if (identical(recipe$variance, "spectrum")) volume

# Variances that are the density times a cell, or else in proportion to it, with a sum, each counted so many times,
# that is the variance of the part. `still`: without a mean over the box, as k = 0 has no direction.
box_variances <- function(part, k, dim, count = 1, cell = NULL, still = FALSE) {
  density <- cov_spectrum(part, k, dim)
  if (still) density[k == 0] <- 0
  density[!is.finite(density)] <- 0 # at k = 0, where that of some models is infinite
  if (part$variance > 0 && !any(density > 0))
    raise_engine_error("input", "periodic = TRUE: the box has no wave number at which the model has a spectrum")
  if (!is.null(cell)) return(density * cell)
  if (part$variance > 0) part$variance * density / sum(count * density) else density
}

# Lengths of the vectors with 0, ..., m/2 steps along each axis.
octant_lengths <- function(dims, step)
  sqrt(as.vector(Reduce(function(a, b) outer(a, b, `+`), Map(function(m, s) (s * (0:(m %/% 2)))^2, dims, step))))

octant_covariance <- function(part, dims, spacing) {
  transform <- anisotropy(part, length(dims))
  cov_value(part, octant_lengths(dims, if (is.null(transform)) spacing else diag(transform) * spacing))
}

has_skew <- function(recipe) any(vapply(model_parts(recipe$model), is_skew, NA, length(recipe$grid$dims)))

# Of the first torus that is tried, or of the one after another.
torus_dims <- function(recipe, last = NULL) {
  skew <- has_skew(recipe)
  size <- function(n) if (skew) stats::nextn(ceiling(n), c(3, 5, 7)) else stats::nextn(ceiling(n))
  if (is.null(last)) vapply(pmax(2 * recipe$grid$dims - if (skew) 1 else 2, 1, intrinsic_dims(recipe)), size, 1)
  else ifelse(last > 1, vapply(1.5 * last, size, 1), 1)
}

is_embedded <- function(value) min(value) >= -rounding(value)

# What "auto" has instead of so many lines where they are to meet a tolerance: a function of their number that gives
# a recipe by transforms once these cost less, as their covariance is exact, and a torus that is not too costly will
# do. A torus is tried when lines cost as much as it does, so that the search costs no more than what it finds.
# Nanoseconds as measured (bench/field-shells.R): of a cell of the torus for its spectrum, here and once more for the
# fields, and for each of these; of a line at a point of a mesh and of a line.
cheaper_transform <- function(recipe, places, settings) {
  none <- function(nlines) NULL
  can <- settings$method == "auto" && recipe$method == "spectral" && settings$values_here && !is.null(places$grid) &&
    places$n > 0 && is.null(recipe$space$sphere) && !any(settings$given[c("directions", "waves")]) &&
    !have_band(model_parts(recipe$model))
  if (!can) return(none)
  recipe$method <- "fft"
  recipe[c("directions", "waves")] <- NULL
  recipe$wave_dim <- vapply(model_parts(recipe$model), wave_dimension, 1L, recipe$space$dim, "fft")
  recipe <- fft_recipe(recipe, places, settings)
  dims <- torus_dims(recipe)
  mesh <- sum(places$dims > 1) > 1L
  of_cell <- 2 * (if (has_skew(recipe)) 80 else if (mesh) 7 else 50) + recipe$nsim * if (mesh) 13 else 28
  bytes <- if (has_skew(recipe)) 64 else 16 # of a cell, with the copies that transforms take
  of_line <- recipe$nsim * places$n * if (mesh) 0.05 else 0.25
  function(nlines) {
    while (prod(dims) * of_cell < nlines * of_line && bytes * prod(dims) <= recipe$max.table) {
      if (is_embedded(torus_values(recipe, dims, !has_skew(recipe)))) return(recipe)
      dims <<- torus_dims(recipe, dims)
    }
  }
}

is_skew <- function(part, dim) {
  transform <- anisotropy(part, dim)
  !is.null(transform) && any(transform[row(transform) != col(transform)] != 0)
}

check_torus <- function(dims, recipe) {
  if (16 * prod(dims) <= recipe$max.table) return(invisible())
  size <- paste(dims, collapse = " x ")
  raise_engine_error("input", sprintf(
    "method = \"fft\": %s, %.3g bytes and more than max.table = %s: raise max.table, or use %smethod = \"spectral\"",
    if (recipe$periodic) sprintf("the transform has %s points", size)
    else sprintf("the covariance needs a torus of %s points or more", size),
    16 * prod(dims), format(recipe$max.table),
    if (recipe$periodic || !is.null(recipe$intrinsic)) "" else "periodic = TRUE, or "))
}

# The covariance at all lags around a torus: at those of one octant where it is a function of absolute lags.
torus_covariance <- function(part, dims, spacing, skew) {
  transform <- anisotropy(part, length(dims))
  if (is.null(transform)) transform <- diag(length(dims))
  if (skew) return(cov_value(part, sqrt(rowSums((axes_points(Map(signed_lags, dims, spacing)) %*% t(transform))^2))))
  octant <- array(octant_covariance(part, dims, spacing), dims %/% 2 + 1)
  do.call(`[`, c(list(octant), lapply(dims, function(m) 1 + pmin(seq_len(m) - 1, m - seq_len(m) + 1)), drop = FALSE))
}

signed_lags <- function(m, s) {
  j <- seq_len(m) - 1
  s * ifelse(j <= m %/% 2, j, j - m)
}

# The traditional generator: the spectrum at the wave numbers of a periodic box, which is the grid itself.
box_spectrum <- function(recipe) {
  grid <- recipe$grid
  check_torus(grid$dims, recipe)
  step <- 2 * pi / (grid$dims * grid$spacing)
  k <- axes_points(Map(signed_lags, grid$dims, step))
  value <- lapply(model_parts(recipe$model), function(part) {
    transform <- anisotropy(part, ncol(k))
    volume <- prod(step)
    if (!is.null(transform)) {
      k <- k %*% solve(transform)
      volume <- volume / abs(det(transform))
    }
    box_variances(part, sqrt(rowSums(k^2)), ncol(k), cell = box_cell(recipe, volume), still = !is.null(recipe$vector))
  })
  list(dims = grid$dims, variance = Reduce(`+`, value))
}

# Fields on a regular mesh by a transform in all its dimensions.

fft_recipe <- function(recipe, places, settings) {
  if (is.null(places$grid))
    input_error("method", "fft", "needs a regular mesh: x must be an rfGrid()")
  if (!is.null(recipe$space$sphere))
    input_error("method", "fft", "is for a plane or space, not for longitudes and latitudes")
  if (!settings$periodic && has_band(model_parts(recipe$model))) # eigenvalues next to its ends are always negative
    input_error("periodic", FALSE, "is not for \"powerlaw\" models: use periodic = TRUE, or method = \"spectral\"")
  recipe[c("periodic", "grid", "max.table")] <- list(settings$periodic, places$grid, settings$max.table)
  recipe
}

# Field number sim as a function of sim. A transform of complex noise gives two fields, of which the second is kept.
fft_field <- function(recipe, places) {
  torus <- mesh_spectrum(recipe)
  root <- sqrt(torus$variance)
  kept <- NULL
  inside <- lapply(places$dims, seq_len)
  function(sim) {
    pair <- (sim + 1L) %/% 2L
    if (!identical(kept$pair, pair)) {
      key <- floor(uniforms_for(field_key(recipe$key, 2L * pair - 1L), 0L)("noise", 2) * 2^32)
      both <- .Call(C_fft, root * complex_noise(key, length(root)), as.double(torus$dims), FALSE)
      dim(both) <- torus$dims
      kept <<- list(pair = pair, fields = as.vector(do.call(`[`, c(list(both), inside))))
    }
    if (sim %% 2L == 1L) Re(kept$fields) else Im(kept$fields)
  }
}

mesh_spectrum <- function(recipe) if (recipe$periodic) box_spectrum(recipe) else torus_spectrum(recipe)

# Circulant embedding in all dimensions (Dietrich and Newsam 1997; Wood and Chan 1994): variances of the waves of a
# torus that is wide enough for the covariance to be that of the model within the mesh. An anisotropic covariance that
# is no function of |h_1|, |h_2| has no value of its own at half an even circumference, so that these are odd.
torus_spectrum <- function(recipe) {
  dims <- torus_dims(recipe)
  repeat {
    check_torus(dims, recipe)
    found <- torus_of(recipe, dims)
    if (!is.null(found)) return(found)
    dims <- torus_dims(recipe, dims)
  }
}

has_skew <- function(recipe) any(vapply(model_parts(recipe$model), is_skew, NA, length(recipe$grid$dims)))

# Of the first torus that is tried, or of the one after another.
torus_dims <- function(recipe, last = NULL) {
  skew <- has_skew(recipe)
  size <- function(n) if (skew) stats::nextn(ceiling(n), c(3, 5, 7)) else stats::nextn(ceiling(n))
  if (is.null(last)) vapply(pmax(2 * recipe$grid$dims - if (skew) 1 else 2, 1), size, 1)
  else ifelse(last > 1, vapply(1.5 * last, size, 1), 1)
}

# NULL where the torus is too small.
torus_of <- function(recipe, dims) {
  around <- Reduce(`+`, lapply(model_parts(recipe$model), torus_covariance, dims, recipe$grid$spacing,
                               has_skew(recipe)))
  value <- Re(.Call(C_fft, as.complex(around), as.double(dims), FALSE))
  if (min(value) >= -rounding(value)) list(dims = dims, variance = pmax(value, 0) / prod(dims))
}

# What "auto" has instead of so many lines where they are to meet a tolerance: a function of their number that gives
# a recipe by transforms once these cost less, as their covariance is exact, and a torus that is not too costly will
# do. A torus is tried when lines cost as much as it does, so that the search costs no more than what it finds.
# Nanoseconds as measured (bench/field-shells.R): of a cell of the torus for its spectrum, here and once more for the
# fields, and for each pair of these; of a line at a point of a mesh and of a line.
cheaper_transform <- function(recipe, places, settings) {
  none <- function(nlines) NULL
  can <- settings$method == "auto" && recipe$method == "spectral" && settings$values_here && !is.null(places$grid) &&
    places$n > 0 && is.null(recipe$space$sphere) && !any(settings$given[c("directions", "waves")]) &&
    !has_band(model_parts(recipe$model))
  if (!can) return(none)
  recipe$method <- "fft"
  recipe[c("directions", "waves")] <- NULL
  recipe$law <- vapply(model_parts(recipe$model), law_dimension, 1L, recipe$space$dim, "fft")
  recipe <- fft_recipe(recipe, places, settings)
  dims <- torus_dims(recipe)
  of_line <- recipe$nsim * places$n * if (sum(places$dims > 1) > 1L) 0.05 else 0.25
  function(nlines) {
    while (prod(dims) * (2 * 80 + 110 * ceiling(recipe$nsim / 2)) < nlines * of_line &&
           64 * prod(dims) <= recipe$max.table) { # with the copies that transforms take
      if (!is.null(torus_of(recipe, dims))) return(recipe)
      dims <<- torus_dims(recipe, dims)
    }
  }
}

is_skew <- function(part, dim) {
  transform <- anisotropy(part, dim)
  !is.null(transform) && any(transform[row(transform) != col(transform)] != 0)
}

check_torus <- function(dims, recipe) {
  if (16 * prod(dims) > recipe$max.table)
    raise_engine_error("input", sprintf(paste(
      "method = \"fft\": the covariance needs a torus of %s points or more, beyond the %s bytes of max.table: raise",
      "max.table, or use periodic = TRUE, or method = \"spectral\""), paste(dims, collapse = " x "),
      format(recipe$max.table)))
}

# The covariance at all lags around a torus: at those of one octant where it is a function of absolute lags.
torus_covariance <- function(part, dims, spacing, skew) {
  transform <- anisotropy(part, length(dims))
  if (is.null(transform)) transform <- diag(length(dims))
  if (skew) return(cov_value(part, sqrt(rowSums((axes_points(Map(signed_lags, dims, spacing)) %*% t(transform))^2))))
  lags <- Map(function(m, s, a) (a * s * (0:(m %/% 2)))^2, dims, spacing, diag(transform))
  octant <- cov_value(part, sqrt(as.vector(Reduce(function(a, b) outer(a, b, `+`), lags))))
  dim(octant) <- lengths(lags)
  do.call(`[`, c(list(octant), lapply(dims, function(m) 1 + pmin(seq_len(m) - 1, m - seq_len(m) + 1)), drop = FALSE))
}

signed_lags <- function(m, s) {
  j <- seq_len(m) - 1
  s * ifelse(j <= m %/% 2, j, j - m)
}

# The traditional generator: the spectrum at the wave numbers of a periodic box, which is the mesh itself.
box_spectrum <- function(recipe) {
  grid <- recipe$grid
  check_torus(grid$dims, recipe)
  k <- axes_points(Map(signed_lags, grid$dims, 2 * pi / (grid$dims * grid$spacing)))
  value <- lapply(model_parts(recipe$model), function(part) {
    transform <- anisotropy(part, ncol(k))
    if (!is.null(transform)) k <- k %*% solve(transform)
    density <- cov_spectrum(part, sqrt(rowSums(k^2)), ncol(k))
    density[!is.finite(density)] <- 0 # at k = 0, where that of some models is infinite
    if (part$variance > 0 && !any(density > 0))
      raise_engine_error("input", "periodic = TRUE: the box has no wave number at which the model has a spectrum")
    if (part$variance > 0) part$variance * density / sum(density) else density
  })
  list(dims = grid$dims, variance = Reduce(`+`, value))
}

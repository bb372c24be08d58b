# Fields that are mixed from the same waves of a periodic box: vectors, and several fields with a coherence.

# Fields of a periodic box whose waves are a mixture of independent ones. `mix` gets numbers of elements of half a
# spectrum and a matrix of their noise, complex and of variance 2, with a column for each of `sets`, and gives a
# matrix with a column for each of m fields.
mixed_field <- function(recipe, places, sets, m, mix) {
  dims <- as.double(recipe$grid$dims)
  function(sim, into, at) {
    noise <- lapply(seq_len(sets), function(j) .Call(C_torusNoise, dims, noise_key(recipe, sim, j)))
    if (m > sets) noise[(sets + 1L):m] <- lapply((sets + 1L):m, function(j) complex(length(noise[[1L]])))
    for (first in seq(0, length(noise[[1L]]) - 1, by = 2^15)) {
      some <- first + seq_len(min(2^15, length(noise[[1L]]) - first))
      # a list of some of the elements would have R copy them below
      free <- matrix(vapply(seq_len(sets), function(j) noise[[j]][some], complex(length(some))), length(some))
      mixed <- mix(some, free)
      for (j in seq_len(m)) noise[[j]][some] <- mixed[, j]
    }
    for (j in seq_len(m)) {
      .Call(C_torusWaves, noise[[j]], dims, as.double(places$dims), into, at + (j - 1) * places$n)
      noise[j] <- list(NULL)
    }
  }
}

# The first set is that of the scalar field of the same key.
noise_key <- function(recipe, sim, set)
  floor(uniforms_for(field_key(recipe$key, sim), set - 1L)("noise", 2) * 2^32)

# Numbers along the axes of half a spectrum, from functions of the grid's signed steps j, its number n of points, and
# whether the element stands for both signs.
half_axes <- function(grid, f) {
  axes <- lapply(seq_along(grid$dims), function(d) {
    n <- grid$dims[d]
    j <- seq_len(n) - 1
    j <- ifelse(j <= n %/% 2, j, j - n)
    f(j, d, 2 * j == n)
  })
  axes[[1L]] <- axes[[1L]][seq_len(grid$dims[1L] %/% 2 + 1)]
  axes
}

# Roots of half the variances of the waves of half a spectrum, for noise of variance 2.
half_roots <- function(recipe) {
  torus <- half_spectrum(recipe)
  if (!torus$folded) return(sqrt(torus$variance / 2))
  octant <- array(sqrt(torus$variance / 2), torus$dims %/% 2 + 1)
  at <- lapply(torus$dims, function(m) 1 + pmin(seq_len(m) - 1, m - seq_len(m) + 1))
  at[[1L]] <- seq_len(torus$dims[1L] %/% 2 + 1)
  as.vector(do.call(`[`, c(list(octant), at, drop = FALSE)))
}

# ---- vectors ----

# What is multiplied to a wave of each component and summed for the divergence, i k; of a staggered grid that for
# differences between the faces of a cell, (exp(i k delta) - 1)/delta, as component j is half a spacing below the
# centre. A wave of the Nyquist wave number has no derivative between the points, and so no direction along that axis.
divergence_axes <- function(grid) half_axes(grid, function(j, d, nyquist) {
  if (isTRUE(grid$staggered)) {
    turn <- pi * j / grid$dims[d]
    return(ifelse(nyquist, -2, 2i * sin(turn) * exp(1i * turn)) / grid$spacing[d])
  }
  ifelse(nyquist, 0, 2i * pi * j / (grid$dims[d] * grid$spacing[d]))
})

# Vectors: of free noise a, with the weights of `projected()`, the part along the conjugate of the divergence's D, and
# the rest, whose divergence is 0, also on the staggered grid. All matrices are conjugate for -k, as fields are real.
vector_box <- function(recipe, places) {
  root <- half_roots(recipe)
  axes <- divergence_axes(recipe$grid)
  helical <- helical_part(recipe)
  d <- recipe$space$dim
  share <- recipe$vector$share
  weight <- c(sqrt(d * share), sqrt(d * (1 - share) / (d - 1)))
  mixed_field(recipe, places, d, d, function(at, free) {
    D <- axes_points(axes, at)
    size <- rowSums(Mod(D)^2)
    along <- Conj(D) * ifelse(size > 0, rowSums(D * free) / size, 0)
    across <- free - along
    if (!is.null(helical)) across <- helical(at, across)
    mixed <- weight[1L] * along + weight[2L] * across
    none <- size == 0 # waves of no direction, which have no divergence
    mixed[none, ] <- free[none, ]
    root[at] * mixed
  })
}

# a + i b n x of waves across n, of which the parts that turn to the left and to the right then have the energies
# (a + b)^2/2 and (a - b)^2/2: with a^2 + b^2 = 1 the relative helicity is 2 a b. NULL without. On a staggered grid
# components have phases of their own, which at Nyquist wave numbers have no sign: no helicity there.
helical_part <- function(recipe) {
  h <- recipe$vector$helicity
  if (is.null(h) || h == 0) return(NULL)
  a <- cos(asin(h) / 2)
  b <- sin(asin(h) / 2)
  grid <- recipe$grid
  staggered <- isTRUE(grid$staggered)
  sides <- half_axes(grid, function(j, d, nyquist)
    if (staggered) ifelse(nyquist, 0, exp(-1i * pi * j / grid$dims[d])) else 1 + 0i * j)
  waves <- half_axes(grid, function(j, d, nyquist) {
    step <- if (staggered) 2 * sin(pi * j / grid$dims[d]) else 2 * pi * j / grid$dims[d]
    ifelse(nyquist, 0, step / grid$spacing[d])
  })
  function(at, across) {
    side <- axes_points(sides, at)
    k <- axes_points(waves, at)
    good <- rowSums(Mod(side) == 0) == 0 & rowSums(k^2) > 0
    n <- k[good, , drop = FALSE] / sqrt(rowSums(k[good, , drop = FALSE]^2))
    side <- side[good, , drop = FALSE]
    centred <- Conj(side) * across[good, , drop = FALSE]
    across[good, ] <- a * across[good, , drop = FALSE] + 1i * b * side * cross_rows(n, centred)
    across
  }
}

cross_rows <- function(a, b)
  cbind(a[, 2L] * b[, 3L] - a[, 3L] * b[, 2L], a[, 3L] * b[, 1L] - a[, 1L] * b[, 3L],
        a[, 1L] * b[, 2L] - a[, 2L] * b[, 1L], deparse.level = 0L)

# Differences between the faces of cells, of a vector field on a staggered grid: of all cells where it is periodic,
# else of all but the last along each axis.
staggered_divergence <- function(x, grid, periodic) {
  d <- length(grid$dims)
  values <- array(as.vector(x), c(prod(grid$dims), d, length(x) / (d * prod(grid$dims))))
  index <- array(seq_len(prod(grid$dims)), grid$dims)
  cells <- lapply(grid$dims - if (periodic) 0L else 1L, seq_len)
  here <- as.vector(do.call(`[`, c(list(index), cells, drop = FALSE)))
  total <- 0
  for (j in seq_len(d)) {
    next_cells <- cells
    next_cells[[j]] <- next_cells[[j]] %% grid$dims[j] + 1L
    ahead <- as.vector(do.call(`[`, c(list(index), next_cells, drop = FALSE)))
    total <- total + (values[ahead, j, ] - values[here, j, ]) / grid$spacing[j]
  }
  as.vector(total)
}

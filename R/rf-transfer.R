# Transfer functions of the wave vector: anisotropic spectra, and several fields of the same waves of a box.

# What recipes keep: functions, and the number of independent sets of waves that they take.
transfer_of <- function(transfer, model, settings, places) {
  if (is.null(transfer)) return(NULL)
  no <- function(...) raise_engine_error("input", paste0("transfer ", ...))
  one <- is.function(transfer)
  if (!one && (!is.list(transfer) || !length(transfer) || !all(vapply(transfer, is.function, NA))))
    input_error("transfer", class(transfer)[1L],
                "must be a function of wave vectors, or a list of functions with names")
  if (!one && (is.null(names(transfer)) || !all(nzchar(names(transfer))) || anyDuplicated(names(transfer))))
    no("needs a name for each function, that of the field")
  functions <- if (one) list(transfer) else transfer
  for (f in functions) check_function("transfer", f)
  if (settings$method != "fft" || !settings$periodic) no("is for method = \"fft\", periodic = TRUE")
  if (is.null(places$grid)) no("needs a regular grid: x must be an rfGrid()")
  if (!is.null(settings$flow$vector) || is_several(model)) no("is for models of one variable")
  if (!is.null(settings$marginal)) no("is for Gaussian fields: marginal is another distribution")
  if (!one && (model_nugget(model) > 0 || !identical(model$mean, 0)))
    no("of several fields takes a model without nugget and mean: add them to the values")
  d <- places_dim(places)
  k <- matrix(c(0.31, 0.52, 0.17, 0.78, 0.43, 0.66), 2L)[, seq_len(d), drop = FALSE] * min(pi / places$grid$spacing)
  sets <- vapply(functions, function(f) {
    there <- transfer_values(f, k)
    back <- transfer_values(f, -k)
    if (any(Mod(there - Conj(back)) > 1e-8 * (Mod(there) + Mod(back))))
      no("must be the complex conjugate at -k of what it is at k, as fields are real")
    ncol(there)
  }, 1L)
  list(functions = functions, sets = max(sets), several = !one)
}

# Values at the wave vectors in the rows of k: a column for each set of waves.
transfer_values <- function(f, k) {
  colnames(k) <- paste0("k", axis_names(ncol(k)))
  value <- tryCatch(f(k), error = function(e) {
    pass_on(e)
    raise_engine_error("input", sprintf("transfer: it is called with a matrix of wave vectors, with columns %s: %s",
                                        toString(colnames(k)), conditionMessage(e)))
  })
  if (!is.numeric(value) && !is.complex(value) || NROW(value) != nrow(k) || NCOL(value) == 0L)
    raise_engine_error("input", sprintf(
      "transfer must give a number for each wave vector, or a row: it gave %s for %d",
      if (is.numeric(value) || is.complex(value)) toString(c(NROW(value), NCOL(value)[NCOL(value) != 1L]))
      else class(value)[1L], nrow(k)))
  value <- matrix(as.complex(value), nrow(k))
  value[rowSums(k != 0) == 0 & rowSums(!is.finite(value)) > 0, ] <- 0 # no direction, as of k/|k|
  bad <- which(rowSums(!is.finite(value)) > 0)
  if (length(bad)) raise_engine_error("input", sprintf("transfer is not finite at the wave vector (%s)",
                                                       toString(format(k[bad[1L], ], digits = 4))))
  value
}

# Nyquist wave numbers stand for both signs: the mean of the values there, which is that of real fields.
transfer_on_grid <- function(f, k, nyquist) {
  value <- transfer_values(f, k)
  rows <- which(rowSums(nyquist) > 0)
  if (!length(rows)) return(value)
  signs <- as.matrix(expand.grid(rep(list(c(1, -1)), ncol(k))))
  sums <- 0
  for (s in seq_len(nrow(signs))) {
    flip <- ifelse(nyquist[rows, , drop = FALSE], rep(signs[s, ], each = length(rows)), 1)
    sums <- sums + transfer_values(f, k[rows, , drop = FALSE] * flip)
  }
  value[rows, ] <- sums / nrow(signs)
  value
}

# Several columns of waves: fewer sets than others have are the first ones.
transfer_box <- function(recipe, places) {
  own <- recipe$transfer
  root <- half_roots(recipe)
  waves <- half_axes(recipe$grid, function(j, d, nyquist) 2 * pi * j / (recipe$grid$dims[d] * recipe$grid$spacing[d]))
  ends <- half_axes(recipe$grid, function(j, d, nyquist) 1 * nyquist)
  mixed_field(recipe, places, own$sets, length(own$functions), function(at, free) {
    k <- axes_points(waves, at)
    nyquist <- axes_points(ends, at) > 0
    root[at] * matrix(vapply(own$functions, function(f) {
      value <- transfer_on_grid(f, k, nyquist)
      rowSums(value * free[, seq_len(ncol(value)), drop = FALSE])
    }, complex(length(at))), length(at))
  })
}

# What multiplies the spectrum at all wave vectors of the box.
transfer_power <- function(recipe, which = 1L) {
  grid <- recipe$grid
  j <- axes_points(lapply(grid$dims, signed_lags, 1))
  k <- j * rep(2 * pi / (grid$dims * grid$spacing), each = nrow(j))
  nyquist <- 2 * abs(j) == rep(grid$dims, each = nrow(j))
  rowSums(Mod(transfer_on_grid(recipe$transfer$functions[[which]], k, nyquist))^2)
}

# They may need variables that workers do not have.
recipe_functions <- function(recipe)
  has_functions(model_parts(recipe$model)) || !is.null(recipe$transfer) || is.function(recipe$marginal$quantile) ||
    any(vapply(recipe$facies$fields, recipe_functions, NA)) || is.function(recipe$facies$proportions)

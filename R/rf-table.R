# Lines as tables: random functions of one coordinate, made at equal steps and looked up at the nearest entry.

# Field number sim as a function of sim: for each part of the model the sum of its lines at x . u.
table_field <- function(recipe, places) {
  parts <- model_parts(recipe$model)
  at <- which(recipe$share > 0L)
  spectra <- lapply(at, function(i) table_spectrum(recipe, parts[[i]], i))
  function(sim) {
    key <- field_key(recipe$key, sim)
    value <- numeric(places$n)
    for (j in seq_along(at)) {
      i <- at[j]
      u <- line_directions(recipe, i, key)
      table <- line_table(recipe, i, spectra[[j]], uniforms_for(key, i))
      origin <- -(nrow(table) - 1) / 2 * recipe$table$step[i]
      value <- in_blocks(value, places, function(xy)
        .Call(C_bandTable, in_table(xy, recipe, parts[[i]]), u, table, origin, recipe$table$step[i],
              recipe$table$block))
    }
    value
  }
}

has_band <- function(parts) any(vapply(parts, function(part) part$name == "powerlaw", NA))

# Coordinates from the middle of the domain, in which distances are those of the model.
in_table <- function(xy, recipe, part) {
  if (!is.null(recipe$space$sphere)) return(sphere_points(xy, recipe$space$sphere))
  stretched(xy - rep(recipe$table$centre, each = nrow(xy)), part, recipe$space)
}

# A low-discrepancy set has no radius here, so that the directions are those of a spiral.
line_directions <- function(recipe, i, key) {
  set <- if (recipe$directions == "halton") "halton" else "fibonacci"
  u <- turn_round(direction_set(recipe$share[i], recipe$law[i], set), uniforms_for(key, i))
  u[, seq_len(recipe$space$dim), drop = FALSE]
}

# The domain of tables is the box of the points, or the one given. For each part of the model there are the step and
# the number of entries that reach from corner to corner whatever the direction, and the pulses per entry.
table_recipe <- function(recipe, places, settings) {
  parts <- model_parts(recipe$model)
  box <- if (!is.null(recipe$space$sphere)) recipe$space$sphere * rbind(rep(-1, 3L), 1)
         else if (is.null(settings$extent)) places_box(places) else given_box(settings$extent, recipe$space)
  if (is.null(recipe$space$sphere)) check_domain(box, places, "x")
  check_single("step", settings$step, "positive")
  check_single("rate", settings$rate, "positive")
  if (settings$rate > 1e6) input_error("rate", settings$rate, "must be at most 1e6: such lines are normal")
  scale <- mapply(part_scale, parts, recipe$law)
  step <- if (!is.null(settings$step)) rep(settings$step, length(parts))
          else pmin(scale / 20, vapply(parts, neighbour_distance, 1, places, box))
  reach <- vapply(parts, function(part) box_reach(box, part, recipe$space), 1)
  recipe$lines <- if (has_band(parts) && !settings$given[["lines"]]) "powerlaw" else settings$lines
  recipe$table <- list(box = box, centre = colMeans(box), step = step, entries = ceiling(2 * reach / step) + 3,
                       pulses = settings$rate * step / scale,
                       block = if (is.null(settings$block)) 0 else whole_number("block", settings$block))
  check_table_size(recipe, settings$max.table)
  if (recipe$lines != "circulant")
    for (i in seq_along(parts)) check_circle(circle_size(parts[[i]], recipe, i), settings$max.table)
  recipe
}

places_box <- function(places) {
  if (places$n == 0) return(matrix(0, 2L, places_dim(places)))
  if (!is.null(places$axes)) return(vapply(places$axes, range, numeric(2L)))
  apply(places$xy, 2L, range)
}

given_box <- function(extent, space) {
  check_numbers("extent", extent, "")
  box <- if (is.matrix(extent)) extent else matrix(extent, 2L)
  if (!identical(dim(box), c(2L, space$columns)) || any(box[1L, ] > box[2L, ]))
    input_error("extent", extent, sprintf(
      "must be a matrix of 2 rows, lowest and highest coordinates, and %d columns", space$columns))
  unname(box)
}

# From the middle to the farthest corner, in the distance of a part. On a sphere no place is farther than the radius.
box_reach <- function(box, part, space) {
  if (!is.null(space$sphere)) return(space$sphere)
  half <- (box[2L, ] - box[1L, ]) / 2
  corners <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(half)))) * rep(half, each = 2^length(half))
  sqrt(max(rowSums(stretched(corners, part, space)^2)))
}

# The smallest spacing of a grid; for points that of a regular grid of as many points in their box.
neighbour_distance <- function(part, places, box) {
  d <- ncol(box)
  transform <- if (d == places_dim(places)) anisotropy(part, d)
  if (is.null(transform)) transform <- diag(d)
  if (!is.null(places$axes) && d == length(places$axes)) {
    long <- lengths(places$axes) > 1L
    spacing <- vapply(places$axes[long], function(a) min(abs(diff(a))), 1)
    return(min(spacing * sqrt(colSums(transform^2))[long], Inf))
  }
  side <- (box[2L, ] - box[1L, ]) * sqrt(colSums(transform^2))
  side <- side[side > 0]
  if (length(side) && places$n > 1) prod(side / places$n^(1 / length(side)))^(1 / length(side)) else Inf
}

check_table_size <- function(recipe, limit) {
  size <- 8 * recipe$table$entries * recipe$share
  if (anyNA(size)) raise_engine_error("input", "method = \"table\": the model has no scale that steps could resolve")
  if (any(size > limit)) {
    i <- which.max(size)
    input_error("max.table", limit, sprintf(paste(
      "is less than the %s bytes of a table of %s entries for each of %d lines: raise it, or step, or lower nlines,",
      "or use method = \"spectral\", which has no table"), format(size[i], digits = 3),
      format(recipe$table$entries[i]), recipe$share[i]))
  }
}

check_circle <- function(size, limit)
  if (16 * size > limit)
    input_error("max.table", limit, sprintf("is less than the %s bytes of a line that holds the longest waves",
                                            format(16 * size, digits = 3)))

# Lines are periodic functions of m entries: the variances of their waves j = 0, ..., m - 1, of frequency j or j - m
# in m steps, add up to that of the model.
table_spectrum <- function(recipe, part, i) {
  step <- recipe$table$step[i]
  if (recipe$lines == "circulant") embedded_line(part, recipe$law[i], recipe$table$entries[i], step)
  else sampled_line(part, recipe$law[i], circle_size(part, recipe, i), step)
}

# Circulant embedding (Dietrich and Newsam 1997; Wood and Chan 1994): the covariance on a circle that is long enough,
# and its eigenvalues, which must not be negative by more than their rounding errors.
embedded_line <- function(part, law, entries, step) {
  if (part$name == "powerlaw") # next to the ends of its band the eigenvalues of any circle are negative
    input_error("lines", "circulant", "is not for \"powerlaw\" models, which have none: use lines = \"powerlaw\"")
  m <- first_size <- stats::nextn(2 * (entries - 1))
  repeat {
    half <- cov_line(part, step * (0:(m %/% 2)), law)
    around <- half[1L + pmin(seq_len(m) - 1, m - seq_len(m) + 1)]
    value <- Re(.Call(C_fft, as.complex(around), as.double(m), FALSE))
    if (min(value) >= -rounding(value)) return(pmax(value, 0) / m)
    if (m > max(2^20, 32 * first_size)) break
    m <- stats::nextn(2 * m)
  }
  raise_engine_error("input", sprintf(paste(
    "lines = \"circulant\": the line covariance of the model (%s) has no circulant embedding of up to %s entries:",
    "use lines = \"powerlaw\", or method = \"spectral\""), part$name, format(m, scientific = FALSE)))
}

# Errors of a transform are some units of the largest value.
rounding <- function(value) 64 * .Machine$double.eps * max(abs(value))

# A circle at least twice as long as is needed. Lines have its period, so that it is 20 scales longer than the table,
# and long enough for 16 of its frequencies below the lowest wave number, if there is one.
circle_size <- function(part, recipe, i) {
  entries <- recipe$table$entries[i]
  step <- recipe$table$step[i]
  max(2 * entries, entries + 20 * part_scale(part, recipe$law[i]) / step,
      if (!is.null(part$kmin)) 16 * 2 * pi / (part$kmin * step))
}

# The line spectrum at the frequencies of a circle.
sampled_line <- function(part, law, size, step) {
  m <- stats::nextn(ceiling(size))
  k <- 2 * pi * pmin(seq_len(m) - 1, m - seq_len(m) + 1) / (m * step)
  value <- half_sphere(law) * k^(law - 1) * cov_spectrum(part, k, law)
  value[!is.finite(value)] <- 0 # at k = 0, where the density of some models is infinite
  if (!any(value > 0))
    input_error("step", step, "is too long: no wave of the model is longer than two steps")
  part$variance * value / sum(value)
}

# Half the surface of the unit sphere: the two-sided density of lines is that times k^(dim - 1) S_dim(k).
half_sphere <- function(dim) c(1, pi, 2 * pi)[dim]

# A column for each line. A transform of complex noise gives two lines at once.
line_table <- function(recipe, i, spectrum, uniforms) {
  n <- recipe$share[i]
  entries <- seq_len(recipe$table$entries[i])
  table <- matrix(0, length(entries), n)
  pairs <- (n + 1L) %/% 2L
  keys <- matrix(floor(uniforms("noise", 2 * pairs) * 2^32), 2L)
  root <- sqrt(spectrum / n)
  for (p in seq_len(pairs)) {
    two <- if (recipe$lines == "pulse") pulse_lines(root, keys[, p], recipe$table$pulses[i])
           else .Call(C_fft, root * complex_noise(keys[, p], length(root)), as.double(length(root)), FALSE)
    table[, 2L * p - 1L] <- Re(two)[entries]
    if (2L * p <= n) table[, 2L * p] <- Im(two)[entries]
  }
  table
}

complex_noise <- function(key, n) {
  normal <- stats::qnorm(.Call(C_bandUniforms, key, 2 * n, 0))
  complex(real = normal[seq_len(n)], imaginary = normal[n + seq_len(n)])
}

# Impulses at Poisson times, of either sign, `pulses` of them per entry on average, filtered by the root of the
# spectrum.
pulse_lines <- function(root, key, pulses) {
  n <- length(root)
  count <- stats::qpois(.Call(C_bandUniforms, key, 4 * n, 0), pulses / 2)
  signed <- (count[seq_len(2 * n)] - count[2 * n + seq_len(2 * n)]) / sqrt(pulses * n)
  noise <- complex(real = signed[seq_len(n)], imaginary = signed[n + seq_len(n)])
  .Call(C_fft, root * .Call(C_fft, noise, as.double(n), FALSE), as.double(n), TRUE)
}

# Lines as tables: random functions of one coordinate, made at equal steps and looked up at the nearest entry.

# Field number sim as a function of sim: for each part of the model the sum of its lines at x . u.
table_field <- function(recipe, places) {
  parts <- model_parts(recipe$model)
  at <- which(recipe$share > 0L)
  spectra <- lapply(at, function(i) table_spectrum(recipe, parts[[i]], i))
  function(sim, into, to) {
    key <- field_key(recipe$key, sim)
    for (j in seq_along(at)) {
      i <- at[j]
      u <- line_directions(recipe, i, key)
      table <- line_table(recipe, i, spectra[[j]], uniforms_for(key, i))
      origin <- -(nrow(table) - 1) / 2 * recipe$table$step[i]
      add_in_blocks(into, to, places, function(xy, first)
        .Call(C_bandTable, in_table(xy, recipe, parts[[i]]), u, table, origin, recipe$table$step[i],
              recipe$table$block))
    }
  }
}

have_band <- function(parts) any(vapply(parts, has_band, NA))

# Coordinates from the middle of the domain, in which distances are those of the model.
in_table <- function(xy, recipe, part) {
  if (!is.null(recipe$space$sphere)) return(sphere_points(xy, recipe$space$sphere))
  stretched(xy - rep(recipe$table$centre, each = nrow(xy)), part, recipe$space)
}

# A low-discrepancy set has no radius here, so that the directions are those of a spiral.
line_directions <- function(recipe, i, key) {
  set <- if (recipe$directions == "halton") "halton" else "fibonacci"
  u <- turn_round(direction_set(recipe$share[i], recipe$wave_dim[i], set), uniforms_for(key, i))
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
  one_number("rate", settings$rate, "positive")
  if (settings$rate > 1e6) input_error("rate", settings$rate, "must be at most 1e6: such lines are normal")
  scale <- mapply(part_scale, parts, recipe$wave_dim)
  step <- if (!is.null(settings$step)) rep(settings$step, length(parts))
          else pmin(scale / 20, vapply(parts, neighbour_distance, 1, places, box))
  reach <- vapply(parts, function(part) box_reach(box, part, recipe$space), 1)
  recipe$lines <- if (have_band(parts) && !settings$given[["lines"]]) "powerlaw" else settings$lines
  recipe$table <- list(box = box, centre = colMeans(box), step = step, entries = ceiling(2 * reach / step) + 3,
                       pulses = settings$rate * step / scale,
                       block = if (is.null(settings$block)) 0 else whole_number("block", settings$block))
  check_table_size(recipe, settings$max.table)
  if (recipe$lines == "circulant") recipe <- with_circles(recipe, parts, settings)
  if (!is.null(recipe) && recipe$lines != "circulant")
    for (i in seq_along(parts)) check_circle(circle_size(parts[[i]], recipe, i), settings$max.table)
  recipe
}

# The circle of each part. Where a part has none, and neither method nor lines were asked for: lines by their sampled
# spectrum, if these have the covariance of the model, or NULL, for waves.
with_circles <- function(recipe, parts, settings) {
  for (i in which(recipe$share > 0L)) {
    m <- line_circle(parts[[i]], recipe$wave_dim[i], recipe$table$entries[i], recipe$table$step[i])
    if (is.na(m)) {
      if (settings$given[["lines"]]) no_circle(parts[[i]])
      other <- recipe
      other$lines <- "powerlaw"
      good <- isTRUE(all(mapply(sampled_error, parts, seq_along(parts), MoreArgs = list(other)) < 0.01))
      if (!good && settings$method != "auto") no_circle(parts[[i]], FALSE)
      message(sprintf("The line covariance of the model (%s) has no circulant embedding: %s are taken instead.",
                      parts[[i]]$name, if (good) "lines = \"powerlaw\"" else "waves, method = \"spectral\","))
      return(if (good) other)
    }
    recipe$table$circle[i] <- m
  }
  recipe
}

no_circle <- function(part, sampled = TRUE)
  raise_engine_error("input", sprintf(paste(
    "lines = \"circulant\": the line covariance of the model (%s) has no circulant embedding of up to %d entries:",
    "use %smethod = \"spectral\""), part$name, most_entries, if (sampled) "lines = \"powerlaw\", or " else ""))

# The largest error of the covariance of lines by their sampled spectrum, as a share of the variance, at some lags
# within the table.
sampled_error <- function(part, i, recipe) {
  if (recipe$share[i] == 0L) return(0)
  spectrum <- tryCatch(table_spectrum(recipe, part, i), statcl_error_input = function(e) NULL)
  if (is.null(spectrum)) return(Inf)
  own <- Re(.Call(C_fft, as.complex(spectrum), as.double(length(spectrum)), FALSE))
  at <- unique(round(seq(0, recipe$table$entries[i] - 1, length.out = 200L)))
  max(abs(own[at + 1] - cov_line(part, at * recipe$table$step[i], recipe$wave_dim[i]))) / part$variance
}

places_box <- function(places) {
  if (places$n == 0) return(matrix(0, 2L, places_dim(places)))
  if (!is.null(places$axes)) return(vapply(places$axes, range, numeric(2L)))
  apply(places$xy, 2L, range)
}

given_box <- function(extent, space) {
  check_numbers("extent", extent, "")
  box <- if (is.matrix(extent)) extent else if (length(extent) == 2L * space$columns) matrix(extent, 2L)
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
  if (recipe$lines != "circulant")
    return(sampled_line(part, recipe$wave_dim[i], circle_size(part, recipe, i), step))
  m <- recipe$table$circle[i]
  pmax(circle_spectrum(line_values(part, recipe$wave_dim[i], step)(m %/% 2 + 1), m), 0) / m
}

circle_spectrum <- function(half, m) {
  around <- half[1L + pmin(seq_len(m) - 1, m - seq_len(m) + 1)]
  Re(.Call(C_fft, as.complex(around), as.double(m), FALSE))
}

most_entries <- 2^20 # of a circle, but for tables that are longer than a sixteenth of this

# Circulant embedding (Dietrich and Newsam 1997; Wood and Chan 1994): the number of entries of a circle on which the
# covariance of lines has eigenvalues that are not negative by more than their rounding errors, or NA. Line
# covariances of the plane fall off like 1/r^2 whatever the model, and those of smooth ones have small negative
# eigenvalues on any circle of moderate length. These are set to 0 where their sum is below 1e-9 of the variance, or
# on circles of 2^17 entries or more 1e-6: the covariance at the entries is off by no more than that. The search ends
# where it has no prospect: where the sum, on circles longer than 20 scales, would not get there if it went on falling
# at twice the pace, as a power of the length, of the better one of its last two steps.
line_circle <- function(part, dim, entries, step) {
  if (has_band(part)) # next to the ends of its band the eigenvalues of any circle are negative
    input_error("lines", "circulant", "is not for \"powerlaw\" models, which have none: use lines = \"powerlaw\"")
  part$variance <- 1
  values <- line_values(part, dim, step)
  long <- 40 * part_scale(part, dim) / step
  m <- first_size <- stats::nextn(2 * (entries - 1))
  most <- max(most_entries, 32 * first_size)
  sums <- numeric()
  repeat {
    value <- circle_spectrum(values(m %/% 2 + 1), m)
    lost <- sum(pmax(-value, 0)) / m
    if (is_embedded(value) || lost <= if (m < 2^17) 1e-9 else 1e-6) return(m)
    sums <- c(sums, if (m > long) lost)
    pace <- max(utils::tail(-diff(log2(sums)), 2L), 0.1)
    if (m > most || length(sums) > 1L && lost * (most / m)^(-2 * pace) > 1e-6) return(NA_real_)
    m <- stats::nextn(2 * m)
  }
}

# The line covariance at 0, 1, ..., n - 1 steps as a function of n. What takes a quadrature for each value is kept as
# Legendre sums on panels of the logarithm of the distance, to 1e-12 of the variance.
line_values <- function(part, dim, step) {
  direct <- if (is.null(closed_line(part, dim))) dim == 3L else !is_slow(part, "line")
  panels <- list(left = NULL, right = NULL, coef = NULL)
  function(n) {
    if (direct || n < 2000) return(cov_line(part, step * seq(0, n - 1), dim))
    end <- if (is.null(panels$right)) 0 else max(panels$right)
    octaves <- ceiling(log(n) / log(2)) - round(end / log(2))
    if (octaves > 0) {
      edges <- end + log(2) * 0:octaves
      more <- resolved_panels(function(x) cov_line(part, step * exp(x), dim) / part$variance, edges[-octaves - 1],
                              edges[-1L], 1e-13, 1)
      panels <<- join_panels(panels, more)
    }
    part$variance * c(1, panel_value(panels, log(seq_len(n - 1))))
  }
}

# Errors of a transform are some units of the largest value.
rounding <- function(value) 64 * .Machine$double.eps * max(abs(value))

# A circle at least twice as long as is needed. Lines have its period, so that it is 20 scales longer than the table,
# and long enough for 16 of its frequencies below the lowest wave number, if there is one.
circle_size <- function(part, recipe, i) {
  entries <- recipe$table$entries[i]
  step <- recipe$table$step[i]
  max(2 * entries, entries + 20 * part_scale(part, recipe$wave_dim[i]) / step,
      if (!is.null(part$kmin)) 16 * 2 * pi / (part$kmin * step))
}

# The line spectrum at the frequencies of a circle.
sampled_line <- function(part, dim, size, step) {
  m <- stats::nextn(ceiling(size))
  k <- 2 * pi * pmin(seq_len(m) - 1, m - seq_len(m) + 1) / (m * step)
  value <- half_sphere(dim) * k^(dim - 1) * cov_spectrum(part, k, dim)
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
  began <- proc.time()
  outermost <- !isTRUE(session$loop)
  on.exit(if (outermost) progress_loop_done())
  for (p in seq_len(pairs)) {
    if (outermost) progress_loop("tbrf", began, NaN) # look-ups follow
    two <- if (recipe$lines == "pulse") pulse_lines(root, keys[, p], recipe$table$pulses[i])
           else .Call(C_fft, root * complex_noise(keys[, p], length(root)), as.double(length(root)), FALSE)
    table[, 2L * p - 1L] <- Re(two)[entries]
    if (2L * p <= n) table[, 2L * p] <- Im(two)[entries]
  }
  table
}

complex_noise <- function(key, n) {
  normal <- stats::qnorm(.Call(C_bandUniforms, key, 2 * n, 0, 0))
  complex(real = normal[seq_len(n)], imaginary = normal[n + seq_len(n)])
}

# Impulses at Poisson times, of either sign, `pulses` of them per entry on average, filtered by the root of the
# spectrum.
pulse_lines <- function(root, key, pulses) {
  n <- length(root)
  count <- stats::qpois(.Call(C_bandUniforms, key, 4 * n, 0, 0), pulses / 2)
  signed <- (count[seq_len(2 * n)] - count[2 * n + seq_len(2 * n)]) / sqrt(pulses * n)
  noise <- complex(real = signed[seq_len(n)], imaginary = signed[n + seq_len(n)])
  .Call(C_fft, root * .Call(C_fft, noise, as.double(n), FALSE), as.double(n), TRUE)
}

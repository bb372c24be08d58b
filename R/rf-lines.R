# The random waves of a field: pure functions of its key.

# The one place where R's generator is asked.
new_key <- function() floor(stats::runif(2L) * 2^32)

# Every field has a key of its own, whatever their number.
field_key <- function(key, sim) floor(.Call(C_bandUniforms, key, 2, sim, 0) * 2^32)

# Streams of uniform numbers under the key of a field, one for each part of the model and purpose, of which those of
# vectors and motion have numbers below 256.
line_purposes <- c("phase", "shift", "rotation", "strata", "order", "nugget", "noise")
uniforms_for <- function(key, part)
  function(purpose, n, before = 0) {
    stream <- if (is.numeric(purpose)) 2^30 + 256 * part + purpose else 8 * part + match(purpose, line_purposes)
    .Call(C_bandUniforms, key, n, stream, before)
  }

# The waves of field number sim: it is the sum of amplitude * cos(2 pi (x . k + phase)). Wave vectors, in the rows of
# k, are in turns per unit of length. Of all lines, or those after line number `before`, up to `last`.
recipe_lines <- function(recipe, sim, before = 0, last = sum(recipe$share)) {
  key <- field_key(recipe$key, sim)
  parts <- model_parts(recipe$model)
  ends <- cumsum(as.double(recipe$share))
  from <- pmax(before - (ends - recipe$share), 0)
  to <- pmin(last - (ends - recipe$share), recipe$share)
  at <- which(from < to)
  lines <- lapply(at, function(i) from[i] + seq_len(to[i] - from[i]))
  waves <- Map(function(i, own) wave_vectors(parts[[i]], recipe, i, uniforms_for(key, i), own), at, lines)
  phases <- lapply(at, function(i) uniforms_for(key, i)("phase", to[i] - from[i], from[i]))
  variances <- part_variances(recipe)
  amplitudes <- Map(function(i, own)
    if (is_intrinsic(parts[[i]])) intrinsic_amplitudes(parts[[i]], recipe, i, own)
    else if (is.null(recipe$shells)) rep(sqrt(2 * variances[i] / recipe$share[i]), length(own))
    else shell_amplitudes(recipe$shells[[i]], variances[i], own), at, lines)
  c(list(k = do.call(rbind, c(lapply(waves, `[[`, "k"), list(matrix(0, 0L, recipe$space$dim)))),
         phase = unlist(phases), amplitude = as.double(unlist(amplitudes))),
    if (isTRUE(recipe$radii)) list(radius = unlist(lapply(waves, `[[`, "radius"))))
}

# Lines are made and summed in lots, which bound the memory: some 400 bytes each, in R, and more with amplitudes of
# their own. Those of models of space and time, some of whose numbers come from rejection, are made all at once.
most_lines <- 2^16

lot_of_lines <- function(recipe) {
  if (has_time(model_parts(recipe$model))) Inf
  else if (is_plain(recipe) && !isTRUE(recipe$radii)) most_lines else most_lines / 4
}

# Calls take(waves, lot) for all lines of a field; lot is NULL, or what the engine needs for some of them: the numbers
# of those before and after, the amplitude of the one before, and room for n numbers (src/field/bands.h).
over_lines <- function(recipe, sim, take, n = 0) {
  lines <- sum(recipe$share)
  size <- lot_of_lines(recipe)
  if (lines <= size) return(take(kept_lines(recipe, sim), NULL))
  room <- .Call(C_bandRoom, n)
  last <- 0
  began <- proc.time()
  outermost <- !isTRUE(session$loop)
  on.exit(if (outermost) progress_loop_done())
  for (before in seq(0, lines - 1, by = size)) {
    waves <- recipe_lines(recipe, sim, before, min(before + size, lines))
    take(waves, list(before, max(lines - before - size, 0), last, room))
    last <- waves$amplitude[length(waves$amplitude)]
    if (outermost) progress_loop("tbrf", began, min(before + size, lines) / lines)
    waves <- NULL
    gc() # not those of a generation alone: what has outlived some collections would pile up
  }
}

# C(|A x|) has the spectrum of C at wave vectors t(A) k. The radius is that of k, in radians.
wave_vectors <- function(part, recipe, i, uniforms, lines) {
  if (!is.null(joint_time(part)))
    return(list(k = project(gneiting_waves(part, recipe, i, uniforms)$k, part$space, recipe$space)))
  if (!is.null(part$space)) part <- part$space
  wave_dim <- recipe$wave_dim[i]
  shells <- recipe$shells[[i]]
  set <- if (is.null(recipe$shells)) wave_set(recipe$share[i], wave_dim, recipe$directions, uniforms, lines)
         else shell_set(shells, wave_dim, recipe$directions, uniforms, lines)
  radius <- if (is_intrinsic(part)) intrinsic_radii(part, recipe$intrinsic$diameters[i], shells, set)
            else cov_radius(part, if (is.null(recipe$shells)) set$u else shell_radii(shells, set), wave_dim)
  k <- if (is_intrinsic(part)) radius else cut_waves(radius, part)
  list(k = project(turn_round(set$direction, uniforms) * (k / (2 * pi)), part, recipe$space), radius = radius)
}

# Rough models have waves so short that phases would have no digits left: these are cut to 1e9 radians per range,
# which the covariance shows at lags of that order only.
wave_radius <- function(part, u, wave_dim) cut_waves(cov_radius(part, u, wave_dim), part)
cut_waves <- function(k, part) if (families[[part$name]]$own_unit) k else pmin.int(k, 1e9 / part$range)

# Directions of more dimensions than the points have lose the others: the covariance is that of the same model.
project <- function(waves, part, space) {
  waves <- waves[, seq_len(space$dim), drop = FALSE]
  transform <- if (is.null(space$sphere)) anisotropy(part, space$dim)
  if (is.null(transform)) waves else each_times(waves, transform)
}

# Directions in the plane or in space, or the one of a line, and probabilities u of the radius that goes with each, of
# some lines.
wave_set <- function(n, dim, directions, uniforms, lines = seq_len(n)) {
  if (directions != "lowdiscrepancy") return(list(direction = direction_set(n, dim, directions, lines),
                                                  u = shuffled_strata(n, uniforms, lines = lines)))
  points <- additive_lattice(lines, uniforms("shift", dim))
  list(direction = switch(dim, along_line(length(lines)), circle(points[, 1L]), sphere(points[, 1L], points[, 2L])),
       u = points[, dim])
}

# Points l * (1/g, ..., 1/g^d) modulo 1, g^(d+1) = g + 1, from a random origin: evenly spread in all d coordinates
# together, so that waves of all lengths have all directions. In three dimensions 13/g + 12/g^2 + 6/g^3 is within
# 3.2e-5 of a whole number, so that some ten thousand points lie on few planes: the root mean square error of the
# covariance of a Gaussian model in space, at its range, is 0.0010 of the variance for 4,000 waves and still 0.0006
# for 2^16 (tbrfError()), where independent waves have 0.61/sqrt(n), 0.0097 and 0.0024. Recipes keep these points.
additive_lattice <- function(lines, shift) {
  d <- length(shift)
  g <- c(1.61803398874989485, 1.32471795724474603, 1.22074408460575948)[d]
  inside((outer(lines, g^-seq_len(d)) + rep(shift, each = length(lines))) %% 1)
}

# Quantiles of 0 and 1 are infinite for some models.
inside <- function(u) {
  u[] <- pmin.int(pmax.int(u, 2^-54), 1 - 2^-53)
  u
}

shuffled_strata <- function(n, uniforms, purposes = c("strata", "order"), lines = seq_len(n)) {
  l <- order(uniforms(purposes[2L], n))[lines]
  inside((l - uniforms(purposes[1L], n)[l]) / n)
}

# Opposite directions give the same waves: in the plane half a circle is enough.
direction_set <- function(n, dim, directions, l = seq_len(n)) {
  if (dim == 1L) return(along_line(length(l)))
  if (directions == "halton")
    return(if (dim == 2L) circle(van_der_corput(l, 2) / 2) else sphere(van_der_corput(l, 2), van_der_corput(l, 3)))
  if (dim == 2L) circle((l - 0.5) / (2 * n)) else sphere((l - 0.5) / n, l / 1.61803398874989485)
}

along_line <- function(n) matrix(1, n, 1L)

circle <- function(turn) cbind(cospi(2 * turn), sinpi(2 * turn))

sphere <- function(u, turn) {
  z <- 1 - 2 * u
  cbind(2 * sqrt(u * (1 - u)) * circle(turn), z, deparse.level = 0L)
}

# The digits of l in this base, mirrored at the point.
van_der_corput <- function(l, base) {
  value <- numeric(length(l))
  unit <- 1
  while (any(l > 0)) {
    unit <- unit / base
    value <- value + unit * (l %% base)
    l <- l %/% base
  }
  value
}

# A rotation drawn from the uniform (Haar) distribution: an angle in the plane, a unit quaternion in space (Shoemake
# 1992).
turn_round <- function(vectors, uniforms) {
  if (ncol(vectors) == 1L) return(vectors)
  u <- uniforms("rotation", 3)
  if (ncol(vectors) == 2L) {
    a <- circle(u[1L])
    return(each_times(vectors, rbind(a, c(-a[2L], a[1L]), deparse.level = 0L)))
  }
  q <- c(sqrt(1 - u[1L]) * circle(u[2L]), sqrt(u[1L]) * circle(u[3L]))
  w <- q[1L]
  v <- q[2:4]
  cross <- matrix(c(0, v[3L], -v[2L], -v[3L], 0, v[1L], v[2L], -v[1L], 0), 3L)
  each_times(vectors, (w^2 - sum(v^2)) * diag(3L) + 2 * outer(v, v) + 2 * w * cross)
}

part_variances <- function(recipe) vapply(model_parts(recipe$model), function(part) part$variance, 1)

# Lines for each part of a model in proportion to its variance, at least one where there is any.
share_lines <- function(recipe, nlines) {
  variances <- if (is.null(recipe$intrinsic)) part_variances(recipe) else intrinsic_variances(recipe)
  used <- variances > 0
  if (nlines < sum(used))
    input_error("nlines", nlines, sprintf("must be at least %d, one for each part of the model", sum(used)))
  count <- whole_shares((nlines - sum(used)) * variances[used] / sum(variances[used]))
  recipe$nlines <- nlines
  recipe$share <- replace(integer(length(used)), used, count + 1L)
  if (identical(recipe$waves, "shells"))
    recipe$shells <- unname(Map(function(i, part, wave_dim, n) if (n > 0L) {
      if (is_intrinsic(part)) intrinsic_shells(part, recipe$intrinsic$step, n) else wave_shells(part, wave_dim, n)
    }, seq_along(recipe$wave_dim), model_parts(recipe$model), recipe$wave_dim, recipe$share))
  recipe
}

# Whole numbers of the same sum, by largest remainders.
whole_shares <- function(exact) {
  count <- floor(exact)
  first <- order(exact - count, decreasing = TRUE)[seq_len(round(sum(exact) - sum(count)))]
  count[first] <- count[first] + 1
  as.integer(count)
}

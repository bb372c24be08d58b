# Fields in time: amplitudes that are Ornstein-Uhlenbeck processes, and frequencies of models of space and time.

# How a field changes: NULL if it does not, "amplitudes" with their correlation time, or "frequencies" of the waves.
motion_of <- function(model, time, correlation_time) {
  timed <- has_time(model_parts(model))
  if (!is.null(correlation_time)) {
    one_number("correlation.time", correlation_time, "positive")
    if (timed) input_error("correlation.time", correlation_time,
                           "is for models of space alone: the covariance in time is that of the model")
    return(list(kind = "amplitudes", range = as.double(correlation_time)))
  }
  if (timed) return(list(kind = "frequencies"))
  if (!is.null(time)) raise_engine_error("input", paste(
    "time is for fields that change: correlation.time, or a model of space and time, is missing"))
}

# At one time.
model_of_space <- function(model) {
  still <- function(part)
    if (is.null(part$space)) part else update(part$space, variance = part$variance, nugget = part$nugget)
  if (model$name == "sum") model$parts <- lapply(model$parts, still)
  else model <- update(still(model), mean = model$mean)
  model
}

checked_times <- function(time, motion) {
  if (is.numeric(time) && !length(time)) return(numeric())
  check_numbers("time", time, "")
  time <- as.double(time)
  if (motion$kind == "amplitudes") {
    far <- abs(time / (bridge_length * motion$range)) >= 2^52
    if (any(far)) name_value("time", time, far, "is too far from 0 for the correlation time")
  }
  time
}

# ---- amplitudes ----

# Stationary Ornstein-Uhlenbeck processes, standard normal with the correlation exp(-|s - t|/T), at any time without
# the times before. Nodes 64 T apart are independent, exp(-64) = 2e-28 of the variance being lost. Between two nodes
# the process is a Markov bridge: the node in the middle, h from either, is (a + b)/(2 cosh h) + sqrt(tanh h) times a
# normal number that the node, line and component tell (h in units of T; both follow from the normal density of three
# values with the correlations exp(-h), exp(-2 h)). After 46 halvings, 64 * 2^-46 T = 9e-13 T apart, the mean between
# two nodes is taken: covariances are then off by no more than its missing variance, the tanh of half of that, 5e-13.
bridge_length <- 64
bridge_levels <- 46L

# n lines after so many before, with so many columns each, at the time x in units of the distance of the first nodes.
bridge_normals <- function(key, n, columns, x = 0, before = 0) {
  nodes <- bridge_nodes(x)
  of <- node_normals(key, n, columns, nodes, before)
  a <- of(1L)
  if (length(nodes) == 1L) return(a)
  b <- of(2L)
  low <- nodes[1L]
  high <- nodes[2L]
  h <- bridge_length
  for (i in seq_along(nodes)[-(1:2)]) {
    h <- h / 2
    own <- (a + b) / (2 * cosh(h)) + sqrt(tanh(h)) * of(i)
    if (x == nodes[i]) return(own)
    if (x > nodes[i]) {
      low <- nodes[i]
      a <- own
    } else {
      high <- nodes[i]
      b <- own
    }
  }
  (sinh((high - x) * bridge_length) * a + sinh((x - low) * bridge_length) * b) / sinh(h)
}

# The nodes that decide the value at x: both ends, then the middles.
bridge_nodes <- function(x) {
  low <- floor(x)
  if (x == low) return(low)
  high <- low + 1
  nodes <- c(low, high)
  for (level in seq_len(bridge_levels)) {
    middle <- (low + high) / 2
    nodes <- c(nodes, middle)
    if (x == middle) break
    if (x > middle) low <- middle else high <- middle
  }
  nodes
}

# Normal numbers of each node as a function of its number, all at once where they take little memory.
node_normals <- function(key, n, columns, nodes, before) {
  line <- rep(before + seq_len(n), columns)
  column <- rep(seq_len(columns), each = n)
  of <- function(x)
    .Call(C_bandNoise, cbind(rep(line, length(x)), rep(column, length(x)), rep(x, each = n * columns),
                             deparse.level = 0L), key)
  if (n * columns * length(nodes) > 1e6) return(function(i) matrix(of(nodes[i]), n))
  all <- array(of(nodes), c(n, columns, length(nodes)))
  function(i) matrix(all[, , i], n)
}

amplitude_normals <- function(recipe, sim, n, columns, time, before = 0) {
  key <- floor(uniforms_for(field_key(recipe$key, sim), 0L)(1, 2) * 2^32)
  x <- if (identical(recipe$motion$kind, "amplitudes")) time / (bridge_length * recipe$motion$range) else 0
  bridge_normals(key, n, columns, x, before)
}

# ---- frequencies ----

# Of all waves of a field, in turns per unit of time: 0 for parts of space alone.
line_frequencies <- function(recipe, sim) {
  key <- field_key(recipe$key, sim)
  parts <- model_parts(recipe$model)
  unlist(lapply(which(recipe$share > 0L), function(i) {
    part <- parts[[i]]
    n <- recipe$share[i]
    if (is.null(part$space)) numeric(n)
    else if (!is.null(joint_time(part))) gneiting_waves(part, recipe, i, uniforms_for(key, i))$frequency
    else separable_frequencies(part$time, n, uniforms_for(key, i))
  }))
}

# A random wave of the time model on a line, as waves of space or of the plane meet it.
separable_frequencies <- function(time, n, uniforms) {
  wave_dim <- wave_dimension(time, 1L, "spectral")
  k <- wave_radius(time, shuffled_strata(n, uniforms, 2:3), wave_dim)
  u <- shuffled_strata(n, uniforms, 4:5)
  k * (if (wave_dim == 3L) 1 - 2 * u else cospi(2 * u)) / (2 * pi)
}

# Gneiting's class, C(h, u) = psi^-(delta + beta D/2) C(h psi^(-beta/2)) with psi = 1 + |u/T|^(2 alpha): a completely
# monotone C is the mean of exp(-s h^2) over a random s. Given s, the wave vector k is sqrt(2 s) g with a standard
# normal g of D components, and the factor that is left,
#   psi^-delta exp(-q (psi^beta - 1)),  q = |g|^2/2,
# is a correlation in time for each wave, and that of its frequency: psi^-delta is the mean of exp(-G v), v =
# |u/T|^(2 alpha), over G of the distribution Gamma(delta), the other factor that of exp(-W v) over a tempered
# stable W, and exp(-(G + W) v) the characteristic function of a symmetric stable number of index 2 alpha, times
# (G + W)^(1/(2 alpha))/T. (Allard, Emery, Lacaux and Lantuejoul 2020 draw waves for this class from such mixtures.)
gneiting_waves <- function(part, recipe, i, uniforms) {
  n <- recipe$share[i]
  dim <- recipe$space$dim
  own <- part$time
  set <- if (dim > 1L) wave_set(n, dim, recipe$directions, uniforms)
         else list(direction = matrix(1, n, 1L), u = shuffled_strata(n, uniforms))
  q <- stats::qgamma(set$u, dim / 2)
  s <- families[[part$space$name]]$mixture(shuffled_strata(n, uniforms, 2:3), uniforms(4, n), part$space)
  k <- cut_waves(2 * sqrt(s * q) / unit_range(part$space), part$space)
  direction <- if (dim > 1L) turn_round(set$direction, uniforms) else set$direction
  if (own$dim > dim) q <- q + stats::qgamma(shuffled_strata(n, uniforms, 6:7), (own$dim - dim) / 2)
  w <- tempered_stable(q, own$interaction, uniforms)
  if (own$decay > 0) w <- w + stats::qgamma(shuffled_strata(n, uniforms, 8:9), own$decay)
  index <- 2 * own$shape
  x <- (shuffled_strata(n, uniforms, 10:11) - 0.5) * pi
  e <- -log(uniforms(12, n))
  stable <- sin(index * x) / cos(x)^(1 / index) * (cos((1 - index) * x) / e)^((1 - index) / index)
  frequency <- ifelse(w > 0, stable * w^(1 / index), 0) / own$range
  frequency <- pmax(pmin(frequency, 1e9 / own$range), -1e9 / own$range)
  list(k = direction * (k / (2 * pi)), frequency = frequency / (2 * pi))
}

# With the Laplace transform exp(-q ((1 + v)^a - 1)): a stable number of scale q^(1/a) that is accepted with
# probability exp(-number). Of large q, sums of as many pieces: each is accepted with a probability of exp(-1) or
# more.
tempered_stable <- function(q, a, uniforms) {
  if (a == 0) return(numeric(length(q)))
  if (a == 1) return(q)
  pieces <- pmax(1, ceiling(q))
  of <- rep(seq_along(q), pieces)
  scale <- (q / pieces)[of]^(1 / a)
  value <- numeric(length(of))
  left <- seq_along(of)
  for (round in 20:250) {
    u <- matrix(uniforms(round, 3 * length(left)), ncol = 3L)
    x <- scale[left] * positive_stable(u[, 1L], u[, 2L], a)
    good <- u[, 3L] < exp(-x)
    value[left[good]] <- x[good]
    left <- left[!good]
    if (!length(left)) break
  }
  drop(rowsum(value, of, reorder = FALSE))
}

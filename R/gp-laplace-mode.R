# Laplace's approximation: the precision Q of a process by Vecchia's approximation, factors of Q + W, and the mode.
# The process is kept in the order of the approximation; without nugget observations at one location have one value of
# it. Matrices are never formed: src/gp/laplace.h says what stands for them.

# ---- the sparse precision ----

# Locations of p in order with their neighbours; observations are at the locations l$location.
laplace_problem <- function(p, l, m, few = NULL, metric = vecchia_metric(p)) {
  sets <- ordered_neighbours(p, metric, m, TRUE)
  m <- nrow(sets$members)
  none <- matrix(0, nrow(p$xy), 0L)
  near <- vecchia_nearest(p, sets$order, sets$members)
  p$error <- 0
  l$place <- order(sets$order)
  l$at <- l$place[l$location]
  if (!anyDuplicated(l$at)) l$alone <- order(l$at)
  l$layout <- joint_layout(l, nrow(p$xy))
  l$joint <- joint_design(l$layout, l$groups)
  l$count <- if (is.null(l$layout)) nrow(p$xy) else l$layout$latent
  if (identical(l$approximation, "ep")) l$site <- shared_sites(l)
  make <- function(m) {
    neighbours <- sets$members[seq_len(m), , drop = FALSE]
    list(pointer = vecchia_make(p, sets$order, none, neighbours, near),
         graph = laplace_graph(neighbours, p$by, l$layout))
  }
  full <- make(m)
  less <- if (!is.null(few) && few < m) make(few)
  p$vecchia <- list(n = nrow(p$xy), m = m, metric = metric, order = sets$order, pointer = full$pointer,
                    few = less$pointer)
  p$laplace <- c(l, list(graph = full$graph, few = less$graph, factorise = joint_factor))
  p
}

# The pattern of the precision of a process, whether that has all locations of its replicate before each, and the
# pattern of all latent elements, `joint`, where there are more; `state` is what one evaluation leaves for the next: a
# mode.
laplace_graph <- function(neighbours, by, layout) {
  check_pattern(length(neighbours), 1L, ncol(neighbours))
  pattern <- .Call(C_laplacePattern, neighbours)
  size <- as.double(if (is.null(by)) ncol(neighbours) else tabulate(by))
  list(pattern = pattern, complete = length(pattern[[2L]]) == sum(size * (size - 1) / 2),
       joint = if (length(layout$columns) > 1L || isTRUE(layout$apart)) joint_pattern(pattern, layout),
       state = new.env(parent = emptyenv()))
}

# Places in a pattern are integers.
check_pattern <- function(size, processes, n) if (size > .Machine$integer.max) raise_engine_error("memory", sprintf(
  "m: %s at %d locations has too many neighbours, %.3g in all of up to %d: a smaller m may serve",
  if (processes == 1L) "a process" else sprintf("a sum of %d processes", processes), n, size, .Machine$integer.max))

# The precision of latent elements, by their variances given what they are tied to and the weights of that, the
# precisions of other grouped `effects`, the log determinant of both, and the number of the first location where a
# variance is not positive. `variances` are those of effects.
laplace_precision <- function(p, variances = NULL) {
  l <- p$laplace
  graph <- l$graph
  log_det <- 0
  priors <- list()
  for (k in seq_len(count_processes(p))) {
    found <- process_prior(p, above_zero(process_problem(p, k)))
    if (found[[3L]] > 0) return(list(bad = found[[3L]]))
    log_det <- log_det + found[[2L]]
    priors[[k]] <- found[[1L]]
  }
  variances <- pmax(variances, least_variance(l) * effect_units(l)) # as for a process
  several <- !is.null(graph$joint)
  list(pattern = if (several) graph$joint$pattern else graph$pattern, complete = graph$complete,
       prior = if (several) joint_prior(graph$joint, l$layout, priors, variances) else priors[[1L]],
       effects = 1 / c(if (isTRUE(l$layout$apart)) priors[[1L]][[1L]], variances[l$groups$term[l$layout$dense]]),
       log_det = log_det - sum(log(variances[l$groups$term])), bad = 0)
}

# Of one process of p: variances given neighbours and weights of these, the logarithm of the determinant of the
# precision, and the number of a location from which on there is none.
process_prior <- function(p, one) {
  graph <- p$laplace$graph
  if (graph$complete) return(dense_prior(one, graph$pattern))
  .Call(C_laplacePrior, graph$pattern, p$vecchia$pointer, one$engine, model_nugget(one$model) + latent_jitter(one))
}

# The same as C_laplacePrior() with all neighbours, by the covariance matrix of the locations.
dense_prior <- function(p, pattern) {
  covariance <- process_covariance(p, p$xy[p$vecchia$order, , drop = FALSE])
  diag(covariance) <- diag(covariance) + model_nugget(p$model) + latent_jitter(p)
  if (!is.null(p$by)) covariance[outer(p$by[p$vecchia$order], p$by[p$vecchia$order], `!=`)] <- 0
  .Call(C_laplaceDensePrior, pattern, covariance)
}

# Of the problems `up` and `down`, at a distance of 2 h, with variances of effects: list(sum of the products of dQ and
# `elements`, dQ times the mode and what is `beside`, d log det(Q), number of a location as above or 0).
laplace_slope <- function(e, up, down, variances, h) {
  q <- e$precision
  x <- cbind(e$w[seq_along(q$prior[[1L]])], e$factor$beside)
  sides <- list(up, down)
  alone <- is.null(up$laplace$graph$joint) && !up$laplace$graph$complete
  if (alone) sides <- lapply(sides, function(p) {
    p <- above_zero(p)
    list(p$engine, model_nugget(p$model) + latent_jitter(p))
  }) else {
    sides <- lapply(sides, laplace_precision, variances)
    for (side in sides) if (side$bad > 0) return(list(0, x, 0, side$bad))
    sides <- lapply(sides, `[`, c("prior", "log_det"))
  }
  .Call(C_laplaceSlope, list(q$pattern, q$prior, NULL), if (alone) up$vecchia$pointer, sides, h,
        e$elements, x)
}

# A process without variance has no precision: one of this variance on the scale of a linear predictor stands for it.
# It leaves a log likelihood with weights W of -log(1 + sum(W) 1e-20) / 2. Expectation propagation divides changes of
# variances by it, which have rounding errors of 1e-16.
least_variance <- function(l) if (identical(l$approximation, "ep")) 1e-14 else 1e-20
above_zero <- function(p) {
  if (model_variance(p$model) > 0) return(p)
  rows <- cov_parameters(model_parts(p$model))
  least <- least_variance(p$laplace) * p$unit^2
  gp_at(p, set_parameters(p$model, ifelse(rows$parameter == "variance", least, rows$value), rows))
}

# Smooth covariances are singular to working precision: of the variances of locations given their neighbours nothing
# is left but rounding errors, of some 1e-15 to 1e-13 of the variance of the process by the size of the matrices. A
# nugget of 1e-10 of that variance, in fits, predictions and simulations alike, keeps them above these errors, with
# enough digits for differences by the parameters. It is a part of 1e-5 of the standard deviation of the process, and
# changes the log likelihood by about half the sum over observations of W times it, W being the weights, minus the
# second derivatives of their log densities.
latent_jitter <- function(p) 1e-10 * process_variance(p)

precision_times <- function(q, x) .Call(C_laplaceProduct, list(q$pattern, q$prior, NULL), x)

# The factor V of Q + W without fill, by what is done with it. `step` is inv(Q + W) b for another weight W to a
# relative tolerance, and how many `steps` of conjugate gradients that took, `solve` inv(Q + W) b; `elements` are
# those of the inverse on the pattern, as derivatives of `log_det`; `forms` a' inv(V' V) a for weights a, columns, of
# locations; `draws` have inv(V' V) as their covariance matrix, and `apply` is inv(V' V) b. `correction` is what
# log_det lacks by probes, with a standard error. With all locations as neighbours V is the factor of Cholesky.
# Another solver is another function like this one, as `factorise` of the data l of a likelihood.
reverse_factor <- function(q, weight) {
  f <- .Call(C_laplaceFactor, list(q$pattern, q$prior, weight))
  complete <- q$complete
  apply <- function(b)
    .Call(C_laplaceTriangular, q$pattern, f, FALSE, .Call(C_laplaceTriangular, q$pattern, f, TRUE, b))
  step <- function(b, weight, tolerance, most)
    stats::setNames(.Call(C_laplaceSolve, list(q$pattern, q$prior, weight), f, b, tolerance, most), c("x", "steps"))
  list(
    apply = apply,
    step = function(b, weight, tolerance) step(b, weight, tolerance, 30L),
    solve = function(b, tolerance = 1e-10) {
      if (complete && f[[4L]] == 0) return(apply(b)) # V is the factor of Cholesky
      found <- step(b, weight, tolerance, 300L)
      if (found$steps > 300L) raise_engine_error("input", paste(
        "Laplace's approximation: the precision of the process could not be solved for with these parameters:",
        "more neighbours may serve"))
      found$x
    },
    log_det = function() f[[3L]], sound = f[[4L]] == 0, # no pivot was replaced
    elements = function() .Call(C_laplaceInverse, q$pattern, f),
    forms = inverse_forms(q$pattern[1:2], f[1:2], if (complete) 0 else form_drop),
    draws = function(normal) .Call(C_laplaceTriangular, q$pattern, f, FALSE, normal),
    correction = function(probes)
      if (complete) c(0, 0) else .Call(C_laplaceCorrection, list(q$pattern, q$prior, weight), f, probes))
}

# `forms` without all else that is known of a factor, as workers are sent it.
inverse_forms <- function(pattern, f, drop) {
  force(pattern)
  force(f)
  force(drop)
  function(at, weights) .Call(C_laplaceForms, pattern, f, at, weights, drop)
}

# The factor of the precision of a very smooth process may break down where elements without a place are dropped.
no_factor <- paste("Laplace's approximation: the factor of the precision is not positive definite with these",
                   "parameters: more neighbours, method = \"exact\", a less smooth covariance or a nugget may serve")

# See laplace_forms() in src/gp/laplace.h.
form_drop <- 1e-3

# ---- the mode ----

# By Newton's method with halved steps, which are found by conjugate gradients. Their preconditioner is a factor for
# the weights of an earlier step, which is made anew where it does not serve; at the mode there is one anyway. Where
# the density is not concave at some observations, steps have the positive part of W, with which they are upwards,
# until they gain little: then those with W itself converge faster, where Q + W is positive definite.
laplace_mode <- function(p, precision, eta, own) {
  l <- p$laplace
  state <- l$graph$state
  if (is.null(state$w) && !is.null(l$few)) state$w <- l$few$state$w # from the first climbs, with fewer neighbours
  n <- l$count + length(precision$effects)
  at <- function(w) {
    # a step may go to where densities are no numbers, or infinite as those of truncated counts are where the
    # probability of more than 0 is below any number, and is then halved
    terms <- suppressWarnings(case_terms(l, eta + latent_of(l, w), own))
    qw <- prior_times(precision, w)
    value <- sum(terms$value) - sum(w * qw) / 2
    list(w = w, terms = terms, qw = qw, value = if (isTRUE(value < Inf)) value else -Inf)
  }
  # where log densities are not concave there may be several modes: the search of the highest begins at the best of
  # those of the last evaluation and of the highest likelihood, so that a step that fails does not lead to another one
  now <- at(numeric(n))
  for (w in list(state$w, state$best)) if (!is.null(w)) {
    other <- at(w)
    if (isTRUE(other$value > now$value)) now <- other
  }
  if (!is.finite(now$value)) return(NULL)
  factor <- NULL
  tolerance <- 1e-2
  gain <- Inf
  for (round in 1:100) {
    convex <- now$terms$weight < 0
    weight <- pmax(now$terms$weight, 0)
    gradient <- latent_sums(l, now$terms$score) - now$qw
    if (is.null(factor)) factor <- l$factorise(l, precision, weight)
    if (is.null(factor$step)) return(NULL)
    step <- NULL
    if (any(convex) && gain < 1)
      step <- factor$step(gradient, now$terms$weight, tolerance)
    if (is.null(step) || !isTRUE(sum(step$x * gradient) > 0)) step <- factor$step(gradient, weight, tolerance)
    gain <- sum(step$x * gradient)
    if (!is.finite(gain)) break # the gradient is no number
    length <- 1
    repeat {
      new <- at(now$w + length * step$x)
      if (isTRUE(new$value >= now$value + 1e-4 * length * gain - 1e-12 * abs(now$value)) || length < 1e-10) break
      length <- length / 2
    }
    if (length >= 1e-10) now <- new
    if (gain < 1e-10 || length < 1e-10) break # the next one would be about 1e-10 of a standard deviation
    tolerance <- max(1e-8, min(1e-2, gain)) # as gains fall by squares
    if (step$steps > 6L) factor <- NULL
  }
  state$w <- now$w
  now[c("terms", "factor")] <- weighted_factor(l, precision, case_terms(
    l, eta + latent_of(l, now$w), own, TRUE))
  if (!is.null(now$factor$log_det)) now
}

# The factor of Q + W, or with the positive part of W where that is not positive definite, as at the end of a search
# for a mode that has not found one: `terms` then have the derivatives of that part.
weighted_factor <- function(l, q, terms) {
  convex <- terms$weight < 0
  factor <- l$factorise(l, q, terms$weight, TRUE)
  if (any(convex) && !factor$sound) {
    terms$weight[convex] <- 0
    terms$third[convex] <- 0
    terms$by <- lapply(terms$by, function(b) replace(b, "weight", list(replace(b$weight, convex, 0))))
    factor <- l$factorise(l, q, terms$weight, TRUE)
  }
  list(terms = terms, factor = factor)
}

# Sums of what observations have over those of each location; `alone`: of which each has one.
location_sums <- function(l, values) {
  if (!is.null(l$alone)) return(if (is.matrix(values)) values[l$alone, , drop = FALSE] else values[l$alone])
  .Call(C_laplaceSums, l$at, values, l$count)
}

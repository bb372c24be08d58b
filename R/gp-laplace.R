# Gaussian processes behind responses of other families: with eta = offset + X beta + w and a process w by Vecchia's
# approximation the likelihood is that of Laplace's approximation (Tierney and Kadane 1986),
# log p(y | w) - w' Q w / 2 + log det(Q) / 2 - log det(Q + W) / 2 at the mode of w, where W is minus the second
# derivative of log p(y | w).
# Q and Q + W are sparse, and factors are those of package Matrix. The process is kept in the order of the
# approximation; without nugget observations at one location have one value of it.

is_laplace <- function(fit) !is.null(fit$family)

need_matrix <- function()
  if (!requireNamespace("Matrix", quietly = TRUE))
    raise_engine_error("input", "families other than gaussian need the package Matrix, for sparse factors")

# ---- the sparse precision ----

# Locations of p in order with their neighbours; observations are at the locations l$location.
laplace_problem <- function(p, l, m, few = NULL, metric = vecchia_metric(p)) {
  x <- vecchia_coordinates(p, metric)
  order <- gp_ordering(x)
  neighbours <- gp_neighbours(x[order, , drop = FALSE], max(min(m, nrow(x) - 1L), 1L))
  near <- vecchia_nearest(p, order, neighbours)
  p$error <- 0
  make <- function(neighbours) list(pointer = vecchia_make(p, order, matrix(0, nrow(x), 0L), neighbours, near),
                                    graph = laplace_graph(neighbours))
  full <- make(neighbours)
  p$vecchia <- list(n = nrow(x), m = nrow(neighbours), metric = metric, order = order, pointer = full$pointer)
  l$graph <- full$graph
  l$place <- order(order)
  l$at <- l$place[l$location]
  if (!is.null(few) && few < nrow(neighbours)) {
    less <- make(neighbours[seq_len(few), , drop = FALSE])
    p$vecchia$few <- less$pointer
    l$few <- less$graph
  }
  p$laplace <- l
  p
}

# The pattern of the factor B of the precision Q = B' B, and where its elements are among the variances and weights of
# vecchia_rows(); `state` is what one evaluation leaves for the next: a mode, and a factor as a preconditioner.
laplace_graph <- function(neighbours) {
  n <- ncol(neighbours)
  there <- which(!is.na(neighbours))
  location <- (there - 1L) %/% nrow(neighbours) + 1L
  row <- c(seq_len(n), location)
  b <- Matrix::sparseMatrix(row, c(seq_len(n), neighbours[there]), x = as.double(seq_along(row)), dims = c(n, n))
  list(b = b, from = as.integer(b@x), row = b@i + 1L, state = new.env(parent = emptyenv()),
       pick = location + n * ((there - 1) %% nrow(neighbours) + 1))
}

# Q, its log determinant, and the number of the first location whose variance given its neighbours is not positive.
laplace_precision <- function(p) {
  p <- above_zero(p)
  g <- p$laplace$graph
  rows <- .Call(C_vecchiaPredict, p$vecchia$pointer, p$engine, model_nugget(p$model), TRUE)
  variance <- rows[, 1L]
  bad <- which(!(variance > 0 & is.finite(variance)))
  if (length(bad)) return(list(bad = bad[1L]))
  b <- g$b
  b@x <- c(rep(1, length(variance)), -rows[g$pick])[g$from] / sqrt(variance)[g$row]
  list(b = b, q = Matrix::crossprod(b), log_det = -sum(log(variance)), bad = 0)
}

# A process without variance has no precision: one of 1e-8, the least of a search, which on the scale of a linear
# predictor is none, stands for it.
above_zero <- function(p) {
  if (model_variance(p$model) > 0) return(p)
  rows <- cov_parameters(model_parts(p$model))
  gp_at(p, set_parameters(p$model, ifelse(rows$parameter == "variance", 1e-8, rows$value), rows))
}

diagonal_places <- function(q) q@p[-1L] # of the upper triangle by columns

times <- function(a, b) if (is.matrix(b)) as.matrix(a %*% b) else as.vector(a %*% b)

solved_by <- function(factor, b) {
  value <- Matrix::solve(factor, b, system = "A")
  if (is.matrix(b)) as.matrix(value) else as.vector(value)
}

with_weight <- function(q, weight) {
  at <- diagonal_places(q)
  q@x[at] <- q@x[at] + weight
  q
}

refactor <- function(factor, h) {
  if (is.null(factor)) Matrix::Cholesky(h, perm = TRUE, LDL = FALSE, super = TRUE)
  else Matrix::update(factor, h)
}

factor_slots <- function(factor) list(factor@super, factor@pi, factor@px, factor@s, factor@x)

factor_log_det <- function(factor) {
  columns <- diff(factor@super)
  block <- rep(seq_along(columns), columns)
  own <- sequence(columns) - 1
  2 * sum(log(factor@x[factor@px[block] + own * (diff(factor@pi)[block] + 1) + 1]))
}

# Rows of the factor that belong to locations, counted from 0.
factor_rows <- function(factor) order(factor@perm) - 1L

# ---- the mode ----

# By Newton's method with halved steps. Steps are by conjugate gradients with the factor of an earlier evaluation as
# preconditioner, which is made anew where it does not serve; at the mode one factorisation is needed anyway.
laplace_mode <- function(p, precision, eta, shape) {
  l <- p$laplace
  state <- l$graph$state
  n <- nrow(precision$q)
  at <- function(w) {
    terms <- family_terms(l$family, l$y, l$trials, eta + w[l$at], shape)
    qw <- times(precision$q, w)
    list(w = w, terms = terms, qw = qw, value = sum(terms$value) - sum(w * qw) / 2)
  }
  now <- if (!is.null(state$w)) at(state$w)
  zero <- at(numeric(n))
  if (is.null(now) || !isTRUE(now$value > zero$value)) now <- zero
  if (!is.finite(now$value)) return(NULL)
  for (round in 1:100) {
    weight <- location_sums(l, now$terms$weight)
    gradient <- location_sums(l, now$terms$score) - now$qw
    if (is.null(state$factor)) state$factor <- refactor(NULL, with_weight(precision$q, weight))
    step <- newton_step(precision$q, weight, gradient, state)
    gain <- sum(step * gradient)
    length <- 1
    repeat {
      new <- at(now$w + length * step)
      if (isTRUE(new$value >= now$value + 1e-4 * length * gain - 1e-12 * abs(now$value)) || length < 1e-10) break
      length <- length / 2
    }
    if (length >= 1e-10) now <- new
    if (gain < 1e-10 || length < 1e-10) break # the next one would be about 1e-10 of a standard deviation
  }
  state$w <- now$w
  now$weight <- location_sums(l, now$terms$weight)
  now$factor <- state$factor <- refactor(state$factor, with_weight(precision$q, now$weight))
  now
}

# Sums of what observations have over those of each location.
location_sums <- function(l, values) {
  sums <- rowsum(values, l$at)
  if (is.matrix(values)) unname(sums) else as.vector(sums)
}

newton_step <- function(q, weight, gradient, state) {
  x <- numeric(length(gradient))
  r <- gradient
  z <- solved_by(state$factor, r)
  d <- z
  rz <- first <- sum(r * z)
  tolerance <- max(1e-8, min(1e-2, sqrt(first)))
  for (k in 1:30) {
    if (rz <= tolerance^2 * first) return(x)
    if (k == 20L) { # H has changed too much since
      state$factor <- refactor(state$factor, with_weight(q, weight))
      return(solved_by(state$factor, gradient))
    }
    h <- times(q, d) + weight * d
    by <- rz / sum(d * h)
    x <- x + by * d
    r <- r - by * h
    z <- solved_by(state$factor, r)
    new <- sum(r * z)
    d <- z + new / rz * d
    rz <- new
  }
  x
}

# ---- the likelihood ----

# At eta = offset + X beta and the model of p: `value`, and what derivatives need.
laplace_likelihood <- function(p, eta, shape) {
  precision <- laplace_precision(p)
  if (precision$bad > 0) return(list(value = -Inf, bad = precision$bad))
  mode <- laplace_mode(p, precision, eta, shape)
  if (is.null(mode)) return(list(value = -Inf, bad = 0))
  c(mode[c("w", "terms", "weight", "factor")], precision[c("b", "q")],
    list(value = mode$value + (precision$log_det - factor_log_det(mode$factor)) / 2, bad = 0))
}

# The variances and covariances of the process given the data that Q has elements for.
laplace_selected <- function(e, state) {
  if (is.null(state$pattern)) {
    at <- factor_rows(e$factor)
    state$pattern <- list(at[e$q@i + 1L], at[rep(seq_len(ncol(e$q)), diff(e$q@p))])
  }
  .Call(C_selectedInverse, factor_slots(e$factor), state$pattern[[1L]], state$pattern[[2L]])
}

# The search is on t, the scale of gpFit(), with the mean in an orthonormal basis of the covariates, and perhaps the
# logarithm of a shape. The gradient is exact but for differences of Q: with S = inv(Q + W) on the pattern of Q, c the
# sums of S_ii dW_i/deta_i and a = S c, it is - w' dQ w / 2 + d log det(Q) / 2 - tr(S dQ) / 2 + a' dQ w / 2. The
# information is the average one of working observations eta + score/W, normal with variances 1/W: with v = dQ w
# (v' inv(Q) v - v' S v) / 2, and X' W X - X' W S W X of the mean.
laplace_value <- function(t, s, p, least = -Inf) {
  point <- search_point(t, s)
  failed <- function(e) list(value = -Inf, bad = 0, said = conditionMessage(e), v = point$v)
  own <- s$rows$part > 0
  at <- function(v) gp_at(p, set_parameters(p$model, v[own], s$rows[own, ]))
  l <- p$laplace
  eta <- l$offset + if (length(s$mean)) drop(l$basis %*% point$v[s$mean]) else 0
  shape <- if (length(s$shape)) point$v[s$shape] else l$shape
  e <- tryCatch(laplace_likelihood(at(point$v), eta, shape), statcl_error_input = failed)
  e$v <- point$v
  if (!isTRUE(e$value > least)) return(e[c("value", "bad", "said", "v")])
  selected <- laplace_selected(e, l$graph$state)
  diagonal <- diagonal_places(e$q)
  variance <- selected[diagonal]
  adjoint <- solved_by(e$factor, location_sums(l, variance[l$at] * e$terms$third))
  searched <- s$at[own[s$at]]
  h <- 2e-4 # errors of 1e-8 by the third derivative, and of the rounding errors of Q over h
  side <- function(j, sign) laplace_precision(at(search_point(replace(t, j, t[j] + sign * h), s)$v))
  moved <- matrix(0, length(e$w), length(searched))
  gradient <- numeric(length(t))
  for (j in seq_along(searched)) {
    up <- side(j, 1)
    down <- side(j, -1)
    if (max(up$bad, down$bad) > 0) return(list(value = -Inf, bad = 0, v = point$v))
    slope <- e$q
    slope@x <- (up$q@x - down$q@x) / (2 * h)
    moved[, j] <- times(slope, e$w)
    trace <- 2 * sum(selected * slope@x) - sum(variance * slope@x[diagonal])
    gradient[j] <- (sum((adjoint - e$w) * moved[, j]) + (up$log_det - down$log_det) / (2 * h) - trace) / 2
  }
  information <- matrix(0, length(t), length(t))
  k <- seq_along(searched)
  information[k, k] <- (crossprod(as.matrix(Matrix::solve(Matrix::t(Matrix::tril(e$b)), moved))) -
                          crossprod(moved, solved_by(e$factor, moved))) / 2
  if (length(s$mean)) {
    k <- length(searched) + seq_along(s$mean)
    basis <- l$basis
    gradient[k] <- crossprod(basis, e$terms$score +
                               (e$terms$weight * adjoint[l$at] - variance[l$at] * e$terms$third) / 2)
    weighted <- location_sums(l, e$terms$weight * basis)
    information[k, k] <- crossprod(basis, e$terms$weight * basis) - crossprod(weighted, solved_by(e$factor, weighted))
  }
  if (length(s$shape)) {
    k <- length(t)
    gradient[k] <- sum(e$terms$by_shape - (variance[l$at] * e$terms$weight_by_shape +
                                             adjoint[l$at] * e$terms$score_by_shape) / 2)
    information[k, k] <- length(l$y) * (shape^2 * trigamma(shape) - shape)
  }
  e$gradient <- gradient
  e$information <- information
  e
}

# ---- the fit ----

# As gp_fit().
laplace_fit <- function(response, x, offset, points, model, estimator, fixed, start, error, method, m, family) {
  check_laplace(model, estimator, error, family)
  design <- laplace_design(response, x, offset, points, method, m, family)
  own <- laplace_search(design, model, fixed, start)
  on.exit(vecchia_close(own$found$p))
  # maxima in a limit are those of a model in which some parameters have the values that they have there
  for (limit in list(laplace_without_process, laplace_without_nugget)) {
    held <- limit(own)
    if (is.null(held)) next
    if (has_shape(family) && !own$shape$free) held$fixed$family.shape <- own$shape$value
    limited <- set_parameters(model, held$rows$value, held$rows)
    fit <- laplace_fit(response, x, offset, points, limited, estimator, held$fixed, NULL, NULL, method, m, family)
    if (fit$loglik <= held$least) next
    fit$parameters[held$open, "fixed"] <- FALSE
    fit$parameters[held$lower, "boundary"] <- "lower"
    fit$df <- fit$df + length(held$open)
    if (held$counts) fit[c("iterations", "evaluations")] <- own$found[c("iterations", "evaluations")]
    return(fit)
  }
  c(laplace_result(own$found, own$task, x, design$keep), laplace_about(design, own))
}

check_laplace <- function(model, estimator, error, family) {
  need_matrix()
  if (estimator != "ML")
    input_error("estimator", estimator, sprintf("must be \"ML\" for the family %s", family$family))
  if (!is.null(error))
    raise_engine_error("input", sprintf("error.variance is for the family gaussian, not %s", family$family))
  if (model$name == "bimatern") input_error("family", family$family, "is for models of one variable")
  check_no_mean(model)
}

# What does not depend on the model: the data, with an orthogonal basis of the mean.
laplace_design <- function(response, x, offset, points, method, m, family) {
  y <- response$y
  n <- length(y)
  offset <- fit_design(y, x, offset)
  qr <- qr(x)
  keep <- sort(qr$pivot[seq_len(qr$rank)])
  check_observations(n, length(keep), "coefficients")
  points[c("rows", "called")] <- list(names(y), "coords")
  l <- list(family = family, y = unname(y), trials = unname(response$trials), offset = unname(offset))
  if (length(keep)) {
    own <- qr(x[, keep, drop = FALSE])
    l[c("basis", "root", "pivot")] <- list(qr.Q(own) * sqrt(n), qr.R(own) / sqrt(n), own$pivot)
  }
  list(y = y, trials = response$trials, x = x, offset = offset, points = points, keep = keep, l = l, method = method,
       m = if (method == "exact") laplace_exact(n) else whole_number("m", m), family = family)
}

laplace_search <- function(design, model, fixed, start) {
  shape <- fixed_shape(fixed, start, design$family)
  nugget <- laplace_nugget(model, shape$fixed, shape$start)
  p <- gp_problem(known_model(nugget$model), design$points, NULL)
  task <- fit_task(nugget$model, nugget$fixed, shape$start, p)
  check_anisotropy(p, task$free)
  # a nugget gives each observation a value of its own
  id <- if (nugget$zero) place_numbers(design$points$xy) else seq_along(design$y)
  first <- which(!duplicated(id))
  l <- c(design$l, list(location = match(id, id[first]), shape = shape$value, free_shape = shape$free))
  p$xy <- p$xy[first, , drop = FALSE]
  found <- laplace_find(p, l, design$x[, design$keep, drop = FALSE], task, design$m)
  list(found = found, task = task, shape = shape, fixed = nugget$fixed, xy = p$xy, location = l$location,
       rows = cov_parameters(model_parts(found$p$model)))
}

laplace_about <- function(design, own) list(
  estimator = "ML", method = if (design$method == "exact") "exact" else "vecchia", m = own$found$p$vecchia$m,
  block = 1, neighbour.metric = own$found$p$vecchia$metric, nobs = length(design$y),
  df = length(design$keep) + length(own$task$free) + own$shape$free, rank = length(design$keep),
  y = if (design$family$family == "binomial") design$y / design$trials else design$y, trials = design$trials,
  X = design$x, offset = design$offset, x = design$points$xy, latent.x = unname(own$xy), location = own$location,
  family = design$family)

# Is the likelihood no higher than that of the generalised linear model, its limit for variances of 0? There the
# search ends anywhere, as the other parameters are of no process, and those without a bound get values on the scale
# of the locations. NULL, or `rows` with the values of the limit, all of which are `fixed`, the parameters that were
# `open` and, of these, those at their `lower` bound, and the `least` likelihood for which it counts.
laplace_without_process <- function(own) {
  found <- own$found
  rows <- own$rows
  sill <- rows$parameter %in% c("variance", "nugget")
  open <- rows$name %in% own$task$free
  if (found$interrupted || !all((open | rows$value %in% 0)[sill])) return(NULL)
  if (!any(open & rows$parameter == "variance")) return(NULL)
  if (sum(rows$value[sill]) > 0.01) return(NULL) # a plain shift of all locations is an intercept
  if (found$value >= found$none + 1e-3) return(NULL)
  rows$value[sill] <- 0
  length <- which(open & rows$base %in% c("range", "scales") & is.infinite(rows$upper))
  longest <- ifelse(rows$inside[length] == "time", found$s$scales$time[2L], found$s$scales$space[2L])
  rows$value[length] <- pmin(rows$value[length], longest)
  list(rows = rows, fixed = stats::setNames(as.list(rows$value), rows$name), open = rows$name[open],
       lower = rows$name[open & sill], least = -Inf, counts = TRUE)
}

# The same of a nugget that is next to nothing: observations at one location then have one value.
laplace_without_nugget <- function(own) {
  rows <- own$rows
  none <- rows$name %in% own$task$free & rows$parameter == "nugget"
  if (!any(none) || sum(rows$value[none]) >= 1e-4 * sum(rows$value[rows$parameter == "variance"])) return(NULL)
  rows$value[none] <- 0
  list(rows = rows, fixed = replace(own$fixed, rows$name[none], 0), open = rows$name[none], lower = rows$name[none],
       least = own$found$value - 1e-3, counts = FALSE)
}

# A nugget that is not asked for is 0: NA in a model, or a start, asks for one. `zero`: is there none?
laplace_nugget <- function(model, fixed, start) {
  rows <- cov_parameters(model_parts(model))
  own <- rows[rows$parameter == "nugget", ]
  if (isTRUE(fixed)) return(list(model = model, fixed = fixed, zero = all(own$value %in% 0)))
  if (is.character(fixed)) fixed <- stats::setNames(rep(list(NA_real_), length(fixed)), fixed)
  fixed <- as.list(fixed)
  held <- setdiff(own$name[!is.na(own$value)], c(names(fixed), names(start)))
  fixed[held] <- NA_real_
  value <- stats::setNames(own$value, own$name)
  given <- intersect(own$name, names(fixed))
  value[given] <- ifelse(is.na(unlist(fixed[given])), value[given], unlist(fixed[given]))
  list(model = model, fixed = fixed, zero = all(value %in% 0) && !any(own$name %in% names(start)))
}

# The shape of a Gamma distribution is given by the name family.shape.
fixed_shape <- function(fixed, start, family) {
  name <- "family.shape"
  value <- 1
  free <- has_shape(family)
  for (given in list(fixed, start)) if (has_shape(family) && name %in% names(given)) {
    value <- given[[name]]
    one_number(name, value, "positive")
  }
  if (free) {
    free <- !isTRUE(fixed) && !name %in% names(fixed)
    if (isTRUE(fixed) && !name %in% names(start)) free <- TRUE
    if (is.list(fixed) || is.numeric(fixed)) fixed <- fixed[setdiff(names(fixed), name)]
    if (!is.null(start)) start <- start[setdiff(names(start), name)]
  }
  list(fixed = fixed, start = start, value = value, free = free)
}

laplace_exact <- function(n) {
  if (n > 4001L)
    raise_engine_error("input", sprintf(
      "method \"exact\" takes up to 4001 observations for this family: there are %d", n))
  n - 1L
}

# Starts by the generalised linear model: its working observations are fitted as normal ones with known variances.
laplace_find <- function(p, l, x, task, m) {
  glm <- suppressWarnings(stats::glm.fit(x, l$y / l$trials, weights = l$trials, offset = l$offset,
                                         family = l$family, intercept = FALSE))
  if (l$free_shape) l$shape <- 2 / max(mean(((l$y - glm$fitted.values) / glm$fitted.values)^2), 1e-8)
  none <- likelihood_without(l, glm$linear.predictors)
  scales <- gp_scales(p, list(y = rep_len(c(-1, 1), nrow(p$xy))))
  scales$began <- proc.time()
  if (length(task$free) && !scales$space[2L] > 0)
    raise_engine_error("input", "all observations are at one location: no covariance is seen")
  v <- laplace_start(p, l, glm, task, scales)
  outermost <- !isTRUE(session$loop)
  on.exit(if (outermost) progress_loop_done())
  rows <- cov_parameters(model_parts(task$model))
  t <- NULL
  climb <- function(p, tolerance) {
    s <- laplace_space(p, task$free, scales)
    if (is.null(t))
      t <<- c(search_start(v, s)[seq_along(task$free)],
              if (length(s$mean)) drop(l$root %*% glm$coefficients[l$pivot]), if (length(s$shape)) log(l$shape))
    found <- search_climb(t, s, p, NULL, "ML", tolerance)
    interrupted <<- found$interrupted
    if (!is.finite(found$value)) {
      if (!interrupted) laplace_refused(found)
      if (is.null(last)) invokeRestart("abort") # nothing was found yet
      return(last)
    }
    t <<- search_start_all(found$v, s)
    last <<- c(found, list(s = s))
  }
  interrupted <- FALSE
  last <- NULL
  v <- stats::setNames(v, rows$name)
  p <- laplace_problem(gp_at(p, set_parameters(p$model, v, rows)), l, m, if (length(task$free)) few_neighbours)
  if (!is.null(p$laplace$few)) {
    coarse <- p
    coarse$vecchia$pointer <- p$vecchia$few
    coarse$laplace$graph <- p$laplace$few
    climb(coarse, 0.01)
    p$laplace$graph$state$w <- p$laplace$few$state$w
  }
  stopped <- interrupted
  found <- climb(p, if (stopped) Inf else 1e-9)
  for (more in 1:2) {
    if (interrupted || stopped) break
    metric <- vecchia_other_metric(gp_at(p, set_parameters(p$model, found$v[seq_along(v)], rows)))
    if (is.null(metric)) break
    vecchia_close(p)
    p <- laplace_problem(p, l, m, NULL, metric)
    found <- climb(p, 1e-9)
  }
  found$none <- none
  found$interrupted <- interrupted || stopped
  found$converged <- found$converged && !found$interrupted
  found$p <- gp_at(p, set_parameters(p$model, found$v[seq_along(v)], rows))
  found$t <- t
  found
}

# The likelihood of the generalised linear model.
likelihood_without <- function(l, eta) {
  value <- function(shape) sum(family_terms(l$family, l$y, l$trials, eta, shape)$value)
  if (!l$free_shape) return(value(l$shape))
  stats::optimize(function(t) value(exp(t)), log(l$shape) + c(-5, 5), maximum = TRUE, tol = 1e-6)$objective
}

# Parameters by the working observations of the generalised linear model.
laplace_start <- function(p, l, glm, task, scales) {
  rows <- cov_parameters(model_parts(task$model))
  if (!length(task$unknown)) return(rows$value)
  information <- glm$weights * l$shape
  total <- pmax(as.vector(rowsum(information, l$location)), 1e-8)
  working <- list(y = as.vector(rowsum(information * glm$residuals, l$location)) / total, X = NULL)
  p$error <- 1 / total
  p <- vecchia_problem(p, working, few_neighbours, 1, NULL, vecchia_start_metric(p, task$unknown))
  on.exit(vecchia_close(p))
  p$model <- task$model
  p$parts <- model_parts(task$model)
  found <- tryCatch({
    found <- uninterrupted(gp_find(p, working, task, "ML"))
    p <- found$problem
    cov_parameters(model_parts(found$model))$value
  }, statcl_error_input = function(e) gp_starts(p, task$unknown, scales)[[1L]])
  # 0 is no place to begin at
  sill <- rows$parameter %in% c("variance", "nugget") & rows$name %in% task$unknown
  found[sill] <- pmax(found[sill], 0.05)
  inside_bounds(found, list(rows = rows, at = match(task$free, rows$name), reference = 0L))
}

laplace_refused <- function(found) {
  if (!is.null(found$said)) raise_engine_error("input", found$said)
  raise_engine_error("input", paste("the likelihood is not finite where the search begins: other values of start,",
                                    "or a model that is less smooth, may serve"))
}

# As search_space(), with the mean and the shape as further coordinates, and no variance profiled out.
laplace_space <- function(p, free, scales) {
  s <- search_space(p, free, scales)
  count <- c(NCOL(p$laplace$basis) * !is.null(p$laplace$basis), as.integer(p$laplace$free_shape))
  known <- nrow(s$rows)
  s$rows <- rbind(s$rows, other_parameters(
    c(sprintf(".mean%d", seq_len(count[1L])), rep("family.shape", count[2L])), value = rep(0, sum(count)),
    lower = rep(c(-Inf, 0), count), upper = rep(Inf, sum(count))))
  s$mean <- known + seq_len(count[1L])
  s$shape <- known + count[1L] + seq_len(count[2L])
  s$at <- c(s$at, s$mean, s$shape)
  own <- seq_len(known)
  sill <- s$rows$parameter[s$at] %in% c("variance", "nugget")
  s$bounds$low <- c(s$bounds$low, rep(c(-50, log(1e-3)), count))
  s$bounds$low[sill] <- log(1e-8)
  s$bounds$high <- c(s$bounds$high, rep(c(50, log(1e8)), count))
  s$bounds$step <- c(s$bounds$step, rep(2, sum(count)))
  s$joint <- TRUE
  s
}

search_start_all <- function(v, s) {
  more <- c(s$mean, s$shape)
  own <- s
  own$at <- setdiff(s$at, more)
  c(search_start(v, own), to_search(v[more], s$rows[more, ]))
}

# ---- what is known at the maximum ----

laplace_result <- function(found, task, x, keep) {
  p <- found$p
  l <- p$laplace
  s <- found$s
  if (length(s$shape)) l$shape <- found$v[s$shape]
  beta <- numeric()
  if (length(s$mean)) beta <- backsolve(l$root, found$v[s$mean])[order(l$pivot)]
  eta <- l$offset + if (length(keep)) drop(x[, keep, drop = FALSE] %*% beta) else 0
  e <- laplace_likelihood(p, unname(eta), l$shape)
  if (!is.finite(e$value)) laplace_refused(found)
  eta <- eta + e$w[l$at]
  names <- rownames(x)
  mean <- family_mean(l$family, eta)
  rows <- s$rows[c(which(s$rows$part > 0), s$shape), ]
  rows$value <- found$v[c(which(s$rows$part > 0), s$shape)]
  ends <- found$ends[rows$name]
  width <- rows$upper - rows$lower
  close <- is.finite(width) & !task$fixed[rows$name] %in% TRUE
  ends[close & rows$upper - rows$value < 1e-5 * width] <- "upper"
  ends[close & rows$value - rows$lower < 1e-5 * width] <- "lower"
  vcov <- laplace_information(found, ends)
  covariance <- !seq_len(nrow(vcov)) %in% match(s$mean, s$at)
  seen <- unname(x[, keep, drop = FALSE])
  if (!isTRUE(all(rowSums((seen %*% vcov[!covariance, !covariance]) * seen) < 50^2))) # on the scale of a logit
    warn("the responses do not determine the mean: they may be separated, by the covariates or by the process, ",
         "whose variance is then large")
  fixed <- c(task$fixed, if (has_shape(l$family)) c(family.shape = !l$free_shape))
  if (has_shape(l$family) && !l$free_shape) {
    rows <- rbind(rows, other_parameters("family.shape", l$shape, 0, Inf))
    ends <- c(ends, "")
  }
  error <- sqrt(diag(vcov))[match(rows$name, rownames(vcov))]
  parameters <- data.frame(estimate = rows$value, std.error = unname(error), fixed = unname(fixed[rows$name]),
                           boundary = unname(ends), row.names = rows$name)
  coefficients <- stats::setNames(rep(NA_real_, ncol(x)), colnames(x))
  coefficients[keep] <- beta
  all <- matrix(NA_real_, ncol(x), ncol(x), dimnames = list(colnames(x), colnames(x)))
  all[keep, keep] <- vcov[!covariance, !covariance]
  rownames(vcov)[!covariance] <- colnames(vcov)[!covariance] <- colnames(x)[keep]
  warn_unfinished(found)
  known <- covariance & !is.na(diag(vcov))
  list(coefficients = coefficients, cov = p$model, parameters = parameters, vcov = all,
       vcov.cov = vcov[known, known, drop = FALSE], cross = vcov[!covariance, known, drop = FALSE],
       loglik = e$value, shape = l$shape, latent = e$w[l$place], linear.predictors = stats::setNames(eta, names),
       fitted.values = stats::setNames(mean, names),
       residuals = stats::setNames(l$y / l$trials - mean, names), metric = p$metric, converged = found$converged,
       interrupted = found$interrupted, iterations = found$iterations, evaluations = found$evaluations)
}

# The covariance matrix of the estimates by the second derivatives of the likelihood: differences of its gradient, on
# the scale of the search, over 0.002 standard errors, of which the third derivatives make a thousandth.
laplace_information <- function(found, ends) {
  s <- found$s
  t <- found$t
  p <- found$p
  names <- s$rows$name[s$at]
  none <- matrix(NA_real_, length(t), length(t), dimnames = list(names, names))
  used <- which(!nzchar(ends[names]) | s$at %in% s$mean)
  if (!length(used)) return(none)
  here <- laplace_value(t, s, p)
  by <- 0.002 / sqrt(diag(here$information))
  by[!is.finite(by) | by > 0.02] <- 0.02
  h <- vapply(used, function(i) {
    e <- laplace_value(replace(t, i, t[i] + by[i]), s, p)
    if (is.null(e$gradient)) rep(NA_real_, length(used)) else ((here$gradient - e$gradient) / by[i])[used]
  }, numeric(length(used)))
  h <- matrix(h, length(used))
  h <- (h + t(h)) / 2
  h[, diag(h) < 1e-8] <- h[diag(h) < 1e-8, ] <- NA
  none[used, used] <- inverse_or_na(h)
  jacobian <- search_point(t, s)$jacobian
  mean <- match(s$mean, s$at)
  if (length(mean))
    jacobian[mean, mean] <- backsolve(p$laplace$root, diag(length(mean)))[order(p$laplace$pivot), ]
  known <- !is.na(diag(none))
  none[known, known] <- jacobian[known, known] %*% none[known, known] %*% t(jacobian[known, known])
  none
}

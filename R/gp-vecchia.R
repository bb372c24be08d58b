# Vecchia's approximation: the density of each observation given its nearest neighbours among those before it in a
# max-min order. Locations, neighbours and data stay with the engine while a fit runs (src/gp/vecchia.h).

# `made` is the problem with order and neighbours, for evaluations alone: predictions have neighbours of their own.
vecchia_likelihood <- function(fit, ask = NULL, own = normal_request(fit, ask), made = vecchia_made(fit, own)) {
  likelihood_of_normal(
    fit, own, prepared = function() made, whiten = function() vecchia_whitened(fit, own$p, own$data),
    leave_out = function(sets = NULL) if (is.null(sets)) vecchia_loo(fit, own) else vecchia_folds(fit, sets),
    evaluate = function(p, names, profile, least) {
      if (isTRUE(own$checked)) families[[p$model$name]]$check(p$model) # an error where it is not
      vecchia_evaluate(p, fit$estimator, names, names, profile)
    },
    coefficients = vecchia_coefficients,
    best = function(p, used) vecchia_result(p, fit$estimator, used),
    hold = function(j, value) vecchia_likelihood(fit, NULL, exact_hold(own, j, value), vecchia_hold(made, j, value)),
    kriging = function(new, error) {
      found <- vecchia_local(fit, new, error)
      list(mean = found$mean, variance = if (error) found$variance + found$taken)
    },
    averages = function() vecchia_averages(fit), drawn = sum(is_known(fit)), draws = "vecchia",
    condition = function(value, left, new, normal) {
      beta <- drawn_coefficients(fit, normal)
      if (length(beta)) left <- left - own$data$X %*% beta
      list(beta = beta, value = value + vecchia_kriging(own$p, fit$m, left, new$xy)$mean)
    },
    coarse = function() if (!is.null(made$vecchia$few)) {
      made$vecchia$pointer <- made$vecchia$few
      vecchia_likelihood(fit, ask, own, made)
    },
    renewed = function(v) {
      again <- if (!is.null(ask))
        vecchia_again(made, set_parameters(own$task$model, v, own$rows), function(p, metric)
          vecchia_problem(p, own$data, if (is.null(metric$m)) fit$m else metric$m, made$vecchia$block, NULL, metric))
      if (!is.null(again)) vecchia_likelihood(fit, ask, own, again)
    },
    renews = function() made$vecchia$m < min(fit$m, fit$nobs - 1L), close = function() vecchia_close(made),
    approximation = sprintf(", Vecchia's approximation with %s%s", count_text(fit$m, "neighbour"),
                            if (fit$block > 1) sprintf(" of blocks of %d", fit$block) else ""))
}

# A new fit has a part of its neighbours for the first climbs; the neighbours of one that is there are those of its
# end.
vecchia_made <- function(fit, own) {
  if (!is.null(fit$neighbour.metric))
    return(vecchia_problem(own$p, own$data, fit$m, fit$block, NULL, fit$neighbour.metric))
  task <- own$task
  m <- min(fit$m, fit$nobs - 1)
  if (m > 4000) input_error("m", fit$m, "is more neighbours than 4000: method = \"exact\" has all")
  block <- min(fit$block, fit$nobs)
  sets <- own$p$process$vecchia
  if (block > 1 && !is.null(sets)) input_error("block", block, sprintf("must be 1 for %s", if (is_local(
    own$p$model)) "parameters that follow covariates" else "several variables"))
  if (m + block > 4000) input_error("block", block, sprintf("and %d neighbours are more than 4000 locations", m))
  if (!is.null(sets$start)) # a first search has few neighbours, as renewed ones come after it
    return(vecchia_problem(own$p, own$data, if (length(task$free)) min(m, few_neighbours) else m, 1, NULL,
                           sets$start(own$p, task$free)))
  vecchia_problem(own$p, own$data, fit$m, block, if (length(task$free)) few_neighbours,
                  vecchia_start_metric(own$p, task$unknown))
}

# The problem with locations for one evaluation after the other; `few` of m neighbours serve a first search. Distances
# of neighbours are those of `metric`, see vecchia_metric().
vecchia_problem <- function(p, data, m, block = 1, few = NULL, metric = vecchia_metric(p)) {
  x <- vecchia_coordinates(p, metric)
  m <- max(min(m, nrow(x) - 1L), 1L)
  sets <- if (block > 1) gp_blocks(x, block, m) else ordered_neighbours(p, metric, m)
  v <- list(n = nrow(x), m = m, block = block, metric = metric, y = data$y, order = sets$order, ends = sets$ends)
  if (!is.null(data$X)) {
    # coefficients are counted from those of least squares, in an orthonormal basis of the covariates, both with
    # observations in units of their variables: else rounding errors of one would be large ones of another
    unit <- if (is_several(p$model)) observation_units(p, data$y) else 1
    qr <- qr(data$X / unit)
    v$basis <- unit * qr.Q(qr)
    v$root <- qr.R(qr)
    v$pivot <- qr$pivot
    v$least <- qr.coef(qr, data$y / unit)
    v$y <- unit * qr.resid(qr, data$y / unit)
  }
  by_members <- !is.null(p$process$vecchia)
  near <- if (block > 1) vecchia_nearest_of_all(p)
          else if (!by_members) vecchia_nearest(p, v$order, sets$members)
  own <- if (block > 1) as.integer(block) else 0L
  make <- function(m) {
    rows <- seq_len(nrow(sets$members))
    if (by_members) return(sets$members[rows <= m, , drop = FALSE])
    members <- sets$members[rows <= m | rows > v$m, , drop = FALSE]
    spread_of(vecchia_make(p, v$order, cbind(v$y, v$basis), members, near, own))
  }
  if (by_members) p$process$shared <- p$shared <- NULL # what evaluations do not take
  v$pointer <- make(m)
  if (!is.null(few) && few < m) v$few <- make(few)
  p$vecchia <- v
  p
}

vecchia_make <- function(p, order, columns, members, near, own = 0L) {
  error <- if (any(p$error != 0)) rep_len(as.double(p$error), nrow(p$xy))[order]
  .Call(C_vecchiaMake, engine_among(p$xy[order, , drop = FALSE], NULL, p$metric, p$engine), error,
        columns[order, , drop = FALSE],
        list(members = members, block = own, nearest = near))
}

# The map of coordinates in which neighbours are nearest, and what a unit of time is worth in space: by the model, of
# a sum by the part of the largest variance.
vecchia_metric <- function(p) {
  if (!is.null(p$process$vecchia)) return(p$process$vecchia$metric(p))
  variance <- vapply(p$parts, function(part) as.double(part$variance), 0)
  part <- p$parts[[if (anyNA(variance)) 1L else which.max(variance)]]
  space <- if (is.null(part$space)) part else part$space
  timed <- has_time(p$parts)
  time <- if (!timed) 1 else if (is.list(part$time)) part$time$range else part$time
  list(map = if (p$metric$kind == "euclidean") anisotropy(space, p$metric$dim),
       time = if (timed) space$range / as.double(time)[1L])
}

# Where the model's own numbers are to be found: by the sides of the box around the locations.
vecchia_start_metric <- function(p, unknown) {
  metric <- vecchia_metric(p)
  side <- apply(p$xy, 2L, function(v) max(diff(range(v)), .Machine$double.xmin))
  space <- side[seq_len(p$metric$dim)]
  rows <- parameter_names(p$parts)
  wanted <- rows$base[rows$name %in% unknown]
  if ("scales" %in% wanted) metric$map <- diag(max(space) / space, length(space))
  else if (any(c("angle", "ratio") %in% wanted)) metric["map"] <- list(NULL)
  if (!is.null(metric$time) && any(c("range", "scales") %in% wanted))
    metric$time <- max(space) * (if (p$metric$kind == "euclidean") 1 else pi / 180 * p$metric$radius) /
      side[length(side)]
  metric
}

vecchia_coordinates <- function(p, metric) {
  x <- space_points(p$xy, p$metric)
  if (!is.null(metric$map)) x <- x %*% t(metric$map)
  if (is.null(metric$time)) x else cbind(x, metric$time * p$xy[, ncol(p$xy)])
}

# The least positive distance between two locations.
vecchia_nearest_of_all <- function(p) {
  least <- attr(gp_neighbours(space_points(p$xy, p$metric), 1L), "least")
  if (is.finite(least)) least else 0
}

# The least positive distance between a location and its neighbours, which bounds those among these: of two that are
# nearer to each other the later one has the earlier one, or what is nearer, among its own.
vecchia_nearest <- function(p, order, neighbours, ahead = 0) {
  xy <- space_points(p$xy[order, , drop = FALSE], p$metric)
  least <- Inf
  left <- seq_len(ncol(neighbours))
  for (k in seq_len(nrow(neighbours))) {
    left <- left[!is.na(neighbours[k, left])]
    if (!length(left)) break
    d <- rowSums((xy[ahead + left, , drop = FALSE] - xy[neighbours[k, left], , drop = FALSE])^2)
    least <- min(least, d[d > 0])
    left <- left[d == 0] # several observations at one location
  }
  if (is.finite(least)) sqrt(least) else 0
}

# The sums of one evaluation: the log determinant, products of the whitened data, and for the parameters that are
# named derivatives of these and the information, but for that of two parameters of one family, which is 0.
vecchia_sums <- function(p, names = character()) {
  if (!is.null(p$process$vecchia)) return(p$process$vecchia$sums(p, names))
  plan <- slope_plan(p, names)
  e <- NULL
  for (k in unique(c(1, plan$pass))) { # each has one parameter of a family
    at <- which(plan$pass == k | k > 1 & plan$own == 0)
    found <- vecchia_pass(p, plan$engine, plan$wants[at])
    if (found$bad > 0) return(found)
    if (is.null(e)) {
      e <- found[c("bad", "log_det", "gram")]
      e$slopes <- vector("list", length(names))
      if (length(names)) e$information <- matrix(0, length(names), length(names))
    }
    e$slopes[at] <- found$slopes
    if (length(at)) e$information[at, at] <- found$information
  }
  e
}

# The same from the sums of src/covariance/given_sets.h over k columns, with `count` parameters.
set_sums <- function(found, k, contrast, count) {
  if (found[[2L]] > 0) return(list(bad = found[[2L]]))
  one <- function(j) {
    s <- found[[1L]][j * (1 + k^2) + seq_len(1 + k^2)]
    gram <- matrix(s[-1L], k)
    list(log_det = s[1L], gram = if (is.null(contrast)) gram else crossprod(contrast, gram %*% contrast))
  }
  c(list(bad = 0), one(0), list(slopes = lapply(seq_len(count), one), information = matrix(
    found[[1L]][(count + 1) * (1 + k^2) + seq_len(count^2)], count)))
}

vecchia_pass <- function(p, engine, wants) {
  found <- vecchia_total(p$vecchia$pointer, engine, c(list(list("none", 0L, NULL)), wants), model_nugget(p$model))
  if (found[[2L]] > 0) return(list(bad = found[[2L]]))
  s <- found[[1L]]
  at <- 1L
  take <- function(count) {
    at <<- at + count
    s[at - count + seq_len(count)]
  }
  symmetric <- function(k) { # the lower triangle by rows
    m <- matrix(0, k, k)
    m[upper.tri(m, TRUE)] <- take(k * (k + 1L) / 2L)
    m[lower.tri(m)] <- t(m)[lower.tri(m)]
    m
  }
  k <- 1L + NCOL(p$vecchia$basis) * !is.null(p$vecchia$basis)
  contrast <- p$vecchia$contrast
  products <- function() if (is.null(contrast)) symmetric(k) else crossprod(contrast, symmetric(k) %*% contrast)
  e <- list(bad = 0, log_det = 2 * take(1L), gram = products())
  e$slopes <- lapply(wants, function(w) list(log_det = 2 * take(1L), gram = products()))
  if (length(wants)) e$information <- symmetric(length(wants))
  e
}

# As gp_evaluate(); the information is the expected one of maximum likelihood.
vecchia_evaluate <- function(p, estimator, slopes = NULL, informs = NULL, profile = FALSE) {
  names <- union(slopes, informs)
  v <- p$vecchia
  e <- vecchia_sums(p, names)
  if (e$bad > 0) return(list(value = -Inf, bad = e$bad))
  n <- v$n
  log_det <- e$log_det
  rss <- e$gram[1L, 1L]
  contrast <- 1
  inverse <- NULL
  if (nrow(e$gram) > 1L) {
    root <- chol(e$gram[-1L, -1L, drop = FALSE])
    own <- backsolve(root, e$gram[-1L, 1L], transpose = TRUE)
    rss <- rss - sum(own^2)
    shift <- backsolve(root, own)
    contrast <- c(1, -shift)
    inverse <- chol2inv(root)
    if (estimator == "REML") {
      n <- n - ncol(root)
      log_det <- log_det + 2 * sum(log(diag(root))) + 2 * sum(log(abs(diag(v$root))))
    }
  }
  scale <- if (profile) rss / n else 1
  found <- list(value = -(n * log(2 * pi * scale) + log_det + rss / scale) / 2, bad = 0, scale = scale)
  if (!is.null(inverse)) {
    found$beta <- v$least
    found$beta[v$pivot] <- v$least[v$pivot] + backsolve(v$root, shift)
    half <- backsolve(v$root, t(backsolve(v$root, inverse)))
    found$vcov <- half[order(v$pivot), order(v$pivot), drop = FALSE] * scale
  }
  if (length(slopes))
    found$gradient <- vapply(stats::setNames(e$slopes[match(slopes, names)], slopes), function(s) {
      taken <- if (estimator == "REML" && !is.null(inverse)) sum(inverse * s$gram[-1L, -1L]) else 0
      -(s$log_det + taken + drop(contrast %*% s$gram %*% contrast) / scale) / 2
    }, 0)
  if (length(informs)) {
    information <- e$information
    if (profile) {
      scaled <- vapply(e$slopes, `[[`, 0, "log_det") / 2
      information <- rbind(cbind(information, scaled), c(scaled, v$n / 2))
    }
    found$information <- without_scale(information, names, profile)[informs, informs, drop = FALSE]
  }
  found
}

# As exact_coefficients(), without `moves`: the covariances of the derivatives of the coefficients are not known.
vecchia_coefficients <- function(p, names) {
  v <- p$vecchia
  e <- vecchia_sums(p, names)
  if (e$bad > 0) gp_indefinite_error(p, e$bad)
  inverse <- chol2inv(chol(e$gram[-1L, -1L, drop = FALSE]))
  own <- backsolve(v$root, diag(ncol(v$root)))[order(v$pivot), , drop = FALSE]
  list(beta = v$least + drop(own %*% inverse %*% e$gram[-1L, 1L]), vcov = own %*% tcrossprod(inverse, own),
       slopes = lapply(e$slopes, function(s) -own %*% inverse %*% s$gram[-1L, -1L] %*% tcrossprod(inverse, own)))
}

# The problem with coefficient j held at a value: of y less that times its covariate, and of the other covariates.
# With T, of which the columns are these in terms of the columns of the locations, products are T' G T.
vecchia_hold <- function(p, j, value) {
  v <- p$vecchia
  r <- v$root[, order(v$pivot), drop = FALSE]
  own <- qr(r[, -j, drop = FALSE])
  v$contrast <- rbind(c(1, numeric(own$rank)), cbind(r[, j] * (v$least[j] - value), qr.Q(own)[, seq_len(own$rank)]))
  v$least <- v$least[-j]
  v$root <- qr.R(own)
  v$pivot <- own$pivot
  p$vecchia <- v
  p
}

# Would neighbours be others by the model that was found? Then the problem that is made of their metric, or NULL.
vecchia_again <- function(p, model, make) {
  now <- gp_at(p, model)
  other <- p$process$vecchia$other
  metric <- if (is.null(other)) vecchia_other_metric(now) else other(now)
  if (is.null(metric)) return(NULL)
  vecchia_close(p)
  make(now, metric)
}

# The metric of the model of p where neighbours are others by that, or NULL.
vecchia_other_metric <- function(p) {
  metric <- vecchia_metric(p)
  whole <- function(m) { # the time is a last axis
    a <- diag(c(rep(1, p$metric$dim), m$time), p$metric$dim + length(m$time))
    if (!is.null(m$map)) a[seq_len(p$metric$dim), seq_len(p$metric$dim)] <- m$map
    a
  }
  d <- svd(whole(metric) %*% solve(whole(p$vecchia$metric)))$d
  if (max(d) > 2 * min(d)) metric
}

# Gives the memory back, of the host and of devices.
vecchia_close <- function(p) for (pointer in p$vecchia[c("pointer", "few")]) if (is_spread(pointer))
  spread_close(pointer) else if (!is.null(pointer) && !is.matrix(pointer)) .Call(C_vecchiaFree, pointer)

few_neighbours <- 10L

# What is known at the maximum.
vecchia_result <- function(p, estimator, used) {
  e <- vecchia_evaluate(p, estimator, informs = used)
  if (e$bad > 0) {
    last <- if (is.null(p$vecchia$ends)) e$bad else p$vecchia$ends[e$bad]
    at <- p$vecchia$order[seq_len(last)]
    p$rows <- if (is.null(p$rows)) at else p$rows[at]
    p$xy <- p$xy[at, , drop = FALSE]
    gp_indefinite_error(p, last)
  }
  several <- is.null(p$process$vecchia) && any(slope_plan(p, used)$pass > 1) ||
    estimator == "REML" && !is.null(e$beta)
  list(beta = e$beta, vcov = e$vcov, loglik = e$value,
       information = if (several) observed_information(p, estimator, used) else e$information, m = p$vecchia$m,
       block = p$vecchia$block, neighbour.metric = p$vecchia$metric)
}

# Differences of the gradient, for two parameters of one family and for restricted likelihoods.
observed_information <- function(p, estimator, used) {
  rows <- cov_parameters(p$parts)
  gradient <- function(v) vecchia_evaluate(gp_at(p, set_parameters(p$model, v, rows)), estimator, used)$gradient
  h <- vapply(used, function(name) {
    at <- match(name, rows$name)
    by <- 1e-4 * (abs(rows$value[at]) + (rows$value[at] == 0)) # errors of 1e-8, and of 1e-12 gradient
    v <- rows$value
    move <- function(side) gradient(replace(v, at, v[at] + side * by))
    (move(-1) - move(1)) / (2 * by)
  }, numeric(length(used)))
  (h + t(h)) / 2
}

# Observations for which a matrix is factorised by default, if the memory is there: an evaluation takes some seconds
# of one thread.
most_exact_fit <- 5000

# ---- kriging from the nearest neighbours ----

# What the m nearest observations predict of each column at new locations, and the variance of the process given
# these; with groups only from observations of other groups. With `responses` new locations are those of observations
# that were left out, with these variances of errors, which may be correlated with those of other variables there.
# Chunks of new locations bound the memory; workers have one each, where values do not depend on which.
vecchia_kriging <- function(p, m, columns, xy, group = NULL, data_group = NULL, responses = NULL) {
  n <- nrow(xy)
  chunk <- max(2^18, nrow(p$xy))
  parts <- if (cellwise(p) && n <= chunk * 8) cluster_parts(n, 2000, 1)
  if (length(parts) < 2L) parts <- chunks(n, chunk)
  parts <- lapply(parts, function(at) list(xy = xy[at, , drop = FALSE], group = group[at],
                                           responses = responses[at]))
  value <- do.call(rbind, c(list(matrix(0, 0L, 1L + ncol(columns))),
                            cluster_apply(parts, "kriging_chunk", p, m, columns, data_group)))
  if (any(value[, 1L] == -Inf))
    raise_engine_error("input", sprintf(paste(
      "the covariance matrix of the neighbours of location %d is not positive definite to working precision:",
      "fewer neighbours, a nugget or a smaller smoothness may be needed"), which(value[, 1L] == -Inf)[1L]))
  list(variance = pmax(value[, 1L], 0), mean = value[, -1L, drop = FALSE])
}

# Have tables of the covariance the same cells whatever their ends?
cellwise <- function(p) is.null(p$process$vecchia) &&
  !any(vapply(p$engine, `[[`, "", "function") %in% c("source", "wendland"))

kriging_chunk <- function(new, p, m, columns, data_group) {
  p$responses <- new$responses
  neighbours <- nearest_observations(p, new$xy, m, new$group, data_group)
  given_neighbours(p, new$xy, columns, neighbours, nrow(p$xy), FALSE)
}

nearest_observations <- function(p, xy, m, ...) {
  if (!is.null(p$process$vecchia$nearest)) return(p$process$vecchia$nearest(p, xy, m, ...))
  metric <- vecchia_metric(p)
  data <- vecchia_coordinates(p, metric)
  p$xy <- xy
  key <- list(vecchia_coordinates(p, metric), data, min(m, nrow(data)), ...)
  if (!is.null(session$near) && identical(session$near$key, key)) return(session$near$value)
  value <- do.call(gp_neighbours_among, key)
  if (!is.null(session$near)) session$near <- list(key = key, value = value)
  value
}

# The process at locations after those of p given their neighbours, from the location `ahead` + 1 on: in each row the
# variance, and predictions of columns of the observations or, with `weights`, those of the neighbours.
given_neighbours <- function(p, xy, columns, neighbours, ahead, weights) {
  p$error <- c(rep_len(p$diagonal, nrow(p$xy)), if (is.null(p$responses)) numeric(nrow(xy)) else p$responses)
  p$observed <- nrow(p$xy) + length(p$responses)
  p$xy <- rbind(p$xy, xy)
  if (!is.null(p$process$vecchia)) return(p$process$vecchia$rows(
    p, p$error, rbind(columns, matrix(0, nrow(xy), ncol(columns))), neighbours, weights))
  all <- seq_len(nrow(p$xy))
  pointer <- vecchia_make(p, all, rbind(columns, matrix(0, nrow(xy), ncol(columns))), neighbours,
                          vecchia_nearest(p, all, neighbours, ahead))
  on.exit(.Call(C_vecchiaFree, pointer))
  .Call(C_vecchiaPredict, pointer, p$engine, 0, weights)
}

# Predictions with the coefficients of the fit from the neighbours of each new location, twice as many as those of the
# fit, since gaps in the data are filled from their borders, unless these are chosen; their variances, and what the
# neighbours leave of the covariates. With `rules` for averages over areas a list of the same for each of them, see
# vecchia_areas().
vecchia_local <- function(object, new, error, group = NULL, data_group = NULL, rules = NULL, responses = NULL) {
  p <- fit_problem(object)
  data <- fitted_data(object)
  residuals <- as.vector(data$y) - linear(known_design(object), object$coefficients)
  columns <- cbind(residuals, if (error) data$X)
  m <- object$m * if (is.null(p$process$vecchia$nearest)) 2L else 1L
  whole <- function(found) {
    short <- if (error) new$X - found$mean[, -1L, drop = FALSE]
    list(mean = mean_at(object, new) + found$mean[, 1L], variance = found$variance,
         taken = if (error) mean_variance(object, short))
  }
  if (is.null(rules)) whole(vecchia_kriging(p, m, columns, new$xy, group, data_group, responses))
  else lapply(vecchia_areas(p, m, columns, new, rules), whole)
}

# As exact_folds(): by the coefficients of each fit of the others, with the covariance parameters of this one.
vecchia_folds <- function(fit, sets) {
  mean <- sd <- rep(NaN, fit$nobs)
  rows <- cluster_apply(sets, "vecchia_fold", bare_fit(fit))
  for (k in seq_along(sets)) {
    mean[sets[[k]]] <- rows[[k]]$mean
    sd[sets[[k]]] <- rows[[k]]$sd
  }
  list(mean = mean, sd = sd)
}

# What cross-validation needs of a fit.
bare_fit <- function(fit) fit[c("coefficients", "cov", "parameters", "vcov", "metric", "estimator", "method", "m",
                                "block", "penalty", "nobs", "neighbour.metric", "y", "X", "offset", "x",
                                "error.variance", if (!is.null(fit$local)) "local")]

vecchia_fold <- function(at, fit) {
  less <- fit_without(fit, fit$y, at, TRUE)
  known <- fit$error.variance
  nugget <- process_of(fit$cov)$nugget(list(model = fit$cov, metric = fit$metric), less$new$xy)
  found <- vecchia_left_out(less$fit, less$new, nugget + if (is.null(known)) 0 else known[at])
  variance <- found$variance + found$taken
  lapply(list(mean = found$mean, sd = sqrt(variance)), replace, less$unknown, NaN)
}

# Predictions of observations from others, their variances with those of their errors, `errors`.
vecchia_left_out <- function(fit, new, errors, group = NULL) {
  if (is.matrix(fit$cov$nugget)) return(vecchia_local(fit, new, TRUE, group, group, responses = errors))
  found <- vecchia_local(fit, new, TRUE, group, group)
  found$variance <- found$variance + errors
  found
}

# As exact_loo(). With row i of the precision Q by the neighbours, of 1 - h the share that is left of Q_ii when the
# coefficients are estimated without the observation, the error grows by 1/(1 - h), and its variance as well.
vecchia_loo <- function(fit, own) {
  each <- seq_len(fit$nobs)
  found <- vecchia_left_out(fit, observed_places(fit), nugget_at(own$p, own$p$xy) + own$p$error, each)
  variance <- found$variance
  h <- pmin(found$taken / variance, 0.999)
  X <- own$data$X
  if (!is.null(X)) h[rowSums(qr.Q(qr(X))^2) > 1 - 1e-10] <- NaN # nothing else tells of a coefficient
  residual <- (unname(as.double(fit$y)) - found$mean) / (1 - h)
  list(mean = unname(as.double(fit$y)) - residual, sd = sqrt(variance / (1 - h)), residual = residual,
       leverage = ifelse(is.nan(h), 1, h))
}

# Standardised errors of the predictions of the response and of covariates from the neighbours before them.
vecchia_whitened <- function(fit, p, data) {
  sets <- ordered_neighbours(p, vecchia_metric(p), fit$m)
  order <- sets$order
  p$error <- p$diagonal
  columns <- cbind(data$y, data$X)
  found <- if (!is.null(p$process$vecchia)) {
    p$xy <- p$xy[order, , drop = FALSE]
    p$process$vecchia$rows(p, p$error[order], columns[order, , drop = FALSE], sets$members, FALSE)
  } else .Call(C_vecchiaPredict, vecchia_make(p, order, columns, sets$members, vecchia_nearest(
    p, order, sets$members)), p$engine, 0, FALSE)
  white <- columns
  white[order, ] <- (columns[order, , drop = FALSE] - found[, -1L]) / sqrt(found[, 1L])
  w <- list(y = white[, 1L], X = white[, -1L, drop = FALSE], n = nrow(white))
  w$z <- w$y - linear(w$X, fit$coefficients)
  if (ncol(w$X)) w$q <- qr.Q(qr(w$X, tol = 1e-14))
  w
}

# ---- simulation ----

# As joint_draws(): values at new locations in a max-min order, each given its neighbours among the points and those
# before it.
vecchia_draws <- function(p, residuals, xy, normal, m) {
  n <- nrow(p$xy)
  if (!nrow(xy)) return(normal)
  set <- p$process$vecchia$drawn
  set <- if (is.null(set)) drawn_neighbours(p, xy, m) else set(p, xy, m)
  order <- set$order
  field <- rbind(residuals, normal[order, , drop = FALSE])
  chunk <- 2^20
  for (first in n + (seq_len(ceiling(nrow(xy) / chunk)) - 1) * chunk) {
    last <- min(first + chunk, n + nrow(xy))
    neighbours <- set$neighbours(first, last)
    rows <- given_neighbours(p, xy[order[seq_len(last - n)], , drop = FALSE], matrix(0, n, 0L), neighbours, first,
                             TRUE)
    if (any(rows[, 1L] == -Inf)) {
      if (n + nrow(xy) <= 3000) return(joint_draws(p, residuals, xy, normal))
      raise_engine_error("input", paste(
        "the covariance matrix of neighbours is not positive definite to working precision:",
        "fewer of them, or method = \"exact\" or \"tbrf\", may serve"))
    }
    field[seq_len(last), ] <- .Call(C_vecchiaFill, rows, neighbours, field[seq_len(last), , drop = FALSE])
  }
  value <- normal
  value[order, ] <- field[n + seq_len(nrow(xy)), , drop = FALSE]
  value
}

# The order of new places, and a function that gives the neighbours, among the points and new places before, of those
# that come after `first` of all, up to `last`.
drawn_neighbours <- function(p, xy, m) {
  metric <- vecchia_metric(p)
  new <- p
  new$xy <- xy
  new <- vecchia_coordinates(new, metric)
  order <- gp_ordering(new)
  both <- rbind(vecchia_coordinates(p, metric), new[order, , drop = FALSE])
  list(order = order, neighbours = function(first, last)
    gp_neighbours(both[seq_len(last), , drop = FALSE], max(min(m, last - 1L), 1L), first + 1))
}

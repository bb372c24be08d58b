# The exact likelihood of normal responses, by a factor of the covariance matrix of all observations.

exact_likelihood <- function(fit, ask = NULL, own = exact_request(fit, ask)) {
  own$p$kept <- new.env() # of slope_plan()
  whiten <- function() {
    on.exit(.Call(C_gpForget))
    gp_solved(own$p, own$data)
  }
  leave_out <- function(sets = NULL) if (is.null(sets)) exact_loo(fit, own) else exact_folds(fit, own, sets)
  likelihood_of_normal(
    fit, own, whiten = whiten, leave_out = leave_out,
    evaluate = function(p, names, profile, least) {
      if (isTRUE(own$checked)) families[[p$model$name]]$check(p$model) # an error where it is not
      # the value alone, of few data at once
      if (identical(least, Inf) && length(p$diagonal) <= most_on_grid && p$process$packed) {
        value <- exact_values(p, own$data, fit$estimator, p$diagonal, matrix(c(0, 1)), 1, profile)
        return(list(value = if (is.nan(value)) -Inf else value, bad = 0))
      }
      gp_evaluate(p, own$data, fit$estimator, names, names, "average", profile, least)
    },
    best = function(p, used) exact_result(p, own$data, fit$estimator, used),
    along = if (own$p$process$packed) function(p, factor, nugget, profile, engine = p$engine)
      exact_along(p, own$data, fit$estimator, factor, nugget, profile, engine),
    hold = function(j, value) exact_likelihood(fit, own = exact_hold(own, j, value)),
    coefficients = function(p, names) exact_coefficients(p, own$data, names),
    kriging = function(new, error) exact_predictions(fit, own$p, own$data, new, error),
    averages = function() exact_averages(fit, own$p, own$data),
    condition = function(value, left, new, normal) {
      krige <- gp_solved(own$p, list(y = left, X = own$data$X))
      list(beta = krige$beta,
           value = add_kriging(value, own$p, krige$weights, new$xy))
    })
}

exact_request <- function(fit, ask) {
  own <- normal_request(fit, ask)
  if (!is.null(ask)) gp_memory(length(fit$y), length(own$task$free) > 0L, packed = !is_several(own$p$model))
  own
}

# With coefficient j held at a value.
exact_hold <- function(own, j, value) {
  X <- own$data$X
  own$data$y <- own$data$y - value * X[, j]
  own$data["X"] <- list(if (ncol(X) > 1L) X[, -j, drop = FALSE])
  own
}

exact_result <- function(p, data, estimator, used) {
  on.exit(.Call(C_gpForget))
  w <- gp_solved(p, data, estimator)
  list(beta = w$beta, vcov = if (!is.null(w$root)) chol2inv(w$root), kriging = drop(w$weights),
       loglik = -(w$n * log(2 * pi) + w$log_det + sum(w$z^2)) / 2,
       information = if (!length(used)) NULL
                     else if (w$n <= 500) gp_expected(p, w$factor, if (estimator == "REML") w$q, used, FALSE)
                     else gp_average(p, w$factor, w$z, w$q, used, FALSE))
}

# The coefficients `beta`, their covariance matrix C = inv(X' inv(S) X), `vcov`, its derivatives by the parameters
# that are named, C X' inv(S) S_i inv(S) X C, and `moves`, whose products are the covariances of the derivatives of
# the coefficients, C X' inv(S) S_i P S_j inv(S) X C.
exact_coefficients <- function(p, data, names) {
  on.exit(.Call(C_gpForget))
  w <- gp_whiten(p, data)
  if (w$bad > 0) gp_indefinite_error(p, w$bad)
  half <- backsolve(w$root, diag(ncol(w$root)))[order(w$qr$pivot), , drop = FALSE]
  found <- list(beta = w$beta, vcov = tcrossprod(half), slopes = list(), moves = list())
  if (!length(names)) return(found)
  passes <- gp_passes(p, names)
  u <- gp_solve(w$factor, w$q, TRUE)
  # inv(L) S_i inv(L') q, a column for each parameter
  moved <- lapply(seq_len(ncol(u)), function(k) gp_solve(w$factor, gp_slopes(p, u[, k], names, passes), FALSE))
  for (i in seq_along(names)) {
    a <- vapply(moved, function(m) m[, i], numeric(nrow(u)))
    inside <- crossprod(w$q, a)
    found$slopes[[i]] <- half %*% tcrossprod(inside, half)
    found$moves[[i]] <- tcrossprod(a - w$q %*% inside, half)
  }
  found
}

# One evaluation at the parameters of p: `value`, the coefficients `beta` and the `scale`, and if they are wanted, for
# the parameters that are named, the gradient and the information. With `profile`, the covariances are those of p
# times a scale, of which the value is the maximum. What comes after a value below `least` is not computed. `bad` is
# the row from which the matrix is not positive definite, or 0.
gp_evaluate <- function(p, data, estimator, slopes = NULL, informs = NULL, kind = "average", profile = FALSE,
                        least = -Inf) {
  on.exit(.Call(C_gpForget))
  w <- gp_whiten(p, data, estimator)
  if (w$bad > 0) return(list(value = -Inf, bad = w$bad))
  scale <- if (profile) sum(w$z^2) / w$n else 1
  value <- -(w$n * log(2 * pi * scale) + w$log_det + sum(w$z^2) / scale) / 2
  e <- list(value = value, bad = 0, beta = w$beta, scale = scale)
  if (length(slopes) + length(informs) == 0L || !isTRUE(value > least)) return(e)
  factor <- w$factor
  q <- w$q
  z <- w$z / sqrt(scale)
  passes <- gp_passes(p, if (length(slopes)) slopes else informs) # the same, if both are wanted
  if (length(informs)) e$information <- switch(
    kind, average = gp_average(p, factor, z, q, informs, profile, passes),
    expected = gp_expected(p, factor, if (estimator == "REML") q, informs, profile))
  if (!length(slopes)) return(e)
  # (a' dS a - tr(P dS))/2 for a = inv(S) r and P = inv(S), of the restricted likelihood less B B' with
  # B B' = inv(S) X inv(X' inv(S) X) X' inv(S)
  u <- gp_solve(factor, cbind(z, if (estimator == "REML") q), TRUE)
  e$gradient <- gp_contract(p, gp_weights(factor, u), slopes, passes) / 2
  e
}

# Values, as gp_evaluate() has them, with all variances times each factor and each nugget in place of that of p; of
# several sets of parameters each has as many of these.
exact_along <- function(p, data, estimator, factor, nugget, profile, engine = p$engine)
  exact_values(p, data, estimator, p$error, rbind(nugget, 1) / rep(factor, each = 2L), factor, profile, engine)

# Those of matrices S whose diagonals get the errors times the second of the numbers in each column of `shifts` and
# the first besides, times the factor.
exact_values <- function(p, data, estimator, errors, shifts, factor, profile, engine = p$engine) {
  n <- length(data$y)
  found <- .Call(C_gpDiagonals, engine_among(p$xy, NULL, p$metric, engine), as.double(errors), shifts,
                 cbind(data$y, data$X))
  log_det <- found[1L, ]
  if (estimator == "REML" && !is.null(data$X)) {
    n <- n - ncol(data$X)
    log_det <- log_det + found[3L, ]
  }
  if (profile) -(n * log(2 * pi * found[2L, ] / n) + log_det + n) / 2
  else -(n * log(2 * pi * factor) + log_det + found[2L, ] / factor) / 2
}

# The model in which observations are independent with variance 1: `y` and `X` are inv(L) times those of data, with
# the `factor` L of the covariance matrix, `qr` decomposes X into `q` and `root`, `beta` and `z` are coefficients and
# residuals, of each column where y is a matrix; the number `n` of independent residuals and the `log_det` belong to
# the estimator.
gp_whiten <- function(p, data, estimator = "ML") {
  f <- gp_factor(p)
  if (f[[3L]] > 0) return(list(bad = f[[3L]]))
  own <- seq_len(NCOL(data$y))
  whitened <- gp_solve(f[[1L]], cbind(data$y, data$X), FALSE)
  w <- list(bad = 0, factor = f[[1L]], X = whitened[, -own, drop = FALSE], n = nrow(whitened), log_det = f[[2L]])
  w$y <- w$z <- whitened[, own, drop = is.null(dim(data$y))]
  if (!ncol(w$X)) return(w)
  w[c("qr", "beta", "z", "q", "root")] <- if (ncol(w$X) == 1L) by_one_column(w$X, w$y) else {
    qr <- qr(w$X, tol = 1e-14)
    list(qr, qr.coef(qr, w$y), qr.resid(qr, w$y), qr.Q(qr), qr.R(qr))
  }
  if (estimator == "REML") {
    w$n <- w$n - ncol(w$X)
    w$log_det <- w$log_det + 2 * sum(log(abs(diag(w$root))))
  }
  w
}

# What qr() gives of a matrix with one column takes more time than the likelihood of few data.
by_one_column <- function(X, y) {
  unit <- max(abs(X))
  root <- unit * sqrt(sum((X / unit)^2))
  q <- X / root
  along <- crossprod(q, y)
  list(list(pivot = 1L), if (is.matrix(y)) along / root else drop(along) / root, if (is.matrix(y)) y - q %*% along
       else y - drop(q) * drop(along), q, matrix(root))
}

# The same, or an error, with the weights inv(S) (y - X beta) of kriging, a column for each of y.
gp_solved <- function(p, data, estimator = "ML") {
  w <- gp_whiten(p, data, estimator)
  if (w$bad > 0) gp_indefinite_error(p, w$bad)
  w$weights <- gp_solve(w$factor, cbind(w$z), TRUE)
  w
}

# Average information of Gilmour, Thompson and Cullis (1995), a' dS P dS a / 2: the mean of what is observed and what
# is expected, but for terms of mean 0. A scale takes its part away.
gp_average <- function(p, factor, z, q, names, profile, passes = gp_passes(p, names)) {
  a <- drop(gp_solve(factor, cbind(z), TRUE))
  v <- gp_solve(factor, gp_slopes(p, a, names, passes), FALSE)
  if (profile) v <- cbind(v, z)
  if (!is.null(q)) v <- v - q %*% crossprod(q, v)
  without_scale(crossprod(v) / 2, names, profile)
}

# tr(P dS P dS)/2. With G = inv(L) dS inv(L)' it is a sum of products.
gp_expected <- function(p, factor, q, names, profile) {
  g <- lapply(names, function(name) {
    slope <- gp_solve(factor, t(gp_solve(factor, gp_matrix(p, name), FALSE)), FALSE)
    if (!is.null(q)) {
      slope <- slope - q %*% crossprod(q, slope)
      slope <- slope - tcrossprod(slope %*% q, q)
    }
    slope
  })
  if (profile) g <- c(g, list(diag(nrow(p$xy)) - if (!is.null(q)) tcrossprod(q) else 0))
  k <- length(g)
  information <- matrix(0, k, k)
  for (i in seq_len(k)) for (j in seq_len(i)) information[i, j] <- information[j, i] <- sum(g[[i]] * g[[j]]) / 2
  without_scale(information, names, profile)
}

without_scale <- function(information, names, profile) {
  k <- seq_along(names)
  if (profile)
    information <- information[k, k, drop = FALSE] - tcrossprod(information[k, length(k) + 1L]) /
      information[length(k) + 1L, length(k) + 1L]
  dimnames(information) <- list(names, names)
  information
}

# Products of derivatives of the matrix and a vector, a column for each parameter.
gp_slopes <- function(p, a, names, passes) {
  if (!p$process$packed) return(p$process$slopes(p, a, names, passes))
  value <- matrix(0, length(a), length(names))
  for (pass in passes) {
    value[, pass$at] <- .Call(C_gpSlopes, engine_among(p$xy, NULL, p$metric, pass$parts), pass$wants, cbind(a))
    value[, pass$at[pass$nugget]] <- a
  }
  value
}

# The sums over the packed weights times the derivatives of the matrix.
gp_contract <- function(p, weights, names, passes) {
  if (!p$process$packed) return(p$process$contract(p, weights, names, passes))
  if (is.matrix(weights)) return(lapack_contract(p, weights, names))
  value <- stats::setNames(numeric(length(names)), names)
  for (pass in passes)
    value[pass$at] <- .Call(C_gpContract, weights, engine_among(p$xy, NULL, p$metric, pass$parts), pass$wants)
  value
}

# Derivatives in as few passes over the pairs of points as there may be: one takes a parameter of the family for each
# part, `own` being the number of this part, and maps only where a derivative needs them. Where matrices are R's, an
# environment that keeps them from one pass to the next, up to some 200 MB.
gp_passes <- function(p, names) {
  if (!p$process$packed) return(if (nrow(p$xy) <= 4000L) new.env())
  plan <- slope_plan(p, names)
  lapply(unique(plan$pass), function(k) list(at = which(plan$pass == k), wants = plan$wants[plan$pass == k],
                                             nugget = plan$nugget[plan$pass == k],
                                             parts = if (k == 1) plan$engine else p$engine))
}

# What does not depend on values is made once for a likelihood, which `kept` is of.
slope_plan <- function(p, names) {
  plan <- p$kept[[paste(names, collapse = " ")]]
  if (is.null(plan)) {
    plan <- new_slope_plan(p, names)
    if (!is.null(p$kept)) p$kept[[paste(names, collapse = " ")]] <- plan
  } else for (i in plan$turned) plan$wants[[i]][[3L]] <- anisotropy(
    model_inside(p$parts[[plan$rows$part[i]]], plan$rows$inside[i]), p$metric$dim, deriv = plan$rows$base[i],
    axis = plan$rows$element[i])
  plan$engine <- if (!length(plan$turned)) p$engine
                 else engine_parts(p$parts, lapply(p$parts, anisotropy, p$metric$dim, TRUE))
  plan
}

new_slope_plan <- function(p, names) {
  known <- parameter_names(p$parts)
  wants <- lapply(names, function(name) want_of(p$parts, name, p$metric$dim, known))
  what <- vapply(wants, `[[`, "", 1L)
  own <- ifelse(what == "shape", vapply(wants, `[[`, 0, 2L), 0)
  pass <- if (any(own > 0)) ifelse(own > 0, stats::ave(own, own, FUN = seq_along), 1) else rep(1, length(own))
  list(wants = wants, own = own, nugget = what == "nothing", pass = pass, turned = which(what == "map"),
       rows = lapply(known, `[`, match(names, known$name)))
}

# ---- predictions of observations from others ----

# Predictions of each observation from all others at the covariance parameters of the fit, the coefficients being
# those of the others: with P = inv(S) - inv(S) X inv(X' inv(S) X) X' inv(S) the error is (P y)_i / P_ii, of variance
# 1 / P_ii (Dubrule 1983). An observation without which the coefficients are not known has NaN.
exact_loo <- function(fit, own) {
  on.exit(.Call(C_gpForget))
  w <- gp_solved(own$p, own$data)
  u <- gp_solve(w$factor, if (is.null(w$q)) matrix(0, w$n, 1L) else w$q, TRUE)
  less <- gp_weights(w$factor, u) # - P
  precision <- -if (is.matrix(less)) diag(less) else .Call(C_gpDiagonal, less, w$n)
  taken <- rowSums(u^2) # by the coefficients
  precision[precision <= 1e-10 * taken] <- NaN
  residual <- unname(fit$kriging) / precision
  list(mean = unname(fit$y) - residual, sd = 1 / sqrt(precision), residual = residual,
       leverage = ifelse(is.nan(precision), 1, taken / (taken + precision)))
}

# Predictions of the observations in each set from all others, by the model of the fit. With the matrix P of
# exact_loo() they differ from the observations in A by inv(P_AA) (P y)_A, of covariance inv(P_AA).
exact_folds <- function(fit, own, sets) {
  on.exit(.Call(C_gpForget))
  w <- gp_solved(own$p, own$data)
  n <- w$n
  X <- known_design(fit)
  known <- vapply(sets, function(at) qr(X[-at, , drop = FALSE])$rank == ncol(X), NA)
  # where a coefficient is not known without a set, it has a part of its own in the mean
  alone <- lapply(sets[!known], function(at) exact_without(w, X, at))
  u <- gp_solve(w$factor, if (is.null(w$q)) matrix(0, n, 1L) else w$q, TRUE)
  less <- gp_weights(w$factor, u) # - P
  if (!is.matrix(less)) .Call(C_gpFetch, less, n)
  mean <- sd <- rep(NaN, n)
  y <- unname(as.double(fit$y))
  for (name in names(sets)) {
    at <- sets[[name]]
    precision <- -as.matrix(packed_block(less, n, at))
    weights <- w$weights[at]
    if (!known[[name]]) {
      precision <- precision + tcrossprod(u[at, , drop = FALSE]) - tcrossprod(alone[[name]]$u)
      weights <- alone[[name]]$weights
    }
    root <- chol(precision)
    residual <- backsolve(root, backsolve(root, weights, transpose = TRUE))
    mean[at] <- y[at] - residual
    sd[at] <- sqrt(diag(chol2inv(root)))
    if (!known[[name]]) mean[at[alone[[name]]$unknown]] <- sd[at[alone[[name]]$unknown]] <- NaN
  }
  list(mean = mean, sd = sd)
}

# With the columns of X that the observations beside those at `at` need; `unknown` are those with others.
exact_without <- function(w, X, at) {
  rest <- X[-at, , drop = FALSE]
  qr <- qr(rest)
  keep <- sort(qr$pivot[seq_len(qr$rank)])
  unknown <- beyond_rows(rest, X[at, , drop = FALSE])
  if (!length(keep)) return(list(u = matrix(0, length(at), 1L), unknown = unknown, weights =
    gp_solve(w$factor, cbind(w$y), TRUE)[at, 1L]))
  qr <- qr(w$X[, keep, drop = FALSE], tol = 1e-14)
  both <- gp_solve(w$factor, cbind(qr.resid(qr, w$y), qr.Q(qr)), TRUE)[at, , drop = FALSE]
  list(u = both[, -1L, drop = FALSE], weights = both[, 1L], unknown = unknown)
}

# The rows and columns `at` of what gp_weights() gives, of packed tiles the lower triangle (src/dense/dense.h).
packed_block <- function(packed, n, at) {
  if (is.matrix(packed)) return(packed[at, at])
  tiles <- ceiling(n / 64)
  first <- cumsum(c(0, tiles:1)) # before the tiles of each column
  vapply(at - 1, function(j) {
    low <- pmax(at - 1, j)
    high <- pmin(at - 1, j)
    packed[4096 * (first[high %/% 64 + 1] + low %/% 64 - high %/% 64) + 64 * (high %% 64) + low %% 64 + 1]
  }, numeric(length(at)))
}

# ---- kriging ----

# At new locations, and smoothed at the observations themselves.
exact_predictions <- function(fit, p, data, new, error) list(
  mean = if (new$observed) fit$y - error_sums(p, fit$kriging)
         else mean_at(fit, new) + drop(covariance_sums(p, new$xy, p$xy, cbind(fit$kriging))),
  variance = if (error) krige_variances(p, gp_solved(p, data), new))

# Covariances of the errors of observations times weights.
error_sums <- function(p, weights) {
  value <- p$diagonal * weights
  if (is.null(p$shared)) return(value)
  value + rowsum_at(p$shared$value * weights[p$shared$at[, 2L]], p$shared$at[, 1L], length(value))
}

# Where a device makes the covariances it makes the sums that are wanted, too; others pass through here. Chunks of new
# locations bound the memory.
krige_variances <- function(p, krige, new) {
  n <- nrow(new$xy)
  value <- rep(NA_real_, n)
  for (at in if (!is.matrix(krige$factor) && p$process$packed) chunks(n, 2^18)) {
    xy <- new$xy[at, , drop = FALSE]
    sums <- .Call(C_gpSolvedSums, krige$factor, engine_among(p$xy, xy, p$metric, p$engine), krige$X)
    if (is.null(sums)) break
    k <- ncol(sums)
    value[at] <- variance_after(krige, own_variances(p, xy), sums[, k], t(sums[, -k, drop = FALSE]),
                                new$X[at, , drop = FALSE])
  }
  rest <- which(is.na(value))
  for (at in split(rest, (seq_along(rest) * as.double(nrow(p$xy))) %/% 2^22)) {
    xy <- new$xy[at, , drop = FALSE]
    value[at] <- variance_left(krige, own_variances(p, xy), process_covariance(p, p$xy, xy),
                               new$X[at, , drop = FALSE])
  }
  value
}

# Of values with these variances of their own, covariances with the observations and covariates.
variance_left <- function(krige, own, cross, X) {
  v <- gp_solve(krige$factor, cross, FALSE)
  variance_after(krige, own, colSums(v^2), if (!is.null(krige$qr)) crossprod(krige$X, v), X)
}

# From the squares of v = inv(L) c and its products with the whitened covariates, a column for each value.
variance_after <- function(krige, own, squares, products, X) {
  left <- own - squares
  if (!is.null(krige$qr)) {
    short <- t(X) - products
    left <- left + colSums(backsolve(krige$root, short[krige$qr$pivot, , drop = FALSE], transpose = TRUE)^2)
  }
  pmax(left, 0)
}


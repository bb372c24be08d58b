# Where the search for models of several variables begins: univariate fits of samples, and products of residuals of
# pairs of variables.

# Units of all parameters, in which variances and covariances of variables whose residuals have variance 1 are near 1.
several_units <- function(rows, model, p, data) {
  residuals <- if (is.null(data$X)) data$y else stats::lm.fit(data$X, data$y)$residuals
  of <- p$xy[, ncol(p$xy)]
  count <- variable_count(model)
  sd <- vapply(seq_len(count), function(k) sqrt(mean(residuals[of == k]^2)), 0)
  sd[!is.finite(sd) | sd == 0] <- max(sd[is.finite(sd)], 1e-300)
  at <- (rows$element - 1L) %% count^2
  i <- at %/% count + 1L
  j <- at %% count + 1L
  matrix <- rows$base == "sill" | rows$base == "nugget" & is.matrix(model$nugget)
  vector <- rows$base %in% c("variance", "nugget") & !matrix
  unit <- rep(1, length(at))
  unit[matrix] <- (sd[i] * sd[j])[matrix]
  unit[vector] <- sd[rows$element[vector]]^2
  unit
}

# Starts for what is `unknown`, the likeliest of some. Variances that a model has numbers of, which may be 1 because
# it was made without them, need not be of the size of the data: those of the data are tried, too.
several_starts <- function(p, own, s, unknown) {
  rows <- s$rows
  if (!length(unknown)) return(list(rows$value))
  data <- start_data(p, own$data)
  model <- p$model
  searched <- rows$name[s$at]
  given <- any(rows$kind == "sill" & rows$name %in% setdiff(searched, unknown))
  tried <- if (model$name == "lmc") lmc_starts(model, rows, unknown, s, data)
           else c(multimatern_starts(p, own, rows, unknown, s, data),
                  if (given) multimatern_starts(p, own, rows, searched, s, data))
  tried <- axes_starts(tried, rows, unknown, p, s)
  tried <- lapply(tried, nugget_starts, rows, unknown, s)
  for (v in tried) if (anyNA(v))
    input_error(rows$name[which(is.na(v))[1L]], NA, "has no start of its own: give a number to begin with")
  if (length(tried) == 1L) return(tried)
  some <- several_sample(p, own, data)
  values <- vapply(tried, function(v) search_value(search_start(v, s), s, some)$value, 0)
  if (any(is.finite(values))) tried[which.max(values)] else tried[1L]
}

# Residuals of least squares, in units of their standard deviations, of samples of the observations.
start_data <- function(p, data) {
  of <- p$xy[, ncol(p$xy)]
  residuals <- if (is.null(data$X)) data$y else stats::lm.fit(data$X, data$y)$residuals
  space <- space_points(p$xy[, -ncol(p$xy), drop = FALSE], p$metric)
  at <- sort(unlist(lapply(split(seq_along(of), of), function(i) i[unique(round(seq(1, length(i), length.out = min(
    length(i), 200L))))])))
  list(of = of[at], residuals = residuals[at], space = space[at, , drop = FALSE], at = at, all = residuals)
}

# The exact likelihood of a sample, for comparisons.
several_sample <- function(p, own, data) {
  if (length(own$data$y) > 600L) {
    own$p$xy <- p$xy[data$at, , drop = FALSE]
    if (length(p$error) > 1L) own$p$error <- p$error[data$at]
    own$data <- list(y = data$all[data$at])
  }
  exact_likelihood(list(estimator = "ML"), own = own)
}

# ---- multivariate Matern ----

# Each variable by itself: with the mean of effective ranges where there is one for all.
multimatern_starts <- function(p, own, rows, unknown, s, data) {
  count <- variable_count(p$model)
  fits <- lapply(seq_len(count), function(k) variable_start(p, own, rows, unknown, k, s))
  v <- rows$value
  # `cross` is for the third of two variables, their cross-covariance
  set <- function(base, values, cross = NA) {
    at <- which(rows$base == base & rows$name %in% unknown)
    v[at] <<- if (all(is.na(rows$element[at]))) values[1L] else c(values, cross)[rows$element[at]]
  }
  each <- function(base) vapply(fits, `[[`, 0, base)
  set("variance", each("variance"))
  set("smoothness", each("smoothness"), 1.05 * mean(each("smoothness")))
  nu <- v[rows$base == "smoothness"][seq_len(count)]
  far <- each("range") * if (p$model$scaling == "plain") sqrt(8 * each("smoothness")) else 1
  range <- far / if (p$model$scaling == "plain") sqrt(8 * nu) else 1
  set("range", if (sum(rows$base == "range") > 1L) range else
    exp(mean(log(far))) / if (p$model$scaling == "plain") sqrt(8 * mean(nu)) else 1, 1 / sqrt(mean(1 / range^2)))
  if (!is.matrix(p$model$nugget)) set("nugget", pmax(each("nugget"), 1e-3 * each("variance")))
  rho <- which(rows$base == "correlation" & rows$name %in% unknown)
  if (!length(rho)) return(list(v))
  m <- set_parameters(p$model, replace(v, is.na(v), ifelse(rows$kind[is.na(v)] == "ratio", 0.5, 0)), rows)
  whole <- m$name == "multimatern"
  found <- cross_start(if (whole) m else list(smoothness = nu, range = rep_len(m$range, 2L), scaling = m$scaling,
                                              nugget = c(0, 0)), data, each("variance"))
  most <- 0.9 * if (whole) multimatern_factors(m)$value[lower.tri(found)] else most_correlation(m)
  pairs <- which(rows$base == "correlation")
  known <- replace(found[lower.tri(found)], !pairs %in% rho, NA)
  known <- ifelse(is.na(known), v[pairs], pmin(pmax(known, -most), most))
  list(replace(v, pairs, known), replace(v, rho, 0))
}

# The likeliest parameters of one variable for at most 200 of its observations, with the penalties of gpFit(): the
# better of two climbs.
variable_start <- function(p, own, rows, unknown, k, s) {
  at <- which(p$xy[, ncol(p$xy)] == k)
  at <- at[unique(round(seq(1, length(at), length.out = min(length(at), 200L))))]
  unit <- s$units[rows$base == "variance"][k]
  usual <- list(variance = 0.8 * unit, range = s$scales$space[2L] / 20, smoothness = 0.7, nugget = 0.2 * unit)
  given <- function(base) {
    i <- which(rows$base == base & (is.na(rows$element) | rows$element == k))
    if (length(i) != 1L || rows$name[i] %in% unknown) NA_real_ else rows$value[i]
  }
  known <- vapply(names(usual), given, 0)
  y <- (if (is.null(own$data$X)) own$data$y else stats::lm.fit(own$data$X, own$data$y)$residuals)[at]
  if (length(at) < 10L || !stats::var(y) > 0 || !anyNA(known)) return(ifelse_known(known, usual))
  model <- do.call(covModel, c(list("matern", scaling = p$model$scaling, distance = p$metric$kind,
                                    radius = p$metric$radius), ifelse_known(known, usual)))
  own$p <- gp_problem(model, plain_points(p$xy[at, -ncol(p$xy), drop = FALSE]),
                      if (length(p$error) > 1L) p$error[at] else p$error)
  own[c("data", "rows", "units", "checked")] <- list(list(y = y), cov_parameters(list(model)), NULL, FALSE)
  own$task <- list(model = model)
  lik <- exact_likelihood(list(estimator = "ML"), own = own)
  scales <- replace(s$scales, c("variance", "penalty"), list(mean(y^2), TRUE))
  space <- search_space(lik$search(), names(known)[is.na(known)], scales)
  climbs <- lapply(c(1, 6), function(far) {
    v <- replace(space$rows$value, space$rows$name == "range" & is.na(known["range"]), far * usual$range)
    uninterrupted(search_climb(search_start(v, space), space, lik, tolerance = 0.01, maxit = 15))
  })
  best <- climbs[[which.max(vapply(climbs, `[[`, 0, "value"))]]
  if (!is.finite(best$value)) return(ifelse_known(known, usual))
  sill <- if (space$reference) best$scale else 1
  value <- as.list(stats::setNames(best$v, space$rows$name))[names(usual)]
  value[c("variance", "nugget")] <- lapply(value[c("variance", "nugget")], `*`, sill)
  value$smoothness <- min(max(value$smoothness, 0.2), 3)
  value$range <- min(max(value$range, s$scales$space[1L] / 5), s$scales$space[2L])
  ifelse_known(known, value)
}

ifelse_known <- function(known, value) as.list(ifelse(is.na(known), unlist(value), known))

# Least squares of products of residuals on the correlation, for pairs of variables within a quarter of the range at
# which the correlation is about 0.14.
cross_start <- function(model, data, variance) {
  count <- variable_count(model)
  found <- diag(count)
  a2 <- matern_scales(model)
  for (i in seq_len(count)) for (j in seq_len(i - 1L)) {
    nu <- (model$smoothness[i] + model$smoothness[j]) / 2
    range <- 1 / sqrt(a2[i, j])
    d <- cross_distances(data, i, j)
    near <- d <= sqrt(8 * nu) * range / 4
    if (sum(near) < 20L) near <- d <= sort(d)[min(length(d), 50L)]
    m <- cov_value(list(name = "matern", variance = 1, nugget = 0, range = range, smoothness = nu,
                        scaling = "plain"), d[near])
    product <- outer(data$residuals[data$of == i], data$residuals[data$of == j])[near]
    found[i, j] <- found[j, i] <- sum(product * m) / sum(m^2) / sqrt(variance[i] * variance[j])
  }
  found[!is.finite(found)] <- 0
  found
}

cross_distances <- function(data, i, j) {
  a <- data$space[data$of == i, , drop = FALSE]
  b <- data$space[data$of == j, , drop = FALSE]
  square <- 0
  for (k in seq_len(ncol(a))) square <- square + outer(a[, k], b[, k], "-")^2
  sqrt(square)
}

# ---- coregionalisation ----

# Ranges in steps of 4, and matrices by least squares of products of residuals on the correlations of all parts.
lmc_starts <- function(model, rows, unknown, s, data) {
  parts <- length(model$parts)
  lapply(if (parts == 1L) c(0.03, 0.1, 0.3) else c(0.02, 0.06, 0.15), function(first) {
    v <- rows$value
    for (k in seq_len(parts)) {
      own <- which(rows$inside == names(model$parts)[k] & rows$name %in% unknown)
      for (i in own[order(rows$kind[own] == "length")]) {
        part <- model$parts[[k]]
        here <- which(rows$inside == names(model$parts)[k])
        for (j in here) part <- set_in_part(part, replace(rows, c("inside", "value"), list("", v)), j)
        begin <- parameter_fact(families[[part$name]], rows$base[i], "begin")
        if (rows$base[i] == "range")
          v[i] <- max(first * 4^(k - 1) * s$scales$space[2L], s$scales$space[1L]) / falls_at(part)
        else if (!is.null(begin) && !rows$kind[i] %in% c("angle", "ratio"))
          v[i] <- begin(part, list(smoothness = 0.5, angle = 0, ratio = 0.5), 2)
      }
    }
    lmc_sill_start(model, rows, unknown, s, data, v)
  })
}

lmc_sill_start <- function(model, rows, unknown, s, data, v) {
  parts <- lapply(seq_along(model$parts), function(k) {
    part <- model$parts[[k]]
    for (j in which(rows$inside == names(model$parts)[k]))
      part <- set_in_part(part, replace(rows, c("inside", "value"), list("", v)), j)
    part[c("variance", "nugget", "distance", "angle", "ratio", "scales", "rotation")] <-
      list(1, 0, "euclidean", 0, 1, NULL, NULL)
    part
  })
  count <- variable_count(model)
  total <- array(0, c(count, count, length(parts)))
  for (i in seq_len(count)) for (j in seq_len(i)) {
    d <- cross_distances(data, i, j)
    near <- d > 0 & d <= stats::quantile(d, 0.25)
    if (!any(near)) near <- d >= 0
    x <- vapply(parts, function(part) cov_value(part, d[near]), numeric(sum(near)))
    x <- matrix(x, sum(near))
    product <- outer(data$residuals[data$of == i], data$residuals[data$of == j])[near]
    ridge <- crossprod(x) + diag(1e-3 * max(colSums(x^2), 1e-10), ncol(x))
    total[i, j, ] <- total[j, i, ] <- solve(ridge, crossprod(x, product))
  }
  sd <- sqrt(vapply(seq_len(count), function(k) mean(data$residuals[data$of == k]^2), 0))
  for (k in seq_along(parts)) {
    one <- total[, , k] / tcrossprod(sd)
    e <- eigen(symmetric(matrix(one, count)), TRUE)
    one <- e$vectors %*% (pmin(pmax(e$values, 0.05), 2) * t(e$vectors)) * tcrossprod(sd)
    own <- sill_rows(rows, model, k)
    at <- rows$element[own] - (k - 1L) * count^2
    v[own] <- ifelse(rows$name[own] %in% unknown, one[at], v[own])
  }
  v
}

# ---- both ----

# Nuggets that have no start yet, and those of a matrix.
nugget_starts <- function(v, rows, unknown, s) {
  own <- which(rows$base == "nugget" & rows$name %in% unknown & is.na(v))
  v[own] <- ifelse(rows$kind[own] == "cross", 0, 0.1 * s$units[own])
  v
}

# Directions of unknown anisotropy, and ranges along axes.
axes_starts <- function(tried, rows, unknown, p, s) {
  angle <- which(rows$base == "angle" & rows$name %in% unknown)
  ratio <- which(rows$base == "ratio" & rows$name %in% unknown)
  scales <- which(rows$base == "scales" & rows$name %in% unknown)
  for (i in seq_along(tried)) {
    tried[[i]][ratio] <- 0.5
    tried[[i]][scales] <- s$scales$space[2L] / 10
  }
  if (!length(angle)) return(tried)
  do.call(c, lapply(c(0, 45, 90, -45), function(a) lapply(tried, function(v) replace(v, angle, a))))
}

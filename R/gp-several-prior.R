# Priors of parameters of several variables, on the scale of their search, and the features by which nodes represent
# their covariances.

# Where a search would begin that knew nothing of the parameters, as usual_point() has it of one variable.
several_usual <- function(s) {
  rows <- s$rows
  model <- s$about$problem$model
  free <- seq_along(rows$name) %in% s$at
  scale <- s$units * ifelse(rows$base == "nugget", 0.3, 1)
  usual <- list(sill = scale, coregionalisation = scale, cross = 0.3 * scale, correlation = 0, smoothness = 1,
                angle = 0, ratio = 0.4)
  for (kind in names(usual)) {
    own <- free & rows$kind == kind
    rows$value[own] <- rep_len(usual[[kind]], nrow(rows))[own]
  }
  for (i in which(free & !rows$kind %in% c(names(usual), "length"))) {
    begin <- parameter_fact(family_inside(model, rows$inside[i]), rows$base[i], "begin")
    if (!is.null(begin)) rows$value[i] <- begin(model_inside(model, rows$inside[i]), list(smoothness = 1),
                                                s$about$problem$metric$dim)
  }
  parts <- max(length(model$parts), 1L)
  falls <- ranges_fall(rows, model)
  of_length <- rows$kind == "length"
  part <- ifelse(nzchar(rows$inside), match(rows$inside, names(model$parts)), parts)
  far <- 0.25 * 4^(part - parts) * s$scales$space[2L]
  rows$value[free & of_length] <- (pmax(far, s$scales$space[1L], na.rm = TRUE) / falls)[free & of_length]
  effective <- ifelse(of_length, log(rows$value * ranges_across(rows) * falls), NA_real_)
  list(t = search_start(rows$value, s), effective = effective[s$at])
}

# Effective ranges over ranges: with a range for all that is of the mean smoothness.
ranges_fall <- function(rows, model) {
  falls <- rep(NA_real_, nrow(rows))
  for (i in which(rows$kind == "length")) {
    if (nzchar(rows$inside[i])) {
      part <- model$parts[[rows$inside[i]]]
      for (j in which(rows$inside == rows$inside[i])) part <- set_in_part(part, replace(
        rows, c("inside", "value"), list("", replace(rows$value, is.na(rows$value), 1))), j)
      falls[i] <- falls_at(part)
    } else {
      nu <- rows$value[rows$base == "smoothness" & (is.na(rows$element[i]) | rows$element == rows$element[i] |
                                                     rows$base[i] == "scales")]
      falls[i] <- switch(model$scaling, plain = sqrt(8 * mean(nu)), sqrt2nu = 2, 1)
    }
  }
  falls
}

# With angle and ratio the geometric mean of the ranges along the axes.
ranges_across <- function(rows) {
  across <- rep(1, nrow(rows))
  for (i in which(rows$base == "range")) {
    ratio <- rows$value[rows$inside == rows$inside[i] & rows$base == "ratio"]
    if (length(ratio)) across[i] <- sqrt(ratio)
  }
  across
}

# The value of a quantile, or where it is from the data that in units of a variable.
quantile_of_variable <- function(q, base, unit) {
  if (is.na(q[1L])) q[1L] <- (if (base == "nugget") 1 else 3) * sqrt(unit)
  q
}

# Uniform over matrices beta of correlations, at a coordinate that is atanh(z): the partial correlations z of
# variables i < j given those before i are independent with densities (1 - z^2)^((p - 1 - i)/2) (Lewandowski,
# Kurowicka and Joe 2009, with eta = 1).
correlation_prior <- function(row, p) {
  i <- if (is.na(row$element)) 1L else (row$element - 1L) %/% p + 1L # of "bimatern" that of the largest one
  function(t) -(p + 1L - i) * (abs(t) + log1p(exp(-2 * abs(t))))
}

# Densities of several coordinates together, a list of functions of t: of matrices, and of ranges in order.
joint_priors <- function(prior, s, dim) {
  model <- s$about$problem$model
  rows <- s$rows
  matrices <- if (model$name == "lmc") lapply(seq_along(model$parts), function(k)
    matrix_prior(prior$sd, sill_rows(rows, model, k), s, lmc_rank(model)[k], "sill"))
  nugget <- which(rows$base == "nugget")
  if (is.matrix(model$nugget)) matrices <- c(matrices, list(matrix_prior(
    prior$error, nugget[order(rows$element[nugget])], s, nrow(model$nugget), "nugget")))
  Filter(Negate(is.null), c(matrices, list(ordered_prior(prior, s, dim))))
}

# Of T = A A' in units of the variables, whose coordinates are A with the logarithms of its diagonal: with standard
# deviations s and correlations R that are uniform, dT = 2^p prod(s_i^p) ds dR and dT = 2^p prod(A_jj^(p - j + 1)) dA.
# Where T has a lower rank r this is that of the first r variables, and a row of A of another one has a uniform
# direction and the length s_i.
matrix_prior <- function(q, own, s, rank, base) {
  j <- match(own, s$at)
  if (anyNA(j)) return(NULL)
  p <- variable_count(s$about$problem$model)
  at <- pairs_of(p)
  at <- at[at[, 1L] <= rank, 2:1, drop = FALSE]
  diagonal <- at[, 1L] == at[, 2L]
  flat <- identical(q, "flat")
  rate <- if (!flat) vapply(several_scales(s), function(u) {
    own <- quantile_of_variable(q, base, u)
    -log(own[2L]) / own[1L] * sqrt(u)
  }, 0)
  low <- seq_len(p) > rank
  function(t) {
    A <- matrix(0, p, rank)
    A[at] <- ifelse(diagonal, exp(t[j]), t[j])
    sd <- pmax(sqrt(rowSums(A^2)), 1e-100)
    sum(if (flat) -log(sd) else -rate * sd) - sum(ifelse(low, rank - 1, rank) * log(sd)) +
      sum((rank - seq_len(rank) + 2) * t[j[diagonal]])
  }
}

# Ranges of parts in order: a coordinate is the logarithm of the ratio of the next range to the last one, less 1.
ordered_prior <- function(prior, s, dim) {
  at <- ordered_at(s)
  if (is.null(at)) return(NULL)
  each <- lapply(seq_along(at)[-1L], function(k) length_prior(prior, s$rows[at[k], ], dim, log(
    ranges_fall(s$rows, s$about$problem$model)[at[k]])))
  j <- match(at, s$at)
  function(t) {
    range <- t[j[1L]] + cumsum(c(0, softplus(t[j[-1L]])))
    sum(vapply(seq_along(each), function(k) each[[k]](range[k + 1L]), 0)) +
      sum(stats::plogis(t[j[-1L]], log.p = TRUE))
  }
}

softplus <- function(t) pmax(t, 0) + log1p(exp(-abs(t)))

# The ranges that the search keeps in order, or NULL.
ordered_at <- function(s) {
  own <- Filter(function(map) length(map$at) > 1L && all(map$at > 0L) &&
                  all(s$rows$kind[map$at] == "length" & nzchar(s$rows$inside[map$at])), s$maps)
  if (length(own)) own[[1L]]$at
}

# Logarithms of half the variances of differences between values of all variables at some places, in units of the
# variables and with errors, a row for each point: of one variable a variogram, of two a pseudo cross-variogram.
variograms_between <- function(p, v, rows, units) {
  count <- variable_count(p$model)
  places <- p$xy[, -ncol(p$xy), drop = FALSE]
  places <- places[!duplicated(place_numbers(places)), , drop = FALSE]
  one <- replace(p, "xy", list(places))
  places <- places[gp_sample(one, 4L), , drop = FALSE]
  places <- places[seq_len(min(nrow(places), 8L)), , drop = FALSE]
  label <- rep(seq_len(count), each = nrow(places))
  xy <- cbind(places[rep(seq_len(nrow(places)), count), , drop = FALSE], label)
  pairs <- which(upper.tri(diag(nrow(xy))), arr.ind = TRUE)
  unit <- sqrt(units[label])
  rows <- as.list(rows)
  value <- apply(v[, seq_along(rows$part), drop = FALSE], 1L, function(v) {
    model <- set_parameters(p$model, v, rows)
    own <- split_label(xy)
    total <- (several_matrix(model, own, NULL, p$metric) + error_matrix(model, own)) / tcrossprod(unit)
    half <- (diag(total)[pairs[, 1L]] + diag(total)[pairs[, 2L]]) / 2 - total[pairs]
    log(pmax(half, 1e-12 * max(diag(total))))
  })
  t(value)
}

# The variances of the residuals of each variable.
several_scales <- function(s) {
  own <- which(s$rows$base == "nugget" & s$rows$kind != "cross")
  s$units[own[order(s$rows$element[own])]]
}

# Points are drawn on a scale on which priors have tails like those of a normal distribution, where logarithms have
# longer ones. With the normal distribution function P these are the coordinates w of
#   share        of a variance and the nugget beside it the sum, and the share P(w)^2 of the nugget,
#   half         the diagonal of the root of a matrix, and the standard deviation of a nugget alone, -log(P(-w)) in
#                units of the variable, which is exponential where w is normal,
#   correlation  a partial correlation 2 P(w) - 1.
several_scale <- function(s) {
  own <- s$rows[s$at, ]
  pairs <- lapply(own$element[own$base == "variance"], function(k) {
    i <- which(own$kind == "sill" & own$element == k)
    i[order(own$base[i] == "nugget")]
  })
  pairs <- pairs[lengths(pairs) == 2L]
  alone <- setdiff(which(own$base == "nugget" & own$kind == "sill"), unlist(pairs))
  half <- c(which(own$kind == "coregionalisation"), alone)
  power <- rep(c(1, 2), c(length(half) - length(alone), length(alone)))
  unit <- c(rep(0, length(half) - length(alone)), log(s$units[s$at[alone]]))
  partial <- any(vapply(s$maps, function(map) all(map$at > 0L) && all(c("correlation", "smoothness") %in%
                                                                       s$rows$base[map$at]), NA))
  rho <- if (partial) which(own$base == "correlation")
  log_p <- function(w) stats::pnorm(w, log.p = TRUE)
  hazard <- function(w) stats::dnorm(w, log = TRUE) - log_p(-w) - log(-log_p(-w)) # log(d log(-log P(-w)) / dw)
  logit_slope <- function(w) log(2) + stats::dnorm(w, log = TRUE) - log_p(w) - log_p(-w) - log1p(exp(log_p(w)))
  slope <- function(w) {
    value <- numeric(length(w))
    value[half] <- log(power) + hazard(w[half])
    value[rho] <- stats::dnorm(w[rho], log = TRUE) - log(2) - log_p(w[rho]) - log_p(-w[rho])
    for (i in pairs) value[i[2L]] <- logit_slope(w[i[2L]])
    value
  }
  list(to = function(t) {
    w <- t
    w[half] <- -stats::qnorm(-exp((t[half] - unit) / power), log.p = TRUE)
    w[rho] <- stats::qnorm(stats::plogis(2 * t[rho], log.p = TRUE), log.p = TRUE)
    for (i in pairs) {
      w[i[1L]] <- max(t[i]) + log1p(exp(-abs(diff(t[i]))))
      w[i[2L]] <- stats::qnorm(stats::plogis(diff(t[i]), log.p = TRUE) / 2, log.p = TRUE)
    }
    w
  }, from = function(w) {
    t <- w
    t[half] <- unit + power * log(-log_p(-w[half]))
    t[rho] <- (log_p(w[rho]) - log_p(-w[rho])) / 2
    for (i in pairs) t[i] <- w[i[1L]] + c(log_p(-w[i[2L]]) + log1p(exp(log_p(w[i[2L]]))), 2 * log_p(w[i[2L]]))
    t
  }, jacobian = function(w) {
    value <- diag(exp(slope(w)), length(w))
    for (i in pairs) {
      share <- stats::pnorm(w[i[2L]])^2
      value[i, i] <- c(1, 1, c(-share, 1 - share) * value[i[2L], i[2L]])
    }
    value
  }, log_slope = function(w) sum(slope(w)))
}

# The bivariate Matern model of Gneiting, Kleiber and Schlather (2010), with a range and smoothness of its own for the
# cross-covariance.

bivariate_model <- function(given) {
  need(range = is.null(given$range), smoothness = is.null(given$smoothness),
       correlation = is.null(given$correlation))
  lengths <- list(range = c(1L, 3L), smoothness = 2:3, variance = 1:2, nugget = 1:2)
  if (is_one_na(given$smoothness)) given$smoothness <- rep(NA_real_, 3L)
  if (is.matrix(given$nugget)) lengths$nugget <- 4L
  for (p in names(lengths)) if (!length(given[[p]]) %in% lengths[[p]])
    raise_engine_error("input", sprintf("%s has length %d: \"bimatern\" takes %s", p, length(given[[p]]),
                                        paste(lengths[[p]], collapse = " or ")))
  given$nugget <- check_nuggets(given$nugget, 2L)
  given$variance <- rep_len(given$variance, 2L)
  model <- matern_of_variables(given)
  if (model$distance %in% c("greatcircle", "given"))
    input_error("distance", model$distance, "is not for \"bimatern\": chordal distances are, of coordinates")
  correlation <- given$correlation
  if (is.matrix(correlation)) correlation <- check_correlations(correlation, 2L)[2L, 1L]
  one_number_or_na("correlation", correlation)
  if (isTRUE(abs(correlation) > 1)) input_error("correlation", correlation, "must be from -1 to 1")
  model[c("name", "nugget", "correlation")] <- list("bimatern", given$nugget, as.double(correlation))
  model <- structure(c(model, list(variable = check_variable(given$variable, 2L), dim = chordal_dim(given, model),
                                   mean = check_mean(given$mean))), class = "covModel")
  bivariate_valid(model)
  model
}

bivariate_valid <- function(model) {
  if (anyNA(model$correlation) || anyNA(c(model$smoothness, model$range))) return(invisible())
  most <- most_correlation(model)
  if (abs(model$correlation) > most * (1 + 1e-10))
    input_error("correlation", model$correlation, sprintf(
      "must be at most %s in size with these parameters in dimension %d", format(most, digits = 6), model$dim))
}

# Of both variables and of the cross-covariance.
all_smoothness <- function(model)
  if (length(model$smoothness) == 3L) model$smoothness else c(model$smoothness, mean(model$smoothness))

# Theorem 3: the determinant of the spectral densities is not negative where the square of the correlation is at most
# a factor times the infimum over s, the squared wave number, of (a12^2 + s)^(2 nu12 + d)/((a1^2 + s)^(nu1 + d/2)
# (a2^2 + s)^(nu2 + d/2)), a the inverse ranges. That is at 0, at infinity, or at a root of its derivative.
most_correlation <- function(model) bivariate_bound(model)$value

# With derivatives of its logarithm by all three smoothnesses and logarithms of ranges, those at the minimum, but for
# jumps from one to another; 0 where the largest correlation is 1.
bivariate_bound <- function(model) {
  nu <- all_smoothness(model)
  range <- rep_len(model$range, 3L)
  a2 <- switch(model$scaling, plain = 1, sqrt2nu = 2 * nu, sqrt8nu = 8 * nu) * (range[3L] / range)^2 # in one unit
  excess <- 2 * nu[3L] - nu[1L] - nu[2L]
  if (abs(excess) <= 8 * .Machine$double.eps * nu[3L]) nu[3L] <- (nu[1L] + nu[2L]) / 2
  else if (excess < 0) return(list(value = 0, by_nu = numeric(3L), by_range = numeric(3L)))
  half <- model$dim / 2
  power <- c(nu[1L] + half, nu[2L] + half, -2 * (nu[3L] + half))
  # the derivative times the product of all three, a quadratic in s whose leading term is sum(power)
  others <- cbind(a2[c(2L, 1L, 1L)], a2[c(3L, 3L, 2L)])
  quadratic <- c(sum(power * others[, 1L] * others[, 2L]), sum(power * rowSums(others)), sum(power))
  if (abs(quadratic[3L]) < 1e-14 * sum(abs(power))) quadratic <- quadratic[1:2]
  roots <- if (any(quadratic[-1L] != 0)) polyroot(quadratic) else 0i
  s <- c(0, Re(roots)[abs(Im(roots)) < 1e-7 * Mod(roots) & Re(roots) > 0], if (length(quadratic) == 2L) Inf)
  level <- vapply(s, function(s) if (s < Inf) -sum(power * log(a2 + s)) else 0, 0)
  at <- s[which.min(level)]
  size <- function(nu) lgamma(nu + half) - lgamma(nu)
  moved <- function(nu) digamma(nu + half) - digamma(nu)
  share <- c(1, 1, -2)
  log_square <- sum(share * size(nu)) + sum(share * nu * log(a2)) + min(level)
  if (is.nan(log_square)) raise_engine_error("input", "the ranges of \"bimatern\" are too far apart")
  if (log_square >= 0) return(list(value = 1, by_nu = numeric(3L), by_range = numeric(3L)))
  by_a2 <- share * nu - if (at < Inf) power * a2 / (a2 + at) else 0
  by_nu <- share * (moved(nu) + log(a2)) - if (at < Inf) share * log(a2 + at) else 0
  if (model$scaling != "plain") by_nu <- by_nu + by_a2 / nu
  list(value = exp(log_square / 2), by_nu = by_nu / 2, by_range = -by_a2)
}

# The Matern correlation of the first variable, the second, or of both (3).
bivariate_block <- function(model, k) {
  nu <- all_smoothness(model)
  own <- list(name = "matern", smoothness = nu[k], range = rep_len(model$range, 3L)[k], variance = 1, nugget = 0)
  replace(unclass(model)[matern_arguments], names(own), own)
}

# Of the variables and, third, of both.
bivariate_parameters <- function(model) {
  labels <- variable_labels(model)
  names <- paste0(labels$before, c(labels$one, paste(labels$one, collapse = labels$between)))
  numbered <- function(p) {
    n <- length(model[[p]])
    if (n == 1L) new_parameters(p) else new_parameters(p, seq_len(n), names[seq_len(n)])
  }
  own <- lapply(c("variance", "range", "smoothness"), numbered)
  do.call(join_parameters, c(own, Filter(Negate(is.null), list(
    new_parameters("correlation"), axes_parameters(model), nugget_parameters(model)))))
}

# Three terms, of the first variable, the second and both.
bivariate_terms <- function(model, slopes) {
  v <- model$variance
  weights <- c(v, model$correlation * sqrt(prod(v)))
  pairs <- rbind(c(1L, 1L), c(2L, 2L), c(1L, 2L))
  own <- unclass(model)[c("distance", "angle", "ratio", "scales", "radius", "rotation")]
  lapply(1:3, function(k) {
    pair <- pairs[k, , drop = FALSE]
    weight <- matrix(0, 2L, 2L)
    weight[pair] <- weight[pair[, 2:1, drop = FALSE]] <- weights[k]
    part <- utils::modifyList(bivariate_block(model, k), own[!vapply(own, is.null, NA)])
    list(part = part, pairs = pair, weight = weight, shares = if (slopes) bivariate_shares(model, k, pair))
  })
}

bivariate_shares <- function(model, k, pair) {
  v <- model$variance
  known <- bivariate_parameters(model)
  shares <- list()
  weight <- function(value) {
    w <- matrix(0, 2L, 2L)
    w[pair] <- w[pair[, 2:1, drop = FALSE]] <- value
    list(weight = w)
  }
  for (r in seq_along(known$parameter)) {
    e <- known$element[r]
    share <- switch(known$base[r],
      variance = if (k == e) weight(1) else if (k == 3L) weight(
        if (model$correlation == 0 || v[3L - e] == 0) 0 else model$correlation * sqrt(v[3L - e] / v[e]) / 2),
      range = if (is.na(e) || e == k) list(inner = c(range = 1)),
      smoothness = if (e == k) list(inner = c(smoothness = 1))
                   else if (k == 3L && length(model$smoothness) == 2L) list(inner = c(smoothness = 0.5)),
      correlation = if (k == 3L) weight(sqrt(prod(v))),
      nugget = NULL, list(inner = stats::setNames(1, known$parameter[r])))
    if (!is.null(share)) shares[[known$parameter[r]]] <- share
  }
  shares
}

bivariate_settle <- function(model) {
  if (is.matrix(model$nugget)) model$nugget <- symmetric(model$nugget)
  model
}

# ---- search ----

bivariate_maps <- function(rows, at, m, units) {
  nu <- searched_rows(rows, at, "smoothness")
  range <- searched_rows(rows, at, "range")
  rho <- searched_rows(rows, at, "correlation")
  alike <- length(range$all) == 1L || length(range$all) == length(nu$all)
  list(if (length(nu$all) == 3L && nu$at[3L] > 0L) above_the_mean(nu),
       if (m$scaling == "plain" && alike && any(nu$at > 0L) && any(range$at > 0L)) effective_ranges(range, nu),
       if (rho$at > 0L) bounded_correlation(m, rho, range, nu), nugget_map(rows, at, m, units))
}

# The smoothness of the cross-covariance as the mean of both times 1 and a positive number.
above_the_mean <- function(nu) {
  k <- nu$all
  search_map(nu$at[c(3L, 1L, 2L)], ends = c(3, NA, NA), point = function(s, t, j) {
    mean <- (s$v[k[1L]] + s$v[k[2L]]) / 2
    s$v[k[3L]] <- mean * (1 + exp(t[j[1L]]))
    both <- colSums(jacobian_rows(s, j[2:3])) / 2
    s$jacobian[j[1L], ] <- (1 + exp(t[j[1L]])) * both
    s$jacobian[j[1L], j[1L]] <- mean * exp(t[j[1L]])
    s
  }, start = function(t, given, v, j)
    replace(t, j[1L], log(max(2 * given[k[3L]] / (given[k[1L]] + given[k[2L]]) - 1, 0.02))))
}

# The correlation as a share of the largest one.
bounded_correlation <- function(m, rho, range, nu) {
  model <- function(v) {
    m$smoothness <- v[nu$all]
    m$range <- v[range$all]
    m
  }
  sizes <- c(length(nu$all), length(range$all))
  search_map(c(rho$at, nu$at, range$at), ends = c(8, rep(NA, sum(sizes))), point = function(s, t, j) {
    bound <- bivariate_bound(model(s$v))
    by_nu <- if (sizes[1L] == 3L) bound$by_nu else bound$by_nu[1:2] + bound$by_nu[3L] / 2
    by_range <- (if (sizes[2L] == 3L) bound$by_range else sum(bound$by_range)) / s$v[range$all]
    value <- s$v[rho$all] <- bound$value * tanh(t[j[1L]])
    s$jacobian[j[1L], ] <- value * drop(c(by_nu, by_range) %*% jacobian_rows(s, j[-1L]))
    s$jacobian[j[1L], j[1L]] <- bound$value / cosh(t[j[1L]])^2
    s
  }, start = function(t, given, v, j) {
    share <- given[rho$all] / max(most_correlation(model(given)), 1e-300)
    replace(t, j[1L], atanh(min(max(share, -1 + 1e-6), 1 - 1e-6)))
  })
}

print_bivariate <- function(x, digits) {
  number <- function(v) toString(format(v, digits = digits, trim = TRUE))
  of <- if (!is.null(x$variable)) sprintf(" of %s", paste(x$variable, collapse = " and "))
  cat("Bivariate Matern covariance", of, ": variances ", number(x$variance), ", correlation ", number(x$correlation),
      "\nSmoothness of both variables and of the cross-covariance: ",
      number(all_smoothness(x)), "\nRange", if (length(x$range) > 1L) "s",
      ": ", number(x$range), "\n", sep = "")
  if (is.matrix(x$nugget))
    print_matrix("Covariances of errors at one place:", x$nugget, variable_labels(x)$one, digits)
  else if (!isTRUE(all(x$nugget == 0))) cat("Nuggets:", number(x$nugget), "\n")
  print_scaling(x)
}

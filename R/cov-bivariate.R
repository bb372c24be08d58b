# The bivariate Matern model of Gneiting, Kleiber and Schlather (2010).

bivariate_model <- function(given) {
  need(range = is.null(given$range), smoothness = is.null(given$smoothness),
       correlation = is.null(given$correlation))
  lengths <- list(range = c(1L, 3L), smoothness = 2:3, variance = 1:2, nugget = 1:2)
  for (p in names(lengths)) if (!length(given[[p]]) %in% lengths[[p]])
    raise_engine_error("input", sprintf("%s has length %d: \"bimatern\" takes %s", p, length(given[[p]]),
                                        paste(lengths[[p]], collapse = " or ")))
  model <- matern_model(replace(given[matern_arguments], "name", "matern"))
  one_number("correlation", given$correlation, "")
  distance <- model$distance
  if (distance %in% c("greatcircle", "given"))
    input_error("distance", distance, "is not for \"bimatern\": chordal distances are, of coordinates")
  dim <- whole_number("dim", if (!is.null(given$dim)) given$dim else if (distance == "chordal") 3 else 2)
  if (distance == "chordal" && dim < 3L) input_error("dim", dim, "must be 3 for chordal distances")
  for (p in c("variance", "nugget")) model[[p]] <- rep_len(as.double(model[[p]]), 2L)
  correlation <- as.double(given$correlation)
  model <- structure(c(model, list(correlation = correlation, dim = as.double(dim), mean = check_mean(given$mean))),
                     class = "covModel")
  model$name <- "bimatern"
  most <- most_correlation(model)
  if (abs(correlation) > most)
    input_error("correlation", correlation,
                sprintf("must be at most %s in size with these parameters in dimension %d",
                        format(most, digits = 6), dim))
  model
}

# Of both variables and of the cross-covariance.
all_smoothness <- function(model)
  if (length(model$smoothness) == 3L) model$smoothness else c(model$smoothness, mean(model$smoothness))

# Theorem 3: the determinant of the spectral densities is not negative where the square of the correlation is at most
# a factor times the infimum over s, the squared wave number, of (a12^2 + s)^(2 nu12 + d)/((a1^2 + s)^(nu1 + d/2)
# (a2^2 + s)^(nu2 + d/2)), a the inverse ranges. That is at 0, at infinity, or at a root of its derivative.
most_correlation <- function(model) {
  nu <- all_smoothness(model)
  range <- rep_len(model$range, 3L)
  a2 <- switch(model$scaling, plain = 1, sqrt2nu = 2 * nu, sqrt8nu = 8 * nu) * (range[3L] / range)^2 # in one unit
  excess <- 2 * nu[3L] - nu[1L] - nu[2L]
  if (abs(excess) <= 8 * .Machine$double.eps * nu[3L]) nu[3L] <- (nu[1L] + nu[2L]) / 2
  else if (excess < 0) return(0)
  half <- model$dim / 2
  power <- c(nu[1L] + half, nu[2L] + half, -2 * (nu[3L] + half))
  # the derivative times the product of all three, a quadratic in s whose leading term is sum(power)
  others <- cbind(a2[c(2L, 1L, 1L)], a2[c(3L, 3L, 2L)])
  quadratic <- c(sum(power * others[, 1L] * others[, 2L]), sum(power * rowSums(others)), sum(power))
  if (abs(quadratic[3L]) < 1e-14 * sum(abs(power))) quadratic <- quadratic[1:2]
  roots <- if (any(quadratic[-1L] != 0)) polyroot(quadratic) else 0i
  s <- c(0, Re(roots)[abs(Im(roots)) < 1e-7 * Mod(roots) & Re(roots) > 0])
  level <- vapply(s, function(s) -sum(power * log(a2 + s)), 0)
  if (length(quadratic) == 2L) level <- c(level, 0) # at infinity
  size <- function(nu) lgamma(nu + half) - lgamma(nu)
  log_square <- size(nu[1L]) + size(nu[2L]) - 2 * size(nu[3L]) + sum(c(nu[1:2], -2 * nu[3L]) * log(a2)) + min(level)
  if (is.nan(log_square)) raise_engine_error("input", "the ranges of \"bimatern\" are too far apart")
  min(1, exp(log_square / 2))
}

# The Matern correlation of the first variable, the second, or of both (3).
bivariate_block <- function(model, k) {
  nu <- all_smoothness(model)
  own <- list(name = "matern", smoothness = nu[k], range = rep_len(model$range, 3L)[k], variance = 1, nugget = 0)
  replace(unclass(model)[matern_arguments], names(own), own)
}

# Of the variables and, third, of both, which are 1, 2 and 12 in names.
bivariate_parameters <- function(model) {
  numbered <- function(p) {
    n <- length(model[[p]])
    if (n == 1L) new_parameters(p) else new_parameters(p, seq_len(n), c(1, 2, 12)[seq_len(n)])
  }
  own <- lapply(c("variance", "range", "smoothness", "nugget"), numbered)
  do.call(join_parameters, c(own, list(new_parameters("correlation"), axes_parameters(model))))
}

# Of each block, the parameter of its Matern function that a derivative is for, and the factor of it.
bivariate_share <- function(model, deriv) {
  v <- model$variance
  cross <- model$correlation * sqrt(prod(v))
  known <- bivariate_parameters(model)
  at <- match(deriv, known$parameter)
  base <- if (deriv == "none" || known$base[at] == "scales") deriv else known$base[at]
  which <- known$element[at]
  one <- function(k, factor = c(v, cross)[k], inner = base) {
    factors <- numeric(3L)
    factors[k] <- factor
    list(inner = inner, factor = factors)
  }
  switch(base, none = one(1:3, inner = "none"), correlation = one(3L, sqrt(prod(v)), "none"),
         nugget = one(1L, 0, "none"),
         variance = one(c(which, 3L), c(1, if (model$correlation == 0 || v[3L - which] == 0) 0 else
           model$correlation * sqrt(v[3L - which] / v[which]) / 2), "none"), # infinite next to 0
         range = if (is.na(which)) one(1:3) else one(which),
         smoothness = if (length(model$smoothness) == 3L) one(which)
                      else one(c(which, 3L), c(v[which], cross / 2)),
         one(1:3))
}

bivariate_covariance <- function(model, x, y, deriv, error) {
  known <- c("none", bivariate_parameters(model)$parameter)
  if (!is.character(deriv) || length(deriv) != 1L || !deriv %in% known)
    input_error("deriv", deriv, paste("must be one of", toString(dQuote(known, FALSE))))
  if (inherits(x, "rfGrid")) input_error("x", "rfGrid", "has no variable: give coordinates and 1 or 2")
  a <- variable_points(x, "x", model)
  b <- if (is.null(y)) a else variable_points(y, "y", model)
  errors <- own_errors(error, length(a$variable), y)
  space <- if (model$distance == "chordal") 3 else ncol(a$xy)
  if (space > model$dim)
    input_error("dim", model$dim, sprintf("must be at least the dimension of space, %d", space))
  share <- bivariate_share(model, deriv)
  value <- matrix(0, length(a$variable), length(b$variable), dimnames = slice_names(list(a$names, b$names), NULL))
  own <- function(points, i) list(xy = points$xy[points$variable == i, , drop = FALSE], geographic = NA)
  for (i in 1:2) for (k in 1:2) {
    rows <- a$variable == i
    columns <- b$variable == k
    at <- if (i == k) i else 3L
    if (!any(rows) || !any(columns) || share$factor[at] == 0) next
    value[rows, columns] <- if (is.null(y) && i > k) t(value[columns, rows]) else
      share$factor[at] * covariance_matrix(list(bivariate_block(model, at)), own(a, i),
                                           if (!is.null(y) || i != k) own(b, k), share$inner)
  }
  if (is.null(y)) {
    nugget <- if (deriv == "none") model$nugget else as.numeric(deriv == c("nugget1", "nugget2"))
    diag(value) <- diag(value) + (nugget[a$variable] + if (deriv == "none" && !is.null(errors)) errors else 0)
  }
  value
}

# How to measure between points with the number of a variable after their coordinates.
bivariate_metric <- function(model, a) {
  a <- utils::modifyList(a, variable_points(a$xy, "x", model))
  metric_of(list(bivariate_block(model, 1L)), a, NULL)
}

# Coordinates, and the numbers of variables after them.
variable_points <- function(x, name, model) {
  points <- points_of(x, name, model)
  n <- ncol(points$xy)
  if (n < 2L)
    raise_engine_error("input", sprintf("%s has one column: the variable's number follows coordinates", name))
  variable <- points$xy[, n]
  odd <- which(!variable %in% 1:2)
  if (length(odd)) place_error(name, points$xy, odd[1L], n, "the last column has the number of the variable, 1 or 2")
  c(points["names"], list(xy = points$xy[, -n, drop = FALSE], variable = variable))
}

print_bivariate <- function(x, digits) {
  number <- function(v) toString(format(v, digits = digits, trim = TRUE))
  cat("Bivariate Matern covariance: variances ", number(x$variance), ", correlation ", number(x$correlation),
      "\nSmoothness of both variables and of the cross-covariance: ",
      number(all_smoothness(x)), "\nRange", if (length(x$range) > 1L) "s",
      ": ", number(x$range), "\n", sep = "")
  if (!isTRUE(all(x$nugget == 0))) cat("Nuggets:", number(x$nugget), "\n")
  print_scaling(x)
}

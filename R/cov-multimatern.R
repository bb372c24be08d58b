# The multivariate Matern model: parsimonious (Gneiting, Kleiber and Schlather 2010) with one range; with a range for
# each variable that of Apanasovich, Genton and Sun (2012) in which cross-covariances have the mean smoothness and the
# mean squared inverse range, D = E = 0 there.

multimatern_model <- function(given) {
  need(range = is.null(given$range), smoothness = is.null(given$smoothness))
  vectors <- given[c("variance", "range", "smoothness", if (!is.matrix(given$nugget)) "nugget")]
  matrices <- Filter(is.matrix, given[c("correlation", "nugget")])
  p <- count_variables("multimatern", lengths(vectors), matrices, given$variable)
  pair <- length(given$correlation) == 1L && !is.matrix(given$correlation) && !is.na(given$correlation)
  if (p == 1L && pair) p <- 2L
  need(correlation = p > 1L && is.null(given$correlation))
  for (base in c("variance", "smoothness")) given[[base]] <- rep_len(given[[base]], p)
  if (!length(given$range) %in% c(1L, p))
    input_error("range", given$range, sprintf("must be one number, or %d", p))
  given$nugget <- check_nuggets(given$nugget, p)
  model <- matern_of_variables(given)
  if (model$distance %in% c("greatcircle", "given"))
    input_error("distance", model$distance, "is not for \"multimatern\": chordal distances are, of coordinates")
  model[c("name", "nugget")] <- list("multimatern", given$nugget)
  model$correlation <- check_correlations(given$correlation, p)
  model <- structure(c(model, list(variable = check_variable(given$variable, p), dim = chordal_dim(given, model),
                                   mean = check_mean(given$mean))), class = "covModel")
  multimatern_valid(model)
  model
}

# Vectors of parameters with NA for what is not known.
matern_of_variables <- function(given) {
  filled <- given[matern_arguments]
  filled[c("name", "nugget")] <- list("matern", 0)
  for (base in c("variance", "range", "smoothness")) {
    v <- as.double(filled[[base]])
    filled[[base]] <- ifelse(is.na(v) & !is.nan(v), parameter_facts[[base]]$filler(given), v)
  }
  for (base in c("angle", "ratio")) if (is.na(filled[[base]])) filled[[base]] <- c(angle = 0, ratio = 0.5)[[base]]
  if (anyNA(filled$scales)) filled$scales[is.na(filled$scales)] <- 1
  model <- unclass(matern_model(filled))
  for (base in c("variance", "range", "smoothness", "angle", "ratio", if (!is.null(given$scales)) "scales"))
    model[[base]][is.na(given[[base]])] <- NA_real_
  model
}

# The dimension in which it is to be valid.
chordal_dim <- function(given, model) {
  dim <- whole_number("dim", if (!is.null(given$dim)) given$dim else if (model$distance == "chordal") 3 else 2)
  if (model$distance == "chordal" && dim < 3L) input_error("dim", dim, "must be 3 for chordal distances")
  as.double(dim)
}

# A matrix with unit diagonal, of a number for two variables and of NA for all.
check_correlations <- function(correlation, p) {
  if (p == 1L) return(diag(1))
  if (length(correlation) == 1L && (p == 2L || is_one_na(correlation))) {
    one_number_or_na("correlation", correlation)
    correlation <- matrix(as.double(correlation), p, p)
    diag(correlation) <- 1
  }
  correlation <- check_symmetric("correlation", correlation, p)
  diag(correlation)[is.na(diag(correlation))] <- 1
  odd <- abs(diag(correlation) - 1) > 1e-12
  if (any(odd)) input_error("correlation", diag(correlation)[odd][1L], "must have a diagonal of 1")
  diag(correlation) <- 1
  odd <- correlation[abs(correlation) > 1 & !is.na(correlation)]
  if (length(odd)) input_error("correlation", odd[1L], "must be from -1 to 1")
  correlation
}

one_number_or_na <- function(name, value) if (!is_one_na(value)) one_number(name, value, "")

# ---- validity ----

# Inverse squared ranges as K(h a) has them, of each pair of variables; of a matrix of smoothness the diagonal counts.
matern_scales <- function(model) {
  factor <- switch(model$scaling, plain = 1, sqrt2nu = 2 * model$smoothness, sqrt8nu = 8 * model$smoothness)
  own <- rep_len(factor / model$range^2, length(model$smoothness))
  outer(own, own, "+") / 2
}

mean_pairs <- function(x) outer(x, x, "+") / 2

# The correlations are those of a matrix beta times this. `rule` says which condition it is: with inverse ranges that
# are the same beta >= 0 is necessary and sufficient; for two variables beta from -1 to 1 is, by theorem 3 of
# Gneiting, Kleiber and Schlather; else it is sufficient. Theorem 1 of Apanasovich, Genton and Sun: a spectral density
# of variables i and j is proportional to rho_ij k_ij Gamma(nu_ij + d/2) (a_ij^2 + s)^-(nu_ij + d/2), whose last two
# factors are the integral of t^(nu_ij + d/2 - 1) exp(-t (a_ij^2 + s)) over t, a product of functions of i and of j.
# With derivatives of the logarithm by the smoothness and by the squared inverse range of i, in row i and column j.
multimatern_factors <- function(model) {
  nu <- model$smoothness
  a2 <- matern_scales(model)
  both <- mean_pairs(nu)
  half <- model$dim / 2
  own <- diag(a2)
  if (all(abs(own - own[1L]) <= 8 * .Machine$double.eps * own[1L])) {
    size <- function(v) lgamma(v + half) - lgamma(v)
    moved <- function(v) digamma(v + half) - digamma(v)
    value <- mean_pairs(size(nu)) - size(both)
    by_nu <- (moved(nu) - moved(both)) / 2
    by_scale <- 0 * both
    rule <- "parsimonious"
  } else if (length(nu) == 2L) return(two_factors(nu, own, half))
  else {
    value <- mean_pairs(nu * log(own) - lgamma(nu)) - both * log(a2) + lgamma(both)
    by_nu <- (log(own) - digamma(nu) - log(a2) + digamma(both)) / 2
    by_scale <- (nu / own - both / a2) / 2
    rule <- "flexible"
  }
  diag(value) <- diag(by_nu) <- diag(by_scale) <- 0
  list(value = exp(value), by_nu = by_nu, by_scale = by_scale, rule = rule)
}

# Of two variables the square of the largest correlation is a constant times the infimum of a function of s, the
# squared wave number, whose derivatives are those where it is, but for jumps from one place to another.
two_factors <- function(nu, own, half) {
  both <- mean(nu)
  a2 <- c(own, mean(own))
  power <- c(nu + half, -2 * (both + half))
  # the derivative by s times the product of all three; the sum of the powers is 0
  quadratic <- c(sum(power / a2) * prod(a2), sum(power * (sum(a2) - a2)))
  s <- -quadratic[1L] / quadratic[2L]
  s <- c(0, s[is.finite(s) & s > 0], Inf)
  level <- vapply(s, function(s) if (s < Inf) -sum(power * log(a2 + s)) else 0, 0)
  at <- s[which.min(level)]
  size <- function(v) lgamma(v + half) - lgamma(v)
  moved <- function(v) digamma(v + half) - digamma(v)
  value <- (sum(size(nu)) - 2 * size(both) + sum(nu * log(own)) - 2 * both * log(a2[3L]) + min(level)) / 2
  fall <- if (at < Inf) cbind(log(a2[3L] + at) - log(own + at),
                              (both + half) / (a2[3L] + at) - (nu + half) / (own + at)) else matrix(0, 2L, 2L)
  by_nu <- (moved(nu) - moved(both) + log(own) - log(a2[3L]) + fall[, 1L]) / 2
  by_scale <- (nu / own - both / a2[3L] + fall[, 2L]) / 2
  if (value >= 0) value <- by_nu <- by_scale <- c(0, 0)
  whole <- function(x) matrix(c(0, x, 0), 2L)[, , drop = FALSE]
  list(value = matrix(exp(c(0, value[1L], value[1L], 0)), 2L), by_nu = whole(by_nu[2:1]),
       by_scale = whole(by_scale[2:1]), rule = "two")
}

multimatern_valid <- function(model) {
  p <- length(model$smoothness)
  if (p == 1L || anyNA(model$correlation)) return(invisible())
  if (anyNA(c(model$smoothness, model$range))) return(invisible())
  found <- multimatern_factors(model)
  off <- model$correlation[2L, 1L]
  if (p == 2L) {
    if (abs(off) > found$value[2L, 1L] * (1 + 1e-10)) input_error("correlation", off, sprintf(
      "must be at most %s in size with these parameters in dimension %d", format(found$value[2L, 1L], digits = 6),
      model$dim))
    return(invisible())
  }
  beta <- model$correlation / found$value
  refuse_indefinite("beta", beta, sprintf(paste(
    ", the matrix of the correlations divided by the largest ones of pairs%s in dimension %d"),
    if (found$rule == "flexible") " by Apanasovich, Genton and Sun (2012)" else "", model$dim))
}

# ---- parameters ----

multimatern_parameters <- function(model) {
  range <- if (length(model$range) == 1L) new_parameters("range") else each_variable(model, "range")
  rows <- list(each_variable(model, "variance"), range, each_variable(model, "smoothness"),
               of_pairs(model, "correlation", FALSE), axes_parameters(model), nugget_parameters(model))
  do.call(join_parameters, Filter(Negate(is.null), rows))
}

multimatern_settle <- function(model) {
  model$correlation <- symmetric(model$correlation)
  if (is.matrix(model$nugget)) model$nugget <- symmetric(model$nugget)
  model
}

multimatern_terms <- function(model, slopes) {
  p <- length(model$smoothness)
  a2 <- matern_scales(model)
  nu <- mean_pairs(model$smoothness)
  sd <- sqrt(model$variance)
  own <- unclass(model)[c("distance", "angle", "ratio", "scales", "radius", "rotation")]
  pairs <- pairs_of(p)
  names <- if (slopes) multimatern_parameters(model)
  lapply(seq_len(nrow(pairs)), function(k) {
    i <- pairs[k, 1L]
    j <- pairs[k, 2L]
    range <- 1 / sqrt(a2[i, j])
    weight <- matrix(0, p, p)
    weight[i, j] <- weight[j, i] <- model$correlation[i, j] * sd[i] * sd[j]
    part <- c(list(name = "matern", variance = 1, range = range, smoothness = nu[i, j], scaling = "plain",
                   nugget = 0), own)
    list(part = part, pairs = pairs[k, , drop = FALSE], weight = weight,
         shares = if (slopes) multimatern_shares(model, names, i, j, range))
  })
}

# The range of a pair is a^-1 with a^2 = (a_i^2 + a_j^2)/2.
multimatern_shares <- function(model, names, i, j, range) {
  v <- model$variance
  rho <- model$correlation[i, j]
  p <- length(v)
  ranges <- rep_len(model$range, p)
  scale <- diag(matern_scales(model))
  weight <- function(value) {
    w <- matrix(0, p, p)
    w[i, j] <- w[j, i] <- value
    list(weight = w)
  }
  by_scale <- -range^3 / 4 # of each of both
  shares <- list()
  for (r in seq_along(names$parameter)) {
    k <- names$element[r]
    times <- if (is.na(k)) 0 else (i == k) + (j == k)
    share <- switch(names$base[r],
      variance = if (times == 2) weight(1) else if (times == 1) {
        other <- v[if (i == k) j else i]
        weight(if (rho == 0 || other == 0) 0 else rho * sqrt(other / v[k]) / 2) # infinite next to 0
      },
      range = if (is.na(k)) list(inner = c(range = range / model$range))
              else if (times) list(inner = c(range = -2 * times * by_scale * scale[k] / ranges[k])),
      smoothness = if (times) list(inner = c(smoothness = times / 2, range = if (model$scaling != "plain")
        times * by_scale * scale[k] / model$smoothness[k])),
      correlation = if (i != j && k == (i - 1L) * p + j) weight(sqrt(v[i] * v[j])),
      nugget = NULL, list(inner = stats::setNames(1, names$parameter[r])))
    if (!is.null(share)) shares[[names$parameter[r]]] <- share
  }
  shares
}

print_multimatern <- function(x, digits) {
  number <- function(v) toString(format(v, digits = digits, trim = TRUE))
  labels <- variable_labels(x)$one
  cat("Multivariate Matern covariance of ", count_text(length(labels), "variable"),
      if (!is.null(x$variable)) sprintf(": %s", toString(labels)), "\n", sep = "")
  table <- rbind(variance = x$variance, smoothness = x$smoothness, range = if (length(x$range) > 1L) x$range,
                 nugget = if (!isTRUE(all(x$nugget == 0))) nugget_variances(x))
  colnames(table) <- labels
  print(table, digits = digits)
  if (length(x$range) == 1L) cat("Range: ", number(x$range), "\n", sep = "")
  print_matrix("Correlations at one place:", if (length(labels) > 1L) x$correlation, labels, digits)
  print_matrix("Covariances of errors at one place:", if (is.matrix(x$nugget)) x$nugget, labels, digits)
  print_scaling(x)
}

print_matrix <- function(title, x, labels, digits) {
  if (is.null(x)) return(invisible())
  cat(title, "\n", sep = "")
  print(matrix(x, nrow(x), dimnames = list(labels, labels)), digits = digits)
}

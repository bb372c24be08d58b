# Fields that are functions of Gaussian ones, which keep grid and recipe, and their covariances.

#' Transformed random fields
#'
#' `rfTransform()` applies a function to the values of a Gaussian field at each point. It makes log-normal fields,
#' fields with any marginal distribution, categories (facies) by truncation, and any other function of a field. The
#' result is a field or a recipe like `x`, of which [predict()][predict.rfRecipe] computes the transformed values
#' at any points.
#'
#' The transform is one of
#' * `fun`, a vectorised function of the values, such as `exp` for log-normal fields or `function(z) z^2`, which is
#'   called for some of the values at a time;
#' * `quantile`, a vectorised quantile function, or a numeric vector, whose empirical quantiles (type 7 of
#'   [stats::quantile()]) are taken: values become \eqn{Q(\Phi((z - \mu)/\sigma))}{Q(Phi((z - mu)/sigma))} with the
#'   mean and the variance, nugget included, of the model, and have the marginal distribution Q;
#' * `breaks`, increasing levels: the value is 1 up to the first, 2 up to the second, and so on. `labels` are the
#'   names of these categories in keys of plots; the values are the numbers.
#'
#' The data of conditional fields are values of the Gaussian field.
#'
#' [covariance()] of the recipe of a transformed field is the covariance of its values. With the correlation
#' \eqn{\rho}{rho} of the Gaussian field it is \eqn{\sum_{k>0} c_k^2 \rho^k}{the sum of c_k^2 rho^k over k > 0}, with
#' the coefficients of the function in Hermite polynomials (Chiles and Delfiner 2012, section 6.4.2), of which 199 are
#' taken; what is left of the variance counts with \eqn{\rho^{199}}{rho^199}. For `breaks` it is an integral of the
#' bivariate normal density (Plackett 1954). It is that of fields without data and with a constant mean.
#' [rfVariogram()], [rfCovariance()] and [rfSpectrum()] compare transformed fields with it, and with the mean of their
#' values.
#'
#' @param x a field or a recipe by [tbrf()].
#' @param fun,quantile,breaks the transform: exactly one of these, see the details.
#' @param labels `NULL`, or a name for each of the categories by `breaks`, one more than these.
#' @return An object like `x`. Its recipe has the transform, and `covariance(recipe, x)` takes points or distances as
#'   [covariance()] of a model does.
#' @references
#' Chiles, J.-P. and Delfiner, P. (2012). *Geostatistics: Modeling Spatial Uncertainty*. Wiley, Hoboken.
#'
#' Plackett, R. L. (1954). A reduction formula for normal multivariate integrals. *Biometrika* **41**, 351--360.
#' @seealso [tbrf()], [rfFacies()] for categories by two fields and given data, [rfield]
#' @examples
#' set.seed(1)
#' field <- tbrf(rfGrid(0, 0.5, c(80, 60)), covModel("matern", range = 4, smoothness = 1.5))
#' permeability <- rfTransform(field, exp)
#' plot(permeability)
#' rock <- rfTransform(field, breaks = c(-0.5, 0.8), labels = c("clay", "silt", "sand"))
#' table(rock)
#' plot(rock)
#' rain <- rfTransform(field, quantile = function(p) qgamma(p, 2))
#' predict(rain, cbind(1.23, 4.56))
#'
#' # covariances of the values at some distances: Gaussian, log-normal
#' covariance(attr(field, "recipe")$model, c(0, 1, 5))
#' covariance(attr(permeability, "recipe"), c(0, 1, 5))
#' @export
rfTransform <- function(x, fun = NULL, quantile = NULL, breaks = NULL, labels = NULL) {
  need(x = missing(x))
  transform <- list(fun = fun, quantile = quantile, breaks = breaks)
  transform <- transform[!vapply(transform, is.null, NA)]
  if (length(transform) != 1L)
    raise_engine_error("input", sprintf("one of fun, quantile and breaks is needed: %s given",
                                        if (length(transform)) "several are" else "none is"))
  check_transform(transform)
  if (!is.null(labels)) transform <- with_labels(transform, labels)
  said <- switch(names(transform), fun = called(substitute(fun)), quantile = "quantiles", breaks = "categories")
  if (inherits(x, "rfRecipe")) return(with_transform(x, transform, said))
  if (inherits(x, "rfFile")) {
    if (is.null(x$stored)) x$stored <- length(x$recipe$transform)
    x$recipe <- with_transform(x$recipe, transform, said)
    return(x)
  }
  if (inherits(x, "rfield") && inherits(attr(x, "recipe"), "rfValues"))
    raise_engine_error("input", sprintf(
      "x has no recipe by tbrf() (%s): arithmetic transforms its values, such as exp(x)", format(attr(x, "recipe"))))
  if (!inherits(x, "rfield") || !inherits(attr(x, "recipe"), "rfRecipe"))
    input_error("x", class(x)[1L], "must be a field or a recipe by tbrf()")
  recipe <- attr(x, "recipe")
  whole <- with_transform(recipe, transform, said)
  recipe$transform <- transform
  value <- .Call(C_bandRoom, length(x))
  .Call(C_bandPut, value, 0, x, length(x))
  value <- transformed(recipe, value, own_places(x))
  dress(value, replace(attributes(x), "recipe", list(whole)))
}

check_transform <- function(transform) {
  what <- transform[[1L]]
  check_function(names(transform), what)
  switch(names(transform),
    fun = if (!is.function(what)) input_error("fun", class(what)[1L], "must be a function"),
    quantile = if (!is.function(what)) {
      check_numbers("quantile", what, "")
      if (length(what) < 2L) input_error("quantile", what, "must be a function, or two or more values")
    },
    breaks = {
      check_numbers("breaks", what, "")
      if (!length(what)) input_error("breaks", what, "must have a level")
      if (any(diff(what) <= 0)) name_value("breaks", what, c(FALSE, diff(what) <= 0), "must increase")
    })
}

with_labels <- function(transform, labels) {
  if (is.null(transform$breaks)) raise_engine_error("input", "labels are for categories by breaks")
  n <- length(transform$breaks) + 1L
  if (!is.atomic(labels) || length(labels) != n || anyNA(labels) || anyDuplicated(labels))
    input_error("labels", labels, sprintf("must be %d different names, one for each category", n))
  attr(transform$breaks, "labels") <- as.character(labels)
  transform
}

# The name of a function, or what it is in short, for files.
called <- function(code) {
  text <- paste(trimws(deparse(code)), collapse = " ")
  if (nchar(text) > 80L) "a function" else text
}

# Of several transforms each takes the values of the one before.
with_transform <- function(recipe, transform, said) {
  refuse_variables(recipe, "transforms are")
  if (!is.null(recipe$vector) || !is.null(recipe$derived))
    raise_engine_error("input", "x has vectors or derivatives: transforms are for scalar fields")
  if (!is.null(recipe$marginal))
    raise_engine_error("input", "x has a distribution of its own (marginal): arithmetic makes functions of it")
  if (names(transform) == "quantile")
    refuse_intrinsic(recipe$model, "has no distribution at a point: quantile is for models with a variance")
  if (names(transform) == "quantile" && !is.null(recipe$transfer))
    raise_engine_error("input", "x has a transfer function, and so another variance than its model")
  if (names(transform) == "quantile" && (length(recipe$transform) || !is.null(recipe$facies)))
    raise_engine_error("input", "quantile is for Gaussian fields: x is transformed already")
  recipe$transform <- c(recipe$transform, transform)
  recipe$applied <- c(recipe$applied, said)
  recipe
}

# Values of Gaussian fields at places, a vector or with a column for each field, by the transforms of the recipe: in
# place, of values that nobody else has, some at a time: what a function warns of is told once.
transformed <- function(recipe, value, places) {
  told <- NULL
  withCallingHandlers(transform_values(recipe, value, places), warning = function(w) {
    if (conditionMessage(w) %in% told) tryInvokeRestart("muffleWarning")
    told <<- c(told, conditionMessage(w))
  })
}

transform_values <- function(recipe, value, places) {
  for (at in seq(0, by = places$n, length.out = length(value) / max(places$n, 1)))
    for (first in seq(0, by = 2^18, length.out = ceiling(places$n / 2^18))) {
      some <- first + seq_len(min(2^18, places$n - first))
      z <- value[at + some]
      for (k in seq_along(recipe$transform)) {
        how <- recipe$transform[k]
        z <- if (names(how) != "quantile") step_values(how, z)
             else quantile_values(how[[1L]], (z - mean_of(recipe, places, some)) / sqrt(model_variance(recipe$model)))
      }
      .Call(C_bandPut, value, at + first, as.double(z), length(some))
      if (places$n > 2^20) gc(full = FALSE)
    }
  value
}

mean_of <- function(recipe, places, at) {
  mean <- recipe$model$mean
  if (is.function(mean)) drift_at(mean, places_points(places, at)) else mean
}

step_values <- function(how, z) {
  value <- if (names(how) == "fun") how[[1L]](z) else findInterval(z, how[[1L]], left.open = TRUE) + 1
  if (!is.numeric(value) && !is.logical(value) || length(value) != length(z))
    raise_engine_error("input", sprintf("fun must give a number for each value: it gave %d for %d", length(value),
                                        length(z)))
  as.double(value)
}

# Beyond 8.2 standard deviations the upper tail has no number below 1.
quantile_values <- function(quantile, u) {
  p <- stats::pnorm(pmax(pmin(u, 8.2), -8.2))
  if (!is.function(quantile)) return(stats::approx(seq(0, 1, length.out = length(quantile)), sort(quantile), p)$y)
  value <- quantile(p)
  if (!is.numeric(value) || length(value) != length(p) || anyNA(value[!is.na(p)]))
    raise_engine_error("input", "quantile must give a number for each probability")
  value
}

transform_text <- function(recipe) if (length(recipe$transform)) paste0(", transformed by ", paste(
  vapply(seq_along(recipe$transform), function(k) switch(names(recipe$transform)[k], fun = "a function",
    quantile = "quantiles", breaks = count_text(length(recipe$transform[[k]]), "break")), ""), collapse = " and "))

#' @rdname covariance
#' @export
covariance.rfRecipe <- function(model, x, y = NULL, ...) {
  refuse_extra("covariance", ...)
  need(x = missing(x))
  recipe <- model
  if (!is.null(recipe$facies)) raise_engine_error("input", paste(
    "categories by rfFacies() are no quantity: rfTransitions() has how often one follows another"))
  other <- !is.null(recipe$vector) || !is.null(recipe$derived) || !is.null(recipe$transfer)
  if (other || identical(recipe$motion$kind, "amplitudes"))
    raise_engine_error("input", "covariances are those of scalar fields by their model: that of model is another")
  value <- covariance(recipe$model, x, y)
  if (!length(recipe$transform)) return(value)
  if (!is.null(recipe$data) || is.function(recipe$model$mean))
    raise_engine_error("input", "covariances of transformed fields are those without data and with a constant mean")
  moments <- transformed_moments(recipe)
  if (is.null(moments)) raise_engine_error("input", "the transform and its variance must be finite")
  value[] <- transformed_covariance(moments, as.vector(value))
  value
}

# Of transformed values without data: their mean, the variance of the Gaussian ones, and what their covariance is made
# of, breaks in standard units, or squares of Hermite coefficients, the last with what is left of the variance. NULL
# where the transform is not finite, or its variance so far as can be seen. What it warns of at 20 standard deviations
# is no matter.
transformed_moments <- function(recipe) {
  variance <- model_variance(recipe$model)
  how <- recipe$transform
  if (length(how) == 1L && names(how) == "breaks") {
    at <- (how[[1L]] - recipe$model$mean) / sqrt(variance)
    return(list(mean = 1 + sum(stats::pnorm(at, lower.tail = FALSE)), gaussian = variance, breaks = at))
  }
  values <- function(u) suppressWarnings(transformed(recipe, recipe$model$mean + sqrt(variance) * u,
                                                     list(n = length(u))))
  if ("quantile" %in% names(how)) {
    jumps <- jumps_of(values)
    if (!is.null(jumps)) return(c(jump_moments(jumps), gaussian = variance))
  }
  edges <- seq(-20, 20, by = 0.1)
  panels <- resolved_panels(function(u) { # down to jumps, where there are some
    g <- values(u)
    ifelse(is.finite(g), g, 0) * stats::dnorm(u)
  }, edges[-length(edges)], edges[-1L])
  u <- lapply(panel_nodes(panels$left, panels$right), c)
  g <- values(u$x)
  if (any(!is.finite(g[abs(u$x) < 8]))) return(NULL)
  weight <- u$w * stats::dnorm(u$x) * is.finite(g)
  g[!is.finite(g)] <- 0
  mean <- sum(weight * g)
  variation <- weight * (g - mean)^2
  if (sum(variation[abs(u$x) > 18]) > 1e-10 * sum(variation)) return(NULL)
  if ("quantile" %in% names(how) && !tail_is_light(variation, abs(u$x))) return(NULL)
  squares <- hermite_squares(weight * (g - mean), u$x)
  last <- length(squares)
  squares[last] <- sum(variation) - sum(squares[-last])
  list(mean = mean, gaussian = variance, squares = squares)
}

# Quantiles stay those of 8.2 standard deviations further out, whatever the tail. What lies there is told by the
# shells before: as the shell from 7.2 to 8.2 is to that from 6.2, so is each to the one before it, and they may have
# 1 in 100 of the variance. The tail of a power with exponent 2 or less has shells that do not fall.
tail_is_light <- function(variation, u) {
  inner <- sum(variation[u > 6.2 & u <= 7.2])
  outer <- sum(variation[u > 7.2 & u <= 8.2])
  outer < 1e-6 * sum(variation) || outer < inner && outer^2 / (inner - outer) < 0.01 * sum(variation)
}

# The covariance of two values whose Gaussian ones have these covariances.
transformed_covariance <- function(moments, covariance) {
  rho <- pmin(pmax(covariance / moments$gaussian, -1), 1)
  if (!is.null(moments$breaks)) return(break_covariance(moments$breaks, rho))
  value <- 0 * rho
  for (square in rev(moments$squares)) value <- rho * (square + value)
  value
}

transformed_variance <- function(moments) transformed_covariance(moments, moments$gaussian)

# Squares of the coefficients in normalised Hermite polynomials of degrees 1 to 199.
hermite_squares <- function(weighted, u) hermite_sums(weighted, u, 199L)[-1L]^2

# Sums of the polynomials of degrees 0 to n.
hermite_sums <- function(weighted, u, n) {
  before <- 0
  h <- 1
  sums <- c(sum(weighted), numeric(n))
  for (k in seq_len(n)) {
    after <- (u * h - sqrt(k - 1) * before) / sqrt(k)
    before <- h
    h <- after
    sums[k + 1L] <- sum(weighted * h)
  }
  sums
}

# Where a function that only jumps, as quantiles of counts do, has its jumps, to 1e-13, their heights and the first
# value; NULL for other functions, and for more than 32768 jumps, each of which is a small part of the spread then.
jumps_of <- function(values) {
  u <- seq(-8.25, 8.25, length.out = 4097L)
  g <- values(u)
  if (any(!is.finite(g)) || all(g == g[1L]) || sum(values(u + 1e-9) != g) > 4) return(NULL)
  first <- g[1L]
  left <- list(u = u[-4097L], g = g[-4097L])
  right <- list(u = u[-1L], g = g[-1L])
  for (halving in 0:36) {
    at <- which(left$g != right$g)
    if (length(at) > 32768L) return(NULL)
    left <- lapply(left, `[`, at)
    right <- lapply(right, `[`, at)
    middle <- list(u = (left$u + right$u) / 2)
    middle$g <- values(middle$u)
    left <- Map(c, left, middle)
    right <- Map(c, middle, right)
  }
  at <- which(left$g != right$g)
  at <- at[order(left$u[at])]
  list(at = right$u[at], height = right$g[at] - left$g[at], first = first)
}

# The integral of the Hermite polynomial H_n times the density from a to infinity is H_(n - 1)(a) times the density
# at a.
jump_moments <- function(jumps) {
  above <- stats::pnorm(jumps$at, lower.tail = FALSE)
  mean <- jumps$first + sum(jumps$height * above)
  level <- jumps$first + c(0, cumsum(jumps$height))
  squares <- hermite_sums(jumps$height * stats::dnorm(jumps$at), jumps$at, 198L)^2 / seq_len(199L)
  squares[199L] <- sum(-diff(c(1, above, 0)) * (level - mean)^2) - sum(squares[-199L])
  list(mean = mean, squares = squares)
}

# Of indicators: the sum over pairs of levels of what their probability of being below both has beyond independence.
break_covariance <- function(at, rho) {
  value <- numeric(length(rho))
  for (a in at) for (b in at) value <- value + normal_excess(a, b, rho)
  value
}

# P(U < a, V < b) - P(U < a) P(V < b) of standard normal U and V with the correlations rho. Plackett (1954): the
# derivative of the bivariate normal distribution function by rho is its density, and with rho = sin(t) the root in
# its denominator goes away.
normal_excess <- function(a, b, rho) {
  rule <- panel_rule(seq(0, 1, length.out = 9L))
  angle <- asin(rho)
  density <- function(t) exp(-(a - b)^2 / (2 * cos(t)^2) - a * b / (1 + sin(t))) / (2 * pi)
  value <- numeric(length(rho))
  for (k in seq_along(rule$x)) value <- value + angle * rule$w[k] * density(angle * rule$x[k])
  value
}

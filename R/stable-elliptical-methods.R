# Methods of the class mstableFit.

#' Methods for fits of elliptical stable distributions
#'
#' What is special about the results of [mstableFit()]; what all fits have in common is on the page
#' [statclFit-methods].
#'
#' A portfolio with the weights `w` has the univariate stable distribution with index `alpha`, scale
#' \eqn{\sqrt{w'Sw}}{sqrt(w'Sw)} and location \eqn{w'\delta}{w'delta}. `quantile` and `esstable` give its quantiles
#' (values at risk) and expected shortfalls by [qstable()] and [esstable()], with standard errors by the delta method
#' and normal limits. A matrix of weights has a portfolio in each row.
#'
#' `predict` gives the distribution of the missing values in each row of `newdata` given the others, which is
#' elliptical with the location and the matrix of the normal case; its density is a quotient of radial densities, and
#' quantiles of each variable come from an integral of that. (It is no stable distribution, and its tails are
#' lighter.)
#'
#' The residuals of type `"radius"` are \eqn{\sqrt{(x-\delta)'S^{-1}(x-\delta)}}{sqrt((x - delta)'S^-1(x - delta))} of
#' the values that are there, those of type `"pit"` the probabilities of smaller ones, and `"quantile"` standard
#' normal quantiles of these.
#'
#' Maximum likelihood estimates have a bias of order 1/n. `summary` says what is left of `alpha` without that, for a
#' full matrix, data without missing values and an `alpha` away from 2: the formula of Cox and Snell (1968), to which
#' the elements of S and the location contribute, gives the component `bias` (`NA` elsewhere). It is small beside the
#' standard error: 1.1/n for `alpha` 1.6 in five dimensions, which is 0.05 standard errors at n = 1000.
#'
#' Limits by `confint(, method = "profile")` and [profile()] are there for alpha, as is right next to 2, where the
#' estimate is not normal; on the boundary 2 they are the limits that `confint` gives by default.
#'
#' `anova` compares fits to the same data; of a single fit it gives the log likelihoods and AIC of that with a
#' diagonal matrix and of independent symmetric margins, each with its own index, beside it. `plot` draws the pairs of
#' up to eight variables with contours that hold 50, 95 and 99 % of the distribution of each pair, and the quantiles
#' of the radius.
#'
#' @param object,x,p a fit by [mstableFit()].
#' @param nsim number of samples.
#' @param seed `NULL`, or a seed of R's generator.
#' @param probs probabilities.
#' @param portfolio weights of the variables: a vector, or a matrix with a row for each portfolio.
#' @param interval if `TRUE`, standard errors and limits are added.
#' @param level level of the limits; in `plot` the probability of the band of the radius, `NA` for none.
#' @param ask as for [plot.stableFit()].
#' @param lower.tail if `TRUE`, shortfalls are means below the quantiles, and probabilities of quantiles those of
#'   smaller values.
#' @param newdata a matrix or data frame with the columns of the fit, some values of which are missing, the others
#'   finite; columns may be left out.
#' @param which `"pairs"`, `"qq"`, or both, or their numbers.
#' @param type type of the residuals; of `predict`, see Value.
#' @param digits number of significant digits.
#' @param ... graphical parameters for `plot`; else not used.
#' @return `quantile` and `esstable` give a vector, or a matrix with a row for each portfolio; with `interval` a data
#'   frame with a row for each portfolio and probability and the columns `portfolio`, `prob`, `estimate`, `std.error`,
#'   `lower` and `upper`. `predict` gives a data frame with a row for each value that is predicted: `row`, `variable`,
#'   `location`, `scale` (the root of the diagonal of the conditional matrix), and a column for each probability; with
#'   `type = "distribution"` a list with an element for each row: `location`, the matrix `scale`, how many values are
#'   `given` and their `radius`, and `density`, a function of points in rows.
#'   `residuals` gives a vector, `simulate` a list of matrices like the data, `augment` a data frame of the data with
#'   `.radius`, `.cdf`, `.resid` and `.weight`, the weight of the row in the estimates of location and matrix relative
#'   to the largest possible one.
#' @references
#' Cox, D. R. and Snell, E. J. (1968). A general definition of residuals. *Journal of the Royal Statistical Society B*
#' **30**, 248--275.
#' @name mstableFit-methods
#' @seealso [mstableFit()], [statclFit-methods]
#' @examples
#' fit <- mstableFit(100 * diff(log(datasets::EuStockMarkets)))
#' summary(fit)
#' confint(fit, "alpha", method = "profile")
#' w <- rbind(equal = rep(1 / 4, 4), german = c(1, 0, 0, 0))
#' quantile(fit, 0.01, portfolio = w, interval = TRUE)
#' esstable(fit, 0.01, portfolio = w)
#' predict(fit, data.frame(DAX = -3, CAC = NA), probs = c(0.05, 0.5, 0.95))
#' plot(fit)
NULL

#' @exportS3Method NULL
fit_text.mstableFit <- function(fit) {
  d <- length(fit$delta)
  utils::modifyList(NextMethod(), list(
    title = sprintf("Elliptical stable distribution of %d variable%s, %s", d, if (d == 1L) "" else "s", switch(
      fit$structure, full = "S full", diagonal = "S diagonal",
      factor = sprintf("S of %s", count_text(fit$factors, "factor")))),
    steps = count_text(fit$evaluations, "likelihood"), residuals = "Radii",
    tests = "Likelihood ratio tests of elliptical stable distributions"))
}

#' @exportS3Method NULL
shown_parameters.mstableFit <- function(fit) !(fit$parameters$fixed & startsWith(rownames(fit$vcov), "S["))

#' @exportS3Method NULL
residual_range.mstableFit <- function(fit)
  five_numbers(stats::quantile(residuals(fit), names = FALSE, na.rm = TRUE))

#' @exportS3Method NULL
fit_label.mstableFit <- function(fit)
  paste0(switch(fit$structure, full = "S full", diagonal = "S diagonal",
                factor = sprintf("S of %s", count_text(fit$factors, "factor"))), known_text(fit, ", %s"))

#' @exportS3Method NULL
check_comparable.mstableFit <- function(fit, fits) {
  data <- lapply(fits, function(f) unclass(f)[c("x", "weights")])
  if (!all(vapply(data, identical, NA, data[[1L]])))
    raise_engine_error("input", "the fits are not of the same sample")
}

# Beside the fit: the diagonal matrix, which shares the mixing variable, and independent symmetric margins, whose
# model is not a part of the others.
#' @exportS3Method NULL
test_terms.mstableFit <- function(fit) {
  x <- fit$x
  weight <- if (is.null(fit$weights)) rep(1, nrow(x)) else fit$weights
  alone <- vapply(seq_len(ncol(x)), function(j) {
    some <- !is.na(x[, j]) & weight > 0
    if (length(fit$delta) == 1L) return(fit$loglik)
    stableFit(x[some, j], fixed = list(beta = 0), weights = if (!is.null(fit$weights)) weight[some])$loglik
  }, 0)
  fits <- if (fit$structure != "diagonal" && length(fit$delta) > 1L)
    list(mstableFit(x, "diagonal", weights = fit$weights))
  df <- c(3 * ncol(x), vapply(fits, `[[`, 0L, "dimension"), fit$dimension)
  loglik <- c(sum(alone), vapply(fits, `[[`, 0, "loglik"), fit$loglik)
  labels <- c("independent margins", vapply(fits, function(f) fit_label(f), ""), fit_label(fit))
  table <- data.frame("#Df" = df, LogLik = loglik, AIC = 2 * df - 2 * loglik, check.names = FALSE)
  rownames(table) <- labels
  structure(table, heading = c("Elliptical stable distribution beside simpler models\n",
                               "(independent margins are symmetric stable, each with an index of its own)"),
            class = c("anova", "data.frame"))
}

#' @rdname mstableFit-methods
#' @export
print.mstableFit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  text <- fit_text(x)
  cat(text$title, "\n\n", sep = "")
  print_table(estimates_table(x, "distribution")[1L, ], digits, max(digits - 1L, 2L))
  d <- length(x$delta)
  shown <- if (d > 12L) 8L else d
  cat(if (shown < d) sprintf("\nLocation and S of the first %d variables:\n", shown) else "\nLocation and S:\n")
  table <- cbind(delta = x$delta, x$S[, seq_len(shown), drop = FALSE])[seq_len(shown), , drop = FALSE]
  names <- if (is.null(names(x$delta))) seq_len(d) else names(x$delta)
  dimnames(table) <- list(names[seq_len(shown)], c("delta", names[seq_len(shown)]))
  print(table, digits = digits)
  cat(sprintf("\n%s %s (df = %d), %s\n", text$likelihood, format_finely(x$loglik, digits), as.integer(x$df),
              text$observations))
  writeLines(x$notes)
  invisible(x)
}

#' @rdname mstableFit-methods
#' @export
residuals.mstableFit <- function(object, type = c("radius", "pit", "quantile"), ...) {
  check_extra(...)
  type <- choice("type", type)
  r <- fit_radii(object)
  value <- if (type == "radius") r$radius else {
    tails <- radius_tails(r, object$alpha)
    probability_residuals(list(lower = tails[, 1L], upper = tails[, 2L]), type)
  }
  stats::setNames(value, rownames(object$x))
}

# Logs of P(R <= r) and P(R > r) of the radii of fit_radii().
radius_tails <- function(r, alpha) {
  tails <- matrix(NA_real_, length(r$radius), 2L)
  for (d in setdiff(unique(r$size), 0L)) {
    some <- which(r$size == d)
    tails[some, ] <- .Call(C_ellipticalTails, r$radius[some], as.double(alpha), as.double(d))
  }
  tails
}

# Radius of the values that are there, and their number, of each row.
fit_radii <- function(fit, x = fit$x) {
  there <- !is.na(x)
  size <- rowSums(there)
  radius <- rep(NA_real_, nrow(x))
  key <- apply(there, 1L, function(v) paste(which(v), collapse = " "))
  for (rows in split(seq_along(key), key)) {
    at <- which(there[rows[1L], ])
    if (length(at)) radius[rows] <- elliptical_radius(x[rows, at, drop = FALSE], fit$delta[at],
                                                      t(chol(fit$S[at, at, drop = FALSE])))
  }
  list(radius = radius, size = unname(size))
}

#' @rdname mstableFit-methods
#' @export
simulate.mstableFit <- function(object, nsim = 1, seed = NULL, ...) {
  check_extra(...)
  nsim <- whole_number("nsim", nsim)
  n <- if (is.null(object$weights)) nrow(object$x) else {
    if (any(object$weights != round(object$weights))) element_error(
      "weights", object$weights, object$weights != round(object$weights),
      "only whole numbers say how many observations a sample has")
    sum(object$weights)
  }
  with_seed(seed, {
    draws <- lapply(seq_len(nsim), function(i) rmstable(n, object$alpha, object$S, unname(object$delta)))
    names(draws) <- paste0("sim_", seq_len(nsim))
    draws
  })
}

# ---- portfolios ----

portfolio_rows <- function(fit, portfolio) {
  d <- length(fit$delta)
  if (is.null(portfolio)) raise_engine_error("input", sprintf(
    "portfolio is missing: weights of the %s", count_text(d, "variable")))
  portfolio <- numbers_in_rows("portfolio", portfolio)
  check_numbers("portfolio", c(portfolio), "")
  w <- if (!is.null(dim(portfolio))) portfolio
       else matrix(as.double(portfolio), 1L, dimnames = list(NULL, names(portfolio)))
  if (ncol(w) != d) raise_engine_error("input", sprintf(
    "portfolio has %d %s: it must have %d, one for each variable", ncol(w),
    if (is.null(dim(portfolio))) "elements" else "columns", d))
  names <- colnames(w)
  known <- names(fit$delta)
  if (!is.null(names) && !is.null(known)) {
    if (anyDuplicated(names) || length(setdiff(names, known)))
      input_error("portfolio", names, paste("must have the names of variables:", toString(known, 100L)))
    w <- w[, match(known, names), drop = FALSE]
  }
  none <- rowSums(w != 0) == 0
  if (any(none)) raise_engine_error("input", "portfolio has weights that are all 0")
  w
}

# Values by f(alpha), those of the standard symmetric distribution for each probability, and their derivatives.
portfolio_values <- function(fit, portfolio, probs, f, interval, level) {
  check_probs(probs)
  check_level(level)
  probs <- as.double(probs)
  interval <- one_flag("interval", interval)
  w <- portfolio_rows(fit, portfolio)
  m <- nrow(w)
  size <- apply(abs(w), 1L, max) # whose squares need not be numbers
  w <- w / size
  k <- length(probs)
  location <- drop(w %*% fit$delta)
  scale <- sqrt(rowSums((w %*% fit$S) * w))
  unit <- f(fit$alpha)
  value <- size * (location + outer(scale, unit))
  label <- names(stats::quantile(0, probs))
  dimnames(value) <- list(rownames(w), label)
  if (!interval) return(if (m == 1L && is.null(rownames(w))) stats::setNames(c(value), label) else value)
  a <- fit$alpha
  step <- min(1e-4, (2 - a) / 2.01, if (a > 1) (a - 1) / 16 else Inf)
  slope <- if (step > 0) (f(a + step) - f(a - step)) / (2 * step) else 0 * unit
  S <- fit$S
  low <- which(lower.tri(S, TRUE), arr.ind = TRUE)
  cov <- fit$vcov
  cov[is.na(cov)] <- 0
  error <- matrix(NA_real_, m, k)
  for (i in seq_len(m)) {
    by_scale <- w[i, low[, 1L]] * w[i, low[, 2L]] * ifelse(low[, 1L] == low[, 2L], 1, 2) / (2 * scale[i])
    for (j in seq_len(k)) {
      g <- c(scale[i] * slope[j], w[i, ], unit[j] * by_scale)
      error[i, j] <- if (is.finite(unit[j])) size[i] * sqrt(max(sum(g * (cov %*% g)), 0)) else NA
    }
  }
  if (all(is.na(fit$vcov))) error[] <- NA
  z <- stats::qnorm((1 + level) / 2)
  names <- if (is.null(rownames(w))) seq_len(m) else rownames(w)
  table <- data.frame(portfolio = rep(names, k), prob = rep(probs, each = m), estimate = c(value),
                      std.error = c(error), lower = c(value - z * error), upper = c(value + z * error))
  table <- table[order(rep(seq_len(m), k)), , drop = FALSE]
  rownames(table) <- NULL
  table
}

#' @rdname mstableFit-methods
#' @export
quantile.mstableFit <- function(x, probs = c(0.01, 0.05, 0.5, 0.95, 0.99), portfolio = NULL, interval = FALSE,
                                level = 0.95, lower.tail = TRUE, ...) {
  check_extra(...)
  lower <- one_flag("lower.tail", lower.tail)
  portfolio_values(x, portfolio, probs, function(alpha)
    qstable(as.double(probs), alpha, 0, lower.tail = lower), interval, level)
}

#' @rdname mstableFit-methods
#' @export
esstable.mstableFit <- function(p, probs = c(0.01, 0.05), portfolio = NULL, interval = FALSE, level = 0.95,
                                lower.tail = TRUE, ...) {
  check_extra(...)
  lower <- one_flag("lower.tail", lower.tail)
  portfolio_values(p, portfolio, probs, function(alpha)
    suppressWarnings(esstable.default(as.double(probs), alpha, 0, lower.tail = lower)), interval, level)
}

# ---- conditional distributions ----

#' @rdname mstableFit-methods
#' @export
predict.mstableFit <- function(object, newdata, probs = NULL, type = c("table", "distribution"), ...) {
  check_extra(...)
  type <- choice("type", type)
  need(newdata = missing(newdata))
  if (!is.null(probs)) {
    check_probs(probs)
    probs <- as.double(probs)
  }
  d <- length(object$delta)
  known <- names(object$delta)
  x <- numbers_in_rows("newdata", newdata)
  if (is.null(dim(x))) x <- matrix(x, 1L, dimnames = list(NULL, names(x)))
  storage.mode(x) <- "double"
  if (any(is.infinite(x)))
    input_error("newdata", x[is.infinite(x)][1L], "must be finite, or missing where it is to be predicted")
  names <- colnames(x)
  if (!is.null(names) && !is.null(known)) {
    wrong <- setdiff(names, known)
    if (length(wrong)) input_error("newdata", wrong, paste("must have columns of the fit:", toString(known, 100L)))
    whole <- matrix(NA_real_, nrow(x), d)
    wanted <- match(names, known)
    whole[, wanted] <- x
    x <- whole
  } else {
    if (ncol(x) != d)
      raise_engine_error("input", sprintf("newdata has %d columns: it must have %d, or names", ncol(x), d))
    wanted <- seq_len(d)
  }
  # of columns that were left out nobody asks, unless all that are there are given
  asked <- if (anyNA(x[, wanted])) wanted else seq_len(d)
  label <- if (is.null(known)) seq_len(d) else known
  rows <- lapply(seq_len(nrow(x)), function(i) {
    out <- intersect(which(is.na(x[i, ])), asked)
    if (length(out)) conditional_distribution(object, x[i, ], out, label)
  })
  if (all(lengths(rows) == 0L)) raise_engine_error("input", "newdata has no missing values to predict")
  if (type == "distribution") return(rows)
  tables <- lapply(which(lengths(rows) > 0L), function(i) {
    one <- rows[[i]]
    scale <- sqrt(diag(one$scale))
    table <- data.frame(row = i, variable = names(one$location), location = unname(one$location),
                        scale = unname(scale))
    if (!is.null(probs)) {
      q <- conditional_quantiles(probs, object$alpha, one$given, one$radius)
      values <- one$location + outer(unname(scale), q)
      colnames(values) <- names(stats::quantile(0, probs))
      table <- cbind(table, values)
    }
    table
  })
  value <- do.call(rbind, tables)
  rownames(value) <- NULL
  value
}

# That of the variables `out` given the others in x that are there.
conditional_distribution <- function(fit, x, out, label) {
  here <- which(!is.na(x))
  location <- fit$delta[out]
  S <- fit$S[out, out, drop = FALSE]
  r <- 0
  if (length(here)) {
    factor <- t(chol(fit$S[here, here, drop = FALSE]))
    y <- forwardsolve(factor, x[here] - fit$delta[here])
    to <- forwardsolve(factor, fit$S[here, out, drop = FALSE])
    location <- location + drop(crossprod(to, y))
    S <- S - crossprod(to)
    r <- elliptical_radius(t(x[here]), fit$delta[here], factor)
  }
  names(location) <- label[out]
  dimnames(S) <- list(label[out], label[out])
  alpha <- fit$alpha
  given <- length(here)
  density <- function(y, log = FALSE) {
    y <- elliptical_points("y", y, length(location))
    own <- elliptical_matrix(S)
    own_r <- elliptical_radius(y, unname(location), own$factor)
    most <- pmax(own_r, r, 1e-300)
    of <- most * sqrt((own_r / most)^2 + (r / most)^2)
    base <- if (given) elliptical_values(max(r, 1e-300), alpha, given)[, 1L] else 0
    value <- elliptical_values(of, alpha, given + length(location))[, 1L] - base - own$half_log_det
    if (is_true(log)) value else exp(value)
  }
  list(location = location, scale = S, given = given, radius = r, density = density)
}

# Quantiles of one variable with unit conditional scale given d others at the radius r: the density is
# h(sqrt(r^2 + t^2)) in d + 1 dimensions over h(r) in d. The probability of |T| > t is an integral in log t by the
# trapezoid rule, with the two next terms of Euler and Maclaurin at t, and is interpolated by cubics in its logit; its
# error is below 1e-8 of it.
conditional_quantiles <- function(probs, alpha, d, r) {
  if (d == 0L) return(qstable(probs, alpha, 0))
  if (alpha == 2) return(stats::qnorm(probs) * sqrt(2))
  # so far out the density is a power of r
  if (r > 1e100) return(r / 1e100 * conditional_quantiles(probs, alpha, d, 1e100))
  step <- 0.02
  u <- seq(log(max(r, 0.01)) - 40, log(max(r, 1)) + 10 + 60 / (alpha + d), by = step) # T > t falls as t^-(alpha + d)
  far <- exp(u) * sqrt(1 + (r * exp(-u))^2)
  f <- exp(elliptical_values(far, alpha, d + 1L)[, 1L] - elliptical_values(max(r, 1e-300), alpha, d)[, 1L] + u)
  n <- length(f)
  k <- 3:(n - 2L)
  first <- (8 * (f[k + 1L] - f[k - 1L]) - (f[k + 2L] - f[k - 2L])) / 12
  third <- (f[k + 2L] - f[k - 2L] - 2 * (f[k + 1L] - f[k - 1L])) / 2
  total <- sum(f)
  beyond <- (rev(cumsum(rev(f)))[k] - 0.5 * f[k] + first / 12 - third / 720) / total
  # logit, with the part within t summed up on its own where it is small
  within <- (cumsum(f)[k] - 0.5 * f[k] - first / 12 + third / 720) / total
  known <- beyond > 0 & within > 0
  logit <- log(within[known]) - log(beyond[known])
  at <- !duplicated(logit)
  curve <- stats::splinefun(logit[at], u[k][known][at], "fmm")
  p <- pmin(probs, 1 - probs)
  q <- ifelse(p == 0, Inf, ifelse(p == 0.5, 0, exp(curve(log1p(-2 * p) - log(2 * p)))))
  ifelse(probs < 0.5, -q, q)
}

# ---- tables and plots ----

#' @rdname mstableFit-methods
#' @exportS3Method generics::glance
glance.mstableFit <- function(x, ...) cbind(glance.statclFit(x), alpha = x$alpha, structure = x$structure)

#' @rdname mstableFit-methods
#' @exportS3Method generics::augment
augment.mstableFit <- function(x, ...) {
  check_extra(...)
  r <- fit_radii(x)
  tails <- radius_tails(r, x$alpha)
  weight <- rep(NA_real_, length(r$radius))
  for (d in setdiff(unique(r$size), 0L)) {
    some <- which(r$size == d)
    at <- pmax(r$radius[some], 1e-100)
    u <- function(at) -elliptical_values(at, x$alpha, d, TRUE)[, 2L] / at
    weight[some] <- u(at) / u(1e-100)
  }
  table <- as.data.frame(x$x)
  table$.radius <- r$radius
  table$.cdf <- exp(tails[, 1L])
  table$.resid <- probability_residuals(list(lower = tails[, 1L], upper = tails[, 2L]), "quantile")
  table$.weight <- weight
  table
}

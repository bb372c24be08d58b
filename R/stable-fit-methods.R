# Methods of the class stableFit: what it says, residuals and simulated samples.

#' Methods for fits of stable distributions
#'
#' What is special about the results of [stableFit()] among [all fits][statclFit-methods].
#'
#' The degrees of freedom of `logLik` are the number of parameters that were estimated. A parameter that is fixed does
#' not count, nor does `beta` where `alpha = 2` takes its effect away. A parameter whose estimate is on its boundary
#' does count, as it does elsewhere in R: it was free to take another value. [AIC()] and [BIC()] follow. For another
#' estimator than maximum likelihood `logLik` is the log likelihood at its estimates.
#'
#' `anova` takes fits of the same sample by maximum likelihood. It compares models, as `extractAIC` does, whose
#' dimensions do not depend on where their estimates are: `beta` counts where the estimate of `alpha` is 2, unless
#' `alpha = 2` is fixed.
#'
#' [update()] evaluates the call of the fit again with other arguments, as in `update(fit, fixed = list(beta = 0))`.
#'
#' @param object,x a fit by [stableFit()], or its summary.
#' @param level confidence level of the limits in the summary, between 0 and 1.
#' @param row.names,optional as for [as.data.frame()].
#' @param digits number of significant digits of the estimates; log likelihoods have three more.
#' @param na.rm not used.
#' @param ... not used.
#' @return `sigma` gives the scale `gamma`, `mean` and `median` those of the fitted distribution (`mean` is `NaN` for
#'   `alpha <= 1`, where there is none). `summary` has besides what [all summaries][statclFit-methods] have
#'   `coefficients`, a matrix of the estimates and their standard errors, and `confint`, the confidence limits; its
#'   `residuals` are those of the [quantile residuals][residuals.stableFit], `NULL` where
#'   observations are censored. `as.data.frame` gives one row with the estimates, their standard errors
#'   (`std.error.alpha`, ...), `loglik`, `nobs`, `converged` and `message`.
#' @name stableFit-methods
#' @seealso [stableFit()]; [statclFit-methods]; [confint.stableFit()] for confidence limits,
#'   [quantile.stableFit()] for quantiles of the distribution with intervals, [residuals.stableFit()],
#'   [simulate.stableFit()], [plot.stableFit()], [stableTest()]
#' @examples
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"])))
#' summary(fit, level = 0.9)
#' symmetric <- update(fit, fixed = list(beta = 0))
#' AIC(fit, symmetric)
#' anova(symmetric, fit)
NULL

#' @rdname stableFit-methods
#' @importFrom stats sigma
#' @export
sigma.stableFit <- function(object, ...) coef(object)[["gamma"]]

#' @rdname stableFit-methods
#' @export
mean.stableFit <- function(x, ...) {
  check_extra(...)
  fit_means(x)
}

# Of the fits, or the one fit.
fit_means <- function(x) {
  p <- unname(fit_rows(x, "estimate"))
  mean <- ifelse(is.na(p[, 1L]), NA, NaN)
  some <- which(p[, 1L] > 1)
  mean[some] <- if (x$pm == 1) p[some, 4L]
                else stableConvert(p[some, 1L], p[some, 2L], p[some, 3L], p[some, 4L], from = x$pm, to = 1)$delta
  mean
}

#' @rdname stableFit-methods
#' @importFrom stats median
#' @export
median.stableFit <- function(x, na.rm = FALSE, ...) {
  check_extra(...)
  at_distribution(qstable, 0.5, x)
}

# Parameters that were estimated and change the distribution, a row for each fit.
counted_parameters <- function(fixed, alpha) {
  fixed[, 2L] <- fixed[, 2L] | alpha %in% 2
  !fixed
}
# How many the models have, wherever their estimates are: of normal distributions, with alpha known to be 2, beta is
# none.
stable_dimension <- function(fixed, alpha)
  as.integer(rowSums(!fixed) - (fixed[, 1L] & alpha %in% 2 & !fixed[, 2L]))

#' @exportS3Method NULL
check_comparable.stableFit <- function(fit, fits) {
  need_mle(fits)
  data <- lapply(fits, function(f) unclass(f)[c("x", "weights", "censored", "truncation")])
  if (!all(vapply(data, identical, NA, data[[1L]])))
    raise_engine_error("input", "the fits are not of the same sample")
}

need_mle <- function(fits)
  if (any(vapply(fits, function(f) f$method != "mle", NA)))
    raise_engine_error("input", "likelihood ratios need fits by maximum likelihood")

#' @exportS3Method NULL
fit_label.stableFit <- function(fit)
  paste0(c(known_text(fit, "%s"), "no parameter fixed")[1L], if (fit$pm != 0) sprintf(" (pm = %d)", fit$pm))

#' @exportS3Method NULL
fit_text.stableFit <- function(fit) {
  method <- fit_methods[fit$method]
  hidden <- sum(censored_rows(fit))
  counted <- isTRUE(!is.na(fit$iterations)) && isTRUE(!is.na(fit$evaluations))
  utils::modifyList(NextMethod(), list(
    title = sprintf("Stable distribution by %s, pm = %d", if (is.na(method)) fit$method else method,
                    as.integer(fit$pm)),
    observations = paste0(format(fit$nobs), " observations", if (hidden > 0) sprintf(" (%d censored)", hidden),
                          if (!is.null(fit$truncation)) sprintf(" truncated to (%s)", toString(fit$truncation))),
    steps = if (counted) sprintf("%s, %s densities", count_text(fit$iterations, "Newton step"),
                                 big_count(fit$evaluations)),
    residuals = "Quantile residuals", tests = "Likelihood ratio tests of stable distributions",
    effect = if (coef(fit)[["alpha"]] == 2) "beta"))
}

boundary_text <- function(object) {
  b <- stats::setNames(object$parameters$boundary, parameters)
  beta <- coef(object)[["beta"]]
  as.character(c(if (b[["alpha"]] == "upper")
      "alpha is on its boundary 2: the normal distribution. beta has no effect.",
    if (b[["alpha"]] == "lower")
      "alpha is at the lower end of the search: the likelihood grows without bound beyond.",
    if (nzchar(b[["beta"]])) sprintf("beta is on its boundary %g.", beta),
    if (coef(object)[["alpha"]] < 1 && abs(beta) == 1)
      sprintf("The distribution has no mass %s its end point %s.", if (beta > 0) "below" else "above",
              format(at_distribution(qstable, if (beta > 0) 0 else 1, object))),
    second_text(object),
    if (!object$converged && object$method != "mle") "The estimator has not converged."
    else if (length(object$message) && nzchar(object$message))
      paste0(toupper(substr(object$message, 1L, 1L)), substring(object$message, 2L), ".")))
}

# A second maximum whose log likelihood is at most 2 lower: a likelihood ratio does not tell the two apart.
second_text <- function(object) {
  gap <- object$loglik - object$second[["loglik"]]
  if (!isTRUE(gap <= 2)) return(NULL)
  sprintf("Another maximum is lower by %s only: %s.", format(gap, digits = 3),
          paste(parameters, vapply(object$second[parameters], format, "", digits = 4), collapse = ", "))
}

#' @rdname stableFit-methods
#' @export
summary.stableFit <- function(object, level = 0.95, ...) {
  check_extra(...)
  value <- summary.statclFit(object)
  value$coefficients <- as.matrix(value$distribution[c("Estimate", "Std. Error")])
  value$confint <- confint(object, level = level)
  value
}

#' @exportS3Method NULL
residual_range.stableFit <- function(object) {
  if (any(censored_rows(object))) return(NULL)
  sorted <- order_sample(object)
  z <- normal_score(log_tails(object, sorted$x))
  quartiles <- function(method)
    stats::approx(sorted$rank, z, c(0.25, 0.5, 0.75), method, rule = 2, ties = "ordered")$y
  inner <- quartiles("linear")
  inner <- ifelse(is.nan(inner), quartiles("constant"), inner) # next to values of density 0
  five_numbers(c(z[1L], inner, z[length(z)]))
}

#' @rdname stableFit-methods
#' @export
print.summary.stableFit <- function(x, digits = max(3L, getOption("digits") - 3L), ...)
  print_summary(x, print_digits(digits), limits = x$confint)

#' Residuals of a fitted stable distribution
#'
#' Probability integral transforms, which are uniform if the fitted distribution is the true one, and quantile
#' residuals, which are then standard normal.
#'
#' The transform of an observation `x` is the fitted distribution function at `x`. The quantile residual is the
#' standard normal quantile of it, taken from the logarithm of the smaller tail, so that it stays exact and finite
#' however far out `x` is. [rstandard()] returns the quantile residuals: there are no others with a variance.
#'
#' A censored observation, of which only the limits `a` and `b` are known, gets the randomised residual of Dunn and
#' Smyth (1996): a uniform draw between the values of the distribution function at `a` and at `b`. The draws are R's:
#' after [set.seed()] they repeat, and without censored observations none are made.
#'
#' @param object a fit by [stableFit()].
#' @param type `"pit"` for probability integral transforms, `"quantile"` for quantile residuals.
#' @param ... not used.
#' @return A numeric vector with an element for each observation of `object$x`; that leaves out observations of
#'   weight 0.
#' @references
#' Dunn, P. K. and Smyth, G. K. (1996). Randomized quantile residuals. *Journal of Computational and Graphical
#' Statistics* **5**, 236--244.
#' @seealso [stableTest()] for a test, [plot.stableFit()] for plots
#' @examples
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"])))
#' hist(residuals(fit))
#' range(residuals(fit, "quantile"))
#' @export
residuals.stableFit <- function(object, type = c("pit", "quantile"), ...) {
  check_extra(...)
  type <- choice("type", type)
  log_p <- log_tails(object, object$x)
  hidden <- censored_rows(object)
  if (any(hidden)) {
    ends <- log_tails(object, object$censored[hidden])
    u <- stats::runif(sum(hidden))
    log_p$lower[hidden] <- log_between(log_p$lower[hidden], ends$lower, u)
    log_p$upper[hidden] <- log_between(ends$upper, log_p$upper[hidden], 1 - u)
  }
  probability_residuals(log_p, type)
}

# Residuals from the logarithms of both tails, by the smaller.
probability_residuals <- function(log_p, type) {
  if (type == "quantile") normal_score(log_p)
  else ifelse(log_p$lower < log_p$upper, exp(log_p$lower), -expm1(log_p$upper))
}

# Which observations are known to an interval only?
censored_rows <- function(object) {
  end <- object$censored
  if (is.null(end)) logical(length(object$x)) else !is.na(end) & end != object$x
}

# f of the fitted distribution at x, f one of dstable(), pstable(), qstable().
at_distribution <- function(f, x, fit, ...) {
  p <- coef(fit)
  f(x, p[["alpha"]], p[["beta"]], p[["gamma"]], p[["delta"]], fit$pm, ...)
}

# Logarithms of the probabilities of lower and of higher values, among those that are observed.
log_tails <- function(fit, x) {
  tails <- whole_tails(fit, x)
  if (is.null(fit$truncation)) return(tails)
  low <- whole_tails(fit, fit$truncation[1L])
  high <- whole_tails(fit, fit$truncation[2L])
  all <- log_interval(low, high)
  list(lower = log_interval(low, tails) - all, upper = log_interval(tails, high) - all)
}

whole_tails <- function(fit, x) list(lower = at_distribution(pstable, x, fit, log.p = TRUE),
                                     upper = at_distribution(pstable, x, fit, lower.tail = FALSE, log.p = TRUE))

# The logarithm of the probability between two places, from the tails of each: from the side where both are small.
log_interval <- function(a, b) {
  right <- a$upper < b$lower
  large <- ifelse(right, a$upper, b$lower)
  small <- ifelse(right, b$upper, a$lower)
  value <- ifelse(small == -Inf, large, suppressWarnings(large + log_other(small - large)))
  ifelse(is.nan(value) | large <= small, -Inf, value)
}

# The density of what is observed.
fitted_density <- function(fit, x) {
  density <- at_distribution(dstable, x, fit)
  cut <- fit$truncation
  if (is.null(cut)) return(density)
  mass <- exp(log_interval(whole_tails(fit, cut[1L]), whole_tails(fit, cut[2L])))
  ifelse(x < cut[1L] | x > cut[2L], 0, density / mass)
}

refuse_truncated <- function(fit, what)
  if (!is.null(fit$truncation))
    raise_engine_error("input", sprintf("%s of a fit to truncated observations", what))

# Logarithm of (1 - u) exp(a) + u exp(b), for a <= b.
log_between <- function(a, b, u) {
  scaled <- u + (1 - u) * exp(a - b)
  ifelse(b == -Inf, -Inf, b + log(scaled))
}

# The standard normal quantile, from the smaller tail. Before R 4.3 qnorm() has few digits where that is tiny: a step
# of Newton's method on the logarithm restores them.
normal_score <- function(log_p) {
  below <- log_p$lower < log_p$upper
  smaller <- ifelse(below, log_p$lower, log_p$upper)
  z <- stats::qnorm(smaller, log.p = TRUE)
  far <- which(smaller < -300 & is.finite(z))
  log_f <- stats::pnorm(z[far], log.p = TRUE)
  z[far] <- z[far] - (log_f - smaller[far]) * exp(log_f - stats::dnorm(z[far], log = TRUE))
  ifelse(below, z, -z)
}

#' Samples from a fitted stable distribution
#'
#' Draws samples of the size of the data from the fitted distribution, for instance for a parametric bootstrap.
#'
#' @param object a fit by [stableFit()].
#' @param nsim number of samples.
#' @param seed `NULL`, or a number for [set.seed()]; R's generator is then put back afterwards.
#' @param ... not used.
#' @return A data frame with columns `sim_1`, `sim_2`, ... and a row for each observation. Where the fit has weights,
#'   they must be whole numbers, and there are as many rows as their sum. The attribute `seed` is the state of the
#'   generator before the draws, or `seed` with the kinds of generators. Observations are drawn in full where those of
#'   the fit are censored.
#' @examples
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"])))
#' samples <- simulate(fit, nsim = 3, seed = 1)
#' sapply(samples, range)
#' @export
simulate.stableFit <- function(object, nsim = 1, seed = NULL, ...) {
  check_extra(...)
  nsim <- whole_number("nsim", nsim)
  with_seed(seed, {
    n <- whole_size(object)
    drawn <- if (is.null(object$truncation)) at_distribution(rstable, as.double(n) * nsim, object) else {
      u <- stats::runif(as.double(n) * nsim)
      distribution_quantile(object, log(u), log1p(-u))
    }
    draws <- as.data.frame(matrix(drawn, n, nsim))
    names(draws) <- paste0("sim_", seq_len(nsim))
    draws
  })
}

# Number of observations of a sample like the one that was fitted.
whole_size <- function(object) {
  w <- object$weights
  if (!is.null(w) && any(w != round(w)))
    element_error("weights", w, w != round(w), "only whole numbers say how many observations a sample has")
  nobs(object)
}

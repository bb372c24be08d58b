#' Fit stable distributions
#'
#' Estimates the parameters of a stable distribution, with standard errors, from one sample or from many at once. Use
#' it for data with heavy tails, such as returns, and for skewed data without a finite variance.
#'
#' @section Estimators:
#' \describe{
#'   \item{`"mle"`}{maximum likelihood, the most accurate and the default. The likelihood is maximised by Newton's
#'     method with the exact derivatives of the density, in parameters that put the boundaries at infinity, from the
#'     best of several starting values: quantiles, characteristic functions and logarithmic moments, which together
#'     are suited to every `alpha`.}
#'   \item{`"ecf"`}{the distance of empirical and theoretical characteristic function, first with the weights of
#'     Paulson, Holcomb and Leitch (1975), then with those of the inverse covariance (Feuerverger and McDunnough
#'     1981): nearly as accurate as maximum likelihood for `alpha > 1`, in a fraction of the time.}
#'   \item{`"koutrouvelis"`}{regressions on the logarithm of the empirical characteristic function, iterated
#'     (Koutrouvelis 1980).}
#'   \item{`"mcculloch"`}{five quantiles of the sample (McCulloch 1986), with a finer table that reaches down to
#'     `alpha = 0.1`.}
#'   \item{`"logmoment"`}{moments of the logarithm of absolute values of differences (Ma and Nikias 1995; Kuruoglu
#'     2001): the estimator of choice to get a first value for small `alpha`.}
#'   \item{`"grid"`, `"grid2d"`}{maximum likelihood by contracting grids as published for graphics processors
#'     (Julian-Moreno et al. 2017): over all four parameters, or over `alpha` and `beta` with scale and location by
#'     quantiles. They are provided for comparison: `"mle"` finds a higher likelihood in less time.}
#' }
#' Only maximum likelihood has standard errors, starting values and censored observations. The others may fix `alpha`
#' and `beta`, and all but `"grid2d"` the scale and location of `pm = 0`. Their estimate may give some values a
#' density of 0, as `alpha < 1` with `beta = 1` does below the end of its half-line: `loglik` is `-Inf` then, with a
#' warning.
#'
#' @section Boundaries:
#' `alpha = 2` and `beta = -1` or `1` are treated as constraints: where the likelihood is largest on a boundary,
#' the estimate is exactly the boundary value, `parameters` and the printed fit say so, and the
#' parameter has no standard error; the standard errors of the others treat it as known. At `alpha = 2`, the normal
#' distribution, `beta` has no effect and is reported as 0. For `alpha < 1` and `beta = 1` or `-1` the support is a
#' half-line, and the search keeps all observations within it. As `alpha` goes to 0 with `delta` at an observation the
#' likelihood of every sample grows without bound; so `alpha` is searched down to 0.02 only, and an estimate there is
#' reported as on the boundary. For small `alpha` the likelihood has a narrow peak at each of the central
#' observations, and the estimate is the best of those that were tried.
#'
#' A maximum is a point where the likelihood is concave and its gradient negligible. A search that finds none, for
#' another reason than that of the next section, gives a warning and `converged = FALSE`.
#'
#' @section Equal values:
#' If `m` of `n` values are equal, as in rounded data, in counts, or in rainfall with its zeros, the likelihood grows
#' without bound as `gamma` goes to 0 with the peak at them, for `alpha` below `m/(n - m)`: each of the others has a
#' density proportional to `gamma^alpha` there. Such a spike is no estimate. Estimates are maxima outside, of which
#' many samples have none: those with `alpha = 1.5` lose it where 20 to 30 % of the values are made equal, those with
#' `alpha = 0.5` where 5 to 20 % are. The call is an error then, which counts the equal values; in a batch the series
#' has `NA` and this message. Values that differ by rounding errors, as differences of rounded prices do, do not count
#' as equal before they are rounded again. Samples of fewer than 50 values have spikes with `alpha` above 0.02 at
#' single values, too. What helps:
#' * rounded values as intervals, `stableFit(x - unit / 2, censored = x + unit / 2)`, with which the likelihood is
#'   bounded;
#' * a distribution of the other values alone, where the equal ones are of another kind, such as days without rain;
#' * `fixed = list(alpha = )` above the bound that the message tells.
#'
#' `"grid"` and `"grid2d"` refuse these samples, too; the other estimators are not affected by spikes.
#'
#' @section Standard errors:
#' Standard errors come from the inverse observed information (exact second derivatives of the log likelihood), for
#' `pm = 1` and `pm = 2` by the delta method. Where that matrix is not positive definite there are no standard errors:
#' `vcov` is `NA` throughout, with a warning. Near `alpha = 1` the location of `pm = 1` is hardly estimable; `pm = 0`
#' has no such point.
#'
#' @section Several maxima:
#' The likelihood of a sample that is not stable (clusters, outliers of one side, rounded values) often has several
#' maxima. A coarse grid of `alpha` and `beta`, each pair with the scale and location that suit the sample, shows
#' where they may be; the search climbs from all of these and from the best of the classical estimators, and the
#' largest maximum is the estimate. A second one whose log likelihood is at most 2.5 lower is in the component
#' `second`; `print` mentions it up to 2. No search proves that there is no larger one: `starts` asks for more
#' starting points, and `start` gives another one.
#'
#' @section Truncation:
#' With `lower` or `upper` observations count as those alone, of a larger sample, that lie between the two: values
#' beyond a detection limit or a limit of trade that were not recorded at all, or a range to which a fit is confined
#' because tails beyond are of another kind. Each has the density of the distribution over its probability of the
#' range. The estimates are of the distribution without truncation, and so are `quantile`, `mean` and [esstable()];
#' residuals, plots and `simulate` are of what is observed. Where the range says little about the tails the likelihood
#' may grow with the scale without a maximum, which is a warning. (Values known to lie beyond are censored, not
#' truncated.)
#'
#' @section Many series:
#' A matrix, a data frame or a list of series is fitted in one batch: all series advance together, so that the
#' devices see few large tasks instead of many small ones. The fits are those of single calls, up to rounding.
#' A series that cannot be fitted (constant, too short, with missing values, with too many equal values) gets `NA` and
#' a text in the component `message`; it never stops the others.
#'
#' @param x numeric vector of observations; or many series: a matrix or data frame with a series in each column, or a
#'   list of numeric vectors, which may have different lengths. Censored observations may come as an object of class
#'   `Surv` of package \pkg{survival} (types right, left and interval), or as a data frame with the columns `left` and
#'   `right` of package \pkg{fitdistrplus}, `NA` where an interval has no end; a message names further columns, which
#'   are not used. It is an error if the likelihood of the censored observations has no maximum, for example if all
#'   are right-censored. A column of a data frame that has no numbers is an error, too.
#' @param method the estimator, by default `"mle"`; see the section on estimators of [stableFit()].
#' @param pm parameterisation of the estimates and of `fixed` and `start`: 0, 1 or 2, see [dstable()].
#' @param fixed named list or vector of parameters that are known, such as `list(beta = 0)`; `alpha` from 0.02 to 2.
#' @param start named list or vector with starting values for all parameters that are not fixed; by default they are
#'   found from the sample. `alpha` from 0.02 to 2. Values of all four, such as the coefficients of another fit, are
#'   accepted with `fixed` too: those of fixed parameters are not used.
#' @param weights numbers of times that the observations count, not negative; by default each counts once. For many
#'   series one vector for all, or a list, matrix or data frame with the weights of each.
#' @param censored which observations are known to lie in an interval only; `NULL` if all are exact. Numbers are the
#'   upper ends of the intervals that begin at `x`, equal to `x` or `NA` where the observation is exact; `x` may
#'   be `-Inf` and `censored` may be `Inf`. Strings: `"right"` where the value is larger than `x`, `"left"` where it
#'   is smaller, `"none"` where it is exact. For many series as `weights`.
#' @param lower,upper the range that observations are truncated to, with `method = "mle"` for one series without
#'   censored observations.
#' @param na.rm if `TRUE`, missing values are left out; else they are an error.
#' @param ... not used: other arguments are errors.
#' @param starts number of starts, from 1 to 12, from which the search climbs, the most promising first; by default as
#'   many as the sample needs: several where a coarse grid of `alpha` and `beta` shows several maxima, and for up to
#'   100 observations. Where a small `alpha` is among them, climbs from several locations follow in any case.
#' @return For one series an object of class `stableFit`, for which there are [many methods][stableFit-methods], among
#'   them `summary`, `confint`, `quantile`, `simulate` and `plot`. It is a list with
#'   \item{coefficients}{the estimates, `alpha`, `beta`, `gamma` and `delta`, fixed values included.}
#'   \item{vcov}{their covariance matrix, `NA` for parameters that are fixed or on a boundary, and where the observed
#'     information is not positive definite.}
#'   \item{unit.vcov}{the same of `alpha`, `beta`, and `gamma` and `delta` over the estimate of `gamma`, which does
#'     not underflow or overflow with the scale of the data; standard errors come from it.}
#'   \item{loglik}{the log likelihood of the estimates.}
#'   \item{second}{another maximum that the search has met, if its log likelihood, `loglik`, is at most 2.5 lower;
#'     else `NA`.}
#'   \item{parameters, df, nobs, converged, notes}{as of [all fits][statclFit-methods]: `parameters` tells which were
#'     fixed and which are on a boundary.}
#'   \item{iterations, evaluations}{the numbers of Newton steps and of evaluations of the density.}
#'   \item{message}{a message about the search, such as that there are no standard errors, or `""`.}
#'   \item{method, pm, call, x, weights, censored}{the arguments and the data.}
#'   \item{truncation}{`c(lower, upper)` where one is finite.}
#'
#'   For many series an object of class [`stableFits`][stableFits-methods], which indexes as a list of such fits and
#'   coerces to a data frame.
#'
#'   Errors have the class `statcl_error_input` and name the argument and the value.
#' @references
#' Feuerverger, A. and McDunnough, P. (1981). On the efficiency of empirical characteristic function procedures.
#' *Journal of the Royal Statistical Society B* **43**, 20--27.
#'
#' Julian-Moreno, G., Lopez de Vergara, J. E., Gonzalez, I., de Pedro, L., Royuela-del-Val, J. and
#' Simmross-Wattenberg, F. (2017). Fast parallel alpha-stable distribution function evaluation and parameter
#' estimation using OpenCL in GPGPUs. *Statistics and Computing* **27**, 1365--1382.
#'
#' Koutrouvelis, I. A. (1980). Regression-type estimation of the parameters of stable laws.
#' *Journal of the American Statistical Association* **75**, 918--928.
#'
#' Kuruoglu, E. E. (2001). Density parameter estimation of skewed alpha-stable distributions. *IEEE Transactions on
#' Signal Processing* **49**, 2192--2201.
#'
#' Ma, X. and Nikias, C. L. (1995). Parameter estimation and blind channel identification in impulsive signal
#' environments. *IEEE Transactions on Signal Processing* **43**, 2884--2897.
#'
#' McCulloch, J. H. (1986). Simple consistent estimators of stable distribution parameters.
#' *Communications in Statistics. Simulation and Computation* **15**, 1109--1136.
#'
#' Paulson, A. S., Holcomb, E. W. and Leitch, R. A. (1975). The estimation of the parameters of the stable laws.
#' *Biometrika* **62**, 163--170.
#'
#' DuMouchel, W. H. (1973). On the asymptotic normality of the maximum-likelihood estimate when sampling from a
#' stable distribution. *Annals of Statistics* **1**, 948--957.
#' @seealso [stableFit-methods], [stableFits-methods], [stableRoll()], [stableReg()], [dstable()], [withDevice()]
#' @examples
#' returns <- 100 * diff(log(datasets::EuStockMarkets))
#' fit <- stableFit(returns[, "DAX"])
#' fit
#' confint(fit)
#' symmetric <- stableFit(returns[, "DAX"], fixed = list(beta = 0))
#' AIC(fit, symmetric)
#'
#' # four series at once
#' stableFit(returns)
#'
#' # values that are known to a tenth only
#' rounded <- floor(10 * returns[, "DAX"]) / 10
#' coef(stableFit(rounded, censored = rounded + 0.1))
#' @export
stableFit <- function(x, method = c("mle", "grid", "grid2d", "ecf", "koutrouvelis", "mcculloch", "logmoment"), pm = 0,
                      fixed = list(), start = NULL, weights = NULL, censored = NULL, na.rm = FALSE, starts = NULL,
                      lower = -Inf, upper = Inf, ...) {
  refuse_extra("stableFit", ...)
  need(x = missing(x))
  if (inherits(x, "formula"))
    input_error("x", "formula", "must have observations, or a series in each column: stableReg() takes formulas")
  options <- fit_options(method, pm, fixed, start)
  method <- options$method
  fixed <- options$fixed
  start <- options$start
  na.rm <- one_flag("na.rm", na.rm)
  starts <- fit_climbs(starts, start, method)
  interval <- interval_data(x)
  if (!is.null(interval)) {
    if (!is.null(censored)) raise_engine_error("input", "x contains the censoring: censored must not be given")
    x <- interval$lower
    censored <- interval$upper
  }
  x <- plain_numbers(x)
  weights <- plain_numbers(weights)
  censored <- plain_numbers(censored)
  check_dimensions(x)
  cut <- fit_cut(lower, upper, method, censored, is.list(x) || NCOL(x) > 1L)
  if (is.list(x) || NCOL(x) > 1L)
    return(fit_many(x, method, pm, fixed, start, weights, censored, na.rm, match.call(), starts))
  data <- fit_data(x, weights, censored, na.rm, is.na(fixed))
  outside <- if (!is.null(cut)) data$x < cut[1L] | data$x > cut[2L]
  if (any(outside)) element_error("x", data$x, outside, "x must lie between lower and upper")
  data <- c(data, list(first = 0, n = length(data$x), cut = cut))
  fits <- fit_run(data, method, pm, fixed, start, starts)
  if (fits$refused) raise_engine_error("input", fits$message)
  if (is.na(fits$coefficients[[1L]]))
    raise_engine_error("input", if (method == "mle" && any(!is.na(fixed)))
      "no distribution with the fixed values gives all of x a positive density" else fits$message)
  fit <- fit_one(fit_core(fits, data, fixed), 1L, data, match.call())
  if (!fit$converged) warn(if (fit$message != not_maximised) fit$message
                           else paste0(not_maximised, ": try other values of start"))
  else if (nzchar(fits$message)) warn(fits$message)
  fit
}

# The range that observations are truncated to, or NULL.
fit_cut <- function(lower, upper, method, censored, many) {
  for (name in c("lower", "upper")) {
    value <- get(name)
    if (!is.numeric(value) || length(value) != 1L || is.na(value) || is.object(value))
      input_error(name, value, "must be a single number")
  }
  if (lower == -Inf && upper == Inf) return(NULL)
  if (!(lower < upper)) input_error("lower", lower, sprintf("must be below upper, which is %s", format(upper)))
  if (many) raise_engine_error("input", "lower and upper are for one series: truncated series are fitted one by one")
  if (!is.null(censored)) raise_engine_error("input", "observations are truncated, by lower and upper, or censored")
  if (method != "mle")
    raise_engine_error("input", sprintf("method = \"%s\" cannot use truncated observations", method))
  as.double(c(lower, upper))
}

# The arguments that all fits share, checked.
fit_options <- function(method, pm, fixed, start) {
  method <- choice("method", method, eval(formals(stableFit)$method))
  if (!is.numeric(pm) || length(pm) != 1L || !pm %in% 0:2) input_error("pm", pm, "must be 0, 1 or 2")
  fixed <- fit_values(fixed, "fixed")
  if (!anyNA(fixed)) input_error("fixed", names(fixed), "leaves no parameter to estimate")
  list(method = method, pm = pm, fixed = fixed, start = fit_start(start, fixed))
}

check_dimensions <- function(x)
  if (length(dim(x)) > 2L)
    raise_engine_error("input", sprintf("x has %d dimensions: x must be a vector, a matrix or a list",
                                        length(dim(x))))

# The first is fitted by stable_fit(), the others by stable_estimate().
fit_methods <- c(
  mle = "maximum likelihood", mcculloch = "McCulloch's quantiles", logmoment = "logarithmic moments",
  koutrouvelis = "Koutrouvelis' regression", ecf = "the empirical characteristic function",
  grid = "maximum likelihood on a contracting grid",
  grid2d = "maximum likelihood on a contracting grid of alpha and beta")

# Fits of the samples that first and n name in data: a list of arrays, with a row (a slice of vcov) per sample. fixed
# and start: one vector for all or a matrix with a row per sample.
fit_run <- function(data, method, pm, fixed, start, starts = 0L) {
  given <- function(v) if (is.null(v) || all(is.na(v))) NULL else matrix(as.double(v), ncol = 4L)
  data$first <- as.double(data$first)
  data$n <- as.double(data$n)
  known <- matrix(!is.na(if (is.matrix(fixed)) fixed else rep(fixed, each = length(data$n))), ncol = 4L)
  raw <- if (method == "mle")
    .Call(C_stableFit, c(data, list(pm = pm, fixed = given(fixed), start = given(start), climbs = starts)))
  else fit_estimate(data, method, pm, known, given(fixed), start)
  boundary <- matrix(c("lower", "", "upper")[raw$boundary + 2L], ncol = 4L)
  colnames(raw$par) <- colnames(boundary) <- parameters
  dimnames(raw$cov) <- list(parameters, parameters, NULL)
  vcov <- raw$cov
  for (j in 1:4) for (k in 1:4)
    vcov[j, k, ] <- vcov[j, k, ] * (if (j > 2L) raw$par[, 3L] else 1) * (if (k > 2L) raw$par[, 3L] else 1)
  estimated <- !known & raw$boundary == 0L
  estimated[, 2L] <- estimated[, 2L] & raw$par[, 1L] < 2
  no_error <- method == "mle" & raw$converged & rowSums(is.na(variances(raw$cov)) & estimated) > 0
  none <- if (method == "mle") !is.finite(raw$log_lik) else is.na(unname(raw$par[, 1L]))
  message <- ifelse(none, if (method == "mle") "no distribution that was tried gives all values a positive density"
                          else sprintf("method = \"%s\" has no estimate for this sample", method),
             ifelse(raw$log_lik %in% -Inf, zero_density,
             ifelse(!raw$converged, not_maximised,
             ifelse(no_error, "no standard errors: the observed information is not positive definite", ""))))
  raw$par[none, ] <- NA
  refused <- !none & !raw$converged & raw$tied > 0
  for (i in which(refused)) message[i] <- spike_text(raw$tied[i], fit_total(data, i), start)
  colnames(raw$second) <- c(parameters, "loglik")
  list(coefficients = raw$par, second = in_parameterisation(raw$second, pm), vcov = vcov, unit.vcov = raw$cov,
       loglik = raw$log_lik, boundary = boundary, converged = raw$converged, iterations = raw$iterations,
       evaluations = raw$densities, message = message, refused = refused,
       method = method, pm = as.integer(pm))
}

# Rows of distributions that are given with pm = 0.
in_parameterisation <- function(par, pm) {
  known <- !is.na(par[, 1L])
  if (pm != 0 && any(known)) {
    moved <- stableConvert(par[known, 1L], par[known, 2L], par[known, 3L], par[known, 4L], 0, pm)
    par[known, 3:4] <- c(moved$gamma, moved$delta)
  }
  par
}

# From how many starts to search; 0: as the sample needs.
most_climbs <- 12L
fit_climbs <- function(starts, start, method) {
  if (is.null(starts)) return(0L)
  if (!is.null(start)) raise_engine_error("input", "starts is of use without start only")
  if (method != "mle") raise_engine_error("input", sprintf("method = \"%s\" takes no starts", method))
  refuse_units("starts", starts)
  if (is.numeric(starts) && isTRUE(starts > most_climbs))
    input_error("starts", starts, sprintf("must be from 1 to %d", most_climbs))
  whole_number("starts", starts)
}

zero_density <- "the estimated distribution gives some values a density of 0: its log likelihood is -Inf"
not_maximised <- "the likelihood has not been maximised"

# Why there is no estimate where the likelihood is unbounded at a value that counts m times of n and no maximum has
# been found: a distribution that shrinks to this value is none.
spike_text <- function(m, n, start) {
  ties <- m > 1
  bound <- m / (n - m)
  remedy <- c(if (ties) "give rounded values as intervals (censored)",
              if (!is.null(start)) "try other values of start",
              if (bound < 2) paste("fix alpha above", rounded(bound)))
  paste0(if (ties) sprintf("%s of %s values are equal: ", format(m), format(n)), "the likelihood is unbounded",
         if (!ties) " at single values", ", and no maximum was found elsewhere",
         if (length(remedy)) paste(";", paste(remedy, collapse = ", or ")))
}

# Standard errors of fits with these scales, a row each: from the covariance of alpha, beta, and gamma and delta in
# units of gamma, whose squares would underflow or overflow at extreme scales.
unit_errors <- function(unit_vcov, gamma) {
  error <- sqrt(variances(unit_vcov))
  error[, 3:4] <- error[, 3:4] * gamma
  colnames(error) <- parameters
  error
}

# Those of an array of covariance matrices, a row for each.
variances <- function(vcov)
  matrix(vapply(1:4, function(k) vcov[k, k, ], numeric(dim(vcov)[3L])), ncol = 4L)

# Log likelihoods of some samples, under a distribution with pm = 0 each.
samples_loglik <- function(data, of, par)
  .Call(C_stableLogLik, list(x = data$x, weights = data$weights, upper = data$upper,
                             first = as.double(data$first[of]), n = as.double(data$n[of]), par = par,
                             cut = data$cut))

# The estimators that are not C_stableFit's, in its form.
fit_estimate <- function(data, method, pm, known, fixed, start) {
  refuse <- function(name, why) raise_engine_error("input", sprintf("method = \"%s\" %s %s", method, why, name))
  if (!is.null(data$upper)) refuse("censored observations", "cannot use")
  if (!is.null(start)) refuse("start", "takes no")
  kept <- parameters[colSums(known) > 0]
  if (method == "grid2d") kept <- setdiff(kept, parameters[1:2])
  else kept <- intersect(kept, if (pm == 1) "delta" else if (pm == 2) c("gamma", "delta"))
  if (length(kept)) refuse(toString(kept), if (method == "grid2d") "cannot fix" else "fixes only with pm = 0")
  par <- .Call(C_stableEstimate, c(data, list(fixed = fixed, method = method)))
  tied <- unname(par[, 5L]) # the weight of equal values that make the likelihood unbounded, if it has no maximum
  par <- par[, 1:4, drop = FALSE]
  good <- !is.na(par[, 1L])
  n <- length(good)
  log_lik <- rep(NA_real_, n)
  log_lik[good] <- samples_loglik(data, good, par[good, , drop = FALSE])
  par <- in_parameterisation(par, pm)
  boundary <- matrix(0L, n, 4L)
  boundary[good & !known[, 1L] & par[, 1L] %in% 2, 1L] <- 1L
  boundary[good & !known[, 1L] & par[, 1L] %in% smallest_alpha, 1L] <- -1L
  edge <- good & !known[, 2L] & abs(par[, 2L]) %in% 1
  boundary[edge, 2L] <- as.integer(par[edge, 2L])
  list(par = par, cov = array(NA_real_, c(4L, 4L, n)), log_lik = log_lik, boundary = boundary,
       iterations = rep(NA_integer_, n), converged = good & tied == 0, densities = rep(NA_real_, n),
       tied = tied, second = matrix(NA_real_, n, 5L))
}

# The shape of fits, see fit-methods.R, of the results of fit_run(): of many, parameters has the rows of one after the
# other, vcov a slice and the others an element for each. place: which result is a fit's, NA if there is none.
fit_core <- function(raw, data, fixed, place = seq_along(raw$loglik), names = NULL) {
  m <- length(place)
  at <- function(v) if (is.matrix(v)) v[place, , drop = FALSE] else v[place]
  slices <- function(v) array(v[, , place], c(4L, 4L, m), list(parameters, parameters, names))
  named <- function(v) stats::setNames(v, names)
  rows <- function(v) as.vector(t(v))
  estimate <- at(raw$coefficients)
  unit_vcov <- slices(raw$unit.vcov)
  known <- matrix(!is.na(fixed), m, 4L, byrow = !is.matrix(fixed))
  boundary <- at(raw$boundary)
  boundary[is.na(boundary)] <- ""
  list(
    parameters = parameter_table(
      rep(parameters, m), factor(rep("distribution", 4L * m), "distribution"), rows(estimate),
      rows(unit_errors(unit_vcov, estimate[, 3L])), rows(known), rows(boundary), stable_range["lower", ],
      stable_range["upper", ]),
    vcov = slices(raw$vcov), unit.vcov = unit_vcov, loglik = named(at(raw$loglik)),
    df = named(as.integer(rowSums(counted_parameters(known, estimate[, 1L])))),
    dimension = named(stable_dimension(known, estimate[, 1L])), nobs = named(fit_nobs(data)[place]),
    converged = named(at(raw$converged) %in% TRUE),
    second = at(raw$second), iterations = at(raw$iterations), evaluations = at(raw$evaluations),
    message = named(at(raw$message)), method = raw$method, pm = raw$pm)
}

# The rows of parameters of the fits i.
fit_parameters <- function(fits, i) {
  rows <- rep(4L * (i - 1L), each = 4L) + 1:4
  structure(lapply(fits$parameters, `[`, rows), class = "data.frame",
            row.names = make.unique(rep(parameters, length(i))))
}

# A column of parameters as a matrix with a row for each of the fits, or the one fit.
fit_rows <- function(fits, column)
  matrix(fits$parameters[[column]], ncol = 4L, byrow = TRUE, dimnames = list(names(fits$message), parameters))

# What fit_core() has for each fit, of the fits i, or of one without names.
core_part <- function(fits, i, one = FALSE) {
  each <- c("vcov", "unit.vcov", "loglik", "df", "dimension", "nobs", "converged", "second", "iterations",
            "evaluations", "message")
  c(list(parameters = fit_parameters(fits, i)), lapply(unclass(fits)[each], function(v)
    if (is.matrix(v)) v[i, , drop = one]
    else if (is.array(v)) v[, , i, drop = one]
    else if (one) v[[i]] else v[i]))
}

# Fit i as an object of its own, with its data.
fit_one <- function(fits, i, data, call) {
  own <- core_part(fits, i, TRUE)
  fit <- structure(c(list(coefficients = stats::setNames(own$parameters$estimate, parameters)), own, list(
    method = fits$method, pm = fits$pm, call = call, x = data$x, weights = data$weights, censored = data$upper,
    truncation = data$cut)), class = c("stableFit", "statclFit"))
  fit$notes <- boundary_text(fit)
  fit
}

stable_range <- cbind(alpha = c(lower = 0, upper = 2), beta = c(-1, 1), gamma = c(0, Inf), delta = c(-Inf, Inf))

parameters <- c("alpha", "beta", "gamma", "delta")

fit_start <- function(start, fixed) {
  if (is.null(start)) return(NULL)
  start <- fit_values(start, "start")
  known <- !is.na(fixed)
  if (anyNA(start) && any(known & !is.na(start)))
    input_error("start", names(start)[known & !is.na(start)], "names a parameter that is fixed")
  if (any(!known & is.na(start)))
    input_error("start", names(start)[!is.na(start)],
                paste("has no value for", toString(names(start)[!known & is.na(start)])))
  start[known] <- fixed[known]
  start
}

# The observations of one series as the engine takes them: x, and weights and upper or NULL.
fit_data <- function(x, weights = NULL, censored = NULL, na.rm = FALSE, open = rep(TRUE, 4L)) {
  free <- sum(open)
  if (!is.numeric(x)) input_error("x", class(x)[1L], "must be a numeric vector")
  x <- as.double(x)
  if (!is.null(weights)) {
    if (!is.numeric(weights)) input_error("weights", class(weights)[1L], "must be numeric")
    if (length(weights) != length(x))
      raise_engine_error("input", sprintf("weights has length %d, x has length %d", length(weights), length(x)))
    weights <- as.double(weights)
    bad <- !is.finite(weights) | weights < 0
    if (any(bad)) element_error("weights", weights, bad, "weights must be finite and not negative")
  }
  upper <- fit_censored(x, censored)
  if (!is.null(upper)) {
    x <- upper$lower
    upper <- upper$upper
  }
  keep <- rep(TRUE, length(x))
  if (anyNA(x)) {
    if (!na.rm) element_error("x", x, is.na(x), "x must have no missing values (see na.rm)")
    keep <- !is.na(x)
  }
  infinite <- is.infinite(x) & keep
  if (!is.null(upper)) infinite <- infinite & (x == Inf | is.na(upper) | upper == x)
  if (any(infinite)) element_error("x", x, infinite, "x must be finite")
  if (!is.null(weights)) keep <- keep & weights > 0
  if (!all(keep)) {
    x <- x[keep]
    weights <- weights[keep]
    upper <- upper[keep]
  }
  if (length(x) <= free)
    raise_engine_error("input", sprintf("x has %s: a fit of %s needs at least %d",
                                        count_text(length(x), "observation"), count_text(free, "parameter"),
                                        free + 1L))
  if (is.null(upper) && all(x == x[1L]))
    raise_engine_error("input", sprintf("x is constant: all values are %s", format(x[1L], digits = 15)))
  if (!is.null(upper)) need_maximum(x, upper, open[3L], open[4L])
  list(x = x, weights = weights, upper = upper)
}

# Where all intervals have more than one point in common, the likelihood comes as near to 1 as one likes.
need_maximum <- function(lower, upper, gamma_open, delta_open) {
  low <- max(lower)
  high <- min(upper)
  if (!delta_open || !(low < high)) return()
  if (low == -Inf || high == Inf)
    raise_engine_error("input", sprintf("all observations are %s-censored: the likelihood has no maximum",
                                        if (low == -Inf) "left" else "right"))
  if (gamma_open)
    raise_engine_error("input", sprintf(paste("all observations are intervals that hold the values from %s to %s:",
                                              "the likelihood has no maximum"), format(low), format(high)))
}

# Ends of the intervals of objects of class Surv (package survival) and of data frames with columns left and right, as
# package fitdistrplus has them; NULL for anything else.
interval_data <- function(x) {
  if (inherits(x, "Surv")) {
    type <- attr(x, "type")
    if (!type %in% c("right", "left", "interval"))
      input_error("x", type, "is a type of survival data that has no intervals")
    x <- unclass(x)
    time <- as.double(x[, 1L])
    state <- x[, "status"]
    if (type == "left") state <- ifelse(state == 0, 2, 1)
    upper <- if (type == "interval") as.double(x[, 2L]) else time
    missing <- is.na(state) | is.na(time)
    upper <- ifelse(state == 0, Inf, ifelse(state == 3, upper, time))
    return(list(lower = ifelse(missing, NA, ifelse(state == 2, -Inf, time)), upper = upper))
  }
  ends <- c("left", "right")
  if (!is.data.frame(x) || !all(ends %in% names(x)) || !all(vapply(x[ends], is.numeric, TRUE))) return(NULL)
  if (length(x) > 2L)
    message("x has columns left and right and is one sample of censored observations; not used: ",
            toString(setdiff(names(x), ends)), " (as.list(x) has a series for each column)")
  missing <- is.na(x$left) & is.na(x$right)
  list(lower = ifelse(is.na(x$left) & !missing, -Inf, x$left),
       upper = ifelse(is.na(x$right) & !missing, Inf, x$right))
}

# Ends of the intervals that hold the observations, from what censored may be; NULL where all are exact.
fit_censored <- function(x, censored) {
  if (is.null(censored)) return(NULL)
  if (length(censored) != length(x))
    raise_engine_error("input", sprintf("censored has length %d, x has length %d", length(censored), length(x)))
  if (is.factor(censored)) censored <- as.character(censored)
  if (is.character(censored)) {
    bad <- !censored %in% c("none", "left", "right")
    if (any(bad)) input_error("censored", censored[bad][1L], "must be \"none\", \"left\" or \"right\", or numbers")
    lower <- ifelse(censored == "left", -Inf, x)
    upper <- ifelse(censored == "right", Inf, x)
  } else {
    if (!is.numeric(censored)) input_error("censored", class(censored)[1L], paste(
      "must be numbers, or \"none\", \"left\" and \"right\"; or x is an object by survival::Surv(time, status)"))
    lower <- x
    upper <- as.double(censored)
    bad <- !is.na(upper) & !is.na(x) & upper < x
    if (any(bad)) element_error("censored", upper, bad, "an interval must not end before it begins")
  }
  upper[is.na(upper)] <- lower[is.na(upper)]
  nothing <- lower == -Inf & upper == Inf
  if (any(nothing, na.rm = TRUE)) element_error("censored", upper, nothing, "an interval must have one end at least")
  if (all(is.na(lower) | upper == lower)) NULL else list(lower = lower, upper = upper)
}

# The search goes no further: ESTIMATE_ALPHA_MIN in src/stable/stable_estimators.h.
smallest_alpha <- 0.02

# Values of all four parameters from a named list or vector of some; NA for the others.
fit_values <- function(given, name) {
  value <- c(alpha = NA_real_, beta = NA_real_, gamma = NA_real_, delta = NA_real_)
  if (!length(given)) return(value)
  if (!is.list(given) && !is.numeric(given)) input_error(name, given, "must be a named list or numeric vector")
  parameter <- names(given)
  if (is.null(parameter) || any(!parameter %in% names(value)))
    input_error(name, if (is.null(parameter)) "(no names)" else setdiff(parameter, names(value)),
                "must have names among alpha, beta, gamma, delta")
  if (anyDuplicated(parameter)) input_error(name, parameter[duplicated(parameter)], "names a parameter twice")
  range <- list(alpha = paste("from", smallest_alpha, "to 2"), beta = "from -1 to 1", gamma = "positive",
                delta = "finite")
  for (p in parameter) {
    v <- given[[p]]
    label <- paste0(name, "$", p)
    if (!is.numeric(v) || length(v) != 1L || !is.finite(v)) input_error(label, v, "must be a single finite number")
    inside <- switch(p, alpha = v >= smallest_alpha && v <= 2, beta = abs(v) <= 1, gamma = v > 0, delta = TRUE)
    if (!inside) input_error(label, v, paste("must be", range[[p]]))
    value[[p]] <- v
  }
  value
}

# Log density of the standard distribution at z and its derivatives with respect to alpha, beta and z, a column each;
# run consecutive elements of z share an element of alpha and beta. frame: 0, z and what is held are those of S0; 1:
# of S1.
stable_slopes <- function(z, alpha, beta, frame = 0, run = length(z)) {
  slopes <- .Call(C_stableSlopes, as.double(z), run, as.double(alpha), as.double(beta), as.integer(frame))
  colnames(slopes) <- c("log_f", "alpha", "beta", "z", "alpha.alpha", "alpha.beta", "alpha.z", "beta.beta", "beta.z",
                        "z.z")
  slopes
}

# Goodness of fit by parametric bootstrap.

#' Goodness-of-fit test of a fitted stable distribution
#'
#' Tests whether a sample comes from a stable distribution with a statistic of its distance from the fitted one. Since
#' the parameters were estimated from the same sample, the distribution of the statistic is found by parametric
#' bootstrap.
#'
#' `nsim` samples of the size of the observed one are drawn from the fitted distribution; to each the distribution is
#' fitted again, by the same method, with the same parameters fixed, and with the estimates as start; all fits are one
#' batch. The p-value is \eqn{(1 + k)/(m + 1)}, where \eqn{k} of the \eqn{m} statistics from simulated samples are at
#' least as large as the observed one; \eqn{m} is `nsim` minus the number of samples that could not be fitted, which
#' is reported.
#'
#' The statistics are those of Anderson and Darling,
#' \deqn{A^2 = -n - \frac 1n \sum_{i=1}^n (2i-1) [\log F(x_{(i)}) + \log(1 - F(x_{(n+1-i)}))],}{%
#'       A2 = -n - sum((2i - 1) (log F(x_(i)) + log(1 - F(x_(n+1-i)))))/n,}
#' which gives weight to both tails; of Kolmogorov and Smirnov, the largest distance between the fitted and the
#' empirical distribution function; and of Cramer and von Mises,
#' \eqn{W^2 = 1/(12n) + \sum_i (F(x_{(i)}) - (2i-1)/(2n))^2}{W2 = 1/(12n) + sum((F(x_(i)) - (2i - 1)/(2n))^2)}.
#' The logarithms are computed as such, from the tails, so that no observation is too far out.
#'
#' The weights of a fit must be whole numbers, the numbers of times that the observations count. Censored observations
#' are not supported.
#'
#' @param object a fit by [stableFit()].
#' @param nsim number of simulated samples.
#' @param statistic `"AD"` for Anderson-Darling, `"KS"` for Kolmogorov-Smirnov, `"CvM"` for Cramer-von Mises.
#' @param ... not used.
#' @return An object of class `htest`, a list with `statistic`, `p.value`, `parameter` (`nsim`, the number \eqn{m} of
#'   statistics that were simulated), `estimate`, `method`, `data.name`, and also `simulated`, the simulated
#'   statistics (`NA` for samples that could not be fitted), and `failed`, the number of those. [set.seed()] makes it
#'   reproducible.
#' @references
#' Anderson, T. W. and Darling, D. A. (1954). A test of goodness of fit. *Journal of the American Statistical
#' Association* **49**, 765--769.
#'
#' Stute, W., Gonzalez Manteiga, W. and Presedo Quindimil, M. (1993). Bootstrap based goodness-of-fit-tests.
#' *Metrika* **40**, 243--256.
#' @seealso [plot.stableFit()], [residuals.stableFit()]
#' @examples
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[1:500, "CAC"])))
#' set.seed(1)
#' stableTest(fit, nsim = 49)
#' @export
stableTest <- function(object, nsim = 199, statistic = c("AD", "KS", "CvM"), ...) {
  check_extra(...)
  need(object = missing(object))
  check_fit("object", object, "stableFit")
  nsim <- whole_number("nsim", nsim)
  statistic <- choice("statistic", statistic)
  if (any(censored_rows(object)))
    raise_engine_error("input", "the test needs a fit without censored observations")
  refuse_truncated(object, "there is no test")
  n <- as.integer(whole_size(object))
  x <- if (is.null(object$weights)) object$x else rep(object$x, object$weights)
  observed <- distance_statistic(statistic, matrix(x), rbind(coef(object)), object$pm)
  samples <- matrix(at_distribution(rstable, as.double(n) * nsim, object), n, nsim)
  refits <- fit_batch(lapply(seq_len(nsim), function(i) samples[, i]), pm = object$pm, method = object$method,
                      fixed = estimate_rows(object, nsim, object$parameters$fixed),
                      start = estimate_rows(object, nsim, !object$parameters$fixed))
  simulated <- distance_statistic(statistic, samples, coef(refits), object$pm)
  usable <- simulated[!is.na(simulated)]
  failed <- nsim - length(usable)
  if (!length(usable)) raise_engine_error("input", "no simulated sample could be fitted: there is no test")
  if (failed > 0L) warn(sprintf("%d of %d simulated samples could not be fitted", failed, nsim))
  name <- c(AD = "Anderson-Darling", KS = "Kolmogorov-Smirnov", CvM = "Cramer-von Mises")[[statistic]]
  data <- if (is.null(object$call$x)) "x" else paste(deparse(object$call$x), collapse = " ")
  structure(list(
    statistic = stats::setNames(observed, c(AD = "A2", KS = "D", CvM = "W2")[[statistic]]),
    parameter = c(nsim = length(usable)),
    p.value = (1 + sum(usable >= observed)) / (length(usable) + 1),
    estimate = coef(object), method = paste(name, "test of a stable distribution, by parametric bootstrap"),
    data.name = if (nchar(data) > 60L) paste0(substr(data, 1L, 57L), "...") else data,
    simulated = simulated, failed = failed), class = "htest")
}

# The estimates in n rows, NA for parameters not wanted.
estimate_rows <- function(object, n, wanted)
  matrix(ifelse(wanted, coef(object), NA), n, 4L, byrow = TRUE, dimnames = list(NULL, names(coef(object))))

# A statistic for each column of samples and row of distributions; NA where the distribution is.
distance_statistic <- function(statistic, samples, distributions, pm) {
  n <- nrow(samples)
  value <- rep(NA_real_, ncol(samples))
  ok <- which(rowSums(is.na(distributions)) == 0)
  if (!length(ok)) return(value)
  sorted <- apply(samples[, ok, drop = FALSE], 2L, sort)
  column <- function(k) rep(distributions[ok, k], each = n)
  tail <- function(lower) matrix(pstable(sorted, column(1L), column(2L), column(3L), column(4L), pm,
                                         lower.tail = lower, log.p = statistic == "AD"), n)
  i <- seq_len(n)
  value[ok] <- switch(statistic,
    AD = {
      below <- tail(TRUE)
      above <- tail(FALSE)
      -n - colSums((2 * i - 1) * (below + above[n + 1L - i, , drop = FALSE])) / n
    },
    KS = {
      p <- tail(TRUE)
      apply(pmax(i / n - p, p - (i - 1) / n), 2L, max)
    },
    CvM = 1 / (12 * n) + colSums((tail(TRUE) - (2 * i - 1) / (2 * n))^2))
  value
}

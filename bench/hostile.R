# A million hostile calls to dstable(), pstable(), qstable(), dpstable() and rstable() (NaN, Inf, subnormal, huge
# and tiny values, parameters at and beyond their edges): no error, NaN exactly where an argument is invalid, no
# density below 0, probabilities in [0, 1], and no warning but the documented one.
#   Rscript bench/hostile.R [calls [seed [device]]]
library(statcl)
source("bench/guarded.R")

eps <- .Machine$double.eps
odd <- list(
  x = c(0, -0, NaN, NA, Inf, -Inf, 1.797e308, -1.797e308, 2.3e-308, 5e-324, -5e-324, 1e-310, 1e300, 1e-16, 2^53),
  alpha = c(0, 2, 2 + 2 * eps, 2 - eps, 1, 1 + eps, 1 - eps / 2, 1 + 1e-12, 1 - 1e-9, 1e-17, 1e-5, 0.01, -1, NaN, NA,
            Inf, -Inf, 1e300),
  beta = c(-1, 1, 1 + eps, -1 - eps, 1 - eps / 2, -1 + eps / 2, 0, 5e-324, NaN, NA, Inf, 2),
  gamma = c(0, -1, Inf, -Inf, NaN, NA, 1.797e308, 2.3e-308, 5e-324, 1e300, 1e-300),
  delta = c(0, 1e300, Inf, -Inf, NaN, NA, -5e-324, 1e-300),
  pm = c(3, -1, 0.5, NaN, NA, Inf),
  p = c(0, -0, 1, 1 - eps / 2, 1 + eps, -5e-324, 5e-324, 1e-310, 1e-300, 0.5, 2, -1, Inf, -Inf, NaN, NA))
usual <- list(
  x = function(n) rcauchy(n) * exp(sample(c(0, 0, 20, -20), n, TRUE)),
  alpha = function(n) runif(n, 0, 2), beta = function(n) runif(n, -1, 1), gamma = function(n) rexp(n),
  delta = function(n) rnorm(n), pm = function(n) sample(0:1, n, TRUE),
  p = function(n) runif(n))

draw <- function(name, n) {
  values <- usual[[name]](n)
  hit <- runif(n) < if (name == "pm") 0.05 else 0.3
  values[hit] <- sample(odd[[name]], sum(hit), TRUE)
  values
}
# Arguments are cut from long columns, which costs less than drawing them call by call.
reserve <- 1e5
column <- lapply(stats::setNames(names(odd), names(odd)), draw, reserve)
tiny <- sample(reserve, 20)
column$alpha[tiny] <- c(1e-308, 5e-324, 1e-300, 1e-310)
cut <- function(name, n) column[[name]][sample.int(reserve - n, 1) + seq_len(n)]

is_law <- function(a) with(a, (alpha > 0 & alpha <= 2 & abs(beta) <= 1 & gamma >= 0 & pm %in% 0:2) %in% TRUE)
slowest <- 0

began <- proc.time()[["elapsed"]]
while (seen["calls"] < calls) {
  n <- sample(4, 1)
  a <- lapply(stats::setNames(names(odd), names(odd)), cut, n)
  if (seen["calls"] %% 1000 == 500) a$pm[1] <- 2
  start <- proc.time()[["elapsed"]]
  give_log <- runif(1) < 0.5
  lower <- runif(1) < 0.5
  missing <- is.na(a$x) | is.na(a$delta)
  gap <- is.nan(a$x - a$delta) & is.finite(a$gamma)
  # Where NaN is due, and the range of the value.
  judge <- function(name, value, due, least, most) {
    if (is.null(value)) return()
    shown <- c(list(call = rep(name, n), lower = rep(lower, n), log = rep(give_log, n)), a)
    complain("wrong_nan", is.na(value) != due, shown)
    complain("outside", !is.na(value) & (value < least | value > most), shown)
  }
  due <- !is_law(a) | missing | gap
  # as in base R: dnorm(Inf, Inf, Inf) is 0, pnorm(Inf, Inf, Inf) is NaN
  due_tail <- !is_law(a) | missing | is.nan(a$x - a$delta)
  with(a, switch(sample(5, 1, prob = c(3, 3, 2, 1, 2)),
    judge("dstable", guarded(dstable(x, alpha, beta, gamma, delta, pm, give_log), "NaNs produced"), due,
          if (give_log) -Inf else 0, Inf),
    judge("pstable", guarded(pstable(x, alpha, beta, gamma, delta, pm, lower, give_log), "NaNs produced"), due_tail,
          if (give_log) -Inf else 0, if (give_log) 0 else 1),
    {
      level <- if (give_log) suppressWarnings(log(p)) else p
      if (give_log && runif(1) < 0.2) level[1] <- sample(c(-1e-320, -1e300, -700, 1, 1e-300), 1)
      a$level <- level
      # An infinite location and a scale whose multiples may be infinite leave NaN or not, by the quantile.
      spread <- (gamma == Inf | abs(delta) == Inf) %in% TRUE & is_law(a)
      if (any(spread)) delta[spread] <- gamma[spread] <- a$delta[spread] <- a$gamma[spread] <- 1
      bad_level <- is.na(level) | if (give_log) level > 0 else level < 0 | level > 1
      judge("qstable", guarded(qstable(level, alpha, beta, gamma, delta, pm, lower, give_log), "NaNs produced"),
            !is_law(a) | bad_level | is.na(delta), -Inf, Inf)
    },
    {
      joint <- guarded(dpstable(x, alpha, beta, gamma, delta, pm), "NaNs produced")
      if (!is.null(joint)) {
        judge("dpstable", joint$density, due, 0, Inf)
        judge("dpstable", joint$lower, due_tail, 0, 1)
        judge("dpstable", joint$upper, due_tail, 0, 1)
      }
    },
    {
      r <- guarded(rstable(n, alpha, beta, gamma, delta, pm), "NAs produced")
      if (!is.null(r)) complain("wrong_nan", !is.na(r) & (!is_law(a) | is.na(delta)), a)
    }))
  slowest <- max(slowest, proc.time()[["elapsed"]] - start)
  count("calls")
}
conclude(proc.time()[["elapsed"]] - began, sprintf("%.2f s", slowest))

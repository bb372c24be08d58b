# A million hostile calls to qpoisgpu(), ppoisgpu(), dpoisgpu() and rpoisgpu() (NaN, Inf, subnormal, huge and negative
# values, lambda from 5e-324 to 1.797e308, vectors of unlike lengths): no error, NaN exactly where an argument is
# invalid, whole numbers and probabilities in their ranges, no warning but the documented ones, and no slow call.
#   Rscript bench/poisson-hostile.R [calls [seed [device]]]
library(statcl)
source("bench/guarded.R")

eps <- .Machine$double.eps
# next to the values at which an engine is likely to change its method
edges <- c(4, 8, 10, 13.5, 15, 16, 20, 32, 64, 100, 1000, 1024, 1e4, 2^24, 1e9, 2^31, 2^52, 2^53)
odd <- list(
  lambda = c(0, -0, NaN, NA, Inf, -Inf, -1, -5e-324, 5e-324, 1e-310, 2.3e-308, 1e-300, 1e-160, 1e-16, edges,
             edges * (1 + eps), edges * (1 - eps / 2), 700, 745.2, 708.4, 1e15, 1e16, 1e18, 1e30, 1e100, 1e154, 1e300,
             1.797e308),
  p = c(0, -0, 1, 1 - eps / 2, 1 - eps, 1 + eps, 0.5, 0.5 + eps, -5e-324, 5e-324, 1e-310, 2.3e-308, 1e-300, 1e-160,
        1e-16, 2, -1, Inf, -Inf, NaN, NA),
  log_p = c(0, -0, -5e-324, -1e-310, -1e-300, -eps, -1e-8, -log(2), -log(2) * (1 + eps), -1, -37, -700, -708.4,
            -745.2, -1e4, -1e8, -1e15, -2^53, -1e100, -1e300, -1.797e308, 5e-324, 1, Inf, -Inf, NaN, NA),
  x = c(0, -0, 1, 2, -1, 0.5, 1 + 1e-8, 1 - 1e-8, 3 - 1e-7, 3 - 2e-7, NaN, NA, Inf, -Inf, 5e-324, -5e-324, -1e-8,
        1e-300, 2^31, 2^53, 2^53 - 1, 1e15 + 0.5, 1e16, 1e30, 1e100, 1e300, 1.797e308, -1e300))
usual <- list(lambda = function(n) exp(runif(n, -8, 16)), p = stats::runif,
              log_p = function(n) -exp(runif(n, -12, 10)), x = function(n) floor(exp(runif(n, -1, 12))))
share <- c(lambda = 0.3, p = 0.3, log_p = 0.3, x = 0.3)
# Arguments are cut from long columns, which costs less than drawing them call by call.
reserve <- 2e5
column <- lapply(stats::setNames(names(odd), names(odd)), function(name) {
  values <- usual[[name]](reserve)
  hit <- runif(reserve) < share[[name]]
  values[hit] <- sample(odd[[name]], sum(hit), TRUE)
  values
})
cut <- function(name, n) column[[name]][sample.int(reserve - n, 1) + seq_len(n)]

slowest <- list(seconds = 0, what = "none")

# NaN where due and nowhere else but in gaps, and otherwise fine.
judge <- function(value, due, fine, shown, gap = FALSE) {
  if (is.null(value)) return()
  count("values", length(value))
  shown$value <- value
  complain("wrong_nan", is.na(value) != due & !gap, shown)
  complain("outside", !is.na(value) & !fine, shown)
}
timed <- function(expr, what) {
  start <- proc.time()[["elapsed"]]
  value <- expr
  took <- proc.time()[["elapsed"]] - start
  if (took > slowest$seconds) slowest <<- list(seconds = took, what = what)
  value
}

size <- function() sample(c(sample(4, 1), 1000), 1, prob = c(0.99, 0.01))
lengths_of <- function(n) switch(sample(4, 1), c(n, n), c(n, 1), c(1, n), c(n, ceiling(n / 2)))
is_rate <- function(lambda) (lambda >= 0 & lambda < Inf) %in% TRUE
whole <- function(v) v >= 0 & v == floor(v)
text <- function(...) deparse(list(...), width.cutoff = 500)[1]

call_quantile <- function(n) {
  give_log <- runif(1) < 0.5
  lower <- runif(1) < 0.5
  p <- cut(if (give_log) "log_p" else "p", n[1])
  lambda <- cut("lambda", n[2])
  shown <- list(call = "qpoisgpu", p = p, lambda = lambda, lower = lower, log = give_log)
  value <- timed(guarded(qpoisgpu(p, lambda, lower, give_log), "NaNs produced"), text(shown))
  p <- rep_len(p, max(n))
  lambda <- rep_len(lambda, max(n))
  valid <- if (give_log) p <= 0 else p >= 0 & p <= 1
  all_of_it <- if (give_log) p == if (lower) 0 else -Inf else p == if (lower) 1 else 0
  none_of_it <- if (give_log) p == if (lower) -Inf else 0 else p == if (lower) 0 else 1
  # the ends of the distribution are exact, and in between there is always a finite answer
  fine <- whole(value) & ifelse(lambda == 0, value == 0,
                                ifelse(all_of_it, value == Inf, ifelse(none_of_it, value == 0,
                                                                   value < Inf | give_log & lambda > 1e300)))
  judge(value, !valid %in% TRUE | !is_rate(lambda), fine, shown)
}

call_value <- function(n) {
  x <- cut("x", n[1])
  lambda <- cut("lambda", n[2])
  give_log <- runif(1) < 0.5
  lower <- runif(1) < 0.5
  density <- runif(1) < 0.5
  shown <- list(call = if (density) "dpoisgpu" else "ppoisgpu", x = x, lambda = lambda, lower = lower, log = give_log)
  value <- timed(if (density) guarded(dpoisgpu(x, lambda, give_log), c("NaNs produced", "non-integer x = "))
                 else guarded(ppoisgpu(x, lambda, lower, give_log), "NaNs produced"), text(shown))
  x <- rep_len(x, max(n))
  lambda <- rep_len(lambda, max(n))
  fine <- if (give_log) value <= 0 else value >= 0 & value <= 1
  judge(value, is.na(x) | !is_rate(lambda), fine, shown, lambda == Inf) # base R has a limit there, or NaN
}

call_random <- function(n) {
  n <- max(n)
  lambda <- cut("lambda", sample(n, 1))
  shown <- list(call = "rpoisgpu", lambda = lambda)
  value <- timed(guarded(rpoisgpu(n, lambda), "NAs produced"), text(shown))
  lambda <- rep_len(lambda, n)
  judge(value, !is_rate(lambda), whole(value) & value < Inf & (lambda > 0 | value == 0), shown)
}

began <- proc.time()[["elapsed"]]
while (seen["calls"] < calls) {
  n <- lengths_of(size())
  switch(sample(4, 1), call_quantile(n), call_quantile(n), call_value(n), call_random(n))
  count("calls")
}
conclude(proc.time()[["elapsed"]] - began, sprintf("%.2f s: %s", slowest$seconds, substr(slowest$what, 1, 200)))

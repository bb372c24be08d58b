# Hostile calls to integrategpu(): limits reversed, equal, missing, infinite and huge, parameters of every kind,
# integrands that are constant, huge, infinite, NaN, oscillating, divergent or full of jumps, all methods, tolerances
# that cannot be met, few panels. Every row has a value or a code, or the call is refused with an error that names the
# argument; where the antiderivative is known, a value without code is within its tolerance; no call is slow.
#   Rscript bench/quadrature-hostile.R [calls [seed [device]]]
library(statcl)
source("bench/guarded.R")
if (!length(argument)) calls <- 1e5

odd <- c(0, -0, 1, -1, NaN, NA, Inf, -Inf, 5e-324, -1e-310, 2.3e-308, 1e-300, 1e-16, 1e16, 2^53, 1e154, 1e300,
         1.797e308, -1.797e308)
numbers <- function(n, share = 0.3) ifelse(runif(n) < share, sample(odd, n, TRUE), rnorm(n, sd = 10^sample(-2:3, 1)))

# f in x, a and b; F: an antiderivative where one is easy and no rounding spoils it.
cases <- list(
  list(f = ~ a, F = function(x, a, b) a * x),
  list(f = ~ a * x, F = function(x, a, b) a * x * (x / 2)),
  list(f = ~ a + b * x, F = function(x, a, b) a * x + b * x * (x / 2)),
  list(f = ~ 0, F = function(x, a, b) 0 * x),
  list(f = ~ a * exp(b * x)), list(f = ~ exp(a * x^2 + b)), list(f = ~ a / x), list(f = ~ a / (x - b)),
  list(f = ~ abs(x - a)^b), list(f = ~ x^a), list(f = ~ log(x - a)), list(f = ~ sin(a * x) / x),
  list(f = ~ sin(1e12 * a * x)), list(f = ~ floor(a * x)), list(f = ~ (x > a) / 0), list(f = ~ ifelse(x > a, NaN, b)),
  list(f = ~ a * 1e308 * b * 1e308), list(f = ~ dnorm(x, a, b)), list(f = ~ dnorm(x) * plogis(a + b * x)),
  list(f = ~ dt(x, a)), list(f = ~ dgamma(x, a, b)), list(f = ~ gamma(a * x + b)), list(f = ~ tan(a * x)),
  list(f = ~ dpois(3, x) * a), list(f = ~ besselK(x, b)), list(f = ~ exp(exp(x) * a)), list(f = ~ 1 / (a * a)),
  list(f = function(x, a, b) if (x < a) -x else b), list(f = function(x, a, b) sum(c(a, x, b))^3),
  list(f = function(x, a, b) c(one = a, two = b * x, three = log(x))), list(f = function(x, a, b) c(x, a / x)))
parallel <- c("pscaq", "pbcaq", "pbcaqr", "pbcaqs", "pbcaqg")
others <- c("caq", "scaq", "bcaq", parallel)

slowest <- list(seconds = 0, what = "none")

# Rows with a code are said to be bad; the others have finite values, and those known are right.
judge <- function(found, case, lower, upper, a, b, rel, abs.tol, named, shown) {
  several <- is.matrix(found$value)
  value <- as.matrix(found$value)
  code <- found$code
  error <- as.matrix(found$abs.error)
  count("values", length(value))
  n <- length(code)
  lower <- rep_len(lower, n)
  upper <- rep_len(upper, n)
  complain("outside", !code %in% 0:8, shown)
  missing <- is.na(lower) | is.na(upper) | named & !(is.finite(lower) & is.finite(upper))
  complain("outside", missing & code != 6L, shown)
  sound <- rowSums(!is.finite(value)) == 0 & rowSums(!is.finite(error) | error < 0) == 0
  complain("wrong_nan", code == 0L & !sound, shown)
  equal <- !missing & lower == upper
  complain("outside", equal & (code != 0L | rowSums(value != 0) > 0), shown)
  if (is.null(case$F) || several) return()
  high <- case$F(upper, a, b)
  low <- case$F(lower, a, b)
  size <- abs(high) + abs(low)
  known <- code == 0L & is.finite(size) & is.finite(lower) & is.finite(upper) & (size > 1e-280 | size == 0)
  allowed <- if (named) abs.tol else pmax(abs.tol, rel * abs(high - low))
  complain("outside", known & abs(value[, 1] - (high - low)) > allowed + 1e-12 * size, shown)
}

one_call <- function() {
  n <- sample(c(1, 2, 5, 30), 1, prob = c(4, 3, 2, 1))
  case <- cases[[sample(length(cases), 1)]]
  a <- numbers(n)
  b <- numbers(n)
  lower <- numbers(sample(c(1, n), 1), 0.5)
  upper <- numbers(n, 0.5)
  if (runif(1) < 0.1) upper <- lower
  named <- runif(1) < 0.1
  device <- useDevice()[1]
  method <- if (named) sample(if (device == "cpu") others else parallel, 1) else "gk"
  rel <- sample(c(1e-3, 1e-8, 1e-10, 1e-13), 1)
  abs.tol <- if (named) 10^runif(1, -8, 0) else sample(c(0, 1e-300, 1e-12, 1, Inf, -1, NA), 1,
                                                       prob = c(8, 4, 4, 4, 0.3, 0.3, 0.3))
  given <- list(case$f, lower, upper, params = data.frame(a, b), abs.tol = abs.tol, method = method)
  if (named) {
    given$region <- sample(c(1, 2, 16, 32), 2, TRUE)
    given$subdivisions <- sample(c(1, 10, 1e3, 1e4), 1)
  } else {
    given$rel.tol <- if (runif(1) < 0.05) sample(odd, 1) else rel
    given$subdivisions <- sample(c(1, 2, 30, 500, 0, NA, 2.5), 1, prob = c(4, 4, 8, 8, 0.3, 0.3, 0.3))
    given$min.panels <- sample(c(1, 8, 40, 1000, -1), 1, prob = c(4, 8, 4, 1, 0.3))
    if (runif(1) < 0.3) given$breaks <- if (runif(1) < 0.5) numbers(sample(0:5, 1)) else matrix(numbers(2 * n), n)
  }
  shown <- c(given[-1], list(f = deparse(case$f)[1]))
  refusable <- is.na(abs.tol) || abs.tol < 0 || abs.tol == Inf || named || given$subdivisions %in% c(0, NA, 2.5) ||
    given$min.panels < 1 || given$rel.tol %in% odd
  start <- proc.time()[["elapsed"]]
  documented <- c(paste(seq_len(n), "of"), "f uses no column", "the integral is 0")
  found <- guarded(do.call(integrategpu, given), documented, refusable)
  seconds <- proc.time()[["elapsed"]] - start
  if (seconds > slowest$seconds) slowest <<- list(seconds = seconds, what = deparse(shown, width.cutoff = 500)[1])
  if (!is.null(found)) judge(found, case, lower, upper, a, b, given$rel.tol, abs.tol, named, shown)

  # one of the rows by itself: the same, or an error of the class that such have
  if (runif(1) < 0.2 && !is.null(found) && inherits(found, "integrals") && !identical(method, "pbcaqr")) {
    k <- sample(n, 1)
    given$lower <- given[[2]][(k - 1) %% length(lower) + 1]
    given$upper <- upper[(k - 1) %% length(upper) + 1]
    given[2:3] <- NULL
    given$params <- NULL
    given$breaks <- if (is.matrix(given$breaks)) given$breaks[k, ] else given$breaks
    alone <- list(a = a[k], b = b[k])
    # a number that f does not use is refused
    if (!is.function(case$f)) alone <- alone[intersect(names(alone), all.vars(case$f))]
    if (anyNA(alone)) return()
    given <- c(given, alone)
    alone <- tryCatch(suppressWarnings(do.call(integrategpu, given), "statcl_warning_zero"),
                      statcl_error_integral = function(e) "failed", statcl_error_input = function(e) "refused")
    same <- if (identical(alone, "failed")) found$code[k] != 0L else if (identical(alone, "refused"))
      found$code[k] == 6L else identical(alone$code, found$code[k]) &&
        isTRUE(all.equal(as.vector(alone$value), as.vector(as.matrix(found$value)[k, ]), tolerance = 1e-12))
    complain("outside", !same, c(shown, list(row = k)))
  }
}

began <- proc.time()[["elapsed"]]
while (seen["calls"] < calls) {
  count("calls")
  one_call()
}
conclude(proc.time()[["elapsed"]] - began, sprintf("%.2f s: %s", slowest$seconds, substr(slowest$what, 1, 300)))

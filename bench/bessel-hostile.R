# A million hostile calls to besselKgpu() and matern() (NaN, Inf, subnormal, huge and negative values, orders up to
# 1e300, vectors of unlike lengths): no error but that of a parameter that is none, NaN only where an argument is
# invalid, values in their ranges, and no warning but the documented one.
#   Rscript bench/bessel-hostile.R [calls [seed [device]]]
library(statcl)
source("bench/guarded.R")

eps <- .Machine$double.eps
near_integers <- c(outer(0:3, c(0, 1e-12, -1e-12, 1e-8, 0.5, 0.5 + 1e-8, 0.5 - eps)))
odd <- list(
  x = c(0, -0, NaN, NA, Inf, -Inf, -1, -5e-324, 5e-324, 1e-310, 2.3e-308, 1e-300, 1e-160, 1e-16, 0.7, 0.7 - eps, 2,
        140, 700, 745.2, 1e5, 2^53, 1e150, 1e300, 1.797e308),
  nu = c(near_integers, 20, 29.9, 30.1, 169.5, 171, 1e3, 1e4, 1e5, 1e8, 1e15, 2^53, 1e100, 1e300, 1.797e308, 5e-324,
         1e-310, 1e-300, 1e-20, -0, NaN, NA, Inf, -Inf),
  parameter = c(0, -1, NaN, NA, Inf, -Inf, 5e-324, 1e-310, 1e-300, 1e-20, 1e4, 1e8, 1e300, 1.797e308))
usual <- list(x = function(n) exp(runif(n, -12, 6)), nu = function(n) sample(c(1, -1), n, TRUE) * 20 * runif(n)^2,
              parameter = function(n) exp(rnorm(n)))
share <- c(x = 0.3, nu = 0.3, parameter = 0.15)
# Arguments are cut from long columns, which costs less than drawing them call by call.
reserve <- 2e5
column <- lapply(stats::setNames(names(odd), names(odd)), function(name) {
  values <- usual[[name]](reserve)
  hit <- runif(reserve) < share[[name]]
  values[hit] <- sample(odd[[name]], sum(hit), TRUE)
  values
})
cut <- function(name, n) column[[name]][sample.int(reserve - n, 1) + seq_len(n)]

slowest <- list(seconds = 0)

# value is to be NaN where due, may be so where gap, and else lies between least and most.
judge <- function(value, due, gap, least, most, shown) {
  count("values", length(value))
  shown$value <- value
  complain("wrong_nan", is.na(value) != due & !gap, shown)
  complain("outside", !is.na(value) & (value < least | value > most), shown)
}

# Mostly a handful of values, at times a thousand, and rarely as many as a table is made for.
many <- 70000 # for the 64 octaves that a table has at most
size <- function() sample(c(sample(4, 1), 1000, many), 1, prob = c(0.99, 0.0098, 0.0002))
lengths_of <- function(n) switch(sample(4, 1), c(n, n), c(n, 1), c(1, n), c(n, ceiling(n / 2)))

# exact limits at x = 0 and Inf and of infinite orders, NA elsewhere
bessel_limits <- function(x, nu, give_log, deriv) {
  near <- switch(deriv, none = Inf, x = -Inf, nu = ifelse(nu == 0, 0, sign(nu) * Inf))
  far <- if (!give_log) 0 else switch(deriv, none = -Inf, x = -1, nu = 0)
  ifelse(x == Inf, far, ifelse(x == 0 | is.infinite(nu), near, NA))
}

bessel <- function(n = lengths_of(size())) {
  x <- cut("x", n[1])
  nu <- cut("nu", n[2])
  scaled <- runif(1) < 0.3
  give_log <- runif(1) < 0.5
  deriv <- sample(c("none", "x", "nu"), 1, prob = c(0.6, 0.2, 0.2))
  method <- sample(c("auto", "temme", "takekawa", "refined"), 1, prob = c(0.85, 0.05, 0.05, 0.05))
  shown <- list(x = x, nu = nu, scaled = scaled, log = give_log, deriv = deriv, method = method)
  value <- guarded(if (method == "auto") besselKgpu(x, nu, scaled, give_log, deriv)
                   else if (deriv == "none") besselKgpu(x, nu, scaled, give_log, method = method)
                   else besselKgpu(x, nu, scaled, give_log, deriv, method), "NaNs produced", method != "auto")
  longest <- max(n)
  x <- rep_len(x, longest)
  nu <- rep_len(nu, longest)
  limit <- bessel_limits(x, nu, give_log, deriv)
  none <- is.infinite(nu) & x == Inf
  least <- if (deriv == "nu") ifelse(nu < 0, -Inf, 0) else if (deriv == "x" || give_log) -Inf else 0
  most <- if (deriv == "x" && !scaled) 0 else if (deriv == "nu") ifelse(nu > 0, Inf, 0) else Inf
  if (is.null(value)) return()
  gap <- method != "auto" # published methods may fail
  if (!gap) {
    least <- ifelse(is.na(limit), least, limit)
    most <- ifelse(is.na(limit), most, limit)
  }
  judge(value, is.na(x) | is.na(nu) | x < 0 | none, gap, least, most, shown)
}

covariance <- function() {
  n <- size()
  r <- cut("x", n)
  a <- as.list(cut("parameter", 3))
  names(a) <- c("range", "smoothness", "variance")
  deriv <- sample(c("none", "range", "smoothness"), 1, prob = c(0.6, 0.2, 0.2))
  scaling <- sample(c("plain", "sqrt2nu", "sqrt8nu"), 1)
  valid <- with(a, is.finite(range) && range > 0 && isTRUE(smoothness > 0 && smoothness < 1e15) &&
                  is.finite(variance) && variance >= 0)
  value <- guarded(do.call(matern, c(list(r, scaling = scaling, deriv = deriv), a)),
                   "NaNs produced", !valid)
  if (is.null(value)) return()
  most <- if (deriv == "none") a$variance * (1 + 16 * eps) else Inf
  least <- if (deriv == "smoothness" && scaling != "plain") -Inf else 0
  # at r = 0 the variance or no slope, and nothing at Inf
  limit <- ifelse(r == 0, if (deriv == "none") a$variance else 0, ifelse(r == Inf, 0, NA))
  least <- ifelse(is.na(limit), least, limit)
  most <- ifelse(is.na(limit), most, limit)
  shown <- c(list(r = r), a, list(deriv = deriv, scaling = scaling))
  judge(value, is.na(r) | r < 0, FALSE, least, most, shown)
}

began <- proc.time()[["elapsed"]]
while (seen["calls"] < calls) {
  start <- proc.time()[["elapsed"]]
  kind <- runif(1)
  # many points of one order may come from a table
  if (kind < 0.0005) bessel(c(many, 1)) else if (kind < 0.7) bessel() else covariance()
  took <- proc.time()[["elapsed"]] - start
  if (took > slowest$seconds) slowest <- list(seconds = took, call = seen[["calls"]])
  count("calls")
}
conclude(proc.time()[["elapsed"]] - began, sprintf("%.2f s (number %.0f)", slowest$seconds, slowest$call))

# Log likelihoods of Gaussian processes, value and gradient, against chol() by hand; share of the processor's peak.
#   Rscript bench/gp-likelihood.R [n]
library(statcl)
source("bench/peers.R")
argument <- commandArgs(trailingOnly = TRUE)
n <- if (length(argument)) as.integer(argument[1]) else 2000L
options(statcl.threads = 1, width = 140)
with_fields <- length(need_peers("fields")) > 0
cat(machine(), "\nR's BLAS:", extSoftVersion()[["BLAS"]], "LAPACK:", La_library(), "\n")
set.seed(1)
x <- matrix(runif(2 * n), n)
y <- rnorm(n)
model <- covModel("matern", range = 0.1, smoothness = 0.7, nugget = 0.1)

by_hand <- function(S) {
  R <- chol(S)
  z <- backsolve(R, y, transpose = TRUE)
  -(n * log(2 * pi) + 2 * sum(log(diag(R))) + sum(z^2)) / 2
}
calls <- list("statcl, value" = function() gpLoglik(model, x, y),
              "statcl, value and gradient" = function() gpLoglik(model, x, y, gradient = TRUE),
              "statcl's covariance, R's chol" = function() by_hand(covariance(model, x)))
if (with_fields) calls[["fields::Matern and rdist, R's chol"]] <- function() {
  S <- fields::Matern(fields::rdist(x), range = 0.1, smoothness = 0.7)
  diag(S) <- diag(S) + 0.1
  by_hand(S)
}
# Before the others, which need more: what a value with its gradient adds to the process, in matrices.
memory <- function() {
  line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
  1024 * as.numeric(gsub("[^0-9]", "", line))
}
invisible(gpLoglik(model, x[1:300, ], y[1:300], gradient = TRUE))
before <- memory()
invisible(calls[[2]]())
cat(sprintf("Peak memory of value and gradient: %.3f of 8 n^2 bytes\n", (memory() - before) / (8 * n^2)))
seconds <- vapply(calls, function(call) cpu_seconds(call(), 3), 0)
values <- vapply(calls, function(call) as.numeric(call()), 0)
cat(sprintf("\n%d locations, one thread, medians of processor time\n", n))
print_table(data.frame(call = names(calls), seconds, "ratio to value" = seconds / seconds[1],
                       "GFLOP/s of n^3/3" = n^3 / 3e9 / seconds, difference = values - values[1],
                       check.names = FALSE))

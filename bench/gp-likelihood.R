# Log likelihoods of Gaussian processes, value and gradient, against chol() by hand; memory; share of the processor's
# peak.
#   Rscript bench/gp-likelihood.R [n [runs [rows of the Cholesky factor]]]
# One thread. Times are of the processor, medians of runs that alternate. R's BLAS is what it runs with: an optimised
# one can be preloaded, as LD_PRELOAD=<libopenblas.so> OPENBLAS_NUM_THREADS=1, and is then named in the second line.
library(statcl)
source("bench/peers.R")
argument <- as.integer(commandArgs(trailingOnly = TRUE))
n <- if (length(argument)) argument[1] else 2000L
runs <- if (length(argument) > 1) argument[2] else 3L
large <- if (length(argument) > 2) argument[3] else 8192L
options(statcl.threads = 1, width = 140)
with_fields <- length(need_peers("fields")) > 0
preloaded <- if (nzchar(Sys.getenv("LD_PRELOAD"))) paste(" preloaded:", Sys.getenv("LD_PRELOAD"))
cat(machine(), "\nR's BLAS:", extSoftVersion()[["BLAS"]], "LAPACK:", La_library(), preloaded, "\n")
load <- tryCatch(readLines("/proc/loadavg"), error = function(e) "unknown", warning = function(w) "unknown")
cat("Load of the machine at the start:", load, "\n")
set.seed(1)
x <- matrix(runif(2 * n), n)
y <- rnorm(n)
model <- covModel("matern", range = 0.1, smoothness = 0.7, nugget = 0.1)

by_hand <- function(S) {
  R <- chol(S)
  z <- backsolve(R, y, transpose = TRUE)
  -(n * log(2 * pi) + 2 * sum(log(diag(R))) + sum(z^2)) / 2
}
by_fields <- function() {
  S <- fields::Matern(fields::rdist(x), range = 0.1, smoothness = 0.7)
  diag(S) <- diag(S) + 0.1
  by_hand(S)
}
by_lapack <- function() {
  old <- options(statcl.blas = "R")
  on.exit(options(old))
  gpLoglik(model, x, y)
}
calls <- c(list("statcl, value" = function() gpLoglik(model, x, y),
                "statcl, value and gradient" = function() gpLoglik(model, x, y, gradient = TRUE),
                "statcl, value, statcl.blas = R" = by_lapack,
                "statcl's covariance, R's chol" = function() by_hand(covariance(model, x))),
           if (with_fields) list("fields::Matern and rdist, R's chol" = by_fields))

# Before the others, which need more: what value and gradient add to the process, in matrices.
memory <- function() {
  line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
  1024 * as.numeric(gsub("[^0-9]", "", line))
}
if (file.exists("/proc/self/status")) {
  invisible(gpLoglik(model, x[1:300, ], y[1:300], gradient = TRUE))
  before <- memory()
  invisible(calls[[2]]())
  cat(sprintf("Peak memory of value and gradient: %.3f of 8 n^2 bytes\n", (memory() - before) / (8 * n^2)))
}

seconds <- values <- matrix(NA_real_, runs, length(calls))
for (run in seq_len(runs)) for (k in seq_along(calls))
  seconds[run, k] <- cpu_seconds(values[run, k] <- as.numeric(calls[[k]]()), 1)
each <- apply(seconds, 2, stats::median)
cat(sprintf("\n%d locations, one thread, medians of processor time of %d runs\n", n, runs))
print_table(data.frame(call = names(calls), seconds = each, "times the value" = each / each[1],
                       "best ratio" = apply(seconds / seconds[, 1], 2, max), "GFLOP/s of n^3/3" = n^3 / 3e9 / each,
                       difference = values[1, ] - values[1, 1], check.names = FALSE))

# ---- share of the peak ----

# A first pivot of less than nothing ends a factor at once: what is left are the covariances.
factor_seconds <- function(n, threads) {
  options(statcl.threads = threads)
  x <- matrix(runif(2 * n), n)
  run <- function(diagonal) {
    gc(FALSE)
    system.time(.Call(statcl:::C_gpFactor, among, diagonal))[c(1, 3)]
  }
  engine <- statcl:::gp_problem(model, statcl:::likelihood_points(x[1:2, ], model), NULL)$engine
  among <- statcl:::engine_among(x, NULL, list(kind = "euclidean", radius = 1), engine)
  whole <- run(rep(0.1, n))
  whole - run(c(-1e9, rep(0.1, n - 1)))
}
level <- clSitrep()$level
if (load_c("bench/fma-peak.c") && large > 0) {
  sizes <- unique(c(2000L, 5000L, large))
  rows <- lapply(sizes, function(n) {
    shares <- vapply(1:3, function(run) {
      before <- .Call("fma_peak", level)
      took <- factor_seconds(n, 1)
      peak <- max(before, .Call("fma_peak", level))
      c(peak = peak, rate = n^3 / 3e9 / took[[1]])
    }, c(0, 0))
    two <- factor_seconds(n, 2)
    data.frame(rows = n, "peak GFLOP/s" = stats::median(shares[1, ]), "factor GFLOP/s" = stats::median(shares[2, ]),
               "share, %" = stats::median(100 * shares[2, ] / shares[1, ]),
               "two threads, elapsed GFLOP/s" = n^3 / 3e9 / two[[2]], check.names = FALSE)
  })
  cat(sprintf("\nCholesky factors in tiles, vector instructions %s, one thread\n", level))
  print_table(do.call(rbind, rows), 4)
}

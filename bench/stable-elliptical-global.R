# Is the maximum that mstableFit() reports the largest one? Against searches from 20 random starts.
#   Rscript bench/stable-elliptical-global.R [sets, by default 50] [file with returns, as rugarch's dji30ret]
# Sets of 60 to 800 rows and 2 to 6 variables with alpha from 0.6 to 2, of all structures, a third with values that
# are missing, a third with outliers; then EuStockMarkets, and the columns of the table in tens. A set counts as
# missed where a start finds a maximum that is larger by more than 1e-6.
library(statcl)
source("bench/peers.R")
options(statcl.threads = 1)
args <- commandArgs(TRUE)
sets <- if (length(args)) as.integer(args[1L]) else 50L
cat(machine(), "\n")

random_start <- function(x) {
  d <- ncol(x)
  scale <- apply(x, 2L, mad, na.rm = TRUE) * exp(rnorm(d))
  A <- matrix(rnorm(d * (d + 2)), d)
  shape <- tcrossprod(A) / (d + 2)
  list(alpha = runif(1, 0.5, 1.99), S = shape * outer(scale, scale),
       delta = apply(x, 2L, median, na.rm = TRUE) + rnorm(d) * apply(x, 2L, mad, na.rm = TRUE))
}

compared <- function(x, structure, starts = 20L) {
  began <- proc.time()[["elapsed"]]
  fit <- mstableFit(x, structure)
  seconds <- proc.time()[["elapsed"]] - began
  others <- vapply(seq_len(starts), function(k) tryCatch(
    suppressWarnings(mstableFit(x, structure, start = random_start(x)))$loglik,
    statcl_error_input = function(e) NA_real_), 0)
  c(more = max(others, na.rm = TRUE) - fit$loglik, below = sum(others < fit$loglik - 1e-6, na.rm = TRUE),
    failed = sum(is.na(others)), seconds = seconds, converged = fit$converged)
}

set_of <- function(k) {
  set.seed(k)
  n <- round(exp(runif(1, log(60), log(800))))
  d <- sample(2:6, 1)
  A <- matrix(rnorm(d * d), d)
  x <- rmstable(n, runif(1, 0.6, 2), crossprod(A) + diag(0.2, d), rnorm(d))
  if (k %% 3L == 1L) x[sample(n * d, n * d %/% 12L)] <- NA
  if (k %% 3L == 2L) x[sample(n, 3L), 1L] <- 10^runif(3, 1, 4)
  list(x = x, structure = if (d > 2L && k %% 5L == 0L) "factor" else if (k %% 5L == 1L) "diagonal" else "full")
}

shown <- function(title, table) {
  cat(sprintf("%s: %d of %d missed, the worst by %s; %d of %d starts ended lower, %d failed; %d converged; %.2f s\n",
              title, sum(table["more", ] > 1e-6), ncol(table), format(max(table["more", ]), digits = 2),
              as.integer(sum(table["below", ])), 20L * ncol(table), as.integer(sum(table["failed", ])),
              as.integer(sum(table["converged", ])), median(table["seconds", ])))
}

if (sets > 0L) shown("Simulated", vapply(seq_len(sets), function(k) {
  s <- set_of(k)
  compared(s$x, s$structure)
}, numeric(5)))
set.seed(1)
market <- 100 * diff(log(datasets::EuStockMarkets))
shown("EuStockMarkets", sapply(c("full", "diagonal", "factor"), function(structure) compared(market, structure)))
if (length(args) > 1L) {
  at <- new.env()
  load(args[2L], at)
  returns <- 100 * as.matrix(get(ls(at)[1L], at))
  tens <- split(seq_len(ncol(returns)), (seq_len(ncol(returns)) - 1L) %/% 10L)
  shown("The table in tens", sapply(tens, function(columns) compared(returns[, columns], "full")))
}

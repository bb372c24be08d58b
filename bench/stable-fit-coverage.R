# How often limits of 95 % hold the true quantile and expected shortfall of 1 %, of fits on a boundary and of others.
#   Rscript bench/stable-fit-coverage.R [number of samples]     1000 by default
# `below` and `above`: shares of samples whose limits are above and below the true value, 0.025 each if all is well.
# `known`: the share that limits hold which take alpha and beta on a boundary for known.
library(statcl)
source("bench/peers.R")
arguments <- commandArgs(trailingOnly = TRUE)
samples <- if (length(arguments)) as.numeric(arguments[1]) else 1000
cat(machine(), "\n")
p <- 0.01
rows <- function(alpha, beta, n) {
  set.seed(20)
  fits <- stableFit(matrix(rstable(n * samples, alpha, beta), n))
  edge <- colSums(matrix(nzchar(fits$parameters$boundary), 4)[1:2, ]) > 0
  kinds <- list(quantile = list(truth = qstable(p, alpha, beta), of = quantile),
                shortfall = list(truth = esstable(p, alpha, beta), of = esstable))
  do.call(rbind, lapply(names(kinds), function(kind) {
    k <- kinds[[kind]]
    seconds <- system.time(limits <- k$of(fits, p, interval = TRUE)[, 1, c("lower", "upper")])[[1]]
    known <- t(vapply(which(edge), function(i) {
      fit <- fits[[i]]
      fit$converged <- FALSE # as if there were no profile
      k$of(fit, p, interval = TRUE)[1, c("lower", "upper")]
    }, c(0, 0)))
    holds <- function(l) mean(l[, 1] <= k$truth & k$truth <= l[, 2], na.rm = TRUE)
    do.call(rbind, lapply(list(edge, !edge), function(use) data.frame(
      alpha, beta, n, value = kind, boundary = identical(use, edge), share = mean(use), held = holds(limits[use, ]),
      below = mean(k$truth < limits[use, 1], na.rm = TRUE), above = mean(k$truth > limits[use, 2], na.rm = TRUE),
      none = sum(is.na(limits[use, 1])), known = if (identical(use, edge)) holds(known) else NA,
      "s a fit" = seconds / samples, check.names = FALSE)))
  }))
}
print_table(rbind(rows(1.9, -0.2, 250), rows(1.7, -0.2, 250), rows(1.9, -0.2, 1000)))

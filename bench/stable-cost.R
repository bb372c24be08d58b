# Processor time per point of dstable() and pstable() over a grid of 2e6 arguments: is there a band of them that costs
# many times the median? A cell of the grid is a distribution and 256 neighbouring points; points are on log scales of
# |x| and, since small alpha has its features there, of y^alpha, y the distance from zeta.
#   Rscript bench/stable-cost.R [dstable | pstable | qstable | slopes, by default dstable and pstable]
# One thread and the built-in backend; 4 to 10 minutes for each. Cells that seem dear are timed again, several times.
library(statcl)
options(statcl.threads = 1)
useDevice("cpu")

alphas <- c(1e-10, 1e-3, 0.01, 0.02, 0.05, 0.08, 0.1, 0.13, 0.2, 0.3, 0.4, 0.6, 0.79, 0.9, 1 - 1e-6, 1, 1.01, 1.19,
            1.4, 1.8, 1.97, 1.999, 2 - 1e-6, 2)
sizes <- c(1e-12, 1e-6, 1e-2, 0.5, 0.95, 1 - 1e-6)
betas <- c(0, sizes, 1, -sizes[-(1:2)], -1)
points <- 256L
share <- (seq_len(points) - 0.5) / points
plain <- data.frame(kind = "x", from = c(-200, -30, -6, -1, 0, 1, 4, 20), width = c(rep(1, 3), 0.5, 0.5, 1, 1, 1))
powers <- data.frame(kind = "y^alpha", from = seq(-2.75, 1.25, by = 0.25), width = 0.25)
laws <- expand.grid(beta = betas, alpha = alphas)
grid <- merge(laws, rbind(plain, powers))

law <- function(f, x, cell) f(x, cell$alpha, cell$beta, 1, 0, if (cell$by_zeta) 1 else 0)
evaluate <- list(dstable = function(x, cell) law(dstable, x, cell), pstable = function(x, cell) law(pstable, x, cell),
                 qstable = function(x, cell) qstable(share, cell$alpha, cell$beta),
                 slopes = function(x, cell)
                   statcl:::stable_slopes(x, cell$alpha, cell$beta, as.integer(cell$by_zeta), points))

cell_points <- function(cell) {
  log_x <- (cell$from + cell$width * share) / if (cell$kind == "x") 1 else cell$alpha
  10^pmax(pmin(log_x, 300), -300)
}

# ns per point; at least `least` seconds at a time, for the clock of processor time is coarse.
cost <- function(f, cell, least, times) {
  cell$by_zeta <- cell$kind != "x" && cell$alpha != 1 && cell$alpha < 2
  x <- cell_points(cell)
  once <- function(n) {
    began <- proc.time()
    for (i in seq_len(n)) f(x, cell)
    sum((proc.time() - began)[1:2])
  }
  f(x, cell)
  n <- 16
  while ((took <- once(n)) < least) n <- ceiling(n * min(8, max(2, 1.2 * least / max(took, 1e-4))))
  min(took, vapply(seq_len(times - 1L), function(i) once(n), 0)) / n / points * 1e9
}

what <- commandArgs(TRUE)
for (name in if (length(what)) what else c("dstable", "pstable")) {
  at <- lapply(split(grid, seq_len(nrow(grid))), as.list)
  grid$ns <- vapply(at, function(cell) cost(evaluate[[name]], cell, 0.004, 2L), 0)
  dear <- which(grid$ns > 8 * median(grid$ns))
  grid$ns[dear] <- pmin(grid$ns[dear], vapply(at[dear], function(cell) cost(evaluate[[name]], cell, 0.02, 3L), 0))
  grid$ratio <- grid$ns / median(grid$ns)
  cat(sprintf(paste("%s, %d cells, %.3g arguments: median %.0f ns, worst over median %.1f,",
                    "%d cells beyond 15, %d beyond 10\n"),
              name, nrow(grid), nrow(grid) * points, median(grid$ns), max(grid$ratio), sum(grid$ratio > 15),
              sum(grid$ratio > 10)))
  print(head(grid[order(-grid$ratio), ], 20L), digits = 4, row.names = FALSE)
}

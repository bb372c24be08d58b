# Errors of the tables of log density with which src/stable/stable_start.c compares starts: straight between nodes
# that lie 8 to an octave of 1 + |z|, and a power tail beyond 2^40. Prints the largest for each alpha and beta.
#   Rscript tools/stable_start_tables.R
library(statcl)
k <- 0:320
node <- 2^(k %/% 8) * (1 + k %% 8 / 8) - 1
beyond <- 2^seq(40, 60, by = 0.5)
errors <- function(alpha, beta, side) {
  density <- function(z) dstable(side * z, alpha, beta, log = TRUE)
  at_node <- density(node)
  inside <- vapply(seq(0.1, 0.9, by = 0.1), function(u) {
    straight <- (1 - u) * head(at_node, -1) + u * tail(at_node, -1)
    max(abs(density((1 - u) * head(node, -1) + u * tail(node, -1)) - straight))
  }, 1)
  power <- at_node[321] - (1 + alpha) * (log1p(beyond) - 40 * log(2))
  c(inside = max(inside), beyond = max(abs(density(beyond) - power)))
}
grid <- expand.grid(side = c(-1, 1), beta = c(0, 0.5, 0.95), alpha = c(0.6, 0.8, 0.95, 1.15, 1.4, 1.75))
table <- cbind(grid, t(mapply(errors, grid$alpha, grid$beta, grid$side)))
print(table[rev(names(table))], digits = 2, row.names = FALSE)

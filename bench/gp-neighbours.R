# Max-min orders and nearest earlier neighbours: time, memory and quality, against GpGp.
#   Rscript bench/gp-neighbours.R [n [m [dimensions [peers: 1 or 0]]]]
# Times of one thread are of the processor, those of all threads by the clock; one run each, of the same points.
library(statcl)
source("bench/peers.R")
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
or <- function(k, default) if (length(argument) >= k) argument[k] else default
n <- or(1, 1e5)
m <- or(2, 30)
d <- or(3, 2)
options(width = 140)
with_gpgp <- or(4, 1) > 0 && length(need_peers("GpGp")) > 0
load <- tryCatch(readLines("/proc/loadavg"), error = function(e) "unknown", warning = function(w) "unknown")
cat(machine(), "\nLoad of the machine at the start:", load, "\n")
if (with_gpgp) cat("GpGp", format(utils::packageVersion("GpGp")), "\n")
set.seed(1)
x <- matrix(runif(n * d), n)
peak <- function() {
  line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
  1024 * as.numeric(gsub("[^0-9]", "", line))
}
can_measure <- file.exists("/proc/self/status")

rows <- list()
timed <- function(call, threads, code) {
  options(statcl.threads = threads)
  gc(FALSE)
  seconds <- system.time(value <- code)
  rows[[length(rows) + 1L]] <<- data.frame(call, "processor s" = sum(seconds[1:2]), "elapsed s" = seconds[[3]],
                                           "us per point" = 1e6 * seconds[[3]] / n, check.names = FALSE)
  invisible(value)
}

# Memory first: what a later call leaves behind would hide it.
before <- if (can_measure) peak()
order <- timed("statcl, order, all threads", NULL, statcl:::gp_ordering(x))
after_order <- if (can_measure) peak()
y <- x[order, , drop = FALSE]
invisible(gc(FALSE))
before_nearest <- if (can_measure) peak()
nearest <- timed("statcl, neighbours, all threads", NULL, statcl:::gp_neighbours(y, m))
after_nearest <- if (can_measure) peak()
timed("statcl, order, one thread", 1, statcl:::gp_ordering(x))
timed("statcl, neighbours, one thread", 1, statcl:::gp_neighbours(y, m))
if (with_gpgp) {
  # It asks for sqrt(n) neighbours of each point: more than 23 GB for a million points.
  if (n <= 2e5) timed("GpGp::order_maxmin", NULL, GpGp::order_maxmin(x))
  their_nearest <- timed("GpGp::find_ordered_nn, of statcl's order", NULL, GpGp::find_ordered_nn(y, m))
}
cat(sprintf("\n%g points, %g dimensions, %g neighbours\n", n, d, m))
print_table(do.call(rbind, rows))
seconds <- vapply(rows, `[[`, 1, "processor s")
if (with_gpgp) {
  cat(sprintf("Processor time of one thread: GpGp's %s is %.1f times statcl's order and neighbours\n",
              if (n <= 2e5) "order and neighbours" else "neighbours alone", sum(seconds[-(1:4)]) / sum(seconds[3:4])))
  some <- sample(n, min(n, 1e4)) # GpGp moves points a little, for there to be no ties
  same <- vapply(some, function(i) setequal(their_nearest[i, -1], nearest[, i]), TRUE)
  cat(sprintf("Points with the same neighbours: %d of %d\n", sum(same), length(some)))
}
if (can_measure)
  cat(sprintf("Peak memory, bytes per point: order %.0f, neighbours %.0f, of which %.0f are the result\n",
              (after_order - before) / n, max(0, after_nearest - before_nearest) / n, 4 * m))

# ---- distances of each point to those before it, in units of those of the greedy order ----

greedy <- function(x, first) {
  n <- nrow(x)
  squared <- rep(Inf, n)
  apart <- numeric(n)
  at <- first
  for (k in seq_len(n)) {
    apart[k] <- squared[at]
    squared <- pmin(squared, colSums((t(x) - x[at, ])^2))
    squared[at] <- -1
    at <- which.max(squared)
  }
  sqrt(apart[-1])
}
before_it <- function(x) {
  nearest <- statcl:::gp_neighbours(x, 1)[1, -1]
  sqrt(rowSums((x[-1, , drop = FALSE] - x[nearest, , drop = FALSE])^2))
}
k <- 2000
cluster <- function(d) matrix(sample(5, k, TRUE), k, d) + matrix(rnorm(k * d), k) * exp(-10 * runif(k))
sets <- list("uniform, 2-D" = matrix(runif(2 * k), k), "uniform, 3-D" = matrix(runif(3 * k), k),
             "uniform, 8-D" = matrix(runif(8 * k), k), "clusters, 2-D" = cluster(2),
             "grid, 2-D" = as.matrix(expand.grid(1:50, 1:40)) + 0, "each twice, 2-D" =
               (function(u) rbind(u, u))(matrix(runif(k), k / 2)), "one line, 2-D" = cbind(runif(k), 1))
ratios <- function(x, order) {
  order <- as.integer(order)
  want <- greedy(x, order[1])
  some <- want > 0
  ratio <- (before_it(x[order, , drop = FALSE]) / want)[some]
  if (!all(is.finite(ratio))) return(c(NA, NA))
  c(min(ratio), mean(ratio))
}
quality <- do.call(rbind, lapply(names(sets), function(name) {
  own <- ratios(sets[[name]], statcl:::gp_ordering(sets[[name]]))
  peer <- if (with_gpgp) ratios(sets[[name]], GpGp::order_maxmin(sets[[name]])) else c(NA, NA)
  data.frame("2000 points" = name, "statcl, least" = own[1], "statcl, mean" = own[2],
             "GpGp, least" = peer[1], "GpGp, mean" = peer[2], check.names = FALSE)
}))
cat("\nDistance of a point to those before it, as a share of the exact greedy order's at the same number\n")
print_table(quality)

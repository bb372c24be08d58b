# Accuracy of Vecchia's approximation against its cost: the Kullback-Leibler divergence of the approximation from the
# exact distribution, per location, and processor times per location, for numbers of neighbours and of locations in a
# block; beside GpGp's order and neighbours. With conditional variances d_i of the approximation and the covariance
# matrix S the divergence is (sum log d_i - log det S)/2, since the standardised errors have variance 1.
#   Rscript bench/gp-vecchia-accuracy.R [n]
library(statcl)
source("bench/peers.R")
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
n <- if (length(argument)) argument[1] else 5000
options(width = 140, statcl.threads = 1)
with_gpgp <- length(need_peers("GpGp")) > 0
cat(machine(), "\n", n, "locations in the unit square, one thread\n")
set.seed(1)
x <- matrix(runif(2 * n), n)
models <- list(
  "exponential" = covModel("exponential", range = 0.1),
  "exponential, nugget 0.1" = covModel("exponential", range = 0.1, nugget = 0.1),
  "smoothness 1.5" = covModel("matern", smoothness = 1.5, range = 0.1),
  "smoothness 1.5, nugget 0.1" = covModel("matern", smoothness = 1.5, range = 0.1, nugget = 0.1))
choices <- rbind(data.frame(block = 1, m = c(10, 20, 30, 60)),
                 data.frame(block = rep(c(2, 4, 8), each = 4), m = c(20, 30, 45, 60)))
if (with_gpgp) {
  order <- GpGp::order_maxmin(x)
  near <- GpGp::find_ordered_nn(x[order, ], 60)
}
for (name in names(models)) {
  model <- models[[name]]
  p <- statcl:::gp_problem(model, list(xy = x, geographic = NA), NULL)
  data <- list(y = numeric(n))
  exact <- 2 * sum(log(diag(chol(covariance(model, x)))))
  slopes <- c("variance", "range", if (model$name == "matern") "smoothness")
  rows <- lapply(seq_len(nrow(choices)), function(i) {
    v <- statcl:::vecchia_problem(p, data, choices$m[i], choices$block[i])
    sums <- statcl:::vecchia_sums(v)
    time <- 1e5 / n * c(cpu_seconds(for (k in 1:10) statcl:::vecchia_sums(v), 3),
                        cpu_seconds(for (k in 1:10) statcl:::vecchia_sums(v, slopes), 3))
    statcl:::vecchia_close(v)
    theirs <- if (with_gpgp && choices$block[i] == 1) {
      s <- t(near[, 1 + seq_len(choices$m[i])])
      storage.mode(s) <- "integer"
      v <- statcl:::vecchia_make(p, order, cbind(data$y), s, 0)
      p$vecchia <- list(pointer = v)
      (statcl:::vecchia_sums(p)$log_det - exact) / 2 / n
    } else NA
    data.frame(choices[i, ], divergence = (sums$log_det - exact) / 2 / n, "GpGp's" = theirs,
               "value, us a location" = time[1], "with gradient" = time[2], check.names = FALSE)
  })
  cat("\n", name, "\n", sep = "")
  print_table(do.call(rbind, rows))
}

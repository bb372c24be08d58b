# Vecchia's approximation: time of a value, and of a value with gradient and information, beside those of GpGp for the
# same order and neighbours, and of a value by GPBoost for an order of its own, with smoothness fixed and as one of
# its parameters; on one thread.
#   Rscript bench/gp-vecchia.R [n [m [locations for peers with general Matern covariances]]]
library(statcl)
source("bench/peers.R")
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
or <- function(k, default) if (length(argument) >= k) argument[k] else default
n <- or(1, 1e5)
m <- or(2, 30)
few <- or(3, 4000)
options(width = 140, statcl.threads = 1)
with_gpgp <- length(need_peers("GpGp")) > 0
with_gpboost <- length(need_peers("gpboost")) > 0
cat(machine(), "\n", n, "locations in the unit square,", m, "neighbours, one thread, processor time\n")
set.seed(1)
x <- matrix(runif(2 * n), n)
y <- rnorm(n)
X <- cbind(1, x)
first <- TRUE
rows <- list()
per_second <- numeric() # locations, of the exponential covariance
for (nu in c(0.5, 0.7)) {
  model <- covModel("matern", range = 0.05, smoothness = nu, variance = 2, nugget = 0.1)
  p <- statcl:::gp_problem(model, list(xy = x, geographic = NA), NULL)
  p <- statcl:::vecchia_problem(p, list(y = y, X = X), m)
  names <- c("variance", "range", if (nu != 0.5) "smoothness", "nugget")
  value <- gradient <- NULL
  ours <- c(cpu_seconds(value <- statcl:::vecchia_evaluate(p, "ML"), 3),
            cpu_seconds(gradient <- statcl:::vecchia_evaluate(p, "ML", names, names), 3))
  rows <- c(rows, list(data.frame(smoothness = nu, by = "statcl", n = n, "value, ns a location" = 1e9 * ours[1] / n,
                                  "with gradient" = 1e9 * ours[2] / n, difference = NA, check.names = FALSE)))
  if (nu == 0.5) per_second["statcl"] <- n / ours[1]
  if (with_gpboost) for (free in unique(c(FALSE, nu != 0.5))) {
    count <- if (free || nu != 0.5) min(n, few) else n
    s <- seq_len(count)
    theirs <- gpboost::GPModel(gp_coords = x[s, ], likelihood = "gaussian", num_neighbors = m, gp_approx = "vecchia",
                               cov_function = if (free) "matern_estimate_shape" else "matern", cov_fct_shape = nu,
                               num_parallel_threads = 1)
    par <- c(0.1, 2, 0.05, if (free) nu)
    time <- cpu_seconds(theirs$neg_log_likelihood(par * 1.01^runif(1), y[s]), 3)
    if (nu == 0.5) per_second["GPBoost"] <- count / time
    cat(sprintf("smoothness %g%s: GPBoost takes %.1f times as long for a value, %.0f ns a location\n", nu,
                if (free) " as a parameter" else "", time / count / (ours[1] / n), 1e9 * time / count))
  }
  if (!with_gpgp) next
  if (first) {
    order <- statcl:::gp_ordering(x)
    near <- cbind(seq_len(n), t(statcl:::gp_neighbours(x[order, ], m)))
    first <- FALSE
  }
  count <- if (nu == 0.5) n else min(n, few)
  s <- seq_len(count)
  fun <- if (nu == 0.5) "exponential_isotropic" else "matern_isotropic"
  par <- c(2, 0.05, if (nu != 0.5) nu, 0.05)
  at <- order[s]
  theirs <- c(
    cpu_seconds(a <- GpGp::vecchia_profbeta_loglik(par, fun, y[at], X[at, ], x[at, ], near[s, ]), 1),
    cpu_seconds(b <- GpGp::vecchia_profbeta_loglik_grad_info(par, fun, y[at], X[at, ], x[at, ], near[s, ]), 1))
  if (nu == 0.5) per_second["GpGp"] <- count / theirs[1]
  rows <- c(rows, list(data.frame(smoothness = nu, by = "GpGp", n = count,
                                  "value, ns a location" = 1e9 * theirs[1] / count,
                                  "with gradient" = 1e9 * theirs[2] / count,
                                  difference = if (count == n) a$loglik / value$value - 1 else NA,
                                  check.names = FALSE)))
  cat(sprintf("smoothness %g: GpGp takes %.1f times as long for a value, %.1f times with gradient and information\n",
              nu, theirs[1] / count / (ours[1] / n), theirs[2] / count / (ours[2] / n)))
}
print_table(do.call(rbind, rows))
record("Vecchia log likelihood", "locations", names(per_second), per_second)

# stableFit() against libstable4u's maximum likelihood and a long general-purpose optimisation, on simulated samples.
#   Rscript bench/stable-fit.R [samples [observations [alpha [beta]]]]
library(statcl)
source("bench/peers.R")
need_peers("libstable4u")
options(statcl.threads = 1)

arguments <- as.numeric(commandArgs(trailingOnly = TRUE))
samples <- if (length(arguments) > 0) arguments[1] else 100
n <- if (length(arguments) > 1) arguments[2] else 1000
alpha <- if (length(arguments) > 2) arguments[3] else 1.5
beta <- if (length(arguments) > 3) arguments[4] else 0.5

log_likelihood <- function(x, p) sum(dstable(x, p[1], p[2], p[3], p[4], log = TRUE))

# Nelder and Mead from several starts, each restarted where it stopped until that gains nothing.
long_search <- function(x, starts) {
  objective <- function(t) {
    value <- -log_likelihood(x, c(2 * plogis(t[1]), tanh(t[2]), exp(t[3]), t[4]))
    if (is.finite(value)) value else 1e100
  }
  best <- Inf
  for (p in starts) {
    t <- c(qlogis(p[1] / 2), atanh(p[2]), log(p[3]), p[4])
    repeat {
      found <- optim(t, objective, control = list(maxit = 1000, reltol = 1e-13))
      t <- found$par
      if (found$value > best - 1e-8) break
      best <- found$value
    }
    best <- min(best, found$value)
  }
  -best
}

one <- function(seed) {
  set.seed(seed)
  x <- rstable(n, alpha, beta)
  time <- cpu_seconds(fit <- stableFit(x), 3)
  peer_time <- cpu_seconds(utils::capture.output(peer <- libstable4u::stable_fit_mle(x)), 1)
  peer <- unlist(peer)[1:4]
  middle <- quantile(x, c(0.25, 0.5, 0.75), names = FALSE)
  starts <- list(c(min(alpha, 1.99), 0.99 * beta, 1, 0), c(1.2, 0, (middle[3] - middle[1]) / 2, middle[2]),
                 c(1.8, -0.5, (middle[3] - middle[1]) / 2, middle[2]))
  data.frame(time, peer_time, peer = fit$loglik - log_likelihood(x, peer),
             search = fit$loglik - long_search(x, starts), steps = fit$iterations,
             densities = fit$evaluations / n, converged = fit$converged)
}
invisible(stableFit(rstable(100, 1.5, 0))) # devices are chosen at the first call
result <- do.call(rbind, lapply(seq_len(samples), one))

cat(machine(), sprintf("\n%d samples of %d from alpha = %g, beta = %g; one thread, device: %s\n", samples, n, alpha,
                       beta, paste(useDevice(), collapse = ", ")))
print_table(data.frame(
  fit = c("statcl", "libstable4u"), median_s = c(median(result$time), median(result$peer_time)),
  slowest_s = c(max(result$time), max(result$peer_time)),
  ratio = c(median(result$peer_time) / median(result$time), NA)))
cat("\nlog likelihood of statcl less that of\n")
print_table(data.frame(of = c("libstable4u", "long search"), least = c(min(result$peer), min(result$search)),
                       median = c(median(result$peer), median(result$search)),
                       most = c(max(result$peer), max(result$search))))
cat(sprintf("\nNewton steps %g to %g, densities per observation %g to %g, not converged: %d\n", min(result$steps),
            max(result$steps), min(result$densities), max(result$densities), sum(!result$converged)))

# StableEstim takes minutes for maximum likelihood: one sample.
need_peers("StableEstim")
set.seed(1)
x <- rstable(n, alpha, beta)
print_table(data.frame(
  method = c("mle", "koutrouvelis"),
  statcl_s = c(cpu_seconds(stableFit(x), 5), cpu_seconds(stableFit(x, "koutrouvelis"), 5)),
  StableEstim_s = c(cpu_seconds(StableEstim::MLParametersEstim(x, pm = 0), 1),
                    cpu_seconds(StableEstim::KoutParametersEstim(x, pm = 0), 3))))

# rstable() against integrals of dstable(): Kolmogorov-Smirnov and tail counts with 1e7 draws for 12 distributions;
# draws on every device against those of the CPU.
#   Rscript bench/stable-random.R [draws]
library(statcl)
source("bench/peers.R")
source("tests/testthat/helper-stable.R")
arguments <- commandArgs(trailingOnly = TRUE)
n <- if (length(arguments)) as.numeric(arguments[1]) else 1e7

laws <- data.frame(alpha = c(0.3, 0.3, 0.7, 0.999, 1, 1, 1, 1.001, 1.5, 1.5, 1.99, 2),
                   beta = c(0, 1, -1, 0.5, 0, 0.5, -1, 0.5, 0.5, 1, -0.5, 0))
set.seed(2024)

# Tail probabilities of the panels against R's own integrate(), in the same variable.
integrate_tail <- function(alpha, beta, tails, side, sign, k) {
  f <- function(u) dstable(tails$centre + sign * exp(u), alpha, beta) * exp(u)
  from <- tails$edge[k]
  pieces <- from + c(0, 1, 2, 4, 8, 16, 40 / alpha)
  sum(vapply(seq_len(6), function(i) stats::integrate(f, pieces[i], pieces[i + 1], rel.tol = 1e-9)$value, 1))
}

test_law <- function(alpha, beta) {
  draws <- rstable(n, alpha, beta)
  tails <- stable_tails(alpha, beta)
  sorted <- sort(draws)
  cdf <- stable_cdf(tails)(sorted)
  distance <- max(seq_along(sorted) / n - cdf, cdf - (seq_along(sorted) - 1) / n)
  k <- which.min(abs(tails$edge - 1))
  upper <- tails$upper$p[k]
  probabilities <- 10^-(1:5)
  deviate <- function(side, sign) {
    z <- tail_deviates(draws, side, probabilities, sign)
    if (length(z)) z[which.max(abs(z))] else NA
  }
  data.frame(alpha, beta, total = tails$lower$p[1] + tails$upper$p[1] - 1,
             integrate = if (upper > 0) integrate_tail(alpha, beta, tails, tails$upper, 1, k) / upper - 1 else NA,
             ks = sqrt(n) * distance, p_value = ks_p_value(sqrt(n) * distance),
             lower_tail = deviate(tails$lower, -1), upper_tail = deviate(tails$upper, 1))
}
ks_p_value <- function(d) min(1, 2 * sum((-1)^(0:99) * exp(-2 * (1:100)^2 * d^2)))

result <- do.call(rbind, Map(test_law, laws$alpha, laws$beta))
cat(machine(), sprintf("\n%g draws per distribution on %s.", n, paste(useDevice(), collapse = ", ")),
    "total: integral of the density less one; integrate: tail beyond e, panels against integrate();",
    "ks: sqrt(n) times the largest distance; tails: largest deviate of counts beyond 1e-1 .. 1e-5", "", sep = "\n")
print_table(result)

cat("\nDraws of other devices against those of the CPU: largest error over max(1, |x|)\n")
alpha <- rep(laws$alpha, length.out = 1e6)
beta <- rep(laws$beta, length.out = 1e6)
on_device <- function(device) { set.seed(1); withDevice(device, rstable(1e6, alpha, beta)) }
cpu <- on_device("cpu")
for (device in setdiff(clDevices()$name, "cpu")) {
  draws <- on_device(device)
  cat(sprintf("  %-10s %.2g\n", device, max(abs(draws - cpu) / pmax(1, abs(cpu)))))
}

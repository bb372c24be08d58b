# Writes src/stable_quantiles.h: location and shape of the stable laws by five quantiles, from integrals of
# dstable(), for the starting values of stableFit().
#   Rscript tools/stable_quantiles.R > src/stable_quantiles.h
library(statcl)
source("tests/testthat/helper-stable.R")

alphas <- c(0.1, 0.15, 2:20 / 10)
betas <- seq(0, 1, by = 0.25)

quantile_of <- function(p, tails) {
  cdf <- stable_cdf(tails)
  x <- sort(c(tails$lower$x, tails$centre, tails$upper$x))
  at <- cdf(x)
  k <- max(which(at <= p & is.finite(x)))
  stats::uniroot(function(x) cdf(x) - p, x[k + 0:1], tol = 1e-12 * max(abs(x[k + 0:1]), 1e-12))$root
}

row <- function(alpha, beta) {
  q <- vapply(c(0.05, 0.25, 0.5, 0.75, 0.95), quantile_of, 1, stable_tails(alpha, beta))
  sprintf("{%.4f, %.4f, %.4f, %.4f}", log((q[5] - q[1]) / (q[4] - q[2])), (q[5] + q[1] - 2 * q[3]) / (q[5] - q[1]),
          log(q[4] - q[2]), q[3] / (q[4] - q[2]))
}

cat("/* Written by tools/stable_quantiles.R. Rows alpha, columns beta; by quantiles q of the S0 law:\n",
    " * log((q95 - q05)/(q75 - q25)), (q95 + q05 - 2 q50)/(q95 - q05), log(q75 - q25), q50/(q75 - q25) */\n",
    sep = "")
cat("enum { QUANTILE_ALPHAS = ", length(alphas), ", QUANTILE_BETAS = ", length(betas), " };\n", sep = "")
cat("static const double quantile_alpha[QUANTILE_ALPHAS] = {", paste(alphas, collapse = ", "), "};\n", sep = "")
cat("static const double quantile_table[QUANTILE_ALPHAS][QUANTILE_BETAS][4] = {\n")
for (alpha in alphas)
  cat("    {", paste(vapply(betas, function(beta) row(alpha, beta), ""), collapse = ",\n     "), "},\n", sep = "")
cat("};\n")

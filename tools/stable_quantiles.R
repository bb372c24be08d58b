# Writes src/stable/stable_mcculloch_table.h: shape, scale and location of the stable distributions by five quantiles,
# for the estimator of McCulloch (1986) and the starting values of stableFit().
#   Rscript tools/stable_quantiles.R > src/stable/stable_mcculloch_table.h
library(statcl)

alphas <- seq(0.1, 2, by = 0.05)
betas <- seq(0, 1, by = 1 / 32)

statistics <- function(beta, alpha) {
  q <- qstable(c(0.05, 0.25, 0.5, 0.75, 0.95), alpha, beta)
  if (beta == 0) q <- (q - rev(q)) / 2 # no rounding where there is symmetry
  c(alpha * log((q[5] - q[1]) / (q[4] - q[2])), alpha * log((q[5] - q[3]) / (q[3] - q[1])),
    alpha * log(q[4] - q[2]), q[3] / (q[4] - q[2]))
}

# One statistic at all betas, eleven numbers to a line.
row <- function(value) {
  number <- sprintf("%.0f", round(value * 1e7) + 0) # no -0
  lines <- tapply(number, (seq_along(number) - 1) %/% 11, paste, collapse = ", ")
  sprintf("{%s}", paste(lines, collapse = ",\n      "))
}

cat("/* Written by tools/stable_quantiles.R. By alpha, statistic and beta, the first and the last equidistant.",
    " * Statistics of quantiles q of the S0 distribution: alpha log((q95 - q05)/(q75 - q25)),",
    " * alpha log((q95 - q50)/(q50 - q05)), alpha log(q75 - q25), q50/(q75 - q25); in units of 1e-7. */", sep = "\n")
cat("enum { QUANTILE_ALPHAS = ", length(alphas), ", QUANTILE_BETAS = ", length(betas), " };\n", sep = "")
cat("static const double quantile_alpha_low = 0.1, quantile_alpha_step = 0.05;\n")
cat("static const int32_t quantile_table[QUANTILE_ALPHAS][4][QUANTILE_BETAS] = {\n")
for (alpha in alphas)
  cat("    {", paste(apply(vapply(betas, statistics, numeric(4), alpha), 1, row), collapse = ",\n     "), "},\n",
      sep = "")
cat("};\n")

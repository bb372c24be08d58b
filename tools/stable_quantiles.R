# Writes src/stable/stable_mcculloch_table.h: shape, scale and location of the stable laws by five quantiles, for the
# estimator of McCulloch (1986) and the starting values of stableFit().
#   Rscript tools/stable_quantiles.R > src/stable/stable_mcculloch_table.h
library(statcl)

alphas <- seq(0.1, 2, by = 0.05)
betas <- seq(0, 1, by = 1 / 32)

row <- function(alpha, beta) {
  q <- qstable(c(0.05, 0.25, 0.5, 0.75, 0.95), alpha, beta)
  if (beta == 0) q <- (q - rev(q)) / 2 # no rounding where there is symmetry
  value <- c(alpha * log((q[5] - q[1]) / (q[4] - q[2])), alpha * log((q[5] - q[3]) / (q[3] - q[1])),
             alpha * log(q[4] - q[2]), q[3] / (q[4] - q[2]))
  sprintf("{%s}", toString(sprintf("%.7f", round(value, 7) + 0))) # no -0
}

cat("/* Written by tools/stable_quantiles.R. Rows alpha, columns beta, equidistant; by quantiles q of the S0 law:\n",
    " * alpha log((q95 - q05)/(q75 - q25)), alpha log((q95 - q50)/(q50 - q05)), alpha log(q75 - q25),\n",
    " * q50/(q75 - q25) */\n", sep = "")
cat("enum { QUANTILE_ALPHAS = ", length(alphas), ", QUANTILE_BETAS = ", length(betas), " };\n", sep = "")
cat("static const double quantile_alpha_low = 0.1, quantile_alpha_step = 0.05;\n")
cat("static const double quantile_table[QUANTILE_ALPHAS][QUANTILE_BETAS][4] = {\n")
for (alpha in alphas)
  cat("    {", paste(vapply(betas, function(beta) row(alpha, beta), ""), collapse = ",\n     "), "},\n", sep = "")
cat("};\n")

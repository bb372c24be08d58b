# Accuracy of covariances, line covariances and spectral densities on the reference table: the largest error of each
# model and quantity over their largest value.
#   Rscript bench/covariance.R
library(statcl)
source("bench/peers.R")
source("tests/testthat/helper-covariance.R")
ref <- read.csv("tests/testthat/ref/line_covariance.csv.gz")

groups <- split(ref, ref[c("model", "param", "quantity")], drop = TRUE)
worst <- do.call(rbind, lapply(groups, function(g) {
  value <- ref_value(ref_model(g$model[1], g$param[1]), g$quantity[1], g$arg)
  data.frame(model = paste(g$model[1], g$param[1]), quantity = g$quantity[1], rows = nrow(g),
             error = max(abs(value - g$value)) / max(abs(g$value)))
}))
cat(machine(), "\n", nrow(ref), " rows, ", nrow(worst), " groups; the ten largest errors\n", sep = "")
print_table(utils::head(worst[order(-worst$error), ], 10), 2)

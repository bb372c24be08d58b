# Accuracy of covariances, line covariances and spectral densities on the reference table: the largest error of each
# model and quantity over their largest value.
#   Rscript bench/covariance.R
library(statcl)
source("bench/peers.R")
ref <- read.csv("tests/testthat/ref/line_covariance.csv.gz")

model_of <- function(model, param) {
  p <- as.numeric(sub("^[a-z]+=([-0-9.]+).*", "\\1", param))
  switch(model, matern = covModel("matern", range = 1, smoothness = p), stable = covModel("powexp", 1, shape = p),
         cauchy = , besselj = covModel(model, 1, shape = p), k6exp = covModel("gammaspectrum", 1, exponent = 6),
         powerlaw = covModel("powerlaw", exponent = p, kmin = 2 * pi / 128, kmax = pi), covModel(model, 1))
}
value_of <- function(m, quantity, x)
  switch(quantity, C3 = covariance(m, x), C1_3d = lineCovariance(m, x), C1_2d = lineCovariance(m, x, dim = 2),
         S3 = spectralDensity(m, x), S2 = spectralDensity(m, x, dim = 2), S1_3d = spectralDensity(m, x, line = TRUE),
         S1_2d = spectralDensity(m, x, dim = 2, line = TRUE))
groups <- split(ref, ref[c("model", "param", "quantity")], drop = TRUE)
worst <- do.call(rbind, lapply(groups, function(g) {
  value <- value_of(model_of(g$model[1], g$param[1]), g$quantity[1], g$arg)
  data.frame(model = paste(g$model[1], g$param[1]), quantity = g$quantity[1], rows = nrow(g),
             error = max(abs(value - g$value)) / max(abs(g$value)))
}))
cat(machine(), "\n", nrow(ref), " rows, ", nrow(worst), " groups; the ten largest errors\n", sep = "")
print_table(utils::head(worst[order(-worst$error), ], 10), 2)

# Accuracy of covariances, line covariances and spectral densities: the largest error of each model and quantity over
# their largest value. And the speed of matrices of all families.
#   Rscript bench/covariance.R [reference]      by default that of the tests; 10,000 points of each family are made by
#   python3 tools/covariance_reference.py 10000 build/covariance.csv
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

# ---- covariances and their derivatives, against tools/covariance_reference.py ----

path <- c(commandArgs(trailingOnly = TRUE), "tests/testthat/ref/covariance.csv.gz")[1]
ref <- read.csv(path, colClasses = c("character", rep("numeric", 5)))
eps <- .Machine$double.eps
worst <- do.call(rbind, lapply(split(ref, list(ref$family, ref$shape %in% NA)), function(g) {
  if (!nrow(g)) return(NULL)
  errors <- do.call(rbind, lapply(split(g, ifelse(is.na(g$shape), 0, g$shape)), covariance_errors))
  data.frame(family = g$family[1], rows = nrow(g), value = max(errors$value) / eps, range = max(errors$slope),
             shape = max(errors$dshape))
}))
cat("\n", path, ": value in eps of the variance, derivatives over their largest value\n", sep = "")
print(worst, row.names = FALSE, digits = 2)

# ---- speed ----

options(statcl.threads = 1)
n <- 2000
set.seed(1)
xy <- matrix(runif(2 * n), n)
models <- list(
  `matern 1.3` = function(s) covModel("matern", range = 0.1 * s, smoothness = 1.3 + s - 1),
  `matern 1.5` = function(s) covModel("matern", range = 0.1 * s, smoothness = 1.5),
  exponential = function(s) covModel("exponential", range = 0.1 * s),
  gaussian = function(s) covModel("gaussian", range = 0.1 * s),
  powexp = function(s) covModel("powexp", range = 0.1 * s, shape = 1.3),
  cauchy = function(s) covModel("cauchy", range = 0.1 * s, shape = 0.7),
  spherical = function(s) covModel("spherical", range = 0.3 * s),
  cubic = function(s) covModel("cubic", range = 0.3 * s),
  wendland = function(s) covModel("wendland", range = 0.3, smoothness = 1.2 * s, shape = 4),
  besselj = function(s) covModel("besselj", range = 0.05 * s, shape = 1.7 * s),
  sinc = function(s) covModel("sinc", range = 0.05 * s),
  powerlaw = function(s) covModel("powerlaw", exponent = -11 / 3 * s, kmin = 2, kmax = 100),
  gammaspectrum = function(s) covModel("gammaspectrum", range = 0.1 * s, exponent = 2),
  spectrum = function(s) covModel("spectrum", density = function(k) k^2 / (s + k^2)^4, range = 0.1),
  covariance = function(s) covModel("covariance", covariance = function(h) exp(-s * h^1.5), range = 0.1, dim = 2))
speeds <- do.call(rbind, lapply(names(models), function(name) {
  # a parameter of its own each time, so that tables are made again; then the same model again
  seconds <- vapply(1:5, function(i) {
    model <- models[[name]](1 + i * 1e-6)
    c(new = system.time(covariance(model, xy))[[3]], kept = system.time(covariance(model, xy))[[3]])
  }, c(new = 0, kept = 0))
  seconds <- apply(seconds, 1, median)
  data.frame(family = name, `new, s` = seconds[["new"]], `again, s` = seconds[["kept"]],
             `new, M/s` = 1e-6 * n^2 / seconds[["new"]], `again, M/s` = 1e-6 * n^2 / seconds[["kept"]],
             check.names = FALSE)
}))
cat("\nMatrices of 2000 points, one thread, elapsed; \"new\" makes its tables\n")
print(speeds, row.names = FALSE, digits = 3)

# ---- small calls: what R and the checks cost (installed with byte code, as R CMD INSTALL does) ----

if (requireNamespace("fields", quietly = TRUE)) {
  xy <- xy[1:20, ]
  d <- fields::rdist(xy)
  model <- covModel("matern", range = 0.2, smoothness = 1.3)
  calls <- list(
    `covariance(model, xy)` = function() covariance(model, xy),
    `fields::Matern(rdist(xy))` = function() fields::Matern(fields::rdist(xy), range = 0.2, smoothness = 1.3),
    `matern(xy)` = function() matern(xy, range = 0.2, smoothness = 1.3),
    `matern(d, distance = "given")` = function() matern(d, range = 0.2, smoothness = 1.3, distance = "given"),
    `fields::Matern(d)` = function() fields::Matern(d, range = 0.2, smoothness = 1.3))
  each <- replicate(11, vapply(calls, function(f) system.time(for (i in 1:500) f())[["user.self"]] / 500, 0))
  cat("\n20 points, ms of processor time, median of 11 rounds of 500 calls in turn\n")
  print(round(1e3 * apply(each, 1, median), 3))
}

# Fit, prediction and scores of a large data set with held-out observations, beside GpGp.
#   Rscript bench/gp-satellite.R TRAIN TEST [peers: 1 or 0]   (tables with columns lon, lat and temp)
# The land-surface temperatures of Heaton et al. (2019, Journal of Agricultural, Biological and Environmental
# Statistics 24, 398-425) are such a set. Exponential covariances, a mean linear in both coordinates, m = 30; GpGp
# predicts with its default of 60 neighbours, standard deviations are those of 30 of its conditional simulations.
library(statcl)
source("bench/peers.R")
argument <- commandArgs(trailingOnly = TRUE)
train <- read.csv(argument[1])
test <- read.csv(argument[2])
with_gpgp <- !identical(argument[3], "0") && length(need_peers("GpGp")) > 0
options(width = 150)
cat(machine(), "\n")
rows <- list()
scored <- function(by, seconds, mean, sd) {
  e <- test$temp - mean
  z <- e / sd
  rows[[length(rows) + 1L]] <<- data.frame(
    by, "processor s" = seconds, RMSE = sqrt(mean(e^2)), MAE = mean(abs(e)),
    CRPS = mean(sd * (z * (2 * pnorm(z) - 1) + 2 * dnorm(z) - 1 / sqrt(pi))), coverage = mean(abs(z) < qnorm(0.975)),
    check.names = FALSE)
}
model <- function(...) covModel("exponential", range = NA, nugget = NA, variance = NA, distance = "euclidean", ...)
for (turned in c(FALSE, TRUE)) {
  p <- NULL
  seconds <- cpu_seconds({
    fit <- gpFit(temp ~ lon + lat, train, ~ lon + lat, method = "vecchia",
                 cov = if (turned) model(angle = NA, ratio = NA) else model())
    p <- predict(fit, test, se.fit = TRUE)
  }, 1)
  scored(paste("statcl", if (turned) "with anisotropy" else ""), seconds, p$fit, p$se.fit)
}
if (with_gpgp) {
  at <- as.matrix(train[c("lon", "lat")])
  to <- as.matrix(test[c("lon", "lat")])
  X <- cbind(1, at)
  mean <- sd <- NULL
  seconds <- cpu_seconds({
    fit <- GpGp::fit_model(train$temp, at, X, "exponential_isotropic", silent = TRUE, m_seq = c(10, 30))
    mean <- GpGp::predictions(fit, to, cbind(1, to))
    sd <- apply(GpGp::cond_sim(fit, to, cbind(1, to), nsims = 30) - mean, 1, function(v) sqrt(mean(v^2)))
  }, 1)
  scored("GpGp", seconds, mean, sqrt(sd^2 + fit$covparms[1] * fit$covparms[3]))
}
print_table(do.call(rbind, rows))

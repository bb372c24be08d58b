# Conditional fields beside gstat: few data and many fields on the grid of the Meuse (package sp), and many data on a
# large mesh, one field. Processor time on one thread; gstat draws cells one after the other given `nmax` neighbours.
# Before, moments of many fields against kriging.
#   Rscript bench/field-conditional.R [data [cells along a side [cells of gstat along a side]]]
#   Rscript bench/field-conditional.R moments [fields]
library(statcl)
source("bench/peers.R")
given <- commandArgs(trailingOnly = TRUE)
moments <- identical(given[1], "moments")
argument <- as.numeric(setdiff(given, "moments"))
or <- function(k, default) if (length(argument) >= k) argument[k] else default

# Simple and ordinary kriging by matrices. Means are off by normal numbers of the standard deviation sd/sqrt(N),
# variances by those of sd^2 sqrt(2/N); of 200 locations the largest of either is below 4.5 but for 1 in 700 runs.
if (moments) {
  fields <- or(1, 2000)
  cat(machine(), "\n", sep = "")
  set.seed(1)
  x <- matrix(stats::runif(100, 0, 10), 50)
  places <- matrix(stats::runif(400, 0, 10), 200)
  for (name in c("exponential", "matern")) for (ordinary in c(FALSE, TRUE)) {
    model <- covModel(name, range = 2, variance = 1.5, smoothness = if (name == "matern") 1.5)
    y <- as.vector(tbrf(x, model)) + 3 * ordinary
    data <- list(x = x, y = y, trend = if (ordinary) ~ 1)
    draws <- tbrf(rbind(x, places), model, nsim = fields, data = data)[]
    met <- max(abs(draws[1:50, ] - y)) / sqrt(1.5)
    draws <- draws[-(1:50), ]
    inverse <- solve(covariance(model, x))
    cross <- covariance(model, places, x)
    one <- if (ordinary) rep(1, 50) else numeric(50)
    total <- if (ordinary) drop(one %*% inverse %*% one) else 1
    mean <- drop(one %*% inverse %*% y) / total
    short <- ordinary - drop(cross %*% inverse %*% one)
    krige <- mean + drop(cross %*% inverse %*% (y - mean * one))
    variance <- 1.5 - rowSums((cross %*% inverse) * cross) + short^2 / total
    z <- (rowMeans(draws) - krige) / sqrt(variance / fields)
    v <- (apply(draws, 1, stats::var) / variance - 1) / sqrt(2 / fields)
    cat(sprintf(paste("%s, %s kriging, %d fields at 200 locations: data met to %.1e standard deviations; means",
                      "off by %.2f standard errors (root mean square), at most %.2f;",
                      "variances by %.2f, at most %.2f\n"),
                name, if (ordinary) "ordinary" else "simple", fields, met, sqrt(mean(z^2)), max(abs(z)),
                sqrt(mean(v^2)), max(abs(v))))
  }
  quit()
}

n <- or(1, 1e4)
side <- or(2, 1000)
few <- or(3, 300)
need_peers(c("gstat", "sp"))
options(width = 120, statcl.threads = 1)
cat(machine(), ", one thread\n", sep = "")

meuse <- local({
  data(meuse, meuse.grid, package = "sp", envir = environment())
  list(data = meuse, grid = meuse.grid)
})
model <- covModel("exponential", range = 300, variance = 0.6, nugget = 0.05)
vgm <- gstat::vgm(0.6, "Exp", 300, 0.05)
known <- list(x = as.matrix(meuse$data[c("x", "y")]), y = log(meuse$data$zinc), trend = ~ 1)
cells <- as.matrix(meuse$grid[c("x", "y")])
ours <- cpu_seconds(fields <- tbrf(cells, model, nsim = 50, data = known), 3)
theirs <- cpu_seconds(simulated <- gstat::krige(log(zinc) ~ 1, ~ x + y, meuse$data, meuse$grid, vgm, nsim = 50,
                                                nmax = 30, debug.level = 0), 3)
krige <- gstat::krige(log(zinc) ~ 1, ~ x + y, meuse$data, meuse$grid, vgm, debug.level = 0)
off <- function(draws) sqrt(mean((rowMeans(draws) - krige$var1.pred)^2 / krige$var1.var)) * sqrt(50)
cat(sprintf("%d data, %d cells, 50 fields: statcl %.2f s, gstat %.2f s, %.1f times as long\n", nrow(meuse$data),
            nrow(cells), ours, theirs, theirs / ours))
cat(sprintf("mean of the fields from that of kriging, in its standard errors: statcl %.2f, gstat %.2f\n",
            off(fields[]), off(as.matrix(simulated[-(1:2)]))))

set.seed(1)
truth <- covModel("exponential", range = 0.1)
x <- cbind(x = runif(n), y = runif(n))
data <- list(x = x, y = as.vector(tbrf(x, truth)))
seconds <- function(m) cpu_seconds(tbrf(rfGrid(0, 1 / side, c(side, side)), truth, data = c(data, m = m)), 1)
local <- seconds(30)
wide <- seconds(60)
grid <- expand.grid(x = seq(0, 1, length.out = few), y = seq(0, 1, length.out = few))
frame <- data.frame(x, z = data$y)
theirs <- cpu_seconds(gstat::krige(z ~ 1, ~ x + y, frame, grid, gstat::vgm(1, "Exp", 0.1), nsim = 1, nmax = 30,
                                   beta = 0, debug.level = 0), 1) * side^2 / few^2
cat(sprintf(paste0("%g data, %g cells, a field: statcl %.1f s by 30 neighbours, %.1f s by 60; gstat %.0f s by 30 ",
                   "(from %g cells), %.1f times as long\n"), n, side^2, local, wide, theirs, few^2, theirs / local))

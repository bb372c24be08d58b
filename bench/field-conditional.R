# Conditional fields beside gstat: few data and many fields on the grid of the Meuse (package sp), and many data on a
# large mesh, one field. Processor time on one thread; gstat draws cells one after the other given `nmax` neighbours.
#   Rscript bench/field-conditional.R [data [cells along a side [cells of gstat along a side]]]
library(statcl)
source("bench/peers.R")
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
or <- function(k, default) if (length(argument) >= k) argument[k] else default
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
given <- list(x = as.matrix(meuse$data[c("x", "y")]), y = log(meuse$data$zinc), trend = ~ 1)
cells <- as.matrix(meuse$grid[c("x", "y")])
ours <- cpu_seconds(fields <- tbrf(cells, model, nsim = 50, data = given), 3)
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

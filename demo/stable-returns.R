# Stable laws fitted to daily log returns of the four stock indices in datasets::EuStockMarkets, with standard errors,
# against the normal law by AIC, value at risk and expected shortfall. Writes report.txt, density.png and qq.png:
#   demo("stable-returns", package = "statcl")      into a folder of the R session
#   Rscript demo/stable-returns.R [folder]          into the folder named
library(statcl)

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (!interactive() && length(arguments) == 1) arguments else file.path(tempdir(), "stable-returns")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
folder <- normalizePath(folder)

returns <- as.data.frame(100 * diff(log(datasets::EuStockMarkets))) # per cent
seconds <- function(expr) system.time(expr)[["elapsed"]]

# The normal law by maximum likelihood; the stable one with its four parameters.
normal_aic <- function(x) 4 - 2 * sum(dnorm(x, mean(x), sqrt(mean((x - mean(x))^2)), log = TRUE))
fits <- list()
time <- vapply(names(returns), function(index) seconds(fits[[index]] <<- stableFit(returns[[index]])), 1)

# ---- report ----
estimates <- function(fit) {
  se <- sqrt(diag(vcov(fit)))[names(coef(fit))]
  paste0(sprintf("%8.4f", coef(fit)), ifelse(is.na(se), "         ", sprintf(" (%.4f)", se)))
}
comparison <- data.frame(
  index = names(fits), n = vapply(fits, nobs, 1), logLik = vapply(fits, function(fit) as.numeric(logLik(fit)), 1),
  stable = vapply(fits, AIC, 1), normal = vapply(returns, normal_aic, 1), seconds = time)

lines <- c(
  "Daily log returns in per cent, datasets::EuStockMarkets (1991-1998)",
  "",
  "Stable laws by maximum likelihood, S0 parameters (standard errors)",
  sprintf("%-6s %17s %17s %17s %17s", "index", "alpha", "beta", "gamma", "delta"),
  vapply(names(fits), function(index) paste(c(sprintf("%-6s", index), estimates(fits[[index]])), collapse = " "), ""),
  "",
  "AIC of the stable and the normal law; the smaller the better",
  sprintf("%-6s %6s %12s %12s %12s %12s %9s", "index", "n", "log lik.", "AIC stable", "AIC normal", "difference",
          "time (s)"),
  with(comparison, sprintf("%-6s %6.0f %12.2f %12.2f %12.2f %12.2f %9.3f", index, n, logLik, stable, normal,
                           stable - normal, seconds)))

# ---- risk ----
# Losses of a day that are exceeded with probability p, and their mean then, under both laws.
risk <- function(index, p) {
  x <- returns[[index]]
  sd <- sqrt(mean((x - mean(x))^2))
  law <- as.list(coef(fits[[index]]))
  c(-do.call(qstable, c(list(p), law)), -do.call(esstable, c(list(p), law)),
    -qnorm(p, mean(x), sd), sd * dnorm(qnorm(p)) / p - mean(x))
}
lines <- c(
  lines, "",
  "Value at risk and expected shortfall of a day: losses in per cent",
  sprintf("%-6s %7s %12s %12s %12s %12s", "index", "level", "VaR stable", "ES stable", "VaR normal", "ES normal"),
  unlist(lapply(names(fits), function(index) vapply(c(0.01, 0.001), function(p)
    do.call(sprintf, c(list("%-6s %5.1f %% %12.3f %12.3f %12.3f %12.3f", index, 100 * p), as.list(risk(index, p)))),
    ""))))

# ---- plots ----
panels <- function(file, draw) {
  grDevices::png(file.path(folder, file), 1600, 1300, res = 150)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(2, 2), mar = c(4, 4.5, 2.5, 1), las = 1)
  for (index in names(fits)) draw(returns[[index]], fits[[index]], index)
}
density_at <- function(x, fit) do.call(dstable, c(list(x), as.list(coef(fit))))

# On a log scale the tails show: the normal law falls away from the data, the stable one follows them.
draw_density <- function(x, fit, index) {
  bars <- graphics::hist(x, breaks = seq(floor(min(x)) - 0.25, ceiling(max(x)) + 0.25, by = 0.25), plot = FALSE)
  seen <- bars$density > 0
  grid <- seq(min(bars$breaks), max(bars$breaks), length.out = 801)
  floor <- 0.3 / (length(x) * 0.25)
  graphics::plot(range(grid), c(floor, 1.5 * max(bars$density)), log = "y", type = "n", main = index,
                 xlab = "return (per cent)", ylab = "density", yaxt = "n")
  ticks <- 10^(-4:0)
  graphics::axis(2, ticks, parse(text = sprintf("10^%d", -4:0)))
  graphics::rect(bars$breaks[-length(bars$breaks)][seen], floor / 10, bars$breaks[-1][seen], bars$density[seen],
                 col = "grey85", border = "grey65")
  graphics::lines(grid, density_at(grid, fit), col = "#b2182b", lwd = 2)
  graphics::lines(grid, dnorm(grid, mean(x), stats::sd(x)), col = "#2166ac", lwd = 2, lty = 2)
  graphics::legend("topright", c("stable", "normal"), col = c("#b2182b", "#2166ac"), lwd = 2, lty = 1:2, bty = "n")
}

# Order statistics against those of samples drawn from the fitted law: median and a 95 per cent band.
draw_qq <- function(x, fit, index) {
  samples <- 400
  draws <- do.call(rstable, c(list(samples * length(x)), as.list(coef(fit))))
  sorted <- apply(matrix(draws, samples, byrow = TRUE), 1, sort)
  band <- apply(sorted, 1, function(statistic) sort(statistic)[c(0.025, 0.5, 0.975) * samples])
  limits <- range(x) + c(-1, 1)
  graphics::plot(band[2, ], sort(x), xlim = range(c(limits, band[2, ])), ylim = limits, type = "n", main = index,
                 xlab = "median of simulated order statistics", ylab = "return (per cent)")
  outline <- c(band[1, ], rev(band[3, ]))
  graphics::polygon(c(band[2, ], rev(band[2, ])), pmin(pmax(outline, limits[1] - 9), limits[2] + 9), col = "grey88",
                    border = NA)
  graphics::abline(0, 1, col = "grey45")
  graphics::points(band[2, ], sort(x), pch = 16, cex = 0.45, col = "#b2182b")
  graphics::legend("topleft", "95 % of simulated samples", fill = "grey88", border = NA, bty = "n")
  graphics::box()
}

set.seed(1)
drawing <- seconds({
  panels("density.png", draw_density)
  panels("qq.png", draw_qq)
})

lines <- c(
  lines, "",
  paste("Computed on:", paste(useDevice(), collapse = ", ")),
  sprintf("Fits: %.2f s. Plots, with 400 simulated samples per index: %.2f s.", sum(time), drawing))
writeLines(lines, file.path(folder, "report.txt"))
writeLines(c(lines, "", paste("Report and plots (report.txt, density.png, qq.png) are in", folder)))

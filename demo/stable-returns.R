# Stable distributions fitted to daily log returns of the four stock indices in datasets::EuStockMarkets, with
# standard errors, against the normal distribution by AIC; value at risk with confidence limits and expected
# shortfall; and fits of every window of one year. Writes report.txt, density.png, qq.png and alpha.png:
#   demo("stable-returns", package = "statcl")      into a folder of the R session
#   Rscript demo/stable-returns.R [folder]          into the folder named
library(statcl)

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (!interactive() && length(arguments) == 1) arguments else file.path(tempdir(), "stable-returns")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
folder <- normalizePath(folder)

series <- 100 * diff(log(datasets::EuStockMarkets)) # per cent
returns <- as.data.frame(series)
seconds <- function(expr) system.time(expr)[["elapsed"]]

# The normal distribution by maximum likelihood; the stable one with its four parameters.
normal_aic <- function(x) 4 - 2 * sum(dnorm(x, mean(x), sqrt(mean((x - mean(x))^2)), log = TRUE))
time <- seconds(batch <- stableFit(series))
fits <- as.list(batch)

# ---- report ----
estimates <- function(fit) {
  se <- sqrt(diag(vcov(fit)))[names(coef(fit))]
  paste0(sprintf("%8.4f", coef(fit)), ifelse(is.na(se), "         ", sprintf(" (%.4f)", se)))
}
comparison <- data.frame(index = names(batch), n = nobs(batch), logLik = as.numeric(logLik(batch)),
                         stable = AIC(batch), normal = vapply(returns, normal_aic, 1))

lines <- c(
  "Daily log returns in per cent, datasets::EuStockMarkets (1991-1998)",
  "",
  "Stable distributions by maximum likelihood, S0 parameters (standard errors)",
  sprintf("%-6s %17s %17s %17s %17s", "index", "alpha", "beta", "gamma", "delta"),
  vapply(names(fits), function(index) paste(c(sprintf("%-6s", index), estimates(fits[[index]])), collapse = " "), ""),
  "",
  "AIC of the stable and the normal distribution; the smaller the better",
  sprintf("%-6s %6s %12s %12s %12s %12s", "index", "n", "log lik.", "AIC stable", "AIC normal", "difference"),
  with(comparison, sprintf("%-6s %6.0f %12.2f %12.2f %12.2f %12.2f", index, n, logLik, stable, normal,
                           stable - normal)))

# ---- risk ----
# Losses of a day that are exceeded with probability p, with 95 % limits, and their mean then, under both
# distributions.
risk <- function(index, p) {
  x <- returns[[index]]
  sd <- sqrt(mean((x - mean(x))^2))
  at_risk <- -quantile(fits[[index]], p, interval = TRUE)[, c("estimate", "upper", "lower")]
  shortfall <- -do.call(esstable, c(list(p), as.list(coef(fits[[index]]))))
  sprintf("%-6s %5.1f %% %10.3f %19s %10.3f %12.3f %10.3f", index, 100 * p, at_risk[1],
          sprintf("(%.3f to %.3f)", at_risk[2], at_risk[3]), shortfall, -qnorm(p, mean(x), sd),
          sd * dnorm(qnorm(p)) / p - mean(x))
}
lines <- c(
  lines, "",
  "Value at risk (95 % limits) and expected shortfall of a day: losses in per cent",
  sprintf("%-6s %7s %10s %19s %10s %12s %10s", "index", "level", "VaR stable", "", "ES stable", "VaR normal",
          "ES normal"),
  unlist(lapply(names(fits), function(index) c(risk(index, 0.01), risk(index, 0.001)))))

# ---- windows of one year ----
year <- 250
rolling <- seconds(rolled <- stableRoll(series, year))
windows <- as.data.frame(rolled)
# from the profile of the likelihood where the estimate is 2
windows[c("low", "high")] <- confint(rolled, "alpha")[, , 1]
windows$normal <- windows$alpha == 2
lines <- c(
  lines, "",
  sprintf("Fits of every window of %d days: %d in one batch", year, length(rolled)),
  sprintf("%-6s %8s %14s %14s %14s %10s %14s", "index", "windows", "lowest alpha", "median alpha", "highest alpha",
          "alpha = 2", "not converged"),
  vapply(split(windows, factor(windows$series, names(fits))), function(part)
    sprintf("%-6s %8d %14.3f %14.3f %14.3f %8.1f %% %14d", part$series[1], nrow(part), min(part$alpha, na.rm = TRUE),
            stats::median(part$alpha, na.rm = TRUE), max(part$alpha, na.rm = TRUE),
            100 * mean(part$normal, na.rm = TRUE), sum(!part$converged)), ""))

# ---- plots ----
panels <- function(file, draw) {
  grDevices::png(file.path(folder, file), 1600, 1300, res = 150)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(2, 2), mar = c(4, 4.5, 2.5, 1), las = 1)
  for (index in names(fits)) draw(returns[[index]], fits[[index]], index)
}
density_at <- function(x, fit) do.call(dstable, c(list(x), as.list(coef(fit))))

# On a log scale the tails show: the normal distribution falls away from the data, the stable one follows them.
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

# Order statistics against those of samples drawn from the fitted distribution: median and a 95 per cent band.
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

# Alpha of the year before each day, with 95 % limits.
draw_alpha <- function(x, fit, index) {
  part <- windows[windows$series == index, ]
  graphics::plot(range(windows$time), c(1.2, 2), type = "n", main = index, xlab = "end of the year", ylab = "alpha")
  graphics::segments(part$time, pmax(part$low, 1.2), part$time, part$high, col = "grey85")
  graphics::lines(part$time, part$alpha, col = "#b2182b", lwd = 1.5)
  graphics::abline(h = coef(fit)[["alpha"]], col = "#2166ac", lty = 2)
  graphics::legend("bottomleft", c("one year", "95 % limits", "all years"), col = c("#b2182b", "grey85", "#2166ac"),
                   lwd = c(1.5, 8, 1.5), lty = c(1, 1, 2), bty = "n")
  graphics::box()
}

set.seed(1)
drawing <- seconds({
  panels("density.png", draw_density)
  panels("qq.png", draw_qq)
  panels("alpha.png", draw_alpha)
})

lines <- c(
  lines, "",
  paste("Computed on:", paste(useDevice(), collapse = ", ")),
  sprintf("Four fits: %.2f s. %d fits of windows: %.2f s. Plots, with 400 simulated samples per index: %.2f s.", time,
          length(rolled), rolling, drawing))
writeLines(lines, file.path(folder, "report.txt"))
writeLines(c(lines, "", paste("Report and plots (report.txt, density.png, qq.png, alpha.png) are in", folder)))

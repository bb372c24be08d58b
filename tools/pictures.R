# Rscript tools/pictures.R: the pictures of the README, in man/figures: a random field, a fit, and bars of measured
# speed and accuracy from bench/figures.csv, which scripts in bench/ write (STATCL_RECORD=1 Rscript bench/stable.R).
# Letters are those of Liberation Sans (fonts-liberation) where that is installed.
library(statcl)
dir.create("man/figures", recursive = TRUE, showWarnings = FALSE)
colours <- c(blue = "#2166ac", red = "#b2182b", grey = "grey70")
picture <- function(name, width, height, draw) {
  grDevices::png(file.path("man", "figures", name), width, height, res = 96, type = "cairo")
  on.exit(grDevices::dev.off())
  draw()
}

# A field with its key, and its range as a bar.
picture("README-field.png", 400, 320, function() {
  set.seed(1)
  field <- tbrf(rfGrid(0, 0.1, c(240, 230)), covModel("matern", range = 2, smoothness = 1.5))
  graphics::par(mar = c(3.4, 3.4, 0.6, 0.4), mgp = c(2.2, 0.6, 0), cex = 0.9)
  plot(field, palette = "Inferno", key = "standard deviations")
  graphics::rect(14.6, 0.6, 23.2, 2.8, col = "#000000aa", border = NA)
  graphics::segments(15.3, 1.7, 17.3, lwd = 4, col = "white", lend = "butt")
  graphics::text(18, 1.7, "range 2", adj = c(0, 0.4), col = "white", cex = 0.9)
})

picture("README-fit.png", 400, 320, function() {
  returns <- 100 * diff(log(datasets::EuStockMarkets[, "DAX"]))
  bars <- graphics::hist(returns, breaks = seq(-10, 10, 0.25), plot = FALSE)
  seen <- bars$counts > 0
  graphics::par(mar = c(3.6, 4.6, 0.6, 0.6), mgp = c(2.4, 0.6, 0), las = 1, cex = 0.9)
  graphics::plot(bars$mids[seen], bars$density[seen], log = "y", pch = 16, col = "grey45", xlim = c(-10, 10),
                 ylim = c(5e-4, 1), yaxt = "n", xlab = "daily return of the DAX (per cent)", ylab = "")
  graphics::title(ylab = "density", line = 3.4)
  graphics::axis(2, 10^-(3:0), c("0.001", "0.01", "0.1", "1"))
  x <- seq(-10, 10, length.out = 401)
  graphics::lines(x, distribution(stableFit(returns))$d(x), lwd = 2.5, col = colours["red"])
  graphics::lines(x, stats::dnorm(x, mean(returns), stats::sd(returns)), lwd = 2, lty = 2, col = colours["blue"])
  graphics::legend("topright", c("stable", "normal"), col = colours[c("red", "blue")], lwd = 2, lty = 1:2, bty = "n")
})

figures <- utils::read.csv("bench/figures.csv")
figures <- figures[!startsWith(figures$job, "GPU: "), ] # bars are of one thread
figures <- figures[order(match(figures$job, figures$job), figures$program == "statcl"), ]
panel <- function(of, figures, label, ticks, shown) {
  jobs <- unique(figures$job)
  at <- numeric(nrow(figures))
  y <- 0
  for (job in jobs) {
    rows <- which(figures$job == job)
    at[rows] <- y + seq_along(rows)
    y <- y + length(rows) + 1.6
  }
  graphics::plot(NA, xlim = range(ticks), ylim = c(y - 0.4, 0), log = "x", axes = FALSE, xlab = "", ylab = "")
  graphics::segments(ticks, 0, ticks, y, col = "grey90")
  value <- figures[[of]]
  graphics::rect(min(ticks), at - 0.42, value, at + 0.42, border = NA,
                 col = ifelse(figures$program == "statcl", colours["red"], colours["grey"]))
  graphics::text(min(ticks), at, figures$program, pos = 2, xpd = NA, cex = 0.85)
  graphics::text(value, at, vapply(value, shown, ""), pos = 4, xpd = NA, cex = 0.75, offset = 0.25)
  first <- match(jobs, figures$job)
  graphics::text(min(ticks), at[first] - 0.95, jobs, adj = 0, xpd = NA, font = 2, cex = 0.9)
  graphics::axis(1, ticks, parse(text = sprintf("10^%d", round(log10(ticks)))), cex.axis = 0.8, tick = FALSE,
                 line = -0.8)
  graphics::mtext(label, 1, 1.4, cex = 0.8)
}
picture("README-speed.png", 860, 640, function() {
  graphics::par(mfrow = c(1, 2), mar = c(2.8, 6.4, 0.4, 5.2))
  speed <- figures
  speed$job <- paste0(speed$job, ", ", speed$unit)
  ticks <- 10^seq(floor(log10(min(speed$per_second))), ceiling(log10(max(speed$per_second))))
  panel("per_second", speed, "per second of one processor core (longer is better)", ticks, function(x) {
    power <- 3 * floor(log10(x) / 3)
    paste0(signif(x / 10^power, 2), c("", " thousand", " million", " billion")[power / 3 + 1])
  })
  errors <- figures[!is.na(figures$error), ]
  ticks <- 10^seq(-16, 0, 4)
  panel("error", errors, "largest relative error (shorter is better)", ticks, function(x) format(signif(x, 2)))
})

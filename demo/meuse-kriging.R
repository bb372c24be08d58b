# Zinc in the flood plain of the Meuse (sp::meuse), or where the package sp is not installed heights (MASS::topo):
# variogram, a Gaussian process by maximum likelihood with an estimated smoothness, cross-validation, predictions with
# their standard errors on a grid, conditional simulations, and where a limit is exceeded. Writes kriging.txt and
# kriging-*.png:
#   demo("meuse-kriging", package = "statcl")       into a folder of the R session
#   Rscript demo/meuse-kriging.R [folder]           into the folder named
library(statcl)

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (!interactive() && length(arguments) == 1) arguments else file.path(tempdir(), "meuse-kriging")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
folder <- normalizePath(folder)
seconds <- function(expr) system.time(expr)[["elapsed"]]

# The data, the formula of the mean, where to predict, and how to show what is on the scale of the fit.
from_sp <- function() {
  loaded <- new.env()
  utils::data("meuse", "meuse.grid", package = "sp", envir = loaded)
  loaded$meuse.grid$dist <- pmax(loaded$meuse.grid$dist, 0)
  list(title = "Zinc in the flood plain of the Meuse (ppm), sp::meuse", data = loaded$meuse, new = loaded$meuse.grid,
       formula = log(zinc) ~ sqrt(dist), scale = log, limit = 500, unit = "m", what = "zinc (ppm)",
       of_error = "Standard error of log(zinc)", bar = c("1 km" = 1000))
}
from_mass <- function() {
  new <- expand.grid(x = seq(0, 6.5, 0.1), y = seq(0, 6.5, 0.1))
  list(title = "Heights (feet), MASS::topo", data = MASS::topo, new = new, formula = z ~ 1,
       scale = identity, limit = 900, unit = "50 feet", what = "height (feet)", of_error = "Standard error (feet)",
       bar = c("100 feet" = 2))
}
case <- if (requireNamespace("sp", quietly = TRUE)) from_sp() else from_mass()
data <- case$data
new <- case$new

# ---- variogram ----
# That of the residuals of least squares: their covariance at distance 0 less that at others. A trend that is
# estimated takes some of the variance on long distances away.
residuals <- residuals(lm(case$formula, data))
empirical <- rfCovariance(residuals, x = as.matrix(data[c("x", "y")]), mean = 0)
variogram <- empirical$covariance[1] - empirical$covariance

# ---- fits ----
# Smoothness 0.5 is the exponential covariance; each of the other models has one parameter more, or two.
fits <- list()
fitting <- seconds({
  fits[["exponential"]] <- gpFit(case$formula, data, ~ x + y, "exponential")
  fits[["Matern, smoothness estimated"]] <- gpFit(case$formula, data, ~ x + y, "matern")
  fits[["exponential with anisotropy"]] <-
    gpFit(case$formula, data, ~ x + y, covModel("exponential", variance = NA, range = NA, nugget = NA, angle = NA,
                                                ratio = NA))
})
aic <- vapply(fits, function(fit) AIC(fit), 0)
best <- which.min(aic)
fit <- fits[[best]]
set.seed(1)
checks <- list("leave-one-out" = gpCV(fit, "loo"), "10 random folds" = gpCV(fit, k = 10),
               "10 blocks" = gpCV(fit, "block", k = 10))

# ---- predictions ----
predicting <- seconds(prediction <- predict(fit, new, se.fit = TRUE))
above <- pnorm(case$scale(case$limit), prediction$fit, prediction$se.fit, lower.tail = FALSE)
fields <- 200
simulating <- seconds(simulated <- as.matrix(as.data.frame(
  simulate(fit, fields, seed = 1, newdata = new, method = "exact"))[paste0("sim_", seq_len(fields))]))

# ---- report ----
estimates <- function(fit) {
  p <- fit$parameters
  p <- p[!p$fixed & p$component == "covariance", ]
  ifelse(is.na(p$std.error), sprintf("%s %.4g", rownames(p), p$estimate),
         sprintf("%s %.4g (%.2g)", rownames(p), p$estimate, p$std.error))
}
exceeding <- colMeans(simulated > case$scale(case$limit))
lines <- c(
  case$title, "",
  paste("Mean:", deparse(case$formula), " Coefficients:", toString(sprintf("%.4g", coef(fit)))),
  "Covariances by maximum likelihood (standard errors); the smaller the AIC the better",
  sprintf("%-30s %8s   %s", "", "AIC", ""),
  sprintf("%-30s %8.2f   %s", names(fits), aic, vapply(fits, function(fit) toString(estimates(fit)), "")), "",
  sprintf("That with the smallest (%s): cross-validation, covariance parameters kept", names(fits)[best]),
  utils::capture.output(print(do.call(rbind, lapply(checks, gpScores)), digits = 3)), "",
  sprintf("Share of the %d locations where %s is above %g: %.3f; in 95 %% of %d simulated fields from %.3f to %.3f",
          nrow(new), case$what, case$limit, mean(above), fields, quantile(exceeding, 0.025),
          quantile(exceeding, 0.975)),
  "", paste("Computed on:", paste(useDevice(), collapse = ", ")),
  sprintf("Three fits of %d observations: %.2f s. Predictions with standard errors at %d locations: %.2f s.",
          nobs(fit), fitting, nrow(new), predicting),
  sprintf("%d conditional simulations: %.2f s.", fields, simulating))

# ---- pictures ----
picture <- function(name, width, height, draw) {
  grDevices::png(file.path(folder, name), width, height, res = 150)
  on.exit(grDevices::dev.off())
  draw()
}
x <- sort(unique(new$x))
y <- sort(unique(new$y))
cells <- cbind(match(new$x, x), match(new$y, y))
# Values at the locations of the grid, with their scale beside them, which has labels on the scale of the data, and
# that of the distances below.
map <- function(z, main, palette = "Viridis", range = base::range(z), points = TRUE, scale = identity) {
  layer <- matrix(NA_real_, length(x), length(y))
  layer[cells] <- z
  shades <- grDevices::hcl.colors(60, palette)
  graphics::par(mar = c(3, 3.6, 2.2, 4.6))
  graphics::image(x, y, layer, zlim = range, col = shades, asp = 1, xlab = "", ylab = "", main = main, axes = FALSE,
                  useRaster = TRUE)
  if (points) graphics::points(data$x, data$y, pch = 3, cex = 0.4)
  graphics::box(col = "grey70")
  side <- graphics::par("usr")
  left <- side[2] + 0.02 * (side[2] - side[1])
  width <- 0.04 * (side[2] - side[1])
  graphics::par(xpd = NA)
  steps <- seq(side[3], side[4], length.out = 61)
  graphics::rect(left, steps[-61], left + width, steps[-1], col = shades, border = NA)
  label <- if (identical(scale, log)) as.vector(outer(c(1, 2, 5), 10^(0:5))) else pretty(range, 5)
  label <- label[scale(label) >= range[1] & scale(label) <= range[2]]
  height <- side[3] + (scale(label) - range[1]) / diff(range) * (side[4] - side[3])
  graphics::text(left + 1.2 * width, height, format(label), adj = 0, cex = 0.8)
  below <- side[3] - 0.03 * (side[4] - side[3])
  graphics::segments(side[1], below, side[1] + case$bar, lwd = 3, lend = "butt")
  graphics::text(side[1] + case$bar, below, names(case$bar), pos = 4, cex = 0.8)
  graphics::par(xpd = FALSE)
}

picture("kriging-variogram.png", 1200, 850, function() {
  graphics::par(mar = c(4, 4.5, 2.5, 1), las = 1)
  far <- empirical$distance > 0
  graphics::plot(empirical$distance[far], variogram[far], pch = 16, col = "#2166ac",
                 ylim = c(0, 1.15 * max(variogram)), xlim = c(0, max(empirical$distance)),
                 xlab = sprintf("distance (%s)", case$unit),
                 ylab = "half the mean squared difference", main = "Residuals: variogram")
  h <- seq(0, max(empirical$distance), length.out = 200)
  colours <- c("#b2182b", "#1b7837")
  for (k in 1:2) {
    model <- fits[[k]]$cov
    graphics::lines(h, model$variance + model$nugget - covariance(model, h), col = colours[k], lwd = 2, lty = k)
  }
  graphics::legend("bottomright", c("empirical, of least squares", names(fits)[1:2]), pch = c(16, NA, NA),
                   lty = c(NA, 1, 2), lwd = c(NA, 2, 2), col = c("#2166ac", colours), bty = "n")
})
picture("kriging-maps.png", 1800, 900, function() {
  graphics::par(mfrow = c(1, 2))
  map(prediction$fit, paste("Prediction:", case$what), scale = case$scale)
  map(prediction$se.fit, case$of_error, "Plasma")
})
picture("kriging-simulations.png", 1800, 1500, function() {
  graphics::par(mfrow = c(2, 2))
  some <- simulated[, 1:3]
  for (k in 1:3)
    map(some[, k], paste("Conditional simulation", k), range = range(some), points = FALSE, scale = case$scale)
  map(above, sprintf("Probability that %s is above %g", case$what, case$limit), "Blue-Red 3", c(0, 1), FALSE)
})
picture("kriging-validation.png", 1500, 750, function() {
  graphics::par(mfrow = c(1, 2), mar = c(4, 4.5, 2.5, 1))
  plot(checks[["leave-one-out"]], c("observed", "qq"), ask = FALSE)
})

writeLines(lines, file.path(folder, "kriging.txt"))
writeLines(c(lines, "", paste("Report (kriging.txt) and pictures (kriging-*.png) are in", folder)))

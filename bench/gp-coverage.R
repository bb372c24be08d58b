# Fits of many simulated fields: bias of the estimates, coverage of the 95 % confidence limits of the covariance
# parameters, and of the 95 % prediction intervals at 100 new locations.
#   Rscript bench/gp-coverage.R [fields [observations]]
# Limits are normal ones on the scale of the search, and those of the profile for estimates on a boundary.
# Fields of a Matern covariance with a nugget at locations in the unit square, the same for all of them; the mean
# is one constant. Prediction intervals are those with estimates put in place of the parameters, and for comparison
# those with the true ones.
library(statcl)
source("bench/peers.R")
argument <- as.integer(commandArgs(trailingOnly = TRUE))
fields <- if (length(argument)) argument[1] else 1000L
n <- if (length(argument) > 1) argument[2] else 400L
options(statcl.threads = 1, width = 140)
cores <- if (.Platform$OS.type == "windows") 1L else min(2L, parallel::detectCores())
cat(machine(), "\n")

truth <- covModel("matern", range = 0.05, smoothness = 1, nugget = 0.1, mean = 3)
names <- c("variance", "range", "smoothness", "nugget")
true <- unlist(truth[names])
set.seed(21)
x <- cbind(x = runif(n), y = runif(n))
new <- cbind(x = runif(100), y = runif(100))
data <- data.frame(x)
# a row for each field, with the nugget: observations, and new ones
worlds <- truth$mean + matrix(rnorm(fields * (n + 100)), fields) %*% chol(covariance(truth, rbind(x, new)))

inside <- function(fit, z) {
  p <- predict(fit, data.frame(new), interval = "prediction")
  z >= p[, "lwr"] & z <= p[, "upr"]
}
# With all parameters fixed a fit is generalised least squares.
one <- function(i) {
  z <- worlds[i, ]
  data$z <- z[seq_len(n)]
  fit <- gpFit(z ~ 1, data, ~ x + y, "matern")
  limits <- confint(fit, names, method = "transformed")
  # those of the profile for what is on a boundary
  for (name in names[is.na(limits[, 1])]) limits[name, ] <- confint(fit, name, method = "profile")
  list(estimate = fit$parameters[names, "estimate"], error = fit$parameters[names, "std.error"],
       low = limits[, 1], high = limits[, 2], edge = fit$parameters[names, "boundary"], converged = fit$converged,
       inside = inside(fit, z[-seq_len(n)]),
       known = inside(gpFit(z ~ 1, data, ~ x + y, update(truth, mean = 0), fixed = TRUE), z[-seq_len(n)]))
}
seconds <- system.time(done <- parallel::mclapply(seq_len(fields), one, mc.cores = cores))[["elapsed"]]
failed <- vapply(done, inherits, NA, "try-error")
if (any(failed)) cat(sum(failed), "fits failed, the first with:", done[failed][[1]], "\n")
done <- done[!failed]
fields <- length(done)
column <- function(name) t(vapply(done, `[[`, numeric(4), name))
estimate <- column("estimate")
low <- column("low")
high <- column("high")
edge <- t(vapply(done, function(d) d$edge != "", logical(4)))
cat(sprintf("\n%d fields with %d observations, %d cores, %.0f s; %d not converged\n", fields, n, cores, seconds,
            sum(!vapply(done, `[[`, NA, "converged"))))
covers <- sweep(low, 2, true, `<=`) & sweep(high, 2, true, `>=`)
print_table(data.frame(
  parameter = names, true, mean = colMeans(estimate), median = apply(estimate, 2, median),
  "bias, %" = 100 * (colMeans(estimate) / true - 1), "+-" = 100 * apply(estimate, 2, sd) / true / sqrt(fields),
  sd = apply(estimate, 2, sd), "mean std.error" = colMeans(column("error"), na.rm = TRUE),
  "coverage, %" = 100 * colMeans(covers, na.rm = TRUE), "+- " = 100 * sqrt(0.95 * 0.05 / fields),
  "on a boundary" = colSums(edge), "no limits" = colSums(is.na(covers)), check.names = FALSE))

# Coverage at a location is a share of the fields, that of all locations their mean, whose error is that among fields.
at_places <- function(name) {
  hit <- t(vapply(done, `[[`, logical(100), name))
  share <- colMeans(hit)
  z <- (share - 0.95) / sqrt(0.95 * 0.05 / fields)
  data.frame("mean coverage, %" = 100 * mean(share), "+-" = 100 * sd(rowMeans(hit)) / sqrt(fields),
             lowest = 100 * min(share), highest = 100 * max(share), "locations beyond 2 errors" = sum(abs(z) > 2),
             "beyond 3" = sum(abs(z) > 3), check.names = FALSE)
}
cat("\n95 % prediction intervals at 100 locations\n")
print_table(cbind(parameters = c("estimated", "true"), rbind(at_places("inside"), at_places("known"))))
cat(sprintf("Of 100 locations some 5 are beyond 2 Monte Carlo errors, %.2f %%, where coverage is 95 %%\n",
            100 * sqrt(0.95 * 0.05 / fields)))

# Does the number of bins of a Bessel function matter to maximum likelihood? The study of Geng et al. (2025) again:
# fields of Matern covariances are fitted by likelihoods that differ in nothing but the Bessel function, which is the
# package's own or the published algorithm "refined", Temme's series and a trapezoidal rule on [0, 9], with 16, 40
# and 128 bins.
#   Rscript bench/gp-bins.R [fields [observations [folder of the picture]]]
library(statcl)
source("bench/peers.R")
argument <- commandArgs(trailingOnly = TRUE)
fields <- if (length(argument)) as.integer(argument[1]) else 20L
n <- if (length(argument) > 1) as.integer(argument[2]) else 400L
folder <- if (length(argument) > 2) argument[3] else file.path("build", "bench")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
options(statcl.threads = 1, width = 140)
cores <- if (.Platform$OS.type == "windows") 1L else min(2L, parallel::detectCores())
cat(machine(), "\n")

truths <- list(rough = c(variance = 1, range = 0.1, smoothness = 0.5),
               smooth = c(variance = 1, range = 0.05, smoothness = 1.5),
               smoother = c(variance = 1, range = 0.1, smoothness = 2.5))
bessels <- c("own" = 0, "16 bins" = 16, "40 bins" = 40, "128 bins" = 128)
# Locations on a mesh, each moved by up to 0.4 of its spacing.
set.seed(31)
side <- ceiling(sqrt(n))
x <- (as.matrix(expand.grid(seq_len(side), seq_len(side)))[seq_len(n), ] - 0.5 + runif(2 * n, -0.4, 0.4)) / side
apart <- as.vector(dist(x))
upper <- t(matrix(seq_len(n^2), n))[lower.tri(diag(n))] # where they are in the upper triangle, which chol() reads

# x^nu K_nu(x) 2^(1 - nu) / Gamma(nu), from the logarithm of the Bessel function
correlation <- function(range, smoothness, bins) {
  h <- apart / range
  k <- if (bins == 0) besselKgpu(h, smoothness, log = TRUE)
       else besselKgpu(h, smoothness, log = TRUE, method = "refined", bins = bins)
  exp(k + smoothness * log(h / 2) + log(2) - lgamma(smoothness))
}
# Minus the log likelihood, with the best variance, of observations of mean 0.
deviance <- function(t, z, bins) {
  S <- diag(n)
  S[upper] <- correlation(exp(t[1]), exp(t[2]), bins)
  R <- tryCatch(suppressWarnings(chol(S)), error = function(e) NULL)
  if (is.null(R)) return(1e10)
  w <- backsolve(R, z, transpose = TRUE)
  value <- n / 2 * (log(2 * pi * sum(w^2) / n) + 1) + sum(log(diag(R)))
  if (is.finite(value)) structure(value, variance = sum(w^2) / n) else 1e10
}
fit <- function(z, truth, bins) {
  found <- nlminb(log(truth[2:3]), function(t) as.numeric(deviance(t, z, bins)),
                  control = list(rel.tol = 1e-13, x.tol = 1e-9, eval.max = 300))
  c(variance = attr(deviance(found$par, z, bins), "variance"), exp(found$par), loglik = -found$objective)
}
one <- function(z, truth) c(
  lapply(bessels, function(bins) fit(z, truth, bins)),
  list(gpFit = {
    f <- gpFit(z ~ 0, coords = x, cov = do.call(covModel, c("matern", as.list(truth))), fixed = list(nugget = 0))
    c(f$parameters[names(truth), "estimate"], f$loglik)
  }))

# The error of the correlations themselves, which are known in closed form, and the smallest eigenvalue of their
# matrix, beside which it counts.
for (name in names(truths)) {
  p <- truths[[name]]
  h <- apart / p[["range"]]
  exact <- exp(-h) * switch(p[["smoothness"]] + 0.5, 1, 1 + h, 1 + h + h^2 / 3)
  S <- diag(n)
  S[upper] <- exact
  least <- min(eigen(S + t(S) - diag(n), TRUE, only.values = TRUE)$values)
  off <- vapply(bessels, function(bins) max(abs(correlation(p[["range"]], p[["smoothness"]], bins) - exact)), 0)
  cat(sprintf("Largest error of the %s correlations: %s; smallest eigenvalue %.2g\n", name,
              toString(paste0(names(off), " ", signif(off, 2))), least))
}

results <- list()
for (name in names(truths)) {
  truth <- truths[[name]]
  set.seed(32)
  half <- chol(covariance(do.call(covModel, c("matern", as.list(truth))), x))
  data <- matrix(rnorm(n * fields), fields) %*% half
  seconds <- system.time(done <- parallel::mclapply(seq_len(fields), function(i) one(data[i, ], truth),
                                                    mc.cores = cores))[["elapsed"]]
  # a row for each fit
  estimates <- do.call(rbind, lapply(names(done[[1]]), function(by) {
    e <- do.call(rbind, lapply(done, `[[`, by))
    colnames(e) <- c(names(truth), "loglik")
    data.frame(by, field = seq_len(fields), e)
  }))
  results[[name]] <- estimates
  cat(sprintf("\n%s: %s; %d fields with %d observations, %.0f s\n", name, toString(paste(names(truth), "=", truth)),
              fields, n, seconds))
  own <- estimates[estimates$by == "own", ]
  print_table(do.call(rbind, lapply(unique(estimates$by), function(by) {
    e <- estimates[estimates$by == by, ]
    apart <- function(p) max(abs(e[[p]] / own[[p]] - 1))
    data.frame(by, "median variance" = median(e$variance), range = median(e$range), smoothness = median(e$smoothness),
               "sd of smoothness" = sd(e$smoothness), "most apart from own: variance" = apart("variance"),
               range = apart("range"), smoothness = apart("smoothness"),
               "log likelihood" = max(abs(e$loglik - own$loglik)), check.names = FALSE)
  })))
}
cat("\nDifferences of estimates are relative; gpFit() searches in another way, from the same start.\n")

file <- file.path(folder, "gp-bins.png")
grDevices::png(file, 1700, 550 * length(results), res = 150)
graphics::par(mfrow = c(length(results), 3), mar = c(3, 4.5, 2.5, 1), las = 1, cex.axis = 0.8)
for (name in names(results)) for (p in names(truths[[name]])) {
  e <- results[[name]]
  graphics::boxplot(e[[p]] ~ factor(e$by, unique(e$by)), xlab = "", ylab = p, main = name, col = "grey90",
                    outcex = 0.5)
  graphics::abline(h = truths[[name]][[p]], col = "#b2182b", lty = 2)
}
invisible(grDevices::dev.off())
cat("Boxplots of the estimates, with the true values as broken lines, are in", file, "\n")

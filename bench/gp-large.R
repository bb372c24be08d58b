# Gaussian processes of very many locations: time and memory of a whole fit, or of one evaluation and predictions.
#   Rscript bench/gp-large.R fit [n [m [block]]]
#   Rscript bench/gp-large.R evaluate [n [m [new locations]]]
# The fit is of a field on some points of a fine mesh by Fourier transforms, which is exact; its smoothness is free.
library(statcl)
source("bench/peers.R")
arguments <- commandArgs(trailingOnly = TRUE)
what <- if (length(arguments)) arguments[1] else "fit"
number <- function(k, default) if (length(arguments) >= k) as.numeric(arguments[k]) else default
options(width = 120)
cat(machine(), ", ", parallel::detectCores(), " cores\n", sep = "")

# Gigabytes that the process took at most since the last call, where Linux tells.
peak <- function() {
  lines <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  tryCatch(writeLines("5", "/proc/self/clear_refs"), error = function(e) NULL)
  sum(as.numeric(gsub("[^0-9]", "", grep("^VmHWM", lines, value = TRUE)))) * 1024e-9
}
step <- function(name, expr) {
  invisible(gc())
  peak()
  time <- system.time(expr)
  cat(sprintf("%-28s %8.1f s, %8.1f s of processors, peak of memory %5.2f GB\n", name, time[[3]], sum(time[1:2]),
              peak()))
}

if (what == "fit") {
  n <- number(2, 1e6)
  m <- number(3, 30)
  block <- number(4, 1)
  truth <- covModel("matern", range = 0.03, smoothness = 0.8, variance = 1.5, nugget = 0.1)
  side <- ceiling(sqrt(1.5 * n))
  set.seed(1)
  grid <- rfGrid(spacing = 1 / side, dims = c(side, side))
  field <- tbrf(grid, update(truth, nugget = 0), method = "fft")
  at <- sort(sample(side^2, n))
  data <- data.frame(as.matrix(grid)[at, ], as.vector(field)[at] + sqrt(0.1) * rnorm(n))
  names(data) <- c("x", "y", "z")
  rm(field, at)
  cat(sprintf("%g locations, %d neighbours, blocks of %d; data take %.2f GB\n", n, m, block,
              as.numeric(object.size(data)) / 1e9))
  fit <- NULL
  step("fit", fit <- gpFit(z ~ 1, data, ~ x + y, method = "vecchia", m = m, block = block))
  rows <- fit$parameters[c("variance", "range", "smoothness", "nugget"), ]
  rows$truth <- c(1.5, 0.03, 0.8, 0.1)
  rows$errors <- (rows$estimate - rows$truth) / rows$std.error
  print(rows[c("truth", "estimate", "std.error", "errors")], digits = 4)
  cat(fit$evaluations, "evaluations\n")
  new <- data.frame(x = runif(1e5), y = runif(1e5))
  step("predict at 100,000 locations", predict(fit, new, se.fit = TRUE))
} else {
  n <- number(2, 1e7)
  m <- number(3, 20)
  count <- number(4, 1e6)
  set.seed(1)
  data <- data.frame(x = runif(n), y = runif(n), z = rnorm(n))
  model <- covModel("matern", range = 0.03, smoothness = 0.8, variance = 1.5, nugget = 0.1)
  cat(sprintf("%g locations, %d neighbours; data take %.2f GB\n", n, m, as.numeric(object.size(data)) / 1e9))
  fit <- NULL
  step("order, neighbours, one value", fit <- gpFit(z ~ 1, data, ~ x + y, cov = model, fixed = TRUE,
                                                    method = "vecchia", m = m))
  new <- data.frame(x = runif(count), y = runif(count))
  step(sprintf("predict at %g", count), predict(fit, new, se.fit = TRUE))
}

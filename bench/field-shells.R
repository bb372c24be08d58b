# Waves in shells beside waves of one amplitude: errors of a single field's variogram and of its second differences
# at the smallest step of a mesh, with 1000 waves; how far its values are from normal; and what both cost. "roots" are
# 11 shells of probabilities P with numbers of waves in proportion to sqrt(P).
#   Rscript bench/field-shells.R [fields [seed]]
library(statcl)
source("bench/peers.R")
source("tests/testthat/helper-ensemble.R")
recipe_lines <- statcl:::recipe_lines
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
fields <- if (length(argument) > 0) argument[1] else 200
set.seed(if (length(argument) > 1) argument[2] else 1)
options(width = 140, statcl.threads = 1)
settings <- c("spectrum", "shells")
roots <- statcl:::whole_shares(1000 * sqrt(statcl:::shell_masses(11)) / sum(sqrt(statcl:::shell_masses(11))))
cat(machine(), sprintf("\n%d fields of 1000 waves each\n", fields))

# Of each field, in a column, the expected value of a function of k . h over its waves: sum a^2 / 2 f(2 pi k_1 h).
own_values <- function(model, dim, waves, f, steps) {
  recipe <- tbrf(matrix(0, 1, dim), model, nsim = fields, waves = sub("roots", "shells", waves), object = TRUE)
  if (waves == "roots") recipe$shells <- list(roots)
  vapply(seq_len(fields), function(sim) {
    lines <- recipe_lines(recipe, sim)
    drop((lines$amplitude^2 / 2) %*% f(2 * pi * outer(lines$k[, 1], steps)))
  }, steps)
}

# ---- variograms ----

power <- of_shells(function(k) k^(2 - 11 / 3), pi / 256, pi)
variograms <- list(
  list(name = "exponential, plane", model = covModel("exponential", range = 1), dim = 2, lags = c(0.01, 0.1, 0.3, 1),
       truth = function(h) -expm1(-h)),
  list(name = "k^-11/3 over 256:1, space", dim = 3, lags = c(1, 3, 10, 30, 100),
       model = covModel("powerlaw", exponent = -11 / 3, kmin = pi / 256, kmax = pi),
       truth = function(h) 1 - vapply(h, power, 1)),
  list(name = "Matern 2.5, space", model = covModel("matern", range = 1, smoothness = 2.5), dim = 3,
       lags = c(0.1, 0.3, 1, 3), truth = function(h) 1 - (1 + h + h^2 / 3) * exp(-h)))
cat("\nRelative root mean square error of a field's variogram over all space, along one axis\n")
print_table(do.call(rbind, lapply(variograms, function(case) {
  error <- lapply(c(settings, "roots"), function(waves) {
    own <- own_values(case$model, case$dim, waves, function(phase) 2 * sin(phase / 2)^2, case$lags)
    sqrt(rowMeans((own / case$truth(case$lags) - 1)^2))
  })
  data.frame(model = case$name, lag = case$lags, spectrum = error[[1]], shells = error[[2]], roots = error[[3]])
})))

# ---- second differences ----

# 1 - C(h) of range 1, and E (z(x + h) - 2 z(x) + z(x - h))^2 = 6 C(0) - 8 C(h) + 2 C(2 h).
matern <- list("0.5" = function(h) -expm1(-h), "1.5" = function(h) -expm1(log1p(h) - h),
               "2.5" = function(h) -expm1(log1p(h + h^2 / 3) - h))
per_range <- c(10, 20, 50, 100, 200, 500)
cat("\nMean square second difference of a field at the smallest step, along one axis, as a share of the truth:",
    "\nmean of fields with its standard error, median, and root mean square error of a field\n")
second <- do.call(rbind, lapply(names(matern), function(nu) do.call(rbind, lapply(2:3, function(dim) {
  one <- lapply(c(settings, "roots"), function(waves) {
    h <- 1 / per_range
    own <- own_values(covModel("matern", range = 1, smoothness = as.numeric(nu)), dim, waves,
                      function(phase) 16 * sin(phase / 2)^4, h) / (8 * matern[[nu]](h) - 2 * matern[[nu]](2 * h))
    table <- data.frame(rowMeans(own), apply(own, 1, stats::sd) / sqrt(fields), apply(own, 1, stats::median),
                        sqrt(rowMeans((own - 1)^2)))
    stats::setNames(table, paste(c("mean", "error", "median", "rms"), substr(waves, 1, 2), sep = "."))
  })
  data.frame(smoothness = nu, dim, steps = per_range, do.call(cbind, one))
}))))
print_table(second, 2)
cat(sprintf("\nShells: largest root mean square error of a field %.3f, median between %.3f and %.3f of the truth\n",
            max(second$rms.sh), min(second$median.sh), max(second$median.sh)))

# ---- distribution of values ----

cat("\nExcess kurtosis of values, times the number of waves: -3/8 sum a^4 / variance^2 times L\n")
models <- list("matern 0.5" = covModel("matern", range = 1, smoothness = 0.5),
               "matern 1.5" = covModel("matern", range = 1, smoothness = 1.5),
               "matern 2.5" = covModel("matern", range = 1, smoothness = 2.5),
               gaussian = covModel("gaussian", range = 1), "k^-11/3" = variograms[[2]]$model)
print_table(do.call(rbind, lapply(names(models), function(name) {
  model <- models[[name]]
  excess <- vapply(c(100, 1000), function(n) vapply(2:3, function(dim) {
    a <- recipe_lines(tbrf(matrix(0, 1, dim), model, n, object = TRUE), 1)$amplitude
    -3 / 8 * n * sum(a^4)
  }, 1), c(1, 1))
  data.frame(model = name, "plane, 100" = excess[1, 1], "plane, 1000" = excess[1, 2], "space, 100" = excess[2, 1],
             "space, 1000" = excess[2, 2], check.names = FALSE)
})))

# ---- speed ----

seconds <- function(expr) sum(system.time(expr)[1:2])
points <- matrix(stats::runif(3e6), ncol = 3)
rough <- covModel("matern", range = 10, smoothness = 1.5)
calls <- list("128^3" = function(waves) seconds(tbrf(rfGrid(0, 1, c(128, 128, 128)), rough, 1024, waves = waves)),
              "1e6 points" = function(waves) seconds(tbrf(100 * points, rough, 1024, waves = waves)))
size <- c(128^3, 1e6)
cat("\n1024 waves: median of 7 runs in turns, 1e9 points x lines per second of processor time\n")
print_table(do.call(rbind, lapply(seq_along(calls), function(i) {
  for (waves in settings) calls[[i]](waves)
  times <- vapply(1:7, function(run) vapply(settings, calls[[i]], 1), c(1, 1))
  rate <- size[i] * 1024 / apply(times, 1, stats::median) / 1e9
  data.frame(what = names(calls)[i], spectrum = rate[[1]], shells = rate[[2]])
})))

# What "auto" compares (R/rf-fft.R).
cat("\nNanoseconds of a transform per cell of its torus: its spectrum, a pair of fields; and per line and point\n")
short <- covModel("exponential", range = 5)
grids <- list(1e6, c(256, 256), c(1024, 1024), c(32, 32, 32), c(64, 64, 64))
print_table(do.call(rbind, lapply(grids, function(dims) {
  grid <- rfGrid(0, 1, dims)
  recipe <- tbrf(grid, short, method = "fft", object = TRUE)
  cells <- prod(statcl:::torus_spectrum(recipe)$dims)
  spectrum <- stats::median(replicate(3, seconds(statcl:::torus_spectrum(recipe))))
  of_fields <- function(n) stats::median(replicate(3, seconds(tbrf(grid, short, nsim = n, method = "fft"))))
  times <- c(of_fields(2), of_fields(6))
  line <- stats::median(replicate(3, seconds(tbrf(grid, short, 2000, method = "spectral")))) / 2000
  data.frame(mesh = paste(dims, collapse = " x "), torus = cells / prod(dims), spectrum = 1e9 * spectrum / cells,
             pair = 1e9 * diff(times) / 2 / cells, line = 1e9 * line / prod(dims))
})))

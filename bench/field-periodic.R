# Periodic boxes that keep the spectrum given: the measured spectrum over the given one in every shell of wave
# numbers, with its standard error, for four spectra: a power law with cut-offs, cold dark matter (Bardeen et al.
# 1986), von Karman's energy spectrum, and k^4 exp(-2 k^2).
#   Rscript bench/field-periodic.R [cells of a side [fields [seed]]]
library(statcl)
source("bench/peers.R")
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
n <- if (length(argument) > 0) argument[1] else 128
fields <- if (length(argument) > 1) argument[2] else 30
seed <- if (length(argument) > 2) argument[3] else 1
options(width = 140)
cat(machine(), sprintf("\n%d fields on boxes of %d x %d x %d cells\n", fields, n, n, n))

bbks <- function(k) {
  q <- k / 0.2
  k * (log1p(2.34 * q) / (2.34 * q))^2 / sqrt(1 + 3.89 * q + (16.1 * q)^2 + (5.46 * q)^3 + (6.71 * q)^4)
}
cases <- list(
  list(name = "k^-11/3 with cut-offs", side = n, model = covModel("powerlaw", exponent = -11 / 3, kmin = 2 * pi / n,
                                                                  kmax = 0.8 * pi)),
  list(name = "BBKS, 4 Mpc/h", side = 4 * n, model = spectrumModel(bbks, "P", band = c(0, 50))),
  list(name = "von Karman", side = 40, model = spectrumModel(function(k) k^4 / (1 + k^2)^(17 / 6), "E")),
  list(name = "k^4 exp(-2 k^2)", side = 60, model = spectrumModel(function(k) k^4 * exp(-2 * k^2), "scalar")))

# Spectra of one field after the other, whose means and spreads are collected.
measured <- function(recipe, grid, seed) {
  recipe$nsim <- 1L
  sums <- 0
  squares <- 0
  for (sim in seq_len(fields)) {
    set.seed(seed + sim)
    recipe$key <- floor(runif(2) * 2^32)
    found <- rfSpectrum(predict(recipe, grid), expected = FALSE)
    ratio <- found$spectrum / found$model
    sums <- sums + ratio
    squares <- squares + ratio^2
  }
  mean <- sums / fields
  some <- found$model > 1e-12 * max(found$model) # beyond, rounding errors of the transform
  data.frame(wavenumber = found$wavenumber, modes = found$modes, ratio = mean,
             std.error = sqrt((squares / fields - mean^2) / (fields - 1)))[some, ]
}

table_of <- function(case, number) {
  grid <- rfGrid(0, case$side / n, c(n, n, n))
  set.seed(seed)
  one <- tbrf(grid, case$model, method = "fft", periodic = TRUE, variance = "spectrum", object = TRUE)
  seconds <- system.time(field <- predict(one, grid))[["elapsed"]]
  cat("\n", case$name, "\n", sep = "")
  print(summary(field))
  found <- measured(one, grid, 1000 * (seed + number))
  beyond <- abs(found$ratio - 1) / found$std.error
  print_table(found[unique(round(seq(1, nrow(found), length.out = 12))), ])
  data.frame(spectrum = case$name, shells = nrow(found), beyond.2 = sum(beyond > 2), beyond.3 = sum(beyond > 3),
             worst = max(beyond), ratio = sum(found$ratio * found$modes) / sum(found$modes),
             seconds = seconds)
}
# ---- vectors on the faces of cells ----

# The largest discrete divergence over the largest gradient, the spectrum of three components together, and helicity.
vectors <- function(kind, helicity, number) {
  side <- 40
  grid <- rfGrid(0, side / n, c(n, n, n), staggered = TRUE)
  model <- rfVector(cases[[3]]$model, kind, helicity = helicity)
  set.seed(seed)
  recipe <- tbrf(grid, model, method = "fft", periodic = TRUE, variance = "spectrum", object = TRUE)
  seconds <- system.time(field <- predict(recipe, grid))[["elapsed"]]
  gradient <- max(abs(field[2:n, , , ] - field[1:(n - 1), , , ])) / grid$spacing[1]
  found <- measured(recipe, grid, 1000 * (seed + number))
  beyond <- abs(found$ratio - 1) / found$std.error
  data.frame(kind, helicity, divergence = max(abs(rfDivergence(field))) / gradient, shells = nrow(found),
             beyond.2 = sum(beyond > 2), beyond.3 = sum(beyond > 3), worst = max(beyond),
             ratio = sum(found$ratio * found$modes) / sum(found$modes), seconds)
}

# ---- log-normal fields ----

matter <- cases[[2]]$model
matter <- update(matter, variance = matter$variance * rfSigma(matter, 8, sigma = 0.8), mean = 1)
densities <- list(list(name = "exponential, range 10 cells", spacing = 1,
                       model = covModel("exponential", range = 10, variance = 1, mean = 1)),
                  list(name = "BBKS, 8 Mpc/h, sigma8 = 0.8", spacing = 8, model = matter))

lognormal <- function(case, number) {
  grid <- rfGrid(0, case$spacing, c(n, n, n))
  set.seed(seed)
  recipe <- tbrf(grid, case$model, method = "fft", periodic = TRUE, variance = "spectrum", marginal = "lognormal",
                 object = TRUE)
  seconds <- system.time(field <- predict(recipe, grid))[["elapsed"]]
  found <- measured(recipe, grid, 1000 * (seed + number))
  beyond <- abs(found$ratio - 1) / found$std.error
  data.frame(model = case$name, variance = var(as.vector(field)), shells = nrow(found), beyond.2 = sum(beyond > 2),
             beyond.3 = sum(beyond > 3), worst = max(beyond), off = max(abs(found$ratio - 1)[found$modes > 1000]),
             ratio = sum(found$ratio * found$modes) / sum(found$modes), seconds)
}

overview <- Map(table_of, cases, seq_along(cases))
cat("\nMeasured over given: shells beyond 2 and 3 standard errors (of some 60 shells 3 and 0.2 to 0.6 are expected,",
    "by Student's law of 29 degrees of freedom), the mean over all waves, and seconds for a field\n")
print_table(do.call(rbind, unname(overview)))
cat("\nVector fields on staggered grids, von Karman's spectrum: the largest divergence over the largest gradient\n")
print_table(rbind(vectors("solenoidal", 0, 11), vectors("solenoidal", 0.5, 12), vectors("compressive", 0, 13)))
cat("\nLog-normal fields; off: the largest deviation in shells of more than 1000 waves\n")
print_table(do.call(rbind, unname(Map(lognormal, densities, 20 + seq_along(densities)))))

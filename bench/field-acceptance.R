# The checks of tests/testthat/test-rf-tbrf-ensemble.R on all models, sets of directions and methods, with waves in
# shells and of one amplitude; a seed from the clock and more fields. Ends with status 1 where a deviate is beyond
# the limit.
#   Rscript bench/field-acceptance.R [fields [seed [device]]]
library(statcl)
source("bench/peers.R")
source("tests/testthat/helper-ensemble.R")
recipe_lines <- statcl:::recipe_lines
argument <- commandArgs(trailingOnly = TRUE)
fields <- if (length(argument)) as.numeric(argument[1]) else 2000
seed <- if (length(argument) > 1) as.integer(argument[2]) else as.integer(as.numeric(Sys.time()) %% 2^31)
if (length(argument) > 2) useDevice(argument[3])
options(width = 140, statcl.threads = 1) # sums of a few hundred points, which threads would only hold up
set.seed(seed)
cat(machine(), sprintf("\nDevice: %s; %g fields, seed %d\n", toString(useDevice()), fields, seed))

lags <- c(0.02, 0.1, 0.3, 0.7, 1, 1.5, 3)
all_deviates <- numeric()
each <- function(over, f) do.call(rbind, lapply(over, f))
# Largest deviates of each check, and their root mean square, which is 1 for numbers that are as they should be.
row <- function(what, dim, checks) {
  z <- unlist(lapply(checks, function(z) z[names(z) != "joint" & !is.na(z)]))
  all_deviates <<- c(all_deviates, z)
  largest <- vapply(checks, function(z) c(z[which.max(abs(z))], NA)[1], 1)
  data.frame(what, dim, as.list(largest), rms = sqrt(mean(z^2)))
}
law_row <- function(what, case, dim, ...) {
  theory <- isotropic(case$f)
  sampler_of <- function(L) tbrf_sampler(case$model, L, method = "spectral", ...)
  sampler <- sampler_of(64)
  excess <- cosine_excess(tbrf_lines(case$model, dim, method = "spectral", ...)(4)$amplitude)
  row(what, dim, list(
    moments = check_moments(sampler, theory, dim, lags * case$reach, side = 120, fields = fields),
    isotropy = check_isotropy(sampler, dim, 0.7 * case$reach, side = 120, fields = fields),
    kurtosis = check_kurtosis(sampler_of(4), dim, case$f(0), excess, side = 200, fields = fields),
    # smooth models have next to no power at high frequencies: what is there has leaked from the low ones
    transects = if (grepl("spectrum$|law", case$model$name))
      check_transects(sampler, theory, dim, case$reach / 4, side = 120, fields = fields) else c(none = NA_real_),
    origin = check_origin(sampler, dim, fields = fields)))
}

cases <- ensemble_models()
settings <- c("shells", "spectrum")
for (waves in settings) {
  spectral <- each(names(cases), function(name) each(cases[[name]]$dims, function(dim)
    law_row(name, cases[[name]], dim, waves = waves)))
  cat(sprintf("\nCosines, waves = \"%s\": largest deviate of each check in standard errors, and %s\n", waves,
              "root mean square of all"))
  print_table(spectral, 2)
}

sets <- each(settings, function(waves) each(c("halton", "fibonacci"), function(set) each(2:3, function(dim)
  law_row(paste(waves, set), cases$exponential, dim, directions = set, waves = waves))))
cat("\nOther sets of directions, exponential model\n")
print_table(sets, 2)

# Increments at lags far below the range, where few waves of one amplitude tell: more of them, for the t statistics.
short <- each(settings, function(waves) each(2:3, function(dim) {
  sampler <- tbrf_sampler(cases$exponential$model, 1000, waves = waves)
  variogram <- function(r) -1.7 * expm1(-r / 2)
  z <- check_increments(sampler, variogram, dim, c(0.02, 0.1, 0.4), side = 120, fields = fields)
  row(waves, dim, list(increments = z))
}))
cat("\nIncrements at short lags, exponential model, 1000 waves\n")
print_table(short, 2)

# The step is so short that its rounding is far below the errors here.
tables <- each(2:3, function(dim) {
  case <- cases$exponential
  sampler <- tbrf_sampler(case$model, 16, method = "table", step = 0.02)
  few <- min(fields, 400)
  row("circulant", dim, list(
    moments = check_moments(sampler, isotropic(case$f), dim, lags * case$reach, side = 30, fields = few),
    isotropy = check_isotropy(sampler, dim, 1.4, side = 30, fields = few),
    kurtosis = check_kurtosis(sampler, dim, case$f(0), 0, side = 60, fields = few)))
})
cat("\nTables, exponential model\n")
print_table(tables, 2)

grids <- list(NULL, rfGrid(0, 0.5, c(40, 40)), rfGrid(0, 0.5, c(16, 16, 16)))
with_small_torus <- list(NULL, c("exponential", "spherical"), "spherical")
transforms <- each(2:3, function(dim) each(with_small_torus[[dim]], function(name) {
  steps <- matrix(sample(-10:10, 6 * dim, TRUE), ncol = dim)
  design <- mesh_pairs(grids[[dim]], steps, 150)
  sampler <- mesh_sampler(grids[[dim]], cases[[name]]$model, method = "fft")
  row(name, dim, list(moments = check_moments(sampler, isotropic(cases[[name]]$f), dim, design = design,
                                              fields = fields)))
}))
cat("\nTransforms on meshes\n")
print_table(transforms, 2)

errors <- each(settings, function(waves) each(c("exponential", "gaussian"), function(name) each(2:3, function(dim) {
  case <- cases[[name]]
  lines <- tbrf_lines(case$model, dim, waves = waves)
  e <- check_own_error(lines, isotropic(case$f), dim, case$reach, c(64, 256, 1024), fields = 100)
  all_deviates <<- c(all_deviates, e$mean)
  data.frame(waves, what = name, dim, slope = e$slope, share = e$share, mean = e$mean[which.max(abs(e$mean))])
})))
cat("\nA field's own covariance at the range, 64 to 1024 lines: slope of its log error by log lines, error at 1024",
    "\nas a share of that of independent lines, largest deviate of its mean\n")
print_table(errors, 2)

cat(sprintf("\n%d deviates, root mean square %.3f, largest %.2f, limit %g\n", length(all_deviates),
            sqrt(mean(all_deviates^2)), max(abs(all_deviates)), deviate_limit))
quit(status = as.integer(max(abs(all_deviates)) > deviate_limit))

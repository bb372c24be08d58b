# Vector fields and fields in time: divergence, spectrum, share, correlation in time, mean flow and isotropy of many
# fields in standard errors, as the tests have them for fewer, and times beside those of a scalar field.
#   Rscript bench/field-vector.R [number of fields]
library(statcl)
source("bench/peers.R")
checks <- new.env(parent = asNamespace("statcl"))
for (file in c("helper-ensemble.R", "helper-flow.R")) sys.source(file.path("tests/testthat", file), checks)
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
fields <- if (length(argument)) argument[1] else 2000
options(statcl.threads = 1)
cat(machine(), ", one thread, ", fields, " fields of 64 waves\n", sep = "")

bell <- function(r) exp(-(r / 2)^2)
model <- covModel("gaussian", range = 2)
kinds <- list(solenoidal = 0, compressive = 1, mixed = 0.3)
lags <- c(0.1, 0.6, 1.4, 2, 3)
later <- c(0, 0.05, 0.3, 1, 2, 5)
show <- function(what, z) cat(sprintf("  %-44s largest of %2d deviates %5.2f\n", what, length(z), max(abs(z))))

with(checks, for (dim in 2:3) for (kind in names(kinds)) {
  share <- kinds[[kind]]
  vectors <- rfVector(model, kind, if (kind == "mixed") share)
  cat(kind, if (kind == "mixed") paste0(", share ", share), ", ", c("plane", "space")[dim - 1], "\n", sep = "")
  set.seed(dim)
  x <- matrix(runif(1e4 * dim, -20, 20), ncol = dim)
  field <- tbrf(x, vectors)
  rms <- sqrt(mean(rfGradient(field)[]^2) * dim^2)
  cat(sprintf("  at 1e4 points, over the rms gradient: divergence %.1e, curl %.1e\n",
              max(abs(rfDivergence(field))) / rms, max(abs(rfCurl(field))) / rms))
  sampler <- flow_sampler(vectors)
  show("energy, covariances along and across at 5 lags", check_flow(sampler, bell, dim, share, lags, fields = fields))
  show("share by divergence and curl", check_derivatives(sampler, dim, share, 1e-3, fields = fields))
  show("isotropy, mean flow", check_components(sampler, bell, dim, fields = fields))
  power <- rfVector(covModel("powerlaw", exponent = -11 / 3, kmin = 0.5, kmax = 8), kind,
                    if (kind == "mixed") share)
  shells <- of_shells(function(k) k^(2 - 11 / 3), 0.5, 8)
  show("energy spectrum k^-11/3 of transects",
       check_flow_spectrum(flow_sampler(power), shells, dim, 0.5, fields = fields))
  theory <- function(h, u) bell(h) * exp(-u / 1.3)
  show("correlation at 5 lags in time, 2 in space",
       check_times(flow_sampler(vectors, correlation.time = 1.3), theory, dim, c(1e-6, 1.4), later, fields = fields))
})

cat("models of space and time\n")
with(checks, {
  psi <- function(u) 1 + u^1.4
  frozen <- covModel("gneiting", space = covModel("exponential", range = 2),
                     time = list(range = 1, shape = 0.7, interaction = 0.6, decay = 0.5, dim = 3))
  theory <- function(h, u) psi(u)^-(0.5 + 0.9) * exp(-h / 2 * psi(u)^-0.3)
  set.seed(1)
  show("Gneiting", check_times(flow_sampler(frozen), theory, 3, c(1e-6, 0.7, 2), later, fields = fields))
  waves <- covModel("separable", space = model, time = covModel("exponential", range = 1))
  theory <- function(h, u) bell(h) * exp(-u)
  show("separable", check_times(flow_sampler(waves), theory, 3, c(1e-6, 0.7, 2), later, fields = fields))
})

cat("seconds, 1000 lines, and time of a component over that of a scalar field\n")
seconds <- function(expr) {
  code <- substitute(expr)
  min(vapply(1:3, function(i) system.time(eval(code, globalenv()))[["elapsed"]], 1))
}
row <- function(what, t, scalar, components)
  cat(sprintf("  %-44s%8.3f%8.2f\n", what, t, t / scalar / components))
x <- list(matrix(runif(4e5), ncol = 2), matrix(runif(6e5), ncol = 3))
grids <- list(rfGrid(0, 0.01, c(1024, 512)), rfGrid(0, 0.01, c(96, 96, 96)))
flow <- rfVector(model)
for (dim in 2:3) {
  p <- x[[dim - 1]]
  g <- grids[[dim - 1]]
  at <- c("plane", "space")[dim - 1]
  scalar <- seconds(tbrf(p, model))
  row(sprintf("%s, 2e5 points, scalar", at), scalar, scalar, 1)
  row(sprintf("%s, 2e5 points, vectors", at), seconds(tbrf(p, flow)), scalar, dim)
  at_a_time <- function(model) tbrf(p, model, time = 1.1, correlation.time = 1)
  row(sprintf("%s, 2e5 points, vectors at a time", at), seconds(at_a_time(flow)), scalar, dim)
  row(sprintf("%s, 2e5 points, scalar at a time", at), seconds(at_a_time(model)), scalar, 1)
  slopes <- tbrf(p[1, , drop = FALSE], model, object = TRUE)
  row(sprintf("%s, 2e5 points, gradient of a scalar", at), seconds(predict(rfGradient(slopes), p)), scalar, dim)
  scalar <- seconds(tbrf(g, model))
  row(sprintf("%s, mesh %s, scalar", at, paste(g$dims, collapse = " x ")), scalar, scalar, 1)
  row(sprintf("%s, mesh, vectors", at), seconds(tbrf(g, flow)), scalar, dim)
}
for (n in c(1e3, 1e4)) {
  recipe <- tbrf(cbind(0, 0, 0), flow, n, correlation.time = 1, object = TRUE)
  one <- cbind(0, 0, 0)
  cat(sprintf("  one step in time of %5.0f lines, at a point: %.3f\n", n, seconds(predict(recipe, one, time = 12.3))))
}

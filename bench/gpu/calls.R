# The calls whose tasks driver.c times, one for each family and each road that it takes: record.c writes down the
# first task that begins with the kernel. Columns have few points, which the driver repeats until they fill a device;
# where a point's number says what it is, as in matrices and on meshes, calls are as long as they are to be.
library(statcl)
device <- commandArgs(TRUE)[1]
timed <- function(label, kernel, call, results = 0) {
  Sys.setenv(RECORD_TASK = paste0(label, ":", kernel), RECORD_RESULTS = results)
  on.exit(Sys.setenv(RECORD_TASK = "none"))
  invisible(try(suppressWarnings(force(call)), silent = TRUE))
}
by_route <- function(route, code) {
  old <- options(statcl.covariance.route = route, statcl.stable.route = route)
  on.exit(options(old))
  force(code)
}
Sys.setenv(RECORD_TASK = "none")
useDevice(device)
set.seed(1)
n <- 2048
x <- rnorm(n) * exp(rexp(n, 1))
p <- runif(n)
alphas <- runif(n, 1.2, 1.9)
betas <- runif(n, -1, 1)
r <- runif(n, 0, 6)
many <- 2^20
matern15 <- covModel("matern", range = 1, smoothness = 1.5)
places <- matrix(runif(2 * n), n)

timed("dstable, one distribution", "stable_param", by_route("direct", dstable(x, 1.5, 0.5)))
timed("dstable, alpha near 1", "stable_param", by_route("direct", dstable(x, 1.05, 0.5)))
timed("dstable, a distribution a point", "stable_param", dstable(x, alphas, betas))
timed("dstable, light tails", "stable_param", by_route("direct", dstable(-abs(x), 1.7, 1)))
timed("dstable, light tails by angles", "stable_param",
      by_route("direct", dstable(seq(-9, -4, length.out = n), 1.7, 0.99)))
timed("dstable by a table", "stable_table_param", by_route("table", dstable(x, 1.5, 0.5)))
timed("pstable, one distribution", "stable_joint_param", by_route("direct", pstable(x, 1.5, 0.5)))
timed("qstable by a table", "stable_table_param", by_route("table", qstable(p, 1.5, 0.5)))
timed("slopes of stable densities", "stable_slope_param", statcl:::stable_slopes(x, alphas, betas, 0, 1))
timed("stable likelihood, observations there", "stable_observed",
      .Call(statcl:::C_stableSums, x, rep(1, n), matrix(0, n, 0), cbind(1.5, 0.5, 1, 0, 0), 0), n)
timed("slopes of a stable likelihood, there", "stable_observed",
      .Call(statcl:::C_stableSums, x[1:1024], rep(1, 1024), matrix(0, 1024, 0), cbind(1.5, 0.5, 1, 0, 0), 1), 1024)
timed("dmstable, a distribution a point", "elliptical_values", dmstable(cbind(x, betas), alphas, diag(2)))
timed("dmstable by a table", "elliptical_table", by_route("table", dmstable(cbind(x, betas), 1.5, diag(2))))
timed("pmstableRadius", "elliptical_radius", pmstableRadius(abs(x), 1.5, 3))
timed("rmstable", "elliptical_normal", rmstable(many, 1.5, diag(2)))
timed("rstable", "stable_draw_param", rstable(many, 1.5, 0.5))
timed("besselKgpu, one order", "bessel_locate", besselKgpu(r, 0.8))
timed("besselKgpu, an order a point", "bessel_locate", besselKgpu(r, runif(n, 0, 10)))
timed("besselKgpu, slopes", "bessel_locate", besselKgpu(r, runif(n, 0, 10), deriv = "nu"))
timed("besselKgpu, Temme's method", "bessel_published_sort", besselKgpu(r, runif(n, 0, 10), method = "temme"))
timed("besselKgpu, Takekawa's method", "bessel_published_sort", besselKgpu(r, runif(n, 0, 10), method = "takekawa"))
timed("matern, smoothness 0.8", "matern_locate", by_route("direct", matern(r, range = 1, smoothness = 0.8)))
timed("matern by a table", "cov_given", by_route("table", matern(r, range = 1, smoothness = 0.8)))
timed("matern, slopes", "matern_locate",
      by_route("direct", matern(r, range = 1, smoothness = 0.8, deriv = "smoothness")))
timed("covariance matrix, smoothness 1.5", "cov_distance", covariance(matern15, places))
timed("covariance matrix, two parts", "cov_tile",
      covariance(matern15 + covModel("gaussian", range = 2, nugget = 0.1), places))
timed("covariance matrix times a vector", "cov_product",
      .Call(statcl:::C_covarianceProduct, list(a = places[rep_len(1:n, 2^14), ], b = places[1:512, ],
                                               parts = list(statcl:::engine_part(matern15)),
                                               metric = list(kind = "euclidean", radius = 1)), matrix(1, 512)))
timed("dpoisgpu", "poisson_pmf", dpoisgpu(rpois(n, 40), 37))
timed("ppoisgpu", "poisson_cdf", ppoisgpu(rpois(n, 40), 37))
timed("qpoisgpu, one lambda", "poisson_quantile", qpoisgpu(p, 37))
timed("qpoisgpu, a lambda a point", "poisson_quantile", qpoisgpu(p, runif(n, 5, 500)))
timed("qchisqgpu, ncp", "noncentral_quantile", qchisqgpu(p, exp(runif(n, -2, 7)), exp(runif(n, -2, 7))))
timed("pchisqgpu, ncp", "noncentral_cdf", pchisqgpu(runif(n, 500, 700), 500, 100))
timed("qbetagpu, shapes a point", "beta_quantile", qbetagpu(p, exp(runif(n, -2, 7)), exp(runif(n, -2, 7))))
timed("rpoisgpu", "poisson_draw", rpoisgpu(many, 37))
timed("qbinomgpu, sizes a point", "binomial_quantile", qbinomgpu(p, 50 + rpois(n, 500), 0.3))
timed("pbinomgpu", "binomial_cdf", pbinomgpu(rpois(n, 40), 100, 0.4))
timed("normal quantiles", "normal_quantile", .External(statcl:::C_elementwise, "normalQuantile", p))
timed("tbrf at places", "band_points", tbrf(places, matern15, 64))
timed("tbrf on a mesh", "band_grid", tbrf(rfGrid(c(0, 0, 0), c(0.1, 0.1, 0.1), c(128, 128, 128)), matern15, 64),
      results = 128^3)
timed("tbrf by tables", "band_table", tbrf(places, matern15, 64, method = "table"))
timed("tbrf of a vector field", "band_waves_2",
      tbrf(places, rfVector(matern15, "mixed"), 64, time = 1, correlation.time = 1))
timed("integrategpu, an integral a row", "quad_first",
      integrategpu(function(x, a) exp(-a * x^2), rep(-1, 2^14), 2, params = data.frame(a = runif(2^14))))
timed("integrategpu, two integrals a row", "quad_panels",
      integrategpu(function(x, a) c(exp(-a * x^2), x), -1, 2, params = data.frame(a = runif(n)), min.panels = 1))
timed("integrategpu, a sum in each value", "quad_sums", {
  v <- rnorm(128)
  integrategpu(function(b, s) sum(dnorm(v, b, s, log = TRUE)), 0, 1, params = data.frame(s = 1 + p[1:256]),
               min.panels = 1)
})
neighbours <- function(n) {
  xy <- matrix(runif(2 * n), n)
  problem <- statcl:::gp_problem(update(matern15, nugget = 0.1), list(xy = xy, geographic = NA), NULL)
  statcl:::vecchia_problem(problem, list(y = cospi(xy[, 1]), X = cbind(rep(1, n))), 15)
}
problem <- neighbours(2^11)
timed("Vecchia's likelihood, 15 neighbours", "vecchia_form_sums",
      statcl:::vecchia_evaluate(problem, "ML", character(), character()), results = 2^11)
timed("Vecchia's likelihood with slopes", "vecchia_table_sums",
      statcl:::vecchia_evaluate(problem, "ML", c("range", "smoothness"), "range"), results = 2^11)
timed("Vecchia's predictions", "vecchia_form_predict",
      statcl:::vecchia_kriging(neighbours(512), 15, places[1:512, ], matrix(runif(4096), 2048)))

# Matrices by their sizes: with RECORD_SKIP their launches are not done, and results are nothing.
Sys.setenv(RECORD_SKIP = "1")
for (size in c(512, 2048, 8192)) {
  near <- cbind(seq_len(size), 0)
  p <- statcl:::gp_problem(update(matern15, nugget = 0.1), list(xy = near, geographic = NA), NULL)
  timed(sprintf("Kriging errors at 4096 places, data %d", size), "dense_across_tile", {
    factor <- statcl:::gp_factor(p)[[1]]
    .Call(statcl:::C_gpSolvedSums, factor, statcl:::engine_among(near, cbind(0.5, 1:4096), p$metric, p$engine),
          matrix(1, size))
    .Call(statcl:::C_gpForget)
  })
  for (what in c("factor", "inverse"))
    timed(sprintf("Cholesky %s of %d", what, size), if (what == "factor") "dense_frame" else "dense_invert_tile",
          gpLoglik(update(matern15, nugget = 0.1), near, numeric(size), gradient = what == "inverse"))
}

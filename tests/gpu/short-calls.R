# Short calls that reach every kernel of inst/kernels/common/map.def, on a device and on the built-in backend:
#   Rscript tests/gpu/short-calls.R <device> [double|single]
# Prints the calls and the largest difference in units of the last digit; the exit status is 1 where results of the
# device are others than they should be, or a kernel was not launched. tools/simulated-gpu.R runs this on a simulated
# GPU, where it also finds out which kernels had points to compute.
library(statcl)
given <- commandArgs(TRUE)
device <- given[1]
single <- identical(given[2], "single")

laws <- function(n) {
  set.seed(1)
  some <- function(ordinary, special) ifelse(runif(n) < 0.4, sample(special, n, TRUE), ordinary)
  data.frame(x = rnorm(n) * exp(rexp(n, 0.5)), p = runif(n), gamma = exp(rnorm(n)), delta = rnorm(n),
             alpha = some(runif(n, 0.1, 2), c(0.3, 0.95, 1 - 1e-9, 1, 1 + 1e-7, 1.0005, 1.1, 1.5, 1.999, 2)),
             beta = some(runif(n, -1, 1), c(-1, 0, 1)))
}
z <- laws(300)
few <- z[1:50, ]
near <- subset(z, abs(alpha - 1) <= 0.2) # a form of its own, with twice the nodes for few points
slopes <- subset(z, abs(beta) < 1 & alpha < 1.95)[1:60, ]
# where the rays take more nodes once and twice
hard <- rbind(expand.grid(alpha = c(0.15, 0.4, 0.9991, 1 + 1e-7, 1.0009, 1.1, 1.99), beta = c(-0.95, 0.5),
                          x = c(-1e4, -40, -6, -1.1, 0.05, 0.7, 11)),
              expand.grid(alpha = c(0.81, 0.9, 0.95, 1.15, 1.19), beta = c(-0.999, 0.9, 0),
                          x = c(-1e3, -20, -3, -0.3, 0.01, 1, 5, 60, 1e5)))
set.seed(1)
close <- data.frame(x = rnorm(120) * exp(rexp(120, 0.5)), alpha = 1 + 1e-4 * runif(120, -1, 1),
                    beta = runif(120, -1, 1))
x <- c(0, 1e-3, 0.1, 0.7, 1.7, 2.5, 6, 9, 40, 800, Inf, NA)
orders <- c(0, 0.3, 0.5, 2, 7.5, 150)
at <- expand.grid(x = x, nu = orders)
set.seed(2)
places <- matrix(runif(60, -2, 2), 20)
mesh <- function(d) rfGrid(c(-1, 2, 0.5)[1:d], c(0.4, 0.3, 0.7)[1:d], c(7, 5, 4)[1:d])
smooth <- covModel("matern", range = 1.3, smoothness = 1.5)
by_route <- function(route, code) {
  old <- options(statcl.covariance.route = route, statcl.stable.route = route)
  on.exit(options(old))
  code
}
slope <- c("none", "range", "smoothness")
lambda <- c(0, 0.5, 3.5, 20, 300, 1e4, 1e10)
counts <- expand.grid(p = c(0, 1e-200, 1e-8, 0.1, 0.5, 0.999, 1), lambda = lambda)
# The built-in backend's tiles round in another order than the cooperative kernels do.
rounded <- function(v) signif(c(v, attr(v, "gradient")), 9)
observed <- matrix(runif(260, 0, 9), 130)
# No sines: their reduction of large arguments becomes a 64-bit rotation, which oclgrind 21.10 does not know.
integrand <- function(x, a) c(exp(-a * x^2), pnorm(x), log1p(abs(x)))

calls <- if (!single) alist(
  dstable(few$x, few$alpha, few$beta, few$gamma, few$delta), dstable(near$x, near$alpha, near$beta),
  dstable(few$x, few$alpha, few$beta, 1, 0, 1, log = TRUE),
  pstable(few$x, few$alpha, few$beta, few$gamma, few$delta), pstable(near$x, near$alpha, near$beta),
  pstable(few$x, few$alpha, few$beta, lower.tail = FALSE, log.p = TRUE),
  dpstable(few$x, few$alpha, few$beta), qstable(few$p[1:10], few$alpha[1:10], few$beta[1:10]),
  stableMode(0.7, 0.3),
  dmstable(cbind(few$x, few$delta), few$alpha, diag(2)), pmstableRadius(abs(few$x), few$alpha, 3),
  by_route("table", dmstable(cbind(few$x, few$delta), 1.6, diag(2))), rmstable(50, 1.6, diag(2)),
  rstable(150, z$alpha, z$beta), by_route("table", dstable(few$x, 1.8, 0)),
  by_route("table", qstable(few$p, 1.8, 0)),
  statcl:::stable_slopes(hard$x, hard$alpha, hard$beta, 0, 1),
  statcl:::stable_slopes(slopes$x, slopes$alpha, slopes$beta, 0, 1),
  statcl:::stable_slopes(close$x, close$alpha, close$beta, 0, 1),
  statcl:::stable_slopes(c(-11.3, -7.97, 1.47), c(1.815, 1.971, 1.219), c(0.199, -0.548, -0.585), 0, 1),
  statcl:::stable_slopes(c(5.3, -96.2), 1 + c(4.7e-6, 2.8e-8), c(-0.999998, 0.9956), 0, 1),
  lapply(0:1, function(slopes) # observations that stay, with the columns of a regression
    .Call(statcl:::C_stableSums, few$x, few$gamma, cbind(few$delta, 1),
          cbind(c(1.5, 0.7), 0.3, 1, 0.1, 0:1, 0.5, -1)[1:(2 - slopes), , drop = FALSE], slopes)),
  dstable(-(1:12), 1.9, 0.99),
  coef(stableFit(few$x[1:9], fixed = list(beta = 0, alpha = 1.5))),
  besselKgpu(at$x, at$nu), besselKgpu(at$x, at$nu, log = TRUE), besselKgpu(at$x, at$nu, deriv = "x"),
  besselKgpu(at$x, at$nu, log = TRUE, deriv = "nu"), besselKgpu(at$x, at$nu, method = "temme"),
  besselKgpu(at$x, at$nu, log = TRUE, method = "takekawa"), besselKgpu(at$x, at$nu, log = TRUE, method = "refined"),
  by_route("direct", lapply(orders[-1], function(nu) lapply(slope, function(d)
    matern(x[-12], range = 1, smoothness = nu, deriv = d)))),
  by_route("table", lapply(slope[c(1, 3)], function(d) matern(places, range = 1, smoothness = 0.8, deriv = d))),
  matern(x[-12], range = 1, smoothness = 1.5), matern(places, range = 1, smoothness = 2.5, nugget = 0.1),
  by_route("table", matern(abs(places[, 1]), range = 1, smoothness = 0.8)),
  by_route("direct", matern(places, places[5:1, ], range = 1, smoothness = 0.7)),
  matern(places[, 1:2] * 40, range = 2000, smoothness = 0.5, distance = "greatcircle"),
  covariance(covModel("besselj", 1, shape = 1.5), places),
  by_route("table", covariance(covModel("wendland", 2, smoothness = 0.7, shape = 4), places)),
  by_route("table", covariance(covModel("wendland", 2, smoothness = 0.7, shape = 4), places, deriv = "shape")),
  covariance(covModel("gneiting", space = covModel("cauchy", 1, shape = 2), time = list(range = 1, dim = 3)),
             cbind(places, 1:20)),
  .Call(statcl:::C_covarianceProduct, list(a = places, b = places[1:7, ], parts = list(statcl:::engine_part(smooth)),
                                           metric = list(kind = "euclidean", radius = 1)), diag(7)),
  rounded(gpLoglik(update(smooth, nugget = 0.1), observed, cospi(observed[, 1] / 7), X = cbind(1, observed),
                   gradient = TRUE)),
  rounded(gpLoglik(covModel("exponential", range = 2, nugget = 0.1), cbind(1:70 / 7), cospi(1:70 / 9),
                   gradient = TRUE)), # the matrix is made where it is factorised
  rounded(gpLoglik(covModel("exponential", range = 3, nugget = 0.1), cbind(1:60 / 7), cospi(1:60 / 9),
                   information = "average")),
  rounded(local({ # sums over covariances that are made beside the factor
    p <- covModel("exponential", range = 2, nugget = 0.1)
    p <- statcl:::gp_problem(p, list(xy = observed, geographic = NA), NULL)
    statcl:::krige_variances(p, statcl:::gp_solved(p, list(y = observed[, 1], X = cbind(1, observed))),
                             list(xy = observed[1:70, ] + 0.1, X = cbind(1, observed[1:70, ])))
  })),
  rounded({
    p <- statcl:::gp_problem(update(smooth, nugget = 0.1), list(xy = observed, geographic = NA), NULL)
    p <- statcl:::vecchia_problem(p, list(y = cospi(observed[, 1] / 7), X = cbind(1, observed)), 5)
    turned <- statcl:::gp_at(p, update(smooth, nugget = 0.1, angle = 20, ratio = 0.6))
    blocks <- statcl:::vecchia_problem(p, list(y = observed[, 1]), 5, 3)
    near <- function(model) {
      q <- statcl:::gp_at(p, model)
      list(statcl:::vecchia_evaluate(q, "ML"), statcl:::vecchia_kriging(q, 4, observed, observed[1:9, ] + 0.1),
           statcl:::vecchia_draws(q, observed, observed[1:9, ] + 0.1, observed[1:9, ] - 3, 4))
    }
    # a form, a table, and what is neither of them alone
    models <- list(p$model, update(p$model, smoothness = 0.7),
                   p$model + covModel("gaussian", range = 0.2, distance = "euclidean"))
    # more members than 32 KB hold
    many <- statcl:::gp_problem(update(smooth, nugget = 0.1), list(xy = observed[1:47, ], geographic = NA), NULL)
    many <- statcl:::vecchia_problem(many, list(y = observed[1:47, 1]), 23, 24)
    unlist(list(statcl:::vecchia_evaluate(many, "ML", c("variance", "range", "smoothness")),
                statcl:::vecchia_kriging(p, 90, observed, observed[1:2, ] + 0.1),
                statcl:::vecchia_draws(p, observed, observed[1:2, ] + 0.1, observed[1:2, ] - 3, 90),
                statcl:::vecchia_evaluate(p, "ML", c("range", "smoothness"), "range"),
                statcl:::vecchia_evaluate(blocks, "ML", c("range", "nugget"), "range"),
                statcl:::vecchia_evaluate(turned, "ML", c("variance", "angle"), "ratio"), lapply(models, near)))
  }),
  round(.Call(statcl:::C_gpMultiply, cospi(seq_len(3 * 64^2) / 7), cbind(1:70, 1)), 6),
  rounded({
    factor <- cospi(seq_len(3 * 64^2) / 7) / 64
    factor[outer(65 * 0:63 + 1, c(0, 2 * 64^2), "+")] <- 2 # on its diagonal
    many <- cospi(outer(1:70, 1:65) / 9)
    c(.Call(statcl:::C_gpSolve, factor, many, FALSE), .Call(statcl:::C_gpSolve, factor, many, TRUE))
  }),
  dpoisgpu(c(0:20, 2.5), 7), ppoisgpu(0:20, 7), ppoisgpu(counts$lambda, counts$lambda, FALSE, TRUE),
  qpoisgpu(counts$p, counts$lambda), qpoisgpu(log(counts$p), counts$lambda, FALSE, TRUE),
  qpoisgpu(ppois(100:200, 150), 150), # the distribution function itself, where it decides
  rpoisgpu(150, lambda[-1]), rpoisgpu(150, 37), qpoisgpu(rep(z$p, 17), 3.7),
  dgammagpu(x, orders), pgammagpu(x, at$nu[1:60]), pgammagpu(c(30, 31, 2, 50, 0.2), c(28, 1e3, 5, 3, 0.3)),
  qgammagpu(z$p, shape = c(0.2, 0.7, 1.5, 3, 40)), qchisqgpu(log(z$p), c(0.2, 3, 70), 0, FALSE, TRUE),
  rgammagpu(150, c(0.2, 3, 40)),
  dchisqgpu(x, orders, 2), pchisqgpu(x, c(0.3, 5, 60, 0.4), c(1, 9, 200)), pchisqgpu(70 + z$p, 60, 9, FALSE, TRUE),
  qchisqgpu(z$p, c(0, 0.3, 5, 60, 2000), c(1, 9, 200)), qchisqgpu(log(z$p), c(0.2, 3), 7, FALSE, TRUE),
  rchisqgpu(150, c(0.3, 5, 60), c(1, 9)),
  dbetagpu(z$p, 0.4, 3), pbetagpu(z$p, c(0.3, 4, 700, 0.2), c(0.5, 7, 900, 60)), ptgpu(z$x, 3.5),
  qbetagpu(z$p, c(0.3, 4, 700, 0.2, 1.5), c(0.5, 7, 900, 60, 300)), qfgpu(log(z$p), 3, c(0.2, 9), 0, FALSE, TRUE),
  qbetagpu(z$p, c(9, 40, 1e6), c(800, 30, 12), 0, FALSE), qfgpu(log(z$p), c(30, 1e4), c(25, 70, 3000), log.p = TRUE),
  rbetagpu(150, c(0.3, 4, 700), c(0.5, 7, 900)),
  dbinomgpu(c(0:20, 2.5), 30, 0.3), pbinomgpu(0:20, 30, 0.3), pnbinomgpu(c(0:20, 1e5), 0.01, , 7, FALSE, TRUE),
  pbinomgpu(c(280, 5, 3e4), c(900, 1e4, 1e5), c(0.3, 4e-4, 0.31)), qnbinomgpu(counts$p, 0.7, , 40),
  qbinomgpu(counts$p, ceiling(counts$lambda), 0.4), qnbinomgpu(log(counts$p), 3.5, , counts$lambda, TRUE, TRUE),
  qbinomgpu(pbinom(100:200, 300, 0.5), 300, 0.5), rbinomgpu(150, 99, 0.2), rnbinomgpu(150, 2.5, 0.3),
  .External(statcl:::C_elementwise, "normalQuantile", c(z$p, 1e-300, 1e-5, 0, 1, NaN)),
  lapply(1:3, function(d) tbrf(mesh(d), smooth, 40)), tbrf(places, smooth, 40),
  tbrf(rfGrid(0, 0.3, c(1, 9, 7)), smooth, 40), tbrf(places, update(smooth, nugget = 0.2), 16),
  lapply(2:3, function(d) tbrf(places[, 1:d], rfVector(smooth, "mixed"), 16, time = 1, correlation.time = 1)),
  tbrf(places, smooth, 16, time = 1, correlation.time = 1),
  local({ # lines in two lots
    sum <- numeric(nrow(places))
    room <- numeric(nrow(places))
    k <- matrix(1:9 / 10, 3)
    for (before in c(0, 3))
      .Call(statcl:::C_bandPoints, places, list(k = k + before, phase = 1:3 / 7, amplitude = c(1, 1, 2)),
            list(before, 3 - before, 2, room), sum, 0)
    sum
  }),
  tbrf(places, smooth, 40, nsim = 2, method = "table"), tbrf(mesh(2), smooth, 40, method = "table"),
  integrategpu(integrand, -1, 2, params = data.frame(a = 1:3))[, 1], integrategpu(dnorm, -Inf, Inf)$value,
  integrategpu(function(x, a) 1 / sqrt(abs(x - a)), 0, 1, params = data.frame(a = c(0.1, 0.3)))$value,
  integrategpu(function(x, a) exp(-a * x), 0.1, 0.3, params = data.frame(a = 1:512), min.panels = 1)$value,
  local({
    v <- cospi(1:300 / 7)
    integrategpu(function(b) sum(dnorm(v, b, log = TRUE)), 0, 1, min.panels = 1)$value
  }),
  integrategpu(quote(exp(2 * x) / (1 + x)), 0, 5, method = "pbcaq", abs.tol = 1e-6, region = c(4, 8))$value,
  integrategpu(quote(exp(2 * x) / (1 + x)), 0, 5, method = "pscaq", abs.tol = 1e-3, region = c(4, 8))$value
) else alist(
  qpoisgpu(counts$p, counts$lambda), qpoisgpu(log(counts$p), counts$lambda, FALSE, TRUE), rpoisgpu(150, lambda[2:6]),
  rpoisgpu(150, 37), qpoisgpu(z$p, 3.7), matern(x[-12], range = 1, smoothness = 1.5),
  matern(x[2:9], range = 1, smoothness = 0.8), matern(x[2:9], range = 1, smoothness = 0.8, deriv = "smoothness"),
  matern(places, range = 1, smoothness = 0.8), matern(places, places[5:1, ], range = 1, smoothness = 2.5),
  matern(places, range = 1, smoothness = 1.5, deriv = "range"),
  matern(places[, 1:2] * 40, range = 2000, smoothness = 0.5, distance = "greatcircle"),
  covariance(smooth + covModel("gaussian", range = 2), places))

# No road leads from R to these in single precision; they are there because the other kernels of their program are.
unreached <- if (single) c("normal_quantile", "normal_tail", "cov_product")

numbers <- function(v) unlist(rapply(unclass(list(v)), as.double, how = "unlist"), use.names = FALSE)
# Units of the last digit between doubles, or floats: their patterns count them.
ulps <- function(a, b) {
  off <- which(!mapply(identical, a, b))
  if (length(a) != length(b) || !length(off)) return(if (length(a) == length(b)) 0 else Inf)
  scale <- 2^(floor(log2(pmax(abs(a[off]), abs(b[off]), 2^-1022))) - if (single) 23 else 52)
  distance <- abs(a[off] - b[off]) / scale
  max(ifelse(is.na(distance), Inf, distance))
}

options(statcl.precision = if (single) "single" else "double")
launched <- character()
worst <- 0
for (call in calls) {
  value <- lapply(c(device, "cpu"), function(d) withDevice(d, {
    set.seed(3)
    start <- proc.time()[["elapsed"]]
    p <- clProfile(suppressWarnings(eval(call)))
    if (d == device) launched <<- union(launched, p$command[p$kind == "kernel" & p$device == device])
    list(numbers(attr(p, "value")), proc.time()[["elapsed"]] - start)
  }))
  off <- ulps(value[[1]][[1]], value[[2]][[1]])
  worst <- max(worst, off)
  cat(sprintf("%6.2f s %8g ulp %6d values  %s\n", value[[1]][[2]], off, length(value[[1]][[1]]),
              substr(paste(trimws(deparse(call)), collapse = " "), 1, 85)))
}
lines <- readLines(system.file("kernels", "common", "map.def", package = "statcl"))
lines <- grep(if (single) "^EITHER_LINE" else "^[A-Z]+_LINE", lines, value = TRUE)
kernels <- setdiff(sub("^[A-Z]+_LINE\\([a-z]+, [a-z0-9_]+, ([a-z0-9_]+),.*", "\\1", lines), unreached)
missing <- setdiff(kernels, launched)
if (length(missing)) cat("not launched:", missing, "\n")
cat(sprintf("%d of %d kernels launched, results differ by at most %g units of the last digit\n",
            sum(kernels %in% launched), length(kernels), worst))
quit("no", status = length(missing) > 0 || worst > 0)

# Calls of every function that computes, for faults.R: short ones, whose value is compared, or where `long` is TRUE
# those that are interrupted. Their names are those of exported functions, with more after a dot where there are more.
n <- function(small, large) if (long) large else small
spread <- function(from, to, m) seq(from, to, length.out = m)
seeded <- function(value, seed) {
  set.seed(seed)
  value
}
places <- function(m, dim = 2) seeded(matrix(runif(m * dim), m, dim), 3)
user_model <- function() covModel("covariance", covariance = function(h) exp(-h^1.2), dim = 2)

# The CPU, which takes over where the memory of a device is short, rounds in another order.
rounded <- function(v) signif(c(v, attr(v, "gradient")), 9)

exponential <- covModel("exponential", range = 0.2)
big <- seeded(rstable(n(60, 2e5), 1.6, 0.3), 4)
many <- matrix(seeded(rstable(n(80, 12e4), 1.6, 0.3), 4), n(20, 60))
places2 <- places(n(30, 3000))
line <- seeded(data.frame(y = rstable(n(40, 4e4), 1.6, 0), u = rnorm(n(40, 4e4))), 5)
grid <- rfGrid(c(0, 0), 0.05, n(c(9, 7), c(700, 700)))
cube <- rfGrid(c(0, 0, 0), 0.05, n(c(5, 4, 3), c(80, 80, 80)))
field <- tbrf(rfGrid(c(0, 0), 0.05, n(c(12, 9), c(500, 500))), exponential, 20)
flow <- tbrf(rfGrid(c(0, 0), 0.05, n(c(12, 9), c(500, 500))), rfVector(covModel("gaussian", range = 0.3)), n(20, 600))
field_file <- tempfile(fileext = ".nc")
fit <- stableFit(seeded(rstable(n(60, 2000), 1.6, 0.3), 6))
volatile <- stableGarch(seeded(rt(n(80, 3000), 4), 7), innovations = "t")
process <- gpFit(sin(9 * places2[, 1]) ~ 1, coords = places2, cov = exponential, fixed = TRUE)
neighbours <- gpFit(sin(9 * places2[, 1]) ~ 1, coords = places2, cov = exponential, fixed = TRUE, method = "vecchia")
calls <- list(
  dstable.table = quote(dstable(spread(-50, 50, n(3e4, 6e6)), 1.37, 0.2)),
  dstable = quote(dstable(spread(-5, 5, n(700, 3e6)), spread(0.5, 1.9, n(700, 3e6)), 0.2)),
  pstable = quote(pstable(spread(-5, 5, n(700, 2e6)), spread(0.5, 1.9, n(700, 2e6)), 0.2)),
  qstable = quote(qstable(ppoints(n(200, 5e5)), spread(0.5, 1.9, n(200, 5e5)), 0.2)),
  qstable.table = quote(qstable(ppoints(n(2e4, 5e6)), 1.4, 0.2)),
  rstable = quote(rstable(n(2000, 3e7), 1.5, 0.2)),
  dpstable = quote(dpstable(spread(-5, 5, n(300, 1e6)), spread(0.5, 1.9, n(300, 1e6)), 0.2)),
  esstable = quote(esstable(spread(0.01, 0.2, n(20, 5000)), spread(1.1, 1.9, n(20, 5000)), 0.3)),
  stableScore = quote(stableScore(spread(-5, 5, n(700, 1e6)), spread(0.5, 1.9, n(700, 1e6)), 0.2)),
  stableMode = quote(stableMode(spread(0.5, 1.9, n(20, 1e5)), 0.3)),
  stableConvert = quote(stableConvert(1.5, 0.5, spread(1, 2, n(20, 1e6)), 0, from = 0, to = 1)),
  stableFit = quote(stableFit(big)$coefficients),
  stableFit.grid = quote(stableFit(big, "grid2d")$coefficients),
  stableFit.ecf = quote(stableFit(rep(big, n(1, 10)), "ecf")$coefficients),
  stableFit.koutrouvelis = quote(stableFit(rep(big, n(1, 10)), "koutrouvelis")$coefficients),
  stableFit.mcculloch = quote(stableFit(rep(big, n(1, 20)), "mcculloch")$coefficients),
  stableFit.logmoment = quote(stableFit(rep(big, n(1, 20)), "logmoment")$coefficients),
  stableFit.series = quote(coef(stableFit(many))),
  stableFit.weights = quote(stableFit(big, "logmoment", weights = rep(1:2, length(big) / 2))$coefficients),
  stableFit.confint = quote(confint(fit, method = "profile")),
  stableRoll = quote(coef(stableRoll(rep(big, n(1, 5)), n(30, 250), n(10, 1), "mcculloch"))),
  stableRoll.ecf = quote(coef(stableRoll(big, n(30, 250), n(10, 5), "ecf"))),
  stableReg = quote(coef(stableReg(y ~ u, line))),
  stableFit.truncated = quote(stableFit(big[abs(big) < 4], lower = -4, upper = 4)$coefficients),
  stableGarch = quote(coef(stableGarch(big[seq_len(n(60, 2e4))]))),
  stableGarch.series = quote(coef(stableGarch(many[seq_len(n(80, 1000)), 1:4], innovations = "t"))),
  stableGarch.predict = quote(predict(volatile, n(3, 300), 0.01, seed = 1)[["quantile.1%"]]),
  backtest = quote(backtest(volatile, n(10, 1000), 5, nsim = 10, seed = 1)$score),
  stableTest = quote(stableTest(fit, nsim = n(5, 200))$p.value),
  stableStart = quote(stableStart(big)),
  distribution = quote(distribution(fit)$q(ppoints(n(200, 5e5)))),
  besselKgpu = quote(besselKgpu(spread(0.01, 30, n(500, 1e7)), 0.37)),
  besselKgpu.orders = quote(besselKgpu(spread(0.01, 30, n(500, 3e6)), spread(0, 10, n(500, 3e6)))),
  besselKgpu.published = quote(besselKgpu(spread(0.1, 30, n(50, 2e5)), 0.37, log = TRUE, method = "takekawa")),
  matern = quote(matern(places2, range = 0.3, smoothness = 0.8)),
  matern.slope = quote(matern(places2[seq_len(n(30, 1500)), ], range = 0.3, smoothness = 0.8, deriv = "smoothness")),
  covariance.file = quote(covariance(exponential, places2, file = tempfile())[2, 1]),
  covariance = quote(covariance(covModel("matern", range = 0.3, smoothness = 1.3, nugget = 0.1), places2)),
  covModel = quote(class(user_model())),
  gpLoglik = quote(rounded(gpLoglik(exponential, places2, places2[, 1], gradient = TRUE))),
  gpFit = quote(gpFit(y ~ 1, data.frame(y = sin(9 * places2[1:30, 1])), places2[1:30, ], exponential)$loglik),
  gpFit.predict = quote(predict(process, places2 + 0.01, se.fit = TRUE)),
  gpFit.vecchia = quote(gpFit(sin(9 * places2[, 1]) ~ 1, coords = places2, cov = exponential, method = "vecchia",
                              m = 5)$loglik),
  withCluster = quote(withCluster(NULL, gpFit(sin(9 * places2[, 1]) ~ 1, coords = places2, cov = exponential, m = 5,
                                              fixed = TRUE, method = "vecchia")$loglik)),
  gpFit.family = quote(predict(gpFit(round(9 * abs(sin(9 * places2[, 1]))) ~ 1, coords = places2, cov = exponential,
                                     family = poisson(), m = 5), places2 + 0.01, se.fit = TRUE)),
  gpFit.neighbours = quote(predict(neighbours, places2 + 0.01, se.fit = TRUE)),
  gpFit.sequential = quote(simulate(neighbours, 2, seed = 1, newdata = places2[seq_len(n(20, 2500)), ] + 0.01)[]),
  gpFit.simulate = quote(simulate(process, 2, seed = 1, newdata = places2[seq_len(n(20, 2500)), ] + 0.01)[]),
  gpFit.bands = quote(simulate(process, 2, seed = 1, newdata = grid, nlines = n(20, 500))[]),
  simulate = quote(simulate(exponential, 2, seed = 1, x = places2)[]),
  gpCV = quote(gpCV(process, folds = rep(1:3, length.out = nrow(places2)))$mean),
  gpCV.refit = quote(gpCV(gpFit(y ~ 1, data.frame(y = places2[1:30, 1]^2), places2[1:30, ], exponential), "block", 2,
                          refit = TRUE)$mean),
  gpMLOE = quote(gpMLOE(exponential, update(exponential, range = 0.3), places2, places(n(10, 2000)))$MLOE),
  varcomp = quote(varcomp(gpFit(places2[, 1] ~ places2[, 2], coords = places2, cov = exponential,
                                fixed = TRUE))$proportion),
  lineCovariance = quote(lineCovariance(user_model(), spread(0, 5, n(5, 500)), dim = 2)),
  spectralDensity = quote(spectralDensity(user_model(), spread(0.1, 5, n(5, 2000)), dim = 2)),
  rfGrid = quote(grid$dims),
  tbrf = quote(tbrf(cube, exponential, n(60, 5000))),
  tbrf.points = quote(tbrf(places(n(50, 1e5), 3), exponential, n(60, 5000))),
  tbrf.data = quote(tbrf(places(n(50, 1e5), 2), exponential, n(60, 1000), data = list(
    x = places(n(20, 2e4), 2), y = spread(-1, 1, n(20, 2e4)), error.variance = 0.1, m = 10))),
  tbrf.table = quote(tbrf(places(n(50, 1e5), 3), exponential, n(60, 2000), method = "table")),
  tbrf.data = quote(tbrf(grid, exponential, n(60, 500), data = list(x = places2, y = places2[, 1]))[]),
  tbrf.fft = quote(tbrf(rfGrid(c(0, 0), 1, n(c(11, 13), c(1021, 1021))), exponential, method = "fft")),
  tbrf.file = quote({
    unlink(field_file)
    tbrf(cube, exponential, n(60, 5000), file = field_file, fragment = n(3, 40))[]
  }),
  rfOpen = quote({
    unlink(field_file)
    tbrf(cube, exponential, n(60, 1000), nsim = 2, file = function(start, array) NULL, fragment = n(3, 40))
    tbrf(cube, exponential, 20, file = field_file)
    rfOpen(field_file)[2:3, , ]
  }),
  rfVector = quote(tbrf(cube, rfVector(covModel("matern", range = 0.3, smoothness = 2.5)), n(60, 3000))[]),
  rfGradient = quote(rfGradient(flow)[]),
  rfDivergence = quote(rfDivergence(flow)[]),
  rfCurl = quote(rfCurl(flow)[]),
  rfVariogram = quote(rfVariogram(field)$variogram),
  rfCovariance = quote(rfCovariance(field)$covariance),
  rfSpectrum = quote(rfSpectrum(field)$spectrum),
  tbrfError = quote(tbrfError(exponential, n(50, 2000), nfields = n(8, 512))),
  integrategpu = quote(integrategpu(function(x, a) exp(-a * x) * sin(a * x * 10), 0, 3,
                                    params = data.frame(a = spread(0.1, 50, n(50, 2e5))))$value),
  integrategpu.hard = quote(integrategpu(~ sin(1 / x), n(0.01, 1e-6), 1, subdivisions = 1e6L,
                                         stop.on.error = FALSE)$value),
  integrategpu.library = quote(integrategpu(function(x, a) dstable(x, a, 0), -5, 5,
                                            params = data.frame(a = spread(0.6, 1.9, n(5, 3000))))$value),
  integrategpu.published = quote(integrategpu(function(x, a) exp(-a * x), 0, 3, method = "caq",
                                              params = data.frame(a = spread(0.1, 50, n(50, 1e5))))$value),
  integrategpu.text = quote(integrategpu(function(x) {
    s <- 0
    for (i in seq_len(n(40, 9000))) s <- s + sin(i * x) / i
    s
  }, 0, 1)$value),
  dpoisgpu = quote(dpoisgpu(rep(0:40, length.out = n(500, 2e7)), 20.5)),
  ppoisgpu = quote(ppoisgpu(rep(0:80, length.out = n(500, 1e7)), spread(20, 60, n(500, 1e7)))),
  qpoisgpu = quote(qpoisgpu(spread(0.001, 0.999, n(500, 1e7)), spread(0, 1000, n(500, 1e7)))),
  rpoisgpu = quote(rpoisgpu(n(2000, 5e7), 37.2)),
  withPrecision = quote(withPrecision("single", qpoisgpu(spread(0.001, 0.999, n(500, 1e7)), 37))),
  clProfile = quote(attr(clProfile(dstable(spread(-5, 5, n(700, 3e6)), 1.37, spread(0, 0.5, n(700, 3e6)))),
                         "value"))
)

# Those that compute nothing for long: they choose and tell, or are there under another name.
without_work <- c("as.vgm", "clCacheClear", "clDevices", "clSitrep", "clWarm", "gpScores", "rfSummary",
                  "rfTransform", "useDevice", "withDevice")

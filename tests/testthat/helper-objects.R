# An object or two of each class that has methods, by its class, and what they are made of: `sample`, `data`, `places`
# and `points`. Also of bench/hostile-api.R.
one_of_each <- function() {
  set.seed(1)
  x <- rstable(60, 1.6, 0.3)
  data <- data.frame(y = rstable(60, 1.7, 0), u = rnorm(60), g = gl(3, 20))
  places <- data.frame(px = runif(30), py = runif(30), z = rnorm(30), count = rpois(30, 2))
  c(objects_of_fits(x, data), objects_of_space(places, cbind(runif(12), runif(12))),
    list(clSitrep = list(clSitrep()), sample = x, data = data, places = places))
}

objects_of_fits <- function(x, data) {
  fit <- stableFit(x)
  fits <- stableRoll(x, 30, 10, method = "mcculloch")
  reg <- stableReg(y ~ u, data)
  integrals <- integrategpu(~ exp(-x^2), -1, 1:3)
  volatile <- stableGarch(100 * diff(log(datasets::EuStockMarkets[1:300, 1:2])), innovations = "t")
  skewed <- stableGarch(volatile$SMI$x, asymmetry = TRUE)
  list(
    stableGarch = list(volatile$DAX, skewed), stableGarchs = list(volatile),
    summary.stableGarch = list(summary(skewed)), summary.stableGarchs = list(summary(volatile)),
    backtest = list(backtest(volatile$DAX, 50, 50, nsim = 20), backtest(volatile, 50, 50, nsim = 20)),
    stableFit = list(fit, stableFit(x, "mcculloch")), stableFits = list(fits, stableFit(cbind(a = x, b = -x))),
    stableReg = list(reg, stableReg(y ~ u + g, data, fixed = list(beta = 0))),
    mstableFit = list(mstableFit(cbind(a = x, b = rev(x) + x)), mstableFit(cbind(x, data$u), "diagonal")),
    summary.mstableFit = list(summary(mstableFit(cbind(a = x, b = rev(x) + x)))),
    mstableSpectral = list(mstableFit(cbind(a = x, b = rev(x) + x), spectral = 12)),
    profile.statclFit = list(profile(fit, 1, points = 3), profile(reg, 1, points = 3)),
    statclFit = list(reg), summary.statclFit = list(summary(reg)),
    stableFitsLogLik = list(logLik(fits)),
    stableDistribution = list(distribution(fit)), summary.stableFit = list(summary(fit)),
    summary.stableFits = list(summary(fits)),
    integrals = list(integrals, integrategpu(function(x, a) c(x, a * x), 0, 1, params = data.frame(a = 1:3))),
    summary.integrals = list(summary(integrals)))
}

objects_of_space <- function(places, points) {
  model <- covModel("exponential", range = 2)
  fit <- gpFit(z ~ px, places, ~ px + py, "exponential", fixed = list(range = 0.2))
  vecchia <- gpFit(z ~ 1, places, ~ px + py, model, fixed = TRUE, method = "vecchia", m = 5)
  grouped <- gpFit(count ~ px + (1 | g), transform(places, g = gl(5, 6)), cov = "none", family = poisson(),
                   fixed = list(variance.g = 0.2))
  cv <- gpCV(fit, k = 3)
  grid <- rfGrid(c(0, 0), 1, c(6, 5))
  field <- tbrf(grid, model, 20)
  two <- tbrf(points, model, 20, nsim = 2)
  box <- tbrf(grid, model, method = "fft", periodic = TRUE, variance = "spectrum")
  list(
    gpFit = list(fit, vecchia, grouped), ranef.gpFit = list(statcl:::ranef.gpFit(grouped)),
    VarCorr.gpFit = list(statcl:::VarCorr.gpFit(grouped)), summary.gpFit = list(summary(fit)), gpCV = list(cv),
    summary.gpCV = list(summary(cv)),
    censored = list(censored(1:3, c(1, NA, 5))),
    gpPosterior = list(posterior(fit, 20)), gpPrior = list(gpPrior(), gpPrior(sd = "flat")),
    gpMLOE = list(gpMLOE(model, covModel("exponential", range = 1), points, points + 0.01)),
    covModel = list(covModel("matern", range = 2, smoothness = 1.5), model, model + model),
    covFile = list(covariance(model, points, file = tempfile())), rfield = list(field, two, box),
    rfRecipe = list(attr(field, "recipe"), attr(two, "recipe")),
    rfGrid = list(grid, rfGrid(0, 1, c(3, 2), staggered = TRUE)),
    rfFile = list(tbrf(grid, model, 20, file = tempfile())),
    rfVector = list(rfVector(model), rfVector(model, helicity = 1)),
    rfFacies = list(rfFacies(model, c(clay = 0.4, sand = 0.6))),
    rfCovariance = list(rfCovariance(field, to = 3)), rfVariogram = list(rfVariogram(field, to = 3)),
    rfSpectrum = list(rfSpectrum(field), rfSpectrum(box)),
    rfValues = list(attr(rfSummary(two, probs = 0.5), "recipe")),
    summary.rfield = list(summary(field), summary(box)), points = points)
}

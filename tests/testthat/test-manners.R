# What functions of all families share: names of columns, methods of common generics, plots.
returns <- 100 * diff(log(datasets::EuStockMarkets))[1:600, ]
fit <- stableFit(returns[, "DAX"])
fits <- stableFit(returns)

test_that("standard errors of batches are those of its covariance, and the table is a plain data frame", {
  table <- as.data.frame(fits)
  expect_identical(table$std.error.alpha, unname(sqrt(vcov(fits)["alpha", "alpha", ])))
  expect_identical(class(table), "data.frame")
  expect_identical(as.data.frame(fits[["DAX"]])$std.error.beta, table$std.error.beta[1])
})

test_that("predictions of fields name an argument that they do not have", {
  set.seed(1)
  fields <- tbrf(rfGrid(0, 1, c(6, 5)), covModel("exponential", range = 2), 32, nsim = 3)
  x <- cbind(c(0.5, 1), 2)
  expect_error(predict(fields, newpoints = x), "newpoints: it is called newdata", class = "statcl_error_input")
  expect_error(predict(attr(fields, "recipe"), x, other = 1), "no argument other", class = "statcl_error_input")
  expect_error(predict(fields), "newdata is missing", class = "statcl_error_input")
  found <- rfCovariance(fields)
  expect_true(all(found$std.error[-1] > 0))
  expect_s3_class(found[found$distance > 0, ], "rfCovariance")
})

test_that("batches have tables for broom, with a row for each series and parameter", {
  skip_if_not_installed("generics")
  table <- generics::tidy(fits, conf.int = TRUE)
  expect_named(table, c("series", "term", "component", "estimate", "std.error", "conf.low", "conf.high"))
  one <- generics::tidy(fits[["SMI"]], conf.int = TRUE, conf.method = "transformed")
  expect_equal(table[table$series == "SMI", -1], one, ignore_attr = "row.names")
  expect_equal(generics::glance(fits)[2, -1], generics::glance(fits[["SMI"]]), ignore_attr = "row.names")
  rolled <- stableRoll(returns[, 1:2], 200, 200)
  expect_identical(unique(generics::tidy(rolled)$to), c(200, 400, 600))
  expect_identical(nrow(generics::glance(rolled)), 6L)
})

test_that("the expected shortfall of a fit has limits by the delta method", {
  p <- c(0.01, 0.05)
  for (pm in 0:2) for (lower in c(TRUE, FALSE)) {
    f <- stableFit(returns[, "DAX"], pm = pm)
    table <- esstable(f, p, interval = TRUE, level = 0.9, lower.tail = lower)
    value <- function(par) esstable(p, par[1], par[2], par[3], par[4], pm, lower.tail = lower)
    expect_identical(unname(table[, "estimate"]), value(unname(coef(f))))
    expect_identical(esstable(f, p, lower.tail = lower), table[, "estimate"])
    slope <- vapply(1:4, function(k) {
      step <- replace(numeric(4), k, 1e-4)
      (value(coef(f) + step) - value(coef(f) - step)) / 2e-4
    }, p)
    expect_equal(unname(table[, "std.error"]), sqrt(rowSums((slope %*% vcov(f)) * slope)), tolerance = 1e-4)
    expect_true(all(table[, "lower"] < table[, "estimate"] & table[, "estimate"] < table[, "upper"]))
  }
  # of the normal distribution: mean - sd dnorm(qnorm(p))/p
  normal <- stableFit(returns[, "DAX"], fixed = list(alpha = 2))
  n <- nrow(returns)
  sd <- sqrt(2) * coef(normal)[["gamma"]]
  expect_equal(unname(esstable(normal, p, interval = TRUE)[, "std.error"]),
               sd / sqrt(n) * sqrt(1 + (dnorm(qnorm(p)) / p)^2 / 2), tolerance = 1e-3)
  heavy <- stableFit(c(-1, 1) * exp(seq(-6, 6, length.out = 200)), fixed = list(alpha = 0.8))
  expect_identical(unname(esstable(heavy, 0.1, interval = TRUE)[1, ]), c(-Inf, NA, NA, NA))
  expect_identical(dim(esstable(fits, p, interval = TRUE)), c(4L, 2L, 4L))
  expect_identical(esstable(fits, p)["DAX", ], esstable(fits[["DAX"]], p))
  expect_error(esstable(fit, 1.5), "probs\\[1\\] = 1.5", class = "statcl_error_input")
  expect_error(esstable(0.1, 1.5, 0, colour = 2), "has no argument colour", class = "statcl_error_input")
  expect_identical(esstable(alpha = 1.5, beta = 0, p = 0.1), esstable(0.1, 1.5, 0))
})

test_that("profiles of linear models fall to the limits, and fits that are no maxima have none", {
  d <- as.data.frame(returns)
  model <- stableReg(CAC ~ DAX, d)
  curves <- profile(model, "DAX", level = 0.95, points = 3)
  expect_s3_class(curves, c("profile.statclFit", "profile"), exact = TRUE)
  ends <- range(curves$DAX$par.vals[, "DAX"])
  expect_equal(ends, unname(confint(model, "DAX", method = "profile")[1, ]), tolerance = 1e-6)
  z <- sqrt(statcl:::profile_depth(600, 5, 0.95))
  expect_equal(range(curves$DAX$tau), c(-z, z), tolerance = 1e-4)
  held <- curves$DAX$par.vals[1, ]
  fixed <- stableReg(CAC ~ offset(held[["DAX"]] * DAX), d)
  expect_equal(2 * (logLik(model) - logLik(fixed))[1], z^2, tolerance = 1e-4)
  expect_equal(coef(fixed, "all"), held[names(held) != "DAX"], tolerance = 1e-3)
  table <- as.data.frame(curves)
  expect_named(table, c("parameter", "value", "tau", "(Intercept)", "DAX", "alpha", "beta", "gamma"))
  expect_identical(table$tau, curves$DAX$tau)
  short <- suppressWarnings(stableReg(CAC ~ DAX, d, maxit = 1))
  skip_if(short$converged)
  expect_error(confint(short, method = "profile"), "was not maximised", class = "statcl_error_input")
  expect_error(profile(short), "was not maximised", class = "statcl_error_input")
})

test_that("limits of alpha next to 2 are those of the profile in batches, too", {
  set.seed(5)
  series <- matrix(rstable(200 * 20, 1.85, 0), 200)
  batch <- stableFit(series)
  wald <- confint(batch, "alpha", method = "wald")[, 2, "alpha"]
  inside <- colSums(matrix(nzchar(batch$parameters$boundary), 4)) == 0
  near <- which(wald > 2 & inside)
  far <- which(wald <= 2 & inside)
  expect_gt(min(length(near), length(far)), 1)
  for (i in near)
    expect_equal(confint(batch)[i, , "alpha"], confint(batch[[i]], "alpha", method = "profile")[1, ],
                 tolerance = 1e-5)
  expect_identical(confint(batch)[far, , ], confint(batch, method = "transformed")[far, , ])
  expect_identical(confint(batch)[near, , "gamma"], confint(batch, method = "transformed")[near, , "gamma"])
})

test_that("rstandard() and rstudent() give residuals of unit variance", {
  expect_identical(rstandard(fit), residuals(fit, "quantile"))
  model <- stableReg(CAC ~ DAX, as.data.frame(returns))
  expect_identical(rstandard(model), residuals(model, "quantile"))
  process <- gpFit(log(stations) ~ mag, datasets::quakes[1:60, ], ~ long + lat, "exponential")
  expect_identical(rstandard(process), residuals(process, "standardized"))
  expect_identical(rstudent(process), residuals(process, "loo.standardized"))
})

test_that("plots of batches are in one grid, which is put back, with the legend above", {
  path <- tempfile(fileext = ".pdf")
  grDevices::pdf(path, 7, 7)
  on.exit(grDevices::dev.off())
  before <- par(c("mfrow", "mar", "oma"))
  rolled <- stableRoll(returns[, 1:2], 200, 100)
  plot(rolled)
  expect_identical(par(c("mfrow", "mar", "oma")), before)
  # a grid of the user's is used as it is
  par(mfrow = c(1, 3))
  plot(rolled, c("alpha", "gamma"))
  expect_identical(par("mfg")[1:2], c(1L, 2L))
  par(mfrow = c(1, 1))
  # the legend is above the box of the plot
  key <- Filter(function(call) "DAX" %in% unlist(call[-1L]), drawn("C_text", plot(rolled, "alpha", ylim = c(1, 2))))
  expect_length(key, 1)
  expect_gt(min(key[[1]][[2]]$y), 2.04)
  # names that would collide are drawn upright
  expect_false(statcl:::fits_labels_collide(c("DAX", "SMI")))
  expect_true(statcl:::fits_labels_collide(paste("a long name", letters)))
})

test_that("ggplot2 draws the main plots", {
  skip_if_not_installed("ggplot2")
  built <- function(plot) {
    expect_s3_class(plot, "ggplot")
    ggplot2::ggplot_build(plot)$data
  }
  for (view in c("density", "qq", "pp", "tail")) built(ggplot2::autoplot(fit, view))
  table <- built(ggplot2::autoplot(fits))[[1]]
  expect_equal(table$y[table$PANEL == 1], unname(coef(fits)[, "alpha"]))
  expect_equal(table$ymax[table$PANEL == 1], unname(confint(fits, "alpha")[, 2, 1]))
  rolled <- stableRoll(returns[, 1:2], 200, 200)
  expect_length(unique(built(ggplot2::autoplot(rolled, "alpha"))[[1]]$colour), 2)
  rolled$parameters$estimate[c(5:8, 13:16)] <- NA # no line reaches the windows 1 and 3
  expect_equal(built(ggplot2::autoplot(rolled, "alpha"))[[2]]$x, rolled$window$to[c(1, 3)])
  curve <- profile(fit, "beta", points = 2)
  shown <- built(ggplot2::autoplot(curve))
  expect_equal(shown[[2]]$yintercept, c(-1, 1) * attr(curve, "root"))
  expect_equal(shown[[3]]$y, curve$beta$tau)
  line <- stableReg(CAC ~ DAX, as.data.frame(returns), weights = rep(0:2, length.out = nrow(returns)))
  used <- line$weights > 0
  for (view in c("qq", "pp", "tail")) built(ggplot2::autoplot(line, view))
  shown <- built(ggplot2::autoplot(line, level = 0.5))
  expect_equal(shown[[2]]$y, unname(residuals(line)[used]))
  expect_equal(shown[[3]]$yintercept, quantile(residuals(line)[used], c(0.25, 0.75), names = FALSE), tolerance = 0.1)
  process <- gpFit(log(stations) ~ mag, datasets::quakes[1:60, ], ~ long + lat, "exponential")
  for (view in c("variogram", "residuals", "qq")) built(ggplot2::autoplot(process, view))
  expect_equal(built(ggplot2::autoplot(gpCV(process, "loo")))[[3]]$y, unname(as.vector(process$y)))
  model <- covModel("matern", range = 2, smoothness = 1.5, nugget = 0.2)
  curve <- built(ggplot2::autoplot(model, to = 5))
  expect_equal(curve[[1]]$y, covariance(model, curve[[1]]$x))
  expect_identical(curve[[2]]$y, 1.2)
  set.seed(1)
  field <- tbrf(rfGrid(0, 0.1, c(4, 3)), covModel("exponential", range = 1), nsim = 2)
  expect_identical(nrow(built(ggplot2::autoplot(field, 2))[[1]]), 12L)
  expect_error(ggplot2::autoplot(field, 3), "must be the number of a field", class = "statcl_error_input")
  expect_error(ggplot2::autoplot(field, time = 3), "time = 3", class = "statcl_error_input")

  flow <- tbrf(rfGrid(0, 0.1, c(4, 3)), rfVector(model), 9, nsim = 2, time = 1:2, correlation.time = 1)
  panels <- built(ggplot2::autoplot(flow, 2, time = 2))[[1]]
  expect_identical(nrow(panels), 24L)
  colours <- grDevices::col2rgb(panels$fill) # viridis: the largest value is the one with the most yellow
  expect_equal(which.max(colours["red", ] + colours["green", ] - colours["blue", ]), which.max(flow[, , , 2, 2]))
  plot <- ggplot2::autoplot(flow, 2, time = 2)
  expect_equal(plot$data$value, as.vector(flow[, , , 2, 2]))
  expect_equal(as.character(plot$data$component), rep(c("vx", "vy"), each = 12))
  expect_equal(ggplot2::autoplot(flow, component = "vy")$data$value, as.vector(flow[, , 2, 1, 1]))
  expect_error(ggplot2::autoplot(flow, component = "vz"), "must be one of vx, vy", class = "statcl_error_input")
  built(ggplot2::autoplot(tbrf(cbind(1:5, 2:6), rfVector(model), 9)))
  line <- tbrf(rfGrid(0, 0.1, 5), model, 9, time = 1:3, correlation.time = 1)
  lines <- built(ggplot2::autoplot(line))[[1]]
  expect_equal(lines$y[lines$group == 2], line[, 2])
  expect_length(unique(lines$colour), 3)
  box <- tbrf(rfGrid(0, 1, c(2, 2, 2)), rfVector(model), 9)
  expect_error(ggplot2::autoplot(box), "fields in space", class = "statcl_error_input")
})

test_that("ggplot2 draws estimates of fields, and many integrals", {
  skip_if_not_installed("ggplot2")
  built <- function(object, ...) ggplot2::ggplot_build(ggplot2::autoplot(object, ...))$data
  model <- covModel("exponential", range = 2, angle = 30, ratio = 0.5, nugget = 0.1)
  field <- tbrf(rfGrid(0, 0.5, c(20, 15)), model, 9, nsim = 3)
  two <- rfVariogram(field, direction = c(30, 120))
  shown <- built(two) # the models, bars, estimates and the nugget
  expect_length(unique(shown[[1]]$colour), 2)
  expect_equal(shown[[2]]$ymax - shown[[2]]$ymin, 4 * two$std.error)
  expect_equal(shown[[3]]$y, two$variogram)
  expect_equal(shown[[5]]$y, 0.1)
  values <- rfCovariance(field)
  expect_equal(built(values)[[3]]$y, values$covariance)
  spectrum <- rfSpectrum(field)
  expect_equal(10^built(spectrum)[[2]]$y, spectrum$spectrum)
  alone <- rfVariogram(as.double(1:9), x = cbind(1:9, 0))
  expect_equal(built(alone)[[1]]$y, alone$variogram)
  powers <- suppressWarnings(integrategpu(function(x, a) x^-a, 0, 1, params = list(a = c(0.2, 0.5, 2))))
  points <- built(powers, against = c(0.2, 0.5, 2))[[2]]
  expect_equal(points$x, c(0.2, 0.5, 2))
  expect_equal(points$y, c(powers$value[1:2], Inf)) # the divergent one is at the frame
  expect_equal(points$shape, c(16, 16, 4))
  expect_error(ggplot2::autoplot(powers, against = 1:2), "against has 2 numbers for 3 integrals")
})

test_that("everything prints where a comma marks decimals", {
  objects <- one_of_each()
  table <- getNamespaceInfo("statcl", "S3methods")
  old <- options(OutDec = ",", warn = 2)
  on.exit(options(old))
  for (i in which(table[, 1] %in% c("print", "summary", "format"))) {
    expect_true(table[i, 2] %in% names(objects), info = table[i, 3])
    for (object in objects[[table[i, 2]]])
      expect_error(utils::capture.output(print(match.fun(table[i, 1])(object))), NA, info = table[i, 3])
  }
  expect_identical(statcl:::big_count(1234567), "1.234.567")
  expect_message(statcl:::tell_costly(12345), "12.345 observations")
  expect_message(statcl:::simulation_method("auto", 3001, "newdata"), "more than 3.000 locations")
  expect_match(statcl:::spike_text(40, 100, NULL), "fix alpha above 0,667")
  set.seed(3)
  expect_error(stableReg(rep(0:1, c(40, 60)) * rnorm(100) ~ gl(2, 50)), "cases lie on one plane.*fix alpha above 0,")
  options(OutDec = ".")
  expect_identical(statcl:::big_count(1234567), "1,234,567")
})

# Calls, and what their errors say; all have the class of errors of arguments, and name a function of the user's.
refused <- function(...) {
  calls <- as.list(substitute(list(...)))[-1]
  env <- parent.frame()
  for (i in seq_along(calls)) {
    shown <- paste(deparse(calls[[i]]), collapse = " ")
    e <- tryCatch(eval(calls[[i]], env), error = identity)
    expect_s3_class(e, "statcl_error_input")
    said <- if (inherits(e, "condition")) conditionMessage(e) else "no error"
    expect_true(grepl(names(calls)[i], said, fixed = TRUE), info = paste0(shown, ": ", said))
    f <- if (inherits(e, "condition")) conditionCall(e)[[1]]
    if (is.call(f)) f <- f[[3]]
    expect_true(as.character(f) %in% c(getNamespaceExports("statcl"), getNamespaceInfo("statcl", "S3methods")[, 3]),
                info = shown)
  }
}

test_that("choices and flags are judged in one way, by argument and value", {
  model <- stableReg(CAC ~ DAX, as.data.frame(returns))
  cov <- covModel("exponential", range = 2)
  grid <- rfGrid(0, 1, c(4, 4))
  refused(
    "interval = confidence: interval must be TRUE or FALSE" = quantile(fit, 0.95, interval = "confidence"),
    "lower.tail = NA: lower.tail must be TRUE or FALSE" = quantile(fit, 0.95, lower.tail = NA),
    "names = a: names must be TRUE or FALSE" = esstable(fit, names = "a"),
    "complete = NA: complete must be TRUE or FALSE" = vcov(model, complete = NA),
    "complete = NULL: complete must be TRUE or FALSE" = coef(model, complete = NULL),
    "se.fit = NULL: se.fit must be TRUE or FALSE" = predict(model, se.fit = NULL),
    "interval = 0.95: interval must be TRUE or FALSE" = quantile(fit, 0.95, 0.95),
    "gradient = 2, 3: gradient must be TRUE or FALSE" = gpLoglik(cov, 1:3, 1:3, gradient = 2:3),
    "transect = list: transect must be TRUE or FALSE" = rfSpectrum(tbrf(grid, cov, 8), transect = list()),
    "log = formula: log must be TRUE or FALSE" = integrategpu(exp, 0, 1, log = ~ 1),
    "ask = a: ask must be TRUE or FALSE" = plot(fit, ask = "a"),
    "type = z: type must be one of \"pit\", \"quantile\"" = residuals(fits, "z"),
    "type = character(0): type must be one of" = residuals(fit, character()),
    "method = function: method must be one of" = confint(fit, method = sum),
    "statistic = 1: statistic must be one of" = stableTest(fit, statistic = 1),
    "interval = NULL: interval must be one of" = predict(model, interval = NULL),
    "estimator = NA: estimator must be one of" = gpLoglik(cov, 1:3, 1:3, estimator = NA),
    "which = function: which must be among \"density\"" = plot(fit, which = sum),
    "which = density, z: which must be among" = plot(fit, which = c("density", "z")),
    "part = function: part must be numeric" = rfOpen(tempfile(), part = sum),
    "nlines = formula: nlines must be numeric" = tbrf(grid, cov, nlines = ~ x),
    "deriv = -1: deriv must be one of \"none\"" = besselKgpu(1, 1, deriv = -1),
    "deriv = -1: deriv must be \"none\" or the name" = covariance(cov, 1:3, deriv = -1),
    "devices = 1: devices must be names of devices" = useDevice(1),
    "level = NA: level must be a number" = confint(fit, level = NA),
    "digits = 0: digits must be" = print(fit, digits = 0),
    "n = \"a\": n must be numeric" = print(fits, n = "a"),
    "seed = \"a\": seed must be numeric" = simulate(fit, seed = "a"),
    "row.names = x: row.names must be" = as.data.frame(fits, row.names = "x"),
    "expr is missing" = withDevice("cpu"),
    "f cannot be evaluated at x = 0.382: non-numeric argument" = integrategpu(~ log("a"), 0, 1),
    "f is missing" = integrategpu(lower = 0, upper = 1))
  e <- tryCatch(useDevice("\xff"), error = identity)
  expect_s3_class(e, "statcl_error_device")
  expect_match(conditionMessage(e), "no device \"<ff>\"", fixed = TRUE)
})

test_that("what was meant is said where another argument takes a value", {
  cov <- covModel("exponential", range = 2)
  grid <- rfGrid(0, 1, c(4, 4))
  refused(
    "y = 1: y must have locations: parameters go by name" = matern(1:3, 1, 0.5),
    "nlines is the number of lines, nsim that of fields" = tbrf(grid, cov, n = 10),
    "nlines is the number of lines, nfields that of fields" = tbrfError(cov, n = 10),
    "f has y without a value" = integrategpu(function(x, y) x * y, 0, 1),
    "f has y without a value" = integrategpu(function(x, y) if (y > 0) x, 0, 1))
  expect_equal(integrategpu(function(x, y) x, 0, 1)$value, 0.5)
  set.seed(1)
  d <- data.frame(x = runif(20), y = runif(20), z = rnorm(20))
  fit <- gpFit(z ~ 1, d, ~ x + y, "exponential", fixed = list(range = 0.2))
  expect_identical(simulate(fit, n = 3, seed = 1), simulate(fit, 3, seed = 1))
  refused("n and nsim are the same" = simulate(fit, 2, n = 3))
})

test_that("gpFit() judges formula, data, coordinates, offset and variances", {
  set.seed(1)
  d <- data.frame(x = runif(20), y = runif(20), z = rnorm(20))
  two <- cbind(d$x, d$y)
  cov <- "exponential"
  q <- NULL
  refused(
    "formula must be a formula, as y ~ x" = gpFit(d$z, d, ~ x + y),
    "formula = list: formula must be a formula" = gpFit(list(), d, ~ x + y),
    "data = matrix: data must be a data frame" = gpFit(z ~ 1, as.matrix(d), ~ x + y),
    "data = numeric: data must be a data frame" = gpFit(z ~ 1, 3, ~ x + y),
    "data = Date: data must be a data frame" = gpFit(z ~ 1, Sys.Date(), ~ x + y),
    "data = function: data must be a data frame" = gpFit(z ~ 1, sum, ~ x + y),
    "coords = function: coords must have coordinates" = gpFit(z ~ 1, d, sum),
    "coords = q: coords must be names" = gpFit(z ~ 1, d, "q"),
    "there is no q, data has the columns x, y, z" = gpFit(q ~ 1, d, ~ x + y),
    "there is no rt, data has the columns" = gpFit(z ~ rt, d, ~ x + y),
    "non-numeric argument to mathematical function" = gpFit(z ~ log("a"), d, ~ x + y),
    "offset = 2 columns: offset must be a numeric vector" = gpFit(z ~ 1, d, ~ x + y, cov, offset = two),
    "offset = 2 columns: offset must be a numeric vector" = gpFit(z ~ offset(two), d, ~ x + y, cov),
    "variable lengths differ" = gpFit(z ~ 1, d, ~ x + y, cov, offset = 1:3),
    "invalid subscript type" = gpFit(z ~ 1, d, ~ x + y, cov, subset = sum),
    "error.variance = function: error.variance must be numeric" = gpFit(z ~ 1, d, ~ x + y, cov, error.variance = sum),
    "contrasts = 3: contrasts must be a list" = gpFit(z ~ 1, d, ~ x + y, cov, contrasts = 3),
    "start = standardGeneric: start must be a named list" =
      gpFit(z ~ 1, d, ~ x + y, cov, start = methods::getGeneric("show")),
    "fixed = function: fixed must be a named list" = gpFit(z ~ 1, d, ~ x + y, cov, fixed = exp),
    "family must be a family" = gpFit(z ~ 1, d, ~ x + y, cov, family = sum))
  expect_identical(esstable(0.1, 1.5, 0, lower.tail = globalenv()), esstable(0.1, 1.5, 0))
  one <- gpFit(z ~ 1, d, ~ x + y, cov, fixed = list(range = 0.2))
  expect_identical(coef(gpFit("z ~ 1", as.list(d), ~ x + y, cov, fixed = list(range = 0.2))), coef(one))
  expect_identical(coef(gpFit(d$z ~ 1, NULL, d[1:2], cov, fixed = list(range = 0.2))), coef(one))
  refused(
    "data = function: data must be a data frame" = statcl:::augment.gpFit(one, sum),
    "newdata = formula: newdata must be a data frame" = statcl:::augment.gpFit(one, newdata = ~ x),
    "newdata = function: newdata must be a data frame" = predict(one, sum),
    "fit = gpFit: fit must be a fit by gpFit()" = gpCV(structure(list(), class = "gpFit")),
    "p = stableFit: p must be a fit by stableFit()" = esstable(structure(list(a = 1), class = "stableFit")),
    "x = stableFits: x must be a fit by stableFit()" = quantile(structure(list(a = 1), class = "stableFits")))
  moved <- gpFit(z ~ offset(x), d, ~ x + y, cov, offset = y, fixed = list(range = 0.2))
  expect_identical(moved$offset, d$x + d$y)
})

test_that("titles of plots may be calls, as in graphics of R", {
  model <- stableReg(CAC ~ DAX, as.data.frame(returns))
  path <- tempfile(fileext = ".pdf")
  grDevices::pdf(path)
  on.exit(grDevices::dev.off())
  set.seed(1)
  field <- tbrf(rfGrid(c(0, 0), 1, c(6, 5)), covModel("exponential", range = 2), 8)
  title <- quote(no.such.name[0])
  for (which in c("density", "qq", "pp", "tail")) expect_error(plot(fit, which, main = title), NA)
  for (which in c("residuals", "qq", "pp", "tail")) expect_error(plot(model, which, main = title), NA)
  for (x in list(fits, field, covModel("exponential", range = 2), rfCovariance(field, to = 3)))
    expect_error(plot(x, main = title), NA)
})

test_that("fields without values are printed, and not plotted", {
  set.seed(1)
  field <- tbrf(rfGrid(c(0, 0), 1, c(6, 5)), covModel("exponential", range = 2), 8)
  field <- field + NA
  expect_s3_class(field, "rfield")
  expect_output(expect_no_warning(print(field)), "Values from NA to NA")
  expect_output(expect_no_warning(print(summary(field))), "NA")
  refused("no value is finite: there is nothing to plot" = plot(field))
})

test_that("warnings have a class and name the function that was called", {
  told <- function(expr) tryCatch(expr, warning = identity)
  d <- as.data.frame(returns)
  d$twice <- 2 * d$DAX
  model <- stableReg(CAC ~ DAX + twice, d)
  for (w in list(told(predict(model, d[1:2, ])), told(vcov(fit, colour = 1)), told(gpScores(1:3, 1:2)),
                 told(matern(-1, range = 1, smoothness = 1)), told(stableFit(cbind(1:30, NA))))) {
    expect_s3_class(w, "statcl_warning")
    expect_true(as.character(conditionCall(w)[[1]]) %in%
                  c("predict.stableReg", "vcov.statclFit", "gpScores", "matern", "stableFit"))
  }
  expect_match(conditionMessage(told(vcov(fit, colour = 1))), "^extra argument .colour. will be disregarded$")
  # so have those with a class of their own
  zero <- told(integrategpu(function(x) 0 * (x > 2), 0, 1))
  expect_identical(class(zero)[1:2], c("statcl_warning_zero", "statcl_warning"))
})

test_that("colours that are none are told, with the argument and the value", {
  series <- stableFit(returns[1:200, 1:2])
  one <- stableFit(returns[1:200, 1])
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (bad in list("gpu:7", c("red", "gpu:7"), NA, -1, list("red"), character()))
    expect_error(plot(series, parm = "alpha", col = bad), "^col = .*must be colours", class = "statcl_error_input")
  expect_error(plot(series, parm = "alpha", col = factor("red")), "as.integer\\(col\\)", class = "statcl_error_input")
  expect_error(plot(one, which = "density", col = "gpu:7"), "col = gpu:7: col must be", class = "statcl_error_input")
  expect_error(plot(series, xlab = "\xe9"), "xlab = <e9>: xlab must be text", class = "statcl_error_input")
  expect_silent(plot(series, parm = "alpha", col = "#2166ac"))
  expect_silent(plot(series, parm = "alpha", col = 2))
  expect_silent(plot(one, which = "density", col = "red"))
})

test_that("methods of confint() name arguments that they do not have, and simulate() says what n is", {
  d <- as.data.frame(returns[1:100, ])
  fits <- list(stableFit(d$DAX), stableFit(d[1:2]), stableReg(CAC ~ DAX, d))
  for (fit in fits) {
    expect_error(confint(fit, type = "wald"), "has no argument type: it is called method",
                 class = "statcl_error_input")
    expect_error(confint(fit, conf.level = 0.9), "no argument conf.level: it is called level",
                 class = "statcl_error_input")
    expect_error(confint(fit, colour = 1), "has no argument colour", class = "statcl_error_input")
  }
  expect_error(simulate(fits[[1]], nsim = 3, n = 5), "no argument n: all nsim samples have the size of the data",
               class = "statcl_error_input")
})

# What users of other packages try first, and the messages that say what is done here instead.
session <- statcl:::session

# The messages on coordinates come once a session.
asked_again <- function(expr) {
  session$told <- character()
  expr
}
on_plane <- "statcl_message_plane"
degrees <- data.frame(lon = c(179, -179, 10), lat = c(0, 0, 20), v = c(1, 3, 2))

test_that("degrees that are taken for a plane are told, once a session", {
  model <- covModel("exponential", range = 10)
  xy <- degrees[1:2]
  asked_again(expect_message(covariance(model, xy), "lon and lat look like degrees", class = on_plane))
  expect_no_message(covariance(model, xy))
  asked_again(expect_message(covariance(model, xy), "distance = \"chordal\"", class = on_plane))
  asked_again(expect_message(tbrf(xy, model), class = on_plane))
  asked_again(expect_message(gpLoglik(model, xy, 1:3), class = on_plane))
  asked_again(expect_message(matern(as.matrix(xy), range = 1, smoothness = 1), class = on_plane))
  asked_again(expect_message(covariance(model, cbind(1, 2), xy), class = on_plane))
  asked_again(expect_message(covariance(model, xy, cbind(1, 2)), class = on_plane))
  quakes <- datasets::quakes[1:40, ]
  asked_again(expect_message(gpFit(mag ~ 1, quakes, ~ long + lat, update(model, nugget = 1), fixed = TRUE),
                             "long and lat", class = on_plane))
  asked_again(expect_message(gpFit(mag ~ 1, quakes, c("long", "lat"), update(model, nugget = 1), fixed = TRUE),
                             class = on_plane))
  turned <- data.frame(Latitude = c(1, 2), LONGITUDE = c(300, 4))
  asked_again(expect_message(covariance(model, turned), "longitude as the first coordinate", class = on_plane))
})

test_that("what is no longitude and latitude, or was said to be in a plane, is not asked about", {
  model <- covModel("exponential", range = 10)
  quiet <- function(x, m = model) asked_again(expect_no_message(covariance(m, x)))
  quiet(degrees[1:2], covModel("exponential", range = 10, distance = "euclidean"))
  quiet(degrees[1:2], covModel("exponential", range = 10, distance = "chordal"))
  quiet(unname(as.matrix(degrees[1:2])))
  quiet(data.frame(lon = c(181, -179), lat = 1)) # neither from -180 to 180 nor from 0 to 360
  quiet(data.frame(lon = c(1, 2), lat = c(91, 3)))
  quiet(data.frame(lon = 1:2, x = 3:4))
  quiet(data.frame(lon = 1:2, lat = 3:4, depth = 5:6))
  quiet(data.frame(lon = numeric(), lat = numeric()))
})

test_that("arguments of other packages are named with what they are called here", {
  quakes <- datasets::quakes[1:40, ]
  fit <- function(...) gpFit(mag ~ 1, quakes, cov = "exponential", ...)
  expect_input_error(fit(~ long + lat, nugget = 0), "gpFit() has no argument nugget: it is an argument of the model")
  expect_input_error(fit(~ long + lat, weights = stations), "error.variance")
  expect_input_error(fit(locations = ~ long + lat), "it is called coords here")
  x <- datasets::EuStockMarkets[1:60, 1]
  expect_input_error(stableFit(x, type = "q"), "it is called method here")
  expect_input_error(stableRoll(x, window = 20), "it is called width here")
  expect_input_error(stableFit(x ~ 1), "stableReg() takes formulas")
  expect_input_error(stableFit(abs(x), censored = x > 1700), "survival::Surv(time, status)")
  expect_input_error(matern(1, phi = 2, kappa = 1), "range (geoR) or variance (fields)")
  expect_input_error(covariance("exponential", 1), "covModel(\"exponential\", range = 1)")
  expect_input_error(covariance(1:3, covModel("exponential", range = 1)), "exchanged")
  expect_input_error(covariance(1, 2), "model must be a model by covModel()")
  expect_input_error(besselKgpu(2), "nu is missing")
  expect_input_error(stableConvert(1.5, 0.3, 1, 0, from = 1), "to is missing")
  expect_input_error(esstable(0.01), "alpha is missing")
  expect_input_error(esstable(0.01, 1.5), "beta is missing")
  expect_error(withPrecision("single", gpFit(mag ~ 1, quakes, ~ long + lat, "exponential")),
               "withPrecision(\"double\", ...)", fixed = TRUE, class = "statcl_error_device")
  late <- cbind(quakes, time = seq_len(40))
  expect_input_error(gpFit(mag ~ 1, late, ~ long + lat + time, covModel("exponential", range = NA,
                                                                        distance = "chordal")), "separable")
})

test_that("errors of the variables of a fit have the user's call, without the data", {
  d <- data.frame(x = runif(500), y = runif(500), z = rnorm(500))
  shown <- function(e) paste(deparse(conditionCall(e)), collapse = " ")
  e <- expect_error(gpFit(z ~ x, d, ~ x + y, "exponential", error.variance = d$x[1:10]),
                    "error.variance has length 10: there are 500 observations", class = "statcl_error_input")
  expect_lt(nchar(shown(e)), 200)
  e <- expect_error(gpFit(z ~ nowhere, d, ~ x + y, "exponential"), "nowhere")
  expect_match(shown(e), "^gpFit")
  expect_lt(nchar(shown(e)), 200)
})

test_that("arguments that would change the answer are errors, others are disregarded with a warning", {
  returns <- 100 * diff(log(datasets::EuStockMarkets[1:400, ]))
  fit <- stableFit(returns[, "DAX"])
  expect_input_error(quantile(fit, 0.01, conf.level = 0.9), "it is called level here")
  expect_input_error(stableTest(fit, B = 99), "it is called nsim here")
  expect_input_error(esstable(fit, 0.01, log.p = TRUE), "no argument log.p")
  expect_input_error(residuals(fit, lower.tail = FALSE), "those of the lower tail")
  expect_warning(quantile(fit, 0.01, colour = 2), "will be disregarded")
  for (f in list(coef, vcov)) {
    expect_input_error(f(fit, type = "all"), "it is called component here")
    expect_input_error(f(fit, which = "all"), "it is called component here")
  }
  expect_input_error(confint(fit, levl = 0.9), "confint() has no argument levl: is level meant?")
  law <- function(p, lower.tail) do.call(qstable, c(list(p), as.list(coef(fit)), lower.tail = lower.tail))
  expect_identical(unname(quantile(fit, c(0.01, 0.2), lower.tail = FALSE)), law(c(0.01, 0.2), FALSE))
  limits <- quantile(fit, 0.01, interval = TRUE, lower.tail = FALSE)
  expect_equal(limits, quantile(fit, 0.99, interval = TRUE), tolerance = 1e-10, ignore_attr = TRUE)
  fits <- stableFit(returns)
  expect_equal(quantile(fits, 0.01, lower.tail = FALSE), quantile(fits, 0.99), tolerance = 1e-10, ignore_attr = TRUE)
  expect_equal(quantile(fits, 0.01, interval = TRUE, lower.tail = FALSE), quantile(fits, 0.99, interval = TRUE),
               tolerance = 1e-10, ignore_attr = TRUE)
})

test_that("a fit of a batch is there by $ and its name", {
  fits <- stableFit(100 * diff(log(datasets::EuStockMarkets[1:400, ])))
  expect_identical(fits$DAX, fits[["DAX"]])
  expect_identical(rownames(coef(fits)), names(fits))
  expect_null(fits$nothing)
  expect_identical(utils:::.DollarNames(fits, "^D"), "DAX")
  expect_input_error(esstable(0.01, fits), "a fit comes first")
})

test_that("words for devices are taken in upper case", {
  old <- useDevice()
  on.exit(useDevice(old))
  useDevice("CPU")
  expect_identical(useDevice(), "cpu")
  none <- !any(clDevices()$type == "gpu")
  if (none) expect_error(useDevice("GPU"), "there is no GPU", class = "statcl_error_device")
  option <- options(statcl.device = "AUTO")
  on.exit(options(option), add = TRUE)
  expect_null(statcl:::device_option())
})

test_that("integrands of several variables with limits in vectors are told of lists", {
  f <- function(x, y) exp(-x^2 - y^2)
  expect_input_error(integrategpu(f, c(0, 0), c(1, 1)), "lower = list(0, 0)")
  expect_input_error(integrategpu(function(x, y, z) x * y * z, rep(0, 3), rep(1, 3)), "y, z of f")
  expect_input_error(integrategpu(f, 0, 1, params = data.frame(Y = 1:3)), "params has a column Y, but f has x, y")
  expect_equal(integrategpu(f, c(0, 0), c(1, 1), y = 0)$value, rep(integrate(f, 0, 1, y = 0)$value, 2),
               tolerance = 1e-9)
})

test_that("no marks of markdown are left in help pages", {
  for (page in tools::Rd_db("statcl")) {
    text <- page[!vapply(page, attr, "", "Rd_tag") %in% c("\\alias", "\\examples", "\\usage")]
    expect_false(any(grepl("`", unlist(text), fixed = TRUE)), label = paste("a backtick in", attr(page, "Rdfile")))
  }
})

test_that("the words of users find help pages", {
  skip_on_cran()
  found <- function(word) {
    hits <- utils::help.search(word, package = "statcl", agrep = FALSE, fields = "concept")$matches
    unique(hits$Topic)
  }
  wanted <- c(kriging = "gpFit", kriging = "predict.gpFit", variogram = "as.vgm", variogram = "gpFit",
              "value at risk" = "quantile.stableFit", "expected shortfall" = "esstable",
              "random field" = "simulate.covModel", quadrature = "integrategpu")
  for (k in seq_along(wanted))
    expect_true(wanted[k] %in% found(names(wanted)[k]), label = paste(wanted[k], "is found"))
})

# Whole numbers as package bit64 keeps them: 64 bits, in doubles.
as_integer64 <- function(x) {
  bytes <- vapply(x, function(v) {
    if (is.na(v)) return(as.raw(c(0, 0, 0, 0, 0, 0, 0, 128)))
    rest <- if (v < 0) -v - 1 else v # two's complement
    digits <- rest %/% 256^(0:7) %% 256
    as.raw(if (v < 0) 255 - digits else digits)
  }, raw(8))
  structure(readBin(as.vector(bytes), "double", length(x), endian = "little"), class = "integer64")
}

test_that("integer64 is read as numbers", {
  whole <- c(1, -2, NA, 3, 2^40, -2^53)
  wide <- as_integer64(whole)
  same <- function(f) expect_identical(f(wide), f(whole))
  some <- function(x, i) structure(unclass(x)[i], class = oldClass(x)) # R's own drops the class
  same(function(x) dstable(x, 1.5, 0.5))
  same(function(x) pstable(x, 1.5, 0.5, log.p = TRUE))
  same(function(x) dstable(0, 1.5, 0.5, 1, x))
  same(function(x) dpoisgpu(3, some(x, c(1, 4))))
  same(function(x) besselKgpu(some(x, c(1, 4)), 1))
  same(function(x) besselKgpu(0.5, some(x, c(1, 4))))
  same(function(x) stableConvert(1.5, 0.5, 1, x, 0, 1))
  same(function(x) esstable(0.1, 1.5, 0.5, 1, some(x, 1:2)))
  same(function(x) with_seed(1, rstable(5, 1.5, 0, 1, some(x, 1:2))))
  model <- covModel("matern", range = 2, smoothness = 1.5)
  same(function(x) matern(some(x, c(1, 4)), range = 2, smoothness = 1.5))
  same(function(x) lineCovariance(model, some(x, c(1, 4))))
  same(function(x) spectralDensity(model, some(x, c(1, 4))))
  x <- c(1, 5, -3, 2, 8, 0, 40, -7, 3, 4, 6, 9)
  expect_identical(coef(stableFit(as_integer64(x))), coef(stableFit(x)))
  expect_identical(coef(stableFit(x, weights = as_integer64(rep(2, 12)))), coef(stableFit(x, weights = rep(2, 12))))
  expect_identical(coef(stableFit(x - 1, censored = as_integer64(x))), coef(stableFit(x - 1, censored = x)))
  expect_identical(coef(stableFit(list(as_integer64(x), x))), coef(stableFit(list(x, x))))
  expect_identical(coef(stableRoll(as_integer64(x), 8, 4)), coef(stableRoll(x, 8, 4)))
  set.seed(1)
  plain <- wider <- data.frame(x = sample(50, 30), y = sample(50, 30), k = sample(9, 30, TRUE), z = sample(99, 30))
  for (name in names(plain)) wider[[name]] <- as_integer64(plain[[name]])
  fit <- function(d) gpFit(z ~ k, d, ~ x + y, covModel("exponential", range = 5, nugget = 1), fixed = TRUE)
  expect_equal(coef(fit(wider)), coef(fit(plain)))
  expect_equal(predict(fit(plain), wider)$fit, predict(fit(plain), plain)$fit)
  expect_equal(covariance(model, wider[1:2]), covariance(model, plain[1:2]))
  expect_input_error(matern(1, range = as_integer64(2), smoothness = 1), "use as.numeric(range), with package bit64")
})

test_that("parameterisations and columns that are none are named", {
  expect_input_error(stableConvert(1.5, 0.3, 1, 0, from = "S0", to = 1), "from = S0: from must be 0, 1 or 2")
  expect_input_error(stableConvert(1.5, 0.3, 1, 0, 0, 3), "to = 3: to must be 0, 1 or 2")
  expect_input_error(stableConvert(1.5, 0.3, 1, 0, c(0, 1.5), 1), "from[2] = 1.5: from must be 0, 1 or 2")
  expect_identical(stableConvert(1.5, 0.3, 1, 0, NA, 1)$delta, NA_real_)
  set.seed(2)
  series <- data.frame(a = rnorm(30), when = as.character(1:30), b = rnorm(30))
  expect_input_error(stableFit(series), "must be numeric in column \"when\"")
  series$when <- as.Date("2024-01-01") + 1:30
  expect_input_error(stableFit(series), "must be numeric in column \"when\": x[-2L] is without")
  expect_input_error(stableFit(matrix(letters[1:20], 10)), "x = character: x must be numeric")
  series$when <- NA
  expect_warning(fits <- stableFit(series), "1 of 3 series")
  expect_identical(unname(fits$converged), c(TRUE, FALSE, TRUE))
})

test_that("arguments that no one means are named", {
  model <- covModel("exponential", range = 0.3)
  expect_input_error(tbrfError(model, nlines = 20, nfields = 4, dim = 2, distance = 1e308), "distance is so long")
  metres <- structure(3, units = "m", class = "units")
  expect_input_error(lineCovariance(model, 0:1, dim = metres), "dim must be one of")
  expect_input_error(tbrfError(model, dim = 4), "dim = 4: dim must be one of 1, 2, 3")
  expect_input_error(stableRoll(pairlist(1, a = 2), width = 30), "must not exceed the 1 observations")
  expect_input_error(stableConvert(1.5, 0.2, from = 0, to = list(0:1, 2)), "to = list: to must be 0, 1 or 2")
  batch <- stableFit(cbind(a = rivers, b = -rivers), "mcculloch")
  for (col in list(as.raw(0:2), 2^53, NA, TRUE, "gpu:7"))
    expect_input_error(plot(batch, col = col), "must be colours")
  twice <- drawn("C_axis", plot(batch, parm = matrix(c("b", "a", "b", "b"), 2)))
  expect_identical(twice, drawn("C_axis", plot(batch, parm = c("beta", "alpha"))))
  expect_input_error(stableFit(rivers, starts = metres), "starts must be without units")
  expect_input_error(plot(model, to = 5e-324), "to is too small")
  expect_input_error(plot(batch, col = metres), "col must be without units")
  expect_input_error(stableReg(dist ~ speed, cars, maxit = metres), "maxit must be without units")
  expect_input_error(tbrf(cbind(0, 1:3), model, 16, method = "table", rate = NULL), "rate")
  expect_input_error(tbrf(cbind(0, 1:3), model, 16, method = "table", max.table = NULL), "max.table")
  expect_input_error(tbrf(cbind(0, 1:3), model, 16, method = "table", extent = 1:3), "2 rows")
  expect_input_error(tbrfError(model, nlines = metres), "nlines must be without units")
  expect_input_error(tbrf(cbind(0, 1:3), model, metres, time = 0:1, correlation.time = 1), "nlines must be without")
  expect_input_error(rfSummary(structure(1:4, class = "rfield")), "must be a field by tbrf()")
  value <- tbrf(rfGrid(0, 1, c(5, 4)), model, 16)
  expect_input_error(value[21] <- 1, "i = 21: i must be at most 20")
  expect_input_error(value == list(a = 1, b = "q"), "e2 = list: e2 must be numbers or a field")
  expect_input_error(list(1) + value, "e1 = list: e1 must be numbers or a field")
  value[] <- 1
  value[[2]] <- 3
  value[1, 2] <- 4
  expect_identical(as.vector(value), replace(rep(1, 20), c(2, 6), c(3, 4)))
  expect_input_error(gpMLOE(model, model, matrix(0, 0, 2), matrix(0.5, 2, 2)), "x must have locations")
  expect_identical(tbrfError(model, 20, as.hexmode(3)), tbrfError(model, 20, 3))
  expect_input_error(as.data.frame(batch, row.names = diag(2)), "2 different names")
  empty <- structure(list(), class = "covModel")
  expect_input_error(covModel("separable", space = empty, time = model), "name = NULL")
  expect_input_error(update(empty, range = 2), "name = NULL")
  expect_input_error(tbrfError(empty, 8), "name = NULL")
  expect_input_error(covModel("sum", parts = list(empty, model)), "name = NULL")
  field <- tbrf(rfGrid(0, 1, c(5, 4)), model, 16)
  expect_input_error(rfVariogram(field, direction = metres), "direction must be without units")
  for (limits in list(list(as.POSIXlt("2020-01-01"), 1), list(0, as.POSIXlt("2020-01-01"))))
    expect_input_error(integrategpu(function(x) exp(-x^2), limits[[1]], limits[[2]]), "must be a list of limits")
  product <- function(x, y) x * y
  expect_identical(integrategpu(product, pairlist(0, a = 0), pairlist(1, 1))$value,
                   integrategpu(product, list(0, 0), list(1, 1))$value)
  expect_input_error(covariance(model, cbind(0, 1:3), file = strrep("x", 1e5)), "too long")
  expect_no_warning(try(simulate(batch, nsim = 2^31 - 1), silent = TRUE))
  fields <- tbrf(rfGrid(0, 1, c(5, 4)), model, 16, nsim = 3)
  expect_identical(rfSummary(fields, exceeds = ts(1:2))[], rfSummary(fields, exceeds = 1:2)[])
  expect_identical(coef(stableFit(pairlist(a = rivers, b = -rivers), "mcculloch")),
                   coef(stableFit(list(a = rivers, b = -rivers), "mcculloch")))
})

# Parameters of models by name: values, bounds, the scale of a search, and those that are not known.

cov_parameters <- function(model) statcl:::cov_parameters(statcl:::model_parts(model))

models <- list(
  covModel("matern", 2, smoothness = 0.4, distance = "greatcircle", nugget = 0.1) +
    covModel("powexp", 3, shape = 0.5, distance = "greatcircle"),
  covModel("wendland", 2, smoothness = 0.7, shape = 4, angle = 20, ratio = 0.4),
  covModel("gammaspectrum", 2, exponent = -1, scales = c(1, 3)),
  covModel("separable", space = covModel("matern", 2, smoothness = 1), time = covModel("powexp", 3, shape = 0.6)),
  covModel("gneiting", space = covModel("cauchy", 2, shape = 0.7),
           time = list(range = 3, shape = 0.6, interaction = 0.2)),
  covModel("bimatern", range = 1:3 / 3, smoothness = c(1, 2, 1.7), variance = 2:3, correlation = 0.1))

test_that("each parameter has a name that sets it, bounds around it and a scale for searches", {
  for (model in models) {
    rows <- cov_parameters(model)
    expect_true(all(rows$value >= rows$lower & rows$value <= rows$upper))
    other <- rows$value * 0.9
    changed <- statcl:::set_parameters(model, other)
    expect_identical(cov_parameters(changed)$value, other)
    expect_identical(statcl:::set_parameters(changed, rows$value), model)
    inside <- rows$value > rows$lower & rows$value < rows$upper
    rows <- rows[inside, ]
    t <- statcl:::to_search(rows$value, rows)
    expect_equal(statcl:::from_search(t, rows), rows$value, tolerance = 1e-14)
    slope <- (statcl:::from_search(t + 1e-5, rows) - statcl:::from_search(t - 1e-5, rows)) / 2e-5
    expect_equal(statcl:::search_jacobian(rows$value, rows), slope, tolerance = 1e-8)
  }
  sphere <- cov_parameters(models[[1]])
  expect_identical(sphere$upper[sphere$name == "smoothness.1"], 0.5)
  expect_identical(sphere$upper[sphere$name == "shape.2"], 1)
  twelve <- cov_parameters(covModel("matern", 1, 1, scales = 1:12))
  expect_identical(twelve$value[twelve$name == "scales12"], 12)
})

test_that("parameters may be unknown in a model, and nowhere else", {
  model <- covModel("matern", range = NA, smoothness = 1.5, nugget = NA)
  expect_identical(statcl:::unknown_parameters(model), c("range", "nugget"))
  expect_output(print(model), "range NA.*nugget NA")
  expect_match(format(model), "range = NA")
  both <- 2 * model + covModel("wendland", 1, smoothness = NA, shape = NA, ratio = NA)
  expect_identical(statcl:::unknown_parameters(both), c("range.1", "nugget.1", "smoothness.2", "shape.2", "ratio.2"))
  expect_identical(update(model, range = 2, nugget = 0), covModel("matern", range = 2, smoothness = 1.5))
  for (call in expression(covariance(model, 1), lineCovariance(model, 1), spectralDensity(model, 1), plot(model),
                          tbrf(rfGrid(0, 1, c(5, 5)), model)))
    expect_input_error(eval(call), "range = NA")
  expect_input_error(covariance(both, cbind(1:3, 1)), "range.1 = NA")
  expect_input_error(matern(1, range = NA, smoothness = 1), "range = NA")
  expect_input_error(covModel("matern", range = NaN, smoothness = 1), "range = NaN")
  expect_input_error(covModel("matern", range = NA, smoothness = -1), "smoothness = -1")
  two <- covModel("bimatern", range = NA, smoothness = c(1, NA), correlation = 0.9)
  expect_identical(statcl:::unknown_parameters(two), c("range", "smoothness2"))
  own <- covModel("spectrum", variance = NA, density = function(k) exp(-k^2))
  expect_identical(statcl:::unknown_parameters(own), "variance")
  expect_identical(own$dim, 3)
  time <- covModel("gneiting", space = covModel("exponential", NA), time = list(range = NA, shape = NA))
  expect_identical(statcl:::unknown_parameters(time), c("space.range", "time.range", "time.shape"))
  expect_input_error(covModel(c("matern", "gaussian"), range = NA), "name")
  expect_input_error(covModel("wendland", range = NA, shape = NA), "smoothness is missing")
  expect_input_error(covModel("powerlaw", exponent = -2, kmin = NA), "kmax is missing")
  expect_input_error(covModel("gaussian", range = NA, smoothness = NA), "smoothness = NA")
  expect_input_error(covModel("bimatern", range = NA, smoothness = 1:2, correlation = 3), "correlation = 3")
  expect_s3_class(covModel("spherical", range = NA, distance = "greatcircle", radius = 0.1), "covModel")
  expect_input_error(covModel("gneiting", space = covModel("exponential", 1), time = list(range = 1, decay = NA)),
                     "decay = NA")
})

test_that("a derivative by what is no parameter is refused", {
  model <- covModel("exponential", range = 1)
  for (deriv in c("smoothness", "", "nugget.1"))
    expect_input_error(covariance(model, cbind(1:3, 0), deriv = deriv), "must be \"none\" or one of")
})

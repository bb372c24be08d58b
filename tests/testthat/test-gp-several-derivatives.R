# Log likelihoods of several variables, and of parameters that follow covariates, with all their derivatives: against
# 40 digits (tools/gp_several_reference.py, which says what the observations are).

ref <- read_ref("gp_several")
phi <- (sqrt(5) - 1) / 2
data <- local({
  behind <- function(v) v - floor(v)
  i <- 1:24
  k <- ifelse(i > 16, i - 16, i)
  x <- round(behind(k * phi), 6)
  y <- round(behind(3 * k * phi^2), 6)
  data.frame(x = x, y = y, z = round(sin(5 * x) + y + 0.3 * cos(i), 6), e = round(x - y^2, 6), i = i)
})
value <- function(model)
  with(ref[ref$model == model & ref$parameter != "loglik", ], stats::setNames(value, parameter))
symmetric <- function(v) {
  names(v) <- sub("[^0-9]*([0-9]+)$", "\\1", sub("^sill[12]\\.", "", names(v)))
  m <- diag(3)
  for (k in names(v)) m[as.integer(substr(k, 1, 1)), as.integer(substr(k, 2, 2))] <- v[[k]]
  m[lower.tri(m)] <- t(m)[lower.tri(m)]
  m
}
several <- list(
  parsimonious = function(v) covModel("multimatern", variance = v[1:3], range = v[["range"]], smoothness = v[5:7],
                                      correlation = symmetric(v[8:10]), nugget = v[11:13]),
  ranges = function(v) covModel("multimatern", variance = v[1:3], range = v[4:6], smoothness = v[7:9], angle = 20,
                                ratio = 0.5, correlation = symmetric(v[10:12]),
                                nugget = symmetric(c(stats::setNames(v[15:17], c("11", "22", "33")), v[18:20]))),
  bimatern = function(v) covModel("bimatern", variance = v[1:2], range = v[3:5], smoothness = v[6:8],
                                  correlation = v[["correlation"]], nugget = v[10:11]),
  lmc = function(v) covModel("lmc", parts = list(
    covModel("matern", range = v[["range.1"]], smoothness = v[["smoothness.1"]], angle = v[["angle.1"]],
             ratio = v[["ratio.1"]]), covModel("exponential", range = v[["range.2"]])),
    sill = list(symmetric(v[1:6]), symmetric(v[11:16])),
    nugget = symmetric(c(stats::setNames(v[18:20], c("11", "22", "33")), v[21:23]))))

# Of a derivative the terms are some tens in all, and its error that of sums of n^2 = 576 of them.
expect_slopes <- function(value, gradient, model, names) {
  r <- ref[ref$model == model, ]
  slope <- r$slope[match(names, r$parameter)]
  expect_equal(value, r$value[1L], tolerance = 1e-12)
  expect_lt(max(abs(unname(gradient[names]) - slope) / pmax(1, abs(slope))), 1e-10)
}

test_that("likelihoods of several variables and their derivatives have ten digits", {
  for (name in names(several)) {
    v <- value(name)
    model <- several[[name]](v)
    xy <- cbind(data$x, data$y, (data$i - 1) %% (if (name == "bimatern") 2 else 3) + 1)
    exact <- gpLoglik(model, xy, data$z, gradient = TRUE)
    expect_slopes(as.numeric(exact), attr(exact, "gradient"), name, names(v))
    p <- statcl:::gp_problem(model, statcl:::plain_points(xy), NULL)
    all <- statcl:::vecchia_evaluate(statcl:::vecchia_problem(p, list(y = data$z), 23), "ML", names(v))
    expect_slopes(all$value, all$gradient, name, names(v))
  }
})

test_that("so have those of parameters that follow covariates", {
  v <- value("local")
  own <- function(what) stats::setNames(v[paste0(what, c(".(Intercept)", ".e"))], c("(Intercept)", "e"))
  fields <- c("variance", "range", "smoothness", "nugget", "angle")
  model <- covModel("matern", variance = ~ e, range = ~ e, smoothness = ~ e, nugget = ~ e, angle = ~ e,
                    ratio = v[["ratio"]], coefficients = stats::setNames(lapply(fields, own), fields))
  found <- gpLoglik(model, data[c("x", "y", "e")], data$z, gradient = TRUE)
  expect_slopes(as.numeric(found), attr(found, "gradient"), "local", names(v))
})

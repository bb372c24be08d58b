# Models of space and time against their formulas.

eps <- .Machine$double.eps

set.seed(1)
points <- cbind(matrix(runif(300), 150), runif(150, 0, 5))
lag <- as.matrix(dist(points[, 3]))

separable <- function(p) covModel("separable", variance = 2, nugget = 0.1,
                                  space = covModel("matern", p[1], smoothness = p[2]),
                                  time = covModel("powexp", p[3], shape = p[4]))
gneiting <- function(p) covModel("gneiting", variance = 1.5,
                                 space = covModel("matern", p[1], smoothness = p[2], angle = 30, ratio = 0.5),
                                 time = list(range = p[3], shape = p[4], interaction = p[5], decay = 0.4))

gneiting_formula <- function(p) {
  psi <- 1 + (lag / p[3])^(2 * p[4])
  along <- c(cos(pi / 6), sin(pi / 6))
  turned <- points[, 1:2] %*% cbind(along, c(-along[2], along[1]) / 0.5)
  h <- as.matrix(dist(turned))
  1.5 * psi^-(0.4 + p[5]) * matern(h * psi^(-p[5] / 2), range = p[1], smoothness = p[2], distance = "given")
}

test_backends("models of space and time have their formulas' values and derivatives", {
  p <- c(0.3, 1.3, 2, 1.2)
  product <- 2 * matern(points[, 1:2], range = p[1], smoothness = p[2]) * exp(-(lag / p[3])^p[4])
  expect_lt(max(abs(covariance(separable(p), points) - product - diag(0.1, 150))), 16 * eps)
  q <- c(0.3, 0.8, 2, 0.7, 0.6)
  expect_lt(max(abs(covariance(gneiting(q), points) - gneiting_formula(q))), 16 * eps)
  # differences of fourth order: their own error is some 1e-10
  check <- function(value, model, at, names) for (i in seq_along(names)) {
    step <- 1e-3 * at[i]
    f <- function(k) value(replace(at, i, at[i] + k * step))
    difference <- (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * step)
    derivative <- covariance(model(at), points, deriv = names[i])
    expect_lt(max(abs(derivative - difference)), 1e-8 * max(abs(difference)), label = names[i])
  }
  check(function(p) covariance(separable(p), points), separable, p,
        c("space.range", "space.smoothness", "time.range", "time.shape"))
  check(gneiting_formula, gneiting, q,
        c("space.range", "space.smoothness", "time.range", "time.shape", "time.interaction"))
  expect_equal(covariance(separable(p), points, deriv = "variance"), unname(product) / 2, tolerance = 1e-14)
  expect_identical(covariance(separable(p), points, deriv = "nugget"), diag(150))
})

test_that("sums mix parts of space and time with parts of space", {
  p <- c(0.3, 1.3, 2, 1.2)
  q <- c(0.3, 0.8, 2, 0.7, 0.6)
  space <- covModel("cubic", 0.7, nugget = 0.2)
  both <- gneiting(q) + space + separable(p)
  each <- list(covariance(gneiting(q), points), covariance(space, points[, 1:2]), covariance(separable(p), points))
  expect_equal(covariance(both, points), Reduce(`+`, each), tolerance = 4 * eps)
  expect_equal(covariance(both, points[1:9, ], points), Reduce(`+`, each)[1:9, ] - 0.3 * diag(150)[1:9, ])
  expect_equal(covariance(both, points, deriv = "range.2"), covariance(space, points[, 1:2], deriv = "range"))
  for (name in c("time.range", "space.smoothness")) {
    expect_equal(covariance(both, points, deriv = paste0(name, ".1")), covariance(gneiting(q), points, deriv = name))
    expect_equal(covariance(both, points, deriv = paste0(name, ".3")), covariance(separable(p), points, deriv = name))
  }
})

test_that("models of space and time are positive definite where they are accepted", {
  set.seed(2)
  sphere <- function(n) cbind(runif(n, -180, 180), runif(n, -90, 90))
  lowest <- replicate(repetitions(200, 1000), {
    at <- cbind(matrix(runif(24), 12), runif(12, 0, 3))
    at[7:12, sample(3, 1)] <- at[1:6, 1] # some at one time or location
    smooth <- runif(1, 0.1, 3)
    space <- list(covModel("matern", runif(1, 0.1, 2), smoothness = smooth), covModel("gaussian", runif(1, 0.1, 2)),
                  covModel("powexp", runif(1, 0.1, 2), shape = runif(1, 0.1, 2)),
                  covModel("cauchy", runif(1, 0.1, 2), shape = runif(1, 0.1, 3)))[[sample(4, 1)]]
    models <- list(covModel("gneiting", space = space, time = list(range = runif(1, 0.1, 3), shape = runif(1),
                                                                   interaction = runif(1))),
                   covModel("separable", space = space,
                            time = list(covModel("cubic", 2), covModel("sinc", 0.3))[[sample(2, 1)]]))
    min(vapply(models, function(m) min(eigen(covariance(m, at), TRUE, TRUE)$values), 0))
  })
  expect_gt(min(lowest), -1e-14 * 12)
  at <- cbind(sphere(40), runif(40))
  circle <- covModel("separable", space = covModel("spherical", 8000, distance = "greatcircle"),
                     time = covModel("exponential", 1))
  expect_gt(min(eigen(covariance(circle, at), TRUE, TRUE)$values), 0)
})

test_that("models of space and time that are none are refused, and so is what they do not have", {
  space <- covModel("exponential", 1)
  expect_input_error(covModel("separable", space = space), "time is missing")
  expect_input_error(covModel("separable", space = space + space, time = space), "neither a sum nor")
  expect_input_error(covModel("separable", space = space, time = list(range = 1)), "time = list")
  expect_input_error(covModel("gneiting", space = covModel("cubic", 1), time = list(range = 1)), "space = cubic")
  expect_input_error(covModel("gneiting", space = space, time = list(range = 1, shape = 1.1)), "time$shape = 1.1")
  expect_input_error(covModel("gneiting", space = space, time = list(range = 1, interaction = -1)),
                     "interaction = -1")
  expect_input_error(covModel("gneiting", space = space, time = list(shape = 1)), "time$range is missing")
  expect_input_error(covModel("gneiting", space = update(space, distance = "greatcircle"), time = list(range = 1)),
                     "greatcircle")
  expect_input_error(covModel("separable", space = space, time = space, range = 2), "range = 2")
  box <- covModel("covariance", dim = 1, covariance = function(h) ifelse(h < 1, 1 - h, 0))
  expect_s3_class(covModel("separable", space = space, time = box), "covModel")
  expect_input_error(covModel("exponential", 1, space = space), "space")
  line <- covModel("separable", space = covModel("besselj", 0.1, shape = 0), time = space)
  expect_input_error(covariance(line, cbind(1:3, 2:4, 1:3, 1)), "shape >= 0.5")
  # the scaled distance next to a power of 2
  for (d in c(49, 98, 103, 161)) {
    at <- cbind(0:d, 1)
    both <- covModel("separable", space = covModel("matern", range = d, smoothness = 1.2), time = space)
    expect_equal(covariance(both, at), covariance(both$space, at[, 1, drop = FALSE]), tolerance = 1e-14)
  }
  model <- covModel("gneiting", space = space, time = list(range = 1))
  expect_input_error(covariance(model, 1:3), "x has distances")
  expect_input_error(covariance(model, cbind(1:3, 1, 2:4, 1)), "time$dim = 2")
  expect_silent(covariance(update(model, time = list(range = 1, dim = 3)), cbind(1:3, 1, 2:4, 1)))
  expect_input_error(covariance(model, cbind(1:3)), "one column")
  expect_input_error(update(model, range = 2), "range")
  for (call in expression(plot(model), lineCovariance(model, 1), spectralDensity(model, 1)))
    expect_input_error(eval(call), "function of space and time")
  expect_input_error(tbrf(rfGrid(0, 1, c(5, 5)), model), "all points of x for each of the times")
  expect_input_error(tbrf(cbind(1:3, 1, 2:4), model), "simulate(model, x = ) takes the time as the last column")
  expect_identical(dim(simulate(model, nsim = 2, seed = 1, x = cbind(1:3, 1, 2:4))), c(3L, 2L))
  expect_output(print(update(model, variance = 3)), "variance 3")
})

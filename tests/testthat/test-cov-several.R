# Models of several variables: the multivariate Matern model and the linear model of coregionalisation.

# Points with the number of a variable, of which the first ones are at one place.
set.seed(1)
several_points <- function(n, p) {
  points <- cbind(x = runif(n), y = runif(n), variable = rep_len(seq_len(p), n))
  points[seq_len(p), 1:2] <- rep(points[1, 1:2], each = p)
  points
}
points <- several_points(60, 3)
rho <- matrix(c(1, 0.5, -0.2, 0.5, 1, 0.3, -0.2, 0.3, 1), 3)
matern3 <- covModel("multimatern", range = 0.3, smoothness = c(0.5, 1.2, 0.8), variance = 1:3, correlation = rho,
                    nugget = c(0.1, 0.2, 0.3))
flexible <- covModel("multimatern", range = c(0.3, 0.4, 0.2), smoothness = c(0.5, 1.2, 0.8), variance = 1:3,
                     correlation = rho / 2 + diag(3) / 2, angle = 20, ratio = 0.5,
                     nugget = matrix(c(0.1, 0.05, 0, 0.05, 0.2, -0.1, 0, -0.1, 0.3), 3))
lmc <- covModel("lmc", parts = list(covModel("exponential", range = 0.2),
                                    covModel("matern", range = 0.4, smoothness = 1.5, angle = 30, ratio = 0.4)),
                sill = list(crossprod(matrix(c(1, 0.4, -0.3, 0, 1, 0.2, 0, 0, 1), 3)), tcrossprod(c(1, -0.5, 2))),
                nugget = 0.1, rank = c(3, 1))

# The model with other values of its parameters, and differences of the covariance by one of them.
with_values <- function(model, values)
  structure(statcl:::set_parameters(unclass(model), values), class = "covModel")
covariance_difference <- function(model, points, rows, i) {
  step <- 1e-4 * max(abs(rows$value[i]), 0.01)
  f <- function(k) covariance(with_values(model, replace(rows$value, i, rows$value[i] + k * step)), points)
  (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * step)
}
expect_slopes <- function(model, points) {
  rows <- statcl:::cov_parameters(list(unclass(model)))
  isotropic <- rows$inside %in% rows$inside[rows$base == "ratio" & rows$value == 1]
  for (i in which(!(isotropic & rows$base %in% c("angle", "ratio")))) {
    difference <- covariance_difference(model, points, rows, i)
    derivative <- covariance(model, points, deriv = rows$name[i])
    expect_lt(max(abs(derivative - difference)), 1e-8 * max(abs(difference)), label = rows$name[i])
  }
}

test_backends("covariances of several variables are those of each and of pairs", {
  v <- covariance(matern3, points)
  expect_identical(v, t(v))
  for (i in 1:3) for (j in 1:3) {
    own <- matern(points[points[, 3] == i, 1:2], points[points[, 3] == j, 1:2], range = 0.3,
                  smoothness = mean(matern3$smoothness[c(i, j)])) * rho[i, j] * sqrt(i * j)
    if (i == j) own <- own + diag(matern3$nugget[i], 20)
    expect_equal(v[points[, 3] == i, points[, 3] == j], own, tolerance = 1e-14)
  }
  expect_equal(covariance(matern3, points[1:9, ], points), (v - diag(c(0.1, 0.2, 0.3)[points[, 3]]))[1:9, ],
               tolerance = 1e-15)
  v <- covariance(lmc, points)
  parts <- lapply(lmc$parts, covariance, points[, 1:2])
  at <- points[, 3]
  expect_equal(v, lmc$sill[, , 1][at, at] * parts[[1]] + lmc$sill[, , 2][at, at] * parts[[2]] + diag(0.1, 60),
               tolerance = 1e-14)
})

test_that("ranges of their own make the mean of squared inverse ranges that of a pair, in each scaling", {
  for (scaling in c("plain", "sqrt2nu", "sqrt8nu")) {
    model <- covModel("multimatern", range = c(0.3, 0.5), smoothness = c(0.5, 1.5), correlation = 0.3,
                      scaling = scaling, nugget = 0.1)
    a <- switch(scaling, plain = 1, sqrt2nu = sqrt(2 * c(0.5, 1.5)), sqrt8nu = sqrt(8 * c(0.5, 1.5))) / c(0.3, 0.5)
    x <- cbind(c(0, 0.2, 0.2), 0, c(1, 1, 2))
    expect_equal(covariance(model, x)[1, 3],
                 0.3 * matern(0.2, range = 1 / sqrt(mean(a^2)), smoothness = 1), tolerance = 1e-14)
    expect_equal(covariance(model, x)[1, 2],
                 matern(0.2, range = 0.3, smoothness = 0.5, scaling = scaling), tolerance = 1e-14)
    expect_slopes(model, points[points[, 3] < 3, ])
  }
})

test_that("derivatives are those of differences, with variables that are independent and with errors at one place", {
  expect_slopes(matern3, points)
  expect_slopes(flexible, points)
  expect_slopes(lmc, points)
  expect_slopes(update(matern3, correlation = diag(3)), points)
  expect_slopes(covModel("multimatern", range = 0.3, smoothness = 1, variance = 2, nugget = 0.1),
                points[points[, 3] == 1, ])
})

test_that("errors of a matrix of nuggets are shared at one place, and there alone", {
  v <- covariance(flexible, points) - covariance(update(flexible, nugget = 0), points)
  expected <- diag(c(0.1, 0.2, 0.3)[points[, 3]])
  expected[1:3, 1:3] <- flexible$nugget
  expect_equal(v, expected, tolerance = 1e-14)
  expect_input_error(covariance(flexible, points[c(1, 1), ]), "one observation of a variable at a place")
})

test_that("one variable has the covariance of its model, and variables may change places", {
  one <- covModel("multimatern", range = 0.3, smoothness = 1.2, variance = 2, nugget = 0.1)
  x <- cbind(points[, 1:2], 1)
  expect_equal(covariance(one, x), covariance(covModel("matern", 0.3, 1.2, 2, nugget = 0.1), points[, 1:2]),
               tolerance = 1e-15)
  part <- covModel("lmc", parts = list(covModel("spherical", range = 0.4)), sill = 2, nugget = 0.1)
  expect_equal(covariance(part, x), covariance(covModel("spherical", range = 0.4, variance = 2, nugget = 0.1),
                                               points[, 1:2]), tolerance = 1e-15)
  o <- c(3, 1, 2)
  other <- covModel("multimatern", range = 0.3, smoothness = matern3$smoothness[o], variance = matern3$variance[o],
                    correlation = rho[o, o], nugget = matern3$nugget[o])
  expect_equal(covariance(other, cbind(points[, 1:2], match(points[, 3], o))), covariance(matern3, points),
               tolerance = 1e-15)
})

test_that("names of variables are those of parameters, and of the last column of a data frame", {
  model <- update(matern3, variable = c("lead", "zinc", "copper"))
  expect_identical(statcl:::parameter_names(list(unclass(model)))$name, c(
    "variance.lead", "variance.zinc", "variance.copper", "range", "smoothness.lead", "smoothness.zinc",
    "smoothness.copper", "correlation.lead.zinc", "correlation.lead.copper", "correlation.zinc.copper", "angle",
    "ratio", "nugget.lead", "nugget.zinc", "nugget.copper"))
  table <- data.frame(points[, 1:2], element = model$variable[points[, 3]])
  expect_identical(unname(covariance(model, table)), covariance(matern3, points))
  expect_input_error(covariance(model, transform(table, element = "iron")), "is none of the variables lead")
  y <- as.numeric(simulate(model, seed = 1, x = table))
  expect_identical(y, as.numeric(simulate(matern3, seed = 1, x = points)))
  expect_identical(gpLoglik(model, transform(table, element = factor(element)), y), gpLoglik(matern3, points, y))
  expect_identical(update(model, correlation.lead.zinc = 0.1)$correlation[1:2, 1:2], matrix(c(1, 0.1, 0.1, 1), 2))
  expect_identical(statcl:::parameter_names(list(unclass(lmc)))$name, c(
    "sill1.11", "sill1.12", "sill1.13", "sill1.22", "sill1.23", "sill1.33", "range.1", "angle.1", "ratio.1",
    "sill2.11", "sill2.12", "sill2.13", "range.2", "smoothness.2", "angle.2", "ratio.2", "nugget1", "nugget2",
    "nugget3"))
})

test_that("invalid matrices are errors that say by how much they fail", {
  pair <- function(correlation, ...) covModel("multimatern", range = 1, smoothness = c(0.5, 1.5),
                                              correlation = correlation, ...)
  # sqrt(nu1 nu2) / mean(nu) in the plane
  expect_s3_class(pair(sqrt(3) / 2), "covModel")
  expect_input_error(pair(0.9), "must be at most 0.866025 in size with these parameters in dimension 2")
  bad <- matrix(c(1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1), 3)
  expect_input_error(covModel("multimatern", range = 1, smoothness = 0.5, correlation = bad),
                     "its smallest eigenvalue, at unit diagonal, is -0.8")
  exponential <- list(covModel("exponential", range = 1))
  expect_input_error(covModel("lmc", parts = exponential, sill = matrix(c(1, 2, 2, 1), 2)),
                     "its smallest eigenvalue, at unit diagonal, is -1")
  expect_input_error(pair(0.1, nugget = matrix(c(1, 2, 2, 1), 2)), "nugget must be positive semidefinite")
  expect_input_error(covModel("multimatern", range = 1, smoothness = 1, correlation = matrix(c(1, 0.1, 0.2, 1), 2)),
                     "the matrix being symmetric")
  expect_input_error(covModel("multimatern", range = 1, smoothness = 1:3, variance = 1:2, correlation = diag(3)),
                     "one for each variable, or one for all")
  expect_input_error(covModel("lmc", parts = list(covModel("exponential", range = 1, variance = 2)), sill = 1),
                     "must have variance 1")
  expect_input_error(covModel("lmc", parts = list(covModel("exponential", range = 1)), sill = diag(2), rank = 1),
                     "rank = 1 needs")
  # all pairs are valid, by theorem 3 as well, and the three together are not
  expect_input_error(covModel("multimatern", range = 1, smoothness = c(0.5, 1, 1.5),
                              correlation = matrix(c(1, 0.9, 0.1, 0.9, 1, 0.9, 0.1, 0.9, 1), 3)), "beta must be")
})

# The spectral densities of all pairs, up to a common factor, at wave numbers k.
spectral_matrix <- function(model, k) {
  a2 <- statcl:::matern_scales(model)
  nu <- statcl:::mean_pairs(model$smoothness)
  half <- model$dim / 2
  model$correlation * exp(lgamma(nu + half) - lgamma(nu) + nu * log(a2) - (nu + half) * log(a2 + k^2))
}
smallest_eigenvalue <- function(S) {
  unit <- sqrt(diag(S))
  min(eigen(S / tcrossprod(unit), TRUE, TRUE)$values)
}

test_that("random models are valid, by their spectral densities and on points, up to the largest correlations", {
  set.seed(3)
  x <- several_points(40, 4)
  for (trial in seq_len(repetitions(100, 1000))) {
    p <- sample(2:4, 1)
    model <- covModel("multimatern", variance = exp(rnorm(p)), smoothness = exp(runif(p, log(0.2), log(4))),
                      range = exp(rnorm(if (trial %% 2) 1 else p, -1, 0.5)), correlation = diag(p), nugget = 0,
                      dim = sample(1:3, 1) + 0)
    beta <- tcrossprod(statcl:::sphere_root(rnorm(p * (p - 1) / 2, sd = 3), p)$root)
    model$correlation <- beta * statcl:::multimatern_factors(model)$value
    expect_no_error(statcl:::multimatern_valid(model))
    for (k in c(0, 10^seq(-3, 4)))
      expect_gt(smallest_eigenvalue(spectral_matrix(model, k)), -1e-12)
    if (model$dim == 2) expect_gt(smallest_eigenvalue(covariance(model, x[x[, 3] <= p, ])), -1e-12)
  }
})

test_that("random models of coregionalisation are positive definite", {
  set.seed(5)
  x <- several_points(30, 4)
  for (trial in seq_len(repetitions(100, 1000))) {
    p <- sample(2:4, 1)
    rank <- sample(p, 2, TRUE)
    shape <- function() exp(runif(1, log(0.2), log(4)))
    parts <- list(covModel("matern", range = exp(rnorm(1, -1)), smoothness = shape()),
                  covModel(sample(c("spherical", "gaussian", "exponential"), 1), range = exp(rnorm(1, -1))))
    sill <- lapply(rank, function(r) tcrossprod(matrix(rnorm(p * r), p)))
    model <- covModel("lmc", parts = parts, sill = sill, rank = rank)
    S <- covariance(model, x[x[, 3] <= p, ])
    expect_gt(smallest_eigenvalue(S), -1e-12 * max(S))
  }
})

test_that("the largest correlation of two variables is that of \"bimatern\", and is reached", {
  set.seed(4)
  for (trial in 1:30) {
    model <- covModel("multimatern", smoothness = exp(rnorm(2)), range = exp(rnorm(2)), correlation = 0)
    most <- statcl:::multimatern_factors(model)$value[2, 1]
    a2 <- statcl:::matern_scales(model)
    pair <- covModel("bimatern", smoothness = model$smoothness, range = c(model$range, 1 / sqrt(a2[1, 2])),
                     correlation = 0)
    expect_equal(most, statcl:::most_correlation(unclass(pair)), tolerance = 1e-9)
  }
})

# Coordinates of a search for all parameters of a model, or for those that are free.
search_of <- function(model, units = NULL, fixed = character()) {
  model <- unclass(model)
  rows <- statcl:::cov_parameters(list(model))
  plain <- rows$inside %in% rows$inside[rows$base == "ratio" & rows$value == 1]
  free <- rows$name[!(plain & rows$base %in% c("angle", "ratio")) & !rows$name %in% fixed]
  about <- list(rows = rows, problem = list(metric = list(kind = "euclidean", dim = 2L), parts = list(model)),
                scaled = FALSE, inside = FALSE, units = if (is.null(units)) rep(1, nrow(rows)) else units)
  scales <- list(space = c(0.1, 1), time = c(1, 1), variance = 1, diagonal = 1)
  statcl:::search_space(about, free, scales)
}
expect_map <- function(s, move = 0) {
  t <- statcl:::search_start(s$rows$value, s)
  if (all(move == 0)) expect_equal(statcl:::search_point(t, s)$v, s$rows$value, tolerance = 1e-6)
  t <- t + move
  point <- statcl:::search_point(t, s)
  for (j in seq_along(t)) {
    f <- function(k) statcl:::search_point(replace(t, j, t[j] + k * 1e-3), s)$v[s$at]
    difference <- (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / 12e-3
    expect_lt(max(abs(point$jacobian[, j] - difference) / (1e-8 + abs(difference))), 1e-6)
  }
}

test_that("coordinates of a search lead to the parameters and back, with exact derivatives", {
  expect_map(search_of(matern3))
  expect_map(search_of(flexible))
  expect_map(search_of(update(flexible, scaling = "sqrt8nu", correlation = diag(3))))
  expect_map(search_of(lmc, c(4, 6, 8, 9, 12, 16, 1, 1, 1, 4, 6, 8, 1, 1, 1, 1, 4, 9, 16)))
  two <- covModel("multimatern", range = c(0.3, 0.9), smoothness = c(0.4, 1.9), correlation = -0.15, nugget = 0.1)
  expect_map(search_of(two))
  expect_map(search_of(matern3, fixed = c("smoothness1", "smoothness3")))
  expect_map(search_of(flexible, fixed = c("range2", "smoothness1")))
  ordered <- covModel("lmc", parts = lapply(c(0.1, 0.5), function(r) covModel("exponential", range = r)),
                      sill = list(diag(2), diag(2) + 0.5))
  expect_map(search_of(ordered))
  set.seed(5)
  for (s in list(search_of(matern3), search_of(two), search_of(ordered))) expect_map(s, rnorm(length(s$at), sd = 0.5))
})

test_that("partial correlations next to -1 and 1 leave the matrix one of correlations", {
  for (z in c(-0.9999, 0.9999)) {
    found <- statcl:::sphere_root(rep(atanh(z), 6), 4)
    beta <- tcrossprod(found$root)
    expect_equal(diag(beta), rep(1, 4), tolerance = 1e-15)
    expect_gt(min(eigen(beta, TRUE, TRUE)$values), -1e-15)
    for (e in 1:6) {
      f <- function(k) tcrossprod(statcl:::sphere_root(replace(rep(atanh(z), 6), e, atanh(z) + k * 1e-3), 4)$root)
      difference <- (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / 12e-3
      expect_lt(max(abs(found$slope(e) - difference)), 1e-11)
    }
  }
})

test_that("models of several variables are printed, changed and kept from what is for one", {
  expect_output(print(matern3), "Multivariate Matern covariance of 3 variables")
  expect_output(print(lmc), "Linear model of coregionalisation of 3 variables")
  unknown <- covModel("multimatern", range = NA, smoothness = NA, correlation = NA, nugget = c(NA, NA))
  expect_output(print(unknown), "NA")
  expect_identical(format(lmc), "lmc(3 variables)")
  expect_equal(covariance(2 * lmc, points), 2 * covariance(lmc, points), tolerance = 1e-15)
  expect_input_error(matern3 + matern3, "not for sums")
  expect_input_error(covariance(matern3, cbind(points[, 1:2], 4)), "from 1 to 3")
  expect_input_error(covariance(matern3, cbind(points[, 1:2], 0, 1)), "must be at least the dimension of space, 3")
  expect_input_error(covariance(unknown, points), "must be a number here")
  expect_error(plot(matern3), class = "statcl_error_input")
  fields <- simulate(matern3, 3, seed = 1, x = points)
  expect_identical(dim(fields), c(60L, 3L))
  expect_identical(unclass(simulate(lmc, seed = 1, x = points)) == 0, rep(FALSE, 60), ignore_attr = TRUE)
})

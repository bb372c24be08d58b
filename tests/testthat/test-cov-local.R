# Covariances whose parameters follow covariates, against values of 40 digits and finite differences. The table has
# the smoothness and the nugget of some configurations linear in the covariate z: these come as covariates themselves.

ref <- small_first(read_ref("nsgp"))
all_data <- read_ref("nsgp_data")
ref_local <- function(r) covModel(
  "matern", variance = ~ z, range = ~ z, smoothness = ~ 0 + log(site_nu), nugget = ~ 0 + log(site_nugget),
  angle = r$angle * 180 / pi, ratio = r$ratio,
  coefficients = list(variance = 2 * c("(Intercept)" = r$sd0, z = r$sd1),
                      range = c("(Intercept)" = r$range0, z = r$range1), smoothness = c("log(site_nu)" = 1),
                      nugget = c("log(site_nugget)" = 1)))

test_backends("log likelihoods are those of 40 digits", {
  for (i in seq_len(nrow(ref))) {
    d <- all_data[all_data$config == ref$config[i], ]
    value <- function(...) as.numeric(gpLoglik(ref_local(ref[i, ]), d[c("x", "y", "z", "site_nu", "site_nugget")],
                                               d$value, ...))
    one <- rep(1, nrow(d))
    expect_equal(value(), ref$loglik_zero[i], tolerance = 1e-10)
    expect_equal(value(X = one), ref$loglik_ml[i], tolerance = 1e-10)
    expect_equal(value(X = one, estimator = "REML"), ref$loglik_reml[i], tolerance = 1e-10)
  }
})

set.seed(2)
n <- 90
d <- data.frame(x = runif(n, 0, 5), y = runif(n, 0, 5), e = rnorm(n) / 2, f = factor(sample(letters[1:3], n, TRUE)))
d <- rbind(d, transform(d[1:3, ], e = e + c(1, 0.5, -2))) # two of them at one place
z <- rnorm(n + 3)
a <- function(...) c("(Intercept)" = ..1, e = ..2)
models <- list(
  all = covModel("matern", variance = ~ e, range = ~ e + f, smoothness = ~ e, nugget = ~ e, angle = ~ e, ratio = 0.4,
                 coefficients = list(variance = a(0.2, 0.3), range = c(a(-0.3, 0.4), fb = 0.2, fc = -0.4),
                                     smoothness = a(-0.1, 0.3), nugget = a(-1, 0.3), angle = a(20, 10))),
  orders = covModel("matern", smoothness = ~ e, range = 0.7, nugget = 0.1,
                    coefficients = list(smoothness = a(0.3, 0.5))),
  range = covModel("matern", range = ~ e, smoothness = 1.3, nugget = 0.1, coefficients = list(range = a(-0.3, 0.4))),
  exponential = covModel("exponential", variance = ~ e, range = 0.5, angle = 10, ratio = 0.3, nugget = 0.2,
                         coefficients = list(variance = a(0, -0.4))),
  cauchy = covModel("cauchy", range = ~ e, shape = 0.7, nugget = 0.1, coefficients = list(range = a(-0.3, 0.4))),
  powexp = covModel("powexp", range = ~ e, shape = 1.2, nugget = 0.1, angle = 30, ratio = 0.5,
                    coefficients = list(range = a(-0.3, 0.4))),
  gaussian = covModel("gaussian", range = ~ e, nugget = 0.1, coefficients = list(range = a(-0.3, 0.4))))
points_for <- function(m) if (any(grepl("range.fb", statcl:::parameter_names(list(m))$name))) d else d[-4]
moved <- function(m, name, h) {
  known <- statcl:::local_points(points_for(m), "x", m)$model
  rows <- statcl:::cov_parameters(list(known))
  statcl:::set_parameters(known, rows$value + h * (rows$name == name), rows)
}
# of fourth order: errors of some 1e-16/1e-4 of the value, and 1e-16 of the derivative
difference <- function(f, h) (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)

test_backends("gradients and derivatives of matrices are those of differences", {
  for (m in models) {
    x <- points_for(m)
    value <- gpLoglik(m, x, z, X = cbind(1, x$e), estimator = "REML", gradient = TRUE)
    for (p in names(attr(value, "gradient"))) {
      slope <- difference(function(h) as.numeric(gpLoglik(moved(m, p, h), x, z, X = cbind(1, x$e),
                                                          estimator = "REML")),
                          if (p == "nugget") 1e-5 else 1e-4)
      expect_equal(attr(value, "gradient")[[p]], slope, tolerance = 1e-7, label = paste(m$name, p))
      D <- covariance(m, x, deriv = p)
      expect_equal(unname(D), difference(function(h) unname(covariance(moved(m, p, h), x)), 1e-4), tolerance = 1e-9)
      far <- unname(if (startsWith(p, "nugget")) 0 * D else D)
      expect_equal(unname(covariance(m, x[1:20, ], x[41:60, ], deriv = p)), far[1:20, 41:60], tolerance = 1e-13)
    }
  }
})

test_that("informations are those of the derivatives of matrices", {
  for (m in models[1:3]) {
    x <- points_for(m)
    value <- gpLoglik(m, x, z, information = TRUE)
    average <- attr(gpLoglik(m, x, z, information = "average"), "information")
    inverse <- solve(covariance(m, x))
    weights <- inverse %*% z
    slopes <- sapply(colnames(average), function(p) covariance(m, x, deriv = p) %*% weights)
    expect_equal(unname(average), unname(crossprod(slopes, inverse %*% slopes) / 2), tolerance = 1e-9)
    parts <- lapply(colnames(average), function(p) inverse %*% covariance(m, x, deriv = p))
    for (i in seq_along(parts)) for (j in seq_len(i))
      expect_equal(attr(value, "information")[i, j], sum(parts[[i]] * t(parts[[j]])) / 2, tolerance = 1e-8)
  }
})

test_that("covariances are those of the formula in any dimension, in tiles of any size", {
  for (n in c(2, 65, 129)) for (dim in 1:3) for (varying in c(FALSE, TRUE)) {
    x <- data.frame(matrix(runif(n * dim), n), e = rnorm(n))
    smoothness <- if (varying) list(smoothness = a(0, 0.2))
    m <- covModel("matern", variance = ~ e, range = ~ e, smoothness = if (varying) ~ e else 0.7, nugget = ~ e,
                  coefficients = c(list(variance = a(0, 0.1), range = a(-1, 0.2), nugget = a(-1, 0.1)), smoothness))
    r <- exp(-1 + 0.2 * x$e)
    nu <- if (varying) exp(0.2 * x$e) else rep(0.7, n)
    q <- outer(r^2, r^2, "+") / 2
    h <- as.matrix(dist(x[seq_len(dim)])) / sqrt(q)
    b <- outer(nu, nu, "+") / 2
    S <- exp(0.05 * outer(x$e, x$e, "+")) * (outer(r, r) / q)^(dim / 2) * 2^(1 - b) * h^b *
      besselK(pmax(h, 1e-300), b) / sqrt(outer(gamma(nu), gamma(nu)))
    diag(S) <- exp(0.1 * x$e) + exp(-1 + 0.1 * x$e)
    expect_equal(unname(covariance(m, x)), unname(S), tolerance = 1e-13)
    z <- rnorm(n)
    half <- backsolve(chol(S), z, transpose = TRUE)
    expect_equal(as.numeric(gpLoglik(m, x, z)),
                 -sum(log(diag(chol(S)))) - sum(half^2) / 2 - n / 2 * log(2 * pi), tolerance = 1e-12)
  }
})

test_that("without slopes they are the stationary ones", {
  for (dim in 1:3) {
    x <- data.frame(matrix(runif(60 * dim, 0, 3), 60), e = rnorm(60))
    one <- covModel("matern", variance = ~ e, range = ~ e, smoothness = ~ e, nugget = ~ e, coefficients = list(
      variance = a(log(2), 0), range = a(log(0.7), 0), smoothness = a(log(1.2), 0), nugget = a(log(0.3), 0)))
    same <- covModel("matern", variance = 2, range = 0.7, smoothness = 1.2, nugget = 0.3)
    expect_equal(covariance(one, x), covariance(same, x[seq_len(dim)]), tolerance = 1e-12)
    expect_equal(gpLoglik(one, x, x$e), gpLoglik(same, x[seq_len(dim)], x$e), tolerance = 1e-12)
  }
  # on the sphere the factors are those of three dimensions, in which chordal distances are
  x <- data.frame(lon = runif(40, -50, 50), lat = runif(40, -80, 80), e = rnorm(40))
  same <- covModel("exponential", range = 900, distance = "chordal")
  one <- covModel("exponential", range = ~ e, distance = "chordal", coefficients = list(range = a(log(900), 0)))
  expect_equal(covariance(one, x), covariance(same, x[1:2]), tolerance = 1e-12)
  one <- covModel("exponential", range = ~ e, distance = "chordal", coefficients = list(range = a(log(900), 0.8)))
  expect_true(min(eigen(covariance(one, x), TRUE, TRUE)$values) > 0)
  r <- exp(log(900) + 0.8 * x$e[1:2])
  q <- mean(r^2)
  h <- sqrt(sum(diff(statcl:::sphere_points(as.matrix(x[1:2, 1:2]), 6371))^2))
  expect_equal(covariance(one, x)[1, 2], (prod(r) / q)^1.5 * exp(-h / sqrt(q)), tolerance = 1e-13)
})

test_that("matrices of random parameters are positive definite", {
  for (k in seq_len(repetitions(20, 1000))) {
    m <- covModel("matern", variance = ~ e, range = ~ e, smoothness = ~ e, angle = ~ e, ratio = runif(1, 0.2, 1),
                  coefficients = list(variance = a(rnorm(1), rnorm(1)), range = a(rnorm(1), rnorm(1)),
                                      smoothness = a(rnorm(1, -0.3, 0.3), rnorm(1, 0, 0.3)), angle = a(rnorm(1), 50)))
    S <- cov2cor(covariance(m, d[-4]))
    expect_gt(min(eigen(S, TRUE, TRUE)$values), -n * 16 * .Machine$double.eps)
  }
})

test_that("terms keep what they have of the data", {
  m <- covModel("exponential", range = ~ poly(e, 2) + f, coefficients = list(
    range = c("(Intercept)" = 0, "poly(e, 2)1" = 1, "poly(e, 2)2" = -1, fb = 0.5, fc = 0.2)))
  S <- unname(covariance(m, d))
  # a basis of x serves for y, too
  expect_equal(unname(covariance(m, d, d[5:9, ])), S[, 5:9], tolerance = 1e-13)
  one <- statcl:::local_points(d, "x", m)$model
  expect_equal(unname(covariance(one, d[5:9, ])), S[5:9, 5:9], tolerance = 1e-13)
})

test_that("fields have the covariance", {
  m <- models$all
  x <- points_for(m)[1:5, ]
  fields <- as.matrix(simulate(m, 4000, seed = 1, x = x))
  S <- covariance(m, x)
  # four standard errors of a covariance of 4000 normal pairs
  expect_lt(max(abs(cov(t(matrix(fields, 5))) - S) / sqrt((S^2 + tcrossprod(diag(S))) / 4000)), 4)
  expect_error(simulate(m, x = x, method = "tbrf"), "\"exact\"", class = "statcl_error_input")
  expect_error(tbrf(x, m), class = "statcl_error_input")
})

test_that("what is wrong is said", {
  says <- function(expr, text) expect_error(expr, text, class = "statcl_error_input")
  says(covModel("spherical", range = ~ e), "is a formula, which is for \"matern\"")
  says(covModel("cauchy", range = 1, shape = ~ e), "shape .*must not be a formula")
  says(covModel("matern", range = y ~ e, smoothness = 1), "left side")
  says(covModel("matern", range = ~ ., smoothness = 1), "must name its covariates")
  says(covModel("matern", range = ~ e, smoothness = 1, scaling = "sqrt8nu"), "scaling")
  says(covModel("matern", range = ~ e, smoothness = 0.5, distance = "greatcircle"), "distance")
  says(covModel("matern", range = 1, angle = ~ e, smoothness = 0.5), "ratio")
  says(covModel("matern", range = ~ e, smoothness = 0.5, coefficients = list(variance = 1)), "coefficients")
  says(covModel("matern", range = 1, smoothness = 0.5, coefficients = list(range = 1)), "coefficients")
  m <- covModel("matern", range = ~ e, smoothness = 0.5, coefficients = list(range = c("(Intercept)" = 0)))
  says(covariance(m, d[-4]), "range.e = NA")
  says(covariance(models$range, as.matrix(d[1:3])), "data frame")
  says(covariance(models$range, d[1:2]), "x has no column e, a covariate of range = ~e")
  says(covariance(models$range, d["e"]), "no coordinates")
  says(covariance(models$range, replace(d[1:3], "e", NA_real_)), "finite")
  says(models$range + models$gaussian, "is not for sums")
  says(covariance(models$range, transform(d[-4], e = 1e4 * e)), "range follows covariates")
  expect_identical(covariance(update(models$range, range.e = 0.1, nugget = 0), d[-4])[1, 1], 1)
  expect_output(print(models$all), "Coefficients of log\\(range\\)")
  expect_match(format(models$range), "range = ~e")
})

test_that("a coordinate that is a covariate alone is an error", {
  model <- covModel("matern", range = ~ x, smoothness = 0.5, coefficients = list(range = c("(Intercept)" = 0, x = 1)))
  d <- data.frame(x = 1:3, y = 3:1)
  expect_input_error(covariance(model, d), "give the covariate a column of its own")
  expect_identical(dim(covariance(model, data.frame(x = 1:3, t = 3:1))), c(3L, 3L))
})

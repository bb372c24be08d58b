# Covariances of all families against values of 30 digits (tools/covariance_reference.py), by every route; derivatives
# for every parameter of a sum; sums over matrices that are never stored.
eps <- .Machine$double.eps
with_route <- function(route, expr) {
  old <- options(statcl.covariance.route = route)
  on.exit(options(old))
  force(expr)
}

test_backends("families and their derivatives", {
  ref <- read.csv(gzfile(test_path("ref", "covariance.csv.gz")), colClasses = c("character", rep("numeric", 5)))
  for (route in c("size", "table")) for (g in split(ref, paste(ref$family, ref$shape))) {
    # such tables take seconds: theirs are those of matrices below
    if (route == "table" && g$family[1] == "powerlaw") next
    error <- with_route(route, covariance_errors(g))
    label <- paste(route, g$family[1], g$shape[1])
    # the reference has exact x, so that nothing is due to its rounding
    expect_lt(error$value, 16 * eps, label = label)
    expect_lt(error$slope, 1e-12, label = label)
    if (!is.na(g$dshape[1])) expect_lt(error$dshape, 1e-12, label = label)
  }
})

test_backends("matrices have the values at their distances", {
  set.seed(1)
  a <- matrix(runif(60), 30) # fewer points than tables cost: both ways are asked for
  b <- matrix(runif(20), 10)
  r <- as.matrix(stats::dist(rbind(a, b)))
  models <- list(covModel("gaussian", 0.3), covModel("cauchy", 0.2, shape = 0.7),
                 covModel("powexp", 0.3, shape = 1.4),
                 covModel("spherical", 0.8), covModel("cubic", 0.7), covModel("besselj", 0.1, shape = 1),
                 covModel("sinc", 0.1), covModel("gammaspectrum", 0.2, exponent = 1),
                 covModel("powerlaw", exponent = -3, kmin = 2, kmax = 40),
                 covModel("covariance", covariance = function(h) exp(-h^1.5), range = 0.3, dim = 2))
  for (model in models) for (route in c("table", "direct")) {
    label <- paste(model$name, route)
    model$variance <- 2
    model$nugget <- 0.5
    at <- covariance(model, c(r))
    whole <- with_route(route, covariance(model, a))
    expect_lt(max(abs(whole - matrix(at, 40)[1:30, 1:30] - diag(0.5, 30))), 80 * eps, label = label)
    expect_identical(whole, t(whole), label = label)
    expect_identical(diag(whole), rep(2.5, 30), label = label)
    expect_lt(max(abs(with_route(route, covariance(model, a, b)) - matrix(at, 40)[1:30, 31:40])), 80 * eps,
              label = label)
  }
})

test_that("functions of the user are called in the middle of a matrix, may fail there, and may use the package", {
  set.seed(2)
  a <- matrix(runif(4000), 2000)
  calls <- 0
  breaks <- Inf
  given <- covModel("covariance", covariance = function(h) {
    calls <<- calls + 1
    if (calls > breaks) stop("enough")
    matern(h, range = 1, smoothness = 0.8)
  }, range = 0.1, dim = 2)
  expect_lt(max(abs(covariance(given, a) - matern(a, range = 0.1, smoothness = 0.8))), 40 * eps)
  other <- covModel("covariance", covariance = function(h) {
    calls <<- calls + 1
    if (calls > breaks) stop("enough")
    exp(-h)
  }, range = 0.1, dim = 2)
  before <- calls
  update(other, range = 0.2)
  breaks <- calls + (calls - before) # what is asked before the engine is at work
  expect_error(covariance(other, a), "enough|failed")
  expect_equal(matern(0, range = 1, smoothness = 1.3), 1)
})

test_backends("derivatives of a sum are those of each part", {
  set.seed(3)
  a <- matrix(runif(60), 30)
  make <- function(v) covModel("matern", v[2], v[3], variance = v[1], angle = v[4], ratio = v[5], nugget = v[6],
                               scaling = "sqrt8nu") +
    covModel("powexp", v[8], shape = v[9], variance = v[7], nugget = v[12], scales = v[10:11])
  at <- c(1.5, 0.2, 1.3, 20, 0.6, 0.1, 0.7, 0.4, 1.2, 0.8, 1.3, 0.2)
  names <- c("variance.1", "range.1", "smoothness.1", "angle.1", "ratio.1", "nugget.1", "variance.2", "range.2",
             "shape.2", "scales1.2", "scales2.2", "nugget.2")
  for (k in seq_along(at)) {
    step <- 1e-6 * max(at[k], 0.1)
    difference <- (covariance(make(replace(at, k, at[k] + step)), a) -
                     covariance(make(replace(at, k, at[k] - step)), a)) / (2 * step)
    slope <- covariance(make(at), a, deriv = names[k])
    expect_lt(max(abs(slope - difference)), 1e-8 * max(abs(slope)), label = names[k])
  }
  # one of no anisotropy has derivatives for it
  plain <- covModel("gaussian", 0.3)
  slope <- covariance(plain, a, deriv = "ratio")
  difference <- (covariance(plain, a) - covariance(update(plain, ratio = 1 - 1e-6), a)) / 1e-6
  expect_lt(max(abs(slope - difference)), 1e-5)
  expect_error(covariance(make(at), a, deriv = "range"), "one of .*range.1", class = "statcl_error_input")
  expect_error(covariance(plain, 1, deriv = "angle"), "needs coordinates", class = "statcl_error_input")
  expect_error(covariance(covModel("spherical", 1), a, deriv = "shape"), "deriv = shape",
               class = "statcl_error_input")
})

test_backends("derivatives among points are those at their distances, by tables and without", {
  set.seed(5)
  a <- matrix(runif(600), 300)
  h <- c(as.matrix(dist(a)))
  models <- list(covModel("wendland", 1.3, smoothness = 1, shape = 4), covModel("matern", 0.3, smoothness = 1.3),
                 covModel("besselj", 0.1, shape = 1), covModel("powerlaw", exponent = -3, kmin = 2, kmax = 40),
                 covModel("gammaspectrum", 0.2, exponent = 1), covModel("cubic", 0.7),
                 covModel("cauchy", 0.2, shape = 2))
  for (model in models) {
    direct <- with_route("direct", covariance(model, h, deriv = "range"))
    for (route in c("table", "size"))
      expect_lt(max(abs(with_route(route, covariance(model, a, deriv = "range")) - direct)), 1e-12 * max(abs(direct)),
                label = paste(model$name, route))
    expect_identical(covariance(model, a[1:70, ], deriv = "nugget"), diag(70), label = model$name)
  }
})

test_backends("products with vectors are those of the matrix", {
  set.seed(6)
  a <- matrix(runif(400), 200)
  b <- matrix(runif(300), 150)
  v <- matrix(rnorm(150 * 5), 150)
  part <- list(statcl:::engine_part(covModel("matern", 0.3, smoothness = 1.3)))
  among <- statcl:::engine_among(a, b, list(kind = "euclidean", radius = 1), part)
  product <- .Call(statcl:::C_covarianceProduct, among, v)
  expect_lt(max(abs(product - matern(a, b, range = 0.3, smoothness = 1.3) %*% v)), 1e-12)
})

test_that("Bessel models of large shape keep their digits", {
  expect_lt(max(abs(covariance(covModel("besselj", 1, shape = 500), seq(350, 450, length.out = 300)))), 16 * eps)
  # besselj(nu, x) gamma(nu + 1) (2/x)^nu of mpmath
  known <- rbind(c(30, 25, 0.0038776960837909237198), c(100, 60, 8.6617068063637941135e-5),
                 c(100, 95, 4.626026275645053e-12), c(500, 60, 0.16535893298525654368))
  for (i in 1:4)
    expect_lt(abs(covariance(covModel("besselj", 1, shape = known[i, 1]), known[i, 2]) - known[i, 3]), 16 * eps)
})

test_backends("small matrices have the values at their distances, whatever part of a tile they fill", {
  set.seed(6)
  a <- matrix(runif(2 * 140), 140)
  h <- as.matrix(dist(a))
  models <- list(covModel("matern", 0.3, smoothness = 1.3), covModel("exponential", 0.3),
                 covModel("matern", 0.3, smoothness = 1.3) + covModel("cubic", 0.5))
  for (model in models) for (n in c(1, 7:9, 20, 56, 57, 64, 65, 72, 73, 129, 140)) {
    wanted <- array(covariance(model, as.vector(h[1:n, 1:n])), c(n, n))
    expect_lt(max(abs(covariance(model, a[1:n, , drop = FALSE]) - wanted)), 1e-14, label = paste(n))
    expect_lt(max(abs(covariance(model, a, a[1:n, , drop = FALSE])[1:n, ] - wanted)), 1e-14, label = paste(n))
  }
})

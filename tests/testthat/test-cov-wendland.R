# Generalised Wendland functions against tools/wendland_reference.py.

eps <- .Machine$double.eps

test_backends("generalised Wendland functions, slopes and spectral densities have their digits", {
  ref <- read.csv(test_path("ref", "wendland.csv"))
  got <- mapply(function(quantity, smoothness, shape, x) {
    model <- covModel("wendland", 1, smoothness = smoothness, shape = shape)
    if (quantity == "F") return(covariance(model, x))
    if (quantity == "G") return(covariance(model, x, deriv = "range"))
    dim <- as.integer(substr(quantity, 2, 2))
    spectralDensity(model, x, dim = dim) / spectralDensity(model, 0, dim = dim)
  }, ref$quantity, ref$smoothness, ref$shape, ref$x)
  relative <- abs(got / ref$value - 1)
  # rounding 1 - x moves (1 - x)^(shape + smoothness) by as many eps
  expect_lt(max(relative[ref$quantity %in% c("F", "G")]), 40 * eps)
  expect_lt(max(abs(got - ref$value)[grepl("S", ref$quantity)]), 32 * eps)
  far <- grepl("S", ref$quantity) & ref$x > 100 & ref$smoothness < 10
  expect_lt(max(relative[far]), 1e-10)
})

test_that("tables of generalised Wendland functions agree with closed forms among points", {
  set.seed(1)
  xy <- matrix(runif(1200), 600)
  h <- as.matrix(dist(xy)) / 0.6
  for (mu in c(3, 4.5)) {
    v <- covariance(covModel("wendland", 0.6, smoothness = 1, shape = mu), xy)
    expect_gt(.Call(statcl:::C_covarianceCells), 0)
    expect_lt(max(abs(v - ifelse(h < 1, pmax(1 - h, 0)^(mu + 1) * (1 + (mu + 1) * h), 0))), 16 * eps)
    v <- covariance(covModel("wendland", 0.6, smoothness = 0, shape = mu), xy)
    expect_lt(max(abs(v - pmax(1 - h, 0)^mu)), 16 * eps)
  }
  expect_true(all(v[h >= 1] == 0))
})

test_that("generalised Wendland models are refused where they are not positive definite", {
  expect_input_error(covModel("wendland", 1, smoothness = 1, shape = 1.9), "shape = 1.9")
  expect_input_error(covModel("wendland", 1, smoothness = -0.1, shape = 2), "smoothness = -0.1")
  expect_input_error(covModel("wendland", 1, shape = 2), "smoothness is missing")
  plane <- covModel("wendland", 0.4, smoothness = 0.5, shape = 2)
  expect_error(lineCovariance(plane, 1, dim = 3), "shape >= smoothness \\+ 2")
  expect_error(covModel("wendland", 100, smoothness = 0.5, shape = 2, distance = "greatcircle"), "shape >=")
  set.seed(2)
  for (i in 1:20) {
    smoothness <- runif(1, 0, 2)
    a <- matrix(runif(60), 30)
    model <- covModel("wendland", runif(1, 0.2, 2), smoothness = smoothness, shape = smoothness + 1.5)
    expect_gt(min(eigen(covariance(model, a), TRUE, TRUE)$values), -1e-13)
  }
})

test_that("cauchy has another name", {
  expect_identical(covModel("rationalquadratic", 2, shape = 1.5), covModel("cauchy", 2, shape = 1.5))
})

# Of (1 - h)^shape, C(0) + r int C'(r sin t) dt with the root at the end of the range taken out by t = end - s^2: to
# some 1e-15 of C(0), which is 1 and cancels far out.
test_that("lines in the plane keep their digits beyond the range", {
  for (shape in c(1.5, 1.7, 2.2, 2.5)) {
    model <- covModel("wendland", 1, smoothness = 0, shape = shape)
    r <- c(0.3, 0.95, 1, 1.001, 1.1, 1.7, 4)
    expected <- vapply(r, function(r) {
      end <- if (r > 1) asin(1 / r) else pi / 2
      slope <- function(s) 2 * s * shape * pmax(0, 1 - r * sin(end - s^2))^(shape - 1)
      1 - r * integrate(slope, 0, sqrt(end), rel.tol = 1e-12, subdivisions = 1000L)$value
    }, 0)
    expect_lt(max(abs(lineCovariance(model, r, dim = 2) - expected)), 1e-12, label = paste("shape", shape))
  }
})

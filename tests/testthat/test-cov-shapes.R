# Derivatives for the parameters that a family has beside its range, against tools/covariance_shapes_reference.py.

skip_if_quick()
eps <- .Machine$double.eps
with_route <- function(route, expr) {
  old <- options(statcl.covariance.route = route)
  on.exit(options(old))
  force(expr)
}
of_row <- function(row, ...) {
  own <- strsplit(strsplit(row$parameters, ";")[[1]], "=")
  do.call(covModel, c(list(row$family, range = 1, ...), stats::setNames(lapply(own, function(p) as.numeric(p[2])),
                                                                        vapply(own, `[`, "", 1))))
}

test_backends("derivatives for parameters of families are those of 25 digits, by every route", {
  ref <- read.csv(gzfile(test_path("ref", "covariance_shapes.csv.gz")))
  groups <- split(ref, ref[c("family", "parameters", "deriv")], drop = TRUE)
  for (route in c("size", "table")) for (g in every_nth(groups, 2, if (route == "size") 1 else 2)) {
    got <- with_route(route, covariance(of_row(g[1, ]), g$x, deriv = g$deriv[1]))
    expect_lt(max(abs(got - g$value)), 1e-12 * max(abs(g$value)),
              label = paste(route, g$family[1], g$parameters[1], g$deriv[1]))
  }
})

test_backends("derivatives for parameters are the same in matrices, in parts of sums and in space and time", {
  set.seed(7)
  a <- matrix(runif(120), 60)
  h <- as.matrix(stats::dist(a))
  models <- list(covModel("wendland", 0.6, smoothness = 1.2, shape = 3.4),
                 covModel("wendland", 0.4, smoothness = 0, shape = 2), covModel("besselj", 0.1, shape = 1.3),
                 covModel("gammaspectrum", 0.2, exponent = 1),
                 covModel("powerlaw", exponent = -3.3, kmin = 2, kmax = 40))
  for (model in models) for (p in statcl:::families[[model$name]]$takes) {
    at <- matrix(covariance(model, c(h), deriv = p), 60)
    label <- paste(model$name, p)
    for (route in c("table", "direct"))
      expect_lt(max(abs(with_route(route, covariance(model, a, deriv = p)) - at)), 1e-12 * max(abs(at)),
                label = label)
    sum <- covModel("matern", 0.3, 1.3) + 2 * model
    expect_lt(max(abs(covariance(sum, a, deriv = paste0(p, ".2")) - 2 * at)), 2e-12 * max(abs(at)), label = label)
    product <- covModel("separable", space = model, time = covModel("exponential", 2))
    expect_lt(max(abs(covariance(product, cbind(a, 1), cbind(a, 2), deriv = paste0("space.", p)) - exp(-0.5) * at)),
              1e-12 * max(abs(at)), label = label)
  }
})

test_that("one call has derivatives for one parameter of a part", {
  model <- covModel("powerlaw", exponent = -3.3, kmin = 2, kmax = 40)
  wants <- lapply(c("kmin", "kmax"), function(p) statcl:::want_of(list(model), p))
  expect_error(.Call(statcl:::C_covariance, c(1, 2), statcl:::engine_parts(list(model)), wants), "two parameters")
})

test_that("scales in space have axes that are turned", {
  degrees <- c(30, -20, 70)
  a <- degrees * pi / 180
  about_z <- rbind(c(cos(a[1]), -sin(a[1]), 0), c(sin(a[1]), cos(a[1]), 0), c(0, 0, 1))
  about_y <- rbind(c(cos(a[2]), 0, -sin(a[2])), c(0, 1, 0), c(sin(a[2]), 0, cos(a[2])))
  about_x <- rbind(c(1, 0, 0), c(0, cos(a[3]), -sin(a[3])), c(0, sin(a[3]), cos(a[3])))
  axes <- about_z %*% about_y %*% about_x # in columns
  straight <- covModel("matern", range = 2, smoothness = 0.8, scales = c(1, 0.5, 0.2), nugget = 0.1)
  turned <- update(straight, rotation = degrees)
  x <- cbind(c(0, 1, 0.3, -1), c(0, 0.2, 1, 1), c(0.1, 0.7, -0.4, 0))
  expect_equal(covariance(turned, x), covariance(straight, x %*% axes), tolerance = 1e-13)
  expect_equal(covariance(turned, x, deriv = "scales2"), covariance(straight, x %*% axes, deriv = "scales2"),
               tolerance = 1e-12)
  fields <- function(model, x) seeded(tbrf(x, model, 200, nsim = 400))[]
  smooth <- update(turned, nugget = 0)
  found <- fields(smooth, x) # along the first axis ranges are long
  expect_lt(max(abs(moment_scores(found, rep(0, 4), covariance(smooth, x)))), 4.5)
  expect_gt(max(abs(moment_scores(found, rep(0, 4), covariance(update(straight, nugget = 0), x)))), 6)
  expect_output(print(turned), "turned by 30, -20, 70 degrees")
  expect_match(format(turned), "rotation = c\\(30, -20, 70\\)")
  expect_error(covModel("exponential", range = 1, rotation = 1:3), "three angles", class = "statcl_error_input")
  y <- as.vector(fields(smooth, cbind(seeded(runif(40)), seeded(runif(40), 2), seeded(runif(40), 3)))[, 1])
  at <- cbind(seeded(runif(40)), seeded(runif(40), 2), seeded(runif(40), 3))
  fit <- gpFit(y ~ 1, coords = at, cov = turned, fixed = TRUE)
  same <- gpFit(y ~ 1, coords = at %*% axes, cov = straight, fixed = TRUE)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(same)), tolerance = 1e-11)
})

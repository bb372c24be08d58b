# Matérn covariances by each route: tables, closed forms and direct values, of distances and in tiles of matrices.
eps <- .Machine$double.eps

# Where no table serves, the route "table" leads to direct values, which would be compared with themselves.
served <- function() .Call(statcl:::C_covarianceCells) > 0
with_matern <- function(route, expr) {
  old <- options(statcl.covariance.route = route)
  on.exit(options(old))
  force(expr)
  if (route == "table") expect_true(served())
  expr
}
worst <- function(value, wanted, limit) max(relative_error(value, wanted) / limit, na.rm = TRUE)
# The entry below matern(), without its checks of places.
tiles <- function(a, nu, range, metric = "euclidean", map = NULL, radius = 1, deriv = "none")
  .Call(statcl:::C_covarianceMatrix, statcl:::engine_among(
    a, NULL, list(kind = metric, radius = radius),
    list(list(`function` = "matern", scaling = "plain", parameters = cbind(nu, range, 1), map = map))),
    list(list(deriv, 1L, NULL)), NULL)
routes <- c("table", "direct", "size") # the last is none that is known: by size

ref <- read_ref("matern")

# x = r/range is rounded, which moves the value by x eps/2; the rest is 8 eps for moderate smoothness.
allowed <- function(nu, x) ifelse(nu <= 20, (8 + x / 2) * eps, 1e-13)

worst_in_ref <- function(ref, route, deriv, column, limit) {
  value <- mapply(function(r, range, nu)
    with_matern(route, matern(r, range = range, smoothness = nu, deriv = deriv)), ref$r_hex, ref$beta_hex, ref$nu_hex)
  wanted <- ref[[column]]
  error <- ifelse(abs(wanted) < 1e-300, abs(value - wanted) / 1e-300, relative_error(value, wanted) / limit)
  max(error)
}

test_backends("every row of the reference, and every route", {
  skip_if_quick()
  # each route has a third of the rows, another for each quantity, and each quantity all rows by the three routes
  for (i in seq_along(routes)) {
    part <- function(k) ref[every_nth(seq_len(nrow(ref)), 3, (i + k) %% 3 + 1), ]
    given <- part(0)
    limit <- allowed(given$nu_hex, given$r_hex / given$beta_hex)
    expect_lt(worst_in_ref(given, routes[i], "none", "corr", limit), 1, label = routes[i])
    expect_lt(worst_in_ref(part(1), routes[i], "range", "dcorr_dbeta", 1e-13), 1, label = routes[i])
    expect_lt(worst_in_ref(part(2), routes[i], "smoothness", "dcorr_dnu", 1e-13), 1, label = routes[i])
  }
})

test_backends("values below the smallest normal number are rounded, not lost", {
  x <- c(seq(700, 750, length.out = 101), 800, 1023, 1025, 1e300)
  for (nu in c(0.5, 2.5)) {
    form <- if (nu == 0.5) exp(-x) else ifelse(x < 1e4, exp(-x + log1p(x + x^2 / 3)), 0)
    for (route in routes)
      expect_lte(max(abs(with_matern(route, matern(x, range = 1, smoothness = nu)) - form) -
                       (if (nu == 0.5) 4 + x / 2 else 4 * x) * eps * form), 2^-1073, label = paste(nu, route))
  }
})

test_backends("a table agrees with direct values at random distances", {
  set.seed(2)
  for (nu in c(0.05, 0.3, 0.5, 0.9, 1, 1 + 1e-8, 1.5, 2.7, 5, 9.3, 20, 60)) {
    x <- exp(runif(if (useDevice() == "cpu") 1e5 else 1e4, log(1e-6), log(40)))
    direct <- with_matern("direct", matern(x, range = 1, smoothness = nu))
    table <- with_matern("table", matern(x, range = 1, smoothness = nu))
    # both may be wrong by as much; here x is exact
    expect_lt(worst(table, direct, 2 * allowed(nu, 0)), 1, label = format(nu, digits = 10))
    for (scaling in c("plain", "sqrt2nu")) for (deriv in c("range", "smoothness")) {
      if (nu >= 50 && scaling != "plain" && deriv == "smoothness") next # it has values of its own, and no table
      call <- function() matern(x / 10, range = 1, smoothness = nu, scaling = scaling, deriv = deriv)
      direct <- with_matern("direct", call())
      # the derivative for smoothness changes its sign where distances are scaled
      size <- abs(direct) + if (scaling != "plain") matern(x / 10, range = 1, smoothness = nu, scaling = scaling,
                                                           deriv = "range") / nu else 0
      expect_lt(max(abs(with_matern("table", call()) - direct) / size), 1e-13, label = paste(nu, scaling, deriv))
    }
  }
})

test_backends("far distances alone have a table", {
  x <- seq(260, 600, length.out = 5000)
  table <- with_matern("table", matern(x, range = 1, smoothness = 0.8))
  expect_lt(worst(table, with_matern("direct", matern(x, range = 1, smoothness = 0.8)), 16 * eps), 1)
})

test_backends("distances beyond a table are filled in", {
  x <- c(0, 1e-300, 1e-100, 1e-30, 1e-9, 0.1, 3, 1e3, 1e5, Inf, NA, NaN)
  for (nu in c(0.05, 1.3)) for (deriv in c("none", "range", "smoothness")) {
    by <- function(route) with_matern(route, matern(x, range = 1, smoothness = nu, deriv = deriv))
    expect_lt(worst(by("table"), by("direct"), 1e-13), 1)
    expect_identical(is.nan(by("table")), is.nan(x))
    expect_identical(is.na(by("table")), is.na(x))
  }
  # ... also in tiles: places that all but meet, and one that is missing
  a <- cbind(c(0, 1e-200, 1e-30, 1, 2, NA, runif(64)), 0)
  for (deriv in c("none", "range")) {
    by <- function(route) with_matern(route, tiles(a, 0.2, 1, deriv = deriv))
    expect_lt(worst(by("table"), by("direct"), 1e-13), 1)
    expect_identical(is.na(by("table")), outer(is.na(a[, 1]), is.na(a[, 1]), `|`))
  }
})

test_backends("exp(x) K beyond a table is filled in, where K is 0", {
  set.seed(7)
  x <- c(runif(1e5, 1, 100), 1024, 5000, Inf)
  for (scaled in c(TRUE, FALSE)) for (route in c("table", "size")) {
    value <- with_matern(route, besselKgpu(x, 1.3, scaled))
    expect_true(served())
    expect_lt(worst(value, with_matern("direct", besselKgpu(x, 1.3, scaled)), 16 * eps), 1)
    expect_identical(value[1e5 + 1:3] > 0, c(scaled, scaled, FALSE))
  }
})

test_backends("matrices of any size and dimension hold the values at their distances", {
  skip_if_quick()
  set.seed(3)
  for (n in c(1, 7, 8, 63, 64, 65, 130)) for (dim in c(1, 2, 3, 5)) {
    a <- matrix(rnorm(n * dim), n)
    b <- matrix(rnorm(71 * dim), 71)
    from <- unname(as.matrix(stats::dist(rbind(a, b))))
    # distances: dim + 2 roundings on either side; values: 8 eps on either side
    limit <- (16 + (dim + 2) * from / 0.7) * eps
    for (nu in c(0.5, 1.3)) for (route in routes) {
      value <- function(r) with_matern("direct", matern(r, range = 0.7, smoothness = nu, variance = 2))
      label <- paste(n, dim, nu, route)
      covariances <- function(...)
        with_matern(route, matern(..., range = 0.7, smoothness = nu, variance = 2, nugget = 0.5, distance = "euclid"))
      whole <- covariances(a)
      wanted <- matrix(value(c(from)), n + 71)
      expect_lt(worst(whole, wanted[1:n, 1:n] + diag(0.5, n), limit[1:n, 1:n]), 1, label = label)
      expect_identical(whole, t(whole), label = label)
      expect_identical(diag(whole), rep(2.5, n), label = label)
      cross <- covariances(a, b)
      expect_lt(worst(cross, wanted[1:n, n + 1:71], limit[1:n, n + 1:71]), 1, label = label)
    }
  }
})

test_backends("differences are mapped before they are measured", {
  set.seed(4)
  for (dim in c(1, 2, 4)) {
    a <- matrix(rnorm(100 * dim), 100)
    map <- matrix(rnorm(dim^2), dim)
    value <- tiles(a, 1.3, 0.7, map = map)
    norm <- function(m, of) {
      parts <- lapply(1:dim, function(k) of(outer(a[, k], a[, k], "-")))
      sums <- lapply(1:dim, function(i) Reduce(`+`, Map(`*`, m[i, ], parts)))
      sqrt(Reduce(`+`, lapply(sums, `^`, 2)))
    }
    r <- norm(map, identity)
    # a sum that cancels is wrong by dim roundings of the sum of sizes
    limit <- (16 + (dim + 2) * norm(abs(map), abs) / 0.7) * eps
    expect_lt(worst(value, matrix(matern(c(r), range = 0.7, smoothness = 1.3), 100), limit), 1)
  }
})

test_backends("spheres", {
  set.seed(5)
  place <- cbind(runif(70, -180, 180), runif(70, -90, 90))
  place[2, ] <- c(place[1, 1] + 180, -place[1, 2]) # antipodes
  place[4, ] <- place[3, ] + c(1e-9, 0)
  u <- place * pi / 180
  xyz <- cbind(cos(u[, 2]) * cos(u[, 1]), cos(u[, 2]) * sin(u[, 1]), sin(u[, 2]))
  chord <- as.matrix(stats::dist(xyz))
  sum_of <- sqrt(outer(1:70, 1:70, Vectorize(function(i, j) sum((xyz[i, ] + xyz[j, ])^2))))
  arc <- 2 * atan2(chord, sum_of)
  measure <- function(metric) -log(tiles(place, 0.5, 1, metric, radius = 3))
  expect_equal(measure("chordal"), 3 * unname(chord), tolerance = 1e-14)
  expect_equal(measure("greatcircle"), 3 * unname(arc), tolerance = 1e-14)
  # the metric near a point of the sphere, where the exponential would hide digits: differentiate for the range
  near <- tiles(place[3:4, ], 0.5, 1, "greatcircle", deriv = "range")[1, 2]
  apart <- (place[4, 1] - place[3, 1]) * pi / 180 * cos(u[3, 2])
  expect_equal(near, apart * exp(-apart), tolerance = 1e-14)
  # across a pole
  for (lat in c(89.99, 90 - 1e-9, 1e-9 - 90, 45.1, -60)) {
    apart <- 2 * (90 - abs(lat)) * pi / 180
    across <- function(metric) tiles(rbind(c(0, lat), c(180, lat)), 0.5, 1, metric, deriv = "range")[1, 2]
    expect_lt(relative_error(across("greatcircle"), apart * exp(-apart)), 8 * eps)
    chord <- 2 * sin(apart / 2)
    expect_lt(relative_error(across("chordal"), chord * exp(-chord)), 8 * eps)
  }
})

test_that("a result that R has no room for is an error of the input", {
  none <- matrix(0, 7e7, 0)
  expect_error(tiles(none, 0.5, 1), "is too large", class = "statcl_error_input")
})

test_backends("coordinates of any size", {
  set.seed(6)
  a <- matrix(runif(40), 20)
  plain <- matern(a, range = 0.3, smoothness = 1.3)
  for (k in c(-1020, -600, 600, 1000))
    expect_identical(matern(a * 2^k, range = 0.3 * 2^k, smoothness = 1.3), plain, label = format(k))
  far <- rbind(a, c(Inf, 0), c(NaN, 0))
  expect_equal(tiles(far, 1.3, 0.3)[1:20, ], cbind(plain, 0, NaN), tolerance = 1e-14)
  expect_equal(matern(c(0.1, 1, 5) * 1e-310, range = 1e-310, smoothness = 1.3), matern(c(0.1, 1, 5), range = 1,
               smoothness = 1.3), tolerance = 1e-13)
})

test_backends("ranges at the ends of double precision", {
  r <- c(0, 5e-324, 2.2e-308, 1e-300, 1, 1e300, Inf)
  for (range in c(5e-324, 1e-300, 1e300, 1.7e308)) for (nu in c(1e-10, 0.5, 1.5, 20.3)) {
    for (scaling in c("plain", "sqrt2nu", "sqrt8nu")) for (deriv in c("none", "range", "smoothness"))
      expect_false(anyNA(matern(r, range = range, smoothness = nu, scaling = scaling, deriv = deriv)))
    value <- matern(r, range = range, smoothness = nu)
    expect_identical(value[c(1, 7)], c(1, 0))
    expect_true(all(value >= 0 & value <= 1 + 4 * eps & diff(c(value, 0)) <= 4 * eps))
  }
})

test_backends("the derivative for a vanishing smoothness is 2 K_0", {
  x <- c(1e-9, 0.1, 1, 5, 50, 140)
  for (nu in c(5e-324, 1e-310, 1e-300, 1e-100, 1e-20))
    expect_lt(worst(matern(x, range = 1, smoothness = nu, deriv = "smoothness"), 2 * besselKgpu(x, 0), 16 * eps), 1)
})

test_that("a verbose table tells its error", {
  old <- options(statcl.verbose = TRUE, statcl.covariance.route = "table")
  on.exit(options(old))
  expect_message(matern(1:3, range = 1, smoothness = 1.3), "covariance: table of [0-9]+ cells, .* eps")
})

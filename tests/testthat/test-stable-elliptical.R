# Values of the radial density, its derivatives and the tails of the radius by its two series in more than 100 bits:
# the first 637 rows checked against the other series, closed forms and a contour integral; alpha from 0.1 to 2.
ref <- read_ref("mstable")

values <- function(r, alpha, d) statcl:::elliptical_values(r, alpha, d, TRUE)
tails <- function(r, alpha, d) .Call(statcl:::C_ellipticalTails, as.double(r), as.double(alpha), as.double(d))

# 2e-13 of the larger of 1 and the value, and what one unit in the last place of alpha and r makes.
allowed <- function(t) {
  by_alpha <- ifelse(is.na(t$by_alpha) | !is.finite(t$by_alpha), 0, t$by_alpha)
  2e-13 * pmax(1, abs(t$log_h)) + 2^-52 * (abs(t$alpha * by_alpha) + abs(t$r * t$by_r))
}

test_backends("radial densities agree with high precision", {
  v <- values(ref$r, ref$alpha, ref$d)
  expect_lte(max(abs(v[, 1] - ref$log_h) / allowed(ref)), 1)
  expect_lte(max(log_error(v[, 1], ref$log_h)), 5e-15)
  some <- ref$by_r != 0
  expect_lte(max(relative_error(v[some, 2], ref$by_r[some])), 1e-12)
  expect_true(all(v[!some, 2] == 0))
  known <- is.finite(ref$by_alpha)
  expect_lte(max(relative_error(v[known, 3], ref$by_alpha[known])), 1e-11)
  # one distribution at a time, as most calls have it
  for (of in split(ref, paste(ref$alpha, ref$d))[c(1, 17, 40)])
    expect_identical(values(of$r, of$alpha[1], of$d[1]), values(of$r, of$alpha, of$d))
})

test_backends("tails of the radius agree with high precision", {
  v <- tails(ref$r, ref$alpha, ref$d)
  for (k in 1:2) {
    known <- !is.na(ref[[c("log_lower", "log_upper")[k]]])
    value <- ref[[c("log_lower", "log_upper")[k]]][known]
    expect_gt(sum(known), 500)
    # logs below the smallest number are 0
    zero <- abs(value) < 1e-300
    expect_lte(max(relative_error(v[known, k][!zero], value[!zero])), 1e-12)
    expect_lte(max(abs(v[known, k][zero]), 0), 1e-300)
  }
})

test_that("closed forms are met", {
  r <- c(0, 1e-300, 1e-10, 0.1, 1, 3, 10, 100, 1e10, 1e100, 1e150)
  for (d in c(1, 2, 5, 30, 200)) {
    cauchy <- lgamma((d + 1) / 2) - (d + 1) / 2 * (log(pi) + ifelse(r > 1e8, 2 * log(r), log1p(r^2)))
    expect_lte(max(log_error(values(r, 1, d)[, 1], cauchy)), 1e-14)
    normal <- -d / 2 * log(4 * pi) - r^2 / 4
    expect_lte(max(log_error(values(r, 2, d)[, 1], normal)), 1e-14)
    expect_identical(values(r, 2, d)[, 2], -r / 2)
    few <- c(0.1, 1, 5, 20)
    expect_lte(max(log_error(tails(few, 2, d)[, 1], pgamma(few^2 / 4, d / 2, log.p = TRUE))), 1e-12)
    expect_lte(max(log_error(tails(few, 2, d)[, 2], pgamma(few^2 / 4, d / 2, lower.tail = FALSE, log.p = TRUE))),
               1e-12)
  }
})

test_that("one dimension is the symmetric distribution", {
  r <- c(0, 10^seq(-8, 12, 0.5))
  for (alpha in c(0.1, 0.5, 0.9, 1, 1.2, 1.7, 1.9, 1.99, 1.9999, 2)) {
    expect_lte(max(log_error(values(r, alpha, 1)[, 1], dstable(r, alpha, 0, log = TRUE))), 2e-14)
    upper <- log(2) + pstable(r, alpha, 0, lower.tail = FALSE, log.p = TRUE)
    expect_lte(max(log_error(tails(r[-1], alpha, 1)[, 2], upper[-1])), 2e-13)
  }
})

test_that("derivatives go from dimension to dimension", {
  r <- 10^seq(-3, 5, 0.25)
  for (alpha in c(0.15, 0.7, 1, 1.4, 1.8, 1.95, 1.9999)) for (d in c(1, 2, 7, 50, 150)) {
    v <- values(r, alpha, d)
    other <- -2 * pi * r * exp(values(r, alpha, d + 2)[, 1] - v[, 1])
    expect_lte(max(relative_error(v[, 2], other)), 2e-11)
  }
})

test_that("values go on where lines change", {
  # at the split, in alpha and in the radius, and where the derivative is of two dimensions more
  for (d in c(1, 3, 30, 200)) {
    rho <- d / 2
    r <- 2 * sqrt(rho * (1 + c(-1, 1) * 1e-12))
    for (alpha in c(1.96, 1.995, 1.99999)) {
      v <- values(r, alpha, d)
      moved <- v[1, 1] + diff(r) * v[1, 2]
      expect_lte(abs(v[2, 1] - moved), 1e-13 * max(1, abs(moved)))
      expect_lte(max(relative_error(v[2, 2:3], v[1, 2:3])), 1e-9)
      expect_lte(log_error(tails(r, alpha, d)[2, 2], tails(r, alpha, d)[1, 2]), 1e-10)
    }
    r <- 2 * sqrt(c(0.3, 1, 2) * rho)
    a <- values(r, 1.95, d)
    b <- values(r, 1.95 + 1e-9, d)
    expect_lte(max(abs(b[, 1] - a[, 1] - 1e-9 * a[, 3]) / pmax(1, abs(a[, 1]))), 1e-12)
    expect_lte(max(relative_error(b[, 3], a[, 3])), 1e-6)
  }
  s <- seq(-30, 40, length.out = 3000)
  for (alpha in c(0.3, 1.3, 1.97)) for (d in c(2, 100)) {
    v <- values(exp(s), alpha, d)
    expect_true(all(diff(v[, 1]) <= 1e-13 * pmax(1, abs(v[-1, 1]))))
  }
})

test_that("a table gives the direct values", {
  old <- options(statcl.stable.route = "direct")
  on.exit(options(old))
  for (alpha in c(0.2, 0.7, 1.5, 1.9, 1.999)) for (d in c(1, 4, 100)) {
    r <- sqrt(d) * c(0, exp(seq(-40, 60, length.out = 1500)), 1e300)
    direct <- values(r, alpha, d)
    options(statcl.stable.route = "table")
    table <- values(r, alpha, d)
    options(statcl.stable.route = "direct")
    expect_lte(max(log_error(table[, 1], direct[, 1])), 1e-13)
    expect_lte(max(relative_error(table[-1, 2], direct[-1, 2])), 1e-11)
    # where it passes 0 its error is that of its size nearby
    expect_lte(max(abs(table[, 3] - direct[, 3]) / pmax(1, abs(direct[, 3]))), 1e-11)
  }
  options(statcl.stable.route = "size")
  r <- exp(seq(-3, 5, length.out = 1500))
  apart <- c(values(r[1:750], 1.7, 3)[, 1], values(r[751:1500], 1.7, 3)[, 1])
  expect_lte(max(log_error(values(r, 1.7, 3)[, 1], apart)), 1e-13)
})

test_that("ends and what is invalid", {
  v <- values(c(0, Inf, NaN, -1, 1, 1, 1), c(1.5, 1.5, 1.5, 1.5, 0, 2.1, NA), 3)
  expect_identical(is.nan(v[, 1]), c(FALSE, FALSE, TRUE, TRUE, TRUE, TRUE, TRUE))
  expect_identical(v[2, 1], -Inf)
  expect_identical(v[1, 2], 0)
  expect_identical(tails(c(0, Inf), 1.2, 3), cbind(c(-Inf, 0), c(0, -Inf)))
  both <- exp(tails(exp(seq(-5, 10)), 0.6, 4))
  expect_equal(rowSums(both), rep(1, 16), tolerance = 1e-15)
})

S <- matrix(c(2, 0.8, 0.8, 1), 2, dimnames = list(c("a", "b"), c("a", "b")))

test_that("densities at points", {
  x <- rbind(one = c(0, 0), two = c(3, -1), three = c(NA, 1), four = c(Inf, 0))
  r <- sqrt(mahalanobis(x[2, , drop = FALSE], c(1, 1), S))
  expect_equal(dmstable(x[2, ], 1.6, S, c(1, 1), log = TRUE),
               statcl:::elliptical_values(r, 1.6, 2)[, 1] - log(det(S)) / 2, tolerance = 1e-14)
  v <- dmstable(x, 1.6, S)
  expect_named(v, rownames(x))
  expect_identical(unname(v[3:4]), c(NA, 0))
  expect_identical(dmstable(as.data.frame(x), 1.6, S), v)
  # variables by their names
  named <- matrix(S, 2, dimnames = list(NULL, c("a", "b")))
  expect_identical(dmstable(cbind(b = -1, a = 3), 1.6, named, c(b = 0, a = 1)), dmstable(c(3, -1), 1.6, S, c(1, 0)))
  expect_identical(dmstable(c(b = -1, a = 3), 1.6, named), v[["two"]])
  expect_equal(pmstable(c(b = -1, a = -3), c(b = 1, a = Inf), 1.6, named), pmstable(c(-3, -1), c(Inf, 1), 1.6, S),
               tolerance = 1e-3, ignore_attr = TRUE)
  three <- list(s = rbind(c(a = 1, b = 0), c(0, 1), c(-1, 1)), mass = 1:3)
  expect_identical(dmstable(c(b = -1, a = 3), 1.6, spectral = three), dmstable(c(3, -1), 1.6, spectral = three))
  expect_error(dmstable(cbind(a = 1, c = 2), 1.6, named), "x = c: x must have the names of the variables: a, b",
               class = "statcl_error_input")
  expect_error(dmstable(c(a = 1, a = 2), 1.6, named), "x = a: x must have each variable once")
  expect_error(dmstable(c(1, 2), 1.6, named, c(A = 1, b = 2)), "delta = A", class = "statcl_error_input")
  expect_equal(dmstable(c(-1, 0, 2), 1.3, 4), dstable(c(-1, 0, 2), 1.3, 0, 2), tolerance = 1e-14)
  expect_equal(unname(dmstable(x[1:2, ], c(1.2, 1.8), S)), c(dmstable(x[1, ], 1.2, S), dmstable(x[2, ], 1.8, S)))
  # coordinates whose squares are no numbers
  expect_equal(dmstable(c(1e200, 0), 1.5, diag(2), log = TRUE),
               statcl:::elliptical_values(1e200, 1.5, 2)[, 1], tolerance = 1e-15)
  expect_equal(dmstable(c(1e-200, 0), 1.5, diag(2)), dmstable(c(0, 0), 1.5, diag(2)))
  expect_equal(dmstable(c(1, 2) * 1e-160, 1.5, S * 1e-320, log = TRUE), dmstable(c(1, 2), 1.5, S, log = TRUE) +
                 320 * log(10), tolerance = 1e-3)
  expect_equal(stats::integrate(function(x) sapply(x, function(a) stats::integrate(function(b)
    dmstable(cbind(a, b), 1.5, S), -Inf, Inf)$value), 0, Inf)$value, 0.5, tolerance = 1e-4)
  expect_warning(expect_identical(dmstable(1:2, 2.5, S), NaN), "NaNs produced")
  expect_identical(dmstable(matrix(0, 0, 2), 1.5, S), numeric())
  # a large scale of one variable does not make a matrix singular
  expect_equal(dmstable(c(1e8, 1), 1.5, diag(c(1e16, 1))), dmstable(c(1, 1), 1.5, diag(2)) / 1e8)
})

test_that("errors name the argument", {
  expect_error(dmstable(1:3, 1.5, S), "x has 3 elements: one point has 2", class = "statcl_error_input")
  expect_error(dmstable(matrix(1, 2, 3), 1.5, S), "x has 3 columns: it must have 2")
  expect_error(dmstable(1:2, 1.5, matrix(1, 2, 2)), "S is not positive definite, its smallest eigenvalue")
  expect_error(dmstable(1:2, 1.5, matrix(c(1, 0.5, 0.2, 1), 2)), "S[2, 1] = 0.5, but S[1, 2] = 0.2", fixed = TRUE)
  expect_error(dmstable(1:2, 1.5, matrix(1, 2, 3)), "S has 2 rows and 3 columns")
  expect_error(dmstable(1:2, 1.5, "a"), "S = a: S must be")
  expect_error(dmstable(1:2, 1.5, diag(c(1, NA))), "S[2, 2] = NA", fixed = TRUE)
  expect_error(dmstable(1:2, 1.5, S, 1:3), "delta has 3 elements: it must have 1 or 2")
  expect_error(dmstable(1:2, rep(1.5, 3), S), "alpha has 3 elements")
  expect_error(dmstable(data.frame(a = 1, b = "x"), 1.5, S), "column b of x is of class character")
  expect_error(rmstable(3, 2.2, S), "alpha = 2.2: alpha must be greater than 0 and at most 2")
  expect_error(rmstable(-1, 1.2, S), "n = -1")
  expect_error(pmstableRadius(1, 1.2, 1.5), "d = 1.5: d must be a positive whole number")
})

test_that("probabilities of rectangles", {
  set.seed(1)
  p <- pmstable(c(-1, -1, -1), c(1, 1, 1), 2, diag(3) * 0.5)
  expect_equal(as.vector(p), diff(pnorm(c(-1, 1)))^3, tolerance = 1e-12)
  p <- pmstable(c(-1, -1), c(1, 2), 1.4, S, 0.2, abseps = 1e-5)
  inner <- function(a) sapply(a, function(a) stats::integrate(function(b) dmstable(cbind(a, b), 1.4, S, 0.2), -1, 2,
                                                           rel.tol = 1e-9)$value)
  exact <- stats::integrate(inner, -1, 1, rel.tol = 1e-8)$value
  expect_lte(abs(p - exact), attr(p, "error") + 1e-8)
  expect_lte(attr(p, "error"), 1e-5)
  # orthants of correlation rho: 1/4 + asin(rho)/(2 pi), whatever alpha
  rho <- 0.8 / sqrt(2)
  for (alpha in c(0.5, 1.9)) {
    p <- pmstable(c(0, 0), Inf, alpha, S, abseps = 1e-5)
    expect_lte(abs(p - 0.25 - asin(rho) / (2 * pi)), attr(p, "error") + 1e-7)
  }
  expect_equal(as.vector(pmstable(-Inf, c(1, Inf), 1.3, S)), pstable(1, 1.3, 0, sqrt(2)))
  # far out: beyond (a, a) in the direction theta is the radius beyond a over the lesser component
  L <- t(chol(S))
  beyond <- function(a, alpha) stats::integrate(function(theta) {
    by <- pmin(L[1, 1] * cos(theta), L[2, 1] * cos(theta) + L[2, 2] * sin(theta))
    pmstableRadius(ifelse(by > 0, a / by, Inf), alpha, 2, lower.tail = FALSE) / (2 * pi)
  }, -pi / 2, pi / 2, rel.tol = 1e-7, abs.tol = 0, subdivisions = 1000)$value
  for (alpha in c(0.3, 1, 1.5, 1.9, 1.99)) for (a in c(3, 1e3, 1e12)) {
    p <- pmstable(c(a, a), Inf, alpha, S, abseps = 0, releps = 0.003, maxpts = 2e5)
    exact <- beyond(a, alpha)
    expect_lte(attr(p, "error"), 0.02 * exact)
    expect_lte(abs(p - exact), attr(p, "error") + 1e-6 * exact)
  }
  expect_equal(as.vector(pmstable(c(1e300, 1e300), Inf, 0.1, S)), beyond(1e300, 0.1), tolerance = 0.01)
  p <- pmstable(rbind(a = c(0, 0), b = c(NA, 1), c = c(3, 3)), c(1, 1), 1.3, S)
  expect_identical(names(p), c("a", "b", "c"))
  expect_identical(is.na(unname(as.vector(p))), c(FALSE, TRUE, FALSE))
  expect_identical(p[["c"]], 0)
})

test_that("radius: density, tails and quantiles", {
  expect_equal(stats::integrate(dmstableRadius, 0, 40, alpha = 1.2, d = 3, rel.tol = 1e-10)$value,
               pmstableRadius(40, 1.2, 3), tolerance = 1e-10)
  grid <- expand.grid(lp = -c(1e-12, 0.01, 0.5, 3, 100), alpha = c(0.3, 1, 1.7, 1.999), d = c(1, 3, 60))
  for (lower in c(TRUE, FALSE)) {
    q <- qmstableRadius(grid$lp, grid$alpha, grid$d, lower, TRUE)
    some <- is.finite(q) & q > 0
    expect_gt(mean(some), 0.9)
    back <- pmstableRadius(q, grid$alpha, grid$d, lower, TRUE)
    expect_lte(max(relative_error(back[some], grid$lp[some])), 1e-11)
  }
  expect_identical(qmstableRadius(c(0, 1), 1.5, 2), c(0, Inf))
  expect_warning(expect_identical(qmstableRadius(2, 1.5, 2), NaN))
  expect_identical(names(pmstableRadius(c(a = 1, b = NA), 1.5, 2)), c("a", "b"))
  expect_identical(pmstableRadius(c(-1, 0, Inf), 1.5, 2), c(0, 0, 1))
  expect_identical(dmstableRadius(c(-1, Inf), 1.5, 2), c(0, 0))
})

test_backends("draws are of the distribution, and of a stream", {
  set.seed(7)
  x <- rmstable(20000, 1.5, S, c(a = 1, b = -2))
  expect_identical(colnames(x), c("a", "b"))
  set.seed(7)
  expect_equal(rmstable(5, 1.5, S, c(1, -2), first = 1001), x[1001:1005, ], tolerance = 1e-12)
  r <- statcl:::elliptical_radius(x, c(1, -2), t(chol(S)))
  expect_gt(stats::ks.test(r, function(q) pmstableRadius(q, 1.5, 2))$p.value, 1e-3)
  w <- c(2, -3)
  y <- drop(x %*% w) - sum(w * c(1, -2))
  expect_gt(stats::ks.test(y, pstable, 1.5, 0, sqrt(sum(w * (S %*% w))))$p.value, 1e-3)
  normal <- rmstable(20000, 2, S)
  expect_lte(max(abs(stats::var(normal) / (2 * S) - 1)), 0.06)
  almost <- rmstable(20000, 2 - 1e-9, S)
  expect_lte(max(abs(stats::var(almost) / (2 * S) - 1)), 0.06)
  set.seed(3)
  a <- rmstable(3, 1.2, 1)
  expect_false(identical(a, rmstable(3, 1.2, 1)))
  expect_identical(dim(rmstable(0, 1.2, S)), c(0L, 2L))
})

test_that("where the mixing variable is beyond all numbers draws are infinite, with a sign", {
  set.seed(1)
  x <- rmstable(200, 0.001, matrix(c(2, -1, -1, 1), 2), c(1, 2))
  expect_false(anyNA(x))
  expect_true(any(x == Inf) && any(x == -Inf))
  expect_error(rmstable(2, 1.5), "S is missing")
  expect_error(dmstable(c(0, 0), S = diag(2)), "alpha is missing")
  expect_error(pmstable(0, 1, 1.5), "S is missing")
})

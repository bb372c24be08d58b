# Oscillation without end, singularities at limits, scales of x, and regions whose sums are taken on the device.
fast_builds_in_file()
few_on_devices(2)

test_backends("tails that oscillate are extrapolated", {
  x <- integrategpu(function(x) sin(w * x) / x, 0, Inf, params = list(w = 10^(-2:4)))
  expect_equal(x$value, rep(pi / 2, 7), tolerance = 1e-10)
  expect_identical(x$code, integer(7))
  expect_lt(max(x$evaluations), 21000) # more than half of them look at what is beyond the last zero
  w <- c(0.01, 1, 30, 1e4)
  x <- integrategpu(function(x) c(cos(w * x), x * sin(w * x)) / (1 + x^2), 0, Inf, params = list(w = w),
                    abs.tol = 1e-11)
  expect_lt(max(abs(x$value - pi / 2 * exp(-w))), 1e-11)
  expect_identical(x$code, integer(4))
  # Fresnel's integrals, both directions and both sides; a singularity at the end besides
  for (value in list(integrategpu(~ sin(x^2), 0, Inf), integrategpu(~ -sin(x^2), Inf, 0),
                     integrategpu(~ sin(x^2), -Inf, 0), integrategpu(~ cos(x^2) / 2, -Inf, Inf)))
    expect_equal(value$value, sqrt(pi / 8), tolerance = 1e-10)
  expect_equal(integrategpu(~ cos(x) / sqrt(x), 0, Inf)$value, sqrt(pi / 2), tolerance = 1e-10)
  x <- integrategpu(~ sin(x - 3) / (x - 3), 3, Inf, params = data.frame(row.names = 1))
  expect_equal(x$value, pi / 2, tolerance = 1e-10)
})

test_that("what does not converge, or cannot be known, has a code", {
  code <- function(f) integrategpu(f, 0, Inf, stop.on.error = FALSE, abs.tol = 1e-10)$code
  expect_gt(code(~ sin(x)), 0L)
  expect_gt(code(~ x * sin(x)), 0L)
  expect_gt(code(~ sin(x)^2 / x), 0L)
  # a peak beyond all zeros that are looked at
  expect_gt(code(~ cos(30 * x) / (1 + (x - 50)^2)), 0L)
})

test_backends("powers next to limits other than 0", {
  value <- function(...) {
    found <- integrategpu(...)
    expect_true(all(found$code == 0L))
    found$value
  }
  p <- -0.95
  expect_equal(value(~ (1 - x)^p, 0, 1), 20, tolerance = 1e-9)
  expect_equal(value(~ (1 - x)^p, 1, 0), -20, tolerance = 1e-9)
  expect_equal(value(~ (x - 1)^p, 1, 2), 20, tolerance = 1e-9)
  expect_equal(value(~ (x - 1)^p, 1, 2, breaks = c(1.2, 1.7)), 20, tolerance = 1e-9)
  expect_equal(value(~ (x - 2)^p * exp(2 - x), 2, Inf), gamma(0.05), tolerance = 1e-9)
  expect_equal(value(~ x * (u - x)^p, 0, 1:3, params = list(u = 1:3)), (1:3)^1.05 * beta(2, 0.05), tolerance = 1e-9)
  expect_equal(value(~ dbeta(x, a, b), 0, 1, params = list(a = c(0.05, 4, 0.5), b = c(0.05, 0.03, 0.1))), rep(1, 3),
               tolerance = 1e-9)
  expect_gt(integrategpu(~ 1 / (1 - x), 0, 1, stop.on.error = FALSE)$code, 0L)
})

test_backends("scales of x next to 0, and what rounding of x leaves", {
  s <- 10^c(0, -10, -16, -30)
  x <- integrategpu(~ dt(x / s, 3) / s, -Inf, Inf, params = list(s = s))
  expect_lt(max(abs(x$value - 1)), 1e-12)
  x <- integrategpu(~ dcauchy(x, 0, s), c(-1, 0), c(0, 1), params = list(s = rep(s[2:4], each = 2)))
  expect_lt(max(abs(x$value - 0.5)), 2e-10)
  # far from 0 the error of a narrow peak is what units of the last digit of x make of it
  s <- 10^-(3:8)
  x <- suppressWarnings(integrategpu(~ dcauchy(x, 3, s), -Inf, Inf, params = list(s = s),
                                     breaks = 3 + outer(s, c(-10, 0, 10))))
  expect_true(all(abs(x$value - 1) < 10 * x$abs.error))
})

test_backends("sums over blocks do not depend on how they are cut", {
  f <- function(x) exp(-x) * sin(5 * x)
  truth <- (5 - exp(-2) * (5 * cos(10) + sin(10))) / 26
  for (region in list(c(8, 16), c(3, 50), c(5, 97), c(64, 1))) for (method in c("pbcaq", "pscaq")) {
    x <- integrategpu(f, 0, 2, method = method, abs.tol = 1e-7, region = region)
    expect_lt(abs(x$value - truth), 1e-7)
    same <- integrategpu(f, 0, 2, method = "bcaq", abs.tol = 1e-7, region = region)
    if (method == "pbcaq") {
      expect_identical(x$evaluations, same$evaluations)
      expect_equal(x$value, same$value, tolerance = 1e-14)
    }
  }
})

test_that("what oscillates without changing its sign is summed up by periods", {
  # the integral of J_nu(x)^2/x is 1/(2 nu)
  cases <- list(list(function(x) (sin(x) / x)^2, pi / 2), list(function(x) (sin(x) / x)^4, pi / 3),
                list(function(x) (2 + cos(x)) / (1 + x^2), pi / 2 * (2 + exp(-1))),
                list(function(x) besselJ(x, 1)^2 / x, 1 / 2))
  for (case in cases) {
    found <- integrategpu(case[[1]], 0, Inf)
    expect_lte(abs(found$value - case[[2]]), 1e-10 * case[[2]], label = deparse(body(case[[1]])))
  }
  expect_lte(abs(integrategpu(function(x) (sin(x) / x)^2, -Inf, Inf)$value - pi), 1e-10)
  for (f in list(function(x) sin(x)^2, function(x) sin(x)^2 / (1 + x)))
    expect_gt(suppressWarnings(integrategpu(f, 0, Inf, stop.on.error = FALSE))$code, 0)
})

test_that("Bessel functions of large arguments are those of Hankel's expansion", {
  x <- c(9999, 10001, 99999)
  for (nu in c(0, 0.5, 9)) {
    # R's besselY() is off by 1e-13 of its amplitude there
    off <- drop(integrand_values(function(x) besselJ(x, nu), x)) - besselJ(x, nu)
    expect_lte(max(abs(off) / sqrt(2 / (pi * x))), 1e-14)
    off <- drop(integrand_values(function(x) besselY(x, nu), x)) - besselY(x, nu)
    expect_lte(max(abs(off) / sqrt(2 / (pi * x))), 1e-12)
  }
  expect_silent(integrategpu(function(x) besselJ(x, 0), 0, Inf))
})

test_that("tails of several frequencies are right, or reported", {
  set.seed(7)
  n <- 100L
  a <- runif(n, 0.1, 1)
  b <- runif(n, 0.1, 1)
  expect_honest <- function(f, truth) {
    found <- suppressWarnings(integrategpu(f, 0, Inf, params = data.frame(a, b)))
    wrong <- abs(found$value - truth) > 1e-8 * abs(truth) # rel.tol is 1e-10
    expect_identical(sum(wrong & found$code == 0L), 0L, info = deparse(f))
  }
  expect_honest(function(x, a) sin(x) / x * sin(a * x) / (a * x), pi / 2)
  expect_honest(function(x, a, b) (cos(a * x) - cos(b * x)) / x^2, pi / 2 * (b - a))
  expect_honest(function(x, a, b) (cos(a * x) - cos(b * x)) / x, log(b / a))
  expect_honest(function(x, a) 1 / (1 + x^2)^2 + a * sin(x) / x, pi / 4 + a * pi / 2)
  q <- 3 * a # the density of a sum of three uniform variables
  expect_honest(function(x, a) Re(exp(-3i * x * a) * ((exp(1i * x) - 1) / (1i * x))^3) / pi,
                ifelse(q < 1, q^2 / 2, ifelse(q < 2, (-2 * q^2 + 6 * q - 3) / 2, (3 - q)^2 / 2)))
})

# Half-lines at random: integrand, parameters, truth.
random_tails <- function(n) {
  w <- 10^runif(n, -2, 2)
  a <- 10^runif(n, -1, 1)
  b <- runif(n, 0.1, 0.9)
  k <- sample(2:6, n, TRUE)
  rows <- data.frame(w, a, b, k)
  case <- function(f, truth) list(f = f, rows = rows, truth = rep_len(truth, n))
  list(square = case(~ sin(w * x)^2 / x^2, pi * w / 2), fourth = case(~ sin(w * x)^4 / x^4, pi * w^3 / 3),
       cube = case(~ sin(w * x)^3 / x, pi / 4), Bessel = case(~ besselJ(w * x, 0.5 + b), 1 / w),
       Bessel_square = case(~ besselJ(w * x, 1)^2 / x, 1 / 2),
       chirp = case(~ x * cos(w * x^3), gamma(2 / 3) / 6 / w^(2 / 3)),
       powers = case(~ cos(w * x^k), gamma(1 / k) * cos(pi / (2 * k)) / (k * w^(1 / k))),
       root = case(~ sin(w * sqrt(x)) / x, pi),
       phase = case(~ sin(w * x + a) / x^b, gamma(1 - b) * w^(b - 1) * sin(pi * (1 - b) / 2 + a)),
       product = case(~ sin(w * x) * sin(b * w * x) / x^2, pi / 2 * b * w),
       difference = case(~ (cos(b * w * x) - cos(w * x)) / x, -log(b)),
       mean = case(~ sin(w * x)^2 / (x^2 + a^2), pi / (4 * a) * -expm1(-2 * a * w)),
       mass = case(~ 1 / (1 + x^2)^2 + a * sin(w * x) / x, pi / 4 + a * pi / 2),
       beats = case(~ sin(w * x) * sin((1 - b / 50) * w * x) / x^2, pi / 2 * (1 - b / 50) * w))
}
quiet_tails <- function(case, at = seq_len(nrow(case$rows)), ...) {
  found <- suppressMessages(suppressWarnings(integrategpu(case$f, 0, Inf, params = case$rows[at, ], ...)))
  data.frame(unclass(found)[c("value", "abs.error", "subdivisions", "evaluations", "code")])
}

test_backends("tails of all scales, powers and phases are right, with errors that they have earned", {
  set.seed(11)
  on_cpu <- useDevice()[1] == "cpu"
  n <- if (on_cpu) repetitions(30L, 60L) else 5L
  cases <- random_tails(n)
  # of 60, as many as may fail
  allowed <- c(product = 6, difference = 6, mean = 20, mass = 40, beats = 60)
  # each has a program of its own for a device
  for (name in if (on_cpu) names(cases) else every_nth(names(cases), 5)) {
    found <- quiet_tails(cases[[name]])
    error <- abs(found$value - cases[[name]]$truth)
    expect_true(all(error <= 10 * found$abs.error + 1e-15 * abs(cases[[name]]$truth)), label = name)
    expect_true(all((error <= 1e-9 * abs(cases[[name]]$truth))[found$code == 0L]), label = name)
    most <- if (is.na(allowed[name])) 0 else ceiling(allowed[[name]] * n / 60)
    expect_lte(sum(found$code != 0L), most, label = name)
  }
})

test_that("the square of a sine is found at every frequency, and x cos(a x^3) at every scale", {
  set.seed(1)
  w <- 10^runif(400, -1, 1.5)
  found <- integrategpu(function(x, w) sin(w * x)^2 / x^2, 0, Inf, params = data.frame(w))
  expect_identical(found$code, integer(400))
  expect_lte(max(abs(found$value / (pi * w / 2) - 1)), 1e-10)
  a <- c(0.218, 0.5, 1, 1.3, 2, 10^(-4:4))
  found <- integrategpu(function(x, a) x * cos(a * x^3), 0, Inf, params = data.frame(a))
  expect_lte(max(abs(found$value / (gamma(2 / 3) / 6 / a^(2 / 3)) - 1)), 1e-10)
  # kinks are ends of arcs: the integral of |sin(x)|/x^(3/2) from its Fourier series
  k <- 1:49
  far <- function(s)
    50^(1 - s) / (s - 1) + 50^-s / 2 + s * 50^(-s - 1) / 12 - s * (s + 1) * (s + 2) * 50^(-s - 3) / 720
  truth <- 4 / pi * sqrt(2 * pi) * (sum(sqrt(2 * k) / (4 * k^2 - 1)) +
                                      sum(vapply(0:5, function(j) 2^(-1.5 - 2 * j) * far(1.5 + 2 * j), 0)))
  w <- 10^(-2:2)
  found <- integrategpu(~ abs(sin(w * x)) / x^1.5, 0, Inf, params = data.frame(w), rel.tol = 1e-9)
  expect_identical(found$code, integer(5))
  expect_lte(max(abs(found$value / (sqrt(w) * truth) - 1)), 1e-9)
})

test_that("a row has, to the bit, the result of a call for it alone and of any other batch", {
  skip_if_quick()
  set.seed(12)
  cases <- random_tails(30L)
  cases$vector <- list(f = ~ c(sin(w * x) / x, sin(w * x)^2 / x^2), rows = cases[[1L]]$rows)
  for (name in every_nth(names(cases), 2)) {
    case <- cases[[name]]
    whole <- quiet_tails(case)
    for (i in sample(30L, 3L)) expect_identical(quiet_tails(case, i), `row.names<-`(whole[i, ], NULL), label = name)
    part <- sample(30L, 11L)
    expect_identical(quiet_tails(case, part), `row.names<-`(whole[part, ], NULL), label = name)
    # a call without params stops where the row has a code, and has its value elsewhere
    if (name == "vector") next
    used <- intersect(all.vars(case$f), names(case$rows))
    for (i in 1:2) {
      alone <- tryCatch(do.call(integrategpu, c(list(case$f, 0, Inf), case$rows[i, used, drop = FALSE])),
                        statcl_error_integral = function(problem) list(value = NA, abs.error = NA))
      expect_identical(is.na(alone$value), whole$code[i] != 0L, label = name)
      if (!is.na(alone$value))
        expect_identical(c(alone$value, alone$abs.error), c(whole$value[i], whole$abs.error[i]), label = name)
    }
  }
  # more rows than are taken at a time
  n <- statcl:::tail_rows + 1L
  case <- list(f = ~ sin(w * x)^2 / x^2, rows = data.frame(w = seq(1, 2, length.out = n), a = 1))
  expect_identical(quiet_tails(case)[c(1L, n), ], quiet_tails(case, c(1L, n)), ignore_attr = TRUE)
  # R evaluates these
  old <- options(statcl.translate = "never")
  on.exit(options(old))
  case <- cases$square
  case$rows <- case$rows[1:6, ]
  whole <- quiet_tails(case)
  expect_identical(quiet_tails(case, c(5L, 2L)), `row.names<-`(whole[c(5L, 2L), ], NULL))
})

test_that("what has no integral is said to diverge, and no error is claimed for it", {
  for (f in list(~ sin(w * x), ~ x * sin(w * x), ~ sin(w * x) * (1 + 1 / x), ~ (x + 1 / (1 + x)) * cos(w * x^2),
                 ~ sin(w * x)^2 / x)) {
    found <- suppressWarnings(integrategpu(f, 0, Inf, params = data.frame(w = c(0.03, 1, 20))))
    expect_identical(found$code, rep(5L, 3), label = deparse(f))
    expect_identical(found$abs.error, rep(Inf, 3), label = deparse(f))
  }
  # as logarithms fall, sums have not converged where they seem to
  found <- suppressWarnings(integrategpu(~ sin(w * x)^2 / ((x + 3) * log(x + 3)^2), 0, Inf,
                                         params = data.frame(w = c(0.01, 1, 100))))
  # half of 1/log(3), less the real part of what is left of it on the way up the imaginary axis
  left <- vapply(c(0.01, 1, 100), function(w) integrate(function(t) {
    z <- 3 + 1i * exp(t) / (2 * w)
    Re(1i * exp(t - exp(t)) / (2 * w) / (z * log(z)^2))
  }, -60, 5, rel.tol = 1e-10)$value, 0)
  expect_true(all(found$code != 0L))
  expect_true(all(abs(found$value - (0.5 / log(3) - 0.5 * left)) <= 10 * found$abs.error))
})

test_that("singularities at limits are found among those of many rows that fail", {
  lower <- c(seq(1, 2.9, length.out = 12), 3)
  found <- suppressWarnings(integrategpu(~ abs(x - 3)^-0.95, lower, 4, params = data.frame(a = lower)))
  expect_identical(found$code[13], 0L)
  expect_equal(found$value[13], 20, tolerance = 1e-9)
})

test_that("each component oscillates in its own way, whatever the order", {
  joint <- function(f, ...) suppressWarnings(integrategpu(f, 0, Inf, ..., stop.on.error = FALSE))
  alone <- list(function(x) sin(x) / x, function(x) exp(-x), function(x) besselJ(x, 0), function(x) cos(x^2),
                function(x) sin(100 * x) / x, function(x) 0 * x, function(x) 1 / (1 + x^2))
  truth <- c(pi / 2, 1, 1, sqrt(pi / 8), pi / 2, 0, pi / 2)
  for (i in seq_along(alone)) for (j in setdiff(seq_along(alone), i)) {
    found <- joint(function(x) c(alone[[i]](x), alone[[j]](x)))
    expect_identical(found$code, 0L, label = paste(i, j))
    expect_lt(max(abs(found$value - truth[c(i, j)])), 1e-9)
  }
  # what has no integral is said to diverge in any company
  for (f in list(function(x) c(sin(x) / x, sin(x)), function(x) c(sin(x), sin(x) / x),
                 function(x) c(sin(x) / x, sqrt(x) * sin(x)), function(x) c(exp(-x), x * cos(x)))) {
    found <- joint(f)
    expect_identical(found$code, 5L)
    expect_true(Inf %in% found$abs.error)
  }
  found <- joint(function(x, w) c(sin(w * x)^2 / x^2, sin(w * x) / x), params = data.frame(w = c(0.03, 1, 20)))
  expect_equal(found$value, cbind(pi / 2 * c(0.03, 1, 20), pi / 2), tolerance = 1e-9)
  expect_identical(found$code, integer(3))
})

# Of which rows is the true error beyond this many times the estimate?
too_good <- function(found, truth, times = 10)
  which(!(abs(found$value - truth) <= times * found$abs.error + 16 * .Machine$double.eps * abs(truth)))
quietly <- function(...) suppressWarnings(integrategpu(...))

test_that("what is small and oscillates under something larger has its share in the error", {
  skip_if_quick()
  set.seed(41)
  n <- 150L
  p <- data.frame(a = 10^runif(n, -2, 1), e = 10^runif(n, -9, -2), w = 10^runif(n, -3, 3))
  none <- integer()
  found <- quietly(~ exp(-a * x) + e * (1 - cos(w * x)) / x^2, 0, Inf, params = p, rel.tol = 1e-8)
  expect_identical(too_good(found, 1 / p$a + p$e * pi * p$w / 2), none)
  expect_gt(mean(found$code == 0L), 0.5) # a value that is refused is no answer
  found <- quietly(~ exp(-a * x) + e * sin(w * x) / x, 0, Inf, params = p, rel.tol = 1e-8)
  expect_identical(too_good(found, 1 / p$a + p$e * pi / 2), none)
  expect_gt(mean(found$code == 0L), 0.5)
  found <- quietly(~ exp(-a * x) + e * (1 - cos(w * x)) / x^2, 0, Inf, params = data.frame(a = 0.5, e = 1e-5, w = 31),
                   rel.tol = 1e-8)
  expect_identical(too_good(found, 2 + 1e-5 * pi * 31 / 2, 1), none)
})

test_that("waves and kinks under something smooth are seen on intervals", {
  skip_if_quick()
  set.seed(42)
  n <- 2000L
  p <- data.frame(a = 10^runif(n, -2, 1), e = 10^runif(n, -9, -2), w = 10^runif(n, -3, 3), q = runif(n, 0.05, 0.95),
                  c = 10^runif(n, -1, 2))
  found <- quietly(~ exp(-a * x) + e * cos(w * x), 0, p$c, params = p, rel.tol = 1e-6)
  off <- too_good(found, with(p, -expm1(-a * c) / a + e * sin(w * c) / w), 1)
  expect_lte(length(off), 6L) # no rule sees all frequencies; integrate() misses 6 % of such rows
  found <- quietly(~ exp(-a * x) + e * abs(x - q * c), 0, p$c, params = p, rel.tol = 1e-8)
  off <- too_good(found, with(p, -expm1(-a * c) / a + e * c^2 * (q^2 + (1 - q)^2) / 2), 2)
  expect_lte(length(off), 2L)
})

test_that("no error is claimed where nothing bounds it", {
  w <- c(0.31666513773227645, 0.019491378803204298, 63.821904210080504)
  found <- quietly(~ sin(w * x)^2 / x, 0, Inf, params = data.frame(w))
  expect_true(all(found$code != 0L))
  expect_identical(found$abs.error, rep(Inf, 3))
  # a narrow peak far out, with few points in it, and one that panels miss
  p <- data.frame(w = c(120.822092, 439.016445, 490.122208, 36.1582488, 245.202301),
                  a = c(0.0232474399, 0.0109895841, 0.0150711341, 6.0751303, 8.61080477))
  found <- quietly(~ sin(w * x) / x + exp(-((x - 1e4 * a) / (10 * a))^2), 0, Inf, params = p)
  expect_identical(too_good(found, pi / 2 + 10 * p$a * sqrt(pi)), integer())
  # small waves before the first cut, and a small mean that changes beyond the last one
  p <- data.frame(a = c(0.196065935, 0.0183074065, 8.13598646), w = c(683.227306, 77.2319089, 0.00112322183),
                  e = c(5.92553661e-07, 1.92563417e-06, 7.58897065e-07))
  found <- quietly(~ sin(a * x) / x + e * cos(w * x) / (1 + x^2), 0, Inf, params = p)
  expect_identical(too_good(found, pi / 2 * (1 + p$e * exp(-p$w)), 8), integer())
})

test_that("peaks, and frequencies that come down to 0, are looked for beyond the zeros", {
  skip_if_quick()
  set.seed(43)
  n <- 60L
  a <- 10^runif(n, -1, 1)
  w <- 10^runif(n, 0, 2)
  found <- quietly(~ sin(w * x) / x + exp(-((x - 1e4 * a) / (10 * a))^2), 0, Inf, params = data.frame(a, w))
  off <- abs(found$value - pi / 2 - 10 * a * sqrt(pi))
  expect_identical(which(found$code == 0L & off > found$abs.error), integer())
  expect_gt(mean(is.finite(found$abs.error)), 0.9)
  b <- sqrt(w) * 10^runif(n, 0, 2)
  found <- quietly(~ sin(w * x^2) * cos(2 * b * x), 0, Inf, params = data.frame(b, w), abs.tol = 1e-9)
  truth <- sqrt(pi / (8 * w)) * (cos(b^2 / w) - sin(b^2 / w))
  expect_identical(too_good(found, truth), integer())
  expect_gt(mean(found$code == 0L), 0.2)
  found <- quietly(~ cos(x^2 - 20 * x), -Inf, Inf, stop.on.error = FALSE)
  expect_lt(abs(found$value - sqrt(pi) * cos(pi / 4 - 100)), 1e-4)
  expect_lt(found$abs.error, 1e-3)
})

test_that("sums of squares of two frequencies have errors that they have earned", {
  b <- c(1.01, 1.03, 1.1, 1.2, 2.1)
  found <- quietly(~ (sin(x)^2 + sin(b * x)^2) / x^2, 0, Inf, params = data.frame(b))
  expect_identical(too_good(found, pi / 2 * (1 + b), 1), integer())
  expect_lt(max(found$abs.error), 0.1)
})

test_that("what falls slowly, or far out, or at any scale, does not diverge", {
  p <- c(0.9, 0.99, 0.999)
  found <- quietly(~ x^p * sin(x^2), 0, Inf, params = data.frame(p))
  expect_identical(found$code, integer(3))
  s <- (1 + p) / 2
  expect_equal(found$value, gamma(s) * sin(pi * s / 2) / 2, tolerance = 1e-9)
  found <- quietly(~ exp(-d * x) * sin(x), 0, Inf, params = data.frame(d = c(1e-6, 1e-10, 1e-12)))
  expect_identical(found$code, integer(3))
  expect_equal(found$value, rep(1, 3), tolerance = 1e-10)
  found <- quietly(~ sin(w * x) / x, 0, Inf, params = data.frame(w = 10^c(-90, -30, -12, 20, 30, 90)))
  expect_identical(found$code, integer(6))
  expect_equal(found$value, rep(pi / 2, 6), tolerance = 1e-10)
  # and what does, does
  found <- quietly(~ sin(w * x) * (1 + 1 / x), 0, Inf, params = data.frame(w = c(1e-3, 1, 1e3)))
  expect_identical(found$code, rep(5L, 3))
  expect_identical(found$abs.error, rep(Inf, 3))
})

test_that("the size of f does not matter", {
  s <- c(1e-160, 1e-150, 1, 1e160, 1e200, 1e290)
  found <- quietly(~ s * sin(x) / x, 0, Inf, params = data.frame(s))
  expect_identical(found$code, integer(6))
  expect_equal(found$value / s, rep(pi / 2, 6), tolerance = 1e-10)
  found <- quietly(~ s * sin(w * x) / x, 0, Inf, params = data.frame(w = c(0.5, 2), s = 1e-150))
  expect_equal(found$value / 1e-150, rep(pi / 2, 2), tolerance = 1e-10)
})

# ref/beta.csv.gz by tools/beta_reference.py; ref/beta_quantile.csv.gz in 300 bits, by Newton's method on tails from
# series and continued fractions, or Gauss-Legendre panels for large shapes. Doubles p, lower: is it a lower tail?
eps <- .Machine$double.eps
fast_builds_in_file()

# What an eps in p does to a quantile, relative to it: tail/(x density), and for a logarithm its size times that.
reach_of <- function(log_tail, log_density, q, p, log)
  exp(log_tail - log_density - log(abs(q))) * ifelse(log, pmax(1, abs(p)), 1)

test_backends("beta densities and both tails agree with high precision", {
  ref <- read_ref("beta")
  with(ref, {
    # of the 4 that are allowed: 2 with fused multiply-adds, 3 without
    expect_lte(max(log_error(dbetagpu(x, a, b, log = TRUE), log_density)), 3.5 * eps)
    expect_lte(max(log_error(pbetagpu(x, a, b, log.p = TRUE), log_lower)), 2.5 * eps)
    expect_lte(max(log_error(pbetagpu(x, a, b, 0, FALSE, TRUE), log_upper)), 2.5 * eps)
    for (lower in c(TRUE, FALSE)) { # values against those of the logarithm, which is rounded, too
      log_tail <- if (lower) log_lower else log_upper
      some <- abs(log_tail) < 1
      expect_lte(max(relative_error(pbetagpu(x, a, b, 0, lower), exp(log_tail))[some]), 4 * eps)
    }
    some <- abs(log_density) < 1
    expect_lte(max(relative_error(dbetagpu(x, a, b), exp(log_density))[some]), 5 * eps)
  })
})

test_backends("beta and F quantiles are those of the table", {
  ref <- read_ref("beta_quantile")
  for (dist in c("beta", "f")) for (lower in 0:1) for (log in 0:1) {
    rows <- ref[ref$dist == dist & ref$lower == lower & ref$log == log, ]
    f <- lapply(c("d", "p", "q"), function(kind) get(paste0(kind, dist, "gpu")))
    q <- with(rows, f[[3]](p, a, b, lower.tail = lower == 1, log.p = log == 1))
    none <- rows$q < 1e-307 | rows$q == 1 | rows$q > 1e307
    expect_lte(max(abs(pmin(q, 1e307) - pmin(rows$q, 1e307))[none], 0), 4 * eps)
    rows <- rows[!none, ]
    reach <- with(rows, reach_of(f[[2]](q, a, b, lower.tail = lower == 1, log.p = TRUE),
                                 f[[1]](q, a, b, log = TRUE), q, p, log == 1))
    expect_lte(max(relative_error(q[!none], rows$q) / (eps * pmax(4, reach))), 1)
  }
})

test_that("beta, F and t quantiles and distribution functions are inverse to each other", {
  set.seed(1)
  n <- repetitions(5000, 1e6)
  a <- exp(runif(n, -3, 9))
  b <- exp(runif(n, -3, 9))
  p <- runif(n)
  back <- function(quantile, tail, density) for (lower in c(TRUE, FALSE)) {
    q <- quantile(p, lower)
    reach <- reach_of(log(p), density(q), q, 0, FALSE)
    some <- is.finite(reach) & abs(q) > 1e-290 & abs(q) < 1e150
    expect_gt(sum(some), 0.8 * n)
    # two tails are each off by up to 3 eps, and the rounding of q moves one by up to an eps of q
    expect_lte(max((relative_error(tail(q, lower), p) / (eps * (6 + 2 / reach)))[some]), 1)
  }
  back(function(p, lower) qbetagpu(p, a, b, 0, lower), function(q, lower) pbetagpu(q, a, b, 0, lower),
       function(q) dbetagpu(q, a, b, 0, TRUE))
  back(function(p, lower) qfgpu(p, a, b, 0, lower), function(q, lower) pfgpu(q, a, b, 0, lower),
       function(q) dfgpu(q, a, b, 0, TRUE))
  back(function(p, lower) qtgpu(p, a, 0, lower), function(q, lower) ptgpu(q, a, 0, lower),
       function(q) dtgpu(q, a, 0, TRUE))
})

test_that("polynomials agree with steps where they meet", {
  # the smaller shape is 8 on one side and the next double below it on the other, where tails are evaluated
  at <- expand.grid(p = c(5e-4, 0.002, 0.03, 0.3, 0.5, 0.8, 0.97, 0.9994), b = c(8, 9, 13, 40, 700, 1e6, 1e20))
  below <- 8 * (1 - eps / 2)
  reach <- function(q, f, ...) with(at, reach_of(log(p), f(q, ..., log = TRUE), q, 0, FALSE))
  same <- function(q, near, r) expect_lte(max(relative_error(q, near) / (2 * eps * pmax(4, r))), 1)
  q <- qbetagpu(at$p, 8, at$b)
  same(q, qbetagpu(at$p, below, at$b), reach(q, dbetagpu, 8, at$b))
  q <- qbetagpu(at$p, at$b, 8)
  same(q, qbetagpu(at$p, at$b, below), reach(q, dbetagpu, at$b, 8))
  q <- qfgpu(at$p, 16, 2 * at$b)
  same(q, qfgpu(at$p, 2 * below, 2 * at$b), reach(q, dfgpu, 16, 2 * at$b))
})

test_that("F and t have their closed forms", {
  x <- c(1e-200, 1e-10, 0.3, 1, 7, 1e5, 1e20)
  # t of 1 and 2 degrees of freedom, F of 2 and 2
  expect_lte(max(relative_error(ptgpu(x, 1, 0, FALSE), atan(1 / x) / pi)), 4 * eps)
  expect_lte(max(relative_error(ptgpu(-x, 2), 1 / (sqrt(2 + x^2) * (sqrt(2 + x^2) + x)))), 6 * eps)
  expect_lte(max(relative_error(dtgpu(x, 1), 1 / (pi * (1 + x^2)))), 4 * eps)
  expect_lte(max(relative_error(pfgpu(x, 2, 2), x / (1 + x))), 4 * eps)
  expect_lte(max(relative_error(pfgpu(x, 2, 2, 0, FALSE), 1 / (1 + x))), 4 * eps)
  expect_lte(max(relative_error(dfgpu(x, 2, 2), 1 / (1 + x)^2)), 6 * eps)
  p <- c(1e-140, 1e-12, 0.2)
  expect_lte(max(relative_error(qtgpu(p, 1), -1 / tan(pi * p))), 6 * eps)
  expect_lte(relative_error(qtgpu(1e-300, 1), -1e300 / pi), 1e-12) # whose square is no number
  expect_identical(qtgpu(0.5, c(0.1, 3, Inf)), numeric(3))
  expect_lte(max(relative_error(ptgpu(-c(0.1, 3, 30), Inf), pnorm(-c(0.1, 3, 30)))), 1e-13)
  x <- c(0.1, 3, 30)
  expect_lte(max(relative_error(pfgpu(x, 4, Inf, 0, FALSE), pgammagpu(2 * x, 2, lower.tail = FALSE))), 1e-14)
})

test_that("tails of F and t keep their digits where squares and products are no numbers", {
  # by mpmath, in 800 digits, from the continued fraction of the incomplete beta function
  close <- function(value, truth, within = 4) expect_lte(max(relative_error(value, truth)), within * eps)
  close(ptgpu(c(-1, 1) * 1e300, 0.001), c(0.24955665327175237, 0.75044334672824763))
  close(ptgpu(1e300, 0.001, lower.tail = FALSE, log.p = TRUE), log(0.24955665327175237))
  close(ptgpu(c(-1e151, -1e200), c(2, 1)), c(4.9999999999999998e-303, 3.1830988618379067e-201))
  close(pfgpu(c(1e307, 1e302), c(1, 1e6), 0.01, lower.tail = FALSE), c(0.028314404375342856, 0.030181397667546818))
  close(pfgpu(c(1e-320, 1e-305), 0.01, c(3, 1e5)), c(0.024487428083174423, 0.029156764440375811), 40)
  close(dfgpu(1e-320, c(0.01, 2), 3, log = TRUE)[1], 727.81932809183104)
  close(dfgpu(c(5e-324, 1e-310), 2, 3), 1)
  close(dtgpu(1e300, 0.001, log = TRUE), -699.07135249954081)
})

test_that("beta, F and t random numbers have their distribution, and come in parts too", {
  draws <- function(f, ...) {
    set.seed(3)
    f(...)
  }
  expect_identical(draws(rbetagpu, 600, c(0.5, 3), 2, first = 401), draws(rbetagpu, 1000, c(0.5, 3), 2)[401:1000])
  fits <- function(p) expect_gt(chisq.test(tabulate(ceiling(p * 200), 200))$p.value, 1e-5)
  n <- repetitions(1e5, 1e7)
  set.seed(5)
  for (b in list(c(0.5, 0.5), c(0.3, 8), c(1, 1), c(2, 3), c(1e-2, 400), c(1e6, 3), c(1e4, 1e8))) {
    x <- rbetagpu(n, b[1], b[2])
    # values below the smallest number, and next to 1, where they lie apart
    inner <- x[x > 0]
    least <- pbetagpu(5e-324, b[1], b[2])
    expect_lt(abs(mean(x == 0) - least), 6 * sqrt(least / n) + 1 / n)
    fits((pbetagpu(inner, b[1], b[2]) - least) / (1 - least))
  }
  for (df in list(c(1, 6), c(0.3, 40), c(Inf, 3), c(5, Inf))) fits(pfgpu(rfgpu(n, df[1], df[2]), df[1], df[2]))
  for (df in c(0.4, 1, 5, 1e9, Inf)) fits(ptgpu(rtgpu(n, df), df))
  # both shapes so small that a draw is 0 or 1, as often as the other shape says
  for (shape in c(1e-20, 1e-200, 1e-305, 2e-320)) {
    x <- rbetagpu(4e4, shape, 3 * shape)
    expect_setequal(unique(x), c(0, 1))
    expect_lt(abs(mean(x) - 0.25), 5 * sqrt(0.25 * 0.75 / 4e4))
  }
  x <- draws(rbetagpu, 2000, c(0, 0, 1, Inf, Inf, 1), c(0, 1, 0, Inf, 1, Inf))
  expect_identical(x[c(2:6)], c(0, 1, 0.5, 1, 0))
  expect_lt(abs(mean(x[seq(1, 2000, 6)]) - 0.5), 0.15)
  expect_identical(unique(rfgpu(20, Inf, Inf)), 1)
})

test_that("odd arguments are as base R has them", {
  same <- function(value, base, within = 1e-9) {
    expect_identical(which(is.na(value)), which(is.na(base)))
    expect_lte(max(log_error(value, base), na.rm = TRUE), within)
  }
  shapes <- c(-1, 0.5, 1, 2, 30, Inf, NaN, NA)
  at <- expand.grid(x = c(-Inf, -1, 0, 1e-10, 0.3, 0.9, 1, 3, Inf, NaN, NA), a = shapes, b = shapes)
  finite <- at[is.finite(at$x) & is.finite(at$a) & is.finite(at$b) | is.na(at$x + at$a + at$b), ]
  suppressWarnings({
    for (log in c(FALSE, TRUE)) {
      with(at, same(dbetagpu(x, a, b, 0, log), dbeta(x, a, b, log = log)))
      with(finite, same(dfgpu(x, a, b, 0, log), df(x, a, b, log = log)))
      with(at, same(dtgpu(x, a, 0, log), dt(x, a, log = log)))
      for (lower in c(TRUE, FALSE)) {
        with(at[!(at$a %in% Inf & at$x >= 1), ], # where base R has 0
             same(pbetagpu(x, a, b, 0, lower, log), pbeta(x, a, b, lower.tail = lower, log.p = log)))
        with(finite, same(pfgpu(x, a, b, 0, lower, log), pf(x, a, b, lower.tail = lower, log.p = log)))
        with(at, same(ptgpu(x, a, 0, lower, log), pt(x, a, lower.tail = lower, log.p = log)))
      }
    }
    for (lower in c(TRUE, FALSE)) {
      with(at, same(qbetagpu(x, a, b, 0, lower), qbeta(x, a, b, lower.tail = lower)))
      # qt() looks at p first
      with(at[!(at$b %in% -1), ], same(qtgpu(x, b, 0, lower), qt(x, b, lower.tail = lower), 1e-5))
    }
  })
  expect_warning(expect_equal(qbetagpu(c(0.5, 2, -1), 1, 1), c(0.5, NaN, NaN)), "NaNs produced")
  expect_warning(expect_identical(rtgpu(2, -1), c(NaN, NaN)), "NAs produced")
  f <- c(-1, 0, 0.5, 1, 2, Inf)
  expect_identical(dfgpu(f, Inf, Inf), c(0, 0, 0, Inf, 0, 0))
  expect_identical(dfgpu(f, Inf, Inf, log = TRUE), c(-Inf, -Inf, -Inf, Inf, -Inf, -Inf))
  mass <- data.frame(x = c(0, 0.5, 1), a = rep(c(0, 0, 2, Inf, 3, Inf), each = 3),
                     b = rep(c(0, 3, 0, Inf, Inf, 3), each = 3))
  expect_identical(with(mass, dbetagpu(x, a, b)), with(mass, dbeta(x, a, b)))
  expect_identical(with(mass, dbetagpu(x, a, b, 0, TRUE)), with(mass, dbeta(x, a, b, log = TRUE)))
  expect_identical(qbetagpu(c(a = 0.5, b = 0.7), 1:2, 2), setNames(qbetagpu(c(0.5, 0.7), 1:2, 2), c("a", "b")))
})

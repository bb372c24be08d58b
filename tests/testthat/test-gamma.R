# ref/gamma.csv.gz by tools/gamma_reference.py; ref/gamma_quantile.csv.gz in 300 bits, by Newton's method on tails
# from series and continued fractions, or Gauss-Legendre panels for large shapes. Doubles p, lower: is it a lower
# tail?
eps <- .Machine$double.eps
fast_builds_in_file()

# What an eps in p does to a quantile, relative to it: tail/(x density), and for a logarithm its size times that.
reach_of <- function(log_tail, log_density, q, p, log)
  exp(log_tail - log_density - log(q)) * ifelse(log, pmax(1, abs(p)), 1)

test_backends("gamma densities and both tails agree with high precision", {
  ref <- read_ref("gamma")
  with(ref, {
    expect_lte(max(log_error(dgammagpu(x, shape, log = TRUE), log_density)), 2 * eps)
    expect_lte(max(log_error(pgammagpu(x, shape, log.p = TRUE), log_lower)), 2 * eps)
    expect_lte(max(log_error(pgammagpu(x, shape, lower.tail = FALSE, log.p = TRUE), log_upper)), 2 * eps)
    # values against those of the logarithm, which is rounded to half a unit of its last digit
    for (lower in c(TRUE, FALSE)) {
      log_tail <- if (lower) log_lower else log_upper
      some <- abs(log_tail) < 1
      expect_lte(max(relative_error(pgammagpu(x, shape, lower.tail = lower), exp(log_tail))[some]), 4 * eps)
    }
    some <- abs(log_density) < 1
    expect_lte(max(relative_error(dgammagpu(x, shape), exp(log_density))[some]), 4 * eps)
  })
})

test_backends("gamma quantiles are those of the table", {
  ref <- read_ref("gamma_quantile")
  for (lower in 0:1) for (log in 0:1) {
    rows <- ref[ref$lower == lower & ref$log == log, ]
    q <- with(rows, qgammagpu(p, shape, lower.tail = lower == 1, log.p = log == 1))
    none <- rows$q == 0
    expect_identical(q[none], numeric(sum(none)))
    rows <- rows[!none, ]
    reach <- with(rows, reach_of(pgammagpu(q, shape, lower.tail = lower == 1, log.p = TRUE),
                                 dgammagpu(q, shape, log = TRUE), q, p, log == 1))
    expect_lte(max(relative_error(q[!none], rows$q) / (eps * pmax(4, reach))), 1)
  }
})

test_that("gamma tails with a scale are those at the exact quotient", {
  # 3 x/3 is x, whatever x/3 is rounded to; a density times its scale too
  x <- c(1e-5, 0.7, 3, 21, 33.3, 1e4 + 50, 1e8 + 3e4) # 53 bits and less
  x <- x - x %% 2^-20
  shape <- c(0.3, 0.7, 2.5, 20, 30, 1e4, 1e8)
  for (scale in c(3, 7, 1000)) {
    for (lower in c(TRUE, FALSE))
      expect_lte(max(relative_error(pgammagpu(scale * x, shape, scale = scale, lower.tail = lower),
                                    pgammagpu(x, shape, lower.tail = lower))[x > 0]), 6 * eps)
    expect_lte(max(relative_error(scale * dgammagpu(scale * x, shape, scale = scale), dgammagpu(x, shape))[x > 0]),
               6 * eps)
  }
})

test_that("a rate is taken as it is, and not as 1/rate, which large shapes multiply", {
  q <- c(51.27979651084357, 0.0078125, 70.1) # the values by mpmath with 60 digits
  shape <- c(67374.18803568027, 3e5, 1e6)
  rate <- c(1273.2737541571412, 3.9e7, 14265.3)
  expect_equal(pgammagpu(q, shape, rate), c(2.7501788664853583e-16, 1, 0.49914759319534905), tolerance = 4 * eps)
  expect_equal(pgammagpu(q[2:3], shape[2:3], rate[2:3], lower.tail = FALSE) /
                 c(8.3582517422679891e-18, 0.50085240680465095), c(1, 1), tolerance = 4 * eps)
  expect_equal(dgammagpu(q, shape, rate, log = TRUE) /
                 c(-32.111862157083590, -26.005178880667419, 1.7388908179485632), c(1, 1, 1), tolerance = 4 * eps)
  expect_equal(qgammagpu(0.3, 2, rate = 3), qgammagpu(0.3, 2) / 3, tolerance = 2 * eps)
  expect_equal(pgammagpu(1e300, 1, rate = 5e-324) / (1e300 * 5e-324), 1)
  expect_equal(dgammagpu(0, 1, rate = 4), 4)
})

test_that("gamma quantiles and distribution functions are inverse to each other", {
  set.seed(1)
  n <- repetitions(5000, 1e6)
  shape <- exp(runif(n, -3, 14))
  p <- runif(n)
  for (lower in c(TRUE, FALSE)) {
    q <- qgammagpu(p, shape, lower.tail = lower)
    # the rounding of q moves a tail by half an eps q density/tail
    moved <- exp(dgammagpu(q, shape, log = TRUE) + log(q) - log(p))
    expect_lte(max(relative_error(pgammagpu(q, shape, lower.tail = lower), p) / (eps * (4 + 2 * moved))), 1)
  }
  far <- -exp(runif(500, 0, 12))
  shape <- exp(runif(500, -1, 12))
  q <- qgammagpu(far, shape, lower.tail = FALSE, log.p = TRUE)
  expect_lte(max(log_error(pgammagpu(q, shape, lower.tail = FALSE, log.p = TRUE), far) / (1 + q / -far)), 4 * eps)
})

test_that("chi-squared functions are those of the gamma distribution with scale 2", {
  x <- c(0, 0.3, 2, 30, Inf, NA, -1)
  expect_identical(dchisqgpu(x, 3), dgammagpu(x, 1.5, scale = 2))
  for (lower in c(TRUE, FALSE))
    expect_identical(pchisqgpu(x, 3, lower.tail = lower), pgammagpu(x, 1.5, scale = 2, lower.tail = lower))
  p <- c(0, 1e-300, 0.3, 1)
  expect_identical(qchisqgpu(p, 0:3), qgammagpu(p, 0:3 / 2, scale = 2))
})

test_that("gamma random numbers have their distribution, and come in parts too", {
  draws <- function(...) {
    set.seed(3)
    rgammagpu(...)
  }
  expect_identical(draws(600, c(3, 40, 0.5), scale = 2, first = 401), draws(1000, c(3, 40, 0.5), scale = 2)[401:1000])
  expect_identical(draws(600, c(0.5, 3, 40), scale = 2, first = 400), draws(1000, c(0.5, 3, 40), scale = 2)[400:999])
  set.seed(4)
  for (shape in c(0.05, 0.7, 0.9999, 1, 1.3, 8, 500, 1e6, 1e12)) {
    of <- pgammagpu(rgammagpu(repetitions(1e5, 1e7), shape), shape)
    expect_gt(chisq.test(tabulate(ceiling(of * 200), 200))$p.value, 1e-5)
  }
  set.seed(3)
  expect_identical(rchisqgpu(10, 6), draws(10, 3, scale = 2))
  expect_identical(draws(5, c(0, Inf, 5e-324, 1e-300, 1e308))[-5], c(0, Inf, 0, 0))
  expect_true(all(is.finite(draws(1000, 1e308))))
})

test_that("random numbers of gamma variables are the same on every device", {
  skip_if(!length(opencl_devices()), "no OpenCL device")
  draws <- function() {
    set.seed(8)
    list(rgammagpu(1001, c(0.2, 1, 40), first = 3), rbetagpu(1001, c(1e-3, 2), c(0.5, 70, 4)), rtgpu(501, c(0.3, 5)),
         rfgpu(501, 3, Inf), rchisqgpu(501, c(0.3, 1, 5), c(1, 400)))
  }
  known <- withDevice("cpu", draws())
  for (device in opencl_devices()) expect_identical(withDevice(device, draws()), known)
})

test_that("odd arguments are as base R has them", {
  x <- c(-Inf, -1, 0, 1e-10, 0.5, 2, 30, Inf, NaN, NA)
  at <- expand.grid(x = x, shape = c(-1, 0, 1e-10, 1, 2, 30, NaN, NA), scale = c(-1, 0, 0.3, 1, Inf, NaN, NA))
  at <- at[is.finite(at$x) | is.finite(at$scale), ] # Inf/Inf
  same <- function(value, base) {
    expect_identical(which(is.na(value)), which(is.na(base)))
    expect_lte(max(log_error(value, base), na.rm = TRUE), 1e-9)
  }
  suppressWarnings(with(at, {
    for (log in c(FALSE, TRUE)) {
      same(dgammagpu(x, shape, scale = scale, log = log), dgamma(x, shape, scale = scale, log = log))
      for (lower in c(TRUE, FALSE))
        same(pgammagpu(x, shape, scale = scale, lower.tail = lower, log.p = log),
             pgamma(x, shape, scale = scale, lower.tail = lower, log.p = log))
    }
    for (lower in c(TRUE, FALSE)) {
      valid <- scale > 0 & shape >= 0 | is.na(scale) | is.na(shape) # base R looks at p first where these are not
      same(qgammagpu(abs(x), shape, scale = scale, lower.tail = lower)[valid],
           qgamma(abs(x), shape, scale = scale, lower.tail = lower)[valid])
    }
  }))
  expect_warning(expect_identical(qgammagpu(c(0.5, 2, -1), 1)[2:3], c(NaN, NaN)), "NaNs produced")
  expect_warning(expect_identical(rgammagpu(2, -1), c(NaN, NaN)), "NAs produced")
  expect_identical(qgammagpu(c(a = 0.5, b = 0.7), 1:2, 2),
                   setNames(qgammagpu(c(0.5, 0.7), 1:2, scale = 0.5), c("a", "b")))
  expect_error(pgammagpu(1, 2, rate = 2, scale = 2), class = "statcl_error_input")
  expect_warning(pgammagpu(1, 2, rate = 2, scale = 0.5), "but not both")
  for (kind in c("d", "p", "q"))
    expect_identical(formals(get(paste0(kind, "gammagpu"))), formals(get(paste0(kind, "gamma"), "package:stats")))
  expect_identical(formals(rgammagpu), as.pairlist(c(formals(rgamma), first = 1)))
})

test_that("ncp has base R's place, and must be 0 but for chi-squared", {
  expect_equal(pchisqgpu(3, 2, 0, FALSE, TRUE), pchisqgpu(3, 2, lower.tail = FALSE, log.p = TRUE),
               tolerance = 4 * eps)
  expect_identical(names(formals(pchisqgpu)), names(formals(pchisq)))
  expect_identical(names(formals(qbetagpu)), names(formals(qbeta)))
  expect_identical(names(formals(dfgpu)), names(formals(df)))
  expect_identical(names(formals(qtgpu)), names(formals(qt)))
  for (call in alist(pbetagpu(0.5, 1, 2, 0.1), qfgpu(0.5, 1, 2, NA), rtgpu(3, 4, c(0, 1))))
    expect_error(eval(call), "ncp = .*stats::", class = "statcl_error_input")
})

# ref/quadrature.csv.gz: integrands of one variable x as R code, limits, and values found with 45 and 60 digits.
fast_builds_in_file()
few_on_devices(3)

quadrature <- local({
  ref <- read_ref("quadrature")
  ref$lower <- as.numeric(ref$lower)
  ref$upper <- as.numeric(ref$upper)
  ref
})
integral_of <- function(k, ...)
  integrategpu(str2lang(quadrature$expression[k]), quadrature$lower[k], quadrature$upper[k], ...,
               stop.on.error = FALSE)
published <- c("caq", "scaq", "bcaq", "pscaq", "pbcaq", "pbcaqr", "pbcaqs", "pbcaqg")
sequential <- c("caq", "scaq", "bcaq")

test_backends("integrals of the table are right or have a code", {
  # each is a program of its own for a device
  rows <- seq_len(nrow(quadrature))
  if (useDevice()[1] != "cpu") quadrature <- quadrature[rows <- every_nth(rows, 6), ]
  found <- lapply(rows, integral_of)
  code <- vapply(found, `[[`, 1L, "code")
  error <- relative_error(vapply(found, `[[`, 1, "value"), quadrature$value)
  claimed <- vapply(found, `[[`, 1, "abs.error") / abs(quadrature$value)
  hidden <- quadrature$id == "gg22" # the last jump is next to the end
  missed <- !hidden & !(error <= 1e-9)
  expect_lte(sum(missed), 2)
  expect_true(all(code[missed] != 0), info = toString(quadrature$id[missed & code == 0]))
  # a code is no alarm where nothing is wrong, as a rule
  expect_lte(sum(code != 0 & !hidden), 3)
  # the estimate covers the error, but for rounding
  good <- code == 0 & !hidden
  expect_true(all((error <= claimed + 1e-13)[good]), info = toString(quadrature$id[good & error > claimed + 1e-13]))
})

test_backends("jumps that are missed are found with more panels or with breaks", {
  k <- which(quadrature$id == "gg22")
  for (found in list(integral_of(k, min.panels = 1500), integral_of(k, breaks = log(2:20)))) {
    expect_identical(found$code, 0L)
    expect_lte(relative_error(found$value, quadrature$value[k]), 1e-9)
  }
})

test_backends("smooth integrands cost at most twice what QUADPACK needs", {
  smooth <- c(paste0("pbcaq", rep(c(1, 3:6), each = 3), c("a", "b", "c")), "bat04", "bat05", "bat09", "bat12",
              "bat14", "bat16", "bat18", "bat23", "qp05", "qp10", "qp12", "qp19", "gz1", "gz2", "gz4", "st1", "st3")
  for (k in match(smooth, quadrature$id)) {
    evaluations <- 0
    f <- as.function(c(alist(x = ), str2lang(quadrature$expression[k])))
    counted <- function(x) {
      evaluations <<- evaluations + length(x)
      f(x)
    }
    integrate(counted, quadrature$lower[k], quadrature$upper[k], rel.tol = 1e-10, abs.tol = 0,
              subdivisions = 2000)
    expect_lte(integral_of(k)$evaluations, max(200, 2 * evaluations), label = quadrature$id[k])
  }
})

test_backends("published algorithms are within their tolerance", {
  skip_if_quick()
  table2 <- which(quadrature$family == "pbcaq")
  expect_length(table2, 18)
  region <- c(blocks = 32, threads = 64)
  set.seed(1)
  methods <- if (useDevice()[1] == "cpu") published else setdiff(published, sequential)
  apart <- if (useDevice()[1] == "cpu") 3 else 9
  for (i in seq_along(methods)) for (k in every_nth(table2, apart, (i - 1) %% apart + 1)) {
    method <- methods[i]
    found <- integral_of(k, method = method, abs.tol = 1e-6, region = region)
    label <- paste(method, quadrature$id[k])
    expect_identical(found$code, 0L, label = label)
    expect_lte(abs(found$value - quadrature$value[k]), 1e-6, label = label)
    expect_gt(found$evaluations, 0, label = label)
    if (!method %in% sequential) {
      expect_gte(found$regions, 1, label = label)
      expect_gte(found$launches, found$regions, label = label)
    }
  }
})

test_that("published algorithms take names, tolerances, regions and keys", {
  skip_if_quick()
  one <- integrategpu(~ sin(x), 0, pi, method = "caq")
  expect_s3_class(one, "integrate")
  expect_lte(abs(one$value - 2), 1e-6)
  expect_true(all(c("regions", "launches") %in% names(one)))
  # a smaller tolerance takes more evaluations, and sequential algorithms ignore the device
  expect_gt(integrategpu(~ sin(x), 0, pi, method = "caq", abs.tol = 1e-9)$evaluations, one$evaluations)
  for (name in opencl_devices())
    expect_identical(withDevice(name, integrategpu(~ sin(x), 0, pi, method = "caq"))$value, one$value)
  coin <- function(seed) {
    set.seed(seed)
    integrategpu(~ exp(2 * x) * sin(3 * x), 0, 7, method = "pbcaqr", region = c(16, 16))[c("value", "regions")]
  }
  expect_identical(coin(3), coin(3))
  expect_gt(length(unique(vapply(1:6, function(seed) coin(seed)$regions, 1))), 1)
  # the coin alone takes random numbers
  set.seed(1)
  state <- .Random.seed
  integrategpu(~ sin(x), 0, pi, method = "pbcaq", region = c(8, 8))
  integrategpu(~ sin(x), 0, pi)
  expect_identical(.Random.seed, state)
  expect_warning(rows <- integrategpu(~ sin(x), 0, c(pi, NA, Inf, -pi), method = "bcaq", region = c(8, 8)), "2 of 4")
  expect_identical(rows$code, c(0L, 6L, 6L, 0L))
  expect_identical(names(rows), c("value", "abs.error", "subdivisions", "evaluations", "code", "regions", "launches"))
  expect_lte(max(abs(rows$value[c(1, 4)] - 2)), 1e-6)
  # two evaluations for each interval
  for (method in c("caq", "scaq", "bcaq", "pscaq", "pbcaq", "pbcaqr", "pbcaqs", "pbcaqg")) {
    short <- integrategpu(~ 1 / (1e-9 + x^2), -1, 1.5, method = method, abs.tol = 1e-9, region = c(4, 8),
                          subdivisions = 1000, stop.on.error = FALSE)
    expect_identical(short$code, 1L, info = method)
    expect_lte(short$evaluations, 2001, label = method)
    expect_gte(short$evaluations, 1000, label = method) # the next step may need as many again
  }
})

test_backends("one integral is an object of class integrate", {
  found <- integrategpu(dnorm, -1.96, 1.96)
  expect_s3_class(found, "integrate", exact = TRUE)
  expect_identical(names(found)[1:5], c("value", "abs.error", "subdivisions", "message", "call"))
  expect_identical(found$message, "OK")
  expect_identical(found$code, 0L)
  expect_equal(found$value, pnorm(1.96) - pnorm(-1.96), tolerance = 1e-14)
  expect_lte(found$abs.error, 1e-10 * found$value)
  expect_identical(found$call, quote(integrategpu(f = dnorm, lower = -1.96, upper = 1.96)))
  expect_output(print(found), "^0.9500042 with absolute error < ")
})

test_backends("all kinds of integrands give the same", {
  a <- 2
  body <- quote(exp(-a * x) * cos(x))
  same <- list(~ exp(-a * x) * cos(x), body, as.expression(body), function(x) exp(-a * x) * cos(x),
               function(t, a) exp(-a * t) * cos(t), function(u, ...) exp(-a * u) * cos(u))
  for (k in seq_along(same)) {
    found <- if (k == 5) integrategpu(same[[k]], 0, Inf, a = 2) else integrategpu(same[[k]], 0, Inf)
    expect_equal(found$value, 2 / 5, tolerance = 1e-13, label = paste("kind", k))
  }
  # arguments and columns go before variables, and variables are looked up at each call
  expect_equal(integrategpu(~ exp(-a * x), 0, Inf, a = 4)$value, 1 / 4, tolerance = 1e-13)
  expect_equal(integrategpu(~ exp(-a * x), 0, Inf, params = data.frame(a = 5))$value, 1 / 5, tolerance = 1e-13)
  f <- ~ exp(-a * x)
  for (a in c(1, 8)) expect_equal(integrategpu(f, 0, Inf)$value, 1 / a, tolerance = 1e-13)
})

test_backends("limits may be reversed, equal and infinite", {
  value <- function(lower, upper, ...) integrategpu(~ exp(-(x - 0.3)^2), lower, upper, ...)$value
  whole <- sqrt(pi)
  part <- sqrt(pi) * (pnorm(1.7 * sqrt(2)) - pnorm(-1.3 * sqrt(2)))
  expect_equal(value(-1, 2), part, tolerance = 1e-13)
  expect_identical(value(2, -1), -value(-1, 2))
  expect_identical(value(Inf, -Inf), -value(-Inf, Inf))
  expect_identical(value(2, -Inf), -value(-Inf, 2))
  expect_equal(value(-Inf, Inf), whole, tolerance = 1e-13)
  expect_equal(value(-Inf, 2) + value(2, Inf), whole, tolerance = 1e-12)
  expect_equal(value(-1e3, 1e3, breaks = 0), whole, tolerance = 1e-10)
  for (at in c(-1, 0, 1e300, -Inf, Inf)) expect_identical(value(at, at), 0)
  # also where the integrand has no value
  expect_identical(integrategpu(~ 1 / x, 0, 0)$value, 0)
  # far from 0, where a half-infinite range has nearly nothing
  expect_equal(integrategpu(~ exp(-x), 700, Inf)$value, exp(-700), tolerance = 1e-12)
  expect_equal(integrategpu(~ dnorm(x), 30, Inf)$value, pnorm(-30), tolerance = 1e-9)
  # tails that are powers
  expect_equal(integrategpu(~ 1 / (1 + x^2), -Inf, Inf)$value, pi, tolerance = 1e-12)
  expect_equal(integrategpu(~ x^-2, -Inf, -2)$value, 0.5, tolerance = 1e-12)
})

test_backends("rows are single integrals", {
  set.seed(5)
  n <- 200
  at <- data.frame(a = rnorm(n), b = rnorm(n, sd = 3), low = ifelse(runif(n) < 0.3, -Inf, rnorm(n)),
                   high = ifelse(runif(n) < 0.3, Inf, rnorm(n)))
  rows <- integrategpu(~ dnorm(x) * plogis(a + b * x), at$low, at$high, params = at[c("a", "b")])
  expect_s3_class(rows, c("integrals", "data.frame"), exact = TRUE)
  expect_identical(names(rows), c("value", "abs.error", "subdivisions", "evaluations", "code"))
  expect_identical(vapply(rows, typeof, ""), c(value = "double", abs.error = "double", subdivisions = "integer",
                                               evaluations = "double", code = "integer"))
  each <- Map(function(a, b, low, high) integrategpu(~ dnorm(x) * plogis(a + b * x), low, high), at$a, at$b, at$low,
              at$high)
  for (name in names(rows)) {
    single <- vapply(each, `[[`, rows[[name]][1], name)
    if (name == "abs.error") expect_equal(rows[[name]], single, tolerance = 1e-3)
    else if (name == "value") expect_lte(max(relative_error(rows[[name]], single)), 1e-13)
    else expect_identical(rows[[name]], single)
  }
  base <- mapply(function(a, b, low, high)
    integrate(function(x) dnorm(x) * plogis(a + b * x), low, high, rel.tol = 1e-10, abs.tol = 0)$value,
    at$a, at$b, at$low, at$high)
  expect_true(all(abs(rows$value - base) <= 1e-9 * abs(base) + 1e-15))
})

test_backends("many rows are those of base R", {
  set.seed(6)
  n <- 5000
  at <- data.frame(a = rnorm(n), b = rnorm(n))
  rows <- integrategpu(function(x, a, b) dnorm(x) * plogis(a + b * x), -Inf, Inf, params = at)
  expect_true(all(rows$code == 0L))
  some <- sample(n, 300)
  base <- vapply(some, function(k)
    integrate(function(x) dnorm(x) * plogis(at$a[k] + at$b[k] * x), -Inf, Inf, rel.tol = 1e-10, abs.tol = 0)$value, 1)
  expect_lte(max(relative_error(rows$value[some], base)), 1e-9)
  # and do not depend on how many there are, in which order, or on the threads
  back <- integrategpu(function(x, a, b) dnorm(x) * plogis(a + b * x), -Inf, Inf, params = at[n:1, ])
  expect_identical(rev(back$value), rows$value)
  old <- options(statcl.threads = 1)
  on.exit(options(old))
  again <- integrategpu(function(x, a, b) dnorm(x) * plogis(a + b * x), -Inf, Inf, params = at)
  expect_identical(again$value, rows$value)
  expect_identical(again$evaluations, rows$evaluations)
})

test_backends("vector-valued integrands are their components", {
  found <- integrategpu(function(x, s) c(mass = 1, mean = x, square = x^2) * dnorm(x, 1, s), -Inf, Inf,
                        params = data.frame(s = c(0.5, 1, 3), row.names = c("low", "middle", "high")))
  expect_s3_class(found, c("integrals", "data.frame"), exact = TRUE)
  expect_identical(row.names(found), c("low", "middle", "high"))
  expect_identical(colnames(found$value), c("mass", "mean", "square"))
  s <- c(0.5, 1, 3)
  expect_equal(unname(found$value), cbind(1, 1, 1 + s^2), tolerance = 1e-10)
  expect_identical(found$code, integer(3))
  expect_identical(dim(found$abs.error), c(3L, 3L))
  square <- integrategpu(function(x, s) x^2 * dnorm(x, 1, s), -Inf, Inf, params = data.frame(s))
  expect_lte(max(relative_error(found$value[, "square"], square$value)), 1e-9)
  # the nodes are shared
  expect_true(all(found$evaluations < 2 * square$evaluations))
  # a component that is hard makes the panels of all
  hard <- integrategpu(function(x) c(x, sqrt(x), 1 / (1e-4 + (x - 0.4)^2)), 0, 1)
  expect_identical(dim(hard$value), c(1L, 3L))
  expect_null(dimnames(hard$value))
  peak <- 100 * (atan(60) + atan(40))
  expect_lte(max(relative_error(as.vector(hard$value), c(0.5, 2 / 3, peak))), 1e-9)
})

test_backends("matrix columns are vectors", {
  set.seed(8)
  eta <- matrix(rnorm(12), 4)
  s <- matrix(sample(c(-1, 1), 12, TRUE), 4)
  f <- function(u, s, eta, sigma) dnorm(u) * prod(plogis(s * (eta + sigma * u)))
  base <- vapply(1:4, function(i)
    integrate(Vectorize(function(u) f(u, s[i, ], eta[i, ], 1.5)), -Inf, Inf, rel.tol = 1e-10, abs.tol = 0)$value, 1)
  frame <- data.frame(s = I(s), eta = I(eta))
  frame$plain <- eta
  for (params in list(frame, list(s = s, eta = eta), list(s = s, eta = eta, sigma = 1.5))) {
    found <- if (is.null(params$sigma)) integrategpu(f, -Inf, Inf, params = params, sigma = 1.5)
             else integrategpu(f, -Inf, Inf, params = params)
    expect_lte(max(relative_error(found$value, base)), 1e-9)
  }
  # one that did not take place
  eta[3, 2] <- Inf
  s[3, 2] <- 1
  left <- integrategpu(f, -Inf, Inf, params = list(s = s[3, -2, drop = FALSE], eta = eta[3, -2, drop = FALSE]),
                       sigma = 1.5)$value
  expect_equal(integrategpu(f, -Inf, Inf, params = list(s = s, eta = eta), sigma = 1.5)$value[3], left,
               tolerance = 1e-12)
})

test_backends("functions of the package are integrands", {
  # E exp(-X^2/2) of a stable X is the mean of its characteristic function over normal arguments
  transform <- integrate(function(t) dnorm(t) * exp(-abs(t)^1.5), 0, Inf, rel.tol = 1e-11, abs.tol = 0)
  expect_lte(relative_error(integrategpu(~ dstable(x, 1.5, 0) * exp(-x^2 / 2), -Inf, Inf)$value,
                            2 * transform$value), 1e-9)
  rows <- integrategpu(function(x, a) pstable(x, a, 0.4) * dnorm(x), -Inf, Inf,
                       params = data.frame(a = c(0.7, 1.2, 1.9)))
  base <- withDevice("cpu", vapply(c(0.7, 1.2, 1.9), function(a)
    integrate(function(x) pstable(x, a, 0.4) * dnorm(x), -Inf, Inf, rel.tol = 1e-10, abs.tol = 0)$value, 1))
  expect_lte(max(relative_error(rows$value, base)), 1e-9)
  # int_0^Inf K_nu(x) dx = pi/2 / cos(pi nu/2)
  bessel <- integrategpu(~ besselK(x, nu), 0, Inf, params = data.frame(nu = c(0, 0.25, 0.5)))
  expect_lte(max(relative_error(bessel$value, pi / 2 / cos(pi * c(0, 0.25, 0.5) / 2))), 1e-9)
  # a Poisson distribution with gamma means is negative binomial
  k <- 0:6
  mixed <- integrategpu(~ dpois(k, x) * dgamma(x, 3, 0.5), 0, Inf, params = data.frame(k))
  expect_lte(max(relative_error(mixed$value, dnbinom(k, 3, 1 / 3))), 1e-9)
})

test_backends("break points are shared or belong to rows", {
  needle <- function(x, at) dnorm(x, at, 1e-6)
  at <- c(0.123, 0.5, 0.9)
  sides <- cbind(at - 1e-5, NA, at + 1e-5)
  rows <- integrategpu(needle, 0, 1, params = data.frame(at), breaks = sides)
  expect_lte(max(abs(rows$value - 1)), 1e-9)
  one <- integrategpu(needle, 0, 1, at = 0.5, breaks = c(0.50001, NA, 0.49999, 7, -Inf, 0.5, 0.5))
  expect_lte(abs(one$value - 1), 1e-9)
  kink <- integrategpu(~ abs(x - 1 / 3), 1, 0, breaks = 1 / 3)
  expect_equal(kink$value, -(1 / 18 + 2 / 9), tolerance = 1e-15)
  expect_identical(kink$evaluations, integrategpu(~ abs(x - 1 / 3), 0, 1, breaks = 1 / 3)$evaluations)
  # a singularity inside
  pole <- integrategpu(~ 1 / sqrt(abs(x - 0.3)), 0, 1, breaks = 0.3)
  expect_equal(pole$value, 2 * (sqrt(0.3) + sqrt(0.7)), tolerance = 1e-9)
  # infinite ranges
  expect_equal(integrategpu(~ dnorm(x, 1e4), -Inf, Inf, breaks = 1e4)$value, 1, tolerance = 1e-9)
  expect_equal(integrategpu(~ dnorm(x, 1e4), 0, Inf, breaks = c(9990, 10010))$value, 1, tolerance = 1e-9)
  for (none in list(NULL, NA, numeric(), matrix(0, 3, 0), matrix(NA_real_, 3, 2), 5))
    expect_identical(integrategpu(~ x^a, 0, 1, params = data.frame(a = 1:3), breaks = none)$value,
                     integrategpu(~ x^a, 0, 1, params = data.frame(a = 1:3))$value)
})

test_backends("panels count", {
  first <- function(k, ...) integrategpu(~ x^2, 0, 1, min.panels = k, ...)
  expect_identical(first(1)$evaluations, 21)
  expect_identical(first(1)$subdivisions, 1L)
  expect_identical(first(32)$subdivisions, 32L)
  expect_identical(first(32)$evaluations, 21 * 32)
  expect_identical(first(8, subdivisions = 3)$subdivisions, 3L)
  short <- integrategpu(~ 1 / sqrt(x), 0, 1, subdivisions = 10, stop.on.error = FALSE)
  expect_identical(short$code, 1L)
  expect_identical(short$message, "maximum number of subdivisions reached")
  expect_lte(short$subdivisions, 10L)
  expect_gt(short$abs.error, abs(short$value - 2) / 10)
})

test_backends("what fails has a code and does not stop the others", {
  f <- function(x, a) x^a
  expect_warning(rows <- integrategpu(f, 0, c(1, 1, NA, 1), params = data.frame(a = c(2, NA, 1, -0.5),
                                                                               row.names = letters[1:4])),
                 "2 of 4 integrals failed: the input is invalid .1, first in row \"c\".; non-finite function value")
  expect_identical(rows$code, c(0L, 7L, 6L, 0L))
  expect_identical(is.nan(rows$value), c(FALSE, TRUE, TRUE, FALSE))
  expect_lte(max(relative_error(rows$value[c(1, 4)], c(1 / 3, 2))), 1e-9)
  expect_identical(row.names(rows), letters[1:4])
  failed <- integrategpu(~ log(x), -1, 1, stop.on.error = FALSE)
  expect_identical(failed$code, 7L)
  expect_match(failed$message, "^non-finite function value at x = -")
  expect_output(print(failed), "failed with message")
  expect_error(integrategpu(~ log(x), -1, 1), "non-finite function value at x = -", class = "statcl_error_integral")
  divergent <- integrategpu(~ 1 / x, 0, 1, stop.on.error = FALSE)
  expect_true(divergent$code %in% 1:5)
  error <- tryCatch(integrategpu(~ 1 / x, 0, 1), error = identity)
  expect_s3_class(error, c("statcl_error_integral", "statcl_error"))
  expect_match(conditionMessage(error), divergent$message, fixed = TRUE)
  expect_identical(as.character(conditionCall(error)[[1]]), "integrategpu")
  expect_warning(integrategpu(~ 1 / x, 0, 1, stop.on.error = FALSE), NA)
})

test_backends("values of integrands can be had", {
  x <- c(-3, -0.5, 0, 2, 1e5)
  expect_equal(integrand_values(~ dnorm(x), x), rbind(dnorm(x)), tolerance = 1e-14)
  both <- integrand_values(function(u, a) c(u, a * u^2), x, a = 3)
  expect_equal(both, rbind(x, 3 * x^2), ignore_attr = TRUE, tolerance = 1e-15)
  expect_equal(integrand_values(~ a + x, 1:3, params = data.frame(a = 2)), rbind(c(3, 4, 5)))
})

test_that("numbers of integrals are recycled", {
  expect_equal(integrategpu(~ x, 0, 1:4)$value, (1:4)^2 / 2)
  expect_equal(integrategpu(~ x, 0:1, 1:4)$value, ((1:4)^2 - c(0, 1, 0, 1)) / 2)
  expect_equal(integrategpu(~ a * x, 0:1, 2, params = list(a = 1:4, b = 3))$value, 1:4 * c(4, 3, 4, 3) / 2)
  expect_equal(integrategpu(~ a * x, 0, 1, params = cbind(a = 1:2, b = 3:4))$value, c(0.5, 1))
  # rows whose columns are not used are integrals, too
  expect_warning(unused <- integrategpu(~ x, 0, 1, params = data.frame(a = 1:3)), "uses no column of params .a.")
  expect_equal(unused$value, rep(0.5, 3))
  refused <- function(expr, message) expect_error(expr, message, class = "statcl_error_input")
  refused(integrategpu(~ x, 0, 1:4, params = data.frame(a = 1:3)),
          "params is for 3 integrals, of which 4 .upper. are")
  refused(integrategpu(~ a * x, 0, 1, params = list(a = 1:4, b = 1:3)), "params[$]b has 3 elements")
  # none at all
  f <- ~ a * x
  for (none in list(integrategpu(~ x, numeric(), 1), integrategpu(f, 0, 1, params = data.frame(a = numeric())),
                    integrategpu(f, 0, 1, params = list(a = numeric(), b = 1)))) {
    expect_s3_class(none, c("integrals", "data.frame"), exact = TRUE)
    expect_identical(dim(none), c(0L, 5L))
    expect_output(print(none), "^0 integrals")
  }
  empty <- integrategpu(function(x) c(a = 1, b = x), 0, numeric())
  expect_identical(dim(empty$value), c(0L, 2L))
  expect_identical(colnames(empty$value), c("a", "b"))
  # one row of params is a data frame
  expect_identical(dim(integrategpu(~ a * x, 0, 1, params = data.frame(a = 1))), c(1L, 5L))
  # row names that are not given stay numbers
  expect_identical(attr(integrategpu(~ a * x, 0, 1, params = data.frame(a = 1:2)), "row.names"), 1:2)
})

test_that("arguments are checked", {
  refused <- function(expr, message) expect_error(expr, message, class = "statcl_error_input")
  refused(integrategpu(~ x, NA, 1), "lower = NA")
  refused(integrategpu(~ x, 0, NaN), "upper = NaN.*NA or NaN")
  refused(integrategpu(~ x, "0", 1), "lower = 0: lower must be numeric")
  refused(integrategpu(~ x, 0, factor(1)), "upper = factor")
  refused(integrategpu(~ x, NULL, 1), "lower = NULL")
  refused(integrategpu(~ x, 0, 1, rel.tol = 1e-16), "rel.tol = 1e-16.*50")
  refused(integrategpu(~ x, 0, 1, rel.tol = 0), "rel.tol = 0")
  refused(integrategpu(~ x, 0, 1, rel.tol = NA), "rel.tol = NA")
  refused(integrategpu(~ x, 0, 1, rel.tol = c(1e-3, 1e-4)), "rel.tol.*single")
  refused(integrategpu(~ x, 0, 1, abs.tol = -1), "abs.tol = -1")
  expect_equal(integrategpu(~ x, 0, 1, rel.tol = 0, abs.tol = 1e-6)$value, 0.5)
  refused(integrategpu(~ x, 0, 1, subdivisions = 0), "subdivisions = 0")
  refused(integrategpu(~ x, 0, 1, min.panels = 1.5), "min.panels = 1.5")
  refused(integrategpu(~ x, 0, 1, method = "simpson"), "method = simpson")
  refused(integrategpu(~ x, 0, 1, method = "caq", breaks = 0.5), "breaks is for method = \"gk\"")
  refused(integrategpu(~ x, 0, 1, method = "caq", abs.tol = 0), "abs.tol = 0")
  refused(integrategpu(~ exp(-x), 0, Inf, method = "pbcaq"), "upper = Inf.*finite")
  refused(integrategpu(function(x) c(1, x), 0, 1, method = "pbcaq"), "one component, and f has 2")
  refused(integrategpu(~ x, 0, 1, method = "pbcaq", region = 7), "region = 7")
  refused(integrategpu(~ x, 0, 1, method = "pbcaq", region = c(blks = 4, thr = 8)), "must be blocks and threads")
  refused(integrategpu(~ x, 0, 1, breaks = "a"), "breaks = a")
  refused(integrategpu(~ x, 0, 1:3, breaks = matrix(0, 2, 1)), "breaks has 2 rows for 3 integrals")
  refused(integrategpu(~ x, 0, 1, stop.on.error = NA), "stop.on.error = NA")
  refused(integrategpu(~ x, 0, 1, 5), "no name")
  refused(integrategpu(~ a * x, 0, 1, a = 1, a = 2), "a is given twice")
  refused(integrategpu(~ a * x, 0, 1, a = 1, params = data.frame(a = 1)), "a is given in params and by itself")
  refused(integrategpu(~ a * x, 0, 1, params = 1:3), "params.*data frame")
  refused(integrategpu(~ a * x, 0, 1, params = matrix(1, 2, 1)), "names of columns")
  refused(integrategpu(42, 0, 1), "f")
  expect_error(suppressMessages(integrategpu(~ no_such_variable * x, 0, 1)), "no_such_variable")
  refused(integrategpu(NA_character_, 0, 1), "f")
  refused(integrategpu("exp(-x)", 0, 1), "class 'character'.*str2lang.*OpenCL C is not taken")
  refused(integrategpu(~ x * y0, 0, 1, y0 = NULL), "y0 = NULL")
  refused(integrategpu(~ x * l, 0, 1, l = 3), "l was taken for lower.*by their names")
  refused(integrategpu(~ x * up, 0, 1, up = 3), "up was taken for upper")
  expect_equal(integrategpu(~ x * l, lower = 0, upper = 1, l = 3)$value, 1.5)
  expect_equal(integrategpu(~ x, low = 0, up = 1)$value, 0.5)
  expect_error(withPrecision("single", integrategpu(~ x, 0, 1)), class = "statcl_error_device")
})

test_that("errors of single integrals say what may help", {
  failed <- function(expr, message) {
    text <- conditionMessage(expect_error(expr, class = "statcl_error_integral"))
    expect_match(text, message)
    text
  }
  failed(integrategpu(~ sin(1e5 * x), 0, 1, subdivisions = 50), "more subdivisions.*min.panels.*breaks.*abs.tol")
  failed(integrategpu(~ exp(x / 10) * exp(-x / 10), -Inf, Inf), "at x = [-0-9.]+: Inf [*] 0.*finite limits")
  warned <- 0 # by choose(), which R's library computes
  withCallingHandlers(value <- integrategpu(function(x) choose(5, x), 0, 1)$value, warning = function(w) {
    warned <<- warned + 1
    invokeRestart("muffleWarning")
  })
  expect_equal(c(value, warned), c(3, 1), tolerance = 1e-12)
  failed(integrategpu(~ exp(x), 0, Inf), "overflow far out.*diverges")
  expect_warning(integrategpu(~ x * a, 0, 1, params = data.frame(a = c(1, NA))), "first in row 2 .*, where a is NA")
  failed(integrategpu(~ log(x), -1, 1), "one of breaks")
  for (text in c(failed(integrategpu(~ 1 / x, 0, 1, method = "caq"), "ends of intervals are nodes"),
                 failed(integrategpu(~ 1 / sqrt(abs(x - 0.3)), 0, 1, method = "caq"), "larger abs.tol")))
    expect_no_match(text, "breaks")
})

test_that("integrals that are 0 at all nodes are warned of", {
  zero <- function(expr, message) expect_warning(expr, message, class = "statcl_warning_zero")
  zero(integrategpu(~ dnorm(x, 0.3, 1e-6), 0, 1), "the integral is 0.*breaks.*log = TRUE")
  f <- ~ dnorm(x, a, 1e-5)
  zero(x <- integrategpu(f, 0, 1, params = data.frame(a = c(0.5, 0.3, 7))), "2 of 3 integrals \\(first in row 2\\)")
  expect_output(print(x), "Code 8, f is 0 or denormal at all nodes: 2, first in row 2")
  expect_identical(summary(x)$codes$integrals, 1:2)
  expect_identical(x$code, c(0L, 8L, 8L))
  zero(x <- integrategpu(~ 1e-315 * a, 0, 1, params = list(a = c(1, 1e10, 0))), "2 of 3 integrals")
  expect_identical(x$code, c(8L, 0L, 8L))
  zero(m <- integrategpu(~ c(1, 2) * dnorm(x, a, 1e-5), 0, 1, params = list(a = c(0.5, 0.3))), "1 of 2")
  expect_output(print(summary(m)), "8 *f is 0 or denormal at all nodes *1 *2")
  # what is 0 as it is written, of no width, by symmetry, or in one component
  none <- function(expr) expect_warning(expr, NA)
  none(integrategpu(~ 0, 0, 1))
  none(integrategpu(~ x, 1, 1))
  none(integrategpu(~ x * dnorm(x), -Inf, Inf))
  none(integrategpu(~ c(x, 0), 0, 1:2))
})

test_that("names that nothing uses are errors, and beginnings of names are R's", {
  refused <- function(expr, message) expect_error(expr, message, class = "statcl_error_input")
  refused(integrategpu(dnorm, 0, 1, men = 3), "men is no argument.*f has mean, sd, log")
  refused(integrategpu(dnorm, 0, 1, rtol = 1e-5), "rtol is no argument")
  refused(integrategpu(~ a * x, 0, 1, a = 1, rat = 3), "rat is no argument.*f has a")
  refused(integrategpu(~ x, 0, 1, rat = 3), "f has no names but x")
  refused(integrategpu(~ x, 0, 1, x = 3), "x is no argument.*variable of integration")
  refused(integrategpu(~ a * x, 0, 1, params = data.frame(a = 1, x = 3)), "column x, which is the variable")
  by_r <- function(expr, message) expect_error(suppressMessages(expr), message, class = "simpleError")
  by_r(integrategpu(function(t, ...) dnorm(t, ...), 0, 1, men = 3), "unused argument")
  by_r(integrategpu(function(t) dnorm(t, foo = 3), 0, 1), "unused argument \\(foo = 3\\)")
  refused(integrategpu(function(x, aa, ab) x * aa, 0, 1, a = 3), "aa or ab")
  expect_equal(integrategpu(dnorm, 0, 4, m = 3, s = 2)$value, diff(pnorm(c(0, 4), 3, 2)), tolerance = 1e-12)
  # what stands in a branch that is not taken, or is an argument that f leaves alone, is no mistake
  f <- function(x, flag, b) if (flag) x else b
  expect_equal(integrategpu(f, 0, 1, flag = TRUE, b = 2)$value, 0.5)
  expect_equal(integrategpu(function(x, b) x, 0, 1, b = 2)$value, 0.5)
})

test_that("data frames of integrals print, subset and sum up", {
  suppressWarnings(x <- integrategpu(~ log(x - a), 0, 1, params = data.frame(a = c(-1, -2, 2, -3, -4, -5, -6, 3))))
  expect_output(print(x), "^8 integrals, .*and 2 more rows\nCode 7, non-finite function value: 2, first in row 3")
  expect_output(print(x, n = 2), "and 6 more rows")
  expect_output(print(x, n = 7), "and 1 more row\n")
  expect_s3_class(x[2:3, ], "integrals")
  expect_output(print(x[2:3, ]), "row \"3\"")
  expect_identical(class(x[c("value", "code")]), "data.frame")
  expect_identical(class(as.data.frame(x)), "data.frame")
  expect_identical(x[["code"]], x$code)
  expect_identical(x[3, "code"], 7L)
  expect_identical(nrow(head(x, 3)), 3L)
  s <- summary(x)
  expect_identical(s$codes$code, c(0L, 7L))
  expect_identical(s$codes$integrals, c(6L, 2L))
  expect_identical(s$codes$first, c(1L, 3L))
  expect_identical(s$evaluations[["total"]], sum(x$evaluations))
  expect_lte(s$rel.error, 1e-10)
  expect_output(print(s), "non-finite function value")
})

test_that("several components are matrices in a data frame", {
  m <- integrategpu(function(x, k) c(one = 1, power = x^k), 0, 1, params = data.frame(k = 1:4))
  expect_identical(dim(m), c(4L, 5L))
  expect_output(print(m), "^4 integrals, .*value.one +value.power")
  expect_identical(dimnames(m$abs.error), list(NULL, c("one", "power")))
  expect_s3_class(m[2:3, ], "integrals")
  expect_identical(m[2:3, ]$value, m$value[2:3, ])
  expect_identical(summary(m)$n, 4L)
  expect_identical(class(as.data.frame(m)), "data.frame")
})

# Calls at random with limits and integrands of every kind: a value, a code or an error of the package, and never a
# value that is silently far off where it is known.
test_backends("random calls are survived", {
  skip_if_quick()
  set.seed(11)
  calls <- if (useDevice()[1] == "cpu") as.integer(Sys.getenv("STATCL_TEST_CASES", "600")) else 150L
  odd <- c(0, -0, 1, -1, NaN, NA, Inf, -Inf, 5e-324, -1e-310, 1e-300, 1e300, 1.797e308, 1e16, 0.5, pi)
  known <- list(list(f = ~ a, F = function(x, a) a * x), list(f = ~ a * x, F = function(x, a) a * x^2 / 2),
                list(f = ~ exp(a * x), F = NULL), list(f = ~ a / x, F = NULL), list(f = ~ x^a, F = NULL),
                list(f = ~ ifelse(x > a, Inf, x), F = NULL), list(f = ~ log(x) * a, F = NULL),
                list(f = ~ a * 1e308 * 1e308, F = NULL), list(f = ~ sin(1e10 * x) * a, F = NULL),
                list(f = ~ floor(x * a), F = NULL), list(f = ~ sqrt(abs(x - a)), F = NULL))
  numbers <- function(n) ifelse(runif(n) < 0.5, sample(odd, n, TRUE), rnorm(n, sd = 3))
  wrong <- character()
  for (call in seq_len(calls)) {
    n <- sample(c(1:5, 50), 1)
    a <- numbers(n)
    lower <- numbers(n)
    upper <- numbers(n)
    k <- sample(length(known), 1)
    found <- suppressWarnings(integrategpu(
      known[[k]]$f, lower, upper, params = data.frame(a), rel.tol = 10^-sample(3:10, 1),
      abs.tol = sample(c(0, 1e-12, 1), 1), subdivisions = sample(c(1, 30, 300), 1),
      min.panels = sample(c(1, 8, 40), 1), breaks = if (runif(1) < 0.3) numbers(3)))
    limit <- !is.na(lower) & !is.na(upper)
    fine <- nrow(found) == n && all(found$code %in% 0:8) && all((found$code == 6L)[!limit]) &&
      all(is.finite(found$value[found$code == 0L]))
    if (!is.null(known[[k]]$F)) {
      truth <- known[[k]]$F(upper, a) - known[[k]]$F(lower, a)
      size <- abs(known[[k]]$F(upper, a)) + abs(known[[k]]$F(lower, a))
      # the rule is exact for lines
      judged <- found$code == 0L & is.finite(size) & size > 1e-290 & is.finite(lower) & is.finite(upper) &
        abs(upper - lower) > 1e-300 # panels of narrower ranges have no width
      fine <- fine && all((abs(found$value - truth) <= 1e-12 * size)[judged])
    }
    if (!fine) wrong <- c(wrong, deparse(list(k = k, a = a, lower = lower, upper = upper), width.cutoff = 500)[1])
  }
  expect_identical(wrong, character())
})

test_backends("sums beyond the largest number have code 7", {
  for (method in c("gk", "pbcaq")) {
    found <- integrategpu(~ 1e307 * x, 0, 10, method = method, abs.tol = 1, region = c(8, 8), stop.on.error = FALSE)
    expect_identical(found$code, 7L)
    expect_identical(found$value, NaN)
    expect_error(integrategpu(~ 1e307 * x, 0, 10, method = method, abs.tol = 1, region = c(8, 8)), "scale f",
                 class = "statcl_error_integral")
  }
  # a range that is wider than the largest number is none
  expect_equal(integrategpu(~ 1e-308, -1e308, 1e308, min.panels = 1)$value, 2)
})

test_that("columns of params that f cannot take are named", {
  refused <- function(f, params, pattern)
    expect_error(suppressMessages(integrategpu(f, 0, 1, params = params)), pattern, class = "statcl_error_input")
  refused(function(x, a) x * a, data.frame(a = c("1", "2")), "params\\$a is of class character: numbers are needed")
  refused(function(x, a) sum(a) * x, list(a = list(1:2, list(3, 4))),
          "params\\$a = list: params\\$a must have vectors of numbers as elements")
  expect_equal(integrategpu(function(x, a) sum(a) * x, 0, 1, params = list(a = list(1:2, 3:4)))$value, c(1.5, 3.5))
  refused(function(x, a) a * x, structure(list(a = sum), class = "data.frame", row.names = 1L),
          "params\\$a = function:")
  refused(function(x, a) a * x, data.frame(b = 1:3), "f has a without a value, params has only b")
  # what f can take it may have
  kind <- function(x, k) if (k[1] == "up") x else 1 - x^2
  value <- suppressMessages(integrategpu(kind, 0, 1, params = data.frame(k = c("up", "down"))))
  expect_equal(value$value, c(1 / 2, 2 / 3))
})

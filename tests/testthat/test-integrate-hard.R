# What integrals of hard integrands are worth: families with known values, at random, and the errors that are claimed.
# An integral that is wrong must have a code.
fast_builds_in_file()
few_on_devices(3)

quietly <- function(...) suppressWarnings(integrategpu(...))

expect_honest <- function(found, truth, slack = 1e-14) {
  error <- abs(found$value - truth)
  expect_true(all(error <= found$abs.error + slack * pmax(1, abs(truth)) | found$code != 0L),
              label = "errors are within those claimed")
}

test_backends("jumps are found or hidden at the ends of the range alone", {
  set.seed(1)
  n <- if (useDevice()[1] == "cpu") 20000L else 2000L
  # no value is taken within 0.0044 times the radius, 1/16, of 0 and 1
  at <- runif(n, 3e-4, 1 - 3e-4)
  step <- quietly(function(x, at) ifelse(x > at, 1, 0) + 1, 0, 1, params = data.frame(at))
  expect_true(all(step$code == 0L))
  expect_honest(step, 2 - at)
  sign <- quietly(function(x, at) exp(-x) * ifelse(x > at, 1, -1), 0, 1, params = data.frame(at))
  expect_honest(sign, 2 * exp(-at) - 1 - exp(-1))
  expect_lte(mean(sign$code != 0L), 1e-3) # totals next to 0
  # at a border of panels, exactly and nearly
  at <- rep(c(1:7) / 8, each = 100) + c(0, 10^-(6:16), -10^-(6:16), runif(77, -1e-4, 1e-4))
  near <- quietly(function(x, at) ifelse(x > at, 3, 1), 0, 1, params = data.frame(at))
  expect_true(all(near$code == 0L))
  expect_honest(near, 3 - 2 * at)
})

test_backends("peaks beside borders of panels are seen from both sides", {
  set.seed(2)
  n <- if (useDevice()[1] == "cpu") 20000L else 1000L
  sd <- 10^runif(n, -5, -2)
  mean <- sample(1:7, n, TRUE) / 8 + runif(n, -6, 6) * sd
  found <- quietly(function(x, mean, sd) dnorm(x, mean, sd), 0, 1, params = data.frame(mean, sd))
  expect_true(all(found$code == 0L))
  expect_honest(found, 1, 1e-10)
  # on the whole line a narrow one may be missed, but not by half
  sd <- 10^runif(n, -3, 0)
  mean <- runif(n, -8, 8)
  found <- quietly(function(x, mean, sd) dnorm(x, mean, sd), -Inf, Inf, params = data.frame(mean, sd))
  expect_true(all(abs(found$value - 1) < 1e-9 | found$value < 1e-9 | found$code != 0L))
  expect_true(all(abs(found$value - 1)[sd > 0.05] < 1e-9))
})

test_backends("kinks, and jumps beside singularities, are seen at borders of panels", {
  set.seed(6)
  n <- if (useDevice()[1] == "cpu") 3000L else 300L
  # what is next to the ends of the range has no border at its other side
  at <- runif(n, 3e-4, 1 - 3e-4)
  p <- runif(n, -0.6, -0.1)
  both <- quietly(function(x, at, p) x^p * ifelse(x > at, 2, 1), 0, 1, params = data.frame(at, p))
  truth <- (2 - at^(p + 1)) / (p + 1)
  expect_true(all(both$code == 0L))
  expect_lte(max(abs(both$value / truth - 1)), 1e-10)
  expect_honest(both, truth)
  logs <- quietly(function(x, at) log(x) * ifelse(x > at, 2, 1), 0, 1, params = data.frame(at))
  expect_honest(logs, at - at * log(at) - 2)
  near <- rep(1:15 / 16, each = 32) + c(-1, 1) * 10^-rep(2:17, each = 2)
  for (at in list(near, at)) {
    kink <- quietly(function(x, at) abs(x - at), 0, 1, params = data.frame(at))
    expect_true(all(kink$code == 0L))
    expect_lte(max(abs(kink$value / ((at^2 + (1 - at)^2) / 2) - 1)), 1e-10)
  }
  K <- runif(n, -1, 5)
  call <- quietly(function(x, K) max(exp(x) - exp(K), 0) * dnorm(x), -Inf, Inf, params = data.frame(K))
  expect_true(all(call$code == 0L))
  expect_lte(max(abs(call$value / (exp(0.5) * pnorm(1 - K) - exp(K) * pnorm(-K)) - 1)), 1e-9)
})

test_backends("panels are no more than subdivisions, repairs included", {
  steps <- integrategpu(~ sin(x) + floor(10 * x), 0, 1, subdivisions = 12L, min.panels = 10L, stop.on.error = FALSE)
  expect_identical(steps$code, 1L)
  expect_lte(steps$subdivisions, 12L)
})

test_backends("two singularities in one range have limits of their own", {
  set.seed(7)
  n <- if (useDevice()[1] == "cpu") 3000L else 300L
  a <- 10^runif(n, -0.7, 1)
  b <- 10^runif(n, -0.4, 1)
  found <- quietly(function(x, a, b) x^(a - 1) * (1 - x)^(b - 1), 0, 1, params = data.frame(a, b))
  expect_lte(mean(found$code != 0L), 0.01)
  expect_lte(max(abs(found$value / beta(a, b) - 1)[found$code == 0L]), 1e-9)
  # where x cannot resolve them there is a value all the same
  at <- runif(n)
  inner <- quietly(function(x, at) abs(x - at)^-0.4, 0, 1, params = data.frame(at))
  error <- abs(inner$value / ((at^0.6 + (1 - at)^0.6) / 0.6) - 1)
  expect_lte(max(error), 1e-6)
  expect_lte(max(error[inner$code == 0L]), 1e-10)
  expect_true(any(inner$code == 0L))
  ends <- quietly(~ x^-0.94 * (1 - x)^-0.64, 0, 1)
  expect_identical(ends$code, 0L)
  expect_equal(ends$value, beta(0.06, 0.36), tolerance = 1e-10)
  # x has few digits beside its singularity, and a logarithm hardly converges
  for (case in list(list(~ 1 / sqrt(x - 1e5), 1e5, 1e5 + 1, 2), list(~ (x - 100)^-0.8, 100, 101, 5),
                    list(~ 1 / (x * log(x)^3.2), 2, Inf, log(2)^-2.2 / 2.2))) {
    found <- integrategpu(case[[1]], case[[2]], case[[3]], rel.tol = 1e-7, stop.on.error = FALSE)
    expect_true(found$code != 0L || abs(found$value - case[[4]]) <= found$abs.error, label = deparse(case[[1]]))
  }
})

test_backends("singularities are extrapolated, with errors that hold", {
  set.seed(3)
  n <- if (useDevice()[1] == "cpu") 5000L else 500L
  p <- runif(n, -0.9, -0.1)
  # x itself loses too many digits beside a place other than 0 where f is steeper
  at <- ifelse(p < -0.5, 0, sample(0:16, n, TRUE) / 16)
  found <- quietly(function(x, at, p) abs(x - at)^p, 0, 1, params = data.frame(at, p))
  truth <- (at^(1 + p) + (1 - at)^(1 + p)) / (1 + p)
  expect_true(all(found$code == 0L))
  expect_true(all(abs(found$value / truth - 1) < 1e-10))
  expect_honest(found, truth)
  # the end of a half-line is where digits count
  shape <- runif(n, 0.01, 1)
  found <- quietly(function(x, shape) dgamma(x, shape), 0, Inf, params = data.frame(shape))
  expect_true(all(found$code == 0L))
  expect_honest(found, 1, 1e-13)
  expect_lte(mean(found$evaluations), 700)
  rows <- data.frame(shape = 0.2 + shape[1:100])
  found <- quietly(function(x, shape) dgamma(-x - 3, shape), -Inf, -3, params = rows)
  expect_true(all(abs(found$value - 1) < 1e-9 | found$code != 0L))
})

test_backends("zeros, tails and oscillation", {
  zero <- list(integrategpu(function(x) sin(100 * x), 0, 2 * pi), integrategpu(~ x^3, -1, 1),
               integrategpu(function(x) (digamma(2) - log(x)) * dgamma(x, 2), 0, Inf),
               integrategpu(function(x) (x - 1000) * dnorm(x, 1000, 1), 900, 1100),
               integrategpu(~ x * exp(-x^2), -Inf, Inf))
  for (z in zero) {
    expect_identical(z$code, 0L)
    expect_lte(abs(z$value), z$abs.error)
    expect_lte(z$abs.error, 1e-12)
  }
  # not finite where nothing is left of it
  expect_equal(integrategpu(function(z) pmax(100 * exp(-0.02 + 0.2 * z) - 100, 0) * dnorm(z), -Inf, Inf)$value,
               100 * pnorm(0.2 - 0.1) - 100 * pnorm(-0.1), tolerance = 1e-10)
  expect_equal(integrategpu(function(x) x^80 * exp(-x^2), -Inf, Inf)$value, gamma(40.5), tolerance = 1e-10)
  expect_equal(integrategpu(function(x) exp(x) / (1 + exp(x))^2, -Inf, Inf)$value, 1, tolerance = 1e-10)
  expect_equal(integrategpu(function(x) -dnorm(x) * log(dnorm(x)), -Inf, Inf)$value, 0.5 * log(2 * pi * exp(1)),
               tolerance = 1e-10)
  w <- c(500, 1000, 2000, 3000, 4000, 7000)
  wave <- integrategpu(function(x, w) 1 + sin(w * x), 0, 1, params = data.frame(w))
  expect_true(all(wave$code == 0L))
  expect_equal(wave$value, 1 + (1 - cos(w)) / w, tolerance = 1e-11)
})

test_backends("values that are not finite end an integral after two halvings", {
  expect_equal(integrategpu(~ sin(x) / x, -1, 1, min.panels = 1L)$value, 1.8921661407343662, tolerance = 1e-12)
  bad <- quietly(~ ifelse(abs(x - 0.4) < 0.01, NaN, x), 0, 1, stop.on.error = FALSE)
  expect_identical(bad$code, 7L)
  expect_true(is.nan(bad$value))
})

test_that("many rows, many panels, many values of a row", {
  n <- 20000L
  rows <- data.frame(a = seq_len(n), b = rev(seq_len(n)))
  expect_equal(integrategpu(~ a * x + b, 0, 1, params = rows)$value, rows$a / 2 + rows$b)
  # more panels than one launch takes
  w <- seq(5000, 6000, length.out = 400)
  expect_equal(integrategpu(~ 1 + sin(w * x), 0, 1, params = data.frame(w))$value, 1 + (1 - cos(w)) / w)
  expect_equal(integrategpu(~ x + a, 0, rep(1, 3000), a = 0, min.panels = 300L)$value, rep(0.5, 3000))
  # constants of a row, more than are computed at once
  f <- as.call(c(quote(sum), lapply(1:150, function(k) bquote(x * exp(-a / .(k))))))
  truth <- vapply(c(0.5, 2), function(a) sum(exp(-a / 1:150)) / 2, 0)
  expect_equal(integrategpu(f, 0, 1, params = data.frame(a = c(0.5, 2)))$value, truth, tolerance = 1e-13)
  found <- integrategpu(~ a * x, 0, 1, params = data.frame(a = 1:4), method = "pbcaq", region = c(8, 16))
  expect_equal(found$value, 1:4 / 2)
})

test_backends("components with different singularities are extrapolated, each where it has one", {
  found <- integrategpu(function(x) c(1 / sqrt(x), abs(x - 1 / 4)^-0.3, x^2, (1 - x)^-0.6), 0, 1)
  expect_identical(found$code, 0L)
  expect_equal(as.vector(found$value), c(2, (0.25^0.7 + 0.75^0.7) / 0.7, 1 / 3, 2.5), tolerance = 1e-10)
  expect_lte(found$evaluations, 2000)
})

test_backends("an integral beside a pole is not 0 but for rounding", {
  s <- seq(0.05, 0.95, length.out = 50)
  expect_false(0L %in% quietly(function(x, s) tan(pi * x / (2 * s)), 0, 1, params = data.frame(s))$code)
  expect_false(0L %in% quietly(tan, 0, c(2, pi))$code)
  # these are
  for (case in list(list(sin, pi), list(function(x) x^3, 1), list(function(x) sin(x - 1e9), pi, 1e9))) {
    centre <- if (length(case) > 2L) case[[3]] else 0
    expect_identical(integrategpu(case[[1]], centre - case[[2]], centre + case[[2]])$code, 0L)
  }
  expect_identical(integrategpu(~ x^3, -1, 1, min.panels = 1)$code, 0L)
})

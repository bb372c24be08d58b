ref <- read_ref("stable")
in_support <- is.finite(ref$logpdf)

# Points where an evaluation of one kind or another is hardest, among them all that earlier versions had wrong: |beta|
# next to 1 on the light side, alpha next to 1 and 2, x next to zeta, alpha below 0.1. Values from the angle integral
# in ball arithmetic at two precisions, a sample of them confirmed by the inversion integral.
hard <- read_ref("stable_hard")

test_backends("densities agree with high precision at hard points", {
  logpdf <- dstable(hard$x, hard$alpha, hard$beta, log = TRUE)
  zero <- hard$logpdf == -Inf
  expect_identical(logpdf[zero], rep(-Inf, sum(zero)))
  expect_lte(max(log_error(logpdf, hard$logpdf)), 1e-13)
  moderate <- abs(hard$logpdf) < 100
  expect_lte(max(relative_error(dstable(hard$x, hard$alpha, hard$beta), hard$pdf)[moderate]), 1e-12)
})

# Small alpha beside zeta, where the integrand has two scales and panels are wide: values from another integral,
# tools/stable_small_alpha_reference.py.
test_backends("small alpha beside zeta agrees with high precision", {
  small <- read_ref("stable_small_alpha")
  log_f <- dstable(small$y, small$alpha, small$beta, 1, 0, 1, log = TRUE)
  expect_lte(max(log_error(log_f, small$log_f)), 1e-14)
  log_upper <- pstable(small$y, small$alpha, small$beta, 1, 0, 1, lower.tail = FALSE, log.p = TRUE)
  expect_lte(max(log_error(log_upper, small$log_upper), na.rm = TRUE), 1e-14)
  slopes <- statcl:::stable_slopes(small$y, small$alpha, small$beta, 1L, 1L)
  expect_lte(max(log_error(slopes[, "log_f"], small$log_f)), 1e-12)
})

# Light sides of |beta| = 1, and of alpha = 1 with |beta| next to 1, where two parts of the integral are alike in
# size: tools/stable_light_reference.py.
test_backends("light sides agree with high precision", {
  light <- read_ref("stable_light")
  upper <- light$alpha > 1
  expect_gt(sum(upper), 3)
  log_f <- dstable(light$x, light$alpha, light$beta, 1, 0, light$pm, log = TRUE)
  expect_lte(max(log_error(log_f, light$log_f)), 1e-14)
  tail <- function(r, ...) pstable(r$x, r$alpha, r$beta, 1, 0, r$pm, ..., log.p = TRUE)
  expect_lte(max(log_error(tail(light[upper, ], lower.tail = FALSE), light$log_tail[upper])), 1e-14)
  expect_lte(max(log_error(tail(light[!upper, ]), light$log_tail[!upper])), 1e-14)
})

test_backends("densities agree with the reference table", {
  logpdf <- dstable(ref$x, ref$alpha, ref$beta, log = TRUE)
  pdf <- dstable(ref$x, ref$alpha, ref$beta)
  expect_identical(pdf[!in_support], numeric(sum(!in_support)))
  expect_identical(logpdf[!in_support], rep(-Inf, sum(!in_support)))
  expect_lte(max(log_error(logpdf, ref$logpdf)), 1e-13)
  moderate <- in_support & abs(ref$logpdf) < 100
  error <- relative_error(pdf, ref$pdf)[moderate]
  expect_lte(max(error), 1e-12)
  expect_gte(mean(error <= 1e-13), 0.999)
})

test_backends("one parameter set for many points gives the same bits as one per point", {
  for (set in list(c(1.5, 0.5), c(0.4, 1), c(1, -0.3), c(1.95, 1))) {
    x <- c(-1e5, seq(-8, 8, by = 0.37), 1e9)
    together <- dstable(x, set[1], set[2], 2, 1)
    n <- length(x)
    expect_identical(dstable(x, rep(set[1], n), rep(set[2], n), rep(2, n), rep(1, n)), together)
    expect_identical(vapply(x, dstable, 1, set[1], set[2], 2, 1), together)
  }
})

sets <- expand.grid(alpha = c(0.3, 0.7, 0.95, 0.999, 1, 1 + 1e-9, 1.001, 1.5, 1.9, 1.999),
                    beta = c(-1, -0.4, 0, 0.8, 1))
points <- c(-1e8, -300, -12, -3, -0.7, 0.1, 0.9, 4, 25, 1e4)
grid <- merge(sets, data.frame(x = points))

test_backends("densities integrate to one", {
  for (i in seq_len(nrow(sets))) {
    tails <- stable_tails(sets$alpha[i], sets$beta[i])
    expect_equal(tails$lower$p[1] + tails$upper$p[1], 1, tolerance = 1e-12, label = paste(sets[i, ], collapse = ", "))
  }
})

test_backends("beta changes sign with x", {
  expect_identical(with(grid, dstable(-x, alpha, -beta)), with(grid, dstable(x, alpha, beta)))
})

test_backends("gamma scales and delta moves", {
  expect_equal(with(grid, dstable(4 * x, alpha, beta, 4)), with(grid, dstable(x, alpha, beta) / 4), tolerance = 1e-14)
  expect_equal(with(grid, dstable(1e-200 * x, alpha, beta, 1e-200, log = TRUE)),
               with(grid, dstable(x, alpha, beta, log = TRUE) + 200 * log(10)), tolerance = 1e-13)
  # A shift in x that is exact: the points are multiples of 1/16.
  x <- seq(-5, 5, by = 0.0625)
  for (alpha in c(0.5, 1, 1.5))
    expect_equal(dstable(x + 8, alpha, 0.5, 1, 8), dstable(x, alpha, 0.5), tolerance = 1e-14)
})

test_backends("the parameterisations are shifts and scales of each other", {
  x <- c(-20, -2, 0, 0.5, 3, 40)
  for (alpha in c(0.6, 1, 1.4, 1.8, 2)) for (beta in c(-1, 0, 0.7)) for (gamma in c(0.3, 1, 5)) {
    shift <- if (alpha == 1) beta * 2 / pi * gamma * log(gamma) else beta * gamma * tan(pi * alpha / 2)
    expect_equal(dstable(x, alpha, beta, gamma, 1 - shift, pm = 1, log = TRUE),
                 dstable(x, alpha, beta, gamma, 1, log = TRUE), tolerance = 1e-12)
    scale <- alpha^(-1 / alpha) * gamma
    mode <- stats::optimize(dstable, c(-1, 1), alpha, beta, log = TRUE, maximum = TRUE, tol = 1e-9)$maximum
    expect_equal(dstable(x, alpha, beta, gamma, 1, pm = 2), dstable(x, alpha, beta, scale, 1 - scale * mode),
                 tolerance = 1e-6)
  }
})

test_backends("with pm = 2 the density is largest at delta", {
  for (alpha in c(0.3, 0.6, 0.99, 1, 1.3, 1.95, 2)) for (beta in c(-1, -0.3, 0, 0.6, 1)) {
    at <- dstable(3 + 2 * c(-1e-3, 0, 1e-3), alpha, beta, 2, 3, pm = 2)
    expect_gte(at[2], at[1])
    expect_gte(at[2], at[3])
  }
})

test_backends("the density is continuous at alpha = 1 and alpha = 2", {
  x <- c(-50, -4, -1, 0, 0.5, 2, 9, 1e3)
  for (beta in c(-0.8, 0, 0.5)) {
    middle <- dstable(x, 1, beta, log = TRUE)
    for (step in c(-1e-9, 1e-9)) expect_equal(dstable(x, 1 + step, beta, log = TRUE), middle, tolerance = 2e-8)
    expect_equal((dstable(x, 1 + 1e-6, beta, log = TRUE) + dstable(x, 1 - 1e-6, beta, log = TRUE)) / 2, middle,
                 tolerance = 1e-10)
  }
  expect_equal(dstable(-3:3, 2 - 1e-10, 0.5), dstable(-3:3, 2, 0.5), tolerance = 1e-9)
})

test_backends("special cases have their closed forms", {
  x <- c(-1e10, -300, -30, -4, -0.3, 0, 1e-5, 2, 11, 37, 1e5)
  expect_equal(dstable(x, 2, c(-1, 0, 0.5), 3, 1, log = TRUE), dnorm(x, 1, 3 * sqrt(2), log = TRUE),
               tolerance = 1e-14)
  expect_equal(dstable(x, 2, 0), dnorm(x, 0, sqrt(2)), tolerance = 1e-13)
  expect_equal(dstable(x, 1, 0, 3, 1, log = TRUE), dcauchy(x, 1, 3, log = TRUE), tolerance = 1e-14)
  levy <- function(x) ifelse(x > 0, -log(2 * pi) / 2 - 1 / (2 * x) - 1.5 * log(abs(x)), -Inf)
  x <- c(-1, 0, 1e-3, 0.1, 1, 50, 1e6, 1e100)
  expect_equal(dstable(x, 0.5, 1, pm = 1, log = TRUE), levy(x), tolerance = 1e-13)
  expect_equal(dstable(-x, 0.5, -1, pm = 1, log = TRUE), levy(x), tolerance = 1e-13)
})

test_backends("far tails follow the Pareto distribution", {
  tail <- function(x, alpha, beta)
    log(alpha * sin(pi * alpha / 2) * gamma(alpha) * (1 + beta) / pi) - (alpha + 1) * log(x)
  for (alpha in c(0.5, 1, 1.5, 1.9))
    expect_equal(dstable(1e200, alpha, 0.5, log = TRUE), tail(1e200, alpha, 0.5), tolerance = 1e-13)
})

test_backends("edges of the domain", {
  expect_identical(dstable(c(-Inf, Inf), 1.5, 0.5), c(0, 0))
  expect_identical(dstable(c(-Inf, Inf), 1.5, 0.5, log = TRUE), c(-Inf, -Inf))
  expect_identical(dstable(c(1, 2), 1.5, 0.5, 0, 1), c(Inf, 0))
  expect_identical(dstable(1, 1.5, 0.5, Inf), 0)
  expect_warning(invalid <- dstable(0, c(0, -1, 2.0001, NaN, NA, 1.5, 1.5, 1.5, Inf), c(0, 0, 0, 0, 0, 1.1, -2, 0, 0),
                                    c(rep(1, 7), -1, 1)), "^NaNs produced$")
  expect_identical(is.nan(invalid), c(TRUE, TRUE, TRUE, TRUE, FALSE, TRUE, TRUE, TRUE, TRUE))
  expect_true(is.na(invalid[5]))
  expect_warning(expect_identical(dstable(0, 1.5, 0, pm = c(0.5, 3, -1)), rep(NaN, 3)), "^NaNs produced$")
  tiny <- dstable(c(-1, 0, 1, 1e300), 0.01, c(0, 0.5, -1, 1), log = TRUE)
  expect_false(anyNA(tiny))
})

test_backends("valid arguments give a finite density", {
  set.seed(13)
  n <- 2e5
  special <- c(0.01, 0.5, 1 - 1e-9, 1, 1 + 1e-9, 1.001, 1.5, 1.99, 1.9999, 2)
  alpha <- ifelse(stats::runif(n) < 0.5, sample(special, n, TRUE), stats::runif(n, 0.02, 2))
  beta <- sample(c(-1, -0.9, 0, 0.5, 0.99999, 1), n, TRUE)
  x <- sample(c(-1, 1), n, TRUE) * exp(stats::runif(n, -30, 60))
  density <- dstable(x, alpha, beta)
  logarithm <- dstable(x, alpha, beta, log = TRUE)
  expect_equal(sum(is.na(density) | density < 0 | density == Inf), 0)
  expect_equal(sum(is.na(logarithm) | logarithm == Inf), 0)
  # The plain density carries the rounding of its logarithm.
  moderate <- which(abs(logarithm) < 100)
  error <- relative_error(density, exp(logarithm)) / pmax(1, abs(logarithm))
  expect_lt(max(error[moderate]), 1e-14)
})

test_backends("hostile arguments give a value or NaN", {
  skip_if_quick()
  set.seed(11)
  odd <- c(NaN, NA, Inf, -Inf, 0, -0, 1, -1, 2, 5e-324, -5e-324, 2.2e-308, 1.79e308, 1e-16, 1 - 1e-16, 1 + 1e-15,
           2 - 1e-15, 1e300)
  pick <- function(n) ifelse(stats::runif(n) < 0.5, sample(odd, n, TRUE), stats::runif(n, -1, 2.2))
  n <- repetitions(3000, 20000)
  value <- suppressWarnings(dstable(pick(n), pick(n), pick(n), pick(n), pick(n), sample(c(0:2, 5), n, TRUE)))
  expect_length(value, n)
  expect_true(all(value >= 0, na.rm = TRUE))
  draws <- suppressWarnings(rstable(n, pick(n), pick(n), pick(n), pick(n), sample(c(0:2, 5), n, TRUE)))
  expect_length(draws, n)
})

laws <- data.frame(alpha = c(0.3, 0.3, 0.7, 0.999, 1, 1, 1, 1.001, 1.5, 1.5, 1.99, 2),
                   beta = c(0, 1, -1, 0.5, 0, 0.5, -1, 0.5, 0.5, 1, -0.5, 0))

test_backends("draws follow the density", {
  set.seed(3)
  n <- 20000
  for (i in seq_len(nrow(laws))) {
    label <- paste(laws[i, ], collapse = ", ")
    tails <- stable_tails(laws$alpha[i], laws$beta[i])
    draws <- rstable(n, laws$alpha[i], laws$beta[i])
    expect_gt(stats::ks.test(draws, stable_cdf(tails))$p.value, 1e-4, label = label)
    probabilities <- c(0.1, 0.01, 0.001)
    expect_lt(max(abs(tail_deviates(draws, tails$upper, probabilities, 1)), 0), 4, label = label)
    expect_lt(max(abs(tail_deviates(draws, tails$lower, probabilities, -1)), 0), 4, label = label)
  }
})

test_backends("draws keep to the support, the scale and the location", {
  set.seed(5)
  expect_gt(min(rstable(1000, 0.5, 1, pm = 1)), 0)
  expect_lt(max(rstable(1000, 0.5, -1, pm = 1)), 0)
  draws <- function(...) { set.seed(9); rstable(100, 1.3, 0.4, ...) }
  expect_equal(draws(2, 5), 5 + 2 * draws())
  expect_equal(draws(2, 5, pm = 1), 5 + 0.4 * 2 * tan(pi * 1.3 / 2) + 2 * draws())
  expect_identical(rstable(3, 1.5, 0, 0, c(1, 2)), c(1, 2, 1))
})

test_that("draws do not depend on how they are split", {
  set.seed(21)
  whole <- rstable(5000, 1.2, 0.3)
  set.seed(21)
  expect_identical(rstable(1234, 1.2, 0.3), whole[1:1234])
  parameters <- rep(c(0.5, 1, 1.7), length.out = 5000)
  set.seed(21)
  mixed <- rstable(5000, parameters, 0.3)
  set.seed(21)
  expect_identical(mixed[parameters == 1], rstable(5000, 1, 0.3)[parameters == 1])
})

test_that("quantiles of tiny alpha overflow to Inf, are zeta where they are next to it, and do not fall", {
  expect_identical(qstable(0.9724415, 0.001, 0.06560171), Inf)
  expect_identical(qstable(0.0275585, 0.001, -0.06560171), -Inf)
  expect_identical(qstable(0.9724415, 0.001, 0.06560171, gamma = 2, delta = 3, pm = 1), Inf)
  zeta <- -0.3 * tan(pi * 1e-4 / 2)
  expect_equal(qstable(c(0.1, 0.3, 0.4, 0.9), 1e-4, 0.3), c(-Inf, zeta, zeta, Inf))
  p <- (1:199) / 200
  for (alpha in c(1e-5, 3e-4, 1e-3, 2e-3, 0.01)) for (beta in c(-0.9, 0, 0.4, 1)) {
    q <- qstable(p, alpha, beta)
    expect_false(anyNA(q) || is.unsorted(q))
    far <- abs(q) > 1e3 & is.finite(q)
    expect_equal(pstable(q[far], alpha, beta), p[far], tolerance = 1e-12)
    # what overflows has its quantile beyond the largest number
    expect_true(all(p[q == Inf] >= pstable(.Machine$double.xmax, alpha, beta)))
  }
})

test_backends("tails go on where the standardised point overflows", {
  # far out f is c |x|^(-1 - alpha) gamma^alpha: here (x - delta)/gamma is 1e310 and 1e299
  for (alpha in c(0.3, 0.9, 1, 1.2, 1.5, 1.999)) for (beta in c(-0.5, 0, 1)) for (x in c(1e10, -1e10)) {
    ratio <- alpha * (log(1e-300) - log(1e-289))
    near <- dstable(x, alpha, beta, 1e-289, log = TRUE)
    expect_equal(dstable(x, alpha, beta, 1e-300, log = TRUE), near + ratio, tolerance = 1e-14)
    lower <- x < 0
    tail <- pstable(x, alpha, beta, 1e-289, lower.tail = lower, log.p = TRUE)
    expect_equal(pstable(x, alpha, beta, 1e-300, lower.tail = lower, log.p = TRUE), tail + ratio, tolerance = 1e-14)
  }
  expect_equal(dstable(1e10, 1.5, 0.5, gamma = 1e-300, log = TRUE), -1094.529, tolerance = 1e-6)
  expect_identical(dstable(c(Inf, -Inf, 1e10), 1.5, c(0.5, 0.5, -1), 1e-300, log = TRUE), rep(-Inf, 3))
  expect_identical(dstable(1e10, 2, 0, 1e-300, log = TRUE), -Inf)
})

# Columns cdf, sf and their logarithms logcdf, logsf.
ref <- read_ref("stable")

test_backends("both tails agree with the reference table, and so do their logarithms", {
  for (lower in c(TRUE, FALSE)) {
    tail <- if (lower) ref$cdf else ref$sf
    log_tail <- if (lower) ref$logcdf else ref$logsf
    p <- pstable(ref$x, ref$alpha, ref$beta, lower.tail = lower)
    log_p <- pstable(ref$x, ref$alpha, ref$beta, lower.tail = lower, log.p = TRUE)
    zero <- log_tail == -Inf
    expect_gt(sum(zero), 20)
    expect_identical(p[zero], numeric(sum(zero)))
    expect_identical(log_p[zero], rep(-Inf, sum(zero)))
    # where the other tail is exactly zero
    one <- (if (lower) ref$logsf else ref$logcdf) == -Inf
    expect_identical(p[one], rep(1, sum(one)))
    expect_identical(log_p[one], numeric(sum(one)))
    moderate <- tail >= 1e-43
    expect_lte(max(relative_error(p, tail)[moderate]), 1e-13)
    expect_lte(max(log_error(log_p, log_tail)), 1e-13)
    # Logarithms of probabilities near 1 keep the digits of the other tail.
    other <- if (lower) ref$sf else ref$cdf
    expect_lte(max(relative_error(log_p, log_tail)[tail > 0.5 & other >= 1e-43]), 1e-13)
  }
})

test_backends("the joint function gives both tails, the density and estimates of their errors", {
  joint <- dpstable(ref$x, ref$alpha, ref$beta)
  expect_named(joint, c("x", "density", "lower", "upper", "density.error", "lower.error", "upper.error"))
  expect_identical(joint$lower, pstable(ref$x, ref$alpha, ref$beta))
  expect_identical(joint$upper, pstable(ref$x, ref$alpha, ref$beta, lower.tail = FALSE))
  # The two programs order the same sums in their own ways.
  density <- dstable(ref$x, ref$alpha, ref$beta)
  normal <- density > 1e-300
  expect_lte(max(relative_error(joint$density, density)[normal] / pmax(1, abs(ref$logpdf[normal]))), 1e-14)
  for (column in c("density", "lower", "upper")) {
    truth <- ref[[c(density = "pdf", lower = "cdf", upper = "sf")[[column]]]]
    estimate <- joint[[paste0(column, ".error")]]
    seen <- truth > 1e-300
    expect_true(all((relative_error(joint[[column]], truth) <= estimate)[seen]), label = column)
    expect_true(all(estimate[truth == 0 & ref$logpdf == -Inf] == 0), label = column)
    # and they are estimates of rounding, not a constant that is safe everywhere
    expect_lt(max(estimate[truth > 1e-20]), 1e-12, label = column)
    expect_lt(stats::median(estimate), 3e-14, label = column)
  }
})

test_backends("hard points have both tails", {
  hard <- read_ref("stable_hard")
  joint <- dpstable(hard$x, hard$alpha, hard$beta)
  expect_false(anyNA(joint))
  expect_lte(max(abs(joint$lower + joint$upper - 1)), 2^-52)
  log_f <- dstable(hard$x, hard$alpha, hard$beta, log = TRUE)
  moderate <- abs(log_f) < 600
  expect_lte(max(abs(log(joint$density) - log_f)[moderate] / pmax(1, abs(log_f[moderate]))), 1e-13)
  seen <- hard$pdf > 1e-300
  expect_true(all((relative_error(joint$density, hard$pdf) <= joint$density.error)[seen]))
})

test_backends("special cases have their closed forms", {
  x <- c(-1e10, -300, -30, -4, -0.3, 0, 1e-5, 2, 11, 37, 1e5)
  for (lower in c(TRUE, FALSE)) {
    expect_equal(pstable(x, 2, c(-1, 0, 0.5), 3, 1, lower.tail = lower, log.p = TRUE),
                 pnorm(x, 1, 3 * sqrt(2), lower.tail = lower, log.p = TRUE), tolerance = 1e-14)
    expect_lte(max(relative_error(pstable(x, 1, 0, 3, 1, lower.tail = lower),
                                  pcauchy(x, 1, 3, lower.tail = lower))), 1e-14)
  }
  levy <- c(-1, 0, 1e-3, 0.1, 1, 50, 1e6, 1e100)
  expect_equal(pstable(levy, 0.5, 1, pm = 1, log.p = TRUE),
               ifelse(levy > 0, log(2) + pnorm(-1 / sqrt(abs(levy)), log.p = TRUE), -Inf), tolerance = 1e-13)
})

test_backends("logarithms stay right in light tails", {
  # saddle point of E exp(sX): P(X > x) = exp(-g)/sqrt(2 pi alpha g) (1 + O(1/g)) for beta = -1,
  # g = (alpha - 1) (y/(alpha A^(1/alpha)))^(alpha/(alpha - 1))
  x <- 50 + c(0, 1e-3)
  y <- x - tan(pi * 1.5 / 2)
  a <- sqrt(1 + tan(pi * 1.5 / 2)^2)
  log_p <- pstable(x, 1.5, -1, lower.tail = FALSE, log.p = TRUE)
  g <- 0.5 * (y / 1.5)^3 / a^2
  expect_lt(max(abs(log_p + g + log(2 * pi * 1.5 * g) / 2)), 1e-3)
  # the hazard rate is the slope
  hazard <- exp(dstable(mean(x), 1.5, -1, log = TRUE) - pstable(mean(x), 1.5, -1, lower.tail = FALSE, log.p = TRUE))
  expect_equal(diff(log_p) / 1e-3, -hazard, tolerance = 1e-8)
  expect_equal(pstable(c(50, 1e6, 1e150), 2, 0, lower.tail = FALSE, log.p = TRUE),
               pnorm(c(50, 1e6, 1e150) / sqrt(2), lower.tail = FALSE, log.p = TRUE), tolerance = 1e-14)
  expect_identical(pstable(50, 1.5, -1, lower.tail = FALSE), 0)
})

# A few thousand distributions and points, with clusters where the evaluation changes its form.
random_points <- function(n) {
  alpha <- ifelse(stats::runif(n) < 0.3, sample(c(0.5, 1 - 1e-9, 1, 1 + 1e-9, 1.001, 1.5, 1.9999, 2), n, TRUE),
                  stats::runif(n, 0.1, 2))
  beta <- ifelse(stats::runif(n) < 0.3, sample(c(-1, 0, 1), n, TRUE), stats::runif(n, -1, 1))
  data.frame(x = stats::rnorm(n) * exp(stats::rexp(n, 0.3)), alpha, beta)
}

test_backends("the tails add up to one, grow with x and are mirrored with beta", {
  set.seed(31)
  r <- random_points(4000)
  lower <- with(r, pstable(x, alpha, beta))
  upper <- with(r, pstable(x, alpha, beta, lower.tail = FALSE))
  expect_true(all(lower >= 0 & lower <= 1 & upper >= 0 & upper <= 1))
  expect_lte(max(abs(lower + upper - 1)), 2^-52)
  expect_identical(with(r, pstable(-x, alpha, -beta)), upper)
  expect_lte(max(abs(exp(with(r, pstable(x, alpha, beta, log.p = TRUE))) - lower)), 1e-15)
  # a step of h is seen where the tail grows by more than its error, else the tail may fall by that much
  for (h in c(1e-6, 1e-2, 1)) {
    after <- with(r, pstable(x + h * pmax(1, abs(x)), alpha, beta))
    expect_true(all(after >= lower * (1 - 1e-13)))
    after <- with(r, pstable(x + h * pmax(1, abs(x)), alpha, beta, lower.tail = FALSE))
    expect_true(all(after <= upper * (1 + 1e-13)))
  }
  set <- c(1.3, -0.4)
  x <- sort(r$x)
  expect_false(is.unsorted(round(pstable(x, set[1], set[2]), 15)))
})

test_backends("the distribution function is the integral of the density", {
  for (set in list(c(0.6, 0.3), c(1, -0.5), c(1.2, 1), c(1.9, 0.5))) {
    edge <- seq(-4, 6, by = 0.1)
    node <- outer(edge[-1] - 0.05, 0.05 * c(-1, 1, 0) * sqrt(0.6), `+`)
    inside <- matrix(dstable(as.vector(node), set[1], set[2]), ncol = 3) %*% c(5, 5, 8) * 0.05 / 9
    # Gauss's rule of degree 5: h^7 f^(6)/2016000, the density of alpha = 0.6 changing on a scale of 0.1
    expect_lt(max(abs(as.vector(inside) - diff(pstable(edge, set[1], set[2])))), 1e-6)
    h <- 1e-4
    x <- c(-3, -1, 0.2, 2, 30)
    slope <- (pstable(x + h, set[1], set[2]) - pstable(x - h, set[1], set[2])) / (2 * h)
    expect_equal(slope, dstable(x, set[1], set[2]), tolerance = 1e-7)
  }
})

test_backends("scale, location and parameterisation move the argument", {
  skip_if_quick()
  set.seed(32)
  r <- random_points(1500)
  r <- r[abs(r$alpha - 1) > 0.01, ] # locations of pm = 1 are far away there
  gamma <- exp(stats::runif(nrow(r), -3, 3))
  p <- with(r, pstable(x, alpha, beta, log.p = TRUE))
  # x gamma is rounded once, and -d log p/d log x is the price
  slope <- with(r, exp(dstable(x, alpha, beta, log = TRUE) - p)) * abs(r$x)
  allowed <- 1e-13 * pmax(1, abs(p)) + 1e-15 * slope
  expect_true(all(abs(with(r, pstable(x * gamma, alpha, beta, gamma, log.p = TRUE)) - p) <= allowed, na.rm = TRUE))
  for (pm in 1:2) {
    to <- with(r, stableConvert(alpha, beta, gamma, 2, 0, pm))
    x <- 2 + gamma * r$x
    moved <- pstable(x, r$alpha, r$beta, to$gamma, to$delta, pm, log.p = TRUE)
    # the location is rounded too, and modes are found to 1e-11
    slope <- with(r, exp(dstable(r$x, alpha, beta, log = TRUE) - p))
    allowed <- 1e-13 * pmax(1, abs(p)) +
      slope * ((abs(x) + abs(to$delta)) / gamma * 1e-15 + if (pm == 2) 1e-11 else 0)
    expect_true(all(abs(moved - p) <= allowed, na.rm = TRUE), label = paste("pm =", pm))
  }
})

test_backends("tails and quantiles pass smoothly through alpha = 1", {
  x <- c(-50, -4, -1, 0, 0.5, 2, 9, 1e3)
  for (beta in c(-0.8, 0, 0.5)) {
    middle <- pstable(x, 1, beta, log.p = TRUE)
    for (step in c(-1e-9, 1e-9))
      expect_equal(pstable(x, 1 + step, beta, log.p = TRUE), middle, tolerance = 2e-8)
    # second differences are of the order of the step squared
    expect_equal((pstable(x, 1 + 1e-6, beta, log.p = TRUE) + pstable(x, 1 - 1e-6, beta, log.p = TRUE)) / 2, middle,
                 tolerance = 1e-10)
  }
})

test_backends("a symmetric distribution has exactly half its mass on each side", {
  alpha <- c(1e-40, 1e-3, 0.3, 0.999999, 1, 1 + 1e-7, 1.5, 1.999999, 2)
  for (lower in c(TRUE, FALSE)) {
    expect_identical(pstable(0, alpha, 0, lower.tail = lower), rep(0.5, 9))
    expect_identical(pstable(3, alpha, 0, 2, 3, lower.tail = lower, log.p = TRUE), rep(log(0.5), 9))
  }
})

test_backends("edges of the domain", {
  expect_identical(pstable(c(-Inf, Inf), 1.5, 0.5), c(0, 1))
  expect_identical(pstable(c(-Inf, Inf), 0.5, 1, lower.tail = FALSE, log.p = TRUE), c(0, -Inf))
  expect_identical(pstable(c(0, 1, 2), 1.5, 0.5, 0, 1), c(0, 1, 1))
  expect_warning(value <- pstable(0, c(0, -1, 2.1, NaN, NA, 1.5, 1.5), c(0, 0, 0, 0, 0, 1.1, 0), c(rep(1, 6), -1)),
                 "^NaNs produced$")
  expect_identical(is.nan(value), c(TRUE, TRUE, TRUE, TRUE, FALSE, TRUE, TRUE))
  # P(X > zeta) = 1/2 + atan(T)/(pi alpha), T = beta tan(pi alpha/2)
  for (alpha in c(0.2, 0.7, 1.3, 1.8)) for (beta in c(-0.6, 0.3)) {
    t <- beta * tan(pi * alpha / 2)
    expect_equal(pstable(0, alpha, beta, pm = 1, lower.tail = FALSE), 0.5 + atan(t) / (pi * alpha), tolerance = 1e-14)
  }
})

test_backends("the joint function has the shape of a data frame and the manners of dstable", {
  expect_identical(nrow(dpstable(numeric(0), 1.5, 0)), 0L)
  expect_identical(nrow(dpstable(1:3, numeric(0), 0)), 0L)
  expect_named(dpstable(numeric(0), 1.5, 0), names(dpstable(1, 1.5, 0)))
  odd <- dpstable(c(a = 1, b = 2, c = 3), c(1.5, 0.7), 0)
  expect_identical(odd$x, c(1, 2, 3))
  expect_identical(odd$density, unname(dstable(c(a = 1, b = 2, c = 3), c(1.5, 0.7), 0)))
  expect_identical(dpstable(1:2, c(0.5, 1, 1.5), 0)$x, c(1, 2, 1))
  expect_warning(bad <- dpstable(c(1, NA, 1), c(1.5, 1.5, 3), 0), "^NaNs produced$")
  expect_identical(is.nan(bad$upper), c(FALSE, FALSE, TRUE))
  expect_identical(bad$density.error[2], NA_real_)
  expect_error(dpstable("a", 1, 0), "Non-numeric argument")
})

# From tools/stable_extreme_reference.py.
extreme <- read.csv(test_path("ref", "stable_extreme.csv"))

test_backends("logarithms are right next to the end of the support, and where the standardised point overflows", {
  d <- extreme
  for (what in c("logpdf", "logcdf", "logsf")) {
    value <- with(d, switch(what, logpdf = dstable(x, alpha, beta, gamma, pm = pm, log = TRUE),
                            pstable(x, alpha, beta, gamma, pm = pm, lower.tail = what == "logcdf", log.p = TRUE)))
    expect_lte(max(log_error(value, d[[what]])), 1e-13, label = what)
  }
  # none is infinite or NaN where it should be 0
  p <- with(d, pstable(x, alpha, beta, gamma, pm = pm, lower.tail = FALSE))
  expect_lte(max(abs(p - exp(d$logsf))), 1e-13)
  f <- with(d, dpstable(x, alpha, beta, gamma, pm = pm))
  seen <- f$density > 1e-300 & f$density < Inf
  expect_lte(max(log_error(log(f$density), d$logpdf)[seen]), 1e-13)
})

test_backends("light tails keep the digits that their logarithms can hold", {
  d <- extreme[extreme$kind == "light", ]
  for (what in c("logpdf", "logcdf", "logsf")) {
    value <- with(d, if (what == "logpdf") dstable(x, alpha, beta)
                     else pstable(x, alpha, beta, lower.tail = what == "logcdf"))
    truth <- exp(d[[what]])
    error <- abs(value / truth - 1)
    # of the logarithm, which is rounded, one ulp
    small <- d[[what]] < -2
    expect_lte(max((error / pmax(100, abs(d[[what]])))[small]), 2.3e-16, label = what)
    expect_gt(sum(small), 30)
  }
})

test_backends("the joint density of tiny alpha is right at the largest points", {
  x <- c(1e290, 1e292, 4.8e292, 1e300)
  direct <- dstable(x, 1.2e-8, 0.5, 1e-20, log = TRUE)
  expect_equal(log(dpstable(x, 1.2e-8, 0.5, 1e-20)$density), direct, tolerance = 1e-13)
})

test_backends("density, joint density and tails agree where scale, location or point are infinite", {
  g <- expand.grid(x = c(-Inf, 0, Inf), alpha = c(1e-17, 0.5, 1, 1.5, 2), beta = c(0, 0.5, -1), gamma = c(1, Inf),
                   delta = c(-Inf, 0, Inf), pm = 0:2)
  suppressWarnings({
    f <- with(g, dstable(x, alpha, beta, gamma, delta, pm))
    p <- with(g, pstable(x, alpha, beta, gamma, delta, pm))
    joint <- with(g, dpstable(x, alpha, beta, gamma, delta, pm))
    normal <- with(g, cbind(dnorm(x, delta, gamma), pnorm(x, delta, gamma)))
  })
  expect_identical(f, joint$density)
  expect_identical(p, joint$lower)
  # NaN where dnorm() and pnorm() are, and the same limits at infinite points
  expect_identical(is.nan(f), is.nan(normal[, 1]))
  expect_identical(is.nan(p), is.nan(normal[, 2]))
  far <- is.infinite(g$x - g$delta) & !is.nan(g$x - g$delta)
  expect_identical(f[far], normal[far, 1])
  expect_identical(p[far], as.numeric(normal[far, 2]))
})

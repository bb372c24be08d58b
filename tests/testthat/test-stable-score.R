columns <- c("log.density", "x", "alpha", "beta", "gamma", "delta")

test_backends("scores agree with high precision, that by x relatively", {
  ref <- read_ref("stable_score")
  score <- stableScore(ref$x, ref$alpha, ref$beta)
  expect_identical(colnames(score), columns)
  known <- as.matrix(ref[c("d_alpha", "d_beta", "d_x")])
  error <- abs(score[, c("alpha", "beta", "x")] - known)
  inside <- !is.na(known[, 3]) # the support
  rays <- abs(ref$beta) < 1
  expect_true(all(is.nan(score[!inside, -1])) && all(score[!inside, 1] == -Inf))
  expect_lte(max((error / abs(known))[inside, 3]), 1e-9)
  expect_lte(max((error / abs(known))[rays, 3]), 1e-11)
  expect_lte(max((error / pmax(1, abs(known)))[rays, ]), 1e-11)
})

# The first term of the tail series and its relative error, the second term (Nolan 1997).
test_backends("the tails have the slopes of their series", {
  x <- c(-1, 1) * rep(10^c(20, 49, 51, 100, 160, 250, 300), each = 2)
  for (alpha in c(0.5, 1, 1.0001, 1.5, 1.999)) for (beta in c(0, 0.6)) {
    score <- stableScore(x, alpha, beta, 0.5, 3)
    left <- exp(lgamma(2 * alpha + 1) - lgamma(alpha + 1) + log1p((beta * tan(pi * alpha / 2))^2) / 2 -
                  alpha * log(abs(x))) / (1 - beta)
    if (alpha == 1) left <- 1e3 / abs(x)
    label <- paste(alpha, beta)
    expect_lt(max(abs(x * score[, "x"] / -(1 + alpha) - 1) / (1e-11 + 10 * left)), 1, label = label)
    by_beta <- sign(x) / (1 + sign(x) * beta)
    expect_lt(max(abs(score[, "beta"] - by_beta) / (1e-10 + 100 * left)), 1, label = label)
    expect_true(all(is.finite(score)), label = label)
  }
})

# Central differences of fourth order with steps of 1e-4: h^4 times fifth derivatives, and 1e-13/h.
test_backends("all columns are derivatives of dstable(), with any parameterisation, scale and location", {
  h <- 1e-4
  central <- function(f) (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)
  x <- c(-3, 0.2, 2, 20, 1e3)
  for (pm in 0:2) for (alpha in c(0.6, 1, 1.5, 1.99)) for (beta in c(-0.4, 0.7)) for (gamma in c(0.3, 20)) {
    f <- function(x, a = alpha, b = beta, g = gamma, d = 0.1) dstable(x, a, b, g, d, pm, log = TRUE)
    reach <- pmax(abs(x), gamma)
    score <- stableScore(x, alpha, beta, gamma, 0.1, pm)
    by <- cbind(f(x), central(function(h) f(x + h * reach)) / reach, central(function(h) f(x, a = alpha + h)),
                central(function(h) f(x, b = beta + h)), central(function(h) f(x, g = gamma * (1 + h))) / gamma,
                central(function(h) f(x, d = 0.1 + h * reach)) / reach)
    error <- abs(score - by) / pmax(1, abs(by))
    if (alpha == 1 && pm == 1) { # S1 has no place there
      expect_identical(is.nan(score[, "alpha"]), rep(TRUE, 5))
      error <- error[, -3]
    }
    expect_lt(max(error), 2e-8, label = paste(pm, alpha, beta, gamma))
  }
})

# At alpha = 2, f_alpha by its integral: the exponent -|t|^alpha (1 + i beta tan(pi alpha/2) (|t|^(1 - alpha) - 1))
# has the derivative -t^2 log(t) - i beta pi/2 (t - t^2).
test_backends("derivatives at the ends of the ranges are those from inside", {
  x <- c(-6, -2, -0.5, 0.3, 1, 4, 8)
  slope <- function(x, beta) {
    part <- function(f) integrate(f, 0, 9, rel.tol = 1e-12, subdivisions = 2000)$value
    (-part(function(t) t^2 * log(t) * cos(t * x) * exp(-t^2)) / pi -
       beta / 2 * part(function(t) (t - t^2) * sin(t * x) * exp(-t^2))) / dnorm(x, 0, sqrt(2))
  }
  for (beta in c(0, 0.5, -1)) {
    known <- vapply(x, slope, 1, beta)
    # the integral has 1e-12 of 1, and f^-1 of that
    allowed <- 1e-8 * abs(known) + 1e-10 / dnorm(x, 0, sqrt(2))
    expect_lt(max(abs(stableScore(x, 2, beta)[, "alpha"] - known) / allowed), 1, label = paste("beta", beta))
    s1 <- stableScore(x, 2, beta, 1, 0, 1)[, "alpha"] # zeta moves by beta pi/2
    expect_equal(s1, stableScore(x, 2, beta)[, "alpha"] + beta * pi / 2 * x / 2, tolerance = 1e-12)
  }
  # one-sided differences of fourth order
  h <- 1e-4
  for (alpha in c(0.5, 0.9, 1.2, 1.7)) for (pm in 0:1) for (beta in c(-1, 1)) {
    f <- function(k) exp(dstable(x, alpha, beta * (1 - k * h), 1, 0, pm, log = TRUE) -
                           dstable(x, alpha, beta, 1, 0, pm, log = TRUE))
    known <- beta * (25 / 12 * f(0) - 4 * f(1) + 3 * f(2) - 4 / 3 * f(3) + f(4) / 4) / h
    score <- stableScore(x, alpha, beta, 1, 0, pm)[, "beta"]
    inside <- is.finite(known)
    expect_identical(is.nan(score), !inside, label = paste(alpha, pm, beta))
    expect_lt(max(abs(score - known)[inside] / pmax(1e-2, abs(known[inside]))), 1e-6, label = paste(alpha, pm, beta))
  }
})

test_backends("light tails have all derivatives", {
  for (alpha in c(1.05, 1.5, 1.9)) {
    x <- -c(1, 3, 8, 20)
    score <- stableScore(x, alpha, 1)
    expect_true(all(is.finite(score[abs(score[, 1]) < 600, ])))
    h <- 1e-4
    f <- function(x) dstable(x, alpha, 1, log = TRUE)
    slope <- (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)
    use <- abs(score[, "x"]) < 1e3 # where log f can be followed by such steps
    expect_lt(max(abs(score[use, "x"] / slope[use] - 1)), 1e-5, label = paste("alpha", alpha))
  }
})

test_that("next to the end of the support the derivative by x is relatively accurate", {
  # Levy: log f = -log(2 pi)/2 - 3/2 log(x) - 1/(2 x)
  x <- 10^-seq(1, 8)
  score <- stableScore(c(x, -x), 0.5, rep(c(1, -1), each = 8), pm = 1)
  slope <- 1 / (2 * x^2) - 1.5 / x
  expect_lt(max(abs(score[, "x"] / c(slope, -slope) - 1)), 1e-10)
  expect_equal(score[, "gamma"], rep(0.5 - 1 / (2 * x), 2), tolerance = 1e-9)
  # differences of log f in log x; its third derivative there is (alpha/(1 - alpha))^3 log f
  for (alpha in c(0.3, 0.7, 0.9)) {
    x <- c(0.5, 0.2, 0.1) * if (alpha == 0.9) 4 else 1
    f <- function(h) dstable(x * exp(h), alpha, 1, pm = 1, log = TRUE)
    h <- 1e-4
    by_log <- (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)
    expect_lt(max(abs(stableScore(x, alpha, 1, pm = 1)[, "x"] * x / by_log - 1)), 1e-7)
  }
})

test_that("missing values, vectors of parameters and names are treated as by dstable()", {
  x <- c(a = 1, b = NA, c = Inf, d = NaN, e = 0)
  score <- stableScore(x, 1.5, 0.5)
  expect_identical(rownames(score), names(x))
  expect_equal(score[, "log.density"], dstable(x, 1.5, 0.5, log = TRUE), tolerance = 1e-13)
  expect_identical(unname(is.na(score[, "alpha"])), c(FALSE, TRUE, TRUE, TRUE, FALSE))
  expect_false(is.nan(score["b", "x"]))
  expect_true(is.nan(score["d", "x"]))
  alpha <- c(1.5, 3, 2, 0.8)
  expect_warning(score <- stableScore(1, alpha, 0.3, c(1, 1, 2, 0)), "NaNs produced", class = "simpleWarning")
  expect_equal(score[, 1], suppressWarnings(dstable(1, alpha, 0.3, c(1, 1, 2, 0), log = TRUE)), tolerance = 1e-13)
  expect_identical(unname(score[3, c("x", "beta")]), c(-0.125, 0))
  expect_warning(stableScore(1, 1.5, 0, pm = 7), "NaNs produced")
  expect_identical(dim(stableScore(numeric(), 1.5, 0)), c(0L, 6L))
  expect_error(stableScore("1", 1.5, 0), "numeric")
  several <- stableScore(1:5, 1.5, 0.2, 1, 0, c(0, 1, 2, 0, 1))
  for (i in 1:5) expect_equal(several[i, ], stableScore(i, 1.5, 0.2, 1, 0, c(0, 1, 2, 0, 1)[i])[1, ],
                              tolerance = 1e-11)
})

test_that("many points come in parts", {
  set.seed(1)
  x <- 3 * rcauchy(40000)
  score <- stableScore(x, 1.7, -0.2)
  at <- c(1, 16384, 16385, 32769, 40000)
  expect_equal(score[at, ], stableScore(x[at], 1.7, -0.2), tolerance = 1e-11)
  own <- stableScore(x[1:20000], rep(c(1.7, 1.2), 10000), -0.2)
  expect_equal(own[seq(1, 20000, 2), ], score[seq(1, 20000, 2), ], tolerance = 1e-11)
})

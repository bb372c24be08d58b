samples <- function(n, ...) {
  set.seed(31)
  lapply(n, rstable, ...)
}

test_backends("fits of a batch are the fits of its series, bit by bit", {
  series <- c(samples(c(40, 64, 65, 250), 1.5, 0.5), samples(c(30, 200), 0.6, -0.3), samples(100, 1.9, 0))
  fits <- stableFit(series)
  for (i in seq_along(series)) {
    alone <- suppressWarnings(stableFit(series[[i]]))
    for (part in c("coefficients", "loglik", "vcov", "boundary", "converged", "iterations", "evaluations"))
      expect_identical(fits[[i]][[part]], alone[[part]], label = paste(i, part))
  }
})

test_that("series of all kinds: a bad one stops nothing and says what is wrong", {
  good <- samples(50, 1.4, 0.2)[[1]]
  series <- list(a = good, holes = c(good, NA), b = rep(3, 20), c = 1:3, d = c(good, Inf), e = letters, f = -good)
  expect_warning(fits <- stableFit(series), "5 of 7 series")
  expect_identical(names(fits), names(series))
  expect_identical(unname(fits$converged), c(TRUE, FALSE, FALSE, FALSE, FALSE, FALSE, TRUE))
  expect_match(fits$message[["holes"]], "x[51] = NA", fixed = TRUE)
  expect_match(fits$message[["b"]], "constant")
  expect_match(fits$message[["c"]], "3 observations")
  expect_match(fits$message[["d"]], "finite")
  expect_match(fits$message[["e"]], "numeric")
  expect_true(all(is.na(coef(fits)["b", ])))
  expect_error(fits[["b"]], "constant", class = "statcl_error_input")
  expect_error(fits[["none"]], "no series", class = "statcl_error_input")
  filled <- suppressWarnings(stableFit(series, na.rm = TRUE))
  expect_identical(coef(filled)["holes", ], coef(fits)["a", ])
  expect_warning(nothing <- stableFit(list(1, 2)), "2 of 2")
  expect_identical(dim(coef(nothing)), c(2L, 4L))
})

test_that("a batch indexes, and coerces to a data frame", {
  returns <- 100 * diff(log(datasets::EuStockMarkets))
  fits <- stableFit(returns)
  expect_s3_class(fits, "stableFits")
  expect_length(fits, 4L)
  expect_identical(fits[c("CAC", "DAX")][[2]]$coefficients, fits[["DAX"]]$coefficients)
  expect_identical(coef(fits[-1]), coef(fits)[-1, ])
  expect_identical(stableFit(as.data.frame(returns))$coefficients, fits$coefficients)
  frame <- as.data.frame(fits)
  expect_identical(frame$alpha, unname(coef(fits)[, "alpha"]))
  expect_equal(frame$se.delta[3], sqrt(vcov(fits[["CAC"]])["delta", "delta"]))
  expect_identical(lapply(fits, coef)$SMI, coef(fits[["SMI"]]))
  expect_equal(AIC(fits), vapply(fits, AIC, 1), ignore_attr = TRUE)
  expect_equal(BIC(fits), vapply(fits, BIC, 1), ignore_attr = TRUE)
  expect_equal(confint(fits, "beta")["FTSE", , "beta"], confint(fits[["FTSE"]])["beta", ])
  expect_equal(unname(quantile(fits, 0.05)[2, 1]),
               do.call(qstable, c(0.05, as.list(unname(coef(fits[["SMI"]]))))))
  expect_output(print(fits), "4 series")
  expect_output(print(summary(fits)), "4 of 4 series fitted")
  grDevices::pdf(NULL)
  plot(fits)
  grDevices::dev.off()
})

test_that("rolling fits are the fits of the windows", {
  x <- 100 * diff(log(datasets::EuStockMarkets[, "DAX"]))
  rolled <- stableRoll(x, 200, step = 400, pm = 1)
  window <- rolled$window
  expect_identical(window$from, c(1, 401, 801, 1201, 1601))
  expect_equal(window$time, as.numeric(time(x))[window$to])
  for (i in seq_len(nrow(window)))
    expect_identical(coef(rolled)[i, ], coef(stableFit(x[window$from[i]:window$to[i]], pm = 1)))
  both <- stableRoll(datasets::EuStockMarkets[1:60, 1:2], 30, step = 10, fixed = list(beta = 0))
  expect_identical(unname(coef(both)[, "beta"]), rep(0, 8))
  expect_identical(as.data.frame(both)$series, rep(c("DAX", "SMI"), each = 4))
  expect_warning(holes <- stableRoll(c(x[1:100], NA, rep(1, 60), x[101:150]), 50, step = 25), "were not fitted")
  expect_match(holes$message[["125"]], "missing")
  expect_error(stableRoll(x, 0), "width", class = "statcl_error_input")
  expect_error(stableRoll(x, 1e5), "width", class = "statcl_error_input")
  expect_error(stableRoll(letters, 3), "numeric", class = "statcl_error_input")
})

test_that("weights, fixed values and starts go with the series", {
  series <- samples(c(60, 80), 1.6, 0.3)
  weights <- lapply(series, function(x) rep(1:2, length.out = length(x)))
  fits <- stableFit(series, weights = weights, fixed = list(beta = 0.1), pm = 1)
  for (i in 1:2)
    expect_identical(coef(fits[[i]]), coef(stableFit(series[[i]], weights = weights[[i]], fixed = list(beta = 0.1),
                                                     pm = 1)))
  expect_identical(unname(nobs(fits)), vapply(weights, sum, 1))
})

log_mass <- function(lower, upper, p) {
  law <- unname(as.list(p))
  F <- function(x, ...) do.call(pstable, c(list(x), law, list(...)))
  ifelse(lower == upper, do.call(dstable, c(list(lower), law, log = TRUE)), log(F(upper) - F(lower)))
}

test_backends("censored observations: the likelihood is theirs, and its maximum is found", {
  x <- samples(150, 1.5, 0.4, 2, 1)[[1]]
  lower <- ifelse(x < -2, -Inf, ifelse(abs(x) < 1, floor(2 * x) / 2, x))
  upper <- ifelse(x > 6, Inf, ifelse(abs(x) < 1, floor(2 * x) / 2 + 0.5, ifelse(x < -2, -2, x)))
  lower[x > 6] <- 6
  fit <- stableFit(lower, censored = upper)
  expect_true(fit$converged)
  target <- function(p) sum(log_mass(lower, upper, p))
  expect_equal(fit$loglik, target(coef(fit)), tolerance = 1e-10)
  error <- sqrt(diag(vcov(fit)))
  for (k in 1:4) for (side in c(-1, 1)) {
    p <- coef(fit)
    p[k] <- p[k] + side * 0.02 * error[k]
    expect_lt(target(p), fit$loglik)
  }
  # observed information
  h <- 0.05 * error
  move <- function(i, j, a, b) target(coef(fit) + a * h * (1:4 == i) + b * h * (1:4 == j))
  info <- outer(1:4, 1:4, Vectorize(function(i, j)
    -(move(i, j, 1, 1) - move(i, j, 1, -1) - move(i, j, -1, 1) + move(i, j, -1, -1)) / (4 * h[i] * h[j])))
  expect_equal(unname(vcov(fit)), solve(info), tolerance = 0.02)
})

test_that("words and numbers say which observations are censored", {
  x <- samples(80, 1.7, 0)[[1]]
  cut <- pmin(x, 1)
  words <- stableFit(cut, censored = ifelse(x > 1, "right", "none"))
  numbers <- stableFit(cut, censored = ifelse(x > 1, Inf, NA))
  expect_identical(coef(words), coef(numbers))
  expect_identical(coef(stableFit(x, censored = x)), coef(stableFit(x)))
  expect_error(stableFit(x, censored = x - 1), "interval", class = "statcl_error_input")
  expect_error(stableFit(x, censored = rep("up", 80)), "censored", class = "statcl_error_input")
  expect_error(stableFit(x, censored = 1), "length", class = "statcl_error_input")
  expect_error(stableFit(c(-Inf, x)), "finite", class = "statcl_error_input")
})

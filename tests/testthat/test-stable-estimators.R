# Straight from the engine: no check of series or arguments, distributions of pm = 0, a row per series, NA where there
# is none.
estimates <- function(series, method, fixed = NULL, weights = NULL) {
  n <- as.double(lengths(series))
  values <- function(list) if (!is.null(list)) c(as.double(unlist(list)), 1)
  if (!is.null(fixed)) fixed <- matrix(as.double(fixed), ncol = 4L)
  e <- .Call(statcl:::C_stableEstimate, list(x = values(series), weights = values(weights), n = n,
                                             first = cumsum(c(0, n))[seq_along(n)], fixed = fixed, method = method))
  colnames(e) <- c("alpha", "beta", "gamma", "delta", "held")
  e[, 1:4, drop = FALSE]
}
direct <- c("mcculloch", "logmoment", "koutrouvelis", "ecf")
grids <- c("grid", "grid2d")
samples_of <- function(m, n, ...) {
  set.seed(31)
  lapply(seq_len(m), function(i) rstable(n, ...))
}
log_likelihood <- function(x, p) sum(dstable(x, p[[1]], p[[2]], p[[3]], p[[4]], log = TRUE))

# Standard errors at n = 1e5 from 60 samples of 2000; the bias that those show may be of their own size.
test_that("estimates from large samples are near the distribution, for every alpha", {
  for (law in list(c(1.9, 0), c(1.5, 0.5), c(1, 0.3), c(0.6, -0.4), c(0.3, 0.5))) {
    law <- c(law, 2, 1)
    small <- samples_of(60, 2000, law[1], law[2], law[3], law[4])
    large <- samples_of(1, 1e5, law[1], law[2], law[3], law[4])
    for (method in if (law[1] < 0.5) setdiff(direct, "koutrouvelis") else direct) {
      error <- apply(estimates(small, method), 2, stats::sd) / sqrt(50)
      off <- abs(estimates(large, method) - law) / error
      expect_lt(max(off), 5, label = paste(method, toString(law)))
      expect_lt(error[["alpha"]], 0.015, label = paste(method, toString(law)))
    }
  }
})

test_that("quantiles of a distribution give the distribution", {
  n <- 810 # the plotting positions contain 0.05, 0.25, 0.5, 0.75 and 0.95
  for (alpha in c(0.5, 0.63, 0.8, 0.99, 1, 1.01, 1.44, 1.77, 1.93)) for (beta in c(0, 0.3, -0.5, 0.7)) {
    x <- qstable((2 * seq_len(n) - 1) / (2 * n), alpha, beta, 3, -2)
    expect_lt(max(abs(estimates(list(x), "mcculloch") - c(alpha, beta, 3, -2))), 1e-3, label = paste(alpha, beta))
  }
  # where the quantiles tell beta = 0.9 from 1
  for (alpha in c(0.8, 1.2, 1.7)) for (beta in c(0.9, -1)) {
    x <- qstable((2 * seq_len(n) - 1) / (2 * n), alpha, beta)
    expect_lt(max(abs(estimates(list(x), "mcculloch") - c(alpha, beta, 1, 0))), 1e-3, label = paste(alpha, beta))
  }
})

test_that("estimates by characteristic functions are nearly as good as those of maximum likelihood", {
  law <- c(1.5, 0.5, 1, 0)
  x <- samples_of(200, 1000, 1.5, 0.5)
  rmse <- sapply(direct, function(method) sqrt(colMeans((estimates(x, method) - rep(law, each = 200))^2)))
  # asymptotic standard deviations of maximum likelihood at n = 1000 are 0.047, 0.085, 0.034, 0.056 by the observed
  # information of a sample of 1e5; the root mean squares vary by 1/sqrt(400)
  best <- c(0.047, 0.085, 0.034, 0.056)
  expect_true(all(rmse[, "ecf"] < 1.25 * best))
  expect_true(all(rmse < 1.9 * best))
  expect_true(all(rmse > 0.85 * best))
})

test_that("estimates move and scale with the sample, mirror it and forget its order", {
  x <- samples_of(3, 300, 1.4, 0.6)
  for (method in c(direct, grids)) {
    few <- if (method == "grid") x[1] else x
    e <- estimates(few, method)
    tolerance <- if (method %in% grids) 1e-3 else 1e-5
    scaled <- estimates(lapply(few, function(x) 1024 * x + 2048), method)
    expect_equal(scaled, e * rep(c(1, 1, 1024, 1024), each = nrow(e)) + rep(c(0, 0, 0, 2048), each = nrow(e)),
                 tolerance = tolerance, label = method)
    expect_equal(estimates(lapply(few, function(x) -x), method), e * rep(c(1, -1, 1, -1), each = nrow(e)),
                 tolerance = tolerance, label = method)
    expect_identical(estimates(lapply(few, rev), method), e, label = method)
  }
  for (size in c(1e-200, 1e200)) for (method in direct)
    expect_equal(estimates(lapply(x, `*`, size), method) / rep(c(1, 1, size, size), each = 3),
                 estimates(x, method), tolerance = 1e-5, label = paste(method, size))
})

test_that("weights are numbers of repetitions", {
  x <- samples_of(1, 200, 1.4, 0.6)[[1]]
  w <- rep(c(1, 3, 0, 2), 50)
  for (method in c("mcculloch", "koutrouvelis", "ecf", "grid2d"))
    expect_equal(estimates(list(x), method, weights = list(w)), estimates(list(rep(x, w)), method),
                 tolerance = if (method == "grid2d") 0.01 else 1e-5, label = method) # its grid has other centres
  for (method in c(direct, "grid2d")) { # those of 0 are none, and equal ones have no effect on most
    expect_identical(estimates(list(x), method, weights = list(w)),
                     estimates(list(x[w > 0]), method, weights = list(w[w > 0])), label = method)
    if (method %in% c("logmoment", "ecf"))
      expect_equal(estimates(list(x), method, weights = list(rep(0.5, 200))), estimates(list(x), method),
                   tolerance = 1e-5, label = method)
  }
  expect_gt(max(abs(estimates(list(x), "logmoment", weights = list(w)) - estimates(list(x), "logmoment"))), 0.01)
})

test_that("fixed parameters keep their values and help the others", {
  x <- samples_of(20, 500, 1.6, 0.4, 2, 1)
  law <- c(1.6, 0.4, 2, 1)
  for (method in c(direct, grids)) for (which in list(1, 2, 1:2, 3, c(1, 3), 3:4, 1:4)) {
    if (method == "grid2d" && any(which > 2)) next
    few <- if (method == "grid") x[1:2] else x
    fixed <- matrix(NA_real_, length(few), 4)
    fixed[, which] <- rep(law[which], each = length(few))
    e <- estimates(few, method, fixed = fixed)
    label <- paste(method, toString(which))
    expect_identical(unname(e[, which]), fixed[, which], label = label)
    expect_lt(max(abs(colMeans(e) - law)), if (method == "grid") 0.6 else 0.3, label = label)
  }
  kept <- matrix(c(1.6, NA, NA, NA), 20, 4, byrow = TRUE)
  expect_lt(stats::sd(estimates(x, "ecf", fixed = kept)[, "beta"]), 1.1 * stats::sd(estimates(x, "ecf")[, "beta"]))
})

test_backends("grids find the maximum of the likelihood, over all parameters or over alpha and beta", {
  skip_if_quick()
  for (law in list(c(1.5, 0.5), c(1.05, -0.7), c(0.6, 0.3))) {
    x <- samples_of(2, 250, law[1], law[2], 2, 1)
    full <- estimates(x, "grid")
    two <- estimates(x, "grid2d")
    for (i in 1:2) {
      best <- stableFit(x[[i]])$loglik
      label <- paste(toString(law), i)
      expect_gt(log_likelihood(x[[i]], full[i, ]), best - 0.1, label = label)
      expect_gt(log_likelihood(x[[i]], full[i, ]), log_likelihood(x[[i]], two[i, ]) - 0.02, label = label)
      for (method in direct)
        expect_gt(log_likelihood(x[[i]], full[i, ]), log_likelihood(x[[i]], estimates(x[i], method)), label = label)
      # gamma and delta are McCulloch's, and no alpha and beta at some distance are better
      at <- function(alpha, beta) estimates(x[i], "mcculloch", fixed = cbind(alpha, beta, NA, NA))
      expect_equal(at(two[i, 1], two[i, 2]), two[i, , drop = FALSE], tolerance = 1e-10, label = label)
      for (step in list(c(0.05, 0), c(-0.05, 0), c(0, 0.1), c(0, -0.1))) {
        there <- two[i, 1:2] + step
        if (abs(there[2]) <= 1)
          expect_lt(log_likelihood(x[[i]], at(there[1], there[2])), log_likelihood(x[[i]], two[i, ]), label = label)
      }
    }
  }
})

test_that("an estimate depends neither on its batch nor on threads, and a bad series stops none", {
  x <- samples_of(6, 150, 1.4, -0.5)
  x[[2]] <- x[[2]][1:40]
  bad <- list(rep(1, 20), numeric(), 3, c(1, NA, 2:9), c(1:9, Inf))
  for (method in c(direct, grids)) {
    e <- estimates(x, method)
    expect_false(anyNA(e), label = method)
    expect_identical(estimates(c(x[1:3], bad, x[4:6]), method)[c(1:3, 9:11), ], e, label = method)
    expect_true(all(is.na(estimates(bad, method))), label = method)
    expect_identical(estimates(x[5], method), e[5, , drop = FALSE], label = method)
    old <- options(statcl.threads = 1)
    expect_identical(estimates(x, method), e, label = method)
    options(old)
  }
  expect_identical(dim(estimates(list(), "ecf")), c(0L, 4L))
})

test_that("hard samples give a distribution or none", {
  set.seed(32)
  x <- list(five = c(1, 3, 2, 8, -4), one_other = c(0, 0, 0, 0, 1), ties = rep(c(1, 2, 3, 100), c(40, 30, 20, 1)),
            two_values = rep(0:1, 50), two = 1:2, normal = stats::rnorm(200), uniform = stats::runif(300),
            cauchy = stats::rcauchy(300), one_sided = rstable(300, 0.5, 1), near_one = rstable(300, 0.9, -1),
            heavy = rstable(300, 0.2, 0.3), heavier = rstable(200, 0.05, 1), outlier = c(stats::rnorm(99), 1e300),
            outliers = c(1:20, -1e308, 1e308), shifted = 1e6 + rstable(200, 1.5, 0.5),
            denormal = 1e-310 * rstable(50, 1.5, 0.5), mostly_zero = c(rep(0, 200), 1:20),
            lognormal = exp(3 * stats::rnorm(200)), apart = c(1:50, 1e10 + 1:50),
            rounded = round(rstable(300, 1.7, 0)))
  for (method in c(direct, grids)) {
    few <- if (method == "grid") x[c("five", "ties", "one_sided", "heavy", "outliers", "mostly_zero")] else x
    e <- estimates(few, method)
    none <- is.na(e[, "alpha"])
    expect_identical(none, apply(is.na(e), 1, any), label = method)
    expect_lte(sum(none), switch(method, koutrouvelis = 3, grid = 1, 0), label = method)
    if (method == "grid") expect_identical(names(few)[none], "outliers")
    e <- e[!none, ]
    expect_true(all(is.finite(e)), label = method)
    expect_true(all(e[, "alpha"] >= 0.02 & e[, "alpha"] <= 2 & abs(e[, "beta"]) <= 1 & e[, "gamma"] > 0),
                label = method)
  }
  at <- function(method, name) estimates(x[name], method)
  expect_gt(at("ecf", "normal")[, "alpha"], 1.9)
  expect_lt(abs(at("ecf", "cauchy")[, "alpha"] - 1), 0.2)
  expect_lt(abs(at("logmoment", "heavy")[, "alpha"] - 0.2), 0.05)
  expect_gt(at("ecf", "one_sided")[, "beta"], 0.9)
})

test_that("stableFit() gives the estimates of every method, in every parameterisation, with their likelihood", {
  x <- samples_of(3, 200, 1.4, 0.5, 2, 1)
  for (method in c(direct, grids)) {
    few <- if (method == "grid") x[1] else x
    e <- estimates(few, method)
    fits <- stableFit(few, method)
    expect_identical(coef(fits), e, label = method)
    expect_identical(coef(stableFit(x[[1]], method)), e[1, ], label = method)
    expect_equal(fits$loglik[1], log_likelihood(x[[1]], e[1, ]), tolerance = 1e-10, label = method)
    expect_lte(fits$loglik[1], stableFit(x[[1]])$loglik + 1e-8)
    expect_true(all(is.na(vcov(fits[[1]]))), label = method)
    moved <- stableFit(x[[1]], method, pm = 1)
    expect_equal(coef(moved)[["delta"]], e[1, 4] - e[1, 2] * e[1, 3] * tan(pi * e[1, 1] / 2), ignore_attr = TRUE,
                 label = method)
  }
  refused <- function(...) expect_error(stableFit(x[[1]], ...), class = "statcl_error_input")
  refused("grid2d", fixed = list(gamma = 1))
  refused("ecf", fixed = list(delta = 1), pm = 1)
  refused("ecf", start = list(alpha = 1, beta = 0, gamma = 1, delta = 0))
  refused("mcculloch", censored = x[[1]] + 1)
  refused("none")
})

test_that("an estimate that gives some values a density of 0 is an estimate", {
  x <- as.numeric(datasets::islands)
  expect_warning(fit <- stableFit(x, "koutrouvelis"), "density of 0")
  expect_true(all(is.finite(coef(fit))))
  expect_identical(fit$loglik, -Inf)
  expect_true(fit$converged)
  expect_output(print(fit), "-Inf")
  expect_output(print(summary(fit)), "-Inf")
  expect_warning(expect_warning(batch <- stableFit(list(a = x, b = 1:30 + 0, c = 1), "koutrouvelis"),
                                "1 of 3 .*density of 0"), "1 of 3 .* not fitted")
  expect_equal(coef(batch)["a", ], coef(fit))
  expect_identical(coef(batch[["a"]]), coef(batch)["a", ])
  expect_identical(batch$loglik[["a"]], -Inf)
  expect_match(batch$message[["a"]], "density of 0")
  expect_true(all(is.finite(quantile(batch, c(0.05, 0.5, 0.95))[c("a", "b"), ])))
  expect_false(anyNA(summary(fit)$residuals))
  expect_error(stableFit(c(1:20, -1e308, 1e308), "koutrouvelis"), "has no estimate", class = "statcl_error_input")
})

test_that("the grid does not walk into the spikes of repeated values", {
  set.seed(11)
  x <- c(rep(5, 5), rnorm(20))
  fit <- stableFit(x, "grid")
  best <- stableFit(x)
  expect_true(fit$converged)
  expect_lt(best$loglik - fit$loglik, 0.1)
  expect_lt(max(abs(coef(fit) - coef(best))), 0.1)
  twice <- stableFit(x, "grid", weights = rep(c(1, 2), c(5, 20)))
  expect_lt(stableFit(x, weights = rep(c(1, 2), c(5, 20)))$loglik - twice$loglik, 0.1)
  # where the likelihood has no maximum, the estimate says so
  half <- c(rep(0, 30), rnorm(30))
  expect_error(stableFit(half, "grid"), "30 of 60 values are equal: the likelihood is unbounded")
  expect_true(stableFit(half, "grid", fixed = list(alpha = 1.5))$converged)
  # where alpha = 2 is the only one above the spike
  expect_error(stableFit(c(rep(0, 40), half[31:50]), "grid"), "40 of 60 values are equal")
})

test_that("for spikes of the likelihood weights count, and the observations next to the estimate", {
  set.seed(1)
  y <- rnorm(31)
  heavy <- c(30, rep(1, 30))
  for (method in c("grid", "mle")) {
    expect_error(stableFit(y, method, weights = heavy), "30 of 60 values are equal")
    expect_error(stableFit(rep(y, heavy), method), "30 of 60 values are equal")
  }
  # two values of the same frequency, and one as good as equal to the first of them
  set.seed(3)
  x <- c(rep(0, 6), 1e-12, rep(5, 6), rnorm(12))
  expect_silent(fit <- stableFit(x, "grid"))
  expect_lt(abs(stableFit(x)$loglik - fit$loglik), 0.01)
})

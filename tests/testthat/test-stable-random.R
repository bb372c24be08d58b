laws <- expand.grid(alpha = c(0.3, 0.8, 0.95, 1, 1 + 1e-9, 1.2, 1.7, 2), beta = c(-1, -0.4, 0, 0.8, 1))

draws_of <- function(n, ..., seed = 4) {
  set.seed(seed)
  rstable(n, ...)
}

test_backends("one distribution for all draws and one per draw give the same bits", {
  for (i in seq_len(nrow(laws))) for (pm in if (laws$beta[i] == 0.8) 0:2 else 0:1) {
    alpha <- laws$alpha[i]
    beta <- laws$beta[i]
    expect_identical(draws_of(70, rep(alpha, 70), beta, c(2, 2), 1, pm), draws_of(70, alpha, beta, 2, 1, pm))
  }
})

test_that("the draws are within 1e-12 of each other on all devices, and the same for every split", {
  n <- 30000
  alpha <- rep(laws$alpha, length.out = n)
  beta <- rep(laws$beta, length.out = n)
  cpu <- withDevice("cpu", draws_of(n, alpha, beta))
  old <- options(statcl.threads = 1)
  single <- withDevice("cpu", draws_of(n, alpha, beta))
  options(old)
  expect_identical(single, cpu)
  for (device in opencl_devices()) {
    there <- withDevice(device, draws_of(n, alpha, beta))
    expect_lt(max(abs(there - cpu) / pmax(1, abs(cpu))), 1e-12)
    both <- withDevice(c("cpu", device), draws_of(n, alpha, beta))
    expect_lt(max(abs(both - cpu) / pmax(1, abs(cpu))), 1e-12)
  }
})

test_backends("the variates are continuous in the parameters, at alpha = 1 too", {
  for (beta in c(-1, -0.5, 0.3, 1)) {
    middle <- draws_of(500, 1, beta)
    for (step in c(-1e-10, 1e-10))
      expect_lt(max(abs(draws_of(500, 1 + step, beta) - middle) / pmax(1, abs(middle))), 1e-6)
    # both sides of the switch between the two forms
    for (edge in c(0.9, 1.1)) {
      near <- draws_of(500, edge + c(-1e-12, 1e-12)[1 + (edge < 1)], beta)
      far <- draws_of(500, edge - c(-1e-12, 1e-12)[1 + (edge < 1)], beta)
      expect_lt(max(abs(near - far) / pmax(1, abs(far))), 1e-9)
    }
  }
})

test_backends("special distributions", {
  n <- 4000
  expect_gt(stats::ks.test(draws_of(n, 2, 0.7, 1 / sqrt(2)), "pnorm")$p.value, 1e-3)
  expect_gt(stats::ks.test(draws_of(n, 1, 0), "pcauchy")$p.value, 1e-3)
  levy <- function(x) 2 * stats::pnorm(-1 / sqrt(x))
  expect_gt(stats::ks.test(draws_of(n, 0.5, 1, pm = 1), levy)$p.value, 1e-3)
  expect_identical(draws_of(n, 0.5, -1, pm = 1) < 0, rep(TRUE, n))
})

test_backends("one-sided draws of S0 lie where the density is positive", {
  for (alpha in c(0.1, 0.5, 0.9, 0.97)) {
    x <- draws_of(2000, alpha, 1)
    expect_true(all(is.finite(dstable(x, alpha, 1, log = TRUE))), label = alpha)
  }
})

test_backends("successive draws and successive samples are uncorrelated", {
  u <- stats::pcauchy(draws_of(40000, 1, 0))
  for (lag in c(1, 2, 16)) expect_lt(abs(stats::cor(u[-seq_len(lag)], u[seq_len(40000 - lag)])), 4 / 200)
  set.seed(4)
  first <- stats::pcauchy(rstable(40000, 1, 0))
  second <- stats::pcauchy(rstable(40000, 1, 0))
  expect_lt(abs(stats::cor(first, second)), 4 / 200)
})

test_backends("invalid parameters and point masses", {
  expect_warning(x <- rstable(6, c(1.5, 0, 2.1, 1.5, 1.5, NaN), c(0, 0, 0, 1.1, 0, 0), c(1, 1, 1, 1, -1, 1)),
                 "NAs produced")
  expect_identical(is.nan(x), c(FALSE, rep(TRUE, 5)))
  expect_warning(x <- rstable(3, 1.5, 0, pm = c(0, 3, 0.5)), "NAs produced")
  expect_identical(is.nan(x), c(FALSE, TRUE, TRUE))
  for (pm in 0:2) expect_identical(rstable(3, c(0.01, 1, 1.5), 0.5, 0, 7, pm), rep(7, 3))
})

test_backends("parts of a stream are the parts of the whole", {
  parts <- list(c(1, 16), c(17, 1000), c(1017, 7), c(1024, 977))
  alpha <- c(0.5, 1, 1.7)
  for (pm in 0:2) {
    set.seed(1)
    whole <- rstable(2000, alpha, c(0.3, -1), 1:5, 0, pm)
    expect_identical(unlist(lapply(parts, function(part) {
      set.seed(1)
      rstable(part[2], alpha, c(0.3, -1), 1:5, 0, pm, first = part[1])
    })), whole)
  }
})

# What help says of the levels: the same uniform numbers, and draws off by little and seldom at the baseline.
test_that("draws are the same with AVX2 and AVX-512, and differ at the baseline in their last digits", {
  skip_if_quick()
  draws <- quote(lapply(1:60, function(i) {
    set.seed(i)
    rstable(5000, rep(c(0.1, 0.3, 0.5, 0.95, 1, 1.3, 1.7, 2), length.out = i)[i], c(-1, 0, 0.5)[1 + i %% 3])
  }))
  at <- function(level) {
    r <- in_new_R(list(level = clSitrep()$level, draws = unlist(.(draws))),
                  c(STATCL_CPU = level, STATCL_DEVICE = "cpu", STATCL_OPENCL = "off"))
    skip_if(r$level != level, paste("no", level, "here"))
    r$draws
  }
  low <- at("baseline")
  high <- at("avx2")
  expect_lt(mean(low != high), 0.015)
  expect_lt(max(abs(low - high) / pmax(1, abs(high))), 2e-14)
  expect_identical(at("avx512"), high)
})

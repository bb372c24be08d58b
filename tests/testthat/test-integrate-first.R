# Integrals of a batch that their first panels are enough for are judged by a kernel, and all others, and those of
# small batches, by the host: both ways give the same bits.
fast_builds_in_file()

# Integrands and limits of all kinds, of which some are easy, for integrals `at` of many. Each is a program of its own
# for a device: in `make test` a processor has every other one, beginning with `from`, and a GPU the others.
first_calls <- function(many, at = seq_len(many), from = 0) {
  set.seed(44)
  d <- data.frame(a = runif(many, 0.2, 3), e = sample(c(-1, 1), many, TRUE) * 10^runif(many, -2, 14))
  low <- ifelse(runif(many) < 0.3, -Inf, rnorm(many))
  up <- ifelse(runif(many) < 0.3, Inf, rnorm(many))
  low[1:3] <- c(NA, NaN, Inf)
  up[7:9] <- low[7:9]
  gauss <- function(x, a) exp(-a * x^2)
  calls <- list(
    list(gauss, -1, 2), list(gauss, 2, -1), list(gauss, 0, Inf), list(gauss, -Inf, Inf), list(gauss, low, up),
    list(gauss, low, up, min.panels = 1), list(gauss, low, up, min.panels = 7),
    list(function(x, a, e) exp(-a * (x - e) / abs(e)), d$e, Inf),
    list(function(x, a, e) exp(a * (x - e) / abs(e)), -Inf, d$e),
    list(function(x, a) a * x^3, -1, 1), list(function(x, a) 0 * a * x, 0, 1),
    list(function(x, a) sin(9 * a * x), 0, 2, abs.tol = 1e-5, rel.tol = 0),
    list(function(x, a) abs(x - a / 3), 0, 1), list(function(x, a) sqrt(x - a / 3), 0, 1),
    list(function(x, a) 1e-3 / ((x - a / 3)^2 + 1e-6), 0, 1),
    list(function(x, a) a * x, 1e-310, d$a * 1e-309), list(function(x, a) a * exp(-x / 1e300), -1e308, d$a * 3e307))
  lapply(if (from > 0) calls[seq(from, length(calls), 2)] else calls, function(call) {
    call[2:3] <- lapply(call[2:3], function(limit) if (length(limit) == many) limit[at] else limit)
    as.list(suppressWarnings(do.call(integrategpu, c(call, list(params = d[at, ])))))
  })
}

test_backends("integrals have the same bits in a batch and among few", {
  many <- 900L
  from <- if (every_test() || useDevice()[1] == "cpu") 0 else 1
  together <- first_calls(many, from = from)
  some <- lapply(list(1:300, 301:600, 601:900), function(at) first_calls(many, at, from))
  apart <- lapply(seq_along(together), function(k) do.call(Map, c(list(c), lapply(some, `[[`, k))))
  expect_identical(together, apart)
})

test_that("on a GPU the first panels stay there, and what comes back are the CPU's bits", {
  skip_if_quick()
  many <- 1200L
  r <- in_new_R({
    first_calls <- .(first_calls)
    calls <- function() first_calls(.(many), from = .(if (every_test()) 0 else 2))
    told <- clProfile(gpu <- withDevice("gpu:0", calls()))
    f <- function() integrategpu(function(x, a) exp(-a * x^2), -1, 2, params = data.frame(a = 1:20000 / 1e4))
    bytes <- withDevice("gpu:0", clProfile(easy <- f()))
    list(gpu = gpu, cpu = withDevice("cpu", calls()), easy = list(easy, withDevice("cpu", f())),
         kernels = told$command[told$kind == "kernel"], bytes = sum(bytes$bytes))
  }, c(STATCL_OPENCL_LIBRARY = faulty_loader(), STATCL_PROBE = "off", FAULTY_GPU = "1"))
  expect_true(all(c("quad_first", "quad_panels") %in% r$kernels))
  expect_identical(r$gpu, r$cpu)
  expect_identical(r$easy[[1L]], r$easy[[2L]])
  # of an integral: its row, parameter and derived value there and back, the former once for each of two queues, and
  # what has been found; its 8 panels alone would be 832
  expect_lte(r$bytes / 20000, 120)
})

# Every d/p/q/r function behaves as its counterpart in base R does with odd arguments: same values, attributes,
# warnings and errors. A row names the function, its counterpart and how the counterpart's arguments are passed on.
contract <- list(
  dstable = list(base = dnorm, ours = function(x, mean = 0, sd = 1, log = FALSE) dstable(x, 2, 0, sd, mean, 2, log)),
  pstable = list(base = pnorm, ours = function(q, mean = 0, sd = 1, lower.tail = TRUE, log.p = FALSE)
    pstable(q, 2, 0, sd, mean, 2, lower.tail, log.p)),
  qstable = list(base = qnorm, ours = function(p, mean = 0, sd = 1, lower.tail = TRUE, log.p = FALSE)
    qstable(p, 2, 0, sd, mean, 2, lower.tail, log.p)),
  rstable = list(base = rnorm, ours = function(n, mean = 0, sd = 1) rstable(n, 2, 0, sd, mean, 2))
)
of_kind <- function(kind) contract[startsWith(names(contract), kind)]

outcome <- function(f, arguments) {
  warnings <- character()
  value <- tryCatch(
    withCallingHandlers(do.call(f, arguments, quote = TRUE), warning = function(w) {
      warnings <<- c(warnings, conditionMessage(w))
      invokeRestart("muffleWarning")
    }),
    error = function(e) paste("error:", conditionMessage(e)))
  list(value = value, warnings = warnings)
}

# NA and NaN are told apart: expect_equal() would not.
kind_of_missing <- function(x) if (is.numeric(x)) ifelse(is.nan(x), "NaN", ifelse(is.na(x), "NA", "")) else x

expect_same_outcome <- function(row, arguments, tolerance = 1e-13) {
  ours <- outcome(row$ours, arguments)
  base <- outcome(row$base, arguments)
  label <- paste(deparse(arguments), collapse = " ")
  expect_equal(ours$value, base$value, tolerance = tolerance, label = label)
  expect_identical(kind_of_missing(ours$value), kind_of_missing(base$value), label = label)
  expect_identical(ours$warnings, base$warnings, label = label)
}

density_cases <- list(
  list(1:3), list(TRUE), list(c(0.5, NA, NaN, Inf, -Inf)), list(NA), list(NA_integer_), list(-0),
  list(numeric(0)), list(1:3, numeric(0)), list(numeric(0), -1), list(matrix(0, 0, 3)),
  list(1:6, c(0, 1), 1:3), list(1:3, 1:2), list(0, 0, 1:4),
  list(c(a = 1, b = 2)), list(c(a = 1, b = 2), 1:3), list(1:2, c(a = 1, b = 2, c = 3)), list(1, c(a = 1)),
  list(matrix(1:4, 2, dimnames = list(c("r", "s"), NULL))), list(matrix(1:4, 2), c(a = 1, b = 2, c = 3, d = 4)),
  list(1:2, matrix(1:4, 2)), list(c(a = 1, b = 2), matrix(1:2, 1)), list(array(1:8, c(2, 2, 2))),
  list(structure(1:2, class = "unknown", note = "kept")), list(ts(c(0.5, 1), start = 2000)),
  list(as.Date("2020-01-01")),
  list(NA, NaN), list(NaN, NA), list(c(NA, NaN, 1), 1, c(1, -1, -1)), list(NA, 0, -1), list(NaN, 0, -1),
  list(1, 0, -1), list(1:2, 0, -1), list(1, 0, c(1, -1)),
  list(0, 0, 0), list(1, 0, 0), list(Inf, 0, 0), list(Inf, Inf, 0), list(-Inf, Inf, 0), list(0, 0, 0, TRUE),
  list(1, 0, 0, TRUE), list(1, 0, Inf), list(1, 0, Inf, TRUE), list(1, 0, -Inf), list(Inf, Inf, Inf),
  list(Inf, Inf), list(Inf, -Inf), list(1, Inf), list(Inf), list(-Inf, 0, 1, TRUE),
  list(0, log = NA), list(0, log = 2), list(0, log = c(FALSE, TRUE)), list(0, log = logical(0)), list(0, log = 1L),
  list("a"), list(NULL), list(1i), list(list(1)), list(factor("a")), list(1, "a"), list(1, NULL), list(1, 0, 1i),
  list(numeric(0), "a")
)

test_that("density functions treat odd arguments as dnorm() does", {
  for (row in of_kind("d")) for (arguments in density_cases) expect_same_outcome(row, arguments)
})

probability_cases <- c(
  Filter(function(arguments) !"log" %in% names(arguments) && length(arguments) < 4, density_cases),
  list(list(c(-1, 0, 2), lower.tail = FALSE), list(c(-1, 0, 2), log.p = TRUE), list(c(-40, 40), log.p = TRUE),
       list(c(-40, 40), lower.tail = FALSE, log.p = TRUE), list(c(-Inf, Inf), log.p = TRUE), list(-1:1, 0, 0),
       list(-1:1, 0, 0, FALSE), list(-1:1, 0, 0, TRUE, TRUE), list(c(-Inf, Inf), 0, Inf),
       list(0.3, lower.tail = NA), list(0.3, lower.tail = 2), list(0.3, lower.tail = c(FALSE, TRUE)),
       list(0.3, log.p = NA), list(0.3, log.p = 2), list(0.3, log.p = logical(0)), list(0.3, log.p = 0L)))

test_that("distribution functions treat odd arguments as pnorm() does", {
  for (row in of_kind("p")) for (arguments in probability_cases) expect_same_outcome(row, arguments)
})

quantile_cases <- list(
  list(c(0, 1e-300, 0.1, 0.5, 0.9, 1)), list(c(0, 1, 0.3), lower.tail = FALSE),
  list(c(-Inf, -800, -1, 0), log.p = TRUE), list(c(-Inf, -800, -1, 0), lower.tail = FALSE, log.p = TRUE),
  list(c(-0.1, 1.1, -Inf, Inf)), list(0.1, log.p = TRUE),
  list(TRUE), list(0L), list(c(0.5, NA, NaN)), list(NA), list(-0), list(numeric(0)), list(0.1, numeric(0)),
  list(c(0.1, 0.2, 0.3), c(0, 1)), list(0.1, 0, 1:3), list(c(a = 0.1, b = 0.2)), list(c(a = 0.1, b = 0.2), 1:3),
  list(matrix(c(0.1, 0.2), 1, dimnames = list("r", NULL))), list(structure(c(0.1, 0.2), class = "unknown")),
  list(ts(c(0.1, 0.2), start = 2000)), list(NA, NaN), list(NaN, NA), list(NA, 0, -1), list(0.1, 0, -1),
  list(c(0, 0.3, 1), 2, 0), list(c(0.3, 0.7), 0, Inf), list(0.3, Inf), list(0.3, -Inf), list(2, 0, 0),
  list("a"), list(NULL), list(1i), list(list(0.1)), list(factor("a")), list(0.1, "a"), list(0.1, NULL),
  list(0.3, lower.tail = NA), list(0.3, log.p = NA), list(0.3, lower.tail = c(FALSE, TRUE)), list(0.3, log.p = 0L))

test_that("quantile functions treat odd arguments as qnorm() does", {
  for (row in of_kind("q")) for (arguments in quantile_cases) expect_same_outcome(row, arguments)
})

test_that("chi-squared functions treat odd arguments as base R's do, with ncp and without", {
  within <- function(kind, cases, tolerance) {
    row <- list(base = get(paste0(kind, "chisq"), "package:stats"), ours = get(paste0(kind, "chisqgpu")))
    for (arguments in cases) expect_same_outcome(row, arguments, tolerance)
  }
  # a mean of 0 or 1 and its sd are degrees of freedom and ncp; base R's own quantiles are right to 1e-10 or so
  within("d", density_cases, 1e-11)
  # of infinite degrees of freedom without ncp base R knows no tail, while the one here is 0 or 1
  known <- function(arguments) !identical(arguments, list(1, Inf))
  within("p", Filter(known, probability_cases), 1e-11)
  within("q", quantile_cases, 1e-8)
})

# The Poisson functions have one parameter, and base R's have the same names.
poisson <- list(d = list(base = dpois, ours = dpoisgpu), p = list(base = ppois, ours = ppoisgpu),
                q = list(base = qpois, ours = qpoisgpu), r = list(base = rpois, ours = rpoisgpu))

# For values and probabilities, all as probabilities too.
poisson_cases <- list(
  list(c(0, 1), 3), list(TRUE, 1), list(0L, 2L), list(c(0.1, NA, NaN), 2), list(NA, 2), list(NA_integer_, 2),
  list(-0, 3), list(0, -0), list(numeric(0), 2), list(0.5, numeric(0)), list(numeric(0), numeric(0)),
  list(numeric(0), -1), list(matrix(0, 0, 3), 2), list(1, 1:6), list(c(0, 1), 1:3), list(c(0, 0, 1), 1:2),
  list(c(a = 0, b = 1), 2), list(c(a = 0, b = 1), 1:3), list(0:1, c(a = 1, b = 2, c = 3)), list(1, c(a = 1)),
  list(c(a = 1, b = 0), c(c = 1, d = 2)), list(matrix(c(0, 1, 1, 0), 2, dimnames = list(c("r", "s"), NULL)), 3),
  list(0:1, matrix(1:4, 2)), list(c(a = 0, b = 1), matrix(1:2, 1)), list(array(rep(0:1, 4), c(2, 2, 2)), 2),
  list(structure(0:1, class = "unknown", note = "kept"), 2), list(ts(c(0, 1), start = 2000), 2),
  list(NA, NaN), list(NaN, NA), list(NA, -1), list(NaN, -1), list(1, NA), list(1, NaN), list(1, NA_integer_),
  list(c(NA, NaN, 1, 1), c(1, -1, -1, 1)), list(1, -1), list(0:1, -1), list(1, c(1, -1)), list(1, -1e-300),
  list(0, 0), list(1, 0), list(c(0, 1), c(0, 0, 1, 1)), list(1, Inf), list(0, Inf), list(0:1, c(Inf, 2)),
  list(1, -Inf), list(-1, 2), list(-1, 0), list(-1, Inf), list(-1, -1),
  list("a", 1), list(NULL, 1), list(1i, 1), list(list(1), 1), list(factor("a"), 1), list(1, "a"), list(1, NULL),
  list(1, 1i), list(numeric(0), "a"), list(1))
poisson_values <- c(poisson_cases, list(
  list(c(-Inf, Inf), 3), list(c(-Inf, Inf), 0), list(Inf, Inf), list(c(-3, -1, 0, 1, 2, 5, 50, 1e300), 7.5),
  list(0:3, 1e-300), list(c(2, 2.5, 3), 2), list(-0.5, 2), list(2.5, -1), list(2.5, NA), list(NaN, 2.5),
  list(2 + 1e-11, 2), list(2 - 1e-11, 2), list(2 + 1e-6, 2), list(-1e-11, 2), list(1e-11, 0)))
flag_values <- list(NA, 2, c(FALSE, TRUE), logical(0), 1L)

test_that("Poisson densities treat odd arguments as dpois() does", {
  for (arguments in poisson_values) {
    expect_same_outcome(poisson$d, arguments)
    expect_same_outcome(poisson$d, c(arguments, log = TRUE))
  }
  for (flag in flag_values) expect_same_outcome(poisson$d, list(2, 3, log = flag))
})

test_that("Poisson distribution functions treat odd arguments as ppois() does", {
  skip_if_quick()
  for (arguments in poisson_values)
    for (lower in c(TRUE, FALSE)) for (log in c(TRUE, FALSE))
      expect_same_outcome(poisson$p, c(arguments, lower.tail = lower, log.p = log))
  for (flag in flag_values) {
    expect_same_outcome(poisson$p, list(2, 3, lower.tail = flag))
    expect_same_outcome(poisson$p, list(2, 3, log.p = flag))
  }
})

test_that("Poisson quantiles treat odd arguments as qpois() does", {
  skip_if_quick()
  for (arguments in c(poisson_cases, list(
    list(c(0, 1e-300, 0.1, 0.5, 0.9, 1), 7.5), list(c(0, 0.3, 1), 0), list(c(-0.1, 1.1, -Inf, Inf, 0.5), 3),
    list(c(-800, -1, -1e-5), 30), list(c(-Inf, -0.5, 0), 0), list(2, 0), list(-1, 0), list(0.3, 1e300),
    list(c(0.3, 0.7), 1e-300))))
    for (lower in c(TRUE, FALSE)) for (log in c(TRUE, FALSE))
      expect_same_outcome(poisson$q, c(arguments, lower.tail = lower, log.p = log))
  for (flag in flag_values) {
    expect_same_outcome(poisson$q, list(0.3, 3, lower.tail = flag))
    expect_same_outcome(poisson$q, list(0.3, 3, log.p = flag))
  }
})

test_that("Poisson random numbers treat odd arguments as rpois() does", {
  for (arguments in list(
    list(0, 1), list(0, numeric(0)), list(numeric(0), 1), list(2, numeric(0)), list(0, -1), list(0, "a"), list(2, 0),
    list(3, c(0, 0)), list(2, NA), list(2, NaN), list(2, -1), list(2, Inf), list(2, -Inf), list(4, c(0, NA, -1, Inf)),
    list(-1, 1), list(-0.5, 1), list(NA, 1), list("a", 1), list(NULL, 1), list(Inf, 1), list(list(2), 0),
    list(quote(a), 1), list(mean, 1), list(2, "a"), list(2, NULL), list(2, list(1)), list(2, 1i),
    list(2, factor("a")), list(2), list(c(9, 9, 9), 0), list(2.7, 0), list("2", 0), list(TRUE, 0),
    list(c("a", "b"), 0), list(factor(3), 0), list(2, c(a = 0, b = 0)), list(matrix(1, 2, 2), 0))) {
    expect_same_outcome(poisson$r, arguments)
    expect_identical(typeof(outcome(rpoisgpu, arguments)$value), typeof(outcome(rpois, arguments)$value))
  }
  # a mean that is invalid among large ones
  ours <- outcome(rpoisgpu, list(4, c(1e10, -1, NA, 0)))
  base <- outcome(rpois, list(4, c(1e10, -1, NA, 0)))
  expect_identical(kind_of_missing(ours$value), kind_of_missing(base$value))
  expect_identical(ours$warnings, base$warnings)
})

test_that("Poisson random numbers follow R's generator and leave it alone when nothing is drawn", {
  set.seed(7)
  state <- .Random.seed
  rpoisgpu(0, 5)
  suppressWarnings(rpoisgpu(2, numeric(0)))
  expect_identical(.Random.seed, state)
  rpoisgpu(1, 5)
  expect_false(identical(.Random.seed, state))
})

test_that("Poisson functions have the arguments of base R's, and warn once in the call of the user", {
  for (kind in c("d", "p", "q")) expect_identical(formals(poisson[[kind]]$ours), formals(poisson[[kind]]$base))
  expect_identical(formals(rpoisgpu), as.pairlist(c(formals(rpois), first = 1)))
  expect_identical(outcome(dpoisgpu, list(c(1.5, 2, 2.5), 1))$warnings, "non-integer x = 1.500000")
  expect_identical(outcome(qpoisgpu, list(c(0.5, 2, -1), c(-1, 1, 1)))$warnings, "NaNs produced")
  warning <- tryCatch(dpoisgpu(1.5, 1), warning = identity)
  expect_identical(conditionCall(warning), quote(dpoisgpu(1.5, 1)))
  warning <- tryCatch(qpoisgpu(2, 1), warning = identity)
  expect_identical(conditionCall(warning), quote(qpoisgpu(2, 1)))
  error <- tryCatch(ppoisgpu("a", 1), error = identity)
  expect_identical(conditionCall(error), quote(ppoisgpu("a", 1)))
  lambda <- 3L
  p <- c(0.5, NaN)
  qpoisgpu(p, lambda)
  expect_identical(list(p, lambda), list(c(0.5, NaN), 3L))
})

test_that("attributes come from the first longest argument, in the order of the formals", {
  expect_named(dstable(c(a = 1), c(b = 1.5), 0), "a")
  expect_named(dstable(1, c(b = 1.5, c = 1), c(d = 0, e = 0)), c("b", "c"))
  expect_named(dstable(1, 1.5, 0, 1, 0, c(f = 0, g = 1)), c("f", "g"))
  expect_null(names(dstable(1, c(b = 1.5), 0)))
})

# The random functions are compared where the values do not depend on the generator.
sample_cases <- list(
  list(0), list(0, numeric(0)), list(numeric(0)), list(2, numeric(0)), list(2, 0, numeric(0)),
  list(2, NA), list(2, NaN), list(2, 0, NA), list(2, NA, 0),
  list(2, 0, -1), list(2, 0, Inf), list(2, Inf), list(2, -Inf, 3), list(3, c(5, 7), 0),
  list(-1), list(-0.5), list(NA), list("a"), list(NULL), list(Inf), list(list(2)), list(quote(a)), list(mean),
  list(2, "a"), list(2, NULL), list(0, "a"), list(2, list(1)), list(2, 1i), list(2, factor("a"))
)

test_that("random functions treat odd arguments as rnorm() does", {
  for (row in of_kind("r")) for (arguments in sample_cases) expect_same_outcome(row, arguments)
})

test_that("random functions return bare vectors of the length asked for", {
  for (row in of_kind("r")) {
    for (n in list(3, 2.7, "2", TRUE, c(9, 9, 9, 9), c("a", "b"), list(1, 2), factor(3)))
      expect_length(row$ours(n), length(row$base(n)))
    expect_null(attributes(row$ours(2, c(a = 1, b = 2))))
    expect_null(attributes(row$ours(matrix(1, 2, 2))))
  }
})

test_that("random functions follow R's generator and leave it alone when nothing is drawn", {
  for (row in of_kind("r")) {
    set.seed(7)
    first <- row$ours(10)
    second <- row$ours(10)
    expect_false(any(first == second))
    set.seed(7)
    expect_identical(row$ours(10), first)
    expect_identical(row$ours(10), second)
    set.seed(7)
    state <- .Random.seed
    row$ours(0)
    suppressWarnings(row$ours(2, numeric(0)))
    expect_identical(.Random.seed, state)
    row$ours(1)
    expect_false(identical(.Random.seed, state))
  }
})

test_that("functions have neither dots nor tuning arguments", {
  expect_named(formals(dstable), c("x", "alpha", "beta", "gamma", "delta", "pm", "log"))
  expect_named(formals(pstable), c("q", "alpha", "beta", "gamma", "delta", "pm", "lower.tail", "log.p"))
  expect_named(formals(qstable), c("p", "alpha", "beta", "gamma", "delta", "pm", "lower.tail", "log.p"))
  expect_named(formals(rstable), c("n", "alpha", "beta", "gamma", "delta", "pm", "first"))
  expect_error(dstable(1, 1.5, 0, tol = 1e-3), "unused argument")
  expect_error(dstable(1), "missing")
})

test_that("a warning names the call of the user", {
  warning <- tryCatch(dstable(1, 3, 0), warning = identity)
  expect_identical(conditionCall(warning), quote(dstable(1, 3, 0)))
  error <- tryCatch(dstable("a", 1, 0), error = identity)
  expect_identical(conditionCall(error), quote(dstable("a", 1, 0)))
})

test_that("arguments are never changed in place", {
  x <- c(0.5, NaN)
  alpha <- 1L
  dstable(x, alpha, 0)
  expect_identical(x, c(0.5, NaN))
  expect_identical(alpha, 1L)
})

test_that("arguments that make no sense are named, those that are no text among them", {
  fit <- stableFit(diff(log(datasets::EuStockMarkets[1:200, "DAX"])))
  reg <- stableReg(dist ~ speed, datasets::cars)
  refused <- function(call, words) expect_error(call, words, class = "statcl_error_input")
  for (n in list(0.5, 0, NA, 1e10, "a", 1:2)) {
    refused(simulate(fit, n), "^nsim")
    refused(simulate(reg, n), "^nsim")
    refused(stableTest(fit, n), "^nsim")
  }
  for (which in list(0.5, 7, "delta2", integer())) refused(profile(fit, which), "which must name parameters")
  for (model in list(1:2, NA, "a")) refused(stableReg(dist ~ speed, datasets::cars, model = model), "^model")
  refused(covModel("\xffmatern", 1), "<ff>matern")
  refused(stableFit(1:20, method = "\xff"), "<ff>")
  refused(matern(1:3, range = 1, smoothness = 1, distance = "\xff"), "<ff>")
  rows <- data.frame(a = 1:2)
  expect_warning(expect_warning(found <- integrategpu(~NA, 0, 1, params = rows), "no column"), "2 of 2")
  expect_true(all(is.nan(found$value)))
  expect_identical(sigma(fit), coef(fit)[["gamma"]])
  expect_identical(sigma(reg), reg$shape[["gamma"]])
})

test_that("more rows than a matrix can have are refused", {
  # of sequences that R does not write out
  for (n in c(2^31, 2^32 + 2)) {
    e <- tryCatch(statcl:::stable_slopes(1:n, 1.5, 0, run = 1), statcl_error_input = identity)
    expect_match(conditionMessage(e), "at most 2147483647 rows")
    e <- tryCatch(integrand_values(~ x, 1:n), statcl_error_input = identity)
    expect_match(conditionMessage(e), "at most 2147483647 rows")
  }
})

test_that("lack of memory in R is told as such", {
  r <- in_new_R({
    huge <- function(...) numeric(1e15)
    given <- covModel("covariance", covariance = function(h) exp(-h), dim = 3)
    given$covariance <- huge
    calls <- list(user = tell(spectralDensity(given, 1)),
                  mean = tell(tbrf(rfGrid(0, 1, 5), covModel("exponential", range = 1, mean = huge))))
    utils::assignInNamespace("density_table", huge, "statcl")
    c(calls, list(radius = tell(tbrf(rfGrid(c(0, 0), 1, c(5, 5)), covModel("powexp", range = 1, shape = 1.2)))))
  })
  for (call in names(r)) expect_identical(r[[call]]$class[1], "statcl_error_memory", label = call)
})

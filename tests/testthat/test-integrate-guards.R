# stop(), stopifnot() and match.arg() in integrands: where R stops the integral is not finite, and says so.
fast_builds_in_file()
allow_vectors_in_conditions()

must <- function(...) {
  old <- options(statcl.translate = "must")
  on.exit(options(old))
  integrategpu(...)
}

test_backends("a guard that holds is reported, with what it says, and one that does not costs nothing", {
  check <- function(t) if (t < 0) stop("negative time")
  positive <- function(t) {
    if (t > 0) return(sqrt(t))
    stop("no root")
  }
  cases <- list(
    list(function(x) { if (any(x < 0)) stop("negative"); x }, "negative"),
    list(function(x) { check(x); x }, "negative time"), # whose value is not used
    list(function(x) { y <- check(x); x }, "negative time"),
    list(function(x) 0 * positive(x) + x, "no root"),
    list(function(x) ifelse(is.nan(positive(x)), x, x), "no root"), # which a NaN of the branch would hide
    list(function(x) { stopifnot(is.numeric(x), x >= 0); x }, "x >= 0 is not TRUE"),
    list(function(x) { stopifnot("low" = x > -0.5, "high" = x < 2); x }, "low"),
    list(function(x) { x >= 0 || stop("must be positive"); x }, "must be positive"),
    list(function(x) { if (x > 5) return(9); if (x < 0) { y <- x; if (y < -0.2) stop("far") }; x }, "far"),
    list(function(x) { for (k in 1:3) if (k * x < -1) stop("step ", k); x }, "step 2"))
  for (case in cases) {
    expect_equal(must(case[[1L]], 0, 1)$value, 0.5, tolerance = 1e-12, info = deparse(case[[1L]]))
    expect_error(must(case[[1L]], -1, 1), paste0("where f stops: ", case[[2L]]), class = "statcl_error_integral")
  }
  f <- function(x, a) { if (x < a) stop("below ", a); x }
  expect_warning(rows <- must(f, 0, 1, params = data.frame(a = c(-1, 0.5, 0))), "first in row 2 at .* below 0.5")
  expect_identical(rows$code, c(0L, 7L, 0L))
  expect_equal(rows$value[-2L], c(0.5, 0.5))
  # as the branch of a condition that is met nowhere it may be anywhere
  expect_equal(must(function(x) if (x > 2 && x < 3) stop("between") else if (x > 2) 1 else 0, 3.01, 4)$value, 0.99)
})

test_that("what stops in any case, and handlers of errors, are R's", {
  refused <- function(f, why) expect_error(must(f, 0, 1), why, class = "statcl_error_translation")
  refused(function(x) { stop("never"); x }, "reached whatever")
  refused(function(x) tryCatch(if (x < 0.5) stop("low") else x, error = function(e) 1), "handler of errors")
  expect_error(suppressMessages(integrategpu(function(x) stop("never"), 0, 1)), "never")
  found <- suppressMessages(integrategpu(function(x) tryCatch(if (x < 0.5) stop("low") else x,
                                                              error = function(e) 1), 0, 1))
  expect_equal(found$value, 0.875)
})

test_that("match.arg() chooses", {
  f <- function(x, kind = c("normal", "box")) {
    kind <- match.arg(kind)
    switch(kind, normal = dnorm(x), box = 2 * (abs(x) < 1))
  }
  expect_equal(must(f, -Inf, Inf)$value, 1)
  expect_equal(must(f, -3, 3, kind = "b", breaks = c(-1, 1))$value, 4)
  expect_error(must(f, -1, 1, kind = "circle"), "not one of the strings", class = "statcl_error_translation")
  expect_error(suppressMessages(integrategpu(f, -1, 1, kind = "circle")), "should be one of")
})

test_that("conditions in an argument are left to R, and in several variables the place is named", {
  stops <- function(...) tryCatch(suppressMessages(integrategpu(...)), error = conditionMessage)
  expect_match(stops(function(x) { stopifnot(exprs = { x < 0.5; x < 2 }); x }, 0, 1), "x < 0.5 is not")
  expect_match(stops(function(x, y) { if (x + y > 1.5) stop("too big"); x }, list(0, 0), list(1, 1)),
               "at x = 0\\.[0-9]+, y = 0\\.[0-9]+, where f stops: too big")
  expect_match(stops(function(x, y) log(x - y), list(0, 0), list(1, 1)), "at x = [0-9.]+, y = [0-9.]+")
  # f is finite everywhere, and the integral is not
  expect_match(stops(exp, 0, 709.7), "sums go beyond the largest number")
})

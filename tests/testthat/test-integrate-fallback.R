# Integrands that R evaluates: what is compared is integrate() with one point at a time, on both backends where the
# engine has a part in it.
fast_builds_in_file()
allow_vectors_in_conditions()

by_base <- function(f, lower, upper, ...)
  integrate(Vectorize(function(x) f(x, ...)), lower, upper, rel.tol = 1e-10, abs.tol = 0, subdivisions = 1000)$value
by_r <- function(...) suppressMessages(integrategpu(...))
untranslated <- function(x) { # 1, which the translator does not know
  while (FALSE) x
  x^0
}

test_backends("what takes no vector is evaluated point by point", {
  expect_equal_integrals <- function(f, lower = 0, upper = 3) {
    expect_silent(found <- by_r(f, lower, upper, rel.tol = 1e-9))
    expect_identical(found$code, 0L)
    expect_equal(found$value, by_base(f, lower, upper), tolerance = 1e-8, info = deparse(f))
  }
  # values of a vector that are not those of its elements: each would be silently wrong without the comparison
  for (f in list(function(x) untranslated(x) * x / length(x), function(x) untranslated(x) * cumsum(x),
                 function(x) untranslated(x) + x - mean(x), function(x) untranslated(x) * max(x, 1),
                 function(x) untranslated(x) * rev(x), function(x) untranslated(x) * sort(x, decreasing = TRUE),
                 function(x) untranslated(x) + any(x > 2), function(x) untranslated(x) + all(x < 0.5) + x,
                 function(x) untranslated(x) * sum(x^2), function(x) untranslated(x)[1],
                 function(x) if (untranslated(x) * x > 1) 1 else x, function(x) untranslated(x) * (x && TRUE),
                 function(x) untranslated(x) * seq_along(x),
                 function(x) untranslated(x) + ifelse(length(x) > 1, 5, x),
                 function(x) untranslated(x) * x[length(x)], function(x) untranslated(x) * diff(c(0, x)),
                 function(x) { while (x > 1) x <- x - 0.5; x },
                 function(x) integrate(function(y) untranslated(y) * sin(x * y), 0, x)$value))
    expect_equal_integrals(f)
  # what is constant needs no vector either, and what needs one gets it
  expect_equal_integrals(function(x) { untranslated(x); 2 })
  theta <- c(0.5, 1, 2)
  found <- by_r(function(x) rowSums(sapply(theta, function(t) dnorm(x, t))), -Inf, Inf)
  expect_equal(found$value, 3, tolerance = 1e-9)
})

test_that("a function that shows late that it takes no vectors is begun again", {
  seen <- 0
  f <- function(x) {
    seen <<- seen + 1
    if (length(x) > 1 && seen > 15) rep(7, length(x)) else 1 / sqrt(x)
  }
  found <- by_r(f, 0, 1)
  expect_gt(seen, 200)
  expect_equal(found$value, 2, tolerance = 1e-9)
})

test_that("random numbers in an integrand are no values of a vector", {
  set.seed(1)
  f <- function(x) x + 1e-3 * rnorm(length(x))
  found <- by_r(f, 0, 1, stop.on.error = FALSE, subdivisions = 50)
  expect_equal(found$value, 0.5, tolerance = 0.05)
  f <- function(x) rep(rnorm(1), length(x)) # one number for all
  expect_false(isTRUE(by_r(f, 0, 1, stop.on.error = FALSE, subdivisions = 50)$code == 0L))
})

test_backends("rows of params come as vectors, rows or single numbers", {
  params <- data.frame(a = c(0.5, -1, 2, 3), b = c(1, 2, 1, 0.1), g = factor(c("u", "v", "u", "v")))
  truth <- function(f) suppressWarnings(vapply(1:4, function(i)
    by_base(function(x) f(x, params$a[i], params$b[i]), 0, 2), 0))
  agrees <- function(f, ...) expect_equal(by_r(f, 0, 2, params = params, ...)$value, truth(f), tolerance = 1e-8)
  agrees(function(x, a, b) besselJ(b * x, 2) * exp(a * x) * untranslated(x))
  agrees(function(x, a, b) if (a > 0) untranslated(x) * exp(-x^2) else x^b) # by rows
  agrees(function(x, a, b) if (a > x) untranslated(x) * exp(-x^2) else x^b) # by points
  agrees(function(x, a, b) untranslated(x) * exp(-x * b) / sum(b)) # a sum over rows
  agrees(function(x, a, b) untranslated(x) + any(a < 0))
  agrees(function(x, a, b) if (a < 0) untranslated(x) * sum(x) else x) # a row takes no vectors
  # columns by name in the environment of f, what is no number, and constants of any kind
  expect_warning(by_group <- by_r(~ untranslated(x) * (g == "v"), 0, 2, params = params), "2 of 4 integrals .* are 0")
  expect_equal(by_group$value, c(0, 2, 0, 2))
  expect_equal(by_r(function(x) x * known[[as.character(g)]], 0, 2, params = params,
                    known = list(u = 1, v = 5))$value, c(2, 10, 2, 10))
  # matrix columns are vectors of their row
  s <- matrix(1:8, 4)
  expect_equal(by_r(function(x, s) untranslated(x) * sum(s) * x, 0, 2, params = list(s = s))$value,
               2 * rowSums(s))
  # one number for all rows
  expect_equal(by_r(~ untranslated(x) * a * b, 0, 2, params = list(a = 1:3, b = 2))$value, 4 * 1:3)
  expect_equal(by_r(~ untranslated(x) * a, 0, 1:4, params = list(a = 1:2))$value, 1:4 * c(1, 2, 1, 2))
})

test_backends("vector-valued integrands are known by their value at one point", {
  f <- function(x, k) c(one = untranslated(x), power = x^k)
  m <- by_r(f, 0, 1, params = data.frame(k = 1:3))
  expect_identical(colnames(m$value), c("one", "power"))
  expect_equal(m$value[, 2], 1 / (2:4))
  g <- function(x) c(untranslated(x), x, x^2) # of three nodes it would be nine numbers
  expect_equal(as.vector(by_r(g, 0, 1)$value), 1 / (1:3))
  expect_error(by_r(function(x) if (x < 0.4) untranslated(x) else c(x, 1), 0, 1),
               "2 values at x = .*, and 1 elsewhere", class = "statcl_error_input")
})

test_that("what fails in f is its own error", {
  expect_error(by_r(function(x) if (x > 0.5) stop("beyond one half") else untranslated(x), 0, 1), "beyond one half",
               class = "simpleError")
  expect_error(by_r(function(x) untranslated(x) * letters[1], 0, 1), "non-numeric")
  expect_error(by_r(function(x) { untranslated(x); "a" }, 0, 1), "class 'character' at x = ",
               class = "statcl_error_input")
  expect_error(by_r(function(x) x[x > 5], 0, 1), "length 0", class = "statcl_error_input")
  nan <- by_r(function(x) ifelse(x > 0.5, untranslated(x), NaN), 0, 1, stop.on.error = FALSE)
  expect_identical(nan$code, 7L)
  expect_match(nan$message, "non-finite function value at x = ")
  expect_warning(rows <- by_r(~ untranslated(x) * a, 0, 1, params = data.frame(a = c(1, NA, Inf))), "2 of 3")
  expect_identical(rows$code, c(0L, 7L, 7L))
  # a warning of f is given once, whatever numbers are in it
  warned <- 0
  withCallingHandlers(by_r(function(x) { if (x > 0.1) warning("careful at ", x); x }, 0, 1),
                      warning = function(w) { warned <<- warned + 1; invokeRestart("muffleWarning") })
  expect_identical(warned, 1)
})

test_that("integrals within integrals leave the outer ones whole", {
  inner <- function(x) integrategpu(function(y) exp(-x * y), 0, 1)$value
  expect_equal(by_r(inner, 0, 2)$value, by_base(inner, 0, 2), tolerance = 1e-9)
  # one that fails within one that does not
  f <- function(x) tryCatch(integrategpu(function(y) 1 / y, 0, x)$value, statcl_error_integral = function(e) x)
  expect_equal(by_r(f, 0, 1)$value, 0.5)
  f <- function(x) tryCatch(by_r(function(y) if (y > 0.2) stop("no") else y, 0, x)$value, error = function(e) x^2)
  expect_equal(by_r(f, 0.5, 1)$value, (1 - 1 / 8) / 3)
  for (method in c("caq", "pbcaq"))
    expect_equal(by_r(function(x) by_r(~ untranslated(x) * a, 0, 1, a = x, method = method)$value, 0, 2,
                      method = method, abs.tol = 1e-2, region = c(2, 2))$value, 2, tolerance = 1e-2)
  # an engine that was left by an error serves on
  expect_equal(integrategpu(dnorm, -Inf, Inf)$value, 1)
})

test_that("a function is told of once, and options say what is to be done", {
  f <- function(x, told = TRUE) { while (x > 1) x <- x - 1; x }
  expect_message(integrategpu(f, 0, 2), "cannot translate while", class = "statcl_message_translation")
  expect_message(integrategpu(f, 0, 3), NA)
  old <- options(statcl.translate = "must")
  on.exit(options(old))
  expect_error(integrategpu(f, 0, 2), "cannot translate while", class = "statcl_error_translation")
  options(statcl.translate = "never")
  expect_message(found <- integrategpu(dnorm, -Inf, Inf), NA)
  expect_equal(found$value, 1)
  expect_error(integrategpu(~ x * no_such_name, 0, 1), "f contains no_such_name", class = "statcl_error_input")
  options(statcl.translate = "perhaps")
  expect_error(integrategpu(dnorm, 0, 1), "statcl.translate", class = "statcl_error_input")
  options(old)
  # a function that is changed is translated again
  g <- function(x) { while (FALSE) x; x }
  f <- function(x) g(x)
  expect_message(integrategpu(f, 0, 1))
  g <- function(x) x^2
  of <- list(f = f, constants = list(), env = environment())
  expect_identical(suppressMessages(statcl:::integrand_program(of, NULL))$call, NULL)
  a <- factor("u")
  expect_error(suppressMessages(suppressWarnings(integrategpu(~ a * x, 0, 1))))
  a <- 2
  expect_equal(integrategpu(~ a * x, 0, 1)$value, 1)
})

test_that("programs and R agree on integrands that both can evaluate", {
  ref <- read_ref("quadrature")
  old <- options(statcl.translate = "never")
  on.exit(options(old))
  for (k in which(ref$family == "pbcaq")) {
    found <- integrategpu(str2lang(ref$expression[k]), as.numeric(ref$lower[k]), as.numeric(ref$upper[k]),
                          stop.on.error = FALSE)
    expect_lte(relative_error(found$value, ref$value[k]), 1e-9)
  }
  p <- data.frame(a = c(-1, 0, 2), b = c(3, 1, 0))
  value <- integrategpu(~ dnorm(x) * plogis(a + b * x), -Inf, Inf, params = p)$value
  options(old)
  expect_equal(value, integrategpu(~ dnorm(x) * plogis(a + b * x), -Inf, Inf, params = p)$value, tolerance = 1e-14)
})

test_that("R's values have logarithms, tails, and several variables", {
  hidden <- function(v) { # not translated
    e <- new.env()
    assign("v", v, e)
    get("v", e)
  }
  quiet <- function(...) suppressMessages(integrategpu(...))
  x <- quiet(function(x, s) hidden(dnorm(x, 1e3, s, log = TRUE)) - 1e5, -Inf, Inf, params = data.frame(s = 10^(-2:2)),
             log = TRUE)
  expect_lt(max(abs(x$value + 1e5)), 1e-9)
  expect_equal(quiet(function(x, w) hidden(sin(w * x) / x), 0, Inf, params = list(w = c(0.1, 30)))$value,
               rep(pi / 2, 2), tolerance = 1e-10)
  x <- quiet(function(x, y, a) hidden(exp(-a * x - y)), list(0, 0), list(Inf, 1), params = list(a = 1:3))
  expect_equal(x$value, -expm1(-1) / 1:3, tolerance = 1e-9)
  expect_equal(integrategpu(function(x) besselJ(x, 0), 0, Inf)$value, 1, tolerance = 1e-10)
})

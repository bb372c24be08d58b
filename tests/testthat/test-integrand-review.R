# Programs against R itself, where R's rules for names, types, promises and limits are easily missed.

# Values of the program at points, a row for each component.
translated <- function(f, at = c(-1.5, 0.3, 2), ..., params = NULL)
  reference_values(translate(f, ..., params = params), at, params)

expect_as_r <- function(f, at = c(-1.5, 0.3, 2)) {
  truth <- r_values(f, at)
  truth[is.na(truth)] <- NaN
  expect_equal(translated(f, at), truth, tolerance = 1e-14, info = paste(deparse(f), collapse = " "))
}

expect_input_error <- function(f, pattern, ...) expect_error(translate(f, ...), pattern, class = "statcl_error_input")

test_that("a function known by what it is leaves no translation to others of the same code", {
  expect_equal(drop(translated(factorial, 1:3)), factorial(1:3))
  gamma <- function(z) 0 * z + 1
  expect_as_r(function(x) gamma(x + 1))
  expect_identical(formals(factorial), formals(function(x) gamma(x + 1)))
  expect_equal(drop(translated(factorial, 1:3)), factorial(1:3))
})

test_that("functions that the integrand calls do not see its variable and constants", {
  world <- new.env(parent = globalenv())
  local({
    x <- 10
    k <- 5
    g <- function(t) t * k + x
    f <- function(x, ...) g(x) + k
    formula <- ~ g(x) + k
  }, world)
  expect_identical(drop(translated(world$formula, 2)), 25)
  expect_identical(drop(translated(world$formula, 2, k = 1)), 21)
  expect_identical(drop(translated(world$f, 2, k = 1)), 21)
  expect_identical(drop(translated(world$formula, 2, params = list(k = 3))), 23)
  # nor does a translation that is kept, in an environment where the names are others
  inner <- new.env(parent = world)
  inner$k <- 100
  f <- world$f
  environment(f) <- inner
  expect_identical(drop(translated(f, 2)), 120)
  expect_input_error(~ h(x), "a function that the integrand calls has the name 'zz'",
                     h = local(function(t) t * zz, new.env(parent = baseenv())))
})

test_that("logicals that are made numbers are indices as numbers", {
  flag <- TRUE
  flags <- c(TRUE, FALSE, TRUE)
  k <- 2
  as_r <- list(
    quote(v[flag]), quote(v[flag * 1]), quote(v[1 * flag]), quote(v[flag / 1]), quote(v[flag - 0]), quote(v[+flag]),
    quote(v[+TRUE]), quote(v[-(-flag)]), quote(v[-flag]), quote(v[as.numeric(flag)]), quote(v[as.double(TRUE)]),
    quote(v[as.vector(flag)]), quote(v[sum(TRUE)]), quote(v[sum(flag)]), quote(v[prod(flag)]), quote(v[flag^1]),
    quote(v[max(flag)]), quote(v[min(flag)]), quote(v[pmin(flag)]), quote(v[mean(flag)]), quote(v[cumsum(flag)]),
    quote(v[cumprod(flags)]), quote(v[flags]), quote(v[!flags]), quote(sum(v[!flag])), quote(v[identity(flag)]),
    quote(v[[as.numeric(TRUE)]]), quote(v[[TRUE]]), quote(v[[flag]]), quote(v[c(flag, 2)]), quote(v[c(flag, 2)[1]]),
    quote(v[c(flag, FALSE, TRUE)]), quote(v[c(flag, FALSE, TRUE)[1]]), quote(v[abs(flag)]), quote(v[round(flag)]),
    quote(v[ifelse(flag, TRUE, 2)]), quote(v[ifelse(flags, TRUE, 2)]), quote(v[ifelse(flags, flags, FALSE)]),
    quote(v[k > 1]), quote(v[(k > 1) + 0]), quote(v[(k > 1) * 1]), quote(v[k * 1]), quote(v[flag & TRUE]),
    quote(v[flag || FALSE]), quote(v[xor(flag, FALSE)]), quote(v[{ w <- c(TRUE, FALSE); w[2] <- 3; w[1] }]),
    quote(v[rep(flag, 2)]), quote(v[drop(crossprod(flag))]), quote(v[if (k > 1) flag else 2]), quote(v[rev(flags)]),
    quote(v[switch(2, 1, flag)]), quote(c(u = 1, w = 2)[["w"]] * x), quote(v[c(-1, -2)]), quote(v[c(0, 2)]),
    quote(v[2.9]), quote(sum(v[0])), quote(sum(v[FALSE])), quote(v[c(TRUE, FALSE)]))
  for (e in as_r) {
    f <- as.function(list(x = quote(expr = ), bquote({ v <- c(x, 10 * x, 100 * x); .(e) })))
    environment(f) <- environment()
    truth <- f(0.3)
    value <- drop(translated(f, 0.3))
    expect_equal(value, unname(truth), tolerance = 1e-14, info = deparse(e))
  }
  # the number and the condition are one constant, which a translation that is kept still has
  flag <- TRUE
  f <- function(x) x * as.numeric(flag) + (if (x > 1) flag else 2) + sum(flag)
  expect_as_r(f)
  flag <- FALSE
  expect_as_r(f)
})

test_that("a condition that is missing is an error that names it", {
  a <- NA
  b <- NaN
  expect_input_error(function(x) if (a > 1) x else 2 * x, "missing: a > 1 is NA")
  expect_input_error(function(x) if (b > 1 && TRUE) x else 2 * x, "missing: b > 1 && TRUE is NA")
  expect_input_error(function(x) if (a) x else 2 * x, "missing: a is NA")
  expect_input_error(function(x) c(x, 1)[a > 1], "index is missing")
  expect_input_error(function(x) dnorm(x, log = a > 1), "missing")
  expect_input_error(function(x) rep(x, a + 1), "too long")
  expect_true(is.nan(translated(function(x) ifelse(a > 1, x, 2), 1)))
  expect_equal(drop(translated(function(x) x * (b > 1 && FALSE) + (a > 1 || TRUE), 2)), 1)
})

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

# Programs against R itself, where R's rules for names, types, promises and limits are easily missed.
allow_vectors_in_conditions()

# Values of the program at points, a row for each component.
translated <- function(f, at = c(-1.5, 0.3, 2), ..., params = NULL)
  reference_values(translate(f, ..., params = params), at, params)

expect_as_r <- function(f, at = c(-1.5, 0.3, 2)) {
  truth <- r_values(f, at)
  truth[is.na(truth)] <- NaN
  # where the point decides what an argument is, R evaluates it
  value <- tryCatch(translated(f, at), statcl_error_translation = function(problem) {
    expect_match(conditionMessage(problem), "first needed in a branch|has assigned to it|handed on")
    suppressMessages(integrand_values(f, at))
  })
  expect_equal(value, truth, tolerance = 1e-14, info = paste(deparse(f), collapse = " "))
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
  expect_input_error(~ h(x), "there is no 'zz'",
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
  expect_input_error(function(x) ifelse(a > 1, x, 2), "a is NA")
  expect_as_r(function(x) x + is.na(as.numeric(a)))
  expect_equal(drop(translated(function(x) x * (b > 1 && FALSE) + (a > 1 || TRUE), 2)), 1)
})

test_that("arguments have the value of when they are first needed", {
  expect_as_r(function(x, a = b) { b <- 1; if (x > 0) y <- a else y <- 0; b <- 7; y + a })
  expect_as_r(function(x, a = b) { b <- 1; if (x > 0) y <- 0 else y <- a; b <- 7; y + a })
  expect_as_r(function(x, a = b) { b <- 1; if (x > 0) y <- a else { b <- 3; y <- a }; b <- 7; y + a })
  expect_as_r(function(x, a = b) {
    b <- 1
    if (x > 0) { b <- x; if (x > 1) y <- a else y <- 2; b <- 5; y <- y * 2 } else y <- 0
    b <- 7
    if (x < 0.5) y <- y + a
    b <- b * 3
    y + a
  }, at = c(-1, 0.3, 0.7, 2))
  expect_as_r(function(x, a = b) { b <- 1; y <- x > 0 && a > 0; b <- 7; y + a })
  expect_as_r(function(x, a = b) { b <- 1; y <- x > 0 || a > 0; b <- 7; y + a })
  expect_as_r(function(x, a = b) { b <- 1; for (k in 1:3) { if (x > k - 1.5) b <- b + a; b <- b * 2 }; a + b })
  expect_as_r(function(x, g = function(t) t^2 * x) { if (x > 0) y <- g(x) else y <- 0; k <- 3; y + g(1) })
  make <- function(k) function(t) t * k
  expect_as_r(function(x, g = make(2)) { if (x > 0) y <- g(x) else y <- 0; y + g(1) })
  expect_as_r(function(x, k = 2, g = make(k)) { if (x > 0) y <- g(x) else y <- 0; y + g(1) })
  expect_as_r(function(x) { k <- 2; h <- make(k); if (x > 0) y <- h(1) else y <- 0; k <- 9; y + h(1) })
  expect_input_error(function(x, k = 2, g = make(k)) { if (x > 0) y <- g(x) else y <- 0; k <- 3; y + g(1) },
                     "first needed in a branch")
  expect_as_r(function(x) {
    b <- 1
    f <- function(a) { g <- function(u) if (x > 0) u else 0; s <- g(a); b <- 3; s + a }
    f(b + x)
  })
  expect_as_r(function(x, a = x + 1) { if (x > 0) a <- a * 2; if (x > 1) a <- a + 1; a })
  expect_input_error(function(x) { z <- 1; y <- x > 0 && (z <- 5) > 1; z + y }, "behind && and")
})

test_that("missing() follows arguments that are handed on, and what is assigned is not missing", {
  h <- function(b) if (missing(b)) 1 else 2
  with_default <- function(b = 5) if (missing(b)) b else 2 * b
  pass <- function(a) h(a)
  twice <- function(a) pass(a)
  default <- function(a = 3) h(a)
  passed_default <- function(a) with_default(a)
  from_default <- function(b, a = b) h(a)
  changed <- function(a) { if (missing(a)) a <- 4; h(a) + 10 * missing(a) }
  computed <- function(a) h(a + 1)
  dots <- function(...) missing(...) + 10 * h(...)
  wrapped <- function(a) h((a))
  for (e in expression(pass(), pass(1), twice(), twice(2), default(), default(4), passed_default(3), changed(),
                       changed(3), computed(), wrapped(), dots(), dots(2), from_default(), from_default(2),
                       with_default(), with_default(3), h(), h(x))) {
    f <- as.function(list(x = quote(expr = ), call("+", quote(x), e)))
    environment(f) <- environment()
    expect_as_r(f)
  }
  expect_input_error(function(x, a) { if (x > 0) a <- 4; missing(a) + x }, "has assigned to it")
  expect_as_r(function(x, a = 1) { if (x > 0) a <- 4; missing(a) + a })
  expect_as_r(function(x, a = 1) { before <- missing(a); a <- 4; 10 * before + missing(a) })
  y <- 1
  expect_input_error(function(x) missing(y) + x, "argument of the function")
  expect_input_error(~ missing(x), "argument of the function")
})

test_that("functions have R's limits for large arguments and NULL", {
  for (k in c(0, 1, 2, 3, 7, 29, 35)) {
    f <- bquote(choose(x, .(k)))
    at <- c(-Inf, -1e300, -2.5, 2.5, 1e300, Inf)
    truth <- suppressWarnings(choose(at, k))
    if (k >= 30) { at <- at[3:4]; truth <- truth[3:4] }
    expect_equal(drop(translated(f, at)), truth, tolerance = 1e-13, info = deparse(f))
  }
  at <- c(0.3, 1, 2.5, 40)
  for (df1 in c(3, 1e6, 1e13, 1e15, 1e17, 1e200, Inf)) for (df2 in c(0.5, 2, 7.3)) {
    # R's limit of large df1, which its densities take beyond 1e14, is right to df2^2/df1 and so may be taken there
    truth <- if (df1 > 1e14) dgamma(1 / at, df2 / 2, df2 / 2) / at^2 else df(at, df1, df2)
    # that of R itself loses digits of df2
    expect_equal(drop(translated(bquote(df(x, .(df1), .(df2))), at)), truth,
                 tolerance = if (df1 %in% c(1e6, 1e13)) 4e-16 * df1 * 10 else 1e-12, info = paste(df1, df2))
  }
  expect_equal(drop(translated(quote(df(x, 1e13, 7.3)), at)), dgamma(1 / at, 3.65, 3.65) / at^2, tolerance = 1e-11)
  expect_equal(drop(translated(~ dgamma(x, 2, 4, scale = 0.25), at)), dgamma(at, 2, 4), tolerance = 1e-14)
  expect_input_error(~ dgamma(x, 2, 3, scale = 3), "rate and scale")
  expect_input_error(~ dgamma(x, 2, scale = x, rate = 3), "rate and scale")
  expect_as_r(function(x) sum(NULL) + x)
  expect_as_r(function(x) prod(NULL, x) + prod(NULL))
  expect_as_r(function(x) max(NULL, x) + min(x, NULL, 3) + sum(c(), x, NULL))
})

test_that("arguments are first needed where a function goes on and ifelse() takes a side", {
  expect_as_r(function(x, b = k) { k <- 1; f <- function(a) { if (x < 0) return(0); a }; y <- f(b); k <- 7; y + b })
  expect_as_r(function(x, b = k) {
    k <- 1
    f <- function(a) {
      if (x > 0) { if (x > 1) return(a) else y <- 1; if (x > 0.5) y <- y + a } else y <- 2
      if (x < -1) return(y)
      y + a
    }
    y <- f(b)
    k <- 7
    y + b
  }, at = c(-1.5, -0.5, 0.3, 0.7, 2))
  expect_as_r(function(x, b = k) {
    k <- 1
    f <- function(a, x) { for (i in 1:3) { if (x < i - 2) return(i); if (x < i - 1) x <- x + a }; x }
    y <- f(b, x)
    k <- 7
    y + b
  }, at = c(-1.5, -0.5, 0.3, 1.3, 2, 5))
  expect_as_r(function(x, b = k) { k <- 1; y <- ifelse(x > 0, b, 3); k <- 7; y + b })
  expect_as_r(function(x, b = k) { k <- 1; y <- ifelse(x > 0, 3, b); k <- 7; y + b })
  expect_as_r(function(x, b = k) { k <- 1; y <- sum(ifelse(c(x, 1) > c(0, 2), b, 3)); k <- 7; y + b })
  expect_as_r(function(x) sum(ifelse(no = 3, c(u = x, v = 1) > 0.5, yes = c(x, 2))))
  expect_input_error(function(x) { y <- 1; z <- ifelse(x > 0, y <- 2, 3); y + z }, "assignments in an argument")
  expect_input_error(~ ifelse(x > 0, 1), "missing")
  expect_input_error(~ ifelse(x > 0, 1, ), "empty argument|missing")
})

test_that("elements are replaced as in R", {
  flag <- FALSE
  expect_as_r(function(x) { v <- c(x, 1, 2); v[flag] <- 7; v[0] <- 3; v[numeric(0)] <- numeric(0); sum(v) })
  expect_as_r(function(x) { v <- c(x, 1, 2); v[-1] <- 7; v[c(TRUE, FALSE, TRUE)] <- c(x, 3); v[[TRUE]] <- 2; sum(v) })
  expect_input_error(function(x) { v <- c(x, 1); v[1] <- numeric(0); sum(v) }, "as long as")
  expect_input_error(function(x) { v <- c(x, 1); v[[flag]] <- 2; sum(v) }, "no such element")
  expect_input_error(function(x) { v <- c(x, 1); v[4] <- 2; sum(v) }, "no such element")
})

test_that("defaults that are each other's are missing", {
  inner <- function(z) missing(z)
  outer <- function(p = q, q = p) inner(p)
  expect_equal(integrategpu(function(x) if (outer()) x else 2 * x, 0, 1)$value, 0.5)
})

test_that("a translation for 0 does not serve for -0", {
  z <- 0
  f <- function(x) if (1 / z > 0) x else -x
  expect_equal(integrategpu(f, 0, 1)$value, 0.5)
  z <- -0
  expect_equal(integrategpu(f, 0, 1)$value, -0.5)
})

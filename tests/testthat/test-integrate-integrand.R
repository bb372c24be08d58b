# Programs are evaluated by helper-integrate.R with R's own functions, so that what is tested here is the translation.
# What the engine makes of them is tested in test-integrate.R.

points <- c(-2.3, -1, -0.25, 0, 0.37, 0.92, 1.71, 4)

# Values of the program agree with R's, where R's are numbers and where they are not.
expect_translated <- function(f, x = points, tolerance = 1e-13, ..., params = NULL, env = parent.frame()) {
  dots <- list(...)
  program <- integrand_translate(f, params = params, dots = dots, env = env)
  known <- c(dots, as.list(params))
  by_r <- if (is.function(f)) function(x) do.call(f, c(list(x), known[names(known) %in% names(formals(f))[-1L]]))
          else if (inherits(f, "formula")) function(x) eval(f[[2L]], c(list(x = x), known), environment(f))
          else function(x) eval(if (is.expression(f)) f[[1L]] else f, c(list(x = x), known), env)
  truth <- r_values(by_r, x)
  truth[is.na(truth)] <- NaN
  value <- reference_values(program, x, params)
  expect_identical(dim(value), dim(truth))
  same <- value == truth | is.nan(value) & is.nan(truth)
  expect_identical(is.nan(value), is.nan(truth))
  error <- abs(value - truth) / pmax(abs(truth), .Machine$double.xmin)
  expect_lte(max(0, error[!(same %in% TRUE)]), tolerance)
  invisible(program)
}

expect_refused <- function(f, pattern, ..., params = NULL, env = parent.frame())
  expect_error(integrand_translate(f, params = params, dots = list(...), env = env), pattern,
               class = "statcl_error_input")

n_ops <- function(program) ncol(program$code)
op_names <- function(program) statcl:::integrand_ops()$name[program$code[1L, ] + 1L]

test_that("programs are well formed", {
  a <- 2.5
  program <- expect_translated(quote(a * exp(-x^2) + z), params = data.frame(z = 3, unused = "text"))
  expect_identical(program$n_param, 1L)
  expect_identical(program$parameters, list(name = "z", column = 1L))
  expect_identical(program$variable, "x")
  expect_identical(program$constants, 2.5)
  expect_identical(op_names(program), c("mul", "neg", "exp", "mul", "add"))
  first <- 1L + length(program$constants) + program$n_param
  operands <- program$code[-1L, ]
  expect_true(all(operands < rep(first + seq_len(n_ops(program)) - 1L, each = 6L)))
  expect_identical(nrow(program$code), 7L)
  expect_identical(colSums(operands >= 0L), statcl:::integrand_ops()$arguments[program$code[1L, ] + 1L] + 0)
  expect_type(program$code, "integer")
})

test_that("every integrand of the reference table is translated", {
  ref <- read_ref("quadrature")
  for (i in seq_len(nrow(ref))) {
    lower <- max(ref$lower[i], -6)
    upper <- min(ref$upper[i], 6)
    expect_translated(parse(text = ref$expression[i]), lower + (upper - lower) * (1:40 - 0.5) / 40)
  }
})

test_that("every function agrees with R", {
  skip_if_quick()
  world <- integrand_world()
  z <- data.frame(z = 0.8)
  sets <- list(c("x", "1.7", "0.65"), c("1.3", "x", "2"), c("a", "z", "x"), c("x", "x + 1", "x * 3"))
  for (k in seq_along(sets)) {
    operands <- sets[[k]]
    for (text in every_nth(integrand_templates, 2, k %% 2 + 1)) {
      for (i in 1:3) text <- gsub(paste0("\\b", LETTERS[i], "\\b"), paste0("(", operands[i], ")"), text)
      program <- translate(parse(text = text), params = z, env = world)
      value <- reference_values(program, points, z)
      truth <- r_values(function(x) eval(parse(text = text), list(x = x, z = 0.8), world), points)
      truth[is.na(truth)] <- NaN
      # what is large or a logarithm of what is small carries the error of its argument
      scale <- pmax(abs(truth), 1e-300) * pmax(1, abs(log(abs(truth))), na.rm = TRUE)
      off <- abs(value - truth) > 2e-14 * scale
      at <- which(ifelse(is.nan(value) | is.nan(truth), is.nan(value) != is.nan(truth), value != truth & off))
      expect_identical(at, integer(), info = paste(text, "at", toString(points[at]), ":", toString(value[at]), "for",
                                                   toString(truth[at])))
    }
  }
})

test_that("densities and distribution functions have R's limits and support", {
  skip_if_quick()
  edges <- c(-Inf, -3, -1, -0.5, 0, 1e-300, 1e-20, 0.25, 0.5, 1, 2, 3, 30, 1e10, Inf, NaN)
  shapes <- c(-1, 0, 0.3, 1, 2.5, 40, Inf)
  laws <- list(norm = shapes, unif = c(-1, 0, 0.5, 1, 3), logis = shapes, cauchy = shapes[1:6], exp = shapes,
               weibull = shapes[1:6], lnorm = shapes[1:6], gamma = shapes[1:6], beta = shapes, t = shapes, f = shapes,
               chisq = shapes[1:6], binom = c(0, 1, 7, 30), geom = shapes[1:5], nbinom = shapes[1:6])
  two <- c("norm", "unif", "logis", "cauchy", "weibull", "lnorm", "gamma", "beta", "f", "binom", "nbinom")
  # every other pair of the parameters, as on a chessboard
  for (law in names(laws)) for (a in laws[[law]]) for (b in if (law %in% two)
    every_nth(laws[[law]], 2, match(a, laws[[law]]) %% 2 + 1) else 1) {
    if (law %in% c("binom", "nbinom")) b <- plogis(b - 3)
    names <- paste0(if (law %in% c("gamma", "beta", "t", "f", "chisq", "binom", "nbinom")) "d" else c("d", "p"), law)
    for (name in names) for (flag in list(NULL, TRUE)) {
      arguments <- c(list(a), if (law %in% two) list(b))
      if (!is.null(flag)) arguments[[if (startsWith(name, "d")) "log" else "log.p"]] <- TRUE
      f <- as.call(c(as.name(name), quote(x), arguments))
      truth <- suppressWarnings(eval(f, list(x = edges)))
      value <- drop(reference_values(translate(f), edges))
      bad <- which(is.nan(value) != is.na(truth) | !is.na(truth) & value != truth &
                     !(abs(value - truth) <= 1e-13 * pmax(1, abs(log(abs(truth)))) * abs(truth)))
      # R's own weibull, gamma and t give NaN where two limits meet
      bad <- bad[!is.na(truth[bad])]
      expect_identical(bad, integer(), info = paste(deparse(f), "at", toString(edges[bad]), ":", toString(value[bad]),
                                                    "for", toString(truth[bad])))
    }
  }
})

test_that("random expressions agree with R", {
  skip_if_quick()
  world <- integrand_world()
  at <- c(0.37, 0.92, 1.71, 2.6)
  n <- repetitions(80L, 200L)
  expressions <- random_integrands(n)
  expect_length(expressions, n)
  for (text in expressions) {
    e <- parse(text = text)[[1L]]
    value <- reference_values(translate(e, params = list(z = 0.8), env = world), at, list(z = 0.8))
    truth <- r_values(function(x) eval(e, list(x = x, z = 0.8), world), at)
    expect_lte(max(abs(value / truth - 1)), 1e-13, label = text)
  }
})

test_that("names are found as documented", {
  x <- 100
  a <- 5
  expect_translated(~ a * x)
  expect_identical(translate(~ a * x, a = 3)$constants, 3)
  expect_identical(translate(~ a * x, a = 3, params = list(a = 1))$n_param, 0L)
  expect_identical(translate(~ a * x, params = list(a = 1))$n_param, 1L)
  expect_identical(translate(quote({ a <- 2; a * x }), params = list(a = 1))$constants, 2)
  expect_identical(translate(function(t) t + x)$constants, 100)
  expect_identical(translate(function(t, a) t + a, params = data.frame(a = 1:2))$n_param, 1L)
  expect_identical(translate(function(t, a = 7) t + a)$constants, 7)
  expect_translated(function(t, a = 2 * b, b = t) t + a)
  expect_translated(function(t, a = 2 * u) { u <- t^2; a + u })
  expect_translated(~ pi * x + T - .Machine$double.eps)
  expect_identical(translate(~ 2 * pi * x)$constants, 2 * pi)
  pi <- 3
  expect_translated(~ 2 * pi * x)
  expect_refused(~ zzz * x, "'zzz'")
  expect_refused(~ a * x, "class 'factor'", a = factor("u"))
  expect_refused(~ a * x, "character string", a = "u")
  expect_refused(~ a * x, "class 'list'", a = list(1))
  expect_refused(~ a * x, "class 'Date'", a = Sys.Date())
  expect_refused(~ a * x, "it is complex", a = 1i)
  expect_refused(~ a * x, "column a is of class 'factor'", params = data.frame(a = factor("u")))
  theta <- list(mu = 2, s = c(3, 4))
  expect_translated(~ theta$mu * x + sum(theta$s))
  expect_refused(~ theta$no * x, "no such element")
})

test_that("captured values are arguments of the program, not parts of it", {
  f <- function(a, b) translate(~ dnorm(x, a, b[1]) + x^a * sum(b))
  one <- f(2, c(1, 3))
  two <- f(0.5, c(0.5, -7))
  expect_identical(one$code, two$code)
  expect_identical(one$outputs, two$outputs)
  expect_identical(two$constants[1:3], c(0.5, 0.5, -7))
  # equal values and zero or one as values change nothing
  expect_identical(f(1, c(1, 0))$code, one$code)
  expect_false(identical(f(2, c(1, 3, 4))$code, one$code)) # the length is part of the program
  lower <- function(flag) translate(~ pnorm(x, lower.tail = flag))
  expect_false(identical(lower(TRUE)$code, lower(FALSE)$code))
})

test_that("a translation that is kept serves only what is the same", {
  fresh <- function(...) {
    assign("integrands", NULL, envir = statcl:::session)
    translate(...)
  }
  a <- 2
  v <- c(1, 2)
  g <- function(x) x * a
  h <- function(t) sin(t)
  agree <- function(f, ...) expect_identical(translate(f, ...), fresh(f, ...))
  assign("integrands", NULL, envir = statcl:::session)
  f <- ~ g(x) + sum(v) * h(x) + pi
  translate(f)
  a <- 3
  expect_identical(translate(f), fresh(f))
  for (change in expression(v <- c(1, 2, 3), v <- c(a = 1, b = 2, c = 3), h <- function(t) cos(t), a <- -1, pi <- 3,
                            a <- 0 / Inf, a <- TRUE, h <- exp, sin <- cos, rm(pi), `+` <- `-`)) {
    translate(f)
    eval(change)
    agree(f)
  }
  rm(`+`)
  translate(f, v = 1)
  agree(f, v = 2)
  agree(f, params = list(v = 1))
  agree(f, params = list(v = matrix(1:2, 1L)))
  agree(f, params = list(v = matrix(1:3, 1L)))
  flag <- TRUE
  f <- ~ pnorm(x * a, lower.tail = flag)
  translate(f)
  flag <- FALSE
  agree(f)
  make <- function(k) function(x) k * x^2
  translate(make(1))
  agree(make(7))
  expect_identical(translate(make(7))$constants, 7)
})

test_that("functions of R and of the user are translated, masked ones too", {
  expect_translated(exp)
  expect_translated(dnorm)
  expect_translated(dnorm, mean = 2, sd = 3)
  expect_translated(dgamma, x = abs(points) + 0.1, shape = 2, rate = 3)
  expect_translated(function(t, ...) dnorm(t, ...), x = points)
  program <- translate(function(t, ...) dnorm(t, ...), mean = 3)
  expect_equal(drop(reference_values(program, 1)), dnorm(1, 3))
  exp <- function(x) x + 1
  expect_translated(~ exp(x))
  expect_translated(~ base::exp(x))
  second <- sin
  expect_translated(~ second(x) + stats::dnorm(x))
  square <- function(v, power = 2) v^power
  outer_scale <- 4
  scaled <- function(v) { w <- square(v); w / outer_scale }
  expect_translated(~ scaled(x) + scaled(power_free(x)), env = environment(),
                    power_free = function(u) u + 1)
  expect_translated(function(x) { g <- function(t) t * k; k <- 3; g(x) })
  expect_translated(function(x) (function(t, k = 2) t / k)(x + 1))
  twice <- function(f, x) f(f(x))
  expect_translated(~ twice(sin, x) + twice(function(t) t^2, x))
  expect_translated(function(x) x |> cos() |> square())
  never <- function(x, unused) x * 2
  expect_translated(~ never(x, stop("not evaluated")))
  make <- function(rate) function(t) exp_base(-rate * t)
  exp_base <- base::exp
  expect_translated(make(2))
  expect_refused(function() 1, "must have an argument")
  loop <- function(x) loop(x - 1)
  expect_refused(~ loop(x), "more than 50 deep")
  fold <- function(x, n) if (n == 0) x else fold(x * 2, n - 1)
  expect_translated(~ fold(x, 5))
  expect_refused(~ square(x, 2, 3), "unused argument")
  expect_refused(~ square(), "\"v\" is missing")
})

test_that("arguments are matched as R does", {
  f <- function(x, alpha, beta = 2, ...) x * alpha - beta + sum(...)
  expect_translated(~ f(x, beta = 3, 5))
  expect_translated(~ f(al = 3, x))
  expect_translated(~ f(x, 1, 2, 3, 4))
  expect_translated(~ dnorm(sd = 3, x, 1))
  expect_translated(~ atan2(x = 2, x))
  expect_translated(~ ifelse(x > 0, no = 1, yes = 2))
  g <- function(x, y) if (missing(y)) x else x + y
  expect_translated(~ g(x) * g(x, 2))
  expect_translated(~ log(base = 3, x), x = 1:3)
})

test_that("an argument without a value is no concern where x has a default and it is not needed", {
  expect_equal(integrategpu(function(x = 0, a) x^2, c(0, 0), c(1, 2))$value, c(1, 8) / 3, tolerance = 1e-14)
  expect_error(integrategpu(function(x, a) x^2, c(0, 0), c(1, 2)), "no values are given for a",
               class = "statcl_error_input")
})

test_that("conditions are selected point by point", {
  expect_translated(~ if (x > 0) x else -x)
  expect_translated(~ ifelse(x > 0.3 & x < 2 | x == -1, x, x^2))
  expect_translated(function(x) { if (x > 0) y <- x else y <- 1 - x; y^2 })
  expect_translated(function(x) { y <- 1; if (x > 0) y <- x; y^2 })
  expect_translated(function(x) { y <- 1; if (x > 0) { y <- x; if (x > 1) y <- y + 1 else { z <- 3; y <- z } }; y^2 })
  expect_translated(function(x, a = 1) { if (x > 0) a <- 2; a * x })
  expect_translated(function(x) { if (x < 0) return(0); sqrt(x) })
  expect_translated(function(x) { if (x < 0) return(0) else if (x > 1) return(1); x })
  expect_translated(function(x) { if (x < 0) { if (x < -1) return(-5); y <- 2 } else y <- 3; y * x })
  expect_translated(function(x) { if (x < 0) { return(1) } else { return(2) }; 7 })
  expect_translated(function(x) { if (x > 0) { if (x > 1) return(1); if (x > 0.5) return(2) }; 3 })
  expect_translated(function(x) return(x^2))
  expect_translated(function(x) { for (k in 1:3) { if (x < k) return(k); x <- x - 0.5 }; -x })
  expect_translated(function(x) (if (x > 0) sin else cos)(1), x = 1) |> expect_error(class = "statcl_error_input")
  expect_translated(~ if (TRUE) x else stop("never"))
  expect_translated(~ x * (1 < 2 || stop("never")))
  expect_translated(~ switch("b", a = 1, b = , c = x, 9) + switch(2, 5, x^3))
  expect_translated(~ as.numeric(xor(x > 0, x > 1)) + !x)
  # a value is missing where its condition is, though R stops there
  program <- translate(~ if (x > 0) 1 else 2)
  expect_identical(drop(reference_values(program, c(NaN, 1))), c(NaN, 1))
  expect_refused(~ if (x > 0) x, "without else")
  expect_refused(~ if (c(x, 1) > 0) 1 else 2, "length 2")
  expect_refused(~ if (x > 0) c(1, 2) else 3, "length 2 and 1")
  expect_refused(function(x) { if (x > 0) y <- 1; y }, "one branch")
  expect_refused(~ if (NA) x else 1, "missing")
  expect_refused(~ 1 + return(x), "statement")
  # what branch is taken by a constant is no operation
  flag <- TRUE
  expect_identical(n_ops(translate(~ if (flag) x else exp(x))), 0L)
})

test_that("vectors have constant lengths and keep their names", {
  program <- expect_translated(~ c(m0 = 1, m1 = x, m2 = x^2) * dnorm(x))
  expect_identical(program$component_names, c("m0", "m1", "m2"))
  expect_length(program$outputs, 3L)
  v <- c(0.5, 2, 3)
  expect_translated(~ prod(plogis(v * x)))
  expect_translated(~ v[2] * x + v[[3]] + sum(v[-1]) + v[c(TRUE, FALSE, TRUE)])
  expect_translated(~ sum(v * (1:3)) * mean(v) + max(v, x) + min(v) + length(v) + rev(v)[1] + x)
  expect_translated(~ drop(crossprod(v, v)) * x + drop(v %*% (v + x)))
  expect_translated(function(x) { s <- numeric(3); for (i in seq_along(v)) s[i] <- v[i]^x; s[[2]] <- 0; sum(s) })
  w <- c(a = 1, b = 2)
  expect_translated(~ w["a"] * x + w[["b"]])
  expect_translated(~ cumsum(w) * x)
  expect_identical(translate(~ w * x)$component_names, c("a", "b"))
  expect_refused(~ sum(c(1, 2) * v * x), "do not recycle")
  expect_refused(~ v[4] * x, "no such element")
  expect_refused(~ v[c(x, 1)], "constant")
  expect_refused(~ c(), "NULL")
  m <- diag(2)
  expect_refused(~ sum(matrix(0, 20, 20) * x), "matrix")
  # but one of a single column is a vector
  X <- cbind(1, c(-1, 0, 2))
  b <- c(0.2, 0.7)
  column <- X %*% b
  expect_translated(~ prod(plogis(X %*% b + x)) + sum(column) + column[2] * x)
  expect_translated(~ do.call(dgamma, list(abs(x), shape = 2)) + tryCatch({ y <- exp(x); y }, error = function(e) 0))
  expect_translated(~ suppressWarnings(sqrt(abs(x))) + do.call("dnorm", list(x, sd = 2)))
  expect_refused(~ do.call(sum, w), "do.call")
  expect_refused(~ tryCatch(x, finally = 1), "first argument")
  expect_refused(~ tryCatch(log(x), warning = function(w) 0), "handler of warnings")
  # a matrix column is a vector for each row
  params <- data.frame(id = 1)
  params$s <- matrix(c(1, -1, 0.5), 1L)
  params$eta <- matrix(c(0.2, 0.4, 0.6), 1L)
  f <- function(u, s, eta, sigma) dnorm(u) * prod(plogis(s * (eta + sigma * u)))
  program <- translate(f, params = params, sigma = 2)
  expect_identical(program$parameters, list(name = rep(c("s", "eta"), each = 3L), column = rep(1:3, 2L)))
  expect_equal(drop(reference_values(program, 0.3, list(s = params$s, eta = params$eta))),
               f(0.3, c(params$s), c(params$eta), 2), tolerance = 1e-14)
})

test_that("small whole powers are products and constants are folded as R does", {
  expect_identical(op_names(translate(~ x^2)), "mul")
  expect_identical(op_names(translate(~ x^-3)), c("mul", "mul", "div"))
  expect_identical(op_names(translate(~ x^0.5)), "pow")
  expect_identical(op_names(translate(~ x^9)), "pow")
  k <- 2
  expect_identical(op_names(translate(~ x^k)), "pow")
  for (n in -8:8) expect_translated(bquote(x^.(n)))
  expect_identical(n_ops(translate(~ x + sqrt(2) * exp(1)^3)), 1L)
  expect_identical(n_ops(translate(~ sin(x) + sin(x) + sin(x))), 3L)
  expect_identical(n_ops(translate(~ { unused <- exp(x); x })), 0L)
  expect_identical(drop(reference_values(translate(~ 1 / (x * -0)), 1)), -Inf)
  expect_identical(translate(expression(7))$constants, 7)
  expect_identical(translate(quote(x))$outputs, 0L)
})

test_that("what is not translated is an error that names it", {
  skip_if_quick()
  expect_refused(~ ptukey(x, 0), "ptukey\\(x, 0\\).*ptukey\\(\\) is not among.*\\?integrand")
  expect_refused(~ no_such_function(x), "there is no function no_such_function\\(\\)")
  expect_refused(~ { while (x > 0) x <- x - 1; x }, "while\\(\\)")
  expect_refused(~ "text", "character string")
  expect_refused(~ NULL, "NULL")
  expect_refused(y ~ x, "one side")
  expect_refused(expression(x, x), "class 'expression'")
  expect_refused(list(1), "class 'list'")
  expect_refused(1i * 2, "class 'complex'")
  expect_refused(quote(x * 2i), "complex")
  expect_refused(~ round(x, 2), "digits")
  expect_refused(~ sum(x, na.rm = TRUE), "na.rm")
  expect_refused(~ dnorm(x, log = x > 0), "flags")
  expect_refused(~ stats:::dnorm(x), ":::")
  expect_refused(~ besselKgpu(x, 1, deriv = "x"), "deriv")
  expect_refused(~ sum(seq_len(1e7)) * x, "too long")
  long <- as.call(c(quote(ptukey), rep(list(quote(a_long_name + x)), 20)))
  message <- conditionMessage(tryCatch(translate(long), error = identity))
  expect_lt(nchar(message), 250L)
})

test_that("loops without end are refused, and more operations than programs may have", {
  skip_unless_all() # 15 seconds; with smaller limits in the test below
  expect_refused(function(x) { for (i in 1:600) for (j in 1:600) for (k in 1:3) i; x }, "too many steps")
  expect_refused(function(u) { s <- u; for (i in 1:60000) s <- sin(s); s }, "more than 50000 operations")
})

test_that("what exceeds the limits of steps and operations is refused", {
  own <- statcl:::integrand_limits
  on.exit(utils::assignInNamespace("integrand_limits", own, "statcl"))
  utils::assignInNamespace("integrand_limits", replace(own, c("steps", "operations"), c(2000, 100)), "statcl")
  expect_refused(function(x) { for (i in 1:20) for (j in 1:20) for (k in 1:3) i; x }, "too many steps")
  expect_refused(function(u) { s <- u; for (i in 1:101) s <- sin(s); s }, "more than 100 operations")
  expect_length(translate(function(u) { s <- u; for (i in 1:99) s <- sin(s); s })$outputs, 1)
})

test_that("translations that are kept keep no data of the user", {
  freed <- 0
  # share of the frames that are freed after their functions were used
  frames_freed <- function(make, times = 3) {
    freed <<- 0
    for (i in seq_len(times)) local({
      data <- rnorm(100)
      reg.finalizer(environment(), function(e) freed <<- freed + 1)
      f <- eval(make, environment())
      for (again in 1:2) if (inherits(f, "covModel")) spectralDensity(f, 1, dim = 2) else translate(f)
    })
    gc()
    gc()
    freed / times
  }
  expect_identical(frames_freed(quote(function(x, a = 2) exp(-a * x))), 1)
  expect_identical(frames_freed(quote({
    h <- function(x) x^2
    function(x) h(x) + data[1]
  })), 1)
  expect_identical(frames_freed(quote({
    h <- function(x) x^2
    k <- list(h = h)
    function(x) k$h(x)
  })), 1)
  expect_identical(frames_freed(quote({
    h <- function(x) x^2
    eval(bquote(function(x) .(h)(x) + 1))
  })), 1)
  expect_identical(frames_freed(quote(~ x + mean(data))), 1)
  expect_identical(frames_freed(quote(covModel("covariance", covariance = function(h) exp(-h), dim = 2))), 1)
  # what still lives serves again
  h <- function(x) x^2
  f <- function(x) h(x) + 1
  assign("integrands", NULL, envir = statcl:::session)
  for (i in 1:2) translate(f)
  expect_length(statcl:::session$integrands, 1L)
  suppressMessages(clCacheClear())
  expect_length(statcl:::session$integrands, 0L)
})

test_that("a frame may go while a translation that is kept is compared", {
  asked <- 0
  before <- function() {
    asked <<- asked + 1
    if (asked == count) gc()
  }
  suppressMessages(trace("kept_environment", bquote(.(before)()), print = FALSE, where = asNamespace("statcl")))
  on.exit(suppressMessages(untrace("kept_environment", where = asNamespace("statcl"))))
  value <- function(k) {
    s <- splinefun(1:5, c(0, 1, 0, 2, k))
    expect_equal(drop(integrand_values(function(x) s(x), 4.5)), s(4.5), tolerance = 1e-14)
  }
  for (count in c(0:12, 0)) {
    value(1)
    asked <- 0
    value(2)
  }
  expect_gt(asked, 1)
})

test_that("integrands with much data are translated once", {
  skip_if_quick()
  y <- seq(-1, 1, length.out = 2000)
  f <- function(u) sum(dnorm(y, u, log = TRUE))
  assign("integrands", NULL, envir = statcl:::session)
  one <- translate(f)
  expect_length(statcl:::session$integrands, 1L)
  y <- rev(y^2)
  two <- translate(f)
  expect_identical(one$code, two$code)
  expect_equal(drop(integrand_values(f, 0.3)), f(0.3), tolerance = 1e-13)
  # vectors of which some elements are constants, and some the same
  v <- rep(c(0.5, -1, 2), 10)
  expect_translated(~ sum(ifelse(v > x & x < 2 | v == 1, v * x - (v + 1) * (0:29), x^2 / (1:30))))
  expect_translated(~ sum(c(0, 1, x, -x, v) * c(x, x, 1, 0, v)) + sum(-(-(v * x))) + sum(v * x + x * v))
  # what is kept has a bound, and deep code is not compared
  for (k in 1:20) translate(f, y = seq_len(3000 + k))
  expect_lt(sum(vapply(statcl:::session$integrands, `[[`, 0, "size")), 2e7)
  big <- numeric(4e6)
  fixed <- function(u) u + big[1]
  translate(fixed)
  expect_false(any(vapply(statcl:::session$integrands, function(kept) identical(kept$code[[2]], body(fixed)), NA)))
  assign("integrands", NULL, envir = statcl:::session)
  try(translate(Reduce(function(l, r) call("sin", l), 1:5000, quote(x))), silent = TRUE)
  expect_length(statcl:::session$integrands, 0L)
})

test_that("densities keep their digits where one parameter is large", {
  at <- function(f, x) drop(integrand_values(f, x))
  x <- c(0.5, 1, 2, 5)
  # limits for large degrees of freedom, of which 1e15 are as good as infinitely many
  expect_equal(at(~ df(x, 1e15, 2), x), exp(-1 / x) / x^2, tolerance = 1e-14)
  expect_equal(at(~ df(x, 3, 1e15), x), 3 * dchisq(3 * x, 3), tolerance = 1e-14)
  expect_equal(at(~ df(x, 1e15, 3, log = TRUE), x), dgamma(1 / x, 1.5, 1.5, log = TRUE) - 2 * log(x),
               tolerance = 1e-14)
  # of the distance from 1 in units of 1/shape1
  x <- 1 - 2^-50 * c(4, 8, 12)
  truth <- exp(2 * log1p(-x) + 3 * log(1e15) - log(2) + 1e15 * log1p(x - 1))
  expect_equal(at(~ dbeta(x, 1e15, 3), x), truth, tolerance = 1e-13)
})

test_that("missing values that are captured are named", {
  y0 <- NA
  v <- c(1, NaN, 2)
  expect_refused(~ x * y0, "y0 is NA")
  expect_refused(~ x * y0, "y0 is NaN", y0 = NaN)
  expect_refused(~ x * sum(v), "v\\[2\\] is NaN")
  expect_translated(~ x * v[3] + if (is.na(y0)) 1 else 2)
  expect_translated(~ x * sum(ifelse(is.na(v), 0, v)))
  expect_refused(~ x * p$a, "p[$]a is NA", p = list(a = NA))
  a <- 2
  f <- ~ a * x
  translate(f)
  a <- NA
  expect_refused(f, "a is NA")
  # NaN that is written is meant
  expect_translated(~ if (x > 0) x else NaN)
  # rows of params
  expect_identical(translate(~ a * x, params = list(a = c(1, NA)))$n_param, 1L)
})

test_that("functions of vectors are those of single numbers", {
  g <- function(t, a = 2) t^a
  vg <- Vectorize(function(t, b) if (t > 0) t + b else b, "t")
  expect_identical(translate(Vectorize(g))$code, translate(g)$code)
  expect_translated(~ vg(x, 1.5))
  expect_identical(translate(Vectorize(g), a = 3)$constants, 3)
  expect_translated(~ sapply(x, g) + vapply(x, g, 0, a = 3) + sapply(X = x, FUN = "g", a = 1))
  expect_translated(~ sum(sapply(c(1, 2, 5), function(k) sin(x * k))))
  expect_translated(function(x) sapply(x, exp))
  apply_it <- function(x, f) sapply(x, f)
  expect_translated(~ apply_it(x, g))
  expect_translated(~ if (any(x > 1, x < 0)) x else 0)
  expect_translated(~ if (all(c(x, 1) > 0.5)) x else 0)
  expect_translated(function(x) { stopifnot(is.numeric(x), 1 < 2); x })
  k <- -1
  expect_refused(function(x) { stopifnot(k > 0); x }, "does not hold")
  expect_true(translate(function(x) { stopifnot(x > 0); x })$stops)
  expect_true(translate(~ if (x < 0) stop("negative") else x)$stops)
  expect_translated(function(x) { y <- x; y[x > 0] <- 0; y })
  expect_translated(function(x) { y <- c(x, 1, -x); y[y > 0.5] <- x^2; sum(y) })
  expect_refused(function(x) { y <- x; y[x > 0] <- x[x > 0]^2; y }, "constant")
  expect_refused(~ lapply(x, g), "lapply\\(\\) is not among")
})

test_that("what depends on nothing is computed by R", {
  k <- 2
  y <- c(3, 1, 7)
  m <- matrix(c(2, 1, 0, 3), 2L)
  d <- data.frame(u = y, v = 1:3, row.names = c("a", "b", "c"))
  p <- list(a = 2, b = list(c = 5), f = function(t) t^2)
  e <- new.env()
  e$z <- 3
  fit <- lm(mpg ~ wt, mtcars)
  for (f in list(~ x / besselI(1, 0), ~ x * pgamma(k, 2), ~ x * coef(fit)[2], ~ x * coef(fit)[["wt"]],
                 ~ x * var(y) * nrow(d), ~ x * d[["u"]][2] + d$v[3] + d["b", "u"], ~ x * p$a * p[["b"]]$c, ~ p$f(x),
                 ~ x * m[1, 2] + sum(m[1, ]) + drop(m %*% c(1, 1))[2], ~ x * solve(m)[2, 1],
                 ~ x * sum(seq(0, 1, by = 0.25)), ~ x * quantile(y, 0.4, names = FALSE), ~ e$z * x,
                 ~ length(p) * x, ~ sum(dnorm(x, range(y))), ~ x * dim(m)[2]))
    expect_translated(f)
  e$z <- 4
  expect_identical(translate(~ e$z * x)$constants, 4)
  g <- function(x, p, q) x * p$a + p[["b"]]$c + q[["a"]]
  expect_translated(g, p = p, q = list(a = 1))
  expect_translated(g, p = p, q = list(a = 9))
  h <- function(q) { r <- q; r$a }
  expect_translated(~ x * h(p))
  # another value does not make another program
  expect_identical(translate(~ x * besselI(k, 0))$code, translate(~ x * besselI(k, 0), k = 7)$code)
  long <- seq_len(2e5)
  expect_translated(~ x * mean(long) + long[3])
  expect_refused(~ sum(rev(x * long)), "not for a vector of data")
  expect_refused(~ quantile(x, k), "does not depend on the variable")
  expect_refused(~ x * var(a, 2), "does not depend on the variable", params = list(a = 1:2))
  expect_refused(~ p[[x]], "constant")
  expect_refused(~ x * p$none, "no such element")
  expect_refused(~ x * p, "class 'list'")
  expect_refused(~ x * pgamma("a", 2), "character string")
  expect_refused(~ x[], "missing")
  ran <- 0
  touch <- function(v) { ran <<- ran + 1; v }
  expect_refused(~ x * var(touch(k), 2), "<<-")
  expect_identical(ran, 0)
})

test_that("nothing of the user's is evaluated", {
  marker <- tempfile()
  danger <- substitute(file.create(marker), list(marker = marker))
  attempts <- list(
    danger, bquote(system(.(paste("touch", marker)))), bquote(eval(parse(text = .(deparse(danger))))),
    bquote(do.call("file.create", list(.(marker)))), bquote((.(danger)) + x), bquote(base::file.create(.(marker))),
    bquote(get("file.create")(.(marker))), bquote(match.fun("file.create")(.(marker))), bquote(local(.(danger))),
    bquote({ assign("y", 1); x }), bquote(x[.(danger)]), bquote(if (.(danger)) x else 1), bquote(.Call("C_fft", x)),
    bquote(base:::file.create(.(marker))), bquote(Recall(x)), bquote(sapply(x, function(t) .(danger))),
    bquote(`file.create`(.(marker))), bquote(x$a), bquote(x@a), bquote(environment()), bquote(sys.function()),
    bquote((function(u = .(danger)) u)()), bquote(options(x = 1)), bquote(quit("no")), bquote(source(.(marker))),
    bquote(substitute(x)), bquote(quote(x)), bquote(`1; system("ls")`(x)), bquote(`x); exit(0); (` * x),
    bquote(~x), bquote(x := 1), bquote(?x), "x; system(\"ls\")", bquote("x" * 2), bquote(op_exp(x)),
    bquote(op_refuse("x")), bquote(delayedAssign("x", .(danger))), bquote(invisible(.(danger))),
    bquote(switch(.(danger), 1)), bquote(dnorm(x, log = .(danger))), bquote(on.exit(.(danger))), bquote(x <<- 1),
    bquote(coef(.(danger))), bquote(pgamma(.(danger), 2)), bquote(hidden$a), bquote(head(hidden)),
    bquote(x * hidden[[1]]))
  hidden <- danger
  for (e in attempts) expect_error(translate(e), class = "statcl_error_input", info = deparse(e)[1L])
  expect_false(file.exists(marker))
  # odd names are names
  assign("double x; exit(0)", 3)
  program <- translate(quote(`double x; exit(0)` * x))
  expect_identical(program$constants, 3)
  expect_identical(op_names(program), "mul")
  program <- translate(quote(`a; b` * x), params = data.frame(`a; b` = 1, check.names = FALSE))
  expect_identical(program$parameters$name, "a; b")
})

test_that("expressions of ten thousand nodes are translated unless they are nested deeply", {
  skip_if_quick()
  a <- 1.5
  leaves <- rep(list(quote(x), 0.5, quote(a), quote(sin(x))), length.out = 5000L)
  shapes <- list(
    wide = as.call(c(quote(sum), leaves)),
    statements = as.call(c(quote(`{`), rep(list(quote(a <- a * x)), 3000L), quote(a))),
    left = Reduce(function(l, r) call("+", l, r), leaves),
    right = Reduce(function(l, r) call("+", l, r), leaves, right = TRUE),
    nested = Reduce(function(l, r) call("sin", l), leaves, quote(x)),
    parentheses = Reduce(function(l, r) call("(", l), leaves, quote(x)),
    conditions = Reduce(function(l, r) call("ifelse", quote(x > 0.5), r, l), leaves[1:2500], quote(x)),
    branches = Reduce(function(l, r) call("if", quote(x > 0.5), r, l), leaves[1:800], quote(x)),
    calls = Reduce(function(l, r) call("pnorm", l), leaves[1:2000], quote(x)))
  for (shape in names(shapes)) {
    program <- tryCatch(translate(shapes[[shape]]), error = identity)
    if (shape %in% c("wide", "statements")) expect_gt(length(program$outputs), 0L)
    else expect_s3_class(program, "statcl_error_translation")
  }
  expect_equal(drop(reference_values(translate(shapes$wide), 0.3)), 1250 * (0.3 + 0.5 + 1.5 + sin(0.3)))
  some <- Reduce(function(l, r) call("+", l, r), leaves[1:100])
  expect_equal(drop(reference_values(translate(some), 0.3)), 25 * (0.3 + 0.5 + 1.5 + sin(0.3)))
})

test_that("primitives without arguments, factors and limits that stop are refused in the package's own words", {
  refused <- function(call, text) {
    expect_silent(said <- tryCatch(call, error = identity))
    expect_s3_class(said, "statcl_error_input")
    expect_match(conditionMessage(said), text, fixed = TRUE)
  }
  for (f in list(`if`, `for`, `[`, `&&`)) refused(integrategpu(f, 0, 1), "has no arguments that R tells")
  g <- factor(c("3", "7"))
  quiet <- function(...) suppressMessages(integrategpu(...))
  refused(quiet(~ x * g, 0, 1, params = data.frame(g)), "g is a factor")
  refused(quiet(~ x * g, 0, 1, g = g[1]), "g is a factor")
  f <- function(x, g) if (g == "3") x else 2 * x
  expect_equal(quiet(f, 0, 1, params = data.frame(g))$value, c(0.5, 1), tolerance = 1e-12)
  limit <- function(x) {
    names(x) <- letters[1:21]
    x
  }
  refused(quiet(function(x, y) x * y, list(0, limit), list(1, 3)), "lower[[2]] must give one number at x = ")
})

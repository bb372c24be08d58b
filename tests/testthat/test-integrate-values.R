# Values of translated integrands by the engine: the interpreter on the CPU and compiled text on OpenCL devices,
# against R itself. Expressions go in dozens, as components of one integrand: compilers take their time for each.
fast_builds_in_file()
few_on_devices(2)

engine_values <- function(...) integrand_values(...)

dozens <- function(texts) split(texts, (seq_along(texts) - 1L) %/% 12L)

test_backends("integrands of the table have R's values", {
  table <- read_ref("quadrature")
  for (k in dozens(seq_len(nrow(table)))) {
    # fractions of the range, or of (-3, 3): each expression at its own points
    for (share in c(0.013, 0.21, 0.377, 0.5, 0.683, 0.9, 0.9921)) {
      low <- ifelse(is.finite(table$lower[k]), table$lower[k], -3)
      high <- ifelse(is.finite(table$upper[k]), table$upper[k], pmax(low, 0) + 3)
      at <- low + share * (high - low)
      calls <- lapply(seq_along(k), function(i)
        bquote((function(x) .(parse(text = table$expression[k[i]])[[1L]]))(p[.(i)] + 0 * x)))
      value <- engine_values(as.call(c(quote(c), calls)), 0, params = list(p = matrix(at, 1L)))
      truth <- vapply(seq_along(k), function(i)
        eval(parse(text = table$expression[k[i]])[[1L]], list(x = at[i])), 0)
      # cos(2^8 sin x) turns the rounding of a sine into 2^8 times as much
      least <- ifelse(table$id[k] == "qp05", 1, 0)
      expect_true(all(abs(value - truth) <= 1e-13 * pmax(abs(truth), least)),
                  label = paste("values of", paste(table$id[k], collapse = ", ")))
    }
  }
})

test_backends("random expressions have R's values", {
  skip_if_quick()
  world <- integrand_world()
  at <- c(0.37, 0.92, 1.71, 2.6)
  expressions <- random_integrands(200)
  expect_length(expressions, 200L)
  # compilers take seconds for a dozen: short ones that together have all operations of the 200
  if (useDevice()[1] != "cpu" && !every_test()) {
    operations <- lapply(expressions, function(text)
      unique(translate(parse(text = text)[[1L]], params = list(z = 0.8), env = world)$code[1L, ]))
    size <- lengths(operations)
    kept <- integer()
    for (i in order(size)) if (!all(operations[[i]] %in% unlist(operations[kept]))) kept <- c(kept, i)
    for (i in kept[order(size[kept], decreasing = TRUE)])
      if (all(operations[[i]] %in% unlist(operations[setdiff(kept, i)]))) kept <- setdiff(kept, i)
    expect_setequal(unlist(operations[kept]), unlist(operations))
    expressions <- expressions[kept]
  }
  for (texts in dozens(expressions)) {
    calls <- lapply(texts, function(text) parse(text = text)[[1L]])
    e <- as.call(c(quote(c), calls))
    program <- integrand_translate(e, list(z = 0.8), list(), world)
    value <- t(.Call(statcl:::C_integrandValues, program, matrix(0.8), at))
    for (i in seq_along(texts)) {
      truth <- r_values(function(x) eval(calls[[i]], list(x = x, z = 0.8), world), at)
      expect_lte(max(abs(value[i, ] / truth - 1)), 1e-13, label = texts[i])
    }
  }
})

test_backends("what does not depend on x is computed by row", {
  set.seed(2)
  p <- data.frame(a = runif(40, 0.5, 3), nu = runif(40, 0, 4))
  f <- function(x, a, nu)
    besselK(a, nu) * x + log(a) * dstable(nu, 1.5, 0.3) + dpois(2, a)^x + exp(a) / besselK(nu + 1, x)
  value <- integrategpu(f, 0.2, 1.2, params = p)$value
  one <- vapply(seq_len(40), function(i)
    integrate(function(x) f(x, p$a[i], p$nu[i]), 0.2, 1.2, rel.tol = 1e-11)$value, 0)
  expect_equal(value, one, tolerance = 1e-11)
})

test_backends("long programs and many values are computed", {
  x <- c(0.3, 1.7)
  # compilers take most of a minute for these sizes
  some <- useDevice()[1] != "cpu" && !every_test()
  n <- if (some) 800 else 2500
  deep <- as.call(c(quote(sum), quote(x), rep(list(quote(x), 0.25), n)))
  expect_equal(drop(engine_values(deep, x)), x * (n + 1) + 0.25 * n, tolerance = 1e-13)
  # a value is kept until its last use, all of them at once
  k <- seq_len(if (some) 60 else 300)
  kept <- call("sum", as.call(c(quote(c), lapply(k, function(k) bquote(sin(x * .(k)))))),
               as.call(c(quote(c), lapply(k, function(k) bquote(sin(x * .(k))^2)))))
  truth <- vapply(x, function(x) sum(sin(x * k)) + sum(sin(x * k)^2), 0)
  expect_equal(drop(engine_values(kept, x)), truth, tolerance = 1e-13)
  # outputs that are no operations
  expect_equal(engine_values(quote(c(x, 2, x, z)), x, params = list(z = 5)), rbind(x, 2, x, 5), ignore_attr = TRUE)
})

test_that("an expression of 10,000 nodes is integrated, by R where it is nested", {
  for (e in list(Reduce(function(a, b) call("+", a, b), rep(list(quote(x)), 1000)),
                 as.call(c(quote(sum), rep(list(quote(2 * x)), 499), quote(x), quote(x)))))
    expect_equal(suppressMessages(integrategpu(e, 0, 1))$value, 500)
})

test_that("nothing but numbers, structure and operations reaches a compiler", {
  skip_if(!length(opencl_devices()), "no OpenCL device")
  withDevice(opencl_devices()[1L], {
    names <- c("v1); }", "__kernel", "x\n#include", "0; while(1)", "double")
    for (name in names) {
      p <- structure(list(c(0.5, 2)), names = name)
      e <- as.call(list(as.name("*"), as.name(name), quote(x)))
      expect_equal(integrategpu(e, 0, 1, params = p)$value, c(0.25, 1), info = name)
    }
    for (e in list(~ "1; }", quote(get_global_id(0)), ~ `x; barrier(0)`))
      expect_error(translate(e), class = "statcl_error_translation")
  })
})

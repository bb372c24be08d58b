# Complex numbers in integrands, against R on both backends: operations with their branch cuts, and integrals of
# characteristic functions.
fast_builds_in_file()
few_on_devices(3)

must <- function(...) {
  old <- options(statcl.translate = "must")
  on.exit(options(old))
  integrategpu(...)
}
complex_of <- function(re, im) complex(real = re, imaginary = im)
# f of the numbers a and b of each pair, which the variable chooses; errors are relative to the modulus.
expect_complex <- function(f, pairs, tolerance = 1e-15) {
  old <- options(statcl.translate = "must")
  on.exit(options(old))
  parts <- lapply(pairs, function(z) list(re = Re(z), im = Im(z)))
  a <- parts[[1L]]
  b <- parts[[2L]]
  g <- function(k) {
    z <- f(complex(real = a$re[k], imaginary = a$im[k]), complex(real = b$re[k], imaginary = b$im[k]))
    c(Re(z), Im(z))
  }
  value <- integrand_values(g, seq_along(pairs[[1L]]))
  truth <- mapply(f, pairs[[1L]], pairs[[2L]])
  parts <- rbind(Re(truth), Im(truth))
  expect_identical(is.nan(value), is.nan(parts), info = deparse(body(f)))
  expect_lte(max(abs(value - parts) / rep(pmax(Mod(truth), .Machine$double.xmin), each = 2L), 0, na.rm = TRUE),
             tolerance, label = paste(deparse(body(f)), collapse = " "))
}
z <- complex_of(c(1, -1, 0.3, -2, 0, 1e-9, 3e200, 0.6, 0), c(2, -0.5, -1, 0, -3, 1, -2e200, 0.8, 0))
pairs <- list(rep(z[1:6], 6), rep(z[1:6], each = 6))

test_backends("operations are R's", {
  for (f in list(function(a, b) a * b, function(a, b) a / b, function(a, b) a + 2 * b - 1i, function(a, b) -a,
                 function(a, b) 2 / a, function(a, b) a / 3, function(a, b) Conj(a) - b, function(a, b) a^-3,
                 function(a, b) a^17, function(a, b) Mod(a) + Arg(b) + abs(b), function(a, b) exp(a),
                 function(a, b) sin(a) + cos(b), function(a, b) cosh(a) - sinh(b), function(a, b) log(a, 2),
                 function(a, b) sum(c(a, b, 1)) + mean(c(a, b)), function(a, b) if (Mod(a) > 1) a else Re(b),
                 function(a, b) ifelse(Re(a) > 0, a, 1), function(a, b) (a == b) + 1i * (a != b),
                 function(a, b) c(a, b)[2],
                 function(a, b) as.complex(2) * rev(c(a, b))[1], function(a, b) is.complex(a) - is.numeric(b) + 0i,
                 function(a, b) sum(sapply(c(1, 2), function(k) a^k * b)),
                 function(a, b) Re(2) + Im(3) + Arg(-2) + Conj(a),
                 function(a, b) complex(modulus = Mod(a), argument = Arg(a)),
                 function(a, b) Mod(-3) + is.finite(a) + a))
    expect_complex(f, pairs)
  expect_complex(function(a, b) a^b, pairs, 2e-15)
  expect_complex(function(a, b) a^2.5, pairs)
  for (f in list(function(a, b) a / b, function(a, b) sqrt(a), function(a, b) Mod(a) + 0i, function(a, b) log(a)))
    expect_complex(f, list(z[7:8], z[8:7]))
  expect_complex(function(a, b) sqrt(a), list(z[9], z[9]))
})

test_backends("branch cuts are on the negative real axis, by the sign of zero", {
  cut <- complex_of(c(-4, -4, 4, 4), c(0, -0, 0, -0))
  expect_identical(1 / Im(cut), c(Inf, -Inf, Inf, -Inf))
  for (f in list(function(a, b) sqrt(a), function(a, b) log(a), function(a, b) Arg(a) + 0i, function(a, b) a^0.3,
                 function(a, b) a^(0.2 + 0.1i)))
    expect_complex(f, list(cut, cut), 2e-15)
  # log|x| next to 1 keeps its digits
  near <- complex_of(1 + c(1e-9, -1e-12), c(1e-8, 3e-13))
  expect_complex(function(a, b) Re(log(a)) + 0i, list(near, near), 1e-15)
})

test_backends("prices and distribution functions by characteristic functions are those of integrate()", {
  heston <- function(u, kappa, theta, sigma = 0.3, rho = -0.7, v = 0.04, t = 1) {
    i <- complex(real = 0, imaginary = 1)
    d <- sqrt((rho * sigma * u * i - kappa)^2 + sigma^2 * (i * u + u^2))
    g <- (kappa - rho * sigma * u * i - d) / (kappa - rho * sigma * u * i + d)
    exp(kappa * theta / sigma^2 * ((kappa - rho * sigma * u * i - d) * t - 2 * log((1 - g * exp(-d * t)) / (1 - g))) +
          v / sigma^2 * (kappa - rho * sigma * u * i - d) * (1 - exp(-d * t)) / (1 - g * exp(-d * t)))
  }
  p1 <- function(u, kappa, theta, k) Re(exp(-1i * u * log(k)) * heston(u - 1i, kappa, theta) /
                                          (1i * u * heston(-1i, kappa, theta)))
  p2 <- function(u, kappa, theta, k) Re(exp(-1i * u * log(k)) * heston(u, kappa, theta) / (1i * u))
  params <- data.frame(kappa = c(1, 2, 3), theta = c(0.02, 0.04, 0.1), k = c(0.9, 1, 1.2))
  call_price <- function(integral) with(params, (1 + integral(p1) * 2 / pi) / 2 - k * (1 + integral(p2) * 2 / pi) / 2)
  truth <- call_price(function(f) mapply(function(...) integrate(f, 1e-8, 200, ..., rel.tol = 1e-11)$value,
                                         params$kappa, params$theta, params$k))
  expect_lte(max(abs(call_price(function(f) must(f, 1e-8, 200, params = params)$value) / truth - 1)), 1e-10)
  # Gil-Pelaez of gamma distributions
  f <- function(t, q, a) Im(exp(-1i * t * q) * (1 - 1i * t)^-a) / t
  params <- data.frame(q = c(0.5, 2, 6), a = c(3, 2.5, 4))
  expect_equal(0.5 - must(f, 0, Inf, params = params, abs.tol = 1e-11)$value / pi, pgamma(params$q, params$a),
               tolerance = 1e-9)
  # the mean over data is a loop
  y <- sin(1:200)
  g <- function(t) Mod(mean(exp(1i * t * y)))^2
  expect_equal(must(g, 0, 3)$value, integrate(Vectorize(g), 0, 3, rel.tol = 1e-11)$value, tolerance = 1e-10)
  # captured numbers, and rows of parameters in branches
  s <- c(1 + 2i, 3i)
  h <- function(x, a) { w <- if (a > x) s[1] * x else s[2]; Re(w * Conj(w)) }
  expect_equal(must(h, 0, 1, params = list(a = c(2, -1)))$value, c(5 / 3, 9), tolerance = 1e-12)
})

test_that("the value itself must be real", {
  refused <- function(f, why) expect_error(must(f, 0, 1), why, class = "statcl_error_translation")
  refused(function(x) exp(1i * x), "take Re\\(\\), Im\\(\\), Mod\\(\\) or Arg\\(\\)")
  refused(function(x) Re(gamma(x + 1i)), "of complex numbers it is not translated")
  expect_error(suppressMessages(integrategpu(function(x) exp(1i * x), 0, 1)), "complex", class = "statcl_error_input")
})

test_that("a negative number has complex powers", {
  expect_complex(function(a, b) (-Re(a) - 5)^(b + 0.5i), list(c(1, 2 + 1i, 0.5), c(1 + 1i, -0.3i, 2)), 1e-14)
})

# Integrals over up to thirty variables by lattices with random shifts.
skip_if_quick()
fast_builds_in_file()

zeros <- function(d) as.list(rep(0, d))
ones <- function(d) as.list(rep(1, d))
# a function of d variables, x1 to xd, with this value
of_variables <- function(d, code, further = character()) {
  f <- function() NULL
  names <- c(paste0("x", seq_len(d)), further)
  formals(f) <- setNames(rep(list(quote(expr = )), length(names)), names)
  body(f) <- str2lang(gsub("SUM", paste0("(", paste0("x", seq_len(d), collapse = " + "), ")"), code))
  f
}

test_that("lattices have their points, and generators that are good in the worst case", {
  z <- statcl:::lattice_vector
  expect_identical(z[1], 1L)
  expect_true(all(z %% 2L == 1L) && length(z) == 30L && !anyDuplicated(z))
  points <- function(m, step, first, n, shift)
    .Call(statcl:::C_latticePoints, z[1:3], c(m, step, first, n), shift, 1L)
  tent <- function(k, m, shift) 1 - abs(2 * ((outer(k, z[1:3]) / 2^m + rep(shift, each = length(k))) %% 1) - 1)
  shift <- c(0.1, 0.7, 0.34)
  expect_equal(points(10, 1, 5, 20, t(shift)), tent(5:24, 10, shift), tolerance = 1e-9)
  expect_equal(points(15, 2, 100, 9, t(shift)), tent(2 * (100:108) + 1, 15, shift), tolerance = 1e-9)
  # squared errors in the worst case (tools/lattice-vector.R) against those of vectors at random
  worst <- function(z, m) {
    omega <- function(x) 2 * pi^2 * (x^2 - x + 1 / 6)
    k <- seq_len(2^m) - 1
    p <- 1
    for (j in seq_along(z)) p <- p * (1 + omega((k * (z[j] %% 2^m) / 2^m) %% 1) / j^2)
    mean(p) - 1
  }
  set.seed(3)
  for (m in c(10, 13)) {
    others <- replicate(30, worst(2 * sample(2^(m - 1), 6) - 1, m))
    expect_lt(worst(z[1:6], m), quantile(others, 0.1))
  }
})

test_backends("ten, twenty and thirty variables, and standard errors that are honest", {
  for (d in c(10, 20, 30)) {
    f <- of_variables(d, "a * exp(-SUM / 5)", "a")
    set.seed(1)
    r <- integrategpu(f, zeros(d), ones(d), params = data.frame(a = c(1, -2)), rel.tol = 1e-4)
    truth <- c(1, -2) * (-5 * expm1(-0.2))^d
    expect_true(all(r$code == 0L))
    expect_lt(max(abs(r$value / truth - 1)), 1e-4)
    expect_true(all(abs(r$value - truth) <= r$abs.error))
    expect_equal(r$value[2], -2 * r$value[1], tolerance = 1e-13) # the same points
    expect_equal(r$abs.error / r$std.error, rep(qt(0.9995, 15), 2), tolerance = 1e-12)
  }
})

test_that("an orthant of five normal variables to 1e-5, infinite boxes, components, seeds and codes", {
  L <- t(chol(matrix(0.5, 5, 5) + diag(0.5, 5)))
  # each variable given those before it is above 0 (Genz 1992)
  f <- function(a, b, c, d, L) {
    up <- function(z) pnorm(z, lower.tail = FALSE)
    q <- function(p) qnorm(p, lower.tail = FALSE)
    z1 <- q(a / 2)
    e2 <- up(-L[2, 1] * z1 / L[2, 2])
    z2 <- q(b * e2)
    e3 <- up(-(L[3, 1] * z1 + L[3, 2] * z2) / L[3, 3])
    z3 <- q(c * e3)
    e4 <- up(-(L[4, 1] * z1 + L[4, 2] * z2 + L[4, 3] * z3) / L[4, 4])
    z4 <- q(d * e4)
    e2 * e3 * e4 * up(-(L[5, 1] * z1 + L[5, 2] * z2 + L[5, 3] * z3 + L[5, 4] * z4) / L[5, 5]) / 2
  }
  set.seed(1)
  r <- integrategpu(f, zeros(4), ones(4), method = "lattice", rel.tol = 1e-5, L = L)
  expect_lt(abs(r$value - 1 / 6), 1e-5 / 6)
  set.seed(1)
  expect_identical(integrategpu(f, zeros(4), ones(4), method = "lattice", rel.tol = 1e-5, L = L)$value, r$value)
  g <- function(a, b, c) c(mass = 1, square = a^2) * dnorm(a) * dexp(b) * dexp(c)
  r <- integrategpu(g, list(-Inf, 0, 0), list(Inf, Inf, Inf), method = "lattice", rel.tol = 1e-3)
  expect_lt(max(abs(r$value - 1)), 1e-3)
  expect_identical(colnames(r$std.error), c("mass", "square"))
  code <- function(...) suppressWarnings(integrategpu(..., method = "lattice", stop.on.error = FALSE))$code
  expect_identical(code(function(x, y) sin(300 * x * y), zeros(2), ones(2), rel.tol = 1e-9, subdivisions = 500), 1L)
  expect_identical(code(function(x, y) x * 0 / y * 0, zeros(2), ones(2), subdivisions = 256), 8L)
  expect_identical(code(function(x, y) log(x - 0.5), zeros(2), ones(2)), 7L)
  expect_identical(code(function(x, y) x * y, list(c(0, NA), 0), ones(2)), c(0L, 6L))
  expect_error(integrategpu(dnorm, 0, 1, method = "lattice"), "several variables", class = "statcl_error_input")
  expect_error(integrategpu(of_variables(31, "SUM"), zeros(31), ones(31)), "two to thirty",
               class = "statcl_error_input")
})

test_that("of many integrals by few points hardly any is wrong by more than its error", {
  skip_unless_all()
  f <- of_variables(6, "cos(k + SUM)", "k")
  k <- runif(300, 0, 6)
  truth <- Re(exp(1i * k) * ((exp(1i) - 1) / 1i)^6)
  r <- do.call(rbind, lapply(1:20, function(s) {
    set.seed(s)
    suppressWarnings(integrategpu(f, zeros(6), ones(6), params = data.frame(k = k), method = "lattice",
                                  rel.tol = 1e-9, subdivisions = 256))
  }))
  expect_lt(mean(abs(r$value - truth) > r$abs.error), 0.01)
})

# Families of integrands with known integrals, over their parameters: those of QUADPACK's numerical tests (Piessens
# et al. 1983, numbers as there but for the principal value), Genz's in one dimension, Kahaner's 21, densities of 28
# families at random, and tails of one and of several frequencies, at random. What is silent: code 0 and an error
# above 100 times both the estimate and the tolerance.
#   Rscript bench/quadrature-families.R [rows [peers]]     rows: of the densities; peers: base R, cubature, pracma too
argument <- commandArgs(trailingOnly = TRUE)
library(statcl)
source("bench/peers.R")
rows <- if (length(argument)) as.numeric(argument[1]) else 1e5
peers <- "peers" %in% argument
tolerance <- 1e-10
case <- function(set, f, lower, upper, params, truth)
  list(set = set, f = f, lower = lower, upper = upper, params = params, truth = truth)

alpha <- function(...) data.frame(a = c(...))
J0 <- function(x) besselJ(x, 0)
quadpack <- local({
  q <- function(f, lower, upper, a, truth) case("QUADPACK", f, lower, upper, alpha(a), truth(a))
  list(
    q(~ x^a * log(1 / x), 0, 1, seq(-0.9, 2.6, 0.1), function(a) (1 + a)^-2),
    q(~ 4^-a / ((x - pi / 4)^2 + 16^-a), 0, 1, 0:20,
      function(a) atan((4 - pi) * 4^(a - 1)) + atan(pi * 4^(a - 1))),
    q(~ cos(2^a * sin(x)), 0, pi, 0:10, function(a) pi * J0(2^a)),
    q(~ abs(x - 1 / 3)^a, 0, 1, seq(-0.8, 2.1, 0.1), function(a) ((2 / 3)^(a + 1) + (1 / 3)^(a + 1)) / (a + 1)),
    q(~ abs(x - pi / 4)^a, 0, 1, seq(-0.8, 2.1, 0.1),
      function(a) ((1 - pi / 4)^(a + 1) + (pi / 4)^(a + 1)) / (a + 1)),
    q(~ 1 / sqrt(1 - x^2) / (1 + x + 2^-a), -1, 1, 1:20, function(a) pi / sqrt(2^-a * (2 + 2^-a))),
    q(~ sin(x)^(a - 1), 0, pi / 2, seq(0.1, 2, 0.1), function(a) 2^(a - 2) * gamma(a / 2)^2 / gamma(a)),
    q(~ log(1 / x)^(a - 1), 0, 1, seq(0.1, 2, 0.1), gamma),
    q(~ exp(20 * (x - 1)) * sin(2^a * x), 0, 1, 0:9,
      function(a) (20 * sin(2^a) - 2^a * cos(2^a) + 2^a * exp(-20)) / (400 + 4^a)),
    q(~ cos(2^a * x) / sqrt(x * (1 - x)), 0, 1, 0:8, function(a) pi * cos(2^(a - 1)) * J0(2^(a - 1))),
    q(~ exp(-2^-a * x) * cos(x) / sqrt(x), 0, Inf, 0:6,
      function(a) sqrt(pi) * (1 + 4^-a)^-0.25 * cos(atan(2^a) / 2)),
    q(~ x^2 * exp(-2^-a * x), 0, Inf, 0:5, function(a) 2^(3 * a + 1)),
    q(~ x^(a - 1) / (1 + 10 * x)^2, 0, Inf, c(seq(0.1, 0.9, 0.1), seq(1.1, 1.9, 0.1)),
      function(a) 10^-a * (1 - a) * pi / sin(pi * a)),
    q(~ sin(2^a * x) / x, 0, Inf, -6:12, function(a) rep(pi / 2, length(a))))
})

genz <- local({
  set.seed(1)
  p <- expand.grid(a = c(0.5, 2, 10, 50, 200), u = c(0, 0.1, 0.37, 1 / 3, 0.5, 0.77, 0.999))
  g <- function(f, truth) case("Genz", f, 0, 1, p, truth(p$a, p$u))
  list(
    g(~ cos(2 * pi * u + a * x), function(a, u) (sin(2 * pi * u + a) - sin(2 * pi * u)) / a),
    g(~ 1 / (a^-2 + (x - u)^2), function(a, u) a * (atan(a * (1 - u)) + atan(a * u))),
    g(~ (1 + a * x)^-2, function(a, u) 1 / (1 + a)),
    g(~ exp(-a^2 * (x - u)^2),
      function(a, u) sqrt(pi) / a * (pnorm(sqrt(2) * a * (1 - u)) - pnorm(-sqrt(2) * a * u))),
    g(~ exp(-a * abs(x - u)), function(a, u) (2 - exp(-a * u) - exp(-a * (1 - u))) / a),
    g(~ ifelse(x > u, 0, exp(a * x)), function(a, u) expm1(a * u) / a))
})

kahaner <- local({
  k <- function(f, lower, upper, truth) case("Kahaner", f, lower, upper, data.frame(row.names = 1), truth)
  sech <- function(x) 1 / cosh(x)
  list(
    k(~ exp(x), 0, 1, expm1(1)), k(~ ifelse(x < 0.3, 0, 1), 0, 1, 0.7), k(~ sqrt(x), 0, 1, 2 / 3),
    k(~ 23 / 25 * cosh(x) - cos(x), -1, 1, 46 / 25 * sinh(1) - 2 * sin(1)),
    k(~ 1 / (x^4 + x^2 + 0.9), -1, 1, 1.58223296372967293), k(~ sqrt(x^3), 0, 1, 0.4), k(~ 1 / sqrt(x), 0, 1, 2),
    k(~ 1 / (1 + x^4), 0, 1, 0.866972987339911038), k(~ 2 / (2 + sin(10 * pi * x)), 0, 1, 2 / sqrt(3)),
    k(~ 1 / (1 + x), 0, 1, log(2)), k(~ 1 / (1 + exp(x)), 0, 1, 0.379885493041722475),
    k(~ x / expm1(x), 0, 1, 0.777504634112248276), k(~ sin(100 * pi * x) / (pi * x), 0.1, 1, 0.00909863753916684292),
    k(~ sqrt(50) * exp(-50 * pi * x^2), 0, 10, 0.5), k(~ 25 * exp(-25 * x), 0, 10, 1),
    k(~ 50 / (pi * (2500 * x^2 + 1)), 0, 10, 0.499363381076456745),
    k(~ 50 * (sin(50 * pi * x) / (50 * pi * x))^2, 0.01, 1, 0.112139303741637410),
    k(~ cos(cos(x) + 3 * sin(x) + 2 * cos(2 * x) + 3 * sin(2 * x) + 3 * cos(3 * x)), 0, pi, 0.838676342694429615),
    k(~ log(x), 0, 1, -1), k(~ 1 / (1.005 + x^2), -1, 1, 1.56439644406904977),
    k(function(x) sech(10 * (x - 0.2))^2 + sech(100 * (x - 0.4))^4 + sech(1000 * (x - 0.6))^6, 0, 1,
      0.210802735500549277))
})

# Probabilities and moments; l, s, a, b: location, scale and shapes.
statistical <- local({
  set.seed(2)
  n <- ceiling(rows / 28)
  p <- data.frame(l = rnorm(n), s = exp(rnorm(n)), a = exp(rnorm(n)), b = exp(rnorm(n)), q = runif(n, 0.01, 0.99))
  d <- function(f, lower, upper, truth) case("statistical", f, lower, upper, p, rep_len(truth, n))
  with(p, list(
    d(~ dnorm(x, l, s), -Inf, Inf, 1),
    d(~ dnorm(x, l, s), -Inf, qnorm(q, l, s), q),
    d(~ dnorm(x) * pnorm(a + b * x), -Inf, Inf, pnorm(a / sqrt(1 + b^2))),
    d(~ x^2 * dnorm(x, l, s), -Inf, Inf, l^2 + s^2),
    d(~ dt((x - l) / s, 1 + a) / s, -Inf, Inf, 1),
    d(~ dt(x, a), -Inf, qt(q, a), pt(qt(q, a), a)),
    d(~ dcauchy(x, l, s), -Inf, qcauchy(q, l, s), q),
    d(~ dlogis(x, l, s), -Inf, Inf, 1),
    d(~ dlogis(x, l, s), qlogis(q, l, s), Inf, 1 - q),
    d(~ dexp(x, a), 0, Inf, 1),
    d(~ x * dexp(x, a), 0, Inf, 1 / a),
    d(~ dgamma(x, a, b), 0, Inf, 1),
    d(~ dgamma(x, a, b), 0, qgamma(q, a, b), pgamma(qgamma(q, a, b), a, b)),
    d(~ x * dgamma(x, a, b), 0, Inf, a / b),
    d(~ dbeta(x, a, b), 0, 1, 1),
    d(~ dbeta(x, a, b), 0, qbeta(q, a, b), pbeta(qbeta(q, a, b), a, b)),
    d(~ x * dbeta(x, a, b), 0, 1, a / (a + b)),
    d(~ dweibull(x, a, b), 0, Inf, 1),
    d(~ dweibull(x, a, b), 0, qweibull(q, a, b), q),
    d(~ dlnorm(x, l, s), 0, Inf, 1),
    d(~ dlnorm(x, l, s), 0, qlnorm(q, l, s), q),
    d(~ dchisq(x, a), 0, Inf, 1),
    d(~ df(x, a, b), 0, qf(q, a, b), pf(qf(q, a, b), a, b)),
    d(~ dunif(x, l, l + s), l - 1, l + s + 1, 1),
    d(~ exp(-(x - l) / s - exp(-(x - l) / s)) / s, -Inf, Inf, 1),
    d(~ exp(-abs(x - l) / s) / (2 * s), -Inf, Inf, 1),
    d(~ 1 - pexp(x, a), 0, Inf, 1 / a),
    d(~ pnorm(x)^2 * dnorm(x), -Inf, Inf, 1 / 3)))
})

# Half-lines of one frequency and of several, with amplitudes that fall like powers.
tails <- local({
  set.seed(7)
  p <- data.frame(a = runif(150, 0.1, 1), b = runif(150, 0.1, 1))
  t <- function(f, truth) case("tails", f, 0, Inf, p, truth(p$a, p$b))
  third <- function(q) ifelse(q < 1, q^2 / 2, ifelse(q < 2, (-2 * q^2 + 6 * q - 3) / 2, (3 - q)^2 / 2))
  list(
    t(~ sin(x) / x^a, function(a, b) gamma(1 - a) * cos(pi * a / 2)),
    t(~ cos(a * x^2), function(a, b) sqrt(pi / 8 / a)),
    t(~ sin(x)^2 / (x^2 + a^2), function(a, b) pi / (4 * a) * (1 - exp(-2 * a))),
    t(~ sin(a * x)^4 / x^2, function(a, b) pi * a / 4),
    t(~ sin(x) / x * sin(a * x) / (a * x), function(a, b) pi / 2 + 0 * a),
    t(~ (sin(x) / x)^2 * cos(a * x), function(a, b) pi / 2 * (1 - a / 2)),
    t(~ (1 + cos(a * x) / 2) * sin(x) / x, function(a, b) 0.75 * pi + 0 * a),
    t(~ 1 / (1 + x^2)^2 + a * sin(x) / x, function(a, b) pi / 4 + a * pi / 2),
    t(~ (cos(a * x) - cos(b * x)) / x^2, function(a, b) pi / 2 * (b - a)),
    t(~ (cos(a * x) - cos(b * x)) / x, function(a, b) log(b / a)),
    t(~ besselJ(x, 1) * besselJ(a * x, 1) / x, function(a, b) a / 2),
    t(~ exp(-0.05 * x) * cos(5 * a * x) * cos(5 * b * x), function(a, b)
      0.5 * (0.05 / (0.0025 + 25 * (a - b)^2) + 0.05 / (0.0025 + 25 * (a + b)^2))),
    t(~ Re(exp(-3i * x * a) * ((exp(1i * x) - 1) / (1i * x))^3) / pi, function(a, b) third(3 * a)))
})

ours <- function(x) {
  found <- suppressWarnings(integrategpu(x$f, x$lower, x$upper, params = x$params, rel.tol = tolerance))
  data.frame(value = found$value, error = found$abs.error, code = found$code, evaluations = found$evaluations)
}

one_by_one <- function(x, solver) {
  n <- max(nrow(x$params), length(x$lower), length(x$upper))
  e <- if (is.function(x$f)) body(x$f) else x$f[[2]]
  do.call(rbind, lapply(seq_len(n), function(i) {
    env <- list2env(as.list(x$params[i, , drop = FALSE]), parent = environment(x$f))
    count <- 0
    f <- function(x) {
      count <<- count + length(x)
      y <- eval(e, list(x = x), env)
      rep_len(y, length(x))
    }
    found <- tryCatch(suppressWarnings(solver(f, rep_len(x$lower, n)[i], rep_len(x$upper, n)[i])),
                      error = function(problem) c(NA, NA, 1))
    data.frame(value = found[1], error = found[2], code = found[3], evaluations = count)
  }))
}

solvers <- list(statcl = ours)
if (peers) {
  need_peers(c("cubature", "pracma"))
  solvers$integrate <- function(x) one_by_one(x, function(f, a, b) {
    r <- stats::integrate(f, a, b, rel.tol = tolerance, subdivisions = 2000, stop.on.error = FALSE)
    c(r$value, r$abs.error, r$message != "OK")
  })
  if (requireNamespace("cubature", quietly = TRUE)) solvers$hcubature <- function(x) one_by_one(x, function(f, a, b) {
    # infinite ranges by hand, what is not finite set to 0
    g <- if (is.infinite(a) && is.infinite(b)) function(t) f(t / (1 - t^2)) * (1 + t^2) / (1 - t^2)^2
         else if (is.infinite(b)) function(t) f(a + t / (1 - t)) / (1 - t)^2
         else if (is.infinite(a)) function(t) f(b - t / (1 - t)) / (1 - t)^2 else f
    low <- if (is.infinite(a) && is.infinite(b)) -1 else if (is.infinite(a) || is.infinite(b)) 0 else a
    high <- if (is.infinite(a) || is.infinite(b)) 1 else b
    safe <- function(t) {
      y <- g(drop(t))
      matrix(ifelse(is.finite(y), y, 0), 1L)
    }
    r <- cubature::hcubature(safe, low, high, tol = tolerance, vectorInterface = TRUE, maxEval = 1e5)
    c(r$integral, r$error, r$functionEvaluations >= 1e5 || r$returnCode != 0)
  })
  if (requireNamespace("pracma", quietly = TRUE)) solvers$"pracma::integral" <- function(x)
    one_by_one(x, function(f, a, b) c(pracma::integral(f, a, b, reltol = tolerance), NA, 0))
}

summed <- function(all, name) do.call(rbind, lapply(split(all, vapply(all, `[[`, "", "set")), function(cases) {
  # pracma prints
  time <- system.time(utils::capture.output(found <- do.call(rbind, lapply(cases, solvers[[name]]))))[["elapsed"]]
  truth <- unlist(lapply(cases, `[[`, "truth"))
  error <- abs(found$value - truth)
  claimed <- 100 * pmax(ifelse(is.na(found$error), 0, found$error), tolerance * abs(truth))
  silent <- found$code == 0 & !(error <= claimed)
  if (any(silent) && name == "statcl") for (i in utils::head(which(silent), 5)) {
    which_case <- rep(seq_along(cases), lengths(lapply(cases, `[[`, "truth")))[i]
    cat("silent:", deparse(cases[[which_case]]$f)[1], "error", signif(error[i], 3), "of", truth[i], "\n")
  }
  if (name == "statcl") for (k in seq_along(cases)) {
    failed <- found$code[rep(seq_along(cases), lengths(lapply(cases, `[[`, "truth"))) == k]
    if (any(failed != 0)) cat(cases[[k]]$set, deparse(cases[[k]]$f)[1], "codes:", names(table(failed)), "in",
                              table(failed), "rows\n")
  }
  data.frame(method = name, set = cases[[1]]$set, integrals = nrow(found), silent = sum(silent),
             codes = sum(found$code != 0), "within 1e-8" = sum(error <= 1e-8 * pmax(1e-10, abs(truth)), na.rm = TRUE),
             median.evaluations = stats::median(found$evaluations), seconds = time, check.names = FALSE)
}))
cat(machine(), "\nrelative tolerance ", tolerance, "\n\n", sep = "")
print_table(summed(c(quadpack, genz, kahaner, statistical, tails), "statcl"))
if (peers) for (name in names(solvers)[-1]) {
  few <- lapply(statistical, function(x) {
    x$params <- x$params[1:20, ]
    x$truth <- x$truth[1:20]
    x$lower <- utils::head(x$lower, 20)
    x$upper <- utils::head(x$upper, 20)
    x
  })
  print_table(summed(c(quadpack, genz, kahaner, few), name))
}

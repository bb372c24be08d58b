# What R gives for the operations of a translated integrand, and whole programs evaluated with it: the translation is
# tested against R itself, apart from the engine's numerics.

# At the top of files with integrands that are about `&&` of vectors: R CMD check --as-cran has R end there.
allow_vectors_in_conditions <- function(frame = parent.frame()) {
  name <- "_R_CHECK_LENGTH_1_LOGIC2_"
  before <- Sys.getenv(name, NA)
  if (is.na(before)) return(invisible())
  Sys.unsetenv(name)
  again <- function() do.call(Sys.setenv, stats::setNames(list(before), name))
  do.call(on.exit, list(as.call(list(again)), add = TRUE), envir = frame)
}

reference_deviance <- function(x, m) {
  if (is.nan(x) || is.nan(m)) return(NaN)
  if (x == 0) return(m)
  # -log of dpois(x, m) * sqrt(2 pi x), less Stirling's error
  if (!is.finite(x / m) || !is.finite(m)) return(Inf)
  d <- (x - m) / m
  if (abs(d) < 0.1) {
    # m ((1 + d) log(1 + d) - d) as a series
    j <- 2:40
    return(m * sum((-1)^j * d^j / (j * (j - 1))))
  }
  x * log(x / m) + m - x
}

reference_stirling <- function(n) {
  if (is.nan(n) || n < 0) return(NaN)
  if (n == 0) return(Inf)
  if (n > 15) {
    b <- c(1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
    return(sum(b / n^(2 * seq_along(b) - 1)))
  }
  # downwards from where the series holds: error(n) - error(n + 1) = (n + 1/2) log(1 + 1/n) - 1, summed from small up
  steps <- n + 0:ceiling(16 - n)
  t <- 1 / (2 * steps + 1)
  difference <- ifelse(t < 0.2, vapply(t, function(t) sum(t^(2 * (1:30)) / (2 * (1:30) + 1)), 0),
                       (steps + 0.5) * log1p(1 / steps) - 1)
  reference_stirling(max(steps) + 1) + sum(rev(difference))
}

reference_operations <- c(statcl:::integrand_fold, list(
  and = function(a, b) if (identical(a, 0) || identical(b, 0)) 0 else if (is.nan(a + b)) NaN else 1,
  or = function(a, b) if (identical(a, 1) || identical(b, 1)) 1 else if (is.nan(a + b)) NaN else 0,
  stirling_error = reference_stirling, deviance = reference_deviance,
  bessel_k = function(x, nu) besselK(x, nu), bessel_k_scaled = function(x, nu) besselK(x, nu, TRUE),
  stable_density = function(x, a, b, g, d, pm) dstable(x, a, b, g, d, pm),
  stable_log_density = function(x, a, b, g, d, pm) dstable(x, a, b, g, d, pm, log = TRUE),
  stable_lower = function(x, a, b, g, d, pm) pstable(x, a, b, g, d, pm),
  stable_upper = function(x, a, b, g, d, pm) pstable(x, a, b, g, d, pm, lower.tail = FALSE),
  stable_log_lower = function(x, a, b, g, d, pm) pstable(x, a, b, g, d, pm, log.p = TRUE),
  stable_log_upper = function(x, a, b, g, d, pm) pstable(x, a, b, g, d, pm, lower.tail = FALSE, log.p = TRUE),
  stable_quantile = function(x, a, b, g, d, pm) qstable(x, a, b, g, d, pm),
  stable_upper_quantile = function(x, a, b, g, d, pm) qstable(x, a, b, g, d, pm, lower.tail = FALSE),
  poisson_density = function(x, l) dpoisgpu(x, l),
  poisson_log_density = function(x, l) dpoisgpu(x, l, log = TRUE),
  poisson_lower = function(x, l) ppoisgpu(x, l),
  poisson_upper = function(x, l) ppoisgpu(x, l, lower.tail = FALSE),
  poisson_log_lower = function(x, l) ppoisgpu(x, l, log.p = TRUE),
  poisson_log_upper = function(x, l) ppoisgpu(x, l, lower.tail = FALSE, log.p = TRUE),
  poisson_quantile = function(x, l) qpoisgpu(x, l),
  poisson_upper_quantile = function(x, l) qpoisgpu(x, l, lower.tail = FALSE)))

# R's own functions, as operations of numbers: how many of the last ones are flags.
local({
  ops <- statcl:::integrand_ops()
  for (name in grep("^r_", ops$name, value = TRUE)) {
    kind <- sub("_mu$", "", sub("^([dpq])n(chisq|beta|t|f)$", "\\1\\2", sub("^r_", "", name)))
    kind <- switch(kind, bessel_i = "besselI", bessel_j = "besselJ", bessel_y = "besselY", kind)
    f <- get(kind, envir = asNamespace("stats")) # a process of testthat reads this before stats is attached
    reference_operations[[name]] <<- local({
      r <- f
      k <- name
      flags <- if (grepl("bessel|psi|choose", k)) 0L else if (startsWith(k, "r_d")) 1L else 2L
      function(...) {
        a <- list(...)
        n <- length(a)
        if (flags > 0L) for (i in n - seq_len(flags) + 1L) a[[i]] <- a[[i]] != 0
        if (flags > 0L) names(a)[n - seq_len(flags) + 1L] <- if (flags == 1L) "log" else c("log.p", "lower.tail")
        if (grepl("gamma$", k) && flags > 0L) names(a)[3L] <- "scale"
        if (grepl("_mu$", k)) names(a)[3L] <- "mu"
        if (grepl("^r_.n(chisq|beta|t|f)$", k)) names(a)[n - flags] <- "ncp"
        if (!is.null(names(a))) names(a)[is.na(names(a))] <- ""
        do.call(r, a)
      }
    })
  }
})

# Values of a program at points x, a row for each component; parameters are those of one integral, as a list.
reference_values <- function(program, x, params = NULL) {
  names_of_ops <- statcl:::integrand_ops()$name
  functions <- reference_operations[!duplicated(names(reference_operations), fromLast = TRUE)]
  rows <- mapply(function(name, k) as.double(unlist(params[[name]]))[k], program$parameters$name,
                 program$parameters$column)
  first <- 1L + length(program$constants) + program$n_param
  code <- program$code
  value <- suppressWarnings(vapply(x, function(x) {
    v <- numeric(first + ncol(code))
    v[seq_len(first)] <- c(x, program$constants, unlist(rows))
    for (k in seq_len(ncol(code))) {
      operands <- code[-1L, k]
      operands <- as.list(v[operands[operands >= 0L] + 1L])
      result <- as.double(do.call(functions[[names_of_ops[code[1L, k] + 1L]]], operands))
      v[first + k] <- if (is.na(result)) NaN else result
    }
    v[program$outputs + 1L]
  }, numeric(length(program$outputs))))
  if (is.matrix(value)) value else matrix(value, nrow = 1L)
}

integrand_translate <- function(f, params = NULL, dots = list(), env = parent.frame()) {
  program <- statcl:::translate_or_refuse(f, params, dots, env)
  if (!is.null(program$why)) statcl:::raise_translation_error(program$why)
  program
}

translate <- function(f, ..., params = NULL, env = parent.frame())
  integrand_translate(f, params = params, dots = list(...), env = env)

# What is integrated, at the points x: a matrix with a row for each component. params: one row of parameters.
integrand_values <- function(f, x, params = NULL, ...) {
  params <- statcl:::parameter_columns(params)
  of <- list(f = f, params = params, constants = statcl:::integrand_constants(...), env = parent.frame())
  program <- statcl:::integrand_program(of, list(x = x[1L], row = 1L))
  rows <- statcl:::parameter_rows(program, params, 1L)
  t(statcl:::run_integrand(program, function() .Call(statcl:::C_integrandValues, program, rows, as.double(x))))
}

# Of an expression in x at points, by R itself: one point at a time, as the integrand is defined.
r_values <- function(f, x) {
  value <- suppressWarnings(vapply(x, function(x) as.double(f(x)), as.double(f(x[1L]))))
  if (is.matrix(value)) value else matrix(value, nrow = 1L)
}

# ---- random expressions --------------------------------------------------------------------------------------------

# Every function that is translated, with A, B and C for operands that are between 0.01 and 100 in size.
integrand_templates <- c(
  "A + B", "A - B", "A * B", "A / B", "-A", "+A", "A^2", "A^3", "A^-2", "A^7", "abs(A)^B", "abs(A)^0.5", "A %% B",
  "A %/% B", "(A)", "(function(u, v) { y = u; y * v + y })(A, B)", "if (A < B) A else B", "ifelse(A <= B, A, B * C)",
  "ifelse(A >= B & B > C, A, C)", "(A < B | B == C) + A", "(!(A != B)) + B", "xor(A < B, B < C) + A",
  "(if (A < B && B < C) A else B) + C", "(if (A < B || B < C) A else B) + C", "sum(A, B, C)", "prod(c(A, B, C))",
  "mean(c(A, B, C))", "min(A, B)", "max(A, B, C)", "pmin(A, B)", "pmax(A, B)", "length(c(A, B)) * A",
  "rev(c(A, B))[1]",
  "c(A, B, C)[[2]]", "c(A, B)[-1]", "sum(seq_len(3) * A)", "sum(1:3 + B)", "sum(rep(A, 2), B)",
  "sum(cumsum(c(A, B)))",
  "cumprod(c(A, B))[2]", "drop(crossprod(c(A, B)))", "drop(c(A, B) %*% c(B, C))", "sum(numeric(2)) + A",
  "looped(A, B)", "switch(\"b\", a = A, b = B)", "as.numeric(A)",
  "as.double(A)", "as.vector(A)", "unname(c(u = A))", "identity(A)", "force(A)", "invisible(A)", "stats::dnorm(A)",
  "(function(t, u = t + A) t * u)(B)", ".Machine$double.eps + A", "missing_argument(A)", "returning(A, B)",
  "abs(A)", "sqrt(abs(A))", "exp(A)", "expm1(A)", "log(abs(A))", "log(abs(A), abs(B))", "log(abs(A), base = 2)",
  "log1p(abs(A))", "log2(abs(A))", "log10(abs(A))", "sin(A)", "cos(A)", "tan(A)", "sinpi(A)", "cospi(A)", "tanpi(A)",
  "asin(A / 100)", "acos(A / 100)", "atan(A)", "atan2(A, B)", "sinh(A)", "cosh(A)", "tanh(A)", "asinh(A)",
  "acosh(1 + abs(A))", "atanh(A / 100)", "floor(A)", "ceiling(A)", "trunc(A)", "round(A)", "round(A, 0)", "sign(A)",
  "gamma(A)", "lgamma(A)", "beta(abs(A), abs(B))", "lbeta(abs(A), abs(B))", "digamma(A)", "trigamma(A)",
  "choose(A, 3)",
  "choose(20, trunc(abs(A)))", "lchoose(20, trunc(abs(A)))", "lchoose(20.5, trunc(abs(A)))", "factorial(abs(A))",
  "lfactorial(abs(A))", "is.na(A) + B", "is.nan(A) + B", "is.finite(A) + B", "is.infinite(A) + B",
  "pgamma(abs(A), abs(B), 2)", "qgamma(plogis(A), abs(B), scale = 0.5)", "pbeta(plogis(A), abs(B), 2, log.p = TRUE)",
  "pt(A, abs(B))", "dt(A, 3, ncp = plogis(B))", "pf(abs(A), abs(B), 3, lower.tail = FALSE)",
  "pbinom(2, 5, plogis(A))",
  "pnbinom(2, abs(A), mu = abs(B))", "pnbinom(2, 4, plogis(A))", "qt(plogis(A), abs(B))", "phyper(1, 3, 4, 2) * A",
  "pchisq(abs(A), abs(B))", "dchisq(abs(A), 3, 0.7)", "pbeta(plogis(A), 2, 3, 0.5)", "besselJ(abs(A), abs(B))",
  "besselI(abs(A) / 10, abs(B), TRUE)", "besselY(abs(A), 1.5)", "psigamma(abs(A), 2)",
  "besselK(abs(A), abs(B))", "besselK(abs(A), abs(B), TRUE)", "besselKgpu(abs(A), abs(B))",
  "besselKgpu(abs(A), abs(B), log = TRUE)", "besselKgpu(abs(A), abs(B), expon.scaled = TRUE, log = TRUE)",
  "dstable(A, 1.5, 0.5)", "dstable(A, 0.7, -0.3, log = TRUE)", "pstable(A, 1.3, 0.2, abs(B))",
  "pstable(A, 1.3, 0.2, abs(B), C, 1, lower.tail = FALSE)", "pstable(A, 1.2, 0, log.p = TRUE)",
  "pstable(A, 1.2, 0, log.p = TRUE, lower.tail = FALSE)", "qstable(plogis(A), 1.5, 0.5)",
  "qstable(plogis(A), 1.5, 0.5, lower.tail = FALSE)", "dpoisgpu(trunc(abs(A)), abs(B))",
  "dpoisgpu(trunc(abs(A)), abs(B), log = TRUE)", "ppoisgpu(abs(A), abs(B))", "ppoisgpu(abs(A), abs(B), FALSE)",
  "ppoisgpu(abs(A), abs(B), FALSE, TRUE)", "ppoisgpu(abs(A), abs(B), log.p = TRUE)", "qpoisgpu(plogis(A), abs(B))",
  "qpoisgpu(plogis(A), abs(B), FALSE)", "dpois(trunc(abs(A)), abs(B))", "ppois(abs(A), abs(B), lower.tail = FALSE)",
  "qpois(plogis(A), abs(B))",
  "dbinom(trunc(abs(A)), 30, plogis(B))", "dbinom(trunc(abs(A)), 120, plogis(B), log = TRUE)",
  "dnbinom(trunc(abs(A)), abs(B), plogis(C))", "dnbinom(trunc(abs(A)), abs(B), mu = abs(C))",
  "dnbinom(trunc(abs(A)), abs(B), mu = abs(C), log = TRUE)", "dgeom(trunc(abs(A)), plogis(B))",
  "pgeom(abs(A), plogis(B))", "pgeom(abs(A), plogis(B), lower.tail = FALSE)",
  "dgamma(abs(A), abs(B))", "dgamma(abs(A), abs(B), abs(C))", "dgamma(abs(A), abs(B), scale = abs(C), log = TRUE)",
  "dchisq(abs(A), abs(B))", "dbeta(plogis(A), abs(B), abs(C))", "dbeta(plogis(A), abs(B), abs(C), log = TRUE)",
  "dt(A, abs(B))", "dt(A, abs(B), log = TRUE)", "df(abs(A), abs(B), abs(C))",
  "df(abs(A), abs(B), abs(C), log = TRUE)")

# The distributions with densities, distribution functions and quantiles alike, with all flags.
integrand_templates <- c(integrand_templates, local({
  laws <- c(norm = "B, abs(C)", exp = "abs(B)", unif = "B, B + abs(C)", logis = "B, abs(C)", cauchy = "B, abs(C)",
            weibull = "abs(B), abs(C)", lnorm = "B, abs(C)")
  argument <- function(law) switch(law, exp = , weibull = , lnorm = "abs(A)", unif = "(B + 0.3 * abs(C))", "A")
  unlist(lapply(names(laws), function(law) {
    x <- argument(law)
    c(sprintf("d%s(%s)", law, if (law == "weibull") "abs(A), 1.5" else x),
      sprintf("d%s(%s, %s)", law, x, laws[[law]]), sprintf("d%s(%s, %s, log = TRUE)", law, x, laws[[law]]),
      sprintf("p%s(%s, %s)", law, x, laws[[law]]), sprintf("p%s(%s, %s, lower.tail = FALSE)", law, x, laws[[law]]),
      sprintf("p%s(%s, %s, log.p = TRUE)", law, x, laws[[law]]),
      sprintf("p%s(%s, %s, FALSE, TRUE)", law, x, laws[[law]]),
      sprintf("q%s(plogis(A), %s)", law, laws[[law]]), sprintf("q%s(plogis(A), %s, FALSE)", law, laws[[law]]),
      sprintf("q%s(-abs(A), %s, log.p = TRUE)", law, laws[[law]]),
      sprintf("q%s(-abs(A), %s, log.p = TRUE, lower.tail = FALSE)", law, laws[[law]]))
  }))
}))

# What the expressions take from outside: constants, a column of params, and functions of the user's.
integrand_world <- function() {
  world <- new.env(parent = globalenv())
  world$a <- 1.25
  world$b <- c(0.5, 2, 3.5)
  world$missing_argument <- function(x, y) if (missing(y)) x else x * y
  world$looped <- function(...) {
    s <- 0
    v <- c(...)
    for (i in seq_along(v)) s <- s + i * v[[i]]
    s
  }
  world$returning <- function(u, v) {
    if (u < v) return(u * 2)
    w <- u - v
    if (w > 1) { w <- sqrt(w) } else w <- w + 1
    w
  }
  world
}

# n expressions in x and the column z. Operands are expressions made before; one is kept if its values are neither
# large nor small and small changes of the operands do not grow: what is tested is the evaluation, not the
# propagation of rounding errors. Templates take their turns, so that all appear.
random_integrands <- function(n, seed = 1, points = c(0.37, 0.92, 1.71, 2.6), z = 0.8) {
  set.seed(seed)
  world <- integrand_world()
  evaluate <- function(text, at) {
    e <- parse(text = text)[[1L]]
    tryCatch(suppressWarnings(vapply(at, function(x) {
      value <- eval(e, list(x = x, z = z), world)
      if (length(value) == 1L) as.double(value) else NaN
    }, 0)), error = function(e) rep(NaN, length(at)))
  }
  good <- function(value) all(is.finite(value)) && all(abs(value) > 0.01 & abs(value) < 100)
  pool <- list()
  for (leaf in c("x", "1.7", "0.3", "a", "b[2]", "z", "sum(b)", "x", "2"))
    pool[[length(pool) + 1L]] <- list(text = leaf, value = evaluate(leaf, points), error = as.double(leaf == "x"))
  leaves <- length(pool)
  turn <- 0L
  last <- leaves
  made <- character()
  order <- sample(length(integrand_templates))
  while (length(made) < n && turn < 50L * n) {
    turn <- turn + 1L
    template <- integrand_templates[order[(turn - 1L) %% length(order) + 1L]]
    operands <- pool[sample(length(pool), 3L, prob = rep(c(1, 2), c(leaves, length(pool) - leaves)))]
    local_env <- new.env(parent = world)
    shape <- parse(text = gsub("\\b([ABC])\\b", ".\\1[k]", template))[[1L]]
    value_at <- function(shift) {
      for (i in 1:3) assign(paste0(".", LETTERS[i]), operands[[i]]$value * (1 + shift[i]), envir = local_env)
      tryCatch(suppressWarnings(vapply(seq_along(points), function(k) {
        local_env$k <- k
        value <- eval(shape, list(x = points[k]), local_env)
        if (length(value) == 1L) as.double(value) else NaN
      }, 0)), error = function(e) NaN)
    }
    value <- value_at(c(0, 0, 0))
    if (!good(value)) next
    h <- 1e-6
    growth <- 0
    for (i in 1:3) {
      shift <- c(0, 0, 0)
      shift[i] <- h
      growth <- growth + max(abs(value_at(shift) / value - 1)) / h * operands[[i]]$error
    }
    text <- template
    for (i in 1:3) text <- gsub(paste0("\\b", LETTERS[i], "\\b"), paste0("(", operands[[i]]$text, ")"), text)
    # about 30 units of the last digit in all, of which each operation adds a few
    if (is.na(growth) || growth > 20 || nchar(text) > 400L) next
    pool[[length(pool) + 1L]] <- list(text = text, value = value, error = growth + 4)
    if (length(pool) > 60L) pool <- pool[-(leaves + 1L)]
    if (max(value) > min(value)) made <- c(made, text)
  }
  made
}

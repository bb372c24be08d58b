# What R gives for the operations of a translated integrand, and whole programs evaluated with it: the translation is
# tested against R itself, apart from the engine's numerics.
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
      result <- as.double(do.call(functions[[names_of_ops[code[1L, k] + 1L]]], as.list(v[operands[operands >= 0L] + 1L])))
      v[first + k] <- if (is.na(result)) NaN else result
    }
    v[program$outputs + 1L]
  }, numeric(length(program$outputs))))
  if (is.matrix(value)) value else matrix(value, nrow = 1L)
}

translate <- function(f, ..., params = NULL, env = parent.frame())
  statcl:::integrand_translate(f, params = params, dots = list(...), env = env)

# Of an expression in x at points, by R itself: one point at a time, as the integrand is defined.
r_values <- function(f, x) {
  value <- suppressWarnings(vapply(x, function(x) as.double(f(x)), as.double(f(x[1L]))))
  if (is.matrix(value)) value else matrix(value, nrow = 1L)
}

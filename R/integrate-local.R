# Singularities at limits other than 0. Next to 1 the power (1 - x)^-0.95 is not known to f, for x has not the digits
# of 1 - x. Where a program takes the difference of x and a limit u, it can be given that difference: it becomes a
# program in t, x = u - t or u + t, of which 0 is the limit.

# The program in t of one in x, for x next to a limit on the given side (-1: x = limit - t), or NULL where it has no
# such difference. The limit is a number, for all integrals, or that of parameter u of each.
local_program <- function(program, limit, u, side) {
  ops <- integrand_ops()
  n_constant <- length(program$constants)
  shift <- n_constant + program$n_param + max(0L, length(program$start) - 1L)
  # constants 0, the limit and twice the limit behind those there are; x and -t as the first operations
  moved <- function(v) v + 3L * (v > n_constant) + 2L * (v > shift)
  x <- shift + 4L
  is_limit <- function(value) if (is.null(u)) which(program$constants == value) else integer()
  places <- list(zero = n_constant + 1L, x = x, minus = is_limit(-limit), squared = is_limit(limit^2),
                 limit = if (is.null(u)) is_limit(limit) else moved(n_constant + u))
  at <- program$code[-1L, , drop = FALSE]
  code <- rbind(program$code[1L, ], matrix(ifelse(at > 0L, moved(at), ifelse(at == 0L, x, -1L)), nrow(at)))
  name <- ops$name[code[1L, ] + 1L]
  name[is.na(name)] <- "" # loops over data
  uses <- function(v) sum(code[-1L, ] == v) + sum(moved(program$outputs) == v)
  operation_of <- function(v) if (v > x + 1L) v - x - 1L
  is_of_x <- function(k, op, rows) length(k) && name[k] == op && all(code[rows, k] == x)
  column <- function(name, operands) c(ops$number[[name]], operands, rep(-1L, nrow(code) - 1L - length(operands)))
  found <- FALSE
  for (k in seq_along(name)) {
    a <- code[2L, k]
    b <- code[3L, k]
    new <- local_operation(name[k], a, b, side, places, limit %in% 1, is_of_x(operation_of(a), "neg", 2L))
    if (!is.null(new)) code[, k] <- column(new$name, new$operands)
    else if (name[k] == "sub" && a %in% places$squared && is_of_x(operation_of(b), "mul", 2:3) && uses(b) == 1L) {
      code[, operation_of(b)] <- column("sub", c(places$zero + 2L, 0L)) # of u^2 - x^2 = t (2 |u| - t)
      code[, k] <- column("mul", c(0L, b))
    } else next
    found <- found || name[k] %in% c("sub", "add", "log", "log1p")
  }
  if (!found) return(NULL)
  program$constants <- c(program$constants, 0, limit, 2 * abs(limit))
  from <- if (is.null(u)) places$zero + 1L else places$limit
  program$code <- cbind(column(if (side < 0) "sub" else "add", c(from, 0L)), column("neg", 0L), code)
  program$outputs <- ifelse(program$outputs == 0L, x, moved(program$outputs))
  program
}

# What operation op of a and b becomes with t, which is not negative, as variable 0, and NULL if it stays what it is.
# places: of x, the limit, its negative and its square, and the constant 0, among what operations are of.
local_operation <- function(op, a, b, side, places, limit_is_1, of_minus_x) {
  becomes <- function(name, ...) list(name = name, operands = c(...))
  distance <- function(negative) becomes(if (negative) "neg" else "abs", 0L)
  is_x <- c(a, b) == places$x
  x_first <- is_x[1L] && b %in% places$limit
  compares <- x_first || is_x[2L] && a %in% places$limit
  switch(op,
    sub = if (compares) distance(x_first == (side < 0)),
    add = if (is_x[1L] && b %in% places$minus || is_x[2L] && a %in% places$minus) distance(side < 0),
    lt = , le = , eq = , ne = if (compares)
      if (x_first == (side > 0)) becomes(op, 0L, places$zero) else becomes(op, places$zero, 0L),
    log1p = if (limit_is_1 && side < 0 && of_minus_x) becomes("log", 0L),
    log = if (limit_is_1 && is_x[1L]) becomes("log1p", if (side < 0) places$x + 1L else 0L))
}

# Limits that local_program() may find among the constants of a program.
local_limits <- function(program, limit) {
  limit <- unique(limit)
  limit[limit %in% 1 | limit %in% program$constants | -limit %in% program$constants | limit^2 %in% program$constants]
}

# Integrals that failed, once more with the variable of the limit where there is one: those results that are better.
integrate_local <- function(result, part, program, control) {
  n <- length(part$lower)
  failed <- result$code %in% 1:5
  if (!any(failed) || is.null(program$code) || !is.null(part$shift)) return(result)
  low <- pmin(part$lower, part$upper)
  high <- pmax(part$lower, part$upper)
  for (side in c(-1, 1)) for (way in c(local_limits(program, (if (side < 0) high else low)[failed]),
                                       1i * seq_len(program$n_param))) {
    u <- if (Im(way)) as.integer(Im(way))
    value <- if (is.null(u)) Re(way) else part$rows[u, ]
    at <- which(failed & (if (side < 0) high else low) == value & value != 0 & is.finite(value))
    of_t <- if (length(at)) local_program(program, if (is.null(u)) value else NaN, u, side)
    if (is.null(of_t)) next
    end <- rep_len(value, n)[at]
    other <- (if (side < 0) low else high)[at]
    middle <- ifelse(is.finite(other), end / 2 + other / 2, other)
    one <- part_of(part, at)
    t <- list(rows = one$rows, lower = numeric(length(at)), upper = abs(middle - end))
    if (!is.null(one$breaks))
      t$breaks <- abs(matrix(one$breaks, nrow(one$breaks), length(at)) - rep(end, each = nrow(one$breaks)))
    one$lower <- pmin(middle, other)
    one$upper <- pmax(middle, other)
    halves <- list(integrate_part(t, of_t, control), integrate_part(one, program, control))
    sums <- function(name) halves[[1L]][[name]] + halves[[2L]][[name]]
    sign <- rep(ifelse(part$lower[at] > part$upper[at], -1, 1), each = length(program$outputs))
    code <- pmax(halves[[1L]]$code, halves[[2L]]$code)
    better <- code == 0L | colSums(sums("abs.error")) < colSums(result$abs.error[, at, drop = FALSE])
    result$value[, at[better]] <- (sums("value") * sign)[, better]
    result$abs.error[, at[better]] <- sums("abs.error")[, better]
    result$code[at[better]] <- code[better]
    result$subdivisions[at] <- result$subdivisions[at] + sums("subdivisions")
    result$evaluations[at] <- result$evaluations[at] + sums("evaluations")
    failed[at[better & code == 0L]] <- FALSE
  }
  result
}

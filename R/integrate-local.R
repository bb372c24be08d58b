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
  zero <- n_constant + 1L
  x <- shift + 4L
  is_limit <- function(value) if (is.null(u)) which(program$constants == value) else integer()
  known <- if (is.null(u)) is_limit(limit) else moved(n_constant + u)
  minus <- is_limit(-limit)
  squared <- is_limit(limit^2)
  at <- program$code[-1L, , drop = FALSE]
  code <- rbind(program$code[1L, ], matrix(ifelse(at > 0L, moved(at), ifelse(at == 0L, x, -1L)), nrow(at)))
  name <- ops$name[code[1L, ] + 1L]
  name[is.na(name)] <- "" # loops over data
  uses <- function(v) sum(code[-1L, ] == v) + sum(moved(program$outputs) == v)
  written <- function(k, name, ...) code[, k] <<- operation_column(ops, nrow(code), name, c(...))
  found <- FALSE
  for (k in seq_along(name)) {
    a <- code[2L, k]
    b <- code[3L, k]
    op <- name[k]
    below <- switch(op, sub = if (a == x && b %in% known) side < 0 else if (b == x && a %in% known) side > 0,
                    add = if (a == x && b %in% minus || b == x && a %in% minus) side < 0)
    square <- if (op == "sub" && a %in% squared && b > x + 1L) b - x - 1L
    if (!is.null(below)) written(k, if (below) "neg" else "abs", 0L) # t is not negative
    else if (op %in% c("lt", "le", "eq", "ne") && (a == x && b %in% known || b == x && a %in% known))
      written(k, op, if ((a == x) == (side > 0)) c(0L, zero) else c(zero, 0L))
    else if (op == "log1p" && side < 0 && limit %in% 1 && a > x + 1L && name[a - x - 1L] == "neg" &&
             code[2L, a - x - 1L] == x) written(k, "log", 0L)
    else if (op == "log" && limit %in% 1 && a == x) written(k, "log1p", if (side < 0) x + 1L else 0L)
    else if (length(square) && name[square] == "mul" && all(code[2:3, square] == x) && uses(b) == 1L) {
      written(square, "sub", zero + 2L, 0L) # of u^2 - x^2 = t (2 |u| - t)
      written(k, "mul", 0L, b)
    } else next
    found <- found || op %in% c("sub", "add", "log", "log1p")
  }
  if (!found) return(NULL)
  program$constants <- c(program$constants, 0, limit, 2 * abs(limit))
  program$code <- cbind(operation_column(ops, nrow(code), if (side < 0) "sub" else "add",
                                         c(if (is.null(u)) zero + 1L else known, 0L)),
                        operation_column(ops, nrow(code), "neg", 0L), code)
  program$outputs <- ifelse(program$outputs == 0L, x, moved(program$outputs))
  program
}

operation_column <- function(ops, size, name, operands)
  c(ops$number[[name]], operands, rep(-1L, size - 1L - length(operands)))

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

# Singularities at limits other than 0. Next to 1 the power (1 - x)^-0.95 is not known to f, for x has not the digits
# of 1 - x. Where a program takes the difference of x and a limit u, it can be given that difference: it becomes a
# program in t, x = u - t or u + t, of which 0 is the limit.

# The program in t of one in x, for x next to u on the given side (-1: x = u - t), or NULL where it has no such
# difference. u: the value in the program that has the limit (a constant or a parameter), or NULL for the 1 of
# log1p(-x).
local_program <- function(program, u, side) {
  ops <- integrand_ops()
  number <- ops$number
  n_op <- ncol(program$code)
  n_constant <- length(program$constants)
  shift <- n_constant + program$n_param
  # constants 0 and 1 behind those there are, and x as the first operation
  moved <- function(v) v + 2L * (v > n_constant) + (v > shift)
  zero <- n_constant + 1L
  u_at <- if (is.null(u)) zero + 1L else moved(u)
  x <- shift + 3L
  code <- program$code
  at <- code[-1L, , drop = FALSE]
  code[-1L, ] <- ifelse(at > 0L, moved(at), ifelse(at == 0L, x, -1L))
  op <- ops$name[code[1L, ] + 1L]
  known <- if (is.null(u)) integer() else u_at
  written <- function(k, name, ...) {
    operands <- c(...)
    code[, k] <<- c(number[[name]], operands, rep(-1L, nrow(code) - 1L - length(operands)))
  }
  found <- FALSE
  for (k in seq_len(n_op)) {
    a <- code[2L, k]
    b <- code[3L, k]
    by_t <- if (op[k] == "sub" && a == x && b %in% known) if (side > 0) "abs" else "neg"
            else if (op[k] == "sub" && b == x && a %in% known) if (side > 0) "neg" else "abs"
    if (!is.null(by_t)) written(k, by_t, 0L) # t is not negative
    else if (op[k] %in% c("lt", "le", "eq", "ne") && (a == x && b %in% known || b == x && a %in% known))
      written(k, op[k], if ((a == x) == (side > 0)) c(0L, zero) else c(zero, 0L))
    else if (op[k] == "log1p" && side < 0 && is.null(u) && a > x && op[a - x] == "neg" && code[2L, a - x] == x)
      written(k, "log", 0L)
    else next
    found <- found || op[k] %in% c("sub", "log1p")
  }
  if (!found) return(NULL)
  program$constants <- c(program$constants, 0, 1)
  program$code <- cbind(c(number[[if (side < 0) "sub" else "add"]], u_at, 0L, rep(-1L, nrow(code) - 3L)), code)
  program$outputs <- ifelse(program$outputs == 0L, x, moved(program$outputs))
  program
}

# Integrals that failed, once more with the variable of the limit where there is one: those results that are better.
integrate_local <- function(result, part, program, tolerance, limits) {
  n <- length(part$lower)
  failed <- result$code %in% 1:5
  if (!any(failed) || is.null(program$code) || !is.null(part$shift)) return(result)
  low <- pmin(part$lower, part$upper)
  high <- pmax(part$lower, part$upper)
  m <- length(program$constants)
  for (u in c(seq_len(m + program$n_param), NA)) for (side in c(-1, 1)) {
    value <- if (is.na(u)) 1 else if (u <= m) program$constants[u] else part$rows[u - m, ]
    at <- which(failed & (if (side < 0) high else low) == value & value != 0)
    of_t <- if (length(at)) local_program(program, if (!is.na(u)) u, side)
    if (is.null(of_t)) next
    end <- rep_len(value, n)[at]
    other <- (if (side < 0) low else high)[at]
    middle <- ifelse(is.finite(other), end / 2 + other / 2, other)
    one <- part_of(part, at)
    t <- list(rows = one$rows, lower = numeric(length(at)), upper = abs(middle - end), breaks = abs(one$breaks - end))
    if (!length(one$breaks)) t$breaks <- NULL
    else if (ncol(one$breaks) != length(at)) t["breaks"] <- list(if (all(end == end[1L])) abs(one$breaks - end[1L]))
    one$lower <- pmin(middle, other)
    one$upper <- pmax(middle, other)
    halves <- list(integrate_part(t, of_t, tolerance, limits), integrate_part(one, program, tolerance, limits))
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

# Principal values, and weights with algebraic and logarithmic ends, as QUADPACK's QAWC and QAWS have them: integrals
# of functions that are made of f, in a variable in which the weight is harmless.

# What is integrated in place of f: its body becomes that of a function within another one, `made`, which calls it
# as .inner. Columns beside those of params are known by names with a dot.
around_integrand <- function(of, made, columns) {
  code <- code_of_integrand(of)
  inner <- call("function", as.pairlist(stats::setNames(alist(x = ), code$variable)), code$body)
  own <- stats::setNames(rep(list(quote(expr = )), 1L + length(columns)), c(".t", names(columns)))
  of$f <- as.function(c(own[1L], code$further, own[-1L], call("{", call("<-", quote(.inner), inner), made)),
                      envir = code$env)
  of$params <- structure(c(of$params, columns), size = length(columns[[1L]]),
                         names_of_rows = attr(of$params, "names_of_rows"))
  of
}

# What f computes, of which variable, its further arguments with defaults, and where its names are looked up.
code_of_integrand <- function(of) {
  f <- without_vectorize(of$f)
  if (inherits(f, "formula")) return(list(body = f[[length(f)]], variable = "x", env = environment(f)))
  if (!is.function(f)) return(list(body = if (is.expression(f)) f[[1L]] else f, variable = "x", env = of$env))
  name <- exported_name(f)
  if (is.null(name))
    return(list(body = body(f), variable = names(formals(f))[1L], further = formals(f)[-1L], env = environment(f)))
  # functions of packages, which may be known by their names
  formal <- formals(args(f))
  given <- intersect(names(formal)[-1L], c(names(of$params), names(of$constants)))
  variable <- names(formal)[1L]
  list(body = as.call(c(name, as.name(variable), stats::setNames(lapply(given, as.name), given))),
       variable = variable, further = formal[given], env = of$env)
}

# package::name of a function that a package exports, or NULL.
exported_name <- function(f) {
  space <- if (is.primitive(f)) baseenv() else environment(f)
  package <- if (identical(space, baseenv())) "base" else if (isNamespace(space)) getNamespaceName(space)[[1L]]
  for (name in if (!is.null(package)) getNamespaceExports(package))
    if (identical(get0(name, asNamespace(package)), f)) return(call("::", as.name(package), as.name(name)))
}

# The number of integrals, with the lengths of further vectors.
weighted_count <- function(of, further) count_of_sizes(c(params = attr(of$params, "size"), lower = length(of$lower),
                                                         upper = length(of$upper), further))

# The principal value of f(x) / (x - c) is the integral of (f(c + t) - f(c - t)) / t over t from 0 to the nearer end,
# and of one of the two from there to the other.
integrate_cauchy <- function(of, control, breaks, cauchy) {
  n <- weighted_count(of, c(cauchy = length(cauchy)))
  lower <- rep_len(of$lower, n)
  upper <- rep_len(of$upper, n)
  c <- rep_len(cauchy, n)
  a <- pmin(lower, upper)
  b <- pmax(lower, upper)
  spare <- ifelse(is.finite(a), ifelse(is.finite(b), a + 0.382 * (b - a), a + 0.618),
                  ifelse(is.finite(b), b - 0.618, 0.382))
  folded <- around_integrand(of, quote(.sign * ((.t <= .up) * .inner(ifelse(.t <= .up, .c + .t, .spare)) -
                                                  (.t <= .down) * .inner(ifelse(.t <= .down, .c - .t, .spare))) / .t),
                             list(.c = c, .up = b - c, .down = c - a, .sign = ifelse(lower <= upper, 1, -1),
                                  .spare = spare))
  folded$lower <- as.double(ifelse(a == b, 1, pmax(0, a - c, c - b))) # ifelse() of none gives logical ones
  folded$upper <- as.double(ifelse(a == b, 1, pmax(b - c, c - a)))
  folded$place <- function(t, row) sprintf("x = %s or %s", format(c[row] - t, digits = 15),
                                           format(c[row] + t, digits = 15))
  given <- points_by_rows(breaks, n)
  result <- integrate_lines(folded, control, cbind(pmin(b - c, c - a), abs(given - c)))
  principal_checked(result, of, a, b, c)
}

# What the nodes cannot tell of principal values, told by f at c + t and c - t.
principal_checked <- function(result, of, a, b, c) {
  inside <- which(a < c & c < b)
  if (!length(inside)) return(result)
  of <- around_integrand(of, quote(.inner(.c + .t)), list(.c = c))
  reach <- pmin(b - c, c - a)
  reach[is.infinite(reach)] <- pmax(1, abs(c[is.infinite(reach)]))
  program <- integrand_program(of, list(x = reach[inside[1L]] / 2, row = inside[1L]))
  rows <- parameter_rows(program, of$params, length(c))
  f <- function(at, t) array(integrand_columns(program, rows, at, t), c(dim(t), nrow(result$value)))
  least <- pmax(2^-52 * abs(c), 2^-100 * reach)
  result <- with_divergence(result, inside[2^21 * least[inside] < reach[inside]], least, f)
  middle <- is.infinite(a) & is.infinite(b) |
    abs((b - c) - (c - a)) <= 4 * .Machine$double.eps * pmax(abs(a), abs(b))
  with_even(result, inside[middle[inside] & result$code[inside] %in% c(1L, 2L, 3L, 8L)], least, reach, f)
}

# The part of t in (s, r) is log(r / s) times the difference where that does not depend on t: where f jumps at c there
# is no principal value. A difference like t^p changes by 2^(18 p) from the first t to the last, so that one with
# p < 0.004 is taken for a jump, too. Less than 64 units in the last place of f may be rounding.
with_divergence <- function(result, at, least, f) {
  if (!length(at)) return(result)
  t <- outer(4 * least[at], 2^c(0, 6, 12, 18))
  up <- f(at, t)
  down <- f(at, -t)
  low <- apply(up - down, c(1L, 3L), min)
  high <- apply(up - down, c(1L, 3L), max)
  size <- apply(abs(up) + abs(down), c(1L, 3L), max)
  least <- pmin(abs(low), abs(high))
  jumps <- low * high > 0 & pmax(abs(low), abs(high)) <= 1.05 * least & least > 64 * .Machine$double.eps * size
  jumps <- which(jumps & is.finite(size), arr.ind = TRUE)
  result$code[at[jumps[, 1L]]] <- 5L
  result$abs.error[cbind(jumps[, 2L], at[jumps[, 1L]])] <- Inf
  result
}

# A function that is even about c has the principal value 0 between limits with c in their middle, which no relative
# error suits. Its error is that of rounding: 2.2e-16 times the integral of the sum of both |f| by log(t).
with_even <- function(result, at, least, reach, f) {
  if (!length(at)) return(result)
  width <- log(reach[at] / least[at])
  t <- least[at] * exp(outer(width, (seq_len(64L) - 0.5) / 64))
  up <- f(at, t)
  down <- f(at, -t)
  size <- abs(up) + abs(down)
  even <- apply(abs(up - down) <= 32 * .Machine$double.eps * size & is.finite(size), c(1L, 3L), all)
  some <- apply(size > 0, 1L, any)
  rounding <- t(.Machine$double.eps * width * apply(size, c(1L, 3L), mean))
  error <- result$abs.error[, at, drop = FALSE] + abs(result$value[, at, drop = FALSE])
  good <- some & colSums(!(t(even) & error <= rounding)) == 0
  result$code[at[good]] <- 0L
  result$abs.error[, at[good]] <- (rounding + error)[, good]
  result
}

# With h half the length, x = a + h s on the left and s = exp(-t / (1 + alpha)), so that s^alpha h ds is
# exp(-t) dt h / (1 + alpha); the same on the right; t is from 0 to infinity.
integrate_weighted <- function(of, control, breaks, weight) {
  n <- weighted_count(of, c("weight$lower" = length(weight$lower), "weight$upper" = length(weight$upper)))
  a <- rep_len(of$lower, n)
  b <- rep_len(of$upper, n)
  bad <- which(!is.finite(b - a) & !is.na(b - a) | (b < a) %in% TRUE)[1L]
  if (!is.na(bad)) raise_engine_error("input", sprintf(
    "limits from %s to %s: with a weight they must be finite, and the lower one first", format(a[bad]),
    format(b[bad])))
  alpha <- rep_len(weight$lower, n)
  beta <- rep_len(weight$upper, n)
  half <- (b - a) / 2
  logs <- list(none = quote(1), lower = quote(.near), upper = quote(.far), both = quote(.near * .far))
  log_at <- function(near, far) do.call(substitute, list(logs[[weight$log]], list(.near = near, .far = far)))
  left <- log_at(quote(.log - .t / (1 + .alpha)), quote(.log + log(2 - .s)))
  right <- log_at(quote(.log + log(2 - .r)), quote(.log - .t / (1 + .beta)))
  made <- substitute({
    .s <- exp(-.t / (1 + .alpha))
    .r <- exp(-.t / (1 + .beta))
    .scale * exp(-.t) * ((2 - .s)^.beta * left / (1 + .alpha) * .inner(.a + .half * .s) +
                           (2 - .r)^.alpha * right / (1 + .beta) * .inner(.b - .half * .r))
  }, list(left = left, right = right))
  empty <- (half == 0) %in% TRUE
  of <- around_integrand(of, made, list(.a = a, .b = b, .alpha = alpha, .beta = beta, .half = half,
                                        .log = ifelse(empty, 0, log(half)),
                                        .scale = ifelse(empty, 0, half^(1 + alpha + beta))))
  of$lower <- as.double(ifelse(is.na(half), NA, 0))
  of$upper <- as.double(ifelse(empty, 0, Inf))
  of$place <- function(t, row) sprintf("x = %s or %s",
                                       format(a[row] + half[row] * exp(-t / (1 + alpha[row])), digits = 15),
                                       format(b[row] - half[row] * exp(-t / (1 + beta[row])), digits = 15))
  given <- points_by_rows(breaks, n)
  inside <- given > a & given < b
  to <- ifelse(given < a + half, -(1 + alpha) * log(pmax(given - a, 0) / half),
               -(1 + beta) * log(pmax(b - given, 0) / half))
  # next to -1 all but x = a, or b, is within a few 1 + alpha of t = 0, where it would fall between nodes: s = e^-40
  rate <- 1 + cbind(alpha, beta, deparse.level = 0)
  integrate_lines(of, control, cbind(ifelse(inside, to, NA_real_), ifelse(rate < 0.01, 40 * rate, NA_real_)))
}

# Break points as a matrix with a row for each integral.
points_by_rows <- function(breaks, n) {
  points <- break_points(breaks, n)
  if (is.null(points)) return(matrix(NA_real_, n, 1L))
  t(if (ncol(points) == n) points else matrix(points, nrow(points), n))
}

# The weight of integrategpu() as it is used.
end_weight <- function(weight) {
  if (!is.list(weight)) weight <- as.list(weight)
  known <- c("lower", "upper", "log")
  if (is.null(names(weight)) || !all(names(weight) %in% known) || anyDuplicated(names(weight)))
    input_error("names(weight)", names(weight), "must be among lower, upper and log")
  for (name in known[1:2]) {
    value <- if (is.null(weight[[name]])) 0 else plain_numbers(weight[[name]])
    check_numeric(paste0("weight$", name), value)
    if (!length(value)) raise_engine_error("input", sprintf("weight$%s has length 0", name))
    bad <- which(!(value > -1 & is.finite(value)))[1L]
    if (!is.na(bad)) input_error(paste0("weight$", name), value[bad],
                                 "must be above -1, or the integral has no value")
    weight[[name]] <- as.double(value)
  }
  weight$log <- choice("weight$log", if (is.null(weight$log)) "none" else weight$log,
                       c("none", "lower", "upper", "both"))
  weight
}

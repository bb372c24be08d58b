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
  of <- around_integrand(of, quote(.sign * ((.t <= .up) * .inner(ifelse(.t <= .up, .c + .t, .spare)) -
                                              (.t <= .down) * .inner(ifelse(.t <= .down, .c - .t, .spare))) / .t),
                         list(.c = c, .up = b - c, .down = c - a, .sign = ifelse(lower <= upper, 1, -1),
                              .spare = spare))
  of$lower <- as.double(ifelse(a == b, 1, pmax(0, a - c, c - b))) # ifelse() of none gives logical ones
  of$upper <- as.double(ifelse(a == b, 1, pmax(b - c, c - a)))
  of$place <- function(t, row) sprintf("x = %s or %s", format(c[row] - t, digits = 15),
                                       format(c[row] + t, digits = 15))
  given <- points_by_rows(breaks, n)
  integrate_lines(of, control, cbind(pmin(b - c, c - a), abs(given - c)))
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

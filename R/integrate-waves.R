# Integrals of an amplitude times cosines and sines of given phases, by Levin's collocation on panels that are halved:
# where p' + i g' p = f, the integral of f exp(i g) is p exp(i g) between the ends, whose cost does not depend on the
# frequency (Levin 1982). With a truncated singular value decomposition it also stands stationary points and low
# frequencies, so that halving alone makes it accurate (Chen, Serkh and Bremer 2022).

wave_nodes <- 16L
# Phases that change by less than this over a panel are for Fejer's rule at the same nodes: the errors of both are
# those of polynomials of degree 15, of cos(3 u) over (-1, 1) 3e-12.
wave_turn <- 6

# Chebyshev points of the first kind, with no node at an end, where f may be infinite: weights of Fejer's first rule,
# the matrix of derivatives, and the rows that take values at the nodes to both ends.
wave_rule <- function(n = wave_nodes) {
  theta <- (2 * seq_len(n) - 1) * pi / (2 * n)
  x <- cos(theta)
  j <- seq_len(n %/% 2L)
  weight <- 2 / n * (1 - 2 * colSums(cos(2 * outer(j, theta)) / (4 * j^2 - 1)))
  bary <- (-1)^seq_len(n) * sin(theta)
  slope <- outer(1 / bary, bary) / (outer(x, x, `-`) + diag(n))
  diag(slope) <- 0
  diag(slope) <- -rowSums(slope)
  end <- function(at) bary / (at - x) / sum(bary / (at - x))
  list(x = x, weight = weight, slope = slope, low = end(-1), high = end(1))
}

# oscillation: phases as f is given, named "cos" or "sin".
checked_oscillation <- function(oscillation) {
  if (!is.list(oscillation) || is.null(names(oscillation)) || !all(names(oscillation) %in% c("cos", "sin")))
    raise_engine_error("input", paste("oscillation must be a list of phases named cos or sin, as in list(cos =",
                                      "function(x, w) w * x)"))
  if (!length(oscillation) || length(oscillation) > 6L)
    input_error("oscillation", length(oscillation), "must have one to six phases")
  for (phase in oscillation) {
    check_function("oscillation", phase)
    if (!is.function(phase) && !is.call(phase))
      input_error("oscillation", class(phase)[1L], "must have functions, formulas or expressions as elements")
  }
  oscillation
}

integrate_waves <- function(of, control, breaks, oscillation) {
  n <- count_of_sizes(c(params = attr(of$params, "size"), lower = length(of$lower), upper = length(of$upper)))
  waves <- wave_integrand(of, oscillation, n)
  lower <- rep_len(of$lower, n)
  upper <- rep_len(of$upper, n)
  points <- points_by_rows(breaks, n)
  found <- lapply(seq_len(n), function(i) wave_integral(waves, i, lower[i], upper[i], points[i, ], control))
  of_name <- function(name) vapply(found, `[[`, 0, name)
  result <- list(value = matrix(of_name("value"), 1L), abs.error = matrix(of_name("abs.error"), 1L),
                 subdivisions = as.integer(of_name("subdivisions")), evaluations = of_name("evaluations"),
                 code = as.integer(of_name("code")), x = of_name("x"))
  bad <- which(result$code == 7L & !is.na(result$x))[1L]
  if (!is.na(bad)) result$place <- shown_x(result$x[bad])
  labelled_result(result, waves$amplitude$program, of$params, NULL)
}

# Programs of the amplitude and the phases with their parameters, and what the product of the cosines and sines is as
# a sum of exp(i (g_1 +- g_2 ...)), of which it is the real part.
wave_integrand <- function(of, oscillation, n) {
  made <- function(f, constants) {
    own <- replace(of, c("f", "constants"), list(f, constants))
    program <- integrand_program(own, first_place(of$lower, of$upper))
    if (length(program$outputs) != 1L)
      input_error("f", length(program$outputs), "must have one component, and phases too, with oscillation")
    list(program = program, rows = parameter_rows(program, of$params, n))
  }
  asks <- function(f) c(all.names(if (is.function(f)) body(f) else f), if (is.function(f)) names(formals(args(f))))
  theirs <- lapply(oscillation, asks)
  for_phases <- setdiff(unlist(theirs), asks(of$f))
  k <- length(oscillation)
  sign <- as.matrix(expand.grid(c(list(1), rep(list(c(1, -1)), k - 1L))))
  factor <- ifelse(rep(names(oscillation) == "sin", each = nrow(sign)), sign / 1i, 1 + 0i)
  list(amplitude = made(of$f, of$constants[setdiff(names(of$constants), for_phases)]),
       phases = Map(function(g, names) made(g, of$constants[names(of$constants) %in% names]), oscillation, theirs),
       sine = names(oscillation) == "sin", sign = sign, rule = wave_rule(),
       factor = 2^(1 - k) * apply(matrix(factor, nrow(sign)), 1L, prod))
}

wave_numbers <- function(part, i, x)
  drop(integrand_columns(part$program, part$rows, rep(i, length(x)), x))

# Integral number i from lower to upper. A range without end on both sides is divided at 0 or the first break.
wave_integral <- function(waves, i, lower, upper, breaks, control) {
  sums <- list(value = 0, abs.error = 0, subdivisions = 0, evaluations = 0, code = 6, x = NaN)
  if (is.na(lower) || is.na(upper)) return(replace(sums, c("value", "abs.error"), NaN))
  sums$code <- 0
  if (lower == upper) return(sums)
  sign <- if (lower < upper) 1 else -1
  ends <- sort(c(lower, upper))
  inner <- sort(breaks[!is.na(breaks) & breaks > ends[1L] & breaks < ends[2L]])
  if (all(is.infinite(ends)) && !length(inner)) inner <- 0
  finite <- c(if (is.finite(ends[1L])) ends[1L], inner, if (is.finite(ends[2L])) ends[2L])
  if (length(finite) > 1L) {
    panels <- max(1L, ceiling(control$min.panels / (length(finite) - 1L)))
    edges <- unlist(lapply(seq_along(finite)[-1L], function(k)
      finite[k - 1L] + (finite[k] - finite[k - 1L]) * seq(0, 1, length.out = panels + 1L)[-(panels + 1L)]))
    sums <- levin_sum(waves, i, c(edges, finite[length(finite)]), 1, sums, control, FALSE)
  }
  if (is.infinite(ends[2L])) sums <- wave_tail(waves, i, finite[length(finite)], 1, sums, control)
  if (is.infinite(ends[1L])) sums <- wave_tail(waves, i, finite[1L], -1, sums, control)
  if (sums$code == 0 && abs(sums$value) + sums$abs.error < .Machine$double.xmin) sums$code <- 8
  sums$value <- sign * Re(sums$value)
  sums
}

# Values of panels: of the product itself where its phases change little, but not if exponentials are wanted apart;
# else of the sum of these, complex, with rounding errors, and of each exponential what a tail from the upper end has.
# `direction` is -1 towards -Inf, where x = -t. Phases at the ends are those of f itself, the same for the panels on
# both sides, so that their rounding errors count at the `outer` ends only.
wave_values <- function(waves, i, a, b, direction, apart, outer = c(-Inf, Inf)) {
  rule <- waves$rule
  n <- length(rule$x)
  half <- (b - a) / 2
  x <- direction * (rep((a + b) / 2, each = n) + outer(rule$x, half))
  f <- matrix(wave_numbers(waves$amplitude, i, x), n)
  g <- lapply(waves$phases, function(part) matrix(wave_numbers(part, i, x), n))
  change <- function(g) apply(g, 2L, function(v) diff(range(v)))
  bad <- which(!is.finite(Reduce(`+`, g, f)))
  if (length(bad)) return(list(bad = x[bad[1L]]))
  at_ends <- lapply(waves$phases, function(part) matrix(wave_numbers(part, i, direction * c(a, b)), ncol = 2L))
  value <- complex(length(a))
  noise <- numeric(length(a))
  tail <- matrix(0i, nrow(waves$sign), length(a))
  direct <- if (apart) logical(length(a)) else Reduce(`+`, lapply(g, change)) < wave_turn
  if (any(direct)) {
    found <- wave_product(f[, direct, drop = FALSE], lapply(g, function(v) v[, direct, drop = FALSE]), waves$sine)
    value[direct] <- half[direct] * colSums(rule$weight * found$y)
    noise[direct] <- .Machine$double.eps * half[direct] * colSums(rule$weight * found$noise)
  }
  for (s in seq_len(nrow(waves$sign))) {
    own <- Reduce(`+`, Map(function(sign, g) sign * g, waves$sign[s, ], g))
    moved <- change(own)
    ends <- Reduce(`+`, Map(function(sign, g) sign * g, waves$sign[s, ], at_ends))
    for (k in which(!direct)) {
      found <- if (moved[k] < wave_turn && !apart) one_turn(rule, f[, k], own[, k], half[k])
               else levin_panel(rule, f[, k], own[, k], half[k], ends[k, ], c(a[k], b[k]) == outer)
      value[k] <- value[k] + waves$factor[s] * found$value
      tail[s, k] <- -waves$factor[s] * found$end
      noise[k] <- noise[k] + Mod(waves$factor[s]) * found$noise
    }
  }
  list(value = value, noise = noise, tail = tail)
}

# The product, and its rounding errors in units of eps: those of the phases change one factor each.
wave_product <- function(f, g, sine) {
  wave <- Map(function(g, sine) if (sine) sin(g) else cos(g), g, sine)
  y <- Reduce(`*`, wave, f)
  noise <- abs(y)
  for (k in seq_along(g)) noise <- noise + abs(g[[k]]) * abs(Reduce(`*`, wave[-k], f)) *
      if (sine[k]) abs(cos(g[[k]])) else abs(sin(g[[k]]))
  list(y = y, noise = noise)
}

one_turn <- function(rule, f, g, half) list(value = half * sum(rule$weight * f * exp(1i * g)), end = 0,
  noise = .Machine$double.eps * half * sum(rule$weight * abs(f) * (1 + abs(g))))

# Levin's equation at the nodes, with derivatives over (-1, 1). Where g' is larger than all of the derivatives of
# polynomials the matrix is far from singular; else what its small singular values have is left out.
levin_panel <- function(rule, f, g, half, ends, outer) {
  n <- length(f)
  speed <- drop(rule$slope %*% g)
  matrix <- rule$slope + diag(1i * speed)
  p <- if (min(abs(speed)) > n^2) solve(matrix, half * f) else {
    s <- svd(matrix)
    kept <- s$d > 1e-13 * s$d[1L]
    drop(s$v[, kept, drop = FALSE] %*% ((Conj(t(s$u[, kept, drop = FALSE])) %*% (half * f)) / s$d[kept]))
  }
  lost <- !is.finite(ends)
  ends[lost] <- c(sum(rule$low * g), sum(rule$high * g))[lost]
  at <- c(sum(rule$low * p), sum(rule$high * p)) * exp(1i * ends)
  # of p, by the derivatives of phases, and of the phases at outer ends
  digits <- n + n * max(abs(g)) / max(abs(speed), n) + (outer | lost) * abs(ends)
  list(value = at[2L] - at[1L], end = at[2L], noise = .Machine$double.eps * sum(Mod(at) * digits))
}

# Adds the integral over panels between these edges to `sums`. Halves are compared with what they are of; `before` is
# known of the rest of the integral, so that tolerances of tails are those of the whole.
levin_sum <- function(waves, i, edges, direction, sums, control, apart, share = 1) {
  a <- edges[-length(edges)]
  b <- edges[-1L]
  outer <- edges[c(1L, length(edges))]
  own <- wave_values(waves, i, a, b, direction, apart, outer)
  past <- rep(Inf, length(a))
  done <- list(value = 0, error = 0)
  used <- length(a)
  count <- length(a)
  repeat {
    if (!is.null(own$bad)) return(replace(sums, c("value", "abs.error", "code", "x"), list(NaN, Inf, 7, own$bad)))
    middle <- (a + b) / 2
    halves <- wave_values(waves, i, c(a, middle), c(middle, b), direction, apart, outer)
    count <- count + 2L * length(a)
    if (!is.null(halves$bad)) {
      own <- halves
      next
    }
    first <- seq_along(a)
    both <- halves$value[first] + halves$value[-first]
    noise <- halves$noise[first] + halves$noise[-first]
    change <- if (apart) Mod(own$value - both) else abs(Re(own$value) - Re(both))
    ratio <- ifelse(past > 0, pmin(change / past, 0.95), 0)
    # next to a singularity changes fall like a geometric series, whose rest is this, and as much again
    error <- change * pmax(1, 2 * ratio / (1 - ratio))
    value <- sums$value + done$value + sum(both)
    allowed <- share * max(control$tolerance[1L] * abs(Re(value)), control$tolerance[2L])
    total <- done$error + sum(error + noise)
    code <- if (total <= allowed) 0 else if (all(error <= 2 * noise | b - a <= 4e-16 * abs(a + b))) 2
            else if (used + length(a) > control$subdivisions) 1 else NA
    left <- if (is.na(code)) error > pmax((allowed - done$error) / (2 * length(a)), 2 * noise) else logical(length(a))
    if (is.na(code) && !any(left)) left <- error == max(error)
    done$value <- done$value + sum(both[!left])
    done$error <- done$error + sum((error + noise)[!left])
    if (!is.na(code)) break
    at <- which(left)
    a <- c(a[at], middle[at])
    b <- c(middle[at], b[at])
    own <- list(value = halves$value[c(at, at + length(first))])
    past <- rep(change[at], 2L)
    used <- used + length(at)
  }
  list(value = sums$value + done$value, abs.error = sums$abs.error + done$error,
       subdivisions = sums$subdivisions + used, evaluations = sums$evaluations + length(waves$rule$x) * count,
       code = max(sums$code, code), x = sums$x)
}

# From an end to infinity over panels of twice the length each. Beyond the last one is what the solutions p of Levin's
# equation, which vary slowly there, say: -p exp(i g) at its end. How far sums with this are apart is the error, as
# long as they come together like a geometric series, as with amplitudes that fall as a power of x.
wave_tail <- function(waves, i, from, direction, sums, control) {
  start <- direction * from
  sums <- levin_sum(waves, i, start + seq(0, 1, length.out = max(2L, control$min.panels %/% 4L)), direction, sums,
                      control, FALSE, 1 / 8)
  before <- complex(nrow(waves$sign))
  last <- reach <- Inf
  for (k in 0:60) {
    if (sums$code > 2) return(sums)
    edges <- start + 2^c(k, k + 1)
    tried <- wave_values(waves, i, edges[1L], edges[2L], direction, TRUE)
    old <- sums$value
    sums <- levin_sum(waves, i, edges, direction, sums, control, TRUE, 1 / 16)
    if (!is.null(tried$bad) || sums$code > 2) return(sums)
    apart <- Mod(sum(tried$tail - before) + sums$value - old)
    ratio <- if (is.finite(last) && last > 0) apart / last else 1
    before <- tried$tail
    total <- sums$value + sum(before)
    error <- apart * max(1, ratio / (1 - min(ratio, 0.75)))
    allowed <- max(control$tolerance[1L] * abs(Re(total)), control$tolerance[2L])
    falls <- sum(Mod(before)) <= max(0.99 * reach, tried$noise) # or the limit is that of Abel's sums alone
    reach <- sum(Mod(before))
    hidden <- apart <= tried$noise + sums$abs.error
    good <- ratio < 0.75 && error + sums$abs.error <= allowed || hidden && k >= 4L
    if (k >= 2L && falls && good || k == 60L) {
      if (k == 60L) return(replace(sums, c("value", "abs.error", "code"), list(total, Inf, 5)))
      sums$abs.error <- sums$abs.error + error + tried$noise
      if (sums$abs.error > allowed) sums$code <- 2
      return(replace(sums, "value", total))
    }
    last <- apart
  }
}

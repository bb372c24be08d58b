# Tables in integrands: functions made by approxfun(), stepfun(), ecdf() and splinefun(), elements of captured vectors
# whose index depends on the variable or params, and findInterval(). The engine searches their knots (op_find() of
# integrand_ops.h) and reads elements (op_at()).

# What R's functions of these kinds look like.
table_bodies <- function() {
  if (is.null(integrand_memory$tables)) integrand_memory$tables <- list(
    approx = body(stats::approxfun(1:2, 1:2)), spline = body(stats::splinefun(1:2, 1:2)),
    hermite = body(stats::splinefunH(1:2, 1:2, 1:2)))
  integrand_memory$tables
}

table_entry <- function(f) {
  env <- environment(f)
  if (!is.environment(env) || !identical(environmentName(parent.env(env)), "stats")) return(NULL)
  for (kind in names(table_bodies())) if (identical(body(f), table_bodies()[[kind]], ignore.srcref = TRUE))
    return(list(run = run_values, make = make_table, kind = kind, of = env, object = f, takes = "string"))
}

# Such a function as a piecewise polynomial, or a derivative of it. Piece 1 is left of all knots, and piece k + 1 from
# knot k on: powers of x - base, a column each from the constant on, and, where it is not that of the piece, the value
# at knot k. Coefficients of splines are R's; the cubic with values y, y1 and slopes m, m1 at the ends of an interval
# of length h is y + m t + (3 s - 2 m - m1)/h t^2 + (m + m1 - 2 s)/h^2 t^3, s = (y1 - y)/h.
table_pieces <- function(kind, env, deriv, linear) {
  if (kind == "approx") {
    x <- env$x
    y <- env$y
    n <- length(x)
    inner <- if (env$method == 1) cbind(y[-n], diff(y) / diff(x))
             else cbind((if (env$f != 1) (1 - env$f) * y[-n] else 0) + (if (env$f != 0) env$f * y[-1L] else 0))
    beyond <- function(v) c(v, if (env$method == 1) 0)
    return(list(knots = x, base = c(x[1L], x), power = rbind(beyond(env$yleft), inner, beyond(env$yright)),
                at = c(NA, y)))
  }
  if (kind == "spline") {
    z <- env$z
    x <- z$x
    power <- cbind(z$y, z$b, z$c, z$d)
    power <- rbind(if (z$method == 2) c(power[1L, 1:3], 0) else power[1L, ], power)
  } else {
    x <- env$x0
    n <- length(x)
    h <- env$dx
    m <- env$m
    s <- diff(env$y0) / h
    power <- cbind(env$y0[-n], m[-n], (3 * s - 2 * m[-n] - m[-1L]) / h, (m[-n] + m[-1L] - 2 * s) / h^2)
    power <- if (linear) rbind(c(env$y0[1L], m[1L], 0, 0), power, c(env$y0[n], m[n], 0, 0))
             else rbind(power[1L, ], power, power[n - 1L, ])
  }
  base <- c(x[1L], x)
  if (kind == "hermite" && !linear) base[length(base)] <- x[length(x) - 1L]
  for (k in seq_len(deriv)) power <- power[, -1L, drop = FALSE] * rep(seq_len(ncol(power) - 1L), each = nrow(power))
  # R's third derivative lacks a division by the length of the interval
  if (kind == "hermite" && deriv == 3) power <- power * h[c(1L, seq_along(h), length(h))]
  # the natural spline is a line up to the first knot, and there
  at <- if (kind == "spline" && z$method == 2 && deriv > 0) c(NA, power[1L, 1L], power[-(1:2), 1L])
  list(knots = x, base = base, power = power, at = at,
       period = if (kind == "spline" && z$method == 1) x[length(x)] - x[1L])
}

make_table <- function(tr, values, e, entry) {
  place <- match_arguments(entry$object, values, e)$place
  given <- function(name) if (name %in% names(place)) values[[place[[name]]]]
  x <- as_number(tr, values[[place[[1L]]]])
  deriv <- if (is.null(given("deriv"))) 0 else trunc(known_number(tr, given("deriv"), e, "deriv"))
  if (!deriv %in% 0:3) integrand_refuse(e, "deriv must be between 0 and 3")
  # knots and values may be assigned to
  root <- integrand_root(tr, entry$of)
  for (name in switch(entry$kind, approx = c("x", "y", "yleft", "yright", "f", "method"), spline = "z",
                      c("x0", "y0", "m", "dx"))) {
    found <- variable_source(tr, name, root)
    note_lookup(tr, found$kind, root, name, found$value)
  }
  pieces <- table_pieces(entry$kind, entry$of, deriv, !identical(given("extrapol")$text, "cubic"))
  op <- function(...) recycled(tr, ...)
  element <- function(v)
    if (all(v == v[1L]) %in% TRUE) literal(tr, v[1L]) else op("at", piece, table_node(tr, v))
  if (!is.null(pieces$period)) {
    start <- literal(tr, pieces$knots[1L])
    x <- op("add", start, op("mod", op("sub", x, start), literal(tr, pieces$period)))
  } else if (identical(unname(x), tr$nodes$x)) tr$knots <- c(tr$knots, pieces$knots)
  piece <- op("find", x, table_node(tr, c(-Inf, pieces$knots)))
  t <- op("sub", x, element(pieces$base))
  value <- NULL
  for (k in rev(seq_len(ncol(pieces$power)))) {
    coefficient <- element(pieces$power[, k])
    higher <- value
    value <- if (is.null(higher)) coefficient else op("add", coefficient, op("mul", t, higher))
    # a constant piece has its value at infinity too
    if (entry$kind == "approx" && !is.null(higher))
      value <- op("select", op("eq", higher, literal(tr, 0)), coefficient, value)
  }
  if (is.null(pieces$at)) return(value)
  knot <- op("eq", x, element(c(Inf, pieces$knots)))
  op("select", knot, element(pieces$at), value)
}

# v[k] for k that is known only at each point, truncated as R does; NaN where there is no such element.
table_element <- function(tr, v, index) {
  known <- argument_of_r(tr, v)
  if (is.null(known) || !is.numeric(known[[1L]]) || length(index) != 1L) return(NULL)
  recycled(tr, "at", operation(tr, "sub", operation(tr, "trunc", index), literal(tr, 1)),
                 table_node(tr, as.double(known[[1L]])))
}

make_interval <- function(tr, values, e, entry) {
  values <- placed(values, c("x", "vec"), e)
  known <- argument_of_r(tr, values[[2L]])
  if (!is.null(known) && !is.null(argument_of_r(tr, values[[1L]]))) return(make_by_r(tr, values, e, entry))
  x <- as_nodes(values[[1L]], e)
  if (is.null(known) || is.unsorted(known[[1L]])) integrand_refuse(e, "vec must be constant, and in ascending order")
  if (identical(unname(x), tr$nodes$x)) tr$knots <- c(tr$knots, known[[1L]])
  recycled(tr, "find", x, table_node(tr, c(-Inf, as.double(known[[1L]]))))
}

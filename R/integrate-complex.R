# Complex numbers in integrands: a pair of vectors of nodes or of data. Branch cuts are those of C99, on the negative
# real axis by the sign of the zero.

complex_value <- function(re, im) integrand_value("complex", re = re, im = im)

is_complex_value <- function(v) is.list(v) && v$kind == "complex"
real_part <- function(v) if (is_complex_value(v)) v$re else v
imaginary_part <- function(tr, v) {
  if (is_complex_value(v)) v$im
  else if (is_nodes(v)) rep(literal(tr, 0), length(v))
  else if (v$kind == "series") literal(tr, 0)
  else v
}

# The parts of vectors that are recycled, as numbers.
make_pair <- function(tr, values, e, entry) {
  values <- lapply(values, function(v) if (is_nodes(v)) as_number(tr, v) else v)
  n <- if (all(vapply(values, is_nodes, NA))) max(lengths(values))
  do.call(complex_value, stats::setNames(if (is.null(n)) values else lapply(values, rep_len, n), c("re", "im")))
}

# Functions that do the same with both parts: of their first argument, of all, or of all but the first.
complex_by_parts <- c(`+` = "all", `-` = "all", c = "all", sum = "all", cumsum = "all", ifelse = "rest")
complex_by_parts[c("[", "[[", "rep", "rev", "mean", "as.vector", "unname", "identity", "invisible", "force",
                   "drop")] <- "first"

value_of_complex <- function(tr, values, e, entry) {
  name <- if (is.null(entry$name)) "" else entry$name
  is_real <- !vapply(values, is_complex_value, NA)
  by_parts <- complex_by_parts[name]
  if (name == "*" && any(is_real)) by_parts <- if (is_real[1L]) "rest" else "first"
  if (name == "/" && is_real[2L]) by_parts <- "first"
  if (!is.na(by_parts)) {
    at <- switch(by_parts, first = 1L, rest = seq_along(values)[-1L], seq_along(values))
    of_part <- function(part) {
      values[at] <- lapply(values[at], part)
      value_of_call(tr, values, e, entry)
    }
    return(complex_value(of_part(real_part), of_part(function(v) imaginary_part(tr, v))))
  }
  if (name == "length") return(value_of_call(tr, lapply(values, real_part), e, entry))
  if (name == "Re") return(values[[1L]]$re)
  if (name == "Im") return(values[[1L]]$im)
  if (name %in% c("is.complex", "is.numeric")) return(literal(tr, as.double(name == "is.complex"), TRUE))
  whole <- if (name == "^" && is_nodes(values[[2L]]) && length(values[[2L]]) == 1L &&
               level_of(tr, values[[2L]]) == 2L) known_value(tr, values[[2L]])
  if (!is.null(whole) && abs(whole) <= 64 && whole == trunc(whole)) return(complex_power(tr, values[[1L]], whole, e))
  definition <- integrand_definitions$complex[[name]]
  if (is.null(definition)) integrand_refuse(e, "of complex numbers it is not translated")
  write_out(tr, e, list(depth = 0L), definition, body(definition), trusted_root(tr), NULL, values)
}

# Products, as R has them for whole exponents.
complex_power <- function(tr, base, n, e) {
  times <- function(a, b, name = "*") value_of_complex(tr, list(a, b), e, integrand_table()$by_name[[name]])
  one <- literal(tr, 1)
  if (n < 0) return(times(one, complex_power(tr, base, -n, e), "/"))
  if (n == 0) return(complex_value(rep(one, length(base$re)), rep(literal(tr, 0), length(base$re))))
  if (n == 1) return(base)
  square <- complex_power(tr, times(base, base), n %/% 2, e)
  if (n %% 2 == 1) times(square, base) else square
}

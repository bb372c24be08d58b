# Which integrals a call is of: columns of params whose elements are vectors of different lengths, and the way that
# each kind of integral goes.

# of: f, limits, params as columns, constants, and the environment of the call.
integrals_of <- function(of, control, breaks, cauchy, weight, oscillation) {
  if (any(vapply(of$params, is_ragged, NA)))
    return(ragged_integrals(of, control, breaks, cauchy, weight, oscillation))
  if (is.list(of$lower) || is.list(of$upper)) integrate_boxes(of, control)
  else if (!is.null(oscillation)) integrate_waves(of, control, breaks, oscillation)
  else if (!is.null(cauchy)) integrate_cauchy(of, control, breaks, cauchy)
  else if (!is.null(weight)) integrate_weighted(of, control, breaks, weight)
  else integrate_lines(of, control, breaks)
}

# Elements of list columns, which have a row of a matrix each where they have the same length: integrals with the
# same lengths are computed together, and share rounds and a program.
ragged_integrals <- function(of, control, breaks, cauchy, weight, oscillation) {
  several <- is.list(of$lower)
  limits <- if (several) Filter(is.numeric, c(of$lower, of$upper)) else of[c("lower", "upper")]
  vectors <- c(limits, list(cauchy), weight[c("lower", "upper")])
  size <- lengths(Filter(Negate(is.null), vectors))
  n <- count_of_sizes(c(params = attr(of$params, "size"), size))
  ragged <- vapply(of$params, is_ragged, NA)
  widths <- vapply(of$params[ragged], function(v) lengths(rep_len(v, n)), integer(n))
  if (n == 0L) widths <- matrix(1L, 1L, sum(ragged)) # a program all the same
  group <- apply(matrix(widths, ncol = sum(ragged)), 1L, paste, collapse = " ")
  groups <- unname(split(seq_along(group), match(group, group)))
  found <- lapply(groups, function(rows) {
    if (n == 0L) rows <- integer()
    own <- of
    own$params <- structure(lapply(of$params, rows_of_ragged, rows), size = length(rows),
                            names_of_rows = of_rows(attr(of$params, "names_of_rows"), rows, n))
    own[c("lower", "upper")] <- lapply(own[c("lower", "upper")], function(limit)
      if (is.list(limit)) lapply(limit, of_rows, rows, n) else of_rows(limit, rows, n))
    points <- if (is.data.frame(breaks)) as.matrix(breaks) else breaks
    integrals_of(own, control, if (is.matrix(points) && nrow(points) > 1L) points[rows, , drop = FALSE] else points,
                 of_rows(cauchy, rows, n), if (!is.null(weight)) lapply(weight, of_rows, rows, n), oscillation)
  })
  columns <- intersect(c("value", "abs.error", "std.error", "subdivisions", "evaluations", "code", "x", "regions",
                         "launches"), names(found[[1L]]))
  result <- joined_parts(lapply(found, `[`, columns))
  result <- columns_of(result, order(unlist(groups)[seq_len(n)]))
  first <- Filter(function(one) !is.null(one$place), found)
  c(result, if (length(first)) first[[1L]][intersect(c("place", "says"), names(first[[1L]]))],
    found[[1L]][c("components", "kind")], list(names = attr(of$params, "names_of_rows")))
}

rows_of_ragged <- function(column, rows) {
  if (!is_ragged(column)) return(rows_of_column(column, rows, drop = FALSE))
  own <- lapply(rep_len(column, max(rows, 0L))[rows], as.double)
  if (length(rows)) do.call(rbind, own) else matrix(0, 0L, 1L)
}

# Numbers for each of n integrals, or one for all; functions and words are for all.
of_rows <- function(v, rows, n) if (!is.function(v) && length(v) > 1L) rep_len(v, n)[rows] else v

is_ragged <- function(column) is.list(column) && !is.data.frame(column)

check_ragged <- function(name, column) {
  good <- vapply(column, function(v) is.numeric(v) || is.logical(v), NA)
  if (!all(good)) input_error(sprintf("params$%s", name), class(column[[which(!good)[1L]]])[1L],
                              "must have vectors of numbers as elements")
  empty <- which(lengths(column) == 0L)
  if (length(empty)) raise_engine_error("input", sprintf("params$%s has no number in row %d", name, empty[1L]))
}

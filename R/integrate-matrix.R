# Matrices in integrands: vectors of nodes with dimensions. Those that are captured become such where they meet what
# depends on the variable or params; those with many rows then have columns of data.

# A captured matrix, or a column alone as a vector, among numbers.
nodes_of_object <- function(tr, v) {
  if (!is.list(v) || v$kind != "object" || !is.numeric(v$value) || is.object(v$value) || length(dim(v$value)) != 2L)
    return(v)
  if (ncol(v$value) == 1L) return(captured_value(tr, as.vector(v$value), v$name))
  if (length(v$value) > integrand_limits[["written"]]) return(v)
  structure(captured_value(tr, as.vector(v$value), v$name), dim = dim(v$value))
}

# What R does with the elements of vectors it does with their nodes: of all arguments, or of the first, where others
# must be constants.
make_arranged <- function(tr, values, e, entry) {
  rest <- if (entry$first) seq_along(values)[-1L]
  values[rest] <- lapply(values[rest], function(v) known_numbers(tr, v, e, "an argument"))
  id <- do.call(entry$object, values)
  of_one_type(tr, structure(as.vector(id), dim = dim(id)))
}

make_extent <- function(tr, values, e, entry) {
  v <- placed(values, "x", e)[[1L]]
  if (is.null(dim(v)) && entry$name %in% c("dim", "nrow", "ncol")) return(integrand_null)
  literals(tr, entry$object(array(0, if (is.null(dim(v))) length(v) else dim(v))))
}

make_margin <- function(tr, values, e, entry) {
  v <- placed(without_na_rm(tr, values, e), "x", e)[[1L]]
  if (length(dim(v)) != 2L) integrand_refuse(e, "it is not a matrix")
  by_row <- startsWith(entry$name, "row")
  sums <- apply(v, if (by_row) 1L else 2L, function(id) make_fold(tr, list(id), e, list(op = "add")))
  if (!endsWith(entry$name, "Means")) return(sums)
  recycled(tr, "div", sums, literal(tr, dim(v)[if (by_row) 2L else 1L]))
}

make_product <- function(tr, values, e, entry) {
  cross <- entry$name == "crossprod"
  a <- values[[1L]]
  b <- if (length(values) == 2L) values[[2L]] else if (cross) a
  if (length(values) > 2L || is.null(b)) integrand_refuse(e, "it is a product of two")
  if (!cross && is.list(a) && is.matrix(a$value)) return(product_of_data(tr, a$value, as_nodes(b, e), e))
  a <- as_nodes(a, e)
  b <- as_nodes(b, e)
  inner <- function(a, b) make_fold(tr, list(recycled(tr, "mul", unname(a), unname(b))), e, list(op = "add"))
  if (is.null(dim(a)) && is.null(dim(b)) && length(a) == length(b)) return(inner(a, b))
  if (is.null(dim(a))) a <- if (cross || length(a) != NROW(b)) matrix(a) else matrix(a, 1L)
  if (cross) a <- t(a)
  if (is.null(dim(b))) b <- if (length(b) == ncol(a)) matrix(b) else matrix(b, 1L)
  if (ncol(a) != nrow(b)) integrand_refuse(e, "the arguments are not conformable")
  id <- matrix(0L, nrow(a), ncol(b))
  for (i in seq_len(nrow(a))) for (j in seq_len(ncol(b))) id[i, j] <- inner(a[i, ], b[, j])
  id
}

# A matrix of many rows times a vector: what is computed for each row.
product_of_data <- function(tr, x, b, e) {
  if (length(b) != ncol(x) || NCOL(b) != 1L || anyNA(x))
    integrand_refuse(e, "of so large a matrix it is not translated")
  terms <- lapply(seq_along(b), function(j) {
    column <- if (all(x[, j] == 1)) literal(tr, 1) else data_node(tr, x[, j])
    recycled(tr, "mul", column, unname(b[j]))
  })
  id <- Reduce(function(a, b) recycled(tr, "add", a, b), terms)
  if (all(x == 1)) rep(id, nrow(x))
  else integrand_value("series", id = id, n = nrow(x), name = integrand_shown(e), dim = c(nrow(x), 1L))
}

# ---- functions that are called for elements ------------------------------------------------------------------------

known_promise <- function(e, frame, value) {
  promise <- integrand_promise(e, frame)
  promise$known <- list(list(branch = 0L, value = value))
  promise
}

# c(g(v[1], w[1], ...), ...) of vectors in a list: a matrix where g gives vectors, as sapply() simplifies.
call_each <- function(tr, e, frame, g, over, more = list()) {
  if (is.character(g)) g <- as.name(g)
  n <- length(over[[1L]])
  if (!n || any(lengths(over) != n)) integrand_refuse(e, "its vectors have length 0 or are not of one length")
  values <- lapply(seq_len(n), function(i) {
    elements <- lapply(over, function(v) known_promise(e, frame, v[[i]]))
    value <- integrand_eval(tr, as.call(c(list(g), elements, more)), frame)
    if (is_complex_value(value)) value else as_nodes(value, e)
  })
  if (n == 1L) return(values[[1L]])
  if (any(vapply(values, is_complex_value, NA)))
    return(value_of_complex(tr, values, e, integrand_table()$by_name$c))
  if (any(lengths(values) != length(values[[1L]])) || !length(values[[1L]]))
    integrand_refuse(e, "the function must give vectors of one length")
  if (length(values[[1L]]) > 1L) return(of_one_type(tr, do.call(cbind, lapply(values, as.vector))))
  structure(vapply(values, unname, 0L), names = names(over[[1L]]))
}

# The arguments of a call of sapply() and the like, by the names that R's function has.
argument_places <- function(tr, e, frame, entry, needed) {
  arguments <- call_arguments(tr, e, frame)
  place <- match_arguments(entry$object, arguments, e)
  if (!all(needed %in% names(place$place))) integrand_refuse(e, "it must have a vector and a function")
  c(lapply(place$place, function(k) arguments[[k]]), list(more = arguments[place$dots]))
}

# sapply(v, g, ...) and vapply(v, g, 0, ...), which for a single number are g.
run_sapply <- function(tr, e, frame, entry) {
  of <- argument_places(tr, e, frame, entry, c("X", "FUN"))
  if (!is.null(of$simplify) && !isTRUE(of$simplify)) integrand_refuse(e, "without simplification it is a list")
  call_each(tr, e, frame, of$FUN, list(as_nodes(integrand_eval(tr, of$X, frame), e)), of$more)
}

run_mapply <- function(tr, e, frame, entry) {
  of <- argument_places(tr, e, frame, entry, "FUN")
  if (length(of) > 2L) integrand_refuse(e, "only mapply(f, ...) of vectors is translated")
  over <- lapply(of$more, function(a) as_nodes(integrand_eval(tr, a, frame), e))
  n <- max(0L, lengths(over))
  call_each(tr, e, frame, of$FUN, lapply(over, function(v) if (length(v) == 1L) rep(v, n) else v))
}

run_apply <- function(tr, e, frame, entry) {
  of <- argument_places(tr, e, frame, entry, c("X", "MARGIN", "FUN"))
  v <- as_nodes(nodes_of_object(tr, integrand_eval(tr, of$X, frame)), e)
  margin <- known_number(tr, integrand_eval(tr, of$MARGIN, frame), e, "MARGIN")
  if (length(dim(v)) != 2L || !margin %in% 1:2) integrand_refuse(e, "it is for rows or columns of a matrix")
  call_each(tr, e, frame, of$FUN, list(if (margin == 1) split(v, row(v)) else split(v, col(v))), of$more)
}

# One call of g for all pairs. Of data and a number it is a row or column of data.
run_outer <- function(tr, e, frame, entry) {
  of <- argument_places(tr, e, frame, entry, c("X", "Y"))
  pair <- lapply(of[c("X", "Y")], function(a) nodes_of_object(tr, integrand_eval(tr, a, frame)))
  if (!all(vapply(pair, function(v) is.null(if (is_nodes(v)) dim(v) else v$dim), NA)))
    integrand_refuse(e, "of a matrix it is not translated")
  size <- vapply(pair, function(v) if (is.list(v) && v$kind == "series") v$n else length(as_nodes(v, e)), 0L)
  if (all(vapply(pair, is_nodes, NA))) pair <- list(rep(pair[[1L]], size[2L]), rep(pair[[2L]], each = size[1L]))
  else if (min(size) > 1L) integrand_refuse(e, "of data and a vector it is not translated")
  g <- if (is.null(of$FUN)) quote(`*`) else if (is.character(of$FUN)) as.name(of$FUN) else of$FUN
  pair <- lapply(unname(pair), known_promise, e = e, frame = frame)
  value <- integrand_eval(tr, as.call(c(list(g), pair, of$more)), frame)
  if (is.list(value) && value$kind == "series") return(replace(value, "dim", list(unname(size))))
  value <- as_nodes(value, e)
  if (length(value) != prod(size)) integrand_refuse(e, "the function must give a number for each pair")
  structure(as.vector(value), dim = unname(size))
}

# Functions of integrand_known that are translated too, of what is not known.
integrand_arranged <- list(
  t = make_arranged, matrix = make_arranged, cbind = make_arranged, rbind = make_arranged, head = make_arranged,
  tail = make_arranged, nrow = make_extent, ncol = make_extent, NROW = make_extent, NCOL = make_extent,
  dim = make_extent, rowSums = make_margin, rowMeans = make_margin, colSums = make_margin, colMeans = make_margin)

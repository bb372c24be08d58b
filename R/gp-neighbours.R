# Orders and neighbours for Vecchia's approximation: exact, and the same whatever the number of threads. x and data
# are matrices of coordinates, a row for each point, of up to 10 columns, in which distances are Euclidean: who wants
# others scales them, or gives points of the unit sphere. The attribute "least" is the smallest distance above 0 that
# was met (src/gp/neighbours.h says what it bounds), or Inf.

# Row numbers in max-min order: each next point is as far as any from those before it.
gp_ordering <- function(x) .Call(C_gpOrdering, point_matrix("x", x))

# For rows first ... n of x, in columns: the numbers of the m nearest of the rows before, nearest first; NA where
# there are fewer.
gp_neighbours <- function(x, m, first = 1L) {
  whole_number("m", m)
  whole_number("first", first)
  .Call(C_gpNeighbours, point_matrix("x", x), as.integer(m), as.integer(first))
}

# The locations in the max-min order, and of each the nearest before it, m or all others: `members` counts in that
# order. With `classes` those of about the same rank are along a curve.
gp_ordered <- function(x, m, classes = FALSE) {
  order <- gp_ordering(x)
  if (classes) order <- .Call(C_gpRankClasses, point_matrix("x", x), order)
  list(order = order, members = gp_neighbours(x[order, , drop = FALSE], max(min(m, nrow(x) - 1L), 1L)))
}

# For each row of x: the numbers of the m nearest rows of data; with labels of groups only of other groups.
gp_neighbours_among <- function(x, data, m, group = NULL, data_group = NULL) {
  whole_number("m", m)
  x <- point_matrix("x", x)
  data <- point_matrix("data", data)
  stopifnot(ncol(x) == ncol(data), is.null(group) == is.null(data_group))
  if (!is.null(group)) {
    known <- unique(c(group, data_group))
    stopifnot(length(group) == nrow(x), length(data_group) == nrow(data), !anyNA(known))
    group <- match(group, known)
    data_group <- match(data_group, known)
  }
  .Call(C_gpNeighboursAmong, x, data, as.integer(m), group, data_group)
}

# For each row of x the numbers of the m nearest of the first before[i] rows of data; `before` does not fall.
gp_neighbours_before <- function(x, before, data, m)
  .Call(C_gpNeighboursBefore, point_matrix("x", x), as.integer(before), point_matrix("data", data), as.integer(m))

# Rows of x in an order in which `size` after the other are in one cell of space.
gp_cells <- function(x, size) .Call(C_gpCells, point_matrix("x", x), as.integer(size))

# Blocks of `size` locations near to each other, the last one of fewer: rows in an order by blocks, these in the
# max-min order of their centres, and a matrix with a column for each block: numbers, in that order, of the m nearest
# to its centre of the locations in blocks before, nearest first, and at its end those of the block; NA where there
# are fewer.
gp_blocks <- function(x, size, m) {
  n <- nrow(x)
  cell <- (seq_len(n) - 1L) %/% as.integer(size) + 1L
  row <- gp_cells(x, size)
  count <- tabulate(cell)
  centre <- rowsum(x[row, , drop = FALSE], cell, reorder = FALSE) / count
  turn <- gp_ordering(centre)
  count <- count[turn]
  ends <- cumsum(count)
  first <- (turn - 1L) * as.integer(size)
  order <- row[sequence(count, first + 1L)]
  before <- gp_neighbours_before(unname(centre[turn, , drop = FALSE]), ends - count, x[order, , drop = FALSE], m)
  own <- outer(seq_len(size) - size, ends, `+`)
  own[own <= rep(ends - count, each = size)] <- NA
  storage.mode(own) <- "integer"
  list(order = order, members = rbind(before, own), ends = ends)
}

point_matrix <- function(name, x) {
  if (!is.matrix(x) || !is.numeric(x) || ncol(x) < 1L || ncol(x) > 10L)
    raise_engine_error("input", paste(name, "must be a numeric matrix with 1 to 10 columns"))
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

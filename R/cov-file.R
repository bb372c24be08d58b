# Covariance matrices in files: what is larger than memory is computed and written by columns.

# What covariance(file = ) makes. Each part has the columns for some 64 MB.
covariance_file <- function(parts, a, b, deriv, diagonal, file) {
  rows <- nrow(a$xy)
  to <- if (is.null(b)) a else b
  columns <- nrow(to$xy)
  file <- normalizePath(file, mustWork = FALSE)
  began <- proc.time()
  whole <- FALSE
  unlink(file)
  on.exit({
    progress_loop_done()
    if (!whole) unlink(file)
  })
  in_file(file, .Call(C_fileCreate, file, 8 * as.double(rows) * columns))
  own <- unname(split(seq_len(columns), (seq_len(columns) - 1) %/% max(1, 2^23 %/% max(1, rows))))
  if (is.null(b)) diagonal <- if (length(diagonal)) rep_len(diagonal, columns)
  sent <- !has_functions(parts)
  count <- 0
  host <- Sys.info()[["nodename"]]
  if (rows > 0) cluster_each(own, "covariance_columns", function(k, value) {
    if (!isTRUE(value)) write_columns(file, rows, columns, own[[k]], value)
    count <<- count + 1
    progress_loop("covariance", began, count / length(own))
  }, sent, parts, a, to, deriv, diagonal, file, host)
  in_file(file, .Call(C_fileSync, file))
  whole <- TRUE
  structure(list(file = file, dim = c(rows, columns), names = list(a$names, to$names)), class = "covFile")
}

# TRUE from one that has written them, which shares the file; `diagonal` is of the matrix of `a` with itself.
covariance_columns <- function(at, parts, a, to, deriv, diagonal, file, host) {
  some <- to
  some$xy <- to$xy[at, , drop = FALSE]
  value <- covariance_matrix(parts, a, some, deriv)
  if (!is.null(diagonal)) {
    own <- cbind(at, seq_along(at))
    value[own] <- value[own] + diagonal[at]
  }
  if (Sys.info()[["nodename"]] != host || !file.exists(file)) return(value)
  write_columns(file, nrow(a$xy), nrow(to$xy), at, value)
  TRUE
}

write_columns <- function(file, rows, columns, at, value) {
  array <- list(file, 0, as.double(c(rows, columns)), 8)
  box <- list(c(0, at[1L] - 1), as.double(c(rows, length(at))))
  in_file(file, .Call(C_fileWriteBox, array, box, value, c(0, .Call(C_fileRows, array, box)[1L])))
}

#' Covariance matrices in files
#'
#' The result of [covariance()] with `file`: a covariance matrix in a file, of which indices read parts. Use it for
#' matrices that are larger than memory.
#'
#' The file contains the elements as little-endian doubles, column by column, and nothing else. It is computed and
#' written by columns, about 64 MB at a time, under [withCluster()] by several workers.
#'
#' @param x a `covFile`.
#' @param i,j rows and columns: numbers, logical values or names.
#' @param drop if `TRUE`, a single row or column becomes a vector.
#' @param ... not used.
#' @return For `[`, a numeric matrix or vector with the elements. `dim()` and `dimnames()` are those of the matrix.
#' @seealso [covariance()]
#' @examples
#' path <- tempfile()
#' kept <- covariance(covModel("exponential", range = 1), cbind(runif(100), runif(100)), file = path)
#' kept
#' kept[1:3, 98:100]
#' readBin(path, "double", 5, endian = "little") # the first elements of the first column
#' unlink(path)
#' @name covFile
#' @aliases `[.covFile`
#' @export
`[.covFile` <- function(x, i, j, drop = TRUE) {
  index <- function(at, k) {
    n <- x$dim[k]
    found <- stats::setNames(seq_len(n), x$names[[k]])[at]
    if (anyNA(found)) raise_engine_error("input", sprintf("index %d goes beyond 1, ..., %.0f", k, n))
    unname(found)
  }
  if (nargs() + missing(drop) < 4L) raise_engine_error("input", "a matrix has two indices: x[i, j]")
  rows <- if (missing(i)) seq_len(x$dim[1L]) else index(i, 1L)
  columns <- if (missing(j)) seq_len(x$dim[2L]) else index(j, 2L)
  value <- matrix(0, length(rows), length(columns))
  names <- list(x$names[[1L]][rows], x$names[[2L]][columns])
  if (length(unlist(names))) dimnames(value) <- names
  if (length(value)) {
    first <- min(rows)
    array <- list(x$file, 0, as.double(x$dim), 8)
    size <- as.double(c(max(rows) - first + 1, 1))
    for (k in seq_along(columns)) {
      read <- in_file(x$file, .Call(C_fileReadBox, array, list(c(first, columns[k]) - 1, size)))
      value[, k] <- read[rows - first + 1]
    }
  }
  if (drop) base::drop(value) else value
}

#' @export
dim.covFile <- function(x) x$dim

#' @export
dimnames.covFile <- function(x) if (length(unlist(x$names))) x$names

#' @rdname covFile
#' @export
print.covFile <- function(x, ...) {
  cat(sprintf("Covariance matrix of %.0f x %.0f in a file, %s MB\n%s\n", x$dim[1L], x$dim[2L],
              format(8e-6 * prod(x$dim), digits = 3L), x$file))
  invisible(x)
}

check_path <- function(file) {
  if (!is.character(file) || length(file) != 1L || is.na(file) || !nzchar(file))
    input_error("file", file, "must be the name of a file, or a function")
  # path.expand() warns of names that no system takes
  if (nchar(file, "bytes") > 4096L) input_error("file", file, "must be the name of a file: this is too long")
}

in_file <- function(path, said) {
  if (is.character(said)) raise_engine_error("file", sprintf("%s: %s", path, said))
  said
}

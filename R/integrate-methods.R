# Methods of the classes integrals and integralsMatrix.

#' Methods for many integrals
#'
#' What [integrategpu()] makes of many integrals: a data frame of class `"integrals"`, or of a vector-valued
#' integrand a matrix of class `"integralsMatrix"`.
#'
#' Both can be used as what they are. Rows of them are objects of the same class; what lacks columns that belong to
#' all integrals is a plain data frame. Arithmetic, [t()], replacement and whatever else makes other numbers of a
#' matrix gives a plain matrix, without errors and codes, which would not be those of the result.
#'
#' @param x,object result of [integrategpu()].
#' @param i,j,drop as for data frames and matrices.
#' @param value new elements.
#' @param name an attribute of the matrix: `code`, `abs.error`, `evaluations` or `subdivisions`.
#' @param n number of rows shown.
#' @param digits number of significant digits.
#' @param row.names,optional as in [as.data.frame()].
#' @param ... indices; for `print` and `as.data.frame` passed on; for other methods not used.
#' @return `summary` gives a list of class `"summary.integrals"` with components `n`, the number of integrals;
#'   `codes`, a data frame with a row for each code that occurs, and columns `code`, `message`, `integrals`, how many
#'   there are, and `first`, the row of the first; `abs.error` and `rel.error`, the largest estimates
#'   among integrals with code 0 (relative to their value); `evaluations` and `subdivisions`, vectors of total and
#'   largest.
#'
#'   `as.data.frame` gives a plain data frame, for a matrix with columns `value.<name>`, `abs.error.<name>`,
#'   `subdivisions`, `evaluations` and `code`; `as.matrix` a plain matrix.
#' @seealso [integrategpu()]
#' @examples
#' x <- integrategpu(~ exp(-a * x^2), -Inf, Inf, params = data.frame(a = c(1, 4, 0, 9)))
#' x
#' summary(x)
#' x[x$code == 0, ]
#'
#' m <- integrategpu(function(u) c(1, u, u^2) * dlogis(u, s), -Inf, Inf, params = data.frame(s = 1:3))
#' m
#' m[2, ]
#' m$code
#' m[2:3, ]$abs.error
#' m[, 3] / m[, 1] - (m[, 2] / m[, 1])^2
#' @name integrals-methods
#' @aliases integrals integralsMatrix
NULL

integral_columns <- c("value", "abs.error", "subdivisions", "evaluations", "code")

#' @rdname integrals-methods
#' @export
print.integrals <- function(x, n = 6L, digits = max(3L, getOption("digits") - 3L), ...) {
  cat(integrals_title(nrow(x), x$evaluations), "\n", sep = "")
  print_rows(as.data.frame(x), n, digits, ...)
  print_failures(x$code, given_row_names(x))
  invisible(x)
}

#' @rdname integrals-methods
#' @export
`[.integrals` <- function(x, ...) {
  value <- NextMethod()
  if (is.data.frame(value) && !all(integral_columns %in% names(value))) class(value) <- "data.frame"
  value
}

#' @rdname integrals-methods
#' @export
as.data.frame.integrals <- function(x, row.names = NULL, optional = FALSE, ...) {
  class(x) <- "data.frame"
  as.data.frame(x, row.names = row.names, optional = optional, ...)
}

#' @rdname integrals-methods
#' @export
summary.integrals <- function(object, ...)
  integrals_summary(object$value, object$abs.error, object$subdivisions, object$evaluations, object$code,
                    given_row_names(object))

#' @rdname integrals-methods
#' @export
summary.integralsMatrix <- function(object, ...)
  integrals_summary(as.matrix(object), attr(object, "abs.error"), attr(object, "subdivisions"),
                    attr(object, "evaluations"), attr(object, "code"), rownames(object))

# Values and errors: vectors, or matrices with a row for each integral.
integrals_summary <- function(value, error, subdivisions, evaluations, code, label) {
  found <- sort(unique(code))
  first <- match(found, code)
  good <- code == 0L
  error <- as.matrix(error)[good, , drop = FALSE]
  value <- as.matrix(value)[good, , drop = FALSE]
  largest <- function(v) if (length(v)) max(v) else NA_real_
  structure(list(
    n = length(code),
    codes = data.frame(code = found, message = integral_messages[found + 1L],
                       integrals = tabulate(match(code, found), length(found)),
                       first = if (is.null(label)) first else label[first], stringsAsFactors = FALSE),
    abs.error = largest(error), rel.error = largest(ifelse(error == 0, 0, error / abs(value))),
    evaluations = c(total = sum(evaluations), largest = largest(evaluations)),
    subdivisions = c(total = sum(subdivisions), largest = largest(subdivisions))), class = "summary.integrals")
}

#' @rdname integrals-methods
#' @export
print.summary.integrals <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat(integrals_title(x$n, x$evaluations[["total"]]), "\n", sep = "")
  if (x$n > 0L) {
    cat("Most evaluations for one: ", big_count(x$evaluations[["largest"]]), ", most panels: ",
        big_count(x$subdivisions[["largest"]]), "\n", sep = "")
    if (!is.na(x$abs.error))
      cat("Largest estimate of errors (code 0): ", format(x$abs.error, digits = 2L), ", relative ",
          format(x$rel.error, digits = 2L), "\n", sep = "")
    print(x$codes, digits = digits, row.names = FALSE, ...)
  }
  invisible(x)
}

#' @rdname integrals-methods
#' @export
print.integralsMatrix <- function(x, n = 6L, digits = max(3L, getOption("digits") - 3L), ...) {
  cat(integrals_title(nrow(x), attr(x, "evaluations")), " (", ncol(x), " components)\n", sep = "")
  print_rows(as.matrix(x), n, digits, ...)
  print_failures(attr(x, "code"), rownames(x))
  invisible(x)
}

#' @rdname integrals-methods
#' @export
`[.integralsMatrix` <- function(x, i, j, drop = TRUE) {
  value <- as.matrix(x)
  if (nargs() - (!missing(drop)) < 3L) return(if (missing(i)) x else value[i])
  if (missing(i)) i <- seq_len(nrow(value))
  if (missing(j)) j <- seq_len(ncol(value))
  # rows without names have their numbers, as in a data frame
  if (is.character(i) && is.null(rownames(value))) {
    i <- match(i, as.character(seq_len(nrow(value))))
    if (anyNA(i)) stop("subscript out of bounds")
  }
  part <- value[i, j, drop = drop]
  if (!is.matrix(part)) return(part)
  row <- seq_len(nrow(value))
  names(row) <- rownames(value)
  row <- unname(row[i])
  for (name in setdiff(names(attributes(x)), c("dim", "dimnames", "abs.error", "class")))
    attr(part, name) <- attr(x, name)[row]
  attr(part, "abs.error") <- attr(x, "abs.error")[i, j, drop = FALSE]
  class(part) <- oldClass(x)
  part
}

#' @rdname integrals-methods
#' @export
`$.integralsMatrix` <- function(x, name) {
  known <- setdiff(names(attributes(x)), c("dim", "dimnames", "class"))
  at <- pmatch(name, known)
  if (!is.na(at)) attr(x, known[at], exact = TRUE)
}

#' @rdname integrals-methods
#' @export
`[<-.integralsMatrix` <- function(x, ..., value) {
  x <- as.matrix(x)
  x[...] <- value
  x
}

#' @rdname integrals-methods
#' @export
as.matrix.integralsMatrix <- function(x, ...) {
  kept <- attributes(x)[c("dim", "dimnames")]
  attributes(x) <- kept[!vapply(kept, is.null, NA)]
  x
}

#' @rdname integrals-methods
#' @export
as.data.frame.integralsMatrix <- function(x, row.names = NULL, optional = FALSE, ...) {
  columns <- function(v, what) {
    names <- if (is.null(colnames(x))) seq_len(ncol(x)) else colnames(x)
    colnames(v) <- paste(what, names, sep = ".")
    v
  }
  each <- attributes(x)[setdiff(names(attributes(x)), c("dim", "dimnames", "abs.error", "class"))]
  table <- data.frame(columns(as.matrix(x), "value"), columns(attr(x, "abs.error"), "abs.error"), each,
                      check.names = FALSE)
  as.data.frame(table, row.names = row.names, optional = optional, ...)
}

#' @rdname integrals-methods
#' @export
t.integralsMatrix <- function(x) t(as.matrix(x))

#' @export
Ops.integralsMatrix <- function(e1, e2) {
  plain <- function(e) if (inherits(e, "integralsMatrix")) as.matrix(e) else e
  operator <- get(.Generic, mode = "function")
  if (missing(e2)) operator(plain(e1)) else operator(plain(e1), plain(e2))
}

#' @export
Math.integralsMatrix <- function(x, ...) get(.Generic, mode = "function")(as.matrix(x), ...)

big_count <- function(count) format(count, big.mark = ",", scientific = FALSE, trim = TRUE)

integrals_title <- function(n, evaluations)
  sprintf("%s integral%s, %s evaluations", big_count(n), if (n == 1L) "" else "s", big_count(sum(evaluations)))

print_rows <- function(rows, n, digits, ...) {
  if (nrow(rows) == 0L) return()
  print(rows[seq_len(min(n, nrow(rows))), , drop = FALSE], digits = digits, ...)
  if (nrow(rows) > n) cat("... and", big_count(nrow(rows) - n), "more rows\n")
}

print_failures <- function(code, label) {
  for (k in sort(unique(code[code != 0L]))) {
    at <- which(code == k)
    first <- if (is.null(label)) at[1L] else dQuote(label[at[1L]], FALSE)
    cat("Code ", k, ", ", integral_messages[k + 1L], ": ", big_count(length(at)),
        if (length(at) > 1L) ", first ", if (length(at) == 1L) ", ", "in row ", first, "\n", sep = "")
  }
}

# Methods of the class integrals.

#' Methods for many integrals
#'
#' What [integrategpu()] makes of many integrals: a data frame of class `"integrals"`.
#'
#' Rows of it are objects of the same class; what lacks columns that belong to all integrals is a plain data frame.
#'
#' @param x,object result of [integrategpu()].
#' @param n number of rows shown.
#' @param digits number of significant digits.
#' @param row.names,optional as in [as.data.frame()].
#' @param ... indices; for `print` and `as.data.frame` passed on; for `plot` graphical parameters; for `summary` not
#'   used.
#' @return `summary` gives a list of class `"summary.integrals"` with components `n`, the number of integrals;
#'   `codes`, a data frame with a row for each code that occurs, and columns `code`, `message`, `integrals`, how many
#'   there are, and `first`, the row of the first; `abs.error` and `rel.error`, the largest estimates
#'   among integrals with code 0 (relative to their value); `evaluations` and `subdivisions`, vectors of total and
#'   largest.
#'
#'   `as.data.frame` gives a plain data frame.
#' @seealso [integrategpu()]
#' @examples
#' x <- integrategpu(~ exp(-a * x^2), -Inf, Inf, params = data.frame(a = c(1, 4, 0, 9)))
#' x
#' summary(x)
#' x[x$code == 0, ]
#'
#' m <- integrategpu(function(u) c(1, u, u^2) * dlogis(u, s), -Inf, Inf, params = data.frame(s = 1:3))
#' m[2, ]
#' m$value[, 3] / m$value[, 1] - (m$value[, 2] / m$value[, 1])^2
#' @name integrals-methods
#' @aliases integrals
NULL

integral_columns <- c("value", "abs.error", "subdivisions", "evaluations", "code")

#' @rdname integrals-methods
#' @export
print.integrals <- function(x, n = 6L, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  n <- check_rows("n", n)
  cat(integrals_title(nrow(x), x$evaluations), "\n", sep = "")
  if (nrow(x) > 0L) print(as.data.frame(x)[seq_len(min(n, nrow(x))), , drop = FALSE], digits = digits, ...)
  left <- nrow(x) - n
  if (left > 0) cat("... and", big_count(left), if (left == 1) "more row\n" else "more rows\n")
  for (k in sort(unique(x$code[x$code != 0L]))) {
    at <- which(x$code == k)
    cat("Code ", k, ", ", integral_messages[k + 1L], ": ", big_count(length(at)),
        if (length(at) > 1L) ", first ", if (length(at) == 1L) ", ", "in row ", shown_row(given_row_names(x), at[1L]),
        "\n", sep = "")
  }
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
  name_rows(x, row.names)
}

#' @rdname integrals-methods
#' @export
summary.integrals <- function(object, ...) {
  code <- object$code
  label <- given_row_names(object)
  found <- sort(unique(code))
  first <- match(found, code)
  good <- code == 0L
  error <- as.matrix(object$abs.error)[good, , drop = FALSE]
  value <- as.matrix(object$value)[good, , drop = FALSE]
  largest <- function(v) if (length(v)) max(v) else NA_real_
  both <- function(v) c(total = sum(v), largest = largest(v))
  structure(list(
    n = length(code),
    codes = data.frame(code = found, message = integral_messages[found + 1L],
                       integrals = tabulate(match(code, found), length(found)),
                       first = if (is.null(label)) first else label[first], stringsAsFactors = FALSE),
    abs.error = largest(error), rel.error = largest(ifelse(error == 0, 0, error / abs(value))),
    evaluations = both(object$evaluations), subdivisions = both(object$subdivisions)), class = "summary.integrals")
}

#' @rdname integrals-methods
#' @export
print.summary.integrals <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
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

integrals_title <- function(n, evaluations)
  sprintf("%s integral%s, %s evaluations", big_count(n), if (n == 1L) "" else "s", big_count(sum(evaluations)))

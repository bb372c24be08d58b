# Parts of batches of fits, and the calls that make these again.

# The numbers of the series that i chooses.
fits_index <- function(x, i) {
  at <- seq_along(x$message)
  names(at) <- names(x$message)
  if (!is.null(i) && !is.atomic(i)) input_error("i", i, "must be names or numbers of series")
  if (!is.character(i) && anyNA(i)) input_error("i", i, "must have no missing values")
  chosen <- unname(at[i])
  if (anyNA(chosen)) {
    wanted <- if (length(i) == length(chosen)) i[is.na(chosen)] else i
    raise_engine_error("input", sprintf("there is no series %s", toString(printable(as.character(wanted)), 60L)))
  }
  chosen
}

#' @rdname stableFits-methods
#' @export
`[.stableFits` <- function(x, i) {
  if (missing(i)) return(x)
  kind <- class(x)
  x <- unclass(x)
  at <- fits_index(x, i)
  own <- core_part(x, at)
  x[names(own)] <- own
  for (name in c("place", "index", "number")) x[[name]] <- x[[name]][at]
  if (!is.null(x$window)) {
    x$window <- x$window[at, , drop = FALSE]
    rownames(x$window) <- NULL
  }
  structure(x, class = kind)
}

#' @rdname stableFits-methods
#' @export
`[[.stableFits` <- function(x, i) {
  x <- unclass(x)
  one <- is.atomic(i) && length(i) == 1L && !is.na(i) && (is.character(i) || (is.numeric(i) && i >= 1))
  if (!one) input_error("i", i, "must be one positive number or one name")
  at <- fits_index(x, i)
  if (!fitted_series(x)[at]) raise_engine_error("input", x$message[[at]])
  fit_one(x, at, series_data(x, at), series_call(x, at))
}

# Nothing in a batch tells of a series what another fit says of it.
keeps_fits <- function()
  raise_engine_error("input", paste("a batch is what its series gave: name or leave out series in x and fit again,",
                                    "or take as.list(fits), which can be changed"))

#' @rdname stableFits-methods
#' @param value not used: fits and names of a batch cannot be replaced, those of `as.list(x)`, and of the list that
#'   `c()` makes, can.
#' @export
`[[<-.stableFits` <- function(x, i, value) keeps_fits()

#' @rdname stableFits-methods
#' @export
`[<-.stableFits` <- function(x, i, value) keeps_fits()

#' @rdname stableFits-methods
#' @export
`names<-.stableFits` <- function(x, value) keeps_fits()

#' @rdname stableFits-methods
#' @export
c.stableFits <- function(...)
  do.call(c, lapply(list(...), function(f) if (inherits(f, "stableFits")) as.list(f) else list(f)))

# Which series have a fit?
fitted_series <- function(x) !is.na(x$parameters$estimate[4L * seq_along(x$message)])

# The sample of a series that has a fit.
series_data <- function(x, at) {
  place <- x$place[at]
  rows <- x$data$first[place] + seq_len(x$data$n[place])
  lapply(x$data[c("x", "weights", "upper")], `[`, rows)
}

# A component of the batch, or the fit of the series of this name.
#' @rdname stableFits-methods
#' @param name name of a series.
#' @export
`$.stableFits` <- function(x, name) {
  parts <- unclass(x)
  own <- c(names(parts), "window", "terms") # which not all batches have, or none
  if (name %in% own || !name %in% names(parts$message)) .subset2(parts, name, exact = FALSE) else x[[name]]
}

#' @exportS3Method utils::.DollarNames
.DollarNames.stableFits <- function(x, pattern = "") {
  if (!is.character(pattern) || length(pattern) != 1L || is.na(pattern))
    input_error("pattern", pattern, "must be a regular expression")
  tryCatch(suppressWarnings(grep(pattern, names(x), value = TRUE)), error = function(e) character())
}

# The call of stableFit() that makes the fit of one series or window.
series_call <- function(x, at) {
  call <- x$call
  if (is.null(call)) return(NULL)
  number <- x$index[at]
  column <- if (is.null(x$kind$names)) number else x$kind$names[number]
  if (is.null(x$window)) {
    call$x <- part_call(call$x, x$kind$x, column)
    for (name in c("weights", "censored"))
      if (!is.null(call[[name]])) call[[name]] <- part_call(call[[name]], x$kind[[name]], number)
    return(call)
  }
  call$width <- call$step <- NULL
  if (is.call(call[[1L]])) call[[1L]][[3L]] <- quote(stableFit) else call[[1L]] <- quote(stableFit)
  rows <- call(":", x$window$from[at], x$window$to[at])
  call$x <- if (x$kind$x == "columns") call("[", call$x, rows, column)
            else call("[", part_call(call$x, x$kind$x, column), rows)
  call
}

part_call <- function(value, kind, i)
  switch(kind, columns = call("[", value, quote(expr = ), i), list = call("[[", value, i), value)

#' @rdname stableFits-methods
#' @importFrom stats getCall
#' @export
getCall.stableFits <- function(x, ...) {
  call <- x$call
  if (is.null(call) || identical(x$number, seq_len(x$kind$size))) return(call)
  if (!is.null(x$window)) raise_engine_error("input", "a part of rolling fits cannot be updated: update them all")
  for (name in intersect(c("x", "weights", "censored"), names(call)))
    call[[name]] <- switch(x$kind[[name]], list = call("[", call[[name]], x$number),
                           columns = call("[", call[[name]], quote(expr = ), x$number, drop = FALSE), call[[name]])
  call
}

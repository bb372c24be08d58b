#' @rdname gamma
#' @export
dgammagpu <- function(x, shape, rate = 1, scale = 1 / rate, log = FALSE) {
  one_of_rate_and_scale(missing(rate), missing(scale), rate, scale)
  .External(C_elementwise, "dgammagpu", x, shape, scale, log)
}

#' @rdname gamma
#' @export
pgammagpu <- function(q, shape, rate = 1, scale = 1 / rate, lower.tail = TRUE, log.p = FALSE) {
  one_of_rate_and_scale(missing(rate), missing(scale), rate, scale)
  .External(C_elementwise, "pgammagpu", q, shape, scale, lower.tail, log.p)
}

#' @rdname gamma
#' @export
qgammagpu <- function(p, shape, rate = 1, scale = 1 / rate, lower.tail = TRUE, log.p = FALSE) {
  one_of_rate_and_scale(missing(rate), missing(scale), rate, scale)
  .External(C_elementwise, "qgammagpu", p, shape, scale, lower.tail, log.p)
}

#' @rdname gamma
#' @export
rgammagpu <- function(n, shape, rate = 1, scale = 1 / rate, first = 1) {
  one_of_rate_and_scale(missing(rate), missing(scale), rate, scale)
  .Call(C_rgamma, n, shape, scale, check_first(first))
}

# As base R: both are allowed, with a warning, where they say the same.
one_of_rate_and_scale <- function(no_rate, no_scale, rate, scale) {
  if (no_rate || no_scale) return(invisible())
  text <- "specify 'rate' or 'scale' but not both"
  if (all(abs(rate * scale - 1) < 1e-15, na.rm = TRUE)) warning(text, call. = FALSE)
  else input_error(text)
}

#' @export
besselKgpu <- function(x, nu, expon.scaled = FALSE, log = FALSE, deriv = c("none", "x", "nu")) {
  what <- match(match.arg(deriv), c("none", "x", "nu")) - 1L
  .Call(C_besselK, x, nu, expon.scaled, log, what)
}

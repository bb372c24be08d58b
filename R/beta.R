#' @rdname betagpu
#' @export
dbetagpu <- function(x, shape1, shape2, log = FALSE) .External(C_elementwise, "dbetagpu", x, shape1, shape2, log)

#' @rdname betagpu
#' @export
pbetagpu <- function(q, shape1, shape2, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "pbetagpu", q, shape1, shape2, lower.tail, log.p)

#' @rdname betagpu
#' @export
qbetagpu <- function(p, shape1, shape2, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "qbetagpu", p, shape1, shape2, lower.tail, log.p)

#' @rdname betagpu
#' @export
rbetagpu <- function(n, shape1, shape2, first = 1) .Call(C_rbeta, n, shape1, shape2, check_first(first))

#' @rdname betagpu
#' @export
dfgpu <- function(x, df1, df2, log = FALSE) .External(C_elementwise, "dfgpu", x, df1, df2, log)

#' @rdname betagpu
#' @export
pfgpu <- function(q, df1, df2, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "pfgpu", q, df1, df2, lower.tail, log.p)

#' @rdname betagpu
#' @export
qfgpu <- function(p, df1, df2, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "qfgpu", p, df1, df2, lower.tail, log.p)

#' @rdname betagpu
#' @export
rfgpu <- function(n, df1, df2, first = 1) .Call(C_rf, n, df1, df2, check_first(first))

#' @rdname betagpu
#' @export
dtgpu <- function(x, df, log = FALSE) .External(C_elementwise, "dtgpu", x, df, log)

#' @rdname betagpu
#' @export
ptgpu <- function(q, df, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "ptgpu", q, df, lower.tail, log.p)

#' @rdname betagpu
#' @export
qtgpu <- function(p, df, lower.tail = TRUE, log.p = FALSE)
  .External(C_elementwise, "qtgpu", p, df, lower.tail, log.p)

#' @rdname betagpu
#' @export
rtgpu <- function(n, df, first = 1) .Call(C_rt, n, df, check_first(first))

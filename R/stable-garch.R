# Time series with volatility and stable innovations: the call, its arguments, and objects that fits become.

#' Volatility with stable innovations
#'
#' Fits ARMA models with GARCH volatility, also asymmetric and with other powers than 2, to one series or to many at
#' once, by maximum likelihood. Innovations are stable, or for comparison Student's t or normal. Use it for returns,
#' whose tails are heavy even when the volatility of the day is known.
#'
#' @section Model:
#' With \eqn{u_t} the deviation of \eqn{x_t} from its mean \eqn{\mu + r_t'b}, \eqn{r_t} the row of `xreg`,
#' \deqn{u_t = \sum_i \mathrm{ar}_i u_{t-i} + e_t + \sum_j \mathrm{ma}_j e_{t-j}, \qquad e_t = s_t z_t,}{%
#'       u_t = sum_i ar_i u_(t-i) + e_t + sum_j ma_j e_(t-j),   e_t = s_t z_t,}
#' \deqn{s_t^p = \omega + \sum_i \mathrm{arch}_i (|e_{t-i}| - \mathrm{asym}_i e_{t-i})^p +
#'       \sum_j \mathrm{garch}_j s_{t-j}^p,}{%
#'       s_t^p = omega + sum_i arch_i (|e_(t-i)| - asym_i e_(t-i))^p + sum_j garch_j s_(t-j)^p,}
#' as Ding, Granger and Engle (1993) have it; with stable innovations the model is that of Mittnik, Paolella and
#' Rachev (2000). Innovations \eqn{z_t} are standardised by their scale, for stable ones have no variance: stable with
#' scale 1 and mean 0 (`gamma = 1`, `delta = 0`, `pm = 1`, `alpha > 1`), t with `df` degrees of freedom as [dt()] has
#' it, or standard normal. \eqn{s_t} is the scale in this sense: a standard deviation of normal innovations only.
#'
#' The power \eqn{p} is given. For stable innovations it is below 2, and `alpha` is estimated above it, as otherwise
#' \eqn{E|z|^p} is infinite; for t that holds for `df`. The default 1 is that of the literature on stable GARCH; the
#' usual GARCH has `power = 2`, which t and normal innovations can have.
#'
#' Persistence, \eqn{\sum_i \mathrm{arch}_i E(|z| - \mathrm{asym}_i z)^p + \sum_j \mathrm{garch}_j}{%
#' sum_i arch_i E(|z| - asym_i z)^p + sum_j garch_j}, is searched below 1, where \eqn{E s_t^p}{E s_t^p} is finite and
#' the scale is stationary. Coefficients of the scale are positive, the AR part is stationary and the MA part
#' invertible. Before the series \eqn{u} and \eqn{e} count as 0, and \eqn{s^p} and the power of \eqn{e} as the median
#' of \eqn{|x - \mathrm{median}(x)|}{|x - median(x)|} to the power \eqn{p}.
#'
#' @section Search:
#' The likelihood and its exact gradient come from one pass over the series, with the derivatives of [stableScore()].
#' Quasi-Newton climbs begin with the products of scores as metric, from the likeliest of several
#' persistences and shares of ARCH; those of stable innovations from maxima with t innovations. For `power <= 1` the
#' likelihood has kinks in `mu`, at which a search may stop; it tries the other side. Where `alpha` tends to 2 or
#' `beta` to its ends, these are tried, and reported as on the boundary if the likelihood is as large.
#'
#' @section Which innovations:
#' Stable tails are of Pareto's type with an index below 2, t tails with the index `df`: the likelihood, `AIC()`, says
#' which suits the bulk of the data, and [backtest()] which suits the tails. Of daily returns of large stocks stable
#' tails are often too heavy beyond 0.1 per cent, and those of t too light. Where `alpha` is near 2, `beta` is hardly
#' identified: `fixed = list(beta = 0)`.
#'
#' @param x numeric vector or time series (`ts`, `zoo`, `xts`), in order of time; a matrix, data frame or time series
#'   with several columns, or a list, for many series. Missing values are left out at the ends and are errors
#'   elsewhere.
#' @param mean orders `c(p, q)` of the AR and MA terms of the mean.
#' @param garch orders `c(r, s)` of the ARCH and GARCH terms of the scale; `c(0, 0)` for a constant scale.
#' @param power the power of the scale, positive and at most 8.
#' @param asymmetry if `TRUE`, negative and positive innovations have different effects on the scale: `asym` from -1
#'   to 1, positive where losses raise it more.
#' @param xreg regressors of the mean: a vector, or a matrix or data frame with a row for each time; for many series
#'   the same for all.
#' @param innovations the distribution of the innovations.
#' @param fixed named list or vector of parameters that are known: `mu`, `omega`, `asym1`, ..., coefficients of
#'   `xreg`, `alpha`, `beta`, `df`, and `ar1` or `ma1` where they are the only ones of their kind.
#' @param starts from how many starts to climb, 1 to 12, the likeliest first.
#' @return For one series an object of class `stableGarch`, a fit with the methods of [all fits][statclFit-methods]
#'   and those of [stableGarch-methods]: a list with `coefficients`, `parameters`, `vcov`, `loglik`, `df`, `nobs`,
#'   `converged`, `notes` and `call`; `residuals`, standardised; `fitted.values`, conditional means; `scale`;
#'   `persistence`; `sandwich`, the robust covariance; `x`, `xreg` and `times`; and the orders, `power` and
#'   `innovations`. `vcov` is the inverse observed information in the parameters themselves.
#'
#'   For many series an object of class `stableGarchs`, a list of such fits, with `NULL` and a text in the attribute
#'   `message` for series that cannot be fitted. They are searched side by side, each round as one task of the device,
#'   and from 4 series on shared among the workers of [withCluster()].
#' @references
#' Ding, Z., Granger, C. W. J. and Engle, R. F. (1993). A long memory property of stock market returns and a new
#' model.
#' *Journal of Empirical Finance* **1**, 83--106.
#'
#' Mittnik, S., Paolella, M. S. and Rachev, S. T. (2000). Diagnosing and treating the fat tails in financial returns
#' data. *Journal of Empirical Finance* **7**, 389--416.
#' @seealso [stableGarch-methods], [predict.stableGarch()], [backtest()], [plot.stableGarch()], [stableScore()]
#' @examples
#' returns <- 100 * diff(log(datasets::EuStockMarkets[, "DAX"]))
#' fit <- stableGarch(returns)
#' summary(fit)
#' AIC(fit, stableGarch(returns, innovations = "t"))
#' predict(fit, n.ahead = 3, probs = 0.01)
#' @export
stableGarch <- function(x, mean = c(0, 0), garch = c(1, 1), power = 1, asymmetry = FALSE, xreg = NULL,
                        innovations = c("stable", "t", "normal"), fixed = list(), starts = 2) {
  call <- match.call()
  need(x = missing(x))
  law <- choice("innovations", innovations, c("stable", "t", "normal"))
  mean <- garch_orders("mean", mean)
  garch <- garch_orders("garch", garch)
  if (garch[1L] == 0L && garch[2L] > 0L)
    input_error("garch", garch, "must have ARCH terms where it has GARCH terms: without them the scale is constant")
  one_number("power", power, "positive")
  if (law == "stable" && power >= 2)
    input_error("power", power, "must be below 2 for stable innovations: E|z|^power is finite for power < alpha only")
  if (power > 8) input_error("power", power, "must be at most 8")
  starts <- whole_number("starts", starts)
  if (starts > most_climbs) input_error("starts", starts, sprintf("must be from 1 to %d", most_climbs))
  asymmetry <- one_flag("asymmetry", asymmetry)
  x <- plain_numbers(x)
  check_dimensions(x)
  many <- is.list(x) || NCOL(x) > 1L
  series <- if (many) fit_series(x) else list(x)
  xreg <- garch_regressors(xreg, lengths(series))
  model <- garch_model(mean, garch, power, asymmetry, law, colnames(xreg))
  if (anyDuplicated(model$names))
    input_error("xreg", model$names[duplicated(model$names)], "has a column with the name of a parameter: rename it")
  known <- garch_known(fixed, model)
  times <- if (!many || !is.list(x) || is.data.frame(x)) series_times(x, observation_names(x))
  if (stats::is.ts(x)) attr(times, "frequency") <- stats::frequency(x)
  data <- lapply(series, function(y)
    tryCatch(garch_data(y, xreg, times, model, known),
             statcl_error_input = function(e) if (many) conditionMessage(e) else stop(e)))
  wrong <- vapply(data, is.character, NA)
  good <- which(!wrong)
  found <- garch_run_parts(data[good], model, known, starts)
  if (!many) return(garch_fit(data[[1L]], model, known, found[[1L]], call))
  fits <- vector("list", length(series))
  fits[good] <- Map(function(data, found, i) garch_fit(data, model, known, found, part_call_of(call, x, i), FALSE),
                    data[good], found, good)
  message <- rep("", length(series))
  message[wrong] <- as.character(data[wrong])
  garchs_warn(structure(fits, names = names(series), message = message, call = call, kind = series_kind(x),
                        class = "stableGarchs"))
}

# The call of the fit of one of many series.
part_call_of <- function(call, x, i) {
  name <- if (is.list(x)) names(x) else colnames(x)
  call$x <- part_call(call$x, series_kind(x), if (is.null(name) || anyDuplicated(name)) i else name[i])
  call
}

garch_orders <- function(name, value) {
  check_numbers(name, value, "not negative")
  if (length(value) != 2L || any(value != floor(value)) || any(value > 20))
    input_error(name, value, "must be two whole numbers from 0 to 20")
  as.integer(value)
}

# A matrix with names, or NULL.
garch_regressors <- function(xreg, n, name = "xreg") {
  if (is.null(xreg)) return(NULL)
  xreg <- plain_numbers(xreg)
  if (!is.data.frame(xreg) && !is.numeric(xreg)) input_error(name, class(xreg)[1L], "must be numeric")
  refuse_units(name, xreg)
  if (is.data.frame(xreg)) {
    numbers <- vapply(xreg, is.numeric, NA)
    if (!all(numbers))
      input_error(name, names(xreg)[!numbers], "must have numeric columns: model.matrix() makes them")
  }
  own <- colnames(xreg)
  if (length(dim(xreg)) > 2L) input_error(name, class(xreg)[1L], "must have rows and columns")
  xreg <- as.matrix(xreg)
  if (any(n != nrow(xreg)))
    raise_engine_error("input", sprintf("%s has %s for %s", name, count_text(nrow(xreg), "row"),
                                        count_text(n[n != nrow(xreg)][1L], "observation")))
  if (any(!is.finite(xreg))) element_error(name, as.vector(xreg), !is.finite(xreg), "must be finite")
  if (is.null(own)) own <- character(ncol(xreg))
  colnames(xreg) <- make.unique(ifelse(nzchar(own), own, paste0("xreg", seq_along(own))))
  storage.mode(xreg) <- "double"
  xreg
}

garch_known <- function(fixed, model) {
  known <- stats::setNames(rep(NA_real_, model$size), model$names)
  if (!length(fixed)) return(known)
  if (!is.list(fixed) && !is.numeric(fixed)) input_error("fixed", fixed, "must be a named list or numeric vector")
  p <- model$places
  alone <- function(at) if (length(at) == 1L) at
  can <- model$names[c(p$mu, alone(p$ar), alone(p$ma), p$xreg, p$omega, p$asym, p$law)]
  if (is.null(names(fixed)) || !all(names(fixed) %in% can))
    input_error("fixed", if (is.null(names(fixed))) "(no names)" else setdiff(names(fixed), can),
                paste("must have names among", toString(can)))
  if (anyDuplicated(names(fixed)))
    input_error("fixed", names(fixed)[duplicated(names(fixed))], "names a parameter twice")
  ranges <- garch_ranges(model)
  for (name in names(fixed)) {
    i <- match(name, model$names)
    v <- fixed[[name]]
    one_number(paste0("fixed$", name), v, "")
    open <- !(i %in% p$law && model$law == "stable") # which have their ends
    if (v < ranges$lower[i] || v > ranges$upper[i] || (open || name == "alpha") && v == ranges$lower[i])
      input_error(paste0("fixed$", name), v, sprintf("must be between %s and %s", format(ranges$lower[i]),
                                                     format(ranges$upper[i])))
    known[i] <- v
  }
  if (known["alpha"] %in% 2 && model$law == "stable") known["beta"] <- 0 # without effect
  known
}

# A series as the search takes it: y, centred at its median, in units of the median absolute deviation, xreg in units
# of its own, and what is needed to go back.
garch_data <- function(y, xreg, times, model, known) {
  check_numeric("x", y)
  names <- observation_names(y)
  y <- as.double(y)
  there <- which(!is.na(y))
  if (!length(there)) raise_engine_error("input", if (length(y)) "x has missing values only" else "x has no values")
  used <- seq(there[1L], there[length(there)])
  gap <- is.na(y)
  gap[-used] <- FALSE
  if (any(gap))
    element_error("x", y, gap, "x must have no missing values but at its ends: a model of time has no place for them")
  y <- y[used]
  if (any(is.infinite(y))) element_error("x", y, is.infinite(y), "x must be finite")
  n <- length(y)
  least <- 2L * sum(is.na(known)) + max(model$orders)
  if (n < least) raise_engine_error("input", sprintf("x has %s: a fit of %s needs at least %d",
                                                     count_text(n, "observation"),
                                                     count_text(sum(is.na(known)), "parameter"), least))
  if (all(y == y[1L]))
    raise_engine_error("input", sprintf("x is constant: all values are %s", format(y[1L], digits = 15)))
  counts <- table(y)
  if (2 * max(counts) > n) raise_engine_error("input", sprintf(paste(
    "x has the value %s %d times in %d: the likelihood is unbounded where more than half of the values are equal;",
    "leave out times without trade, or model them apart"), names(counts)[which.max(counts)], max(counts), n))
  centre <- stats::median(y)
  unit <- stats::median(abs(y - centre)) # positive, for no more than half are equal
  if (unit == 0) unit <- base::mean(abs(y - centre))
  width <- numeric()
  if (!is.null(xreg)) {
    xreg <- xreg[used, , drop = FALSE]
    width <- apply(abs(xreg), 2L, max)
    rank <- qr(cbind(1, xreg / rep(pmax(width, 1e-300), each = n)), tol = 1e-7)
    if (rank$rank <= ncol(xreg)) input_error("xreg", colnames(xreg)[rank$pivot[rank$rank + 1L] - 1L], paste(
      "has a column that depends on the others, or is constant, as mu is: leave it out"))
    if (max(abs(qr.resid(rank, y))) < 1e-10 * max(abs(y - centre)))
      raise_engine_error("input", "x is a combination of the columns of xreg: the likelihood is unbounded")
  }
  if (!is.finite(max(abs(y - centre))^model$power) || unit^model$power < 1e-300)
    raise_engine_error("input", sprintf("x has values whose power %s is no number: divide it by one near %s",
                                        format(model$power), format(unit, digits = 1L)))
  back <- rep(1, model$size) # units of the parameters
  p <- model$places
  back[p$mu] <- unit
  back[p$xreg] <- unit / width
  back[p$omega] <- unit^model$power
  list(x = y, xreg = xreg, times = times[used], frequency = attr(times, "frequency"),
       names = names[used], centre = centre, unit = unit, back = back,
       y = (y - centre) / unit, columns = if (!is.null(xreg)) as.double(xreg / rep(width, each = n)))
}

# Parameters in units of the data, and back.
garch_scaled <- function(data, theta) (theta - c(data$centre, numeric(length(theta) - 1L))) / data$back
garch_unscaled <- function(data, theta) theta * data$back + c(data$centre, numeric(length(theta) - 1L))

# Results of the search for series that workers share.
garch_run_parts <- function(data, model, known, starts, from = NULL) {
  lean <- lapply(data, `[`, c("centre", "unit", "back", "y", "columns"))
  parts <- lapply(cluster_parts(length(data), 2), function(at) list(data = lean[at], from = from[at]))
  unlist(cluster_apply(parts, "garch_run_part", model, known, starts), recursive = FALSE)
}

garch_run_part <- function(part, model, known, starts) {
  if (!length(part$data)) return(list())
  problems <- lapply(part$data, function(data)
    garch_problem(model, list(y = data$y, x = if (model$columns) data$columns, first = 1),
                  unname(garch_scaled(data, known))))
  climbs <- garch_search(problems, starts, Map(function(data, theta)
    if (!is.null(theta)) garch_scaled(data, theta), part$data, if (is.null(part$from)) list(NULL) else part$from))
  Map(garch_found, climbs, part$data)
}

# A fit from what the search has found.
garch_fit <- function(data, model, known, found, call, tell = TRUE) {
  fixed <- !is.na(known)
  estimate <- stats::setNames(ifelse(fixed, known, found$theta), model$names)
  ranges <- garch_ranges(model)
  vcov <- found$vcov
  dimnames(vcov) <- dimnames(found$sandwich) <- list(model$names, model$names)
  free <- !fixed & !(model$names == "beta" & estimate["alpha"] %in% 2)
  fit <- structure(list(
    coefficients = estimate,
    parameters = parameter_table(model$names, ranges$component, estimate, sqrt(diag(vcov)), fixed, found$boundary,
                                 ranges$lower, ranges$upper),
    vcov = vcov, sandwich = found$sandwich, loglik = found$loglik, df = sum(free), dimension = sum(!fixed),
    nobs = length(data$x), converged = found$converged, notes = character(), iterations = found$rounds,
    persistence = found$persistence, first = data$unit^model$power, model = model, orders = model$orders,
    power = model$power, innovations = model$law, x = data$x, xreg = data$xreg, times = data$times,
    frequency = data$frequency, names = data$names, call = call), class = c("stableGarch", "statclFit"))
  past <- garch_filter(fit, fit$x, fit$xreg)
  label <- function(v) stats::setNames(v, data$names)
  fit$residuals <- label(past$e / past$scale)
  fit$fitted.values <- label(fit$x - past$e)
  fit$scale <- label(past$scale)
  fit$notes <- garch_notes(fit)
  if (tell && !fit$converged) warn("the likelihood has not been maximised: try more starts, or fewer orders")
  else if (tell && anyNA(diag(vcov)[free & found$boundary == ""]))
    warn("no standard errors: the observed information is not positive definite")
  fit
}

# The recursion over a series with the estimates of a fit: u, e, the scale and its power c, and log densities.
garch_filter <- function(fit, x, xreg = NULL) {
  theta <- unname(fit$coefficients)
  told <- .Call(C_garchEvaluate, list(c(fit$model[c("orders", "columns", "power", "law")], list(
    y = as.double(x), x = if (fit$model$columns) as.double(xreg), first = fit$first, theta = theta))), 2L)[[1L]]
  told$u <- x - garch_location(fit, length(x), xreg)
  told$c <- told$scale^fit$power
  told
}

# mu and the part of the regressors.
garch_location <- function(fit, n, xreg) {
  theta <- fit$coefficients
  b <- theta[fit$model$places$xreg]
  theta[["mu"]] + if (length(b)) drop(xreg %*% b) else numeric(n)
}

garch_notes <- function(fit) {
  p <- fit$parameters
  edge <- stats::setNames(p$boundary, rownames(fit$vcov))
  named <- names(edge)[nzchar(edge) & names(edge) %in% fit$model$names[-fit$model$places$law]]
  as.character(c(
    if (edge["alpha"] %in% "upper") "alpha is on its boundary 2: normal innovations. beta has no effect.",
    if (edge["alpha"] %in% "lower" || edge["df"] %in% "lower")
      sprintf("%s is at the lower end of its range, %s.", fit$model$names[fit$model$places$law[1L]], fit$model$floor),
    if (edge["df"] %in% "upper") "df is without bound: normal innovations.",
    if (edge["beta"] %in% c("lower", "upper")) sprintf("beta is on its boundary %g.", fit$coefficients[["beta"]]),
    if (length(named)) sprintf("On the boundary: %s.", toString(named)),
    if (fit$persistence > 1 - 1e-6) "The persistence is at its boundary 1: E s^power may be infinite.",
    if (!fit$converged) "The likelihood has not been maximised."))
}

garchs_warn <- function(fits) {
  message <- attr(fits, "message")
  failed <- which(nzchar(message))
  if (length(failed)) warn(sprintf("%d of %d series were not fitted: see attr(, \"message\") of %s", length(failed),
                                   length(fits), toString(garchs_labels(fits)[failed], 60L)))
  open <- which(!vapply(fits, function(fit) is.null(fit) || fit$converged, NA))
  if (length(open)) warn(sprintf("the likelihood of %d of %d series has not been maximised: %s", length(open),
                                 length(fits), toString(garchs_labels(fits)[open], 60L)))
  fits
}

garchs_labels <- function(fits) {
  names <- names(fits)
  number <- as.character(seq_along(fits))
  if (is.null(names)) number else ifelse(is.na(names) | !nzchar(names), number, names)
}

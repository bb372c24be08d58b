# Batches of fits: many series in one call.

# The series of a list, or the columns of a data frame or matrix, as a list with names.
fit_series <- function(x) {
  if (is.data.frame(x) || !is.list(x)) x <- if (is.data.frame(x)) as.list(x) else asplit_columns(x)
  if (!length(x)) raise_engine_error("input", "x has no series")
  x
}

asplit_columns <- function(x) {
  columns <- lapply(seq_len(ncol(x)), function(j) as.vector(x[, j]))
  names(columns) <- colnames(x)
  columns
}

# The argument that goes with each of m series: one for all, or a list with one for each.
fit_for_each <- function(value, m, name) {
  if (is.null(value)) return(vector("list", m))
  if (is.data.frame(value)) value <- as.list(value)
  else if (is.matrix(value)) value <- asplit_columns(value)
  if (!is.list(value)) return(rep(list(value), m))
  if (length(value) != m)
    raise_engine_error("input", sprintf("%s has %d elements for %d series", name, length(value), m))
  value
}

fit_many <- function(x, method, pm, fixed, start, weights, censored, na.rm, call) {
  series <- fit_series(x)
  m <- length(series)
  weights <- fit_for_each(weights, m, "weights")
  censored <- fit_for_each(censored, m, "censored")
  free <- sum(is.na(fixed))
  data <- lapply(seq_len(m), function(i)
    tryCatch(fit_data(series[[i]], weights[[i]], censored[[i]], na.rm, free), statcl_error_input = conditionMessage))
  fits_of(data, names(series), method, pm, fixed, start, call)
}

# data: per series a list as fit_data() makes it, or the text of what is wrong with it. fixed and start: one vector for
# all or a matrix with a row per series.
fits_of <- function(data, names, method, pm, fixed, start, call) {
  m <- length(data)
  good <- which(vapply(data, is.list, TRUE))
  joined <- function(name, fill = NULL) {
    parts <- lapply(data[good], `[[`, name)
    absent <- vapply(parts, is.null, TRUE)
    if (all(absent)) return(NULL)
    if (any(absent)) parts[absent] <- lapply(data[good][absent], fill)
    unlist(parts, use.names = FALSE)
  }
  n <- vapply(data[good], function(d) length(d$x), 1)
  all_data <- list(x = joined("x"), weights = joined("weights", function(d) rep(1, length(d$x))),
                   upper = joined("upper", function(d) d$x), first = cumsum(c(0, n))[seq_along(n)], n = n)
  rows <- function(v) if (is.matrix(v)) v[good, , drop = FALSE] else v
  wrong <- character(m)
  wrong[-good] <- unlist(data[setdiff(seq_len(m), good)])
  if (!length(good)) wrong <- unlist(data)
  fits_spread(fit_run_any(all_data, method, pm, rows(fixed), rows(start)), all_data, good, wrong, names, call,
              fixed)
}

fit_run_any <- function(data, method, pm, fixed, start) {
  if (length(data$n)) fit_run(data, method, pm, fixed, start)
  else list(coefficients = matrix(0, 0L, 4L), vcov = array(0, c(4L, 4L, 0L)), loglik = numeric(), fixed = NULL,
            boundary = matrix("", 0L, 4L), converged = logical(), iterations = integer(), evaluations = numeric(),
            message = character(), method = method, pm = as.integer(pm))
}

# The fits of the good among all series in their places, as an object of class stableFits.
fits_spread <- function(fits, data, good, wrong, names, call, fixed) {
  m <- length(wrong)
  place <- rep(NA_integer_, m)
  place[good] <- seq_along(good)
  wrong[good] <- fits$message
  at <- function(v) if (is.matrix(v)) v[place, , drop = FALSE] else v[place]
  coefficients <- at(fits$coefficients)
  boundary <- at(fits$boundary)
  known <- if (is.matrix(fixed)) !is.na(fixed) else matrix(!is.na(fixed), m, 4L, byrow = TRUE)
  boundary[is.na(boundary)] <- ""
  dimnames(coefficients) <- dimnames(known) <- dimnames(boundary) <- list(names, parameters)
  vcov <- fits$vcov[, , place, drop = FALSE]
  dimnames(vcov) <- list(parameters, parameters, names)
  named <- function(v) stats::setNames(v, names)
  structure(list(
    coefficients = coefficients, vcov = vcov, loglik = named(at(fits$loglik)), fixed = known, boundary = boundary,
    converged = named(at(fits$converged) %in% TRUE), iterations = at(fits$iterations),
    evaluations = at(fits$evaluations), message = named(wrong), nobs = named(fit_nobs(data)[place]),
    method = fits$method, pm = fits$pm, call = call, data = data, place = place), class = "stableFits")
}

fit_nobs <- function(data) {
  if (is.null(data$weights)) return(data$n)
  total <- c(0, cumsum(data$weights))
  total[data$first + data$n + 1] - total[data$first + 1]
}

# Fits of a list of series for other functions of the package: what they need of a stableFits object.
fit_batch <- function(series, pm = 0, fixed = NULL, start = NULL, weights = NULL, censored = NULL, method = "mle") {
  none <- c(alpha = NA_real_, beta = NA_real_, gamma = NA_real_, delta = NA_real_)
  data <- lapply(seq_along(series), function(i)
    tryCatch(fit_data(series[[i]], weights[[i]], censored[[i]]), statcl_error_input = conditionMessage))
  fits_of(data, names(series), method, pm, if (is.null(fixed)) none else fixed, start, NULL)
}

# Batches of fits: many series in one call.

# The series of a list, or the columns of a data frame or matrix, as a list with names. An element of a list that is
# no series is a series without a fit, a column of a table that has no numbers a mistake.
fit_series <- function(x) {
  if (is.data.frame(x)) {
    numbers <- vapply(x, function(v) is.numeric(v) || is.logical(v) && all(is.na(v)), NA)
    if (!all(numbers)) input_error("x", class(x[[which(!numbers)[1L]]])[1L], wrong_columns(x, which(!numbers)))
  } else if (!is.list(x) && !is.numeric(x)) input_error("x", typeof(x), "must be numeric")
  x <- if (is.data.frame(x) || is.pairlist(x)) as.list(x) else if (is.list(x)) x else asplit_columns(x)
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

# How one of many is taken from an argument: "list", "columns", or "" where all share it.
series_kind <- function(x) if (is.list(x)) "list" else if (length(dim(x)) == 2L) "columns" else ""

# The names of the series where each tells which it is, else NULL.
unique_names <- function(series) {
  name <- names(series)
  if (anyNA(name) || !all(nzchar(name)) || anyDuplicated(name)) NULL else name
}

fit_many <- function(x, method, pm, fixed, start, weights, censored, na.rm, call, starts) {
  kind <- list(x = series_kind(x), weights = series_kind(weights), censored = series_kind(censored))
  series <- fit_series(x)
  m <- length(series)
  weights <- fit_for_each(weights, m, "weights")
  censored <- fit_for_each(censored, m, "censored")
  open <- is.na(fixed)
  data <- lapply(seq_len(m), function(i)
    tryCatch(fit_data(series[[i]], weights[[i]], censored[[i]], na.rm, open), statcl_error_input = conditionMessage))
  fits <- fits_of(data, names(series), method, pm, fixed, start, call, starts)
  fits$kind <- c(kind, list(names = unique_names(series), size = length(series)))
  fits_warn(fits)
}

# data: per series a list as fit_data() makes it, or the text of what is wrong with it. fixed and start: one vector
# for all or a matrix with a row per series.
fits_of <- function(data, names, method, pm, fixed, start, call, starts = 0L) {
  if (is.matrix(fixed)) data[refused_rows(fixed, pm)] <- list(refused_text)
  good <- which(vapply(data, is.list, TRUE))
  joined <- function(name, fill = NULL) {
    parts <- lapply(data[good], `[[`, name)
    absent <- vapply(parts, is.null, TRUE)
    if (all(absent)) return(NULL)
    if (any(absent)) parts[absent] <- lapply(data[good][absent], fill)
    unlist(parts, use.names = FALSE)
  }
  n <- lengths(lapply(data[good], `[[`, "x"))
  all_data <- list(x = as.double(joined("x")), weights = joined("weights", function(d) rep(1, length(d$x))),
                   upper = joined("upper", function(d) d$x), first = cumsum(c(0, n))[seq_along(n)], n = n)
  wrong <- vapply(data, function(d) if (is.list(d)) "" else d, "")
  fits <- fit_run_parts(all_data, method, pm, own_rows(fixed, good), own_rows(start, good), starts)
  fits_spread(fits, all_data, good, wrong, names, call, fixed)
}

# Of values for each series, or for all.
own_rows <- function(v, at) if (is.matrix(v)) v[at, , drop = FALSE] else v

# Rows of fixed values that the engine refuses, as it says.
refused_rows <- function(fixed, pm)
  if (pm == 1) which(fixed[, 1L] %in% 1 & !is.na(fixed[, 4L])) else integer()
refused_text <- "with alpha fixed at 1, a fixed delta must be that of pm = 0"

# Workers have some of the series each.
fit_run_parts <- function(data, method, pm, fixed, start, starts = 0L) {
  parts <- lapply(cluster_parts(length(data$n), 8), function(at) {
    from <- min(data$first[at])
    own <- from + seq_len(max(data$first[at] + data$n[at]) - from)
    list(data = list(x = data$x[own], weights = data$weights[own], upper = data$upper[own],
                     first = data$first[at] - from, n = data$n[at]),
         fixed = own_rows(fixed, at), start = own_rows(start, at))
  })
  if (length(parts) < 2L) return(fit_run(data, method, pm, fixed, start, starts))
  found <- cluster_apply(parts, "fit_run_part", method, pm, starts)
  joined <- lapply(names(found[[1L]]), function(name) {
    own <- lapply(found, `[[`, name)
    if (is.matrix(own[[1L]])) do.call(rbind, own)
    else if (is.array(own[[1L]])) array(unlist(own), c(4L, 4L, length(data$n)), dimnames(own[[1L]]))
    else if (name %in% c("method", "pm")) own[[1L]]
    else unlist(own)
  })
  stats::setNames(joined, names(found[[1L]]))
}

fit_run_part <- function(part, method, pm, starts) fit_run(part$data, method, pm, part$fixed, part$start, starts)

# The fits of the good among all series in their places, as an object of class stableFits.
fits_spread <- function(fits, data, good, wrong, names, call, fixed) {
  m <- length(wrong)
  place <- rep(NA_integer_, m)
  place[good] <- seq_along(good)
  wrong[good] <- fits$message
  place[good[fits$refused]] <- NA
  core <- fit_core(fits, data, fixed, place, names)
  core$message[] <- wrong
  structure(c(core, list(call = call, data = data, place = place, index = seq_len(m), number = seq_len(m))),
            class = c("stableFits", "statclFit"))
}

fit_nobs <- function(data) {
  if (is.null(data$weights)) data$n else vapply(seq_along(data$n), function(i) fit_total(data, i), 1)
}

# How many observations sample i has, with their weights.
fit_total <- function(data, i)
  if (is.null(data$weights)) data$n[i] else sum(data$weights[data$first[i] + seq_len(data$n[i])])

# Fits of a list of series for other functions of the package: what they need of a stableFits object.
fit_batch <- function(series, pm = 0, fixed = NULL, start = NULL, method = "mle") {
  open <- if (is.null(fixed)) matrix(TRUE, length(series), 4L) else is.na(fixed)
  data <- lapply(seq_along(series), function(i)
    tryCatch(fit_data(series[[i]], open = open[i, ]), statcl_error_input = conditionMessage))
  fits_of(data, names(series), method, pm, if (is.null(fixed)) fit_values(NULL, "fixed") else fixed, start, NULL)
}

#' Fits of stable distributions in rolling windows
#'
#' [stableFit()] for every window of `width` consecutive observations, in one batch and without a copy of the data for
#' each window.
#'
#' All windows of all series are fitted together, as [stableFit()] does with a list. A window with a missing value or
#' without variation is not fitted; the component `message` says why. Use
#' `stableRoll()` to see whether tails or scale change over time.
#'
#' Confidence limits become narrower where the estimate of `beta` is on its boundary, -1 or 1, because the limits of
#' the other parameters then treat it as known.
#'
#' @inheritParams stableFit
#' @param x numeric vector, time series or matrix or data frame of several series in columns, or list of them.
#' @param width number of observations in a window.
#' @param step distance between the starts of consecutive windows.
#' @param ... not used: other arguments are errors.
#' @return An object of class `stableRoll`, which is a [`stableFits`][stableFits-methods] with a further component
#'   `window`, a data frame of the number or name of the `series`, the numbers `from` and `to` of the first and last
#'   observation, and the `time` of the last one where `x` has times (objects of class `ts`, `zoo` and `xts`, and
#'   names or row names that are dates such as `2024-12-31`). Windows are named by the last observation: by its time,
#'   unless this is a plain number, or by its name, or by its number.
#' @seealso [stableFit()], [stableFits-methods]
#' @examples
#' returns <- 100 * diff(log(datasets::EuStockMarkets[, c("DAX", "FTSE")]))
#' rolled <- stableRoll(returns, width = 250, step = 50)
#' rolled
#' head(as.data.frame(rolled))
#' plot(rolled, "alpha")
#' @export
stableRoll <- function(x, width, step = 1,
                       method = c("mle", "grid", "grid2d", "ecf", "koutrouvelis", "mcculloch", "logmoment"), pm = 0,
                       fixed = list(), start = NULL, ...) {
  refuse_extra("stableRoll", ...)
  need(x = missing(x), width = missing(width))
  count <- function(v, name) {
    refuse_units(name, v)
    if (!is.numeric(v) || length(v) != 1L || !is.finite(v) || v < 1 || v != round(v))
      input_error(name, v, "must be a positive whole number")
  }
  count(width, "width")
  count(step, "step")
  x <- plain_numbers(x)
  check_dimensions(x)
  series <- if (is.list(x) || NCOL(x) > 1L) fit_series(x) else list(x)
  numbers <- vapply(series, is.numeric, TRUE)
  if (!all(numbers))
    input_error("x", class(series[[which(!numbers)[1L]]])[1L], wrong_columns(x, which(!numbers)))
  n <- lengths(series)
  if (all(n < width)) input_error("width", width, sprintf("must not exceed the %d observations", max(n)))
  window <- do.call(rbind, lapply(which(n >= width), function(i) {
    from <- seq.int(1, n[[i]] - width + 1, by = step)
    data.frame(series = if (is.null(names(series))) i else names(series)[i], from = from, to = from + width - 1,
               index = i, first = sum(n[seq_len(i - 1L)]) + from - 1)
  }))
  values <- as.double(unlist(series, use.names = FALSE))
  wrong <- roll_faults(values, window$first, width)
  good <- which(!nzchar(wrong))
  options <- fit_options(method, pm, fixed, start)
  free <- sum(is.na(options$fixed))
  if (width <= free)
    input_error("width", width, sprintf("must be at least %d for %s", free + 1L, count_text(free, "parameter")))
  data <- list(x = values, weights = NULL, upper = NULL, first = window$first[good],
               n = rep(as.integer(width), length(good)))
  fits <- fit_run_parts(data, options$method, options$pm, options$fixed, options$start)
  several <- length(series) > 1L
  whole <- !several || !is.null(dim(x)) # the observations of all series are at the same times
  names <- if (whole) observation_names(if (is.null(dim(x))) series[[1L]] else x)
  times <- if (whole) series_times(if (several) x else series[[1L]], names)
  labels <- if (!is.null(times) && !is.numeric(times)) format(times) else names
  labels <- if (is.null(labels)) window$to else labels[window$to]
  labels <- if (several) paste(window$series, labels, sep = ".") else as.character(labels)
  result <- fits_spread(fits, data, good, wrong, labels, match.call(), options$fixed)
  if (!is.null(times)) window$time <- times[window$to]
  result$index <- window$index
  result$kind <- list(x = series_kind(x), names = unique_names(series), size = nrow(window))
  window$first <- window$index <- NULL
  if (!several) window$series <- NULL
  rownames(window) <- NULL
  result$window <- window
  class(result) <- c("stableRoll", class(result))
  fits_warn(result)
}

wrong_columns <- function(x, at) {
  if (!is.data.frame(x)) return("must be numeric")
  sprintf("must be numeric in column \"%s\": x[-%s] is without, and dates can be row names", names(x)[at[1L]],
          deparse(unname(at)))
}

# What keeps a window from being fitted, "" if nothing: from running counts of bad values and of changes.
roll_faults <- function(x, first, width) {
  bad <- c(0, cumsum(!is.finite(x)))
  change <- c(0, cumsum(c(TRUE, x[-1L] != x[-length(x)]) %in% TRUE))
  missing <- bad[first + width + 1] - bad[first + 1]
  varied <- change[first + width + 1] - change[first + 2]
  ifelse(missing > 0, "x has missing or infinite values", ifelse(varied == 0, "x is constant", ""))
}

series_times <- function(x, names) {
  if (stats::is.ts(x)) return(as.numeric(stats::time(x)))
  if (inherits(x, "zoo") && requireNamespace("zoo", quietly = TRUE)) {
    index <- zoo::index(x)
    return(if (!is.character(index) && !is.factor(index)) index)
  }
  dates <- if (all(grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", names))) as.Date(names, optional = TRUE)
  if (length(dates) && !anyNA(dates)) dates
}

# Of the observations, if they are names and not numbers, and differ.
observation_names <- function(x) {
  names <- if (is.data.frame(x)) attr(x, "row.names") else if (is.null(dim(x))) names(x) else rownames(x)
  if (is.character(names) && !anyNA(names) && !anyDuplicated(names)) names
}

fits_warn <- function(fits) {
  failed <- which(nzchar(fits$message) & !fits$converged)
  if (length(failed))
    warn(sprintf("%d of %d %s were not fitted or their likelihood not maximised: see the component message of %s",
                 length(failed), length(fits$message), fits_word(fits), toString(series_labels(fits)[failed], 60L)))
  zero <- sum(fits$message == zero_density)
  if (zero > 0)
    warn(sprintf("%d of %d estimated distributions give some values a density of 0: see the component message",
                 zero, length(fits$message)))
  fits
}

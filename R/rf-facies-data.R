# Fields of categories given categories that were observed: values of the Gaussian fields there, drawn given that each
# is within the limits of its category, are data of kriging.

facies_steps <- 50L # of a chain by default
most_observed <- 5000L # whose covariance matrix is kept

# Categories at places, with the data of each field's kriging, whose values are to come.
facies_data <- function(data, facies, places) {
  if (!is.list(data) || is.null(names(data)))
    input_error("data", class(data)[1L], "must be list(x = points, y = categories)")
  odd <- setdiff(names(data), c("x", "y", "m", "steps"))
  if (length(odd)) input_error("data", odd[1L], "must be a list of x and y, and perhaps m and steps")
  for (name in c("x", "y")) if (is.null(data[[name]]))
    raise_engine_error("input", sprintf("data has no %s: it must be list(x = points, y = categories)", name))
  own <- places_of(data$x, "data$x")
  y <- category_numbers(data$y, facies$labels, own$n)
  xy <- unname(places_points(own))
  id <- place_numbers(xy)
  other <- which(y != y[match(id, id)])
  if (length(other))
    place_error("data$x", xy, other[1L], 1L, "a location is given twice, with different categories")
  once <- which(!duplicated(id))
  if (length(once) > most_observed) input_error("data$x", length(once), sprintf(
    "must have at most %d points: values at all of them are drawn together", most_observed))
  given <- list(xy = xy[once, , drop = FALSE], y = y[once],
                steps = if (is.null(data$steps)) facies_steps else whole_number("data$steps", data$steps))
  given$krige <- lapply(facies$model, function(model) conditioning_data(
    c(list(x = if (length(once) == own$n) data$x else given$xy, y = numeric(length(once))), data[names(data) == "m"]),
    places, model, NULL))
  structure(given, class = "faciesData")
}

category_numbers <- function(y, labels, n) {
  if (is.factor(y)) y <- as.character(y)
  number <- if (is.character(y)) match(y, labels) else if (is.numeric(y)) match(y, seq_along(labels))
  if (is.null(number)) input_error("data$y", class(y)[1L], "must be numbers or names of categories")
  if (anyNA(number)) name_value("data$y", y, is.na(number), paste("must be one of the categories", toString(labels)))
  if (length(number) != n)
    raise_engine_error("input", sprintf("data$y has length %d: data$x has %.0f points", length(number), n))
  number
}

#' @exportS3Method NULL
conditioned.faciesData <- function(given, recipe) {
  facies <- recipe$facies
  if (facies$fields[[1L]]$method == "fft")
    input_error("data", "list", "is not for method = \"fft\": its fields are known on their own grid alone")
  latent <- latent_values(given, facies, recipe)
  for (f in seq_along(facies$fields)) {
    krige <- given$krige[[f]]
    krige$y <- latent[[f]]
    facies$fields[[f]] <- conditioned(krige, facies$fields[[f]])
  }
  facies$data <- given[c("xy", "y")]
  recipe$facies <- facies
  recipe
}

# ---- values within limits ----

# Values of each field at the data, a column for each of nsim fields. `cells` are, for each cell of the rule, in which
# data it may be, with its limits there, a row for each datum and a column for each field.
latent_values <- function(given, facies, recipe) {
  cells <- observed_cells(given, facies)
  fields <- lapply(given$krige, function(krige) {
    covariance <- unname(covariance(krige$p$model, krige$xy))
    factor <- tryCatch(chol(covariance), error = function(e) raise_engine_error("input", sprintf(paste(
      "the covariance matrix of the %d points of data$x is not positive definite to working precision: a rougher",
      "model, a nugget, or points further apart have one that is"), nrow(covariance))))
    list(covariance = covariance, factor = factor, precision = chol2inv(factor))
  })
  n <- length(given$y)
  numbers <- chain_numbers(recipe, n)
  uniform <- function(step) numbers(step)[seq_len(3L * n), , drop = FALSE]
  state <- first_values(fields, cells, uniform(0))
  outermost <- !isTRUE(session$loop)
  on.exit(if (outermost) progress_loop_done())
  began <- proc.time()
  for (step in seq_len(given$steps)) {
    state <- gibbs_sweep(state, fields, cells, uniform(step))
    for (f in seq_along(fields)) {
      normal <- stats::qnorm(numbers(step)[(2L + f) * n + seq_len(n), , drop = FALSE])
      state$z[[f]] <- .Call(C_bandTruncated, state$z[[f]], crossprod(fields[[f]]$factor, normal),
                            fields[[f]]$covariance, state$low[[f]], state$high[[f]])
    }
    if (outermost) progress_loop("tbrf", began, step / given$steps)
  }
  state$z
}

# Uniform numbers of a step, a column for each chain: of each datum three for its cell and the value of each field,
# and then of all data those for the velocities of the fields. They are made for many steps at once.
chain_numbers <- function(recipe, n) {
  streams <- lapply(seq_len(recipe$nsim), function(sim) uniforms_for(field_key(recipe$key, sim), 0L))
  at_once <- max(1, 2^21 %/% (5 * n * recipe$nsim))
  first <- 0
  kept <- NULL
  function(step) {
    if (is.null(kept) || step >= first + at_once) {
      first <<- step
      kept <<- vapply(streams, function(of) of(203, 5 * n * at_once, 5 * n * step), numeric(5 * n * at_once))
    }
    kept[5 * n * (step - first) + seq_len(5 * n), , drop = FALSE]
  }
}

# For each datum the limits of the cells of its category: matrices `low` and `high` with a row for each cell and a
# column for each field.
observed_cells <- function(given, facies) {
  level <- facies_levels(facies, given$xy)
  between <- function(level, i) c(-Inf, level[if (nrow(level) == 1L) 1L else i, ], Inf)
  two <- length(facies$model) == 2L
  lapply(seq_along(given$y), function(i) {
    low <- high <- matrix(0, 0L, 1L + two)
    strip <- between(level$first, i)
    for (s in seq_along(facies$cell)) {
      cell <- between(level$second[[s]], i)
      for (k in which(facies$cell[[s]] == given$y[i])) if (strip[s] < strip[s + 1L] && cell[k] < cell[k + 1L]) {
        low <- rbind(low, c(strip[s], if (two) cell[k]))
        high <- rbind(high, c(strip[s + 1L], if (two) cell[k + 1L]))
      }
    }
    if (!nrow(low)) place_error("data$x", given$xy, i, 1L, sprintf("the proportion of category %s is 0 there",
                                                                   facies$labels[given$y[i]]))
    list(low = low, high = high)
  })
}

# Draws the cell of datum i and the values there, of all chains, given means and standard deviations.
draw_datum <- function(state, i, cell, mean, sd, u) {
  k <- nrow(cell$low)
  chosen <- rep(1L, length(mean[[1L]]))
  if (k > 1L) {
    weight <- vapply(seq_len(k), function(j) Reduce(`+`, lapply(seq_along(mean), function(f)
      log_mass_between((cell$low[j, f] - mean[[f]]) / sd[f], (cell$high[j, f] - mean[[f]]) / sd[f]))), mean[[1L]])
    weight <- matrix(weight, ncol = k)
    share <- exp(weight - do.call(pmax, as.data.frame(weight)))
    total <- t(apply(share, 1L, cumsum))
    chosen <- 1L + as.integer(rowSums(total[, -k, drop = FALSE] < u[1L, ] * total[, k]))
  }
  for (f in seq_along(mean)) {
    low <- cell$low[chosen, f]
    high <- cell$high[chosen, f]
    state$z[[f]][i, ] <- truncated_quantile(u[1L + f, ], mean[[f]], sd[f], low, high)
    state$low[[f]][i, ] <- low
    state$high[[f]][i, ] <- high
  }
  state
}

# One after the other, each given those before (the importance sampler of Geweke, Hajivassiliou and Keane): z = L e.
first_values <- function(fields, cells, u) {
  n <- length(cells)
  none <- lapply(fields, function(own) matrix(0, n, ncol(u)))
  state <- list(z = none, low = none, high = none)
  e <- none
  for (i in seq_len(n)) {
    before <- seq_len(i - 1L)
    mean <- lapply(seq_along(fields), function(f) if (i == 1L) numeric(ncol(u))
                   else drop(crossprod(e[[f]][before, , drop = FALSE], fields[[f]]$factor[before, i])))
    sd <- vapply(fields, function(own) own$factor[i, i], 0)
    state <- draw_datum(state, i, cells[[i]], mean, sd, u[3L * (i - 1L) + 1:3, , drop = FALSE])
    for (f in seq_along(fields)) e[[f]][i, ] <- (state$z[[f]][i, ] - mean[[f]]) / sd[f]
  }
  state
}

# Given all others the mean of z_i is z_i - (Q z)_i / Q_ii, with the inverse Q of the covariance, and 1/Q_ii its
# variance.
gibbs_sweep <- function(state, fields, cells, u) {
  for (i in seq_along(cells)) {
    sd <- vapply(fields, function(own) 1 / sqrt(own$precision[i, i]), 0)
    mean <- lapply(seq_along(fields), function(f)
      state$z[[f]][i, ] - drop(crossprod(state$z[[f]], fields[[f]]$precision[, i])) * sd[f]^2)
    state <- draw_datum(state, i, cells[[i]], mean, sd, u[3L * (i - 1L) + 1:3, , drop = FALSE])
  }
  state
}

# log(pnorm(b) - pnorm(a)), a < b, of the tail that has its digits.
log_mass_between <- function(a, b) {
  upper <- a + b > 0 & is.finite(a)
  low <- ifelse(upper, -b, a)
  high <- ifelse(upper, -a, b)
  top <- stats::pnorm(high, log.p = TRUE)
  top + log1p(-exp(stats::pnorm(low, log.p = TRUE) - top))
}

# Quantiles u of normal variables between limits, by logarithms of probabilities: those of the lower tail have their
# digits.
truncated_quantile <- function(u, mean, sd, low, high) {
  a <- (low - mean) / sd
  b <- (high - mean) / sd
  upper <- a + b > 0 & is.finite(a)
  from <- ifelse(upper, -b, a)
  to <- ifelse(upper, -a, b)
  top <- stats::pnorm(to, log.p = TRUE)
  u <- ifelse(upper, 1 - u, u)
  z <- stats::qnorm(top + log(u + (1 - u) * exp(stats::pnorm(from, log.p = TRUE) - top)), log.p = TRUE)
  pmin(pmax(mean + sd * ifelse(upper, -z, z), low), high)
}

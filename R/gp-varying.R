# Coefficients that are processes themselves: with the covariates x_k that vary, of which the first is 1, the linear
# predictor is offset + X beta + sum_k x_k w_k + Z u with independent processes w_k. The model is a sum, a part or more
# for each process. All have the order and the neighbours of the first one; in joint vectors the values of a location
# are one after the other.

# ---- what gpFit() is asked for ----

# `varying` as a formula, or a list of models by the names of covariates.
asked_varying <- function(varying, cov, family, env) {
  if (is.null(varying)) return(NULL)
  if (is.null(cov)) input_error("varying", deparse1(varying), "needs a process: cov must not be NULL")
  if (inherits(varying, "formula")) {
    if (length(varying) != 2L)
      input_error("varying", deparse1(varying), "must be a formula without a left side, as ~ x")
    return(list(formula = varying, models = NULL))
  }
  if (!is.list(varying) || !length(varying) || is.null(names(varying)) || !all(nzchar(names(varying))))
    input_error("varying", class(varying)[1L],
                "must be a formula as ~ x, or a list of models by the names of covariates, as list(x = \"exponential\")")
  list(formula = stats::as.formula(paste("~", paste(names(varying), collapse = " + ")), env), models = varying)
}

# The columns of covariates of all rows, without a constant, which the process itself has.
varying_columns <- function(formula, data, xlevels = NULL) {
  frame <- model_variables(formula, data, stats::model.frame(formula, data, na.action = stats::na.pass, xlev = xlevels),
                           "varying")
  x <- stats::model.matrix(formula, plain_numbers(frame))
  assign <- attr(x, "assign")
  x <- x[, assign > 0L, drop = FALSE]
  if (!ncol(x)) input_error("varying", deparse1(formula), "has no covariate")
  list(x = x, xlevels = stats::.getXlevels(stats::terms(formula), frame))
}

# The sum of the model and one for each column, `of` which process each part is.
varying_model <- function(model, cov, columns, models, nugget) {
  parts <- lapply(columns, function(name) fit_model(if (is.null(models)) cov else models[[name]], nugget))
  if (!is.null(models) && !all(columns %in% names(models)))
    input_error("varying", toString(names(models)), "must be names of numeric covariates")
  all <- c(list(model), parts)
  list(model = Reduce(`+`, all), of = rep(seq_along(all), vapply(all, function(m) length(model_parts(m)), 0L)))
}

# A nugget would be an effect of each observation, as (1 | row) is.
check_varying <- function(fit, nugget) if (!is.null(fit$varying) && !nugget$zero)
  input_error("nugget", NA, paste("is not for fits with varying coefficients: a term (1 | row) of the formula, with a",
                                  "factor of all rows, is the same effect"))

some_varying <- function(varying, at) {
  if (!is.null(varying)) varying$value <- varying$value[at, , drop = FALSE]
  varying
}

new_varying <- function(varying, frame)
  replace(varying, "value", list(unname(cbind(1, varying_columns(varying$formula, frame, varying$xlevels)$x))))

check_coefficient <- function(object, coefficient) {
  if (!is.character(coefficient) || length(coefficient) != 1L || !coefficient %in% object$varying$names)
    input_error("coefficient", coefficient, if (is.null(object$varying))
      "is for fits with coefficients that vary, see varying of gpFit()"
      else paste("must be one of those that vary:", toString(object$varying$names)))
}

# Places where the linear predictor is this coefficient alone.
at_coefficient <- function(new, object, coefficient) {
  n <- nrow(new$xy)
  names <- names(object$coefficients)[is_known(object)]
  new$X <- matrix(rep(as.double(names == coefficient), each = n), n)
  new$offset <- numeric(n)
  if (!is.null(object$groups)) new$groups <- no_groups(n)
  new$varying <- replace(object$varying, "value", list(
    matrix(rep(as.double(c("", object$varying$names) == coefficient), each = n), n)))
  new
}

# ---- processes of a problem ----

count_processes <- function(p) if (is.null(p$of)) 1L else max(p$of)

# The problem of each process, which has its parts of the sum.
process_problem <- function(p, k) {
  if (is.null(p$of)) return(p)
  parts <- p$parts[p$of == k]
  p$of <- NULL
  gp_at(p, with_distance(if (length(parts) > 1L) sum_model(parts, 0) else structure(parts[[1L]], class = "covModel"),
                         p$metric$kind))
}

# ---- joint vectors: the processes at their locations, and then all effects ----

# Of a design: which elements each observation has, with what covariates. NULL: one process alone.
joint_design <- function(l, locations) {
  processes <- if (is.null(l$varying)) 1L else ncol(l$varying)
  if (is.null(l$groups) && processes == 1L) return(NULL)
  latent <- processes * locations
  index <- vapply(seq_len(processes), function(k) processes * (l$at - 1) + k, numeric(length(l$at)))
  index <- cbind(index, if (!is.null(l$groups)) latent + l$groups$index)
  storage.mode(index) <- "integer"
  value <- cbind(if (processes == 1L) rep(1, length(l$at)) else l$varying, l$groups$value)
  list(index = index, value = unname(value), sizes = as.integer(c(processes, latent, length(l$groups$term))))
}

# What joint vectors, columns, add to the predictor of each observation.
latent_of <- function(l, b) {
  if (is.null(l$joint)) return(if (is.matrix(b)) b[l$at, , drop = FALSE] else b[l$at])
  .Call(C_laplaceSpread, l$joint$index, l$joint$value, l$joint$sizes, b)
}

# The transpose of that: sums of what observations have.
latent_sums <- function(l, values) {
  if (is.null(l$joint)) return(location_sums(l, values))
  .Call(C_laplaceGather, l$joint$index, l$joint$value, l$joint$sizes, values)
}

# Numbers of the elements of each process at the locations `place`, a column for each.
process_rows <- function(place, processes) outer(processes * (place - 1L), seq_len(processes), `+`)

prior_times <- function(q, b) {
  if (!length(q$effects)) return(precision_times(q, b))
  at <- seq_along(q$prior[[1L]])
  if (is.matrix(b)) rbind(precision_times(q, b[at, , drop = FALSE]), q$effects * b[-at, , drop = FALSE])
  else c(precision_times(q, b[at]), q$effects * b[-at])
}

# ---- the precision of several processes ----

# Row (s, k) of the pattern has all processes at the neighbours of location s, and those before k at s itself. `own`:
# for each process where its weights of neighbours are; `coupling`: a matrix of places, k x l, for each location.
joint_pattern <- function(pattern, processes) {
  count <- diff(pattern[[1L]])
  n <- length(count)
  block <- rep(processes * pattern[[2L]], each = processes) + rep(seq_len(processes) - 1L, length(pattern[[2L]]))
  size <- rep(processes * count, each = processes) + rep(seq_len(processes) - 1L, n)
  start <- c(0L, cumsum(size))
  if (utils::tail(start, 1L) > .Machine$integer.max) raise_engine_error("memory", sprintf(
    "%d processes at %d locations have too many neighbours: a smaller m may serve", processes, n))
  near <- integer(utils::tail(start, 1L))
  own <- list()
  coupling <- array(NA_integer_, c(processes, processes, n))
  for (k in seq_len(processes)) {
    first <- start[processes * (seq_len(n) - 1L) + k]
    places <- rep(first, processes * count) + sequence(processes * count)
    near[places] <- block
    own[[k]] <- places[seq(k, by = processes, length.out = length(pattern[[2L]]))]
    for (j in seq_len(k - 1L)) {
      coupling[k, j, ] <- first + processes * count + j
      near[coupling[k, j, ]] <- as.integer(processes * (seq_len(n) - 1L) + j - 1L)
    }
  }
  list(pattern = list(as.integer(start), near), own = own, coupling = coupling)
}

joint_prior <- function(joint, priors) {
  processes <- length(priors)
  variance <- as.vector(do.call(rbind, lapply(priors, `[[`, 1L)))
  weights <- numeric(length(joint$pattern[[2L]]))
  for (k in seq_len(processes)) weights[joint$own[[k]]] <- priors[[k]][[2L]]
  list(variance, weights)
}

# W of the processes: sums over the observations of each location.
process_weights <- function(l, weight) {
  if (is.null(l$varying)) return(location_sums(l, weight))
  joint <- l$graph$joint
  k <- ncol(l$varying)
  diagonal <- as.vector(t(vapply(seq_len(k), function(j) location_sums(l, weight * l$varying[, j]^2), numeric(l$count / k))))
  below <- numeric(length(joint$pattern[[2L]]))
  for (i in seq_len(k)) for (j in seq_len(i - 1L))
    below[joint$coupling[i, j, ]] <- location_sums(l, weight * l$varying[, i] * l$varying[, j])
  list(diagonal, below)
}

# Variances of what the processes add to linear predictors, by the elements of an inverse on the pattern.
process_variances <- function(l, elements) {
  if (is.null(l$varying)) return(elements[[1L]][l$at])
  k <- ncol(l$varying)
  total <- 0
  for (i in seq_len(k)) {
    total <- total + l$varying[, i]^2 * elements[[1L]][k * (l$at - 1L) + i]
    for (j in seq_len(i - 1L)) total <- total + 2 * l$varying[, i] * l$varying[, j] *
        elements[[2L]][l$graph$joint$coupling[i, j, l$at]]
  }
  total
}

# The linear model of coregionalisation: sums of models of one variable, each with a matrix of covariances at one
# place, the variances of all variables and the covariances between them.

lmc_model <- function(given) {
  need(parts = is.null(given$parts), sill = is.null(given$sill))
  if (!identical(as.double(given$variance), 1))
    input_error("variance", given$variance, "is no argument of \"lmc\": the matrices sill have the variances")
  parts <- given$parts
  if (inherits(parts, "covModel")) parts <- list(parts)
  if (!is.list(parts) || !length(parts) || !all(vapply(parts, inherits, NA, "covModel")))
    input_error("parts", class(parts)[1L], "must be a list of models by covModel()")
  parts <- lapply(parts, lmc_part)
  for (p in c("distance", "radius")) {
    known <- unique(lapply(parts, `[[`, p))
    if (length(known) > 1L) input_error(p, unlist(known), "must be the same in all parts")
  }
  names(parts) <- paste0("part", seq_along(parts))
  sill <- lmc_sills(given$sill, length(parts), given$variable, given$nugget)
  p <- dim(sill)[1L]
  rank <- if (is.null(given$rank)) p else given$rank
  for (r in rank) whole_number("rank", r)
  if (!length(rank) %in% c(1L, length(parts)) || any(rank < 1) || any(rank > p) && !(p == 1L && all(is.na(sill))))
    input_error("rank", rank, sprintf("must be from 1 to %d, one number or one for each part", p))
  rank <- rep_len(as.integer(rank), length(parts))
  for (k in seq_along(parts)) if (!anyNA(sill[, , k])) {
    one <- matrix(sill[, , k], p)
    refuse_indefinite(sprintf("sill[[%d]]", k), one)
    check_rank(one, rank[k], k)
  }
  model <- structure(list(name = "lmc", parts = parts, sill = sill, nugget = check_nuggets(given$nugget, p),
                 rank = if (!is.null(given$rank)) rank, variable = check_variable(given$variable, p),
                 mean = check_mean(given$mean), distance = parts[[1L]]$distance, radius = parts[[1L]]$radius),
            class = "covModel")
  if (anyNA(sill) || all(rank == p)) model else lmc_settle(model)
}

lmc_rank <- function(model) if (is.null(model$rank)) rep(dim(model$sill)[1L], length(model$parts)) else model$rank

check_rank <- function(sill, rank, k) {
  e <- eigen(sill, TRUE, TRUE)$values
  if (rank < nrow(sill) && e[rank + 1L] > 1e-8 * e[1L])
    raise_engine_error("input", sprintf("sill[[%d]] has eigenvalues %s: rank = %d needs %s of 0", k,
                                        toString(format(e, digits = 4, trim = TRUE)), rank,
                                        count_text(nrow(sill) - rank, "eigenvalue")))
}

# Of one variable, of variance 1: it is that of the sills.
lmc_part <- function(model) {
  model <- checked_model(model, TRUE)
  if (is_sum(model) || !is.null(families[[model$name]]$arguments))
    input_error("parts", model$name, "must have models of one variable in space")
  if (is_intrinsic(model)) input_error("parts", "power", "must be models with a covariance")
  if (!identical(model$nugget, 0)) input_error("parts", model$name, paste(
    "must be without nugget: nugget of \"lmc\" has one for each variable"))
  if (!isTRUE(model$variance == 1)) input_error("parts", model$variance, paste(
    "must have variance 1: the matrices sill have the variances"))
  if (model$distance == "given") input_error("distance", "given", "has no variables: give coordinates")
  model$mean <- 0
  model
}

# An array of matrices.
lmc_sills <- function(sill, count, variable, nugget) {
  if (is.matrix(sill) || is.numeric(sill) && is.null(dim(sill)) && count == 1L) sill <- list(sill)
  if (is.array(sill) && length(dim(sill)) == 3L) sill <- lapply(seq_len(dim(sill)[3L]), function(k)
    matrix(sill[, , k], dim(sill)[1L]))
  if (length(sill) == 1L && is_one_na(sill[[1L]]) || is_one_na(sill)) { # all are unknown
    p <- max(length(variable), NROW(nugget), 1L)
    sill <- rep(list(matrix(NA_real_, p, p)), count)
  }
  if (!is.list(sill) || length(sill) != count)
    input_error("sill", if (is.list(sill)) length(sill) else class(sill)[1L], sprintf(
      "must be a list of symmetric matrices, one for each of %s", count_text(count, "part")))
  sill <- lapply(sill, function(x) if (is.null(dim(x)) && length(x) == 1L) matrix(x, 1L, 1L) else x)
  p <- NROW(sill[[1L]])
  if (length(variable) && length(variable) != p)
    input_error("variable", variable, sprintf("must be %d names: sill has %d rows", p, p))
  nuggets <- if (is.matrix(nugget)) nrow(nugget) else length(nugget)
  if (!nuggets %in% c(1L, p)) raise_engine_error("input", sprintf("nugget has length %d: there are %d variables",
                                                                  nuggets, p))
  value <- array(0, c(p, p, count))
  for (k in seq_len(count)) {
    value[, , k] <- check_symmetric(sprintf("sill[[%d]]", k), sill[[k]], p)
    own <- diag(matrix(value[, , k], p))
    if (!all(is.na(own))) check_numbers(sprintf("sill[[%d]]", k), own[!is.na(own)], "not negative")
  }
  value
}

# Parameters of part k end with .k where there are several, as those of a sum.
lmc_parameters <- function(model) {
  p <- dim(model$sill)[1L]
  several <- length(model$parts) > 1L
  before <- variable_labels(model)$before
  rows <- lapply(seq_along(model$parts), function(k) {
    sill <- of_pairs(model, "sill", TRUE, paste0(k, "."), (k - 1L) * p * p, c("coregionalisation", "cross"),
                     lmc_rank(model)[k])
    own <- part_parameters(model$parts[[k]])
    own <- lapply(own, `[`, !own$base %in% c("variance", "nugget"))
    own$inside[] <- names(model$parts)[k]
    if (several) own$parameter <- paste0(own$parameter, ".", k)
    join_parameters(sill, own)
  })
  do.call(join_parameters, c(rows, list(nugget_parameters(model))))
}

lmc_settle <- function(model) {
  for (k in seq_along(model$parts))
    model$sill[, , k] <- of_rank(symmetric(matrix(model$sill[, , k], dim(model$sill)[1L])),
                                  lmc_rank(model)[k])
  if (is.matrix(model$nugget)) model$nugget <- symmetric(model$nugget)
  model
}

# What follows from the first rows of a matrix of this rank, T22 = T21 inv(T11) T12; with a change of these the
# derivative of that.
of_rank <- function(x, rank, change = NULL) {
  one <- seq_len(rank)
  if (rank == nrow(x)) return(if (is.null(change)) x else change)
  cross <- x[one, -one, drop = FALSE]
  root <- tryCatch(solve(x[one, one], cross), error = function(e) cross * NA)
  if (is.null(change)) {
    x[-one, -one] <- crossprod(x[one, -one, drop = FALSE], root)
    return(x)
  }
  cross <- crossprod(change[one, -one, drop = FALSE], root)
  change[-one, -one] <- cross + t(cross) - crossprod(root, change[one, one] %*% root)
  change
}

lmc_terms <- function(model, slopes) {
  p <- dim(model$sill)[1L]
  rows <- if (slopes) lmc_parameters(model)
  lapply(seq_along(model$parts), function(k) {
    part <- unclass(model$parts[[k]])
    part[c("variance", "nugget")] <- list(1, 0)
    shares <- list()
    for (r in which(rows$base == "sill" & (rows$element - 1L) %/% (p * p) == k - 1L)) {
      w <- matrix(0, p, p)
      w[rows$element[r] - (k - 1L) * p * p] <- 1
      shares[[rows$parameter[r]]] <-
        list(weight = of_rank(matrix(model$sill[, , k], p), lmc_rank(model)[k], symmetric(w)))
    }
    own <- part_parameters(part)$parameter
    own <- own[!own %in% c("variance", "nugget")]
    for (name in if (slopes) own)
      shares[[if (length(model$parts) > 1L) paste0(name, ".", k) else name]] <- list(inner = stats::setNames(1, name))
    list(part = part, pairs = pairs_of(p), weight = matrix(model$sill[, , k], p), shares = shares)
  })
}

print_lmc <- function(x, digits) {
  labels <- variable_labels(x)$one
  cat("Linear model of coregionalisation of ", count_text(length(labels), "variable"),
      if (!is.null(x$variable)) sprintf(": %s", toString(labels)), "\n", sep = "")
  for (k in seq_along(x$parts)) {
    cat("  ", format_part(x$parts[[k]], digits), "\n", sep = "")
    print_matrix(sprintf("Covariances at one place%s:", if (length(x$parts) > 1L) sprintf(", part %d", k) else ""),
                 matrix(x$sill[, , k], length(labels)), labels, digits)
  }
  if (is.matrix(x$nugget)) print_matrix("Covariances of errors at one place:", x$nugget, labels, digits)
  else if (!isTRUE(all(x$nugget == 0)))
    cat("Nuggets:", toString(format(x$nugget, digits = digits, trim = TRUE)), "\n")
}

# Joint vectors of Laplace's approximation: `latent` elements and then grouped effects of few levels. Latent are the
# processes at their locations, one or several (R/gp-varying.R), and the effects of groupings of many levels each of
# which is at one location: their precision is on a pattern that has no fill beyond that of the processes, as a level
# is tied to its location alone. Elements of one location are one after the other, in the order of the locations.

# Columns of a design: how much an observation takes of which elements.

# Groupings of no more levels are not worth that.
few_levels <- 50L

# The matrix of the other effects given all else takes 8 q^2 bytes, and its factor q^3 / 3 steps.
most_effects <- 4000L

# Of a design l with observations at locations `at` 1 ... n: NULL for one process alone, or its latent `columns`, and
# the `element` of a joint vector that each grouped effect is. A column has for each observation the number of a
# `unit`, a location or a level, and a `value`, for each unit the `row` of its element, and `before`, columns with
# elements before it to which it is tied, a list of their numbers and of their unit for each unit. A process of one
# location, as where there is none, is `apart` before the other effects, so that levels are tied to nothing.
joint_layout <- function(l, n) {
  processes <- if (is.null(l$varying)) 1L else ncol(l$varying)
  if (is.null(l$groups) && processes == 1L) return(NULL)
  nested <- nested_columns(l)
  dense <- which(!l$groups$term %in% vapply(nested, `[[`, 0L, "term"))
  apart <- isTRUE(l$still) && n == 1L && processes == 1L && length(nested) && length(dense)
  if (apart) processes <- 0L
  place <- as.integer(unlist(lapply(nested, `[[`, "place")))
  size <- processes + tabulate(place, n)
  first <- cumsum(c(0L, size))[seq_len(n)]
  columns <- lapply(seq_len(processes), function(k) list(
    unit = l$at, value = if (is.null(l$varying)) rep(1, length(l$at)) else l$varying[, k], row = first + k,
    before = lapply(seq_len(k - 1L), function(j) list(column = j, unit = seq_len(n)))))
  rank <- first[place] + processes + ranks_within(nested, place) - cumsum(c(0L, tabulate(place, n)))[place]
  element <- integer(length(l$groups$term))
  ends <- cumsum(c(0L, lengths(lapply(nested, `[[`, "place"))))
  for (k in seq_along(nested)) {
    column <- nested[[k]]
    column$row <- rank[ends[k] + seq_along(column$place)]
    element[l$groups$term == column$term] <- column$row
    column$before <- c(lapply(seq_len(processes), function(j) list(column = j, unit = column$place)),
                       lapply(column$before, function(b) list(column = processes + b$column, unit = b$unit)))
    columns[[processes + k]] <- column
  }
  if (length(dense) > most_effects) raise_engine_error("input", sprintf(paste(
    "there are %d grouped effects whose levels are at several locations (without a process, in several levels of the",
    "largest factor): up to %d are fitted"), length(dense), most_effects))
  element[dense] <- sum(size) + apart + seq_along(dense)
  list(columns = columns, element = element, latent = sum(size), dense = dense, apart = apart)
}

# In the order of locations, and there by grouping, the coarse ones first, by level and by term.
ranks_within <- function(nested, place) {
  if (!length(nested)) return(integer())
  levels <- lengths(lapply(nested, `[[`, "place"))
  depth <- rep(vapply(nested, `[[`, 0, "depth"), levels)
  order <- order(place, depth, sequence(levels), rep(seq_along(nested), levels))
  replace(integer(length(order)), order, seq_along(order))
}

# Terms of the groupings whose levels are each at one location: that of most levels, and those of which it is a finer
# one; more than few_levels.
nested_columns <- function(l) {
  found <- list()
  if (is.null(l$groups)) return(found)
  known <- l$groups$known
  sizes <- vapply(known, function(g) length(g$levels), 0L)
  fine <- NULL
  for (g in order(-sizes)) {
    first <- l$groups$known[[g]]$variances[1L]
    code <- l$groups$index[, first] - match(first, l$groups$term) + 1L
    place <- rep(1L, sizes[g]) # of levels without observations anything
    place[code] <- l$at
    if (sizes[g] <= few_levels || any(place[code] != l$at)) next
    depth <- length(known) + 1
    if (!is.null(fine)) {
      around <- integer(length(fine$place))
      around[fine$code] <- code
      if (any(around[fine$code] != code)) next
      same <- identical(fine$name, known[[g]]$name) # (1 | g) + (0 + x | g)
      depth <- fine$depth - !same
    }
    fine <- list(code = code, place = place, name = known[[g]]$name, depth = depth)
    own <- lapply(known[[g]]$variances, function(k) list(
      unit = code, value = l$groups$value[, k], place = place, term = k, depth = depth))
    found <- c(own, found) # coarse ones first
  }
  tied_columns(found)
}

# Each term is tied to those before it of the same level, and of the levels around it.
tied_columns <- function(nested) {
  for (k in seq_along(nested)) {
    before <- list()
    unit <- seq_along(nested[[k]]$place)
    for (j in seq_len(k - 1L)) {
      up <- unit
      if (nested[[j]]$depth < nested[[k]]$depth) { # a level around: that of any observation of this one
        up <- rep(1L, length(unit))
        up[nested[[k]]$unit] <- nested[[j]]$unit
      }
      before <- c(before, list(list(column = j, unit = up)))
    }
    nested[[k]]$before <- before
  }
  nested
}

# Of all columns, latent ones first: which elements each observation has, with what covariates.
joint_design <- function(layout, groups) {
  if (is.null(layout)) return(NULL)
  latent <- layout$columns
  own <- which(!seq_along(groups$variances) %in% unlist(lapply(latent, `[[`, "term")))
  n <- length(latent[[1L]]$unit)
  index <- cbind(vapply(latent, function(column) column$row[column$unit], numeric(n)),
                 if (layout$apart) rep(layout$latent + 1L, n),
                 matrix(layout$element[groups$index[, own]], n, length(own)))
  value <- cbind(vapply(latent, function(column) as.double(column$value), numeric(n)),
                 if (layout$apart) rep(1, n), groups$value[, own])
  storage.mode(index) <- "integer"
  list(index = unname(index), value = unname(value),
       sizes = as.integer(c(length(latent), layout$latent, layout$apart + length(layout$dense))),
       order = do.call(order, lapply(seq_along(latent), function(k) index[, k])))
}

# What joint vectors, columns, add to the predictor of each observation.
latent_of <- function(l, b) {
  if (is.null(l$joint)) return(if (is.matrix(b)) b[l$at, , drop = FALSE] else b[l$at])
  .Call(C_laplaceSpread, l$joint, b)
}

# The transpose of that: sums of what observations have.
latent_sums <- function(l, values) {
  if (is.null(l$joint)) return(location_sums(l, values))
  .Call(C_laplaceGather, l$joint, values)
}

# Elements of the processes at the locations `place`, a column for each process, and of all effects.
process_rows <- function(l, place = l$place) {
  if (is.null(l$layout)) return(cbind(place))
  if (l$layout$apart) return(matrix(l$layout$latent + 1L, length(place), 1L))
  processes <- if (is.null(l$varying)) 1L else ncol(l$varying)
  matrix(vapply(l$layout$columns[seq_len(processes)], function(column) column$row[place], numeric(length(place))),
         length(place))
}
effect_rows <- function(l) l$layout$element

prior_times <- function(q, b) {
  if (!length(q$effects)) return(precision_times(q, b))
  at <- seq_along(q$prior[[1L]])
  if (is.matrix(b)) rbind(precision_times(q, b[at, , drop = FALSE]), q$effects * b[-at, , drop = FALSE])
  else c(precision_times(q, b[at]), q$effects * b[-at])
}

# ---- the precision of latent elements ----

# The pattern of all of them: a process at a location has all processes at its neighbours and those before it at the
# location itself, an effect what it is tied to. `own`: for each process where its weights of neighbours are; `ties`:
# for each column and each of those before it where the elements of its units are.
joint_pattern <- function(pattern, layout) {
  count <- diff(pattern[[1L]])
  n <- length(count)
  columns <- layout$columns
  processes <- sum(vapply(columns, function(column) is.null(column$term), NA))
  rows <- matrix(vapply(columns[seq_len(processes)], `[[`, numeric(n), "row"), n) - 1
  block <- as.integer(t(rows[pattern[[2L]] + 1L, , drop = FALSE]))
  size <- integer(layout$latent)
  for (k in seq_along(columns))
    size[columns[[k]]$row] <- length(columns[[k]]$before) + if (k <= processes) processes * count else 0L
  start <- c(0, cumsum(as.double(size)))
  check_pattern(utils::tail(start, 1L), processes, n)
  near <- integer(utils::tail(start, 1L))
  own <- ties <- list()
  for (k in seq_along(columns)) {
    first <- start[columns[[k]]$row]
    if (k <= processes) {
      places <- rep(first, processes * count) + sequence(processes * count)
      near[places] <- block
      own[[k]] <- places[seq(k, by = processes, length.out = length(pattern[[2L]]))]
      first <- first + processes * count
    }
    ties[[k]] <- lapply(seq_along(columns[[k]]$before), function(j) {
      before <- columns[[k]]$before[[j]]
      near[first + j] <<- as.integer(columns[[before$column]]$row[before$unit] - 1L)
      first + j
    })
  }
  list(pattern = list(as.integer(start), near), own = own, ties = ties)
}

# The prior of all by those of the processes and the variances of effects.
joint_prior <- function(joint, layout, priors, variances) {
  variance <- numeric(layout$latent)
  weights <- numeric(length(joint$pattern[[2L]]))
  for (k in seq_along(layout$columns)) {
    column <- layout$columns[[k]]
    if (is.null(column$term)) {
      variance[column$row] <- priors[[k]][[1L]]
      weights[joint$own[[k]]] <- priors[[k]][[2L]]
    } else variance[column$row] <- variances[column$term]
  }
  list(variance, weights)
}

unit_sums <- function(column, values) .Call(C_laplaceSums, column$unit, values, length(column$row))

# W of latent elements: sums over the observations of each unit.
latent_weights <- function(l, weight) {
  if (is.null(l$graph$joint)) return(location_sums(l, weight))
  diagonal <- numeric(l$count)
  below <- numeric(length(l$graph$joint$pattern[[2L]]))
  for (k in seq_along(l$layout$columns)) {
    column <- l$layout$columns[[k]]
    own <- weight * column$value
    diagonal[column$row] <- unit_sums(column, own * column$value)
    for (j in seq_along(column$before)) below[l$graph$joint$ties[[k]][[j]]] <-
      unit_sums(column, own * l$layout$columns[[column$before[[j]]$column]]$value)
  }
  list(diagonal, below)
}

# Variances of what latent elements add to linear predictors, by those of an inverse on the pattern.
latent_variances <- function(l, elements) {
  if (is.null(l$graph$joint)) return(elements[[1L]][l$at])
  total <- 0
  for (k in seq_along(l$layout$columns)) {
    column <- l$layout$columns[[k]]
    total <- total + column$value^2 * elements[[1L]][column$row[column$unit]]
    for (j in seq_along(column$before)) {
      other <- l$layout$columns[[column$before[[j]]$column]]$value
      total <- total + 2 * column$value * other * elements[[2L]][l$graph$joint$ties[[k]][[j]][column$unit]]
    }
  }
  total
}

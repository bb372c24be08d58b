# Vecchia's approximation for several variables: orders and neighbours, and what the engine takes of the model
# (src/covariance/several_sets.h). With the same parameters the approximation with the smaller sum of logarithms of
# conditional variances is the nearer one. By that, of orders the smoother variable first is the best where smoothness
# differs, else the variables of a place together; and of neighbours those that are chosen one after the other by what
# each tells given those before (Guinness 2018, 2021; Fahmy and Guinness 2022 for this model). A choice takes the
# parameters: a search begins with the nearest ones of each variable.

several_set_sums <- function(p, names) {
  v <- p$vecchia
  p$xy <- p$xy[v$order, , drop = FALSE]
  columns <- cbind(v$y, v$basis)[v$order, , drop = FALSE]
  found <- .Call(C_severalSums, several_among(p), list(members = v$pointer, diagonal = p$diagonal[v$order],
                                                       columns = columns), several_plan(p, names))
  set_sums(found, ncol(columns), v$contrast, length(names))
}

several_rows <- function(p, diagonal, columns, members, weights)
  .Call(C_severalGiven, several_among(p), list(members = members, diagonal = as.double(diagonal), columns = columns),
        weights)

# The root of the mean square of a variable, for each observation.
observation_units <- function(p, y) {
  of <- split_label(p$xy)$variable
  unit <- vapply(seq_len(variable_count(p$model)), function(k) {
    most <- max(abs(y[of == k]), 0)
    if (most > 0) most * sqrt(mean((y[of == k] / most)^2)) else 1
  }, 0)
  unit[of]
}

# `by` are the parameters by which neighbours are chosen.
several_neighbour_metric <- function(p) {
  own <- families[[p$model$name]]$terms(p$model, FALSE)[[1L]]$part
  list(map = if (p$metric$kind == "euclidean") anisotropy(own, p$metric$dim), time = NULL,
       by = cov_parameters(p$parts)$value)
}

# ---- what the engine takes ----

# The points of p, of which the first `observed` have errors.
several_among <- function(p) {
  own <- split_label(p$xy)
  terms <- families[[p$model$name]]$terms(p$model, FALSE)
  parts <- lapply(terms, `[[`, "part")
  count <- variable_count(p$model)
  maps <- if (p$metric$kind == "euclidean") lapply(parts, anisotropy, p$metric$dim, FALSE)
  shared <- if (is.matrix(p$model$nugget)) p$model$nugget
  list(a = own$xy, b = NULL, metric = p$metric, parts = engine_parts(parts, maps), variable = own$variable,
       weight = vapply(terms, `[[`, matrix(0, count, count), "weight"), has = term_pairs(terms, count),
       shared = shared, place = if (!is.null(shared)) as.integer(place_numbers(own$xy)),
       observed = if (is.null(p$observed)) nrow(p$xy) else p$observed)
}

# For each term, is it of a pair of variables?
term_pairs <- function(terms, count) vapply(terms, function(term) {
  value <- matrix(0L, count, count)
  value[term$pairs] <- value[term$pairs[, 2:1, drop = FALSE]] <- 1L
  value
}, matrix(0L, count, count))

# How derivatives of a pair are made of its columns: F, that by the range, and those by shapes, of which one call of
# the engine has one for each part.
several_plan <- function(p, names) {
  terms <- families[[p$model$name]]$terms(p$model, TRUE)
  count <- variable_count(p$model)
  has <- matrix(term_pairs(terms, count), count^2)
  inner <- lapply(terms, function(term) unique(unlist(lapply(term$shares[names], function(s) names(s$inner)))))
  wants <- Map(function(term, inner) lapply(stats::setNames(inner, inner), function(name)
    want_of(list(term$part), name, p$metric$dim)), terms, inner)
  shapes <- lapply(wants, function(own) names(Filter(function(w) w[[1L]] == "shape", own)))
  columns <- if (any(lengths(inner))) 2L + max(lengths(shapes)) else 1L
  plan <- list(groups = list(), turns = list(), columns = columns, count = length(names),
               share = array(0, c(length(names), columns, max(rowSums(has)), count^2)),
               nugget = matrix(0, length(names), count), shared = matrix(0, length(names), count^2))
  for (t in seq_along(terms)) {
    own <- list(list("none", 1L, NULL), list("range", 1L, NULL))
    if (length(shapes[[t]])) own <- c(own, wants[[t]][shapes[[t]][1L]])
    plan$groups <- c(plan$groups, list(list(term = t, first = 0, wants = unname(own)[seq_len(min(length(own),
                                                                                                 columns))])))
    for (k in seq_along(shapes[[t]])[-1L])
      plan$groups <- c(plan$groups, list(list(term = t, first = 1 + k, wants = unname(wants[[t]][shapes[[t]][k]]))))
    slot <- rowSums(has[, seq_len(t), drop = FALSE])
    for (k in which(names %in% names(terms[[t]]$shares))) {
      share <- terms[[t]]$shares[[names[k]]]
      at <- which(has[, t] > 0L)
      if (!is.null(share$weight)) for (j in at)
        plan$share[k, 1L, slot[j], j] <- plan$share[k, 1L, slot[j], j] + share$weight[j]
      for (name in names(share$inner)) {
        if (wants[[t]][[name]][[1L]] == "map") {
          plan$turns <- c(plan$turns, list(list(term = t, parameter = k, range = terms[[t]]$part$range *
                                                  share$inner[[name]], map = wants[[t]][[name]][[3L]])))
          next
        }
        column <- if (name %in% shapes[[t]]) 2L + match(name, shapes[[t]]) else 2L
        for (j in at) plan$share[k, column, slot[j], j] <- plan$share[k, column, slot[j], j] +
          terms[[t]]$weight[j] * share$inner[[name]]
      }
    }
  }
  several_errors_plan(plan, p$model, names)
}

several_errors_plan <- function(plan, model, names) {
  rows <- nugget_parameters(model)
  count <- variable_count(model)
  for (k in which(names %in% rows$parameter)) {
    at <- rows$element[match(names[k], rows$parameter)]
    i <- if (is.matrix(model$nugget)) (at - 1L) %/% count + 1L else at
    j <- if (is.matrix(model$nugget)) (at - 1L) %% count + 1L else at
    if (i == j) plan$nugget[k, i] <- 1
    else plan$shared[k, c((j - 1L) * count + i, (i - 1L) * count + j)] <- 1
  }
  plan
}

# ---- orders and neighbours ----

# As ordered_neighbours(); all others where m is that many.
several_ordered <- function(p, metric, m) {
  if (!is.null(metric$by)) p <- gp_at(p, set_parameters(p$model, metric$by, cov_parameters(p$parts)))
  order <- several_order(p, metric)
  p$xy <- p$xy[order, , drop = FALSE]
  p$diagonal <- p$diagonal[order]
  n <- nrow(p$xy)
  list(order = order, members = if (m >= n - 1L) all_before(n) else several_before(p, metric, 1L, m))
}

all_before <- function(n) {
  rows <- max(n - 1L, 1L)
  members <- matrix(seq_len(rows), rows, n)
  members[members >= col(members)] <- NA
  members
}

# Smoothness that differs by so much puts the smoother variable first.
rougher_by <- 0.4

several_order <- function(p, metric) {
  own <- split_label(p$xy)
  x <- vecchia_coordinates(p, metric)
  count <- variable_count(p$model)
  smooth <- if (p$model$name != "lmc" && !is.null(metric$by)) p$model$smoothness[seq_len(count)] else rep(0, count)
  each <- function(k) {
    at <- which(own$variable == k)
    at[gp_ordering(x[at, , drop = FALSE])]
  }
  there <- which(seq_len(count) %in% own$variable)
  if (diff(range(smooth)) >= rougher_by) return(unlist(lapply(there[order(-smooth[there])], each)))
  place <- place_numbers(own$xy)
  visits <- tabulate(place, length(place))[place]
  if (mean(visits > 1L) >= 0.5) {
    first <- which(!duplicated(place))
    turn <- integer(length(place))
    turn[first[gp_ordering(x[first, , drop = FALSE])]] <- seq_along(first)
    return(order(turn[place], own$variable))
  }
  rows <- lapply(there, each)
  unlist(rows)[order(unlist(lapply(rows, function(at) seq_along(at) / length(at))))]
}

# Neighbours of the points from number `first` on among those before: chosen by the model of p, or where parameters
# are not known as many of each variable. Candidates, the 2 m nearest of each variable, take memory: some points at a
# time.
several_before <- function(p, metric, first, m) {
  own <- split_label(p$xy)
  x <- vecchia_coordinates(p, metric)
  of <- lapply(seq_len(variable_count(p$model)), function(k) which(own$variable == k))
  of <- of[lengths(of) > 0L]
  wide <- if (is.null(metric$by)) m else 2L * m
  among <- if (!is.null(metric$by)) several_among(p)
  rows <- lapply(chunks(nrow(x) - first + 1L, 5e4), `+`, first - 1L)
  do.call(cbind, lapply(rows, function(at) {
    near <- lapply(of, function(k) {
      found <- gp_neighbours_before(x[at, , drop = FALSE], findInterval(at - 1L, k), x[k, , drop = FALSE], wide)
      matrix(k[found], wide)
    })
    if (is.null(among)) some_of_each(near, m) else chosen_of(p, among, near, at[1L], m)
  }))
}

chosen_of <- function(p, among, near, first, m)
  .Call(C_severalChoose, among, as.double(p$diagonal), do.call(rbind, near), length(near), as.integer(first),
        as.integer(m))

# In turn the nearest of each variable.
some_of_each <- function(near, m) {
  turn <- order(rep(seq_len(nrow(near[[1L]])), length(near)))
  all <- do.call(rbind, near)[turn, , drop = FALSE]
  all[] <- all[order(col(all), is.na(all), method = "radix")]
  all[seq_len(m), , drop = FALSE]
}

# Of observations those that are chosen for new points, of other groups alone where groups are given.
several_nearest <- function(p, xy, m, group, data_group) {
  metric <- several_neighbour_metric(p)
  n <- nrow(p$xy)
  data <- split_label(p$xy)
  x <- vecchia_coordinates(p, metric)
  both <- p
  both$xy <- rbind(p$xy, xy)
  both$diagonal <- c(p$diagonal, numeric(nrow(xy)))
  new <- vecchia_coordinates(both, metric)[n + seq_len(nrow(xy)), , drop = FALSE]
  m <- if (m >= n - 1L) n else m # a likelihood with all neighbours has one less of them
  near <- lapply(split(seq_len(n), data$variable), function(k) {
    found <- gp_neighbours_among(new, x[k, , drop = FALSE], min(2L * m, n), group, data_group[k])
    matrix(k[found], nrow(found))
  })
  both$observed <- if (is.null(p$responses)) n else nrow(both$xy)
  chosen_of(both, several_among(both), near, n + 1L, m)
}

# As drawn_neighbours().
several_drawn <- function(p, xy, m) {
  metric <- several_neighbour_metric(p)
  new <- p
  new$xy <- xy
  order <- several_order(new, metric)
  n <- nrow(p$xy)
  p$xy <- rbind(p$xy, xy[order, , drop = FALSE])
  p$diagonal <- c(p$diagonal, numeric(nrow(xy)))
  p$observed <- n
  m <- max(min(m, nrow(p$xy) - 1L), 1L)
  list(order = order, neighbours = function(first, last) {
    p$xy <- p$xy[seq_len(last), , drop = FALSE]
    several_before(p, metric, first + 1L, m)
  })
}

# Neighbours chosen by the parameters that were found, unless those that are there were chosen by much the same.
other_choice <- function(p) {
  metric <- several_neighbour_metric(p)
  old <- p$vecchia$metric$by
  if (p$vecchia$m >= p$vecchia$n - 1L) return(NULL)
  if (is.null(old)) return(c(metric, list(m = p$vecchia$m))) # as few, which are cheap, for the next climb
  if (!is.null(p$vecchia$metric$m)) return(metric)
  rows <- cov_parameters(p$parts)
  of <- function(v) {
    model <- set_parameters(p$model, v, rows)
    terms <- families[[model$name]]$terms(model, FALSE)
    total <- Reduce(`+`, lapply(terms, `[[`, "weight"))
    list(log(vapply(terms, function(t) t$part$range, 0)), unlist(lapply(terms, function(t) t$part$smoothness)),
         total / sqrt(pmax(tcrossprod(diag(total)), 1e-300)))
  }
  moved <- mapply(function(a, b) max(abs(a - b), 0), of(metric$by), of(old))
  if (any(moved > 0.2)) metric
}

# Integrals over several variables: rules on boxes, which are halved breadth-first, those of all integrals at once.
# Boxes are those of the unit cube, from which each variable has its own range, a limit of which may be a function of
# the variables before it. Here are products of Fejer's rules, of two to four variables, for ten digits of smooth
# integrands; integrate-cubature.R has what is for all else, and chooses.

# Nodes in (-1, 1)^d, a row each, and weights in columns: of the rule, of one of lower degree (Fejer's rule with n
# nodes has that with (n - 1)/2 within it), and of a difference for each variable that tells where to halve. `ends`:
# weights of further nodes, on all faces, and of those on the lines to them, by which the values on a face are
# compared with the polynomials of the others: a jump between a face and the nodes next to it is seen there, and hides
# `gap` of a box.
cube_rule <- function(d) fejer_rule(d, c(24L, 20L, 12L)[d - 1L])

fejer_weights <- function(n) {
  theta <- seq_len(n - 1L) * pi / n
  j <- 2 * seq_len(n %/% 2L) - 1
  2 * sin(theta) / n * colSums(sin(outer(j, theta)) / j) # half of the usual ones: means over (-1, 1)
}

fejer_rule <- function(d, n) {
  high <- fejer_weights(n)
  low <- numeric(n - 1L)
  low[seq(2L, n - 2L, by = 2L)] <- fejer_weights(n %/% 2L)
  product <- function(by) as.vector(Reduce(outer, by))
  sides <- lapply(seq_len(d), function(i) product(rep(list(high), d)) -
                    product(lapply(seq_len(d), function(k) if (k == i) low else high)))
  node <- cos(seq_len(n - 1L) * pi / n)
  # barycentric weights of these nodes are (-1)^k sin(theta_k)^2
  to_end <- (-1)^seq_len(n - 1L) * sin(seq_len(n - 1L) * pi / n)^2 / (1 - node)
  to_end <- to_end / sum(to_end)
  # where lines meet a face: 5 places in two variables, 9 in three, its middle in four
  places <- round(n * list(c(1, 3, 6, 9, 11) / 12, c(1, 3, 5) / 6, 1 / 2)[[d - 1L]])
  at <- as.matrix(expand.grid(rep(list(places), d - 1L)))
  faces <- list()
  for (side in c(1, -1)) for (i in seq_len(d)) for (r in seq_len(nrow(at))) {
    place <- append(at[r, ], 1, i - 1L)
    line <- lapply(place, function(k) as.numeric(seq_len(n - 1L) == k))
    line[[i]] <- if (side > 0) to_end else rev(to_end)
    faces <- c(faces, list(list(node = replace(node[place], i, side), line = product(line))))
  }
  of_faces <- function(part) unname(lapply(faces, `[[`, part))
  inner <- do.call(cbind, c(list(product(rep(list(high), d)), product(rep(list(low), d))), sides))
  list(nodes = rbind(as.matrix(expand.grid(rep(list(node), d))), do.call(rbind, of_faces("node"))),
       weights = rbind(inner, matrix(0, length(faces), ncol(inner))),
       ends = rbind(do.call(cbind, of_faces("line")), -diag(length(faces))) / nrow(at), gap = (1 - node[1L]) / 2)
}

# Limits whose names are those of the variables may have any order.
in_order_of <- function(limits, variables)
  if (setequal(names(limits), variables)) unname(limits[variables]) else limits

# Limits are lists of numbers for each integral, or of functions of the variables before.
integrate_boxes <- function(of, control) {
  f <- of$f
  d <- length(of$lower)
  if (!is.list(of$lower) || !is.list(of$upper) || length(of$upper) != d || !d %in% 2:30)
    raise_engine_error("input", "lower and upper must be lists of as many limits, two to thirty")
  variables <- if (is.function(f)) utils::head(names(formals(args(f))), d)
  if (length(variables) != d || "..." %in% variables)
    raise_engine_error("input", sprintf("f must be a function of %d variables, its first arguments", d))
  of$lower <- in_order_of(of$lower, variables)
  of$upper <- in_order_of(of$upper, variables)
  limits <- c(of$lower, of$upper)
  for (k in seq_len(d)) for (limit in limits[c(k, d + k)]) {
    if (is.function(limit) && k > 1L) next
    if (!is.numeric(limit)) input_error(sprintf("limits of %s", variables[k]), class(limit)[1L],
                                        "must be numbers, or of inner variables functions of the outer ones")
  }
  taken <- intersect(variables, names(of$params))
  if (length(taken)) raise_engine_error("input", sprintf("params has a column %s, which is a variable", taken[1L]))
  # what limits alone ask for is nothing of f
  theirs <- setdiff(unlist(lapply(Filter(is.function, limits), function(g) names(formals(g)))),
                    names(formals(args(f))))
  of$own <- of$constants[setdiff(names(of$constants), theirs)]
  of$names <- variables
  names(limits) <- sprintf("%s[[%d]]", rep(c("lower", "upper"), each = d), rep(seq_len(d), 2L))
  n <- count_of_sizes(c(params = attr(of$params, "size"), lengths(Filter(is.numeric, limits))))
  first <- if (n > 0L) cube_points(of, 1L, matrix(0.382, 1L, d))
           else list(x = NULL, columns = stats::setNames(rep(list(0.5), d - 1L), variables[-1L]))
  program <- integrand_program(of_inner(of, structure(first$columns, size = 1L)),
                               if (n > 0L) list(x = first$x, row = 1L))
  result <- box_integrals(program, of, n, control)
  labelled_result(result, program, of$params, "boxes")
}

# What is integrated over the first variable, with the others among its parameters.
of_inner <- function(of, columns) replace(of, c("params", "constants"), list(columns, of$own))

# Points u of the cube, a row each, of the integrals `row`: the first variable x, the others with the parameters, and
# the size of the cube's image there.
cube_points <- function(of, row, u) {
  x <- list()
  size <- 1
  params <- lapply(of$params, rows_of_column, row, drop = FALSE)
  at <- function(limit, name) {
    if (is.function(limit)) limit_by_function(limit, c(x, params), of$constants, length(row), name)
    else if (length(limit) == 1L) as.double(limit) else rows_of_column(as.double(limit), row)
  }
  for (k in seq_along(of$names)) {
    low <- at(of$lower[[k]], sprintf("lower[[%d]]", k))
    high <- at(of$upper[[k]], sprintf("upper[[%d]]", k))
    to <- .Call(C_cubeRange, low, high, u[, k], size)
    x[[of$names[k]]] <- to$x
    size <- to$size
  }
  list(x = x[[1L]], columns = c(x[-1L], params), size = size)
}

# A limit at n points, columns with the variables and parameters of each: for all at once where that gives what it
# gives for some of them alone, as min() of a variable does not. What it warns of, the codes of integrals tell.
limit_by_function <- function(limit, columns, constants, n, name) {
  takes <- names(formals(args(limit)))
  columns <- columns[names(columns) %in% takes]
  constants <- constants[names(constants) %in% takes]
  single <- function(i) {
    of_point <- lapply(columns, function(v) if (is.matrix(v)) v[i, , drop = FALSE] else v[[i]])
    v <- tryCatch(suppressWarnings(do.call(limit, c(of_point, constants))), error = identity)
    if ((is.numeric(v) || identical(v, NA)) && length(v) == 1L) return(as.double(v))
    where <- vapply(of_point, function(u) format(u[1L]), "")
    must <- paste0("must give one number",
                   if (length(where)) paste0(" at ", toString(paste(names(where), "=", where))))
    if (inherits(v, "statcl_error")) stop(v)
    if (inherits(v, "error"))
      raise_engine_error("input", sprintf("%s %s, and stops: %s", name, must, conditionMessage(v)))
    input_error(name, v, must)
  }
  v <- if (n > 1L) tryCatch(suppressWarnings(do.call(limit, c(columns, constants))), error = function(problem) NULL)
  if (is.numeric(v) && length(v) %in% c(1L, n)) {
    v <- rep_len(as.double(v), n)
    looked_at <- unique(c(1L, n, 1L + as.integer((n - 1L) * ((1:6 * 0.6180339887) %% 1))))
    if (identical(v[looked_at], vapply(looked_at, single, 0))) return(v)
  }
  vapply(seq_len(n), single, 0)
}

# Values of f there, times that size.
cube_values <- function(program, of, row, u) {
  at <- cube_points(of, row, u)
  y <- values_in_cube(program, of, row, at)
  matrix(ifelse(y == 0, 0, y * at$size), length(row))
}

values_in_cube <- function(program, of, row, at) {
  if (!is.null(program$call)) # of f that R evaluates these parameters are part
    program <- integrand_by_r(of_inner(of, at$columns), program$why, list(x = at$x[1L], row = 1L))
  rows <- parameter_rows(program, at$columns, length(row))
  run_integrand(program, function() .Call(C_integrandValues, program, rows, at$x))
}

# Where f is not finite in a box, and what it says there; nothing if only its sums are not.
cube_place <- function(program, of, rule, box) {
  u <- rule$nodes * rep(box$half, each = nrow(rule$nodes)) + rep(box$centre, each = nrow(rule$nodes))
  u <- u[rowSums(u <= 0 | u >= 1) == 0, , drop = FALSE]
  y <- cube_values(program, of, rep(box$row, nrow(u)), u)
  bad <- which(rowSums(!is.finite(y)) > 0)
  if (length(bad)) place_in_cube(program, of, box$row, u[bad[1L], , drop = FALSE]) else list()
}

place_in_cube <- function(program, of, row, u) {
  at <- cube_points(of, row, u)
  variables <- c(list(at$x), at$columns[of$names[-1L]])
  list(place = toString(sprintf("%s = %s", of$names, vapply(variables, format, "", digits = 6))),
       says = if (isTRUE(program$stops)) said_by(of_inner(of, at$columns), 1L, at$x))
}

# Each round has the boxes that the one before has made; accepted are those whose error is small against what is left
# of the tolerance, shared by the boxes of the round, and all where their sum is within it.
cube_integrals <- function(program, of, n, tolerance, subdivisions, among = seq_len(n)) {
  of$began <- proc.time()
  on.exit(progress_loop_done())
  m <- length(program$outputs)
  rule <- cube_rule(length(of$names))
  result <- list(value = matrix(0, m, n), abs.error = matrix(0, m, n), subdivisions = integer(n),
                 evaluations = numeric(n), code = integer(n), x = rep(NaN, n))
  missing <- setdiff(seq_len(n), known_limits(of, n))
  result$value[, missing] <- result$abs.error[, missing] <- NaN
  result$code[missing] <- 6L
  accepted <- rep(list(matrix(0, n, m)), 3L)
  names(accepted) <- c("value", "error", "floor")
  done <- integer(n)
  boxes <- first_boxes(setdiff(among, missing), length(of$names))
  for (round in 1:100) {
    if (!length(boxes$row)) break
    found <- cube_sums(program, of, rule, boxes, m)
    i <- unique(boxes$row)
    at <- match(boxes$row, i)
    many <- tabulate(at)
    result$evaluations[i] <- result$evaluations[i] + many * nrow(rule$nodes)
    result$subdivisions[i] <- done[i] + many
    total <- Map(function(before, new) before[i, , drop = FALSE] + rowsum(new, boxes$row, reorder = FALSE),
                 accepted, found[names(accepted)])
    allowed <- cube_tolerance(total, tolerance)
    code <- cube_codes(total, allowed, round, full = done[i] + 2L * many > subdivisions)
    over <- !is.na(code)
    lost <- which(code == 7L)
    total$value[lost, ] <- NaN
    if (is.null(result$place) && length(lost)) {
      k <- which(boxes$row == i[lost[1L]] & rowSums(!is.finite(found$error)) > 0)[1L]
      result[c("place", "says")] <- cube_place(program, of, rule, boxes_at(boxes, k))[c("place", "says")]
    }
    result$value[, i[over]] <- t(total$value[over, , drop = FALSE])
    result$abs.error[, i[over]] <- t(total$error[over, , drop = FALSE])
    result$code[i[over]] <- code[over]
    left <- (allowed - accepted$error[i, , drop = FALSE]) / (2 * many)
    small <- (rowSums(!(found$error <= pmax(left[at, , drop = FALSE], found$floor))) == 0) %in% TRUE
    keep <- small & !over[at]
    k <- unique(boxes$row[keep])
    for (name in names(accepted)) accepted[[name]][k, ] <-
      accepted[[name]][k, ] + rowsum(found[[name]][keep, , drop = FALSE], boxes$row[keep], reorder = FALSE)
    done[k] <- done[k] + tabulate(boxes$row[keep], n)[k]
    split <- which(!small & !over[at])
    boxes <- halved_boxes(boxes_at(boxes, split), found$side[split])
  }
  equal_limits(result, of, n)
}

# Between equal limits 0 is right.
equal_limits <- function(result, of, n) {
  for (k in seq_along(of$names)) if (is.numeric(of$lower[[k]]) && is.numeric(of$upper[[k]]))
    result$code[result$code == 8L & rep_len(of$lower[[k]], n) == rep_len(of$upper[[k]], n)] <- 0L
  result
}

# The integral that each box is of, its centre and half its sides.
first_boxes <- function(integrals, d) {
  sides <- 2L
  corner <- as.matrix(expand.grid(rep(list((seq_len(sides) - 0.5) / sides), d)))
  row <- rep(integrals, each = nrow(corner))
  list(row = row, centre = corner[rep(seq_len(nrow(corner)), length(integrals)), , drop = FALSE],
       half = matrix(0.5 / sides, length(row), d))
}

boxes_at <- function(boxes, at) lapply(boxes, function(v) if (is.matrix(v)) v[at, , drop = FALSE] else v[at])

halved_boxes <- function(boxes, side) {
  at <- cbind(seq_along(side), side)
  half <- boxes$half
  half[at] <- half[at] / 2
  step <- 0 * half
  step[at] <- half[at]
  list(row = rep(boxes$row, 2L), centre = rbind(boxes$centre - step, boxes$centre + step), half = rbind(half, half))
}

# A total that rounding hides is 0 as far as one can see.
cube_tolerance <- function(total, tolerance) {
  allowed <- pmax(tolerance[1L] * abs(total$value), tolerance[2L])
  hidden <- 4 * total$floor
  ifelse(abs(total$value) <= hidden & allowed < hidden, hidden, allowed)
}

# Codes of integrals that end in this round, NA of others.
cube_codes <- function(total, allowed, round, full) {
  all_within <- function(allowed) rowSums(!(total$error <= allowed)) == 0
  zero <- rowSums(abs(total$value) + total$error >= .Machine$double.xmin) == 0
  bad <- rowSums(!is.finite(total$error)) > 0
  ifelse(bad & round > 4L, 7L, ifelse(all_within(allowed), ifelse(zero, 8L, 0L), ifelse(
    all_within(pmax(allowed, 2 * total$floor)), 2L, ifelse(full, 1L, ifelse(round == 100L, 3L, NA)))))
}

# The rules on boxes: value, error, what of it is rounding, and the variable to halve by.
cube_sums <- function(program, of, rule, boxes, m) {
  nodes <- nrow(rule$nodes)
  centre <- boxes$centre
  half <- boxes$half
  n <- nrow(centre)
  d <- ncol(centre)
  faces <- NCOL(rule$ends)
  found <- list(value = matrix(0, n, m), error = matrix(0, n, m), floor = matrix(0, n, m), side = integer(n))
  for (part in split(seq_len(n), (seq_len(n) - 1L) %/% max(1L, 5e5 %/% nodes))) {
    progress_loop("integrategpu", of$began, NaN)
    u <- matrix(0, length(part) * nodes, d)
    for (k in seq_len(d)) u[, k] <- centre[part, k] + outer(half[part, k], rule$nodes[, k])
    # what is on the faces of the cube is not looked at
    outside <- which(rowSums(u <= 0 | u >= 1) > 0)
    for (k in seq_len(d)) u[outside, k] <- rep_len(centre[part, k], nrow(u))[outside]
    depth <- rowSums(log2(0.25 / half[part, , drop = FALSE]))
    y <- cube_values(program, of, rep(boxes$row[part], nodes), u)
    volume <- apply(2 * half[part, , drop = FALSE], 1L, prod)
    apart <- 0
    for (k in seq_len(m)) {
      g <- matrix(y[, k], length(part)) * volume
      sums <- g %*% rule$weights
      off <- abs(sums[, 1L] - sums[, 2L])
      size <- drop(abs(g) %*% abs(rule$weights[, 1L]))
      spread <- drop(abs(g - sums[, 1L]) %*% abs(rule$weights[, 1L]))
      # QUADPACK's formula
      smooth <- ifelse(spread > 0, spread * pmin(1, (200 * off / spread)^1.5), off)
      rough <- depth >= 4 * d & off > 1e-6 * spread # as in panel_rule()
      apart_at_ends <- abs(g %*% rule$ends)
      hidden <- matrix(seq_len(nrow(u)) %in% outside, nrow(g))
      apart_at_ends[hidden[, nodes - faces + seq_len(faces)]] <- 0
      off <- ifelse(rough, pmax(smooth, pmin(spread, 10 * off)), smooth) + rule$gap * rowSums(apart_at_ends)
      least <- 50 * .Machine$double.eps * size
      found$value[part, k] <- sums[, 1L]
      found$floor[part, k] <- ifelse(is.finite(least), least, 0)
      found$error[part, k] <- ifelse(is.finite(off), pmax(off, least), Inf)
      apart <- apart + abs(sums[, -(1:2), drop = FALSE]) / pmax(size, .Machine$double.xmin)
    }
    apart[!is.finite(apart)] <- 0
    apart <- apart + 1e-9 * half[part, , drop = FALSE] # the longest side where none tells
    found$side[part] <- max.col(apart, "first")
  }
  found
}

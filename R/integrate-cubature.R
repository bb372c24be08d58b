# Integrals over two to eight variables by the rules of Genz and Malik, see src/quadrature/cubature.h, and which
# integrals are for these.

# Relative tolerances below which products of rules need fewer nodes for smooth integrands. Of Genz's families in two
# variables the products take 6,000 and Genz and Malik's rules 6,400 nodes for 1e-7, 8,200 and 13,000 for 1e-8, and
# 15,000 and 59,000 for 1e-10; in three variables 280,000 and 74,000 for 1e-7, 330,000 and 180,000 for 1e-8, 920,000
# and more than 1,500,000 for 1e-10 (product peaks; `Rscript bench/quadrature-cubature.R rules`).
product_below <- c(1e-7, 1e-7, 1e-6)

# With an absolute tolerance it is seen how far few boxes get, before products begin. Where these fail after all their
# boxes, as they do at kinks and jumps, Genz and Malik's rules may not: abs(x + 2 * y - 1.1) over the square takes
# 5,300,000 nodes of products and 380,000 of these for 1e-8.
box_integrals <- function(program, of, n, control) {
  d <- length(of$names)
  tolerance <- control$tolerance
  if (control$method == "lattice" || d > 8L)
    return(lattice_integrals(program, of, n, tolerance, if (is.null(control$subdivisions)) 2^18 else
      control$subdivisions))
  boxes <- if (is.null(control$subdivisions)) c(product = 10000L, embedded = 100000L)
           else c(product = control$subdivisions, embedded = control$subdivisions)
  if (d > 4L || tolerance[1L] >= product_below[d - 1L] * (1 - 1e-9))
    return(cubature_integrals(program, of, n, tolerance, boxes[["embedded"]]))
  if (tolerance[2L] == 0) result <- cube_integrals(program, of, n, tolerance, boxes[["product"]])
  else {
    result <- cubature_integrals(program, of, n, tolerance, min(boxes[["embedded"]], 500L))
    left <- which(result$code %in% c(1L, 7L, 8L))
    if (length(left))
      result <- integrals_again(result, left, cube_integrals(program, of, n, tolerance, boxes[["product"]], left))
  }
  left <- which(result$code == 1L)
  if (!length(left) || !is.null(control$subdivisions)) return(result)
  found <- cubature_integrals(program, of, n, tolerance, boxes[["embedded"]], left)
  integrals_again(result, left[found$code[left] %in% c(0L, 2L)], found)
}

# With those of `left` as they have been found; place and says are of the first that is not finite.
integrals_again <- function(result, left, found) {
  if (!length(left)) return(result)
  same <- setdiff(names(result), c("place", "says"))
  tried <- result$evaluations[left]
  result[same] <- put_columns(result[same], left, columns_of(found[same], left))
  result$evaluations[left] <- result$evaluations[left] + tried
  if (any(found$code[left] == 7L)) result[c("place", "says")] <- found[c("place", "says")]
  result
}

# Integrals whose limits are not missing.
known_limits <- function(of, n) {
  missing <- Reduce(`|`, lapply(Filter(is.numeric, c(of$lower, of$upper)), function(v) is.na(rep_len(v, n))))
  if (is.null(missing)) seq_len(n) else which(!rep_len(missing, n))
}

# Nodes of a round, if one box has not more.
cubature_points <- 65536L

# For C, where all limits are numbers and the integrand is translated: limits, and for each parameter of the program
# the number of the variable that it is, or 0 and the column of params. NULL where R has to do it.
cube_spec <- function(program, of) {
  if (!is.null(program$call) || !all(vapply(c(of$lower, of$upper), is.numeric, NA))) return(NULL)
  name <- as.character(program$parameters$name)
  variable <- match(name, of$names, 0L)
  columns <- lapply(seq_along(name), function(k) {
    column <- if (!variable[k]) of$params[[name[k]]]
    as.double(if (is.matrix(column)) column[, program$parameters$column[k]] else column)
  })
  list(lower = lapply(of$lower, as.double), upper = lapply(of$upper, as.double), variable = variable,
       columns = columns)
}

# At points u of the cube, a row each, of the integrals `row`: values of f, and what they are to be multiplied by.
points_and_values <- function(program, of, row, u, spec) {
  if (is.null(spec)) {
    at <- cube_points(of, row, u)
    return(list(y = values_in_cube(program, of, row, at), size = at$size))
  }
  at <- .Call(C_cubeRows, u, row, spec)
  list(y = run_integrand(program, function() .Call(C_integrandValues, program, at$rows, at$x)), size = at$size)
}

cubature_integrals <- function(program, of, n, tolerance, subdivisions, among = seq_len(n)) {
  of$began <- proc.time()
  on.exit(progress_loop_done())
  d <- length(of$names)
  m <- length(program$outputs)
  known <- intersect(known_limits(of, n), among)
  result <- list(value = matrix(NaN, m, n), abs.error = matrix(NaN, m, n), subdivisions = integer(n),
                 evaluations = numeric(n), code = rep(6L, n), x = rep(NaN, n))
  spec <- cube_spec(program, of)
  cubes <- .Call(C_cubeOpen, c(d, m, subdivisions, cubature_points), tolerance, length(known))
  while (!is.null(round <- .Call(C_cubeRound, cubes))) {
    progress_loop("integrategpu", of$began, NaN)
    row <- if (length(known) < n) as.double(known[round$row]) else round$row
    at <- points_and_values(program, of, row, round$u, spec)
    .Call(C_cubeValues, cubes, at$y, at$size)
  }
  found <- .Call(C_cubeResult, cubes, length(known))
  result <- put_columns(result, known, c(found[names(result)[1:5]], list(x = rep(NaN, length(known)))))
  bad <- which(found$code == 7L)[1L]
  if (!is.na(bad)) {
    box <- list(row = known[bad], centre = found$bad[seq_len(d), bad], half = found$bad[d + seq_len(d), bad])
    rule <- list(nodes = .Call(C_cubeNodes, d))
    result[c("place", "says")] <- cube_place(program, of, rule, box)[c("place", "says")]
  }
  equal_limits(result, of, n)
}

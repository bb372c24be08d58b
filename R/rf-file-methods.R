# What is done with fields in files; their help is in rf-file.R.

#' @rdname rfOpen
#' @export
dim.rfFile <- function(x) unname(as.integer(c(x$grid$dims, further_dims(x$recipe))))

#' @rdname rfOpen
#' @export
print.rfFile <- function(x, ...) {
  n <- fragment_number(x)
  formats <- c(netcdf = "NetCDF-4", raw = "numbers alone", "function" = "for a function")
  cat(field_text(x$recipe), if (is.null(x$file)) "not kept," else "in a file,", format(x$grid), "\n")
  print_how(x$recipe)
  if (!is.null(x$file)) {
    size <- prod(dim(x)) * number_size(x$type)
    cat(sprintf("%s: %s of type %s, %s MB\n", x$file, formats[[x$format]], x$type, format(size / 1e6, digits = 3)))
    cat(if (file.exists(x$file)) sprintf("%.0f of ", sum(fragments_done(x))) else "It is not there any more: ",
        count_text(n, "fragment"), " of ", paste(x$fragment, collapse = " x "), " cells",
        if (file.exists(x$file)) " are done", "\n", sep = "")
  }
  invisible(x)
}

#' @rdname rfOpen
#' @export
`[.rfFile` <- function(x, ..., drop = TRUE) {
  size <- dim(x)
  given <- as.list(substitute(list(...)))[-1L]
  empty <- vapply(given, identical, NA, quote(expr = ))
  if (length(given) <= 1L && all(empty)) empty <- rep(TRUE, length(size))
  if (length(empty) != length(size))
    raise_engine_error("input", sprintf("a field of %d dimensions takes as many indices: %d are given", length(size),
                                        length(empty)))
  names <- dim_names(x)
  index <- lapply(seq_along(size), function(k)
    if (empty[k]) seq_len(size[k]) else checked_index(...elt(k), size[k], k, names[[k]]))
  values <- array(0, lengths(index))
  if (length(values)) values <- cells_of(x, index, values)
  components <- match("component", names(further_dims(x$recipe))) + length(x$grid$dims) # as fields in memory
  if (!is.na(components)) {
    label <- vector("list", length(size))
    label[[components]] <- names[[components]][index[[components]]]
    dimnames(values) <- label
  }
  if (!drop) values else if (length(values) == 1L) as.vector(values) else drop(values)
}

# Names along the dimensions: those of the grid have none.
dim_names <- function(x) {
  recipe <- x$recipe
  own <- list(component = component_names(recipe), time = NULL,
              realization = if (recipe$nsim > 1L) paste0("sim_", seq_len(recipe$nsim)))
  c(vector("list", length(x$grid$dims)), unname(own[names(further_dims(recipe))]))
}

checked_index <- function(i, n, k, names) {
  name <- paste("index", k)
  if (is.character(i)) {
    at <- match(i, names)
    if (anyNA(at)) name_value(name, i, is.na(at), if (is.null(names)) "is a name, and this dimension has none"
                                                  else paste("must be among", toString(names, width = 60)))
    return(at)
  }
  if (is.logical(i) && length(i) %in% c(1L, n) && !anyNA(i)) return(which(rep_len(i, n)))
  if (!is.numeric(i)) input_error(name, i, "must be a vector of numbers")
  bad <- is.na(i) | abs(i) >= n + 1
  if (any(bad)) name_value(name, i, bad, sprintf("must be from 1 to %.0f", n))
  seq_len(n)[i]
}

#' @export
`[<-.rfFile` <- function(x, ..., value)
  raise_engine_error("input", "values of a field in a file cannot be changed: x[] has them as an array")

# Fragment after fragment: from each the box that holds the cells wanted.
cells_of <- function(x, index, values) {
  done <- if (is.null(x$file)) logical(fragment_number(x)) else fragments_done(x)
  size <- chunk_dims(x)
  blocks <- ceiling(dim(x) / size)
  of_block <- Map(function(at, n) split(seq_along(at), factor((at - 1) %/% n)), index, size)
  numbers <- lapply(of_block, function(b) as.numeric(names(b)))
  many <- lengths(of_block)
  began <- proc.time()
  session$keep_lines <- TRUE
  on.exit({
    session$keep_lines <- session$lines <- NULL
    progress_loop_done()
  })
  for (j in seq_len(prod(many))) {
    which <- (j - 1) %/% cumprod(c(1, many[-length(many)])) %% many + 1
    to <- Map(`[[`, of_block, which)
    block <- mapply(`[`, numbers, which)
    from <- Map(`[`, index, to)
    start <- vapply(from, min, 1)
    dims <- vapply(from, max, 1) - start + 1
    i <- sum(block * cumprod(c(1, blocks[-length(blocks)]))) + 1
    part <- box_values(x, i, done[i], start, dims)
    dim(part) <- dims
    part <- do.call(`[`, c(list(part), Map(`-`, from, start - 1), drop = FALSE))
    eval(call("<-", as.call(c(list(as.name("["), as.name("values")), to)), as.name("part")))
    progress_loop("[", began, j / prod(many))
  }
  values
}

#' @rdname rfOpen
#' @export
summary.rfFile <- function(object, ...) {
  refuse_extra("summary", ...)
  recipe <- object$recipe
  table <- file_moments(object)
  rownames(table) <- column_names(recipe)
  summary_of_values(recipe, prod(object$grid$dims), table)
}

# Mean, variance, least and largest value of each component, time and field, fragment after fragment: sums of squares
# about the means of parts are put together as by Chan, Golub and LeVeque (1983, The American Statistician 37).
file_moments <- function(x) {
  recipe <- x$recipe
  m <- component_number(recipe)
  done <- if (is.null(x$file)) logical(fragment_number(x)) else fragments_done(x)
  columns <- m * time_number(recipe) * recipe$nsim
  n <- mean <- squares <- numeric(columns)
  low <- rep(Inf, columns)
  began <- proc.time()
  session$keep_lines <- TRUE
  on.exit({
    session$keep_lines <- session$lines <- NULL
    progress_loop_done()
  })
  high <- -low
  for (i in seq_along(done)) {
    own <- fragment_box(x, i)
    part <- matrix(as.vector(box_values(x, i, done[i], own$start, own$size)), ncol = m)
    k <- m * (own$time - 1L + time_number(recipe) * (own$sim - 1L)) + seq_len(m)
    new <- colSums(!is.na(part))
    middle <- ifelse(new > 0, colMeans(part, na.rm = TRUE), 0)
    shift <- middle - mean[k]
    all <- pmax(n[k] + new, 1)
    squares[k] <- squares[k] + colSums((part - rep(middle, each = nrow(part)))^2, na.rm = TRUE) +
      shift^2 * n[k] * new / all
    mean[k] <- mean[k] + shift * new / all
    n[k] <- n[k] + new
    low[k] <- pmin(low[k], apply(part, 2L, function(v) value_ends(v)[1L]), na.rm = TRUE)
    high[k] <- pmax(high[k], apply(part, 2L, function(v) value_ends(v)[2L]), na.rm = TRUE)
    progress_loop("summary", began, i / length(done))
  }
  none <- n == 0
  data.frame(mean = replace(mean, none, NaN), variance = ifelse(n > 1, squares / (n - 1), NA),
             min = replace(low, none, NA), max = replace(high, none, NA))
}

#' @rdname rfOpen
#' @export
predict.rfFile <- function(object, newdata, ...) predict(object$recipe, newdata, ...)

#' @rdname rfOpen
#' @export
plot.rfFile <- function(x, sim = NULL, slice = NULL, palette = "viridis", key = TRUE, component = NULL, time = NULL,
                        ...) {
  grid <- x$grid
  recipe <- x$recipe
  d <- length(grid$dims)
  if (!is.null(slice) && d != 3L) input_error("slice", slice, "is for a grid in space")
  if (is_plain(recipe)) refuse_flow_choices(component, time)
  sims <- if (is_plain(recipe)) plotted_sims(sim, recipe, d)
          else if (is.null(sim)) 1L else plotted_sims(sim, recipe, 2L)
  step <- plotted_time(time, recipe)
  if (d > 1L) step <- step[1L]
  more <- further_dims(recipe)
  index <- lapply(grid$dims, seq_len)
  if (d == 3L) { # the slice alone is read
    own <- slice_of(grid, slice)
    index[[own$axis]] <- own$at
    grid$origin[own$axis] <- grid_axes(grid)[[own$axis]][own$at]
    grid$dims[own$axis] <- 1L
    slice <- stats::setNames(1L, axis_names(3L)[own$axis])
  }
  index <- c(index, list(component = seq_len(component_number(recipe)), time = step, realization = sims)[names(more)])
  values <- as.vector(do.call(`[`, c(list(x), unname(index))))
  recipe$shown <- list(sims = sims, nsim = recipe$nsim)
  recipe$nsim <- length(sims)
  if (!is.null(recipe$motion)) recipe$times <- recipe$times[step]
  dim(values) <- unname(c(grid$dims, further_dims(recipe)))
  plot(structure(values, grid = grid, recipe = recipe, class = "rfield"), slice = slice, palette = palette, key = key,
       component = component, ...)
  invisible(x)
}

# Summaries of many fields at each point.

#' Maps of mean, spread and exceedance
#'
#' `rfSummary()` computes summaries of many fields at each of their points, for example of conditional fields by
#' [tbrf()] or [simulate()][simulate.gpFit]: maps of the mean, of the standard deviation, of the probability that a
#' level is exceeded, and of quantiles.
#'
#' @param x fields by [tbrf()] or [simulate()][simulate.gpFit]: an [rfield], fields in a [file][rfOpen], which are
#'   read in parts, points of class `sf`, or a raster of \pkg{terra} or \pkg{stars}; of `sf` and data frames the
#'   columns `sim_1`, `sim_2`, ... are taken, of rasters all layers.
#' @param exceeds levels: for each, the share of fields above it is computed, an estimate of the probability.
#' @param probs probabilities: for each, the quantile is computed, as by [stats::quantile()].
#' @param time of fields in time: the time of the summaries, one of those of `x`. It is needed if there are several.
#' @return The summaries at the points of `x`, in its class; for fields in a file, an [rfield]. The layers or columns
#'   are `mean`, `sd` (`NA` for a single field), `P(> level)` for each level and `q0.05` and so on for each
#'   probability. Levels and probabilities in names are rounded to six significant digits, or more where names would
#'   be equal otherwise: `exceeds = log(500)` makes `P(> 6.21461)`. If `exceeds` or `probs` have names, the layers
#'   have these instead, as for `exceeds = c("above 500 ppm" = log(500))`. `plot(maps, sim = )` takes the names of
#'   layers, also with all digits of the number: `sim = paste0("P(> ", log(500), ")")`. At points where a field is
#'   missing, so are the summaries.
#' @seealso [tbrf()]
#' @examples
#' data <- list(x = cbind(c(2, 8), c(3, 5)), y = c(1, -1))
#' model <- covModel("exponential", range = 4)
#' set.seed(1)
#' fields <- tbrf(rfGrid(0, 0.25, c(41, 33)), model, 200, nsim = 100, data = data)
#' maps <- rfSummary(fields, exceeds = 0.5, probs = c(0.05, 0.95))
#' maps
#' plot(maps, sim = "sd")
#' plot(maps, sim = "P(> 0.5)")
#'
#' # of fields in time, at one of the times
#' moving <- tbrf(rfGrid(0, 1, c(20, 16)), model, 200, nsim = 30, time = c(0, 1), correlation.time = 2)
#' plot(rfSummary(moving, time = 1), sim = "sd")
#' @concept exceedance probability
#' @concept conditional simulation
#' @export
rfSummary <- function(x, exceeds = NULL, probs = NULL, time = NULL) {
  need(x = missing(x))
  if (!is.null(exceeds)) check_numbers("exceeds", exceeds, "")
  if (!is.null(probs)) check_numbers("probs", probs, "not negative")
  if (any(probs > 1)) name_value("probs", probs, probs > 1, "must be at most 1")
  if (anyNA(names(exceeds))) names(exceeds) <- NULL
  exceeds <- unlist(lapply(exceeds, as.double)) # which keeps names, and no class
  levels <- list(exceeds = exceeds, probs = as.double(probs))
  if (inherits(x, "rfFile")) {
    step <- summary_step(time, x$recipe)
    return(maps_of(file_summary(x, levels, step), x$recipe, list(grid = x$grid), levels))
  }
  if (inherits(x, "rfield")) {
    recipe <- attr(x, "recipe")
    step <- summary_step(time, recipe)
    values <- if (is.null(recipe$motion)) sim_columns(x)
              else array(as.vector(x), c(length(x) / time_number(recipe) / recipe$nsim, time_number(recipe),
                                         recipe$nsim))[, step, ]
    new <- list(xy = attr(x, "coordinates"), grid = attr(x, "grid"), names = if (is.matrix(x)) rownames(x))
    return(maps_of(field_summary(matrix(values, ncol = recipe$nsim), levels), recipe, new, levels))
  }
  if (!is.null(time)) input_error("time", time, "is for fields that change in time")
  raster <- inherits(x, c("SpatRaster", "stars"))
  if (!raster && !is.data.frame(x))
    input_error("x", class(x)[1L], "must be fields by tbrf() or simulate(), in any of their classes")
  if (raster) {
    values <- if (inherits(x, "stars")) vapply(x, as.vector, numeric(prod(dim(x)))) else terra::values(x)
    return(places_of(x, "x")$back(field_summary(values, levels)))
  }
  sims <- grep("^sim_[0-9]+$", names(x))
  if (!length(sims)) raise_engine_error("input", "x has no columns sim_1, sim_2, ... with values of fields")
  maps <- field_summary(as.matrix(as.data.frame(x)[sims]), levels)
  x[sims] <- NULL
  x[colnames(maps)] <- as.data.frame(maps)
  x
}

# The number of the time; 1 of fields that do not change.
summary_step <- function(time, recipe) {
  refuse_variables(recipe, "maps are")
  if (!is.null(recipe$vector) || !is.null(recipe$derived)) refuse_vectors(recipe, "maps are")
  step <- plotted_time(time, recipe)
  if (length(step) > 1L)
    raise_engine_error("input", sprintf("x has %d times: rfSummary(x, time = %s) has the maps of one of them",
                                        length(step), format(recipe$times[1L])))
  step
}

maps_of <- function(maps, recipe, new, levels) {
  metric <- list(kind = "euclidean", dim = recipe$space$dim)
  value <- as_rfield(maps, new, recipe$model, metric, "summary", 0, FALSE)
  numbers <- as.double(unlist(levels))
  names(numbers) <- colnames(maps)[-(1:2)]
  attr(value, "recipe")[c("space", "of", "numbers")] <- list(recipe$space, recipe$nsim, numbers)
  attr(value, "recipe")$how <- transform_text(recipe)
  value
}

# Of boxes of the file with at most 2^22 values, whose maps go to their cells.
file_summary <- function(x, levels, step) {
  dims <- x$grid$dims
  box <- x$fragment
  while (prod(box) * x$recipe$nsim > 2^22 && any(box > 1)) box[which.max(box)] <- ceiling(max(box) / 2)
  blocks <- ceiling(dims / box)
  more <- c(if (time_number(x$recipe) > 1L) list(step), if (x$recipe$nsim > 1L) list(TRUE))
  maps <- NULL
  cell <- array(seq_len(prod(dims)), dims)
  began <- proc.time()
  on.exit(progress_loop_done())
  for (j in seq_len(prod(blocks))) {
    start <- (j - 1) %/% cumprod(c(1, blocks[-length(blocks)])) %% blocks * box
    index <- Map(function(from, size, n) seq(from + 1, min(from + size, n)), start, box, dims)
    values <- do.call(`[`, c(list(x), index, more))
    part <- field_summary(matrix(values, ncol = x$recipe$nsim), levels)
    if (is.null(maps)) maps <- matrix(0, prod(dims), ncol(part), dimnames = list(NULL, colnames(part)))
    maps[do.call(`[`, c(list(cell), index)), ] <- part
    progress_loop("rfSummary", began, j / prod(blocks))
  }
  maps
}

# Columns of fields to columns of summaries.
field_summary <- function(values, levels) {
  mean <- rowMeans(values)
  maps <- cbind(mean = mean, sd = sqrt(rowSums((values - mean)^2) / (ncol(values) - 1)))
  if (ncol(values) < 2L) maps[, "sd"] <- NA
  for (level in levels$exceeds) maps <- cbind(maps, rowMeans(values > level))
  if (length(levels$probs)) {
    whole <- which(!is.na(mean))
    quantiles <- matrix(NA_real_, nrow(values), length(levels$probs))
    quantiles[whole, ] <- t(apply(values[whole, , drop = FALSE], 1L, stats::quantile, levels$probs, names = FALSE))
    maps <- cbind(maps, quantiles)
  }
  colnames(maps) <- c("mean", "sd", level_names(levels$exceeds, "P(> %s)"), level_names(levels$probs, "q%s"))
  maps
}

# The names that the user gave, or numbers with as many digits as tell them apart.
level_names <- function(level, form) {
  if (!length(level)) return(NULL)
  digits <- 6L
  shown <- function() vapply(level, format, "", digits = digits, USE.NAMES = FALSE)
  while (digits < 15L && anyDuplicated(shown()) > 0L && !anyDuplicated(level)) digits <- digits + 1L
  name <- sprintf(form, shown())
  if (is.null(names(level))) name else ifelse(nzchar(names(level)), names(level), name)
}

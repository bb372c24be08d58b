# Summaries of many fields at each point.

#' Maps of mean, spread and exceedance
#'
#' `rfSummary()` computes summaries of many fields at each of their points, for example of conditional fields by
#' [tbrf()] or [simulate()][simulate.gpFit].
#'
#' @param x fields by [tbrf()] or [simulate()][simulate.gpFit]: an [rfield], fields in a [file][rfOpen], which are
#'   read in parts, points of class `sf`, or a raster of \pkg{terra} or \pkg{stars}; of `sf` and data frames the
#'   columns `sim_1`, `sim_2`, ... are taken, of rasters all layers.
#' @param exceeds levels, of which the share of fields above is wanted.
#' @param probs probabilities, of which the quantiles are wanted, as [stats::quantile()] has them.
#' @return In the class of `x`, an [rfield] of fields in a file, the layers or columns `mean`, `sd`, for each level
#'   `P(> level)`, and for each probability `q0.05` and so on: an [rfield] whose last dimension has these names, by
#'   which `sim` of `plot()` takes them. `sd` is `NA` for a single field. At points where a field is missing, so are
#'   the summaries.
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
#' @export
rfSummary <- function(x, exceeds = NULL, probs = NULL) {
  need(x = missing(x))
  if (!is.null(exceeds)) check_numbers("exceeds", exceeds, "")
  if (!is.null(probs)) check_numbers("probs", probs, "not negative")
  if (any(probs > 1)) name_value("probs", probs, probs > 1, "must be at most 1")
  if (inherits(x, "rfFile")) {
    refuse_vectors(x$recipe, "maps are")
    return(maps_of(file_summary(x, exceeds, probs), x$recipe, list(grid = x$grid)))
  }
  if (inherits(x, "rfield")) {
    refuse_vectors(attr(x, "recipe"), "maps are")
    new <- list(xy = attr(x, "coordinates"), grid = attr(x, "grid"), names = if (is.matrix(x)) rownames(x))
    return(maps_of(field_summary(sim_columns(x), exceeds, probs), attr(x, "recipe"), new))
  }
  raster <- inherits(x, c("SpatRaster", "stars"))
  if (!raster && !is.data.frame(x))
    input_error("x", class(x)[1L], "must be fields by tbrf() or simulate(), in any of their classes")
  if (raster) {
    values <- if (inherits(x, "stars")) vapply(x, as.vector, numeric(prod(dim(x)))) else terra::values(x)
    return(places_of(x, "x")$back(field_summary(values, exceeds, probs)))
  }
  sims <- grep("^sim_[0-9]+$", names(x))
  if (!length(sims)) raise_engine_error("input", "x has no columns sim_1, sim_2, ... with values of fields")
  maps <- field_summary(as.matrix(as.data.frame(x)[sims]), exceeds, probs)
  x[sims] <- NULL
  x[colnames(maps)] <- as.data.frame(maps)
  x
}

maps_of <- function(maps, recipe, new) {
  metric <- list(kind = "euclidean", dim = recipe$space$dim)
  value <- as_rfield(maps, new, recipe$model, metric, "summary", 0, FALSE)
  attr(value, "recipe")[c("space", "of")] <- list(recipe$space, recipe$nsim)
  value
}

# Of boxes of the file with at most 2^22 values, whose maps go to their cells.
file_summary <- function(x, exceeds, probs) {
  dims <- x$grid$dims
  box <- x$fragment
  while (prod(box) * x$recipe$nsim > 2^22 && any(box > 1)) box[which.max(box)] <- ceiling(max(box) / 2)
  blocks <- ceiling(dims / box)
  sims <- if (x$recipe$nsim > 1L) list(TRUE)
  maps <- NULL
  cell <- array(seq_len(prod(dims)), dims)
  began <- proc.time()
  on.exit(progress_loop_done())
  for (j in seq_len(prod(blocks))) {
    start <- (j - 1) %/% cumprod(c(1, blocks[-length(blocks)])) %% blocks * box
    index <- Map(function(from, size, n) seq(from + 1, min(from + size, n)), start, box, dims)
    values <- do.call(`[`, c(list(x), index, sims))
    part <- field_summary(matrix(values, ncol = x$recipe$nsim), exceeds, probs)
    if (is.null(maps)) maps <- matrix(0, prod(dims), ncol(part), dimnames = list(NULL, colnames(part)))
    maps[do.call(`[`, c(list(cell), index)), ] <- part
    progress_loop("rfSummary", began, j / prod(blocks))
  }
  maps
}

# Columns of fields to columns of summaries.
field_summary <- function(values, exceeds, probs) {
  mean <- rowMeans(values)
  maps <- cbind(mean = mean, sd = sqrt(rowSums((values - mean)^2) / (ncol(values) - 1)))
  if (ncol(values) < 2L) maps[, "sd"] <- NA
  for (level in exceeds) maps <- cbind(maps, rowMeans(values > level))
  if (length(probs)) {
    whole <- which(!is.na(mean))
    quantiles <- matrix(NA_real_, nrow(values), length(probs))
    quantiles[whole, ] <- t(apply(values[whole, , drop = FALSE], 1L, stats::quantile, probs, names = FALSE))
    maps <- cbind(maps, quantiles)
  }
  colnames(maps) <- c("mean", "sd", if (length(exceeds)) sprintf("P(> %s)", format(exceeds, trim = TRUE, digits = 6)),
                      if (length(probs)) paste0("q", format(probs, trim = TRUE, digits = 6)))
  maps
}

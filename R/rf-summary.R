# Summaries of many fields at each point.

#' Maps of mean, spread and exceedance
#'
#' Summaries of many fields at each of their points, such as conditional ones of [tbrf()] or
#' [simulate()][simulate.gpFit].
#'
#' @param x fields by [tbrf()] or [simulate()][simulate.gpFit]: an [rfield], points of class `sf`, or a raster of
#'   \pkg{terra} or \pkg{stars}; of `sf` and data frames the columns `sim_1`, `sim_2`, ... are taken, of rasters all
#'   layers.
#' @param exceeds levels, of which the share of fields above is wanted.
#' @param probs probabilities, of which the quantiles are wanted, as [stats::quantile()] has them.
#' @return In the class of `x` the layers or columns `mean`, `sd`, for each level `P(> level)`, and for each
#'   probability `q0.05` and so on: an [rfield] whose last dimension has these names, by which `sim` of `plot()` takes
#'   them. `sd` is `NA` for a single field. At points where a field is missing, so are the summaries.
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
  if (inherits(x, "rfield")) {
    refuse_vectors(attr(x, "recipe"), "maps are")
    maps <- field_summary(sim_columns(x), exceeds, probs)
    recipe <- attr(x, "recipe")
    new <- list(xy = attr(x, "coordinates"), grid = attr(x, "grid"), names = if (is.matrix(x)) rownames(x))
    metric <- list(kind = "euclidean", dim = recipe$space$dim)
    value <- as_rfield(maps, new, recipe$model, metric, "summary", 0, FALSE)
    attr(value, "recipe")[c("space", "of")] <- list(recipe$space, recipe$nsim)
    return(value)
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

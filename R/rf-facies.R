# Fields of categories (facies) by truncation of one or two Gaussian fields, and how their categories follow each
# other.

#' Categories by truncation of Gaussian fields
#'
#' `rfFacies()` describes truncated Gaussian and plurigaussian fields: categories, such as rocks or soils, that are
#' decided by the values of one or two independent Gaussian fields (Armstrong et al. 2011). [tbrf()] makes these
#' fields, also given categories that were observed, and `rfTransitions()` estimates how often one category follows
#' another.
#'
#' The rule has strips of the first field, from its low values to its high ones, and each strip has the categories
#' into which the second field cuts it. `rule = list("clay", c("silt", "sand"))` is clay where the first field is
#' low; where it is high, there is silt for low values of the second field, and sand for high ones. So sand and silt
#' meet clay and each other. With a single category in each strip the second field is not needed, and a category only
#' has contact with those before and after it.
#'
#' Limits are quantiles of the normal distribution, so that each cell of the rule has its proportion; those of cells
#' may be the same category, which then has the sum. Proportions that change from place to place, as with depth, are a
#' function of the coordinates, a matrix with the columns `x`, `y` and `z`; it gives a matrix with a row for each
#' point and a column for each cell. The variance of the models does not matter, and their mean must be 0.
#'
#' `tbrf(x, facies, data = list(x = points, y = categories))` makes fields given the categories at some points, by
#' numbers, names or a factor. The values of the Gaussian fields there are not known, and are drawn from their
#' distribution given that each is within the limits of its category. Chains begin with values that are drawn one
#' after the other, each given those before it; they take 50 steps, or as many as the element `steps` of `data` says.
#' A step is a sweep of the Gibbs sampler, which draws the cell and the values at each point given all others, and a
#' step of Hamiltonian Monte Carlo of all values of a field at once, which are reflected by the limits (Pakman and
#' Paninski 2014): without that, values of smooth fields at near points would hardly move. The Gaussian fields are
#' conditioned on these values by kriging, as others are by [tbrf()], with the nearest `m` where `data` has that
#' element. Each field has a chain of its own. All data have their category in all fields. More than 5,000 points are
#' an error.
#'
#' `rfTransitions()` counts, along each axis of a grid, how often category `from` is at a cell and `to` is a lag
#' further. Where the field is by `rfFacies()` or [`rfTransform(breaks = )`][rfTransform], without data and with
#' constant proportions, the probability by the model is the column `model`: integrals of the bivariate normal density
#' (Plackett 1954) for each field, multiplied. The covariance of two indicators is this probability less the product
#' of both proportions, and the variogram of one is its proportion less the probability that it is at both ends.
#'
#' @param model the covariance of the first field, a model by [covModel()], or a list of two, for both fields.
#' @param proportions of the cells of the rule, strip after strip, a number each, which add up to 1; or a function of
#'   coordinates. Without `rule` their names are those of the categories.
#' @param rule a list with the categories of each strip, names or numbers from 1 on; by default a category for each
#'   proportion, in a strip of its own.
#' @param labels `NULL`, or a name for each number of a category.
#' @param x a field of categories on a grid, by [tbrf()].
#' @param to largest lag; by default half the side along each axis.
#' @return `rfFacies()` gives an object of this class, which [tbrf()] takes as `model`; values of its fields are
#'   numbers of categories, whose names are in keys of plots. [`rfTransform(field, fun)`][rfTransform] has functions
#'   of them. Files have categories as bytes.
#'
#'   `rfTransitions()` gives a data frame with the columns `axis`, `distance`, `from`, `to`, `probability`,
#'   `std.error` by the spread of several fields, `transition`, the probability of `to` given `from`, and `model`.
#'
#'   Errors have the class `statcl_error_input` and name the argument and the value.
#' @references
#' Armstrong, M., Galli, A., Beucher, H., Loc'h, G., Renard, D., Doligez, B., Eschard, R. and Geffroy, F. (2011).
#' *Plurigaussian Simulations in Geosciences*. Springer, Berlin.
#'
#' Pakman, A. and Paninski, L. (2014). Exact Hamiltonian Monte Carlo for truncated multivariate Gaussians. *Journal of
#' Computational and Graphical Statistics* **23**, 518--542.
#'
#' Plackett, R. L. (1954). A reduction formula for normal multivariate integrals. *Biometrika* **41**, 351--360.
#' @seealso [tbrf()], [rfTransform()]
#' @examples
#' rock <- rfFacies(list(covModel("matern", range = 3, smoothness = 1.5),
#'                       covModel("exponential", range = 2)),
#'                  proportions = c(0.4, 0.25, 0.35), rule = list("clay", c("silt", "sand")))
#' rock
#' set.seed(1)
#' grid <- rfGrid(0, 0.25, c(80, 60))
#' wells <- list(x = cbind(c(3, 9, 15), 7), y = c("clay", "sand", "clay"))
#' field <- tbrf(grid, rock, data = wells)
#' plot(field)
#' predict(field, wells$x)
#'
#' # how often sand is two units to the right of clay
#' many <- tbrf(grid, rock, nsim = 20)
#' subset(rfTransitions(many, to = 2), axis == "x" & distance == 2 & from == "clay")
#'
#' # more sand with depth
#' deep <- rfFacies(covModel("exponential", range = 3), function(x) {
#'   sand <- plogis((x[, "y"] - 7) / 2)
#'   cbind(1 - sand, sand)
#' }, rule = list("clay", "sand"))
#' plot(tbrf(grid, deep))
#' @export
rfFacies <- function(model, proportions, rule = NULL, labels = NULL) {
  need(model = missing(model), proportions = missing(proportions))
  check_function("proportions", proportions)
  if (!is.function(proportions)) check_numbers("proportions", proportions, "not negative")
  if (is.null(rule)) {
    if (is.function(proportions))
      raise_engine_error("input", "rule is missing: proportions by a function do not say what the categories are")
    rule <- as.list(seq_along(proportions))
    if (is.null(labels)) labels <- names(proportions)
  }
  strips <- checked_rule(rule, labels)
  count <- sum(lengths(strips$cell))
  if (!is.function(proportions)) {
    if (length(proportions) != count)
      input_error("proportions", proportions, sprintf("must be %d numbers, one for each cell of the rule", count))
    if (abs(sum(proportions) - 1) > 1e-6) input_error("proportions", proportions, "must add up to 1")
    proportions <- as.double(proportions) / sum(proportions)
  }
  structure(c(list(model = facies_models(model, any(lengths(strips$cell) > 1L)), proportions = proportions), strips),
            class = "rfFacies")
}

# Categories of the cells as numbers, with their labels.
checked_rule <- function(rule, labels) {
  what <- unlist(rule)
  good <- is.list(rule) && length(rule) && all(lengths(rule) > 0L) && (is.character(what) || is.numeric(what)) &&
    !anyNA(what)
  if (!good) input_error("rule", class(rule)[1L], "must be a list with the categories of each strip")
  if (is.character(what)) {
    if (!is.null(labels)) raise_engine_error("input", "labels are for rules with numbers: that of rule has names")
    labels <- unique(what)
    return(list(cell = lapply(rule, match, labels), labels = labels))
  }
  n <- max(what)
  if (!setequal(what, seq_len(n))) input_error("rule", what, "must have the numbers of categories from 1 on")
  if (is.null(labels)) labels <- seq_len(n)
  if (!is.atomic(labels) || length(labels) != n || anyNA(labels) || anyDuplicated(labels))
    input_error("labels", labels, sprintf("must be %d different names, one for each category", n))
  list(cell = lapply(rule, as.integer), labels = as.character(labels))
}

# One model, or two where the rule has a second field.
facies_models <- function(model, two) {
  models <- if (inherits(model, "covModel")) list(model) else model
  good <- is.list(models) && length(models) %in% 1:2 && all(vapply(models, inherits, NA, "covModel"))
  if (!good) input_error("model", class(model)[1L], "must be a model by covModel(), or a list of two")
  if (length(models) == 1L + !two) raise_engine_error("input", if (two)
    "model is one model: a rule with several categories in a strip has two fields, and takes a list of two"
    else "model is a list of two: a rule with one category in each strip has one field")
  lapply(models, function(own) {
    if (is_several(own)) input_error("model", own$name, "is a model of several variables: it takes those of one")
    refuse_intrinsic(own, "has no variance that proportions could be of")
    if (!identical(own$mean + 0, 0)) input_error("mean", own$mean, "must be 0: proportions are given")
    checked_model(own)
  })
}

#' @export
print.rfFacies <- function(x, ...) {
  cat(length(x$labels), " categories by ", count_text(length(x$model), "Gaussian field"), "\n", sep = "")
  names <- lapply(x$cell, function(k) x$labels[k])
  cat("Strips of the first field: ",
      paste(vapply(names, paste, "", collapse = " | "), collapse = "; "), "\n", sep = "")
  if (!is.function(x$proportions))
    cat("Proportions: ", paste(unlist(names), format(x$proportions, digits = 3), collapse = ", "), "\n", sep = "")
  else cat("Proportions by a function of the coordinates\n")
  for (own in x$model) cat("Model:", format(own), sep = "\n  ")
  invisible(x)
}

# ---- limits ----

# Proportions of the cells at the points, a row for each, or one row for all.
facies_shares <- function(facies, xy) {
  if (!is.function(facies$proportions)) return(matrix(facies$proportions, 1L))
  colnames(xy) <- axis_names(ncol(xy))
  share <- tryCatch(facies$proportions(xy), error = function(e) {
    pass_on(e)
    raise_engine_error("input", sprintf(
      "proportions = function: it is called with one matrix of coordinates, with columns %s: %s",
      toString(colnames(xy)), conditionMessage(e)))
  })
  count <- sum(lengths(facies$cell))
  if (!is.numeric(share) || !identical(dim(share), c(nrow(xy), count)))
    raise_engine_error("input", sprintf("proportions must give a matrix of %d columns, with a row for each point",
                                        count))
  bad <- which(!(rowSums(share < 0) == 0 & abs(rowSums(share) - 1) < 1e-6))
  if (length(bad)) raise_engine_error("input", sprintf(
    "proportions must not be negative and add up to 1: at the point (%s) they are %s",
    toString(format(xy[bad[1L], ])), toString(format(share[bad[1L], ], digits = 3))))
  unname(share)
}

# Normal quantiles of sums of the columns from the left, by those from the right where these are the smaller ones.
share_levels <- function(share, sd) {
  k <- ncol(share)
  level <- matrix(0, nrow(share), k - 1L)
  total <- rowSums(share)
  for (j in seq_len(k - 1L)) {
    low <- rowSums(share[, seq_len(j), drop = FALSE]) / total
    high <- rowSums(share[, (j + 1L):k, drop = FALSE]) / total
    level[, j] <- ifelse(low < high, stats::qnorm(low), stats::qnorm(high, lower.tail = FALSE))
  }
  level[is.nan(level)] <- 0 # of strips that are nowhere
  sd * level
}

# Limits of the strips, and of the cells of each of them.
facies_levels <- function(facies, xy) {
  share <- facies_shares(facies, xy)
  sd <- vapply(facies$model, function(own) sqrt(model_variance(own)), 0)
  of <- split(seq_len(ncol(share)), rep(seq_along(facies$cell), lengths(facies$cell)))
  strips <- vapply(of, function(at) rowSums(share[, at, drop = FALSE]), numeric(nrow(share)))
  list(first = share_levels(matrix(strips, nrow(share)), sd[1L]),
       second = lapply(of, function(at) share_levels(share[, at, drop = FALSE], sd[length(sd)])))
}

# One and the number of levels, a row for each value or one for all, that are below.
levels_below <- function(z, level) {
  if (nrow(level) == 1L) return(findInterval(z, level[1L, ], left.open = TRUE) + 1)
  count <- rep(1, length(z))
  for (j in seq_len(ncol(level))) count <- count + (z > level[, j])
  count
}

# Categories of values z, a vector for each field.
facies_values <- function(facies, z, xy) {
  level <- facies_levels(facies, xy)
  strip <- levels_below(z[[1L]], level$first)
  value <- numeric(length(strip))
  for (s in seq_along(facies$cell)) {
    at <- which(strip == s)
    own <- level$second[[s]]
    if (nrow(own) > 1L) own <- own[at, , drop = FALSE]
    value[at] <- facies$cell[[s]][if (length(facies$cell[[s]]) == 1L) 1 else levels_below(z[[2L]][at], own)]
  }
  value
}

# ---- fields ----

# Each Gaussian field has a recipe, and a key, of its own. Of the whole the model says what the points are, and else
# nothing.
facies_recipe <- function(facies, places, nlines, nsim, settings) {
  given <- list(time = settings$flow$motion, marginal = settings$marginal, transfer = settings$transfer)
  given <- names(Filter(Negate(is.null), given))
  if (length(given)) raise_engine_error("input", sprintf("%s is not for categories by rfFacies()", given[1L]))
  facies$fields <- lapply(facies$model, function(own) {
    recipe <- new_recipe(places, own, nlines, nsim, settings)
    recipe$key <- new_key()
    recipe
  })
  structure(list(model = update(facies$model[[1L]], nugget = 0), space = facies$fields[[1L]]$space, nsim = nsim,
                 method = "facies", facies = facies), class = "rfRecipe")
}

# Field number sim, see field_function().
facies_field <- function(recipe, places) {
  facies <- recipe$facies
  function(sim, into, at) {
    z <- lapply(facies$fields, latent_field, sim, places)
    for (first in seq(0, by = 2^18, length.out = ceiling(places$n / 2^18))) {
      some <- first + seq_len(min(2^18, places$n - first))
      xy <- if (is.function(facies$proportions) || !is.null(facies$data)) places_points(places, some)
      value <- facies_values(facies, lapply(z, `[`, some), xy)
      if (!is.null(facies$data)) value <- observed_facies(value, facies$data, xy)
      .Call(C_bandPut, into, at + first, value, length(some))
    }
  }
}

latent_field <- function(own, sim, places) {
  own <- of_fragment(own, list(sim = sim, time = 1L))
  value <- some_fields(sim, without_mean(own), places)
  if (is.null(own$data)) value else with_data(own$data, value, own, places)
}

# Where the data are kriging has their values but for rounding, which a limit may be within.
observed_facies <- function(value, data, xy) {
  n <- nrow(data$xy)
  at <- match(place_numbers(rbind(data$xy, unname(xy))), seq_len(n))[-seq_len(n)]
  known <- !is.na(at)
  value[known] <- data$y[at[known]]
  value
}

# ---- how categories follow each other ----

#' @rdname rfFacies
#' @export
rfTransitions <- function(x, to = NULL) {
  need(x = missing(x))
  recipe <- if (inherits(x, "rfield")) attr(x, "recipe")
  labels <- if (inherits(recipe, "rfRecipe")) class_labels(recipe)
  if (is.null(labels) || is.null(attr(x, "grid")))
    input_error("x", class(x)[1L], "must be a field of categories on a grid, by rfFacies() or rfTransform(breaks = )")
  check_single("to", to, "positive")
  grid <- attr(x, "grid")
  values <- sim_columns(x)
  cuts <- constant_cuts(recipe)
  long <- which(grid$dims > 1L)
  do.call(rbind, lapply(long, function(axis) {
    most <- if (is.null(to)) grid$dims[axis] %/% 2
            else min(floor(to / grid$spacing[axis] + 1e-9), grid$dims[axis] - 1)
    do.call(rbind, lapply(0:most, transition_rows, values, grid, axis, labels, cuts))
  }))
}

# Of one lag, in cells along an axis.
transition_rows <- function(lag, values, grid, axis, labels, cuts) {
  k <- length(labels)
  before <- prod(grid$dims[seq_len(axis - 1L)])
  near <- which(((seq_len(nrow(values)) - 1) %/% before) %% grid$dims[axis] < grid$dims[axis] - lag)
  far <- near + lag * before
  shares <- apply(values, 2L, function(v) tabulate(v[near] + k * (v[far] - 1), k * k) / length(near))
  share <- rowMeans(shares)
  from <- rep(seq_len(k), k)
  to <- rep(seq_len(k), each = k)
  h <- matrix(0, 1L, length(grid$dims))
  h[axis] <- lag * grid$spacing[axis]
  data.frame(axis = axis_names(length(grid$dims))[axis], distance = h[axis], from = factor(labels[from], labels),
             to = factor(labels[to], labels), probability = share,
             std.error = if (ncol(shares) > 1L) apply(shares, 1L, stats::sd) / sqrt(ncol(shares)) else NA_real_,
             transition = share / rowSums(matrix(share, k))[from],
             model = if (is.null(cuts)) NA_real_ else as.vector(transition_model(cuts, h)))
}

# Models, cells and levels in standard units of a field without data, if they are the same everywhere; else NULL.
constant_cuts <- function(recipe) {
  facies <- recipe$facies
  if (is.null(facies)) {
    if (length(recipe$transform) != 1L || !is.null(recipe$data) || is.function(recipe$model$mean) ||
        has_intrinsic(recipe$model) || !is.null(recipe$transfer) || !is_plain(recipe)) return(NULL)
    level <- (as.double(recipe$transform[[1L]]) - recipe$model$mean) / sqrt(model_variance(recipe$model))
    k <- length(level) + 1L
    return(list(model = list(recipe$model), cell = as.list(seq_len(k)), first = level,
                second = rep(list(numeric()), k), count = k))
  }
  if (length(recipe$transform) || is.function(facies$proportions) || !is.null(facies$data)) return(NULL)
  level <- facies_levels(facies, NULL)
  sd <- vapply(facies$model, function(own) sqrt(model_variance(own)), 0)
  c(facies[c("model", "cell")], list(first = level$first[1L, ] / sd[1L], count = length(facies$labels),
                                     second = lapply(level$second, function(v) v[1L, ] / sd[length(sd)])))
}

# Probabilities of `from` in rows and `to` in columns at a lag: of independent fields those of both, multiplied.
transition_model <- function(cuts, h) {
  rho <- vapply(cuts$model, function(own)
    if (any(h != 0)) lag_covariances(own, h) / model_variance(own) else 1, 0)
  strips <- pair_shares(cuts$first, cuts$first, rho[1L])
  value <- matrix(0, cuts$count, cuts$count)
  for (s in seq_along(cuts$cell)) for (t in seq_along(cuts$cell)) {
    cells <- strips[s, t] * pair_shares(cuts$second[[s]], cuts$second[[t]], rho[length(rho)])
    for (i in seq_along(cuts$cell[[s]])) for (j in seq_along(cuts$cell[[t]])) {
      at <- cbind(cuts$cell[[s]][i], cuts$cell[[t]][j])
      value[at] <- value[at] + cells[i, j]
    }
  }
  value
}

# P(i - 1 of the levels a are below U and j - 1 of the levels b below V) of standard normal U and V.
pair_shares <- function(a, b, rho) {
  ends <- function(level) diff(c(0, stats::pnorm(level), 1))
  more <- matrix(0, length(a) + 2L, length(b) + 2L)
  for (i in which(is.finite(a))) for (j in which(is.finite(b)))
    more[i + 1L, j + 1L] <- normal_excess(a[i], b[j], min(max(rho, -1), 1))
  pmax(outer(ends(a), ends(b)) + t(diff(t(diff(more)))), 0)
}

# Variograms of several variables, in the classes of rfVariogram(): for each pair of variables half the mean product
# of the increments of both, or their covariance where they were measured at different places.

# What rfVariogram() is of. `given` has its model, grid and x.
#' @exportS3Method NULL
variogram_data <- function(field, given) UseMethod("variogram_data")
#' @exportS3Method NULL
variogram_data.default <- function(field, given) {
  table <- is.data.frame(field) && !inherits(field, "sf")
  if (!table && !(inherits(given$model, "covModel") && is_several(given$model)))
    return(field_data(field, given$grid, given$x, given$model, NULL))
  values <- variable_columns(field)
  own <- variables_of(values, given$model)
  places <- field_places(given$grid, given$x)
  if (nrow(values) != places$n) raise_engine_error("input", sprintf(
    "field has %s for %s", count_text(nrow(values), "row"), count_text(places$n, "point")))
  data <- site_values(straight_points(places, given$model), as.vector(values), as.vector(col(values)), ncol(values))
  data$values <- data$values - rep(colMeans(data$values, na.rm = TRUE), each = nrow(data$values))
  part <- if (is.null(given$model)) list(distance = "auto", radius = 6371) else given$model
  kind <- distance_kind(part$distance, places$geographic)
  c(data, list(variables = own, label = distance_label(kind, part$radius), title = toString(own$names)))
}

# Values in columns, which may be missing.
variable_columns <- function(field) {
  if (is.data.frame(field)) {
    odd <- which(!vapply(field, function(v) is.numeric(v) && is.null(dim(v)), NA))
    if (length(odd)) input_error(paste0("field$", names(field)[odd[1L]]), class(field[[odd[1L]]])[1L],
                                 "must be numeric: the columns of field are variables, and x has the points")
  }
  values <- as.matrix(field)
  if (!is.numeric(values)) input_error("field", class(field)[1L], "must have numeric values")
  if (!is.matrix(field) && !is.data.frame(field) || !length(values)) input_error("field", class(field)[1L], paste(
    "must have a column for each variable"))
  if (any(is.infinite(values))) input_error("field", values[is.infinite(values)][1L], "must be finite, or missing")
  few <- which(colSums(!is.na(values)) == 0)
  if (length(few)) raise_engine_error("input", sprintf(
    "column %s of field has no values", if (is.null(colnames(values))) few[1L] else colnames(values)[few[1L]]))
  storage.mode(values) <- "double"
  values
}

# Names of the variables, and which of the model they are.
variables_of <- function(values, model) {
  p <- ncol(values)
  if (is.null(model)) return(list(names = if (is.null(colnames(values))) as.character(seq_len(p))
                                          else colnames(values)))
  model <- given_model(model)
  if (!is_several(model)) input_error("model", model$name, sprintf(
    "is of one variable, and field has %s: \"multimatern\" and \"lmc\" are of several", count_text(p, "column")))
  if (is.function(model$mean))
    input_error("mean", "function", "of the model is no number: take the drift from the values first")
  if (is.null(model$variable) || is.null(colnames(values))) {
    if (variable_count(model) != p) raise_engine_error("input", sprintf(
      "field has %s: the model is of %s", count_text(p, "column"), count_text(variable_count(model), "variable")))
    names <- if (is.null(colnames(values))) variable_labels(model)$one else colnames(values)
    return(list(names = names, model = model, number = seq_len(p)))
  }
  number <- match(colnames(values), model$variable)
  if (anyNA(number)) input_error("field", colnames(values)[is.na(number)][1L], sprintf(
    "is none of the variables of the model, %s", toString(model$variable)))
  list(names = colnames(values), model = model, number = number)
}

# Points, and a column of values for each of p variables at these. Several values of a variable at one place have a
# point each, and those of other variables are beside them in turn.
site_values <- function(points, value, variable, p) {
  known <- which(!is.na(value))
  place <- place_numbers(points)[(known - 1L) %% nrow(points) + 1L]
  order <- order(variable[known], place)
  known <- known[order]
  place <- place[order]
  run <- rle(place + (variable[known] - 1) * nrow(points))$lengths
  site <- place_numbers(cbind(place, sequence(run)))
  site <- match(site, unique(site))
  values <- matrix(NA_real_, max(site), p)
  values[cbind(site, variable[known])] <- value[known]
  list(points = points[place[match(seq_len(max(site)), site)], , drop = FALSE], values = values)
}

# ---- estimates ----

several_variograms <- function(data, direction, tolerance, to, width, most, cross) {
  sectors <- variogram_sectors(direction, tolerance, ncol(data$points))
  to <- point_reach(data, to)
  if (is.null(width)) width <- to / 15
  kept <- list()
  pairs <- pairs_of(ncol(data$values))
  tables <- lapply(seq_len(nrow(pairs)), function(k) {
    i <- pairs[k, 1L]
    j <- pairs[k, 2L]
    what <- cross_estimate(data, i, j, cross)
    places <- estimate_places(data$values, i, j, what)
    known <- Find(function(one) identical(one$places, places), kept)
    if (is.null(known)) {
      known <- c(list(places = places), site_pairs(data, places, to, most, sectors))
      kept <<- c(kept, list(known))
    }
    pair_table(data, i, j, what, known, width)
  })
  if (all(vapply(tables, is.null, NA)))
    raise_engine_error("input", "no pairs are within the distance and the tolerance")
  table <- joined_tables(Filter(Negate(is.null), tables))
  if (!is.null(sectors)) table$direction <- unlist(lapply(sectors, `[[`, "name"))[table$direction]
  names <- data$variables$names
  for (column in c("variable1", "variable2")) table[[column]] <- factor(names[table[[column]]], names)
  structure(table, class = c("rfVariogram", "data.frame"), model = data$variables$model, space = ncol(data$points),
            title = sprintf("%s at %s", data$title, count_text(nrow(data$points), "point")),
            variables = data$variables, label = data$label, sectors = sectors)
}

# Increments need places where both variables are known.
cross_estimate <- function(data, i, j, cross) {
  if (i == j) return("variogram")
  known <- !is.na(data$values[, c(i, j)])
  both <- sum(known[, 1L] & known[, 2L])
  if (cross == "auto") return(if (both > 1L && 2 * both >= min(colSums(known))) "variogram" else "covariance")
  if (cross == "variogram" && both < 2L) input_error("cross", cross, sprintf(
    "needs places where %s were both measured: \"covariance\" does not",
    paste(data$variables$names[c(i, j)], collapse = " and ")))
  cross
}

estimate_places <- function(values, i, j, what) {
  one <- which(!is.na(values[, i]))
  other <- which(!is.na(values[, j]))
  if (what == "variogram") list(intersect(one, other)) else list(one, other)
}

# Pairs of places, or of one of each set, with their lags and in which sector of directions these are.
site_pairs <- function(data, places, to, most, sectors) {
  one <- places[[1L]]
  if (length(places) == 1L) {
    p <- point_pairs(length(one), most)
    p <- list(i = one[p$i], j = one[p$j])
  } else p <- pairs_between(one, places[[2L]], most)
  lag <- data$points[p$i, , drop = FALSE] - data$points[p$j, , drop = FALSE]
  distance <- sqrt(rowSums(lag^2))
  if (!is.null(data$arc)) distance <- 2 * data$arc * asin(pmin(distance / (2 * data$arc), 1))
  at <- which(distance <= to)
  sector <- sectors_of(sectors, length(at), lag[at, , drop = FALSE])
  at <- at[sector$at]
  list(i = p$i[at], j = p$j[at], lag = lag[at, , drop = FALSE], distance = distance[at], sector = sector$number)
}

pairs_between <- function(one, other, most) {
  if (as.double(length(one)) * length(other) <= most)
    return(list(i = rep(one, length(other)), j = rep(other, each = length(one))))
  list(i = one[sample.int(length(one), most, TRUE)], j = other[sample.int(length(other), most, TRUE)])
}

pair_table <- function(data, i, j, what, p, width) {
  if (!length(p$i)) return(NULL)
  u <- data$values[, i]
  v <- data$values[, j]
  product <- if (what == "variogram") (u[p$i] - u[p$j]) * (v[p$i] - v[p$j]) / 2 else u[p$i] * v[p$j]
  bin <- ifelse(p$distance > 0, ceiling(p$distance / width), 0)
  table <- pooled(list(values = matrix(0)), bin, p$distance, rep(1, length(bin)), function(s) product,
                  pair_values(data$variables, i, j, what, p$lag, p$distance), what, p$sector)
  cbind(variable1 = i, variable2 = j, table)
}

# Cross-covariances have a column of their own.
joined_tables <- function(tables) {
  columns <- intersect(c("variable1", "variable2", "direction", "distance", "variogram", "covariance", "pairs",
                         "model"), unlist(lapply(tables, names)))
  do.call(rbind, lapply(tables, function(table) {
    table[setdiff(columns, names(table))] <- NA_real_
    table[columns]
  }))
}

# What the model has for variables i and j at lags, with errors: those of the same variable at one place are
# independent, and of different ones a matrix of nuggets has the covariances.
pair_values <- function(own, i, j, what, lag, distance = sqrt(rowSums(lag^2))) {
  model <- own$model
  if (is.null(model)) return(NULL)
  at <- own$number[c(i, j)]
  value <- numeric(length(distance))
  for (term in families[[model$name]]$terms(model, FALSE)) if (term$weight[at[1L], at[2L]] != 0) {
    h <- if (is_anisotropic(term$part)) sqrt(rowSums(tcrossprod(lag, anisotropy(term$part, ncol(lag)))^2))
         else distance
    value <- value + term$weight[at[1L], at[2L]] * at_distinct(h, function(u)
      if (what == "variogram") semivariance(term$part, u) else cov_value(term$part, u))
  }
  value + pair_nugget(own, i, j) * (what == "variogram" | distance == 0)
}

pair_nugget <- function(own, i, j) {
  at <- own$number[c(i, j)]
  nugget <- own$model$nugget
  if (i == j) nugget_variances(own$model)[at[1L]] + if (is.null(own$error)) 0 else own$error[i]
  else if (is.matrix(nugget)) nugget[at[1L], at[2L]] else 0
}

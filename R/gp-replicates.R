# Independent replicates of a process, one for each level of a factor: a location has one value in each, and
# neighbours of Vecchia's approximation are of the same replicate. A problem p then has the number `by` of that for
# each location.

# What `by` of gpFit() says: the expression, the levels, and the number of each observation's.
replicates <- function(expression, values) {
  if (is.null(values)) return(NULL)
  levels <- if (is.factor(values)) levels(droplevels(values)) else sort(unique(as.character(values)))
  list(expression = expression, levels = levels, code = match(as.character(values), levels))
}

# The values of `by` of all rows of the data.
asked_replicates <- function(expression, points, cov, env) {
  formula <- stats::as.formula(call("~", expression), env)
  values <- model_variables(formula, points$data, eval(expression, points$data, env), "data")
  if (is.null(values)) return(NULL)
  shown <- deparse1(expression)
  if (is.null(cov)) input_error("by", shown, "has replicates of a process, and with cov = \"none\" there is none")
  if (!is.atomic(values) || !is.null(dim(values)) || length(values) != nrow(points$xy))
    input_error("by", shown, sprintf("must be a factor with a level for each of %s, as by = year with a column year",
                                     count_text(nrow(points$xy), "row")))
  values
}

# Of the levels at different locations, as gp_find() has it of locations.
check_replicates <- function(by, levels, task) if (!is.null(by) && !anyDuplicated(levels) && length(task$free)) {
  shown <- deparse1(by$expression)
  input_error("by", shown, sprintf(
    "has one location in each level: no covariance is seen; effects of levels are (1 | %s) in the formula", shown))
}

# Numbers at new places, NA for levels that the fit does not know; each of those is a replicate of its own.
new_replicates <- function(by, frame, env) {
  formula <- stats::as.formula(call("~", by$expression), env)
  values <- as.character(model_variables(formula, frame, eval(by$expression, frame, env), "newdata"))
  if (length(values) != nrow(frame)) values <- rep_len(values, nrow(frame))
  list(expression = by$expression, levels = by$levels, code = match(values, by$levels), label = values)
}

# The order and neighbours of locations by a metric: with a further axis, on which replicates are far apart, those of
# others are the last ones, and are left out.
ordered_neighbours <- function(p, metric, m, classes = FALSE) {
  if (!is.null(p$process$vecchia$ordered)) return(p$process$vecchia$ordered(p, metric, m))
  x <- vecchia_coordinates(p, metric)
  if (is.null(p$by)) return(gp_ordered(x, m, classes))
  sets <- gp_ordered(cbind(x, replicate_axis(x, p$by)), m, classes)
  by <- p$by[sets$order]
  sets$members[by[sets$members] != by[col(sets$members)]] <- NA
  sets
}

replicate_axis <- function(x, by) by * 4 * max(apply(x, 2L, function(v) diff(range(v))), 1e-300)

# The m nearest locations of p of each of xy, NA where there are fewer of its replicate.
nearest_of_replicate <- function(p, xy, by, m) {
  if (is.null(p$by)) return(nearest_observations(p, xy, m))
  metric <- vecchia_metric(p)
  both <- p
  both$xy <- rbind(p$xy, xy)
  x <- vecchia_coordinates(both, metric)
  code <- c(p$by, ifelse(is.na(by$code), 0L, by$code))
  x <- cbind(x, replicate_axis(x, code))
  data <- seq_len(nrow(p$xy))
  near <- gp_neighbours_among(x[-data, , drop = FALSE], x[data, , drop = FALSE], min(m, length(data)))
  near[p$by[near] != code[-data][col(near)]] <- NA
  near
}

# f(p, rows, at) for each replicate among new places, with the locations of p in it, whose rows are `at`.
each_replicate <- function(p, by, f) {
  label <- ifelse(is.na(by$code), paste("new", by$label), by$code)
  for (level in unique(label)) {
    rows <- which(label == level)
    at <- which(p$by %in% by$code[rows[1L]])
    one <- p
    one$by <- NULL
    one$xy <- p$xy[at, , drop = FALSE]
    one$diagonal <- p$diagonal[at]
    f(one, rows, at)
  }
}

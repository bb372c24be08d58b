# Linear models of coregionalisation of package gstat, both ways: lists of its models, of each variable by its name
# and of each pair by both names with a point between them, as an object by gstat::gstat() has them in the component
# model. In all of them the structures are the same but for psill, whose matrices are positive semidefinite.

several_vgm <- function(model) {
  model <- coregionalisation(model)
  p <- variable_count(model)
  ids <- vgm_ids(model)
  rows <- lapply(model$parts, vgm_row)
  nugget <- if (is.matrix(model$nugget)) model$nugget else diag(model$nugget, p)
  pairs <- pairs_of(p)
  models <- lapply(seq_len(nrow(pairs)), function(k) {
    i <- pairs[k, 1L]
    j <- pairs[k, 2L]
    own <- Map(function(row, sill) replace(row, "psill", sill), rows, model$sill[i, j, ])
    vgm_frame(own, if (!identical(as.vector(nugget), numeric(p * p))) nugget[i, j])
  })
  stats::setNames(models, vgm_names(ids))
}

vgm_ids <- function(model)
  if (is.null(model$variable)) paste0("var", seq_len(variable_count(model))) else model$variable

# In the order of pairs_of().
vgm_names <- function(ids) {
  pairs <- pairs_of(length(ids))
  ifelse(pairs[, 1L] == pairs[, 2L], ids[pairs[, 1L]], paste(ids[pairs[, 1L]], ids[pairs[, 2L]], sep = "."))
}

# Matern models of one range and smoothness are correlations times a matrix.
coregionalisation <- function(model) {
  if (model$name == "lmc") return(model)
  one <- c(smoothness = "fixed = list(smoothness = 0.5)", range = "one range")
  for (base in names(one)) if (length(unique(model[[base]])) > 1L) input_error(base, model[[base]], paste(
    "differs among the variables, whose structures are the same in gstat: a fit with", one[[base]],
    "or of covModel(\"lmc\") has an equal there"))
  part <- unclass(model)[c("distance", "angle", "ratio", "scales", "radius", "rotation", "scaling")]
  part <- c(list("matern", range = model$range[1L], smoothness = model$smoothness[1L]), Filter(Negate(is.null), part))
  sd <- sqrt(model$variance)
  covModel("lmc", parts = list(do.call(covModel, part, quote = TRUE)), sill = list(model$correlation * outer(sd, sd)),
           nugget = model$nugget, variable = model$variable)
}

# ---- from gstat ----

is_vgm_list <- function(x) inherits(x, "gstat") || is.list(x) && !is.object(x) && length(x) > 0L &&
  all(vapply(x, inherits, NA, "variogramModel"))

# `given` are the arguments of covModel() besides.
vgm_models <- function(x, given) {
  models <- if (inherits(x, "gstat")) x$model else x
  ids <- if (inherits(x, "gstat")) names(x$data) else listed_ids(names(models))
  absent <- setdiff(ids, names(models))
  if (length(absent)) raise_engine_error("input", sprintf(
    "%s has no variogram model: gstat::gstat(g, model = ) and gstat::fit.lmc() give one to each variable and pair",
    absent[1L]))
  if (length(ids) == 1L) return(vgm_model(models[[ids]], given))
  names <- vgm_names(ids)
  absent <- setdiff(names, names(models))
  if (length(absent) && any(setdiff(names, ids) %in% names(models))) raise_engine_error("input", sprintf(
    "%s has no variogram model, and other pairs have: all need one, or none where variables are independent",
    absent[1L]))
  refuse_for_vgm(given)
  tables <- lapply(stats::setNames(names, names), function(name) vgm_table(models[[name]], given))
  parts <- list()
  for (table in tables) for (part in table$parts)
    if (!any(vapply(parts, identical, NA, part))) parts <- c(parts, list(part))
  check_shared(tables, parts, ids)
  of_pairs <- function(values) {
    x <- matrix(0, length(ids), length(ids))
    x[pairs_of(length(ids))[, 2:1]] <- values
    symmetric(x)
  }
  sill <- lapply(parts, function(part) of_pairs(vapply(tables, function(table) part_sill(table, part), 0)))
  nugget <- of_pairs(vapply(tables, `[[`, 0, "nugget"))
  apart <- identical(nugget[upper.tri(nugget)], numeric(sum(upper.tri(nugget))))
  if (!length(parts)) {
    parts <- list(do.call(covModel, c(list("exponential", range = 1), given[names(given) != "mean"])))
    sill <- list(0 * diag(length(ids)))
  }
  do.call(covModel, c(list("lmc", parts = parts, sill = sill, nugget = if (apart) diag(nugget) else nugget,
                           variable = ids), given["mean"[!is.null(given$mean)]]), quote = TRUE)
}

# Structures at unit variance, with their variances, and the nugget; none of a pair that has no model.
vgm_table <- function(v, given) {
  if (is.null(v)) return(list(parts = list(), psill = numeric(), nugget = 0))
  check_vgm(v)
  noise <- as.character(v$model) %in% c("Nug", "Err")
  rows <- lapply(which(!noise), function(i) replace(as.list(v[i, vgm_columns]), "psill", 1))
  list(parts = lapply(rows, vgm_part, given[names(given) != "mean"]), psill = v$psill[!noise],
       nugget = sum(v$psill[noise]))
}

part_sill <- function(table, part) sum(table$psill[vapply(table$parts, identical, NA, part)])

# A structure of a pair belongs to both variables.
check_shared <- function(tables, parts, ids) {
  pairs <- pairs_of(length(ids))
  has <- function(name, part) any(vapply(tables[[name]]$parts, identical, NA, part))
  for (k in which(pairs[, 1L] != pairs[, 2L])) for (part in tables[[k]]$parts) for (id in ids[pairs[k, ]])
    if (!has(id, part)) raise_engine_error("input", sprintf(paste(
      "the model of %s has %s, and that of %s has not: a linear model of coregionalisation, as gstat::fit.lmc()",
      "makes it, has the same structures in all"), names(tables)[k], format_part(part, 4L), id))
}

# Names of variables among those of a list, in which pairs have names of two.
listed_ids <- function(names) {
  pairs <- outer(names, names, paste, sep = ".")
  ids <- names[!names %in% pairs[row(pairs) != col(pairs)]]
  if (!length(names) || anyDuplicated(names) || !length(ids) || length(setdiff(names, vgm_names(ids)))) input_error(
    "name", if (length(names)) toString(names) else "list", paste(
      "must be models with the names of variables, and of pairs as a.b, or an object by gstat::gstat()"))
  ids
}

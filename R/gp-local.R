# Fits of Gaussian processes whose parameters follow covariates (R/cov-local.R): where their search begins, and maps.

# What is asked for with its points, behind whose coordinates are the columns of formulas.
with_places <- function(ask, points) {
  ask$points <- points
  if (is.null(points$local)) return(ask)
  ask$points$xy <- cbind(points$xy, points$local)
  ask$model <- local_moments(ask$model, points$local)
  if (!is.null(points$coords)) ask$model$axes <- points$coords$names
  ask
}

has_local_sill <- function(model) any(c("variance", "nugget") %in% names(model$local))

# The maximum of the model without slopes, in which parameters with a formula are numbers: coefficients that are not
# known begin where those of the same columns are nearest to it by least squares, with a constant among them at 0.
local_starts <- function(fit, own, s, unknown) {
  v <- s$rows$value
  if (!length(unknown) || !is.null(fit$parameters)) return(list(v)) # of a fit that is there, with a value held
  model <- own$task$model
  rows <- s$rows
  part <- local_part(model)
  targets <- names(model$local)
  plain <- rows$name[rows$kind != "coefficient"]
  part[plain] <- as.list(v[match(plain, rows$name)])
  part[targets] <- NA_real_
  if ("angle" %in% targets && !"ratio" %in% unknown) part$ratio <- v[rows$name == "ratio"]
  fixed <- plain[own$task$fixed[plain]]
  same <- list(model = structure(part, class = "covModel"), start = NULL,
               fixed = stats::setNames(as.list(v[match(fixed, rows$name)]), fixed))
  if (!"angle" %in% targets && isTRUE(part$ratio == 1)) same$fixed[c("angle", "ratio")] <- NULL
  found <- uninterrupted(suppressMessages(suppressWarnings(gp_fit(
    fit$y, fit$X, fit$offset, plain_points(fit$x), same, fit$estimator, fit$method, fit$m,
    penalty = isTRUE(fit$penalty), error.variance = fit$error.variance))))
  known <- covariance_values(structure(found, class = "gpFit"))
  numbers <- intersect(plain, unknown)
  v[match(numbers, rows$name)] <- unlist(known[numbers])
  none <- rows$kind == "sill" & rows$name %in% numbers & v < 1e-6 * s$scales$variance # no place to begin at
  v <- off_bounds(replace(v, none, 0.01 * s$scales$variance), s)
  at <- local_places(model, ncol(fit$x))
  for (p in targets) {
    all <- which(rows$base == paste0("local.", p))
    open <- all[rows$name[all] %in% unknown]
    if (!length(open)) next
    X <- own$p$xy[, at[[p]], drop = FALSE]
    value <- known[[p]]
    if (p %in% c("variance", "nugget")) value <- max(value, 1e-3 * s$scales$variance) # 0 has no logarithm
    rest <- setdiff(all, open)
    given <- drop(X[, match(rest, all), drop = FALSE] %*% v[rest])
    left <- (if (p == "angle") value else log(value)) - given
    nearest <- stats::lm.fit(X[, match(open, all), drop = FALSE], left)$coefficients
    v[open] <- ifelse(is.na(nearest), 0, nearest)
  }
  # a smoothness of the search of numbers may be one at its end, and beyond what follows covariates
  own <- which(rows$name == "smoothness.(Intercept)" & rows$name %in% unknown)
  if (length(own)) v[own] <- min(max(v[own], log(0.05)), log(10))
  sloped_starts(v, rows, unknown, model)
}

# The likelihood often has a maximum for ranges that grow with a covariate and another one for those that fall: the
# start itself, and others in which the logarithm of the range has a slope of 1 or -1 by the standard deviation of a
# column, and at the mean of that the same value.
sloped_starts <- function(v, rows, unknown, model) {
  all <- which(rows$base == "local.range")
  known <- model$local$range
  constant <- match("(Intercept)", known$columns)
  free <- is.na(constant) || rows$name[all[constant]] %in% unknown
  columns <- which(rows$name[all] %in% unknown & known$spread > 0)
  more <- lapply(columns, function(j) lapply(c(1, -1) / known$spread[j], function(slope) {
    v[all[j]] <- v[all[j]] + slope
    if (!is.na(constant) && free) v[all[constant]] <- v[all[constant]] - slope * known$square[constant, j]
    v
  }))
  c(list(v), unlist(more, recursive = FALSE))
}

# With what is taken for coefficients: a ridge, half the squares of slopes times the standard deviations of their
# columns, and of parameters that follow covariates the averages of the penalties at the locations.
local_penalty <- function(found, v, s, sill) {
  p <- s$about$problem
  rows <- s$rows
  part <- p$parts[[1L]]
  inside <- rows$kind[s$at] == "coefficient"
  found$slope[inside] <- 0
  curvature <- diag(replace(found$curvature, inside, 0), length(s$at))
  at <- local_places(part, p$metric$dim)
  for (target in names(part$local)) {
    all <- which(rows$base == paste0("local.", target))
    own <- match(all, s$at)
    X <- p$xy[, at[[target]], drop = FALSE]
    ridge <- part$local[[target]]$spread^2
    found$value <- found$value + sum(ridge * v[all]^2) / 2
    slope <- ridge * v[all]
    more <- diag(ridge, length(all))
    ends <- switch(target, smoothness = log(c(0.2, 4)), range = log(c(s$scales$space[1L], s$scales$diagonal)),
                   nugget = c(log(1e-3 * sill), Inf), c(-Inf, Inf))
    eta <- drop(X %*% v[all])
    below <- pmax(ends[1L] - eta, 0)
    above <- pmax(eta - ends[2L], 0)
    found$value <- found$value + mean(0.1 * below^2 + above^2)
    slope <- slope + colMeans((2 * above - 0.2 * below) * X)
    more <- more + crossprod(X, (2 * (above > 0) + 0.2 * (below > 0)) * X) / nrow(X)
    free <- !is.na(own)
    found$slope[own[free]] <- slope[free]
    curvature[own[free], own[free]] <- more[free, free]
  }
  replace(found, "curvature", list(curvature))
}

# ---- standard errors ----

# Directions of the coefficients of a logarithm, a list for each of these parameters: `own`, their numbers among those
# of the information, `basis`, a column for each direction, whose logarithms have a mean square of 1, and in which
# of them, `none`, the likelihood is flat, as for a nugget that is next to nothing everywhere, or of a level of a
# factor: a standard error of the logarithm above 1e4. Without a bound, a search ends anywhere on the way there.
local_directions <- function(information, rows, model) {
  used <- match(rownames(information), rows$name)
  lapply(setdiff(names(model$local), "angle"), function(p) {
    all <- which(rows$base == paste0("local.", p))
    own <- which(used %in% all & !is.na(diag(information)))
    at <- match(used[own], all)
    square <- model$local[[p]]$square[at, at, drop = FALSE]
    if (!length(own)) return(list(own = own, basis = square, none = logical()))
    back <- backsolve(chol(square), diag(length(own)))
    e <- eigen(crossprod(back, information[own, own, drop = FALSE] %*% back), symmetric = TRUE)
    list(own = own, basis = back %*% e$vectors, none = e$values < 1e-8)
  })
}

# The ends of `rows`, with those of coefficients of a nugget each of which alone changes nothing.
local_ends <- function(information, rows, model) {
  own <- rows$base == "local.nugget" & rows$name %in% rownames(information)
  if (!any(own)) return(rows$end)
  unit <- diag(model$local$nugget$square)[rows$element[own]]
  idle <- diag(information)[rows$name[own]] < 1e-8 * unit
  constant <- endsWith(rows$name[own], ".(Intercept)")
  if (any(idle & constant)) idle <- idle & constant # slopes of what is nothing have no end
  replace(rows$end, which(own)[idle], ifelse(constant | rows$value[own] < 0, "lower", "upper")[idle])
}

# The inverse of the information with flat directions taken for known, as parameters on a boundary are; coefficients
# with a part in such a direction have no standard error.
local_inverse <- function(information, rows, model) {
  value <- information * NA
  known <- !is.na(diag(information))
  space <- diag(nrow(information))
  flat <- rep(FALSE, nrow(information))
  for (d in local_directions(information, rows, model)) {
    space[d$own, d$own] <- d$basis
    flat[d$own[d$none]] <- TRUE
  }
  apart <- function(columns) rowSums(abs(space[, columns, drop = FALSE])) > 1e-6 * sqrt(rowSums(space^2))
  seen <- which(known & !flat)
  if (!length(seen)) return(value)
  part <- space[known, seen, drop = FALSE]
  inverse <- inverse_or_na(crossprod(part, information[known, known, drop = FALSE] %*% part))
  told <- !is.na(diag(inverse))
  at <- known & !apart(which(flat)) & !apart(seen[!told])
  part <- space[at, seen[told], drop = FALSE]
  value[at, at] <- part %*% inverse[told, told, drop = FALSE] %*% t(part)
  value
}

# ---- Vecchia's approximation, with neighbours in plain distance ----

local_rows <- function(p, diagonal, columns, members, weights)
  .Call(C_localGiven, local_among(p, p$xy),
        list(members = members, diagonal = as.double(diagonal), columns = columns), weights)

# As vecchia_sums(); in place of a pointer there are the members.
local_sums <- function(p, names) {
  v <- p$vecchia
  order <- v$order
  p$xy <- p$xy[order, , drop = FALSE]
  own <- if (length(names)) local_slopes(p, names, p$xy) else list(field = integer(), by = matrix(0, 0L, 0L))
  columns <- cbind(v$y, v$basis)[order, , drop = FALSE]
  found <- .Call(C_localSums, local_among(p, p$xy), list(members = v$pointer, diagonal = p$diagonal[order],
                                                         columns = columns), own$field, own$by)
  set_sums(found, ncol(columns), v$contrast, length(names))
}

# What is for parameters that are numbers.
refuse_local <- function(fit, what, instead) if (is_local(fit$cov)) raise_engine_error("input", sprintf(
  "%s is for fits whose covariance does not follow covariates: %s", what, instead))

local_text <- function(model) sprintf("%s, %s", families[[model$name]]$base, toString(vapply(
  names(model$local), function(p) paste(p, deparse1(model$local[[p]]$formula)), "")))

# ---- maps ----

local_views <- c(sd = "variance", range = "range", smoothness = "smoothness")

local_plot <- function(fit, view, palette, key, ..., main = paste("Local", view)) {
  value <- local_value(fit_problem(fit), local_views[[view]], fit_places(fit))
  if (view == "sd") value <- sqrt(value)
  xy <- fit$x
  colnames(xy) <- gp_axes(fit)
  if (ncol(xy) == 1L) return(first_call(list(x = xy[, 1L], y = value, main = main, ...),
                                        list(xlab = colnames(xy), ylab = view)))
  points_plot(xy, value, palette, key, gp_recipe(fit), main = main, ...)
}

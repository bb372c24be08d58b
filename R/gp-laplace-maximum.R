# What is known at the maximum of a likelihood by Laplace's approximation, and whether it is that of a simpler model.

# Of the correction of a log likelihood. One has a standard deviation of 0.2 at 10,000 locations, of 0.9 at 100,000
# (bench/gp-laplace.R), and all probes together an eighth of that.
laplace_probes <- 64L

# Maxima in a limit are those of a model in which some parameters have the values that they have there.
laplace_result <- function(found, fit, own, made) {
  for (limit in list(laplace_without_process, laplace_without_variation, laplace_without_nugget,
                     laplace_without_effects, laplace_at_end)) {
    held <- limit(found, own, made)
    if (is.null(held)) next
    kept <- setdiff(c(own_names(fit$family), fit$groups$variances), c(own$about$task$searched, names(held$fixed)))
    held$fixed[kept] <- as.list(own$starts[[1L]][match(kept, own$about$rows$name)])
    covariance <- held$rows$part > 0L
    model <- set_parameters(own$ask$model, held$rows$value[covariance], held$rows[covariance, ])
    limited <- tryCatch(gp_fit(own$y, fit$X, fit$offset, own$ask$points,
                               list(model = model, fixed = held$fixed, start = group_values(held, fit$groups)),
                               method = fit$method, m = fit$m, family = fit$family, trials = fit$trials,
                               beside = beside_of(fit)), statcl_error_input = function(e) NULL)
    if (is.null(limited) || limited$loglik - limited$loglik.correction <= held$least) next
    k <- length(limited$coefficients)
    limited$parameters$fixed[k + match(held$open, held$rows$name)] <- FALSE
    limited$parameters$boundary[k + match(held$lower, held$rows$name)] <- "lower"
    limited$df <- limited$dimension <- limited$df + length(held$open)
    if (held$counts) limited[c("iterations", "evaluations")] <- found[c("iterations", "evaluations")]
    return(list(instead = limited))
  }
  laplace_maximum(found, fit, own, made)
}

laplace_maximum <- function(found, fit, own, made) {
  rows <- own$about$rows
  rows$value <- found$v
  mean <- rows$kind == "coefficient"
  l <- made$laplace
  l$own <- own_values(l$family, found$v, rows)
  x <- known_design(fit)
  beta <- if (any(mean)) without_basis(l, found$v[mean]) else numeric()
  eta <- fit$offset + if (ncol(x)) drop(x %*% beta) else 0
  p <- gp_at(made, laplace_model(own$about$task, found$v, rows))
  effects <- rows$value[rows$kind == "effect"]
  e <- laplace_at(p, unname(eta), l$own, effects)
  if (!is.finite(e$value)) refuse_start(p, list(rows = rows), c(found["v"], e[c("bad", "said")]))
  rows$end <- ""
  known <- family_parameters(l$family)
  for (k in which(rows$name %in% intersect(own_names(l$family), own$about$task$searched))) {
    name <- names(known)[match(rows$name[k], own_names(l$family))]
    if (is.null(known[[name]]$limit)) next
    limit <- own_limit(known[[name]], l)
    there <- laplace_at(p, unname(eta), replace(l$own, name, limit), effects)
    if (!isTRUE(there$value > e$value - 1e-3)) next # as for a process without variance
    rows$value[k] <- found$v[k] <- l$own[[name]] <- limit[[1L]]
    rows$end[k] <- names(limit)
    e <- there
  }
  correction <- -e$factor$correction(laplace_probes) / 2
  eta <- eta + latent_of(l, e$w)
  rows$end[match(names(found$ends), rows$name)] <- found$ends
  width <- rows$upper - rows$lower
  close <- is.finite(width) & rows$name %in% own$about$task$searched
  rows$end[close & rows$upper - rows$value < 1e-5 * width] <- "upper"
  rows$end[close & rows$value - rows$lower < 1e-5 * width] <- "lower"
  vcov <- laplace_information(found, rows, made)
  own_mean <- rownames(vcov) %in% rows$name[mean]
  rownames(vcov)[own_mean] <- colnames(vcov)[own_mean] <- colnames(x)
  seen <- unname(x)
  # as of logits; the unit is that of most responses, which may be one value
  spread <- if (l$family$link == "identity") max(l$unit, stats::sd(l$y), na.rm = TRUE) else l$unit
  far <- !isTRUE(all(rowSums((seen %*% vcov[own_mean, own_mean]) * seen) < (50 * spread)^2))
  if (far && any(!is.na(vcov)))
    warn("the responses do not determine the mean: they may be separated, by the covariates or by the process, ",
         "whose variance is then large")
  known <- !own_mean & !is.na(diag(vcov))
  fitted <- family_mean(l$family, eta, own_at(l$own, l$cases$zero))
  l$own <- zero_natural(l$own, l$zero.root)
  rows$value[match(own_names(l$family), rows$name)] <- l$own
  labels <- rownames(fit$X)
  list(cov = p$model, rows = rows[!mean, ], beta = beta, vcov = vcov[own_mean, own_mean, drop = FALSE],
       vcov.cov = vcov[known, known, drop = FALSE], cross = vcov[own_mean, known, drop = FALSE],
       loglik = e$value + correction[1L], loglik.correction = correction[1L], loglik.error = abs(correction[2L]),
       own = l$own, shape = if ("shape" %in% names(l$own)) l$own[["shape"]] else 1,
       latent = e$w[process_rows(l)], sites = if (fit$approximation == "ep") e$terms$weight,
       effects = if (!is.null(l$groups)) e$w[effect_rows(l)],
       linear.predictors = stats::setNames(eta, labels),
       fitted.values = stats::setNames(fitted, labels),
       residuals = stats::setNames(l$y / l$trials - fitted, labels), m = made$vecchia$m, block = 1,
       neighbour.metric = made$vecchia$metric, latent.x = unname(made$xy), latent.by = made$by,
       location = l$location,
       y = if (has_trials(l$family)) own$y / fit$trials else own$y)
}

# The covariance matrix of the estimates by the second derivatives of the likelihood: differences of its gradient, on
# the scale of the search, over 0.002 standard errors, of which the third derivatives make a thousandth.
laplace_information <- function(found, rows, made) {
  s <- found$space
  at <- s$at
  names <- rows$name[at]
  none <- matrix(NA_real_, length(at), length(at), dimnames = list(names, names))
  used <- which(!nzchar(rows$end[at]) | rows$kind[at] == "coefficient")
  if (!length(used)) return(none)
  t <- search_start(found$v, s)
  value <- function(t) laplace_value(search_point(t, s), made, s$rows)
  here <- value(t)
  if (is.null(here$gradient)) return(none)
  by <- 0.002 / sqrt(diag(here$information))
  by[!is.finite(by) | by > 0.02] <- 0.02
  h <- vapply(used, function(i) {
    e <- value(replace(t, i, t[i] + by[i]))
    if (is.null(e$gradient)) rep(NA_real_, length(used)) else ((here$gradient - e$gradient) / by[i])[used]
  }, numeric(length(used)))
  h <- matrix(h, length(used))
  h <- (h + t(h)) / 2
  h[, diag(h) < 1e-8] <- h[diag(h) < 1e-8, ] <- NA
  none[used, used] <- inverse_or_na(h)
  # on a ridge, or where the search has not come to a maximum, errors of coefficients are those given the others, by
  # second derivatives or by the information
  mean <- rows$kind[at[used]] == "coefficient"
  lost <- mean & is.na(diag(none)[used])
  if (any(lost)) {
    none[used[mean], used] <- none[used, used[mean]] <- 0
    none[used[mean], used[mean]] <- inverse_or_na(h[mean, mean, drop = FALSE])
    if (anyNA(diag(none)[used[mean]]))
      none[used[mean], used[mean]] <- bounded_inverse(here$information[used[mean], used[mean], drop = FALSE])
  }
  jacobian <- search_point(t, s)$jacobian
  mean <- which(rows$kind[at] == "coefficient")
  l <- made$laplace
  if (length(mean)) jacobian[mean, mean] <- backsolve(l$root, diag(length(mean)))[order(l$pivot), ]
  zero <- which(is_zero_coefficient(rows$name[at]))
  own <- match(rows$name[at][zero], Filter(is_zero_coefficient, own_names(l$family)))
  if (length(zero)) jacobian[zero, zero] <- solve(l$zero.root[own, own])
  known <- !is.na(diag(none))
  none[known, known] <- jacobian[known, known] %*% none[known, known] %*% t(jacobian[known, known])
  none
}

# The inverse where combinations of coefficients that are not determined, as those of a group without counts in a
# hurdle model, get large errors: other combinations then keep theirs.
bounded_inverse <- function(information) {
  e <- eigen(information, symmetric = TRUE)
  if (!isTRUE(e$values[1L] > 0)) return(information * NA)
  tcrossprod(e$vectors * rep(1 / sqrt(pmax(e$values, 1e-9 * e$values[1L])), each = nrow(information)))
}

# Is the likelihood no higher than that of the generalised linear model, its limit for variances of 0? There the
# search ends anywhere, as the other parameters are of no process, and those without a bound get values on the scale
# of the locations. NULL, or `rows` with the values of the limit, all of which are `fixed`, the parameters that were
# `open` and, of these, those at their `lower` bound, and the `least` likelihood for which it counts.
laplace_without_process <- function(found, own, made) {
  rows <- maximum_rows(found, own)
  sill <- rows$kind == "sill"
  open <- rows$name %in% own$about$task$free
  if (found$interrupted || !all((open | rows$value %in% 0)[sill])) return(NULL)
  if (!any(open & rows$parameter == "variance")) return(NULL)
  if (!all(idle_processes(found, own, made, 0.01))) return(NULL) # a plain shift of all locations is an intercept
  grouped <- any(rows$kind == "effect") # then it is the fit without a process that tells
  other_link <- is_single_binary(own$l) && sum(rows$value[sill]) > 0.01 * own$l$unit^2
  margin <- if (other_link) 0.5 else 1e-3
  if (!grouped && found$value >= own$none + margin) return(NULL)
  rows$value[sill] <- 0
  rows <- bounded_lengths(rows, open, found$space$scales)
  process <- rows$part > 0L
  open <- open & process
  list(rows = rows, fixed = stats::setNames(as.list(rows$value), rows$name)[process], open = rows$name[open],
       lower = rows$name[open & sill], least = if (grouped) found$value - margin else -Inf, counts = TRUE)
}

# Lengths that mean nothing, on the scale of the locations.
bounded_lengths <- function(rows, open, scales) {
  length <- which(open & rows$kind == "length" & is.infinite(rows$upper))
  longest <- ifelse(rows$inside[length] == "time", scales$time[2L], scales$space[2L])
  rows$value[length] <- pmin(rows$value[length], longest)
  rows
}

# Are responses 0 or 1, or cut at one point, one at each location? They tell nothing of a process without correlation,
# which only makes another link of the one that was chosen: what the likelihood gains by that, far less than half a
# unit, is no process.
is_single_binary <- function(l) !anyDuplicated(l$location) && if (is.null(l$cases$from)) {
  has_trials(l$family) && all(l$trials == 1)
} else {
  end <- ifelse(is.finite(l$cases$from), l$cases$from, l$cases$to)
  all(is.finite(l$cases$from) != is.finite(l$cases$to) & end == end[1L])
}

# Processes that have next to no variance on the scale of the linear predictor, of which it is a `share`, or that are
# what errors of normal responses are, or another link of binary ones: without correlation, and with one observation
# at each location.
idle_processes <- function(found, own, made, share) {
  rows <- maximum_rows(found, own)
  sill <- rows$kind == "sill"
  of <- if (is.null(own$p$of)) rep(1L, sum(sill)) else own$p$of[rows$part[sill]]
  size <- if (is.null(own$p$of)) 1 else own$p$size
  idle <- as.vector(tapply(rows$value[sill], of, sum)) * size <= share * own$l$unit^2
  errors <- paste0("family.", family_entry(own$l$family)$errors) %in% own$about$task$searched
  if (idle[1L] || !is_single_binary(own$l) && (!errors || anyDuplicated(own$l$location))) return(idle)
  p <- gp_at(made, laplace_model(own$about$task, found$v, own$about$rows))
  one <- above_zero(process_problem(p, 1L))
  prior <- process_prior(p, one)
  replace(idle, 1L, prior[[3L]] == 0 && mean(prior[[1L]][[1L]]) > 0.98 * process_variance(one))
}

# The same of some of several processes.
laplace_without_variation <- function(found, own, made) {
  rows <- maximum_rows(found, own)
  if (found$interrupted || is.null(own$p$of)) return(NULL)
  open <- rows$name %in% own$about$task$free
  own_process <- c(NA, own$p$of)[1L + pmax(rows$part, 0L)]
  held <- own_process[rows$kind == "sill" & !open & rows$value > 0]
  none <- own_process %in% setdiff(which(idle_processes(found, own, made, 1e-3)), held)
  open <- open & none
  if (!any(open & rows$kind == "sill")) return(NULL)
  rows$value[none & rows$kind == "sill"] <- 0
  rows <- bounded_lengths(rows, open, found$space$scales)
  list(rows = rows, fixed = as.list(replace(own$held, rows$name[none], rows$value[none])), open = rows$name[open],
       lower = rows$name[open & rows$kind == "sill"], least = found$value - 1e-3, counts = FALSE)
}

# The same of grouped effects whose variance is next to nothing.
laplace_without_effects <- function(found, own, made) {
  rows <- maximum_rows(found, own)
  none <- rows$name %in% intersect(own$l$groups$variances[
    rows$value[rows$kind == "effect"] < 1e-3 * effect_units(own$l)], own$about$task$searched)
  if (found$interrupted || !any(none)) return(NULL)
  rows$value[none] <- 0
  process <- rows$part > 0L
  held <- if (isTRUE(own$held)) stats::setNames(rows$value[process], rows$name[process]) else own$held
  list(rows = rows, fixed = as.list(replace(held, rows$name[none], 0)), open = rows$name[none],
       lower = rows$name[none], least = found$value - 1e-3, counts = FALSE)
}

# The same of a nugget that is next to nothing: observations at one location then have one value.
laplace_without_nugget <- function(found, own, made) {
  rows <- maximum_rows(found, own)
  none <- rows$name %in% own$about$task$free & rows$parameter == "nugget"
  if (!any(none) || sum(rows$value[none]) >= 1e-4 * sum(rows$value[rows$parameter == "variance"])) return(NULL)
  rows$value[none] <- 0
  list(rows = rows, fixed = replace(own$held, rows$name[none], 0), open = rows$name[none], lower = rows$name[none],
       least = found$value - 1e-3, counts = FALSE)
}

# The same of a parameter of the family that goes to the lower end of its search, as theta of truncated counts: on the
# ridge on which coefficients go with it, a search ends anywhere.
laplace_at_end <- function(found, own, made) {
  low <- vapply(family_parameters(own$l$family), function(known) !is.null(known$small), NA)
  name <- intersect(own_names(own$l$family)[low], own$about$task$searched)
  rows <- own$about$rows
  rows$value <- found$v
  rows <- rows[rows$kind != "coefficient", ]
  at <- match(name, rows$name)
  if (found$interrupted || length(at) != 1L || rows$value[at] > 0.1) return(NULL)
  rows$value[at] <- exp(laplace_ends(own$l)$positive[1L])
  process <- rows$part > 0L
  held <- if (isTRUE(own$held)) stats::setNames(rows$value[process], rows$name[process]) else own$held
  list(rows = rows, fixed = as.list(replace(held, name, rows$value[at])), open = name, lower = name,
       least = found$value - 1e-3, counts = FALSE)
}

# Those of the covariance, and variances of grouped effects.
maximum_rows <- function(found, own) {
  rows <- own$about$rows
  rows$value <- found$v
  rows[rows$part > 0L | rows$kind == "effect", ]
}

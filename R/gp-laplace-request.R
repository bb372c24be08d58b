# What a fit by Laplace's approximation asks for, and where its search begins.

# A fit that is there asks for its own maximum.
laplace_request <- function(fit, ask) {
  new <- !is.null(ask)
  if (!new) {
    values <- covariance_values(fit)
    held <- covariance_rows(fit)$fixed
    ask <- list(model = fit$cov, fixed = values[held], start = values[!held], points = plain_points(fit$x))
    fit$y <- responses_of(fit)
  }
  check_laplace(fit, ask$model)
  check_named_parameters(ask, c(fit$groups$variances, own_names(fit$family)))
  own <- fixed_own(ask$fixed, ask$start, fit$family, has_constant(known_design(fit)))
  effects <- fixed_groups(own$fixed, own$start, fit$groups)
  nugget <- laplace_nugget(ask$model, effects$fixed, effects$start)
  p <- gp_problem(known_model(ask$model), ask$points, NULL)
  task <- fit_task(ask$model, nugget$fixed, effects$start, p)
  if (new) check_errors_apart(fit, task, c(fit$groups$variances[effects$free], own_names(fit$family)[own$free]))
  check_anisotropy(p, task$free)
  l <- laplace_design(fit, ask$points$xy, nugget$zero)
  l$still <- !length(task$free)
  first <- !duplicated(l$location)
  p$xy <- p$xy[first, , drop = FALSE]
  p$by <- fit$by$code[first]
  check_replicates(fit$by, p$by, task)
  p[c("of", "size")] <- fit$varying[c("of", "size")]
  p$unit <- l$unit
  check_varying(fit, nugget)
  if (new) check_censored(l, own, known_design(fit))
  found <- zero_search(l, own)
  l <- found$l
  own <- found$own
  l <- centred_design(l)
  plain <- plain_fit(known_design(fit), l, own)
  l$own <- plain$own
  l$effects <- group_starts(l$groups, effects$value, plain, l$unit^2)
  starts <- lapply(laplace_starts(p, l, plain, task), function(v) unname(c(v, l$effects, plain$mean, l$own)))
  known <- cov_parameters(model_parts(task$model))
  p <- gp_at(p, set_parameters(p$model, starts[[1L]][seq_len(nrow(known))], known))
  asked <- asked_problem(p, task)
  rows <- laplace_all_rows(cov_parameters(asked$parts), l)
  task$v <- rows$value
  task$searched <- c(task$free, l$groups$variances[effects$free], rows$name[rows$kind == "coefficient"],
                     own_names(l$family)[own$free])
  list(p = p, l = l, y = fit$y, ask = ask, held = nugget$fixed,
       none = plain$none, starts = starts,
       m = if (fit$method == "exact") laplace_exact(fit$nobs) else fit$m,
       few = if (length(task$free) && nrow(p$xy) > most_exact_laplace) few_neighbours,
       about = list(problem = asked, rows = rows, data = linear_scale(p), task = task, scaled = FALSE, inside = TRUE,
                    ends = laplace_ends(l), usual = usual_own(l), spread = if (!is.null(l$groups)) stats::setNames(
                      sqrt(l$unit^2 / effect_units(l)), l$groups$variances)))
}

# Of the search, on its scale: coefficients are in units of the linear predictor, variances in those of its square,
# and own parameters are bounded from the least to the most that responses of their size may need.
laplace_ends <- function(l) {
  size <- family_entry(l$family)$size
  around <- if (is.null(size)) c(1, 1) else range(1, size(l$y))
  limits <- unlist(lapply(unname(family_parameters(l$family)), own_limit, l))
  far <- max(1e8 * around[2L], limits[names(limits) == "upper"])
  variances <- function(units) log(c(1e-8 * min(units), 1e9 * max(units)))
  list(sill = variances(l$unit^2 / if (is.null(l$varying)) 1 else colMeans(l$varying^2)),
       effect = variances(effect_units(l)), positive = log(c(1e-3 * around[1L], far)), coefficient = c(-50, 50) *
         if (l$unit == 1) 1 else max(1, max(abs(l$y - l$offset)) / l$unit))
}

# By the names of rows.
usual_own <- function(l) {
  usual <- family_entry(l$family)$usual
  if (is.null(usual)) return(NULL)
  value <- usual(l$y)
  stats::setNames(value, own_names(l$family)[match(names(value), names(family_parameters(l$family)))])
}

# The size of differences of linear predictors: responses have their own with the link identity. Where more than half
# are equal, as those below a limit of detection, it is that of the others.
linear_unit <- function(family, y) {
  if (family$link != "identity") return(1)
  away <- abs(y - stats::median(y))
  if (all(away == 0)) return(if (y[1L] == 0) 1 else abs(y[[1L]])) # limits that are all the same
  usual <- stats::median(away)
  max(1.4826 * if (usual > 0) usual else stats::median(away[away > 0]), 1e-3 * stats::sd(y))
}

# Values of the size that a linear predictor has.
linear_scale <- function(p) list(y = rep_len(c(-1, 1) * p$unit, nrow(p$xy)))

check_laplace <- function(fit, model) {
  refused <- paste("is for", plain_normal(fit$family))
  if (fit$penalty) input_error("penalty", fit$penalty, refused)
  if (fit$block != 1) input_error("block", fit$block, refused)
  if (fit$estimator != "ML")
    input_error("estimator", fit$estimator, sprintf("must be \"ML\": \"REML\" %s", refused))
  if (!is.null(fit$error.variance)) raise_engine_error("input", sprintf(
    "error.variance %s%s", refused, if (fit$family$family == "gaussian") "" else paste(", not", fit$family$family)))
  if (has_labels(model)) input_error("family", fit$family$family, if (is_local(model)) paste(
    "is not for parameters that follow covariates: these are for normal responses without (1 | group), by, varying",
    "and censoring") else "is for models of one variable")
  check_no_mean(model)
}

# The data, with an orthogonal basis of the mean, and at which location of the process each observation is: a nugget
# gives each of them a value of its own.
laplace_design <- function(fit, xy, together) {
  l <- list(family = fit$family, y = unname(fit$y), trials = unname(fit$trials), offset = unname(fit$offset),
            groups = fit$groups, varying = fit$varying$value, cases = fit$cases, approximation = fit$approximation,
            unit = linear_unit(fit$family, fit$y))
  l <- mean_design(l, known_design(fit))
  id <- if (together) place_numbers(cbind(xy, fit$by$code)) else seq_len(fit$nobs)
  l$location <- match(id, unique(id))
  l
}

mean_design <- function(l, X) {
  if (!ncol(X)) return(replace(l, c("basis", "root", "pivot"), list(NULL)))
  own <- qr(X)
  unit <- sqrt(nrow(X)) * l$unit
  replace(l, c("basis", "root", "pivot"), list(qr.Q(own) * unit, qr.R(own) / unit, own$pivot))
}

# With an offset, or amounts, whose linear predictor is far from 0, the search is for coefficients less those of a
# `centre`, which are in the offset: its bounds are around 0, and what is added up in a linear predictor has digits
# of its differences alone.
centred_design <- function(l) {
  plain <- family_entry(l$family)$plain(l$y, l$trials, l$family$link)
  weights <- glm_weights(plain$weights, l$cases)
  if (is.null(l$basis) || l$family$link == "identity") return(l)
  middle <- if (is.null(weights)) mean(plain$y) else stats::weighted.mean(plain$y, weights)
  centre <- drop(crossprod(l$basis, plain$family$linkfun(middle) - l$offset)) / length(l$y)
  if (!all(is.finite(centre)) || max(abs(centre)) < 20) return(l)
  l$centre <- centre
  l$offset <- l$offset + drop(l$basis %*% centre)
  l
}

# The parameters of the covariance, the variances of grouped effects, the mean in the basis of its covariates, and the
# family's own ones.
laplace_all_rows <- function(rows, l) rbind(
  rows, group_parameters(l$groups, unname(l$effects)),
  other_parameters(sprintf(".mean%d", seq_len(NCOL(l$basis) * !is.null(l$basis))), "coefficient", 0, -Inf, Inf),
  family_rows(l$family, l$own))

# The model with those of the parameters v that are of the covariance.
laplace_model <- function(p, v, rows) set_parameters(p$model, v[rows$part > 0L], rows[rows$part > 0L, ])

# A nugget that is not asked for is 0: NA in a model, or a start, asks for one. `zero`: is there none?
laplace_nugget <- function(model, fixed, start) {
  rows <- cov_parameters(model_parts(model))
  own <- rows[rows$parameter == "nugget", ]
  if (isTRUE(fixed)) return(list(fixed = fixed, zero = all(own$value %in% 0)))
  fixed <- named_values("fixed", fixed, rows)
  held <- setdiff(own$name[!is.na(own$value)], c(names(fixed), names(start)))
  fixed[held] <- NA_real_
  value <- stats::setNames(own$value, own$name)
  given <- intersect(own$name, names(fixed))
  value[given] <- ifelse(is.na(fixed[given]), value[given], fixed[given])
  list(fixed = fixed, zero = all(value %in% 0) && !any(own$name %in% names(start)))
}

# All neighbours take as long as 30 of them for 60 locations, and twice that for 100. With fewer the factor without
# fill of a smooth process is poor, as each location has neighbours almost as far as all others.
most_exact_laplace <- 100L
laplace_method <- function(method, n)
  if (method == "auto") if (n <= most_exact_laplace) "exact" else "vecchia" else method

laplace_exact <- function(n) {
  if (n > 4001L)
    raise_engine_error("input", sprintf(
      "method \"exact\" takes up to 4001 observations for this family: there are %d", n))
  n - 1L
}

# Is a constant among the combinations of the covariates?
has_constant <- function(X) ncol(X) > 0L && sum(qr.resid(qr(X), rep(1, nrow(X)))^2) < 1e-14 * nrow(X)

# The fit without a process, from which a search begins: `mean`, coefficients in the basis, `own` parameters, the
# likelihood `none`, and working observations with `information` and `residuals`.
plain_fit <- function(X, l, own) {
  entry <- family_entry(l$family)
  plain <- entry$plain(l$y, l$trials, l$family$link)
  if (isTRUE(entry$glm)) plain$family <- l$family
  glm <- plain_glm(X, l, plain)
  mean <- glm$mean
  eta <- eta_without(l, mean)
  if (isTRUE(entry$glm) && is.null(glm$weights)) {
    mean <- climb_without(l, replace(own, "free", list(own$free & FALSE)), mean)$mean
    eta <- eta_without(l, mean)
  }
  open <- own$free & !own$started
  if (any(open) && !is.null(entry$guess)) {
    guess <- entry$guess(l$y, l$trials, plain$family$linkinv(eta))
    own$value[names(guess)] <- ifelse(open[match(names(guess), names(own$value))], guess, own$value[names(guess)])
  }
  if (isTRUE(entry$glm) && is.null(l$cases$from)) {
    none <- likelihood_without(l, eta, own)
    if (!is.null(glm$weights))
      return(list(mean = mean, own = own$value, none = none, residuals = glm$residuals,
                  information = glm$weights * if (length(own$value)) own$value else 1))
    climbed <- list(mean = mean, own = own$value, value = none)
  } else {
    climbed <- climb_without(l, own, mean)
    eta <- eta_without(l, climbed$mean)
  }
  terms <- case_terms(l, eta, climbed$own)
  information <- pmax(terms$weight, 0.1 * stats::median(abs(terms$weight)), 1e-8 / l$unit^2)
  list(mean = unname(climbed$mean), own = ifelse(open, climbed$own, own$value), none = climbed$value,
       information = information, residuals = terms$score / information)
}

eta_without <- function(l, mean) l$offset + if (length(mean)) drop(l$basis %*% mean) else 0

# The generalised linear model of an entry by Fisher's scoring: coefficients in the basis, and working `weights` and
# `residuals`. Where responses are far from the model, as heavy tails from a Gamma distribution, scoring may diverge,
# and glm.fit() then ends in its linear algebra with numbers that are not finite: the coefficients are then those of
# least squares on the scale of the link, of the means at which scoring begins, without the rest.
plain_glm <- function(X, l, plain) {
  weights <- glm_weights(plain$weights, l$cases)
  glm <- tryCatch(suppressWarnings(stats::glm.fit(
    X, plain$y, weights = weights, offset = l$offset, family = plain$family, intercept = FALSE,
    start = if (!is.null(l$centre)) numeric(ncol(X)))),
    error = function(e) NULL)
  if (!is.null(glm) && glm$converged && all(is.finite(glm$linear.predictors)))
    return(list(mean = mean_in_basis(l, glm$coefficients), weights = glm$weights, residuals = glm$residuals))
  if (!is.null(l$centre)) return(list(mean = numeric(length(l$centre))))
  begun <- list2env(list(y = plain$y, nobs = length(l$y), etastart = NULL, mustart = NULL, start = NULL,
                         weights = if (is.null(weights)) rep(1, length(l$y)) else weights))
  suppressWarnings(eval(plain$family$initialize, begun))
  least <- stats::lm.wfit(X, plain$family$linkfun(begun$mustart) - l$offset, begun$weights)
  list(mean = mean_in_basis(l, least$coefficients))
}

mean_in_basis <- function(l, coefficients)
  if (!is.null(l$basis)) drop(l$root %*% ifelse(is.na(coefficients), 0, coefficients)[l$pivot])

# All parameters v of a likelihood as a fit has them: the coefficients `beta` and the others. And back.
natural_parameters <- function(v, own) {
  rows <- own$about$rows
  mean <- rows$kind == "coefficient"
  names(v) <- rows$name
  list(beta = if (any(mean)) without_basis(own$l, v[mean]) else numeric(),
       v = unname(zero_natural(v[!mean], own$l$zero.root)))
}
searched_parameters <- function(beta, v, own) {
  rows <- own$about$rows
  mean <- rows$kind == "coefficient"
  value <- numeric(nrow(rows))
  value[!mean] <- v
  zero <- is_zero_coefficient(rows$name)
  if (any(zero)) value[zero] <- drop(own$l$zero.root %*% value[zero])
  if (any(mean)) value[mean] <- mean_in_basis(own$l, beta) - if (is.null(own$l$centre)) 0 else own$l$centre
  value
}

# Of the coefficients with all other parameters as in v, from what they are there.
laplace_coefficients <- function(v, own, made) {
  rows <- own$about$rows
  at <- which(rows$kind == "coefficient")
  for (step in 1:20) {
    e <- laplace_value(parameter_point(v, at), made, rows)
    if (is.null(e$gradient)) raise_engine_error("input", "the likelihood is not finite at the parameters")
    inverse <- inverse_or_na(e$information)
    move <- drop(inverse %*% e$gradient)
    if (!all(is.finite(move)) || sum(move * e$gradient) < 1e-6) break
    v[at] <- v[at] + move * min(1, 2 / sqrt(sum(move * e$gradient))) # no farther than two standard errors
  }
  back <- backsolve(own$l$root, diag(length(at)))[order(own$l$pivot), , drop = FALSE]
  list(beta = natural_parameters(v, own)$beta, vcov = back %*% inverse %*% t(back), slopes = list(), moves = NULL)
}

# The likelihood with coefficient j of those that are known held at a value, which is in the offset then.
laplace_hold <- function(fit, own, made, j, value) {
  X <- known_design(fit)
  fit$offset <- fit$offset + value * X[, j]
  fit$X <- X[, -j, drop = FALSE]
  fit$coefficients <- fit$coefficients[is_known(fit)][-j]
  own$l$offset <- unname(fit$offset)
  own$l$centre <- NULL
  own$l <- centred_design(mean_design(own$l, fit$X))
  made$laplace[c("offset", "basis", "root", "pivot")] <- own$l[c("offset", "basis", "root", "pivot")]
  gone <- max(which(own$about$rows$kind == "coefficient"))
  own$about$task$searched <- setdiff(own$about$task$searched, own$about$rows$name[gone])
  own$about$rows <- own$about$rows[-gone, ]
  own$about$task$v <- own$about$task$v[-gone]
  own$starts <- lapply(own$starts, `[`, -gone)
  laplace_likelihood(fit, NULL, own, made)
}

without_basis <- function(l, mean)
  backsolve(l$root, if (is.null(l$centre)) mean else mean + l$centre)[order(l$pivot)]

# The likelihood of a generalised linear model whose coefficients do not depend on its other parameter.
likelihood_without <- function(l, eta, own) {
  value <- function(v) sum(case_terms(l, eta, v)$value)
  if (!any(own$free)) return(value(own$value))
  stats::optimize(function(t) value(replace(own$value, 1L, exp(t))), log(own$value[[1L]]) + c(-5, 5), maximum = TRUE,
                  tol = 1e-6)$objective
}

# Other families: the maximum over coefficients and free parameters together, on the scale of the search, where what
# runs to a limit stays at a distance from it.
climb_without <- function(l, own, mean) {
  rows <- family_rows(l$family, own$value)[own$free, ]
  k <- seq_along(mean)
  t <- c(mean, if (NROW(rows)) to_search(rows$value, rows))
  at <- function(t) replace(own$value, own$free, if (NROW(rows)) from_search(t[setdiff(seq_along(t), k)], rows))
  terms <- function(t, by) case_terms(l, eta_without(l, t[k]), at(t), by)
  value <- function(t) {
    v <- -sum(suppressWarnings(terms(t, FALSE)$value))
    if (is.finite(v)) v else 1e100
  }
  slope <- function(t) {
    e <- suppressWarnings(terms(t, TRUE))
    of_own <- vapply(e$by, function(b) sum(b$value), 0)[names(own$value)[own$free]]
    g <- -c(if (length(k)) crossprod(l$basis, e$score), if (NROW(rows))
      of_own * search_jacobian(at(t)[own$free], rows))
    ifelse(is.finite(g), g, 0)
  }
  if (!length(t)) return(list(mean = mean, own = own$value, value = -value(t)))
  ends <- laplace_ends(l)
  low <- rep(c(ends$coefficient[1L], -18), c(length(k), length(t) - length(k)))
  high <- -low
  positive <- length(k) + which(rows$kind == "positive")
  low[positive] <- ends$positive[1L]
  high[positive] <- ends$positive[2L]
  found <- stats::nlminb(pmin(pmax(t, low), high), value, slope, lower = low, upper = high,
                         control = list(iter.max = 500, eval.max = 1000, rel.tol = 1e-12))
  list(mean = found$par[k], own = at(found$par), value = -found$objective)
}

# Where the search for the covariance begins: of several processes at several ranges; of one at the parameters by the
# working observations and, as the likelihood of few data has several maxima and a range below the distances between
# locations is one that no search leaves, at longer ranges, too.
laplace_starts <- function(p, l, plain, task) {
  rows <- cov_parameters(model_parts(task$model))
  if (!length(task$unknown)) return(list(rows$value))
  scales <- gp_scales(p, linear_scale(p))
  size <- if (is.null(l$varying)) 1 else colMeans(l$varying^2)[p$of[rows$part]]
  sill <- rows$kind == "sill" & rows$name %in% task$unknown
  length <- rows$kind == "length" & rows$name %in% task$unknown & rows$inside != "time"
  first <- if (is.null(l$varying)) laplace_start(p, l, plain, task, rows, scales)
  if (!is.null(first) && (!any(length) || nrow(p$xy) > most_thorough_laplace &&
                            all(first[length] > scales$space[1L]))) return(list(first))
  starts <- gp_starts(asked_problem(p, task), rows, task$unknown, scales)
  starts <- lapply(starts[unique(pmin(2:3, length(starts)))], function(v) ifelse(sill, 0.5 * v / size, v))
  c(if (!is.null(first)) list(first), starts)
}

# Up to so many locations a search begins at several ranges in any case: as for normal responses, see gp-highest.R.
most_thorough_laplace <- 500L

# Parameters by the working observations, which are fitted as normal ones with known variances.
laplace_start <- function(p, l, plain, task, rows, scales) {
  information <- plain$information
  total <- pmax(as.vector(rowsum(information, l$location)), 1e-8 / l$unit^2)
  working <- list(y = as.vector(rowsum(information * plain$residuals, l$location)) / total, X = NULL)
  p$error <- 1 / total
  # without errors of the working observations a smooth process may have no sound covariance matrix: the search itself
  # finds the smoothness
  smooth <- rows$kind == "smoothness" & rows$name %in% task$unknown
  rows$value[smooth] <- 1
  task[c("free", "unknown")] <- lapply(task[c("free", "unknown")], setdiff, rows$name[smooth])
  task <- searched_task(task, rows)
  lik <- vecchia_likelihood(list(estimator = "ML", nobs = nrow(p$xy), m = few_neighbours, block = 1), TRUE,
                            list(p = p, data = working, rows = rows, task = task))
  found <- tryCatch({
    found <- uninterrupted(gp_find(lik))
    lik <- found$likelihood
    found$v
  }, statcl_error_input = function(e) gp_starts(asked_problem(p, task), rows, task$unknown, scales)[[1L]],
  finally = lik$close())
  # 0 is no place to begin at, and nor is a range without bound, from which the way back is long
  sill <- rows$kind == "sill" & rows$name %in% task$unknown
  found[sill] <- pmax(found[sill], 0.05 * l$unit^2)
  length <- rows$kind == "length" & rows$name %in% task$unknown
  longest <- ifelse(rows$inside == "time", scales$time[2L], scales$space[2L])
  found[length] <- pmin(found, 0.25 * longest)[length]
  inside_bounds(found, list(rows = rows, at = match(task$free, rows$name), reference = 0L))
}

# Where the likelihood is not finite there: responses that tell next to nothing of the linear predictor, as truncated
# counts with a theta near 0, have working observations anywhere, and variances that are far too large.
laplace_cautious <- function(start, own) {
  rows <- own$about$rows
  open <- rows$kind == "sill" & rows$name %in% own$about$task$unknown
  replace(start, open, pmin(start[open], 0.5 * own$l$unit^2))
}

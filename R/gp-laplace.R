# Gaussian processes behind responses of other families: with eta = offset + X beta + w and a process w by Vecchia's
# approximation the likelihood is that of Laplace's approximation (Tierney and Kadane 1986),
# log p(y | w) - w' Q w / 2 + log det(Q) / 2 - log det(Q + W) / 2 at the mode of w, where W is minus the second
# derivative of log p(y | w). Precision, factors and mode are in gp-laplace-mode.R, predictions, simulations and
# residuals in gp-laplace-predict.R.

# ---- the likelihood as a value ----

# As the table in CONTRIBUTING.md has it. `own` is what a new fit asks for, with its starts, and `made` its problem
# with the pattern of the precision; predictions and simulations are those of a fit, see gp-laplace-predict.R.
laplace_likelihood <- function(fit, ask = NULL, own = laplace_request(fit, ask),
                               made = laplace_problem(own$p, own$l, own$m, own$few)) list(
  search = function() own$about,
  starts = function(s, unknown, plain = FALSE) if (plain) lapply(own$starts, laplace_cautious, own) else own$starts,
  evaluate = function(point, least) laplace_value(point, made, own$about$rows, least),
  result = function(found) laplace_result(found, fit, own, made),
  predictive = function(new, error, interval, type) laplace_predictive(fit, new, error, interval, type),
  leave_out = function(sets) laplace_folds(fit, sets),
  draw = function(new, nsim, conditional, type, method, ...)
    laplace_simulation(fit, new, nsim, conditional, type, method), draws = "vecchia",
  whiten = NULL, hold = NULL, coefficients = NULL, grid = function(s, unknown) NULL,
  coarse = function() {
    few <- made$laplace$few
    if (is.null(few) && fit$approximation == "laplace") return(NULL)
    made$laplace$approximation <- "laplace"
    if (!is.null(few)) {
      made$vecchia$pointer <- made$vecchia$few
      made$laplace$graph <- few
    }
    laplace_likelihood(fit, ask, own, made)
  },
  renewed = function(v) {
    again <- vecchia_again(made, laplace_model(made, v, own$about$rows), function(p, metric)
      laplace_problem(made, own$l, own$m, NULL, metric))
    if (!is.null(again)) laplace_likelihood(fit, ask, own, again)
  },
  close = function() vecchia_close(made),
  residuals = lapply(stats::setNames(nm = eval(formals(residuals.gpFit)$type)), function(type)
    function() laplace_residuals(fit, type)), standard = "deviance", fitted = "none",
  rows = function() rbind(cov_parameters(model_parts(fit$cov)), group_parameters(fit$groups),
                          family_rows(fit$family, fit$own)),
  text = list(responses = sprintf("behind responses of the family %s, link %s,\n", fit$family$family,
                                  fit$family$link),
              title = laplace_title(fit), approximation = laplace_words(fit),
              family = family_label(fit$family), surface = "linear predictor of "))

# Of what is behind responses, and of the integral over it.
laplace_words <- function(fit) {
  if (!has_integral(fit)) return("")
  paste0(if (fit$approximation == "ep") ", expectation propagation" else ", Laplace's approximation",
         if (fit$method == "vecchia" && is.null(fit$no.process))
           paste(", Vecchia's approximation with", count_text(fit$m, "neighbour")))
}
has_integral <- function(fit) is.null(fit$no.process) || !is.null(fit$groups)
laplace_title <- function(fit) {
  if (!is.null(fit$no.process)) return(if (is.null(fit$groups)) "Generalised linear model" else "Grouped effects")
  paste0("Gaussian process", if (!is.null(fit$by)) sprintf(" (%s)", count_text(length(fit$by$levels), "replicate")),
         if (!is.null(fit$groups)) " and grouped effects")
}

# ---- what is fitted ----

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
  found <- zero_search(l, own)
  l <- found$l
  own <- found$own
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
       few = if (length(task$free)) few_neighbours,
       about = list(problem = asked, rows = rows, data = linear_scale(p), task = task, scaled = FALSE, inside = TRUE,
                    ends = laplace_ends(l)))
}

# Of the search, on its scale: coefficients are in units of the linear predictor, variances in those of its square,
# and own parameters are bounded from the least to the most that responses of their size may need.
laplace_ends <- function(l) {
  size <- family_entry(l$family)$size
  around <- if (is.null(size)) c(1, 1) else range(1, size(l$y))
  variances <- function(units) log(c(1e-8 * min(units), 1e9 * max(units)))
  list(sill = variances(l$unit^2 / if (is.null(l$varying)) 1 else colMeans(l$varying^2)),
       effect = variances(effect_units(l)), positive = log(c(1e-3, 1e8) * around), coefficient = c(-50, 50) *
         if (l$unit == 1) 1 else max(1, max(abs(l$y - l$offset)) / l$unit))
}

# The size of differences of linear predictors: responses have their own with the link identity.
linear_unit <- function(family, y)
  if (family$link == "identity") max(stats::mad(y), 1e-3 * stats::sd(y)) else 1

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
  if (any(is_known(fit))) {
    own <- qr(known_design(fit))
    l[c("basis", "root", "pivot")] <- list(qr.Q(own) * sqrt(fit$nobs) * l$unit,
                                              qr.R(own) / sqrt(fit$nobs) / l$unit, own$pivot)
  }
  id <- if (together) place_numbers(cbind(xy, fit$by$code)) else seq_len(fit$nobs)
  l$location <- match(id, unique(id))
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
    X, plain$y, weights = weights, offset = l$offset, family = plain$family, intercept = FALSE)),
    error = function(e) NULL)
  if (!is.null(glm) && glm$converged && all(is.finite(glm$linear.predictors)))
    return(list(mean = mean_in_basis(l, glm$coefficients), weights = glm$weights, residuals = glm$residuals))
  begun <- list2env(list(y = plain$y, nobs = length(l$y), etastart = NULL, mustart = NULL, start = NULL,
                         weights = if (is.null(weights)) rep(1, length(l$y)) else weights))
  suppressWarnings(eval(plain$family$initialize, begun))
  least <- stats::lm.wfit(X, plain$family$linkfun(begun$mustart) - l$offset, begun$weights)
  list(mean = mean_in_basis(l, least$coefficients))
}

mean_in_basis <- function(l, coefficients)
  if (!is.null(l$basis)) drop(l$root %*% ifelse(is.na(coefficients), 0, coefficients)[l$pivot])

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

# Where the search for the covariance begins. Of several processes each has several ranges.
laplace_starts <- function(p, l, plain, task) {
  if (is.null(l$varying)) return(list(laplace_start(p, l, plain, task)))
  rows <- cov_parameters(model_parts(task$model))
  if (!length(task$unknown)) return(list(rows$value))
  scales <- gp_scales(p, linear_scale(p))
  size <- colMeans(l$varying^2)[p$of[rows$part]]
  sill <- rows$kind == "sill" & rows$name %in% task$unknown
  starts <- gp_starts(asked_problem(p, task), rows, task$unknown, scales)
  lapply(starts[unique(pmin(2:3, length(starts)))], function(v) ifelse(sill, 0.5 * v / size, v))
}

# Parameters by the working observations, which are fitted as normal ones with known variances.
laplace_start <- function(p, l, plain, task) {
  rows <- cov_parameters(model_parts(task$model))
  if (!length(task$unknown)) return(rows$value)
  information <- plain$information
  total <- pmax(as.vector(rowsum(information, l$location)), 1e-8 / l$unit^2)
  working <- list(y = as.vector(rowsum(information * plain$residuals, l$location)) / total, X = NULL)
  scales <- gp_scales(p, linear_scale(p))
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

# ---- one evaluation ----

# At eta = offset + X beta, the model of p, variances of grouped `effects` and the family's `own` parameters: `value`,
# and what derivatives need.
laplace_at <- function(p, eta, own, effects = NULL) {
  precision <- laplace_precision(p, effects)
  if (precision$bad > 0) return(list(value = -Inf, bad = precision$bad))
  mode <- if (p$laplace$approximation == "ep") propagated_mode(p, precision, eta, own)
          else laplace_mode(p, precision, eta, own)
  if (is.null(mode)) return(list(value = -Inf, bad = 0))
  if (!mode$factor$sound) return(list(value = -Inf, bad = 0, said = no_factor))
  value <- mode$value + (precision$log_det - mode$factor$log_det()) / 2
  state <- p$laplace$graph$state
  if (any(mode$terms$weight < 0) && isTRUE(value > max(state$value, -Inf))) {
    state$best <- mode$w
    state$value <- value
  }
  c(mode[intersect(c("w", "terms", "factor", "elements"), names(mode))],
    list(precision = precision, value = if (is.finite(value)) value else -Inf, bad = 0))
}

# The mean is in an orthonormal basis of the covariates. The value has log det(V' V) in the place of log det(Q + W),
# and of that its gradient is exact, but for differences of Q: with S, derivatives of the one by Q + W on its pattern,
# c the sums of S_ii dW_i/deta_i and a = inv(Q + W) c, it is (- w' dQ w + d log det(Q) - tr(S dQ) + a' dQ w) / 2. The
# information is the average one of working observations eta + score/W, normal with variances 1/W: with v = dQ w
# (v' inv(Q) v - v' inv(Q + W) v) / 2, and X' W X - X' W inv(Q + W) W X of the mean.
laplace_value <- function(point, p, rows, least = -Inf) {
  at <- function(v) gp_at(p, laplace_model(p, v, rows))
  l <- p$laplace
  mean <- point$v[rows$kind == "coefficient"]
  eta <- l$offset + if (length(mean)) drop(l$basis %*% mean) else 0
  own <- own_values(l$family, point$v, rows)
  effects <- point$v[rows$kind == "effect"]
  here <- at(point$v)
  e <- laplace_at(here, eta, own, effects)
  if (!isTRUE(e$value > least)) return(e[intersect(names(e), c("value", "bad", "said"))])
  if (is.null(e$elements)) e$elements <- e$factor$elements()
  e$variance <- e$factor$variances(e$elements)
  if (!all(is.finite(e$variance))) return(list(value = -Inf, bad = 0, said = no_factor))
  # where log densities are not concave a mode may be about to vanish: Q + W becomes singular there, and the
  # likelihood of Laplace's approximation infinite, which is no maximum
  if (any(e$terms$weight < 0) && any(e$variance > most_variance * predictor_variance(here, effects)))
    return(list(value = -Inf, bad = 0, said = paste(
      "Laplace's approximation fails where the search begins, as the responses leave the process more variance than",
      "it has: other values of start, or another family, may serve")))
  e$adjoint <- e$factor$solve(latent_sums(l, e$variance * e$terms$third), 1e-8)
  e$gradient <- numeric(length(point$at))
  e$information <- matrix(0, length(point$at), length(point$at))
  kind <- rows$kind[point$at]
  slopes <- list(laplace_covariance_slopes(e, l, which(rows$part[point$at] > 0L), function(j, h)
    laplace_slope(e, at(point$moved(j, h)), at(point$moved(j, -h)), effects, h), which(kind == "effect"),
    match(rows$name[point$at[kind == "effect"]], l$groups$variances),
    diag(point$jacobian)[kind == "effect"] / point$v[point$at[kind == "effect"]]),
    laplace_mean_slopes(e, l, which(kind == "coefficient")),
    laplace_own_slopes(e, l, which(rows$name[point$at] %in% own_names(l$family)), rows$name[point$at], own,
                       point$jacobian))
  for (s in slopes) {
    if (is.null(s$gradient)) return(list(value = -Inf, bad = 0))
    e$gradient[s$at] <- s$gradient
    e$information[s$at, s$at] <- s$information
  }
  sd <- which(rows$name[point$at] == "family.sd")
  if (l$family$family == "gaussian" && length(sd) && is.null(l$cases$from))
    e$information <- beside_errors(e, l, slopes[[1L]], sd, point$jacobian[sd, sd] / own[["sd"]])
  # a search keeps some, and what they were made of is large
  if (any(e$terms$weight < 0)) e$information <- without_signs(e$information)
  e[c("value", "bad", "gradient", "information")]
}

# Of normal responses, whose covariance matrix C = A inv(Q) A' + inv(W) has in 1/W the variances of errors: with r =
# inv(C) (y - X beta), the score, the average information of two parameters is r' C1 inv(C) C2 r / 2, and by the
# logarithm of the standard deviation C1 = 2 / W. A process without correlation is another part of these errors.
beside_errors <- function(e, l, covariance, sd, unit) {
  seen <- e$terms$weight > 0
  sums <- latent_sums(l, e$terms$score)
  solved <- e$factor$solve(sums, 1e-8)
  cross <- -unit * crossprod(covariance$moved, solved)
  e$information[covariance$at, sd] <- cross
  e$information[sd, covariance$at] <- cross
  e$information[sd, sd] <- 2 * unit^2 * (sum((e$terms$score^2 / e$terms$weight)[seen]) - sum(sums * solved))
  e$information
}

# Of the process at an observation given the responses, over what it has without them: at most 1 where log densities
# are concave.
most_variance <- 4

# The variances of linear predictors without responses.
predictor_variance <- function(p, effects) {
  l <- p$laplace
  total <- 0
  for (k in seq_len(count_processes(p))) {
    one <- above_zero(process_problem(p, k))
    by <- if (is.null(l$varying)) 1 else l$varying[, k]^2
    total <- total + (process_variance(one) + model_nugget(one$model)) * by
  }
  for (k in seq_len(NCOL(l$groups$index) * !is.null(l$groups)))
    total <- total + l$groups$value[, k]^2 * effects[l$groups$term[l$groups$index[, k]]]
  total
}

# With weights below 0, where densities are not concave, the average information need not be positive: its eigenvalues
# are then taken without their signs, as of steps of Newton's method that are to rise (Gill, Murray and Wright 1981,
# section 4.4).
without_signs <- function(h) {
  if (!length(h) || !all(is.finite(h))) return(h)
  unit <- sqrt(abs(diag(h)))
  unit[unit == 0] <- 1
  e <- eigen(h / tcrossprod(unit), symmetric = TRUE)
  if (all(e$values >= 0)) h else tcrossprod(e$vectors * rep(sqrt(abs(e$values)), each = nrow(h))) * tcrossprod(unit)
}

# For the coordinates `at`; slope(j, h) is laplace_slope() over a distance of h in one of them. Coordinates `and` are
# of the variances of grouped effects with the numbers `own`, of whose logarithms the derivatives by these are `unit`.
laplace_covariance_slopes <- function(e, l, at, slope, and, own, unit) {
  h <- 2e-4 # errors of 1e-8 by the third derivative, and of the rounding errors of Q over h
  q <- e$precision
  places <- seq_len(l$count)
  moved <- matrix(0, length(e$w), length(at) + length(and))
  gradient <- numeric(ncol(moved))
  for (j in seq_along(at)) {
    found <- slope(at[j], h)
    if (found[[4L]] > 0) return(NULL)
    moved[places, j] <- found[[2L]][, 1L]
    trace <- found[[1L]]
    if (!is.null(e$factor$more)) trace <- trace + e$factor$more(found[[2L]][, -1L, drop = FALSE])
    gradient[j] <- (sum((e$adjoint - e$w) * moved[, j]) + found[[3L]] - trace) / 2
  }
  for (j in seq_along(and)) {
    these <- effect_rows(l)[l$groups$term == own[j]]
    precision <- c(1 / q$prior[[1L]], q$effects)[these]
    moved[these, length(at) + j] <- -unit[j] * precision * e$w[these]
    gradient[length(at) + j] <- (sum((e$adjoint - e$w) * moved[, length(at) + j]) - unit[j] * length(these) +
                                   unit[j] * sum(precision * e$factor$own(these, e$elements))) / 2
  }
  b <- list(rep(1, l$count), -q$prior[[2L]])
  alone <- sqrt(q$prior[[1L]]) * .Call(C_laplaceTriangular, q$pattern, b, TRUE, moved[places, , drop = FALSE])
  if (length(q$effects)) alone <- rbind(alone, moved[-places, , drop = FALSE] / sqrt(q$effects))
  list(at = c(at, and), gradient = gradient, moved = moved,
       information = (crossprod(alone) - inverse_form(e$factor, moved)) / 2)
}

# b' inv(Q + W) b, symmetric whatever conjugate gradients leave.
inverse_form <- function(factor, b) {
  form <- crossprod(b, factor$solve(b, 1e-8))
  (form + t(form)) / 2
}

laplace_mean_slopes <- function(e, l, at) {
  if (!length(at)) return(list(at = at, gradient = numeric()))
  weighted <- latent_sums(l, e$terms$weight * l$basis)
  list(at = at, gradient = crossprod(l$basis, e$terms$score + (e$terms$weight * latent_of(l, e$adjoint) -
                                                                 e$variance * e$terms$third) / 2),
       information = crossprod(l$basis, e$terms$weight * l$basis) - inverse_form(e$factor, weighted))
}

# Of the family's own parameters. Their information is the sum of the squares of scores where the family knows no
# other.
laplace_own_slopes <- function(e, l, at, names, own, jacobian) {
  if (!length(at)) return(list(at = at, gradient = numeric()))
  by <- e$terms$by[names(own)[match(names[at], own_names(l$family))]]
  unit <- diag(jacobian)[at]
  slope <- vapply(by, function(b)
    sum(b$value - (e$variance * b$weight + latent_of(l, e$adjoint) * b$score) / 2), 0)
  entry <- family_entry(l$family)
  information <- if (!is.null(entry$information)) entry$information(own, case_number(l))
                 else crossprod(vapply(by, function(b) b$value / pmax(root_weights(l$cases), 1e-100),
                                       numeric(length(l$y))))
  list(at = at, gradient = unit * slope, information = unit * t(unit * information))
}

# ---- what is known at the maximum ----

# Of the correction of a log likelihood. One has a standard deviation of 0.2 at 10,000 locations, of 0.9 at 100,000
# (bench/gp-laplace.R), and all probes together an eighth of that.
laplace_probes <- 64L

# Maxima in a limit are those of a model in which some parameters have the values that they have there.
laplace_result <- function(found, fit, own, made) {
  for (limit in list(laplace_without_process, laplace_without_variation, laplace_without_nugget,
                     laplace_without_effects)) {
    held <- limit(found, own, made)
    if (is.null(held)) next
    kept <- setdiff(c(own_names(fit$family), fit$groups$variances), c(own$about$task$searched, names(held$fixed)))
    held$fixed[kept] <- as.list(own$starts[[1L]][match(kept, own$about$rows$name)])
    covariance <- held$rows$part > 0L
    model <- set_parameters(own$ask$model, held$rows$value[covariance], held$rows[covariance, ])
    limited <- gp_fit(own$y, fit$X, fit$offset, own$ask$points,
                      list(model = model, fixed = held$fixed, start = group_values(held, fit$groups)),
                      method = fit$method, m = fit$m, family = fit$family, trials = fit$trials,
                      beside = beside_of(fit))
    if (limited$loglik - limited$loglik.correction <= held$least) next
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
  beta <- if (any(mean)) backsolve(l$root, found$v[mean])[order(l$pivot)] else numeric()
  eta <- fit$offset + if (ncol(x)) drop(x %*% beta) else 0
  p <- gp_at(made, laplace_model(own$about$task, found$v, rows))
  effects <- rows$value[rows$kind == "effect"]
  e <- laplace_at(p, unname(eta), l$own, effects)
  if (!is.finite(e$value)) refuse_start(p, list(rows = rows), c(found["v"], e[c("bad", "said")]))
  rows$end <- ""
  known <- family_parameters(l$family)
  for (k in which(rows$name %in% intersect(own_names(l$family), own$about$task$searched))) {
    name <- names(known)[match(rows$name[k], own_names(l$family))]
    limit <- known[[name]]$limit
    if (is.null(limit)) next
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

# Are responses 0 or 1, one at each location? They tell nothing of a process without correlation, which only makes
# another link of the one that was chosen: what the likelihood gains by that, far less than half a unit, is no
# process.
is_single_binary <- function(l) has_trials(l$family) && all(l$trials == 1) && !anyDuplicated(l$location)

# Processes that have next to no variance on the scale of the linear predictor, of which it is a `share`, or that are
# what errors of normal responses are, or another link of binary ones: without correlation, and with one observation
# at each location.
idle_processes <- function(found, own, made, share) {
  rows <- maximum_rows(found, own)
  sill <- rows$kind == "sill"
  of <- if (is.null(own$p$of)) rep(1L, sum(sill)) else own$p$of[rows$part[sill]]
  size <- if (is.null(own$p$of)) 1 else own$p$size
  idle <- as.vector(tapply(rows$value[sill], of, sum)) * size <= share * own$l$unit^2
  if (idle[1L] || !is_single_binary(own$l) && (
    own$l$family$family != "gaussian" || !"family.sd" %in% own$about$task$searched || anyDuplicated(own$l$location)))
    return(idle)
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

# Those of the covariance, and variances of grouped effects.
maximum_rows <- function(found, own) {
  rows <- own$about$rows
  rows$value <- found$v
  rows[rows$part > 0L | rows$kind == "effect", ]
}

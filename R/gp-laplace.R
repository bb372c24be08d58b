# Gaussian processes behind responses of other families: with eta = offset + X beta + w and a process w by Vecchia's
# approximation the likelihood is that of Laplace's approximation (Tierney and Kadane 1986),
# log p(y | w) - w' Q w / 2 + log det(Q) / 2 - log det(Q + W) / 2 at the mode of w, where W is minus the second
# derivative of log p(y | w). What a fit asks for and where its search begins is in gp-laplace-request.R, precision,
# factors and mode in gp-laplace-mode.R, what is known at the maximum in gp-laplace-maximum.R, predictions,
# simulations and residuals in gp-laplace-predict.R.

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
  whiten = NULL, hold = function(j, value) laplace_hold(fit, own, made, j, value),
  apart = function(name) laplace_apart(fit, own, made, name),
  coefficients = function(v, names) laplace_coefficients(v, own, made),
  natural = function(v) natural_parameters(v, own), searched = function(beta, v) searched_parameters(beta, v, own),
  grid = function(s, unknown) NULL, values = function(v, profile = FALSE) NULL,
  coarse = function() {
    few <- made$laplace$few
    stays <- fit$approximation == "laplace" || has_normal_errors(made$laplace) # which cost no more
    # of several starts the same likelihood, whose first climbs need not come to their ends
    if (is.null(few) && stays && length(own$starts) < 2L) return(NULL)
    if (!stays) made$laplace$approximation <- "laplace"
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
  renews = function() FALSE, close = function() vecchia_close(made),
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
  name <- family_entry(l$family)$errors
  sd <- which(rows$name[point$at] == paste0("family.", name))
  if (length(sd) && (is.null(l$cases$from) || identical(l$approximation, "ep")))
    e$information <- beside_errors(e, l, slopes[[1L]], sd, point$jacobian[sd, sd] / own[[name]])
  # a search keeps some, and what they were made of is large
  if (any(e$terms$weight < 0)) e$information <- without_signs(e$information)
  e[c("value", "bad", "gradient", "information")]
}

# Of normal responses, whose covariance matrix C = A inv(Q) A' + inv(W) has in 1/W the variances of errors: with r =
# inv(C) (y - X beta), the score, the average information of two parameters is r' C1 inv(C) C2 r / 2, and by the
# logarithm of the standard deviation C1 = 2 / W. A process without correlation is another part of these errors. With
# the sites of expectation propagation in place of censored responses this is what steps of a search need.
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

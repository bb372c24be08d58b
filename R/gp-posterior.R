# The posterior distribution of the parameters of a fit: a Laplace approximation on the scale of its search that
# importance weights correct (Rue, Martino and Chopin 2009). Coefficients have a constant prior density, so that of
# normal responses the restricted likelihood is that of the covariance.

#' Posterior distribution of the parameters of a Gaussian process
#'
#' What the data and a weak prior say about all parameters of a fit together: draws from their posterior distribution,
#' its quantiles and pictures. [predict()][predict.gpFit], [simulate()][simulate.gpFit] and [gpCV()] average over it
#' with `parameters = "integrate"`, and `confint(fit, method = "integrate")` has its quantiles.
#'
#' Coefficients of the mean have a constant prior density, and covariance parameters that of `prior`; fixed parameters
#' stay fixed. The likelihood of normal responses is the restricted one whatever the estimator of the fit, as that is
#' the integral over the coefficients; with a `family` it is that of Laplace's approximation.
#'
#' There are no Markov chains. On the scale of the search, where parameters are logarithms or logits, a normal
#' distribution has the mode and the curvature of the posterior density (Laplace's approximation). If the density
#' agrees with it on both sides along its axes, which is so for large data, that is the result. Else points of a
#' sequence of low discrepancy are drawn from distributions with heavier tails, which are fitted to the points before,
#' and get importance weights (Cornuet et al. 2012; compare Rue, Martino and Chopin 2009), until the effective number
#' of points suffices, which is 600 for up to 200 observations, else 300 (or a quarter of `n`). For predictions with
#' `parameters = "integrate"` it is 75: their moments alone count there. The points do not
#' depend on R's generator; resampling them, and drawing the coefficients given each, does. Points are kept for the
#' next call with the same fit; of a fit with a `family` those of predictions and of `summary()` are the first ones.
#'
#' Predictions are averages over at most 11 of the points, with weights by which the logarithms of their variograms at
#' distances of the data have the same moments as those of all points; of several variables these are variograms and
#' pseudo cross-variograms.
#'
#' Fits of several variables have more parameters. With a fixed smoothness the points of `"multimatern"` are as good
#' as those of one variable. With all smoothnesses of three variables, two parts of `"lmc"` or a matrix of nuggets
#' their effective number may be well below 100: `ess` has it, and a warning says so below 50.
#'
#' @param object a fit by [gpFit()].
#' @param n number of draws.
#' @param prior a prior by [gpPrior()].
#' @param seed `NULL`, or a number for [set.seed()]; R's generator is then put back afterwards.
#' @param x a result of `posterior()`.
#' @param probs probabilities.
#' @param digits number of significant digits.
#' @param ask if `TRUE`, ask before each page; by default on an interactive device that has not room for all plots.
#' @param which plots, by name or number: `"density"`, for each covariance parameter the posterior density and, if
#'   `profile` is `TRUE`, the profile of the likelihood beside it, and `"pairs"`, all pairs of parameters.
#' @param parm names or numbers of the parameters to plot.
#' @param profile `TRUE` to draw profiles, which takes longer; those of restricted likelihoods are of the covariance
#'   alone.
#' @param ... not used; for `plot` further graphical parameters.
#' @return `posterior()` gives a data frame of class `gpPosterior` with `n` rows and a column for each parameter that
#'   was estimated, coefficients first. It is a plain data frame for \pkg{posterior} (`as_draws_df()`) and \pkg{coda}
#'   (`mcmc()`): draws are independent given the points, of which some are drawn several times. Its attributes are the
#'   `prior`, and `ess`, the effective number of points behind the draws (`Inf` where the normal distribution served).
#'   `quantile()` gives a matrix with a row for each parameter.
#' @references
#' Cornuet, J.-M., Marin, J.-M., Mira, A. and Robert, C. P. (2012). Adaptive multiple importance sampling.
#' *Scandinavian Journal of Statistics* **39**, 798--812.
#'
#' Rue, H., Martino, S. and Chopin, N. (2009). Approximate Bayesian inference for latent Gaussian models by using
#' integrated nested Laplace approximations. *Journal of the Royal Statistical Society B* **71**, 319--392.
#' @seealso [gpPrior()], [confint.gpFit], [predict.gpFit()]
#' @examples
#' quakes <- subset(datasets::quakes, depth < 60)
#' model <- covModel("exponential", range = NA, nugget = NA, distance = "chordal")
#' fit <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat, cov = model)
#' draws <- posterior(fit, 500)
#' draws
#' quantile(draws, c(0.05, 0.95))
#' # how sure is it that the range is above 50 km?
#' mean(draws$range > 50)
#' plot(draws, "pairs")
#' @export
posterior <- function(object, ...) UseMethod("posterior")

#' @rdname posterior
#' @export
posterior.gpFit <- function(object, n = 1000, prior = gpPrior(), seed = NULL, ...) {
  refuse_extra("posterior.gpFit", ...)
  n <- whole_number("n", n)
  if (!inherits(prior, "gpPrior")) input_error("prior", class(prior)[1L], "must be a prior by gpPrior()")
  refuse_local(object, "posterior()", "confint() has limits of this fit")
  if (!has_free(object))
    raise_engine_error("input", "all covariance parameters are fixed: there is nothing to integrate over")
  points <- known_posterior(object, prior, n / 4)
  free <- which(!object$parameters$fixed & !is.na(object$parameters$estimate))
  draws <- with_seed(seed, despite_failures(function() {
    at <- sample(nrow(points$v), n, replace = TRUE, prob = points$weight)
    cbind(posterior_coefficients(object, points, at), parameters_of_points(object, points)[at, , drop = FALSE])
  }))
  structure(as.data.frame(draws[, free, drop = FALSE]),
            class = c("gpPosterior", "data.frame"), prior = points$prior, ess = points$ess, points = points,
            original.fit = object)
}

# What tells fits apart, without their data.
posterior_key <- function(fit) {
  sums <- lapply(fit[c("y", "X", "x", "offset", "error.variance", "trials")], function(v)
    if (length(v)) c(length(v), sum(v), sum(v * seq_along(v)), sum(abs(v))))
  cases <- lapply(fit$cases, function(v) {
    known <- is.finite(v)
    c(length(v), sum(v[known]), sum((v * seq_along(v))[known]))
  })
  c(sums, cases, list(fit$cov, fit$parameters, fit$vcov, fit$family$family, fit$family$link),
    unname(fit[c("method", "m", "block")]))
}

# The points that limits and draws share; a tail probability of 0.025 has a standard deviation of 0.006 where they are
# worth 600. Nodes for predictions have their moments, for which less suffices. Of other families than the normal one
# these points are the first of those, whichever is asked for first: each takes a search for a mode.
known_posterior <- function(fit, prior = gpPrior(), wanted = 0, nodes = FALSE) {
  of <- function(wanted, first) remembered(
    list("posterior", posterior_key(fit), unclass(prior), wanted), despite_failures(function()
      gp_posterior(fit, prior, wanted, first())))
  none <- function() NULL
  few <- 75
  if (nodes) return(of(few, none))
  of(max(wanted, if (fit$nobs <= 200L) 600 else 300),
     if (is.null(fit$family)) none else function() of(few, none)$begun)
}

# Covariance parameters of points, by name.
parameters_of_points <- function(fit, points) {
  own <- fit$parameters[fit$parameters$component == "covariance", ]
  v <- points$v[, points$kind != "coefficient", drop = FALSE]
  for (j in which(points$kind == "angle")) # half a turn is none
    v[, j] <- own$estimate[j] + (v[, j] - own$estimate[j] + 90) %% 180 - 90
  dimnames(v) <- list(NULL, rownames(own))
  zero_natural(v, zero_root(fit))
}

# A draw of the coefficients for each of the points `at`: given the covariance they are normal, of other families they
# are among the parameters of the points.
posterior_coefficients <- function(fit, points, at) {
  k <- length(fit$coefficients)
  value <- matrix(NA_real_, length(at), k, dimnames = list(NULL, rownames(fit$parameters)[seq_len(k)]))
  known <- which(is_known(fit))
  if (!length(known)) return(value)
  if (!is.null(points$beta)) {
    value[, known] <- points$beta[at, ]
    return(value)
  }
  normal <- matrix(stats::rnorm(length(known) * length(at)), length(known))
  v <- points$v
  if (!is.finite(points$ess)) { # of large data the coefficients hardly depend on what is not known of the covariance
    v <- points$nodes$v
    at <- sample(nrow(v), length(at), replace = TRUE, prob = points$nodes$weight)
  }
  each <- unique(at)
  one <- fit
  results_at(fit, v[each, , drop = FALSE], function(best, k) {
    one$coefficients[known] <<- best$beta
    one$vcov[known, known] <<- best$vcov
    rows <- which(at == each[k])
    value[rows, known] <<- t(drawn_coefficients(one, normal[, rows, drop = FALSE]))
  })
  value
}

#' @rdname posterior
#' @export
quantile.gpPosterior <- function(x, probs = c(0.025, 0.25, 0.5, 0.75, 0.975), ...) {
  check_extra(...)
  check_numbers("probs", probs, "not negative")
  if (any(probs > 1)) name_value("probs", probs, probs > 1, "must be at most 1")
  value <- t(vapply(as.data.frame(x), stats::quantile, numeric(length(probs)), probs = probs, names = FALSE))
  matrix(value, ncol(x), dimnames = list(names(x), percent(probs)))
}

#' @rdname posterior
#' @export
plot.gpPosterior <- function(x, which = c("density", "pairs"), parm = names(x), profile = FALSE, ask = NULL, ...) {
  which <- plot_views(which, eval(formals(plot.gpPosterior)$which))
  parm <- names(x)[which_parameters(parm, names(x), "parm")]
  fit <- attr(x, "original.fit")
  if (nrow(x) < 2L) input_error("x", "one draw", "must have two or more for a plot")
  own <- fit$parameters$component == "covariance" & profiled_rows(fit)
  profiled <- intersect(parm, rownames(fit$parameters)[own])
  curves <- if (one_flag("profile", profile) && "density" %in% which && length(profiled))
    as.data.frame(stats::profile(fit, profiled))
  draws <- as.data.frame(x)[parm]
  positive <- fit$parameters[parm, "lower"] == 0 & is.infinite(fit$parameters[parm, "upper"])
  draw_views(which, ask, function(view) {
    if (view == "pairs" && ncol(draws) > 1L) {
      shown <- draws
      shown[positive] <- log(shown[positive])
      names(shown) <- ifelse(positive, sprintf("log(%s)", parm), parm)
      return(call_plot(graphics::pairs, list(x = shown, pch = 16, cex = 0.4, gap = 0.3,
                                             col = grDevices::adjustcolor(plot_colours[["sample"]], 0.4)), ...))
    }
    old <- if (ncol(draws) > 1L && prod(graphics::par("mfrow")) == 1L)
      graphics::par(mfrow = grDevices::n2mfrow(ncol(draws)))
    if (!is.null(old)) on.exit(graphics::par(old))
    for (j in seq_along(draws))
      draw_posterior(draws[[j]], parm[j], positive[j], fit, curves[curves$parameter == parm[j], ], ...)
  })
  invisible(x)
}

# The density of the logarithm of what is positive, with the limits of 95 % and, if there is one, the profile of the
# likelihood, as high as the density.
draw_posterior <- function(v, name, positive, fit, curve, ...) {
  ends <- if (!positive) unlist(fit$parameters[name, c("lower", "upper")])
  ends <- ends[is.finite(ends)]
  density <- do.call(stats::density, c(list(if (positive) log(v) else v),
                                       if (length(ends) == 2L) list(from = ends[1L], to = ends[2L])))
  x <- if (positive) exp(density$x) else density$x
  call_plot(graphics::plot.default,
            list(x = x, y = density$y, type = "l", log = if (positive) "x" else "", xlab = name, las = 1, lwd = 2,
                 ylab = if (positive) "density of the logarithm" else "density", main = paste("Posterior of", name),
                 col = plot_colours[["sample"]], ylim = c(0, max(density$y))), ...)
  graphics::abline(v = fit$parameters[name, "estimate"], col = "grey75")
  graphics::abline(v = stats::quantile(v, c(0.025, 0.975)), lty = 2, col = "grey60")
  if (!NROW(curve)) return(invisible())
  graphics::lines(curve$value, max(density$y) * exp(-curve$tau^2 / 2), col = plot_colours[["fit"]])
  graphics::mtext("red: profile of the likelihood", line = 0.2, cex = 0.7)
}

#' @export
as.data.frame.gpPosterior <- function(x, ...) {
  attr(x, "points") <- attr(x, "original.fit") <- attr(x, "prior") <- attr(x, "ess") <- NULL
  class(x) <- "data.frame"
  x
}

# Some of the rows or columns are a plain data frame.
#' @export
`[.gpPosterior` <- function(x, ...) as.data.frame(x)[...]

#' @rdname posterior
#' @export
print.gpPosterior <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  cat(sprintf("Posterior distribution: %s%s\n\n", count_text(nrow(x), "draw"), if (is.finite(attr(x, "ess")))
    sprintf(" of points with an effective number of %.0f", attr(x, "ess")) else ", by a normal approximation"))
  print(quantile(x), digits = digits)
  invisible(x)
}

# ---- points ----

# Points of the posterior: `u`, a row each on the scale of posterior_scale(); their normalised `weight`; `ess`, the
# effective number; `v`, all parameters of the likelihood, a row each, of this `kind`, and the coefficients `beta`
# where these are among them; and few `nodes`, a list of v and weight, for predictions. Where the posterior is next to
# normal the points are those of that distribution, and the nodes its `corners`. `begun` is what a later call with
# more points wanted goes on from.
gp_posterior <- function(fit, prior, wanted, begun = NULL) {
  outermost <- !isTRUE(session$loop)
  on.exit(if (outermost) progress_loop_done())
  lik <- posterior_likelihood(fit)
  on.exit(lik$close(), add = TRUE)
  about <- lik$search()
  about[c("scaled", "inside")] <- list(FALSE, TRUE)
  scales <- c(gp_scales(about$problem, about$data), list(began = proc.time(), penalty = FALSE))
  s <- search_space(about, about$task$searched, scales)
  if (!is.null(lik$searched))
    s$rows$value <- lik$searched(fit$coefficients[is_known(fit)], covariance_rows(fit)$estimate)
  s$rows$value[is.na(s$rows$value)] <- 0 # a nugget of 0 is no start
  given <- log_prior(prior, s, max(about$problem$metric$dim, if (about$problem$metric$kind != "euclidean") 2L))
  own <- posterior_of(lik, given)
  scale <- posterior_scale(s)
  natural <- function(u) search_parameters(matrix(apply(u, 1L, scale$from), ncol(u)), s)
  target <- list(s = s, lik = own, given = given, scale = scale, values = function(u) {
    progress_loop("gpFit", s$scales$began, NaN)
    value <- tryCatch(lik$values(natural(u)), statcl_error_input = function(e) NULL)
    if (is.null(value)) value <- apply(u, 1L, function(u) search_value(scale$from(u), s, lik)$value)
    value[is.nan(value)] <- -Inf
    value + apply(u, 1L, function(u) sum(given(scale$from(u))) + scale$log_slope(u))
  })
  width <- if (is.null(begun)) posterior_widths(posterior_centre(fit, target), target) else begun$width
  # values of large data take long, and what is left of their parameters to know is little
  normal <- if (fit$nobs > most_on_grid) width$sound else width$miss < 0.1
  found <- if (normal) normal_points(width, max(wanted, 150))
           else weighted_points(width, second_centre(fit, target), target, wanted, begun)
  found$begun$width <- width
  found$prior <- known_prior(prior, s)
  found$v <- natural(found$u)
  found$kind <- s$rows$kind
  if (!is.null(lik$natural)) found$beta <- do.call(rbind, apply(found$v, 1L, function(v) lik$natural(v)$beta,
                                                                simplify = FALSE))
  if (normal) {
    found$nodes <- list(v = natural(found$corners), weight = rep(1 / nrow(found$corners), nrow(found$corners)))
  } else {
    # where the covariance is known, predictions vary with the family's own parameters and variances of groups
    features <- if (!is.null(s$units)) variograms_between(about$problem, found$v, s$rows, several_scales(s))
                else if (any(s$rows$part[s$at] > 0L)) log_variograms(about$problem, found$v, s$rows)
                else found$u[, s$rows$kind[s$at] != "coefficient", drop = FALSE]
    few <- few_points(features, found$weight, length(s$at))
    found$nodes <- list(v = found$v[few$at, , drop = FALSE], weight = few$weight)
  }
  found
}

# Points are drawn on the scale of the search but for a variance and the nugget: their sum, whose logarithm the data
# tell, and the logit of the share of the nugget, are nearly independent where they are not. `log_slope` is the
# logarithm of the determinant of the derivatives of this map, which is 0.
posterior_scale <- function(s) {
  if (!is.null(s$units)) return(several_scale(s))
  own <- s$rows[s$at, ]
  i <- c(which(own$parameter == "variance")[1L], which(own$parameter == "nugget")[1L])
  if (anyNA(i)) return(list(to = identity, from = identity, jacobian = function(u) diag(length(u)),
                            log_slope = function(u) 0))
  total <- function(a, b) max(a, b) + log1p(exp(-abs(a - b)))
  list(to = function(t) replace(t, i, c(total(t[i[1L]], t[i[2L]]), t[i[2L]] - t[i[1L]])),
       from = function(u) replace(u, i, u[i[1L]] + stats::plogis(c(-1, 1) * u[i[2L]], log.p = TRUE)),
       jacobian = function(u) {
         share <- stats::plogis(u[i[2L]])
         value <- diag(length(u))
         value[i, i] <- c(1, 1, -share, 1 - share)
         value
       }, log_slope = function(u) 0)
}

# That of a fit, by which everything is found that does not depend on its estimator.
posterior_likelihood <- function(fit) {
  if (is.null(fit$family)) fit$estimator <- "REML"
  fit$penalty <- FALSE
  likelihood_of(fit)
}

# The likelihood times the prior density, as the search takes it.
posterior_of <- function(lik, given) list(evaluate = function(point, least) {
  more <- sum(given(point$t))
  e <- lik$evaluate(point, least - more)
  e$value <- e$value + more
  if (is.null(e$gradient)) return(e)
  slope <- slopes_of(given, point$t)
  e$gradient <- e$gradient + slope$first
  diag(e$information) <- diag(e$information) + pmax(-slope$second, 0)
  e
})

# Where the posterior density is largest, and the axes of the normal distribution that has its curvature there:
# columns of `axes`, of length one standard deviation.
posterior_centre <- function(fit, target) {
  s <- target$s
  found <- fitted_centre(fit, target)
  if (!is.null(found)) return(found)
  t <- posterior_start(s)
  found <- search_climb(t, s, target$lik, tolerance = 1e-8) # else the points would depend on the estimates
  if (!is.finite(found$value)) raise_engine_error("input", "the posterior density is not finite at the estimates")
  t <- search_start(found$v, s)
  here <- search_value(t, s, target$lik, -Inf)
  if (!length(here$gradient) || !all(is.finite(c(here$gradient, here$information))))
    raise_engine_error("input", paste("the posterior density has no finite derivatives at its maximum: the response",
                                      "may be too large or too small, and need another unit"))
  by <- pmin(0.02 / sqrt(pmax(diag(here$information), 1e-4)), 0.1)
  h <- vapply(seq_along(t), function(j) { # one side is enough for axes along which widths are found, too
    for (side in c(1, -1)) {
      there <- search_value(replace(t, j, t[j] + side * by[j]), s, target$lik, -Inf)$gradient
      if (length(there)) return(side * (here$gradient - there) / by[j]) # where there is a density
    }
    here$information[, j]
  }, numeric(length(t)))
  h <- matrix(h, length(t))
  centre_of(t, here$value, (h + base::t(h)) / 2, target)
}

# The estimates. A variance of 0 is no place to begin at: of a process the search begins where it would without
# estimates, and of grouped effects at a tenth of the variance of the linear predictor.
posterior_start <- function(s) {
  t <- search_start(inside_bounds(s$rows$value, s), s)
  lost <- !is.finite(t)
  if (!any(lost)) return(t)
  own <- s$rows[s$at, ]
  usual <- usual_point(s)$t
  process <- own$part > 0L
  if (any(lost & process)) t[process] <- usual[process]
  t[!is.finite(t)] <- log(0.1 * s$scales$variance)
  t
}

# Of large data by what the fit knows, its information, and a step to where the prior leads.
fitted_centre <- function(fit, target) {
  s <- target$s
  if (fit$nobs <= most_on_grid || !is.null(fit$family)) return(NULL)
  vcov <- covariance_vcov(fit)[s$at, s$at, drop = FALSE]
  if (anyNA(vcov) || any(nzchar(covariance_rows(fit)$boundary[s$at]))) return(NULL)
  t <- search_start(s$rows$value, s)
  jacobian <- search_point(t, s)$jacobian
  h <- crossprod(jacobian, solve(vcov, jacobian))
  slope <- slopes_of(target$given, t)
  diag(h) <- diag(h) + pmax(-slope$second, 0)
  t <- t + solve(h, slope$first)
  centre_of(t, search_value(t, s, target$lik)$value, h, target)
}

# On the scale on which points are drawn, with h the curvature by t.
centre_of <- function(t, value, h, target) {
  u <- target$scale$to(t)
  jacobian <- target$scale$jacobian(u)
  list(u = u, value = value + target$scale$log_slope(u), axes = positive_axes(crossprod(jacobian, h %*% jacobian)))
}

# Of a function of each coordinate alone; of one that has more than these all are coordinates of its sum.
slopes_of <- function(f, t, h = 1e-3) {
  if (length(f(t)) > length(t)) {
    value <- function(h) vapply(seq_along(t), function(j) sum(f(replace(t, j, t[j] + h))), 0)
    return(list(first = (value(h) - value(-h)) / (2 * h), second = (value(h) + value(-h) - 2 * sum(f(t))) / h^2))
  }
  up <- f(t + h)
  down <- f(t - h)
  list(first = (up - down) / (2 * h), second = (up + down - 2 * f(t)) / h^2)
}

positive_axes <- function(h) {
  unit <- sqrt(pmax(diag(h), 1e-2))
  e <- eigen(h / tcrossprod(unit), TRUE)
  # eigen() leaves the signs open: rounding errors must not decide on the points
  side <- ifelse(colSums(e$vectors / (seq_along(unit) + 0.3)) < 0, -1, 1)
  (e$vectors / unit) %*% diag(side / sqrt(pmax(e$values, 0.02)), length(unit))
}

# The density on both sides of the centre along each axis. Of a normal distribution with these axes it falls by half
# the square of the distance: by how much it is another one, `miss`, and the widths `up` and `down`, in axes, of those
# by which it falls so; `sound`, were these found?
posterior_widths <- function(centre, target) {
  d <- length(centre$u)
  far <- sqrt(max(d, 3))
  wanted <- far^2 / 2
  step <- far * cbind(centre$axes, -centre$axes)
  by <- rep(1, 2L * d)
  fall <- numeric(2L * d)
  longer <- function(k) by[k] * pmin(pmax(sqrt(wanted / pmax(fall[k], 0.05)), 0.2), 3)
  open <- seq_along(by)
  for (try in 1:6) {
    fall[open] <- centre$value - target$values(t(centre$u + step[, open, drop = FALSE] * rep(by[open], each = d)))
    fall[is.nan(fall)] <- Inf
    if (try == 1L) miss <- max(abs(fall - wanted))
    open <- which(abs(fall / wanted - 1) >= 0.3)
    if (!length(open) || try == 6L) break
    by[open] <- longer(open)
  }
  by <- longer(seq_along(by))
  list(centre = centre$u, axes = centre$axes, up = by[seq_len(d)], down = by[d + seq_len(d)], miss = miss,
       sound = !length(open))
}

# Equally likely points of a distribution with two halves of a normal one along each axis, and as many nodes as there
# are corners of a simplex with the same mean and covariance.
normal_points <- function(width, wanted) {
  d <- length(width$centre)
  u <- drawn_points(low_discrepancy(4L * wanted, d), width, Inf)
  centre <- colMeans(u)
  corners <- sqrt(d + 1) * qr.Q(qr(stats::contr.helmert(d + 1L)))
  list(u = u, weight = rep(1 / nrow(u), nrow(u)), ess = Inf,
       corners = sweep(corners %*% chol(stats::cov(u)), 2L, centre, `+`))
}

# Where the likelihood has a second maximum, or NULL.
second_centre <- function(fit, target) {
  s <- target$s
  other <- fit$second$estimates[s$rows$name[s$at]]
  if (length(other) == length(s$at) && !anyNA(other))
    target$scale$to(search_start(inside_bounds(replace(s$rows$value, s$at, other), s), s))
}

# By importance sampling from a mixture of distributions, in turn: the first has along each axis two halves of a t
# distribution, as wide as the density falls, the second is wider, for what the first does not know of, one is around
# a second maximum, and the others are t distributions with the moments of all points so far (Cornuet, Marin, Mira and
# Robert 2012). Points are those of a sequence of low discrepancy.
weighted_points <- function(width, second, target, wanted, begun = NULL) {
  d <- length(width$centre)
  proposals <- list(width, Map(`*`, width[c("centre", "axes", "up", "down")], c(1, 1, 2.5, 2.5)))
  if (!is.null(second)) proposals[[3L]] <- replace(width, "centre", list(second))
  first <- length(proposals)
  count <- numeric() # of points of each
  u <- NULL
  value <- numeric()
  if (!is.null(begun$count)) for (name in c("proposals", "count", "u", "value", "weight")) assign(name, begun[[name]])
  several <- !is.null(target$s$units)
  size <- max(if (several) 100L else max(40L, 12L * d), ceiling(wanted / 2)) * if (several && d > 8L) 2L else 1L
  for (stage in length(count) + seq_len(if (several) 8L else 20L)) {
    if (stage > length(proposals)) proposals <- c(proposals, list(moment_proposal(u, weight, several)))
    count[stage] <- if (stage == 2L) ceiling(size / 2) else size
    fresh <- drawn_points(low_discrepancy(count[stage], d, length(value)), proposals[[stage]])
    u <- rbind(u, fresh)
    value <- c(value, target$values(fresh))
    if (stage < first) next
    from <- vapply(proposals, proposal_density, numeric(nrow(u)), u = u)
    from <- matrix(from, nrow(u))
    top <- apply(from, 1L, max)
    log_weight <- value - top - log(drop(exp(from - top) %*% count))
    weight <- exp(log_weight - max(log_weight))
    weight <- weight / sum(weight)
    ess <- 1 / sum(weight^2)
    if (ess >= wanted) break
  }
  if (ess < 50)
    warn(sprintf(paste("the posterior distribution is found by points with an effective number of %.0f only:",
                       "limits and averages over it are rough"), ess))
  keep <- weight > 1e-8
  list(u = u[keep, , drop = FALSE], weight = weight[keep] / sum(weight[keep]), ess = ess,
       begun = list(proposals = proposals, count = count, u = u, value = value, weight = weight))
}

# With the moments of all points.
moment_proposal <- function(u, weight, several) {
  d <- ncol(u)
  moments <- if (several) bounded_weights(weight, max(100L, 5L * d)) else weight
  centre <- colSums(moments * u)
  cov <- crossprod(sqrt(moments) * sweep(u, 2L, centre))
  cov <- cov + diag(1e-6 * diag(cov) + 1e-12 * max(diag(cov)) + 1e-20, d) # all weight may be on one point
  list(centre = centre, axes = positive_axes(solve(cov)), up = rep(1, d), down = rep(1, d))
}

# In many dimensions a few weights may be so large that moments are those of a few points: the largest ones are made
# equal (Koblents and Miguez 2015, Statistics and Computing 25, 407-425).
bounded_weights <- function(weight, count) {
  if (length(weight) <= count) return(weight / sum(weight))
  bounded <- pmin(weight, sort(weight, decreasing = TRUE)[count])
  bounded / sum(bounded)
}

proposal_freedom <- 4 # with 6 some posterior distributions of ranges without end have weights too large for 20 stages

drawn_points <- function(u, q, df = proposal_freedom) {
  z <- u
  for (j in seq_len(ncol(z))) { # each half has the share of its width
    share <- q$down[j] / (q$up[j] + q$down[j])
    low <- u[, j] < share
    z[low, j] <- q$down[j] * stats::qt(u[low, j] / share / 2, df)
    z[!low, j] <- q$up[j] * stats::qt(0.5 + (u[!low, j] - share) / (1 - share) / 2, df)
  }
  t(q$centre + q$axes %*% t(z))
}

proposal_density <- function(q, u) {
  z <- t(solve(q$axes, t(u) - q$centre))
  width <- ifelse(z > 0, rep(q$up, each = nrow(z)), rep(q$down, each = nrow(z)))
  rowSums(stats::dt(z / width, proposal_freedom, log = TRUE)) - sum(log((q$up + q$down) / 2)) -
    as.numeric(determinant(q$axes)$modulus)
}

# Additive recurrence with powers of the root of x^(d + 1) = x + 1 (Roberts 2018: a generalisation of the golden
# ratio).
low_discrepancy <- function(n, d, after = 0) {
  root <- 2
  for (k in 1:40) root <- (1 + root)^(1 / (d + 1))
  u <- (0.5 + outer(after + seq_len(n), root^-seq_len(d))) %% 1
  pmin(pmax(u, 1e-9), 1 - 1e-9)
}

# Predictions depend on the covariance by the variogram at the distances that there are, and that stays finite where
# parameters go to a limit together: its logarithms between some of the locations, a row for each point, are what few
# nodes have to represent.
log_variograms <- function(p, v, rows) {
  p$xy <- p$xy[!duplicated(place_numbers(p$xy)), , drop = FALSE]
  p$xy <- p$xy[gp_sample(p, 6L), , drop = FALSE]
  p$error <- 0
  pairs <- which(upper.tri(diag(nrow(p$xy))) & as.matrix(stats::dist(space_points(p$xy, p$metric))) > 0)
  rows <- as.list(rows[rows$part > 0L, ])
  v <- v[, seq_along(rows$part), drop = FALSE]
  engine <- engine_of_sets(p, v, rows)
  if (!is.null(engine)) {
    covariance <- .Call(C_covarianceMatrix, engine_among(p$xy, NULL, p$metric, engine), list(list("none", 0L, NULL)),
                        NULL)
    variance <- v[, rows$parameter == "variance"]
    rise <- variance - t(matrix(covariance, ncol = nrow(v))[pairs, , drop = FALSE])
    return(log(pmax(v[, rows$parameter == "nugget"] + rise, 1e-12 * variance)))
  }
  value <- apply(v, 1L, function(v) {
    now <- gp_at(p, set_parameters(p$model, v, rows))
    rise <- process_variance(now) - process_covariance(now, now$xy)[pairs]
    log(pmax(model_nugget(now$model) + rise, 1e-12 * process_variance(now)))
  })
  t(value)
}

# Points with positive weights, of which at most as many are needed as there are moments (Tchakaloff; by the algorithm
# of Lawson and Hanson 1974): those to the second order, and the fourth of the distance from the centre, of up to
# three principal components of the features, as normal scores, which bound what single points far away do. A
# third one that moves the logarithms by less than 0.05 in the mean, and averages by 0.00125, is left out. `at`, which
# of the points, and their `weight`.
few_points <- function(features, weight, d) {
  x <- sweep(features, 2L, colSums(weight * features))
  e <- eigen(crossprod(sqrt(weight) * x), TRUE)
  size <- e$values / max(e$values[1L], 1e-8)
  large <- size > 1e-8 & (seq_along(size) < 3L | e$values > 2.5e-3 * ncol(features))
  d <- min(d, 3L, sum(large))
  z <- apply(x %*% e$vectors[, seq_len(d), drop = FALSE], 2L, normal_scores, weight)
  z <- sweep(z, 2L, colSums(weight * z))
  if (d) z <- z %*% solve(chol(crossprod(sqrt(weight) * z)))
  pairs <- which(upper.tri(diag(d), TRUE), arr.ind = TRUE)
  moments <- rbind(1, t(z), t(z[, pairs[, 1L], drop = FALSE] * z[, pairs[, 2L], drop = FALSE]), 0.1 * rowSums(z^2)^2)
  w <- nonnegative_solution(moments, drop(moments %*% weight))
  at <- which(w > 1e-6)
  list(at = at, weight = w[at] / sum(w[at]))
}

normal_scores <- function(v, weight) {
  o <- order(v)
  below <- numeric(length(v))
  below[o] <- cumsum(weight[o]) - weight[o] / 2
  stats::qnorm(pmin(pmax(below, 1e-3), 1 - 1e-3))
}

# The least squares solution of a x = b with no x below 0.
nonnegative_solution <- function(a, b) {
  x <- numeric(ncol(a))
  passive <- integer()
  for (step in seq_len(3L * nrow(a))) {
    slope <- drop(crossprod(a, b - a %*% x))
    slope[passive] <- -Inf
    new <- which.max(slope)
    if (!slope[new] > 1e-10) break
    passive <- c(passive, new)
    repeat {
      z <- qr.coef(qr(a[, passive, drop = FALSE], tol = 1e-12), b)
      z[is.na(z)] <- 0
      if (all(z > 0)) break
      low <- which(z <= 0)
      share <- min((x[passive] / pmax(x[passive] - z, 1e-300))[low]) # 0 of a new one that is no help
      x[passive] <- x[passive] + share * (z - x[passive])
      keep <- x[passive] > 1e-12
      x[passive[!keep]] <- 0
      passive <- passive[keep]
    }
    x[passive] <- z
  }
  x
}

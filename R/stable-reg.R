#' Linear models with stable errors
#'
#' Maximum likelihood estimates of the coefficients of a linear model whose errors follow a stable law, together with
#' the shape of that law: regression for heavy-tailed responses, in which outliers get the small weight that the
#' estimated tails give them.
#'
#' The model is `y = X b + offset + e`, where the errors `e` are independent and have the law of
#' [`rstable(n, alpha, beta, gamma)`][rstable()] with `delta = 0` in the parameterisation `pm = 0`. So the linear
#' predictor is the location `delta` of the response in S0. It is not the mean unless `beta = 0` or `alpha = 2`: for
#' `alpha > 1` the mean is smaller by `beta * gamma * tan(pi * alpha / 2)`, and for `alpha <= 1` there is none. This
#' concerns the intercept alone; [`predict(type = "mean")`][predict.stableReg()] adds it. In a model without intercept
#' the location of the errors stays 0, and `beta` is known from their shape and from where they lie.
#'
#' The likelihood is maximised by Newton's method with the second derivatives of the log density, in parameters
#' that put the boundaries of `alpha`, `beta` and `gamma` at infinity, and with orthogonalised columns of `X`, so that
#' units do not matter. It starts from least absolute deviations and [stableFit()] of their residuals, and from the
#' fit without slopes. `alpha = 2` and `beta = -1` or `1` are constraints as in [stableFit()]: where the likelihood is
#' largest there, the estimate is that value, `boundary` says so, it has no standard error, and those of the others
#' hold it fixed. With `alpha = 2` the coefficients are those of [lm()], and `gamma` is `sqrt(RSS / (2 n))`.
#'
#' A plane through as many observations as it has coefficients makes the likelihood unbounded when `alpha` is less
#' than their share `p / (n - p)`; `alpha` is therefore searched above that and above 0.3 only. A search that ends
#' there, or without a maximum, gives a warning and `converged = FALSE`. For `alpha < 1` the likelihood may have
#' several maxima, and the estimate is the best of those that were found.
#'
#' Standard errors come from the inverse observed information of all parameters.
#'
#' @param formula,data,subset,na.action,offset,contrasts as in [lm()].
#' @param weights numbers of times that the observations count, not negative, as in [stableFit()]: a case with weight
#'   2 is the same as two equal cases. (Those of [lm()] are inverse variances.)
#' @param fixed named list or vector of parameters of the errors that are known, among `alpha`, `beta` and `gamma`.
#' @param start named list of starting values: `alpha`, `beta` and `gamma` as far as they are not fixed, and
#'   `coefficients`, those of the model; each of the two may be left out and is found from the data then. The search
#'   begins there as well as where it would without `start`.
#' @param maxit largest number of Newton steps of one search.
#' @param model if `TRUE`, the model frame is kept.
#' @return An object of class `stableReg` with [methods][stableReg-methods] for the usual functions: a list with
#'   \item{coefficients}{of the linear model; `NA` where a column of the model matrix depends on those before.}
#'   \item{shape}{`alpha`, `beta` and `gamma` of the errors.}
#'   \item{vcov}{covariance matrix of both, `NA` for parameters that are fixed or on a boundary.}
#'   \item{residuals, fitted.values}{response less fitted location, and the latter.}
#'   \item{loglik}{the maximised log likelihood.}
#'   \item{rank, df.residual, nobs}{number of coefficients estimated; number of observations less all parameters
#'     estimated; sum of the weights, or number of observations.}
#'   \item{fixed, boundary}{which of the shape were fixed? `"lower"` or `"upper"` for those on that boundary, else
#'     `""`.}
#'   \item{converged, iterations}{was a maximum found, after how many Newton steps in all?}
#'   \item{call, terms, model, weights, offset, contrasts, xlevels, na.action}{as in [lm()].}
#' @references
#' McCulloch, J. H. (1998). Linear regression with stable disturbances. In R. J. Adler, R. E. Feldman and M. S. Taqqu
#' (eds), *A Practical Guide to Heavy Tails*, 359--376. Birkhauser.
#'
#' Nolan, J. P. and Ojeda-Revah, D. (2013). Linear and nonlinear regression with stable errors. *Journal of
#' Econometrics* **172**, 186--194.
#' @seealso [stableReg-methods], [predict.stableReg()], [plot.stableReg()], [stableFit()]
#' @examples
#' # market model: daily returns of the French index explained by the German one
#' returns <- as.data.frame(diff(log(datasets::EuStockMarkets)) * 100)
#' fit <- stableReg(CAC ~ DAX, returns)
#' summary(fit)
#' coef(lm(CAC ~ DAX, returns))
#'
#' # outliers: stack losses, Brownlee's 21 days of a plant
#' loss <- stableReg(stack.loss ~ ., datasets::stackloss)
#' cbind(stable = coef(loss), lm = coef(lm(stack.loss ~ ., datasets::stackloss)))
#' @importFrom stats model.matrix model.response model.weights model.offset
#' @export
stableReg <- function(formula, data, subset, weights, na.action, offset, contrasts = NULL, fixed = list(),
                      start = NULL, maxit = 100, model = TRUE) {
  call <- match.call()
  frame <- match.call(expand.dots = FALSE)
  frame <- frame[c(1L, match(c("formula", "data", "subset", "weights", "na.action", "offset"), names(frame), 0L))]
  frame$drop.unused.levels <- TRUE
  frame[[1L]] <- quote(stats::model.frame)
  frame <- eval(frame, parent.frame())
  terms <- attr(frame, "terms")
  x <- model.matrix(terms, frame, contrasts)
  fit <- reg_fit(x, reg_response(frame, terms), model.weights(frame), model.offset(frame), fixed, start, maxit)
  if (!fit$converged) warning(reg_trouble(fit))
  else if (anyNA(diag(fit$vcov)[reg_estimated(fit)]))
    warning("no standard errors: the observed information is not positive definite")
  structure(c(fit, list(call = call, terms = terms, model = if (model) frame, contrasts = attr(x, "contrasts"),
                        xlevels = stats::.getXlevels(terms, frame), na.action = attr(frame, "na.action"))),
            class = "stableReg")
}

reg_response <- function(frame, terms) {
  if (attr(terms, "response") == 0L) input_error("formula", deparse(stats::formula(terms))[1L], "has no response")
  y <- model.response(frame)
  if (!is.numeric(y) || NCOL(y) > 1L)
    input_error("formula", names(frame)[1L], "must have a numeric vector on the left")
  y
}

reg_trouble <- function(fit) {
  if (fit$boundary[["alpha"]] == "lower")
    "alpha is at the lower end of the search: the likelihood may grow without bound beyond"
  else "the likelihood has not been maximised: try other values of start"
}

# Positions in c(coefficients, shape) of what has been estimated and is not on a boundary.
reg_estimated <- function(fit) {
  free <- !fit$fixed & !nzchar(fit$boundary)
  if (fit$shape[["alpha"]] == 2) free[["beta"]] <- FALSE
  c(!is.na(fit$coefficients), free)
}

# The fit of a model matrix; everything that does not need the formula.
reg_fit <- function(x, y, weights, offset, fixed, start, maxit = 100) {
  fixed <- reg_fixed(fixed)
  if (!is.numeric(maxit) || length(maxit) != 1L || is.na(maxit) || maxit < 1)
    input_error("maxit", maxit, "must be a positive number")
  p <- reg_problem(x, y, weights, offset, fixed, maxit)
  start <- reg_start(start, fixed, p)
  found <- reg_search(p, fixed, start)
  law <- found$law
  coefficients <- rep(NA_real_, ncol(x))
  names(coefficients) <- colnames(x)
  keep <- p$qr$pivot[seq_len(p$rank)]
  final <- reg_reframed(p, law, 0)
  back <- reg_back(p)
  coefficients[keep] <- drop(back %*% final$location)
  used <- coefficients
  used[is.na(used)] <- 0
  fitted <- drop(x %*% used) + p$offset
  shape <- c(alpha = law$alpha, beta = law$beta, gamma = law$gamma)
  names <- c(colnames(x), names(shape))
  vcov <- matrix(NA_real_, length(names), length(names), dimnames = list(names, names))
  place <- c(ncol(x) + 1:3, keep)
  vcov[place, place] <- reg_covariance(p, found, back)
  known <- !is.na(fixed)
  names(known) <- names(shape)
  boundary <- c(alpha = if (known[["alpha"]]) "" else if (law$alpha == 2) "upper" else
                  if (law$alpha <= p$floor) "lower" else "",
                beta = if (known[["beta"]] || abs(law$beta) < 1) "" else if (law$beta > 0) "upper" else "lower",
                gamma = "")
  estimated <- p$rank + sum(!known) - (law$alpha == 2 && !known[["beta"]])
  list(coefficients = coefficients, shape = shape, vcov = vcov, residuals = y - fitted, fitted.values = fitted,
       loglik = found$d$ll, rank = p$rank, df = estimated, df.residual = p$total - estimated, nobs = p$total,
       fixed = known, boundary = boundary, converged = found$why == "maximum" && boundary[["alpha"]] != "lower",
       iterations = found$iterations, weights = weights, offset = offset)
}

reg_fixed <- function(fixed) {
  if ("delta" %in% names(fixed)) input_error("fixed", "delta", "must have names among alpha, beta, gamma")
  fixed <- fit_values(fixed, "fixed")[1:3]
  if (!is.na(fixed[["alpha"]]) && fixed[["alpha"]] < reg_smallest_alpha)
    input_error("fixed$alpha", fixed[["alpha"]], paste("must be from", reg_smallest_alpha, "to 2"))
  fixed
}

reg_smallest_alpha <- 0.3

# What the search needs of the data: the cases that count, with orthogonal columns q of mean square 1 in place of x;
# unit, the coefficients of q that give a constant 1, if there are any; floor, below which alpha is not searched.
reg_problem <- function(x, y, weights, offset, fixed, maxit) {
  n <- length(y)
  if (any(!is.finite(y))) element_error("y", y, !is.finite(y), "the response must be finite")
  bad <- which(!is.finite(x), arr.ind = TRUE)
  if (nrow(bad))
    input_error(colnames(x)[bad[1L, 2L]], x[bad[1L, , drop = FALSE]], "must be finite in all cases")
  if (is.null(offset)) offset <- numeric(n)
  if (any(!is.finite(offset))) element_error("offset", offset, !is.finite(offset), "offset must be finite")
  if (!is.null(weights)) {
    if (!is.numeric(weights)) input_error("weights", class(weights)[1L], "must be numeric")
    wrong <- !is.finite(weights) | weights < 0
    if (any(wrong)) element_error("weights", weights, wrong, "weights must be finite and not negative")
  }
  w <- if (is.null(weights)) rep(1, n) else as.double(weights)
  use <- w > 0
  m <- sum(use)
  qr <- qr(x[use, , drop = FALSE], tol = 1e-7)
  rank <- qr$rank
  if (m < max(10, 2 * rank + 1))
    raise_engine_error("input", sprintf("%d observations for %d coefficients: a fit needs at least %d", m, rank,
                                        as.integer(max(10, 2 * rank + 1))))
  q <- qr.qy(qr, diag(sqrt(m), m, rank))
  unit <- colSums(q) / m
  heavy <- sum(sort(w[use], decreasing = TRUE)[seq_len(rank)])
  p <- list(y = (y - offset)[use], q = q, w = w[use], total = if (is.null(weights)) n else sum(w), qr = qr,
            rank = rank, offset = offset, floor = max(reg_smallest_alpha, min(1.99, heavy / (sum(w) - heavy))),
            unit = if (max(abs(q %*% unit - 1)) < 1e-9) unit, maxit = maxit)
  if (!is.na(fixed[["alpha"]]) && fixed[["alpha"]] < p$floor)
    input_error("fixed$alpha", fixed[["alpha"]],
                sprintf("must be at least %.3g, the likelihood of %d coefficients is unbounded below", p$floor, rank))
  p$normal <- stats::lm.wfit(q, p$y, p$w)$coefficients
  if (max(abs(p$y - q %*% p$normal)) <= 1e-13 * max(abs(p$y)))
    raise_engine_error("input", "the linear model fits the response exactly: there are no errors")
  p
}

# From the coefficients of q to those of the columns of x that are kept.
reg_back <- function(p) {
  k <- seq_len(p$rank)
  if (p$rank) backsolve(qr.R(p$qr)[k, k, drop = FALSE], diag(sqrt(nrow(p$q)), p$rank)) else matrix(0, 0L, 0L)
}

# ---- the likelihood ----

# A law is a list of alpha, beta, gamma, the coefficients of q, location, and the parameterisation of the latter,
# frame: S0, or S1 for small alpha, where S0's location hardly varies independently of alpha and beta (see
# src/stable_fit.c).
reg_reframed <- function(p, law, frame) {
  if (law$frame == frame) return(law)
  shift <- law$gamma * law$beta * tan(pi / 2 * law$alpha)
  law$location <- law$location + (if (frame == 0) shift else -shift) * p$unit
  law$frame <- frame
  law
}

reg_best_frame <- function(p, law)
  if (is.null(p$unit)) 0 else if (law$alpha < 0.75) 1 else if (law$alpha > 0.8) 0 else law$frame

reg_loglik <- function(p, law) {
  z <- (p$y - drop(p$q %*% law$location)) / law$gamma
  ll <- sum(p$w * dstable(z, law$alpha, law$beta, pm = law$frame, log = TRUE)) - sum(p$w) * log(law$gamma)
  if (is.nan(ll)) -Inf else ll
}

# Log likelihood, gradient g, observed information and outer product of the scores with respect to
# (log(alpha/(2 - alpha)), atanh(beta), log(gamma), location/gamma).
reg_differentiate <- function(p, law) {
  z <- (p$y - drop(p$q %*% law$location)) / law$gamma
  s <- stable_slopes(z, law$alpha, law$beta, law$frame)
  ll <- sum(p$w * s[, "log_f"]) - sum(p$w) * log(law$gamma)
  s[!is.finite(s)] <- 0 # of parameters that are held on a boundary
  da <- law$alpha * (2 - law$alpha) / 2
  db <- (1 - law$beta) * (1 + law$beta)
  l_z <- s[, "z"]
  mixed <- l_z + z * s[, "z.z"]
  score <- cbind(da * s[, "alpha"], db * s[, "beta"], -1 - z * l_z, -l_z * p$q)
  sum_of <- function(v) sum(p$w * v)
  shape <- matrix(0, 3L, 3L)
  shape[1L, ] <- c(da^2 * sum_of(s[, "alpha.alpha"]) + da * (1 - law$alpha) * sum_of(s[, "alpha"]),
                   da * db * sum_of(s[, "alpha.beta"]), -da * sum_of(z * s[, "alpha.z"]))
  shape[2L, 2:3] <- c(db^2 * sum_of(s[, "beta.beta"]) - 2 * law$beta * db * sum_of(s[, "beta"]),
                      -db * sum_of(z * s[, "beta.z"]))
  shape[3L, 3L] <- sum_of(z * mixed)
  shape[lower.tri(shape)] <- t(shape)[lower.tri(shape)]
  cross <- crossprod(p$q, p$w * cbind(-da * s[, "alpha.z"], -db * s[, "beta.z"], mixed))
  second <- rbind(cbind(shape, t(cross)), cbind(cross, crossprod(p$q, p$w * s[, "z.z"] * p$q)))
  list(ll = if (is.nan(ll)) -Inf else ll, g = colSums(p$w * score), info = -second,
       scores = crossprod(score, p$w * score))
}

# ---- the search ----

# solve(m, g) by Cholesky's method, or the inverse; NULL unless m is safely positive definite.
reg_solve <- function(m, g) {
  d <- diag(m)
  if (!all(is.finite(m)) || any(d <= 0)) return(NULL)
  scale <- 1 / sqrt(d)
  root <- tryCatch(chol(m * outer(scale, scale)), error = function(e) NULL)
  if (is.null(root) || min(diag(root))^2 < 1e-11) return(NULL)
  if (missing(g)) return(chol2inv(root) * outer(scale, scale))
  scale * backsolve(root, forwardsolve(t(root), scale * g))
}

# Newton's step. Where the likelihood is not concave, or with damping > 0, eigenvalues of the information take their
# absolute values and a ridge, in units in which the squared scores add up to 1, so that it leads uphill. gain: what
# the quadratic model promises, half the score statistic if concave. The step is cut to where that model may serve.
reg_ascent <- function(d, free, damping) {
  info <- d$info[free, free, drop = FALSE]
  g <- d$g[free]
  found <- if (damping == 0) reg_solve(info, g)
  concave <- !is.null(found)
  if (!concave) {
    scale <- 1 / sqrt(diag(d$scores)[free] + 1e-6)
    scaled <- info * outer(scale, scale)
    if (!all(is.finite(scaled))) return(list(step = numeric(length(free)), gain = -1, concave = FALSE))
    e <- eigen(scaled, symmetric = TRUE)
    values <- pmax(abs(e$values), 0.01) + damping * max(abs(e$values), 0.01)
    found <- scale * drop(e$vectors %*% (crossprod(e$vectors, scale * g) / values))
  }
  step <- numeric(length(free))
  step[free] <- found
  list(step = step / max(1, abs(step[1:3]), abs(step[-(1:3)]) / 5), gain = sum(step * d$g) / 2, concave = concave)
}

reg_moved <- function(p, law, step, free) {
  if (free[1L]) law$alpha <- max(2 * stats::plogis(stats::qlogis(law$alpha / 2) + step[1L]), p$floor)
  if (free[2L]) law$beta <- tanh(atanh(law$beta) + step[2L])
  law$location <- law$location + law$gamma * step[-(1:3)]
  if (free[3L]) law$gamma <- law$gamma * exp(step[3L])
  law
}

# Climbs to a maximum, which takes a concave likelihood and a score of no size ("maximum"), or until the search heads
# for a boundary that is watched ("alpha", "beta"), or no step helps ("stuck").
reg_climb <- function(p, law, free, watch = character()) {
  law <- reg_reframed(p, law, reg_best_frame(p, law))
  d <- reg_differentiate(p, law)
  damping <- 0
  iterations <- 0L
  mark <- -Inf
  why <- if (is.finite(d$ll)) "running" else "stuck"
  for (round in 0:p$maxit) {
    if (why != "running") break
    if (free[1L] && law$alpha <= p$floor && d$g[1L] < 0) free[1L] <- FALSE
    if ("alpha" %in% watch && free[1L] && law$alpha > 1.995 && d$g[1L] > 0) why <- "alpha"
    else if ("beta" %in% watch && free[2L] && abs(law$beta) > 0.995 && d$g[2L] * law$beta > 0) why <- "beta"
    if (why != "running") break
    ascent <- reg_ascent(d, free, damping)
    noise <- 1e-14 * abs(d$ll) + 1e-10 # differences below the rounding of the likelihood decide nothing
    # a likelihood that creeps has no maximum
    creeps <- round %% 25 == 0 && d$ll <= mark + 0.01
    if (round %% 25 == 0) mark <- d$ll
    if (ascent$concave && ascent$gain >= 0 && ascent$gain < noise) why <- "maximum"
    else if (ascent$gain < noise || round == p$maxit || creeps) why <- "stuck"
    if (why != "running") break
    to <- reg_moved(p, law, ascent$step, free)
    ll <- reg_loglik(p, to)
    share <- 1
    while (!(ll > d$ll - noise) && share > 1e-3) {
      share <- 0.4 * share
      to <- reg_moved(p, law, share * ascent$step, free)
      ll <- reg_loglik(p, to)
    }
    if (ll > d$ll - noise) {
      iterations <- iterations + 1L
      if (ll <= d$ll && ascent$gain < 1e-8 && ascent$concave) why <- "maximum"
      law <- reg_reframed(p, to, reg_best_frame(p, to))
      d <- reg_differentiate(p, law)
      damping <- 0
    } else if (ascent$gain < 1e-6 && ascent$concave) {
      why <- "maximum"
    } else {
      damping <- if (damping > 0) 100 * damping else 1
      if (damping > 1e4) why <- "stuck"
    }
  }
  list(law = law, d = d, free = free, why = why, iterations = iterations)
}

# Moves the end point of a one-sided law beyond the observations, if it is not there.
reg_cover <- function(p, law) {
  if (law$alpha >= 1 || abs(law$beta) < 1 || is.null(p$unit)) return(law)
  side <- sign(law$beta)
  end <- if (law$frame == 0) -law$beta * tan(pi / 2 * law$alpha) * law$gamma else 0
  room <- min(side * (p$y - drop(p$q %*% law$location) - end))
  if (room <= 0) law$location <- law$location + side * (room - 0.01 * law$gamma) * p$unit
  law
}

# The better of a fit and of a climb along beta = -1 or 1 from where it is.
reg_try_beta <- function(p, fit, watch = character()) {
  law <- fit$law
  law$beta <- if (law$beta < 0) -1 else 1
  free <- fit$free
  free[2L] <- FALSE
  edge <- reg_climb(p, reg_cover(p, law), free, watch)
  edge$iterations <- edge$iterations + fit$iterations
  if (edge$d$ll >= fit$d$ll) edge else within(fit, iterations <- edge$iterations)
}

# The normal law has its maximum in closed form: least squares.
reg_normal <- function(p, fixed) {
  rest <- p$y - drop(p$q %*% p$normal)
  gamma <- if (is.na(fixed[["gamma"]])) sqrt(sum(p$w * rest^2) / sum(p$w) / 2) else fixed[["gamma"]]
  beta <- if (is.na(fixed[["beta"]])) 0 else fixed[["beta"]]
  law <- list(alpha = 2, beta = beta, gamma = gamma, location = unname(p$normal), frame = 0)
  list(law = law, d = reg_differentiate(p, law), free = c(FALSE, FALSE, is.na(fixed[["gamma"]]), rep(TRUE, p$rank)),
       why = "maximum", iterations = 0L)
}

# The maximum that a start leads to, in the interior or on a boundary.
reg_maximise <- function(p, law, fixed, normal) {
  free <- c(unname(is.na(fixed)), rep(TRUE, p$rank))
  on_edge <- free[2L] && abs(law$beta) == 1
  start <- law
  if (on_edge) law$beta <- 0.99 * law$beta
  watch <- c("alpha", "beta")
  fit <- reg_climb(p, law, free, watch)
  while (fit$why %in% watch) {
    if (fit$why == "alpha" && normal$d$ll >= fit$d$ll) return(fit)
    watch <- setdiff(watch, fit$why)
    before <- fit
    if (fit$why == "beta") fit <- reg_try_beta(p, before, watch)
    if (fit$why %in% c("alpha", "beta") && !fit$why %in% watch) {
      fit <- reg_climb(p, fit$law, fit$free, watch)
      fit$iterations <- fit$iterations + before$iterations
    }
  }
  if (fit$why == "stuck" && fit$law$alpha <= p$floor) return(fit)
  if (fit$free[2L] && abs(fit$law$beta) > 0.95) fit <- reg_try_beta(p, fit)
  if (on_edge && fit$free[2L]) fit <- reg_try_beta(p, within(fit, law <- start))
  fit
}

# ---- starts ----

# Robust start: least squares with weights 1/max(|residual|, their median), between least absolute deviations, which
# would go through some of the observations and suggest a peak there, and least squares.
reg_robust <- function(p) {
  location <- unname(p$normal)
  for (round in 1:100) {
    rest <- abs(p$y - drop(p$q %*% location))
    fit <- stats::lm.wfit(p$q, p$y, p$w / pmax(rest, stats::median(rest), .Machine$double.xmin))
    change <- max(abs(p$q %*% (fit$coefficients - location)), 0)
    if (is.na(change)) break
    location <- unname(fit$coefficients)
    if (change < 1e-3 * stats::median(abs(fit$residuals))) break
  }
  location
}

# Law of the errors for given coefficients, whose part in the direction of the constant is set with it.
reg_law <- function(p, location, fixed) {
  rest <- p$y - drop(p$q %*% location)
  known <- as.list(fixed[!is.na(fixed)])
  if (is.null(p$unit)) known$delta <- 0
  middle <- stats::quantile(rest, c(0.25, 0.5, 0.75), names = FALSE)
  rough <- c(alpha = 1.5, beta = 0, gamma = max((middle[3L] - middle[1L]) / 2, 1e-3 * max(abs(rest))),
             delta = if (is.null(p$unit)) 0 else middle[2L])
  rough[names(fixed)[!is.na(fixed)]] <- fixed[!is.na(fixed)]
  law <- if (length(known) == 4L) rough
         else tryCatch(suppressWarnings(coef(stableFit(rest, fixed = known, weights = p$w))),
                       statcl_error = function(e) rough)
  if (!all(is.finite(law))) law <- rough
  reg_start_law(p, law, location + if (is.null(p$unit)) 0 else law[["delta"]] * p$unit, fixed)
}

# Off the boundaries, where the search is not meant to stay on them.
reg_start_law <- function(p, shape, location, fixed) {
  alpha <- if (is.na(fixed[["alpha"]])) min(max(shape[["alpha"]], 1.05 * p$floor), 1.99) else fixed[["alpha"]]
  list(alpha = alpha, beta = shape[["beta"]], gamma = shape[["gamma"]], location = location, frame = 0)
}

# Checks start: a list of coefficients and shape, each a vector or NULL.
reg_start <- function(start, fixed, p) {
  if (is.null(start)) return(list())
  if (!is.list(start) && !is.numeric(start)) input_error("start", start, "must be a named list")
  start <- as.list(start)
  b <- start$coefficients
  start$coefficients <- NULL
  columns <- colnames(p$qr$qr)[seq_len(p$rank)]
  if (!is.null(b)) {
    if (!is.numeric(b) || any(!is.finite(b[!is.na(b)]))) input_error("start$coefficients", b, "must be finite")
    if (!is.null(names(b)) && all(columns %in% names(b))) b <- b[columns]
    if (length(b) != p$rank || anyNA(b))
      input_error("start$coefficients", b, paste("must have a value for each of", toString(columns)))
  }
  if (!length(start)) return(list(coefficients = b))
  if ("delta" %in% names(start))
    input_error("start", "delta", "must have names among alpha, beta, gamma, coefficients")
  shape <- fit_values(start, "start")[1:3]
  both <- !is.na(shape) & !is.na(fixed)
  if (any(both)) input_error("start", names(shape)[both], "names a parameter that is fixed")
  none <- is.na(shape) & is.na(fixed)
  if (any(none)) input_error("start", names(start), paste("has no value for", toString(names(shape)[none])))
  list(coefficients = b, shape = ifelse(is.na(fixed), shape, fixed))
}

# The best maximum from all starts: one that is a maximum, and not at the lower end of alpha, comes before any other.
reg_search <- function(p, fixed, start) {
  normal <- if (is.na(fixed[["alpha"]]) || fixed[["alpha"]] == 2) reg_normal(p, fixed)
  if (!is.na(fixed[["alpha"]]) && fixed[["alpha"]] == 2) return(normal)
  k <- seq_len(p$rank)
  robust <- reg_robust(p)
  location <- if (is.null(start$coefficients)) robust
              else drop(qr.R(p$qr)[k, k, drop = FALSE] %*% start$coefficients) / sqrt(nrow(p$q))
  sound <- function(fit)
    fit$why %in% c("maximum", "alpha") && (!is.na(fixed[["alpha"]]) || fit$law$alpha > p$floor)
  best <- NULL
  iterations <- 0L
  # whether a start that is better than the best maximum, or any if that is not sound, leads to a better one
  try <- function(law) {
    if (!is.null(best) && sound(best) && !(reg_loglik(p, law) > best$d$ll + 1e-8)) return(FALSE)
    fit <- reg_maximise(p, law, fixed, normal)
    iterations <<- iterations + fit$iterations
    better <- is.null(best) || sound(fit) > sound(best) || sound(fit) == sound(best) && fit$d$ll > best$d$ll
    if (better) best <<- fit
    better
  }
  try(if (is.null(start$shape)) reg_law(p, location, fixed) else reg_start_law(p, start$shape, location, fixed))
  if (length(start)) try(reg_law(p, robust, fixed)) # a start adds to the others, so that it cannot do harm
  if (!sound(best) && is.na(fixed[["alpha"]])) try(reg_law(p, robust, replace(fixed, "alpha", 1.2)))
  # without slopes; and with the location chosen anew, for alpha < 1 has many maxima of it
  if (!is.null(p$unit) && p$rank > 1L) try(reg_law(p, numeric(p$rank), fixed))
  for (round in 1:3)
    if (!sound(best) || best$law$alpha >= 1 || !try(reg_law(p, reg_reframed(p, best$law, 0)$location, fixed))) break
  if (!is.null(normal) && (normal$d$ll >= best$d$ll || best$why == "alpha")) best <- normal
  best$iterations <- iterations
  best
}

# Covariance of (alpha, beta, gamma, coefficients): the delta method takes it from the coordinates of the search.
reg_covariance <- function(p, fit, back) {
  law <- fit$law
  m <- length(fit$free)
  full <- matrix(NA_real_, m, m)
  inverse <- reg_solve(fit$d$info[fit$free, fit$free, drop = FALSE])
  if (is.null(inverse)) return(full)
  jacobian <- diag(c(law$alpha * (2 - law$alpha) / 2, (1 - law$beta) * (1 + law$beta), rep(law$gamma, m - 2L)), m)
  if (law$frame == 1) {
    t <- tan(pi / 2 * law$alpha)
    jacobian[-(1:3), 1:3] <- outer(p$unit, law$gamma * c(law$beta * pi / 2 * (1 + t^2) * jacobian[1L, 1L],
                                                         t * jacobian[2L, 2L], law$beta * t))
  }
  jacobian[-(1:3), ] <- back %*% jacobian[-(1:3), , drop = FALSE]
  full[fit$free, fit$free] <- {
    j <- jacobian[fit$free, fit$free, drop = FALSE]
    j %*% inverse %*% t(j)
  }
  full
}

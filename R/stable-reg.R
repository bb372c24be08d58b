#' Linear models with stable errors
#'
#' Fits a linear model whose errors follow a stable distribution by maximum likelihood, together with the shape of
#' that distribution. Use it for heavy-tailed responses: outliers get the small weight that the estimated tails give
#' them.
#'
#' The model is `y = X b + offset + e`, where the errors `e` are independent and have the distribution of
#' [`rstable(n, alpha, beta, gamma)`][rstable()] with `delta = 0` in the parameterisation `pm = 0`. So the linear
#' predictor is the location `delta` of the response in S0. It is not the mean unless `beta = 0` or `alpha = 2`: for
#' `alpha > 1` the mean is smaller by `beta * gamma * tan(pi * alpha / 2)`, and for `alpha <= 1` there is none. This
#' concerns the intercept alone; [`predict(type = "mean")`][predict.stableReg()] adds it. In a model without intercept
#' the location of the errors stays 0, and `beta` is estimated from their shape and from their location.
#'
#' The likelihood is maximised by Newton's method with the second derivatives of the log density, in parameters that
#' put the boundaries of `alpha`, `beta` and `gamma` at infinity, and with orthogonalised columns of `X`, so that
#' units do not matter and gross values of covariates do not mislead it. The search is that of [stableFit()]. It
#' starts from robust coefficients: planes through few observations are improved by the likelihood of t
#' distributions, as in the fast algorithms for least trimmed squares and S-estimates, and the likeliest are starts.
#' Others are the fit without slopes and the fits with the last columns of `X` left out one after the other, so that a
#' model is not below those that its first terms make. No random numbers are drawn.
#' `alpha = 2` and `beta = -1` or `1` are constraints: see the section on boundaries of [stableFit()]. With
#' `alpha = 2` the coefficients are those of [lm()], and `gamma` is `sqrt(RSS / (2 n))`.
#'
#' A plane through as many observations as it has coefficients makes the likelihood unbounded when `alpha` is less
#' than their share `p / (n - p)`; `alpha` is therefore searched above that and above 0.3 only. A search that ends
#' there, or without a maximum, gives a warning and `converged = FALSE`; so it does where no maximum is as large as
#' that of the model without its last columns. Where more observations than that lie on one plane, as half zeros do,
#' and no maximum is found elsewhere, the call is an error that counts them. For `alpha < 1` the likelihood may have
#' several maxima, and the estimate is the best of those that were found.
#'
#' A case with a gross value of a covariate, a leverage point, may decide which plane is found. With heavy tails a
#' residual costs the likelihood about `1 + alpha` times its logarithm, however large it is: most often the plane of
#' the other cases is the likeliest, and the gross case becomes an outlier of the response. Where these are few, or
#' depend little on the covariate, the likelihood is highest at the plane without it: a slope next to 0 costs them
#' what the covariate explains, and spares the gross case its residual. Both planes are maxima then, and the log
#' likelihood decides between them. Such a case has a large [stats::hat()] value of the model matrix: compare with the
#' fit without it (`subset`), or bound the covariate, as a logarithm does.
#'
#' Standard errors come from the inverse observed information of all parameters.
#'
#' @param formula,data,subset,na.action,offset,contrasts as in [lm()]. A response with units (package \pkg{units}) is
#'   taken in its unit, and results are numbers in that.
#' @param weights numbers of times that the observations count, not negative, as in [stableFit()]: a case with weight
#'   2 is the same as two equal cases. (Those of [lm()] are inverse variances.)
#' @param fixed named list or vector of parameters of the errors that are known, among `alpha`, `beta` and `gamma`.
#' @param start named list of starting values: `alpha`, `beta` and `gamma` as far as they are not fixed, and
#'   `coefficients`, those of the model; each of the two may be left out and is found from the data then. The search
#'   begins there as well as everywhere where it would without `start`.
#' @param maxit largest number of Newton steps of one search.
#' @param model if `TRUE`, the model frame is kept.
#' @return An object of class `stableReg` with [methods][stableReg-methods] for the usual functions: a list with
#'   \item{coefficients}{of the linear model; `NA` where a column of the model matrix depends on those before.}
#'   \item{shape}{`alpha`, `beta` and `gamma` of the errors.}
#'   \item{vcov}{covariance matrix of both, `NA` for parameters that are fixed or on a boundary.}
#'   \item{unit.vcov, unit}{the same of the parameters over `unit`, their scale; standard errors come from it.}
#'   \item{residuals, fitted.values}{response minus fitted location, and the fitted location.}
#'   \item{loglik}{the maximised log likelihood.}
#'   \item{rank, df.residual, nobs}{number of coefficients estimated; number of observations less these, as of [lm()];
#'     sum of the weights, or number of observations.}
#'   \item{parameters, df, converged, notes}{as of [all fits][statclFit-methods]: `parameters` tells which were fixed
#'     and which are on a boundary.}
#'   \item{iterations}{the number of Newton steps in all.}
#'   \item{call, terms, model, weights, offset, contrasts, xlevels, na.action}{as in [lm()].}
#' @references
#' McCulloch, J. H. (1998). Linear regression with stable disturbances. In R. J. Adler, R. E. Feldman and M. S. Taqqu
#' (eds), *A Practical Guide to Heavy Tails*, 359--376. Birkhauser.
#'
#' Nolan, J. P. and Ojeda-Revah, D. (2013). Linear and nonlinear regression with stable errors. *Journal of
#' Econometrics* **172**, 186--194.
#'
#' Rousseeuw, P. J. and Van Driessen, K. (2006). Computing LTS regression for large data sets. *Data Mining and
#' Knowledge Discovery* **12**, 29--45.
#'
#' Salibian-Barrera, M. and Yohai, V. J. (2006). A fast algorithm for S-regression estimates. *Journal of
#' Computational and Graphical Statistics* **15**, 414--427.
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
  need(formula = missing(formula))
  formula <- check_formula("formula", formula, parent.frame())
  refuse_random(formula, "stableReg")
  check_contrasts(contrasts)
  model <- one_flag("model", model)
  frame <- match.call(expand.dots = FALSE)
  frame <- frame[c(1L, match(c("formula", "data", "subset", "weights", "na.action", "offset"), names(frame), 0L))]
  frame$drop.unused.levels <- TRUE
  frame[[1L]] <- quote(stats::model.frame)
  absent <- missing(data)
  own <- function(expr) model_variables(formula, if (!absent) data, expr)
  frame <- plain_numbers(own(eval(frame, parent.frame())))
  terms <- attr(frame, "terms")
  x <- own(model.matrix(terms, frame, contrasts))
  fit <- reg_fit(x, fit_response(frame, terms), own(model.weights(frame)), frame_offset(frame), fixed, start, maxit)
  if (!fit$converged) warn(reg_trouble(fit))
  else if (anyNA(diag(fit$unit.vcov)[reg_estimated(fit)]))
    warn("no standard errors: the observed information is not positive definite")
  fit <- structure(c(fit, list(call = call, terms = terms, model = if (model) frame, contrasts = attr(x, "contrasts"),
                               xlevels = stats::.getXlevels(terms, frame), na.action = attr(frame, "na.action"))),
                   class = c("stableReg", "statclFit"))
  fit$notes <- reg_notes(fit)
  fit
}

# A column of the parameters, by name, for those of the distribution.
shape_of <- function(fit, column) {
  own <- fit$parameters$component != "coefficients"
  stats::setNames(fit$parameters[[column]], rownames(fit$vcov))[own]
}

reg_trouble <- function(fit) {
  if (shape_of(fit, "boundary")[["alpha"]] == "lower")
    "alpha is at the lower end of the search: the likelihood may grow without bound beyond"
  else "the likelihood has not been maximised: try other values of start"
}

# Positions in c(coefficients, shape) of what has been estimated and is not on a boundary.
reg_estimated <- function(fit) {
  p <- fit$parameters
  free <- !is.na(p$estimate) & !p$fixed & !nzchar(p$boundary)
  if (fit$shape[["alpha"]] == 2) free[length(fit$coefficients) + 2L] <- FALSE
  free
}

# Is this a maximum, or one given that alpha is at the lower end of its search, where alpha counts as held?
reg_settled <- function(fit)
  fit$converged || shape_of(fit, "boundary")[["alpha"]] == "lower" && !anyNA(diag(fit$unit.vcov)[reg_estimated(fit)])

# The fit of a model matrix; everything that does not need the formula.
reg_fit <- function(x, y, weights, offset, fixed, start, maxit = 100) {
  fixed <- reg_fixed(fixed)
  if (!identical(maxit, Inf)) one_number("maxit", maxit, "positive")
  if (maxit < 1) input_error("maxit", maxit, "must be at least 1")
  p <- reg_problem(x, y, weights, offset, fixed, maxit)
  start <- reg_start(start, fixed, p)
  found <- reg_search(p, fixed, start)
  if (!found$sound) reg_refuse_spike(p, found$distribution)
  coefficients <- rep(NA_real_, ncol(x))
  names(coefficients) <- colnames(x)
  keep <- p$qr$pivot[seq_len(p$rank)]
  coefficients[keep] <- drop(p$back %*% found$distribution[-(1:3)])
  used <- coefficients
  used[is.na(used)] <- 0
  fitted <- drop(x %*% used) + p$offset
  shape <- c(alpha = found$distribution[1L], beta = found$distribution[2L], gamma = found$distribution[3L])
  names <- c(colnames(x), names(shape))
  unit_vcov <- matrix(NA_real_, length(names), length(names), dimnames = list(names, names))
  place <- c(ncol(x) + 1:3, keep)
  unit <- rep(NA_real_, length(names))
  back <- reg_through(p$back, found$turn)
  unit[place] <- c(1, 1, 1, rowSums(abs(back))) * c(1, 1, rep(shape[["gamma"]], length(keep) + 1L))
  names(unit) <- names
  unit_vcov[place, place] <- reg_covariance(back, found$cov)
  known <- !is.na(fixed)
  df <- p$rank + sum(counted_parameters(rbind(known), shape[["alpha"]]))
  ends <- cbind(stable_range[, rep("delta", ncol(x)), drop = FALSE], stable_range[, 1:3])
  list(coefficients = coefficients, shape = shape, parameters = parameter_table(
         names, factor(rep(c("coefficients", "shape"), c(ncol(x), 3L)), c("coefficients", "shape")),
         c(coefficients, shape), sqrt(diag(unit_vcov)) * unit, c(logical(ncol(x)), known),
         c(rep("", ncol(x)), c("lower", "", "upper")[found$boundary + 2L]), ends["lower", ], ends["upper", ]),
       vcov = unit_vcov * unit * rep(unit, each = length(unit)), unit.vcov = unit_vcov, unit = unit,
       residuals = y - fitted, fitted.values = fitted, loglik = found$ll, rank = p$rank, df = df,
       dimension = p$rank + stable_dimension(rbind(known), shape[["alpha"]]), df.residual = p$total - p$rank,
       nobs = p$total, converged = found$sound, iterations = found$iterations, weights = weights, offset = offset)
}

# Where more cases lie on one plane of some of the coefficients than these can fit, the others go through as many
# further cases, and with m cases in all the likelihood is unbounded for alpha below m/(n - m), as that of a sample is
# at m equal values: a peak on them is no estimate. The error counts those of them that are more than could be fitted
# anyway: with a factor they may be of one level alone.
reg_refuse_spike <- function(p, par) {
  held <- reg_held(p, par)
  n <- sum(p$w)
  plane <- qr(p$q[held, , drop = FALSE], tol = 1e-7)
  others <- utils::head(sort(p$w[!held], decreasing = TRUE), p$rank - plane$rank)
  m <- sum(p$w[held], others)
  bound <- m / (n - m)
  if (sum(held) <= plane$rank || m >= n || par[1L] >= bound) return(invisible())
  leverage <- rowSums(qr.Q(plane)[, seq_len(plane$rank), drop = FALSE]^2)
  equal <- which(held)[leverage < 1 - 1e-7]
  label <- names(p$y)[equal]
  raise_engine_error("input", paste0(
    sprintf("%s of %s cases lie on one plane of the covariates", format(sum(p$w[equal])), format(n)),
    if (length(label)) sprintf(" (%s)", toString(c(utils::head(label, 6L), if (length(label) > 6L) "..."))),
    ": the likelihood is unbounded",
    if (m > sum(p$w[equal])) sprintf(" with these and %s others, which the coefficients can fit",
                                     format(m - sum(p$w[equal]))),
    ", and no maximum was found elsewhere; ",
    if (bound < 1.99) paste("fix alpha above", rounded(bound)) else "leave these cases out"))
}

# Cases on a plane next to the peak. Their residuals are equal, or, where the estimate is still beside the plane,
# within some widths of the peak and exactly on a plane; next to a peak on them there are no more than coefficients
# fit.
reg_held <- function(p, par) {
  fitted <- drop(p$q %*% par[-(1:3)])
  rest <- p$y - fitted
  rest <- abs(rest - rest[which.min(abs(rest))])
  held <- rest <= 1e-13 * pmax(abs(p$y), abs(fitted))
  near <- rest <= 10 * par[3L]
  more <- function(cases) sum(cases) > qr(p$q[cases, , drop = FALSE], tol = 1e-7)$rank
  if (!more(held) && more(near)) {
    off <- qr.resid(qr(p$q[near, , drop = FALSE]), p$y[near])
    if (max(abs(off)) <= 1e-10 * max(abs(p$y[near]))) held <- near
  }
  if (sum(held) > p$rank || sum(near & !held) <= p$rank) held else logical(length(held))
}

reg_fixed <- function(fixed) {
  if (is.list(fixed) || is.numeric(fixed)) reg_names(fixed, "fixed", c("alpha", "beta", "gamma"))
  fixed <- fit_values(fixed, "fixed")[1:3]
  if (!is.na(fixed[["alpha"]]) && fixed[["alpha"]] < reg_smallest_alpha)
    input_error("fixed$alpha", fixed[["alpha"]], paste("must be from", reg_smallest_alpha, "to 2"))
  fixed
}

reg_smallest_alpha <- 0.3

# Next to a value that is so far from all others that these are rounded to one number, as 1e20 for missing values of
# climate models, no column has digits left for the other cases. A column that fills as many decades without a gap
# has them where they count.
reg_refuse_fill <- function(x, name) {
  apart <- abs(x - stats::median(x))
  known <- sort(apart[apart > 0])
  lone <- which(known[-1L] > pmax(1e10 * known[-length(known)], 1e16 * stats::median(known)))
  if (!length(lone)) return(invisible())
  element_error(name, x, apart >= known[lone[1L] + 1L], paste(
    "is more than 1e16 times as far from the median as half of the others: if it stands for a missing value,",
    "make it NA; otherwise leave the case out"))
}

# What the search needs of the data: the cases that count, with the columns q of reg_basis() in place of x; floor,
# below which alpha is not searched.
reg_problem <- function(x, y, weights, offset, fixed, maxit) {
  n <- length(y)
  if (any(!is.finite(y))) element_error("y", y, !is.finite(y), "the response must be finite")
  bad <- which(!is.finite(x), arr.ind = TRUE)
  if (nrow(bad))
    input_error(colnames(x)[bad[1L, 2L]], x[bad[1L, , drop = FALSE]], "must be finite in all cases")
  for (j in seq_len(ncol(x))) reg_refuse_fill(x[, j], colnames(x)[j])
  if (is.null(offset)) offset <- numeric(n)
  if (any(!is.finite(offset))) element_error("offset", offset, !is.finite(offset), "offset must be finite")
  if (!is.null(weights)) {
    if (!is.numeric(weights) || NCOL(weights) > 1L)
      input_error("weights", class(weights)[1L], "must be a numeric vector with a value for each case")
    wrong <- !is.finite(weights) | weights < 0
    if (any(wrong)) element_error("weights", weights, wrong, "weights must be finite and not negative")
  }
  w <- if (is.null(weights)) rep(1, n) else as.double(weights)
  if (any(w != round(w)) && abs(sum(w) - n) > 1e-6 * n)
    message(sprintf("weights are numbers of observations, not inverse variances as in lm(): their sum, %s, %s",
                    format(sum(w), digits = 4), "counts as the number of observations"))
  use <- w > 0
  m <- sum(use)
  if (!m) raise_engine_error("input", "weights are all 0: there are no observations")
  qr <- qr(x[use, , drop = FALSE], tol = 1e-7)
  rank <- qr$rank
  if (m < max(10, 2 * rank + 1))
    raise_engine_error("input", sprintf("%s for %s: a fit needs at least %d", count_text(m, "observation"),
                                        count_text(rank, "coefficient"), as.integer(max(10, 2 * rank + 1))))
  kept <- x[use, qr$pivot[seq_len(rank)], drop = FALSE]
  basis <- reg_basis(kept, qr)
  heavy <- sum(sort(w[use], decreasing = TRUE)[seq_len(rank)])
  p <- list(y = (y - offset)[use], x = kept, q = basis$q, w = w[use], total = if (is.null(weights)) n else sum(w),
            qr = qr, rank = rank, offset = offset, constant = basis$constant, back = basis$back, to = basis$to,
            clean = basis$clean, floor = max(reg_smallest_alpha, min(1.99, heavy / (sum(w) - heavy))), maxit = maxit)
  if (!is.na(fixed[["alpha"]]) && fixed[["alpha"]] < p$floor)
    input_error("fixed$alpha", fixed[["alpha"]],
                sprintf("must be at least %s, the likelihood of %s is unbounded below",
                        rounded(p$floor), count_text(rank, "coefficient")))
  p$normal <- reg_least_squares(p$q, p$y, p$w)
  if (max(abs(p$y - p$q %*% p$normal)) <= 1e-13 * max(abs(p$y)))
    raise_engine_error("input", "the linear model fits the response exactly: there are no errors")
  p
}

# Covariance of (alpha, beta, gamma, coefficients) from that of the search, the coefficients in units of the sums
# of the rows of back: no product of extreme numbers underflows or overflows on the way.
reg_covariance <- function(back, cov) {
  free <- !is.na(diag(cov))
  jacobian <- diag(nrow(cov))
  jacobian[-(1:3), -(1:3)] <- back / rowSums(abs(back))
  jacobian <- jacobian[free, free, drop = FALSE]
  cov[free, free] <- jacobian %*% cov[free, free] %*% t(jacobian)
  cov
}

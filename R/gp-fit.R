# Fits of Gaussian processes: the formula, the points, and what is kept.

#' Fit a Gaussian process
#'
#' Fits linear models with spatially correlated errors, the models of universal kriging: the mean is a linear function
#' of covariates, and the errors are a Gaussian process with a covariance of [covModel()]. All parameters, the
#' smoothness of a Matern covariance included, are estimated by maximum or restricted maximum likelihood.
#'
#' The observations are \eqn{y = X\beta + Z + e}{y = X beta + Z + e} with a Gaussian process Z and independent errors
#' e of variance `nugget`, to which known variances `error.variance` are added. Counts, binary, positive and other
#' responses have a `family`, as for [glm()], or one of [gpFamilies].
#'
#' @section Covariance:
#' `cov` is the name of a family, or a model without a mean. The numbers in a model are starting values, not fixed
#' values, and `NA` leaves the starting value to the search; `start` gives starting values by name, also those of
#' `coef(fit, "covariance")` of another fit. All parameters of the family are estimated, with `variance` and
#' `nugget`, except those in `fixed`; `angle` and `ratio`, or `scales`, are estimated where they are `NA` or not
#' those of an isotropic model. With `scales` the range is 1, and they are ranges along the axes. Models of space and
#' time and sums are fitted in the same way; a sum has one nugget. `fixed = TRUE` keeps all parameters.
#'
#' Longitudes and latitudes need a model with `distance = "chordal"`, or points of \pkg{sf} with a geographic
#' reference system; else they are coordinates of a plane, in which 179 and -179 degrees are far apart: see the
#' section on distances on the sphere of [matern()].
#'
#' Times are numbers, and the range in time has their unit. Dates and times of the classes `Date` and `POSIXct` are
#' errors: `coords = ~ x + y + as.numeric(day)` uses days since 1970, and `I(as.numeric(time) / 3600)` hours of
#' `POSIXct`. [predict()][predict.gpFit] evaluates the same terms in `newdata`.
#'
#' @section Parameters that follow covariates:
#' Parameters of `cov` can be formulas, as in `covModel("matern", variance = ~ elevation, range = ~ elevation,
#' smoothness = NA, nugget = NA)`: see that section of [covModel()]. Their covariates are columns of `data`, and of
#' `newdata`, where [predict()][predict.gpFit] and [simulate()][simulate.gpFit] are asked for other locations; an
#' observation without one is left out. Coefficients are named as `range.(Intercept)` and `range.elevation`, in
#' `fixed` and `start`, too. The search climbs from `start`, or from the fit of numbers, with slopes of 0 and, of the
#' range, of either sign, as there may be a maximum with each: it goes on from the best of these. It runs on
#' orthonormal columns of the covariates. [anova()][statclFit-methods] compares the two fits. Few data tell little
#' about slopes, which may then be far too large: `penalty = TRUE` has a ridge for them.
#'
#' Such models are for normal responses without grouped effects, `by`, `varying`, integrated parameters and averages
#' over areas. Vecchia's approximation takes neighbours that are nearest in plain distance, and no blocks. On one
#' thread an exact value with gradient takes about as long as that of numbers where smoothness is one number, and
#' three to five times as long where it is not (`bench/gp-local.R` of the sources).
#'
#' @section Search:
#' Parameters are transformed by logarithms, those with two bounds by logits; a Matern covariance is searched by its
#' smoothness and its range times `sqrt(8 smoothness)`, angle and ratio by the logarithm of a symmetric matrix.
#' Variance and mean are profiled out. Steps are those of Newton's method with exact gradients and the average
#' information. Standard errors are those of the expected information, for more than 500 observations of the average
#' information.
#'
#' The likelihood of few data often has several maxima. For up to 500 observations with the exact likelihood the
#' search knows its values on a grid: ranges from a tenth of the shortest distance to ten times the longest one,
#' shares of the nugget from nearly 0 to 0.99, small and large values of a smoothness, and many directions. It climbs
#' from all peaks of this grid that may matter, and from where it is asked to `start`; for up to 120 observations and
#' one model with angle and ratio from where compass searches (Kolda, Lewis and Torczon 2003) that begin there end.
#' Then it holds ranges of the grid and maximises over all other parameters: where that is higher, it goes on from
#' there, and the fit is that of the highest maximum. `summary()` tells of a second one, if it is not lower by more
#' than 2. For more observations, and for other likelihoods, the search starts from the best of several values for a
#' part of the observations; if two of them lead to different maxima there, it continues from both. A covariance with
#' angle and ratio can connect few points in very many ways by long and narrow correlations, and no search finds the
#' best of them for certain.
#' Where such stripes have no nugget and connect points whose responses are equal, or by maximum likelihood could be
#' made equal by coefficients, the likelihood is infinite: the search leaves these out.
#' Where the model without correlation, or a sum without one of its parts, is as likely as what was found, the fit is
#' that.
#'
#' The column `boundary` of `parameters` shows estimates on a boundary, which have no standard errors:
#' * a nugget of 0: the data show no errors of measurement and no variation below the distances between locations;
#' * a variance of 0: the data show no spatial correlation, and the fit is that of the linear or generalised linear
#'   model;
#' * a smoothness of 50, the largest that is searched: use `"gaussian"`, which is nearly the same;
#' * a range so large that only differences between observations are informative: fix the range, or use
#'   `penalty = TRUE`. The variance then grows with a power of the range, and what is known is their ratio: the limit
#'   is a variogram without range, the linear one of an exponential covariance, or a linear trend of a smooth one.
#'   Where range times ratio stays what it is, the field varies in one direction alone.
#'
#' `notes` say which limit it is.
#'
#' A covariance matrix that is not positive definite to working precision has the log likelihood `-Inf` in the search.
#' Nothing is added to its diagonal (for families but gaussian see below). If that is so everywhere the search began,
#' it is an error that names the nearest pair of locations.
#'
#' @section Several variables:
#' Several normal responses are fitted together by `cov = "multimatern"`, the parsimonious multivariate Matern model,
#' of two also by `"bimatern"`, or by a model of these or `"lmc"` of [covModel()], whose section on several variables
#' describes them; `NA` in it are parameters that are to be found. The data are given in one of three forms:
#'
#' * `cbind(lead, zinc) ~ x`: columns of `data`, with one formula for all means;
#' * `list(lead ~ x, zinc ~ 1)`: a formula for each variable, whose names are those of the responses or of the list;
#' * `value ~ x` with `variable = ~ element`: rows of `data` are observations, a factor says of what, and each
#'   variable has coefficients of its own.
#'
#' A variable need not have been measured everywhere: `NA` is left out of that variable alone. Coefficients have the
#' names `lead:(Intercept)`, `lead:x`, `zinc:(Intercept)` and so on. `error.variance` is one number, or a matrix with
#' a column for each variable. In `fixed` and `start` the name of an argument, as in `fixed = list(smoothness = 0.5)`,
#' stands for that of all variables, and a vector, as in `fixed = list(smoothness = c(0.5, 1.5))` or with names
#' `c(zinc = 1.5, lead = 0.5)`, has one for each; a symmetric matrix is for all pairs of `correlation`, or of a matrix
#' of nuggets.
#'
#' The exact likelihood, by `"ML"` or `"REML"`, has matrices of all observations of all variables. For more of these
#' `method = "vecchia"` has each observation given `m` before it, of whatever variables. Neighbours are chosen one
#' after the other, that one which tells most of the observation given those that are there, by the square of the
#' conditional covariance over the conditional variance, among those that are near or correlated; once for where a
#' search with few neighbours ends, and again if the maximum is elsewhere. The smoother variables come first in the
#' order where smoothness differs by 0.4 or more, else the variables of a place together. Predictions, simulations and
#' cross-validation choose theirs likewise. There are no blocks, and all but the covariances is computed on the CPU.
#'
#' The search begins at univariate fits of samples of each variable and at correlations by products of residuals, in
#' units of the standard deviations of the variables. Correlations are searched by partial correlations, and matrices
#' of `"lmc"` by triangular roots with logarithms of their diagonals, so that all matrices in a search are those of
#' covariances; ranges of parts of one family are kept in increasing order. A correlation at the largest value that
#' the model allows, or a matrix that becomes singular, is at the end of its search: notes say so, and standard errors
#' of the others are those on the boundary. Two parts whose ranges differ by less than a factor of 2 are hardly told
#' apart by a few hundred observations.
#'
#' [predict()][predict.gpFit] of such a fit is co-kriging, and [plot()][plot.gpFit] draws direct and cross-variograms
#' of the residuals, and maps. There are no grouped effects and families of several variables.
#'
#' @section Penalties:
#' Few data may not distinguish a large range from a larger one, or a small nugget from none, and estimates then end
#' on a boundary. `penalty = TRUE` maximises the log likelihood minus weak penalties, in the manner of Guinness
#' (2021): for a smoothness above 4 and a range in space above the diagonal of the box around the locations the square
#' of the logarithm of their ratio to that, and for a smoothness below 0.2, a range below the median distance of
#' nearest neighbours, and a nugget below a thousandth of the variance (of residuals, where a variance or an error
#' variance is given) 0.1 times that square. Ranges in time and `scales` have none. Of parameters that follow
#' covariates these are averages over the observations, and there is a ridge besides: half the sum of the squares of
#' slopes times the standard deviations of their columns. `logLik()` and standard errors are those of the likelihood
#' without penalties. Profiles are not penalised.
#'
#' @section Large data:
#' The exact likelihood takes `4 n^2` bytes and a time of order `n^3`. Vecchia's approximation (Vecchia 1988)
#' conditions each observation on the `m` nearest of those before it, in an order in which each location is as far as
#' possible from all before (Guinness 2018), and takes time and memory of order `n`. It is the likelihood of a
#' process close to the exact one, with its own gradient and expected information (for `"REML"` differences of the
#' gradient), and the exact one for `m` of `n - 1`. 30 neighbours serve most purposes; smooth processes without
#' nugget need more than rough ones: for 5,000 observations the Kullback-Leibler divergence from the exact likelihood
#' was 0.1 at smoothness 0.5 and 7.4 at 1.5, with 60 neighbours 0.004 and 0.3. In many dimensions more are needed,
#' too. Neighbours are nearest in the metric of the covariance. If the estimated anisotropy has changed this metric
#' by more than a factor of 2, neighbours are searched again, at most twice. Locations have up to 10 coordinates.
#' Several variables have neighbours of their own: see the section on these.
#'
#' With a `block` above 1 the observations are divided into blocks of so many, each of which is taken jointly given
#' the `m` observations of blocks before it that are nearest to its centre (Stein, Chi and Welty 2004): fewer
#' covariances per observation, and an approximation that is nearer to the exact one for the same time where the
#' process is smooth: `m = 60` with `block = 4` had a divergence of 0.06 and 0.6 there, in a time near that of 30
#' neighbours without blocks.
#'
#' Predictions, leave-one-out errors and cross-validation of such a fit are from the `2 m` nearest observations,
#' averages over areas from those of their points, and simulations from `m` neighbours, too. In an interactive
#' session an interrupt ends a search with the best estimates so far and a warning; before the first value of the
#' likelihood, while order and neighbours are found, and for other families it ends the call.
#'
#' @section Other families:
#' With `family = poisson()`, `binomial()` (links `"logit"`, `"probit"`, `"cloglog"` and `"cauchit"`), `Gamma("log")`,
#' `inverse.gaussian("log")` or one of [gpFamilies], such as `nbinom2()`, `tweedie()` or `student()`, the responses
#' are independent given a linear predictor \eqn{\eta = X\beta + Z}{eta = X beta + Z} (and an offset), a Gaussian
#' process with the covariance `cov`. The likelihood is an integral over Z, computed by Laplace's approximation
#' (Tierney and Kadane 1986; Rue, Martino and Chopin 2009): with the precision matrix Q of Z at the observed
#' locations, the mode z of \eqn{\log p(y|Z) - Z'QZ/2}{log p(y | Z) - Z'QZ / 2} and W, minus the second derivative of
#' \eqn{\log p(y|Z)}{log p(y | Z)} there, it is
#' \deqn{\log p(y|z) - \tfrac12 z'Qz + \tfrac12 \log\det Q - \tfrac12 \log\det(Q + W).}{log p(y | z) - z'Qz / 2 +
#' log det(Q) / 2 - log det(Q + W) / 2.}
#' It is maximised over the coefficients and the covariance parameters together, and over the parameters that a family
#' has of its own, such as `family.shape` of the Gamma distribution, by these names among the `parameters`, `fixed`
#' and `start`. Standard errors of all are those of its second derivatives. The search begins at the parameters of
#' normal responses, with the variances that the responses have, and for up to 500 locations, whose likelihood may
#' have several maxima, at two ranges more.
#'
#' Q is that of Vecchia's approximation with `m` neighbours (Zilber and Katzfuss 2021); `method = "exact"` takes all
#' neighbours, for up to 4001 observations, as `"auto"` does for up to 100. A nugget of 1e-10 of the variance of the
#' process, in fits and in predictions, keeps matrices of smooth processes above rounding errors. In the last term an
#' incomplete factor stands for Q + W, which has elements for neighbours alone (Schaefer, Katzfuss and Owhadi 2021)
#' and is exact with all neighbours. It moves the maximum by some hundredths of a standard error at 10,000 locations.
#' The log likelihood of the fit is corrected by 64 random vectors, which are always the same: the components
#' `loglik.correction` and `loglik.error` are what these have added, and its standard error.
#'
#' A nugget is an independent effect of each observation, as overdispersion of counts. It is included only if asked
#' for, by `NA` as in `covModel("exponential", range = NA, variance = NA, nugget = NA)` or in `start`; a number in
#' `cov` is kept. Without a nugget, observations at one location share one value of the process.
#'
#' Log densities that are not concave, as those of zeros of zero-inflated families, may have several modes: where the
#' responses leave the process more than four times its variance, so that a mode is about to vanish and the likelihood
#' infinite, parameters are no candidates for the maximum.
#'
#' Where the maximum is not one in all parameters, as on a ridge, standard errors of the coefficients are those given
#' the other parameters. If the responses do not determine the mean, by separation or in a group without counts, a
#' warning says so.
#'
#' Binary data contain little information about a process: Laplace's approximation is least accurate for them, its
#' estimates of the variance are often too small, with one response at each location however many there are, and where
#' the process separates zeros from ones the likelihood may increase up to variances of thousands, which are
#' meaningless. Of large data its bias exceeds what they leave open: with 100,000 locations, each with one response,
#' limits of 95 % covered the variance and the range behind binary responses in none of 20 simulated sets, the range
#' behind negative binomial ones in half of them, and all parameters behind counts of the family poisson in 18 or more
#' (`bench/gp-coverage-families.R`). `approximation = "ep"` is expectation propagation (Minka 2001): the density of
#' each response is replaced by a normal one, such that the linear predictor has the mean and variance that it has
#' with the density itself in its place, and these take the places of mode and W. Observations of the same process and
#' effects are replaced together. Its likelihood is nearer to the true one, mostly by an order of magnitude (Nickisch
#' and Rasmussen 2008; `bench/gp-propagation.R` of the sources), and predictions have means instead of modes; a fit
#' takes two to ten times as long, but no longer for [censored()] responses of the families gaussian and lognormal,
#' for which it is the default. Fits by the two are not compared by [anova()], as their likelihoods differ.
#'
#' Where the likelihood is no higher than that of the generalised linear model, the estimated variance is 0, on its
#' boundary. Of a process without correlation behind binary responses, one at each location, which only changes the
#' link, this is so for a likelihood that is higher by up to 0.5.
#'
#' @param formula the mean, as for [lm()], and [grouped effects][gpGroups] as `(1 | site)`; of several variables see
#'   the section on these. The response may be [censored()]. A response with units
#'   (package \pkg{units}) is taken in its unit, and results are numbers in that; an offset, `error.variance` and
#'   variables of `newdata` with units are converted. By how much a normal response differs from its mean is between
#'   1e-70 and 1e70: else it needs another unit.
#' @param data data frame, or points of package \pkg{sf} with attributes; if missing, the variables are taken from the
#'   environment of `formula`. Messages and results name observations by its row names.
#' @param coords coordinates: a formula as `~ x + y`, names of columns of `data`, a matrix or data frame with a row
#'   for each row of `data`, or a numeric vector for points on a line; an [rfGrid()] stands for its points.
#'   The last one is the time for models of space and time, and `y`, `z`, `lat`, `latitude` or `northing` are no
#'   names for it. \pkg{sf} points have their own: then `coords = ~ time`, or `"time"`, adds the time, and nothing
#'   else is needed. A term of the formula is evaluated, as `log(x)` or `I(x / 1000)`; `:`, `*`, `^` and other
#'   operators but `+` are errors.
#' @param cov name of a family of [covModel()], or a model by [covModel()] or `gstat::vgm()`: see the section on
#'   covariance. `"none"` or `NULL` is no process: a generalised linear model, with or without grouped effects, which
#'   needs no `coords`.
#' @param method `"exact"`, `"vecchia"`, or `"auto"`, which is `"exact"` for up to 5,000 observations where there is
#'   the memory for it: see the section on large data; for families but gaussian up to 100.
#' @param estimator `"ML"`, or `"REML"` for the restricted likelihood.
#' @param fixed named list of the values of parameters that are not estimated, as in `list(nugget = 0, smoothness =
#'   1.5)`, with names as `deriv` of [covariance()] has them; or `TRUE` for all of `cov`.
#' @param start named list of values where the search begins, instead of the numbers in `cov` or of values that it
#'   finds: see the sections on covariance and search.
#' @param error.variance known variances of the errors of observations, one for each row of `data` or one for all;
#'   evaluated in `data`.
#' @param subset,na.action,offset as for [lm()]. Missing coordinates are missing values.
#' @param contrasts as for [lm()].
#' @param m number of neighbours of Vecchia's approximation; not used by the exact method.
#' @param block number of locations, near to each other, that share neighbours: see the section on large data.
#' @param penalty `TRUE` for weak penalties that keep estimates from the boundaries.
#' @param family distribution and link of the response, a family as for [glm()] or of [gpFamilies], its function or
#'   its name: see the section on other families. Binomial responses are 0 and 1, logical, a factor whose first level
#'   is failure, or `cbind(successes, failures)`.
#' @param weights prior weights of observations with a `family` other than gaussian, or with grouped effects, finite
#'   and not negative; evaluated in `data`. They multiply the log density of an observation given its linear
#'   predictor; one of weight 0 is predicted, but tells nothing. Of a binomial response that is a proportion, or 0 and
#'   1, they are the numbers of trials, as for [glm()]. For other normal responses there is `error.variance`.
#' @param zi formula for the probability of a zero of families that have one, as in `zi = ~ x`: it has the link logit,
#'   and coefficients by the names `zi.(Intercept)` and so on are among the parameters, in place of `family.zero`.
#' @param by a factor, evaluated in `data`: each of its levels has a replicate of the process of its own, independent
#'   of the others and with the same parameters, as a field seen in several years. Fits are as with
#'   [grouped effects][gpGroups].
#' @param varying covariates whose coefficients vary in space, each a process of its own beside its coefficient of the
#'   mean: a formula as `~ x`, for processes with the family of `cov`, or a list of models by the names of covariates,
#'   as `list(x = "exponential")`. The covariance is then a sum, whose parts are in this order, that of `cov` first:
#'   its parameters are `variance.1`, `range.1`, `variance.2` and so on. Fits are as with [grouped effects][gpGroups].
#' @param approximation of the integral over the process, `"laplace"` or `"ep"`, expectation propagation: see the
#'   section on other families. `"auto"` is `"ep"` for [censored()] responses with normal errors, else `"laplace"`.
#' @param variable a factor, evaluated in `data`, or a formula with it, as `~ element`, where each row of `data` is an
#'   observation of one of several variables.
#' @param ... not used: other arguments are errors.
#' @return An object of class `gpFit`, a list with, among others, the `coefficients` of the mean, `cov`, the
#'   covariance as a [covModel()] that [covariance()] and [tbrf()] take, `fitted.values` and `residuals` (of the
#'   mean alone, with a `family` at the mode of process and effects), and what [all fits][statclFit-methods] have:
#'   `parameters`, a data frame with estimates, standard errors, and whether they were `fixed` or end on a
#'   `boundary`, `vcov`, `loglik`, `converged` and `notes`. `second` is there if another maximum was met whose log
#'   likelihood is not lower by more than 2: how much it is `below`, and its `estimates`.
#' @references
#' Guinness, J. (2018). Permutation and grouping methods for sharpening Gaussian process approximations.
#' *Technometrics* **60**, 415--429.
#'
#' Guinness, J. (2021). Gaussian process learning via Fisher scoring of Vecchia's approximation. *Statistics and
#' Computing* **31**, 25.
#'
#' Kolda, T. G., Lewis, R. M. and Torczon, V. (2003). Optimization by direct search: new perspectives on some
#' classical and modern methods. *SIAM Review* **45**, 385--482.
#'
#' Lindgren, F., Rue, H. and Lindstrom, J. (2011). An explicit link between Gaussian fields and Gaussian Markov random
#' fields. *Journal of the Royal Statistical Society B* **73**, 423--498.
#'
#' Mardia, K. V. and Marshall, R. J. (1984). Maximum likelihood estimation of models for residual covariance in
#' spatial regression. *Biometrika* **71**, 135--146.
#'
#' Minka, T. P. (2001). Expectation propagation for approximate Bayesian inference. *Proceedings of the 17th
#' Conference on Uncertainty in Artificial Intelligence*, 362--369.
#'
#' Nickisch, H. and Rasmussen, C. E. (2008). Approximations for binary Gaussian process classification. *Journal of
#' Machine Learning Research* **9**, 2035--2078.
#'
#' Rue, H., Martino, S. and Chopin, N. (2009). Approximate Bayesian inference for latent Gaussian models by using
#' integrated nested Laplace approximations. *Journal of the Royal Statistical Society B* **71**, 319--392.
#'
#' Schaefer, F., Katzfuss, M. and Owhadi, H. (2021). Sparse Cholesky factorization by Kullback-Leibler minimization.
#' *SIAM Journal on Scientific Computing* **43**, A2019--A2046.
#'
#' Stein, M. L. (1999). *Interpolation of Spatial Data*. Springer, New York.
#'
#' Stein, M. L., Chi, Z. and Welty, L. J. (2004). Approximating likelihoods for large spatial data sets. *Journal of
#' the Royal Statistical Society B* **66**, 275--296.
#'
#' Tierney, L. and Kadane, J. B. (1986). Accurate approximations for posterior moments and marginal densities.
#' *Journal of the American Statistical Association* **81**, 82--86.
#'
#' Vecchia, A. V. (1988). Estimation and model identification for continuous spatial processes. *Journal of the Royal
#' Statistical Society B* **50**, 297--312.
#'
#' Zilber, D. and Katzfuss, M. (2021). Vecchia-Laplace approximations of generalized Gaussian processes for big
#' non-Gaussian spatial data. *Computational Statistics and Data Analysis* **153**, 107081.
#' @seealso [predict.gpFit()], [simulate.gpFit()] and [gpCV()] for predictions, [confint.gpFit()] and [posterior()]
#'   for what is not known of the parameters, [gpFit-methods], [model-tools] for other packages' functions of models,
#'   [gpLoglik()] for the likelihood alone
#' @concept kriging
#' @concept geostatistics
#' @concept variogram
#' @concept Gaussian process regression
#' @concept spatial regression
#' @examples
#' # stations that have reported earthquakes near Fiji; distances are chordal, in kilometres
#' quakes <- subset(datasets::quakes, depth < 100)
#' fit <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat,
#'              cov = covModel("exponential", range = NA, nugget = NA, distance = "chordal"))
#' fit$parameters
#' fit$cov
#'
#' # are the errors of large earthquakes smaller?
#' larger <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat, cov =
#'   covModel("exponential", range = NA, nugget = ~ mag, distance = "chordal"))
#' anova(fit, larger)
#'
#' # numbers of stations that have reported, as counts
#' counts <- gpFit(stations ~ mag, quakes, coords = ~ long + lat, family = poisson(),
#'                 cov = covModel("exponential", range = NA, variance = NA, distance = "chordal"))
#' counts
#' predict(counts, data.frame(long = 180, lat = -20, mag = 5), interval = "prediction")
#'
#' # two variables, of which the second was measured at half of the locations
#' model <- covModel("multimatern", range = 0.2, smoothness = c(0.5, 1), correlation = 0.8,
#'                   nugget = 0.1)
#' set.seed(1)
#' places <- cbind(x = runif(60), y = runif(60))
#' both <- simulate(model, seed = 2, x = cbind(places[c(1:60, 1:60), ], rep(1:2, each = 60)))
#' soil <- data.frame(places, clay = both[1:60], carbon = both[61:120])
#' soil$carbon[1:30] <- NA
#' fit <- gpFit(cbind(clay, carbon) ~ 1, soil, ~ x + y, fixed = list(smoothness = c(0.5)))
#' fit
#' predict(fit, soil[1:3, ])
#' @importFrom stats gaussian
#' @export
gpFit <- function(formula, data, coords, cov = "matern", method = c("auto", "exact", "vecchia"),
                  estimator = c("ML", "REML"), fixed = list(), start = NULL, error.variance = NULL, subset, na.action,
                  offset, contrasts = NULL, m = 30, block = 1, penalty = FALSE, family = gaussian(), weights,
                  zi = NULL, by, varying = NULL, approximation = c("auto", "laplace", "ep"), variable = NULL, ...) {
  call <- match.call()
  refuse_extra("gpFit", ...)
  need(formula = missing(formula))
  if (asks_several(formula, family, call)) return(fit_several(mget(several_arguments), call, parent.frame()))
  refuse_family_of_columns(formula, family, cov)
  whole <- check_formula("formula", formula, parent.frame())
  bars <- split_groups(whole)
  formula <- bars$formula
  check_contrasts(contrasts)
  family <- response_family(family)
  if (identical(cov, "none")) cov <- NULL
  if (missing(data) || is.null(data)) data <- environment(formula)
  if (is.null(family) && (length(bars$terms) || is.null(cov) || !missing(by) || !is.null(varying) ||
                          has_censored_response(formula, data))) family <- stats::gaussian()
  if (is.null(family) && !missing(weights)) refuse_weights(substitute(weights))
  method <- choice("method", method, c("auto", "exact", "vecchia"))
  estimator <- choice("estimator", estimator, c("ML", "REML"))
  approximation <- asked_approximation(approximation, family)
  asked <- asked_covariance(cov, family, list(fixed = fixed, start = start), varying, data, environment(formula))
  points <- if (is.null(cov)) no_points(data, formula) else fit_points(data, if (missing(coords)) NULL else coords)
  if (!is.null(cov)) check_coords(points, asked$ask$model)
  frame <- call[c(1L, match(c("formula", "subset", "na.action", "offset", "weights"), names(call), 0L))]
  frame[c("formula", "drop.unused.levels")] <- list(formula, TRUE)
  check_point_rows(points)
  frame[c("data", ".coords")] <- list(points$data, points$xy)
  beside <- asked_beside(bars$terms, asked, zi, family, points, environment(formula))
  if (!missing(by)) beside$columns$.by <- asked_replicates(substitute(by), points, cov, parent.frame())
  frame[names(beside$columns)] <- beside$columns
  frame$error.variance <- error_variances(eval(substitute(error.variance), points$data, parent.frame()), points)
  frame[[1L]] <- quote(stats::model.frame)
  frame <- plain_numbers(model_variables(formula, points$data, eval(frame, parent.frame())))
  terms <- attr(frame, "terms")
  check_frame(frame)
  y <- responses_by(family)$read(frame, terms)
  if (!is.null(family)) family <- y$family
  x <- model_variables(formula, points$data, model.matrix(terms, frame, contrasts))
  points <- observed_points(points, frame)
  error <- without_units(frame[["(error.variance)"]], "error.variance", model.response(frame)^2)
  beside <- known_beside(beside, frame, substitute(by))
  if (!is.null(zi)) {
    y$cases$zero <- beside$zeros$X
    family$zi <- beside$zeros$zi$columns
  }
  frame[grep("^\\((error|[.](coords|by|zero|local|varying|(level|slope)[0-9]+))", names(frame))] <- NULL
  attr(frame, "terms") <- terms
  size <- list(m = whole_number("m", m), block = whole_number("block", block), penalty = one_flag("penalty", penalty))
  session$keeps_best <- keeps_best()
  on.exit(session$keeps_best <- NULL)
  beside[c("cases", "approximation")] <- list(y$cases, usual_approximation(approximation, family, y$cases))
  fit <- gp_fit(y$y, x, frame_offset(frame), points, asked$ask, estimator, method, size$m, size$block, size$penalty,
                error, family, y$trials, beside[c("groups", "by", "varying", "cases", "approximation")])
  more <- list(call = call, terms = terms, model = frame, contrasts = attr(x, "contrasts"), coords = points$coords,
               formula = if (length(bars$terms)) whole, no.process = if (is.null(cov)) TRUE,
               zi = beside$zeros$zi, xlevels = stats::.getXlevels(terms, frame), na.action = attr(frame, "na.action"))
  finished_fit(c(fit, more))
}

finished_fit <- function(components) {
  fit <- structure(without_null(components), class = c("gpFit", "statclFit"))
  fit$notes <- gp_notes(fit)
  fit
}

# Of the integral over the process; normal responses have none.
asked_approximation <- function(approximation, family) {
  approximation <- choice("approximation", approximation, c("auto", "laplace", "ep"))
  if (!is.null(family)) return(approximation)
  if (approximation != "auto") input_error("approximation", approximation, paste(
    "is for responses with a family, groups, replicates or varying coefficients: of normal ones the likelihood is",
    "known"))
  NULL
}

# Laplace's takes the probability of an interval to be 1 where the mode is inside: errors are then none, and the
# likelihood of a process without correlation is far too large. By expectation propagation that of censored responses
# with normal errors costs no more.
usual_approximation <- function(approximation, family, cases) {
  if (!identical(approximation, "auto")) return(approximation)
  if (!is.null(cases$from) && is.null(cases$weights) && !is.null(family_entry(family)$errors)) "ep" else "laplace"
}

# The model with what is fixed in it and where it starts, of several processes as a sum.
asked_covariance <- function(cov, family, ask, varying, data, env) {
  nugget <- responses_by(family)$nugget
  varying <- asked_varying(varying, cov, family, env)
  ask$model <- fit_model(cov, nugget)
  if (!is.null(varying)) {
    varying$columns <- varying_columns(varying$formula, data)
    varying[c("model", "of")] <- varying_model(ask$model, cov, colnames(varying$columns$x), varying$models, nugget)
    ask$model <- varying$model
  }
  if (identical(family$family, "gaussian")) ask <- errors_beside_effects(ask)
  if (is.null(cov)) ask <- with_no_process(ask)
  local <- if (is_local(ask$model)) local_columns(ask$model, data, "data")
  if (!is.null(local)) ask$model <- local$model
  list(ask = ask, varying = varying, local = local$columns)
}

check_frame <- function(frame) if (!nrow(frame))
  raise_engine_error("input", "no observation is left: all have missing values or are not in subset")

check_point_rows <- function(points) {
  rows <- if (is.data.frame(points$data)) nrow(points$data)
  if (!is.null(rows) && nrow(points$xy) != rows)
    raise_engine_error("input", sprintf("coords has %s: data has %d", count_text(nrow(points$xy), "row"), rows))
}

error_variances <- function(error, points) {
  if (is.null(error)) return(NULL)
  check_numeric("error.variance", error)
  if (!length(error) %in% c(1L, nrow(points$xy)))
    raise_engine_error("input", sprintf("error.variance has length %d: there are %d observations", length(error),
                                        nrow(points$xy)))
  rep(error, length.out = nrow(points$xy))
}

observed_points <- function(points, frame) {
  points["xy"] <- list(unname(frame[["(.coords)"]]))
  points$local <- unname(frame[["(.local)"]])
  bad <- which(!is.finite(points$xy), arr.ind = TRUE)
  if (nrow(bad)) place_error("coords", points$xy, bad[1L, 1L], bad[1L, 2L], "coordinates must be finite",
                             row.names(frame))
  points
}

# What is beside the mean and the process: grouped effects, coefficients that vary, probabilities of zeros, with
# `columns` for the model frame, so that rows with missing values are left out there; and of the rows that are left.
asked_beside <- function(terms, asked, zi, family, points, env) {
  grouped <- if (length(terms)) group_variables(terms, points$data, env)
  zeros <- asked_zeros(zi, family, points$data, env, nrow(points$xy))
  columns <- list()
  for (k in seq_along(terms)) columns[sprintf(c(".level%d", ".slope%d"), k)] <-
    list(grouped$levels[[k]], grouped$slopes[[k]])
  columns$.varying <- asked$varying$columns$x
  columns$.local <- asked$local
  columns$.zero <- zeros$rows
  list(terms = terms, frames = grouped$frames, varying = asked$varying, zeros = if (!is.null(zi)) zeros,
       columns = columns)
}

known_beside <- function(beside, frame, by) list(
  groups = groups_of_frame(beside$terms, frame, beside$frames),
  varying = known_varying(beside$varying, frame[["(.varying)"]]), by = replicates(by, frame[["(.by)"]]),
  zeros = if (!is.null(beside$zeros)) zero_design(beside$zeros, frame[["(.zero)"]]))

# Fits of lm() have no components that are NULL, and packages that copy these one by one end at such a one.
without_null <- function(components) Filter(Negate(is.null), components)

# How responses are read, and the nugget of a model that is given by its name.
responses_by <- function(family) {
  if (is.null(family)) list(read = function(...) list(y = fit_response(...)), nugget = NA)
  else list(read = function(...) family_response(..., family), nugget = 0)
}

# A model in which what is not known is NA. Without one there is a process of variance 0 at one location.
fit_model <- function(cov, nugget = NA) {
  if (is.null(cov)) return(covModel("exponential", variance = 0, range = 1, distance = "euclidean"))
  if (inherits(cov, "variogramModel")) cov <- covModel(cov)
  if (inherits(cov, "covModel")) return(checked_model(cov, unknown = TRUE))
  check_name_of_family(cov)
  takes <- families[[cov]]$takes
  do.call(covModel, c(list(cov, variance = NA, range = NA, nugget = nugget),
                      stats::setNames(as.list(rep(NA, length(takes))), takes)))
}

check_name_of_family <- function(cov) {
  if (!is.character(cov) || length(cov) != 1L)
    input_error("cov", if (is.character(cov)) cov else class(cov)[1L],
                "must be the name of a family, or a model by covModel() or gstat::vgm()")
  check_name(cov, "cov")
  if (!is.null(families[[cov]]$terms)) refuse_one_response(cov)
  if (!all(families[[cov]]$takes %in% names(parameter_facts)))
    input_error("cov", cov, "needs a model: covModel() makes one, with NA for what is to be found")
}

with_no_process <- function(ask) {
  rows <- cov_parameters(model_parts(ask$model))
  if (isTRUE(ask$fixed)) ask$fixed <- list()
  ask$no.process <- rows$name
  ask$fixed <- c(as.list(ask$fixed), stats::setNames(as.list(rows$value), rows$name))
  ask
}

no_points <- function(data, formula) {
  n <- if (is.data.frame(data)) nrow(data) else NROW(eval(formula[[2L]], data, environment(formula)))
  list(data = data, xy = matrix(0, n, 1L), geographic = FALSE, crs = NULL,
       coords = list(names = NULL, formula = NULL, geographic = FALSE, crs = NULL))
}

# The errors of normal responses beside grouped effects are the family's own parameter, of which nugget is the square.
errors_beside_effects <- function(ask) {
  rows <- cov_parameters(model_parts(ask$model))
  nugget <- rows$name[rows$parameter == "nugget"]
  given <- sum(rows$value[rows$name %in% nugget])
  ask$model <- set_parameters(ask$model, rep(0, length(nugget)), rows[rows$name %in% nugget, ])
  root <- function(values) {
    own <- unlist(values[intersect(names(values), nugget)])
    values <- as.list(values[setdiff(names(values), nugget)])
    if (length(own)) c(values, family.sd = sqrt(sum(own))) else values
  }
  if (is.list(ask$fixed) || is.numeric(ask$fixed)) {
    ask$fixed <- root(ask$fixed)
    ask$fixed[nugget] <- 0
  }
  ask$start <- root(ask$start)
  if (isTRUE(given > 0) && is.null(ask$start$family.sd) && !"family.sd" %in% names(ask$fixed))
    ask$start$family.sd <- sqrt(given)
  ask
}

# The variables, and the coordinates as a matrix with a row for each of their rows; `coords` says how newdata gives
# them: their `names`, or NULL where they have none, and the `formula` or NULL, which has the last of them where those
# of points of sf are the first.
fit_points <- function(data, coords) {
  found <- list(names = NULL, formula = NULL, geographic = NA, crs = NULL)
  if (inherits(data, c("SpatRaster", "stars", "Spatial", "SpatVector")))
    input_error("data", class(data)[1L], paste(
      "must be a data frame, or points of the package sf: use",
      if (inherits(data, "SpatRaster")) "terra::as.data.frame(data, xy = TRUE)" else "sf::st_as_sf(data)"))
  if (!is.data.frame(data) && !is.environment(data) && (!is.list(data) || is.object(data)))
    table_error("data", data, "must be a data frame, or points of the package sf")
  xy <- NULL
  if (inherits(data, "sf")) {
    a <- sf_points(data, "data")
    found[c("geographic", "crs")] <- a[c("geographic", "crs")]
    xy <- a$xy
    colnames(xy) <- if (isTRUE(a$geographic)) c("longitude", "latitude") else axis_names(ncol(xy))
    data <- sf::st_drop_geometry(data)
  } else if (is.null(coords))
    raise_engine_error("input", "coords is missing: coordinates are needed, as in coords = ~ x + y")
  if (inherits(coords, "formula")) {
    if (length(coords) != 2L) input_error("coords", deparse(coords)[1L], "must be a formula without a left side")
    found$formula <- coords
    check_coord_names(coords, data)
    more <- formula_coords(coords, data)
  } else if (is.character(coords)) {
    odd <- setdiff(printable(coords), names(data))
    if (length(odd)) input_error("coords", odd[1L], "must be names of columns of data, or coordinates")
    more <- table_points(as.data.frame(if (is.environment(data)) mget(coords, data) else data)[coords], "coords")
  } else if (is.null(coords)) more <- NULL
  else if (is.null(xy)) {
    if (is.numeric(coords) && is.null(dim(coords))) coords <- cbind(as.double(coords), deparse.level = 0L)
    a <- points_of(if (inherits(coords, "rfGrid")) as.matrix(coords) else coords, "coords", list(distance = "auto"))
    more <- a$xy
    found[c("geographic", "crs")] <- a[c("geographic", "crs")]
  } else raise_engine_error("input", paste("data has points of package sf: coords adds a column of data to their",
                                         "coordinates, as in coords = ~ time, or is left out"))
  xy <- cbind(xy, more)
  if (!is.null(coords)) found["names"] <- list(colnames(xy))
  storage.mode(xy) <- "double"
  if (is.na(found$geographic)) found$geographic <- maybe_degrees(xy)
  list(data = data, xy = xy, geographic = found$geographic, crs = found$crs, coords = found)
}

# Are the coordinates as many as the model takes, the time included?
check_coords <- function(points, model) {
  if (is_several(model)) refuse_one_response(model$name)
  if (has_labels(model)) return(invisible())
  parts <- model_parts(known_model(model))
  timed <- has_time(parts)
  space <- lapply(parts, function(part) if (is.null(part$space)) part else part$space)
  sphere <- isTRUE(points$geographic) || parts[[1L]]$distance %in% c("chordal", "greatcircle")
  turned <- Find(is_anisotropic, space)
  wanted <- if (sphere) 2L else if (!is.null(turned)) max(length(turned$scales), 2L * is.null(turned$scales))
  d <- ncol(points$xy)
  names <- points$coords$names
  late <- timed && (d == 2L && !is.null(points$crs) || # points of sf
                      tolower(utils::tail(names, 1L)) %in% c("y", "z", "lat", "latitude", "northing"))
  if (d > timed && (is.null(wanted) || d - timed == wanted) && !isTRUE(late)) return(invisible())
  raise_engine_error("input", sprintf(
    "there %s %d coordinate%s%s: the model takes %s%s", if (d == 1L) "is" else "are", d, if (d == 1L) "" else "s",
    if (is.null(names)) "" else sprintf(" (%s)", toString(names)), if (sphere) "longitude and latitude"
    else if (!is.null(wanted)) sprintf("%d coordinates", wanted) else "coordinates in space",
    if (timed) ", and after these the time"
    else if (sphere && d == 3L) "; a time after these is for models by covModel(\"separable\") or (\"gneiting\")"
    else ""))
}

# Each term is a coordinate.
formula_coords <- function(formula, data, name = "coords") {
  coord_terms(formula)
  taken <- model_variables(formula, data, stats::model.frame(formula, data, na.action = stats::na.pass), name)
  table_points(taken, name)
}

last_terms <- function(formula, k) {
  formula[[2L]] <- Reduce(function(a, b) call("+", a, b), utils::tail(coord_terms(formula), k))
  formula
}

check_coord_names <- function(formula, data) {
  env <- if (is.environment(data)) data else environment(formula)
  absent <- setdiff(all.vars(formula), c(".", if (!is.environment(data)) names(data)))
  absent <- absent[!vapply(absent, exists, NA, envir = env, mode = "numeric")] # time() is no coordinate
  if (length(absent)) raise_engine_error("input", sprintf(
    "coords = %s: there is no %s%s", deparse(formula)[1L], paste(absent, collapse = " and no "),
    if (is.environment(data)) "" else sprintf(", data has the columns %s", toString(names(data), 200L))))
}

# The terms of a sum. What other operators mean in formulas, interactions and powers of sets of terms, is nothing for
# coordinates, and arithmetic needs I().
coord_terms <- function(formula, term = formula[[2L]]) {
  if (is.call(term) && (identical(term[[1L]], quote(`+`)) || identical(term[[1L]], quote(`(`))))
    return(unique(unlist(lapply(as.list(term)[-1L], function(t) coord_terms(formula, t)))))
  odd <- if (is.call(term)) as.character(term[[1L]])[1L] %in% c("*", "^", ":", "/", "-", "%in%", "|", "~")
         else !is.name(term) || identical(term, quote(.))
  shown <- deparse(term)[1L]
  if (odd) raise_engine_error("input", sprintf("coords = %s: %s is no coordinate%s", deparse(formula)[1L], shown,
                                               if (is.call(term)) sprintf(", I(%s) would be one", shown) else ""))
  list(term)
}

# The fit of a design matrix; everything that does not need the formula. `ask` is for the model, with what is fixed in
# it and where it starts.
gp_fit <- function(y, x, offset, points, ask, estimator = "ML", method = "exact", m = 30, block = 1, penalty = FALSE,
                   error.variance = NULL, family = NULL, trials = NULL, beside = NULL) {
  offset <- fit_design(y, x, offset)
  qr <- qr(x)
  keep <- sort(qr$pivot[seq_len(qr$rank)])
  check_observations(length(y), length(keep), "coefficient")
  points[c("rows", "called")] <- list(names(y), "coords")
  ask <- with_places(ask, points)
  coefficients <- replace(stats::setNames(rep(NA_real_, ncol(x)), colnames(x)), keep, 0)
  fit <- c(list(coefficients = coefficients, estimator = estimator, method = method, m = m, block = block,
                penalty = penalty, nobs = length(y), rank = length(keep), y = y, X = x, offset = offset,
                x = points$xy, local = points$local, error.variance = error.variance, family = family,
                trials = trials), beside)
  fit$method <- if (is.null(family)) fit_method(method, length(y), ask$model, ncol(points$xy))
                else laplace_method(method, length(y))
  lik <- likelihood_of(fit, ask)
  about <- lik$search()
  on.exit(lik$close())
  found <- gp_find(lik)
  lik <- found$likelihood
  sound <- sound_result(lik, found)
  found <- sound$found
  best <- sound$best
  if (!is.null(best$instead)) return(best$instead)
  warn_unfinished(found)
  fit[c("m", "block")] <- NULL
  fit$coefficients[keep] <- best$beta
  fitted <- offset + if (length(keep)) drop(x[, keep, drop = FALSE] %*% best$beta) else 0
  fit[c("fitted.values", "residuals", "metric")] <-
    list(stats::setNames(fitted, names(y)), y - fitted, about$problem$metric)
  fit$vcov <- joint_vcov(best, keep, colnames(x))
  fit$parameters <- joint_parameters(fit, best$rows, about$task$searched)
  fit$df <- fit$dimension <- sum(!fit$parameters$fixed & !is.na(fit$parameters$estimate))
  fit[c("converged", "interrupted", "iterations", "evaluations")] <-
    found[c("converged", "interrupted", "iterations", "evaluations")]
  if (!is.null(found$second)) fit$second <- list(below = found$second$below, estimates = stats::setNames(
    found$second$v, about$rows$name)[about$task$searched])
  more <- best[setdiff(names(best), c("rows", "beta", "vcov", "vcov.cov", "cross"))]
  fit[names(more)] <- more
  fit
}

# The result of a search, with the maximum that was `found`. At the end of a search that goes to a limit of working
# precision a matrix may be positive definite with one rounding and not with another: shorter ranges have one that is.
sound_result <- function(lik, found) {
  s <- found$space
  lengths <- s$at[s$rows$kind[s$at] == "length"]
  for (more in 0:20) {
    best <- tryCatch(lik$result(found), statcl_error_input = function(e)
      if (more == 20 || !length(lengths) || !grepl("positive definite", conditionMessage(e))) stop(e))
    if (!is.null(best)) return(list(best = best, found = found))
    found$v[lengths] <- 0.98 * found$v[lengths]
    found$converged <- FALSE
  }
}

# The covariance matrix of coefficients, of which those of the columns `keep` are known, and of covariance parameters,
# between which that of the likelihood has 0 if it is not known as `cross`.
joint_vcov <- function(best, keep, coefficients) {
  name <- c(coefficients, best$rows$name)
  vcov <- matrix(NA_real_, length(name), length(name), dimnames = list(name, name))
  own <- length(coefficients) + match(rownames(best$vcov.cov), best$rows$name)
  vcov[c(keep, own), c(keep, own)] <- 0
  if (length(keep)) vcov[keep, keep] <- best$vcov
  vcov[own, own] <- best$vcov.cov
  if (!is.null(best$cross)) {
    vcov[keep, own] <- best$cross
    vcov[own, keep] <- t(best$cross)
  }
  vcov
}

# One table of both.
joint_parameters <- function(fit, rows, searched) {
  k <- length(fit$coefficients)
  parameter_table(rownames(fit$vcov), factor(rep(c("mean", "covariance"), c(k, nrow(rows))), c("mean", "covariance")),
                  c(fit$coefficients, rows$value), sqrt(diag(fit$vcov)), c(logical(k), !rows$name %in% searched),
                  c(character(k), rows$end), c(rep(-Inf, k), rows$lower), c(rep(Inf, k), rows$upper))
}

# Standard errors of the rows at a maximum.
parameter_errors <- function(best)
  unname(sqrt(diag(best$vcov.cov))[match(best$rows$name, rownames(best$vcov.cov))])

# "exact" or "vecchia", of the two for normal responses.
fit_method <- function(method, n, model, coordinates) {
  served <- n <= most_exact_fit && gp_gigabytes(n, TRUE) < max(free_gigabytes(), 0.1)
  if (method == "auto")
    method <- if (coordinates > 10L || served) "exact" else "vecchia"
  if (method != "vecchia") return(method)
  if (coordinates > 10L)
    raise_engine_error("input", sprintf("method \"vecchia\" takes up to 10 coordinates: there are %d", coordinates))
  method
}

check_observations <- function(n, parameters, what)
  if (n <= parameters)
    raise_engine_error("input", sprintf("%s for %s: a fit needs more", count_text(n, "observation"),
                                        count_text(parameters, what)))

# Observations that are the same tell of a nugget of 0, where their density is infinite.
warn_of_repeats <- function(p, xy, y) {
  none <- rep_len(nugget_at(p, xy), nrow(xy)) <= 1e-10 * own_variances(p, xy)
  if (!any(none)) return()
  repeated <- sum(duplicated(cbind(place_numbers(xy), y)) & none)
  if (repeated) warn(sprintf(paste(
    "%s at the location of another with the same value: the likelihood has no maximum, as it grows without bound for",
    "a nugget that goes to 0; leave them out, or give the nugget by fixed"), count_text(repeated, "observation")))
}

# The offset, of variables that are finite.
fit_design <- function(y, x, offset) {
  if (any(!is.finite(y))) element_error("y", y, !is.finite(y), "the response must be finite", names(y))
  if (is.null(offset)) offset <- numeric(length(y))
  if (any(!is.finite(offset))) element_error("offset", offset, !is.finite(offset), "offset must be finite",
                                                names(y))
  bad <- which(!is.finite(x), arr.ind = TRUE)
  if (nrow(bad)) element_error(colnames(x)[bad[1L, 2L]], x[, bad[1L, 2L]], !is.finite(x[, bad[1L, 2L]]),
                               "must be finite in all cases", rownames(x))
  offset
}

check_no_mean <- function(model) {
  if (!identical(as.double(if (is.numeric(model$mean)) model$mean else NA), 0))
    input_error("cov$mean", if (is.numeric(model$mean)) model$mean else class(model$mean)[1L],
                "is not for fits: the formula has the mean, and offset() what is known of it")
}

# Locations on a line, or in a plane of space, say nothing of what is across it.
check_anisotropy <- function(p, free) {
  known <- parameter_names(p$parts)
  odd <- intersect(known$name[known$base %in% c("angle", "ratio", "scales")], free)
  if (!length(odd)) return(invisible())
  xy <- p$xy[, seq_len(p$metric$dim), drop = FALSE]
  flat <- which(apply(xy, 2L, function(v) all(v == v[1L])))
  if (length(flat) || qr(sweep(xy, 2L, colMeans(xy)))$rank < ncol(xy))
    raise_engine_error("input", sprintf(
      "%s cannot be estimated: %s; leave anisotropy out of cov, or fix it", paste(odd, collapse = " and "),
      if (length(flat)) sprintf("coordinate %d is the same everywhere", flat[1L])
      else if (ncol(xy) > 2L) "the locations are in one plane" else "the locations are on one line"))
}

warn_unfinished <- function(found)
  if (!found$converged)
    warn(if (found$interrupted) "interrupted: the estimates are the best so far, not those of a maximum"
         else "the likelihood has not been maximised: try other values of start")

# The inverse, in units in which the diagonal is 1; NA where there is none.
inverse_or_na <- function(information) {
  unit <- sqrt(diag(information))
  inverse <- information * NA
  sound <- which(is.finite(unit) & unit > 0)
  if (!length(sound)) return(inverse)
  e <- eigen((information / tcrossprod(unit))[sound, sound, drop = FALSE], symmetric = TRUE)
  seen <- e$values > 1e-10 * e$values[1L]
  # what the likelihood does not tell apart has no variance
  known <- rowSums(abs(e$vectors[, !seen, drop = FALSE])) < 1e-4
  part <- e$vectors[known, seen, drop = FALSE]
  at <- sound[known]
  inverse[at, at] <- part %*% (t(part) / e$values[seen]) / tcrossprod(unit[at])
  inverse
}

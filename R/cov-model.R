#' Covariance models
#'
#' A covariance function with its parameters and the metric of its distances, as one object for [covariance()],
#' [gpFit()], [tbrf()] and other functions.
#'
#' A model is a plain list: it can be saved, and sent to other R processes. `update()` changes some of its arguments,
#' and by the names of derivatives (see [covariance()]) parameters of the parts of a sum, such as `range.2`;
#' a model whose components were changed by hand is checked again wherever it is used. Each parameter is a single
#' number. `"matern"` is described by [matern()], whose sections on distances, nugget, anisotropy and the sphere hold
#' for all families. Anisotropy is `angle` and `ratio` in the plane, and `scales`, along the coordinate axes, in any
#' dimension; `rotation` turns these axes in space.
#'
#' @section Families:
#' The correlation at distance `r`, with `h = r / range`:
#'
#' | name | correlation | parameters | dimension |
#' | --- | --- | --- | --- |
#' | `"matern"` | \eqn{2^{1-\nu} h^\nu K_\nu(h)/\Gamma(\nu)}, see [matern()] | `smoothness`, `scaling` | any |
#' | `"exponential"` | \eqn{\exp(-h)}{exp(-h)} | | any |
#' | `"gaussian"` | \eqn{\exp(-h^2)}{exp(-h^2)} | | any |
#' | `"powexp"` | \eqn{\exp(-h^\alpha)}{exp(-h^alpha)} | `shape` in (0, 2] | any |
#' | `"cauchy"` | \eqn{(1 + h^2)^{-\gamma}}{(1 + h^2)^-gamma} | `shape` > 0 | any |
#' | `"spherical"` | \eqn{1 - 3h/2 + h^3/2}{1 - 3h/2 + h^3/2}, 0 from h = 1 | | 3 |
#' | `"wendland"` | see below, 0 from h = 1 | `smoothness`, `shape` | 2 (shape - smoothness) - 1 |
#' | `"pentaspherical"` | \eqn{1 - 15h/8 + 5h^3/4 - 3h^5/8}, 0 from h = 1 | | 3 |
#' | `"circular"` | \eqn{2/\pi\,(\arccos h - h\sqrt{1-h^2})}{2/pi (acos(h) - h sqrt(1 - h^2))}, 0 from h = 1 | | 2 |
#' | `"cosine"` | \eqn{\cos(h)}{cos(h)} | | 1 |
#' | `"cubic"` | \eqn{1 - 7h^2 + 35h^3/4 - 7h^5/2 + 3h^7/4}, 0 from h = 1 | | 3 |
#' | `"besselj"` | \eqn{\Gamma(\nu+1) (2/h)^\nu J_\nu(h)}{Gamma(nu+1) (2/h)^nu J_nu(h)} | `shape` | 2 shape + 2 |
#' | `"sinc"` | \eqn{\sin(h)/h}{sin(h)/h} | | 3 |
#' | `"powerlaw"` | spectral density \eqn{\propto k^b}{~ k^b}, kmin < k < kmax | `exponent`, `kmin`, `kmax` | 3 |
#' | `"gammaspectrum"` | spectral density \eqn{\propto k^{b} e^{-k}}{~ k^b exp(-k)} | `exponent` > -3 | 3 |
#' | `"spectrum"` | spectral density \eqn{\propto}{~} `density(k)` | `density`, `dim` | `dim` |
#' | `"covariance"` | `covariance(h)` | `covariance`, `dim` | `dim` |
#' | `"power"` | none; semivariogram \eqn{h^\alpha}{h^alpha}, see below | `shape` in (0, 2) | any |
#' | `"separable"`, `"gneiting"` | of space and time, see below | `space`, `time` | |
#' | `"bimatern"` | of two variables, see below | `smoothness`, `correlation` | `dim` |
#' | `"multimatern"` | of any number of variables, see below | `smoothness`, `correlation` | `dim` |
#' | `"lmc"` | of any number of variables, see below | `parts`, `sill` | that of its parts |
#'
#' The last column is the largest dimension of space; covariances among points of more dimensions are an error.
#'
#' `"wendland"` is the generalised Wendland function of Gneiting (2002)
#' and Bevilacqua et al. (2019), \eqn{\int_h^1 (u^2-h^2)^\kappa (1-u)^{\mu-1}\,du/B(2\kappa+1,\mu)}{int_h^1 (u^2 -
#' h^2)^kappa (1 - u)^(mu - 1) du / B(2 kappa + 1, mu)} of smoothness \eqn{\kappa \ge 0}{kappa >= 0} and shape
#' \eqn{\mu}{mu}: \eqn{(1-h)^\mu}{(1 - h)^mu} for smoothness 0, \eqn{(1-h)^{\mu+1}(1+(\mu+1)h)}{(1 - h)^(mu + 1) (1
#' + (mu + 1) h)} for 1. `"rationalquadratic"` is another name of `"cauchy"`. The `shape` of `"besselj"` is at most
#' 500. The spectral densities of the last four functions of distance are those of a field in space (for
#' `"spectrum"`, of a field in `dim` dimensions), with k the length of the wave vector in radians per `range`, which
#' is 1 for `"powerlaw"`, `"spectrum"` and `"covariance"` unless it is given. Their factor follows from `variance`.
#' Both cut-offs of a power law are part of the model and have no default: for a grid, take \eqn{2\pi}{2 pi} over its
#' longest side and \eqn{\pi}{pi} over its spacing.
#'
#' `density` and `covariance` are functions of a vector, finite everywhere; `covariance(0)` must be 1, and a
#' covariance whose spectral density is negative somewhere is an error. Values for such models come from quadrature.
#' For a density, covariances and line covariances have errors of 1e-12 of the variance or less in the package's
#' tests; for a covariance, spectral densities have relative errors of 1e-9 there, and radii of random wave vectors
#' some 1e-8 but 1e-4 far in the upper tail.
#'
#' With `distance = "greatcircle"` `"exponential"`, `"powexp"` with `shape` up to 1, `"matern"` with smoothness up to
#' 1/2, and `"spherical"`, `"pentaspherical"`, `"cubic"` and `"wendland"` with a range up to half the circumference
#' are positive definite (Gneiting 2013); with `"chordal"`, what is valid in space.
#'
#' @section Intrinsic models:
#' `"power"` is the power variogram, that of fractional Brownian motion and fields with the Hurst exponent `shape`/2:
#' half the expected squared difference of two values is `variance` at the distance `range`, and grows like the power
#' `shape` of the distance without bound; with `shape = 1` it is linear. There is no variance and no covariance, only
#' increments are determined, so that such a model, and a sum that has it as a part, is for [tbrf()], also with
#' `data`, for [spectralDensity()], [rfSpectrum()] and `plot(what = "variogram")`; what needs a covariance is an
#' error.
#'
#' @section Space and time:
#' Two models are functions of the distance `h` in space and the lag `u` in time, for [covariance()] of points whose
#' last coordinate is the time, and for `tbrf(time = )`:
#'
#' * `"separable"` is the product of the correlations of `space` and `time`, both models by `covModel()`.
#' * `"gneiting"` (Gneiting 2002, theorem 2) is \eqn{\psi^{-(\delta + \beta d/2)} C(h \psi^{-\beta/2})}{psi^-(delta
#'   + beta d / 2) C(h psi^(-beta / 2))} with \eqn{\psi = 1 + (u/\mathrm{range})^{2\alpha}}{psi = 1 + (u / range)^(2
#'   alpha)} and the correlation C of `space`, a `"matern"`, `"exponential"`, `"gaussian"`, `"powexp"` or `"cauchy"`
#'   model. `time` is a list of `range`, `shape` alpha in (0, 1] (1 if not given), `interaction` beta from 0, where
#'   it is separable, to 1 (1), `decay` delta (0), and the largest dimension of space `dim` (2, or 3 for chordal
#'   distances).
#'
#' Variances and nuggets of `space` and `time` are ignored: `variance` and `nugget` are those of the product.
#' `distance`, `angle`, `ratio`, `scales` and `radius` are those of `space`, and are given there. The section on
#' names of parameters has those of derivatives. A sum may have parts of space alone, which do not change in time.
#' Points of package sf have no times, but for a third coordinate of projected ones: give
#' `cbind(sf::st_coordinates(x), time)`, for longitudes and latitudes with `distance = "chordal"` in `space`.
#'
#' @section Two variables:
#' `"bimatern"` is the full bivariate Matern model of Gneiting, Kleiber and Schlather (2010), of two variables as in
#' the next section. Both have Matern covariances, and so has their cross-covariance, with `correlation` times the
#' root of the product of the variances for variance. `smoothness` is that of the first, the second and the
#' cross-covariance, `range` likewise, or one number; `variance` and `nugget` are of both variables. With one range
#' and two smoothnesses, of which the cross-covariance has the mean, it is the parsimonious model of that paper, which
#' `"multimatern"` is, too. `dim` is the largest dimension of space, 2 if not given, and 3 for chordal distances:
#' there the condition of theorem 3, which is necessary as well, is checked. [gpFit()] estimates its parameters, with
#' the correlation as a share of the largest one; a few hundred observations hardly tell the range and smoothness of a
#' cross-covariance, and `penalty = TRUE` draws that smoothness to the mean of both.
#'
#' @section Several variables:
#' Two more models are for any number p of variables, for [covariance()] of points whose last column is the number of
#' the variable (or its name, in a data frame, where the model has names by `variable`), and for [gpFit()]:
#'
#' * `"multimatern"`: all variables have Matern covariances, with `variance`, `smoothness` and `nugget` of each, or
#'   one for all, and so have their cross-covariances, with the mean of both smoothnesses and `correlation`, a p x p
#'   matrix, times the root of the product of the variances for variance. With one `range` it is the parsimonious
#'   model of Gneiting, Kleiber and Schlather (2010), with p of them that of Apanasovich, Genton and Sun (2012) in
#'   which squared inverse ranges of pairs are means, too. Of two variables `correlation` may be a number.
#' * `"lmc"`, the linear model of coregionalisation: the sum over the `parts`, models of one variable with variance 1,
#'   of their correlation times a p x p matrix, `sill = list(T1, T2, ...)`, positive semidefinite, of the variances
#'   and covariances at one place that belong to the part. With one part all variables have the same correlation, and
#'   the model is separable. `rank`, p by default, is that of the matrices, one number or one for each part.
#'
#' A p x p matrix for `nugget` has covariances of the errors of different variables at one place, where each variable
#' has at most one observation.
#'
#' Matrices that are none of covariances are errors, which say by how much. With one range the correlations are valid
#' if and only if the matrix beta of \eqn{\rho_{ij} g((\nu_i+\nu_j)/2) / \sqrt{g(\nu_i) g(\nu_j)}}{rho_ij g((nu_i +
#' nu_j) / 2) / sqrt(g(nu_i) g(nu_j))}, with \eqn{g(\nu) = \Gamma(\nu + d/2)/\Gamma(\nu)}{g(nu) = Gamma(nu + d/2) /
#' Gamma(nu)} and the dimension d, `dim`, has no negative eigenvalue. With several ranges two variables have the exact
#' condition of theorem 3 of that paper, and more than two the sufficient one of Apanasovich, Genton and Sun: some
#' valid matrices of large correlations are refused.
#'
#' @section Parameters that follow covariates:
#' Where a field is rougher, more variable or of a shorter range in some places than in others, parameters of
#' `"matern"`, `"exponential"`, `"gaussian"`, `"cauchy"` and `"powexp"` can be formulas: `variance`, `range`, `nugget`
#' and, of `"matern"`, `smoothness`, whose logarithm is linear in the covariates of the formula, and `angle`, which is
#' linear itself, in degrees. Other parameters are numbers for all places. `coefficients` are the known ones, by
#' parameter and by the names of columns of [model.matrix()]; [gpFit()] estimates them. With the matrices
#' \eqn{S(s)} of the squared ranges, a multiple of the identity without anisotropy, \eqn{Q = (S(s)+S(t))/2} and
#' \eqn{x^2 = (s-t)'Q^{-1}(s-t)}{x^2 = (s - t)' inv(Q) (s - t)} the covariance is (Paciorek and Schervish 2006)
#' \deqn{\sigma(s)\sigma(t)\,|S(s)|^{1/4}|S(t)|^{1/4}|Q|^{-1/2}\,C(x)}{sigma(s) sigma(t) |S(s)|^(1/4) |S(t)|^(1/4)
#' |Q|^(-1/2) C(x)}
#' with the correlation C of the family at range 1, which is positive definite in any dimension, or with a smoothness
#' that differs (Stein 2005), \eqn{m = (\nu(s)+\nu(t))/2}{m = (nu(s) + nu(t))/2}, \eqn{C(x) =
#' 2^{1-m}x^mK_m(x)/\sqrt{\Gamma(\nu(s))\Gamma(\nu(t))}}{C(x) = 2^(1-m) x^m K_m(x)/sqrt(Gamma(nu(s)) Gamma(nu(t)))}.
#' A local range is not that of the correlation between two places of very different ranges, which is near 0 even at
#' a short distance, and where the smoothness jumps, so does the field: covariates should be continuous in space.
#' Above 10 a smoothness grows more slowly than its logarithm would, and it ends at 50.
#'
#' Points for [covariance()], [gpLoglik()] and [simulate()][simulate.covModel] are then a data frame, or points of
#' package \pkg{sf}, with the covariates by name: columns that are no covariates are coordinates, so that a coordinate
#' that is a covariate as well has to be there twice, under two names (a model of [gpFit()] knows its `coords`).
#' Factors and bases as `poly(elevation, 2)` and `splines::ns(elevation, 3)` are those of `x`, or of the data of a
#' fit. Distances are Euclidean or chordal, with `scaling = "plain"`; there are no `scales`, sums, spectra and turning
#' bands.
#'
#' @section Sums:
#' `a + b` is the model of the sum of two independent fields, and `2 * a` has twice the variance and nugget, `a / 2`
#' half of them. Each part keeps its own anisotropy, so that zonal anisotropy can be modelled as a sum; all parts
#' have the same `distance`. Means are added, and not multiplied. The parts are in the component `parts`.
#'
#' @section Names of parameters:
#' The argument `deriv` of [covariance()], `fixed` and `start` of [gpFit()] and `update()` have these names:
#'
#' | model | names |
#' | --- | --- |
#' | all but those below | `variance`, `range`, `nugget` |
#' | what the family has, by the table of families | `smoothness`, `shape`, `exponent`, `kmin`, `kmax` |
#' | anisotropy | `angle` and `ratio`, or `scales1`, `scales2`, ... |
#' | part k of a sum | the same with the number of the part, as `range.2` |
#' | `"separable"`, `"gneiting"` | `variance`, `nugget` |
#' | parameters of `space` | `space.range`, `space.smoothness`, `space.angle`, `space.scales1`, ... |
#' | parameters of `time`, `"separable"` | `time.range`, and those of its family |
#' | parameters of `time`, `"gneiting"` | `time.range`, `time.shape`, `time.interaction` |
#' | `"bimatern"` | `variance1`, `variance2`, `range1`, `range2`, `range12`, `smoothness1`, ..., `correlation` |
#' | what is one number for both variables | without a number, as `range` |
#' | a parameter with a formula | those of its coefficients, as `range.(Intercept)` and `range.elevation` |
#' | `"multimatern"` | `variance1`, `smoothness1`, `nugget1`, ..., `correlation12`, ..., `range` or `range1`, ... |
#' | `"lmc"` | `sill1.11`, `sill1.12`, ..., `nugget1`, ..., and those of the parts as of a sum, `range.2` |
#' | matrix of nuggets | `nugget12`, ... besides |
#' | variables that have names | `variance.lead`, `correlation.lead.zinc`, `sill1.lead.zinc`, ... |
#'
#' @section Other packages:
#' | other package | `covModel()` |
#' | --- | --- |
#' | `RandomFields::RMexp()`, `RMgauss()` | `"exponential"`, `"gaussian"` |
#' | `RandomFields::RMspheric()`, `RMcubic()`, `RMcircular()` | `"spherical"`, `"cubic"`, `"circular"` |
#' | `RandomFields::RMstable(alpha)` | `"powexp"`, `shape = alpha` |
#' | `RandomFields::RMcauchy(gamma)` | `"cauchy"`, `shape = gamma` |
#' | GeoModels `"GenWend"`, `smooth`, `power2` | `"wendland"`, `smoothness = smooth`, `shape = power2` |
#' | rational quadratic, \eqn{(1 + r^2/(2 a l^2))^{-a}}{(1 + r^2/(2 a l^2))^-a} | `shape = a`, `range = l sqrt(2 a)` |
#' | `RandomFields::RMfbm(alpha)`, `gstat::vgm(psill, "Pow", alpha)` | `"power"`, `shape = alpha`, `range = 1` |
#' | `RandomFields::RMbessel(nu)`, `RMwave()` | `"besselj"`, `shape = nu`; `"sinc"` |
#' | a model by `gstat::vgm()` | `covModel(<model>)`, and back by [as.vgm()], which has a table |
#' | an object by `gstat::fit.lmc()` | `covModel(<object>)`, an `"lmc"`, and back by [as.vgm()] |
#' | `GSTools.Gaussian(len_scale)` | `"gaussian"`, `range = len_scale * 2 / sqrt(pi)` |
#' | `GSTools.Exponential(len_scale)`, `Stable(alpha)` | `"exponential"`, `"powexp"`, `range = len_scale` |
#' | `GSTools.Matern(nu, len_scale)` | `"matern"`, `range = sqrt(2) * len_scale`, `scaling = "sqrt2nu"` |
#'
#' @param name name of the model, see the table of families; or a model by `gstat::vgm()`, or an object by
#'   `gstat::gstat()` with those of several variables, see [as.vgm()].
#' @inheritParams matern
#' @param range range, positive, in the unit of the distances; 1 if it is not given beside `scales`.
#' @param smoothness smoothness of `"matern"`, positive and below 1e15, and of `"wendland"`, not negative (k of
#'   `"wendland"` corresponds to k + 1/2 of `"matern"`).
#' @param ... for `update()` the arguments to change, by name; not used by the other functions.
#' @param shape exponent or order of `"powexp"`, `"cauchy"`, `"besselj"`, `"wendland"` and `"power"`.
#' @param exponent exponent of the spectral density in space, of `"powerlaw"` from -30 to 30. For a field in the plane
#'   whose density there goes like k^b between cut-offs use `"spectrum"` with `dim = 2` and
#'   `density = function(k) ifelse(k > kmin & k < kmax, k^b, 0)`.
#' @param kmin,kmax ends of the band of a power law, positive: for a periodic field see the section Periodic fields of
#'   [tbrf()].
#' @param density,covariance a function, vectorised: see the section on families.
#' @param dim for `density`, the dimension in which it is the spectral density; for `covariance`, the largest one
#'   in which it is valid; by default 3.
#' @param mean mean of the field: a number, or a function of one argument, the matrix of the coordinates of the points
#'   with columns `x`, `y` and `z`, as many as there are, which gives a vector with an element for each row, such as
#'   `function(p) 2 + 0.1 * p[, "x"]`.
#' @param coefficients of parameters that follow covariates, a list as `list(range = c("(Intercept)" = 0, elevation =
#'   0.5))`: see the section on these. What is not given is `NA`.
#' @param rotation in space, three angles in degrees, by which the axes of `scales` are turned from those of the
#'   coordinates: by the first about the third axis, from x towards y, then by the second about the second axis as
#'   turned, from x towards z, and by the third about the first one as turned, from y towards z.
#' @param parts the models of a sum, set by `+`; of `"lmc"`, a list of models of one variable.
#' @param correlation correlation of the two variables of `"bimatern"` at one location, and the matrix of these of
#'   `"multimatern"`.
#' @param sill,rank matrices of `"lmc"`, a list with one for each part, and their rank: see the section on several
#'   variables. `sill = NA` are matrices that are not known, of as many variables as `nugget` or `variable` has.
#' @param variable names of the variables of `"bimatern"`, `"multimatern"` or `"lmc"`.
#' @param space,time models in space and in time: see the section on both.
#' @section Unknown parameters: Parameters that [gpFit()] is to estimate may be `NA`, as in `covModel("matern",
#'   range = NA, smoothness = 1.5, nugget = NA)`. Such a model can be printed, changed and added to others; elsewhere
#'   it is an error.
#'
#' @return An object of class `covModel`: a list with the components `name`, `variance`, `range`, `nugget`,
#'   `distance`, `angle`, `ratio`, `scales`, `radius`, `mean` and the parameters of the family; a sum has `name`,
#'   `parts`, `mean`, `distance` and `radius`.
#' @references
#' Apanasovich, T. V., Genton, M. G. and Sun, Y. (2012). A valid Matern class of cross-covariance functions for
#' multivariate random fields with any number of components. *Journal of the American Statistical Association*
#' **107**, 180--193.
#'
#' Bevilacqua, M., Faouzi, T., Furrer, R. and Porcu, E. (2019). Estimation and prediction using generalized Wendland
#' covariance functions under fixed domain asymptotics. *Annals of Statistics* **47**, 828--856.
#'
#' Chiles, J.-P. and Delfiner, P. (2012). *Geostatistics: Modeling Spatial Uncertainty*, 2nd edition. Wiley, New York.
#'
#' Gneiting, T. (2002). Nonseparable, stationary covariance functions for space-time data. *Journal of the American
#' Statistical Association* **97**, 590--600.
#'
#' Gneiting, T. (2002). Compactly supported correlation functions. *Journal of Multivariate Analysis* **83**,
#' 493--508.
#'
#' Gneiting, T. (2013). Strictly and non-strictly positive definite functions on spheres. *Bernoulli* **19**,
#' 1327--1349.
#'
#' Gneiting, T., Kleiber, W. and Schlather, M. (2010). Matern cross-covariance functions for multivariate random
#' fields. *Journal of the American Statistical Association* **105**, 1167--1177.
#'
#' Lantuejoul, C. (2002). *Geostatistical Simulation: Models and Algorithms*. Springer, Berlin.
#'
#' Paciorek, C. J. and Schervish, M. J. (2006). Spatial modelling using a new class of nonstationary covariance
#' functions. *Environmetrics* **17**, 483--506.
#'
#' Stein, M. L. (2005). Nonstationary spatial covariance functions. Technical Report 21, Center for Integrating
#' Statistical and Environmental Science, University of Chicago.
#' @seealso [covariance()], [lineCovariance()], [spectralDensity()], [plot.covModel()], [matern()]
#' @concept variogram
#' @concept semivariogram
#' @concept covariance function
#' @concept nonstationary
#' @examples
#' model <- covModel("matern", range = 2, smoothness = 1.5, variance = 3, nugget = 0.1)
#' model
#' covariance(model, c(0, 1, 2, 5))
#' update(model, range = 3, nugget = 0)
#' plot(model)
#'
#' # two scales, the larger one with anisotropy
#' covModel("spherical", range = 1) + 2 * covModel("gaussian", range = 10, angle = 30, ratio = 0.5)
#'
#' # turbulence, and a user-defined spectral density
#' covModel("powerlaw", exponent = -11/3, kmin = 0.05, kmax = 3)
#' covModel("spectrum", density = function(k) k^2 / (1 + k^2)^4, dim = 3)
#'
#' # three days at two locations
#' model <- covModel("gneiting", space = covModel("exponential", range = 2), time = list(range = 1))
#' covariance(model, cbind(x = rep(0:1, 3), y = 0, day = rep(1:3, each = 2)))
#'
#' # two variables at one location and another
#' model <- covModel("bimatern", range = 1, smoothness = c(0.5, 1.5), variance = c(1, 4),
#'                   correlation = 0.6)
#' covariance(model, cbind(x = c(0, 0, 1), y = 0, variable = c(1, 2, 1)))
#'
#' # the range is longer on high ground
#' model <- covModel("exponential", range = ~ elevation,
#'                   coefficients = list(range = c("(Intercept)" = 0, elevation = 0.5)))
#' covariance(model, data.frame(x = 0:2, y = 0, elevation = c(0, 1, 3)))
#'
#' # three variables, and two structures with matrices
#' covModel("multimatern", range = 1, smoothness = c(0.5, 1, 1.5), variance = c(1, 4, 2),
#'          correlation = matrix(c(1, 0.6, -0.3, 0.6, 1, 0, -0.3, 0, 1), 3),
#'          variable = c("lead", "copper", "zinc"))
#' covModel("lmc", parts = list(covModel("exponential", range = 1), covModel("spherical", range = 9)),
#'          sill = list(diag(2), matrix(c(2, 1, 1, 2), 2)), nugget = c(0.1, 0.2))
#' @order 1
#' @export
covModel <- function(name, range, smoothness, variance = 1, ..., nugget = 0,
                     scaling = c("plain", "sqrt2nu", "sqrt8nu"),
                     distance = c("auto", "euclidean", "chordal", "greatcircle", "given"), angle = 0, ratio = 1,
                     scales = NULL, radius = 6371, shape = NULL, exponent = NULL, kmin = NULL, kmax = NULL,
                     density = NULL, covariance = NULL, dim = NULL, mean = 0, parts = NULL, space = NULL,
                     time = NULL, correlation = NULL, rotation = NULL, coefficients = NULL, sill = NULL, rank = NULL,
                     variable = NULL) {
  refuse_extra("covModel", ...)
  need(name = missing(name))
  if (inherits(name, "variogramModel"))
    return(vgm_model(name, mget(setdiff(names(match.call()), c("", "name")))))
  if (is_vgm_list(name)) return(vgm_models(name, mget(setdiff(names(match.call()), c("", "name")))))
  if (identical(name, "sum")) return(sum_model(parts, mean))
  if (identical(name, "rationalquadratic")) name <- "cauchy"
  check_name(name)
  own <- families[[name]]$arguments
  if (is.null(own)) {
    if (!is.null(sill)) refuse_extra("covModel", sill = sill)
    for (p in c("rank", "variable")) if (!is.null(get(p)))
      input_error(p, get(p), sprintf("is for models of several variables, not for \"%s\"", name))
  }
  if (!is.null(own) && length(odd <- setdiff(names(match.call()), c("", own)))) {
    spatial <- "space" %in% own && odd[1L] %in% c("distance", "angle", "ratio", "scales", "radius", "rotation")
    input_error(odd[1L], get(odd[1L]), sprintf("is no argument of \"%s\"%s", name,
                                               if (spatial) ": give it in `space`" else ""))
  }
  given <- as.list(environment())[setdiff(names(formals()), "...")]
  given <- given[!vapply(given, identical, NA, quote(expr = ))]
  if (length(parameter_formulas(given))) return(local_model(given))
  if (!is.null(coefficients)) input_error("coefficients", class(coefficients)[1L],
                                          "is for parameters with a formula, as range = ~ elevation")
  takes <- families[[name]]$takes
  if (is.null(dim) && "dim" %in% takes) given$dim <- 3
  if (!is.null(families[[name]]$terms)) return(families[[name]]$make(given)) # which knows of NA
  holes <- holes_of(given[intersect(names(given), names(parameter_facts))])
  if (length(holes)) return(model_with_holes(given, holes))
  if (!is.null(own)) return(families[[name]]$make(given))
  if (missing(range) && (families[[name]]$own_unit || !is.null(scales))) given$range <- 1
  need(range = is.null(given$range))
  check_takes(given)
  if (isTRUE(families[[name]]$scaled)) model <- matern_model(given[matern_arguments])
  else {
    if (choice("scaling", scaling, names(scaling_text)) != "plain")
      input_error("scaling", scaling, sprintf("is for \"matern\", not for \"%s\"", name))
    model <- common_model(given[setdiff(matern_arguments, c("smoothness", "scaling"))])
    model <- check_combination(check_own(c(model, given[takes])))
  }
  for (p in c("range", "variance", "nugget", takes)) {
    if (is.function(model[[p]])) next
    if (length(model[[p]]) != 1L)
      input_error(p, model[[p]], "must be a single number in a model (matern() takes more)")
    model[[p]] <- as.double(model[[p]])
  }
  model$mean <- check_mean(mean)
  structure(model, class = "covModel")
}

matern_arguments <- c("name", "variance", "range", "smoothness", "scaling", "nugget", "distance", "angle", "ratio",
                      "scales", "radius", "rotation")

# A model is a list that anybody may have changed. The last one is known to be sound, unless it has functions, which
# may depend on what has changed since.
checked_model <- function(model, unknown = FALSE) {
  if (identical(model, session$sound_model)) return(model)
  name <- unclass(model)$name
  if (is.character(name) && length(name) == 1L && is_local(list(name = name))) {
    model <- check_local(model, unknown)
    if (!unknown) session$sound_model <- model
    return(model)
  }
  if (!identical(name, "sum")) check_name(name)
  own <- families[[name]]$arguments
  model <- do.call(covModel, if (is.null(own)) unclass(model) else unclass(model)[intersect(own, names(model))],
                   quote = TRUE)
  if (!unknown && anyNA(unlist(Filter(Negate(is.function), unclass(model)), use.names = FALSE)))
    input_error(unknown_parameters(model)[1L], NA,
                "must be a number here: only fits take models with parameters that are not known")
  if (!unknown && !any(vapply(unlist(unclass(model)), is.function, NA))) session$sound_model <- model
  model
}

matern_parameters <- c("smoothness", "range", "variance", "nugget") # in the order of the engine

check_name <- function(name, argument = "name") {
  known <- names(Filter(function(f) is.null(f$base), families))
  if (is.character(name) && length(name) == 1L && name %in% known) return(invisible())
  one_of <- paste("must be the name of a model, one of", toString(dQuote(known, FALSE)))
  if (!is.character(name) || length(name) != 1L) input_error(argument, name, one_of)
  plain <- sub("^rm", "", tolower(gsub("[ ._-]", "", printable(name))))
  if (plain %in% c("nugget", "nug")) input_error(argument, name, "is an argument of any model: nugget = 0.1")
  if (plain %in% c("linear", "lin")) input_error(argument, name, "is called \"power\" here, with shape = 1")
  hint <- if (plain %in% known) plain else names(Filter(function(f) plain %in% f$aliases, families))
  input_error(argument, name, paste0(if (length(hint)) sprintf("is called \"%s\" here; it ", hint), one_of))
}

# The parameters of single families: what the family takes is there, and no other.
check_takes <- function(given) {
  takes <- families[[given$name]]$takes
  there <- names(Filter(Negate(is.null), given[c("parts", unlist(lapply(families, `[[`, "takes")))]))
  if (length(absent <- setdiff(takes, there)))
    raise_engine_error("input", paste0(absent[1L], " is missing: \"", given$name, "\" needs it",
                                       families[[given$name]]$hint))
  if (length(odd <- setdiff(there, takes)))
    input_error(odd[1L], given[[odd[1L]]], sprintf("is no parameter of \"%s\", which takes %s", given$name,
                                                   toString(c("range", takes))))
}

check_mean <- function(mean) {
  check_function("mean", mean)
  if (is.function(mean)) return(mean)
  if (length(mean) != 1L || !is.numeric(mean) && !is.logical(mean))
    input_error("mean", mean, "must be a number or a function of coordinates")
  check_numbers("mean", mean, "")
  as.double(mean)
}

check_own <- function(model) {
  known <- families[[model$name]]
  for (p in setdiff(known$takes, user_functions)) {
    sign <- parameter_fact(known, p, "sign")
    one_number(p, model[[p]], if (is.null(sign)) "positive" else sign)
  }
  for (p in intersect(known$takes, user_functions)) {
    if (!is.function(model[[p]])) input_error(p, model[[p]], "must be a function")
    check_function(p, model[[p]])
  }
  if (!is.null(known$check)) known$check(model, function(bad, p, what) if (bad) input_error(p, model[[p]], what))
  model
}

# What all families have, checked; the parameters may be vectors.
common_model <- function(model) {
  model$distance <- choice("distance", model$distance, names(distance_text))
  check_numbers("range", model$range, "positive")
  for (p in c("variance", "nugget")) check_numbers(p, model[[p]], "not negative")
  for (p in c("angle", "ratio", "radius", if (!is.null(model$scales)) "scales")) {
    if (p != "scales" && length(model[[p]]) != 1L) input_error(p, model[[p]], "must be a single number")
    check_numbers(p, model[[p]], if (p == "angle") "" else "positive")
    model[[p]] <- as.double(model[[p]])
  }
  if (!is.null(model$rotation)) {
    check_numbers("rotation", model$rotation, "")
    if (length(model$rotation) != 3L || length(model$scales) != 3L)
      input_error("rotation", model$rotation, "must be three angles, which turn three scales")
    model$rotation <- as.double(model$rotation)
  }
  if (model$ratio > 1) input_error("ratio", model$ratio, "must be at most 1: range is along the major axis")
  model
}

matern_model <- function(model) {
  model$scaling <- choice("scaling", model$scaling, names(scaling_text))
  model <- common_model(model)
  check_numbers("smoothness", model$smoothness, "positive")
  for (p in matern_parameters) if (!is.double(model[[p]]) || !is.null(attributes(model[[p]])))
    model[[p]] <- stats::setNames(as.double(model[[p]]), names(model[[p]]))
  check_combination(model)
}

check_combination <- function(model) {
  large <- model$smoothness >= 1e15
  if (any(large)) name_value("smoothness", model$smoothness, large, "must be below 1e15")
  if (!is.null(model$scales) && model$ratio != 1)
    input_error("ratio", model$ratio, "cannot be used together with scales")
  check_isotropy(model, model$distance)
  if (model$distance == "greatcircle") check_great_circle(model)
  if (model$distance == "chordal") check_dimension(model, 3L)
  model
}

# Covariances of great circle distances (Gneiting 2013, table 1, and theorem 3 for those with a compact support).
check_great_circle <- function(model) {
  beyond <- paste("for distance = \"greatcircle\": beyond, the function is not positive definite on the sphere",
                  "(Gneiting 2013); distance = \"chordal\" takes every")
  known <- families[[model$name]]
  for (p in names(known$circle)) {
    most <- known$circle[[p]][2L]
    bad <- model[[p]] > most
    if (any(bad)) name_value(p, model[[p]], bad, paste("must be at most", if (most == 1) "1" else "1/2", beyond, p))
  }
  if (known$compact) {
    check_dimension(model, 3L)
    if (model$range > pi * model$radius)
      input_error("range", model$range, paste("must be at most pi radius", beyond, "range"))
  } else if (is.null(known$circle))
    input_error("distance", "greatcircle", sprintf(
      "is for %s and compact supports, not for \"%s\"",
      toString(dQuote(names(Filter(function(f) !is.null(f$circle), families)), FALSE)), model$name))
}

refuse_without_spectrum <- function(model)
  for (part in model_parts(model)) if (is.null(families[[part$name]]$spectrum)) check_dimension(part, 1L)

# An error if a part is no covariance in this dimension.
check_dimension <- function(part, dim) {
  why <- cov_valid(part, dim)
  if (!isTRUE(why))
    raise_engine_error("input", sprintf("the model \"%s\" is not valid in dimension %d: %s", part$name, dim, why))
}

check_isotropy <- function(model, kind)
  if (is_anisotropic(model) && kind %in% c("chordal", "greatcircle", "given"))
    input_error("distance", kind, "has no anisotropy: ratio and scales are for Euclidean distances")

# The sum of independent fields. The drifts are added to one.
sum_model <- function(parts, mean) {
  if (!is.list(parts) || length(parts) < 2L || !all(vapply(parts, inherits, NA, "covModel")))
    raise_engine_error("input", "parts must be a list of two or more models by covModel()")
  parts <- lapply(parts, checked_model, unknown = TRUE)
  for (part in parts) if (!is.null(families[[part$name]]$among))
    input_error("name", part$name, sprintf("is not for sums: those of %s are not possible", if (is_local(part))
      "parameters that follow covariates" else paste(if (is_several(part)) "several" else "two", "variables")))
  kinds <- unique(vapply(parts, `[[`, "", "distance"))
  if (length(kinds) > 1L) input_error("distance", kinds, "must be the same in all models of a sum")
  radii <- unique(vapply(parts, `[[`, 0, "radius"))
  if (kinds %in% c("auto", "chordal", "greatcircle") && length(radii) > 1L)
    input_error("radius", radii, "must be the same in all models of a sum")
  structure(list(name = "sum", parts = parts, mean = check_mean(mean), distance = kinds, radius = radii[1L]),
            class = "covModel")
}

add_means <- function(a, b) {
  if (is.numeric(a) && is.numeric(b)) return(a + b)
  if (identical(a, 0)) return(b)
  if (identical(b, 0)) return(a)
  function(x) (if (is.function(a)) a(x) else a) + (if (is.function(b)) b(x) else b)
}

#' @rdname covModel
#' @param e1,e2 models, or a model and a number.
#' @export
Ops.covModel <- function(e1, e2) {
  models <- c(inherits(e1, "covModel"), !missing(e2) && inherits(e2, "covModel"))
  if (.Generic == "+" && all(models)) return(add_models(checked_model(e1, TRUE), checked_model(e2, TRUE)))
  if (.Generic == "*" && sum(models) == 1L && !missing(e2))
    return(if (models[1L]) scale_model(checked_model(e1, TRUE), e2) else scale_model(checked_model(e2, TRUE), e1))
  if (.Generic == "/" && models[1L] && !models[2L]) {
    check_numbers("divisor", e2, "positive")
    return(scale_model(checked_model(e1, TRUE), 1 / e2))
  }
  raise_engine_error("input", paste(.Generic, "is not defined here: models are added, and multiplied or divided by",
                                    "a number"))
}

add_models <- function(a, b) {
  mean <- add_means(a$mean, b$mean)
  parts <- lapply(c(model_parts(a), model_parts(b)), function(part) {
    part$mean <- 0
    part
  })
  sum_model(parts, mean)
}

scale_model <- function(model, factor) {
  one_number("factor", factor, "not negative")
  scaled <- function(part) {
    if (any(c("variance", "nugget") %in% names(part$local)))
      input_error("factor", factor, "is for models whose variance and nugget are numbers: change the coefficients")
    for (p in intersect(c("variance", "nugget", "sill"), names(part))) part[[p]] <- part[[p]] * factor
    part
  }
  if (is_sum(model)) model$parts <- lapply(model$parts, scaled) else model <- scaled(model)
  model
}

model_nugget <- function(model) sum(vapply(model_parts(model), function(part)
  if (is_several(part)) sum(nugget_variances(part)) else as.double(part$nugget), 1))

model_variance <- function(model) sum(vapply(model_parts(model), function(part) part$variance + part$nugget, 1))

# Random fields by turning bands: arguments, recipe, and values at points.

#' Random fields by turning bands
#'
#' @description
#' `tbrf()` draws Gaussian random fields with the covariance of a model, at any points of a line, a plane, space or a
#' sphere, as sums of random functions of one coordinate each (Matheron 1973).
#'
#' Most uses need its first three arguments only: `x`, the locations, as a grid by [rfGrid()] or a matrix with a row
#' for each; `model`, the covariance, by [covModel()]; and `nlines`, the number of waves in the sum. The default of
#' 1000 waves suits most fields; with more of them the covariance of a single field is nearer to that of the model.
#'
#' ```r
#' model <- covModel("matern", range = 2, smoothness = 1.5)
#' field <- tbrf(rfGrid(0, 0.25, c(80, 60)), model, nlines = 1000)
#' plot(field)
#' ```
#'
#' Of the others, `nsim` is for several fields, `data` for fields that pass through measurements, `file` for those
#' that are larger than memory, and `time` for those that change. The rest chooses between methods, and has defaults.
#'
#' @section Methods:
#' `"spectral"`: the field is the sum of `nlines` cosines
#' \deqn{Z(x) = \sum_l a_l \cos(k_l \cdot x + \phi_l),}{Z(x) = sum a_l cos(k_l . x + phi_l),} with wave vectors k from
#' the spectral density of the model, uniform phases, and amplitudes a, see the section on waves. The expected
#' covariance of the field is exactly that of the model, for any number of lines, any coordinates and any distance.
#' Nothing is tabulated or rounded, and the domain is not bounded. In the plane and in space, the wave vectors are
#' drawn from the spectral density of that dimension; on a line they are those of space, projected on the line. The
#' number of lines determines how near the covariance of a single field is to that of the model, see [tbrfError()]:
#' for `"exponential"` at the distance `range` in space 4.4 % of the variance with 64 lines, 1.7 % with 256 and 0.5 %
#' with 1024. Waves are cut off at 1e9 radians per `range`: models with variance beyond, such as `"matern"` with a
#' smoothness below 0.2, have another covariance at distances of some 1e-9 ranges.
#'
#' `"table"`: each line is a random function with the line covariance of the model, made at the entries of a table and
#' looked up at the nearest one. Its lines have all frequencies, and so with the same number of them the error of
#' the covariance due to their directions is far smaller, 1e-4 of the variance for `"exponential"` at the
#' distance `range` with 1024 lines; to this comes the length of the lines, which are as long as the domain. Below a
#' `step` the field is a staircase, and the covariance is interpolated between steps. Points in a plane are taken
#' for those of a plane in space wherever the model is valid there. `lines` are
#' * `"circulant"`: circulant embedding of the line covariance (Dietrich and Newsam 1997), exact at the entries; the
#'   default, but for models with a `"powerlaw"` part, which have none. Line covariances of the plane fall off slowly
#'   whatever the model: where no circle of 2^17 entries is exact to 1e-9 of the variance, one that is to 1e-6 is
#'   taken. Where there is none either, a message says what is taken instead, or an error if the method was asked for;
#' * `"powerlaw"`: noise times the root of the line spectrum, at the frequencies of a circle at least twice as long as
#'   the domain, 20 scales longer, and as long as 16 waves of the lowest wave number `kmin` of the model. Made for
#'   power laws, it takes any
#'   model; the spectrum is scaled to the variance;
#' * `"pulse"`: the same filter for impulses of random sign at Poisson times, `rate` of them in a scale. Such lines
#'   are not normal unless `rate` is high; the sum of many of them is nearly so.
#'
#' `"fft"`: for an [rfGrid()] only, noise times the root of a spectrum, transformed in all dimensions at once.
#' By default it is circulant embedding on a torus (Wood and Chan 1994) wide enough for its eigenvalues not to be
#' negative by more than rounding, and the field has exactly the distribution of the model. For models of long range,
#' and smooth ones, that torus is far larger than the grid. In space it is then slow, or an error where a torus would
#' take more than `max.table` bytes, or for `"powerlaw"`: use `"spectral"`. With `periodic = TRUE` the box of the grid
#' is the torus, and the field has the period of the box: see the section on periodic fields.
#'
#' `"auto"` is `"spectral"`, or `"table"` for a model whose waves cannot be drawn, or one with a part of the family
#' `"covariance"`: the random waves of a user's function take seconds to minutes to prepare. Where `nlines` is a
#' tolerance that takes so many waves that circulant embedding costs less, `"auto"` is `"fft"`, whose covariance has
#' no error. That takes some 2,000 waves in the plane, 4,000 or more in space, and 1,000 on a line. It is done only
#' where the values on an [rfGrid()] are all that was asked for: not with `object = TRUE`, `data` or `file`, nor where
#' `directions` or `waves` are given. [predict()][predict.rfRecipe] of such a field has no other points; with `method
#' = "spectral"`, or a number of lines, there is always a field everywhere.
#'
#' Arguments that the method does not use are an error, for example `lines` or `step` without tables, or `nlines` with
#' `"fft"`.
#'
#' @section Periodic fields:
#' With `method = "fft"` and `periodic = TRUE` a field is a sum of the waves of the box, with the wave numbers
#' \eqn{2 \pi j / side}{2 pi j / side} along each axis. What their variances are, `variance` says:
#' * `"model"`: they are in proportion to the spectral density there, and add up to the variance of the model. So the
#'   variance is exact, and the spectral density is that of the model times the ratio of its integral to its sum over
#'   these wave numbers. On a coarse grid, where much of the variance of the model is beyond the Nyquist wave number,
#'   that ratio is large: it makes up for what the grid cannot hold.
#' * `"spectrum"`: each is the spectral density of the model times
#'   \eqn{\prod 2 \pi / side}{the product of 2 pi/side}, so that the power spectrum of fields is the one that was
#'   given, at every wave vector of the box, and nothing is rescaled. This is what initial conditions of simulations
#'   need. The variance is that of the waves of the box: [summary()][rfield] says how much of that of the model these
#'   have, and how much is in waves longer than the box and beyond the Nyquist wave number. The wave number 0, the
#'   mean of the box, has the density there, or none where that is infinite.
#'
#' The covariance is that of the model only if the box is many ranges wide and the spacing much less than a range.
#' [spectrumModel()] makes models of spectra in absolute units, in the conventions of cosmology, turbulence and
#' geostatistics, with a table of these. [rfSpectrum()] of periodic fields compares them with the density that the
#' waves of the box have, and says whether that is the density given or a multiple of it.
#'
#' For a steep power law with `variance = "model"` the ratio is not 1 on fine grids either. With `kmin` equal to the
#' lowest wave number of the box, the waves at `kmin` count in full, though half of the wave numbers that each of them
#' stands for lie outside the band. For `exponent = -11/3` in space the spectrum is then 0.81 times the density of the
#' model at all wave numbers, for boxes of any size, and 0.88 times in the plane. With `variance = "spectrum"` it is
#' the density, and the variance is larger by as much.
#'
#' @section Functions of the wave vector:
#' With `method = "fft", periodic = TRUE` the waves of the box can be multiplied by a function of their wave vectors.
#' `transfer` gets a matrix with a row for each wave vector, in radians per unit of length, and columns `kx`, `ky` and
#' `kz`; it gives a number for each, real or complex, at -k the complex conjugate of that at k. The spectrum of the
#' field is that of the model times \eqn{|T(k)|^2}{|T(k)|^2}: any anisotropic one. (A spectrum that is given as a
#' function of the vector alone is `transfer = function(k) sqrt(S(k))` of a model whose density is 1,
#' `spectrumModel(function(k) 1 + 0 * k, band = c(0, kmax))`, with `variance = "spectrum"`.) At k = 0 what is not
#' finite counts as 0, and at Nyquist wave numbers of even axes, which have both signs, the mean over these is taken.
#'
#' A list of functions, with names, makes several fields of the same waves, such as a density and the components of
#' the velocity that belongs to it, \eqn{T = i k / k^2}{T = i k/k^2}. Their names are those of a further dimension of
#' the result. A function that gives a matrix has a column for each of several independent sets of waves, of which
#' the first is that of functions with a single column: `function(k) cbind(0.6, rep(0.8, nrow(k)))` makes a field
#' with the coherence 0.6, which may be a function of k.
#'
#' @section Distributions with a given covariance:
#' [rfTransform()] makes functions of a Gaussian field, whose covariance is another one than that of the model. With
#' `method = "fft"` and `marginal` it is the values that have the covariance of the model: the covariance of the
#' Gaussian field is found from it at all lags of the grid.
#' * `"lognormal"` are values with the mean \eqn{\mu}{mu} of the model, which must be positive, and its covariance C:
#'   \eqn{\mu \exp(g - s^2/2)}{mu exp(g - s^2/2)} of a Gaussian field g with the covariance
#'   \eqn{\log(1 + C/\mu^2)}{log(1 + C/mu^2)} and its variance \eqn{s^2} (Coles and Jones 1991). With `periodic =
#'   TRUE, variance = "spectrum"` they have the spectrum of the model at all wave vectors of the box, those of
#'   densities of a simulation for example. A spectrum that is 0 at k = 0 is no log-normal one; the mean over the box
#'   then has the least variance that makes it one, and all other wave vectors keep their spectrum.
#' * A quantile function, such as `function(p) qgamma(p, 2)`: values with this distribution, whose mean and variance
#'   the model must have. The covariance of the Gaussian field is found from the expansion in Hermite polynomials, see
#'   [rfTransform()].
#'
#' Not every covariance is that of such a field. Where that of the Gaussian field is not positive definite, an error
#' names its smallest eigenvalue: that happens for smooth models, for spectra that end below the Nyquist wave number,
#' and for variances that are large beside the squared mean. With `clip` above 0 such fields are made where the waves
#' with a negative variance have no larger share of the whole than that: they are left out, and the others scaled to
#' keep the variance. [summary()][rfield] says what their share is, and by how much the covariance of log-normal
#' values may be off. Smooth models mostly lack some 1e-4 at the largest wave numbers. Models with a nugget, and
#' data, are for Gaussian fields.
#'
#' @section Tolerances:
#' If `nlines` is below 1, it is a tolerance. These are the numbers of waves that are then used, for models of range 1
#' (`"matern"` with smoothness 1.5):
#'
#' | tolerance | exponential, plane | space | matern, plane | space | gaussian, plane | space |
#' |-----------|-----|------|-----|-----|-----|-----|
#' | 0.05      | 46  | 64   | 16  | 16  | 16  | 16  |
#' | 0.02      | 91  | 256  | 16  | 23  | 16  | 32  |
#' | 0.01      | 256 | 512  | 32  | 64  | 32  | 64  |
#'
#' A tolerance of 0.02 means that the covariance of a single field at the distance `range`, found over all of space,
#' has an error of 0.02 times the variance (root mean square over fields). For other distances see [tbrfError()]: at
#' five ranges the error may be fifteen times as large. Values of fields with so few waves are not normal, see the
#' next section. Numbers beyond 2^13 are found by the errors of two to eight fields, and so to some 20 percent; beyond
#' 2^17 errors are taken to fall as the number of waves to the power of -3/4, as they do at least with the default
#' settings, and with others to that of -1/2.
#'
#' @section Waves:
#' `waves = "spectrum"` are waves of one amplitude, the root of 2 variance/nlines, whose wave numbers have the
#' probabilities of the spectral density. Then few of them are short: of 1,000 waves of a `"matern"` field with
#' smoothness 1.5 in the plane one is shorter than 0.63 ranges, and most fields are too smooth at short lags, as is
#' made up for by few that are too rough. In half of them the mean square second difference at the hundredth
#' of a range is about a twentieth of the true one or less.
#'
#' `waves = "shells"` splits the wave numbers by their probability, into the lower half, the next quarter, the next
#' eighth, and so on, to up to 40 shells. A shell of probability P of a part with variance v has n waves of amplitude
#' \eqn{\sqrt{2 v P/n}}{sqrt(2 v P/n)}, one in each of n strata of equal probability; n is shared out so that short
#' lags have enough of the waves, down to about a thousandth of the range, or further with more than 1,000 waves, and
#' 0.4 of them are in proportion to P, for long lags. Whatever n, the covariance is exact in the mean, as the waves of
#' a shell have its distribution, and their amplitudes its variance. A single field of 1,000 waves of `"exponential"`
#' in the plane has a variogram with relative errors (root mean square) of 0.5 % at the distance of 0.01 ranges, 0.3 %
#' at 0.1 and 0.4 % at 1, which are 14 %, 3 % and 0.9 % with `"spectrum"`. Of `"matern"` fields with smoothness 0.5,
#' 1.5 and 2.5 in the plane and space, on grids of 10 to 500 steps to the range, the mean square second difference at
#' the smallest step is off by at most 4.5 % in a single field (root mean square), and not at all in the mean of
#' fields.
#'
#' In return, covariances at long lags are less accurate and the values are less nearly normal. With fewer than a few
#' hundred waves the error of the covariance at five ranges is up to a third larger. The excess kurtosis of the sum of
#' waves is
#' \eqn{-\frac{3}{8} \sum_l a_l^4 / \sigma^4}{-3/8 sum a^4 / variance^2}, with the variance of the model without its
#' nugget. It is -1.5/nlines with `"spectrum"`, and with `"shells"` -1.8/nlines for `"gaussian"` models, -2.4/nlines
#' for `"exponential"`, -2.7/nlines for `"matern"` with smoothness 1.5. Fields with shells take the same time. If
#' there are fewer waves than shells, the outer shells are joined.
#'
#' Fields with 100 lines or fewer, of waves or tables, show stripes, which are the crests of single waves. For grids
#' of 4096 cells or more a warning of class `statcl_warning_stripes` is given.
#'
#' @section Directions:
#' `"lowdiscrepancy"` spreads directions and lengths of the waves together. With shells the lengths are those of the
#' strata in increasing order, and their directions follow each other in an additive lattice, of which any run is
#' spread evenly; with `waves = "spectrum"` the probabilities of both are an additive lattice. That in space has a
#' resonance: from 4,000 to 65,000 such waves the error of the covariance of a `"gaussian"` field at its range falls
#' from 0.001 of the variance to no less than 0.0006, and with shells from 0.0001 to 0.000005. `"halton"` and
#' `"fibonacci"` spread directions over the sphere by the Halton sequence of bases 2 and 3 and by a spiral, and draw
#' one length from each of `nlines` strata, in random order. In any case the set is turned for each field by a
#' rotation from the uniform distribution (Shoemake 1992). Tables have no wave lengths, so that `"lowdiscrepancy"` is
#' the spiral there. In the plane `"fibonacci"` are equal angles.
#'
#' @section Points and values:
#' `x` may be a matrix or data frame with a row for each point and one to three columns; a vector, for points of a
#' line; a grid by [rfGrid()]; points of class `sf` or `sfc`, of \pkg{sp}
#' (`SpatialPoints`) or \pkg{terra} (`SpatVector`); a `SpatRaster` of package \pkg{terra} or a raster of
#' class `stars` (two dimensions), for the centres of all cells, whatever the values of these. With `distance =
#' "chordal"` in the model, and for longitudes and latitudes of `sf`, the points are those of a sphere in space, which
#' the waves go straight through. Great circle distances are an error.
#'
#' The mean of the model is added, and its nugget as noise that depends on the coordinates of a point and on nothing
#' else: the same point has the same noise in any set of points. Parts of a sum have lines in proportion to their
#' variances, at least one each.
#'
#' @section Several variables:
#' Models of several variables, `"multimatern"` and `"lmc"` of [covModel()], make fields with a value of each variable
#' at each point, a further dimension of the result, or a column for each, with the names that `variable` of the model
#' has, or `z1`, `z2`, ... The points have coordinates only, without a number of the variable. In the mean of fields
#' covariances and cross-covariances are exactly those of the model.
#'
#' A field of `"lmc"` is a sum over the parts of independent fields of one variable, as many for each part as its
#' matrix has rank, times the columns of a root of this matrix. These are fields of any `method`, each of `nlines`
#' waves or lines, or with an error below a tolerance, and by `"fft"` without an error. So is `"multimatern"` where
#' all variables have one smoothness and one range.
#'
#' Other fields of `"multimatern"` are by `"spectral"` alone (Emery, Arroyo and Porcu 2016). The waves are those of
#' the models of the single variables, `nlines` in all, and each wave belongs to all variables: with the matrix F of
#' spectral densities and cross-densities at its wave vector k, and the density \eqn{\lambda}{lambda} of the wave
#' vectors drawn, the amplitudes are the elements of a matrix A with \eqn{A A^T = 2 F(k)/\lambda(k)}{A A' = 2
#' F(k)/lambda(k)}, with a phase for each column of it. As \eqn{\lambda}{lambda} is the sum of the variables' own
#' densities times their numbers of waves, no wave has a larger amplitude than in a field of one variable by its own,
#' however different the variables are. The differences of the phases go on evenly from wave to wave, from a random
#' origin. So in a single field of three variables of smoothness 0.5, 1.5 and 0.8 with 3,000 waves in the plane the
#' errors of all covariances and cross-covariances at the distance `range` are 0.3 % of the variances or less (root
#' mean square), where independent phases would make them 1.7 % (`bench/field-several.R`).
#'
#' The nugget is independent noise of each variable, or that of the matrix of nuggets, whose covariances between
#' variables are those at one point. The mean of the model is that of all variables, or a function of the coordinates
#' and, in the last column, the number of the variable. `data`, `time` and [rfVector()] are for models of one
#' variable; [simulate()][simulate.gpFit] of a fit of several variables makes conditional fields.
#'
#' @section Conditional fields:
#' `data = list(x = points, y = values)` makes fields that agree with these values, of the distribution given the
#' data: to a field is added the kriging prediction of what it lacks at the points. Elements of `data` besides:
#' * `error.variance`, variances of measurement errors, one for each value or one for all. Without, fields have the
#'   values of the data, with nugget or not, which must then be at different locations. The nugget of the model is
#'   part of the fields; a nugget that stands for errors of measurement is given as `error.variance` instead.
#' * `trend`, a formula in the coordinates `x`, `y` and `z`, such as `~ 1` or `~ x + y`, for a mean with unknown
#'   coefficients, which is added to that of the model: ordinary and universal kriging. Without, the mean is that of
#'   the model, and the kriging simple. Trends of fields in time may have the coordinate `time`, too.
#' * `time` of fields in time: the times of the values, one for each or one for all.
#' * `m`, the number of data, the nearest ones, that serve each prediction; by default all, or 60 if there are more
#'   than 5,000.
#'
#' Recipes keep locations and weights or residuals of the data, so that `predict()` has conditional fields anywhere.
#' [rfSummary()] makes maps of the mean, the standard deviation and the probability of exceedance of many fields. If
#' the covariance is to be estimated, fit it by [gpFit()]; [simulate()][simulate.gpFit] of the fit makes conditional
#' fields.
#'
#' Categories that were observed are data of fields by [rfFacies()].
#'
#' @section Intrinsic fields:
#' With `"power"` as the model, or as a part of it, see [covModel()], only increments have a distribution. The field
#' is then the mean at the first point of `x`, but for the nugget, and elsewhere the mean plus the increment from
#' there.
#'
#' `method = "spectral"` takes waves in shells of equal ratio, octaves where there are enough waves. With the
#' diameter D of the points, wave numbers go from 0.01/D to 1e9/D. Longer waves are straight over D, and are a random
#' plane, and shorter ones are noise that depends on the coordinates as a nugget does. The variogram is exact in the
#' mean but for a factor of 1e-5 at distances of up to D, and of 1e-3 at ten times D, beyond which
#' [predict()][predict.rfRecipe] warns. Of a single point D is the `range`. `method = "fft"` is exact on an
#' [rfGrid()], by intrinsic embedding (Stein 2002): a plane, and a torus that is in each direction wider than the
#' grid by its diagonal, or twice that for a `shape` above 1.5 in the plane and above 1 in space. With `"spectral"`,
#' `data` are met as with other models, all of them at a time. As the level of the field is arbitrary they mostly
#' need `trend = ~ 1`; without a trend the field is the mean at the first point of `x` there, too.
#'
#' @section Fields in time:
#' There are two ways for fields to change in time, both by `method = "spectral"`.
#'
#' With `correlation.time` T the amplitudes of the waves are independent stationary Ornstein-Uhlenbeck processes, and
#' the covariance of two locations at the times s and t is that of the model times exp(-|s - t|/T). Simulations of
#' turbulence are driven in this way (Eswaran and Pope 1988). The process of a wave is a bridge between independent
#' normal numbers 64 T apart, which is halved 46 times towards the time asked for. Each number is a function of the
#' key, the line, and its own time. So no time needs the times before it, each takes about 50 normal numbers of each
#' line and component, and the values of a time are the same in any call. The covariance in time is exact but for
#' exp(-64) = 2e-28 of the variance between the first nodes, and 5e-13 of it within the last halvings. As amplitudes
#' are normal, the
#' values have no excess kurtosis, but the variance of one field in space varies more than without time: its relative
#' standard deviation is about sqrt(1/L) for L lines.
#'
#' With models of space and time, see [covModel()], each wave moves at a frequency that is drawn with it. For
#' `"separable"` it is that of a wave of the model in time; for `"gneiting"` its distribution depends on the wave
#' vector (see Allard et al. 2020), and is drawn exactly. Parts of space alone do not change.
#'
#' `time` is a number or a vector, and [predict()][predict.rfRecipe] has other times and points of the same field,
#' such as those of a grid that moves. All points of `x` have values at each of the times. With models of space and
#' time, `simulate(model, x = cbind(x, y, time))` makes values at scattered points with a time of their own, up to
#' some 10,000 of them; for more, call `predict()` of a recipe once for each time, with the points of that time. With
#' a nugget the noise is independent at each time. The kriging of conditional fields is that by the covariance in
#' space and time.
#'
#' @section Many fields at few points:
#' Each field has waves of its own, and drawing them takes a millisecond or more, however few the points are. For
#' thousands of fields at up to a thousand points, `simulate(model, nsim = , x = , method = "exact")` is faster by
#' far: it factorises the covariance matrix once for all fields, see [simulate()][simulate.covModel].
#'
#' @section Recipes:
#' A field is decided by its recipe: the model, the method, the lines, and a key of two numbers taken from R's
#' generator, so that [set.seed()] makes fields reproducible. All else is a function of that (Philox4x32-10). A recipe
#' takes a few kilobytes, can be saved, and [predict()][predict.rfRecipe] gives its fields at other points.
#' Field number i is the same for any `nsim` of i or more.
#'
#' @param x where the field is wanted: a grid by [rfGrid()], or points, see the section on points and values.
#' @param model the covariance: a model by [covModel()], of vector fields by [rfVector()], or categories by
#'   [rfFacies()]. A recipe, as by
#'   [rfTransform()], decides all arguments but `x`, `file`, `fragment`, `type` and `object`.
#' @param nlines number of lines, or of waves with `method = "spectral"`. Below 1 it is a tolerance: the
#'   expected error of the covariance of a field, in units of the variance, at the distance `range`, or where the
#'   correlation is `exp(-1)` if the model has no range; the smallest of the numbers 16, 23, 32, 46, ... that
#'   meets it is taken.
#' @param nsim number of fields.
#' @param method `"auto"`, `"spectral"`, `"table"` or `"fft"`: see the section on methods.
#' @param lines generator of the lines of tables.
#' @param directions how the directions of the lines are spread.
#' @param ... not used; the arguments after it must be given by their full names.
#' @param waves for `method = "spectral"`: `"shells"` for amplitudes that depend on the shell of wave numbers, or
#'   `"spectrum"` for waves of the same amplitude; see the section on waves.
#' @param step for tables: distance between the entries, in units of distance of the model; by default the smaller of
#'   a twentieth of the scale and the distance between neighbours (the spacing of a grid; for points, that of a grid
#'   of as many points in their box). The scale is the range, or the distance at which the correlation is `exp(-1)` if
#'   that is less.
#' @param extent for tables: a matrix of two rows with the lowest and the highest coordinates at which values can be
#'   computed, now or by `predict()`; by default those of `x`.
#' @param rate for `lines = "pulse"`: mean number of pulses within the distance of one scale.
#' @param periodic for `method = "fft"`: if `TRUE`, the fields have the period of the grid, see the section on
#'   periodic fields.
#' @param block number of tables that are looked up in one pass over the points; by default as many as fit into 1 MB,
#'   which was the fastest on CPUs. Values do not depend on it.
#' @param variance for `periodic = TRUE`: `"model"` for waves with the variance of the model in all, `"spectrum"` for
#'   waves that have its spectral density each, see the section on periodic fields.
#' @param marginal for `method = "fft"`: the distribution of the values, `"normal"`, `"lognormal"`, or a quantile
#'   function; see the section on distributions.
#' @param clip for `marginal`: the largest share of the variance of the Gaussian field that waves with a negative
#'   variance may have, which are then left out; see the section on distributions.
#' @param transfer for `periodic = TRUE`: a function of wave vectors that multiplies the waves, or a list of such
#'   functions with names for several fields; see the section on functions of the wave vector.
#' @param max.table largest size of a table or of a transformed torus in bytes; the error for larger ones names
#'   alternatives.
#' @param object if `TRUE`, no values are computed, and the recipe is returned; with `file`, the file is begun.
#' @param data `NULL`, or the observations on which scalar fields are conditional: see the section on conditional
#'   fields.
#' @param file for an [rfGrid()] that is larger than memory: the name of a file, in which the field is written
#'   fragment after fragment, or where it goes on if it was interrupted; or a function of start and array that is
#'   called for each fragment. See [rfOpen()] for formats and for the value.
#' @param fragment for `file`: number of cells of a fragment along each axis, one number for all or one for each; by
#'   default 128 in space, 1024 in the plane and 2^20 on a line.
#' @param type for `file`: `"double"` for numbers of 8 bytes, `"float"` for numbers of 4 bytes, `"byte"` for
#'   categories by [rfTransform()], whose default it is.
#' @param time for fields that change in time: the times of the values, in the unit of `correlation.time` or of the
#'   model.
#' @param correlation.time for models of space alone: the time in which correlations decrease by a factor of e.
#' @param n not used: it is an error that names `nlines` and `nsim`, of which it could be an abbreviation.
#' @return For points, a vector with the names of the rows, or for several fields a matrix with a column for each; for
#'   a grid, an array of its dimensions, and of one more for several fields. Components of vectors, named `vx`, `vy`
#'   and `vz`, several variables, with their names, and several times are dimensions between those of the points and
#'   that of the fields. These have the
#'   class [rfield]. Objects of other packages come back with the values as columns, layers or attributes `sim_1`,
#'   `sim_2`, ... (of `sf` the next numbers that are free), and the recipe as the attribute `"recipe"`. With `object
#'   = TRUE` the recipe, of class `rfRecipe`.
#'
#'   Errors have the class `statcl_error_input` and name the argument and the value. Fields that are larger than the
#'   memory available are an error of class `statcl_error_memory` before anything is computed: `file` is for them.
#' @references
#' Allard, D., Emery, X., Lacaux, C. and Lantuejoul, C. (2020). Simulating space-time random fields with nonseparable
#' Gneiting-type covariance functions. *Statistics and Computing* **30**, 1479--1495.
#'
#' Coles, P. and Jones, B. (1991). A lognormal model for the cosmological mass distribution. *Monthly Notices of the
#' Royal Astronomical Society* **248**, 1--13.
#'
#' Eswaran, V. and Pope, S. B. (1988). An examination of forcing in direct numerical simulations of turbulence.
#' *Computers & Fluids* **16**, 257--278.
#'
#' Matheron, G. (1973). The intrinsic random functions and their applications. *Advances in Applied Probability*
#' **5**, 439--468.
#'
#' Shinozuka, M. and Jan, C.-M. (1972). Digital simulation of random processes and its applications. *Journal of Sound
#' and Vibration* **25**, 111--128.
#'
#' Mantoglou, A. and Wilson, J. L. (1982). The turning bands method for simulation of random fields using line
#' generation by a spectral method. *Water Resources Research* **18**, 1379--1394.
#'
#' Shoemake, K. (1992). Uniform random rotations. In *Graphics Gems III*, 124--132. Academic Press.
#'
#' Stein, M. L. (2002). Fast and exact simulation of fractional Brownian surfaces. *Journal of Computational and
#' Graphical Statistics* **11**, 587--599.
#'
#' Wood, A. T. A. and Chan, G. (1994). Simulation of stationary Gaussian processes in \[0, 1\]^d. *Journal of
#' Computational and Graphical Statistics* **3**, 409--432.
#'
#' Dietrich, C. R. and Newsam, G. N. (1997). Fast and exact simulation of stationary Gaussian processes through
#' circulant embedding of the covariance matrix. *SIAM Journal on Scientific Computing* **18**, 1088--1107.
#'
#' Lantuejoul, C. (2002). *Geostatistical Simulation: Models and Algorithms*. Springer, Berlin.
#'
#' Chiles, J.-P. and Delfiner, P. (2012). *Geostatistics: Modeling Spatial Uncertainty*. Wiley, Hoboken, chapter 7.
#'
#' Emery, X., Arroyo, D. and Porcu, E. (2016). An improved spectral turning-bands algorithm for simulating
#' stationary vector Gaussian random fields. *Stochastic Environmental Research and Risk Assessment* **30**,
#' 1863--1873.
#' @seealso [covModel()] and [spectrumModel()] for models, [predict.rfRecipe()] for other points, [tbrfError()] for
#'   errors, [rfield] for methods, [rfVector()] for vector fields, [rfGradient()] for derivatives.
#' @examples
#' set.seed(1)
#' model <- covModel("matern", range = 2, smoothness = 1.5)
#' field <- tbrf(rfGrid(0, 0.25, c(80, 60)), model)
#' plot(field)
#'
#' # the same field at other points
#' predict(field, cbind(c(1, 1.1), 2))
#'
#' # three fields at scattered points of space, in the plane with a drift, and on the Earth
#' tbrf(matrix(runif(12), 4), model, nsim = 3)
#' sloping <- update(model, mean = function(x) 10 - x[, 1])
#' tbrf(cbind(x = 0:3, y = 0), sloping)
#' earth <- covModel("exponential", range = 1000, distance = "chordal")
#' tbrf(head(datasets::quakes[, c("long", "lat")]), earth)
#'
#' # a field with the correlation time 1 at three times, and a model of space and time
#' dim(tbrf(rfGrid(0, 0.25, c(80, 60)), model, time = c(0, 0.1, 1), correlation.time = 1))
#' rain <- covModel("gneiting", space = covModel("exponential", range = 2), time = list(range = 1))
#' tbrf(cbind(0:3, 0), rain, time = c(0, 0.5))
#'
#' # fractional Brownian surfaces with the Hurst exponents 0.3 and 0.7
#' plot(tbrf(rfGrid(0, 1, c(80, 60)), covModel("power", range = 1, shape = 0.6)))
#' plot(tbrf(rfGrid(0, 1, c(80, 60)), covModel("power", range = 1, shape = 1.4), method = "fft"))
#'
#' # as many lines as an error of 2 percent needs
#' tbrf(matrix(runif(12), 4), model, nlines = 0.02, object = TRUE)
#'
#' # tables of lines, and a transform of the whole grid
#' tbrf(rfGrid(0, 0.25, c(80, 60)), model, nlines = 200, method = "table")
#' tbrf(rfGrid(0, 0.25, c(80, 60)), covModel("exponential", range = 2), method = "fft")
#'
#' # log-normal densities of mean 2 with the covariance of a model, on a periodic box
#' gas <- covModel("exponential", range = 2, variance = 1.5, mean = 2)
#' density <- tbrf(rfGrid(0, 0.25, c(80, 60)), gas, method = "fft", periodic = TRUE,
#'                 marginal = "lognormal")
#' range(density)
#'
#' # an anisotropic spectrum; a density and a displacement from the same waves
#' along <- function(k) 1 + 3 * k[, "kx"]^2 / rowSums(k^2)
#' smooth <- covModel("gaussian", range = 1)
#' plot(tbrf(rfGrid(0, 0.25, c(80, 60)), smooth, method = "fft", periodic = TRUE,
#'           transfer = along))
#' both <- tbrf(rfGrid(0, 0.25, c(80, 60)), smooth, method = "fft", periodic = TRUE,
#'              transfer = list(density = function(k) rep(1, nrow(k)),
#'                              sx = function(k) 1i * k[, "kx"] / rowSums(k^2)))
#' plot(both, component = "sx")
#'
#' # two variables, of which the first is rougher, and the model of coregionalisation
#' pair <- covModel("multimatern", range = 3, smoothness = c(0.5, 1.5), correlation = 0.7,
#'                 variable = c("zinc", "lead"))
#' metals <- tbrf(rfGrid(0, 0.25, c(80, 60)), pair)
#' plot(metals, component = "lead")
#' cor(c(metals[, , "zinc"]), c(metals[, , "lead"]))
#' lmc <- covModel("lmc", parts = list(covModel("exponential", range = 1),
#'                                      covModel("matern", range = 2, smoothness = 1.5)),
#'                 sill = list(diag(2), matrix(c(1, -1, -1, 1), 2)))
#' dim(tbrf(rfGrid(0, 0.25, c(80, 60)), lmc, nsim = 3, method = "fft"))
#'
#' # fields that have the values 2 and -2 at two locations
#' two <- list(x = cbind(c(5, 15), 7), y = c(2, -2))
#' plot(tbrf(rfGrid(0, 0.25, c(80, 60)), model, data = two))
#'
#' # fifty given three values with errors, and a mean that is not known; where is the field above 10?
#' three <- list(x = cbind(c(5, 15, 10), c(7, 7, 2)), y = c(12, 8, 9), error.variance = 0.1,
#'               trend = ~ 1)
#' fields <- tbrf(rfGrid(0, 0.5, c(40, 30)), model, 200, nsim = 50, data = three)
#' plot(rfSummary(fields, exceeds = 10), sim = "P(> 10)")
#' @export
tbrf <- function(x, model, nlines = 1000, nsim = 1, method = c("auto", "spectral", "table", "fft"),
                 lines = c("circulant", "powerlaw", "pulse"),
                 directions = c("lowdiscrepancy", "halton", "fibonacci"), ..., waves = c("shells", "spectrum"),
                 step = NULL, extent = NULL, rate = 20, block = NULL, periodic = FALSE,
                 variance = c("model", "spectrum"), marginal = "normal", clip = 0, transfer = NULL, max.table = 2e9,
                 object = FALSE, data = NULL, file = NULL, fragment = NULL, type = c("double", "float", "byte"),
                 time = NULL, correlation.time = NULL, n) {
  refuse_extra("tbrf", ...)
  if (!missing(n))
    raise_engine_error("input", "there is no argument n: nlines is the number of lines, nsim that of fields")
  if (!missing(x) && inherits(x, "covModel"))
    raise_engine_error("input", "x is a model: the points come first: tbrf(x, model)")
  need(x = missing(x), model = missing(model))
  if (inherits(model, "rfRecipe"))
    return(field_of_recipe(x, model, names(match.call()), object, file, fragment, if (!missing(type)) type))
  vector <- if (inherits(model, "rfVector")) unclass(do.call(rfVector, vector_arguments(model)))
  facies <- if (inherits(model, "rfFacies")) model
  if (!is.null(facies)) model <- facies$model[[1L]]
  if (!is.null(vector)) model <- vector$model
  if (!inherits(model, "covModel"))
    input_error("model", class(model)[1L], paste0("must be a model by covModel(), rfVector() or rfFacies()",
                                                  if (inherits(model, "gpFit")) ": that of a fit is fit$cov"))
  object <- one_flag("object", object)
  periodic <- one_flag("periodic", periodic)
  as_given <- if (is.null(facies) || !missing(type)) choice("type", type) # of facies bytes
  type <- choice("type", type)
  check_file_request(file, x, method, object, fragment, type)
  places <- places_of(x, "x")
  hint_at_grid(x)
  settings <- list(method = choice("method", method),
                   lines = choice("lines", lines),
                   directions = choice("directions", directions),
                   waves = choice("waves", waves),
                   step = step, extent = extent, rate = rate, block = block,
                   periodic = periodic, variance = choice("variance", variance), max.table = max.table, clip = clip,
                   values_here = !object && is.null(data) && is.null(file) && is.null(places$back),
                   given = c(nlines = !missing(nlines), directions = !missing(directions), waves = !missing(waves),
                             lines = !missing(lines), step = !is.null(step), extent = !is.null(extent),
                             rate = !missing(rate), block = !is.null(block), periodic = periodic,
                             variance = !missing(variance)))
  model <- checked_model(model)
  if (is_several(model)) check_several_request(vector, time, correlation.time, data)
  motion <- motion_of(model, time, correlation.time)
  if (is.null(time) && !is.null(motion)) time <- time_of_recipe(motion, object, places)
  settings$flow <- list(vector = vector[intersect(c("kind", "share", "mean", "helicity"), names(vector))],
                        motion = motion, times = if (!is.null(motion)) checked_times(time, motion))
  settings$marginal <- marginal_of(marginal, model, settings)
  settings$transfer <- transfer_of(transfer, model, settings, places)
  given <- data_of_fields(data, facies, vector, places, model, settings)
  if (!is.null(given) && is.null(motion) && is.null(extent) && places$n > 0) # of tables
    settings$extent <- apply(rbind(places_box(places), given$xy), 2L, range)
  recipe <- new_recipe(places, if (is.null(facies)) model else facies, nlines, whole_number("nsim", nsim), settings)
  if (object || places$n > 0) recipe$key <- new_key()
  if (!is.null(given) && !is.null(recipe$key)) recipe <- conditioned(given, recipe)
  if (!object) warn_of_stripes(recipe, places)
  if (!is.null(file)) return(file_field(recipe, places$grid, file, fragment, as_given, !object))
  if (object) recipe else field_of(recipe, places)
}

data_of_fields <- function(data, facies, vector, places, model, settings) {
  if (is.null(data)) return(NULL)
  if (!is.null(vector)) input_error("data", class(data)[1L], "is for scalar fields")
  for (name in c("marginal", "transfer")) if (!is.null(settings[[name]]))
    input_error("data", class(data)[1L], paste("is for fields without", name))
  if (is.null(facies)) conditioning_data(data, places, model, settings$flow$motion)
  else facies_data(data, facies, places)
}

# Points that look like the size of a grid.
hint_at_grid <- function(x)
  if (is.numeric(x) && is.null(dim(x)) && length(x) %in% 2:3 && all(is.finite(x) & x >= 8 & x == round(x)))
    message(sprintf("x = c(%s) is %d points on a line; a grid of %s cells is rfGrid(0, 1, c(%1$s))",
                    toString(x), length(x), paste(x, collapse = " x ")))

# Recipes without values need no times yet.
time_of_recipe <- function(motion, object, places) {
  if (!object) raise_engine_error("input", paste0(
    "time is missing: the field changes in time, and has values at all points of x for each of the times",
    if (motion$kind == "frequencies" && is.null(places$grid))
      "; for a time of its own for each point, simulate(model, x = ) takes the time as the last column of x"))
  0
}

# The field of a recipe at x, where a file may have it.
field_of_recipe <- function(x, recipe, given, object, file, fragment, type) {
  given <- setdiff(given, c("x", "model", "object", "file", "fragment", "type", ""))
  if (length(given))
    raise_engine_error("input", sprintf("model is a recipe, which decides all else: %s cannot be given", given[1L]))
  object <- one_flag("object", object)
  if (!is.null(type)) type <- choice("type", type, c("double", "float", "byte"))
  check_file_request(file, x, NULL, object, fragment, if (is.null(type)) "double" else type)
  check_recipe(recipe)
  if (is.null(file)) return(if (object) recipe else predict(recipe, x))
  places <- places_of(x, "x")
  check_places(recipe, places)
  file_field(recipe, places$grid, file, fragment, type, !object)
}

# Fields that are conditional on data: what kriging, which is above, does with the `data` of a user, with a recipe of
# such fields, and with their values.
conditioning_data <- function(data, places, model, motion) UseMethod("conditioning_data")
conditioned <- function(given, recipe) UseMethod("conditioned")
with_data <- function(data, value, recipe, places) UseMethod("with_data")

# Arguments that were given, and that the method has no use for.
refuse_unused <- function(given, method) {
  with_lines <- c("spectral", "table")
  uses <- list(nlines = with_lines, directions = with_lines, waves = "spectral", lines = "table", step = "table",
               extent = "table", rate = "table", block = "table", periodic = "fft", variance = "fft")
  for (name in names(which(given))) if (!method %in% uses[[name]])
    raise_engine_error("input", sprintf("%s is for method = %s, and the method is \"%s\"", name,
                                        paste(dQuote(uses[[name]], FALSE), collapse = " or "), method))
}

# Everything that decides a field but its key and the points.
new_recipe <- function(places, model, nlines, nsim, settings) {
  if (inherits(model, "rfFacies")) return(facies_recipe(model, places, nlines, nsim, settings))
  if (is_several(model)) return(several_recipe(places, model, nlines, nsim, settings))
  space <- space_of(places, model)
  recipe <- structure(c(list(model = model, space = space, nsim = nsim), Filter(Negate(is.null), settings$flow)),
                      class = "rfRecipe")
  flow <- !is_plain(recipe)
  if (flow) check_flow(settings, settings$flow$vector, space, nlines)
  recipe$method <- if (!flow) chosen_method(settings$method, model, space$dim)
                   else if (settings$method == "fft") "fft" else "spectral"
  recipe <- with_faces(recipe, places$grid)
  recipe$wave_dim <- vapply(model_parts(model), wave_dimension, 1L, space$dim, recipe$method)
  refuse_unused(settings$given, recipe$method)
  recipe <- intrinsic_recipe(recipe, places, settings)
  one_number("max.table", settings$max.table, "positive")
  if (recipe$method == "fft") return(fft_recipe(recipe, places, settings))
  recipe$directions <- settings$directions
  if (recipe$method == "spectral" && settings$waves == "shells") recipe$waves <- "shells"
  recipe <- with_lines(recipe, nlines, cheaper_transform(recipe, places, settings))
  if (recipe$method != "table") return(recipe)
  table <- table_recipe(recipe, places, settings)
  if (is.null(table)) new_recipe(places, model, nlines, nsim, replace(settings, "method", "spectral")) else table
}

# Faces are for what has one component on each. Waves take their directions from the spacing, see wave_directions().
with_faces <- function(recipe, grid) {
  if (!isTRUE(grid$staggered)) return(recipe)
  if (is.null(recipe$vector)) raise_engine_error("input", paste(
    "x is a staggered grid, with one component of a vector on each face: the model must be one by rfVector()"))
  if (recipe$method == "spectral") recipe$faces <- grid$spacing
  recipe
}

# The crests of single waves are seen where there are few of them, and on a grid that is large enough for a picture.
warn_of_stripes <- function(recipe, places) {
  if (is.null(places$axes) || sum(lengths(places$axes) > 1L) < 2L || places$n < 4096) return(invisible())
  few <- Filter(function(own) own$method != "fft" && own$nlines <= 100 && any(own$share > 0L), inner_recipes(recipe))
  if (length(few)) warn("a grid of a field of ", count_text(few[[1L]]$nlines, "line"),
                        " shows stripes: take more, 1000 for example", class = "statcl_warning_stripes")
}

# Waves, unless the radius of a random one has no quantile function, or that of a user's covariance, which takes
# seconds to minutes of numerical transforms.
chosen_method <- function(method, model, dim) {
  if (method != "auto") return(method)
  parts <- model_parts(model)
  if (any(vapply(parts, is_slow, NA, "radius"))) return("table")
  wave_dims <- vapply(parts, wave_dimension, 1L, dim, "spectral")
  drawn <- mapply(function(part, wave_dim) is_intrinsic(part) || tryCatch(!is.na(cov_radius(part, 0.5, wave_dim)),
                                               statcl_error_input = function(e) FALSE), parts, wave_dims)
  if (all(drawn)) "spectral" else "table"
}

with_lines <- function(recipe, nlines, instead) {
  one_number("nlines", nlines, "positive")
  if (nlines < 1) {
    refuse_intrinsic(recipe$model, "has no variance, as tolerances need: nlines must be a number of waves")
    return(enough_lines(recipe, nlines, instead))
  }
  if (nlines > 2e7) input_error("nlines", nlines, "must be at most 2e7")
  share_lines(recipe, whole_number("nlines", nlines))
}

# The space of a field: `columns` of the coordinates, `dim` of the space that waves are in, and for points on a
# sphere its radius, where waves go straight through.
space_of <- function(places, model) {
  columns <- places_dim(places)
  if (model$distance == "given")
    input_error("distance", "given", "has no fields: the model must say how distances of points are measured")
  kind <- distance_kind(model$distance, places$geographic)
  if (kind == "greatcircle")
    input_error("distance", kind, "has no waves: use \"chordal\", the distance through the sphere")
  for (p in model_parts(model)) check_isotropy(p, kind)
  if (kind == "euclidean") return(list(columns = columns, dim = columns, crs = places$crs))
  check_places_sphere(places, "x")
  list(columns = 2L, dim = 3L, sphere = model$radius, crs = places$crs)
}

# The dimension whose spectrum the waves of a part are drawn from: that of the points, if the model is valid there.
# Waves of space serve a line; those of the plane do where the model is valid only there. Tables have the line
# covariance of space in closed form for all models, so that they prefer space, and so do waves of models whose
# spectral density takes long in the plane.
wave_dimension <- function(part, dim, method) {
  if (!is.null(part$space)) {
    check_space(part, "euclidean", dim)
    return(if (!is.null(joint_time(part))) dim else wave_dimension(part$space, dim, method))
  }
  space <- dim < 3L && (method == "table" || method == "spectral" && (dim == 1L || is_slow(part, "plane")))
  wanted <- if (space) 3:2 else dim
  reasons <- lapply(wanted, function(d) cov_valid(part, d))
  good <- vapply(reasons, isTRUE, NA)
  if (!any(good)) raise_engine_error("input", sprintf(
    "the model is not valid for %s: %s", if (dim == 1L && isTRUE(cov_valid(part, 1L)))
      "fields of waves, which simulate(model, x =) does not need" else "these points", reasons[[1L]]))
  as.integer(wanted[good][1L])
}

# The values of a recipe at places, in the class that belongs to these.
field_of <- function(recipe, places) {
  value <- field_values(recipe, places)
  if (length(recipe$transform)) value <- transformed(recipe, value, places) # arguments would be copied below
  if (!is.null(places$back)) {
    dim(value) <- c(places$n, columns_of_field(recipe) * recipe$nsim)
    colnames(value) <- column_names(recipe, "sim_1")
    value <- places$back(value)
    attr(value, "recipe") <- recipe
    return(value)
  }
  dress(value, c(value_dims(recipe, places),
                 if (is.null(places$dims)) list(coordinates = places$xy) else list(grid = places$grid),
                 list(recipe = recipe, class = "rfield")))
}

# Attributes of values that nobody else has, set in place: R would copy these where a call that has ended may still
# refer to them.
dress <- function(value, attributes) {
  if (!is.null(attributes[["dim"]])) attributes[["dim"]] <- as.integer(attributes[["dim"]])
  .Call(C_bandDress, value, Filter(Negate(is.null), attributes))
}

# Dimensions of the points, components, times if there is not one, and fields if there are several; with their names.
value_dims <- function(recipe, places) {
  more <- further_dims(recipe)
  scattered <- is.null(places$dims)
  if (scattered && !length(more)) return(list(names = places$names))
  names <- c(if (scattered) list(places$names) else vector("list", length(places$dims)),
             lapply(names(more), function(of) if (of == "component") component_names(recipe)))
  list(dim = c(if (scattered) places$n else places$dims, unname(more)),
       dimnames = if (!all(vapply(names, is.null, NA))) names)
}

# A vector, or a matrix with a column for each of several fields, components and times.
field_values <- function(recipe, places) {
  if (!is_plain(recipe) && (places$n == 0 || !columns_of_field(recipe)))
    return(matrix(0, places$n, columns_of_field(recipe) * recipe$nsim))
  if (places$n == 0) return(if (recipe$nsim == 1L) numeric() else matrix(0, 0L, recipe$nsim))
  field_memory(recipe, places)
  parts <- if (recipe_functions(recipe)) list(seq_len(recipe$nsim))
           else cluster_parts(recipe$nsim, 1, 2)
  bare <- without_mean(recipe)
  value <- if (length(parts) == 1L) some_fields(parts[[1L]], bare, places)
           else do.call(cbind, cluster_apply(parts, "some_fields", bare, places[names(places) != "back"]))
  value <- with_means(value, recipe, places)
  if (!is.null(recipe$data)) with_data(recipe$data, value, recipe, places) else value
}

# Without the mean, which may be a function of the user, and what data say.
without_mean <- function(recipe) {
  recipe$model$mean <- 0
  if (!is.null(recipe$vector)) recipe$vector$mean <- 0
  recipe["data"] <- list(NULL)
  recipe
}

# Before anything is computed: whether the memory for the values is there. Less than 0.1 GB is tried in any case.
field_memory <- function(recipe, places) {
  need <- 8e-9 * places$n * recipe$nsim * columns_of_field(recipe)
  if (need <= 0.1 || need <= free_gigabytes()) return(invisible())
  raise_engine_error("memory", sprintf(
    "%s at %s take %.1f GB of memory, and %.1f GB are available: %s", count_text(recipe$nsim, "field"),
    count_text(places$n, "point"), need, free_gigabytes(),
    if (!is.null(places$grid) && recipe$method != "fft") "file = writes fields on an rfGrid() that are larger than it"
    else "take some of the points at a time, with predict() of a recipe by object = TRUE"))
}

# Without the mean; a column for each of several. Values are computed in place, in a vector that nobody else has.
some_fields <- function(sims, recipe, places) {
  field <- field_function(recipe, places)
  m <- columns_of_field(recipe)
  value <- .Call(C_bandRoom, places$n * m * length(sims))
  began <- proc.time()
  outermost <- !isTRUE(session$loop)
  on.exit(if (outermost && length(sims) > 1L) progress_loop_done())
  for (j in seq_along(sims)) {
    at <- (j - 1) * m * places$n
    field(sims[j], value, at)
    add_nugget(value, at, recipe, places, sims[j])
    if (outermost && length(sims) > 1L) progress_loop("tbrf", began, j / length(sims))
  }
  if (m * length(sims) > 1L) dress(value, list(dim = c(places$n, m * length(sims)))) else value
}

# Field number sim as a function of sim: it is written into a vector from element `at` on, counted from 0, where zeros
# are.
field_function <- function(recipe, places)
  switch(recipe$method, spectral = spectral_field, table = table_field, fft = fft_field,
         parts = parts_field, facies = facies_field)(recipe, places)

spectral_field <- function(recipe, places) {
  if (!is_plain(recipe)) return(flow_field(recipe, places))
  axes <- places$axes
  xy <- if (!is.null(recipe$space$sphere)) sphere_points(places_points(places), recipe$space$sphere)
        else if (is.null(axes)) places$xy
  if (!is.null(recipe$intrinsic)) {
    origin <- intrinsic_origin(recipe)
    if (is.null(xy)) axes <- Map(`-`, axes, origin) else xy <- unname(xy) - rep(origin, each = nrow(xy))
  }
  function(sim, into, at) {
    there <- 0
    if (any(recipe$share > 0L)) over_lines(recipe, sim, function(waves, lot) {
      if (is.null(xy)) .Call(C_bandGrid, axes, waves, lot, into, at)
      else .Call(C_bandPoints, xy, waves, lot, into, at)
      if (!is.null(recipe$intrinsic)) there <<- there + sum(waves$amplitude * cospi(2 * waves$phase))
    }, if (is.null(xy) && length(axes) > 1L) 0 else places$n)
    if (!is.null(recipe$intrinsic)) add_intrinsic(into, at, recipe, places, sim, there)
  }
}

# Adds a function of the coordinates to a vector in place, in blocks of points: a mesh has no coordinates that are
# stored. What blocks leave is collected at once: R would let it grow to the size of the result.
add_in_blocks <- function(into, at, places, change) {
  for (first in seq(0, by = 2^18, length.out = ceiling(places$n / 2^18))) {
    some <- min(2^18, places$n - first)
    .Call(C_bandAdd, into, at + first, change(places_points(places, first + seq_len(some)), first), some)
    if (places$n > 2^20) gc(full = FALSE)
  }
}

# The noise of a point depends on its coordinates only: the same at the same place, in whatever set of points.
add_nugget <- function(into, at, recipe, places, sim) {
  nugget <- model_nugget(recipe$model)
  if (nugget == 0) return()
  if (!is_plain(recipe)) return(flow_nugget(into, at, recipe, places, sim, nugget_root(recipe)))
  key <- floor(uniforms_for(field_key(recipe$key, sim), 0L)("nugget", 2) * 2^32)
  add_in_blocks(into, at, places, function(xy, first) sqrt(nugget) * .Call(C_bandNoise, xy, key))
}

# Values without the mean are finite.
add_drift <- function(value, mean, places, at = 0) {
  add_in_blocks(value, at, places, function(xy, first) {
    drift <- drift_at(mean, xy)
    bad <- which(!is.finite(drift))
    if (length(bad)) raise_engine_error("input", sprintf("mean is %s at point %.0f", drift[bad[1L]], first + bad[1L]))
    drift
  })
  value
}

drift_at <- function(mean, xy) {
  colnames(xy) <- axis_names(ncol(xy))
  drift <- tryCatch(mean(xy), error = function(e) {
    pass_on(e)
    raise_engine_error("input", sprintf(
      "mean = function: it is called with one matrix of coordinates, with %s %s: %s",
      if (ncol(xy) == 1L) "the column" else "columns", toString(colnames(xy)), conditionMessage(e)))
  })
  if (!(is.numeric(drift) || all(is.na(drift))) || length(drift) != nrow(xy))
    raise_engine_error("input", sprintf("mean must give a number for each point: it gave %d for %s",
                                        length(drift), count_text(nrow(xy), "point")))
  as.double(drift)
}

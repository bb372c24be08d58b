#' statcl: Heavy-Tailed and Spatial Statistics on GPU and CPU
#'
#' Stable distributions, covariance models, Gaussian processes and kriging, random fields, Poisson quantiles and
#' quadrature, for data too large for one value at a time: functions take whole vectors and compute to 12 digits or
#' more, on a GPU through OpenCL where there is one, and on all cores and vector units of the CPU otherwise. Nothing
#' has to be set up: the package works without OpenCL, and results agree to rounding wherever they are computed.
#'
#' @section Functions:
#' * Stable distributions: [dstable()], [pstable()], [qstable()], [rstable()], [dpstable()], [esstable()],
#'   [stableMode()] and [stableConvert()] for the distributions; [stableFit()], [stableRoll()], [stableTest()] and
#'   [distribution()] for fits to one series or many; [stableReg()] for linear models with stable errors.
#' * Covariance models: [covModel()], [covariance()], [matern()], [lineCovariance()], [spectralDensity()], and
#'   [as.vgm()] for those of package gstat.
#' * Gaussian processes and kriging: [gpFit()] with [predict()][predict.gpFit], [simulate()][simulate.gpFit] and
#'   [other methods][gpFit-methods]; [gpCV()], [gpScores()] and [gpMLOE()] to judge predictions, [gpLoglik()].
#' * Random fields: [tbrf()] and [rfGrid()] simulate, [rfTransform()] and [rfSummary()] transform and summarise
#'   fields, [rfOpen()] reads fields from files; [rfCovariance()], [rfSpectrum()] and [tbrfError()] check them.
#' * The modified Bessel function of the second kind: [besselKgpu()].
#' * The Poisson distribution: [dpoisgpu()], [ppoisgpu()], [qpoisgpu()], [rpoisgpu()]. The binomial and the negative
#'   binomial distribution: [dbinomgpu()], [pbinomgpu()], [qbinomgpu()], [rbinomgpu()], [dnbinomgpu()],
#'   [pnbinomgpu()], [qnbinomgpu()], [rnbinomgpu()].
#' * Adaptive quadrature: [integrategpu()], and [integrand()].
#' * Devices: [clDevices()] lists them, [useDevice()] and [withDevice()] choose, [clWarm()] builds all programs and
#'   [clCacheClear()] removes them, [clSitrep()] reports the whole set-up, [clProfile()] measures the kernels and
#'   transfers of a call. [withCluster()] shares the work with other processes and machines.
#'
#' Plots are methods of [plot()], and of [autoplot()][autoplot] where ggplot2 is loaded; fits have the methods of
#' package broom. `vignette("statcl")` leads through all families in ten minutes, `vignette("migration")` has the
#' calls of other packages beside those of this one, and `vignette(package = "statcl")` lists the others.
#'
#' @section Options:
#' [statcl-options] has all options `statcl.*` and environment variables `STATCL_*`. None of them has to be set.
#'
#' @section Errors:
#' Invalid arguments are errors of class `statcl_error_input`, which name the argument and the value; vectors of
#' distribution functions give `NaN` with a warning instead, as in base R. Failures of a device have the class
#' `statcl_error_device`, lack of memory `statcl_error_memory`; all of them inherit from `statcl_error`.
#'
#' @section Accuracy:
#' Accuracy means the largest relative error over all rows of a table of reference values of high precision; of a
#' logarithm, the error relative to the larger of 1 and its size. Densities, probabilities, Bessel functions and
#' covariances have 12 digits or more. `read.csv(system.file("errors.csv", package = "statcl"))` returns all figures,
#' and sections on accuracy of the help pages say where they hold.
#'
#' @section Precision:
#' Double precision is the default everywhere. [matern()], [covariance()], [qpoisgpu()] and [rpoisgpu()] compute in
#' single precision if [withPrecision()] asks for it; for other functions that is an error. A device without double
#' precision serves these functions only.
#'
#' @keywords internal
#' @useDynLib statcl, .registration = TRUE, .fixes = "C_"
"_PACKAGE"

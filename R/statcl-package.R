#' statcl: Heavy-Tailed and Spatial Statistics on GPU and CPU
#'
#' Functions of heavy-tailed and spatial statistics that cost too much one value at a time, computed to 12 digits
#' or more for whole vectors: on a GPU through OpenCL where there is one, on all cores and vector units of the CPU
#' everywhere else. Nothing has to be set up: the package works without OpenCL, and results agree to rounding
#' wherever they are computed.
#'
#' @section Functions:
#' * Stable laws: [dstable()], [pstable()], [qstable()], [rstable()], [dpstable()], [esstable()], [stableMode()],
#'   [stableConvert()], [stableFit()], [stableRoll()], [stableTest()], [stableReg()].
#' * Covariances: [matern()], [covModel()], [covariance()], [lineCovariance()], [spectralDensity()].
#' * Random fields: [tbrf()], [rfGrid()], [tbrfError()], [rfCovariance()], [rfSpectrum()].
#' * The modified Bessel function of the second kind: [besselKgpu()].
#' * The Poisson distribution: [dpoisgpu()], [ppoisgpu()], [qpoisgpu()], [rpoisgpu()].
#' * Adaptive quadrature: [integrategpu()].
#' * Devices: [clDevices()] lists them, [useDevice()] and [withDevice()] choose, [clWarm()] builds all programs and
#'   [clCacheClear()] removes them, [clSitrep()] reports the whole set-up, [clProfile()] tells where the time of a
#'   call goes. [withCluster()] shares the work with other processes and machines.
#'
#' @section Accuracy:
#' `read.csv(system.file("errors.csv", package = "statcl"))` has the worst errors against reference values.
#'
#' @section Precision:
#' Double precision is the default everywhere. [withPrecision()] asks for single precision, which [matern()],
#' [covariance()], [qpoisgpu()] and [rpoisgpu()] have; elsewhere that is an error. A device without double precision
#' can be chosen for nothing else.
#'
#' @keywords internal
#' @useDynLib statcl, .registration = TRUE, .fixes = "C_"
"_PACKAGE"

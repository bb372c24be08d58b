#' Options and environment variables
#'
#' Settings of the package: where to compute, how many threads to use, and what to report. None of them has to be set.
#'
#' @section Options:
#' * `statcl.device`: names of the devices to compute on, as for [useDevice()], such as `"cpu"`, `"gpu"` for the best
#'   GPU, or `"gpu:1"`; read when the package loads. The default is `"auto"`.
#' * `statcl.threads`: number of CPU threads; read at every call. The default is that of `STATCL_THREADS`.
#' * `statcl.compile`: `"load"` builds all programs for the devices in use when the package loads, `"use"` each when
#'   it is first used. By default programs for a GPU are built in the background, by a process of its own that begins
#'   when the GPU is chosen and ends with the session, and those for other devices when they are first used; see
#'   [clWarm()].
#' * `statcl.cluster`: a cluster whose workers help, see [withCluster()]; by default there is none.
#' * `statcl.blas`: `"own"`, the default, or `"R"`, with which [gpLoglik()], [gpFit()] and the methods of fits
#'   use R's LAPACK, for comparisons or if it is an optimised one. This takes four times the memory for a
#'   likelihood and more for its gradient, and cannot be interrupted.
#' * `statcl.translate`: `"auto"`, the default, `"must"` or `"never"`, see [integrand].
#' * `statcl.precision`: `"double"`, the default, or `"single"`, see [withPrecision()].
#' * `statcl.covariance.route` and `statcl.stable.route`: `"size"`, the default, `"direct"` or `"table"`. Many
#'   covariances of a model without a closed form, and many densities, probabilities or quantiles of one stable
#'   distribution, come from a table, if that is faster than each value by itself. `"direct"` and `"table"` make this
#'   choice wherever there is one, to compare both; a Matérn covariance then has no closed form either. They are for
#'   [covariance()], [matern()], [besselKgpu()] and likelihoods of all observations, and for [dstable()], [pstable()]
#'   and [qstable()]; approximations by neighbours, models of space and time, and fits choose by themselves. Direct
#'   values of a model without a closed form have double precision only.
#' * `statcl.progress`: `TRUE`, the default; `FALSE` switches the display of progress off.
#' * `statcl.verbose`: `FALSE`, the default; `TRUE` shows progress outside interactive use as well, and reports the
#'   choice of the default device, the tables that [matern()] makes and the steps of [gpFit()]. See the section on
#'   progress.
#'
#' @section Environment variables:
#' * `STATCL_DEVICE`: as `statcl.device`, with commas between several names.
#' * `STATCL_COMPILE`: as `statcl.compile`.
#' * `STATCL_THREADS`: as `statcl.threads`. Otherwise `OMP_NUM_THREADS` is used, and otherwise the number of
#'   processors available to the process, with its affinity and, on Linux, the quotas of its control groups.
#'   `OMP_THREAD_LIMIT` is never exceeded, nor are two threads while R checks a package. A forked process, such as
#'   those of [parallel::mclapply()], computes on one thread.
#' * `STATCL_OPENCL`: `off` never opens OpenCL, `lazy` does not open it when the package is loaded.
#' * `STATCL_OPENCL_LIBRARY`: path of the OpenCL loader, if not that of the system.
#' * `STATCL_PROBE`: `off` opens OpenCL drivers that were not tried in a process of their own, see [clDevices()].
#' * `STATCL_CPU`: `baseline`, `avx2` or `avx512` forces the vector instructions of the CPU backend, as far as the
#'   processor has them.
#' * `R_USER_CACHE_DIR`: see [tools::R_user_dir()]; the device list and built programs are in `R/statcl` below it;
#'   [clCacheClear()] removes them. These files are used only if the folder and the files belong to the user and
#'   nobody else may write them (on Windows, if they belong to the user).
#'
#' An option takes precedence over its environment variable. Other values of `STATCL_OPENCL`, `STATCL_CPU`,
#' `STATCL_COMPILE`, `STATCL_THREADS`, `statcl.compile`, `statcl.progress` and `statcl.verbose` are ignored, with a
#' message when the package is attached, or the option first read. Those of other options are errors of the functions
#' that read them.
#'
#' @section Progress and interrupts:
#' In an interactive session (elsewhere with `options(statcl.verbose = TRUE)`), but not in a document that is knitted,
#' a computation that has taken a second, or as many as the option `cli.progress_show_after` says, shows its progress
#' under the name of the function that was called: a bar with the share that is done and an estimate of the time left.
#' Where the amount of work is unknown, as in the search for one maximum, a spinner shows the seconds so far instead.
#' Bars are those of the package cli if it is installed, with its options, and of [utils::txtProgressBar()] otherwise.
#'
#' If the display fails, it is switched off for the session; the computation continues.
#'
#' Computations can be interrupted at any time (Ctrl-C, Esc or the stop button), whether they show progress or not.
#' @name statcl-options
#' @aliases statcl.translate statcl.blas statcl.cluster statcl.compile statcl.device statcl.threads statcl.precision
#'   statcl.progress statcl.verbose statcl.covariance.route statcl.stable.route
#' @seealso [useDevice()], [clSitrep()]
#' @examples
#' old <- options(statcl.threads = 1)
#' dstable(0:2, alpha = 1.5, beta = 0.5)
#' options(old)
NULL

#' Precision of the computations
#'
#' Evaluates an expression with another working precision. Double precision is the default everywhere and is never
#' reduced silently: functions without single precision kernels raise an error of class `statcl_error_device`
#' where single precision is asked for. The functions that have them compute in 32-bit numbers and return doubles;
#' nothing else can run on a device without double precision (see [clDevices()]).
#'
#' @section Functions with single precision:
#' [matern()] and covariances of [covModel()] objects. Where the covariance is at least 1.2e-38 of the variance,
#' the smallest normal 32-bit number, its relative error at the scaled distance x is at most (2 + x) eps, eps =
#' 1.2e-7 (0.7 of that was measured), and that of derivatives 1.6 (2 + x) eps (1.2); most of it is due to
#' rounding the distance. Smaller values may be 0. The first location is subtracted from the coordinates
#' before they are rounded, so that a distance has a further error of the largest distance from the first location
#' times eps. What 32 bits cannot hold is computed in double precision on the CPU: parameters and distances
#' beyond 1e-30 and 1e30, and tables for smoothness above 40 or so.
#'
#' [qpoisgpu()] and [rpoisgpu()], of which a few results differ by one, see [poisson].
#'
#' @param precision `"double"` or `"single"`.
#' @param expr expression to evaluate.
#' @return The value of `expr`.
#' @examples
#' withPrecision("double", dstable(1, 1.5, 0))
#' try(withPrecision("single", dstable(1, 1.5, 0)))
#' covariances <- function() matern(1:3, range = 2, smoothness = 1.2)
#' withPrecision("single", covariances()) - covariances()
#' @export
withPrecision <- function(precision, expr) {
  need(precision = missing(precision), expr = missing(expr))
  precision <- choice("precision", precision, c("double", "single"))
  old <- options(statcl.precision = precision)
  on.exit(options(old))
  force(expr)
}

#' Devices
#'
#' `clDevices` lists the devices that computations can run on: the built-in CPU backend, called `cpu`, and the devices
#' of OpenCL. `useDevice` chooses devices for the session, `withDevice` for one expression.
#'
#' OpenCL devices are called `gpu:0`, `gpu:1`, ..., `ocl-cpu:0`, ... (a CPU driven through OpenCL) and `acc:0`, ...
#' (other accelerators), in the order in which OpenCL lists them. With several devices in use a vector is
#' split over them, in pieces that follow their speed; where one fails, the others do its part of that call. Where a
#' device fails while a fit of [gpFit()] predicts or simulates, the CPU does that call, with a warning. All of
#' them compute by the same formulas; their results agree to rounding, and those of devices of one kind to the last
#' bit, however a vector was split. A device without double precision (fp64) can be chosen for what
#' has single precision, see [withPrecision()]; other work on it is an error.
#'
#' `"gpu"` stands for the best GPU: the fastest one with double precision, or another one if none has it. Without a
#' GPU it is an error, which names the option or environment variable that asked for it.
#'
#' Unless chosen otherwise, the default `"auto"` is the best GPU with double precision, else `cpu`. It is decided
#' when the package is loaded without starting any driver, from the option `statcl.device` or the environment variable
#' `STATCL_DEVICE`, else from the list that was kept, with the file times of the installed drivers, when
#' devices were last looked for. Only a GPU found there is opened at load (and not at all with `STATCL_OPENCL=lazy`).
#' Programs that it lacks are built in the background, see [clWarm()].
#' Without a list the first computation looks for devices and keeps what it finds.
#'
#' Some OpenCL drivers end the process that uses them, for instance if a file is missing or a disk is full. Before R
#' opens OpenCL for the first time, a separate process lists the devices and runs a small kernel on them; a driver
#' that ends this process is not used, and [clSitrep()] reports it. This is remembered until the drivers change or
#' [clCacheClear()] is called.
#'
#' A forked process (as those of [parallel::mclapply()]) always computes on `cpu` with one thread: neither OpenCL nor
#' threads survive a fork.
#'
#' @param devices,device character vector of one or several names of devices, `"gpu"` among them, or `"auto"`.
#'   `useDevice()` without argument returns the names of those in use.
#' @param expr expression to evaluate.
#' @return `clDevices` gives a data frame with a row per device:
#'   \item{name}{as `useDevice` takes it; `cpu` is always the first.}
#'   \item{type}{`cpu`, `gpu` or `accelerator`.}
#'   \item{device}{the device's own name; for `cpu` the vector instructions in use.}
#'   \item{platform, vendor, driver}{OpenCL platform, vendor, and driver version.}
#'   \item{units}{compute units; for `cpu` the number of threads.}
#'   \item{memory, max_alloc}{memory and its largest single block, in GiB.}
#'   \item{fp64}{whether it computes in double precision.}
#'   \item{in_use}{whether it is in use now.}
#'
#'   `useDevice` gives the names of the devices in use, invisibly those used before when it changes them.
#'   `withDevice` gives the value of `expr`.
#' @seealso [clSitrep()] if a device is missing, [clProfile()], [withCluster()] for several machines, [statcl-options]
#' @examples
#' clDevices()
#' old <- useDevice("cpu")
#' useDevice()
#' useDevice(old)
#' withDevice("cpu", dstable(0:2, 1.5, 0.5))
#' @export
clDevices <- function() {
  if (is.null(session$wanted) && !in_check() && !forked()) device_decide()
  d <- list_devices()
  if (!any(d$in_use)) d$in_use <- d$name %in% session$wanted
  d[c("name", "type", "device", "platform", "vendor", "driver", "units", "memory", "max_alloc", "fp64", "in_use")]
}

#' @rdname clDevices
#' @export
useDevice <- function(devices = NULL) {
  old <- .Call(C_cl_in_use)
  if (is.null(devices)) {
    if (length(old)) return(old)
    if (forked()) return("cpu")
    device_decide()
    return(.Call(C_cl_in_use))
  }
  check_devices("devices", devices)
  before <- choose_devices(plain_devices(printable(devices)))
  if (!identical(.Call(C_cl_in_use), old)) build_behind_quietly()
  invisible(before)
}

check_devices <- function(name, value)
  if (!is.character(value) || !length(value) || anyNA(value))
    input_error(name, value, "must be names of devices, see clDevices()")

# Gives what useDevice() takes to have the devices back that were chosen before.
choose_devices <- function(devices) {
  old <- .Call(C_cl_in_use)
  if (!length(old)) old <- if (is.null(session$wanted)) "auto" else session$wanted
  if (identical(devices, "auto")) {
    .Call(C_cl_use, character())
    session$wanted <- session$why <- NULL
  } else {
    session$wanted <- use_devices(devices)
    session$why <- "chosen by useDevice()"
  }
  old
}

#' @rdname clDevices
#' @export
withDevice <- function(device, expr) {
  need(device = missing(device), expr = missing(expr))
  check_devices("device", device)
  old <- choose_devices(plain_devices(printable(device)))
  why <- session$why
  on.exit({
    choose_devices(old)
    session$why <- why
  })
  force(expr)
}

#' Profile of kernels and transfers
#'
#' Evaluates an expression and adds up the times that its kernels and transfers take on each device: those of OpenCL
#' devices come from the events of the driver, those of `cpu` from a clock, as if its threads had shared the
#' work evenly. Times of different devices, and of transfers and kernels, overlap.
#'
#' @param expr expression to evaluate.
#' @return A data frame with a row for each device and command: `device`, `command` (a kernel, or the direction of a
#'   transfer), `kind` (`kernel` or `transfer`), `calls`, `points` handled in all, `bytes` transferred,
#'   `seconds`. The value of `expr` is kept in its attribute `value`, the elapsed time in `elapsed`.
#' @seealso [clDevices()]
#' @examples
#' p <- clProfile(dstable(seq(-5, 5, length.out = 1e4), 1.5, 0.5))
#' p
#' attr(p, "elapsed")
#' @export
clProfile <- function(expr) {
  need(expr = missing(expr))
  .Call(C_cl_profile, TRUE)
  listening <- TRUE
  on.exit(if (listening) .Call(C_cl_profile, FALSE))
  start <- proc.time()[["elapsed"]]
  value <- force(expr)
  elapsed <- proc.time()[["elapsed"]] - start
  listening <- FALSE
  rows <- as.data.frame(.Call(C_cl_profile, FALSE))
  rows <- rows[order(rows$device, rows$kind, -rows$seconds), ]
  row.names(rows) <- NULL
  structure(rows, value = value, elapsed = elapsed)
}

#' Build and clear the OpenCL programs
#'
#' The first computation on an OpenCL device builds the programs that it needs, which takes from a second to minutes
#' by the device's compiler, and keeps them in the cache folder for the next session. `clWarm` builds all of them now,
#' with a progress bar where it takes longer than a second; those that are kept are only loaded. `clCacheClear`
#' empties the cache folder.
#'
#' Several programs are built at once, on as many threads as computations have, at most 8; the progress says how many
#' of them have been built. A driver that cannot compile in several threads is given one with
#' `options(statcl.threads = 1)`.
#'
#' When a GPU has been chosen, at load, by [useDevice()] or by the first computation, an R process in the background
#' builds the programs that the cache lacks, with low priority, so that later calls find them there. It ends at once,
#' or with one thread after the program that it is building, when the session ends, other devices are chosen, the
#' package is unloaded, or `clWarm` does the same in the foreground. It reports nothing: a call that needs a program
#' which does not build raises the error. A default GPU for which a program did not build is not used in later
#' sessions, which say so, until its driver or the package has changed. Devices that are no GPUs, [withDevice()] and
#' `R CMD check` start no such process.
#'
#' With `options(statcl.compile = "use")`, or `STATCL_COMPILE=use` in the environment, programs are built when they
#' are first used, and no process is started. With `"load"`, set before the package is loaded, all are built at load,
#' for the devices that will be in use: those that were chosen, else the best GPU found. A failure becomes a message.
#' Programs are built for the working precision, see [withPrecision()]; programs with integrands of [integrategpu()]
#' are built when the integrands are known. The built-in backend `cpu` has nothing to build.
#'
#' The cache folder contains built programs, the list of devices, and which drivers are usable; [clSitrep()] shows its
#' path. The process keeps the programs that it has already built or loaded. `clCacheClear` also drops what R has kept
#' in memory: integrands that [integrategpu()] has translated, and tables of covariances. Programs in the cache that
#' are half a year old are removed automatically.
#' @return `clWarm` invisibly gives the names of the devices in use. `clCacheClear` invisibly gives the names of the
#'   files that it removed, and reports their number in a message.
#' @seealso [clDevices()], [clSitrep()], [statcl-options]
#' @examples
#' clWarm()
#' \dontrun{
#' clCacheClear()
#' }
#' @export
clWarm <- function() {
  stop_building()
  if (!identical(useDevice(), "cpu")) prepare_cache()
  .Call(C_cl_warm_up)
  invisible(useDevice())
}

#' @rdname clWarm
#' @export
clCacheClear <- function() {
  session$integrands <- session$remembered <- session$of_responses <- NULL
  stop_building()
  folder <- cache_folder()
  ours <- "^([a-z0-9_]+-[0-9a-f]{32}[.]bin([.][0-9]+[.]tmp)?|(devices|drivers|builds)(.*[.]tmp|[.]rds))$"
  files <- list.files(folder, ours)
  size <- sum(file.size(file.path(folder, files)), na.rm = TRUE) # another process may have been faster
  unlink(c(file.path(folder, files), building_claim()), recursive = TRUE)
  files <- files[!file.exists(file.path(folder, files))]
  message(sprintf("statcl: removed %s%s (%.1f MB) from %s", count_text(sum(endsWith(files, ".bin")), "program"),
                  if ("devices.rds" %in% files) " and the list of devices" else "", size / 1e6, folder))
  invisible(files)
}

#' Report of the set-up of OpenCL and devices
#'
#' Collects everything that determines where computations run: use it when a device is missing, and paste it into bug
#' reports. It looks for devices, and so opens OpenCL.
#'
#' @section Reading the report:
#' The line `default` says where computations run and who has decided that; `drivers` are the files by which OpenCL
#' finds its drivers, and `devices` what they offer. What keeps a device from being used is under `trouble`. Here is a
#' part of the report of a machine whose NVIDIA GPU is missing:
#' ```
#' OpenCL       libOpenCL.so.1
#' drivers      /etc/OpenCL/vendors/nvidia.icd
#' default      cpu (no GPU with fp64)
#' trouble      no OpenCL driver (ICD) is installed
#'              /etc/OpenCL/vendors/nvidia.icd: libnvidia-opencl.so.1: cannot open shared object file
#' ```
#' The OpenCL loader is there (`OpenCL`), and a file names a driver (`drivers`), but the library of that driver is
#' not: the second trouble is the cause, and the first one follows from it. Install the driver's library, on Debian
#' the package `nvidia-opencl-icd`, or make the GPU visible in the container, and start R again; nothing in R has to
#' be reinstalled. Until then everything runs on `cpu`.
#'
#' Other troubles name the setting that is wrong, such as `STATCL_DEVICE asks for the device gpu: there is no GPU`, or
#' a driver that ended the process in which it was tried. On a machine without OpenCL the only trouble is that there
#' is no OpenCL library, or no driver: nothing is wrong with it unless a GPU was meant to be used.
#'
#' @param x object of class `clSitrep`.
#' @param ... not used.
#' @return A list of class `clSitrep`, with a print method: `statcl`, `R`, `system`, `loader` (the OpenCL library, or
#'   why there is none), `drivers` (their files), `devices` (see [clDevices()]), `default` and `why`, `level` (vector
#'   instructions of the CPU backend), `threads`, `cache` (folder), `entries` in it, `environment` (variables that are
#'   set), `trouble` (what keeps a device from being used: drivers that cannot be opened, by the files that register
#'   them, and values of variables and options that are ignored, among others) and `last_error`.
#' @seealso [clDevices()], [clWarm()] for the programs in the cache
#' @examples
#' clSitrep()
#' # a setting that is wrong, and what the report says of it
#' old <- Sys.getenv("STATCL_CPU", NA)
#' Sys.setenv(STATCL_CPU = "avx3")
#' clSitrep()$trouble
#' if (is.na(old)) Sys.unsetenv("STATCL_CPU") else Sys.setenv(STATCL_CPU = old)
#' @export
clSitrep <- function() {
  before <- .Call(C_cl_status)
  devices <- tryCatch(clDevices(), statcl_error = function(e) e)
  state <- .Call(C_cl_status)
  ours <- c("DEVICE", "THREADS", "OPENCL", "OPENCL_LIBRARY", "PROBE", "COMPILE", "CPU")
  variables <- Sys.getenv(c(paste0("STATCL_", ours), "OMP_NUM_THREADS", "OMP_THREAD_LIMIT", driver_variables),
                          names = TRUE)
  files <- driver_files()
  structure(class = "clSitrep", list(
    statcl = as.character(utils::packageVersion("statcl")),
    R = R.version.string,
    system = paste(R.version$platform, utils::osVersion, sep = ", "),
    loader = state$loader,
    drivers = files[file.exists(files)],
    devices = devices,
    default = if (length(used <- .Call(C_cl_in_use))) used else session$wanted,
    why = if (state$forked) "forked process" else session$why,
    level = state$level,
    threads = state$threads,
    cache = cache_folder(),
    entries = length(list.files(cache_folder(), "[.]bin$")),
    environment = variables[nzchar(variables)],
    trouble = unique(c(session$trouble, state$trouble, dead_trouble(), file_trouble(), setting_trouble(),
                       cache_trouble(), wanted_trouble(devices))),
    last_error = before$error,
    forked = state$forked
  ))
}

#' @rdname clSitrep
#' @export
print.clSitrep <- function(x, ...) {
  row <- function(label, value) {
    value <- if (length(value)) value else "none"
    cat(sprintf("%-12s %s\n", c(label, rep("", length(value) - 1L)), value), sep = "")
  }
  row("statcl", x$statcl)
  row("R", x$R)
  row("system", x$system)
  row("OpenCL", x$loader)
  row("drivers", x$drivers)
  row("default", paste0(paste(x$default, collapse = ", "), if (!is.null(x$why)) paste0(" (", x$why, ")")))
  row("CPU level", x$level)
  row("threads", paste0(x$threads, if (x$forked) " (forked process)"))
  row("cache", sprintf("%s (%d program%s)", x$cache, x$entries, if (x$entries == 1) "" else "s"))
  row("environment", if (length(x$environment)) paste(names(x$environment), x$environment, sep = "="))
  if (length(x$trouble)) row("trouble", x$trouble)
  row("last error", if (nzchar(x$last_error)) x$last_error)
  cat("devices\n")
  if (inherits(x$devices, "condition")) cat(conditionMessage(x$devices), "\n") else print(x$devices, right = FALSE)
  invisible(x)
}

wanted_trouble <- function(devices) {
  from <- device_source(session$why)
  gone <- if (is.data.frame(devices) && !any(devices$type == "gpu")) session$wanted == "gpu"
  if (!is.null(from) && any(gone)) paste(from, "asks for the device gpu: there is no GPU")
}

# Variables and options with values that are ignored.
setting_trouble <- function() {
  built <- function() rev(.Call(C_cl_status)$levels) # configure may leave some out
  ignored <- function(name, good, what) {
    value <- Sys.getenv(name)
    if (nzchar(value) && !good(value)) sprintf("%s=%s is ignored: it is %s", name, printable(value), what)
  }
  c(ignored("STATCL_OPENCL", function(value) value %in% c("off", "lazy"), "none of off, lazy"),
    ignored("STATCL_COMPILE", function(value) value %in% c("load", "use"), "none of load, use"),
    ignored("STATCL_CPU", function(value) value %in% built(), paste("none of", toString(built()))),
    ignored("STATCL_THREADS", function(value) grepl("^[[:space:]]*[+]?0*[1-9]", value, useBytes = TRUE),
            "no number of threads, at least 1"), # of strtol()
    option_trouble())
}

forked <- function() .Call(C_cl_status)$forked

# All devices, with memory in GiB; what was found is kept for the next session, unless a driver failed, which may be
# for this once.
list_devices <- function() {
  look <- !forked()
  if (look && opencl_switch() != "off") prepare_cache()
  d <- as.data.frame(if (look) with_drivers(.Call(C_cl_devices, TRUE)) else .Call(C_cl_devices, FALSE))
  if (look && opencl_switch() != "off" && is.null(.Call(C_cl_status)$trouble)) keep_list(d)
  d$memory <- round(d$memory / 2^30, 2)
  d$max_alloc <- round(d$max_alloc / 2^30, 2)
  d
}

# The value: the names, of which "gpu" has been replaced. `from`: the option or variable that they come from.
use_devices <- function(names, from = NULL) {
  told <- function(expr) tryCatch(expr, statcl_error_device = function(e)
    if (is.null(from)) stop(e)
    else raise_engine_error("device", sprintf("%s; %s asks for %s", conditionMessage(e), from, toString(names))))
  if (forked() || identical(names, "cpu")) .Call(C_cl_use, names)
  else {
    prepare_cache()
    names <- told(any_gpu(names))
    told(with_drivers(.Call(C_cl_use, names)))
  }
  names
}

# "gpu" stands for the best GPU, one without double precision only if there is no other.
any_gpu <- function(names) {
  if (!"gpu" %in% names) return(names)
  found <- list_devices()
  best <- best_gpu(found)
  if (best == "cpu") best <- best_gpu(replace(found, "fp64", TRUE))
  if (best == "cpu")
    raise_engine_error("device", sprintf("there is no GPU for \"gpu\", which stands for the best one (devices: %s)",
                                         toString(found$name)))
  unique(replace(names, names == "gpu", best))
}
best_gpu <- function(d) {
  d <- d[d$type == "gpu" & d$fp64 & d$usable, ]
  if (nrow(d)) d$name[which.max(d$score)] else "cpu"
}

# The words for devices in lower case; drivers name theirs in any case.
plain_devices <- function(names)
  ifelse(tolower(names) %in% c("auto", "cpu", "gpu"), tolower(names), names)

# The user's choice by option or environment variable, or NULL.
device_option <- function() {
  device <- getOption("statcl.device")
  why <- "options(statcl.device)"
  if (!is.null(device) && (!is.character(device) || !length(device) || anyNA(device)))
    refuse_option("statcl.device", "names of devices, see clDevices()")
  if (is.null(device)) {
    device <- trimws(strsplit(printable(Sys.getenv("STATCL_DEVICE")), ",", fixed = TRUE)[[1L]])
    why <- "STATCL_DEVICE"
  }
  device <- plain_devices(printable(device))
  if (!length(device) || identical(device, "auto")) return(NULL)
  list(device = device, why = why)
}

# The option or variable of the user's, or NULL where the devices come from elsewhere.
device_source <- function(why) if (isTRUE(why %in% c("options(statcl.device)", "STATCL_DEVICE"))) why

# Decides the default without touching a driver, where that is possible; opens a GPU. What is wrong with an option the
# first computation will raise.
device_at_load <- function()
  tryCatch(device_prepare(), statcl_error_input = function(e)
    session$trouble <- paste0("statcl: ", conditionMessage(e)))

device_prepare <- function() {
  choice <- device_option()
  if (is.null(choice) && !in_install() && !in_check()) {
    known <- if (opencl_switch() != "off") kept_list()
    if (!is.null(known)) choice <- list(device = best_gpu(known), why = "kept list of devices")
  }
  may_open <- !opencl_switch() %in% c("off", "lazy") && !in_install() && !in_check()
  build <- if (may_open) build_choice() else "use"
  if (is.null(choice) && build == "load")
    choice <- tryCatch(device_found(), error = function(e) {
      if (inherits(e, "statcl_error_input")) stop(e)
      list(device = "cpu", why = conditionMessage(e))
    })
  session$wanted <- choice$device
  session$why <- choice$why
  if (identical(choice$device, "cpu")) {
    .Call(C_cl_use, "cpu")
  } else if (build == "load" || may_open && any(grepl("^gpu(:|$)", choice$device))) {
    tryCatch({
      session$wanted <- use_devices(choice$device, device_source(choice$why))
      if (build == "load" || build == "behind" && !build_behind()) clWarm()
    }, error = function(e) {
      if (inherits(e, "statcl_error_input")) stop(e)
      device_broken(choice, conditionMessage(e))
    })
  }
}

# A GPU that used to be there leaves the CPU; one that the user named stays wanted, so that its first use is an error.
device_broken <- function(choice, message) {
  .Call(C_cl_use, character())
  if (!choice$why %in% c("kept list of devices", "best GPU")) {
    session$trouble <- paste0("statcl: ", message)
  } else {
    session$trouble <- paste0("statcl computes on the CPU: ", message)
    session$wanted <- "cpu"
    session$why <- "the GPU did not open at load"
    .Call(C_cl_use, "cpu")
  }
}

# Called from C by the first computation when no device is in use yet: the choice that load left open.
device_decide <- function(unused) {
  if (is.null(session$wanted)) {
    choice <- device_option()
    if (is.null(choice)) choice <- device_found()
    session$wanted <- choice$device
    session$why <- choice$why
  }
  session$wanted <- use_devices(session$wanted, device_source(session$why))
  build_behind_quietly()
  if (is_verbose()) message("statcl: computing on ", paste(session$wanted, collapse = ", "), " (", session$why, ")")
  NULL
}

device_found <- function() {
  if (opencl_switch() == "off") return(list(device = "cpu", why = "STATCL_OPENCL=off"))
  if (in_check()) return(list(device = "cpu", why = "R CMD check"))
  found <- list_devices()
  list(device = best_gpu(found), why = if (best_gpu(found) == "cpu") "no GPU with fp64" else "best GPU")
}

driver_variables <- c("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "POCL_DEVICES",
                      "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK")

# The files that register OpenCL drivers on this system.
driver_files <- function() {
  vendors <- Sys.getenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")
  c(Sys.getenv("STATCL_OPENCL_LIBRARY"),
    if (dir.exists(vendors)) list.files(vendors, "[.]icd$", full.names = TRUE) else vendors,
    strsplit(Sys.getenv("OCL_ICD_FILENAMES"), .Platform$path.sep, fixed = TRUE)[[1L]],
    if (.Platform$OS.type == "windows") file.path(Sys.getenv("SystemRoot"), "System32", "OpenCL.dll"),
    if (Sys.info()[["sysname"]] == "Darwin") "/System/Library/Frameworks/OpenCL.framework")
}

# The files that register drivers, and the libraries of which they tell, with size and time.
driver_stamp <- function() {
  files <- driver_files()
  files <- c(files, driver_libraries(files))
  of <- file.info(files, extra_cols = FALSE)
  unname(c(files, format(of$mtime, "%Y-%m-%d %H:%M:%OS3", tz = "UTC"), of$size, Sys.getenv("STATCL_OPENCL_LIBRARY")))
}

# A registering file has the name or the path of a library; NA where it cannot be read.
driver_library <- function(file)
  tryCatch(c(trimws(suppressWarnings(readLines(file, 1L, warn = FALSE))), "")[1L], error = function(e) NA_character_)

# What is wrong with each registering file, of which the loader says nothing. Drivers are opened only where the loader
# has done so, and those that ended a process are not.
file_trouble <- function() {
  if (forked()) return(NULL)
  files <- setdiff(grep("[.]icd$", driver_files(), value = TRUE), session$dead)
  unlist(lapply(files, function(file) {
    library <- driver_library(file)
    why <- if (is.na(library)) "cannot be read"
           else if (!nzchar(library) || !validUTF8(library)) "does not name a library"
           else if (.Call(C_cl_status)$open) .Call(C_cl_library, library)
    if (length(why)) sprintf("%s: %s", file, if (file.exists(file)) why else "there is no such file")
  }))
}

# The loader looks for names where the system's linker does.
driver_libraries <- function(files) {
  files <- files[grepl("[.]icd$", files) & file.exists(files)]
  named <- vapply(files, driver_library, "")
  folders <- c(strsplit(Sys.getenv("LD_LIBRARY_PATH"), ":", fixed = TRUE)[[1L]],
               Sys.glob(c("/usr/lib/*-linux-*", "/usr/lib64", "/usr/lib", "/usr/local/lib")))
  named <- named[!is.na(named) & validUTF8(named) & nzchar(named)]
  found <- lapply(named, function(name) if (startsWith(name, "/")) name else file.path(folders, name))
  found <- as.character(unlist(found, use.names = FALSE))
  found[file.exists(found)]
}

# A kept list holds while they and these variables are the same.
driver_key <- function()
  c(driver_stamp(), Sys.getenv(driver_variables), as.character(utils::packageVersion("statcl")))

list_file <- function() file.path(cache_folder(), "devices.rds")

# Nothing is read that somebody else may have written.
is_private <- function(path) .Call(C_cl_private, path)

cache_trouble <- function() {
  if (dir.exists(cache_folder()) && !is_private(cache_folder()))
    sprintf("the cache folder %s is not used: it is not the user's, or others may write in it", cache_folder())
}

# What a file in the cache holds, or NULL; and such a file, which is renamed into its place when it is complete.
read_kept <- function(file)
  if (is_private(cache_folder()) && is_private(file))
    tryCatch(suppressWarnings(readRDS(file)), error = function(e) NULL)

write_kept <- function(value, file) {
  temporary <- tempfile(sub("[.]rds$", "", basename(file)), cache_folder(), ".tmp")
  tryCatch(suppressWarnings({
    saveRDS(value, temporary)
    Sys.chmod(temporary, "0600")
    file.rename(temporary, file)
  }), error = function(e) unlink(temporary))
  invisible()
}

kept_list <- function() {
  kept <- read_kept(list_file())
  if (is.list(kept) && is.data.frame(kept$devices) && identical(kept$key, unname(driver_key()))) kept$devices
}

keep_list <- function(devices) {
  devices <- devices[devices$name != "cpu", c("name", "type", "device", "driver", "fp64", "usable", "score")]
  row.names(devices) <- NULL
  if (!identical(kept_list(), devices)) write_kept(list(key = unname(driver_key()), devices = devices), list_file())
}

# Makes the folder, and clears programs built more than half a year ago. Where it cannot be written, nothing is kept.
prepare_cache <- function() {
  folder <- cache_folder()
  if (!dir.exists(folder)) return(dir.create(folder, FALSE, TRUE, mode = "0700"))
  entries <- list.files(folder, "[.](bin|tmp)$", full.names = TRUE)
  unlink(entries[which(difftime(Sys.time(), file.mtime(entries), units = "days") > 180)])
}

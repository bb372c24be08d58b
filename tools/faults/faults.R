# Faults that are made on purpose, on the installed package:
#   Rscript tools/faults/faults.R [library [part]]
# allocations  the n-th allocation of the package's code fails, once or from there on
# opencl       the n-th call of OpenCL fails, of any kind and of each kind, once, for ever, or until there is another
#              context; opencl-gpu: of a device that calls itself a GPU
# interrupts   the user interrupts every function that computes; what it works on before it stops is measured
# callbacks    R code that runs while a computation polls calls the package and collects garbage
# Each part is a process of its own. After every fault there is an error of a class that fits or the right value, and
# without the fault the right value again. A crash, a wrong value, a hang, or an interrupt that is heard after more
# than half a second of processor time fails.
given <- commandArgs(TRUE)
script <- normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]))
root <- dirname(dirname(dirname(script)))
library <- normalizePath(if (length(given)) given[1] else file.path(root, "build", "library"))
parts <- c("allocations", "opencl", "opencl-gpu", "interrupts", "callbacks")

# ---- the processes ----

compile <- function(source, folder) {
  file.copy(file.path(root, source), folder)
  name <- sub("[.]c$", "", basename(source))
  made <- file.path(folder, paste0(name, ".so"))
  run <- c("CMD", "SHLIB", "-o", shQuote(made), shQuote(file.path(folder, basename(source))), "-ldl")
  system2(file.path(R.home("bin"), "R"), run, stdout = FALSE, stderr = FALSE)
  if (!file.exists(made)) stop("cannot compile ", source, call. = FALSE)
  made
}

run_parts <- function() {
  folder <- tempfile("faults")
  dir.create(folder)
  faulty <- compile("tests/testthat/stub/faulty.c", folder)
  stub <- c(allocations = compile("tools/faults/scarce.c", folder), opencl = faulty, "opencl-gpu" = faulty,
            interrupts = compile("tools/faults/interrupt.c", folder), callbacks = "")
  variables <- c(R_USER_CACHE_DIR = file.path(folder, "cache"), STATCL_THREADS = "1", POCL_MAX_PTHREAD_COUNT = "1",
                 POCL_CPU_MAX_CU_COUNT = "1", STATCL_PROBE = "off", STATCL_DEVICE = "cpu")
  status <- vapply(parts, function(part) {
    own <- c(variables, if (part == "allocations") c(LD_PRELOAD = stub[[part]]),
             if (startsWith(part, "opencl")) c(STATCL_OPENCL_LIBRARY = stub[[part]]),
             if (part == "opencl-gpu") c(FAULTY_GPU = "1", STATCL_COMPILE = "use"))
    began <- proc.time()[["elapsed"]]
    status <- system2("timeout", c("400", "env", paste0(names(own), "=", shQuote(own)),
                                   shQuote(file.path(R.home("bin"), "Rscript")), "--vanilla", shQuote(script),
                                   shQuote(library), part, shQuote(stub[[part]])))
    cat(sprintf("%-12s %s, %.0f s\n", part, if (status) paste("FAILED, status", status) else "passed",
                proc.time()[["elapsed"]] - began))
    status
  }, 0L)
  if (any(status != 0)) stop("faults: failed: ", toString(parts[status != 0]), call. = FALSE)
  cat("faults: all parts passed\n")
}

# ---- what all parts use ----

failures <- 0
complain <- function(name, ...) {
  cat(sprintf("FAILED %s: %s\n", name, paste0(...)))
  failures <<- failures + 1
}

made <- new.env()
use_calls <- function(long) {
  made$long <- long
  sys.source(file.path(root, "tools", "faults", "calls.R"), made)
  all <- sub("[.].*", "", names(made$calls))
  left <- setdiff(getNamespaceExports("statcl"), c(all, made$without_work))
  if (length(left)) complain("calls.R", "has no call of ", toString(left))
}

# The value of a call, or its error.
outcome <- function(name) {
  set.seed(1)
  tryCatch(suppressWarnings(eval(made$calls[[name]], made)), error = identity)
}

# Is what came of a call with a fault all right? Where devices take over from one another they agree to rounding.
fits <- function(got, expected, kinds) {
  if (inherits(got, "error")) return(inherits(got, paste0("statcl_error_", kinds)))
  identical(got, expected)
}

shown <- function(got)
  if (inherits(got, "error")) paste0(class(got)[1], ": ", substr(conditionMessage(got), 1, 200)) else "another value"

# Some of the numbers up to n: all of the first, fewer of the later.
some_of <- function(n, most) unique(round(if (n <= most) seq_len(n) else exp(seq(0, log(n), length.out = most))))

# ---- the parts ----

allocations <- function(stub) {
  scarce <- dyn.load(stub)
  fail_at <- function(at, ever) .C(scarce$scarce_next, as.integer(at), as.integer(ever))
  use_calls(FALSE)
  useDevice("cpu")
  count <- 0
  for (name in names(made$calls)) {
    forget <- function() {
      fail_at(0, 0)
      suppressMessages(clCacheClear())
      useDevice("cpu") # tables are made anew
    }
    expected <- outcome(name)
    if (inherits(expected, "error")) complain(name, shown(expected))
    forget()
    outcome(name)
    n <- .C(scarce$scarce_seen, 0L)[[1]]
    for (ever in 0:1) for (at in some_of(n, 25)) {
      forget()
      fail_at(at, ever)
      got <- outcome(name)
      fail_at(0, 0)
      if (!fits(got, expected, "memory")) complain(name, "allocation ", at, " of ", n, ": ", shown(got))
      if (at %% 5 == 1) got <- outcome(name)
      if (at %% 5 == 1 && !identical(got, expected)) complain(name, "after allocation ", at, ": ", shown(got))
      count <- count + 1
    }
  }
  cat(count, "failed allocations\n")
}

opencl <- function(stub) {
  faulty <- dyn.load(stub)
  fail_at <- function(call, at, code, lasts) .C(faulty$faulty_next, call, as.integer(at), as.integer(code), lasts)
  kinds <- c("memory", "device", "build")
  use_calls(FALSE)
  count <- 0
  try_fault <- function(device, name, expected, call, at, code, lasts) {
    fail_at(call, at, code, lasts)
    got <- outcome(name)
    if (lasts == 1L && inherits(got, "error")) got <- outcome(name) # still
    label <- sprintf("%s on %s, %s %d, code %d, lasting %d", name, device, call, at, code, lasts)
    if (!fits(got, expected, kinds)) complain(label, shown(got))
    # a context that has died is dropped at the latest where a call fails
    if (lasts != 2L || inherits(got, "error")) {
      if (lasts != 2L) fail_at("none", 0, 0, 0L)
      got <- outcome(name)
      if (!identical(got, expected)) complain(label, "and then ", shown(got))
    }
    fail_at("none", 0, 0, 0L)
    count <<- count + 1
  }
  every <- c("dstable.table", "dstable", "qstable", "rstable", "stableFit.series", "besselKgpu", "matern", "tbrf",
             "integrategpu", "qpoisgpu", "gpLoglik", "clProfile")
  device <- setdiff(clDevices()$name, "cpu")[1]
  useDevice(device)
  entries <- sub("^(PASS|PASS_POINTER|CHECK_FAULT)[(](cl[A-Za-z]+).*", "\\2",
                 grep("^(PASS|PASS_POINTER)[(]cl", readLines(sub("[.]so$", ".c", stub)), value = TRUE))
  entries <- c(entries, "clFinish", "clBuildProgram", "clGetProgramBuildInfo", "clCreateProgramWithBinary",
               "clCreateBuffer", "clEnqueueNDRangeKernel", "clGetEventInfo")
  for (name in every) {
    expected <- outcome(name)
    if (inherits(expected, "error")) complain(name, shown(expected))
    fail_at("any", .Machine$integer.max, 0, 0L)
    outcome(name)
    n <- .C(faulty$faulty_seen, 0L, 0L)[[1]]
    for (at in some_of(n, 10))
      for (fault in list(c(-5, 0), c(-36, 0), c(-4, 2), c(-34, 2), c(-9999, 0)))
        try_fault(device, name, expected, "any", at, fault[1], as.integer(fault[2]))
    if (name %in% c("dstable", "integrategpu", "clProfile")) for (call in entries) for (lasts in 0:2)
      for (code in c(-6, -2)) {
        # to be built again, so that all kinds of calls are made
        if (code == -6) fail_at("clEnqueueNDRangeKernel", 1, -36, 2L)
        if (code == -6) outcome(name)
        try_fault(device, name, expected, call, 1, code, lasts)
      }
  }
  cat(count, "failed calls on", device, "\n")
}

interrupts <- function(stub) {
  library <- dyn.load(stub)
  use_calls(TRUE)
  slowest <- 0
  count <- 0
  for (device in c("cpu", setdiff(clDevices()$name, "cpu")[1])) {
    useDevice(device)
    for (name in names(made$calls)) for (after in if (device == "cpu") c(0.2, 0.8) else 0.6) {
      before <- dpoisgpu(3, 2.5)
      set.seed(1)
      .C(library$interrupt_after, after)
      how <- tryCatch(suppressWarnings(repeat eval(made$calls[[name]], made)), interrupt = function(e) "interrupt",
                      error = shown)
      late <- .C(library$interrupt_age, 0)[[1]]
      if (how != "interrupt") complain(name, "on ", device, ": ", how)
      else if (late > 0.5)
        complain(name, sprintf("on %s, interrupted after %g s, stops %.2f s later", device, after, late))
      if (!identical(dpoisgpu(3, 2.5), before)) complain(name, "on ", device, ": a wrong value afterwards")
      slowest <- max(slowest, late)
      count <- count + 1
    }
  }
  cat(sprintf("%d interrupts, heard after %.2f s at most\n", count, slowest))
}

callbacks <- function(stub) {
  use_calls(TRUE)
  hits <- 0
  attempts <- c(list(quote(useDevice("cpu")), quote(useDevice("auto")), quote(clCacheClear()), quote(clWarm()),
                     quote(statcl:::.onUnload("")), quote(dstable(1, 1.5, 0)), quote(stableFit(1:20)),
                     quote(rstable(2, 1.5, 0)), quote(tbrf(1:3, made$exponential, 8)),
                     quote(clProfile(dpoisgpu(1, 2))),
                     quote(integrategpu(~ x, 0, 1)), quote(clDevices()), quote(clSitrep())))
  try_all <- function() for (attempt in attempts) tryCatch(suppressMessages(eval(attempt)), error = function(e)
    if (!grepl("another computation is running", conditionMessage(e)))
      complain("callbacks", deparse(attempt), ": ", conditionMessage(e)))
  # as the callback of a window does, and as a finalizer
  ran <- TRUE
  hook <- function(name, fraction) if (ran) {
    hits <<- hits + 1
    try_all()
    reg.finalizer(new.env(), function(e) try_all())
    gc()
  }
  utils::assignInNamespace("progress_show", hook, "statcl")
  for (device in c("cpu", setdiff(clDevices()$name, "cpu")[1])) {
    useDevice(device)
    hits <- 0
    for (name in c("dstable", "rstable", "besselKgpu.orders", "integrategpu", "stableFit.series", "rpoisgpu")) {
      ran <- FALSE
      expected <- outcome(name)
      ran <- TRUE
      got <- outcome(name)
      if (!identical(got, expected)) complain(name, "on ", device, " after ", hits, " callbacks: ", shown(got))
      if (!identical(useDevice(), device)) complain(name, "on ", device, ": is not in use any more")
    }
    cat(hits, "callbacks on", device, "\n")
    if (!hits) complain("callbacks", "there were none")
  }
}

if (length(given) < 2) run_parts() else {
  .libPaths(c(library, .libPaths()))
  base::library(statcl)
  options(warn = 1)
  get(sub("-.*", "", match.arg(given[2], parts)))(given[3])
  if (failures) quit("no", status = 1)
}

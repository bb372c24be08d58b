x <- seq(-8, 8, length.out = 5001)
alpha <- seq(0.6, 1.9, length.out = 7)
density <- function() dstable(x, alpha, 0.4)
agree <- function(a, b) max(abs(a / b - 1)) < 1e-12

new_cache <- function() {
  folder <- tempfile("cache")
  dir.create(folder)
  folder
}

# Environment of a process that behaves like a user's, with the faulty loader and a cache of its own: unless it is
# given there can be none, for PoCL builds every kernel of a program that is kept a second time.
faulty <- function(..., cache = "/dev/null") {
  c(if ("FAULTY_GPU" %in% names(c(...))) fast_builds(), STATCL_OPENCL_LIBRARY = faulty_loader(),
    R_USER_CACHE_DIR = cache, "_R_CHECK_PACKAGE_NAME_" = "", STATCL_PROBE = "off", STATCL_COMPILE = "use", ...)
}

# Where it matters that programs are built, and not what they are, all but these are empty ones in `make test`.
built_in_full <- function(...) c(FAULTY_ONLY = if (every_test()) "" else paste("", ..., ""))

# Waits as long as it takes on a busy machine, but not for ever; for files also in another process.
wait_until <- function(done) {
  for (i in 1:3000) if (done()) break else Sys.sleep(0.1)
  expect_true(done())
}
wait_for <- quote((function(path) for (i in 1:3000) if (length(Sys.glob(path))) break else Sys.sleep(0.1)))

letters_in <- function(file) if (file.exists(file)) strsplit(readLines(file, warn = FALSE), "")[[1]] else character()

test_that("devices are listed, the built-in backend first", {
  d <- clDevices()
  expect_s3_class(d, "data.frame")
  expect_identical(names(d), c("name", "type", "device", "platform", "vendor", "driver", "units", "memory",
                               "max_alloc", "fp64", "in_use"))
  expect_identical(d$name[1], "cpu")
  expect_true(d$fp64[1])
  expect_false(anyDuplicated(d$name) > 0)
  expect_true(all(grepl("^(gpu|ocl-cpu|acc):[0-9]+$", d$name[-1])))
  expect_true(all(d$memory[-1] > 0 & d$max_alloc[-1] > 0 & d$units > 0))
})

test_that("an OpenCL device is there where one must be", {
  skip_if(!opencl_expected(), "STATCL_TEST_OPENCL is not 1")
  expect_gt(length(opencl_devices()), 0)
})

test_that("the choice of devices is returned, kept, and put back", {
  start <- useDevice("cpu")
  on.exit(useDevice(start))
  expect_identical(useDevice(), "cpu")
  expect_identical(useDevice("cpu"), "cpu")
  expect_identical(clDevices()$in_use, clDevices()$name == "cpu")
  for (d in test_devices()) expect_identical(withDevice(d, useDevice()), d)
  expect_identical(withDevice(test_devices(), useDevice()), test_devices())
  expect_error(withDevice(test_devices(), stop("inside")), "inside")
  expect_identical(useDevice(), "cpu")
})

test_that("errors have their classes and say what to do", {
  e <- tryCatch(useDevice("gpu:77"), statcl_error_device = identity)
  expect_s3_class(e, c("statcl_error_device", "statcl_error", "error", "condition"), exact = TRUE)
  expect_match(conditionMessage(e), "no device \"gpu:77\" \\(devices: cpu")
  expect_identical(deparse(conditionCall(e)), "useDevice(\"gpu:77\")")
  expect_error(useDevice(1), class = "statcl_error_input")
  expect_error(useDevice(NA_character_), class = "statcl_error_input")
  expect_error(useDevice(rep("cpu", 99)), class = "statcl_error_input")
  expect_error(withPrecision("half", 1), class = "statcl_error_input")
  e <- tryCatch(withPrecision("single", dstable(1, 1.5, 0)), statcl_error_device = identity)
  expect_match(conditionMessage(e), "dstable has no single precision")
  expect_identical(as.character(conditionCall(e)[[1]]), "dstable")
  expect_identical(withPrecision("double", dstable(1, 1.5, 0)), dstable(1, 1.5, 0))
})

test_that("all devices agree, alone and together, and wherever the call is cut", {
  skip_if_quick()
  expected <- withDevice("cpu", density())
  on_each_backend({
    expect_true(agree(density(), expected))
    parts <- c(dstable(x[1:2100], alpha, 0.4), dstable(x[2101:5001], alpha, 0.4))
    expect_identical(parts, density())
  })
  skip_if(!length(opencl_devices()), "no OpenCL device")
  many <- rep(x, 40)
  together <- withDevice(test_devices(), dstable(many, 1.5, 0.4))
  expect_true(agree(together, rep(withDevice("cpu", dstable(x, 1.5, 0.4)), 40)))
})

test_that("devices of one kind give the same bits, however a vector is split over them", {
  skip_if_quick()
  skip_if(!length(opencl_devices()), "no OpenCL device")
  r <- in_new_R({
    x <- seq(-30, 30, length.out = 1e5)
    a <- rep(c(0.7, 1.3, 1.8), length.out = 1e5)
    names <- grep("ocl-cpu", clDevices()$name, value = TRUE)
    list(names = names,
         one = withDevice(names[1], dstable(x, a, 0.5)),
         both = withDevice(names, clProfile(dstable(x, a, 0.5))))
  }, c(POCL_DEVICES = "basic pthread"))
  skip_if(length(r$names) < 2, "not PoCL")
  expect_identical(attr(r$both, "value"), r$one)
  expect_setequal(unique(r$both$device), r$names)
})

test_that("profiles count every point of every kernel", {
  on_each_backend({
    p <- clProfile(density())
    expect_identical(attr(p, "value"), density())
    expect_type(attr(p, "elapsed"), "double")
    expect_true(all(p$device == device & p$seconds >= 0 & p$calls > 0))
    kernels <- p[p$kind == "kernel", ]
    expect_gt(nrow(kernels), 0)
    expect_true(all(kernels$points == length(x)))
    expect_identical(any(p$kind == "transfer"), device != "cpu")
    if (device != "cpu") # results come back in double precision, one for each point
      expect_gte(p$bytes[p$command == "from device"], 8 * length(x))
  })
  expect_error(clProfile(stop("inside")), "inside")
  expect_identical(nrow(clProfile(1)), 0L)
})

test_that("the situation report names what matters", {
  try(useDevice("gpu:77"), silent = TRUE)
  report <- capture.output(s <- print(clSitrep()))
  expect_s3_class(s, "clSitrep")
  for (word in c("statcl", "R version", "OpenCL", "drivers", "default", "CPU level", "threads", "cache", "fp64",
                 "last error", "gpu:77"))
    expect_true(any(grepl(word, report, fixed = TRUE)), label = word)
})

test_that("levels of the CPU backend agree and can be forced", {
  expected <- withDevice("cpu", density())
  built <- .Call(statcl:::C_cl_status)$levels
  expect_true(length(built) > 0L && all(built %in% c("baseline", "avx2", "avx512")))
  for (level in c("baseline", "avx2", "avx512")) {
    r <- in_new_R(list(level = clSitrep()$level, value = dstable(.(x), .(alpha), 0.4)),
                  c(STATCL_CPU = level, STATCL_DEVICE = "cpu", STATCL_OPENCL = "off"))
    if (level == "baseline" && level %in% built) expect_identical(r$level, level)
    expect_true(agree(r$value, expected), label = level)
  }
})

test_that("the number of threads has one authority", {
  threads <- function(..., code = NULL) {
    in_new_R(withDevice("cpu", {
      options(statcl.threads = .(code))
      c(clDevices()$units[1], as.integer(identical(dstable(.(x), .(alpha), 0.4), .(withDevice("cpu", density())))))
    }), c(STATCL_OPENCL = "off", "_R_CHECK_LIMIT_CORES_" = "", OMP_NUM_THREADS = "", STATCL_THREADS = "", ...))
  }
  expect_identical(threads(STATCL_THREADS = "3"), c(3L, 1L))
  expect_identical(threads(OMP_NUM_THREADS = "5,2"), c(5L, 1L))
  expect_identical(threads(OMP_NUM_THREADS = "5", STATCL_THREADS = "4"), c(4L, 1L))
  expect_identical(threads(STATCL_THREADS = "4", code = 3), c(3L, 1L))
  expect_identical(threads(STATCL_THREADS = "4", OMP_THREAD_LIMIT = "2"), c(2L, 1L))
  expect_identical(threads(STATCL_THREADS = "4", "_R_CHECK_LIMIT_CORES_" = "TRUE"), c(2L, 1L))
  expect_identical(threads(STATCL_THREADS = "1"), c(1L, 1L))
})

test_that("a forked process computes the same, without OpenCL or threads", {
  skip_on_os("windows")
  r <- in_new_R({
    x <- rep(.(x), 10)
    expected <- withDevice("cpu", dstable(x, 1.5, 0.4))
    used <- clDevices()$name
    useDevice(used[length(used)])
    invisible(dstable(x, 1.5, 0.4))
    child <- parallel::mclapply(1:2, function(i) {
      list(value = dstable(x, 1.5, 0.4), again = withDevice("cpu", dstable(x, 1.5, 0.4)),
           threads = clDevices()$units[1], devices = clDevices()$name, used = useDevice(),
           in_use = clDevices()$in_use)
    }, mc.cores = 2)
    list(expected = expected, child = child, devices = used, parent = dstable(x, 1.5, 0.4))
  })
  for (child in r$child) {
    expect_identical(child$value, r$expected)
    expect_identical(child$again, r$expected)
    expect_identical(child$threads, 1L)
    expect_identical(child$devices, r$devices)
    expect_identical(child$used, "cpu")
    expect_identical(child$in_use, r$devices == "cpu")
  }
  expect_true(agree(r$parent, r$expected))
})

test_that("a forked process computes although OpenCL and a cluster were in use before", {
  skip_on_os("windows")
  r <- in_new_R({
    cl <- parallel::makeCluster(1)
    on.exit(parallel::stopCluster(cl))
    series <- matrix(rstable(400, 1.5, 0), 100)
    fit <- function() coef(stableFit(series))
    used <- clDevices()$name
    expected <- withDevice("cpu", fit())
    useDevice(used[length(used)])
    options(statcl.cluster = cl)
    parent <- fit()
    within <- withCluster(cl, parallel::mclapply(1:2, function(i) fit(), mc.cores = 2))
    child <- parallel::mclapply(1:2, function(i) list(fit(), withCluster(cl, fit()), useDevice(), clSitrep()$forked),
                                mc.cores = 2)
    again <- fit() # the cluster still answers
    list(expected = expected, parent = parent, within = within, child = child, again = again)
  }, timeout = 300) # for one that hangs
  expect_identical(r$within, list(r$expected, r$expected))
  expect_identical(r$child, rep(list(list(r$expected, r$expected, "cpu", TRUE)), 2))
  expect_equal(r$parent, r$expected, tolerance = 1e-6)
  expect_identical(r$again, r$parent)
})

# Interrupts come a second after the start; unheeded, each of these calls goes on for 8 s or more on one core.
# Processor time is judged: on a machine that does other work meanwhile, elapsed time says nothing.
answer_within <- 4
one_core <- c(STATCL_THREADS = "1", POCL_MAX_PTHREAD_COUNT = "1", POCL_CPU_MAX_CU_COUNT = "1")

# Value of code that runs when an interrupt comes: how it ended, and after how much work; and of what is done then.
interrupt_late <- function(device, prepare, code, then = NULL) {
  prepare <- substitute(prepare)
  code <- substitute(code)
  then <- substitute(then)
  in_new_R({
    useDevice(.(device))
    .(prepare)
    system(sprintf("(sleep 1; kill -INT %d) &", Sys.getpid()))
    spent <- .(processor_seconds)
    took <- spent(how <- tryCatch({
      .(code)
      "finished"
    }, interrupt = function(e) "interrupted"))
    list(how = how, took = took, then = .(then))
  }, one_core)
}

test_that("an interrupt stops a long call, and the next call is none the worse", {
  skip_if_quick()
  on_each_backend({
    r <- interrupt_late(device, {
      few <- seq(-4, 4, 0.01)
      expected <- dstable(few, 1.3, 0.4)
      long <- seq(-8, 8, length.out = 4e7)
    }, repeat dstable(long, 1.5, 0.4), identical(expected, dstable(few, 1.3, 0.4)))
    expect_identical(r$how, "interrupted")
    expect_lt(r$took, answer_within)
    expect_true(r$then)
  })
})

test_that("what R runs during a computation cannot take its devices or tables away", {
  skip_if_quick()
  r <- in_new_R({
    useDevice("cpu")
    p <- rep(seq(0.001, 0.999, length.out = 1e6), 4)
    expected <- qstable(p[1:1e6], 1.37, 0.2)
    said <- NULL
    attempts <- list(quote(useDevice("cpu")), quote(useDevice("auto")), quote(withDevice("cpu", 1)),
                     quote(statcl:::.onUnload("")), quote(dstable(1, 1.5, 0)))
    # as a callback of an event loop does, which R looks after there
    hook <- function(name, fraction) if (is.null(said))
      said <<- vapply(attempts, function(call) tryCatch({
        eval(call)
        "done"
      }, error = conditionMessage, warning = conditionMessage), "")
    namespace <- asNamespace("statcl")
    unlockBinding("progress_show", namespace)
    assign("progress_show", hook, namespace)
    for (again in 1:100) if (is.null(said)) value <- qstable(rep(p, again), 1.37, 0.2)
    list(said = said, same = identical(value, rep(expected, length(value) / 1e6)), used = useDevice())
  }, c(one_core, STATCL_CPU = "baseline"))
  expect_match(r$said, "called while another computation is running")
  expect_true(r$same)
  expect_identical(r$used, "cpu")
})

test_that("points much harder than those before them do not hold an interrupt up", {
  skip_if_quick()
  on_each_backend({
    r <- interrupt_late(device, {
      easy <- rep(seq(-8, 8, length.out = 1e4), 400)
      hard <- seq(-9, -4, length.out = 5e5)
      invisible(dstable(easy, 2, 0))
    }, repeat dstable(hard, 1.7, 1))
    expect_identical(r$how, "interrupted")
    expect_lt(r$took, answer_within)
  })
})

test_that("a computation of many short tasks can be interrupted", {
  r <- interrupt_late("cpu", {
    set.seed(1)
    y <- rep(rstable(1e5, 1.5, 0.5), 20)
  }, repeat stableFit(y))
  expect_identical(r$how, "interrupted")
  expect_lt(r$took, answer_within)
})

test_that("estimates of many series can be interrupted", {
  skip_if_quick()
  r <- interrupt_late("cpu", {
    set.seed(1)
    y <- matrix(rnorm(250 * 4e3), 250, 4e5)
  }, repeat stableFit(y, method = "koutrouvelis"))
  expect_identical(r$how, "interrupted")
  expect_lt(r$took, answer_within)
})

test_that("the estimate of a long series can be interrupted", {
  skip_if_quick()
  r <- interrupt_late("cpu", {
    set.seed(1)
    y <- rep(rstable(1e5, 1.6, 0.3), 100)
  }, repeat stableFit(y, method = "logmoment"), dstable(1, 1.5, 0))
  expect_identical(r$how, "interrupted")
  expect_lt(r$took, answer_within)
  expect_identical(r$then, withDevice("cpu", dstable(1, 1.5, 0)))
})

test_that("choices that options do not have are named with the option, the value and what there is", {
  calls <- list(statcl.precision = quote(dstable(1, 1.5, 0)), statcl.stable.route = quote(pstable(1, 1.5, 0)),
                statcl.covariance.route = quote(matern(1, range = 1, smoothness = 0.7)),
                statcl.covariance.route = quote(besselKgpu(1, 0.7)),
                statcl.covariance.route = quote(covariance(covModel("sinc", range = 1), cbind(1:3, 1))),
                statcl.blas = quote(gpLoglik(covModel("gaussian", range = 1), cbind(1:3, 1), 1:3)),
                statcl.translate = quote(integrategpu(dnorm, 0, 1)))
  for (k in seq_along(calls)) for (value in list("tables", NA_character_, 1, c("direct", "table"), quote(x))) {
    name <- names(calls)[k]
    old <- options(stats::setNames(list(value), name))
    e <- tryCatch(eval(calls[[k]]), error = identity)
    options(old)
    expect_s3_class(e, "statcl_error_input")
    expect_match(conditionMessage(e), sprintf("options(%s = %s) must be one of \"", name, deparse(value)),
                 fixed = TRUE)
    expect_no_error(eval(calls[[k]]))
  }
})

test_that("senseless options and variables are named", {
  for (threads in list("a", NA, 0, 1:2)) {
    old <- options(statcl.threads = threads)
    e <- tryCatch(dstable(1, 1.5, 0), statcl_error_input = identity)
    options(old)
    expect_s3_class(e, "statcl_error_input")
    expect_match(conditionMessage(e), paste0("options(statcl.threads = ", deparse(threads), ")"), fixed = TRUE)
  }
  r <- in_new_R({
    options(statcl.device = 3)
    library(statcl)
    list(error = tell(dstable(1, 1.5, 0)), trouble = clSitrep()$trouble)
  }, c(STATCL_CPU = "sse9"), attach = FALSE)
  expect_identical(r$error$class[1], "statcl_error_input")
  expect_match(r$error$message, "options(statcl.device = 3)", fixed = TRUE)
  expect_true(any(grepl("STATCL_CPU=sse9", r$trouble, fixed = TRUE)))
})

test_that("other jumps out of R's event loop unwind as well", {
  on_each_backend({
    expected <- density()
    long <- rep(x, 400)
    expect_error({
      setTimeLimit(elapsed = 0.2, transient = TRUE)
      on.exit(setTimeLimit())
      repeat dstable(long, 1.5, 0.4)
    }, "time limit")
    setTimeLimit()
    expect_identical(density(), expected)
  })
})

test_that("progress is shown under the function's name, and a call from inside it is refused", {
  skip_if_quick()
  r <- in_new_R({
    useDevice("cpu")
    seen <- list()
    show <- function(name, fraction) {
      seen[[length(seen) + 1]] <<- list(name, fraction)
      if (length(seen) == 3) dstable(1, 1.5, 0)
    }
    utils::assignInNamespace("progress_show", show, "statcl")
    n <- 2e6
    while (length(seen) < 3) {
      error <- tell(dstable(seq(-8, 8, length.out = n), 1.5, 0.4))
      n <- 2 * n
    }
    list(seen = seen, error = error, same = identical(dstable(.(x), .(alpha), 0.4), .(withDevice("cpu", density()))))
  })
  expect_true(all(vapply(r$seen, function(s) s[[1]] == "dstable" && s[[2]] > 0 && s[[2]] < 1, NA)))
  expect_identical(r$error$class[1], "statcl_error_input")
  expect_match(r$error$message, "while another computation is running")
  expect_true(r$same)
})

test_that("the package unloads, and loads again", {
  r <- in_new_R({
    useDevice(.(test_devices()))
    before <- dstable(.(x), .(alpha), 0.4)
    options(statcl.threads = 3)
    withDevice("cpu", dstable(seq(-5, 5, length.out = 2e4), seq(0.5, 1.9, length.out = 2e4), 0))
    unloadNamespace("statcl") # from under its workers, unless these are ended
    Sys.sleep(0.1)
    loaded <- any(grepl("statcl", names(getLoadedDLLs())))
    library(statcl)
    list(loaded = loaded, before = before, after = withDevice("cpu", dstable(.(x), .(alpha), 0.4)))
  })
  expect_false(r$loaded)
  expect_true(agree(r$after, r$before))
})

test_that("loading opens nothing unless a GPU is known", {
  skip_on_os(c("windows", "mac"))
  open <- function(...) {
    in_new_R(list(open = any(grepl("libOpenCL", readLines("/proc/self/maps"))),
                  value = dstable(.(x), .(alpha), 0.4)),
             c(R_USER_CACHE_DIR = new_cache(), "_R_CHECK_PACKAGE_NAME_" = "", ...))
  }
  expect_false(open()$open)
  expect_false(open(R_PACKAGE_NAME = "statcl")$open)
  expect_true(agree(open(STATCL_OPENCL = "off")$value, withDevice("cpu", density())))
})

test_that("without a loader, a driver, or with one that is none, there is the built-in backend", {
  without <- function(..., opencl = "") { # the tests may run with it off
    in_new_R({
      list(value = dstable(.(x), .(alpha), 0.4), names = clDevices()$name, error = tell(useDevice("gpu:0")),
           report = capture.output(clSitrep()), used = useDevice())
    }, c(R_USER_CACHE_DIR = new_cache(), "_R_CHECK_PACKAGE_NAME_" = "", STATCL_OPENCL = opencl, ...))
  }
  expected <- withDevice("cpu", density())
  check <- function(r, message) {
    expect_identical(r$value, expected)
    expect_identical(r$names, "cpu")
    expect_identical(r$used, "cpu")
    expect_identical(r$error$class[1], "statcl_error_device")
    expect_match(r$error$message, message)
    expect_true(any(grepl(message, r$report)))
  }
  check(without(opencl = "off"), "switched off")
  check(without(STATCL_OPENCL_LIBRARY = file.path(tempdir(), "none.so")), "no OpenCL library.*none")
  skip_on_os("windows")
  skip_on_cran()
  empty <- compile_stub("empty.c")
  skip_if(is.na(empty), "no C compiler")
  check(without(STATCL_OPENCL_LIBRARY = empty), "has no clGetPlatformIDs")
  skip_if(!length(opencl_devices()) || Sys.info()[["sysname"]] != "Linux", "no OpenCL loader")
  check(without(OCL_ICD_VENDORS = new_cache()), "no OpenCL driver")
  garbage <- tempfile(fileext = ".icd")
  writeLines("/nowhere/libgarbage.so", garbage)
  check(without(OCL_ICD_VENDORS = garbage, OCL_ICD_FILENAMES = "/nowhere/libgarbage.so"), "no OpenCL driver")
  folder <- new_cache()
  dir.create(file.path(folder, "folder.icd"))
  writeBin(as.raw(c(0xff, 0xfe, 0x0a)), file.path(folder, "garbage.icd"))
  check(without(OCL_ICD_VENDORS = folder), "no OpenCL driver")
  for (vendors in c(folder, new_cache()))
    expect_type(in_new_R(statcl:::driver_stamp(), c(OCL_ICD_VENDORS = vendors)), "character")
})

test_that("a loader that fails to list platforms is reported", {
  r <- in_new_R(list(names = clDevices()$name, trouble = clSitrep()$trouble, error = tell(useDevice("gpu:0"))),
                faulty(FAULTY_PLATFORMS = "-6"))
  expect_identical(r$names, "cpu")
  expect_match(r$trouble, "clGetPlatformIDs returned CL_OUT_OF_HOST_MEMORY")
  expect_match(r$error$message, "clGetPlatformIDs")
})

test_that("a GPU without fp64 is never the default, and refuses work in double precision", {
  r <- in_new_R({
    list(value = dstable(.(x), .(alpha), 0.4), used = useDevice(), devices = clDevices(),
         error = tell(withDevice("gpu:0", dstable(1, 1.5, 0))),
         both = tell(withDevice(c("cpu", "gpu:0"), dstable(1, 1.5, 0))))
  }, faulty(FAULTY_GPU = "1", FAULTY_NO_FP64 = "1"))
  expect_identical(r$used, "cpu")
  expect_identical(r$value, withDevice("cpu", density()))
  expect_identical(r$devices$name, c("cpu", "gpu:0"))
  expect_identical(r$devices$fp64, c(TRUE, FALSE))
  expect_identical(r$error$class[1], "statcl_error_device")
  expect_match(r$error$message, "gpu:0 .* no double precision .*dstable")
  expect_identical(r$both, r$error)
})

test_that("a GPU without fp64 works in single precision", {
  r <- in_new_R({
    x <- seq(0, 8, length.out = 2001)
    places <- cbind(x, rev(x))[1:300, ]
    value <- function() list(matern(x, range = 1, smoothness = 1.3), matern(x, range = 1, smoothness = 1.5),
                             matern(places, range = 1, smoothness = 0.8), matern(x, range = 1, smoothness = 90))
    list(gpu = withDevice("gpu:0", tell(withPrecision("single", value()))),
         cpu = withDevice("cpu", withPrecision("single", value())))
  }, faulty(FAULTY_GPU = "1", FAULTY_NO_FP64 = "1"))
  expect_equal(r$gpu, r$cpu, tolerance = 1e-6)
})

test_that("a GPU is found by the first computation and opened by the next load", {
  skip_if_quick()
  cache <- new_cache()
  log <- tempfile()
  claim <- file.path(cache, "R", "statcl", "building")
  session <- function(...) {
    unlink(log)
    in_new_R({
      message <- character()
      withCallingHandlers(library(statcl), packageStartupMessage = function(m) {
        message <<- c(message, conditionMessage(m))
        invokeRestart("muffleMessage")
      })
      at_load <- file.exists(.(log))
      if (!is.null(statcl:::session$building)) .(wait_for)(.(claim))
      list(message = message, at_load = at_load, value = dpoisgpu(0:99, 2.5), used = useDevice(),
           why = clSitrep()$why)
    }, faulty(FAULTY_GPU = "1", FAULTY_LOG = log, built_in_full("poisson_cdf"), ..., cache = cache), attach = FALSE)
  }
  first <- session()
  expect_false(first$at_load)
  expect_identical(first$used, "gpu:0")
  on_cpu <- withDevice("cpu", dpoisgpu(0:99, 2.5))
  expect_true(agree(first$value, on_cpu))
  expect_true("S" %in% letters_in(log))

  second <- session(c(STATCL_COMPILE = ""))
  expect_true(second$at_load)
  expect_identical(second$message, character())
  expect_identical(second$used, "gpu:0")
  expect_identical(second$value, first$value)

  wait_until(function() !dir.exists(claim))
  third <- session()
  expect_identical(setdiff(letters_in(log), "T"), "B")

  for (quiet in list(c(STATCL_OPENCL = "lazy"), c(R_PACKAGE_NAME = "statcl"))) {
    r <- session(quiet)
    expect_false(r$at_load)
    expect_identical(r$used, "gpu:0")
  }
  r <- session(c(STATCL_DEVICE = "cpu"))
  expect_false(r$at_load)
  expect_identical(r$used, "cpu")

  broken <- session(c(STATCL_COMPILE = "", FAULTY_BUILD = "1"))
  expect_identical(broken$used, "cpu")
  expect_match(broken$message, "statcl computes on the CPU: .* gpu:0 .*CL_BUILD_PROGRAM_FAILURE")
  expect_identical(broken$value, on_cpu)
})

test_that("option and environment variable choose the devices", {
  device <- faulty_loader() # skips without OpenCL
  used <- function(..., option = NULL) {
    in_new_R({
      options(statcl.device = .(option))
      library(statcl)
      list(used = useDevice(), error = tell(dstable(1, 1.5, 0)))
    }, c(R_USER_CACHE_DIR = new_cache(), ...), attach = FALSE)
  }
  expect_identical(used(STATCL_DEVICE = "cpu, ocl-cpu:0")$used, c("cpu", "ocl-cpu:0"))
  expect_identical(used(STATCL_DEVICE = "cpu", option = "ocl-cpu:0")$used, "ocl-cpu:0")
  wrong <- in_new_R(tell(dstable(1, 1.5, 0)), c(STATCL_DEVICE = "gpu:55"))
  expect_identical(wrong$class[1], "statcl_error_device")
  expect_match(wrong$message, "gpu:55")
})

test_that("the device gpu is the best GPU, and an error that names who asked for it where there is none", {
  r <- in_new_R({
    library(statcl)
    list(value = dpoisgpu(0:99, 2.5), used = useDevice(), why = clSitrep()$why,
         chosen = withDevice("gpu", useDevice()))
  }, faulty(FAULTY_GPU = "1", STATCL_DEVICE = "gpu"), attach = FALSE)
  expect_identical(r$used, "gpu:0")
  expect_identical(r$why, "STATCL_DEVICE")
  expect_identical(r$chosen, "gpu:0")
  expect_true(agree(r$value, withDevice("cpu", dpoisgpu(0:99, 2.5))))
  single <- in_new_R(withDevice("gpu", useDevice()), faulty(FAULTY_GPU = "1", FAULTY_NO_FP64 = "1"))
  expect_identical(single, "gpu:0")
  r <- in_new_R({
    library(statcl)
    error <- tell(dstable(1, 1.5, 0))
    list(error = error, report = capture.output(print(clSitrep())), own = tell(useDevice("gpu")))
  }, c(STATCL_DEVICE = "gpu", STATCL_OPENCL = "lazy"), attach = FALSE)
  expect_identical(r$error$class[1], "statcl_error_device")
  expect_match(r$error$message, "no GPU for \"gpu\".*; STATCL_DEVICE asks for gpu$")
  expect_match(r$report, "^default +gpu \\(STATCL_DEVICE\\)", all = FALSE)
  expect_match(r$report, "STATCL_DEVICE asks for the device gpu: there is no GPU", all = FALSE)
  expect_match(r$own$message, "^there is no GPU for \"gpu\", which stands for the best one \\(devices: cpu")
  expect_no_match(r$own$message, "STATCL_DEVICE")
})

test_that("a program that does not build gives the driver's log", {
  r <- in_new_R({
    useDevice("ocl-cpu:0")
    list(error = tell(dstable(1, 1.5, 0)), cpu = withDevice("cpu", dstable(1, 1.5, 0)))
  }, faulty(FAULTY_BUILD = "1"))
  expect_identical(r$error$class[1:2], c("statcl_error_build", "statcl_error"))
  for (word in c("stable", "ocl-cpu:0", "clBuildProgram", "CL_BUILD_PROGRAM_FAILURE", "the faulty compiler"))
    expect_match(r$error$message, word, fixed = TRUE)
  expect_identical(r$cpu, dstable(1, 1.5, 0))
})

test_that("short memory makes smaller chunks, early or late, and the same bits", {
  skip_if_quick()
  log <- tempfile()
  run <- function(...) {
    in_new_R({
      useDevice("ocl-cpu:0")
      x <- rep(.(x), 20)
      tell(dstable(x, 1.5, 0.4))
    }, faulty(FAULTY_LOG = log, ...))
  }
  expected <- run()
  expect_type(expected, "double")
  expect_false("A" %in% letters_in(log))
  expect_identical(run(FAULTY_ALLOC = "400000"), expected)
  expect_true("A" %in% letters_in(log))
  expect_identical(run(FAULTY_ITEMS = "1000"), expected)
  expect_identical(run(FAULTY_EVENT = "1", FAULTY_CODE = "-5"), expected)
  expect_identical(run(FAULTY_LAUNCH = "3", FAULTY_CODE = "-4"), expected)
  out <- run(FAULTY_ALLOC = "2000")
  expect_identical(out$class[1], "statcl_error_memory")
  expect_match(out$message, "ocl-cpu:0 .* out of memory: clCreateBuffer returned CL_MEM_OBJECT_ALLOCATION_FAILURE")
})

test_that("where the memory of a device is short for a factor the CPU makes it", {
  skip_if_quick()
  log <- tempfile()
  run <- function(...) {
    in_new_R({
      model <- covModel("exponential", range = 0.2)
      at <- cbind(1:300 / 300, cospi(1:300 / 7))
      expected <- gpLoglik(model, at, at[, 2], gradient = TRUE)
      p <- withDevice("ocl-cpu:0", clProfile(tell(gpLoglik(model, at, at[, 2], gradient = TRUE))))
      list(value = attr(p, "value"), expected = expected, launched = grep("^dense", p$command, value = TRUE),
           error = clSitrep()$last_error)
    }, faulty(FAULTY_LOG = log, ...))
  }
  r <- run()
  expect_equal(r$value, r$expected, tolerance = 1e-11)
  expect_true(all(c("dense_factor", "dense_solve_tile", "dense_inverse_behind", "dense_product") %in% r$launched))
  expect_false("A" %in% letters_in(log))
  r <- run(FAULTY_ALLOC = "400000") # less than 15 tiles
  expect_identical(r$value, r$expected)
  expect_length(r$launched, 0)
  expect_true("A" %in% letters_in(log))
  expect_match(r$error, "ocl-cpu:0 .* out of memory")
  r <- run(FAULTY_ITEMS = "900") # fewer than four groups
  expect_identical(r$value, r$expected)
  expect_setequal(r$launched, c("dense_factor", "dense_solve_tile"))
})

# A chunk of tiles has 4096 entries at least, for which 100000 bytes are too few however often they are asked for.
test_that("a chunk that cannot be divided and has no room is an error, and the loop ends", {
  skip_if_quick()
  r <- in_new_R({
    useDevice("ocl-cpu:0")
    at <- cbind(1:300 / 300, cospi(1:300 / 7))
    tell(gpLoglik(covModel("matern", range = 0.2, smoothness = 1.1, nugget = 0.1), at, at[, 2], X = cbind(1, at),
                  information = "average"))
  }, faulty(FAULTY_ALLOC = "100000"), timeout = 300)
  expect_identical(r$class[1], "statcl_error_memory")
  expect_match(r$message, "ocl-cpu:0 .* out of memory")
})

test_that("a device keeps the matrix that it has worked on, until memory is short", {
  sent <- in_new_R({
    faulty <- dyn.load(.(faulty_loader()))
    useDevice("ocl-cpu:0")
    factor <- cospi(seq_len(3 * 64^2) / 7)
    times_b <- function() .Call(statcl:::C_gpMultiply, factor, cbind(1:70, 1))
    sent <- function(...) {
      p <- clProfile(list(...))
      sum(p$points[p$command == "to device"])
    }
    twice <- sent(times_b(), times_b())
    .C(faulty$faulty_next, "clCreateBuffer", 1L, -4L, 0L)
    c(twice, sent(times_b(), dpoisgpu(1:9, 3), times_b()))
  }, faulty())
  expect_equal(sent[1], 3 * 64^2 + 2 * 140)
  expect_gte(sent[2], 3 * 64^2)
})

test_that("a lost device is an error that says so, and comes back", {
  for (fault in list(c(FAULTY_LAUNCH = "4", FAULTY_CODE = "-2"), c(FAULTY_EVENT = "1", FAULTY_CODE = "-36"))) {
    r <- in_new_R({
      useDevice("ocl-cpu:0")
      before <- withDevice("cpu", dstable(.(x), .(alpha), 0.4))
      list(error = tell(dstable(.(x), .(alpha), 0.4)), before = before, after = dstable(.(x), .(alpha), 0.4))
    }, do.call(faulty, as.list(fault)))
    expect_identical(r$error$class[1], "statcl_error_device")
    expect_match(r$error$message, "ocl-cpu:0 .* was lost: .*useDevice\\(\"cpu\"\\)")
    expect_true(agree(r$after, r$before))
  }
})

# What a call gives where the first OpenCL call of a name fails, as all do from there on until another context is
# made; and what the next gives.
calls_after <- function(call, code, then) {
  then <- substitute(then)
  in_new_R({
    faulty <- dyn.load(.(faulty_loader()))
    useDevice("ocl-cpu:0")
    expected <- withDevice("cpu", besselKgpu(1, 0.3))
    dpoisgpu(2, 3) # a device that has worked
    .C(faulty$faulty_next, .(call), 1L, .(as.integer(code)), 2L)
    first <- tell(.(then))
    list(first = first, value = tell(besselKgpu(1, 0.3)), expected = expected)
  }, faulty())
}

test_that("a context that is dead is not used again, wherever the first call fails", {
  skip_if_quick()
  for (call in c("clCreateProgramWithSource", "clBuildProgram", "clCreateKernel", "clEnqueueNDRangeKernel")) {
    r <- calls_after(call, -34, besselKgpu(1, 0.3))
    expect_identical(r$first$class[1], "statcl_error_device", label = call)
    expect_match(r$first$message, "ocl-cpu:0 .* was lost")
    expect_equal(r$value, r$expected, tolerance = 1e-12, label = call)
  }
  r <- calls_after("clCreateProgramWithSource", -34, clWarm())
  expect_match(r$first$message, "ocl-cpu:0 .* was lost")
  expect_equal(r$value, r$expected, tolerance = 1e-12)
})

test_that("memory errors that never end in a context end with it", {
  skip_if_quick()
  codes <- -4:-6
  calls <- c("clEnqueueReadBuffer", "clCreateProgramWithSource")
  for (code in codes) for (call in every_nth(calls, 2, code %% 2 + 1)) {
    r <- calls_after(call, code, besselKgpu(1, 0.3))
    expect_identical(r$first$class[1], "statcl_error_memory", label = call)
    expect_equal(r$value, r$expected, tolerance = 1e-12, label = call)
  }
})

test_that("of several devices one that is out of memory from the start is replaced by the others", {
  r <- in_new_R({
    faulty <- dyn.load(.(faulty_loader()))
    useDevice(c("ocl-cpu:0", "cpu"))
    .C(faulty$faulty_next, "clCreateContext", 1L, -6L, 1L)
    list(value = tell(dstable(.(x), .(alpha), 0.4)), last = clSitrep()$last_error)
  }, faulty())
  expect_identical(r$value, withDevice("cpu", density()))
  expect_match(r$last, "ocl-cpu:0 .* out of memory: clCreateContext")
})

test_that("what a driver fails to tell once is asked again, and no list is kept of it", {
  cache <- new_cache()
  r <- in_new_R({
    faulty <- dyn.load(.(faulty_loader()))
    .C(faulty$faulty_next, "clGetDeviceIDs", 1L, -6L, 0L)
    list(first = useDevice(), kept = list.files(.(cache), "rds$", recursive = TRUE), second = clDevices()$name,
         after = list.files(.(cache), "rds$", recursive = TRUE))
  }, faulty(cache = cache))
  expect_identical(r$first, "cpu")
  expect_length(r$kept, 0)
  expect_identical(r$second, c("cpu", "ocl-cpu:0"))
  expect_length(r$after, 1)
})

test_that("of several devices a lost one is replaced by the others", {
  for (fault in list(c(FAULTY_LAUNCH = "4", FAULTY_CODE = "-2"), c(FAULTY_LAUNCH = "4", FAULTY_CODE = "-36"),
                     c(FAULTY_EVENT = "1", FAULTY_CODE = "-36"))) {
    r <- in_new_R({
      useDevice(c("ocl-cpu:0", "cpu"))
      y <- rep(.(x), 20)
      list(value = tell(dstable(y, 1.5, 0.4)), expected = withDevice("cpu", dstable(y, 1.5, 0.4)),
           last = clSitrep()$last_error)
    }, do.call(faulty, as.list(fault)))
    expect_true(is.numeric(r$value) && agree(r$value, r$expected))
    expect_match(r$last, "ocl-cpu:0")
  }
})

test_that("all programs are built beforehand, and the cache is emptied", {
  skip_if_quick()
  skip_if(!length(opencl_devices()), "no OpenCL device")
  cache <- new_cache()
  log <- tempfile()
  r <- in_new_R({
    seen <- list()
    options(cli.progress_show_after = 0)
    utils::assignInNamespace("progress_show", function(name, fraction)
      seen[[length(seen) + 1]] <<- list(name, fraction, .Call(statcl:::C_cl_building)), "statcl")
    used <- withDevice("ocl-cpu:0", clWarm())
    shown <- seen # later calls may show progress, too, on a busy machine
    built <- file.size(.(log))
    value <- withDevice("ocl-cpu:0", c(if (.(every_test())) dstable(1, 1.5, 0), besselKgpu(1, 2), ppoisgpu(1, 2)))
    clDevices() # keeps the list
    message <- tell(clCacheClear())
    list(used = used, seen = shown, built = built, after = file.size(.(log)), value = value,
         message = message$message, again = suppressMessages(clCacheClear()), left = clSitrep()$entries,
         single = tell(withDevice("ocl-cpu:0", withPrecision("single", clWarm()))))
  }, faulty(FAULTY_LOG = log, cache = cache, built_in_full("bessel", "covariance", "poisson_cdf")))
  expect_identical(r$used, "ocl-cpu:0")
  expect_identical(r$single, "ocl-cpu:0")
  expect_true(all(vapply(r$seen, function(s) s[[1]] == "clWarm" && s[[2]] >= 0 && s[[2]] <= 1, NA)))
  expect_identical(r$after, r$built) # the calls built nothing
  expect_true(agree(r$value, c(if (every_test()) dstable(1, 1.5, 0), besselKgpu(1, 2), ppoisgpu(1, 2))))
  map <- readLines(system.file("kernels", "common", "map.def", package = "statcl"))
  lines <- grep("^(KERNEL|EITHER|GROUP)_LINE", map, value = TRUE)
  programs <- unique(sub("^[A-Z]+_LINE\\([a-z]+, ([a-z0-9_]+),.*", "\\1", lines))
  expect_match(r$message, sprintf("removed %d programs and the list of devices", length(programs)))
  counts <- vapply(r$seen, function(s) s[[3]], integer(2))
  expect_setequal(counts[2, ], length(programs))
  expect_false(is.unsorted(counts[1, ]))
  expect_gt(length(unique(counts[1, ])), 2)
  expect_length(r$again, 0)
  expect_identical(r$left, 0L)
  expect_identical(withDevice("cpu", clWarm()), "cpu")
})

test_that("options(statcl.compile = \"load\") builds the programs when the package is loaded", {
  skip_if_quick()
  skip_if(!length(opencl_devices()), "no OpenCL device")
  log <- tempfile()
  at_load <- function(compile, device = NULL, ..., threads = NULL) {
    unlink(log)
    in_new_R({
      options(statcl.compile = .(compile), statcl.device = .(device), statcl.threads = .(threads))
      suppressPackageStartupMessages(library(statcl))
      list(built = file.exists(.(log)) && file.size(.(log)) > 0, used = tell(useDevice()),
           trouble = clSitrep()$trouble)
    }, faulty(FAULTY_LOG = log, built_in_full("none"), ...), attach = FALSE)
  }
  expect_false(at_load(NULL, "ocl-cpu:0")$built)
  expect_true(at_load("load", "ocl-cpu:0")$built)
  expect_false(at_load("load", "cpu")$built)
  expect_false(at_load("load", "ocl-cpu:0", STATCL_OPENCL = "lazy")$built)
  found <- at_load("load", FAULTY_GPU = "1")
  expect_true(found$built)
  expect_identical(found$used, "gpu:0")
  senseless <- at_load("load", FAULTY_GPU = "1", threads = "a")
  expect_match(senseless$used$message, "statcl.threads") # the device is left to a call with sensible options
  expect_true(any(grepl("statcl.threads", senseless$trouble)))
  broken <- at_load("load", FAULTY_GPU = "1", FAULTY_BUILD = "1")
  expect_identical(broken$used, "cpu")
  expect_true(any(grepl("CL_BUILD_PROGRAM_FAILURE", broken$trouble)))
})

test_that("programs are built side by side, but by the main thread where computations have one", {
  skip_if_quick()
  log <- tempfile()
  run <- function(threads, ...) {
    unlink(log)
    error <- in_new_R(tell(withDevice("ocl-cpu:0", clWarm())),
                      faulty(FAULTY_LOG = log, FAULTY_BUILD = "1", STATCL_THREADS = threads, ...))
    expect_identical(error$class[1], "statcl_error_build")
    letters_in(log)
  }
  many <- run("2", FAULTY_MEET = "1")
  expect_true("M" %in% many)
  one <- run("1")
  expect_false("T" %in% one)
  expect_identical(sum(many == "S"), sum(one == "S")) # all are tried, whichever fails
})

test_that("programs for a GPU are built in the background, which ends with the session", {
  skip_if_quick()
  cache <- new_cache()
  hold <- tempfile()
  claim <- file.path(cache, "R", "statcl", "building")
  built <- function() list.files(cache, "[.]bin$", recursive = TRUE)
  # What happens while the driver is compiling: the session has begun, works, and ends.
  run <- function(code, ...) in_new_R({
    useDevice("gpu:0")
    sign <- statcl:::session$building
    .(wait_for)(.(claim))
    list(begun = dir.exists(.(claim)), sign = sign, code = .(substitute(code)), left = file.exists(sign))
  }, faulty(FAULTY_GPU = "1", FAULTY_HOLD = hold, cache = cache, STATCL_COMPILE = "", STATCL_THREADS = "2", ...))
  for (code in alist(
    NULL, # R ends
    useDevice("cpu"),
    unloadNamespace("statcl"),
    parallel::mclapply(1:2, function(i) useDevice(c("cpu", "gpu:0")[i])), # forked processes leave it alone
    withDevice("cpu", dpoisgpu(3, 2.5)) # and so does what is for one expression
  )) {
    file.create(hold)
    r <- eval(bquote(run(.(code))))
    expect_true(r$begun)
    expect_identical(r$left, !as.character(code)[1] %in% c("useDevice", "unloadNamespace"))
    wait_until(function() !dir.exists(claim))
    expect_length(built(), 0)
    expect_false(file.exists(r$sign))
  }
  # without a hold, it builds
  unlink(hold)
  kept <- in_new_R({
    useDevice("gpu:0")
    .(wait_for)(.(file.path(cache, "R", "statcl", "*.bin")))
    list.files(.(file.path(cache, "R", "statcl")), "[.]bin$")
  }, faulty(FAULTY_GPU = "1", cache = cache, STATCL_COMPILE = "", built_in_full("none")))
  expect_gt(length(kept), 0)
  wait_until(function() !dir.exists(claim))
})

test_that("no process builds for devices that are no GPUs, nor where it is not wanted", {
  skip_if_quick()
  begun <- function(code, ...) in_new_R({
    .(substitute(code))
    !is.null(statcl:::session$building)
  }, faulty(STATCL_COMPILE = "", FAULTY_BUILD = "2", ..., cache = new_cache()))
  expect_true(begun(useDevice("gpu:0"), FAULTY_GPU = "1"))
  expect_false(begun(useDevice("ocl-cpu:0")))
  expect_false(begun(withDevice("gpu:0", useDevice()), FAULTY_GPU = "1"))
  expect_false(begun(useDevice("gpu:0"), FAULTY_GPU = "1", STATCL_COMPILE = "use"))
  expect_false(begun(parallel::mclapply(1:2, function(i) useDevice("gpu:0")), FAULTY_GPU = "1")) # in forked ones
  expect_false(begun(useDevice("gpu:0"), FAULTY_GPU = "1", "_R_CHECK_PACKAGE_NAME_" = "statcl"))
})

test_that("the claim of a process that is no more is taken over, that of one that builds is not", {
  skip_on_os("windows")
  taken <- in_new_R({
    dir.create(statcl:::building_claim(), recursive = TRUE)
    writeLines("99999999", file.path(statcl:::building_claim(), "pid")) # more than there are
    c(statcl:::claim_building(), statcl:::claim_building())
  }, c(R_USER_CACHE_DIR = new_cache()))
  expect_identical(taken, c(TRUE, FALSE))
})

test_that("what fails in the background is told by the call that needs it, and by the next session", {
  skip_if_quick()
  cache <- new_cache()
  claim <- file.path(cache, "R", "statcl", "building")
  env <- faulty(FAULTY_GPU = "1", FAULTY_BUILD = "2", cache = cache, STATCL_COMPILE = "")
  first <- in_new_R({
    first <- tell(dpoisgpu(3, 2.5))
    .(wait_for)(statcl:::builds_file())
    list(first = first, again = tell(dpoisgpu(3, 2.5)), used = useDevice())
  }, env)
  for (error in first[1:2]) {
    expect_identical(error$class[1], "statcl_error_build")
    expect_match(error$message, "program poisson.* does not build on device gpu:0 .*CL_BUILD_PROGRAM_FAILURE")
  }
  expect_identical(first$used, "gpu:0")
  wait_until(function() !dir.exists(claim))
  later <- function(...) in_new_R({
    said <- tell(library(statcl))
    suppressPackageStartupMessages(library(statcl))
    list(said = said, used = useDevice(), value = tell(dpoisgpu(3, 2.5)))
  }, c(env, ...), attach = FALSE)
  default <- later()
  expect_match(default$said$message, "statcl computes on the CPU: program .* does not build on device gpu:0")
  expect_identical(default$used, "cpu")
  expect_identical(default$value, dpoisgpu(3, 2.5))
  chosen <- later(STATCL_DEVICE = "gpu:0")
  expect_match(chosen$said$message, "statcl: program .* does not build on device gpu:0")
  expect_identical(chosen$used, "gpu:0")
  expect_identical(chosen$value$class[1], "statcl_error_build")
  expect_true("builds.rds" %in% in_new_R(suppressMessages(clCacheClear()), env))
  expect_identical(later()$used, "gpu:0") # nothing is known of it any more
})

test_that("built programs are kept, and a damaged entry is built again", {
  skip_if_quick()
  cache <- new_cache()
  log <- tempfile()
  run <- function(...) {
    unlink(log)
    list(value = in_new_R(withDevice("ocl-cpu:0", dpoisgpu(0:99, 2.5)), faulty(FAULTY_LOG = log, cache = cache, ...)),
         log = letters_in(log))
  }
  entries <- function() list.files(cache, "[.]bin$", recursive = TRUE, full.names = TRUE)
  first <- run()
  expect_identical(setdiff(first$log, "T"), "S")
  expect_gt(length(entries()), 0)
  expect_identical(setdiff(run()$log, "T"), "B")
  expect_true("S" %in% run(FAULTY_BINARY = "1")$log)
  damage <- list(function(file) writeBin(raw(0), file),
                 function(file) writeBin(readBin(file, "raw", 200), file),
                 function(file) {
                   bytes <- readBin(file, "raw", file.size(file))
                   bytes[length(bytes) %/% 2] <- xor(bytes[length(bytes) %/% 2], as.raw(1))
                   writeBin(bytes, file)
                 })
  for (hurt in damage) {
    for (file in entries()) hurt(file)
    again <- run()
    expect_identical(setdiff(again$log, "T"), "S")
    expect_identical(again$value, first$value)
    expect_identical(setdiff(run()$log, "T"), "B")
  }
  expect_length(list.files(cache, "[.]tmp$", recursive = TRUE), 0)
})

test_that("the cache is read only where nobody else can have written", {
  skip_if_quick()
  cache <- new_cache()
  log <- tempfile()
  run <- function() {
    unlink(log)
    r <- in_new_R({
      old <- Sys.umask("000")
      list(value = withDevice("ocl-cpu:0", dpoisgpu(3, 2.5)), known = !is.null(statcl:::kept_list()),
           trouble = clSitrep()$trouble)
    }, faulty(FAULTY_LOG = log, cache = cache))
    expect_identical(r$value, dpoisgpu(3, 2.5))
    c(r, list(built = "S" %in% letters_in(log)))
  }
  expect_true(run()$built)
  again <- run()
  expect_false(again$built)
  expect_true(again$known)
  folder <- file.path(cache, "R", "statcl")
  files <- list.files(folder, full.names = TRUE)
  expect_identical(as.character(file.mode(c(folder, files))), c("700", rep("600", length(files))))
  strangers <- c(function(path) Sys.chmod(path, "0666", FALSE), function(path) Sys.chmod(path, "0620", FALSE),
                 if (identical(Sys.info()[["effective_user"]], "root"))
                   function(path) system2("chown", c("12345", shQuote(path))))
  for (change in strangers) {
    for (file in files) change(file)
    r <- run()
    expect_true(r$built)
    expect_false(r$known)
    r <- run() # written anew
    expect_false(r$built)
    expect_true(r$known)
  }
  Sys.chmod(folder, "0777", FALSE)
  for (again in 1:2) {
    r <- run()
    expect_true(r$built)
    expect_false(r$known)
    expect_true(any(grepl("cache folder .* is not used", r$trouble)))
  }
})

test_that("files of drivers that cannot be opened, and unknown values of variables, are reported", {
  skip_if(Sys.info()[["sysname"]] != "Linux", "drivers are registered by files on Linux")
  folder <- new_cache()
  text <- file.path(folder, "text.so")
  writeLines("no library", text)
  file <- function(name, content) writeLines(content, file.path(folder, name))
  file("absent.icd", "/nowhere/libdriver.so")
  file("name.icd", "libnowhere-of-statcl.so.1")
  file("text.icd", text)
  file("empty.icd", character())
  writeBin(as.raw(c(0xff, 0xfe, 0x0a)), file.path(folder, "bytes.icd"))
  dir.create(file.path(folder, "folder.icd"))
  good <- list.files("/etc/OpenCL/vendors", "[.]icd$", full.names = TRUE)
  if (length(good)) file.copy(good[1], file.path(folder, "good.icd"))
  report <- function(...) in_new_R({
    said <- tell(library(statcl))
    suppressPackageStartupMessages(library(statcl))
    list(said = said, trouble = clSitrep()$trouble, again = clSitrep()$trouble, error = clSitrep()$last_error)
  }, c(OCL_ICD_VENDORS = folder, R_USER_CACHE_DIR = new_cache(), "_R_CHECK_PACKAGE_NAME_" = "", ...), attach = FALSE)
  r <- report(STATCL_OPENCL = "maybe", STATCL_PROBE = "off")
  about <- function(name) grep(name, r$trouble, value = TRUE, fixed = TRUE)
  expect_match(about("absent.icd"), "/nowhere/libdriver.so.*No such file")
  expect_match(about("name.icd"), "libnowhere-of-statcl.so.1")
  expect_match(about("text.icd"), "text.so")
  for (name in c("empty.icd", "bytes.icd")) expect_match(about(name), "does not name a library")
  expect_match(about("folder.icd"), "cannot be read")
  expect_length(about("good.icd"), 0)
  unknown <- "STATCL_OPENCL=maybe is ignored: it is none of off, lazy"
  expect_identical(about("STATCL_OPENCL"), unknown)
  expect_identical(r$said$class[1], "packageStartupMessage")
  expect_match(r$said$message, unknown)
  expect_identical(r$again, r$trouble)
  expect_false(grepl("nowhere", r$error))
  r <- report(STATCL_OPENCL = "off") # opens nothing
  expect_length(about("absent.icd"), 0)
  expect_match(about("empty.icd"), "does not name a library")
  expect_length(about("STATCL_OPENCL=off is ignored"), 0)
})

test_that("options and variables with unknown values are reported once", {
  report <- function(before = NULL, after = NULL, threads = "") in_new_R({
    said <- NULL
    withCallingHandlers({
      .(before)
      library(statcl)
      .(after)
      flags <- c(statcl:::is_verbose(), statcl:::is_verbose(), statcl:::option_flag("statcl.progress", TRUE))
    }, message = function(m) {
      said <<- c(said, trimws(conditionMessage(m)))
      invokeRestart("muffleMessage")
    })
    list(said = said, flags = flags, trouble = clSitrep()$trouble)
  }, c(STATCL_OPENCL = "off", STATCL_THREADS = threads, "_R_CHECK_PACKAGE_NAME_" = ""), attach = FALSE)
  wrong <- quote(options(statcl.cluster = 3, statcl.compile = "now", statcl.progress = "no", statcl.verbose = 1))
  expected <- c("STATCL_THREADS=-2 is ignored: it is no number of threads, at least 1",
                "options(statcl.cluster = 3) must be a cluster of package parallel",
                "options(statcl.compile = \"now\") must be one of \"load\", \"use\"",
                "options(statcl.progress = \"no\") must be TRUE or FALSE",
                "options(statcl.verbose = 1) must be TRUE or FALSE")
  r <- report(wrong, threads = "-2")
  expect_setequal(r$said, paste("statcl:", expected))
  expect_length(r$said, length(expected))
  expect_identical(r$flags, c(FALSE, FALSE, TRUE))
  expect_true(all(expected %in% r$trouble))
  r <- report(after = wrong)
  expect_identical(r$said, paste("statcl:", expected[5:4]))
  r <- report(quote(options(statcl.progress = FALSE, statcl.verbose = TRUE, statcl.compile = "load")), threads = " 2")
  expect_null(r$said)
  expect_identical(r$flags, c(TRUE, TRUE, FALSE))
})

test_that("a driver that ends the process is left out", {
  skip_if_quick()
  for (call in c("clGetPlatformIDs", "clBuildProgram")) {
    cache <- new_cache()
    run <- function(...) {
      in_new_R({
        devices <- clDevices()$name
        list(devices = devices, value = dpoisgpu(3, 2.5), report = capture.output(clSitrep()),
             error = tell(useDevice("ocl-cpu:0")), cleared = suppressMessages(clCacheClear()))
      }, faulty(cache = cache, FAULTY_DIES = call, STATCL_PROBE = "", ...))
    }
    r <- run()
    expect_identical(r$devices, "cpu")
    expect_identical(r$value, dpoisgpu(3, 2.5))
    expect_true(any(grepl("trouble .*OpenCL is left out: it ended a process", r$report)))
    expect_identical(r$error$class[1], "statcl_error_device")
    expect_match(r$error$message, "OpenCL is left out")
    expect_true("drivers.rds" %in% r$cleared)
  }
})

test_that("a driver that ends the process is told from one that does not, once", {
  skip_if_quick()
  faulty_loader() # skips without OpenCL
  dying <- compile_stub("dying.c")
  vendors <- new_cache()
  found <- list.files(Sys.getenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors"), "[.]icd$", full.names = TRUE)
  skip_if(!length(found), "no drivers in the usual place")
  file.copy(found, vendors)
  bad <- file.path(vendors, "0dying.icd")
  writeLines(dying, bad)
  cache <- new_cache()
  run <- function(...) {
    in_new_R({
      used <- tell(useDevice("ocl-cpu:0"))
      list(devices = clDevices()$name, value = dpoisgpu(3, 2.5), trouble = clSitrep()$trouble,
           vendors = Sys.getenv("OCL_ICD_VENDORS"))
    }, c(OCL_ICD_VENDORS = vendors, R_USER_CACHE_DIR = cache, "_R_CHECK_PACKAGE_NAME_" = "", ...))
  }
  first <- run()
  expect_true("ocl-cpu:0" %in% first$devices)
  expect_true(agree(first$value, dpoisgpu(3, 2.5)))
  expect_true(any(grepl("0dying.icd is left out", first$trouble)))
  expect_identical(first$vendors, vendors)
  file <- list.files(cache, "drivers[.]rds", recursive = TRUE, full.names = TRUE)
  time <- file.mtime(file)
  expect_identical(run(), first)
  expect_identical(file.mtime(file), time)
  # a driver that has changed is tried again
  writeLines(c(dying, ""), bad)
  expect_identical(run(), first)
  expect_gt(file.mtime(file), time)
  expect_error(in_new_R(clDevices()$name, c(OCL_ICD_VENDORS = vendors, STATCL_PROBE = "off")), "gave no value")
})

test_that("a likelihood stays on a device: what crosses the bus grows as the observations do", {
  skip_if(!length(opencl_devices()), "no OpenCL device")
  for (gpu in list(character(), c(FAULTY_GPU = "1", POCL_EXTRA_BUILD_FLAGS = ""))) {
    r <- in_new_R({
      n <- 600 # the matrix takes 1.8 MB, a vector 5 kB
      x <- cbind(1:n / n, cospi(1:n * 0.37))
      y <- cospi(x[, 1] * 5)
      models <- list(covModel("exponential", range = 0.2, nugget = 0.1),
                     covModel("matern", range = 0.2, smoothness = 0.8, nugget = 0.1, angle = 20, ratio = 0.5))
      value <- function(model, ...) gpLoglik(model, x, y, cbind(1, x[, 2]), gradient = TRUE, ...)
      bytes <- function(model, times, ...) {
        p <- clProfile(for (k in seq_len(times)) value(model, ...))
        sum(p$bytes[p$kind == "transfer"])
      }
      on_cpu <- withDevice("cpu", lapply(models, value, information = "average"))
      useDevice(clDevices()$name[2])
      there <- lapply(models, value, information = "average") # makes tables, too
      rough <- function(smoothness) covModel("matern", range = 0.2, smoothness = smoothness, nugget = 0.1)
      list(once = bytes(models[[1]], 1), rough = vapply(c(0.7, 0.75, 0.75), function(s) bytes(rough(s), 1), 0),
           again = vapply(models, bytes, 0, 3) / 3, on_cpu = on_cpu, there = there,
           informed = bytes(models[[1]], 3, information = "average") / 3)
    }, do.call(faulty, as.list(gpu)))
    # three right-hand sides there and back, the residuals, and their solution, which the weights find there; a third
    # of a table for another smoothness than before, 520 cells of 24 numbers at most, which goes there once, and none
    # of the values that it is made of
    expect_lt(r$again[1], 8 * 600 * 9)
    expect_lt(r$again[2], 8 * 600 * 9 + 1e5 / 3)
    expect_lt(r$rough[2], 8 * 600 * 9 + 1e5)
    expect_lt(r$rough[3], 8 * 600 * 9)
    expect_lt(r$once - r$again[1], 8 * 640 * 2 + 5000) # locations
    # and the solution once more, five products of derivatives with it, and of these solutions
    expect_lt(r$informed, 8 * 600 * (10 + 3 + 3 * 5))
    expect_equal(r$there, r$on_cpu, tolerance = 1e-10)
  }
})

# A fit to 600 locations, and 3000 more with their covariates: the matrix has 180000 numbers, covariances 1.8 million.
there_and_elsewhere <- quote({
  set.seed(45)
  x <- matrix(runif(1200), 600)
  data <- data.frame(y = cospi(x[, 1] * 5) + rnorm(600) / 9, u = x[, 2])
  fit <- gpFit(y ~ u, data, x, covModel("matern", range = 0.2, smoothness = 1.5, nugget = 0.1), fixed = TRUE)
  new <- data.frame(x = runif(3000), y = runif(3000), u = runif(3000))
  krige <- function(some = new) predict(fit, some, se.fit = TRUE)
  first <- function() as.matrix(krige(new[1:200, ]))
  draws <- list(krige = first, observed = function() as.matrix(simulate(fit, 4)),
                joint = function() as.matrix(simulate(fit, 4, newdata = new[1:50, ], conditional = FALSE)),
                model = function() c(simulate(fit$cov, 4, x = x, method = "exact")),
                given = function() as.matrix(simulate(fit, 4, newdata = new[1:50, ])))
})

test_that("predictions and draws stay on a device: locations go there, what is asked for comes back", {
  skip_if(!length(opencl_devices()), "no OpenCL device")
  for (gpu in list(character(), c(FAULTY_GPU = "1", POCL_EXTRA_BUILD_FLAGS = ""))) {
    r <- in_new_R({
      .(there_and_elsewhere)
      useDevice(clDevices()$name[2])
      bytes <- function(...) {
        p <- clProfile(list(...))
        sum(p$bytes[p$kind == "transfer"])
      }
      on_cpu <- withDevice("cpu", krige())
      list(krige = bytes(krige()), drawn = bytes(draws$observed()), joint = bytes(draws$joint()),
           given = bytes(draws$given()),
           mean = bytes(predict(fit, new)), left.out = bytes(residuals(fit, "loo")), on_cpu = on_cpu, there = krige(),
           launched = clProfile(krige())$command)
    }, do.call(faulty, as.list(gpu)))
    # for each new location its coordinates, and three sums back, two of these for coefficients; of the data their
    # coordinates, five columns there and back, and two covariates
    expect_lt(r$krige - r$mean, 8 * (3000 * (2 + 3) + 600 * (2 + 2 * 5 + 2)) + 2e4)
    expect_lt(r$drawn, 8 * 600 * (2 + 2 * 4) + 2e4) # coordinates, normal variables, and their product
    expect_lt(r$joint, 8 * 64 * (2 + 2 * 4) + 2e4)
    # of each field residuals and normal variables, these once more, and the field
    expect_lt(r$given, 8 * (650 * (2 + 4) + 2 * 50 * 4) + 1e4)
    expect_lt(r$left.out, 8 * 600 * (64 + 2 + 2 * 8) + 4e4) # tiles on the diagonal
    expect_true(all(c("dense_across_update", "dense_across_tile", "dense_across_sums") %in% r$launched))
    expect_equal(r$there, r$on_cpu, tolerance = 1e-12) # the condition is some 1e3
  }
})

test_that("a device that is short of memory predicts in smaller blocks, to the same bits", {
  skip_if_quick()
  run <- function(...) in_new_R({
    .(there_and_elsewhere)
    useDevice("ocl-cpu:0")
    p <- clProfile(value <- krige())
    list(value = value, blocks = p$calls[p$command == "dense_across_sums"])
  }, faulty(...))
  whole <- run() # 47 columns of ten tiles
  some <- run(FAULTY_ALLOC = "3500000")
  expect_identical(some$value, whole$value)
  expect_gt(some$blocks, 3 * whole$blocks)
})

test_that("what a device fails to predict or draw in the middle the CPU does, with a warning", {
  skip_if_quick()
  r <- in_new_R({
    .(there_and_elsewhere)
    faulty <- dyn.load(.(faulty_loader()))
    seeded <- function(draw) {
      set.seed(46)
      list(draw(), runif(1))
    }
    on_cpu <- lapply(draws, seeded)
    useDevice("ocl-cpu:0")
    failed <- function(draw, call, at, code, lasts) {
      .C(faulty$faulty_next, as.character(call), as.integer(at), as.integer(code), as.integer(lasts))
      warned <- character()
      value <- withCallingHandlers(seeded(draw), statcl_warning = function(w) {
        warned <<- conditionMessage(w)
        invokeRestart("muffleWarning")
      })
      .C(faulty$faulty_next, "", 0L, 0L, 0L)
      list(value = value, warned = warned)
    }
    faults <- rbind(expand.grid(call = c("clEnqueueNDRangeKernel", "clEnqueueReadBuffer", "clEnqueueWriteBuffer"),
                                at = c(1, 3, 6, 30), code = -36, lasts = 2),
                    expand.grid(call = c("clEnqueueReadBuffer", "clEnqueueNDRangeKernel"), at = 4:6, code = -5,
                                lasts = 0))
    # in `make test` every other one, in turns
    chosen <- function(j) if (.(every_test())) faults else faults[(seq_len(nrow(faults)) + j) %% 2 == 0, ]
    list(on_cpu = on_cpu, got = Map(function(draw, some)
      lapply(seq_len(nrow(some)), function(k) do.call(failed, c(list(draw), as.list(some[k, ])))),
      draws, lapply(seq_along(draws), chosen)))
  }, faulty(), timeout = 300)
  for (name in names(r$got)) {
    said <- 0
    for (one in r$got[[name]]) {
      expect_equal(one$value, r$on_cpu[[name]], tolerance = 1e-11)
      if (length(one$warned))
        expect_match(one$warned, "^the CPU has computed what a device failed to: device ocl-cpu:0 .*(lost|memory)")
      said <- said + length(one$warned)
    }
    expect_gte(said, length(r$got[[name]]) / 3)
  }
})

test_that("what a device alone has of a factor comes home where R reads it", {
  on_each_backend({
    set.seed(34)
    at <- matrix(runif(260), 130)
    fit <- gpFit(y ~ 1, data.frame(y = rnorm(130)), at, covModel("exponential", range = 0.3, nugget = 0.2),
                 fixed = TRUE)
    several <- function() list(residuals(fit, "loo"), gpCV(fit, folds = rep(1:5, 26))[c("mean", "sd")])
    expect_equal(several(), withDevice("cpu", several()), tolerance = 1e-11)
  })
})

test_that("a factor that does not come home is an error, and no numbers", {
  r <- in_new_R({
    faulty <- dyn.load(.(faulty_loader()))
    useDevice("ocl-cpu:0")
    factor <- function(range) {
      at <- cbind(1:70 / 70)
      p <- statcl:::gp_problem(covModel("exponential", range = range, nugget = 0.1), list(xy = at, geographic = NA),
                               NULL)
      statcl:::gp_factor(p)[[1L]]
    }
    lapply(c(-5L, -36L), function(code) {
      there <- factor(0.2)
      .C(faulty$faulty_next, "clEnqueueReadBuffer", 1L, code, 0L)
      another <- tell(factor(0.3)) # in whose way it is
      .C(faulty$faulty_next, "", 0L, 0L, 0L)
      list(another = another, lost = withDevice("cpu", statcl:::gp_solve(there, cbind(1:70 + 0), FALSE)))
    })
  }, faulty())
  for (one in r) {
    expect_identical(one$another$class[1], "statcl_error_device")
    expect_true(all(is.nan(one$lost)))
  }
})

test_that("observations of a fit stay on a device: parameters go there, sums come back", {
  on_each_backend(if (device != "cpu") {
    set.seed(44)
    n <- 1e5 # four segments, 100352 places
    x <- rstable(n, 1.6, 0.2)
    q <- cospi(1:n / 7)
    stableFit(x[1:500]) # makes tables for starts
    p <- clProfile(fit <- stableFit(x))
    evaluations <- sum(p$points[p$command == "stable_segments"]) / 100352
    expect_gte(evaluations, 3)
    expect_lte(sum(p$bytes[p$kind == "transfer"]), 2 * 8 * 100352 + 2048 * evaluations)
    on_cpu <- withDevice("cpu", stableFit(x))
    expect_equal(coef(fit), coef(on_cpu), tolerance = 1e-9)
    # a sum of n terms in a row is off by n eps of it at most
    expect_lte(abs(logLik(fit) / logLik(on_cpu) - 1), n * .Machine$double.eps)
    some <- 1:17000
    d <- data.frame(y = x[some] + q[some], q = q[some], w = 1 + some %% 3)
    fits <- function() list(stableReg(y ~ q, d), stableFit(d$y, weights = d$w))
    for (k in 1:2) {
      there <- fits()[[k]]
      here <- withDevice("cpu", fits())[[k]]
      expect_equal(coef(there), coef(here), tolerance = 1e-8)
      expect_equal(vcov(there), vcov(here), tolerance = 1e-8)
    }
  })
})

# Tests leave nothing in the user's folders: neither this package's programs nor those of PoCL. This process keeps no
# programs: PoCL, asked for them, would build every kernel a second time, for groups of any size.
keep_no_programs <- quote(.Call(statcl:::C_cl_folders, system.file("kernels", package = "statcl"), ""))
cache_in <- function(name) {
  folder <- file.path(tempdir(), name)
  dir.create(folder, showWarnings = FALSE)
  eval(keep_no_programs)
  Sys.setenv(R_USER_CACHE_DIR = folder)
  folder
}
local({
  folder <- cache_in("statcl-cache")
  if (!nzchar(Sys.getenv("POCL_CACHE_DIR")) && nzchar(Sys.getenv("_R_CHECK_PACKAGE_NAME_")))
    Sys.setenv(POCL_CACHE_DIR = file.path(folder, "pocl"))
})

# The built-in backend and every OpenCL device that computes in double precision.
test_devices <- local({
  devices <- NULL
  function() {
    if (is.null(devices)) {
      known <- clDevices()
      devices <<- known$name[known$fp64]
    }
    devices
  }
})

opencl_devices <- function() setdiff(test_devices(), "cpu")

# Where a device is known to exist, none found is a failure; elsewhere tests with OpenCL are skipped.
opencl_expected <- function() identical(Sys.getenv("STATCL_TEST_OPENCL"), "1")

# What is tested: as make says, and in R CMD check the short tests, unless NOT_CRAN is true.
tested <- local({
  asked <- Sys.getenv("STATCL_TESTS", if (identical(Sys.getenv("NOT_CRAN"), "true")) "test" else "quick")
  match.arg(asked, c("quick", "test", "all"))
})

# In tests, or above those of a file, that take seconds: they are none of the short ones.
skip_if_quick <- function() skip_if(tested == "quick", "left out of the short tests")

# What is repeated for statistics or along tables is done in part by `make test`, and in whole by `make test-all`.
every_test <- function() tested == "all"
skip_unless_all <- function() skip_if_not(every_test(), "left to make test-all")
repetitions <- function(some, all) if (every_test()) all else some

# Every n-th of these, from the given one on; all of them with `make test-all`.
every_nth <- function(all, n, from = 1) if (every_test()) all else all[(seq_along(all) - from) %% n == 0]

# PoCL compiles in half the time where it does not optimise: at the top of files with many integrands, whose meaning
# is tested and not the compiler. `make test-all` leaves it to optimise. Other files have programs of their own.
fast_builds_in_file <- function(frame = parent.frame()) {
  if (every_test() || nzchar(Sys.getenv("POCL_EXTRA_BUILD_FLAGS"))) return(invisible())
  again <- function(folder) {
    cache_in(folder)
    .Call(statcl:::C_cl_shutdown)
  }
  Sys.setenv(POCL_EXTRA_BUILD_FLAGS = "-cl-opt-disable")
  again("statcl-cache-fast")
  end <- function() {
    Sys.unsetenv("POCL_EXTRA_BUILD_FLAGS")
    again("statcl-cache")
  }
  do.call(on.exit, list(as.call(list(end)), add = TRUE), envir = frame)
}

# The same for a process whose device calls itself a GPU, and has programs that no other test builds. Where much is
# computed it takes longer than it saves.
fast_builds <- function() if (!every_test()) c(POCL_EXTRA_BUILD_FLAGS = "-cl-opt-disable")

# Of all threads of this process, until an interrupt is heeded. Nothing else judges time, and nothing elapsed time.
processor_seconds <- function(expr) sum(system.time(expr)[c("user.self", "sys.self")])

# Evaluates code on each of them; device names the one at work.
on_each_backend <- function(code) {
  code <- substitute(code)
  frame <- parent.frame()
  for (device in test_devices()) {
    here <- new.env(parent = frame)
    here$device <- device
    withDevice(device, eval(code, here))
  }
}

# A test for each of them. Where each test has programs of its own, which take longer to build than all else, so few
# of a file's are for OpenCL devices in `make test`: every n-th after few_on_devices(n), at the top of the file.
built <- new.env()
few_on_devices <- function(n) {
  built$every <- if (every_test()) 1 else n
  built$count <- -1
}
few_on_devices(1)
test_backends <- function(desc, code) {
  code <- substitute(code)
  frame <- parent.frame()
  built$count <- built$count + 1
  devices <- if (built$count %% built$every == 0) test_devices() else "cpu"
  for (device in devices)
    eval(bquote(test_that(.(paste0(desc, " [", device, "]")), { withDevice(.(device), .(code)) })), frame)
}

# The value of code in an R process of its own with these environment variables: what is read once in a process, or
# spoils it, is tested there. Values of the test's frame come in by .(name); tell(expr) is expr's value or condition.
# It keeps programs where env has R_USER_CACHE_DIR, or statcl is not attached before.
in_new_R <- function(code, env = character(), attach = TRUE, timeout = 0) {
  skip_on_os("windows") # where system2() sets no variables
  code <- eval(call("bquote", substitute(code), parent.frame()))
  script <- tempfile(fileext = ".R")
  answer <- tempfile(fileext = ".rds")
  on.exit(unlink(c(script, answer)))
  tell <- function(expr) tryCatch(expr, condition = function(e) list(class = class(e), message = conditionMessage(e)))
  dump <- function(object) paste(deparse(object, control = c("keepNA", "keepInteger", "hexNumeric")), collapse = "\n")
  writeLines(c(sprintf(".libPaths(%s)", dump(.libPaths())), paste("tell <-", dump(tell)),
               if (attach) "library(statcl)",
               if (attach && !"R_USER_CACHE_DIR" %in% names(env)) deparse(keep_no_programs, 500L),
               sprintf("saveRDS(local(%s), %s)", dump(code), dump(answer)),
               "loaded <- Sys.getenv('STATCL_TEST_LOADED')",
               "if (nzchar(loaded)) cat(paste0(loadedNamespaces(), '\n'), file = loaded, sep = '', append = TRUE)"),
             script)
  env <- c(env, R_TESTS = "")
  # source(): Rscript reads a file line by line, and parses again from the start of an expression at each.
  run <- c("--vanilla", "-e", shQuote(sprintf("source('%s')", normalizePath(script, "/"))))
  output <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), run, stdout = TRUE, stderr = TRUE,
                                     env = paste0(names(env), "=", shQuote(env)), timeout = timeout))
  if (!file.exists(answer)) stop("the R process gave no value:\n", paste(output, collapse = "\n"))
  readRDS(answer)
}

# Path of the faulty loader (see stub/faulty.c), compiled once; skips where it cannot be or has nothing to forward to.
faulty_loader <- local({
  built <- NULL
  function() {
    skip_on_cran()
    skip_if(Sys.info()[["sysname"]] != "Linux", "the faulty loader is written for Linux")
    skip_if(!length(opencl_devices()), "no OpenCL device")
    if (is.null(built)) built <<- compile_stub("faulty.c")
    skip_if(is.na(built), "no C compiler")
    built
  }
})

compile_stub <- function(source) {
  folder <- tempfile("stub")
  dir.create(folder)
  file.copy(test_path("stub", source), folder)
  library <- file.path(folder, "libstub.so")
  run <- c("CMD", "SHLIB", "-o", shQuote(library), shQuote(file.path(folder, source)), "-ldl")
  suppressWarnings(system2(file.path(R.home("bin"), "R"), run, stdout = TRUE, stderr = TRUE))
  if (file.exists(library)) library else NA_character_
}

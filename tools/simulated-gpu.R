# All kernels and the contract tests on a simulated GPU, with every memory access, data race and OpenCL call checked:
#   Rscript tools/simulated-gpu.R [library]
# The device is Debian's oclgrind, which is found by a vendors folder of its own: the system's drivers stay out.
# Fails on any line that oclgrind writes to its log, on results that are not those of the built-in backend to the last
# bit, where a kernel of map.def has had no point to compute: kernels of lists are launched with empty lists, too, so
# the floating-point instructions are counted, and where work-items, not groups, claim places in lists. oclgrind's
# check for uninitialised values stays off: it does not know an instruction of newer compilers.
given <- commandArgs(TRUE)
script <- normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]))
root <- dirname(dirname(script))
library <- normalizePath(if (length(given)) given[1] else file.path(root, "build", "library"))

oclgrind <- Sys.which("oclgrind")
simulator <- file.path(dirname(dirname(oclgrind)), c("lib", "lib64"), "oclgrind", "liboclgrind-rt-icd.so")
simulator <- simulator[nzchar(oclgrind) & file.exists(simulator)]
if (!length(simulator)) stop("oclgrind is not installed (Debian: oclgrind)", call. = FALSE)
folder <- tempfile("simulated-gpu")
dir.create(file.path(folder, "vendors"), recursive = TRUE)
writeLines(simulator[1], file.path(folder, "vendors", "oclgrind.icd"))

# Runs R in a folder and gives its process's output and oclgrind's log, each in a file.
command <- function(name, where, arguments) {
  variables <- c(OCL_ICD_VENDORS = file.path(folder, "vendors"), OCL_ICD_FILENAMES = "", STATCL_OPENCL_LIBRARY = "",
                 OCLGRIND_DATA_RACES = "1", OCLGRIND_CHECK_API = "1", OCLGRIND_INST_COUNTS = "1",
                 STATCL_PROBE = "off", STATCL_COMPILE = "use",
                 OCLGRIND_LOG = file.path(folder, paste0(name, ".log")), R_USER_CACHE_DIR = file.path(folder, name),
                 R_LIBS = paste(c(library, .libPaths()), collapse = ":"), STATCL_DEVICE = "gpu:0", NOT_CRAN = "true")
  sprintf("(cd %s && env %s %s %s >%s 2>&1; echo $? >%s)", shQuote(where),
          paste0(names(variables), "=", shQuote(variables), collapse = " "),
          shQuote(file.path(R.home("bin"), "Rscript")), paste(shQuote(arguments), collapse = " "),
          shQuote(file.path(folder, paste0(name, ".out"))), shQuote(file.path(folder, paste0(name, ".rc"))))
}
contract <- paste('suppressPackageStartupMessages(library(testthat)); library(statcl);',
                  'r <- as.data.frame(test_file("test-contract.R", reporter = "check"));',
                  'cat(nrow(r), "contract tests on", useDevice(), "\\n");',
                  'quit("no", status = any(r$failed > 0 | r$error) || useDevice() != "gpu:0")')
runs <- c(contract = command("contract", file.path(root, "tests", "testthat"), c("-e", contract)),
          double = command("double", file.path(root, "tests", "gpu"), c("short-calls.R", "gpu:0", "double")),
          single = command("single", file.path(root, "tests", "gpu"), c("short-calls.R", "gpu:0", "single")))
system(paste0("{ ", runs[["contract"]], "; ", runs[["single"]], "; } & ", runs[["double"]], "; wait"))

# Instructions of a kind in each kernel. oclgrind writes after each launch:
#   Instructions executed for kernel 'stable_ray':
#            17010 - call _Z3fmaddd()
floating <- "(f(add|sub|mul|div|rem|neg|cmp)|call _Z[0-9]+(fma|sqrt|fabs))"
counts_of <- function(output, kind) {
  start <- grepl("^Instructions executed for kernel", output)
  name <- sub(".*'(.*)'.*", "\\1", output[start])[cumsum(start)]
  line <- c(rep("", sum(cumsum(start) == 0)), name)
  counted <- grepl(paste0("^ *[0-9,]+ - ", kind), output) & line != ""
  counts <- as.numeric(gsub(",", "", sub("^ *([0-9,]+) - .*", "\\1", output[counted])))
  tapply(counts, line[counted], sum)
}
kernel_lines <- function(pattern) {
  lines <- grep(pattern, readLines(file.path(library, "statcl", "kernels", "common", "map.def")), value = TRUE)
  sub("^[A-Z]+_LINE\\([a-z]+, [a-z0-9_]+, ([a-z0-9_]+),.*", "\\1", lines)
}

failed <- FALSE
for (name in names(runs)) {
  file <- function(ending) file.path(folder, paste0(name, ending))
  output <- readLines(file(".out"), warn = FALSE)
  told <- output[!grepl("^ *[0-9,]+ - |^Instructions executed|^$", output)]
  log <- if (file.exists(file(".log"))) readLines(file(".log"), warn = FALSE)
  bad <- readLines(file(".rc")) != "0" || length(log) > 0
  if (name != "contract") {
    work <- counts_of(output, floating)
    # blocks of one lane are not sorted into lists, nor are distances apart; the others are out of R's reach, have no
    # single precision, or products in matrices of 9 rows of tiles alone: tests/engine/test_dense_device.c
    wanted <- setdiff(kernel_lines(if (name == "double") "^[A-Z]+_LINE" else "^EITHER_LINE"),
                      c("poisson_cdf_few", "poisson_cdf_many", "poisson_sums", "poisson_estimate", "cov_distance",
                        "dense_inverse_behind",
                        if (name == "single") c("normal_quantile", "normal_tail", "cov_product", "poisson_far")))
    idle <- setdiff(wanted, names(work)[work > 0])
    cat(sprintf("%s precision: %d of %d kernels had points to compute\n", name, length(wanted) - length(idle),
                length(wanted)))
    if (length(idle)) cat("without a call that reaches them:", idle, "\n")
    # a group of 128 claims room in each of at most 16 lists once
    claims <- counts_of(output, "call _Z[0-9]+atomic")
    each <- claims / counts_of(output, "call _Z13get_global_id")[names(claims)]
    cat(sprintf("at most %.3f atomic operations of a work-item, in %s\n", max(each), names(which.max(each))))
    bad <- bad || length(idle) > 0 || max(each) > 16 / 128
  }
  if (length(log)) cat("oclgrind:", utils::head(log, 40), sep = "\n")
  cat(if (bad) utils::tail(told, 60) else utils::tail(told, 1), sep = "\n")
  failed <- failed || bad
}
unlink(folder, recursive = TRUE)
cat(if (failed) "simulated GPU: FAILED\n" else "simulated GPU: clean\n")
quit("no", status = failed)

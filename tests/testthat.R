# R CMD check also runs where no suggested package is. Two processes share the files, the largest first: testthat's
# own would send every expectation to the first process, which takes longer than the tests.
if (requireNamespace("testthat", quietly = TRUE)) {
  library(statcl) # fails here rather than in each process
  if (!nzchar(Sys.getenv("POCL_CACHE_DIR"))) Sys.setenv(POCL_CACHE_DIR = tempfile("pocl"))
  Sys.setenv(POCL_EXTRA_BUILD_FLAGS = "-cl-opt-disable") # kernels are compiled in half the time
  files <- dir("testthat", "^test-.*[.]R$", full.names = TRUE)
  processes <- parallel::makeCluster(2L)
  done <- parallel::clusterApplyLB(processes, files[order(-file.size(files))], function(file) {
    text <- utils::capture.output(tests <- testthat::test_file(file, package = "statcl", load_package = "installed",
                                                               reporter = "check", stop_on_failure = FALSE))
    found <- as.data.frame(tests)
    list(file = basename(file), text = text, failed = sum(found$failed) + sum(found$error),
         passed = sum(found$passed), skipped = sum(found$skipped))
  })
  parallel::stopCluster(processes)
  count <- function(what) vapply(done, `[[`, 0, what)
  for (file in done[count("failed") > 0]) cat("\n", file$file, "\n", paste0(file$text, "\n"), sep = "")
  sums <- vapply(c("passed", "failed", "skipped"), function(what) sum(count(what)), 0)
  cat(sprintf("%d passed, %d failed, %d skipped\n", sums[1L], sums[2L], sums[3L]))
  stopifnot(sums[1L] > 0, sums[2L] == 0)
}

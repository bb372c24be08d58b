# Rscript tools/test-file.R tests/testthat/test-NAME.R: runs a file of tests on the installed package; prints what
# failed, was skipped or warned, and as the last line the file, its counts and its seconds of processors, those of
# processes that it started included. Fails if a test does. STATCL_TEST_LOADED, if set, is a file that gets the names
# of the packages that are loaded then; in_new_R() adds those of its process.
Sys.setenv(NOT_CRAN = "true") # the tests with a faulty driver too
file <- commandArgs(TRUE)
tortured <- nzchar(Sys.getenv("STATCL_TORTURE"))
if (tortured) source("tools/torture.R")
library(statcl)
tests <- testthat::test_file(file, package = "statcl", load_package = "installed", reporter = "silent")
is_any <- function(x, ...) inherits(x, paste0("expectation_", c(...)))
count <- c(0, 0, 0)
for (test in tests) for (x in test$results) {
  count <- count + c(is_any(x, "success"), is_any(x, "failure", "error"), is_any(x, "skip"))
  if (is_any(x, "success")) next
  line <- if (is.null(x$srcref)) "" else paste0(", line ", x$srcref[1L])
  cat(sprintf("\n  %s%s: %s\n    %s", sub("expectation_", "", class(x)[1L]), line,
              if (is.na(test$test)) "outside of test_that()" else test$test, gsub("\n", "\n    ", format(x))))
}
if (nzchar(loaded <- Sys.getenv("STATCL_TEST_LOADED")))
  cat(paste0(loadedNamespaces(), "\n"), file = loaded, sep = "", append = TRUE)
if (tortured && !length(torture$calls)) {
  cat("\n  no call was tortured")
  count[2L] <- count[2L] + 1
}
cat(sprintf("\n%s: %d passed, %d failed, %d skipped in %.1f s\n", basename(file), count[1L], count[2L], count[3L],
            sum(proc.time()[-3L])))
quit(status = as.integer(count[2L] > 0))

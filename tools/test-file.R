# Rscript tools/test-file.R tests/testthat/test-NAME.R: runs a file of tests on the installed package; prints what
# failed, was skipped or warned, and as the last line the file, its counts and its seconds.
Sys.setenv(NOT_CRAN = "true") # the tests with a faulty driver too
file <- commandArgs(TRUE)
began <- proc.time()[["elapsed"]]
library(statcl)
if (nzchar(Sys.getenv("STATCL_TORTURE"))) source("tools/torture.R")
tests <- testthat::test_file(file, package = "statcl", load_package = "installed", reporter = "silent")
is_any <- function(x, ...) inherits(x, paste0("expectation_", c(...)))
count <- c(0, 0, 0)
for (test in tests) for (x in test$results) {
  count <- count + c(is_any(x, "success"), is_any(x, "failure", "error"), is_any(x, "skip"))
  if (is_any(x, "success")) next
  line <- if (is.null(x$srcref)) "" else paste0(", line ", x$srcref[1L])
  cat(sprintf("  %s%s: %s\n    %s\n", sub("expectation_", "", class(x)[1L]), line, test$test,
              gsub("\n", "\n    ", format(x))))
}
cat(sprintf("%s: %d passed, %d failed, %d skipped in %.1f s\n", basename(file), count[1], count[2], count[3],
            proc.time()[["elapsed"]] - began))

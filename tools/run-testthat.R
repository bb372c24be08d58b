# Rscript tools/run-testthat.R ["N passed, N failed, N skipped"]: runs tests/testthat on the installed package and
# prints the counts, added to those given, as the last line. Fails if a test does.
Sys.setenv(NOT_CRAN = "true") # the tests with a faulty driver too
if (!nzchar(Sys.getenv("TESTTHAT_CPUS"))) Sys.setenv(TESTTHAT_CPUS = max(1L, parallel::detectCores(), na.rm = TRUE))
library(statcl)
earlier <- commandArgs(TRUE)
counts <- c(0, 0, 0)
if (length(earlier)) counts <- as.numeric(regmatches(earlier, gregexpr("[0-9]+", earlier))[[1]])
results <- as.data.frame(testthat::test_dir("tests/testthat", package = "statcl", load_package = "installed",
                                            reporter = "check", stop_on_failure = FALSE))
failed <- sum(results$failed) + sum(results$error)
counts <- counts + c(sum(results$passed), failed, sum(results$skipped))
cat(sprintf("%d passed, %d failed, %d skipped\n", counts[1], counts[2], counts[3]))
quit(status = failed > 0)

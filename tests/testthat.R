# R CMD check also runs where no suggested package is.
if (requireNamespace("testthat", quietly = TRUE)) {
  library(testthat)
  library(statcl)
  test_check("statcl")
}

library(testthat)
library(statcl)

test_check("statcl")

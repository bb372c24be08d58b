# Errors of dstable() against the reference table, by region and device.
#   Rscript bench/accuracy.R
library(statcl)
source("bench/peers.R")
source("tests/testthat/helper-ref.R")
test_path <- function(...) file.path("tests/testthat", ...)
ref <- read_ref("stable")
inside <- is.finite(ref$logpdf)
moderate <- inside & abs(ref$logpdf) < 100
regions <- stable_regions(ref)

for (device in clDevices()$name) {
  logpdf <- withDevice(device, dstable(ref$x, ref$alpha, ref$beta, log = TRUE))
  pdf <- withDevice(device, dstable(ref$x, ref$alpha, ref$beta))
  error_log <- log_error(logpdf, ref$logpdf)
  error_pdf <- relative_error(pdf, ref$pdf)
  cat(sprintf("\n%s: %d rows, %d of them exact zeros outside the support (%d right)\n", device, nrow(ref),
              sum(!inside), sum(pdf[!inside] == 0 & logpdf[!inside] == -Inf)))
  print_table(do.call(rbind, lapply(names(regions), function(name) {
    rows <- regions[[name]] & inside
    plain <- regions[[name]] & moderate
    data.frame(region = name, rows = sum(rows), worst_log = max(error_log[rows]), worst_pdf = max(error_pdf[plain]),
               median_pdf = stats::median(error_pdf[plain]), share_pdf_1e_13 = mean(error_pdf[plain] <= 1e-13))
  })), digits = 4)
}

# Peak memory of tbrf(): each case in a process of its own. A row has MB of the result, the growth of the resident
# set by the call at its peak (VmHWM of Linux), and what of that is beyond the result.
# Rscript bench/field-memory.R
cases <- list(
  plain = "tbrf(g, m, 64)", mean = "tbrf(g, update(m, mean = 3), 64)",
  nugget = "tbrf(g, update(m, nugget = 0.1), 64)",
  drift = "tbrf(g, update(m, mean = function(x) x[, 1]), 64)",
  several = "tbrf(half, update(m, nugget = 0.1, mean = 1), 64, nsim = 2)",
  points = "tbrf(p, update(m, nugget = 0.1, mean = 1), 64)", table = "tbrf(g, m, 8, method = \"table\")",
  conditional = "tbrf(g, m, 64, data = list(x = cbind(1:9, 2, 3), y = 1:9))",
  lines = "tbrf(matrix(0, 1, 3), m, nlines = 2e7)")
one <- function(code) {
  program <- sprintf(paste(
    "library(statcl); options(statcl.threads = 1); set.seed(1); m <- covModel(\"exponential\", range = 10);",
    "g <- rfGrid(0, 1, c(256, 256, 256)); half <- rfGrid(0, 1, c(256, 256, 128)); p <- NULL;",
    "if (grepl(\"p,\", %s)) p <- matrix(runif(3 * 2^22) * 50, ncol = 3);",
    "kb <- function(w) as.numeric(gsub(\"[^0-9]\", \"\", grep(w, readLines(\"/proc/self/status\"), value = TRUE)));",
    "invisible(tbrf(rfGrid(0, 1, c(8, 8, 8)), m, 8)); invisible(gc()); before <- kb(\"VmRSS\");",
    "writeLines(\"5\", \"/proc/self/clear_refs\"); z <- suppressWarnings(%s);",
    "cat(8 * length(z) / 1e6, (kb(\"VmHWM\") - before) * 1.024e-3)"), deparse(code), code)
  out <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(program)), stdout = TRUE)
  as.numeric(strsplit(out, " ")[[1]])
}
cat(sprintf("%-12s %10s %10s %10s\n", "case", "result MB", "peak MB", "beyond"))
for (name in names(cases)) {
  mb <- one(cases[[name]])
  cat(sprintf("%-12s %10.0f %10.0f %10.0f\n", name, mb[1], mb[2], mb[2] - mb[1]))
}

# Time and memory of a field on a cube, from 16^3 cells on, for each method, and of fields at scattered points in
# several orders, as Hunger et al. compare their turning bands with transforms. Each is a process of its own.
#   Rscript bench/field-sizes.R [largest side [seconds that a process may take]]
library(statcl)
source("bench/peers.R")
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
most <- if (length(argument) > 0) argument[1] else 256
limit <- if (length(argument) > 1) argument[2] else 120
cat(machine(), ", one thread, 1000 lines, Matern, smoothness 1.5, range an eighth of the side\n", sep = "")

begin <- "library(statcl); options(statcl.threads = 1); set.seed(1)"
process <- function(code) {
  text <- sprintf("%s; s <- sum(system.time({%s})[1:2]); cat(s, as.numeric(sub('[^0-9]*([0-9]+).*', '\\\\1', %s)))",
                  begin, code, "grep('VmHWM', readLines('/proc/self/status'), value = TRUE)")
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(text)), stdout = TRUE,
                                   stderr = FALSE, timeout = limit))
  found <- suppressWarnings(as.numeric(strsplit(utils::tail(c("", said), 1), " ")[[1]]))
  if (length(found) == 2 && !anyNA(found)) found else c(NA, NA)
}
base <- process("NULL")[2]

model <- "covModel('matern', smoothness = 1.5, range = n / 8)"
calls <- c(spectral = "tbrf(rfGrid(0, 1, c(n, n, n)), %s, method = 'spectral')",
           table = "tbrf(rfGrid(0, 1, c(n, n, n)), %s, method = 'table')",
           "fft, embedding" = "tbrf(rfGrid(0, 1, c(n, n, n)), %s, method = 'fft')",
           "fft, periodic" = "tbrf(rfGrid(0, 1, c(n, n, n)), %s, method = 'fft', periodic = TRUE)",
           "to a file" = "tbrf(rfGrid(0, 1, c(n, n, n)), %s, file = tempfile())")
cat(sprintf("%-16s%6s%12s%14s%18s\n", "", "side", "seconds", "points/us", "MB beside R"))
for (name in names(calls)) for (n in 2^(4:floor(log2(most)))) {
  found <- process(gsub("\\bn\\b", n, sprintf(calls[[name]], model)))
  cat(sprintf("%-16s%6d%12.3g%14.3g%18.0f%s\n", name, n, found[1], n^3 / found[1] / 1e6, (found[2] - base) / 1024,
              if (is.na(found[1])) "  more time or memory than there is" else ""))
  if (is.na(found[1])) break
}

orders <- c(random = "x", "along x" = "x[order(x[, 1]), ]",
            cells = "x[order(floor(x[, 3] * 32), floor(x[, 2] * 32), floor(x[, 1] * 32)), ]")
cat("\n1e6 points in the unit cube, seconds\n")
for (method in c("spectral", "table")) for (order in names(orders)) {
  found <- process(sprintf(paste("x <- matrix(runif(3e6), ncol = 3); x <- %s; tbrf(x, covModel('matern',",
                                 "smoothness = 1.5, range = 1/8), method = '%s')"), orders[[order]], method))
  cat(sprintf("%-16s%-10s%12.3g\n", method, order, found[1]))
}

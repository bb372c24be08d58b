# Time and memory of a field on a cube, from 16^3 cells on, for each method, and of fields at scattered points in
# several orders, as Hunger et al. compare their turning bands with transforms. Each is a process of its own.
#   Rscript bench/field-sizes.R [largest side [seconds that a process may take [least side]]]
library(statcl)
source("bench/peers.R")
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
most <- if (length(argument) > 0) argument[1] else 256
limit <- if (length(argument) > 1) argument[2] else 120
least <- if (length(argument) > 2) argument[3] else 16
cat(machine(), ", one thread, 1000 lines, Matern, smoothness 1.5, range an eighth of the side\n", sep = "")

begin <- "library(statcl); options(statcl.threads = 1); set.seed(1)"
# Processor time and the most memory that a process takes, or the reason for which it ends without a result.
process <- function(code, before = "NULL") {
  memory <- "sub('[^0-9]*([0-9]+).*', '\\\\1', grep('VmHWM', readLines('/proc/self/status'), value = TRUE))"
  text <- paste0(begin, "; ", before, "; s <- tryCatch(sum(system.time({", code,
                 "})[1:2]), error = conditionMessage); cat(s, ", memory, ", sep = '\n')")
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(text)), stdout = TRUE,
                                   stderr = FALSE, timeout = limit))
  said <- utils::tail(said, 2L)
  if (length(said) < 2L) return(list(why = sprintf("more than %g seconds, or than the memory of the machine", limit)))
  seconds <- suppressWarnings(as.numeric(said[1L]))
  if (is.na(seconds)) list(why = said[1L]) else list(seconds = seconds, size = as.numeric(said[2L]))
}
base <- process("NULL")$size

model <- "covModel('matern', smoothness = 1.5, range = n / 8)"
calls <- c(spectral = "tbrf(rfGrid(0, 1, c(n, n, n)), %s, method = 'spectral')",
           table = "tbrf(rfGrid(0, 1, c(n, n, n)), %s, method = 'table')",
           "fft, embedding" = "tbrf(rfGrid(0, 1, c(n, n, n)), %s, method = 'fft')",
           "fft, periodic" = "tbrf(rfGrid(0, 1, c(n, n, n)), %s, method = 'fft', periodic = TRUE)",
           "to a file" = "tbrf(rfGrid(0, 1, c(n, n, n)), %s, file = tempfile())")
cat(sprintf("%-16s%6s%12s%14s%18s\n", "", "side", "seconds", "points/us", "MB beside R"))
for (name in names(calls)) for (n in 2^(floor(log2(least)):floor(log2(most)))) {
  found <- process(gsub("\\bn\\b", n, sprintf(calls[[name]], model)))
  if (!is.null(found$why)) {
    cat(sprintf("%-16s%6d  %s\n", name, n, found$why))
    break
  }
  cat(sprintf("%-16s%6d%12.3g%14.3g%18.0f\n", name, n, found$seconds, n^3 / found$seconds / 1e6,
              (found$size - base) / 1024))
}

orders <- c(random = "x", "along x" = "x[order(x[, 1]), ]",
            cells = "x[order(floor(x[, 3] * 32), floor(x[, 2] * 32), floor(x[, 1] * 32)), ]")
cat("\n1e6 points in the unit cube, seconds\n")
for (method in c("spectral", "table")) for (order in names(orders)) {
  found <- process(sprintf("tbrf(x, covModel('matern', smoothness = 1.5, range = 1/8), method = '%s')", method),
                   paste("x <- matrix(runif(3e6), ncol = 3); x <-", orders[[order]]))
  cat(sprintf("%-16s%-10s%12.3g\n", method, order, if (is.null(found$why)) found$seconds else NA))
}

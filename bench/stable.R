# dstable() and rstable() against stabledist and libstable4u, one thread each, one run on one machine.
#   Rscript bench/stable.R
library(statcl)
source("bench/peers.R")
source("tests/testthat/helper-ref.R")
need_peers(c("stabledist", "libstable4u"))
options(statcl.threads = 1)

set.seed(1)
law <- c(1.5, 0.5, 1, 0)
n <- 1e5
x <- libstable4u::stable_rnd(n, law)
few <- x[1:1000] # stabledist calls integrate() for every point
varying <- list(alpha = runif(n, 1.4, 1.6), beta = runif(n, 0.4, 0.6))
anywhere <- list(alpha = runif(n, 0.1, 2), beta = runif(n, -1, 1))
invisible(dstable(x, 1.5, 0.5)) # devices are chosen at the first call

# Largest relative errors at the reference points with alpha = 1.5, all and where the density exceeds 1e-6.
test_path <- function(...) file.path("tests/testthat", ...)
ref <- subset(read_ref("stable"), alpha == 1.5 & abs(logpdf) < 100)
error_of <- function(density) {
  values <- unlist(lapply(split(ref, ref$beta), function(rows) density(rows$x, rows$beta[1])))
  truth <- unlist(lapply(split(ref, ref$beta), `[[`, "pdf"))
  error <- relative_error(values, truth)
  c(max(error), max(error[truth > 1e-6]))
}

row <- function(call, peer, points, seconds, error = c(NA, NA))
  data.frame(call, peer, points, seconds, per_second = points / seconds, error = error[1], error_core = error[2])

densities <- rbind(
  row("alpha 1.5, beta 0.5", "libstable4u", n, cpu_seconds(libstable4u::stable_pdf(x, law)),
      error_of(function(x, beta) libstable4u::stable_pdf(x, c(1.5, beta, 1, 0)))),
  row("alpha 1.5, beta 0.5", "stabledist", length(few), cpu_seconds(stabledist::dstable(few, 1.5, 0.5), 3),
      error_of(function(x, beta) suppressWarnings(stabledist::dstable(x, 1.5, beta)))),
  row("alpha 1.5, beta 0.5", "statcl", n, cpu_seconds(dstable(x, 1.5, 0.5)),
      error_of(function(x, beta) dstable(x, 1.5, beta))),
  row("1.4 .. 1.6, 0.4 .. 0.6", "statcl", n, cpu_seconds(dstable(x, varying$alpha, varying$beta))),
  row("0.1 .. 2, -1 .. 1", "statcl", n, cpu_seconds(dstable(x, anywhere$alpha, anywhere$beta))))
densities$ratio <- densities$per_second / densities$per_second[1]

m <- 1e6
draws <- rbind(
  row("alpha 1.5, beta 0.5", "libstable4u", m, cpu_seconds(libstable4u::stable_rnd(m, law))),
  row("alpha 1.5, beta 0.5", "stabledist", m, cpu_seconds(stabledist::rstable(m, 1.5, 0.5))),
  row("alpha 1.5, beta 0.5", "statcl", m, cpu_seconds(rstable(m, 1.5, 0.5))),
  row("varying", "statcl", m, cpu_seconds(rstable(m, varying$alpha, varying$beta))))
draws$ratio <- draws$per_second / max(draws$per_second[1:2])
draws$error <- draws$error_core <- NULL

cat(machine(), "\nOne thread; medians of processor time; device:", paste(useDevice(), collapse = ", "), "\n")
cat("\nDensities; ratio to libstable4u; largest relative error at the reference points with alpha = 1.5, and",
    "at those where the density exceeds 1e-6\n")
print_table(densities)
cat("\nRandom numbers; ratio to the faster peer\n")
print_table(draws)

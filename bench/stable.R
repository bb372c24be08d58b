# dstable(), pstable(), qstable() and rstable() against stabledist and libstable4u, one thread each, one run on one
# machine.
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

direct <- function(value) {
  kept <- options(statcl.stable.route = "direct")
  on.exit(options(kept))
  value
}
row <- function(call, peer, points, seconds, error = c(NA, NA))
  data.frame(call, peer, points, seconds, per_second = points / seconds, error = error[1], error_core = error[2])

densities <- rbind(
  row("alpha 1.5, beta 0.5", "libstable4u", n, cpu_seconds(libstable4u::stable_pdf(x, law)),
      error_of(function(x, beta) libstable4u::stable_pdf(x, c(1.5, beta, 1, 0)))),
  row("alpha 1.5, beta 0.5", "stabledist", length(few), cpu_seconds(stabledist::dstable(few, 1.5, 0.5), 3),
      error_of(function(x, beta) suppressWarnings(stabledist::dstable(x, 1.5, beta)))),
  row("alpha 1.5, beta 0.5", "statcl", n, cpu_seconds(direct(dstable(x, 1.5, 0.5))),
      error_of(function(x, beta) dstable(x, 1.5, beta))),
  row("1.4 .. 1.6, 0.4 .. 0.6", "statcl", n, cpu_seconds(dstable(x, varying$alpha, varying$beta))),
  row("0.1 .. 2, -1 .. 1", "statcl", n, cpu_seconds(dstable(x, anywhere$alpha, anywhere$beta))))
densities$ratio <- densities$per_second / densities$per_second[1]

few_p <- runif(1000)
tails <- rbind(
  row("alpha 1.5, beta 0.5", "libstable4u", n, cpu_seconds(libstable4u::stable_cdf(x, law), 3)),
  row("alpha 1.5, beta 0.5", "stabledist", length(few), cpu_seconds(stabledist::pstable(few, 1.5, 0.5), 3)),
  row("alpha 1.5, beta 0.5", "statcl", n, cpu_seconds(direct(pstable(x, 1.5, 0.5)))),
  row("1.4 .. 1.6, 0.4 .. 0.6", "statcl", n, cpu_seconds(pstable(x, varying$alpha, varying$beta))),
  row("0.1 .. 2, -1 .. 1", "statcl", n, cpu_seconds(pstable(x, anywhere$alpha, anywhere$beta))))
tails$ratio <- tails$per_second / tails$per_second[1]
tails$error <- tails$error_core <- NULL

# One distribution and a million points, the route left to the package. Every repetition has an alpha of its own, so
# that a table is built in each; the last row repeats one distribution, which a kept table may serve.
m <- 1e6
many <- libstable4u::stable_rnd(m, law)
p <- runif(m)
fresh <- local({ k <- 0; function() { k <<- k + 1; 1.5 + 1e-9 * k } })
some <- seq_len(2e4)
one_law <- rbind(
  row("density", "libstable4u", n, cpu_seconds(libstable4u::stable_pdf(x, law), 3)),
  row("density", "stabledist", length(few), cpu_seconds(stabledist::dstable(few, 1.5, 0.5), 3)),
  row("density", "statcl", m, cpu_seconds(dstable(many, fresh(), 0.5))),
  row("density, again", "statcl", m, cpu_seconds(dstable(many, 1.5, 0.5))),
  row("tail", "libstable4u", n, cpu_seconds(libstable4u::stable_cdf(x, law), 3)),
  row("tail", "stabledist", length(few), cpu_seconds(stabledist::pstable(few, 1.5, 0.5), 3)),
  row("tail", "statcl", m, cpu_seconds(pstable(many, fresh(), 0.5))),
  row("tail, again", "statcl", m, cpu_seconds(pstable(many, 1.5, 0.5))),
  row("quantile", "libstable4u", length(some), cpu_seconds(libstable4u::stable_q(p[some], law), 3)),
  row("quantile", "stabledist", 20, cpu_seconds(stabledist::qstable(few_p[1:20], 1.5, 0.5), 1)),
  row("quantile", "statcl", m, cpu_seconds(qstable(p, fresh(), 0.5))),
  row("quantile, again", "statcl", m, cpu_seconds(qstable(p, 1.5, 0.5))))
against <- rep(which(one_law$peer == "libstable4u"), each = 4)
one_law$ratio <- one_law$per_second / one_law$per_second[against]
one_law$error <- one_law$error_core <- NULL

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
with(densities[1:3, ], record("Stable density", "values", peer, per_second, error_core))
cat("\nProbabilities; ratio to libstable4u\n")
print_table(tails)
cat("\nOne distribution, statcl with a million points and its tables built in every run; ratio to libstable4u\n")
print_table(one_law)
cat("\nRandom numbers; ratio to the faster peer\n")
print_table(draws)

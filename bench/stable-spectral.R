# Stable distributions in the plane with a discrete spectral measure: accuracy, time and fits, one thread.
#   Rscript bench/stable-spectral.R [samples of fits of each index, by default 5]
library(statcl)
options(statcl.threads = 1)
samples <- as.integer(c(commandArgs(TRUE), "5")[1])
source("tests/testthat/helper-ref.R")
test_path <- function(...) file.path("tests/testthat", ...)

ref <- read_ref("mstable2")
laws <- read_ref("mstable2_laws")
rows <- do.call(rbind, lapply(split(ref, ref$law), function(r) {
  a <- laws[laws$law == r$law[1], ]
  law <- list(s = as.matrix(a[c("s1", "s2")]), mass = a$mass)
  x <- as.matrix(r[c("x1", "x2")])
  by <- function(route) {
    options(statcl.stable.route = route)
    dmstable(x[1, ], r$alpha[1], spectral = law) # makes the table
    time <- system.time(for (k in 1:5) f <- dmstable(x, r$alpha[1], spectral = law))[["user.self"]] / 5
    c(max(relative_error(unname(f), r$density)), 1e3 * time / nrow(r))
  }
  direct <- by("direct")
  table <- by("table")
  data.frame(law = r$law[1], alpha = r$alpha[1], atoms = nrow(a), points = nrow(r), error = direct[1],
             by_table = table[1], ms_a_point = direct[2], ms_by_table = table[2])
}))
options(statcl.stable.route = NULL)
cat("Largest relative errors of densities on", nrow(ref), "reference points, and milliseconds of a CPU a point, as",
    "integrals and by a table, as many points have them\n")
print(rows, digits = 2, row.names = FALSE)

cat("\nTwo independent variables by the general rule beside the product of dstable(): largest relative errors among",
    "points whose density is above 1e-4, 1e-6 and 1e-8 of the largest\n", sep = " ")
one <- list(s = rbind(c(1, 0), c(-1, 0), c(0, 1)), mass = c(0.5, 0.2, 0.6))
set.seed(1)
print(do.call(rbind, lapply(c(0.5, 0.7, 0.9, 0.99, 1, 1.01, 1.1, 1.5, 1.9, 1.99), function(alpha) {
  x <- rmstable(40, alpha, spectral = one)
  exact <- dmstable(x, alpha, spectral = one)
  f <- statcl:::spectral_density(x, statcl:::spectral_law(one, alpha), c(0, 0))
  size <- exact / max(exact)
  error <- vapply(c(1e-4, 1e-6, 1e-8), function(least) max(relative_error(f[, 1], exact)[size > least]), 0)
  data.frame(alpha = alpha, above_1e4 = error[1], above_1e6 = error[2], above_1e8 = error[3])
})), digits = 2, row.names = FALSE)

cat("\nFits with 72 directions to", samples, "samples of 2000 points, three atoms: largest errors of directions in",
    "degrees and of masses in per cent, and seconds of a CPU a fit\n")
three <- list(s = rbind(c(1, 0), c(0, 1), c(-0.6, -0.8)), mass = c(1, 0.6, 0.8))
true <- c(0, 90, 180 + atan2(0.8, 0.6) * 180 / pi)
print(do.call(rbind, lapply(c(0.8, 1.2, 1.5, 1.8), function(alpha) {
  runs <- vapply(seq_len(samples), function(seed) {
    set.seed(seed)
    x <- rmstable(2000, alpha, delta = c(1, 2), spectral = three)
    time <- system.time(fit <- mstableFit(x, spectral = 72))[["user.self"]]
    angle <- statcl:::spectral_degrees(fit$spectral$s)
    gap <- abs((outer(angle, true, "-") + 180) %% 360 - 180)
    nearest <- apply(gap, 2, which.min)
    c(length(angle), max(apply(gap, 2, min)), 100 * max(abs(fit$spectral$mass[nearest] / three$mass - 1)), time)
  }, numeric(4))
  data.frame(alpha = alpha, with_three_atoms = sum(runs[1, ] == 3), degrees = max(runs[2, ]),
             median_per_cent = median(runs[3, ]), most_per_cent = max(runs[3, ]), seconds = mean(runs[4, ]))
})), digits = 3, row.names = FALSE)

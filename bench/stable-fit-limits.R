# What confidence limits cost: profiles of the likelihood against the fit itself, by the number of observations.
#   Rscript bench/stable-fit-limits.R [share of the full size]
# Seconds of processor time. confint() makes profiles by default up to the numbers of observations that
# profile_is_cheap() in R/stable-fit-profile.R has.
library(statcl)
source("bench/peers.R")
arguments <- commandArgs(trailingOnly = TRUE)
size <- if (length(arguments) > 0) as.numeric(arguments[1]) else 1
invisible(stableFit(rstable(100, 1.5, 0))) # devices are chosen at the first call
cat(machine(), "\n")
seconds <- function(code) sum(system.time(suppressWarnings(code))[1:2])

kinds <- list(inside = function(n) rstable(n, 1.5, 0.3), `alpha = 2` = function(n) stats::qnorm(stats::ppoints(n)),
              `beta = 1` = function(n) rstable(n, 1.2, 1),
              censored = function(n) {
                x <- rstable(n, 1.5, 0.3)
                data.frame(left = x, right = ifelse(seq_len(n) <= n / 20, x + 0.1, x))
              })
numbers <- round(size * c(500, 5000, 20000, 1e5))
table <- do.call(rbind, lapply(names(kinds), function(kind) do.call(rbind, lapply(numbers, function(n) {
  if (kind == "censored" && n > 20000) return(NULL)
  set.seed(1)
  x <- kinds[[kind]](n)
  fitting <- seconds(fit <- stableFit(x))
  profiles <- seconds(confint(fit, method = "profile"))
  data.frame(kind, n, fit = fitting, limits = profiles, ratio = profiles / fitting)
}))))
cat("\nstableFit(): all four parameters\n")
print_table(table)

table <- do.call(rbind, lapply(c(2, 6), function(columns) do.call(rbind, lapply(numbers[1:3], function(n) {
  set.seed(1)
  x <- matrix(rnorm(n * (columns - 1)), n)
  y <- drop(x %*% rep(1, columns - 1)) + stats::qnorm(stats::ppoints(n))[sample(n)]
  fitting <- seconds(fit <- stableReg(y ~ x))
  profiles <- seconds(confint(fit, method = "profile"))
  data.frame(columns, n, alpha = fit$shape[["alpha"]], fit = fitting, limits = profiles, ratio = profiles / fitting)
}))))
cat("\nstableReg(), normal errors: all coefficients and the shape\n")
print_table(table)

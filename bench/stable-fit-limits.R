# What fits cost at the limits of their range, few values and equal ones, and what confidence limits cost: profiles of
# the likelihood against the fit itself, by the number of observations.
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

# Samples of fewer than 20 values of all kinds: how long the slowest fit takes, and what comes out.
few <- list(
  cauchy = function(n) rcauchy(n)^sample(c(1, 3, 5, 9, 15), 1),
  exponential = function(n) exp(runif(n, -1, 1) * 10^runif(1, 0, 2.8)),
  rounded = function(n) round(rcauchy(n) * 10^runif(1, -1, 1)), constant = function(n) c(rep(3, n), rnorm(2)),
  outlier = function(n) c(rnorm(n), 1e300), subnormal = function(n) rnorm(n) * 2^-1060,
  `both signs` = function(n) sample(c(-1, 1), n, TRUE) * exp(rnorm(n) * 10^runif(1, 0, 2)),
  `small alpha` = function(n) as.vector(rstable(n, runif(1, 0.05, 0.5), runif(1, -1, 1))),
  clusters = function(n) c(rnorm(n), 1e8 + rnorm(n %/% 2)))
# ... and larger ones with equal values.
equal <- list(
  zeros = function(n) {
    zero <- runif(n) < runif(1, 0.01, 0.95)
    ifelse(zero, 0, as.vector(rstable(n, sample(c(0.5, 1.5), 1), 0.3)))
  },
  rain = function(n) ifelse(runif(n) < runif(1, 0.01, 0.95), 0, exp(rnorm(n, 1))),
  rounded = function(n) round(as.vector(rstable(n, runif(1, 0.4, 2), 0.5)) / 10^runif(1, -1, 0.5)),
  counts = function(n) stats::rnbinom(n, runif(1, 0.3, 3), mu = 10^runif(1, -0.5, 1)),
  `R's data` = function(n) {
    name <- sample(Filter(function(d) is.data.frame(get(d, "package:datasets")), ls("package:datasets")), 1)
    columns <- Filter(is.numeric, as.list(get(name, "package:datasets")))
    x <- if (length(columns)) as.double(columns[[sample(length(columns), 1)]]) else 1
    x[is.finite(x)]
  })
fates <- function(kinds, sizes, samples) {
  options(statcl.threads = 1)
  print_table(do.call(rbind, lapply(names(kinds), function(kind) {
    one <- function(seed) {
      set.seed(seed)
      x <- kinds[[kind]](sizes[sample(length(sizes), 1)])
      if (length(x) < 5 || all(x == x[1])) return(NULL)
      fit <- NULL
      time <- seconds(fit <- tryCatch(stableFit(x), statcl_error_input = function(e) NULL))
      data.frame(time, fate = if (is.null(fit)) "refused" else if (fit$converged) "maximum" else "none")
    }
    all <- do.call(rbind, lapply(seq_len(samples), one))
    count <- function(fate) sum(all$fate == fate)
    data.frame(kind, fits = nrow(all), median = stats::median(all$time), slowest = max(all$time),
               maximum = count("maximum"), refused = count("refused"), neither = count("none"))
  })))
  options(statcl.threads = NULL)
}
cat("\nstableFit() of 5 to 19 values\n")
fates(few, 5:13, max(5, round(size * 220)))
cat("\nstableFit() with equal values\n")
fates(equal, c(30, 200, 1000), max(5, round(size * 100)))

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

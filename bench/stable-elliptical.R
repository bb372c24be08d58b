# Elliptical stable distributions: accuracy, time, fits, and coverage of their limits, one thread.
#   Rscript bench/stable-elliptical.R [simulated sets for the coverage, by default 100 [seed of the first, by default
#   1]]
# mvpd, where it is installed, in the same run.
library(statcl)
options(statcl.threads = 1)
sets <- as.integer(c(commandArgs(TRUE), "100")[1])
first_seed <- if (length(commandArgs(TRUE)) > 1) as.integer(commandArgs(TRUE)[2]) else 1L
source("tests/testthat/helper-ref.R")
test_path <- function(...) file.path("tests/testthat", ...)
values <- function(r, alpha, d, slopes = FALSE) statcl:::elliptical_values(r, alpha, d, slopes)
by_route <- function(route, code) {
  old <- options(statcl.stable.route = route)
  on.exit(options(old))
  code
}
seconds <- function(code, times = 3) {
  code <- substitute(code)
  frame <- parent.frame()
  min(replicate(times, system.time(eval(code, frame))[["user.self"]])) # one thread: what else runs does not count
}

ref <- read_ref("mstable")
v <- values(ref$r, ref$alpha, ref$d, TRUE)
tails <- .Call(statcl:::C_ellipticalTails, ref$r, ref$alpha, as.double(ref$d))
errors <- data.frame(
  log_h = log_error(v[, 1], ref$log_h), by_r = ifelse(ref$by_r == 0, 0, relative_error(v[, 2], ref$by_r)),
  by_alpha = relative_error(v[, 3], ref$by_alpha), lower = relative_error(tails[, 1], ref$log_lower),
  upper = relative_error(tails[, 2], ref$log_upper))
logs <- ref[c("log_lower", "log_upper")]
errors[c("lower", "upper")][!is.na(logs) & abs(logs) < 1e-300] <- 0
band <- cut(ref$alpha, c(0, 0.5, 0.99, 1.01, 1.5, 1.9, 1.99, 2))
cat("Largest errors on", nrow(ref), "reference rows: log h in units of max(1, |log h|), the others relative\n")
print(format(cbind(rows = as.integer(table(band)), as.data.frame(lapply(errors, function(e)
  tapply(e, band, max, na.rm = TRUE)))), digits = 2))

cat("\nMicroseconds a value: directly, with both derivatives, alpha by value; set-up of a table in milliseconds,\n",
    "nanoseconds a value from it without and with derivatives\n", sep = "")
set.seed(1)
times <- do.call(rbind, lapply(c(0.3, 0.8, 1.3, 1.7, 1.9, 1.97, 1.9999), function(alpha)
  do.call(rbind, lapply(c(1, 3, 30, 200), function(d) {
    r <- exp(rnorm(4000, log(d) / 2, 1))
    many <- rep(r, 50)
    by_value <- alpha + runif(4000, -1e-6, 0)
    fresh <- alpha
    set_up <- seconds(by_route("table", {
      fresh <- fresh * (1 - 1e-12) # a table of its own
      values(1, fresh, d)
    }), 5)
    data.frame(alpha, d, direct = 250 * seconds(by_route("direct", values(r, alpha, d))),
               slopes = 250 * seconds(by_route("direct", values(r, alpha, d, TRUE))),
               by_value = 250 * seconds(values(r, by_value, d)), set_up = 1e3 * set_up,
               table = 5e3 * seconds(values(many, alpha, d)),
               table_slopes = 5e3 * seconds(values(many, alpha, d, TRUE)))
  }))))
print(format(times, digits = 2, scientific = FALSE), row.names = FALSE)
if (requireNamespace("mvpd", quietly = TRUE)) {
  x <- rmstable(20, 1.5, diag(2))
  time <- seconds(p <- apply(x, 1, function(v) mvpd::dmvss(v, alpha = 1.5, Q = diag(2))$value), 1)
  cat(sprintf("mvpd: %.0f us a value, largest relative error %.1e\n", time / 20 * 1e6,
              max(abs(p / dmstable(x, 1.5, diag(2)) - 1))))
} else cat("(mvpd is not installed)\n")

law <- function(d, seed = 1) {
  set.seed(seed)
  a <- matrix(rnorm(d * d), d)
  crossprod(a) / d + diag(0.3, d)
}
cat("\nFits: seconds (the second of two), likelihoods evaluated\n")
cases <- list(c(5000, 30, 1.7), c(5000, 30, 1.2), c(5000, 2, 1.5), c(1000, 5, 1.6), c(1000, 5, 0.8))
fits <- do.call(rbind, lapply(cases, function(k) {
  x <- rmstable(k[1], k[3], law(k[2]))
  time <- seconds(fit <- mstableFit(x), 2)
  data.frame(n = k[1], d = k[2], alpha = k[3], estimate = fit$alpha, seconds = time, likelihoods = fit$evaluations)
}))
print(fits, digits = 4, row.names = FALSE)

# The best of 20 random starts.
set.seed(2)
gap <- vapply(1:5, function(i) {
  x <- rmstable(300, 1.5, law(3), 0)
  fit <- mstableFit(x)
  best <- max(vapply(1:20, function(k) mstableFit(x, start = list(
    alpha = runif(1, 0.5, 1.95), delta = rnorm(3), S = crossprod(matrix(rnorm(9), 3)) + diag(0.1, 3)))$loglik, 0))
  best - fit$loglik
}, 0)
cat(sprintf("\nThe best of 20 random starts is above the fit by at most %.1e (5 sets of 300 x 3)\n", max(gap)))

cover <- function(missing) {
  S <- law(5)
  truth <- c(1.6, 1:5, S[lower.tri(S, TRUE)])
  z <- vapply(seq_len(sets), function(k) {
    set.seed(first_seed - 1L + k)
    x <- rmstable(1000, 1.6, S, 1:5)
    if (missing) x[sample(length(x), 500)] <- NA
    fit <- mstableFit(x)
    limits <- confint(fit)
    c(fit$parameters$estimate - truth, limits[, 1] <= truth & truth <= limits[, 2],
      fit$alpha - statcl:::fit_bias(fit) - 1.6)
  }, numeric(43))
  part <- rep(c("alpha", "delta", "S"), c(1, 5, 15))
  bias <- rowMeans(z[1:21, ]) / (apply(z[1:21, ], 1, sd) / sqrt(sets))
  data.frame(missing = if (missing) "10 %" else "none", part = c("alpha", "delta", "S"),
             coverage = tapply(rowMeans(z[22:42, ]), part, mean)[c("alpha", "delta", "S")],
             mean_bias_in_errors = tapply(abs(bias), part, mean)[c("alpha", "delta", "S")],
             corrected = c(abs(mean(z[43, ])) / (sd(z[43, ]) / sqrt(sets)), NA, NA))
}
cat("\nCoverage of limits of 95 %,", sets, "sets of 1000 x 5, alpha = 1.6; mean |bias| in standard errors of the",
    "mean, and that of alpha less its bias of order 1/n\n")
if (sets > 1) print(rbind(cover(FALSE), cover(TRUE)), digits = 3, row.names = FALSE)

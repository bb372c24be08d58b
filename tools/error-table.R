# Worst errors of the functions against the reference tables of the tests, device by device: writes inst/errors.csv,
# which CONTRIBUTING.md names.   Rscript tools/error-table.R [device ...]
# Errors of values are relative; those of logarithms count in units of the logarithm once it exceeds one, since its
# rounding allows no less; those of quantiles of a discrete distribution are how many are not the reference's.
library(statcl)
test_path <- function(...) file.path("tests/testthat", ...)
source("tests/testthat/helper-ref.R")
devices <- commandArgs(trailingOnly = TRUE)
if (!length(devices)) devices <- clDevices()$name

stable <- read_ref("stable")
quantile <- read_ref("stable_quantile")
score <- read_ref("stable_score")
bessel <- read_ref("besselk")
bessel[c("nu", "x")] <- lapply(bessel[c("nu_hex", "x_hex")], as.numeric)
matern_ref <- read_ref("matern")
matern_ref[c("nu", "beta", "r")] <- lapply(matern_ref[c("nu_hex", "beta_hex", "r_hex")], as.numeric)
poisson <- read_ref("poisson_cdf")
poisson_q <- read_ref("poisson_quantile")
poisson_log_q <- read_ref("poisson_quantile_log")
gamma <- read_ref("gamma")
beta <- read_ref("beta")

normal <- function(x) is.finite(x) & abs(x) >= .Machine$double.xmin
# Of values that are normal numbers; what is 0 or infinite must be so exactly.
values <- function(value, truth) {
  exact <- !normal(truth) & abs(truth) %in% c(0, Inf)
  c(relative_error(value, truth)[normal(truth)], ifelse(value[exact] == truth[exact], 0, Inf))
}
logs <- function(value, truth) log_error(value, truth)[is.finite(truth)]
# Quantiles have one right value, up to 2^53.
wrong <- function(value, ref) as.numeric(value != ref$q)[is.na(ref$margin) | ref$q <= 2^53]
tails <- function(f, q, p, log) {
  value <- numeric(nrow(q))
  for (lower in c(TRUE, FALSE)) {
    rows <- q$lower == lower
    value[rows] <- f(q[[p]][rows], q$lambda[rows], lower.tail = lower, log.p = log)
  }
  value
}
quantiles <- function() {
  value <- numeric(nrow(quantile))
  for (upper in 0:1) {
    rows <- quantile$upper == upper
    value[rows] <- qstable(quantile$p[rows], quantile$alpha[rows], quantile$beta[rows], lower.tail = upper == 0)
  }
  value
}

measures <- list(
  list("dstable", "value", function() values(with(stable, dstable(x, alpha, beta)), stable$pdf)),
  list("dstable", "log", function() logs(with(stable, dstable(x, alpha, beta, log = TRUE)), stable$logpdf)),
  list("pstable", "value", function() values(with(stable, pstable(x, alpha, beta)), stable$cdf)),
  list("pstable", "upper tail",
       function() values(with(stable, pstable(x, alpha, beta, lower.tail = FALSE)), stable$sf)),
  list("pstable", "log", function() logs(with(stable, pstable(x, alpha, beta, log.p = TRUE)), stable$logcdf)),
  list("qstable", "value", function() values(quantiles(), quantile$x)),
  list("besselKgpu", "value", function() values(with(bessel, besselKgpu(x, nu)), bessel$k)),
  list("besselKgpu", "scaled", function() values(with(bessel, besselKgpu(x, nu, expon.scaled = TRUE)), bessel$ke)),
  list("besselKgpu", "log", function() logs(with(bessel, besselKgpu(x, nu, log = TRUE)), bessel$logk)),
  list("matern", "value", function() values(with(matern_ref, mapply(matern, r, range = beta, smoothness = nu)),
                                            matern_ref$corr)),
  list("dpoisgpu", "value", function() values(with(poisson, dpoisgpu(q, lambda)), poisson$pmf)),
  list("dpoisgpu", "log", function() logs(with(poisson, dpoisgpu(q, lambda, log = TRUE)), poisson$log_pmf)),
  list("ppoisgpu", "value", function() values(with(poisson, ppoisgpu(q, lambda)), poisson$cdf)),
  list("ppoisgpu", "upper tail",
       function() values(with(poisson, ppoisgpu(q, lambda, lower.tail = FALSE)), poisson$sf)),
  list("ppoisgpu", "log", function() logs(with(poisson, ppoisgpu(q, lambda, log.p = TRUE)), poisson$log_cdf)),
  list("qpoisgpu", "not the exact quantile",
       function() wrong(tails(qpoisgpu, poisson_q, "p", FALSE), poisson_q)),
  list("qpoisgpu", "log.p: not the exact quantile",
       function() wrong(tails(qpoisgpu, poisson_log_q, "log_p", TRUE), poisson_log_q)),
  list("dgammagpu", "log", function() logs(with(gamma, dgammagpu(x, shape, log = TRUE)), gamma$log_density)),
  list("pgammagpu", "log", function() logs(with(gamma, pgammagpu(x, shape, log.p = TRUE)), gamma$log_lower)),
  list("dbetagpu", "log", function() logs(with(beta, dbetagpu(x, a, b, log = TRUE)), beta$log_density)),
  list("pbetagpu", "log", function() logs(with(beta, pbetagpu(x, a, b, log.p = TRUE)), beta$log_lower)))

measure <- function(device, m) {
  error <- withDevice(device, suppressWarnings(m[[3]]()))
  counted <- grepl("quantile", m[[2]])
  data.frame(`function` = m[[1]], of = m[[2]], device = device, rows = length(error),
             worst = signif(if (counted) sum(error) else max(error), 2),
             share_within_1e_13 = if (counted) NA else signif(mean(error <= 1e-13), 4), check.names = FALSE)
}
table <- do.call(rbind, lapply(devices, function(d) do.call(rbind, lapply(measures, function(m) measure(d, m)))))
options(width = 120)
print(table, row.names = FALSE)
write.csv(table, "inst/errors.csv", row.names = FALSE, quote = FALSE)

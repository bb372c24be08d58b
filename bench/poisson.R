# The Poisson family against base R, and against the package nmathopencl where it installs: speed on one thread,
# errors against the reference tables, one run on one machine.
#   Rscript bench/poisson.R [device [values]]
library(statcl)
source("bench/peers.R")
source("tests/testthat/helper-ref.R")
test_path <- function(...) file.path("tests/testthat", ...)
argument <- commandArgs(trailingOnly = TRUE)
device <- if (length(argument) > 0) argument[1] else "cpu"
n <- if (length(argument) > 1) as.numeric(argument[2]) else 1e6
useDevice(device)
options(statcl.threads = 1, width = 140)

# nmathopencl wants newer packages than the system may have, and C++17, which R before 4.3 does not ask for.
dir.create(file.path("build", "peers"), recursive = TRUE, showWarnings = FALSE)
.libPaths(c(file.path("build", "peers"), .libPaths()))
if (getRversion() < "4.3.0" && !nzchar(Sys.getenv("R_MAKEVARS_USER"))) {
  makevars <- tempfile()
  writeLines("CXX = g++ -std=gnu++17", makevars)
  Sys.setenv(R_MAKEVARS_USER = makevars)
  with_nmath <- length(need_peers("nmathopencl")) > 0
  Sys.unsetenv("R_MAKEVARS_USER")
} else with_nmath <- length(need_peers("nmathopencl")) > 0
nmath_name <- "nmathopencl"
if (with_nmath && !nmathopencl::nmathopencl_has_opencl()) {
  message("nmathopencl was built without OpenCL: it calls base R once for every value.")
  nmath_name <- "nmathopencl (no OpenCL)"
}

cat(machine(), "\nDevice:", paste(useDevice(), collapse = ", "), "\n")

# ---- quantiles at the reference points ----

step_at <- function(q) ifelse(abs(q) >= 2^53, 2^(floor(log2(abs(q))) - 52), 1)
judge <- function(q, truth) {
  off <- ifelse(q == truth, 0, abs(q - truth) / step_at(truth))
  ifelse(is.na(off), Inf, off)
}
quantile_regions <- c(0, 0.01, 10, 1e3, 1e6, 2^53, Inf)
quantile_names <- c("lambda <= 0.01", "0.01 .. 10", "10 .. 1e3", "1e3 .. 1e6", "1e6 .. 2^53", "> 2^53")
count_rows <- function(name, give_log) {
  ref <- read_ref(name)
  ref$q <- as.numeric(ref$q)
  p <- if (give_log) ref$log_p else ref$p
  answers <- function(f) {
    q <- numeric(nrow(ref))
    for (lower in c(TRUE, FALSE)) {
      rows <- ref$lower == lower
      q[rows] <- suppressWarnings(f(p[rows], ref$lambda[rows], lower, give_log))
    }
    judge(q, ref$q)
  }
  ours <- answers(qpoisgpu)
  base <- answers(stats::qpois)
  # margins beyond 2^53 say nothing: whole numbers have gaps there; edges have none
  far <- ref$lambda <= 2^53 & (is.na(ref$margin) | ref$margin > 8)
  near <- ref$lambda <= 2^53 & !far
  region <- cut(ref$lambda, quantile_regions, quantile_names, include.lowest = TRUE)
  in_region <- function(x) as.vector(tapply(x, region, sum, default = 0))
  data.frame(table = name, lambda = quantile_names, rows = in_region(rep(1, nrow(ref))), near = in_region(near),
             statcl = in_region(near & ours > 0), "statcl beyond" = in_region(!near & ours > 0),
             "statcl > 1 off" = in_region(ours > 1), "base R" = in_region(near & base > 0),
             "base R beyond" = in_region(!near & base > 0), "base R > 1 off" = in_region(base > 1),
             check.names = FALSE)
}
cat("\nQuantiles of the reference tables. near: rows with p within 8 ulps of a jump, and of those the inexact ones;",
    "\nbeyond: inexact ones of the other rows (of all from lambda 2^53 on); > 1 off: by more than one, or one",
    "representable step\n")
print_table(rbind(count_rows("poisson_quantile", FALSE), count_rows("poisson_quantile_log", TRUE)), 4)

# ---- probabilities at the reference points, in units of 2^-52; the reference is rounded to double ----

ref <- read_ref("poisson_cdf")
values <- list(
  statcl = list(pmf = dpoisgpu(ref$q, ref$lambda), cdf = ppoisgpu(ref$q, ref$lambda),
                sf = ppoisgpu(ref$q, ref$lambda, FALSE), log_pmf = dpoisgpu(ref$q, ref$lambda, TRUE),
                log_cdf = ppoisgpu(ref$q, ref$lambda, TRUE, TRUE), log_sf = ppoisgpu(ref$q, ref$lambda, FALSE, TRUE)),
  "base R" = list(pmf = stats::dpois(ref$q, ref$lambda), cdf = stats::ppois(ref$q, ref$lambda),
                  sf = stats::ppois(ref$q, ref$lambda, FALSE), log_pmf = stats::dpois(ref$q, ref$lambda, TRUE),
                  log_cdf = stats::ppois(ref$q, ref$lambda, TRUE, TRUE),
                  log_sf = stats::ppois(ref$q, ref$lambda, FALSE, TRUE)))
error_row <- function(what) {
  truth <- ref[[what]]
  held <- is_normal(truth) | truth == 0
  size <- if (startsWith(what, "log")) pmax(1, abs(truth)) else abs(truth)
  errors <- lapply(values, function(peer) in_units(peer[[what]], truth, size)[held])
  cbind(what = what, rows = sum(held), as.data.frame(lapply(errors, figures), optional = TRUE))
}
cat("\nErrors at the reference points in units of 2^-52, median / 99 % / largest; of logarithms, of max(1, |log|)\n")
print_table(do.call(rbind, lapply(names(values$statcl), error_row)))

# ---- speed ----

set.seed(1)
p <- runif(n)
listed <- c(2, 8, 32, 128, 1e4, 1e8)
lambdas <- c(as.list(stats::setNames(listed, format(listed, scientific = FALSE, trim = TRUE, drop0trailing = TRUE))),
             list("mixed, of the list" = sample(listed, n, TRUE), "mixed, 0.1 .. 1e6" = 10^runif(n, -1, 6)))
# means as tau-leaping has them
small <- list(sparse = ifelse(runif(n) < 0.7, 0, 10^runif(n, -3, 3)), "uniform, 0 .. 1" = runif(n),
              "mixed, 1e-3 .. 1e3" = 10^runif(n, -3, 3))
invisible(qpoisgpu(p[1:2], 2)) # devices are chosen at the first call
# The clock of processor time has steps of a millisecond: short calls are timed ten together.
each <- function(call, runs = 5) {
  once <- cpu_seconds(call(), 1)
  if (once > 0.05) cpu_seconds(call(), runs) else cpu_seconds(for (k in 1:10) call(), runs) / 10
}
few <- seq_len(min(n, 1e4)) # for calls of one value at a time
ns <- function(call, values = n) 1e9 * each(call) / values
normal <- ns(function() .External(statcl:::C_elementwise, "normalQuantile", p))
base_normal <- ns(function() stats::qnorm(p))

quantile_row <- function(name) {
  lambda <- lambdas[[name]]
  row <- data.frame(lambda = name, "base R" = ns(function() stats::qpois(p, lambda)), check.names = FALSE)
  if (with_nmath) {
    some <- if (length(lambda) > 1) lambda[few] else lambda
    row[[nmath_name]] <- ns(function() nmathopencl::qpois_opencl(p[few], some), length(few))
  }
  row$statcl <- ns(function() qpoisgpu(p, lambda))
  row$ratio <- row[["base R"]] / row$statcl
  row[["of normal"]] <- row$statcl / normal
  row$single <- ns(function() withPrecision("single", qpoisgpu(p, lambda)))
  row[["double / single"]] <- row$statcl / row$single
  row
}
random_row <- function(name) {
  lambda <- c(lambdas, small)[[name]]
  row <- data.frame(lambda = name, "base R" = ns(function() stats::rpois(n, lambda)), check.names = FALSE)
  if (with_nmath && length(lambda) == 1)
    row[[nmath_name]] <- ns(function() nmathopencl::rpois_opencl(length(few), lambda), length(few))
  else if (with_nmath) row[[nmath_name]] <- NA
  row$statcl <- ns(function() rpoisgpu(n, lambda))
  row$ratio <- row[["base R"]] / row$statcl
  row
}
value_row <- function(name) {
  lambda <- c(lambdas, small)[[name]]
  k <- stats::rpois(n, lambda)
  row <- data.frame(lambda = name, "base R d" = ns(function() stats::dpois(k, lambda)),
                    "statcl d" = ns(function() dpoisgpu(k, lambda)), check.names = FALSE)
  row[["ratio d"]] <- row[["base R d"]] / row[["statcl d"]]
  row[["base R p"]] <- ns(function() stats::ppois(k, lambda))
  row[["statcl p"]] <- ns(function() ppoisgpu(k, lambda))
  row[["ratio p"]] <- row[["base R p"]] / row[["statcl p"]]
  row
}
tail_row <- function(lambda) {
  row <- data.frame(lambda = format(lambda), "base R" = ns(function() stats::qpois(p * 4.8e-4, lambda, FALSE)),
                    statcl = ns(function() qpoisgpu(p * 4.8e-4, lambda, FALSE)), check.names = FALSE)
  row$ratio <- row[["base R"]] / row$statcl
  row
}
each_lambda <- function(f, of = lambdas) do.call(rbind, lapply(names(of), f))

cat(sprintf("\nns per value, one thread, %g values, medians of processor time; for OpenCL of all its threads\n", n))
cat(sprintf("\nNormal quantiles: base R %.3g, statcl %.3g, ratio %.3g\n", base_normal, normal, base_normal / normal))
cat("\nqpois; of normal: statcl's time in those of its normal quantile\n")
quantiles <- each_lambda(quantile_row)
print_table(quantiles)
cat("\nrpois\n")
draws <- each_lambda(random_row, c(lambdas, small))
print_table(draws)
cat("\ndpois and ppois at random k\n")
probabilities <- each_lambda(value_row, c(lambdas, small))
print_table(probabilities)
cat("\nqpois of upper tails up to 4.8e-4\n")
tails <- do.call(rbind, lapply(c(2, 32, 1e4), tail_row))
print_table(tails)

other <- setdiff(with(clDevices(), name[fp64]), useDevice())
if (device == "cpu") for (opencl in other) {
  cat("\nOn", opencl, "in ns per value: qpoisgpu, rpoisgpu\n")
  print_table(each_lambda(function(name) withDevice(opencl, data.frame(
    lambda = name, qpoisgpu = ns(function() qpoisgpu(p, lambdas[[name]])),
    rpoisgpu = ns(function() rpoisgpu(n, lambdas[[name]]))))))
}

# ---- the targets ----

target <- function(what, got, wanted, most = FALSE)
  data.frame(target = what, wanted = paste(if (most) "<=" else ">=", wanted), got,
             met = ifelse(if (most) got <= wanted else got >= wanted, "yes", "NO"))
ratio_at <- function(table, name) table$ratio[match(name, table$lambda)]
fifteen <- c("8", "32", "128", "10000")
eight <- c("2", "mixed, of the list", "mixed, 0.1 .. 1e6")
cat("\nTargets on one thread of the CPU\n")
print_table(rbind(
  target(paste("qpoisgpu over qpois, lambda", fifteen), ratio_at(quantiles, fifteen), 15),
  target(paste("qpoisgpu over qpois, lambda", eight), ratio_at(quantiles, eight), 8),
  target("qpoisgpu at 32, double over single precision",
         quantiles[["double / single"]][quantiles$lambda == "32"], 1.5),
  target("qpoisgpu at 32 in normal quantiles", quantiles[["of normal"]][quantiles$lambda == "32"], 2.5, TRUE),
  target("normal quantile over qnorm", base_normal / normal, 3),
  target("qpoisgpu over qpois in far tails, lambda 32", tails$ratio[2], 10),
  target(paste("ppoisgpu over ppois, lambda", probabilities$lambda), probabilities[["ratio p"]], 5),
  target(paste("rpoisgpu over rpois, lambda", draws$lambda), draws$ratio,
         ifelse(draws$lambda == "mixed, of the list", 2.5, 2))))

# Gamma, chi-squared (with ncp), beta, F and t: errors against the tables of the tests in units of the last digit, and
# processor time on one thread beside base R.   Rscript bench/quantiles.R
#   share: the largest error of a quantile by the larger of 4 units and what a unit of p does
library(statcl)
options(statcl.threads = 1)
test_path <- function(...) file.path("tests/testthat", ...)
source("tests/testthat/helper-ref.R")
eps <- .Machine$double.eps

share_of <- function(dist, rows, functions) {
  tail <- rows$lower == 1
  log <- rows$log == 1
  is_parameter <- names(rows) %in% c("shape", "a", "b", "df", "ncp")
  each <- function(f, x, flags) vapply(seq_len(nrow(rows)), function(i)
    suppressWarnings(do.call(f, c(list(x[i]), unname(as.list(rows[i, is_parameter, drop = FALSE])), flags(i)))), 0)
  q <- each(functions$q, rows$p, function(i) list(lower.tail = tail[i], log.p = log[i]))
  density <- each(get(paste0("d", dist, "gpu")), rows$q, function(i) list(log = TRUE))
  tails <- each(get(paste0("p", dist, "gpu")), rows$q, function(i) list(lower.tail = tail[i], log.p = TRUE))
  reach <- exp(tails - density - log(rows$q)) * ifelse(log, pmax(1, abs(rows$p)), 1)
  reach[is.na(reach)] <- 0
  error <- ifelse(q == rows$q, 0, abs(q / rows$q - 1)) / eps / pmax(4, reach)
  beyond <- rows$q < 1e-307 | rows$q > 1e307
  error[beyond] <- 0
  c(share = max(error), over = sum(error > 1), rows = length(error))
}
gamma <- read_ref("gamma_quantile")
beta <- read_ref("beta_quantile")
tables <- list(gamma = gamma, beta = beta[beta$dist == "beta", -1], f = beta[beta$dist == "f", -1],
               chisq = read_ref("noncentral_quantile"))
for (dist in names(tables)) {
  ours <- share_of(dist, tables[[dist]], list(q = get(paste0("q", dist, "gpu"))))
  base <- share_of(dist, tables[[dist]], list(q = get(paste0("q", dist), "package:stats")))
  cat(sprintf("q%s: %d rows, statcl share %.2f, %d over 1; base R %.3g, %d over 1\n", dist, ours[[3]], ours[[1]],
              ours[[2]], base[[1]], base[[2]]))
}

time_of <- function(call, n) {
  began <- proc.time()[[1]]
  rounds <- 0
  while (proc.time()[[1]] - began < 0.5) {
    eval(call, parent.frame())
    rounds <- rounds + 1
  }
  (proc.time()[[1]] - began) / rounds / n * 1e9
}
n <- 1e5
few <- 5000
set.seed(1)
p <- runif(n)
mixed <- exp(runif(n, -2, 7))
other <- exp(runif(n, -2, 7))
cat("\nns per value      d      p      q      r  base q  base r\n")
row <- function(name, dist, first, second = NULL) {
  parameters <- c(list(first), if (!is.null(second)) list(second))
  call_of <- function(kind, x, m, base = FALSE) {
    f <- if (base) get(paste0(kind, dist), "package:stats") else get(paste0(kind, dist, "gpu"))
    as.call(c(f, list(x), lapply(parameters, function(v) if (length(v) > 1) v[seq_len(m)] else v)))
  }
  q <- eval(call_of("q", p, n))
  cat(sprintf("%-14s %6.1f %6.1f %6.1f %6.1f %7.0f %7.0f\n", name, time_of(call_of("d", q, n), n),
              time_of(call_of("p", q, n), n), time_of(call_of("q", p, n), n), time_of(call_of("r", n, n), n),
              time_of(call_of("q", p[1:few], few, TRUE), few), time_of(call_of("r", n, n, TRUE), n)))
}
for (shape in c(0.1, 0.7, 3, 10, 30, 1e4)) row(paste("gamma", shape), "gamma", shape)
row("gamma mixed", "gamma", mixed)
for (shapes in list(c(0.5, 0.5), c(2, 3), c(0.3, 8), c(30, 50), c(300, 700), c(1e4, 2e4)))
  row(paste("beta", shapes[1], shapes[2]), "beta", shapes[1], shapes[2])
row("beta mixed", "beta", mixed, other)
row("F 3 20", "f", 3, 20)
row("t 5", "t", 5)
row("chisq 3 10", "chisq", 3, 10)
row("chisq 0.3 1", "chisq", 0.3, 1)
row("chisq 5 100", "chisq", 5, 100)
row("chisq 1e3 50", "chisq", 1000, 50)
row("chisq ncp mixed", "chisq", mixed, other)

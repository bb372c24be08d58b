# Errors of dstable(), pstable() and qstable() against the reference tables, by device, route and region.
#   Rscript bench/accuracy.R [device ...]
# Every value is compared as it is and as its logarithm. "core" rows are those with |log value| < 100: beyond, a value
# carries the rounding of its exponent, |log value| times 1e-16, and only the logarithm has all digits.
library(statcl)
source("bench/peers.R")
source("tests/testthat/helper-ref.R")
test_path <- function(...) file.path("tests/testthat", ...)
ref <- read_ref("stable")
quantiles <- read_ref("stable_quantile")
devices <- commandArgs(trailingOnly = TRUE)
if (!length(devices)) devices <- clDevices()$name
options(width = 140)

# One call per distribution, so that a table can serve it: f is called with a vector and one alpha and beta.
by_law <- function(f, x, rows, ...) {
  law <- paste(rows$alpha, rows$beta)
  unsplit(lapply(split(data.frame(x, alpha = rows$alpha, beta = rows$beta), law),
                 function(part) f(part$x, part$alpha[1], part$beta[1], ...)), law)
}
columns <- list(
  density = list(truth = ref$pdf, log_truth = ref$logpdf,
                 value = function(log) by_law(dstable, ref$x, ref, log = log)),
  cdf = list(truth = ref$cdf, log_truth = log(ref$cdf),
             value = function(log) by_law(pstable, ref$x, ref, log.p = log)),
  sf = list(truth = ref$sf, log_truth = log(ref$sf),
            value = function(log) by_law(pstable, ref$x, ref, lower.tail = FALSE, log.p = log)))
outside <- ref$logpdf == -Inf

# The logarithm of a tail next to one comes from the other tail, which has the digits.
columns$cdf$log_truth[ref$cdf > 0.5] <- log1p(-ref$sf[ref$cdf > 0.5])
columns$sf$log_truth[ref$sf > 0.5] <- log1p(-ref$cdf[ref$sf > 0.5])

column_table <- function(column) {
  value <- column$value(FALSE)
  log_value <- column$value(TRUE)
  error <- relative_error(value, column$truth)
  error_log <- log_error(log_value, column$log_truth)
  relative_log <- relative_error(log_value, column$log_truth)
  normal <- !outside & column$truth >= .Machine$double.xmin
  core <- normal & abs(column$log_truth) < 100
  in_log <- !outside & is.finite(column$log_truth)
  worst <- function(x) if (anyNA(x)) NaN else max(0, x)
  regions <- stable_regions(ref)
  table <- do.call(rbind, lapply(names(regions), function(name) {
    of <- function(x, rows) x[rows & regions[[name]]]
    data.frame(region = name, rows = sum(of(normal, normal)), worst = worst(of(error, normal)),
               share_1e_13 = mean(of(error, normal) <= 1e-13), core = sum(of(core, core)),
               worst_core = worst(of(error, core)), share_core = mean(of(error, core) <= 1e-13),
               log_rows = sum(of(in_log, in_log)), worst_log = worst(of(error_log, in_log)),
               worst_log_relative = worst(of(relative_log, in_log & column$log_truth != 0)))
  }))
  exact <- outside & value == column$truth & log_value == log(column$truth)
  list(table = table, missing = sum(is.na(value) | is.na(log_value)), exact = sum(exact %in% TRUE))
}

# A quantile is right when x is, or where x is ill-conditioned when the probability there is.
quantile_table <- function() {
  q <- quantiles
  value <- numeric(nrow(q))
  back <- numeric(nrow(q))
  from_log <- numeric(nrow(q))
  for (upper in 0:1) {
    rows <- q$upper == upper
    with_tail <- function(f, p, ...) by_law(f, p[rows], q[rows, ], lower.tail = upper == 0, ...)
    value[rows] <- with_tail(qstable, q$p)
    back[rows] <- with_tail(pstable, value)
    from_log[rows] <- with_tail(qstable, log(q$p), log.p = TRUE)
  }
  error <- relative_error(value, q$x)
  error_p <- relative_error(back, q$p)
  # Rounding log(p) moves p by |log p| eps: where that costs x more than 1e-11, rows are not counted here.
  error_log <- relative_error(from_log, q$x)
  slope <- q$p / (abs(q$x) * dstable(q$x, q$alpha, q$beta))
  held <- slope * abs(log(q$p)) * 1.2e-16 < 1e-12
  regions <- stable_regions(q)
  do.call(rbind, lapply(names(regions), function(name) {
    rows <- regions[[name]]
    data.frame(region = name, rows = sum(rows), worst_x = max(0, error[rows]),
               share_1e_11 = mean(error[rows] <= 1e-11),
               worst_p_otherwise = max(0, error_p[rows & error > 1e-11]),
               accepted = mean(error[rows] <= 1e-11 | error_p[rows] <= 1e-12),
               worst_x_from_log = max(0, error_log[rows & held]))
  }))
}

cat(machine(), "\n")
for (device in devices) for (route in c("direct", "table")) {
  options(statcl.stable.route = route)
  withDevice(device, {
    for (name in names(columns)) {
      result <- column_table(columns[[name]])
      cat(sprintf("\n%s, %s route, %s: %d rows, %d of them exact outside the support (%d right), %d NaN\n", device,
                  route, name, nrow(ref), sum(outside), result$exact, result$missing))
      print_table(result$table, digits = 4)
    }
    cat(sprintf("\n%s, %s route, quantiles: %d rows\n", device, route, nrow(quantiles)))
    print_table(quantile_table(), digits = 4)
  })
}
options(statcl.stable.route = NULL)

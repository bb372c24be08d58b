# The published fixed-subinterval Gauss-Kronrod scheme with peak re-evaluation, as a baseline for statcl.
#   Rscript bench/stable-gk.R [subintervals [points]]
# It is the scheme of J. Royuela-del-Val, F. Simmross-Wattenberg and C. Alberola-Lopez (libstable, Journal of
# Statistical Software 78(1), 2017: the integrals) and of G. Julian-Moreno and others (Statistics and Computing 27,
# 2017: their evaluation in OpenCL). What follows them, the rule of re-evaluation as in the authors' public OpenCL
# library: density and distribution function from Zolotarev's integrals over an angle, in the form of Nolan (1997);
# the range cut into a fixed number of equal subintervals, each summed by a Gauss-Kronrod pair; if the subintervals
# that contribute more than 1e-5 are less than a quarter of all, their span is cut again and summed once more; for
# alpha <= 0.3 the first subinterval is always the span.
# What is our reading: the 61-point pair and 10 subintervals by default (the library's constants changed over time);
# the same rule of re-evaluation for the distribution function, by where it changes; the upper tail as one minus the
# lower. Nodes come from Laurie's algorithm (1997). Plain C, one thread, built in a temporary folder.
library(statcl)
source("bench/peers.R")
source("tests/testthat/helper-ref.R")
test_path <- function(...) file.path("tests/testthat", ...)
options(statcl.threads = 1, width = 120)
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
subintervals <- if (length(argument) > 0) argument[1] else 10
n <- if (length(argument) > 1) argument[2] else 2e4

code <- '
#include <math.h>
#define HALF_PI 1.57079632679489661923
typedef struct { double alpha, beta, theta0, from_x; int density; } law;

static double integrand(const law *l, double theta) {
  const double c = cos(theta);
  double log_g;
  if (l->alpha == 1) {
    const double h = HALF_PI + l->beta * theta;
    log_g = l->from_x + log(h / (HALF_PI * c)) + h * tan(theta) / l->beta;
  } else {
    const double e = l->alpha / (l->alpha - 1), s = l->alpha * (l->theta0 + theta);
    log_g = l->from_x + e * log(c / sin(s)) + log(cos(s - theta) / c);
  }
  const double g = exp(log_g), value = l->density ? g * exp(-g) : exp(-g);
  return value >= 0 && isfinite(value) ? value : 0;
}

/* Sum of one subinterval; its range of values says whether a distribution function changes there. */
static double kronrod(const law *l, double a, double width, int m, const double *node, const double *weight,
                      double *change) {
  double sum = 0, least = INFINITY, most = 0;
  for (int k = 0; k < m; k++) {
    const double f = integrand(l, a + width * (1 + node[k]) / 2);
    sum += weight[k] * f;
    least = fmin(least, f);
    most = fmax(most, f);
  }
  *change = l->density ? sum : most - least;
  return sum * width / 2;
}

static double integral(const law *l, double a, double b, int parts, int m, const double *node, const double *weight) {
  double rest = 0;
  for (int again = 0; ; again++) {
    double sum[1024];
    const double width = (b - a) / parts;
    int first = parts, last = -1;
    for (int k = 0; k < parts; k++) {
      double change;
      sum[k] = kronrod(l, a + k * width, width, m, node, weight, &change);
      if (change > 1e-5) { last = k; if (first > k) first = k; }
    }
    if (l->alpha <= 0.3) first = last = 0;
    const int narrow = last >= first && 4 * (last - first + 1) < parts && !again;
    for (int k = 0; k < parts; k++) if (!narrow || k < first || k > last) rest += sum[k];
    if (!narrow) return rest;
    b = a + (last + 1) * width;
    a += first * width;
  }
}

void evaluate(int *n, double *x, double *alpha, double *beta, int *density, int *parts, int *m, double *node,
              double *weight, double *value) {
  for (int i = 0; i < *n; i++) {
    law l = {alpha[i], beta[i], 0, 0, *density};
    double y = x[i], f;
    int flip;
    if (l.alpha == 1 && l.beta == 0) {
      value[i] = *density ? 1 / (2 * HALF_PI * (1 + y * y)) : 0.5 + atan(y) / (2 * HALF_PI);
      continue;
    }
    if (l.alpha == 1) {
      flip = l.beta < 0;
      if (flip) { l.beta = -l.beta; y = -y; }
      l.from_x = -HALF_PI * y / l.beta;
      f = integral(&l, -HALF_PI, HALF_PI, *parts, *m, node, weight);
      f = *density ? f / (2 * l.beta) : f / (2 * HALF_PI);
    } else {
      const double t = l.beta * tan(HALF_PI * l.alpha);
      y += t;
      l.theta0 = atan(t) / l.alpha;
      flip = y < 0;
      if (flip) { y = -y; l.theta0 = -l.theta0; }
      const double log_cos = -log1p(t * t) / 2;
      if (y == 0) {
        value[i] = *density ? tgamma(1 + 1 / l.alpha) * cos(l.theta0) * exp(log_cos / l.alpha) / (2 * HALF_PI)
                            : (HALF_PI - l.theta0) / (2 * HALF_PI);
        continue;
      }
      l.from_x = (log_cos + l.alpha * log(y)) / (l.alpha - 1);
      f = integral(&l, -l.theta0, HALF_PI, *parts, *m, node, weight);
      if (*density) f *= l.alpha / (2 * HALF_PI * fabs(l.alpha - 1) * y);
      else f = l.alpha > 1 ? 1 - f / (2 * HALF_PI) : (HALF_PI - l.theta0 + f) / (2 * HALF_PI);
    }
    value[i] = flip && !*density ? 1 - f : f;
  }
}
'
# Nodes and weights of the Kronrod extension of the Gauss-Legendre rule with k points, by Laurie's algorithm.
kronrod_rule <- function(k) {
  size <- 2 * k + 1
  b <- numeric(size)
  known <- 0:ceiling(3 * k / 2)
  b[known + 1] <- c(2, known[-1]^2 / (4 * known[-1]^2 - 1))
  s <- t <- numeric(floor(k / 2) + 3)
  t[2] <- b[k + 2]
  for (m in 0:(k - 2)) {
    u <- 0
    for (i in floor((m + 1) / 2):0) {
      u <- u + b[i + k + 2] * s[i + 1] - b[m - i + 1] * s[i + 2]
      s[i + 2] <- u
    }
    swap <- s; s <- t; t <- swap
  }
  s[floor(k / 2):0 + 2] <- s[floor(k / 2):0 + 1]
  for (m in (k - 1):(2 * k - 3)) {
    u <- 0
    for (i in (m + 1 - k):floor((m - 1) / 2)) {
      j <- k - 1 - (m - i)
      u <- u - b[i + k + 2] * s[j + 2] + b[m - i + 1] * s[j + 3]
      s[j + 2] <- u
    }
    if (m %% 2 == 1) b[floor((m + 1) / 2) + k + 2] <- s[j + 2] / s[j + 3]
    swap <- s; s <- t; t <- swap
  }
  jacobi <- matrix(0, size, size)
  side <- cbind(seq_len(size - 1), seq_len(size - 1) + 1)
  jacobi[side] <- jacobi[side[, 2:1]] <- sqrt(b[-1])
  e <- eigen(jacobi, symmetric = TRUE)
  list(node = e$values, weight = 2 * e$vectors[1, ]^2)
}
rule <- kronrod_rule(30)
stopifnot(abs(sum(rule$weight * rule$node^90) - 2 / 91) < 1e-14, rule$weight > 0, subintervals <= 1024)

folder <- tempfile("gk")
dir.create(folder)
writeLines(code, file.path(folder, "gk.c"))
here <- setwd(folder)
invisible(system2(file.path(R.home("bin"), "R"), c("CMD", "SHLIB", "gk.c"), stdout = FALSE))
dyn.load(paste0("gk", .Platform$dynlib.ext))
setwd(here)
gauss_kronrod <- function(x, alpha, beta, density) .C("evaluate", length(x), as.double(x),
  as.double(rep_len(alpha, length(x))), as.double(rep_len(beta, length(x))), as.integer(density),
  as.integer(subintervals), length(rule$node), rule$node, rule$weight, value = numeric(length(x)))$value

ref <- read_ref("stable")
ref <- ref[abs(ref$logpdf) < 100, ]
values <- with(ref, list(
  density = list(pdf, gauss_kronrod(x, alpha, beta, TRUE), dstable(x, alpha, beta)),
  "lower tail" = list(cdf, gauss_kronrod(x, alpha, beta, FALSE), pstable(x, alpha, beta)),
  "upper tail" = list(sf, 1 - gauss_kronrod(x, alpha, beta, FALSE), pstable(x, alpha, beta, lower.tail = FALSE))))
cat(machine(), sprintf("\nGauss-Kronrod: %g subintervals of 61 points; one thread\n", subintervals))
regions <- stable_regions(ref)
for (name in names(values)) {
  v <- values[[name]]
  error <- relative_error(v[[2]], v[[1]])
  ours <- relative_error(v[[3]], v[[1]])
  held <- v[[1]] >= .Machine$double.xmin
  cat(sprintf("\n%s, relative errors at the %d reference points with |log density| < 100\n", name, sum(held)))
  print_table(do.call(rbind, lapply(names(regions), function(region) {
    rows <- regions[[region]] & held
    data.frame(region, rows = sum(rows), gk_median = stats::median(error[rows]), gk_worst = max(error[rows]),
               gk_share_1e_6 = mean(error[rows] <= 1e-6), gk_share_1e_13 = mean(error[rows] <= 1e-13),
               gk_worst_absolute = max(abs(v[[2]] - v[[1]])[rows]), statcl_worst = max(ours[rows]),
               statcl_share_1e_13 = mean(ours[rows] <= 1e-13))
  })))
}

set.seed(1)
x <- rstable(n, 1.5, 0.5)
options(statcl.stable.route = "direct")
speed <- data.frame(
  value = rep(c("density", "lower tail"), each = 2), scheme = rep(c("Gauss-Kronrod", "statcl, direct"), 2),
  per_second = n / c(cpu_seconds(gauss_kronrod(x, 1.5, 0.5, TRUE), 3), cpu_seconds(dstable(x, 1.5, 0.5)),
                     cpu_seconds(gauss_kronrod(x, 1.5, 0.5, FALSE), 3), cpu_seconds(pstable(x, 1.5, 0.5))))
speed$ratio <- speed$per_second / rep(speed$per_second[c(1, 3)], each = 2)
cat(sprintf("\nPoints per second at alpha 1.5, beta 0.5, %g points\n", n))
print_table(speed)

# Integrals over half-lines, lines and intervals of functions that oscillate, at random: types with known integrals
# over their frequencies, powers, phases and limits. Of each type: the share that has code 0, and of those the share
# within tolerance; values with code 0 whose true error is past the estimate, and those whose error is beyond 10 times
# the estimate, with code 0 (silent) or with any (beyond); single calls and subsets of rows whose results are not, to
# the bit, those of the whole batch (apart); the share with code 5 (five).
#   Rscript bench/quadrature-tails.R [rows [singles [seed]]]     rows of each type; single calls of each
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
library(statcl)
source("bench/peers.R")
rows <- if (length(argument)) argument[1] else 200
singles <- if (length(argument) > 1) min(rows, argument[2]) else rows
set.seed(if (length(argument) > 2) argument[3] else 1)
tolerance <- 1e-10

type <- function(name, f, truth, lower = 0, upper = Inf, ..., rel = tolerance, abs = 0) {
  params <- data.frame(...)
  list(name = name, f = f, params = params, truth = rep_len(truth, nrow(params)), lower = lower, upper = upper,
       rel = rel, abs = abs)
}
between <- function(low, high) runif(rows, low, high)
decades <- function(low, high) 10^runif(rows, low, high)

# The integral of (1 - cos(x))/x^p.
one_less_cos <- function(p) pi / (2 * gamma(p) * sin((p - 1) * pi / 2))
# That of |sin(x)|/x^p, from its Fourier series: the sum of (2 k)^(p - 1)/(4 k^2 - 1), far terms by their expansion.
of_abs_sin <- function(p) vapply(p, function(p) {
  k <- 1:49
  far <- function(s) { # sum of k^-s from 50 on, by Euler and Maclaurin
    a <- 50
    a^(1 - s) / (s - 1) + a^-s / 2 + s * a^(-s - 1) / 12 - s * (s + 1) * (s + 2) * a^(-s - 3) / 720
  }
  sum <- sum((2 * k)^(p - 1) / (4 * k^2 - 1)) +
    sum(vapply(0:5, function(j) 2^(p - 3 - 2 * j) * far(3 + 2 * j - p), 0))
  4 / pi * sum * one_less_cos(p)
}, 0)
# exp(i (w x + b)) g(x) from a on, up the imaginary axis, where it decreases; g is analytic on the right.
rotated <- function(g, w, a = 0, b = 0) mapply(function(w, a, b) {
  part <- function(f) integrate(function(t) f(1i * exp(-t) * g(a + 1i * t / w) / w), 0, Inf, rel.tol = 1e-12,
                                subdivisions = 1000L)$value
  complex(real = part(Re), imaginary = part(Im)) * exp(1i * (w * a + b))
}, w, a, b)

w <- decades(-3, 3)
q <- between(0, 1)
small <- between(0.05, 3)
b <- between(0.1, 0.9)
phase <- between(0, 2 * pi)
n <- sample(2:6, rows, TRUE)
a <- decades(-2, 1)
slow <- 1 - 10^-between(1, 4)
from <- ifelse(runif(rows) < 0.5, -1, 1) * decades(-1, 2)
rest <- decades(-9, -2)
end <- decades(-1, 2)
wide <- decades(0, 2)
late <- decades(-4, -1)
# Airy's function of -t.
airy <- function(t) {
  z <- 2 / 3 * t^1.5
  sqrt(t) / 3 * (1.5 * besselJ(z, 1 / 3) - sqrt(0.75) * besselY(z, 1 / 3))
}

types <- list(
  type("sin(wx)/x", ~ sin(w * x) / x, pi / 2, w = w),
  type("sin(wx)^2/x^2", ~ sin(w * x)^2 / x^2, pi * w / 2, w = w),
  type("(1-cos(wx))/x^p", ~ (1 - cos(w * x)) / x^p, w^(0.2 + 1.6 * q) * one_less_cos(1.2 + 1.6 * q), w = w,
       p = 1.2 + 1.6 * q),
  type("|sin(wx)|/x^p", ~ abs(sin(w * x)) / x^p, w^(0.2 + 0.7 * q) * of_abs_sin(1.2 + 0.7 * q), w = w,
       p = 1.2 + 0.7 * q),
  type("sin(wx)^4/x^4", ~ sin(w * x)^4 / x^4, pi * w^3 / 3, w = w),
  type("sin(wx)^3/x", ~ sin(w * x)^3 / x, pi / 4, w = w),
  type("J(wx)", ~ besselJ(w * x, nu), 1 / w, w = w, nu = 3 * q),
  type("J(wx)^2/x", ~ besselJ(w * x, nu)^2 / x, 1 / (1 + 6 * q), w = w, nu = 0.5 + 3 * q),
  type("J(wx)J(bwx)/x", ~ besselJ(w * x, 1) * besselJ(b * w * x, 1) / x, b / 2, w = w, b = b),
  type("x cos(ax^3)", ~ x * cos(w * x^3), gamma(2 / 3) / 6 / w^(2 / 3), w = w),
  type("cos(ax^n)", ~ cos(w * x^k), gamma(1 / n) * cos(pi / (2 * n)) / (n * w^(1 / n)), w = w, k = n),
  type("sin(ax^2+b)", ~ sin(w * x^2 + phase), sqrt(pi / (8 * w)) * (cos(phase) + sin(phase)), w = w, phase = phase),
  type("sin(w sqrt(x))/x", ~ sin(w * sqrt(x)) / x, pi, w = w),
  type("sin(a e^x)", ~ sin(w * exp(x)), Im(rotated(function(x) 1 / x, 1, pmin(w, 30))), w = pmin(w, 30)),
  type("sin(wx+b)/x^p", ~ sin(w * x + phase) / x^p, gamma(1 - q) * w^(q - 1) * sin(pi * (1 - q) / 2 + phase), w = w,
       phase = phase, p = q),
  type("log(x)sin(wx)/x", ~ log(x) * sin(w * x) / x, -pi / 2 * (-digamma(1) + log(w)), w = w),
  type("cos(wx)log(1+1/x^2)", ~ cos(w * x) * log(1 + 1 / x^2), pi * (1 - exp(-small)) / small, w = small),
  type("sin(wx)/log(x+3)", ~ sin(w * x) / log(x + 3), Im(rotated(function(x) 1 / log(x + 3), w)), w = w),
  type("cos(wx)/(1+x)^p", ~ cos(w * x) / (1 + x)^p, Re(mapply(function(w, p) rotated(function(x) (1 + x)^-p, w), w,
       0.1 + q)), w = w, p = 0.1 + q),
  type("exp(-ax)sin(wx)", ~ exp(-a * w * x) * sin(w * x), 1 / (w * (1 + a^2)), w = w, a = a),
  type("exp(-ax)sin(wx)^2/x", ~ exp(-a * w * x) * sin(w * x)^2 / x, log1p(4 / a^2) / 4, w = w, a = a),
  type("sin(wx)sin(bwx)/x^2", ~ sin(w * x) * sin(b * w * x) / x^2, pi / 2 * b * w, w = w, b = b),
  type("slow beats/x^2", ~ sin(w * x) * sin(b * w * x) / x^2, pi / 2 * slow * w, w = w, b = slow),
  type("(cos(wx)-cos(bwx))/x", ~ (cos(b * w * x) - cos(w * x)) / x, -log(b), w = w, b = b),
  type("(1+cos(bx)/2)sin(x)/x", ~ (1 + cos(b * w * x) / 2) * sin(w * x) / x, 0.75 * pi, w = w, b = b),
  type("(2+cos(wx))/(1+x^2)", ~ (2 + cos(w * x)) / (1 + x^2), pi / 2 * (2 + exp(-w)), w = w),
  type("sin(wx)^2/(x^2+a^2)", ~ sin(w * x)^2 / (x^2 + a^2), pi / (4 * a) * -expm1(-2 * a * w), w = w, a = a),
  type("mass and sin(wx)/x", ~ 1 / (1 + x^2)^2 + a * sin(w * x) / x, pi / 4 + a * pi / 2, w = w, a = a),
  type("sin(wx)/x from a", ~ sin(w * x) / x, Im(rotated(function(x) 1 / x, w, abs(from))), lower = abs(from), w = w),
  type("sin(w(x-a))^2/(x-a)^2", ~ sin(w * (x - a))^2 / (x - a)^2, pi * w / 2, lower = from, w = w, a = from),
  type("-Inf to a", ~ cos(w * x) / (b + x^2), Re(rotated(function(x) 1 / (1 + x^2), w, abs(from))), lower = -Inf,
       upper = -abs(from), w = w, b = rep(1, rows)),
  type("Inf to 0", ~ sin(w * x)^2 / x^2, -pi * w / 2, lower = Inf, upper = 0, w = w),
  type("-Inf to Inf", ~ cos(w * x + phase) / (1 + (x - a)^2), pi * exp(-small) * cos(small * from + phase),
       lower = -Inf, w = small, phase = phase, a = from),
  type("line, sin(wx)^2/x^2", ~ sin(w * x)^2 / x^2, pi * w, lower = -Inf, w = w),
  type("sin(wx)^2/(x log^2)", ~ sin(w * x)^2 / ((x + 3) * log(x + 3)^2), 0.5 / log(3) - 0.5 * Re(rotated(function(x)
    1 / ((x + 3) * log(x + 3)^2), 2 * w)), w = w),
  # what has no integral
  type("divergent: sin(wx)(1+1/x)", ~ sin(w * x) * (1 + 1 / x), NaN, w = w),
  type("divergent: sin(wx)^2/x", ~ sin(w * x)^2 / x, NaN, w = w),
  type("divergent: x cos(ax^2)", ~ (x + 1 / (1 + x)) * cos(w * x^2), NaN, w = w),
  # what is small and oscillates under something larger, on half-lines and intervals
  type("exp(-ax)+e(1-cos(wx))/x^2", ~ exp(-a * x) + e * (1 - cos(w * x)) / x^2, 1 / a + rest * pi * w / 2, a = a,
       w = w, e = rest, rel = 1e-8),
  type("exp(-ax)+e sin(wx)/x", ~ exp(-a * x) + e * sin(w * x) / x, 1 / a + rest * pi / 2, a = a, w = w, e = rest,
       rel = 1e-8),
  type("sin(ax)/x+e cos(wx)/(1+x^2)", ~ sin(a * x) / x + e * cos(w * x) / (1 + x^2), pi / 2 * (1 + rest * exp(-w)),
       a = a, w = w, e = rest),
  type("1/(1+x^2)+e sin(wx^2)", ~ 1 / (1 + x^2) + e * sin(w * x^2), pi / 2 + rest * sqrt(pi / (8 * w)), w = w,
       e = rest, rel = 1e-8),
  type("exp(-ax)+e cos(wx), 0 to c", ~ exp(-a * x) + e * cos(w * x), -expm1(-a * end) / a + rest * sin(w * end) / w,
       upper = end, a = a, w = w, e = rest, rel = 1e-8),
  type("the same, 1e-5", ~ exp(-a * x) + e * cos(w * x), -expm1(-a * end) / a + rest * sin(w * end) / w,
       upper = end, a = a, w = w, e = rest, rel = 1e-5),
  type("1/(1+x^2)+e|sin(wx)|, 0 to c", ~ 1 / (1 + x^2) + e * abs(sin(w * x)), atan(end) +
         rest * (2 * floor(w * end / pi) + 1 - cos((w * end) %% pi)) / w, upper = end, w = w, e = rest, rel = 1e-8),
  type("exp(-ax)+e|x-u|, 0 to c", ~ exp(-a * x) + e * abs(x - q * c), -expm1(-a * end) / a +
         rest * end^2 * (q^2 + (1 - q)^2) / 2, upper = end, a = a, e = rest, q = q, c = end, rel = 1e-8),
  # peaks, and frequencies that come down to 0, far out
  type("sin(wx)/x and a peak", ~ sin(w * x) / x + exp(-((x - 1e4 * a) / (10 * a))^2), pi / 2 + 10 * a * sqrt(pi),
       w = w, a = a),
  type("sin(wx^2)cos(2bx)", ~ sin(w * x^2) * cos(2 * b * x), sqrt(pi / (8 * w)) * (cos(wide^2) - sin(wide^2)), w = w,
       b = wide * sqrt(w), abs = 1e-9),
  type("line, cos(wx^2-2bx)", ~ cos(w * x^2 - 2 * b * x), sqrt(pi / w) * cos(pi / 4 - wide^2), lower = -Inf, w = w,
       b = wide * sqrt(w), abs = 1e-9),
  type("cos(x^3/3-ax)", ~ cos(x^3 / 3 - a * x), pi * airy(wide), a = wide, abs = 1e-9),
  type("two squares/x^2", ~ (sin(w * x)^2 + sin(b * w * x)^2) / x^2, pi * w / 2 * (1 + b), w = w, b = b),
  type("slow squares/x^2", ~ (sin(w * x)^2 + sin(b * w * x)^2) / x^2, pi * w / 2 * (1 + slow), w = w, b = slow),
  # what falls slowly, or far out
  type("x^p sin(wx^2), p to 1", ~ x^p * sin(w * x^2), gamma(1 - late / 2) * sin(pi / 2 * (1 - late / 2)) / 2 /
         w^(1 - late / 2), w = w, p = 1 - late),
  type("exp(-dx)sin(wx)", ~ exp(-d * x) * sin(w * x), 1 / (w * (1 + late^6)), w = w, d = late^3 * w),
  type("sin(wx)/x, any w", ~ sin(w * x) / x, pi / 2, w = 10^between(-100, 100)))

quiet <- function(x, i) suppressWarnings(integrategpu(
  x$f, rep_len(x$lower, rows)[i], rep_len(x$upper, rows)[i], params = x$params[i, , drop = FALSE],
  rel.tol = x$rel, abs.tol = x$abs))
bare <- function(found) data.frame(unclass(found)[c("value", "abs.error", "subdivisions", "evaluations", "code")])

judged <- function(x) {
  gc()
  seconds <- sum(system.time(found <- bare(quiet(x, seq_len(rows))))[1:2])
  error <- abs(found$value - x$truth)
  error[is.nan(x$truth)] <- Inf
  slack <- 16 * .Machine$double.eps * abs(x$truth)
  slack[is.nan(slack)] <- 0
  past <- !(error <= found$abs.error + slack) & found$code == 0L
  beyond <- !(error <= 10 * found$abs.error + slack) & !is.nan(found$value)
  one <- sample(rows, singles)
  apart <- sum(vapply(one, function(i) !identical(bare(quiet(x, i)), `row.names<-`(found[i, ], NULL)), NA))
  for (k in 1:5) {
    part <- sample(rows, sample(rows, 1))
    apart <- apart + sum(rowSums(as.matrix(bare(quiet(x, part))) != as.matrix(found[part, ]), na.rm = TRUE) > 0)
  }
  data.frame(type = x$name, good = mean(found$code == 0L),
             within = mean((error <= 10 * pmax(x$rel * abs(x$truth), x$abs))[found$code == 0L]),
             past = sum(past), silent = sum(beyond & found$code == 0L), beyond = sum(beyond), apart = apart,
             five = mean(found$code == 5L), evaluations = stats::median(found$evaluations),
             ms = 1000 * seconds / rows)
}

cat(machine(), "\n", rows, " rows of each type, relative tolerance ", tolerance, "\n\n", sep = "")
table <- do.call(rbind, lapply(types, judged))
print_table(table)
cat("\nall:", nrow(table) * rows, "rows,", sum(table$past), "past,", sum(table$silent), "silent,",
    sum(table$beyond), "beyond,", sum(table$apart), "apart\n")

# Properties of qpoisgpu() and ppoisgpu() at random points: quantiles against a judge in quadruple precision, monotone
# in p, the same from either tail, and back from ppoisgpu().
#   Rscript bench/poisson-properties.R [device [cases [seed]]]
# lambda is from 1e-300 to 1e30; the judge (bench/poisson-exact.c) is asked up to 1e9. Half of the cases are next to a
# jump: tails of ppoisgpu() or of the judge, moved by up to 16 ulps.
library(statcl)
source("bench/peers.R")
argument <- commandArgs(trailingOnly = TRUE)
device <- if (length(argument) > 0) argument[1] else "cpu"
cases <- if (length(argument) > 1) as.numeric(argument[2]) else 1e7
set.seed(if (length(argument) > 2) as.integer(argument[3]) else 1)
useDevice(device)
options(width = 140, warn = -1) # NaN is counted, not warned of
stopifnot("the judge needs libquadmath" = load_c("bench/poisson-exact.c", "-lquadmath"))
eps <- .Machine$double.eps
judged_to <- 1e9

ten_to <- function(m, from, to) 10^runif(m, from, to)
pick <- function(m, ...) {
  kinds <- list(...)
  kind <- sample(length(kinds), m, TRUE, vapply(kinds, function(v) v[[1]], 1))
  out <- numeric(m)
  for (k in seq_along(kinds)) out[kind == k] <- kinds[[k]][[2]](sum(kind == k))
  out
}
random_lambda <- function(m)
  pick(m, list(58, function(k) ten_to(k, -2, 6)), list(12, function(k) runif(k, 0, 40)),
       list(8, function(k) ten_to(k, -8, -2)), list(5, function(k) ten_to(k, -300, -8)),
       list(5, function(k) ceiling(ten_to(k, 0, 6))), list(3, function(k) ten_to(k, 6, 9)),
       list(4, function(k) ten_to(k, 9, 15.9)), list(5, function(k) ten_to(k, 15.9, 30)))
per_lambda <- 500

# The four forms of a probability. form is 1 to 4 of every point; f has lower.tail and log.p last.
forms <- data.frame(lower = c(TRUE, FALSE, TRUE, FALSE), log = c(FALSE, FALSE, TRUE, TRUE))
by_form <- function(f, x, lambda, form) {
  out <- numeric(length(x))
  for (i in seq_len(nrow(forms))) {
    rows <- which(form == i)
    out[rows] <- f(x[rows], lambda[rows], forms$lower[i], forms$log[i])
  }
  out
}
judge <- function(what, d, ...) .Call(what, ..., d$lambda, forms$lower[d$form], forms$log[d$form])
ulp <- function(p) pmax(2^(floor(log2(abs(p))) - 52), 2^-1074)

# The random points of some lambda: probabilities, of which p0 are ppoisgpu(k) unmoved.
random_points <- function(lambdas) {
  d <- data.frame(lambda = rep(sort(random_lambda(lambdas)), each = per_lambda))
  n <- nrow(d)
  d$form <- sample(4, n, TRUE)
  in_log <- forms$log[d$form]
  u <- runif(n)
  far <- ten_to(n, -300, 0)
  far_log <- -ten_to(n, -4, 4)
  tail <- runif(n) < 0.4
  d$p <- ifelse(in_log, ifelse(tail, far_log, log(u)), ifelse(tail, far, u))
  kind <- sample(4, n, TRUE)
  d$kind <- c("random", "random", "jump of ppoisgpu", "jump of the judge")[kind]
  # Jumps: around the quantiles of points like the others.
  jump <- which(kind > 2)
  k <- by_form(qpoisgpu, d$p[jump], d$lambda[jump], d$form[jump])
  k <- pmax(0, k + sample(c(-1, 0, 0, 1), length(k), TRUE))
  k[!is.finite(k)] <- 0
  own <- kind[jump] == 3 | d$lambda[jump] > judged_to
  d$k <- d$at_k <- NA
  d$k[jump] <- k
  mine <- jump[own]
  d$at_k[mine] <- by_form(ppoisgpu, d$k[mine], d$lambda[mine], d$form[mine])
  theirs <- jump[!own]
  d$at_k[theirs] <- judge("poisson_tail", d[theirs, ], d$k[theirs])
  moved <- sample(c(-16:16, numeric(8), 1, -1, 2, -2), length(jump), TRUE)
  p <- d$at_k[jump]
  p <- p + moved * ulp(p)
  valid <- is.finite(p) & ifelse(in_log[jump], p < 0, p > 0 & p < 1)
  d$p[jump[valid]] <- p[valid]
  d$kind[jump[!valid]] <- "random"
  d$unmoved <- FALSE
  d$unmoved[jump[valid & moved == 0]] <- TRUE
  d$own <- d$kind == "jump of ppoisgpu"
  d
}

# ---- checks: counts by property, and the first failures shown ----

report <- list()
check <- function(property, bad, show) {
  asked <- !is.na(bad)
  bad <- bad %in% TRUE
  old <- report[[property]]
  if (is.null(old)) old <- data.frame(property, cases = 0, violations = 0)
  if (any(bad) && old$violations < 3) message(property, ": ", show(which(bad)[1]))
  report[[property]] <<- transform(old, cases = cases + sum(asked), violations = violations + sum(bad))
}
call_of <- function(d, f = "qpoisgpu", x = d$p) function(i)
  sprintf("%s(%a, %a, %s, %s)", f, x[i], d$lambda[i], forms$lower[d$form[i]], forms$log[d$form[i]])
regions <- c(0, 1e-2, 10, 1e3, 1e6, judged_to)
region_names <- c("lambda <= 0.01", "0.01 .. 10", "10 .. 1e3", "1e3 .. 1e6", "1e6 .. 1e9")
counted <- farthest <- 0
worst <- matrix(0, length(region_names), 4, dimnames = list(region_names, c("pmf", "cdf", "sf", "logarithms")))

properties <- function(d) {
  d$q <- by_form(qpoisgpu, d$p, d$lambda, d$form)
  shown <- call_of(d)
  lower <- forms$lower[d$form]
  in_log <- forms$log[d$form]
  check("whole number, not negative, finite", !(is.finite(d$q) & d$q >= 0 & d$q == floor(d$q)), shown)
  d$q[!is.finite(d$q)] <- -1 # counted; never enough
  d$q <- floor(d$q)

  # Against the judge. at >= 0 > below for the right answer; of a wrong one, the distance to the jump missed.
  j <- d[d$lambda <= judged_to, ]
  at <- judge("poisson_margin", j, j$q, j$p)
  below <- judge("poisson_margin", j, j$q - 1, j$p)
  told <- !is.nan(at + below) | is.infinite(at) | is.infinite(below)
  exact <- at >= 0 & below < 0
  margin <- ifelse(exact, pmin(at, -below), pmax(-at, below))
  tie <- margin < 1e-6 # log p = -lambda, where 30 digits of the judge do not tell
  exact <- exact | tie
  wrong <- which(told & !exact)
  beside <- j[wrong, ]
  step <- ifelse(at[wrong] < 0, 1, -1) # one more or one less must be right
  far_off <- logical(length(wrong))
  if (length(wrong)) {
    at_next <- judge("poisson_margin", beside, pmax(beside$q + step, -1), beside$p)
    below_next <- judge("poisson_margin", beside, pmax(beside$q + step - 1, -1), beside$p)
    far_off <- !(at_next >= -1e-6 & below_next < 1e-6)
  }
  check("exact", ifelse(told, !exact, NA), call_of(j))
  off <- ifelse(told, FALSE, NA)
  off[wrong] <- far_off
  check("never off by more than one", off, call_of(j))
  region <- cut(j$lambda, regions, region_names)
  near <- told & margin <= 8
  counted <<- counted + cbind(cases = tapply(told, region, sum, default = 0),
                              "within 8 ulps" = tapply(near, region, sum, default = 0),
                              "of them inexact" = tapply(near & !exact, region, sum, default = 0))
  farthest <<- pmax(farthest, tapply(ifelse(told & !exact, margin, 0), region, max, default = 0))

  # ppoisgpu() and dpoisgpu() against the judge, in units of 2^-52 of the value; of logarithms from 1 on.
  t <- d[d$kind == "jump of the judge" & d$lambda <= judged_to, ]
  error <- in_units(by_form(ppoisgpu, t$k, t$lambda, t$form), t$at_k,
                    ifelse(forms$log[t$form], pmax(1, abs(t$at_k)), abs(t$at_k)))
  error[!forms$log[t$form] & t$at_k < 1e-290] <- NA # digits of subnormal numbers
  check("ppoisgpu() within 1e-13", error > 1e-13 / eps, call_of(t, "ppoisgpu", t$k))
  mass <- .Call("poisson_probability", t$k, t$lambda)
  mass_error <- in_units(dpoisgpu(t$k, t$lambda), mass)
  mass_error[mass < 1e-290] <- NA
  check("dpoisgpu() within 1e-13", mass_error > 1e-13 / eps,
        function(i) sprintf("dpoisgpu(%.17g, %a)", t$k[i], t$lambda[i]))
  region <- cut(t$lambda, regions, region_names)
  largest <- function(e) tapply(e, region, function(v) max(0, v, na.rm = TRUE), default = 0)
  plain <- !forms$log[t$form]
  lower_tail <- forms$lower[t$form]
  worst <<- pmax(worst, cbind(largest(mass_error), largest(ifelse(plain & lower_tail, error, NA)),
                              largest(ifelse(plain & !lower_tail, error, NA)), largest(ifelse(plain, NA, error))))

  # Monotone within one lambda and one form. From 2^53 on whole numbers have gaps, and one is granted.
  o <- order(d$lambda, d$form, d$p)
  s <- d[o, ]
  n <- nrow(s)
  same <- s$lambda[-1] == s$lambda[-n] & s$form[-1] == s$form[-n]
  fall <- ifelse(forms$lower[s$form[-n]], 1, -1) * (s$q[-n] - s$q[-1])
  gap <- ifelse(s$q[-n] > 2^53, ulp(s$q[-n]), 0)
  apart <- (s$p[-1] - s$p[-n]) / ulp(s$p[-1])
  pair <- function(i) paste(call_of(s)(i), "then", call_of(s)(i + 1))
  check("monotone in p", ifelse(same & apart > 16, fall > gap, NA), pair)
  check("monotone in p less than 16 ulps apart", ifelse(same & apart <= 16, fall > gap, NA), pair)

  # The other tail, where 1 - p is exact.
  other <- 1 - d$p
  both <- !in_log & 1 - other == d$p & other > 0 & other < 1
  turned <- by_form(qpoisgpu, other[both], d$lambda[both], ifelse(d$form[both] == 1, 2, 1))
  gap <- ifelse(turned > 2^53, ulp(turned), 0)
  check("left tail = right tail", abs(turned - d$q[both]) > gap, call_of(d[both, ]))

  # Back from ppoisgpu(k), in the smaller tail: beyond it tails of many k are the same double.
  back <- d$own & d$unmoved & d$lambda <= judged_to & d$p < ifelse(in_log, log(0.5), 0.5) & (in_log | d$p > 1e-290)
  check("q of ppoisgpu(k) is k or k + 1", !(d$q[back] - d$k[back]) %in% 0:1, call_of(d[back, ]))
}

began <- proc.time()[["elapsed"]]
at_once <- 1e6
left <- cases
while (left > 0) {
  properties(random_points(ceiling(min(left, at_once) / per_lambda)))
  left <- left - at_once
}
cat(machine(), sprintf("\n%s, %g cases, %.0f s\n\n", device, cases, proc.time()[["elapsed"]] - began))
report <- do.call(rbind, report)
print(format(report, big.mark = ","), row.names = FALSE)
cat("\nQuantiles against the judge: cases with p within 8 ulps of a jump, those of them that are inexact, and how",
    "far from the\njump the farthest inexact case is, in ulps of p\n")
print(format(data.frame(lambda = rownames(counted), counted, farthest = signif(farthest, 3), check.names = FALSE),
             big.mark = ","), row.names = FALSE)
cat("\nLargest errors of ppoisgpu() and dpoisgpu() next to these jumps, in units of 2^-52; of logarithms, of",
    "max(1, |log|)\n")
print_table(data.frame(lambda = rownames(worst), worst))
if (any(report$violations > 0)) quit(status = 1)

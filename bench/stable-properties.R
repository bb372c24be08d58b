# Properties of dstable(), pstable() and qstable() that need no reference, at random points of the whole domain.
#   Rscript bench/stable-properties.R [device ["direct" or "table" [points [seed]]]]
# Each violation is counted in units of its tolerance, which is the accuracy claimed (1e-13 of a value, 4 ulps of its
# logarithm) and what the rounding of the arguments does to the value. One distribution per point; 12 distributions
# for the table route.
library(statcl)
source("bench/peers.R")
argument <- commandArgs(trailingOnly = TRUE)
device <- if (length(argument) > 0) argument[1] else "cpu"
route <- if (length(argument) > 1) argument[2] else "direct"
n <- if (length(argument) > 2) as.numeric(argument[3]) else 1e6
set.seed(if (length(argument) > 3) as.integer(argument[4]) else 1)
stopifnot(route %in% c("direct", "table"))
useDevice(device)
options(statcl.stable.route = route, width = 120, warn = -1) # NaN is counted, not warned of
eps <- .Machine$double.eps

pick <- function(m, ...) {
  values <- list(...)
  out <- numeric(m)
  kind <- sample(length(values), m, TRUE, vapply(values, function(v) v[[1]], 1))
  for (k in seq_along(values)) out[kind == k] <- values[[k]][[2]](sum(kind == k))
  out
}
sign_of <- function(m) sample(c(-1, 1), m, TRUE)
ten_to <- function(m, from, to) 10^runif(m, from, to)
random_laws <- function(m) data.frame(
  alpha = pick(m, list(40, function(k) runif(k, 0.02, 2)), list(20, function(k) 1 + sign_of(k) * ten_to(k, -12, -1)),
               list(20, function(k) 2 - ten_to(k, -12, -1)), list(5, function(k) rep(1, k)),
               list(5, function(k) rep(2, k)), list(10, function(k) runif(k, 0.02, 0.2))),
  beta = pick(m, list(50, function(k) runif(k, -1, 1)), list(15, sign_of), list(10, function(k) numeric(k)),
              list(15, function(k) sign_of(k) * (1 - ten_to(k, -12, -1))),
              list(10, function(k) sign_of(k) * ten_to(k, -12, -1))),
  gamma = ten_to(m, -6, 6), delta = sign_of(m) * ten_to(m, -6, 6))
# R's tanpi() loses the digits of alpha - 1 next to its pole, which the reflected form keeps.
slant <- function(alpha)
  ifelse(abs(alpha - 1) < 0.5, -1 / tanpi((alpha - 1) / 2), tanpi((alpha - 2 * (alpha > 1)) / 2))
zeta_of <- function(alpha, beta) ifelse(alpha == 1, 0, -beta * slant(alpha))
random_x <- function(laws) {
  m <- nrow(laws)
  draws <- rstable(m, laws$alpha, laws$beta)
  zeta <- zeta_of(laws$alpha, laws$beta)
  kind <- sample(4, m, TRUE, c(35, 25, 25, 15))
  x <- ifelse(kind == 1, draws, ifelse(kind == 2, rnorm(m, 0, 5), ifelse(kind == 3, sign_of(m) * ten_to(m, -10, 12),
                                                                    zeta + sign_of(m) * ten_to(m, -12, 0))))
  wide <- runif(m) < 0.03
  x[wide] <- sign_of(sum(wide)) * ten_to(sum(wide), -300, 300)
  pmax(pmin(x, 1e300), -1e300)
}
# f(x, alpha, beta, ...); for the table route all points of one run() have one distribution, and parameters are of
# length one.
each_law <- function(f, x, ..., more = list())
  do.call(f, c(list(x), unname(if (route == "direct") list(...) else lapply(list(...), `[`, 1)), more))

report <- list()
# units: violation over tolerance, NA where the property does not apply; call: text of a call that shows row i.
check <- function(property, units, call) {
  used <- !is.na(units) | is.nan(units)
  units[is.nan(units)] <- Inf
  bad <- used & units > 1
  report[[length(report) + 1]] <<- data.frame(property, points = sum(used), worst = max(0, units[used]),
                                              violations = sum(bad))
  for (i in utils::head(order(-ifelse(bad, units, -1)), min(3, sum(bad))))
    message(sprintf("%s: %.3g times the tolerance: %s", property, units[i], call(i)))
}
hex <- function(...) paste(vapply(c(...), function(v) sprintf("%a", v), ""), collapse = ", ")

# Tolerance of a logarithm l: of a value next to one only the digits of its distance from one count.
log_tolerance <- function(l) 1e-13 * pmin(1, abs(l)) + 4 * eps * abs(l)
difference <- function(a, b) ifelse(a == b, 0, abs(a - b))

began <- proc.time()[["elapsed"]]
properties <- function(p) {
  n <- nrow(p)
  tail_log <- function(x, upper = FALSE, beta = p$beta, ...)
    each_law(pstable, x, p$alpha, beta, ..., more = list(lower.tail = !upper, log.p = TRUE))
  at <- function(f) function(i) sprintf("%s(%s)", f, hex(p$x[i], p$alpha[i], p$beta[i]))

  lower <- tail_log(p$x)
  upper <- tail_log(p$x, TRUE)
  density <- each_law(dstable, p$x, p$alpha, p$beta, more = list(log = TRUE))
  lower_plain <- each_law(pstable, p$x, p$alpha, p$beta)
  upper_plain <- each_law(pstable, p$x, p$alpha, p$beta, more = list(lower.tail = FALSE))
  check("no NaN, 0 <= F <= 1", ifelse(is.na(lower + upper + density + lower_plain + upper_plain), Inf,
                                      ifelse(lower > 0 | upper > 0 | lower_plain > 1 | upper_plain > 1, Inf, 0)),
        at("pstable"))
  check("lower + upper = 1", abs(lower_plain + upper_plain - 1) / (2 * eps), at("pstable"))
  check("log.p = log(lower)", ifelse(lower_plain < 1e-307 | lower_plain == 1, NA,
    abs(lower_plain / exp(lower) - 1) / (4 * eps * pmax(1, abs(lower)))), at("pstable"))
  check("log.p = log(upper)", ifelse(upper_plain < 1e-307 | upper_plain == 1, NA,
    abs(upper_plain / exp(upper) - 1) / (4 * eps * pmax(1, abs(upper)))), at("pstable"))
  check("log lower = log1p(-upper)", ifelse(upper_plain > 0.5 | upper_plain < 1e-300, NA,
    abs(lower / log1p(-upper_plain) - 1) / 1e-13), at("pstable"))
  check("log upper = log1p(-lower)", ifelse(lower_plain > 0.5 | lower_plain < 1e-300, NA,
    abs(upper / log1p(-lower_plain) - 1) / 1e-13), at("pstable"))

  # Where the smaller tail is, and the relative change of it with a relative change of x.
  small <- pmin(lower, upper)
  is_upper <- upper < lower
  slope <- exp(pmin(density - small, 700))
  slope[small == -Inf] <- 0

  step <- ifelse(runif(n) < 0.5, 4 * eps, ten_to(n, -12, 0))
  beyond <- p$x + pmax(step * abs(p$x), 5e-324)
  next_lower <- tail_log(beyond)
  next_upper <- tail_log(beyond, TRUE)
  pair <- function(i) sprintf("pstable(c(%s), %s)", hex(p$x[i], beyond[i]), hex(p$alpha[i], p$beta[i]))
  fall <- function(a, b) ifelse(a <= b, 0, ifelse(b == -Inf, Inf, (a - b) / log_tolerance(a)))
  check("lower tail monotone", fall(lower, next_lower), pair)
  check("upper tail monotone", fall(next_upper, upper), pair)

  mirror <- -p$beta
  agree <- function(a, b, extra = 0) ifelse(a == b, 0, abs(a - b) / (4 * eps * (abs(a) + pmin(1, abs(a))) + extra))
  check("symmetry: lower(x, beta) = upper(-x, -beta)", agree(lower, tail_log(-p$x, TRUE, mirror)), at("pstable"))
  check("symmetry: density", ifelse(density == -Inf & TRUE, 0,
    agree(density, each_law(dstable, -p$x, p$alpha, mirror, more = list(log = TRUE)), 4 * eps)), at("dstable"))

  # The inverse, from p and from log p in turn; judged in p, or in x where p changes little.
  from_log <- seq_len(n) %% 2 == 0
  probability <- small
  skip <- small == -Inf | small > -1e-300 | (!from_log & small < -690)
  back <- rep(NA_real_, n)
  for (up in c(FALSE, TRUE)) for (in_log in c(FALSE, TRUE)) {
    rows <- which(is_upper == up & from_log == in_log & !skip)
    if (length(rows)) back[rows] <- each_law(qstable, if (in_log) small[rows] else exp(small[rows]), p$alpha[rows],
                                         p$beta[rows], more = list(lower.tail = !up, log.p = in_log))
}
  given <- ifelse(from_log, small, log(exp(small)))
  again <- ifelse(is_upper, tail_log(ifelse(skip, 0, back), TRUE), tail_log(ifelse(skip, 0, back)))
  relative_x <- abs(back - p$x) / pmax(abs(p$x), 1e-300)
  in_p <- abs(again - given) / (4e-13 + 8 * eps * abs(given) + 2 * eps * slope * abs(p$x))
  check("q(p(x)) = x", ifelse(skip, NA, pmin(in_p, relative_x / 1e-13)),
        function(i) sprintf("qstable(%s, lower.tail = %s, log.p = %s)",
                            hex(if (from_log[i]) small[i] else exp(small[i]), p$alpha[i], p$beta[i]), !is_upper[i],
                            from_log[i]))

  # Location and scale: the distribution of (q - delta)/gamma; pm = 1 and 2 with the location of S0 written out.
  q <- p$delta + p$gamma * p$x
  z <- (q - p$delta) / p$gamma
  plain <- tail_log(z)
  z_density <- each_law(dstable, z, p$alpha, p$beta, more = list(log = TRUE))
  steep <- exp(pmin(z_density - plain, 700))
  steep[!is.finite(steep)] <- 0
  hazard <- exp(pmin(z_density - pmin(plain, log(-expm1(plain))), 700))
  scaled <- function(i) sprintf("pstable(%s)", hex(q[i], p$alpha[i], p$beta[i], p$gamma[i], p$delta[i]))
  # Where rounding the location moves the smaller tail by a tenth and more, nothing is asked, nor where log F is so
  # far down that density and tail are the same number to 16 digits and their ratio says nothing of the slope.
  edge <- ifelse(p$alpha < 1, 1e-3 * abs(z - zeta_of(p$alpha, p$beta)), Inf)
  moved <- function(name, value, shift, rows = TRUE) {
    extra <- 4 * eps * shift * steep
    asked <- is.finite(q + plain) & plain > -1e15 & 4 * eps * shift * hazard < 0.1 & 4 * eps * shift < edge
    check(name, ifelse(rows & asked,
                       ifelse(value == plain, 0, abs(value - plain) / (log_tolerance(plain) + 2 * extra)),
                       NA), scaled)
}
  moved("location and scale", tail_log(q, FALSE, p$beta, p$gamma, p$delta), abs(z))
  moved("scale by a power of two", tail_log(z * 2^20, FALSE, p$beta, 2^20), 0)
  shift_1 <- ifelse(p$alpha == 1, -p$beta * 2 / pi * log(p$gamma), -p$beta * slant(p$alpha)) * p$gamma
  moved("pm = 1", tail_log(q, FALSE, p$beta, p$gamma, p$delta + shift_1, 1),
        abs(z) + (abs(p$delta) + abs(q) + 4 * abs(shift_1)) / p$gamma)

  # One point in fifty, as each wants the mode of its distribution.
  few <- seq_len(n) %% 50 == 1
  wanted <- if (route == "table") 1 else which(few)
  mode <- numeric(n)
  mode[if (route == "table") seq_len(n) else wanted] <- stableMode(p$alpha[wanted], p$beta[wanted])
  power <- log(p$alpha) / p$alpha
  gamma_2 <- p$gamma * exp(power)
  delta_2 <- p$delta + p$gamma * mode
  at_pm_2 <- rep(NA_real_, n)
  at_pm_2[few] <- each_law(pstable, q[few], p$alpha[few], p$beta[few], gamma_2[few], delta_2[few], 2,
                           more = list(log.p = TRUE))
  moved("pm = 2", at_pm_2, (2 + 2 * abs(power)) * (abs(z) + 4 * abs(mode)) + (2 * abs(p$delta) + abs(q)) / p$gamma,
        few & gamma_2 > 1e-300)

  # The density is the slope of the smaller tail: central differences with two steps, to 1e-4 and their gap.
  zeta <- zeta_of(p$alpha, p$beta)
  reach <- 1e-3 * pmin(1 / slope, ifelse(p$alpha < 1, abs(p$x - zeta), Inf), pmax(1, abs(p$x)))
  slope_ratio <- function(h) {
    left <- p$x - h
    right <- p$x + h
    change <- ifelse(is_upper, tail_log(left, TRUE) - tail_log(right, TRUE), tail_log(right) - tail_log(left))
    change / ((right - left) * slope)
}
  ratio <- slope_ratio(reach / 4)
  noise <- 8 * log_tolerance(small) / (2 * reach * slope)
  check("density = slope of the cdf", ifelse(small < -600 | slope == 0 | noise > 0.01 | !is.finite(reach) |
    reach < 1e4 * eps * abs(p$x), NA,
    abs(ratio - 1) / (1e-4 + noise + abs(slope_ratio(reach) - ratio))), at("dstable"))
}

# Across alpha = 1: second differences of the logarithms against their size at h = 4e-3 and 2e-3.
across <- function(name, c1, value) {
  middle <- value(1)
  bend <- function(h) value(1 - h) - 2 * middle + value(1 + h)
  size <- pmax(abs(bend(4e-3)) / 1.6e-5, abs(bend(2e-3)) / 4e-6)
  for (h in 10^-(9:3)) {
    h <- (1 + h) - 1
    bent <- bend(h)
    units <- ifelse(bent == 0, 0, abs(bent) / (4 * size * h^2 + 4 * log_tolerance(middle)))
    check(sprintf("%s across alpha = 1, h = %.0e", name, h), ifelse(middle == -Inf | size == Inf, NA, units),
          function(i) sprintf("(%s, alpha = 1 -+ %a)", hex(c1$x[i], 1, c1$beta[i]), h))
  }
}
across_one <- function(c1) {
  c1$alpha <- 1
  c1$x <- random_x(c1)
  across("lower", c1, function(alpha) each_law(pstable, c1$x, alpha, c1$beta, more = list(log.p = TRUE)))
  across("density", c1, function(alpha) each_law(dstable, c1$x, alpha, c1$beta, more = list(log = TRUE)))
}

if (route == "direct") {
  p <- random_laws(n)
  p$x <- random_x(p)
  properties(p)
  across_one(random_laws(max(10, round(n / 100))))
} else {
  laws <- 12
  for (k in seq_len(laws)) {
    p <- random_laws(1)[rep(1, ceiling(n / laws)), ]
    p$x <- random_x(p)
    properties(p)
    if (k <= 2) across_one(p[seq_len(max(10, round(n / 200))), ])
  }
}

cat(machine(), sprintf("\n%s, %s route, %g points, %.0f s\n", device, route, n, proc.time()[["elapsed"]] - began))
report <- do.call(rbind, report)
report <- do.call(rbind, lapply(split(report, factor(report$property, unique(report$property))), function(rows)
  data.frame(property = rows$property[1], points = sum(rows$points), worst = max(rows$worst),
             violations = sum(rows$violations))))
print_table(report)
if (any(report$violations > 0)) quit(status = 1)

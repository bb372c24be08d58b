# Binomial and negative binomial quantiles: exact next to jumps, errors of tails, base R's wrong answers, and times.
#   Rscript bench/binomial.R exact [cases [seed [device]]]   within 4 ulps of a jump, against bench/binomial-exact.c
#   Rscript bench/binomial.R wrong [cases]     random quantiles of base R that this judge rejects
#   Rscript bench/binomial.R times [points]    processor time per value on one thread, beside base R
#   Rscript bench/binomial.R errors [cases]    of the expansion, as a share of what the kernel allows for
library(statcl)
source("bench/peers.R")
argument <- commandArgs(trailingOnly = TRUE)
what <- if (length(argument) > 0) argument[1] else "times"
number <- function(k, default) if (length(argument) >= k) as.numeric(argument[k]) else default
options(width = 140, warn = -1, statcl.threads = 1)
eps <- .Machine$double.eps
per_law <- 100 # decisions with one pair of parameters
laws_of <- c("binomial", "negative binomial of prob", "negative binomial of mu")

# Parameters that the judge can sum: standard deviations up to some thousands.
random_law <- function(kind, n) {
  if (kind == 0) {
    size <- ceiling(10^runif(n, 0, sample(c(2, 4, 7), n, TRUE)))
    prob <- ifelse(runif(n) < 0.4, 10^-runif(n, 0, 6), runif(n))
    second <- ifelse(runif(n) < 0.2, 1 - prob, prob)
  } else {
    low <- sample(c(-10, -1, 0, 2), n, TRUE)
    size <- 10^runif(n, low, pmax(low, 0) + sample(1:4, n, TRUE))
    mu <- 10^runif(n, -2, 4)
    second <- if (kind == 1) size / (size + mu) else mu
  }
  # far more dispersed ones take the judge too long
  spread <- if (kind == 0) sqrt(size * second) else if (kind == 1) (1 - second) / second else mu / size
  keep <- spread < 2e3 & second > 0 & second < if (kind == 2) Inf else 1
  data.frame(size, second)[keep, ]
}
by_form <- function(f, x, d) {
  out <- numeric(nrow(d))
  for (lower in c(TRUE, FALSE)) for (log in c(TRUE, FALSE)) {
    i <- d$lower == lower & d$log == log
    out[i] <- f(x[i], d$size[i], d$second[i], lower, log)
  }
  out
}
ours <- list(qbinomgpu, function(p, s, q, lower, log) qnbinomgpu(p, s, q, , lower, log),
             function(p, s, m, lower, log) qnbinomgpu(p, s, , m, lower, log))
base <- list(qbinom, function(p, s, q, lower, log) qnbinom(p, s, q, , lower, log),
             function(p, s, m, lower, log) qnbinom(p, s, , m, lower, log))
tails <- list(pbinomgpu, function(p, s, q, lower, log) pnbinomgpu(p, s, q, , lower, log),
              function(p, s, m, lower, log) pnbinomgpu(p, s, , m, lower, log))
either <- function(n) sample(c(TRUE, FALSE), n, TRUE)
forms <- function(d) transform(d, lower = either(nrow(d)), log = either(nrow(d)))
judge <- function(q, p, kind, d) .Call("count_is_quantile", q, p, kind, d$size, d$second, d$lower, d$log)

exact <- function(cases, seed) {
  set.seed(seed)
  started <- proc.time()[[1]]
  done <- lapply(0:2, function(kind) {
    total <- numeric(6)
    while (total[1] < cases) { # laws share a table of the judge
      laws <- random_law(kind, ceiling(min(cases - total[1], 5e5) / per_law) + 1)
      d <- forms(laws[rep(seq_len(nrow(laws)), each = per_law), ])
      deep <- rep(runif(nrow(laws)) < 0.1, each = per_law)
      u <- ifelse(deep & runif(nrow(d)) < 0.5, 10^-runif(nrow(d), 0, 200), pmax(runif(nrow(d)), 1e-30))
      k <- pmax(by_form(ours[[kind + 1]], ifelse(d$log, log(u), u), d) - sample(0:1, nrow(d), TRUE), 0)
      jump <- .Call("count_tails", k, kind, d$size, d$second, d$lower, d$log)
      p <- jump * (1 + eps / 2 * sample(-8:8, nrow(d), TRUE))
      keep <- is.finite(p) & ifelse(d$log, p < 0, p > 1e-307 & p < 1) & (kind > 0 | k < d$size)
      d <- d[keep, ]
      right <- judge(by_form(ours[[kind + 1]], p[keep], d), p[keep], kind, d)
      some <- seq_len(min(nrow(d), 5000))
      theirs <- judge(by_form(base[[kind + 1]], p[keep][some], d[some, ]), p[keep][some], kind, d[some, ])
      mine <- by_form(tails[[kind + 1]], k[keep], d)
      error <- abs(mine - jump[keep]) / ifelse(d$log, pmax(1, abs(jump[keep])), jump[keep]) / eps
      error[!d$log & jump[keep] < 1e-290] <- 0
      show <- head(which(right == 0), 3)
      if (length(show)) print(cbind(d[show, ], p = p[keep][show], k = k[keep][show]), digits = 17)
      total <- total + c(nrow(d), sum(is.nan(right)), sum(right == 0, na.rm = TRUE), length(some),
                         sum(theirs == 0, na.rm = TRUE), 0)
      total[6] <- max(total[6], error)
    }
    data.frame(law = laws_of[kind + 1], cases = total[1], untold = total[2], wrong = total[3],
               "base R wrong, %" = 100 * total[5] / total[4], "tail error" = total[6], check.names = FALSE)
  })
  print(do.call(rbind, done), row.names = FALSE)
  cat(round(proc.time()[[1]] - started), "s of processor time\n")
  if (any(vapply(done, function(d) d$wrong, 1) > 0)) quit(status = 1)
}

# Where the two differ the judge tells.
wrong <- function(cases) {
  set.seed(2)
  done <- lapply(0:2, function(kind) {
    d <- forms(random_law(kind, cases))
    u <- runif(nrow(d))
    p <- ifelse(d$log, log(u), u)
    mine <- by_form(ours[[kind + 1]], p, d)
    theirs <- by_form(base[[kind + 1]], p, d)
    other <- which(mine != theirs | is.na(mine) != is.na(theirs))
    right <- judge(mine[other], p[other], kind, d[other, ])
    data.frame(law = laws_of[kind + 1], cases = nrow(d), "base R wrong" = sum(right == 1, na.rm = TRUE),
               wrong = sum(right == 0, na.rm = TRUE), untold = sum(is.nan(right)),
               "base R, per 1e8" = sum(right == 1, na.rm = TRUE) / nrow(d) * 1e8, check.names = FALSE)
  })
  print(do.call(rbind, done), row.names = FALSE)
}

times <- function(n) {
  set.seed(3)
  u <- runif(n)
  one <- function(call, m = n) {
    seconds <- function() system.time(call())[[1]]
    call()
    min(seconds(), seconds(), seconds()) / m * 1e9
  }
  rows <- list()
  row <- function(what, ours, base) rows[[length(rows) + 1]] <<- data.frame(
    what, ours = one(ours), base = one(base), check.names = FALSE)
  size <- round(10^runif(n, 2, 5))
  prob <- runif(n, 0.1, 0.9)
  row("qbinom, size 1e2..1e5, prob .1...9", function() qbinomgpu(u, size, prob), function() qbinom(u, size, prob))
  row("rbinom, the same", function() rbinomgpu(n, size, prob), function() rbinom(n, size, prob))
  any <- round(10^runif(n, 0, 5))
  all <- runif(n)
  row("qbinom, size 1..1e5, prob 0..1", function() qbinomgpu(u, any, all), function() qbinom(u, any, all))
  row("qbinom, size 100, prob 0.3", function() qbinomgpu(u, 100, 0.3), function() qbinom(u, 100, 0.3))
  r <- 10^runif(n, 1.5, 4)
  mu <- 10^runif(n, 1, 3)
  near <- mu < 10 * r
  r[!near] <- mu[!near]
  row("qnbinom, mu 10..1e3, size above mu/10", function() qnbinomgpu(u, r, mu = mu),
      function() qnbinom(u, r, mu = mu))
  row("rnbinom, the same", function() rnbinomgpu(n, r, mu = mu), function() rnbinom(n, r, mu = mu))
  i <- seq_len(min(n, 2e5))
  s <- 10^runif(length(i), -0.3, 1)
  m <- mu[i]
  rows[[length(rows) + 1]] <- data.frame(
    what = "qnbinom, mu 10..1e3, size .5..10", ours = one(function() qnbinomgpu(u[i], s, mu = m), length(i)),
    base = one(function() qnbinom(u[i], s, mu = m), length(i)))
  k <- qbinom(u[i], size[i], prob[i])
  for (f in c("pbinom", "dbinom")) rows[[length(rows) + 1]] <- data.frame(
    what = paste(f, "next to the mean"),
    ours = one(function() get(paste0(f, "gpu"))(k, size[i], prob[i]), length(i)),
    base = one(function() get(f)(k, size[i], prob[i]), length(i)))
  k <- qnbinom(u[i], r[i], mu = mu[i])
  for (f in c("pnbinom", "dnbinom")) rows[[length(rows) + 1]] <- data.frame(
    what = paste(f, "next to the mean"),
    ours = one(function() get(paste0(f, "gpu"))(k, r[i], mu = mu[i]), length(i)),
    base = one(function() get(f)(k, r[i], mu = mu[i]), length(i)))
  rows <- do.call(rbind, rows)
  rows$ratio <- rows$base / rows$ours
  cat(machine(), "\nns per value, processor time\n")
  print(rows, digits = 3, row.names = FALSE)
}

# The formulas of quantile_centre_() and quantile_wrong_by_() in inst/kernels/binomial/binomial.cl.
errors <- function(cases) {
  set.seed(4)
  for (kind in c(0, 2)) {
    d <- random_law(kind, cases)
    m <- if (kind == 0) d$size * d$second else d$second
    v <- if (kind == 0) m * (1 - d$second) else m + m^2 / d$size
    g <- if (kind == 0) 1 - 2 * d$second else 1 + 2 * m / d$size
    k <- round(m + runif(nrow(d), -8, 8) * sqrt(v))
    lower <- k < m
    law <- cbind(d, lower, log = FALSE)
    keep <- v >= 8 & k >= 0 & (kind > 0 | k < d$size)
    p <- by_form(tails[[kind + 1]], k, law)
    w <- ifelse(lower, 1, -1) * qnorm(p)
    s <- sqrt(v - 1 / 12)
    l3 <- v * g / s^3
    l4 <- (v * (3 * g^2 - 1) / 2 + 1 / 120) / s^4
    l5 <- v * (3 * g^3 - 2 * g) / s^5
    l6 <- (v * (7.5 * g^4 - 7.5 * g^2 + 1) - 1 / 252) / s^6
    x <- m - 0.5 + s * (w + l3 * (w^2 - 1) / 6 + l4 * (w^3 - 3 * w) / 24 - l3^2 * (2 * w^3 - 5 * w) / 36 +
      l5 * (w^4 - 6 * w^2 + 3) / 120 - l3 * l4 * (w^4 - 5 * w^2 + 2) / 24 + l3^3 * (12 * w^4 - 53 * w^2 + 17) / 324 +
      l6 * (w^5 - 10 * w^3 + 15 * w) / 720 - l4^2 * (3 * w^5 - 24 * w^3 + 29 * w) / 384 -
      l3 * l5 * (2 * w^5 - 17 * w^3 + 21 * w) / 180 + l3^2 * l4 * (14 * w^5 - 103 * w^3 + 107 * w) / 288 -
      l3^4 * (252 * w^5 - 1688 * w^3 + 1511 * w) / 7776)
    allowed <- (0.003 + 0.012 * w^2 + 1.8e-6 * w^8 * pmin(w^4, 200)) * (0.1 + abs(g) * pmax(1, g^4)) / v^2 + 1e-14 * s
    keep <- keep & abs(w) < 8 & allowed < 0.25 & allowed > 1e-8
    share <- (abs(x - k) / allowed)[keep]
    cat(laws_of[kind + 1], ": the largest share of", length(share), "is", format(max(share), digits = 3), "\n")
  }
}

# the judge includes that of Poisson tails, and is fast with fused multiply-adds
Sys.setenv(PKG_CFLAGS = "-O2 -march=native", PKG_CPPFLAGS = paste0("-I", normalizePath("bench")))
if (what %in% c("exact", "wrong"))
  stopifnot("the judge needs libquadmath and GMP" = load_c("bench/binomial-exact.c", "-lquadmath -lgmp"))
switch(what, exact = {
  useDevice(if (length(argument) > 3) argument[4] else "cpu")
  exact(number(2, 1e5), number(3, 1))
}, wrong = wrong(number(2, 1e5)), times = times(number(2, 1e6)), errors = errors(number(2, 2e5)),
stop("the first argument is exact, wrong, times or errors"))

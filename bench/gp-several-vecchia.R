# Vecchia's approximation for several variables.
#   Rscript bench/gp-several-vecchia.R divergence [m] [observations]
#     by how much the likelihood is away, the Kullback-Leibler divergence per observation at the parameters of the
#     simulation, with neighbours by simple rules and chosen ones, in 25 configurations
#   Rscript bench/gp-several-vecchia.R value [places]
#     one value and one with derivatives for three variables, beside one variable with as many observations
#   Rscript bench/gp-several-vecchia.R fit [places]
#     a fit of three variables, of data that are simulated by the approximation
library(statcl)
source("bench/peers.R")
cat(machine(), "\n")
args <- commandArgs(TRUE)
number <- function(k, default) if (length(args) < k) default else as.integer(args[k])
problem <- function(model, xy) statcl:::gp_problem(model, statcl:::plain_points(xy), NULL)

# ---- divergence ----

configurations <- function(n) {
  places <- function(p, kind) {
    k <- n %/% p
    xy <- matrix(runif(2 * k), k)
    label <- rep(seq_len(p), each = k)
    switch(kind, together = cbind(xy[rep(seq_len(k), p), ], label),
           apart = cbind(matrix(runif(2 * k * p), k * p), label),
           half = {
             all <- xy[rep(seq_len(k), p), ]
             other <- label > 1L & rep(seq_len(k), p) > k %/% 2
             all[other, ] <- runif(2 * sum(other))
             cbind(all, label)
           })
  }
  both <- function(nu, beta, kind, nugget = 0.01, range = 0.1) {
    p <- length(nu)
    model <- covModel("multimatern", variance = rep(1, p), range = range, smoothness = nu, nugget = nugget,
                      correlation = diag(p))
    most <- statcl:::multimatern_factors(model)$value
    rho <- beta * most
    diag(rho) <- 1
    list(model = update(model, correlation = rho), xy = places(p, kind),
         name = sprintf("%s, smoothness %s, beta %g, nugget %g", kind, toString(nu), beta, nugget))
  }
  lmc <- function(kind, ranges) {
    a <- matrix(c(1, 0.6, 0.6, 1), 2)
    b <- matrix(c(0.5, -0.2, -0.2, 0.4), 2)
    list(model = covModel("lmc", parts = lapply(ranges, function(r) covModel("exponential", range = r)),
                          sill = list(a, b), nugget = c(0.01, 0.01)), xy = places(2, kind),
         name = sprintf("%s, two exponentials", kind))
  }
  kinds <- c("together", "half", "apart")
  c(unlist(lapply(kinds, function(kind) lapply(c(0.3, 0.9), function(beta) both(c(0.5, 0.5), beta, kind))), FALSE),
    unlist(lapply(kinds, function(kind) lapply(c(0.3, 0.9), function(beta) both(c(1.5, 0.5), beta, kind))), FALSE),
    list(both(c(1, 1), 0.9, "together"), both(c(1.5, 1.5), 0.9, "apart"), both(c(0.5, 0.5), 0.9, "together", 0.1),
         both(c(1, 0.5), 0.9, "half", 0.1)),
    unlist(lapply(kinds, function(kind) list(both(c(0.5, 0.8, 0.6), 0.5, kind), both(c(0.5, 1, 1.5), 0.5, kind))),
           FALSE),
    lapply(kinds, lmc, ranges = c(0.05, 0.3)))
}

# Numbers of the m of those before that a rule takes, by correlations r with place i and distances d from it.
rules <- list(
  space = function(i, m, r, d, of) order(d)[seq_len(min(m, i - 1L))],
  each = function(i, m, r, d, of) {
    rank <- ave(d, of, FUN = rank)
    order(rank, d)[seq_len(min(m, i - 1L))]
  },
  correlation = function(i, m, r, d, of) order(-abs(r))[seq_len(min(m, i - 1L))],
  floor = function(i, m, r, d, of) {
    rank <- ave(d, of, FUN = rank)
    order(rank > m / (2 * length(unique(of))), -abs(r))[seq_len(min(m, i - 1L))]
  })

divergence <- function(m, n) {
  set.seed(20)
  value <- do.call(rbind, lapply(configurations(n), function(c) {
    p <- problem(c$model, c$xy)
    metric <- statcl:::several_neighbour_metric(p)
    chosen <- statcl:::several_ordered(p, metric, m)
    xy <- c$xy[chosen$order, ]
    S <- covariance(c$model, xy)
    det <- as.numeric(determinant(S)$modulus)
    R <- stats::cov2cor(S)
    D <- as.matrix(dist(xy[, 1:2]))
    members <- lapply(rules, function(rule) vapply(seq_len(nrow(xy)), function(i) {
      before <- seq_len(i - 1L)
      c(rule(i, m, R[i, before], D[i, before], xy[before, 3]), rep(NA, m))[seq_len(m)]
    }, numeric(m)))
    members$chosen <- chosen$members
    lost <- vapply(members, function(own) {
      storage.mode(own) <- "integer"
      p$vecchia <- list(n = nrow(xy), m = m, order = chosen$order, pointer = own, y = numeric(nrow(xy)))
      (statcl:::vecchia_sums(p)$log_det - det) / (2 * nrow(xy))
    }, 0)
    best <- min(lost[names(rules)])
    data.frame(t(signif(lost, 3)), ratio = lost[["chosen"]] / best, row.names = c$name)
  }))
  print(value, digits = 3)
  cat(sprintf("m = %d: ratio to the best of the others: median %.2f, largest %.2f, of %d configurations\n", m,
              median(value$ratio), max(value$ratio), nrow(value)))
}

# ---- times ----

three <- covModel("multimatern", variance = c(1, 2, 0.5), range = 0.05, smoothness = c(0.5, 0.8, 1.5),
                  correlation = matrix(c(1, 0.6, 0.4, 0.6, 1, 0.3, 0.4, 0.3, 1), 3), nugget = c(0.1, 0.05, 0.02),
                  variable = c("a", "b", "c"))

simulated <- function(n) {
  set.seed(3)
  xy <- matrix(runif(2 * n), n)
  all <- cbind(xy[rep(seq_len(n), 3), ], rep(1:3, each = n))
  none <- problem(three, all[1:3, ])
  none$xy <- matrix(0, 0, 3)
  none$diagonal <- numeric()
  z <- statcl:::vecchia_draws(none, matrix(0, 0, 1), all, matrix(rnorm(3 * n), ncol = 1), 30)
  z <- matrix(z, n) + matrix(rnorm(3 * n), n) %*% diag(sqrt(three$nugget))
  data.frame(x = xy[, 1], y = xy[, 2], a = z[, 1], b = z[, 2], c = z[, 3])
}

timed <- function(expr) {
  expr <- substitute(expr)
  env <- parent.frame()
  eval(expr, env)
  median(vapply(1:5, function(i) system.time(eval(expr, env))[["elapsed"]], 0))
}

values <- function(n) {
  d <- simulated(n)
  xy <- cbind(as.matrix(d[c("x", "y")])[rep(seq_len(n), 3), ], rep(1:3, each = n))
  y <- c(d$a, d$b, d$c)
  several <- statcl:::vecchia_problem(problem(three, unname(xy)), list(y = y), 30)
  one <- covModel("matern", variance = 2, range = 0.05, smoothness = 0.8, nugget = 0.05)
  single <- statcl:::vecchia_problem(problem(one, matrix(runif(6 * n), 3 * n)), list(y = y), 30)
  names <- setdiff(statcl:::derivative_names(several), c("angle", "ratio"))
  few <- c("variance", "range", "smoothness", "nugget")
  t <- c(timed(statcl:::vecchia_evaluate(several, "ML")), timed(statcl:::vecchia_evaluate(single, "ML")),
         timed(statcl:::vecchia_evaluate(several, "ML", names, names)),
         timed(statcl:::vecchia_evaluate(single, "ML", few, few)))
  print(data.frame(three = t[c(1, 3)], one = t[c(2, 4)], ratio = t[c(1, 3)] / t[c(2, 4)],
                   row.names = c("value", "with derivatives")), digits = 3)
}

fitted <- function(n) {
  d <- simulated(n)
  time <- system.time(fit <- gpFit(cbind(a, b, c) ~ 1, d, ~ x + y, "multimatern", method = "vecchia"))
  print(fit)
  truth <- statcl:::cov_parameters(list(three))$value
  own <- fit$parameters[fit$parameters$component == "covariance" & !fit$parameters$fixed, ]
  cat("largest error in standard errors:", max(abs(own$estimate - truth[match(row.names(own), statcl:::cov_parameters(
    list(three))$name)]) / own$std.error), "\n")
  cat(sprintf("%d x 3: %.0f s, %d evaluations\n", n, time[["elapsed"]], fit$evaluations))
  if (file.exists("/proc/self/status")) cat(grep("VmHWM", readLines("/proc/self/status"), value = TRUE), "\n")
}

switch(if (length(args)) args[1] else "value", divergence = divergence(number(2L, 30L), number(3L, 900L)),
       value = values(number(2L, 10000L)), fit = fitted(number(2L, 100000L)))

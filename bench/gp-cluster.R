# Vecchia's approximation on workers, of one thread each, on this machine: times of an evaluation with 1, 2 and 4 of
# them and with none, what is sent, and a model of the costs that is fitted to these, with what it says of more; and
# what fits with a family would gain.
#   Rscript bench/gp-cluster.R [n [n ...]]       numbers of locations, 1e5 and 1e6 by default
#   Rscript bench/gp-cluster.R families [n]      fits with a family alone, 20,000 locations by default
library(statcl)
source("bench/peers.R")
asked <- commandArgs(trailingOnly = TRUE)
families <- length(asked) > 0 && asked[1] == "families"
sizes <- as.numeric(setdiff(asked, "families"))
if (!length(sizes)) sizes <- c(1e5, 1e6)
m <- 30
options(width = 220, statcl.threads = 1)
cat(machine(), "\n", m, "neighbours in the unit square, one thread for each worker. Seconds: elapsed, and processor",
    "time of the busiest worker, which\nother programs on the machine do not change; the least of three\n")
seconds <- function(workers, expr, times = 3) {
  expr <- substitute(expr)
  frame <- parent.frame()
  own <- function() sum(proc.time()[1:2])
  used <- function() if (workers == 0) own() else unlist(parallel::clusterCall(cl[seq_len(workers)], own))
  environment(own) <- baseenv()
  runs <- replicate(times, {
    before <- used()
    elapsed <- system.time(eval(expr, frame))[["elapsed"]]
    c(elapsed, max(used() - before))
  })
  apply(runs, 1L, min)
}
cl <- parallel::makeCluster(4)
invisible(parallel::clusterEvalQ(cl, options(statcl.threads = 1)))
models <- list(exponential = covModel("exponential", range = 0.05, variance = 2, nugget = 0.1),
               "smoothness free" = covModel("matern", range = 0.05, smoothness = 0.7, variance = 2, nugget = 0.1))
problem <- function(model, x, y, workers, m) {
  p <- statcl:::gp_problem(model, list(xy = x, geographic = NA, crs = NULL), NULL)
  withCluster(if (workers > 0) cl[seq_len(workers)], statcl:::vecchia_problem(p, list(y = y, X = cbind(1, x)), m))
}

# Laplace's approximation: of an evaluation, microseconds of one thread for a location, how long its parts take, and
# how long the weights of neighbours, which workers would have to send, take to come back; and predictions.
laplace_costs <- function(n) {
  set.seed(1)
  x <- matrix(runif(2 * n), n, dimnames = list(NULL, c("x", "y")))
  counts <- rpois(n, exp(as.vector(tbrf(x, covModel("exponential", range = 0.1), 200))))
  each <- function(expr) { # the processor time of the session, the least of three
    expr <- substitute(expr)
    frame <- parent.frame()
    1e6 / n * min(replicate(3, sum(system.time(eval(expr, frame))[c("user.self", "sys.self")])))
  }
  rows <- lapply(names(models), function(name) {
    model <- update(models[[name]], nugget = 0)
    fit <- gpFit(counts ~ 1, coords = x, cov = model, family = poisson(), m = m, fixed = TRUE)
    p <- statcl:::latent_problem(fit)
    p <- statcl:::laplace_problem(p, c(statcl:::observed_cases(fit), list(location = fit$location, unit = 1)), m)
    eta <- rep(coef(fit), n)
    e <- statcl:::laplace_at(p, eta, fit$own)
    e$elements <- e$factor$elements()
    sides <- lapply(c(1.0001, 0.9999), function(by) statcl:::gp_at(p, update(model, range = model$range * by)))
    row <- data.frame(model = name, weights = each(statcl:::laplace_precision(p)),
                      "weights of a slope" = each(lapply(sides, statcl:::laplace_precision)),
                      slope = each(statcl:::laplace_slope(e, sides[[1]], sides[[2]], NULL, 1e-4)),
                      "mode, from the last one" = each(statcl:::laplace_at(p, eta, fit$own)),
                      "elements of the inverse" = each(e$factor$elements()), check.names = FALSE)
    statcl:::vecchia_close(p)
    new <- x[sample(n), ]
    shared <- NULL
    row["prediction"] <- each(alone <- predict(fit, new))
    row["with four workers, session"] <- each(shared <- withCluster(cl, predict(fit, new)))
    row["busiest worker"] <- 1e6 / n * seconds(4, withCluster(cl, predict(fit, new)))[2]
    stopifnot(identical(shared, alone))
    row
  })
  print_table(do.call(rbind, rows))
  made <- runif(n * (m + 1))
  parallel::clusterExport(cl[1], "made", environment())
  back <- function() made
  environment(back) <- globalenv()
  came <- replicate(5, system.time(parallel::clusterCall(cl[1], back))[["elapsed"]])
  cat(sprintf("\nWeights of all neighbours, %d bytes a location, come back in %.2g us a location.\n", 8L * (m + 1L),
              1e6 / n * min(came)))
}
if (families) {
  laplace_costs(c(sizes, 20000)[1])
  parallel::stopCluster(cl)
  quit("no")
}

# What workers add to a small evaluation.
set.seed(1)
x <- matrix(runif(8600), ncol = 2)
added <- vapply(c(0, 2), function(workers) {
  p <- problem(models[[1]], x, x[, 1], workers, 3)
  for (i in 1:50) statcl:::vecchia_evaluate(p, "ML", "range", "range")
  time <- stats::median(replicate(200, {
    began <- Sys.time()
    statcl:::vecchia_evaluate(p, "ML", "range", "range")
    as.double(Sys.time() - began, "secs")
  }))
  statcl:::vecchia_close(p)
  time
}, 0)
cat(sprintf("4300 locations, 3 neighbours: an evaluation takes %.1f ms here and %.1f ms with two workers\n",
            1000 * added[1], 1000 * added[2]))

rows <- list()
for (n in sizes) {
  x <- matrix(runif(2 * n), n)
  y <- rnorm(n)
  search <- seconds(0, {
    order <- statcl:::gp_ordering(x)
    statcl:::gp_neighbours(x[order, ], m)
  }, 1)[1]
  for (name in names(models)) {
    names <- c("variance", "range", if (name != "exponential") "smoothness", "nugget")
    first <- NULL
    for (workers in c(0, 1, 2, 4)) {
      whole <- seconds(0, p <- problem(models[[name]], x, y, workers, m), 1)[1]
      value <- seconds(workers, found <- statcl:::vecchia_evaluate(p, "ML"))
      gradient <- seconds(workers, statcl:::vecchia_evaluate(p, "ML", names, names))
      bytes <- 0
      if (workers > 0) for (part in p$vecchia$pointer$parts)
        bytes <- bytes + length(serialize(.Call(statcl:::C_vecchiaCut, p$vecchia$pointer$pointer, part$from,
                                                part$count), NULL))
      statcl:::vecchia_close(p)
      if (is.null(first)) first <- found$value
      stopifnot(identical(first, found$value))
      rows <- c(rows, list(data.frame(n = n, model = name, workers = workers, search = search, "set up" = whole,
                                      "bytes a location" = bytes / n, value = value[1], "with gradient" = gradient[1],
                                      "value, cpu" = value[2], "with gradient, cpu" = gradient[2],
                                      check.names = FALSE)))
    }
  }
}
parallel::stopCluster(cl)
table <- do.call(rbind, rows)
for (what in c("value", "with gradient", "value, cpu", "with gradient, cpu"))
  table[paste("gain,", what)] <- vapply(seq_len(nrow(table)), function(i) {
    one <- table$workers == 1 & table$n == table$n[i] & table$model == table$model[i]
    table[one, what] / table[i, what]
  }, 0)
print_table(table)

# Seconds of an evaluation are a + b n / workers, by the processor time of the busiest, as if each had a processor of
# its own; of the search they are b n log2(n), and a is what a call adds.
model <- table[table$workers > 0, ]
model$share <- model$n / model$workers
slope <- function(y, x) sum(x * y) / sum(x^2)
search <- unique(model[c("n", "search")])
per_search <- slope(search$search / search$n, log2(search$n))
bytes <- mean(model[["bytes a location"]])
back <- function(slopes) { # bytes of sums, of 256 parts at most
  products <- 10 # of y and three covariates
  256 * 8 * (2 + products + slopes * (1 + products) + slopes * (slopes + 1) / 2)
}
cat(sprintf("\nOrder and neighbours: %.3g s a location and doubling of their number, in the user's session\n",
            per_search))
cat(sprintf("Sent once: %.0f bytes a location; sums of an evaluation with 4 parameters: %.0f bytes in all\n", bytes,
            back(4)))
n <- 1e9
workers <- 100
for (name in names(models)) {
  own <- model[model$model == name, ]
  per <- vapply(c("value, cpu", "with gradient, cpu"), function(what) mean(own[[what]] / own$share), 0)
  here <- per * n / workers * 300 / 256 # 256 parts, of which a worker has two or three
  cat(sprintf("%s: %.3g s a location for a value, %.3g with gradient and information\n", name, per[1], per[2]))
  cat(sprintf("  %g locations on %g workers of one thread: %.3g and %.3g s, besides %.2g s for calls\n", n, workers,
              here[1], here[2], (added[2] - added[1]) / 2 * workers))
}
cat(sprintf("Of %g locations %.3g GB are sent, %.3g s at 10 Gbit/s; the search would take %.3g s on one thread.\n", n,
            n * bytes / 1e9, n * bytes * 8 / 1e10, per_search * n * log2(n)))
cat(sprintf("A session holds up to %.3g locations with %d neighbours: more need a search that is shared as well.\n",
            2^31 / (m + 1), m))

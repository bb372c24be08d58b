# Fields of categories by rfFacies(): proportions and transitions of fields against the model, and of fields given
# categories, which were taken from other fields: over these both have to be those of the model, too. Time beside
# indicator simulation by package gstat.
#   R_LIBS=build/library Rscript bench/field-facies.R [fields, 200] [data, 100]
suppressPackageStartupMessages(library(statcl))
options(statcl.threads = 1)
given <- as.numeric(commandArgs(TRUE))
nsim <- if (length(given)) given[1] else 200
n.data <- if (length(given) > 1) given[2] else 100
grid <- rfGrid(0, 0.5, c(60, 40))
matern <- function(range, smoothness) covModel("matern", range = range, smoothness = smoothness)
rules <- list(
  truncated = rfFacies(covModel("exponential", range = 2), c(clay = 0.3, silt = 0.45, sand = 0.25)),
  smooth = rfFacies(matern(3, 2.5), c(clay = 0.3, silt = 0.45, sand = 0.25)),
  plurigaussian = rfFacies(list(matern(1.5, 1.5), covModel("exponential", range = 1.5)), c(0.4, 0.25, 0.35),
                           list("clay", c("silt", "sand"))),
  `clay twice` = rfFacies(list(matern(1.5, 0.8), matern(1.5, 0.8)), c(0.25, 0.25, 0.25, 0.25),
                          list("clay", c("silt", "sand"), "clay")))

# Fields vary far more than the mean of many: standard errors are those of the mean of independent fields.
check <- function(name, fields, kind, more = "") {
  facies <- rules[[name]]
  k <- length(facies$labels)
  values <- matrix(as.vector(fields), prod(dim(grid)))
  share <- vapply(seq_len(k), function(j) colMeans(values == j), numeric(ncol(values)))
  truth <- vapply(seq_len(k), function(j) sum(facies$proportions[unlist(facies$cell) == j]), 0)
  z <- (colMeans(share) - truth) / (apply(share, 2, sd) / sqrt(nrow(share)))
  tr <- subset(rfTransitions(fields, to = 6), distance > 0)
  model <- rfTransitions(tbrf(grid, facies), to = 6)
  model <- model$model[model$distance > 0]
  t <- ((tr$probability - model) / tr$std.error)[tr$std.error > 0]
  cat(sprintf(paste0("%-14s %-12s %d fields: proportions off by %.4f at most (%.1f standard errors); %d ",
                     "transitions: off by %.4f at most, %.1f %% beyond 2 and %.1f %% beyond 3 standard errors%s\n"),
              name, kind, ncol(values), max(abs(colMeans(share) - truth)), max(abs(z)), length(t),
              max(abs(tr$probability - model)), 100 * mean(abs(t) > 2), 100 * mean(abs(t) > 3), more))
}

for (name in names(rules)) {
  set.seed(1)
  free <- tbrf(grid, rules[[name]], nsim = nsim)
  check(name, free, "free")
  seconds <- 0
  broken <- 0
  fields <- array(0, dim(free))
  points <- as.matrix(grid)
  for (i in seq_len(nsim)) {
    at <- sample(nrow(points), n.data)
    observed <- free[, , i][at]
    data <- list(x = points[at, ], y = observed)
    seconds <- seconds + system.time(one <- tbrf(grid, rules[[name]], data = data))[[1]]
    fields[, , i] <- one[]
    broken <- broken + sum(one[at] != observed)
  }
  attributes(fields) <- attributes(free)
  # of one field less the one that its data are from the errors are smaller
  apart <- vapply(seq_len(length(rules[[name]]$labels)), function(k)
    colMeans(matrix(as.vector(fields == k) - as.vector(free[] == k), nrow(points))), numeric(nsim))
  cat(sprintf("%-14s given others less these: %.1f standard errors at most\n", name,
              max(abs(colMeans(apart)) / (apply(apart, 2, sd) / sqrt(nsim)))))
  check(name, fields, "given others", sprintf("; %d of %d data not honoured; %.2f s a field", broken, nsim * n.data,
                                              seconds / nsim))
}

# One set of data, many fields: as gstat has them.
set.seed(2)
two <- rfFacies(covModel("exponential", range = 2), c(a = 0.4, b = 0.6))
truth <- tbrf(grid, two)
points <- as.matrix(grid)
at <- sample(nrow(points), n.data)
ours <- system.time(fields <- tbrf(grid, two, nsim = nsim, data = list(x = points[at, ], y = truth[at])))[[1]]
cat(sprintf("%d fields of two categories given %d data: %.1f s, %d data not honoured\n", nsim, n.data, ours,
            sum(matrix(as.vector(fields), nrow(points))[at, ] != truth[at])))
if (requireNamespace("gstat", quietly = TRUE) && requireNamespace("sp", quietly = TRUE)) {
  d <- data.frame(points[at, ], i = truth[at] - 1)
  sp::coordinates(d) <- ~ x + y
  new <- data.frame(points)
  sp::coordinates(new) <- ~ x + y
  for (nmax in c(20, 60)) {
    theirs <- system.time(s <- gstat::krige(i ~ 1, d, new, gstat::vgm(0.24, "Exp", 2), nmax = nmax, nsim = nsim,
                                            indicators = TRUE, beta = 0.6, debug.level = 0))[[1]]
    cat(sprintf("the same by gstat::krige(indicators = TRUE, nmax = %d): %.1f s\n", nmax, theirs))
  }
}

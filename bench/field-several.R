# Fields of several variables by waves: errors of the covariances and cross-covariances that a single field has over
# the plane, root mean square over fields, in percent of the variances, with the phases of tbrf() and with independent
# ones; and times on a grid beside those of as many fields of one variable, on one thread.
#   Rscript bench/field-several.R [FIELDS]
# FIELDS for each figure (30).
library(statcl)
options(statcl.threads = 1)
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
nsim <- if (length(argument)) argument[1] else 30
model <- covModel("multimatern", range = 1, smoothness = c(0.5, 1.5, 0.8),
                  correlation = matrix(c(1, 0.6, 0.3, 0.6, 1, -0.4, 0.3, -0.4, 1), 3))
distance <- c(0.1, 1, 3)

# Cosines and sines of the waves with independent phases.
independent <- function(recipe, waves) {
  root <- statcl:::wave_roots(recipe, waves$radius)
  own <- list(cosine = 0, sine = 0)
  for (q in 1:3) {
    turn <- runif(length(waves$phase))
    own$cosine <- own$cosine + cospi(2 * turn) * root[, , q]
    own$sine <- own$sine - sinpi(2 * turn) * root[, , q]
  }
  own
}

# The lag is along the first axis, at which the covariance of variables i and j is E Z_i(0) Z_j(h).
has <- function(own, k, h) {
  t <- 2 * pi * k[, 1] * h
  of <- function(a, b, w) crossprod(own[[a]], own[[b]] * w) / 2
  of("cosine", "cosine", cos(t)) + of("sine", "sine", cos(t)) + of("cosine", "sine", sin(t)) -
    of("sine", "cosine", sin(t))
}

errors <- function(nlines, phases) {
  recipe <- tbrf(cbind(0, 0), model, nlines, nsim = nsim, object = TRUE)
  squares <- 0
  for (sim in seq_len(nsim)) {
    waves <- statcl:::recipe_lines(statcl:::with_key(recipe$common, recipe), sim)
    own <- if (phases == "independent") independent(recipe, waves)
           else statcl:::wave_coefficients(recipe, sim, waves, NULL, NULL, 0)
    squares <- squares + vapply(distance, function(h)
      c(has(own, waves$k, h) - covariance(model, cbind(0, 0, 1:3), cbind(h, 0, 1:3)))^2, numeric(9)) / nsim
  }
  largest <- function(pairs) 100 * sqrt(apply(squares[pairs, ], 2, max))
  data.frame(waves = nlines, phases = phases, distance = distance, own = largest(c(1, 5, 9)),
             cross = largest(-c(1, 5, 9)))
}

set.seed(1)
cat("Largest errors of covariances and cross-covariances, percent,", nsim, "fields\n")
print(do.call(rbind, Map(errors, rep(c(300, 1000, 3000), each = 2), c("even", "independent"))), digits = 2,
      row.names = FALSE)

grid <- rfGrid(0, 0.02, c(500, 500))
points <- matrix(runif(1e5), ncol = 2)
one <- covModel("matern", range = 1, smoothness = 0.5)
lmc <- covModel("lmc", parts = list(one), sill = list(model$correlation))
seconds <- function(call) system.time(call)[["elapsed"]]
times <- rbind(
  "three fields of one variable" = c(seconds(tbrf(grid, one, nsim = 3)), seconds(tbrf(points, one, nsim = 3))),
  "multimatern" = c(seconds(tbrf(grid, model)), seconds(tbrf(points, model))),
  "lmc" = c(seconds(tbrf(grid, lmc)), seconds(tbrf(points, lmc))))
colnames(times) <- c("500 x 500 grid", "50,000 points")
cat("\nSeconds for three variables, 1000 waves\n")
print(times, digits = 3)

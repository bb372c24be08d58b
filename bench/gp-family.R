# Fits of gpFit(family = ) beside those of GPBoost (Laplace's approximation on Vecchia's, sparse Cholesky factors):
# estimates, log likelihoods, also at the other's estimates with all neighbours, where both are the same function, and
# processor times with one thread. Data of package spatstat.data: trees of Barro Colorado in squares of 25 m (counts),
# bovine tuberculosis in Cornwall by spoligotype (0 and 1), and zinc near the Meuse of package sp (positive).
#   Rscript bench/gp-family.R [m [n of a simulated data set, or 0]]
Sys.setenv(OMP_NUM_THREADS = "1")
library(statcl)
source("bench/peers.R")
options(width = 140, statcl.threads = 1)
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
m <- if (length(argument)) argument[1] else 30
size <- if (length(argument) > 1) argument[2] else 10000
with_gpboost <- "gpboost" %in% need_peers(c("gpboost", "spatstat.data", "sp"))
cat(machine(), "\n", m, "neighbours, one thread, processor time\n")

trees <- function() {
  data(bei, package = "spatstat.data", envir = environment())
  at <- expand.grid(x = seq(12.5, 987.5, 25), y = seq(12.5, 487.5, 25))
  cell <- table(factor(ceiling(bei$x / 25), 1:40), factor(ceiling(bei$y / 25), 1:20))
  value <- function(image) image$v[cbind(round(at$y / 5) + 1, round(at$x / 5) + 1)]
  data.frame(at, response = as.vector(cell), elevation = value(bei.extra$elev) / 10,
             slope = 10 * value(bei.extra$grad))
}
cattle <- function() {
  data(btb, package = "spatstat.data", envir = environment())
  d <- data.frame(x = btb$x, y = btb$y, response = as.double(btb$marks$spoligotype == "9"))
  d[!duplicated(d[1:2]), ]
}
zinc <- function() {
  data(meuse, package = "sp", envir = environment())
  data.frame(x = meuse$x, y = meuse$y, response = meuse$zinc, distance = sqrt(meuse$dist))
}
made <- function(n) {
  set.seed(1)
  d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n))
  w <- simulate(covModel("exponential", range = 0.1), 1, seed = 1, x = as.matrix(d[1:2]), method = "tbrf")
  transform(d, response = rpois(n, exp(0.5 + 0.3 * z + as.vector(w))))
}
sets <- list(
  list(name = "trees, Poisson", data = trees(), formula = response ~ elevation + slope, family = poisson(),
       theirs = "poisson"),
  list(name = "cattle, binomial", data = cattle(), formula = response ~ 1, family = binomial(),
       theirs = "bernoulli_logit"),
  list(name = "zinc, Gamma", data = zinc(), formula = response ~ distance, family = Gamma("log"), theirs = "gamma"))
if (size > 0) sets <- c(sets, list(list(name = "simulated, Poisson", data = made(size), formula = response ~ z,
                                        family = poisson(), theirs = "poisson")))

for (s in sets) {
  d <- s$data
  xy <- as.matrix(d[c("x", "y")])
  X <- model.matrix(s$formula, d)
  time <- system.time(fit <- gpFit(s$formula, d, ~ x + y, "exponential", family = s$family, m = m))
  ours <- c(coef(fit), unlist(fit$cov[c("variance", "range")]), if (s$theirs == "gamma") c(shape = fit$shape))
  error <- sqrt(diag(vcov(fit, "all")))[c(names(coef(fit)), "variance", "range",
                                          if (s$theirs == "gamma") "family.shape")]
  table <- data.frame(statcl = ours, std.error = unname(error), row.names = names(ours))
  last <- c(logLik = fit$loglik, "logLik, all neighbours" = NA, "processor seconds" = sum(time[1:2]))
  value <- function(p) { # of exact Laplace approximations
    k <- ncol(X)
    model <- covModel("exponential", variance = p[k + 1], range = p[k + 2])
    gpFit(response ~ 0 + offset(drop(X %*% p[seq_len(k)])), d, ~ x + y, model, family = s$family, method = "exact",
          fixed = c(list(variance = p[[k + 1]], range = p[[k + 2]]),
                    if (s$theirs == "gamma") list(family.shape = p[[k + 3]])))$loglik
  }
  small <- nrow(d) <= 1000
  if (small) last[2] <- value(ours)
  rows <- last
  if (with_gpboost) {
    begin <- function(neighbours) gpboost::GPModel(
      gp_coords = xy, cov_function = "exponential", likelihood = s$theirs, gp_approx = "vecchia",
      num_neighbors = neighbours, vecchia_ordering = "random", matrix_inversion_method = "cholesky",
      num_parallel_threads = 1L)
    time <- system.time({
      g <- begin(as.integer(m))
      g$fit(y = d$response, X = X)
    })
    shape <- if (s$theirs == "gamma") g$get_aux_pars()[1]
    theirs <- c(unlist(g$get_coef())[seq_len(ncol(X))], unlist(g$get_cov_pars())[1:2], shape)
    table$GPBoost <- unname(as.double(theirs))
    rows <- rbind(rows, c(-g$get_current_neg_log_likelihood(), if (small) value(as.double(theirs)) else NA,
                          sum(time[1:2])))
    if (small) { # their value at our estimates, and the difference
      exact <- begin(nrow(d) - 1L)
      k <- ncol(X)
      there <- -exact$neg_log_likelihood(cov_pars = unname(ours[k + 1:2]), y = d$response,
                                         fixed_effects = drop(X %*% ours[seq_len(k)]),
                                         aux_pars = if (s$theirs == "gamma") unname(ours[k + 3]))
      cat(sprintf("%s: GPBoost's log likelihood with all neighbours at our estimates less ours: %.3g\n", s$name,
                  there - last[[2]]))
    }
  }
  cat("\n", s$name, ", ", nrow(d), " observations\n", sep = "")
  print(signif(table, 6))
  rows <- rbind(rows)
  rownames(rows) <- c("statcl", "GPBoost")[seq_len(nrow(rows))]
  print(rows, digits = 9)
}

# Parameters that follow covariates, beside package cocons on its data "holes", where four holes are to be predicted.
#   Rscript bench/gp-local-cocons.R [observations]
# Likelihoods at the same parameters of smoothness 3/2; then fits to some of the 5,570 observations by cocons and
# here, exactly, and to all of them by Vecchia's approximation: time, and what predictions of the 430 others are
# worth, the mean logarithm of their density, the continuous ranked probability score and the root mean square of
# errors.
library(statcl)
library(cocons)
source("bench/peers.R")
cat(machine(), ", cocons ", as.character(packageVersion("cocons")), "\n", sep = "")
args <- commandArgs(TRUE)
n <- if (length(args)) as.integer(args[1L]) else 500L
data(holes)
set.seed(1)
some <- holes$training[sample(nrow(holes$training), n), ]
test <- holes$test

# ---- likelihoods ----

X <- cbind(1, as.matrix(some[c("cov_x", "cov_y")]))
own <- list(std.dev = c(0.3, 0.5, -0.2), scale = c(-1, 0.4, 0.3), nugget = c(-4, 0.5, 0))
S <- cov_rns(theta = c(own, list(aniso = numeric(3), tilt = numeric(3), smooth = numeric(3))),
             as.matrix(some[1:2]), X, c(1.5, 1.5))
R <- chol(S)
theirs <- -sum(log(diag(R))) - 0.5 * sum(backsolve(R, some$z, transpose = TRUE)^2) - n / 2 * log(2 * pi)
named <- function(v) setNames(v, c("(Intercept)", "cov_x", "cov_y"))
# there distances are times sqrt(8 smoothness)
same <- covModel("matern", smoothness = 1.5, variance = ~ cov_x + cov_y, range = ~ cov_x + cov_y,
                 nugget = ~ cov_x + cov_y, coefficients = list(
                   variance = named(own$std.dev), range = named(own$scale - c(log(12) / 2, 0, 0)),
                   nugget = named(own$nugget)))
ours <- as.numeric(gpLoglik(same, some[c("x", "y", "cov_x", "cov_y")], some$z))
cat(sprintf("log likelihood at the same parameters: %.9f, by cocons %.9f, relative difference %.1e\n", ours, theirs,
            abs(ours / theirs - 1)))

# ---- fits ----

score <- function(name, time, mean, sd, loglik) {
  u <- (test$z - mean) / sd
  data.frame(seconds = time, loglik = loglik, log.score = mean(dnorm(test$z, mean, sd, TRUE)),
             crps = mean(sd * (u * (2 * pnorm(u) - 1) + 2 * dnorm(u) - 1 / sqrt(pi))),
             rmse = sqrt(mean((test$z - mean)^2)), row.names = name)
}
by_cocons <- function() {
  asked <- coco(type = "dense", data = some, locs = as.matrix(some[1:2]), z = some$z, model.list = list(
    mean = formula(~ 1), std.dev = formula(~ 1 + cov_x + cov_y), scale = formula(~ 1 + cov_x + cov_y), aniso = 0,
    tilt = 0, smooth = 3 / 2, nugget = formula(~ 1)))
  time <- system.time(fit <- cocoOptim(asked, boundaries = getBoundaries(asked, -3, 3), ncores = 1))[["elapsed"]]
  found <- cocoPredict(fit, newdataset = test, newlocs = as.matrix(test[1:2]), type = "pred")
  score("cocons", time, found$systematic + found$stochastic, found$sd.pred, -fit@output$value / 2)
}
by_statcl <- function(name, data, smoothness, ...) {
  cov <- covModel("matern", smoothness = smoothness, variance = ~ cov_x + cov_y, range = ~ cov_x + cov_y, nugget = NA)
  time <- system.time(fit <- gpFit(z ~ 1, data, ~ x + y, cov, fixed = if (!is.na(smoothness)) "smoothness", ...))
  p <- predict(fit, test, se.fit = TRUE)
  score(name, time[["elapsed"]], p$fit, p$se.fit, as.numeric(logLik(fit)))
}
options(statcl.threads = 1)
print(rbind(by_cocons(), by_statcl("exact", some, 1.5), by_statcl("exact, smoothness estimated", some, NA),
            by_statcl(sprintf("Vecchia, all %d", nrow(holes$training)), holes$training, 1.5, method = "vecchia")),
      digits = 4)

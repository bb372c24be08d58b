# A range that grows tenfold across the domain: 100,000 simulated observations, fitted by Vecchia's approximation with
# a slope of the logarithm of the range and without one; errors of the coefficients in standard errors, and how often
# 95 % prediction intervals of 10,000 further places cover these in each tenth of the domain.
#   Rscript bench/gp-local-large.R [N] [varying smoothness, TRUE or FALSE]
library(statcl)
source("bench/peers.R")
cat(machine(), "\n")
args <- commandArgs(TRUE)
n <- if (length(args)) as.integer(args[1L]) else 100000L
varying <- length(args) > 1L && as.logical(args[2L])
new <- n %/% 10L

set.seed(5)
d <- data.frame(x = runif(n + new), y = runif(n + new))
d$e <- d$x # a column of its own, as covariates are no coordinates
slopes <- function(...) c("(Intercept)" = ..1, e = ..2)
truth <- covModel("matern", variance = 1, range = ~ e, smoothness = if (varying) ~ e else 0.8, nugget = 0.1,
                  coefficients = c(list(range = slopes(log(0.01), log(10))),
                                   if (varying) list(smoothness = slopes(log(0.6), log(2)))))
places <- statcl:::local_points(d, "x", truth)
p <- statcl:::gp_problem(statcl:::checked_model(places$model), places$points, NULL)
all <- p$xy
p$xy <- all[0, , drop = FALSE]
p$diagonal <- numeric()
d$z <- 2 + drop(statcl:::vecchia_draws(p, matrix(0, 0, 1), all, matrix(rnorm(nrow(d)), ncol = 1), 120)) +
  rnorm(nrow(d), 0, sqrt(0.1))
old <- d[seq_len(n), ]
later <- d[n + seq_len(new), ]
asked <- covModel("matern", variance = NA, range = ~ e, smoothness = if (varying) ~ e else NA, nugget = NA)
fits <- list()
time <- list(local = system.time(fits$local <- gpFit(z ~ 1, old, ~ x + y, asked, method = "vecchia")),
             stationary = system.time(fits$stationary <- gpFit(z ~ 1, old, ~ x + y, "matern", method = "vecchia")))
own <- fits$local$parameters
values <- c("(Intercept)" = 2, variance = 1, "range.(Intercept)" = log(0.01), range.e = log(10), smoothness = 0.8,
            "smoothness.(Intercept)" = log(0.6), smoothness.e = log(2), nugget = 0.1)
values <- values[intersect(names(values), row.names(own))]
print(data.frame(truth = values, own[names(values), c("estimate", "std.error")],
                 errors = (own[names(values), "estimate"] - values) / own[names(values), "std.error"]), digits = 4)
tenth <- pmin(floor(later$x * 10), 9)
covers <- vapply(fits, function(fit) {
  p <- predict(fit, later, interval = "prediction")
  tapply(p[, "lwr"] <= later$z & later$z <= p[, "upr"], tenth, mean)
}, numeric(10))
print(round(t(covers), 3))
for (name in names(fits)) cat(sprintf("%s: %.0f s, %d evaluations, log likelihood %.1f\n", name,
                                      time[[name]][["elapsed"]], fits[[name]]$evaluations, fits[[name]]$loglik))
if (file.exists("/proc/self/status")) cat(grep("VmHWM", readLines("/proc/self/status"), value = TRUE), "\n")

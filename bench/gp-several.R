# Fits of three variables by the exact likelihood: the time of 1,000 places with three variables beside that of a fit
# of one variable at 3,000 places in the same run, on one thread; and metals of the Meuse flood plain (package sp),
# half of the observations of two of them held out, predicted by co-kriging and by univariate fits.
#   Rscript bench/gp-several.R [N]
# N places (1000). The second part needs sp.
library(statcl)
options(statcl.threads = 1)
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
n <- if (length(argument)) argument[1] else 1000
set.seed(1)
places <- data.frame(x = runif(n), y = runif(n))
model <- covModel("multimatern", range = 0.1, smoothness = c(0.5, 0.8, 1.2), variance = 1:3, nugget = 0.1 * 1:3,
                  correlation = matrix(c(1, 0.6, 0.3, 0.6, 1, 0.4, 0.3, 0.4, 1), 3))
all <- cbind(places[rep(seq_len(n), 3), ], rep(1:3, each = n))
y <- as.vector(simulate(model, seed = 1, x = all, method = "exact"))
several <- cbind(places, a = y[seq_len(n)], b = y[n + seq_len(n)], c = y[2 * n + seq_len(n)])
one <- data.frame(x = runif(3 * n), y = runif(3 * n))
one$a <- as.vector(simulate(covModel("matern", range = 0.1, smoothness = 0.8, nugget = 0.1), seed = 2, x = one,
                            method = "exact"))
timed <- function(call) {
  time <- system.time(fit <- call)
  data.frame(seconds = time[["user.self"]] + time[["sys.self"]], elapsed = time[["elapsed"]],
             evaluations = fit$evaluations, parameters = fit$df, loglik = fit$loglik)
}
table <- rbind("one variable" = timed(gpFit(a ~ 1, one, ~ x + y, method = "exact")),
               "three variables" = timed(gpFit(cbind(a, b, c) ~ 1, several, ~ x + y)))
cat(sprintf("%g observations: processor seconds, and their ratio\n", 3 * n))
print(cbind(table, ratio = table$seconds / table$seconds[1]), digits = 4)

if (requireNamespace("sp", quietly = TRUE)) {
  data(meuse, package = "sp")
  metals <- c("cadmium", "copper", "zinc")
  whole <- transform(as.data.frame(meuse), cadmium = log(cadmium), copper = log(copper), zinc = log(zinc))
  lmc <- covModel("lmc", parts = list(covModel("exponential", range = NA)), sill = NA, nugget = c(NA, NA, NA))
  errors <- lapply(1:5, function(seed) {
    set.seed(seed)
    out <- sample(nrow(whole), nrow(whole) %/% 2)
    seen <- whole
    seen[out, c("cadmium", "copper")] <- NA # zinc is known everywhere
    predicted <- function(fit, metal) predict(fit, whole[out, ], variable = metal, se.fit = TRUE)
    joint <- list("multimatern" = gpFit(cbind(cadmium, copper, zinc) ~ sqrt(dist), seen, ~ x + y),
                  "lmc" = gpFit(cbind(cadmium, copper, zinc) ~ sqrt(dist), seen, ~ x + y, lmc))
    rows <- lapply(c("cadmium", "copper"), function(metal) {
      alone <- gpFit(reformulate("sqrt(dist)", metal), seen[!is.na(seen[[metal]]), ], ~ x + y)
      by <- c(list("one variable" = predict(alone, whole[out, ], se.fit = TRUE)), lapply(joint, predicted, metal))
      do.call(rbind, lapply(names(by), function(how) data.frame(
        metal = metal, by = how, t(gpScores(whole[out, metal], by[[how]]$fit, by[[how]]$se.fit)))))
    })
    do.call(rbind, rows)
  })
  all <- do.call(rbind, errors)
  cat("\nHeld-out values of metals, means of", length(errors), "splits\n")
  print(aggregate(all[c("RMSE", "CRPS", "logscore", "coverage")], all[c("by", "metal")], mean), digits = 3)
} else cat("Package sp is not here: no part with real data\n")

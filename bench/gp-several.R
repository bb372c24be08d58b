# Fits of three variables by the exact likelihood: the time of 1,000 places with three variables beside that of a fit
# of one variable at 3,000 places in the same run, on one thread; and predictions of a variable that is known at some
# places from others that are known at all of them, by co-kriging with multivariate models, by univariate fits, and by
# package gstat with its fit.lmc(): errors of the values that were held out, and processor seconds of fits and
# predictions, one after the other on one thread. The data are
#   jura   cadmium at the 100 places of the validation set, with nickel and zinc at all 359 (package gstat)
#   meuse  cadmium and copper of the Meuse flood plain at a random half of the places, with zinc at all of them, in
#          logarithms, five splits (package sp)
#   argo   temperatures at the depth 100 at half of 320 places in the north-eastern Pacific, with those at 150 and 200
#          at all of them, three splits (package GpGp)
#   Rscript bench/gp-several.R [N [FOLDER [SETS]]]
# N places (1000) for the times, none for 0. Packages with the data may be installed in FOLDER besides. SETS are some
# of jura,meuse,argo.
library(statcl)
options(statcl.threads = 1)
argument <- commandArgs(trailingOnly = TRUE)
n <- if (length(argument)) as.numeric(argument[1]) else 1000
if (length(argument) > 1) .libPaths(c(.libPaths(), argument[2]))
sets <- if (length(argument) > 2) strsplit(argument[3], ",")[[1]] else c("jura", "meuse", "argo")
if (n > 0) {
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
}

# ---- real data ----

object <- function(package, file, name = file) {
  own <- new.env()
  utils::data(list = file, package = package, envir = own)
  own[[name]]
}

# Tables of coordinates x and y and of the variables, of which the first ones, `held`, are held out at some rows; the
# right side of the `mean` of all; and which rows are `out` in each split.
data_sets <- list(
  jura = function() {
    part <- function(name) {
      own <- object("gstat", "jura", name)
      data.frame(x = own$Xloc, y = own$Yloc, Cd = own$Cd, Ni = own$Ni, Zn = own$Zn)
    }
    list(data = rbind(part("prediction.dat"), part("validation.dat")), held = "Cd", others = c("Ni", "Zn"),
         mean = "1", out = list(259 + 1:100))
  },
  meuse = function() {
    own <- as.data.frame(object("sp", "meuse"))
    half <- function(seed) {
      set.seed(seed)
      sample(nrow(own), nrow(own) %/% 2)
    }
    metals <- c("cadmium", "copper", "zinc")
    list(data = data.frame(own[c("x", "y", "dist")], log(own[metals])), held = metals[1:2], others = metals[3],
         mean = "sqrt(dist)", out = lapply(1:5, half))
  },
  argo = function() { # kilometres in the plane, at the middle latitude
    own <- subset(object("GpGp", "argo2016"), lon > 200 & lon < 240 & lat > 10 & lat < 40)
    set.seed(1)
    own <- own[sample(nrow(own), 320), ]
    data <- data.frame(x = 111.2 * cospi(25 / 180) * (own$lon - 220), y = 111.2 * (own$lat - 25),
                       own[c("temp100", "temp150", "temp200")])
    list(data = data, held = "temp100", others = c("temp150", "temp200"), mean = "y + I(y^2)",
         out = lapply(1:3, function(seed) {
           set.seed(seed)
           sample(320, 160)
         }))
  })

one_part <- function(p) covModel("lmc", parts = list(covModel("exponential", range = NA)), sill = NA,
                                 nugget = rep(NA_real_, p))
two_parts <- function(p) covModel("lmc", parts = list(covModel("exponential", range = NA),
                                                      covModel("exponential", range = NA)), sill = NA,
                                  nugget = rep(NA_real_, p))

# Means and standard errors of predictions of observations of a variable in new rows, by a fit.
by_statcl <- function(fit, new, ...) {
  own <- as.data.frame(predict(fit, new, se.fit = TRUE, ...))
  data.frame(fit = own$fit, se.fit = own$se.fit)
}

ways <- list(
  "one variable" = function(seen, new, held, all, mean) lapply(held, function(one)
    by_statcl(gpFit(reformulate(mean, one), seen[!is.na(seen[[one]]), ], ~ x + y), new)),
  multimatern = function(seen, new, held, all, mean) together("multimatern", seen, new, held, all, mean),
  "lmc, 1 part" = function(seen, new, held, all, mean) together(one_part(length(all)), seen, new, held, all, mean),
  "lmc, 2 parts" = function(seen, new, held, all, mean) together(two_parts(length(all)), seen, new, held, all, mean),
  "gstat, one variable" = function(seen, new, held, all, mean) lapply(held, function(one) {
    own <- seen[!is.na(seen[[one]]), ]
    model <- first_model(own, one, mean)
    found <- gstat::krige(reformulate(mean, one), ~ x + y, own, new, model, debug.level = 0)
    data.frame(fit = found$var1.pred, se.fit = sqrt(found$var1.var))
  }),
  "gstat, fit.lmc" = function(seen, new, held, all, mean) {
    # variograms between variables by the places where all are known, and co-kriging by all observations
    of <- function(data) {
      g <- NULL
      for (one in all) g <- gstat::gstat(g, one, reformulate(mean, one), ~ x + y, data[!is.na(data[[one]]), ])
      g
    }
    complete <- seen[stats::complete.cases(seen[all]), ]
    start <- gstat::gstat(of(complete), model = first_model(complete, held[1], mean), fill.all = TRUE)
    fitted <- gstat::fit.lmc(gstat::variogram(start), start, correct.diagonal = 1.01)
    g <- of(seen)
    g$model <- fitted$model
    found <- predict(g, new, debug.level = 0)
    lapply(held, function(one)
      data.frame(fit = found[[paste0(one, ".pred")]], se.fit = sqrt(found[[paste0(one, ".var")]])))
  })

together <- function(cov, seen, new, held, all, mean) {
  formula <- stats::as.formula(sprintf("cbind(%s) ~ %s", toString(all), mean))
  fit <- gpFit(formula, seen, ~ x + y, cov)
  lapply(held, function(one) by_statcl(fit, new, variable = one))
}

# An exponential model with a nugget, fitted to the empirical variogram of one variable.
first_model <- function(data, one, mean) {
  v <- gstat::variogram(reformulate(mean, one), ~ x + y, data)
  total <- var(stats::residuals(lm(reformulate(mean, one), data)))
  suppressWarnings(gstat::fit.variogram(v, gstat::vgm(0.7 * total, "Exp", max(v$dist) / 4, 0.3 * total)))
}

compare <- function(name) {
  own <- tryCatch(data_sets[[name]](), error = function(e) NULL, warning = function(w) NULL)
  if (is.null(own)) return(cat("\nNo data of", name, "here\n"))
  all <- c(own$held, own$others)
  if (!requireNamespace("gstat", quietly = TRUE)) ways <- ways[!startsWith(names(ways), "gstat")]
  rows <- lapply(own$out, function(out) {
    seen <- own$data
    seen[out, own$held] <- NA
    new <- own$data[out, ]
    do.call(rbind, lapply(names(ways), function(way) {
      time <- system.time(found <- ways[[way]](seen, new, own$held, all, own$mean))
      do.call(rbind, Map(function(one, f) data.frame(
        by = way, variable = one, t(gpScores(own$data[out, one], f$fit, f$se.fit)),
        seconds = time[["user.self"]] + time[["sys.self"]]), own$held, found))
    }))
  })
  table <- do.call(rbind, rows)
  table <- aggregate(table[c("RMSE", "MAE", "CRPS", "logscore", "coverage", "seconds")],
                     list(by = factor(table$by, names(ways)), variable = table$variable), mean)
  cat(sprintf("\n%s: %d observations, mean of %d split%s\n", name,
              nrow(own$data) * length(all) - length(own$out[[1]]) * length(own$held), length(own$out),
              if (length(own$out) > 1) "s" else ""))
  print(table, digits = 3, row.names = FALSE)
}
for (name in sets) compare(name)

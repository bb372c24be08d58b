# Likelihoods, gradients, information and kriging against tables of reference values that the package does not have.
#   Rscript bench/gp-references.R FOLDER    (gp_loglik.csv, gp_subsets.csv.gz, gp_small_mp.csv, gp_kriging.csv.gz,
#   gp_vecchia.csv, gp_vecchia_nn.csv.gz)
library(statcl)
source("bench/peers.R")
folder <- commandArgs(trailingOnly = TRUE)[1]
file <- function(name) read.csv(file.path(folder, name), stringsAsFactors = FALSE)
subsets <- file("gp_subsets.csv.gz")
worst <- data.frame()
note <- function(what, row, error, allowed) worst[nrow(worst) + 1L, 1:4] <<- list(what, row, error, allowed)
relative <- function(a, b) max(abs(a / b - 1))

model_of <- function(r) {
  distance <- switch(r$distance, euclidean = "euclidean", aniso = , anisotropic = "euclidean", chordal = "chordal",
                     greatcircle = , great_circle = , "great circle" = "greatcircle", "euclidean")
  turned <- grepl("aniso", r$distance)
  covModel("matern", variance = r$sigma2, range = r$range, smoothness = r$nu, nugget = r$nugget, distance = distance,
           angle = if (turned) 60 else 0, ratio = if (turned) 0.4 else 1)
}
linear <- function(x) { # the columns of the reference
  mid <- apply(x, 2, function(v) mean(range(v)))
  cbind(1, sweep(x, 2, mid) / max(apply(x, 2, function(v) diff(range(v)))))
}

table <- file("gp_loglik.csv")
for (i in seq_len(nrow(table))) {
  r <- table[i, ]
  s <- subsets[subsets$set == r$set, ]
  x <- cbind(s$x, s$y)
  model <- model_of(r)
  ll <- function(X = NULL, estimator = "ML") as.numeric(gpLoglik(model, x, s$z, X, estimator))
  # likelihoods that are profiled over the variance as well are of the model times that factor
  one <- cbind(rep(1, nrow(x)))
  error <- c(relative(ll(), r$ll_zero_mean), relative(ll(one), r$ll_const_profiled),
             relative(ll(one, "REML"), r$reml_const), relative(ll(linear(x)), r$ll_linear_profiled),
             relative(ll(linear(x), "REML"), r$reml_linear))
  hard <- r$set == "kaust1000" && r$nu == 2.3 && r$nugget == 0
  note("log likelihoods", sprintf("%s %s nu %g nugget %g", r$set, r$distance, r$nu, r$nugget), max(error),
       if (hard) 1e-8 else 1e-10)
}

table <- file("gp_small_mp.csv")
x <- subsets[subsets$set == "sat1000", ]
x <- x[(x$i - 1) %% table$every[1] == 0, ]
names <- c("variance", "range", "smoothness", "nugget")
for (i in seq_len(nrow(table))) {
  r <- table[i, ]
  value <- gpLoglik(model_of(c(r, distance = "euclidean")), cbind(x$x, x$y), x$z, gradient = TRUE, information = TRUE)
  row <- sprintf("nu %g nugget %g", r$nu, r$nugget)
  note("small: log likelihood", row, relative(as.numeric(value), r$loglik), 1e-13)
  note("small: gradient", row, relative(attr(value, "gradient")[names],
                                        unlist(r[c("d_sigma2", "d_range", "d_nu", "d_nugget")])), 1e-11)
  information <- attr(value, "information")[names, names]
  note("small: information", row,
       relative(information[lower.tri(information, TRUE)], unlist(r[grep("^I_", names(r))])), 1e-11)
}

table <- file("gp_kriging.csv.gz")
key <- paste(table$set, table$sigma2, table$range, table$nu, table$nugget)
for (k in unique(key)) {
  r <- table[key == k, ]
  s <- subsets[subsets$set == r$set[1], ]
  s[c("u", "v")] <- linear(cbind(s$x, s$y))[, 2:3]
  new <- data.frame(x = r$x, y = r$y)
  mid <- c(mean(range(s$x)), mean(range(s$y)))
  span <- max(diff(range(s$x)), diff(range(s$y)))
  new$u <- (new$x - mid[1]) / span
  new$v <- (new$y - mid[2]) / span
  model <- model_of(c(as.list(r[1, ]), distance = "euclidean"))
  for (kind in c("sk", "ok", "uk")) {
    fit <- gpFit(switch(kind, sk = z ~ 0, ok = z ~ 1, uk = z ~ u + v), s, ~ x + y, model, fixed = TRUE)
    p <- predict(fit, new, se.fit = TRUE, type = "latent")
    note(paste("kriging,", switch(kind, sk = "simple", ok = "ordinary", uk = "universal")), k,
         max(abs(p$fit - r[[paste0(kind, "_mean")]]), abs(p$se.fit^2 - r[[paste0(kind, "_var")]])), 1e-9)
  }
}
table <- file("gp_vecchia.csv")
near <- file("gp_vecchia_nn.csv.gz")
neighbours <- t(as.matrix(near[grep("^nn", names(near))]))
s <- subsets[subsets$set == "sat1000", ]
for (i in seq_len(nrow(table))) {
  r <- table[i, ]
  p <- statcl:::gp_problem(model_of(c(r, distance = "euclidean")), list(xy = cbind(s$x, s$y), geographic = NA), NULL)
  own <- neighbours[seq_len(r$m), ]
  p$vecchia <- list(n = r$n, pointer = statcl:::vecchia_make(p, near$i, cbind(s$z), own,
                                                             statcl:::vecchia_nearest(p, near$i, own)))
  note("Vecchia", sprintf("nu %g nugget %g m %g", r$nu, r$nugget, r$m),
       relative(statcl:::vecchia_evaluate(p, "ML")$value, r$loglik), 1e-11)
}
table <- file("gp_small_mp.csv")
for (i in seq_len(nrow(table))) {
  r <- table[i, ]
  p <- statcl:::gp_problem(model_of(c(r, distance = "euclidean")), list(xy = cbind(x$x, x$y), geographic = NA), NULL)
  e <- statcl:::vecchia_evaluate(statcl:::vecchia_problem(p, list(y = x$z), nrow(x) - 1L), "ML", names)
  row <- sprintf("nu %g nugget %g", r$nu, r$nugget)
  note("Vecchia, all neighbours: log likelihood", row, relative(e$value, r$loglik), 1e-13)
  note("Vecchia, all neighbours: gradient", row,
       relative(e$gradient, unlist(r[c("d_sigma2", "d_range", "d_nu", "d_nugget")])), 1e-10)
}
names(worst) <- c("what", "row", "error", "allowed")
print_table(do.call(rbind, lapply(split(worst, worst[c("what", "allowed")], drop = TRUE), function(w) {
  i <- which.max(w$error)
  data.frame(what = w$what[i], rows = nrow(w), "worst row" = w$row[i], error = w$error[i], allowed = w$allowed[i],
             met = w$error[i] <= w$allowed[i], check.names = FALSE)
})))

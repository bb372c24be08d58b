# stableGarch(): times of many series, the likelihood against climbs from random starts and a hand-written search,
# scores against differences, coverage of limits in simulated series, and a backtest table beside t and normal
# innovations, and rugarch's where it is installed.
#   Rscript bench/stable-garch.R [part [data]]
# part: time, starts, score, coverage, backtest, rugarch (the backtest of that package) or all. data: the file
# dji30ret.rda of package rugarch, 30 stocks of the Dow Jones index, taken from the package where it is installed;
# else the four indices of EuStockMarkets.
library(statcl)
source("bench/peers.R")
options(statcl.threads = 1)

arguments <- commandArgs(trailingOnly = TRUE)
part <- if (length(arguments)) arguments[1] else "all"
wanted <- function(name) part %in% c(name, "all")

series <- local({
  if (length(arguments) > 1) load(arguments[2])
  else if (requireNamespace("rugarch", quietly = TRUE))
    utils::data("dji30ret", package = "rugarch", envir = environment())
  100 * if (exists("dji30ret", inherits = FALSE)) as.matrix(dji30ret) else diff(log(datasets::EuStockMarkets))
})
cat(machine(), sprintf("\n%d series of %d; one thread, device: %s\n", ncol(series), nrow(series),
                       paste(useDevice(), collapse = ", ")))
invisible(stableGarch(series[1:200, 1])) # devices are chosen at the first call

# The log likelihood in base R and dstable(), for power 1 and GARCH(1, 1).
by_hand <- function(y, theta) {
  e <- y - theta[1]
  from <- median(abs(y - median(y)))
  c <- stats::filter(theta[2] + theta[3] * c(from, abs(e[-length(e)])), theta[4], "recursive", init = from)
  if (any(c <= 0)) return(-Inf)
  sum(dstable(e / c, theta[5], theta[6], pm = 1, log = TRUE) - log(c))
}

hand_search <- function(y) {
  natural <- function(t) c(t[1], exp(t[2:3]), plogis(t[4]), 1 + plogis(t[5]), tanh(t[6]))
  from <- mad(y)
  t <- c(median(y), log(0.05 * from), log(0.05), qlogis(0.92), qlogis(0.8), 0)
  objective <- function(t) {
    value <- -by_hand(y, natural(t))
    if (is.finite(value)) value else 1e10
  }
  found <- optim(t, objective, method = "BFGS", control = list(maxit = 200, reltol = 1e-12))
  -optim(found$par, objective, control = list(maxit = 500, reltol = 1e-12))$value
}

if (wanted("time")) {
  laws <- list(stable = list("stable", 1), "t, power 1" = list("t", 1), "t, power 2" = list("t", 2),
               "normal, power 2" = list("normal", 2))
  table <- do.call(rbind, lapply(names(laws), function(name) {
    time <- cpu_seconds(fits <- stableGarch(series, innovations = laws[[name]][[1]], power = laws[[name]][[2]]), 1)
    data.frame(innovations = name, seconds = time, mean_loglik = mean(logLik(fits)),
               steps = median(vapply(fits, `[[`, 1L, "iterations")),
               converged = sum(vapply(fits, `[[`, NA, "converged")),
               with_errors = sum(vapply(fits, function(f)
                 !anyNA(f$parameters$std.error[!nzchar(f$parameters$boundary)]), NA)))
  }))
  cat("\nfits with standard errors, all series in one call\n")
  print_table(table)
}

if (wanted("starts")) {
  models <- list("GARCH(1, 1)" = list(c(0, 0), FALSE), "ARMA(1, 1), asymmetric" = list(c(1, 1), TRUE))
  for (name in names(models)) {
    some <- head(seq_len(ncol(series)), if (name == "GARCH(1, 1)") 30 else 10)
    fits <- stableGarch(series[, some, drop = FALSE], models[[name]][[1]], asymmetry = models[[name]][[2]])
    gain <- vapply(fits, function(fit) {
      data <- statcl:::garch_data(fit$x, NULL, NULL, fit$model, statcl:::garch_known(list(), fit$model))
      problem <- statcl:::garch_problem(fit$model, list(y = data$y, x = NULL, first = 1),
                                        rep(NA_real_, fit$model$size))
      t <- statcl:::garch_search_point(fit$model, statcl:::garch_scaled(data, unname(coef(fit))))
      set.seed(1)
      found <- statcl:::garch_maxima(list(problem), list(lapply(1:20, function(i) t + rnorm(length(t), sd = 1.5))))
      found[[1]][[1]]$loglik - length(data$y) * log(data$unit) - fit$loglik
    }, 1)
    cat(sprintf("\n%s, %d series: best of 20 random starts less the fit, at most %.1e\n", name, length(some),
                max(gain)))
  }
  more <- vapply(seq_len(ncol(series)), function(i) hand_search(series[, i]) - stableGarch(series[, i])$loglik, 1)
  cat(sprintf("hand-written search less the fit, %d series: at most %.1e\n", length(more), max(more)))
}

if (wanted("score")) {
  worst <- 0
  for (law in c("stable", "t", "normal")) for (power in c(0.7, 1, 1.6)) {
    model <- statcl:::garch_model(c(1, 1), c(2, 1), power, TRUE, law)
    y <- series[1:500, 1] / mad(series[1:500, 1])
    inside <- c(0.05, 0.3, -0.2, 0.1, 0.08, 0.04, 0.3, -0.2, 0.7, switch(law, stable = c(1.8, 0.2), t = 5))
    told <- function(theta, detail) .Call(statcl:::C_garchEvaluate, list(c(
      model[c("orders", "columns", "power", "law")],
      list(y = y, x = NULL, first = 1, theta = as.double(theta)))), detail)[[1]]
    score <- told(inside, 1L)$score
    h <- 1e-4 * pmax(abs(inside), 0.1)
    difference <- vapply(seq_along(inside), function(k) {
      at <- function(s) told(replace(inside, k, inside[k] + s * h[k]), 0L)$loglik
      (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h[k])
    }, 1)
    worst <- max(worst, abs(score - difference) / pmax(1, abs(difference)))
  }
  cat(sprintf("\nscores against differences of fourth order: %.1e\n", worst))
}

if (wanted("coverage")) for (n in c(2000, 5000)) {
  many <- if (n == 2000) 600 else 400
  set.seed(7)
  truth <- c(mu = 0.05, omega = 0.03, arch1 = 0.06, garch1 = 0.87, alpha = 1.8, beta = 0.2)
  base <- stableGarch(rnorm(n), fixed = list(alpha = 1.8, beta = 0.2), starts = 1)
  base$coefficients[] <- truth
  base$first <- 1
  fits <- stableGarch(simulate(base, many, seed = 1))
  estimate <- coef(fits)
  limits <- lapply(fits, confint)
  covered <- rowMeans(vapply(limits, function(v) v[, 1] <= truth & truth <= v[, 2], logical(6)))
  error <- apply(vapply(fits, function(f) f$parameters$std.error, truth), 1, median, na.rm = TRUE)
  cat(sprintf("\n%d simulated series of %d: estimates, standard deviations and errors, coverage of 95 %% limits\n",
              many, n))
  print_table(data.frame(parameter = names(truth), truth, mean = colMeans(estimate), sd = apply(estimate, 2, sd),
                         error, covered))
}

# A row for each probability.
summary_of <- function(name, table, score) do.call(rbind, lapply(split(table, table$p), function(t)
  data.frame(innovations = name, p = t$p[1], exceedances = mean(t$observed), kupiec = sum(t$p.kupiec < 0.05),
             independence = sum(t$p.independence < 0.05), shortfall = sum(t$p.shortfall < 0.05), log_score = score)))

# The same by ugarchroll() of package rugarch: GARCH(1, 1) with t innovations.
rugarch_table <- function(series, ahead, width, probs) {
  spec <- rugarch::ugarchspec(list(model = "sGARCH", garchOrder = c(1, 1)), list(armaOrder = c(0, 0)),
                              distribution.model = "std")
  told <- lapply(seq_len(ncol(series)), function(i) {
    roll <- rugarch::ugarchroll(spec, series[, i], forecast.length = ahead, refit.every = 250,
                                refit.window = "moving", window.size = width, calculate.VaR = FALSE)
    d <- roll@forecast$density
    q <- vapply(probs, function(p) d$Mu + d$Sigma * rugarch::qdist("std", p, shape = d$Shape), d$Mu)
    hit <- vapply(seq_along(probs), function(k)
      if (probs[k] < 0.5) d$Realized < q[, k] else d$Realized > q[, k], logical(nrow(d)))
    score <- log(rugarch::ddist("std", d$Realized, d$Mu, d$Sigma, shape = d$Shape))
    data.frame(p = probs, observed = colSums(hit), score = mean(score),
               p.kupiec = vapply(seq_along(probs), function(k) stats::pchisq(
                 statcl:::kupiec_ratio(hit[, k], min(probs[k], 1 - probs[k])), 1, lower.tail = FALSE), 1),
               p.independence = vapply(seq_along(probs), function(k) stats::pchisq(
                 statcl:::christoffersen_ratio(hit[, k]), 1, lower.tail = FALSE), 1), p.shortfall = NA)
  })
  told <- do.call(rbind, told)
  summary_of("t, power 2, rugarch", told, mean(told$score))
}

# Beyond value at risk in the last 2000 times, fitted again every 250 in windows of 1500.
ahead <- min(2000, nrow(series) - 1000)
width <- min(1500, nrow(series) - ahead)
probs <- c(0.001, 0.01, 0.99, 0.999)
cat_title <- function() cat(sprintf(
  "\nbacktest of %d series, %d times: mean of exceedances (expected %s), series with a p-value < 0.05\n",
  ncol(series), ahead, toString(ahead * pmin(probs, 1 - probs))))
if (wanted("backtest")) {
  models <- list(stable = list("stable", 1), "t, power 1" = list("t", 1), "t, power 2" = list("t", 2),
                 "normal, power 2" = list("normal", 2))
  table <- do.call(rbind, lapply(names(models), function(name) {
    fits <- suppressWarnings(stableGarch(series, innovations = models[[name]][[1]], power = models[[name]][[2]],
                                         starts = 1))
    test <- suppressWarnings(backtest(fits, ahead, 250, width, probs, nsim = 500, seed = 1))
    summary_of(name, test$table, mean(test$score))
  }))
  cat_title()
  print_table(table)
}
if (wanted("rugarch") && requireNamespace("rugarch", quietly = TRUE)) {
  cat_title()
  print_table(rugarch_table(series, ahead, width, probs))
}

# Batches of stable fits: speed, standard errors, and bias over the whole range of parameters.
#   Rscript bench/stable-fit-batch.R [speed | coverage | borders | grid | all] [share of the full size]
library(statcl)
source("bench/peers.R")

arguments <- commandArgs(trailingOnly = TRUE)
what <- if (length(arguments) > 0) arguments[1] else "all"
size <- if (length(arguments) > 1) as.numeric(arguments[2]) else 1
wanted <- function(part) what %in% c(part, "all")
draw <- function(m, n, ...) {
  x <- matrix(rstable(m * n, ...), n)
  lapply(seq_len(m), function(j) x[, j])
}
invisible(stableFit(rstable(100, 1.5, 0))) # devices are chosen at the first call
cat(machine(), sprintf("\ndevice: %s, threads: %s\n", paste(useDevice(), collapse = ", "),
                       format(getOption("statcl.threads", "default"))))

if (wanted("speed")) {
  need_peers("libstable4u")
  m <- round(10000 * size)
  set.seed(1)
  series <- draw(m, 250, 1.5, 0.5)
  cat(sprintf("\n%d series of 250 values from alpha = 1.5, beta = 0.5\n", m))
  wall <- system.time(fits <- suppressWarnings(stableFit(series)))
  single <- 200
  alone <- system.time(for (x in series[seq_len(single)]) suppressWarnings(stableFit(x)))
  few <- 20
  peer <- system.time(utils::capture.output(for (x in series[seq_len(few)]) libstable4u::stable_fit_mle(x)))
  cpu <- function(t) sum(t[1:2])
  rate <- c(m / wall[["elapsed"]], m / cpu(wall), single / alone[["elapsed"]], few / peer[["elapsed"]],
            few / cpu(peer))
  print_table(data.frame(
    what = c("batch, elapsed", "batch, per processor second", sprintf("%d single calls, elapsed", single),
             sprintf("libstable4u, %d of them, elapsed", few), "libstable4u, per processor second"),
    fits_per_second = rate, ratio = c(rate[1] / rate[4], rate[2] / rate[5], rate[3] / rate[4], NA, NA)))
  edge <- matrix(fits$parameters$boundary, 4)
  cat(sprintf("batch: %.1f s, not converged %d, alpha = 2 %d times, |beta| = 1 %d times\n", wall[["elapsed"]],
              sum(!fits$converged), sum(edge[1, ] == "upper"), sum(nzchar(edge[2, ]))))
}

if (wanted("coverage")) {
  m <- round(2000 * size)
  law <- c(alpha = 1.5, beta = 0.5, gamma = 1, delta = 0)
  set.seed(2)
  series <- draw(m, 1000, 1.5, 0.5)
  cat(sprintf("\n%d samples of 1000 from alpha = 1.5, beta = 0.5\n", m))
  methods <- c("mle", "ecf", "koutrouvelis", "mcculloch", "logmoment", "grid2d", "grid")
  table <- do.call(rbind, lapply(methods, function(method) {
    few <- if (method == "grid") seq_len(m / 20) else seq_len(m) # it takes a hundred times as long
    time <- system.time(fits <- suppressWarnings(stableFit(series[few], method)))
    miss <- sweep(coef(fits), 2, law)
    limits <- confint(fits)
    inside <- vapply(1:4, function(k) mean(limits[, 1, k] <= law[k] & law[k] <= limits[, 2, k], na.rm = TRUE), 1)
    data.frame(method, samples = length(few), t(sqrt(colMeans(miss^2, na.rm = TRUE))),
               t(stats::setNames(100 * inside, paste0("cover.", names(law)))), failed = sum(!fits$converged),
               ms = 1000 * time[["elapsed"]] / length(few))
  }))
  cat("root mean squared errors, per cent of 95 % intervals that cover, time per fit\n")
  print_table(table)
}

# Small samples, of which many have an estimate on a boundary.
if (wanted("borders")) {
  m <- round(1000 * size)
  cases <- data.frame(alpha = c(1.5, 1.85, 1.2, 0.8), beta = c(0.5, 0, -0.8, 0.3))
  table <- do.call(rbind, lapply(seq_len(nrow(cases)), function(k) {
    law <- c(cases$alpha[k], cases$beta[k], 1, 0)
    set.seed(k)
    fits <- suppressWarnings(stableFit(draw(m, 100, law[1], law[2])))
    covered <- function(method) {
      limits <- lapply(as.list(fits), function(fit) suppressWarnings(confint(fit, method = method)))
      inside <- vapply(limits, function(l) l[, 1] <= law & law <= l[, 2], logical(4))
      rowMeans(inside & !is.na(inside))
    }
    methods <- c("default", "transformed", "wald")
    time <- system.time(cover <- t(vapply(methods, covered, numeric(4))))
    colnames(cover) <- c("alpha", "beta", "gamma", "delta")
    data.frame(law.alpha = law[1], law.beta = law[2], method = methods, cover,
               on_edge = 100 * mean(colSums(matrix(nzchar(fits$parameters$boundary), 4)) > 0),
               ms = 1000 * time[["elapsed"]] / m)
  }))
  cat(sprintf("\n%d samples of 100: share of 95 %% limits that cover; no limits count as a miss\n", m))
  print_table(table)
}

if (wanted("grid")) {
  n <- 1000
  repeats <- max(2, round(40 * size))
  bias_table <- function(alphas) {
    cells <- expand.grid(alpha = alphas, beta = c(0, 0.5, 1), gamma = c(0.5, 3), delta = c(-1, 1))
    cells <- cells[!(cells$alpha == 2 & cells$beta != 0), ]
    series <- unlist(lapply(seq_len(nrow(cells)), function(i)
      draw(repeats, n, cells$alpha[i], cells$beta[i], cells$gamma[i], cells$delta[i])), recursive = FALSE)
    time <- system.time(fits <- suppressWarnings(stableFit(series)))
    truth <- cells[rep(seq_len(nrow(cells)), each = repeats), ]
    miss <- coef(fits) - as.matrix(truth)
    miss[, 3:4] <- miss[, 3:4] / truth$gamma # scale and location in units of the scale
    miss[truth$alpha == 2, 2] <- NA
    by <- truth[c("beta", "alpha")]
    part <- function(f) stats::aggregate(miss, by, f)
    bias <- part(function(v) mean(v, na.rm = TRUE))
    rmse <- part(function(v) sqrt(mean(v^2, na.rm = TRUE)))
    failed <- stats::aggregate(!fits$converged, by, sum)
    names(rmse)[3:6] <- paste0("rmse.", names(rmse)[3:6])
    print_table(data.frame(bias, rmse[3:6], failed = failed$x))
    cat(sprintf("%d fits of %d values, %.1f s\n", length(series), n, time[["elapsed"]]))
  }
  set.seed(3)
  cat("\nBias and root mean squared error (gamma, delta in units of gamma), the grid of published validations\n")
  bias_table(c(0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2))
  cat("\nThe same below it\n")
  bias_table(c(0.2, 0.3, 0.4, 0.5))
}

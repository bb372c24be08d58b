# Laplace's approximation without fill: fits of counts by gpFit(family = poisson()) in the unit square (mean of the
# logarithms 0, exponential covariance with variance 1 and range 0.1, all parameters estimated), beside sparse factors
# with all fill by package Matrix: processor time of one thread, memory, evaluations, errors of the log likelihood
# before and after its correction with the standard error of that, and of the score in standard errors of parameters.
# Then predictions with standard errors at 10,000 cells, and their variances beside those by all fill at 400, and up
# to 2,000 locations beside exact ones, without Vecchia's approximation, with the same weights W of the responses.
#   Rscript bench/gp-laplace.R [n ...] [m=20] [fill=10000, the largest n for it] [family=poisson] [threads=1]
#     [approximation=laplace] [exact=1000, the largest n for fits with all neighbours, beside which estimates are]
# Families are poisson, binomial (0 and 1), nbinom2 and tweedie.
# At scale, what=fit is the fit alone, and what=predict predictions of it at a square mesh of cells=1048576: seconds
# on the clock and of the processor, and memory.
#   Rscript bench/gp-laplace.R what=fit threads=2 1000000
#   Rscript bench/gp-laplace.R what=predict threads=2 2000 100000
library(statcl)
source("bench/peers.R")
argument <- strsplit(commandArgs(trailingOnly = TRUE), "=")
given <- function(name, or) {
  at <- Filter(function(a) a[1] == name, argument)
  if (length(at)) utils::type.convert(at[[1]][2], as.is = TRUE) else or
}
sizes <- as.integer(unlist(Filter(function(a) length(a) == 1, argument)))
if (!length(sizes)) sizes <- c(2000L, 10000L)
m <- given("m", 20L)
what <- given("what", "all")
options(width = 140, statcl.threads = given("threads", 1L))
fill <- if (requireNamespace("Matrix", quietly = TRUE)) given("fill", 10000L) else 0
family <- get(given("family", "poisson"))()
cat(machine(), "\n", m, "neighbours,", family$family, "\n")

data_of <- function(n) {
  set.seed(1)
  d <- data.frame(x = runif(n), y = runif(n))
  w <- as.vector(simulate(covModel("exponential", range = 0.1), 1, seed = 1, x = as.matrix(d), method = "tbrf"))
  transform(d, value = switch(family$family, poisson = rpois(n, exp(w)), binomial = rbinom(n, 1, plogis(w)),
                              nbinom2 = rnbinom(n, size = 2, mu = exp(w)), tweedie = tweedie_draws(exp(w))))
}
# Power 1.5 and phi 1: Poisson sums of Gamma variables.
tweedie_draws <- function(mu) {
  k <- rpois(length(mu), 2 * sqrt(mu))
  ifelse(k == 0, 0, rgamma(length(mu), k, scale = sqrt(mu) / 2))
}

fit_of <- function(d)
  gpFit(value ~ 1, d, ~ x + y, covModel("exponential", range = NA, variance = NA), family = family, m = m,
        approximation = given("approximation", "laplace"))

# Q by the pattern and the prior of statcl's own solver, and factors of Q + W with all fill.
with_fill <- function(q, weight) {
  n <- length(weight)
  b <- Matrix::sparseMatrix(c(seq_len(n), rep(seq_len(n), diff(q$pattern[[1]]))), c(seq_len(n), q$pattern[[2]] + 1L),
                            x = c(rep(1, n), -q$prior[[2]]))
  Q <- Matrix::crossprod(b / sqrt(q$prior[[1]]))
  f <- Matrix::Cholesky(Q + Matrix::Diagonal(n, weight), perm = TRUE, LDL = FALSE, super = TRUE)
  list(log_det = function() 2 * as.vector(Matrix::determinant(f, sqrt = TRUE)$modulus),
       form = function(at, weights) {
         c <- replace(numeric(n), at, weights)
         sum(c * as.vector(Matrix::solve(f, c)))
       })
}

# The likelihood at the estimates of a fit and at a distance of h in the logarithms of variance and range.
problem_of <- function(fit) {
  own <- statcl:::laplace_request(fit, NULL)
  p <- statcl:::laplace_problem(own$p, own$l, fit$m, NULL, fit$neighbour.metric)
  list(p = p, rows = own$about$rows, mean = own$about$rows$kind == "coefficient",
       v = replace(own$about$rows$value, own$about$rows$kind == "coefficient", own$l$root %*% coef(fit)[own$l$pivot]))
}
at_logarithms <- function(problem, move) {
  v <- problem$v
  at <- match(c("variance", "range"), problem$rows$name)
  v[at] <- v[at] * exp(move)
  l <- problem$p$laplace
  statcl:::laplace_at(statcl:::gp_at(problem$p, statcl:::laplace_model(problem$p, v, problem$rows)),
                      l$offset + drop(l$basis %*% v[problem$mean]), l$own)
}
# The mode is that of our own solver: both have the same.
values <- function(problem, move, filled) {
  e <- at_logarithms(problem, move)
  c(own = e$value,
    fill = if (filled) e$value + (e$factor$log_det() - with_fill(e$precision, weight_of(problem, e))$log_det()) / 2
           else NA)
}
weight_of <- function(problem, e) statcl:::location_sums(problem$p$laplace, e$terms$weight)

# Variances of the process at cells, with covariances to all observations.
exact_variances <- function(fit, d, some, weight) {
  at <- as.matrix(d[c("x", "y")])
  across <- covariance(fit$cov, at, as.matrix(some))
  fit$cov$variance - colSums(across * solve(covariance(fit$cov, at) + diag(1 / weight), across))
}

peak <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  as.double(gsub("[^0-9]", "", c(grep("VmHWM", status, value = TRUE), NA)[1])) / 2^20
}

at_scale <- function(n, cells) {
  row <- function(label, call) {
    time <- system.time(value <- call())
    cat(sprintf("%8d locations, %-44s %7.1f s, of the processor %7.1f s, peak %.2f GB\n", n, label, time[[3]],
                sum(time[1:2]), peak()))
    value
  }
  d <- row("simulated", function() data_of(n))
  fit <- row("fit", function() fit_of(d))
  print(c(fit$cov[c("variance", "range")], evaluations = fit$evaluations), digits = 4)
  if (what == "fit") return(invisible())
  side <- floor(sqrt(cells))
  new <- expand.grid(x = (seq_len(side) - 0.5) / side, y = (seq_len(side) - 0.5) / side)
  label <- function(text) sprintf("predictions at %d cells, %s", nrow(new), text)
  for (type in c("link", "response")) for (error in c(FALSE, TRUE))
    row(label(paste0(type, if (error) ", standard errors")), function()
      predict(fit, new, type = type, se.fit = error))
}
if (what != "all") {
  for (n in sizes) at_scale(n, given("cells", 1048576))
  quit("no")
}

rows <- NULL
for (n in sizes) {
  d <- data_of(n)
  time <- system.time(fit <- fit_of(d))
  memory <- peak()
  problem <- problem_of(fit)
  filled <- n <= fill
  here <- values(problem, c(0, 0), filled)
  h <- 0.01
  score <- vapply(1:2, function(j) {
    up <- values(problem, replace(c(0, 0), j, h), filled)
    down <- values(problem, replace(c(0, 0), j, -h), filled)
    (diff(up) - diff(down)) / (2 * h)
  }, 0)
  error <- sqrt(diag(vcov(fit, "all")))[c("variance", "range")] / unlist(fit$cov[c("variance", "range")])
  rows <- rbind(rows, data.frame(
    n = n, seconds = sum(time[1:2]), "peak GB" = memory, evaluations = fit$evaluations, variance = fit$cov$variance,
    range = fit$cov$range, logLik = fit$loglik, "error before" = here[["own"]] - here[["fill"]],
    "after" = here[["own"]] + fit$loglik.correction - here[["fill"]], "its standard error" = fit$loglik.error,
    "score variance" = score[1] * error[[1]], "range " = score[2] * error[[2]], check.names = FALSE))
  print(rows[nrow(rows), ], digits = 6)

  if (n <= given("exact", 1000L)) {
    whole <- gpFit(value ~ 1, d, ~ x + y, covModel("exponential", range = NA, variance = NA), family = family,
                   method = "exact", approximation = given("approximation", "laplace"))
    open <- !fit$parameters$fixed
    cat("estimates less those with all neighbours, in standard errors:\n")
    print(setNames((fit$parameters$estimate - whole$parameters$estimate)[open] / whole$parameters$std.error[open],
                   rownames(fit$parameters)[open]), digits = 2)
  }
  set.seed(2)
  new <- data.frame(x = runif(10000), y = runif(10000))
  plain <- system.time(predict(fit, new, type = "link"))
  time <- system.time(found <- predict(fit, new, type = "link", se.fit = TRUE))
  cat(sprintf("predictions at 10,000 cells: %.2f s of the processor, with standard errors %.2f s\n", sum(plain[1:2]),
              sum(time[1:2])))
  if (!filled) next
  some <- new[1:400, ]
  if (n <= 2000) {
    l <- problem$p$laplace
    weight <- weight_of(problem, at_logarithms(problem, c(0, 0)))[l$place]
    exact <- exact_variances(fit, d, some, weight)
    places <- list(xy = as.matrix(some), X = matrix(0, 400, 0L), offset = numeric(400))
    alone <- statcl:::laplace_local(fit, places, TRUE)$variance
    wrong <- abs(alone / exact - 1)
    cat(sprintf("variances of the process there, off from exact ones: mean %.2g, largest %.2g\n", mean(wrong),
                max(wrong)))
  }
  l <- problem$p$laplace
  e <- at_logarithms(problem, c(0, 0))
  q <- with_fill(e$precision, weight_of(problem, e))
  p <- statcl:::latent_problem(fit)
  near <- statcl:::nearest_observations(p, as.matrix(some), 2L * fit$m)
  local <- statcl:::given_neighbours(p, as.matrix(some), matrix(0, n, 0L), near, n, TRUE)
  without <- local[, 1] + vapply(1:400, function(k) q$form(l$place[near[, k]], local[k, -1]), 0)
  own <- local[, 1] + e$factor$forms(matrix(l$place[near], nrow(near)), t(local[, -1]))
  wrong <- abs(own / without - 1)
  cat(sprintf("variances of the process there, off from those by all fill: mean %.2g, largest %.2g\n", mean(wrong),
              max(wrong)))
}

# Does stableReg() find the largest maximum where covariates have gross errors, and in real data? Against the best of
# 40 starts that it does not know: least trimmed squares and S-estimates from random subsets, least absolute
# deviations, planes through few random cases, and the truth.
#   Rscript bench/stable-reg-global.R [samples | real | all] [number of samples] [seed]
# Prints those that are below by more than 0.01, and ends with status 1 if there are any.
library(statcl)
source("bench/peers.R")
arguments <- commandArgs(trailingOnly = TRUE)
what <- if (length(arguments) > 0) arguments[1] else "all"
number <- if (length(arguments) > 1) as.integer(arguments[2]) else 300L
seed <- if (length(arguments) > 2) as.integer(arguments[3]) else 1L
wanted <- function(part) what %in% c(part, "all")
starts <- 40L
tolerance <- 0.01
cat(machine(), "\n")

# ---- starts ----

plane <- function(x, y) {
  b <- qr.coef(qr(x), y)
  if (anyNA(b)) NULL else b
}

# Concentration steps of Rousseeuw and Van Driessen (2006) to the least squares of h cases.
concentrate <- function(x, y, b, h, steps) {
  for (step in seq_len(steps)) {
    near <- order(abs(y - drop(x %*% b)))[seq_len(h)]
    to <- plane(x[near, , drop = FALSE], y[near])
    if (is.null(to) || identical(to, b)) break
    b <- to
  }
  list(b = b, value = sum(sort((y - drop(x %*% b))^2)[seq_len(h)]))
}

# M-estimate of scale with Tukey's biweight and breakdown point 1/2.
biweight_scale <- function(r, s = stats::median(abs(r)) / 0.6745) {
  for (k in 1:30) s <- s * sqrt(2 * mean(pmin(3 * (r / s / 1.5476)^2 - 3 * (r / s / 1.5476)^4 +
                                                (r / s / 1.5476)^6, 1)))
  s
}

biweight_step <- function(x, y, b, steps) {
  for (step in seq_len(steps)) {
    r <- y - drop(x %*% b)
    s <- biweight_scale(r)
    w <- pmax(1 - (r / s / 1.5476)^2, 0)
    to <- if (is.finite(s) && s > 0) plane(x * w, y * w)
    if (is.null(to)) break
    b <- to
  }
  list(b = b, value = biweight_scale(y - drop(x %*% b)))
}

absolute_deviations <- function(x, y) {
  b <- plane(x, y)
  for (k in 1:60) {
    r <- abs(y - drop(x %*% b))
    w <- 1 / sqrt(pmax(r, 1e-6 * stats::median(r)))
    to <- plane(x * w, y * w)
    if (is.null(to)) break
    b <- to
  }
  b
}

best_distinct <- function(fits, many) {
  fits <- fits[order(vapply(fits, `[[`, 1, "value"))]
  fits <- fits[!duplicated(round(log(vapply(fits, `[[`, 1, "value")), 6))]
  lapply(utils::head(fits, many), `[[`, "b")
}

random_starts <- function(x, y) {
  n <- nrow(x)
  k <- ncol(x)
  elemental <- function(m) {
    for (attempt in 1:50) {
      some <- sample(n, m)
      b <- plane(x[some, , drop = FALSE], y[some])
      if (!is.null(b)) return(b)
    }
    NULL
  }
  subsets <- Filter(Negate(is.null), lapply(1:60, function(i) elemental(k)))
  trimmed <- function(h, many)
    best_distinct(lapply(best_distinct(lapply(subsets, function(b) concentrate(x, y, b, h, 2)), 10), function(b)
      concentrate(x, y, b, h, 30)), many)
  s <- best_distinct(lapply(best_distinct(lapply(subsets, function(b) biweight_step(x, y, b, 2)), 8), function(b)
    biweight_step(x, y, b, 20)), 4)
  found <- c(trimmed((n + k + 1) %/% 2, 4), trimmed(ceiling(0.75 * n), 3), s, list(absolute_deviations(x, y)),
             lapply(1:8, function(i) elemental(min(n, k + 2L))), utils::head(subsets, starts))
  utils::head(Filter(Negate(is.null), found), starts - 2L)
}

# The best maximum to which they lead.
best_of_starts <- function(r) {
  open <- c(alpha = NA_real_, beta = NA_real_, gamma = NA_real_)
  p <- statcl:::reg_problem(r$x, r$y, NULL, NULL, open, 100)
  best <- list(ll = -Inf, distribution = rep(NA_real_, 3))
  try <- function(b, shape = NULL) {
    found <- statcl:::reg_climb(p, p$to %*% b, open, shape)
    if (found$sound && found$ll > best$ll) best <<- found
  }
  columns <- p$qr$pivot[seq_len(p$rank)]
  for (b in random_starts(r$x[, columns, drop = FALSE], r$y)) try(b)
  if (!is.null(r$b)) {
    try(r$b[columns])
    try(r$b[columns], r$shape)
  }
  best
}

# ---- samples ----

make_sample <- function() {
  repeat {
    n <- round(10^stats::runif(1, log10(20), log10(500)))
    k <- sample(6L, 1)
    levels <- if (stats::runif(1) < 0.3) sample(2:4, 1) else 0L
    constant <- stats::runif(1) < 0.75
    if (n >= max(12, 2 * (k + max(levels - 1L, 0L) + constant) + 5)) break
  }
  x <- matrix(stats::rnorm(n * k), n, dimnames = list(NULL, paste0("x", seq_len(k))))
  if (stats::runif(1) < 0.3) x <- x %*% matrix(stats::rnorm(k * k), k, dimnames = list(NULL, colnames(x)))
  if (levels > 0L) {
    g <- matrix(as.numeric(outer(rep_len(seq_len(levels), n), seq_len(levels)[-1L], `==`)), n)
    colnames(g) <- paste0("g", seq_len(ncol(g)) + 1L)
    x <- cbind(x, g)
  }
  if (constant) x <- cbind(`(Intercept)` = 1, x)
  b <- stats::rnorm(ncol(x), 0, 2)
  shape <- c(if (stats::runif(1) < 0.1) 2 else stats::runif(1, 0.8, 2),
             if (stats::runif(1) < 0.3) 0 else stats::runif(1, -1, 1), 10^stats::runif(1, -1, 1))
  y <- drop(x %*% b) + rstable(n, shape[1], shape[2], shape[3])
  # gross errors of rows, of cells of some columns, or of one column
  share <- stats::runif(1, 0.01, 0.1)
  m <- max(1L, round(share * n))
  own <- constant + seq_len(k)
  kind <- sample(c("rows", "cells", "column", "equal"), 1)
  size <- 10^stats::runif(1, 1, 6)
  gross <- function(m) sample(c(-1, 1), m, TRUE) * (if (stats::runif(1) < 0.5) size else 10^stats::runif(m, 1, 6))
  if (kind == "rows") for (j in own) x[seq_len(m), j] <- gross(m)
  if (kind == "cells") for (j in own) x[sample(n, m), j] <- gross(m)
  if (kind == "column") x[sample(n, m), own[1L]] <- gross(m)
  if (kind == "equal") x[sample(n, m), sample(own, 1)] <- size
  list(name = sprintf("%s, %d", kind, m), x = x, y = y, b = b, shape = shape)
}

make_samples <- function(m) {
  set.seed(seed)
  lapply(seq_len(m), function(i) make_sample())
}

# ---- real data ----

real_formulas <- list(
  datasets = list(
    stackloss = stack.loss ~ ., stackloss = stack.loss ~ 0 + ., cars = dist ~ speed, swiss = Fertility ~ .,
    trees = Volume ~ Girth + Height, mtcars = mpg ~ wt + hp, mtcars = mpg ~ wt + hp + qsec + disp + drat,
    mtcars = mpg ~ 0 + wt + hp + factor(cyl), attitude = rating ~ ., airquality = Ozone ~ Wind + Temp + Solar.R,
    longley = Employed ~ GNP + Unemployed, LifeCycleSavings = sr ~ ., iris = Sepal.Length ~ Petal.Length + Species,
    iris = Petal.Width ~ ., faithful = waiting ~ eruptions, warpbreaks = breaks ~ wool * tension,
    women = weight ~ height, rock = area ~ peri + shape + perm, rock = log(perm) ~ ., quakes = mag ~ stations + depth,
    esoph = ncases ~ agegp + ncontrols, infert = age ~ parity + spontaneous, ToothGrowth = len ~ supp * dose,
    ChickWeight = weight ~ Time + Diet, chickwts = weight ~ feed, Orange = circumference ~ age,
    USJudgeRatings = RTEN ~ ., freeny = y ~ ., anscombe = y3 ~ x3, anscombe = y4 ~ x1, morley = Speed ~ Expt,
    npk = yield ~ N + P + K + block, PlantGrowth = weight ~ group, InsectSprays = count ~ spray,
    Puromycin = rate ~ conc + state, pressure = pressure ~ temperature),
  MASS = list(
    phones = calls ~ year, Animals = log(brain) ~ log(body), Animals = brain ~ body, mammals = brain ~ body,
    mammals = log(brain) ~ log(body), hills = time ~ dist + climb, cement = y ~ ., Rubber = loss ~ hard + tens,
    Boston = medv ~ crim + rm + lstat + dis + ptratio, Boston = crim ~ ., Cars93 = Price ~ Horsepower + Weight,
    cpus = perf ~ mmax + cach + chmax, UScrime = y ~ M + Ed + Po1 + Ineq + Prob, whiteside = Gas ~ Insul * Temp,
    geyser = waiting ~ duration, road = deaths ~ drivers + popden + rural + temp + fuel,
    snails = Deaths ~ Exposure + Temp, birthwt = bwt ~ age + lwt + smoke, gehan = time ~ treat))

real_sets <- function() {
  here <- Filter(function(package) requireNamespace(package, quietly = TRUE), names(real_formulas))
  sets <- unlist(lapply(here, function(package) Map(function(name, formula) {
    place <- new.env()
    utils::data(list = name, package = package, envir = place)
    frame <- stats::model.frame(formula, as.data.frame(place[[name]]), drop.unused.levels = TRUE)
    list(name = paste0(name, ": ", deparse(formula)[1L]), x = stats::model.matrix(attr(frame, "terms"), frame),
         y = as.numeric(stats::model.response(frame)))
  }, names(real_formulas[[package]]), real_formulas[[package]])), recursive = FALSE)
  unname(sets)
}

# ---- the comparison ----

fitted_by_default <- function(x, y) {
  time <- sum(system.time(fit <- suppressWarnings(statcl:::reg_fit(x, y, NULL, NULL, list(), NULL)))[1:2])
  used <- !is.na(fit$coefficients)
  rest <- y - drop(x[, used, drop = FALSE] %*% fit$coefficients[used])
  again <- sum(dstable(rest, fit$shape[1], fit$shape[2], fit$shape[3], log = TRUE))
  data.frame(n = nrow(x), columns = ncol(x), converged = fit$converged, loglik = fit$loglik, alpha = fit$shape[[1]],
             apart = if (fit$converged) abs(again - fit$loglik) else 0, time = time)
}

# A model without a maximum as large as that of its first columns has none to report, as ?stableReg says.
above_all <- function(r, loglik)
  any(vapply(seq_len(ncol(r$x) - 1L), function(k) {
    less <- fitted_by_default(r$x[, seq_len(k), drop = FALSE], r$y)
    less$converged && less$loglik > loglik
  }, NA))

compare <- function(sets) {
  found <- do.call(rbind, lapply(sets, function(r) fitted_by_default(r$x, r$y)))
  set.seed(seed + 1000L)
  peer <- do.call(rbind, lapply(sets, function(r) {
    best <- best_of_starts(r)
    data.frame(loglik = best$ll, better = best$distribution[1L])
  }))
  below <- ifelse(peer$loglik > -Inf, peer$loglik - ifelse(found$converged, found$loglik, -Inf), 0)
  told <- vapply(seq_along(sets), function(i) below[i] == Inf && above_all(sets[[i]], peer$loglik[i]), NA)
  below[told] <- 0
  missed <- which(below > tolerance | !(found$apart < tolerance))
  cat(sprintf("%d sets: %d missed, largest gap %.3g; ahead of the starts %d\n", length(sets), length(missed),
              max(below, 0), sum(below < -tolerance)))
  cat(sprintf("without a maximum %d; the starts have none either %d, the first columns a larger one %d\n",
              sum(!found$converged), sum(!found$converged & peer$loglik == -Inf), sum(told)))
  cat(sprintf("log likelihood at the coefficients that are reported: largest difference %.3g\n", max(found$apart)))
  cat(sprintf("processor time of a fit: median %.0f ms, largest %.2f s\n", 1e3 * stats::median(found$time),
              max(found$time)))
  if (length(missed)) {
    name <- vapply(sets[missed], `[[`, "", "name")
    print_table(data.frame(set = missed, name, below = below[missed], found[missed, ],
                           better = peer$better[missed]), 5)
  }
  length(missed)
}

missed <- 0
if (wanted("samples")) {
  cat("\nGross errors in 1 to 10 % of the values of covariates, of sizes 10 to 1e6\n")
  missed <- missed + compare(make_samples(number))
}
if (wanted("real")) {
  cat("\nReal data of the packages datasets and MASS\n")
  missed <- missed + compare(real_sets())
}
if (missed > 0) quit(status = 1)

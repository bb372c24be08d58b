# Is the maximum that stableFit() and stableReg() report the largest one? Against searches from 60 random starts.
#   Rscript bench/stable-fit-global.R [samples | real | regression | all] [number of samples or regressions] [seed]
# A sample counts as missed where one of the 60 finds a maximum that is larger by more than 1e-6.
library(statcl)
source("bench/peers.R")
arguments <- commandArgs(trailingOnly = TRUE)
what <- if (length(arguments) > 0) arguments[1] else "all"
number <- if (length(arguments) > 1) as.integer(arguments[2]) else NULL
seed <- if (length(arguments) > 2) as.integer(arguments[3]) else 1L
wanted <- function(part) what %in% c(part, "all")
starts <- 60L
tolerance <- 1e-6
cat(machine(), "\n")

# ---- samples that have several maxima, or look as if ----

kinds <- list(
  `two normals` = function(n) {
    first <- runif(n) < runif(1, 0.05, 0.95)
    ifelse(first, rnorm(n), rnorm(n, 10^runif(1, -0.5, 1.5), 10^runif(1, -1.5, 0.7)))
  },
  `three normals` = function(n) rnorm(n, sample(c(-6, 0, 10^runif(1, 0, 2)), n, TRUE), 10^runif(1, -1, 0.5)),
  outliers = function(n) {
    m <- min(n %/% 3L, 1L + rpois(1, 1))
    c(rnorm(n - m), sample(c(-1, 1), 1) * 10^runif(m, 1, 6))
  },
  `outliers on both sides` = function(n) {
    m <- min(n %/% 3L, 2L + rpois(1, 2))
    c(rnorm(n - m), sample(c(-1, 1), m, TRUE) * 10^runif(m, 0.5, 10))
  },
  `one huge` = function(n) c(rexp(n - 1L), 10^runif(1, 10, 200)),
  lognormal = function(n) rlnorm(n, 0, runif(1, 0.3, 4)),
  gamma = function(n) rgamma(n, 10^runif(1, -0.5, 1)),
  `minus Pareto` = function(n) -runif(n)^(-1 / runif(1, 0.3, 4)),
  bounded = function(n) rbeta(n, 10^runif(1, -0.5, 1), 10^runif(1, -0.5, 1)),
  uniform = function(n) runif(n),
  t = function(n) rt(n, runif(1, 0.5, 6)),
  stable = function(n) rstable(n, runif(1, 0.3, 2), runif(1, -1, 1)),
  `extreme stable` = function(n) rstable(n, runif(1, 0.4, 2), sample(c(-1, 1), 1)),
  rounded = function(n) round(rt(n, runif(1, 1, 4)) * 10^runif(1, 0.3, 2)),
  counts = function(n) rpois(n, rgamma(n, 1) * 10^runif(1, 0.5, 2)) + 0,
  `stable mixture` = function(n) ifelse(runif(n) < 0.6, rstable(n, 0.8, 0), rstable(n, 1.7, 0, 1, 20)))

make_samples <- function(m) {
  set.seed(seed)
  samples <- lapply(seq_len(m), function(i) {
    n <- round(10^runif(1, 1, log10(400)))
    repeat {
      x <- kinds[[1L + (i - 1L) %% length(kinds)]](n)
      if (length(unique(x)) > max(2, n / 5)) return(x * sample(c(-1, 1), 1))
    }
  })
  names(samples) <- rep_len(names(kinds), m)
  samples
}

real_samples <- function() {
  need_peers(c("MASS", "boot"))
  from <- function(package, data, column = NULL) {
    frame <- new.env()
    utils::data(list = data, package = package, envir = frame)
    value <- frame[[data]]
    as.numeric(stats::na.omit(if (is.null(column)) value else value[[column]]))
  }
  own <- function(name, column = NULL) from("datasets", name, column)
  list(
    faithful.eruptions = own("faithful", "eruptions"), faithful.waiting = own("faithful", "waiting"),
    precip = own("precip"), lynx = own("lynx"), islands = own("islands"), rivers = own("rivers"),
    airquality.Ozone = own("airquality", "Ozone"), airquality.Wind = own("airquality", "Wind"), Nile = own("Nile"),
    nhtemp = own("nhtemp"), LakeHuron = own("LakeHuron"), sunspot.year = own("sunspot.year"),
    discoveries = own("discoveries"), treering = utils::head(own("treering"), 2000),
    quakes.depth = own("quakes", "depth"), quakes.mag = own("quakes", "mag"),
    trees.Volume = own("trees", "Volume"), cars.dist = own("cars", "dist"),
    iris.Petal.Length = own("iris", "Petal.Length"), mtcars.hp = own("mtcars", "hp"),
    women.weight = own("women", "weight"), attitude.rating = own("attitude", "rating"),
    stackloss = own("stackloss", "stack.loss"), chickwts = own("chickwts", "weight"), co2.diff = diff(own("co2")),
    DAX = diff(log(datasets::EuStockMarkets[, "DAX"])), nottem = own("nottem"),
    geyser.duration = from("MASS", "geyser", "duration"), geyser.waiting = from("MASS", "geyser", "waiting"),
    galaxies = from("MASS", "galaxies"), Boston.crim = from("MASS", "Boston", "crim"),
    Boston.medv = from("MASS", "Boston", "medv"),
    Animals.brain = from("MASS", "Animals", "brain"),
    mammals.body = from("MASS", "mammals", "body"), abbey = from("MASS", "abbey"), chem = from("MASS", "chem"),
    forbes = from("MASS", "forbes", "pres"), shoes.A = from("MASS", "shoes", "A"),
    GAG = from("MASS", "GAGurine", "GAG"),
    SP500 = from("MASS", "SP500"), phones = from("MASS", "phones", "calls"),
    acme = from("boot", "acme", "acme"), aircondit = from("boot", "aircondit", "hours"),
    city = from("boot", "city", "x"), coal = from("boot", "coal", "date"), manaus = from("boot", "manaus"),
    melanoma = from("boot", "melanoma", "thickness"))
}

random_starts <- function(x) {
  scale <- max(stats::IQR(x) / 2, diff(range(x)) * 1e-6)
  beta <- ifelse(runif(starts) < 0.25, sample(c(-0.97, 0.97), starts, TRUE), runif(starts, -1, 1))
  cbind(alpha = runif(starts, 0.1, 2), beta, gamma = scale * 10^runif(starts, -1.5, 1),
        delta = stats::quantile(x, runif(starts), names = FALSE))
}

# The best of the 60: a maximum, where one of them ends at one.
best_of_many <- function(samples) {
  set.seed(seed + 1000L)
  parts <- split(seq_along(samples), (seq_along(samples) - 1L) %/% 50L)
  do.call(rbind, lapply(parts, function(part) {
    each <- rep(part, each = starts)
    fits <- statcl:::fit_batch(samples[each], start = do.call(rbind, lapply(samples[part], random_starts)))
    do.call(rbind, lapply(part, function(i) {
      own <- which(each == i)
      sound <- own[fits$converged[own]]
      if (!length(sound)) return(data.frame(converged = FALSE, loglik = -Inf, t(coef(fits)[own[1L], ] * NA)))
      best <- sound[which.max(fits$loglik[sound])]
      data.frame(converged = TRUE, loglik = unname(fits$loglik[best]), t(coef(fits)[best, ]))
    }))
  }))
}

report <- function(found, peer) {
  below <- ifelse(found$converged, peer$loglik - found$loglik, ifelse(peer$converged, Inf, 0))
  missed <- which(below > tolerance)
  cat(sprintf("%d samples: %d missed (%d of them without a maximum), largest gap %.3g; no maximum anywhere %d; ",
              length(below), length(missed), sum(!found$converged[missed]), max(below, 0),
              sum(!found$converged & !peer$converged)))
  cat(sprintf("ahead of the 60 %d\n", sum(below < -tolerance)))
  if (length(missed)) {
    table <- data.frame(sample = missed, kind = found$name[missed], n = found$n[missed], below = below[missed],
                        found[missed, c("alpha", "beta", "gamma", "delta")],
                        better = peer[missed, c("alpha", "beta", "gamma", "delta")])
    print(utils::head(table, 60), digits = 4, row.names = FALSE)
  }
}

fitted_by_default <- function(samples) {
  time <- system.time(fits <- suppressWarnings(stableFit(unname(samples))))
  cat(sprintf("%.0f fits a second\n", length(samples) / time[["elapsed"]]))
  data.frame(name = names(samples), n = lengths(samples), converged = unname(fits$converged),
             loglik = unname(fits$loglik), coef(fits))
}

if (wanted("samples")) {
  samples <- make_samples(if (is.null(number)) 1000L else number)
  cat("\nMixtures, outliers, skewed, bounded, rounded, 10 to 400 values\n")
  report(fitted_by_default(samples), best_of_many(samples))
}
if (wanted("real")) {
  samples <- real_samples()
  cat("\nReal sets of datasets, MASS and boot\n")
  report(fitted_by_default(samples), best_of_many(samples))
}

# ---- regressions ----

make_regressions <- function(m) {
  set.seed(seed + 2000L)
  errors <- list(
    outliers = function(n) c(rnorm(n - 3L), 10^runif(3, 0.5, 5)),
    `second group` = function(n) rnorm(n) + ifelse(seq_len(n) > 0.75 * n, 10^runif(1, 0.5, 1.5), 0),
    skewed = function(n) rexp(n)^2,
    `heavy-tailed` = function(n) rt(n, runif(1, 0.7, 3)),
    stable = function(n) rstable(n, runif(1, 0.6, 2), runif(1, -1, 1)),
    bounded = function(n) runif(n),
    `grows` = function(n) rnorm(n) * exp(seq_len(n) / n * 3))
  lapply(seq_len(m), function(i) {
    n <- round(10^runif(1, log10(15), 2))
    columns <- sample(1:3, 1)
    x <- cbind(x1 = seq_len(n), x2 = rnorm(n), x3 = rnorm(n))[, seq_len(columns), drop = FALSE]
    kind <- 1L + (i - 1L) %% length(errors)
    e <- errors[[kind]](n) * sample(c(-1, 1), 1)
    list(name = names(errors)[kind], x = cbind(`(Intercept)` = 1, x), y = drop(x %*% rnorm(columns)) + e)
  })
}

real_regressions <- function() {
  need_peers(c("MASS", "boot"))
  part <- function(formula, data, name) {
    frame <- stats::model.frame(formula, data)
    list(name = name, x = stats::model.matrix(formula, frame), y = as.numeric(stats::model.response(frame)))
  }
  list(part(calls ~ year, MASS::phones, "phones"), part(stack.loss ~ ., datasets::stackloss, "stackloss"),
       part(dist ~ speed, datasets::cars, "cars"), part(log(brain) ~ log(body), MASS::Animals, "Animals"),
       part(time ~ dist + climb, MASS::hills, "hills"), part(Fertility ~ ., datasets::swiss, "swiss"),
       part(Volume ~ Girth + Height, datasets::trees, "trees"), part(mpg ~ wt + hp, datasets::mtcars, "mtcars"),
       part(rating ~ complaints, datasets::attitude, "attitude"), part(y ~ ., MASS::cement, "cement"),
       part(Ozone ~ Wind + Temp, datasets::airquality, "airquality"),
       part(loss ~ hard + tens, MASS::Rubber, "Rubber"))
}

regression_peer <- function(r) {
  open <- c(alpha = NA_real_, beta = NA_real_, gamma = NA_real_)
  p <- statcl:::reg_problem(r$x, r$y, NULL, NULL, open, 100)
  best <- list(ll = -Inf, distribution = rep(NA_real_, 3))
  for (k in seq_len(starts)) {
    some <- if (k %% 2L) sample(nrow(p$q), min(nrow(p$q), p$rank + 2L)) else seq_len(nrow(p$q))
    location <- unname(stats::lm.fit(p$q[some, , drop = FALSE], p$y[some])$coefficients)
    location[is.na(location)] <- p$normal[is.na(location)]
    rest <- p$y - drop(p$q %*% location)
    scale <- max(stats::median(abs(rest)), 1e-6 * diff(range(rest)))
    shape <- c(runif(1, max(p$floor, 0.3), 2), runif(1, -0.97, 0.97), scale * 10^runif(1, -1, 1))
    found <- statcl:::reg_climb(p, location, open, shape)
    if (found$sound && found$ll > best$ll) best <- found
  }
  shape <- best$distribution[1:3]
  data.frame(converged = is.finite(best$ll), loglik = best$ll, alpha = shape[1], beta = shape[2], gamma = shape[3],
             delta = NA)
}

if (wanted("regression")) {
  problems <- c(real_regressions(), make_regressions(if (is.null(number)) 200L else number))
  cat("\nRegressions, of which the first 12 are real\n")
  time <- system.time(found <- lapply(problems, function(r)
    suppressWarnings(statcl:::reg_fit(r$x, r$y, NULL, NULL, list(), NULL))))
  cat(sprintf("%.0f regressions a second\n", length(problems) / time[["elapsed"]]))
  found <- do.call(rbind, Map(function(fit, r)
    data.frame(name = r$name, n = nrow(r$x), converged = fit$converged, loglik = fit$loglik, t(fit$shape),
               delta = NA), found, problems))
  set.seed(seed + 3000L)
  report(found, do.call(rbind, lapply(problems, regression_peer)))
}

# Grouped effects beside lme4 and glmmTMB: mixed models without a process, and counts, shares and amounts with one;
# times of 1,414 places that were visited 50 times, with groups crossed or nested; 20,000 levels crossed by 300.
#   Rscript bench/gp-groups.R [mixed,examples,process,visits,crossed [FOLDER [PATTERN]]]
# Packages whose data are wanted and that are not installed may lie in FOLDER as their source packages, unpacked.
# Times are of one thread, by the clock, and of the other package in the same run.
library(statcl)
argument <- commandArgs(trailingOnly = TRUE)
wanted <- strsplit(c(argument, "mixed,examples,process,visits,crossed")[1], ",")[[1]]
folder <- if (length(argument) > 1) argument[2] else ""
pattern <- if (length(argument) > 2) argument[3] else "."
options(statcl.threads = 1)
data_of <- function(package, file, name = file) {
  own <- new.env()
  path <- Sys.glob(file.path(folder, package, "data", paste0(file, ".*")))
  if (nzchar(folder) && length(path)) load(path[1], own)
  else suppressWarnings(utils::data(list = file, package = package, envir = own))
  own[[name]]
}
timed <- function(expr) {
  value <- NULL
  took <- system.time(value <- tryCatch(suppressWarnings(expr), error = function(e) e))[["elapsed"]]
  list(value = value, took = took)
}

mixed <- function() {
  stopifnot(requireNamespace("lme4"), requireNamespace("glmmTMB"))
  cat("lme4", as.character(packageVersion("lme4")), "and glmmTMB", as.character(packageVersion("glmmTMB")), "\n")
  with_rows <- function(d) transform(d, row = factor(seq_len(nrow(d))))
  owls <- SiblingNegotiation ~ FoodTreatment * SexParent + offset(log(BroodSize)) + (1 | Nest)
  salamanders <- count ~ mined + spp + (1 | site)
  Owls <- data_of("glmmTMB", "Owls")
  Salamanders <- data_of("glmmTMB", "Salamanders")
  theirs <- function(name) get(name, asNamespace("glmmTMB"))()
  cases <- list(
    sleepstudy = list(Reaction ~ Days + (Days || Subject), lme4::sleepstudy, gaussian(), gaussian()),
    Penicillin = list(diameter ~ 1 + (1 | plate) + (1 | sample), lme4::Penicillin, gaussian(), gaussian()),
    Pastes = list(strength ~ 1 + (1 | batch/cask), lme4::Pastes, gaussian(), gaussian()),
    cbpp = list(cbind(incidence, size - incidence) ~ period + (1 | herd), lme4::cbpp, binomial(), binomial()),
    cbpp_rows = list(cbind(incidence, size - incidence) ~ period + (1 | herd) + (1 | row), with_rows(lme4::cbpp),
                     binomial(), binomial()),
    grouseticks = list(TICKS ~ YEAR + HEIGHT + (1 | BROOD) + (1 | LOCATION) + (1 | INDEX),
                       transform(lme4::grouseticks, HEIGHT = (HEIGHT - 462) / 36), poisson(), poisson()),
    Owls_poisson = list(owls, Owls, poisson(), poisson()),
    Owls_nbinom2 = list(owls, Owls, nbinom2(), theirs("nbinom2")),
    Owls_nbinom1 = list(owls, Owls, nbinom1(), theirs("nbinom1")),
    Owls_zero_inflated = list(owls, Owls, zi_nbinom2(), theirs("nbinom2"), TRUE),
    Salamanders_poisson = list(salamanders, Salamanders, poisson(), poisson()),
    Salamanders_nbinom2 = list(salamanders, Salamanders, nbinom2(), theirs("nbinom2")),
    Salamanders_zero_inflated = list(salamanders, Salamanders, zi_poisson(), poisson(), TRUE),
    Salamanders_hurdle = list(salamanders, Salamanders, hurdle_poisson(), theirs("truncated_poisson"), TRUE),
    epil2 = list(y ~ Base * trt + Age + Visit + (Visit || subject), data_of("glmmTMB", "epil2"), nbinom2(),
                 theirs("nbinom2")),
    sleepstudy_t = list(Reaction ~ Days + (1 | Subject), lme4::sleepstudy, Gamma("log"), Gamma("log")))
  for (name in grep(pattern, names(cases), value = TRUE)) {
    k <- cases[[name]]
    own <- timed(gpFit(k[[1]], k[[2]], cov = "none", family = k[[3]]))
    other <- timed(glmmTMB::glmmTMB(k[[1]], k[[2]], family = k[[4]], ziformula = if (length(k) > 4) ~1 else ~0))
    if (inherits(own$value, "error") || inherits(other$value, "error")) {
      cat(name, conditionMessage(if (inherits(own$value, "error")) own$value else other$value), "\n")
      next
    }
    f <- own$value
    b <- glmmTMB::fixef(other$value)$cond
    se <- sqrt(diag(stats::vcov(other$value)$cond))
    cat(sprintf("%-26s n %4d: log likelihood %.4f, %+.1e; coefficients %.1e, standard errors %.1e; %.2f s, %.2f s\n",
                name, nobs(f), f$loglik, f$loglik - as.numeric(logLik(other$value)),
                max(abs(coef(f) - b) / pmax(1, abs(b))), max(abs(sqrt(diag(vcov(f, "mean"))) / se - 1)), own$took,
                other$took))
  }
}

# The examples of ?mgcv::random.effects, by maximum likelihood.
examples <- function() {
  cat("mgcv", as.character(packageVersion("mgcv")), "\n")
  cases <- list(Rail = list(travel ~ 1 + (1 | Rail), travel ~ s(Rail, bs = "re")),
                Machines = list(score ~ Machine + (1 | Worker) + (1 | Machine:Worker),
                                score ~ Machine + s(Worker, bs = "re") + s(Machine, Worker, bs = "re")))
  for (name in grep(pattern, names(cases), value = TRUE)) {
    d <- data_of("nlme", name)
    d[sapply(d, is.factor)] <- lapply(d[sapply(d, is.factor)], factor, ordered = FALSE)
    own <- timed(gpFit(cases[[name]][[1]], d, cov = "none"))
    other <- timed(mgcv::gam(cases[[name]][[2]], data = d, method = "ML"))
    f <- own$value
    at <- seq_along(coef(f))
    cat(sprintf("%-26s n %4d: log likelihood %.4f, %+.1e; coefficients %.1e, standard errors %.1e; %.2f s, %.2f s\n",
                name, nobs(f), f$loglik, f$loglik + as.numeric(other$value$gcv.ubre),
                max(abs(coef(f) / coef(other$value)[at] - 1)),
                max(abs(sqrt(diag(vcov(f, "mean"))) / sqrt(diag(vcov(other$value)))[at] - 1)), own$took, other$took))
  }
}

# Of glmmTMB with its exponential covariance, which has all locations in one matrix.
process <- function(most = 600) {
  Loaloa <- data_of("spaMM", "Loaloa")
  arabidopsis <- data_of("spaMM", "arabidopsis")
  pcod <- as.data.frame(data_of("sdmTMB", "pcod"))
  birds <- data_of("spOccupancy", "hbefTrends")
  heard <- function(species) {
    y <- unname(birds$y[species, , , ])
    data.frame(row.names = NULL, x = birds$coords[, 1] / 1000, y = birds$coords[, 2] / 1000,
               elevation = as.vector(scale(birds$occ.covs$elev)), year = factor(rep(2010:2018, each = nrow(y))),
               heard = as.vector(rowSums(y, TRUE, 2)), visits = as.vector(rowSums(!is.na(y), FALSE, 2)))
  }
  trees <- data_of("spNNGP", "MI_TSCA")
  cases <- list(
    Loaloa = list(cbind(npos, ntot - npos) ~ elev1 + elev2 + elev3 + elev4 + maxNDVI1 + seNDVI,
                  transform(Loaloa, x = longitude, y = latitude), binomial()),
    arabidopsis = list(pos1046738 ~ seasonal, transform(arabidopsis, x = LONG, y = LAT, seasonal = seasonal / 1000),
                       binomial()),
    ovenbird = list(cbind(heard, visits - heard) ~ elevation + I(elevation^2) + (1 | year),
                    subset(heard("OVEN"), visits > 0), binomial()),
    pcod = list(density ~ depth_scaled + depth_scaled2 + factor(year), transform(pcod, x = X, y = Y), tweedie()),
    hemlock = list(TSCA ~ MIN + MAX + WIP, transform(trees, x = long, y = lat), binomial()))
  for (name in grep(pattern, names(cases), value = TRUE)) {
    k <- cases[[name]]
    d <- k[[2]]
    if (is.null(d) || !all(all.vars(k[[1]]) %in% names(d))) {
      cat(name, "is not there", if (!is.null(d)) toString(names(d)), "\n")
      next
    }
    gc(reset = TRUE)
    own <- timed(gpFit(k[[1]], d, ~ x + y, "exponential", family = k[[3]]))
    if (inherits(own$value, "error")) {
      cat(name, conditionMessage(own$value), "\n")
      next
    }
    f <- own$value
    places <- nrow(unique(d[c("x", "y")]))
    cat(sprintf("%-12s n %5d at %5d places: log likelihood %.3f (%.3f), %.1f s, %.0f MB;", name, nobs(f), places,
                f$loglik, f$loglik.error, own$took, sum(gc()[, 6])))
    if (places <= most && requireNamespace("glmmTMB")) {
      d$position <- glmmTMB::numFactor(d$x, d$y)
      d$one <- factor(1)
      other <- timed(glmmTMB::glmmTMB(update(k[[1]], . ~ . + exp(position + 0 | one)), d, family = k[[3]]))
      if (inherits(other$value, "error")) cat(" glmmTMB:", conditionMessage(other$value))
      else cat(sprintf(" glmmTMB %.3f, coefficients differ by up to %.2g standard errors, %.1f s",
                       as.numeric(logLik(other$value)),
                       max(abs(coef(f) - glmmTMB::fixef(other$value)$cond) / sqrt(diag(vcov(f, "mean")))),
                       other$took))
    }
    cat("\n")
    print(signif(coef(f, "covariance")[!covariance_fixed(f)], 4))
  }
}

visits <- function(places = 1414, visits = 50) {
  set.seed(1)
  at <- data.frame(x = runif(places), y = runif(places))
  w <- as.vector(simulate(covModel("exponential", range = 0.1), x = as.matrix(at), method = "exact"))
  place <- rep(seq_len(places), visits)
  n <- length(place)
  d <- data.frame(at[place, ], z = rnorm(n), place = factor(place),
                  visit = factor(rep(seq_len(visits), each = places)), observer = factor(sample(300, n, TRUE)))
  d$season <- factor(paste(place, as.integer(d$visit) %% 4))
  d$v <- rpois(n, exp(-0.5 + 0.3 * d$z + 0.7 * w[place] + rnorm(visits, sd = 0.5)[d$visit]))
  for (group in c("visit", "observer", "place", "season")) {
    formula <- stats::reformulate(c("z", sprintf("(1 | %s)", group)), "v")
    took <- system.time(f <- gpFit(formula, d, ~ x + y, "exponential", family = poisson(), m = 20))
    cat(sprintf("%d rows, (1 | %s), %d levels: %.1f s of the processor, %.1f s, %d evaluations\n", n, group,
                nlevels(d[[group]]), sum(took[1:2]), took[["elapsed"]], f$evaluations))
  }
}

crossed <- function(rows = 1e5, levels = 20000, others = 300) {
  set.seed(2)
  d <- data.frame(x = rnorm(rows), f = factor(sample(levels, rows, TRUE)), g = factor(sample(others, rows, TRUE)))
  eta <- 0.3 * d$x + rnorm(levels, sd = 0.5)[d$f] + rnorm(others, sd = 0.4)[d$g]
  d$y <- eta + rnorm(rows)
  d$count <- rpois(rows, exp(eta))
  compare <- function(name, fit, other) {
    took <- system.time(f <- fit())
    cat(sprintf("%d rows, %s, %d levels by %d: %.1f s of the processor, log likelihood %.4f", rows, name, levels,
                others, sum(took[1:2]), f$loglik))
    if (requireNamespace("lme4", quietly = TRUE)) {
      took <- system.time(o <- tryCatch(other(), error = identity))
      if (inherits(o, "error")) cat("; lme4:", conditionMessage(o))
      else cat(sprintf("; lme4 %.1f s, %.4f, variances differ by %.1e", sum(took[1:2]), as.numeric(stats::logLik(o)),
                  max(abs(unlist(lme4::VarCorr(o)) / coef(f, "covariance")[c("variance.f", "variance.g")] - 1))))
    }
    cat("\n")
  }
  compare("normal", function() gpFit(y ~ x + (1 | f) + (1 | g), d, cov = "none"),
          function() lme4::lmer(y ~ x + (1 | f) + (1 | g), d, REML = FALSE))
  compare("Poisson", function() gpFit(count ~ x + (1 | f) + (1 | g), d, cov = "none", family = poisson()),
          function() lme4::glmer(count ~ x + (1 | f) + (1 | g), d, family = poisson()))
}
covariance_fixed <- function(f) f$parameters$fixed[f$parameters$component == "covariance"]

for (what in wanted) get(what)()

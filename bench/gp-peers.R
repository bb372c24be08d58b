# Fits of gpFit(family = ) beside those of spaMM, spmodel and glmmTMB, which are by Laplace on dense matrices: real
# data, and simulated counts, zeros and ones.
#   Rscript bench/gp-peers.R [real,poisson,bernoulli [SIZES [SECONDS [PROGRAMS [PATTERN [FOLDER]]]]]]
# as in "real,poisson 300,1000 180 statcl,spaMM". Each fit is a process of its own with one thread, which
# is ended after SECONDS of the processor; packages that are not installed are named and left out. PATTERN chooses
# real data; data of packages that are not installed may lie in FOLDER as their unpacked source packages. Columns:
#   logLik     what the program says,
#   at         our log likelihood (all neighbours up to 2,000 observations, 120 beyond) at the program's estimates
#              with its smoothness, so that of two rows of one smoothness the higher one is the better maximum,
#   seconds    of the processor, of the fit without loading packages, and MB what the process took for it,
# then estimates in our parameters.
argument <- commandArgs(trailingOnly = TRUE)
Sys.setenv(OMP_NUM_THREADS = "1", OPENBLAS_NUM_THREADS = "1")
neighbours <- 20L

# Estimates in one form: log likelihood, coefficients with standard errors, variance and range.
programs <- list(
  statcl = function(s, nu) {
    options(statcl.threads = 1)
    f <- statcl::gpFit(s$formula, s$data, ~ x + y, "matern", family = s$family, fixed = list(smoothness = nu),
                       m = neighbours)
    list(loglik = f$loglik, coef = coef(f), se = sqrt(diag(vcov(f, "mean"))), variance = f$cov$variance,
         range = f$cov$range)
  },
  spaMM = function(s, nu) { # whose other algebras end in errors or elsewhere, with Matrix 1.5.3 and 1.6.5 of R 4.2
    f <- spaMM::fitme(update(s$formula, . ~ . + Matern(1 | x + y)), s$data, family = s$family, fixed = list(nu = nu),
                      control.HLfit = list(algebra = "spprec"))
    at <- spaMM::get_ranPars(f)
    list(loglik = as.numeric(spaMM::logLik.HLfit(f)), coef = spaMM::fixef(f), se = sqrt(diag(as.matrix(vcov(f)))),
         variance = as.numeric(at$lambda[1]), range = 1 / at$corrPars[[1]]$rho)
  },
  spmodel = function(s, nu) { # a nugget of 1e-4 of the variance at least, and its log likelihood is not comparable
    start <- spmodel::spcov_initial("matern", ie = 0, extra = nu, known = c("ie", "extra"))
    f <- spmodel::spglm(s$formula, s$family$family, s$data, xcoord = x,
                        ycoord = y, spcov_initial = start, estmethod = "ml")
    at <- coef(f, type = "spcov")
    list(loglik = as.numeric(logLik(f)), coef = coef(f), se = sqrt(diag(vcov(f))), variance = at[["de"]],
         range = at[["range"]] / sqrt(2 * nu))
  },
  glmmTMB = function(s, nu) { # its exponential covariance: logarithms of standard deviation and range
    s$data$position <- glmmTMB::numFactor(s$data$x, s$data$y)
    s$data$one <- factor(1)
    f <- glmmTMB::glmmTMB(update(s$formula, . ~ . + exp(position + 0 | one)), s$data, family = s$family)
    at <- f$fit$par[names(f$fit$par) == "theta"]
    list(loglik = as.numeric(logLik(f)), coef = glmmTMB::fixef(f)$cond, se = sqrt(diag(vcov(f)$cond)),
         variance = exp(2 * at[[1]]), range = exp(at[[2]]))
  })
package_of <- c(statcl = "statcl", spaMM = "spaMM", spmodel = "spmodel", glmmTMB = "glmmTMB")

# The peak of the resident set of this process, in MB, from Linux.
peak <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) "")
  line <- grep("^VmHWM", status, value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) / 1024 else NA
}
if (identical(argument[1], "--job")) {
  job <- readRDS(argument[2])
  suppressMessages(library(package_of[[job$program]], character.only = TRUE))
  before <- peak()
  took <- system.time(found <- tryCatch(suppressWarnings(programs[[job$program]](job$set, job$nu)),
                                        error = function(e) list(text = conditionMessage(e))))
  saveRDS(c(found, list(seconds = sum(took[1:2]), MB = peak() - before)), argument[3])
  quit(save = "no")
}

library(statcl)
source("bench/peers.R")
options(width = 160, statcl.threads = 1, warn = -1)
pick <- function(i, default) if (length(argument) >= i) argument[i] else default
wanted <- strsplit(pick(1, "real,poisson,bernoulli"), ",")[[1]]
sizes <- as.integer(strsplit(pick(2, "300,1000"), ",")[[1]])
most <- as.integer(pick(3, "180"))
chosen <- strsplit(pick(4, paste(names(programs), collapse = ",")), ",")[[1]]
pattern <- pick(5, ".")
folder <- pick(6, "")
package_of <- package_of[chosen]
there <- vapply(package_of, requireNamespace, TRUE, quietly = TRUE)
cat(machine(), "\n", neighbours, "neighbours of statcl, one thread\n")
for (p in names(there))
  cat(p, if (there[[p]]) as.character(packageVersion(package_of[[p]])) else "is not installed", "\n")

# In a process of its own; NULL if that was ended.
run_job <- function(program, set, nu) {
  files <- tempfile(c("job", "found"), fileext = ".rds")
  saveRDS(list(program = program, set = set, nu = nu), files[1])
  on.exit(unlink(files))
  call <- sprintf("ulimit -t %d; %s bench/gp-peers.R --job %s %s", most, file.path(R.home("bin"), "Rscript"),
                  files[1], files[2])
  system2("sh", c("-c", shQuote(call)), stdout = FALSE, stderr = FALSE)
  if (file.exists(files[2])) readRDS(files[2])
}

# Our log likelihood at given parameters, of the coefficients as an offset.
value_at <- function(s, nu, p) {
  X <- stats::model.matrix(s$formula, s$data)
  s$data$offset_ <- drop(X %*% p$coef)
  fixed <- list(smoothness = nu, variance = p$variance, range = p$range)
  few <- nrow(s$data) <= 2000
  gpFit(update(s$formula, . ~ 0 + offset(offset_)), s$data, ~ x + y, "matern", family = s$family, fixed = fixed,
        method = if (few) "exact" else "vecchia", m = 120)$loglik
}

data_of <- function(package, file) {
  own <- new.env()
  path <- Sys.glob(file.path(folder, package, "data", paste0(file, ".*")))
  if (nzchar(folder) && length(path)) load(path[1], own)
  else try(suppressWarnings(utils::data(list = file, package = package, envir = own)), silent = TRUE)
  own[[file]]
}

# Each with the smoothness of each program; what has one is compared by it.
real_sets <- function() {
  both <- c(0.5, 1)
  all <- list(statcl = both, spaMM = both, spmodel = both, glmmTMB = 0.5)
  loa <- data_of("spaMM", "Loaloa")
  cress <- data_of("spaMM", "arabidopsis")
  sets <- list(
    Loaloa = if (length(loa)) list(
      formula = cbind(npos, ntot - npos) ~ elev1 + elev2 + elev3 + elev4 + maxNDVI1 + seNDVI, family = binomial(),
      data = transform(loa, x = longitude, y = latitude), nu = all),
    arabidopsis = if (length(cress)) list(
      formula = pos1046738 ~ seasonal, family = binomial(), nu = all,
      data = transform(cress, x = LONG, y = LAT, seasonal = seasonal / 1000)))
  for (name in names(sets)[!lengths(sets)]) cat(name, "is not there\n")
  sets <- sets[lengths(sets) > 0]
  sets[grepl(pattern, names(sets))]
}
simulated_set <- function(family, n) {
  set.seed(n)
  d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n))
  model <- covModel("exponential", range = 0.1)
  w <- as.vector(simulate(model, 1, seed = n, x = as.matrix(d[1:2]), method = if (n > 2000) "tbrf" else "exact"))
  eta <- 0.5 + 0.3 * d$z + w
  d$response <- if (family == "poisson") rpois(n, exp(eta)) else rbinom(n, 1, plogis(eta))
  list(formula = response ~ z, family = if (family == "poisson") poisson() else binomial(), data = d,
       nu = list(statcl = c(0.5, 1), spaMM = 0.5, spmodel = 0.5, glmmTMB = 0.5),
       truth = list(coef = c(0.5, 0.3), variance = 1, range = 0.1))
}

compare <- function(name, s) {
  cat("\n", name, ": ", nrow(s$data), " observations at ", nrow(unique(s$data[c("x", "y")])), " places\n", sep = "")
  rows <- coefficients <- NULL
  for (program in intersect(names(s$nu), names(there)[there])) for (nu in s$nu[[program]]) {
    f <- run_job(program, s, nu)
    label <- paste(program, nu)
    if (is.null(f$loglik)) {
      cat(label, if (is.null(f)) sprintf("was ended after %d s", most) else f$text, "\n")
      next
    }
    at <- tryCatch(value_at(s, nu, f), error = function(e) NA)
    row <- list(logLik = f$loglik, at = at, seconds = f$seconds, MB = f$MB, variance = f$variance, range = f$range)
    rows <- rbind(rows, as.data.frame(row, row.names = label))
    k <- paste(signif(f$coef, 5), "+-", signif(f$se, 3))
    coefficients <- rbind(coefficients, matrix(k, 1, dimnames = list(label, names(f$coef))))
  }
  if (!is.null(s$truth)) {
    rows <- rbind(rows, truth = list(NA, value_at(s, 0.5, s$truth), NA, NA, s$truth$variance, s$truth$range))
    coefficients <- rbind(coefficients, truth = as.character(s$truth$coef))
  }
  show <- rows
  show[1:2] <- lapply(rows[1:2], function(v) sprintf("%.3f", v))
  show[-(1:2)] <- lapply(rows[-(1:2)], function(v) sprintf("%.4g", v))
  print(show)
  print(if (ncol(coefficients) > 4) t(coefficients) else coefficients, quote = FALSE)
}

for (what in wanted) {
  if (what == "real") {
    sets <- real_sets()
    for (name in names(sets)) compare(name, sets[[name]])
  } else for (n in sizes) compare(paste("simulated", what), simulated_set(what, n))
}

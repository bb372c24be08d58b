# Are the results of two installed versions of the package the same to the last bit?
#   Rscript tools/compare-versions.R <library A> <library B> [argument sets per family, by default 1e5]
# Each library is loaded by an R process of its own, which evaluates the reference tables of the tests and random
# calls of all families, hostile arguments among them, from the same seeds; warnings and errors count as results. The
# exit status is 1 when anything differs. Only exported functions are called: what is inside may differ.
# 1e5 argument sets take about 80 s of processor time and 12 GB for each library, 5e4 half of that; the two run side
# by side.
# The processes inherit the environment (STATCL_CPU, STATCL_DEVICE, ...). A library may bring variables of its own:
#   Rscript tools/compare-versions.R build/library build/library,STATCL_CPU=avx2
# They compute on one thread of the built-in backend unless STATCL_THREADS and STATCL_DEVICE say something else.

# ---- the calls -----------------------------------------------------------------------------------------------------

# Values with their warnings, messages and errors; printed calls are left out, since R's depend on who calls.
outcome <- function(expr) {
  said <- list()
  hear <- function(kind, restart) function(e) {
    said[[length(said) + 1L]] <<- c(kind, conditionMessage(e))
    invokeRestart(restart)
  }
  value <- tryCatch(withCallingHandlers(expr, warning = hear("warning", "muffleWarning"),
                                        message = hear("message", "muffleMessage")),
                    error = function(e) c("error", class(e), conditionMessage(e)))
  list(value = value, said = said)
}

# Takes down a result: the number of calls, or of argument sets, goes to the table.
recorder <- function() {
  rows <- list()
  list(rows = function() rows, take = function(family, calls, expr) {
    label <- paste(trimws(deparse(substitute(expr), 500L)), collapse = " ")
    set.seed(1 + length(rows)) # whatever the calls before have drawn
    rows[[length(rows) + 1L]] <<- c(list(family = family, label = label, calls = calls), outcome(expr))
    rows[[length(rows)]]$draws <<- get(".Random.seed", globalenv())
  })
}

hostile_values <- c(NA, NaN, Inf, -Inf, 0, -0, 1, -1, 0.5, 2, 1e-320, 2^-1022, 1e-300, 1e-17, 1e-8, 1e8, 2^31, 2^53,
                    1e300, -1e300, 1.7e308)
# Ordinary arguments of which one in thirty is exchanged.
hostile <- function(ordinary) {
  at <- stats::runif(length(ordinary)) < 1 / 30
  ordinary[at] <- sample(hostile_values, sum(at), TRUE)
  ordinary
}
# A quarter of them from values that need care.
some <- function(ordinary, special)
  ifelse(stats::runif(length(ordinary)) < 0.25, sample(special, length(ordinary), TRUE), ordinary)

reference <- function(take, folder) {
  ref <- function(name) utils::read.csv(file.path(folder, name))
  family <- "reference tables"
  for (name in c("stable.csv.gz", "stable_hard.csv.gz", "stable_score.csv.gz")) {
    t <- ref(name)
    for (log in c(FALSE, TRUE)) {
      take(family, nrow(t), dstable(t$x, t$alpha, t$beta, log = log))
      for (lower in c(TRUE, FALSE)) take(family, nrow(t), pstable(t$x, t$alpha, t$beta, 1, 0, 0, lower, log))
    }
    take(family, nrow(t), dpstable(t$x, t$alpha, t$beta))
  }
  t <- ref("stable_quantile.csv.gz")
  for (lower in c(TRUE, FALSE)) {
    take(family, nrow(t), qstable(t$p, t$alpha, t$beta, lower.tail = lower))
    take(family, nrow(t), qstable(log(t$p), t$alpha, t$beta, lower.tail = lower, log.p = TRUE))
  }
  t <- ref("esstable.csv")
  take(family, nrow(t), esstable(t$p_hex, t$alpha_hex, t$beta_hex))
  t <- ref("besselk.csv.gz")
  for (log in c(FALSE, TRUE)) for (scaled in c(FALSE, TRUE)) for (deriv in c("none", "x", "nu"))
    take(family, nrow(t), besselKgpu(t$x_hex, t$nu_hex, scaled, log, deriv))
  for (method in c("temme", "takekawa", "refined"))
    take(family, nrow(t), besselKgpu(t$x_hex, t$nu_hex, log = TRUE, method = method))
  t <- ref("matern.csv.gz")
  slope <- ref("matern_slope.csv.gz")
  for (route in c("table", "direct", "size")) {
    options(statcl.matern.route = route, statcl.covariance.route = route)
    for (deriv in c("none", "range", "smoothness"))
      take(family, nrow(t), mapply(function(r, range, nu) matern(r, range = range, smoothness = nu, deriv = deriv),
                                   t$r_hex, t$beta_hex, t$nu_hex))
    take(family, nrow(slope), mapply(function(x, nu) matern(x, range = 1, smoothness = nu, deriv = "smoothness"),
                                     slope$x, slope$nu))
  }
  options(statcl.matern.route = NULL, statcl.covariance.route = NULL)
  t <- ref("poisson_cdf.csv.gz")
  for (log in c(FALSE, TRUE)) {
    take(family, nrow(t), dpoisgpu(t$q, t$lambda, log))
    for (lower in c(TRUE, FALSE)) take(family, nrow(t), ppoisgpu(t$q, t$lambda, lower, log))
  }
  for (log in c(FALSE, TRUE)) {
    t <- ref(if (log) "poisson_quantile_log.csv.gz" else "poisson_quantile.csv.gz")
    for (lower in c(TRUE, FALSE)) take(family, nrow(t), qpoisgpu(if (log) t$log_p else t$p, t$lambda, lower, log))
  }
  helper <- new.env()
  sys.source(file.path(folder, "..", "helper-covariance.R"), helper)
  for (g in split(t <- ref("line_covariance.csv.gz"), t[c("model", "param", "quantity")], drop = TRUE))
    take(family, nrow(g), helper$ref_value(helper$ref_model(g$model[1], g$param[1]), g$quantity[1], g$arg))
  t <- ref("quadrature.csv.gz")
  published <- c("caq", "scaq", "bcaq", "pscaq", "pbcaq", "pbcaqr", "pbcaqs", "pbcaqg")
  for (i in seq_len(nrow(t))) {
    f <- str2lang(t$expression[i])
    a <- as.numeric(t$lower[i])
    b <- as.numeric(t$upper[i])
    take(family, 1, integrategpu(f, a, b, stop.on.error = FALSE))
    if (t$family[i] == "pbcaq") for (method in published)
      take(family, 1, integrategpu(f, a, b, method = method, abs.tol = 1e-6, stop.on.error = FALSE,
                                   region = c(32, 64)))
  }
}

stable_laws <- function(n) data.frame(
  x = hostile(stats::rnorm(n) * exp(stats::rexp(n, 0.3))),
  p = hostile(some(stats::runif(n), c(0, 1, 1e-300, 1e-12, 0.5, 1 - 1e-10))),
  alpha = hostile(some(stats::runif(n, 0.02, 2), c(0.03, 0.5, 0.8, 1 - 1e-9, 1, 1 + 1e-9, 1.001, 1.2, 1.9999, 2))),
  beta = hostile(some(stats::runif(n, -1, 1), c(-1, 0, 1, 1e-9, 1 - 1e-9))),
  gamma = hostile(some(exp(stats::rnorm(n)), 1)), delta = hostile(some(stats::rnorm(n), 0)))

stable_vectors <- function(take, n) {
  for (pm in 0:2) {
    m <- ceiling(n / if (pm == 2) 1000 else 2) # with pm = 2 the mode of each distribution is looked for
    set.seed(pm)
    r <- stable_laws(m)
    for (log in c(FALSE, TRUE)) {
      take("dstable", m, dstable(r$x, r$alpha, r$beta, r$gamma, r$delta, pm, log))
      for (lower in c(TRUE, FALSE)) {
        take("pstable", m, pstable(r$x, r$alpha, r$beta, r$gamma, r$delta, pm, lower, log))
        p <- if (log) log(abs(r$p)) else r$p
        take("qstable", m, qstable(p, r$alpha, r$beta, r$gamma, r$delta, pm, lower, log))
        few <- seq_len(ceiling(m / if (pm == 2) 1 else 20))
        take("esstable", length(few), esstable(p[few], r$alpha[few], r$beta[few], r$gamma[few], r$delta[few], pm,
                                               lower, log))
      }
    }
    take("dpstable", m, dpstable(r$x, r$alpha, r$beta, r$gamma, r$delta, pm))
    take("rstable", m, rstable(m, r$alpha, r$beta, r$gamma, r$delta, pm))
    few <- seq_len(ceiling(m / if (pm == 2) 1 else 50))
    take("stableMode", length(few), stableMode(r$alpha[few], r$beta[few], r$gamma[few], r$delta[few], pm))
    few <- utils::head(r, ceiling(n / 1000))
    for (to in 0:1) take("stableConvert", m, stableConvert(r$alpha, r$beta, r$gamma, r$delta, pm, to))
    take("stableConvert", nrow(few), stableConvert(few$alpha, few$beta, few$gamma, few$delta, pm, 2))
  }
  # many points of one distribution go through tables, or are computed one by one
  set.seed(4)
  laws <- 6
  m <- ceiling(n / laws)
  for (i in seq_len(laws)) {
    alpha <- stats::runif(1, 0.2, 2)
    beta <- some(stats::runif(1, -1, 1), c(-1, 0, 1))
    x <- hostile(stats::rnorm(m) * exp(stats::rexp(m, 0.3)))
    for (log in c(FALSE, TRUE)) {
      take("dstable", m, dstable(x, alpha, beta, log = log))
      take("pstable", m, pstable(x, alpha, beta, log.p = log))
    }
    take("qstable", m, qstable(stats::runif(m), alpha, beta))
    take("rstable", m, rstable(m, alpha, beta))
    S <- matrix(c(2, 0.5, 0.5, 1), 2)
    take("dmstable", m, dmstable(cbind(x, 1), alpha, S))
    few <- seq_len(ceiling(m / 10))
    take("dmstable", length(few), dmstable(cbind(x, 1)[few, ], stats::runif(length(few), 0.1, 2), S))
    take("pmstableRadius", length(few), pmstableRadius(abs(x[few]), alpha, i))
    take("rmstable", m, rmstable(m, alpha, S))
    options(statcl.stable.route = "direct")
    take("dstable", m, dstable(x, alpha, beta))
    options(statcl.stable.route = NULL)
  }
}

# Short calls with arguments of odd shapes and types, by all functions of vectors.
odd_calls <- function(take, n) {
  numbers <- function() {
    v <- hostile(some(stats::rexp(sample(c(0:6, 40), 1)), c(0, 1, 2)))
    switch(sample(9, 1), as.integer(trunc(pmax(pmin(v, 9), -9))), v > 1, as.character(v), NULL,
           stats::setNames(v, rep_len(letters, length(v))), matrix(v, ncol = 1),
           structure(v, class = "odd", note = 1), v, v)
  }
  flag <- function() sample(list(TRUE, FALSE, TRUE, FALSE, NA, 1, c(TRUE, FALSE), logical(), "a"), 1)[[1]]
  parameters <- list(
    dstable = 6, pstable = 6, qstable = 6, esstable = 6, dpstable = 6, rstable = 6, stableMode = 5,
    dpoisgpu = 2, ppoisgpu = 2, qpoisgpu = 2, rpoisgpu = 2, besselKgpu = 2,
    dgammagpu = 3, qgammagpu = 3, pchisqgpu = 3, qchisqgpu = 3, dchisqgpu = 3, rchisqgpu = 3, dbetagpu = 3,
    pbetagpu = 3, qbetagpu = 3, qfgpu = 3, qtgpu = 2,
    dbinomgpu = 3, pbinomgpu = 3, qbinomgpu = 3, rbinomgpu = 3, dnbinomgpu = 3, pnbinomgpu = 3, qnbinomgpu = 3)
  flags <- c(dstable = 1, pstable = 2, qstable = 2, esstable = 2, dpoisgpu = 1, ppoisgpu = 2, qpoisgpu = 2,
             besselKgpu = 2, dbinomgpu = 1, pbinomgpu = 2, qbinomgpu = 2)
  set.seed(5)
  for (name in names(parameters)) {
    arguments <- lapply(seq_len(n), function(i) {
      given <- lapply(seq_len(parameters[[name]]), function(k) numbers())
      if (parameters[[name]] == 6)
        given[[6]] <- sample(list(0, 1, 2, 0L, 3, NA, "a"), 1, prob = c(5, 2, 2, 1:4 / 4))[[1]]
      if (name %in% names(flags)) given <- c(given, lapply(seq_len(flags[[name]]), function(k) flag()))
      given[seq_len(sample(max(2, length(given) - 3):length(given), 1))]
    })
    take("odd arguments", n, lapply(arguments, function(a) outcome(do.call(name, a, quote = TRUE))))
  }
}

bessel_vectors <- function(take, n) {
  m <- ceiling(n / 4)
  for (part in 1:4) {
    set.seed(part)
    x <- hostile(some(exp(stats::rnorm(m, 0, 3)), c(1e-3, 1, 2, 12, 140, 700, 710)))
    nu <- hostile(some(stats::rexp(m, 1 / c(1, 20, 3, 500)[part]), c(0, 0.5, 1, 1.5, 2, 2.5, 20, 100)))
    for (log in c(FALSE, TRUE)) for (scaled in c(FALSE, TRUE)) for (deriv in c("none", "x", "nu"))
      take("besselKgpu", m, besselKgpu(x, nu, scaled, log, deriv))
    for (method in c("temme", "takekawa", "refined"))
      take("besselKgpu", m, besselKgpu(x, nu, log = part > 2, method = method))
  }
}

poisson_vectors <- function(take, n) {
  m <- ceiling(n / 2)
  for (part in 1:2) {
    set.seed(part)
    lambda <- hostile(some(exp(stats::rnorm(m, 0, 6)), c(0, 1e-10, 1, 3.99, 4, 10, 100, 1e6, 2^40)))
    x <- hostile(round(lambda + sqrt(lambda) * stats::rnorm(m) * exp(stats::rexp(m))))
    x[sample(m, m %/% 50)] <- 2.5
    p <- hostile(some(stats::runif(m), c(0, 1, 1e-300, 1 - 1e-15, 0.5)))
    for (log in c(FALSE, TRUE)) {
      take("Poisson", m, dpoisgpu(x, lambda, log))
      for (lower in c(TRUE, FALSE)) {
        take("Poisson", m, ppoisgpu(x, lambda, lower, log))
        take("Poisson", m, qpoisgpu(if (log) log(abs(p)) else p, lambda, lower, log))
        take("Poisson", m, withPrecision("single", qpoisgpu(if (log) log(abs(p)) else p, lambda, lower, log)))
      }
    }
    take("Poisson", m, rpoisgpu(m, lambda))
    take("Poisson", m, rpoisgpu(m, 37.5))
    take("Poisson", m, withPrecision("single", rpoisgpu(m, lambda)))
  }
}

models <- function() {
  range <- exp(stats::rnorm(1))
  variance <- sample(c(1, 0, exp(stats::rnorm(1))), 1)
  nugget <- sample(c(0, 0, 0.3), 1)
  make <- function(name, ...) covModel(name, range = range, ..., variance = variance, nugget = nugget)
  plain <- lapply(c("exponential", "gaussian", "spherical", "cubic", "sinc"), make)
  c(plain, list(
    make("matern", smoothness = sample(c(0.5, 1.5, 2.5, 0.01, 80, stats::rexp(1)), 1)),
    make("matern", smoothness = stats::runif(1, 0.1, 4), angle = stats::runif(1, 0, 180), ratio = stats::runif(1)),
    make("cauchy", shape = stats::rexp(1) + 0.2), make("powexp", shape = stats::runif(1, 0.1, 2)),
    make("besselj", shape = stats::runif(1, 0.5, 5)), make("gammaspectrum", exponent = stats::runif(1, -2, 6)),
    covModel("powerlaw", exponent = stats::runif(1, -4, 1), kmin = 0.05, kmax = 3),
    make("exponential") + make("gaussian")))
}

covariances <- function(take, n) {
  rounds <- 12
  m <- ceiling(n / rounds / 13)
  distances <- function(m) hostile(some(exp(stats::rnorm(m, 0, 2)), c(0, 1e-10, 1, 40, 700)))
  for (i in seq_len(rounds)) {
    set.seed(i)
    x <- abs(distances(m))
    few <- utils::head(x, 40)
    k <- stats::rexp(40) * sample(c(0.1, 1, 10), 40, TRUE)
    places <- matrix(stats::runif(60, -3, 3), 20)
    earth <- cbind(stats::runif(20, -180, 180), stats::runif(20, -90, 90))
    for (model in models()) {
      take("covariances", m, covariance(model, x))
      take("covariances", 190, covariance(model, places[, 1:2]))
      for (dim in 2:3) {
        take("covariances", 40, lineCovariance(model, few, dim = dim))
        for (line in c(FALSE, TRUE)) take("covariances", 40, spectralDensity(model, k, dim = dim, line = line))
      }
      take("covariances", 40, spectralDensity(model, k, dim = 1))
      if (identical(model$name, "matern")) for (deriv in c("range", "smoothness"))
        take("covariances", m, covariance(model, x, deriv = deriv))
      take("covariances", m, withPrecision("single", covariance(model, x)))
      take("covariances", 190, withPrecision("single", covariance(model, places[, 1:2])))
    }
    for (distance in c("chordal", "greatcircle")) for (nu in c(0.3, 0.5, 1.2))
      take("matern", 190, matern(earth, range = 2000, smoothness = nu, distance = distance))
    take("matern", 400, matern(places, places[20:1, ] + 0.1, range = 1.3, smoothness = i / 4, scales = 1:3))
  }
  set.seed(1)
  m <- 100
  for (i in seq_len(ceiling(n / m))) {
    x <- abs(distances(m))
    nu <- abs(hostile(some(stats::rexp(1, 1 / sample(c(1, 10, 200), 1)), c(0.25, 0.5, 1, 1.5, 2, 2.5, 3.5))))
    range <- abs(hostile(exp(stats::rnorm(1))))
    deriv <- sample(c("none", "range", "smoothness"), 1)
    route <- sample(c("table", "direct", "size"), 1)
    options(statcl.matern.route = route, statcl.covariance.route = route)
    scaling <- sample(c("plain", "sqrt2nu", "sqrt8nu"), 1)
    take("matern", m, matern(x, range = range, smoothness = nu, variance = 2, scaling = scaling, deriv = deriv))
    if (i %% 4 == 0) take("matern", m, withPrecision("single", matern(x, range = range, smoothness = nu,
                                                                      deriv = deriv)))
  }
  options(statcl.matern.route = NULL, statcl.covariance.route = NULL)
}

fields <- function(take, n) {
  for (i in seq_len(ceiling(n / 2000))) {
    set.seed(i)
    model <- sample(models(), 1)[[1]]
    d <- sample(1:3, 1)
    mesh <- rfGrid(stats::rnorm(d), exp(stats::rnorm(d)), sample(2:9, d, TRUE))
    places <- matrix(hostile(stats::rnorm(20 * d)), 20)
    if (i %% 3) places <- matrix(stats::rnorm(20 * d), 20)
    far <- matrix(stats::rnorm(20 * d, 0, 3), 20)
    lines <- sample(c(1, 16, 100), 1)
    how <- sample(c("lowdiscrepancy", "halton", "fibonacci"), 1)
    method <- sample(c("auto", "spectral", "table", "fft"), 1)
    generator <- sample(c("circulant", "powerlaw", "pulse"), 1)
    arguments <- list(model = model, nsim = sample(2, 1), method = method)
    if (method != "fft") arguments <- c(arguments, list(nlines = lines, directions = how))
    if (method == "table") arguments$lines <- generator
    for (x in list(mesh, places, far)) take("fields", 1, do.call(tbrf, c(list(x), arguments)))
    take("fields", 1, {
      z <- tbrf(mesh, model, lines, method = "spectral")
      list(predict(z, far), predict(z, mesh), predict(z, places), rfCovariance(z), rfSpectrum(z), summary(z))
    })
    take("fields", 1, tbrfError(model, c(16, 64), dim = d, nfields = 2, method = sample(c("spectral", "table"), 1)))
    take("fields", 1, stats::simulate(model, 2, seed = i, x = far))
  }
}

# What a fit says, in whatever form it keeps it.
said_by <- function(fit) {
  kept <- c("loglik", "converged", "iterations", "evaluations", "message", "second", "residuals")
  list(coef(fit), vcov(fit), stats::AIC(fit), stats::nobs(fit), lapply(kept, function(part) unclass(fit)[[part]]))
}

fits <- function(take, n) {
  methods <- c("mle", "grid", "grid2d", "ecf", "koutrouvelis", "mcculloch", "logmoment")
  for (i in seq_len(ceiling(n / 500))) {
    set.seed(i)
    y <- rstable(sample(c(20, 100, 300), 1), some(stats::runif(1, 0.4, 2), c(1, 2)), stats::runif(1, -1, 1),
                 exp(stats::rnorm(1)), stats::rnorm(1))
    if (i %% 9 == 0) y <- hostile(y)
    method <- methods[i %% 7 + 1]
    pm <- i %% 3
    take("fits", 1, said_by(stableFit(y, method, pm)))
    take("fits", 1, {
      fit <- stableFit(y, fixed = switch(i %% 4 + 1, list(), list(beta = 0), list(alpha = 1.5), list(gamma = 1)),
                       weights = if (i %% 2) sample(0:3, length(y), TRUE), pm = pm)
      list(said_by(fit), logLik(fit), if (i %% 5 == 0) confint(fit), quantile(fit, c(0.01, 0.5)), residuals(fit),
           simulate(fit, 1, seed = 1))
    })
    if (i %% 4 == 0) {
      low <- floor(y)
      take("fits", 1, said_by(stableFit(low, censored = low + 1)))
      z <- data.frame(y = y, a = stats::rnorm(length(y)), b = rep_len(c("u", "v", "w"), length(y)))
      take("regressions", 1, {
        fit <- stableReg(y ~ a + b, z, fixed = if (i %% 8) list() else list(beta = 0))
        list(said_by(fit), fit$shape, logLik(fit), predict(fit, z[1:3, ]), residuals(fit), summary(fit)$coefficients,
             confint(fit), if (i %% 40 == 0) confint(fit, method = "profile"))
      })
    }
    if (i %% 20 == 0) {
      take("fits", 1, stableTest(stableFit(y), nsim = 9))
      take("fits", 1, {
        batch <- stableFit(matrix(rstable(400, 1.6, 0.2), 100), method)
        list(said_by(batch), confint(batch), quantile(batch, 0.01, interval = TRUE))
      })
      take("fits", 1, anova(stableFit(y), stableFit(y, fixed = list(beta = 0))))
      take("fits", 1, as.data.frame(profile(stableFit(y))))
      take("fits", 1, said_by(stableRoll(y, length(y) %/% 2, length(y) %/% 8, method = method)))
    }
  }
}

# What a fit tells.
told <- function(fit, new)
  list(coef(fit, "all"), vcov(fit, "all"), logLik(fit), fit$iterations, predict(fit, new, se.fit = TRUE),
       residuals(fit), summary(fit)$coefficients)

processes <- function(take, n) {
  models <- list("matern", "exponential", "spherical", "wendland", "cauchy", "powexp", "gaussian", "cubic",
                 covModel("exponential", range = NA, angle = NA, ratio = NA, nugget = NA),
                 covModel("matern", smoothness = NA, scales = c(NA, NA), nugget = NA),
                 covModel("exponential", range = NA) + covModel("gaussian", range = NA, nugget = NA))
  unknown <- covModel("exponential", range = NA)
  both <- covModel("separable", space = unknown, time = unknown, nugget = NA)
  for (i in seq_len(ceiling(n / 1e4))) {
    set.seed(i)
    d <- data.frame(x = stats::runif(60), y = stats::runif(60), t = stats::runif(60), u = stats::rnorm(60))
    d$z <- 1 + d$u / 2 + as.vector(stats::simulate(covModel("matern", 0.2, smoothness = 1, nugget = 0.1), 1, seed = i,
                                                   x = as.matrix(d[1:2])))
    d$k <- stats::rpois(60, exp(d$z / 3))
    model <- models[[(i - 1) %% length(models) + 1]]
    new <- d[1:5, ]
    family <- "Gaussian processes"
    take(family, 1, told(gpFit(z ~ u, d, coords = ~ x + y, cov = model, estimator = "ML"), new))
    take(family, 1, told(gpFit(z ~ u, d, coords = ~ x + y, cov = model, estimator = "REML"), new))
    take(family, 1, told(gpFit(z ~ u, d, coords = ~ x + y, cov = model, method = "vecchia", m = 15), new))
    take(family, 1, told(gpFit(z ~ u, d, coords = ~ x + y + t, cov = both), new))
    take(family, 1, told(gpFit(k ~ u, d, coords = ~ x + y, cov = "exponential", family = stats::poisson()), new))
    take(family, 1, told(gpFit(k + 1 ~ u, d, coords = ~ x + y, cov = "exponential", family = stats::Gamma("log")),
                         new))
    take(family, 1, {
      one <- gpFit(z ~ u, d, coords = ~ x + y, cov = "exponential")
      list(confint(one), anova(one, update(one, . ~ 1)), stats::simulate(one, 1, seed = 1, newdata = new),
           gpCV(one), gpLoglik(one$cov, as.matrix(d[1:2]), d$z, gradient = TRUE))
    })
  }
}

integrals <- function(take, n) {
  integrands <- list(
    ~ dnorm(x) * plogis(a + b * x), ~ dstable(x, 1.5, 0.3) * exp(-b^2 * x^2), ~ besselKgpu(abs(a) + x^2, 0.7),
    ~ dpoisgpu(3, exp(a + x / 2)) * dnorm(x), ~ exp(-a * x^2) * cos(b * x), ~ c(1, x, x^2) * dnorm(x, a, abs(b)),
    ~ log(abs(x)) * dnorm(x - b), ~ qpoisgpu(plogis(x), abs(a)) * dnorm(x), ~ pstable(a + x, 1.3, -0.5) / (1 + x^2))
  limits <- list(c(-Inf, Inf), c(0, 1), c(0, Inf), c(-2, 3))
  m <- ceiling(n / length(integrands) / length(limits))
  for (f in integrands) for (ends in limits) {
    set.seed(length(f))
    params <- data.frame(a = hostile(stats::rnorm(m)), b = hostile(stats::rnorm(m)))
    take("integrals", m, integrategpu(f, ends[1], ends[2], params = params))
    few <- utils::head(params, 50)
    take("integrals", 50, integrategpu(f, ends[1], ends[2], params = few, rel.tol = 1e-4, min.panels = 3,
                                       breaks = c(-0.3, 0.7)))
    if (all(is.finite(ends))) for (method in c("caq", "pbcaq", "pbcaqg"))
      take("integrals", 4, integrategpu(f, ends[1], ends[2], params = few[1:4, ], method = method, abs.tol = 1e-7,
                                        subdivisions = 500))
  }
}

work <- function(library, n, tests, answer) {
  suppressPackageStartupMessages(library("statcl", lib.loc = library, character.only = TRUE))
  r <- recorder()
  reference(r$take, file.path(tests, "ref"))
  stable_vectors(r$take, n)
  odd_calls(r$take, ceiling(n / 500))
  bessel_vectors(r$take, n)
  poisson_vectors(r$take, n)
  covariances(r$take, n)
  fields(r$take, n)
  fits(r$take, n)
  processes(r$take, n)
  integrals(r$take, n)
  saveRDS(list(rows = r$rows(), level = clSitrep()$level, used = useDevice(),
               exports = getNamespaceExports("statcl")), answer, compress = FALSE)
}

# ---- the comparison ------------------------------------------------------------------------------------------------

# Of two objects: how many values, how many differ, and the largest relative difference of numbers. Attributes count;
# environments do not, nor does the byte code of functions.
compare <- function(a, b) {
  if (is.environment(a) && is.environment(b)) return(c(0, 0, 0))
  if (is.function(a) && is.function(b)) return(compare(deparse(a), deparse(b)))
  if (is.language(a) && is.language(b)) return(compare(deparse(a), deparse(b)))
  own <- compare_values(a, b)
  if (is.null(attributes(a)) && is.null(attributes(b))) return(own)
  tags <- sort(union(names(attributes(a)), names(attributes(b))))
  for (tag in tags) own <- joined(own, compare(attr(a, tag, exact = TRUE), attr(b, tag, exact = TRUE)) * c(0, 1, 1))
  own
}

compare_values <- function(a, b) {
  n <- max(length(a), length(b))
  if (typeof(a) != typeof(b) || length(a) != length(b)) return(c(n, max(n, 1), Inf))
  if (is.list(a)) {
    total <- c(0, 0, 0)
    a <- unclass(a)
    b <- unclass(b)
    for (i in seq_along(a)) total <- joined(total, compare(a[[i]], b[[i]]))
    return(total)
  }
  a <- as.vector(unclass(a))
  b <- as.vector(unclass(b))
  if (is.complex(a)) return(joined(compare_values(Re(a), Re(b)), compare_values(Im(a), Im(b))))
  if (!is.double(a)) {
    same <- if (is.atomic(a)) is.na(a) == is.na(b) & (is.na(a) | a == b) else identical(a, b)
    return(c(n, sum(!same), if (all(same)) 0 else Inf))
  }
  if (identical(a, b, num.eq = FALSE, single.NA = FALSE)) return(c(n, 0, 0)) # that is, bit by bit
  bits <- function(x) matrix(writeBin(x, raw()), 8L)
  off <- which(colSums(bits(a) != bits(b)) > 0)
  distance <- abs(a[off] - b[off]) / pmax(abs(a[off]), abs(b[off]))
  distance[a[off] == 0 & b[off] == 0] <- 0
  distance[is.na(distance)] <- Inf # NA, NaN and infinite values
  c(n, length(off), max(distance, 0))
}

joined <- function(one, other) c(one[1:2] + other[1:2], max(one[3], other[3]))

start <- function(given, n, tests) {
  given <- strsplit(given, ",", fixed = TRUE)[[1]]
  if (!dir.exists(file.path(given[1], "statcl"))) stop("no package statcl in ", given[1], call. = FALSE)
  defaults <- c("STATCL_THREADS=1", "STATCL_DEVICE=cpu")
  set <- nzchar(Sys.getenv(sub("=.*", "", defaults)))
  variables <- c(defaults[!set], given[-1], "R_TESTS=")
  answer <- tempfile(fileext = ".rds")
  log <- tempfile(fileext = ".log")
  library <- normalizePath(given[1])
  command <- paste(c("env", shQuote(variables), shQuote(file.path(R.home("bin"), "Rscript")), "--vanilla",
                     shQuote(c(this_script(), "--work", library, n, tests, answer))), collapse = " ")
  list(answer = answer, log = log, command = paste(command, ">", shQuote(log), "2>&1"), library = library)
}

this_script <- function() normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]))

main <- function(given) {
  if (!length(given) %in% 2:3)
    stop("usage: Rscript tools/compare-versions.R <library A> <library B> [argument sets per family]", call. = FALSE)
  n <- if (length(given) > 2) as.numeric(given[3]) else 1e5
  tests <- normalizePath(file.path(dirname(this_script()), "..", "tests", "testthat"))
  workers <- lapply(given[1:2], start, n, tests)
  system(paste0("{ ", workers[[1]]$command, "; } & ", workers[[2]]$command, "; wait"))
  found <- lapply(workers, function(w) {
    if (!file.exists(w$answer)) stop("the process of ", w$library, " gave no answer:\n",
                                     paste(utils::tail(readLines(w$log), 20), collapse = "\n"), call. = FALSE)
    readRDS(w$answer)
  })
  unlink(vapply(workers, `[[`, "", "answer"))
  for (k in 1:2) cat(sprintf("%s: %s, devices %s\n", LETTERS[k], given[k], toString(found[[k]]$used)),
                     sprintf("   level of the CPU backend: %s\n", found[[k]]$level), sep = "")
  a <- found[[1]]$rows
  b <- found[[2]]$rows
  if (length(a) != length(b)) stop("the processes made different calls", call. = FALSE)
  figures <- t(vapply(seq_along(a), function(i)
    joined(compare(a[[i]]$value, b[[i]]$value),
           compare(a[[i]][c("said", "draws")], b[[i]][c("said", "draws")]) * c(0, 1, 1)), numeric(3)))
  family <- factor(vapply(a, `[[`, "", "family"), unique(vapply(a, `[[`, "", "family")))
  sums <- function(v) as.vector(tapply(v, family, sum))
  calls <- vapply(a, `[[`, 1, "calls")
  failed <- vapply(a, function(row) is.character(row$value) && identical(row$value[1], "error"), NA)
  table <- data.frame(family = levels(family), calls = sums(calls), values = sums(figures[, 1]),
                      errors = sums(failed), differing = sums(figures[, 2]),
                      largest = as.vector(tapply(figures[, 3], family, max)))
  table[nrow(table) + 1L, ] <- list("all", sum(calls), sum(figures[, 1]), sum(failed), sum(figures[, 2]),
                                    max(figures[, 3]))
  names(table)[5:6] <- c("differing", "largest relative difference")
  print(format(table, digits = 2, big.mark = ""), row.names = FALSE)
  worse <- which(figures[, 2] > 0)
  for (i in utils::head(worse[order(-figures[worse, 3])], 10))
    cat(sprintf("%s: %g of %g values differ, by %.2g: %s\n", a[[i]]$family, figures[i, 2], figures[i, 1],
                figures[i, 3], substr(a[[i]]$label, 1, 80)))
  called <- all.names(parse(this_script()), unique = TRUE)
  idle <- setdiff(found[[1]]$exports, c(called, "withDevice", "clDevices", "clProfile", "clSitrep"))
  if (length(idle)) cat("not called:", idle, "\n")
  cat(if (length(worse)) "The versions differ.\n" else "The versions are identical to the bit.\n")
  quit("no", status = length(worse) > 0)
}

given <- commandArgs(TRUE)
if (identical(given[1], "--work"))
  work(given[2], as.numeric(given[3]), given[4], given[5]) else main(given)

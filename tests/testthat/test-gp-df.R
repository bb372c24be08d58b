# Tests of the coefficients of gpFit() where covariance parameters are estimates: Kenward and Roger (1997).

# Locations, covariates and a field with nugget, of correlation 0.05 at a third of the square.
small_world <- function(seed, n = 40, model = covModel("matern", range = 0.1, smoothness = 0.7, nugget = 0.2)) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), u = rnorm(n), g = gl(3, 1, n))
  d$z <- 1 + d$u * (seed %% 2) + drop(crossprod(chol(covariance(model, as.matrix(d[1:2]))), rnorm(n)))
  d
}
columns <- c("Estimate", "Std. Error", "df", "t value", "Pr(>|t|)")

# By matrices alone, from the estimates of a fit by "REML": derivatives are differences of covariance().
by_matrices <- function(fit, used) {
  at <- function(v) {
    model <- do.call(update, c(list(fit$cov), as.list(v)))
    covariance(model, fit$x)
  }
  v <- coef(fit, "covariance")[used]
  S <- solve(at(v))
  slopes <- lapply(used, function(name) {
    h <- 1e-3 * v[[name]] # five points: errors of h^4 = 1e-12 and of rounding, 1e-16 / 1e-3
    by <- function(k) at(replace(v, name, v[[name]] + k * h))
    (8 * (by(1) - by(-1)) - (by(2) - by(-2))) / (12 * h)
  })
  X <- fit$X
  Phi <- solve(t(X) %*% S %*% X)
  P <- S - S %*% X %*% Phi %*% t(X) %*% S
  k <- length(used)
  W <- matrix(0, k, k)
  for (i in seq_len(k)) for (j in seq_len(k)) W[i, j] <- sum(diag(P %*% slopes[[i]] %*% P %*% slopes[[j]])) / 2
  W <- solve(W)
  A <- 0
  for (i in seq_len(k)) for (j in seq_len(k)) A <- A + W[i, j] *
    (t(X) %*% S %*% slopes[[i]] %*% S %*% slopes[[j]] %*% S %*% X -
       t(X) %*% S %*% slopes[[i]] %*% S %*% X %*% Phi %*% t(X) %*% S %*% slopes[[j]] %*% S %*% X)
  moved <- lapply(slopes, function(s) Phi %*% t(X) %*% S %*% s %*% S %*% X %*% Phi)
  df <- function(l) {
    g <- vapply(moved, function(m) sum(l * (m %*% l)), 0)
    2 * sum(l * (Phi %*% l))^2 / sum(g * (W %*% g))
  }
  list(plain = Phi, vcov = Phi + 2 * Phi %*% A %*% Phi, df = df)
}

test_that("standard errors and degrees of freedom are those of the formulas by matrices", {
  models <- list(covModel("exponential", range = NA, variance = NA, nugget = NA),
                 covModel("matern", range = NA, smoothness = 1.5, variance = NA, nugget = NA),
                 covModel("powexp", range = NA, shape = NA, variance = NA, nugget = 0.2))
  for (i in seq_along(models)) {
    d <- small_world(10 + i)
    fixed <- list(list(), list(smoothness = 1.5), list(nugget = 0.2))[[i]]
    fit <- gpFit(z ~ u + g, d, ~ x + y, models[[i]], fixed = fixed, estimator = "REML")
    # where a nugget of 0 lets the process go through all data, they are those of the maximum with penalties
    near <- if (fit$parameters["nugget", "boundary"] == "") fit
            else gpFit(z ~ u + g, d, ~ x + y, models[[i]], fixed = fixed, estimator = "REML", penalty = TRUE)
    p <- near$parameters[near$parameters$component == "covariance", ]
    used <- rownames(p)[!p$fixed & p$boundary == ""]
    expect_gt(length(used), 1)
    own <- by_matrices(near, used)
    # a search ends where no step promises 1e-9, which is 4e-5 standard errors from the maximum
    close <- if (identical(near, fit)) 1e-6 else 1e-4
    table <- coef(summary(fit))
    expect_identical(colnames(table), columns)
    expect_equal(table[, "Std. Error"], sqrt(diag(own$vcov)), tolerance = close)
    expect_equal(table[, "df"], apply(diag(4), 1, own$df), tolerance = close, ignore_attr = TRUE)
    expect_equal(table[, "t value"], coef(fit) / sqrt(diag(own$vcov)), tolerance = close)
    expect_equal(table[, "Pr(>|t|)"], 2 * pt(-abs(table[, "t value"]), table[, "df"]), tolerance = 1e-12)
    plain <- coef(summary(fit, ddf = "Satterthwaite"))
    expect_equal(plain[, "Std. Error"], sqrt(diag(own$plain)), tolerance = close)
    expect_identical(plain[, "df"], table[, "df"])
    expect_true(all(table[, "Std. Error"] > plain[, "Std. Error"]))
    # combinations of coefficients
    new <- data.frame(x = 0.5, y = 0.5, u = c(0, 2), g = factor(2:3, levels = 1:3))
    told <- predict(fit, new, se.fit = TRUE, interval = "confidence", level = 0.9)
    X <- model.matrix(fit, new)
    expect_equal(told$se.fit, sqrt(diag(X %*% own$vcov %*% t(X))), tolerance = close, ignore_attr = TRUE)
    expect_equal(told$upr - told$fit, told$se.fit * qt(0.95, apply(X, 1, own$df)), tolerance = close,
                 ignore_attr = TRUE)
  }
})

test_that("without correlation the tests are those of lm()", {
  d <- small_world(1)
  none <- covModel("exponential", range = 1, variance = 0, nugget = NA)
  normal <- lm(z ~ u + g, d)
  # the search for the nugget ends within 1e-6 or so
  same <- function(a, b) expect_equal(a, b, tolerance = 1e-5, ignore_attr = TRUE)
  for (estimator in c("ML", "REML")) {
    fit <- gpFit(z ~ u + g, d, ~ x + y, none, fixed = list(range = 1, variance = 0), estimator = estimator)
    table <- coef(summary(fit))
    same(table[, -3], coef(summary(normal)))
    same(table[, "df"], rep(36, 4))
    limits <- confint(fit, 1:4, level = 0.9)
    same(limits, confint(normal, level = 0.9))
    told <- as.data.frame(predict(fit, interval = "confidence", se.fit = TRUE))
    same(as.matrix(told[-2]), predict(normal, interval = "confidence"))
    same(told$se.fit, predict(normal, se.fit = TRUE)$se.fit)
    tests <- anova(fit)
    expect_named(tests, c("NumDF", "DenDF", "F value", "Pr(>F)"))
    of_lm <- drop1(normal, test = "F")[c("u", "g"), ]
    same(tests[c("u", "g"), "F value"], of_lm[["F value"]])
    same(tests[c("u", "g"), "Pr(>F)"], of_lm[["Pr(>F)"]])
    same(tests$DenDF, rep(36, 3))
  }
  # the process of a fit that finds no correlation has no part in them
  set.seed(5)
  d$z <- rnorm(40)
  fit <- gpFit(z ~ u, d, ~ x + y, "exponential", estimator = "REML")
  if (coef(fit, "covariance")[["variance"]] == 0) same(coef(summary(fit))[, -3], coef(summary(lm(z ~ u, d))))
})

test_that("fits by maximum likelihood have the errors of the restricted likelihood", {
  skip_if_quick()
  for (seed in 1:2) {
    d <- small_world(seed)
    fit <- gpFit(z ~ u + g, d, ~ x + y, "exponential")
    restricted <- update(fit, estimator = "REML")
    known <- c("Std. Error", "df")
    expect_equal(coef(summary(fit))[, known], coef(summary(restricted))[, known], tolerance = 1e-4)
    expect_identical(coef(summary(fit))[, "Estimate"], coef(fit))
    expect_identical(vcov(fit), fit$vcov[1:4, 1:4])
    penalised <- update(fit, penalty = TRUE)
    own <- coef(summary(penalised))[, known]
    other <- coef(summary(update(penalised, estimator = "REML")))[, known]
    expect_equal(own[, 1], other[, 1], tolerance = 1e-4)
    expect_equal(own[-1, 2], other[-1, 2], tolerance = 1e-4)
    # the mean's come from points of the posterior distribution, which begin next to the estimates
    expect_equal(own[1, 2], other[1, 2], tolerance = 0.1)
  }
})

test_that("tables, limits and tidy frames say the same, and \"none\" and \"wald\" are normal", {
  d <- small_world(4)
  fit <- gpFit(z ~ u + g + I(2 * u), d, ~ x + y, "exponential", estimator = "REML")
  table <- coef(summary(fit))
  expect_identical(rownames(table), c("(Intercept)", "u", "g2", "g3"))
  expect_output(print(summary(fit)), "Estimate +Std. Error +df +t value +Pr")
  limits <- confint(fit, level = 0.9, method = "transformed")
  expect_equal(limits[rownames(table), 2], table[, 1] + qt(0.95, table[, "df"]) * table[, 2], tolerance = 1e-12)
  expect_true(is.na(limits["I(2 * u)", 1]))
  expect_identical(confint(fit, "range", level = 0.9, method = "transformed"), limits["range", , drop = FALSE])
  normal <- coef(summary(fit, ddf = "none"))
  expect_identical(colnames(normal), c("Estimate", "Std. Error", "z value", "Pr(>|z|)"))
  expect_equal(normal[, 2], sqrt(diag(vcov(fit, complete = FALSE))))
  expect_equal(confint(fit, 1:4, method = "wald")[, 2], normal[, 1] + qnorm(0.975) * normal[, 2], tolerance = 1e-12)
  tidied <- statcl:::tidy.statclFit(fit, conf.int = TRUE, conf.level = 0.9, conf.method = "transformed")
  expect_named(tidied, c("term", "component", "estimate", "std.error", "statistic", "df", "p.value", "conf.low",
                         "conf.high"))
  own <- match(rownames(table), tidied$term)
  expect_equal(as.matrix(tidied[own, c(3, 4, 6, 5, 7)]), table, ignore_attr = TRUE)
  expect_equal(tidied$conf.high, limits[, 2], ignore_attr = TRUE)
  expect_true(all(is.na(tidied$df[tidied$component == "covariance"])))
  expect_equal(tidied$std.error[tidied$term == "range"], fit$parameters["range", "std.error"])
  expect_error(summary(fit, ddf = "KR"), "ddf", class = "statcl_error_input")
  # one coefficient, and a test of it
  expect_equal(anova(fit)["u", "F value"], table["u", "t value"]^2)
  expect_equal(anova(fit)["u", "DenDF"], table["u", "df"])
})

test_that("where nothing is estimated, or nobody knows its error, tests are normal or those of lm()", {
  d <- small_world(2)
  known <- gpFit(z ~ u, d, ~ x + y, covModel("exponential", range = 0.1, nugget = 0.2), fixed = TRUE)
  table <- coef(summary(known))
  expect_identical(colnames(table)[3], "z value")
  expect_equal(table[, 2], sqrt(diag(vcov(known))))
  expect_named(anova(known), c("Df", "Chisq", "Pr(>Chisq)"))
  expect_equal(confint(known)["u", 2], coef(known)[["u"]] + qnorm(0.975) * table["u", 2])
  # variance and nugget of independent observations are not told apart
  apart <- gpFit(z ~ u, d, ~ x + y, covModel("exponential", range = 1e-9, variance = NA, nugget = NA),
                 fixed = list(range = 1e-9), estimator = "REML")
  expect_equal(coef(summary(apart))[, -3], coef(summary(lm(z ~ u, d))), tolerance = 1e-4)
  expect_equal(coef(summary(apart))[, "df"], c("(Intercept)" = 38, u = 38))
  none <- gpFit(z ~ 0, d, ~ x + y, "exponential")
  expect_identical(nrow(coef(summary(none))), 0L)
})

test_that("the likelihood by LAPACK, known errors and other parameters give the same formulas", {
  d <- small_world(3)
  fit <- gpFit(z ~ u, d, ~ x + y, "exponential", estimator = "REML")
  own <- coef(summary(fit))
  old <- options(statcl.blas = "R")
  on.exit(options(old))
  at <- statcl:::kenward_roger(fit)
  options(old)
  expect_equal(sqrt(diag(at$plain + at$added)), own[, 2], tolerance = 1e-9, ignore_attr = TRUE)
  # derivatives of the covariance matrix by differences, also where the model has several parts and errors are known
  d$w <- runif(40)
  sum <- covModel("exponential", range = NA, variance = NA) + covModel("gaussian", range = NA, variance = NA,
                                                                       nugget = NA)
  turned <- covModel("matern", range = NA, variance = NA, smoothness = NA, nugget = NA, angle = NA, ratio = NA)
  for (model in list(sum, turned)) {
    names <- statcl:::cov_parameters(statcl:::model_parts(model))
    v <- c(range = 0.1, variance = 1.1, nugget = 0.2, smoothness = 0.8, angle = 30, ratio = 0.6)[names$base]
    given <- statcl:::set_parameters(model, v, names)
    lik <- statcl:::likelihood_of(gpFit(z ~ u, d, ~ x + y, given, fixed = TRUE, error.variance = w))
    c <- lik$coefficients(v, names$name)
    for (i in seq_along(v)) {
      h <- 1e-4 * abs(v[i])
      by <- function(side) lik$coefficients(replace(v, i, v[i] + side * h), character())$vcov
      expect_equal(c$slopes[[i]], (by(1) - by(-1)) / (2 * h), tolerance = 1e-5)
    }
  }
})

test_that("Vecchia's approximation has the same, and for many data the restricted maximum is one step away", {
  skip_if_quick()
  d <- small_world(7, 60)
  model <- covModel("matern", range = NA, variance = NA, smoothness = NA, nugget = NA)
  v <- c(variance = 1.1, range = 0.1, smoothness = 0.8, angle = 0, ratio = 1, nugget = 0.2)
  at <- function(kind, ...) {
    rows <- statcl:::cov_parameters(statcl:::model_parts(model))
    v <- v[match(rows$name, names(v))]
    fit <- gpFit(z ~ u + g + I(u + 1), d, ~ x + y, statcl:::set_parameters(model, v, rows), fixed = TRUE,
                 method = kind, ...)
    lik <- statcl:::likelihood_of(fit)
    list(lik = lik, v = v, c = lik$coefficients(v, c("variance", "range", "nugget")))
  }
  exact <- at("exact")
  vecchia <- at("vecchia", m = 59)
  expect_equal(vecchia$c$vcov, exact$c$vcov, tolerance = 1e-9)
  expect_equal(vecchia$c$slopes, exact$c$slopes, tolerance = 1e-8)
  vecchia$lik$close()
  near <- gpFit(z ~ u + g, d, ~ x + y, "exponential", method = "vecchia", m = 20, estimator = "REML")
  table <- coef(summary(near))
  expect_identical(colnames(table), columns)
  expect_identical(table, coef(summary(near, ddf = "Satterthwaite")))
  # one variance v of which 2 v^2 / n is that of the estimate: with the score p / (2 v) the step is v p / n
  most <- statcl:::most_exact_fit
  on.exit(utils::assignInNamespace("most_exact_fit", most, "statcl"))
  utils::assignInNamespace("most_exact_fit", 10, "statcl")
  none <- gpFit(z ~ u, d, ~ x + y, covModel("exponential", range = 1, variance = 0, nugget = NA),
                fixed = list(range = 1, variance = 0))
  expect_equal(coef(summary(none))[, 2], sqrt((1 + 2 / 60) * diag(vcov(none))), tolerance = 1e-9)
  expect_equal(coef(summary(none))[, 3], rep(60, 2), tolerance = 1e-9, ignore_attr = TRUE)
})

test_that("mixed models of package lme4 have the same tests by package pbkrtest", {
  skip_if_not_installed("lme4")
  skip_if_not_installed("pbkrtest")
  for (seed in 1:2) {
    set.seed(seed)
    d <- data.frame(id = sample(8, 40, TRUE), u = rnorm(40), g = gl(3, 1, 40))
    d$w <- rnorm(8)[d$id]
    d$z <- 1 + rnorm(8)[d$id] + rnorm(40)
    d$x <- 100 * d$id
    mixed <- lme4::lmer(z ~ u + w + g + (1 | id), d)
    fit <- gpFit(z ~ u + w + g, d, ~ x, covModel("spherical", range = 1, variance = NA, nugget = NA),
                 fixed = list(range = 1), estimator = "REML")
    table <- coef(summary(fit))
    # the searches end within 1e-5 or so of the maximum
    expect_equal(table[, 2], sqrt(diag(as.matrix(pbkrtest::vcovAdj(mixed)))), tolerance = 1e-4)
    expect_equal(table[, 3], apply(diag(5), 1, pbkrtest::Lb_ddf, V0 = vcov(mixed), Vadj = pbkrtest::vcovAdj(mixed)),
                 tolerance = 1e-4, ignore_attr = TRUE)
    both <- pbkrtest::KRmodcomp(mixed, rbind(c(0, 0, 0, 1, 0), c(0, 0, 0, 0, 1)))$test["Ftest", ]
    expect_equal(unlist(anova(fit)["g", ]), unlist(both[c("ndf", "ddf", "stat", "p.value")]), tolerance = 1e-4,
                 ignore_attr = TRUE)
  }
})

test_that("tools for means, tables and predictions take these errors and degrees of freedom", {
  d <- small_world(6)
  fit <- gpFit(z ~ u + g, d, ~ x + y, "exponential")
  table <- coef(summary(fit))
  if (requireNamespace("emmeans", quietly = TRUE)) {
    slope <- suppressMessages(as.data.frame(emmeans::emtrends(fit, ~ 1, "u")))
    expect_equal(slope$SE, table["u", 2])
    expect_equal(slope$df, table["u", "df"])
    means <- suppressMessages(as.data.frame(emmeans::emmeans(fit, ~ g)))
    new <- data.frame(x = 0, y = 0, u = mean(d$u), g = factor(1:3))
    expect_equal(means$upper.CL, predict(fit, new, interval = "confidence")$upr)
  }
  if (requireNamespace("parameters", quietly = TRUE)) {
    a <- parameters::model_parameters(fit)
    expect_equal(a$t, table[, "t value"], ignore_attr = TRUE)
    expect_equal(a$df_error, table[, "df"], ignore_attr = TRUE)
    expect_equal(a$CI_high, confint(fit, 1:4, method = "transformed")[, 2], ignore_attr = TRUE)
  }
  skip_if_not_installed("insight")
  told <- as.data.frame(insight::get_predicted(fit, data = d[1:3, ], ci = 0.9))
  expect_equal(told$CI_high, predict(fit, d[1:3, ], interval = "confidence", level = 0.9)$upr, ignore_attr = TRUE)
  expect_equal(insight::get_df(fit, type = "satterthwaite"), table[, "df"], ignore_attr = TRUE)
})

test_that("degrees of freedom that the curvature does not tell are those of the posterior distribution", {
  d <- small_world(2, 50, covModel("exponential", range = 2, nugget = 0.01)) # longer than the region
  fit <- gpFit(z ~ 1, d, ~ x + y, "exponential")
  set.seed(1)
  drawn <- posterior(fit, 400)
  variance <- apply(as.matrix(drawn[c("variance", "range", "nugget")]), 1, function(v) {
    S <- covariance(do.call(update, c(list(fit$cov), as.list(v))), fit$x)
    1 / sum(solve(S, rep(1, nrow(S))))
  })
  df <- coef(summary(fit))[, "df"]
  # the logarithm of a chi-squared variable has the variance trigamma(df / 2); that of 400 draws has a relative
  # standard error of 0.1 or less for tails up to twice those of the normal distribution, that of 100 points 0.2
  expect_lt(abs(log(trigamma(df / 2)) - log(var(log(variance)))), 0.6)
  expect_gt(df, 2)
  expect_equal(confint(fit, 1)[1, ], coef(fit)[[1]] + qt(c(0.025, 0.975), df) * coef(summary(fit))[, 2],
               ignore_attr = TRUE)
  # the matrices at the points serve all combinations of the coefficients
  keys <- function() lapply(statcl:::session$remembered, `[[`, "key")
  before <- keys()
  errors <- statcl:::coefficient_errors(fit)
  expect_equal(vapply(1:20, function(by) errors$df(matrix(by)), 0), rep(df, 20))
  expect_identical(keys(), before)
  # where there is no posterior distribution, or no variance, the curvature serves
  expect_null(statcl:::matrices_of_points(replace(fit, "y", list(1e200 * fit$y))))
  for (none in list(NULL, list(matrix(1), matrix(-1)))) {
    errors$of_points <- function() none
    expect_gte(statcl:::satterthwaite_df(errors, matrix(1)), 1)
  }
})

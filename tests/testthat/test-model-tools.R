# Fits in R's tools for models. A process whose variance is 0 makes a fit that of lm() or glm(), and so must be what
# tools say of it; each test is for one package and skips where that is not there.

tool_data <- function(n = 80) {
  set.seed(1)
  d <- data.frame(x = runif(n), y = runif(n), u = rnorm(n), g = gl(4, 1, n), w = runif(n))
  d$z <- 1 + d$u + as.numeric(d$g) + rnorm(n)
  d$counts <- rpois(n, exp(1 + 0.3 * d$u + 0.2 * as.numeric(d$g)))
  d$yes <- rbinom(n, 5, plogis(0.3 * d$u))
  d$no <- 5L - d$yes
  d$amounts <- rgamma(n, 3, 3 / exp(0.5 * d$u))
  d
}
d <- tool_data()
none <- covModel("exponential", range = 1, variance = 0, nugget = NA)
alone <- list(range = 1, variance = 0)
# Calls of gpFit() with these arguments besides, where the test is: tools look for the data by their name.
as_lm <- function(...) eval.parent(more_of(match.call(), quote(gpFit(data = d, coords = ~ x + y, cov = none,
                                                                    fixed = alone, estimator = "REML"))))
as_glm <- function(...) eval.parent(more_of(match.call(), quote(gpFit(
  data = d, coords = ~ x + y, cov = covModel("exponential", range = 1, variance = 0), fixed = alone))))
more_of <- function(call, default) {
  given <- as.list(call)[-1]
  names(given)[1] <- "formula"
  as.call(utils::modifyList(as.list(default), given))
}
fit <- as_lm(z ~ u * g)
normal <- lm(z ~ u * g, d)
normal_stable <- stableReg(z ~ u + g, d, fixed = list(alpha = 2))
spatial <- gpFit(z ~ u + g, d, ~ x + y, covModel("exponential", range = 0.1, variance = 0.5, nugget = 0.3),
                 fixed = TRUE)
sample <- stableFit(diff(log(datasets::EuStockMarkets[1:300, 1])))

# The search for the nugget ends within 1e-6 or so. The weights of glm() are those of its last step but one, of which
# the square is below 1e-8.
expect_same <- function(a, b, tolerance = 1e-5, ...)
  expect_equal(a, b, tolerance = tolerance, ignore_attr = TRUE, ...)
expect_glm <- function(a, b) expect_same(a, b, 2e-4)
columns <- function(x, ...) as.data.frame(x)[c(...)]
refused <- function(expr, text) expect_error(expr, text, class = "statcl_error_input", fixed = TRUE)

test_that("functions of stats say what they say of lm() and glm()", {
  expect_identical(variable.names(fit), variable.names(normal))
  expect_identical(case.names(fit), case.names(normal))
  expect_identical(labels(fit), labels(normal))
  expect_same(dummy.coef(fit), dummy.coef(normal))
  expect_identical(dummy.coef(normal_stable)$g[[1]], 0)
  expect_identical(stats::family(fit)[1:2], stats::family(normal)[1:2])
  expect_equal(stats::family(normal_stable)$variance(1:2), rep(2 * sigma(normal_stable)^2, 2))
  heavy <- stableReg(z ~ u, d, fixed = list(alpha = 1.5))
  expect_identical(stats::family(heavy)$variance(1:2), c(Inf, Inf))
  expect_identical(stats::family(sample)$family, "stable")
  expect_identical(df.residual(fit), df.residual(normal))
  expect_same(sigma(fit), sigma(normal))
  expect_same(vcov(fit), vcov(normal))
  new <- data.frame(u = 1:2, g = factor(c(2, 4), levels = 1:4), z = 0)
  expect_same(model.matrix(fit, new), model.matrix(terms(normal), new))
  expect_same(model.matrix(normal_stable, new), model.matrix(z ~ u + g, new))
  expect_identical(names(model.frame(fit, new)), c("z", "u", "g"))
  missing <- replace(d, "u", list(replace(d$u, 3, NA)))
  expect_identical(case.names(as_lm(z ~ u, missing, na.action = na.exclude)),
                   case.names(lm(z ~ u, missing, na.action = na.exclude)))
  aliased <- as_lm(z ~ u + I(2 * u))
  expect_identical(variable.names(aliased), c("(Intercept)", "u"))
  expect_identical(variable.names(aliased, full = TRUE), c("(Intercept)", "u", "I(2 * u)"))
  weighted <- stableReg(z ~ u, d, weights = rep(0:1, c(2, 78)))
  expect_identical(case.names(weighted), as.character(3:80))
  expect_identical(case.names(weighted, full = TRUE), as.character(1:80))
  refused(labels(sample), "a fit by stableFit() has no formula")
})

test_that("all fits have degrees of freedom and a deviance, and say what they cannot do", {
  line <- stableReg(z ~ u + g, d, weights = rep(1:2, 40))
  expect_identical(df.residual(line), 115)
  expect_identical(line$df.residual, 115)
  expect_identical(df.residual(sample), sample$nobs - 4L)
  batch <- stableFit(list(a = sample$x[1:100], b = sample$x[101:250]))
  expect_identical(df.residual(batch), c(a = 96L, b = 146L))
  for (one in list(fit, line, sample, batch)) expect_equal(deviance(one), -2 * one$loglik)
  expect_equal(coef(summary(batch))[, , "alpha"],
               cbind(Estimate = coef(batch)[, "alpha"], "Std. Error" = sqrt(vcov(batch)["alpha", "alpha", ])))
  for (ask in list(terms, formula, model.frame, model.matrix, drop1)) refused(ask(sample), "has no formula")
  refused(predict(sample, d), "quantile(), mean() and median() tell of its distribution")
  refused(quantile(fit), "predict() gives their limits or quantiles")
  refused(quantile(line), "predict() gives their limits or quantiles")
  limits <- profile(line, c("u", "alpha"))
  expect_identical(confint(limits), confint(line, c("u", "alpha"), method = "profile"))
  expect_identical(confint(limits, "alpha", 0.8), confint(line, "alpha", 0.8, method = "profile"))
  refused(confint(limits, "g2"), "must name parameters of the fit")
  expect_identical(gpCV(spatial, seed = 3), gpCV(spatial, seed = 3))
  set.seed(3)
  expect_identical(gpCV(spatial, "block")$fold, gpCV(spatial, "block", seed = 3)$fold)
})

test_that("weights are prior ones, or those of kriging", {
  expect_null(weights(spatial))
  dual <- weights(spatial, "kriging")
  expect_named(dual, rownames(d))
  new <- data.frame(x = 0.5, y = 0.4, u = 2, g = factor(3, levels = 1:4))
  cross <- covariance(update(spatial$cov, nugget = 0), as.matrix(new[1:2]), as.matrix(d[c("x", "y")]))
  expect_equal(predict(spatial, new)$fit, sum(model.matrix(spatial, new) * coef(spatial)) + sum(cross * dual),
               tolerance = 1e-10)
  refused(weights(update(spatial, method = "vecchia"), "kriging"), "method = \"exact\"")
  binomial <- as_glm(cbind(yes, no) ~ u, family = stats::binomial())
  expect_identical(stats::family(binomial)[1:2], stats::binomial()[1:2])
  expect_same(weights(binomial), rep(5, 80))
  expect_null(weights(as_glm((yes > 2) ~ u, family = stats::binomial())))
  refused(weights(binomial, "kriging"), "normal responses")
})

test_that("terms are dropped, added and chosen as of lm() and glm()", {
  full <- gpFit(z ~ u * g, d, ~ x + y, none, fixed = alone)
  expect_same(drop1(full, test = "Chisq")[["Pr(>Chi)"]][2], drop1(normal, test = "Chisq")[["Pr(>Chi)"]][2])
  expect_same(diff(add1(update(full, . ~ u), . ~ u + g)$AIC), diff(add1(lm(z ~ u, d), . ~ u + g)$AIC))
  expect_equal(formula(step(full, trace = 0)), formula(step(normal, trace = 0)), ignore_formula_env = TRUE)
  expect_equal(formula(step(stableReg(z ~ u * g, d, fixed = list(alpha = 2)), trace = 0)), z ~ u + g,
               ignore_formula_env = TRUE)
  refused(drop1(fit), "restricted likelihoods do not compare means")
  expect_equal(formula(step(as_glm(counts ~ u * g, family = poisson()), trace = 0)),
               formula(step(glm(counts ~ u * g, poisson, d), trace = 0)), ignore_formula_env = TRUE)
})

test_that("what is not fitted is an error that says what to do instead", {
  refused(gpFit(z ~ u * (1 + u || g), d, ~ x + y, none), "is a term of its own")
  refused(stableReg(z ~ u + (1 | g), d), "stableReg() does not fit")
  expect_s3_class(stableReg(z ~ I(u > 1 | u < -1), d), "stableReg")
  refused(gpFit(cbind(z, u) ~ 1, d, ~ x + y, none), "is of one variable")
  refused(stableReg(cbind(z, u) ~ 1, d), "fit each column on its own")
  other <- function(family) gpFit(counts ~ 1, d, ~ x + y, none, family = family)
  refused(gpFit(cbind(counts, yes) ~ 1, d, ~ x + y, none, family = poisson()), "fit each column on its own")
  refused(other(quasipoisson), "nbinom1() and nbinom2() are for overdispersed counts")
  refused(other(quasibinomial()), "betabinomial() is for overdispersed numbers of successes")
  refused(other(inverse.gaussian()), "inverse.gaussian(\"log\")")
  refused(other("weibull"), "Gamma(\"log\") and lognormal()")
  refused(other(gaussian("log")), "log(y) ~ x")
})

test_that("new data with other levels, or without a variable, are refused in the same words", {
  other <- data.frame(x = 0, y = 0, u = 1, g = "9")
  for (one in list(fit, normal_stable)) for (ask in list(predict, model.matrix)) {
    refused(ask(one, other), "newdata$g = 9: newdata$g has a level that the data of the fit do not have")
    refused(ask(one, other[-3]), "there is no u, newdata has the columns")
  }
  refused(model.frame(fit, cbind(other, z = 0)), "newdata$g = 9")
  refused(model.frame(normal_stable, cbind(other, z = 0)), "newdata$g = 9")
})

test_that("responses with units are taken in their unit, and what belongs to them is converted", {
  skip_if_not_installed("units")
  speed <- function(v, unit = "m/s") units::set_units(v, unit, mode = "standard")
  d$speed <- speed(d$z)
  d$km <- units::set_units(d$u, "km", mode = "standard")
  d$drift <- speed(3.6 * d$w, "km/h")
  d$error <- units::set_units(1e4 * d$w, "cm^2/s^2")
  a <- as_lm(speed ~ km, offset = drift, error.variance = error)
  b <- as_lm(z ~ u, offset = w, error.variance = w)
  for (part in c("coefficients", "fitted.values", "residuals", "loglik", "vcov"))
    expect_equal(a[[part]], b[[part]], tolerance = 1e-10, ignore_attr = TRUE)
  near <- as_lm(speed ~ km + I(km^2))
  new <- d[1:3, ]
  new$km <- units::set_units(new$km, "m")
  expect_equal(predict(near, new)$fit, predict(as_lm(z ~ u + I(u^2)), d[1:3, ])$fit, tolerance = 1e-10)
  expect_error(predict(near, transform(new, km = speed(u))), "newdata$km", fixed = TRUE, class = "statcl_error_input")
  reg <- stableReg(speed ~ km, d)
  expect_equal(coef(reg), coef(stableReg(z ~ u, d)), ignore_attr = TRUE)
  expect_equal(predict(reg, new), predict(stableReg(z ~ u, d), d[1:3, ]), ignore_attr = TRUE)
  expect_equal(predict(update(reg, model = FALSE), new), predict(reg, new))
  expect_equal(anova(reg)$LogLik, anova(stableReg(z ~ u, d))$LogLik)
  refused(as_lm(z ~ u, offset = drift), "offset must be without units")
  refused(as_lm(speed ~ u, error.variance = drift), "error.variance must have the unit of the data")
  d$rain <- units::set_units(d$amounts, "mm")
  expect_equal(coef(as_glm(rain ~ u, family = Gamma("log"))), coef(as_glm(amounts ~ u, family = Gamma("log"))))
})

test_that("emmeans has the means, contrasts and trends of lm() and glm()", {
  skip_if_not_installed("emmeans")
  quiet <- function(expr) suppressMessages(as.data.frame(expr))
  same <- function(a, b, ...) expect_same(quiet(emmeans::emmeans(a, ~ g, ...)), quiet(emmeans::emmeans(b, ~ g, ...)))
  same(fit, normal)
  expect_same(quiet(pairs(emmeans::emmeans(fit, ~ g))), quiet(pairs(emmeans::emmeans(normal, ~ g))))
  expect_same(quiet(emmeans::emtrends(fit, ~ g, "u")), quiet(emmeans::emtrends(normal, ~ g, "u")))
  expect_identical(quiet(emmeans::emmeans(normal_stable, ~ g))$df, rep(Inf, 4))
  same(as_lm(z ~ u + I(2 * u) + g), lm(z ~ u + I(2 * u) + g, d))
  few <- subset(transform(d, h = gl(2, 40)), !(g == "3" & h == "2")) # a cell without observations
  expect_same(quiet(emmeans::emmeans(as_lm(z ~ g * h, data = few), ~ g * h)),
              quiet(emmeans::emmeans(lm(z ~ g * h, few), ~ g * h)))
  same(as_lm(log(z + 9) ~ poly(u, 2) + log(w) + g), lm(log(z + 9) ~ poly(u, 2) + log(w) + g, d), type = "response")
  same(as_lm(z ~ u + g, offset = w), lm(z ~ u + g, d, offset = w))
  same(as_lm(z ~ g, contrasts = list(g = "contr.sum"), subset = w > 0.2),
       lm(z ~ g, d, w > 0.2, contrasts = list(g = "contr.sum")))
  expect_same(quiet(emmeans::emmeans(normal_stable, ~ g))$emmean,
              quiet(emmeans::emmeans(lm(z ~ u + g, d), ~ g))$emmean)
  expect_same(quiet(emmeans::emmeans(update(normal_stable, model = FALSE), ~ g)),
              quiet(emmeans::emmeans(normal_stable, ~ g)))
  expect_same(quiet(emmeans::emmeans(fit, ~ g, vcov. = 4 * vcov(fit)))$SE, 2 * quiet(emmeans::emmeans(fit, ~ g))$SE)
  utils::capture.output(expect_error(emmeans::emmeans(sample, ~ g)), type = "message")
  for (type in c("link", "response"))
    expect_glm(quiet(emmeans::emmeans(as_glm(counts ~ u * g, family = poisson()), ~ g, type = type)),
               quiet(emmeans::emmeans(glm(counts ~ u * g, poisson, d), ~ g, type = type)))
  expect_glm(quiet(emmeans::emmeans(as_glm(cbind(yes, no) ~ u * g, family = binomial()), ~ g, type = "response")),
             quiet(emmeans::emmeans(glm(cbind(yes, no) ~ u * g, binomial, d), ~ g, type = "response")))
  expect_same(quiet(emmeans::emmeans(as_glm(amounts ~ g, family = Gamma("log")), ~ g, type = "response"))$response,
              quiet(emmeans::emmeans(glm(amounts ~ g, Gamma("log"), d), ~ g, type = "response"))$response)
})

test_that("marginaleffects has the slopes, comparisons, predictions and hypotheses of lm() and glm()", {
  skip_if_not_installed("marginaleffects")
  skip_if(getRversion() < "4.4.0" && !exists("%||%"), "this marginaleffects needs R 4.4")
  library(marginaleffects)
  on.exit(detach("package:marginaleffects"))
  expect_true(all(c("gpFit", "stableReg") %in% getOption("marginaleffects_model_classes")))
  same <- function(a, b, expect = expect_same)
    expect(columns(a, "estimate", "std.error"), columns(b, "estimate", "std.error"))
  old <- options(marginaleffects_safe = FALSE)
  on.exit(options(old), add = TRUE)
  same(avg_slopes(fit), avg_slopes(normal))
  same(avg_predictions(fit, by = "g"), avg_predictions(normal, by = "g"))
  pairs <- list(g = "pairwise")
  same(avg_comparisons(fit, variables = pairs), avg_comparisons(normal, variables = pairs))
  same(predictions(fit, newdata = datagrid(g = unique)), predictions(normal, newdata = datagrid(g = unique)))
  same(hypotheses(fit, "b2 / b3 = 1"), hypotheses(normal, "b2 / b3 = 1"))
  expect_same(columns(avg_slopes(fit), "conf.low"), columns(avg_slopes(normal, df = Inf), "conf.low"))
  expect_same(columns(avg_slopes(normal_stable), "estimate"), columns(avg_slopes(lm(z ~ u + g, d)), "estimate"))
  expect_same(hypotheses(sample, "alpha = 1.5")$estimate, coef(sample)[["alpha"]] - 1.5)
  expect_same(hypotheses(sample, "alpha = 1.5")$std.error, sample$parameters$std.error[1])
  if (requireNamespace("sf", quietly = TRUE)) { # without columns of coordinates
    points <- sf::st_as_sf(d, coords = c("x", "y"))
    same(avg_slopes(gpFit(z ~ u * g, points, cov = none, fixed = alone, estimator = "REML")), avg_slopes(normal))
  }
  counts <- as_glm(counts ~ u * g, family = poisson())
  glm <- glm(counts ~ u * g, poisson, d)
  same(avg_slopes(counts), avg_slopes(glm), expect_glm)
  same(avg_predictions(counts, by = "g"), avg_predictions(glm, by = "g", type = "response"),
       expect_glm)
  same(predictions(counts, type = "link"), predictions(glm, type = "link"), expect_glm)
})

test_that("parameters has the table of lm()", {
  skip_if_not_installed("parameters")
  a <- parameters::model_parameters(fit)
  b <- parameters::model_parameters(normal)
  expect_same(columns(a, "Parameter", "Coefficient", "SE"), columns(b, "Parameter", "Coefficient", "SE"))
  expect_same(columns(a, "t", "df_error", "p"), columns(b, "t", "df_error", "p"))
  expect_same(a$CI_high, b$CI_high)
  expect_same(parameters::p_value(fit)$p, a$p)
  expect_same(parameters::ci(fit, 0.9)$CI_low, confint(fit, seq_along(coef(fit)), level = 0.9)[, 1])
  expect_same(parameters::standard_error(fit)$SE, a$SE)
  expect_output(suppressMessages(print(a)), "g2")
  all <- parameters::model_parameters(spatial, component = "all")
  expect_identical(unique(all$Component), c("mean", "covariance"))
  expect_same(parameters::model_parameters(fit, exponentiate = TRUE)$CI_low, exp(a$CI_low))
  refused(parameters::model_parameters(fit, bootstrap = TRUE), "make a bootstrap")
  refused(parameters::ci(fit, method = "boot"), "must be \"wald\" or \"profile\"")
  own <- parameters::model_parameters(sample)
  expect_same(columns(own, "Coefficient", "SE"), sample$parameters[c("estimate", "std.error")])
  expect_output(suppressMessages(print(own)), "alpha")
})

test_that("insight and performance know family, data, degrees of freedom, predictions and measures of a fit", {
  skip_if_not_installed("insight")
  expect_true(insight::model_info(fit)$is_linear)
  expect_true(all(c("z", "u", "g", "x", "y") %in% names(suppressWarnings(insight::get_data(fit)))))
  expect_identical(insight::get_df(fit), df.residual(normal))
  expect_same(insight::get_df(fit, type = "wald"), rep(72, 8))
  expect_identical(insight::get_df(fit, type = "normal"), Inf)
  expect_identical(insight::get_df(normal_stable, type = "wald"), rep(Inf, 5))
  expect_equal(insight::get_df(fit, type = "model"), attr(logLik(normal), "df"))
  expect_same(insight::get_statistic(fit)$Statistic, insight::get_statistic(normal)$Statistic)
  a <- as.data.frame(insight::get_predicted(fit, data = d[1:5, ], ci = 0.9))
  expect_same(a$Predicted, predict(normal, d[1:5, ]))
  expect_same(a$SE, predict(normal, d[1:5, ], se.fit = TRUE)$se.fit)
  refused(insight::get_predicted(fit, predict = "prediction"), "interval = \"prediction\"")
  skip_if_not_installed("performance")
  b <- performance::model_performance(gpFit(z ~ u * g, d, ~ x + y, none, fixed = alone))
  lm <- performance::model_performance(normal)
  expect_same(columns(b, "AIC", "AICc", "BIC", "R2", "RMSE"), columns(lm, "AIC", "AICc", "BIC", "R2", "RMSE"))
  expect_same(performance::r2(fit)$R2, performance::r2(normal)$R2)
  expect_same(as.numeric(performance::check_heteroscedasticity(fit)),
              as.numeric(performance::check_heteroscedasticity(normal)))
  expect_s3_class(performance::check_normality(spatial), "check_normality")
  for (one in list(fit, normal_stable, sample)) expect_true(insight::is_converged(one))
  expect_silent(performance::check_outliers(normal_stable))
  expect_identical(attr(performance::check_heteroscedasticity(spatial), "object_name"), "spatial")
  add <- as_lm(z ~ u + g)
  expect_same(performance::check_collinearity(add)$VIF, performance::check_collinearity(lm(z ~ u + g, d))$VIF)
  sims <- performance::check_predictions(spatial, iterations = 5)
  expect_identical(dim(sims), c(80L, 6L))
  refused(performance::check_predictions(update(spatial, fixed = list(nugget = 0))), "conditional = FALSE")
  scaled <- as_lm(log(amounts) ~ u, estimator = "ML")
  expect_identical(insight::find_transformation(scaled), "log")
  expect_same(performance::performance_aic(scaled), performance::performance_aic(lm(log(amounts) ~ u, d)))
  expect_identical(dim(performance::check_predictions(normal_stable, iterations = 5)), c(80L, 6L))
  expect_equal(performance::model_performance(sample)$AIC, AIC(sample))
  counts <- as_glm(counts ~ u, family = poisson())
  refused(performance::r2(counts), "no R squared")
  expect_glm(unlist(performance::check_overdispersion(counts)),
             unlist(performance::check_overdispersion(glm(counts ~ u, poisson, d))))
  shares <- as_glm(cbind(yes, no) ~ u, family = stats::binomial())
  of_glm <- glm(cbind(yes, no) ~ u, stats::binomial, d)
  expect_glm(performance::check_overdispersion(shares)$chisq_statistic, sum(residuals(of_glm, "pearson")^2))
  single <- as_glm((yes > 2) ~ u, family = stats::binomial())
  same <- c("is_binomial", "is_bernoulli", "is_logit", "is_count", "link_function", "family")
  for (pair in list(list(shares, of_glm), list(single, glm((yes > 2) ~ u, stats::binomial, d)),
                    list(counts, glm(counts ~ u, poisson, d))))
    expect_identical(insight::model_info(pair[[1L]])[same], insight::model_info(pair[[2L]])[same])
  refused(performance::check_overdispersion(single), "numbers of successes in several trials")
  refused(performance::check_overdispersion(fit), "numbers of successes in several trials")
})

test_that("report has the coefficients with their limits", {
  skip_if_not_installed("report")
  told <- report::report(fit)
  expect_match(told, "formula z ~ u * g", fixed = TRUE)
  expect_match(told, sprintf("u: %s, 95%% CI [", format(coef(fit)[["u"]], digits = 3)), fixed = TRUE)
  expect_equal(as.data.frame(told)$estimate, unname(coef(fit)))
  expect_match(report::report(sample), "alpha: ", fixed = TRUE)
})

test_that("ggeffects has the predictions of lm() and glm()", {
  skip_if_not_installed("ggeffects")
  told <- function(model, terms = c("u", "g")) as.data.frame(ggeffects::ggpredict(model, terms))
  a <- told(fit)
  b <- told(normal)
  expect_same(a$predicted, b$predicted)
  expect_same(a$conf.high, b$conf.high)
  expect_same(told(normal_stable, "u")$predicted, told(lm(z ~ u + g, d), "u")$predicted)
  limits <- c("predicted", "conf.low", "conf.high")
  expect_glm(told(as_glm(counts ~ u * g, family = poisson()))[limits], told(glm(counts ~ u * g, poisson, d))[limits])
})

test_that("DHARMa has the residuals of lm() and glm(), and of fits of distributions", {
  skip_if_not_installed("DHARMa")
  residuals_of <- function(model, ...) suppressWarnings(residuals(DHARMa::simulateResiduals(model, n = 1000, ...)))
  free <- "unconditional"
  # two sets of 1000 simulations differ by some 3 sqrt(p (1 - p)/500)
  near <- function(a, b) expect_lt(max(abs(a - b)), 4.5 * sqrt(0.25 / 500))
  near(residuals_of(fit, simulateREs = free, seed = 1), residuals_of(normal, seed = 2))
  near(residuals_of(fit, seed = 3), residuals_of(normal, seed = 2)) # given a process that is 0
  near(residuals_of(normal_stable, seed = 1), residuals_of(lm(z ~ u + g, d), seed = 2))
  near(residuals_of(sample, seed = 1), residuals(sample))
  expect_message(DHARMa::getSimulations(spatial), "fitted to the same data")
  expect_silent(DHARMa::getSimulations(fit))
  tested <- suppressWarnings(DHARMa::simulateResiduals(spatial, simulateREs = free, seed = 1))
  expect_s3_class(DHARMa::testDispersion(tested, plot = FALSE), "htest")
  expect_s3_class(DHARMa::testSpatialAutocorrelation(tested, d$x, d$y, plot = FALSE), "htest")
  suppressWarnings(refused(DHARMa::simulateResiduals(update(spatial, fixed = list(nugget = 0))), "unconditional"))
  binomial <- as_glm(cbind(yes, no) ~ u, family = stats::binomial())
  expect_same(DHARMa::getObservedResponse(binomial), d$yes)
  draws <- DHARMa::getSimulations(binomial, 1000, simulateREs = free)
  expect_lt(max(abs(rowMeans(draws) - 5 * fitted(binomial))), 5 * sqrt(5 * 0.25 / 1000))
})

test_that("effects, car and multcomp have what they have of lm() and glm()", {
  terms <- c("u", "g")
  if (requireNamespace("effects", quietly = TRUE)) {
    told <- function(terms, model, ...) columns(effects::Effect(terms, model), "fit", ...)
    expect_same(told(terms, fit, "se"), told(terms, normal, "se"))
    expect_same(told("g", normal_stable), told("g", lm(z ~ u + g, d)))
  }
  if (requireNamespace("car", quietly = TRUE)) {
    expect_same(car::Anova(fit, test = "F")$F, car::Anova(normal)[["F value"]])
    expect_same(car::linearHypothesis(fit, "g2 = g3", test = "F")$F, car::linearHypothesis(normal, "g2 = g3")$F)
    expect_same(car::vif(as_lm(z ~ u + g)), car::vif(lm(z ~ u + g, d)))
    for (one in list(fit, normal_stable, sample)) {
      expect_identical(car::Confint(one)[, -1], confint(one))
      expect_identical(car::Confint(one)[, 1], coef(one, "all")[rownames(confint(one))])
    }
  }
  if (requireNamespace("multcomp", quietly = TRUE)) {
    tests <- function(model)
      summary(multcomp::glht(model, multcomp::mcp(g = "Tukey")))$test[c("coefficients", "sigma")]
    expect_same(tests(as_lm(z ~ u + g)), tests(lm(z ~ u + g, d)))
  }
  skip_if_not_installed("effects")
  expect_glm(told(terms, as_glm(counts ~ u * g, family = poisson()), "se"),
             told(terms, glm(counts ~ u * g, poisson, d), "se"))
})

# These need no methods here, and are to go on working.
test_that("MuMIn and modelsummary have what they have of lm()", {
  if (requireNamespace("MuMIn", quietly = TRUE)) {
    old <- options(na.action = "na.fail")
    on.exit(options(old))
    full <- gpFit(z ~ u + g, d, ~ x + y, none, fixed = alone)
    other <- lm(z ~ u + g, d)
    expect_same(columns(suppressMessages(MuMIn::dredge(full)), "df", "AICc"),
                columns(suppressMessages(MuMIn::dredge(other)), "df", "AICc"))
  }
  skip_if_not_installed("modelsummary")
  table <- modelsummary::modelsummary(list(fit, normal, normal_stable), output = "data.frame")
  rows <- table$term %in% c("u", "g2") & table$part == "estimates"
  expect_identical(table[rows, "(1)"], table[rows, "(2)"])
})

test_that("augment() has the columns that broom has for lm()", {
  skip_if_not_installed("generics")
  new <- d[1:4, c("x", "y", "u", "g")]
  of_lm <- predict(normal, new, se.fit = TRUE)
  a <- generics::augment(fit, newdata = new, se_fit = TRUE, interval = "confidence", conf.level = 0.8)
  expect_same(a[c(".fitted", ".se.fit")], as.data.frame(of_lm[c("fit", "se.fit")]))
  expect_same(a$.upper, of_lm$fit + qt(0.9, 72) * of_lm$se.fit)
  wide <- generics::augment(fit, newdata = new, interval = "prediction")
  expect_same(wide$.upper - wide$.fitted, qnorm(0.975) * sqrt(of_lm$se.fit^2 + sigma(normal)^2))
  expect_same(generics::augment(fit, interval = "confidence", conf.level = 0.8)$.lower[1:4],
              of_lm$fit - qt(0.9, 72) * of_lm$se.fit)
  refused(generics::augment(fit, interval = "prediction"), "is for newdata")
  own <- predict(normal_stable, new, se.fit = TRUE, interval = "prediction", level = 0.8)
  b <- generics::augment(normal_stable, newdata = new, se_fit = TRUE, interval = "prediction", conf.level = 0.8)
  expect_equal(b[c(".fitted", ".lower", ".upper", ".se.fit")], data.frame(own$fit, own$se.fit), ignore_attr = TRUE)
  expect_equal(generics::augment(normal_stable, se_fit = TRUE)$.se.fit[1:4], own$se.fit, ignore_attr = TRUE)
  expect_null(b$.resid)
  for (one in list(fit, normal_stable, as_lm(log(z + 9) ~ u))) {
    whole <- generics::augment(one, newdata = d)
    expect_equal(whole$.resid, unname(residuals(one) + fitted(one) - whole$.fitted))
  }
})

test_that("robust covariances are for independent observations", {
  skip_if_not_installed("sandwich")
  expect_equal(sandwich::sandwich(normal_stable)[1:5, 1:5], vcov(normal_stable, type = "sandwich")[1:5, 1:5],
               tolerance = 1e-8)
  refused(sandwich::sandwich(fit), "no scores of their own")
})

test_that("fits are made anew for other responses", {
  skip_if_not_installed("lme4")
  new <- simulate(fit, 1, seed = 2)[[1]]
  expect_same(coef(lme4::refit(fit, new)), coef(lm(new ~ u * g, d)))
  expect_same(coef(lme4::refit(normal_stable, new)), coef(lm(new ~ u + g, d)))
  expect_same(simulate(spatial, 1, seed = 1, re.form = NULL), simulate(spatial, 1, seed = 1, conditional = TRUE))
  expect_same(simulate(spatial, 1, seed = 1, re.form = NA), simulate(spatial, 1, seed = 1))
  binomial <- as_glm(cbind(yes, no) ~ u, family = stats::binomial())
  new <- simulate(binomial, 1, seed = 2)[[1]]
  expect_same(coef(lme4::refit(binomial, new)), coef(glm(cbind(new, 5 - new) ~ u, stats::binomial, d)))
})

test_that("varcomp() is for fits of both packages, whichever masks the other", {
  skip_if_not_installed("spmodel")
  expect_identical(spmodel::varcomp(spatial), varcomp(spatial))
  other <- spmodel::splm(z ~ u, d, "exponential", xcoord = x, ycoord = y)
  expect_identical(varcomp(other), spmodel::varcomp(other))
  expect_error(varcomp(spatial$cov))
})

# R's tools for models, on fits of this package. Each call is made, and its numbers are compared with those of the
# same call for lm(), glm() or lmer(), which a process without variance, or one of groups far from each other, must
# equal. Other calls run, or are refused with the reason that is printed.
#   Rscript bench/model-tools.R [PATTERN]
# A table in Markdown, and the counts of equal, different, run and refused calls. PATTERN is of packages; those that
# are not installed are left out. The largest relative difference is behind the count of numbers: the search for a
# nugget ends within 1e-6, slopes by differences have some 1e-4, glm() stops when its deviance changes by 1e-15.
library(statcl)
if (!exists("%||%", baseenv())) # which R has from 4.4 on, and marginaleffects 1.0.0 takes for granted
  attach(list("%||%" = function(x, y) if (is.null(x)) y else x), name = "R 4.4", warn.conflicts = FALSE)
pattern <- c(commandArgs(trailingOnly = TRUE), ".")[1L]
grDevices::pdf(NULL)
options(width = 160, marginaleffects_safe = FALSE)

set.seed(1)
n <- 80
d <- data.frame(x = runif(n), y = runif(n), u = rnorm(n), g = gl(4, 1, n), w = runif(n), h = factor(rep(1:10, 8)))
d <- transform(d, z = 1 + u + as.numeric(g) + rnorm(n), east = 1000 * as.numeric(h), north = 0,
               counts = rpois(n, exp(1 + 0.3 * u + 0.2 * as.numeric(g))), yes = rbinom(n, 5, plogis(0.3 * u)),
               one = rbinom(n, 1, plogis(u)), amounts = rgamma(n, 3, 3 / exp(0.5 * u)))
d <- transform(d, no = 5L - yes, grouped = z + rnorm(10)[h])

none <- covModel("exponential", range = 1, variance = 0, nugget = NA)
zero <- covModel("exponential", range = 1, variance = 0)
alone <- list(range = 1, variance = 0)
correlated <- covModel("exponential", range = 0.1, variance = 0.5, nugget = 0.3)
effects_of_groups <- covModel("exponential", range = 1, variance = NA, nugget = NA)
full <- gpFit(z ~ u * g, d, ~ x + y, none, fixed = alone, estimator = "REML")
add <- gpFit(z ~ u + g, d, ~ x + y, none, fixed = alone, estimator = "REML")
ml <- gpFit(z ~ u * g, d, ~ x + y, none, fixed = alone)
groups <- gpFit(grouped ~ u + g, d, ~ east + north, effects_of_groups, fixed = list(range = 1), estimator = "REML")
spatial <- gpFit(z ~ u + g, d, ~ x + y, correlated, fixed = TRUE)
near <- gpFit(z ~ u + g, d, ~ x + y, correlated, fixed = TRUE, method = "vecchia", m = n - 1) # all are neighbours
near_lm <- spatial
normal <- stableReg(z ~ u * g, d, fixed = list(alpha = 2))
heavy <- stableReg(z ~ u * g, d)
returns <- stableFit(diff(log(datasets::EuStockMarkets[1:300, 1])))
full_lm <- ml_lm <- normal_lm <- lm(z ~ u * g, d)
add_lm <- lm(z ~ u + g, d)
if (requireNamespace("lme4", quietly = TRUE)) groups_lm <- lme4::lmer(grouped ~ u + g + (1 | h), d)
counts <- gpFit(counts ~ u * g, d, ~ x + y, zero, fixed = alone, family = poisson())
shares <- gpFit(cbind(yes, no) ~ u * g, d, ~ x + y, zero, fixed = alone, family = binomial())
single <- gpFit(one ~ u, d, ~ x + y, zero, fixed = alone, family = binomial("probit"))
amounts <- gpFit(amounts ~ u + g, d, ~ x + y, zero, fixed = alone, family = Gamma("log"))
precise <- glm.control(epsilon = 1e-15, maxit = 100)
counts_lm <- glm(counts ~ u * g, poisson, d, control = precise)
shares_lm <- glm(cbind(yes, no) ~ u * g, binomial, d, control = precise)
single_lm <- glm(one ~ u, binomial("probit"), d, control = precise)
amounts_lm <- glm(amounts ~ u + g, Gamma("log"), d, control = precise)

# ---- what is asked ----
# Calls for a fit M of a package: with the fits for which they must have the numbers that the call, or `of`, has for
# the other model, by its name <fit>_lm, at least in the columns `keep`; and the fits for which they run. What is the
# same as of lm() must be that of the exact likelihood for the fit by Vecchia's approximation.
asked <- list()
ask <- function(package, call, same = NULL, runs = NULL, of = call, keep = NULL, tolerance = 1e-3) {
  if ("full" %in% same && missing(of)) same <- c(same, "near")
  asked <<- c(asked, Map(list, package = package, call = call, same = list(same), runs = list(runs), of = of,
                         keep = list(keep), tolerance = tolerance))
}
glms <- c("counts", "shares")
all_glms <- c(glms, "single")
others <- c("spatial", "heavy")

# Degrees of freedom are given where those of fits are others.
error <- c("emmean", "estimate", "u.trend", "SE")
ask("emmeans", c("emmeans(M, ~ g, df = 72)", "pairs(emmeans(M, ~ g, df = 72))", "emtrends(M, ~ g, 'u', df = 72)",
                 "contrast(emmeans(M, ~ g | u, at = list(u = c(-1, 2)), df = 72), 'poly')"), "full")
ask("emmeans", "emmeans(M, ~ g)", "groups", c(others, "returns"), keep = error)
ask("emmeans", "pairs(emmeans(M, ~ g))", c(glms, "groups"), others, keep = error)
ask("emmeans", "emtrends(M, ~ g, 'u')", glms, "heavy", keep = error)
ask("emmeans", "emmeans(M, ~ g, type = 'response')", c(glms, "amounts"), keep = c("rate", "prob", "response"))
ask("emmeans", c("pairs(emmeans(M, ~ g, type = 'response'))", "regrid(emmeans(M, ~ g))"), glms)
ask("emmeans", "joint_tests(M)", c("full", glms, "groups"), keep = "F.ratio")

value <- c("estimate", "std.error")
ask("marginaleffects", "avg_slopes(M)", c("full", glms, "groups"), c(others, "returns"), keep = value)
ask("marginaleffects", "avg_slopes(M)", c("normal", "single"), keep = "estimate")
ask("marginaleffects", c("avg_slopes(M, by = 'g')", "plot_slopes(M, variables = 'u', by = 'g', draw = FALSE)"),
    "full", keep = value)
ask("marginaleffects", "slopes(M, variables = 'u', newdata = datagrid(g = unique))", c("full", glms), others,
    keep = value, tolerance = 5e-3)
ask("marginaleffects", "avg_predictions(M, by = 'g')", "full", others, keep = value)
ask("marginaleffects", "avg_predictions(M, by = 'g')", "groups", keep = value,
    of = "avg_predictions(M, by = 'g', re.form = NA)")
ask("marginaleffects", "avg_predictions(M, by = 'g', type = 'response')", glms, keep = value)
ask("marginaleffects", "avg_predictions(M, by = 'g', type = 'response')", c("amounts", "single"), keep = "estimate")
ask("marginaleffects", c("predictions(M, type = 'response')", "avg_comparisons(M, variables = list(g = 'pairwise'))",
                         "comparisons(M, variables = 'u', newdata = datagrid(u = c(0, 1)))"), c("full", glms),
    keep = value)
ask("marginaleffects", "predictions(M, type = 'link')", glms, keep = value)
ask("marginaleffects", "hypotheses(M, 'b2 / b3 = 1')", c("full", glms, "groups"), keep = value)
ask("marginaleffects", "hypotheses(M, 'alpha = 1.5')", runs = "returns")
ask("marginaleffects", "hypotheses(M, joint = 'g')", c("full", glms), keep = "statistic")
ask("marginaleffects", "plot_predictions(M, condition = c('u', 'g'), draw = FALSE)", "full", keep = value)

ask("ggeffects", "ggpredict(M, c('u', 'g'))", c("full", "normal", glms, "amounts"), keep = "predicted")
ask("ggeffects", "ggpredict(M, 'u')", c("groups", "single"), others, keep = "predicted")
ask("ggeffects", c("ggemmeans(M, 'g')", "ggeffect(M, 'g')"), c("full", glms, "groups"), keep = "predicted")
ask("ggeffects", "predict_response(M, 'g', margin = 'empirical')", c("full", glms), keep = "predicted")
ask("ggeffects", "test_predictions(M, 'g')", c("add", "groups"), keep = "Contrast")

ask("parameters", "model_parameters(M)", c("full", glms), c(others, "returns"), keep = c("Coefficient", "SE"))
ask("parameters", "model_parameters(M)", "normal", keep = "Coefficient")
ask("parameters", "model_parameters(M)", "groups", keep = "Coefficient",
    of = "model_parameters(M, effects = 'fixed')")
ask("parameters", "model_parameters(M, exponentiate = TRUE)", glms, keep = c("Coefficient", "SE"))
ask("parameters", "standard_error(M)", c("full", glms), keep = "SE")
ask("parameters", "p_value(M)", glms, keep = "p", tolerance = 1e-2)
ask("parameters", "ci(M)", glms, others, of = "ci(M, method = 'wald')", keep = c("CI_low", "CI_high"))
ask("parameters", "compare_parameters(M, full_lm)", runs = c("full", "spatial"))

ask("performance", "model_performance(M)", c("ml", glms), c(others, "returns"),
    keep = c("AIC", "AICc", "BIC", "RMSE"))
ask("performance", "r2(M)", "full", c(glms, others), keep = "R2")
ask("performance", c("check_outliers(M)", "check_autocorrelation(M)"), "full", others)
bp <- "check_heteroscedasticity(M)" # of standardised residuals, which depend on the order of observations
ask("performance", bp, "full", c(others, "near"), of = bp)
ask("performance", c("check_normality(M)", "check_convergence(M)", "check_singularity(M)", "check_model(M)",
                     "check_predictions(M, iterations = 5)"), runs = c("full", others))
ask("performance", "check_collinearity(M)", c("add", "groups", glms), keep = "VIF")
ask("performance", "check_overdispersion(M)", "counts", keep = c("chisq_statistic", "dispersion_ratio"))
ask("performance", "check_overdispersion(M)$chisq_statistic", "shares", of = "sum(residuals(M, 'pearson')^2)")
ask("performance", "check_zeroinflation(M)", "counts", keep = "observed.zeros")
ask("performance", "binned_residuals(M)", "single")
ask("performance", "check_residuals(simulate_residuals(M, simulateREs = 'unconditional'))",
    runs = c("full", "spatial", "counts"))
ask("performance", "compare_performance(M, ml)", runs = "spatial")
ask("performance", "performance_rmse(M)", c("full", glms))

ask("insight", "find_formula(M)$conditional", c("full", glms))
ask("insight", "find_predictors(M)$conditional", "full")
ask("insight", "get_predicted(M, data = d[1:5, ])", c("full", glms))
ask("insight", c("get_varcov(M)", "get_modelmatrix(M)", "n_obs(M)"), c("full", glms), others)
ask("insight", c("get_sigma(M)", "get_residuals(M)"), "full")
ask("insight", "get_loglikelihood(M)", "ml")
ask("insight", "link_inverse(M)(0.3)", all_glms)
ask("insight", "get_weights(M)", glms)

testing <- c("testResiduals(simulateResiduals(M, simulateREs = 'unconditional', seed = 1))",
             "testOutliers(simulateResiduals(M, seed = 1), plot = FALSE)$p.value",
             "testQuantiles(simulateResiduals(M, seed = 1), plot = FALSE)$p.value",
             "testDispersion(simulateResiduals(M, seed = 1), plot = FALSE)$p.value",
             "residuals(simulateResiduals(M, 5, refit = TRUE, seed = 1))")
ask("DHARMa", testing, runs = c("full", "spatial", glms, "heavy"))
ask("DHARMa", testing[1:2], runs = "returns")
ask("DHARMa", "testZeroInflation(simulateResiduals(M, seed = 1), plot = FALSE)$p.value", runs = "counts")
ask("DHARMa", "testSpatialAutocorrelation(simulateResiduals(M, seed = 1), d$x, d$y, plot = FALSE)$p.value",
    runs = "spatial")
# Simulations are random: the probabilities behind their residuals differ by some 4.5 sqrt(0.25 / 2000).
ask("DHARMa", "rowMeans(getSimulations(M, 4000, simulateREs = 'unconditional') < getObservedResponse(M))",
    c("full", all_glms), of = "rowMeans(getSimulations(M, 4000) < getObservedResponse(M))", tolerance = NA)

ask("car", "Anova(M, test = 'F')$F", "full", of = "Anova(M)[['F value']]")
ask("car", "Anova(M)", glms, others, of = "Anova(M, test.statistic = 'Wald')", keep = "Chisq")
ask("car", c("Anova(M)", "Anova(M, type = 3)"), "groups", keep = "Chisq")
ask("car", "linearHypothesis(M, 'g2 = g3', test = 'F')$F", "full")
ask("car", "linearHypothesis(M, c('g2 = g3', 'u = 1'))$Chisq", c(glms, "groups"))
ask("car", "vif(M)", "add")
ask("car", "deltaMethod(M, 'u / g2')", c("full", glms, "groups"), keep = c("Estimate", "SE"))
ask("car", "Confint(M)", runs = others)

tests <- "$test[c('coefficients', 'sigma')]"
ask("multcomp", paste0("summary(glht(M, mcp(g = 'Tukey')))", tests), c("add", "groups"), "spatial")
ask("multcomp", paste0("summary(glht(M, 'u = 0'))", tests), c("full", glms, "groups"), "heavy")
ask("effects", "Effect(c('u', 'g'), M)", c("full", glms), keep = c("fit", "se"))
ask("effects", "Effect('g', M)", "groups", keep = c("fit", "se"))
ask("effects", "allEffects(M)", runs = others)
ask("MuMIn", "dredge(M)$AICc", c("ml", "counts"))
ask("MuMIn", "coef(model.avg(dredge(M)))", "ml")
ask("MuMIn", "AICc(M)", "ml", c(others, "returns"))
ask("modelsummary", "get_estimates(M)", c("full", glms), keep = value)
ask("modelsummary", "modelsummary(list(M, heavy, returns), output = 'data.frame')", runs = "spatial")
ask("modelsummary", "modelplot(M, draw = FALSE)", "full", keep = "estimate")
ask("report", "as.data.frame(report(M))$estimate", c("full", glms), c(others, "returns"), of = "unname(coef(M))")
ask("lmtest", "unclass(coeftest(M))[, 1:3]", glms)
ask("lmtest", "coeftest(M)", runs = others)
ask("lmtest", "lrtest(M, update(M, . ~ u))$Chisq", c("ml", "counts"), "heavy")
ask("sandwich", "sandwich(M)", runs = c("full", "normal", "returns"))
ask("broom", "tidy(M)[1:8, c('estimate', 'std.error')]", c("full", glms))
ask("broom", "augment(M)[c('.fitted', '.resid')]", "full")
ask("broom", "augment(M, newdata = d, se_fit = TRUE, interval = 'confidence')", "full",
    of = "augment(M, newdata = d, se_fit = TRUE)", keep = c(".fitted", ".resid", ".se.fit"))
ask("broom", "glance(M)[c('BIC', 'df.residual', 'nobs')]", "ml")
ask("lme4", "coef(refit(M, d$w))", runs = c("full", "normal"))
ask("spmodel", "varcomp(M)", runs = c("full", "spatial", "returns"))

ask("stats", c("variable.names(M)", "case.names(M)", "dummy.coef(M)", "nobs(M)", "df.residual(M)", "model.matrix(M)",
               "model.matrix(M, data = d[1:4, ])", "names(model.frame(M))", "deparse(formula(M))",
               "attr(terms(M), 'term.labels')", "coef(M)"), c("full", all_glms, "normal"))
ask("stats", "unlist(family(M)[1:2])", c("full", all_glms), c("heavy", "returns"))
ask("stats", "vcov(M)", c("full", glms))
ask("stats", "vcov(M)", "normal", of = "vcov(M) * 72 / 80")
ask("stats", "deviance(M)", all_glms, c("heavy", "returns"), of = "-2 * as.numeric(logLik(M))")
ask("stats", "weights(M)", c("full", "shares"))
ask("stats", c("residuals(M, 'deviance')", "residuals(M, 'pearson')", "extractAIC(M)"), all_glms)
ask("stats", "residuals(M, 'response')", c("full", all_glms, "amounts"))
ask("stats", c("sigma(M)", "hatvalues(M)", "cooks.distance(M)"), "full")
ask("stats", "rstudent(M)", "full", of = "rstandard(M)")
ask("stats", "predict(M, d[1:3, ])$fit", "full", of = "unname(predict(M, d[1:3, ]))")
ask("stats", "drop1(M, test = 'Chisq')[['Pr(>Chi)']]", c("ml", glms, "normal"), c("full", "returns"))
ask("stats", c("diff(AIC(M, update(M, . ~ u))$AIC)", "names(coef(update(M, . ~ . + w)))",
               "diff(add1(update(M, . ~ 1), . ~ u + g)$AIC)", "deparse(formula(step(M, trace = 0)))",
               "deparse(formula(step(update(M, . ~ 1), . ~ u * g, trace = 0)))"), c("ml", glms, "normal"))
ask("stats", "labels(M)", "full", "returns")

# ---- how it is compared ----
# Results and errors, with what has been said before.
answer <- function(text, model) {
  call <- do.call(substitute, list(str2lang(text), list(M = as.name(model))))
  said <- character()
  hear <- function(restart) function(condition) {
    said <<- c(said, trimws(conditionMessage(condition)))
    tryInvokeRestart(restart)
  }
  set.seed(11)
  value <- tryCatch(withCallingHandlers(eval(call, globalenv()), warning = hear("muffleWarning"),
                                        message = hear("muffleMessage")), error = identity)
  list(value = value, said = if (length(said)) sprintf(" [%s]", substr(said[1L], 1L, 90L)))
}

# All numbers of a result, or of its columns `keep`.
numbers <- function(v, keep) {
  if (inherits(v, "htest")) return(unlist(v[c("statistic", "p.value")]))
  if (isS4(v) || inherits(v, c("emmGrid", "eff", "efflist"))) v <- as.data.frame(v)
  if (is.function(v) || is.language(v) || is.environment(v)) return(NULL)
  if (!is.list(v)) return(if (is.numeric(v) || is.logical(v)) as.vector(v))
  if (any(keep %in% names(v))) v <- unclass(v)[intersect(keep, names(v))]
  unlist(lapply(unclass(v), numbers, NULL), use.names = FALSE)
}

largest_difference <- function(a, b) {
  known <- is.finite(a) & is.finite(b)
  if (length(a) != length(b) || !identical(a[!known], b[!known])) return(Inf)
  size <- max(abs(b[known]), 0)
  max(0, abs(a - b)[known] / pmax(abs(b[known]), 1e-3 * size, .Machine$double.xmin))
}

line <- function(q, fit) {
  told <- answer(q$call, fit)
  a <- told$value
  if (inherits(a, "error")) return(paste0("REFUSED: ", conditionMessage(a), told$said))
  if (!fit %in% q$same) return(paste0(if (any(grepl("not supported", told$said))) "REFUSED:" else "runs", told$said))
  b <- answer(q$of, paste0(fit, "_lm"))$value
  if (inherits(b, "error")) return(paste("runs; for the other model", conditionMessage(b)))
  x <- numbers(a, q$keep)
  y <- numbers(b, q$keep)
  if (!length(x)) return(if (identical(unname(unlist(a)), unname(unlist(b)))) "equal" else "DIFFERENT")
  if (is.na(q$tolerance))
    return(if (max(abs(x - y)) < 4.5 * sqrt(0.25 / 2000)) "equal but for simulation" else "DIFFERENT")
  far <- largest_difference(x, y)
  sprintf("%s: %d numbers, %.1e", if (far < q$tolerance) "equal" else "DIFFERENT", length(x), far)
}

count <- character()
cat("| package | call | fit | result |\n| --- | --- | --- | --- |\n")
for (package in unique(vapply(asked, `[[`, "", "package"))) {
  if (!grepl(pattern, package)) next
  if (!requireNamespace(package, quietly = TRUE)) {
    cat(sprintf("| %s | not installed | | |\n", package))
    next
  }
  attached <- paste0("package:", package) %in% search()
  if (!attached) suppressMessages(library(package, character.only = TRUE, warn.conflicts = FALSE))
  if (package == "MuMIn") options(na.action = "na.fail")
  for (q in Filter(function(q) q$package == package, asked)) for (fit in c(q$same, q$runs)) {
    if (!exists(fit) || fit %in% q$same && !exists(paste0(fit, "_lm"))) next
    text <- line(q, fit)
    count <- c(count, sub("[:; ].*", "", text))
    call <- gsub("|", "\\|", gsub("\\bM\\b", fit, q$call), fixed = TRUE)
    cat(sprintf("| %s | `%s` | %s | %s |\n", package, call, fit, gsub("[\n|]+", " ", text)))
  }
  options(na.action = "na.omit")
  if (!attached) detach(paste0("package:", package), character.only = TRUE)
}
cat("\n")
print(table(count))

test_that("all fits have the same core, and what methods say of it", {
  set.seed(1)
  x <- rstable(60, 1.6, 0.3)
  d <- data.frame(z = x, u = rnorm(60), px = runif(60), py = runif(60))
  d$twice <- 2 * d$u
  fits <- list(stableFit(x), stableFit(x, "mcculloch"), stableFit(x, pm = 1, fixed = list(beta = 0)),
               stableFit(qnorm(ppoints(60))), stableReg(z ~ u + twice, d), stableReg(z ~ 0, d),
               stableReg(z ~ u, d, fixed = list(alpha = 1.5)), mstableFit(d[c("z", "px")]),
               mstableFit(d[c("z", "px")], "diagonal", fixed = list(alpha = 1.5)),
               gpFit(z ~ u + twice, d, ~ px + py, "exponential"), gpFit(z ~ 0, d, ~ px + py, "exponential"),
               gpFit(z ~ u, d, ~ px + py, "exponential", estimator = "REML", fixed = list(nugget = 1)))
  for (fit in fits) {
    p <- fit$parameters
    name <- class(fit)[1]
    expect_s3_class(fit, c(name, "statclFit"), exact = TRUE)
    expect_named(p, c("estimate", "std.error", "fixed", "boundary", "component", "lower", "upper"))
    expect_identical(rownames(fit$vcov), rownames(p))
    expect_equal(sqrt(diag(fit$vcov)), setNames(p$std.error, rownames(p)))
    expect_true(all(p$estimate >= p$lower & p$estimate <= p$upper, na.rm = TRUE))
    expect_true(all(is.na(p$std.error[p$fixed | nzchar(p$boundary)])))
    expect_type(fit$notes, "character")
    expect_true(is.logical(fit$converged) && fit$df <= fit$dimension)
    if (!identical(fit$estimator, "REML")) expect_equal(extractAIC(fit)[1], fit$dimension)
    expect_identical(c(logLik(fit)), fit$loglik)
    expect_equal(nobs(fit), 60)
    # components share the parameters
    kinds <- levels(p$component)
    expect_identical(coef(fit), coef(fit, kinds[1]))
    expect_identical(unlist(lapply(kinds, coef, object = fit)), coef(fit, "all"))
    expect_identical(unname(coef(fit, "all")), p$estimate)
    for (kind in kinds) {
      expect_identical(dim(vcov(fit, kind)), rep(length(coef(fit, kind)), 2))
      expect_identical(vcov(fit, kind), vcov(fit, "all")[p$component == kind, p$component == kind, drop = FALSE])
      if (length(coef(fit, kind)))
        expect_identical(names(coef(fit, kind, complete = FALSE)), rownames(vcov(fit, kind, complete = FALSE)))
    }
    expect_error(coef(fit, "odd"), "component = odd", class = "statcl_error_input")
    # normal limits are symmetric on the scale of the range, and inside
    wald <- confint(fit, names(coef(fit, "all")), method = "wald")
    expect_equal(rowMeans(wald), replace(coef(fit, "all"), is.na(p$std.error), NA))
    inner <- confint(fit, names(coef(fit, "all")), method = "transformed")
    expect_true(all(inner >= p$lower & inner <= p$upper, na.rm = TRUE))
    positive <- which(p$lower == 0 & is.infinite(p$upper) & inner[, 1] > 0 & is.finite(inner[, 2]))
    expect_equal(rowMeans(log(inner[positive, , drop = FALSE])), log(p$estimate[positive]), ignore_attr = TRUE)
    expect_output(print(fit), "log likelihood")
    expect_output(print(summary(fit)), "AIC .* BIC")
  }
})

test_that("a fit of another class inherits all methods", {
  x <- seq(-3, 3, length.out = 40)^3
  scale <- mean(abs(x))
  made <- function(fixed) {
    estimate <- c(location = 0, scale = scale)
    vcov <- diag(c(if (fixed) NA else scale^2 / 40, scale^2 / 40))
    dimnames(vcov) <- list(names(estimate), names(estimate))
    table <- statcl:::parameter_table(names(estimate), factor(rep("distribution", 2)), estimate, sqrt(diag(vcov)),
                                      c(fixed, FALSE), "", c(-Inf, 0), Inf)
    structure(list(parameters = table, vcov = vcov, loglik = -40 * (log(2 * scale) + 1) - fixed / 2, df = 2 - fixed,
                   dimension = 2 - fixed, nobs = 40, converged = TRUE, notes = "A note.", call = quote(laplaceFit(x)),
                   residuals = x), class = c("laplaceFit", "statclFit"))
  }
  fit <- made(FALSE)
  expect_output(print(fit), "Fit by laplaceFit\\(\\).*scale .*log likelihood .*df = 2.*40 observations.*A note")
  expect_output(print(summary(fit)), "Call: laplaceFit\\(x\\).*Residuals.*Std. Error")
  expect_equal(AIC(fit), 4 - 2 * fit$loglik)
  expect_equal(confint(fit)["scale", ], scale * exp(c(-1, 1) * qnorm(0.975) / sqrt(40)), ignore_attr = TRUE)
  table <- anova(made(TRUE), fit)
  expect_equal(table$Chisq[2], 1)
  expect_equal(table$Pr[2], pchisq(1, 1, lower.tail = FALSE))
  expect_output(print(table), "Model 1: laplaceFit \\(location = 0\\)")
  expect_error(anova(fit), "two or more fits by laplaceFit", class = "statcl_error_input")
  for (f in list(profile, function(fit) confint(fit, method = "profile")))
    expect_error(f(fit), "have no profiles", class = "statcl_error_input")
  tidy <- getFromNamespace("tidy.statclFit", "statcl")
  expect_identical(tidy(fit)$std.error, fit$parameters$std.error)
  expect_identical(getFromNamespace("glance.statclFit", "statcl")(fit)$BIC, BIC(fit))
})

test_that("a covariate may have the name of a parameter", {
  set.seed(2)
  d <- data.frame(px = runif(50), py = runif(50), range = rnorm(50))
  d$z <- d$range + as.vector(simulate(covModel("exponential", range = 0.2), 1, seed = 1, x = as.matrix(d[1:2])))
  fit <- gpFit(z ~ range, d, ~ px + py, "exponential", fixed = list(nugget = 0))
  expect_identical(rownames(fit$parameters)[1:4], c("(Intercept)", "range", "variance", "range.1"))
  expect_identical(names(coef(fit, "covariance"))[2], "range")
  expect_identical(confint(fit, "range"), confint(fit, 2))
  again <- update(fit, start = as.list(coef(fit, "covariance")[c("variance", "range")]))
  expect_equal(again$loglik, fit$loglik, tolerance = 1e-9)
  expect_s3_class(gpCV(fit, k = 3, refit = TRUE), "gpCV")
})

test_that("fits in a limit count their parameters, which a covariate may be named like", {
  set.seed(5)
  d <- data.frame(a = runif(60), b = runif(60), range = rnorm(60), variance = rnorm(60), y = rep_len(2:4, 60))
  cov <- covModel("exponential", range = NA, variance = NA)
  fit <- gpFit(y ~ range + variance, d, coords = ~ a + b, cov = cov, family = poisson())
  expect_equal(c(fit$df, fit$dimension), c(5, 5))
  expect_identical(fit$parameters["variance.1", "boundary"], "lower")
  expect_identical(fit$parameters[2:3, "boundary"], c("", ""))
  expect_false(any(fit$parameters[c("range.1", "variance.1"), "fixed"]))
  expect_equal(extractAIC(fit), c(5, AIC(fit)))
})

test_that("parameters that covariates are named like are found", {
  set.seed(4)
  d <- data.frame(alpha = rnorm(50))
  d$z <- d$alpha
  d$y <- rnorm(50) + rstable(50, 1.6, 0, 1, 0)
  named <- stableReg(y ~ alpha, d)
  plain <- stableReg(y ~ z, d)
  expect_identical(unname(dfbetas(named)), unname(dfbetas(plain)))
  expect_identical(unname(confint(named, "alpha.1")), unname(confint(plain, "alpha")))
  expect_identical(unname(confint(named, "alpha")), unname(confint(plain, "z")))
  profile <- as.data.frame(profile(named, c("alpha", "alpha.1"), points = 1))
  other <- as.data.frame(profile(plain, c("z", "alpha"), points = 1))
  expect_identical(profile$value, other$value)
  expect_output(print(anova(named, stableReg(y ~ alpha, d, fixed = list(alpha = 1.5)))), "alpha = 1.5", fixed = TRUE)
})

test_that("limits of profiles with two maxima are those of the larger one, and a fit without parameters has none", {
  set.seed(3)
  d <- data.frame(u = runif(50), v = runif(50), x = rnorm(50), w = runif(250))[1:50, ]
  d$z <- 1 + d$x + drop(t(chol(exp(-as.matrix(dist(d[1:2])) / 0.3))) %*% rnorm(50)) + rnorm(50, sd = 0.2)
  fit <- gpFit(z ~ x, d, coords = ~ u + v, penalty = TRUE)
  limits <- confint(fit, c("smoothness", "nugget"), method = "profile")
  for (i in 1:2) if (is.finite(limits[i, 2])) {
    held <- update(fit, fixed = stats::setNames(list(limits[i, 2]), rownames(limits)[i]))
    expect_equal(2 * as.numeric(logLik(fit) - logLik(held)), qchisq(0.95, 1), tolerance = 1e-3)
  }
  expect_false(anyNA(limits))
  none <- gpFit(z ~ 0, d, coords = ~ u + v, cov = covModel("exponential", range = 0.2), fixed = TRUE)
  expect_identical(dim(as.data.frame(profile(none))), c(0L, 3L))
})

# Methods of fits of Gaussian processes, against the same by hand and by nlme.

some_field <- function(n = 60, seed = 1) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), u = rnorm(n), g = gl(3, 1, n))
  S <- covariance(covModel("exponential", variance = 2, range = 0.2, nugget = 0.3), cbind(d$x, d$y))
  d$z <- 1 + d$u + as.vector(crossprod(chol(S), rnorm(n)))
  d
}

test_that("leave-one-out predictions are those of fits without the observation", {
  d <- some_field()
  d$w <- runif(60)
  d$one <- as.numeric(seq_len(60) == 60)
  fit <- gpFit(z ~ u + g, d, ~ x + y, "exponential", error.variance = w, offset = u^2)
  loo <- statcl:::gp_loo(fit)
  for (i in c(1, 17, 60)) {
    without <- gpFit(z ~ u + g, d[-i, ], ~ x + y, fit$cov, fixed = TRUE, error.variance = w, offset = u^2)
    from <- as.matrix(d[-i, c("x", "y")])
    to <- as.matrix(d[i, c("x", "y")])
    S <- covariance(fit$cov, from) + diag(d$w[-i])
    k <- covariance(update(fit$cov, nugget = 0), from, to)
    new <- fit$X[i, ]
    mean <- sum(new * coef(without)) + d$u[i]^2 + sum(k * solve(S, residuals(without)))
    left <- new - crossprod(without$X, solve(S, k))
    variance <- sum(fit$parameters[c("variance", "nugget"), "estimate"]) + d$w[i] - sum(k * solve(S, k)) +
      sum(left * (vcov(without) %*% left))
    expect_equal(loo$mean[i], mean, tolerance = 1e-10)
    expect_equal(loo$sd[i]^2, variance, tolerance = 1e-10)
    expect_equal(loo$residual[i], d$z[i] - mean, tolerance = 1e-10)
  }
  # only the last tells of a covariate
  loo <- statcl:::gp_loo(gpFit(z ~ one, d, ~ x + y, fit$cov, fixed = TRUE))
  expect_identical(which(is.nan(loo$residual)), 60L)
  expect_identical(which(is.nan(loo$sd)), 60L)
})

test_that("likelihood, coefficients, errors and tests are those of nlme at the same covariance", {
  skip_if_not_installed("nlme")
  d <- some_field()
  for (estimator in c("ML", "REML")) {
    fit <- gpFit(z ~ u + g, d, ~ x + y, "exponential", estimator = estimator)
    v <- coef(fit, "covariance")
    correlation <- nlme::corExp(c(v[["range"]], v[["nugget"]] / (v[["variance"]] + v[["nugget"]])), ~ x + y,
                                nugget = TRUE, fixed = TRUE)
    gls <- nlme::gls(z ~ u + g, d, correlation, method = estimator)
    expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(gls)), tolerance = 1e-9)
    expect_equal(attr(logLik(fit), "nobs"), attr(logLik(gls), "nobs"))
    expect_equal(coef(fit), coef(gls), tolerance = 1e-9)
    expect_equal(sigma(fit), gls$sigma, tolerance = 1e-5) # that of gls is the optimum at the other parameters
    unbiased <- if (estimator == "ML") 60 / 56 else 1
    expect_equal(vcov(fit) * unbiased / sigma(fit)^2, vcov(gls) / gls$sigma^2, tolerance = 1e-9)
    expect_equal(residuals(fit, "standardized") * sigma(fit), residuals(gls, "normalized") * gls$sigma,
                 tolerance = 1e-8, ignore_attr = TRUE)
    wald <- anova(update(fit, cov = fit$cov, fixed = TRUE)) # with estimates, F tests of other errors
    table <- anova(gls, type = "marginal")
    expect_equal(wald$Chisq * sigma(fit)^2 / gls$sigma^2 / unbiased, table[["F-value"]] * table$numDF,
                 tolerance = 1e-8)
    expect_identical(rownames(wald), c("(Intercept)", "u", "g"))
  }
  free <- nlme::gls(z ~ u + g, d, nlme::corExp(form = ~ x + y, nugget = TRUE), method = "REML")
  expect_equal(c(AIC(fit), BIC(fit)), c(AIC(free), BIC(free)), tolerance = 1e-6)
  expect_identical(nobs(fit), 60L)
})

test_that("fits are compared by likelihood ratios where that has a meaning", {
  d <- some_field()
  fit <- gpFit(z ~ u, d, ~ x + y, "exponential")
  smaller <- update(fit, . ~ 1, fixed = list(nugget = 0.5))
  table <- anova(smaller, fit)
  expect_s3_class(table, "anova")
  expect_equal(table$Df, c(NA, 2))
  expect_equal(table$Chisq[2], 2 * (fit$loglik - smaller$loglik))
  expect_equal(table[["Pr(>Chisq)"]][2], pchisq(2 * (fit$loglik - smaller$loglik), 2, lower.tail = FALSE))
  expect_output(print(table), "Model 1: z ~ 1, exponential \\(nugget = 0.5\\)\nModel 2: z ~ u, exponential\n")
  turned <- covModel("exponential", range = NA, angle = NA, ratio = NA)
  expect_output(print(anova(fit, update(fit, cov = turned))), "z ~ u, exponential\nModel 2: z ~ u, anisotropic exp")
  restricted <- update(fit, estimator = "REML")
  table <- anova(fit, update(fit, cov = "gaussian"))
  expect_named(table, c("#Df", "LogLik"))
  expect_output(print(table), "equally many parameters have no likelihood ratio test")
  expect_error(anova(restricted, update(restricted, . ~ 1)), "fits with different means are not comparable")
  expect_silent(anova(update(restricted, fixed = list(nugget = 0)), restricted))
  expect_error(anova(fit, restricted), "different estimators")
  expect_error(anova(fit, update(fit, data = d[-1, ])), "not of the same observations")
  expect_error(anova(fit, update(fit, log(z + 9) ~ .)), "not of the same observations")
  expect_error(anova(fit, 1), "must be fits by gpFit\\(\\)")
  expect_equal(drop1(fit)$AIC, c(AIC(fit), AIC(update(fit, . ~ 1))))
  expect_error(extractAIC(restricted), "must be \"ML\"")
})

test_that("estimates, frames and kriging at the observations are given by name", {
  d <- some_field()
  d$same <- d$u
  d$w <- runif(60)
  fit <- gpFit(z ~ u + same, d, ~ x + y, "exponential", fixed = list(range = 0.3), error.variance = w, offset = 2 * u)
  expect_identical(names(coef(fit)), c("(Intercept)", "u", "same"))
  expect_identical(names(coef(fit, complete = FALSE)), c("(Intercept)", "u"))
  expect_identical(names(coef(fit, "covariance")), c("variance", "range", "angle", "ratio", "nugget"))
  expect_identical(coef(fit, "all"), c(coef(fit), coef(fit, "covariance")))
  expect_identical(dim(vcov(fit)), c(3L, 3L))
  expect_identical(vcov(fit, "all"), fit$vcov)
  expect_identical(vcov(fit, complete = FALSE), fit$vcov[1:2, 1:2])
  all <- vcov(fit, "all")
  expect_identical(all["u", "variance"], 0)
  expect_true(all(is.na(all["range", ])) && all(is.na(all["same", ])))
  expect_equal(sqrt(diag(all)), setNames(fit$parameters$std.error, rownames(fit$parameters)))
  expect_identical(model.matrix(fit), fit$X)
  expect_identical(formula(fit), z ~ u + same, ignore_attr = TRUE)
  expect_identical(df.residual(fit), 58L)
  expect_equal(deviance(fit), -2 * fit$loglik)
  # the field at the observations is simple kriging of the raw residuals
  x <- as.matrix(d[c("x", "y")])
  field <- update(fit$cov, nugget = 0)
  S <- covariance(fit$cov, x) + diag(d$w)
  expect_equal(fitted(fit, "latent"), fitted(fit) + drop(covariance(field, x) %*% solve(S, residuals(fit))),
               tolerance = 1e-9, ignore_attr = TRUE)
  expect_equal(residuals(fit, "pearson"), residuals(fit) / sqrt(diag(S)), tolerance = 1e-12)
  expect_equal(residuals(fit, "standardized"), drop(solve(t(chol(S)), residuals(fit))), tolerance = 1e-9,
               ignore_attr = TRUE)
  loo <- statcl:::gp_loo(fit)
  expect_equal(residuals(fit, "loo"), loo$residual, ignore_attr = TRUE)
  expect_equal(residuals(fit, "loo.standardized"), loo$residual / loo$sd, ignore_attr = TRUE)
  expect_identical(residuals(fit, "response"), residuals(fit))
  expect_identical(residuals(fit, "normalized"), residuals(fit, "standardized"))
  expect_error(residuals(fit, "deviance"), "type = deviance: type must be one of \"raw\", .*\"normalized\"",
               class = "statcl_error_input")
  d$z[7] <- NA
  gap <- update(fit, na.action = na.exclude)
  for (type in c("raw", "standardized", "loo", "loo.standardized", "pearson"))
    expect_identical(which(is.na(residuals(gap, type))), c("7" = 7L))
  expect_identical(which(is.na(fitted(gap, "latent"))), c("7" = 7L))
  expect_identical(which(is.na(cooks.distance(gap))), c("7" = 7L))
  expect_output(print(gap), "1 observation deleted due to missingness")
})

test_that("influence is that of leaving out an observation, or of the whitened model", {
  d <- some_field()
  fit <- gpFit(z ~ u + g, d, ~ x + y, "exponential")
  cook <- cooks.distance(fit)
  for (i in c(3, 44)) {
    change <- coef(gpFit(z ~ u + g, d[-i, ], ~ x + y, fit$cov, fixed = TRUE)) - coef(fit)
    expect_equal(cook[[i]], sum(change * solve(vcov(fit), change)) / 4, tolerance = 1e-8)
  }
  root <- t(chol(covariance(fit$cov, as.matrix(d[c("x", "y")]))))
  white <- lm(solve(root, fit$y) ~ 0 + solve(root, fit$X))
  expect_equal(hatvalues(fit, "whitened"), hatvalues(white), ignore_attr = TRUE)
  expect_equal(cooks.distance(fit, "whitened"), cooks.distance(white) * sigma(white)^2, ignore_attr = TRUE)
  independent <- gpFit(z ~ u + g, d, ~ x + y, covModel("exponential", variance = 0.5, range = 1e-9, nugget = 0.5),
                       fixed = TRUE)
  plain <- lm(z ~ u + g, d)
  expect_equal(hatvalues(independent), hatvalues(plain))
  expect_equal(cooks.distance(independent), cooks.distance(plain) * sigma(plain)^2)
  expect_equal(residuals(independent, "loo"), residuals(plain) / (1 - hatvalues(plain)))
})

test_that("summaries tell of fixed parameters, boundaries, shares and ranges", {
  d <- some_field()
  fit <- gpFit(z ~ u, d, ~ x + y, "exponential")
  s <- summary(fit)
  expect_equal(s$coefficients[, "t value"], coef(fit) / s$coefficients[, "Std. Error"])
  expect_equal(s$coefficients[, "Pr(>|t|)"], 2 * pt(-abs(s$coefficients[, "t value"]), s$coefficients[, "df"]))
  expect_equal(unname(s$effective.range), log(20) * coef(fit, "covariance")[["range"]], tolerance = 1e-7)
  S <- covariance(fit$cov, as.matrix(d[c("x", "y")]))
  squares <- function(X) {
    r <- fit$y - X %*% solve(crossprod(X, solve(S, X)), crossprod(X, solve(S, fit$y)))
    sum(r * solve(S, r))
  }
  expect_equal(s$r.squared, 1 - squares(fit$X) / squares(fit$X[, 1, drop = FALSE]))
  shares <- varcomp(fit)
  v <- coef(fit, "covariance")
  expect_equal(shares$proportion, c(s$r.squared, (1 - s$r.squared) * v[c("variance", "nugget")] /
                                                   (v[["variance"]] + v[["nugget"]])), ignore_attr = TRUE)
  constant <- summary(update(fit, . ~ 1))
  expect_identical(constant$r.squared, 0)
  expect_false(any(grepl("R squared", capture.output(print(constant)))))
  expect_match(capture.output(print(s)), "R squared", all = FALSE)
  expect_match(tail(capture.output(print(s)), 1), "confint\\(fit\\)")
  shown <- capture.output(print(s))
  expect_true(any(grepl("^Covariance \\(exponential\\), distance Euclidean:", shown)))
  expect_true(any(grepl("AIC .*, BIC ", shown)))
  expect_false(any(grepl("angle|fixed", shown)))
  expect_output(print(fit), "Gaussian process by maximum likelihood\n\nCall: gpFit")
  expect_output(print(summary(update(fit, fixed = list(nugget = 0.1)))), "nugget +0.1.* +fixed")
  smooth <- d
  smooth$z <- sin(3 * d$x) + d$u
  smooth <- gpFit(z ~ u, smooth, ~ x + y, covModel("exponential", range = NA, nugget = NA))
  expect_output(print(smooth), "nugget is on its boundary 0")
  expect_output(print(summary(smooth)), "nugget +0.* +on the boundary")
  none <- gpFit(z ~ 0, d, ~ x + y, "exponential")
  expect_output(print(none), "Mean 0")
  expect_output(print(summary(none)), "Mean 0")
  expect_identical(nrow(vcov(none)), 0L)
  expect_output(print(anova(update(none, fixed = list(nugget = 0.3)), none)), "Model 2: z ~ 0, exponential")
})

test_that("sums, axes and times have effective ranges and labels of their own", {
  d <- some_field()
  ranges <- function(model) statcl:::effective_range(model)
  turned <- covModel("exponential", range = 2, angle = 30, ratio = 0.5)
  expect_equal(ranges(turned), c("along the major axis" = 2, "across it" = 1) * log(20), tolerance = 1e-7)
  expect_equal(ranges(covModel("exponential", range = 1, scales = 1:3)),
               setNames(1:3 * log(20), paste("along coordinate", 1:3)), tolerance = 1e-7)
  expect_length(ranges(turned + covModel("exponential", range = 1)), 0L)
  times <- covModel("separable", space = turned, time = covModel("exponential", range = 3))
  expect_equal(ranges(times), c("in space along the major axis" = 2 * log(20), "in space across it" = log(20),
                                "in time" = 3 * log(20)), tolerance = 1e-7)
  moving <- covModel("gneiting", space = covModel("exponential", range = 2),
                     time = list(range = 3, shape = 0.7, interaction = 0.4, decay = 0.2))
  lag <- ranges(moving)[["in time"]]
  expect_equal(covariance(moving, cbind(0, 0, 0), cbind(0, 0, lag))[1], 0.05)
  sum <- gpFit(z ~ u, d, ~ x + y, covModel("exponential", range = 0.1) + covModel("gaussian", range = 0.5,
                                                                                  nugget = 0.2), fixed = TRUE)
  expect_identical(varcomp(sum)$component, c("covariates (pseudo R squared)", "variance.1", "variance.2", "nugget.2"))
  expect_output(print(anova(sum, update(sum, . ~ 1))), "z ~ u, exponential \\+ gaussian \\(variance.1 = 1, ")
  d$t <- rep(1:10, 6)
  fit <- gpFit(z ~ u, d, ~ x + y + t, times, fixed = TRUE)
  expect_output(print(summary(fit)), "falls to 0.05 at distance 5.991 in space along the major axis, .* in time")
})

test_that("Wald limits are normal on the scale of the search", {
  d <- some_field()
  fit <- gpFit(z ~ u, d, ~ x + y, covModel("powexp", range = NA, shape = NA, nugget = NA), fixed = list(nugget = 0.2))
  limits <- confint(fit, level = 0.9, method = "transformed")
  expect_identical(rownames(limits), c("(Intercept)", "u", "variance", "range", "shape", "nugget"))
  expect_identical(colnames(limits), c("5 %", "95 %"))
  z <- qnorm(0.95)
  error <- sqrt(diag(vcov(fit, "all")))
  v <- coef(fit, "all")
  tests <- summary(fit)$coefficients["u", ]
  expect_equal(limits["u", ], v[["u"]] + c(-1, 1) * qt(0.95, tests[["df"]]) * tests[["Std. Error"]],
               ignore_attr = TRUE)
  expect_equal(limits["range", ], v[["range"]] * exp(c(-z, z) * error[["range"]] / v[["range"]]), ignore_attr = TRUE)
  a <- v[["shape"]]
  expect_equal(limits["shape", ], 2 * plogis(qlogis(a / 2) + c(-z, z) * error[["shape"]] * 2 / (a * (2 - a))),
               ignore_attr = TRUE)
  expect_true(all(is.na(limits["nugget", ])))
  expect_identical(confint(fit, c("range", "u"), level = 0.9, method = "transformed"), limits[c("range", "u"), ])
  expect_identical(confint(fit, 2, level = 0.9, method = "transformed"), limits["u", , drop = FALSE])
  expect_error(confint(fit, "nu"), "parm = nu: parm must name parameters of the fit")
  expect_error(confint(fit, level = 2), "level = 2")
  plain <- confint(fit, level = 0.9, method = "wald")
  expect_equal(plain, cbind(v - z * error, v + z * error)[rownames(limits), ], ignore_attr = TRUE)
  # by default those of few data are by their posterior distribution
  limits <- confint(fit, level = 0.9)
  expect_identical(limits[1:2, ], confint(fit, 1:2, 0.9, method = "transformed"))
  expect_identical(limits[-(1:2), ], confint(fit, level = 0.9, method = "integrate")[-(1:2), ])
  refused <- function(code, pattern) expect_error(code, pattern, class = "statcl_error_input")
  refused(confint(fit, type = "profile"), "has no argument type: it is called method")
  refused(confint(fit, lvel = 0.9), "has no argument lvel")
  refused(confint(fit, method = "prfile"), "method = prfile: method must be one of \"default\", \"profile\"")
})

test_that("profile limits are where the largest likelihood has fallen, or the boundary", {
  skip_if_quick()
  d <- some_field()
  fit <- gpFit(z ~ u, d, ~ x + y, "exponential")
  limits <- confint(fit, method = "profile")
  fall <- qchisq(0.95, 1) / 2
  for (name in c("range", "variance", "nugget")) for (side in 1:2) if (limits[name, side] > 0)
    expect_equal(fit$loglik - update(fit, fixed = setNames(list(limits[name, side]), name))$loglik, fall,
                 tolerance = 1e-4)
  for (side in 1:2) {
    b <- limits["u", side]
    expect_equal(fit$loglik - gpFit(z ~ 1, d, ~ x + y, "exponential", offset = b * u)$loglik, fall, tolerance = 1e-4)
  }
  # by another optimiser
  x <- as.matrix(d[c("x", "y")])
  at <- limits["range", 1]
  best <- optim(log(c(1, 0.3)), function(t) -as.numeric(gpLoglik(covModel(
    "exponential", variance = exp(t[1]), nugget = exp(t[2]), range = at), x, d$z, fit$X)),
    control = list(reltol = 1e-12))
  expect_equal(fit$loglik + best$value, fall, tolerance = 1e-4)
  d$smooth <- sin(3 * d$x) + d$u
  smooth <- gpFit(smooth ~ u, d, ~ x + y, covModel("exponential", range = NA, nugget = NA))
  limits <- confint(smooth, method = "profile")
  expect_identical(limits["nugget", 1], 0)
  expect_gt(limits["nugget", 2], 0)
  expect_equal(smooth$loglik - update(smooth, fixed = list(nugget = limits["nugget", 2]))$loglik, fall,
               tolerance = 1e-4)
  restricted <- update(fit, estimator = "REML")
  expect_message(limits <- confint(restricted, c("u", "nugget"), method = "profile"), "no profile for coefficients")
  expect_identical(limits["u", ], confint(restricted, method = "transformed")["u", ])
  held <- update(fit, fixed = list(nugget = 0.3))
  limits <- confint(held, c("nugget", "range"), method = "profile")
  expect_true(all(is.na(limits[1, ])) && all(!is.na(limits[2, ])))
  known <- gpFit(z ~ u, d, ~ x + y, fit$cov, fixed = TRUE)
  expect_equal(confint(known, 1:2, method = "profile"), confint(known, 1:2), tolerance = 1e-6)
  # a profile goes through the estimates, those on a bound that are fixed included
  curve <- profile(held, "range", points = 1)$range
  expect_identical(curve$par.vals[curve$tau == 0, ], coef(held, "all"))
})

test_that("a variance has no upper limit where the range has none, and plots of profiles show all points", {
  set.seed(3)
  d <- data.frame(x = 1:16, z = cumsum(rnorm(16)))
  fit <- gpFit(z ~ 1, d, ~ x, "exponential", estimator = "REML", fixed = list(nugget = 0))
  limits <- confint(fit, c("variance", "range"), method = "profile")
  expect_identical(unname(limits[, 2]), c(Inf, Inf))
  expect_true(all(limits[, 1] > 0.1))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(profile(fit, "range", points = 3))
  expect_true(graphics::par("xlog"))
})

test_that("profile limits do not depend on the unit of the response, and a smoothness has a last one", {
  d <- some_field(40)
  limits <- function(unit) {
    d$z <- unit * d$z
    confint(gpFit(z ~ 1, d, ~ x + y, "exponential"), c("variance", "nugget"), method = "profile") / unit^2
  }
  here <- limits(1)
  expect_false(anyNA(here))
  expect_equal(limits(1e12), here, tolerance = 1e-4)
  expect_equal(limits(1e-12), here, tolerance = 1e-4)
  d$z <- d$z + 3 * sin(4 * d$x)
  expect_identical(confint(gpFit(z ~ 1, d, ~ x + y), "smoothness", method = "profile")[2], Inf)
  d$z <- 1e-80 * d$z
  expect_error(gpFit(z ~ 1, d, ~ x + y), "between 1e-70 and 1e70", class = "statcl_error_input")
  d$z <- 1e160 * d$z
  expect_error(gpFit(z ~ 1, d, ~ x + y), "between 1e-70 and 1e70", class = "statcl_error_input")
})

test_that("an estimate on its upper boundary has a lower limit", {
  d <- some_field()
  set.seed(4)
  S <- covariance(covModel("gaussian", range = 0.4, nugget = 0.05), as.matrix(d[c("x", "y")]))
  d$z <- as.vector(crossprod(chol(S), rnorm(60)))
  fit <- gpFit(z ~ 1, d, ~ x + y, "powexp")
  expect_identical(fit$parameters["shape", "boundary"], "upper")
  limits <- confint(fit, "shape", method = "profile")
  expect_identical(limits[2], 2)
  expect_equal(fit$loglik - update(fit, fixed = list(shape = limits[1]))$loglik, qchisq(0.95, 1) / 2,
               tolerance = 1e-3)
})

test_that("the shape of a compact support has its smallest value for a limit", {
  skip_unless_all()
  set.seed(4)
  d <- data.frame(x = runif(50), y = runif(50))
  d$z <- sin(5 * d$x) + rnorm(50, 0, 0.2)
  fit <- gpFit(z ~ 1, d, ~ x + y, "wendland", fixed = list(smoothness = 1))
  expect_equal(suppressWarnings(confint(fit, "shape", method = "profile"))[1], 2.5)
})

test_that("a profile that meets a larger maximum goes on from there, and says so", {
  d <- some_field()
  fit <- gpFit(z ~ u, d, ~ x + y, "exponential")
  low <- update(fit, fixed = list(range = 0.02))
  low$parameters$fixed <- fit$parameters$fixed
  expect_warning(limits <- confint(low, "range", method = "profile"), "a larger maximum than the fit",
                 class = "statcl_warning_better_fit")
  expect_equal(limits, confint(fit, "range", method = "profile"), tolerance = 1e-4)
  told <- tryCatch(confint(low, "range", method = "profile"), statcl_warning_better_fit = identity)
  expect_equal(unlist(told$start), coef(fit, "covariance")[c("variance", "range", "nugget")], tolerance = 1e-3)
  # without coefficients of the mean, too
  fit <- gpFit(z ~ 0, d, ~ x + y, "exponential")
  low <- update(fit, fixed = list(range = 0.02))
  low$parameters$fixed <- fit$parameters$fixed
  expect_warning(limits <- confint(low, "range", method = "profile"), "a larger maximum than the fit")
  expect_equal(limits, confint(fit, "range", method = "profile"), tolerance = 1e-4)
})

test_that("profiles have limits of axes, shapes and several parts", {
  d <- some_field(80, 2)
  turned <- gpFit(z ~ u, d, ~ x + y, covModel("exponential", range = NA, angle = NA, ratio = NA),
                  fixed = list(nugget = 0))
  limits <- suppressWarnings(confint(turned, c("angle", "ratio"), method = "profile"))
  expect_true(all(limits[, 1] <= coef(turned, "all")[rownames(limits)]))
  expect_true(all(limits[, 2] >= coef(turned, "all")[rownames(limits)]))
  expect_lte(limits["ratio", 2], 1)
  expect_lte(diff(limits["angle", ]), 180)
})

test_that("R's own factor gives the same residuals", {
  d <- some_field()
  fit <- gpFit(z ~ u + g, d, ~ x + y, covModel("exponential", range = 0.2, nugget = 0.3), fixed = TRUE)
  all <- function() list(residuals(fit, "standardized"), residuals(fit, "loo"), cooks.distance(fit), varcomp(fit))
  packed <- all()
  old <- options(statcl.blas = "R")
  on.exit(options(old))
  expect_equal(all(), packed, tolerance = 1e-12)
})

test_that("tidy(), glance() and augment() give plain tables", {
  skip_if_not_installed("generics")
  d <- some_field()
  fit <- gpFit(z ~ u + g, d, ~ x + y, "exponential")
  table <- generics::tidy(fit, conf.int = TRUE, conf.level = 0.9)
  expect_identical(table$term, c(names(coef(fit)), "variance", "range", "nugget"))
  expect_identical(table$component, rep(c("mean", "covariance"), c(4, 3)))
  tests <- summary(fit)$coefficients
  expect_equal(table$std.error, c(tests[, "Std. Error"], sqrt(diag(vcov(fit, "covariance")))[table$term[5:7]]),
               ignore_attr = TRUE)
  expect_equal(cbind(table$conf.low, table$conf.high), confint(fit, level = 0.9), ignore_attr = TRUE)
  expect_equal(table$p.value[1:4], tests[, "Pr(>|t|)"], ignore_attr = TRUE)
  expect_identical(generics::tidy(fit, "covariance")$term, c("variance", "range", "nugget"))
  one <- generics::glance(fit)
  expect_identical(nrow(one), 1L)
  expect_equal(one$BIC, BIC(fit))
  expect_equal(one$pseudo.r.squared, summary(fit)$r.squared)
  each <- generics::augment(fit, se_fit = TRUE)
  expect_named(each, c("z", "u", "g", "x", "y", ".fitted", ".resid", ".std.resid", ".hat", ".cooksd", ".se.fit"))
  expect_equal(each$.se.fit, predict(fit, interval = "confidence", se.fit = TRUE)[, "se.fit"], ignore_attr = TRUE)
  expect_equal(each$.cooksd, cooks.distance(fit), ignore_attr = TRUE)
  d$u[5] <- NA
  gap <- update(fit, na.action = na.exclude)
  expect_identical(which(is.na(generics::augment(gap, d)$.std.resid)), 5L)
  expect_false(anyNA(generics::augment(gap)))
  expect_error(generics::augment(gap, d[1:7, ]), "must have a row for each observation")
  expect_error(generics::augment(fit, newdata = 1), "newdata = numeric")
  skip_if_not(is.function(getS3method("predict", "gpFit", optional = TRUE)))
  new <- generics::augment(fit, newdata = d[1:3, ], se_fit = TRUE)
  expect_identical(names(new), c(names(d), ".fitted", ".se.fit", ".resid"))
  expect_equal(new$.fitted, predict(fit, d[1:3, ])$fit)
  expect_equal(new$.resid, d$z[1:3] - new$.fitted)
})

test_that("variograms of residuals are half the mean squared differences, beside that of the fit", {
  d <- some_field()
  x <- as.matrix(d[c("x", "y")])
  check <- function(fit, distance, model) {
    v <- statcl:::gp_variogram(fit, 1e6)
    half <- outer(residuals(fit), residuals(fit), `-`)^2 / 2
    pair <- lower.tri(half) & distance <= v$to
    class <- factor(ceiling(distance[pair] * 15 / v$to))
    expect_equal(v$table$variogram, as.vector(tapply(half[pair], class, mean)))
    expect_equal(v$table$distance, as.vector(tapply(distance[pair], class, mean)))
    expect_equal(v$table$pairs, as.vector(table(class)))
    expected <- sum(coef(fit, "covariance")[c("variance", "nugget")]) - model
    if (is.null(v$curve)) expect_equal(v$model$variogram, as.vector(tapply(expected[pair], class, mean)))
    else {
      expect_equal(v$curve(distance[pair]), expected[pair])
      expect_equal(v$curve(v$model$distance), v$model$variogram)
    }
  }
  model <- covModel("exponential", range = 0.2, variance = 2, nugget = 0.3)
  fit <- gpFit(z ~ u, d, ~ x + y, model, fixed = TRUE)
  check(fit, as.matrix(dist(x)), covariance(update(model, nugget = 0), x))
  turned <- update(model, angle = 30, ratio = 0.3)
  check(gpFit(z ~ u, d, ~ x + y, turned, fixed = TRUE), as.matrix(dist(x)), covariance(update(turned, nugget = 0), x))
  round <- covModel("exponential", range = 1e3, distance = "greatcircle", variance = 2, nugget = 0.3)
  turn <- acos(pmin(tcrossprod(statcl:::sphere_points(x, 1)), 1)) * 6371
  diag(turn) <- 0
  check(gpFit(z ~ u, d, ~ x + y, round, fixed = TRUE), turn, 2 * exp(-turn / 1e3))
  d$t <- rep(1:2, 30)
  times <- covModel("separable", space = model, time = covModel("exponential", range = 2), variance = 2, nugget = 0.3)
  moving <- gpFit(z ~ u, d, ~ x + y + t, times, fixed = TRUE)
  now <- ifelse(outer(d$t, d$t, `==`), as.matrix(dist(x)), Inf)
  check(moving, now, covariance(update(model, nugget = 0), x))
})

test_that("plots are drawn where they have a meaning, and refused with a reason", {
  d <- some_field()
  pdf(NULL)
  on.exit(dev.off())
  model <- covModel("exponential", range = 0.2, variance = 2, nugget = 0.3)
  fit <- gpFit(z ~ u, d, ~ x + y, model, fixed = TRUE)
  old <- par("mar")
  expect_identical(plot(fit), fit)
  expect_identical(par("mar"), old)
  expect_silent(plot(fit, c("data", "qq"), main = "mine", col = "red", key = FALSE))
  # a covariate is not known between the data, and the process without its mean is drawn
  surface <- statcl:::gp_surface(fit, 6)
  points <- data.frame(expand.grid(x = surface$axes[[1]], y = surface$axes[[2]]), u = 1.5)
  expect_equal(surface$values[, "fit"], predict(fit, points)$fit - drop(cbind(1, 1.5) %*% coef(fit)))
  expect_silent(plot(fit, c("surface", "se"), n = 6))
  expect_identical(statcl:::surface_label(fit), "process without its mean: z")
  shifted <- gpFit(z ~ 1, d, ~ x + y, model, fixed = TRUE, offset = u)
  expect_equal(statcl:::gp_surface(shifted, 6)$values[, "fit"],
               predict(shifted, cbind(points[1:2], u = 0))$fit - coef(shifted)[[1]])
  counts <- gpFit(round(exp(z / 3)) ~ u, d, ~ x + y, model, fixed = TRUE, family = poisson)
  expect_equal(statcl:::gp_surface(counts, 6)$values[, "fit"],
               predict(counts, points, type = "link")$fit - drop(cbind(1, 1.5) %*% coef(counts)), tolerance = 1e-6)
  expect_input_error(plot(fit, "surface", points = "no"), "points = no")
  expect_error(plot(fit, "map"), "which = map: which must be among")
  times <- covModel("separable", space = model, time = covModel("exponential", range = 2), variance = 2, nugget = 0.3)
  d$t <- rep(1:2, 30)
  moving <- gpFit(z ~ 1, d, ~ x + y + t, times, fixed = TRUE)
  expect_silent(plot(moving))
  expect_error(plot(moving, "data"), "no maps of space and time")
  d$h <- runif(60)
  expect_error(plot(gpFit(z ~ 1, d, ~ x + y + h, model, fixed = TRUE), "se"), "no maps of points in space")
  skip_if_not(is.function(getS3method("predict", "gpFit", optional = TRUE)))
  line <- gpFit(z ~ x, d, ~ x, model, fixed = TRUE)
  plane <- gpFit(z ~ x, d, ~ x + y, model, fixed = TRUE)
  expect_silent(plot(line, n = 20))
  expect_silent(plot(plane, n = 20))
  expect_silent(plot(gpFit(z ~ 1, d, ~ x + y, update(model, distance = "chordal"), fixed = TRUE), n = 20))
  surface <- statcl:::gp_surface(plane, 7)
  points <- expand.grid(x = surface$axes[[1]], y = surface$axes[[2]])
  expect_equal(surface$values[, "fit"], predict(plane, points)$fit)
  expect_equal(range(surface$axes[[1]]), range(d$x))
})

test_that("observations are drawn over a surface unless they are many or unwanted", {
  d <- some_field()
  fit <- gpFit(z ~ 1, d, ~ x + y, covModel("exponential", range = 0.2, nugget = 0.1), fixed = TRUE)
  crosses <- function(..., of = fit) {
    file <- tempfile(fileext = ".pdf")
    grDevices::pdf(file, compress = FALSE)
    on.exit(unlink(file))
    plot(of, "surface", n = 4, key = FALSE, ...)
    grDevices::dev.off()
    sum(grepl("1.000 1.000 1.000 SCN", readLines(file, warn = FALSE), fixed = TRUE, useBytes = TRUE))
  }
  expect_gt(crosses(), 0)
  expect_identical(crosses(points = FALSE), 0L)
  many <- data.frame(x = runif(1001), y = runif(1001), z = rnorm(1001))
  many <- gpFit(z ~ 1, many, ~ x + y, fit$cov, fixed = TRUE)
  expect_identical(crosses(of = many), 0L)
  expect_gt(crosses(of = many, points = TRUE), 0)
})

test_that("maps have the aspect of their latitude, and keys the colours that were drawn", {
  d <- some_field()
  d$x <- 10 * d$x
  d$y <- 50 + 10 * d$y
  fit <- gpFit(z ~ 1, d, ~ x + y, fixed = TRUE,
               covModel("exponential", range = 100, nugget = 0.1, distance = "chordal"))
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file, compress = FALSE)
  on.exit(unlink(file))
  grDevices::dev.control("enable")
  aspect <- function() {
    calls <- grDevices::recordPlot()[[1L]]
    window <- Filter(function(call) call[[2L]][[1L]]$name == "C_plot_window", calls)
    window[[length(window)]][[2L]][[5L]]
  }
  plot(gpCV(fit, "loo"), "map")
  wide <- aspect()
  plot(fit, "data", key = FALSE)
  points <- aspect()
  plot(fit, "surface", key = FALSE, n = 10)
  surface <- aspect()
  plot(fit, "variogram", col = "#123456")
  grDevices::dev.off()
  expect_equal(c(wide, points, surface), rep(1 / cospi(mean(range(d$y)) / 180), 3))
  expect_identical(statcl:::map_aspect(NULL, d$y), 1)
  colour <- paste(sprintf("%.3f", c(0x12, 0x34, 0x56) / 255), collapse = " ")
  drawn <- grep(paste(colour, "scn"), readLines(file, warn = FALSE), fixed = TRUE, useBytes = TRUE)
  expect_length(drawn, 2L) # the points and the key
})

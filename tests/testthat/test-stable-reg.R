# stableReg(): the maximum, its covariance, lm()'s conventions, methods.
old_threads <- options(statcl.threads = 1) # thousands of short calls
reg_sample <- function(n, alpha, beta, seed = 1, gamma = 1) {
  set.seed(seed)
  data <- data.frame(x = rnorm(n), g = factor(rep(letters[1:3], length.out = n)))
  data$y <- 1 + 2 * data$x + 0.5 * (data$g == "b") + rstable(n, alpha, beta, gamma)
  data
}

# The log likelihood at c(coefficients, shape), written again.
reg_likelihood <- function(par, x, y, weights = 1) {
  k <- ncol(x)
  sum(weights * dstable(y - drop(x %*% par[seq_len(k)]), par[k + 1], par[k + 2], par[k + 3], log = TRUE))
}

tidy <- getFromNamespace("tidy.statclFit", "statcl")
glance <- getFromNamespace("glance.stableReg", "statcl")
augment <- getFromNamespace("augment.stableReg", "statcl")

test_that("no optimiser finds a better fit, and the information is that of differences", {
  for (law in list(c(1.5, 0.4), c(0.7, 0.3))) {
    data <- reg_sample(150, law[1], law[2])
    fit <- stableReg(y ~ x + g, data)
    expect_true(fit$converged)
    x <- model.matrix(fit)
    at <- coef(fit, "all")
    expect_equal(reg_likelihood(at, x, data$y), fit$loglik, tolerance = 1e-12)
    to <- function(t) c(t[1:4], 2 * plogis(t[5]), tanh(t[6]), exp(t[7]))
    minus <- function(t) min(-reg_likelihood(to(t), x, data$y), 1e10)
    t <- c(at[1:4] + c(0.1, -0.1, 0.05, 0), qlogis(at[[5]] / 2) + 0.1, atanh(at[[6]]) - 0.1, log(at[[7]]) + 0.1)
    for (restart in 1:4) {
      found <- optim(t, minus, control = list(maxit = 500, reltol = 1e-11))
      t <- found$par
    }
    expect_gt(fit$loglik, -found$value - 1e-6)
    if (law[1] > 1) expect_lt(fit$loglik, -found$value + 1e-3) # the other search came to the same maximum
    scale <- sqrt(diag(fit$vcov))
    hessian <- optimHess(at / scale, function(s) reg_likelihood(s * scale, x, data$y),
                         control = list(ndeps = rep(2e-3, 7)))
    expect_equal(unname(solve(-hessian) * outer(scale, scale) / fit$vcov), matrix(1, 7, 7), tolerance = 5e-3,
                 label = paste(law, collapse = ", "))
  }
})

test_that("a model of the intercept alone is stableFit()", {
  for (law in list(c(1.6, 0.5), c(0.7, -0.4), c(1.3, 1))) {
    set.seed(3)
    y <- rstable(200, law[1], law[2], 2, 5)
    plain <- stableFit(y)
    fit <- stableReg(y ~ 1)
    expect_lt(abs(fit$loglik - plain$loglik), 1e-7)
    expect_gt(fit$loglik, plain$loglik - 1e-8)
    expect_equal(coef(fit, "all")[c("alpha", "beta", "gamma", "(Intercept)")], coef(plain), tolerance = 1e-5,
                 ignore_attr = TRUE)
    expect_equal(unname(vcov(fit, "all")[c(2:4, 1), c(2:4, 1)]), unname(vcov(plain)), tolerance = 1e-3)
    expect_identical(fit$parameters["beta", "boundary"], plain$parameters["beta", "boundary"])
  }
  set.seed(4)
  y <- rstable(150, 1.6, 0.5)
  none <- stableReg(y ~ 0)
  expect_length(coef(none), 0)
  expect_equal(none$loglik, stableFit(y, fixed = list(delta = 0))$loglik, tolerance = 1e-10)
  expect_output(print(summary(none)), "No coefficients")
})

test_that("normal errors give lm() exactly, with the boundary reported", {
  set.seed(2)
  data <- data.frame(x = rnorm(100))
  data$y <- 1 + data$x + rnorm(100)
  fit <- stableReg(y ~ x, data)
  reference <- lm(y ~ x, data)
  expect_identical(fit$shape[["alpha"]], 2)
  expect_identical(fit$parameters["alpha", "boundary"], "upper")
  expect_equal(coef(fit), coef(reference), tolerance = 1e-12)
  expect_equal(fit$shape[["gamma"]], sqrt(sum(resid(reference)^2) / 200), tolerance = 1e-12)
  expect_equal(vcov(fit), vcov(reference) * 98 / 100, tolerance = 1e-8)
  expect_equal(c(logLik(fit)), c(logLik(reference)), tolerance = 1e-10)
  expect_equal(attr(logLik(fit), "df"), 4) # beta has no effect
  expect_true(all(is.na(diag(vcov(fit, "shape"))[1:2])))
  expect_output(print(fit), "alpha is on its boundary 2")
  expect_equal(coef(stableReg(y ~ x, data, fixed = list(alpha = 2))), coef(reference), tolerance = 1e-12)
  for (case in list(list(dist ~ speed, cars), list(Fertility ~ ., swiss), list(breaks ~ wool * tension, warpbreaks)))
    expect_gt(stableReg(case[[1]], case[[2]])$loglik, c(logLik(lm(case[[1]], case[[2]]))) - 1e-9)
})

test_that("skewness on its boundary is found, also where the errors have an end point", {
  data <- reg_sample(150, 1.3, 1, seed = 5)
  fit <- stableReg(y ~ x, data)
  expect_identical(c(fit$shape[["beta"]], fit$parameters["beta", "boundary"]), c("1", "upper"), ignore_attr = TRUE)
  expect_gt(fit$loglik, stableReg(y ~ x, data, fixed = list(beta = 0.999))$loglik)
  expect_true(is.na(vcov(fit, "all")["beta", "beta"]))
  expect_false(anyNA(vcov(fit)))
  data <- reg_sample(150, 0.6, -1, seed = 6)
  fit <- stableReg(y ~ x, data)
  expect_identical(fit$shape[["beta"]], -1)
  end <- fit$shape[["gamma"]] * tan(pi / 2 * fit$shape[["alpha"]])
  expect_lt(max(residuals(fit)), end)
  expect_lt(abs(coef(fit)[["x"]] - 2) / sqrt(vcov(fit)[2, 2]), 3.5)
})

test_that("the likelihood reported is that of the fit reported, also where beta comes back to its boundary", {
  set.seed(21)
  x <- matrix(rnorm(75), 25)
  y <- 1 + x[, 1] + rstable(25, 1.3, 1)
  fit <- suppressWarnings(stableReg(y ~ x))
  expect_equal(reg_likelihood(coef(fit, "all"), cbind(1, x), y), fit$loglik, tolerance = 1e-10)
})

test_that("slopes of heavy-tailed data are better than those of least squares, and standard errors are theirs", {
  slope <- vapply(seq_len(repetitions(25, 50)), function(seed) {
    set.seed(seed)
    x <- rnorm(60)
    y <- 1 + 2 * x + rstable(60, 1.5, 0.5)
    fit <- stableReg(y ~ x)
    c(coef(fit)[["x"]], coef(lm(y ~ x))[["x"]], sqrt(vcov(fit)[2, 2]))
  }, numeric(3)) - c(2, 2, 0)
  rmse <- sqrt(rowMeans(slope^2))
  expect_lt(rmse[1], 0.9 * rmse[2])
  expect_lt(abs(log(rmse[1] / rmse[3])), 0.35)
})

test_that("the fit moves with the units of the response and of the columns", {
  data <- reg_sample(120, 1.4, 0.6)
  fit <- stableReg(y ~ x + g, data)
  moved <- stableReg(I(3 + 1e-5 * y + 4 * x) ~ I(1e6 * x) + g, data)
  expect_equal(unname(coef(moved)), unname(coef(fit) * 1e-5 + c(3, 4, 0, 0)) * c(1, 1e-6, 1, 1), tolerance = 1e-8)
  expect_equal(moved$shape, fit$shape * c(1, 1, 1e-5), tolerance = 1e-5)
  expect_equal(sqrt(diag(vcov(moved))), sqrt(diag(vcov(fit))) * c(1e-5, 1e-11, 1e-5, 1e-5), tolerance = 1e-4,
               ignore_attr = TRUE)
  mirror <- stableReg(-y ~ x + g, data)
  expect_equal(coef(mirror), -coef(fit), tolerance = 1e-5)
  expect_equal(mirror$shape[["beta"]], -fit$shape[["beta"]], tolerance = 1e-4)
})

test_that("weights count cases, offsets are subtracted, subset and missing values follow lm()", {
  data <- reg_sample(90, 1.5, 0.3)
  data$w <- rep(c(1, 3, 0, 2, 1), 18)
  weighted <- stableReg(y ~ x, data, weights = w)
  repeated <- stableReg(y ~ x, data[rep(1:90, data$w), ])
  expect_equal(weighted$loglik, repeated$loglik, tolerance = 1e-9)
  expect_equal(coef(weighted, "all"), coef(repeated, "all"), tolerance = 1e-5)
  expect_equal(vcov(weighted, "all"), vcov(repeated, "all"), tolerance = 1e-3)
  expect_identical(nobs(weighted), nobs(repeated) + 0)
  expect_equal(AIC(weighted), AIC(repeated))
  expect_length(residuals(weighted), 90)

  data$o <- 3 * data$x
  plain <- stableReg(y ~ x, data)
  for (fit in list(stableReg(y ~ x + offset(o), data), stableReg(y ~ x, data, offset = o))) {
    expect_equal(coef(fit), coef(plain) - c(0, 3), tolerance = 1e-6)
    expect_equal(fitted(fit), fitted(plain), tolerance = 1e-6)
    expect_equal(predict(fit, data[4:6, ]), fitted(fit)[4:6], tolerance = 1e-12)
  }

  data$y[7] <- NA
  without <- stableReg(y ~ x + g, data, subset = -7)
  for (na in list(na.omit, na.exclude)) {
    fit <- stableReg(y ~ x + g, data, na.action = na)
    reference <- lm(y ~ x + g, data, na.action = na)
    expect_equal(coef(fit), coef(without), tolerance = 1e-10)
    expect_identical(names(residuals(fit)), names(residuals(reference)))
    expect_identical(names(fitted(fit)), names(fitted(reference)))
    expect_identical(is.na(residuals(fit, "quantile")), is.na(residuals(reference)))
    expect_identical(is.na(predict(fit)), is.na(predict(reference)))
    expect_identical(dim(simulate(fit, 2, seed = 1)), dim(simulate(reference, 2, seed = 1)))
    expect_identical(nrow(augment(fit)), 89L)
  }
  expect_identical(which(is.na(augment(fit, data)$.resid)), 7L)
  expect_error(stableReg(y ~ x, data, na.action = na.fail), "missing values")
})

test_that("dependent columns have the coefficient NA, as in lm()", {
  data <- reg_sample(80, 1.5, 0)
  data$twice <- 2 * data$x
  fit <- stableReg(y ~ x + twice + g, data)
  full <- stableReg(y ~ x + g, data)
  expect_identical(is.na(coef(fit)), is.na(coef(lm(y ~ x + twice + g, data))))
  expect_equal(coef(fit, complete = FALSE), coef(full), tolerance = 1e-8)
  expect_equal(fit$loglik, full$loglik, tolerance = 1e-12)
  expect_true(all(is.na(vcov(fit)["twice", ])))
  expect_equal(vcov(fit, complete = FALSE), vcov(full), tolerance = 1e-6)
  expect_identical(fit$df, full$df)
  expect_output(print(summary(fit)), "1 not defined")
  expect_warning(at <- predict(fit, data[1:3, ], se.fit = TRUE), "rank-deficient")
  expect_equal(at$se.fit, predict(full, data[1:3, ], se.fit = TRUE)$se.fit, tolerance = 1e-6)
})

test_that("without an intercept the errors keep their location", {
  set.seed(8)
  x <- rnorm(150)
  y <- 2 * x + rstable(150, 1.4, 0.5)
  fit <- stableReg(y ~ 0 + x)
  expect_lt(max(abs(coef(fit, "all") - c(2, 1.4, 0.5, 1)) / sqrt(diag(fit$vcov))), 3.5)
  found <- optim(coef(fit, "all") + 0.05, function(t) -reg_likelihood(t, cbind(x), y), control = list(maxit = 1000))
  expect_gt(fit$loglik, -found$value - 1e-6)
  # an intercept by another name
  g <- gl(3, 50)
  expect_equal(stableReg(y ~ 0 + g + x)$loglik, stableReg(y ~ g + x)$loglik, tolerance = 1e-10)
})

test_that("fixed parameters and starts", {
  data <- reg_sample(100, 1.5, 0.4)
  free <- stableReg(y ~ x, data)
  for (fixed in list(list(beta = 0), c(alpha = 1.5, gamma = 1), list(alpha = 1, beta = 0, gamma = 0.8))) {
    fit <- stableReg(y ~ x, data, fixed = fixed)
    known <- names(fixed)
    expect_identical(unlist(fit$shape[known]), unlist(fixed))
    expect_lt(fit$loglik, free$loglik)
    expect_equal(attr(logLik(fit), "df"), 5 - length(known))
    expect_true(all(is.na(vcov(fit, "all")[known, ])))
    expect_false(anyNA(vcov(fit)))
    for (j in 1:2) for (side in c(-0.02, 0.02)) {
      at <- coef(fit, "all")
      at[j] <- at[j] + side
      expect_lt(reg_likelihood(at, model.matrix(fit), data$y), fit$loglik)
    }
  }
  for (start in list(list(alpha = 1.2, beta = -0.5, gamma = 4), list(coefficients = c(10, -5)),
                     list(alpha = 1.8, beta = 0.9, gamma = 0.2, coefficients = c(x = 1, "(Intercept)" = 0)))) {
    fit <- stableReg(y ~ x, data, start = start)
    expect_equal(fit$loglik, free$loglik, tolerance = 1e-9)
  }
  # a start adds to the others
  again <- stableReg(y ~ x, data, start = c(as.list(free$shape), list(coefficients = coef(free))))
  expect_equal(again$loglik, free$loglik, tolerance = 1e-12)
  expect_gte(again$iterations, free$iterations)
})

test_that("a search without a maximum says so", {
  skip_if_quick()
  set.seed(9)
  x <- rnorm(40)
  y <- 2 * x
  y[1:10] <- y[1:10] + 1:10 # thirty cases on a line
  expect_error(stableReg(y ~ x), "30 of 40 cases .* leave these cases out", class = "statcl_error_input")
})

test_that("limits of quantiles are those of quantile() for a distribution alone", {
  set.seed(3)
  y <- rstable(60, 1.3, 0.5)
  limits <- predict(stableReg(y ~ 1), data.frame(x = 1), type = "quantile", probs = 0.99, interval = "confidence")
  expect_equal(unname(limits[1, ]), unname(quantile(stableFit(y), 0.99, interval = TRUE)[, -2]), tolerance = 1e-5)
})

test_that("predictions are those of the distribution", {
  data <- reg_sample(100, 1.5, 0.2)
  fit <- stableReg(y ~ x * g, data)
  expect_false(anyNA(fit$vcov))
  new <- data.frame(x = c(-1, 0.5), g = c("c", "a"))
  location <- drop(cbind(1, new$x, 0, c(1, 0), 0, c(-1, 0)) %*% coef(fit))
  law <- as.list(fit$shape)
  expect_equal(unname(predict(fit, new)), location, tolerance = 1e-12)
  expect_equal(predict(fit), fitted(fit))
  quantile <- function(p) do.call(qstable, c(list(p), law))
  expect_equal(unname(predict(fit, new, type = "quantile", probs = 0.05)), location + quantile(0.05),
               tolerance = 1e-12)
  expect_equal(unname(predict(fit, new, type = "mean")), location + do.call(esstable, c(list(1), law)),
               tolerance = 1e-10)
  tails <- predict(fit, new, type = "quantile", probs = c(0.05, 0.99), se.fit = TRUE)
  expect_identical(colnames(tails$fit), c("5%", "99%"))
  for (k in 1:2) {
    one <- predict(fit, new, type = "quantile", probs = c(0.05, 0.99)[k], se.fit = TRUE)
    expect_equal(tails$fit[, k], one$fit)
    expect_equal(unname(tails$se.fit[, k]), unname(one$se.fit))
  }
  limits <- predict(fit, new, interval = "prediction", level = 0.8)
  expect_equal(unname(limits[, "upr"]), location + quantile(0.9), tolerance = 1e-12)
  both <- predict(fit, new, interval = "confidence", se.fit = TRUE)
  expect_equal(both$fit[, "lwr"], both$fit[, "fit"] - qnorm(0.975) * both$se.fit, tolerance = 1e-12)
  # the delta method for the quantile, by differences in all parameters
  value <- function(par) par[1] + new$x[2] * par[2] + qstable(0.05, par[7], par[8], par[9])
  at <- unname(coef(fit, "all"))
  slope <- vapply(1:9, function(j) (value(at + 1e-4 * (1:9 == j)) - value(at - 1e-4 * (1:9 == j))) / 2e-4, 1)
  expect_equal(predict(fit, new[2, ], type = "quantile", probs = 0.05, se.fit = TRUE)$se.fit,
               sqrt(drop(slope %*% fit$vcov %*% slope)), tolerance = 1e-5, ignore_attr = TRUE)
  mean_of <- function(par) par[1] + new$x[2] * par[2] - par[9] * par[8] * tan(pi / 2 * par[7])
  slope <- vapply(1:9, function(j) (mean_of(at + 1e-4 * (1:9 == j)) - mean_of(at - 1e-4 * (1:9 == j))) / 2e-4, 1)
  expect_equal(predict(fit, new[2, ], type = "mean", se.fit = TRUE)$se.fit, sqrt(drop(slope %*% fit$vcov %*% slope)),
               tolerance = 1e-5, ignore_attr = TRUE)
  expect_error(predict(fit, data.frame(x = 1, g = "d")), "newdata\\$g = d: newdata\\$g has a level that the data of")
  heavy <- stableReg(y ~ x, reg_sample(60, 0.8, 0), fixed = list(alpha = 0.9))
  expect_warning(mean <- predict(heavy, type = "mean"), "no mean")
  expect_true(all(is.nan(mean)))
})

test_that("residuals are uniform or normal when the model is right", {
  data <- reg_sample(2000, 1.5, 0.5)
  fit <- stableReg(y ~ x + g, data, start = list(alpha = 1.5, beta = 0.5, gamma = 1))
  expect_gt(ks.test(residuals(fit, "pit"), "punif")$p.value, 0.01)
  expect_equal(pnorm(residuals(fit, "quantile")), residuals(fit, "pit"), tolerance = 1e-10)
  expect_true(all(is.finite(residuals(fit, "quantile"))))
  expect_equal(residuals(fit), data$y - fitted(fit), ignore_attr = TRUE)
})

test_that("simulate() follows seeds and the distribution", {
  data <- reg_sample(60, 1.5, 0.5)
  fit <- stableReg(y ~ x, data)
  set.seed(1)
  state <- .Random.seed
  a <- simulate(fit, 3, seed = 7)
  expect_identical(.Random.seed, state)
  expect_identical(simulate(fit, 3, seed = 7), a)
  expect_false(identical(simulate(fit, 3, seed = 8), a))
  expect_identical(dim(a), c(60L, 3L))
  many <- unlist(simulate(fit, 50, seed = 1) - fitted(fit))
  expect_gt(do.call(ks.test, c(list(many, "pstable"), as.list(fit$shape)))$p.value, 0.001)
})

test_that("anova() tests nested fits", {
  data <- reg_sample(100, 1.5, 0.4)
  big <- stableReg(y ~ x + g, data)
  small <- update(big, . ~ . - g)
  table <- anova(small, big)
  statistic <- 2 * (big$loglik - small$loglik)
  expect_equal(table$Chisq[2], statistic)
  expect_equal(table$"Pr(>Chisq)"[2], pchisq(statistic, 2, lower.tail = FALSE))
  expect_equal(anova(big, small)$Chisq[2], statistic)
  terms <- anova(big)
  expect_identical(rownames(terms), c("NULL", "x", "g"))
  expect_equal(terms$LogLik, c(stableReg(y ~ 1, data)$loglik, small$loglik, big$loglik), tolerance = 1e-9)
  expect_error(anova(big, update(small, subset = -1)), "same observations")
  expect_error(anova(big, lm(y ~ x, data)), "stableReg")
  expect_output(print(anova(update(small, fixed = list(beta = 0)), small)), "beta = 0")
})

test_that("anova() and drop1() count the parameters of models, wherever their estimates are", {
  set.seed(3)
  data <- data.frame(x = rt(100, 2))
  data$y <- 1 + 3 * data$x + rnorm(100)
  large <- stableReg(y ~ x, data)
  small <- stableReg(y ~ 1, data)
  expect_identical(large$shape[["alpha"]], 2)
  expect_lt(small$shape[["alpha"]], 2)
  p <- pchisq(2 * (large$loglik - small$loglik), 1, lower.tail = FALSE)
  for (table in list(anova(small, large), anova(large))) {
    expect_identical(table[["#Df"]], c(4, 5))
    expect_equal(table$Pr[2L], p)
  }
  table <- drop1(large, test = "Chisq")
  expect_identical(table["x", "Df"], 1)
  expect_equal(table["x", "Pr(>Chi)"], p)
  known <- update(large, fixed = list(alpha = 2))
  expect_identical(extractAIC(known)[1L], 3) # beta is no parameter of it
  expect_identical(suppressWarnings(anova(known, large))[["#Df"]], c(3, 5))
  expect_equal(attr(logLik(large), "df"), 4)
})

test_that("methods agree with each other and with base R", {
  data <- reg_sample(80, 1.5, 0.4)
  fit <- stableReg(y ~ x + g, data, contrasts = list(g = "contr.sum"))
  expect_identical(model.matrix(fit), model.matrix(lm(y ~ x + g, data, contrasts = list(g = "contr.sum"))))
  slim <- update(fit, model = FALSE)
  expect_null(slim$model)
  expect_equal(model.frame(slim), model.frame(fit), ignore_attr = TRUE)
  expect_identical(deparse(formula(fit)), "y ~ x + g")
  expect_equal(confint(fit, 1:4), confint.default(fit), ignore_attr = TRUE)
  expect_identical(rownames(confint(fit, c("alpha", "x"))), c("alpha", "x"))
  expect_equal(BIC(fit), 7 * log(80) - 2 * fit$loglik)
  expect_identical(df.residual(fit), 76L)
  table <- summary(fit)$coefficients
  expect_equal(table[, 4], 2 * pnorm(-abs(coef(fit) / sqrt(diag(vcov(fit))))))
  expect_output(print(summary(fit)), "z value")
  expect_equal(tidy(fit, conf.int = TRUE)$conf.low, unname(confint(fit)[, 1]))
  expect_equal(tidy(fit, conf.int = TRUE, conf.method = "wald")$conf.low, unname(confint(fit, method = "wald")[, 1]))
  expect_identical(tidy(fit, "shape")$term, c("alpha", "beta", "gamma"))
  expect_equal(glance(fit)$AIC, AIC(fit))
  expect_equal(augment(fit, newdata = data[3:4, ])$.fitted, unname(fitted(fit)[3:4]), tolerance = 1e-12)
  skip_if_not_installed("generics")
  expect_identical(generics::glance(fit), glance(fit))
})

test_that("plots are drawn", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  data <- reg_sample(60, 1.3, 0.4)
  for (fit in list(stableReg(y ~ x, data), stableReg(y ~ x, data, weights = rep(0:2, 20))))
    for (log in c(FALSE, TRUE)) expect_false(withVisible(plot(fit, log = log, main = "m", pch = 1))$visible)
  expect_error(plot(fit, "none"))
  expect_length(drawn("C_axis", plot(fit, "residuals", axes = FALSE)), 0)
  for (call in drawn("C_axis", plot(fit, "qq", cex.axis = 0.5, las = 2)))
    expect_identical(call[c("cex.axis", "las")], list(cex.axis = 0.5, las = 2))
})

test_that("bad arguments raise errors that name them", {
  data <- reg_sample(30, 1.5, 0)
  bad <- function(fit, pattern) expect_error(fit, pattern, class = "statcl_error_input")
  bad(stableReg(~ x, data), "formula")
  bad(stableReg(g ~ x, data), "g.*numeric")
  bad(stableReg(cbind(y, x) ~ 1, data), "numeric vector")
  bad(stableReg(y ~ x, transform(data, y = replace(y, 3, Inf))), "y\\[3\\] = Inf")
  bad(stableReg(y ~ x, transform(data, x = replace(x, 3, Inf))), "x = Inf")
  bad(stableReg(y ~ x, data[1:9, ]), "9 observations for 2 coefficients")
  bad(stableReg(y ~ poly(x, 15), data), "30 observations for 16 coefficients.*33")
  bad(stableReg(I(2 * x) ~ x, data), "exactly")
  bad(stableReg(y ~ x, data, weights = replace(rep(1, 30), 4, -1)), "weights\\[4\\] = -1")
  bad(stableReg(y ~ x, data, offset = replace(numeric(30), 2, Inf)), "offset\\[2\\] = Inf")
  bad(stableReg(y ~ x, data, fixed = list(delta = 0)), "fixed = delta")
  bad(stableReg(y ~ x, data, fixed = list(alpha = 0.2)), "fixed\\$alpha = 0.2.*0.3")
  bad(stableReg(y ~ poly(x, 8), data, fixed = list(alpha = 0.35)), "fixed\\$alpha = 0.35.*unbounded")
  bad(stableReg(y ~ x, data, start = list(alpha = 1)), "no value for beta, gamma")
  bad(stableReg(y ~ x, data, start = list(coefficients = 1)), "start\\$coefficients.*Intercept")
  bad(stableReg(y ~ x, data, fixed = list(beta = 0), start = list(alpha = 1, beta = 0, gamma = 1)), "is fixed")
  bad(stableReg(y ~ x, data, start = list(coef = 1:2)),
      "start = coef: .*names among alpha, beta, gamma, coefficients")
  bad(stableReg(y ~ x, data, start = list(1.5)), "no names.*coefficients")
  bad(stableReg(y ~ x, data, fixed = list(shape = 1)), "fixed = shape: .*among alpha, beta, gamma$")
  bad(stableReg(y ~ x, data, maxit = 0), "maxit = 0")
  fit <- stableReg(y ~ x, data)
  expect_error(confint(fit, "sigma"), "sigma", class = "statcl_error_input")
  expect_error(confint(fit, level = 2), "level = 2", class = "statcl_error_input")
  expect_error(predict(fit, probs = 2), "probs[1] = 2", fixed = TRUE, class = "statcl_error_input")
  expect_error(predict(fit, type = "quantile", probs = 1:2 / 3, interval = "confidence"), "single",
               class = "statcl_error_input")
  expect_error(plot(fit, 5), "which = 5", class = "statcl_error_input")
  expect_error(confint(fit, method = "score"), "method = score: method must be one of")
  expect_error(predict(fit, type = "quantile", probs = c(0.1, NA)), "probs", class = "statcl_error_input")
  expect_error(augment(fit, data[1:5, ]), "data = 5", class = "statcl_error_input")
})

test_that("step() and drop1() choose terms by the likelihood", {
  data <- reg_sample(60, 1.6, 0)
  data$noise <- cos(1:60)
  data$y <- 1 + 2 * data$x + data$y - stats::fitted(stableReg(y ~ x, data))
  fit <- stableReg(y ~ x + noise, data)
  expect_equal(extractAIC(fit), c(6, AIC(fit)))
  expect_equal(extractAIC(fit, k = log(60))[2], BIC(fit))
  table <- drop1(fit)
  expect_equal(table["x", "AIC"], AIC(update(fit, . ~ . - x)))
  chosen <- step(fit, trace = 0)
  expect_true("x" %in% attr(terms(chosen), "term.labels"))
  expect_lte(AIC(chosen), AIC(fit))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit, which = 1))
})

test_that("the likelihood at profile limits of a regression is lower by the quantile", {
  data <- reg_sample(80, 1.5, 0.4)
  fit <- stableReg(y ~ x, data)
  n <- 80
  fall <- n / 2 * log1p(qf(0.9, 1, n - 5) / (n - 5))
  limits <- confint(fit, level = 0.9, method = "profile")
  expect_identical(rownames(limits), names(coef(fit, "all")))
  expect_equal(unname(confint(fit, c("alpha", "x"), 0.9, "profile")), unname(limits[c("alpha", "x"), ]))
  for (side in 1:2) {
    known <- update(fit, . ~ . - x, offset = limits[["x", side]] * data$x)
    expect_equal(known$loglik, fit$loglik - fall, tolerance = 1e-6)
    known <- stableReg(y ~ 0 + x, data, offset = rep(limits[["(Intercept)", side]], n))
    expect_equal(known$loglik, fit$loglik - fall, tolerance = 1e-6)
    for (name in c("alpha", "beta", "gamma")) {
      value <- limits[[name, side]]
      known <- stableReg(y ~ x, data, fixed = stats::setNames(list(value), name))
      expect_equal(known$loglik, fit$loglik - fall, tolerance = 1e-6, label = name)
    }
  }
  normal <- stableReg(y ~ x, data, fixed = list(alpha = 2, beta = 0))
  square <- lm(y ~ x, data)
  reach <- qt(0.975, n - 3) / sqrt(n - 3) * sqrt(n - 2) * summary(square)$coefficients[, 2]
  limits <- confint(normal, method = "profile")
  expect_equal(limits[1:2, ], coef(square) + outer(reach, c(-1, 1)), ignore_attr = TRUE, tolerance = 1e-5)
  expect_true(all(is.na(limits[c("alpha", "beta"), ])))
  # the shape on scales without boundaries
  transformed <- confint(fit, method = "transformed")
  expect_identical(transformed, confint(fit))
  error <- sqrt(diag(vcov(fit, "all")))
  expect_equal(atanh(transformed["beta", ]), atanh(fit$shape[["beta"]]) + c(-1, 1) * qnorm(0.975) * error[["beta"]] /
    (1 - fit$shape[["beta"]]^2), ignore_attr = TRUE)
  expect_equal(transformed[1:2, ], confint(fit, 1:2, method = "wald"))
})

test_that("regressions with an estimate on a boundary have profile limits, and larger maxima are handed over", {
  data <- reg_sample(60, 2, 0)
  fit <- stableReg(y ~ x, data)
  expect_identical(fit$parameters["alpha", "boundary"], "upper")
  shares <- NULL
  old <- progress_loop
  on.exit(assignInNamespace("progress_loop", old, "statcl"))
  assignInNamespace("progress_loop", function(name, began, fraction) shares <<- c(shares, fraction), "statcl")
  limits <- confint(fit)
  assignInNamespace("progress_loop", old, "statcl")
  expect_false(is.unsorted(shares) || shares[1] < 0 || max(shares) > 1)
  expect_gt(max(shares), 0.8)
  expect_gt(length(unique(round(shares, 1))), 5)
  expect_false(anyNA(limits))
  expect_identical(limits[["alpha", 2]], 2)
  # as long as that does not take long
  many <- fit
  many$residuals <- rep(many$residuals, 300)
  expect_message(fast <- confint(many), "18,000 observations: method = \"profile\"")
  expect_identical(fast, confint(many, method = "transformed"))
  few <- fit
  few$residuals <- rep(few$residuals, 260)
  expect_silent(confint(few, "beta"))
  expect_identical(unname(limits["beta", ]), c(-1, 1))
  skew <- stableReg(y ~ x, reg_sample(60, 1.2, 1))
  expect_identical(skew$shape[["beta"]], 1)
  expect_identical(confint(skew, "beta")[[2]], 1)
  fit <- stableReg(y ~ x, reg_sample(60, 1.4, 0.3))
  worse <- fit
  worse$parameters["x", "estimate"] <- coef(worse)[["x"]] + 0.3
  worse$loglik <- reg_likelihood(coef(worse, "all"), model.matrix(fit), model.response(model.frame(fit)))
  told <- NULL
  limits <- withCallingHandlers(confint(worse, "x", method = "profile"), statcl_warning_better_fit = function(w) {
    told <<- w
    invokeRestart("muffleWarning")
  })
  expect_equal(limits, confint(fit, "x", method = "profile"), tolerance = 1e-5)
  expect_equal(coef(told$fit, "all"), coef(fit, "all"), tolerance = 1e-5)
})

test_that("scores, sandwiches and influence measures are derivatives of the fit", {
  data <- reg_sample(70, 1.5, 0.4)
  fit <- stableReg(y ~ x, data)
  estfun <- getFromNamespace("estfun.stableReg", "statcl")
  scores <- estfun(fit)
  expect_lt(max(abs(colSums(scores)) / sqrt(colSums(scores^2))), 1e-3)
  at <- coef(fit, "all")
  step <- 1e-4 * pmax(sqrt(diag(vcov(fit, "all"))), 1e-3)
  log_f <- function(par) {
    dstable(data$y - drop(model.matrix(fit) %*% par[1:2]), par[3], par[4], par[5], log = TRUE)
  }
  for (j in 1:5) {
    h <- replace(numeric(5), j, step[j])
    expect_equal(unname(scores[, j]), (log_f(at + h) - log_f(at - h)) / (2 * step[j]), tolerance = 1e-5,
                 ignore_attr = TRUE)
  }
  robust <- vcov(fit, "all", type = "sandwich")
  expect_equal(robust, vcov(fit, "all") %*% crossprod(scores) %*% vcov(fit, "all"), ignore_attr = TRUE)
  expect_equal(vcov(fit, type = "sandwich"), robust[1:2, 1:2])
  if (requireNamespace("sandwich", quietly = TRUE)) expect_equal(sandwich::sandwich(fit), robust)
  # leverages: what a response does to its own location
  hat <- hatvalues(fit)
  for (i in c(3, which.min(hat), which.max(hat))) {
    moved <- sapply(c(-1, 1) * 1e-3, function(h) stableReg(y ~ x, within(data, y[i] <- y[i] + h))$fitted.values[[i]])
    expect_equal(hat[[i]], diff(moved) / 2e-3, tolerance = 1e-2)
  }
  # one step of Newton's method tells what the estimates are without a case
  change <- dfbeta(fit)
  for (i in c(1, 5, 40)) {
    without <- coef(fit, "all") - coef(stableReg(y ~ x, data[-i, ]), "all")
    expect_lt(max(abs(change[i, ] - without) / sqrt(diag(vcov(fit, "all")))), 0.02)
  }
  expect_equal(dfbetas(fit), sweep(change, 2, sqrt(diag(vcov(fit, "all"))), `/`))
  part <- change[, 1:2]
  expect_equal(cooks.distance(fit), rowSums((part %*% solve(vcov(fit))) * part) / 2)
  expect_named(influence(fit), c("hat", "dfbeta", "cooks.distance", "scores"))
  normal <- stableReg(y ~ x, data, fixed = list(alpha = 2, beta = 0))
  expect_equal(hatvalues(normal), hatvalues(lm(y ~ x, data)), tolerance = 1e-6)
  # weights count, and rows that were left out are there
  data$y[4] <- NA
  twice <- stableReg(y ~ x, data, weights = rep(2, 70), na.action = na.exclude)
  expect_length(hatvalues(twice), 70)
  expect_true(is.na(cooks.distance(twice)[[4]]))
  expect_equal(sum(hatvalues(twice), na.rm = TRUE), 2, tolerance = 1e-3)
  long <- stableReg(y ~ x, rbind(data[-4, ], data[-4, ]))
  expect_equal(hatvalues(twice)[-4], 2 * hatvalues(long)[1:69], tolerance = 1e-3, ignore_attr = TRUE)
  for (type in c("information", "sandwich"))
    expect_equal(vcov(twice, "all", type = type), vcov(long, "all", type = type), tolerance = 1e-3)
  expect_equal(estfun(twice), 2 * estfun(long)[1:69, ], tolerance = 1e-3, ignore_attr = TRUE)
  short <- twice
  short$unit.vcov[] <- short$vcov[] <- NA
  for (f in c(hatvalues, influence, dfbeta, dfbetas, cooks.distance))
    expect_error(f(short), "model = stableReg: .*standard errors", class = "statcl_error_input")
  expect_error(estfun(short), "x = stableReg: .*standard errors", class = "statcl_error_input")
  expect_identical(vcov(short, "all", type = "sandwich"), vcov(short, "all"))
  fixed <- update(fit, fixed = list(beta = 0))
  expect_identical(is.na(vcov(fixed, "all", type = "sandwich")), is.na(vcov(fixed, "all")))
  # arguments
  few <- influence(fit, do.coef = FALSE)
  expect_identical(few, influence(fit)[c("hat", "scores")])
  expect_error(influence(fit, do.coef = 2:3), "do.coef = 2, 3", class = "statcl_error_input")
  bread <- getFromNamespace("bread.stableReg", "statcl")
  for (f in c(hatvalues, influence, dfbeta, dfbetas, cooks.distance, estfun, bread))
    expect_warning(f(fit, levl = 1), "levl.* will be disregarded")
})

test_that("cases without which the quadratic approximation has no maximum have no change of the estimates", {
  set.seed(13)
  x <- c(rnorm(14), 8)
  y <- x + rstable(15, 1.3, 0)
  fit <- stableReg(y ~ x)
  d <- reg_derivatives(fit, "model")
  least <- vapply(1:15, function(i) min(eigen(solve(d$cov) - d$second(i), TRUE)$values), 1)
  expect_identical(which(least < 0), 14:15)
  expect_identical(which(is.na(cooks.distance(fit))), c(`14` = 14L, `15` = 15L))
  expect_true(all(is.na(dfbeta(fit)[14:15, ])))
  expect_false(anyNA(dfbetas(fit)[-(14:15), ]))
})

test_that("regressions with small alpha climb from groups of cases next to zeta", {
  x <- c(-2.55, 0.976, -0.262, -0.635, 0.281, 2.28, 1.54, 1.6, 2.03, 1.63, 1.09, -0.704, -2.32, -1.15, 0.0434,
         -0.0755, -0.744, -1.7, 0.468, 0.0561, -0.176, 0.652, -0.059, 1.33, -0.57, -1.47, 0.755, 0.949)
  y <- c(5.803, -0.2854, -1.492, -0.6735, -3.997, -8.704, -2.404, -3.14, -1.885, -6.854, 26.37, -2.464, -6.979,
         -3.745, -3.587, -4.339, -2.521,
         -44.06, -221.6, -30.61, -6.93, -5.092, 10.51, -6.835, -10.56, -8.668, -5.737, -7.888)
  expect_gt(stableReg(y ~ seq_along(y) + x)$loglik, -91.118) # -91.22 from other starts
})

# A share of the values of the first m covariates of k is gross.
gross_sample <- function(seed, n, k, m, gross, size, alpha = 1.5, beta = 0.3) {
  set.seed(seed)
  x <- matrix(rnorm(n * k), n)
  y <- 1 + drop(x %*% rep(2, k)) + as.vector(rstable(n, alpha, beta))
  for (j in seq_len(m)) x[sample(n, gross), j] <- sample(c(-1, 1), gross, TRUE) * size
  data.frame(y, x)
}

test_that("gross values of covariates do not keep the search from the largest maximum", {
  near_truth <- function(data, k, shape, ...) {
    fit <- stableReg(y ~ ., data, ...)
    truth <- reg_likelihood(c(1, rep(2, k), shape), as.matrix(cbind(1, data[-1])), data$y)
    expect_true(fit$converged)
    expect_gt(fit$loglik, truth)
    expect_equal(reg_likelihood(coef(fit, "all"), model.matrix(fit), data$y), fit$loglik, tolerance = 1e-10)
    fit
  }
  fit <- near_truth(gross_sample(1, 300, 1, 1, 1, 1000), 1, c(1.5, 0.3, 1))
  expect_lt(abs(coef(fit)[[2]] - 2), 0.3)
  sizes <- c(10, 1e3, 1e6)
  for (size in every_nth(sizes, 3)) near_truth(gross_sample(2, 120, 1, 1, 12, size), 1, c(1.5, 0.3, 1))
  for (size in every_nth(sizes, 3, 2)) near_truth(gross_sample(3, 200, 4, 4, 10, size), 4, c(1.5, 0.3, 1))
  for (size in every_nth(sizes, 3, 3))
    near_truth(gross_sample(4, 60, 3, 2, 4, size, 1.1, -0.5), 3, c(1.1, -0.5, 1))
  # a start that leads elsewhere
  data <- gross_sample(1, 300, 1, 1, 1, 1000)
  for (start in list(list(coefficients = coef(lm(y ~ ., data))), list(alpha = 2, beta = 0, gamma = 3)))
    expect_gt(near_truth(data, 1, c(1.5, 0.3, 1), start = start)$loglik, fit$loglik - 1e-9)
})

test_that("starts near a maximum that is far from the best so far are climbed from with larger alpha, too", {
  set.seed(112)
  x <- rnorm(120)
  y <- 1 + 2 * x + rnorm(120) / 4
  x[1:10] <- sample(c(-1, 1), 10, TRUE) * 1e5
  expect_gt(stableReg(y ~ x)$loglik, -246.657) # -247.268 is another
})

test_that("a case with gross values that the model fits counts, and the others keep their standard errors", {
  data <- gross_sample(5, 150, 2, 0, 0, 0)
  far <- rbind(data, data.frame(y = 1 + 2e6 + 4e6, X1 = 1e6, X2 = 2e6))
  fit <- stableReg(y ~ ., far)
  expect_true(fit$converged)
  expect_false(anyNA(vcov(fit, "all")))
  expect_lt(abs(sum(coef(fit)[2:3] * 1:2) - 6), 1e-4)
  # which are those of a fit whose columns hold the case apart
  apart <- stableReg(y ~ I(X1 + 2 * X2) + I(2 * X1 - X2), far)
  expect_equal(apart$loglik, fit$loglik, tolerance = 1e-9)
  to <- rbind(c(1, 0, 0), c(0, 1, 2), c(0, 2, -1))
  expect_equal(unname(vcov(fit)), unname(to %*% vcov(apart) %*% t(to)), tolerance = 1e-4)
  expect_equal(unname(coef(fit)), drop(to %*% coef(apart)), tolerance = 1e-7)
})

test_that("robust starts use no random numbers, and do not depend on the order of the cases", {
  data <- gross_sample(6, 80, 2, 2, 4, 100)
  set.seed(1)
  state <- .Random.seed
  fit <- stableReg(y ~ ., data)
  expect_identical(.Random.seed, state)
  set.seed(2)
  expect_identical(coef(stableReg(y ~ ., data), "all"), coef(fit, "all"))
  expect_equal(stableReg(y ~ ., data[80:1, ])$loglik, fit$loglik, tolerance = 1e-10)
})

test_that("columns of the search are those of the model, with gross values or without", {
  set.seed(1)
  x <- cbind(1, matrix(rnorm(120), 40))
  g <- gl(3, 1, 40)
  far <- x
  far[3, 2] <- 1e6
  far[5, -1] <- c(1e6, -1e4, 1e6)
  for (x in list(x, far, far[, -1], cbind(3, far[, 2:3]), model.matrix(~ 0 + g + far[, 2]), x[, 0],
                 model.matrix(~ g * far[, 2]), cbind(1, 1950 + 1:40), cbind(1, 1e-5 * far[, 3], 1e8 * x[, 4]),
                 poly(far[, 2], 2))) {
    basis <- reg_basis(x, qr(x))
    expect_lt(max(abs(x %*% basis$back - basis$q) / (1 + abs(basis$q)), 0), 1e-9)
    expect_equal(basis$to %*% basis$back, diag(ncol(x)), tolerance = 1e-9, ignore_attr = TRUE)
    expect_identical(basis$constant, as.integer(ncol(x) > 0 && max(abs(qr.resid(qr(x), rep(1, 40)))) < 1e-9))
    if (basis$constant) expect_equal(basis$q[, 1], rep(1, 40), tolerance = 1e-12)
    if (ncol(x)) expect_lt(kappa(basis$q[basis$clean, , drop = FALSE], exact = TRUE), 10)
  }
})

test_that("what is no formula, data frame, weight or offset is an error that says so", {
  data <- reg_sample(30, 1.5, 0)
  bad <- function(fit, pattern) expect_error(fit, pattern, class = "statcl_error_input")
  bad(stableReg(as.matrix(data[c("x", "y")])), "formula must be a formula, as y ~ x")
  bad(stableReg(), "formula is missing")
  bad(stableReg(NULL), "formula = NULL")
  bad(stableReg("y", data), "formula = y")
  bad(stableReg(y ~ x, as.matrix(data[c("x", "y")])), "data = matrix: .*as.data.frame")
  bad(stableReg(y ~ x, Sys.Date()), "data = Date")
  bad(stableReg(y ~ nosuch, data), "there is no nosuch")
  bad(stableReg(y ~ x, data[0, ]), "leave no case")
  bad(stableReg(y ~ x, data, subset = list(1)), "subset")
  bad(stableReg(y ~ x, data, weights = 1:3), "weights = 1:3")
  bad(stableReg(y ~ x, data, weights = cbind(x, x)^2), "weights = matrix: .*vector")
  bad(stableReg(y ~ x, data, offset = cbind(x, x)), "offset = 2 columns")
  bad(stableReg(y ~ x + offset(cbind(x, x)), data), "offset = 2 columns")
  bad(stableReg(y ~ x + offset(g), data), "offset = factor")
  bad(stableReg(y ~ x, data, offset = 1:3), "offset = 1:3")
  bad(stableReg(y ~ g, data, contrasts = "contr.sum"), "contrasts = contr.sum")
  bad(stableReg(y ~ g, data, contrasts = list(g = "nosuch")), "contrasts: .*nosuch")
  bad(stableReg(y ~ x, data, na.action = 5), "na.action")
  expect_equal(stableReg("y ~ x", data)$loglik, stableReg(y ~ x, data)$loglik)
})

options(old_threads)

test_that("of several maxima of a regression the largest is found", {
  skip_if_not_installed("MASS")
  # a level shift: -89.414 is another maximum
  expect_gt(as.numeric(logLik(stableReg(calls ~ year, MASS::phones))), -87.8393)
})

test_that("a model is not below those of its first terms, and anova() tells where it is", {
  skip_if_not_installed("MASS")
  small <- stableReg(brain ~ body, MASS::mammals)
  large <- stableReg(brain ~ body + I(body^2), MASS::mammals)
  expect_gt(large$loglik, -298.995) # -307.02 is another maximum
  expect_silent(anova(small, large))
  # the likelihood grows towards the lower end of alpha; its largest maximum is at -114.24, -87.84 without the square
  small <- stableReg(calls ~ year, MASS::phones)
  expect_warning(large <- stableReg(calls ~ year + I(year^2), MASS::phones), "lower end")
  expect_gt(large$loglik, small$loglik)
  many <- stats::setNames(as.data.frame(with_seed(1, matrix(rnorm(60 * 14), 60))), letters[1:14])
  many$y <- with_seed(2, as.vector(rstable(60, 1.6, 0)))
  expect_true(stableReg(y ~ ., many)$converged)
  # as if the search had missed it
  large$loglik <- small$loglik - 1
  for (fits in list(list(small, large), list(large, small))) {
    told <- tryCatch(do.call(anova, fits), statcl_warning_better_fit = identity)
    expect_s3_class(told, "statcl_warning_better_fit")
    expect_match(conditionMessage(told), "smaller likelihood than model [12], which")
    expect_identical(told$fit$loglik, small$loglik)
  }
  x <- with_seed(3, as.vector(rstable(50, 1.5, 0)))
  free <- stableFit(x)
  free$loglik <- free$loglik - 20
  expect_warning(anova(stableFit(x, fixed = list(beta = 0)), free), class = "statcl_warning_better_fit")
})

test_that("alpha at the lower end of its search counts as held, and has a profile", {
  skip_if_not_installed("MASS")
  fit <- suppressWarnings(stableReg(brain ~ body + I(body^2), MASS::Animals))
  expect_identical(fit$shape[["alpha"]], 0.3)
  limits <- suppressWarnings(confint(fit))
  expect_false(anyNA(limits))
  expect_identical(limits[["alpha", 1]], 0.3)
  expect_gt(limits[["alpha", 2]], 0.3)
  expect_false(anyNA(hatvalues(fit)))
  effect <- influence(fit)
  expect_identical(colnames(effect$dfbeta), setdiff(names(coef(fit, "all")), "alpha"))
  expect_identical(cooks.distance(fit), effect$cooks.distance)
  sandwich <- vcov(fit, "all", type = "sandwich")
  expect_identical(is.na(diag(sandwich)), is.na(diag(vcov(fit, "all"))))
  # the scores of the others sum to nothing: the search ends where a step promises less than 1e-8, half their square
  expect_lt(max(abs(colSums(estfun.stableReg(fit) * rep(sqrt(diag(vcov(fit, "all")))[-4], each = 28)))), sqrt(2e-8))
})

test_that("a second group of cases is found to be a heavy tail on one side", {
  y <- c(2.08, 3.92, 5.7, 8.18, 8.93, 10.81, 14.36, 14.14, 15.09, 16.71, 18.23, 19.21, 22.2, 22.55, 27.41, 28.31,
         29.82, 31.73, 33.47, 33.71, 37.99, 38.89, 39.17, 41.73, 43.76, 46.23, 48.16, 49.28, 49.83, 52.13, 53.86,
         55.1, 57.21, 85.97, 87.26, 88.91, 92.53, 93.83, 94.28, 95.28, 99.05, 100.44, 100.93, 101.85)
  expect_gt(stableReg(y ~ seq_along(y))$loglik, -126.125) # -152.48 for normal errors
  skew <- stableReg(y ~ seq_along(y), fixed = list(alpha = 0.6))
  expect_gt(skew$loglik, stableReg(y ~ seq_along(y), fixed = list(alpha = 0.6, beta = 0))$loglik)
})

test_that("standard errors do not depend on the units of the data", {
  set.seed(4)
  d <- data.frame(u = rnorm(60), v = runif(60))
  for (alpha in c(1.2, 2)) for (unit in every_nth(2^c(-700, 700), 2, 1 + (alpha == 2))) {
    d$y <- 1 + 2 * d$u - d$v + rstable(60, alpha, 0.2)
    fit <- stableReg(y ~ u + v, d)
    far <- data.frame(y = d$y * unit, u = d$u / 8, v = d$v)
    moved <- stableReg(y ~ u + v, far)
    scale <- c(unit, 8 * unit, unit, 1, 1, unit)
    expect_equal(summary(moved)$coefficients[, 2] / scale[1:3], summary(fit)$coefficients[, 2], tolerance = 1e-5)
    expect_equal(confint(moved) / scale, confint(fit), tolerance = 1e-5)
    expect_equal(predict(moved, far[1:3, ], se.fit = TRUE)$se.fit[3] / unit,
                 predict(fit, d[1:3, ], se.fit = TRUE)$se.fit[3], tolerance = 1e-5)
  }
})

test_that("weights that are no counts have a message", {
  expect_message(stableReg(dist ~ speed, cars, weights = 1 / speed), "their sum, 3.858, counts as the number")
  expect_message(stableReg(dist ~ speed, cars, weights = 1 + speed %% 2), NA)
  expect_message(stableReg(dist ~ speed, cars, weights = 50 * speed / sum(speed)), NA)
})

test_that("quantiles have stretched axes with labels of residuals, and tails a plot", {
  returns <- as.data.frame(diff(log(datasets::EuStockMarkets)) * 100)[1:400, ]
  fit <- stableReg(CAC ~ DAX, returns)
  pdf(NULL)
  on.exit(dev.off())
  plot(fit, "qq")
  at <- function(p) do.call(qstable, c(list(p), as.list(fit$shape)))
  ends <- range(residuals(fit), at(c(0.5, 399.5) / 400))
  ends <- asinh((ends - at(0.5)) / (at(0.75) - at(0.25)) * 2)
  expect_equal(par("usr")[3:4], ends + c(-0.04, 0.04) * diff(ends), tolerance = 1e-3)
  plot(fit, "qq", log = FALSE)
  expect_gt(par("usr")[4], max(residuals(fit)))
  expect_silent(plot(fit, c("residuals", "pp", "tail"), log = TRUE))
  plot(fit, "tail")
  expect_true(par("xlog") && par("ylog"))
})

test_that("peaks on cases that lie on one plane are no estimates", {
  skip_unless_all()
  set.seed(1)
  x <- rnorm(100)
  zeros <- c(rep(0, 50), rnorm(50))
  plane <- 2 + 3 * x + rnorm(100) * rep(0:1, c(40, 60))
  group <- gl(2, 1, 100)
  expect_error(stableReg(zeros ~ group), "cases lie on one plane", class = "statcl_error_input")
  for (formula in list(zeros ~ 1, zeros ~ x))
    expect_error(stableReg(formula), "50 of 100 cases .* unbounded.*alpha above 1", class = "statcl_error_input")
  expect_error(stableReg(zeros ~ x, weights = rep(2, 100)), "100 of 200 cases", class = "statcl_error_input")
  expect_error(stableReg(plane ~ x), "40 of 100 cases .*alpha above 0.667", class = "statcl_error_input")
  # a value far from all others makes no plane of these
  far <- c(rnorm(29), 1e100)
  beside <- rnorm(30)
  expect_warning(stableReg(far ~ beside), "lower end|not been maximised")
  for (formula in list(zeros ~ x, plane ~ x)) {
    fit <- stableReg(formula, fixed = list(alpha = 1.2))
    expect_true(fit$converged)
    expect_gt(fit$shape[["gamma"]], 0.01)
  }
})

test_that("values that stand for missing ones are named", {
  data <- reg_sample(40, 1.5, 0)
  data$x[11] <- 1e20
  expect_error(stableReg(y ~ x, data), "x[11] = 1e+20: is more than", fixed = TRUE, class = "statcl_error_input")
  data$x[11] <- NA
  expect_true(stableReg(y ~ x, data)$converged)
})

test_that("a model of the first terms without a maximum has no likelihood in anova(), and its term is named", {
  skip_unless_all()
  set.seed(3)
  g <- gl(4, 1, 60)
  x <- rnorm(60)
  y <- rbinom(60, 3, plogis(2 * x - 1))
  fit <- stableReg(y ~ x + g)
  expect_warning(table <- anova(fit), "no likelihood of the model without terms: .*plane.*unbounded",
                 class = "statcl_warning")
  expect_identical(is.na(table$LogLik), c(TRUE, FALSE, FALSE))
  expect_identical(is.na(table$Chisq), c(TRUE, TRUE, FALSE))
  expect_identical(table$LogLik[3], fit$loglik)
  expect_identical(table[["#Df"]][1], 4)
  fit <- stableReg(y ~ g + x)
  expect_warning(expect_warning(table <- anova(fit), "without terms: "), "no likelihood of the model up to g: ")
  expect_identical(is.na(table$LogLik), c(TRUE, TRUE, FALSE))
  expect_identical(table[["#Df"]][2], 7)
})

test_that("of cases on one plane those are counted that are more than coefficients fit", {
  skip_if_quick()
  set.seed(2)
  g <- gl(4, 1, 24, letters[1:4])
  x <- rnorm(24)
  y <- rnorm(24)
  y[g == "b"] <- 1
  expect_error(stableReg(y ~ g + x), "6 of 24 cases lie on one plane of the covariates \\(2, 6, 10, 14, 18, 22\\)",
               class = "statcl_error_input")
  expect_error(stableReg(y ~ g + x), "with these and 3 others, which the coefficients can fit", fixed = TRUE)
  expect_true(stableReg(y ~ g + x, fixed = list(alpha = 1.5))$converged)
})

test_that("a gross case among others is named, or gives way to the others", {
  data <- reg_sample(60, 1.5, 0)
  for (wild in list(c(1e8, -1e8, 1e50), c(1e8, 1e15, 1e40), c(1e8, -1e8, 1e100, 1e200))) {
    data$x[seq_along(wild)] <- wild
    expect_error(stableReg(y ~ x, data), "^x\\[3\\] = 1e\\+.*leave the case out", class = "statcl_error_input")
  }
})

test_that("no climb of a small sample with weights ends below the smallest alpha", {
  set.seed(5007)
  n <- sample(10:16, 1)
  d <- data.frame(a = rnorm(n), b = rnorm(n), g = factor(sample(letters[1:3], n, TRUE)), w = sample(1:3, n, TRUE))
  d$y <- d$a + rstable(n, sample(c(0.7, 1.3, 1.8), 1), 0)
  fit <- suppressWarnings(stableReg(y ~ a + g + b, d, weights = w))
  expect_gte(fit$shape[["alpha"]], 13 / 17 - 1e-12)
  expect_equal(as.numeric(logLik(fit)), -60.90807, tolerance = 1e-6)
})

test_that("anova() compares fits of the same observations alone", {
  fit <- stableReg(dist ~ speed, cars, fixed = list(alpha = 2))
  for (other in list(stableReg(log(dist) ~ 1, cars, fixed = list(alpha = 2)),
                     stableReg(dist ~ 1, cars, fixed = list(alpha = 2), weights = rep(1:2, 25)),
                     stableReg(dist ~ 1, transform(cars, dist = rev(dist)), fixed = list(alpha = 2))))
    expect_input_error(anova(fit, other), "not of the same observations")
  smaller <- stableReg(dist ~ 1, cars, fixed = list(alpha = 2))
  expect_identical(anova(smaller, fit, test = "Chisq"), anova(smaller, fit))
  expect_input_error(anova(smaller, fit, test = "F"), "test = F: test must be one of \"Chisq\"")
})

# Volatility with stable innovations: recursion and score, search, fits.

returns <- 100 * diff(log(datasets::EuStockMarkets))
dax <- as.numeric(returns[, "DAX"])

garch_told <- function(model, theta, y, x = NULL, first = 1)
  .Call(statcl:::C_garchEvaluate, list(c(model[c("orders", "columns", "power", "law")], list(
    y = y, x = if (model$columns) as.double(x), first = first, theta = as.double(theta)))), 2L)[[1]]

model_of <- function(mean, garch, power, asymmetry, law, names = character())
  statcl:::garch_model(mean, garch, power, asymmetry, law, names)

# Parameters of a model of that many terms, in places where all of them matter.
some_theta <- function(model) {
  p <- model$places
  theta <- numeric(model$size)
  theta[p$mu] <- 0.1
  theta[p$ar] <- c(0.3, -0.2)[seq_along(p$ar)]
  theta[p$ma] <- c(-0.4, 0.1)[seq_along(p$ma)]
  theta[p$xreg] <- c(0.5, -0.3)[seq_along(p$xreg)]
  theta[p$omega] <- 0.1
  theta[p$arch] <- c(0.1, 0.05)[seq_along(p$arch)]
  theta[p$asym] <- c(0.4, -0.2)[seq_along(p$asym)]
  theta[p$garch] <- c(0.5, 0.2)[seq_along(p$garch)]
  theta[p$law] <- switch(model$law, stable = c(1.75, 0.3), t = 4.5, normal = numeric())
  theta
}

# The recursion once more, as the help has it.
by_hand <- function(model, theta, y, x, first) {
  p <- model$places
  n <- length(y)
  u <- y - theta[p$mu] - if (model$columns) drop(x %*% theta[p$xreg]) else 0
  e <- c <- numeric(n)
  for (t in seq_len(n)) {
    e[t] <- u[t]
    for (i in seq_along(p$ar)) if (t > i) e[t] <- e[t] - theta[p$ar[i]] * u[t - i]
    for (j in seq_along(p$ma)) if (t > j) e[t] <- e[t] - theta[p$ma[j]] * e[t - j]
    c[t] <- theta[p$omega]
    for (i in seq_along(p$arch)) {
      asym <- if (length(p$asym)) theta[p$asym[i]] else 0
      c[t] <- c[t] + theta[p$arch[i]] * if (t > i) (abs(e[t - i]) - asym * e[t - i])^model$power else first
    }
    for (j in seq_along(p$garch)) c[t] <- c[t] + theta[p$garch[j]] * if (t > j) c[t - j] else first
  }
  s <- c^(1 / model$power)
  law <- theta[p$law]
  log_f <- switch(model$law, stable = dstable(e / s, law[1], law[2], pm = 1, log = TRUE),
                  t = dt(e / s, law, log = TRUE), normal = dnorm(e / s, log = TRUE))
  list(e = e, scale = s, log_f = log_f, loglik = sum(log_f - log(s)))
}

test_backends("the likelihood is that of the recursion by hand", {
  set.seed(1)
  y <- rnorm(150)
  x <- cbind(rnorm(150), runif(150))
  for (law in c("stable", "t", "normal")) for (power in c(0.7, 1, 2)) for (asymmetry in c(FALSE, TRUE)) {
    model <- model_of(c(2, 2), c(2, 2), power, asymmetry, law, c("a", "b"))
    theta <- some_theta(model)
    told <- garch_told(model, theta, y, x, 0.8)
    known <- by_hand(model, theta, y, x, 0.8)
    label <- paste(law, power, asymmetry)
    for (part in names(known))
      expect_equal(told[[part]], known[[part]], tolerance = 1e-12, label = paste(label, part))
    expect_equal(colSums(told$scores), told$score, tolerance = 1e-12, label = label)
    expect_equal(crossprod(told$scores), told$products, tolerance = 1e-12, label = label)
  }
})

# Central differences of fourth order over 1e-4: 1e-16 times their fifth derivatives, and rounding errors of 1e-13 of
# the likelihood, some hundreds, over the step. Kinks, where e = 0, are not met by steps this short.
test_backends("scores are the derivatives of the likelihood, to 1e-7", {
  set.seed(2)
  y <- rt(120, 4)
  x <- cbind(rnorm(120), runif(120))
  h <- 1e-4
  for (law in c("stable", "t", "normal")) for (power in c(0.7, 1, 1.6)) {
    model <- model_of(c(1, 1), c(2, 1), power, TRUE, law, c("a", "b"))
    theta <- some_theta(model)
    value <- function(k, by) {
      theta[k] <- theta[k] + by
      garch_told(model, theta, y, x)$loglik
    }
    difference <- vapply(seq_along(theta), function(k)
      (8 * (value(k, h) - value(k, -h)) - (value(k, 2 * h) - value(k, -2 * h))) / (12 * h), 1)
    score <- garch_told(model, theta, y, x)$score
    expect_lt(max(abs(score - difference) / pmax(1, abs(difference))), 1e-7, label = paste(law, power))
  }
})

test_that("a scale that is not positive, or no distribution, has the likelihood 0", {
  model <- model_of(c(0, 0), c(1, 1), 1, FALSE, "stable")
  y <- sin(1:50)
  for (theta in list(c(0, -1, 0.1, 0.1, 1.7, 0), c(0, 0.1, 0.1, 0.5, 2.1, 0), c(0, 0.1, 0.1, 0.5, 1.7, -2),
                     c(0, 1e308, 1e10, 10, 1.7, 0))) {
    told <- garch_told(model, theta, y)
    expect_identical(told$loglik, -Inf)
    expect_true(all(is.na(told$score)))
  }
})

test_that("t densities keep their digits for any number of degrees of freedom", {
  model <- model_of(c(0, 0), c(0, 0), 1, FALSE, "t")
  z <- c(-3, 0.1, 20)
  for (df in c(1.1, 3, 39.9, 40.1, 1e3, 1e5)) {
    told <- garch_told(model, c(0, 1, df), z)
    expect_equal(told$log_f, dt(z, df, log = TRUE), tolerance = 1e-12, label = paste("df", df))
    h <- 1e-4 * df
    slope <- (8 * (dt(z, df + h, log = TRUE) - dt(z, df - h, log = TRUE)) -
                (dt(z, df + 2 * h, log = TRUE) - dt(z, df - 2 * h, log = TRUE))) / (12 * h)
    if (df < 1e4) expect_equal(told$scores[, 3], slope, tolerance = 1e-8, label = paste("df", df))
  }
})

test_that("moments of the innovations are their integrals", {
  moment <- function(law, par, power, asym) {
    model <- model_of(c(0, 0), c(1, 1), power, TRUE, law)
    statcl:::garch_moment(model, par, asym)
  }
  # over log |z|, on which both tails are exponential
  integral <- function(log_f, power, asym) integrate(function(v) {
    z <- exp(v)
    z^(1 + power) * ((1 - asym)^power * exp(log_f(z)) + (1 + asym)^power * exp(log_f(-z)))
  }, -30, 120, rel.tol = 1e-10, subdivisions = 1000)$value
  for (power in c(0.5, 1, 1.4)) for (asym in c(0, -0.6)) {
    expect_equal(exp(moment("stable", c(1.7, 0.5), power, asym)$log),
                 integral(function(z) dstable(z, 1.7, 0.5, pm = 1, log = TRUE), power, asym), tolerance = 1e-8)
    expect_equal(exp(moment("t", 3, power, asym)$log), integral(function(z) dt(z, 3, log = TRUE), power, asym),
                 tolerance = 1e-8)
    expect_equal(exp(moment("normal", numeric(), power, asym)$log),
                 integral(function(z) dnorm(z, log = TRUE), power, asym), tolerance = 1e-8)
  }
  # derivatives
  h <- 1e-5
  for (case in list(list("stable", c(1.7, 0.5)), list("t", 3))) {
    told <- moment(case[[1]], case[[2]], 1.2, 0.3)
    for (k in seq_along(case[[2]])) {
      at <- function(by) moment(case[[1]], replace(case[[2]], k, case[[2]][k] + by), 1.2, 0.3)$log
      expect_equal(told$by_law[, k], (at(h) - at(-h)) / (2 * h), tolerance = 1e-8)
    }
    at <- function(by) moment(case[[1]], case[[2]], 1.2, 0.3 + by)$log
    expect_equal(told$by_asym, (at(h) - at(-h)) / (2 * h), tolerance = 1e-8)
  }
})

test_that("what is searched is stationary, invertible and positive, and goes back to where it came from", {
  set.seed(3)
  for (law in c("stable", "t", "normal")) for (i in 1:5) {
    model <- model_of(c(3, 2), c(2, 2), 1.3, TRUE, law)
    known <- rep(NA_real_, model$size)
    t <- rnorm(model$size)
    at <- statcl:::garch_natural(model, t, known)
    p <- model$places
    expect_true(all(Mod(polyroot(c(1, -at$value[p$ar]))) > 1))
    expect_true(all(Mod(polyroot(c(1, at$value[p$ma]))) > 1))
    expect_true(all(at$value[c(p$omega, p$arch, p$garch)] > 0))
    expect_lt(at$persistence, 1)
    expect_equal(statcl:::persistence_of(model, at$value), at$persistence, tolerance = 1e-12)
    expect_equal(statcl:::garch_search_point(model, at$value), t, tolerance = 1e-8)
    h <- 1e-5
    slopes <- vapply(seq_along(t), function(k) (statcl:::garch_natural(model, replace(t, k, t[k] + h), known)$value -
      statcl:::garch_natural(model, replace(t, k, t[k] - h), known)$value) / (2 * h), t)
    expect_equal(at$jacobian, slopes, tolerance = 1e-7)
  }
})

fit <- stableGarch(dax)

test_that("a fit is a maximum, and finds that of a general optimiser", {
  expect_true(fit$converged)
  # by optim() from three starts, on this likelihood in base R and dstable()
  expect_equal(fit$loglik, -2489.179, tolerance = 1e-6)
  model <- fit$model
  value <- function(theta) garch_told(model, theta, dax, first = fit$first)$loglik
  expect_equal(value(coef(fit)), fit$loglik, tolerance = 1e-12)
  error <- fit$parameters$std.error
  for (k in seq_along(error)) for (side in c(-0.02, 0.02))
    expect_lt(value(replace(coef(fit), k, coef(fit)[k] + side * error[k])), fit$loglik)
  better <- optim(coef(fit), function(theta) {
    if (any(theta[2:4] < 0) || abs(theta[6]) > 1) return(1e6)
    -max(value(theta), -1e6)
  }, control = list(parscale = error, maxit = 400))
  expect_lt(-better$value - fit$loglik, 1e-5)
})

test_that("standard errors are those of the second derivatives of the likelihood", {
  smooth <- stableGarch(dax, power = 1.4)
  error <- smooth$parameters$std.error
  value <- function(by) garch_told(smooth$model, coef(smooth) + by * error, dax, first = smooth$first)$loglik
  h <- diag(0.02, 6)
  hessian <- outer(1:6, 1:6, Vectorize(function(j, k)
    (value(h[j, ] + h[k, ]) - value(h[j, ] - h[k, ]) - value(h[k, ] - h[j, ]) + value(-h[j, ] - h[k, ])) /
      (4 * 0.02^2)))
  expect_equal(solve(-hessian), vcov(smooth) / outer(error, error), tolerance = 5e-3, ignore_attr = TRUE)
  scores <- statcl:::estfun.stableGarch(smooth)
  expect_lt(max(abs(colSums(scores)) * error), 1e-3)
  expect_equal(vcov(smooth) %*% crossprod(scores) %*% vcov(smooth), vcov(smooth, type = "sandwich"),
               tolerance = 1e-10)
  expect_equal(statcl:::bread.stableGarch(smooth) / length(dax), vcov(smooth))
})

test_that("standard errors keep their digits where parameters are hardly told apart", {
  # the asymmetry next to its end: by the products of scores its standard error is 20
  odd <- stableGarch(dax[1:300], power = 2, asymmetry = TRUE, innovations = "t")
  theta <- coef(odd)
  score <- function(theta) drop(garch_told(odd$model, theta, odd$x, first = odd$first)$score)
  slope <- vapply(seq_along(theta), function(k) {
    step <- replace(0 * theta, k, 1e-4 * abs(theta[[k]]))
    (score(theta + step) - score(theta - step)) / (2e-4 * abs(theta[[k]]))
  }, theta)
  expect_equal(diag(vcov(odd)), diag(solve(-(slope + t(slope)) / 2)), tolerance = 2e-3, ignore_attr = TRUE)
})

test_that("residuals, means and scales of a ts are one, from the first time that is used", {
  x <- ts(c(NA, returns[1:200, "SMI"]), start = c(1990, 4), frequency = 12)
  fit <- stableGarch(x, innovations = "normal")
  plain <- stableGarch(as.vector(x), innovations = "normal")
  for (of in list(residuals, function(f) residuals(f, "response"), function(f) residuals(f, "pit"), fitted, sigma)) {
    expect_equal(tsp(of(fit)), tsp(window(x, 1990 + 4 / 12)), tolerance = 1e-12)
    expect_null(tsp(of(plain)))
    expect_identical(as.vector(of(fit)), as.vector(of(plain)))
  }
  expect_equal(as.vector(fitted(fit) + residuals(fit, "response")), as.vector(x)[-1])
})

test_that("fits do not depend on unit and place of the series", {
  moved <- stableGarch(1e-3 * dax + 5)
  expect_equal(moved$loglik, fit$loglik + length(dax) * log(1e3), tolerance = 1e-8)
  expect_equal(coef(moved)[-(1:2)], coef(fit)[-(1:2)], tolerance = 1e-4)
  expect_equal(coef(moved)[["mu"]], 5 + 1e-3 * coef(fit)[["mu"]], tolerance = 1e-7)
  expect_equal(moved$parameters$std.error[3:6], fit$parameters$std.error[3:6], tolerance = 1e-2)
})

test_that("regressors, ARMA terms, asymmetry and fixed parameters have their effects", {
  x <- cbind(CAC = as.numeric(returns[, "CAC"]), week = sin(seq_along(dax)))
  all <- stableGarch(dax, c(1, 1), c(1, 1), asymmetry = TRUE, xreg = x)
  expect_identical(names(coef(all)), c("mu", "ar1", "ma1", "CAC", "week", "omega", "arch1", "asym1", "garch1",
                                       "alpha", "beta"))
  expect_true(all$converged)
  expect_gt(coef(all)[["CAC"]], 0.5)
  expect_equal(all$fitted.values + residuals(all, "response"), dax, tolerance = 1e-12, ignore_attr = TRUE)
  less <- stableGarch(dax, xreg = as.data.frame(x), fixed = list(beta = 0, week = 0, mu = 0.01))
  expect_identical(coef(less)[c("mu", "week", "beta")], c(mu = 0.01, week = 0, beta = 0))
  expect_identical(less$df, 5L)
  expect_lt(less$loglik, all$loglik)
  both <- anova(less, stableGarch(dax, xreg = x))
  expect_identical(both$Df[2], 3)
  constant <- stableGarch(dax, garch = c(0, 0))
  iid <- stableFit(dax, pm = 1)
  expect_equal(constant$loglik, iid$loglik, tolerance = 1e-9)
  expect_equal(unname(coef(constant)[c("alpha", "beta", "omega", "mu")]), unname(coef(iid)), tolerance = 1e-3)
  expect_lt(fit$parameters["alpha", "std.error"], 0.1)
})

test_that("normal series end at alpha = 2, or without degrees of freedom", {
  set.seed(4)
  y <- rnorm(400)
  normal <- stableGarch(y)
  expect_identical(coef(normal)[c("alpha", "beta")], c(alpha = 2, beta = 0))
  expect_identical(normal$parameters["alpha", "boundary"], "upper")
  expect_match(normal$notes[1], "boundary 2")
  expect_output(print(normal), "no effect")
  t <- stableGarch(y, innovations = "t")
  expect_identical(t$parameters["df", "boundary"], "upper")
  own <- stableGarch(y, innovations = "normal")
  expect_equal(t$loglik, own$loglik, tolerance = 1e-4)
  expect_equal(stableGarch(y, fixed = list(alpha = 2))$loglik, normal$loglik, tolerance = 1e-6)
})

# of the series dax, constant, short, cac, the second and third without a fit
tell_of_many <- function(fits) {
  expect_identical(nobs(fits), c(dax = length(dax), constant = NA, short = NA, cac = length(dax)) + 0)
  expect_identical(vcov(fits, type = "sandwich")[, , "dax"], vcov(fits$dax, type = "sandwich"))
  limits <- confint(fits, c("alpha", "omega"), 0.9)
  expect_identical(dim(limits), c(4L, 2L, 2L))
  expect_identical(t(limits["cac", , ]), confint(fits$cac, c("alpha", "omega"), 0.9))
  expect_true(all(is.na(limits["short", , ])))
  expect_identical(residuals(fits, "pit"), list(dax = residuals(fits$dax, "pit"), constant = NULL, short = NULL,
                                                cac = residuals(fits$cac, "pit")))
  expect_identical(fitted(fits)$cac, fitted(fits$cac))
  expect_identical(sigma(fits)$dax, sigma(fits$dax))
  drawn <- simulate(fits, 2, seed = 1)
  expect_identical(c(drawn$dax), c(simulate(fits$dax, 2, seed = 1)))
  expect_identical(nrow(statcl:::augment.stableGarchs(fits)), 2L * length(dax))
  told <- summary(fits)
  expect_identical(told$coefficients[, "Estimate", ], coef(fits))
  expect_identical(told$coefficients["cac", "Std. Error", "beta"], fits$cac$parameters["beta", "std.error"])
  expect_output(print(told), "2 of 4 series fitted.*dax: log likelihood.*cac: .*constant: x is constant")
  file <- tempfile(fileext = ".pdf")
  pdf(file)
  on.exit({
    dev.off()
    unlink(file)
  })
  expect_silent(plot(fits, "news", series = "cac"))
  expect_error(plot(fits, series = 5), "series = 5: series must be one of dax", class = "statcl_error_input")
  expect_error(plot(fits, series = 3), "x has 2 observations", class = "statcl_error_input")
}

test_that("many series are fitted as each alone, and one that cannot be stops no other", {
  series <- list(dax = dax, constant = rep(1, 50), short = c(1, 2), cac = c(NA, NA, returns[, "CAC"], NA))
  expect_warning(fits <- stableGarch(series), "2 of 4 series were not fitted: .* constant, short")
  expect_s3_class(fits, "stableGarchs")
  expect_identical(coef(fits)["dax", ], coef(fit))
  expect_null(fits[["short"]])
  expect_equal(fits$cac$loglik, stableGarch(returns[, "CAC"])$loglik, tolerance = 1e-9)
  expect_match(attr(fits, "message")[2], "constant")
  expect_identical(is.na(logLik(fits)), c(dax = FALSE, constant = TRUE, short = TRUE, cac = FALSE))
  expect_identical(dim(as.data.frame(fits)), c(4L, 17L))
  expect_output(print(fits), "short: x has 2 observations")
  expect_identical(names(fits[c("cac", "dax")]), c("cac", "dax"))
  expect_equal(AIC(fits)[["dax"]], AIC(fit))
  table <- statcl:::tidy.stableGarchs(fits)
  expect_identical(table$series, rep(c("dax", "cac"), each = 6))
  tell_of_many(fits)
  matrix <- stableGarch(returns[, 1:2], innovations = "normal", power = 2)
  expect_identical(names(matrix), c("DAX", "SMI"))
  expect_identical(eval(matrix$DAX$call$x), returns[, "DAX"])
})

test_that("where no series can be fitted, each says why", {
  expect_warning(none <- stableGarch(data.frame(a = rep(1, 50), b = rep(2, 50))), "2 of 2 series were not fitted")
  expect_identical(attr(none, "message"), paste("x is constant: all values are", 1:2))
  expect_output(print(none), "b: x is constant")
  expect_error(predict(none), "no series was fitted", class = "statcl_error_input")
})

test_that("workers find the same", {
  skip_if_quick()
  skip_on_cran()
  cl <- parallel::makeCluster(2)
  on.exit(parallel::stopCluster(cl))
  alone <- stableGarch(returns[1:600, ])
  expect_identical(coef(withCluster(cl, stableGarch(returns[1:600, ]))), coef(alone))
})

test_that("times are kept", {
  expect_equal(unname(stableGarch(returns[, 1])$times), as.numeric(time(returns)))
  skip_if_not_installed("zoo")
  day <- as.Date("2020-01-01") + 0:599
  of_zoo <- stableGarch(zoo::zoo(dax[1:600], day))
  expect_identical(of_zoo$times, day)
  expect_equal(coef(of_zoo), coef(stableGarch(dax[1:600])), tolerance = 1e-10)
})

test_that("methods tell of a fit", {
  expect_output(print(fit), "GARCH\\(1, 1\\), stable innovations, power 1")
  expect_output(print(summary(fit)), "Standardised residuals")
  expect_identical(nobs(fit), length(dax))
  expect_identical(attr(logLik(fit), "df"), 6)
  limits <- confint(fit)
  expect_true(all(limits[, 1] < coef(fit) & coef(fit) < limits[, 2]))
  expect_true(limits["beta", 1] > -1 && limits["omega", 1] > 0)
  expect_equal(qnorm(residuals(fit, "pit")), residuals(fit, "quantile"), tolerance = 1e-8)
  expect_equal(sigma(fit), fit$scale)
  drawn <- simulate(fit, 2, seed = 1)
  expect_identical(drawn, simulate(fit, 2, seed = 1))
  expect_identical(dim(drawn), c(length(dax), 2L))
  again <- stableGarch(drawn$sim_1, starts = 1)
  expect_lt(max(abs((coef(again) - coef(fit)) / again$parameters$std.error)), 4)
  table <- statcl:::augment.stableGarch(fit)
  expect_identical(names(table), c("x", ".fitted", ".scale", ".std.resid", ".cdf"))
  expect_equal(table$.fitted + table$.scale * table$.std.resid, dax)
  expect_identical(statcl:::glance.stableGarch(fit)$innovations, "stable")
  expect_error(anova(fit, stableGarch(dax, innovations = "t")), "not nested", class = "statcl_error_input")
  expect_error(profile(fit), "no profiles", class = "statcl_error_input")
  file <- tempfile(fileext = ".pdf")
  pdf(file)
  on.exit(unlink(file))
  expect_silent(plot(fit))
  expect_silent(plot(fit, "qq", level = NA))
  dev.off()
})

test_that("a larger model on its boundary is no worse than the smaller one, and what is worse needs more starts", {
  set.seed(3)
  y <- rnorm(300)
  small <- stableGarch(y)
  large <- stableGarch(y, garch = c(2, 1))
  expect_silent(tests <- anova(small, large))
  expect_equal(tests[["Pr(>Chisq)"]][2], 1)
  large$loglik <- small$loglik - 1
  expect_warning(anova(small, large), "by 1: fit it again with more starts", class = "statcl_warning_better_fit")
})

test_that("a model without free parameters has its likelihood", {
  expect_silent(known <- stableGarch(dax[1:50], garch = c(0, 0), fixed = list(mu = 0, omega = 0.5, alpha = 1.5,
                                                                             beta = 0)))
  expect_equal(known$loglik, sum(dstable(dax[1:50], 1.5, 0, 0.5, 0, pm = 1, log = TRUE)), tolerance = 1e-12)
  expect_identical(known$df, 0L)
})

test_that("fits of many series, and parts of them, are updated", {
  three <- as.data.frame(returns[1:120, 1:3])
  for (series in list(three, as.matrix(three), as.list(three))) {
    fits <- stableGarch(series, innovations = "normal")
    again <- update(fits, garch = c(1, 0))
    expect_identical(names(coef(again[[1]])), c("mu", "omega", "arch1"))
    part <- update(fits[c(3, 1, 2)][3:2], garch = c(1, 0))
    expect_equal(coef(part), coef(again)[c("SMI", "DAX"), ], tolerance = 1e-10)
    expect_identical(fits[], fits)
  }
  expect_error(formula(fits[[1]]), "a fit by stableGarch\\(\\) has no formula", class = "statcl_error_input")
  expect_error(esstable(fits[[1]], 0.01), "p = stableGarch: .* predict\\(\\)", class = "statcl_error_input")
})

test_that("mistakes are named", {
  expect_input <- function(expr, text) expect_error(expr, text, class = "statcl_error_input")
  y <- dax[1:100]
  expect_input(stableGarch(), "x is missing")
  expect_input(stableGarch(letters), "must be numeric")
  expect_input(stableGarch(rep(2.5, 50)), "x is constant: all values are 2.5")
  expect_input(stableGarch(c(rep(0, 60), y[1:40])), "the value 0 60 times in 100: the likelihood is unbounded")
  expect_input(stableGarch(c(y[1:50], NA, y[51:100])), "x\\[51\\] = NA")
  expect_input(stableGarch(c(y, Inf)), "must be finite")
  expect_input(stableGarch(y[1:8]), "8 observations: a fit of 6 parameters needs at least 13")
  expect_input(stableGarch(y, mean = 1), "mean = 1: mean must be two whole numbers")
  expect_input(stableGarch(y, garch = c(0, 1)), "must have ARCH terms")
  expect_input(stableGarch(y, power = 2), "must be below 2 for stable innovations")
  expect_input(stableGarch(y, power = -1), "positive")
  expect_input(stableGarch(y, power = 9, innovations = "t"), "at most 8")
  expect_input(stableGarch(y, xreg = list(1:100)), "xreg = list: xreg must be numeric")
  expect_input(stableGarch(y, innovations = "cauchy"), "must be one of")
  expect_input(stableGarch(y, xreg = 1:7), "xreg has 7 rows for 100 observations")
  expect_input(stableGarch(y, xreg = cbind(a = 1:100, b = 2 * (1:100))), "xreg = b: .* depends on the others")
  expect_input(stableGarch(y, xreg = rep(3, 100)), "or is constant")
  expect_input(stableGarch(y, xreg = cbind(a = 3 - y, b = sin(1:100))), "x is a combination of the columns of xreg")
  expect_input(stableGarch(y, fixed = list(arch1 = 0.1)), "must have names among mu, omega, alpha, beta")
  expect_input(stableGarch(y, fixed = list(alpha = 0.9)), "must be between 1 and 2")
  expect_input(stableGarch(y, starts = 40), "from 1 to 12")
  expect_input(stableGarch(numeric()), "x has no values")
  expect_input(stableGarch(y, fixed = list(alpha = 1.2, alpha = 1.3)), "fixed = alpha: fixed names a parameter twice")
  expect_input(stableGarch(y, xreg = cbind(alpha = sin(1:100))), "xreg = alpha: .* name of a parameter: rename it")
})

# ---- forecasts ----

test_that("the next time is exact, and later ones are those of simulated paths", {
  told <- predict(fit, 3, probs = c(0.01, 0.95), nsim = 4000, seed = 1)
  p <- coef(fit)
  next_scale <- p[["omega"]] + p[["arch1"]] * abs(dax[1859] - p[["mu"]]) + p[["garch1"]] * fit$scale[1859]
  expect_equal(told$scale[1], next_scale, tolerance = 1e-12)
  expect_equal(told$mean, rep(p[["mu"]], 3), tolerance = 1e-12)
  z <- function(p0) qstable(p0, p[["alpha"]], p[["beta"]], pm = 1)
  expect_equal(told[1, "quantile.1%"], p[["mu"]] + next_scale * z(0.01), tolerance = 1e-10)
  expect_equal(told[1, "shortfall.95%"], p[["mu"]] + next_scale *
                 esstable(0.05, p[["alpha"]], p[["beta"]], pm = 1, lower.tail = FALSE), tolerance = 1e-10)
  moment <- exp(statcl:::garch_moment(fit$model, unname(p[c("alpha", "beta")]), 0)$log)
  expect_equal(told$scale[2], p[["omega"]] + (p[["arch1"]] * moment + p[["garch1"]]) * next_scale,
               tolerance = 1e-10, ignore_attr = TRUE)
  # the mixture over the first step by quadrature: the probability below the quantile
  f <- function(v) {
    scale <- p[["omega"]] + p[["arch1"]] * abs(next_scale * v) + p[["garch1"]] * next_scale
    dstable(v, p[["alpha"]], p[["beta"]], pm = 1) *
      pstable((told[2, "quantile.1%"] - p[["mu"]]) / scale, p[["alpha"]], p[["beta"]], pm = 1)
  }
  below <- integrate(f, -Inf, 0, rel.tol = 1e-8)$value + integrate(f, 0, Inf, rel.tol = 1e-8)$value
  expect_equal(below, 0.01, tolerance = 0.03)
  expect_true(all(told[["shortfall.1%"]] < told[["quantile.1%"]]))
  expect_identical(told, predict(fit, 3, probs = c(0.01, 0.95), nsim = 4000, seed = 1))
})

test_that("shortfalls of all innovations are means beyond quantiles", {
  for (law in c("t", "normal")) {
    model <- model_of(c(0, 0), c(1, 1), 1, FALSE, law)
    own <- statcl:::garch_law(model, c(0, 1, 0.1, 0.8, 4))
    for (p in c(0.01, 0.4)) {
      mean <- integrate(function(z) z * exp(own$d(z)), -Inf, own$q(p), rel.tol = 1e-9)$value / p
      expect_equal(own$es(p, TRUE), mean, tolerance = 1e-7)
      expect_equal(statcl:::law_shortfall(own, c(p, 1 - p)), c(mean, -mean), tolerance = 1e-7)
    }
  }
})

test_that("new data move the state and not the estimates", {
  begun <- stableGarch(dax[1:1500], c(1, 1), c(1, 1), asymmetry = TRUE, innovations = "t")
  new <- dax[1501:1520]
  each <- predict(begun, 1, probs = 0.05, newdata = new, each = TRUE)
  expect_identical(nrow(each), 21L)
  expect_identical(each$observed, c(new, NA))
  for (k in c(1, 7, 21)) {
    past <- if (k > 1) new[seq_len(k - 1)]
    one <- predict(begun, 1, probs = 0.05, newdata = past)
    expect_equal(unlist(each[k, c("mean", "scale", "quantile.5%")]), unlist(one[c("mean", "scale", "quantile.5%")]),
                 tolerance = 1e-12)
  }
  # an ARMA mean goes on by its recursion
  far <- predict(begun, 40, probs = 0.05, newdata = new, nsim = 10, seed = 1)
  expect_equal(diff(far$mean[2:4])[2] / diff(far$mean[2:4])[1], coef(begun)[["ar1"]], tolerance = 1e-8)
  expect_error(predict(begun, 0), "n.ahead = 0", class = "statcl_error_input")
  expect_error(predict(begun, 1, newdata = c(1, NA)), "must be finite", class = "statcl_error_input")
  expect_error(predict(begun, 1, probs = 1), "between 0 and 1", class = "statcl_error_input")
  expect_error(predict(begun, 1, xreg = 1), "is for fits with regressors", class = "statcl_error_input")
  driven <- stableGarch(dax[1:300], xreg = cbind(x = cos(1:300)), innovations = "normal")
  expect_error(predict(driven), "xreg is missing: the fit has regressors, x", class = "statcl_error_input")
  expect_equal(predict(driven, 2, xreg = c(0, 1), nsim = 10, seed = 1)$mean,
               coef(driven)[["mu"]] + c(0, coef(driven)[["x"]]), tolerance = 1e-12)
})

test_that("regressors of forecasts are found by their names", {
  x <- cbind(a = cos(1:300), b = sin(1:300))
  driven <- stableGarch(dax[1:300], xreg = x, innovations = "normal")
  mean <- predict(driven, xreg = cbind(1, 0))$mean
  expect_equal(mean, sum(coef(driven)[c("mu", "a")]), tolerance = 1e-12)
  expect_identical(predict(driven, xreg = cbind(b = 0, a = 1))$mean, mean)
  expect_identical(predict(driven, xreg = data.frame(week = 7, b = 0, a = 1))$mean, mean)
  expect_error(predict(driven, xreg = cbind(a = 1, c = 0)), "= a, c: xreg must have the columns of the fit, a, b",
               class = "statcl_error_input")
  expect_error(predict(driven, xreg = cbind(1, 0, 0)), "must have 2 columns", class = "statcl_error_input")
  expect_identical(names(coef(stableGarch(dax[1:300], xreg = cbind(cos(1:300), b = sin(1:300)),
                                          innovations = "normal")))[2:3], c("xreg1", "b"))
})

test_that("quantiles of mixtures keep their digits where scales differ by powers of ten", {
  law <- statcl:::garch_law(model_of(c(0, 0), c(1, 1), 1, FALSE, "stable"), c(0, 1, 0.1, 0.8, 1.3, 0.2))
  location <- c(-1, 0, 0.5, 2)
  scale <- c(1e-3, 1, 30, 1e12)
  probs <- c(0.001, 0.3, 0.4, 0.5, 0.6, 0.7, 0.999)
  q <- statcl:::garch_mixture(location, scale, law, probs)$quantile
  expect_equal(vapply(q, function(q) mean(law$p((q - location) / scale)), 1), probs, tolerance = 1e-8)
})

test_that("interpolated probabilities and means beyond are those of the law, and so are mixtures", {
  for (own in list(c(1.8, -0.2), c(1.5, 1), c(1.05, -0.5), c(2, 0), c(1.99, 0.9))) {
    law <- statcl:::garch_law(model_of(c(0, 0), c(1, 1), 1, FALSE, "stable"), c(0, 1, 0.1, 0.8, own))
    quick <- statcl:::quick_law(law)
    z <- sinh(seq(-11, 11, length.out = 150))
    for (low in c(TRUE, FALSE)) {
      p <- law$p(z, lower.tail = low)
      count <- p > 1e-6
      expect_lt(max(abs(quick$p(z, low) / p - 1)[count]), 1e-6)
      exact <- law$es(p[count], low)
      expect_lt(max(abs(quick$es_at(z[count], low) - exact) / sqrt(1 + exact^2)), 1e-6)
    }
  }
  mixture <- function(law) statcl:::garch_mixture(sin(1:50), 1.2^(1:50), law, c(0.01, 0.4, 0.99))
  expect_equal(mixture(quick), mixture(law), tolerance = 1e-6)
})

# ---- backtests ----

test_that("tests of exceedances are those of Kupiec and Christoffersen", {
  hit <- c(0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0) == 1
  k <- sum(hit)
  expect_equal(statcl:::kupiec_ratio(hit, 0.1), 2 * (k * log(0.3 / 0.1) + 14 * log(0.7 / 0.9)))
  # 5 of the 19 times with one before: 3 of 6 after a hit, 3 of 13 after none
  chain <- 3 * log(3 / 6) + 3 * log(3 / 6) + 3 * log(3 / 13) + 10 * log(10 / 13)
  expect_equal(statcl:::christoffersen_ratio(hit), 2 * (chain - 6 * log(6 / 19) - 13 * log(13 / 19)))
  expect_identical(statcl:::christoffersen_ratio(logical(5)), 0)
  expect_equal(statcl:::kupiec_ratio(logical(100), 0.01), -200 * log(0.99))
  expect_equal(statcl:::szekely(c(-3, -1, 2), c(TRUE, FALSE, FALSE), c(-2, -2, -2), 0.25), 1 - 1.5 / 0.75)
})

test_that("a backtest forecasts each time from those before", {
  short <- stableGarch(dax[1:700], innovations = "t")
  told <- backtest(short, n = 60, every = 20, probs = c(0.05, 0.9), nsim = 200, seed = 1)
  expect_identical(told$forecasts$observed, dax[641:700])
  expect_identical(told$windows, 3L)
  first <- stableGarch(dax[1:640], innovations = "t")
  one <- predict(first, 1, probs = c(0.05, 0.9))
  expect_equal(unlist(told$forecasts[1, names(one)[-1]]), unlist(one[1, -1]), tolerance = 1e-4)
  third <- stableGarch(dax[41:680], innovations = "t")
  at <- predict(third, 1, probs = 0.05, newdata = dax[681:685])
  expect_equal(told$forecasts[46, "quantile.5%"], at[1, "quantile.5%"], tolerance = 1e-4)
  score <- dt((dax[641] - one$mean) / one$scale, coef(first)[["df"]], log = TRUE) - log(one$scale)
  expect_equal(told$forecasts$log.score[1], score, tolerance = 1e-4)
  expect_equal(told$score, mean(told$forecasts$log.score))
  expect_identical(told$table$observed, c(sum(dax[641:700] < told$forecasts[["quantile.5%"]]),
                                          sum(dax[641:700] > told$forecasts[["quantile.90%"]])))
  expect_equal(told$table$expected, c(3, 6))
  expect_output(print(told), "60 times, fitted again every 20")
  expect_identical(as.data.frame(told)$log.score, rep(told$score, 2))
  file <- tempfile(fileext = ".pdf")
  pdf(file)
  on.exit(unlink(file))
  expect_silent(plot(told, 0.9))
  # the whole quantile is seen, also where no observation is as far out
  far <- told
  far$forecasts[["quantile.5%"]][3] <- -100
  expect_silent(plot(far))
  expect_lt(graphics::par("usr")[3], -100)
  dev.off()
  expect_error(plot(told, 0.2), "must be one of 0.05, 0.9", class = "statcl_error_input")
  expect_error(plot(told, series = 2), "series = 2: series must be 1", class = "statcl_error_input")
  expect_error(backtest(short, n = 700), "must be below the number of times", class = "statcl_error_input")
  expect_error(backtest(short, n = 100, width = 650), "must leave the 650 times", class = "statcl_error_input")
})

# Under its own forecasts Z is 0 in the mean: the standard error of the mean of 4000 samples of 20 exceedances in the
# mean is some 0.25/sqrt(4000), with t innovations of 5 degrees of freedom.
test_that("a window that cannot be fitted is named", {
  still <- replace(dax[1:260], 100:170, 0)
  two <- stableGarch(cbind(a = dax[1:260], still = still), innovations = "normal")
  expect_error(backtest(two, n = 140, width = 120, every = 60),
               "window of times 61 to 180 of series still cannot be fitted: x has the value 0",
               class = "statcl_error_input")
  expect_error(backtest(two[[2]], n = 140, width = 120, every = 60), "window of times 61 to 180 cannot be fitted",
               class = "statcl_error_input")
})

test_that("the shortfall statistic of samples has the mean 0", {
  model <- model_of(c(0, 0), c(1, 1), 1, FALSE, "t")
  law <- statcl:::garch_law(model, c(0, 1, 0.1, 0.8, 5))
  told <- data.frame(mean = 0, scale = rep(c(1, 2), 200), window = 1)
  for (side in c(1, -1)) {
    shortfall <- side * told$scale * law$es(0.05, TRUE)
    set.seed(5)
    z <- statcl:::szekely_draws(told, list(law), shortfall, 0.05, side, 4000)
    expect_lt(abs(mean(z)), 4 * sd(z) / sqrt(4000))
    expect_gt(sd(z), 0.1)
  }
})

test_that("many series have tests and criteria side by side", {
  x <- 100 * diff(log(datasets::EuStockMarkets))[1:400, 1:3]
  x[, 3] <- 1
  larger <- suppressWarnings(stableGarch(x, innovations = "t"))
  smaller <- suppressWarnings(stableGarch(x, innovations = "t", fixed = list(mu = 0)))
  table <- anova(smaller, larger)
  expect_s3_class(table, "anova")
  expect_identical(rownames(table), c("DAX.1", "DAX.2", "SMI.1", "SMI.2", "CAC.1", "CAC.2"))
  expect_equal(unlist(table[3:4, ]), unlist(anova(smaller[["SMI"]], larger[["SMI"]])), ignore_attr = TRUE)
  expect_true(all(is.na(table$LogLik[5:6])))
  expect_match(attr(table, "heading")[2], "Model 1: GARCH\\(1, 1\\), t innovations, power 1 \\(mu = 0\\)")
  expect_identical(deviance(larger)[["SMI"]], deviance(larger[["SMI"]]))
  expect_equal(df.residual(larger), c(DAX = 395, SMI = 395, CAC = NA))
  expect_equal(extractAIC(larger)["DAX", ], c(df = 5, AIC = AIC(larger[["DAX"]])))
  expect_error(anova(larger), "two or more fits")
  both <- AIC(larger, smaller)
  expect_identical(dimnames(both), list(c("DAX", "SMI", "CAC"), c("larger", "smaller")))
  expect_equal(both["SMI", ], c(larger = AIC(larger[["SMI"]]), smaller = AIC(smaller[["SMI"]])))
  expect_identical(BIC(larger, smaller)[, 1], BIC(larger))
  expect_error(BIC(larger, larger[["SMI"]]), "fits of many series")
  expect_error(anova(larger, larger[1:2]), "not of equally many series")
  expect_error(anova(larger, larger[[1]]), "fits of many series")
  expect_error(anova(larger[1], stableGarch(2 * x[, 1:2], innovations = "t")[1]), "not of the same series")
})

test_that("series without a name have their number, and powers that are no numbers an error", {
  x <- as.numeric(100 * diff(log(datasets::EuStockMarkets[1:300, 1])))
  expect_warning(fits <- stableGarch(cbind(x, 1), innovations = "normal"), "attr\\(, \"message\"\\) of 2$")
  expect_error(stableGarch(x * 1e250, power = 1.5), "values whose power 1.5 is no number: divide it by one near")
  expect_error(stableGarch(x * 1e-250, power = 1.5), "no number")
  expect_identical(is.finite(coef(stableGarch(x * 1e200, innovations = "normal"))), c(mu = TRUE, omega = TRUE,
                                                                                     arch1 = TRUE, garch1 = TRUE))
})

# Fits of covariances whose parameters follow covariates: kriging against values of 40 digits, the search, and what a
# fit does.

test_that("kriging is that of 40 digits", {
  ref <- small_first(read_ref("nsgp"))
  all_data <- read_ref("nsgp_data")
  all_new <- read_ref("nsgp_new")
  for (i in seq_len(nrow(ref))) {
    r <- ref[i, ]
    d <- all_data[all_data$config == r$config, ]
    new <- all_new[all_new$config == r$config, ]
    # the smoothness is linear in z, and that of the new points is not in the table
    d$nu <- log(d$site_nu)
    line <- coef(lm(d$site_nu ~ d$z))
    if (max(abs(d$site_nu - line[1] - line[2] * d$z)) > 1e-12) line <- NULL
    new$nu <- if (is.null(line)) predict(lm(nu ~ z, d), new) else log(line[1] + line[2] * new$z)
    d$noise <- log(d$site_nugget)
    new$noise <- 0
    m <- covModel("matern", variance = ~ z, range = ~ z, smoothness = ~ 0 + nu, nugget = ~ 0 + noise,
                  angle = r$angle * 180 / pi, ratio = r$ratio, coefficients = list(
                    variance = 2 * c("(Intercept)" = r$sd0, z = r$sd1), smoothness = c(nu = 1), nugget = c(noise = 1),
                    range = c("(Intercept)" = r$range0, z = r$range1)))
    fit <- gpFit(value ~ 1, d, ~ x + y, m, fixed = TRUE)
    expect_equal(unname(coef(fit)), r$mu, tolerance = 1e-9)
    expect_equal(fit$loglik, r$loglik_ml, tolerance = 1e-10)
    p <- predict(fit, new, se.fit = TRUE, type = "latent")
    expect_equal(p$fit, new$ordinary_mean, tolerance = 1e-9)
    expect_equal(p$se.fit^2, new$ordinary_var, tolerance = 1e-9)
    p <- predict(gpFit(value ~ 0, d, ~ x + y, m, fixed = TRUE), new, se.fit = TRUE, type = "latent")
    expect_equal(p$fit, new$simple_mean, tolerance = 1e-9)
    expect_equal(p$se.fit^2, new$simple_var, tolerance = 1e-9)
  }
})

set.seed(3)
n <- 100
d <- data.frame(x = runif(n, 0, 10), y = runif(n, 0, 10))
d$e <- (d$x - 5) / 3 + rnorm(n) / 5
d$w <- rnorm(n)
d$f <- factor(sample(c("u", "v"), n, TRUE))
truth <- covModel("exponential", variance = ~ e, range = ~ e, nugget = 0.1, coefficients = list(
  variance = c("(Intercept)" = 0, e = 0.5), range = c("(Intercept)" = 0, e = 0.6)))
d$z <- as.numeric(simulate(truth, seed = 1, x = d[c("x", "y", "e")])) + 2 + d$w
d$e[7] <- NA
asked <- covModel("exponential", variance = ~ e, range = ~ e, nugget = NA)
fit <- gpFit(z ~ w, d, ~ x + y, asked)
new <- data.frame(x = c(1, 5, 9), y = 5, e = c(-1, 0, 1), w = 0)
# of fourth order: errors of some 1e-16/1e-4 of the value, and 1e-16 of the derivative
difference <- function(f, h) (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)

# The bounds of a search move with the units: of variances, of 1e-24 to 1e12, and of lengths.
test_that("units of observations and of coordinates change nothing but what has them", {
  skip_if_quick()
  for (formula in list(~ e, ~ 0 + f)) {
    model <- covModel("exponential", variance = formula, range = formula, nugget = NA)
    of <- function(unit, length) {
      scaled <- transform(d, z = unit * z, x = length * x, y = length * y)
      gpFit(z ~ w, scaled, ~ x + y, model)$loglik + sum(!is.na(d$e) | "f" %in% all.vars(formula)) * log(unit)
    }
    expect_equal(of(1e6, 1e9), of(1, 1), tolerance = 1e-6)
    expect_equal(of(1e-12, 1), of(1, 1), tolerance = 1e-6)
  }
})

test_that("the search ends at a maximum, on the scale of the user", {
  expect_true(fit$converged)
  expect_equal(fit$nobs, n - 1)
  names <- c("variance.(Intercept)", "variance.e", "range.(Intercept)", "range.e")
  expect_true(all(names %in% rownames(fit$parameters)))
  X <- cbind(1, d$w)[-7, ]
  value <- gpLoglik(fit$cov, d[-7, c("x", "y", "e")], d$z[-7], X = X, gradient = TRUE)
  expect_equal(as.numeric(value), fit$loglik, tolerance = 1e-10)
  # one step of Newton's method would be a thousandth of a standard error
  expect_lt(max(abs(attr(value, "gradient")[names] * fit$parameters[names, "std.error"])), 1e-3)
  truths <- c(0, 0.5, 0, 0.6)
  expect_lt(max(abs(fit$parameters[names, "estimate"] - truths) / fit$parameters[names, "std.error"]), 3)
  # a covariate in another unit is the same covariate
  other <- gpFit(z ~ w, transform(d, e = 1000 * e + 7), ~ x + y, asked)
  expect_equal(other$loglik, fit$loglik, tolerance = 1e-8)
  expect_equal(1000 * coef(other, "covariance")[["range.e"]], coef(fit, "covariance")[["range.e"]], tolerance = 1e-3)
  restricted <- gpFit(z ~ w, d, ~ x + y, asked, estimator = "REML")
  value <- gpLoglik(restricted$cov, d[-7, c("x", "y", "e")], d$z[-7], X = X, estimator = "REML", gradient = TRUE)
  expect_equal(as.numeric(value), restricted$loglik, tolerance = 1e-10)
  expect_lt(max(abs(attr(value, "gradient")[names] * restricted$parameters[names, "std.error"])), 1e-3)
})

test_that("the search finds slopes of the range of either sign", {
  for (seed in c(106, 108)) { # from a slope of 0 the way up leads to one of the other sign, 9 and 8 below
    set.seed(seed)
    some <- data.frame(x = runif(80), y = runif(80))
    some$e <- rnorm(80)
    truth <- covModel("exponential", range = ~ e, nugget = 0.1,
                      coefficients = list(range = c("(Intercept)" = log(0.3), e = 0.7)))
    some$z <- as.numeric(simulate(truth, seed = seed - 100, x = some))
    ask <- covModel("exponential", range = ~ e, variance = NA, nugget = NA)
    found <- gpFit(z ~ 1, some, ~ x + y, ask)
    from <- gpFit(z ~ 1, some, ~ x + y, ask, start = list("range.(Intercept)" = log(0.3), range.e = 0.7))
    expect_equal(found$loglik, from$loglik, tolerance = 1e-8)
  }
})

test_that("a search whose first climbs end without a nugget goes on where the variance follows covariates", {
  cells <- expand.grid(x = 10 * 1:87, y = 10 * 1:61)
  cells$height <- as.vector(datasets::volcano)
  cells$crater <- sqrt((cells$x - 330)^2 + (cells$y - 310)^2) / 100
  set.seed(2)
  seen <- cells[sample(nrow(cells), 40), ]
  model <- covModel("matern", variance = ~ crater, range = ~ crater, smoothness = NA, nugget = NA)
  fit <- suppressWarnings(gpFit(height ~ 1, seen, ~ x + y, model))
  one <- gpFit(height ~ 1, seen, ~ x + y,
               covModel("matern", variance = ~ crater, range = NA, smoothness = NA, nugget = NA))
  expect_gte(fit$loglik, one$loglik - 1e-6)
})

test_that("what is fixed stays, and without slopes the fit is that of numbers", {
  same <- gpFit(z ~ w, d, ~ x + y, asked, fixed = list(variance.e = 0, range.e = 0))
  flat <- gpFit(z ~ w, d[-7, ], ~ x + y, "exponential")
  expect_equal(same$loglik, flat$loglik, tolerance = 1e-7)
  expect_equal(unname(exp(coef(same, "covariance")[["range.(Intercept)"]])), flat$cov$range, tolerance = 1e-2)
  table <- anova(flat, fit)
  expect_equal(table$Chisq[2], 2 * (fit$loglik - flat$loglik))
  expect_identical(table$Df[2], 2)
  held <- gpFit(z ~ w, d, ~ x + y, asked, fixed = list(range.e = 0.3))
  expect_identical(held$parameters["range.e", "estimate"], 0.3)
  expect_lt(held$loglik, fit$loglik)
})

test_that("a nugget that is next to nothing is known, also of a level of a factor", {
  some <- d[31:90, ]
  some$s <- as.numeric(simulate(covModel("exponential", range = 3), seed = 3, x = some[c("x", "y")]))
  errors <- function(fit, p) {
    own <- fit$parameters[p, ]
    own$std.error / if (own$lower == 0) own$estimate else 1 # of the logarithm
  }
  plain <- gpFit(s ~ 1, some, ~ x + y, "exponential")
  expect_identical(plain$parameters["nugget", "boundary"], "lower")
  by <- gpFit(s ~ 1, some, ~ x + y, covModel("exponential", range = ~ w, variance = NA, nugget = ~ w),
              fixed = list(range.w = 0, nugget.w = 0))
  expect_identical(by$parameters["nugget.(Intercept)", "boundary"], "lower")
  expect_true(is.na(by$parameters["nugget.(Intercept)", "std.error"]))
  expect_match(by$notes, "nugget.(Intercept) is at the end of its search", fixed = TRUE, all = FALSE)
  expect_equal(errors(by, "variance"), errors(plain, "variance"), tolerance = 1e-3)
  expect_equal(errors(by, "range.(Intercept)"), errors(plain, "range"), tolerance = 1e-3)
  # the same contrast in either order of the levels, and in the other one all coefficients have to do with nothing
  half <- some$f == "u"
  some$s[half] <- some$s[half] + rnorm(sum(half))
  ask <- covModel("exponential", range = NA, variance = NA, nugget = ~ f)
  one <- gpFit(s ~ 1, some, ~ x + y, ask)
  expect_identical(one$parameters["nugget.fv", "boundary"], "lower")
  other <- gpFit(s ~ 1, transform(some, f = factor(f, c("v", "u"))), ~ x + y, ask)
  expect_equal(other$loglik, one$loglik, tolerance = 1e-8)
  for (p in c("variance", "range")) expect_equal(errors(other, p), errors(one, p), tolerance = 1e-3)
  expect_true(all(is.na(other$parameters[c("nugget.(Intercept)", "nugget.fu"), "std.error"])))
})

test_that("observations that are the same leave no maximum, which a warning says", {
  twice <- rbind(d[10:50, ], d[10, ])
  said <- capture_warnings(gpFit(z ~ w, twice, ~ x + y, covModel("exponential", range = 1, nugget = ~ 1)))
  expect_match(said, "1 observation at the location of another with the same value", all = FALSE)
})

test_that("a penalty makes slopes smaller", {
  small <- gpFit(z ~ w, d, ~ x + y, asked, penalty = TRUE)
  names <- c("variance.e", "range.e")
  expect_lt(sum(small$parameters[names, "estimate"]^2), sum(fit$parameters[names, "estimate"]^2))
  # at the maximum the gradient is that of the ridge: slopes times the squared standard deviation of the covariate
  X <- cbind(1, d$w)[-7, ]
  slope <- attr(gpLoglik(small$cov, d[-7, c("x", "y", "e")], d$z[-7], X = X, gradient = TRUE), "gradient")[names]
  e <- d$e[-7]
  expect_equal(unname(slope), small$parameters[names, "estimate"] * mean((e - mean(e))^2),
               tolerance = 1e-2) # the search ends where 1e-9 is left to be gained
})

test_that("levels that are not there have no coefficient, and new ones are errors", {
  more <- transform(d, f = factor(f, c("u", "v", "none")))
  one <- gpFit(z ~ w, more, ~ x + y, covModel("exponential", variance = ~ f, range = 1, nugget = 0.1))
  expect_identical(grep("variance", rownames(one$parameters), value = TRUE), c("variance.(Intercept)", "variance.fv"))
  expect_error(predict(one, transform(new, f = "none")), "none", class = "statcl_error_input")
})

test_that("smoothness, factors, splines, angles and coordinates as covariates", {
  skip_if_quick()
  more <- list(covModel("matern", variance = NA, range = ~ e, smoothness = ~ e, nugget = NA),
               covModel("powexp", variance = ~ f, range = ~ splines::ns(x, 2), shape = NA, nugget = 0.1),
               covModel("gaussian", variance = 1, range = ~ poly(x, 2), nugget = ~ f),
               covModel("exponential", variance = 1, range = NA, angle = ~ e, ratio = NA, nugget = 0.1))
  for (m in more) {
    one <- gpFit(z ~ w, d, ~ x + y, m)
    used <- if ("e" %in% statcl:::local_variables(one$cov)) -7L else seq_len(n)
    own <- intersect(c("e", "f"), statcl:::local_variables(one$cov))
    value <- gpLoglik(one$cov, d[used, c("x", "y", own)], d$z[used], X = cbind(1, d$w)[used, ])
    expect_equal(as.numeric(value), one$loglik, tolerance = 1e-9)
    expect_length(predict(one, transform(new, f = "v"))$fit, 3L)
  }
})

test_that("predictions, simulations and cross-validation are those of the matrices", {
  at <- d[-7, ]
  points <- at[c("x", "y", "e")]
  S <- unname(covariance(fit$cov, points))
  cross <- unname(covariance(fit$cov, points, new[c("x", "y", "e")]))
  own <- diag(covariance(update(fit$cov, nugget = 0), new[c("x", "y", "e")]))
  X <- cbind(1, at$w)
  X0 <- cbind(1, new$w)
  vcov <- solve(t(X) %*% solve(S, X))
  beta <- vcov %*% t(X) %*% solve(S, at$z)
  short <- t(X0) - t(X) %*% solve(S, cross)
  mean <- drop(X0 %*% beta + t(cross) %*% solve(S, at$z - X %*% beta))
  variance <- unname(own - colSums(cross * solve(S, cross)) + colSums(short * (vcov %*% short)))
  p <- predict(fit, new, se.fit = TRUE, type = "latent")
  expect_equal(p$fit, mean, tolerance = 1e-9)
  expect_equal(p$se.fit^2, variance, tolerance = 1e-9)
  expect_equal(predict(fit, new, se.fit = TRUE)$se.fit^2, variance + fit$cov$nugget, tolerance = 1e-9)
  fields <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new, type = "latent")[paste0("sim_", 1:4000)])
  # four standard errors of a mean and of a variance of 4000 normal values
  expect_lt(max(abs(rowMeans(fields) - mean) / sqrt(variance / 4000)), 4)
  expect_lt(max(abs(apply(fields, 1, var) / variance - 1)), 4 * sqrt(2 / 4000))
  expect_equal(dim(simulate(fit, 2, seed = 1)), c(n - 1, 2))
  loo <- gpCV(fit, "loo")
  less <- at[-3, ]
  Q <- solve(S[-3, -3])
  b <- solve(t(X[-3, ]) %*% Q %*% X[-3, ], t(X[-3, ]) %*% Q %*% less$z)
  expect_equal(loo$mean[3], drop(X[3, ] %*% b + S[3, -3] %*% Q %*% (less$z - X[-3, ] %*% b)), tolerance = 1e-8)
  expect_equal(unname(residuals(fit, "pearson")), unname((at$z - fitted(fit)) / sqrt(diag(S))), tolerance = 1e-8)
  expect_s3_class(gpCV(fit, k = 2, seed = 1, refit = TRUE), "gpCV")
  missing <- predict(fit, transform(new, e = c(NA, 0, 1)))
  expect_identical(is.na(missing$fit), c(TRUE, FALSE, FALSE))
  expect_error(predict(gpFit(z ~ 1, d, ~ x + y, fit$cov, fixed = TRUE), rfGrid(c(2, 2), 3, c(2, 2))), "no column e",
               class = "statcl_error_input")
})

test_backends("Vecchia's approximation is exact with all neighbours, with its own derivatives with few", {
  at <- d[-7, ]
  more <- list(fit$cov, covModel("matern", variance = ~ e, range = 0.8, smoothness = ~ e, nugget = ~ f, angle = ~ e,
    ratio = 0.5, coefficients = list(
      variance = c("(Intercept)" = 0.1, e = 0.2), smoothness = c("(Intercept)" = 0, e = 0.3),
      nugget = c("(Intercept)" = -2, fv = 0.5), angle = c("(Intercept)" = 20, e = 10))))
  for (m in more) for (estimator in c("ML", "REML")) {
    exact <- gpFit(z ~ w, at, ~ x + y, m, fixed = TRUE, estimator = estimator)
    all <- gpFit(z ~ w, at, ~ x + y, m, fixed = TRUE, estimator = estimator, method = "vecchia", m = nrow(at))
    expect_equal(all$loglik, exact$loglik, tolerance = 1e-11)
    expect_equal(coef(all), coef(exact), tolerance = 1e-10)
    with_f <- transform(new, f = "v")
    expect_equal(predict(all, with_f, se.fit = TRUE), predict(exact, with_f, se.fit = TRUE), tolerance = 1e-9)
    expect_equal(residuals(all, "loo"), residuals(exact, "loo"), tolerance = 1e-8)
    expect_equal(sum(residuals(all, "standardized")^2), sum(residuals(exact, "standardized")^2), tolerance = 1e-9)
    few <- gpFit(z ~ w, at, ~ x + y, m, fixed = TRUE, estimator = estimator, method = "vecchia", m = 8)
    few$parameters$fixed[-(1:2)] <- all$parameters$fixed[-(1:2)] <- exact$parameters$fixed[-(1:2)] <- FALSE
    likelihoods <- lapply(list(few, all, exact), statcl:::likelihood_of)
    rows <- likelihoods[[1]]$search()$rows
    free <- which(!rows$name %in% if (m$ratio == 1) c("angle", "ratio"))
    value <- function(k, v) likelihoods[[k]]$evaluate(statcl:::parameter_point(v, free), -Inf)
    slope <- vapply(free, function(j) difference(function(h)
      value(1, replace(rows$value, j, rows$value[j] + h))$value, 1e-4), 0)
    expect_equal(unname(value(1, rows$value)$gradient), slope, tolerance = 1e-7)
    expect_equal(unname(value(2, rows$value)$gradient), unname(value(3, rows$value)$gradient), tolerance = 1e-9)
    if (estimator == "ML") expect_equal(
      unname(value(2, rows$value)$information), unname(statcl:::gp_evaluate(
        statcl:::fit_problem(exact), statcl:::fitted_data(exact), "ML", informs = rows$name[free],
        kind = "expected")$information), tolerance = 1e-8)
  }
})

test_that("a fit by Vecchia's approximation does what others do", {
  near <- gpFit(z ~ w, d, ~ x + y, asked, method = "vecchia", m = 25)
  shift <- coef(near, "covariance")[1:4] - coef(fit, "covariance")[1:4]
  expect_lt(max(abs(shift) / fit$parameters[3:6, "std.error"]), 0.5)
  p <- predict(near, new, se.fit = TRUE, type = "latent")
  expect_equal(p$fit, predict(fit, new)$fit, tolerance = 0.1)
  fields <- as.matrix(simulate(near, 4000, seed = 1, newdata = new, type = "latent")[paste0("sim_", 1:4000)])
  # four standard errors of a mean and of a variance of 4000 normal values
  expect_lt(max(abs(rowMeans(fields) - p$fit) / sqrt(p$se.fit^2 / 4000)), 4)
  expect_lt(max(abs(apply(fields, 1, var) / p$se.fit^2 - 1)), 4 * sqrt(2 / 4000))
  cv <- gpCV(near, k = 3, seed = 1)
  expect_equal(cv$mean, gpCV(fit, k = 3, seed = 1)$mean, tolerance = 0.1)
  expect_s3_class(gpCV(near, "loo"), "gpCV")
  expect_output(print(near), "25 neighbours")
  # sums do not depend on the number of threads
  old <- options(statcl.threads = 1)
  on.exit(options(old))
  one <- gpFit(z ~ w, d, ~ x + y, near$cov, method = "vecchia", m = 25, fixed = TRUE)$loglik
  options(statcl.threads = 2)
  expect_identical(gpFit(z ~ w, d, ~ x + y, near$cov, method = "vecchia", m = 25, fixed = TRUE)$loglik, one)
})

test_that("without a nugget a prediction at an observation is that, by neighbours as well", {
  some <- d[1:60, ][-7, ]
  m <- covModel("exponential", range = ~ e, coefficients = list(range = c("(Intercept)" = 0.5, e = 0.3)))
  near <- gpFit(z ~ w, some, ~ x + y, m, fixed = TRUE, method = "vecchia", m = 10)
  p <- predict(near, some[1:5, ], se.fit = TRUE)
  expect_equal(p$fit, some$z[1:5], tolerance = 1e-10)
  expect_lt(max(p$se.fit), 1e-7) # the root of some units of rounding of the variance, 1
  drawn <- simulate(near, newdata = some[1:2, ], seed = 1)
  expect_equal(drawn$sim_1, some$z[1:2], tolerance = 1e-7)
})

test_that("a fit is printed, plotted and profiled", {
  expect_output(print(fit), "exponential, .*range ~e.*range.e")
  expect_output(print(summary(fit)), "variance.e")
  limits <- confint(fit, "range.e")
  value <- function(v) gpFit(z ~ w, d, ~ x + y, asked, fixed = list(range.e = v))$loglik
  expect_equal(2 * (fit$loglik - value(limits[[1]])), qchisq(0.95, 1), tolerance = 1e-3)
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(fit, c("sd", "range")))
  expect_silent(plot(fit))
  own <- gpFit(z ~ w, d, ~ x + y, covModel("exponential", range = ~ x, nugget = 0.1))
  expect_silent(plot(own, c("surface", "se"), n = 9))
  # a mean that is not known between the data is left out there
  grid <- expand.grid(x = c(2, 7), y = c(3, 8), w = 0)
  expect_equal(statcl:::process_predictions(own, as.matrix(grid[1:2]))[, "fit"] + coef(own)[[1]],
               predict(own, grid, type = "latent")$fit, tolerance = 1e-10)
})

test_that("what is not available says so", {
  says <- function(expr, text) expect_error(expr, text, class = "statcl_error_input")
  ask <- function(...) gpFit(z ~ w, d, ~ x + y, asked, ...)
  says(predict(fit, new[-3]), "newdata has no column e, a covariate of variance = ~e")
  says(predict(fit, new, block = 1), "averages over areas")
  says(predict(fit, new, block = c(1, 1)), "averages over areas")
  says(predict(fit, new, parameters = "integrate"), "plugin")
  says(posterior(fit), "confint")
  says(confint(fit, method = "integrate"), "profile")
  says(varcomp(fit), "does not follow covariates")
  says(sigma(fit), "not one number")
  says(simulate(fit, newdata = new, method = "tbrf"), "\"exact\"")
  says(plot(fit, "surface"), "predict")
  says(plot(fit, "smoothness"), "no formula")
  says(ask(method = "vecchia", block = 3), "block")
  says(ask(by = f), "normal responses without")
  says(ask(varying = ~ w), "sums")
  says(gpFit(round(exp(z)) ~ w, d, ~ x + y, asked, family = poisson()), "normal responses without")
  says(gpFit(z ~ w + (1 | f), d, ~ x + y, asked), "normal responses without")
  says(gpFit(z ~ w, d, ~ x + y, covModel("exponential", range = ~ nosuch)), "data has no column nosuch")
  says(gpFit(z ~ w, d, ~ x + y, covModel("exponential", range = ~ e + I(2 * e))), "combinations of others")
  says(gpFit(z ~ w, transform(d, e = 1), ~ x + y, covModel("exponential", range = ~ e)), "constant beside")
  says(gpFit(z ~ w, transform(d, e = replace(e, 4, -Inf)), ~ x + y, covModel("exponential", range = ~ e)),
       "the value -Inf of the column e in observation 4")
  says(gpMLOE(fit$cov, fit$cov, d[1:2], new[1:2]), "no formulas")
})

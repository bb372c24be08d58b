# Several variables: likelihoods against reference values, fits, co-kriging and simulations by exact matrices.

reference <- small_first(read_ref("mgp"))
data_of <- read_ref("mgp_data")
new_of <- read_ref("mgp_new")

with_values <- function(model, values)
  structure(statcl:::set_parameters(unclass(model), values), class = "covModel")

test_backends("log likelihoods are those of reference values", {
  for (i in seq_len(nrow(reference))) {
    r <- reference[i, ]
    d <- data_of[data_of$config == r$config, ]
    x <- d[c("x", "y", "var")]
    model <- several_reference(r)
    X <- outer(d$var, seq_len(r$p), "==") + 0
    expect_equal(gpLoglik(model, x, d$value), r$loglik_zero, tolerance = 1e-10)
    found <- gpLoglik(model, x, d$value, X)
    expect_equal(as.numeric(found), r$loglik_ml, tolerance = 1e-10)
    expect_equal(unname(attr(found, "coefficients")), unlist(r[paste0("mu", seq_len(r$p))], use.names = FALSE),
                 tolerance = 1e-9)
    expect_equal(as.numeric(gpLoglik(model, x, d$value, X, "REML")), r$loglik_reml, tolerance = 1e-10)
  }
})

test_that("co-kriging is that of reference values", {
  for (i in seq_len(nrow(reference))) {
    r <- reference[i, ]
    d <- data_of[data_of$config == r$config, ]
    new <- new_of[new_of$config == r$config, ]
    fit <- gpFit(value ~ 1, d, ~ x + y, several_reference(r), variable = ~ var, fixed = TRUE)
    expect_equal(as.numeric(logLik(fit)), r$loglik_ml, tolerance = 1e-10)
    for (k in seq_len(r$p)) {
      p <- predict(fit, new[new$var == k, ], variable = k, type = "latent", se.fit = TRUE)
      own <- new[new$var == k, ]
      expect_lt(max(abs(p$fit - own$ordinary_mean)), 1e-9)
      expect_lt(max(abs(p$se.fit^2 - own$ordinary_var)), 1e-9)
    }
  }
})

set.seed(8)
n <- 45
rho <- matrix(c(1, 0.6, -0.3, 0.6, 1, 0.1, -0.3, 0.1, 1), 3)
model <- covModel("multimatern", range = 0.2, smoothness = c(0.5, 1.5, 1), variance = c(1, 4, 2), correlation = rho,
                  nugget = c(0.2, 0.3, 0.2))
lmc <- covModel("lmc", parts = lapply(c(0.1, 0.5), function(r) covModel("exponential", range = r)),
                sill = list(diag(3), tcrossprod(c(1, -1, 0.5)) + diag(0.3, 3)), nugget = 0.1)
places <- data.frame(x = runif(n), y = runif(n), z = rnorm(n))
joint <- cbind(places[rep(seq_len(n), 3), 1:2], variable = rep(1:3, each = n))
drawn <- function(model, seed) {
  set.seed(seed)
  drop(crossprod(chol(covariance(model, joint)), rnorm(3 * n))) + c(0, 5, -2)[joint$variable] +
    c(1, 0, 0)[joint$variable] * places$z
}
wide <- function(y) cbind(places, a = y[1:n], b = y[n + 1:n], c = y[2 * n + 1:n])
data <- wide(drawn(model, 2))
data$a[1:8] <- NA
data$b[5:20] <- NA
data[9, c("a", "b", "c")] <- NA

test_that("gradients and information are those of differences and of matrices", {
  x <- joint[c(1:30, 46:80, 100:135), ]
  shared <- matrix(c(0.1, 0.05, 0, 0.05, 0.2, -0.1, 0, -0.1, 0.3), 3)
  X <- cbind(outer(x$variable, 1:3, "==") + 0, x$x)
  set.seed(2)
  y <- rnorm(nrow(x))
  for (m in list(model, update(model, nugget = shared), lmc, update(model, correlation = diag(3)))) {
    rows <- statcl:::cov_parameters(list(unclass(m)))
    for (estimator in c("ML", "REML")) {
      value <- gpLoglik(m, x, y, X, estimator, gradient = TRUE, information = TRUE)
      average <- attr(gpLoglik(m, x, y, X, estimator, information = "average"), "information")
      S <- covariance(m, x)
      P <- solve(S) - solve(S, X) %*% solve(t(X) %*% solve(S, X), t(X) %*% solve(S))
      Q <- if (estimator == "ML") solve(S) else P
      isotropic <- rows$base %in% c("angle", "ratio")
      for (i in which(!isotropic)) {
        f <- function(v) as.numeric(gpLoglik(with_values(m, v), x, y, X, estimator))
        expect_equal(attr(value, "gradient")[[i]], differenced(f, rows$value, i), tolerance = 1e-7)
        D <- covariance(m, x, deriv = rows$name[i])
        expect_equal(attr(value, "information")[i, i], sum(diag(Q %*% D %*% Q %*% D)) / 2, tolerance = 1e-9)
        expect_equal(average[i, i], c(t(D %*% P %*% y) %*% P %*% (D %*% P %*% y)) / 2, tolerance = 1e-9)
      }
    }
  }
})

test_that("one variable has the likelihood of its model, and fits do", {
  one <- covModel("multimatern", range = 0.3, smoothness = 0.7, variance = 2, nugget = 0.1)
  plain <- covModel("matern", range = 0.3, smoothness = 0.7, variance = 2, nugget = 0.1)
  expect_equal(gpLoglik(one, cbind(places[1:2], 1), places$z), gpLoglik(plain, places[1:2], places$z),
               tolerance = 1e-12)
})

fit <- gpFit(cbind(a, b, c) ~ z, data, ~ x + y)

test_that("a fit is the maximum, with observations of a variable where it was measured", {
  expect_true(fit$converged)
  expect_true(all(fit$parameters$boundary == ""))
  expect_identical(nobs(fit), sum(!is.na(data[c("a", "b", "c")])))
  expect_identical(names(coef(fit)), paste0(rep(c("a", "b", "c"), each = 2), ":", c("(Intercept)", "z")))
  own <- statcl:::covariance_rows(fit)
  start <- as.list(stats::setNames(own$estimate, rownames(own))[!own$fixed & !nzchar(own$boundary)])
  free <- names(start)
  found <- gpLoglik(fit$cov, fit$x, fit$y, fit$X, gradient = TRUE)
  expect_equal(as.numeric(found), fit$loglik, tolerance = 1e-12)
  expect_equal(unname(attr(found, "coefficients")), unname(coef(fit)), tolerance = 1e-9)
  # in standard errors, what is left of the gradient
  inside <- intersect(free, rownames(own)[!is.na(own$std.error)])
  expect_lt(max(abs(attr(found, "gradient")[inside] * own[inside, "std.error"])), 1e-3)
  again <- update(fit, start = lapply(start, `*`, 0.98))
  expect_equal(again$loglik, fit$loglik, tolerance = 1e-8)
})

test_that("forms of the data, permuted rows and variables have one fit", {
  y <- unlist(data[c("a", "b", "c")])
  long <- data.frame(places[rep(seq_len(n), 3), ], value = y, element = rep(c("a", "b", "c"), each = n))
  set.seed(3)
  by_rows <- gpFit(value ~ z, long[sample(nrow(long)), ], ~ x + y, variable = ~ element)
  expect_equal(by_rows$loglik, fit$loglik, tolerance = 1e-8)
  expect_equal(coef(by_rows), coef(fit), tolerance = 1e-5)
  turned <- gpFit(list(c ~ z, a ~ z, b ~ z), data, ~ x + y)
  expect_equal(turned$loglik, fit$loglik, tolerance = 1e-8)
  expect_equal(coef(turned)[names(coef(fit))], coef(fit), tolerance = 1e-5)
  expect_equal(covariance(turned$cov, data.frame(0, 0, c("a", "b", "c"))),
               covariance(fit$cov, data.frame(0, 0, c("a", "b", "c"))), tolerance = 1e-4)
  other <- gpFit(list(a ~ z, b ~ 1, c ~ 1), data, ~ x + y)
  expect_identical(names(coef(other)), c("a:(Intercept)", "a:z", "b:(Intercept)", "c:(Intercept)"))
  expect_gt(anova(other, fit)[2, "Chisq"], 0)
})

test_that("with penalties a search leaves a correlation of 0", {
  small <- gpFit(cbind(b, c) ~ 1, data, ~ x + y, fixed = list(smoothness = 0.5), start = list(correlation = 0),
                 penalty = TRUE)
  expect_true(small$converged)
  expect_false(coef(small, "covariance")[["correlation.b.c"]] == 0)
})

test_that("units of a variable change what has its unit, and nothing else", {
  scaled <- transform(data, b = 1e6 * b)
  big <- update(fit, data = scaled)
  expect_equal(big$loglik, fit$loglik - sum(!is.na(data$b)) * log(1e6), tolerance = 1e-9)
  expect_equal(big$cov$variance, fit$cov$variance * c(1, 1e12, 1), tolerance = 1e-4)
  expect_equal(big$cov$correlation, fit$cov$correlation, tolerance = 1e-4)
})

test_that("variances that a model has because it was made without them are no place to begin at in other units", {
  set.seed(12)
  two <- data.frame(x = runif(40), y = runif(40), z = rnorm(40))
  two$a <- 5 + two$z + rnorm(40)
  two$b <- replace(2 * two$a + rnorm(40), 3:5, NA)
  of_unit <- function(unit) gpFit(cbind(unit * a, b / unit) ~ z, two, ~ x + y,
                                  covModel("multimatern", smoothness = 0.5, range = 0.2))$loglik
  expect_equal(of_unit(1e4), of_unit(1) - 3 * log(1e4), tolerance = 1e-6)
})

test_that("a fixed covariance takes known variances of errors of each variable", {
  known <- covModel("multimatern", range = 0.2, smoothness = c(0.5, 1.5, 1), variance = c(1, 4, 2), correlation = rho)
  each <- gpFit(cbind(a, b, c) ~ z, data, ~ x + y, known, fixed = TRUE,
                error.variance = cbind(rep(0.2, n), 0.3, 0.2))
  plain <- gpFit(cbind(a, b, c) ~ z, data, ~ x + y, model, fixed = TRUE)
  expect_equal(each$loglik, plain$loglik, tolerance = 1e-12)
})

test_that("predictions and simulations are those of the joint distribution", {
  fixed <- gpFit(cbind(a, b, c) ~ z, data, ~ x + y, model, fixed = TRUE)
  new <- data.frame(x = c(0.2, 0.7, NA), y = c(0.4, 0.1, 0.2), z = c(1, 0, 0))
  at <- cbind(new[c(1, 2, 1, 2, 1, 2), 1:2], rep(1:3, each = 2))
  S <- covariance(model, fixed$x)
  X <- fixed$X
  vcov <- solve(t(X) %*% solve(S, X))
  beta <- vcov %*% t(X) %*% solve(S, fixed$y)
  expect_equal(unname(coef(fixed)), c(beta), tolerance = 1e-9)
  X0 <- diag(3)[at[, 3], ] %x% cbind(1, 0)
  X0[cbind(1:6, 2 * at[, 3])] <- new$z[c(1, 2)]
  cross <- covariance(model, fixed$x, at)
  short <- t(X0) - t(X) %*% solve(S, cross)
  mean <- X0 %*% beta + t(cross) %*% solve(S, fixed$y - X %*% beta)
  joint <- covariance(update(model, nugget = 0), at) - t(cross) %*% solve(S, cross) + t(short) %*% vcov %*% short
  p <- predict(fixed, new)
  expect_identical(dimnames(p), list(c("1", "2", "3"), c("a", "b", "c")))
  expect_equal(c(p[1:2, ]), c(mean), tolerance = 1e-9)
  expect_identical(unname(p[3, ]), rep(NA_real_, 3))
  table <- predict(fixed, new, se.fit = TRUE, interval = "prediction", type = "latent")
  expect_identical(names(table), c("place", "variable", "fit", "se.fit", "lwr", "upr"))
  ok <- !is.na(table$fit)
  expect_equal(table$se.fit[ok]^2, unname(diag(joint)), tolerance = 1e-9)
  response <- predict(fixed, new, se.fit = TRUE)
  expect_equal(response$se.fit[ok]^2, unname(diag(joint)) + c(0.2, 0.3, 0.2)[at[, 3]], tolerance = 1e-9)
  one <- predict(fixed, new, variable = "b", se.fit = TRUE)
  expect_identical(one$fit, response$fit[response$variable == "b"])
  expect_identical(names(one), c("x", "y", "z", "fit", "se.fit"))
  fields <- simulate(fixed, 4000, seed = 1, newdata = new, type = "latent")
  values <- as.matrix(fields[ok, paste0("sim_", 1:4000)])
  # four standard errors of means, and of variances and covariances of 4000 normal values
  expect_lt(max(abs(rowMeans(values) - mean) / sqrt(diag(joint) / 4000)), 4)
  expect_lt(max(abs(cov(t(values)) - joint) / sqrt((joint^2 + tcrossprod(diag(joint))) / 4000)), 4)
  grid <- predict(fixed, rfGrid(c(0, 0), 0.5, c(3, 2)), variable = "c", type = "latent", interval = "none") |>
    tryCatch(error = identity)
  expect_match(conditionMessage(grid), "no z") # the mean has a covariate
  draws <- simulate(fixed, 2000, seed = 2)
  expect_identical(rownames(draws), names(fixed$y))
  expect_lt(max(abs(rowMeans(draws) - fixed$fitted.values) / sqrt(diag(S) / 2000)), 4.5)
})

test_that("errors that a matrix of nuggets shares are drawn together", {
  nugget <- matrix(c(0.1, 0.05, 0, 0.05, 0.2, -0.1, 0, -0.1, 0.3), 3)
  shared <- gpFit(cbind(a, b, c) ~ 1, data, ~ x + y, update(model, nugget = nugget), fixed = TRUE)
  expect_equal(shared$loglik, as.numeric(gpLoglik(update(model, nugget = nugget), shared$x, shared$y, shared$X)))
  new <- data.frame(x = 0.5, y = 0.5)
  latent <- predict(shared, new, se.fit = TRUE, type = "latent")$se.fit^2
  fields <- as.matrix(simulate(shared, 4000, seed = 1, newdata = new)[paste0("sim_", 1:4000)])
  process <- as.matrix(simulate(shared, 4000, seed = 2, newdata = new, type = "latent")[paste0("sim_", 1:4000)])
  total <- cov(t(process)) + nugget
  expect_lt(max(abs(cov(t(fields)) - total) / sqrt((total^2 + tcrossprod(diag(total))) / 2000)), 4)
  # smoothed values leave out what the errors of all variables explain
  S <- covariance(shared$cov, shared$x)
  K <- covariance(update(shared$cov, nugget = 0), shared$x)
  smooth <- shared$fitted.values + K %*% solve(S, shared$residuals)
  expect_equal(unname(predict(shared, type = "latent")), c(unname(smooth)), tolerance = 1e-9)
  expect_input_error(simulate(shared, newdata = NULL, conditional = TRUE), "matrix of nuggets")
})

test_that("leave-one-out and folds are those of fits without", {
  fixed <- gpFit(cbind(a, b, c) ~ 1, data, ~ x + y, model, fixed = TRUE)
  loo <- gpCV(fixed, "loo")
  expect_identical(as.character(loo$variable), rep(c("a", "b", "c"), table(fixed$x[, 3])))
  i <- 50
  S <- covariance(model, fixed$x)
  less <- fixed$X[-i, ]
  W <- solve(S[-i, -i])
  beta <- solve(t(less) %*% W %*% less, t(less) %*% W %*% fixed$y[-i])
  expect_equal(loo$mean[i], c(fixed$X[i, ] %*% beta + S[i, -i] %*% W %*% (fixed$y[-i] - less %*% beta)),
               tolerance = 1e-9)
  fold <- rep_len(1:4, nobs(fixed))
  cv <- gpCV(fixed, folds = fold)
  at <- which(fold == 2)
  W <- solve(S[-at, -at])
  beta <- solve(t(fixed$X[-at, ]) %*% W %*% fixed$X[-at, ], t(fixed$X[-at, ]) %*% W %*% fixed$y[-at])
  expect_equal(cv$mean[at], c(fixed$X[at, ] %*% beta + S[at, -at] %*% W %*% (fixed$y[-at] - fixed$X[-at, ] %*% beta)),
               tolerance = 1e-9)
})

test_that("methods know the variables, or say what serves", {
  expect_identical(dim(vcov(fit)), c(6L, 6L))
  expect_identical(rownames(anova(fit)), names(coef(fit)))
  expect_identical(names(sigma(fit)), c("a", "b", "c"))
  expect_output(print(fit), "Gaussian process of 3 variables")
  expect_output(print(summary(fit)), "variance.a")
  limits <- confint(fit, c("a:z", "range", "correlation.a.b"), method = "transformed")
  expect_true(all(limits[, 1] < limits[, 2]))
  expect_identical(names(residuals(fit)), names(fit$y))
  expect_equal(unname(residuals(fit, "pearson") * sqrt(diag(covariance(fit$cov, fit$x)))), unname(residuals(fit)),
               tolerance = 1e-12)
  expect_identical(nrow(model.frame(fit)), nobs(fit))
  expect_input_error(confint(fit, "correlation.a.b", method = "profile"), "elements of a matrix")
  expect_false(match("correlation.a.b", rownames(fit$parameters)) %in% statcl:::profile_rows(fit))
  expect_input_error(predict(fit, data, variable = "lead"), "any of a, b, c")
  expect_input_error(varcomp(fit), "sigma()")
  expect_input_error(simulate(fit, newdata = data, method = "exact", nlines = 10), "takes no nlines")
  expect_input_error(drop1(fit), "a formula for each")
  expect_input_error(predict(fit, data, block = 1), "is for fits of one variable")
})

test_that("what is no fit of several variables is an error that says what is", {
  expect_input_error(gpFit(cbind(a, b) ~ z, data, ~ x + y, "exponential"), "is of one variable")
  expect_input_error(gpFit(cbind(a, b) ~ z, data, ~ x + y, "lmc"), "needs a model")
  expect_input_error(gpFit(cbind(a, b) ~ z, data, ~ x + y, model), "is a model of 3 variables: formula has 2")
  expect_input_error(gpFit(list(a ~ z, b ~ z), data, ~ x + y, weights = z), "is not for several variables")
  expect_input_error(gpFit(cbind(a, a) ~ z, data, ~ x + y), "is there twice")
  expect_input_error(gpFit(cbind(a, b) ~ z + (1 | c), data, ~ x + y), "no grouped effects")
  expect_input_error(gpFit(a ~ z, data, ~ x + y, "multimatern"), "several variables")
  expect_input_error(gpFit(a ~ z, data, ~ x + y, model), "several variables")
  few <- transform(data, b = replace(b, -30, NA))
  expect_input_error(gpFit(cbind(a, b) ~ 1, few, ~ x + y), "1 observation of b for 1 coefficient of its mean")
})

test_that("a variable that its mean fits exactly is an error, unless all is known", {
  odd <- transform(data, flat = 5, line = 1e3 + z)
  expect_input_error(gpFit(cbind(a, flat) ~ 1, odd, ~ x + y), "flat is constant")
  expect_input_error(gpFit(list(line ~ z, a ~ 1), odd, ~ x + y), "the mean of line fits it exactly")
  two <- update(model, variance = c(1, 4), smoothness = c(0.5, 1.5), correlation = 0.6, nugget = c(0.2, 0.3))
  expect_true(is.finite(gpFit(cbind(a, flat) ~ 1, odd, ~ x + y, two, fixed = TRUE)$loglik))
})

test_that("a dot stands for columns that are no response, and update() takes formulas of each variable", {
  two <- update(model, variance = c(1, 4), smoothness = c(0.5, 1.5), correlation = 0.6, nugget = c(0.2, 0.3))
  dot <- gpFit(cbind(b, c) ~ ., data[c("x", "y", "z", "b", "c")], ~ x + y, two, fixed = TRUE)
  expect_identical(names(coef(dot)), paste0(rep(c("b", "c"), each = 4), ":", c("(Intercept)", "x", "y", "z")))
  known <- gpFit(cbind(b, c) ~ 1, data, ~ x + y, two, fixed = TRUE)
  each <- update(known, list(b ~ z, c ~ 1))
  expect_identical(names(coef(each)), c("b:(Intercept)", "b:z", "c:(Intercept)"))
  more <- update(each, . ~ . + x, estimator = "REML")
  expect_identical(names(coef(more)), c("b:(Intercept)", "b:z", "b:x", "c:(Intercept)", "c:x"))
  expect_identical(more$estimator, "REML")
  expect_identical(update(each, list(b ~ z, c ~ 1), evaluate = FALSE), each$call)
})

test_that("observations that are the same leave no maximum, which a warning says", {
  twice <- rbind(data[21:45, ], data[21, ])
  twice$b <- twice$z + c(1, -1) # another variable has none
  twice$b[26] <- NA
  expect_warning(gpFit(list(c ~ 1, b ~ 1), twice, ~ x + y, fixed = list(smoothness = 0.5)),
                 "1 observation at the location of another with the same value")
})

test_that("a variable may have one observation where the covariance is known, and none at new places", {
  two <- update(model, variance = c(1, 4), smoothness = c(0.5, 1.5), correlation = 0.6, nugget = c(0.2, 0.3))
  few <- transform(data, b = replace(b, -30, NA))
  known <- gpFit(cbind(a, b) ~ 1, few, ~ x + y, two, fixed = TRUE)
  expect_identical(nobs(known), sum(!is.na(few$a)) + 1L)
  own <- predict(known, few[30, ], variable = "b", se.fit = TRUE, type = "latent")
  expect_true(is.finite(own$fit) && own$se.fit > 0)
  # the only observation has a mean of its own: the others say nothing of b but differences from there
  expect_equal(known$coefficients[["b:(Intercept)"]] + sum(covariance(two, cbind(few[30, 1:2], 2), known$x) *
                                                             weights(known, "kriging")), own$fit, tolerance = 1e-9)
  expect_identical(colnames(predict(known, few[1:2, ])), c("a", "b"))
  expect_identical(names(predict(known, few[1:2, c("x", "y")], variable = "a")), c("x", "y", "fit"))
  expect_identical(dim(expect_silent(predict(known, few[0, ]))), c(0L, 2L))
  expect_identical(nrow(expect_silent(predict(known, few[0, ], variable = "a", se.fit = TRUE))), 0L)
})

test_that("variables may have means of 0, all of them or some", {
  none <- gpFit(cbind(a, b, c) ~ 0, data, ~ x + y, model, fixed = TRUE)
  known <- stats::na.omit(c(data$a, data$b, data$c))
  expect_equal(none$loglik, as.numeric(gpLoglik(model, none$x, known)), tolerance = 1e-12)
  expect_identical(length(coef(none)), 0L)
  expect_output(print(summary(none)), "Gaussian process of 3 variables")
  S <- covariance(model, none$x)
  new <- data.frame(x = 0.3, y = 0.4)
  expect_equal(c(predict(none, new)), c(covariance(model, cbind(0.3, 0.4, 1:3), none$x) %*% solve(S, known)),
               tolerance = 1e-9)
  some <- gpFit(list(a ~ 0, b ~ z, c ~ 0), data, ~ x + y, model, fixed = TRUE)
  expect_identical(names(coef(some)), c("b:(Intercept)", "b:z"))
})

test_that("a model may leave open how many variables there are", {
  open <- covModel("multimatern", range = NA, smoothness = 0.5, correlation = NA, nugget = NA, variance = NA)
  by_model <- gpFit(cbind(a, b, c) ~ 1, data, ~ x + y, open, fixed = list(smoothness = 0.5))
  by_name <- gpFit(cbind(a, b, c) ~ 1, data, ~ x + y, fixed = list(smoothness = 0.5))
  expect_equal(by_model$loglik, by_name$loglik, tolerance = 1e-8)
  pair <- update(open, correlation = 0.5)
  expect_input_error(gpFit(cbind(a, b, c) ~ 1, data, ~ x + y, pair), "is a model of 2 variables: formula has 3")
})

test_that("names of arguments stand for all variables, and some correlations may be fixed", {
  skip_if_quick()
  expect_no_warning(some <- update(fit, fixed = list(smoothness = 0.5, correlation.a.c = 0), estimator = "REML",
                                   penalty = TRUE))
  expect_identical(some$cov$smoothness, rep(0.5, 3))
  expect_identical(some$cov$correlation[1, 3], 0)
  expect_no_error(statcl:::multimatern_valid(some$cov))
  expect_equal(some$loglik, as.numeric(gpLoglik(some$cov, some$x, some$y, some$X, "REML")), tolerance = 1e-10)
  # without fixing it the likelihood is larger, and the search from there finds the way
  free <- update(fit, fixed = list(smoothness = 0.5), estimator = "REML", start = some$cov |>
    with(list(range = range)))
  expect_gt(free$loglik, some$loglik)
})

test_that("vectors and matrices of fixed values have one for each variable, or pair", {
  values <- function(fixed, cov = update(model, variable = c("a", "b", "c"))) {
    rows <- statcl:::cov_parameters(list(unclass(cov)))
    unlist(statcl:::for_all_variables("fixed", fixed, rows, unclass(cov)))
  }
  expect_identical(values(list(smoothness = c(0.5, 1, 2))),
                   c(smoothness.a = 0.5, smoothness.b = 1, smoothness.c = 2))
  expect_identical(values(list(smoothness = c(c = 2, a = 0.5, b = 1))), values(list(smoothness = c(0.5, 1, 2))))
  expect_identical(values(list(smoothness.b = 3, smoothness = c(0.5, 1, 2)))[c("smoothness.a", "smoothness.b")],
                   c(smoothness.a = 0.5, smoothness.b = 3))
  expect_identical(values(list(correlation = rho)),
                   c(correlation.a.b = 0.6, correlation.a.c = -0.3, correlation.b.c = 0.1))
  shared <- update(model, nugget = diag(3) + 0.5, variable = c("a", "b", "c"))
  expect_identical(values(list(nugget = diag(3) + 0.1), shared), c(
    nugget.a = 1.1, nugget.b = 1.1, nugget.c = 1.1, nugget.a.b = 0.1, nugget.a.c = 0.1, nugget.b.c = 0.1))
  expect_input_error(values(list(smoothness = c(0.5, 1))),
                     "fixed$smoothness must be one number, or 3: for smoothness.a")
  expect_input_error(values(list(smoothness = c(a = 1, b = 2, lead = 3))), "must have the names a, b, c")
  expect_input_error(values(list(correlation = diag(2))), "fixed$correlation is a 2 x 2 matrix")
  two <- gpFit(cbind(b, c) ~ 1, data, ~ x + y, fixed = list(smoothness = c(1.5, 0.5), nugget = c(0.3, 0.2),
                                                          range = 0.2, variance = c(c = 2, b = 4)))
  expect_identical(two$cov$smoothness, c(1.5, 0.5))
  expect_identical(two$cov$variance, c(4, 2))
  expect_identical(rownames(vcov(two, complete = TRUE)), names(coef(two)))
})

test_that("variables without a place in common are noted where their correlation is not known well", {
  apart <- transform(data, b = replace(b, !is.na(a), NA), a = a)
  known <- list(smoothness = 0.5, nugget = 0.3, range = 0.2)
  far <- gpFit(cbind(a, c) ~ 1, transform(data, c = replace(c, -(1:9), NA)), ~ x + y, fixed = known)
  expect_match(paste(far$notes, collapse = " "), "a and c were not measured at one place")
  both <- gpFit(cbind(a, c) ~ 1, data, ~ x + y, fixed = known)
  expect_false(any(grepl("at one place", both$notes)))
  # with the parameterisation of two variables, whose correlation is one number
  two <- function(data) suppressWarnings(gpFit(cbind(a, c) ~ 1, data, ~ x + y, "bimatern", fixed = list(
    smoothness = c(0.5, 0.5, 0.5), nugget = c(0.3, 0.3), range = c(0.2, 0.2, 0.2))))
  expect_match(paste(two(transform(data, c = replace(c, -(1:9), NA)))$notes, collapse = " "),
               "a and c were not measured at one place")
  both <- two(transform(data, a = replace(a, -(10:14), NA), c = replace(c, -(10:14), NA)))
  expect_false(isTRUE(both$parameters["correlation", "std.error"] < 0.25))
  expect_false(any(grepl("at one place", both$notes)))
})

test_that("several columns with a family are an error that says what is for them", {
  counts <- transform(data, u = rpois(n, 3), v = rpois(n, 3))
  expect_input_error(gpFit(cbind(u, v) ~ 1, counts, ~ x + y, family = "poisson"), "fit each column on its own")
  expect_input_error(gpFit(cbind(u, v) ~ 1, counts, ~ x + y, "multimatern", family = poisson()),
                     "fit each column on its own")
})

test_that("models of coregionalisation are fitted, of full and of lower rank", {
  skip_if_quick()
  y <- wide(drawn(lmc, 4))
  parts <- list(covModel("exponential", range = NA), covModel("exponential", range = NA))
  asked <- covModel("lmc", parts = parts, sill = NA, nugget = 0.1)
  two <- gpFit(cbind(a, b, c) ~ 1, y, ~ x + y, asked, fixed = list(nugget = 0.1))
  one <- gpFit(cbind(a, b, c) ~ 1, y, ~ x + y, covModel("lmc", parts = parts[1], sill = NA, nugget = 0.1),
               fixed = list(nugget = 0.1))
  expect_gt(two$loglik, one$loglik)
  expect_lt(two$cov$parts[[1]]$range, two$cov$parts[[2]]$range)
  for (k in 1:2) expect_gt(min(eigen(two$cov$sill[, , k], TRUE, TRUE)$values), -1e-12)
  y <- wide(drawn(covModel("lmc", parts = list(covModel("exponential", range = 0.3)),
                           sill = list(tcrossprod(c(1, -1, 0.5))), nugget = c(0.1, 0.3, 0.2), rank = 1), 5))
  low <- gpFit(cbind(a, b, c) ~ 1, y, ~ x + y, covModel("lmc", parts = parts[1], sill = NA, nugget = rep(NA, 3),
                                                        rank = 1))
  expect_true(low$converged)
  one <- gpFit(cbind(a, b, c) ~ 1, y, ~ x + y, covModel("lmc", parts = parts[1], sill = NA, nugget = rep(NA, 3)))
  expect_equal(one$df - low$df, 3)
  expect_gt(one$loglik, low$loglik - 1e-6)
  expect_lt(max(abs(eigen(low$cov$sill[, , 1], TRUE, TRUE)$values[2:3])), 1e-10)
  expect_true(all(low$parameters["sill1.a.a", "std.error"] > 0))
})

test_that("variables that are multiples of one another are refused", {
  set.seed(1)
  d <- data.frame(u = runif(20), v = runif(20), w = rnorm(20), a = rnorm(20))
  d$b <- 3 * d$a + d$w - 2
  d$c <- d$b + 1e-6 * rnorm(20)
  d$b[2] <- NA
  says <- function(formula) expect_error(gpFit(formula, d, ~ u + v, "multimatern", fixed = list(smoothness = 0.5)),
                                         "a and b are multiples of one another", class = "statcl_error_input")
  says(cbind(a, b) ~ w)
  says(list(a ~ w, b ~ 1))
  statcl:::check_copies(lapply(list(a = d$a, c = d$c), function(y) # nearly so is a variable of its own
    list(y = y, offset = 0 * y, X = cbind(1, d$w), xy = as.matrix(d[1:2]))), c("a", "c"))
  known <- covModel("multimatern", range = 1, smoothness = 1, variance = c(1, 1), correlation = 0.5, nugget = 0.1)
  expect_error(gpFit(cbind(a, b) ~ 1, d, ~ u + v, known, fixed = TRUE), NA)
})

test_that("columns of error.variance are those of the formula, whatever the order in the model", {
  model <- covModel("multimatern", variance = c(1, 2), range = 0.3, smoothness = c(0.5, 1), nugget = 0.1,
                    correlation = matrix(c(1, 0.3, 0.3, 1), 2), variable = c("b", "a"))
  error <- cbind(seq_len(nrow(data)) / nrow(data), 2)
  fit <- gpFit(cbind(a, b) ~ z, data, ~ x + y, model, fixed = TRUE, error.variance = error)
  turned <- gpFit(cbind(b, a) ~ z, data, ~ x + y, model, fixed = TRUE, error.variance = error[, 2:1])
  expect_equal(logLik(fit), logLik(turned), tolerance = 1e-12)
})

# Two variables, with given parameters: likelihood, cokriging and simulation by matrices of R.

set.seed(8)
model <- covModel("bimatern", range = 0.3, smoothness = c(0.5, 1.5), variance = c(1, 4), correlation = 0.6,
                  nugget = c(0.1, 0.2))
n <- 40
data <- data.frame(x = runif(n), y = runif(n), variable = rep(1:2, n / 2))
data$z <- drop(crossprod(chol(covariance(model, data[1:3])), rnorm(n))) + 5 * (data$variable == 2)
new <- data.frame(x = c(0.2, 0.7, 0.7), y = c(0.4, 0.1, 0.1), variable = c(1, 1, 2))

test_that("likelihoods and their derivatives are those of the matrices", {
  S <- covariance(model, data[1:3])
  value <- gpLoglik(model, data[1:3], data$z, gradient = TRUE, information = TRUE)
  w <- solve(S, data$z)
  expect_equal(as.numeric(value), -(n * log(2 * pi) + as.numeric(determinant(S)$modulus) + sum(w * data$z)) / 2,
               tolerance = 1e-12)
  for (name in names(attr(value, "gradient"))) {
    D <- covariance(model, data[1:3], deriv = name)
    expect_equal(attr(value, "gradient")[[name]], (sum(w * (D %*% w)) - sum(diag(solve(S, D)))) / 2,
                 tolerance = 1e-10)
    expect_equal(attr(value, "information")[name, name], sum(diag(solve(S, D) %*% solve(S, D))) / 2,
                 tolerance = 1e-10)
  }
})

test_that("cokriging and conditional simulation are those of the joint distribution", {
  fit <- gpFit(z ~ factor(variable), data, ~ x + y + variable, model, fixed = TRUE)
  S <- covariance(model, data[1:3])
  X <- fit$X
  cross <- covariance(model, data[1:3], new)
  vcov <- solve(t(X) %*% solve(S, X))
  beta <- vcov %*% t(X) %*% solve(S, data$z)
  expect_equal(unname(coef(fit)), c(beta), tolerance = 1e-10)
  X0 <- cbind(1, new$variable == 2)
  short <- t(X0) - t(X) %*% solve(S, cross)
  mean <- X0 %*% beta + t(cross) %*% solve(S, data$z - X %*% beta)
  variance <- c(1, 1, 4) - colSums(cross * solve(S, cross)) + colSums(short * (vcov %*% short))
  p <- predict(fit, new, se.fit = TRUE, type = "latent")
  expect_equal(p$fit, c(mean), tolerance = 1e-10)
  expect_equal(p$se.fit^2, unname(variance), tolerance = 1e-9)
  expect_equal(predict(fit, new, se.fit = TRUE)$se.fit^2, unname(variance) + c(0.1, 0.1, 0.2), tolerance = 1e-9)
  fields <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new, type = "latent")[paste0("sim_", 1:4000)])
  # four standard errors of a mean and of a variance of 4000 normal values
  expect_lt(max(abs(rowMeans(fields) - mean) / sqrt(variance / 4000)), 4)
  expect_lt(max(abs(apply(fields, 1, var) / variance - 1)), 4 * sqrt(2 / 4000))
})

test_that("their parameters are not estimated", {
  expect_error(gpFit(z ~ 1, data, ~ x + y + variable, model), "fixed = TRUE", class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, data, ~ x + y + variable, "bimatern"), "is not estimated", class = "statcl_error_input")
})

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
  fit <- gpFit(z ~ 1, data, ~ x + y, model, fixed = TRUE, variable = ~ variable)
  S <- covariance(model, data[1:3])
  X <- fit$X
  cross <- covariance(model, data[1:3], new)
  vcov <- solve(t(X) %*% solve(S, X))
  beta <- vcov %*% t(X) %*% solve(S, data$z)
  expect_equal(unname(coef(fit)), c(beta), tolerance = 1e-10)
  X0 <- cbind(new$variable == 1, new$variable == 2)
  short <- t(X0) - t(X) %*% solve(S, cross)
  mean <- X0 %*% beta + t(cross) %*% solve(S, data$z - X %*% beta)
  variance <- c(1, 1, 4) - colSums(cross * solve(S, cross)) + colSums(short * (vcov %*% short))
  at <- c(1, 2, 6) # of all places for the first variable, and then for the second
  p <- predict(fit, new[1:3, ], se.fit = TRUE, type = "latent")[at, ]
  expect_equal(p$fit, c(mean), tolerance = 1e-10)
  expect_equal(p$se.fit^2, unname(variance), tolerance = 1e-9)
  expect_equal(predict(fit, new, se.fit = TRUE)$se.fit[at]^2, unname(variance) + c(0.1, 0.1, 0.2), tolerance = 1e-9)
  fields <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new, type = "latent")[at, paste0("sim_", 1:4000)])
  # four standard errors of a mean and of a variance of 4000 normal values
  expect_lt(max(abs(rowMeans(fields) - mean) / sqrt(variance / 4000)), 4)
  expect_lt(max(abs(apply(fields, 1, var) / variance - 1)), 4 * sqrt(2 / 4000))
})

test_that("a cross-covariance with the mean smoothness is that of \"multimatern\", and one of its own is likelier", {
  skip_if_quick()
  wide <- data.frame(data[data$variable == 1, c("x", "y")], a = data$z[data$variable == 1])
  wide$b <- 0.6 * wide$a + rnorm(nrow(wide), 0, 0.5)
  asked <- function(k) covModel("bimatern", variance = c(NA, NA), range = rep(NA, if (k > 2) 3 else 1),
                                nugget = c(NA, NA), smoothness = rep(NA, k), correlation = NA)
  fits <- lapply(2:3, function(k) suppressWarnings(gpFit(cbind(a, b) ~ 1, wide, ~ x + y, asked(k))))
  same <- gpFit(cbind(a, b) ~ 1, wide, ~ x + y, "multimatern")
  expect_equal(as.numeric(logLik(fits[[1]])), as.numeric(logLik(same)), tolerance = 1e-6)
  expect_gt(as.numeric(logLik(fits[[2]])), as.numeric(logLik(same)))
  near <- gpFit(cbind(a, b) ~ 1, wide, ~ x + y, asked(3), penalty = TRUE)
  nu <- near$cov$smoothness
  expect_lt(abs(nu[3] - mean(nu[1:2])), 0.5)
})

# Of fourth order with steps of 1e-4; not next to where the minimum jumps, or the bound is 1.
test_that("derivatives of the largest correlation are those of differences", {
  set.seed(9)
  checked <- 0
  for (k in seq_len(repetitions(100, 400))) {
    nu <- runif(2, 0.2, 2.5)
    given <- c(nu, mean(nu) + rexp(1, 2), runif(3, 0.1, 1))
    scaling <- sample(c("plain", "sqrt2nu", "sqrt8nu"), 1)
    model <- function(v) list(smoothness = v[1:3], range = v[4:6], scaling = scaling, dim = 2)
    log_most <- function(v) log(statcl:::most_correlation(model(v)))
    bound <- statcl:::bivariate_bound(model(given))
    step <- 1e-4
    slopes <- c(bound$by_nu, bound$by_range / given[4:6])
    found <- vapply(1:6, function(i) differenced(log_most, given, i, step), 0)
    if (bound$value > 0.999 || max(abs(found - vapply(1:6, function(i) differenced(
      log_most, given, i, 2 * step), 0))) > 1e-5) next
    checked <- checked + 1
    expect_equal(slopes, found, tolerance = 1e-6)
  }
  expect_gt(checked, 50)
})

# Points of the search, with a step of 1e-4 in each coordinate in turn.
test_that("derivatives by the coordinates of the search are those of differences", {
  full <- covModel("bimatern", variance = c(1, 2), range = c(0.1, 0.15, 0.12), smoothness = c(0.5, 1.2, 1),
                   correlation = 0.4, nugget = c(0.05, 0.1))
  p <- statcl:::gp_problem(full, statcl:::plain_points(as.matrix(unname(data[1:3]))), NULL)
  rows <- statcl:::cov_parameters(list(full))
  about <- list(problem = p, rows = rows, scaled = FALSE, units = rep(1, nrow(rows)))
  free <- setdiff(rows$name, c("angle", "ratio"))
  s <- statcl:::search_space(about, free, list(space = c(0.01, 1), diagonal = 1, variance = 1, penalty = TRUE))
  t <- statcl:::search_start(rows$value, s)
  point <- statcl:::search_point(t, s)
  expect_equal(point$v, rows$value, tolerance = 1e-12)
  for (j in seq_along(t)) {
    moved <- (point$moved(j, 1e-4) - point$moved(j, -1e-4)) / 2e-4
    expect_equal(point$jacobian[, j], moved[s$at], tolerance = 1e-6)
  }
  penalty <- function(v) statcl:::search_penalty(v, s)$value
  for (k in seq_along(s$at)) expect_equal(statcl:::search_penalty(rows$value, s)$slope[k], differenced(
    penalty, rows$value, s$at[k]), tolerance = 1e-6)
})

test_that("posterior distributions and predictions by these are there", {
  skip_if_quick()
  wide <- data.frame(data[data$variable == 1, c("x", "y")], a = data$z[data$variable == 1])
  wide$b <- 0.6 * wide$a + rnorm(nrow(wide), 0, 0.5)
  fit <- suppressWarnings(gpFit(cbind(a, b) ~ 1, wide, ~ x + y, "bimatern",
                                fixed = list(smoothness = c(0.5, 1, 0.8), nugget = c(0.1, 0.1))))
  draws <- posterior(fit, 200, seed = 1)
  expect_true(all(abs(draws$correlation) < 1))
  expect_gt(sd(draws$range.a.b), 0)
  p <- predict(fit, wide[1:2, ], parameters = "integrate", se.fit = TRUE)
  expect_true(all(is.finite(p$se.fit)))
})

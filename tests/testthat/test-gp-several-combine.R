# Several variables: linear combinations and joint covariances of their predictions, against matrices.

set.seed(11)
n <- 50
rho <- matrix(c(1, 0.7, -0.4, 0.7, 1, 0, -0.4, 0, 1), 3)
nugget <- matrix(c(0.1, 0.05, 0, 0.05, 0.3, -0.1, 0, -0.1, 0.2), 3)
models <- list(
  covModel("multimatern", range = 0.3, smoothness = c(0.5, 1.5, 1), variance = c(1, 4, 2), correlation = rho,
           nugget = nugget),
  covModel("lmc", parts = lapply(c(0.1, 0.5), function(r) covModel("exponential", range = r)),
           sill = list(diag(3), tcrossprod(c(1, -1, 0.5)) + diag(0.3, 3)), nugget = c(0.1, 0.3, 0)))
places <- data.frame(x = runif(n), y = runif(n), z = rnorm(n))
data <- cbind(places, a = rnorm(n), b = rnorm(n), c = rnorm(n))
data$b[1:20] <- NA
new <- data.frame(x = c(0.2, 0.7, NA, 0.4), y = c(0.4, 0.1, 0.2, 0.4), z = c(1, 0, 0, NA))
formulas <- list(a ~ z, b ~ 1, c ~ 0)

# Means and covariances of all variables at places of `new` where all is known, place by place.
directly <- function(fit, new, type, trend = FALSE) lapply(seq_len(nrow(new)), function(i) {
  at <- cbind(new$x[i], new$y[i], 1:3)
  S <- covariance(fit$cov, fit$x)
  vcov <- solve(t(fit$X) %*% solve(S, fit$X))
  X0 <- rbind(c(1, new$z[i], 0), c(0, 0, 1), 0)
  if (trend) return(list(mean = c(X0 %*% vcov %*% t(fit$X) %*% solve(S, fit$y)), cov = X0 %*% vcov %*% t(X0)))
  cross <- covariance(fit$cov, fit$x, at)
  short <- t(X0) - t(fit$X) %*% solve(S, cross)
  beta <- vcov %*% t(fit$X) %*% solve(S, fit$y)
  own <- covariance(if (type == "latent") update(fit$cov, nugget = 0) else fit$cov, at)
  list(mean = c(X0 %*% beta + t(cross) %*% solve(S, fit$y - fit$X %*% beta)),
       cov = own - t(cross) %*% solve(S, cross) + t(short) %*% vcov %*% short)
})
W <- rbind(difference = c(1, -0.5, 0), sum = c(1, 1, 1), c = c(0, 0, 1))
colnames(W) <- c("a", "b", "c")

test_that("covariances at a place, and combinations, are those of the joint distribution", {
  for (model in models) {
    fit <- gpFit(formulas, data, ~ x + y, model, fixed = TRUE)
    for (type in c("latent", "response")) {
      joint <- directly(fit, new[1:2, ], type)
      all <- predict(fit, new, covariance = TRUE, type = type, se.fit = TRUE)
      expect_identical(names(all), c("place", "variable", "fit", "se.fit", "cov.a", "cov.b", "cov.c"))
      some <- predict(fit, new, combine = W, se.fit = TRUE, covariance = TRUE, type = type)
      expect_identical(names(some)[c(1:2, 5)], c("place", "combination", "cov.difference"))
      for (i in 1:2) {
        own <- all[all$place == i, ]
        expect_equal(own$fit, joint[[i]]$mean, tolerance = 1e-9)
        expect_equal(unname(as.matrix(own[paste0("cov.", c("a", "b", "c"))])), unname(joint[[i]]$cov),
                     tolerance = 1e-9)
        expect_equal(own$se.fit, sqrt(unname(diag(joint[[i]]$cov))), tolerance = 1e-9)
        own <- some[some$place == i, ]
        expect_equal(own$fit, c(W %*% joint[[i]]$mean), tolerance = 1e-9)
        expect_equal(unname(as.matrix(own[5:7])), unname(W %*% joint[[i]]$cov %*% t(W)), tolerance = 1e-9)
        expect_equal(own$se.fit^2, unname(diag(W %*% joint[[i]]$cov %*% t(W))), tolerance = 1e-9)
      }
      # as without covariances, where variables are by themselves
      plain <- predict(fit, new, se.fit = TRUE, type = type)
      expect_equal(all[1:4], plain, tolerance = 1e-9)
    }
    trend <- directly(fit, new[1:2, ], trend = TRUE)
    limits <- predict(fit, new, combine = W[1, ], se.fit = TRUE, interval = "confidence")
    for (i in 1:2) {
      expect_equal(limits$fit[i], sum(W[1, ] * trend[[i]]$mean), tolerance = 1e-9)
      expect_equal(limits$se.fit[i]^2, c(W[1, ] %*% trend[[i]]$cov %*% W[1, ]), tolerance = 1e-9)
    }
    expect_equal(predict(fit, new, combine = c(a = 1), se.fit = TRUE, interval = "confidence"),
                 predict(fit, new, variable = "a", se.fit = TRUE, interval = "confidence"), tolerance = 1e-9)
  }
})

fit <- gpFit(formulas, data, ~ x + y, models[[1]], fixed = TRUE)

test_that("one combination has the form of one variable, and several that of several", {
  one <- predict(fit, new, combine = c(b = -0.5, a = 1), se.fit = TRUE, interval = "prediction")
  expect_identical(names(one), c("x", "y", "z", "fit", "se.fit", "lwr", "upr"))
  expect_equal(one$upr - one$fit, qnorm(0.975) * one$se.fit, tolerance = 1e-12)
  expect_equal(one$fit, c(predict(fit, new) %*% c(1, -0.5, 0)), tolerance = 1e-12)
  expect_identical(is.na(one$fit), c(FALSE, FALSE, TRUE, TRUE))
  # a covariate that is missing counts for the variables that have it
  expect_identical(unname(is.na(predict(fit, new, combine = W)[, "c"])), c(FALSE, FALSE, TRUE, FALSE))
  expect_equal(predict(fit, new, combine = W)[4, "c"], c(c = predict(fit, new, variable = "c")$fit[4])[[1]],
               tolerance = 1e-12)
  expect_identical(dimnames(predict(fit, new, combine = W)), list(as.character(1:4), rownames(W)))
  expect_equal(predict(fit, new, combine = as.data.frame(W)), predict(fit, new, combine = W), tolerance = 1e-15)
  expect_identical(predict(fit, new, variable = c("c", "a"), covariance = TRUE)$cov.a[5],
                   predict(fit, new, covariance = TRUE)$cov.a[1])
  grid <- rfGrid(c(0, 0), 0.5, c(3, 2))
  field <- predict(fit, grid, combine = c(b = 1, c = 1), se.fit = TRUE)
  expect_s3_class(field, "rfield")
  expect_output(print(field), "kriging")
  expect_equal(c(unclass(field)[, , 1]), predict(fit, as.matrix(expand.grid(0:2 / 2, 0:1 / 2)),
                                               combine = c(b = 1, c = 1)), tolerance = 1e-12)
})

test_that("a combination of nothing, of other variables or of one fit alone is an error that says what is", {
  expect_input_error(predict(fit, new, combine = c(1, 2)), "any of a, b, c, as in c(a = 1, b = -0.5)")
  expect_input_error(predict(fit, new, combine = c(a = 1, lead = 2)), "any of a, b, c")
  expect_input_error(predict(fit, new, combine = c(a = 0)), "weights of 0 alone")
  expect_input_error(predict(fit, new, combine = rbind(W, 0)), "combine[4, ] has weights of 0 alone")
  expect_input_error(predict(fit, new, combine = c(a = Inf)), "must be finite")
  expect_input_error(predict(fit, new, combine = "a"), "must be numbers")
  expect_input_error(predict(fit, new, combine = c(a = 1), variable = "a"), "variable and combine")
  expect_input_error(predict(fit, new, combine = c(a = 1), covariance = TRUE), "combine has one")
  expect_input_error(predict(fit, new, variable = "a", covariance = TRUE), "variable has one")
  expect_input_error(predict(fit, combine = c(a = 1)), "is for newdata")
  expect_input_error(predict(fit, new, combine = rbind(W, sum = 1)), "is the name of two rows")
  one <- gpFit(a ~ 1, data, ~ x + y, covModel("exponential", range = 0.3, nugget = 0.1), fixed = TRUE)
  expect_input_error(predict(one, new, combine = c(a = 1)), "is for fits of several variables")
  expect_input_error(predict(one, new, covariance = TRUE), "is for fits of several variables")
})

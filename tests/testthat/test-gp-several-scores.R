# Several variables: cross-validation by observations and by places, and scores of each variable.

set.seed(4)
n <- 30
truth <- covModel("multimatern", range = 0.3, smoothness = c(0.5, 1), variance = c(1, 100), correlation = 0.8,
                  nugget = c(0.1, 5))
places <- data.frame(x = runif(n), y = runif(n))
values <- drop(crossprod(chol(covariance(truth, cbind(places[rep(seq_len(n), 2), ], rep(1:2, each = n)))),
                         rnorm(2 * n)))
data <- cbind(places, a = values[1:n], b = 50 + values[n + 1:n])
data$a[1:4] <- NA
data$b[9:15] <- NA
fit <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, truth, fixed = TRUE)

# Of the observations at `at`, given all others, the coefficients being those of the others.
predicted <- function(fit, at) {
  S <- covariance(fit$cov, fit$x)
  X <- fit$X[-at, , drop = FALSE]
  W <- solve(S[-at, -at])
  vcov <- solve(t(X) %*% W %*% X)
  beta <- vcov %*% t(X) %*% W %*% fit$y[-at]
  short <- t(fit$X[at, , drop = FALSE]) - t(X) %*% W %*% S[-at, at]
  list(mean = c(fit$X[at, , drop = FALSE] %*% beta + S[at, -at] %*% W %*% (fit$y[-at] - X %*% beta)),
       sd = sqrt(diag(S[at, at] - S[at, -at] %*% W %*% S[-at, at] + t(short) %*% vcov %*% short)))
}

test_that("without a place no other variable tells of it, and without an observation those there do", {
  place <- match(fit$x[, 1], unique(fit$x[, 1]))
  whole <- gpCV(fit, "loo", leave = "place")
  expect_identical(whole$fold, place)
  expect_identical(max(table(place)), 2L)
  for (i in c(1, 7, 12, 30)) {
    at <- which(place == i)
    expect_equal(whole$mean[at], predicted(fit, at)$mean, tolerance = 1e-9)
    expect_equal(whole$sd[at], unname(predicted(fit, at)$sd), tolerance = 1e-9)
  }
  single <- gpCV(fit, "loo")
  both <- place %in% place[duplicated(place)]
  expect_identical(single$sd < whole$sd - 1e-9, both)
  expect_equal(single$mean[!both], whole$mean[!both], tolerance = 1e-9)
  expect_output(print(whole), "leave-one-out, 49 observations, those of a place together")
  expect_false(any(grepl("together", capture.output(print(single)))))
})

test_that("random folds, blocks and those of a user keep a place whole where that is asked for", {
  place <- match(fit$x[, 1], unique(fit$x[, 1]))
  whole <- function(cv) all(tapply(cv$fold, place, function(f) length(unique(f))) == 1L)
  expect_true(whole(gpCV(fit, k = 5, seed = 1, leave = "place")))
  expect_false(whole(gpCV(fit, k = 5, seed = 1)))
  expect_true(whole(gpCV(fit, "block", k = 5, seed = 1, leave = "place")))
  expect_identical(length(unique(gpCV(fit, k = 30, leave = "place")$fold)), 30L)
  expect_input_error(gpCV(fit, k = 31, leave = "place"), "must be from 2 to the number of places, 30")
  # rows of data are places
  rows <- rep_len(1:3, n)
  cv <- gpCV(fit, folds = rows, leave = "place")
  expect_identical(cv$fold, c(rows[!is.na(data$a)], rows[!is.na(data$b)]))
  expect_equal(cv$mean[cv$fold == 2], predicted(fit, which(cv$fold == 2))$mean, tolerance = 1e-9)
  expect_identical(gpCV(fit, folds = cv$fold)$mean, cv$mean)
  expect_input_error(gpCV(fit, folds = rep_len(1:2, nobs(fit)), leave = "place"),
                     "for observations a:16 and b:16, which are at one place: leave = \"place\" needs one fold for")
  expect_input_error(gpCV(fit, folds = 5), "30 rows of data, with 49 observations of all variables; gpCV(fit, k = 5)")
  expect_input_error(gpCV(fit, leave = "variable"), "leave")
})

test_that("in long form rows of data have folds, too, and one variable may have several observations at a place", {
  long <- data.frame(places[rep(seq_len(n), 2), ], value = c(data$a, data$b), element = rep(c("a", "b"), each = n))
  long <- long[order(long$x), ]
  by_rows <- gpFit(value ~ 1, long, ~ x + y, truth, variable = ~ element, fixed = TRUE)
  rows <- rep(rep_len(1:3, n), each = 2)
  cv <- gpCV(by_rows, folds = rows, leave = "place")
  expect_identical(cv$fold, rows[!is.na(long$value)])
  expect_equal(cv$mean[cv$fold == 2], predicted(by_rows, which(cv$fold == 2))$mean, tolerance = 1e-9)
  one <- gpFit(value ~ 1, rbind(long[1:20, ], long[1:6, ]), ~ x + y, covModel("exponential", 0.3, nugget = 0.1),
               fixed = TRUE)
  cv <- gpCV(one, "loo", leave = "place")
  expect_identical(anyDuplicated(unique(data.frame(one$x, cv$fold))[1:2]), 0L)
  at <- which(cv$fold == 1)
  expect_gt(length(at), 1)
  expect_equal(cv$mean[at], predicted(one, at)$mean, tolerance = 1e-9)
})

test_that("scores are those of each variable, and of all in units of their standard deviations", {
  cv <- gpCV(fit, k = 4, seed = 2)
  scores <- gpScores(cv)
  expect_identical(rownames(scores), c("a", "b", "all"))
  for (name in c("a", "b")) {
    own <- cv[cv$variable == name, ]
    expect_identical(scores[name, ], gpScores(own$y, own$mean, own$sd))
  }
  s <- c(a = sd(data$a, TRUE), b = sd(data$b, TRUE))[as.character(cv$variable)]
  expect_equal(scores["all", ], gpScores(cv$y / s, cv$mean / s, cv$sd / s), tolerance = 1e-12)
  # the unit of a variable changes its own scores alone
  big <- gpFit(cbind(a, b) ~ 1, transform(data, b = 1e3 * b), ~ x + y,
               update(truth, variance = c(1, 1e8), nugget = c(0.1, 5e6)), fixed = TRUE)
  again <- gpScores(gpCV(big, k = 4, seed = 2))
  expect_equal(again[c("a", "all"), ], scores[c("a", "all"), ], tolerance = 1e-9)
  expect_equal(again["b", "RMSE"], 1e3 * scores["b", "RMSE"], tolerance = 1e-9)
  whole <- summary(cv, level = 0.5)
  expect_identical(whole$scores, gpScores(cv, level = 0.5, na.rm = TRUE))
  expect_identical(rownames(whole$z), c("a", "b", "all"))
  expect_equal(whole$z["b", ], c(mean = mean(cv$z[cv$variable == "b"]), sd = sd(cv$z[cv$variable == "b"])))
  own <- cv$fold == 3
  expect_equal(unlist(whole$folds[3, -(1:2)]),
               gpScores((cv$y / s)[own], (cv$mean / s)[own], (cv$sd / s)[own], level = 0.5))
  expect_output(print(whole), "Standardised residuals\n.*all")
  # a variable of which no observation is in some folds, and one of a single value
  odd <- gpFit(cbind(a, b) ~ 1, transform(data, a = replace(a, 6:n, NA)), ~ x + y, truth, fixed = TRUE)
  expect_warning(cv <- gpCV(odd, "loo", leave = "place"), "coefficient of the mean is not known")
  expect_identical(is.na(gpScores(cv)[, "RMSE"]), c(a = TRUE, b = FALSE, all = TRUE))
})

test_that("folds that are fitted again are left out by places", {
  free <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, update(truth, correlation = NA), fixed = list(
    smoothness = 0.5, range = 0.3, nugget = 0.1, variance = 1))
  cv <- gpCV(free, k = 2, seed = 1, refit = TRUE, leave = "place")
  at <- which(cv$fold == 2)
  known <- transform(data, a = replace(a, a %in% cv$y[at], NA), b = replace(b, b %in% cv$y[at], NA))
  less <- gpFit(cbind(a, b) ~ 1, known, ~ x + y, free$cov,
                fixed = list(smoothness = 0.5, range = 0.3, nugget = 0.1, variance = 1))
  expect_equal(attr(cv, "parameters")["2", "correlation.a.b"], coef(less, "covariance")[["correlation.a.b"]],
               tolerance = 1e-5)
  known <- replace(fit, "cov", less["cov"])
  expect_equal(cv$mean[at], predicted(known, at)$mean, tolerance = 1e-5)
})

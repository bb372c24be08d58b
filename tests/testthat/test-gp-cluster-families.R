# Fits with a family and workers: the same bits as without, also where a worker ends.
skip_if_quick()

set.seed(1)
n <- 5000
d <- data.frame(x = runif(n), y = runif(n), u = rnorm(n), site = sample(30, n, TRUE), year = sample(2, n, TRUE))
truth <- covModel("exponential", range = 0.1, variance = 0.5)
d$eta <- as.vector(tbrf(as.matrix(d[c("x", "y")]), truth, 200)) + 0.3 * d$u + rnorm(30, 0, 0.3)[d$site]
d$count <- rpois(n, exp(d$eta))
d$yes <- rbinom(n, 1, plogis(d$eta))
few <- d[1:400, ]
new <- transform(d[rep(1:3000, 3), ], x = runif(9000), site = sample(31, 9000, TRUE)) # 31: of no observation
known <- function(formula, data = few, ..., cov = truth, family = poisson(), m = 8, method = "vecchia")
  gpFit(formula, data, coords = ~ x + y, cov = cov, ..., family = family, m = m, method = method)
fits <- list(
  one = known(count ~ u, fixed = TRUE),
  groups = known(count ~ u + (1 | site), fixed = list(variance = 0.5, range = 0.1, variance.site = 0.1)),
  replicates = known(yes ~ 1, by = year, fixed = TRUE, family = binomial()),
  propagated = known(yes ~ 0, fixed = TRUE, family = binomial(), approximation = "ep"),
  varying = known(count ~ u, varying = list(u = covModel("matern", range = 0.3, smoothness = 1.5, variance = 0.1)),
                  fixed = TRUE, family = nbinom2()))
cl <- parallel::makeCluster(3)
kept_by <- function(cl)
  unlist(parallel::clusterCall(cl, function() length(get("session", asNamespace("statcl"))$kept_parts)))

# The value of expr, with as many calls of workers as there were; what(k) is done before call k.
counting_calls <- function(expr, what = function(k) NULL) {
  asked <- 0
  ask <- statcl:::cluster_ask
  on.exit(utils::assignInNamespace("cluster_ask", ask, "statcl"))
  utils::assignInNamespace("cluster_ask", function(...) {
    asked <<- asked + 1
    what(asked)
    ask(...)
  }, "statcl")
  list(value = expr, calls = asked)
}

test_that("predictions of many places are the same, by workers that keep nothing of them", {
  for (name in names(fits)) for (type in c("link", "response")) {
    alone <- predict(fits[[name]], new, se.fit = TRUE, type = type)
    shared <- counting_calls(withCluster(cl[1:2], predict(fits[[name]], new, se.fit = TRUE, type = type)))
    expect_identical(shared$value, alone, label = paste(name, type))
    expect_gt(shared$calls, 2, label = paste(name, type))
  }
  mean <- function() predict(fits$one, new, type = "link")
  expect_identical(withCluster(cl, mean()), mean())
  expect_identical(counting_calls(withCluster(cl, predict(fits$one, new[1:7999, ])))$calls, 0)
  expect_identical(kept_by(cl), integer(3))
})

test_that("chunks of places are as they are without workers where a value depends on them", {
  exact <- known(count ~ u, d[1:60, ], fixed = TRUE, method = "exact")
  many <- transform(new[rep(1:9000, length.out = 70000), ], x = runif(70000))
  tabulated <- known(count ~ 1, fixed = TRUE,
                     cov = covModel("wendland", range = 0.4, smoothness = 1, shape = 4, variance = 0.5))
  for (fit in list(exact, tabulated)) {
    predicted <- function() predict(fit, many, se.fit = TRUE, type = "link")
    shared <- counting_calls(withCluster(cl[1:2], predicted()))
    expect_identical(shared$value, predicted())
    expect_gt(shared$calls, 2)
  }
})

test_that("folds are the same, and those that cannot be fitted have the same warning", {
  for (name in c("groups", "propagated", "varying")) {
    alone <- gpCV(fits[[name]], k = 3, seed = 1)
    shared <- counting_calls(withCluster(cl, gpCV(fits[[name]], k = 3, seed = 1)))
    expect_identical(shared$value, alone, label = name)
    expect_gt(shared$calls, 2, label = name)
  }
  one <- rep(1:2, c(399, 1)) # of which only the second fold leaves enough
  expect_warning(shared <- withCluster(cl, gpCV(fits$groups, folds = one)), "^without fold 1: 1 observation")
  expect_identical(shared, suppressWarnings(gpCV(fits$groups, folds = one)))
  expect_equal(is.na(shared$mean), one == 1)
})

test_that("a fit, and fields given the data, are the same", {
  fitted <- function() {
    fit <- known(count ~ u, d, cov = "exponential", m = 6)
    fit[c("call", "terms", "model")] <- NULL # of which environments differ
    fit
  }
  shared <- counting_calls(withCluster(cl, fitted()))
  expect_identical(shared$value, fitted())
  expect_gt(shared$calls, 3) # where the search begins
  fields <- function() simulate(fits$groups, 2, seed = 1, newdata = new)
  expect_identical(withCluster(cl, fields()), fields())
})

test_that("a worker that ends leaves its part to the others", {
  alone <- list(predict(fits$groups, new, se.fit = TRUE), gpCV(fits$groups, k = 3, seed = 1))
  ends <- function(k, at) {
    pid <- parallel::clusterCall(cl[k], Sys.getpid)[[1L]]
    function(call) if (call == at) tools::pskill(pid, tools::SIGKILL)
  }
  expect_warning(value <- counting_calls(withCluster(cl, predict(fits$groups, new, se.fit = TRUE)), ends(2, 2)),
                 "^worker 2 of the cluster .* does not answer any more: the others")
  expect_identical(value$value, alone[[1L]])
  expect_warning(value <- counting_calls(withCluster(cl[c(1, 3)], gpCV(fits$groups, k = 3, seed = 1)), ends(3, 2)),
                 "^worker 2 of the cluster .* does not answer any more: the others")
  expect_identical(value$value, alone[[2L]])
  expect_identical(kept_by(cl[1]), 0L)
  expect_warning(value <- counting_calls(withCluster(cl[1], gpCV(fits$groups, k = 3, seed = 1)), ends(1, 1)),
                 "is done here")
  expect_identical(value$value, alone[[2L]])
})

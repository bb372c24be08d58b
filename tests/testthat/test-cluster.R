# Workers: the same bits with any number of them, also where one ends or R is interrupted.
skip_if_quick()

set.seed(1)
places <- cbind(x = runif(6000), y = runif(6000))
values <- as.vector(tbrf(places, covModel("exponential", range = 0.1), 200))
matern <- covModel("matern", range = NA, smoothness = NA)
places_fit <- function(m = 8) {
  fit <- gpFit(values ~ 1, coords = places, cov = matern, m = m)
  fit[c("call", "terms", "model")] <- NULL # of which environments differ
  fit
}
alone <- places_fit()
cl <- parallel::makeCluster(4)
kept_by <- function(cl)
  unlist(parallel::clusterCall(cl, function() length(get("session", asNamespace("statcl"))$kept_parts)))

# Does `what` in the evaluation of sums number `count` of expr.
at_evaluation <- function(count, what, expr) {
  seen <- 0
  before <- function() {
    seen <<- seen + 1
    if (seen == count) what()
  }
  suppressMessages(trace("spread_sums", bquote(.(before)()), print = FALSE, where = asNamespace("statcl")))
  on.exit(suppressMessages(untrace("spread_sums", where = asNamespace("statcl"))))
  force(expr)
}

test_that("a fit is the same with 1, 2 and 4 workers as with none, and workers keep nothing of it", {
  for (count in c(1, 2, 4)) expect_identical(withCluster(cl[seq_len(count)], places_fit()), alone)
  expect_identical(kept_by(cl), integer(4))
  expect_gt(alone$evaluations, 5)
  old <- options(statcl.cluster = cl[1:2])
  on.exit(options(old))
  asked <- 0
  count <- function() asked <<- asked + 1
  at_evaluation(1, count, expect_identical(places_fit(), alone))
  expect_identical(asked, 1)
  asked <- 0
  at_evaluation(1, count, expect_identical(withCluster(NULL, places_fit()), alone))
  expect_identical(asked, 0)
})

test_that("several products and a location without variance are as without workers", {
  model <- covModel("matern", range = 0.1, smoothness = 0.7, nugget = 0.1)
  x <- rbind(places[1:5000, ], places[17, ])
  problem <- function(model) {
    points <- list(xy = x, geographic = NA, crs = NULL)
    p <- statcl:::gp_problem(model, points, NULL)
    statcl:::vecchia_problem(p, list(y = values[1:5001], X = cbind(1, x, x^2, x^3, x^4, x^5)), 6)
  }
  sums <- function(p, names) {
    on.exit(statcl:::vecchia_close(p))
    statcl:::vecchia_sums(p, names)
  }
  names <- c("variance", "range", "smoothness", "nugget")
  expect_identical(sums(withCluster(cl, problem(model)), names), sums(problem(model), names))
  singular <- update(model, nugget = 0)
  here <- sums(problem(singular), "range")
  expect_gt(here$bad, 0)
  expect_identical(sums(withCluster(cl, problem(singular)), "range"), here)
})

test_that("predictions, cross-validation, batches, fields and integrals are the same", {
  fit <- withCluster(NULL, gpFit(values ~ x, data.frame(places), coords = ~ x + y, m = 8, fixed = TRUE,
                                 cov = covModel("matern", range = 0.1, smoothness = 0.7, nugget = 0.1)))
  small <- gpFit(values ~ 1, coords = places, subset = 1:150, cov = "exponential")
  new <- data.frame(x = seq(0, 1, length.out = 5000), y = 0.4)
  series <- lapply(1:20, function(i) 1 + i * tan(pi * (seq_len(40 + i) / (42 + i) - 0.5)))
  shift <- 3
  sloping <- covModel("matern", range = 0.2, smoothness = 1.5, nugget = 0.1, mean = function(x) shift * x[, 1])
  few <- places[1:100, ]
  calls <- list(
    predict = quote(predict(fit, new, se.fit = TRUE)),
    gpCV = quote(gpCV(fit, k = 3)), refit = quote(gpCV(small, k = 3, refit = TRUE)),
    stableFit = quote(stableFit(series)$vcov), roll = quote(coef(stableRoll(unlist(series), 40, 30))),
    test = quote(stableTest(stableFit(series[[9]]), nsim = 19)[c("p.value", "simulated")]),
    fields = quote(tbrf(few, sloping, 50, nsim = 3)), table = quote(tbrf(few, sloping, 50, 3, "table")),
    fft = quote(tbrf(rfGrid(0, 0.25, c(8, 6)), covModel("exponential", range = 0.2), nsim = 3, method = "fft")),
    integrals = quote(integrategpu(function(x, a) c(exp(-a * x) * shift, x), 0, 1, params = list(a = 1:2500))))
  here <- environment()
  ask <- statcl:::cluster_ask
  on.exit(utils::assignInNamespace("cluster_ask", ask, "statcl"))
  asked <- 0
  utils::assignInNamespace("cluster_ask", function(...) {
    asked <<- asked + 1
    ask(...)
  }, "statcl")
  for (name in names(calls)) {
    value <- function() {
      set.seed(5)
      eval(calls[[name]], here)
    }
    before <- asked
    expect_identical(withCluster(cl[1:3], value()), value(), label = name)
    expect_gt(asked, before + 2, label = name)
  }
  expect_identical(kept_by(cl), integer(4))
})

test_that("an error of a worker is that of the function, and workers go on", {
  x <- rep(list(c(1, 2, 3)), 20)
  expect_error(withCluster(cl, statcl:::cluster_apply(x, "whole_number", "m")), class = "statcl_error_input")
  expect_error(withCluster(cl, statcl:::cluster_apply(x, "no_such_function")), "worker [1-4] of.*no_such_function")
  expect_warning(value <- withCluster(cl, statcl:::cluster_apply(list("1", "2"), "as.integer")), NA)
  expect_identical(value, list(1L, 2L))
  expect_warning(withCluster(cl, statcl:::cluster_apply(list("1", "b"), "as.integer")), "NAs introduced")
})

test_that("who interrupts a fit has the workers free", {
  skip_on_os("windows")
  workers <- unlist(parallel::clusterCall(cl, Sys.getpid))
  for (count in c(2, 5)) {
    found <- tryCatch(at_evaluation(count, function() tools::pskill(c(Sys.getpid(), workers), tools::SIGINT),
                                    withCluster(cl, places_fit())), interrupt = function(e) "interrupted")
    expect_identical(found, "interrupted")
    expect_identical(parallel::clusterApply(cl, 1:4, identity), as.list(1:4))
  }
  expect_identical(withCluster(cl, places_fit()), alone)
})

test_that("a cluster that is none, that has stopped or has another statcl is an error", {
  for (bad in list(3, "localhost", structure(list(), class = "cluster")))
    expect_error(withCluster(bad, 1), "^cl = .*cluster of package parallel", class = "statcl_error_input")
  old <- options(statcl.cluster = 3)
  on.exit(options(old))
  expect_error(places_fit(), "statcl.cluster", class = "statcl_error_input")
  stopped <- parallel::makeCluster(1)
  parallel::stopCluster(stopped)
  expect_error(withCluster(stopped, 1), "worker 1, which does not answer", class = "statcl_error_input")
  other <- parallel::makeCluster(1)
  on.exit(parallel::stopCluster(other), add = TRUE)
  replace_there <- function(name, f) parallel::clusterCall(other, function(name, f) {
    unlockBinding(name, baseenv())
    assign(name, f, baseenv())
  }, name, f)
  replace_there("getNamespaceVersion", function(ns) c(version = "0.0.1"))
  expect_error(withCluster(other, 1), "worker 1 on .*, with statcl 0.0.1: this is", class = "statcl_error_input")
  replace_there("loadNamespace", function(...) stop("there is no package called 'statcl'"))
  expect_error(withCluster(other, 1), "worker 1 on .*cannot load statcl: there is no", class = "statcl_error_input")
})

test_that("a matrix in a file has the same bytes from workers", {
  files <- c(tempfile(), tempfile())
  on.exit(unlink(files))
  x <- places[1:3000, ] # two parts
  model <- covModel("matern", range = 0.2, smoothness = 0.7, nugget = 0.1)
  covariance(model, x, file = files[1])
  kept <- withCluster(cl[1:2], covariance(model, x, file = files[2]))
  expect_identical(unname(tools::md5sum(files[2])), unname(tools::md5sum(files[1])))
  expect_equal(kept[2999:3000, 2:3], covariance(model, x)[2999:3000, 2:3])
})

test_that("daemons of mirai, which take turns, are workers as well", {
  skip_if_not_installed("mirai")
  daemons <- mirai::make_cluster(2)
  on.exit(parallel::stopCluster(daemons))
  expect_identical(withCluster(daemons, places_fit()), alone)
  expect_identical(kept_by(daemons), integer(2))
})

test_that("a worker that ends in a fit leaves its part to the others", {
  pids <- unlist(parallel::clusterCall(cl, Sys.getpid))
  told <- character()
  fit <- withCallingHandlers(
    at_evaluation(3, function() tools::pskill(pids[2], tools::SIGKILL), withCluster(cl[1:3], places_fit())),
    warning = function(w) {
      told <<- c(told, conditionMessage(w))
      invokeRestart("muffleWarning")
    })
  expect_identical(fit, alone)
  expect_match(told, "^worker 2 of the cluster .* does not answer any more: the others")
  expect_identical(kept_by(cl[c(1, 3, 4)]), integer(3))
  expect_warning(fit <- at_evaluation(4, function() tools::pskill(pids[4], tools::SIGKILL),
                                      withCluster(cl[4], places_fit())), "is done here")
  expect_identical(fit, alone)
})

parallel::stopCluster(cl[c(1, 3)])

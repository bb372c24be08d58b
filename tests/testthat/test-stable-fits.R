samples <- function(n, ...) {
  set.seed(31)
  lapply(n, rstable, ...)
}

test_backends("fits of a batch are the fits of its series, bit by bit", {
  series <- c(samples(c(40, 64, 65, 250), 1.5, 0.5), samples(c(30, 200), 0.6, -0.3), samples(100, 1.9, 0))
  fits <- stableFit(series)
  for (i in seq_along(series)) {
    alone <- suppressWarnings(stableFit(series[[i]]))
    for (part in c("coefficients", "loglik", "vcov", "boundary", "converged", "iterations", "evaluations"))
      expect_identical(fits[[i]][[part]], alone[[part]], label = paste(i, part))
  }
})

test_that("series of all kinds: a bad one stops nothing and says what is wrong", {
  good <- samples(50, 1.4, 0.2)[[1]]
  series <- list(a = good, holes = c(good, NA), b = rep(3, 20), c = 1:3, d = c(good, Inf), e = letters, f = -good)
  expect_warning(fits <- stableFit(series), "5 of 7 series")
  expect_identical(names(fits), names(series))
  expect_identical(unname(fits$converged), c(TRUE, FALSE, FALSE, FALSE, FALSE, FALSE, TRUE))
  expect_match(fits$message[["holes"]], "x[51] = NA", fixed = TRUE)
  expect_match(fits$message[["b"]], "constant")
  expect_match(fits$message[["c"]], "3 observations")
  expect_match(fits$message[["d"]], "finite")
  expect_match(fits$message[["e"]], "numeric")
  expect_true(all(is.na(coef(fits)["b", ])))
  expect_error(fits[["b"]], "constant", class = "statcl_error_input")
  expect_error(fits[["none"]], "no series", class = "statcl_error_input")
  filled <- suppressWarnings(stableFit(series, na.rm = TRUE))
  expect_identical(coef(filled)["holes", ], coef(fits)["a", ])
  expect_warning(nothing <- stableFit(list(1, 2)), "2 of 2")
  expect_identical(dim(coef(nothing)), c(2L, 4L))
})

test_that("a batch indexes, and coerces to a data frame", {
  returns <- 100 * diff(log(datasets::EuStockMarkets))
  fits <- stableFit(returns)
  expect_s3_class(fits, "stableFits")
  expect_length(fits, 4L)
  expect_identical(fits[c("CAC", "DAX")][[2]]$coefficients, fits[["DAX"]]$coefficients)
  expect_identical(coef(fits[-1]), coef(fits)[-1, ])
  expect_identical(coef(stableFit(as.data.frame(returns))), coef(fits))
  frame <- as.data.frame(fits)
  expect_identical(frame$alpha, unname(coef(fits)[, "alpha"]))
  expect_equal(frame$std.error.delta[3], sqrt(vcov(fits[["CAC"]])["delta", "delta"]))
  expect_identical(lapply(fits, coef)$SMI, coef(fits[["SMI"]]))
  expect_equal(AIC(fits), vapply(fits, AIC, 1), ignore_attr = TRUE)
  expect_equal(BIC(fits), vapply(fits, BIC, 1), ignore_attr = TRUE)
  for (method in c("transformed", "profile"))
    expect_equal(confint(fits, "beta", method = method)["FTSE", , "beta"],
                 confint(fits[["FTSE"]], method = method)["beta", ])
  expect_equal(unname(quantile(fits, 0.05)[2, 1]),
               do.call(qstable, c(0.05, as.list(unname(coef(fits[["SMI"]]))))))
  expect_output(print(fits), "4 series")
  expect_output(print(summary(fits)), "4 of 4 series fitted")
  for (method in names(statcl:::fit_methods)) { # as narrow as the page
    named <- fits
    named$method <- method
    expect_lte(max(nchar(capture.output(print(summary(named))))), getOption("width"), label = method)
  }
  grDevices::pdf(NULL)
  plot(fits)
  grDevices::dev.off()
})

test_that("update() works on batches, their parts and single fits", {
  returns <- 100 * diff(log(datasets::EuStockMarkets))[1:300, ]
  symmetric <- coef(stableFit(returns[, "DAX"], fixed = list(beta = 0)))
  frame <- as.data.frame(returns)
  series <- as.list(frame)
  unnamed <- unname(series)
  fits <- stableFit(returns)
  of_frame <- stableFit(frame)
  of_list <- stableFit(series)
  of_unnamed <- stableFit(unnamed)
  expect_identical(fits[["DAX"]]$call, quote(stableFit(x = returns[, "DAX"])))
  expect_equal(coef(update(fits[["DAX"]], fixed = list(beta = 0))), symmetric)
  expect_equal(coef(update(of_frame[["DAX"]], fixed = list(beta = 0))), symmetric)
  expect_equal(coef(update(of_list[[1]], fixed = list(beta = 0))), symmetric)
  expect_equal(coef(update(of_unnamed[-2][[1]], fixed = list(beta = 0))), symmetric)
  expect_equal(coef(update(of_unnamed[-2][[2]])), coef(fits[["CAC"]]))
  expect_equal(coef(update(fits, pm = 1)), coef(stableFit(returns, pm = 1)))
  for (batch in list(fits, of_frame, of_list))
    expect_equal(coef(update(batch[c(3, 1)], pm = 1)), coef(stableFit(returns[, c(3, 1)], pm = 1)))
  weights <- cbind(1, rep(1:2, 150), 1, 1)
  weighted <- stableFit(returns, weights = weights)
  expect_equal(coef(update(weighted[["SMI"]])), coef(weighted)["SMI", ])
  parted <- stableFit(series, weights = asplit_columns(weights))
  expect_equal(coef(update(parted[["SMI"]])), coef(weighted)["SMI", ])
  top <- apply(returns, 2, max)
  cut <- stableFit(returns, censored = sapply(1:4, function(j) ifelse(returns[, j] > 1, top[j], NA)))
  expect_equal(coef(update(cut[[2]])), coef(cut)[2, ])
})

test_that("update() works on rolling fits and their windows", {
  returns <- 100 * diff(log(datasets::EuStockMarkets))[1:150, 1:2]
  frame <- as.data.frame(returns)
  one <- returns[, 2]
  rolled <- stableRoll(returns, 100, 25, fixed = list(beta = 0))
  of_frame <- stableRoll(frame, 100, 25, pm = 1)
  of_one <- statcl::stableRoll(one, width = 100, step = 25)
  for (i in c(1, 3, 5)) expect_equal(coef(update(rolled[[i]])), coef(rolled)[i, ])
  expect_equal(coef(update(rolled[-1][[3]])), coef(rolled)[4, ])
  expect_equal(coef(update(of_frame[[5]])), coef(of_frame)[5, ])
  expect_equal(coef(update(of_frame[[5]], pm = 0)), coef(update(of_frame, pm = 0))[5, ])
  expect_equal(coef(update(of_one[[2]])), coef(of_one)[2, ])
  expect_identical(update(of_one, step = 50)$window$from, c(1, 51))
  expect_error(update(rolled[2:3]), "part", class = "statcl_error_input")
})

test_that("criteria compare batches series by series", {
  returns <- 100 * diff(log(datasets::EuStockMarkets))[1:200, 1:3]
  fits <- stableFit(returns)
  symmetric <- stableFit(returns, fixed = list(beta = 0))
  for (f in list(AIC, BIC)) {
    both <- f(fits, symmetric)
    expect_identical(dimnames(both), list(colnames(returns), c("fits", "symmetric")))
    expect_equal(both[, 1], vapply(fits, f, 1))
    expect_equal(both[, 2], vapply(symmetric, f, 1))
    expect_error(f(fits, fits[1]), "same number", class = "statcl_error_input")
    expect_error(f(fits, fits[[1]]), "batches", class = "statcl_error_input")
  }
  expect_equal(AIC(fits, k = 3), AIC(fits) + 4)
  expect_equal(AIC(fits, k = .Machine$integer.max), AIC(fits, k = 2^31 - 1))
  expect_equal(AIC(fits[[1]], k = .Machine$integer.max), AIC(fits[[1]], k = 2^31 - 1))
  shown <- capture.output(print(logLik(symmetric)))
  expect_length(shown, 4L)
  expect_match(shown[2], "^DAX .* 3$")
})

test_that("parts of batches: strange indices are errors of their own, empty parts are parts", {
  fits <- stableFit(as.list(as.data.frame(matrix(unlist(samples(c(60, 60), 1.5, 0)), 60))))
  for (i in list(-1, 0, TRUE, NA, NA_character_, 3, "none", NULL, 1:2, list(1)))
    expect_error(fits[[i]], class = "statcl_error_input")
  expect_error(fits[NA], "missing", class = "statcl_error_input")
  expect_error(fits[c(TRUE, NA)], "missing", class = "statcl_error_input")
  expect_error(fits[3], "no series 3", class = "statcl_error_input")
  expect_identical(as.data.frame(fits[c(2, 2)])$series, c("V2", "V2"))
  expect_output(print(fits[c(1, 1)]), "2 series")
  none <- fits[0]
  expect_output(print(none), "0 series")
  expect_output(print(logLik(none)), "no series")
  expect_identical(dim(as.data.frame(none)), c(0L, 13L))
  expect_output(print(summary(none)), "0 of 0")
  failed <- suppressWarnings(stableFit(list(a = 1:3, b = letters)))
  expect_true(all(is.na(AIC(failed))))
  expect_true(all(is.na(quantile(failed))))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(none))
  expect_silent(plot(failed))
  expect_silent(plot(suppressWarnings(stableFit(list(samples(50, 2, 0)[[1]], 1)))))
})

test_that("quantiles, limits, residuals and samples of a batch are those of its fits", {
  fits <- suppressWarnings(stableFit(c(a = samples(80, 1.6, 0.2), b = list(1:3), c = samples(90, 1.4, -0.5))))
  expect_error(quantile(fits, 2), "probs[1] = 2", fixed = TRUE, class = "statcl_error_input")
  expect_error(quantile(fits, "a"), "probs", class = "statcl_error_input")
  expect_identical(colnames(quantile(fits, c(0.1, 0.025))), c("10%", "2.5%"))
  limits <- quantile(fits, c(0.1, 0.5), interval = TRUE, level = 0.9)
  expect_equal(limits["c", , ], quantile(fits[["c"]], c(0.1, 0.5), interval = TRUE, level = 0.9))
  expect_true(all(is.na(limits["b", , ])))
  profile <- confint(fits, c("gamma", "alpha"), 0.9, "profile")
  expect_identical(dimnames(profile), dimnames(confint(fits, c("gamma", "alpha"), 0.9)))
  expect_equal(t(profile["a", , ]), confint(fits[["a"]], c("gamma", "alpha"), 0.9, "profile"))
  expect_error(confint(fits, 5), "parm = 5", class = "statcl_error_input")
  for (series in list(samples(50, 1.5, 0), list(a = 1:9, b = 2:10)))
    expect_error(confint(stableFit(series, "ecf"), method = "profile"), "object\\$method = ecf: .*maximum likelihood",
                 class = "statcl_error_input")
  expect_identical(residuals(fits, "quantile")$c, residuals(fits[["c"]], "quantile"))
  expect_null(residuals(fits)$b)
  draws <- simulate(fits, 2, seed = 4)
  expect_identical(draws, simulate(fits, 2, seed = 4))
  expect_identical(vapply(draws, NROW, 1L), c(a = 80L, b = 0L, c = 90L))
  expect_equal(draws$a$sim_1, simulate(fits[["a"]], 2, seed = 4)$sim_1)
})

test_that("fixed values of the rows of a batch count, and those refused stop no other", {
  x <- samples(200, 1.5, 0)[[1]]
  known <- rbind(c(1, NA, NA, 3), c(1.5, 0, NA, NA), c(NA, 0, NA, NA))
  fits <- fit_batch(list(x, x[1:3], x[1:3]), pm = 1, fixed = known)
  expect_match(fits$message[1], "alpha fixed at 1")
  expect_identical(fits$converged, c(FALSE, TRUE, FALSE))
  expect_match(fits$message[3], "at least 4")
  expect_error(stableFit(list(x, x), pm = 1, fixed = list(alpha = 1, delta = 3)), "alpha fixed at 1",
               class = "statcl_error_input")
})

test_that("numbers of observations are sums over the own weights of each series", {
  x <- samples(c(50, 50), 1.7, 0)
  fits <- stableFit(x, weights = list(rep(1e17, 50), rep(0.5, 50)))
  expect_identical(nobs(fits)[2], 25)
})

test_that("arguments that no fit takes are errors of class statcl_error_input", {
  x <- samples(50, 1.5, 0)[[1]]
  expect_error(stableFit(x, na.rm = "x"), "na.rm = x", class = "statcl_error_input")
  expect_error(stableFit(array(x, c(5, 5, 2))), "3 dimensions", class = "statcl_error_input")
  expect_error(stableRoll(array(x, c(5, 5, 2)), 5), "3 dimensions", class = "statcl_error_input")
  expect_error(stableFit(x, "gri"), "must be one of", class = "statcl_error_input")
  expect_error(stableRoll(x, 20, method = NA), "must be one of", class = "statcl_error_input")
  expect_error(stableRoll(x, 20, metod = "mle"), "no argument metod", class = "statcl_error_input")
  expect_identical(stableFit(x, "kout")$method, "koutrouvelis")
  expect_identical(stableFit(x)$method, "mle")
  expect_setequal(eval(formals(stableFit)$method), names(fit_methods))
  expect_identical(formals(stableRoll)$method, formals(stableFit)$method)
})

test_that("long messages do not break the table, and what a message says is kept", {
  fits <- stableFit(samples(c(50, 50), 1.5, 0))
  fits$message[] <- c(strrep("long and\nlonger ", 40), "no standard errors: the observed information is wrong")
  shown <- capture.output(print(fits))
  expect_true(all(nchar(shown) <= 100L))
  expect_true(any(grepl("1 series: no standard errors: the", shown)))
  expect_identical(as.data.frame(fits)$message, fits$message)
  expect_output(print(fits[[2]]), "No standard errors: the observed information is wrong.")
})

test_that("rolling fits are the fits of the windows", {
  x <- 100 * diff(log(datasets::EuStockMarkets[, "DAX"]))
  rolled <- stableRoll(x, 200, step = 400, pm = 1)
  window <- rolled$window
  expect_identical(window$from, c(1, 401, 801, 1201, 1601))
  expect_equal(window$time, as.numeric(time(x))[window$to])
  for (i in seq_len(nrow(window)))
    expect_identical(coef(rolled)[i, ], coef(stableFit(x[window$from[i]:window$to[i]], pm = 1)))
  both <- stableRoll(datasets::EuStockMarkets[1:60, 1:2], 30, step = 10, fixed = list(beta = 0))
  expect_identical(unname(coef(both)[, "beta"]), rep(0, 8))
  expect_identical(as.data.frame(both)$series, rep(c("DAX", "SMI"), each = 4))
  expect_identical(rownames(coef(both))[c(1, 8)], c("DAX.30", "SMI.60"))
  days <- format(as.Date("2024-01-01") + 0:59)
  dated <- stableRoll(stats::setNames(x[1:60], days), 30, step = 10, fixed = list(beta = 0))
  expect_identical(names(dated), days[dated$window$to])
  of_rows <- stableRoll(data.frame(DAX = x[1:60], FTSE = x[61:120], row.names = days), 30, step = 30)
  expect_identical(names(of_rows), paste(rep(c("DAX", "FTSE"), each = 2), days[c(30, 60)], sep = "."))
  expect_identical(dated$window$time, as.Date(days)[dated$window$to])
  of_row <- stableRoll(data.frame(y = x[1:60], row.names = days), 30, step = 10, fixed = list(beta = 0))
  expect_identical(of_row$window, dated$window)
  expect_null(stableRoll(stats::setNames(x[1:60], paste("day", 1:60)), 60)$window$time)
  expect_error(stableRoll(data.frame(day = as.Date(days), y = x[1:60]), 30), "column \"day\"",
               class = "statcl_error_input")
  if (requireNamespace("zoo", quietly = TRUE)) {
    of_zoo <- stableRoll(zoo::zoo(x[1:60], as.Date(days)), 30, step = 10, fixed = list(beta = 0))
    expect_identical(coef(of_zoo), coef(dated))
    expect_identical(of_zoo$window$time, as.Date(days)[dated$window$to])
  }
  expect_warning(holes <- stableRoll(c(x[1:100], NA, rep(1, 60), x[101:150]), 50, step = 25),
                 "windows were not fitted")
  expect_output(print(holes), "[0-9] windows?: x has missing")
  expect_match(holes$message[["125"]], "missing")
  expect_identical(rownames(rolled[3:4]$window), c("1", "2"))
  expect_identical(rownames(as.data.frame(rolled, row.names = letters[1:5])), letters[1:5])
  about <- capture.output(print(summary(rolled)))
  expect_match(about[1], "5 of 5 windows")
  expect_false(any(grepl("sum of log", about)))
  expect_error(stableRoll(x, 0), "width", class = "statcl_error_input")
  expect_error(stableRoll(x, 1e5), "width", class = "statcl_error_input")
  expect_error(stableRoll(letters, 3), "numeric", class = "statcl_error_input")
})

test_that("weights, fixed values and starts go with the series", {
  series <- samples(c(60, 80), 1.6, 0.3)
  weights <- lapply(series, function(x) rep(1:2, length.out = length(x)))
  fits <- stableFit(series, weights = weights, fixed = list(beta = 0.1), pm = 1)
  for (i in 1:2)
    expect_identical(coef(fits[[i]]), coef(stableFit(series[[i]], weights = weights[[i]], fixed = list(beta = 0.1),
                                                     pm = 1)))
  expect_identical(unname(nobs(fits)), vapply(weights, sum, 1))
})

log_mass <- function(lower, upper, p) {
  law <- unname(as.list(p))
  F <- function(x, ...) do.call(pstable, c(list(x), law, list(...)))
  ifelse(lower == upper, do.call(dstable, c(list(lower), law, log = TRUE)), log(F(upper) - F(lower)))
}

test_backends("censored observations: the likelihood is theirs, and its maximum is found", {
  x <- samples(150, 1.5, 0.4, 2, 1)[[1]]
  lower <- ifelse(x < -2, -Inf, ifelse(abs(x) < 1, floor(2 * x) / 2, x))
  upper <- ifelse(x > 6, Inf, ifelse(abs(x) < 1, floor(2 * x) / 2 + 0.5, ifelse(x < -2, -2, x)))
  lower[x > 6] <- 6
  fit <- stableFit(lower, censored = upper)
  expect_true(fit$converged)
  target <- function(p) sum(log_mass(lower, upper, p))
  expect_equal(fit$loglik, target(coef(fit)), tolerance = 1e-10)
  error <- sqrt(diag(vcov(fit)))
  for (k in 1:4) for (side in c(-1, 1)) {
    p <- coef(fit)
    p[k] <- p[k] + side * 0.02 * error[k]
    expect_lt(target(p), fit$loglik)
  }
  # observed information
  h <- 0.05 * error
  move <- function(i, j, a, b) target(coef(fit) + a * h * (1:4 == i) + b * h * (1:4 == j))
  info <- outer(1:4, 1:4, Vectorize(function(i, j)
    -(move(i, j, 1, 1) - move(i, j, 1, -1) - move(i, j, -1, 1) + move(i, j, -1, -1)) / (4 * h[i] * h[j])))
  expect_equal(unname(vcov(fit)), solve(info), tolerance = 0.02)
})

test_that("words and numbers say which observations are censored", {
  x <- samples(80, 1.7, 0)[[1]]
  cut <- pmin(x, 1)
  words <- stableFit(cut, censored = ifelse(x > 1, "right", "none"))
  numbers <- stableFit(cut, censored = ifelse(x > 1, Inf, NA))
  expect_identical(coef(words), coef(numbers))
  expect_identical(coef(stableFit(x, censored = x)), coef(stableFit(x)))
  expect_error(stableFit(x, censored = x - 1), "interval", class = "statcl_error_input")
  expect_error(stableFit(x, censored = rep("up", 80)), "censored", class = "statcl_error_input")
  expect_error(stableFit(x, censored = 1), "length", class = "statcl_error_input")
  expect_error(stableFit(c(-Inf, x)), "finite", class = "statcl_error_input")
  expect_error(stableFit(c(-Inf, x), censored = c(Inf, x)), "one end", class = "statcl_error_input")
})

test_that("plots of rolling fits: one legend, and gaps of beta near the normal distribution", {
  returns <- 100 * diff(log(datasets::EuStockMarkets))[1:300, 1:2]
  rolled <- stableRoll(returns, 150, step = 50)
  page <- function(...) {
    graphics::par(mfrow = c(2, 2))
    plot(rolled, ...)
  }
  legends <- function(...) sum(vapply(drawn("C_text", page(...)), function(call) "DAX" %in% unlist(call[-1L]), TRUE))
  expect_identical(legends(), 1L)
  expect_identical(legends(legend = "topright"), 1L)
  expect_identical(legends(legend = NULL), 0L)
  rolled$parameters$estimate[5] <- 1.995 # alpha of the second window
  lines <- drawn("C_plotXY", page("beta"))
  values <- lapply(lines, function(call) call[[2L]]$y)
  expect_identical(lapply(values[lengths(values) == 4L], is.na),
                   list(c(FALSE, TRUE, FALSE, FALSE), rep(FALSE, 4)))
})

test_that("fits of a batch with an estimate on a boundary have the limits of their profiles", {
  set.seed(3)
  series <- list(rnorm(60), rstable(70, 1.2, 1), rstable(80, 1.5, 0.2), 1:3, rstable(50, 1.4, -1))
  fits <- suppressWarnings(stableFit(series))
  edge <- colSums(matrix(nzchar(fits$parameters$boundary), 4)) > 0
  expect_true(all(edge[c(1, 2, 5)]))
  limits <- confint(fits, c("delta", "beta"))
  for (i in which(edge)) expect_equal(t(limits[i, , ]), confint(fits[[i]], c("delta", "beta")), tolerance = 1e-6)
  expect_equal(limits[3, , ], confint(fits, c("delta", "beta"), method = "transformed")[3, , ])
  expect_true(all(is.na(limits[4, , ])))
  known <- suppressWarnings(stableFit(series[c(2, 5)], fixed = list(delta = 0)))
  expect_identical(which(is.na(confint(known)[1, 1, ])), c(delta = 4L))
})

test_that("plots of many fits have limits that take no longer than the fits", {
  pdf(NULL)
  on.exit(dev.off())
  set.seed(3)
  x <- sapply(1:44, function(i) rstable(80, 1.85, 0, if (i == 7) 100 else 1))
  x[, 9] <- x[, 9] + 1e4
  fits <- suppressWarnings(stableFit(x))
  parm <- c("alpha", "beta", "gamma", "delta")
  shown <- statcl:::drawn_limits(fits, parm, 0.9)
  expect_equal(shown[, , "delta"], confint(fits, "delta", 0.9, "transformed")[, , 1])
  alpha <- coef(fits)[, "alpha"]
  beyond <- which(alpha > 1.97)
  expect_gt(length(beyond), 2)
  profile <- confint(fits[beyond], "alpha", 0.9, "profile")
  expect_equal(shown[beyond, , "alpha"], profile[, , 1], tolerance = 1e-5)
  expect_false(anyNA(shown[, , "alpha"]))
  expect_equal(statcl:::drawn_limits(fits[1:5], parm, 0.9), confint(fits[1:5], parm, 0.9))
  # gamma over decades has a logarithmic axis, and delta far from the others is marked at the frame
  plot(fits, "gamma")
  expect_true(par("ylog"))
  plot(fits, "gamma", log = FALSE, method = "wald")
  expect_false(par("ylog"))
  plot(fits, "delta")
  expect_lt(par("usr")[4], 1e3)
  plot(fits, "delta", ylim = c(0, 1e4))
  expect_gt(par("usr")[4], 1e4)
  expect_output(print(fits[beyond]), "* on the boundary, without a standard error", fixed = TRUE)
  expect_output(print(summary(fits)), "= 1 in [0-9]+ of 44 series")
})

# What a method says of each fit, NA where there is none.
of_each <- function(fits, f)
  vapply(as.list(fits), function(fit) if (is.null(fit)) NA_real_ else as.numeric(f(fit)), 1)

test_that("methods of a batch say of each series what those of its fit say", {
  series <- c(samples(c(60, 80), 1.6, 0.4), list(1:3), samples(70, 0.8, -0.5), list(qnorm(ppoints(50))))
  named <- stats::setNames(series, letters[1:5])
  tidy <- getFromNamespace("tidy.statclFit", "statcl")
  glance <- getFromNamespace("glance.stableFit", "statcl")
  augment <- getFromNamespace("augment.stableFit", "statcl")
  for (arguments in list(list(named), list(series, pm = 1), list(named, pm = 2, fixed = list(alpha = 2)),
                         list(series, "mcculloch"))) {
    fits <- suppressWarnings(do.call(stableFit, arguments))
    expect_s3_class(fits, c("stableFits", "statclFit"), exact = TRUE)
    for (f in list(sigma, mean, median, nobs, AIC, BIC, logLik))
      expect_identical(structure(as.numeric(f(fits)), names = names(fits)), of_each(fits, f))
    criterion <- extractAIC(fits, k = 3)
    expect_equal(criterion[-3, "df"], of_each(fits, function(fit) extractAIC(fit)[1])[-3])
    expect_identical(criterion[, "AIC"], of_each(fits, function(fit) extractAIC(fit, k = 3)[2]))
    good <- c(1, 2, 4, 5)
    expect_identical(coef(fits, complete = FALSE), coef(fits)[good, ])
    expect_identical(vcov(fits, "all", complete = FALSE), vcov(fits)[, , good])
    expect_equal(attr(logLik(fits), "df")[good], vapply(as.list(fits)[good], function(fit) fit$df, 1L))
    for (i in good) {
      one <- fits[[i]]
      expect_identical(one$parameters, fits[i]$parameters)
      expect_identical(coef(fits)[i, ], coef(one))
      expect_identical(vcov(fits)[, , i], vcov(one))
      expect_identical(rstandard(fits)[[i]], rstandard(one))
    }
    rows <- function(f) do.call(rbind, lapply(as.list(fits)[good], f))
    own <- function(table) `rownames<-`(table[table$series %in% fits_label_columns(fits)$series[good], -1], NULL)
    bare <- function(table) `rownames<-`(table, NULL)
    expect_identical(own(getFromNamespace("tidy.stableFits", "statcl")(fits)), bare(rows(tidy)))
    expect_identical(own(getFromNamespace("glance.stableFits", "statcl")(fits)), bare(rows(glance)))
    expect_identical(own(getFromNamespace("augment.stableFits", "statcl")(fits)), bare(rows(augment)))
    expect_identical(bare(as.data.frame(fits)[good, colnames(as.data.frame(fits)) != "series"]),
                     bare(rows(as.data.frame)))
    expect_identical(quantile(fits)[1, ], quantile(fits[[1]]))
    expect_null(dimnames(quantile(fits, names = FALSE))[[2]])
    expect_error(coef(fits, "odd"), "component = odd", class = "statcl_error_input")
  }
  expect_error(formula(fits), "no formula", class = "statcl_error_input")
  curves <- profile(stableFit(named[1:2]), "alpha", points = 2)
  expect_named(curves, c("a", "b"))
  expect_identical(as.data.frame(curves$b), as.data.frame(profile(stableFit(named$b), "alpha", points = 2)))
})

test_that("likelihood ratio tests of batches are those of their fits", {
  series <- c(samples(c(60, 80), 1.6, 0.4), list(1:2, qnorm(ppoints(50))))
  names(series) <- c("a", "b", "short", "normal")
  fits <- suppressWarnings(stableFit(series))
  symmetric <- suppressWarnings(stableFit(series, fixed = list(beta = 0)))
  normal <- suppressWarnings(stableFit(series, fixed = list(alpha = 2)))
  table <- anova(normal, symmetric, fits)
  expect_identical(rownames(table), paste(rep(names(series), each = 3), 1:3, sep = "."))
  for (i in c(1, 2, 4)) {
    single <- anova(normal[[i]], symmetric[[i]], fits[[i]])
    expect_identical(unclass(table[3 * i - 2:0, ])[1:5], unclass(single)[1:5])
  }
  expect_identical(attr(table, "heading")[2], attr(single, "heading")[2])
  expect_true(all(is.na(table$LogLik[7:9])) && all(is.na(table$Chisq[7:9])))
  expect_output(print(table), "Model 2: beta = 0")
  expect_identical(names(anova(fits, fits)), c("#Df", "LogLik"))
  bare <- lapply(list(list(), list(beta = 0)), function(fixed) stableFit(unname(series[1:2]), fixed = fixed))
  expect_identical(anova(bare[[1]], bare[[2]])["2.2", "Chisq"], anova(fits$b, symmetric$b)$Chisq[2])
  expect_identical(nrow(anova(fits[0], symmetric[0])), 0L)
  worse <- fits
  worse$loglik["b"] <- symmetric$loglik["b"] - 1
  expect_warning(anova(symmetric, worse), "for series b:", class = "statcl_warning_better_fit")
  for (wrong in list(quote(anova(fits)), quote(anova(fits, fits[[1]])), quote(anova(fits, fits[1:2]))))
    expect_error(eval(wrong), "batches", class = "statcl_error_input")
  expect_error(anova(fits[1:2], fits[2:1]), "series 1, 2 are not of the same", class = "statcl_error_input")
  expect_error(anova(fits, suppressWarnings(stableFit(series, "mcculloch"))), "maximum likelihood",
               class = "statcl_error_input")
})

test_that("the method of the limits is that of both kinds of plots", {
  skip_if_not_installed("ggplot2")
  fits <- stableFit(samples(c(60, 80), 1.6, 0.4))
  drawn <- ggplot2::autoplot(fits, c("alpha", "beta"), method = "wald")$data
  expect_identical(drawn[1:7], transform(fits_curves(fits, c("alpha", "beta"), 0.95, "wald"),
                                         parameter = factor(parameter))[1:7])
})

test_that("the fits of a batch are not replaced, and c() makes a list of them", {
  fits <- stableFit(cbind(a = rivers, b = -rivers), "mcculloch")
  expect_input_error(names(fits) <- c("x", "y"), "a batch is what its series gave")
  expect_input_error(fits[["a"]] <- fits[["b"]], "a batch is what its series gave")
  expect_input_error(fits["a"] <- fits["b"], "a batch is what its series gave")
  expect_identical(c(fits, fits[["a"]]), c(as.list(fits), list(fits[["a"]])))
  expect_identical(names(c(fits, fits)), c("a", "b", "a", "b"))
})

test_that("series may have any names", {
  skip_if_not_installed("generics")
  plain <- stableFit(cbind(a = rivers, b = -rivers), "mcculloch")
  for (name in c("terms", "window", NA)) {
    fits <- stableFit(stats::setNames(list(rivers, -rivers), c(name, "b")), "mcculloch")
    expect_identical(generics::glance(fits)[-1L], generics::glance(plain)[-1L])
    expect_identical(names(generics::tidy(fits)), names(generics::tidy(plain)))
    expect_identical(as.vector(generics::tidy(fits)$estimate), as.vector(generics::tidy(plain)$estimate))
    if (!is.na(name)) expect_identical(dim(as.data.frame(fits)), dim(as.data.frame(plain)))
    expect_input_error(formula(fits), "has no formula")
  }
})

test_that("batches of names that are missing have all methods", {
  series <- unname(samples(c(60, 70), 1.5, 0))
  for (names in list(c("NA", NA), c(NA, "b"), c(NA_character_, NA), c("NA", "NA"))) {
    fits <- stableFit(stats::setNames(series, names))
    symmetric <- stableFit(stats::setNames(series, names), fixed = list(beta = 0))
    table <- anova(symmetric, fits)
    expect_identical(nrow(table), 4L)
    expect_equal(table$LogLik, c(rbind(unname(symmetric$loglik), unname(fits$loglik))))
    frame <- as.data.frame(fits)
    expect_identical(frame$series, names)
    expect_identical(rownames(frame), c("1", "2"))
    grDevices::pdf(NULL)
    expect_no_error(plot(fits, "alpha"))
    grDevices::dev.off()
    expect_output(print(logLik(fits)), "log likelihood")
  }
  expect_identical(rownames(anova(stableFit(stats::setNames(series, c("NA", NA)), fixed = list(beta = 0)), fits)),
                   c("NA.1", "NA.2", "NA.1.1", "NA.1.2"))
})

test_that("a batch says which of its series failed, by name or number", {
  good <- samples(60, 1.5, 0)[[1L]]
  series <- list(good, rep(1, 50), good, c(1, NA, 3:9), c(NA, 2:9))
  expect_warning(fits <- stableFit(series), "3 of 5 series were not fitted .* of 2, 4, 5$")
  names(series) <- c("a", "", "", "d", "d")
  expect_warning(stableFit(series), "3 of 5 series were not fitted .* of 2, d, d.1$")
  shown <- capture.output(print(fits))
  expect_true("1 series: x is constant: all values are 1 [2]" %in% shown)
  expect_true("2 series: x must have no missing values (see na.rm) [4, 5]" %in% shown)
  named <- suppressWarnings(stableFit(stats::setNames(series, letters[1:5])))
  expect_true("2 series: x must have no missing values (see na.rm) [d, e]" %in% capture.output(print(named)))
  many <- suppressWarnings(stableFit(rep(list(c(NA, 1:9)), 40)))
  expect_match(capture.output(print(many)), "^40 series: x must have no missing values .see na.rm. .1, 2, 3, 4, ",
               all = FALSE)
})

test_that("batches without a fit have the columns of those with one", {
  skip_if_not_installed("generics")
  fits <- stableFit(samples(c(60, 70), 1.5, 0))
  columns <- names(generics::augment(fits))
  none <- generics::augment(fits[0])
  expect_identical(names(none), columns)
  expect_identical(nrow(none), 0L)
  expect_identical(names(generics::augment(suppressWarnings(stableFit(list(1, 2))))), columns)
})

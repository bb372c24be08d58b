old_threads <- options(statcl.threads = 1) # thousands of short calls; put back at the end

sample_of <- function(n, ..., seed = 20) {
  set.seed(seed)
  rstable(n, ...)
}
# Evaluates code with another function in the place of one of the package's.
with_function <- function(name, value, code) {
  package <- asNamespace("statcl")
  replace <- function(value) {
    unlockBinding(name, package)
    assign(name, value, envir = package)
    lockBinding(name, package)
  }
  old <- get(name, package)
  on.exit(replace(old))
  replace(value)
  force(code)
}

law_of <- function(fit) c(as.list(coef(fit)), pm = fit$pm)
log_lik_at <- function(fit, p) {
  w <- if (is.null(fit$weights)) 1 else fit$weights
  sum(w * do.call(dstable, c(list(fit$x), as.list(p), pm = fit$pm, log = TRUE)))
}

# The largest log likelihood with one parameter fixed, by a general optimiser that knows nothing of the package's.
optim_profile <- function(fit, parameter, value) {
  open <- setdiff(names(coef(fit)), c(parameter, rownames(fit$parameters)[fit$parameters$fixed]))
  p <- coef(fit)
  p[[parameter]] <- value
  link <- list(alpha = function(t) 2 * plogis(t), beta = tanh, gamma = exp, delta = identity)
  start <- list(alpha = function(v) qlogis(min(v, 1.98) / 2), beta = function(v) atanh(0.98 * v), gamma = log,
                delta = identity)
  objective <- function(t) {
    p[open] <- unlist(Map(function(f, v) f(v), link[open], t))
    -log_lik_at(fit, p)
  }
  best <- optim(unlist(Map(function(f, v) f(v), start[open], p[open])), objective,
                control = list(maxit = 3000, reltol = 1e-13))
  best <- optim(best$par, objective, control = list(maxit = 3000, reltol = 1e-13))
  -best$value
}

test_that("degrees of freedom are the parameters that were estimated and matter", {
  x <- sample_of(100, 1.6, 0.3)
  df <- function(...) attr(logLik(stableFit(x, ...)), "df")
  expect_equal(df(), 4)
  expect_equal(df(fixed = list(beta = 0, delta = 0)), 2)
  expect_equal(df(fixed = list(alpha = 2)), 2)
  expect_equal(df(fixed = list(alpha = 2, beta = 0)), 2)
  set.seed(1)
  normal <- stableFit(qnorm(ppoints(100)))
  expect_identical(coef(normal)[["alpha"]], 2)
  expect_equal(attr(logLik(normal), "df"), 3) # alpha was estimated, beta has no effect
  skew <- stableFit(sample_of(200, 1.3, 1))
  expect_identical(coef(skew)[["beta"]], 1)
  expect_equal(attr(logLik(skew), "df"), 4)
})

test_that("printed fits name their method and hide what is missing", {
  fit <- stableFit(sample_of(100, 1.6, 0.3))
  other <- fit
  other$method <- "mcculloch"
  other$parameters$std.error <- NA_real_
  text <- paste(capture.output(print(other)), collapse = "\n")
  expect_match(text, "by McCulloch's quantiles, pm = 0")
  expect_no_match(text, "Std. Error", fixed = TRUE)
  expect_match(paste(capture.output(print(fit)), collapse = "\n"), "by maximum likelihood.*Std. Error.*100 obs")
  expect_no_match(paste(capture.output(print(summary(other))), collapse = "\n"), "2.5 %", fixed = TRUE)
  s <- summary(fit, level = 0.8)
  expect_equal(s$confint, confint(fit, level = 0.8))
  r <- residuals(fit, "quantile")
  expect_equal(s$residuals[["Min"]], min(r))
  expect_equal(s$residuals[["Max"]], max(r))
  expect_output(print(s), "Quantile residuals")
  quick <- capture.output(print(summary(stableFit(fit$x, "ecf"))))
  expect_false(any(grepl("NA|Newton", quick)))
  other$censored <- replace(other$x, 3, Inf)
  expect_output(print(other), "(1 censored)", fixed = TRUE)
})

test_that("update() evaluates the call again", {
  x <- sample_of(80, 1.6, 0.3)
  fit <- stableFit(x)
  expect_equal(coef(update(fit, fixed = list(beta = 0))), coef(stableFit(x, fixed = list(beta = 0))))
  expect_identical(update(fit, pm = 1)$pm, 1L)
  expect_identical(deparse(update(fit, pm = 1, evaluate = FALSE)), "stableFit(x = x, pm = 1)")
})

# by how much the likelihood is lower at profile limits
fall_of <- function(fit, level = 0.95) {
  n <- nobs(fit)
  rest <- n - attr(logLik(fit), "df")
  n / 2 * log(1 + qt((1 + level) / 2, rest)^2 / rest)
}

test_that("the likelihood at profile limits is lower by a quantile of F", {
  fits <- list(stableFit(sample_of(150, 1.4, 0.4, 2, 1)),
               stableFit(sample_of(150, 1.5, 0), pm = 1, fixed = list(beta = 0.1)),
               stableFit(sample_of(60, 1.2, -0.3), weights = rep(1:3, 20)))
  for (fit in fits) {
    wanted <- names(coef(fit))[!fit$parameters$fixed]
    limits <- confint(fit, level = 0.9, method = "profile")
    expect_identical(dimnames(limits), dimnames(confint(fit, level = 0.9)))
    expect_true(all(is.na(limits[fit$parameters$fixed, ])))
    found <- profile_limits(fit, profile_set.stableFit(fit), match(wanted, names(coef(fit))), 0.9)
    expect_identical(found$limits, unname(limits[wanted, ]))
    s <- found$searches
    s$parameter <- names(coef(fit))[s$at]
    value <- as.vector(found$limits)
    for (i in seq_along(value)) {
      label <- paste(s$parameter[i], s$side[i])
      expect_identical(s$par[[i, s$parameter[i]]], value[i], label = label)
      if (s$state[i] == "boundary") {
        expect_identical(c(s$parameter[i], value[i]), c("beta", s$side[i]), label = label)
        expect_gt(log_lik_at(fit, s$par[i, ]), fit$loglik - fall_of(fit, 0.9), label = label)
        next
      }
      expect_identical(s$state[i], "found", label = label)
      expect_equal(log_lik_at(fit, s$par[i, ]), fit$loglik - fall_of(fit, 0.9), tolerance = 1e-6 / abs(fit$loglik),
                   label = label)
    }
    # and no distribution with the limit does better
    for (i in c(1, length(value)))
      expect_equal(optim_profile(fit, s$parameter[i], value[i]), fit$loglik - fall_of(fit, 0.9),
                   tolerance = 1e-4 / abs(fit$loglik))
    expect_true(all(limits[wanted, 1] <= coef(fit)[wanted] & coef(fit)[wanted] <= limits[wanted, 2]))
    expect_gt(sum(s$state == "found"), length(value) - 2)
  }
})

test_that("a profile limit at a boundary is the boundary", {
  normal <- stableFit(qnorm(ppoints(60)))
  limits <- confint(normal, c("alpha", "beta"), method = "profile")
  expect_identical(limits[["alpha", 2]], 2)
  expect_lt(limits[["alpha", 1]], 2)
  expect_equal(optim_profile(normal, "alpha", limits[["alpha", 1]]), normal$loglik - fall_of(normal),
               tolerance = 1e-4 / abs(normal$loglik))
  expect_identical(unname(limits["beta", ]), c(-1, 1))
  skew <- stableFit(sample_of(100, 1.3, 1))
  limits <- confint(skew, "beta", method = "profile")
  expect_identical(limits[[2]], 1)
  expect_equal(optim_profile(skew, "beta", limits[[1]]), skew$loglik - fall_of(skew),
               tolerance = 1e-4 / abs(skew$loglik))
  # all others known: the likelihood itself
  x <- sample_of(50, 1.5, 0)
  scale <- stableFit(x, fixed = list(alpha = 1.5, beta = 0, delta = 0))
  limits <- confint(scale, "gamma", method = "profile")
  for (g in limits)
    expect_equal(log_lik_at(scale, replace(coef(scale), "gamma", g)), scale$loglik - fall_of(scale),
                 tolerance = 1e-7)
})

test_that("profile limits that cannot be given say so", {
  fit <- stableFit(sample_of(60, 1.5, 0))
  fit$method <- "ecf"
  expect_error(confint(fit, method = "profile"), "fit\\$method = ecf: .*maximum likelihood",
               class = "statcl_error_input")
  expect_error(profile(fit), "fit\\$method = ecf: .*maximum likelihood", class = "statcl_error_input")
  expect_error(confint(stableFit(fit$x), "sigma", method = "profile"), "sigma", class = "statcl_error_input")
  # estimates that are no maximum are noticed
  worse <- stableFit(fit$x)
  worse$parameters["delta", "estimate"] <- coef(worse)[["delta"]] + 0.5
  worse$loglik <- log_lik_at(worse, coef(worse))
  expect_warning(confint(worse, "alpha", method = "profile"), "larger", class = "statcl_warning_better_fit")
  hopeless <- stableFit(fit$x)
  delta <- coef(hopeless)[["delta"]]
  steps <- function(set, of, at, value, start, tell)
    list(loglik = set$loglik - ifelse(abs(value - delta) > 0.1, 50, abs(value - delta)) / 2, par = start)
  expect_warning(limits <- with_function("profile_fits", steps, confint(hopeless, "delta", method = "profile")),
                 "jumps at the limit of delta \\(lower\\), delta \\(upper\\): the likelihood has several maxima")
  expect_equal(as.vector(limits), delta + c(-0.1, 0.1), tolerance = 1e-6)
  # where no distribution fits at all, there is no limit
  nothing <- function(set, of, at, value, start, tell) list(loglik = rep(NA_real_, length(value)), par = start)
  expect_warning(limits <- with_function("profile_fits", nothing, confint(hopeless, "gamma", method = "profile")),
                 "no profile limit found for gamma \\(lower\\), gamma \\(upper\\)")
  expect_true(all(is.na(limits)))
})

test_that("a profile that finds a larger maximum begins again from there and hands it over", {
  skip_if_not_installed("MASS")
  x <- MASS::geyser$duration
  fit <- stableFit(x)
  lower <- stableFit(x, start = list(alpha = 1.99, beta = 0, gamma = 0.8, delta = 3.4))
  expect_lt(lower$loglik, fit$loglik - 9)
  told <- NULL
  limits <- withCallingHandlers(confint(lower), statcl_warning_better_fit = function(w) {
    told <<- w
    invokeRestart("muffleWarning")
  })
  expect_equal(limits, confint(fit), tolerance = 1e-5)
  expect_match(conditionMessage(told), "larger maximum than the fit, by 9.67, .* start = list\\(alpha = 1.2015")
  expect_equal(coef(told$fit), coef(fit), tolerance = 1e-5)
  expect_equal(eval(told$fit$call)$loglik, fit$loglik)
  expect_warning(curves <- profile(lower, "alpha", points = 3), class = "statcl_warning_better_fit")
  expect_equal(attr(curves, "original.fit")$loglik, fit$loglik)
  better <- attr(curves, "original.fit")
  expect_identical(sign(curves$alpha$tau), sign(curves$alpha$par.vals[, "alpha"] - coef(better)[["alpha"]]))
  expect_equal(better$loglik - max(apply(curves$alpha$par.vals[-4, ], 1, function(p) log_lik_at(better, p))),
               min(curves$alpha$tau[-4]^2) / 2, tolerance = 1e-6)
  batch <- stableFit(list(x, rnorm(50)), start = as.list(coef(lower)))
  expect_warning(limits <- confint(batch), "larger maxima than the fits of 1:")
  expect_equal(limits[1, , ], t(confint(fit)), ignore_attr = TRUE, tolerance = 1e-5)
})

test_that("a fixed location finds a scale for which a one-sided distribution holds all observations", {
  x <- sample_of(60, 0.6, 1)
  fit <- stableFit(x, fixed = list(alpha = 0.6, beta = 1))
  expect_silent(limits <- confint(fit))
  delta <- limits[["delta", 2]]
  moved <- stableFit(x, fixed = list(alpha = 0.6, beta = 1, delta = delta))
  expect_equal(moved$loglik, fit$loglik - fall_of(fit), tolerance = 1e-6)
  expect_true(stableFit(x, fixed = list(alpha = 0.6, beta = 1, delta = coef(fit)[["delta"]] + 2))$converged)
  expect_true(stableFit(-x, fixed = list(alpha = 0.6, beta = -1, delta = -coef(fit)[["delta"]] - 2))$converged)
})

test_that("limits are those of the profile by default, of many observations the transformed ones", {
  x <- sample_of(100, 1.6, 0.3)
  fit <- stableFit(x)
  expect_identical(confint(fit), confint(fit, method = "profile"))
  many <- stableFit(rep(x, 51))
  expect_identical(confint(many), confint(many, method = "transformed"))
  expect_identical(confint(stableFit(x, "ecf")), confint(stableFit(x, "ecf"), method = "transformed"))
  expect_identical(profile_is_cheap(c(5000, 5001, 20000, 20001), c(FALSE, FALSE, TRUE, TRUE)),
                   c(TRUE, FALSE, TRUE, FALSE))
  expect_identical(profile_is_cheap(1000, c(FALSE, FALSE, TRUE, TRUE), c(250, 251, 1000, 1001)),
                   c(TRUE, FALSE, TRUE, FALSE))
  # exact for the mean of the normal distribution but for the parameters that are counted
  normal <- stableFit(x, fixed = list(alpha = 2, beta = 0))
  s <- sd(x)
  reach <- qt(0.975, 98) / sqrt(98) * s * sqrt(99 / 100)
  expect_equal(confint(normal)["delta", ], mean(x) + c(-1, 1) * reach, ignore_attr = TRUE, tolerance = 1e-5)
})

test_that("estimates on a boundary have no limits by default where those would take long, and that is said", {
  fit <- stableFit(qnorm(ppoints(101)))
  expect_identical(fit$parameters["alpha", "boundary"], "upper")
  expect_false(anyNA(confint(fit)))
  fit$x <- rep(fit$x, 199) # the fit of so many would be the same
  expect_message(limits <- confint(fit), "20,099 observations: method = \"profile\"")
  expect_identical(limits, confint(fit, method = "transformed"))
  expect_message(summary(fit), "20,099")
  fits <- stableFit(list(fit$x[1:101], sample_of(60, 1.5, 0)))
  expect_false(anyNA(confint(fits)[1, , ]))
  fits$data$n[1] <- 20001
  expect_true(all(is.na(confint(fits)[1, , "alpha"])))
})

test_that("standard errors and limits do not depend on the unit of the data", {
  x <- sample_of(80, 1.5, 0.3)
  fit <- stableFit(x)
  table <- quantile(fit, c(0.1, 0.9), interval = TRUE)
  for (pm in 0:2) for (unit in 2^c(-700, 700)) {
    base <- stableFit(x, pm = pm, fixed = if (pm == 1) list(alpha = 1.5) else list())
    moved <- stableFit(x * unit, pm = pm, fixed = if (pm == 1) list(alpha = 1.5) else list())
    scale <- c(1, 1, unit, unit)
    expect_equal(moved$parameters$std.error / scale, base$parameters$std.error, tolerance = 1e-6)
    expect_equal(base$parameters$std.error, unname(sqrt(diag(vcov(base)))))
    expect_equal(confint(moved, method = "wald") / scale, confint(base, method = "wald"), tolerance = 1e-6)
    expect_equal(confint(moved) / scale, confint(base), tolerance = 1e-5)
    if (pm == 0) expect_equal(quantile(moved, c(0.1, 0.9), interval = TRUE) / unit, table, tolerance = 1e-6)
    batch <- stableFit(list(a = x, b = x * unit), pm = pm)
    error <- as.data.frame(batch)$std.error.delta
    expect_equal(error[2] / unit, error[1], tolerance = 1e-6)
  }
})

test_that("parameters that are named several times are profiled once", {
  fit <- stableFit(sample_of(60, 1.5, 0.3))
  expect_identical(profile(fit, c(1, 1, 1), points = 2), profile(fit, 1, points = 2))
  limits <- confint(fit, c("gamma", "alpha", "gamma"), method = "profile")
  expect_identical(rownames(limits), c("gamma", "alpha", "gamma"))
  expect_false(anyNA(limits))
  expect_identical(limits[1, ], limits[3, ])
})

test_that("profile() gives curves of the signed root through the estimate", {
  fit <- stableFit(sample_of(100, 1.5, 0.2))
  curves <- profile(fit, c("alpha", "delta"), points = 4)
  expect_s3_class(curves, c("profile.statclFit", "profile"), exact = TRUE)
  expect_named(curves, c("alpha", "delta"))
  for (p in names(curves)) {
    value <- curves[[p]]$par.vals[, p]
    tau <- curves[[p]]$tau
    expect_false(is.unsorted(value, strictly = TRUE))
    expect_false(is.unsorted(tau, strictly = TRUE))
    expect_identical(value[tau == 0], coef(fit)[[p]])
    expect_equal(tau[length(tau)], sqrt(2 * fall_of(fit, 0.99)), tolerance = 1e-4)
    for (i in c(2, 7))
      expect_equal(log_lik_at(fit, curves[[p]]$par.vals[i, ]), fit$loglik - tau[i]^2 / 2, tolerance = 1e-8)
  }
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(curves))
  expect_silent(plot(profile(fit, "beta", points = 2), col = 2))
})

test_that("quantiles are those of the distribution, with the names of quantile()", {
  fit <- stableFit(sample_of(100, 1.5, 0.4), pm = 1)
  p <- c(0.001, 0.05, 0.5, 0.99)
  expect_equal(unname(quantile(fit, p)), do.call(qstable, c(list(p), law_of(fit))))
  expect_named(quantile(fit, p), names(quantile(1:10, p)))
  expect_named(quantile(fit), c("0%", "25%", "50%", "75%", "100%"))
  expect_null(names(quantile(fit, p, names = FALSE)))
  table <- quantile(fit, c(p, 1), interval = TRUE, level = 0.9)
  expect_identical(rownames(table), names(quantile(1:10, c(p, 1))))
  expect_identical(colnames(table), c("estimate", "std.error", "lower", "upper"))
  s0 <- s0_distribution(fit)$par
  onto <- function(column) asinh((table[1:4, column] - s0[["delta"]]) / s0[["gamma"]])
  slope <- 1 / (s0[["gamma"]] * cosh(onto("estimate"))) # of the scale on which the limits are normal
  expect_equal(onto("upper") - onto("estimate"), qnorm(0.95) * table[1:4, "std.error"] * slope)
  expect_equal(onto("estimate") - onto("lower"), qnorm(0.95) * table[1:4, "std.error"] * slope)
  expect_equal(unname(table[5, ]), c(Inf, NA, NA, NA))
  expect_error(quantile(fit, 1.5), "probs\\[1\\] = 1.5", class = "statcl_error_input")
  expect_error(quantile(fit, 0.5, interval = TRUE, level = 1), "level", class = "statcl_error_input")
})

test_that("limits of quantiles stay on the half-line of the distribution", {
  for (side in c(1, -1)) {
    fit <- stableFit(side * as.numeric(datasets::islands), fixed = list(beta = side))
    p <- c(0, 1e-8, 0.01, 0.5, 0.99)
    table <- quantile(fit, if (side > 0) p else 1 - p, interval = TRUE)
    expect_equal(unname(table[1, -1]), rep(NA_real_, 3))
    near <- if (side > 0) "lower" else "upper"
    expect_true(all(side * (table[-1, near] - table[1, "estimate"]) >= 0))
    expect_gt(side * table[5, near], 1000)
    expect_true(all(table[-1, "lower"] < table[-1, "estimate"] & table[-1, "estimate"] < table[-1, "upper"]))
  }
  # normal limits would leave the half-line
  fit <- stableFit(as.numeric(datasets::islands), fixed = list(beta = 1))
  fit$unit.vcov <- 100 * fit$unit.vcov
  table <- quantile(fit, c(0, 0.01), interval = TRUE)
  expect_identical(table[[2, "lower"]], table[[1, "estimate"]])
})

test_that("mean() and median() are those of the distribution", {
  x <- sample_of(100, 1.6, 0.5)
  for (pm in 0:2) {
    fit <- stableFit(x, pm = pm)
    expect_equal(median(fit), quantile(fit, 0.5, names = FALSE))
    expect_equal(mean(fit), coef(stableFit(x, pm = 1))[["delta"]], tolerance = 1e-5)
  }
  expect_silent(none <- mean(stableFit(x, fixed = list(alpha = 1))))
  expect_identical(none, NaN)
})

test_that("arguments that a method does not know are told", {
  fit <- stableFit(sample_of(60, 1.6, 0.3))
  extra <- "levl.* will be disregarded"
  expect_error(confint(fit, levl = 0.9), "has no argument levl: is level meant", class = "statcl_error_input")
  expect_warning(quantile(fit, levl = 0.9), extra)
  expect_warning(summary(fit, levl = 0.9), extra)
  expect_warning(residuals(fit, levl = 0.9), extra)
  expect_warning(simulate(fit, levl = 0.9), extra)
  expect_warning(vcov(fit, levl = 0.9), extra)
  expect_warning(stableTest(fit, nsim = 1, levl = 0.9), extra)
  fits <- stableFit(list(fit$x))
  expect_error(confint(fits, levl = 0.9), "has no argument levl: is level meant", class = "statcl_error_input")
  for (method in list(quantile, summary, residuals, simulate, vcov))
    expect_warning(method(fits, levl = 0.9), extra)
})

test_that("errors of quantiles are the delta method's", {
  p <- c(0.001, 0.01, 0.3, 0.5, 0.9, 0.9999)
  for (law in list(c(1.5, 0.4), c(1.02, -0.6), c(0.6, 0.3))) for (pm in 0:2) {
    fit <- stableFit(sample_of(300, law[1], law[2], 2, 1), pm = pm)
    h <- 1e-4 * c(min(1, abs(coef(fit)[["alpha"]] - 1)), 1, coef(fit)[["gamma"]], coef(fit)[["gamma"]])
    at <- function(k, side) {
      moved <- law_of(fit)
      moved[[k]] <- moved[[k]] + side * h[k]
      do.call(qstable, c(list(p), moved))
    }
    slope <- vapply(1:4, function(k) (at(k, 1) - at(k, -1)) / (2 * h[k]), p)
    wanted <- sqrt(diag(slope %*% vcov(fit) %*% t(slope)))
    expect_equal(unname(quantile(fit, p, interval = TRUE)[, "std.error"]), wanted, tolerance = 1e-4,
                 label = paste(c(law, pm), collapse = ", "))
  }
  # what is fixed or on a boundary is known
  normal <- stableFit(qnorm(ppoints(100)))
  error <- quantile(normal, p, interval = TRUE)[, "std.error"]
  s <- sqrt(2) * coef(normal)[["gamma"]]
  expect_equal(unname(error), s * sqrt((1 + qnorm(p)^2 / 2) / 100), tolerance = 1e-3)
  known <- normal
  known$vcov[] <- known$unit.vcov[] <- NA
  expect_true(all(is.na(quantile(known, p, interval = TRUE)[, "std.error"])))
})

test_that("the spread of quantiles of fits to simulated samples is their standard error", {
  fit <- stableFit(sample_of(400, 1.6, 0.3))
  samples <- simulate(fit, 40, seed = 5)
  p <- c(0.01, 0.5, 0.95)
  q <- vapply(samples, function(x) quantile(suppressWarnings(stableFit(x, start = coef(fit))), p), p)
  ratio <- apply(q, 1, sd) / quantile(fit, p, interval = TRUE)[, "std.error"]
  expect_true(all(ratio > 0.65 & ratio < 1.5), label = toString(format(ratio)))
})

test_that("residuals are transforms of the sample that stay finite", {
  fit <- stableFit(sample_of(2000, 1.3, 0.5), fixed = list(alpha = 1.3, beta = 0.5, gamma = 1))
  u <- residuals(fit)
  expect_equal(u, do.call(pstable, c(list(fit$x), law_of(fit))), tolerance = 1e-12)
  expect_gt(ks.test(u, "punif")$p.value, 0.01)
  expect_equal(residuals(fit, "quantile"), qnorm(u), tolerance = 1e-9)
  light <- fit
  light$parameters$estimate <- c(1.5, 1, 1, 0)
  light$x <- c(-60, 0, 1e200)
  r <- residuals(light, "quantile")
  expect_true(all(is.finite(r)))
  expect_equal(pnorm(r[1], log.p = TRUE), pstable(-60, 1.5, 1, log.p = TRUE), tolerance = 1e-10)
  expect_equal(pnorm(r[3], lower.tail = FALSE, log.p = TRUE),
               pstable(1e200, 1.5, 1, lower.tail = FALSE, log.p = TRUE), tolerance = 1e-10)
})

test_that("residuals of censored observations are draws from their intervals", {
  fit <- stableFit(sample_of(400, 1.5, 0.5))
  x <- fit$x
  fit$censored <- x
  fit$censored[x > 1] <- Inf
  fit$x[x > 1] <- 1
  fit$x[x < -2] <- -Inf
  fit$censored[x < -2] <- -2
  fit$censored[5] <- NA
  set.seed(7)
  u <- residuals(fit)
  exact <- is.na(fit$censored) | fit$censored == fit$x
  low <- do.call(pstable, c(list(fit$x), law_of(fit)))
  high <- do.call(pstable, c(list(ifelse(exact, fit$x, fit$censored)), law_of(fit)))
  expect_equal(u[exact], low[exact])
  expect_true(all(u[!exact] > low[!exact] & u[!exact] < high[!exact]))
  expect_gt(ks.test(u, "punif")$p.value, 0.01)
  set.seed(7)
  expect_equal(u[!exact], low[!exact] + (high[!exact] - low[!exact]) * runif(sum(!exact)))
  set.seed(7)
  expect_equal(residuals(fit, "quantile"), qnorm(u))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit))
})

test_that("simulate() repeats and leaves R's generator as it was", {
  fit <- stableFit(sample_of(50, 1.5, 0.4))
  set.seed(1)
  state <- .Random.seed
  first <- simulate(fit, 3, seed = 8)
  expect_identical(.Random.seed, state)
  expect_s3_class(first, "data.frame")
  expect_named(first, c("sim_1", "sim_2", "sim_3"))
  expect_identical(nrow(first), 50L)
  expect_equal(c(attr(first, "seed")), 8)
  expect_identical(attr(attr(first, "seed"), "kind"), as.list(RNGkind()))
  expect_identical(simulate(fit, 3, seed = 8), first)
  free <- simulate(fit)
  expect_false(identical(.Random.seed, state))
  expect_identical(attr(free, "seed"), state)
  assign(".Random.seed", attr(free, "seed"), envir = globalenv())
  expect_identical(simulate(fit), free)
  set.seed(8)
  expect_identical(as.vector(as.matrix(first)), do.call(rstable, c(list(150), law_of(fit))))
  weighted <- stableFit(fit$x, weights = rep(1:2, 25))
  expect_identical(dim(simulate(weighted, 2)), c(75L, 2L))
  halves <- stableFit(fit$x, weights = rep(0.5, 50))
  expect_error(simulate(halves), "weights\\[1\\] = 0.5", class = "statcl_error_input")
  expect_error(simulate(fit, 0), "nsim = 0", class = "statcl_error_input")
  expect_error(simulate(fit, 1e12), "nsim must be at most 2147483647", class = "statcl_error_input")
})

test_that("plots of all kinds of fits are drawn without warnings", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  x <- sample_of(100, 1.5, 0.3)
  fits <- list(stableFit(x), stableFit(x, fixed = list(beta = 0)), stableFit(x, weights = rep(c(1, 3), 50)),
               stableFit(x[1:10]), stableFit(qnorm(ppoints(50))), stableFit(sample_of(100, 0.5, 1, pm = 1), pm = 1),
               stableFit(sample_of(100, 1.3, -1)), stableFit(sample_of(60, 0.3, 0)), stableFit(1e5 + x, pm = 2),
               stableFit(1e-7 * x), stableFit(sample_of(6000, 1.7, 0)))
  for (fit in fits) for (log in list(NULL, TRUE, FALSE))
    expect_silent(plot(fit, log = log, main = "m"))
  graphics::par(mfrow = c(2, 2))
  expect_identical(withVisible(plot(fits[[1]], level = NA)), list(value = fits[[1]], visible = FALSE))
  expect_error(plot(fits[[1]], "none"))
  expect_silent(plot(fits[[1]], 1))
  expect_silent(plot(fits[[1]], which = 1:2))
  expect_error(plot(fits[[1]], 5), "which = 5", class = "statcl_error_input")
  expect_error(plot(fits[[1]], log = 2), "log = 2", class = "statcl_error_input")
  expect_error(plot(fits[[1]], level = 2), "level = 2", class = "statcl_error_input")
})

test_that("bands of ordered observations are those of their beta distributions", {
  sample <- order_sample(list(x = c(3, 1, 2)))
  expect_equal(sample$rank, c(1, 3, 5) / 6)
  band <- order_band(sample$rank, 3, 0.975)
  expect_equal(exp(band$lower), qbeta(0.975, 1:3, 3:1))
  expect_equal(exp(band$upper), 1 - exp(band$lower))
  weighted <- order_sample(list(x = c(3, 1, 2), weights = c(1, 3, 2)))
  expect_equal(order_band(weighted$rank, 6, 0.1)$lower[1], log(qbeta(0.1, 2, 5))) # the second of six
  fit <- stableFit(sample_of(50, 1.5, 0))
  p <- c(1e-12, 0.4, 0.7)
  expect_equal(distribution_quantile(fit, log(p), log1p(-p)), do.call(qstable, c(list(p), law_of(fit))),
               tolerance = 1e-12)
  for (n in c(10, 5000, 5001, 1e5)) {
    i <- shown_points(n)
    expect_false(is.unsorted(i, strictly = TRUE))
    expect_true(all(c(1, 2, n - 1, n) %in% i) && length(i) <= 5000)
  }
})

test_that("statistics of the test are those of their formulas", {
  x <- sample_of(25, 1.5, 0.3)
  law <- c(alpha = 1.4, beta = 0.1, gamma = 1.1, delta = 0.2)
  u <- do.call(pstable, c(list(sort(x)), as.list(law)))
  n <- 25
  i <- 1:n
  statistic <- function(name) distance_statistic(name, cbind(x, x + 1), rbind(law, law), 0)
  expect_equal(statistic("AD")[1], -n - mean((2 * i - 1) * (log(u) + log(1 - rev(u)))), tolerance = 1e-12)
  expect_equal(statistic("KS")[1], ks.test(x, function(q) do.call(pstable, c(list(q), as.list(law))))$statistic[[1]])
  expect_equal(statistic("CvM")[1], 1 / (12 * n) + sum((u - (i - 0.5) / n)^2), tolerance = 1e-12)
  expect_gt(statistic("AD")[2], statistic("AD")[1])
  # no tail is too small
  far <- distance_statistic("AD", cbind(c(-60, 0, 1e250)), rbind(c(1.5, 1, 1, 0)), 0)
  expect_true(is.finite(far))
  expect_gt(far, 3e3)
  expect_identical(distance_statistic("CvM", cbind(x, x), rbind(law, NA), 0)[2], NA_real_)
})

test_that("the test finds a planted misfit, and none in stable data", {
  stable <- stableFit(sample_of(100, 1.5, 0.5))
  set.seed(11)
  good <- stableTest(stable, nsim = 29)
  expect_s3_class(good, "htest")
  expect_gt(good$p.value, 0.1)
  expect_equal(good$p.value, (1 + sum(good$simulated >= good$statistic)) / 30)
  expect_equal(unname(good$statistic), distance_statistic("AD", matrix(stable$x), rbind(coef(stable)), 0))
  expect_identical(good$parameter, c(nsim = 29L))
  expect_identical(good$failed, 0L)
  expect_output(print(good), "Anderson-Darling.*A2 = .*nsim = 29")
  set.seed(4)
  one <- stableTest(stable, nsim = 2)
  set.seed(4)
  expect_identical(stableTest(stable, nsim = 2), one)

  set.seed(12)
  mixture <- stableFit(c(runif(75), runif(75, 3, 4)))
  for (statistic in c("AD", "KS", "CvM"))
    expect_lte(stableTest(mixture, nsim = 19, statistic = statistic)$p.value, 0.05)
})

test_that("refits keep what was fixed, weights replicate, and failures are reported", {
  x <- sample_of(40, 1.5, 0)
  fit <- stableFit(x, fixed = list(beta = 0, delta = 0))
  seen <- NULL
  real <- fit_batch
  one_fails <- function(series, ...) {
    seen <<- list(...)
    value <- real(series, ...)
    value$parameters$estimate[5:8] <- NA
    value
  }
  expect_warning(test <- with_function("fit_batch", one_fails, stableTest(fit, nsim = 4)),
                 "1 of 4 simulated samples could not be fitted")
  expect_identical(test$failed, 1L)
  expect_identical(test$parameter, c(nsim = 3L))
  expect_true(is.na(test$simulated[2]))
  expect_equal(test$p.value, (1 + sum(test$simulated[-2] >= test$statistic)) / 4)
  expect_identical(seen$fixed[3, ], c(alpha = NA, beta = 0, gamma = NA, delta = 0))
  expect_identical(seen$start[3, c("alpha", "gamma")], coef(fit)[c("alpha", "gamma")])
  weighted <- stableFit(x, weights = rep(1:2, 20))
  expect_equal(suppressWarnings(stableTest(weighted, nsim = 2))$statistic[[1]],
               distance_statistic("AD", matrix(rep(x, rep(1:2, 20))), rbind(coef(weighted)), 0))
  weighted$weights <- weighted$weights / 2
  expect_error(stableTest(weighted), "whole numbers", class = "statcl_error_input")
  fit$censored <- replace(x, 2, Inf)
  expect_error(stableTest(fit), "censored", class = "statcl_error_input")
  expect_error(stableTest(1:3), "stableFit", class = "statcl_error_input")
  expect_error(stableTest(weighted, nsim = NA), "nsim = NA", class = "statcl_error_input")
})

test_that("profiles and tests of fits to few observations count what is fixed", {
  fit <- stableFit(sample_of(4, 1.5, 0), fixed = list(alpha = 1.5, beta = 0))
  limits <- confint(fit, c("gamma", "delta"), method = "profile")
  expect_false(anyNA(limits))
  for (k in 1:2)
    expect_equal(suppressWarnings(optim_profile(fit, "delta", limits["delta", k])), # Nelder-Mead in one dimension
                 fit$loglik - fall_of(fit), tolerance = 1e-6)
  expect_identical(stableTest(fit, 19)$failed, 0L)
  none <- function(series, ...)
    list(coefficients = matrix(NA_real_, length(series), 4L, dimnames = list(NULL, names(coef(fit)))))
  expect_error(with_function("fit_batch", none, stableTest(fit, 19)), "no simulated sample",
               class = "statcl_error_input")
})

test_that("anova tests nested fits by their likelihoods", {
  x <- sample_of(150, 1.6, 0.5)
  fit <- stableFit(x)
  symmetric <- stableFit(x, fixed = list(beta = 0))
  cauchy <- stableFit(x, fixed = list(alpha = 1, beta = 0))
  table <- anova(cauchy, symmetric, fit)
  expect_s3_class(table, "anova")
  expect_identical(table[["#Df"]], c(2, 3, 4))
  statistic <- 2 * c(symmetric$loglik - cauchy$loglik, fit$loglik - symmetric$loglik)
  expect_equal(table$Chisq, c(NA, statistic))
  expect_equal(table[["Pr(>Chisq)"]], c(NA, pchisq(statistic, 1, lower.tail = FALSE)))
  expect_equal(anova(fit, cauchy)$Chisq[2], sum(statistic))
  expect_output(print(table), "Model 2: beta = 0")
  # the dimensions of models do not depend on where their estimates are
  set.seed(4)
  normal <- rnorm(200)
  free <- stableFit(normal)
  expect_identical(coef(free)[["alpha"]], 2)
  others <- lapply(list(list(alpha = 1.95), list(beta = 0), list(alpha = 2), list(alpha = 2, beta = 0)), function(f)
    stableFit(normal, fixed = f))
  table <- suppressWarnings(lapply(others, anova, free))
  expect_identical(lapply(table, `[[`, "#Df"), list(c(3, 4), c(3, 4), c(2, 4), c(2, 4)))
  expect_equal(table[[1L]]$Pr[2L], pchisq(2 * (free$loglik - others[[1L]]$loglik), 1, lower.tail = FALSE))
  expect_equal(table[[3L]]$Pr[2L], 1)
  expect_error(anova(fit), "two", class = "statcl_error_input")
  expect_error(anova(fit, 1), "numeric", class = "statcl_error_input")
  expect_error(anova(fit, stableFit(x + 1)), "same sample", class = "statcl_error_input")
  expect_error(anova(fit, stableFit(x, "ecf")), "maximum likelihood", class = "statcl_error_input")
})

test_that("what the search says is kept and printed, and where the distribution ends", {
  one_sided <- stableFit(sample_of(60, 0.6, 1), fixed = list(alpha = 0.6, beta = 1))
  expect_identical(one_sided$message, "")
  end <- do.call(qstable, unname(c(0, as.list(coef(one_sided)))))
  expect_lt(end, min(one_sided$x))
  expect_output(print(one_sided), sprintf("no mass below its end point %s.", format(end)), fixed = TRUE)
  one_sided$message <- "no standard errors: for once"
  expect_identical(utils::tail(boundary_text(one_sided), 1), "No standard errors: for once.")
  one_sided$notes <- "For once."
  expect_output(print(summary(one_sided)), "For once.")
})

test_that("plots of profiles leave the layout of the user alone, and make their own otherwise", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  curves <- profile(stableFit(sample_of(60, 1.5, 0), fixed = list(beta = 0, gamma = 1)), points = 2)
  graphics::par(mfrow = c(1, 3))
  plot(curves)
  expect_identical(graphics::par("mfg")[1:2], c(1L, 2L)) # the second place of three
  expect_identical(graphics::par("mfrow"), c(1L, 3L))
  graphics::par(mfrow = c(1, 1))
  plot(curves)
  expect_identical(graphics::par("mfrow"), c(1L, 1L))
})

test_that("the axis of a density has the name of the sample where that is short", {
  DAX <- sample_of(50, 1.5, 0)
  expect_identical(sample_name(stableFit(DAX)), "DAX")
  expect_identical(sample_name(stableFit(c(sample_of(50, 1.5, 0), sample_of(50, 1.5, 0)))), "x")
  expect_identical(sample_name(list()), "x")
})

test_that("a batch gives what single fits give, and NA where there is none", {
  x <- list(sample_of(40, 1.5, 0), rep(1, 30), sample_of(30, 0.8, 0.5))
  fixed <- rbind(c(alpha = NA, beta = 0, gamma = NA, delta = NA), NA, NA)
  batch <- fit_batch(x, fixed = fixed)
  expect_equal(coef(batch)[1, ], coef(stableFit(x[[1]], fixed = list(beta = 0))), tolerance = 1e-6)
  expect_equal(coef(batch)[3, ], coef(stableFit(x[[3]])), tolerance = 1e-6)
  expect_equal(batch$loglik[3], stableFit(x[[3]])$loglik)
  expect_true(all(is.na(coef(batch)[2, ])) && is.na(batch$loglik[2]))
})

test_that("tidy(), glance() and augment() give data frames", {
  skip_if_not_installed("generics")
  x <- sample_of(60, 1.5, 0.3)
  fit <- stableFit(x, fixed = list(beta = 0), weights = rep(1:2, 30))
  tidied <- generics::tidy(fit, conf.int = TRUE, conf.level = 0.8)
  expect_named(tidied, c("term", "component", "estimate", "std.error", "conf.low", "conf.high"))
  expect_identical(tidied$term, names(coef(fit)))
  expect_equal(tidied$std.error, unname(sqrt(diag(vcov(fit)))))
  expect_equal(tidied$conf.low, unname(confint(fit, level = 0.8)[, 1]))
  expect_identical(dim(generics::tidy(fit)), c(4L, 4L))
  expect_equal(generics::tidy(fit, conf.int = TRUE, conf.method = "profile")$conf.high[1],
               confint(fit, "alpha", method = "profile")[[2]])
  glanced <- generics::glance(fit)
  expect_identical(nrow(glanced), 1L)
  expect_equal(unlist(glanced[c("logLik", "AIC", "BIC", "df", "nobs")]),
               c(logLik = fit$loglik, AIC = AIC(fit), BIC = BIC(fit), df = 3, nobs = 90))
  augmented <- generics::augment(fit)
  expect_named(augmented, c("x", "weights", ".density", ".cdf", ".resid"))
  expect_equal(augmented$.resid, residuals(fit, "quantile"))
  expect_equal(sum(augmented$weights * log(augmented$.density)), fit$loglik)
})

test_that("scores are derivatives of the log density", {
  skip_if_not_installed("sandwich")
  for (law in list(c(1.5, 0.4), c(0.7, -0.3))) for (pm in 0:2) {
    fit <- stableFit(sample_of(200, law[1], law[2], 2, 1), pm = pm)
    scores <- sandwich::estfun(fit)
    h <- c(1e-4, 1e-4, 1e-4, 1e-4)
    for (k in 1:4) {
      at <- function(side) {
        moved <- law_of(fit)
        moved[[k]] <- moved[[k]] + side * h[k]
        do.call(dstable, c(list(fit$x), moved, log = TRUE))
      }
      slope <- (at(1) - at(-1)) / (2 * h[k])
      expect_equal(unname(scores[, k]), slope, tolerance = 1e-4, label = paste(c(law, pm, k), collapse = ", "))
    }
    # nearly 0 at the maximum, in units of the standard errors
    expect_lt(max(abs(colSums(scores)) * sqrt(diag(vcov(fit)))), 1e-2)
    expect_equal(sandwich::bread(fit), 200 * vcov(fit))
  }
  fit <- stableFit(fit$x, fixed = list(beta = 0), weights = rep(1:2, 100))
  scores <- sandwich::estfun(fit)
  expect_identical(colnames(scores), c("alpha", "gamma", "delta"))
  expect_lt(max(abs(colSums(scores)) * sqrt(diag(vcov(fit)))[colnames(scores)]), 1e-2)
  expect_identical(dimnames(sandwich::sandwich(fit)), dimnames(vcov(fit)[-2, -2]))
  expect_warning(sandwich::estfun(fit, levl = 1), "levl.* will be disregarded")
  expect_warning(sandwich::bread(fit, levl = 1), "levl.* will be disregarded")
  fit$vcov[] <- fit$unit.vcov[] <- NA
  expect_error(sandwich::estfun(fit), "x = stableFit: .*maximum likelihood", class = "statcl_error_input")
})

options(old_threads)

test_that("labels of axes stay clear of the titles, and are round over many decades", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  axis_las <- function(range, ...) {
    plot(0:1, range, yaxt = "n", ylab = "title", ...)
    left_axis()
  }
  expect_identical(axis_las(c(0, 1)), 1)
  expect_identical(axis_las(c(0, 1e257)), 0)
  expect_identical(axis_las(c(0, 5e-7)), 0)
  plot(0:1, c(0, 1e257), yaxt = "n", ylab = "title")
  expect_identical(left_axis(list(las = 1)), 1)
  expect_null(left_axis(list(yaxt = "n")))
  expect_null(left_axis(list(axes = FALSE)))
  ticks <- round_ticks(c(-6, 6), asinh, sinh) # 0, and 1, 2 or 5 times powers of ten on both sides
  expect_true(0 %in% ticks)
  expect_equal(ticks, -rev(ticks))
  expect_true(all(sub("e.*", "", format(abs(ticks[ticks != 0]), scientific = TRUE)) %in% c("1", "2", "5", "1.0")))
  expect_true(all(round_ticks(asinh(c(-3, 3)), function(v) asinh(v - 900), function(t) 900 + sinh(t)) > 890))
  ticks <- round_ticks(c(-20, 600), asinh, sinh)
  expect_true(all(grepl("^-?1e[+][0-9]+$", format(ticks[-1], trim = TRUE, digits = 15))))
  fit <- suppressWarnings(stableFit(c(sample_of(50, 1.5, 0.3), 1e257)))
  expect_silent(plot(fit, las = 0))
  expect_silent(plot(fit, log = FALSE, yaxt = "n"))
})

test_that("axes are those that the user asks for", {
  fit <- stableFit(sample_of(60, 1.5, 0.3))
  axes <- function(...) {
    calls <- drawn("C_axis", plot(fit, ...))
    Filter(function(call) !identical(call[[if (call[[2]] == 1) "xaxt" else "yaxt"]], "n"), calls)
  }
  for (view in c("density", "qq", "pp", "tail")) for (log in c(TRUE, FALSE)) {
    expect_length(axes(view, log = log), 2)
    expect_length(axes(view, log = log, axes = FALSE), 0)
    expect_length(axes(view, log = log, xaxt = "n"), 1)
    expect_length(axes(view, log = log, yaxt = "n"), 1)
    for (call in axes(view, log = log, cex.axis = 0.5, col.axis = "red", tck = 0.02, las = 2))
      expect_identical(call[c("cex.axis", "col.axis", "tck", "las")],
                       list(cex.axis = 0.5, col.axis = "red", tck = 0.02, las = 2))
  }
  expect_length(drawn("C_box", plot(fit, "qq")), 1 + 1) # one of plot.default(), one after the band
  expect_length(drawn("C_box", plot(fit, "qq", axes = FALSE)), 0)
  # the size of the labels counts where they must not reach the title
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(0:1, c(0, 1e-3), yaxt = "n", ylab = "title")
  small <- function(cex) left_axis(list(cex.axis = cex))
  expect_identical(c(small(0.3), small(1)), c(1, 0))
})

test_that("limits of quantiles are those of the profile where alpha or beta is on a boundary", {
  set.seed(3)
  x <- rnorm(80)
  fit <- stableFit(x)
  expect_identical(fit$parameters["alpha", "boundary"], "upper")
  limits <- quantile(fit, c(0.01, 0.5), interval = TRUE)
  # the largest likelihood of distributions with this quantile, on a grid of alpha and beta, with the best gamma
  fall_at <- function(q, p) {
    best <- -Inf
    for (alpha in 2 - seq(0, 0.6, length.out = 13)^2) for (beta in c(-1, 0, 1)) {
      z <- qstable(p, alpha, beta)
      likelihood <- function(g) sum(dstable(x, alpha, beta, g, q - g * z, log = TRUE))
      best <- max(best, optimize(likelihood, c(0.3, 1.5), maximum = TRUE)$objective)
    }
    2 * (fit$loglik - best)
  }
  depth <- 80 * log1p(qf(0.95, 1, 80 - fit$df) / (80 - fit$df))
  # given alpha and beta the likelihood is nearly normal in the others
  for (side in c("lower", "upper")) expect_equal(fall_at(limits[1, side], 0.01), depth, tolerance = 0.1)
  # the standard error takes alpha for known, with which the lower limit was -2.42
  expect_lt(limits[1, "lower"], -3)
  both <- stableFit(cbind(x, rev(x)))
  expect_equal(quantile(both, c(0.01, 0.5), interval = TRUE)[2, , ], limits, tolerance = 1e-6)
  short <- esstable(fit, 0.01, interval = TRUE)
  expect_lt(short[, "lower"], limits[1, "lower"])
  expect_equal(esstable(both, 0.01, interval = TRUE)[1, , ], short[1, ])
  # gamma of S1 is that of S0, and alpha = 1 no pole for it; ends of the grid are found in other coordinates
  narrow <- lapply(c(0, 1), function(pm) quantile(stableFit(x[1:12], pm = pm, fixed = list(gamma = 0.7)), 0.5, TRUE))
  expect_equal(narrow[[1]], narrow[[2]], tolerance = 0.005)
  # all of them known but alpha, and nearly nothing known
  known <- quantile(stableFit(x, fixed = list(beta = 0, gamma = 0.6, delta = 0)), 0.01, interval = TRUE)
  expect_lt(known[, "lower"], known[, "estimate"])
  expect_warning(few <- quantile(stableFit(c(-0.896914546624981, 0.184849185125443, 1.58784533120882,
                                             -1.13037567424629, -0.0802517565509893)), 0.01, interval = TRUE),
                 "no profile limits")
  expect_identical(unname(few[, c("lower", "upper")]), c(NA_real_, NA))
  # limits of one probability do not depend on others
  expect_identical(quantile(fit, c(0, 0.01), interval = TRUE)[2, ], limits[1, ])
  # beta on a boundary: 1 % quantiles are less certain than a half-line has them
  islands <- as.numeric(datasets::islands)
  half <- quantile(stableFit(islands, fixed = list(beta = 1)), 0.01, interval = TRUE)
  expect_lt(quantile(stableFit(islands), 0.01, interval = TRUE)[, "lower"], half[, "lower"])
  # of another parameterisation the same, and narrower where beta is known
  expect_equal(quantile(stableFit(x, pm = 1), 0.01, interval = TRUE)[1, ], limits[1, ], tolerance = 1e-6)
  known <- quantile(stableFit(x, fixed = list(beta = 0)), 0.01, interval = TRUE)
  expect_gt(known[, "lower"], limits[1, "lower"])
  fixed <- stableFit(x, fixed = list(alpha = 2, beta = 0))
  expect_gt(quantile(fixed, 0.01, interval = TRUE)[, "lower"], -2.5)
})

test_that("the summary of a fit has coefficients with standard errors", {
  fit <- stableFit(sample_of(80, 1.5, 0.3), fixed = list(beta = 0))
  expect_identical(coef(summary(fit)), cbind(Estimate = coef(fit), "Std. Error" = fit$parameters$std.error))
})

test_that("autoplot() of a fit draws the picture of plot(): censored observations as circles, and the whole band", {
  skip_if_not_installed("ggplot2")
  x <- sample_of(100, 1.5, 0.3)
  fit <- stableFit(pmin(x, 2), censored = ifelse(x > 2, Inf, NA))
  for (view in c("qq", "tail")) {
    layers <- ggplot2::ggplot_build(ggplot2::autoplot(fit, view))$data
    points <- Find(function(layer) "size" %in% names(layer), layers)
    expect_identical(sum(points$shape == 1), sum(x > 2), label = view)
  }
  built <- ggplot2::ggplot_build(ggplot2::autoplot(fit, "pp"))
  band <- Find(function(layer) "ymin" %in% names(layer), built$data)
  reach <- built$layout$panel_params[[1L]]$y.range
  expect_true(min(band$ymin) > reach[1L] && max(band$ymax) < reach[2L])
})

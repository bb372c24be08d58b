sample_of <- function(n, d, alpha, seed = 1) {
  set.seed(seed)
  A <- matrix(rnorm(d * d), d)
  S <- crossprod(A) / d + diag(0.3, d)
  list(x = rmstable(n, alpha, S, seq_len(d)), S = S, delta = seq_len(d), alpha = alpha)
}
returns <- 100 * diff(log(datasets::EuStockMarkets))

data_of <- function(x, weights = NULL) statcl:::elliptical_data(x, weights)

test_that("derivatives of the likelihood are those of differences", {
  s <- sample_of(60, 3, 1.4)
  x <- s$x
  x[cbind(c(1, 5, 9, 9), c(2, 1, 1, 3))] <- NA
  data <- data_of(x, rep(1:2, 30))
  S <- s$S * 1.2
  delta <- c(1.2, 2, 2.5)
  for (alpha in c(0.7, 1.5, 1.95)) {
    l <- statcl:::elliptical_loglik(data, alpha, delta, S)
    f <- function(a = 0, b = numeric(3), E = matrix(0, 3, 3))
      statcl:::elliptical_loglik(data, alpha + a, delta + b, S + E, FALSE)$value
    step <- 1e-5
    expect_equal(l$alpha, (f(step) - f(-step)) / (2 * step), tolerance = 1e-7)
    for (k in 1:3) {
      e <- step * (1:3 == k)
      expect_equal(l$delta[k], (f(b = e) - f(b = -e)) / (2 * step), tolerance = 1e-6)
      for (j in 1:k) {
        E <- matrix(0, 3, 3)
        E[k, j] <- E[j, k] <- step
        expect_equal(l$S[k, j] * if (j == k) 1 else 2, (f(E = E) - f(E = -E)) / (2 * step), tolerance = 1e-6)
      }
    }
  }
  # by the densities
  whole <- data_of(s$x)
  expect_equal(statcl:::elliptical_loglik(whole, 1.4, delta, S)$value,
               sum(dmstable(s$x / rep(whole$unit, each = 60), 1.4, S, delta, log = TRUE)), tolerance = 1e-13)
})

test_that("the information is the variance of the scores", {
  s <- sample_of(4000, 2, 1.6, 3)
  data <- data_of(s$x)
  info <- statcl:::elliptical_information(data, s$alpha, s$delta, s$S) / 4000
  scores <- t(apply(s$x, 1, function(row) {
    one <- list(groups = list(list(rows = 1L, at = 1:2, tx = cbind(row), weight = 1)))
    l <- statcl:::elliptical_loglik(one, s$alpha, s$delta, s$S)
    c(l$alpha, l$delta, l$S[1, 1], 2 * l$S[2, 1], l$S[2, 2])
  }))
  scale <- sqrt(diag(info))
  expect_lte(max(abs(crossprod(scores) / 4000 - info) / outer(scale, scale)), 0.12)
  expect_lte(max(abs(colMeans(scores)) / scale), 4 / sqrt(4000))
  # the normal distribution: of delta S^-1/2, and no alpha
  e <- statcl:::elliptical_moments(2, 5)
  expect_equal(unname(e[c("delta", "shape")]), c(0.5, 1), tolerance = 1e-10)
  # in one dimension it is that of the univariate fits: gamma^2 = S
  one <- statcl:::elliptical_information(list(groups = list(list(at = 1L, weight = 1))), 1.5, 0, matrix(1))
  u <- seq(-25, 25, 0.01)
  z <- sinh(u)
  d <- statcl:::stable_slopes(z, 1.5, 0)
  f <- dstable(z, 1.5, 0) * cosh(u) * 0.01
  expect_equal(one[1, 1], sum(f * d[, "alpha"]^2), tolerance = 1e-7)
  expect_equal(one[2, 2], sum(f * d[, "z"]^2), tolerance = 1e-8)
  expect_equal(one[3, 3], sum(f * ((1 + z * d[, "z"]) / 2)^2), tolerance = 1e-8)
})

test_that("fits find the maximum", {
  fit <- mstableFit(returns)
  expect_s3_class(fit, "statclFit")
  expect_true(fit$converged)
  expect_equal(fit$alpha, 1.7742, tolerance = 1e-4)
  expect_equal(fit$loglik, sum(dmstable(returns, fit$alpha, fit$S, fit$delta, log = TRUE)), tolerance = 1e-12)
  # the gradient is 0 beside standard errors
  data <- data_of(returns)
  unit <- data$unit
  l <- statcl:::elliptical_loglik(data, fit$alpha, unname(fit$delta) / unit, unname(fit$S) / outer(unit, unit))
  low <- lower.tri(fit$S, TRUE)
  slope <- c(l$alpha, l$delta / unit, (l$S / outer(unit, unit) * ifelse(diag(4) == 1, 1, 2))[low])
  expect_lte(sqrt(sum(slope * (fit$vcov %*% slope))), 1e-4)
  # not below what other starts find
  set.seed(1)
  for (k in 1:3) {
    other <- mstableFit(returns, start = list(alpha = runif(1, 0.8, 1.95), delta = rnorm(4) / 2,
                                              S = crossprod(matrix(rnorm(16), 4)) + diag(4) * 0.2))
    expect_lte(abs(other$loglik - fit$loglik), 1e-6)
  }
  # rows in another order, and units
  moved <- mstableFit(returns[nrow(returns):1, ] * 1000)
  expect_equal(moved$alpha, fit$alpha, tolerance = 1e-6)
  expect_equal(unname(moved$S), unname(fit$S) * 1e6, tolerance = 1e-5)
  # a row twice is a row of weight 2
  w <- rep(1:2, length.out = nrow(returns))
  a <- mstableFit(returns, weights = w)
  b <- mstableFit(returns[rep(seq_len(nrow(returns)), w), ])
  expect_equal(a$loglik, b$loglik, tolerance = 1e-9)
  expect_equal(a$parameters$std.error, b$parameters$std.error, tolerance = 1e-5)
  expect_equal(nobs(a), nobs(b))
})

test_that("one column is the symmetric fit", {
  x <- returns[, "DAX"]
  one <- mstableFit(cbind(x))
  other <- stableFit(x, fixed = list(beta = 0))
  expect_equal(one$alpha, coef(other)[["alpha"]], tolerance = 1e-5)
  expect_equal(c(sqrt(one$S)), coef(other)[["gamma"]], tolerance = 1e-5)
  expect_equal(one$loglik, other$loglik, tolerance = 1e-9)
  expect_equal(one$parameters$std.error[1:2], other$parameters$std.error[c(1, 4)], tolerance = 0.1)
})

test_that("structures and fixed parameters", {
  full <- mstableFit(returns)
  factor <- mstableFit(returns, "factor", factors = 1)
  diagonal <- mstableFit(returns, "diagonal")
  expect_equal(unname(factor$S), unname(tcrossprod(factor$loadings) + diag(factor$uniqueness)), tolerance = 1e-10)
  expect_identical(c(full$df, factor$df, diagonal$df), c(15L, 13L, 9L))
  expect_gt(full$loglik, factor$loglik)
  expect_gt(factor$loglik, diagonal$loglik)
  expect_true(all(diagonal$S[lower.tri(diagonal$S)] == 0))
  table <- anova(diagonal, factor, full)
  expect_s3_class(table, "anova")
  expect_lt(table[["Pr(>Chisq)"]][3], 0.05)
  # gradients of the structures
  frame <- t(chol(unname(full$S)))
  G <- matrix(c(1, 0.3, -0.2, 0.1, 0.3, 2, 0.5, 0, -0.2, 0.5, -1, 0.7, 0.1, 0, 0.7, 0.2), 4)
  for (kind in c("full", "diagonal", "factor")) {
    s <- statcl:::elliptical_structure(kind, frame, if (kind == "factor") 2L)
    t <- s$from(unname(full$S)) + 0.05
    e <- function(k) 1e-6 * (seq_along(t) == k)
    numeric <- vapply(seq_along(t), function(k) sum(G * (s$S(t + e(k)) - s$S(t - e(k)))) / 2e-6, 0)
    expect_equal(s$gradient(t, G), numeric, tolerance = 1e-6)
    if (is.null(s$jacobian)) next
    low <- lower.tri(G, TRUE)
    J <- vapply(seq_along(t), function(k) ((s$S(t + e(k)) - s$S(t - e(k))) / 2e-6)[low], numeric(10))
    expect_equal(s$jacobian(t), J, tolerance = 1e-6)
  }
  # a full matrix in the coordinates of factors has the same standard errors
  three <- sample_of(400, 3, 1.5)$x
  expect_equal(mstableFit(three, "factor", factors = 1)$loglik, mstableFit(three)$loglik, tolerance = 1e-6)
  cauchy <- mstableFit(returns, fixed = list(alpha = 1, delta = 0))
  expect_identical(cauchy$alpha, 1)
  expect_identical(unname(cauchy$delta), numeric(4))
  expect_identical(cauchy$df, 10L)
  expect_true(all(is.na(cauchy$parameters$std.error[1:5])))
  expect_lt(cauchy$loglik, full$loglik)
  # where it leaves one parameter, profiles of that are above all others
  expect_lt(mstableFit(returns, fixed = list(alpha = 1.6))$loglik, full$loglik)
})

test_that("the normal distribution is the end of alpha", {
  set.seed(4)
  z <- matrix(rnorm(1500), 500, 3)
  fit <- mstableFit(z)
  expect_identical(fit$alpha, 2)
  expect_identical(fit$parameters$boundary[1], "upper")
  expect_true(is.na(fit$parameters$std.error[1]))
  expect_equal(unname(2 * fit$S), stats::cov(z) * 499 / 500, tolerance = 1e-6)
  expect_equal(unname(fit$delta), colMeans(z), tolerance = 1e-6)
  expect_match(fit$notes, "alpha is on its boundary 2", all = FALSE)
  almost <- mstableFit(sample_of(2000, 2, 1.99, 2)$x)
  expect_lt(abs(almost$alpha - 1.99), 0.03)
})

test_that("missing values take part by margins", {
  s <- sample_of(800, 4, 1.5, 5)
  x <- s$x
  set.seed(6)
  x[sample(length(x), 320)] <- NA
  fit <- mstableFit(x)
  whole <- mstableFit(s$x)
  z <- (fit$parameters$estimate - c(s$alpha, s$delta, s$S[lower.tri(s$S, TRUE)])) / fit$parameters$std.error
  expect_lt(max(abs(z)), 4)
  expect_true(all(fit$parameters$std.error > whole$parameters$std.error * 0.98))
  expect_match(fit$notes, "320 of 3,200 values are missing", all = FALSE)
  # a row without values is none
  more <- mstableFit(rbind(x, NA))
  expect_equal(more$loglik, fit$loglik)
  expect_identical(length(residuals(more)), 801L)
  expect_identical(is.na(residuals(more, "quantile")), c(rep(FALSE, 800), TRUE))
})

test_that("estimates and their errors, for some samples", {
  skip_if_quick()
  z <- vapply(1:60, function(seed) {
    s <- sample_of(400, 3, 1.6, 1)
    set.seed(seed)
    fit <- mstableFit(rmstable(400, 1.6, s$S, s$delta))
    (fit$parameters$estimate - c(1.6, s$delta, s$S[lower.tri(s$S, TRUE)])) / fit$parameters$std.error
  }, numeric(10))
  expect_lt(max(abs(rowMeans(z))), 4 / sqrt(60) + 0.1)
  expect_gt(mean(abs(z) < 1.96), 0.92)
  expect_lt(mean(abs(z) < 1.96), 0.98)
})

test_that("methods", {
  fit <- mstableFit(returns)
  expect_output(print(fit), "Elliptical stable distribution of 4 variables, S full")
  expect_output(print(summary(fit)), "S\\[SMI,DAX\\]")
  expect_identical(length(coef(fit)), 15L)
  limits <- confint(fit, c("alpha", "S[DAX,DAX]"))
  expect_true(all(limits[, 1] < coef(fit)[rownames(limits)] & limits[, 2] > coef(fit)[rownames(limits)]))
  expect_identical(nobs(fit), nrow(returns) + 0)
  expect_equal(c(AIC(fit)), 30 - 2 * fit$loglik)
  r <- residuals(fit)
  expect_equal(unname(r), sqrt(unname(stats::mahalanobis(returns, fit$delta, fit$S))))
  expect_equal(unname(residuals(fit, "pit")), pmstableRadius(unname(r), fit$alpha, 4))
  expect_lt(abs(mean(residuals(fit, "quantile"))), 0.1)
  sims <- simulate(fit, 2, seed = 1)
  expect_identical(dim(sims$sim_2), dim(returns))
  expect_identical(simulate(fit, 2, seed = 1), sims)
  skip_if_not_installed("generics")
  expect_identical(nrow(generics::tidy(fit)), 15L)
  expect_identical(generics::glance(fit)$alpha, fit$alpha)
  more <- generics::augment(fit)
  expect_equal(more$.radius, unname(r))
  expect_true(all(more$.weight > 0 & more$.weight <= 1))
  expect_identical(order(more$.weight), order(-r))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit))
})

test_that("portfolios", {
  fit <- mstableFit(returns)
  w <- rbind(equal = rep(0.25, 4), short = c(1, -1, 0, 0))
  q <- quantile(fit, c(0.01, 0.5), portfolio = w)
  scale <- sqrt(diag(w %*% fit$S %*% t(w)))
  expect_equal(q[, 1], drop(w %*% fit$delta) + scale * qstable(0.01, fit$alpha, 0))
  expect_equal(unname(q[, 2]), unname(drop(w %*% fit$delta)))
  expect_equal(unname(esstable(fit, 0.05, w["equal", ])),
               esstable(0.05, fit$alpha, 0, scale[[1]], sum(w[1, ] * fit$delta)))
  table <- quantile(fit, c(0.01, 0.99), portfolio = w, interval = TRUE)
  expect_identical(table$portfolio, rep(c("equal", "short"), each = 2))
  # the delta method beside the spread over simulated samples' own estimates: by the derivative of one parameter
  one <- fit
  one$S <- fit$S * (1 + 1e-5)
  move <- (quantile(one, 0.01, portfolio = w[1, ]) - quantile(fit, 0.01, portfolio = w[1, ])) / 1e-5
  low <- which(lower.tri(fit$S, TRUE), arr.ind = TRUE)
  by_S <- w[1, low[, 1]] * w[1, low[, 2]] * ifelse(low[, 1] == low[, 2], 1, 2) / (2 * scale[1]) *
    qstable(0.01, fit$alpha, 0)
  expect_equal(unname(move), sum(by_S * fit$S[low]), tolerance = 1e-4)
  expect_true(all(table$std.error > 0))
  named <- c(FTSE = 0.1, DAX = 0.2, CAC = 0.3, SMI = 0.4)
  expect_equal(quantile(fit, 0.1, portfolio = named),
               quantile(fit, 0.1, portfolio = unname(named[colnames(returns)])))
  expect_error(quantile(fit, 0.1, portfolio = 1:3), "portfolio has 3 elements: it must have 4|portfolio has 3")
  expect_error(quantile(fit, 0.1), "portfolio is missing")
  expect_error(esstable(fit, 0.1, c(0, 0, 0, 0)), "all 0")
})

test_that("conditional distributions", {
  fit <- mstableFit(returns)
  new <- data.frame(DAX = c(-3, NA, 0), SMI = c(NA, 1, 0), CAC = c(1, NA, 0), FTSE = c(NA, NA, NA))
  told <- predict(fit, new, probs = c(0.025, 0.5, 0.9))
  expect_identical(told$row, c(1L, 1L, 2L, 2L, 2L, 3L))
  S <- fit$S
  at <- c("DAX", "CAC")
  expect_equal(told$location[1],
               fit$delta[["SMI"]] + drop(S["SMI", at] %*% solve(S[at, at], c(-3, 1) - fit$delta[at])))
  expect_equal(told[["50%"]], told$location)
  # the quantile by the integral of the density
  density <- function(y) {
    x <- cbind(rep(-3, length(y)), y, 1)
    dmstable(x, fit$alpha, S[c(1, 2, 3), c(1, 2, 3)], fit$delta[c(1, 2, 3)]) /
      dmstable(c(-3, 1), fit$alpha, S[at, at], fit$delta[at])
  }
  upper <- stats::integrate(density, told[["90%"]][1], told[["90%"]][1] + 20, rel.tol = 1e-9)$value +
    stats::integrate(density, told[["90%"]][1] + 20, Inf, rel.tol = 1e-6)$value
  expect_equal(upper, 0.1, tolerance = 1e-6)
  whole <- predict(fit, new, type = "distribution")[[2]]
  expect_identical(names(whole$location), c("DAX", "CAC", "FTSE"))
  x <- rbind(c(-1, 0.3, 0.2), c(4, 1, -2))
  joint <- dmstable(cbind(x[, 1], 1, x[, 2:3]), fit$alpha, S, fit$delta)
  expect_equal(whole$density(x), unname(joint / dmstable(1, fit$alpha, S[2, 2], fit$delta[[2]])), tolerance = 1e-12)
  expect_equal(sqrt(diag(whole$scale)), stats::setNames(told$scale[3:5], told$variable[3:5]))
  # given Cauchy variables: a t distribution
  p <- c(1e-6, 0.001, 0.1, 0.3, 0.49, 0.8)
  for (d in c(1, 20)) for (r in c(0, 0.5, 1e4)) expect_equal(
    statcl:::conditional_quantiles(p, 1, d, r), sqrt((1 + r^2) / (d + 1)) * qt(p, d + 1), tolerance = 1e-7)
  few <- predict(fit, data.frame(DAX = 1), probs = 0.5)
  expect_identical(few$variable, c("SMI", "CAC", "FTSE"))
  alone <- predict(fit, data.frame(DAX = NA_real_), probs = 0.05)
  expect_equal(alone[["5%"]], unname(quantile(fit, 0.05, portfolio = c(1, 0, 0, 0))))
  expect_error(predict(fit, data.frame(DAX = Inf, CAC = NA)), "newdata = Inf: newdata must be finite",
               class = "statcl_error_input")
  expect_error(predict(fit, data.frame(Dow = 1)), "newdata = Dow: newdata must have columns of the fit")
})

test_that("what cannot be fitted says why", {
  x <- returns[1:200, ]
  expect_error(mstableFit(cbind(x, one = 1)), "column one of x is constant", class = "statcl_error_input")
  expect_error(mstableFit(cbind(x, two = x[, 1] + x[, 2])), "of x is a combination of the others")
  expect_error(mstableFit(cbind(1:2)), "x has 2 rows with values: 3 parameters of 1 variable need more")
  expect_error(mstableFit(x[1:4, ]), "x has 4 rows with values: 15 parameters of 4 variables need more")
  expect_error(mstableFit(x[rep(1:3, 60), ]), "60 of 180 rows of x are equal|combination")
  expect_error(mstableFit(x, "factor", factors = 4), "factors = 4: 4 variables have at most 1")
  expect_error(mstableFit(x, fixed = list(beta = 0)), "fixed = beta: fixed must have the names alpha or delta")
  expect_error(mstableFit(x, fixed = list(alpha = 3)), "alpha = 3: alpha must be from 0.1 to 2")
  expect_error(mstableFit(x, weights = 1:3), "weights has 3 elements, x has 200 rows")
  expect_error(mstableFit(x, start = list(S = diag(3))), "must have 4 rows")
  expect_error(mstableFit("a"), "x = a: x must be numeric")
  expect_error(mstableFit(data.frame(a = 1:3, b = letters[1:3])), "column b of x is of class character")
  x[5, 2] <- Inf
  expect_error(mstableFit(x), "x[5, 2] = Inf: x must be finite, or NA", fixed = TRUE)
  expect_error(mstableFit(returns, method = "ml"), "method")
  # columns that cbind() leaves without a name have their number
  x <- returns[1:200, ]
  expect_error(mstableFit(cbind(x, x[, 1])), "column 5 of x is a combination of the others")
  expect_error(mstableFit(cbind(x, NA)), "column 5 of x has no values, leave it out")
  set.seed(1)
  mixed <- mstableFit(cbind(x[, 1:2], rnorm(200)))
  expect_identical(names(mixed$delta), c("DAX", "SMI", "3"))
  expect_identical(names(coef(mixed))[10], "S[3,3]")
  expect_identical(predict(mixed, c(DAX = 1, SMI = 0))$variable, "3")
  expect_error(mstableFit(x[, 1], "factor"), "1 variable has at most 0")
})

test_that("standard errors that there are not have a cause", {
  # variables that are never seen together
  x <- cbind(a = c(returns[1:300, 1], rep(NA, 300)), b = c(rep(NA, 300), returns[301:600, 2]))
  expect_match(mstableFit(x)$notes, "no row has values of both a and b, and their element of S is not determined[.]",
               all = FALSE)
  expect_match(mstableFit(cbind(x, c = returns[1:600, 3]))$notes, "of both a and b, and", all = FALSE)
  # two exact factors and four variables with noise: two uniquenesses tend to 0
  set.seed(2)
  y <- unname(returns[, 1:2])
  y <- cbind(y, y %*% matrix(rnorm(8), 2) + 0.3 * rmstable(nrow(y), 1.77, diag(4)))
  colnames(y) <- letters[1:6]
  fit <- mstableFit(y, "factor", factors = 2)
  expect_lt(min(fit$uniqueness / diag(fit$S)), 1e-10)
  expect_match(fit$notes, "The uniqueness of [ab].* is 0, on its boundary", all = FALSE)
})

test_that("units, ties and single fits in anova", {
  s <- sample_of(300, 3, 1.5, 8)
  fit <- mstableFit(s$x)
  for (unit in c(1e-160, 1e100)) {
    if (unit < 1e-155) expect_error(mstableFit(s$x * unit), "squares are no numbers") else {
      other <- mstableFit(s$x * unit)
      expect_equal(other$alpha, fit$alpha, tolerance = 1e-8)
      expect_equal(other$loglik, fit$loglik - 900 * log(unit), tolerance = 1e-10)
      expect_equal(other$parameters$std.error[1], fit$parameters$std.error[1], tolerance = 1e-6)
      expect_equal(unname(diag(other$S)) / unit^2, unname(diag(fit$S)), tolerance = 1e-6)
    }
  }
  mixed <- c(1e-9, 1, 1e9)
  other <- mstableFit(s$x %*% diag(mixed), "factor", factors = 1)
  expect_equal(unname(other$S), unname(tcrossprod(other$loadings) + diag(other$uniqueness)), tolerance = 1e-10)
  expect_equal(other$loglik, mstableFit(s$x, "factor", factors = 1)$loglik, tolerance = 1e-8)
  moved <- mstableFit(s$x * 1000, fixed = list(delta = c(1000, 2000, 3000)), start = list(S = s$S * 1e6))
  expect_identical(unname(moved$delta), c(1000, 2000, 3000))
  expect_error(mstableFit(rbind(s$x, s$x[rep(1, 150), ])), "unbounded for alpha below 1.52, and has no maximum above")
  expect_error(mstableFit(NULL), "x = NULL")
  # a column that is another one but for noise far below its extremes is none of the others
  heavy <- rmstable(300, 0.4, 1)
  expect_true(mstableFit(cbind(heavy, heavy + rnorm(300)))$converged)
  table <- anova(fit)
  expect_identical(rownames(table), c("independent margins", "S diagonal", "S full"))
  expect_equal(table$LogLik[3], fit$loglik)
  expect_equal(table[["#Df"]], c(9, 7, 10))
  expect_output(print(table), "independent margins")
})

test_that("a search from a start next to where the matrix is singular finds the maximum", {
  start <- list(alpha = 1.23, delta = c(0.16, -0.21, -0.16, -0.73), S = matrix(c(
    3.04525196, 0.02586508, 0.383928285, -0.03198222, 0.02586508, 0.03920349, 0.012025512, 0.011622468, 0.383928285,
    0.012025512, 0.169299103, -0.002791936, -0.03198222, 0.011622468, -0.002791936, 0.005389955), 4))
  fit <- mstableFit(returns, "factor", start = start)
  expect_true(fit$converged)
  expect_equal(fit$loglik, mstableFit(returns, "factor")$loglik, tolerance = 1e-9)
})

test_that("profile limits of alpha are where the largest likelihood has fallen, or the boundary", {
  skip_if_quick()
  for (structure in c("full", "factor")) {
    fit <- mstableFit(returns, structure)
    limits <- confint(fit, "alpha", method = "profile")
    for (v in limits) {
      known <- mstableFit(returns, structure, fixed = list(alpha = v))
      expect_equal(2 * (fit$loglik - known$loglik), qchisq(0.95, 1), tolerance = 1e-5, label = structure)
    }
    expect_equal(limits, confint(fit, "alpha", method = "transformed"), tolerance = 0.01)
  }
  curve <- profile(fit, points = 3)
  expect_identical(names(curve), "alpha")
  expect_identical(nrow(curve$alpha), 7L)
  # in other units, with values that are missing, and a known location
  gaps <- returns * 1e-3
  gaps[cbind(1:50, rep(1:4, length.out = 50))] <- NA
  part <- mstableFit(gaps, fixed = list(delta = rep(0, 4)))
  limits <- confint(part, "alpha", method = "profile")
  for (v in limits)
    expect_equal(2 * (part$loglik - mstableFit(gaps, fixed = list(alpha = v, delta = rep(0, 4)))$loglik),
                 qchisq(0.95, 1), tolerance = 1e-5)
  # normal data
  set.seed(3)
  normal <- mstableFit(matrix(rnorm(400), 200))
  limits <- confint(normal, "alpha")
  expect_identical(limits[2], 2)
  expect_gt(limits[1], 1.7)
  expect_error(confint(fit, c("alpha", "delta[DAX]"), method = "profile"), "none of delta\\[DAX\\]",
               class = "statcl_error_input")
})

test_that("plots show the radius with a band, and ggplot2's the same", {
  path <- tempfile(fileext = ".pdf")
  grDevices::pdf(path)
  on.exit({
    grDevices::dev.off()
    unlink(path)
  })
  fit <- mstableFit(returns[1:300, 1:2])
  shown <- statcl:::radius_picture(fit, 0.95)
  points <- Find(function(layer) layer$kind == "points", shown$layers)$data
  expect_equal(points$y, unname(sort(residuals(fit))))
  expect_equal(points$x, qmstableRadius((1:300 - 0.5) / 300, fit$alpha, 2), tolerance = 1e-12)
  expect_identical(plot(fit), fit)
  expect_identical(plot(fit, 2, level = NA, main = "Radius"), fit)
  expect_error(plot(fit, level = 2), class = "statcl_error_input")
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(fit), "ggplot")
})

test_that("rounded data, heavy rows and uniquenesses of 0 do not lead astray", {
  set.seed(1)
  x <- rmstable(400, 1.6, matrix(c(2, 0.8, 0.8, 1), 2), c(1, 2))
  # a tenth of the rows is equal, and those at the centre have the radius 0
  fit <- mstableFit(round(x))
  expect_lte(abs(fit$alpha - mstableFit(x)$alpha), 0.05)
  # a row that counts as many is as many equal rows
  heavy <- c(300, rep(1, 399))
  expect_error(mstableFit(x, weights = heavy), "equal: the likelihood is unbounded for alpha below 1.5")
  expect_error(mstableFit(rbind(x, x[rep(1, 299), ])), "equal: the likelihood is unbounded for alpha below 1.5")
  expect_error(mstableFit(x, weights = c(1e300, rep(1, 399))), "of x are equal")
  for (seed in c(7, 10)) {
    set.seed(seed)
    x <- rmstable(400, 1.6, matrix(c(2, 0.8, 0.8, 1), 2), c(1, 2))
    fit <- mstableFit(cbind(x, x[, 1] + rnorm(400)), "factor")
    expect_true(fit$converged)
    # 3 and 5 more than where searches once stopped
    expect_gte(fit$loglik, c(-2280.07, -2214.35)[match(seed, c(7, 10))])
    expect_match(fit$notes, "The uniqueness of 1 is 0, on its boundary", all = FALSE)
    expect_false(anyNA(fit$parameters$std.error))
  }
})

test_that("weights of portfolios and given values of any size", {
  fit <- mstableFit(sample_of(300, 2, 1.6, 9)$x)
  unit <- quantile(fit, 0.01, portfolio = c(1, 2), interval = TRUE)
  for (size in c(1e200, 1e-200)) {
    large <- quantile(fit, 0.01, portfolio = c(1, 2) * size, interval = TRUE)
    expect_equal(large[3:6] / size, unit[3:6], tolerance = 1e-12)
    expect_equal(esstable(fit, 0.01, portfolio = c(1, 2) * size) / size, esstable(fit, 0.01, portfolio = c(1, 2)),
                 tolerance = 1e-12)
  }
  ends <- quantile(fit, c(0, 1), portfolio = c(1, 2), interval = TRUE)
  expect_identical(ends$estimate, c(-Inf, Inf))
  expect_true(all(is.na(ends$std.error)))
  # far out all is in units of what is given
  near <- predict(fit, c(1e90, NA), probs = c(0.1, 0.5, 0.9))
  far <- predict(fit, c(1e200, NA), probs = c(0.1, 0.5, 0.9))
  expect_equal(unlist(far[c(3, 5:7)]) / 1e110, unlist(near[c(3, 5:7)]), tolerance = 1e-9)
  f <- predict(fit, c(1e200, NA), type = "distribution")[[1]]$density
  expect_equal(f(c(0, 2e200)) * 1e110, predict(fit, c(1e90, NA), type = "distribution")[[1]]$density(c(0, 2e90)),
               tolerance = 1e-9)
})

test_that("the bias of order 1/n is that of simulated samples", {
  bias <- function(alpha, d, delta = TRUE) statcl:::elliptical_bias(alpha, d, delta)
  # one dimension: E[score_s Q] by derivatives of dstable() by differences
  alpha <- 1.5
  x <- sinh(seq(-12, 12, 0.02))
  w <- sqrt(1 + x^2)
  f <- function(a, s, m) dstable(x, a, 0, exp(s), m)
  e <- c(1e-3, 1e-3, 1e-3)
  at <- function(step) f(alpha + step[1], step[2], step[3])
  unit <- diag(e)
  first <- lapply(1:3, function(j) (at(unit[j, ]) - at(-unit[j, ])) / (2 * e[j]))
  second <- function(j, k) (at(unit[j, ] + unit[k, ]) - at(unit[j, ] - unit[k, ]) - at(unit[k, ] - unit[j, ]) +
                              at(-unit[j, ] - unit[k, ])) / (4 * e[j] * e[k])
  total <- function(v) sum(v * w) * 0.02
  base <- at(c(0, 0, 0))
  info <- outer(1:3, 1:3, Vectorize(function(j, k) total(first[[j]] * first[[k]] / base)))
  inverse <- solve(info)
  Q <- 0
  for (j in 1:3) for (k in 1:3) Q <- Q + inverse[j, k] * second(j, k) / base
  by_hand <- -0.5 * sum(inverse[1, ] * vapply(first, function(g) total(g * Q), 0))
  expect_equal(bias(alpha, 1), by_hand, tolerance = 1e-3)
  fit <- mstableFit(sample_of(300, 2, 1.5, 4)$x)
  s <- summary(fit)
  expect_equal(s$bias, bias(fit$alpha, 2) / 300)
  expect_output(print(s), sprintf("alpha less its bias of order 1/n: %s", format(fit$alpha - s$bias, digits = 4)),
                fixed = TRUE)
  expect_identical(summary(mstableFit(matrix(rnorm(400), 200)))$bias, NA_real_)
  skip_unless_all()
  n <- 50
  estimate <- vapply(1:1000, function(seed) {
    set.seed(seed)
    suppressWarnings(mstableFit(rmstable(n, 1.3, diag(2))))$alpha
  }, 0)
  expect_lte(abs(mean(estimate) - 1.3 - bias(1.3, 2) / n), 4 * sd(estimate) / sqrt(1000))
})

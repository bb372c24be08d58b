# Densities of 12 laws in the plane with 3 to 6 atoms, alpha 0.8, 1.3 and 1.7, by a rotated ray and a double
# exponential rule over angles in extended precision, checked by a second rule and by brute force.
ref <- read_ref("mstable2")
laws <- read_ref("mstable2_laws")
law_of <- function(k) {
  a <- laws[laws$law == k, ]
  list(s = unname(as.matrix(a[c("s1", "s2")])), mass = a$mass)
}
general <- function(x, alpha, spectral, delta = c(0, 0)) {
  law <- statcl:::spectral_law(spectral, alpha)
  statcl:::spectral_density(x, law, delta)
}
three <- list(s = rbind(c(1, 0), c(0, 1), c(-0.6, -0.8)), mass = c(1, 0.6, 0.8))

test_that("densities agree with high precision", {
  rows <- if (tested == "quick") ref[seq(1, nrow(ref), 3), ] else ref
  for (k in unique(rows$law)) {
    some <- rows[rows$law == k, ]
    f <- dmstable(as.matrix(some[c("x1", "x2")]), some$alpha[1], spectral = law_of(k))
    expect_lte(max(relative_error(unname(f), some$density)), 1e-10)
  }
})

test_that("densities of independent variables are products, also by the general rule", {
  x <- rbind(c(0, 0), c(0.3, -0.2), c(-1, 2), c(3, 3), c(-5, 0.5))
  one <- list(s = rbind(c(1, 0), c(-1, 0), c(0, 1)), mass = c(0.5, 0.2, 0.6))
  for (alpha in c(0.5, 0.8, 0.97, 1, 1 + 2^-7, 1.05, 1.3, 1.6, 1.9, 1.99)) {
    # about the location of the parameterisation 0: for alpha near 1 that of 1 is far away
    gamma <- c(0.7, 0.6)^(1 / alpha)
    move <- if (alpha == 1) c(0, 0) else tan(pi * alpha / 2) * c(0.3, 0.6) * gamma^(1 - alpha)
    by_hand <- if (alpha == 1) c(2 / pi * 0.3 * log(0.7), 2 / pi * 0.6 * log(0.6)) else c(0, 0)
    y <- x + rep(move, each = 5)
    z <- (y - rep(by_hand, each = 5)) / rep(gamma, each = 5)
    log_f <- dstable(z[, 1], alpha, 0.3 / 0.7, pm = 1, log = TRUE) + dstable(z[, 2], alpha, 1, pm = 1, log = TRUE) -
      sum(log(gamma))
    expect_equal(dmstable(y, alpha, spectral = one, log = TRUE), log_f, tolerance = 1e-12)
    f <- general(y, alpha, one)
    exact <- exp(log_f)
    expect_lte(max(relative_error(f[, 1], exact)), 2e-13)
    expect_true(all(abs(f[, 1] - exact) <= f[, 2]))
    expect_lte(max(f[, 2] / exact), 1e-11)
  }
})

test_that("alpha = 2 is normal and alpha near 2 is close to it", {
  x <- rbind(c(0, 0), c(1, -2), c(0.3, 0.4))
  S <- crossprod(three$s * sqrt(three$mass))
  expect_equal(dmstable(x, 2, spectral = three), dmstable(x, 2, S), tolerance = 1e-14)
  expect_equal(general(x, 2 - 1e-9, three)[, 1], dmstable(x, 2, S), tolerance = 1e-8)
})

test_that("what leaves the law unchanged leaves the density unchanged", {
  x <- rbind(c(0.4, -1.2), c(3, 2))
  for (alpha in c(0.7, 1, 1.4)) {
    f <- dmstable(x, alpha, spectral = three)
    split <- list(s = three$s[c(1, 1, 2, 3), ] * c(1, 5, 2, 1e200), mass = c(0.3, 0.7, 0.6, 0.8))
    expect_equal(dmstable(x, alpha, spectral = split), f, tolerance = 1e-12)
    turn <- matrix(c(cos(0.7), sin(0.7), -sin(0.7), cos(0.7)), 2)
    turned <- list(s = three$s %*% t(turn), mass = three$mass)
    expect_equal(dmstable(x %*% t(turn), alpha, spectral = turned), f, tolerance = 1e-11)
    expect_equal(dmstable(x + rep(c(1, 2), each = 2), alpha, delta = c(1, 2), spectral = three), f, tolerance = 1e-12)
    # 3 X has masses 3^alpha m, and for alpha = 1 another location
    shift <- if (alpha == 1) 2 / pi * 3 * log(3) * colSums(three$mass * three$s) else c(0, 0)
    wide <- list(s = three$s, mass = 3^alpha * three$mass)
    expect_equal(dmstable(3 * x + rep(shift, each = 2), alpha, spectral = wide) * 9, f, tolerance = 1e-11)
    # antipodes with equal masses make a symmetric law, whose density is even
    even <- list(s = rbind(three$s, -three$s), mass = rep(three$mass, 2) / 2)
    expect_equal(dmstable(x, alpha, spectral = even), dmstable(-x, alpha, spectral = even), tolerance = 1e-11)
  }
})

test_that("many atoms on the circle make an elliptical law", {
  # sum_j m |u's_j|^alpha over an even grid of K is E|cos|^alpha |u|^alpha but for terms of order K^-(1 + alpha)
  alpha <- 1.5
  angle <- 2 * pi * (1:64) / 64
  level <- beta((alpha + 1) / 2, 1 / 2) / pi
  ring <- list(s = cbind(cos(angle), sin(angle)), mass = rep(1 / 64 / level, 64))
  x <- rbind(c(0, 0), c(1, 0.4))
  expect_equal(dmstable(x, alpha, spectral = ring), dmstable(x, alpha, diag(2)), tolerance = 1e-3)
})

test_that("the density integrates to 1", {
  skip_if_quick()
  # over a square of the plane by the trapezoid rule after x = sinh(t): what is outside is below 0.01
  t <- seq(-5.5, 5.5, by = 0.25)
  x <- as.matrix(expand.grid(sinh(t), sinh(t)))
  f <- suppressWarnings(dmstable(x, 1.5, spectral = three))
  total <- sum(f * cosh(rep(t, length(t))) * cosh(rep(t, each = length(t))), na.rm = TRUE) * 0.25^2
  expect_equal(total, 1, tolerance = 0.01)
})

test_that("random numbers have the characteristic function", {
  four <- list(s = rbind(c(1, 0, 0), c(0, 3, 4), c(-1, 1, 1), c(0, 0, 1)), mass = c(1, 0.5, 0.7, 0.2))
  unit <- four$s / sqrt(rowSums(four$s^2))
  n <- 20000
  u <- rbind(c(0.5, 0, 0), c(0.3, -0.4, 0.2), c(-1, 0.6, 0.9))
  delta <- c(1, 2, 3)
  for (alpha in c(0.6, 1, 1.6, 2)) {
    set.seed(3)
    x <- rmstable(n, alpha, delta = delta, spectral = four)
    c <- u %*% t(unit)
    skew <- if (alpha == 1) 1 + 2i / pi * sign(c) * log(abs(c)) else 1 - 1i * sign(c) * tan(pi * alpha / 2)
    skew[c == 0] <- 0
    phi <- exp(-drop((abs(c)^alpha * skew) %*% four$mass) + 1i * drop(u %*% delta))
    empirical <- colMeans(exp(1i * x %*% t(u)))
    # standard errors are at most 1/sqrt(n)
    expect_lte(max(Mod(empirical - phi)), 4.5 / sqrt(n))
  }
})

test_that("random numbers are those of the stream", {
  set.seed(5)
  x <- rmstable(20, 1.3, spectral = three)
  set.seed(5)
  expect_identical(rmstable(15, 1.3, spectral = three, first = 6), x[6:20, ])
  names <- three
  colnames(names$s) <- c("a", "b")
  expect_identical(colnames(rmstable(2, 1.3, spectral = names)), c("a", "b"))
  expect_identical(dim(rmstable(0, 1.3, spectral = three)), c(0L, 2L))
})

test_that("missing and infinite points, and those far away", {
  x <- rbind(a = c(0, 0), b = c(NA, 1), c = c(Inf, 1))
  f <- dmstable(x, 1.5, spectral = three)
  expect_identical(names(f), c("a", "b", "c"))
  expect_identical(is.na(f), c(a = FALSE, b = TRUE, c = FALSE))
  expect_identical(f[["c"]], 0)
  expect_equal(dmstable(x, 1.5, spectral = three, log = TRUE)[["a"]], log(f[["a"]]))
  expect_warning(dmstable(c(1e6, 1e6), 1.5, spectral = three), "fewer than 9 digits")
})

test_that("what is wrong is refused", {
  x <- c(0, 0)
  expect_error(dmstable(x, 1.5, diag(2), spectral = three), "S and spectral are both given")
  expect_error(dmstable(x, 1.5, spectral = 3), "must be a list with directions s")
  expect_error(dmstable(x, 1.5, spectral = list(s = three$s, mass = c(1, 2))), "spectral\\$mass has 2 elements")
  expect_error(dmstable(x, 1.5, spectral = list(s = three$s, mass = c(1, -2, 1))), "spectral\\$mass")
  expect_error(dmstable(x, 1.5, spectral = list(s = 0 * three$s, mass = 1:3)), "spectral\\$s\\[1, \\] is 0")
  expect_error(dmstable(x, 1.5, spectral = list(s = rbind(c(1, 2), c(-2, -4)), mass = 1:2)), "no density")
  expect_error(dmstable(x, 1.5, spectral = list(s = three$s, mass = c(1, 0, 0))), "no density")
  expect_error(dmstable(x, 0.3, spectral = three), "must be from 0.5 to 2")
  expect_error(dmstable(x, 2.3, spectral = three), "alpha = 2.3")
  expect_error(dmstable(1:3, 1.5, spectral = three), "x has 3 elements")
  expect_error(dmstable(1:3, 1.5, spectral = list(s = diag(3), mass = 1:3)), "in two dimensions")
  expect_error(rmstable(2, 1.5, delta = 1:3, spectral = three), "delta has 3 elements")
  expect_error(mstableFit(matrix(rnorm(300), 100), spectral = 36), "x has 3 columns")
  expect_error(mstableFit(matrix(rnorm(200), 100), "diagonal", spectral = 36), "structure is for elliptical")
  expect_error(mstableFit(matrix(rnorm(200), 100), spectral = 2), "from 4 to 360")
  expect_error(mstableFit(cbind(1:100, 2 * (1:100)), spectral = 36), "on one line")
  expect_error(mstableFit(cbind(1:100, 0), spectral = 36), "on one line")
  # the farthest point of heavy tails hides the others
  set.seed(4)
  expect_false(statcl:::is_on_line(rmstable(1000, 0.3, spectral = three)))
})

test_that("errors of the location and the masses are those of what is fitted, by unit and next to alpha = 1", {
  angle <- c(0.3, 2, 4)
  mass <- c(1, 0.5, 0.8)
  for (alpha in c(0.8, 1 - 1e-7, 1, 1 + 1e-7, 1.6)) for (unit in c(1, 0.125, 1024)) {
    found <- list(theta = c(alpha, 0.2, -0.4, angle, log(mass)), vcov = diag(1e-4, 9))
    # delta is unit times location - t sum_j m_j s_j, with dt/dalpha = more
    t <- if (alpha == 1) 2 / pi * log(unit) else 1 / tan(pi / 2 * (1 - alpha))
    more <- if (alpha == 1) 0 else pi / 2 / sin(pi / 2 * (alpha - 1))^2
    expect_equal(diag(statcl:::spectral_vcov(found, unit)), 1e-4 * c(
      1, unit^2 * (1 + t^2 * sum(mass^2) + more^2 * c(sum(mass * cos(angle)), sum(mass * sin(angle)))^2),
      (mass * unit^alpha)^2 * (1 + log(unit)^2), 1, 1, 1), tolerance = 1e-9)
  }
  # squares of masses are no numbers
  expect_null(statcl:::spectral_vcov(found, 2^-400))
  expect_null(statcl:::spectral_vcov(found, 2^400))
})

test_that("non-negative least squares has its optimality conditions", {
  set.seed(2)
  A <- matrix(rnorm(600), 30)
  b <- rnorm(30)
  z <- statcl:::nonnegative_least_squares(A, b)
  w <- drop(crossprod(A, b - A %*% z))
  expect_true(all(z >= 0) && any(z == 0))
  expect_lte(max(abs(w[z > 0])), 1e-9)
  expect_lte(max(w), 1e-9)
})

# Differences of the estimates from a law, in units of their standard errors.
standardised <- function(fit, alpha, delta, law) {
  angle <- statcl:::spectral_degrees(fit$spectral$s)
  true <- atan2(law$s[, 2], law$s[, 1]) * 180 / pi
  gap <- (outer(angle, true, "-") + 180) %% 360 - 180
  near <- apply(abs(gap), 2, which.min)
  expect_identical(sort(near), seq_along(true))
  error <- sqrt(diag(fit$vcov))
  at <- 3 + length(true) + seq_along(true)
  c((coef(fit)[1:3] - c(alpha, delta)) / error[1:3], (fit$spectral$mass[near] - law$mass) / error[3 + near],
    gap[cbind(near, seq_along(true))] / (error[at[near]] * 180 / pi))
}

test_that("a fit finds three atoms and five, and its standard errors are those of its errors", {
  skip_if_quick()
  angle <- c(0.2, 1.3, 2.5, 4, 5.2)
  five <- list(s = cbind(cos(angle), sin(angle)), mass = c(1, 0.5, 0.7, 0.3, 0.8))
  set.seed(1)
  fit <- mstableFit(rmstable(5000, 1.1, delta = c(0, 1), spectral = five), spectral = 72)
  # 33 normal variables in all, of which one in 3e4 samples has one beyond 5
  expect_lt(max(abs(standardised(fit, 1.1, c(0, 1), five))), 5)
  for (alpha in c(0.8, 1.5)) {
    set.seed(1)
    x <- rmstable(2000, alpha, delta = c(1, 2), spectral = three)
    fit <- mstableFit(x, spectral = 72)
    expect_lt(max(abs(standardised(fit, alpha, c(1, 2), three))), 5)
  }
  expect_identical(dimnames(vcov(fit)), list(names(coef(fit)), names(coef(fit))))
  expect_equal(confint(fit)[, 2] - coef(fit), qnorm(0.975) * sqrt(diag(vcov(fit))))
  expect_identical(names(coef(fit))[1:3], c("alpha", "delta[1]", "delta[2]"))
  expect_output(print(fit), "spectral measure of 3 atoms by 36 projections of 2,000 observations")
  expect_identical(dim(simulate(fit, 2, seed = 1)$sim_2), c(2000L, 2L))
  expect_identical(simulate(fit, seed = 1), simulate(fit, seed = 1))
  expect_equal(dmstable(c(1, 1), fit$alpha, delta = fit$delta, spectral = fit),
               dmstable(c(1, 1), fit$alpha, delta = fit$delta, spectral = fit$spectral))
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(fit))
  whole <- mstableFit(x, spectral = 36, merge = FALSE)
  expect_true(all(whole$spectral$mass > 0))
  expect_error(vcov(whole), "no standard errors")
  # few atoms explain the projections of elliptical distributions, but not their characteristic function
  set.seed(1)
  expect_gt(length(mstableFit(rmstable(1500, 1.6, diag(2)), spectral = 36)$spectral$mass), 8)
})

test_that("many points have densities from a table, the same as integrals", {
  by_route <- function(route, code) {
    old <- options(statcl.stable.route = route)
    on.exit(options(old))
    code
  }
  for (alpha in if (tested == "quick") 1.3 else c(0.5, 0.75, 0.95, 1, 1.3, 1.9)) {
    set.seed(1)
    x <- rbind(rmstable(8, alpha, spectral = three), c(0, 0), c(300, -20))
    direct <- by_route("direct", general(x, alpha, three))
    table <- by_route("table", general(x, alpha, three))
    expect_true(all(abs(direct[, 1] - table[, 1]) <= direct[, 2]))
    known <- direct[, 2] < 1e-11 * direct[, 1]
    expect_lte(max(relative_error(table[known, 1], direct[known, 1])), 1e-12)
    expect_false(identical(table[, 1], direct[, 1]))
  }
  # chosen by the number of points
  x <- x[rep(c(1, 9), c(63, 1)), ]
  expect_identical(general(x[-1, ], alpha, three)[1, 1], by_route("direct", general(x[1:2, ], alpha, three)[1, 1]))
  expect_identical(general(x, alpha, three), by_route("table", general(x, alpha, three)))
})

test_that("laws of a fit, of any unit, and those that merged atoms do not explain", {
  skip_if_quick()
  set.seed(1)
  x <- rmstable(400, 1.6, matrix(c(2, 0.8, 0.8, 1), 2), c(1, 2))
  fit <- mstableFit(x, spectral = 10)
  expect_gt(length(fit$spectral$mass), 2) # merged, they were one atom
  expect_equal(dmstable(c(1, 1), spectral = fit), dmstable(c(1, 1), fit$alpha, delta = fit$delta,
                                                           spectral = fit$spectral))
  set.seed(2)
  y <- rmstable(3, spectral = fit)
  set.seed(2)
  expect_identical(y, rmstable(3, fit$alpha, delta = fit$delta, spectral = fit$spectral))
  other <- mstableFit(x * 2^-500, spectral = 10)
  expect_equal(other$delta * 2^500, fit$delta, tolerance = 1e-6)
  expect_equal(other$spectral$mass * 2^(500 * fit$alpha), fit$spectral$mass, tolerance = 1e-4)
  expect_error(mstableFit(x * 1e200, spectral = 10), "divide its columns by a number")
  expect_warning(dmstable(c(0, 0), 1.5, spectral = list(s = three$s, mass = c(1, 1e-300, 1e-300))), "NaN|digits")
})

matern_of <- function(range, smoothness = 1.5) covModel("matern", range = range, smoothness = smoothness)
three_rocks <- function() rfFacies(list(matern_of(2), covModel("exponential", range = 1, nugget = 0.2)),
                                   c(0.4, 0.25, 0.35), list("clay", c("silt", "sand")))

test_that("categories are those of the Gaussian fields behind them", {
  grid <- rfGrid(0, 0.5, c(9, 7))
  rock <- three_rocks()
  field <- seeded(tbrf(grid, rock, 50, nsim = 2))
  own <- attr(field, "recipe")$facies$fields
  z <- lapply(own, function(recipe) predict(recipe, grid)[])
  level <- qnorm(0.25 / 0.6) * sqrt(1.2)
  expect_identical(field[], ifelse(z[[1]] <= qnorm(0.4), 1, ifelse(z[[2]] <= level, 2, 3)))
  expect_identical(predict(field, grid)[], field[])
  expect_identical(predict(field, as.matrix(grid)[5:9, ])[, 2], as.vector(field[, , 2])[5:9])
  by_numbers <- rfFacies(covModel("exponential", range = 1), c(a = 0.2, b = 0.3, c = 0.5))
  same <- seeded(tbrf(grid, by_numbers, 50))
  expect_identical(same[], 1 + (predict(attr(same, "recipe")$facies$fields[[1]], grid)[] > qnorm(0.2)) +
                     (predict(attr(same, "recipe")$facies$fields[[1]], grid)[] > 0))
  expect_output(print(field), "clay; silt | sand", fixed = TRUE)
  expect_output(print(by_numbers), "a 0.2, b 0.3, c 0.5", fixed = TRUE)
  permeable <- rfTransform(field, function(k) c(1e-3, 0.1, 1)[k])
  expect_identical(permeable[], array(c(1e-3, 0.1, 1)[field[]], dim(field)))
  periodic <- seeded(tbrf(grid, by_numbers, method = "fft", periodic = TRUE, nsim = 2))
  expect_identical(predict(periodic, grid)[], periodic[])
})

test_that("proportions may change from place to place", {
  grid <- rfGrid(0, 0.5, c(30, 20))
  share <- function(x) cbind(1 - x[, "x"] / 15, x[, "x"] / 15)
  field <- seeded(tbrf(grid, rfFacies(covModel("exponential", range = 1), share, list("a", "b")), 100))
  z <- predict(attr(field, "recipe")$facies$fields[[1]], grid)[]
  expect_identical(field[], 1 + (z > qnorm(1 - rep(seq(0, 14.5, by = 0.5), 20) / 15)))
  expect_identical(unique(field[1, ]), 1)
})

test_that("data have their categories, also in files, and on limits that are near", {
  grid <- rfGrid(0, 0.5, c(12, 9))
  points <- as.matrix(grid)
  set.seed(4)
  at <- sample(nrow(points), 30)
  smooth <- rfFacies(matern_of(3, 2.5), c(0.2, 0.2, 0.6), labels = c("clay", "silt", "sand"))
  for (rock in list(three_rocks(), smooth)) {
    truth <- seeded(tbrf(grid, rock))
    wells <- list(x = points[at, ], y = c("clay", "silt", "sand")[truth[at]], steps = 3)
    fields <- seeded(tbrf(grid, rock, 100, nsim = 3, data = wells))
    for (i in 1:3) expect_identical(fields[, , i][at], truth[at])
    expect_identical(predict(fields, points[at[1:4], ])[, 2], as.vector(truth)[at[1:4]])
    if (length(rock$model) == 2L) expect_gt(mean(fields[, , 1] != fields[, , 2]), 0.02)
    # the Gaussian fields, too, are within limits
    z <- lapply(attr(fields, "recipe")$facies$fields, function(own) as.matrix(predict(own, points[at, ])[]))
    level <- facies_levels(rock, NULL)
    strip <- matrix(findInterval(z[[1]], level$first) + 1, 30)
    expect_identical(c(1, 2, if (length(z) == 1L) 3 else 2)[truth[at]], strip[, 2])
  }
  path <- tempfile(fileext = ".nc")
  file <- seeded(tbrf(grid, three_rocks(), 100, nsim = 3, fragment = 5, file = path,
                      data = list(x = points[at, ], y = truth[at], steps = 3)))
  expect_identical(file$type, "byte")
  expect_identical(file[, , ], seeded(tbrf(grid, three_rocks(), 100, nsim = 3, data = list(
    x = points[at, ], y = truth[at], steps = 3)))[])
  expect_identical(rfOpen(path)[1:2, 3, 2], file[1:2, 3, 2])
})

test_that("values behind the data have their distribution given the categories", {
  skip_if_not_installed("mvtnorm")
  rocks <- list(rfFacies(matern_of(2, 2.5), c(0.3, 0.3, 0.4)),
                rfFacies(list(matern_of(2, 2.5), covModel("exponential", range = 2)), rep(0.25, 4),
                         list(1, c(2, 3), 1)))
  x <- cbind(c(0, 0.5, 1.5), 0)
  new <- cbind(1, 0.4)
  limits <- list(list(c(-Inf, qnorm(0.3)), qnorm(c(0.3, 0.6)), c(qnorm(0.6), Inf)),
                 list(c(-Inf, qnorm(0.25)), qnorm(c(0.25, 0.75)), c(qnorm(0.75), Inf)))
  rectangle <- function(model, strips, limits) {
    low <- vapply(strips, function(s) limits[[s]][1], 0)
    high <- vapply(strips, function(s) limits[[s]][2], 0)
    set.seed(1)
    mvtnorm::pmvnorm(low, high, sigma = unname(covariance(model, rbind(x, new))))[1]
  }
  one <- vapply(1:3, function(k) rectangle(rocks[[1]]$model[[1]], c(2, 2, 3, k), limits[[1]]), 0)
  # of category 1, which has two strips, at the first and at the new place; 2 and 3 are halves of the middle one
  halves <- list(c(-Inf, 0), c(0, Inf), c(-Inf, Inf))
  joint <- function(first, last) sum(vapply(if (last == 1) c(1, 3) else 2, function(s) vapply(c(1, 3), function(f)
    rectangle(rocks[[2]]$model[[1]], c(f, 2, 2, s), limits[[2]]) *
      rectangle(rocks[[2]]$model[[2]], c(3, 1, 2, if (last == 1) 3 else last - 1), halves), 0), c(0, 0)))
  two <- vapply(1:3, function(k) joint(1, k), 0)
  chance <- function(rock, y) {
    field <- seeded(tbrf(new, rock, 64, nsim = 2000, data = list(x = x, y = y, steps = 10)))
    tabulate(field, 3) / 2000
  }
  expect_lt(max(abs(chance(rocks[[1]], c(2, 2, 3)) - one / sum(one))), 0.045)
  expect_lt(max(abs(chance(rocks[[2]], c(1, 2, 3)) - two / sum(two))), 0.045)
})

test_that("transitions of fields and of the model", {
  grid <- rfGrid(0, 0.5, c(4, 3))
  field <- seeded(tbrf(grid, three_rocks(), 50, nsim = 2))
  found <- rfTransitions(field)
  row <- subset(found, axis == "x" & distance == 1 & from == "silt" & to == "clay")
  each <- vapply(1:2, function(i) mean(field[1:2, , i] == 2 & field[3:4, , i] == 1), 0)
  expect_equal(row$probability, mean(each))
  expect_equal(row$std.error, sd(each) / sqrt(2))
  expect_equal(as.vector(tapply(found$probability, found[c("axis", "distance")], sum)), c(1, 1, 1, 1, 1, NA),
               tolerance = 1e-14)
  zero <- subset(found, distance == 0 & axis == "x")
  expect_equal(zero$model, as.vector(diag(c(0.4, 0.25, 0.35))))
  skip_if_not_installed("mvtnorm")
  both <- function(rho, from, to)
    mvtnorm::pmvnorm(c(from[1], to[1]), c(from[2], to[2]), corr = matrix(c(1, rho, rho, 1), 2))
  rho <- c(covariance(matern_of(2), 1), exp(-1) / 1.2)
  cut <- qnorm(0.25 / 0.6)
  expect_equal(row$model, both(rho[1], c(qnorm(0.4), Inf), c(-Inf, qnorm(0.4)))[1] * 0.25 / 0.6, tolerance = 1e-8)
  within <- subset(found, axis == "x" & distance == 1 & from == "silt" & to == "sand")
  expect_equal(within$model, (both(rho[1], c(qnorm(0.4), Inf), c(qnorm(0.4), Inf)) *
                                both(rho[2], c(-Inf, cut), c(cut, Inf)))[1], tolerance = 1e-8)
  by_breaks <- rfTransitions(rfTransform(seeded(tbrf(grid, matern_of(2), 50)), breaks = qnorm(0.4)))
  expect_equal(by_breaks$model[by_breaks$distance == 1][2], both(rho[1], c(qnorm(0.4), Inf), c(-Inf, qnorm(0.4)))[1],
               tolerance = 1e-8)
  given <- seeded(tbrf(grid, three_rocks(), 50, data = list(x = cbind(0, 0), y = 1)))
  expect_true(all(is.na(rfTransitions(given)$model)))
})

test_that("normal values between limits keep their digits in both tails", {
  u <- c(1e-12, 0.3, 0.9)
  mass <- log_mass_between(c(10, -Inf, -40, 0), c(11, -38, -39, Inf))
  upper <- function(z) pnorm(z, lower.tail = FALSE, log.p = TRUE)
  expect_equal(mass[1:3], c(upper(10) + log1p(-exp(upper(11) - upper(10))), upper(38), upper(39)), tolerance = 1e-13)
  expect_equal(mass[4], log(0.5), tolerance = 1e-15)
  far <- truncated_quantile(u, 0, 1, rep(30, 3), Inf)
  expect_true(all(diff(far) > 0 & far[-1] > 30 & far[-1] < 30.2))
  p <- pnorm(far, lower.tail = FALSE, log.p = TRUE) - pnorm(30, lower.tail = FALSE, log.p = TRUE)
  expect_equal(p[2:3], log(c(0.7, 0.1)), tolerance = 1e-9)
  expect_equal(truncated_quantile(u, 0.2, 2, rep(-Inf, 3), Inf), qnorm(u, 0.2, 2))
})

test_that("refusals name what is wrong", {
  refused <- function(code, pattern) expect_error(code, pattern, class = "statcl_error_input")
  model <- covModel("exponential", range = 1)
  refused(rfFacies(model, c(0.5, 0.6)), "must add up to 1")
  refused(rfFacies(model, c(0.5, 0.5), list(1, 3)), "from 1 on")
  refused(rfFacies(model, c(0.5, 0.5), list(c("a", "b"))), "list of two")
  refused(rfFacies(list(model, model), c(0.5, 0.5)), "one field")
  refused(rfFacies(model, function(x) x), "rule is missing")
  refused(rfFacies(update(model, mean = 1), c(0.5, 0.5)), "must be 0")
  rock <- rfFacies(model, c(a = 0.5, b = 0.5))
  points <- cbind(0:1, 0)
  refused(tbrf(points, rock, data = list(x = points, y = c("a", "d"))), "one of the categories a, b")
  refused(tbrf(points, rock, data = list(x = points[c(1, 1), ], y = 1:2)), "different categories")
  refused(tbrf(points, rock, data = list(x = points, y = 1)), "data\\$y has length 1")
  refused(tbrf(points, rock, time = 1, correlation.time = 1), "time is not for categories")
  refused(tbrf(rfGrid(0, 1, c(4, 4)), rock, method = "fft", data = list(x = points, y = 1:2)), "not for method")
  refused(tbrf(points, rfFacies(model, function(x) cbind(x[, 1], 2), list(1, 2))), "must not be negative")
  refused(tbrf(points, rfFacies(model, c(0, 1)), data = list(x = points, y = 1:2)), "proportion of category 1 is 0")
  refused(covariance(tbrf(points, rock, object = TRUE), 1), "rfTransitions")
  refused(rfTransitions(tbrf(rfGrid(0, 1, c(4, 4)), model)), "field of categories")
})

# Direct and cross-variograms by brute force over all pairs of rows.
brute_cross <- function(u, v, xy, to, width) {
  n <- length(u)
  i <- row(diag(n))[lower.tri(diag(n))]
  j <- col(diag(n))[lower.tri(diag(n))]
  h <- sqrt(rowSums((xy[i, , drop = FALSE] - xy[j, , drop = FALSE])^2))
  product <- (u[i] - u[j]) * (v[i] - v[j]) / 2
  kept <- h <= to & !is.na(product)
  by_class(h[kept], product[kept], width)
}
brute_covariance <- function(u, v, xy, to, width) {
  n <- length(u)
  i <- rep(seq_len(n), n)
  j <- rep(seq_len(n), each = n)
  h <- sqrt(rowSums((xy[i, , drop = FALSE] - xy[j, , drop = FALSE])^2))
  product <- (u - mean(u, na.rm = TRUE))[i] * (v - mean(v, na.rm = TRUE))[j]
  kept <- h <= to & !is.na(product)
  by_class(h[kept], product[kept], width)
}
by_class <- function(h, product, width) {
  class <- ifelse(h > 0, ceiling(h / width), 0)
  mean_of <- function(v) as.vector(tapply(v, class, mean))
  data.frame(distance = mean_of(h), estimate = mean_of(product), pairs = as.vector(table(class)))
}
of_pair <- function(v, one, other) as.data.frame(unclass(v))[v$variable1 == one & v$variable2 == other, ]
expect_pair <- function(v, one, other, expected, column = "variogram")
  expect_equal(of_pair(v, one, other)[c("distance", column, "pairs")], expected, tolerance = 1e-12,
               ignore_attr = TRUE)

set.seed(1)
n <- 60
xy <- matrix(rexp(2 * n), n)
values <- data.frame(a = 100 + rnorm(n), b = rnorm(n) - xy[, 1], c = rnorm(n, 5))
values$b <- values$b - values$a # negative cross-variograms
values$b[1:10] <- NA
values$c[5:20] <- NA

test_that("direct and cross-variograms are those of all pairs where both variables are known", {
  v <- rfVariogram(values, x = xy, to = 2, width = 0.25)
  expect_identical(names(v), c("variable1", "variable2", "distance", "variogram", "pairs"))
  for (one in 1:3) for (other in one:3)
    expect_pair(v, names(values)[one], names(values)[other],
                brute_cross(values[[one]], values[[other]], xy, 2, 0.25))
  expect_lt(of_pair(v, "a", "b")$variogram[3], 0)
  known <- !is.na(values$c)
  alone <- rfVariogram(values$c[known], x = xy[known, ], to = 2, width = 0.25)
  expect_equal(of_pair(v, "c", "c")$variogram, alone$variogram, tolerance = 1e-12)
  # rows without an order, and a line
  set.seed(2)
  o <- sample(n)
  expect_equal(rfVariogram(values[o, ], x = xy[o, ], to = 2, width = 0.25)$variogram, v$variogram, tolerance = 1e-12)
  line <- rfVariogram(values, x = xy[, 1], to = 1, width = 0.25)
  expect_pair(line, "a", "c", brute_cross(values$a, values$c, xy[, 1, drop = FALSE], 1, 0.25))
  # defaults of one variable
  expect_equal(of_pair(rfVariogram(values["a"], x = xy), "a", "a")$variogram, rfVariogram(values$a, x = xy)$variogram,
               tolerance = 1e-12)
})

test_that("rows of the same coordinates are one place, and have a class of distance 0", {
  apart <- rbind(data.frame(a = values$a, b = NA), data.frame(a = NA, b = values$b))
  expect_equal(rfVariogram(apart, x = rbind(xy, xy), to = 2), rfVariogram(values[c("a", "b")], x = xy, to = 2),
               tolerance = 1e-12)
  repeated <- data.frame(a = c(1, 5, 2, 7), b = c(2, 4, 9, NA))
  twice <- rfVariogram(repeated, x = cbind(c(0, 0, 1, 2), 0), to = 1, width = 1)
  expect_equal(of_pair(twice, "a", "b")$distance, c(0, 1))
  expect_equal(of_pair(twice, "a", "b")$variogram, c(4 * 2 / 2, mean(c(1 * 7, -3 * 5) / 2)))
  expect_equal(of_pair(twice, "a", "a")$pairs, c(1, 3))
})

test_that("variables at different places have cross-covariances", {
  apart <- data.frame(a = replace(values$a, 1:30, NA), c = replace(values$c, 31:60, NA))
  v <- rfVariogram(apart, x = xy, to = 2, width = 0.5)
  expect_pair(v, "a", "c", brute_covariance(apart$a, apart$c, xy, 2, 0.5), "covariance")
  expect_true(all(is.na(of_pair(v, "a", "c")$variogram)))
  expect_true(all(is.na(of_pair(v, "a", "a")$covariance)))
  asked <- rfVariogram(values, x = xy, to = 2, width = 0.5, cross = "covariance")
  expect_pair(asked, "a", "b", brute_covariance(values$a, values$b, xy, 2, 0.5), "covariance")
  expect_equal(of_pair(asked, "a", "b")$distance[1], 0)
  expect_input_error(rfVariogram(apart, x = xy, cross = "variogram"), "a and c were both measured")
  some <- transform(apart, c = replace(c, 31:40, 1:10)) # at 10 of 24 places
  expect_true("covariance" %in% names(rfVariogram(some, x = xy)))
  expect_pair(rfVariogram(some, x = xy, to = 2, width = 0.5, cross = "variogram"), "a", "c",
              brute_cross(some$a, some$c, xy, 2, 0.5))
})

# Expected products of increments from the matrix of covariances of all variables at all places.
expected_pair <- function(model, xy, i, j, known, to, width, what) {
  n <- nrow(xy)
  S <- covariance(model, if (i == j) cbind(xy, i) else cbind(xy[rep(seq_len(n), 2), ], rep(c(i, j), each = n)))
  at <- function(k, s, l, t) S[cbind(s + (k != i) * n, t + (l != i) * n)]
  pairs <- expand.grid(s = seq_len(n), t = seq_len(n))
  pairs <- if (what == "variogram") pairs[pairs$s < pairs$t & known[pairs$s] & known[pairs$t], ] else pairs
  s <- pairs$s
  t <- pairs$t
  h <- sqrt(rowSums((xy[s, ] - xy[t, ])^2))
  value <- if (what == "covariance") at(i, s, j, t)
           else (at(i, s, j, s) - at(i, s, j, t) - at(i, t, j, s) + at(i, t, j, t)) / 2
  by_class(h[h <= to], value[h <= to], width)$estimate
}

rho <- matrix(c(1, 0.5, -0.2, 0.5, 1, 0.3, -0.2, 0.3, 1), 3)
models <- list(
  covModel("multimatern", range = 0.8, smoothness = c(0.5, 1.2, 0.8), variance = 1:3, correlation = rho,
           nugget = c(0.1, 0.2, 0.3)),
  covModel("multimatern", range = c(0.3, 0.9, 0.5), smoothness = c(0.5, 1.2, 0.8), variance = 1:3,
           correlation = rho / 2 + diag(3) / 2, angle = 20, ratio = 0.5, scaling = "sqrt8nu",
           nugget = matrix(c(0.1, 0.05, 0, 0.05, 0.2, -0.1, 0, -0.1, 0.3), 3)),
  covModel("lmc", parts = list(covModel("exponential", range = 0.2),
                               covModel("matern", range = 0.4, smoothness = 1.5, angle = 30, ratio = 0.4)),
           sill = list(crossprod(matrix(c(1, 0.4, -0.3, 0, 1, 0.2, 0, 0, 1), 3)), tcrossprod(c(1, -0.5, 2))),
           nugget = 0.1, rank = c(3, 1)))

test_that("the column model is the expected value", {
  set.seed(3)
  xy <- matrix(runif(50), 25)
  z <- matrix(rnorm(75), 25, dimnames = list(NULL, c("a", "b", "c")))
  z[1:4, 2] <- NA
  z[3:7, 3] <- NA
  for (model in models) for (cross in c("variogram", "covariance")) {
    v <- rfVariogram(z, model, x = xy, to = 0.6, width = 0.1, cross = cross)
    for (i in 1:3) for (j in i:3) {
      what <- if (i == j) "variogram" else cross
      known <- !is.na(z[, i] + z[, j])
      if (what == "covariance" && !all(known)) next # places of one variable only
      expect_equal(of_pair(v, c("a", "b", "c")[i], c("a", "b", "c")[j])$model,
                   expected_pair(model, xy, i, j, known, 0.6, 0.1, what), tolerance = 1e-11)
    }
  }
  full <- matrix(rnorm(75), 25, dimnames = list(NULL, c("a", "b", "c")))
  v <- rfVariogram(full, models[[2]], x = xy, to = 0.6, width = 0.1, cross = "covariance")
  expect_equal(of_pair(v, "b", "c")$model,
               expected_pair(models[[2]], xy, 2, 3, rep(TRUE, 25), 0.6, 0.1, "covariance"), tolerance = 1e-11)
  # columns by the names of the variables, and some of them
  named <- update(models[[1]], variable = c("c", "a", "b"))
  v <- rfVariogram(as.data.frame(full)[c("b", "c")], named, x = xy, to = 0.6, width = 0.1)
  expect_equal(of_pair(v, "b", "c")$model,
               expected_pair(models[[1]], xy, 1, 3, rep(TRUE, 25), 0.6, 0.1, "variogram"), tolerance = 1e-11)
})

test_that("on the sphere distances are chordal, and a grid is its points", {
  quakes <- datasets::quakes[1:40, ]
  model <- covModel("multimatern", range = 300, smoothness = c(0.5, 1), correlation = 0.4, distance = "chordal")
  z <- log(quakes[c("depth", "mag")])
  at <- 6371 * with(quakes * pi / 180, cbind(cos(lat) * cos(long), cos(lat) * sin(long), sin(lat)))
  v <- rfVariogram(z, model, x = quakes[c("long", "lat")], to = 900, width = 300)
  expect_pair(v, "depth", "mag", brute_cross(z$depth, z$mag, at, 900, 300))
  expect_identical(attr(v, "label"), "distance (km)")
  grid <- rfGrid(c(0, 1), c(1, 2), c(6, 5))
  z <- data.frame(a = rnorm(30), b = rnorm(30))
  expect_equal(rfVariogram(z, grid = grid)$variogram, rfVariogram(z, x = as.matrix(grid))$variogram)
})

test_that("directions select pairs", {
  v <- rfVariogram(values, x = xy, to = 2, width = 0.5, direction = c(0, 90), tolerance = 45)
  whole <- rfVariogram(values, x = xy, to = 2, width = 0.5)
  expect_identical(sum(v$pairs), sum(whole$pairs)) # no pair is at 45 degrees
  across <- of_pair(v[v$direction == 90, ], "a", "b")
  i <- row(diag(n))[lower.tri(diag(n))]
  j <- col(diag(n))[lower.tri(diag(n))]
  lag <- abs(xy[i, ] - xy[j, ])
  product <- (values$a[i] - values$a[j]) * (values$b[i] - values$b[j]) / 2
  h <- sqrt(rowSums(lag^2))
  kept <- h <= 2 & !is.na(product) & lag[, 2] > lag[, 1]
  expect_equal(across[c("distance", "variogram", "pairs")], by_class(h[kept], product[kept], 0.5), tolerance = 1e-12,
               ignore_attr = TRUE)
})

test_that("too many pairs are drawn at random", {
  set.seed(4)
  v <- rfVariogram(values, x = xy, to = 100, pairs = 300)
  expect_identical(unname(c(tapply(v$pairs, paste(v$variable1, v$variable2), sum))), rep(300, 6))
  v <- rfVariogram(values, x = xy, to = 100, pairs = 300, cross = "covariance")
  expect_identical(unname(c(tapply(v$pairs, paste(v$variable1, v$variable2), sum))), rep(300, 6))
})

test_that("cross-variograms are those of gstat", {
  skip_if_not_installed("gstat")
  data <- data.frame(values, x = xy[, 1], y = xy[, 2])[complete.cases(values), ]
  g <- gstat::gstat(NULL, "a", a ~ 1, ~ x + y, data = data)
  g <- gstat::gstat(g, "b", b ~ 1, ~ x + y, data = data)
  theirs <- as.data.frame(gstat::variogram(g, cutoff = 2, width = 0.25))
  own <- rfVariogram(data[c("a", "b")], x = data[c("x", "y")], to = 2, width = 0.25)
  for (pair in list(c("a", "a"), c("b", "b"), c("a", "b"))) {
    id <- paste(unique(pair), collapse = ".")
    expect_equal(of_pair(own, pair[1], pair[2])$variogram, theirs$gamma[theirs$id == id], tolerance = 1e-12)
  }
})

known_fit <- function(nugget = c(0.2, 0.1), ...) {
  set.seed(5)
  data <- data.frame(x = runif(40), y = runif(40), z = rnorm(40), a = rnorm(40), b = rnorm(40))
  data$a[1:6] <- NA
  model <- covModel("multimatern", range = 0.2, smoothness = c(0.5, 1.5), variance = c(1, 2), correlation = 0.4,
                    nugget = nugget, variable = c("b", "a"))
  list(fit = gpFit(cbind(b, a) ~ z, data, ~ x + y, model, fixed = TRUE, ...), data = data)
}

test_that("fits of several variables have variograms of their residuals", {
  known <- known_fit()
  fit <- known$fit
  v <- rfVariogram(fit)
  residual <- matrix(NA_real_, 40, 2)
  residual[cbind(match(paste(fit$x[, 1], fit$x[, 2]), paste(known$data$x, known$data$y)), fit$variables$of)] <-
    fit$residuals
  colnames(residual) <- fit$variables$names
  by_values <- rfVariogram(residual, fit$cov, x = known$data[c("x", "y")])
  expect_equal(as.data.frame(v), as.data.frame(by_values), tolerance = 1e-12, ignore_attr = TRUE)
  expect_output(print(v), "Variogram of residuals of b, a at 40 points")
  errors <- known_fit(error.variance = cbind(rep(0.3, 40), seq(0, 0.4, length.out = 40)))
  more <- rfVariogram(errors$fit)
  gap <- function(one, other) of_pair(more, one, other)$model - of_pair(v, one, other)$model
  expect_equal(gap("b", "b"), rep(0.3, length(gap("b", "b"))), tolerance = 1e-12)
  expect_equal(gap("a", "a"), rep(mean(seq(0, 0.4, length.out = 40)[7:40]), length(gap("a", "a"))), tolerance = 1e-12)
  expect_equal(gap("b", "a"), rep(0, length(gap("b", "a"))))
  expect_input_error(rfVariogram(fit, x = known$data[c("x", "y")]), "has its own model and locations")
})

test_that("fits of one variable have those of their residuals", {
  data <- known_fit()$data
  model <- covModel("exponential", range = 0.2, nugget = 0.1) + covModel("gaussian", range = 0.5)
  fit <- gpFit(b ~ z, data, ~ x + y, model, fixed = TRUE)
  v <- rfVariogram(fit)
  expect_equal(as.data.frame(v), as.data.frame(rfVariogram(as.vector(residuals(fit)), model, x = data[c("x", "y")])),
               tolerance = 1e-12, ignore_attr = TRUE)
  errors <- rfVariogram(gpFit(b ~ z, data, ~ x + y, model, fixed = TRUE, error.variance = rep(c(0.1, 0.3), 20)))
  expect_equal(errors$model, v$model + 0.2, tolerance = 1e-12)
  expect_input_error(rfVariogram(fit, cross = "covariance"), "is for several variables")
  counts <- gpFit(round(exp(b)) ~ 1, data, ~ x + y, covModel("exponential", range = 0.2), family = poisson(),
                  fixed = TRUE)
  expect_input_error(rfVariogram(counts), "has no variogram of residuals")
})

test_that("panels have the curves of the model and of full correlation", {
  pdf(NULL)
  on.exit(dev.off())
  fit <- known_fit(matrix(c(0.2, -0.05, -0.05, 0.1), 2))$fit
  v <- rfVariogram(fit)
  panels <- statcl:::all_panels(v)
  expect_identical(vapply(panels, `[[`, "", "title"), c("b", "b, a", "a"))
  curve <- panels[[2]]$curves
  r <- curve$distance
  expect_equal(curve$value, 0.4 * sqrt(2) * (1 - matern(r, range = 0.2, smoothness = 1)) - 0.05, tolerance = 1e-12)
  expect_equal(panels[[2]]$nugget, -0.05)
  bound <- sqrt(panels[[1]]$curves$value * panels[[3]]$curves$value)
  above <- panels[[2]]$bounds[panels[[2]]$bounds$side == 1, ]
  expect_equal(above$value, bound, tolerance = 1e-12)
  before <- par(c("mfrow", "mar", "oma"))
  expect_invisible(plot(v))
  expect_identical(par(c("mfrow", "mar", "oma")), before)
  expect_silent(plot(v, main = "Residuals", ylim = c(-1, 3), cex.axis = 0.8))
  expect_silent(plot(v[v$variable1 == "b", ]))
  expect_silent(plot(v[v$variable2 == "b", ]))
  set.seed(6)
  expect_silent(plot(rfVariogram(values, x = xy, direction = c(0, 90), cross = "covariance")))
  expect_silent(plot(rfVariogram(values, models[[2]], x = xy, to = 1)))
  expect_output(print(v), "variable1 variable2 distance variogram pairs")
})

test_that("panels are drawn by ggplot2", {
  skip_if_not_installed("ggplot2")
  plot <- ggplot2::autoplot(rfVariogram(known_fit()$fit))
  expect_s3_class(plot, "ggplot")
  built <- ggplot2::ggplot_build(plot)
  expect_identical(nrow(built$layout$layout), 3L)
})

test_that("what are no variables is an error that says what is", {
  expect_input_error(rfVariogram(values), "x with its points")
  expect_input_error(rfVariogram(values[31:35, ], x = xy), "field has 5 rows for 60 points")
  expect_input_error(rfVariogram(cbind(values, d = "x"), x = xy), "the columns of field are variables")
  expect_input_error(rfVariogram(transform(values, a = Inf), x = xy), "must be finite, or missing")
  expect_input_error(rfVariogram(transform(values, a = NA_real_), x = xy), "column a of field has no values")
  expect_input_error(rfVariogram(values, covModel("exponential", range = 1), x = xy), "is of one variable")
  expect_input_error(rfVariogram(values[1:2], models[[1]], x = xy),
                     "field has 2 columns: the model is of 3 variables")
  named <- update(models[[1]], variable = c("a", "b", "lead"))
  expect_input_error(rfVariogram(values, named, x = xy), "none of the variables of the model, a, b, lead")
  expect_input_error(rfVariogram(values$a, models[[1]], x = xy), "a column for each variable")
  expect_input_error(rfVariogram(values, x = xy, to = 1e-9), "no pairs are within the distance")
})

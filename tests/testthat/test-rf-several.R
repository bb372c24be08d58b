# Fields of several variables by turning bands, and simulations of fits by them.

matern3 <- function(...) covModel(
  "multimatern", range = 0.3, smoothness = c(0.5, 1.5, 0.8), variance = c(1, 4, 2), variable = c("a", "b", "c"),
  correlation = matrix(c(1, 0.6, 0.3, 0.6, 1, -0.4, 0.3, -0.4, 1), 3), ...)
coregional <- function(...) covModel(
  "lmc", parts = list(covModel("exponential", range = 0.2), covModel("matern", range = 0.4, smoothness = 1.5,
                                                                     ratio = 0.5, angle = 30)),
  sill = list(matrix(c(1, 0.5, 0.5, 2), 2), matrix(c(1, -1, -1, 1), 2)), ...)
variables_of <- function(model) statcl:::variable_count(model)
labelled <- function(x, p) cbind(x[rep(seq_len(nrow(x)), p), , drop = FALSE], rep(seq_len(p), each = nrow(x)))

# Moments of many fields, in standard errors of those of normal values: variances and covariances of variables at each
# place and between places. Sums of waves have lighter tails than normal values, and smaller errors.
field_scores <- function(model, x, ..., nsim = 500, true = model) {
  set.seed(4)
  values <- tbrf(x, model, ..., nsim = nsim)
  at <- labelled(x, variables_of(model))
  moment_scores(matrix(values, nrow(at)), rep(0, nrow(at)), covariance(true, at))
}

test_that("fields have the covariances and cross-covariances of their model", {
  plane <- cbind(c(0, 0.05, 0.3, 0.3), c(0, 0, 0, 0.4))
  expect_lt(max(abs(field_scores(matern3(), plane, 60))), 4)
  skip_if_quick()
  expect_lt(max(abs(field_scores(matern3(), plane, 60, waves = "spectrum", directions = "halton"))), 4)
  # the same check finds variables that are not correlated, and a wrong range
  found <- function(true) max(abs(field_scores(matern3(), plane, 60, true = true, nsim = 1000)))
  expect_gt(found(update(matern3(), correlation = diag(3))), 8)
  expect_gt(found(update(matern3(), range = 0.5)), 5)
  ranges <- covModel("multimatern", range = c(0.1, 1), smoothness = c(0.7, 1.2), correlation = 0.1, ratio = 0.3,
                     angle = 40)
  expect_lt(max(abs(field_scores(ranges, plane, 60))), 4)
  full <- covModel("bimatern", range = c(0.3, 0.6, 0.4), smoothness = c(0.5, 1.5, 1.2), variance = c(1, 9),
                   correlation = 0.5, nugget = matrix(c(0.2, 0.1, 0.1, 0.3), 2))
  expect_lt(max(abs(field_scores(full, plane, 60))), 4)
  space <- cbind(plane, c(0, 0.1, 0, 0.2))
  expect_lt(max(abs(field_scores(matern3(dim = 3), space, 60, directions = "fibonacci"))), 4)
  line <- matrix(c(0, 0.02, 0.5), 3)
  for (dim in 1:3) expect_lt(max(abs(field_scores(matern3(dim = dim), line, 60))), 4)
  earth <- covModel("multimatern", range = 2000, smoothness = c(0.5, 1.5), correlation = -0.5, distance = "chordal")
  expect_lt(max(abs(field_scores(earth, cbind(c(0, 10, 170), c(50, 50, -40)), 60))), 4)
  expect_lt(max(abs(field_scores(coregional(), plane, 60))), 4)
  expect_lt(max(abs(field_scores(coregional(), as.matrix(rfGrid(0, 0.1, c(2, 2))), 60, method = "table",
                                 nsim = 100))), 4)
})

test_that("transforms of a grid, and models of one smoothness, are sums of independent fields", {
  grid <- rfGrid(0, 0.1, c(3, 2))
  at <- labelled(as.matrix(grid), 2)
  set.seed(2)
  fields <- tbrf(grid, coregional(), nsim = 1000, method = "fft")
  expect_lt(max(abs(moment_scores(matrix(fields, 12), rep(0, 12), covariance(coregional(), at)))), 4)
  one <- covModel("multimatern", range = 0.3, smoothness = 0.7, variance = c(1, 1e12), correlation = -0.8)
  expect_identical(attr(tbrf(grid, one, method = "fft"), "recipe")$method, "parts")
  fields <- tbrf(grid, one, nsim = 1000, method = "fft")
  expect_lt(max(abs(moment_scores(matrix(fields, 12), rep(0, 12), covariance(one, at)))), 4)
  # of rank 1 the second variable is -1 times the first
  single <- covModel("lmc", parts = list(covModel("gaussian", range = 0.4)), sill = list(matrix(c(1, -1, -1, 1), 2)))
  recipe <- tbrf(grid, single, object = TRUE)
  expect_identical(ncol(recipe$fields[[1]]$root), 1L)
  value <- predict(recipe, grid)
  expect_equal(value[, , 1], -value[, , 2], tolerance = 1e-14)
  # whatever the units
  expect_equal(tcrossprod(statcl:::matrix_root(diag(c(1e-6, 0, 1e6)))), diag(c(1e-6, 0, 1e6)), tolerance = 1e-14)
})

test_that("amplitudes of waves are roots of the matrix of spectral densities", {
  limit <- statcl:::multimatern_factors(matern3())$value
  models <- list(matern3(), update(matern3(), correlation = limit), # singular at all wave numbers
                 covModel("multimatern", range = c(0.3, 0.4, 0.5), smoothness = c(0.7, 1.2, 1.2),
                          correlation = diag(3) + 0.1 * (1 - diag(3))))
  k <- c(0, 10^seq(-3, 6, by = 0.5))
  models[[4]] <- covModel("bimatern", range = c(0.3, 0.6, 0.4), smoothness = c(0.5, 1.5, 1.2), variance = c(1, 9),
                          correlation = 0.5)
  for (model in models) for (waves in c("shells", "spectrum")) {
    recipe <- tbrf(cbind(0, 0), model, 500, waves = waves, object = TRUE)
    root <- statcl:::wave_roots(recipe, k)
    own <- recipe$common
    parts <- statcl:::model_parts(own$model)
    lambda <- Reduce(`+`, lapply(seq_along(parts), function(m)
      statcl:::waves_per_probability(own, m, k) * statcl:::cov_spectrum(parts[[m]], k, 2)))
    for (term in statcl:::families[[model$name]]$terms(model, FALSE)) {
      i <- term$pairs[1]
      j <- term$pairs[2]
      size <- sqrt(model$variance[i] * model$variance[j])
      density <- term$weight[i, j] * statcl:::cov_spectrum(term$part, k, 2)
      # pivots that are taken for 0 are 1e-14 or less, and their row 1e-7
      error <- rowSums(root[, i, ] * root[, j, ]) - 2 * density / lambda
      expect_lt(max(abs(error)) / (2 * size / min(own$share)), 2e-7)
    }
    # no wave has more than it would have in a field of its own part alone
    shells <- waves == "shells"
    if (shells) most <- max(mapply(function(s) max(statcl:::shell_masses(length(s)) / s), own$shells))
    else most <- 1 / min(own$share)
    for (i in seq_along(model$variance))
      expect_lt(max(rowSums(root[, i, ]^2)), 2 * model$variance[i] * most * (1 + 1e-12))
  }
})

test_that("values are sums of the waves of the recipe, and phases go on evenly", {
  model <- matern3()
  recipe <- seeded(tbrf(cbind(0, 0), model, 700, nsim = 20, object = TRUE))
  x <- cbind(c(0.1, 0.2), c(-1, 3))
  value <- predict(recipe, x)
  at <- labelled(cbind(c(0, 0.3), 0), 3)
  squares <- 0
  for (sim in 1:20) {
    waves <- statcl:::recipe_lines(statcl:::with_key(recipe$common, recipe), sim)
    own <- statcl:::wave_coefficients(recipe, sim, waves, NULL, NULL, 0)
    turn <- 2 * pi * (x %*% t(waves$k) + rep(waves$phase, each = 2))
    expect_lt(max(abs(value[, , sim] - cos(turn) %*% own$cosine - sin(turn) %*% own$sine)), 1e-10)
    # errors of the covariances that the one field has over the plane, at the lags 0 and (0.3, 0)
    has <- lapply(c(0, 0.3), function(h) {
      t <- 2 * pi * waves$k[, 1] * h
      of <- function(a, b, w) crossprod(own[[a]], own[[b]] * w) / 2
      of("cosine", "cosine", cos(t)) + of("sine", "sine", cos(t)) + of("cosine", "sine", sin(t)) -
        of("sine", "cosine", sin(t))
    })
    true <- lapply(1:2, function(l) covariance(model, at[c(1, 3, 5), ], at[c(l, l + 2, l + 4), ]))
    squares <- squares + (unlist(has) - unlist(true))^2 / 20 / c(tcrossprod(model$variance))
  }
  # with independent phases 0.05 (A_iq A_jr cos(psi_q - psi_r) of 700 waves)
  expect_lt(sqrt(max(squares[1:9])), 0.005)
  expect_lt(sqrt(max(squares[10:18])), 0.02)
  expect_identical(statcl:::primes_but_five(6), c(2L, 3L, 7L, 11L, 13L, 17L))
})

test_that("fields depend on the seed and on nothing else", {
  grid <- rfGrid(c(0, 1), 0.1, c(5, 4))
  for (model in list(matern3(nugget = c(0.1, 0, 0.2)), coregional(nugget = matrix(c(0.2, 0.1, 0.1, 0.3), 2)))) {
    p <- variables_of(model)
    field <- seeded(tbrf(grid, model, 200, nsim = 3))
    expect_identical(seeded(tbrf(grid, model, 200, nsim = 3)), field)
    expect_false(identical(seeded(tbrf(grid, model, 200, nsim = 3), 2), field))
    expect_identical(as.vector(seeded(tbrf(grid, model, 200))), as.vector(field[, , , 1]))
    again <- unserialize(serialize(attr(field, "recipe"), NULL))
    some <- c(3, 20, 7)
    expect_equal(predict(again, as.matrix(grid)[some, ])[], array(field[], c(20, p, 3))[some, , ], tolerance = 1e-11,
                 ignore_attr = TRUE)
    old <- options(statcl.threads = 2)
    expect_identical(seeded(tbrf(grid, model, 200, nsim = 3)), field)
    options(old)
  }
})

test_that("any number of variables has the sums of the waves, at points and on a grid", {
  grid <- rfGrid(0, 0.3, c(3, 2))
  for (p in c(2, 4, 5, 7)) {
    model <- covModel("multimatern", range = 0.5, smoothness = seq(0.4, 2, length.out = p),
                      correlation = 0.6 * diag(p) + 0.4)
    recipe <- seeded(tbrf(grid, model, 200, object = TRUE))
    waves <- statcl:::recipe_lines(statcl:::with_key(recipe$common, recipe), 1)
    own <- statcl:::wave_coefficients(recipe, 1, waves, NULL, NULL, 0)
    turn <- 2 * pi * (as.matrix(grid) %*% t(waves$k) + rep(waves$phase, each = 6))
    true <- cos(turn) %*% own$cosine + sin(turn) %*% own$sine
    expect_lt(max(abs(predict(recipe, as.matrix(grid))[] - true)), 1e-10)
    expect_lt(max(abs(as.vector(predict(recipe, grid)) - as.vector(true))), 1e-10)
  }
})

test_that("waves in lots have the sums of all at once", {
  x <- cbind(c(0, 0.4), c(0.1, 0.7))
  recipe <- seeded(tbrf(x, matern3(), 2^14 + 2000, object = TRUE))
  waves <- statcl:::recipe_lines(statcl:::with_key(recipe$common, recipe), 1)
  own <- statcl:::wave_coefficients(recipe, 1, waves, NULL, NULL, 0)
  turn <- 2 * pi * (x %*% t(waves$k) + rep(waves$phase, each = 2))
  expect_lt(max(abs(predict(recipe, x)[] - cos(turn) %*% own$cosine - sin(turn) %*% own$sine)), 1e-10)
})

test_that("nuggets belong to places and variables, and may be correlated", {
  nugget <- matrix(c(2, -1, -1, 3), 2)
  quiet <- covModel("lmc", parts = list(covModel("exponential", range = 1)), sill = list(diag(0, 2)))
  noise <- update(quiet, nugget = nugget)
  set.seed(1)
  recipe <- tbrf(cbind(0, 0), noise, object = TRUE)
  x <- as.matrix(rfGrid(0, 1, c(50, 40)))
  value <- predict(recipe, x)
  expect_equal(predict(recipe, x[c(5, 5, 900), ])[], value[c(5, 5, 900), ])
  expect_lt(max(abs(moment_scores(t(value[]), c(0, 0), nugget))), 4)
  own <- predict(tbrf(cbind(0, 0), update(noise, nugget = c(1, 0)), object = TRUE), x)
  expect_true(all(own[, 2] == 0) && abs(var(own[, 1]) - 1) < 4 * sqrt(2 / 2000))
  expect_true(all(tbrf(x, quiet) == 0))
})

test_that("means are those of all variables, or functions of coordinates and the variable", {
  x <- cbind(1:3, 4)
  base <- seeded(tbrf(x, matern3(), 100))
  expect_equal(seeded(tbrf(x, update(matern3(), mean = 5), 100))[], base[] + 5)
  sloping <- update(matern3(), mean = function(x) x[, "x"] + 10 * x[, 3])
  expect_equal(seeded(tbrf(x, sloping, 100))[], base[] + outer(1:3, c(10, 20, 30), `+`))
})

test_that("values have a layer for each variable, in the class of the points", {
  model <- matern3()
  x <- cbind(c(r = 0, s = 1, t = 2), 1)
  one <- seeded(tbrf(x, model, 100))
  expect_identical(dimnames(one), list(c("r", "s", "t"), c("a", "b", "c")))
  expect_identical(dim(tbrf(x, model, 100, nsim = 2)), c(3L, 3L, 2L))
  grid <- seeded(tbrf(rfGrid(0, 1, c(4, 3)), model, 100, nsim = 2))
  expect_identical(dim(grid), c(4L, 3L, 3L, 2L))
  table <- as.data.frame(grid)
  expect_identical(names(table), c("x", "y", paste0(c("a", "b", "c"), rep(c("_sim_1", "_sim_2"), each = 3))))
  expect_identical(table$b_sim_2, as.vector(grid[, , "b", 2]))
  expect_identical(names(as.data.frame(tbrf(cbind(0, 0:1), coregional(), 50))), c("x", "y", "z1", "z2"))
  expect_output(print(grid), "2 random fields of 3 variables on a grid")
  expect_output(print(one), "Random field of 3 variables on 3 points")
  expect_output(print(attr(one, "recipe")), "Recipe of a random field of 3 variables on a plane")
  expect_output(print(summary(grid)), "a_sim_1")
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(grid))
  expect_silent(plot(grid, component = "b", sim = 2))
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(data.frame(x = 0:1, y = 0), coords = c("x", "y"))
  expect_true(all(c("a", "b", "c") %in% names(tbrf(points, model, 100))))
})

test_that("a field is written to a file as a whole", {
  grid <- rfGrid(0, 0.1, c(12, 9))
  for (model in list(matern3(), coregional())) {
    file <- tempfile(fileext = ".bin")
    written <- seeded(tbrf(grid, model, 100, method = "spectral", file = file, fragment = 5))
    p <- variables_of(model)
    whole <- seeded(tbrf(grid, model, 100, method = "spectral"))
    expect_equal(as.vector(written[, , ]), as.vector(whole), tolerance = 1e-12)
    expect_identical(dim(written), c(12L, 9L, p))
  }
})

test_that("what is not for several variables says so", {
  x <- cbind(0:1, 0)
  expect_input_error(tbrf(x, matern3(), method = "fft"), "\"spectral\" is")
  expect_input_error(tbrf(x, matern3(), method = "table"), "\"spectral\" is")
  expect_input_error(tbrf(x, matern3(), 0.1), "tolerance")
  expect_input_error(tbrf(x, matern3(), 1), "at least 3, one for each part")
  expect_input_error(tbrf(x, matern3(), step = 1), "step is for method = \"table\"")
  expect_input_error(tbrf(cbind(x, 1), matern3()), "dimension of the points, 3: they have coordinates only")
  expect_input_error(tbrf(x, matern3(), time = 1, correlation.time = 1), "one variable")
  expect_input_error(tbrf(x, matern3(), data = list(x = x, y = 1:2)), "gpFit")
  expect_input_error(tbrf(x, rfVector(matern3())), "several variables")
  field <- tbrf(rfGrid(0, 1, c(5, 4)), matern3(), 100, nsim = 2)
  expect_input_error(rfGradient(field), "several variables")
  expect_input_error(rfTransform(field, exp), "one variable")
  expect_input_error(rfSummary(field), "one variable")
  expect_input_error(rfCovariance(field), "one variable")
  expect_input_error(tbrfError(field), "one variable")
  expect_input_error(tbrfError(matern3()), "several variables")
  expect_warning(tbrf(rfGrid(0, 1, c(64, 64)), matern3(), 50), "stripes", class = "statcl_warning_stripes")
  expect_warning(tbrf(rfGrid(0, 1, c(64, 64)), coregional(), 50, method = "spectral"), "stripes")
})

# ---- simulations of fits ----

data_of_fit <- function(nugget) {
  set.seed(8)
  places <- data.frame(x = runif(25), y = runif(25))
  y <- matrix(simulate(matern3(nugget = nugget), seed = 1, x = labelled(as.matrix(places), 3), method = "exact"), 25)
  y[1:5, 1] <- NA
  data.frame(places, a = y[, 1], b = y[, 2], c = y[, 3])
}
fitted_model <- function(nugget)
  gpFit(cbind(a, b, c) ~ 1, data_of_fit(nugget), ~ x + y, matern3(nugget = nugget), fixed = TRUE)
draws_of <- function(table) as.matrix(table[startsWith(names(table), "sim_")])

test_that("simulations of a fit are given the data, by co-kriging of what is left", {
  for (nugget in list(c(0.1, 0.2, 0.05), matrix(c(0.1, 0.05, 0, 0.05, 0.2, -0.1, 0, -0.1, 0.3), 3))) {
    fit <- fitted_model(nugget)
    new <- data.frame(x = c(0.5, 0.52), y = 0.5)
    n <- 500
    fields <- simulate(fit, n, seed = 2, newdata = new, type = "latent", method = "tbrf", nlines = 300)
    expect_identical(fields[1:2], simulate(fit, 1, seed = 2, newdata = new)[1:2], ignore_attr = TRUE)
    values <- draws_of(fields)
    wanted <- predict(fit, new, se.fit = TRUE, type = "latent")
    expect_lt(max(abs(rowMeans(values) - wanted$fit) / wanted$se.fit) * sqrt(n), 4)
    expect_lt(max(abs(apply(values, 1, var) / wanted$se.fit^2 - 1)) / sqrt(2 / n), 4)
    if (!every_test() && is.matrix(nugget)) next
    skip_if_quick()
    n <- 1000
    values <- draws_of(simulate(fit, n, seed = 3, newdata = new, method = "spectral", nlines = 300))
    exact <- draws_of(simulate(fit, 20000, seed = 4, newdata = new))
    # of values that are normal but for the waves, with errors of both samples
    true <- cov(t(exact))
    spread <- sqrt((true^2 + tcrossprod(diag(true))) * (1 / n + 1 / 20000))
    expect_lt(max(abs(cov(t(values)) - true) / spread), 4)
    at_data <- draws_of(simulate(fit, n, seed = 5, method = "tbrf", nlines = 300))
    true <- covariance(fit$cov, fit$x)
    scores <- moment_scores(at_data, fit$fitted.values, true)
    expect_lt(max(abs(scores)), 4.5) # of 2,500
    expect_lt(abs(sd(scores[-seq_along(fit$y)]) - 1), 0.2)
  }
})

test_that("simulations meet data without errors, on meshes as at points, of one variable or all", {
  fit <- fitted_model(0)
  at <- fit$x[fit$x[, 3] == 2, 1:2][1:4, ]
  new <- data.frame(x = at[, 1], y = at[, 2])
  met <- simulate(fit, 2, seed = 1, newdata = new, variable = "b", method = "tbrf")
  expect_equal(met$sim_2, unname(fit$y[fit$x[, 3] == 2][1:4]), tolerance = 1e-8)
  skip_if_quick()
  grid <- rfGrid(0, 1 / 320, c(321, 320))
  whole <- simulate(fit, 1, seed = 1, newdata = grid, method = "tbrf", type = "latent")
  some <- c(7, 50000, 321 * 320)
  points <- simulate(fit, 1, seed = 1, newdata = as.data.frame(grid)[some, ], method = "tbrf", type = "latent")
  expect_equal(points$sim_1, whole$sim_1[c(some, 321 * 320 + some, 2 * 321 * 320 + some)], tolerance = 1e-9)
  one <- simulate(fit, 1, seed = 1, newdata = grid, variable = "c", method = "tbrf", type = "latent")
  expect_equal(as.vector(one[][some]), points$sim_1[7:9], tolerance = 1e-9)
  expect_message(simulate(fit, 1, seed = 1, newdata = rfGrid(0, 0.02, c(40, 30))), "more than 3,000 locations")
  # of a fit by Vecchia's approximation, whose kriging is that of all data where these are its neighbours
  near <- gpFit(cbind(a, b, c) ~ 1, data_of_fit(0.1), ~ x + y, matern3(nugget = 0.1), fixed = TRUE,
                method = "vecchia", m = 69)
  wanted <- predict(near, new, se.fit = TRUE, type = "latent")
  values <- draws_of(simulate(near, 500, seed = 1, newdata = new, type = "latent", method = "tbrf", nlines = 300))
  expect_lt(max(abs(rowMeans(values) - wanted$fit) / wanted$se.fit) * sqrt(500), 4)
  expect_lt(max(abs(apply(values, 1, var) / wanted$se.fit^2 - 1)) / sqrt(2 / 500), 4)
  expect_input_error(simulate(fit, 1, newdata = new, method = "exact", nlines = 10), "takes no nlines")
})

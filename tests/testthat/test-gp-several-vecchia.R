# Vecchia's approximation for several variables: with all neighbours it is the exact likelihood, and neighbours that
# are chosen lose less than others.

several_problem <- function(model, xy, error = NULL) statcl:::gp_problem(model, statcl:::plain_points(xy), error)
set.seed(47)
sites <- matrix(runif(60), 30)
places <- cbind(sites[rep(1:30, 3), ], rep(1:3, each = 30))[-c(3, 40), ] # two are missing
sill <- matrix(c(1, 0.4, 0.2, 0.4, 1.3, -0.3, 0.2, -0.3, 0.8), 3)
shared <- matrix(c(0.2, 0.05, 0.02, 0.05, 0.3, 0, 0.02, 0, 0.1), 3)
smooth_first <- covModel("multimatern", variance = c(1, 2, 3), range = 0.2, smoothness = c(0.5, 0.8, 1.5),
                         correlation = matrix(c(1, 0.5, 0, 0.5, 1, -0.2, 0, -0.2, 1), 3), nugget = c(0.1, 0.05, 0.02))
models <- list(
  turned = covModel("lmc", parts = list(covModel("matern", range = 0.1, smoothness = 0.7, angle = 30, ratio = 0.4),
                                        covModel("exponential", range = 0.5)), sill = list(sill, 0.5 * sill),
                    nugget = shared),
  rank = covModel("lmc", parts = list(covModel("spherical", range = 0.6),
                                      covModel("powexp", range = 0.5, shape = 1.2)),
                  sill = list(sill, matrix(0.1, 3, 3)), rank = c(3, 1), nugget = c(0.1, 0.2, 0.3)),
  ranges = covModel("multimatern", variance = c(1, 2, 3), range = c(0.2, 0.3, 0.25), smoothness = c(0.5, 1.5, 0.9),
                    correlation = matrix(c(1, 0, 0.2, 0, 1, -0.1, 0.2, -0.1, 1), 3), nugget = shared, angle = 20,
                    ratio = 0.5))
globe <- cbind(runif(90, -180, 180), asin(runif(90, -1, 1)) * 180 / pi, rep(1:3, 30))
sphere <- covModel("multimatern", variance = c(1, 2, 3), range = 2000, smoothness = c(0.5, 1.5, 0.9), nugget = 0.1,
                   correlation = matrix(c(1, 0.1, 0.2, 0.1, 1, -0.1, 0.2, -0.1, 1), 3), distance = "chordal", dim = 3)

test_backends("with all neighbours likelihoods are those of reference values", {
  reference <- small_first(read_ref("mgp"))
  reference <- reference[reference$n <= 270, ] # the work grows with the fourth power
  data_of <- read_ref("mgp_data")
  for (i in seq_len(nrow(reference))) {
    r <- reference[i, ]
    d <- data_of[data_of$config == r$config, ]
    p <- several_problem(several_reference(r), unname(as.matrix(d[c("x", "y", "var")])))
    data <- list(y = d$value, X = outer(d$var, seq_len(r$p), "==") + 0)
    v <- statcl:::vecchia_problem(p, data, nrow(d))
    found <- statcl:::vecchia_evaluate(v, "ML")
    expect_equal(found$value, r$loglik_ml, tolerance = 1e-10)
    expect_equal(found$beta, unlist(r[paste0("mu", seq_len(r$p))], use.names = FALSE), tolerance = 1e-9)
    expect_equal(statcl:::vecchia_evaluate(v, "REML")$value, r$loglik_reml, tolerance = 1e-10)
  }
})

# Differences of fourth order with steps of 1e-3 have errors of some 1e-10 of the function's scale.
test_that("derivatives and information are those of the exact likelihood, and of differences", {
  for (model in c(models, list(sphere))) {
    xy <- if (model$name == "multimatern" && model$distance == "chordal") globe else places
    p <- several_problem(model, xy)
    data <- list(y = sin(seq_len(nrow(xy))), X = cbind(1, xy[, 1L]))
    names <- statcl:::derivative_names(p)
    v <- statcl:::vecchia_problem(p, data, nrow(xy))
    for (estimator in c("ML", "REML")) {
      exact <- statcl:::gp_evaluate(p, data, estimator, names, names, "expected")
      found <- statcl:::vecchia_evaluate(v, estimator, names, names)
      expect_equal(found$value, exact$value, tolerance = 1e-11)
      expect_equal(found$gradient, exact$gradient, tolerance = 1e-9)
      if (estimator == "ML") expect_equal(found$information, exact$information, tolerance = 1e-9, ignore_attr = TRUE)
    }
    few <- statcl:::vecchia_problem(p, data, 5)
    rows <- statcl:::cov_parameters(p$parts)
    value <- function(u) statcl:::vecchia_evaluate(
      statcl:::gp_at(few, statcl:::set_parameters(model, u, rows)), "REML")$value
    gradient <- statcl:::vecchia_evaluate(few, "REML", names)$gradient
    for (name in names) expect_equal(gradient[[name]], differenced(value, rows$value, match(name, rows$name)),
                                     tolerance = 1e-6 * max(1, max(abs(gradient)) / abs(gradient[[name]])))
  }
})

test_that("places nearer than tables reach have the exact likelihood", {
  xy <- rbind(places, c(1e-25, 0, 1), c(0, 0, 2), c(0, 3e-24, 3))
  p <- several_problem(smooth_first, xy)
  data <- list(y = cos(seq_len(nrow(xy))))
  expect_equal(statcl:::vecchia_evaluate(statcl:::vecchia_problem(p, data, nrow(xy)), "ML")$value,
               statcl:::gp_evaluate(p, data, "ML")$value, tolerance = 1e-11)
})

# With a derivative for the angle kernels make the covariances, and without it lanes of sets by tables of their own.
# Both are right to a few units in the last place, and sums over 500 sets of some 20 places to some hundred of these.
test_that("covariances that lanes of sets make are those of kernels", {
  set.seed(8)
  for (trial in seq_len(repetitions(12, 300))) {
    p <- sample(2:4, 1)
    n <- sample(400:600, 1)
    m <- sample(22:33, 1)
    xy <- cbind(matrix(runif(2 * n), n), sample(p, n, TRUE))
    if (trial %% 3 == 0) xy[1:50, ] <- cbind(xy[51:100, 1:2], xy[51:100, 3] %% p + 1) # two variables at a place
    nugget <- if (trial %% 2) runif(p, 0.01, 1) else tcrossprod(matrix(rnorm(p^2), p)) + diag(p)
    model <- covModel("multimatern", variance = exp(rnorm(p, sd = 2)), smoothness = exp(runif(p, log(0.2), log(4))),
                      range = exp(rnorm(if (trial %% 4 < 2) 1 else p, -2)), correlation = diag(p), nugget = nugget,
                      angle = runif(1, 0, 180), ratio = runif(1, 0.2, 1))
    beta <- tcrossprod(statcl:::sphere_root(rnorm(p * (p - 1) / 2), p)$root)
    model$correlation <- beta * statcl:::multimatern_factors(model)$value
    problem <- several_problem(model, xy)
    v <- statcl:::vecchia_problem(problem, list(y = rnorm(n)), m)
    names <- setdiff(statcl:::derivative_names(problem), c("angle", "ratio"))
    value <- statcl:::vecchia_sums(v)
    lanes <- statcl:::vecchia_sums(v, names)
    kernels <- statcl:::vecchia_sums(v, c(names, "angle"))
    of <- seq_along(names)
    expect_equal(value$log_det, kernels$log_det, tolerance = 1e-11)
    expect_equal(value$gram, kernels$gram, tolerance = 1e-11)
    expect_equal(lanes[c("log_det", "gram")], kernels[c("log_det", "gram")], tolerance = 1e-11)
    expect_equal(lanes$slopes, kernels$slopes[of], tolerance = 1e-9)
    expect_equal(lanes$information, kernels$information[of, of], tolerance = 1e-9)
  }
})

# The sum of logarithms of conditional variances falls to log det S: the smaller, the nearer.
test_that("neighbours that are chosen lose less than the nearest", {
  set.seed(3)
  n <- 400
  xy <- cbind(matrix(runif(2 * n), n)[rep(seq_len(n), 3), ], rep(1:3, each = n))
  p <- several_problem(smooth_first, xy)
  det <- as.numeric(2 * gpLoglik(smooth_first, xy, numeric(3 * n)) + 3 * n * log(2 * pi))
  lost <- function(m, chosen) {
    metric <- statcl:::several_neighbour_metric(p)
    if (!chosen) metric$by <- NULL
    v <- statcl:::vecchia_problem(p, list(y = numeric(3 * n)), m, metric = metric)
    (statcl:::vecchia_sums(v)$log_det + det) / (6 * n)
  }
  some <- vapply(c(5, 10, 20), lost, 0, chosen = TRUE)
  expect_true(all(some > 0) && all(diff(some) < 0))
  expect_lt(some[3], 0.66 * lost(20, FALSE))
})

test_that("the smoother variable comes first, and else the variables of a place together", {
  p <- several_problem(smooth_first, places)
  order <- statcl:::several_order(p, statcl:::several_neighbour_metric(p))
  expect_identical(rle(places[order, 3L])$values, c(3, 2, 1))
  p <- several_problem(models$rank, places)
  order <- statcl:::several_order(p, statcl:::several_neighbour_metric(p))
  expect_identical(sort(order), seq_len(nrow(places)))
  expect_identical(length(rle(paste(places[order, 1L], places[order, 2L]))$values), 30L)
  apart <- cbind(matrix(runif(90), 45), rep(1:3, c(25, 15, 5)))
  p <- several_problem(models$rank, apart)
  order <- statcl:::several_order(p, statcl:::several_neighbour_metric(p))
  first <- tabulate(apart[order[1:18], 3L], 3L) / c(25, 15, 5) # of each variable about as large a part
  expect_true(all(abs(first - 0.4) < 0.07))
})

field <- local({
  set.seed(11)
  n <- 60
  xy <- matrix(runif(2 * n), n)
  S <- covariance(smooth_first, cbind(xy[rep(seq_len(n), 3), ], rep(1:3, each = n)))
  z <- matrix(drop(rnorm(3 * n) %*% chol(S)), n)
  d <- data.frame(x = xy[, 1], y = xy[, 2], w = rnorm(n), a = 1 + z[, 1], b = z[, 2], c = z[, 3] - 2)
  d$a[1:10] <- NA
  d
})

test_that("a fit with all neighbours is the exact one", {
  skip_if_quick()
  both <- lapply(c("exact", "vecchia"), function(method)
    gpFit(cbind(a, b, c) ~ w, field, ~ x + y, "multimatern", method = method, m = 1000,
          fixed = list(smoothness.a = 0.5, smoothness.b = 0.8, smoothness.c = 1.5)))
  expect_equal(logLik(both[[2]]), logLik(both[[1]]), tolerance = 1e-8)
  expect_equal(coef(both[[2]], "all"), coef(both[[1]], "all"), tolerance = 1e-4)
  expect_equal(both[[2]]$parameters$std.error, both[[1]]$parameters$std.error, tolerance = 1e-3)
})

test_that("fits by neighbours predict, simulate and cross-validate as exact ones", {
  model <- update(smooth_first, variable = c("a", "b", "c"))
  exact <- gpFit(cbind(a, b, c) ~ w, field, ~ x + y, model, fixed = TRUE)
  fit <- gpFit(cbind(a, b, c) ~ w, field, ~ x + y, model, fixed = TRUE, method = "vecchia", m = 200)
  near <- gpFit(cbind(a, b, c) ~ w, field, ~ x + y, model, fixed = TRUE, method = "vecchia", m = 30)
  expect_equal(logLik(fit), logLik(exact), tolerance = 1e-12)
  expect_equal(logLik(near), logLik(exact), tolerance = 1e-3)
  new <- data.frame(x = runif(20), y = runif(20), w = 0)
  expect_equal(predict(fit, new, se.fit = TRUE), predict(exact, new, se.fit = TRUE), tolerance = 1e-10)
  sd <- predict(exact, new, se.fit = TRUE)
  expect_lt(max(abs(predict(near, new, se.fit = TRUE)$fit - sd$fit) / sd$se.fit), 0.1)
  expect_equal(residuals(fit, "loo"), residuals(exact, "loo"), tolerance = 1e-8)
  expect_equal(residuals(fit, "standardized"), residuals(fit, "standardized"))
  expect_equal(gpCV(fit, k = 5, seed = 1)$mean, gpCV(exact, k = 5, seed = 1)$mean, tolerance = 1e-10)
  draws <- simulate(near, 200, seed = 1, newdata = new, variable = "b", type = "latent")
  of <- predict(exact, new, variable = "b", se.fit = TRUE)
  draws <- as.matrix(draws[startsWith(names(draws), "sim_")])
  expect_lt(max(abs(rowMeans(draws) - of$fit) / of$se.fit), 4.5 / sqrt(200)) # of 20 means
})

# Neighbours of a place are told apart by correlations, whatever the variances of the variables.
test_that("units of a variable change nothing but what has its unit", {
  of <- function(unit) {
    model <- covModel("multimatern", variance = c(1, 2 * unit^2), range = 0.2, smoothness = 0.5, correlation = 0.5,
                      nugget = c(0.1, 0.1 * unit^2), variable = c("b", "c"))
    fit <- gpFit(cbind(b, c) ~ 1, transform(field, c = unit * c), ~ x + y, model, fixed = TRUE, method = "vecchia",
                 m = 8)
    c(fit$loglik + 60 * log(unit), predict(fit, field[1:5, ]) / rep(c(1, unit), each = 5))
  }
  for (unit in c(1e-25, 1e-7, 1e7, 1e25)) expect_equal(of(unit), of(1), tolerance = 1e-8)
})

# Errors of variables that are measured together are correlated: what is left of one tells of that of another.
test_that("what is left out is predicted with the errors of other variables at its place", {
  model <- covModel("multimatern", variance = c(1, 2), range = 0.2, smoothness = 0.5, correlation = 0.5,
                    nugget = matrix(c(0.3, 0.25, 0.25, 0.4), 2), variable = c("b", "c"))
  both <- lapply(c("exact", "vecchia"), function(method)
    gpFit(cbind(b, c) ~ w, field, ~ x + y, model, fixed = TRUE, method = method, m = 200))
  numbers <- function(fit, ...) unlist(gpCV(fit, ...)[c("mean", "sd")])
  expect_equal(numbers(both[[2]], "loo"), numbers(both[[1]], "loo"), tolerance = 1e-10)
  fold <- rep_len(1:7, 120)
  expect_equal(numbers(both[[2]], folds = fold), numbers(both[[1]], folds = fold), tolerance = 1e-10)
  expect_equal(hatvalues(both[[2]]), hatvalues(both[[1]]), tolerance = 1e-10)
})

test_that("values do not depend on the number of threads", {
  p <- several_problem(models$turned, places)
  values <- lapply(1:2, function(threads) {
    old <- options(statcl.threads = threads)
    on.exit(options(old))
    v <- statcl:::vecchia_problem(p, list(y = cos(seq_len(nrow(places)))), 8)
    statcl:::vecchia_evaluate(v, "ML", statcl:::derivative_names(p), statcl:::derivative_names(p))
  })
  expect_identical(values[[1]], values[[2]])
})

test_that("blocks, and numbers of neighbours that are none, are errors that say what is", {
  expect_input_error(gpFit(cbind(b, c) ~ w, field, ~ x + y, method = "vecchia", block = 2),
                     "must be 1 for several variables")
  for (m in list(0, 2.5, NA, 1:2))
    expect_input_error(gpFit(cbind(b, c) ~ w, field, ~ x + y, method = "vecchia", m = m), "positive")
})

# gpFit() ends on the highest maximum of the likelihood of small data, and tells of a second one and of maxima at
# infinity.

states <- data.frame(datasets::state.x77, x = datasets::state.center$x, y = datasets::state.center$y)

# The largest likelihood with a range held between ends far beyond all distances.
of_profile <- function(fit, again) {
  ends <- c(min(dist(fit$x)[dist(fit$x) > 0]) / 5, 5 * max(dist(fit$x)))
  ranges <- exp(seq(log(ends[1]), log(ends[2]), length.out = repetitions(5, 12)))
  max(vapply(ranges, function(range) suppressWarnings(again(fixed = list(range = range)))$loglik, 0))
}

test_that("no profile of the range is higher, wherever a search begins", {
  skip_if_quick()
  places <- datasets::quakes[1:80, ]
  for (cov in c("exponential", "gaussian")) { # of which a search from a few starts ends on the lower of two maxima
    again <- function(...) gpFit(log(stations) ~ mag, places, ~ depth + mag, cov, ...)
    fit <- again()
    expect_gt(fit$loglik, if (cov == "exponential") -12.78391 else -12.69292)
    expect_lte(of_profile(fit, again), fit$loglik + 1e-7)
    expect_equal(again(start = as.list(fit$second$estimates))$loglik, fit$loglik, tolerance = 1e-8)
  }
  again <- function(...) gpFit(Life.Exp ~ 1, states, ~ x + y, "spherical", estimator = "REML", ...)
  fit <- again()
  expect_gt(fit$loglik, -71.21195)
  expect_lte(of_profile(fit, again), fit$loglik + 1e-7)
})

test_that("models of two lengths, directions and fixed parameters end on the highest maximum, too", {
  skip_unless_all()
  set.seed(21)
  d <- data.frame(x = runif(40), y = runif(40))
  stripes <- covModel("exponential", range = 0.6, angle = 25, ratio = 0.1, nugget = 0.05)
  d$z <- drop(crossprod(chol(covariance(stripes, d)), rnorm(40)))
  turned <- covModel("exponential", range = NA, nugget = NA, angle = NA, ratio = NA)
  fit <- gpFit(z ~ 1, d, ~ x + y, turned)
  for (angle in c(-70, 20)) {
    start <- list(range = 0.4, ratio = 0.3, angle = angle, nugget = 0.3, variance = 1)
    expect_gte(fit$loglik, gpFit(z ~ 1, d, ~ x + y, turned, start = start)$loglik - 1e-6)
  }
  held <- gpFit(z ~ 1, d, ~ x + y, turned, fixed = list(nugget = 0.4))
  expect_gte(held$loglik, update(held, start = list(range = 0.02, angle = 80))$loglik - 1e-6)
  axes <- gpFit(z ~ 1, d, ~ x + y, covModel("exponential", range = NA, nugget = NA, scales = c(NA, NA)))
  expect_gte(axes$loglik, gpFit(z ~ 1, d, ~ x + y, "exponential")$loglik - 1e-6)
})

test_that("a spherical covariance ends on the higher of two maxima next to each other", {
  skip_if_quick()
  set.seed(4)
  d <- data.frame(x = runif(16), y = runif(16), z = rnorm(16))
  turned <- covModel("spherical", range = NA, nugget = NA, angle = NA, ratio = NA)
  expect_gt(suppressWarnings(gpFit(z ~ 1, d, ~ x + y, turned, estimator = "REML"))$loglik, -12.59678)
})

test_that("a second maximum is one, and summary() tells of it", {
  fit <- gpFit(log(stations) ~ mag, datasets::quakes[1:80, ], ~ depth + mag, "exponential")
  expect_lt(fit$second$below, 2)
  model <- do.call(update, c(list(fit$cov), as.list(fit$second$estimates)))
  value <- gpLoglik(model, fit$x, fit$y, fit$X, gradient = TRUE)
  expect_equal(c(value), fit$loglik - fit$second$below, tolerance = 1e-6, ignore_attr = TRUE)
  inside <- names(which(fit$second$estimates > 1e-8))
  expect_lt(max(abs(attr(value, "gradient")[inside] * fit$second$estimates[inside])), 0.01)
  expect_output(print(summary(fit)), "A second maximum of the likelihood is lower by 0[.]274: variance")
  expect_null(gpFit(Sepal.Length ~ 1, datasets::iris[1:50, ], ~ Petal.Length + Petal.Width, "exponential")$second)
})

test_that("climbs from many starts end on all maxima that are at most 2 lower", {
  s <- list(reference = 0, maps = list(), at = 1L, own = list(lower = -Inf, upper = Inf),
            bounds = list(low = -Inf, high = Inf), about = list(problem = list(parts = list())))
  # of a likelihood that climbs do not change: value v at v
  search <- list(space = s, interrupted = function() FALSE, climb = function(v, lik, ..., wanted = -Inf)
    list(value = v, v = v, converged = v >= wanted, repeated = FALSE))
  for (values in list(c(0, -0.1, -0.2, -1.9, -2.1), c(0, -0.1, -0.2, -0.4, -0.6, -0.8, -1.9, -2.1))) {
    ends <- climbs_from(as.list(values), NULL, search)
    converged <- vapply(ends, `[[`, NA, "converged")
    expect_equal(vapply(ends, `[[`, 0, "value")[converged], values[values >= -2])
  }
})

test_that("limits at infinity are recognised, and named", {
  set.seed(4)
  d <- data.frame(x = runif(60), y = runif(60))
  d$z <- 3 * d$x + rnorm(60) / 5
  fit <- gpFit(z ~ 1, d, ~ x + y, "gaussian", estimator = "REML")
  expect_identical(fit$parameters["range", "boundary"], "upper")
  expect_match(fit$notes, "linear trend", all = FALSE)
  # variance and range grow together, and the likelihood does not change any more
  larger <- gpLoglik(update(fit$cov, range = 3 * fit$cov$range, variance = 9 * fit$cov$variance), fit$x, fit$y, fit$X,
                     estimator = "REML")
  expect_equal(c(larger), fit$loglik, tolerance = 1e-5, ignore_attr = TRUE)
  fit <- gpFit(z ~ 1, d, ~ x + y, "exponential", estimator = "REML")
  expect_match(fit$notes, "The limit is the variogram 0[.]0[0-9]* [+] [0-9.]+ h\\^1, which has no range", all = FALSE)
  d$z <- sin(5 * d$x) + rnorm(60) / 50
  fit <- gpFit(z ~ 1, d, ~ x + y, "matern")
  expect_match(fit$notes, "The limit is the covariance \"gaussian\" of range 0[.]6", all = FALSE)
  limit <- gpFit(z ~ 1, d, ~ x + y, "gaussian")
  expect_equal(as.numeric(sub(".*range (0[.][0-9]+)[.]$", "\\1", grep("gaussian", fit$notes, value = TRUE))),
               limit$cov$range, tolerance = 0.05) # of the same height, and not quite the same shape
})

test_that("a variogram without a range is that along the longest axis", {
  m <- covModel("exponential", range = 1e5, variance = 2e5, nugget = 0.5, angle = 30, ratio = 0.25)
  at <- 3 * rbind(c(0, 0), c(cospi(1 / 6), sinpi(1 / 6)))
  expect_equal(2e5 - covariance(m, at)[1, 2], 2 * 3, tolerance = 1e-4)
  expect_identical(variogram_note(m, 10),
                   "The limit is the variogram 0.5 + 2 h^1 in the direction of angle, which has no range.")
  expect_match(variogram_note(update(m, ratio = 1), 10), "2 h\\^1, which has no range")
  # along stripes without end no digits are left
  endless <- covModel("gaussian", range = 1e10, nugget = 0.1, angle = 30, ratio = 1e-8)
  expect_identical(variogram_note(endless, 10), "The limit is a linear trend with normal coefficients.")
})

test_that("a variance that is profiled out is no start", {
  set.seed(3)
  d <- data.frame(x = runif(40), y = runif(40))
  d$z <- 1000 * d$x + 100 * rnorm(40)
  ask <- function(variance, ...) gpFit(z ~ 1, d, ~ x + y, covModel("gaussian", range = NA, nugget = NA,
                                                                   variance = variance), ...)
  for (m in c("exact", "vecchia")) {
    unknown <- ask(NA, method = m)
    for (variance in c(1e-4, 1)) {
      fit <- ask(variance, method = m)
      expect_identical(fit$evaluations, unknown$evaluations)
      expect_identical(fit$parameters, unknown$parameters)
    }
  }
})

test_that("a maximum where two points come to lie on one stripe is one, though it has no derivative there", {
  set.seed(4)
  sample(4, 1)
  d <- data.frame(x = runif(60), y = runif(60))
  d$z <- rnorm(60)
  expect_no_warning(fit <- gpFit(z ~ 1, d, ~ x + y, covModel("exponential", range = NA, nugget = NA, angle = NA,
                                                             ratio = NA)))
  expect_true(fit$converged)
  expect_match(fit$notes, "stripes: it varies across the direction of angle, with range 0[.]0", all = FALSE)
})

test_that("stripes along lines of a lattice, and across points nearly on a line, are maxima", {
  skip_if_quick()
  turned <- covModel("exponential", range = NA, nugget = NA, angle = NA, ratio = NA)
  lattice <- expand.grid(x = 1:5, y = 1:5)
  lattice$z <- c(2, 2, 4, 3, 4, 2, 2, 1, 1, 3, 5, 3, 3, 5, 4, 1, 2, 4, 5, 0, 1, 3, 4, 1, 4)
  expect_no_warning(fit <- gpFit(z ~ 1, lattice, ~ x + y, turned))
  expect_true(fit$converged)
  expect_equal(fit$cov$angle, -45, tolerance = 1e-8)
  set.seed(2)
  stats::runif(40)
  line <- data.frame(x = 1:20, y = 0.02 * rnorm(20)) # all directions are on one side of that of the stripes
  line$z <- as.numeric(stats::arima.sim(list(ar = 0.9), 20))
  expect_no_warning(fit <- gpFit(z ~ 1, line, ~ x + y, turned))
  expect_true(fit$converged)
})

test_that("stripes on which equal responses make the likelihood infinite are no maximum", {
  skip_if_quick()
  set.seed(1)
  d <- data.frame(x = runif(40), y = runif(40), w = rnorm(40))
  d$z <- round(1.5 * rnorm(40))
  fit <- gpFit(z ~ 1, d, ~ x + y, covModel("exponential", range = NA, nugget = NA, angle = NA, ratio = NA))
  expect_true(fit$converged)
  equal <- which(outer(d$z, d$z, "==") & upper.tri(diag(40)), arr.ind = TRUE)
  across <- outer(d$y, d$y, "-") * cospi(fit$cov$angle / 180) - outer(d$x, d$x, "-") * sinpi(fit$cov$angle / 180)
  apart <- min(abs(across[equal])) / (fit$cov$range * fit$cov$ratio)
  expect_true(apart > 0.3 || fit$cov$nugget > 0.01 * fit$cov$variance)
  # in the direction from one point to another the likelihood grows with the range, whatever the others are
  pair <- equal[1, ]
  turn <- atan2(diff(d$y[pair]), diff(d$x[pair])) * 180 / pi
  along <- function(range) gpLoglik(covModel("exponential", range = range, ratio = 1e-3 / range, angle = turn),
                                    d[1:2], d$z)
  expect_equal(c(along(1e6) - along(1e3)), log(1e3) / 2, tolerance = 1e-3)
})

test_that("narrow stripes in any direction are found", {
  skip_if_quick()
  turned <- covModel("exponential", range = NA, nugget = NA, angle = NA, ratio = NA)
  at_least <- c("3" = -68.6041, "5" = -84.9967) # a grid of directions alone ends at -70.848 and -85.794
  for (seed in c(3, 5)) {
    set.seed(seed)
    d <- data.frame(x = runif(60), y = runif(60))
    stripes <- covModel("exponential", range = 1000, angle = runif(1, -90, 90), ratio = 4e-6, nugget = 0.01)
    d$z <- drop(crossprod(chol(covariance(stripes, d)), rnorm(60)))
    fit <- suppressWarnings(gpFit(z ~ 1, d, ~ x + y, turned))
    expect_gt(fit$loglik, at_least[[as.character(seed)]])
  }
})

test_that("of many maxima on narrow stripes the highest ones are found", {
  # values: the highest of the ends of a search with five times the starts
  restricted <- function(seed, family) {
    set.seed(seed)
    d <- data.frame(x = runif(20), y = runif(20), z = rnorm(20))
    gpFit(z ~ 1, d, ~ x + y, covModel(family, range = NA, nugget = NA, angle = NA, ratio = NA), estimator = "REML")
  }
  expect_gt(restricted(10, "gaussian")$loglik, -19.68037)
  expect_gt(restricted(14, "spherical")$loglik, -17.66714)
  expect_gt(restricted(16, "spherical")$loglik, -19.71931)
  expect_gt(2^-1060 / 2, 0) # denormal numbers are 0 in factors alone
})

test_that("a climb goes on from stripes without end, and a fixed ratio or another model has none", {
  set.seed(3)
  d <- data.frame(x = runif(20), y = runif(20), z = rnorm(20))
  of <- function(cov, free, v) {
    about <- statcl:::likelihood_of(gpFit(z ~ 1, d, ~ x + y, cov, fixed = TRUE))$search()
    statcl:::search_space(about, free, statcl:::gp_scales(about$problem, about$data), v)
  }
  turned <- covModel("exponential", range = 1e9, nugget = 0.1, angle = 20, ratio = 1e-12)
  v <- statcl:::cov_parameters(list(turned))$value
  s <- of(turned, c("variance", "angle", "ratio", "nugget"), v)
  expect_identical(off_bounds(v, s), v)
  expect_equal(off_bounds(replace(v, s$rows$name == "ratio", 0), s)[s$rows$name == "ratio"], 0.05)
  both <- covModel("exponential", range = 1e9, angle = 20, ratio = 1e-12) + covModel("gaussian", range = 0.3)
  rows <- statcl:::cov_parameters(both$parts)
  s <- of(both, rows$name, rows$value)
  expect_identical(vapply(1:2, function(k) is_striped(rows$value, s, rows$part == k), NA), c(TRUE, FALSE))
})

test_that("directions of pairs are those of lines, without points at one place", {
  xy <- cbind(c(0, 0, 1, 0), c(0, 0, -1, 2), 1:4) # times are no direction
  expect_equal(sort(statcl:::pair_directions(xy)), c(-90, -90, atan2(-3, 1) * 180 / pi, -45, -45))
})

test_that("a given ratio that is small ends on stripes as narrow as those of a free one", {
  set.seed(7)
  d <- data.frame(x = runif(25), y = runif(25))
  across <- d$y * cos(0.5) - d$x * sin(0.5)
  by <- order(across)
  d$z[by] <- 3 * cumsum(rnorm(25, 0, sqrt(c(1, diff(across[by])))))
  turned <- covModel("exponential", range = NA, nugget = NA, angle = NA, ratio = NA)
  free <- suppressWarnings(gpFit(z ~ 1, d, ~ x + y, turned))
  fit <- suppressWarnings(gpFit(z ~ 1, d, ~ x + y, turned, fixed = list(ratio = 1e-4)))
  expect_lte(fit$loglik, free$loglik + 1e-6)
  expect_gt(fit$loglik, free$loglik - 0.5) # with the lengths of the grid 18 less
})

test_that("likelihoods of stripes in all directions are those of their covariance matrices", {
  set.seed(8)
  xy <- cbind(runif(12), runif(12))
  y <- rnorm(12)
  turns <- c(-1.2, 0.3, 1.4)
  widths <- c(0.02, 0.4)
  by_matrix <- Vectorize(function(turn, width) {
    across <- xy[, 2L] * cos(turn) - xy[, 1L] * sin(turn)
    max(vapply(c(1e-4, 0.2), function(share) {
      root <- chol((1 - share) * exp(-2 * as.matrix(dist(across)) / width) + diag(share, 12))
      white <- backsolve(root, cbind(y, 1), transpose = TRUE)
      rss <- sum(qr.resid(qr(white[, 2L]), white[, 1L])^2)
      -6 * log(rss) - sum(log(diag(root)))
    }, 0))
  })
  expect_equal(statcl:::stripe_values(xy, y, turns, widths), outer(turns, widths, by_matrix), tolerance = 1e-10)
})

test_that("points of other times are on no stripe, and other maxima are left alone", {
  set.seed(2)
  d <- data.frame(x = runif(30), y = runif(30), t = rep(1:3, 10), z = rep(c(1, 2, 4), 10))
  search <- function(cov, coords) {
    about <- statcl:::likelihood_of(gpFit(z ~ 1, d, coords, cov, fixed = TRUE))$search()
    scales <- c(statcl:::gp_scales(about$problem, about$data), list(penalty = FALSE))
    rows <- about$rows
    free <- rows$name[rows$kind %in% c("angle", "ratio")]
    off_spikes(list(space = statcl:::search_space(about, free, scales, rows$value), climb = identity))
  }
  plane <- covModel("exponential", range = 0.3, nugget = 0.1, angle = 20, ratio = 0.5)
  expect_true(search(plane, ~ x + y)$spikes)
  later <- search(covModel("separable", space = plane, time = covModel("exponential", range = 2)), ~ x + y + t)
  expect_false(later$spikes)
  expect_identical(later$climb, identity)
})

test_that("pairs whose responses the coefficients may make equal are those of maximum likelihood", {
  about <- list(data = list(y = c(1, 1, 2), X = cbind(1, c(0, 0, 1))), estimator = "REML",
                problem = list(xy = cbind(c(0, 1, 2), c(0, 2, 5))))
  expect_identical(tied_pairs(about), list(along = -1, across = -2))
  again <- about # two more at the last place are on one stripe in all directions
  again$data <- list(y = c(1, 1, 2, 2), X = cbind(1, c(0, 0, 1, 1)))
  again$problem$xy <- cbind(c(0, 1, 2, 2), c(0, 2, 5, 5))
  expect_identical(tied_pairs(again), list(along = -1, across = -2))
  about$estimator <- "ML"
  expect_identical(tied_pairs(about), list(along = c(-1, -2, -1), across = c(-2, -5, -3)))
})

test_that("no fit and no point of a profile is less likely than the linear model", {
  skip_if_quick()
  linear <- function(d, restricted = FALSE) c(logLik(lm(log(stations) ~ mag, d), REML = restricted))
  for (places in list(datasets::quakes[1:60, ], datasets::quakes[61:120, ])) {
    fit <- gpFit(log(stations) ~ mag, places, ~ long + lat,
                 covModel("exponential", range = NA, nugget = NA, distance = "euclidean"))
    farthest <- sqrt(2 * (fit$loglik - linear(places)))
    expect_lt(max(abs(profile(fit, "range")$range$tau)), farthest + 1e-5)
    expect_identical(unname(confint(fit, "range", method = "profile")), cbind(0, Inf))
    for (estimator in c("ML", "REML")) for (method in c("exact", "vecchia")) {
      held <- update(fit, estimator = estimator, method = method, fixed = list(range = 1e-3))
      expect_equal(held$loglik, linear(places, estimator == "REML"))
      expect_identical(held$parameters[c("variance", "nugget"), "boundary"], c("lower", ""))
      expect_match(held$notes, "No correlation was found", all = FALSE)
    }
  }
  # from where a profile is, too: of these the search ended on maxima that were lower by 1.9 and by 3.1
  for (seed in c(14, 48)) {
    set.seed(seed)
    d <- data.frame(x = runif(12), y = runif(12))
    d$z <- d$x + rnorm(12)
    model <- covModel("exponential", range = NA, nugget = NA) + covModel("gaussian", range = NA, variance = NA)
    for (cov in c("exponential", if (every_test()) list(model))) {
      s <- statcl:::gp_profile_state(gpFit(z ~ x, d, ~ x + y, cov))
      at <- grep("range", s$rows$name)[1L]
      for (range in c(0.02, 2, 4, 40))
        expect_gte(statcl:::gp_profile_fit(s, s$k + at, range, s)$loglik, c(logLik(lm(z ~ x, d))) - 2e-6)
    }
  }
})

test_that("known error variances and sums contain the model without correlation", {
  skip_unless_all()
  set.seed(2)
  d <- data.frame(x = runif(20), y = runif(20), error = runif(20, 0.5, 1.5))
  d$z <- rnorm(20, sd = sqrt(d$error))
  weighted <- lm(z ~ 1, d, weights = 1 / error)
  alone <- sum(dnorm(d$z, fitted(weighted), sqrt(d$error), log = TRUE))
  for (fixed in list(list(), list(range = 20), list(nugget = 0))) {
    fit <- gpFit(z ~ 1, d, ~ x + y, "exponential", error.variance = error, fixed = fixed)
    expect_gte(fit$loglik, alone - 1e-6)
  }
  both <- covModel("exponential", range = NA, nugget = NA) + covModel("spherical", range = NA, variance = NA)
  fit <- suppressWarnings(gpFit(z ~ 1, d, ~ x + y, both))
  for (cov in c("exponential", "spherical")) expect_gte(fit$loglik, gpFit(z ~ 1, d, ~ x + y, cov)$loglik - 1e-6)
  d$z <- cos(3 * d$x) + sin(4 * d$y)
  both <- covModel("gaussian", range = NA, nugget = NA) + covModel("gaussian", range = NA, variance = NA)
  fit <- suppressWarnings(gpFit(z ~ 1, d, ~ x + y, both, fixed = list(range.2 = 1e-3, nugget.1 = 0.1)))
  expect_identical(fit$parameters["variance.2", "boundary"], "lower")
  expect_match(fit$notes, "The other parameters of part 2 of the sum have no effect", all = FALSE)
  expect_equal(gpFit(z ~ 1, d, ~ x + y, covModel("exponential", range = 0.1), fixed = list(variance = 0, range = 1))$
                 loglik, c(logLik(lm(z ~ 1, d))))
})

test_that("values on a grid are those of gpLoglik()", {
  set.seed(5)
  d <- data.frame(x = runif(70), y = runif(70), w = rnorm(70))
  d$z <- d$w + rnorm(70)
  X <- cbind(1, d$w)
  factor <- c(0.5, 1, 3)
  nugget <- c(0.01, 0.3, 2)
  for (model in list(covModel("spherical", range = 0.4), covModel("matern", range = 0.1, smoothness = 2.5, angle = 30,
                                                                  ratio = 0.3)))
    for (estimator in c("ML", "REML")) for (error in list(NULL, d$x)) {
      xy <- cbind(d$x, d$y)
      p <- statcl:::gp_problem(model, statcl:::plain_points(xy), error)
      found <- statcl:::exact_along(p, list(y = d$z, X = X), estimator, factor, nugget, FALSE)
      value <- mapply(function(f, g)
        c(gpLoglik(update(model, variance = f, nugget = g), xy, d$z, X, estimator, error)), factor, nugget)
      expect_equal(found, unname(value), tolerance = 1e-12)
    }
  p <- statcl:::gp_problem(model, statcl:::plain_points(xy), NULL)
  found <- statcl:::exact_along(p, list(y = d$z, X = X), "REML", factor, nugget, TRUE)
  value <- mapply(function(f, g)
    max(vapply(exp(seq(-1, 1, 0.01)), function(s)
      c(gpLoglik(update(model, variance = s * f, nugget = s * g), xy, d$z, X, "REML")), 0)), factor[2:3], nugget[2:3])
  expect_true(all(found[2:3] >= value - 1e-9))
  same <- update(model, nugget = 0, variance = 1)
  expect_true(is.nan(statcl:::exact_along(
    statcl:::gp_problem(update(same, range = 1e9), statcl:::plain_points(xy), NULL), list(y = d$z, X = X), "ML", 1, 0,
    TRUE)))
})

test_that("values alone are those with derivatives, of any number of observations", {
  set.seed(6)
  for (k in seq_len(repetitions(60, 200))) {
    n <- sample(4:140, 1)
    d <- data.frame(x = runif(n), y = runif(n), w = rnorm(n), z = rnorm(n), e = runif(n) / 5)
    model <- covModel(sample(c("exponential", "spherical"), 1), range = 10^runif(1, -2, 0.5), variance = rexp(1),
                      nugget = 10^runif(1, -3, 0), angle = runif(1, -90, 90), ratio = runif(1, 0.1, 1))
    fit <- gpFit(z ~ w, d, ~ x + y, model, fixed = TRUE, estimator = sample(c("ML", "REML"), 1),
                 error.variance = if (k %% 2) d$e)
    lik <- statcl:::likelihood_of(fit)
    point <- statcl:::parameter_point(statcl:::covariance_values(fit))
    value <- lik$evaluate(point, Inf)$value
    expect_equal(value, lik$evaluate(point, -Inf)$value, tolerance = 1e-12)
    expect_equal(value, as.numeric(logLik(fit)), tolerance = 1e-12)
  }
})

test_that("profile limits are those of any unit of the coordinates", {
  set.seed(42)
  d <- data.frame(x = runif(20), y = runif(20))
  d$z <- sin(4 * d$x + 2 * d$y) + rnorm(20, 0, 0.2)
  limits <- function(unit)
    confint(gpFit(z ~ 1, transform(d, x = unit * x, y = unit * y), ~ x + y, "exponential", fixed = list(nugget = 0)),
            c("variance", "range"), method = "profile")
  of_one <- limits(1)
  expect_true(all(is.finite(of_one)))
  expect_equal(limits(1000) / c(1, 1000), of_one, tolerance = 1e-4)
})

test_that("a profile takes the higher of two branches", {
  skip_if_quick()
  places <- datasets::quakes[1:150, ]
  model <- covModel("exponential", range = NA, nugget = NA, distance = "chordal")
  fit <- gpFit(log(stations) ~ mag, places, ~ long + lat, model)
  curve <- as.data.frame(profile(fit, "mag"))
  for (k in which(abs(curve$tau) > 0.5 & abs(curve$tau) < 1.5)) {
    held <- gpFit(log(stations) ~ 1, places, ~ long + lat, model, offset = curve$value[k] * mag)
    expect_equal(fit$loglik - curve$tau[k]^2 / 2, held$loglik, tolerance = 1e-6)
  }
})

test_that("values at many parameters in one call are those of gpLoglik()", {
  set.seed(7)
  d <- data.frame(x = runif(40), y = runif(40), z = rnorm(40))
  X <- cbind(rep(1, 40))
  v <- cbind(variance = runif(5), range = c(0.1, 0.2, 0.5, 1, 3), smoothness = c(0.5, 0.8, 1.5, 2.2, 3), angle = 0,
             ratio = 1, nugget = runif(5))
  for (turned in c(FALSE, TRUE)) {
    if (turned) v[, c("angle", "ratio")] <- cbind(c(-70, -20, 0, 30, 90), c(0.1, 1, 0.4, 0.9, 0.5))
    models <- lapply(1:5, function(k) do.call(covModel, c(list("matern", distance = "euclidean"), as.list(v[k, ]))))
    p <- statcl:::gp_problem(models[[1L]], statcl:::plain_points(cbind(d$x, d$y)), d$x)
    rows <- statcl:::cov_parameters(list(models[[1L]]))
    engine <- statcl:::engine_of_sets(p, unname(v[, rows$name]), as.list(rows))
    nugget <- c(0.3, 2)
    found <- statcl:::exact_along(p, list(y = d$z, X = X), "REML", rep(1, 10), rep(nugget, 5), FALSE, engine)
    value <- vapply(models, function(m) vapply(nugget, function(g)
      c(gpLoglik(update(m, nugget = g), cbind(d$x, d$y), d$z, X, "REML", d$x)), 0), nugget)
    expect_equal(matrix(found, 2L), unname(value), tolerance = 1e-11)
  }
  sum <- covModel("exponential", range = 1) + covModel("gaussian", range = 2)
  p <- statcl:::gp_problem(sum, statcl:::plain_points(cbind(d$x, d$y)), NULL)
  rows <- as.list(statcl:::cov_parameters(sum$parts))
  expect_null(statcl:::engine_of_sets(p, rbind(rows$value), rows))
})

test_that("steps within bounds are the best ones", {
  set.seed(8)
  for (k in 1:100) {
    n <- sample(5L, 1L)
    h <- crossprod(matrix(rnorm((n + 1L) * n), n + 1L)) + diag(0.05, n)
    gradient <- 2 * rnorm(n)
    low <- -runif(n) * sample(0:1, n, TRUE, c(0.1, 0.9))
    high <- runif(n) * (low < 0 | runif(n) < 0.5)
    s <- statcl:::search_step(gradient, h, 0, low, high)
    slope <- drop(gradient - h %*% s)
    expect_true(all(s >= low & s <= high))
    expect_true(all(ifelse(low == high, TRUE, ifelse(s == high, slope > -1e-9, ifelse(
      s == low, slope < 1e-9, abs(slope) < 1e-7)))))
  }
})

test_that("a climb to a maximum that has been seen ends on the way, and to no other one", {
  set.seed(9)
  d <- data.frame(x = runif(40), y = runif(40))
  d$z <- 3 * sin(4 * d$x) + rnorm(40)
  fit <- gpFit(z ~ 1, d, ~ x + y, covModel("exponential", range = NA, nugget = NA, distance = "euclidean"))
  lik <- statcl:::likelihood_of(fit)
  about <- lik$search()
  scales <- c(statcl:::gp_scales(about$problem, about$data), list(began = c(elapsed = Inf), penalty = FALSE))
  s <- statcl:::search_space(about, about$task$searched, scales)
  from <- statcl:::search_start(about$rows$value, s) + 0.7
  whole <- statcl:::search_climb(from, s, lik)
  expect_true(whole$converged && !whole$repeated)
  climb <- function(value, t)
    statcl:::search_climb(from, s, lik, seen = list(list(at = whole$at, t = t, value = value)))
  again <- climb(whole$value, whole$t)
  expect_true(again$repeated && again$evaluations < whole$evaluations)
  expect_false(climb(whole$value + 0.1, whole$t)$repeated)
  expect_false(climb(whole$value, whole$t + 1)$repeated)
})

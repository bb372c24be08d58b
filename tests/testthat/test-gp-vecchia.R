# Given all before it, each location's density is that of the exact likelihood; with few neighbours, that of R's own
# factors. tests/testthat/test-gp-neighbours.R has orders and neighbours themselves.

problem <- function(model, x, y, m, X = NULL, error = NULL, block = 1) {
  p <- statcl:::gp_problem(model, statcl:::likelihood_points(x, model), error)
  statcl:::vecchia_problem(p, statcl:::gp_data(p, y, X), m, block)
}
parameters_of <- function(model) statcl:::parameter_names(statcl:::model_parts(model))$name

# The densities of each observation given its neighbours, from covariance().
by_hand <- function(model, x, y, m) {
  order <- statcl:::gp_ordering(x)
  near <- statcl:::gp_neighbours(x[order, , drop = FALSE], m)
  S <- covariance(model, x)[order, order]
  y <- y[order]
  sum(vapply(seq_along(y), function(i) {
    k <- near[!is.na(near[, i]), i]
    w <- if (length(k)) solve(S[k, k], S[k, i]) else numeric()
    dnorm(y[i], sum(w * y[k]), sqrt(S[i, i] - sum(w * S[k, i])), log = TRUE)
  }, 0))
}

# On a device, whose sums take longer, in `make test` some of what the processor does.
here <- function(all, n, from = 1) if (useDevice()[1] == "cpu") all else every_nth(all, n, from)

test_backends("with all earlier locations as neighbours, value, gradient and information are the exact ones", {
  set.seed(5)
  n <- 60
  plane <- matrix(runif(2 * n), n)
  sphere <- cbind(runif(n, -180, 180), runif(n, -80, 80))
  times <- cbind(plane, runif(n))
  gneiting <- covModel("gneiting", space = covModel("matern", range = 0.3, smoothness = 0.8),
                       time = list(range = 0.5, shape = 0.7, interaction = 0.6), variance = 2, nugget = 0.1)
  cases <- list(
    list(covModel("matern", range = 0.2, smoothness = 0.7, variance = 2, nugget = 0.1), plane),
    list(covModel("exponential", range = 0.2, variance = 2), plane),
    list(covModel("matern", range = 0.2, smoothness = 0.7, variance = 2, nugget = 0.1, angle = 30, ratio = 0.4),
         plane),
    list(covModel("matern", range = 0.2, smoothness = 1.2, nugget = 0.1) +
           covModel("exponential", range = 0.02, nugget = 0.2), plane),
    list(covModel("wendland", range = 0.5, smoothness = 1, shape = 4, nugget = 0.1), plane[, 1, drop = FALSE]),
    list(covModel("cauchy", range = 0.5, shape = 1.5, scales = c(1, 2, 0.7), nugget = 0.1), times),
    list(covModel("powexp", range = 3, shape = 1.2, nugget = 0.1, distance = "euclidean"), matrix(runif(8 * n), n)),
    list(gneiting, times),
    list(covModel("matern", range = 2000, smoothness = 0.4, nugget = 0.1, distance = "greatcircle"), sphere),
    list(covModel("matern", range = 2000, smoothness = 1.4, nugget = 0.1, distance = "chordal"), sphere))
  y <- rnorm(n)
  X <- cbind(1, plane[, 1])
  error <- runif(n)
  for (k in seq_along(cases)) for (known in here(list(NULL, error), 2, k %% 2 + 1)) {
    model <- cases[[k]][[1]]
    x <- cases[[k]][[2]]
    names <- names(attr(gpLoglik(model, x, y, gradient = TRUE), "gradient"))
    # sums of n terms, in another order
    near <- function(got, wanted) expect_lt(max(abs(got - wanted)), 1e-12 * max(n, abs(wanted)))
    exact <- gpLoglik(model, x, y, X, error.variance = known, gradient = TRUE, information = TRUE)
    got <- statcl:::vecchia_evaluate(problem(model, x, y, n - 1, X, known), "ML", names, names)
    near(got$value, as.numeric(exact))
    near(got$beta, attr(exact, "coefficients"))
    near(got$gradient, attr(exact, "gradient")[names])
    information <- attr(exact, "information")
    if (model$name == "wendland") # what is not known of two parameters of a family
      information["smoothness", "shape"] <- information["shape", "smoothness"] <- 0
    near(got$information, information)
    restricted <- gpLoglik(model, x, y, X, "REML", error.variance = known, gradient = TRUE)
    got <- statcl:::vecchia_evaluate(problem(model, x, y, n - 1, X, known), "REML", names)
    near(got$value, as.numeric(restricted))
    near(got$gradient, attr(restricted, "gradient")[names])
  }
})

test_backends("with few neighbours the value is the sum of conditional densities, and the gradient its derivative", {
  set.seed(6)
  x <- rbind(matrix(runif(1000), 500), matrix(rnorm(200, 0.5, 1e-3), 100)) # a cluster
  x <- rbind(x, x[1:20, ], as.matrix(expand.grid(1:6, 1:6)) / 6) # observations at one place, and a grid
  y <- rnorm(nrow(x))
  model <- covModel("matern", range = 0.1, smoothness = 0.6, variance = 2, nugget = 0.2)
  names <- parameters_of(model)[c(1, 2, 3, 6)]
  for (m in here(c(1, 2, 5, 17, 30), 2)) {
    p <- problem(model, x, y, m)
    got <- statcl:::vecchia_evaluate(p, "ML", names)
    expect_lt(abs(got$value / by_hand(model, x, y, m) - 1), 1e-11)
    for (name in here(every_nth(names, 2, m %% 2 + 1), 2)) {
      at <- function(by) statcl:::vecchia_evaluate(
        statcl:::gp_at(p, do.call(update, c(list(model), setNames(list(model[[name]] * (1 + by)), name)))),
        "ML")$value
      h <- 1e-4 # differences of fourth order, whose rounding error is 1e-16 value / h
      slope <- (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h * model[[name]])
      expect_lt(abs(got$gradient[[name]] - slope), 1e-8 * max(abs(got$gradient)))
    }
  }
})

test_backends("blocks of locations are as their joint densities, and the gradient is the derivative", {
  set.seed(14)
  x <- rbind(matrix(runif(600), 300), matrix(0.3, 4, 2)) # 4 at one location
  y <- rnorm(nrow(x))
  X <- cbind(1, x[, 1])
  model <- covModel("matern", range = 0.1, smoothness = 0.6, variance = 2, nugget = 0.2)
  S <- covariance(model, x)
  names <- parameters_of(model)[c(1, 2, 3, 6)]
  for (case in list(c(2, 12), c(16, 1), c(5, 12), c(304, 1))) {
    block <- case[1]
    m <- case[2]
    sets <- statcl:::gp_blocks(x, block, m)
    expect_identical(sort(sets$order), seq_len(nrow(x)))
    before <- c(0L, sets$ends[-length(sets$ends)])
    white <- do.call(rbind, lapply(seq_along(sets$ends), function(i) {
      member <- sets$members[!is.na(sets$members[, i]), i]
      own <- (before[i] + 1L):sets$ends[i]
      centre <- colMeans(x[sets$order[own], , drop = FALSE])
      near <- member[seq_len(length(member) - length(own))]
      apart <- colSums((t(x[sets$order[seq_len(before[i])], , drop = FALSE]) - centre)^2)
      expect_identical(utils::tail(member, length(own)), own)
      expect_equal(sort(apart[near]), sort(apart)[seq_len(min(m, before[i]))])
      at <- sets$order[c(near, own)]
      root <- chol(S[at, at])
      rows <- length(near) + seq_along(own)
      cbind(log(diag(root)), backsolve(root, cbind(y, X)[at, ], transpose = TRUE))[rows, , drop = FALSE]
    }))
    rss <- sum(qr.resid(qr(white[, 3:4]), white[, 2])^2)
    p <- problem(model, x, y, m, X, block = block)
    got <- statcl:::vecchia_evaluate(p, "ML", names, names)
    expect_lt(abs(got$value / -(nrow(x) / 2 * log(2 * pi) + sum(white[, 1]) + rss / 2) - 1), 1e-12)
    for (name in if (block == 5) names) {
      at <- function(by) statcl:::vecchia_evaluate(
        statcl:::gp_at(p, do.call(update, c(list(model), setNames(list(model[[name]] * (1 + by)), name)))),
        "ML")$value
      h <- 1e-4
      slope <- (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h * model[[name]])
      expect_lt(abs(got$gradient[[name]] - slope), 1e-8 * max(abs(got$gradient)))
    }
  }
  # one block of all is the exact likelihood
  exact <- gpLoglik(model, x, y, X, gradient = TRUE, information = TRUE)
  expect_lt(abs(got$value / as.numeric(exact) - 1), 1e-12)
  expect_lt(max(abs(got$information / attr(exact, "information")[names, names] - 1)), 1e-9)
})

# Values, derivatives, predictions and draws on the built-in backend and on PoCL's device as a GPU, whose groups have
# so many bytes of memory; and the kernels that this has launched.
on_gpu <- function(bytes = NULL) in_new_R({
  set.seed(21)
  plane <- matrix(runif(140), 70)
  plane[8, ] <- plane[9, ]
  sphere <- cbind(runif(70, -180, 180), runif(70, -80, 80))
  smooth <- covModel("matern", range = 0.2, smoothness = 0.7, variance = 2, nugget = 0.1)
  gneiting <- covModel("gneiting", space = covModel("matern", range = 0.3, smoothness = 0.8),
                       time = list(range = 0.5, shape = 0.7, interaction = 0.6), variance = 2, nugget = 0.1)
  cases <- list(list(smooth, plane, 15), list(update(smooth, smoothness = 1.5), plane, 30),
                list(smooth, plane, 5, block = 4), list(update(smooth, angle = 30, ratio = 0.4), plane, 15),
                list(smooth + covModel("exponential", range = 0.02, nugget = 0.2), plane, 9),
                list(covModel("cauchy", range = 0.5, shape = 1.5, nugget = 0.1), cbind(plane, plane[70:1, 1]), 33),
                list(gneiting, cbind(plane, plane[70:1, 1]), 7),
                list(covModel("matern", range = 2000, smoothness = 0.4, nugget = 0.1, distance = "greatcircle"),
                     sphere, 1))
  values <- function(model, x, m, block = 1) {
    p <- statcl:::gp_problem(model, statcl:::likelihood_points(x, model), if (m > 20) x[, 1] / 9)
    names <- names(attr(withDevice("cpu", gpLoglik(model, x, x[, 1], gradient = TRUE)), "gradient"))
    p <- statcl:::vecchia_problem(p, statcl:::gp_data(p, x[, 2], cbind(1, x)), m, block)
    known <- list(statcl:::vecchia_evaluate(p, "ML"), statcl:::vecchia_evaluate(p, "REML", names, names))
    near <- plane[1:9, ] + 0.1
    c(known, if (ncol(x) == 2 && block == 1 && m > 1)
      list(statcl:::vecchia_kriging(p, m, x, near), statcl:::vecchia_draws(p, x, near, near - 3, 4)))
  }
  all_values <- function() unlist(lapply(cases, do.call, what = values))
  cpu <- withDevice("cpu", all_values()) # makes the tables, too
  told <- clProfile(gpu <- withDevice("gpu:0", all_values()))
  list(gpu = gpu, cpu = cpu, kernels = unique(told$command[told$kind == "kernel"]))
}, c(STATCL_OPENCL_LIBRARY = faulty_loader(), STATCL_PROBE = "off", STATCL_COMPILE = "use", FAULTY_GPU = "1",
     FAULTY_LOCAL = bytes, fast_builds()))
vecchia_kernels <- function(r) sort(grep("vecchia", r$kernels, value = TRUE))

test_that("on a GPU a team of work-items has a location, in its group's memory, and gives the CPU's bits", {
  skip_if_quick()
  r <- on_gpu()
  programs <- paste0("vecchia_", c("form", "table", "team"), "_") # of common models, and of all
  expect_setequal(vecchia_kernels(r), as.vector(outer(programs, c("predict", "rows", "sums"), paste0)))
  expect_true(all(is.finite(r$gpu)))
  expect_identical(r$gpu, r$cpu)
})

test_that("on a GPU more members than a group's memory holds are in the device's, with the same bits", {
  skip_unless_all()
  r <- on_gpu("1500")
  expect_identical(setdiff(c(paste0("vecchia_", c("predict", "rows", "sums")), "vecchia_team_sums"), r$kernels),
                   character())
  expect_identical(r$gpu, r$cpu)
})

test_backends("two locations 1e-12 of the extent apart do not spoil the value", {
  set.seed(17)
  n <- 60
  x <- matrix(runif(2 * n), n)
  x[2, ] <- x[1, ] + c(1e-12, 0)
  y <- rnorm(n)
  for (nugget in c(0, 0.1)) for (range in c(0.05, 0.3, 3)) {
    model <- covModel("matern", smoothness = 0.3, range = range, nugget = nugget)
    names <- c("variance", "range", "smoothness", if (nugget > 0) "nugget")
    exact <- gpLoglik(model, x, y, gradient = TRUE)
    got <- statcl:::vecchia_evaluate(problem(model, x, y, n - 1), "ML", names)
    # a correlation of 1 - d has an error of some eps, and the conditional variance of the second is d
    given <- 1 - covariance(model, x[1, , drop = FALSE], x[2, , drop = FALSE]) / (1 + nugget)
    bound <- 50 * .Machine$double.eps / given[1]
    expect_lt(abs(got$value / as.numeric(exact) - 1), bound)
    expect_lt(max(abs(got$gradient / attr(exact, "gradient")[names] - 1)), 10 * bound)
  }
})

test_that("sums do not depend on threads", {
  set.seed(7)
  x <- matrix(runif(6000), 3000)
  p <- problem(covModel("matern", range = 0.1, smoothness = 0.7, nugget = 0.1), x, rnorm(3000), 10)
  sums <- lapply(1:4, function(threads) {
    old <- options(statcl.threads = threads)
    on.exit(options(old))
    statcl:::vecchia_sums(p, c("range", "smoothness"))
  })
  for (other in sums[-1]) expect_identical(other, sums[[1]])
})

test_backends("a fit by many neighbours is the exact fit, and one by few is near it", {
  if (!identical(useDevice(), "cpu")) skip_unless_all()
  set.seed(8)
  n <- 100 # the time grows with the fourth power
  d <- data.frame(x = runif(n), y = runif(n))
  model <- covModel("matern", range = 0.06, smoothness = 0.8, nugget = 0.1)
  d$z <- 3 + d$x + as.vector(simulate(model, seed = 8, x = as.matrix(d)))
  exact <- gpFit(z ~ x, d, ~ x + y)
  full <- gpFit(z ~ x, d, ~ x + y, method = "vecchia", m = n)
  expect_lt(abs(full$loglik - exact$loglik), 1e-6) # where the searches end
  expect_equal(full$parameters$estimate, exact$parameters$estimate, tolerance = 1e-3)
  expect_equal(full$parameters$std.error, exact$parameters$std.error, tolerance = 1e-2)
  expect_equal(vcov(full), vcov(exact), tolerance = 1e-3)
  few <- gpFit(z ~ x, d, ~ x + y, method = "vecchia", m = 20)
  apart <- function(fit) # in standard errors: 0.01, and 0.04 of blocks
    max(abs(fit$parameters$estimate - exact$parameters$estimate) / exact$parameters$std.error, na.rm = TRUE)
  expect_lt(apart(few), 0.1)
  expect_match(paste(capture.output(print(few)), collapse = "\n"), "20 neighbours")
  expect_error(anova(full, few), "method and m")
  blocks <- gpFit(z ~ x, d, ~ x + y, method = "vecchia", m = 20, block = 6)
  expect_lt(apart(blocks), 0.2)
  expect_match(paste(capture.output(print(blocks)), collapse = "\n"), "20 neighbours of blocks of 6")
  expect_error(anova(blocks, few), "block")
  expect_error(gpFit(z ~ x, d, ~ x + y, method = "vecchia", block = 1.5), "block = 1.5")
  restricted <- lapply(c("exact", "vecchia"), function(method)
    gpFit(z ~ x, d, ~ x + y, "exponential", estimator = "REML", method = method, m = n))
  # observed and expected information
  expect_equal(restricted[[2]]$parameters$std.error, restricted[[1]]$parameters$std.error, tolerance = 0.2)
  limits <- confint(full, c("range", "x"), method = "profile")
  expect_equal(limits, confint(exact, c("range", "x"), method = "profile"), tolerance = 1e-2)
})

test_backends("kriging, cross-validation and averages from all neighbours are the exact ones", {
  set.seed(9)
  n <- 150
  d <- data.frame(x = runif(n), y = runif(n), w = rnorm(n))
  for (nugget in here(c(0.1, 0), 2)) {
    model <- covModel("matern", range = 0.1, smoothness = 0.8, nugget = nugget)
    d$z <- 3 + d$w + as.vector(simulate(model, seed = 9, x = as.matrix(d[1:2])))
    fits <- lapply(c("exact", "vecchia"), function(method)
      gpFit(z ~ w, d, ~ x + y, cov = model, fixed = TRUE, method = method, m = n, error.variance = d$x / 10))
    both <- function(f) expect_equal(f(fits[[2]]), f(fits[[1]]), tolerance = 1e-8) # condition 1e3, and 1e-16
    new <- data.frame(x = c(d$x[3], runif(30)), y = c(d$y[3], runif(30)), w = 1)
    both(function(f) predict(f, new, se.fit = TRUE))
    both(function(f) predict(f, new, interval = "prediction", type = "latent"))
    both(function(f) predict(f, se.fit = TRUE))
    both(function(f) predict(f, new[1:3, ], block = c(0.1, 0.2), se.fit = TRUE))
    both(function(f) sum(residuals(f, "standardized")^2))
    both(function(f) residuals(f, "loo"))
    both(function(f) residuals(f, "loo.standardized"))
    both(hatvalues)
    both(cooks.distance)
    both(function(f) gpCV(f, folds = cut(d$x, c(0, 0.3, 0.6, 1)))[c("mean", "sd")])
    both(function(f) fitted(f, type = "latent"))
  }
})

test_backends("fields given all before them have the exact covariance", {
  set.seed(10)
  xy <- matrix(runif(60), 30)
  model <- covModel("matern", range = 0.3, smoothness = 0.8)
  p <- statcl:::gp_problem(model, list(xy = matrix(0, 0, 2), geographic = NA), NULL)
  root <- statcl:::vecchia_draws(p, matrix(0, 0, 30), xy, diag(30), 30)
  expect_lt(max(abs(tcrossprod(root) - covariance(model, xy))), 1e-13)
  # given data with errors, conditional mean and covariance
  points <- matrix(runif(80), 40)
  p <- statcl:::gp_problem(update(model, nugget = 0.2), list(xy = points, geographic = NA), NULL)
  y <- rnorm(40)
  S <- covariance(update(model, nugget = 0.2), points)
  cross <- covariance(model, points, xy)
  mean <- statcl:::vecchia_draws(p, cbind(y), xy, matrix(0, 30, 1), 70)
  expect_lt(max(abs(mean - crossprod(cross, solve(S, y)))), 1e-12)
  root <- statcl:::vecchia_draws(p, matrix(0, 40, 30), xy, diag(30), 70)
  expect_lt(max(abs(tcrossprod(root) - covariance(model, xy) + crossprod(cross, solve(S, cross)))), 1e-12)
})

test_that("simulations of a fit by neighbours have its predictions as means, and may be of turning bands", {
  set.seed(11)
  d <- data.frame(x = runif(200), y = runif(200))
  model <- covModel("matern", range = 0.1, smoothness = 0.8, nugget = 0.05)
  d$z <- as.vector(simulate(model, seed = 11, x = as.matrix(d)))
  fit <- gpFit(z ~ 1, d, ~ x + y, cov = model, fixed = TRUE, method = "vecchia", m = 25)
  new <- data.frame(x = c(runif(20), d$x[1:2]), y = c(runif(20), d$y[1:2]))
  wanted <- predict(fit, new, se.fit = TRUE, type = "latent")
  for (method in c("auto", "tbrf")) {
    fields <- as.matrix(simulate(fit, 1000, seed = 1, newdata = new, type = "latent", method = method)[, -(1:2)])
    z <- (rowMeans(fields) - wanted$fit) / wanted$se.fit * sqrt(1000)
    expect_lt(max(abs(z)), 4.5) # of 22, with probability 1e-4
    expect_lt(max(abs(apply(fields, 1, var) / wanted$se.fit^2 - 1)), 5 * sqrt(2 / 1000))
  }
  expect_identical(simulate(fit, 2, seed = 3, newdata = new)[, 3], simulate(fit, 1, seed = 3, newdata = new)[, 3])
  expect_equal(dim(simulate(fit, 2, seed = 3)), c(200L, 2L))
})

test_backends("many covariates take several passes", {
  set.seed(13)
  n <- 120
  X <- cbind(1, matrix(rnorm(24 * n), n))
  x <- matrix(runif(2 * n), n)
  y <- rnorm(n)
  model <- covModel("matern", range = 0.1, smoothness = 0.7, nugget = 0.1)
  exact <- gpLoglik(model, x, y, X, "REML", gradient = TRUE)
  names <- names(attr(exact, "gradient"))
  got <- statcl:::vecchia_evaluate(problem(model, x, y, n - 1, X), "REML", names)
  expect_lt(abs(got$value / as.numeric(exact) - 1), 1e-12)
  expect_lt(max(abs(got$gradient - attr(exact, "gradient"))), 1e-11 * n)
})

test_that("repeated places and times of many observations have scales", {
  set.seed(14)
  places <- matrix(runif(120), 60)
  xy <- cbind(places[rep(1:60, 90), ], rep(1:90, each = 60))
  model <- covModel("separable", space = covModel("exponential", range = 0.3),
                    time = covModel("exponential", range = 5), nugget = 0.1)
  p <- statcl:::gp_problem(model, list(xy = xy, geographic = NA), NULL)
  scales <- statcl:::gp_scales(p, list(y = rnorm(5400)))
  expect_identical(scales$time, c(1, 89))
  expect_lt(scales$space[1], 0.2)
})

test_that("what Vecchia's approximation cannot do is an error that says so", {
  set.seed(12)
  d <- data.frame(x = runif(50), y = runif(50), z = rnorm(50))
  d <- rbind(d, d[1, ] + c(0, 0, 1))
  fit <- function(...) gpFit(z ~ 1, d, ~ x + y, cov = "exponential", method = "vecchia", ...)
  expect_error(fit(fixed = list(nugget = 0), m = 10), "1 and 51 .*at one location", class = "statcl_error_input")
  expect_s3_class(fit(m = 10), "gpFit")
  expect_error(fit(fixed = list(nugget = 0, range = 0.1, variance = 1), m = 10), "from location (1|51) on",
               class = "statcl_error_input")
  expect_equal(dim(simulate(fit(m = 10), newdata = d[2, ], conditional = FALSE)), c(1L, 4L))
  expect_error(fit(m = 0), "m = 0", class = "statcl_error_input")
  expect_error(fit(m = 2.5), "m = 2.5", class = "statcl_error_input")
  two <- covModel("bimatern", range = 0.1, smoothness = c(0.5, 1, 0.75), variance = c(1, 1), correlation = 0.3)
  expect_error(gpFit(z ~ 1, cbind(d[1:50, ], v = 1:2), ~ x + y + v, cov = two, fixed = TRUE, method = "vecchia"),
               "several variables", class = "statcl_error_input")
})

test_that("a device is sent locations and neighbours once, and then parameters and tables alone", {
  skip_if(!length(opencl_devices()), "no OpenCL device")
  r <- in_new_R({
    set.seed(15)
    n <- 20000
    x <- matrix(runif(2 * n), n)
    model <- covModel("matern", range = 0.1, smoothness = 0.7, nugget = 0.1)
    p <- statcl:::gp_problem(model, list(xy = x, geographic = NA), NULL)
    p <- statcl:::vecchia_problem(p, list(y = rnorm(n), X = cbind(1, x)), 10)
    sent <- function(range, smoothness) {
      at <- statcl:::gp_at(p, update(model, range = range, smoothness = smoothness))
      profile <- withDevice(.(opencl_devices()[1]),
                            clProfile(statcl:::vecchia_evaluate(at, "ML", "range", "smoothness")))
      sum(profile$bytes[profile$command == "to device"])
    }
    c(sent(0.1, 0.7), sent(0.12, 0.8), n * (8 * 8 + 4 * 11))
  })
  expect_gt(r[1] - r[2], 0.9 * r[3]) # 8 numbers of a record, 11 members
  expect_lt(r[2], 1e6)
})

test_that("what is too smooth for a sequence is simulated at once where there are few", {
  set.seed(16)
  d <- data.frame(x = sort(runif(120, 0, 10)))
  d$z <- sin(d$x) + 0.1 * rnorm(120)
  fit <- gpFit(z ~ 1, d, ~ x, method = "vecchia", fixed = list(smoothness = 5))
  fields <- as.matrix(simulate(fit, 400, seed = 1))
  expect_equal(dim(fields), c(120L, 400L))
  variance <- fit$cov$variance + fit$cov$nugget
  expect_lt(abs(mean(apply(fields, 1, var)) / variance - 1), 5 * sqrt(2 / 400)) # were all locations one
})

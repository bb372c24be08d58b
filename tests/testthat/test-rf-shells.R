# Waves in shells of wave numbers. The covariances of ensembles are in test-rf-tbrf-ensemble.R.

skip_if_quick()
rough <- covModel("exponential", range = 2)
recipe_for <- function(model, nlines, dim = 2, ...) seeded(tbrf(matrix(0, 1, dim), model, nlines, ..., object = TRUE))
# P(|k| > k) of exp(-h / 2) in the plane, whose density is that of a Cauchy distribution in two dimensions.
tail_of_rough <- function(k) 1 / sqrt(1 + (2 * k)^2)
shells_of <- function(waves) rle(waves$amplitude)

test_that("any number of waves has the variance, in few runs of one amplitude", {
  models <- c(field_models(), list(
    covModel("besselj", range = 1, shape = 0), covModel("powerlaw", exponent = -11 / 3, kmin = 0.1, kmax = 20),
    covModel("matern", range = 1, smoothness = 0.03), covModel("matern", range = 1, smoothness = 2.5)))
  for (model in models) for (nlines in c(2:9, 33, 100, 1000)) {
    recipe <- recipe_for(model, nlines)
    expect_identical(vapply(recipe$shells, sum, 1L), recipe$share)
    expect_gte(min(unlist(recipe$shells)), 1)
    waves <- recipe_lines(recipe, 1)
    expect_equal(sum(waves$amplitude^2) / 2, sum(part_variances(recipe)), tolerance = 1e-12)
    expect_lte(length(shells_of(waves)$values), 40 * length(recipe$shells))
  }
  expect_identical(recipe_for(rough, 1)$shells, list(1L))
  pure <- covModel("exponential", range = 1, variance = 0, nugget = 1)
  expect_identical(recipe_for(pure + rough, 12)$shells[[1]], NULL)
})

test_that("each stratum of a shell has one wave, anywhere in it, of the amplitude of the shell", {
  for (directions in c("lowdiscrepancy", "halton", "fibonacci")) {
    recipe <- recipe_for(rough, 60, directions = directions, nsim = 40)
    n <- recipe$shells[[1]]
    mass <- 2^-c(seq_along(n[-1]), length(n) - 1)
    above <- 1 - cumsum(mass)
    within <- vapply(1:40, function(sim) {
      waves <- recipe_lines(recipe, sim)
      expect_equal(waves$amplitude, rep(sqrt(2 * mass / n), n), tolerance = 1e-14)
      p <- tail_of_rough(2 * pi * sqrt(rowSums(waves$k^2)))
      place <- (rep(above + mass, n) - p) / rep(mass / n, n) - sequence(n) + 1
      expect_true(all(place > -1e-6 & place < 1 + 1e-6))
      place
    }, numeric(60))
    # by Kolmogorov: 2400 independent uniforms
    expect_gt(stats::ks.test(as.vector(within), "punif")$p.value, 1e-9)
  }
})

test_that("directions of short waves are spread as evenly as those of all", {
  # of n directions of a lattice, the share in each eighth of the half circle is off by about log(n) / n; independent
  # ones would be off by sqrt(n) / 3
  waves <- recipe_lines(recipe_for(rough, 1000), 1)
  eighth <- floor(atan2(waves$k[, 2], waves$k[, 1]) / pi * 8) %% 8
  short <- seq_len(1000) > 600
  for (set in list(short, !short)) expect_lt(max(abs(tabulate(eighth[set] + 1, 8) - sum(set) / 8)), 8)
})

test_that("single fields are as rough at short lags as the model, with shells only", {
  second <- function(waves, dim, smoothness, h) {
    recipe <- recipe_for(covModel("matern", range = 1, smoothness = smoothness), 1000, dim, waves = waves, nsim = 30)
    vapply(1:30, function(sim) {
      lines <- recipe_lines(recipe, sim)
      sum(lines$amplitude^2 / 2 * 16 * sinpi(lines$k[, 1] * h)^4)
    }, 1)
  }
  # E (z(x + h) - 2 z(x) + z(x - h))^2 = 8 g(h) - 2 g(2 h), g(h) = C(0) - C(h)
  variograms <- list("0.5" = function(h) -expm1(-h), "1.5" = function(h) -expm1(log1p(h) - h),
                     "2.5" = function(h) -expm1(log1p(h + h^2 / 3) - h))
  for (nu in names(variograms)) for (dim in 2:3) for (h in c(0.1, 0.01)) {
    truth <- 8 * variograms[[nu]](h) - 2 * variograms[[nu]](2 * h)
    own <- second("shells", dim, as.numeric(nu), h) / truth
    expect_lt(sqrt(mean((own - 1)^2)), 0.05)
    expect_lt(abs(mean(own) - 1), 7 * sd(own) / sqrt(30))
    if (nu != "0.5") expect_gt(sqrt(mean((second("spectrum", dim, as.numeric(nu), h) / truth - 1)^2)), 0.2)
  }
})

test_that("fields of waves of one amplitude are those of recipes without shells", {
  recipe <- recipe_for(rough, 50, waves = "spectrum")
  expect_false(any(c("waves", "shells") %in% names(recipe)))
  x <- cbind(0:3, 1)
  recipe$key <- c(12345, 67890)
  # made from this key before there were shells
  known_values <- c(-0.9505018069789305, 0.18714747621370986, 0.25103319118685746, -0.53382693224084687)
  expect_equal(as.vector(predict(recipe, x)), known_values, tolerance = 1e-12)
  expect_output(print(recipe), "waves \"spectrum\"")
  for (counts in list(c(30L, 10L), c(51L, -1L), c(25.5, 24.5))) {
    changed <- recipe_for(rough, 50)
    changed$shells <- list(counts)
    expect_input_error(predict(changed, x), "as many waves as its lines")
  }
  expect_output(print(recipe_for(rough, 50)), "50 lines, waves \"shells\", directions")
})

# Shells by these tests alone, with the radii of exp(-h).
own_shells <- function(dim, count, mass, weight = mass) function(L) {
  edge <- rev(cumsum(rev(mass)))
  p <- unlist(Map(function(e, m, n) e - m * (seq_len(n) - stats::runif(n)) / n, edge, mass, count))
  k <- if (dim == 2) sqrt(p^-2 - 1) else sqrt(1 / stats::qbeta(p, 0.5, 1.5) - 1)
  list(k = k * random_ways(length(p), dim) / (2 * pi), amplitude = rep(sqrt(2 * weight / count), count))
}

test_that("checks accept shells, and reject amplitudes and radii that do not belong to them", {
  exponential <- isotropic(function(r) exp(-r))
  count <- c(12, 8, 6, 6)
  mass <- c(4, 2, 1, 1) / 8
  moments <- function(lines, dim) check_moments(line_sampler(lines), exponential, dim, c(0.05, 0.3, 1), pairs = 60,
                                                side = 60)
  for (dim in 2:3) {
    set.seed(dim)
    sound <- own_shells(dim, count, mass)
    expect_true(all(abs(moments(sound, dim)) < deviate_limit))
    excess <- cosine_excess(sound(1)$amplitude)
    expect_equal(excess, -1.5 * sum(mass^2 / count))
    # all waves with one amplitude; the masses of the last two shells exchanged with those of others
    expect_gt(max(abs(moments(own_shells(dim, count, mass, count / 32), dim))), deviate_limit)
    expect_gt(max(abs(moments(own_shells(dim, count, mass, rev(mass)), dim))), deviate_limit)
    few <- own_shells(dim, c(1, 3), c(0.5, 0.5))
    right <- cosine_excess(few(1)$amplitude)
    kurtosis <- function(excess) check_kurtosis(line_sampler(few, 4), dim, 1, excess, 60)
    expect_lt(abs(kurtosis(right)), deviate_limit)
    expect_gt(abs(kurtosis(0)), deviate_limit)
  }
})

test_that("a mesh is transformed where lines for a tolerance cost more, and values alone are asked for", {
  grid <- rfGrid(0, 1, c(32, 20))
  model <- covModel("exponential", range = 4, nugget = 0.1)
  how <- function(x) if (inherits(x, "rfRecipe")) x$method else attr(x, "recipe")$method
  exact <- seeded(tbrf(grid, model, 2e-4, nsim = 2))
  expect_identical(how(exact), "fft")
  expect_identical(exact[], seeded(tbrf(grid, model, nsim = 2, method = "fft"))[])
  expect_identical(how(tbrf(rfGrid(0, 1, 200), model, 5e-4)), "fft")
  lines <- list(tbrf(grid, model), tbrf(grid, model, 0.02), tbrf(grid, model, 30000),
                tbrf(grid, model, 0.01, object = TRUE), tbrf(grid, model, 0.01, method = "spectral"),
                tbrf(grid, model, 0.01, directions = "halton"), tbrf(grid, model, 0.01, waves = "spectrum"),
                tbrf(as.matrix(grid), model, 0.01), tbrf(grid, model, 0.01, data = list(x = cbind(1, 1), y = 0)))
  for (x in lines) expect_identical(how(x), "spectral")
  # the torus that would be large enough is beyond max.table
  expect_identical(how(tbrf(grid, model, 1e-3, max.table = 1000)), "spectral")
  expect_identical(how(tbrf(grid, covModel("powerlaw", exponent = -2, kmin = 0.5, kmax = 5), 0.01)), "spectral")
})

test_that("few lines on a large mesh are warned of", {
  grid <- rfGrid(0, 1, c(64, 64))
  for (method in c("spectral", "table"))
    expect_warning(tbrf(grid, rough, 100, method = method), "100 lines shows", class = "statcl_warning_stripes")
  expect_warning(tbrf(grid, rough, 0.05), class = "statcl_warning_stripes")
  quiet <- list(function() tbrf(grid, rough, 101), function() tbrf(grid, rough, 10, object = TRUE),
                function() tbrf(as.matrix(grid), rough, 10), function() tbrf(rfGrid(0, 1, 5000), rough, 10),
                function() tbrf(rfGrid(0, 1, c(10, 10)), rough, 10))
  for (call in quiet) expect_no_warning(call())
})

test_that("waves is for cosines, and one of two", {
  expect_input_error(tbrf(1:3, rough, method = "table", waves = "shells"), "waves is for method = \"spectral\"")
  expect_input_error(tbrf(1:3, rough, waves = "octaves"), "waves = octaves")
  expect_input_error(tbrfError(rough, waves = "octaves"), "waves = octaves")
})

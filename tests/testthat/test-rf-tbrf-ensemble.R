# Random fields as ensembles: what many independent fields have in common, against theory. Checks and their limit are
# in helper-ensemble.R, and so are the formulas: nothing here asks the package what to expect.
skip_if_quick()

old <- options(statcl.threads = 1) # sums of a few hundred points, which threads would only hold up

cases <- ensemble_models()
direction_sets <- c("lowdiscrepancy", "halton", "fibonacci")

expect_within <- function(z) {
  z <- unlist(z)
  expect_true(all(abs(z) < deviate_limit), label = paste("all deviates, of", toString(sprintf(
    "%s: %.3g", names(z), z)[!(abs(z) < deviate_limit)]), "within the limit"))
}
expect_beyond <- function(z) expect_gt(max(abs(unlist(z))), deviate_limit)

# Lags in units of the model's reach, from small ones to where little is left.
lags <- c(0.05, 0.3, 0.7, 1, 1.5, 3)

# Everything that a sampler of an isotropic model without nugget and mean must obey.
expect_law <- function(sampler, case, dim, pairs = 150, fields = ensemble_fields, side = 120) {
  theory <- isotropic(case$f)
  expect_within(check_moments(sampler, theory, dim, lags * case$reach, pairs = pairs, side = side, fields = fields))
  expect_within(check_isotropy(sampler, dim, 0.7 * case$reach, pairs = pairs / 2, side = side, fields = fields))
}

# Radii of these take long: P(|t| > 7) is 3.2e-10 at 99 degrees of freedom, and 100 questions are asked.
fields_of <- function(name)
  if (name %in% c("circular", "cubic", "spherical")) repetitions(fewer_fields, model_fields) else model_fields

# One of the dimensions of each, in turns; all of them with `make test-all`.
dims_of <- function(name) with(cases[[name]], every_nth(dims, 3, match(name, names(cases)) %% length(dims) + 1))

for (name in names(cases)) for (dim in dims_of(name)) test_that(
  sprintf("%s, %d-D: mean, variance, covariance, isotropy and kurtosis", name, dim), {
    set.seed(dim)
    case <- cases[[name]]
    sampler <- tbrf_sampler(case$model, method = "spectral")
    fields <- fields_of(name)
    expect_law(sampler, case, dim, fields = fields)
    expect_within(check_origin(sampler, dim, fields = fields))
    # few lines: with 64 of them the excess would be lost in its error
    four <- tbrf_sampler(case$model, 4, method = "spectral")
    excess <- cosine_excess(tbrf_lines(case$model, dim, method = "spectral")(4)$amplitude)
    expect_within(check_kurtosis(four, dim, case$f(0), excess, side = 200, fields = fields))
  })

test_that("waves of one amplitude have the covariance and the kurtosis", {
  for (dim in 2:3) for (case in cases[c("exponential", "matern 2.5", "powerlaw -3.9")]) {
    set.seed(dim)
    spectrum <- function(L) tbrf_sampler(case$model, L, waves = "spectrum")
    expect_law(spectrum(64), case, dim, fields = model_fields)
    expect_within(check_kurtosis(spectrum(4), dim, case$f(0), -1.5 / 4, side = 200, fields = model_fields))
  }
})

test_that("every set of directions has the covariance", {
  # directions are independent of the family: one with closed radii in place of one that takes a minute
  models <- c("exponential", repetitions("gaussian", "cubic"))
  for (directions in direction_sets) for (dim in 2:3) for (name in every_nth(models, 2, dim - 1)) {
    set.seed(dim)
    case <- cases[[name]]
    expect_law(tbrf_sampler(case$model, directions = directions), case, dim, fields = model_fields)
  }
})

# ---- transects ----

test_that("power laws have the spectrum of their transects", {
  for (name in c("powerlaw -3.9", "powerlaw -2", "powerlaw 1", "gammaspectrum")) for (dim in 2:3) {
    set.seed(dim)
    expect_within(check_transects(tbrf_sampler(cases[[name]]$model), isotropic(cases[[name]]$f), dim, step = 0.5))
  }
})

# ---- short lags ----

test_that("cosines have no staircase at short lags", {
  for (dim in 2:3) {
    set.seed(dim)
    sampler <- tbrf_sampler(covModel("gaussian", range = 2))
    expect_within(check_increments(sampler, function(r) -expm1(-(r / 2)^2), dim, c(1e-4, 1e-3, 1e-2, 0.05)))
    for (waves in c("shells", "spectrum")) {
      rough <- tbrf_sampler(covModel("exponential", range = 2), 256, waves = waves)
      expect_within(check_increments(rough, function(r) -expm1(-r / 2), dim, c(0.02, 0.1)))
    }
  }
})

# ---- errors of a field's own covariance ----

test_that("a field's own covariance is unbiased, and its error falls with the number of lines", {
  # every set of directions with both kinds of waves, and for each one of the models, in turns
  models <- c("exponential", "gaussian", "matern 2.5")
  all <- expand.grid(waves = c("shells", "spectrum"), directions = direction_sets, dim = 2:3,
                     stringsAsFactors = FALSE)
  for (i in seq_len(nrow(all))) for (case in cases[every_nth(models, 3, i %% 3 + 1)]) {
    dim <- all$dim[i]
    set.seed(i)
    lines <- tbrf_lines(case$model, dim, directions = all$directions[i], waves = all$waves[i])
    error <- check_own_error(lines, isotropic(case$f), dim, case$reach)
    expect_within(error$mean)
    expect_lt(error$slope_deviate, deviate_limit)
    expect_lt(error$share - deviate_limit * error$share_spread, 1)
  }
})

test_that("tbrfError() foretells the error of a field's own covariance", {
  for (dim in 2:3) for (case in cases[c("exponential", "gaussian")]) for (waves in c("shells", "spectrum")) {
    set.seed(dim)
    lines <- tbrf_lines(case$model, dim, waves = waves)
    measured <- own_error(lines, isotropic(case$f), dim, case$reach, 128)[[1]][, "square"]
    told <- tbrfError(case$model, 128, distance = case$reach, dim = dim, nfields = 64, waves = waves)$error
    # its fields are as many, and vary as much
    spread <- stats::sd(measured) / mean(measured) / 2 * sqrt(1 / length(measured) + 1 / 64)
    expect_within(c(log_ratio = log(told / sqrt(mean(measured))) / spread))
  }
})

# ---- tables ----

# Covariances of lines in space, (r C(r))', range 2 and variance 1.7.
line_covariances <- list(
  exponential = function(r) 1.7 * (1 - r / 2) * exp(-r / 2),
  gaussian = function(r) 1.7 * (1 - r^2 / 2) * exp(-r^2 / 4),
  spherical = function(r) ifelse(r < 2, 1.7 * (1 - 1.5 * r + r^3 / 4), 0))

test_that("tables of lines by circulant embedding have their covariance, rounding included", {
  for (name in names(line_covariances)) for (dim in 2:3) for (directions in direction_sets[-1]) {
    set.seed(dim)
    case <- cases[[name]]
    sampler <- function(step) tbrf_sampler(case$model, 16, method = "table", directions = directions, step = step)
    expect_within(check_moments(sampler(0.4), of_table(line_covariances[[name]], 0.4), dim, 2 * lags, side = 30))
    if (directions == "halton" || name != "exponential") next
    expect_within(check_isotropy(sampler(0.1), dim, 1.4, side = 30))
    expect_within(check_kurtosis(sampler(0.2), dim, 1.7, 0, side = 60))
  }
})

test_that("tables have the staircase that is documented, and the check of cosines finds it", {
  step <- 0.1
  for (dim in 2:3) {
    set.seed(dim)
    model <- covModel("gaussian", range = 2, variance = 1.7)
    sampler <- tbrf_sampler(model, 16, method = "table", step = step)
    stairs <- function(r) (1.7 - line_covariances$gaussian(step)) * r / (2 * step)
    short <- c(0.01, 0.05)
    expect_within(check_increments(sampler, stairs, dim, short, side = 20))
    expect_beyond(check_increments(sampler, function(r) -1.7 * expm1(-(r / 2)^2), dim, short, side = 20))
  }
})

# Lines on a circle have the density k^(b + 2) at its frequencies; its length is documented: twice the table, or 16
# times the longest wave.
test_that("power-law and pulse lines have the covariance of the waves of their circle", {
  step <- 0.2
  for (dim in 2:3) for (lines in c("powerlaw", "pulse")) {
    set.seed(dim)
    b <- if (lines == "powerlaw") -3.9 else 1
    model <- covModel("powerlaw", variance = 1.7, exponent = b, kmin = 0.5, kmax = 8)
    m <- 0
    sampler <- function(points, nsim) {
      field <- tbrf(points, model, 8, nsim, method = "table", lines = lines, step = step, rate = 50)
      m <<- stats::nextn(ceiling(max(2 * attr(field, "recipe")$table$entries, 16 * 2 * pi / (0.5 * step))))
      matrix(as.vector(field), nrow(points))
    }
    theory <- function(h) {
      lines <- of_circle(function(k) ifelse(k >= 0.5 & k <= 8, k^(b + 2), 0), m, step)
      1.7 * of_table(lines, step)(h)
    }
    expect_within(check_moments(sampler, theory, dim, 2 * lags, side = 20, fields = fewer_fields))
  }
})

# ---- transforms ----

mesh_steps <- list(NULL, rbind(c(1, 0), c(1, -1), c(3, 2), c(0, 6), c(-8, 8), c(12, 3)),
                   rbind(c(1, 0, 0), c(1, -1, 0), c(2, 1, 1), c(0, 0, 5), c(-4, 4, 3), c(7, 0, 2)))
meshes <- list(NULL, rfGrid(c(5, -2), c(0.25, 0.3), c(40, 30)), rfGrid(1, c(0.25, 0.3, 0.2), c(16, 12, 10)))

test_that("fields by transforms have the covariance of the model", {
  short <- covModel("gaussian", range = 0.6, variance = 1.7) # long ones take a large torus in space
  several <- list(list(dim = 2, model = cases$exponential$model, f = cases$exponential$f),
                  list(dim = 3, model = cases$spherical$model, f = cases$spherical$f),
                  list(dim = 3, model = short, f = function(r) 1.7 * exp(-(r / 0.6)^2)))
  for (one in several) {
    set.seed(one$dim)
    design <- mesh_pairs(meshes[[one$dim]], mesh_steps[[one$dim]], 150)
    sampler <- mesh_sampler(meshes[[one$dim]], one$model, method = "fft")
    expect_within(check_moments(sampler, isotropic(one$f), one$dim, design = design))
  }
})

test_that("periodic fields have the covariance of the waves of their box", {
  for (dim in 2:3) {
    set.seed(dim)
    design <- mesh_pairs(meshes[[dim]], mesh_steps[[dim]], 150)
    periodic <- function(model) mesh_sampler(meshes[[dim]], model, method = "fft", periodic = TRUE)
    gaussian <- of_box(function(k) exp(-k^2), meshes[[dim]]) # exp(-k^2 range^2 / 4) in any dimension
    expect_within(check_moments(periodic(cases$gaussian$model), function(h) 1.7 * gaussian(h), dim, design = design))
  }
  model <- covModel("powerlaw", variance = 1.7, exponent = -2, kmin = 1, kmax = 8)
  power <- of_box(function(k) ifelse(k >= 1 & k <= 8, k^-2, 0), meshes[[3]])
  expect_within(check_moments(periodic(model), function(h) 1.7 * power(h), 3, design = design))
})

# ---- combinations ----

test_that("sums, nugget, mean and anisotropy", {
  exponential <- cases$exponential
  for (dim in 2:3) {
    set.seed(dim)
    both <- covModel("gaussian", range = 0.5, variance = 0.6) + exponential$model
    f <- function(r) exponential$f(r) + 0.6 * exp(-4 * r^2)
    expect_within(check_moments(tbrf_sampler(both), isotropic(f), dim, 2 * lags, side = 120))

    noisy <- covModel("gaussian", range = 2, variance = 1.2, nugget = 0.5)
    f <- function(r) 1.2 * exp(-(r / 2)^2)
    expect_within(check_moments(tbrf_sampler(noisy), isotropic(f), dim, 2 * lags, nugget = 0.5, side = 120))

    drift <- function(x) 3 + 0.1 * x[, 1]
    moved <- covModel("exponential", range = 2, variance = 1.7, mean = drift)
    theory <- isotropic(exponential$f)
    expect_within(check_moments(tbrf_sampler(moved), theory, dim, 2 * lags, mean = drift, side = 120))
  }
  # range 2 along 30 degrees, 0.8 across
  set.seed(4)
  turned <- covModel("exponential", range = 2, angle = 30, ratio = 0.4)
  along <- c(cospi(1 / 6), sinpi(1 / 6))
  theory <- function(h) exp(-sqrt((h %*% along)^2 + (h %*% c(-along[2], along[1]) / 0.4)^2) / 2)[, 1]
  expect_within(check_moments(tbrf_sampler(turned), theory, 2, 2 * lags, side = 120))
  tables <- tbrf_sampler(turned, 16, method = "table", step = 0.05)
  expect_within(check_moments(tables, theory, 2, 2 * lags, side = 20))
  design <- mesh_pairs(meshes[[2]], mesh_steps[[2]], 150)
  expect_within(check_moments(mesh_sampler(meshes[[2]], turned, method = "fft"), theory, 2, design = design))
  stretched <- covModel("gaussian", range = 2, scales = c(1, 0.5, 3))
  theory <- function(h) exp(-rowSums(sweep(h, 2, 2 * c(1, 0.5, 3), `/`)^2))
  expect_within(check_moments(tbrf_sampler(stretched), theory, 3, 2 * lags, side = 120))
})

# ---- every check rejects a fault ----

test_that("checks accept independent cosines and reject the same with a fault", {
  skip_unless_all()
  exponential <- isotropic(function(r) exp(-r))
  gaussian <- isotropic(function(r) exp(-r^2))
  moments <- function(sampler, theory, dim) check_moments(sampler, theory, dim, lags, pairs = 60, side = 60)
  for (dim in 2:3) {
    set.seed(dim)
    radius <- exponential_radius(dim)
    sound <- line_sampler(cosine_lines(radius, dim))
    expect_within(c(moments(sound, exponential, dim), check_isotropy(sound, dim, 1), check_origin(sound, dim)))
    # the covariance itself taken for that of lines
    expect_beyond(moments(line_sampler(cosine_lines(function(L) abs(stats::rcauchy(L)), dim)), exponential, dim))
    expect_beyond(moments(function(x, n) 1.05 * sound(x, n), exponential, dim)["variance"])
    # the factor 1 / sqrt(L) forgotten
    loud <- cosine_lines(radius, dim, amplitude = function(L) rep(sqrt(2), L))
    expect_beyond(moments(line_sampler(loud), exponential, dim)["variance"])
    # frequencies with a variance 20 % too large, of another Matern, and without the factor |k|^(dim - 1)
    wide <- line_sampler(cosine_lines(gaussian_radius(dim, 2.4), dim))
    expect_within(moments(line_sampler(cosine_lines(gaussian_radius(dim), dim)), gaussian, dim))
    expect_beyond(moments(wide, gaussian, dim))
    expect_beyond(moments(line_sampler(cosine_lines(exponential_radius(dim, 2), dim)), exponential, dim))
    expect_beyond(moments(line_sampler(cosine_lines(exponential_radius(1), dim)), exponential, dim))
    # directions of a cap; turned they are right on average, but fields are not
    cap <- line_sampler(cosine_lines(radius, dim, cap_ways))
    expect_beyond(check_isotropy(cap, dim, 1))
    few <- c(32, 128, 512)
    turned <- check_own_error(cosine_lines(radius, dim, turned_cap), exponential, dim, 1, few)
    expect_gt(turned$slope_deviate, deviate_limit)
    expect_gt(turned$share - deviate_limit * turned$share_spread, 1)
    uniform <- check_own_error(cosine_lines(radius, dim), exponential, dim, 1, few)
    expect_within(uniform$mean)
    expect_lt(abs(uniform$slope_deviate), deviate_limit)
    # phases up to 1 radian, not 2 pi
    expect_beyond(check_origin(line_sampler(cosine_lines(radius, dim), phase = function(L) runif(L) / (2 * pi)), dim))
    # four lines are not Gaussian
    expect_within(check_kurtosis(line_sampler(cosine_lines(radius, dim), 4), dim, 1, -1.5 / 4, 60))
    expect_beyond(check_kurtosis(line_sampler(cosine_lines(radius, dim), 4), dim, 1, 0, 60))
    # places rounded to a mesh: a staircase
    smooth <- line_sampler(cosine_lines(gaussian_radius(dim), dim))
    stairs <- function(x, n) smooth(round(20 * x) / 20, n)
    variogram <- function(r) -expm1(-r^2)
    expect_within(check_increments(smooth, variogram, dim, c(1e-3, 1e-2)))
    expect_beyond(check_increments(stairs, variogram, dim, c(1e-3, 1e-2)))
  }
})

test_that("transects of another power law are rejected", {
  set.seed(1)
  # a density k^b of lines taken for one in space: k is then drawn from k^b instead of k^(b + 2)
  b <- -2
  power <- function(e) function(L) (0.5^(e + 1) + stats::runif(L) * (8^(e + 1) - 0.5^(e + 1)))^(1 / (e + 1))
  theory <- isotropic(cases[["powerlaw -2"]]$f)
  scaled <- function(radius) function(x, n) sqrt(1.7) * line_sampler(cosine_lines(radius, 3))(x, n)
  expect_within(check_transects(scaled(power(b + 2)), theory, 3, 0.5))
  expect_beyond(check_transects(scaled(power(b)), theory, 3, 0.5))
  expect_beyond(check_transects(scaled(power(b + 2.5)), theory, 3, 0.5))
})

options(old)

# Functions of the wave vector: anisotropic spectra, and several fields of the same waves.

model <- spectrumModel(function(k) exp(-k), "density", 2)
grid <- rfGrid(0, c(1, 0.8), c(8, 6))
made <- function(transfer, ..., x = grid, own = model)
  seeded(tbrf(x, own, method = "fft", periodic = TRUE, variance = "spectrum", transfer = transfer, ...))
same <- function(k) rep(1, nrow(k))
waves_of <- function(field, dims = grid$dims, spacing = grid$spacing)
  list(z = fft(array(field, dims)) / prod(dims), k = as.matrix(expand.grid(Map(signed_lags, dims,
                                                                            2 * pi / (dims * spacing)))))

test_that("waves are multiplied by the function of their wave vectors", {
  plain <- seeded(tbrf(grid, model, method = "fft", periodic = TRUE, variance = "spectrum"))
  expect_equal(made(same)[], plain[], tolerance = 1e-13)
  tensor <- function(k) 1 + (k[, 1] - 2 * k[, "ky"])^2 / 7
  before <- waves_of(plain)
  after <- waves_of(made(tensor))
  inner <- abs(before$k[, 1]) < 3 & abs(before$k[, 2]) < 3.8
  k <- before$k
  colnames(k) <- c("kx", "ky")
  expect_equal(as.vector(after$z)[inner], (tensor(k) * as.vector(before$z))[inner], tolerance = 1e-12)
  # at the Nyquist wave number of an axis a derivative along it is 0, and one along the other is not
  slope <- waves_of(made(function(k) 1i * k[, "ky"]))
  nyquist <- abs(before$k[, 2]) > 3.8
  expect_lt(max(Mod(slope$z[nyquist])), 1e-15)
  expect_equal(as.vector(slope$z)[inner], (1i * before$k[, 2] * as.vector(before$z))[inner], tolerance = 1e-12)
  across <- waves_of(made(function(k) 1i * k[, "kx"]))
  use <- nyquist & abs(before$k[, 1]) < 3
  expect_equal(as.vector(across$z)[use], (1i * before$k[, 1] * as.vector(before$z))[use], tolerance = 1e-12)
  # the axis of one dimension and that of three, odd and even, with blocks of waves
  line <- spectrumModel(function(k) exp(-k), "density", 1)
  expect_silent(made(function(k) 1i * k[, "kx"], x = rfGrid(0, 1, 9), own = line))
  space <- spectrumModel(function(k) exp(-k), "density", 3)
  cube <- rfGrid(0, 1, c(70, 64, 65))
  a <- made(same, x = cube, own = space)
  b <- seeded(tbrf(cube, space, method = "fft", periodic = TRUE, variance = "spectrum"))
  expect_equal(a[], b[], tolerance = 1e-13)
})

test_that("spectra are those of the model times the squared function", {
  kaiser <- function(k) 1 + 0.8 * k[, "ky"]^2 / rowSums(k^2)
  fields <- made(kaiser, nsim = 200)
  found <- rfSpectrum(fields)
  expect_lt(max(abs(found$spectrum - found$model) / found$std.error), 4)
  expect_equal(found$expected, found$model, tolerance = 1e-12)
  expect_output(print(found), "with the\\s+transfer function")
  k <- norm_on_grid(grid_waves(grid, FALSE)$k)
  mu <- expand.grid(Map(signed_lags, grid$dims, 2 * pi / (grid$dims * grid$spacing)))
  nyquist <- abs(mu[, 2]) > 3.8 # whose mean over both signs is the same here
  density <- exp(-k) * (1 + 0.8 * mu[, 2]^2 / k^2)^2
  width <- max(2 * pi / (grid$dims * grid$spacing))
  shell <- round(k / width)
  expect_equal(found$model, vapply(seq_len(nrow(found)), function(i) mean(density[shell == i]), 0), tolerance = 1e-9)
})

test_that("several fields are of the same waves, with their coherence", {
  both <- list(density = same, vx = function(k) 1i * k[, "kx"] / rowSums(k^2),
               vy = function(k) 1i * k[, "ky"] / rowSums(k^2),
               other = function(k) cbind(exp(-k[, 1]^2), sqrt(1 - exp(-2 * k[, 1]^2))))
  fields <- made(both, nsim = 300)
  expect_identical(dim(fields), c(8L, 6L, 4L, 300L))
  expect_identical(dimnames(fields)[[3]], names(both))
  one <- fields[, , , 2]
  d <- waves_of(one[, , "density"])
  v <- lapply(c("vx", "vy"), function(name) as.vector(waves_of(one[, , name])$z))
  inner <- abs(d$k[, 1]) < 3 & abs(d$k[, 2]) < 3.8
  inner[1] <- FALSE
  # the divergence of the velocity is minus the density
  expect_equal((1i * (d$k[, 1] * v[[1]] + d$k[, 2] * v[[2]]))[inner], -as.vector(d$z)[inner], tolerance = 1e-12)
  z <- vapply(c("density", "other"), function(name)
    vapply(1:300, function(i) as.vector(waves_of(fields[, , name, i])$z), complex(48)), matrix(0i, 48, 300))
  cross <- rowMeans(Re(z[, , 1] * Conj(z[, , 2])))
  power <- apply(Mod(z)^2, c(1, 3), mean)
  k <- d$k[, 1]
  expect_lt(max(abs(cross / sqrt(power[, 1] * power[, 2]) - exp(-k^2))[-1]), 4.5 * sqrt(1 / 300))
  expect_equal(power[, 2] / power[, 1], rep(1, 48), tolerance = 0.15)
  first <- seeded(tbrf(grid, model, method = "fft", periodic = TRUE, variance = "spectrum", nsim = 2))
  expect_equal(fields[, , "density", 1:2], first[], tolerance = 1e-13)
  recipe <- attr(fields, "recipe")
  expect_identical(predict(recipe, grid)[], fields[])
  recipe$nsim <- 2L
  x <- tbrf(grid, recipe, file = tempfile(fileext = ".nc"), fragment = 5)
  expect_identical(x[], unclass(fields)[, , , 1:2], ignore_attr = TRUE)
  expect_output(print(recipe), "4 variables")
  expect_output(print(summary(fields)), "before functions of it")
  pdf(NULL)
  on.exit(dev.off())
  plot(fields, component = "vx")
})

test_that("functions that make no real field are refused", {
  refused <- function(what, ...) expect_error(made(...), what, class = "statcl_error_input")
  refused("conjugate", function(k) 1i * k[, 1]^2)
  refused("conjugate", function(k) k[, 1])
  refused("a number for each.*gave 1 for", function(k) 1)
  refused("a number for each.*gave [0-9]+, 0 for", function(k) matrix(1, nrow(k), 0))
  refused("a number for each.*gave character for", function(k) rep("1", nrow(k)))
  refused("kx, ky", function(k) stop("no"))
  refused("finite", function(k) rep(Inf, nrow(k)))
  refused("name", list(same))
  refused("function", 3)
  refused("rfGrid", same, x = cbind(1, 2))
  refused("nugget", list(a = same), own = update(model, nugget = 1))
  refused("marginal", same, marginal = "lognormal", own = update(model, mean = 1))
  expect_error(tbrf(grid, model, transfer = same), "fft", class = "statcl_error_input")
  field <- made(same)
  expect_error(covariance(attr(field, "recipe"), 1), "another", class = "statcl_error_input")
  expect_error(rfTransform(field, quantile = qexp), "variance", class = "statcl_error_input")
  expect_equal(rfTransform(field, exp)[], exp(field[]))
  expect_named(rfVariogram(field, to = 3), setdiff(names(rfVariogram(seeded(tbrf(grid, model, method = "fft",
    periodic = TRUE)), to = 3)), "model"))
})

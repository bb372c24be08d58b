# Vector fields of the waves of a periodic box, on centres and faces of cells.

smooth <- covModel("gaussian", range = 3)
flow <- function(grid, kind, ..., model = smooth, nsim = 1, variance = "model")
  seeded(tbrf(grid, rfVector(model, kind, ...), method = "fft", periodic = TRUE, nsim = nsim, variance = variance))

# The transform of each component, in rows, with i k of the wave of each element.
waves_of <- function(field) {
  grid <- attr(field, "grid")
  n <- prod(grid$dims)
  d <- length(grid$dims)
  v <- matrix(as.vector(field), n)
  k <- Map(function(m, by) by * ifelse(2 * (seq_len(m) - 1) == m, 0, signed_lags(m, 1)), grid$dims,
           2 * pi / (grid$dims * grid$spacing))
  list(v = apply(v, 2, function(x) fft(array(x, grid$dims))) / n, k = as.matrix(expand.grid(k)))
}

test_that("divergence and curl on the faces of cells are 0 but for rounding", {
  for (dims in list(c(16, 12, 9), c(15, 10), c(8, 8), c(6, 1, 7))) {
    grid <- rfGrid(2, c(1, 0.7, 1.3)[seq_along(dims)], dims, staggered = TRUE)
    field <- flow(grid, "solenoidal", nsim = 2)
    v <- array(field[], c(dims, length(dims), 2))
    gradient <- max(abs(diff(array(v, c(dims[1], length(v) / dims[1]))))) / grid$spacing[1]
    expect_lt(max(abs(rfDivergence(field))), 1e-14 * gradient)
    expect_identical(dim(rfDivergence(field)), c(as.integer(dims), 2L))
  }
  # differences across the faces of a potential: their circulation around edges is 0
  grid <- rfGrid(0, c(1, 0.7), c(12, 9), staggered = TRUE)
  v <- flow(grid, "compressive")[]
  dy <- (v[, , 1] - v[, c(9, 1:8), 1]) / 0.7
  dx <- v[, , 2] - v[c(12, 1:11), , 2]
  expect_lt(max(abs(dx - dy)), 1e-14 * max(abs(dx)))
})

test_that("waves on the centres of cells are across or along their wave vectors", {
  for (dims in list(c(12, 8, 9), c(16, 10))) {
    grid <- rfGrid(0, c(1, 0.7, 1.3)[seq_along(dims)], dims)
    own <- waves_of(flow(grid, "solenoidal"))
    expect_lt(max(Mod(rowSums(own$k * own$v))), 1e-15)
    expect_lt(max(Mod(own$v[1, ])), 1e-16)
    own <- waves_of(flow(grid, "compressive"))
    size <- rowSums(own$k^2)
    across <- own$v - own$k * ifelse(size > 0, rowSums(own$k * own$v) / size, 0)
    expect_lt(max(Mod(across[size > 0, ])), 1e-15)
  }
})

test_that("components have the spectrum given at all wave vectors, and the share of the energy", {
  n <- 300
  dims <- c(6, 5, 4)
  rough <- covModel("exponential", range = 1) # of smooth ones rounding errors are all there is of short waves
  for (staggered in c(FALSE, TRUE)) for (kind in c("solenoidal", "mixed")) {
    grid <- rfGrid(0, 0.8, dims, staggered = staggered)
    own <- waves_of(flow(grid, kind, share = if (kind == "mixed") 0.8, nsim = n, variance = "spectrum",
                         model = rough))
    v <- array(own$v, c(prod(dims), 3, n))
    energy <- apply(Mod(v)^2, c(1, 3), mean)
    density <- spectralDensity(rough, sqrt(rowSums(as.matrix(expand.grid(Map(signed_lags, dims,
                                                                               2 * pi / (0.8 * dims))))^2))) *
      prod(2 * pi / (0.8 * dims))
    density[1] <- 0
    score <- (rowMeans(energy) - density)[-1] / (apply(energy, 1, sd)[-1] / sqrt(n))
    expect_lt(max(abs(score)), 4.5)
    expect_lt(abs(mean(score)), 1)
    if (kind == "mixed" && !staggered) {
      size <- rowSums(own$k^2)
      along <- apply(v, 3, function(a) Mod(rowSums(own$k * a))^2 / pmax(size, 1e-300))
      inner <- apply(abs(own$k) > 0, 1, all)
      expect_equal(sum(along[inner, ]) / sum(3 * energy[inner, ]), 0.8, tolerance = 0.02)
    }
  }
})

test_that("helicity is that of each wave, on centres and faces of cells, and of waves anywhere", {
  dims <- c(9, 7, 5)
  for (h in c(1, -0.6)) {
    own <- waves_of(flow(rfGrid(0, 0.8, dims), "solenoidal", helicity = h, nsim = 200))
    v <- array(own$v, c(prod(dims), 3, 200))
    k <- own$k
    size <- sqrt(rowSums(k^2))
    found <- apply(v, 3, function(a) rowSums(Re(Conj(a) * 1i * cross_rows(k, a))) / pmax(size, 1e-300))
    energy <- apply(v, 3, function(a) rowSums(Mod(a)^2))
    expect_equal(sum(found) / sum(energy), h, tolerance = if (h == 1) 1e-12 else 0.05)
    if (h == 1) expect_equal(found[-1, ], energy[-1, ], tolerance = 1e-9)
  }
  # on faces, of waves with sides of odd numbers: in the frame of the centres
  grid <- rfGrid(0, 0.8, dims, staggered = TRUE)
  own <- waves_of(flow(grid, "solenoidal", helicity = 1))
  turn <- own$k * 0.4
  centred <- own$v * exp(1i * turn)
  k <- 2 * sin(turn) / 0.8
  expect_equal(1i * cross_rows(k, centred), unname(sqrt(rowSums(k^2)) * centred), tolerance = 1e-12)
  expect_lt(max(abs(rfDivergence(flow(grid, "solenoidal", helicity = 1)))), 1e-13)
  # sums of waves: the curl is k times the field
  narrow <- rfVector(covModel("powerlaw", exponent = 0, kmin = 2 - 1e-9, kmax = 2 + 1e-9), helicity = 1)
  field <- seeded(tbrf(matrix(runif(15), 5), narrow, 50))
  expect_equal(as.vector(rfCurl(field)), 2 * as.vector(field), tolerance = 1e-7)
})

test_that("sums of waves have no divergence on the faces of cells, also in time and in files", {
  for (dims in list(c(9, 8, 7), c(12, 10))) {
    grid <- rfGrid(3, c(0.9, 0.7, 1.3)[seq_along(dims)], dims, staggered = TRUE)
    d <- length(dims)
    model <- rfVector(smooth, "solenoidal", helicity = if (d == 3) 0.5 else 0)
    field <- seeded(tbrf(grid, model, 60, time = c(0, 0.3), correlation.time = 1, nsim = 2))
    divergence <- rfDivergence(field)
    expect_identical(dim(divergence), c(as.integer(dims) - 1L, 4L))
    expect_lt(max(abs(divergence)), 1e-12)
    # each component is that of the points of its faces
    recipe <- attr(field, "recipe")
    for (j in seq_len(d)) {
      x <- as.matrix(grid)[c(1, 20, prod(dims)), ]
      x[, j] <- x[, j] - grid$spacing[j] / 2
      at <- predict(recipe, x, time = 0.3)
      own <- array(field[], c(prod(dims), d, 2, 2))[c(1, 20, prod(dims)), j, 2, 2]
      expect_equal(as.vector(at[, j, 2]), own, tolerance = 1e-10)
    }
    x <- tbrf(grid, recipe, file = tempfile(fileext = ".nc"), fragment = 5)
    expect_identical(x[], plain_values(field), ignore_attr = TRUE)
    expect_error(predict(recipe, rfGrid(3, 1, dims, staggered = TRUE)), "spacing", class = "statcl_error_input")
    expect_error(rfCurl(field), "faces", class = "statcl_error_input")
  }
  # differences of a potential, whose circulation is 0; variances as given
  grid <- rfGrid(0, c(1, 0.7), c(12, 9), staggered = TRUE)
  v <- seeded(tbrf(grid, rfVector(smooth, "compressive"), 60))[]
  dy <- (v[-1, -1, 1] - v[-1, -9, 1]) / 0.7
  dx <- v[-1, -1, 2] - v[-12, -1, 2]
  expect_lt(max(abs(dx - dy)), 1e-13)
  v <- seeded(tbrf(rfGrid(0, 40, c(3, 3), staggered = TRUE), rfVector(smooth), 400, nsim = 300))
  expect_equal(mean(v^2), 1, tolerance = 0.06)
})

test_that("fields on faces have the mean there, go to files, and say what cannot be", {
  grid <- rfGrid(0, 1, c(8, 6), staggered = TRUE)
  still <- flow(grid, "solenoidal")
  moving <- flow(grid, "solenoidal", mean = function(x) cbind(x[, "x"], 10 * x[, "y"]))
  shift <- moving[] - still[]
  expect_equal(shift[, , 1], matrix(0:7 - 0.5, 8, 6), tolerance = 1e-12)
  expect_equal(shift[, , 2], matrix(10 * (0:5 - 0.5), 8, 6, byrow = TRUE), tolerance = 1e-12)
  for (ending in c(".nc", ".dat")) for (cells in list(grid, rfGrid(0, 1, c(8, 6)))) {
    model <- rfVector(covModel("exponential", range = 2, nugget = 0.1))
    x <- seeded(tbrf(cells, model, method = "fft", periodic = TRUE, nsim = 2, file = tempfile(fileext = ending),
                     fragment = c(3, 4)))
    memory <- seeded(tbrf(cells, model, method = "fft", periodic = TRUE, nsim = 2))
    expect_identical(x[], plain_values(memory), ignore_attr = TRUE)
    expect_identical(x[2:5, 3, 2, 1], memory[2:5, 3, 2, 1], ignore_attr = TRUE)
  }
  expect_null(session$lines)
  expect_error(tbrf(grid, smooth), "staggered", class = "statcl_error_input")
  expect_error(tbrf(grid, rfVector(smooth), method = "fft"), "periodic", class = "statcl_error_input")
  expect_error(predict(still, rfGrid(0, 1, c(8, 6))), "its own grid", class = "statcl_error_input")
  expect_error(rfVector(smooth, helicity = 2), "helicity", class = "statcl_error_input")
  expect_error(rfVector(smooth, "compressive", helicity = 0.5), "helicity", class = "statcl_error_input")
  expect_error(flow(grid, "solenoidal", helicity = 0.5), "helicity", class = "statcl_error_input")
  expect_error(rfDivergence(attr(still, "recipe")), "predict", class = "statcl_error_input")
  expect_error(rfCurl(still), "spectral", class = "statcl_error_input")
  expect_output(print(grid), "staggered")
  expect_output(print(rfVector(smooth, helicity = 0.5)), "helicity 0.5")
})

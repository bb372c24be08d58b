# A cell has the same bits in whatever part of its grid it is computed.

fragment <- function(recipe, grid, first, dims) field_values(recipe, fragment_places(grid, first, dims))

cut <- function(field, first, dims) {
  at <- Map(function(from, n) from - 1L + seq_len(n), first, dims)
  as.vector(do.call(`[`, c(list(array(as.vector(field), dim(field))), at)))
}

# Coordinates that have no short binary form: origin + spacing * index is rounded for nearly every index.
grids <- list(rfGrid(0.1, 0.3, 70), rfGrid(c(-3.3, 7.1), c(0.7, 0.1), c(45, 37)),
              rfGrid(c(0.1, -9.7, 3.3), c(0.3, 0.7, 0.9), c(35, 21, 19)))

# First cells and sizes: single cells, rows along each axis, slices, and boxes off the edges of tiles and groups.
parts <- function(dims) {
  d <- length(dims)
  full <- rep(1L, d)
  rows <- lapply(seq_len(d), function(i) list(replace(pmin(dims, 5L), i, 1L), replace(full, i, dims[i])))
  slices <- lapply(seq_len(d), function(i) list(replace(full, i, dims[i] %/% 2L), replace(dims, i, 1L)))
  c(rows, slices, list(list(dims, full), list(pmin(dims, 4L), pmin(dims - 3L, 17L)), list(full, pmin(dims, 16L)),
                       list(pmin(dims - 1L, 18L), rep(2L, d)), list(full + 1L, dims - 1L)))
}

expect_same_bits <- function(recipe, grid) {
  whole <- array(field_values(recipe, places_of(grid, "x")), grid$dims)
  for (part in parts(grid$dims))
    expect_identical(as.vector(fragment(recipe, grid, part[[1]], part[[2]])), cut(whole, part[[1]], part[[2]]))
}

test_that("a fragment of a grid has the bits of the whole, on every device and with any number of threads", {
  model <- covModel("matern", range = 5, smoothness = 1.2, nugget = 0.1) + covModel("gaussian", range = 2)
  turned <- update(covModel("exponential", range = 3), angle = 30, ratio = 0.5)
  for (grid in grids) for (set in c(list("cpu"), as.list(opencl_devices()))) for (threads in 1:2) {
    old <- options(statcl.threads = threads)
    d <- length(grid$dims)
    # 1100 lines are two passes
    recipes <- c(lapply(c(2, 50, 1100), function(n)
                   tbrf(grid, model, n, object = TRUE, method = "spectral")),
                 list(tbrf(grid, if (d == 2) turned else model, 40, object = TRUE, method = "table")))
    for (recipe in recipes) withDevice(set, expect_same_bits(recipe, grid))
    options(old)
  }
})

test_that("grids of more places than a box has, and long ones, have the bits of their parts", {
  model <- covModel("exponential", range = 3)
  for (dims in list(c(5000L, 3L), c(3L, 5000L), c(2L, 2L, 2100L), c(1500L, 40L, 1L))) {
    grid <- rfGrid(0.1, 0.3, dims)
    recipe <- tbrf(grid, model, 20, object = TRUE, method = "spectral")
    whole <- array(field_values(recipe, places_of(grid, "x")), dims)
    for (first in list(0L * dims + 1L, pmax(1L, dims - 700L), pmax(1L, dims %/% 2L - 3L))) {
      size <- pmin(dims - first + 1L, 700L)
      expect_identical(as.vector(fragment(recipe, grid, first, size)), cut(whole, first, size))
    }
  }
})

test_that("predict() on a grid of the same coordinates gives the same bits", {
  grid <- rfGrid(c(-1, 2), c(0.25, 0.5), c(40, 30))
  field <- seeded(tbrf(grid, covModel("exponential", range = 3), 60))
  part <- predict(field, rfGrid(c(1.5, 5), c(0.25, 0.5), c(1, 9)))
  expect_identical(as.vector(part), field[11, 7:15])
})

# Fields on meshes by transforms of half a spectrum.

# The definition: noise of a wave number from two numbers of the stream, of those in the planes 0 and m/2 of the first
# axis the mean with the conjugate of its mirror image.
torus_by_sum <- function(dims, kept, root, key) {
  half <- c(dims[1] %/% 2 + 1, dims[-1])
  normal <- matrix(qnorm(.Call(C_bandUniforms, key, 2 * prod(half), 0, 0)), 2)
  noise <- array(complex(real = normal[1, ], imaginary = normal[2, ]), half)
  k <- as.matrix(expand.grid(lapply(dims, function(m) seq_len(m) - 1)))
  at <- function(k) (k %% rep(dims, each = nrow(k))) + 1
  mirrored <- at(-k)
  inside <- k[, 1] + 1 <= half[1]
  mirror_inside <- mirrored[, 1] <= half[1]
  own <- ifelse(inside, noise[cbind(pmin(k[, 1] + 1, half[1]), k[, -1, drop = FALSE] + 1)], 0)
  other <- Conj(noise[cbind(pmin(mirrored[, 1], half[1]), mirrored[, -1, drop = FALSE])])
  whole <- ifelse(inside & mirror_inside, (own + other) / sqrt(2), ifelse(inside, own, other)) / sqrt(2)
  field <- array(fft(array(root[at(k)] * whole, dims), inverse = TRUE), dims)
  expect_lt(max(abs(Im(field))), 1e-12 * max(abs(field)))
  Re(do.call(`[`, c(list(field), lapply(kept, seq_len), drop = FALSE)))
}

test_that("a field is the sum over the wave numbers of its torus", {
  for (case in list(list(c(8, 6, 4), c(5, 4, 3)), list(c(9, 5, 7), c(5, 3, 4)), list(c(12, 1, 5), c(7, 1, 3)),
                    list(c(1, 8, 3), c(1, 5, 2)), list(c(53, 59), c(53, 59)), list(c(106, 61), c(20, 61)),
                    list(127, 127), list(20, 11))) {
    dims <- case[[1]]
    kept <- case[[2]]
    j <- as.matrix(expand.grid(lapply(dims, function(m) pmin(seq_len(m) - 1, m - seq_len(m) + 1))))
    octant <- array(runif(prod(dims %/% 2 + 1)), dims %/% 2 + 1)
    root <- array(octant[j + 1], dims)
    skew <- root * (1.5 + array(rowSums(sin(2 * pi * (as.matrix(expand.grid(lapply(dims, seq_len))) - 1) %*%
                                              diag(1 / dims, length(dims)))), dims)^2)
    for (folded in c(TRUE, FALSE)) {
      whole <- if (folded) root else skew
      given <- if (folded) octant else do.call(`[`, c(list(whole), list(seq_len(dims[1] %/% 2 + 1)),
                                                      lapply(dims[-1], seq_len), drop = FALSE))
      into <- numeric(prod(kept) + 2)
      spectrum <- list(dims = as.double(dims), folded = folded, root = as.double(given))
      .Call(C_torusField, spectrum, as.double(kept), c(3, 4), into, 1)
      expect_equal(into[-c(1, length(into))], as.vector(torus_by_sum(dims, kept, whole, c(3, 4))), tolerance = 1e-12)
      expect_identical(into[c(1, length(into))], c(0, 0))
    }
  }
})

test_that("spectra of half a torus are those of the whole one", {
  for (dims in list(c(8, 6, 5), c(7, 12), 10, c(1, 6))) {
    m <- dims %/% 2 + 1
    x <- runif(prod(m))
    at <- lapply(dims, function(m) 1 + pmin(seq_len(m) - 1, m - seq_len(m) + 1))
    around <- do.call(`[`, c(list(array(x, m)), at, drop = FALSE))
    whole <- Re(fft(around))
    expect_equal(.Call(C_torusEven, x, as.double(dims)),
                 as.vector(do.call(`[`, c(list(whole), lapply(m, seq_len), drop = FALSE))), tolerance = 1e-13)
  }
  models <- c(field_models(), list(covModel("exponential", 1, ratio = 0.4, angle = 90),
                                   covModel("exponential", 1, angle = 30, ratio = 0.4)))
  for (model in models) for (periodic in c(FALSE, TRUE)) {
    recipe <- seeded(tbrf(field_grid(2), model, method = "fft", periodic = periodic, object = TRUE))
    half <- half_spectrum(recipe)
    whole <- if (periodic) box_spectrum(recipe) else torus_spectrum(recipe)
    expect_equal(half$dims, whole$dims)
    size <- if (half$folded) half$dims %/% 2 + 1 else c(half$dims[1] %/% 2 + 1, half$dims[-1])
    expect_equal(half$variance, as.vector(array(whole$variance, whole$dims)[seq_len(size[1]), seq_len(size[2])]),
                 tolerance = 1e-11)
  }
})

test_that("fields by transforms do not depend on threads, on nsim, and on how many other fields there are", {
  grid <- rfGrid(0, 0.2, c(70, 60, 20))
  recipe <- seeded(tbrf(grid, covModel("exponential", range = 1), method = "fft", nsim = 3, object = TRUE))
  fields <- predict(recipe, grid)
  old <- options(statcl.threads = 1)
  on.exit(options(old))
  recipe$nsim <- 2L
  expect_identical(predict(recipe, grid)[], fields[, , , 1:2])
})

test_that("grids that are too large for a transform are errors that say what else can be done", {
  large <- function(...) tryCatch(tbrf(rfGrid(0, 1, c(512, 512, 512)), covModel("exponential", range = 9),
                                       method = "fft", ...), statcl_error_input = conditionMessage)
  expect_match(large(), "torus of .* or more, .*max.table, or use periodic = TRUE, or method = \"spectral\"")
  expect_match(large(periodic = TRUE), "512 x 512 x 512 points, 2.15e\\+09 bytes .*, or use method = \"spectral\"")
})

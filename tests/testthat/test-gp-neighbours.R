# Orders and neighbours against search by hand; tests/engine/test_neighbours.c has more kinds of points, threads,
# interrupts.

neighbours_by_hand <- function(p, data, m, allowed) {
  out <- matrix(NA_integer_, m, nrow(p))
  for (i in seq_len(nrow(p))) {
    rows <- which(allowed(i))
    apart <- rowSums(sweep(data[rows, , drop = FALSE], 2, p[i, ])^2)
    k <- utils::head(rows[order(apart, rows)], m)
    out[seq_along(k), i] <- k
  }
  out
}
bare <- function(x) `attr<-`(x, "least", NULL)

set.seed(3)
grid <- as.matrix(expand.grid(x = 1:25, y = 1:20))[sample(500), ]
clusters <- rbind(matrix(rnorm(400, sd = 1e-7), 200), matrix(rnorm(600), 300))[sample(500), ]
repeated <- matrix(runif(60), 30)[sample(30, 500, TRUE), ]
many <- matrix(runif(4000), 500)
sets <- list(grid = grid, clusters = clusters, repeated = repeated, many = many)

test_that("each next point is as far as any from those before it, duplicates last", {
  for (x in sets) {
    o <- gp_ordering(x)
    d <- as.matrix(dist(x))[o, o]
    nearest <- vapply(2:500, function(k) min(d[k, 1:(k - 1)]), 1)
    farthest <- vapply(2:500, function(k) max(apply(d[k:500, 1:(k - 1), drop = FALSE], 1, min)), 1)
    expect_equal(nearest, farthest, tolerance = 1e-12)
    expect_identical(sort(bare(o)), 1:500)
    expect_equal(attr(o, "least"), min(d[d > 0]), tolerance = 1e-12)
  }
  o <- gp_ordering(repeated)
  distinct <- sum(!duplicated(repeated))
  expect_false(anyDuplicated(repeated[o[1:distinct], ]) > 0)
  expect_false(is.unsorted(o[(distinct + 1):500]))
})

test_that("neighbours are the nearest of the points before", {
  for (x in sets) for (first in c(1L, 2L, 300L)) {
    nearest <- gp_neighbours(x, 17, first)
    expect_identical(bare(nearest), neighbours_by_hand(x, x, 17, function(i) seq_len(500) < i)[, first:500])
    if (first < 3L) expect_equal(attr(nearest, "least"), attr(gp_ordering(x), "least"))
  }
  few <- grid[1:5, ]
  expect_identical(bare(gp_neighbours(few, 9)), neighbours_by_hand(few, few, 9, function(i) seq_len(5) < i))
  expect_identical(dim(gp_neighbours(grid, 3, 501)), c(3L, 0L))
})

test_that("neighbours among other points can be of other groups alone", {
  p <- rbind(matrix(runif(200, 0, 25), 100), grid[1:30, ])
  expect_identical(bare(gp_neighbours_among(p, grid, 8)), neighbours_by_hand(p, grid, 8, function(i) rep(TRUE, 500)))
  for (blocks in list(rep(c("a", "b", "c", "d"), 125), cut(grid[, 1], 3), seq_len(500))) {
    own <- rep_len(blocks, 500)
    expect_identical(bare(gp_neighbours_among(grid, grid, 8, own, blocks)),
                     neighbours_by_hand(grid, grid, 8, function(i) blocks != own[i]))
  }
  expect_true(all(is.na(gp_neighbours_among(grid, grid, 2, rep(1, 500), rep(1, 500)))))
})

test_that("the number of threads does not matter", {
  x <- matrix(runif(1e5), ncol = 2)
  old <- options(statcl.threads = 1)
  on.exit(options(old))
  want <- list(gp_ordering(x), gp_neighbours(x, 12), gp_neighbours_among(x[1:9999, ], x, 5))
  for (threads in c(2, 4)) {
    options(statcl.threads = threads)
    expect_identical(list(gp_ordering(x), gp_neighbours(x, 12), gp_neighbours_among(x[1:9999, ], x, 5)), want)
  }
})

test_that("few points, and what is no point", {
  one <- matrix(c(1e6, 3), 1)
  expect_identical(bare(gp_ordering(one)), 1L)
  expect_identical(bare(gp_ordering(one[0, , drop = FALSE])), integer())
  expect_identical(bare(gp_neighbours(one, 2)), matrix(NA_integer_, 2, 1))
  expect_identical(bare(gp_neighbours_among(one, one[0, , drop = FALSE], 1)), matrix(NA_integer_, 1, 1))
  expect_identical(attr(gp_ordering(rbind(one, one)), "least"), Inf)
  expect_identical(bare(gp_ordering(matrix(c(0, 1e-300, 1e-290), 3))), c(2L, 3L, 1L))
  expect_error(gp_ordering(rbind(one, NA)), "finite", class = "statcl_error_input")
  expect_error(gp_ordering(1:3), "matrix", class = "statcl_error_input")
  expect_error(gp_ordering(matrix(0, 2, 11)), "1 to 10", class = "statcl_error_input")
  expect_error(gp_neighbours(one, 0), "m must be", class = "statcl_error_input")
})

test_that("a matrix in a file is the matrix", {
  path <- tempfile()
  x <- cbind(u = seeded(runif(60)), v = seeded(runif(60), 2))
  rownames(x) <- paste0("p", 1:60)
  model <- covModel("matern", range = 0.3, smoothness = 0.8, nugget = 0.2) + covModel("gaussian", range = 2)
  for (y in list(NULL, x[1:7, ])) for (deriv in c("none", "range.1")) {
    error <- if (is.null(y) && deriv == "none") seq(0, 1, length.out = 60)
    whole <- covariance(model, x, y, deriv = deriv, error.variance = error)
    kept <- covariance(model, x, y, deriv = deriv, error.variance = error, file = path)
    expect_equal(dim(kept), dim(whole))
    expect_equal(file.size(path), 8 * length(whole))
    expect_equal(kept[, ], whole, tolerance = 1e-15)
    expect_equal(readBin(path, "double", length(whole), endian = "little"), as.vector(whole), tolerance = 1e-15)
    expect_equal(kept[c("p3", "p60"), -1], whole[c("p3", "p60"), -1], tolerance = 1e-15)
    expect_equal(kept[5, 2, drop = FALSE], whole[5, 2, drop = FALSE], tolerance = 1e-15)
  }
  expect_output(print(kept), "60 x 7")
  expect_error(kept[61, 1], "index 1 goes beyond", class = "statcl_error_input")
  expect_error(kept[1], "two indices", class = "statcl_error_input")
  expect_error(covariance(model, 1:3, file = path), "among points", class = "statcl_error_input")
})

test_that("a file that cannot be written is an error, and none is left", {
  path <- file.path(tempdir(), "no-such-folder", "matrix")
  model <- covModel("exponential", range = 1)
  expect_error(covariance(model, cbind(1:3, 1), file = path), class = "statcl_error_file")
  expect_false(file.exists(path))
})

test_that("matrices larger than memory are refused with what to do instead", {
  model <- covModel("exponential", range = 1)
  x <- cbind(seq_len(4e5), 0)
  refused <- function(expr, text) expect_error(expr, text, class = "statcl_error_memory", fixed = TRUE)
  refused(covariance(model, x), "take 1280.0 GB of memory")
  refused(covariance(model, x), "covariance(file = ) writes them to a file")
  refused(covariance(model, x, x[1:3e5, ]), "covariances of 400000 points with 300000 points take 960.0 GB")
  refused(matern(x, range = 1, smoothness = c(0.5, 1)), "take 2560.0 GB")
})

# Circles of lines as tables, and tori, of models for which they are hard to find.

skip_if_quick()
test_that("line covariances by panels are those by quadrature", {
  parts <- list(covModel("covariance", covariance = function(h) exp(-h^2), range = 10, dim = 2),
                covModel("spectrum", density = function(k) exp(-k^2), dim = 2),
                covModel("besselj", shape = 0.25, range = 2),
                covModel("cauchy", shape = 0.3, range = 3, variance = 4))
  for (part in parts) {
    step <- part_scale(part, 2L) / 20
    values <- line_values(part, 2L, step)
    values(3000)
    at <- c(0, 1, 2, 77, 1999, 2000, 5003, 9998, 9999)
    expect_lt(max(abs(values(10000)[at + 1] - cov_line(part, step * at, 2L))), 1e-12 * part$variance)
  }
})

test_that("a circle has the line covariance to 1e-9 of the variance, also where it has none that is exact", {
  x <- cbind(c(0, 50), c(0, 50))
  for (part in list(covModel("covariance", covariance = function(h) exp(-h^2), range = 10, dim = 2, variance = 3),
                    covModel("spectrum", density = function(k) exp(-k^2), dim = 2))) {
    recipe <- seeded(tbrf(x, part, 10, method = "table", object = TRUE))
    expect_length(recipe$table$circle, 1)
    spectrum <- table_spectrum(recipe, part, 1L)
    expect_gte(min(spectrum), 0)
    at <- c(0, 3, 40, recipe$table$entries - 1)
    expect_lt(max(abs(Re(fft(spectrum))[at + 1] - cov_line(part, at * recipe$table$step, 2L))), 2e-9 * part$variance)
    recipe$table$circle <- 2 * recipe$table$entries # too short
    short <- Re(fft(table_spectrum(recipe, part, 1L)))[at + 1] - cov_line(part, at * recipe$table$step, 2L)
    expect_gt(max(abs(short)), 1e-7)
  }
})

test_that("models without circles end in an error, or are made otherwise with a message", {
  x <- cbind(c(0, 30), c(0, 30))
  wave <- covModel("besselj", shape = 0.25, range = 1)
  expect_input_error(tbrf(x, wave, 10, method = "table"), "use method = \"spectral\"")
  expect_input_error(tbrf(x, wave, 10, method = "table", lines = "circulant"), "use lines = \"powerlaw\", or method")
  part <- covModel("exponential", range = 2)
  recipe <- seeded(tbrf(x, part, 10, method = "table", object = TRUE))
  none <- function(method) with_circles(recipe, list(part), list(given = c(lines = FALSE), method = method))
  own <- list(line_circle = line_circle, sampled_error = sampled_error, chosen_method = chosen_method)
  on.exit(for (name in names(own)) utils::assignInNamespace(name, own[[name]], "statcl"))
  utils::assignInNamespace("line_circle", function(...) NA_real_, "statcl")
  utils::assignInNamespace("sampled_error", function(...) 0.001, "statcl")
  expect_message(made <- none("auto"), "lines = \"powerlaw\" are taken instead")
  expect_identical(made$lines, "powerlaw")
  utils::assignInNamespace("sampled_error", function(...) 0.1, "statcl")
  expect_message(made <- none("auto"), "method = \"spectral\", are taken instead")
  expect_null(made)
  expect_input_error(none("table"), "use method = \"spectral\"")
  utils::assignInNamespace("chosen_method", function(method, ...) if (method == "auto") "table" else method, "statcl")
  expect_message(field <- seeded(tbrf(x, part, 10)), "waves")
  expect_identical(attr(field, "recipe")$method, "spectral")
})

test_that("the search for a torus ends at once only where no torus allowed would do", {
  grid <- rfGrid(0, 1, c(24, 16))
  count <- c(stopped = 0, found = 0)
  for (r in c(1, 10, 30)) for (m in list(covModel("exponential", range = r), covModel("gaussian", range = r),
                                         covModel("spherical", range = r), covModel("cauchy", range = r, shape = 0.1),
                                         covModel("sinc", range = r), covModel("besselj", range = r, shape = 2))) {
    recipe <- seeded(tbrf(grid, m, method = "fft", object = TRUE, max.table = 2e6))
    old <- tryCatch(torus_spectrum(recipe), statcl_error_input = function(e) NULL)
    new <- tryCatch(torus_spectrum(recipe, TRUE), statcl_error_input = function(e) NULL)
    expect_identical(is.null(new), is.null(old))
    count <- count + c(is.null(old), !is.null(old))
  }
  expect_gt(min(count), 3)
  expect_input_error(tbrf(rfGrid(0, 1, c(64, 64)), covModel("sinc", range = 1), method = "fft"), "needs a torus of")
})

test_that("small tolerances are met by numbers of lines that are found in seconds", {
  recipe <- recipe_without_points(covModel("exponential", range = 1), 3, "spectral")
  recipe$directions <- "lowdiscrepancy"
  found <- enough_lines(recipe, 0.002)
  expect_gt(found$nlines, 2^13)
  # two of eight fields, and here 16: 18 and 12 percent
  expect_lt(recipe_error(found, 1), 0.002 * 1.5)
  expect_gt(recipe_error(share_lines(recipe, found$nlines / 4), 1), 0.002)
  if (every_test()) expect_gt(enough_lines(recipe, 2e-4)$nlines, 2^17)
  recipe$waves <- "shells" # whose errors fall faster
  tolerance <- repetitions(5e-4, 1.2e-4)
  found <- enough_lines(recipe, tolerance)
  expect_gt(found$nlines, repetitions(2^15, 2^17))
  expect_lt(found$nlines, repetitions(2^18, 2^20))
  expect_lt(recipe_error(found, 1, 2L), tolerance * 1.5)
  expect_input_error(enough_lines(recipe, 1e-7), "not met by 16777216 lines")
})

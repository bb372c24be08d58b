test_that("plots of integrals show values against rows or numbers, and failures as crosses", {
  pdf(NULL)
  on.exit(dev.off())
  x <- suppressWarnings(integrategpu(~ exp(-a * x^2), -Inf, Inf, params = data.frame(a = c(1, 4, 0, 9))))
  expect_identical(plot(x), x)
  expect_lt(par("usr")[4], 2) # the divergent one does not flatten the others
  plot(x, against = c(1, 4, 0, 9))
  expect_equal(par("usr")[1:2], c(-0.36, 9.36))
  m <- integrategpu(function(u) c(1, u, u^2) * dlogis(u, s), -Inf, Inf, params = data.frame(s = 1:3))
  expect_silent(plot(m, log = "y", ylim = c(0.5, 20)))
  expect_silent(plot(x[3, ]))
  # crosses of what is not known are drawn too, in the colour that was asked for
  file <- tempfile(fileext = ".pdf")
  unknown <- suppressWarnings(integrategpu(~ log(x - a), 0, 1, params = data.frame(a = 2:4)))
  red <- function(...) {
    pdf(file, compress = FALSE)
    plot(unknown, ...)
    dev.off()
    sum(grepl("^1(\\.0+)? 0(\\.0+)? 0(\\.0+)? (SCN|RG)", readLines(file, warn = FALSE)))
  }
  expect_gte(red(col = "red"), 1)
  expect_identical(red(col.axis = "red"), 0L)
  unlink(file)
  expect_input_error(plot(x, against = 1:2), "against has 2 numbers for 4 integrals")
  expect_input_error(plot(x[0, ]), "no integrals")
})

# What plots of fields and maps say: titles, keys and shapes.

# Titles of a plot, and the labels of its key, from what graphics functions were called with.
drawn <- function(expr) {
  pdf(NULL)
  on.exit(dev.off())
  dev.control("enable")
  expr
  calls <- recordPlot()[[1L]]
  names <- vapply(calls, function(call) call[[2L]][[1L]]$name, "")
  arguments <- function(name) lapply(calls[names == name], function(call) as.list(call[[2L]])[-1L])
  titles <- unlist(lapply(arguments("C_title"), function(a) a[[1L]]))
  labels <- unlist(lapply(arguments("C_text"), function(a) a[[2L]]))
  list(title = titles, labels = labels, rectangles = length(unlist(lapply(arguments("C_rect"), function(a) a[[2L]]))),
       points = vapply(arguments("C_plotXY"), function(a) length(a[[1L]]$x), 1L), usr = par("usr"))
}

set.seed(1)
model <- covModel("exponential", range = 4)
fields <- tbrf(rfGrid(0, 1, c(20, 12)), model, 200, nsim = 5)

test_that("a small map far from the origin is drawn, whose steps are rounded", {
  far <- tbrf(rfGrid(c(5e5, 5.8e6), 0.01, c(20, 12)), covModel("exponential", range = 0.04), 50)
  expect_null(drawn(plot(far))$title)
})

test_that("titles say which field, layer, time, component and slice is shown", {
  expect_null(drawn(plot(tbrf(rfGrid(0, 1, c(20, 12)), model, 200)))$title)
  expect_identical(drawn(plot(fields))$title, "field 1")
  expect_identical(drawn(plot(fields, sim = 3))$title, "field 3")
  expect_identical(drawn(plot(fields, sim = 3, main = "mine"))$title, "mine")
  maps <- rfSummary(fields, exceeds = c(log(1.5), "above a half" = 0.5), probs = 0.05)
  for (layer in c("mean", "sd", "P(> 0.405465)", "above a half", "q0.05"))
    expect_identical(drawn(plot(maps, sim = layer))$title, layer)
  data <- data.frame(x = c(1, 5, 9, 2, 7, 4), y = c(1, 2, 7, 8, 5, 4), z = c(1, 3, 2, 5, 4, 2))
  fit <- gpFit(z ~ 1, data, ~ x + y, covModel("exponential", range = 4, variance = 2), fixed = TRUE)
  map <- predict(fit, rfGrid(0, 1, c(10, 10)), se.fit = TRUE)
  expect_identical(drawn(plot(map))$title, "fit")
  expect_identical(drawn(plot(map, sim = "se.fit"))$title, "se.fit")
  moving <- tbrf(rfGrid(0, 1, c(20, 12)), model, 200, time = c(0, 0.5), correlation.time = 1)
  expect_identical(drawn(plot(moving, time = 0.5))$title, "time 0.5")
  flow <- tbrf(rfGrid(0, 1, c(9, 8)), rfVector(covModel("gaussian", range = 4)), 200, nsim = 2)
  expect_identical(drawn(plot(flow))$title, "field 1")
  expect_identical(drawn(plot(flow, component = "vy", sim = 2))$title, "vy, field 2")
  cube <- tbrf(rfGrid(0, 1, c(5, 4, 3)), model, 200, nsim = 2)
  expect_identical(drawn(plot(cube, sim = 2, slice = c(y = 1)))$title, "field 2, y = 0")
  path <- tempfile()
  file <- tbrf(rfGrid(0, 1, c(9, 8)), model, 200, nsim = 3, file = path)
  expect_identical(drawn(plot(file, sim = 2))$title, "field 2")
  unlink(c(path, paste0(path, ".txt")))
})

# Texts of a plot that are not upright, with where they end on the right and the width of the device, in inches.
turned <- function(expr, width = 7) {
  pdf(NULL, width, 5)
  on.exit(dev.off())
  dev.control("enable")
  expr
  texts <- Filter(function(call) call[[2L]][[1L]]$name == "C_text", recordPlot()[[1L]])
  texts <- Filter(function(call) identical(as.list(call[[2L]])$srt, 90), texts)
  half <- strheight("M", "inches", cex = 0.9) # a line of text on its side, and what hangs below it
  lapply(texts, function(call) {
    a <- as.list(call[[2L]])[-1L]
    list(text = a[[2L]], end = grconvertX(a[[1L]]$x, "user", "inches") + half, width = dev.size()[1L])
  })
}

test_that("a key has the title that it is given, within the picture, and that of arrows is their length", {
  flow <- tbrf(rfGrid(0, 1, c(9, 8)), rfVector(covModel("gaussian", range = 4)), 200)
  scattered <- tbrf(cbind(runif(30), runif(30)), model, 200)
  rock <- rfTransform(fields, breaks = 0, labels = c("sandstone", "conglomerate"))
  d <- data.frame(x = c(1, 5, 9, 2, 7, 4), y = c(1, 2, 7, 8, 5, 4), z = c(1, 3, 2, 5, 4, 2))
  fit <- gpFit(z ~ 1, d, ~ x + y, covModel("exponential", range = 4, variance = 2), fixed = TRUE)
  path <- tempfile()
  file <- tbrf(rfGrid(0, 1, c(9, 8)), model, 200, file = path)
  maps <- list(fields, 1e5 * fields, 1e-7 * fields, scattered, rock, flow, file, predict(fit, rfGrid(0, 1, c(9, 9))))
  for (map in maps) {
    shown <- turned(plot(map, key = "height (m)"))
    expect_identical(vapply(shown, `[[`, "", "text"), "height (m)")
    expect_lt(shown[[1]]$end, shown[[1]]$width)
    expect_length(turned(plot(map, key = FALSE)), 0L)
    before <- par("mar")
    expect_silent(drawn(plot(map, key = "height (m)")))
    expect_identical(par("mar"), before)
  }
  for (view in c("data", "surface", "se"))
    expect_identical(turned(plot(fit, view, key = "zinc (ppm)"))[[1]]$text, "zinc (ppm)")
  for (map in maps[1:5]) expect_length(turned(plot(map)), 0L)
  expect_identical(turned(plot(flow))[[1]]$text, "length of the vectors")
  expect_identical(turned(plot(fields, key = expression(m^3)))[[1]]$text, expression(m^3))
  for (bad in list(c("a", "b"), NA, NULL, NA_character_, 1:2, list()))
    expect_input_error(plot(fields, key = bad), "key must be TRUE, FALSE or the title of the key")
  unlink(c(path, paste0(path, ".txt")))
  dev.off()
})

test_that("labels of keys are within the picture, and the map within the margins", {
  rock <- rfTransform(fields, breaks = 0, labels = c("sandstone", "conglomerate of the coast"))
  for (map in list(rock, fields, 1e5 * fields)) for (size in list(c(6, 6), c(9, 5), c(6, 9))) {
    pdf(NULL, 3 * size[1], size[2])
    dev.control("enable")
    par(mfrow = c(1, 3)) # letters and lines are smaller
    plot(map)
    texts <- Filter(function(call) call[[2L]][[1L]]$name == "C_text", recordPlot()[[1L]])
    a <- as.list(texts[[1L]][[2L]])[-1L]
    ends <- grconvertX(a[[1L]]$x, "user", "inches") + strwidth(a[[2L]], "inches", cex = 0.85)
    from <- grconvertX(par("usr")[1L], "user", "inches") / par("mai")[2L]
    dev.off()
    expect_lt(max(ends), size[1])
    expect_gt(from, 0.99)
  }
})

test_that("distances on the Earth are said to be in kilometres", {
  label <- function(expr) {
    pdf(NULL)
    on.exit(dev.off())
    dev.control("enable")
    expr
    titles <- Filter(function(call) call[[2L]][[1L]]$name == "C_title", recordPlot()[[1L]])
    unlist(lapply(titles, function(call) as.list(call[[2L]])[[4L]]))
  }
  earth <- covModel("exponential", range = 100, nugget = 0.1, distance = "chordal")
  expect_identical(label(plot(earth)), "distance (km)")
  expect_identical(label(plot(earth + covModel("gaussian", range = 500, distance = "chordal"))), "distance (km)")
  expect_identical(label(plot(update(earth, radius = 1, range = 0.1))), "distance")
  expect_identical(label(plot(update(earth, distance = "euclidean"))), "distance")
  fit <- gpFit(mag ~ 1, datasets::quakes[1:60, ], ~ long + lat, earth, fixed = TRUE)
  expect_identical(label(plot(fit, "variogram")), "distance (km)")
})

test_that("categories have a key with a colour and a label for each", {
  rock <- rfTransform(tbrf(rfGrid(0, 1, c(20, 12)), model, 200), breaks = c(-0.5, 0.8))
  shown <- drawn(plot(rock))
  expect_identical(as.character(shown$labels), c("1", "2", "3"))
  expect_identical(shown$rectangles, 3L)
  expect_gt(drawn(plot(fields))$rectangles, 200L)
  points <- rfTransform(tbrf(cbind(runif(30), runif(30)), model, 200), breaks = 0)
  expect_identical(as.character(drawn(plot(points))$labels), c("1", "2"))
  expect_null(drawn(plot(points, col = "red"))$labels) # not the colours of the values
  expect_gt(drawn(plot(fields, col.axis = "red"))$rectangles, 200L)
  expect_identical(as.character(drawn(plot(points, col.axis = "red"))$labels), c("1", "2"))
  names <- c("clay", "silt", "sand")
  recipe <- tbrf(cbind(0, 0), model, 200, object = TRUE)
  named <- rfTransform(recipe, breaks = c(-0.5, 0.8), labels = names)
  map <- predict(named, rfGrid(0, 1, c(20, 12)))
  expect_identical(drawn(plot(map))$labels, names)
  expect_setequal(map[], 1:3)
  skip_if_not_installed("ggplot2")
  shown <- ggplot2::autoplot(predict(named, cbind(c(1, 9, 5), 1:3)))$data$value
  expect_identical(levels(shown), names)
  expect_identical(as.integer(shown), as.integer(predict(named, cbind(c(1, 9, 5), 1:3))))
})

test_that("the region has the shape of the map, and flat slices fill it", {
  shown <- drawn(plot(fields))
  expect_equal(shown$usr, c(-0.5, 19.5, -0.5, 11.5), tolerance = 1e-3)
  layered <- tbrf(rfGrid(0, c(10, 10, 1), c(12, 12, 6)), model, 200)
  shown <- drawn(plot(layered, slice = c(y = 3)))
  expect_equal(shown$usr, c(-5, 115, -0.5, 5.5))
  expect_gt(drawn(plot(layered, slice = c(y = 3), asp = 1))$usr[4], 20)
  # the next plot has margins of its own, and plots of unequal size their own shapes
  pdf(NULL, 12, 6)
  on.exit(dev.off())
  before <- par("mar")
  layout(matrix(1:2, 1), widths = c(3, 1))
  plot(fields)
  expect_silent(plot(fields))
  expect_identical(par("mar"), before)
})

test_that("maps of fields in time are of one of the times, and names of levels are told apart", {
  moving <- tbrf(rfGrid(0, 1, c(5, 4)), model, 50, nsim = 6, time = c(0, 0.5), correlation.time = 1)
  maps <- rfSummary(moving, exceeds = 0.1, time = 0.5)
  expect_equal(maps[, , "mean"], apply(moving[, , 2, ], 1:2, mean))
  expect_equal(maps[, , "P(> 0.1)"], apply(moving[, , 2, ] > 0.1, 1:2, mean))
  expect_error(rfSummary(moving), "x has 2 times: rfSummary(x, time = 0)", fixed = TRUE)
  expect_input_error(rfSummary(moving, time = 3), "time = 3")
  expect_input_error(rfSummary(fields, time = 3), "time = 3")
  single <- predict(attr(moving, "recipe"), rfGrid(0, 1, c(5, 4)), time = 0.5)
  expect_equal(rfSummary(single, exceeds = 0.1)[, , "sd"], maps[, , "sd"])
  path <- tempfile()
  set.seed(2)
  file <- tbrf(rfGrid(0, 1, c(5, 4)), model, 50, nsim = 6, time = c(0, 0.5), correlation.time = 1, file = path)
  expect_equal(rfSummary(file, time = 0.5)[, , "mean"], apply(file[, , 2, ], 1:2, mean))
  unlink(c(path, paste0(path, ".txt")))
  maps <- rfSummary(fields, exceeds = c(0.1, 1), probs = c(0.1, 0.10000001))
  expect_identical(attr(maps, "recipe")$layers, c("mean", "sd", "P(> 0.1)", "P(> 1)", "q0.1", "q0.10000001"))
  maps <- rfSummary(fields, exceeds = c(log(500), log(2)))
  expect_identical(drawn(plot(maps, sim = paste0("P(> ", log(500), ")")))$title, "P(> 6.21461)")
  expect_identical(drawn(plot(maps, sim = "P(> 0.6931471806)"))$title, "P(> 0.693147)")
  expect_error(plot(maps, sim = "P(> 0.7)"), "must be one of")
})

# Fields in files: the bits of the field in memory, whatever happens on the way.

grid <- rfGrid(c(-1, 2, 0.5), c(0.4, 0.3, 0.7), c(23, 12, 9))
model <- covModel("matern", range = 2, smoothness = 1.5, nugget = 0.2)
new_file <- function(ending) tempfile("field", fileext = ending)
in_file <- function(file, ..., model = get("model", parent.frame()), x = grid)
  seeded(tbrf(x, model, 40, file = file, ...))
in_memory <- function(..., model = get("model", parent.frame()), x = grid) seeded(tbrf(x, model, 40, ...))[]
marks <- function(x) statcl:::fragments_done(x)
sum_of <- function(x) unname(tools::md5sum(x$file))

# Ends the call of tbrf() before fragment number `count` is written.
broken_at <- function(count, expr, what = function() stop("broken")) {
  seen <- 0
  before <- function() {
    seen <<- seen + 1
    if (seen == count) what()
  }
  suppressMessages(trace("write_fragment", bquote(.(before)()), print = FALSE, where = asNamespace("statcl")))
  on.exit(suppressMessages(untrace("write_fragment", where = asNamespace("statcl"))))
  try(expr, silent = TRUE)
}

test_that("files have the bits of the field in memory, in any fragments", {
  for (ending in c(".nc", ".dat")) for (fragment in list(5, c(23, 4, 2), 100)) {
    x <- in_file(new_file(ending), fragment = fragment)
    expect_identical(x[], in_memory())
    expect_true(all(marks(x)))
  }
  for (dims in list(c(31, 17), 57)) for (ending in c(".nc", ".dat")) {
    flat <- rfGrid(3, 0.2, dims)
    expect_identical(in_file(new_file(ending), fragment = 8, x = flat, nsim = 3)[],
                     array(in_memory(x = flat, nsim = 3), c(dims, 3)))
  }
  sloping <- update(model, mean = function(x) 3 * x[, 1])
  expect_identical(in_file(new_file(".nc"), fragment = 7, model = sloping)[], in_memory(model = sloping))
  two <- list(x = rbind(c(0, 3, 2), c(4, 4, 4)), y = c(3, -3))
  expect_identical(in_file(new_file(".dat"), fragment = 7, data = two, nsim = 2)[], in_memory(data = two, nsim = 2))
  expect_identical(in_file(new_file(".nc"), fragment = 9, method = "table")[], in_memory(method = "table"))
  for (periodic in c(TRUE, FALSE)) {
    rough <- function(...) seeded(tbrf(grid, covModel("exponential", range = 2, nugget = 0.2), method = "fft",
                                       periodic = periodic, nsim = 2, ...))
    expect_identical(rough(file = new_file(".nc"), fragment = 9)[], rough()[])
  }
  earth <- covModel("exponential", range = 2000, distance = "chordal")
  globe <- rfGrid(c(-179, -89), 8, c(45, 23))
  expect_identical(in_file(new_file(".nc"), fragment = 10, model = earth, x = globe)[],
                   in_memory(model = earth, x = globe))
})

test_that("plain files are numbers, first axis first, of 8 or 4 bytes, with a header", {
  x <- in_file(new_file(".dat"), fragment = 5, nsim = 2)
  size <- prod(grid$dims) * 2
  expect_identical(readBin(x$file, "double", size + 1, endian = "little"), as.vector(in_memory(nsim = 2)))
  single <- in_file(new_file(".dat"), fragment = 5, nsim = 2, type = "float")
  values <- readBin(single$file, "double", size + 1, size = 4, endian = "little")
  rounded <- writeBin(as.vector(in_memory(nsim = 2)), raw(), size = 4)
  expect_identical(values, readBin(rounded, "double", size, size = 4))
  expect_identical(as.vector(single[]), values)
  header <- readLines(paste0(x$file, ".txt"))
  expect_true(all(c("dims: 23 12 9 2", "type: double, 8 bytes", "fragment: 5 5 5") %in% header))
  expect_identical(dim(x), c(23L, 12L, 9L, 2L))
})

test_that("netCDF reads values, coordinates, chunks and the recipe", {
  x <- in_file(new_file(".nc"), fragment = c(8, 5, 4), nsim = 2)
  single <- in_file(new_file(".nc"), fragment = 6, type = "float")
  expect_reads <- function(read, x) {
    expect_identical(array(read(x, "field"), dim(x)), x[])
    for (axis in 1:3)
      expect_identical(as.vector(read(x, c("x", "y", "z")[axis])), statcl:::grid_axes(grid)[[axis]])
    expect_identical(as.vector(read(x, "fragment_done")), rep(1L, length(marks(x))))
  }
  skip_if_not_installed("RNetCDF")
  whole <- function(x, what) {
    nc <- RNetCDF::open.nc(x$file)
    on.exit(RNetCDF::close.nc(nc))
    what(nc)
  }
  for (one in list(x, single)) expect_reads(function(x, name) {
    value <- whole(x, function(nc) RNetCDF::var.get.nc(nc, name, collapse = FALSE))
    if (name == "fragment_done") storage.mode(value) <- "integer"
    value
  }, one)
  expect_equal(whole(x, function(nc) RNetCDF::var.inq.nc(nc, "field")$chunksizes), c(8, 5, 4, 1))
  expect_identical(whole(x, function(nc) RNetCDF::att.get.nc(nc, "NC_GLOBAL", "Conventions")), "CF-1.8")
  text <- whole(x, function(nc) RNetCDF::att.get.nc(nc, "NC_GLOBAL", "statcl_recipe"))
  kept <- unserialize(memDecompress(statcl:::bytes_in_hex(text), "gzip"))
  expect_identical(predict(kept$recipe, kept$grid)[], x[])
  skip_if_not_installed("ncdf4")
  for (one in list(x, single)) expect_reads(function(x, name) {
    nc <- ncdf4::nc_open(x$file)
    on.exit(ncdf4::nc_close(nc))
    ncdf4::ncvar_get(nc, name)
  }, one)
})

flow_cases <- function() {
  timed <- covModel("gneiting", space = update(model, nugget = 0), time = list(range = 1, dim = 3), nugget = 0.2)
  data <- list(x = rbind(c(0, 3, 2), c(4, 4, 4)), y = c(3, -3), time = c(0, 1))
  list(list(rfVector(model, mean = 1:3)), list(timed, time = c(0, 1, 4)), list(timed, time = c(0, 1), data = data),
       list(rfVector(model, mean = function(x) 2 * x), nsim = 2, time = c(2, 0), correlation.time = 1))
}

test_that("components and times of vectors and moving fields are further dimensions of files", {
  for (case in flow_cases()) for (ending in c(".nc", ".dat")) {
    run <- function(...) seeded(do.call(tbrf, c(list(grid), case, nlines = 40, list(...))))
    field <- run()
    values <- field[]
    file <- new_file(ending)
    broken_at(5, run(file = file, fragment = 9))
    x <- rfOpen(file)
    expect_identical(c(dim(x), sum(marks(x))), c(dim(values), 4L))
    check <- function() {
      expect_identical(x[], values)
      some <- c(list(3:11, 12, -1), lapply(dim(values)[-(1:3)], seq, to = 1))
      expect_identical(do.call(`[`, c(list(x), some)), do.call(`[`, c(list(values), some)))
      expect_equal(summary(x)$values, summary(field)$values, tolerance = 1e-12)
      expect_identical(capture.output(summary(x)), capture.output(summary(field)))
    }
    check()
    run(file = file, fragment = 9)
    expect_true(all(marks(x)))
    check()
  }
  at <- predict(x, cbind(1:2, 3, 4), time = 0)
  expect_identical(as.vector(at), as.vector(predict(x, cbind(1:2, 3, 4))[, , 2, ]))
  seen <- list()
  put <- function(start, array) seen[[length(seen) + 1]] <<- c(start, dim(array))
  run(file = put, fragment = 12)
  expect_identical(seen[c(1, 2, 5)], lapply(list(c(1, 1, 1, 1, 1, 12, 12, 9, 3), c(13, 1, 1, 1, 1, 11, 12, 9, 3),
                                                c(1, 1, 1, 1, 2, 12, 12, 9, 3)), as.numeric))
  expect_error(run(file = put, time = numeric()), class = "error")
  pdf(NULL)
  on.exit(dev.off())
  plot(x, sim = 2, time = 0, slice = c(y = 3))
  expect_error(plot(x, component = "vw"), "vw", class = "statcl_error_input")
  skip_if_not_installed("ncdf4")
  nc <- ncdf4::nc_open(run(file = new_file(".nc"), fragment = 9)$file)
  expect_identical(ncdf4::ncvar_get(nc, "field"), unname(values))
  expect_identical(vapply(nc$var$field$dim, `[[`, "", "name"), c("x", "y", "z", "component", "time", "realization"))
  expect_equal(as.vector(nc$dim$time$vals), c(2, 0))
  expect_identical(ncdf4::ncatt_get(nc, "component", "flag_meanings")$value, "vx vy vz")
  expect_equal(ncdf4::ncatt_get(nc, "component", "flag_values")$value, 1:3)
  ncdf4::nc_close(nc)
})

test_that("recipes of many bytes are in several attributes", {
  many <- list(x = cbind(runif(4000), 1, 2), y = rnorm(4000), error.variance = 1)
  grid <- rfGrid(0, 1, c(4, 4, 4))
  set.seed(1)
  x <- tbrf(grid, covModel("exponential", range = 1), 20, data = many, file = new_file(".nc"))
  expect_identical(predict(rfOpen(x$file), grid)[], x[])
  skip_if_not_installed("RNetCDF")
  nc <- RNetCDF::open.nc(x$file)
  on.exit(RNetCDF::close.nc(nc))
  names <- c("statcl_recipe", "statcl_recipe_2")
  text <- vapply(names, function(name) RNetCDF::att.get.nc(nc, "NC_GLOBAL", name), "")
  expect_identical(unname(nchar(text)[1]), 60000L)
})

test_that("parts are read, and computed where they are not done", {
  values <- in_memory(nsim = 2)
  check <- function(x) {
    expect_identical(x[3, , 2:9, 2], values[3, , 2:9, 2])
    expect_identical(x[c(20, 1, 20), -1, c(TRUE, FALSE, TRUE, rep(FALSE, 6)), 1],
                     values[c(20, 1, 20), -1, c(1, 3), 1])
    expect_identical(x[3, 4, 5, 2, drop = FALSE], values[3, 4, 5, 2, drop = FALSE])
    expect_identical(x[0, 1, 1, ], values[0, 1, 1, ])
    expect_identical(x[3, 4, , "sim_2"], values[3, 4, , 2])
    expect_error(x[3, 4, , "sim_3"], "sim_1, sim_2", class = "statcl_error_input")
    expect_error(x["a", 1, 1, 1], "has none", class = "statcl_error_input")
    expect_error(x[24, 1, 1, 1], "24", class = "statcl_error_input")
    expect_error(x[NA_real_, 1, 1, 1], class = "statcl_error_input")
    expect_error(x[1, 1], class = "statcl_error_input")
  }
  for (ending in c(".nc", ".dat")) {
    file <- new_file(ending)
    broken_at(7, in_file(file, nsim = 2, fragment = 5))
    x <- rfOpen(file)
    expect_identical(sum(marks(x)), 6L)
    check(x)
    expect_identical(sum(marks(x)), 6L)
    check(rfOpen(file, resume = TRUE))
    expect_true(all(marks(x)))
  }
  check(in_file(function(start, array) NULL, nsim = 2, fragment = 5))
  single <- in_file(function(start, array) NULL, type = "float")
  expect_identical(single[], in_file(new_file(".nc"), type = "float")[])
})

test_that("the same call goes on where it was interrupted, with the key of the file", {
  for (ending in c(".nc", ".dat")) {
    whole <- sum_of(in_file(new_file(ending), fragment = 6))
    file <- new_file(ending)
    broken_at(9, in_file(file, fragment = 6))
    x <- rfOpen(file)
    expect_identical(which(marks(x)), 1:8)
    count <- 0
    broken_at(9, in_file(file, fragment = 6), function() count <<- 9) # there are but 8
    expect_identical(c(count, sum(marks(x))), c(0, 16))
    expect_identical(sum_of(x), whole)
    expect_silent(in_file(file, fragment = 6))
    broken_at(3, in_file(file2 <- new_file(ending), fragment = 6))
    set.seed(99)
    expect_message(x <- tbrf(grid, model, 40, file = file2, fragment = 6), "2 of 16 fragments are done")
    expect_identical(sum_of(x), whole)
    at <- seeded(runif(3))
    seeded(in_file(file, fragment = 6))
    expect_identical(seeded({
      tbrf(grid, model, 40, file = file, fragment = 6)
      runif(1)
    }), at[3])
  }
  function_of <- function(a) covModel("exponential", range = 2, mean = function(x) x[, 1])
  file <- new_file(".nc")
  broken_at(3, in_file(file, fragment = 6, model = function_of(1)))
  expect_identical(in_file(file, fragment = 6, model = function_of(2))[], in_memory(model = function_of(1)))
})

test_that("processes do parts of a file", {
  for (ending in c(".nc", ".dat")) {
    x <- in_file(new_file(ending), fragment = 6, object = TRUE)
    expect_identical(sum(marks(x)), 0L)
    rfOpen(x$file, resume = TRUE, part = c(3, 3))
    expect_identical(which(marks(x)), seq(3L, 15L, 3L))
    for (k in 2:1) rfOpen(x$file, TRUE, c(k, 3))
    expect_identical(sum_of(x), sum_of(in_file(new_file(ending), fragment = 6)))
  }
  expect_identical(rfOpen(x$file, TRUE, c(30, 40)), x)
  expect_error(rfOpen(x$file, part = 3:2), "part", class = "statcl_error_input")
  expect_error(rfOpen(x$file, part = 0:1), "part", class = "statcl_error_input")
  expect_error(x[1, 1, 1] <- 0, "cannot be changed", class = "statcl_error_input")
})

test_that("a call that is interrupted keeps what it has written", {
  file <- new_file(".nc")
  told <- tryCatch(broken_at(4, in_file(file, fragment = 6), function()
    stop(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))),
                   interrupt = function(e) "interrupted")
  expect_identical(told, "interrupted")
  expect_identical(which(marks(rfOpen(file))), 1:3)
})

test_that("a process that is killed leaves a file that the same call finishes", {
  skip_if_quick()
  skip_on_os("windows")
  for (ending in c(".nc", ".dat")) {
    whole <- sum_of(in_file(new_file(ending), fragment = 6))
    file <- new_file(ending)
    for (count in c(1, 4, 3)) {
      script <- tempfile(fileext = ".R")
      dump(c("broken_at", "seeded", "grid", "model", "in_file", "file", "count"), script,
           envir = list2env(list(file = file, count = count), parent = environment()))
      cat("library(statcl)\nset.seed(1)\nend <- function() tools::pskill(Sys.getpid(), tools::SIGKILL)\n",
          "broken_at(count, tbrf(grid, model, 40, file = file, fragment = 6), end)\n", file = script, append = TRUE)
      status <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(sprintf(
        ".libPaths(%s); library(statcl); source('%s')", deparse1(.libPaths()), script))), stdout = FALSE,
        stderr = FALSE)
      expect_true(status != 0)
      expect_false(all(marks(rfOpen(file))))
    }
    expect_identical(sum_of(in_file(file, fragment = 6)), whole)
  }
})

test_that("other fields, files of others and broken ones are errors that name them", {
  file <- new_file(".nc")
  x <- in_file(file, fragment = 6)
  whole <- sum_of(x)
  other <- function(what, ...) expect_error(in_file(file, ...), what, class = "statcl_error_input")
  other("another field \\(model\\)", fragment = 6, model = update(model, range = 3))
  other("grid", fragment = 6, x = rfGrid(0, 1, grid$dims))
  other("fragment", fragment = 7)
  other("type", fragment = 6, type = "float")
  other("nsim", fragment = 6, nsim = 2)
  expect_error(tbrf(grid, model, 41, file = file, fragment = 6), "nlines", class = "statcl_error_input")
  box <- function(spectrum, file)
    tbrf(rfGrid(0, 1, c(4, 4)), update(spectrumModel(spectrum, dim = 2), variance = 1), method = "fft",
         periodic = TRUE, variance = "spectrum", file = file)
  spectral <- new_file(".nc")
  box(function(k) exp(-k^2), spectral)
  expect_error(box(function(k) exp(-k), spectral), "another field \\(model\\)", class = "statcl_error_input")
  expect_identical(sum_of(x), whole)
  for (ending in c(".nc", ".dat")) {
    file <- new_file(ending)
    writeLines("mine", file)
    expect_error(in_file(file), "no file by tbrf", class = "statcl_error_input")
    expect_error(rfOpen(file), "no file by tbrf", class = "statcl_error_input")
    expect_identical(readLines(file), "mine")
    writeLines("mine", paste0(file, ".txt"))
    unlink(file)
    if (ending == ".dat") expect_error(in_file(file), class = "statcl_error_input")
    expect_identical(readLines(paste0(file, ".txt")), "mine")
  }
  expect_error(rfOpen(new_file(".nc")), "no such file", class = "statcl_error_file")
  for (ending in c(".nc", ".dat")) {
    x <- in_file(new_file(ending), fragment = 6)
    bytes <- readBin(x$file, "raw", file.size(x$file))
    writeBin(bytes[-length(bytes)], x$file)
    expect_error(rfOpen(x$file), "1 are missing", class = "statcl_error_file")
    unlink(x$file)
    expect_error(x[], class = "statcl_error_file")
    expect_output(print(x), "not there")
  }
})

test_that("arguments are judged", {
  bad <- function(what, ..., x = grid) expect_error(tbrf(x, model, 120, ...), what, class = "statcl_error_input")
  bad("file = 3", file = 3)
  bad("rfGrid", file = new_file(".nc"), x = 1:3)
  bad("no points", file = new_file(".nc"), x = rfGrid(0, 1, c(0, 3)))
  bad("object", file = function(start, array) 0, object = TRUE)
  bad("fragment = 0", file = new_file(".nc"), fragment = 0)
  bad("fragment = 2.5", file = new_file(".nc"), fragment = 2.5)
  bad("fragment", file = new_file(".nc"), fragment = c(2, 3))
  bad("2\\^28", file = new_file(".nc"), fragment = 1000, x = rfGrid(0, 1, rep(1000, 3)))
  bad("fragments: larger", file = new_file(".nc"), fragment = 1, x = rfGrid(0, 1, rep(1000, 3)))
  bad("file is missing", fragment = 8)
  bad("file is missing", type = "float")
})

test_that("what the system refuses has a class, and keeps what is done", {
  expect_error(in_file(file.path(tempdir(), "nowhere", "a.nc")), "nowhere", class = "statcl_error_file")
  expect_error(in_file(file.path(tempdir(), "nowhere", "a.dat")), "nowhere", class = "statcl_error_file")
  expect_error(in_file(tempdir()), class = "statcl_error_file")
  locked <- file.path(tempdir(), "locked")
  dir.create(locked, mode = "0555")
  denied <- if (file.access(locked, 2) == 0) "/proc/1" else locked # root may write everywhere else
  if (dir.exists(denied)) for (name in c("a.nc", "a.dat"))
    expect_error(in_file(file.path(denied, name)), denied, class = "statcl_error_file")
  # a file that has become one to read only
  file <- new_file(".nc")
  broken_at(5, in_file(file, fragment = 6))
  Sys.chmod(file, "0444")
  if (file.access(file, 2) != 0) expect_error(in_file(file, fragment = 6), class = "statcl_error_file")
  Sys.chmod(file, "0644")
  expect_identical(which(marks(rfOpen(file))), 1:4)
  skip_if_not(file.exists("/dev/full"))
  # the disk is full from the fifth fragment on
  for (ending in c(".nc", ".dat")) {
    file <- new_file(ending)
    x <- NULL
    full <- function() {
      x <- get("x", parent.frame(2))
      x$file <- "/dev/full"
      assign("x", x, parent.frame(2))
    }
    broken_at(5, expect_error(in_file(file, fragment = 6), "/dev/full", class = "statcl_error_file"), full)
    expect_identical(which(marks(rfOpen(file))), 1:4)
    expect_identical(in_file(file, fragment = 6)[], in_memory())
  }
})

test_that("a function gets each fragment once, and its errors have a class", {
  values <- array(NA_real_, c(grid$dims, 2))
  put <- function(start, array) {
    at <- Map(function(from, n) from - 1 + seq_len(n), start[1:3], dim(array))
    stopifnot(is.na(values[at[[1]], at[[2]], at[[3]], start[4]]))
    values[at[[1]], at[[2]], at[[3]], start[4]] <<- array
  }
  x <- in_file(put, nsim = 2, fragment = c(7, 5, 9))
  expect_identical(values, in_memory(nsim = 2))
  expect_identical(predict(x, grid)[], values)
  seen <- 0
  expect_error(in_file(function(start, array) if ((seen <<- seen + 1) == 3) stop("enough"), fragment = 6),
               "fragment 3 of 16, from cell \\(13, 1, 1\\) on: enough", class = "statcl_error_file")
  expect_error(in_file(function(start) 1), "unused argument", class = "statcl_error_file")
  seen <- 0
  stopped <- tryCatch(in_file(function(start, array) if ((seen <<- seen + 1) == 3)
    stop(structure(class = c("interrupt", "condition"), list(message = "", call = NULL))), fragment = 6),
    interrupt = function(e) "interrupted")
  expect_identical(c(stopped, seen), c("interrupted", "3"))
})

test_that("workers make the same file", {
  skip_if_quick()
  cl <- parallel::makeCluster(2)
  on.exit(parallel::stopCluster(cl))
  sloping <- update(model, mean = function(x) 3 * x[, 1])
  for (ending in c(".nc", ".dat")) {
    alone <- in_file(new_file(ending), fragment = 6, nsim = 2)
    drift <- in_file(new_file(ending), fragment = 6, model = sloping)
    for (count in 1:2) withCluster(cl[seq_len(count)], {
      expect_identical(sum_of(in_file(new_file(ending), fragment = 6, nsim = 2)), sum_of(alone))
      expect_identical(in_file(new_file(ending), fragment = 6, model = sloping)[], drift[])
    })
  }
  here <- Sys.getpid()
  seen <- 0
  withCluster(cl, in_file(function(start, array) seen <<- seen + sum(array) * (Sys.getpid() == here), fragment = 6))
  expect_equal(seen, sum(in_memory()), tolerance = 1e-10)
  file <- new_file(".nc")
  expect_error(withCluster(cl, in_file(function(start, array) stop("enough"))), "enough", class = "statcl_error_file")
  expect_identical(withCluster(cl, in_file(file, fragment = 6))[], in_memory())
})

test_that("files are printed and plotted", {
  x <- in_file(new_file(".nc"), fragment = 6, nsim = 2)
  expect_output(print(x), "2 random fields in a file.*NetCDF-4.*32 of 32 fragments")
  expect_output(print(in_file(function(...) NULL)), "not kept")
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(plot(x, sim = 2, slice = c(y = 3)), x)
  expect_identical(plot(in_file(new_file(".nc"), x = rfGrid(0, 1, 30)))$grid$dims, 30L)
  plot(in_file(new_file(".nc"), x = rfGrid(0, 1, c(30, 20)), nsim = 2), sim = 2)
  expect_error(plot(x, slice = 10), "slice", class = "statcl_error_input")
  expect_error(plot(x, sim = 3), "sim", class = "statcl_error_input")
})

test_that("the hash is that of Jenkins", {
  expect_identical(rev(.Call(statcl:::C_fileChecksum, charToRaw("Four score and seven years ago"))),
                   as.raw(c(0x17, 0x77, 0x05, 0x51)))
})

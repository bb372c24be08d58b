# Documents are beside the tests in the sources only.
folder <- test_path("..", "..")
skip_if_not(file.exists(file.path(folder, "README.md")), "the sources")
skip_on_cran()
vignettes <- list.files(file.path(folder, "vignettes"), "[.]Rmd$", full.names = TRUE)

# What takes long is run without OpenCL, where the fewest packages are, which is part of continuous integration.
skip_but_without_opencl <- function() if (!identical(Sys.getenv("STATCL_OPENCL"), "off")) skip_unless_all()

test_that("visible code of vignettes runs in a new process, in lines of at most 80 characters", {
  skip_but_without_opencl()
  expect_gt(length(vignettes), 9)
  for (file in vignettes) {
    code <- visible_code(file)
    expect_equal(code[nchar(code) > 80 & !grepl("^(if|try)\\(", code)], character(), info = basename(file))
    output <- run_in_new_process(code)
    expect_null(attr(output, "status"), info = paste(c(basename(file), utils::tail(output, 5)), collapse = "\n"))
  }
})

test_that("examples of the README give the output that it shows", {
  text <- visible_code(file.path(folder, "README.md"))
  shown <- grepl("^#>", text)
  output <- run_in_new_process(c("options(width = 80)", text[!shown]))
  expect_null(attr(output, "status"))
  expect_equal(trimws(output[nzchar(output)]), trimws(sub("^#> ?", "", text[shown])))
})

test_that("what the README says of accuracy is what the table of errors has", {
  errors <- utils::read.csv(file.path(folder, "inst", "errors.csv"))
  text <- paste(readLines(file.path(folder, "README.md"), encoding = "UTF-8"), collapse = " ")
  said <- sub(".*the worst is ([0-9.e-]+)[.] .*", "\\1", text)
  counts <- grepl("not the exact", errors$of)
  expect_identical(as.numeric(said), max(errors$worst[!counts]))
  expect_true(all(errors$worst[counts] == 0))
})

test_that("calls of other packages in the migration vignette agree with those beside them", {
  file <- file.path(folder, "vignettes", "migration.Rmd")
  rows <- grep("^\\| `", readLines(file, encoding = "UTF-8"), value = TRUE)
  cells <- do.call(rbind, strsplit(gsub("^\\| | \\|$", "", rows), " | ", fixed = TRUE))
  expect_gt(nrow(cells), 50)
  env <- new.env(parent = globalenv())
  code <- visible_code(file)
  eval(parse(text = code[seq_len(grep("^f <- ", code))]), env)
  absent <- character()
  for (i in seq_len(nrow(cells))) {
    calls <- lapply(gsub("`", "", cells[i, 1:2]), str2lang)
    named <- regmatches(cells[i, 1:2], gregexpr("[A-Za-z0-9]+::[A-Za-z_.]+", cells[i, 1:2]))
    if (grepl("as.vgm(", cells[i, 2], fixed = TRUE)) named[[2]] <- c(named[[2]], "gstat::vgm")
    there <- lapply(named, function(names) {
      packages <- unique(sub("::.*", "", names))
      has <- vapply(packages, requireNamespace, TRUE, quietly = TRUE)
      absent <<- union(absent, packages[!has])
      all(has)
    })
    if (!there[[2]]) next
    ours <- eval(calls[[2]], env)
    if (!there[[1]]) next
    for (name in unlist(named)) expect_true(is.function(eval(str2lang(name))), label = name)
    if (!grepl("[0-9]", cells[i, 3])) next # fits, and random numbers, which others draw otherwise
    theirs <- suppressWarnings(eval(calls[[1]], env))
    expect_lte(max(abs(as.vector(theirs) - as.vector(ours))), as.numeric(cells[i, 3]) * max(abs(ours)),
               label = cells[i, 1])
  }
  if (length(absent)) skip(paste(toString(absent), "cannot be loaded"))
})

test_that("examples of the help pages run in a new process", {
  skip_but_without_opencl()
  pages <- list.files(file.path(folder, "man"), "[.]Rd$", full.names = TRUE)
  expect_gt(length(pages), 50)
  examples <- tempfile(rep("examples", length(pages)), fileext = ".R")
  on.exit(unlink(examples))
  for (i in seq_along(pages)) tools::Rd2ex(pages[i], examples[i], commentDontrun = TRUE)
  there <- file.exists(examples)
  output <- run_in_new_process(c("library(statcl)", sprintf(
    "cat('%s\\n'); source('%s', local = new.env(), print.eval = TRUE)", basename(pages), examples)[there]))
  expect_null(attr(output, "status"), info = paste(utils::tail(output, 12), collapse = "\n"))
})

# Progress as users see it: calls of some seconds in R processes of their own, most of them in a pseudo-terminal.
skip_if_quick()

# The screen of an interactive R in a pseudo-terminal that reads these lines, and is sent SIGINT by a child of its own
# where a line calls interrupt_soon(). Every call is on one thread, so that it lasts long enough for a bar.
in_terminal <- function(lines, libraries = .libPaths(), env = character()) {
  skip_on_cran()
  skip_if(Sys.info()[["sysname"]] != "Linux" || !nzchar(Sys.which("script")), "no script(1) of util-linux")
  setup <- c("options(statcl.threads = 1)", sprintf(".libPaths(%s)", deparse1(libraries)), "library(statcl)",
             "useDevice('cpu')", "alphas <- function(n) seq(1.2, 1.8, length.out = n / 100)",
             "long <- function(n = 3e6) dstable(seq(-8, 8, length.out = n), alphas(n), 0.4)",
             "interrupt_soon <- function(s) system(sprintf('(sleep %g; kill -INT %d) &', s, Sys.getpid()))")
  input <- tempfile()
  screen <- tempfile()
  on.exit(unlink(c(input, screen)))
  writeLines(c(setup, lines, "quit('no')"), input)
  env <- c(R_TESTS = "", env)
  run <- sprintf("%s %s --interactive --no-save --no-restore --no-init-file --no-site-file",
                 paste0(names(env), "=", shQuote(env), collapse = " "), file.path(R.home("bin"), "R"))
  system2("script", c("-q", "-e", "-c", shQuote(run), screen), stdin = input, stdout = FALSE, stderr = FALSE)
  paste(readLines(screen, warn = FALSE), collapse = "\n")
}

# What a line printed: the sentinel is put together by R, so that the echo of the line does not count.
said <- function(screen, word) expect_match(screen, paste0("said:", word), fixed = TRUE)
say <- function(value) sprintf("cat(paste0('sa', 'id:'), format(%s), '\n', sep = '')", value)

test_that("a long call in a terminal shows cli's bar, can be interrupted under it, and gives its value", {
  skip_if_not_installed("cli")
  for (dynamic in c(TRUE, FALSE)) {
    screen <- in_terminal(c(
      sprintf("options(cli.dynamic = %s, cli.progress_show_after = 0)", dynamic),
      "x <- long()", say("length(x)"), say("is.null(statcl:::session$bar)"),
      "interrupt_soon(2.5); y <- tryCatch(long(4e7), interrupt = function(e) 'stopped')", say("y"),
      "x <- long(1e4)", say("sum(x) > 0")
    ))
    said(screen, "3000000")
    said(screen, "stopped")
    expect_length(gregexpr("said:TRUE", screen, fixed = TRUE)[[1]], 2)
    expect_match(screen, "dstable[^\n]*[0-9]+%")
    expect_no_match(screen, "Error")
  }
})

test_that("output in a sink, a display that fails, and a session without cli", {
  skip_if_not_installed("cli")
  file <- tempfile()
  screen <- in_terminal(c(
    sprintf("sink('%s'); x <- long(); cat(as.integer(length(x))); sink()", file),
    "options(cli.progress_show_after = 0, cli.progress_handlers = 'none of these')",
    "assignInNamespace('progress_update', function(...) stop('no dis', 'play'), 'statcl')",
    "x <- long()", say("length(x)"), "x <- long()", say("x[1] > 0")
  ))
  expect_identical(readLines(file, warn = FALSE), "3000000")
  said(screen, "3000000")
  said(screen, "TRUE")
  expect_length(gregexpr("no display", screen, fixed = TRUE)[[1]], 1)
  expect_no_match(screen, "Error")

  alone <- tempfile("library")
  dir.create(alone)
  on.exit(unlink(alone, recursive = TRUE))
  skip_if_not(file.symlink(find.package("statcl"), file.path(alone, "statcl")))
  screen <- in_terminal(c(
    say("requireNamespace('cli', quietly = TRUE)"), "x <- long()", say("length(x)"),
    "interrupt_soon(2.5); y <- tryCatch(long(4e7), interrupt = function(e) 'stopped')", say("y")
  ), alone, c(R_LIBS = alone, R_LIBS_SITE = alone, R_LIBS_USER = alone))
  said(screen, "FALSE")
  said(screen, "3000000")
  said(screen, "stopped")
  expect_match(screen, "dstable\r?\n.*\\|=+ +\\| +[0-9]+%")
  expect_no_match(screen, "Error")
})

test_that("nothing is shown in knitr, and in other uses that are not interactive unless asked for", {
  silent <- system2(file.path(R.home("bin"), "Rscript"), stdout = TRUE, stderr = TRUE, c("-e", shQuote(sprintf(
    paste(".libPaths(%s); options(statcl.threads = 1)",
          "x <- statcl::dstable(seq(-8, 8, length.out = 3e6), seq(1.2, 1.8, length.out = 3e4), 0.4)", sep = "; "),
    deparse1(.libPaths())))))
  expect_length(silent, 0)
  skip_if_not_installed("knitr")
  pages <- in_new_R({
    page <- function(verbose) {
      options(statcl.threads = 1, statcl.verbose = verbose, cli.progress_show_after = 0)
      text <- c("```{r}", "x <- dstable(seq(-8, 8, length.out = 3e6), seq(1.2, 1.8, length.out = 3e4), 0.4)",
                "as.integer(length(x))", "```")
      paste(knitr::knit(text = text, quiet = TRUE), collapse = "\n")
    }
    useDevice("cpu")
    c(page(FALSE), page(TRUE))
  })
  expect_match(pages, "3000000", fixed = TRUE)
  expect_no_match(pages, "Error|%")
})

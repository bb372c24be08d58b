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

# A library without cli.
library_alone <- function() {
  alone <- tempfile("library")
  dir.create(alone)
  skip_if_not(file.symlink(find.package("statcl"), file.path(alone, "statcl")))
  alone
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

test_that("a bar that is full stays until the call ends", {
  skip_if_not_installed("cli")
  screen <- in_terminal(c("s <- statcl:::session", "s$shown <- list(began = 0, first = c(0, 0))",
                          "for (i in 1:3) statcl:::progress_update('full', 1)", say("!is.null(s$bar)")))
  said(screen, "TRUE")
  expect_no_match(screen, "Error")
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

  alone <- library_alone()
  on.exit(unlink(alone, recursive = TRUE))
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

# What a call shows, and what the engine told, on one thread; name: the titles that were used.
shown_by <- function(call, before = quote(NULL)) {
  in_new_R({
    options(statcl.threads = 1, statcl.verbose = TRUE, cli.progress_show_after = 0.05)
    useDevice("cpu")
    set.seed(1)
    .(before)
    seen <- list(name = NULL, share = NULL, told = NULL)
    utils::assignInNamespace("progress_update", function(name, share) {
      seen$name <<- union(seen$name, name)
      seen$share <<- c(seen$share, share)
    }, "statcl")
    share_of <- statcl:::progress_share
    utils::assignInNamespace("progress_share", function(fraction) {
      seen$told <<- c(seen$told, fraction)
      share_of(fraction)
    }, "statcl")
    .(call)
    c(seen, list(left = statcl:::session$shown))
  })
}

# Is it known how far a call is, then it never goes back, tells enough steps, and comes to an end.
expect_advance <- function(r, title) {
  expect_identical(r$name, title)
  expect_null(r$left)
  for (told in list(r$told, r$share)) {
    known <- told[!is.na(told)]
    expect_false(is.unsorted(known))
    expect_gt(length(unique(known)), 1)
    expect_gt(max(known), 0.3)
  }
}

test_that("the shares that are told never fall, and mean the whole call", {
  expect_advance(shown_by(quote(qstable(runif(2e5), runif(2e5, 0.3, 1.9), 0.3))), "qstable")
  expect_advance(shown_by(quote(withDevice("cpu", stableFit(y))), quote(y <- matrix(rstable(4e5, 1.6, 0.2), 1000))),
                 "stableFit")
  expect_advance(shown_by(quote(statcl::stableRoll(y, 500, 10)), quote(y <- rstable(1e4, 1.6, 0.1))), "stableRoll")
})

test_that("searches tell no share, under the name of the function that was called", {
  r <- shown_by(quote(stableFit(y)), quote(y <- rstable(6e4, 1.3, 0.2)))
  expect_identical(r$name, "stableFit")
  expect_true(length(r$share) > 1 && all(is.na(r$told)))
  r <- shown_by(quote(stableReg(y ~ ., d)),
                quote(d <- data.frame(matrix(rnorm(4e4), 1e4), y = rstable(1e4, 1.6, 0))))
  expect_identical(r$name, "stableReg")
  expect_true(length(r$share) > 1 && all(is.na(r$told)))
  expect_null(r$left)
})

test_that("methods show the name of the function that was called", {
  r <- shown_by(quote(predict(recipe, matrix(runif(1e6), ncol = 2))),
                quote(recipe <- tbrf(cbind(0, 0), covModel("exponential", range = 0.1), object = TRUE)))
  expect_identical(r$name, "predict")
})

test_that("a call that begins with something else tells no share any more, and a loop in R tells its own", {
  session <- statcl:::session
  on.exit(session$shown <- session$loop <- NULL)
  session$shown <- list(name = "f", told = NA_real_, lost = FALSE, began = 0)
  expect_identical(vapply(c(NaN, 0.2, NaN, 0.5, 0.3, 0.9, NaN), statcl:::progress_share, 0),
                   c(NA, 0.2, 0.2, 0.5, NA, NA, NA))
  expect_identical(statcl:::progress_left(0.215, list(first = c(0.2, 70)), 100), "")
  expect_identical(statcl:::progress_left(0.6, list(first = c(0.2, 70)), 100), " | ETA: 30s")
  expect_identical(vapply(c(0, 99.2, 700, 7000, 2e5), statcl:::progress_time, ""),
                   c("0s", "100s", "12m", "2h", "3d"))
})

test_that("the terminal shows a sign of life where the share is not known", {
  fit <- c("set.seed(1); y <- rstable(2e5, 1.3, 0.2); options(cli.progress_show_after = 0.05)", "f <- stableFit(y)",
           say("coef(f)[['alpha']] > 1"))
  off <- c("options(statcl.progress = FALSE)", fit[2])
  skip_if_not_installed("cli")
  screen <- in_terminal(c("options(cli.dynamic = TRUE)", fit))
  said(screen, "TRUE")
  expect_match(screen, "stableFit +\\[[0-9]+s\\]")
  expect_no_match(screen, "ETA|[0-9]%|Error")
  expect_no_match(in_terminal(c(fit[1], off)), "stableFit +\\[")
  alone <- library_alone()
  on.exit(unlink(alone, recursive = TRUE))
  screen <- in_terminal(fit, alone, c(R_LIBS = alone, R_LIBS_SITE = alone, R_LIBS_USER = alone))
  said(screen, "TRUE")
  expect_match(screen, "stableFit \\[[0-9]+s\\]")
  expect_no_match(screen, "ETA|[0-9]%|Error")
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

test_that("fragments of a field in a file are counted, and kept after an interrupt", {
  skip_if_not_installed("cli")
  screen <- in_terminal(c(
    "options(cli.dynamic = TRUE, cli.progress_show_after = 0); file <- tempfile(fileext = '.nc')",
    "model <- covModel('exponential', range = 9); grid <- rfGrid(0, 1, rep(256, 3))",
    "mark <- statcl:::mark_done; count <- 0",
    "then_stop <- function(...) { mark(...); if ((count <<- count + 1) == 5) tools::pskill(Sys.getpid(), 2) }",
    "assignInNamespace('mark_done', then_stop, 'statcl')",
    "f <- function() tbrf(grid, model, 3000, file = file, fragment = 64)",
    "y <- tryCatch(f(), interrupt = function(e) 'stopped')", say("y"),
    "done <- sum(statcl:::fragments_done(rfOpen(file)))", say("done > 0 && done < 64"),
    say("is.null(statcl:::session$bar)")
  ))
  said(screen, "stopped")
  expect_length(gregexpr("said:TRUE", screen, fixed = TRUE)[[1]], 2)
  expect_match(screen, "tbrf[^\n]*[0-9]+%")
  expect_no_match(screen, "Error")
})

test_that("the frame of the user's call is found where a function that has made another one has returned", {
  make <- function(own = inside()) function() own # evaluated in a frame that is gone
  inside <- function() statcl:::progress_frame(sys.nframe())
  setTimeLimit(elapsed = 60, transient = TRUE) # it went round for ever
  on.exit(setTimeLimit())
  expect_identical(make()(), 0L)
})

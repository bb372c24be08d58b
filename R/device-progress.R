# Progress of long computations: a bar of cli, or of utils where cli is not installed. The engine calls these two
# functions through R code of its own (glue/r_engine.c); whatever goes wrong in a display, the computation goes on.

# Called from C a few times per second once a computation has taken a second.
progress_show <- function(name, fraction) {
  # a document that is knitted, which may be from an interactive session, would keep the bar as text
  hidden <- isTRUE(session$progress_off) || isTRUE(getOption("knitr.in.progress"))
  if (hidden || !(interactive() || is_verbose())) return(NULL)
  tryCatch(progress_update(name, fraction), error = function(e) {
    session$progress_off <- TRUE
    message("statcl: the progress bar failed and is off for this session; the computation goes on. It said: ",
            conditionMessage(e))
  })
  NULL
}

progress_update <- function(name, fraction) {
  with_cli <- requireNamespace("cli", quietly = TRUE)
  if (is.null(session$bar)) {
    if (with_cli) {
      session$bar <- cli::cli_progress_bar(name, total = 1, clear = TRUE, .auto_close = FALSE, .envir = session)
    } else {
      cat(name, "\n", sep = "", file = stderr()) # which sink() does not divert
      session$bar <- utils::txtProgressBar(style = 3L, file = stderr())
    }
  }
  if (inherits(session$bar, "txtProgressBar"))
    utils::setTxtProgressBar(session$bar, fraction)
  else
    cli::cli_progress_update(set = fraction, id = session$bar, .envir = session)
}

# Called from C, also after an interrupt and after a display that failed.
progress_done <- function(unused) {
  bar <- session$bar
  session$bar <- NULL
  if (inherits(bar, "txtProgressBar"))
    close(bar)
  else if (!is.null(bar))
    cli::cli_progress_done(id = bar, .envir = session)
  NULL
}

# For loops in R, which began at this proc.time(); end with progress_done().
progress_loop <- function(name, began, fraction)
  if (proc.time()[["elapsed"]] - began[["elapsed"]] > 1) progress_show(name, fraction)

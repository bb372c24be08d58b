# Progress of long computations: a bar of cli, or of utils where cli is not installed, and a sign of life without a
# share where nobody knows how much is to come. The engine calls progress_show() and progress_done() through R code
# of its own (glue/r_engine.c); whatever goes wrong in a display, the computation goes on.

# Called from C a few times per second once a computation has taken progress_wait() seconds. fraction: the share of it
# that is done, or NaN; it says nothing about a loop in R that the computation is a part of.
progress_show <- function(name, fraction) {
  if (!is.null(session$watch)) return(session$watch())
  progress_try(name, if (isTRUE(session$loop)) NaN else fraction, sys.nframe() - 1L)
}

progress_try <- function(name, fraction, frame) {
  # a document that is knitted, which may be from an interactive session, would keep the bar as text
  hidden <- isTRUE(session$progress_off) || isTRUE(getOption("knitr.in.progress")) ||
    !option_flag("statcl.progress", TRUE)
  if (hidden || !(interactive() || is_verbose())) return(NULL)
  tryCatch({
    if (is.null(session$shown)) progress_begin(name, progress_frame(frame))
    progress_update(session$shown$name, progress_share(fraction))
  }, error = function(e) {
    session$progress_off <- TRUE
    message("statcl: the progress bar failed and is off for this session; the computation goes on. It said: ",
            conditionMessage(e))
  })
  NULL
}

# Number of the frame of the function that the user called: the outermost of the package, as far as functions have
# called each other, so that of withDevice("cpu", dstable(x, 1.5, 0)) it is dstable(). What eval() evaluates in the
# frame of a function has itself for its parent.
progress_frame <- function(frame) {
  found <- 0L
  while (frame > 0L) {
    if (identical(topenv(environment(sys.function(frame))), topenv())) found <- frame
    frame <- min(sys.parents()[frame], frame - 1L)
  }
  found
}

# The user's call may run the engine many times. What has been told is kept until it ends.
progress_begin <- function(name, frame) {
  if (frame > 0L) {
    called <- sys.call(frame)[[1L]]
    if (is.call(called) && length(called) == 3L) called <- called[[3L]]
    if (is.symbol(called) && is.function(get0(as.character(called)))) name <- as.character(called)
    name <- get0(".Generic", sys.frame(frame), "character", FALSE, name) # of a method, what the user has called
    do.call(on.exit, list(quote(progress_forget()), add = TRUE), envir = sys.frame(frame))
  }
  session$shown <- list(name = name, told = NA_real_, lost = FALSE, began = progress_clock(), of_call = frame > 0L)
}

progress_forget <- function() session$shown <- NULL
# Seconds without a display; in C it is show_after().
progress_wait <- function() {
  seconds <- getOption("cli.progress_show_after")
  if (is.numeric(seconds) && length(seconds) == 1L && isTRUE(seconds >= 0)) seconds else 1
}

progress_clock <- function() proc.time()[["elapsed"]]

# The share to be shown, which never falls. A call that tells less than before begins with something else: from then
# on nobody knows how much is to come.
progress_share <- function(fraction) {
  shown <- session$shown
  shown$lost <- shown$lost || isTRUE(fraction < shown$told)
  if (shown$lost) fraction <- NA_real_
  else if (is.na(fraction)) fraction <- shown$told
  else if (is.na(shown$told)) shown$first <- c(fraction, progress_clock())
  shown$told <- fraction
  session$shown <- shown
  fraction
}

# How long it will take, at the pace since the first share that was known; nothing before some of it is done.
progress_left <- function(share, shown = session$shown, now = progress_clock()) {
  done <- share - shown$first[1L]
  took <- now - shown$first[2L]
  if (done < 0.02 || took < 0.5) return("")
  paste(" | ETA:", progress_time(took / done * (1 - share)))
}

progress_time <- function(seconds) {
  unit <- c(s = 1, m = 60, h = 3600, d = 86400)
  unit <- unit[max(which(c(0, 100, 6000, 172800) <= seconds))]
  paste0(ceiling(seconds / unit), names(unit))
}

# A share below a hundredth is as good as unknown: a bar that stands at 0 would look as if nothing happened.
progress_update <- function(name, share) {
  known <- isTRUE(share >= 0.01)
  if (requireNamespace("cli", quietly = TRUE)) return(progress_cli(name, share, known))
  bar <- session$bar
  if (!is.null(bar) && known == inherits(bar, "sign")) progress_close()
  if (!known) return(progress_alive(name))
  if (is.null(session$bar)) {
    cat(name, "\n", sep = "", file = stderr()) # which sink() does not divert
    session$bar <- utils::txtProgressBar(initial = share, style = 3L, file = stderr())
  }
  utils::setTxtProgressBar(session$bar, share)
}

# cli evaluates the format in session.
progress_cli <- function(name, share, known) {
  session$known <- known
  session$note <- if (known) paste0(format(floor(100 * share), width = 3L), "%", progress_left(share))
                  else paste0("[", progress_time(progress_wait() + progress_clock() - session$shown$began), "]")
  session$note <- paste0(session$note, progress_built())
  if (is.null(session$bar)) {
    old <- options(cli.progress_show_after = 0) # the call has taken so long already
    on.exit(options(old))
    session$bar <- cli::cli_progress_bar(
      name, total = 1, clear = TRUE, auto_terminate = FALSE, .auto_close = FALSE, .envir = session,
      format = paste0("{if (known) cli::pb_name else cli::pb_spin}{if (known) cli::pb_bar else ' '}",
                      "{if (known) ' ' else cli::pb_name}{note}"))
  }
  cli::cli_progress_update(set = if (known) share else 0, force = TRUE, id = session$bar, .envir = session)
}

# While a device's programs are being built.
progress_built <- function() {
  programs <- .Call(C_cl_building)
  if (programs[2L]) sprintf(" %d of %d programs built", programs[1L], programs[2L]) else ""
}

progress_alive <- function(name) {
  seconds <- progress_time(progress_wait() + progress_clock() - session$shown$began)
  turns <- length(session$bar) %% 4L + 1L
  text <- sprintf("%s %s [%s]%s", c("-", "\\", "|", "/")[turns], name, seconds, progress_built())
  session$bar <- structure(c(text, session$bar[seq_len(turns - 1L)]), class = "sign")
  cat("\r", text, sep = "", file = stderr())
}

# Called from C, also after an interrupt and after a display that failed.
progress_done <- function(unused) {
  if (isTRUE(session$loop)) return(NULL)
  if (isFALSE(session$shown$of_call)) progress_forget()
  progress_close()
}

progress_close <- function() {
  bar <- session$bar
  session$bar <- NULL
  if (inherits(bar, "txtProgressBar"))
    close(bar)
  else if (inherits(bar, "sign"))
    cat("\r", strrep(" ", max(nchar(bar))), "\r", sep = "", file = stderr())
  else if (!is.null(bar))
    cli::cli_progress_done(id = bar, .envir = session)
  NULL
}

# For loops in R, which began at this proc.time(); end with progress_loop_done().
progress_loop <- function(name, began, fraction) {
  session$loop <- TRUE
  now <- progress_clock()
  if (now - began[["elapsed"]] < progress_wait() || isTRUE(now - session$looped < 0.1)) return(invisible())
  session$looped <- now
  progress_try(name, fraction, sys.nframe() - 1L)
}

progress_loop_done <- function() {
  session$loop <- NULL
  progress_done()
}

is_verbose <- function() option_flag("statcl.verbose", FALSE)

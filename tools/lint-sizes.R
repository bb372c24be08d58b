# No function of R/, src or inst/kernels is longer than a screen of 60 lines, and no .Call has seven arguments or
# more: what belongs together goes to C as one list.
longest <- 60L
most_arguments <- 6L
bad <- FALSE
complain <- function(...) {
  cat(sprintf(...), "\n", sep = "")
  bad <<- TRUE
}

called_name <- function(e) if (is.call(e) && is.symbol(e[[1L]])) as.character(e[[1L]]) else ""
look_at <- function(e, file) {
  if (called_name(e) == ".Call" && length(e) - 2L > most_arguments)
    complain("%s: %s of %d arguments", file, deparse(e[[2L]]), length(e) - 2L)
  if (called_name(e) == "function" && length(e) == 4L && !is.null(e[[4L]])) {
    lines <- e[[4L]][3L] - e[[4L]][1L] + 1L
    if (lines > longest) complain("%s:%d: function of %d lines", file, e[[4L]][1L], lines)
  }
  if (is.recursive(e)) for (part in as.list(e)) if (!missing(part) && is.language(part)) look_at(part, file)
}
for (file in list.files("R", "[.]R$", full.names = TRUE)) look_at(parse(file, keep.source = TRUE), file)

# In C a function begins at the left margin and ends with a brace there.
sources <- list.files(c("src", "inst/kernels"), "[.](c|h|cl)$", recursive = TRUE, full.names = TRUE)
for (file in grep("khronos", sources, value = TRUE, invert = TRUE)) {
  text <- readLines(file)
  heads <- grep("^[A-Za-z_].*\\(", text)
  last <- 0L
  for (end in which(text == "}")) {
    head <- max(heads[heads > last & heads < end], -Inf)
    if (end - head + 1L > longest && is.finite(head))
      complain("%s:%.0f: function of %.0f lines", file, head, end - head + 1)
    last <- end
  }
}
quit(status = as.integer(bad))

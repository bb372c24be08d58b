# The code that a reader of a document sees: chunks of R Markdown that are shown, or blocks of plain Markdown that
# begin with ```r. Chunks with eval = FALSE are left out, and those with a condition, their own or that of all chunks,
# are under it; of those with error = TRUE each expression may fail.
visible_code <- function(file) {
  text <- readLines(file, encoding = "UTF-8")
  starts <- grep(if (grepl("[.]md$", file)) "^```r$" else "^```\\{r[ ,}]", text)
  ends <- grep("^```[ ]*$", text)
  chunks <- lapply(starts, function(start) {
    options <- sub("^```\\{?r *([^}]*)\\}?$", "\\1", text[start])
    options <- tryCatch(eval(parse(text = paste0("alist(", sub("^[a-z][a-zA-Z-]*(,|$)", "", options), ")"))),
                        error = function(e) stop(file, ", line ", start, ": options of a chunk that are not R"))
    c(options, list(code = text[seq_len(min(ends[ends > start]) - start - 1L) + start]))
  })
  hidden <- vapply(chunks, function(chunk) identical(chunk$include, FALSE), TRUE)
  of_all <- NULL
  for (chunk in chunks[hidden]) for (call in as.list(parse(text = chunk$code)))
    if (identical(call[[1]], quote(knitr::opts_chunk$set))) of_all <- call$eval
  unlist(lapply(chunks[!hidden], function(chunk) {
    condition <- if (is.null(chunk$eval)) of_all else chunk$eval
    if (identical(chunk$echo, FALSE) || identical(condition, FALSE)) return()
    code <- chunk$code
    if (isTRUE(chunk$error))
      code <- unlist(lapply(parse(text = code), function(e) c("try({", deparse(e), "}, silent = TRUE)")))
    if (is.language(condition)) code <- c(paste("if (", deparse1(condition), ") {"), code, "}")
    code
  }))
}

# Runs code in a new R process that has only its working folder; the output, with the status as an attribute.
run_in_new_process <- function(code) {
  folder <- tempfile("document")
  dir.create(folder)
  script <- file.path(folder, "code.R")
  writeLines(c(sprintf("setwd(%s)", deparse(folder)), "grDevices::pdf(NULL)", code), script)
  on.exit(unlink(folder, recursive = TRUE))
  suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
                           stdout = TRUE, stderr = TRUE,
                           env = paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep)))))
}

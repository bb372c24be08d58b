# The code that a reader of a document sees: chunks of R Markdown that are shown, or blocks of plain Markdown that begin
# with ```r. Chunks with eval = FALSE are left out, and those with a condition are under it; of those with error = TRUE each
# expression may fail.
visible_code <- function(file) {
  text <- readLines(file, encoding = "UTF-8")
  starts <- grep(if (grepl("[.]md$", file)) "^```r$" else "^```\\{r[ ,}]", text)
  ends <- grep("^```[ ]*$", text)
  unlist(lapply(starts, function(start) {
    options <- sub("^```\\{?r *([^}]*)\\}?$", "\\1", text[start])
    options <- tryCatch(eval(parse(text = paste0("alist(", sub("^[a-z][a-zA-Z-]*(,|$)", "", options), ")"))),
                        error = function(e) stop(file, ", line ", start, ": options of a chunk that are not R"))
    if (identical(options$include, FALSE) || identical(options$echo, FALSE) || identical(options$eval, FALSE)) return()
    end <- min(ends[ends > start])
    code <- text[seq_len(end - start - 1L) + start]
    if (isTRUE(options$error))
      code <- unlist(lapply(parse(text = code), function(e) c("try({", deparse(e), "}, silent = TRUE)")))
    if (is.language(options$eval)) code <- c(paste("if (", deparse1(options$eval), ") {"), code, "}")
    code
  }))
}

# Runs code in a new R process that has only its working folder; the output, with the status as an attribute.
run_in_new_process <- function(code) {
  folder <- tempfile("document")
  dir.create(folder)
  script <- file.path(folder, "code.R")
  writeLines(c("grDevices::pdf(NULL)", code), script)
  on.exit(unlink(folder, recursive = TRUE))
  suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
                           stdout = TRUE, stderr = TRUE,
                           env = paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep)))))
}

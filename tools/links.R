# Rscript tools/links.R [folder]: every link inside a site leads to a file and, where it names one, to a part of it.
folder <- c(commandArgs(trailingOnly = TRUE), "build/site")[1]
pages <- list.files(folder, "[.]html$", recursive = TRUE)
if (!length(pages)) stop("no pages in ", folder)
text <- lapply(file.path(folder, pages), function(file) paste(readLines(file, warn = FALSE), collapse = "\n"))
values <- function(text, attribute) {
  found <- regmatches(text, gregexpr(sprintf("\\b%s=\"[^\"]*\"", attribute), text, perl = TRUE))[[1]]
  unique(sub("\"$", "", sub("^[^\"]*\"", "", found)))
}
parts <- stats::setNames(lapply(text, function(t) c(values(t, "id"), values(t, "name"))), pages)
# "a/../b" is "b".
resolved <- function(path) {
  path <- gsub("/\\./", "/", sub("^\\./", "", path))
  while (grepl("(^|/)[^/.][^/]*/\\.\\./", path)) path <- sub("(^|/)[^/.][^/]*/\\.\\./", "\\1", path)
  path
}
broken <- character()
count <- 0
for (k in seq_along(pages)) {
  links <- setdiff(c(values(text[[k]], "href"), values(text[[k]], "src")), "")
  for (link in links[!grepl("^([a-z]+:|//)", links)]) {
    count <- count + 1
    target <- utils::URLdecode(sub("[#?].*", "", link))
    part <- if (grepl("#", link)) utils::URLdecode(sub(".*#", "", link)) else ""
    page <- if (nzchar(target)) resolved(file.path(dirname(pages[k]), target)) else pages[k]
    page <- sub("^\\./", "", page)
    if (grepl("/$", page) || dir.exists(file.path(folder, page))) page <- file.path(sub("/$", "", page), "index.html")
    page <- sub("^\\./", "", page)
    if (!file.exists(file.path(folder, page)) ||
        nzchar(part) && grepl("[.]html$", page) && !part %in% parts[[page]])
      broken <- c(broken, paste0(pages[k], ": ", link))
  }
}
cat(sprintf("%d pages, %d links inside the site, %d broken\n", length(pages), count, length(broken)))
if (length(broken)) writeLines(broken)
quit(status = length(broken) > 0)

# Rscript tools/lint-docs.R: every exported function is in the site's reference index and in the code or prose of a
# vignette; every option and environment variable of the package is in the help of options; code of vignettes and the
# README has lines of at most 80 characters; help, vignettes, README and NEWS are spelled as in British English or in
# inst/WORDLIST (where the package spelling is installed).
bad <- character()
exported <- sub("^export\\((.*)\\)$", "\\1", grep("^export\\(", readLines("NAMESPACE"), value = TRUE))
pages <- list.files("man", "[.]Rd$", full.names = TRUE)
aliases <- lapply(pages, function(file)
  gsub("^\\\\(alias|name)\\{|\\}$", "", grep("^\\\\(alias|name)\\{", readLines(file), value = TRUE)))
index <- sub("^ *- ", "", grep("^  - [A-Za-z.-]+$", readLines("_pkgdown.yml"), value = TRUE))
listed <- unlist(aliases[vapply(aliases, function(names) any(names %in% index), TRUE)])
bad <- c(bad, sprintf("not in the reference index of _pkgdown.yml: %s", setdiff(exported, listed)))

# What R and C read is in quotes there, and between backquotes in the help.
code <- unlist(lapply(list.files(c("R", "src"), "[.][Rch]$", recursive = TRUE, full.names = TRUE), readLines))
settings <- unlist(regmatches(code, gregexpr("\"(statcl[.][a-z.]+|STATCL_[A-Z_]+[A-Z])\"", code)))
settings <- gsub("\"", "", unique(settings))
help <- paste(readLines("R/device-options.R"), collapse = "\n")
documented <- vapply(settings, function(name) grepl(paste0("`", name, "`"), help, fixed = TRUE), NA)
bad <- c(bad, sprintf("not in the help of options: %s", settings[!documented]))

documents <- list.files("vignettes", "[.]Rmd$", full.names = TRUE)
text <- unlist(lapply(documents, readLines, encoding = "UTF-8"))
shown <- vapply(exported, function(name) any(grepl(paste0("(^|[^A-Za-z.])", name, "\\("), text)), TRUE)
bad <- c(bad, sprintf("in no vignette: %s", exported[!shown]))

for (file in c(documents, "README.md")) {
  lines <- readLines(file, encoding = "UTF-8")
  fence <- grepl("^```", lines)
  long <- which(cumsum(fence) %% 2 == 1 & !fence & nchar(lines) > 80)
  bad <- c(bad, sprintf("%s:%d: code of %d characters", file, long, nchar(lines[long])))
}

# What R CMD check says of help pages: arguments that no usage has, lines of examples that the manual cuts off.
said <- utils::capture.output(print(tools::checkDocFiles(dir = ".")))
bad <- c(bad, said[nzchar(said)])
for (file in pages) {
  lines <- readLines(file, encoding = "UTF-8")
  within <- cumsum(grepl("^\\\\examples\\{", lines))
  example <- within > cumsum(lines == "}" & within > 0)
  long <- which(nchar(lines) > 100 & example)
  bad <- c(bad, sprintf("%s:%d: example of %d characters", file, long, nchar(lines[long])))
}
# Packages that tests use are in DESCRIPTION.
tests <- unlist(lapply(list.files("tests/testthat", "[.]R$", full.names = TRUE), readLines, encoding = "UTF-8"))
used <- unlist(regmatches(tests, gregexpr("[A-Za-z][A-Za-z0-9.]+(?=:::?[A-Za-z])", tests, perl = TRUE)))
fields <- read.dcf("DESCRIPTION", c("Imports", "Suggests", "Depends"))
known <- unlist(strsplit(gsub("[ \n]|\\([^)]*\\)", "", fields), ","))
own <- c("statcl", rownames(installed.packages(priority = "base")))
bad <- c(bad, sprintf("used by tests and not in DESCRIPTION: %s", setdiff(used, c(known, own))))

if (requireNamespace("spelling", quietly = TRUE)) {
  wrong <- spelling::spell_check_package(".")
  bad <- c(bad, sprintf("spelling: %s (%s)", wrong$word, vapply(wrong$found, paste, "", collapse = ", ")))
} else cat("lint: no package spelling here\n")
writeLines(bad)
quit(status = length(bad) > 0)

# What the comparisons share: peers from CRAN in a private library, medians of process times, tables.

# Attaches nothing: peers are called as peer::function. They are installed into build/peers when missing.
need_peers <- function(packages) {
  library <- file.path("build", "peers")
  dir.create(library, recursive = TRUE, showWarnings = FALSE)
  .libPaths(c(.libPaths(), normalizePath(library)))
  absent <- packages[!vapply(packages, requireNamespace, TRUE, quietly = TRUE)]
  if (length(absent) && any(getOption("repos") == "@CRAN@")) utils::chooseCRANmirror(ind = 1, local.only = TRUE)
  if (length(absent)) utils::install.packages(absent, lib = library, quiet = TRUE)
  for (package in packages) loadNamespace(package)
}

# Median processor time (user and system, all threads together) of several runs, in seconds: with one thread it is the
# time of the call, and a peer that starts threads of its own is charged for each of them.
cpu_seconds <- function(expr, runs = 5) {
  expr <- substitute(expr)
  frame <- parent.frame()
  stats::median(vapply(seq_len(runs), function(i) sum(system.time(eval(expr, frame))[c(1, 2)]), 1))
}

machine <- function() {
  model <- tryCatch(sub(".*: *", "", grep("model name", readLines("/proc/cpuinfo"), value = TRUE)[1]),
                    error = function(e) Sys.info()[["machine"]], warning = function(w) Sys.info()[["machine"]])
  sprintf("%s, %s, statcl %s", model, R.version.string, utils::packageVersion("statcl"))
}

print_table <- function(table, digits = 3) {
  numbers <- vapply(table, is.numeric, TRUE)
  table[numbers] <- lapply(table[numbers], function(x) ifelse(is.na(x), "", format(signif(x, digits), trim = TRUE)))
  print(table, row.names = FALSE, right = TRUE)
}

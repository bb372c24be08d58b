# What the comparisons share: peers from CRAN in a private library, medians of process times, tables.

# Attaches nothing: peers are called as peer::function. They are installed into build/peers when missing; those that
# cannot be are named, and the names of the others returned.
need_peers <- function(packages) {
  library <- file.path("build", "peers")
  dir.create(library, recursive = TRUE, showWarnings = FALSE)
  .libPaths(c(.libPaths(), normalizePath(library)))
  absent <- packages[!vapply(packages, requireNamespace, TRUE, quietly = TRUE)]
  if (length(absent) && any(getOption("repos") == "@CRAN@")) utils::chooseCRANmirror(ind = 1, local.only = TRUE)
  if (length(absent)) try(utils::install.packages(absent, lib = library, quiet = TRUE), silent = TRUE)
  here <- vapply(packages, requireNamespace, TRUE, quietly = TRUE)
  if (!all(here)) message("Not installed, left out: ", paste(packages[!here], collapse = ", "))
  invisible(packages[here])
}

# Loads a C file of ours that serves a comparison, compiled in a temporary folder; FALSE, with a message, where that
# fails.
load_c <- function(source, libraries = "") {
  folder <- tempfile("bench")
  dir.create(folder)
  file.copy(source, folder)
  built <- file.path(folder, paste0("compiled", .Platform$dynlib.ext))
  run <- c("CMD", "SHLIB", "-o", built, file.path(folder, basename(source)))
  output <- suppressWarnings(system2(file.path(R.home("bin"), "R"), run, stdout = TRUE, stderr = TRUE,
                                     env = paste0("PKG_LIBS=", shQuote(libraries))))
  if (!file.exists(built)) {
    message("Not compiled, left out: ", source, "\n", paste(output, collapse = "\n"))
    return(FALSE)
  }
  dyn.load(built)
  TRUE
}

# Median processor time (user and system, all threads together) of several runs, in seconds: with one thread it is the
# time of the call, and a peer that starts threads of its own is charged for each of them.
cpu_seconds <- function(expr, runs = 5) {
  expr <- substitute(expr)
  frame <- parent.frame()
  stats::median(vapply(seq_len(runs), function(i) sum(system.time(eval(expr, frame))[c(1, 2)]), 1))
}

# Errors in units of 2^-52 of size; NaN and the like count as infinite. The difference comes first: a quotient next to
# one has steps of half a unit.
in_units <- function(value, truth, size = abs(truth)) {
  error <- ifelse(value == truth, 0, abs(value - truth) / size) / .Machine$double.eps
  ifelse(is.na(error), Inf, error)
}
is_normal <- function(value) is.finite(value) & abs(value) >= .Machine$double.xmin
# Median, 99 % and largest error.
figures <- function(error) {
  three <- c(stats::quantile(error, c(0.5, 0.99), type = 1), max(error))
  paste(formatC(three, digits = 2, format = "g"), collapse = " / ")
}

# With the instruction set of the CPU backend, which STATCL_CPU may lower.
machine <- function() {
  model <- tryCatch(sub(".*: *", "", grep("model name", readLines("/proc/cpuinfo"), value = TRUE)[1]),
                    error = function(e) Sys.info()[["machine"]], warning = function(w) Sys.info()[["machine"]])
  devices <- statcl::clDevices()
  level <- sub(".*, ", "", devices$device[devices$name == "cpu"])
  sprintf("%s at %s, %s, statcl %s", model, level, R.version.string, utils::packageVersion("statcl"))
}

# With the environment variable STATCL_RECORD set, keeps figures of a job in bench/figures.csv, from which
# tools/pictures.R draws those of the README: what each program does in a second of processor time on one thread, and
# its largest relative error against reference values (NA if it was not compared).
record <- function(job, unit, programs, per_second, error = NA) {
  if (!nzchar(Sys.getenv("STATCL_RECORD"))) return(invisible())
  file <- file.path("bench", "figures.csv")
  earlier <- if (file.exists(file)) utils::read.csv(file)
  rows <- data.frame(job, unit, program = programs, per_second = signif(per_second, 3), error = signif(error, 2),
                     machine = machine())
  before <- cumsum(earlier$job == job) == 0
  utils::write.csv(rbind(earlier[before, ], rows, earlier[!before & earlier$job != job, ]), file, row.names = FALSE)
}

print_table <- function(table, digits = 3) {
  numbers <- vapply(table, is.numeric, TRUE)
  table[numbers] <- lapply(table[numbers], function(x) ifelse(is.na(x), "", format(signif(x, digits), trim = TRUE)))
  print(table, row.names = FALSE, right = TRUE)
}

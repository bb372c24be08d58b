# Fields in files: time and memory, files of calls that were killed, and of other workers and threads.
#   Rscript bench/field-file.R whole <file> <cells along an axis> <lines>
#   Rscript bench/field-file.R slab <file> <cells> <lines>               128 cells along z: a part of the whole's time
#   Rscript bench/field-file.R killed <file> <cells> <lines> <n> <s>     killed n times, after up to s seconds each,
#                                                                        and resumed; compares with "whole"
#   Rscript bench/field-file.R same <folder> <cells> <lines> [way]       workers, threads, formats; or one of them
#   Rscript bench/field-file.R full <folder> <cells> <lines>             a disk too small: mount -t tmpfs -o size=16m
# With "lognormal" as a further argument, whole and killed write exponentials of the field.
# Files of "whole" stay, with their checksums.
given <- commandArgs(TRUE)
lognormal <- "lognormal" %in% given
given <- setdiff(given, "lognormal")
what <- given[1]
path <- given[2]
cells <- as.numeric(given[3])
nlines <- as.numeric(given[4])

setup <- function(dims = rep(cells, 3)) bquote({
  library(statcl)
  grid <- rfGrid(0, 1, .(dims))
  model <- covModel("matern", range = 30, smoothness = 1.5)
  set.seed(1)
})
begin <- function(...) {
  script <- tempfile(fileext = ".R")
  writeLines(unlist(lapply(list(...), deparse)), script)
  out <- tempfile()
  pid <- system(sprintf("%s --vanilla %s > %s 2>&1 & echo $!", shQuote(file.path(R.home("bin"), "Rscript")),
                        shQuote(script), shQuote(out)), intern = TRUE)
  list(pid = as.integer(pid), out = out)
}
runs <- function(p) isTRUE(tools::pskill(p$pid, 0))
wait <- function(p) {
  while (runs(p)) Sys.sleep(0.2)
  readLines(p$out)
}
peak <- quote(cat(sprintf("peak of resident memory %.0f MB\n", as.numeric(sub("[^0-9]*([0-9]+).*", "\\1", grep(
  "^VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024)))
timed <- function(call) bquote({
  taken <- system.time(x <- .(call))
  cat(sprintf("%.1f s elapsed, %.1f s of processor time\n", taken[[3]], sum(taken[1:2])))
})
write_all <- function(file, ...) {
  if (!lognormal) return(as.call(c(quote(tbrf), list(quote(grid), quote(model), nlines, file = file), ...)))
  bquote(tbrf(grid, rfTransform(tbrf(grid, model, .(nlines), object = TRUE), exp), file = .(file)))
}
sum_of <- function(file) unname(tools::md5sum(file))
kept_sum <- function(file) paste0(file, ".md5")

disk_use <- function(file) system(paste("du -m", shQuote(file), "| cut -f1"), intern = TRUE)

whole <- function(dims) {
  lines <- wait(begin(setup(dims), timed(write_all(path)), peak))
  cat(sprintf("%s cells, %s lines: %s, %s MB on disk\n", paste(dims, collapse = " x "), nlines, toString(lines),
              disk_use(path)))
  writeLines(sum_of(path), kept_sum(path))
  cat("md5", readLines(kept_sum(path)), "\n")
}

slab <- function() {
  whole(c(cells, cells, 128))
  cat(sprintf("the cube takes %.0f times as long\n", cells / 128))
  unlink(c(path, kept_sum(path)))
}

# A process runs for a random time, about as long as takes it through the file with so many kills.
killed <- function(times) {
  set.seed(as.integer(Sys.time()))
  file <- sub("([.][a-z]+)$", "-killed\\1", path)
  for (k in seq_len(times)) {
    p <- begin(setup(), write_all(file))
    Sys.sleep(stats::runif(1, 1, as.numeric(given[6])))
    tools::pskill(p$pid, tools::SIGKILL)
    while (runs(p)) Sys.sleep(0.05)
    done <- if (file.exists(file))
      tryCatch(sum(statcl:::fragments_done(statcl::rfOpen(file))), error = conditionMessage)
    cat(sprintf("kill %d: %s fragments done\n", k, toString(done)))
  }
  print(wait(begin(setup(), write_all(file), peak)))
  sum <- sum_of(file)
  cat("md5", sum, if (identical(sum, readLines(kept_sum(path)))) "is that" else "IS NOT THAT",
      "of the whole call's file\n")
  unlink(file)
}

same <- function(chosen) {
  cluster <- function(n) bquote({
    cl <- parallel::makeCluster(.(n))
    options(statcl.cluster = cl)
  })
  threads <- function(n) bquote(options(statcl.threads = .(n)))
  for (ending in c("nc", "dat")) {
    ways <- list("1 thread" = threads(1), "2 threads" = threads(2), "1 worker" = cluster(1), "2 workers" = cluster(2))
    for (way in names(ways)) if (is.na(chosen) || chosen == paste(ending, way)) {
      file <- file.path(path, paste0("same.", ending))
      unlink(c(file, paste0(file, ".txt")))
      lines <- wait(begin(setup(), ways[[way]], timed(write_all(file, fragment = min(128, cells / 4))), peak))
      cat(sprintf("%-4s %-10s %s  %s\n", ending, way, sum_of(file), toString(lines)))
      unlink(c(file, paste0(file, ".txt")))
    }
  }
}

full <- function() {
  library(statcl)
  grid <- rfGrid(0, 1, rep(cells, 3))
  model <- covModel("matern", range = 30, smoothness = 1.5)
  set.seed(1)
  field <- tbrf(grid, model, nlines)[]
  for (file in file.path(path, c("full.nc", "full.dat"))) {
    set.seed(1)
    e <- tryCatch(tbrf(grid, model, nlines, file = file, fragment = 32), error = identity)
    x <- rfOpen(file)
    done <- statcl:::fragments_done(x)
    cat(class(e)[1], ": ", conditionMessage(e), "; ", sum(done), " of ", length(done), " fragments done, values ",
        if (identical(x[], field)) "right" else "WRONG", "\n", sep = "")
    unlink(c(file, paste0(file, ".txt")))
  }
}

switch(what, whole = whole(rep(cells, 3)), slab = slab(), killed = killed(as.numeric(given[5])),
       same = same(given[5]), full = full(), stop("whole, slab, killed, same or full?"))

# Programs that a GPU lacks are built by an R process of its own while the user goes on: a driver that is compiling
# cannot be stopped, nor can its thread be left when the session ends, but a process can, at any time, and what a
# compiler does to it is nobody else's trouble. The text of its work is its sign: as long as this file is there, which
# R takes away when it ends, and R itself, it is wanted.

build_choice <- function() {
  value <- getOption("statcl.compile")
  if (is.null(value)) value <- Sys.getenv("STATCL_COMPILE")
  if (identical(value, "load") || identical(value, "use")) value else "behind"
}

# For the GPUs in use, just chosen: are there programs that the cache lacks? Raises what a driver says that compiles
# nothing at all, or failed to build a program of these before.
build_behind <- function() {
  stop_building()
  devices <- .Call(C_cl_in_use)
  if (build_choice() == "use" || !any(grepl("^gpu:", devices))) return(FALSE)
  if (forked() || in_check() || in_install()) return(FALSE)
  prepare_cache()
  if (!.Call(C_cl_lacking)) return(FALSE)
  failed <- failed_builds(devices)
  if (!is.null(failed)) raise_engine_error("build", failed)
  if (is_private(cache_folder())) start_building(devices)
  TRUE
}

# The computation that needs it will tell what is wrong.
build_behind_quietly <- function() tryCatch(build_behind(), statcl_error = function(e) FALSE)

start_building <- function(devices) {
  session$building <- tempfile("building", fileext = ".R")
  settings <- options()[intersect(c("statcl.precision", "statcl.threads"), names(options()))]
  work <- list(bquote(.libPaths(.(.libPaths()))), bquote(options(.(settings))),
               bquote(loadNamespace("statcl", .(dirname(getNamespaceInfo("statcl", "path"))))),
               bquote(getNamespace("statcl")$build_all(.(devices), .(session$building), .(unname(driver_key())),
                                                          .(Sys.getpid()))))
  writeLines(unlist(lapply(work, deparse)), session$building)
  # in a session of its own it gets no signal from a terminal that interrupts R, or is closed
  command <- c(Sys.which("setsid")[[1L]], file.path(R.home("bin"), "Rscript"))
  command <- command[nzchar(command)]
  with_variables(c(R_DEFAULT_PACKAGES = "NULL", R_TESTS = "", STATCL_OPENCL = "lazy", STATCL_COMPILE = "use"),
    suppressWarnings(tryCatch(
      system2(command[1L], c(shQuote(command[-1L]), "--vanilla", shQuote(session$building)), stdout = FALSE,
              stderr = FALSE, wait = FALSE), error = function(e) NULL)))
}

stop_building <- function() {
  if (is.null(session$building) || forked()) return()
  unlink(session$building)
  session$building <- NULL
}

# All that the process does. It gives way to others. What does not build is kept for the next session, which
# would find the same; its key is that of the session, where R may look for libraries in other folders.
build_all <- function(devices, sign, key, pid) {
  tools::psnice(value = 15L)
  is_wanted <- function() file.exists(sign) && !is_gone(pid)
  while (!claim_building()) {
    if (!is_wanted()) return()
    Sys.sleep(0.5)
  }
  on.exit(unlink(building_claim(), recursive = TRUE))
  session$watch <- function() if (!is_wanted()) leave_building()
  options(cli.progress_show_after = 0, statcl.verbose = TRUE)
  use_devices(devices)
  failed <- tryCatch(.Call(C_cl_warm_up), statcl_error_build = conditionMessage)
  if (!is.null(failed)) write_kept(list(key = key, of = built_for(devices), message = failed), builds_file())
}

leave_building <- function() {
  unlink(building_claim(), recursive = TRUE)
  tools::pskill(Sys.getpid(), tools::SIGKILL)
}

# One process builds for a cache at a time. A claim of one that is no more, or an hour old, is nobody's.
building_claim <- function() file.path(cache_folder(), "building")

claim_building <- function() {
  claim <- building_claim()
  pid <- file.path(claim, "pid")
  old <- isTRUE(difftime(Sys.time(), file.mtime(claim), units = "hours") > 1)
  if (old || file.exists(pid) && is_gone(suppressWarnings(as.integer(readLines(pid, 1L)))))
    unlink(claim, recursive = TRUE)
  made <- dir.create(claim, FALSE)
  if (made) writeLines(format(Sys.getpid()), pid)
  made
}

# Is there no process of that number? On Windows pskill() would end it instead of asking.
is_gone <- function(pid) length(pid) == 1L && !is.na(pid) && .Platform$OS.type == "unix" && !tools::pskill(pid, 0L)

# Another device, or another precision, may do.
built_for <- function(devices) list(devices, getOption("statcl.precision"))

builds_file <- function() file.path(cache_folder(), "builds.rds")

# What a program that does not build for these devices was told by these drivers, or NULL.
failed_builds <- function(devices) {
  kept <- read_kept(builds_file())
  if (is.list(kept) && identical(kept[c("key", "of")], list(key = unname(driver_key()), of = built_for(devices))))
    kept$message
}

# A driver may end the process that uses it: by a signal, or by an exit of its compiler's. Before R's own process
# opens OpenCL, another one lists the devices and runs a small kernel; what came of it is remembered until a driver
# changes. One that ended that process is left out.

# The drivers to leave out: files of driver_files(), or "all" where they cannot be told apart.
dead_drivers <- function() {
  if (is.null(session$dead)) session$dead <- if (needs_probe()) remembered_probe() else character()
  session$dead
}

needs_probe <- function()
  Sys.getenv("STATCL_PROBE") != "off" && opencl_switch() != "off" && !in_check() && !.Call(C_cl_status)$open &&
    any(file.exists(driver_files()))

remembered_probe <- function() {
  file <- file.path(cache_folder(), "drivers.rds")
  stamp <- driver_stamp()
  kept <- read_kept(file)
  if (is.list(kept) && is.character(kept$dead) && identical(kept$stamp, stamp)) return(kept$dead)
  prepare_cache()
  dead <- find_dead()
  write_kept(list(stamp = stamp, dead = dead), file)
  dead
}

# Each driver alone only if all of them together ended the process, and the others once more without those that did.
find_dead <- function() {
  if (survives()) return(character())
  files <- grep("[.]icd$", driver_files(), value = TRUE)
  if (nzchar(Sys.getenv("OCL_ICD_FILENAMES")) || length(files) < 2L) return("all")
  dead <- files[!vapply(files, function(file) with_vendors(file, survives()), NA)]
  if (length(dead) && length(dead) < length(files) && with_vendors(setdiff(files, dead), survives())) dead else "all"
}

# Where no such process can be had, nothing is known against the drivers.
survives <- function() {
  library <- gsub("\\", "/", getLoadedDLLs()[["statcl"]][["path"]], fixed = TRUE)
  code <- paste("probe <- getNativeSymbolInfo('cl_probe', dyn.load('%s'))", "cat('began\\n')", ".Call(probe)",
                "cat('ended\\n')", sep = "; ")
  code <- sprintf(code, gsub("'", "\\\\'", library))
  said <- with_variables(c(R_DEFAULT_PACKAGES = "NULL", R_TESTS = ""), suppressWarnings(tryCatch(
    system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(code)), stdout = TRUE, stderr = FALSE,
            timeout = 120), error = function(e) character())))
  "ended" %in% said || !"began" %in% said
}

with_variables <- function(values, expr) {
  old <- Sys.getenv(names(values), NA, names = TRUE)
  on.exit({
    Sys.unsetenv(names(old)[is.na(old)])
    if (!all(is.na(old))) do.call(Sys.setenv, as.list(old[!is.na(old)]))
  })
  do.call(Sys.setenv, as.list(values))
  force(expr)
}

# While expr is evaluated the loader finds these drivers alone.
with_vendors <- function(files, expr) {
  folder <- tempfile("vendors")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  file.copy(files, folder)
  with_variables(c(OCL_ICD_VENDORS = folder), expr)
}

# Evaluates what opens OpenCL, without the drivers that are left out.
with_drivers <- function(expr) {
  dead <- dead_drivers()
  .Call(C_cl_leave_out, if (identical(dead, "all")) paste("OpenCL", left_out) else "")
  if (!length(dead) || identical(dead, "all")) return(force(expr))
  with_vendors(setdiff(grep("[.]icd$", driver_files(), value = TRUE), dead), expr)
}

left_out <- "is left out: it ended a process that tried it. clCacheClear() has it tried again in the next session"

dead_trouble <- function() {
  dead <- setdiff(session$dead, "all")
  if (length(dead)) paste("the driver of", dead, left_out)
}

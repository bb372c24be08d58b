# What this R process knows: `wanted`, the default devices (NULL: not decided); `why` they are; `trouble` at load;
# `dead`, drivers that are left out (NULL: not tried yet); `bar`, the progress bar on show; `progress_off`, one has
# failed; `shown`, what it has told of the user's call; `loop`, a loop in R tells it; `known` and `note`, what the
# format of a bar says, which cli evaluates in here: hence a parent that knows `::`.
session <- new.env(parent = baseenv())

.onLoad <- function(libname, pkgname) {
  session$strict_counts <- getRversion() >= "4.4.0" # dpois() and its like take 1e-9 off a whole number, not 1e-7
  .Call(C_cl_folders, file.path(libname, pkgname, "kernels"), cache_folder())
  device_at_load()
}

.onAttach <- function(libname, pkgname) {
  ignored <- c(switch_trouble(), level_trouble())
  for (text in c(session$trouble, if (length(ignored)) paste("statcl:", ignored))) packageStartupMessage(text)
}

.onUnload <- function(libpath) {
  gc(FALSE) # finalizers of what an error has left are in the library
  .Call(C_cl_shutdown)
  library.dynam.unload("statcl", libpath)
}

# R CMD INSTALL's test load and R CMD check must neither start a driver nor write into the user's folders.
in_install <- function() any(nzchar(Sys.getenv(c("R_INSTALL_PKG", "R_PACKAGE_NAME"))))
in_check <- function() nzchar(Sys.getenv("_R_CHECK_PACKAGE_NAME_"))

cache_folder <- function() {
  if (in_check()) file.path(tempdir(), "statcl") else path.expand(tools::R_user_dir("statcl", "cache"))
}

opencl_switch <- function() Sys.getenv("STATCL_OPENCL")

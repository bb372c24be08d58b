# What R calls when the package is loaded, attached and unloaded.

.onLoad <- function(libname, pkgname) {
  session$strict_counts <- getRversion() >= "4.4.0" # dpois() and its like take 1e-9 off a whole number, not 1e-7
  .Call(C_cl_folders, file.path(libname, pkgname, "kernels"), cache_folder())
  device_at_load()
  if (isNamespaceLoaded("marginaleffects")) take_fits()
  else setHook(packageEvent("marginaleffects", "onLoad"), take_fits)
}

.onAttach <- function(libname, pkgname) {
  ignored <- setting_trouble()
  session$told <- c(session$told, ignored)
  for (text in c(session$trouble, if (length(ignored)) paste("statcl:", ignored))) packageStartupMessage(text)
}

.onUnload <- function(libpath) {
  stop_building()
  gc(FALSE) # finalizers of what an error has left are in the library
  .Call(C_cl_shutdown)
  library.dynam.unload("statcl", libpath)
}

# Package marginaleffects takes the classes that an option names, besides its own.
take_fits <- function(...)
  options(marginaleffects_model_classes = union(getOption("marginaleffects_model_classes"),
                                                c("gpFit", "stableReg", "stableFit")))

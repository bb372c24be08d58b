# Sourced by tools/test-file.R where STATCL_TORTURE is a number: in as many of the first calls of each of the
# package's C entries (all functions of vectors have one) R collects garbage at every allocation, so that what is
# not protected is lost and an error, a wrong number or a crash shows it. Conditions then name another call than the
# user's. The package must be installed without byte code, as `make install` does: that calls .Call() without
# looking it up.
compiler::enableJIT(0)
torture <- list2env(list(calls = list(), limit = as.numeric(Sys.getenv("STATCL_TORTURE"))))
for (name in c(".Call", ".External")) {
  unlockBinding(name, baseenv())
  assign(name, envir = baseenv(), local({
    plain <- get(name, baseenv())
    function(.NAME, ..., PACKAGE) {
      arguments <- list(.NAME, ...)
      if (is.list(.NAME) && identical(.NAME$dll[["name"]], "statcl")) {
        torture$calls[[.NAME$name]] <- sum(torture$calls[[.NAME$name]], 1)
        if (torture$calls[[.NAME$name]] <= torture$limit) {
          before <- gctorture2(1L)
          on.exit(gctorture2(before))
        }
      }
      do.call(plain, arguments, quote = TRUE)
    }
  }))
}

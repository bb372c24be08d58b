# Sourced by tools/test-file.R where STATCL_TORTURE is a number: in that many calls of each of the package's C
# entries R collects garbage at every allocation, so that what is not protected is lost and an error, a wrong number
# or a crash shows it. Conditions then name another call than the user's. The package must not be byte-compiled, as
# by `make install`: compiled code calls .Call() without looking it up.
compiler::enableJIT(0)
for (name in c(".Call", ".External")) {
  unlockBinding(name, baseenv())
  assign(name, envir = baseenv(), local({
    plain <- get(name, baseenv())
    limit <- as.numeric(Sys.getenv("STATCL_TORTURE"))
    calls <- list()
    function(.NAME, ..., PACKAGE) {
      arguments <- list(.NAME, ...)
      own <- is.list(.NAME) && identical(.NAME$dll[["name"]], "statcl")
      if (own) calls[[.NAME$name]] <<- sum(calls[[.NAME$name]], 1)
      if (own && calls[[.NAME$name]] <= limit) {
        gctorture2(1L)
        on.exit(gctorture2(0L))
      }
      do.call(plain, arguments, quote = TRUE)
    }
  }))
}

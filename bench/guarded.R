# What the scripts of hostile calls share: their arguments (calls, seed, device), counts of what happened, and calls
# whose conditions are counted.

argument <- commandArgs(trailingOnly = TRUE)
calls <- if (length(argument)) as.numeric(argument[1]) else 1e6
set.seed(if (length(argument) > 1) as.integer(argument[2]) else 1)
if (length(argument) > 2) statcl::useDevice(argument[3])

seen <- c(calls = 0, values = 0, warnings = 0, refused = 0, other_warnings = 0, errors = 0, wrong_nan = 0,
          outside = 0)
count <- function(what, n = 1) seen[what] <<- seen[what] + n

# The value, or NULL after an error: there is nothing to judge. documented: beginnings of warnings that may come;
# refusable: is a parameter invalid, so that the call may be refused?
guarded <- function(expr, documented, refusable = FALSE) {
  tryCatch(withCallingHandlers(expr, warning = function(w) {
    if (any(startsWith(conditionMessage(w), documented))) count("warnings") else {
      count("other_warnings")
      if (seen["other_warnings"] < 5) message("warning: ", conditionMessage(w))
    }
    invokeRestart("muffleWarning")
  }), error = function(e) {
    if (refusable && inherits(e, "statcl_error_input")) count("refused") else {
      count("errors")
      if (seen["errors"] < 5) message("error: ", conditionMessage(e))
    }
    NULL
  })
}

complain <- function(what, bad, shown) {
  bad <- bad %in% TRUE
  if (!any(bad)) return()
  count(what, sum(bad))
  first <- which(bad)[1]
  pick <- function(v) if (length(v) > 1 && is.numeric(v)) v[(first - 1) %% length(v) + 1] else v
  if (seen[what] < 5) message(what, ": ", deparse(lapply(shown, pick), width.cutoff = 500))
}

# Ends the script: with 1 where something was not as it should be.
conclude <- function(seconds, slowest) {
  print(seen)
  cat(sprintf("%.0f s, slowest call %s\n", seconds, slowest))
  quit(status = any(seen[c("other_warnings", "errors", "wrong_nan", "outside")] > 0))
}

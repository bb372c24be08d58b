# What this R process knows. All fields are NULL until they are set.
#   devices   `wanted`, the default ones (NULL: not decided), and `why` they are; `trouble` at load; `dead`, drivers
#             that are left out (NULL: not tried yet); `building`, the text of the process that builds programs in the
#             background
#   progress  `bar`, the one on show; `progress_off`, one has failed; `shown`, what it has told of the user's call;
#             `watch`, what is called instead of a display; `loop`, a loop in R tells it, and when it last did,
#             `looped`; `known` and `note`, what the format of a bar says, which cli evaluates in here: hence a
#             parent that knows `::`
#   clusters  `clusters`, those in use, and `keys`, the number of the last key made for a task; on a worker `at_work`
#             within a task and `kept_parts`, what tasks have left there
#   integrals `integrands`, translated ones that are kept for the next call
#   models    `remembered`, values made for functions of the user; `sound_model`, the one checked last; the `count` of
#             sources given to the engine; `told`, messages that come once
#   fields    `keep_lines`, whether the `lines` of a field are kept for the next part of it
#   fits      `keeps_best`, whether an interrupt ends a search with the best estimates so far;
#             `near`, the neighbours that were found last, while several fits predict the same; `series`, that of
#             Tweedie densities which was summed last
#   R         `strict_counts`, whether dpois() takes 1e-9 off a whole number, not 1e-7
session <- new.env(parent = baseenv())

# R CMD INSTALL's test load and R CMD check must neither start a driver nor write into the user's folders.
in_install <- function() any(nzchar(Sys.getenv(c("R_INSTALL_PKG", "R_PACKAGE_NAME"))))

in_check <- function() nzchar(Sys.getenv("_R_CHECK_PACKAGE_NAME_"))

cache_folder <- function() {
  if (in_check()) file.path(tempdir(), "statcl") else path.expand(tools::R_user_dir("statcl", "cache"))
}

opencl_switch <- function() Sys.getenv("STATCL_OPENCL")

# What Linux can give without swapping; elsewhere nobody tells, and the allocation is tried.
free_gigabytes <- function(file = "/proc/meminfo") {
  lines <- if (file.exists(file)) tryCatch(readLines(file), error = function(e) NULL)
  kilobytes <- as.numeric(gsub("[^0-9]", "", grep("^MemAvailable:", lines, value = TRUE)))
  if (length(kilobytes) == 1L && is.finite(kilobytes)) kilobytes * 1024e-9 else Inf
}

# Who may use whom among the files of R/. A room is what a file's name begins with; names of a room that is neither
# its own, nor shared, nor in the table of arrows are failures, as are circles of rooms. What a file uses are the
# globals that codetools finds in each of its expressions, functions or not.
#   Rscript tools/lint-rooms.R [folder, by default R]
if (!requireNamespace("codetools", quietly = TRUE)) {
  cat("lint: no codetools here\n")
  quit()
}
folder <- c(commandArgs(TRUE), "R")[1L]

shared <- c("check", "fit", "kept", "plot", "points", "progress", "session", "text")
# All may use the shared ones, and these in turn:
arrows <- list(cov = c("bessel", "stable"), rf = "cov", gp = c("cov", "rf"), cluster = "device")
for (room in c("stable", "cov", "rf", "gp", "integrate")) arrows[[room]] <- c(arrows[[room]], "cluster")
# What R calls when the package loads, or is about the whole of it.
above <- c("zzz", "statcl")

files <- list.files(folder, "[.]R$", full.names = TRUE)
room_of <- function(file) {
  first <- sub("[-.].*", "", basename(file))
  if (first %in% shared) "shared" else first
}
expressions <- lapply(stats::setNames(files, files), function(file) as.list(parse(file, keep.source = FALSE)))
defined_name <- function(e)
  if (is.call(e) && identical(e[[1L]], quote(`<-`)) && is.name(e[[2L]])) as.character(e[[2L]])
home <- list()
for (file in files) for (e in expressions[[file]]) if (length(name <- defined_name(e))) home[[name]] <- file

uses <- do.call(rbind, lapply(files, function(file) do.call(rbind, lapply(expressions[[file]], function(e) {
  found <- setdiff(codetools::findGlobals(as.function(list(e))), defined_name(e))
  found <- found[found %in% names(home)]
  if (length(found)) data.frame(from = file, by = c(defined_name(e), "a call")[1L], name = found,
                                to = unlist(home[found], use.names = FALSE))
}))))
uses$from_room <- vapply(uses$from, room_of, "")
uses$to_room <- vapply(uses$to, room_of, "")
uses <- uses[uses$from_room != uses$to_room & !uses$from_room %in% above, ]
allowed <- mapply(function(from, to) to == "shared" || to %in% arrows[[from]], uses$from_room, uses$to_room)
for (i in which(!allowed)) with(uses[i, ], cat(sprintf("%s: %s must not use %s of %s\n", from, by, name, to)))

# Rooms from which nothing open is used, or that use nothing open, are taken away; circles stay.
open <- unique(uses[c("from_room", "to_room")])
repeat {
  keep <- open$from_room %in% open$to_room & open$to_room %in% open$from_room
  if (all(keep)) break
  open <- open[keep, ]
}
if (nrow(open)) cat("in a circle of rooms:", sort(unique(open$from_room)), "\n")
quit(status = as.integer(any(!allowed) || nrow(open) > 0L))

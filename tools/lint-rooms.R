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
arrows <- list(cov = c("bessel", "stable"), rf = "cov", gp = c("cov", "device", "rf"), cluster = "device")
for (room in c("stable", "cov", "rf", "gp", "integrate")) arrows[[room]] <- c(arrows[[room]], "cluster")
# Generics of a lower room for objects that a higher one makes, with all methods there: kriging of fields on data.
handed_over <- c("conditioning_data", "with_data")
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

called_name <- function(e) if (is.call(e) && is.symbol(e[[1L]])) as.character(e[[1L]]) else ""

# codetools takes the x of x$y <- z for a variable of its own: it is the object of another file where nothing of that
# name is assigned as a whole.
changed_names <- function(e) {
  changed <- whole <- character()
  walk <- function(e) {
    if (called_name(e) %in% c("<-", "<<-", "=") && length(e) == 3L) {
      target <- e[[2L]]
      if (is.symbol(target)) whole <<- c(whole, as.character(target))
      while (is.call(target) && length(target) > 1L) target <- target[[2L]]
      if (is.call(e[[2L]]) && is.symbol(target)) changed <<- c(changed, as.character(target))
    }
    if (called_name(e) == "function") whole <<- c(whole, names(e[[2L]]))
    if (called_name(e) == "for") whole <<- c(whole, as.character(e[[2L]]))
    if (is.recursive(e)) for (part in as.list(e)) if (!missing(part)) walk(part)
  }
  walk(e)
  setdiff(changed, whole)
}

# Functions of the package by statcl:::name, or as text that is called: do.call("name"), lapply(x, "name").
named_elsewhere <- function(e) {
  found <- character()
  callers <- c("do.call", "match.fun", "get", "get0", "lapply", "vapply", "sapply", "Map", "mapply", "Reduce")
  walk <- function(e) {
    if (is.call(e)) {
      name <- called_name(e)
      if (name == ":::" && identical(e[[2L]], quote(statcl))) found <<- c(found, as.character(e[[3L]]))
      if (name %in% callers) for (part in as.list(e)[-1L])
        if (!missing(part) && is.character(part) && length(part) == 1L) found <<- c(found, part)
    }
    if (is.recursive(e)) for (part in as.list(e)) if (!missing(part)) walk(part)
  }
  walk(e)
  found
}

uses <- do.call(rbind, lapply(files, function(file) do.call(rbind, lapply(expressions[[file]], function(e) {
  found <- c(codetools::findGlobals(as.function(list(e))), changed_names(e), named_elsewhere(e))
  found <- setdiff(found, defined_name(e))
  found <- found[found %in% names(home)]
  if (length(found)) data.frame(from = file, by = c(defined_name(e), "a call")[1L], name = found,
                                to = unlist(home[found], use.names = FALSE))
}))))
uses$from_room <- vapply(uses$from, room_of, "")
uses$to_room <- vapply(uses$to, room_of, "")

# A call of a generic is an arrow to its methods, where none of them is in a room that may be used: no name shows it.
# Exported generics are for classes of others, too.
is_generic <- function(e) {
  name <- defined_name(e)
  length(name) && any(grepl(sprintf("UseMethod(\"%s\"", name), deparse(e), fixed = TRUE))
}
generics <- unlist(lapply(unlist(expressions, recursive = FALSE, use.names = FALSE), function(e)
  if (is_generic(e)) defined_name(e)))
namespace <- readLines(file.path(folder, "../NAMESPACE"))
exported <- sub("^export\\((.*)\\)$", "\\1", grep("^export\\(", namespace, value = TRUE))
methods_above <- function(generic, from) {
  rooms <- vapply(home[startsWith(names(home), paste0(generic, "."))], room_of, "")
  if (!any(rooms %in% c("shared", from, arrows[[from]]))) unique(rooms)
}
calls <- unique(uses[uses$name %in% setdiff(generics, exported) & !uses$from_room %in% above, ])
higher <- Map(methods_above, calls$name, calls$from_room)
hidden <- lengths(higher) > 0L
for (i in which(hidden & !calls$name %in% handed_over)) with(calls[i, ], cat(sprintf(
  "%s: %s must not call %s, whose methods are all in %s\n", from, by, name, toString(higher[[i]]))))
stale <- setdiff(handed_over, calls$name[hidden])
if (length(stale)) cat("handed_over of tools/lint-rooms.R has what is not:", stale, "\n")

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
bad <- any(!allowed, hidden & !calls$name %in% handed_over) || length(stale) || nrow(open)
quit(status = as.integer(bad))

# Columns of tables that once had other names: the old ones still work, with one message a session for each.

# old: new names, named by the old ones.
renamed_columns <- function(table, old)
  structure(table, renamed = old, class = c("renamedColumns", class(table)))

# The names or numbers of columns as they are now.
current_columns <- function(x, wanted) {
  old <- attr(x, "renamed")
  if (!is.character(wanted)) return(wanted)
  for (name in setdiff(intersect(wanted, names(old)), names(x))) {
    tell_renamed(name, old[[name]])
    wanted[wanted == name] <- old[[name]]
  }
  wanted
}

tell_renamed <- function(old, new) {
  if (old %in% session$told) return(invisible())
  session$told <- c(session$told, old)
  message("statcl: ", old, " is now called ", new, "; the old name still works")
}

plain_columns <- function(x) {
  attr(x, "renamed") <- NULL
  class(x) <- setdiff(class(x), "renamedColumns")
  x
}

#' @export
`$.renamedColumns` <- function(x, name) .subset2(x, current_columns(x, name), exact = FALSE)

#' @export
`[[.renamedColumns` <- function(x, i, ...) {
  given <- lapply(list(i, ...), function(at) current_columns(x, at))
  do.call(`[[`, c(list(plain_columns(x)), given))
}

# Some of the rows or columns are a plain data frame.
#' @export
`[.renamedColumns` <- function(x, i, j, drop) {
  columns <- nargs() - (!missing(drop)) < 3L
  if (columns && !missing(i)) i <- current_columns(x, i)
  if (!missing(j)) j <- current_columns(x, j)
  x <- plain_columns(x)
  if (columns) return(x[i])
  if (missing(drop)) x[i, j] else x[i, j, drop = drop]
}

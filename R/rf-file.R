# Fields that are larger than memory: tbrf(file = ) computes fragments of a grid and writes each to a file.

#' Random fields in files
#'
#' Fields on grids that are larger than memory can be computed in fragments: [tbrf()] with `file` writes each fragment
#' to a file, or passes it to a function. The result represents the field, and so does the value of `rfOpen()` for
#' such a file in a later session: parts of it are read by indices, as from an array.
#'
#' Only a few fragments are in memory at a time, whatever the size of the field. (Fields by `method = "fft"` are made
#' as a whole, in memory, one after the other, and written in fragments then.) The values do not depend on the size
#' of the fragments, on the number of threads or workers, or on interruptions. They are equal, in all bits, to those
#' of the field in memory, or to these rounded to single precision for `type = "float"`.
#'
#' @section Formats:
#' * If the name ends in `.nc`, `.nc4` or `.cdf`, the file is NetCDF-4 with the variable `field`, whose chunks are the
#'   fragments, coordinates by the CF conventions, the variable `fragment_done`, and the recipe in the attribute
#'   `statcl_recipe`. No other package is needed to write it. Programs that read it need HDF5 1.10 (2016) or later,
#'   which \pkg{ncdf4}, \pkg{RNetCDF}, \pkg{terra} and \pkg{stars} have.
#' * With any other name, the file has the numbers alone, little-endian, the first axis changing fastest, so that any
#'   program can map or read them. Their description and the recipe are in a text file whose name has `.txt` added.
#' * A function is called as `file(start, array)` for each fragment, with the indices of its first cell, followed by
#'   the number of the time and that of the field if there are several, and an array of values. No values are kept:
#'   the result computes them again when they are needed.
#'
#' Components of vectors, several times, and several fields are further dimensions, in this order, in NetCDF with the
#' names `component`, `time` and `realization`. A fragment has all components of its cells at one time.
#'
#' Files have their full length from the beginning. Cells that are not computed yet are 0; on most file systems they
#' use no disk space. A program that writes the file anew, for example to compress it, makes a file that `rfOpen()`
#' cannot open.
#'
#' @section Coordinates and values:
#' A grid by [rfGrid()] with `units` names them in the file, with the standard names `projection_x_coordinate` and
#' `projection_y_coordinate` of the CF conventions, and one with `crs` the coordinate reference system, as the
#' variable `crs` of well-known text. Without `crs` that is a local system of the field's own, so that \pkg{terra}
#' and others do not take small coordinates for longitudes and latitudes. Fields on a sphere have longitudes and
#' latitudes.
#'
#' Recipes by [rfTransform()] are written by `tbrf(grid, recipe, file = )`: the file has the values of the function,
#' and its name in the attribute `long_name`. Categories are bytes, with their numbers and labels in the attributes
#' `flag_values` and `flag_meanings`. `rfTransform()` of a field in a file leaves the file as it is, and transforms
#' values when they are read.
#'
#' @section Interruptions:
#' A fragment is marked as done once the operating system reports that it is on the disk. After an interrupt, an
#' error, or the end of the process, the same call computes the fragments that are missing. If the file exists, the
#' field in it is continued, whatever the seed, and a message says so if the seed would have given another field;
#' delete the file for a new field. `rfOpen(file, resume = TRUE)` continues without the other arguments. If the file
#' has another grid, model, number of lines or of fields, type or fragments, this is an error, and the file is not
#' overwritten. Functions of the user in a model are compared by their text.
#'
#' If a file cannot be created, written or read, for example because the disk is full, the error has the class
#' `statcl_error_file`. An error in a function `file` has the same class. The fragments until then are kept.
#'
#' @section Workers:
#' With [withCluster()], workers compute the fragments. Workers on the same machine write them to the file; workers on
#' other machines send them to the session, which writes them. A function `file` is called in the session, in the
#' order in which fragments are completed.
#'
#' Separate processes that share only the disk, such as the jobs of a queue, can compute parts of a file: `tbrf(file =
#' , object = TRUE)` begins it and computes nothing, and job k of n is `rfOpen(file, resume = TRUE, part = c(k, n))`.
#'
#' @param file name of a file that [tbrf()] has begun.
#' @param resume if `TRUE`, the missing fragments are computed.
#' @param part for `resume = TRUE`: two numbers k and n; every n-th fragment is computed, beginning with number k.
#' @param x,object an `rfFile`.
#' @param ... for `[` the indices, as those of an array of the dimensions `dim(x)`; for `plot()` graphical parameters;
#'   for `predict()` of fields in time the `time`.
#' @param drop if `TRUE`, axes of one cell are dropped.
#' @param newdata points, as `x` of [tbrf()].
#' @param sim,slice,palette,key,component,time as in [plot.rfield()][rfield].
#' @return An object of class `rfFile`: a list with the recipe, the grid (`grid`), the size of the `fragment`s, the
#'   `type` and `format`, and the name of the `file`. It has no values and no connection, and can be saved. `dim()`
#'   gives the dimensions of the grid and the further ones. `[` reads values from the file, with the names of
#'   components or variables; values that are not in the file are computed and not written. `predict()` computes
#'   values at other points. `summary()` is that of [fields in memory][rfield], for which the file is read in parts.
#' @seealso [tbrf()]
#' @examples
#' path <- tempfile(fileext = ".nc")
#' model <- covModel("matern", range = 8, smoothness = 1.5)
#' set.seed(1)
#' field <- tbrf(rfGrid(0, 1, c(60, 40, 30)), model, file = path, fragment = 20)
#' field
#' field[1:3, 1:2, 30]
#' plot(field, slice = c(y = 7))
#'
#' # in another session
#' again <- rfOpen(path)
#' predict(again, cbind(1.5, 2, 3))
#' unlink(path)
#'
#' # values for a program of one's own, here the largest of each fragment
#' top <- NULL
#' highest <- function(start, array) top <<- c(top, max(array))
#' tbrf(rfGrid(0, 1, c(60, 40)), model, file = highest, fragment = 30)
#' top
#' @export
rfOpen <- function(file, resume = FALSE, part = c(1, 1)) {
  need(file = missing(file))
  resume <- one_flag("resume", resume)
  check_numbers("part", part, "positive")
  for (p in part) whole_number("part", p)
  if (length(part) != 2L || part[1L] > part[2L])
    input_error("part", part, "must be two numbers k and n, k at most n")
  check_path(file)
  file <- sub("[.]txt$", "", file)
  if (!file.exists(file)) raise_engine_error("file", sprintf("%s: there is no such file", file))
  x <- opened_file(file)
  if (resume) fill_file(x, part = part) else x
}

# ---- arguments ----

# What tbrf() does with `file`, before the recipe is made.
check_file_request <- function(file, x, method, object, fragment, type) {
  if (is.null(file)) {
    if (!is.null(fragment)) input_error("fragment", fragment, "is for fields in files: file is missing")
    if (!identical(type, "double")) input_error("type", type, "is for fields in files: file is missing")
    return(invisible())
  }
  if (!is.function(file)) check_path(file)
  if (!inherits(x, "rfGrid"))
    input_error("file", if (is.function(file)) "function" else file, "is for a regular grid: x must be an rfGrid()")
  if (any(x$dims == 0)) input_error("x", "rfGrid", "has no points: there is nothing for a file")
  if (object && is.function(file)) input_error("object", TRUE, "computes nothing that a function could be called for")
}

# Cells of about the same number in a line, a plane and space.
fragment_dims <- function(fragment, grid, components) {
  d <- length(grid$dims)
  if (is.null(fragment)) fragment <- c(2^20, 1024, 128)[d]
  check_numbers("fragment", fragment, "positive")
  if (!length(fragment) %in% c(1L, d))
    input_error("fragment", fragment, sprintf("must be one number, or one for each of %d axes", d))
  odd <- fragment != floor(fragment)
  if (any(odd)) name_value("fragment", fragment, odd, "must be a whole number of cells")
  fragment <- pmin(rep_len(fragment, d), grid$dims)
  if (prod(fragment) * components > 2^28)
    input_error("fragment", fragment, "must have at most 2^28 values: it is kept in memory")
  as.double(fragment)
}

# The field of a recipe, in a file.
file_field <- function(recipe, grid, file, fragment, type, fill) {
  if (!time_number(recipe)) input_error("time", recipe$times, "has no element: there is nothing for a file")
  fragment <- fragment_dims(fragment, grid, component_number(recipe))
  type <- checked_type(type, recipe)
  x <- structure(list(recipe = recipe, grid = grid, fragment = fragment, type = type,
                      format = if (is.function(file)) "function" else format_of(file), file = NULL), class = "rfFile")
  if (fragment_number(x) > 1e7)
    input_error("fragment", x$fragment, sprintf("makes %.0f fragments: larger ones are needed", fragment_number(x)))
  if (is.function(file)) return(fill_file(x, file))
  x$file <- normalizePath(file, mustWork = FALSE)
  there <- file.exists(x$file) || x$format == "raw" && file.exists(text_file(x$file))
  x <- if (there) continued_file(x) else begun_file(x)
  if (fill) fill_file(x) else x
}

# Without a type, NULL, categories are bytes.
checked_type <- function(type, recipe) {
  n <- length(category_names(recipe))
  if (is.null(type)) return(if (n > 0L && n < 128L) "byte" else "double")
  if (type == "byte" && (n == 0L || n > 127L))
    input_error("type", type, "is for up to 127 categories by rfTransform()")
  type
}

format_of <- function(path) if (grepl("[.](nc|nc4|cdf)$", path, ignore.case = TRUE)) "netcdf" else "raw"

# ---- files ----

# What makes the object again, for the header.
kept_of <- function(x)
  memCompress(serialize(unclass(x)[c("recipe", "grid", "fragment", "type")], NULL, version = 3L), "gzip")

text_file <- function(path) paste0(path, ".txt")

begun_file <- function(x) {
  if (x$format == "raw") {
    text <- charToRaw(paste0(raw_header(x, kept_of(x)), "\n", collapse = ""))
    write_header(x, text_file(x$file), text, length(text))
    make_room(x)
  } else {
    header <- netcdf_header(x, kept_of(x))
    write_header(x, x$file, header$bytes, header$size)
  }
  opened_file(x$file)
}

# Under another name until it is whole.
write_header <- function(x, path, bytes, size) {
  new <- paste0(path, ".new")
  unlink(new)
  on.exit(unlink(new))
  in_file(x$file, .Call(C_fileCreate, new, size))
  in_file(x$file, .Call(C_filePut, new, 0, bytes))
  in_file(x$file, .Call(C_fileSync, new))
  if (!suppressWarnings(file.rename(new, path))) raise_engine_error("file", sprintf("%s: it cannot be made", path))
}

make_room <- function(x) in_file(x$file, .Call(C_fileCreate, x$file, prod(dim(x)) * number_size(x$type)))

# The object of a file: besides what it keeps, where marks of what is done are, and values.
opened_file <- function(path) {
  where <- if (file.exists(path)) netcdf_places(path)
  if (is.null(where)) where <- raw_places(path)
  if (is.null(where)) input_error("file", path, paste(
    "is no file by tbrf(), or was written anew by another program: give another name, or delete it"))
  kept <- if (is.null(where$text)) in_file(path, .Call(C_fileGet, path, where$kept, where$length))
          else tryCatch(bytes_in_hex(where$text), error = function(e) NULL)
  kept <- tryCatch(unserialize(memDecompress(kept, "gzip")), error = function(e) NULL)
  if (!is.list(kept) || !inherits(kept$recipe, "rfRecipe"))
    input_error("file", path, "has no recipe that can be read")
  check_recipe(kept$recipe)
  format <- if (is.null(where$text)) "netcdf" else "raw"
  x <- structure(c(kept, list(format = format, file = normalizePath(path), at = where[c("done", "first")])),
                 class = "rfFile")
  cells <- if (format == "raw") prod(dim(x)) else prod(chunk_dims(x)) * fragment_number(x)
  size <- where$first + number_size(x$type) * cells
  if (where$fragments != fragment_number(x) || file.size(path) < size)
    raise_engine_error("file", sprintf("%s: it has %.0f bytes: %.0f are missing", path, file.size(path),
                                       size - file.size(path)))
  x
}

raw_places <- function(path) {
  path <- text_file(path)
  if (!file.exists(path)) return(NULL)
  lines <- tryCatch(readLines(path, warn = FALSE), error = function(e) NULL)
  recipe <- grep("^recipe: [0-9a-f]+$", lines, value = TRUE)
  done <- grep("^done: [01]+$", lines, value = TRUE)
  if (length(recipe) != 1L || length(done) != 1L) return(NULL)
  n <- nchar(done) - 6
  list(done = file.size(path) - n - 1, fragments = n, first = 0, text = sub("^recipe: ", "", recipe),
       marks = sub("^done: ", "", done))
}

# An interrupted call goes on where all that decides the field but its key is the same.
continued_file <- function(x) {
  # a process may have ended between the header and the file
  if (x$format == "raw" && isTRUE(grepl("^0+$", raw_places(x$file)$marks))) make_room(x)
  old <- opened_file(x$file)
  same <- function(a, b) identical(a, b, ignore.bytecode = TRUE, ignore.environment = TRUE, ignore.srcref = TRUE)
  decides <- function(x) {
    recipe <- unclass(x$recipe)
    recipe$key <- NULL
    recipe$data[field_columns] <- NULL # which depend on the key
    for (f in seq_along(recipe$facies$fields)) {
      recipe$facies$fields[[f]]$key <- NULL
      recipe$facies$fields[[f]]$data[field_columns] <- NULL
    }
    c(recipe, list(grid = x$grid, fragment = x$fragment, type = x$type))
  }
  a <- decides(x)
  b <- decides(old)
  names <- union(names(a), names(b))
  other <- names[!vapply(names, function(n) same(a[[n]], b[[n]]), NA)]
  if (length(other))
    input_error("file", x$file, sprintf("has another field (%s): give another name, or delete it", toString(other)))
  if (!identical(old$recipe$key, x$recipe$key)) {
    n <- fragment_number(old)
    message(sprintf("%s has a field of another seed, which is kept: %.0f of %s %s done; delete it for a new field",
                    x$file, sum(fragments_done(old)), count_text(n, "fragment"), if (n == 1) "is" else "are"))
  }
  old
}

# Marks: bytes 1 or digits 1.
done_path <- function(x) if (x$format == "raw") text_file(x$file) else x$file

fragments_done <- function(x) {
  n <- fragment_number(x)
  if (x$format == "function") return(logical(n))
  in_file(x$file, .Call(C_fileGet, done_path(x), x$at$done, n)) == done_mark(x)
}

done_mark <- function(x) as.raw(if (x$format == "raw") 49L else 1L)

mark_done <- function(x, i) {
  in_file(x$file, .Call(C_fileSync, x$file))
  for (k in i) in_file(x$file, .Call(C_filePut, done_path(x), x$at$done + k - 1, done_mark(x)))
}

# ---- fragments ----

fragment_blocks <- function(x) ceiling(x$grid$dims / x$fragment)
fragment_number <- function(x) prod(fragment_blocks(x)) * time_number(x$recipe) * x$recipe$nsim

# Fragment number i: the numbers of its time and field, its first cell and the number of cells along each axis, and
# the same with all dimensions of the file. It has all components of its cells.
fragment_box <- function(x, i) {
  blocks <- c(fragment_blocks(x), time_number(x$recipe), x$recipe$nsim)
  at <- (i - 1) %/% cumprod(c(1, blocks[-length(blocks)])) %% blocks + 1
  axes <- seq_along(x$grid$dims)
  of <- stats::setNames(c(1, at[-axes]), c("component", "time", "realization"))
  first <- (at[axes] - 1) * x$fragment + 1
  dims <- pmin(x$fragment, x$grid$dims - first + 1)
  list(sim = as.integer(of[["realization"]]), time = as.integer(of[["time"]]), first = first, dims = dims,
       start = unname(c(first, of[names(further_dims(x$recipe))])), size = c(dims, chunk_dims(x)[-axes]))
}

# The array that holds a box of fragment i, and the box in it, for C. Files of numbers alone are one array, those of
# chunks have one for each fragment.
box_in_file <- function(x, i, start, dims) {
  size <- number_size(x$type)
  if (x$format == "raw")
    return(list(array = list(x$file, 0, as.double(dim(x)), size), box = list(start - 1, as.double(dims))))
  chunk <- chunk_dims(x)
  list(array = list(x$file, x$at$first + (i - 1) * prod(chunk) * size, chunk, size),
       box = list(start - fragment_box(x, i)$start, as.double(dims)))
}

write_fragment <- function(x, i, values) {
  own <- fragment_box(x, i)
  at <- box_in_file(x, i, own$start, own$size)
  rows <- .Call(C_fileRows, at$array, at$box)
  some <- max(1, 2^20 %/% rows[2L]) # interrupts are heard after 8 MB
  for (from in seq(0, rows[1L] - 1, by = some))
    in_file(x$file, .Call(C_fileWriteBox, at$array, at$box, values, c(from, min(from + some, rows[1L]))))
}

# The part of fragment i from `start` on: its values in the file, with transforms that came after it.
box_values <- function(x, i, done, start, dims) {
  value <- stored_values(x, i, done, start, dims)
  if (is.null(x$stored)) return(value)
  recipe <- of_fragment(x$recipe, fragment_box(x, i))
  recipe$transform <- recipe$transform[seq_along(recipe$transform) > x$stored]
  axes <- seq_along(x$grid$dims)
  transformed(recipe, value, fragment_places(x$grid, start[axes], dims[axes]))
}

# The recipe of what is in the file.
stored_recipe <- function(x) {
  if (!is.null(x$stored)) {
    x$recipe$transform <- x$recipe$transform[seq_len(x$stored)]
    x$recipe$applied <- x$recipe$applied[seq_len(x$stored)]
  }
  x$recipe
}

# Read, or computed where it is not done.
stored_values <- function(x, i, done, start, dims) {
  if (done) {
    at <- box_in_file(x, i, start, dims)
    return(in_file(x$file, .Call(C_fileReadBox, at$array, at$box)))
  }
  own <- fragment_box(x, i)
  recipe <- stored_recipe(x)
  axes <- seq_along(x$grid$dims)
  places <- fragment_places(x$grid, start[axes], dims[axes])
  value <- finished_values(bare_values(recipe, own, places), recipe, own, places)
  components <- match("component", names(further_dims(x$recipe)))
  if (!is.na(components)) {
    at <- length(axes) + components
    value <- value[, start[at] - 1 + seq_len(dims[at])]
  }
  if (x$type != "float") as.vector(value)
  else readBin(writeBin(as.vector(value), raw(), size = 4L), "double", length(value), size = 4L)
}

# The field and the time of a fragment alone.
of_fragment <- function(recipe, own) {
  recipe$nsim <- 1L
  if (!is.null(recipe$motion)) recipe$times <- recipe$times[own$time]
  for (name in intersect(field_columns, names(recipe$data)))
    recipe$data[[name]] <- recipe$data[[name]][, own$sim, drop = FALSE]
  recipe
}

# Values without the mean and what data say of them; a column for each component.
bare_values <- function(recipe, own, places) {
  recipe <- without_mean(of_fragment(recipe, own))
  recipe[c("transform", "applied")] <- NULL
  grid <- inner_recipes(recipe)[[1L]]$grid
  if (is.null(grid)) return(some_fields(own$sim, recipe, places))
  cells <- axes_points(Map(function(first, n) first - 1 + seq_len(n), places$first, places$dims))
  at <- drop(1 + (cells - 1) %*% cumprod(c(1, grid$dims))[seq_along(grid$dims)])
  kept_field(recipe, own$sim, grid)[at, , drop = FALSE]
}

# Fields by transforms are made as a whole, and the last one is kept for the fragments that follow.
kept_field <- function(recipe, sim, grid) {
  whole <- function() matrix(some_fields(sim, recipe, grid_places(grid)), prod(grid$dims))
  kept <- session$lines
  if (!isTRUE(session$keep_lines)) return(whole())
  if (!identical(kept$recipe, recipe) || kept$sim != sim || is.null(kept$field)) {
    session$lines <- NULL
    session$lines <- kept <- list(recipe = recipe, sim = sim, field = whole())
  }
  kept$field
}

finished_values <- function(value, recipe, own, places) {
  recipe <- of_fragment(recipe, own)
  value <- with_means(value, recipe, places)
  if (!is.null(recipe$data)) value <- with_data(recipe$data, value, recipe, places)
  if (length(recipe$transform)) transformed(recipe, value, places) else value
}

# Waves are the same for all fragments of a field, and at all times.
kept_lines <- function(recipe, sim) {
  kept <- session$lines
  if (!isTRUE(session$keep_lines)) return(recipe_lines(recipe, sim))
  recipe["times"] <- NULL
  if (!identical(kept$recipe, recipe) || kept$sim != sim)
    session$lines <- kept <- list(recipe = recipe, sim = sim, waves = recipe_lines(recipe, sim))
  kept$waves
}

# What a worker does, or the session where there are none: TRUE where it has written the values, else these. A mean
# or a transform that is a function may need variables of the session, which adds it.
fragment_task <- function(i, x, whole, host) {
  session$keep_lines <- TRUE
  on.exit(session$keep_lines <- NULL)
  own <- fragment_box(x, i)
  places <- fragment_places(x$grid, own$first, own$dims)
  value <- bare_values(x$recipe, own, places)
  if (!whole) return(value)
  value <- finished_values(value, x$recipe, own, places)
  here <- !is.null(host) && host == Sys.info()[["nodename"]] && file.exists(x$file)
  if (!here) return(value)
  write_fragment(x, i, value)
  in_file(x$file, .Call(C_fileSync, x$file))
  TRUE
}

# Computes what is not done. Values are synchronised with the disk once a second, and at the end, whatever ends it.
fill_file <- function(x, call_back = NULL, part = c(1, 1)) {
  began <- proc.time()
  mine <- seq_len(fragment_number(x))
  mine <- mine[mine %% part[2L] == part[1L] %% part[2L]]
  left <- mine[!fragments_done(x)[mine]]
  n <- length(mine)
  written <- NULL
  marked <- progress_clock()
  mark <- function() {
    now <- written
    written <<- NULL
    marked <<- progress_clock()
    if (length(now)) mark_done(x, now)
  }
  whole <- !is.function(x$recipe$model$mean) && !is.function(x$recipe$vector$mean) &&
    !any(vapply(x$recipe$transform, is.function, NA))
  good <- FALSE
  on.exit({
    progress_loop_done()
    session$lines <- NULL
    if (!good) tryCatch(mark(), error = function(e) NULL)
  })
  count <- n - length(left)
  take <- function(k, value) {
    i <- left[k]
    if (!isTRUE(value)) {
      own <- fragment_box(x, i)
      if (!whole)
        value <- finished_values(value, x$recipe, own, fragment_places(x$grid, own$first, own$dims))
      if (is.null(call_back)) write_fragment(x, i, value) else hand_over(x, i, value, call_back)
    }
    if (is.null(call_back)) written <<- c(written, i)
    if (progress_clock() - marked > 1) mark()
    count <<- count + 1
    progress_loop("tbrf", began, count / n)
  }
  sent <- !recipe_functions(x$recipe)
  host <- if (sent && is.null(call_back) && !is.null(cluster_in_use())) Sys.info()[["nodename"]]
  bare <- x
  if (!whole) {
    bare$recipe <- without_mean(x$recipe)
    bare$recipe[c("transform", "applied")] <- NULL
  }
  cluster_each(as.list(left), "fragment_task", take, sent, bare, whole, host)
  mark()
  good <- TRUE
  x
}

hand_over <- function(x, i, value, call_back) {
  own <- fragment_box(x, i)
  more <- further_dims(x$recipe)
  dim(value) <- unname(c(own$dims, more[names(more) == "component"]))
  start <- own$start[c(rep(TRUE, length(own$dims)), names(more) != "component")]
  tryCatch(call_back(start, value), error = function(e) raise_engine_error("file", sprintf(
    "file = function: it failed at fragment %.0f of %.0f, from cell (%s) on: %s", i, fragment_number(x),
    toString(start), conditionMessage(e))))
}

# What a recipe keeps of its data with a column for each field.
field_columns <- c("residuals", "weights", "beta")

# Headers of files with random fields. A NetCDF-4 file is an HDF5 file in which dimensions are written down in a way
# that netCDF knows. This one is made whole at the beginning: chunks, of which each is a fragment, have their places
# before there are values, so that fragments are written in any order, by any process, and nothing but values and
# marks of what is done changes from then on. A process that is killed leaves a valid file. The HDF Group (2023), HDF5
# File Format Specification version 3.0, has the messages; their numbers are given below. NetCDF-4 writes each
# dimension as a "dimension scale" of HDF5 (NetCDF Users Guide, appendix "File Format Specifications").

# ---- bytes ----

# A whole number in little-endian order.
bytes_of <- function(value, size) {
  if (length(value) != 1L) return(unlist(lapply(value, bytes_of, size)))
  digits <- numeric(size)
  for (k in seq_len(size)) {
    digits[k] <- value %% 256
    value <- value %/% 256
  }
  as.raw(digits)
}

number_of <- function(bytes) sum(as.integer(bytes) * 256^(seq_along(bytes) - 1))

nowhere <- as.raw(rep(255, 8L)) # the address of what is not there

padded <- function(bytes) c(bytes, raw(-length(bytes) %% 8L))

with_checksum <- function(bytes) c(bytes, .Call(C_fileChecksum, bytes))

# ---- messages of HDF5 ----

hdf_space <- function(dims) c(bytes_of(c(2, length(dims), 0, length(dims) > 0), 1L), bytes_of(dims, 8L))

hdf_types <- list(
  double = c(bytes_of(c(17, 32, 63, 0), 1L), bytes_of(8, 4L), bytes_of(c(0, 64), 2L), bytes_of(c(52, 11, 0, 52), 1L),
             bytes_of(1023, 4L)),
  float = c(bytes_of(c(17, 32, 31, 0), 1L), bytes_of(4, 4L), bytes_of(c(0, 32), 2L), bytes_of(c(23, 8, 0, 23), 1L),
            bytes_of(127, 4L)),
  byte = c(bytes_of(c(16, 8, 0, 0), 1L), bytes_of(1, 4L), bytes_of(c(0, 8), 2L)),
  references = c(bytes_of(c(25, 0, 0, 0), 1L), bytes_of(16, 4L), bytes_of(c(23, 0, 0, 0), 1L), bytes_of(8, 4L)))

number_size <- function(type) c(double = 8, float = 4, byte = 1)[[type]]

hdf_text_type <- function(n) c(bytes_of(c(19, 0, 0, 0), 1L), bytes_of(n, 4L))

hdf_attribute <- function(name, value, type = hdf_text_type(length(value)), dims = NULL) {
  space <- hdf_space(dims)
  text <- c(charToRaw(name), as.raw(0))
  list(12, c(bytes_of(c(3, 0), 1L), bytes_of(c(length(text), length(type), length(space)), 2L), as.raw(0), text, type,
             space, value))
}

text_attributes <- function(values)
  Map(function(name, value) hdf_attribute(name, charToRaw(value)), names(values), values)

number_attributes <- function(values) Map(function(name, value)
  hdf_attribute(name, numbers_in_bytes(value), hdf_types$double, length(value)), names(values), values)

# Messages are lists of a number and bytes. Attributes keep the order in which they are made.
hdf_object <- function(messages) {
  attribute <- vapply(messages, function(m) m[[1L]] == 12, NA)
  info <- list(21, c(bytes_of(c(0, 3), 1L), bytes_of(sum(attribute), 2L), rep(nowhere, 3L)))
  order <- c(0, ifelse(attribute, cumsum(attribute) - 1, 0))
  body <- Map(function(m, order) c(bytes_of(m[[1L]], 1L), bytes_of(length(m[[2L]]), 2L), as.raw(0),
                                   bytes_of(order, 2L), m[[2L]]), c(list(info), messages), order)
  body <- unlist(body, use.names = FALSE)
  padded(with_checksum(c(charToRaw("OHDR"), bytes_of(c(2, 14), 1L), bytes_of(length(body), 4L), body)))
}

hdf_variable <- function(type, dims, layout, attributes, early = FALSE)
  hdf_object(c(list(list(1, hdf_space(dims)), list(3, hdf_types[[type]]), list(5, bytes_of(c(3, 21 + !early), 1L)),
                    list(8, layout)), attributes))

hdf_contiguous <- function(at, size)
  c(bytes_of(c(3, 1), 1L), if (is.null(at)) nowhere else bytes_of(at, 8L), bytes_of(size, 8L))

# Without an index: chunk number i is i chunks after the first.
hdf_chunks <- function(at, chunk, type)
  c(bytes_of(c(4, 2, 0, length(chunk) + 1, 4), 1L), bytes_of(c(chunk, number_size(type)), 4L), as.raw(2),
    bytes_of(at, 8L))

hdf_group <- function(places, attributes) {
  links <- Map(function(name, at, order)
    list(6, c(bytes_of(c(1, 4), 1L), bytes_of(order, 8L), bytes_of(nchar(name), 1L), charToRaw(name),
              bytes_of(at, 8L))),
    names(places), places, seq_along(places) - 1)
  info <- list(2, c(bytes_of(c(0, 3), 1L), bytes_of(length(places), 8L), rep(nowhere, 3L)))
  hdf_object(c(list(info, list(10, raw(2L))), unname(links), attributes))
}

hdf_superblock <- function(root, size)
  with_checksum(c(as.raw(c(137, 72, 68, 70, 13, 10, 26, 10)), bytes_of(c(2, 8, 8, 0), 1L), bytes_of(0, 8L), nowhere,
                  bytes_of(size, 8L), bytes_of(root, 8L)))

# The objects that attributes of varying length stand for: references to one variable each.
hdf_heap <- function(places) {
  used <- unlist(Map(function(at, i) c(bytes_of(c(i, 1), 2L), raw(4L), bytes_of(8, 8L), bytes_of(at, 8L)), places,
                     seq_along(places)), use.names = FALSE)
  left <- 4096 - 16 - length(used)
  c(charToRaw("GCOL"), as.raw(c(1, 0, 0, 0)), bytes_of(4096, 8L), used, raw(8L), bytes_of(left, 8L), raw(left - 16))
}

# ---- NetCDF ----

# What the dimensions of the field are called, and what is known of them.
netcdf_axes <- function(x) {
  d <- length(x$grid$dims)
  axes <- Map(function(values, name) list(values = values, about = c(axis = name)), grid_axes(x$grid),
              c("X", "Y", "Z")[seq_len(d)])
  names(axes) <- axis_names(d)
  if (!is.null(x$grid$units)) for (k in seq_len(d))
    axes[[k]]$about <- c(axes[[k]]$about, if (d > 1L && k < 3L && !is_degree(x$grid$units))
      c(standard_name = paste0("projection_", axis_names(d)[k], "_coordinate")), units = x$grid$units)
  if (!is.null(x$recipe$space$sphere)) {
    names(axes) <- c("lon", "lat")
    axes$lon$about <- c(axis = "X", standard_name = "longitude", units = "degrees_east")
    axes$lat$about <- c(axis = "Y", standard_name = "latitude", units = "degrees_north")
  }
  names <- component_names(x$recipe)
  more <- list(
    component = list(values = seq_along(names), about = c(long_name = "component of the vector",
                                                          flag_meanings = paste(names, collapse = " "),
                                                          if (isTRUE(x$grid$staggered)) c(location = paste(
                                                            "faces of the cells, half a spacing below their centres",
                                                            "along the axis of the component"))),
                     numbers = list(flag_values = as.double(seq_along(names)))),
    time = list(values = x$recipe$times, about = c(axis = "T", long_name = "time")),
    realization = list(values = seq_len(x$recipe$nsim), about = c(standard_name = "realization")))
  c(axes, more[names(further_dims(x$recipe))])
}

is_degree <- function(units) grepl("^degree", units)

# The reference system of a plane. Where none is given, it is one of its own, without which programs take small
# coordinates for degrees.
netcdf_crs <- function(x) {
  if (!is.null(x$recipe$space$sphere) || length(x$grid$dims) < 2L) return(NULL)
  if (!is.null(x$grid$crs)) return(x$grid$crs)
  if (!is.null(x$grid$units) && is_degree(x$grid$units)) return(NULL)
  known <- c(m = "\"metre\",1", km = "\"kilometre\",1000", cm = "\"centimetre\",0.01", mm = "\"millimetre\",0.001")
  unit <- if (is.null(x$grid$units)) "\"unknown\",1"
          else if (x$grid$units %in% names(known)) known[[x$grid$units]]
          else sprintf("\"%s\",1", gsub("[^[:alnum:] _.-]", "", x$grid$units))
  sprintf("LOCAL_CS[\"coordinates of the field\",UNIT[%s],AXIS[\"x\",EAST],AXIS[\"y\",NORTH]]", unit)
}

# What the values are, by the names of the functions that were applied.
field_name <- function(recipe) {
  said <- rev(unlist(recipe$applied))
  what <- if (is.null(recipe$facies)) "a Gaussian random field" else "categories of Gaussian random fields"
  if (length(said)) return(paste(c(said, what), collapse = " of "))
  if (!is.null(recipe$facies)) return(what)
  if (identical(recipe$marginal$name, "lognormal")) "log-normal random field"
  else if (!is.null(recipe$marginal)) "random field of a given distribution"
  else "Gaussian random field"
}

# Categories have numbers with names.
category_names <- function(recipe) {
  last <- recipe$transform[length(recipe$transform)]
  labels <- class_labels(recipe)
  if (length(last) && is.null(attr(last[[1L]], "labels"))) labels <- paste0("category_", labels, recycle0 = TRUE)
  if (length(labels)) gsub("[^[:alnum:]_.+@-]", "_", labels)
}

flag_attributes <- function(x) {
  names <- category_names(x$recipe)
  if (is.null(names) || x$type != "byte") return(NULL)
  list(hdf_attribute("flag_values", as.raw(seq_along(names)), hdf_types$byte, length(names)),
       hdf_attribute("flag_meanings", charToRaw(enc2utf8(paste(names, collapse = " ")))))
}

scale_attributes <- function(name) list(hdf_attribute("CLASS", c(charToRaw("DIMENSION_SCALE"), as.raw(0))),
                                        hdf_attribute("NAME", c(charToRaw(name), as.raw(0))))

# Slowest dimension first, as HDF5 counts; `at` are places in the heap.
dimension_list <- function(heap, at) {
  places <- unlist(lapply(at, function(i) c(bytes_of(1, 4L), bytes_of(heap, 8L), bytes_of(i, 4L))))
  hdf_attribute("DIMENSION_LIST", places, hdf_types$references, length(at))
}

hex_of <- function(bytes) paste(format(bytes), collapse = "")

bytes_in_hex <- function(text) {
  digits <- matrix(strtoi(strsplit(text, "")[[1L]], 16L), 2L)
  as.raw(16L * digits[1L, ] + digits[2L, ])
}

# Messages of HDF5 are shorter than 2^16 bytes.
recipe_attributes <- function(kept) {
  text <- hex_of(kept)
  from <- seq(1, nchar(text), by = 60000)
  text_attributes(stats::setNames(substring(text, from, from + 59999),
                                  c("statcl_recipe", sprintf("statcl_recipe_%d", seq_along(from)[-1L]))))
}

own_mark <- charToRaw("statcl field 1\n\n")

# The header of the file, where in it marks of what is done begin, where its values do, and its size. After the
# superblock HDF5 leaves room for the mark by which files are known again, and for where things are: the marks, their
# number, the values, and the recipe with its length. Addresses are found from a first header, without them.
netcdf_header <- function(x, kept) {
  axes <- netcdf_axes(x)
  crs <- netcdf_crs(x)
  more <- length(crs)
  n <- fragment_number(x)
  sizes <- c(lengths(lapply(axes, `[[`, "values")), fragment = n)
  field <- length(axes) + 2L
  at <- list(objects = numeric(field + 2L + more), heap = 0, values = numeric(length(axes)), done = 0, kept = 0,
             first = 0, end = 0)
  repeat {
    places <- stats::setNames(at$objects[seq_len(field + 1L + more)],
                              c(names(axes), "fragment", "field", "fragment_done", if (more) "crs"))
    scales <- Map(function(name, axis, from) hdf_variable("double", length(axis$values),
      hdf_contiguous(from, 8 * length(axis$values)),
      c(scale_attributes(name), text_attributes(axis$about), number_attributes(axis$numbers))),
      names(axes), axes, at$values)
    none <- sprintf("This is a netCDF dimension but not a netCDF variable.%10d", as.integer(n))
    number <- hdf_variable("float", n, hdf_contiguous(NULL, 4 * n), scale_attributes(none))
    inverse <- rev(seq_along(axes))
    values <- hdf_variable(x$type, sizes[inverse], hdf_chunks(at$first, chunk_dims(x)[inverse], x$type),
                           c(list(dimension_list(at$heap, inverse)), text_attributes(c(
                             long_name = field_name(x$recipe), units = "1", if (more) c(grid_mapping = "crs"))),
                             flag_attributes(x)), early = TRUE)
    done <- hdf_variable("byte", n, hdf_contiguous(at$done, n), c(list(dimension_list(at$heap, length(axes) + 1L)),
      text_attributes(c(long_name = "1 for the chunks that have their values"))))
    mapping <- if (more) list(hdf_variable("byte", NULL, hdf_contiguous(NULL, 1),
                                           text_attributes(c(spatial_ref = crs, crs_wkt = crs))))
    root <- hdf_group(places, c(text_attributes(c(Conventions = "CF-1.8", title = "Random field",
                                                  source = paste("statcl", getNamespaceVersion("statcl")))),
                                recipe_attributes(kept)))
    parts <- c(unname(scales), list(number, values, done), mapping,
               list(root, hdf_heap(places[seq_len(length(axes) + 1L)])),
               lapply(unname(axes), function(axis) numbers_in_bytes(as.double(axis$values))),
               list(raw(n), kept))
    parts <- lapply(parts, padded)
    from <- 128 + cumsum(c(0, lengths(parts)))
    count <- length(axes)
    heap <- field + 3L + more
    new <- list(objects = from[seq_len(field + 2L + more)], heap = from[heap], values = from[heap + seq_len(count)],
                done = from[heap + count + 1L], kept = from[heap + count + 2L])
    new$first <- ceiling(from[length(from)] / 4096) * 4096
    new$end <- new$first + n * prod(chunk_dims(x)) * number_size(x$type)
    if (identical(new, at)) break
    at <- new
  }
  where <- bytes_of(c(at$done, n, at$first, at$kept, length(kept)), 8L)
  start <- c(hdf_superblock(at$objects[field + 2L + more], at$end), own_mark, where)
  list(bytes = c(start, raw(128L - length(start)), unlist(parts)), size = at$end)
}

numbers_in_bytes <- function(values) writeBin(values, raw(), endian = "little")

# All components of the cells of a fragment, at one time and of one field.
chunk_dims <- function(x) {
  more <- further_dims(x$recipe)
  c(x$fragment, unname(ifelse(names(more) == "component", more, 1)))
}

# Where things are in a file by tbrf(), NULL in others.
netcdf_places <- function(path) {
  start <- in_file(path, .Call(C_fileGet, path, 0, min(128, file.size(path))))
  if (length(start) < 128L || !identical(start[48L + seq_along(own_mark)], own_mark)) return(NULL)
  where <- vapply(0:4, function(k) number_of(start[64L + 8L * k + 1:8]), 0)
  stats::setNames(as.list(where), c("done", "fragments", "first", "kept", "length"))
}

# ---- headers of plain files ----

raw_header <- function(x, kept) {
  numbers <- function(v) paste(format(v, digits = 17, trim = TRUE, scientific = FALSE), collapse = " ")
  c("Random field by the R package statcl: numbers one after the other, first axis first, little-endian, no header.",
    paste("type:", c(double = "double, 8 bytes", float = "float, 4 bytes", byte = "byte")[[x$type]]),
    if (x$type == "byte") paste("categories, from 1:", paste(category_names(x$recipe), collapse = " ")),
    if (!is.null(x$grid$units)) paste("units:", x$grid$units),
    if (length(x$recipe$transform)) paste("values:", field_name(x$recipe)),
    paste("dims:", numbers(dim(x))), paste("axes:", paste(names(netcdf_axes(x)), collapse = " ")),
    if (time_number(x$recipe) > 1L) paste("times:", numbers(x$recipe$times)),
    paste("origin:", numbers(x$grid$origin)),
    paste("spacing:", numbers(x$grid$spacing)), paste("fragment:", numbers(x$fragment)),
    paste("model:", toString(format(x$recipe$model))), paste("recipe:", hex_of(kept)),
    paste("done:", strrep("0", fragment_number(x))))
}

# Coordinates, and how distances between them are measured. The metrics themselves are the engine's.

# Are the rows of x coordinates of points? Otherwise its elements are distances. The package proxy gives objects of
# class dist a dim(), which is.matrix() does not see.
has_points <- function(x, model)
  model$distance != "given" && (is.matrix(x) || is.data.frame(x) || inherits(x, "sfc"))

# Classes of other packages that would be misread, or not understood at all.
refuse_foreign <- function(name, x) {
  if (!is.object(x)) return(invisible())
  refuse_units(name, x)
  use <- if (inherits(x, "sfg")) "is a geometry of one location: use sf::st_sfc(%s)"
         else if (inherits(x, c("Spatial", "SpatVector"))) "must be points of the package sf: use sf::st_as_sf(%s)"
         else if (inherits(x, c("sparseMatrix", "spam"))) sprintf(
           "is sparse, but what is not stored is no distance of 0: for distances give those stored, %%s@%s",
           if (inherits(x, "spam")) "entries" else "x")
         else if (inherits(x, "Matrix")) "must be a matrix of base R: use as.matrix(%s)"
  if (!is.null(use)) input_error(name, if (inherits(x, "sfg")) "sfg" else class(x)[1L], sprintf(use, name))
}

# A list of `xy`, a matrix of doubles with a row for each point; their `names` or NULL; `geographic`, whether they are
# longitudes and latitudes (NA: not known); and `crs`, the coordinate reference system of sf points.
points_of <- function(x, name, model) {
  if (!has_points(x, model)) {
    plain <- is.numeric(x) && is.null(dim(x))
    use <- if (plain) sprintf(", a vector in a matrix of one column: cbind(%s)", name) else ""
    input_error(name, class(x)[1L], paste0("must have coordinates in its rows", use))
  }
  points <- if (is.object(x) && inherits(x, c("sf", "sfc"))) sf_points(x, name, last_column(model))
            else list(xy = table_points(x, name), geographic = NA)
  if (is.na(points$geographic)) points$geographic <- maybe_degrees(points$xy)
  points["names"] <- list(if (is.matrix(x)) dimnames(x)[[1L]] else if (is.data.frame(x)) given_row_names(x)
                          else names(x))
  if (ncol(points$xy) == 0L) raise_engine_error("input", sprintf("%s has no columns: no coordinates", name))
  if (!all(is.finite(points$xy))) {
    bad <- which(!is.finite(points$xy), arr.ind = TRUE)
    place_error(name, points$xy, bad[1L, 1L], bad[1L, 2L], "coordinates must be finite")
  }
  if (!is.double(points$xy)) storage.mode(points$xy) <- "double"
  points
}

place_error <- function(name, xy, i, j, what, labels = NULL)
  raise_engine_error("input", sprintf("%s[%s, %d] = %s: %s", name, if (is.null(labels)) i else labels[i], j,
                                      format(xy[i, j], digits = 15), what))

table_points <- function(x, name) {
  x <- plain_numbers(x)
  if (is.list(x) && !is.matrix(x)) {
    for (column in names(x)) refuse_units(paste0(name, "$", column), x[[column]])
    numbers <- vapply(x, is.numeric, NA)
    if (!all(numbers)) {
      odd <- which(!numbers)[1L]
      unit <- if (inherits(x[[odd]], "Date")) "days" else if (inherits(x[[odd]], "POSIXct")) "seconds"
      input_error(paste0(name, "$", names(x)[odd]), class(x[[odd]])[1L], paste(
        "must be numeric:", if (is.null(unit)) "a column of numbers" else paste("as.numeric() of it has", unit)))
    }
    return(as.matrix(x, rownames.force = FALSE))
  }
  if (!is.numeric(x)) input_error(name, typeof(x), "must be numeric")
  x
}

# Many columns may be distances, or variables that were not meant; who names the Euclidean distance, or a scale for
# each column, has said that they are coordinates.
question_points <- function(x, xy, model, time) {
  open <- model$distance == "auto" && is.null(model$scales)
  many <- ncol(xy) - time > 3L && open
  distances <- looks_like_distances(xy)
  if (distances && open)
    raise_engine_error("input", sprintf(paste(
      "x is a symmetric matrix of %d rows with zeros on its diagonal: distances are as.dist(x) or with distance =",
      "\"given\", and coordinates in the rows with distance = \"euclidean\""), nrow(xy)))
  if (distances || many && !is.data.frame(x))
    warn("the rows of x are taken for coordinates: if x has distances use distance = \"given\", or as.dist(x)",
         if (many) "; if not, distance = \"euclidean\"")
  else if (many)
    message("the ", ncol(xy), " columns of x are taken for coordinates: ", toString(names(x), 200L),
            "; for distances use distance = \"given\"")
}

# Two points may well have such coordinates, three or more hardly. Great circles by an arc cosine leave square roots
# of rounding errors on the diagonal.
looks_like_distances <- function(xy) {
  if (nrow(xy) != ncol(xy) || nrow(xy) < 3L || any(xy < 0)) return(FALSE)
  max(diag(xy)) <= 1e-6 * max(xy) && isSymmetric(unname(unclass(xy)))
}

# What the last column of points is, of models for which it is no coordinate.
last_column <- function(model) {
  if (is.null(model$name)) return(NULL)
  last <- lapply(model_parts(model), function(part) families[[part$name]]$last)
  unlist(last)[1L]
}

# `last` is what has to follow the coordinates: of sf points it can be the third one of a plane.
sf_points <- function(x, name, last = NULL) {
  need_package("sf", x, name)
  geometry <- sf::st_geometry(x)
  if (!length(geometry))
    return(list(xy = matrix(0, 0L, 2L), geographic = sf::st_is_longlat(geometry), crs = sf::st_crs(geometry)))
  if (!inherits(geometry, "sfc_POINT"))
    input_error(name, as.character(sf::st_geometry_type(geometry, FALSE)), "must have points")
  xy <- sf::st_coordinates(geometry)
  xy <- xy[, colnames(xy) %in% c("X", "Y", "Z"), drop = FALSE]
  geographic <- sf::st_is_longlat(geometry)
  if (!is.null(last) && (isTRUE(geographic) || ncol(xy) < 3L)) {
    given <- sprintf("sf::st_coordinates(%s)", name)
    input_error(name, class(x)[1L], sprintf("must have the %s after its coordinates: give %s%s", last,
      if (ncol(xy) < 3L) sprintf("cbind(%s, %s)", given, last) else given,
      if (isTRUE(geographic)) sprintf(", with distance = \"chordal\" in %s",
                                      if (last == "time") "`space`" else "the model") else ""))
  }
  if (isTRUE(geographic) && ncol(xy) > 2L)
    raise_engine_error("input", sprintf("%s has a third coordinate besides longitude and latitude: use sf::st_zm(%s)",
                                        name, name))
  list(xy = xy, geographic = geographic, crs = sf::st_crs(geometry))
}

# NA, as nothing says what coordinates without a reference system are; where names and values look like degrees of
# longitude and latitude it has these names, for the message of distance_kind(). A third column is the time; with
# heights no other distance is there to be named.
maybe_degrees <- function(xy) {
  names <- colnames(xy)
  if (is.null(names) || !length(names) %in% 2:3 || !nrow(xy)) return(NA)
  plain <- tolower(names)
  lon <- match(plain[1:2], c("lon", "long", "lng", "longitude"), 0L) > 0L
  lat <- match(plain[1:2], c("lat", "latitude"), 0L) > 0L
  heights <- c("z", "alt", "altitude", "height", "elev", "elevation", "depth")
  if (!any(lon & !rev(lon) & rev(lat)) || plain[3L] %in% heights) return(NA)
  within <- function(column, low, high) {
    v <- xy[, column]
    v <- v[is.finite(v)]
    length(v) && all(v >= low & v <= high)
  }
  if (!within(which(lat), -90, 90) || !(within(which(lon), -180, 180) || within(which(lon), 0, 360))) return(NA)
  structure(NA, degrees = names[1:2], turned = lat[1L])
}

# Once a session for columns of these names: functions are called in loops.
tell_plane <- function(geographic) {
  names <- attr(geographic, "degrees")
  key <- paste("plane", toString(names))
  if (is.null(names) || key %in% session$told) return(invisible())
  session$told <- c(session$told, key)
  text <- sprintf(paste0(
    "%s and %s look like degrees of longitude and latitude, and are taken for coordinates of a plane: in a model, ",
    "distance = \"chordal\" measures on the sphere%s, and distance = \"euclidean\" says that the plane is meant\n"),
    names[1L], names[2L], if (attr(geographic, "turned")) " (with the longitude as the first coordinate)" else "")
  message(structure(class = c("statcl_message_plane", "message", "condition"),
                    list(message = text, call = user_call())))
}

# How to measure from points a to points b, NULL for those among a; `called` and `rows` are what messages call a and
# its points, if that is not x and their numbers.
metric_of <- function(parts, a, b) {
  dim <- ncol(a$xy) - has_time(parts)
  if (dim < 1L) raise_engine_error("input", "x has one column: a model of space and time needs the times after that")
  if (!is.null(b)) {
    if (ncol(b$xy) != ncol(a$xy))
      raise_engine_error("input", sprintf("the points of y have dimension %d, those of x %d", ncol(b$xy), ncol(a$xy)))
    if (!is.null(a$crs) && !is.null(b$crs) && a$crs != b$crs)
      input_error("y", b$crs$input, "must have the coordinate reference system of x")
  }
  # plain coordinates are those of the sf points that they are with
  plain <- is.na(a$geographic) && !is.null(b)
  called <- if (is.null(a$called)) "x" else a$called
  of_b <- plain && (!is.na(b$geographic) || is.null(attr(a$geographic, "degrees")))
  kind <- distance_kind(parts[[1L]]$distance, (if (of_b) b else a)$geographic, if (of_b) "y" else called)
  if (kind != "euclidean") {
    for (part in parts) check_isotropy(part, kind)
    check_sphere(a$xy, called, kind, dim, a$rows)
    if (!is.null(b)) check_sphere(b$xy, "y", kind, dim)
  }
  for (part in parts) if (!is.null(part$space)) check_space(part, kind, dim) else check_metric(part, kind, dim)
  list(kind = kind, dim = dim, radius = parts[[1L]]$radius)
}

distance_kind <- function(wanted, geographic, name = "x") {
  if (is.na(geographic)) {
    if (wanted %in% c("chordal", "greatcircle") && isTRUE(attr(geographic, "turned")))
      raise_engine_error("input", sprintf("%s has %s before %s: the longitude is the first coordinate on the sphere",
                                          name, attr(geographic, "degrees")[1L], attr(geographic, "degrees")[2L]))
    if (wanted != "auto") return(wanted)
    tell_plane(geographic)
    return("euclidean")
  }
  if (geographic && wanted == "euclidean")
    input_error("distance", wanted, paste("has no meaning for longitudes and latitudes, which", name,
                                          "has: see \"chordal\""))
  if (!geographic && wanted %in% c("chordal", "greatcircle"))
    input_error("distance", wanted, paste("needs longitudes and latitudes: the coordinates of", name,
                                          "are projected"))
  if (wanted != "auto") return(wanted)
  if (!geographic) return("euclidean")
  message(name, " has longitudes and latitudes: distances are chordal, in units of radius, by default 6371 (km)")
  "chordal"
}

# Great circles have their own conditions, which models are checked for; in one dimension all are valid.
check_metric <- function(part, kind, dim) {
  if (kind == "chordal") dim <- 3L
  if (kind != "greatcircle" && dim > 1L) check_dimension(part, dim)
}

check_sphere <- function(xy, name, kind, dim = ncol(xy), labels = NULL) {
  if (dim != 2L)
    raise_engine_error("input", sprintf("the points of %s have dimension %d: distance = \"%s\" needs %s", name,
                                        dim, kind, "longitude and latitude"))
  bad <- which(abs(xy[, 2L]) > 90)
  if (length(bad))
    place_error(name, xy, bad[1L], 2L, "latitudes, the second column, must be from -90 to 90 degrees", labels)
}

# Longitudes and latitudes in degrees to places in space.
sphere_points <- function(xy, radius) {
  longitude <- xy[, 1L] / 180
  latitude <- xy[, 2L] / 180
  radius * cbind(cospi(latitude) * cospi(longitude), cospi(latitude) * sinpi(longitude), sinpi(latitude),
                 deparse.level = 0L)
}

# The matrix that takes a difference of coordinates to one whose length is the distance; NULL for the identity, unless
# always. The range along the major axis is that of the model, across it ratio times as much. With the name of a
# parameter, of scales that of an axis, the derivative of the matrix.
anisotropy <- function(model, dim, always = FALSE, deriv = "none", axis = NA) {
  if (is.null(model$scales)) {
    if (model$ratio == 1 && deriv == "none" && !(always && dim == 2L)) return(NULL)
  } else {
    if (length(model$scales) != dim)
      raise_engine_error("input", sprintf("scales has length %d: the points have dimension %d",
                                          length(model$scales), dim))
    map <- diag(if (deriv == "none") 1 / model$scales else ifelse(seq_len(dim) == axis, -1 / model$scales^2, 0), dim)
    return(if (is.null(model$rotation)) map else map %*% t(turned_axes(model$rotation)))
  }
  if (dim != 2L)
    input_error("ratio", model$ratio, sprintf("is for points in the plane, not of dimension %d: see scales", dim))
  along <- c(cospi(model$angle / 180), sinpi(model$angle / 180))
  across <- c(-along[2L], along[1L])
  switch(deriv, none = rbind(along, across / model$ratio, deparse.level = 0L),
         angle = pi / 180 * rbind(across, -along / model$ratio, deparse.level = 0L),
         ratio = rbind(0, -across / model$ratio^2, deparse.level = 0L))
}

# The axes that turned ones are, in columns.
turned_axes <- function(rotation) {
  turn <- function(degrees, from, to) {
    m <- diag(3L)
    m[c(from, to), from] <- c(cospi(degrees / 180), sinpi(degrees / 180))
    m[c(from, to), to] <- c(-sinpi(degrees / 180), cospi(degrees / 180))
    m
  }
  turn(rotation[1L], 1L, 2L) %*% turn(rotation[2L], 1L, 3L) %*% turn(rotation[3L], 2L, 3L)
}

is_anisotropic <- function(model) !is.null(model$scales) || model$ratio != 1

# Rows that are equal have one number.
place_numbers <- function(xy) {
  id <- rep(1, nrow(xy))
  for (j in seq_len(ncol(xy))) {
    pair <- (id - 1) * nrow(xy) + match(xy[, j], xy[, j])
    id <- match(pair, pair)
  }
  id
}

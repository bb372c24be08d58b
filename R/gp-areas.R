# Kriging of averages over areas, blocks and polygons. An average is a sum over points with weights, the points of
# all areas in one table: `xy`, `weight`, and `ends`, how many points there are up to the end of each area, from 0.
# Mean and variance are those of this sum, so that a variance is never negative; the points are refined until both
# have settled.

# Differences of two rules in standard errors. The finer rule, which is kept, has an error below its difference from
# the coarse one, as the errors of both fall with a power of the number of points that is 2 or more.
area_tolerance <- 0.005

# Means and standard errors of averages. Only areas that have not settled are refined further. A standard error
# below a thousandth of the standard deviation of the process is taken for that.
area_predictions <- function(p, average, new) {
  least <- 1e-3 * sqrt(min(p$process$variance(p, p$xy)))
  value <- matrix(0, nrow(new$xy), 2L)
  open <- seq_len(nrow(value))
  last <- last_level(p, new)
  for (level in 0:last) {
    size <- area_size(new, level)
    together <- max(min(2^20 / size, 2^22 / nrow(p$xy)), 1) # areas, which bounds the memory
    settled <- logical(length(open))
    for (k in chunks(length(open), together)) {
      some <- some_places(new, open[k])
      rules <- lapply(c(coarse = TRUE, fine = FALSE), area_rule, p = p, new = some, level = level)
      found <- average(some, rules)
      value[open[k], ] <- found$fine
      unit <- area_tolerance * pmax(found$fine[, 2L], least)
      apart <- abs(found$fine - found$coarse)
      settled[k] <- apart[, 1L] <= unit & apart[, 2L] <= unit &
        abs(rules$fine$own - rules$coarse$own) <= 2 * unit * found$fine[, 2L]
    }
    open <- open[!settled]
    if (!length(open)) break
  }
  if (length(open))
    warn(sprintf(
      "%s very large against the range: errors of averages over %.0f points may be above 1 %% of the standard error",
      if (length(open) == 1L) "1 area is" else sprintf("%d areas are", length(open)), size))
  list(mean = value[, 1L], sd = value[, 2L])
}

exact_averages <- function(object, p, data) {
  krige <- gp_solved(p, data)
  function(new, rules) lapply(rules, function(rule) {
    cross <- area_cross(p, rule)
    mean <- mean_at(object, new) + drop(crossprod(cross, cbind(object$kriging)))
    cbind(mean, sqrt(variance_left(krige, rule$own, cross, new$X)), deparse.level = 0L)
  })
}

vecchia_averages <- function(object) function(new, rules)
  lapply(vecchia_local(object, new, TRUE, rules = rules), function(found)
    cbind(found$mean, sqrt(found$variance + found$taken), deparse.level = 0L))

# As vecchia_kriging(), of averages by each of the rules. The neighbours are those of the points of the first one,
# for rules to differ by nothing but their points.
vecchia_areas <- function(p, m, columns, new, rules) {
  first <- area_points(p, new, 0L, FALSE)
  near <- nearest_observations(p, first$xy, m)
  rows <- vapply(seq_len(nrow(new$xy)), function(i) {
    at <- sort(unique(as.vector(near[, area_rows(first, i)])))
    some <- p
    some$xy <- p$xy[at, , drop = FALSE]
    some$diagonal <- rep_len(p$diagonal, nrow(p$xy))[at]
    krige <- gp_solved(some, list(y = columns[at, , drop = FALSE]))
    vapply(rules, function(rule) {
      cross <- area_cross(some, rule, i)
      c(variance_left(krige, rule$own[i], cross), drop(crossprod(cross, krige$weights)))
    }, numeric(1L + ncol(columns)))
  }, matrix(0, 1L + ncol(columns), length(rules)))
  lapply(stats::setNames(seq_along(rules), names(rules)), function(k)
    list(variance = rows[1L, k, ], mean = t(matrix(rows[-1L, k, ], ncol(columns)))))
}

# Covariances of the observations (rows) with averages.
area_cross <- function(p, areas, which = seq_len(length(areas$ends) - 1L)) {
  value <- vapply(which, function(i) {
    at <- area_rows(areas, i)
    as.vector(covariance_sums(p, p$xy, areas$xy[at, , drop = FALSE], cbind(areas$weight[at])))
  }, numeric(nrow(p$xy)))
  matrix(value, nrow(p$xy))
}

area_rows <- function(areas, i) seq_len(areas$ends[i + 1L] - areas$ends[i]) + areas$ends[i]

area_means <- function(values, areas) {
  size <- diff(areas$ends)
  sums <- matrix(0, length(size), ncol(values))
  if (length(areas$weight))
    sums[size > 0, ] <- rowsum(values * areas$weight, rep(seq_along(size), size), reorder = FALSE)
  sums
}

bind_areas <- function(parts) {
  size <- vapply(parts, function(a) length(a$weight), 0L)
  list(xy = do.call(rbind, c(list(matrix(0, 0L, 2L)), lapply(parts, `[[`, "xy"))),
       weight = as.double(unlist(lapply(parts, `[[`, "weight"))), ends = cumsum(c(0, size)))
}

# ---- rules ----

# The points of areas, and `own`, the variances of the sums. A step of the level halves the distances of points.
area_rule <- function(p, new, level, coarse) {
  rule <- area_points(p, new, level, coarse)
  rule$own <- area_variances(p, new, rule, level, coarse)
  rule
}

area_points <- function(p, new, level, coarse) {
  if (!is.null(new$areas$sides)) return(block_points(p, new$xy, new$areas$sides, level, coarse))
  areas <- bind_areas(lapply(new$areas$polygons, function(polygon)
    if (level == 0L && !coarse) polygon$first else polygon_points(polygon$shape, polygon_cells(level, coarse))))
  time <- new$xy[rep(seq_len(nrow(new$xy)), diff(areas$ends)), -(1:2), drop = FALSE]
  areas$xy <- cbind(areas$xy, time)
  areas
}

# Blocks in a plane are alike, those on a sphere at one latitude, those of two variables for each of them.
area_variances <- function(p, new, rule, level, coarse) {
  n <- nrow(new$xy)
  block <- !is.null(new$areas$sides)
  if (block && is_plane(p)) return(rep(block_variance(p, new$areas$sides, level, coarse), n))
  key <- if (block && !is_local(p$model)) new$xy[, if (p$process$labels) ncol(new$xy) else 2L] else seq_len(n)
  first <- which(!duplicated(key))
  vapply(first, function(i) {
    at <- area_rows(rule, i)
    w <- cbind(rule$weight[at])
    sum(w * covariance_sums(p, rule$xy[at, , drop = FALSE], rule$xy[at, , drop = FALSE], w))
  }, 0)[match(key, key[first])]
}

# Are covariances functions of the difference of two points?
is_plane <- function(p) p$metric$kind == "euclidean" && !p$process$labels

# What an average has of points, and the last level: 65536 points where a variance is a sum over differences, else
# 16384, as it is then one over all pairs.
area_size <- function(new, level)
  if (is.null(new$areas$sides)) polygon_cells(level, FALSE) else (4 * 2^level)^sum(new$areas$sides > 0)

last_level <- function(p, new) {
  most <- if (!is.null(new$areas$sides) && is_plane(p)) 2^16 else 2^14
  max(which(vapply(0:12, function(level) area_size(new, level) <= most, NA)), 1) - 1
}

# ---- blocks ----

# A side for each coordinate; that of the number of a variable has none.
block_sides <- function(object, block) {
  check_numbers("block", block, "not negative")
  d <- ncol(object$x)
  own <- d - process_of(object$cov)$labels
  if (!length(block) %in% c(1L, own))
    raise_engine_error("input", sprintf("block has length %d: the locations have %d coordinates", length(block), own))
  c(rep_len(as.double(block), own), numeric(d - own))
}

# The rule of Gauss and Legendre with 4 points, or 3, from -1/2 to 1/2, for each of 2^level cells of a side.
side_rule <- function(side, level, coarse) {
  if (side == 0) return(list(at = 0, weight = 1, cells = 1)) # nothing to average
  r <- sqrt(6 / 5) * 2 / 7
  node <- if (coarse) sqrt(3 / 5) * -1:1 else sqrt(3 / 7 + c(r, -r, -r, r)) * c(-1, -1, 1, 1)
  weight <- if (coarse) c(5, 8, 5) / 18 else (18 + c(-1, 1, 1, -1) * sqrt(30)) / 72
  list(at = node / 2, weight = weight, cells = 2^level)
}

# All combinations of the points along the sides.
product_rule <- function(sides) {
  at <- as.matrix(expand.grid(lapply(sides, function(s) seq_along(s$at))))
  weight <- 1
  xy <- matrix(0, nrow(at), length(sides))
  for (j in seq_along(sides)) {
    xy[, j] <- sides[[j]]$at[at[, j]]
    weight <- weight * sides[[j]]$weight[at[, j]]
  }
  list(xy = xy, weight = weight)
}

# On a sphere the area of a degree of longitude is as the cosine of latitude.
block_points <- function(p, xy, sides, level, coarse) {
  rule <- product_rule(lapply(sides, function(side) {
    s <- side_rule(side, level, coarse)
    cell <- seq_len(s$cells) - (s$cells + 1) / 2
    list(at = as.vector(outer(s$at, cell, `+`)) * side / s$cells, weight = rep(s$weight / s$cells, s$cells))
  }))
  k <- length(rule$weight)
  n <- nrow(xy)
  points <- vapply(seq_len(ncol(xy)), function(j) as.vector(outer(rule$xy[, j], xy[, j], `+`)), numeric(n * k))
  areas <- list(xy = matrix(points, n * k), weight = rep(rule$weight, n), ends = k * 0:n)
  if (p$metric$kind == "euclidean") return(areas)
  areas$weight <- areas$weight * cospi(areas$xy[, 2L] / 180)
  areas$weight <- areas$weight / rep(colSums(matrix(areas$weight, k)), each = k)
  areas
}

# The variance of the average of a block: a sum over the differences of its points, which are those of the points of
# a cell and of cells.
block_variance <- function(p, sides, level, coarse) {
  rule <- product_rule(lapply(sides, function(side) {
    s <- side_rule(side, level, coarse)
    apart <- round(as.vector(outer(s$at, s$at, `-`)), 14L) # some are equal but for rounding
    own <- rowsum(as.vector(outer(s$weight, s$weight)), apart, reorder = FALSE)
    cell <- seq_len(2 * s$cells - 1) - s$cells
    list(at = as.vector(outer(unique(apart), cell, `+`)) * side / s$cells,
         weight = as.vector(outer(drop(own), (s$cells - abs(cell)) / s$cells^2)))
  }))
  drop(covariance_sums(p, matrix(0, 1L, length(sides)), rule$xy, cbind(rule$weight)))
}

# ---- polygons ----

# Cells of a square grid in each polygon, about so many, and about 3/4 as many along a side.
polygon_cells <- function(level, coarse) 150 * 4^level * if (coarse) 9 / 16 else 1

polygon_areas <- function(geometry) {
  plain <- sf::st_set_crs(sf::st_zm(geometry), NA)
  degrees <- isTRUE(sf::st_is_longlat(geometry))
  lapply(seq_along(plain), function(i) {
    shape <- list(parts = sf::st_cast(sf::st_make_valid(plain[i]), "POLYGON"), degrees = degrees)
    list(shape = shape, first = polygon_points(shape, polygon_cells(0L, FALSE)))
  })
}

# Centres of the cells, of what is of them within the polygon at its border, weighted by their areas: the sum is the
# integral of a function that is linear in each cell. All is done in plane coordinates.
polygon_points <- function(shape, cells) {
  found <- lapply(seq_along(shape$parts), function(i) {
    part <- shape$parts[i]
    box <- sf::st_bbox(part)
    wide <- c(box[["xmax"]] - box[["xmin"]], box[["ymax"]] - box[["ymin"]])
    count <- pmin(pmax(ceiling(wide / sqrt(sum(sf::st_area(shape$parts)) / cells)), 1), 300)
    pieces <- sf::st_intersection(sf::st_make_grid(part, n = count), part)
    list(xy = unname(sf::st_coordinates(suppressWarnings(sf::st_centroid(pieces)))), weight = sf::st_area(pieces))
  })
  areas <- bind_areas(found)
  kept <- areas$weight > 0
  xy <- areas$xy[kept, , drop = FALSE]
  weight <- areas$weight[kept]
  if (!length(weight) && length(shape$parts)) {
    xy <- unname(sf::st_coordinates(sf::st_point_on_surface(shape$parts[1L])))
    weight <- 1
  }
  if (shape$degrees) weight <- weight * cospi(xy[, 2L] / 180)
  list(xy = xy, weight = weight / sum(weight))
}

# Methods of fields and their recipes.

#' @export
predict.rfRecipe <- function(object, newpoints, ...) {
  refuse_extra("predict", ...)
  need(newpoints = missing(newpoints))
  places <- places_of(newpoints, "newpoints")
  check_places(object, places)
  field_of(object, places)
}

#' @export
predict.rfield <- function(object, newpoints, ...) predict(attr(object, "recipe"), newpoints, ...)

# New points must be in the space of the recipe, in the domain of its tables, and on its mesh.
check_places <- function(recipe, places) {
  space <- recipe$space
  if (places_dim(places) != space$columns)
    raise_engine_error("input", sprintf("the points of newpoints have dimension %d, the field has %d",
                                        places_dim(places), space$columns))
  if (!is.null(places$crs) && !is.null(space$crs) && places$crs != space$crs)
    input_error("newpoints", places$crs$input, "must have the coordinate reference system of the field")
  if (recipe$method == "fft" && !identical(places$grid, recipe$grid))
    raise_engine_error("input", paste("a field by method = \"fft\" is known on its own mesh only:",
                                      "method = \"spectral\" has values everywhere"))
  if (recipe$method == "table" && is.null(space$sphere) && places$n > 0) check_domain(recipe$table$box, places)
}

check_domain <- function(box, places) {
  asked <- places_box(places)
  slack <- 1e-9 * (box[2L, ] - box[1L, ])
  out <- which(asked[1L, ] < box[1L, ] - slack | asked[2L, ] > box[2L, ] + slack)
  if (length(out))
    raise_engine_error("input", sprintf(paste(
      "coordinate %d of newpoints goes from %s to %s, beyond the tables of the field, from %s to %s: make it with a",
      "larger extent, or by method = \"spectral\", which has values everywhere"), out[1L],
      format(asked[1L, out[1L]]), format(asked[2L, out[1L]]), format(box[1L, out[1L]]), format(box[2L, out[1L]])))
}

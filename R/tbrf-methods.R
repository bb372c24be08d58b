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

# New points must be in the space of the recipe.
check_places <- function(recipe, places) {
  space <- recipe$space
  if (places_dim(places) != space$columns)
    raise_engine_error("input", sprintf("the points of newpoints have dimension %d, the field has %d", places_dim(places),
                                        space$columns))
  if (!is.null(places$crs) && !is.null(space$crs) && places$crs != space$crs)
    input_error("newpoints", places$crs$input, "must have the coordinate reference system of the field")
}

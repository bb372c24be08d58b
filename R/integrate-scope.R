# What names of an integrand's code stand for: values, frames, promises, and what is looked up outside of the code.

# ---- values: an integer vector of nodes, or a list of a kind that has no number ------------------------------------

integrand_value <- function(kind, ...) list(kind = kind, ...)
is_nodes <- function(v) is.integer(v)
is_kind <- function(values, kind) vapply(values, function(v) is.list(v) && v$kind == kind, NA)

integrand_null <- list(kind = "null")
integrand_returned <- list(kind = "returned")
integrand_void <- function(why) list(kind = "void", why = why)

# The nodes of a value that must be numbers; e is what has it.
as_nodes <- function(v, e) {
  if (is.integer(v)) return(v)
  integrand_refuse(e, switch(v$kind,
    null = "a part of it is NULL, and numbers are needed",
    string = "a part of it is a character string, and numbers are needed",
    `function` = paste("a part of it is a function that is not called, and numbers are needed: is there no",
                       "number, or column of params, of that name?"),
    returned = "return() is translated as a statement, not within an expression",
    complex = "it is complex, and real numbers are needed: take Re(), Im(), Mod() or Arg()",
    series = sprintf("it needs the %d elements of %s one by one", v$n, v$name),
    missing = sprintf("argument \"%s\" is missing, with no default", v$name),
    object = return(refuse_variable(v$value, v$name, "")),
    void = v$why))
}

# A number or flag that decides what is written: literal or captured, not dependent on x or params.
known_number <- function(tr, v, e, what) {
  v <- as_nodes(v, e)
  if (length(v) != 1L) integrand_refuse(e, what, " must have length 1")
  known <- deciding_value(tr, v)
  if (is.null(known))
    integrand_refuse(e, what, " must be a constant: it may depend neither on the variable nor on params")
  known
}

# A known value that decides what is written; NULL of others.
deciding_value <- function(tr, id) {
  if (level_of(tr, id) == 1L) tr$structural <- TRUE
  known_value(tr, id)
}

known_numbers <- function(tr, v, e, what)
  vapply(unname(as_nodes(v, e)), function(id) known_number(tr, id, e, what), 0)

# ---- frames --------------------------------------------------------------------------------------------------------

# A root stands for an environment of R, a frame for a call of a function that is written out. The root of the
# integrand itself also has the variable, the constants of `...` and the columns of params, which other functions of
# the same environment do not see.
integrand_root <- function(tr, env, top = FALSE) {
  if (!top) for (root in tr$roots) if (identical(root$env, env)) return(root)
  root <- list2env(list(env = env, top = top, trusted = FALSE, functions = new.env(parent = emptyenv()),
                        captured = new.env(parent = emptyenv())), parent = emptyenv())
  if (!top) tr$roots <- c(tr$roots, root)
  root
}

integrand_frame <- function(root, parent = NULL, depth = 0L)
  list2env(list(vars = new.env(parent = emptyenv()), root = root, parent = parent, depth = depth, sealed = 0L,
                pending = list()), parent = emptyenv())

integrand_promise <- function(e, frame)
  list2env(list(e = e, frame = frame, running = FALSE), parent = emptyenv())

# A promise keeps the value it has when it is first needed. If that is in a branch, it is known there, and evaluated
# again where it is needed elsewhere: to the same value, or which one counts depends on the point.
force_promise <- function(tr, promise) {
  for (known in promise$known) if (known$branch %in% tr$branch) return(known$value)
  if (promise$running) integrand_refuse(promise$e, "it refers to itself")
  promise$running <- TRUE
  promise$frame$sealed <- promise$frame$sealed + 1L
  value <- integrand_eval(tr, promise$e, promise$frame)
  promise$frame$sealed <- promise$frame$sealed - 1L
  promise$running <- FALSE
  for (known in promise$known) if (!identical(known$value, value))
    integrand_refuse(promise$e, "it is first needed in a branch of if(), and again after an assignment")
  promise$known <- c(list(list(branch = tr$branch[length(tr$branch)], value = value)), promise$known)
  value
}

# ---- looking up ----------------------------------------------------------------------------------------------------

integrand_variable <- function(tr, e, frame) {
  name <- as.character(e)
  if (!nzchar(name)) raise_translation_error("cannot translate a call with an empty argument")
  f <- frame
  while (!is.null(f)) {
    v <- f$vars[[name]]
    if (!is.null(v)) return(if (is.environment(v)) force_promise(tr, v) else v)
    f <- f$parent
  }
  root <- frame$root
  v <- root$captured[[name]]
  if (is.null(v)) root$captured[[name]] <- v <- captured_variable(tr, name, root)
  v
}

captured_variable <- function(tr, name, root) {
  if (root$trusted) return(literal(tr, integrand_definitions$shared[[name]]))
  if (root$top && name == tr$variable) return(tr$nodes$x)
  found <- variable_source(tr, name, root)
  if (is.null(found)) raise_translation_error(sprintf("there is no %s", sQuote(name, FALSE)))
  if (found$kind == "column") {
    note_lookup(tr, found$kind, root, name, found$value)
    return(column_value(tr, name))
  }
  id <- captured_value(tr, found$value, name, literal = is_of_base(name, found$value))
  note_lookup(tr, found$kind, root, name, found$value, id)
  id
}

# Where a name outside of the code has its value: constants of `...`, columns of params, then the environment.
variable_source <- function(tr, name, root) {
  if (root$top) {
    tr$asked <- c(tr$asked, name)
    v <- tr$dots[[name, exact = TRUE]]
    if (!is.null(v)) return(list(kind = "constant", value = v))
    if (name %in% tr$columns) return(list(kind = "column", value = column_of(tr$params, name)))
  }
  v <- get0(name, envir = root$env, inherits = TRUE)
  if (!is.null(v)) list(kind = "variable", value = v)
}

column_of <- function(params, name) if (is.list(params)) params[[name]] else params[, name]

is_of_base <- function(name, v) {
  base <- get0(name, envir = baseenv(), inherits = FALSE)
  !is.null(base) && identical(v, base)
}

# Numbers of the user's frames: nodes of their own, so that other values give the same program.
# What else there is, matrices and lists, is an object: see nodes_of_object() for matrices; R computes with the rest.
captured_value <- function(tr, v, name, literal = FALSE) {
  if (is.null(v)) return(integrand_null)
  if (is.function(v)) return(integrand_value("function", closure = v, name = name))
  if (is.character(v) && length(v) == 1L && !is.object(v)) {
    tr$structural <- TRUE
    return(integrand_value("string", text = v))
  }
  if (is.complex(v) && length(dim(v)) <= 1L && !is.object(v))
    return(complex_value(captured_value(tr, Re(v), name, literal), captured_value(tr, Im(v), name, literal)))
  if (!is_vector_of_numbers(v)) return(integrand_value("object", value = v, name = name))
  is_condition <- is.logical(v)
  if (length(v) > tr$written && !anyNA(v)) {
    tr$in_loops <- c(tr$in_loops, length(v))
    return(integrand_value("series", id = data_node(tr, v), n = length(v), value = v, name = name))
  }
  numbers <- as.double(v)
  id <- vapply(numbers, function(v) if (literal) literal(tr, v, is_condition) else captured(tr, v, is_condition), 0L)
  if (!literal) for (i in which(is.na(numbers)))
    note_missing(tr, id[i], sprintf("%s%s is %s: the integrand needs a number", name,
                                    if (length(v) > 1L) sprintf("[%d]", i) else "",
                                    if (is.nan(v[[i]])) "NaN" else "NA"))
  names(id) <- names(v)
  id
}

is_vector_of_numbers <- function(v)
  (is.numeric(v) || is.logical(v)) && !is.object(v) && length(v) <= 1e8 &&
    (length(dim(v)) <= 1L || length(v) == 1L)

refuse_variable <- function(v, name, what) {
  if (!(is.numeric(v) || is.logical(v)) || is.object(v)) raise_translation_error(sprintf(
    "%s%s is of class %s: the integrand takes numbers and logicals", what, name, sQuote(class(v)[1L], FALSE)))
  if (!nzchar(what) && !is_vector_of_numbers(v)) raise_translation_error(sprintf("%s is a matrix", name))
}

column_value <- function(tr, name) {
  v <- column_of(tr$params, name)
  refuse_variable(v, name, "column ")
  if (length(dim(v)) > 2L)
    raise_translation_error(sprintf("column %s of params has more than two dimensions", name))
  k <- if (is.matrix(v)) ncol(v) else 1L
  if (k > integrand_limits[["vector"]])
    raise_translation_error(sprintf("column %s of params has %d columns, the integrand takes at most %.0f", name,
                                        k, integrand_limits[["vector"]]))
  id <- vapply(seq_len(k), function(j) column_node(tr, name, j, is.logical(v)), 0L)
  if (is.matrix(v)) names(id) <- colnames(v)
  id
}

# Evaluation of an integrand's code: calls of functions that are known, and of those that are written out. R's own
# recursion walks the code; where it is nested too deeply for that, R evaluates the integrand.

integrand_eval <- function(tr, e, frame) {
  tr$steps <- tr$steps + 1
  if (tr$steps > integrand_limits[["steps"]])
    raise_translation_error("the integrand takes too many steps to translate: loops and calls are written out")
  if (is.call(e)) {
    head <- e[[1L]]
    if (is.symbol(head)) return(call_by_name(tr, e, frame, as.character(head)))
    f <- if (is.function(head)) integrand_value("function", closure = head) else integrand_eval(tr, head, frame)
    if (is_nodes(f) || f$kind != "function") integrand_refuse(e, "what is called is no function")
    return(call_function(tr, e, frame, f))
  }
  if (is.symbol(e)) return(integrand_variable(tr, e, frame))
  if (is.environment(e)) return(force_promise(tr, e))
  if ((is.numeric(e) || is.logical(e)) && !is.object(e)) {
    id <- vapply(as.vector(e), literal, 0L, tr = tr, is_condition = is.logical(e), USE.NAMES = FALSE)
    names(id) <- names(e)
    return(id)
  }
  if (is.complex(e)) return(complex_value(literals(tr, Re(e)), literals(tr, Im(e))))
  if (is.null(e)) return(integrand_null)
  if (is.character(e) && length(e) == 1L) return(integrand_value("string", text = e))
  if (is.function(e)) return(integrand_value("function", closure = e))
  integrand_refuse(e, sprintf("it is of class %s, and numbers are needed", sQuote(class(e)[1L], FALSE)))
}

# The function of a name, as R finds it: the nearest that is a function.
call_by_name <- function(tr, e, frame, name) {
  f <- frame
  while (!is.null(f)) {
    v <- f$vars[[name]]
    if (is.environment(v)) v <- force_promise(tr, v) # needed now, to see whether it is a function
    if (is.list(v) && v$kind == "function") return(call_function(tr, e, frame, v))
    if (is.list(v) && v$kind == "void") integrand_refuse(e, v$why)
    f <- f$parent
  }
  root <- frame$root
  entry <- root$functions[[name]]
  if (is.null(entry)) root$functions[[name]] <- entry <- named_function(tr, e, name, root)
  entry$run(tr, e, frame, entry)
}

named_function <- function(tr, e, name, root) {
  f <- if (root$trusted) integrand_table()$trusted[[name]] else function_source(tr, name, root)
  if (is.null(f)) integrand_refuse(e, sprintf("there is no function %s()", name))
  if (root$trusted) return(f)
  note_lookup(tr, "function", root, name, f)
  function_entry(f, name)
}

function_source <- function(tr, name, root) {
  f <- if (root$top) tr$dots[[name, exact = TRUE]]
  if (is.function(f)) tr$asked <- c(tr$asked, name)
  if (is.function(f)) f else get0(name, envir = root$env, mode = "function", inherits = TRUE)
}

# How a function is translated: by its identity, or by writing out its body.
function_entry <- function(f, name = "") {
  f <- without_vectorize(f)
  table <- integrand_table()
  entry <- if (nzchar(name)) table$by_name[[name]]
  if (!is.null(entry) && identical(entry$object, f)) return(entry)
  if (!is_written_out(f)) {
    for (entry in table$by_name) if (identical(entry$object, f)) return(entry)
    entry <- table_entry(f)
    return(if (is.null(entry)) list(run = refuse_call) else entry)
  }
  list(run = run_closure, value = integrand_value("function", closure = f, name = name))
}

# Vectorize(g) is g for a single number.
without_vectorize <- function(f) {
  while (is.function(f) && !is.primitive(f)) {
    env <- environment(f)
    g <- if (is.environment(env)) get0("FUN", envir = env, mode = "function", inherits = FALSE)
    if (is.null(g) || !exists("vectorize.args", envir = env, inherits = FALSE)) break
    if (is.null(integrand_memory$vectorized)) integrand_memory$vectorized <- body(Vectorize(function(a) a))
    if (!identical(body(f), integrand_memory$vectorized, ignore.srcref = TRUE)) break
    f <- g
  }
  f
}

# Packages whose functions are translated by name only: their bodies call compiled code.
is_own_namespace <- function(env)
  isNamespace(env) && getNamespaceName(env) %in%
    c("base", "stats", "utils", "methods", "graphics", "grDevices", "tools", "statcl")

refuse_call <- function(tr, e, frame, entry)
  integrand_refuse(e, if (is.symbol(e[[1L]])) paste0(e[[1L]], "()") else "it", " is not among the functions that ",
                   "integrategpu() translates, see ?integrand",
                   if (!is.null(entry$by_r)) "; only what does not depend on the variable or params is computed by R")

call_function <- function(tr, e, frame, f) {
  if (!is.null(f$closure)) {
    entry <- function_entry(f$closure, if (is.null(f$name)) "" else f$name)
    return(entry$run(tr, e, frame, entry))
  }
  write_out(tr, e, frame, f$matcher, f$body, f$root, f$frame)
}

run_closure <- function(tr, e, frame, entry) {
  f <- entry$value$closure
  root <- if (identical(f, tr$top$f)) tr$top$root else integrand_root(tr, environment(f))
  write_out(tr, e, frame, f, body(f), root, NULL)
}

is_written_out <- function(f)
  !is.primitive(f) && !is_own_namespace(environment(f)) && is.null(table_entry(f))

# ---- calls of functions that are written out -----------------------------------------------------------------------

# The arguments of a call, with those of `...` in its place: list of expressions or promises, named where named.
call_arguments <- function(tr, e, frame) {
  arguments <- as.list(e)[-1L]
  dotted <- logical(length(arguments))
  for (i in seq_along(arguments)) dotted[i] <- identical(arguments[[i]], quote(...))
  if (!any(dotted)) return(arguments)
  f <- frame
  while (!is.null(f) && is.null(f$dots)) f <- f$parent
  dots <- if (is.null(f)) {
    if (!frame$root$top) integrand_refuse(e, "there is no `...` here")
    sapply(names(tr$dots), as.name, simplify = FALSE)
  } else f$dots
  out <- list()
  for (i in seq_along(arguments)) out <- c(out, if (dotted[i]) dots else arguments[i])
  out
}

# Which argument each formal has: R's own matching, of numbers in their stead.
match_arguments <- function(matcher, arguments, e) {
  formal <- names(formals(matcher))
  if (is.null(names(arguments)) && length(arguments) <= length(formal) && !"..." %in% formal)
    return(list(place = structure(seq_along(arguments), names = formal[seq_along(arguments)]), dots = list()))
  numbers <- structure(as.list(seq_along(arguments)), names = names(arguments))
  matched <- tryCatch(as.list(match.call(matcher, as.call(c(list(quote(f)), numbers)), expand.dots = FALSE))[-1L],
                      error = function(problem) integrand_refuse(e, conditionMessage(problem)))
  dots <- matched[["..."]]
  matched[["..."]] <- NULL
  list(place = unlist(matched), dots = if (length(dots)) structure(unlist(dots), names = names(dots)))
}

# Arguments that were evaluated come as values.
write_out <- function(tr, e, caller, matcher, body, root, parent, arguments = NULL) {
  depth <- caller$depth + 1L
  if (depth > integrand_limits[["depth"]])
    integrand_refuse(e, sprintf("calls are nested more than %.0f deep", integrand_limits[["depth"]]))
  frame <- integrand_frame(root, parent, depth)
  evaluated <- !is.null(arguments)
  if (!evaluated) arguments <- call_arguments(tr, e, caller)
  matched <- match_arguments(matcher, arguments, e)
  formal <- as.list(formals(matcher))
  frame$formal <- names(formal)
  frame$defaults <- formal
  frame$call <- e
  for (name in names(formal)) {
    if (name == "...") {
      frame$dots <- lapply(arguments[matched$dots], function(a)
        if (is.environment(a)) a else integrand_promise(a, caller))
      names(frame$dots) <- names(matched$dots)
      next
    }
    i <- match(name, names(matched$place))
    given <- if (is.na(i)) formal[name] else arguments[matched$place[[i]]]
    if (!is.na(i) && identical(given[[1L]], quote(expr = ))) { # f(x, ) leaves an argument to its default
      i <- NA
      given <- formal[name]
    }
    frame$vars[[name]] <- if (identical(given[[1L]], quote(expr = ))) integrand_value("missing", name = name)
                          else if (is.environment(given[[1L]]) || evaluated && !is.na(i)) given[[1L]]
                          else integrand_promise(given[[1L]], if (is.na(i)) frame else caller)
  }
  path <- tr$branch
  value <- integrand_eval(tr, body, frame)
  tr$branch <- path
  leave_function(tr, frame, value)
}

# The value of a function is that of its last statement, or where a condition was met earlier that of the return().
leave_function <- function(tr, frame, value) {
  pending <- frame$pending
  n <- length(pending)
  if (n && identical(value, integrand_returned)) {
    value <- pending[[n]]$value
    n <- n - 1L
  }
  for (p in rev(pending[seq_len(n)]))
    value <- either_value(tr, p$condition, p$value, value, "return() here and the end of the function")
  value
}

# ---- functions of values -------------------------------------------------------------------------------------------

# All arguments are evaluated, then entry$make(tr, values, e, entry) gives the value; their names are the list's.
# Functions of vectors take NULL and strings in places; the rest numbers only.
run_values <- function(tr, e, frame, entry) {
  arguments <- call_arguments(tr, e, frame)
  values <- vector("list", length(arguments))
  for (i in seq_along(arguments)) {
    empty <- identical(arguments[[i]], quote(expr = ))
    if (empty && !"missing" %in% entry$takes) integrand_refuse(e, "an argument is empty")
    values[[i]] <- if (empty) integrand_value("missing", name = "") else integrand_eval(tr, arguments[[i]], frame)
  }
  names(values) <- names(arguments)
  value_of_call(tr, values, e, entry)
}

value_of_call <- function(tr, values, e, entry) {
  has_object <- any(is_kind(values, "object"))
  known <- if (has_object && isTRUE(entry$of_objects)) arguments_of_r(tr, values)
  if (!is.null(known)) return(value_by_r(tr, e, entry$object, known))
  if (has_object && (isTRUE(entry$of_objects) || !"object" %in% entry$takes))
    values <- lapply(values, nodes_of_object, tr = tr)
  for (v in values) if (is.list(v) && !v$kind %in% entry$takes) {
    if (any(vapply(values, is_complex_value, NA))) return(value_of_complex(tr, values, e, entry))
    if (v$kind == "series") return(value_of_series(tr, values, e, entry))
    if (v$kind == "object" && isTRUE(entry$of_objects)) integrand_refuse(e, paste(
      "of what is no vector of numbers it must be constant: it may depend neither on the variable nor on params"))
    as_nodes(v, e)
  }
  entry$make(tr, values, e, entry)
}

# An operation on vectors of data, by R, or by the engine with one of them in the place of x; NULL if that fails.
elements_of_op <- function(op, arguments) {
  n <- max(lengths(arguments))
  f <- switch(op, select = function(test, a, b) ifelse(rep_len(test != 0, n), rep_len(a, n), rep_len(b, n)),
              min = pmin, max = pmax, log1pexp = NULL, integrand_fold[[op]])
  if (!is.null(f)) return(do.call(f, arguments))
  long <- which(lengths(arguments) > 1L)
  ops <- integrand_ops()
  at <- ops$number[[op]]
  if (length(long) != 1L || ops$library[at + 1L]) return(NULL)
  places <- seq_along(arguments)
  places[long] <- 0L
  places[-long] <- seq_along(places[-long])
  .Call(C_integrandValues, list(code = matrix(c(at, places, rep(-1L, 6L - length(places))), 7L), n_param = 0L,
                                constants = as.double(unlist(arguments[-long])), outputs = length(places)),
        NULL, as.double(arguments[[long]]))[, 1L]
}

# Is a product of vectors of data a number? With a matrix of one row or column it may be a large matrix.
is_inner_product <- function(values, entry) {
  a <- values[[1L]]$dim
  b <- values[[length(values)]]$dim
  if (entry$name == "crossprod") a <- rev(a)
  (is.null(a) || a[1L] == 1L) && (is.null(b) || b[2L] == 1L)
}

# Of vectors of data: R computes what depends on nothing else, functions of numbers are for each element, and sums
# and the like are loops over them.
value_of_series <- function(tr, values, e, entry) {
  known <- arguments_of_r(tr, values)
  if (!is.null(known)) {
    if (!is.null(entry$object)) return(value_by_r(tr, e, entry$object, known))
    v <- if (identical(entry$make, make_op)) elements_of_op(entry$op, known)
    if (!is.null(v)) return(integrand_value("series", id = data_node(tr, v), n = length(v), value = v, name = ""))
  }
  is_series <- is_kind(values, "series")
  size <- vapply(values, function(v) if (is.integer(v)) length(v) else if (v$kind == "series") v$n else 0L, 0L)
  n <- max(size)
  if (any(size != n & size != 1L) || any(size == n & !is_series) || isTRUE(entry$library))
    integrand_refuse(e, "it is not for each element of a vector of data")
  id <- lapply(values, function(v) if (is.integer(v)) v else v$id)
  is_made_by <- function(...) any(vapply(list(...), identical, NA, entry$make))
  if (is_made_by(make_element) && !is_series[2L] && !is_condition(tr, id[[2L]])) {
    element <- table_element(tr, values[[1L]], id[[2L]])
    if (!is.null(element)) return(element)
  }
  # what ifelse() gives is as long as its condition
  if (is_made_by(make_ifelse) && !is_series[1L]) integrand_refuse(e, "it is an element of a vector of data")
  if (is_made_by(make_op, make_sum_sign, make_condition, make_power, make_log, make_round, make_same, make_ifelse,
                 make_elementwise_fold, make_table)) {
    bare <- is_made_by(make_same) && entry$bare && entry$name != "unname"
    return(integrand_value("series", id = unname(entry$make(tr, id, e, entry)), n = n, name = integrand_shown(e),
                           dim = if (!bare) Find(length, lapply(values, function(v) if (is.list(v)) v$dim))))
  }
  sum_of_series(tr, values, id, n, e, entry)
}

# A loop over n elements of data that gives a number.
sum_of_series <- function(tr, values, id, n, e, entry) {
  make <- entry$make
  sum_up <- function(op, id) over_data(tr, op, unname(id))
  if (identical(make, make_product) && length(id) <= 2L && all(is_kind(values, "series")) &&
      is_inner_product(values, entry))
    return(sum_up("add", recycled(tr, "mul", id[[1L]], id[[length(id)]])))
  if (length(id) != 1L || !is.null(names(id))) integrand_refuse(e, "it is not for a vector of data")
  of_row <- identical(values[[1L]]$dim[1L], 1L)
  if (identical(make, make_length)) literal(tr, n)
  else if (identical(make, make_mean) || of_row && identical(entry$name, "rowMeans"))
    operation(tr, "div", sum_up("add", id[[1L]]), literal(tr, n))
  else if (of_row && identical(entry$name, "rowSums")) sum_up("add", id[[1L]])
  else if (identical(make, make_fold)) sum_up(entry$op, id[[1L]])
  else integrand_refuse(e, "it is not for a vector of data")
}

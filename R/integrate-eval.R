# Evaluation of an integrand's code with a stack of its own, and calls of the functions that are written out.

# ---- the stack -----------------------------------------------------------------------------------------------------

# A task is list(function, first, second, third), run as function(tr, first, second, third). It gives one value, or
# leaves further tasks that will.
#
# Both stacks are lists of the top and the rest: to assign an element of a list R looks through what is assigned,
# which for a deep call takes long and recurses.
integrand_stack <- function() {
  tasks <- values <- NULL
  push <- function(...) tasks <<- list(list(...), tasks)
  give <- function(v) values <<- list(v, values)
  take <- function() {
    v <- values[[1L]]
    values <<- values[[2L]]
    v
  }
  take_all <- function(n) {
    all <- vector("list", n)
    for (i in n + 1L - seq_len(n)) {
      all[[i]] <- values[[1L]]
      values <<- values[[2L]]
    }
    all
  }
  run <- function(tr) {
    while (!is.null(tasks)) {
      task <- tasks[[1L]]
      tasks <<- tasks[[2L]]
      tr$steps <- tr$steps + 1
      if (tr$steps > integrand_limits[["steps"]])
        raise_translation_error("the integrand takes too many steps to translate: loops and calls are written out")
      switch(length(task), task[[1L]](tr), task[[1L]](tr, task[[2L]]),
             task[[1L]](tr, task[[2L]], task[[3L]]), task[[1L]](tr, task[[2L]], task[[3L]], task[[4L]]))
    }
    take()
  }
  list(push = push, give = give, take = take, take_all = take_all, run = run)
}

# ---- evaluation ----------------------------------------------------------------------------------------------------

integrand_eval <- function(tr, e, frame) {
  if (is.call(e)) {
    head <- e[[1L]]
    if (is.symbol(head)) return(call_by_name(tr, e, frame, as.character(head)))
    if (is.function(head)) return(call_function(tr, e, frame, integrand_value("function", closure = head)))
    tr$stack$push(call_computed, e, frame)
    return(tr$stack$push(integrand_eval, head, frame))
  }
  if (is.symbol(e)) return(integrand_variable(tr, e, frame))
  if (is.environment(e)) return(force_promise(tr, e))
  if ((is.numeric(e) || is.logical(e)) && !is.object(e)) {
    id <- vapply(as.vector(e), tr$nodes$literal, 0L, is.logical(e), USE.NAMES = FALSE)
    names(id) <- names(e)
    return(tr$stack$give(id))
  }
  if (is.null(e)) return(tr$stack$give(integrand_null))
  if (is.character(e) && length(e) == 1L) return(tr$stack$give(integrand_value("string", text = e)))
  if (is.function(e)) return(tr$stack$give(integrand_value("function", closure = e)))
  integrand_refuse(e, sprintf("it is of class %s, and numbers are needed", sQuote(class(e)[1L], FALSE)))
}

call_computed <- function(tr, e, frame) {
  f <- tr$stack$take()
  if (is_nodes(f) || f$kind != "function") integrand_refuse(e, "what is called is no function")
  call_function(tr, e, frame, f)
}

# The function of a name, as R finds it: the nearest that is a function.
call_by_name <- function(tr, e, frame, name) {
  why <- NULL
  f <- frame
  while (!is.null(f)) {
    v <- f$vars[[name]]
    if (!is.null(v) && !is.integer(v)) {
      if (is.environment(v)) {
        if (is.null(v$value)) {
          # needed now, to see whether it is a function
          tr$stack$push(call_again, e, frame)
          return(force_promise(tr, v))
        }
        v <- v$value
      }
      if (!is.integer(v) && v$kind == "function") return(call_function(tr, e, frame, v))
      if (!is.integer(v) && v$kind == "void") why <- v$why
    }
    f <- f$parent
  }
  root <- frame$root
  entry <- root$functions[[name]]
  if (is.null(entry)) {
    if (!is.null(why) && is.null(function_source(tr, name, root))) integrand_refuse(e, why)
    root$functions[[name]] <- entry <- named_function(tr, e, name, root)
  }
  entry$run(tr, e, frame, entry)
}

call_again <- function(tr, e, frame) {
  tr$stack$take()
  call_by_name(tr, e, frame, as.character(e[[1L]]))
}

named_function <- function(tr, e, name, root) {
  if (root$trusted) return(trusted_function(name))
  f <- function_source(tr, name, root)
  if (is.null(f)) integrand_refuse(e, sprintf("there is no function %s()", name))
  note_lookup(tr, "function", root, name, f)
  function_entry(tr, f, name)
}

function_source <- function(tr, name, root) {
  f <- if (root$top) tr$dots[[name, exact = TRUE]]
  if (is.function(f)) tr$asked <- c(tr$asked, name)
  if (is.function(f)) f else get0(name, envir = root$env, mode = "function", inherits = TRUE)
}

# How a function is translated: by its identity, or by writing out its body.
function_entry <- function(tr, f, name = "") {
  f <- without_vectorize(f)
  table <- integrand_table()
  entry <- if (nzchar(name)) table$by_name[[name]]
  if (!is.null(entry) && identical(entry$object, f)) return(entry)
  if (is.primitive(f) || is_own_namespace(environment(f))) {
    for (entry in table$all) if (identical(entry$object, f)) return(entry)
    return(list(run = refuse_call))
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

refuse_call <- function(tr, e, frame, entry) {
  name <- if (is.symbol(e[[1L]])) as.character(e[[1L]])
          else if (is.call(e[[1L]]) && length(e[[1L]]) == 3L && is.symbol(e[[1L]][[3L]])) as.character(e[[1L]][[3L]])
          else ""
  integrand_refuse(e, if (nzchar(name)) paste0(name, "()") else "it",
                   " is not among the functions that integrategpu() translates, see ?integrand",
                   if (!is.null(entry$by_r)) "; only what does not depend on the variable or params is computed by R")
}

call_function <- function(tr, e, frame, f) {
  if (!is.null(f$closure)) {
    entry <- function_entry(tr, f$closure, if (is.null(f$name)) "" else f$name)
    return(entry$run(tr, e, frame, entry))
  }
  write_out(tr, e, frame, f$matcher, f$body, f$root, f$frame)
}

run_closure <- function(tr, e, frame, entry) {
  f <- entry$value$closure
  root <- if (identical(f, tr$top$f)) tr$top$root else integrand_root(tr, environment(f))
  write_out(tr, e, frame, f, body(f), root, NULL)
}

is_written_out <- function(tr, f) identical(function_entry(tr, f)$run, run_closure)

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
  numbers <- as.list(seq_along(arguments))
  names(numbers) <- names(arguments)
  match <- function(arguments) match.call(matcher, as.call(c(list(quote(f)), arguments)), expand.dots = FALSE)
  matched <- tryCatch(as.list(match(numbers))[-1L], error = function(problem) {
    # the message shows arguments: those of the user, and not their numbers
    shown <- lapply(seq_along(arguments), function(i) {
      a <- arguments[[i]]
      if (is.environment(a)) a <- a$e
      else if (is.integer(a) || is.list(a)) a <- if (length(e) == length(arguments) + 1L) e[[i + 1L]]
      label <- names(arguments)[i]
      if (is.null(a) || identical(a, quote(...))) as.name(if (length(label) && nzchar(label)) label else "..1")
      else integrand_shallow(a)
    })
    names(shown) <- names(arguments)
    problem <- tryCatch({
      match(shown)
      problem
    }, error = identity)
    integrand_refuse(e, conditionMessage(problem))
  })
  dots <- matched[["..."]]
  matched[["..."]] <- NULL
  list(place = unlist(matched), dots = if (length(dots)) structure(unlist(dots), names = names(dots)))
}

# Arguments that were evaluated come as values.
write_out <- function(tr, e, caller, matcher, body, root, parent, arguments = NULL) {
  depth <- caller$depth + 1L
  if (depth > integrand_limits[["depth"]])
    integrand_refuse(e, sprintf("calls are nested more than %.0f deep, and functions that call themselves are not",
                                integrand_limits[["depth"]]), " translated")
  frame <- integrand_frame(root, parent, depth)
  evaluated <- !is.null(arguments)
  if (!evaluated) arguments <- call_arguments(tr, e, caller)
  matched <- match_arguments(matcher, arguments, e)
  formal <- as.list(formals(matcher))
  supplied <- names(matched$place)
  frame$formal <- names(formal)
  frame$call <- e
  for (name in names(formal)) {
    if (name == "...") {
      frame$dots <- lapply(arguments[matched$dots], function(a)
        if (is.environment(a)) a else integrand_promise(a, caller, tr$branch$id))
      names(frame$dots) <- names(matched$dots)
      next
    }
    i <- match(name, supplied)
    given <- if (is.na(i)) formal[name] else arguments[matched$place[[i]]]
    empty <- identical(given[[1L]], quote(expr = ))
    if (empty && !is.na(i)) { # f(x, ) leaves an argument to its default
      i <- NA
      given <- formal[name]
      empty <- identical(given[[1L]], quote(expr = ))
    }
    frame$vars[[name]] <- if (empty) integrand_value("missing", name = name)
                          else if (is.environment(given[[1L]]) || evaluated && !is.na(i)) given[[1L]]
                          else integrand_promise(given[[1L]], if (is.na(i)) frame else caller, tr$branch$id)
  }
  frame$branch <- tr$branch
  tr$stack$push(leave_function, frame, e)
  tr$stack$push(integrand_eval, body, frame)
}

# The value of a function is that of its last statement, or where a condition was met earlier that of the return().
leave_function <- function(tr, frame, e) {
  while (!is.null(tr$branch$rest) && !identical(tr$branch, frame$branch)) leave_rest(tr)
  value <- tr$stack$take()
  pending <- frame$pending
  n <- length(pending)
  if (n) {
    if (identical(value, integrand_returned)) {
      value <- pending[[n]]$value
      n <- n - 1L
    }
    for (p in rev(pending[seq_len(n)]))
      value <- either_value(tr, p$condition, p$value, value, "return() here and the end of the function")
  }
  tr$stack$give(value)
}

# ---- functions of values -------------------------------------------------------------------------------------------

# All arguments are evaluated, then entry$make(tr, values, e, entry) gives the value; their names are the list's.
run_values <- function(tr, e, frame, entry) {
  arguments <- call_arguments(tr, e, frame)
  n <- length(arguments)
  tr$stack$push(after_values, e, names(arguments), list(entry, n))
  for (i in rev(seq_len(n))) {
    if (!identical(arguments[[i]], quote(expr = ))) tr$stack$push(integrand_eval, arguments[[i]], frame)
    else if ("missing" %in% entry$takes) tr$stack$push(give_value, integrand_value("missing", name = ""))
    else integrand_refuse(e, "an argument is empty")
  }
}

after_values <- function(tr, e, labels, what) {
  values <- tr$stack$take_all(what[[2L]])
  if (!is.null(labels)) names(values) <- labels
  for (v in values) if (is.list(v)) {
    if (v$kind == "object" && isTRUE(what[[1L]]$of_objects))
      return(tr$stack$give(make_by_r(tr, values, e, what[[1L]])))
    as_nodes_of_call(v, e, what[[1L]])
  }
  tr$stack$give(what[[1L]]$make(tr, values, e, what[[1L]]))
}

# Functions of vectors take NULL and strings in places; the rest numbers only.
as_nodes_of_call <- function(v, e, entry) if (is.null(entry$takes) || !v$kind %in% entry$takes) as_nodes(v, e)

# Branches, statements, and functions of code that is evaluated in part, of an integrand.

# ---- branches ------------------------------------------------------------------------------------------------------

# A value for a condition that is known only at each point: both are computed, and one is selected.
either_value <- function(tr, condition, yes, no, what) {
  if (identical(yes, no)) return(yes)
  if (is.integer(yes) && is.integer(no)) {
    if (length(yes) != length(no))
      return(integrand_void(sprintf("%s have vectors of length %d and %d", what, length(yes), length(no))))
    value <- recycled(tr, "select", rep(condition, length(yes)), unname(yes), unname(no))
    names(value) <- if (is.null(names(yes))) names(no) else names(yes)
    return(value)
  }
  if (is_complex_value(yes) || is_complex_value(no)) {
    either <- function(part) either_value(tr, condition, part(yes), part(no), what)
    re <- either(real_part)
    im <- either(function(v) imaginary_part(tr, v))
    return(if (is_nodes(re) && is_nodes(im)) complex_value(re, im) else re)
  }
  if (!is.integer(yes) && yes$kind == "void") return(yes)
  if (!is.integer(no) && no$kind == "void") return(no)
  integrand_void(sprintf("%s do not both give numbers, and the condition is known only at each point", what))
}

restore_variables <- function(frame, vars)
  frame$vars <- if (length(vars)) list2env(vars, parent = emptyenv()) else new.env(parent = emptyenv())

# A value as a condition: 1, 0 or NaN.
as_condition <- function(tr, v)
  if (is_condition(tr, v)) v else recycled(tr, "ne", v, literal(tr, 0))

# A branch is where all these conditions hold, or none of them does.
enter_branch <- function(tr, conditions, hold) {
  tr$last_branch <- tr$last_branch + 1L
  tr$met[[tr$last_branch]] <- list(conditions = conditions, hold = hold)
  tr$branch <- c(tr$branch, tr$last_branch)
}

# Promises that are forced by expr are known within it.
in_branch <- function(tr, condition, hold, expr) {
  path <- tr$branch
  enter_branch(tr, condition, hold)
  value <- expr
  tr$branch <- path
  value
}

# The same where assignments have no place.
in_sealed_branch <- function(tr, frame, condition, hold, expr) {
  frame$sealed <- frame$sealed + 1L
  value <- in_branch(tr, condition, hold, expr)
  frame$sealed <- frame$sealed - 1L
  value
}

run_if <- function(tr, e, frame, entry) {
  condition <- as_nodes(integrand_eval(tr, e[[2L]], frame), e[[2L]])
  if (length(condition) != 1L)
    integrand_refuse(e, sprintf("its condition has length %d and not 1; see ifelse()", length(condition)))
  known <- deciding_value(tr, condition)
  if (!is.null(known)) {
    if (is.nan(known)) integrand_refuse(e, sprintf("its condition is missing: %s is NA", integrand_shown(e[[2L]])))
    if (known != 0) return(integrand_eval(tr, e[[3L]], frame))
    return(if (length(e) == 4L) integrand_eval(tr, e[[4L]], frame) else integrand_null)
  }
  if (frame$root$trusted)
    integrand_refuse(frame$call, "its flags (log, log.p, lower.tail, ...) must be constants, TRUE or FALSE")
  condition <- unname(as_condition(tr, condition))
  pending <- frame$pending
  vars <- as.list(frame$vars, all.names = TRUE)
  arm <- function(part, hold) {
    restore_variables(frame, vars)
    frame$pending <- list()
    value <- in_branch(tr, condition, hold,
                       if (is.null(part)) integrand_void("if() without else has no value where it is not met")
                           else integrand_eval(tr, part, frame))
    list(value = value, pending = frame$pending, vars = as.list(frame$vars, all.names = TRUE),
         returned = identical(value, integrand_returned))
  }
  yes <- arm(e[[3L]], TRUE)
  no <- arm(if (length(e) == 4L) e[[4L]], FALSE)
  ended <- c(guarded_returns(tr, condition, TRUE, yes$pending), guarded_returns(tr, condition, FALSE, no$pending))
  frame$pending <- c(pending, ended)
  # what follows a return(), up to the end of the function or branch
  if (length(ended)) enter_branch(tr, vapply(ended, `[[`, 0L, "condition"), FALSE)
  if (yes$returned) return(no$value) # the frame is as the other branch left it
  if (no$returned) {
    restore_variables(frame, yes$vars)
    return(yes$value)
  }
  join_variables(tr, frame, condition, yes$vars, no$vars)
  either_value(tr, condition, yes$value, no$value, "the branches of if()")
}

# What one side of an if() returns early, where its condition holds or does not.
guarded_returns <- function(tr, condition, hold, pending) lapply(pending, function(p) {
  zero <- literal(tr, 0, TRUE)
  inner <- if (is.null(p$condition)) literal(tr, 1, TRUE) else p$condition
  list(value = p$value, condition = operation(tr, "select", condition, if (hold) c(inner, zero) else c(zero, inner)))
})

# What the sides of an if() have assigned to becomes what the condition selects.
join_variables <- function(tr, frame, condition, yes, no) for (name in union(names(yes), names(no))) {
  a <- yes[[name, exact = TRUE]]
  b <- no[[name, exact = TRUE]]
  if (identical(a, b)) next
  frame$vars[[name]] <-
    if (is.null(a) || is.null(b)) integrand_void(sprintf("%s is assigned in one branch of an if() only", name))
    else {
      frame$either <- c(frame$either, name)
      if (is.environment(a)) a <- in_branch(tr, condition, TRUE, force_promise(tr, a))
      if (is.environment(b)) b <- in_branch(tr, condition, FALSE, force_promise(tr, b))
      either_value(tr, condition, a, b, paste("the branches of if() for", name))
    }
}

run_return <- function(tr, e, frame, entry) {
  if (length(e) > 2L) integrand_refuse(e, "return() has one value")
  if (frame$sealed > 0L) integrand_refuse(e, "return() in an argument of a function is not translated")
  value <- if (length(e) == 2L) integrand_eval(tr, e[[2L]], frame) else integrand_null
  if (!identical(value, integrand_returned))
    frame$pending <- c(frame$pending, list(list(condition = NULL, value = value)))
  integrand_returned
}

# stop(): the conditions under which it is reached make the whole integrand NaN, see translate_code().
run_stop <- function(tr, e, frame, entry) {
  stop_where(tr, e)
  integrand_returned
}

# Where all conditions of the branches hold, and this one does not.
stop_where <- function(tr, e, unless = NULL) {
  reached <- if (!is.null(unless)) operation(tr, "not", as_condition(tr, unless))
  for (branch in tr$branch[-1L]) for (condition in tr$met[[branch]]$conditions) {
    if (!tr$met[[branch]]$hold) condition <- operation(tr, "not", condition)
    reached <- if (is.null(reached)) condition else operation(tr, "and", reached, condition)
  }
  if (is.null(reached)) integrand_refuse(e, "it is reached whatever the variable is")
  tr$stops <- c(tr$stops, reached)
}

# match.arg(arg), where the default of arg is c() of strings.
run_match_arg <- function(tr, e, frame, entry) {
  name <- if (length(e) == 2L && is.symbol(e[[2L]])) as.character(e[[2L]]) else ""
  choices <- if (name %in% frame$formal) as.list(frame$defaults[[name]])
  if (!identical(choices[1L], list(quote(c))) || !all(vapply(choices[-1L], is.character, NA)))
    integrand_refuse(e, "only of an argument whose default is c() of strings it is translated")
  if (is_missing_value(frame$vars[[name]], frame, e)) return(integrand_value("string", text = choices[[2L]]))
  v <- integrand_eval(tr, e[[2L]], frame)
  i <- if (is.list(v) && v$kind == "string") pmatch(v$text, unlist(choices[-1L])) else NA
  if (is.na(i)) integrand_refuse(e, "it is not one of the strings")
  integrand_value("string", text = choices[[i + 1L]])
}

# ---- statements ----------------------------------------------------------------------------------------------------

run_block <- function(tr, e, frame, entry) {
  value <- integrand_null
  for (statement in as.list(e)[-1L]) {
    value <- integrand_eval(tr, statement, frame)
    if (identical(value, integrand_returned)) break
  }
  value
}

run_assign <- function(tr, e, frame, entry) {
  target <- e[[2L]]
  if (frame$sealed > 0L)
    integrand_refuse(e, "assignments in an argument of a function and behind && and || are not translated")
  is_name <- is.symbol(target) || is.character(target)
  is_element <- is.call(target) && length(target) == 3L && is.symbol(target[[2L]]) &&
    (identical(target[[1L]], quote(`[`)) || identical(target[[1L]], quote(`[[`)))
  if (!is_name && !is_element) integrand_refuse(e, "only names and elements of vectors, v[k], are assigned to")
  value <- integrand_eval(tr, e[[3L]], frame)
  if (identical(value, integrand_returned)) integrand_refuse(e, "return() is translated as a statement only")
  if (is_name) frame$vars[[as.character(target)]] <- value
  else assign_element(tr, e, frame, as_nodes(value, e))
  value
}

# v[k] <- value for constant k, or for a condition on the elements of v that is known only at each point.
assign_element <- function(tr, e, frame, value) {
  target <- e[[2L]]
  index <- integrand_eval(tr, target[[3L]], frame)
  v <- as_nodes(integrand_eval(tr, target[[2L]], frame), e)
  single <- identical(target[[1L]], quote(`[[`))
  if (is_nodes(index) && length(index) && is_condition(tr, index) && min(level_of(tr, index)) == 0L) {
    if (single || length(index) != length(v) || length(value) != 1L)
      integrand_refuse(e, "which elements are meant is known only at each point")
    frame$vars[[as.character(target[[2L]])]] <- make_ifelse(tr, list(index, value, v), e, NULL)
    return()
  }
  index <- known_index(tr, index, e)
  places <- structure(seq_along(v), names = names(v))
  at <- places[if (single && is.logical(index)) as.numeric(index) else index]
  if (anyNA(at) || single && !length(at)) integrand_refuse(e, "there is no such element")
  if (length(at) && (!length(value) || length(at) %% length(value) != 0L) || single && length(at) != 1L)
    integrand_refuse(e, "the value is not as long as what it replaces")
  v[at] <- unname(value)
  frame$vars[[as.character(target[[2L]])]] <- of_one_type(tr, v)
}

run_for <- function(tr, e, frame, entry) {
  if (frame$sealed > 0L) integrand_refuse(e, "loops in an argument of a function are not translated")
  over <- integrand_eval(tr, e[[3L]], frame)
  for (id in if (!identical(over, integrand_null)) unname(as_nodes(over, e[[3L]]))) {
    frame$vars[[as.character(e[[2L]])]] <- id
    if (identical(integrand_eval(tr, e[[4L]], frame), integrand_returned)) return(integrand_returned)
  }
  integrand_null
}

run_function <- function(tr, e, frame, entry) {
  matcher <- as.function(c(as.list(e[[2L]]), list(NULL)), envir = baseenv())
  integrand_value("function", matcher = matcher, body = e[[3L]], root = frame$root, frame = frame)
}

# What is assigned to is not missing.
run_missing <- function(tr, e, frame, entry) {
  name <- if (length(e) == 2L && (is.symbol(e[[2L]]) || is.character(e[[2L]]))) as.character(e[[2L]]) else ""
  if (!name %in% frame$formal) integrand_refuse(e, "it must name an argument of the function it is in")
  if (name %in% frame$either) integrand_refuse(e, "a branch of an if() has assigned to it")
  missing <- if (name == "...") !length(frame$dots) else is_missing_value(frame$vars[[name]], frame, e)
  literal(tr, as.double(missing), TRUE)
}

is_missing_value <- function(v, frame, e) {
  if (is.list(v) && v$kind == "void") integrand_refuse(e, v$why)
  if (!is.environment(v)) return(is.list(v) && v$kind == "missing")
  if (identical(v$frame, frame)) return(TRUE) # a default
  if (is.symbol(v$e) && !is.null(v$frame$vars[[as.character(v$e)]]))
    integrand_refuse(e, "it is an argument that is handed on")
  FALSE
}

run_switch <- function(tr, e, frame, entry) {
  if (length(e) < 3L) integrand_refuse(e, "it has no alternatives")
  on <- integrand_eval(tr, e[[2L]], frame)
  arms <- as.list(e)[-(1:2)]
  labels <- if (is.null(names(arms))) character(length(arms)) else names(arms)
  is_empty <- vapply(arms, function(a) identical(a, quote(expr = )), NA)
  if (!is_nodes(on) && on$kind == "string") {
    i <- match(on$text, labels)
    if (is.na(i)) i <- match("", labels)
    while (!is.na(i) && i < length(arms) && is_empty[i]) i <- i + 1L
  } else {
    i <- trunc(known_number(tr, on, e, "what switch() goes by"))
    if (is.nan(i) || i < 1 || i > length(arms)) i <- NA
  }
  if (is.na(i) || is_empty[i]) integrand_null else integrand_eval(tr, arms[[i]], frame)
}

run_namespace <- function(tr, e, frame, entry) {
  parts <- vapply(as.list(e)[-1L], as.character, "")
  if (!isNamespaceLoaded(parts[1L]))
    integrand_refuse(e, sprintf("package %s is not loaded", sQuote(parts[1L], FALSE)))
  v <- if (parts[2L] %in% getNamespaceExports(parts[1L]) || parts[1L] == "base")
         get0(parts[2L], envir = asNamespace(parts[1L]), inherits = FALSE)
  if (is.null(v)) integrand_refuse(e, "there is no such function")
  captured_value(tr, v, parts[2L], literal = TRUE)
}

# p$a of a list p of the user's, such as .Machine$double.eps.
run_dollar <- function(tr, e, frame, entry) {
  element <- if (is.symbol(e[[3L]]) || is.character(e[[3L]])) as.character(e[[3L]])
  if (is.null(element)) integrand_refuse(e, "only value$name is translated")
  of <- integrand_eval(tr, e[[2L]], frame)
  if (is_nodes(of) || of$kind != "object" || !is.list(of$value) && !is.environment(of$value))
    integrand_refuse(e, sprintf("%s has no elements with names for $", integrand_shown(e[[2L]])))
  value <- value_by_r(tr, e, `$`, list(of$value, as.name(element)), literal = is_of_base(of$name, of$value))
  if (identical(value, integrand_null)) integrand_refuse(e, "there is no such element")
  value
}

# ---- values that R computes ----------------------------------------------------------------------------------------

# f of arguments that depend neither on the variable nor on params, once for each translation. Environments and
# objects with methods may change without being another object: then the translation is not kept.
value_by_r <- function(tr, e, f, arguments, literal = FALSE) {
  for (known in tr$by_r) if (identical(known$f, f) && identical(known$arguments, arguments)) return(known$value)
  for (a in arguments)
    if (!missing(a) && (is.environment(a) || is.object(a) && !is.data.frame(a))) tr$forgetful <- TRUE
  v <- tryCatch(do.call(f, arguments, quote = !identical(f, `$`)),
                error = function(problem) {
                  pass_on(problem)
                  integrand_refuse(e, conditionMessage(problem))
                })
  value <- captured_value(tr, v, integrand_shown(e), literal)
  tr$by_r <- c(tr$by_r, list(list(f = f, arguments = arguments, value = value)))
  value
}

# A value as an argument in R, in a list; NULL if it is not known yet.
argument_of_r <- function(tr, v) {
  if (!is_nodes(v))
    return(switch(v$kind, null = list(NULL), string = list(v$text), object = list(v$value),
                  series = if (!is.null(v$value)) list(v$value),
                  missing = if (!nzchar(v$name)) list(quote(expr = ))))
  if (length(v) && min(level_of(tr, v)) == 0L) return(NULL)
  numbers <- tr$nodes$value[v]
  if (any(level_of(tr, v) == 1L)) tr$structural <- TRUE
  if (length(v) && is_condition(tr, v)) numbers <- numbers != 0
  names(numbers) <- names(v)
  dim(numbers) <- dim(v)
  list(numbers)
}

# All values as arguments in R; NULL if one of them is not known yet.
arguments_of_r <- function(tr, values) {
  arguments <- lapply(values, argument_of_r, tr = tr)
  if (!any(vapply(arguments, is.null, NA))) unlist(arguments, recursive = FALSE)
}

make_by_r <- function(tr, values, e, entry) {
  known <- arguments_of_r(tr, values)
  if (!is.null(known)) return(value_by_r(tr, e, entry$object, known))
  values <- lapply(values, nodes_of_object, tr = tr)
  if (is.null(entry$otherwise) || !all(vapply(values, is_nodes, NA))) refuse_call(tr, e, NULL, entry)
  entry$otherwise(tr, values, e, entry)
}

# && and ||: what decides by itself hides the other side.
run_shortcut <- function(tr, e, frame, entry) {
  side <- function(k) {
    v <- integrand_eval(tr, e[[k]], frame)
    if (identical(v, integrand_returned)) return(literal(tr, 1, TRUE)) # what stops has no value
    v <- unname(as_nodes(v, e))
    if (length(v) != 1L) integrand_refuse(e, sprintf("one side has length %d and not 1; see & and |", length(v)))
    as_condition(tr, v)
  }
  left <- side(2L)
  known <- known_value(tr, left)
  if (!is.null(known) && !is.nan(known) && (known != 0) == entry$decides) {
    if (level_of(tr, left) == 1L) tr$structural <- TRUE
    return(literal(tr, as.double(entry$decides), TRUE))
  }
  operation(tr, entry$op, left, in_sealed_branch(tr, frame, left, !entry$decides, side(3L)))
}

# do.call(g, list(...)) is g(...).
run_docall <- function(tr, e, frame, entry) {
  if (length(e) != 3L || !is.null(names(e)) || !is.call(e[[3L]]) || !identical(e[[3L]][[1L]], quote(list)))
    integrand_refuse(e, "only do.call(g, list(...)) is translated")
  g <- if (is.character(e[[2L]])) as.name(e[[2L]]) else e[[2L]]
  integrand_eval(tr, as.call(c(list(g), as.list(e[[3L]])[-1L])), frame)
}

# tryCatch() and suppressWarnings(): what is translated does not fail; in R it may warn.
run_expression <- function(tr, e, frame, entry) {
  if (any(c("warning", "condition") %in% names(e))) integrand_refuse(e, "it has a handler of warnings")
  if (length(e) < 2L || !all(names(e)[2L] %in% c("", "expr")) || "finally" %in% names(e))
    integrand_refuse(e, "its expression must be its first argument")
  stops <- tr$stops
  value <- integrand_eval(tr, e[[2L]], frame)
  if ("error" %in% names(e) && !identical(stops, tr$stops)) integrand_refuse(e, "it has a handler of errors")
  value
}

# Of what is known to hold nothing is left to be tested.
make_stopifnot <- function(tr, values, e, entry) {
  if (any(names(values) %in% c("exprs", "exprObject", "local")))
    integrand_refuse(e, "its conditions are in an argument")
  for (v in values) for (id in v) {
    known <- deciding_value(tr, id)
    if (is.null(known)) stop_where(tr, e, id)
    else if (is.nan(known) || known == 0) integrand_refuse(e, "a condition does not hold")
  }
  integrand_null
}

# R evaluates yes and no of ifelse() if one of the conditions needs them.
run_ifelse <- function(tr, e, frame, entry) {
  arguments <- call_arguments(tr, e, frame)
  place <- match_arguments(entry$object, arguments, e)$place[c("test", "yes", "no")]
  if (anyNA(place)) integrand_refuse(e, "an argument is missing")
  test <- integrand_eval(tr, arguments[[place[["test"]]]], frame)
  side <- function(name, hold) in_sealed_branch(
    tr, frame, if (is_nodes(test) && length(test) == 1L) as_condition(tr, unname(test)), hold,
    integrand_eval(tr, arguments[[place[[name]]]], frame))
  values <- list(test, side("yes", TRUE), side("no", FALSE))
  entry$make <- make_ifelse
  value_of_call(tr, values, e, entry)
}

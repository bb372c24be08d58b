# Branches, statements, and functions of code that is evaluated in part, of an integrand.

# ---- branches ------------------------------------------------------------------------------------------------------

# A value for a condition that is known only at each point: both are computed, and one is selected.
either_value <- function(tr, condition, yes, no, what) {
  if (is.integer(yes) && is.integer(no)) {
    if (length(yes) != length(no))
      return(integrand_void(sprintf("%s have vectors of length %d and %d", what, length(yes), length(no))))
    if (identical(yes, no)) return(yes)
    value <- tr$nodes$apply("select", rep(condition, length(yes)), unname(yes), unname(no))
    names(value) <- if (is.null(names(yes))) names(no) else names(yes)
    return(value)
  }
  if (identical(yes, no)) return(yes)
  if (!is.integer(yes) && yes$kind == "void") return(yes)
  if (!is.integer(no) && no$kind == "void") return(no)
  integrand_void(sprintf("%s do not both give numbers, and the condition is known only at each point", what))
}

restore_variables <- function(frame, vars)
  frame$vars <- if (length(vars)) list2env(vars, parent = emptyenv()) else new.env(parent = emptyenv())

run_if <- function(tr, e, frame, entry) {
  tr$stack$push(after_condition, e, frame)
  tr$stack$push(integrand_eval, e[[2L]], frame)
}

# A value as a condition: 1, 0 or NaN.
as_condition <- function(tr, v)
  if (tr$nodes$is_condition(v)) v else tr$nodes$apply("ne", v, tr$nodes$literal(0))

after_condition <- function(tr, e, frame) {
  condition <- as_nodes(tr$stack$take(), e[[2L]])
  if (length(condition) != 1L)
    integrand_refuse(e, sprintf("its condition has length %d and not 1; see ifelse()", length(condition)))
  known <- tr$nodes$known(condition)
  if (!is.null(known)) {
    if (tr$nodes$level(condition) == 1L) tr$structural <- TRUE
    if (is.nan(known)) integrand_refuse(e, sprintf("its condition is missing: %s is NA", integrand_shown(e[[2L]])))
    if (known != 0) return(tr$stack$push(integrand_eval, e[[3L]], frame))
    if (length(e) == 4L) return(tr$stack$push(integrand_eval, e[[4L]], frame))
    return(tr$stack$give(integrand_null))
  }
  if (frame$root$trusted)
    integrand_refuse(frame$call, "its flags (log, log.p, lower.tail, ...) must be constants, TRUE or FALSE")
  state <- list(e = e, condition = unname(as_condition(tr, condition)), pending = frame$pending,
                vars = as.list(frame$vars, all.names = TRUE))
  frame$pending <- list()
  enter_branch(tr)
  tr$stack$push(after_yes, state, frame)
  tr$stack$push(integrand_eval, e[[3L]], frame)
}

enter_branch <- function(tr) {
  tr$last_branch <- tr$last_branch + 1L
  branch <- new.env(parent = emptyenv())
  branch$id <- tr$last_branch
  branch$outer <- tr$branch
  tr$branch <- branch
}

# Promises that were needed in the branch, with what was known at its end; they are set back to what was known before.
leave_branch <- function(tr) {
  while (!is.null(tr$branch$rest)) leave_rest(tr)
  ends <- list()
  forced <- tr$branch$forced
  tr$branch <- tr$branch$outer
  while (!is.null(forced)) {
    promise <- forced[[1L]]$promise
    if (!isTRUE(promise$seen)) {
      promise$seen <- TRUE
      ends[[length(ends) + 1L]] <- list(promise = promise, value = promise$value, partly = promise$partly)
    }
    promise$value <- NULL
    promise$partly <- forced[[1L]]$partly
    forced <- forced[[2L]]
  }
  for (end in ends) end$promise$seen <- NULL
  ends
}

# What follows a return() in a branch is a branch itself, up to the end of the function or of the branch it is in.
enter_rest <- function(tr, goes_on) {
  enter_branch(tr)
  tr$branch$rest <- goes_on
}

leave_rest <- function(tr) {
  goes_on <- tr$branch$rest
  tr$branch$rest <- NULL
  merge_promises(tr, goes_on, leave_branch(tr), list())
}

# After both branches a promise is known where it is in the branch that was taken.
merge_promises <- function(tr, condition, yes, no) {
  force(no) # leaving a branch may merge others
  for (end in yes) end$promise$in_yes <- end
  for (end in no) end$promise$in_no <- end
  guard <- function(end, guarded) {
    if (!is.null(end$value)) return(list(list(condition = guarded, value = end$value)))
    lapply(end$partly, function(known)
      list(condition = tr$nodes$operation("and", guarded, known$condition), value = known$value))
  }
  for (promise in lapply(c(yes, no), `[[`, "promise")) {
    a <- promise$in_yes
    b <- promise$in_no
    if (is.null(a) && is.null(b)) next # it stands in both lists
    promise$in_yes <- promise$in_no <- NULL
    before <- list(partly = promise$partly)
    if (is.null(a)) a <- before
    if (is.null(b)) b <- before
    note_forced(tr, promise)
    if (!is.null(a$value) && !is.null(b$value)) {
      promise$partly <- NULL
      promise$value <- either_value(tr, condition, a$value, b$value,
                                    sprintf("the branches of if() for %s", integrand_shown(promise$e)))
    } else
      promise$partly <- c(guard(a, condition), guard(b, tr$nodes$operation("not", condition)))
  }
}

after_yes <- function(tr, state, frame) {
  state$yes <- list(value = tr$stack$take(), pending = frame$pending, vars = as.list(frame$vars, all.names = TRUE),
                    promises = leave_branch(tr))
  restore_variables(frame, state$vars)
  frame$pending <- list()
  enter_branch(tr)
  tr$stack$push(after_no, state, frame)
  if (length(state$e) == 4L) tr$stack$push(integrand_eval, state$e[[4L]], frame)
  else tr$stack$give(integrand_void("if() without else has no value where its condition is not met"))
}

after_no <- function(tr, state, frame) {
  yes <- state$yes
  merge_promises(tr, state$condition, yes$promises, leave_branch(tr))
  no <- list(value = tr$stack$take(), pending = frame$pending, vars = as.list(frame$vars, all.names = TRUE))
  zero <- tr$nodes$literal(0, TRUE)
  one <- tr$nodes$literal(1, TRUE)
  guarded <- function(pending, if_yes) lapply(pending, function(p) {
    inner <- if (is.null(p$condition)) one else p$condition
    list(value = p$value, condition = if (if_yes) tr$nodes$operation("select", state$condition, inner, zero)
                                      else tr$nodes$operation("select", state$condition, zero, inner))
  })
  frame$pending <- c(state$pending, guarded(yes$pending, TRUE), guarded(no$pending, FALSE))
  yes_returned <- identical(yes$value, integrand_returned)
  no_returned <- identical(no$value, integrand_returned)
  # at the top of the integrand nothing is needed after the rest
  if (frame$depth > 1L && !(yes_returned && no_returned)) {
    ended <- c(guarded(yes$pending, TRUE), guarded(no$pending, FALSE))
    if (length(ended)) {
      ended <- lapply(ended, `[[`, "condition")
      enter_rest(tr, tr$nodes$operation("not", Reduce(function(a, b) tr$nodes$operation("or", a, b), ended)))
    }
  }
  if (yes_returned) return(tr$stack$give(no$value)) # the frame is as the other branch left it
  if (no_returned) {
    restore_variables(frame, yes$vars)
    return(tr$stack$give(yes$value))
  }
  changed <- FALSE
  for (name in union(names(yes$vars), names(no$vars))) {
    a <- yes$vars[[name, exact = TRUE]]
    b <- no$vars[[name, exact = TRUE]]
    if (identical(a, b)) next
    frame$vars[[name]] <-
      if (is.null(a) || is.null(b)) integrand_void(sprintf("%s is assigned in one branch of an if() only", name))
      else if (is.environment(a) || is.environment(b)) merged_promise(state$condition, a, b, name)
      else either_value(tr, state$condition, a, b, paste("the branches of if() for", name))
  }
  tr$stack$give(either_value(tr, state$condition, yes$value, no$value, "the branches of if()"))
}

# An argument that one branch replaces: what the other leaves is looked at when it is needed.
merged_promise <- function(condition, yes, no, name) {
  promise <- integrand_promise(as.name(name), NULL)
  promise$merge <- list(condition = condition, yes = yes, no = no)
  promise
}

keep_merged <- function(tr, promise) {
  promise$running <- FALSE
  values <- tr$stack$take_all(2L)
  settle_promise(tr, promise, either_value(tr, promise$merge$condition, values[[1L]], values[[2L]],
                                           paste("the branches of if() for", as.character(promise$e))))
}

run_return <- function(tr, e, frame, entry) {
  if (length(e) > 2L) integrand_refuse(e, "return() has one value")
  if (frame$sealed > 0L) integrand_refuse(e, "return() in an argument of a function is not translated")
  tr$stack$push(after_return, e, frame)
  if (length(e) == 2L) tr$stack$push(integrand_eval, e[[2L]], frame) else tr$stack$give(integrand_null)
}

after_return <- function(tr, e, frame) {
  value <- tr$stack$take()
  if (!identical(value, integrand_returned))
    frame$pending <- c(frame$pending, list(list(condition = NULL, value = value)))
  tr$stack$give(integrand_returned)
}

# ---- statements ----------------------------------------------------------------------------------------------------

run_block <- function(tr, e, frame, entry) {
  if (length(e) == 1L) return(tr$stack$give(integrand_null))
  if (length(e) == 2L) return(tr$stack$push(integrand_eval, e[[2L]], frame))
  tr$stack$push(next_statement, as.list(e), 3L, frame)
  tr$stack$push(integrand_eval, e[[2L]], frame)
}

next_statement <- function(tr, statements, i, frame) {
  # what went before gives the value of the block only if it returned
  if (identical(tr$stack$take(), integrand_returned)) return(tr$stack$give(integrand_returned))
  if (i < length(statements)) tr$stack$push(next_statement, statements, i + 1L, frame)
  tr$stack$push(integrand_eval, statements[[i]], frame)
}

run_paren <- function(tr, e, frame, entry) tr$stack$push(integrand_eval, e[[2L]], frame)

run_assign <- function(tr, e, frame, entry) {
  target <- e[[2L]]
  if (frame$sealed > 0L) integrand_refuse(e, paste(
    "assignments in an argument of a function and behind && and || are not translated"))
  if (is.symbol(target) || is.character(target)) {
    tr$stack$push(after_assign, as.character(target), frame, e)
    return(tr$stack$push(integrand_eval, e[[3L]], frame))
  }
  is_element <- is.call(target) && length(target) == 3L && is.symbol(target[[2L]]) &&
    (identical(target[[1L]], quote(`[`)) || identical(target[[1L]], quote(`[[`)))
  if (!is_element) integrand_refuse(e, "only names and elements of vectors, v[k], are assigned to")
  tr$stack$push(after_element, e, frame)
  tr$stack$push(integrand_eval, target[[2L]], frame)
  tr$stack$push(integrand_eval, target[[3L]], frame)
  tr$stack$push(integrand_eval, e[[3L]], frame)
}

after_assign <- function(tr, name, frame, e) {
  value <- tr$stack$take()
  if (identical(value, integrand_returned)) integrand_refuse(e, "return() is translated as a statement only")
  frame$vars[[name]] <- value
  tr$stack$give(value)
}

after_element <- function(tr, e, frame) {
  parts <- tr$stack$take_all(3L)
  value <- as_nodes(parts[[1L]], e)
  v <- as_nodes(parts[[3L]], e)
  refuse_selection(tr, parts[[2L]], e)
  index <- known_index(tr, parts[[2L]], e)
  places <- seq_along(v)
  names(places) <- names(v)
  single <- identical(e[[2L]][[1L]], quote(`[[`))
  at <- places[if (single && is.logical(index)) as.numeric(index) else index]
  if (anyNA(at) || single && !length(at)) integrand_refuse(e, "there is no such element")
  if (length(at) && (!length(value) || length(at) %% length(value) != 0L) || single && length(at) != 1L)
    integrand_refuse(e, "the value is not as long as what it replaces")
  v[at] <- unname(value)
  v <- tr$nodes$of_one_type(v)
  frame$vars[[as.character(e[[2L]][[2L]])]] <- v
  tr$stack$give(parts[[1L]])
}

run_for <- function(tr, e, frame, entry) {
  if (frame$sealed > 0L) integrand_refuse(e, "loops in an argument of a function are not translated")
  tr$stack$push(start_loop, e, frame)
  tr$stack$push(integrand_eval, e[[3L]], frame)
}

start_loop <- function(tr, e, frame) {
  over <- tr$stack$take()
  if (identical(over, integrand_null)) over <- integer()
  over <- unname(as_nodes(over, e[[3L]]))
  tr$stack$push(next_turn, list(e = e, over = over), 1L, frame)
  tr$stack$give(integrand_null)
}

next_turn <- function(tr, loop, i, frame) {
  last <- tr$stack$take()
  if (identical(last, integrand_returned)) return(tr$stack$give(integrand_returned))
  if (i > length(loop$over)) return(tr$stack$give(integrand_null))
  frame$vars[[as.character(loop$e[[2L]])]] <- loop$over[i]
  tr$stack$push(next_turn, loop, i + 1L, frame)
  tr$stack$push(integrand_eval, loop$e[[4L]], frame)
}

run_function <- function(tr, e, frame, entry) {
  matcher <- as.function(c(as.list(e[[2L]]), list(NULL)), envir = baseenv())
  tr$stack$give(integrand_value("function", matcher = matcher, body = e[[3L]], root = frame$root, frame = frame))
}

run_missing <- function(tr, e, frame, entry) {
  name <- if (length(e) == 2L && (is.symbol(e[[2L]]) || is.character(e[[2L]]))) as.character(e[[2L]]) else ""
  if (!name %in% frame$formal) integrand_refuse(e, "it must name an argument of the function it is in")
  missing <- if (name == "...") as.double(!length(frame$dots)) else missing_value(tr, frame$vars[[name]], frame, e)
  tr$stack$give(if (is.double(missing)) tr$nodes$literal(missing, TRUE) else missing)
}

# 1, 0, or a condition. An argument is also missing if it is handed on from a function where it is; what is assigned
# to is not.
missing_value <- function(tr, v, frame, e) {
  if (is.list(v)) {
    if (v$kind == "void") integrand_refuse(e, v$why)
    return(as.double(v$kind == "missing"))
  }
  if (!is.environment(v)) return(0)
  if (!is.null(v$merge)) {
    sides <- lapply(v$merge[c("yes", "no")], missing_value, tr = tr, frame = frame, e = e)
    if (identical(sides[[1L]], sides[[2L]])) return(sides[[1L]])
    sides <- lapply(sides, function(side) if (is.double(side)) tr$nodes$literal(side, TRUE) else side)
    return(tr$nodes$operation("select", v$merge$condition, sides[[1L]], sides[[2L]]))
  }
  # defaults have the frame itself
  if (identical(v$frame, frame)) return(1)
  passed_on <- is.symbol(v$e)
  seen <- list()
  while (passed_on) {
    # defaults that are each other's are missing, as for R
    for (before in seen) if (identical(before, v)) return(1)
    seen <- c(seen, v)
    next_one <- v$frame$vars[[as.character(v$e)]]
    if (is.list(next_one)) return(as.double(next_one$kind == "missing"))
    if (!is.environment(next_one) || !is.null(next_one$value)) return(0)
    v <- next_one
    passed_on <- is.symbol(v$e) && !is.null(v$frame)
  }
  0
}

run_switch <- function(tr, e, frame, entry) {
  if (length(e) < 3L) integrand_refuse(e, "it has no alternatives")
  tr$stack$push(after_switch, e, frame)
  tr$stack$push(integrand_eval, e[[2L]], frame)
}

after_switch <- function(tr, e, frame) {
  on <- tr$stack$take()
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
  if (is.na(i) || is_empty[i]) return(tr$stack$give(integrand_null))
  tr$stack$push(integrand_eval, arms[[i]], frame)
}

run_namespace <- function(tr, e, frame, entry) {
  parts <- vapply(as.list(e)[-1L], as.character, "")
  if (!isNamespaceLoaded(parts[1L]))
    integrand_refuse(e, sprintf("package %s is not loaded", sQuote(parts[1L], FALSE)))
  v <- if (parts[2L] %in% getNamespaceExports(parts[1L]) || parts[1L] == "base")
         get0(parts[2L], envir = asNamespace(parts[1L]), inherits = FALSE)
  if (is.null(v)) integrand_refuse(e, "there is no such function")
  tr$stack$give(captured_value(tr, v, parts[2L], literal = TRUE))
}

# p$a of a list p of the user's, such as .Machine$double.eps.
run_dollar <- function(tr, e, frame, entry) {
  element <- if (is.symbol(e[[3L]]) || is.character(e[[3L]])) as.character(e[[3L]])
  if (is.null(element)) integrand_refuse(e, "only value$name is translated")
  tr$stack$push(after_dollar, e, element)
  tr$stack$push(integrand_eval, e[[2L]], frame)
}

after_dollar <- function(tr, e, element) {
  of <- tr$stack$take()
  if (is_nodes(of) || of$kind != "object" || !is.list(of$value) && !is.environment(of$value))
    integrand_refuse(e, sprintf("%s has no elements with names for $", integrand_shown(e[[2L]])))
  value <- value_by_r(tr, e, `$`, list(of$value, as.name(element)), literal = is_of_base(of$name, of$value))
  if (identical(value, integrand_null)) integrand_refuse(e, "there is no such element")
  tr$stack$give(value)
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
                  missing = if (!nzchar(v$name)) list(quote(expr = ))))
  if (length(v) && min(vapply(v, tr$nodes$level, 0L)) == 0L) return(NULL)
  numbers <- vapply(v, tr$nodes$known, 0, USE.NAMES = FALSE)
  if (any(vapply(v, tr$nodes$level, 0L) == 1L)) tr$structural <- TRUE
  if (length(v) && tr$nodes$is_condition(v)) numbers <- numbers != 0
  names(numbers) <- names(v)
  list(numbers)
}

make_by_r <- function(tr, values, e, entry) {
  arguments <- lapply(values, argument_of_r, tr = tr)
  if (any(vapply(arguments, is.null, NA))) {
    # what is no vector of numbers has no place among others
    if (isTRUE(entry$of_objects)) integrand_refuse(e, paste(
      "of what is no vector of numbers it must be constant: it may depend neither on the variable nor on params"))
    refuse_call(tr, e, NULL, entry)
  }
  value_by_r(tr, e, entry$object, unlist(arguments, recursive = FALSE))
}

# && and ||: what decides by itself hides the other side.
run_shortcut <- function(tr, e, frame, entry) {
  tr$stack$push(after_left, e, frame, entry)
  tr$stack$push(integrand_eval, e[[2L]], frame)
}

after_left <- function(tr, e, frame, entry) {
  left <- single_condition(tr, e)
  known <- tr$nodes$known(left)
  if (!is.null(known) && !is.nan(known) && (known != 0) == entry$decides) {
    if (tr$nodes$level(left) == 1L) tr$structural <- TRUE
    return(tr$stack$give(tr$nodes$literal(as.double(entry$decides), TRUE)))
  }
  enter_branch(tr)
  frame$sealed <- frame$sealed + 1L
  tr$stack$push(after_right, e, list(left = left, entry = entry), frame)
  tr$stack$push(integrand_eval, e[[3L]], frame)
}

after_right <- function(tr, e, state, frame) {
  frame$sealed <- frame$sealed - 1L
  needed <- if (state$entry$decides) tr$nodes$operation("not", state$left) else state$left
  merge_promises(tr, needed, leave_branch(tr), list())
  tr$stack$give(tr$nodes$operation(state$entry$op, state$left, single_condition(tr, e)))
}

single_condition <- function(tr, e) {
  v <- unname(as_nodes(tr$stack$take(), e))
  if (length(v) != 1L) integrand_refuse(e, sprintf("one side has length %d and not 1; see & and |", length(v)))
  as_condition(tr, v)
}

# sapply(v, g, ...) and vapply(v, g, 0, ...) are c(g(v[1], ...), ...), which for a single number is g.
run_sapply <- function(tr, e, frame, entry) {
  arguments <- call_arguments(tr, e, frame)
  place <- match_arguments(entry$object, arguments, e)
  if (!all(c("X", "FUN") %in% names(place$place))) integrand_refuse(e, "it must have a vector and a function")
  g <- arguments[[place$place[["FUN"]]]]
  if (is.character(g)) g <- as.name(g)
  tr$stack$push(apply_to_each, e, list(g = g, more = arguments[place$dots]), frame)
  tr$stack$push(integrand_eval, arguments[[place$place[["X"]]]], frame)
}

apply_to_each <- function(tr, e, what, frame) {
  v <- as_nodes(tr$stack$take(), e)
  if (!length(v)) integrand_refuse(e, "its vector has length 0")
  tr$stack$push(after_each, e, length(v), names(v))
  for (i in rev(seq_along(v))) {
    element <- integrand_promise(e, frame)
    element$value <- unname(v[i])
    element$branch <- 0L
    # functions that are arguments are promises, too: they are called when they are known
    tr$stack$push(integrand_eval, as.call(c(list(what$g, element), what$more)), frame)
  }
}

after_each <- function(tr, e, n, labels) {
  values <- lapply(tr$stack$take_all(n), as_nodes, e = e)
  if (n == 1L) return(tr$stack$give(values[[1L]]))
  if (any(lengths(values) != 1L)) integrand_refuse(e, "the function must give single numbers")
  tr$stack$give(structure(vapply(values, unname, 0L), names = labels))
}

# Of what is known to hold nothing is left to be tested.
run_stopifnot <- function(tr, e, frame, entry) {
  run_values(tr, e, frame, list(make = make_stopifnot))
}

make_stopifnot <- function(tr, values, e, entry) {
  for (v in values) for (id in v) {
    known <- tr$nodes$known(id)
    if (is.null(known)) integrand_refuse(e, paste(
      "a condition depends on the variable or on params, and a program does not stop; use ifelse() and NaN"))
    if (tr$nodes$level(id) == 1L) tr$structural <- TRUE
    if (is.nan(known) || known == 0) integrand_refuse(e, "a condition does not hold")
  }
  integrand_null
}

# R evaluates yes and no of ifelse() if one of the conditions needs them.
run_ifelse <- function(tr, e, frame, entry) {
  arguments <- call_arguments(tr, e, frame)
  place <- match_arguments(entry$object, arguments, e)$place[c("test", "yes", "no")]
  if (anyNA(place)) integrand_refuse(e, "an argument is missing")
  arguments <- unname(arguments[place])
  frame$sealed <- frame$sealed + 1L
  tr$stack$push(after_test, e, arguments, frame)
  tr$stack$push(integrand_eval, arguments[[1L]], frame)
}

after_test <- function(tr, e, arguments, frame) {
  test <- tr$stack$take()
  test <- structure(as_condition(tr, as_nodes(test, e)), names = names(test))
  if (!length(test)) integrand_refuse(e, "an argument has length 0")
  either <- function(conditions) Reduce(function(a, b) tr$nodes$operation("or", a, b), unname(conditions))
  state <- list(e = e, test = test, no = arguments[[3L]], yes_if = either(test),
                no_if = either(tr$nodes$apply("not", test)))
  enter_branch(tr)
  tr$stack$push(after_ifelse_yes, state, frame)
  tr$stack$push(integrand_eval, arguments[[2L]], frame)
}

after_ifelse_yes <- function(tr, state, frame) {
  merge_promises(tr, state$yes_if, leave_branch(tr), list())
  enter_branch(tr)
  tr$stack$push(after_ifelse_no, state, frame)
  tr$stack$push(integrand_eval, state$no, frame)
}

after_ifelse_no <- function(tr, state, frame) {
  frame$sealed <- frame$sealed - 1L
  merge_promises(tr, state$no_if, leave_branch(tr), list())
  sides <- tr$stack$take_all(2L)
  tr$stack$give(make_ifelse(tr, c(list(state$test), lapply(sides, as_nodes, e = state$e)), state$e, NULL))
}

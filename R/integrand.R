# Translation of R code to the straight-line programs that the engine evaluates: integrand_translate() walks the code
# with a stack of its own (R's would not hold an expression of ten thousand nodes) and writes operations, each once.
# What is looked up but never evaluated is the user's code; only constants and functions are fetched from its frames,
# and R computes the functions of integrand_known, which have no side effects, of what does not depend on x.

# Limits of what is written and of the steps taken: a loop or a recursion beyond them is a mistake.
integrand_limits <- c(operations = 5e4, steps = 5e5, depth = 50, vector = 1e5)

integrand_memory <- new.env(parent = emptyenv())

# The operations of the engine: name, number of operands, and whether a family of the package computes them.
integrand_ops <- function() {
  if (is.null(integrand_memory$ops)) {
    ops <- .Call(C_integrandOps)
    ops$number <- structure(seq_along(ops$name) - 1L, names = ops$name)
    integrand_memory$ops <- ops
  }
  integrand_memory$ops
}

# ---- the program under construction --------------------------------------------------------------------------------

# What R gives for operations on constants. Operations without an entry are left to the engine.
integrand_fold <- list(
  add = `+`, sub = `-`, mul = `*`, div = `/`, neg = function(a) -a, pow = `^`, mod = `%%`, intdiv = `%/%`,
  lt = `<`, le = `<=`, eq = `==`, ne = `!=`, and = `&`, or = `|`, not = `!`,
  select = function(c, a, b) if (is.na(c)) NaN else if (c != 0) a else b,
  is_nan = is.na, min = min, max = max, abs = abs, sign = sign, sqrt = sqrt, floor = floor, ceiling = ceiling,
  trunc = trunc, round = function(a) round(a), exp = exp, expm1 = expm1, log = function(a) log(a), log1p = log1p,
  log2 = log2, log10 = log10, log1pexp = function(a) if (is.na(a) || a <= 0) log1p(exp(a)) else a + log1p(exp(-a)),
  sin = sin, cos = cos, tan = tan, sinpi = sinpi, cospi = cospi, tanpi = tanpi, asin = asin, acos = acos, atan = atan,
  atan2 = atan2, sinh = sinh, cosh = cosh, tanh = tanh, asinh = asinh, acosh = acosh, atanh = atanh, gamma = gamma,
  lgamma = lgamma, lbeta = lbeta, digamma = digamma, trigamma = trigamma, norm_density = stats::dnorm,
  norm_lower = stats::pnorm, norm_log_lower = function(a) stats::pnorm(a, log.p = TRUE), norm_quantile = stats::qnorm)

# Operations whose value is a condition, and those that do not mind the order of their operands.
integrand_conditions <- c("lt", "le", "eq", "ne", "and", "or", "not", "is_nan")
integrand_commutative <- c("add", "mul", "eq", "ne", "min", "max", "and", "or")

# Nodes are numbered as they are made: x is 1. level is 2 for literals (folded), 1 for captured values and what
# depends on nothing else (their value is known, but belongs to this call only), and 0 for the rest. condition has
# what R takes for logical.
integrand_nodes <- function() {
  ops <- integrand_ops()
  number <- as.list(ops$number)
  count <- 1L
  written <- 0L
  op <- rep(-1L, 64L) # of x; -2 for constants, -3 for columns of parameters, -4 for as_number()
  operands <- rep(list(integer()), 64L)
  value <- rep(NaN, 64L)
  level <- integer(64L)
  condition <- logical(64L)
  columns <- list()
  slots <- integer()
  seen <- new.env(hash = TRUE, parent = emptyenv())

  node <- function(code, with, known, its_level, is_condition) {
    count <<- count + 1L
    if (count > length(op)) {
      room <- 2L * count
      length(op) <<- room
      length(operands) <<- room
      length(value) <<- room
      length(level) <<- room
      length(condition) <<- room
    }
    op[count] <<- code
    operands[[count]] <<- with
    value[count] <<- known
    level[count] <<- its_level
    condition[count] <<- is_condition
    count
  }
  literal <- function(v, is_condition = FALSE) {
    if (is.na(v)) v <- NaN
    key <- paste(if (is_condition) "?" else "#", sprintf("%a", v))
    id <- seen[[key]]
    if (is.null(id)) seen[[key]] <- id <- node(-2L, integer(), v, 2L, is_condition)
    id
  }
  capture <- function(v, is_condition) node(-2L, integer(), if (is.na(v)) NaN else v, 1L, is_condition)
  # Missing values that were captured: what they are called, for those that the program needs.
  lacking <- list()
  note_missing <- function(id, text) lacking[[length(lacking) + 1L]] <<- list(id = id, text = text)
  refuse_missing <- function(live) {
    for (missing in lacking) {
      if (!live[missing$id]) next
      asked <- unlist(operands[which(live & op[seq_along(live)] == number$is_nan)])
      if (missing$id %in% c(asked, unlist(operands[asked[op[asked] == -4L]]))) next
      raise_engine_error("input", missing$text)
    }
  }
  column <- function(name, k, is_condition) {
    key <- paste("col", k, name)
    id <- seen[[key]]
    if (is.null(id)) {
      columns[[length(columns) + 1L]] <<- list(name = name, column = k)
      seen[[key]] <- id <- node(-3L, length(columns), NaN, 0L, is_condition)
    }
    id
  }
  known <- function(id) if (level[id]) value[id] else NULL
  is_literal <- function(id, v) level[id] == 2L && identical(value[id], v)
  # A known condition as a number: as an index they differ. The engine sees the same value.
  as_number <- function(id) {
    force(id) # which may make nodes
    for (i in which(condition[id] & level[id] > 0L)) {
      a <- id[[i]]
      if (level[a] == 2L) number <- literal(value[a])
      else {
        key <- paste("number", a)
        number <- seen[[key]]
        if (is.null(number)) seen[[key]] <- number <- node(-4L, a, value[a], 1L, FALSE)
      }
      id[i] <- number
    }
    id
  }
  # The elements of a vector are of one type.
  of_one_type <- function(id) {
    force(id)
    if (any(condition[id]) && !all(condition[id])) as_number(id) else id
  }
  # Identities that hold for every double, signed zeros included.
  simpler <- function(name, with) {
    a <- with[1L]
    b <- with[2L]
    switch(name,
      sub = if (is_literal(b, 0) && 1 / value[b] > 0) a,
      mul = if (is_literal(b, 1)) a else if (is_literal(a, 1)) b,
      div = if (is_literal(b, 1)) a,
      neg = if (op[a] == number$neg) operands[[a]],
      and = if (level[a] == 2L && !is.nan(value[a])) { if (value[a] == 0) literal(0, TRUE) else b }
            else if (level[b] == 2L && !is.nan(value[b])) { if (value[b] == 0) literal(0, TRUE) else a },
      or = if (level[a] == 2L && !is.nan(value[a])) { if (value[a] == 0) b else literal(1, TRUE) }
           else if (level[b] == 2L && !is.nan(value[b])) { if (value[b] == 0) a else literal(1, TRUE) },
      select = if (level[a] == 2L) { if (is.nan(value[a])) literal(NaN) else with[if (value[a] == 0) 3L else 2L] })
  }
  count_operation <- function() {
    written <<- written + 1L
    if (written > integrand_limits[["operations"]])
      raise_engine_error("input", sprintf(paste(
        "the integrand has more than %.0f operations: sums over long vectors are written out. Reduce the data to",
        "sufficient statistics beforehand, or give them in pieces as rows of a matrix column of params"),
        integrand_limits[["operations"]]))
  }
  operation <- function(name, ...) {
    with <- c(..., use.names = FALSE)
    least <- min(level[with])
    fold <- if (least > 0L) integrand_fold[[name]]
    result <- NaN
    if (!is.null(fold)) {
      result <- as.double(do.call(fold, as.list(value[with])))
      if (is.na(result)) result <- NaN # NA of a comparison
      if (least == 2L) return(literal(result, gives_condition(name, with)))
    }
    same <- simpler(name, with)
    if (!is.null(same)) return(if (gives_condition(name, with)) same else as_number(same))
    if (length(with) == 2L && with[1L] > with[2L] && name %in% integrand_commutative) with <- with[2:1]
    key <- paste(c(name, with), collapse = " ")
    id <- seen[[key]]
    if (is.null(id)) {
      count_operation()
      seen[[key]] <- id <- node(number[[name]], with, result, if (is.null(fold)) 0L else least,
                                gives_condition(name, with))
    }
    id
  }
  # Operations of rows of operands: what is neither folded nor simpler is looked up and numbered at once.
  operations <- function(name, with) {
    n <- nrow(with)
    levels <- matrix(level[with], n)
    plain <- name != "neg" & rowSums(levels == 0L) > 0L
    if (name %in% c("and", "or", "select")) plain <- plain & rowSums(levels == 2L) == 0L
    else plain <- plain & rowSums(levels == 2L & (value[with] %in% c(0, 1))) == 0L
    id <- integer(n)
    if (sum(plain) < 8L) plain[] <- FALSE
    else {
      new <- with[plain, , drop = FALSE]
      if (ncol(new) == 2L && name %in% integrand_commutative) new <- cbind(pmin(new[, 1L], new[, 2L]),
                                                                           pmax(new[, 1L], new[, 2L]))
      keys <- do.call(paste, c(list(name), lapply(seq_len(ncol(new)), function(k) new[, k])))
      place <- mget(keys, envir = seen, ifnotfound = list(0L))
      place <- unlist(place, use.names = FALSE)
      for (i in which(place == 0L & !duplicated(keys))) {
        count_operation()
        seen[[keys[i]]] <- place[i] <- node(number[[name]], new[i, ], NaN, 0L, gives_condition(name, new[i, ]))
      }
      again <- which(place == 0L)
      place[again] <- place[match(keys[again], keys)]
      id[plain] <- place
    }
    for (i in which(!plain)) id[i] <- operation(name, with[i, ])
    id
  }
  gives_condition <- function(name, with)
    name %in% integrand_conditions || name == "select" && all(condition[with[-1L]])
  # The same for vectors of nodes, recycled; names as R's arithmetic has them.
  apply <- function(name, ...) {
    arguments <- list(...)
    sizes <- lengths(arguments)
    n <- if (any(sizes == 0L)) 0L else max(sizes)
    if (n > 0L && any(n %% sizes != 0L))
      raise_engine_error("input", sprintf("vectors of lengths %s do not recycle", paste(sizes, collapse = " and ")))
    labels <- NULL
    for (v in arguments) if (is.null(labels) && length(v) == n) labels <- names(v)
    if (n == 1L) id <- operation(name, ...)
    else id <- of_one_type(operations(name, do.call(cbind, lapply(arguments, function(v) rep_len(unname(v), n)))))
    if (!is.null(labels)) names(id) <- labels
    id
  }
  is_condition <- function(id) all(condition[id])

  # What the outputs need, in the numbering of the engine.
  finish <- function(outputs) {
    live <- logical(count)
    live[outputs] <- TRUE
    for (id in rev(seq_len(count)))
      if (live[id]) { if (op[id] >= 0L || op[id] == -4L) live[operands[[id]]] <- TRUE }
    refuse_missing(live)
    kind <- op[seq_len(count)]
    constants <- which(live & kind == -2L)
    # a literal that is both a number and a condition has one place; captured values keep theirs
    bits <- sprintf("%a %s", value[constants], ifelse(level[constants] == 2L, "", constants))
    slot <- match(bits, unique(bits))
    constant_values <- value[constants][!duplicated(bits)]
    parameters <- which(live & kind == -3L)
    parameters <- parameters[order(vapply(operands[parameters], identity, 0L))]
    operations <- which(live & kind >= 0L)
    place <- integer(count)
    n_constant <- length(constant_values)
    place[constants] <- slot
    place[parameters] <- n_constant + seq_along(parameters)
    place[operations] <- n_constant + length(parameters) + seq_along(operations)
    same <- which(live & kind == -4L)
    place[same] <- place[unlist(operands[same])]
    code <- matrix(-1L, 7L, length(operations))
    code[1L, ] <- op[operations]
    with <- operands[operations]
    sizes <- lengths(with)
    code[cbind(sequence(sizes) + 1L, rep(seq_along(with), sizes))] <- place[unlist(with)]
    slots <<- place
    used <- columns[vapply(operands[parameters], identity, 0L)]
    list(code = code, constants = as.double(constant_values), n_param = length(parameters),
         outputs = place[unname(outputs)],
         parameters = list(name = vapply(used, `[[`, "", "name"), column = vapply(used, `[[`, 0L, "column")),
         component_names = names(outputs))
  }
  list(x = 1L, literal = literal, capture = capture, note_missing = note_missing, column = column, known = known,
       operation = operation, apply = apply, is_condition = is_condition, as_number = as_number,
       of_one_type = of_one_type, finish = finish,
       level = function(id) level[id], written = function() written, slot = function(id) slots[id])
}

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
        raise_engine_error("input",
                           "the integrand takes too many steps to translate: loops and calls are written out")
      switch(length(task), task[[1L]](tr), task[[1L]](tr, task[[2L]]),
             task[[1L]](tr, task[[2L]], task[[3L]]), task[[1L]](tr, task[[2L]], task[[3L]], task[[4L]]))
    }
    take()
  }
  list(push = push, give = give, take = take, take_all = take_all, run = run)
}

# ---- errors --------------------------------------------------------------------------------------------------------

# The uppermost levels of a call: to deparse all of it would recurse.
integrand_shallow <- function(e, depth = 5L) {
  if (!is.call(e)) return(if (is.function(e) || is.environment(e)) quote(...) else e)
  if (depth == 0L) return(quote(...))
  parts <- utils::head(as.list(e), 9L)
  as.call(lapply(parts, function(part) if (missing(part)) quote(expr = ) else integrand_shallow(part, depth - 1L)))
}

# A call in at most 60 characters.
integrand_shown <- function(e) {
  text <- paste(trimws(deparse(integrand_shallow(e), nlines = 20L)), collapse = " ")
  if (nchar(text) > 60L) paste0(substr(text, 1L, 57L), "...") else text
}

integrand_refuse <- function(e, ...)
  raise_engine_error("input", paste0("cannot translate ", integrand_shown(e), ": ", ...))

# ---- values: an integer vector of nodes, or a list of a kind that has no number ------------------------------------

integrand_value <- function(kind, ...) list(kind = kind, ...)
is_nodes <- function(v) is.integer(v)

integrand_null <- list(kind = "null")
integrand_returned <- list(kind = "returned")
integrand_void <- function(why) list(kind = "void", why = why)

# The nodes of a value that must be numbers; e is what has it.
as_nodes <- function(v, e) {
  if (is.integer(v)) return(v)
  integrand_refuse(e, switch(v$kind,
    null = "a part of it is NULL, and numbers are needed",
    string = "a part of it is a character string, and numbers are needed",
    `function` = "a part of it is a function that is not called, and numbers are needed",
    returned = "return() is translated as a statement, not within an expression",
    missing = sprintf("argument \"%s\" is missing, with no default", v$name),
    object = return(refuse_variable(v$value, v$name, "")),
    void = v$why))
}

# A number or flag that decides what is written: literal or captured, not dependent on x or params.
known_number <- function(tr, v, e, what) {
  v <- as_nodes(v, e)
  if (length(v) != 1L) integrand_refuse(e, what, " must have length 1")
  known <- tr$nodes$known(v)
  if (is.null(known))
    integrand_refuse(e, what, " must be a constant: it may depend neither on the variable nor on params")
  if (tr$nodes$level(v) == 1L) tr$structural <- TRUE
  known
}

known_numbers <- function(tr, v, e, what)
  vapply(unname(as_nodes(v, e)), function(id) known_number(tr, id, e, what), 0)

# ---- frames --------------------------------------------------------------------------------------------------------

# A root stands for an environment of R, a frame for a call of a function that is written out. The root of the
# integrand itself also has the variable, the constants of `...` and the columns of params, which other functions of
# the same environment do not see.
integrand_root <- function(tr, env, top = FALSE) {
  if (!top) for (root in tr$roots) if (identical(root$env, env)) return(root)
  root <- new.env(parent = emptyenv())
  root$env <- env
  root$top <- top
  root$trusted <- FALSE
  root$functions <- new.env(parent = emptyenv())
  root$captured <- new.env(parent = emptyenv())
  if (!top) tr$roots <- c(tr$roots, root)
  root
}

integrand_frame <- function(root, parent = NULL, depth = 0L) {
  frame <- new.env(parent = emptyenv())
  frame$vars <- new.env(parent = emptyenv())
  frame$root <- root
  frame$parent <- parent
  frame$depth <- depth
  frame$sealed <- 0L
  frame$pending <- list()
  frame
}

# branch is the number of the branch it is made in: no other one needs it.
integrand_promise <- function(e, frame, branch = NULL) {
  promise <- new.env(parent = emptyenv())
  promise$e <- e
  promise$frame <- frame
  promise$branch <- branch
  promise$running <- FALSE
  promise
}

# A promise keeps the value it has when it is first needed. If that is in a branch, it is known there, and afterwards
# where the condition held: elsewhere it is evaluated when it is needed again, by then perhaps to another value.
# partly has the values of such branches, list(condition, value), of which the first whose condition holds counts.
force_promise <- function(tr, promise) {
  if (!is.null(promise$value)) return(tr$stack$give(promise$value))
  if (promise$running) integrand_refuse(promise$e, "it refers to itself")
  promise$running <- TRUE
  if (!is.null(promise$merge)) {
    tr$stack$push(keep_merged, promise)
    for (v in promise$merge[c("no", "yes")])
      tr$stack$push(if (is.environment(v)) force_promise else give_value, v)
    return(NULL)
  }
  promise$frame$sealed <- promise$frame$sealed + 1L
  tr$stack$push(keep_promise, promise)
  tr$stack$push(integrand_eval, promise$e, promise$frame)
}

give_value <- function(tr, v) tr$stack$give(v)

keep_promise <- function(tr, promise) {
  promise$running <- FALSE
  promise$frame$sealed <- promise$frame$sealed - 1L
  settle_promise(tr, promise, tr$stack$take())
}

settle_promise <- function(tr, promise, value) {
  if (!is.null(promise$partly) && !(is.list(value) && value$kind == "function" && is_stable(promise))) {
    what <- sprintf("the values of %s, first needed in a branch of if() and again after an assignment,",
                    integrand_shown(promise$e))
    for (known in rev(promise$partly)) value <- either_value(tr, known$condition, known$value, value, what)
  }
  note_forced(tr, promise)
  promise$partly <- NULL
  promise$value <- value
  tr$stack$give(value)
}

# For leave_branch() to set it back.
note_forced <- function(tr, promise) {
  if (!is.null(tr$branch) && !identical(promise$branch, tr$branch$id))
    tr$branch$forced <- list(list(promise = promise, partly = promise$partly), tr$branch$forced)
}

# Functions made twice by the same code are two: they are the same if no name in the code was assigned to.
is_stable <- function(promise) {
  for (name in all.names(promise$e, unique = TRUE)) {
    f <- promise$frame
    while (!is.null(f) && is.null(f$vars[[name]])) f <- f$parent
    v <- f$vars[[name]]
    if (!is.null(v) && !(is.environment(v) && is.null(v$merge))) return(FALSE)
  }
  TRUE
}

# ---- looking up ----------------------------------------------------------------------------------------------------

integrand_variable <- function(tr, e, frame) {
  name <- as.character(e)
  if (!nzchar(name)) raise_engine_error("input", "cannot translate a call with an empty argument")
  f <- frame
  while (!is.null(f)) {
    v <- f$vars[[name]]
    if (!is.null(v)) return(if (is.environment(v)) force_promise(tr, v) else tr$stack$give(v))
    f <- f$parent
  }
  root <- frame$root
  v <- root$captured[[name]]
  if (is.null(v)) root$captured[[name]] <- v <- captured_variable(tr, name, root)
  tr$stack$give(v)
}

captured_variable <- function(tr, name, root) {
  if (root$trusted) return(tr$nodes$literal(integrand_definitions$shared[[name]]))
  if (root$top && name == tr$variable) return(tr$nodes$x)
  found <- variable_source(tr, name, root)
  if (is.null(found) && !root$top) raise_engine_error("input", sprintf(
    "a function that the integrand calls has the name %s, which is not in its environment", sQuote(name, FALSE)))
  if (is.null(found)) raise_engine_error("input", sprintf(paste(
    "the integrand has the name %s, which is neither its variable (%s) nor among the constants of `...`, the columns",
    "of params and the variables of its environment"), sQuote(name, FALSE), tr$variable))
  id <- if (found$kind == "column") column_value(tr, name)
        else captured_value(tr, found$value, name, literal = is_of_base(name, found$value))
  note_lookup(tr, found$kind, root, name, found$value, id)
  id
}

# Where a name outside of the code has its value: constants of `...`, columns of params, then the environment.
variable_source <- function(tr, name, root, env = root$env) {
  if (root$top) {
    tr$asked <- c(tr$asked, name)
    v <- tr$dots[[name, exact = TRUE]]
    if (!is.null(v)) return(list(kind = "constant", value = v))
    if (name %in% tr$columns) return(list(kind = "column", value = column_of(tr$params, name)))
  }
  v <- get0(name, envir = env, inherits = TRUE)
  if (!is.null(v)) list(kind = "variable", value = v)
}

column_of <- function(params, name) if (is.list(params)) params[[name]] else params[, name]

is_of_base <- function(name, v) {
  base <- get0(name, envir = baseenv(), inherits = FALSE)
  !is.null(base) && identical(v, base)
}

# Numbers of the user's frames: nodes of their own, so that other values give the same program.
# What else there is, lists and matrices, is a value that only functions computed by R take.
captured_value <- function(tr, v, name, literal = FALSE) {
  if (is.null(v)) return(integrand_null)
  if (is.function(v)) return(integrand_value("function", closure = v, name = name))
  if (is.character(v) && length(v) == 1L && !is.object(v)) {
    tr$structural <- TRUE
    return(integrand_value("string", text = v))
  }
  if (!is_vector_of_numbers(v)) return(integrand_value("object", value = v, name = name))
  is_condition <- is.logical(v)
  numbers <- as.double(v)
  make <- if (literal) tr$nodes$literal else tr$nodes$capture
  id <- integer(length(numbers))
  for (i in seq_along(numbers)) id[i] <- make(numbers[i], is_condition)
  if (!literal) for (i in which(is.na(numbers)))
    tr$nodes$note_missing(id[i], sprintf("%s%s is %s: the integrand needs a number", name,
                                         if (length(v) > 1L) sprintf("[%d]", i) else "",
                                         if (is.nan(v[[i]])) "NaN" else "NA"))
  names(id) <- names(v)
  id
}

is_vector_of_numbers <- function(v)
  (is.numeric(v) || is.logical(v)) && !is.object(v) && length(v) <= integrand_limits[["vector"]] &&
    (length(dim(v)) <= 1L || length(v) == 1L)

refuse_variable <- function(v, name, what) {
  if ((is.numeric(v) || is.logical(v)) && !is.object(v)) {
    if (nzchar(what) || is_vector_of_numbers(v)) return(NULL)
    raise_engine_error("input",
      if (length(dim(v)) > 1L)
        sprintf("%s is a matrix: the integrand has vectors only, give its columns or as.vector(%s)", name, name)
      else sprintf("%s has %d elements, the integrand takes at most %.0f", name, length(v),
                   integrand_limits[["vector"]]))
  }
  raise_engine_error("input", sprintf(
    "%s%s is of class %s: the integrand takes numbers and logicals; %s", what, name, sQuote(class(v)[1L], FALSE),
    if (is.list(v)) sprintf("take its elements with %s$name", name)
    else if (is.factor(v)) sprintf("give as.numeric(%s), or indicators of its levels", name)
    else sprintf("give as.numeric(%s)", name)))
}

column_value <- function(tr, name) {
  v <- column_of(tr$params, name)
  refuse_variable(v, name, "column ")
  if (length(dim(v)) > 2L)
    raise_engine_error("input", sprintf("column %s of params has more than two dimensions", name))
  k <- if (is.matrix(v)) ncol(v) else 1L
  if (k > integrand_limits[["vector"]])
    raise_engine_error("input", sprintf("column %s of params has %d columns, the integrand takes at most %.0f", name,
                                        k, integrand_limits[["vector"]]))
  id <- vapply(seq_len(k), function(j) tr$nodes$column(name, j, is.logical(v)), 0L)
  if (is.matrix(v)) names(id) <- colnames(v)
  id
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

function_source <- function(tr, name, root, env = root$env) {
  f <- if (root$top) tr$dots[[name, exact = TRUE]]
  if (is.function(f)) tr$asked <- c(tr$asked, name)
  if (is.function(f)) f else get0(name, envir = env, mode = "function", inherits = TRUE)
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
  hint <- integrand_hints[[name, exact = TRUE]]
  integrand_refuse(e, if (nzchar(name)) paste0(name, "()") else "it",
                   " is not among the functions that integrategpu() translates, see ?integrand",
                   if (!is.null(entry$by_r)) "; only what does not depend on the variable or params is computed by R",
                   if (!is.null(hint)) paste0("; ", hint))
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
  while (passed_on) {
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
                error = function(problem) integrand_refuse(e, conditionMessage(problem)))
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

# ---- translations kept ---------------------------------------------------------------------------------------------

# The last translations, each with all that was looked up for it. One serves again if the code is the same and every
# name still leads to the same function or to numbers of the same shape, which take their places among the constants;
# where a value decided what was written, it must be the same too.
note_lookup <- function(tr, kind, root, name, value, id = NULL) {
  if (kind == "column") value <- column_shape(value)
  tr$lookups <- list(list(kind = kind, root = root, name = name, value = value, id = id), tr$lookups)
}

column_shape <- function(v)
  list(is.logical(v), dim(v)[-1L], colnames(v), is.numeric(v) || is.logical(v), is.object(v))

same_shape <- function(a, b)
  is.logical(a) == is.logical(b) && (is.numeric(a) || is.logical(a)) && (is.numeric(b) || is.logical(b)) &&
    !is.object(b) && length(a) == length(b) && identical(names(a), names(b)) && identical(dim(a), dim(b))

keep_translation <- function(tr, code, program) {
  if (isTRUE(tr$forgetful) || !is_small_code(code)) return(NULL)
  lookups <- list()
  rest <- tr$lookups
  while (!is.null(rest)) {
    look <- rest[[1L]]
    if (is.integer(look$id)) look$slot <- tr$nodes$slot(unname(look$id))
    # a constant that was not captured, such as pi, is part of the program
    look$fixed <- is.null(look$slot) || tr$structural ||
      any(vapply(look$id, function(id) tr$nodes$level(id) == 2L, NA))
    lookups[[length(lookups) + 1L]] <- look
    rest <- rest[[2L]]
  }
  kept <- list(code = code, dots = names(tr$dots), columns = tr$columns, lookups = lookups, program = program,
               size = ncol(program$code) + length(program$constants))
  kept <- c(list(kept), utils::head(integrand_memory$kept, 31L))
  integrand_memory$kept <- kept[seq_along(kept) == 1L | cumsum(vapply(kept, `[[`, 0, "size")) <= 2e5]
}

# To compare code R recurses: it must not be deep. Counted without recursion.
is_small_code <- function(code) {
  rest <- list(code, NULL)
  for (count in seq_len(4000L)) {
    if (is.null(rest)) return(TRUE)
    e <- rest[[1L]]
    rest <- rest[[2L]]
    if (is.call(e) || is.list(e) || is.pairlist(e))
      for (part in as.list(e)) if (!missing(part)) rest <- list(part, rest)
  }
  FALSE
}

kept_translation <- function(tr, code, env) {
  for (kept in integrand_memory$kept) {
    if (!identical(kept$dots, names(tr$dots)) || !identical(kept$columns, tr$columns) ||
        !identical(kept$code, code)) next
    program <- kept$program
    for (look in kept$lookups) {
      from <- if (look$root$top) env else look$root$env
      if (look$kind == "function") {
        if (identical(function_source(tr, look$name, look$root, from), look$value)) next
        program <- NULL
        break
      }
      found <- variable_source(tr, look$name, look$root, from)
      same <- !is.null(found) && found$kind == look$kind &&
        if (look$kind == "column") identical(column_shape(found$value), look$value)
        else identical(found$value, look$value) || !look$fixed && same_shape(look$value, found$value)
      if (!same) {
        program <- NULL
        break
      }
      if (look$kind != "column" && !look$fixed) {
        live <- look$slot > 0L
        numbers <- as.double(found$value)[live]
        if (anyNA(numbers)) {
          program <- NULL
          break
        }
        program$constants[look$slot[live]] <- numbers
      }
    }
    if (!is.null(program)) return(program)
  }
  NULL
}

# ---- the translation -----------------------------------------------------------------------------------------------

# The program of an integrand: see src/integrand.h for its parts. f is a formula, an expression or call, or a
# function; env the environment of an expression.
integrand_translate <- function(f, params = NULL, dots = list(), env = parent.frame()) {
  tr <- new.env(parent = emptyenv())
  tr$nodes <- integrand_nodes()
  tr$stack <- integrand_stack()
  tr$roots <- list()
  tr$last_branch <- 0L
  tr$structural <- FALSE
  tr$steps <- 0
  tr$lookups <- NULL
  tr$params <- params
  tr$columns <- if (is.null(params)) character() else if (is.null(names(params))) colnames(params) else names(params)
  tr$dots <- dots
  tr$variable <- "x"
  if (length(dots) && (is.null(names(dots)) || any(!nzchar(names(dots)))))
    raise_engine_error("input", "constants of the integrand in `...` must have names")
  f <- without_vectorize(f)
  if (is.function(f)) {
    e <- integrand_call(tr, f)
    env <- if (is.null(environment(f))) baseenv() else environment(f)
  } else if (inherits(f, "formula")) {
    if (length(f) != 2L) raise_engine_error("input", "f must be a formula with one side: ~ expression in x")
    e <- f[[2L]]
    if (!is.null(environment(f))) env <- environment(f)
  } else if (is.expression(f) && length(f) == 1L) e <- f[[1L]]
  else if (is.language(f) && !is.expression(f)) e <- f
  else raise_engine_error("input", sprintf(
    "f is of class %s: it must be a formula with one side, a function, or one expression",
    sQuote(class(f)[1L], FALSE)))
  # Functions are compared by what they do, not where they were made: names are looked up anew. Those that are known
  # by what they are have no names that are looked up.
  code <- if (!is.function(f)) e else if (is_written_out(tr, f)) list(formals(f), body(f)) else f
  program <- kept_translation(tr, code, env)
  if (!is.null(program)) return(program)
  if (tr$variable %in% tr$columns)
    raise_engine_error("input", sprintf(
      "params has a column %s, which is the variable of integration: rename the column, or leave it out",
      tr$variable))
  root <- integrand_root(tr, env, top = TRUE)
  tr$top <- list(f = if (is.function(f)) f, root = root)
  frame <- integrand_frame(root)
  tr$stack$push(leave_function, frame, e)
  tr$stack$push(integrand_eval, e, frame)
  value <- withCallingHandlers(tr$stack$run(tr), warning = function(w) invokeRestart("muffleWarning"))
  value <- as_nodes(value, if (is.function(f)) as.name("f") else e)
  if (!length(value)) integrand_refuse(e, "it has length 0")
  check_asked(tr, f, e)
  program <- tr$nodes$finish(value)
  program$variable <- tr$variable
  keep_translation(tr, code, program)
  program
}

# Constants in `...` that nothing asks for are mistakes. What stands in a branch that is not taken is no mistake.
check_asked <- function(tr, f, e) {
  has <- if (is.function(f)) names(formals(args(f)))[-1L] else setdiff(all.vars(e), tr$variable)
  if ("..." %in% has && is.function(f)) return()
  words <- if (is.function(f)) all.names(body(f), unique = TRUE) else all.names(e, unique = TRUE)
  unused <- setdiff(names(tr$dots), c(tr$asked, has, words, tr$passed))
  if (tr$variable %in% names(tr$dots)) unused <- tr$variable
  if (length(unused)) refuse_unasked(unused[1L], has, tr$variable)
}

refuse_unasked <- function(name, has, variable) {
  why <- if (name == variable) "it is the variable of integration"
         else if (length(has)) sprintf("f has %s", paste(utils::head(has, 12L), collapse = ", "))
         else sprintf("f has no names but %s", variable)
  raise_engine_error("input", sprintf("%s is no argument of integrategpu(), and f does not use it: %s", name, why))
}

# A function as a call of itself: its first argument is the variable, the others are taken where names give them.
# Of constants the beginning of an argument's name will do, as in a call of R.
integrand_call <- function(tr, f) {
  formal <- names(formals(args(f)))
  if (!length(formal) || formal[1L] == "...")
    raise_engine_error("input", "f must have an argument: its first one is the variable of integration")
  tr$variable <- formal[1L]
  given <- intersect(formal[-1L], c(names(tr$dots), tr$columns))
  arguments <- sapply(given, as.name, simplify = FALSE)
  before_dots <- formal[seq_len(match("...", formal, nomatch = length(formal) + 1L) - 1L)]
  free <- setdiff(before_dots[-1L], given)
  for (name in setdiff(names(tr$dots), c(formal, all.names(body(f))))) {
    whole <- free[startsWith(free, name)]
    if (length(whole) > 1L)
      raise_engine_error("input", sprintf("%s may be %s of f: give the name in full", name,
                                          paste(whole, collapse = " or ")))
    if (!length(whole)) next
    if (whole %in% names(arguments))
      raise_engine_error("input", sprintf("%s of f is given twice", whole))
    arguments[[whole]] <- as.name(name)
    tr$passed <- c(tr$passed, name)
  }
  if ("..." %in% formal) {
    more <- setdiff(names(tr$dots), c(formal, tr$passed))
    arguments <- c(arguments, sapply(more, as.name, simplify = FALSE))
  }
  as.call(c(list(f, as.name(tr$variable)), arguments))
}

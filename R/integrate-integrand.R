# Translation of R code to the straight-line programs that the engine evaluates: translate_or_refuse() walks the code
# and writes operations, each once.
# What is looked up but never evaluated is the user's code; only constants and functions are fetched from its frames,
# and R computes the functions of integrand_known, which have no side effects, of what does not depend on x.

# Limits of what is written and of the steps taken: a loop or a recursion beyond them is a mistake.
# Data of more than `loops` numbers are written as loops if all that is done with them can be, and one by one
# otherwise if they are at most `written`.
integrand_limits <- c(operations = 5e4, steps = 5e5, depth = 50, vector = 1e5, loops = 12, written = 100)

integrand_memory <- new.env(parent = emptyenv())

# The program of an integrand: see quadrature/integrand.h for its parts; or why there is none, and the state of what
# the user has been told. f is a formula, an expression or call, or a function; env the environment of an expression.
translate_or_refuse <- function(f, params, dots, env) {
  tr <- new.env(parent = emptyenv())
  tr$params <- params
  tr$columns <- if (is.null(params)) character() else if (is.null(names(params))) colnames(params) else names(params)
  tr$dots <- dots
  f <- without_vectorize(f)
  code <- integrand_code(tr, f, env)
  e <- code$e
  env <- code$env
  # Functions are compared by what they do, not where they were made: names are looked up anew. Those that are known
  # by what they are have no names that are looked up.
  code <- if (!is.function(f)) e else if (is_written_out(f)) list(formals(f), body(f)) else f
  program <- kept_translation(tr, code, env)
  if (!is.null(program)) return(program)
  program <- translate_code(tr, f, e, env, integrand_limits[["loops"]])
  if (!is.null(program$why) && any(tr$in_loops <= integrand_limits[["written"]]))
    program <- translate_code(tr, f, e, env, integrand_limits[["written"]])
  if (is.null(program$why)) {
    check_asked(tr, f, e)
    program$variable <- tr$variable
    program$stops <- length(tr$stops) > 0L
    program$knots <- if (length(tr$knots) <= integrand_limits[["written"]]) sort(unique(tr$knots))
  }
  keep_translation(tr, code, program)
  program
}

translate_code <- function(tr, f, e, env, written) {
  tr$written <- written
  tr$roots <- tr$met <- list()
  tr$branch <- tr$last_branch <- 0L
  tr$steps <- 0
  tr$structural <- FALSE
  tr$lookups <- tr$stops <- tr$knots <- tr$by_r <- tr$trusted <- tr$in_loops <- NULL
  tr$nodes <- integrand_nodes()
  root <- integrand_root(tr, env, top = TRUE)
  tr$top <- list(f = if (is.function(f)) f, root = root)
  tryCatch({
    frame <- integrand_frame(root)
    value <- suppressWarnings(integrand_eval(tr, e, frame))
    value <- as_nodes(leave_function(tr, frame, value), if (is.function(f)) as.name("f") else e)
    if (!length(value)) integrand_refuse(e, "it has length 0")
    for (reached in tr$stops) value <- recycled(tr, "select", reached, literal(tr, NaN), value)
    program <- integrand_written(tr, value)
    # what the engine has no room for is left to R too
    tryCatch(.Call(C_integrandOpens, program),
             statcl_error_input = function(problem) raise_translation_error(conditionMessage(problem)))
    program
  }, error = function(problem) {
    if (inherits(problem, "statcl_error") && !inherits(problem, "statcl_error_translation")) stop(problem)
    why <- if (inherits(problem, "stackOverflowError")) "the integrand is nested too deeply to be translated"
           else conditionMessage(problem)
    list(why = why, state = new.env(parent = emptyenv()))
  })
}

# The code of f, a call where f is a function, and the environment that it is in.
integrand_code <- function(tr, f, env) {
  tr$variable <- "x"
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
    "f is of class %s: it must be a formula with one side, a function, or one expression%s",
    sQuote(class(f)[1L], FALSE),
    if (is.character(f)) ", as str2lang() makes it of R code; OpenCL C is not taken" else ""))
  if (tr$variable %in% tr$columns) raise_engine_error("input", sprintf(
    "params has a column %s, which is the variable of integration: rename the column, or leave it out", tr$variable))
  list(e = e, env = env)
}

# Constants in `...` that nothing asks for are mistakes. What stands in a branch that is not taken is no mistake.
check_asked <- function(tr, f, e) {
  has <- if (is.function(f)) names(formals(args(f)))[-1L] else setdiff(all.vars(e), tr$variable)
  if ("..." %in% has && is.function(f)) return()
  words <- if (is.function(f)) all.names(body(f), unique = TRUE) else all.names(e, unique = TRUE)
  unused <- setdiff(names(tr$dots), c(tr$asked, has, words, tr$passed))
  if (tr$variable %in% names(tr$dots)) unused <- tr$variable
  if (!length(unused)) return(invisible())
  why <- if (unused[1L] == tr$variable) "it is the variable of integration"
         else if (length(has)) sprintf("f has %s", paste(utils::head(has, 12L), collapse = ", "))
         else sprintf("f has no names but %s", tr$variable)
  raise_engine_error("input", sprintf("%s is no argument of integrategpu(), and f does not use it: %s", unused[1L],
                                      why))
}

# A function as a call of itself: its first argument is the variable, the others are taken where names give them.
# Of constants the beginning of an argument's name will do, as in a call of R.
integrand_call <- function(tr, f) {
  formal <- names(formals(args(f)))
  if (!length(formal) || formal[1L] == "...")
    raise_engine_error("input", "f must have an argument: its first one is the variable of integration")
  tr$variable <- formal[1L]
  if (!length(tr$dots) && !length(tr$columns)) return(as.call(list(f, as.name(tr$variable))))
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

# ---- translations kept ---------------------------------------------------------------------------------------------

# The last translations, each with all that was looked up for it. One serves again if the code is the same and every
# name still leads to the same function or to numbers of the same shape, which take their places among the constants;
# where a value decided what was written, it must be the same too. Together they have so many bytes at most.
integrand_bytes <- 16e6

note_lookup <- function(tr, kind, root, name, value, id = NULL) {
  if (kind == "column") value <- column_shape(value)
  tr$lookups <- list(list(kind = kind, root = root, name = name, value = value, id = id), tr$lookups)
}

column_shape <- function(v)
  list(is.logical(v), dim(v)[-1L], colnames(v), is.numeric(v) || is.logical(v), is.object(v))

number_shape <- function(v) {
  is_number <- (is.numeric(v) || is.logical(v)) && !is.object(v)
  if (is_number) list(is.logical(v), length(v), names(v), dim(v)) else class(v)
}

keep_translation <- function(tr, code, program) {
  if (isTRUE(tr$forgetful) || holds_frame(code)) return(NULL)
  lookups <- list()
  rest <- tr$lookups
  while (!is.null(rest)) {
    look <- rest[[1L]]
    rest <- rest[[2L]]
    refused <- !is.null(program$why)
    slot <- if (is.integer(look$id) && !refused) tr$slots[look$id]
    # a constant that was not captured, such as pi, is part of the program; what is refused is so for like values
    fixed <- !refused && (is.null(slot) || tr$structural ||
                            any(vapply(look$id, function(id) level_of(tr, id) == 2L, NA)))
    value <- if (is.function(look$value)) keep_function(look$value)
             else if (fixed || look$kind == "column") look$value
             else number_shape(look$value)
    if (holds_frame(value)) return(NULL)
    lookups[[length(lookups) + 1L]] <- list(
      kind = look$kind, name = look$name, top = look$root$top,
      env = if (!look$root$top) keep_environment(look$root$env),
      value = value, is_function = is.function(look$value), slot = slot, fixed = fixed)
  }
  kept <- list(code = code, dots = names(tr$dots), columns = tr$columns, lookups = lookups, program = program)
  kept$size <- as.numeric(utils::object.size(kept))
  others <- Filter(function(other) !is.null(kept_frames(other, globalenv())), session$integrands)
  kept <- c(list(kept), utils::head(others, 31L))
  session$integrands <- kept[cumsum(vapply(kept, `[[`, 0, "size")) <= integrand_bytes]
}

# The environments of its lookups, `env` being that of the code, which cannot go while the caller has them; NULL once
# the frame of a function that it calls has gone.
kept_frames <- function(kept, env) {
  frames <- lapply(kept$lookups, function(look) if (look$top) env else kept_environment(look$env))
  if (!any(vapply(frames, is.null, NA))) frames
}

kept_translation <- function(tr, code, env) {
  for (kept in session$integrands) {
    if (!identical(kept$dots, names(tr$dots)) || !identical(kept$columns, tr$columns) ||
        !identical(kept$code, code)) next
    program <- kept_program(tr, kept, kept_frames(kept, env))
    if (!is.null(program)) return(program)
  }
}

# A program with the numbers that its names have now; NULL where one of them leads to something else.
kept_program <- function(tr, kept, frames) {
  if (is.null(frames)) return(NULL)
  program <- kept$program
  for (i in seq_along(frames)) {
    look <- kept$lookups[[i]]
    root <- list(top = look$top, env = frames[[i]])
    if (look$kind == "function") {
      if (!is_kept_function(look$value, function_source(tr, look$name, root))) return(NULL)
      next
    }
    found <- variable_source(tr, look$name, root)
    same <- !is.null(found) && found$kind == look$kind &&
      if (look$kind == "column") identical(column_shape(found$value), look$value)
      else if (look$is_function) is_kept_function(look$value, found$value)
      else if (look$fixed) identical(found$value, look$value, num.eq = FALSE)
      else identical(number_shape(found$value), look$value)
    if (!same) return(NULL)
    if (look$kind == "column" || look$fixed || !is.null(program$why)) next
    live <- look$slot > 0L
    numbers <- as.double(found$value)[live]
    if (anyNA(numbers)) return(NULL)
    program$constants[look$slot[live]] <- numbers
  }
  program
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
  raise_translation_error(paste0("cannot translate ", integrand_shown(e), ": ", ...))

# Of what R evaluates instead.
raise_translation_error <- function(message)
  stop(structure(class = c("statcl_error_translation", "statcl_error_input", "statcl_error", "error", "condition"),
                 list(message = message, call = user_call())))

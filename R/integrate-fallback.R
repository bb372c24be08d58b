# Integrands that are not translated: R evaluates them, for the nodes of all rows of a round in one call where that
# gives what calls for single nodes give, else row by row, else node by node.

# Rows of params come as vectors that are as long as x, constants as they are. why: what is not translated; at: a
# place of the first integral, list(x, row), or NULL.
integrand_by_r <- function(f, params, dots, env, why, at) {
  tr <- list2env(list(dots = dots, columns = names(params), variable = "x"))
  code <- integrand_code(tr, f, env)
  check_asked(tr, f, code$e)
  formal <- if (is.function(f)) names(formals(args(f)))
  words <- all.names(if (is.function(f)) body(f) else code$e, unique = TRUE)
  used <- intersect(names(params), c(formal, words))
  frame <- list2env(dots, parent = code$env)
  e <- code$e
  if (is.function(f)) {
    f <- e[[1L]]
    if (length(setdiff(intersect(words, c(names(dots), used)), formal)) && !is.primitive(f)) environment(f) <- frame
    # errors show the name
    if (!"f" %in% c(tr$variable, names(dots), used)) frame$f <- f
    e[[1L]] <- if (is.null(frame$f)) f else quote(f)
  }
  columns <- params[used]
  level <- if (any(vapply(columns, is.matrix, NA))) 2L else 1L # 1: all rows at once, 2: one row, 3: one node
  doubled <- settled <- FALSE
  round <- 0
  m <- 1L
  labels <- warned <- NULL

  set_rows <- function(row) for (name in used) {
    column <- columns[[name]]
    k <- (row - 1) %% NROW(column) + 1
    frame[[name]] <- if (is.matrix(column)) column[k, ] else column[k]
  }
  value_at <- function(x) {
    frame[[tr$variable]] <- x
    v <- eval(e, frame)
    if (!is.numeric(v) && !is.logical(v)) raise_engine_error("input", sprintf(
      "f gives a value of class %s at %s: numbers are needed", sQuote(class(v)[1L], FALSE), shown_x(x[1L])))
    v
  }
  # A function may need more than one number, as one with rowSums() of what sapply() gives.
  single <- function(x) {
    v <- value_at(if (doubled) c(x, x) else x)
    if (length(v) != m * (1L + doubled)) raise_engine_error("input", sprintf(
      "f gives %d values at %s, and %d elsewhere", length(v) %/% (1L + doubled), shown_x(x), m))
    as.double(v)[seq_len(m)]
  }
  first <- function(at) {
    set_rows(at$row)
    arithmetic <- FALSE # with a factor, of which R warns
    v <- withCallingHandlers(tryCatch(value_at(at$x), error = identity), warning = function(w)
      if (!is.null(factor_in(columns, dots)) && grepl("factor", conditionMessage(w), fixed = TRUE)) {
        arithmetic <<- TRUE
        tryInvokeRestart("muffleWarning")
      })
    if (arithmetic && !inherits(v, "error") && anyNA(v)) refuse_factor(factor_in(columns, dots))
    if (inherits(v, "error")) {
      set_rows(rep(at$row, 2L))
      twice <- if (m == 1L) tryCatch(value_at(c(at$x, at$x)), error = function(problem) NULL)
      doubled <<- length(twice) == 2L && same(as.double(twice[1L]), as.double(twice[2L]))
      if (!doubled) {
        explain_columns(v, used, params, setdiff(formal[-1L], names(dots)), f)
        absent <- if (!is.function(f)) Filter(function(name) !exists(name, envir = frame), all.vars(e))
        if (length(absent)) raise_engine_error("input", sprintf(
          "f contains %s, which is no column of params, and no variable has this name", absent[1L]))
        if (!is.function(f) && inherits(v, "simpleError")) # of a function it is the user's own
          raise_engine_error("input", sprintf("f cannot be evaluated at %s: %s", shown_x(at$x), conditionMessage(v)))
        stop(v)
      }
      v <- twice[1L]
    }
    if (!length(v)) raise_engine_error("input", "f gives a value of length 0")
    m <<- length(v)
    labels <<- names(v)
    if (m > 1L) level <<- 3L
  }
  same <- function(a, b) (is.na(a) & is.na(b) | a == b | abs(a - b) <= 1e-10 * abs(b)) %in% TRUE
  # Values for a vector, unless they are not those of single numbers; which of them are looked at changes.
  together <- function(x, row, checks) {
    n <- length(x)
    later <- list()
    set_rows(row)
    v <- tryCatch(withCallingHandlers(value_at(x), warning = function(w) {
      later <<- c(later, list(w))
      invokeRestart("muffleWarning")
    }), error = function(problem) NULL)
    # of a condition with several elements R only warned, before 4.2.0 in if () and in 4.2 at && and ||
    warned_of_length <- length(later) && (getRversion() < "4.2.0" ||
      any(grepl("logical(1)", vapply(later, conditionMessage, ""), fixed = TRUE)))
    if (length(v) != n || warned_of_length) return(NULL)
    v <- as.double(v)
    at <- unique(c(1 + floor(n * ((seq_len(checks) * 0.6180339887 + round * 0.2360679775) %% 1)),
                   if (checks > 1) c(which.min(x), which.max(x))))
    for (i in at) {
      if (length(row) > 1L || doubled) set_rows(rep(if (length(row) > 1L) row[i] else row, 1L + doubled))
      by_itself <- tryCatch(suppressWarnings(single(x[i])), error = function(problem) NULL)
      if (is.null(by_itself) || !same(v[i], by_itself)) return(NULL)
    }
    for (w in later) warn_once(w)
    v
  }
  warn_once <- function(w) if (!warning_kind(w) %in% warned) {
    warned <<- c(warned, warning_kind(w))
    warning(w)
  }
  warning_once <- function(expr) withCallingHandlers(expr, warning = function(w) {
    warn_once(w)
    invokeRestart("muffleWarning")
  })
  by_rows <- function(x, row, values) {
    v <- matrix(0, length(x), m)
    for (at in if (is.null(row)) list(seq_along(x)) else split(seq_along(x), row)) {
      part <- values(x[at], if (is.null(row)) 1L else row[at[1L]])
      if (is.null(part)) return(NULL)
      v[at, ] <- part
    }
    v
  }
  one_by_one <- function(x, row) {
    set_rows(if (doubled) c(row, row) else row)
    warning_once(if (m == 1L) vapply(x, single, 0) else t(vapply(x, single, numeric(m))))
  }
  values <- function(x, row) {
    v <- switch(level, together(x, if (is.null(row)) 1L else row, max(2, min(32, length(x) / 1000))),
                by_rows(x, row, function(x, row) together(x, row, 1)),
                by_rows(x, row, one_by_one))
    round <<- round + 1
    if (is.null(v)) {
      level <<- if (length(used)) level + 1L else 3L
      # what has been added up may be wrong
      if (settled) stop(structure(class = c("statcl_restart", "error", "condition"),
                                  list(message = "f is not vectorised", call = NULL)))
      return(values(x, row))
    }
    settled <<- TRUE
    v
  }
  if (!is.null(at)) warning_once(first(at))
  list(call = values, why = why, constants = numeric(), n_param = as.integer(length(used) > 0L), outputs = integer(m),
       parameters = list(name = used), component_names = labels, variable = tr$variable)
}

# Why f fails, where that is due to what params has: an argument without a value, or a column that is not of numbers.
explain_columns <- function(problem, used, params, arguments, f) {
  open <- Filter(function(name) identical(formals(args(f))[[name]], quote(expr = )),
                 setdiff(arguments, c("...", names(params))))
  absent <- Filter(function(name) identical(conditionMessage(problem), gettextf(
    "argument \"%s\" is missing, with no default", name, domain = "R")), open)
  if (length(absent) && !length(params)) raise_engine_error("input", sprintf(paste(
    "f has %s without a value: it takes one from a column of params, or by name, as %1$s = 1; if it is a variable of",
    "integration, limits are lists, as lower = list(0, 0)"), absent[1L]))
  if (length(open) && length(params)) raise_engine_error("input", sprintf(
    "f has %s without a value, params has only %s: %s", toString(open), toString(names(params), 60L),
    conditionMessage(problem)))
  is_plain <- function(v) !is.object(v) && (is.numeric(v) || is.logical(v))
  odd <- Filter(function(name) !is_plain(params[[name]]), used)
  if (length(odd)) raise_engine_error("input", sprintf(
    "params$%s is of class %s: numbers are needed (%s)", odd[1L], class(params[[odd[1L]]])[1L],
    conditionMessage(problem)))
}

# Of warnings that differ in their numbers only, one is enough.
warning_kind <- function(w) gsub("[0-9]+", "", conditionMessage(w))

# Runs the engine, again where it has turned out that f does not take vectors.
run_integrand <- function(program, run) {
  if (is.null(program$call)) {
    warned <- NULL
    return(withCallingHandlers(run(), warning = function(w) { # by functions of R's library, as choose()
      if (warning_kind(w) %in% warned) tryInvokeRestart("muffleWarning")
      warned <<- c(warned, warning_kind(w))
    }))
  }
  repeat {
    result <- tryCatch(run(), statcl_restart = function(problem) NULL)
    if (!is.null(result)) return(result)
  }
}

# Where f is looked at first: within the limits of the first integral that has some.
first_place <- function(lower, upper) {
  n <- max(length(lower), length(upper))
  if (!length(lower) || !length(upper)) return(NULL)
  lower <- rep_len(lower, n)
  upper <- rep_len(upper, n)
  i <- which(lower != upper)[1L]
  if (is.na(i)) return(NULL)
  a <- min(lower[i], upper[i])
  b <- max(lower[i], upper[i])
  list(row = i, x = if (is.finite(a) && is.finite(b)) a + 0.382 * (b - a) else if (is.finite(a)) a + 0.618
                    else if (is.finite(b)) b - 0.618 else 0.382)
}

# A message for each function, once.
tell_translation <- function(e, why, state) {
  if (isTRUE(state$told)) return(invisible())
  if (!is.null(state)) state$told <- TRUE
  code <- if (is.function(e)) body(e) else e
  key <- paste(c(why, if (is.function(e)) names(formals(e)), deparse(integrand_shallow(code, 8L))), collapse = "\n")
  if (key %in% integrand_memory$told) return(invisible())
  integrand_memory$told <- utils::head(c(key, integrand_memory$told), 200L)
  message(structure(class = c("statcl_message_translation", "message", "condition"),
                    list(message = sprintf("R itself evaluates the integrand: %s\n", why), call = user_call())))
}

# The name of a parameter that is a factor, or NULL.
factor_in <- function(columns, dots) {
  for (name in c(names(columns), names(dots)))
    if (is.factor(columns[[name]]) || is.factor(dots[[name]])) return(name)
}

# A factor may choose what is integrated; arithmetic has nothing but NA for it.
refuse_factor <- function(name) raise_engine_error("input", sprintf(
  "%s is a factor, for which f has no value: give numbers, as.numeric(as.character(%s)) if its levels are some",
  name, name))

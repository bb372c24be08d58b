# Integrands that are not translated: R evaluates them, for the nodes of all rows of a round in one call where that
# gives what calls for single nodes give, else row by row, else node by node.

# A program that calls R. why: what is not translated; at: a place of the first integral, list(x, row), or NULL.
integrand_by_r <- function(of, why, at) {
  r <- r_integrand(of$f, of$params, of$constants, of$env)
  if (!is.null(at)) warning_once(r, look_first(r, at))
  list(call = function(x, row) values_by_r(r, x, row), why = why, constants = numeric(),
       n_param = as.integer(length(r$columns) > 0L), outputs = integer(r$m),
       parameters = list(name = names(r$columns)), component_names = r$labels, variable = r$variable)
}

# What is known of such an integrand: its code e, to be evaluated in frame, where columns of params come as vectors
# that are as long as x and constants as they are; params, dots and f as they were given. What calls show: m, the
# number of components, and their labels; doubled: f is asked for two numbers where one is meant; level: 1 if all rows
# are evaluated at once, 2 one row, 3 one node; used: values have been; warned: kinds of warnings given.
r_integrand <- function(f, params, dots, env) {
  tr <- list2env(list(dots = dots, columns = names(params), variable = "x"))
  code <- integrand_code(tr, f, env)
  e <- code$e
  check_asked(tr, f, e)
  formal <- if (is.function(f)) names(formals(args(f)))
  words <- all.names(if (is.function(f)) body(f) else e, unique = TRUE)
  columns <- params[intersect(names(params), c(formal, words))]
  frame <- list2env(dots, parent = code$env)
  if (is.function(f)) {
    f <- e[[1L]]
    if (length(setdiff(intersect(words, c(names(dots), names(columns))), formal)) && !is.primitive(f))
      environment(f) <- frame
    # errors show the name
    if (!"f" %in% c(tr$variable, names(dots), names(columns))) frame$f <- f
    e[[1L]] <- if (is.null(frame$f)) f else quote(f)
  }
  list2env(list(e = e, frame = frame, variable = tr$variable, columns = columns, f = f, params = params, dots = dots,
                m = 1L, labels = NULL, doubled = FALSE, level = if (any(vapply(columns, is.matrix, NA))) 2L else 1L,
                used = FALSE, round = 0, warned = NULL), parent = emptyenv())
}

set_rows <- function(r, row) for (name in names(r$columns))
  assign(name, rows_of_column(r$columns[[name]], row), r$frame)

# Columns may be shorter than there are integrals.
rows_of_column <- function(column, row, drop = TRUE) {
  k <- (row - 1) %% NROW(column) + 1
  if (is.matrix(column)) column[k, , drop = drop] else column[k]
}

value_at <- function(r, x) {
  assign(r$variable, x, r$frame)
  v <- eval(r$e, r$frame)
  if (!is.numeric(v) && !is.logical(v)) raise_engine_error("input", sprintf(
    "f gives a value of class %s at %s: numbers are needed", sQuote(class(v)[1L], FALSE), shown_x(x[1L])))
  v
}

# A function may need more than one number, as one with rowSums() of what sapply() gives.
single_value <- function(r, x) {
  v <- value_at(r, if (r$doubled) c(x, x) else x)
  if (length(v) != r$m * (1L + r$doubled)) raise_engine_error("input", sprintf(
    "f gives %d values at %s, and %d elsewhere", length(v) %/% (1L + r$doubled), shown_x(x), r$m))
  as.double(v)[seq_len(r$m)]
}

same_values <- function(a, b) (is.na(a) & is.na(b) | a == b | abs(a - b) <= 1e-10 * abs(b)) %in% TRUE

# How many components there are, and whether f takes a single number.
look_first <- function(r, at) {
  set_rows(r, at$row)
  arithmetic <- FALSE # with a factor, of which R warns
  factor <- factor_in(r$columns, r$dots)
  v <- withCallingHandlers(tryCatch(value_at(r, at$x), error = identity), warning = function(w)
    if (!is.null(factor) && grepl("factor", conditionMessage(w), fixed = TRUE)) {
      arithmetic <<- TRUE
      tryInvokeRestart("muffleWarning")
    })
  if (inherits(v, "error")) v <- twice_the_number(r, at, v)
  else if (arithmetic && anyNA(v)) raise_engine_error("input", sprintf( # which may choose what is integrated
    "%s is a factor, for which f has no value: give numbers, as.numeric(as.character(%1$s)) if its levels are some",
    factor))
  if (!length(v)) raise_engine_error("input", "f gives a value of length 0")
  r$m <- length(v)
  r$labels <- names(v)
  if (r$m > 1L) r$level <- 3L
}

# What f gives for the number twice, where it fails for one.
twice_the_number <- function(r, at, problem) {
  set_rows(r, rep(at$row, 2L))
  v <- tryCatch(value_at(r, c(at$x, at$x)), error = function(problem) NULL)
  r$doubled <- length(v) == 2L && same_values(as.double(v[1L]), as.double(v[2L]))
  if (!r$doubled) explain_failure(r, at, problem)
  v[1L]
}

# Values for a vector, unless they are not those of single numbers; which of them are looked at changes.
values_together <- function(r, x, row, checks) {
  n <- length(x)
  later <- list()
  set_rows(r, row)
  v <- tryCatch(withCallingHandlers(value_at(r, x), warning = function(w) {
    later <<- c(later, list(w))
    invokeRestart("muffleWarning")
  }), error = function(problem) NULL)
  # of a condition with several elements R only warned, before 4.2.0 in if () and in 4.2 at && and ||
  warned_of_length <- length(later) && (getRversion() < "4.2.0" ||
    any(grepl("logical(1)", vapply(later, conditionMessage, ""), fixed = TRUE)))
  if (length(v) != n || warned_of_length) return(NULL)
  v <- as.double(v)
  at <- unique(c(1 + floor(n * ((seq_len(checks) * 0.6180339887 + r$round * 0.2360679775) %% 1)),
                 if (checks > 1) c(which.min(x), which.max(x))))
  for (i in at) {
    if (length(row) > 1L || r$doubled) set_rows(r, rep(if (length(row) > 1L) row[i] else row, 1L + r$doubled))
    by_itself <- tryCatch(suppressWarnings(single_value(r, x[i])), error = function(problem) NULL)
    if (is.null(by_itself) || !same_values(v[i], by_itself)) return(NULL)
  }
  for (w in later) warn_kind_once(r, w)
  v
}

values_one_by_one <- function(r, x, row) {
  set_rows(r, rep(row, 1L + r$doubled))
  v <- warning_once(r, vapply(x, single_value, numeric(r$m), r = r))
  if (r$m == 1L) v else t(v)
}

# Row by row, each by values(x, row): a matrix with a column for each component, or NULL.
values_by_rows <- function(r, x, row, values) {
  v <- matrix(0, length(x), r$m)
  for (at in if (is.null(row)) list(seq_along(x)) else split(seq_along(x), row)) {
    part <- values(x[at], if (is.null(row)) 1L else row[at[1L]])
    if (is.null(part)) return(NULL)
    v[at, ] <- part
  }
  v
}

values_by_r <- function(r, x, row) {
  v <- switch(r$level, values_together(r, x, if (is.null(row)) 1L else row, max(2, min(32, length(x) / 1000))),
              values_by_rows(r, x, row, function(x, row) values_together(r, x, row, 1)),
              values_by_rows(r, x, row, function(x, row) values_one_by_one(r, x, row)))
  r$round <- r$round + 1
  if (!is.null(v)) {
    r$used <- TRUE
    return(v)
  }
  r$level <- if (length(r$columns)) r$level + 1L else 3L
  # what has been added up may be wrong
  if (r$used) stop(structure(class = c("statcl_restart", "error", "condition"),
                                list(message = "f is not vectorised", call = NULL)))
  values_by_r(r, x, row)
}

# ---- what is said of it --------------------------------------------------------------------------------------------

# Of warnings that differ in their numbers only, one is enough.
warning_kind <- function(w) gsub("[0-9]+", "", conditionMessage(w))

warn_kind_once <- function(r, w) if (!warning_kind(w) %in% r$warned) {
  r$warned <- c(r$warned, warning_kind(w))
  warning(w)
}

warning_once <- function(r, expr) withCallingHandlers(expr, warning = function(w) {
  warn_kind_once(r, w)
  invokeRestart("muffleWarning")
})

# Why f fails: an argument without a value, a column that is not of numbers, an unknown name, or what f itself says.
explain_failure <- function(r, at, problem) {
  params <- r$params
  open <- open_arguments(r$f, names(params), names(r$dots))
  absent <- Filter(function(name) identical(conditionMessage(problem), gettextf(
    "argument \"%s\" is missing, with no default", name, domain = "R")), open)
  if (length(absent) && !length(params)) raise_engine_error("input", sprintf(paste(
    "f has %s without a value: it takes one from a column of params, or by name, as %1$s = 1; if it is a variable of",
    "integration, limits are lists, as lower = list(0, 0)"), absent[1L]))
  if (length(open) && length(params)) raise_engine_error("input", sprintf(
    "f has %s without a value, params has only %s: %s", toString(open), toString(names(params), 60L),
    conditionMessage(problem)))
  is_plain <- function(v) !is.object(v) && (is.numeric(v) || is.logical(v))
  odd <- Filter(function(name) !is_plain(params[[name]]), names(r$columns))
  if (length(odd)) raise_engine_error("input", sprintf(
    "params$%s is of class %s: numbers are needed (%s)", odd[1L], class(params[[odd[1L]]])[1L],
    conditionMessage(problem)))
  if (is.function(r$f)) stop(problem)
  absent <- Filter(function(name) !exists(name, envir = r$frame), all.vars(r$e))
  if (length(absent)) raise_engine_error("input", sprintf(
    "f contains %s, which is no column of params, and no variable has this name", absent[1L]))
  if (inherits(problem, "simpleError"))
    raise_engine_error("input", sprintf("f cannot be evaluated at %s: %s", shown_x(at$x), conditionMessage(problem)))
  stop(problem)
}

# Runs the engine, again where it has turned out that f does not take vectors.
run_integrand <- function(program, run) {
  if (is.null(program$call)) return(warning_once(new.env(), run())) # by functions of R's library, as choose()
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

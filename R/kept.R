# What is kept between calls for the next one must not keep alive the frames of the user's functions, with all the
# data that are in them: code is kept without its environment, and environments that end are referred to weakly.

# Those that live as long as the session: the global one, namespaces, and attached packages.
is_lasting <- function(env) identical(env, topenv(env)) || identical(env, emptyenv())

keep_environment <- function(env) if (is_lasting(env)) env else .Call(C_weak_reference, env)

# NULL once it has gone.
kept_environment <- function(kept) if (is.environment(kept)) kept else .Call(C_weak_referent, kept)

keep_function <- function(f) {
  env <- environment(f)
  if (is.null(env) || is_lasting(env)) return(list(f = f))
  environment(f) <- emptyenv()
  list(f = f, env = keep_environment(env))
}

is_kept_function <- function(kept, f) {
  if (is.null(kept$env)) return(identical(kept$f, f))
  is.function(f) && identical(kept$f, f, ignore.environment = TRUE) &&
    identical(kept_environment(kept$env), environment(f))
}

# Does a value hold an environment that ends? Yes for what might, and for more than is worth comparing: R recurses
# to compare. Walked through without recursion. Where code was read from is no part of it.
holds_frame <- function(value) {
  rest <- list(value, NULL)
  for (count in seq_len(4000L)) {
    if (is.null(rest)) return(FALSE)
    v <- rest[[1L]]
    rest <- rest[[2L]]
    if (is.environment(v) && !is_lasting(v) || typeof(v) %in% c("externalptr", "S4", "promise", "bytecode"))
      return(TRUE)
    more <- attributes(v)
    more <- more[setdiff(names(more), c("srcref", "srcfile", "wholeSrcref"))]
    if (is.function(v)) more <- c(more, list(environment(v), body(v)), as.list(formals(v)))
    else if (is.call(v) || is.list(v) || is.pairlist(v) || is.expression(v)) more <- c(more, as.list(v))
    for (part in more)
      if (!missing(part) && (!is.atomic(part) || !is.null(attributes(part)))) rest <- list(part, rest)
  }
  TRUE
}

# The value made for one of the last keys, or made now. A user's function may depend on variables that have changed
# since: what it gives at some places is part of the key.
remembered <- function(key, make) {
  given <- Filter(is.function, key)
  key <- list(Filter(Negate(is.function), key), lapply(given, function(f)
    tryCatch(f(exp(seq(-20, 20, by = 0.25))), error = conditionMessage)))
  for (known in session$remembered)
    if (identical(known$key, key) && all(mapply(is_kept_function, known$given, given))) return(known$value)
  value <- make
  known <- list(key = key, given = lapply(given, keep_function), value = value)
  session$remembered <- utils::head(c(list(known), session$remembered), 16L)
  value
}

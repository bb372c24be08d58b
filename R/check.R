# What all families use to judge arguments, and the errors that tell what is wrong.

# The call that a condition names is the innermost one of a function that users know: one that is exported, or a
# method of a function of others.
user_call <- function() {
  exported <- getNamespaceExports("statcl")
  methods <- getNamespaceInfo("statcl", "S3methods")
  known <- c(exported, methods[!methods[, 1L] %in% exported, 3L])
  for (call in rev(sys.calls())) {
    name <- call[[1L]]
    if (is.call(name) && length(name) == 3L) name <- name[[3L]]
    if (is.symbol(name) && as.character(name) %in% known) return(call)
  }
  NULL
}

# Also called from C, with the kind that belongs to an engine status.
raise_engine_error <- function(kind, message) {
  stop(structure(class = c(paste0("statcl_error_", kind), "statcl_error", "error", "condition"),
                 list(message = message, call = user_call())))
}

# Warnings of the package have a class, and name the function that the user has called; `with`: further components.
warn <- function(..., class = NULL, with = NULL)
  warning(structure(class = c(class, "statcl_warning", "warning", "condition"),
                    c(list(message = paste0(...), call = user_call()), with)))

# For handlers that tell by an error of their own what is wrong with an argument: failures of a device and lack of
# memory stay what they are.
pass_on <- function(e) {
  if (inherits(e, "statcl_error") && !inherits(e, "statcl_error_input")) stop(e)
  if (is_out_of_memory(e)) raise_engine_error("memory", conditionMessage(e))
}

# R has no class for it; its message is in the user's language.
is_out_of_memory <- function(e) {
  said <- gettext(c(paste("cannot allocate vector of size %0.1f", c("Gb", "Mb", "Kb")), "cannot allocate memory"),
                  domain = "R")
  any(startsWith(conditionMessage(e), sub("%.*", "", said)))
}

input_error <- function(name, value, what)
  raise_engine_error("input", sprintf("%s = %s: %s %s", name, shown_value(value), name, what))

# What an error shows of a value: the first numbers or strings, or the class of what is none.
shown_value <- function(value) {
  if (is.null(value)) return("NULL")
  if (!is.atomic(value) || is.object(value) && !inherits(value, c("factor", "Date", "POSIXct", "difftime")))
    return(class(value)[1L])
  if (!length(value)) return(paste0(class(value)[1L], "(0)"))
  value <- value[seq_len(min(length(value), 20L))]
  toString(if (is.character(value)) printable(value) else format(value, digits = 15, trim = TRUE), 60L)
}

# Text that is none in UTF-8 with its odd bytes as numbers.
printable <- function(text) ifelse(validUTF8(text), text, iconv(text, "UTF-8", "UTF-8", sub = "byte"))

# A number of things as people write it: whatever marks decimals does not part the thousands, too.
big_count <- function(count)
  format(count, big.mark = if (identical(getOption("OutDec"), ",")) "." else ",", scientific = FALSE, trim = TRUE)

# A number in a sentence; sprintf() would not mark decimals as getOption("OutDec") says.
rounded <- function(x, digits = 3L) trimws(formatC(x, digits, format = "g", decimal.mark = getOption("OutDec")))

# The first element of x for which bad is true, by name, value and number of its like; `labels` are the numbers or
# names of its elements, if x is not what the user has given.
element_error <- function(name, x, bad, what, labels = NULL) {
  i <- which(bad)
  more <- if (length(i) > 1L) sprintf(" (and %d more)", length(i) - 1L) else ""
  label <- if (is.null(labels)) i[1L] else labels[i[1L]]
  raise_engine_error("input", sprintf("%s[%s] = %s%s: %s", name, label, format(x[i[1L]], digits = 15), more, what))
}

# An error that names the first bad element of a parameter, or the parameter if it has one value only.
name_value <- function(name, value, bad, what, labels = NULL) {
  if (length(value) == 1L || !is.atomic(value)) input_error(name, value, what)
  element_error(name, value, bad, paste(name, what), labels)
}

# Both are also called from C. wanted: words, or the choices.
refuse_option <- function(name, wanted) raise_engine_error("input", option_refusal(name, wanted))

option_refusal <- function(name, wanted) {
  value <- paste(deparse(getOption(name), nlines = 1L), collapse = "")
  if (length(wanted) > 1L) wanted <- paste("one of", toString(dQuote(wanted, FALSE)))
  sprintf("options(%s = %s) must be %s", name, value, wanted)
}

# What is wrong with options that are ignored then, or not always read; NULL for nothing.
option_trouble <- function(names = c("statcl.cluster", "statcl.compile", "statcl.progress", "statcl.verbose"))
  unlist(lapply(names, function(name) {
    value <- getOption(name)
    wanted <- switch(name,
      statcl.cluster = if (!inherits(value, "cluster")) "a cluster of package parallel",
      statcl.compile = if (!identical(value, "load") && !identical(value, "use")) c("load", "use"),
      if (!isTRUE(value) && !isFALSE(value)) "TRUE or FALSE")
    if (!is.null(value) && !is.null(wanted)) option_refusal(name, wanted)
  }))

# TRUE or FALSE; instead of another value, of which a message tells once, the default.
option_flag <- function(name, default) {
  trouble <- option_trouble(name)
  if (is.null(trouble)) return(isTRUE(getOption(name, default)))
  if (!trouble %in% session$told) message("statcl: ", trouble)
  session$told <- union(session$told, trouble)
  default
}

# Words of the language, as `if` is, are functions whose arguments R does not tell.
check_function <- function(name, value) {
  if (is.primitive(value) && is.null(args(value))) raise_engine_error("input", sprintf(
    "%s = %s has no arguments that R tells: give function(x) and an expression", name, deparse(value)[1L]))
}

# ---- which arguments are there ----

need <- function(...)
  if (any(...)) raise_engine_error("input", paste(names(which(c(...)))[1L], "is missing"))

# Of f(), whose dots take nothing: they are there for nu not to be taken for an abbreviation of nugget.
refuse_extra <- function(f, ...) {
  if (!...length()) return(invisible())
  name <- c(names(substitute(list(...)))[-1L], "")[1L] # not evaluated: they may be names of columns
  covariance <- f %in% c("covModel", "matern")
  if (!nzchar(name))
    raise_engine_error("input", sprintf("%s() takes %s by name only", f, if (covariance)
      "nugget, and what comes after it," else "what comes after its first arguments"))
  hints <- argument_hints[[if (covariance) "covModel" else if (startsWith(f, "confint.")) "confint" else f]]
  hint <- if (name %in% names(hints)) hints[[name]] else nearest_argument(f, name)
  raise_engine_error("input", paste0(sprintf("%s() has no argument %s", sub("[.].*", "", f), name),
                                     if (length(hint)) paste(":", hint)))
}

# Of names with a letter in four other, missing or too many.
nearest_argument <- function(f, name) {
  f <- get0(f, topenv(), mode = "function")
  own <- if (!is.null(f)) setdiff(names(formals(f)), "...")
  if (!length(own)) return(NULL)
  apart <- drop(utils::adist(name, own, ignore.case = TRUE))
  if (nchar(name) > 2L && any(apart <= max(1, nchar(name) %/% 4)))
    sprintf("is %s meant?", own[which.min(apart)])
}

# Arguments of methods whose generic functions have dots: one that would change the answer is an error, which names
# the argument that the method has instead; others are disregarded with a warning, as generic functions may pass on
# what is for another method.
check_extra <- function(...) {
  if (!...length()) return(invisible())
  own <- names(formals(sys.function(sys.parent())))
  for (name in names(substitute(list(...)))[-1L]) {
    here <- intersect(answer_arguments[[name]], own)
    both <- name == "n" && "nsim" %in% here && !eval.parent(quote(missing(nsim)))
    hint <- if (both) ": all nsim samples have the size of the data"
            else if (length(here)) sprintf(": it is called %s here", here[1L])
            else if (name == "lower.tail") ": probabilities are those of the lower tail"
            else if (name %in% c("log.p", "probs", "B", "newdata")) ""
    if (!is.null(hint)) raise_engine_error("input", sprintf("there is no argument %s%s", name, hint))
  }
  warn_extra(...)
}

# Others call the method by its generic function, and R would name check_extra().
warn_extra <- function(...) {
  if (!...length()) return(invisible())
  name <- names(substitute(list(...)))[-1L]
  warn("extra argument", if (...length() > 1L) "s", " ",
       if (is.null(name)) "without a name" else toString(sQuote(name)), " will be disregarded")
}

# By the names that other functions have for them.
answer_arguments <- list(conf.level = "level", level = "conf.level", B = "nsim", R = "nsim", nboot = "nsim",
                         nsims = "nsim", n = "nsim", se.fit = "interval", se = "interval", which = "component",
                         type = "component")

# What others call them.
called_here <- function(...) vapply(c(...), sprintf, "", fmt = "it is called %s here")
argument_hints <- list(
  covModel = called_here(nu = "smoothness", kappa = "smoothness", extra = "smoothness", aRange = "range",
                         theta = "range", scale = "range", len_scale = "range", sill = "variance", psill = "variance",
                         var = "variance", alpha = "shape", gamma = "shape", anis = "angle and ratio",
                         phi = "range (geoR) or variance (fields)", sigma2 = "variance", tau2 = "nugget",
                         cov.pars = "variance and range"),
  gpFit = c(
    called_here(locations = "coords", locs = "coords", model = "cov", covariance = "cov", ziformula = "zi"),
    vapply(c("variance", "range", "smoothness", "nugget", "distance", "angle", "ratio", "scales"), function(p)
      sprintf("it is an argument of the model, cov = covModel(..., %s = )%s", p, if (p == "distance") ""
              else sprintf(", and fixed = list(%s = ) keeps its value", p)), ""),
    newdata = "predict(fit, newdata) is for new locations"),
  stableFit = c(type = "it is called method here; \"mcculloch\" is the one by quantiles",
                vapply(c("alpha", "beta", "gamma", "delta"), function(p)
                  sprintf("use start = list(%s = ), or fixed = list(%s = )", p, p), "")),
  stableRoll = called_here(window = "width", n = "width", by = "step"),
  confint = called_here(type = "method", conf.level = "level", conf.method = "method", which = "parm"),
  predict = c(x = "it is called newdata", newpoints = "it is called newdata"),
  tbrf = c(nsims = "it is called nsim", grid = "it is called x", newdata = "it is called x",
           newpoints = "it is called x", seed = "use set.seed(), or simulate(model, seed =)"))

need_package <- function(package, x, name)
  if (!requireNamespace(package, quietly = TRUE))
    raise_engine_error("input", sprintf("%s has the class %s: the package %s is needed", name, class(x)[1L], package))

# ---- choices and flags ----

# By default the choices are those that the calling function has as the default of the argument.
choice <- function(name, value, choices) {
  if (missing(choices)) choices <- eval(formals(sys.function(sys.parent()))[[name]])
  i <- if (is.character(value) && length(value) == 1L) pmatch(value, choices, 0L)
       else as.integer(identical(value, choices))
  if (i == 0L) input_error(name, value, paste("must be one of", toString(dQuote(choices, FALSE))))
  choices[i]
}

# An option of R, by default the first of its choices.
option_choice <- function(name, choices) {
  value <- getOption(name, choices[1L])
  if (!is.character(value) || length(value) != 1L || !value %in% choices) refuse_option(name, choices)
  value
}

# One or more of them.
several <- function(name, value, choices) {
  if (missing(choices)) choices <- eval(formals(sys.function(sys.parent()))[[name]])
  i <- if (is.character(value)) pmatch(value, choices, duplicates.ok = TRUE)
  if (!length(i) || anyNA(i)) input_error(name, value, paste("must be among", toString(dQuote(choices, FALSE))))
  choices[unique(i)]
}

# One number, or NA.
is_number <- function(x) length(x) == 1L && (is.numeric(x) || is.logical(x) && is.na(x))

one_flag <- function(name, value) {
  if (!is.logical(value) && !is.numeric(value) || length(value) != 1L || !unclass(value) %in% 0:1)
    input_error(name, value, "must be TRUE or FALSE")
  as.logical(value)
}

# As C reads the flags of d/p/q functions.
is_true <- function(flag) !is.atomic(flag) || !identical(as.logical(flag)[1L], FALSE)

# ---- numbers ----

refuse_units <- function(name, x)
  if (inherits(x, "units"))
    input_error(name, "units", sprintf("must be without units: use units::drop_units(%s)", name))

# Of what is printed: significant digits as R takes them, and how many rows are shown.
print_digits <- function(digits) {
  if (is.null(digits)) return(getOption("digits"))
  one_number("digits", digits, "positive")
  if (digits < 1 || digits > 22) input_error("digits", digits, "must be a number from 1 to 22")
  digits
}

# Log likelihoods, of which differences matter, have three digits more.
format_finely <- function(value, digits) format(value, digits = min(digits + 3L, 22L))

check_rows <- function(name, n) {
  if (!identical(n, Inf)) one_number(name, n, "not negative")
  floor(n)
}

# Names of colours, or their numbers in palette(), 0 being the background, of which one at least is not missing.
check_colour <- function(name, value) {
  known <- function(of) if (is.numeric(of)) all(of >= 0 & of <= .Machine$integer.max, na.rm = TRUE)
                        else !inherits(try(grDevices::col2rgb(of), silent = TRUE), "try-error")
  what <- "must be colours: names of colours(), \"#RRGGBB\", or numbers of palette()"
  if (is.null(value)) return(invisible())
  refuse_units(name, value)
  if (!is.atomic(value) || !is.character(value) && !is.numeric(value) && !all(is.na(value)))
    input_error(name, value, what)
  if (!known(value)) input_error(name, value[!vapply(value, known, NA)], what)
  if (length(value) == 0L || all(is.na(value))) input_error(name, value, "must be colours, not all of them missing")
}

# Arguments of plots that R would complain of only when it draws.
check_drawing <- function(col = NULL, ylim = NULL, xlab = NULL) {
  if (is.factor(col)) input_error("col", col, "must be colours: use as.integer(col) for those of palette()")
  check_colour("col", col)
  if (!is.null(xlab) && !is.character(xlab) && !is.language(xlab)) input_error("xlab", xlab, "must be text")
  if (!is.null(ylim)) {
    check_numbers("ylim", ylim, "")
    if (length(ylim) != 2L) input_error("ylim", ylim, "must be two numbers")
  }
}

# Row names of a data frame, unless they only count the rows.
given_row_names <- function(x) if (!identical(attr(x, "row.names"), seq_len(nrow(x)))) row.names(x)

# A table with the row names of as.data.frame(), if they are given.
name_rows <- function(table, row.names) {
  if (is.null(row.names)) return(table)
  if (!is.character(row.names) && !is.numeric(row.names) || length(row.names) != nrow(table) || anyNA(row.names) ||
      anyDuplicated(as.vector(row.names)))
    input_error("row.names", row.names, sprintf("must be NULL, or %d different names", nrow(table)))
  rownames(table) <- row.names
  table
}

# Numbers of class integer64 (package bit64), or columns and elements that are, as doubles: what they have in common
# with doubles without the methods of bit64 are the bits.
plain_numbers <- function(x) {
  if (inherits(x, "integer64")) return(.Call(C_plainNumbers, x))
  if (is.list(x)) {
    wide <- vapply(x, inherits, NA, "integer64")
    for (i in which(wide)) x[[i]] <- .Call(C_plainNumbers, x[[i]])
  }
  x
}

refuse_integer64 <- function(name, x)
  if (inherits(x, "integer64"))
    input_error(name, "integer64", sprintf("must be doubles: use as.numeric(%s), with package bit64", name))

# A vector of finite numbers; sign: "positive", "not negative" or "".
check_numbers <- function(name, value, sign, labels = NULL) {
  # nearly all are one positive number, of a call that takes a tenth of a millisecond
  if (is.double(value) && length(value) == 1L && !is.object(value) && is.finite(value) && value > 0)
    return(invisible())
  if (is.object(value)) {
    refuse_units(name, value)
    refuse_integer64(name, value)
  }
  if (is.character(value)) value <- dQuote(value, FALSE)
  if (is.logical(value) && all(is.na(value))) value <- as.double(value)
  if (!is.numeric(value)) input_error(name, value, paste("must be numeric, not", class(value)[1L]))
  if (!length(value)) raise_engine_error("input", paste(name, "has length 0"))
  bad <- !is.finite(value) | switch(sign, positive = value <= 0, "not negative" = value < 0, FALSE)
  if (any(bad)) name_value(name, value, bad, paste0("must be finite", if (nzchar(sign)) " and ", sign), labels)
}

one_number <- function(name, value, sign) {
  check_numbers(name, value, sign)
  if (length(value) != 1L) input_error(name, value, "must be a single number")
}

# NULL is a number that was not given.
check_single <- function(name, value, sign) if (!is.null(value)) one_number(name, value, sign)

whole_number <- function(name, value) {
  check_numbers(name, value, "positive")
  if (length(value) != 1L || value != floor(value)) input_error(name, value, "must be a positive whole number")
  if (value > .Machine$integer.max) input_error(name, value, sprintf("must be at most %d", .Machine$integer.max))
  as.integer(value)
}

check_among <- function(name, value, numbers)
  if (!is.numeric(value) || length(value) != 1L || !unclass(value) %in% numbers || inherits(value, "units"))
    input_error(name, value, paste("must be one of", toString(numbers)))

# Non-central distributions are base R's: ncp has the place that it has there.
refuse_ncp <- function(ncp, base) {
  if (identical(ncp, 0)) return(invisible())
  if (!is.numeric(ncp) || anyNA(ncp) || any(ncp != 0))
    input_error("ncp", ncp, sprintf("must be 0: for the non-central distribution use stats::%s()", base))
}

# The number of a draw in its stream. Doubles hold all whole numbers up to 2^53: with a first one of at most 2^52 the
# last of n draws stays below, for no vector is longer than 2^52.
check_first <- function(first) {
  check_numbers("first", first, "positive")
  if (length(first) != 1L || first != floor(first) || first > 2^52)
    input_error("first", first, "must be a whole number from 1 to 2^52")
  first
}

check_level <- function(level) {
  refuse_units("level", level)
  if (!is.numeric(level) || length(level) != 1L || is.na(level) || level <= 0 || level >= 1)
    input_error("level", level, "must be a number between 0 and 1")
}

# NA, which says that something is not wanted.
is_one_na <- function(value) is.atomic(value) && length(value) == 1L && is.na(value)

check_probs <- function(probs) {
  refuse_units("probs", probs)
  if (!is.numeric(probs)) input_error("probs", probs, "must be numeric")
  bad <- !is.na(probs) & (probs < 0 | probs > 1)
  if (any(bad)) element_error("probs", probs, bad, "probs must be between 0 and 1")
}

# Numbers, or nothing but missing values.
check_numeric <- function(name, value)
  if (!is.numeric(value) && !(is.logical(value) && all(is.na(value))))
    input_error(name, if (is.object(value)) class(value)[1L] else value, "must be numeric")

check_argument <- function(name, x) {
  refuse_units(name, x)
  if (!is.numeric(x) && !is.logical(x)) input_error(name, class(x)[1L], "must be numeric")
}

# ---- formulas and data ----

# A formula, or text that is one, as lm() takes both.
check_formula <- function(name, formula, env) {
  if (inherits(formula, "formula")) return(formula)
  text <- is.character(formula) && length(formula) == 1L && !is.na(formula)
  made <- if (text) tryCatch(stats::as.formula(formula, env), error = function(e) NULL)
  if (is.null(made)) input_error(name, if (is.null(dim(formula))) formula else class(formula)[1L],
                                 "must be a formula, as y ~ x")
  made
}

as_table <- function(name, value) {
  force(value)
  made <- tryCatch(suppressWarnings(as.data.frame(value)), error = function(e) NULL)
  if (is.null(made)) table_error(name, value)
  made
}

table_error <- function(name, value, what = "must be a data frame")
  input_error(name, class(value)[1L], paste0(what, if (is.matrix(value)) sprintf(": use as.data.frame(%s)", name)))

check_contrasts <- function(contrasts)
  if (!is.null(contrasts) && (!is.list(contrasts) || is.object(contrasts) || is.null(names(contrasts))))
    input_error("contrasts", contrasts, "must be a list with the names of factors, as for lm()")

# What R says of the variables of a formula while `expr` takes them from `data`, an argument called `name`, comes in
# the name of the user's call, with the names that are nowhere: R takes a function, as q or c, for one of them.
model_variables <- function(formula, data, expr, name = "data") {
  told <- tryCatch(withCallingHandlers(return(expr), warning = function(w) {
    if (inherits(w, "statcl_warning")) return()
    warn(conditionMessage(w))
    tryInvokeRestart("muffleWarning")
  }), error = identity)
  pass_on(told)
  if (inherits(told, "statcl_error")) stop(told)
  if (is.null(data)) data <- environment(formula)
  if (!is.list(data) && !is.environment(data)) table_error(name, data)
  columns <- if (!is.environment(data)) names(data)
  env <- if (is.environment(data)) data else environment(formula)
  absent <- Filter(function(name) {
    found <- get0(name, env)
    is.null(found) || is.function(found)
  }, setdiff(all.vars(formula), c(".", columns)))
  if (length(absent)) raise_engine_error("input", sprintf(
    "there is no %s%s", paste(absent, collapse = " and no "),
    if (length(columns)) sprintf(", %s has the columns %s", name, toString(columns, 200L)) else ""))
  # R names arguments as the columns of the frame that they become
  said <- conditionMessage(told)
  call <- user_call()
  given <- intersect(c("subset", "weights", "offset", "na.action", "contrasts"), names(call))
  one <- Filter(function(name) grepl(paste0("(", name, ")"), said, fixed = TRUE), given)
  about <- if (length(one)) sprintf("%s = %s", one[1L], deparse1(call[[one[1L]]], width.cutoff = 60L))
           else sub(", ([^,]*)$", " and \\1", toString(c("formula", name, given)))
  raise_engine_error("input", sprintf("%s: %s", about, said))
}

# A number for each observation, or NULL: offset() in the formula and the argument together.
frame_offset <- function(frame) {
  for (at in c(attr(attr(frame, "terms"), "offset"), which(names(frame) == "(offset)")))
    frame[[at]] <- without_units(frame[[at]], "offset", model.response(frame))
  given <- frame[["(offset)"]]
  parts <- c(frame[attr(attr(frame, "terms"), "offset")], if (!is.null(given)) list(given))
  for (part in parts) if (!is.numeric(part) || NCOL(part) != 1L)
    input_error("offset", if (NCOL(part) != 1L) sprintf("%d columns", NCOL(part)) else class(part)[1L],
                "must be a numeric vector")
  offset <- model.offset(frame)
  if (!is.null(offset)) as.vector(offset)
}

# ---- vectors that are recycled ----

# The rules of src/glue/r_vec.c for functions that are written in R: numeric arguments are recycled to the longest,
# none is left when one is empty.
recycle <- function(...) {
  arguments <- lapply(list(...), plain_numbers)
  for (a in arguments)
    if (!typeof(a) %in% c("double", "integer", "logical") || is.factor(a))
      stop(structure(class = c("simpleError", "error", "condition"),
                     list(message = "Non-numeric argument to mathematical function", call = user_call())))
  n <- if (all(lengths(arguments) > 0L)) max(lengths(arguments)) else 0L
  columns <- lapply(arguments, function(a) rep_len(as.double(a), n))
  is_na <- Reduce(`|`, lapply(columns, function(v) is.na(v) & !is.nan(v)), logical(n))
  is_nan <- !is_na & Reduce(`|`, lapply(columns, is.nan), logical(n))
  c(columns, list(n = n, is_na = is_na, is_nan = is_nan,
                  longest = if (n > 0L) arguments[[match(n, lengths(arguments))]]))
}

# Sets missing values; one warning, in the name of the function called by the user, if a NaN is due to the parameters.
set_missing <- function(value, r) {
  invalid <- any(is.nan(value) & !r$is_na & !r$is_nan)
  value[r$is_nan] <- NaN
  value[r$is_na] <- NA_real_
  if (invalid) warn("NaNs produced")
  value
}

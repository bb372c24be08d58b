#' Integrands and how they are evaluated
#'
#' What [integrategpu()] makes of an integrand that is given as R code: a formula with one side, a function, or an
#' expression. The code is translated once, without calling the integrand, to a program that is evaluated on the
#' device in use for all points of all integrals. What cannot be translated is evaluated by R itself.
#'
#' The value of the integrand is that of the R code for each single number x. `x` is never a vector, so that
#' `if (x > 0)`, `sum()` and `max()` mean what they say, and a function for [integrate()] that takes vectors is right
#' as well. A value of length m, at most 32, is an integrand with m components, which share their points; names, as in
#' `c(mass = 1, mean = x) * dnorm(x)`, become those of the components.
#'
#' The variable is `x` in formulas and expressions, and the first argument of a function. All numbers are doubles:
#' integers do not overflow, and `NA` is `NaN`. A missing value among the numbers that are captured is an error
#' of a translated integrand, unless [is.na()] asks for it; in columns of `params` it concerns its row only.
#'
#' @section Names:
#' Other names are looked for among the arguments and assignments of the function they are in, then, for the integrand
#' itself, among the named constants in `...`, then the columns of `params`, then in the environment of the formula or
#' function as R does. Further arguments of a function that is the integrand are taken from `...` and `params` by
#' name, and have their defaults otherwise. Numeric and logical vectors are captured; other values do not need another
#' translation, as long as they are of the same length and decide nothing: what an `if`, an index, `rep()` or a flag
#' such as `lower.tail` depends on is part of the program. `p$a` and `p[["a"]]` take a vector or a function from a
#' list, also from one that is given in `...` or handed to a function. A column of `params` that is a matrix is a
#' vector for each row, with the columns of the matrix as its elements. Strings choose an alternative of `switch()` or
#' `match.arg()` or a named element, and are of no other use.
#'
#' @section Syntax:
#' * Arithmetic `+`, `-`, `*`, `/`, `^`, `%%`, `%/%`, comparisons, `!`, `&`, `|`, `&&`, `||`, [xor()], parentheses and
#'   pipes. Powers with constant whole exponents from -8 to 8 are products.
#' * Blocks `{ }`, assignments with `<-` and `=` to names and to elements `v[k]`, `v[[k]]` and `v[condition]`, `if`
#'   with and without `else`, [ifelse()], [switch()] by a constant, `return()` as a statement, also before the end,
#'   and `for` loops over vectors, which are written out. Both sides of a condition that depends on `x` or `params`
#'   are computed and one is taken, so that both must have the same length; where the condition is `NaN` so is the
#'   value.
#' * Functions of the user's own, also those defined within the integrand, given in `...` or made by another function,
#'   are written out where they are called, with arguments matched and defaults evaluated as R does, up to 50 calls
#'   deep. [missing()] is known, and `...` is passed on.
#'   Assignments within the arguments of such a call, and `<<-`, `while`, `repeat`, `break` and `next` are not
#'   translated.
#' * Vectors by [c()], `:`, [seq_len()], [seq_along()], [rep()] and [numeric()], elements `v[k]` and `v[[k]]` with
#'   constant `k` (positive, negative, logical or a name), [length()], [rev()], [sum()], [prod()], [mean()], [min()],
#'   [max()], [pmin()], [pmax()], [cumsum()], [cumprod()], [head()] and [tail()]. Shorter vectors are recycled where
#'   the length is a multiple, and it is an error otherwise. Of a captured vector `k` may depend on `x` or `params`:
#'   it is truncated, and the value is `NaN` where there is no such element.
#' * Matrices of up to 100 captured numbers, or by [matrix()], [cbind()], [rbind()], [outer()] and [sapply()]:
#'   arithmetic, `%*%`, [crossprod()], [t()], elements `m[i, j]` with constant `i` and `j`, [rowSums()], [colSums()],
#'   [rowMeans()], [colMeans()], and [apply()] over rows or columns. Of a larger captured matrix `X %*% v` is computed
#'   for each row, as of data.
#' * Of captured numbers, such as the observations of a likelihood, what is computed for each of them and then added
#'   up or multiplied by [sum()], [prod()], [mean()], [min()], [max()], [crossprod()] or `%*%` is a
#'   loop: `sum(dbinom(y, 1, plogis(b * x), log = TRUE))` is a short program for any length. Sums are compensated.
#'   Up to 12 numbers are written out one by one, and up to 100 if they are used otherwise.
#' * Complex numbers: constants such as `1i`, [complex()], `+`, `-`, `*`, `/`, `^`, [exp()], [log()], [sqrt()],
#'   [sin()], [cos()], [sinh()], [cosh()], [Re()], [Im()], [Mod()], [Arg()], [Conj()], comparisons by `==` and `!=`,
#'   sums, means and vectors of them, with R's branch cuts. The value of the integrand must be real.
#' * `Vectorize(g)` is `g`, `sapply(v, g)` and `vapply(v, g, 0)` are vectors of `g` for each element of `v`, and
#'   `mapply(g, v, w)` of several vectors,
#'   `do.call(g, list(...))` is `g(...)`. Of [suppressWarnings()], and of [tryCatch()] without a handler of
#'   warnings, the expression counts.
#' * [any()], [all()], [is.numeric()], and [match.arg()] of an argument whose default is [c()] of strings.
#' * [stop()] and [stopifnot()]: where R would stop at a node the integrand is `NaN`, whatever is made of the value of
#'   the function that stops, so that the integral has code 7. Its message, or the warning of many integrals, has the
#'   first such node and what the function says there. What stops at all nodes, and what [tryCatch()] or [try()]
#'   handles, is left to R.
#' * [as.numeric()], [as.double()], [as.vector()], [unname()], [identity()], [invisible()], [force()] and [drop()]
#'   leave numbers as they are.
#'
#' @section Functions:
#' * [abs()], [sqrt()], [exp()], [expm1()], [log()] with any base, [log1p()], [log2()], [log10()], [floor()],
#'   [ceiling()], [trunc()], [round()] to whole numbers, [sign()];
#' * [sin()], [cos()], [tan()], [sinpi()], [cospi()], [tanpi()], [asin()], [acos()], [atan()], [atan2()], [sinh()],
#'   [cosh()], [tanh()], [asinh()], [acosh()], [atanh()];
#' * [gamma()], [lgamma()], [beta()], [lbeta()], [digamma()], [trigamma()], [choose()], [lchoose()], [factorial()],
#'   [lfactorial()], [psigamma()], [besselK()], [besselKgpu()] without derivatives, [besselI()], [besselJ()],
#'   [besselY()] (the latter two far out by Hankel's expansion, without R's warnings);
#' * [is.na()], [is.nan()], [is.finite()], [is.infinite()], where `NA` and `NaN` are the same;
#' * functions made by [approxfun()], [stepfun()], [ecdf()], [splinefun()] (with `deriv` a constant) and
#'   [splinefunH()], and [findInterval()] of a constant vector. Up to 100 knots on the axis of the variable itself
#'   divide the range of integration, as `breaks` do. Beyond the knots of `approxfun(rule = 1)` the value is `NaN`;
#' * density, distribution function and quantile function of the normal ([dnorm()]), exponential ([dexp()]), uniform
#'   ([dunif()]), logistic ([dlogis()]), Cauchy ([dcauchy()]), Weibull ([dweibull()]), lognormal ([dlnorm()]), Poisson
#'   ([dpois()], [dpoisgpu()]) and stable ([dstable()])
#'   distributions;
#' * density, distribution function and quantile function of the gamma ([dgamma()]), chi-squared ([dchisq()]), beta
#'   ([dbeta()]), t ([dt()]), F ([df()]), binomial ([dbinom()]), negative binomial ([dnbinom()]) and geometric
#'   ([dgeom()]) distributions, also with non-centrality, [dhyper()] and [phyper()].
#'
#' The distribution and quantile functions of the last group but [pgeom()], what has `ncp`, [choose()], [lchoose()],
#' [psigamma()] and the Bessel functions but [besselK()] are R's own code, with R's values, on one thread of the CPU;
#' the rest of the integrand is evaluated on the device.
#'
#' They have all arguments that R's have. `log`, `log.p`, `lower.tail` and `expon.scaled` must be constants.
#' Parameters outside their range give `NaN`, the ends of a support and point masses are as in R, and nothing warns.
#' Quantiles of the Poisson distribution, those of [qpois()] too, are exact as in [qpoisgpu()]; with `log.p = TRUE`
#' they and those of stable distributions are those of `exp(p)`, or of `-expm1(p)` in the other tail, so that
#' probabilities below the smallest double have none.
#'
#' Of what depends neither on the variable nor on `params`, R computes these in advance, with values that are
#' constants of the program: [coef()], [vcov()], [fitted()], [residuals()] and the like, [var()], [sd()], [median()],
#' [quantile()], [cor()], [nrow()], [ncol()], [dim()], [range()], [diff()], [seq()], [sort()], [solve()], [diag()],
#' [t()] and further functions of matrices. Elements, sums and products of matrices, data frames and lists are
#' computed so, too. No other function is run.
#'
#' A function is known by what it is, and not by its name: `stats::dnorm` and a copy under another name are
#' translated, and where [exp()] is masked, the function that masks it is written out.
#'
#' @section What R evaluates:
#' Whatever else there is in an integrand, R evaluates it: a message of class `statcl_message_translation`, once for
#' each function, shows the call that is not translated. So it is with expressions that are nested some hundred calls
#' deep, and with programs of more than 50000 operations, which is far beyond what is written by hand. Integrals
#' within the integrand, as by [integrate()], have limits and panels of their own at each point, and so are R's, too.
#'
#' In each round there is one call for the nodes of all integrals, with columns of `params` as vectors that are as
#' long as `x`. In each, values at some nodes are compared with those of calls for single numbers. Where they differ,
#' where the call fails, or where a matrix column of `params` is used, integrals are evaluated one by one, and where
#' that does not do, points one by one: so are vector-valued integrands. A function that shows in a later round that
#' it does not take vectors is begun again. What fails in a call for a single number is the error of that function.
#'
#' `options(statcl.translate = "must")` makes it an error, of class `statcl_error_translation`, if an integrand is not
#' translated, and `"never"` leaves all to R. The default is `"auto"`.
#' @seealso [integrategpu()]
#' @name integrand
NULL

# The functions that integrands may have. Most are written in R (integrate-definitions.R) and are written out where
# they are called; the rest makes nodes itself.

# ---- elementwise ---------------------------------------------------------------------------------------------------

# Arguments by name or place, as R has them.
placed <- function(values, formal, e, least = length(formal)) {
  if (!is.null(names(values))) {
    matcher <- as.function(c(sapply(formal, function(a) quote(expr = ), simplify = FALSE), list(NULL)))
    place <- match_arguments(matcher, values, e)$place
    at <- place[formal[seq_len(max(match(names(place), formal), 0L))]]
    if (anyNA(at)) integrand_refuse(e, "an argument is missing")
    values <- unname(values[at])
  }
  if (length(values) < least || length(values) > length(formal))
    integrand_refuse(e, sprintf("it has %d arguments instead of %d", length(values), length(formal)))
  values
}

make_op <- function(tr, values, e, entry) {
  if (length(values) != length(entry$formal) || !is.null(names(values))) values <- placed(values, entry$formal, e)
  do.call(recycled, c(list(tr, entry$op), if (entry$swap) rev(values) else values))
}

make_sum_sign <- function(tr, values, e, entry) {
  if (length(values) == 2L) return(recycled(tr, entry$op, values[[1L]], values[[2L]]))
  if (length(values) != 1L) integrand_refuse(e, "it has no operands")
  if (entry$op == "add") as_number(tr, values[[1L]]) else recycled(tr, "neg", values[[1L]])
}

make_condition <- function(tr, values, e, entry) {
  values <- placed(values, entry$formal, e)
  do.call(recycled, c(list(tr, entry$op), lapply(values, as_condition, tr = tr)))
}

# Powers with small whole exponents that are written as such are products: at most 5 roundings.
make_power <- function(tr, values, e, entry) {
  values <- placed(values, c("x", "y"), e)
  base <- values[[1L]]
  exponent <- values[[2L]]
  n <- if (length(exponent) == 1L && level_of(tr, exponent) == 2L) known_value(tr, exponent) else NaN
  if (is.nan(n) || n != trunc(n) || abs(n) > 8) return(recycled(tr, "pow", base, exponent))
  if (all(level_of(tr, base) == 2L)) return(recycled(tr, "pow", base, exponent))
  if (n == 0) return(structure(rep(literal(tr, 1), length(base)), names = names(base)))
  multiply <- function(a, b) if (is.null(a)) b else recycled(tr, "mul", a, b)
  product <- NULL
  square <- base
  left <- abs(n)
  repeat {
    if (left %% 2 == 1) product <- multiply(product, square)
    left <- left %/% 2
    if (left == 0) break
    square <- multiply(square, square)
  }
  if (n < 0) recycled(tr, "div", literal(tr, 1), product) else as_number(tr, product)
}

# ---- vectors -------------------------------------------------------------------------------------------------------

without_na_rm <- function(tr, values, e) {
  at <- which(names(values) == "na.rm")
  if (!length(at)) return(values)
  if (known_number(tr, values[[at[1L]]], e, "na.rm") != 0) integrand_refuse(e, paste(
    "na.rm = TRUE is not translated: leave missing values out beforehand, or use ifelse(is.na(v), 0, v)"))
  values[-at]
}

make_c <- function(tr, values, e, entry) {
  values <- Filter(is.integer, values)
  if (length(values)) of_one_type(tr, do.call("c", values)) else integrand_null
}

make_fold <- function(tr, values, e, entry) {
  v <- unlist(Filter(is.integer, without_na_rm(tr, values, e)), use.names = FALSE)
  if (!length(v)) {
    if (is.null(entry$empty)) integrand_refuse(e, "it has no numbers")
    return(literal(tr, entry$empty, entry$op %in% integrand_conditions))
  }
  value <- if (entry$op %in% integrand_conditions) v[1L] else as_number(tr, v[1L])
  for (id in v[-1L]) value <- operation(tr, entry$op, value, id)
  value
}

make_fold_conditions <- function(tr, values, e, entry)
  make_fold(tr, lapply(without_na_rm(tr, values, e), as_condition, tr = tr), e, entry)

make_is_numeric <- function(tr, values, e, entry) {
  v <- placed(values, "x", e)[[1L]]
  literal(tr, as.double(is_nodes(v) && (!length(v) || !is_condition(tr, v))), TRUE)
}

make_mean <- function(tr, values, e, entry) {
  values <- without_na_rm(tr, values, e)
  v <- placed(values, "x", e)[[1L]]
  operation(tr, "div", make_fold(tr, list(v), e, list(op = "add")), literal(tr, length(v)))
}

make_cumulative <- function(tr, values, e, entry) {
  v <- as_number(tr, placed(values, "x", e)[[1L]])
  for (i in seq_along(v)[-1L]) v[i] <- operation(tr, entry$op, v[[i - 1L]], v[[i]])
  v
}

make_elementwise_fold <- function(tr, values, e, entry) {
  values <- without_na_rm(tr, values, e)
  if (!length(values)) integrand_refuse(e, "it has no arguments")
  Reduce(function(a, b) recycled(tr, entry$op, a, b), values)
}

make_length <- function(tr, values, e, entry) {
  v <- placed(values, "x", e)[[1L]]
  literal(tr, if (is.integer(v)) length(v) else 0)
}

make_rev <- function(tr, values, e, entry) rev(placed(values, "x", e)[[1L]])
make_same <- function(tr, values, e, entry) {
  v <- placed(values, "x", e)[[1L]]
  if (!is_nodes(v)) return(v)
  if (isTRUE(entry$number)) v <- as_number(tr, v)
  if (!entry$bare || entry$name == "drop" && min(dim(v), 2L) > 1L) v
  else if (entry$name == "unname") structure(as.vector(v), dim = dim(v))
  else as.vector(v)
}

known_index <- function(tr, index, e) {
  if (!is_nodes(index)) {
    if (index$kind == "string") return(index$text)
    as_nodes(index, e)
  }
  at <- known_numbers(tr, index, e, "an index")
  if (anyNA(at)) integrand_refuse(e, "an index is missing")
  if (length(index) && is_condition(tr, index)) at != 0 else at
}

make_element <- function(tr, values, e, entry) {
  if (length(values) == 3L && length(dim(values[[1L]])) == 2L) {
    at <- lapply(values[-1L], function(k) if (is.list(k) && k$kind == "missing") TRUE else known_index(tr, k, e))
    value <- tryCatch(values[[1L]][at[[1L]], at[[2L]]], error = function(problem) NA)
    if (anyNA(value)) integrand_refuse(e, "there is no such element")
    return(value)
  }
  if (length(values) != 2L || !is.null(names(values))) integrand_refuse(e, "only v[k] and v[[k]] are translated")
  if (is_nodes(values[[2L]]) && length(values[[2L]]) == 1L && is.null(known_value(tr, values[[2L]])) &&
      !is_condition(tr, values[[2L]])) {
    element <- table_element(tr, values[[1L]], values[[2L]])
    if (!is.null(element)) return(element)
  }
  v <- as_nodes(values[[1L]], e)
  at <- known_index(tr, values[[2L]], e)
  if (entry$single && is.logical(at)) at <- as.numeric(at)
  value <- tryCatch(v[at], error = function(problem) NA)
  if (entry$single && (length(at) != 1L || length(value) != 1L) || anyNA(value))
    integrand_refuse(e, "there is no such element")
  if (entry$single) unname(value) else value
}

make_sequence <- function(tr, values, e, entry) {
  numbers <- lapply(values, function(v) {
    if (entry$along) return(if (is.integer(v)) length(v) else 0)
    known_number(tr, v, e, "an argument")
  })
  bad <- anyNA(unlist(numbers)) || length(numbers) != entry$arguments || any(abs(unlist(numbers)) > 1e15)
  if (bad) integrand_refuse(e, "it must have numbers as arguments")
  steps <- if (entry$arguments == 2L) abs(numbers[[2L]] - numbers[[1L]]) else numbers[[1L]]
  if (steps > integrand_limits[["vector"]] || steps < 0) integrand_refuse(e, "it is too long")
  literals(tr, as.double(if (entry$arguments == 2L) numbers[[1L]]:numbers[[2L]] else seq_len(steps)))
}

make_numeric <- function(tr, values, e, entry) {
  n <- if (length(values)) known_number(tr, placed(values, "length", e)[[1L]], e, "its length") else 0
  if (is.nan(n) || n < 0 || n > integrand_limits[["vector"]]) integrand_refuse(e, "its length is out of range")
  rep(literal(tr, 0), n)
}

make_rep <- function(tr, values, e, entry) {
  labels <- if (is.null(names(values))) character(length(values)) else names(values)
  if (length(values) > 2L || !length(values))
    integrand_refuse(e, "rep() has a vector and one of times, each, length.out")
  if (length(values) == 1L) return(values[[1L]])
  at <- match(TRUE, labels %in% c("times", "each", "length.out"), nomatch = 2L)
  number <- known_numbers(tr, values[[at]], e, labels[at])
  v <- as_nodes(values[[3L - at]], e)
  size <- if (labels[at] == "length.out") number else if (length(number) == 1L) number * length(v) else sum(number)
  if (anyNA(number) || any(number < 0) || size > integrand_limits[["vector"]]) integrand_refuse(e, "it is too long")
  tryCatch(switch(labels[at], each = rep(v, each = number), length.out = rep(v, length.out = number),
                  rep(v, times = number)), error = function(problem) integrand_refuse(e, conditionMessage(problem)))
}

make_ifelse <- function(tr, values, e, entry) {
  test <- values[[1L]]
  n <- length(test)
  if (!n || !length(values[[2L]]) || !length(values[[3L]])) integrand_refuse(e, "an argument has length 0")
  yes <- rep_len(unname(values[[2L]]), n)
  no <- rep_len(unname(values[[3L]]), n)
  test <- as_condition(tr, test)
  if (is_condition(tr, yes) != is_condition(tr, no) && all(level_of(tr, test) > 0L)) {
    # the type is that of what is taken
    taken <- known_numbers(tr, test, e, "a condition") != 0
    if (!anyNA(taken)) return(of_one_type(tr, structure(ifelse(taken, yes, no), names = names(test))))
  }
  recycled(tr, "select", test, yes, no)
}

make_round <- function(tr, values, e, entry) {
  values <- placed(values, c("x", "digits"), e, 1L)
  if (length(values) == 2L && known_number(tr, values[[2L]], e, "digits") != 0)
    integrand_refuse(e, "only digits = 0 is translated")
  recycled(tr, "round", values[[1L]])
}

make_log <- function(tr, values, e, entry) {
  values <- placed(values, c("x", "base"), e, 1L)
  if (length(values) == 1L) return(recycled(tr, "log", values[[1L]]))
  base <- values[[2L]]
  if (length(base) == 1L && level_of(tr, base) == 2L && known_value(tr, base) %in% c(2, 10))
    return(recycled(tr, if (known_value(tr, base) == 2) "log2" else "log10", values[[1L]]))
  recycled(tr, "div", recycled(tr, "log", values[[1L]]), recycled(tr, "log", base))
}

# R stops where rate and scale are not each other's inverse.
check_gamma_scale <- function(tr, values, e, entry) {
  place <- match_arguments(entry$definition, values, e)$place
  if (!all(c("rate", "scale") %in% names(place))) return(NULL)
  given <- unlist(values[place[c("rate", "scale")]])
  if (!is.integer(given) || length(given) != 2L || any(level_of(tr, given) == 0L))
    integrand_refuse(e, "rate and scale are both given")
  known <- known_numbers(tr, given, e, "rate and scale")
  if (!isTRUE(abs(known[1L] * known[2L] - 1) < 1e-15)) integrand_refuse(e, "rate and scale are given and disagree")
}

# ---- the table -----------------------------------------------------------------------------------------------------

# Entries of functions that are not defined by others (integrate-definitions.R), all in package base.
integrand_builtin <- function() {
  value <- function(make, ...) list(run = run_values, make = make, ...)
  op <- function(name, formal = "x", swap = FALSE) value(make_op, op = name, formal = formal, swap = swap)
  xy <- c("e1", "e2")
  same <- list(run = run_values, make = make_same, bare = FALSE, takes = c("null", "string", "object", "function"))
  bare <- list(run = run_values, make = make_same, bare = TRUE)
  number <- c(bare, number = TRUE)
  statements <- list(
    `{` = run_block, `(` = run_block, `<-` = run_assign, `=` = run_assign, `if` = run_if, return = run_return,
    `function` = run_function, `for` = run_for, switch = run_switch, missing = run_missing, stop = run_stop,
    match.arg = run_match_arg, `::` = run_namespace, `$` = run_dollar, ifelse = run_ifelse, sapply = run_sapply,
    vapply = run_sapply, mapply = run_mapply, apply = run_apply, outer = run_outer, do.call = run_docall,
    tryCatch = run_expression, suppressWarnings = run_expression)
  base <- c(lapply(statements, function(run) list(run = run)), list(
    `&&` = list(run = run_shortcut, op = "and", decides = FALSE),
    `||` = list(run = run_shortcut, op = "or", decides = TRUE),
    `+` = value(make_sum_sign, op = "add"), `-` = value(make_sum_sign, op = "sub"), `*` = op("mul", xy),
    `/` = op("div", xy), `^` = value(make_power), `%%` = op("mod", xy), `%/%` = op("intdiv", xy),
    `<` = op("lt", xy), `<=` = op("le", xy), `==` = op("eq", xy), `!=` = op("ne", xy),
    `>` = op("lt", xy, TRUE), `>=` = op("le", xy, TRUE),
    `&` = value(make_condition, op = "and", formal = xy), `|` = value(make_condition, op = "or", formal = xy),
    `!` = value(make_condition, op = "not", formal = "x"),
    xor = value(make_condition, op = "ne", formal = c("x", "y")),
    atan2 = op("atan2", c("y", "x")), log = value(make_log), round = value(make_round),
    c = value(make_c, takes = "null"), sum = value(make_fold, op = "add", empty = 0, takes = "null"),
    prod = value(make_fold, op = "mul", empty = 1, takes = "null"),
    min = value(make_fold, op = "min", takes = "null"), max = value(make_fold, op = "max", takes = "null"),
    any = value(make_fold_conditions, op = "or", empty = 0),
    all = value(make_fold_conditions, op = "and", empty = 1), stopifnot = value(make_stopifnot),
    is.complex = value(function(tr, values, e, entry) literal(tr, 0, TRUE), takes = c("null", "object")),
    is.numeric = value(make_is_numeric, takes = c("null", "string", "object", "function")),
    findInterval = value(make_interval, takes = "series"), mean = value(make_mean),
    length = value(make_length, takes = "null"),
    pmin = value(make_elementwise_fold, op = "min"), pmax = value(make_elementwise_fold, op = "max"),
    cumsum = value(make_cumulative, op = "add"), cumprod = value(make_cumulative, op = "mul"),
    rev = value(make_rev), `[` = value(make_element, single = FALSE, takes = c("string", "missing")),
    `[[` = value(make_element, single = TRUE, takes = "string"),
    `:` = value(make_sequence, along = FALSE, arguments = 2L),
    seq_len = value(make_sequence, along = FALSE, arguments = 1L),
    seq_along = value(make_sequence, along = TRUE, arguments = 1L, takes = "null"),
    numeric = value(make_numeric), rep = value(make_rep), crossprod = value(make_product),
    `%*%` = value(make_product, takes = "object"), invisible = same, identity = same, force = same, drop = bare,
    as.numeric = number, as.double = number, as.vector = bare, unname = bare))
  for (name in c("abs", "sqrt", "exp", "expm1", "log1p", "log2", "log10", "sin", "cos", "tan", "sinpi", "cospi",
                 "tanpi", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor",
                 "ceiling", "trunc", "sign", "gamma", "lgamma", "digamma", "trigamma")) base[[name]] <- op(name)
  for (name in c("c", "sum", "prod", "min", "max", "mean", "length", "cumsum", "cumprod", "rev", "[", "[[",
                 "crossprod", "%*%", "drop", "as.numeric", "as.double", "as.vector", "unname"))
    base[[name]]$of_objects <- TRUE
  base
}

# Functions that R computes, of what depends neither on the variable nor on params: none has side effects. Methods for
# classes of objects are used, as coef() of a fit is of no use without them.
integrand_known <- list(
  base = c("signif", "nrow", "ncol", "NROW", "NCOL", "dim", "names",
           "colMeans", "rowMeans", "colSums", "rowSums", "range", "diff", "seq", "sort", "order", "which",
           "which.max", "which.min", "unlist", "t", "det", "diag", "solve", "chol", "matrix", "cbind", "rbind",
           "as.matrix", "as.integer", "nlevels", "levels", "tabulate", "unique", "nchar", "is.null"),
  stats = c("coef", "fitted", "residuals", "vcov", "sigma", "nobs", "deviance",
            "df.residual", "var", "sd", "median", "quantile", "cor", "mad", "IQR", "weighted.mean", "setNames"),
  utils = c("head", "tail"))

# Arguments that a function refuses: op_refuse("why") in a definition.
run_refuse <- function(tr, e, frame, entry) {
  f <- frame
  while (is.null(f$call)) f <- f$parent
  integrand_refuse(f$call, e[[2L]])
}

# The arguments of what R computes in C are evaluated first, as R does.
run_definition <- function(tr, e, frame, entry) {
  values <- run_values(tr, e, frame, list(make = function(tr, values, e, entry) values,
                                          takes = c("null", "string", "function", "missing", "series", "complex")))
  if (any(vapply(values, is_complex_value, NA))) return(value_of_complex(tr, values, e, entry))
  has_series <- any(is_kind(values, "series"))
  known <- if (has_series && !is.null(entry$object)) arguments_of_r(tr, values)
  if (!is.null(known)) return(value_by_r(tr, e, entry$object, known))
  if (!is.null(entry$before) && !has_series) entry$before(tr, values, e, entry)
  write_out(tr, e, frame, entry$definition, body(entry$definition), trusted_root(tr), NULL, values)
}

trusted_root <- function(tr) {
  if (is.null(tr$trusted)) {
    tr$trusted <- integrand_root(tr, integrand_memory)
    tr$trusted$trusted <- TRUE
  }
  tr$trusted
}

# by_name holds what users may call, trusted what definitions may.
integrand_table <- function() {
  if (is.null(integrand_memory$table)) {
    by_name <- lapply(integrand_builtin(), function(entry) c(entry, package = "base"))
    for (package in c("base", "stats", "statcl")) {
      definitions <- integrand_definitions[[package]]
      for (name in names(definitions))
        by_name[[name]] <- list(run = run_definition, definition = definitions[[name]], package = package,
                                before = if (name %in% c("dgamma", "pgamma", "qgamma")) check_gamma_scale)
    }
    for (package in names(integrand_known)) for (name in integrand_known[[package]])
      by_name[[name]] <- list(run = run_values, make = make_by_r, by_r = TRUE, package = package,
                              takes = c("null", "string", "object", "missing"),
                              otherwise = integrand_arranged[[name]], first = name %in% c("matrix", "head", "tail"))
    for (name in names(by_name)) {
      by_name[[name]]$object <- get(name, envir = asNamespace(by_name[[name]]$package))
      by_name[[name]]$name <- name
    }
    trusted <- by_name
    for (name in names(integrand_definitions$shared))
      if (is.function(integrand_definitions$shared[[name]]))
        trusted[[name]] <- list(run = run_definition, definition = integrand_definitions$shared[[name]])
    ops <- integrand_ops()
    operands <- c("a", "b", "c", "d", "e", "f")
    for (i in seq_along(ops$name))
      trusted[[paste0("op_", ops$name[i])]] <- list(
        run = run_values, make = make_op, library = ops$library[i], op = ops$name[i],
        formal = operands[seq_len(ops$arguments[i])], swap = FALSE)
    trusted$op_pair <- list(run = run_values, make = make_pair, takes = "series")
    trusted$op_refuse <- list(run = run_refuse)
    asks <- function(what) list(run = run_values, takes = "series", make = function(tr, values, e, entry)
      literal(tr, as.double(what(tr, values)), TRUE))
    is_data <- function(tr, values) any(vapply(values, is.list, NA))
    trusted$op_is_series <- asks(is_data)
    trusted$op_is_few <- asks(function(tr, values) {
      n <- argument_of_r(tr, values[[1L]])
      is_data(tr, values) && !is.null(n) && all(n[[1L]] <= 32)
    })
    trusted$op_is_one <- asks(function(tr, values) {
      n <- values[[1L]]
      is_nodes(n) && length(n) == 1L && level_of(tr, n) == 2L && known_value(tr, n) == 1
    })
    integrand_memory$table <- list(by_name = by_name, trusted = trusted)
  }
  integrand_memory$table
}

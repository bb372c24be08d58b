#' Integrands and how they are evaluated
#'
#' What [integrategpu()] makes of an integrand that is given as R code: a formula with one side, a function, or an
#' expression. The code is translated once, without calling the integrand, to a program that is evaluated on the
#' device in use for all points of all integrals. What cannot be translated is evaluated by R itself.
#'
#' The value of the integrand is that of the R code for each single number x. `x` is never a vector, so that
#' `if (x > 0)`, `sum()` and `max()` mean what they say, and a function for [integrate()] that takes vectors is right
#' as well. A value of length m is an integrand with m components, which share their points; names, as in
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
#'   first such place and what the function says there. What stops at all places, and what [tryCatch()] or [try()]
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

# The functions that integrands may have. Most are written in R in terms of others and of the engine's operations,
# op_<name>(), and are written out where they are called; the rest makes nodes itself.

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
  do.call(tr$nodes$apply, c(list(entry$op), if (entry$swap) rev(values) else values))
}

make_sum_sign <- function(tr, values, e, entry) {
  if (length(values) == 2L) return(tr$nodes$apply(entry$op, values[[1L]], values[[2L]]))
  if (length(values) != 1L) integrand_refuse(e, "it has no operands")
  if (entry$op == "add") tr$nodes$as_number(values[[1L]]) else tr$nodes$apply("neg", values[[1L]])
}

make_condition <- function(tr, values, e, entry) {
  values <- placed(values, entry$formal, e)
  do.call(tr$nodes$apply, c(list(entry$op), lapply(values, as_condition, tr = tr)))
}

# Powers with small whole exponents that are written as such are products: at most 5 roundings.
make_power <- function(tr, values, e, entry) {
  values <- placed(values, c("x", "y"), e)
  base <- values[[1L]]
  exponent <- values[[2L]]
  n <- if (length(exponent) == 1L && tr$nodes$level(exponent) == 2L) tr$nodes$known(exponent) else NaN
  if (is.nan(n) || n != trunc(n) || abs(n) > 8) return(tr$nodes$apply("pow", base, exponent))
  if (all(vapply(base, tr$nodes$level, 0L) == 2L)) return(tr$nodes$apply("pow", base, exponent))
  if (n == 0) return(structure(rep(tr$nodes$literal(1), length(base)), names = names(base)))
  multiply <- function(a, b) if (is.null(a)) b else tr$nodes$apply("mul", a, b)
  product <- NULL
  square <- base
  left <- abs(n)
  repeat {
    if (left %% 2 == 1) product <- multiply(product, square)
    left <- left %/% 2
    if (left == 0) break
    square <- multiply(square, square)
  }
  if (n < 0) tr$nodes$apply("div", tr$nodes$literal(1), product) else tr$nodes$as_number(product)
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
  if (length(values)) tr$nodes$of_one_type(do.call("c", values)) else integrand_null
}

make_fold <- function(tr, values, e, entry) {
  v <- unlist(Filter(is.integer, without_na_rm(tr, values, e)), use.names = FALSE)
  if (!length(v)) {
    if (is.null(entry$empty)) integrand_refuse(e, "it has no numbers")
    return(tr$nodes$literal(entry$empty, entry$op %in% integrand_conditions))
  }
  value <- if (entry$op %in% integrand_conditions) v[1L] else tr$nodes$as_number(v[1L])
  for (id in v[-1L]) value <- tr$nodes$operation(entry$op, value, id)
  value
}

make_fold_conditions <- function(tr, values, e, entry)
  make_fold(tr, lapply(without_na_rm(tr, values, e), as_condition, tr = tr), e, entry)

make_is_numeric <- function(tr, values, e, entry) {
  v <- placed(values, "x", e)[[1L]]
  tr$nodes$literal(as.double(is_nodes(v) && (!length(v) || !tr$nodes$is_condition(v))), TRUE)
}

make_mean <- function(tr, values, e, entry) {
  values <- without_na_rm(tr, values, e)
  v <- placed(values, "x", e)[[1L]]
  tr$nodes$operation("div", make_fold(tr, list(v), e, list(op = "add")), tr$nodes$literal(length(v)))
}

make_cumulative <- function(tr, values, e, entry) {
  v <- tr$nodes$as_number(placed(values, "x", e)[[1L]])
  for (i in seq_along(v)[-1L]) v[i] <- tr$nodes$operation(entry$op, v[[i - 1L]], v[[i]])
  v
}

make_elementwise_fold <- function(tr, values, e, entry) {
  values <- without_na_rm(tr, values, e)
  if (!length(values)) integrand_refuse(e, "it has no arguments")
  Reduce(function(a, b) tr$nodes$apply(entry$op, a, b), values)
}

make_length <- function(tr, values, e, entry) {
  v <- placed(values, "x", e)[[1L]]
  tr$nodes$literal(if (is.integer(v)) length(v) else 0)
}

make_rev <- function(tr, values, e, entry) rev(placed(values, "x", e)[[1L]])
make_same <- function(tr, values, e, entry) {
  v <- placed(values, "x", e)[[1L]]
  if (!is_nodes(v)) return(v)
  if (isTRUE(entry$number)) v <- tr$nodes$as_number(v)
  if (!entry$bare || entry$name == "drop" && min(dim(v), 2L) > 1L) v else as.vector(v)
}

known_index <- function(tr, index, e) {
  if (!is_nodes(index)) {
    if (index$kind == "string") return(index$text)
    as_nodes(index, e)
  }
  at <- known_numbers(tr, index, e, "an index")
  if (anyNA(at)) integrand_refuse(e, "an index is missing")
  if (length(index) && tr$nodes$is_condition(index)) at != 0 else at
}

make_element <- function(tr, values, e, entry) {
  if (length(values) == 3L && length(dim(values[[1L]])) == 2L) {
    at <- lapply(values[-1L], function(k) if (is.list(k) && k$kind == "missing") TRUE else known_index(tr, k, e))
    value <- tryCatch(values[[1L]][at[[1L]], at[[2L]]], error = function(problem) NA)
    if (anyNA(value)) integrand_refuse(e, "there is no such element")
    return(value)
  }
  if (length(values) != 2L || !is.null(names(values))) integrand_refuse(e, "only v[k] and v[[k]] are translated")
  if (is_nodes(values[[2L]]) && length(values[[2L]]) == 1L && is.null(tr$nodes$known(values[[2L]])) &&
      !tr$nodes$is_condition(values[[2L]])) {
    element <- table_element(tr, values[[1L]], values[[2L]], e)
    if (!is.null(element)) return(element)
  }
  v <- as_nodes(values[[1L]], e)
  at <- known_index(tr, values[[2L]], e)
  if (entry$single && is.logical(at)) at <- as.numeric(at)
  value <- if (entry$single && length(at) != 1L) NA
           else tryCatch(v[at], error = function(problem) NA)
  if (entry$single && length(value) != 1L || anyNA(value)) integrand_refuse(e, "there is no such element")
  if (entry$single) unname(value) else value
}

literals <- function(tr, numbers) vapply(numbers, tr$nodes$literal, 0L, USE.NAMES = FALSE)

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
  rep(tr$nodes$literal(0), n)
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
  if (tr$nodes$is_condition(yes) != tr$nodes$is_condition(no) && all(vapply(test, tr$nodes$level, 0L) > 0L)) {
    # the type is that of what is taken
    taken <- known_numbers(tr, test, e, "a condition") != 0
    if (!anyNA(taken)) return(tr$nodes$of_one_type(structure(ifelse(taken, yes, no), names = names(test))))
  }
  tr$nodes$apply("select", test, yes, no)
}

make_round <- function(tr, values, e, entry) {
  values <- placed(values, c("x", "digits"), e, 1L)
  if (length(values) == 2L && known_number(tr, values[[2L]], e, "digits") != 0)
    integrand_refuse(e, "only digits = 0 is translated")
  tr$nodes$apply("round", values[[1L]])
}

make_log <- function(tr, values, e, entry) {
  values <- placed(values, c("x", "base"), e, 1L)
  if (length(values) == 1L) return(tr$nodes$apply("log", values[[1L]]))
  base <- values[[2L]]
  if (length(base) == 1L && tr$nodes$level(base) == 2L && tr$nodes$known(base) %in% c(2, 10))
    return(tr$nodes$apply(if (tr$nodes$known(base) == 2) "log2" else "log10", values[[1L]]))
  tr$nodes$apply("div", tr$nodes$apply("log", values[[1L]]), tr$nodes$apply("log", base))
}

# R stops where rate and scale are not each other's inverse.
check_gamma_scale <- function(tr, values, e, entry) {
  place <- match_arguments(entry$definition, values, e)$place
  if (!all(c("rate", "scale") %in% names(place))) return(NULL)
  given <- unlist(values[place[c("rate", "scale")]])
  if (!is.integer(given) || length(given) != 2L || any(vapply(given, tr$nodes$level, 0L) == 0L))
    integrand_refuse(e, "rate and scale are both given")
  known <- known_numbers(tr, given, e, "rate and scale")
  if (!isTRUE(abs(known[1L] * known[2L] - 1) < 1e-15)) integrand_refuse(e, "rate and scale are given and disagree")
}

# ---- written out ---------------------------------------------------------------------------------------------------

# Arguments, their order and their defaults are those of the functions of R. Densities of discrete and of gamma, beta,
# t and F distributions are in Loader's form, op_stirling_error() and op_deviance() being log n! less Stirling's
# formula and x log(x/m) + m - x (Loader, C. (2000), Fast and accurate computation of binomial probabilities).
# Conditions on flags are constants; others go through op_select(), which takes the side of a constant condition at
# once. op_is_one() is of the number 1 as it is written: one trial needs no Stirling's formula. op_is_few() is of
# known numbers of up to 32 trials where one of the arguments is data.
integrand_definitions <- list(
  base = list(
    gamma = function(x) op_gamma(x),
    beta = function(a, b) {
      in_range <- a >= 0 & b >= 0
      value <- op_select(a + b < 171.61447887182298, op_gamma(a) * op_gamma(b) / op_gamma(a + b), exp(op_lbeta(a, b)))
      value <- op_select(a == 0 | b == 0, Inf, op_select(a == Inf | b == Inf, 0, value))
      op_select(in_range, value, NaN)
    },
    lbeta = function(a, b) op_lbeta(a, b),
    factorial = function(x) op_gamma(x + 1),
    lfactorial = function(x) op_lgamma(x + 1),
    choose = function(n, k) op_r_choose(n, k),
    lchoose = function(n, k) op_r_lchoose(n, k),
    Re = function(z) z,
    Im = function(z) 0 * op_is_nan(z),
    Mod = function(z) abs(z),
    Arg = function(z) op_select(z >= 0, 0, pi),
    Conj = function(z) z,
    complex = function(length.out, real = 0, imaginary = 0, modulus = 1, argument = 0) {
      if (!missing(length.out)) op_refuse("length.out is not translated")
      if (missing(modulus) && missing(argument)) op_pair(real, imaginary)
      else op_pair(modulus * cos(argument), modulus * sin(argument))
    },
    as.complex = function(x) op_pair(x, 0),
    is.finite = function(x) !op_is_nan(x - x),
    is.infinite = function(x) !op_is_nan(x) & op_is_nan(x - x),
    is.na = function(x) op_is_nan(x),
    is.nan = function(x) op_is_nan(x),
    besselK = function(x, nu, expon.scaled = FALSE)
      if (expon.scaled) op_bessel_k_scaled(x, nu) else op_bessel_k(x, nu),
    besselI = function(x, nu, expon.scaled = FALSE) op_r_bessel_i(x, nu, expon.scaled),
    besselJ = function(x, nu) {
      far <- is_far(x, nu)
      op_select(far, hankel(x, nu, 1, 0), op_r_bessel_j(op_select(far, 1, x), nu))
    },
    besselY = function(x, nu) {
      far <- is_far(x, nu)
      op_select(far, hankel(x, nu, 0, 1), op_r_bessel_y(op_select(far, 1, x), nu))
    },
    psigamma = function(x, deriv = 0L) op_r_psigamma(x, deriv)),
  statcl = list(
    besselKgpu = function(x, nu, expon.scaled = FALSE, log = FALSE, deriv = "none", method = "auto", bins = NULL) {
      switch(deriv, none = 0, op_refuse("only deriv = \"none\" is translated"))
      switch(method, auto = 0, op_refuse("only method = \"auto\" is translated"))
      if (log) op_log(op_bessel_k_scaled(x, nu)) - x
      else if (expon.scaled) op_bessel_k_scaled(x, nu)
      else op_bessel_k(x, nu)
    },
    dstable = function(x, alpha, beta, gamma = 1, delta = 0, pm = 0, log = FALSE)
      if (log) op_stable_log_density(x, alpha, beta, gamma, delta, pm)
      else op_stable_density(x, alpha, beta, gamma, delta, pm),
    pstable = function(q, alpha, beta, gamma = 1, delta = 0, pm = 0, lower.tail = TRUE, log.p = FALSE) {
      if (lower.tail) {
        if (log.p) op_stable_log_lower(q, alpha, beta, gamma, delta, pm)
        else op_stable_lower(q, alpha, beta, gamma, delta, pm)
      } else if (log.p) op_stable_log_upper(q, alpha, beta, gamma, delta, pm)
      else op_stable_upper(q, alpha, beta, gamma, delta, pm)
    },
    qstable = function(p, alpha, beta, gamma = 1, delta = 0, pm = 0, lower.tail = TRUE, log.p = FALSE) {
      same <- function(p) if (lower.tail) op_stable_quantile(p, alpha, beta, gamma, delta, pm)
                          else op_stable_upper_quantile(p, alpha, beta, gamma, delta, pm)
      other <- function(p) if (lower.tail) op_stable_upper_quantile(p, alpha, beta, gamma, delta, pm)
                           else op_stable_quantile(p, alpha, beta, gamma, delta, pm)
      if (log.p) op_select(p < -log_2, same(exp(p)), other(-expm1(p))) else same(p)
    },
    dpoisgpu = function(x, lambda, log = FALSE)
      if (log) op_poisson_log_density(x, lambda) else op_poisson_density(x, lambda),
    ppoisgpu = function(q, lambda, lower.tail = TRUE, log.p = FALSE) poisson_tail(q, lambda, lower.tail, log.p),
    qpoisgpu = function(p, lambda, lower.tail = TRUE, log.p = FALSE) poisson_quantile(p, lambda, lower.tail, log.p)),
  stats = list(
    dnorm = function(x, mean = 0, sd = 1, log = FALSE) {
      z <- (x - mean) / sd
      value <- if (log) -(log_sqrt_2pi + 0.5 * z * z + op_log(sd)) else op_norm_density(z) / sd
      value <- op_select(sd == Inf, none(log), value)
      op_select(sd > 0, value, op_select(sd == 0, op_select(x == mean, Inf, none(log)), NaN))
    },
    pnorm = function(q, mean = 0, sd = 1, lower.tail = TRUE, log.p = FALSE) {
      z <- op_select(sd == Inf, op_select(abs(q) == Inf, q - mean, 0), (q - mean) / sd)
      if (!lower.tail) z <- -z
      value <- if (log.p) op_norm_log_lower(z) else op_norm_lower(z)
      op_select(sd > 0, value, op_select(sd == 0, step(q >= mean, lower.tail, log.p), NaN))
    },
    qnorm = function(p, mean = 0, sd = 1, lower.tail = TRUE, log.p = FALSE) {
      w <- if (log.p) norm_log_quantile(p) else op_norm_quantile(p)
      if (!lower.tail) w <- -w
      value <- op_select(abs(w) == Inf, w, mean + sd * w)
      op_select(sd >= 0, value, NaN)
    },
    dexp = function(x, rate = 1, log = FALSE) {
      value <- if (log) op_log(rate) - x * rate else exp(-x * rate) * rate
      op_select(rate >= 0 & rate < Inf, op_select(x < 0, none(log), value), NaN)
    },
    pexp = function(q, rate = 1, lower.tail = TRUE, log.p = FALSE)
      op_select(rate >= 0, op_select(q <= 0, step(FALSE, lower.tail, log.p),
                                     exp_tail(-(q * rate), lower.tail, log.p)), NaN),
    qexp = function(p, rate = 1, lower.tail = TRUE, log.p = FALSE)
      op_select(rate >= 0, -log_upper(p, lower.tail, log.p) / rate, NaN),
    dunif = function(x, min = 0, max = 1, log = FALSE) {
      value <- if (log) -op_log(max - min) else 1 / (max - min)
      op_select(max > min, op_select(x >= min & x <= max, value, none(log)), NaN)
    },
    punif = function(q, min = 0, max = 1, lower.tail = TRUE, log.p = FALSE) {
      value <- (if (lower.tail) q - min else max - q) / (max - min)
      value <- op_select(q >= max, step(TRUE, lower.tail, log.p),
                         op_select(q <= min, step(FALSE, lower.tail, log.p), if (log.p) op_log(value) else value))
      op_select(max >= min & is_finite(min) & is_finite(max), value, NaN)
    },
    qunif = function(p, min = 0, max = 1, lower.tail = TRUE, log.p = FALSE) {
      value <- op_select(min == max, min, min + lower_of(p, lower.tail, log.p) * (max - min))
      op_select(max >= min, value, NaN)
    },
    dlogis = function(x, location = 0, scale = 1, log = FALSE) {
      z <- abs((x - location) / scale)
      e <- exp(-z)
      f <- scale * (1 + e) * (1 + e)
      op_select(scale > 0, if (log) -(z + op_log(f)) else e / f, NaN)
    },
    plogis = function(q, location = 0, scale = 1, lower.tail = TRUE, log.p = FALSE) {
      z <- (q - location) / scale
      if (lower.tail) z <- -z
      op_select(scale > 0, if (log.p) -op_log1pexp(z) else 1 / (1 + exp(z)), NaN)
    },
    qlogis = function(p, location = 0, scale = 1, lower.tail = TRUE, log.p = FALSE) {
      odds <- if (log.p) p - log1mexp(p) else op_log(p / (1 - p))
      if (!lower.tail) odds <- -odds
      op_select(scale >= 0, op_select(abs(odds) == Inf, odds, location + scale * odds), NaN)
    },
    dcauchy = function(x, location = 0, scale = 1, log = FALSE) {
      y <- (x - location) / scale
      f <- pi * scale * (1 + y * y)
      op_select(scale > 0, if (log) -op_log(f) else 1 / f, NaN)
    },
    pcauchy = function(q, location = 0, scale = 1, lower.tail = TRUE, log.p = FALSE) {
      z <- (q - location) / scale
      if (!lower.tail) z <- -z
      far <- abs(z) > 1
      w <- op_atan(op_select(far, 1 / z, z)) / pi
      right <- far & z > 0
      value <- op_select(far, op_select(right, 1 - w, -w), 0.5 + w)
      op_select(scale > 0, if (log.p) op_select(right, op_log1p(-w), op_log(value)) else value, NaN)
    },
    qcauchy = function(p, location = 0, scale = 1, lower.tail = TRUE, log.p = FALSE) {
      high <- if (log.p) p > -log_2 else p > 0.5
      small <- if (log.p) op_select(high, -op_expm1(p), exp(p)) else op_select(high, 1 - p, p)
      cot <- op_select(small == 0.5, 0, 1 / op_tanpi(small))
      value <- location + scale * op_select(if (lower.tail) high else !high, cot, -cot)
      value <- op_select(small == 0, op_select(if (lower.tail) high else !high, Inf, -Inf), value)
      op_select(scale >= 0 & small >= 0, op_select(scale == 0, location, value), NaN)
    },
    dweibull = function(x, shape, scale = 1, log = FALSE) {
      t1 <- (x / scale)^(shape - 1)
      t2 <- t1 * (x / scale)
      value <- if (log) -t2 + op_log(shape * t1 / scale) else shape * t1 * exp(-t2) / scale
      value <- op_select(t2 == Inf, none(log), value)
      value <- op_select(x == 0 & shape < 1, Inf, op_select(x < 0 | x == Inf, none(log), value))
      op_select(shape > 0 & scale > 0, value, NaN)
    },
    pweibull = function(q, shape, scale = 1, lower.tail = TRUE, log.p = FALSE) {
      value <- exp_tail(-(q / scale)^shape, lower.tail, log.p)
      op_select(shape > 0 & scale > 0, op_select(q <= 0, step(FALSE, lower.tail, log.p), value), NaN)
    },
    qweibull = function(p, shape, scale = 1, lower.tail = TRUE, log.p = FALSE)
      op_select(shape > 0 & scale > 0, scale * (-log_upper(p, lower.tail, log.p))^(1 / shape), NaN),
    dlnorm = function(x, meanlog = 0, sdlog = 1, log = FALSE) {
      y <- (op_log(x) - meanlog) / sdlog
      value <- if (log) -(log_sqrt_2pi + 0.5 * y * y + op_log(x * sdlog)) else op_norm_density(y) / (sdlog * x)
      value <- op_select(sdlog == 0, op_select(op_log(x) == meanlog, Inf, none(log)), value)
      op_select(sdlog >= 0, op_select(x <= 0, none(log), value), NaN)
    },
    plnorm = function(q, meanlog = 0, sdlog = 1, lower.tail = TRUE, log.p = FALSE)
      op_select(q > 0, pnorm(op_log(op_max(q, 0)), meanlog, sdlog, lower.tail, log.p),
                step(FALSE, lower.tail, log.p)),
    qlnorm = function(p, meanlog = 0, sdlog = 1, lower.tail = TRUE, log.p = FALSE)
      exp(qnorm(p, meanlog, sdlog, lower.tail, log.p)),
    dgamma = function(x, shape, rate = 1, scale = 1 / rate, log = FALSE) {
      # x^(shape - 1) has its pole outside of the Poisson probability
      few <- shape < 1
      raw <- poisson_raw(op_select(few, shape, shape - 1), x / scale, log)
      value <- if (log) raw + op_select(few, op_log(shape) - op_log(x), -op_log(scale))
               else op_select(few, raw * (shape / x), raw / scale)
      at_0 <- op_select(few, Inf, op_select(shape > 1, none(log), if (log) -op_log(scale) else 1 / scale))
      value <- op_select(x == 0, at_0, op_select(x < 0 | x == Inf, none(log), value))
      value <- op_select(shape == 0, op_select(x == 0, Inf, none(log)), value)
      op_select(shape >= 0 & scale > 0, value, NaN)
    },
    dchisq = function(x, df, ncp = 0, log = FALSE) {
      if (missing(ncp)) dgamma(x, df / 2, scale = 2, log = log) else op_r_dnchisq(x, df, ncp, log)
    },
    dbeta = function(x, shape1, shape2, ncp = 0, log = FALSE) {
      if (!missing(ncp)) return(op_r_dnbeta(x, shape1, shape2, ncp, log))
      low <- (shape1 - 1) * op_log(x) + (shape2 - 1) * op_log1p(-x) - op_lbeta(shape1, shape2)
      high <- op_log(shape1 + shape2 - 1) + binomial_log_raw(shape1 - 1, shape2 - 1, x, 1 - x)
      # at 1 the factor (1 - x)^0 counts as 1
      value <- op_select(shape1 <= 2 | shape2 <= 2, low, high)
      if (!log) value <- exp(value)
      end <- function(a, b) op_select(a > 1, none(log), op_select(a < 1, Inf, if (log) op_log(b) else b))
      value <- op_select(x == 0, end(shape1, shape2), op_select(x == 1, end(shape2, shape1), value))
      mass <- function(a) op_select(a, Inf, none(log))
      limit <- shape1 == 0 | shape2 == 0 | shape1 == Inf | shape2 == Inf
      point <- op_select(shape1 == 0 | shape2 == Inf, mass(x == 0), mass(x == 1))
      point <- op_select(shape1 == shape2, op_select(shape1 == 0, mass(x == 0 | x == 1), mass(x == 0.5)), point)
      value <- op_select(x < 0 | x > 1, none(log), op_select(limit, point, value))
      op_select(shape1 >= 0 & shape2 >= 0, value, NaN)
    },
    dt = function(x, df, ncp, log = FALSE) {
      if (!missing(ncp)) return(op_r_dnt(x, df, ncp, log))
      # log of Gamma((df + 1)/2) / (Gamma(df/2) sqrt(df/2))
      t <- op_stirling_error((df + 1) / 2) - op_stirling_error(df / 2) - op_deviance(df / 2, (df + 1) / 2)
      ratio <- x * x / df
      large <- ratio > 1 / eps
      half_log <- op_select(large, op_log(abs(x)) - op_log(df) / 2, op_log1p(ratio) / 2)
      value <- if (log) t - df * half_log - (log_sqrt_2pi + half_log)
               else exp(t - df * half_log) / sqrt_2pi * op_select(large, op_sqrt(df) / abs(x), 1 / op_sqrt(1 + ratio))
      value <- op_select(df == Inf, dnorm(x, log = log), op_select(abs(x) == Inf, none(log), value))
      op_select(df > 0, value, NaN)
    },
    df = function(x, df1, df2, ncp, log = FALSE) {
      if (!missing(ncp)) return(op_r_dnf(x, df1, df2, ncp, log))
      f <- 1 / (df2 + x * df1)
      q <- df2 * f
      p <- x * df1 * f
      two <- df1 >= 2
      scale <- op_select(two, df1 * q / 2, df1 * df1 * q / (2 * p * (df1 + df2)))
      raw <- binomial_log_raw(op_select(two, (df1 - 2) / 2, df1 / 2), df2 / 2, p, q)
      value <- if (log) op_log(scale) + raw else scale * exp(raw)
      at_0 <- op_select(df1 > 2, none(log), op_select(df1 == 2, if (log) 0 else 1, Inf))
      value <- op_select(df2 == Inf, dgamma(x, df1 / 2, scale = 2 / df1, log = log), value)
      value <- op_select(x == 0, at_0, op_select(x == Inf, none(log), value))
      # the limit of large df1: where it is taken it is exact, and x * df1 may overflow
      limit <- df1 == Inf | df1 > 1e150 & df2 < 1e50
      value <- op_select(limit, op_select(df2 == Inf, op_select(x == 1, Inf, none(log)), {
        inverse <- dgamma(1 / x, df2 / 2, scale = 2 / df2, log = log)
        op_select(x == 0, none(log), if (log) inverse - 2 * op_log(x) else inverse / (x * x))
      }), value)
      op_select(df1 > 0 & df2 > 0, op_select(x < 0, none(log), value), NaN)
    },
    dbinom = function(x, size, prob, log = FALSE) {
      n <- op_round(size)
      k <- op_round(x)
      value <- if (op_is_one(n)) op_select(k == 1, op_log(prob), op_select(k == 0, op_log1p(-prob), -Inf))
               else if (op_is_few(n, x)) binomial_log_few(k, n, prob)
               else binomial_log_raw(k, n - k, prob, 1 - prob)
      if (!log) value <- exp(value)
      value <- op_select(x < 0 | abs(x) == Inf | !is_near(x, k), none(log), value)
      op_select(prob >= 0 & prob <= 1 & n >= 0 & is_near(size, n), value, NaN)
    },
    dnbinom = function(x, size, prob, mu, log = FALSE) {
      k <- op_round(x)
      share <- size / (size + k)
      if (missing(mu)) {
        binomial <- binomial_log_raw(size, k, prob, 1 - prob)
        value <- if (log) op_log(share) + binomial else share * exp(binomial)
        value <- op_select(size == Inf, op_select(prob == 1, if (log) 0 else 1, none(log)), value)
        known <- prob > 0 & prob <= 1 & size >= 0
      } else {
        if (!missing(prob)) op_refuse("prob and mu are both given")
        binomial <- binomial_log_raw(size, k, size / (size + mu), mu / (size + mu))
        value <- if (log) op_log(share) + binomial else share * exp(binomial)
        # mu/size small: the expansion for probabilities of a few counts of a large size
        p <- op_select(size < mu, op_log(size / (1 + size / mu)), op_log(mu / (1 + mu / size)))
        few <- k * p - mu - op_lgamma(k + 1) + op_log1p(k * (k - 1) / (2 * size))
        zero <- size * op_select(size < mu, op_log(size / (size + mu)), op_log1p(-mu / (size + mu)))
        few <- op_select(k == 0, zero, few)
        value <- op_select(k < 1e-10 * size, if (log) few else exp(few), value)
        value <- op_select(size == Inf, poisson_raw(k, mu, log), value)
        known <- mu >= 0 & size >= 0
      }
      value <- op_select(k == 0 & size == 0, if (log) 0 else 1, value)
      op_select(known, op_select(x < 0 | x == Inf | !is_near(x, k), none(log), value), NaN)
    },
    dgeom = function(x, prob, log = FALSE) {
      k <- op_round(x)
      power <- op_select(k == 0, 0, k * op_log1p(-prob))
      value <- if (log) op_log(prob) + power else prob * exp(power)
      op_select(prob > 0 & prob <= 1, op_select(x < 0 | x == Inf | !is_near(x, k), none(log), value), NaN)
    },
    pgeom = function(q, prob, lower.tail = TRUE, log.p = FALSE) {
      value <- exp_tail(op_log1p(-prob) * (op_floor(q + 1e-7) + 1), lower.tail, log.p)
      op_select(prob > 0 & prob <= 1, op_select(q < 0, step(FALSE, lower.tail, log.p), value), NaN)
    },
    pgamma = function(q, shape, rate = 1, scale = 1 / rate, lower.tail = TRUE, log.p = FALSE)
      op_r_pgamma(q, shape, scale, lower.tail, log.p),
    qgamma = function(p, shape, rate = 1, scale = 1 / rate, lower.tail = TRUE, log.p = FALSE)
      op_r_qgamma(p, shape, scale, lower.tail, log.p),
    pchisq = function(q, df, ncp = 0, lower.tail = TRUE, log.p = FALSE)
      if (missing(ncp)) op_r_pgamma(q, df / 2, 2, lower.tail, log.p) else op_r_pnchisq(q, df, ncp, lower.tail, log.p),
    qchisq = function(p, df, ncp = 0, lower.tail = TRUE, log.p = FALSE)
      if (missing(ncp)) op_r_qgamma(p, df / 2, 2, lower.tail, log.p) else op_r_qnchisq(p, df, ncp, lower.tail, log.p),
    pnbinom = function(q, size, prob, mu, lower.tail = TRUE, log.p = FALSE)
      if (missing(mu)) op_r_pnbinom(q, size, prob, lower.tail, log.p)
      else op_r_pnbinom_mu(q, size, mu, lower.tail, log.p),
    qnbinom = function(p, size, prob, mu, lower.tail = TRUE, log.p = FALSE)
      if (missing(mu)) op_r_qnbinom(p, size, prob, lower.tail, log.p)
      else op_r_qnbinom_mu(p, size, mu, lower.tail, log.p),
    dpois = function(x, lambda, log = FALSE) {
      if (op_is_series(x, lambda)) {
        k <- op_round(x)
        value <- op_select(x < 0 | !is_near(x, k), none(log), poisson_raw(k, lambda, log))
        op_select(lambda >= 0, value, NaN)
      } else if (log) op_poisson_log_density(x, lambda)
      else op_poisson_density(x, lambda)
    },
    ppois = function(q, lambda, lower.tail = TRUE, log.p = FALSE) poisson_tail(q, lambda, lower.tail, log.p),
    qpois = function(p, lambda, lower.tail = TRUE, log.p = FALSE) poisson_quantile(p, lambda, lower.tail, log.p)),
  # of complex numbers
  complex = list(
    `*` = function(x, y) op_pair(Re(x) * Re(y) - Im(x) * Im(y), Re(x) * Im(y) + Im(x) * Re(y)),
    # in units of the larger part of y (Smith, R. L. (1962), Algorithm 116: complex division), as in R
    `/` = function(x, y) {
      a <- Re(x)
      b <- Im(x)
      steep <- abs(Re(y)) <= abs(Im(y))
      ratio <- op_select(steep, Re(y) / Im(y), Im(y) / Re(y))
      size <- op_select(steep, Im(y), Re(y)) * (1 + ratio * ratio)
      op_pair(op_select(steep, a * ratio + b, a + b * ratio) / size,
              op_select(steep, b * ratio - a, b - a * ratio) / size)
    },
    `^` = function(x, y) {
      if (is.complex(y)) exp(y * log(x))
      else op_pair(Mod(x)^y * cos(y * Arg(x)), Mod(x)^y * sin(y * Arg(x)))
    },
    exp = function(x) {
      size <- exp(Re(x))
      b <- Im(x)
      op_pair(op_select(size == 0, 0, size * cos(b)), op_select(size == 0, 0, op_select(b == 0, b, size * sin(b))))
    },
    # log|x|, near 1 by log(a^2 + b^2) = log1p((a - 1)(a + 1) + b^2)
    log = function(x, base) {
      a <- op_max(abs(Re(x)), abs(Im(x)))
      b <- op_min(abs(Re(x)), abs(Im(x)))
      ratio <- op_select(a == 0 | a == Inf, 0, b / a)
      size <- op_select(a > 0.5 & a < 2, 0.5 * op_log1p((a - 1) * (a + 1) + b * b),
                        op_log(a) + 0.5 * op_log1p(ratio * ratio))
      value <- op_pair(size, Arg(x))
      if (missing(base)) value else value / log(base)
    },
    sqrt = function(x) {
      a <- Re(x)
      b <- Im(x)
      longer <- op_sqrt(abs(a) / 2 + Mod(x) / 2)
      shorter <- op_select(longer == 0, 0, b / (2 * longer))
      below <- b < 0 | 1 / b < 0
      op_pair(op_select(a >= 0, longer, abs(shorter)), op_select(a >= 0, shorter, op_select(below, -longer, longer)))
    },
    Mod = function(z) {
      a <- op_max(abs(Re(z)), abs(Im(z)))
      ratio <- op_select(a == 0 | a == Inf, 0, op_min(abs(Re(z)), abs(Im(z))) / a)
      a * op_sqrt(1 + ratio * ratio)
    },
    abs = function(x) Mod(x),
    Arg = function(z) op_atan2(Im(z), Re(z)),
    Conj = function(z) op_pair(Re(z), -Im(z)),
    as.complex = function(x) x,
    cos = function(x) op_pair(op_cos(Re(x)) * op_cosh(Im(x)), -op_sin(Re(x)) * op_sinh(Im(x))),
    sin = function(x) op_pair(op_sin(Re(x)) * op_cosh(Im(x)), op_cos(Re(x)) * op_sinh(Im(x))),
    cosh = function(x) op_pair(op_cosh(Re(x)) * op_cos(Im(x)), op_sinh(Re(x)) * op_sin(Im(x))),
    sinh = function(x) op_pair(op_sinh(Re(x)) * op_cos(Im(x)), op_cosh(Re(x)) * op_sin(Im(x))),
    `==` = function(e1, e2) Re(e1) == Re(e2) & Im(e1) == Im(e2),
    `!=` = function(e1, e2) Re(e1) != Re(e2) | Im(e1) != Im(e2),
    is.finite = function(x) is_finite(Re(x)) & is_finite(Im(x)),
    is.nan = function(x) op_is_nan(Re(x)) | op_is_nan(Im(x)),
    is.na = function(x) op_is_nan(Re(x)) | op_is_nan(Im(x))),
  # what the definitions share; no user's code sees these names
  shared = list(
    log_sqrt_2pi = 0.918938533204672741780329736406,
    sqrt_2pi = 2.506628274631000502415765284811,
    log_2 = 0.693147180559945309417232121458,
    eps = 2.220446049250313e-16,
    pi = pi,
    none = function(log) if (log) -Inf else 0,
    is_finite = function(x) !op_is_nan(x - x),
    is_near = function(x, whole) abs(x - whole) <= 1e-7 * op_max(1, abs(x)),
    # a distribution function that is 1 where up holds and 0 elsewhere
    step = function(up, lower.tail, log.p) {
      low <- if (log.p) -Inf else 0
      high <- if (log.p) 0 else 1
      if (lower.tail) op_select(up, high, low) else op_select(up, low, high)
    },
    # log(1 - exp(x)) for x <= 0
    log1mexp = function(x) op_select(x > -log_2, op_log(-op_expm1(x)), op_log1p(-exp(x))),
    # of a distribution with upper tail exp(t)
    exp_tail = function(t, lower.tail, log.p) {
      if (lower.tail) { if (log.p) log1mexp(t) else -op_expm1(t) }
      else if (log.p) t else exp(t)
    },
    # log of the upper tail
    log_upper = function(p, lower.tail, log.p) {
      if (log.p) { if (lower.tail) log1mexp(p) else op_select(p <= 0, p, NaN) }
      else op_select(p >= 0 & p <= 1, if (lower.tail) op_log1p(-p) else op_log(p), NaN)
    },
    lower_of = function(p, lower.tail, log.p) {
      if (log.p) { if (lower.tail) op_select(p <= 0, exp(p), NaN) else op_select(p <= 0, -op_expm1(p), NaN) }
      else op_select(p >= 0 & p <= 1, if (lower.tail) p else 1 - p, NaN)
    },
    poisson_tail = function(q, lambda, lower.tail, log.p) {
      if (lower.tail) { if (log.p) op_poisson_log_lower(q, lambda) else op_poisson_lower(q, lambda) }
      else if (log.p) op_poisson_log_upper(q, lambda) else op_poisson_upper(q, lambda)
    },
    poisson_quantile = function(p, lambda, lower.tail, log.p) {
      same <- function(p) if (lower.tail) op_poisson_quantile(p, lambda) else op_poisson_upper_quantile(p, lambda)
      other <- function(p) if (lower.tail) op_poisson_upper_quantile(p, lambda) else op_poisson_quantile(p, lambda)
      if (log.p) op_select(p < -log_2, same(exp(p)), other(-op_expm1(p))) else same(p)
    },
    # Hankel's expansion (NIST Digital Library of Mathematical Functions, 10.17), a J + b Y: for x above 1e4 and
    # 100 nu^2 the first term left out is below 1e-16 of the amplitude. R's functions warn of lost digits there.
    is_far = function(x, nu) x > 1e4 & x > 100 * nu * nu,
    hankel = function(x, nu, a, b) {
      m <- 4 * nu * nu
      t <- (m - 1) / (8 * x)
      t2 <- t * (m - 9) / (16 * x)
      t3 <- t2 * (m - 25) / (24 * x)
      t4 <- t3 * (m - 49) / (32 * x)
      p <- 1 - t2 + t4
      q <- t - t3 + t4 * (m - 81) / (40 * x)
      turn <- nu / 2 + 0.25
      cosine <- op_cos(x) * op_cospi(turn) + op_sin(x) * op_sinpi(turn)
      sine <- op_sin(x) * op_cospi(turn) - op_cos(x) * op_sinpi(turn)
      op_select(x == Inf, 0, (a * (p * cosine - q * sine) + b * (p * sine + q * cosine)) * op_sqrt(2 / (pi * x)))
    },
    # The quantile of exp(p). Below exp(-300) two steps of Newton's method on the logarithm of the tail; the start,
    # sqrt(v - log(2 pi (v - log(2 pi v)))) with v = -2 p, is right to 1e-5 there.
    norm_log_quantile = function(p) {
      v <- -2 * p
      w <- -op_sqrt(v - op_log(2 * pi * (v - op_log(2 * pi * v))))
      newton <- function(w) {
        tail <- op_norm_log_lower(w)
        w - (tail - p) * exp(tail + 0.5 * w * w + log_sqrt_2pi)
      }
      far <- op_select(p == -Inf, -Inf, newton(newton(w)))
      near <- op_select(p < -log_2, op_norm_quantile(exp(p)), -op_norm_quantile(-op_expm1(p)))
      op_select(p < -300, far, near)
    },
    # lambda^x exp(-lambda) / Gamma(x + 1) for real x >= 0. For x below 1e-10, 1/Gamma(x + 1) is exp(0.5772 x) with a
    # relative error below 1e-20.
    poisson_raw = function(x, lambda, log) {
      exponent <- -op_stirling_error(x) - op_deviance(x, lambda)
      small <- op_select(x == 0, -lambda, -lambda + x * (op_log(lambda) + 0.5772156649015328606))
      value <- if (log) op_select(x < 1e-10, small, exponent - 0.5 * op_log(2 * pi * x))
               else op_select(x < 1e-10, exp(small), exp(exponent) / op_sqrt(2 * pi * x))
      value <- op_select(lambda == 0, op_select(x == 0, if (log) 0 else 1, none(log)), value)
      op_select(x < 0 | lambda == Inf, none(log), value)
    },
    # The same for at most 32 trials, of which the logarithm of the number of choices is below 32 log 2 = 22.2: what
    # is taken off it costs at most 1e-14, besides roundings of the result.
    binomial_log_few = function(k, n, p) {
      choices <- -op_log(n + 1) - op_lbeta(n - k + 1, k + 1)
      value <- choices + op_select(k == 0, 0, k * op_log(p)) + op_select(k == n, 0, (n - k) * op_log1p(-p))
      op_select(k > n, -Inf, value)
    },
    # log of choose(x + y, x) p^x q^y for real x and y. Both are given, as the difference of one of them and their sum
    # loses digits where the other is large.
    binomial_log_raw = function(x, y, p, q) {
      n <- x + y
      central <- op_stirling_error(n) - op_stirling_error(x) - op_stirling_error(y) -
        op_deviance(x, n * p) - op_deviance(y, n * q)
      value <- central - 0.5 * (log(2 * pi) + op_log(x) + op_select(x < y, op_log1p(-x / n), op_log(y / n)))
      log_q <- op_select(p < 0.5, op_log1p(-p), op_log(q))
      log_p <- op_select(q < 0.5, op_log1p(-q), op_log(p))
      value <- op_select(x == 0, op_select(n == 0, 0, n * log_q), op_select(y == 0, n * log_p, value))
      value <- op_select(p == 0, op_select(x == 0, 0, -Inf), op_select(q == 0, op_select(y == 0, 0, -Inf), value))
      op_select(x < 0 | y < 0, -Inf, value)
    }))

# Those that are R's own code as they stand, the non-central one where there is ncp.
integrand_definitions$stats <- c(integrand_definitions$stats, sapply(
  c("pbeta", "qbeta", "pt", "qt", "pf", "qf", "pbinom", "qbinom", "qgeom", "dhyper", "phyper"), function(name) {
    f <- get(name, envir = asNamespace("stats"))
    call_of <- function(op, arguments) as.call(lapply(c(paste0("op_r_", op), arguments), as.name))
    given <- names(formals(f))
    central <- call_of(name, setdiff(given, "ncp"))
    body(f) <- if (!"ncp" %in% given) central
               else call("if", quote(missing(ncp)), central, call_of(sub("^(.)", "\\1n", name), given))
    f
  }))

# ---- the table -----------------------------------------------------------------------------------------------------

# Entries that are not operations of one, two or three numbers, with the package that R has them in.
integrand_builtin <- function() {
  value <- function(make, ...) list(run = run_values, make = make, ...)
  op <- function(name, formal = "x", swap = FALSE) value(make_op, op = name, formal = formal, swap = swap)
  xy <- c("e1", "e2")
  same <- list(run = run_values, make = make_same, bare = FALSE, takes = c("null", "string", "object", "function"))
  bare <- list(run = run_values, make = make_same, bare = TRUE)
  number <- c(bare, number = TRUE)
  base <- list(
    `{` = list(run = run_block), `(` = list(run = run_paren), `<-` = list(run = run_assign),
    `=` = list(run = run_assign), `if` = list(run = run_if), return = list(run = run_return),
    `function` = list(run = run_function), `for` = list(run = run_for), switch = list(run = run_switch),
    missing = list(run = run_missing), stop = list(run = run_stop), match.arg = list(run = run_match_arg),
    `::` = list(run = run_namespace), `$` = list(run = run_dollar),
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
    ifelse = list(run = run_ifelse),
    c = value(make_c, takes = "null"), sum = value(make_fold, op = "add", empty = 0, takes = "null"),
    prod = value(make_fold, op = "mul", empty = 1, takes = "null"),
    min = value(make_fold, op = "min", takes = "null"), max = value(make_fold, op = "max", takes = "null"),
    any = value(make_fold_conditions, op = "or", empty = 0),
    all = value(make_fold_conditions, op = "and", empty = 1), stopifnot = value(make_stopifnot),
    sapply = list(run = run_sapply), vapply = list(run = run_sapply), mapply = list(run = run_mapply),
    apply = list(run = run_apply), outer = list(run = run_outer), do.call = list(run = run_docall),
    tryCatch = list(run = run_expression), suppressWarnings = list(run = run_expression),
    is.complex = value(function(tr, values, e, entry) tr$nodes$literal(0, TRUE), takes = c("null", "object")),
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
    as.numeric = number, as.double = number, as.vector = bare, unname = bare)
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
  is_series <- vapply(values, function(v) is.list(v) && v$kind == "series", NA)
  if (any(is_series) && !is.null(entry$object) && !any(vapply(lapply(values, argument_of_r, tr = tr), is.null, NA)))
    return(make_by_r(tr, values, e, entry))
  done <- if (!is.null(entry$before) && !any(is_series)) entry$before(tr, values, e, entry)
  if (!is.null(done)) return(done)
  write_out(tr, e, frame, entry$definition, body(entry$definition), trusted_root(tr), NULL, values)
}

trusted_root <- function(tr) {
  if (is.null(tr$trusted)) {
    root <- integrand_root(tr, integrand_memory)
    root$trusted <- TRUE
    tr$trusted <- root
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
    trusted$op_is_one <- list(run = run_values, takes = "series", make = function(tr, values, e, entry) {
      n <- values[[1L]]
      tr$nodes$literal(as.double(is_nodes(n) && length(n) == 1L && tr$nodes$level(n) == 2L && tr$nodes$known(n) == 1),
                       TRUE)
    })
    trusted$op_is_few <- list(run = run_values, takes = "series", make = function(tr, values, e, entry) {
      n <- argument_of_r(tr, values[[1L]])
      tr$nodes$literal(as.double(any(vapply(values, is.list, NA)) && !is.null(n) && all(n[[1L]] <= 32)), TRUE)
    })
    trusted$op_is_series <- list(run = run_values, takes = "series", make = function(tr, values, e, entry)
      tr$nodes$literal(as.double(any(vapply(values, is.list, NA))), TRUE))
    integrand_memory$table <- list(by_name = by_name, trusted = trusted)
  }
  integrand_memory$table
}

trusted_function <- function(name) {
  entry <- integrand_table()$trusted[[name]]
  if (is.null(entry)) stop("no function ", name)
  entry
}

# The program that a translation writes: nodes, each operation once, and what is known of them.

# The operations of the engine: name, number of operands, and whether a family of the package computes them.
integrand_ops <- function() {
  if (is.null(integrand_memory$ops)) {
    ops <- .Call(C_integrandOps)
    ops$number <- structure(seq_along(ops$name) - 1L, names = ops$name)
    integrand_memory$ops <- ops
  }
  integrand_memory$ops
}

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
  op <- -1L # of x; -2 for constants, -3 for columns of parameters, -4 for as_number(), -5 for data
  operands <- list(integer())
  value <- NaN
  level <- 0L
  condition <- FALSE
  columns <- list()
  vectors <- list()
  slots <- integer()
  seen <- new.env(hash = TRUE, parent = emptyenv())

  node <- function(code, with, known, its_level, is_condition) {
    count <<- count + 1L
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
  # A vector of data is one node. What is made of it holds for each element, until over() adds these up.
  data_node <- function(v) {
    vectors[[length(vectors) + 1L]] <<- as.double(v)
    node(-5L, length(vectors), NaN, 0L, is.logical(v))
  }
  # Of those that are searched or indexed each is one node.
  tables <- list()
  table <- function(v) {
    v[is.na(v)] <- NaN
    for (known in tables) if (identical(known$v, v)) return(known$id)
    tables[[length(tables) + 1L]] <<- list(id = data_node(v), v = v)
    tables[[length(tables)]]$id
  }
  over <- function(name, id) {
    key <- paste("over", name, id)
    found <- seen[[key]]
    if (is.null(found)) {
      count_operation()
      seen[[key]] <- found <- node(4096L + number[[name]], id, NaN, 0L, FALSE)
    }
    found
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
      raise_translation_error(sprintf("the integrand has more than %.0f operations",
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
  gives_condition <- function(name, with)
    name %in% integrand_conditions || name == "select" && all(condition[with[-1L]])
  # The same for vectors of nodes, recycled; names as R's arithmetic has them.
  apply <- function(name, ...) {
    arguments <- list(...)
    sizes <- lengths(arguments)
    n <- if (any(sizes == 0L)) 0L else max(sizes)
    if (n > 0L && any(n %% sizes != 0L))
      raise_translation_error(sprintf("vectors of lengths %s do not recycle", paste(sizes, collapse = " and ")))
    labels <- size <- NULL
    for (v in arguments) if (length(v) == n) {
      if (is.null(labels)) labels <- names(v)
      if (is.null(size)) size <- dim(v)
    }
    if (n == 1L) id <- operation(name, ...)
    else id <- of_one_type(vapply(seq_len(n), function(i)
      operation(name, vapply(arguments, function(v) v[[(i - 1L) %% length(v) + 1L]], 0L)), 0L))
    if (!is.null(labels)) names(id) <- labels
    if (!is.null(size)) dim(id) <- size
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
    data <- which(live & kind == -5L)
    operations <- which(live & kind >= 0L)
    place <- integer(count)
    n_constant <- length(constant_values)
    place[constants] <- slot
    place[parameters] <- n_constant + seq_along(parameters)
    place[data] <- n_constant + length(parameters) + seq_along(data)
    place[operations] <- n_constant + length(parameters) + length(data) + seq_along(operations)
    same <- which(live & kind == -4L)
    place[same] <- place[unlist(operands[same])]
    code <- matrix(-1L, 7L, length(operations))
    code[1L, ] <- op[operations]
    with <- operands[operations]
    sizes <- lengths(with)
    code[cbind(sequence(sizes) + 1L, rep(seq_along(with), sizes))] <- place[unlist(with)]
    slots <<- place
    used <- columns[vapply(operands[parameters], identity, 0L)]
    vectors <- vectors[unlist(operands[data])]
    if (sum(as.double(lengths(vectors))) > .Machine$integer.max)
      raise_translation_error("the vectors of data are too long together")
    list(code = code, constants = as.double(constant_values), n_param = length(parameters),
         data = as.double(unlist(vectors)), start = if (length(data)) as.integer(cumsum(c(0, lengths(vectors)))),
         outputs = place[unname(outputs)],
         parameters = list(name = vapply(used, `[[`, "", "name"), column = vapply(used, `[[`, 0L, "column")),
         component_names = names(outputs))
  }
  list(x = 1L, literal = literal, capture = capture, note_missing = note_missing, column = column, known = known,
       data = data_node, table = table, over = over,
       operation = operation, apply = apply, is_condition = is_condition, as_number = as_number,
       of_one_type = of_one_type, finish = finish,
       level = function(id) level[id], slot = function(id) slots[id])
}

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
# what R takes for logical. op is the number of an operation, 4096 more if it runs over data, or one of these.
integrand_kinds <- c(x = -1L, constant = -2L, column = -3L, number = -4L, data = -5L)

# The columns grow where they are, which they would not if they were assigned to from elsewhere.
integrand_nodes <- function() {
  x <- count <- 1L
  op <- integrand_kinds[["x"]]
  operands <- list(integer())
  value <- NaN
  level <- 0L
  condition <- FALSE
  add <- function(code, with, known, its_level, is_condition) {
    count <<- count + 1L
    op[count] <<- code
    operands[[count]] <<- with
    value[count] <<- known
    level[count] <<- its_level
    condition[count] <<- is_condition
    count
  }
  columns <- vectors <- tables <- lacking <- list()
  written <- 0L
  number <- as.list(integrand_ops()$number)
  seen <- new.env(hash = TRUE, parent = emptyenv())
  environment()
}

# The node of that key, made where there is none yet.
node_once <- function(nodes, key, made) {
  id <- nodes$seen[[key]]
  if (!is.null(id)) return(id)
  assign(key, made, nodes$seen)
  made
}

literal <- function(tr, v, is_condition = FALSE) {
  if (is.na(v)) v <- NaN
  node_once(tr$nodes, paste(if (is_condition) "?" else "#", sprintf("%a", v)),
            tr$nodes$add(integrand_kinds[["constant"]], integer(), v, 2L, is_condition))
}

literals <- function(tr, numbers) vapply(numbers, literal, 0L, tr = tr, USE.NAMES = FALSE)

captured <- function(tr, v, is_condition)
  tr$nodes$add(integrand_kinds[["constant"]], integer(), if (is.na(v)) NaN else v, 1L, is_condition)

# Missing values that were captured: what they are called, for those that the program needs.
note_missing <- function(tr, id, text) tr$nodes$lacking <- c(tr$nodes$lacking, list(list(id = id, text = text)))

refuse_missing <- function(nodes, live) for (missing in nodes$lacking) {
  if (!live[missing$id]) next
  asked <- unlist(nodes$operands[live & nodes$op == nodes$number$is_nan])
  if (missing$id %in% c(asked, unlist(nodes$operands[asked[nodes$op[asked] == integrand_kinds[["number"]]]]))) next
  raise_engine_error("input", missing$text)
}

column_node <- function(tr, name, k, is_condition) node_once(tr$nodes, paste("col", k, name), {
  tr$nodes$columns <- c(tr$nodes$columns, list(list(name = name, column = k)))
  tr$nodes$add(integrand_kinds[["column"]], length(tr$nodes$columns), NaN, 0L, is_condition)
})

# A vector of data is one node. What is made of it holds for each element, until over_data() adds these up.
data_node <- function(tr, v) {
  tr$nodes$vectors <- c(tr$nodes$vectors, list(as.double(v)))
  tr$nodes$add(integrand_kinds[["data"]], length(tr$nodes$vectors), NaN, 0L, is.logical(v))
}

# Of those that are searched or indexed each is one node.
table_node <- function(tr, v) {
  v[is.na(v)] <- NaN
  for (known in tr$nodes$tables) if (identical(known$v, v)) return(known$id)
  id <- data_node(tr, v)
  tr$nodes$tables <- c(tr$nodes$tables, list(list(id = id, v = v)))
  id
}

over_data <- function(tr, name, id) node_once(tr$nodes, paste("over", name, id), {
  count_operation(tr$nodes)
  tr$nodes$add(4096L + tr$nodes$number[[name]], id, NaN, 0L, FALSE)
})

level_of <- function(tr, id) tr$nodes$level[id]
known_value <- function(tr, id) if (tr$nodes$level[id]) tr$nodes$value[id]
is_condition <- function(tr, id) all(tr$nodes$condition[id])

# A known condition as a number: as an index they differ. The engine sees the same value.
as_number <- function(tr, id) {
  force(id) # which may make nodes
  nodes <- tr$nodes
  for (i in which(nodes$condition[id] & nodes$level[id] > 0L)) {
    a <- id[[i]]
    id[i] <- if (nodes$level[a] == 2L) literal(tr, nodes$value[a])
             else node_once(nodes, paste("number", a),
                            nodes$add(integrand_kinds[["number"]], a, nodes$value[a], 1L, FALSE))
  }
  id
}

# The elements of a vector are of one type.
of_one_type <- function(tr, id) {
  force(id)
  if (any(tr$nodes$condition[id]) && !is_condition(tr, id)) as_number(tr, id) else id
}

# ---- operations ----------------------------------------------------------------------------------------------------

count_operation <- function(nodes) {
  nodes$written <- nodes$written + 1L
  if (nodes$written > integrand_limits[["operations"]])
    raise_translation_error(sprintf("the integrand has more than %.0f operations",
                                    integrand_limits[["operations"]]))
}

# Identities that hold for every double, signed zeros included; NULL where there is none.
simpler_node <- function(tr, name, with) {
  nodes <- tr$nodes
  a <- with[1L]
  b <- with[2L]
  switch(name,
    sub = if (is_literal(nodes, b, 0) && 1 / nodes$value[b] > 0) a,
    mul = if (is_literal(nodes, b, 1)) a else if (is_literal(nodes, a, 1)) b,
    div = if (is_literal(nodes, b, 1)) a,
    neg = if (nodes$op[a] == nodes$number$neg) nodes$operands[[a]],
    and = decided_node(tr, with, 0),
    or = decided_node(tr, with, 1),
    select = if (nodes$level[a] == 2L) {
      if (is.nan(nodes$value[a])) literal(tr, NaN) else with[if (nodes$value[a] == 0) 3L else 2L]
    })
}

is_literal <- function(nodes, id, v) nodes$level[id] == 2L && identical(nodes$value[id], v)

# Of & and |: what is decided by a literal, or the other side.
decided_node <- function(tr, with, by) for (i in 1:2) {
  v <- tr$nodes$value[with[i]]
  if (tr$nodes$level[with[i]] == 2L && !is.nan(v))
    return(if ((v != 0) == by) literal(tr, by, TRUE) else with[3L - i])
}

operation <- function(tr, name, ...) {
  with <- c(..., use.names = FALSE)
  nodes <- tr$nodes
  least <- min(nodes$level[with])
  fold <- if (least > 0L) integrand_fold[[name]]
  condition <- name %in% integrand_conditions || name == "select" && is_condition(tr, with[-1L])
  result <- NaN
  if (!is.null(fold)) {
    result <- as.double(do.call(fold, as.list(nodes$value[with])))
    if (is.na(result)) result <- NaN # NA of a comparison
    if (least == 2L) return(literal(tr, result, condition))
  }
  same <- simpler_node(tr, name, with)
  if (!is.null(same)) return(if (condition) same else as_number(tr, same))
  if (length(with) == 2L && with[1L] > with[2L] && name %in% integrand_commutative) with <- with[2:1]
  node_once(nodes, paste(c(name, with), collapse = " "), {
    count_operation(nodes)
    nodes$add(nodes$number[[name]], with, result, if (is.null(fold)) 0L else least, condition)
  })
}

# The same for vectors of nodes, recycled; names and dimensions as R's arithmetic has them.
recycled <- function(tr, name, ...) {
  arguments <- list(...)
  sizes <- lengths(arguments)
  n <- if (any(sizes == 0L)) 0L else max(sizes)
  if (n > 0L && any(n %% sizes != 0L))
    raise_translation_error(sprintf("vectors of lengths %s do not recycle", paste(sizes, collapse = " and ")))
  id <- if (n == 1L) operation(tr, name, ...)
        else of_one_type(tr, vapply(seq_len(n), function(i)
          operation(tr, name, vapply(arguments, function(v) v[[(i - 1L) %% length(v) + 1L]], 0L)), 0L))
  of_first <- function(attribute) for (v in arguments[sizes == n])
    if (!is.null(attribute(v))) return(attribute(v))
  shape <- of_first(dim)
  if (is.null(shape)) names(id) <- of_first(names) else dim(id) <- shape
  id
}

# ---- the program ---------------------------------------------------------------------------------------------------

# What the outputs need, in the numbering of the engine: x is 0, then constants, columns of parameters, data, and
# operations. tr$slots has the place of each node.
integrand_written <- function(tr, outputs) {
  nodes <- tr$nodes
  kind <- nodes$op
  live <- live_nodes(nodes, outputs)
  refuse_missing(nodes, live)
  of_kind <- function(name) which(live & kind == integrand_kinds[[name]])
  constants <- of_kind("constant")
  # a literal that is both a number and a condition has one place; captured values keep theirs
  bits <- sprintf("%a %s", nodes$value[constants], ifelse(nodes$level[constants] == 2L, "", constants))
  columns <- of_kind("column")
  data <- of_kind("data")
  operations <- which(live & kind >= 0L)
  place <- integer(nodes$count)
  place[constants] <- match(bits, unique(bits))
  others <- c(columns, data, operations)
  place[others] <- length(unique(bits)) + seq_along(others)
  same <- of_kind("number")
  place[same] <- place[unlist(nodes$operands[same])]
  tr$slots <- place
  with <- nodes$operands[operations]
  sizes <- lengths(with)
  code <- matrix(-1L, 7L, length(operations))
  code[1L, ] <- kind[operations]
  code[cbind(sequence(sizes) + 1L, rep(seq_along(with), sizes))] <- place[unlist(with)]
  used <- nodes$columns[unlist(nodes$operands[columns])]
  vectors <- nodes$vectors[unlist(nodes$operands[data])]
  if (sum(as.double(lengths(vectors))) > .Machine$integer.max)
    raise_translation_error("the vectors of data are too long together")
  list(code = code, constants = as.double(nodes$value[constants][!duplicated(bits)]), n_param = length(columns),
       data = as.double(unlist(vectors)), start = if (length(data)) as.integer(cumsum(c(0, lengths(vectors)))),
       outputs = place[unname(outputs)],
       parameters = list(name = vapply(used, `[[`, "", "name"), column = vapply(used, `[[`, 0L, "column")),
       component_names = names(outputs))
}

live_nodes <- function(nodes, outputs) {
  live <- logical(nodes$count)
  live[outputs] <- TRUE
  for (id in rev(seq_along(live)))
    if (live[id] && (nodes$op[id] >= 0L || nodes$op[id] == integrand_kinds[["number"]]))
      live[nodes$operands[[id]]] <- TRUE
  live
}

# Integrals over two to eight variables against hcubature() of package cubature: Genz's six families, half-spaces
# (jumps), roofs (ridges) and balls, of which all values are known. Prints for each tolerance, family and number of
# variables how many integrals end with code 0 and an error above the tolerance (silent), the nodes of both for those
# that both finish within so many, and what 1000 integrals take in one call and in a loop of hcubature().
#   R_LIBS=build/library:... Rscript bench/quadrature-cubature.R [integrals of each, default 30] [nodes, 1e5]
suppressPackageStartupMessages(library(statcl))
options(statcl.threads = 1)
given <- as.numeric(commandArgs(TRUE))
count <- if (length(given)) given[1] else 30
most <- if (length(given) > 1) given[2] else 1e5

corners <- function(d) as.matrix(expand.grid(rep(list(0:1), d)))
signed <- function(d) (-1)^rowSums(corners(d))
product <- function(m) apply(m, 1, prod)
# of (c - w x)_+^k over the cube, for rows of w
below <- function(w, c, k) {
  d <- ncol(w)
  rest <- pmax(c - w %*% t(corners(d)), 0)^(d + k)
  drop(rest %*% signed(d)) * factorial(k) / factorial(d + k) / product(w)
}
# a term for each variable, put together by an operator
each <- function(d, term, by) paste0("(", paste(vapply(seq_len(d), function(i)
  gsub("#", i, term, fixed = TRUE), ""), collapse = by), ")")

families <- list(
  oscillatory = list(size = 9, code = function(d) paste("cos(2 * pi * u1 +", each(d, "a# * x#", " + "), ")"),
    value = function(a, u) Re(exp(2i * pi * u[, 1]) * product((exp(1i * a) - 1) / (1i * a)))),
  `product peak` = list(size = 7.25, code = function(d) each(d, "1 / (a#^-2 + (x# - u#)^2)", " * "),
    value = function(a, u) product(a * (atan(a * (1 - u)) + atan(a * u)))),
  `corner peak` = list(size = 1.85, code = function(d) paste0("(1 + ", each(d, "a# * x#", " + "), ")^-", d + 1),
    value = function(a, u) drop((1 / (1 + a %*% t(corners(ncol(a))))) %*% signed(ncol(a))) /
      (factorial(ncol(a)) * product(a))),
  Gaussian = list(size = 7.03, code = function(d) paste0("exp(-", each(d, "a#^2 * (x# - u#)^2", " + "), ")"),
    value = function(a, u) product(sqrt(pi) / a * (pnorm(sqrt(2) * a * (1 - u)) - pnorm(-sqrt(2) * a * u)))),
  continuous = list(size = 2.04, code = function(d) paste0("exp(-", each(d, "a# * abs(x# - u#)", " + "), ")"),
    value = function(a, u) product((2 - exp(-a * u) - exp(-a * (1 - u))) / a)),
  discontinuous = list(size = 4.3, code = function(d)
    paste0("ifelse((x1 < u1) & (x2 < u2), exp", each(d, "a# * x#", " + "), ", 0)"),
    value = function(a, u) product(expm1(a * cbind(u[, 1:2], matrix(1, nrow(a), ncol(a) - 2))) / a)),
  `half-space` = list(size = 1, code = function(d)
    paste0("ifelse(", each(d, "a# * x#", " + "), " < c, 1, 0)"), value = function(a, u, c) below(a, c, 0)),
  roof = list(size = 1, code = function(d) paste0("abs(", each(d, "a# * x#", " + "), " - c)"),
    value = function(a, u, c) 2 * below(a, c, 1) - c + rowSums(a) / 2),
  ball = list(size = 1, near = TRUE, code = function(d) paste0("ifelse(", each(d, "(x# - u#)^2", " + "), " < r^2, 1, 0)"),
    value = function(a, u, r) r^ncol(u) * pi^(ncol(u) / 2) / gamma(ncol(u) / 2 + 1)))

# Difficulties of Genz (1987): the a of an integral add up to a number of the family.
draw <- function(family, d, n) {
  a <- matrix(runif(n * d), n)
  a <- a / rowSums(a) * family$size
  u <- if (is.null(family$near)) matrix(runif(n * d), n) else matrix(runif(n * d, 0.4, 0.6), n)
  dimnames(a) <- list(NULL, paste0("a", seq_len(d)))
  dimnames(u) <- list(NULL, paste0("u", seq_len(d)))
  list(a = a, u = u, c = family$size * runif(n, 0.25, 0.75), r = do.call(pmin, as.data.frame(cbind(u, 1 - u))) *
         runif(n, 0.5, 1))
}
integrand_of <- function(family, d) {
  code <- family$code(d)
  f <- function() NULL
  words <- c(paste0("x", seq_len(d)), paste0("a", seq_len(d)), paste0("u", seq_len(d)), "c", "r")
  words <- intersect(words, all.names(str2lang(code)))
  words <- union(paste0("x", seq_len(d)), words)
  formals(f) <- setNames(rep(list(quote(expr = )), length(words)), words)
  body(f) <- str2lang(code)
  f
}
value_of <- function(family, p) {
  by <- list(a = p$a, u = p$u, c = p$c, r = p$r)
  do.call(family$value, by[names(formals(family$value))])
}
columns_of <- function(p, f) {
  all <- data.frame(p$a, p$u, c = p$c, r = p$r)
  all[intersect(names(all), names(formals(f)))]
}
hcubature_of <- function(f, d, row, tol, most) {
  g <- function(x) matrix(do.call(f, c(lapply(seq_len(d), function(k) x[k, ]), row)) + 0 * x[1, ], 1)
  cubature::hcubature(g, rep(0, d), rep(1, d), tol = tol, maxEval = most, vectorInterface = TRUE)
}
compare <- function(name, d, tol, n, seed = 1) {
  set.seed(seed)
  family <- families[[name]]
  p <- draw(family, d, n)
  f <- integrand_of(family, d)
  columns <- columns_of(p, f)
  nodes <- 1 + 2 * d + 2 * d * d + 2^d
  took <- system.time(ours <- suppressWarnings(integrategpu(f, as.list(rep(0, d)), as.list(rep(1, d)),
    params = columns, rel.tol = tol, subdivisions = ceiling(most / nodes / 2))))[["elapsed"]]
  truth <- value_of(family, p)
  theirs <- if (requireNamespace("cubature", quietly = TRUE)) lapply(seq_len(n), function(i)
    hcubature_of(f, d, columns[i, ], tol, most))
  wrong <- function(v) abs(v - truth) > tol * abs(truth)
  hv <- vapply(theirs, function(h) h$integral, 0)
  hn <- vapply(theirs, function(h) h$functionEvaluations, 0)
  hd <- vapply(theirs, function(h) h$error <= tol * abs(h$integral), NA)
  done <- ours$code == 0
  both <- done & hd
  data.frame(family = name, d, tol, n, done = sum(done), silent = sum(done & wrong(ours$value)),
             h.done = sum(hd), h.silent = sum(hd & wrong(hv)), nodes = sum(ours$evaluations[both]),
             h.nodes = sum(hn[both]), ratio = round(sum(ours$evaluations[both]) / sum(hn[both]), 2), seconds = took)
}

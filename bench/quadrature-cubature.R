# Integrals over several variables against hcubature() of package cubature: Genz's six families (difficulties of Genz
# 1987), half-spaces (jumps), roofs (ridges) and balls, of which all values are known.
#   R_LIBS=build/library:... Rscript bench/quadrature-cubature.R [integrals of each, 30] [nodes of hcubature(), 20000]
# prints for tolerances 1e-3 and 1e-6, for 2, 3, 5 and 8 variables and for the families how many integrals end as
# accurate and which of these are wrong by more than the tolerance (silent), and the nodes where both are right; then
# a jump, an orthant of five normal variables, and the processor's time for one integral and for many.
#   Rscript bench/quadrature-cubature.R rules
# prints the nodes of products and of Genz and Malik's rules for several tolerances, by which integrategpu() chooses.
suppressPackageStartupMessages(library(statcl))
options(statcl.threads = 1)
argument <- commandArgs(TRUE)
given <- as.numeric(setdiff(argument, "rules"))
count <- if (length(given)) given[1] else 30
most <- if (length(given) > 1) given[2] else 2e4
if (!requireNamespace("cubature", quietly = TRUE)) stop("package cubature is needed")

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
  ball = list(size = 1, near = TRUE, code = function(d)
    paste0("ifelse(", each(d, "(x# - u#)^2", " + "), " < r^2, 1, 0)"),
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
compare <- function(name, d, tol, n) {
  set.seed(1)
  family <- families[[name]]
  p <- draw(family, d, n)
  f <- integrand_of(family, d)
  columns <- columns_of(p, f)
  truth <- value_of(family, p)
  boxes <- ceiling(most / (1 + 4 * d + 2 * d * d + 2^d))
  ours <- suppressWarnings(integrategpu(f, as.list(rep(0, d)), as.list(rep(1, d)), params = columns, rel.tol = tol,
                                        subdivisions = boxes))
  theirs <- lapply(seq_len(n), function(i) hcubature_of(f, d, columns[i, , drop = FALSE], tol, most))
  value <- vapply(theirs, `[[`, 0, "integral")
  nodes <- vapply(theirs, `[[`, 0, "functionEvaluations")
  wrong <- function(v) abs(v - truth) > tol * abs(truth)
  done <- ours$code == 0
  h.done <- vapply(theirs, `[[`, 0, "error") <= tol * abs(value) & nodes < most
  right <- done & h.done & !wrong(value)
  data.frame(family = name, d, tol, n, done = sum(done), silent = sum(done & wrong(ours$value)), h.done = sum(h.done),
             h.silent = sum(h.done & wrong(value)), nodes = sum(ours$evaluations[right]),
             h.nodes = sum(nodes[right]))
}
summed <- function(table, by) {
  s <- aggregate(table[c("n", "done", "silent", "h.done", "h.silent", "nodes", "h.nodes")], table[by], sum)
  s$ratio <- round(s$nodes / s$h.nodes, 2)
  s
}
cube <- function(d, of = 0) as.list(rep(of, d))

rules <- function() for (d in 2:3) for (name in c("Gaussian", "product peak", "oscillatory", "continuous")) {
  set.seed(1)
  p <- draw(families[[name]], d, 10)
  f <- integrand_of(families[[name]], d)
  for (tol in c(1e-6, 1e-7, 1e-8, 1e-10)) {
    nodes <- vapply(c(1, 0), function(below) {
      limit <- rep(below, 3) # in the place of the package's own, in this process only
      utils::assignInNamespace("product_below", limit, "statcl")
      median(suppressWarnings(integrategpu(f, cube(d), cube(d, 1), params = columns_of(p, f), rel.tol = tol,
                                           subdivisions = if (below) 1000 else 20000))$evaluations)
    }, 0)
    cat(sprintf("%-13s %d variables, %g: products %9.0f, Genz and Malik %9.0f nodes\n", name, d, tol, nodes[1],
                nodes[2]))
  }
}

times <- function() {
  seconds <- function(expr) system.time(expr)[[1]]
  f <- function(x, y, z, a) exp(-a * x * y) * cos(3 * z)
  loop <- function(n, tol, vector) for (a in seq(0.1, 3, length.out = n)) if (vector)
    cubature::hcubature(function(x) matrix(f(x[1, ], x[2, ], x[3, ], a), 1), rep(0, 3), rep(1, 3), tol = tol,
                        vectorInterface = TRUE)
    else cubature::hcubature(function(x) f(x[1], x[2], x[3], a), rep(0, 3), rep(1, 3), tol = tol)
  one <- function(tol, n = NULL) integrategpu(f, cube(3), cube(3, 1), rel.tol = tol, params = data.frame(
    a = if (is.null(n)) 1 else seq(0.1, 3, length.out = n)))
  one(1e-3)
  for (tol in c(1e-3, 1e-6)) {
    n <- if (tol > 1e-5) 2000 else 200
    ours <- seconds(one(tol, n))
    scalar <- seconds(loop(n / 20, tol, FALSE)) * 20
    vector <- seconds(loop(n, tol, TRUE))
    cat(sprintf("tolerance %g, %d integrals: %.2f s; loops of hcubature(): %.2f s (%.1f times)", tol, n, ours, scalar,
                scalar / ours), sprintf(", with vectorInterface %.2f s (%.1f times)\n", vector, vector / ours),
        sep = "")
    cat(sprintf("one integral: %.4f s; hcubature() %.4f s, with vectorInterface %.4f s\n",
                seconds(for (k in 1:20) one(tol)) / 20, scalar / n, vector / n))
  }
}

if ("rules" %in% argument) rules() else {
  table <- do.call(rbind, unlist(recursive = FALSE, lapply(c(1e-3, 1e-6), function(tol)
    unlist(recursive = FALSE, lapply(names(families), function(name) lapply(c(2, 3, 5, 8), function(d)
      compare(name, d, tol, count)))))))
  print(summed(table, "family"), row.names = FALSE)
  print(summed(table, c("d", "tol")), row.names = FALSE)
  all <- colSums(table[c("n", "done", "silent", "h.done", "h.silent")])
  cat(sprintf("silent: %d of %d (%.2f %%), hcubature() %d of %d (%.2f %%)\n", all[["silent"]], all[["done"]],
              100 * all[["silent"]] / all[["done"]], all[["h.silent"]], all[["h.done"]],
              100 * all[["h.silent"]] / all[["h.done"]]))
  jump <- integrategpu(function(x, y) ifelse(x + y < 0.7137, 1, 0), cube(2), cube(2, 1), rel.tol = 1e-3)
  theirs <- cubature::hcubature(function(x) matrix(as.numeric(x[1, ] + x[2, ] < 0.7137), 1), c(0, 0), c(1, 1),
                                tol = 1e-3, vectorInterface = TRUE)
  cat(sprintf("x + y < 0.7137 to 1e-3: %g nodes, error %.2g; hcubature() %g\n", jump$evaluations,
              jump$value - 0.7137^2 / 2, theirs$functionEvaluations))
  # each of five normal variables with correlations 1/2, given those before it, is above 0 (Genz 1992)
  orthant <- function(a, b, c, d, L) {
    up <- function(z) pnorm(z, lower.tail = FALSE)
    q <- function(p) qnorm(p, lower.tail = FALSE)
    z1 <- q(a / 2)
    e2 <- up(-L[2, 1] * z1 / L[2, 2])
    z2 <- q(b * e2)
    e3 <- up(-(L[3, 1] * z1 + L[3, 2] * z2) / L[3, 3])
    z3 <- q(c * e3)
    e4 <- up(-(L[4, 1] * z1 + L[4, 2] * z2 + L[4, 3] * z3) / L[4, 4])
    z4 <- q(d * e4)
    e2 * e3 * e4 * up(-(L[5, 1] * z1 + L[5, 2] * z2 + L[5, 3] * z3 + L[5, 4] * z4) / L[5, 5]) / 2
  }
  L <- t(chol(matrix(0.5, 5, 5) + diag(0.5, 5)))
  for (method in c("lattice", "gk")) {
    r <- integrategpu(orthant, cube(4), cube(4, 1), method = method, rel.tol = 1e-5, L = L, stop.on.error = FALSE)
    cat(sprintf("orthant of five normal variables, \"%s\": code %d, %g nodes, relative error %.2g\n", method, r$code,
                r$evaluations, 6 * r$value - 1))
  }
  times()
}

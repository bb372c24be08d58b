# Tests of the coefficients of the mean where parameters of the covariance are estimates: standard errors and degrees
# of freedom of Kenward and Roger (1997), from the exact likelihood of normal responses.

# Let C = inv(X' inv(S) X) be the covariance matrix of the coefficients, C_i its derivatives by the parameters of S,
# and W the covariance matrix of these. That they are estimates adds the sum of W_ij E[b_i b_j'] to the covariance,
# b_i being derivatives of the coefficients, and C at the estimates is too small by as much again (Kackar and Harville
# 1984, Prasad and Rao 1990). The part of the latter that has second derivatives of S is left out: it depends on how
# parameters are written, may make the matrix indefinite, and is 0 for variances. The quantile is that of the t
# distribution whose degrees of freedom are those of the chi-squared distribution with the variance of the estimate
# of l' C l (Satterthwaite), which for one combination l of the coefficients are those of Kenward and Roger.
#
# All this is at the maximum of the restricted likelihood, also for fits by maximum likelihood, whose variances are
# too small. Where no parameter is estimated, the normal distribution is exact; where none of them has a standard
# error, degrees of freedom are those of independent observations.
#' @exportS3Method NULL
coefficient_errors.gpFit <- function(fit, ddf = "Kenward-Roger") {
  normal <- NextMethod()
  own <- covariance_rows(fit)
  if (ddf == "none" || !any(is_known(fit)) || all(own$fixed)) return(normal)
  if (!is.null(fit$family)) return(if (tells_posterior(fit)) averaged_errors(fit, normal) else normal)
  if (is.null(likelihood_of(fit)$coefficients)) return(normal)
  known <- remembered(list("kenward_roger", posterior_key(fit), fit$estimator, fit$penalty), kenward_roger(fit))
  e <- c(known, list(vcov = normal$vcov, test = "t"))
  e$vcov[] <- known$plain + known$step + if (ddf == "Kenward-Roger") known$added else 0
  if (tells_posterior(fit)) e$of_points <- function()
    remembered(list("coefficients of points", posterior_key(fit)), matrices_of_points(fit))
  e$df <- function(l) satterthwaite_df(e, l)
  e$joint <- function(l, b) kenward_roger_test(e, l, b)
  e
}

# Of other families the covariance matrix of the coefficients at the estimates is too small as well, and there is no
# restricted likelihood. Given the covariance parameters the coefficients are normal, with means b and covariance
# matrices C at the nodes of the posterior distribution: over these V = C + cov(b) is taken for that of a t
# distribution, which has 1/V = a chi-squared variable with df degrees of freedom over df times the squared scale. The
# scale is that of the mean of inv(V), and the degrees of freedom are by the variance of log(l' V l), as in
# satterthwaite_df(). Where this is not found, errors are those at the estimates.
averaged_errors <- function(fit, normal) {
  found <- remembered(list("averaged errors", posterior_key(fit)), tryCatch(despite_failures(function() {
    nodes <- known_posterior(fit, nodes = TRUE)$nodes
    lik <- likelihood_of(fit)
    on.exit(lik$close())
    parts <- lapply(seq_along(nodes$weight), function(i) lik$coefficients(nodes$v[i, ], character()))
    moved <- stats::cov.wt(do.call(rbind, lapply(parts, `[[`, "beta")), nodes$weight, method = "ML")$cov
    matrices <- lapply(parts, function(part) part$vcov + moved)
    list(matrices = matrices, weight = nodes$weight,
         vcov = inverse_or_na(mixed(matrices, nodes$weight, inverse_or_na)))
  }), statcl_error_input = function(e) NULL))
  if (is.null(found) || anyNA(found$vcov)) return(normal)
  e <- list(vcov = normal$vcov, plain = found$vcov, test = "t", df = function(l) {
    df <- 2 * inverse_trigamma(spread_of_variances(found$matrices, l, found$weight))
    ifelse(rowSums((l %*% found$vcov) * l) > 0, df, Inf) # what is 0 is known
  })
  e$vcov[] <- found$vcov
  e$joint <- function(l, b) kenward_roger_test(e, l, b)
  e
}

# The covariance matrix C, `plain`, what a `step` to the maximum changes and what is `added` to it, its derivatives
# `slopes`, and W; degrees of freedom are `left` where there is no W.
kenward_roger <- function(fit) {
  at <- restricted_maximum(fit)
  on.exit(at$lik$close())
  W <- at$vcov.cov
  used <- rownames(W)[!is.na(diag(W))]
  c <- at$lik$coefficients(at$v, used)
  W <- W[used, used, drop = FALSE]
  # the scores at the maximum of the likelihood are those of the determinant of C
  score <- vapply(c$slopes, function(slope) if (at$step) sum(diag(solve(c$vcov, slope))) / 2 else 0, 0)
  step <- Reduce(`+`, Map(`*`, c$slopes, drop(W %*% score)), 0 * c$vcov)
  pair <- expand.grid(i = seq_along(used), j = seq_along(used))
  added <- if (length(c$moves)) Map(function(i, j) W[i, j] * crossprod(c$moves[[i]], c$moves[[j]]), pair$i, pair$j)
  list(plain = c$vcov, step = step, added = 2 * Reduce(`+`, added, 0 * c$vcov), slopes = c$slopes,
       W = W, left = stats::df.residual(fit))
}

# Where the restricted likelihood of a fit has its maximum, near that of the likelihood: its parameters v, and the
# covariance matrix of those that are estimated and on no boundary. Of many observations it is one `step` of Fisher's
# scoring away, to first order. Where a process goes through all of few data, or its range is longer than the region,
# standard errors at the maximum say nothing: it is that with the weak penalties of gpFit(), which are 0 elsewhere.
restricted_maximum <- function(fit) {
  own <- covariance_rows(fit)
  used <- rownames(own)[!own$fixed & !nzchar(own$boundary)]
  here <- list(lik = likelihood_of(fit), v = own$estimate, step = fit$estimator == "ML",
               vcov.cov = covariance_vcov(fit)[used, used, drop = FALSE])
  at_end <- rownames(own)[nzchar(own$boundary)]
  process <- !any(grepl("^variance", at_end))
  through <- process && (fit$nobs <= most_on_grid || any(grepl("^(nugget|smoothness)", at_end)))
  if (!here$step && !through || fit$nobs > most_exact_fit) return(here)
  fit$estimator <- "REML"
  lik <- likelihood_of(fit)
  about <- lik$search()
  task <- about$task
  task$penalty <- fit$penalty || process
  sill <- about$rows$kind == "sill"
  unit <- if (is.null(about$units)) rep(sum(task$v[sill]), length(sill)) else about$units
  none <- about$rows$name %in% task$searched & sill & task$v < 2e-6 * unit
  task$v[none] <- 1e-3 * unit[none] # 0 is no place to begin at
  found <- uninterrupted(tryCatch(lik$result(gp_find(lik, task)), statcl_error_input = function(e) NULL))
  if (is.null(found) || all(is.na(found$vcov.cov))) {
    lik$close()
    return(here)
  }
  here$lik$close()
  list(lik = lik, v = found$rows$value, vcov.cov = found$vcov.cov, step = FALSE)
}

# Of the rows of l, with var(l' C l) = g' W g, but no less than 1: where the standard error is less certain than that,
# as of the mean of a field whose range is longer than the region, g' W g is no variance any more. Of few data the
# posterior distribution of the parameters tells there: the logarithm of a chi-squared variable with d degrees of
# freedom has the variance trigamma(d / 2), whatever its scale.
satterthwaite_df <- function(e, l) {
  value <- rowSums((l %*% e$plain) * l)
  if (!length(e$slopes)) return(rep(e$left, nrow(l)))
  g <- vapply(e$slopes, function(slope) rowSums((l %*% slope) * l), value)
  dim(g) <- c(nrow(l), length(e$slopes))
  df <- ifelse(value > 0, pmax(2 * value^2 / rowSums((g %*% e$W) * g), 1), e$left)
  low <- which(df < 2)
  matrices <- if (length(low) && !is.null(e$of_points)) e$of_points()
  if (!is.null(matrices)) {
    spread <- spread_of_variances(matrices, l[low, , drop = FALSE])
    df[low] <- pmax(df[low], pmin(2 * inverse_trigamma(spread), e$left), na.rm = TRUE)
  }
  df
}

# Covariance matrices of the coefficients at 100 points of the posterior distribution of the parameters of the
# covariance; NULL where that distribution is not found.
matrices_of_points <- function(fit) tryCatch(despite_failures(function() {
  points <- known_posterior(fit)
  some <- if (is.finite(points$ess)) points else points$nodes
  share <- cumsum(some$weight) / sum(some$weight)
  at <- findInterval((seq_len(100L) - 0.5) / 100, share) + 1L
  lik <- likelihood_of(fit)
  on.exit(lik$close())
  each <- unique(at)
  lapply(each, function(i) lik$coefficients(some$v[i, ], character())$vcov)[match(at, each)]
}), statcl_error_input = function(e) NULL)

# Variances of log(l' C l) for each row of l, of a sample or of nodes with weights.
spread_of_variances <- function(matrices, l, weight = NULL) {
  value <- vapply(matrices, function(c) log(pmax(rowSums((l %*% c) * l), 0)), numeric(nrow(l)))
  value <- matrix(value, nrow(l))
  if (is.null(weight)) apply(value, 1L, stats::var) else drop((value - drop(value %*% weight))^2 %*% weight)
}

inverse_trigamma <- function(v) vapply(v, function(v) if (is.na(v)) NA_real_ else
  exp(stats::uniroot(function(x) log(trigamma(exp(x)) / max(v, 1e-8)), c(-30, 30), tol = 1e-8)$root), 0)

# Are the combinations l of coefficients b 0? The statistic lambda F of Kenward and Roger (1997), sections 3 and 4,
# and its degrees of freedom, whose names there are here. Theirs need more than two of the denominator: else they are
# the least ones of the uncorrelated combinations.
kenward_roger_test <- function(e, l, b) {
  k <- nrow(l)
  part <- l %*% e$vcov %*% t(l)
  f <- sum((l %*% b) * solve(part, l %*% b)) / k
  axes <- eigen(l %*% e$plain %*% t(l), TRUE)$vectors
  least <- min(e$df(crossprod(axes, l)))
  if (k == 1L || !length(e$slopes)) return(c(k, least, f))
  theta <- crossprod(l, solve(l %*% e$plain %*% t(l), l))
  moved <- lapply(e$slopes, function(slope) theta %*% slope)
  trace <- vapply(moved, function(m) sum(diag(m)), 0)
  a1 <- sum(e$W * tcrossprod(trace))
  products <- vapply(moved, function(m) vapply(moved, function(other) sum(m * t(other)), 0), trace)
  a2 <- sum(e$W * products)
  B <- (a1 + 6 * a2) / (2 * k)
  g <- ((k + 1) * a1 - (k + 4) * a2) / ((k + 2) * a2)
  c <- c(g, k - g, k + 2 - g) / (3 * k + 2 * (1 - g))
  mean <- 1 / (1 - a2 / k)
  variance <- 2 / k * (1 + c[1L] * B) / ((1 - c[2L] * B)^2 * (1 - c[3L] * B))
  df <- 4 + (k + 2) / (k * variance / (2 * mean^2) - 1)
  if (isTRUE(df > 2) && is.finite(df) && mean > 0) c(k, df, f * df / (mean * (df - 2))) else c(k, least, f)
}

# How far log likelihoods by Laplace's approximation and by expectation propagation are from the true ones, which are
# found by importance sampling: 40,000 draws from the normal distribution of expectation propagation.
#   Rscript bench/gp-propagation.R [N] [MEAN]
# N locations (40), uniform in the unit square, an exponential process of range 0.2 and variance 1, and a mean (0.3).
library(statcl)
options(statcl.threads = 1, warn = -1)
argument <- as.numeric(commandArgs(trailingOnly = TRUE))
n <- if (length(argument)) argument[1] else 40
mean <- if (length(argument) > 1) argument[2] else 0.3
families <- list(
  list(poisson(), NULL), list(nbinom2(), c(theta = 2)), list(nbinom1(), c(phi = 0.3)), list(binomial(), NULL),
  list(binomial("probit"), NULL), list(binomial("cloglog"), NULL), list(binomial("cauchit"), NULL),
  list(betabinomial(), c(phi = 3)), list(beta_family(), c(phi = 8)), list(Gamma("log"), c(shape = 7)),
  list(inverse.gaussian("log"), c(phi = 0.5)), list(student(), c(scale = 0.5, df = 5)),
  list(tweedie(), c(phi = 2, power = 1.5)), list(cumulative(), c(cut1 = -0.5, gap2 = 0.7, gap3 = 1.5)),
  list(truncated_poisson(), NULL), list(zi_poisson(), c(zero = 0.2)), list(zi_nbinom2(), c(zero = 0.2, theta = 2)),
  list(hurdle_poisson(), c(zero = 0.2)), list(delta_gamma(), c(zero = 0.2, shape = 2)))
set.seed(3)
d <- data.frame(x = runif(n), y = runif(n))
model <- covModel("exponential", range = 0.2, variance = 1, distance = "euclidean")
covariance <- as.matrix(covariance(model, x = as.matrix(d)))
root <- chol(covariance)
u <- drop(crossprod(root, rnorm(n)))
draws <- 40000
one <- function(family, own) {
  entry <- statcl:::family_entry(family)
  trials <- if (family$family == "betabinomial") 10 else 1
  d$v <- entry$draw(mean + u, own, rep(trials, n), family$link)
  formula <- if (trials > 1) cbind(v, 10 - v) ~ 1 else if (family$family == "cumulative") ordered(v) ~ 1 else v ~ 1
  fixed <- c(list(range = 0.2, variance = 1, nugget = 0), if (!is.null(own))
    as.list(setNames(own, paste0("family.", names(own)))))
  fit <- gpFit(formula, d, ~ x + y, model, family = family, fixed = fixed, approximation = "ep", method = "exact")
  beta <- if (length(coef(fit))) coef(fit)[[1]] else 0
  # the value of Laplace's approximation at the coefficient of the other
  d$at <- beta
  if (length(coef(fit))) formula[[3]] <- quote(0 + offset(at))
  plain <- gpFit(formula, d, ~ x + y, model, family = family, fixed = fixed, method = "exact")
  precision <- chol(chol2inv(root) + diag(fit$sites))
  l <- statcl:::observed_cases(fit)
  l$family <- fit$family
  normal <- matrix(rnorm(n * draws), n)
  latent <- unname(fit$linear.predictors) - beta + backsolve(precision, normal)
  log_ratio <- vapply(seq_len(draws), function(k) sum(statcl:::case_terms(l, beta + latent[, k], fit$own)$value), 0) -
    colSums(backsolve(root, latent, transpose = TRUE)^2) / 2 - sum(log(diag(root))) + colSums(normal^2) / 2 -
    sum(log(diag(precision)))
  weight <- exp(log_ratio - max(log_ratio))
  true <- max(log_ratio) + log(base::mean(weight))
  c(laplace = plain$loglik - true, ep = fit$loglik - true,
    "standard error" = sd(weight) / base::mean(weight) / sqrt(draws))
}
table <- t(vapply(families, function(f) one(f[[1]], f[[2]]), numeric(3)))
rownames(table) <- vapply(families, function(f) paste(f[[1]]$family, f[[1]]$link), "")
cat(sprintf("%g observations, mean %g: log likelihood less the true one\n", n, mean))
print(signif(table, 3))

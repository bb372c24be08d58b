# The reference table of line covariances and spectral densities: its models and quantities here.
ref_model <- function(model, param) {
  p <- as.numeric(sub("^[a-z]+=([-0-9.]+).*", "\\1", param))
  switch(model, matern = covModel("matern", range = 1, smoothness = p), stable = covModel("powexp", 1, shape = p),
         cauchy = , besselj = covModel(model, 1, shape = p), k6exp = covModel("gammaspectrum", 1, exponent = 6),
         powerlaw = covModel("powerlaw", exponent = p, kmin = 2 * pi / 128, kmax = pi), covModel(model, 1))
}

ref_value <- function(m, quantity, x)
  switch(quantity, C3 = covariance(m, x), C1_3d = lineCovariance(m, x), C1_2d = lineCovariance(m, x, dim = 2),
         S3 = spectralDensity(m, x), S2 = spectralDensity(m, x, dim = 2), S1_3d = spectralDensity(m, x, line = TRUE),
         S1_2d = spectralDensity(m, x, dim = 2, line = TRUE))

# Errors of covariances and derivatives against a part of the table of tools/covariance_reference.py with one shape:
# of values in units of the variance, of derivatives over their largest value in the part.
covariance_errors <- function(g) {
  own <- switch(g$family[1], gammaspectrum = list(exponent = g$shape[1]),
                powerlaw = list(exponent = g$shape[1], kmin = 0.25, kmax = 16),
                wendland = list(smoothness = g$shape[1], shape = g$shape[1] + 2),
                spectrum = list(density = function(k) k^2 / (1 + k^2)^4, dim = 3),
                if (!is.na(g$shape[1])) list(shape = g$shape[1]))
  model <- do.call(covModel, c(list(g$family[1], range = 1), own))
  over <- function(error, size) max(abs(error)) / max(abs(size))
  data.frame(value = max(abs(covariance(model, g$x) - g$value)),
             slope = over(covariance(model, g$x, deriv = "range") - g$slope, g$slope),
             dshape = if (is.na(g$dshape[1])) NA
                      else over(covariance(model, g$x, deriv = names(own)[1]) - g$dshape, g$dshape))
}

expect_input_error <- function(expr, text) expect_error(expr, text, class = "statcl_error_input", fixed = TRUE)

# The model of several variables of a row of the reference table.
several_reference <- function(r) {
  k <- seq_len(r$p)
  whole <- function(name) outer(k, k, Vectorize(function(i, j) r[[sprintf(name, min(i, j), max(i, j))]]))
  own <- function(name) unlist(r[paste0(name, k)])
  if (r$model == "lmc") return(covModel(
    "lmc", parts = list(covModel("exponential", range = r$range1),
                        covModel("matern", range = r$range2, smoothness = 1.5)),
    sill = list(whole("T1_%d%d"), whole("T2_%d%d")), nugget = own("nugget")))
  rho <- diag(r$p)
  for (i in k) for (j in k[k > i]) rho[i, j] <- rho[j, i] <- r[[paste0("rho", i, j)]]
  covModel("multimatern", range = r$range1, smoothness = own("nu"), variance = own("sd")^2, nugget = own("nugget"),
           correlation = rho)
}

# Differences of fourth order.
differenced <- function(f, v, i, step = 1e-3 * max(abs(v[i]), 0.01)) {
  at <- function(k) f(replace(v, i, v[i] + k * step))
  (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step)
}

# Of posterior distributions on the scale of the search: the space, the prior, and the logarithm of the density.
target_of <- function(fit, prior = gpPrior()) {
  lik <- statcl:::posterior_likelihood(fit)
  about <- lik$search()
  about[c("scaled", "inside")] <- list(FALSE, TRUE)
  scales <- c(statcl:::gp_scales(about$problem, about$data), list(penalty = FALSE))
  s <- statcl:::search_space(about, about$task$searched, scales)
  given <- statcl:::log_prior(prior, s, 2)
  list(s = s, given = given, scale = statcl:::posterior_scale(s), value = function(t)
    lik$evaluate(statcl:::search_point(t, s), Inf)$value + sum(given(t)),
    close = lik$close)
}

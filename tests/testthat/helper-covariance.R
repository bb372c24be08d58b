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

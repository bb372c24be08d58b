# Checks of random fields against theory, for samplers: function(points, nsim) gives a matrix with a row for each
# point and a column for each of nsim independent fields. Theory is a function of a matrix of lag vectors.
#
# Every check reduces each field to one number for each question, with expected value 0, and gives the deviates of
# their means in units of the standard error among fields. The fields are independent whatever goes on inside of one,
# so these are t statistics with nsim - 1 degrees of freedom. The numbers of a field are means over dozens to hundreds
# of places, so that little is left of the skewness of squares (at most 2.8), and means over nsim fields divide it by
# sqrt(nsim).
#
# Limit: P(|t| > 7) is 1.1e-11 at 399 degrees of freedom. All calls of the test file together ask fewer than 3000
# questions: 3.3e-8 by t, which leaves a factor of 30 for what is left of the skewness. `make test` has half as many
# fields, 3.9e-11 at 199 and 3.2e-10 at 99 degrees of freedom, for the same seeds each time.
deviate_limit <- 7
ensemble_fields <- repetitions(200, 400)
# For the many models: P(|t| > 7) is then 3.9e-11, and 1.2e-7 for 3000 questions, so that 8 is left. Skewness g of the
# numbers makes it larger by about exp(7^3 g / (3 sqrt(nsim))), 6.5 for g = 2.8 / sqrt(150) of means over 150 places.
model_fields <- repetitions(100, 200)
# For lines that take long: 3.2e-10, for fewer than 100 questions.
fewer_fields <- 100

deviates <- function(numbers) {
  numbers <- as.matrix(numbers)
  spread <- apply(numbers, 2, stats::sd) / sqrt(nrow(numbers))
  z <- colMeans(numbers) / spread
  z[colMeans(numbers) == 0 & spread == 0] <- 0
  z
}

# All numbers of a field together: Hotelling's T^2, as the deviate of the same probability. It finds small deviations
# of one sign at several lags, which errors of estimates have in common.
joint_deviate <- function(numbers) {
  n <- nrow(numbers)
  p <- ncol(numbers)
  middle <- colMeans(numbers)
  t2 <- n * drop(middle %*% solve(stats::cov(numbers), middle))
  log_p <- stats::pf(t2 * (n - p) / (p * (n - 1)), p, n - p, lower.tail = FALSE, log.p = TRUE)
  -stats::qnorm(log_p - log(2), log.p = TRUE)
}

# ---- designs ----

# Directions: independent and uniform.
random_ways <- function(n, dim) {
  way <- matrix(stats::rnorm(n * dim), n)
  way / sqrt(rowSums(way^2))
}

places <- function(n, dim, side) matrix(stats::runif(n * dim, -side / 2, side / 2), n)

# Pairs of places at given lags in random directions; every lag has its own places.
random_pairs <- function(lags, pairs, dim, side) {
  lag <- rep(lags, each = pairs)
  from <- places(length(lag), dim, side)
  list(lag = lag, from = from, by = lag * random_ways(length(lag), dim))
}

# Pairs of cells of a mesh at given lags, one in each row of steps, counted in cells.
mesh_pairs <- function(grid, steps, pairs) {
  group <- rep(seq_len(nrow(steps)), each = pairs)
  shift <- steps[group, , drop = FALSE]
  room <- rep(grid$dims, each = nrow(shift)) - abs(shift)
  cell <- floor(stats::runif(length(room)) * room) + pmax(-shift, 0)
  list(lag = group, from = sweep(sweep(cell, 2, grid$spacing, `*`), 2, grid$origin, `+`),
       by = sweep(shift, 2, grid$spacing, `*`))
}

# A row for each field, a column for each level of group: means over the places of the group.
group_means <- function(values, group) {
  sums <- function(x) rowsum(x, group, reorder = FALSE)
  t(sums(values) / drop(sums(rep(1, length(group)))))
}

# ---- checks ----

# Mean, variance, and covariances at lags in random directions; mean is that of the model, at places.
check_moments <- function(sampler, theory, dim, lags, nugget = 0, mean = function(x) 0, pairs = 150,
                          side = 60 * max(lags), fields = ensemble_fields, design = NULL) {
  if (is.null(design)) design <- random_pairs(lags, pairs, dim, side)
  n <- nrow(design$from)
  x <- rbind(design$from, design$from + design$by)
  values <- sampler(x, fields)
  z <- values - mean(x)
  first <- z[seq_len(n), ]
  second <- z[n + seq_len(n), ]
  variance <- theory(matrix(0, 1, dim)) + nugget
  covariances <- group_means(first * second - theory(design$by), design$lag)
  colnames(covariances) <- paste("covariance at", signif(unique(design$lag), 3))
  numbers <- cbind(mean = colMeans(z), variance = colMeans(first^2) - variance, covariances)
  c(deviates(numbers), joint = joint_deviate(numbers[, -1]))
}

# Halves of mean squared increments, on lags so short that covariances say nothing about them.
check_increments <- function(sampler, variogram, dim, lags, pairs = 150, side = 60, fields = ensemble_fields) {
  design <- random_pairs(lags, pairs, dim, side)
  n <- nrow(design$from)
  values <- sampler(rbind(design$from, design$from + design$by), fields)
  half <- (values[seq_len(n), ] - values[n + seq_len(n), ])^2 / 2
  numbers <- group_means(half / variogram(design$lag) - 1, design$lag)
  colnames(numbers) <- paste("increments at", unique(design$lag))
  deviates(numbers)
}

# Directions of axes, and of diagonals of faces and of the cube, without those that differ in sign only.
grid_ways <- function(dim) {
  all <- as.matrix(expand.grid(rep(list(-1:1), dim)))
  first <- apply(all, 1, function(w) c(w[w != 0], 0)[1])
  all <- all[first > 0, , drop = FALSE]
  all / sqrt(rowSums(all^2))
}

# Mean products at one lag along axes and diagonals: each against the mean of all.
check_isotropy <- function(sampler, dim, lag, pairs = 100, side = 60 * lag, fields = ensemble_fields) {
  ways <- grid_ways(dim)
  group <- rep(seq_len(nrow(ways)), each = pairs)
  from <- places(length(group), dim, side)
  values <- sampler(rbind(from, from + lag * ways[group, , drop = FALSE]), fields)
  products <- group_means(values[seq_along(group), ] * values[length(group) + seq_along(group), ], group)
  numbers <- products - rowMeans(products)
  colnames(numbers) <- paste("along", apply(sign(ways), 1, paste, collapse = " "))
  c(deviates(numbers), joint = joint_deviate(numbers[, -1]))
}

# Phases that are not uniform on the circle show at the origin: far from it they are, whatever they were.
check_origin <- function(sampler, dim, mean = 0, near = 1e-3, fields = ensemble_fields) {
  values <- sampler(places(5, dim, near), fields)
  deviates(cbind(origin = colMeans(values) - mean))
}

# Excess of the fourth moment: of cosines -3/8 sum amplitude^4 / variance^2, as E cos^4 = 3/8, which is -1.5 / lines
# for one amplitude; 0 for Gaussian lines.
cosine_excess <- function(amplitude) -3 / 8 * sum(amplitude^4) / sum(amplitude^2 / 2)^2
check_kurtosis <- function(sampler, dim, variance, excess, side, points = 400, fields = ensemble_fields) {
  values <- sampler(places(points, dim, side), fields)
  deviates(cbind(kurtosis = colMeans(values^4) / variance^2 - 3 - excess))
}

# Periodograms |sum_j Z_j exp(-2 pi i j f / n)|^2 / n of transects. Their expected values are exactly the sums of
# (1 - |m| / n) C(m step) cos(2 pi m f / n) over |m| < n: a slope of the spectrum that a transect shows is in them.
check_transects <- function(sampler, theory, dim, step, n = 32, transects = 4, side = 60 * n * step,
                            fields = ensemble_fields) {
  start <- places(transects, dim, side)[rep(seq_len(transects), each = n), , drop = FALSE]
  way <- random_ways(transects, dim)[rep(seq_len(transects), each = n), , drop = FALSE]
  values <- sampler(start + step * (rep(seq_len(n), transects) - 1) * way, fields)
  power <- Mod(stats::mvfft(matrix(values, n)))^2 / n
  power <- apply(array(power, c(n, transects, fields)), c(3, 1), mean)[, seq_len(n / 2 + 1)]
  m <- 0:(n - 1)
  weight <- (1 - m / n) * (2 - (m == 0)) * theory(cbind(m * step, matrix(0, n, dim - 1)))
  expected <- drop(cos(2 * pi * outer(0:(n / 2), m) / n) %*% weight)
  numbers <- sweep(power, 2, expected, `/`) - 1
  colnames(numbers) <- paste("frequency", 0:(n / 2))
  c(deviates(numbers), joint = joint_deviate(numbers))
}

# The covariance that a field of cosines has over all space at lag h is sum_l amplitude_l^2 / 2 cos(2 pi k_l.h).
# lines: function(L) gives the wave vectors k (in turns) and amplitudes of another field with L lines.
own_error <- function(lines, theory, dim, lag, nlines, fields = 60, ways = 30) {
  one <- function(L) {
    line <- lines(L)
    h <- lag * random_ways(ways, dim)
    error <- drop(cos(2 * pi * h %*% t(line$k)) %*% (line$amplitude^2 / 2)) - theory(h)
    c(mean = mean(error), square = mean(error^2))
  }
  lapply(stats::setNames(nlines, nlines), function(L) t(replicate(fields, one(L))))
}

# The mean error; the slope of log rms error by log L against -1/2, negative deviates being welcome; and the rms error
# at the largest L as a share of what independent lines have: var cos(k.h) = (1 + C(2h)) / 2 - C(h)^2 at unit
# variance.
check_own_error <- function(lines, theory, dim, lag, nlines = c(32, 128, 512), fields = 60) {
  errors <- own_error(lines, theory, dim, lag, nlines, fields)
  square <- vapply(errors, function(e) mean(e[, "square"]), 1)
  relative <- vapply(errors, function(e) stats::sd(e[, "square"]) / sqrt(fields), 1) / square
  x <- log(nlines) - mean(log(nlines))
  slope <- sum(x * log(square) / 2) / sum(x^2)
  spread <- sqrt(sum((x * relative / 2)^2)) / sum(x^2)
  along <- function(h) theory(cbind(h, matrix(0, length(h), dim - 1)))
  variance <- along(0)
  independent <- variance^2 * ((1 + along(2 * lag) / variance) / 2 - (along(lag) / variance)^2) / max(nlines)
  list(mean = vapply(errors, function(e) deviates(e[, "mean"])[[1]], 1), slope = slope,
       slope_deviate = (slope + 0.5) / spread, share = sqrt(square[[length(square)]] / independent),
       share_spread = relative[[length(square)]] / 2 * sqrt(square[[length(square)]] / independent))
}

# ---- samplers of the package ----

tbrf_sampler <- function(model, nlines = 64, ...) function(points, nsim)
  matrix(as.vector(tbrf(points, model, nlines = nlines, nsim = nsim, ...)), nrow(points))

# Fields on a mesh, of which the points asked for are taken.
mesh_sampler <- function(grid, model, ...) function(points, nsim) {
  cell <- round(sweep(sweep(points, 2, grid$origin), 2, grid$spacing, `/`))
  index <- 1 + drop(cell %*% cumprod(c(1, grid$dims))[seq_along(grid$dims)])
  matrix(as.vector(tbrf(grid, model, nsim = nsim, ...)), ncol = nsim)[index, ]
}

# Another field with L lines at each call.
tbrf_lines <- function(model, dim, ...) function(L)
  recipe_lines(tbrf(matrix(0, 1, dim), model, nlines = L, ..., object = TRUE), 1)

# ---- theory, from formulas of its own ----

isotropic <- function(f) function(h) {
  r <- sqrt(rowSums(h^2))
  at <- unique(r)
  value <- vapply(at, f, 1)
  value[match(r, at)]
}

# Shells of wave numbers with a density p of |k| in space: C(h) = int p(k) sin(k h) / (k h) dk.
of_shells <- function(p, from, to) {
  mass <- stats::integrate(p, from, to, rel.tol = 1e-10)$value
  function(h) {
    if (h == 0) return(1)
    wave <- function(k) p(k) * sin(k * h) / (k * h)
    stats::integrate(wave, from, to, rel.tol = 1e-9, subdivisions = 1000)$value / mass
  }
}

# What tables have instead of a covariance: that of lines at their nodes, `at_nodes`, linear between them, as the
# nearest node is taken on either side of a lag; the field's is the mean over r from 0 to the lag.
of_table <- function(at_nodes, step) {
  value <- at_nodes(step * (0:4096))
  whole <- step * cumsum(c(0, (value[-1] + value[-length(value)]) / 2))
  isotropic(function(h) {
    if (h == 0) return(value[1])
    j <- floor(h / step) + 1
    t <- h / step - (j - 1)
    (whole[j] + step * t * (value[j] + t * (value[j + 1] - value[j]) / 2)) / h
  })
}

# Lines with the density p(k) at the frequencies of a circle of m nodes.
of_circle <- function(p, m, step) {
  k <- 2 * pi * seq_len(m %/% 2) / (m * step)
  weight <- p(k) / sum(p(k))
  function(r) vapply(r, function(x) sum(weight * cos(k * x)), 1)
}

# Waves of a periodic box, with weights p(|k|).
of_box <- function(p, grid) {
  waves <- Map(function(n, s) 2 * pi / (n * s) * (seq_len(n) - 1 - n * (seq_len(n) - 1 > n %/% 2)), grid$dims,
               grid$spacing)
  k <- as.matrix(expand.grid(waves))
  weight <- p(sqrt(rowSums(k^2)))
  weight <- weight / sum(weight)
  function(h) {
    at <- unique(h)
    value <- drop(cos(at %*% t(k)) %*% weight)
    value[match(data.frame(t(h)), data.frame(t(at)))]
  }
}

# Range 2 and variance 1.7 wherever a model has them, so that a forgotten one is seen. dims: where the model is valid.
ensemble_models <- function() {
  v <- 1.7
  model <- function(name, ...) covModel(name, range = 2, variance = v, ...)
  case <- function(model, f, dims = 2:3, reach = 2) list(model = model, f = f, dims = dims, reach = reach)
  scaled <- function(f) function(r) v * f(r / 2)
  bessel <- function(nu) function(h) if (h == 0) 1 else gamma(nu + 1) * (2 / h)^nu * besselJ(h, nu)
  matern <- function(nu) function(h) if (h == 0) 1 else 2^(1 - nu) / gamma(nu) * h^nu * besselK(h, nu)
  power <- function(b) case(covModel("powerlaw", variance = v, exponent = b, kmin = 0.5, kmax = 8),
                            local({ f <- of_shells(function(k) k^(b + 2), 0.5, 8); function(r) v * f(r) }))
  list(
    exponential = case(model("exponential"), scaled(function(h) exp(-h))),
    gaussian = case(model("gaussian"), scaled(function(h) exp(-h^2))),
    "matern 0.4" = case(model("matern", smoothness = 0.4), scaled(matern(0.4))),
    "matern 2.5" = case(model("matern", smoothness = 2.5), scaled(function(h) (1 + h + h^2 / 3) * exp(-h))),
    spherical = case(model("spherical"), scaled(function(h) if (h < 1) 1 - 1.5 * h + 0.5 * h^3 else 0)),
    cubic = case(model("cubic"), scaled(function(h)
      if (h < 1) 1 - 7 * h^2 + 35 / 4 * h^3 - 7 / 2 * h^5 + 3 / 4 * h^7 else 0)),
    pentaspherical = case(model("pentaspherical"), scaled(function(h)
      if (h < 1) 1 - 15 / 8 * h + 5 / 4 * h^3 - 3 / 8 * h^5 else 0)),
    circular = case(model("circular"), scaled(function(h)
      if (h < 1) 2 / pi * (acos(h) - h * sqrt(1 - h^2)) else 0), dims = 2),
    "cauchy 0.8" = case(model("cauchy", shape = 0.8), scaled(function(h) (1 + h^2)^-0.8)),
    "powexp 0.7" = case(model("powexp", shape = 0.7), scaled(function(h) exp(-h^0.7))),
    "powexp 1.5" = case(model("powexp", shape = 1.5), scaled(function(h) exp(-h^1.5))),
    "besselj 0" = case(model("besselj", shape = 0), scaled(bessel(0)), dims = 2),
    "besselj 1.5" = case(model("besselj", shape = 1.5), scaled(bessel(1.5))),
    sinc = case(model("sinc"), scaled(function(h) if (h == 0) 1 else sin(h) / h)),
    "powerlaw -3.9" = power(-3.9),
    "powerlaw -2" = power(-2),
    "powerlaw 1" = power(1),
    # k^a exp(-k) in space: int k^(a + 1) exp(-k) sin(k h) dk = gamma(a + 2) sin((a + 2) atan h) (1 + h^2)^(-(a + 2) /
    # 2)
    gammaspectrum = case(model("gammaspectrum", exponent = 1), scaled(function(h)
      if (h == 0) 1 else sin(3 * atan(h)) / (3 * h * (1 + h^2)^1.5))),
    # (1 + h) exp(-h) is Matern 3/2, whose density in space is 4 / (pi^2 (1 + k^2)^3)
    spectrum = case(model("spectrum", density = function(k) 4 / pi^2 / (1 + k^2)^3, dim = 3),
                    scaled(function(h) (1 + h) * exp(-h))),
    covariance = case(model("covariance", covariance = function(h) (1 + h) * exp(-h), dim = 3),
                      scaled(function(h) (1 + h) * exp(-h))))
}

# ---- fields of random cosines with independent lines, written for the checks; and the same with a fault each ----

cosine_lines <- function(radius, dim, ways = random_ways, amplitude = function(L) rep(sqrt(2 / L), L))
  function(L) list(k = radius(L) * ways(L, dim) / (2 * pi), amplitude = amplitude(L))

line_sampler <- function(lines, L = 32, phase = stats::runif) function(points, nsim)
  vapply(seq_len(nsim), function(i) {
    line <- lines(L)
    drop(cos(2 * pi * tcrossprod(cbind(points, 1), cbind(line$k, phase(L)))) %*% line$amplitude)
  }, numeric(nrow(points)))

# |k| of exp(-h) and of exp(-h^2): wave vectors N(0, I) / sqrt(chi^2_1) and sqrt(2) N(0, I).
exponential_radius <- function(dim, df = 1) function(L) sqrt(stats::rchisq(L, dim) / stats::rchisq(L, df))
gaussian_radius <- function(dim, variance = 2) function(L) sqrt(variance * stats::rchisq(L, dim))

cap_ways <- function(n, dim) {
  way <- random_ways(n, dim)
  way[, dim] <- abs(way[, dim]) + 1
  way / sqrt(rowSums(way^2))
}
# The same cap, turned as a whole for each field.
turned_cap <- function(n, dim) cap_ways(n, dim) %*% qr.Q(qr(matrix(stats::rnorm(dim^2), dim)))

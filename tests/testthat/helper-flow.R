# Checks of vector fields and of fields in time against theory, as in helper-ensemble.R, whose deviates and limit
# these take: for samplers function(points, nsim, times) that give an array of points, components, times and fields.

# P(|t| > 7) is 3.2e-10 at 99 degrees of freedom, and fewer than 1000 questions are asked.
flow_fields <- 100

# Longitudinal and transverse covariances of isotropic vector fields whose trace of covariances is d C(h) (von Karman
# and Howarth; Monin and Yaglom 1975, section 12): with m(h) = d h^-d int_0^h C(r) r^(d-1) dr, m is the longitudinal
# one of solenoidal and the transverse one of compressive fields.
flow_covariances <- function(C, dim, share) function(h) {
  mean <- function(x) stats::integrate(function(r) dim * C(x * r) * r^(dim - 1), 0, 1, rel.tol = 1e-9)$value
  m <- vapply(h, mean, 1)
  rest <- function(k) dim * C(h) - k * m
  list(along = (1 - share) * m + share * rest(dim - 1), across = (1 - share) * rest(1) / (dim - 1) + share * m)
}

# The energy, and covariances along and across lags in random directions, each for one time.
check_flow <- function(sampler, C, dim, share, lags, pairs = 60, side = 40, fields = flow_fields) {
  design <- random_pairs(lags, pairs, dim, side)
  n <- nrow(design$from)
  v <- sampler(rbind(design$from, design$from + design$by), fields, 0)[, , 1, ]
  a <- v[seq_len(n), , ]
  b <- v[n + seq_len(n), , ]
  way <- design$by / design$lag
  along <- function(x) apply(x * as.vector(way), c(1, 3), sum)
  both <- apply(a * b, c(1, 3), sum)
  longitudinal <- along(a) * along(b)
  theory <- flow_covariances(C, dim, share)(lags)
  at <- match(design$lag, lags)
  numbers <- cbind(energy = colMeans(apply(a^2, c(1, 3), sum)) - dim * C(0),
                   group_means(both - dim * C(design$lag), at),
                   group_means(longitudinal - theory$along[at], at),
                   group_means((both - longitudinal) / (dim - 1) - theory$across[at], at))
  colnames(numbers)[-1] <- paste(rep(c("trace", "along", "across"), each = length(lags)), signif(lags, 3))
  deviates(numbers)
}

# Derivatives by differences, which any sampler has: component, axis, place, field.
differences <- function(sampler, points, nsim, step) {
  d <- ncol(points)
  n <- nrow(points)
  x <- do.call(rbind, unlist(lapply(seq_len(d), function(j) lapply(c(1, -1), function(s) {
    points[, j] <- points[, j] + s * step
    points
  })), recursive = FALSE))
  v <- array(sampler(x, nsim, 0), c(n, 2, d, d, nsim)) # side, axis, component
  aperm((v[, 1, , , ] - v[, 2, , , ]) / (2 * step), c(3, 2, 1, 4))
}

# The compressive share of the energy is that of the squared divergence in the squared gradient; the same for curls,
# whose components have equal mean squares in space.
check_derivatives <- function(sampler, dim, share, step, places_at = 60, side = 40, fields = flow_fields) {
  g <- differences(sampler, places(places_at, dim, side), fields, step)
  all <- apply(g^2, 4, sum)
  div <- apply(apply(g, 3:4, function(m) sum(diag(matrix(m, dim)))^2), 2, sum)
  curl <- function(i, j) apply((g[i, j, , ] - g[j, i, , ])^2, 2, sum)
  curls <- if (dim == 2) cbind(curl(1, 2)) else cbind(curl(2, 3), curl(3, 1), curl(1, 2))
  numbers <- cbind(divergence = div - share * all, curl = rowSums(curls) - (1 - share) * all)
  numbers <- numbers / mean(all)
  numbers[abs(numbers) < 1e-5] <- 0 # of differences of fields without divergence or curl, step^2/6 of a derivative
  if (dim == 3) numbers <- cbind(numbers, curls = (curls - rowMeans(curls))[, 1:2])
  deviates(numbers)
}

# Components have equal variances and are not correlated; the mean over a box has no more than the variance that
# it has by the covariance of its places.
check_components <- function(sampler, C, dim, places_at = 150, side = 12, fields = flow_fields) {
  x <- places(places_at, dim, side)
  v <- sampler(x, fields, 0)[, , 1, ]
  squares <- t(apply(v^2, 2:3, mean))
  cross <- apply(utils::combn(dim, 2), 2, function(p) colMeans(v[, p[1], ] * v[, p[2], ]))
  flow <- t(apply(v, 2:3, mean))
  still <- dim * mean(C(as.matrix(stats::dist(x))))
  deviates(cbind(variance = (squares - rowMeans(squares))[, -1], cross = cross, flow = flow,
                 box = rowSums(flow^2) - still))
}

# Periodograms of transects, summed over components: the energy spectrum that a line shows. The expected ones are
# those of check_transects().
check_flow_spectrum <- function(sampler, C, dim, step, n = 32, transects = 4, fields = flow_fields) {
  start <- places(transects, dim, 60 * n * step)[rep(seq_len(transects), each = n), , drop = FALSE]
  way <- random_ways(transects, dim)[rep(seq_len(transects), each = n), , drop = FALSE]
  v <- sampler(start + step * (rep(seq_len(n), transects) - 1) * way, fields, 0)
  power <- array(Mod(stats::mvfft(matrix(v, n)))^2 / n, c(n, transects, dim, fields))
  power <- apply(power, c(4, 1), sum)[, seq_len(n / 2 + 1)] / transects
  m <- 0:(n - 1)
  weight <- dim * (1 - m / n) * (2 - (m == 0)) * vapply(m * step, C, 1)
  expected <- drop(cos(2 * pi * outer(0:(n / 2), m) / n) %*% weight)
  numbers <- sweep(power, 2, expected, `/`) - 1
  colnames(numbers) <- paste("frequency", 0:(n / 2))
  c(deviates(numbers), joint = joint_deviate(numbers))
}

# Products of two times and places, which are lags apart in space, and sum over components.
check_times <- function(sampler, theory, dim, lags, times, places_at = 60, side = 40, fields = flow_fields) {
  design <- random_pairs(lags, places_at, dim, side)
  n <- nrow(design$from)
  v <- sampler(rbind(design$from, design$from + design$by), fields, times)
  m <- dim(v)[2]
  first <- array(v[seq_len(n), , 1, ], c(n, m, fields))
  numbers <- lapply(seq_along(times), function(k) {
    product <- apply(first * array(v[n + seq_len(n), , k, ], c(n, m, fields)), c(1, 3), sum)
    means <- group_means(product - m * theory(design$lag, times[k] - times[1]), design$lag)
    colnames(means) <- sprintf("lag %.3g, %.3g later", lags, times[k] - times[1])
    means
  })
  deviates(do.call(cbind, numbers))
}

# ---- samplers ----

flow_sampler <- function(model, nlines = 64, ...) function(points, nsim, times) {
  space <- if (inherits(model, "rfVector")) model$model$space else model$space
  changing <- !is.null(space) || !is.null(list(...)$correlation.time)
  v <- tbrf(points, model, nlines = nlines, nsim = nsim, ..., time = if (changing) times)
  d <- if (inherits(model, "rfVector")) ncol(points) else 1
  array(as.vector(v), c(nrow(points), d, length(v) / (nrow(points) * d * nsim), nsim))
}

# Random waves with amplitudes of their own, written for the checks: polarise() makes vectors of wave vectors and of
# free normal numbers, flow is added, and amplitudes at two times have the correlation rho.
random_flow <- function(radius, dim, polarise = helmholtz(0), flow = function() numeric(dim), L = 32,
                        rho = function(u) exp(-abs(u))) function(points, nsim, times) {
  root <- chol(outer(times, times, function(s, t) rho(s - t)) + diag(1e-12, length(times)))
  v <- array(0, c(nrow(points), dim, length(times), nsim))
  for (i in seq_len(nsim)) {
    k <- radius(L) * random_ways(L, dim)
    turn <- 2 * pi * stats::runif(L)
    shift <- flow()
    in_time <- function() array(matrix(stats::rnorm(L * dim * length(times)), ncol = length(times)) %*% root,
                                c(L, dim, length(times)))
    a <- in_time()
    b <- in_time()
    angle <- tcrossprod(cbind(points, 1), cbind(k, turn))
    for (t in seq_along(times)) {
      one <- cos(angle) %*% polarise(k, matrix(a[, , t], L)) + sin(angle) %*% polarise(k, matrix(b[, , t], L))
      v[, , t, i] <- sweep(one / sqrt(L), 2, shift, `+`)
    }
  }
  v
}

helmholtz <- function(share) function(k, free) {
  d <- ncol(k)
  way <- k / sqrt(rowSums(k^2))
  along <- way * rowSums(way * free)
  sqrt(d * share) * along + sqrt(d * (1 - share) / (d - 1)) * (free - along)
}

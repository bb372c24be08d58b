slopes_of <- function(z, alpha, beta, frame = 0, run = 1) statcl:::stable_slopes(z, alpha, beta, frame, run)
first <- c("alpha", "beta", "z")

# Distributions on both sides of every border between forms, and points from zeta to the tails.
laws <- expand.grid(alpha = c(0.15, 0.4, 0.79, 0.81, 0.95, 0.9991, 1, 1 + 1e-7, 1.0009, 1.1, 1.21, 1.5, 1.9, 1.99),
                    beta = c(-0.95, -0.3, 0, 0.5))
points <- c(-1e4, -40, -6, -1.1, -0.2, 0.05, 0.7, 2.5, 11, 300)
grid <- merge(laws, data.frame(z = points))
# S1 has no place near alpha = 1
far <- abs(grid$alpha - 1) > 0.1

ref <- read_ref("stable_score")

test_backends("scores agree with high precision", {
  score <- slopes_of(ref$x, ref$alpha, ref$beta)[, first]
  known <- as.matrix(ref[c("d_alpha", "d_beta", "d_x")])
  error <- abs(score - known) / pmax(1, abs(known))
  expect_identical(is.na(error[, "beta"]), abs(ref$beta) == 1)
  expect_false(anyNA(error[abs(ref$beta) < 1, ]))
  expect_lte(max(error, na.rm = TRUE), 1e-9)
  expect_lte(max(error[abs(ref$beta) < 1, ]), 1e-11)
})

test_backends("the value is that of dstable()", {
  log_f <- slopes_of(grid$z, grid$alpha, grid$beta)[, "log_f"]
  expect_lte(max(log_error(log_f, dstable(grid$z, grid$alpha, grid$beta, log = TRUE))), 1e-11)
})

# Central differences of fourth order with step h: their error is 1.5/h times that of the first derivatives, below
# 1e-8 for those at 1e-12, and h^4/30 times a fifth derivative, of which little is left at h = 3e-4 but next to zeta.
central <- function(f, h) (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)

# The light tails of one-sided distributions are no business of the rays: their points are left to differences. Below
# alpha = 1 they are near the end of the support, which S1 counts from.
test_backends("the value is that of dstable() in light tails", {
  for (alpha in c(0.3, 0.6, 0.9, 1.05, 1.18, 1.5)) for (beta in c(-1, 1)) {
    frame <- if (alpha < 1) 1 else 0
    log_f <- function(z) dstable(z, alpha, beta, 1, 0, frame, log = TRUE)
    z <- beta * qstable(-c(0.5, 3, 8, 30), alpha, 1, 1, 0, frame, log.p = TRUE)
    label <- paste(alpha, beta)
    slopes <- statcl:::stable_slopes(z, alpha, beta, frame)
    value <- log_f(z)
    expect_lt(max(abs(slopes[, "log_f"] - value) / pmax(1, abs(value))), 1e-11, label = label)
    h <- 1e-4 * abs(z)
    expect_equal(slopes[, "z"], (log_f(z + h) - log_f(z - h)) / (2 * h), tolerance = 1e-4, label = label)
    expect_true(all(is.finite(slopes[, c("alpha", "z", "alpha.alpha", "alpha.z", "z.z")])), label = label)
  }
})

test_backends("second derivatives are the slopes of the first", {
  for (frame in 0:1) {
    g <- if (frame == 0) grid else grid[far, ]
    v <- slopes_of(g$z, g$alpha, g$beta, frame)
    h <- pmin(3e-4, 3e-4 * g$alpha, 1e-2 * (2 - g$alpha))
    by_alpha <- central(function(h) slopes_of(g$z, g$alpha + h, g$beta, frame)[, first], h)
    by_beta <- central(function(h) slopes_of(g$z, g$alpha, g$beta + h, frame)[, first], 2e-5)
    zeta <- if (frame == 0) ifelse(abs(g$alpha - 1) < 0.1, 0, -g$beta * tan(pi * g$alpha / 2)) else 0
    reach <- 1e-3 * pmin(1, g$alpha^2 * abs(g$z - zeta) + 1e-3) + 1e-4 * pmax(0, abs(g$z) - 1)
    by_z <- central(function(h) slopes_of(g$z + h, g$alpha, g$beta, frame)[, first], reach)
    compare <- function(second, difference, scale) {
      size <- pmax(1, abs(v[, second]), scale)
      max(abs(v[, second] - difference) / size)
    }
    one <- abs(v[, first])
    expect_lte(compare("alpha.alpha", by_alpha[, "alpha"], one[, "alpha"]^2), 1e-6)
    expect_lte(compare("alpha.beta", by_alpha[, "beta"], one[, "alpha"] * one[, "beta"]), 1e-6)
    expect_lte(compare("alpha.z", by_alpha[, "z"], one[, "alpha"] * one[, "z"]), 1e-6)
    expect_lte(compare("alpha.beta", by_beta[, "alpha"], one[, "alpha"] * one[, "beta"]), 1e-6)
    expect_lte(compare("beta.beta", by_beta[, "beta"], one[, "beta"]^2), 1e-6)
    expect_lte(compare("beta.z", by_beta[, "z"], one[, "beta"] * one[, "z"]), 1e-6)
    expect_lte(compare("alpha.z", by_z[, "alpha"], one[, "alpha"] * one[, "z"]), 1e-6)
    expect_lte(compare("beta.z", by_z[, "beta"], one[, "beta"] * one[, "z"]), 1e-6)
    expect_lte(compare("z.z", by_z[, "z"], one[, "z"]^2), 1e-6)
  }
})

test_backends("S0 and S1 are one density: z1 = z0 + beta tan(pi alpha/2)", {
  g <- grid[far, ]
  p <- tan(pi * g$alpha / 2)
  t1 <- g$beta * pi / 2 * (1 + p^2)
  t2 <- pi * p * t1
  s0 <- slopes_of(g$z, g$alpha, g$beta, 0)
  s1 <- as.data.frame(slopes_of(g$z + g$beta * p, g$alpha, g$beta, 1))
  chained <- with(s1, cbind(log_f, alpha + t1 * z, beta + p * z, z,
                            alpha.alpha + 2 * t1 * alpha.z + t1^2 * z.z + t2 * z,
                            alpha.beta + p * alpha.z + t1 * beta.z + p * t1 * z.z + pi / 2 * (1 + p^2) * z,
                            alpha.z + t1 * z.z, beta.beta + 2 * p * beta.z + p^2 * z.z, beta.z + p * z.z, z.z))
  # in units of the terms' sizes
  size <- with(s1, cbind(1, abs(alpha) + abs(t1 * z), abs(beta) + abs(p * z), abs(z),
                         abs(alpha.alpha) + abs(t1 * alpha.z) + abs(t1^2 * z.z) + abs(t2 * z) + alpha^2,
                         abs(alpha.beta) + abs(p * alpha.z) + abs(t1 * beta.z) + abs(p * t1 * z.z) +
                           abs(alpha * beta),
                         abs(alpha.z) + abs(t1 * z.z), abs(beta.beta) + abs(p * beta.z) + abs(p^2 * z.z) + beta^2,
                         abs(beta.z) + abs(p * z.z), abs(z.z)))
  error <- abs(s0 - chained) / pmax(1, size)
  expect_lte(quantile(error, 0.99), 1e-11)
  expect_lte(max(error), 1e-6) # second differences
})

test_backends("the mirror image has the opposite slopes in beta and z", {
  sign <- c(1, 1, -1, -1, 1, -1, -1, 1, 1, 1)
  straight <- slopes_of(grid$z, grid$alpha, grid$beta)
  mirrored <- slopes_of(-grid$z, grid$alpha, -grid$beta)
  scaled <- abs(mirrored - sweep(straight, 2, sign, `*`)) / pmax(1, abs(straight))
  # to the last bit, but for mixed differences where rays are refused, as in the light tail of alpha near 2: there one
  # ulp of log f = -14.7 over the steps, 1e-3 each, and over d alpha/da d beta/db = 9.7e-4 is 1.9e-6
  expect_lte(max(scaled), 4 * 1.9e-6)
  expect_gte(mean(scaled == 0), 0.99)
})

test_backends("a point's slopes depend on the point alone", {
  for (law in list(c(0.6, 0.4), c(1, 0.2), c(1.05, -0.5), c(1.8, 0.3))) {
    z <- c(seq(-9, 9, by = 0.17), -1e6, 1e6)
    n <- length(z)
    together <- slopes_of(z, law[1], law[2], 0, n)
    expect_identical(slopes_of(z, rep(law[1], n), rep(law[2], n)), together)
    expect_identical(do.call(rbind, lapply(z, slopes_of, law[1], law[2], 0, 1)), together)
  }
  each <- slopes_of(rep(points, 3), c(0.7, 1.2, 1.6), c(0, 0.5, -0.5), 0, length(points))
  expect_identical(each[11:20, ], slopes_of(points, 1.2, 0.5, 0, 10))
})

test_backends("slopes are finite where the density and the distribution allow it", {
  expect_false(any(!is.finite(slopes_of(grid$z, grid$alpha, grid$beta))))
  # zeta itself, the closed forms, huge arguments, what the rays refuse
  z <- c(-0.5 * tan(pi * 0.35), 0, 0, 1e30, -1e30, 1e9, -25)
  hard <- slopes_of(z, c(0.7, 0.5, 1, 0.5, 1, 1.5, 1.97), c(0.5, 0, 0, 0.3, 0.3, -0.9, 0.9))
  expect_false(any(!is.finite(hard)))
  normal <- slopes_of(c(-3, 0.5), 2, 0.3)
  expect_equal(normal[, "z"], c(1.5, -0.25))
  expect_equal(normal[, "z.z"], c(-0.5, -0.5))
  expect_true(all(is.nan(normal[, c("alpha", "alpha.alpha", "alpha.beta", "alpha.z")])))
  expect_identical(unname(normal[, "beta"]), c(0, 0))
  outside <- slopes_of(-5, 0.5, 1)
  expect_identical(outside[, "log_f"], c(log_f = -Inf))
  expect_true(all(is.nan(outside[, -1])))
})

test_backends("Cauchy distribution", {
  z <- c(-30, -1.3, -0.4, 0, 0.2, 3, 500)
  v <- slopes_of(z, 1, 0)
  expect_equal(v[, "z"], -2 * z / (1 + z^2), tolerance = 1e-13)
  expect_equal(v[, "z.z"], -2 * (1 - z^2) / (1 + z^2)^2, tolerance = 1e-12)
})

test_backends("sums over observations that stay are those of the points", {
  set.seed(44)
  n <- 4500 # 4608 places: items have nine points each
  x <- rnorm(n) * exp(rexp(n, 0.7))
  w <- rexp(n)
  q <- cbind(cospi(1:n / 7), rnorm(n))
  b <- c(0.5, -0.2)
  there <- rbind(c(1.5, 0.3, 1.2, 0.1, 0, b), c(0.6, -0.3, 0.7, 0.1, 1, b), c(1, 0.2, 1, 0, 0, b),
                 c(1.99, 0.9, 3, 0, 0, b))
  sums <- function(slopes) .Call(statcl:::C_stableSums, x, w, q, there, slopes)
  likelihood <- sums(0L)
  slope <- sums(1L)
  expect_identical(dim(slope), c(32L + 2L * 9L + 2L * 3L, 4L))
  # of an item 9 terms, each of a few products, and the sum of items keeps what rounding takes
  close <- function(found, terms) {
    expect_lte(abs(found - sum(terms)), (9 + 8) * .Machine$double.eps * sum(abs(terms)))
  }
  compared <- 0
  for (i in 1:4) {
    p <- there[i, ]
    z <- (x - q[, 1] * b[1] - q[, 2] * b[2] - p[4]) / p[3]
    d <- slopes_of(z, p[1], p[2], p[5], n)
    close(likelihood[i], w * dstable(z, p[1], p[2], pm = p[5], log = TRUE))
    at <- slope[2:7, i][seq_len(min(6, slope[1, i]))] + 1
    at <- at[at > 0] # points that kernels do not have: left to the host, and not in the sums
    expect_identical(anyDuplicated(at), 0L)
    if (slope[1, i] > length(at)) next
    compared <- compared + 1
    k <- setdiff(seq_len(n), at)
    d <- d[k, ]
    v <- w[k]
    first <- cbind(d[, c("alpha", "beta")], -1 - z[k] * d[, "z"], -d[, "z"])
    close(slope[8, i], v * d[, "log_f"])
    for (j in 1:3) close(slope[8 + j, i], v * d[, 1 + j])
    close(slope[12, i], v * d[, "z"] * z[k])
    close(slope[22, i], v * d[, "z.z"] * z[k]^2)
    pairs <- which(upper.tri(diag(4), TRUE), arr.ind = TRUE)
    pairs <- pairs[order(pairs[, 1], pairs[, 2]), ]
    for (j in 1:10) close(slope[22 + j, i], v * first[, pairs[j, 1]] * first[, pairs[j, 2]])
    for (j in 1:2) {
      of <- slope[32 + 9 * (j - 1) + 1:9, i]
      r <- v * q[k, j]
      close(of[1], r * d[, "z"])
      close(of[2], r * d[, "alpha.z"])
      close(of[3], r * d[, "beta.z"])
      close(of[4], c(r * d[, "z"], r * d[, "z.z"] * z[k]))
      close(of[5], r * d[, "z.z"])
      for (h in 1:4) close(of[5 + h], r * d[, "z"] * first[, h] * if (h == 4) -1 else 1)
    }
    close(slope[53, i], v * q[k, 1] * q[k, 2] * d[, "z.z"])
    close(slope[54, i], v * q[k, 1] * q[k, 2] * d[, "z"]^2)
  }
  expect_gte(compared, 3)
})

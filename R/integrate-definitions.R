# Functions of integrands that are written in R in terms of others and of the engine's operations, op_<name>().

# Arguments, their order and their defaults are those of the functions of R. Densities of discrete and of gamma, beta,
# t and F distributions are in Loader's form, op_stirling_error() and op_deviance() being log n! less Stirling's
# formula and x log(x/m) + m - x (Loader, C. (2000), Fast and accurate computation of binomial probabilities).
# Conditions on flags are constants; others go through op_select(), which takes the side of a constant condition at
# once. op_is_one() is of the number 1 as it is written: one trial needs no Stirling's formula. op_is_few() is of
# known numbers of up to 32 trials where one of the arguments is data.
integrand_definitions <- list(
  base = list(
    gamma = function(x) op_gamma(x),
    beta = function(a, b) {
      in_range <- a >= 0 & b >= 0
      value <- op_select(a + b < 171.61447887182298, op_gamma(a) * op_gamma(b) / op_gamma(a + b), exp(op_lbeta(a, b)))
      value <- op_select(a == 0 | b == 0, Inf, op_select(a == Inf | b == Inf, 0, value))
      op_select(in_range, value, NaN)
    },
    lbeta = function(a, b) op_lbeta(a, b),
    factorial = function(x) op_gamma(x + 1),
    lfactorial = function(x) op_lgamma(x + 1),
    Re = function(z) z,
    Im = function(z) 0 * op_is_nan(z),
    Mod = function(z) abs(z),
    Arg = function(z) op_select(z >= 0, 0, pi),
    Conj = function(z) z,
    complex = function(length.out, real = 0, imaginary = 0, modulus = 1, argument = 0) {
      if (!missing(length.out)) op_refuse("length.out is not translated")
      if (missing(modulus) && missing(argument)) op_pair(real, imaginary)
      else op_pair(modulus * cos(argument), modulus * sin(argument))
    },
    as.complex = function(x) op_pair(x, 0),
    is.finite = function(x) !op_is_nan(x - x),
    is.infinite = function(x) !op_is_nan(x) & op_is_nan(x - x),
    is.na = function(x) op_is_nan(x),
    is.nan = function(x) op_is_nan(x),
    besselK = function(x, nu, expon.scaled = FALSE)
      if (expon.scaled) op_bessel_k_scaled(x, nu) else op_bessel_k(x, nu),
    besselI = function(x, nu, expon.scaled = FALSE) op_r_bessel_i(x, nu, expon.scaled),
    besselJ = function(x, nu) {
      far <- is_far(x, nu)
      op_select(far, hankel(x, nu, 1, 0), op_r_bessel_j(op_select(far, 1, x), nu))
    },
    besselY = function(x, nu) {
      far <- is_far(x, nu)
      op_select(far, hankel(x, nu, 0, 1), op_r_bessel_y(op_select(far, 1, x), nu))
    }),
  statcl = list(
    besselKgpu = function(x, nu, expon.scaled = FALSE, log = FALSE, deriv = "none", method = "auto", bins = NULL) {
      switch(deriv, none = 0, op_refuse("only deriv = \"none\" is translated"))
      switch(method, auto = 0, op_refuse("only method = \"auto\" is translated"))
      if (log) op_log(op_bessel_k_scaled(x, nu)) - x
      else if (expon.scaled) op_bessel_k_scaled(x, nu)
      else op_bessel_k(x, nu)
    },
    dstable = function(x, alpha, beta, gamma = 1, delta = 0, pm = 0, log = FALSE)
      if (log) op_stable_log_density(x, alpha, beta, gamma, delta, pm)
      else op_stable_density(x, alpha, beta, gamma, delta, pm),
    pstable = function(q, alpha, beta, gamma = 1, delta = 0, pm = 0, lower.tail = TRUE, log.p = FALSE) {
      if (lower.tail) {
        if (log.p) op_stable_log_lower(q, alpha, beta, gamma, delta, pm)
        else op_stable_lower(q, alpha, beta, gamma, delta, pm)
      } else if (log.p) op_stable_log_upper(q, alpha, beta, gamma, delta, pm)
      else op_stable_upper(q, alpha, beta, gamma, delta, pm)
    },
    qstable = function(p, alpha, beta, gamma = 1, delta = 0, pm = 0, lower.tail = TRUE, log.p = FALSE) {
      same <- function(p) if (lower.tail) op_stable_quantile(p, alpha, beta, gamma, delta, pm)
                          else op_stable_upper_quantile(p, alpha, beta, gamma, delta, pm)
      other <- function(p) if (lower.tail) op_stable_upper_quantile(p, alpha, beta, gamma, delta, pm)
                           else op_stable_quantile(p, alpha, beta, gamma, delta, pm)
      if (log.p) op_select(p < -log_2, same(exp(p)), other(-expm1(p))) else same(p)
    },
    dpoisgpu = function(x, lambda, log = FALSE)
      if (log) op_poisson_log_density(x, lambda) else op_poisson_density(x, lambda),
    ppoisgpu = function(q, lambda, lower.tail = TRUE, log.p = FALSE) {
      if (lower.tail) { if (log.p) op_poisson_log_lower(q, lambda) else op_poisson_lower(q, lambda) }
      else if (log.p) op_poisson_log_upper(q, lambda) else op_poisson_upper(q, lambda)
    },
    qpoisgpu = function(p, lambda, lower.tail = TRUE, log.p = FALSE) {
      same <- function(p) if (lower.tail) op_poisson_quantile(p, lambda) else op_poisson_upper_quantile(p, lambda)
      other <- function(p) if (lower.tail) op_poisson_upper_quantile(p, lambda) else op_poisson_quantile(p, lambda)
      if (log.p) op_select(p < -log_2, same(exp(p)), other(-op_expm1(p))) else same(p)
    }),
  stats = list(
    dnorm = function(x, mean = 0, sd = 1, log = FALSE) {
      z <- (x - mean) / sd
      value <- if (log) -(log_sqrt_2pi + 0.5 * z * z + op_log(sd)) else op_norm_density(z) / sd
      value <- op_select(sd == Inf, none(log), value)
      op_select(sd > 0, value, op_select(sd == 0, op_select(x == mean, Inf, none(log)), NaN))
    },
    pnorm = function(q, mean = 0, sd = 1, lower.tail = TRUE, log.p = FALSE) {
      z <- op_select(sd == Inf, op_select(abs(q) == Inf, q - mean, 0), (q - mean) / sd)
      if (!lower.tail) z <- -z
      value <- if (log.p) op_norm_log_lower(z) else op_norm_lower(z)
      op_select(sd > 0, value, op_select(sd == 0, step(q >= mean, lower.tail, log.p), NaN))
    },
    qnorm = function(p, mean = 0, sd = 1, lower.tail = TRUE, log.p = FALSE) {
      w <- if (log.p) norm_log_quantile(p) else op_norm_quantile(p)
      if (!lower.tail) w <- -w
      value <- op_select(abs(w) == Inf, w, mean + sd * w)
      op_select(sd >= 0, value, NaN)
    },
    dexp = function(x, rate = 1, log = FALSE) {
      value <- if (log) op_log(rate) - x * rate else exp(-x * rate) * rate
      op_select(rate >= 0 & rate < Inf, op_select(x < 0, none(log), value), NaN)
    },
    pexp = function(q, rate = 1, lower.tail = TRUE, log.p = FALSE)
      op_select(rate >= 0, op_select(q <= 0, step(FALSE, lower.tail, log.p),
                                     exp_tail(-(q * rate), lower.tail, log.p)), NaN),
    qexp = function(p, rate = 1, lower.tail = TRUE, log.p = FALSE)
      op_select(rate >= 0, -log_upper(p, lower.tail, log.p) / rate, NaN),
    dunif = function(x, min = 0, max = 1, log = FALSE) {
      value <- if (log) -op_log(max - min) else 1 / (max - min)
      op_select(max > min, op_select(x >= min & x <= max, value, none(log)), NaN)
    },
    punif = function(q, min = 0, max = 1, lower.tail = TRUE, log.p = FALSE) {
      value <- (if (lower.tail) q - min else max - q) / (max - min)
      value <- op_select(q >= max, step(TRUE, lower.tail, log.p),
                         op_select(q <= min, step(FALSE, lower.tail, log.p), if (log.p) op_log(value) else value))
      op_select(max >= min & is_finite(min) & is_finite(max), value, NaN)
    },
    qunif = function(p, min = 0, max = 1, lower.tail = TRUE, log.p = FALSE) {
      value <- op_select(min == max, min, min + lower_of(p, lower.tail, log.p) * (max - min))
      op_select(max >= min, value, NaN)
    },
    dlogis = function(x, location = 0, scale = 1, log = FALSE) {
      z <- abs((x - location) / scale)
      e <- exp(-z)
      f <- scale * (1 + e) * (1 + e)
      op_select(scale > 0, if (log) -(z + op_log(f)) else e / f, NaN)
    },
    plogis = function(q, location = 0, scale = 1, lower.tail = TRUE, log.p = FALSE) {
      z <- (q - location) / scale
      if (lower.tail) z <- -z
      op_select(scale > 0, if (log.p) -op_log1pexp(z) else 1 / (1 + exp(z)), NaN)
    },
    qlogis = function(p, location = 0, scale = 1, lower.tail = TRUE, log.p = FALSE) {
      odds <- if (log.p) p - log1mexp(p) else op_log(p / (1 - p))
      if (!lower.tail) odds <- -odds
      op_select(scale >= 0, op_select(abs(odds) == Inf, odds, location + scale * odds), NaN)
    },
    dcauchy = function(x, location = 0, scale = 1, log = FALSE) {
      y <- (x - location) / scale
      f <- pi * scale * (1 + y * y)
      op_select(scale > 0, if (log) -op_log(f) else 1 / f, NaN)
    },
    pcauchy = function(q, location = 0, scale = 1, lower.tail = TRUE, log.p = FALSE) {
      z <- (q - location) / scale
      if (!lower.tail) z <- -z
      far <- abs(z) > 1
      w <- op_atan(op_select(far, 1 / z, z)) / pi
      right <- far & z > 0
      value <- op_select(far, op_select(right, 1 - w, -w), 0.5 + w)
      op_select(scale > 0, if (log.p) op_select(right, op_log1p(-w), op_log(value)) else value, NaN)
    },
    qcauchy = function(p, location = 0, scale = 1, lower.tail = TRUE, log.p = FALSE) {
      high <- if (log.p) p > -log_2 else p > 0.5
      small <- if (log.p) op_select(high, -op_expm1(p), exp(p)) else op_select(high, 1 - p, p)
      cot <- op_select(small == 0.5, 0, 1 / op_tanpi(small))
      value <- location + scale * op_select(if (lower.tail) high else !high, cot, -cot)
      value <- op_select(small == 0, op_select(if (lower.tail) high else !high, Inf, -Inf), value)
      op_select(scale >= 0 & small >= 0, op_select(scale == 0, location, value), NaN)
    },
    dweibull = function(x, shape, scale = 1, log = FALSE) {
      t1 <- (x / scale)^(shape - 1)
      t2 <- t1 * (x / scale)
      value <- if (log) -t2 + op_log(shape * t1 / scale) else shape * t1 * exp(-t2) / scale
      value <- op_select(t2 == Inf, none(log), value)
      value <- op_select(x == 0 & shape < 1, Inf, op_select(x < 0 | x == Inf, none(log), value))
      op_select(shape > 0 & scale > 0, value, NaN)
    },
    pweibull = function(q, shape, scale = 1, lower.tail = TRUE, log.p = FALSE) {
      value <- exp_tail(-(q / scale)^shape, lower.tail, log.p)
      op_select(shape > 0 & scale > 0, op_select(q <= 0, step(FALSE, lower.tail, log.p), value), NaN)
    },
    qweibull = function(p, shape, scale = 1, lower.tail = TRUE, log.p = FALSE)
      op_select(shape > 0 & scale > 0, scale * (-log_upper(p, lower.tail, log.p))^(1 / shape), NaN),
    dlnorm = function(x, meanlog = 0, sdlog = 1, log = FALSE) {
      y <- (op_log(x) - meanlog) / sdlog
      value <- if (log) -(log_sqrt_2pi + 0.5 * y * y + op_log(x * sdlog)) else op_norm_density(y) / (sdlog * x)
      value <- op_select(sdlog == 0, op_select(op_log(x) == meanlog, Inf, none(log)), value)
      op_select(sdlog >= 0, op_select(x <= 0, none(log), value), NaN)
    },
    plnorm = function(q, meanlog = 0, sdlog = 1, lower.tail = TRUE, log.p = FALSE)
      op_select(q > 0, pnorm(op_log(op_max(q, 0)), meanlog, sdlog, lower.tail, log.p),
                step(FALSE, lower.tail, log.p)),
    qlnorm = function(p, meanlog = 0, sdlog = 1, lower.tail = TRUE, log.p = FALSE)
      exp(qnorm(p, meanlog, sdlog, lower.tail, log.p)),
    dgamma = function(x, shape, rate = 1, scale = 1 / rate, log = FALSE) {
      # x^(shape - 1) has its pole outside of the Poisson probability
      few <- shape < 1
      raw <- poisson_raw(op_select(few, shape, shape - 1), x / scale, log)
      value <- if (log) raw + op_select(few, op_log(shape) - op_log(x), -op_log(scale))
               else op_select(few, raw * (shape / x), raw / scale)
      at_0 <- op_select(few, Inf, op_select(shape > 1, none(log), if (log) -op_log(scale) else 1 / scale))
      value <- op_select(x == 0, at_0, op_select(x < 0 | x == Inf, none(log), value))
      value <- op_select(shape == 0, op_select(x == 0, Inf, none(log)), value)
      op_select(shape >= 0 & scale > 0, value, NaN)
    },
    dchisq = function(x, df, ncp = 0, log = FALSE) {
      if (missing(ncp)) dgamma(x, df / 2, scale = 2, log = log) else op_r_dnchisq(x, df, ncp, log)
    },
    dbeta = function(x, shape1, shape2, ncp = 0, log = FALSE) {
      if (!missing(ncp)) return(op_r_dnbeta(x, shape1, shape2, ncp, log))
      low <- (shape1 - 1) * op_log(x) + (shape2 - 1) * op_log1p(-x) - op_lbeta(shape1, shape2)
      high <- op_log(shape1 + shape2 - 1) + binomial_log_raw(shape1 - 1, shape2 - 1, x, 1 - x)
      # at 1 the factor (1 - x)^0 counts as 1
      value <- op_select(shape1 <= 2 | shape2 <= 2, low, high)
      if (!log) value <- exp(value)
      end <- function(a, b) op_select(a > 1, none(log), op_select(a < 1, Inf, if (log) op_log(b) else b))
      value <- op_select(x == 0, end(shape1, shape2), op_select(x == 1, end(shape2, shape1), value))
      mass <- function(a) op_select(a, Inf, none(log))
      limit <- shape1 == 0 | shape2 == 0 | shape1 == Inf | shape2 == Inf
      point <- op_select(shape1 == 0 | shape2 == Inf, mass(x == 0), mass(x == 1))
      point <- op_select(shape1 == shape2, op_select(shape1 == 0, mass(x == 0 | x == 1), mass(x == 0.5)), point)
      value <- op_select(x < 0 | x > 1, none(log), op_select(limit, point, value))
      op_select(shape1 >= 0 & shape2 >= 0, value, NaN)
    },
    dt = function(x, df, ncp, log = FALSE) {
      if (!missing(ncp)) return(op_r_dnt(x, df, ncp, log))
      # log of Gamma((df + 1)/2) / (Gamma(df/2) sqrt(df/2))
      t <- op_stirling_error((df + 1) / 2) - op_stirling_error(df / 2) - op_deviance(df / 2, (df + 1) / 2)
      ratio <- x * x / df
      large <- ratio > 1 / eps
      half_log <- op_select(large, op_log(abs(x)) - op_log(df) / 2, op_log1p(ratio) / 2)
      value <- if (log) t - df * half_log - (log_sqrt_2pi + half_log)
               else exp(t - df * half_log) / sqrt_2pi * op_select(large, op_sqrt(df) / abs(x), 1 / op_sqrt(1 + ratio))
      value <- op_select(df == Inf, dnorm(x, log = log), op_select(abs(x) == Inf, none(log), value))
      op_select(df > 0, value, NaN)
    },
    df = function(x, df1, df2, ncp, log = FALSE) {
      if (!missing(ncp)) return(op_r_dnf(x, df1, df2, ncp, log))
      f <- 1 / (df2 + x * df1)
      q <- df2 * f
      p <- x * df1 * f
      two <- df1 >= 2
      scale <- op_select(two, df1 * q / 2, df1 * df1 * q / (2 * p * (df1 + df2)))
      raw <- binomial_log_raw(op_select(two, (df1 - 2) / 2, df1 / 2), df2 / 2, p, q)
      value <- if (log) op_log(scale) + raw else scale * exp(raw)
      at_0 <- op_select(df1 > 2, none(log), op_select(df1 == 2, if (log) 0 else 1, Inf))
      value <- op_select(df2 == Inf, dgamma(x, df1 / 2, scale = 2 / df1, log = log), value)
      value <- op_select(x == 0, at_0, op_select(x == Inf, none(log), value))
      # the limit of large df1: where it is taken it is exact, and x * df1 may overflow
      limit <- df1 == Inf | df1 > 1e150 & df2 < 1e50
      value <- op_select(limit, op_select(df2 == Inf, op_select(x == 1, Inf, none(log)), {
        inverse <- dgamma(1 / x, df2 / 2, scale = 2 / df2, log = log)
        op_select(x == 0, none(log), if (log) inverse - 2 * op_log(x) else inverse / (x * x))
      }), value)
      op_select(df1 > 0 & df2 > 0, op_select(x < 0, none(log), value), NaN)
    },
    dbinom = function(x, size, prob, log = FALSE) {
      n <- op_round(size)
      k <- op_round(x)
      value <- if (op_is_one(n)) op_select(k == 1, op_log(prob), op_select(k == 0, op_log1p(-prob), -Inf))
               else if (op_is_few(n, x)) binomial_log_few(k, n, prob)
               else binomial_log_raw(k, n - k, prob, 1 - prob)
      if (!log) value <- exp(value)
      value <- op_select(x < 0 | abs(x) == Inf | !is_near(x, k), none(log), value)
      op_select(prob >= 0 & prob <= 1 & n >= 0 & is_near(size, n), value, NaN)
    },
    dnbinom = function(x, size, prob, mu, log = FALSE) {
      k <- op_round(x)
      share <- size / (size + k)
      if (missing(mu)) {
        binomial <- binomial_log_raw(size, k, prob, 1 - prob)
        value <- if (log) op_log(share) + binomial else share * exp(binomial)
        value <- op_select(size == Inf, op_select(prob == 1, if (log) 0 else 1, none(log)), value)
        known <- prob > 0 & prob <= 1 & size >= 0
      } else {
        if (!missing(prob)) op_refuse("prob and mu are both given")
        binomial <- binomial_log_raw(size, k, size / (size + mu), mu / (size + mu))
        value <- if (log) op_log(share) + binomial else share * exp(binomial)
        # mu/size small: the expansion for probabilities of a few counts of a large size
        p <- op_select(size < mu, op_log(size / (1 + size / mu)), op_log(mu / (1 + mu / size)))
        few <- k * p - mu - op_lgamma(k + 1) + op_log1p(k * (k - 1) / (2 * size))
        zero <- size * op_select(size < mu, op_log(size / (size + mu)), op_log1p(-mu / (size + mu)))
        few <- op_select(k == 0, zero, few)
        value <- op_select(k < 1e-10 * size, if (log) few else exp(few), value)
        value <- op_select(size == Inf, poisson_raw(k, mu, log), value)
        known <- mu >= 0 & size >= 0
      }
      value <- op_select(k == 0 & size == 0, if (log) 0 else 1, value)
      op_select(known, op_select(x < 0 | x == Inf | !is_near(x, k), none(log), value), NaN)
    },
    dgeom = function(x, prob, log = FALSE) {
      k <- op_round(x)
      power <- op_select(k == 0, 0, k * op_log1p(-prob))
      value <- if (log) op_log(prob) + power else prob * exp(power)
      op_select(prob > 0 & prob <= 1, op_select(x < 0 | x == Inf | !is_near(x, k), none(log), value), NaN)
    },
    pgeom = function(q, prob, lower.tail = TRUE, log.p = FALSE) {
      value <- exp_tail(op_log1p(-prob) * (op_floor(q + 1e-7) + 1), lower.tail, log.p)
      op_select(prob > 0 & prob <= 1, op_select(q < 0, step(FALSE, lower.tail, log.p), value), NaN)
    },
    pchisq = function(q, df, ncp = 0, lower.tail = TRUE, log.p = FALSE)
      if (missing(ncp)) op_r_pgamma(q, df / 2, 2, lower.tail, log.p) else op_r_pnchisq(q, df, ncp, lower.tail, log.p),
    qchisq = function(p, df, ncp = 0, lower.tail = TRUE, log.p = FALSE)
      if (missing(ncp)) op_r_qgamma(p, df / 2, 2, lower.tail, log.p) else op_r_qnchisq(p, df, ncp, lower.tail, log.p),
    pnbinom = function(q, size, prob, mu, lower.tail = TRUE, log.p = FALSE)
      if (missing(mu)) op_r_pnbinom(q, size, prob, lower.tail, log.p)
      else op_r_pnbinom_mu(q, size, mu, lower.tail, log.p),
    qnbinom = function(p, size, prob, mu, lower.tail = TRUE, log.p = FALSE)
      if (missing(mu)) op_r_qnbinom(p, size, prob, lower.tail, log.p)
      else op_r_qnbinom_mu(p, size, mu, lower.tail, log.p),
    dpois = function(x, lambda, log = FALSE) {
      if (op_is_series(x, lambda)) {
        k <- op_round(x)
        value <- op_select(x < 0 | !is_near(x, k), none(log), poisson_raw(k, lambda, log))
        op_select(lambda >= 0, value, NaN)
      } else if (log) op_poisson_log_density(x, lambda)
      else op_poisson_density(x, lambda)
    }),
  # of complex numbers
  complex = list(
    `*` = function(x, y) op_pair(Re(x) * Re(y) - Im(x) * Im(y), Re(x) * Im(y) + Im(x) * Re(y)),
    # in units of the larger part of y (Smith, R. L. (1962), Algorithm 116: complex division), as in R
    `/` = function(x, y) {
      a <- Re(x)
      b <- Im(x)
      steep <- abs(Re(y)) <= abs(Im(y))
      ratio <- op_select(steep, Re(y) / Im(y), Im(y) / Re(y))
      size <- op_select(steep, Im(y), Re(y)) * (1 + ratio * ratio)
      op_pair(op_select(steep, a * ratio + b, a + b * ratio) / size,
              op_select(steep, b * ratio - a, b - a * ratio) / size)
    },
    `^` = function(x, y) {
      if (is.complex(y)) exp(y * if (is.complex(x)) log(x) else log(op_pair(x, 0)))
      else op_pair(Mod(x)^y * cos(y * Arg(x)), Mod(x)^y * sin(y * Arg(x)))
    },
    exp = function(x) {
      size <- exp(Re(x))
      b <- Im(x)
      op_pair(op_select(size == 0, 0, size * cos(b)), op_select(size == 0, 0, op_select(b == 0, b, size * sin(b))))
    },
    # log|x|, near 1 by log(a^2 + b^2) = log1p((a - 1)(a + 1) + b^2)
    log = function(x, base) {
      a <- op_max(abs(Re(x)), abs(Im(x)))
      b <- op_min(abs(Re(x)), abs(Im(x)))
      ratio <- op_select(a == 0 | a == Inf, 0, b / a)
      size <- op_select(a > 0.5 & a < 2, 0.5 * op_log1p((a - 1) * (a + 1) + b * b),
                        op_log(a) + 0.5 * op_log1p(ratio * ratio))
      value <- op_pair(size, Arg(x))
      if (missing(base)) value else value / log(base)
    },
    sqrt = function(x) {
      a <- Re(x)
      b <- Im(x)
      longer <- op_sqrt(abs(a) / 2 + Mod(x) / 2)
      shorter <- op_select(longer == 0, 0, b / (2 * longer))
      below <- b < 0 | 1 / b < 0
      op_pair(op_select(a >= 0, longer, abs(shorter)), op_select(a >= 0, shorter, op_select(below, -longer, longer)))
    },
    Mod = function(z) {
      a <- op_max(abs(Re(z)), abs(Im(z)))
      ratio <- op_select(a == 0 | a == Inf, 0, op_min(abs(Re(z)), abs(Im(z))) / a)
      a * op_sqrt(1 + ratio * ratio)
    },
    abs = function(x) Mod(x),
    Arg = function(z) op_atan2(Im(z), Re(z)),
    Conj = function(z) op_pair(Re(z), -Im(z)),
    as.complex = function(x) x,
    cos = function(x) op_pair(op_cos(Re(x)) * op_cosh(Im(x)), -op_sin(Re(x)) * op_sinh(Im(x))),
    sin = function(x) op_pair(op_sin(Re(x)) * op_cosh(Im(x)), op_cos(Re(x)) * op_sinh(Im(x))),
    cosh = function(x) op_pair(op_cosh(Re(x)) * op_cos(Im(x)), op_sinh(Re(x)) * op_sin(Im(x))),
    sinh = function(x) op_pair(op_sinh(Re(x)) * op_cos(Im(x)), op_cosh(Re(x)) * op_sin(Im(x))),
    `==` = function(e1, e2) Re(e1) == Re(e2) & Im(e1) == Im(e2),
    `!=` = function(e1, e2) Re(e1) != Re(e2) | Im(e1) != Im(e2),
    is.finite = function(x) is_finite(Re(x)) & is_finite(Im(x)),
    is.nan = function(x) op_is_nan(Re(x)) | op_is_nan(Im(x)),
    is.na = function(x) op_is_nan(Re(x)) | op_is_nan(Im(x))),
  # what the definitions share; no user's code sees these names
  shared = list(
    log_sqrt_2pi = 0.918938533204672741780329736406,
    sqrt_2pi = 2.506628274631000502415765284811,
    log_2 = 0.693147180559945309417232121458,
    eps = 2.220446049250313e-16,
    pi = pi,
    none = function(log) if (log) -Inf else 0,
    is_finite = function(x) !op_is_nan(x - x),
    is_near = function(x, whole) abs(x - whole) <= 1e-7 * op_max(1, abs(x)),
    # a distribution function that is 1 where up holds and 0 elsewhere
    step = function(up, lower.tail, log.p) {
      low <- if (log.p) -Inf else 0
      high <- if (log.p) 0 else 1
      if (lower.tail) op_select(up, high, low) else op_select(up, low, high)
    },
    # log(1 - exp(x)) for x <= 0
    log1mexp = function(x) op_select(x > -log_2, op_log(-op_expm1(x)), op_log1p(-exp(x))),
    # of a distribution with upper tail exp(t)
    exp_tail = function(t, lower.tail, log.p) {
      if (lower.tail) { if (log.p) log1mexp(t) else -op_expm1(t) }
      else if (log.p) t else exp(t)
    },
    # log of the upper tail
    log_upper = function(p, lower.tail, log.p) {
      if (log.p) { if (lower.tail) log1mexp(p) else op_select(p <= 0, p, NaN) }
      else op_select(p >= 0 & p <= 1, if (lower.tail) op_log1p(-p) else op_log(p), NaN)
    },
    lower_of = function(p, lower.tail, log.p) {
      if (log.p) { if (lower.tail) op_select(p <= 0, exp(p), NaN) else op_select(p <= 0, -op_expm1(p), NaN) }
      else op_select(p >= 0 & p <= 1, if (lower.tail) p else 1 - p, NaN)
    },
    # Hankel's expansion (NIST Digital Library of Mathematical Functions, 10.17), a J + b Y: for x above 1e4 and
    # 100 nu^2 the first term left out is below 1e-16 of the amplitude. R's functions warn of lost digits there.
    is_far = function(x, nu) x > 1e4 & x > 100 * nu * nu,
    hankel = function(x, nu, a, b) {
      m <- 4 * nu * nu
      t <- (m - 1) / (8 * x)
      t2 <- t * (m - 9) / (16 * x)
      t3 <- t2 * (m - 25) / (24 * x)
      t4 <- t3 * (m - 49) / (32 * x)
      p <- 1 - t2 + t4
      q <- t - t3 + t4 * (m - 81) / (40 * x)
      turn <- nu / 2 + 0.25
      cosine <- op_cos(x) * op_cospi(turn) + op_sin(x) * op_sinpi(turn)
      sine <- op_sin(x) * op_cospi(turn) - op_cos(x) * op_sinpi(turn)
      op_select(x == Inf, 0, (a * (p * cosine - q * sine) + b * (p * sine + q * cosine)) * op_sqrt(2 / (pi * x)))
    },
    # The quantile of exp(p). Below exp(-300) two steps of Newton's method on the logarithm of the tail; the start,
    # sqrt(v - log(2 pi (v - log(2 pi v)))) with v = -2 p, is right to 1e-5 there.
    norm_log_quantile = function(p) {
      v <- -2 * p
      w <- -op_sqrt(v - op_log(2 * pi * (v - op_log(2 * pi * v))))
      newton <- function(w) {
        tail <- op_norm_log_lower(w)
        w - (tail - p) * exp(tail + 0.5 * w * w + log_sqrt_2pi)
      }
      far <- op_select(p == -Inf, -Inf, newton(newton(w)))
      near <- op_select(p < -log_2, op_norm_quantile(exp(p)), -op_norm_quantile(-op_expm1(p)))
      op_select(p < -300, far, near)
    },
    # lambda^x exp(-lambda) / Gamma(x + 1) for real x >= 0. For x below 1e-10, 1/Gamma(x + 1) is exp(0.5772 x) with a
    # relative error below 1e-20.
    poisson_raw = function(x, lambda, log) {
      exponent <- -op_stirling_error(x) - op_deviance(x, lambda)
      small <- op_select(x == 0, -lambda, -lambda + x * (op_log(lambda) + 0.5772156649015328606))
      value <- if (log) op_select(x < 1e-10, small, exponent - 0.5 * op_log(2 * pi * x))
               else op_select(x < 1e-10, exp(small), exp(exponent) / op_sqrt(2 * pi * x))
      value <- op_select(lambda == 0, op_select(x == 0, if (log) 0 else 1, none(log)), value)
      op_select(x < 0 | lambda == Inf, none(log), value)
    },
    # The same for at most 32 trials, of which the logarithm of the number of choices is below 32 log 2 = 22.2: what
    # is taken off it costs at most 1e-14, besides roundings of the result.
    binomial_log_few = function(k, n, p) {
      choices <- -op_log(n + 1) - op_lbeta(n - k + 1, k + 1)
      value <- choices + op_select(k == 0, 0, k * op_log(p)) + op_select(k == n, 0, (n - k) * op_log1p(-p))
      op_select(k > n, -Inf, value)
    },
    # log of choose(x + y, x) p^x q^y for real x and y. Both are given, as the difference of one of them and their sum
    # loses digits where the other is large.
    binomial_log_raw = function(x, y, p, q) {
      n <- x + y
      central <- op_stirling_error(n) - op_stirling_error(x) - op_stirling_error(y) -
        op_deviance(x, n * p) - op_deviance(y, n * q)
      value <- central - 0.5 * (log(2 * pi) + op_log(x) + op_select(x < y, op_log1p(-x / n), op_log(y / n)))
      log_q <- op_select(p < 0.5, op_log1p(-p), op_log(q))
      log_p <- op_select(q < 0.5, op_log1p(-q), op_log(p))
      value <- op_select(x == 0, op_select(n == 0, 0, n * log_q), op_select(y == 0, n * log_p, value))
      value <- op_select(p == 0, op_select(x == 0, 0, -Inf), op_select(q == 0, op_select(y == 0, 0, -Inf), value))
      op_select(x < 0 | y < 0, -Inf, value)
    }))

# R's own code as it stands, the non-central one where there is ncp.
integrand_by_library <- function(names) sapply(names, function(name) {
  f <- get(name, envir = asNamespace("stats"))
  call_of <- function(op, arguments) as.call(lapply(c(paste0("op_r_", op), arguments), as.name))
  given <- setdiff(names(formals(f)), "rate")
  central <- call_of(name, setdiff(given, "ncp"))
  body(f) <- if (!"ncp" %in% given) central
             else call("if", quote(missing(ncp)), central, call_of(sub("^(.)", "\\1n", name), given))
  f
})
integrand_definitions$base <- c(integrand_definitions$base, integrand_by_library(c("choose", "lchoose", "psigamma")))
integrand_definitions$stats <- c(integrand_definitions$stats, integrand_by_library(
  c("pgamma", "qgamma", "pbeta", "qbeta", "pt", "qt", "pf", "qf", "pbinom", "qbinom", "qgeom", "dhyper", "phyper")),
  ppois = integrand_definitions$statcl$ppoisgpu, qpois = integrand_definitions$statcl$qpoisgpu)

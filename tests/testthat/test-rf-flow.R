# Vector fields, their derivatives, and fields in time as ensembles, against theory: see helper-flow.R.
skip_if_quick()

old <- options(statcl.threads = 1)

gaussian <- function(r) 1.7 * exp(-(r / 2)^2)
smooth <- covModel("gaussian", range = 2, variance = 1.7)
kinds <- list(solenoidal = 0, compressive = 1, mixed = 0.3)
vectors <- function(kind, model = smooth)
  rfVector(model, kind, share = if (kind == "mixed") kinds[[kind]])
lags <- c(0.1, 0.6, 1.4, 2, 3)

within <- function(z) expect_true(all(abs(z) < deviate_limit), label = paste("all deviates, of", toString(sprintf(
  "%s: %.3g", names(z), z)[!(abs(z) < deviate_limit)]), "within the limit"))
beyond <- function(z) expect_gt(max(abs(unlist(z))), deviate_limit)

test_backends("vector fields have the energy, spectrum, share and isotropy of their model", {
  on_cpu <- useDevice()[1] == "cpu"
  for (dim in 2:3) for (kind in if (on_cpu) names(kinds) else every_nth(names(kinds), 3, dim)) {
    set.seed(dim)
    sampler <- flow_sampler(vectors(kind))
    within(check_flow(sampler, gaussian, dim, kinds[[kind]], lags))
    within(check_derivatives(sampler, dim, kinds[[kind]], 1e-3))
    within(check_components(sampler, gaussian, dim))
  }
})

test_that("a power law has its energy spectrum", {
  law <- of_shells(function(k) k^(2 - 11 / 3), 0.5, 8)
  model <- covModel("powerlaw", exponent = -11 / 3, kmin = 0.5, kmax = 8)
  set.seed(1)
  within(check_flow_spectrum(flow_sampler(vectors("solenoidal", model)), law, 3, 0.5, fields = 100))
})

test_backends("amplitudes have the correlation time", {
  times <- 3.7 + c(0, 0.05, 0.3, 1, 2, 5)
  for (dim in 2:3) {
    set.seed(dim)
    sampler <- flow_sampler(vectors("mixed"), correlation.time = 1.3)
    theory <- function(h, u) gaussian(h) * exp(-abs(u) / 1.3)
    within(check_times(sampler, theory, dim, c(1e-6, 1.4), times))
  }
  set.seed(1)
  within(check_times(flow_sampler(smooth, correlation.time = 1.3), theory, 2, c(1e-6, 1.4), times))
})

# Of Gneiting's class the covariance by its formula.
gneiting <- function(C, range, alpha, beta, delta, D) function(h, u) {
  psi <- 1 + (abs(u) / range)^(2 * alpha)
  psi^-(delta + beta * D / 2) * C(h * psi^(-beta / 2))
}

test_that("models of space and time have their covariance", {
  times <- c(0, 0.1, 0.5, 1, 3)
  matern <- function(h) (1 + h / 2) * exp(-h / 2)
  spaces <- list(list(covModel("exponential", range = 2), function(h) exp(-h / 2)),
                 list(covModel("matern", range = 2, smoothness = 1.5), matern),
                 list(covModel("gaussian", range = 2), function(h) exp(-(h / 2)^2)),
                 list(covModel("cauchy", range = 2, shape = 0.8), function(h) (1 + (h / 2)^2)^-0.8),
                 list(covModel("powexp", range = 2, shape = 0.9), function(h) exp(-(h / 2)^0.9)))
  own <- list(list(), list(shape = 0.5), list(shape = 0.7, interaction = 0.4, decay = 0.6),
              list(shape = 0.9, interaction = 0, decay = 1), list(interaction = 0.8))
  for (k in seq_along(spaces)) for (dim in every_nth(c(k %% 3 + 1, (k + 1) %% 3 + 1), 2)) {
    set.seed(dim)
    time <- utils::modifyList(list(range = 0.7, shape = 1, interaction = 1, decay = 0, dim = 3), own[[k]])
    model <- covModel("gneiting", space = spaces[[k]][[1]], time = time)
    theory <- gneiting(spaces[[k]][[2]], 0.7, time$shape, time$interaction, time$decay, 3)
    within(check_times(flow_sampler(model), theory, dim, c(1e-6, 0.7, 2), times))
  }
  for (dim in 2:3) {
    set.seed(dim)
    model <- covModel("separable", space = spaces[[2]][[1]], time = covModel("exponential", range = 0.7))
    theory <- function(h, u) matern(h) * exp(-abs(u) / 0.7)
    within(check_times(flow_sampler(model), theory, dim, c(1e-6, 0.7, 2), times))
    set.seed(dim)
    within(check_times(flow_sampler(rfVector(model, "mixed", 1 / dim)), theory, dim, c(1e-6, 0.7, 2), times))
  }
})

# ---- every check rejects a fault ----

test_that("checks accept random waves and reject the same with a fault", {
  skip_unless_all()
  times <- c(0, 0.1, 0.5, 1, 2, 4)
  C <- function(r) exp(-r^2)
  decay <- function(h, u) C(h) * exp(-abs(u))
  for (dim in 2:3) {
    set.seed(dim)
    radius <- gaussian_radius(dim)
    flow <- function(share, ...) random_flow(radius, dim, helmholtz(share), ...)
    covariances <- function(sampler, share) check_flow(sampler, C, dim, share, lags / 2)
    parts <- function(sampler, share) check_derivatives(sampler, dim, share, 1e-3)
    components <- function(sampler) check_components(sampler, C, dim)
    for (share in c(0, 0.5)) {
      within(covariances(flow(share), share))
      within(parts(flow(share), share))
      within(components(flow(share)))
      # another share, and the part that was to be left out
      beyond(covariances(flow(share + 0.4), share))
      beyond(parts(flow(share + 0.2), share))
    }
    # waves 30 % too short
    beyond(covariances(random_flow(gaussian_radius(dim, 4), dim), 0))
    # projected vectors that were not made longer again
    beyond(covariances(random_flow(radius, dim, function(k, free) helmholtz(0)(k, free) * sqrt((dim - 1) / dim)), 0))
    # weights that are shares instead of their roots
    squared <- function(k, free) 0.3 * helmholtz(1)(k, free) + 0.7 * helmholtz(0)(k, free)
    beyond(covariances(random_flow(radius, dim, squared), 0.3))
    # a mean flow of a tenth of the energy or less, the same or random
    beyond(components(flow(0, flow = function() c(sqrt(dim / 10), numeric(dim - 1)))))
    beyond(components(flow(0, flow = function() rnorm(dim, sd = sqrt(0.2)))))
    # one component larger than the others
    large <- diag(c(1.5, rep(1, dim - 1)))
    beyond(components(random_flow(radius, dim, function(k, free) helmholtz(0)(k, free) %*% large)))
    # amplitudes forgotten too late, too early, and not at all
    spread <- function(...) check_times(random_flow(radius, dim, ...), decay, dim, c(1e-6, 0.7), times)
    within(spread())
    beyond(spread(rho = function(u) exp(-abs(u) / 2)))
    beyond(spread(rho = function(u) exp(-u^2)))
    beyond(spread(rho = function(u) 1 + 0 * u))
  }
  # all vectors across a preferred axis, with divergence 0 but without a component of the flow; and the curl
  # without its component along that axis, of the potential in place of the vector
  axis <- function(k, free) {
    across <- cbind(k[, 2], -k[, 1], 0)
    across / sqrt(rowSums(across^2)) * free[, 1] * sqrt(3)
  }
  sampler <- random_flow(gaussian_radius(3), 3, axis)
  within(check_derivatives(sampler, 3, 0, 1e-3)["divergence"])
  beyond(check_components(sampler, C, 3))
  beyond(check_derivatives(sampler, 3, 0, 1e-3))
  # the projector with a fixed vector in place of a free one, e1 - k k1/k^2: no isotropy
  fixed <- function(k, free) helmholtz(0)(k, cbind(rnorm(nrow(k)), 0, 0)) * sqrt(3)
  beyond(check_components(random_flow(gaussian_radius(3), 3, fixed), C, 3))
  # a power law that is that of lines
  power <- function(e) function(L) (0.5^(e + 1) + stats::runif(L) * (8^(e + 1) - 0.5^(e + 1)))^(1 / (e + 1))
  law <- of_shells(function(k) k^(2 - 11 / 3), 0.5, 8)
  within(check_flow_spectrum(random_flow(power(2 - 11 / 3), 3), law, 3, 0.5, fields = 100))
  beyond(check_flow_spectrum(random_flow(power(2.5 - 11 / 3), 3), law, 3, 0.5, fields = 100))
})

options(old)

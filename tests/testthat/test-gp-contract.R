# The contract of likelihoods (the table in CONTRIBUTING.md), for all of them.

set.seed(31)
n <- 50
field <- data.frame(x = runif(n), y = runif(n), w = rnorm(n))
field$z <- field$w + as.vector(simulate(covModel("exponential", range = 0.3, nugget = 0.1), x = field[c("x", "y")],
                                        seed = 1))
field$k <- rpois(n, exp(field$z))
field$g <- rgamma(n, 3, 3 / exp(field$z))
fits <- list(
  exact = function() gpFit(z ~ w, field, ~ x + y, "matern", fixed = list(smoothness = 0.5)),
  exact = function() gpFit(z ~ w, field, ~ x + y, "exponential", estimator = "REML"),
  vecchia = function() gpFit(z ~ w, field, ~ x + y, "exponential", method = "vecchia", m = 15),
  laplace = function() gpFit(k ~ w, field, ~ x + y, "exponential", family = poisson(), m = 15),
  laplace = function() gpFit(g ~ w, field, ~ x + y, "exponential", family = Gamma("log"), m = 15),
  laplace = function() gpFit(k ~ 0, field, ~ x + y, "exponential", family = poisson(), method = "exact"))

contract <- c("search", "starts", "grid", "evaluate", "result", "predictive", "leave_out", "draw", "draws", "whiten",
              "coarse", "renewed", "renews", "hold", "coefficients", "close", "residuals", "standard", "fitted",
              "rows", "text", "values", "natural", "searched", "apart")

test_that("all likelihoods are tested", {
  known <- mget(ls(asNamespace("statcl"), pattern = "_likelihood$"), asNamespace("statcl"))
  known <- names(Filter(function(f) identical(names(formals(f))[1:2], c("fit", "ask")), known))
  expect_setequal(sub("_likelihood$", "", known), c("exact", "vecchia", "laplace"))
})

test_that("values, gradients and information are those of one function of the search's coordinates", {
  for (kind in seq_along(fits)) {
    fit <- fits[[kind]]()
    lik <- statcl:::likelihood_of(fit)
    expect_setequal(names(lik), contract)
    about <- lik$search()
    expect_named(about$rows, c("name", "part", "parameter", "inside", "base", "element", "kind", "value", "lower",
                               "upper"))
    scales <- statcl:::gp_scales(about$problem, about$data)
    s <- statcl:::search_space(about, about$task$searched, scales, about$task$v)
    expect_length(lik$starts(s, about$task$unknown)[[1L]], nrow(about$rows))
    t <- statcl:::search_start(lik$starts(s, about$task$unknown)[[1L]], s) + 0.05
    at <- function(t, least = -Inf) lik$evaluate(statcl:::search_point(t, s), least)
    e <- at(t)
    expect_length(e$gradient, length(t))
    expect_equal(dim(e$information), rep(length(t), 2L))
    expect_true(all(eigen(e$information, TRUE, TRUE)$values > -1e-8 * max(e$information)))
    expect_equal(e$information, t(e$information), tolerance = 1e-12, ignore_attr = TRUE)
    expect_equal(at(t, Inf)$value, e$value, tolerance = 1e-10)
    # steps in standard errors; the third derivatives leave 1e-6, the rounding errors of the value 1e-7 of a unit
    unit <- 1 / sqrt(diag(e$information))
    slope <- vapply(seq_along(t), function(j) {
      h <- replace(0 * t, j, 1e-3 * unit[j])
      (at(t + h, Inf)$value - at(t - h, Inf)$value) / 2e-3
    }, 0)
    expect_lt(max(abs(slope - e$gradient * unit)), 1e-5)
    # by the parameters themselves the gradient is that by t, but for the Jacobian
    point <- statcl:::search_point(t, s)
    own <- lik$evaluate(statcl:::parameter_point(point$v, point$at, point$profile), -Inf)
    expect_equal(drop(crossprod(point$jacobian, own$gradient)), e$gradient, tolerance = 1e-4)
    several <- lik$values(rbind(point$v, point$v))
    if (!is.null(several))
      expect_equal(several, rep(lik$evaluate(statcl:::parameter_point(point$v), Inf)$value, 2), tolerance = 1e-12)
    coarse <- lik$coarse()
    if (!is.null(coarse)) expect_true(is.finite(coarse$evaluate(statcl:::search_point(t, s), Inf)$value))
    # what is far away is no maximum, and -Inf at worst
    expect_lt(at(t + 3, Inf)$value, e$value)
    lik$close()
  }
})

test_that("a fit's own likelihood leads to it", {
  for (kind in seq_along(fits)) {
    fit <- fits[[kind]]()
    found <- statcl:::gp_find(statcl:::likelihood_of(fit))
    best <- found$likelihood$result(found)
    found$likelihood$close()
    expect_equal(best$loglik, fit$loglik, tolerance = 1e-8)
    expect_equal(best$beta, unname(coef(fit)), tolerance = 1e-3, ignore_attr = TRUE)
    expect_equal(best$rows$value, unname(coef(fit, "covariance")), tolerance = 1e-3)
    expect_equal(best$rows$name, names(coef(fit, "covariance")))
    expect_equal(fit$df, sum(!fit$parameters$fixed))
    expect_identical(statcl:::likelihood_of(fit)$rows()$name, best$rows$name)
  }
})

test_that("predictions, folds, draws and residuals have one shape", {
  for (kind in seq_along(fits)) {
    fit <- fits[[kind]]()
    lik <- statcl:::likelihood_of(fit)
    here <- statcl:::observed_places(fit)
    for (interval in c("none", "prediction", "confidence")) for (type in c("response", "latent")) {
      p <- statcl:::gp_columns(statcl:::plugin(fit), here, TRUE, interval, 0.9, type)
      p <- p[lengths(p) > 0L]
      expect_named(p, c("fit", "se.fit", if (interval != "none") c("lwr", "upr")))
      expect_equal(unique(lengths(p)), n)
      expect_true(all(p$se.fit >= 0))
      if (interval != "none") expect_true(all(p$lwr <= p$upr))
    }
    sets <- split(seq_len(n), rep_len(1:4, n))
    left <- lik$leave_out(sets)
    expect_true(all(is.finite(left$mean), left$sd > 0))
    # of a fold the predictions do not know the responses
    other <- fit
    other$y[sets[[1L]]] <- rev(other$y[sets[[1L]]])
    if (is.null(lik$whiten)) expect_equal(statcl:::likelihood_of(other)$leave_out(sets)$mean[sets[[1L]]],
                                          left$mean[sets[[1L]]], tolerance = 1e-6)
    draws <- function(...) statcl:::with_seed(1, lik$draw(here, 3, ..., method = if (lik$draws == "auto") "exact"
                                                          else lik$draws))
    for (type in c("response", "latent")) for (conditional in c(TRUE, FALSE)) {
      expect_equal(dim(draws(conditional, type)), c(n, 3L))
      expect_identical(draws(conditional, type), draws(conditional, type))
    }
    expect_length(lik$residuals[[lik$standard]](), n)
    expect_true(lik$fitted %in% c("none", "confidence"))
    expect_true(all(vapply(lik$text, is.character, NA)))
    if (is.null(lik$whiten)) expect_error(statcl:::normal_only(fit, "these"),
                                          "these are for (the family gaussian|normal responses)")
    else {
      expect_length(lik$whiten()$z, n)
      loo <- lik$leave_out()
      expect_equal(loo$residual, unname(fit$y) - loo$mean, tolerance = 1e-8)
      expect_true(all(loo$leverage > 0, loo$leverage < 1))
    }
    beta <- unname(coef(fit))
    own <- unname(coef(fit, "covariance"))
    if (!is.null(lik$natural))
      expect_equal(lik$natural(lik$searched(beta, own)), list(beta = beta, v = own), tolerance = 1e-12)
    if (length(beta)) {
      held <- lik$hold(2L, beta[2L])
      v <- if (is.null(lik$natural)) lik$search()$rows$value else held$searched(beta[1L], own)
      value <- held$evaluate(statcl:::parameter_point(v), -Inf)
      correction <- if (is.null(fit$loglik.correction)) 0 else fit$loglik.correction
      if (fit$estimator == "ML") expect_equal(value$value + correction, fit$loglik, tolerance = 1e-10)
      if (is.null(lik$natural)) expect_length(value$beta, 1L)
    }
    lik$close()
  }
})

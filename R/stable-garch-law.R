# The distribution of the innovations of stableGarch(): what likelihood, forecasts and plots need of it.

# Functions of the standard innovation, whose parameters are the last ones of theta.
garch_law <- function(model, theta) {
  law <- unname(theta[model$places$law])
  switch(model$law,
    stable = list(
      d = function(z) dstable(z, law[1L], law[2L], pm = 1, log = TRUE),
      p = function(z, ...) pstable(z, law[1L], law[2L], pm = 1, ...),
      q = function(p) qstable(p, law[1L], law[2L], pm = 1), r = function(n) rstable(n, law[1L], law[2L], pm = 1),
      es = function(p, lower) esstable(p, law[1L], law[2L], pm = 1, lower.tail = lower)),
    t = list(
      d = function(z) stats::dt(z, law, log = TRUE), p = function(z, ...) stats::pt(z, law, ...),
      q = function(p) stats::qt(p, law), r = function(n) stats::rt(n, law),
      # the integral of z f(z) below q is -(df + q^2)/(df - 1) f(q)
      es = function(p, lower) {
        q <- stats::qt(p, law)
        (if (lower) -1 else 1) * (law + q^2) / (law - 1) * stats::dt(q, law) / p
      }),
    normal = list(
      d = function(z) stats::dnorm(z, log = TRUE), p = function(z, ...) stats::pnorm(z, ...),
      q = function(p) stats::qnorm(p), r = function(n) stats::rnorm(n),
      es = function(p, lower) (if (lower) -1 else 1) * stats::dnorm(stats::qnorm(p)) / p))
}

# The mean beyond the quantile of probability p, of lower values for p up to 1/2 and of higher ones above.
law_shortfall <- function(law, p)
  vapply(p, function(p) if (p <= 0.5) law$es(p, TRUE) else law$es(1 - p, FALSE), 1)

# How long does a prediction take that is averaged over the covariance parameters, beside one with these known? The
# first one finds the points of the posterior distribution, which are kept for those after it.
# Rscript bench/gp-integrate.R [observations ...]
library(statcl)
source("bench/peers.R")
argument <- as.integer(commandArgs(trailingOnly = TRUE))
sizes <- if (length(argument)) argument else c(30L, 150L, 500L, 100000L)
cat(machine(), "\n")

seconds <- function(code, times = 5L) median(vapply(seq_len(times), function(k) system.time(code())[["elapsed"]], 0))

rows <- list()
for (n in sizes) {
  set.seed(n)
  side <- sqrt(n / 150)
  d <- data.frame(x = side * runif(n), y = side * runif(n), w = rnorm(n))
  field <- if (n <= 3000) simulate(covModel("exponential", range = 0.2), x = d[1:2], seed = 1)
           else tbrf(as.matrix(d[1:2]), covModel("exponential", range = 0.2))
  d$z <- as.vector(if (is.data.frame(field)) field$value else field) + d$w / 2 + 0.4 * rnorm(n)
  fit <- gpFit(z ~ w, d, ~ x + y, "exponential")
  for (m in if (n > 5000) n else c(1000L, 10000L)) {
    new <- data.frame(x = side * runif(m), y = side * runif(m), w = 0)
    of <- function(parameters) predict(fit, new, interval = "prediction", parameters = parameters)
    plain <- seconds(function() of("plugin"))
    k <- 0
    first <- seconds(function() {
      k <<- k + 1
      fit$y[] <<- fit$y * (1 + 1e-12 * k) # another fit, whose points are not kept
      of("integrate")
    })
    rows <- c(rows, list(data.frame(observations = n, "new locations" = m, "plug-in, s" = plain,
                                    "first, times" = first / plain,
                                    "then, times" = seconds(function() of("integrate")) / plain,
                                    check.names = FALSE)))
  }
}
print_table(do.call(rbind, rows))

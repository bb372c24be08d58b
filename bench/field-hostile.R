# Hostile calls to tbrf() and predict(): all families and methods with odd parameters (0, negative, NaN, Inf, tiny,
# huge), odd points and meshes (duplicates, far away, empty, with NaN). A call is refused with an error that names the
# argument, or gives finite values, as many as there are points; predict() gives them again.
#   Rscript bench/field-hostile.R [calls [seed [device]]]
library(statcl)
source("bench/guarded.R")
if (!length(argument)) calls <- 2e4
options(statcl.threads = 1)

odd <- c(0, -1, NaN, NA, Inf, 1e-300, 1e300, 1e-8, 1e8)
some <- function(usual, share = 0.05) if (runif(1) < share) sample(odd, 1) else usual
span <- function(low, high) exp(runif(1, log(low), log(high)))
families <- list(
  matern = function() list(smoothness = some(span(0.03, 30))), exponential = list, gaussian = list, spherical = list,
  cubic = list, sinc = list, cauchy = function() list(shape = some(span(0.05, 20))),
  powexp = function() list(shape = some(runif(1, 0.1, 2))), besselj = function() list(shape = some(span(0.1, 30))),
  gammaspectrum = function() list(exponent = some(runif(1, -2.5, 9))),
  powerlaw = function() list(exponent = some(runif(1, -5, 3)), kmin = some(span(0.01, 1)), kmax = some(span(1, 50))))
model <- function() {
  name <- sample(names(families), 1)
  given <- c(list(name, variance = some(span(0.1, 10)), nugget = some(sample(c(0, 0, 0.5), 1))), families[[name]](),
             if (name != "powerlaw") list(range = some(span(0.1, 30))),
             if (runif(1) < 0.1) list(mean = some(5, 0.3)), if (runif(1) < 0.1) list(ratio = some(0.5, 0.3)))
  do.call(covModel, given)
}
models <- function() if (runif(1) < 0.2) model() + model() else model()
places <- function() {
  d <- sample(3, 1)
  if (runif(1) < 0.4) return(rfGrid(some(runif(1, -5, 5)), some(span(0.05, 3)), sample(0:12, d, TRUE)))
  x <- matrix(runif(d * sample(c(0:5, 40), 1), -10, 10), ncol = d)
  if (length(x) && runif(1) < 0.1) x[sample(length(x), 1)] <- sample(odd, 1)
  rbind(x, x[sample.int(nrow(x), min(1, nrow(x))), , drop = FALSE])
}
size <- function(x) if (inherits(x, "rfGrid")) prod(dim(x)) else nrow(x)

slowest <- list(seconds = 0, what = "none")
began <- proc.time()[["elapsed"]]
while (seen["calls"] < calls) {
  count("calls")
  start <- proc.time()[["elapsed"]]
  shown <- list()
  guarded({
    x <- places()
    nsim <- sample(2, 1)
    shown$method <- sample(c("auto", "spectral", "table", "fft"), 1, prob = c(3, 2, 1, 1))
    shown$model <- models()
    given <- list(x, shown$model, nsim = nsim, method = shown$method, max.table = 1e7)
    if (shown$method != "fft") given$nlines <- some(sample(c(1, 16, 100), 1))
    field <- do.call(tbrf, given)
    value <- as.vector(field)
    count("values", length(value))
    shown$text <- format(shown$model)
    complain("wrong_nan", !is.finite(value), shown["text"])
    complain("outside", length(value) != nsim * size(x), shown["text"])
    again <- as.vector(predict(field, x))
    complain("outside", !identical(again, value), shown["text"])
  }, character(), refusable = TRUE)
  took <- proc.time()[["elapsed"]] - start
  what <- paste(shown$method, if (length(shown$model)) toString(format(shown$model)))
  if (took > slowest$seconds) slowest <- list(seconds = took, what = what)
}
conclude(proc.time()[["elapsed"]] - began, sprintf("%.2f s: %s", slowest$seconds, slowest$what))

# besselKgpu() against base R's besselK() and a C loop over GSL: speed on one thread, errors against the reference
# table, one run on one machine.
#   Rscript bench/bessel.R
library(statcl)
source("bench/peers.R")
source("tests/testthat/helper-ref.R")
test_path <- function(...) file.path("tests/testthat", ...)
options(statcl.threads = 1, width = 140)
with_gsl <- load_c("bench/bessel-gsl.c", "-lgsl -lgslcblas -lm")
gsl_k <- function(x, nu, form = 0) .Call("gsl_k", x, rep_len(as.double(nu), length(x)), form)

# ---- errors, in units of 2^-52; the reference is rounded to double, so half a unit may be its own ----

ref <- read_ref("besselk")
seed <- ref$nu <= 20 & ref$x >= 0.001 & ref$x <= 140
regions <- list("nu <= 20, x in 0.001 .. 0.1" = seed & ref$x < 0.1,
                "nu <= 20, x in 0.1 .. 2" = seed & ref$x >= 0.1 & ref$x <= 2,
                "nu <= 20, x in 2 .. 140" = seed & ref$x > 2,
                "nu <= 20, x in 0.001 .. 140" = seed,
                "nu <= 20, x < 0.001" = ref$nu <= 20 & ref$x < 0.001,
                "nu <= 20, x > 140" = ref$nu <= 20 & ref$x > 140,
                "nu > 20" = ref$nu > 20)
truths <- list(K = ref$k, "exp(x) K" = ref$ke, "log K" = ref$logk, "d log K / dx" = ref$dlogk_dx,
               "d log K / dnu" = ref$dlogk_dnu)
peers <- list(
  statcl = list(K = function() besselKgpu(ref$x, ref$nu), "exp(x) K" = function() besselKgpu(ref$x, ref$nu, TRUE),
                "log K" = function() besselKgpu(ref$x, ref$nu, log = TRUE),
                "d log K / dx" = function() besselKgpu(ref$x, ref$nu, log = TRUE, deriv = "x"),
                "d log K / dnu" = function() besselKgpu(ref$x, ref$nu, log = TRUE, deriv = "nu")),
  "base R" = list(K = function() besselK(ref$x, ref$nu), "exp(x) K" = function() besselK(ref$x, ref$nu, TRUE),
                  "log K" = function() log(besselK(ref$x, ref$nu, TRUE)) - ref$x),
  GSL = list(K = function() gsl_k(ref$x, ref$nu), "exp(x) K" = function() gsl_k(ref$x, ref$nu, 1),
             "log K" = function() gsl_k(ref$x, ref$nu, 2)))
if (!with_gsl) peers$GSL <- NULL

# Of each peer, over the rows whose value a double can hold.
error_rows <- function(name) {
  truth <- truths[[name]]
  errors <- lapply(peers, function(peer) {
    if (is.null(peer[[name]])) return(NULL)
    in_units(suppressWarnings(peer[[name]]()), truth, if (name == "log K") pmax(1, abs(truth)) else abs(truth))
  })
  rows <- lapply(regions, function(region) {
    rows <- region & (is_normal(truth) | truth == 0)
    as.data.frame(c(list(rows = sum(rows)), lapply(errors, function(e) if (is.null(e)) "" else figures(e[rows]))),
                  optional = TRUE)
  })
  cbind(what = name, region = names(regions), do.call(rbind, rows))
}
worst <- function(values) max(in_units(values, ref$k)[seed])

cat(machine(), "\nDevice:", paste(useDevice(), collapse = ", "), "\n")
cat("\nErrors at the reference points in units of 2^-52, median / 99 % / largest; relative to the value, of log K to",
    "max(1, |log K|)\n")
print_table(do.call(rbind, lapply(names(truths), error_rows)))

# ---- speed ----

set.seed(1)
n <- 1e6
orders <- runif(n, 0, 20)
few_orders <- sample(c(0.4, 0.8, 1.3, 2.7), n, TRUE)
place <- function(n) matrix(runif(2 * n), n)
distances <- sqrt(rowSums((place(n) - place(n))^2)) / 0.1 # in ranges
arguments <- list("random nu, x uniform" = list(runif(n, 0.001, 140), orders),
                  "random nu, log x uniform" = list(exp(runif(n, log(0.001), log(140))), orders),
                  "Matern distances, 4 orders" = list(distances, few_orders))
invisible(besselKgpu(1:2, 0.3)) # devices are chosen at the first call

row <- function(points, peer, n, seconds, error = NA) data.frame(points, peer, n, seconds, error)
opencl <- setdiff(with(clDevices(), name[fp64]), "cpu")
on_device <- function(device, expr) withDevice(device, expr)

seeds <- c("base R" = worst(besselK(ref$x, ref$nu)), GSL = if (with_gsl) worst(gsl_k(ref$x, ref$nu)),
           statcl = worst(besselKgpu(ref$x, ref$nu)))
speed_rows <- function(points) {
  x <- arguments[[points]][[1]]
  nu <- arguments[[points]][[2]]
  rbind(row(points, "base R", n, cpu_seconds(besselK(x, nu)), seeds[["base R"]]),
        if (with_gsl) row(points, "GSL", n, cpu_seconds(gsl_k(x, nu), 3), seeds[["GSL"]]),
        row(points, "statcl", n, cpu_seconds(besselKgpu(x, nu)), seeds[["statcl"]]),
        row(points, "statcl, exp(x) K", n, cpu_seconds(besselKgpu(x, nu, TRUE))),
        row(points, "statcl, log K", n, cpu_seconds(besselKgpu(x, nu, log = TRUE))),
        row(points, "statcl, dK/dx", n, cpu_seconds(besselKgpu(x, nu, deriv = "x"))),
        row(points, "statcl, dK/dnu", n, cpu_seconds(besselKgpu(x, nu, deriv = "nu"))),
        do.call(rbind, lapply(opencl, function(device)
          row(points, paste("statcl,", device), n, cpu_seconds(on_device(device, besselKgpu(x, nu)))))))
}

# Every call has an order of its own, so that a table is built in each; later calls with one order may find it. Ten
# calls are timed together: the clock of processor time has steps of a millisecond.
tenfold <- function(expr) {
  expr <- substitute(expr)
  frame <- parent.frame()
  cpu_seconds(for (k in 1:10) eval(expr, frame)) / 10
}
fresh <- local({ k <- 0; function() { k <<- k + 1; 1.3 + 1e-9 * k } })
one_order <- function(points, x) {
  rbind(row(points, "base R", n, cpu_seconds(besselK(x, fresh()))),
        if (with_gsl) row(points, "GSL", n, cpu_seconds(gsl_k(x, fresh()), 3)),
        row(points, "statcl", n, tenfold(besselKgpu(x, fresh()))),
        row(points, "statcl, again", n, tenfold(besselKgpu(x, 1.3))),
        row(points, "statcl, log K", n, tenfold(besselKgpu(x, fresh(), log = TRUE))),
        row(points, "statcl, nu = 1.5", n, tenfold(besselKgpu(x, 1.5))),
        do.call(rbind, lapply(opencl, function(device)
          row(points, paste("statcl,", device), n, tenfold(on_device(device, besselKgpu(x, fresh())))))))
}

table <- do.call(rbind, c(lapply(names(arguments), speed_rows),
                          list(one_order("one nu, x uniform", arguments[[1]][[1]]),
                               one_order("one nu, log x uniform", arguments[[2]][[1]]),
                               one_order("one nu, Matern distances", distances))))
table$ns <- 1e9 * table$seconds / table$n
base_ns <- table$ns[table$peer == "base R"]
table$ratio <- base_ns[match(table$points, table$points[table$peer == "base R"])] / table$ns
cat("\nOne thread; medians of processor time, for OpenCL of all its threads; ratio to base R; largest relative error",
    "of K in\nunits of 2^-52 for nu <= 20 and x in 0.001 .. 140\n")
print_table(table[c("points", "peer", "n", "seconds", "ns", "ratio", "error")])
with(table[table$points == "random nu, log x uniform" & table$peer %in% names(seeds), ],
     record("Bessel function K", "values", peer, n / seconds, error * .Machine$double.eps))

# ---- the published algorithms by name ----

methods <- list(auto = list("auto"), temme = list("temme"), refined = list("refined"),
                "takekawa, 16 bins" = list("takekawa", bins = 16), "takekawa, 40 bins" = list("takekawa", bins = 40),
                "takekawa, 128 bins" = list("takekawa", bins = 128), "refined, 16 bins" = list("refined", bins = 16),
                "refined, 40 bins" = list("refined", bins = 40), "refined, 128 bins" = list("refined", bins = 128))
method_row <- function(name) {
  call <- function(x, nu) do.call(besselKgpu, c(list(x, nu, method = methods[[name]][[1]]), methods[[name]][-1]))
  x <- arguments[[1]][[1]]
  error <- in_units(suppressWarnings(call(ref$x, ref$nu)), ref$k)
  worst <- vapply(regions[1:3], function(region) max(error[region]), 1)
  data.frame(method = name, ns = 1e9 * cpu_seconds(call(x, orders), 3) / n, "x < 0.1" = worst[[1]],
             "x in 0.1 .. 2" = worst[[2]], "x > 2" = worst[[3]], check.names = FALSE)
}
cat("\nMethods by name: ns per value for random nu, x uniform; largest relative errors of K in units of 2^-52\n")
print_table(do.call(rbind, lapply(names(methods), method_row)))

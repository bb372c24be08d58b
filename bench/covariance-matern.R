# Covariance matrices of matern() against fields, GpGp, RandomFields, geoR, base R and a C loop over GSL.
#   Rscript bench/covariance-matern.R            4000 points, one thread, one run on one machine
#   Rscript bench/covariance-matern.R large      40,000 points: a matrix of 12.8 GB and its memory
library(statcl)
source("bench/peers.R")
source("tests/testthat/helper-ref.R")
test_path <- function(...) file.path("tests/testthat", ...)
options(width = 140)
place <- function(n) matrix(runif(2 * n), n)
reach <- 0.1 # range, for points in the unit square
set.seed(1)

if (identical(commandArgs(trailingOnly = TRUE), "large")) {
  memory <- function(field) {
    line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
    1024 * as.numeric(gsub("[^0-9]", "", line))
  }
  n <- 40000
  xy <- place(n)
  invisible(matern(xy[1:10, ], range = reach, smoothness = 1.3))
  before <- memory("VmRSS")
  times <- system.time(covariance <- matern(xy, range = reach, smoothness = 1.3, nugget = 0.5))
  peak <- memory("VmHWM")
  size <- 8 * n^2
  cat(machine(), "\nDevice:", paste(useDevice(), collapse = ", "), "\n")
  cat(sprintf("N = %d: %.1f s elapsed, %.1f s of processor time, %.2f ns per entry elapsed\n", n, times[["elapsed"]],
              sum(times[1:2]), 1e9 * times[["elapsed"]] / n^2))
  cat(sprintf("Peak memory %.2f GB, before the call %.2f GB, matrix %.2f GB: %.4f of the matrix\n", 1e-9 * peak,
              1e-9 * before, 1e-9 * size, peak / size))
  i <- sample(n, 1e5, TRUE)
  j <- sample(n, 1e5, TRUE)
  options(statcl.covariance.route = "direct")
  truth <- matern(sqrt(rowSums((xy[i, ] - xy[j, ])^2)), range = reach, smoothness = 1.3) + 0.5 * (i == j)
  wrong <- max(in_units(covariance[cbind(i, j)], truth))
  lopsided <- sum(covariance[cbind(i, j)] != covariance[cbind(j, i)])
  diagonal <- range(covariance[cbind(i, i)])
  cat(sprintf("At 1e5 entries: %.2g units of 2^-52 from the direct route, %d unlike their mirror image\n", wrong,
              lopsided))
  cat(sprintf("Diagonal: %g .. %g\n", diagonal[1], diagonal[2]))
  quit(status = !(peak < 1.1 * size && wrong < 100 && lopsided == 0))
}

here <- need_peers(c("fields", "GpGp", "geoR", "RandomFields"))
with_gsl <- load_c("bench/bessel-gsl.c", "-lgsl -lgslcblas -lm")
if ("RandomFields" %in% here) RandomFields::RFoptions(printlevel = 0, spConform = FALSE, cores = 1)
options(statcl.threads = 1)

# ---- errors at the reference points ----

ref <- read_ref("matern")
ref$x <- ref$r / ref$beta
correlation <- function(k) function(r, range, nu) {
  x <- r / range
  ifelse(x == 0, 1, 2^(1 - nu) / gamma(nu) * x^nu * k(x, nu))
}
by_route <- function(route, ...) function(r, range, nu) {
  kept <- options(statcl.covariance.route = route)
  on.exit(options(kept))
  matern(r, range = range, smoothness = nu, ...)
}
base_matern <- correlation(besselK)
matern_peers <- list("statcl, direct" = by_route("direct"), "statcl, table" = by_route("table"),
                     "base R" = base_matern,
                     fields = if ("fields" %in% here)
                       function(r, range, nu) fields::Matern(r, range = range, nu = nu),
                     GSL = if (with_gsl) correlation(function(x, nu) .Call("gsl_k", x, nu, 0)))
matern_peers <- Filter(Negate(is.null), matern_peers)
at_reference <- function(f) {
  set <- paste(ref$nu, ref$beta)
  unsplit(lapply(split(ref, set), function(rows) suppressWarnings(f(rows$r, rows$beta[1], rows$nu[1]))), set)
}
regions <- list("nu <= 20, x <= 1" = ref$nu <= 20 & ref$x <= 1,
                "nu <= 20, x in 1 .. 10" = ref$nu <= 20 & ref$x > 1 & ref$x <= 10,
                "nu <= 20, x > 10" = ref$nu <= 20 & ref$x > 10, "nu > 20" = ref$nu > 20)
error_rows <- function(what, truth, peers) {
  errors <- lapply(peers, function(f) in_units(at_reference(f), truth))
  rows <- lapply(regions, function(region) {
    rows <- region & (is_normal(truth) & ref$corr > 1e-300 | truth == 0 & ref$x == 0)
    as.data.frame(c(list(rows = sum(rows)), lapply(errors, function(e) figures(e[rows]))), optional = TRUE)
  })
  cbind(what = what, region = names(regions), do.call(rbind, rows))
}
cat(machine(), "\nDevice:", paste(useDevice(), collapse = ", "), "\n")
cat("\nRelative errors at the reference points in units of 2^-52, median / 99 % / largest; the rounding of r / range",
    "costs x / 2\n")
print_table(error_rows("correlation", ref$corr, matern_peers))
statcl_deriv <- function(deriv)
  list("statcl, direct" = by_route("direct", deriv = deriv), "statcl, table" = by_route("table", deriv = deriv))
print_table(rbind(error_rows("by range", ref$dcorr_dbeta, statcl_deriv("range")),
                  error_rows("by smoothness", ref$dcorr_dnu, statcl_deriv("smoothness"))))

# ---- speed ----

n <- 4000
xy <- place(n)
distances <- as.matrix(dist(xy))
dimnames(distances) <- NULL
flat <- c(distances) # a matrix would be taken for coordinates
as_dist <- dist(xy)
opencl <- setdiff(with(clDevices(), name[fp64]), "cpu")
invisible(matern(xy[1:10, ], range = reach, smoothness = 1.3)) # devices are chosen at the first call

row <- function(nu, peer, seconds, entries = n^2) data.frame(nu, peer, entries, seconds)
on_opencl <- function(nu, f)
  do.call(rbind, lapply(opencl, function(device)
    row(nu, paste("statcl,", device), cpu_seconds(withDevice(device, f())))))
ratios <- function(table, against) {
  table$ns <- 1e9 * table$seconds / table$entries
  for (peer in against) {
    base <- table$ns[table$peer == peer]
    sets <- table$nu[table$peer == peer]
    if (length(base)) table[[paste("ratio to", peer)]] <- base[match(table$nu, sets)] / table$ns
  }
  table$entries <- NULL
  table
}

# Every repetition has a smoothness of its own, so that a table is built in each.
fresh <- local({ k <- 0; function(nu) { k <<- k + 1; nu + 1e-9 * k } })
gsl_matern <- function(nu, triangle) .Call("gsl_matern", xy, reach, nu, triangle)
random_fields <- function(nu)
  RandomFields::RFcovmatrix(RandomFields::RMwhittle(nu = nu, scale = reach), x = xy)
general <- function(nu) {
  rbind(
    row(nu, "allocation of zeros", cpu_seconds(matrix(0, n, n))),
    row(nu, "base R, of distances", cpu_seconds(base_matern(distances, reach, fresh(nu)), 1)),
    if ("fields" %in% here)
      row(nu, "fields, of distances", cpu_seconds(fields::Matern(distances, range = reach, nu = fresh(nu)), 3)),
    if ("geoR" %in% here) row(nu, "geoR, of distances", cpu_seconds(geoR::matern(distances, reach, fresh(nu)), 1)),
    if ("RandomFields" %in% here)
      row(nu, "RandomFields", cpu_seconds(random_fields(fresh(nu)), 1)),
    if ("GpGp" %in% here) row(nu, "GpGp", cpu_seconds(GpGp::matern_isotropic(c(1, reach, fresh(nu), 0), xy), 1)),
    if (with_gsl) row(nu, "GSL loop", cpu_seconds(gsl_matern(fresh(nu), FALSE), 3)),
    if (with_gsl) row(nu, "GSL loop, one triangle", cpu_seconds(gsl_matern(fresh(nu), TRUE), 1)),
    row(nu, "statcl", cpu_seconds(matern(xy, range = reach, smoothness = fresh(nu)))),
    row(nu, "statcl, again", cpu_seconds(matern(xy, range = reach, smoothness = nu))),
    row(nu, "statcl, of distances", cpu_seconds(matern(flat, range = reach, smoothness = fresh(nu)))),
    row(nu, "statcl, of a dist object", cpu_seconds(matern(as_dist, range = reach, smoothness = fresh(nu))),
        length(as_dist)),
    on_opencl(nu, function() matern(xy, range = reach, smoothness = fresh(nu))))
}
half_integer <- function(nu) {
  rbind(
    row(nu, "allocation of zeros", cpu_seconds(matrix(0, n, n))),
    if ("fields" %in% here)
      row(nu, "fields, of distances", cpu_seconds(fields::Matern(distances, range = reach, nu = nu))),
    if ("GpGp" %in% here)
      row(nu, "GpGp", cpu_seconds(switch(as.character(nu), "0.5" = GpGp::exponential_isotropic(c(1, reach, 0), xy),
                                         "1.5" = GpGp::matern15_isotropic(c(1, reach, 0), xy),
                                         "2.5" = GpGp::matern25_isotropic(c(1, reach, 0), xy)), 3)),
    row(nu, "statcl", cpu_seconds(matern(xy, range = reach, smoothness = nu))),
    on_opencl(nu, function() matern(xy, range = reach, smoothness = nu)))
}
# GpGp has all four derivatives in one array, that by smoothness by a finite difference.
derivatives <- function(nu) {
  few <- xy[1:1000, ]
  rbind(
    if ("GpGp" %in% here)
      row(nu, "GpGp, all four", cpu_seconds(GpGp::d_matern_isotropic(c(1, reach, fresh(nu), 0), few), 1),
          nrow(few)^2),
    row(nu, "statcl, by range", cpu_seconds(matern(xy, range = reach, smoothness = fresh(nu), deriv = "range"))),
    row(nu, "statcl, by smoothness",
        cpu_seconds(matern(xy, range = reach, smoothness = fresh(nu), deriv = "smoothness"))))
}

cat("\n", n, " x ", n, " matrices, the allocation of the result included; general smoothness, another one in each ",
    "repetition but\n\"again\". One thread; medians of processor time, for OpenCL of all its threads\n", sep = "")
matrices <- do.call(rbind, lapply(c(1.3, 0.4, 2.7), general))
print_table(ratios(matrices, c("fields, of distances", "GSL loop")))
matrices$peer <- sub(", of distances", "", matrices$peer)
of_peers <- list("base R" = "base R", fields = "fields", geoR = NA, RandomFields = NA, GpGp = NA,
                 statcl = "statcl, table")
first <- matrices[matrices$nu == 1.3, ]
first <- first[match(intersect(names(of_peers), first$peer), first$peer), ]
record("Matern covariance matrix", "entries", first$peer, first$entries / first$seconds,
       vapply(of_peers[first$peer], function(name) if (is.na(name)) NA_real_ else {
         rows <- ref$nu <= 20 & ref$x >= 0.001 & ref$x <= 100 # where formulas of R neither overflow nor underflow
         max(in_units(at_reference(matern_peers[[name]]), ref$corr)[rows]) * .Machine$double.eps
       }, 1))
cat("\nHalf-integer smoothness\n")
print_table(ratios(do.call(rbind, lapply(c(0.5, 1.5, 2.5), half_integer)), "fields, of distances"))
cat("\nDerivatives\n")
print_table(ratios(do.call(rbind, lapply(c(1.3, 0.4, 1.5), derivatives)), "GpGp, all four"))

# ---- the same pages filled again, and stores alone: a C program over the engine ----

program <- "build/bench/covariance-matern-fill"
build_program <- function() {
  unlink(program)
  compiler <- strsplit(system2(file.path(R.home("bin"), "R"), c("CMD", "config", "CC"), stdout = TRUE), " ")[[1]][1]
  output <- suppressWarnings(c(
    system2("sh", c("tools/engine.sh", "build/bench", compiler, "-std=gnu99", "-O2", "-fopenmp-simd"), TRUE, TRUE),
    system2(compiler, c("-std=gnu99", "-O2", "-fopenmp-simd", "-Isrc", "-Isrc/khronos", "-Iinst",
                        "bench/covariance-matern-fill.c", "build/bench/engine.a", "-o", program, "-pthread", "-ldl",
                        "-lm"), TRUE, TRUE)))
  if (!file.exists(program)) message("Not built, left out: ", program, "\n", paste(tail(output, 20), collapse = "\n"))
  file.exists(program)
}
if (!build_program()) quit()
refill <- function(device) {
  arguments <- c("inst/kernels", device, n, reach, 1.3, 0.4, 2.7, 0.5, 1.5, 2.5)
  lines <- read.csv(text = system2(program, arguments, stdout = TRUE), header = FALSE, col.names = c("what", "ns"))
  cbind(device = device, lines)
}
again <- do.call(rbind, lapply(c("cpu", opencl), refill))
again$GB_per_second <- 8 / again$ns
again$of_stores <- again$ns[again$what == "stores"] / again$ns
cat("\nThe same pages filled again, without R and allocation, with a kept table but where it says otherwise:",
    "processor time\nper entry, GB/s of entries written, and these as a share of plain stores in this run\n")
print_table(again)

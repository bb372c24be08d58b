# Random fields: points x lines per second on meshes and irregular points, against RandomFields, fields and gstat.
#   Rscript bench/field.R [device]           one thread, one run on one machine
#   Rscript bench/field.R large [device]     512^3, tubes of 256 x 256 x 2500 and 5000, all threads, 1024 lines each
library(statcl)
source("bench/peers.R")
argument <- commandArgs(trailingOnly = TRUE)
large <- "large" %in% argument
device <- c(setdiff(argument, "large"), "cpu")[1]
useDevice(device)
options(width = 140)
nlines <- 1024
range <- 10 # in cells
model <- covModel("exponential", range = range)

measured <- function(expr) {
  times <- system.time(expr)
  c(processor = sum(times[1:2]), elapsed = times[["elapsed"]])
}
# Medians of runs that take turns, so that a busy minute of the machine is shared out.
in_turns <- function(calls, runs = 3) {
  times <- lapply(seq_len(runs), function(i) lapply(calls, function(call) call()))
  rows <- lapply(names(calls), function(name) apply(sapply(times, `[[`, name), 1, stats::median))
  data.frame(what = names(calls), do.call(rbind, rows))
}
# With one thread processor time is that of the call, whatever else the machine does.
rates <- function(table, points, time = "processor") {
  table$rate <- points * nlines / table[[time]] / 1e9
  cbind(table[1], points, table[-1])
}
mesh <- function(dims, ...) function() measured(tbrf(rfGrid(0, 1, dims), model, nlines, ...))
scattered <- function(points, ...) function() measured(tbrf(points, model, nlines, ...))

cat(machine(), "\nDevice: ", paste(useDevice(), collapse = ", "), ", vector instructions of the CPU: ",
    clSitrep()$level, "\n", sep = "")
invisible(tbrf(rfGrid(0, 1, c(8, 8, 8)), model, 8)) # devices are chosen at the first call

if (large) {
  sizes <- list("512^3" = c(512, 512, 512), "256 x 256 x 2500" = c(256, 256, 2500),
                "256 x 256 x 5000" = c(256, 256, 5000))
  cat("Meshes with", nlines, "lines, one run each: seconds; rate in 1e9 points x lines per second of elapsed time\n")
  for (name in names(sizes)) {
    print_table(rates(in_turns(stats::setNames(list(mesh(sizes[[name]])), name), 1), prod(sizes[[name]]), "elapsed"))
    gc()
  }
  quit()
}

options(statcl.threads = 1)
here <- need_peers(c("fields", "gstat", "sp"))
peer_text <- function(...) paste(..., sep = "\n")

# RandomFields is asked in an R process of its own for each run: here a second call ended in a segmentation fault.
with_random_fields <- requireNamespace("RandomFields", quietly = TRUE)
if (!with_random_fields) message("Not installed, left out: RandomFields")
random_fields <- function(where, ...) function() {
  code <- peer_text("suppressMessages(library(RandomFields))",
                    "RFoptions(printlevel = 0, spConform = FALSE, cores = 1, seed = 1, warn_normal_mode = FALSE)",
                    sprintf("model <- RPtbm(RMexp(scale = %g), lines = %d, linesimustep = %g)", range, nlines,
                            range / 20), where, "cat('times', times[c(1, 2, 3)], var(as.vector(field)))")
  script <- tempfile(fileext = ".R")
  on.exit(unlink(script))
  writeLines(code, script)
  output <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), shQuote(script), stdout = TRUE,
                                     stderr = TRUE))
  line <- grep("^times ", output, value = TRUE)
  if (!length(line)) {
    message("RandomFields gave no field: ", paste(utils::tail(output, 2), collapse = " "))
    return(c(processor = NA, elapsed = NA))
  }
  times <- as.numeric(strsplit(line, " ")[[1]][2:4])
  c(processor = sum(times[1:2]), elapsed = times[3])
}
random_fields_mesh <- function(n)
  random_fields(sprintf(peer_text("x <- seq(0, %d)",
                                  "times <- system.time(field <- RFsimulate(model, x, x, x, grid = TRUE))"), n - 1L))
random_fields_points <- function(n)
  random_fields(sprintf(peer_text("x <- matrix(100 * runif(3 * %d), ncol = 3)",
                                  "times <- system.time(field <- RFsimulate(model, x))"), n))

# ---- meshes ----

cat("\nMeshes with", nlines, "lines: medians of seconds; rate in 1e9 points x lines per second of processor time\n")
meshes <- do.call(rbind, lapply(c(64L, 128L, 256L), function(n) {
  calls <- c(list(statcl = mesh(rep(n, 3))), if (with_random_fields) list(RandomFields = random_fields_mesh(n)))
  table <- rates(in_turns(calls), n^3)
  table$ratio <- table$rate[1] / table$rate
  cbind(mesh = paste0(n, "^3"), table)
}))
print_table(meshes)

# ---- irregular points ----

side <- 100
orders <- local({
  set.seed(1)
  regular <- as.matrix(rfGrid(0, 1, rep(side, 3)))
  dimnames(regular) <- NULL
  list(random = matrix(side * stats::runif(3 * side^3), ncol = 3),
       jittered = regular + stats::runif(3 * side^3, -0.5, 0.5), regular = regular)
})
calls <- c(lapply(orders, scattered),
           stats::setNames(lapply(orders, scattered, method = "table", step = range / 20),
                           paste("table,", names(orders))),
           if (with_random_fields) list(RandomFields = random_fields_points(side^3)))
irregular <- rates(in_turns(calls), side^3)
some <- orders$random[1:1e5, ]
fewer <- rates(in_turns(c(list("1e5 at random" = scattered(some)), if (with_random_fields) list(
  "RandomFields, 1e5" = random_fields_points(1e5)))), 1e5)
irregular <- rbind(irregular, fewer)
cat("\nPoints one by one in three orders, directly and with tables of step range / 20\n")
print_table(irregular)
chosen <- irregular[irregular$what %in% c("random", "RandomFields"), ]
record("Random field at scattered points", "points x lines", sub("random", "statcl", chosen$what), 1e9 * chosen$rate)

# ---- fields in the plane by other methods: no lines to count ----

cells <- 256L
plane <- rfGrid(0, 1, c(cells, cells))
axes <- list(x = seq_len(cells), y = seq_len(cells))
few <- as.matrix(rfGrid(0, 1, c(64, 64)))
calls <- list("statcl, 1000 lines" = function() measured(tbrf(plane, model)),
              "statcl, fft" = function() measured(tbrf(plane, model, method = "fft")))
if ("fields" %in% here) calls[["fields::sim.rf, with its setup"]] <- function() measured({
  setup <- fields::stationary.image.cov(grid = axes, setup = TRUE, M = 2 * cells, N = 2 * cells,
                                        Covariance = "Exponential", aRange = range)
  fields::sim.rf(setup)
})
cat("\nOne field with exponential covariance on a mesh of 256 x 256: medians of seconds\n")
print_table(in_turns(calls))

calls <- list("statcl, 1000 lines" = scattered(few[, 1:2]))
if (all(c("gstat", "sp") %in% here)) calls[["gstat, sequential, 30 neighbours"]] <- function() {
  known <- data.frame(x = few[, 1], y = few[, 2])
  sp::coordinates(known) <- c("x", "y")
  sequential <- gstat::gstat(formula = z ~ 1, dummy = TRUE, beta = 0, nmax = 30,
                             model = gstat::vgm(1, "Exp", range))
  measured(predict(sequential, known, nsim = 1, debug.level = 0))
}
cat("\nOne field at 4096 points of the plane\n")
print_table(in_turns(calls))

# ---- the targets ----

target <- function(what, got, wanted)
  data.frame(target = what, wanted = paste(">=", wanted), got, met = ifelse(got >= wanted, "yes", "NO"))
cat("\nTargets on one thread of a CPU with AVX-512\n")
print_table(rbind(
  target("128^3, 1e9 points x lines per second", meshes$rate[meshes$mesh == "128^3" & meshes$what == "statcl"], 5),
  target("1e6 random points, the same", irregular$rate[irregular$what == "random"], 1),
  local({
    there <- meshes[meshes$what == "RandomFields" & !is.na(meshes$rate), ]
    if (nrow(there)) target(paste("over RandomFields,", there$mesh), there$ratio, 5)
  })))

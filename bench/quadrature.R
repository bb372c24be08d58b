# integrategpu() against R's integrate(), the package cubature and a C loop over GSL: evaluations, errors and times on
# the reference table; the published trapezoid/Simpson algorithms on their authors' 18 integrals; many integrals in
# one call; the first call apart from later ones. One run on one machine.
#   Rscript bench/quadrature.R [device] [full]     full: R's loop runs over every row of the batch
#   Rscript bench/quadrature.R peers               the others alone
#   Rscript bench/quadrature.R speed               one integral after the first, and a batch on one thread beside a C
#                                                  loop over GSL's qagi and integrate(), alone
# On an OpenCL device the parallel algorithms have a smaller region.
argument <- commandArgs(trailingOnly = TRUE)
library(statcl)
source("bench/peers.R")
full <- "full" %in% argument
peers_only <- "peers" %in% argument
device <- c(setdiff(argument, c("full", "peers", "speed")), "cpu")[1]
useDevice(device)
options(width = 160)
tolerance <- 1e-10
with_cubature <- length(need_peers("cubature")) > 0
with_gsl <- load_c("bench/quadrature-gsl.c", "-lgsl -lgslcblas -lm")
cat(machine(), "\nDevice: ", paste(useDevice(), collapse = ", "), ", vector instructions of the CPU: ",
    clSitrep()$level, "\n", sep = "")

# ---- one integral, and one thread beside a C loop ----

# Times are processor seconds of all threads, medians of 5 runs.
speed <- function() {
  shift <- 0
  one <- list("integrategpu(dnorm, -1.96, 1.96)" = function() integrategpu(dnorm, -1.96, 1.96),
              "integrategpu(~ exp(-x^2) * cos(x + shift), 0, 1)" = function() {
                shift <<- stats::runif(1)
                integrategpu(~ exp(-x^2) * cos(x + shift), 0, 1)
              })
  for (call in one) call()
  cat("\nMilliseconds of one integral after the first\n")
  ms <- vapply(one, function(call) 1e3 * cpu_seconds(for (k in 1:500) call()) / 500, 0)
  print_table(data.frame(call = names(one), ms))
  if (!with_gsl) return(invisible())
  set.seed(2)
  p <- data.frame(a = stats::rnorm(2e4), b = stats::rnorm(2e4, sd = 2))
  run <- function() integrategpu(~ dnorm(x) * plogis(a + b * x), -Inf, Inf, params = p, rel.tol = tolerance)
  old <- options(statcl.threads = 1)
  on.exit(options(old))
  ours <- run()$value
  gsl <- .Call("gsl_batch", p$a, p$b, tolerance)
  some <- 1:500
  loop <- function() vapply(some, function(i) stats::integrate(
    function(x) stats::dnorm(x) * stats::plogis(p$a[i] + p$b[i] * x), -Inf, Inf, rel.tol = tolerance)$value, 1)
  qagi <- vapply(1:5, function(k) .Call("gsl_batch", p$a, p$b, tolerance)[nrow(p) + 1], 1)
  us <- c(statcl = cpu_seconds(run()) / nrow(p), qagi = stats::median(qagi) / nrow(p),
          integrate = cpu_seconds(loop()) / length(some))
  cat("\nMicroseconds of an integral of dnorm(x) * plogis(a + b * x) over the line, one thread, relative tolerance",
      tolerance, "\n")
  print_table(data.frame(method = names(us), us = 1e6 * us, to_statcl = us / us[["statcl"]]))
  cat(sprintf("largest relative difference from qagi %.2g; statcl takes %.3g of the time of qagi (at most 1.4)\n",
              max(abs(ours / gsl[-length(gsl)] - 1)), us[["statcl"]] / us[["qagi"]]))
}
if (!peers_only) speed()
if ("speed" %in% argument) quit()

# ---- the reference table: expressions of x ----

table_file <- Filter(file.exists, file.path("tests/testthat/ref", c("quadrature.csv", "quadrature.csv.gz")))[1]
if (is.na(table_file)) table_file <- "../shared/reference/quadrature.csv"
ref <- utils::read.csv(table_file, stringsAsFactors = FALSE)
body_of <- function(text) parse(text = text)[[1]]
as_r <- function(text) eval(call("function", as.pairlist(alist(x = )), body_of(text)))
as_formula <- function(text) eval(call("~", body_of(text)))

# Elapsed seconds of one call: repeated until the clock has something to tell.
seconds <- function(call) {
  runs <- 1
  repeat {
    time <- system.time(for (k in seq_len(runs)) call())[["elapsed"]]
    if (time > 0.05) return(time / runs)
    runs <- 4 * runs
  }
}
quiet <- function(expr) suppressWarnings(tryCatch(expr, error = function(e) conditionMessage(e)))
# f, and how many values it was asked for
counted <- function(f) {
  count <- 0
  list(f = function(x) {
    count <<- count + length(x)
    f(x)
  }, count = function() count)
}
outcome <- function(value, evaluations, code, time)
  data.frame(value = as.numeric(value), evaluations = as.numeric(evaluations), code = as.character(code), time = time)
code_of <- function(result) if (result$message == "OK") "0" else result$message # class "integrate"
failed <- function(message) outcome(NA, NA, substr(message, 1, 24), NA)

by_integrate <- function(row) {
  f <- as_r(row$expression)
  watched <- counted(f)
  run <- function(f) quiet(stats::integrate(f, row$lower, row$upper, rel.tol = tolerance, subdivisions = 2000,
                                            stop.on.error = FALSE))
  result <- run(watched$f)
  if (is.character(result)) return(failed(result))
  outcome(result$value, watched$count(), code_of(result), seconds(function() run(f)))
}

# The range mapped to (0, 1) or (-1, 1) by hand; what is not finite counts as 0.
mapped <- function(row) {
  f <- as_r(row$expression)
  finite <- function(y) ifelse(is.finite(y), y, 0)
  if (is.finite(row$upper)) return(list(f = function(x) finite(f(x)), lower = row$lower, upper = row$upper))
  if (is.finite(row$lower))
    return(list(f = function(t) finite(f(row$lower + t / (1 - t)) / (1 - t)^2), lower = 0, upper = 1))
  list(f = function(t) finite(f(t / (1 - t^2)) * (1 + t^2) / (1 - t^2)^2), lower = -1, upper = 1)
}
by_cubature <- function(row) {
  to <- mapped(row)
  run <- function() quiet(cubature::hcubature(to$f, to$lower, to$upper, tol = tolerance, vectorInterface = TRUE,
                                              maxEval = 1e6))
  result <- run()
  if (is.character(result)) return(failed(result))
  outcome(result$integral, result$functionEvaluations,
          if (result$functionEvaluations >= 1e6) "1e6 evaluations" else result$returnCode, seconds(run))
}

by_gsl <- function(row, epsilon) {
  x <- stats::runif(20, max(row$lower, -3), min(row$upper, 3))
  agree <- all.equal(as_r(row$expression)(x), .Call("gsl_integrand", row$id, x), tolerance = 1e-12)
  if (!isTRUE(agree)) stop("bench/quadrature-gsl.c computes something else for ", row$id, ": ", agree)
  result <- .Call("gsl_integral", row$id, row$lower, row$upper, epsilon, tolerance, 2000L)
  outcome(result[1], result[3], result[4], result[5])
}

by_statcl <- function(row, ...) {
  f <- as_formula(row$expression)
  run <- function() quiet(integrategpu(f, row$lower, row$upper, rel.tol = tolerance, stop.on.error = FALSE, ...))
  result <- run()
  if (is.character(result)) return(failed(result))
  outcome(result$value, result$evaluations, code_of(result), seconds(run))
}

solvers <- c(list(integrate = by_integrate), if (with_cubature) list(hcubature = by_cubature),
             if (with_gsl) list(qag = function(row) by_gsl(row, FALSE), qags = function(row) by_gsl(row, TRUE)),
             if (!peers_only) list(statcl = by_statcl, "32 panels" = function(row) by_statcl(row, min.panels = 32L)))
rows <- lapply(seq_len(nrow(ref)), function(i) as.list(ref[i, ]))
set.seed(1)
results <- lapply(solvers, function(solver) do.call(rbind, lapply(rows, solver)))
relative <- function(value, truth) ifelse(is.na(value), Inf, abs(value - truth) / abs(truth))
errors <- lapply(results, function(result) relative(result$value, ref$value))
flagged <- lapply(results, function(result) result$code != "0")
columns <- function(of) do.call(cbind, c(list(data.frame(id = ref$id)), of))

cat("\nReference table at relative tolerance", tolerance, "\n\nEvaluations\n")
print_table(columns(lapply(results, `[[`, "evaluations")), 6)
cat("\nRelative errors\n")
print_table(columns(errors), 2)
cat("\nMicroseconds of elapsed time; integrate, hcubature and statcl with R's part of the call\n")
print_table(columns(lapply(results, function(result) 1e6 * result$time)))
cat("\nCodes other than 0\n")
for (name in names(results)) {
  bad <- flagged[[name]]
  cat(sprintf("  %-10s %s\n", name, paste(ref$id[bad], results[[name]]$code[bad], sep = ": ", collapse = ", ")))
}
cat("\nOf", nrow(ref), "integrals; silent: worse than 1e-6 with code 0\n")
print_table(do.call(rbind, lapply(names(results), function(name) {
  error <- errors[[name]]
  data.frame(method = name, within_1e_9 = sum(error <= 1e-9), within_1e_6 = sum(error <= 1e-6),
             flagged = sum(flagged[[name]]), silent = sum(error > 1e-6 & !flagged[[name]]),
             median_evaluations = stats::median(results[[name]]$evaluations, na.rm = TRUE),
             most = max(results[[name]]$evaluations, na.rm = TRUE),
             median_us = 1e6 * stats::median(results[[name]]$time, na.rm = TRUE))
})))

# ---- many integrals ----

n <- 1e5
set.seed(2)
batch <- data.frame(a = stats::rnorm(n), b = stats::rnorm(n, sd = 2))
loop_rows <- if (full) n else 5000
loop <- function(rows) vapply(rows, function(i) {
  a <- batch$a[i]
  b <- batch$b[i]
  stats::integrate(function(x) stats::dnorm(x) * stats::plogis(a + b * x), -Inf, Inf, rel.tol = tolerance)$value
}, 1)
# The subset is every 20th row, and the time of all rows is taken to be in proportion.
some <- round(seq(1, n, length.out = loop_rows))
loop_time <- system.time(of_loop <- loop(some))[["elapsed"]]
cat(sprintf("\n%g rows of dnorm(x) * plogis(a + b * x) on (-Inf, Inf), relative tolerance %g\n", n, tolerance))
cat(sprintf("loop of integrate: %g rows in %.3g s, %.3g integrals per second\n", loop_rows, loop_time,
            loop_rows / loop_time))
if (peers_only) quit()

many <- function(rows = batch) integrategpu(~ dnorm(x) * plogis(a + b * x), -Inf, Inf, params = rows,
                                            rel.tol = tolerance)
first <- system.time(many(batch[1:2, ]))[["elapsed"]]
times <- vapply(1:5, function(k) system.time(of_batch <<- many())[["elapsed"]], 1)
ratio <- loop_time / loop_rows * n / stats::median(times)
difference <- max(relative(of_batch$value[some], of_loop))
record("Integrals with parameters", "integrals", c("integrate", "statcl"),
       c(loop_rows / loop_time, n / stats::median(times)))
cat(sprintf("statcl: first call, of 2 rows, %.3g s; %g rows in %.3g s (median of 5: %s), %.3g integrals per second\n",
            first, n, stats::median(times), paste(signif(times, 3), collapse = " "), n / stats::median(times)))
cat(sprintf("ratio %.3g; largest relative difference of %g rows %.2g; codes other than 0: %d; evaluations %.3g\n",
            ratio, loop_rows, difference, sum(of_batch$code != 0), sum(of_batch$evaluations)))

# ---- first calls and later ones ----

# Each expression is new to the session, so that its program has to be translated, and compiled on OpenCL devices
# unless an earlier session left it on disk. The last changes a captured variable from call to call.
calls <- list(
  "a polynomial" = function() integrategpu(~ 1 + x * (2 + x * (3 + x)), 0, 1),
  "elementary functions" = function() integrategpu(~ exp(-x^2) * sin(x) + log1p(x^2) / (1 + sqrt(x)), 0, 1),
  "distributions" = function() integrategpu(~ dnorm(x, 1, 2) * pnorm(x) * plogis(3 * x), -Inf, Inf),
  "an R function" = function() integrategpu(function(x) { y <- tanh(x)^2; y / (1 + y) }, 0, 2),
  "a captured value changed" = function() {
    shift <- stats::runif(1)
    integrategpu(~ exp(-x^2) * cos(x + shift), 0, 1)
  })
cat("\nMilliseconds of the first call in the session and of later ones\n")
first_calls <- do.call(rbind, lapply(names(calls), function(name) {
  once <- system.time(calls[[name]]())[["elapsed"]]
  data.frame(integrand = name, first = 1e3 * once, later = 1e3 * seconds(calls[[name]]))
}))
print_table(first_calls)

# ---- the authors' integrals, by all of their algorithms ----

tau <- 1e-6
paper <- Filter(function(row) row$family == "pbcaq", rows)
opencl <- device != "cpu"
published <- c("caq", "scaq", "bcaq", "pscaq", "pbcaq", "pbcaqr", "pbcaqs", "pbcaqg")
parallel <- c("pscaq", "pbcaq", "pbcaqr", "pbcaqs", "pbcaqg")
region <- if (opencl) c(32, 256) else c(2048, 256)
paper_row <- function(row, method) {
  f <- as_formula(row$expression)
  set.seed(1)
  gk <- method == "gk"
  run <- function() quiet(integrategpu(f, row$lower, row$upper, rel.tol = if (gk) tolerance else 0,
                                       abs.tol = if (gk) 0 else tau, method = method, stop.on.error = FALSE,
                                       region = region))
  time <- system.time(result <- run())[["elapsed"]]
  if (is.character(result)) stop(method, " of ", row$id, ": ", result)
  count <- function(x) if (is.null(x)) NA else sum(x)
  data.frame(id = sub("pbcaq", "", row$id), method, regions = count(result$regions),
             evaluations = result$evaluations, launches = count(result$launches),
             error = signif(abs(result$value - row$value), 2), claimed = signif(result$abs.error, 2),
             code = code_of(result), seconds = time)
}
methods <- c(if (opencl) parallel else published, "gk")
all_of_paper <- do.call(rbind, lapply(paper, function(row) do.call(rbind, lapply(methods, paper_row, row = row))))
cat("\nThe authors' 18 integrals at an absolute tolerance of ", tau, ", regions of ", region[1], " blocks x ",
    region[2], " intervals; gk at a relative ", tolerance, "\n", sep = "")
print_table(all_of_paper, 9)
cat("\nThe same, added up\n")
sums <- do.call(rbind, lapply(methods, function(method) {
  part <- all_of_paper[all_of_paper$method == method, ]
  data.frame(method, regions = sum(part$regions), evaluations = sum(part$evaluations),
             launches = sum(part$launches), largest_error = max(part$error), seconds = sum(part$seconds))
}))
sums$evaluations_to_gk <- round(sums$evaluations / sums$evaluations[sums$method == "gk"], 1)
print_table(sums, 9)

# ---- the targets ----

target <- function(what, got, wanted, most = FALSE)
  data.frame(target = what, wanted = paste(if (most) "<=" else ">=", wanted), got,
             met = ifelse(if (most) got <= wanted else got >= wanted, "yes", "NO"))
ours <- errors$statcl
smooth <- grepl("^(pbcaq[13-6]|st)", ref$id) |
  ref$id %in% c("bat04", "bat05", "bat09", "bat13", "bat14", "bat16", "bat18", "bat23", "qp03", "qp05", "qp10",
                "qp12", "qp19", "gz1", "gz2", "gz4")
cat("\nTargets; times for a CPU with two cores\n")
print_table(rbind(
  target("integrals beyond 1e-9 and not flagged", sum(ours > 1e-9 & !flagged$statcl), 1, TRUE),
  target("integrals flagged", sum(flagged$statcl), 2, TRUE),
  target("silent errors above 1e-6 except gg22", sum(ours > 1e-6 & !flagged$statcl & ref$id != "gg22"), 0, TRUE),
  if (with_gsl) target("evaluations over the larger of 200 and twice those of qags, smooth integrands",
                       max((results$statcl$evaluations / pmax(200, 2 * results$qags$evaluations))[smooth]), 1,
                       TRUE),
  target("batch over R's loop", ratio, 30),
  target("largest difference of the batch", difference, 1e-9, TRUE),
  target("largest error of the published algorithms", max(all_of_paper$error[all_of_paper$method != "gk"]), tau,
         TRUE),
  target("seconds of the slowest first call", max(first, first_calls$first / 1e3), 1, TRUE)))

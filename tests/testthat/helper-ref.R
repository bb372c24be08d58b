# Reference tables: ref/<function>.csv.gz. Arguments and values are hexadecimal doubles, the values correctly rounded
# from 20 significant digits that two independent methods in ball arithmetic agree on.
read_ref <- function(name) read.csv(test_path("ref", paste0(name, ".csv.gz")))
# Rows of tables of likelihoods whose data are few, for short tests.
small_first <- function(table) if (tested == "quick") table[table$n < 150, ] else table

relative_error <- function(value, reference) ifelse(value == reference, 0, abs(value / reference - 1))

# Errors of log densities count in units of the log itself once it exceeds one: that is what its rounding allows.
log_error <- function(value, reference)
  ifelse(value == reference, 0, abs(value - reference) / pmax(1, abs(reference)))

# The regions in which a stable density needs different care; they overlap, and "bulk" is the rest.
stable_regions <- function(ref) {
  zeta <- ifelse(ref$alpha == 1, Inf, -ref$beta * tan(pi * ref$alpha / 2))
  regions <- list("alpha near 1" = abs(ref$alpha - 1) < 0.05,
                  "alpha < 0.4" = ref$alpha < 0.4,
                  "alpha > 1.9" = ref$alpha > 1.9,
                  "|beta| = 1" = abs(ref$beta) == 1,
                  "|x| > 1e3" = abs(ref$x) > 1e3,
                  "near zeta" = abs(ref$x - zeta) < 0.1)
  c(regions, list(bulk = !Reduce(`|`, regions), all = rep(TRUE, nrow(ref))))
}

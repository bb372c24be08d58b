# Intrinsic fields: squared differences of values at random pairs of points against the power variogram, by both
# methods, and times.
#   Rscript bench/field-intrinsic.R [fields [seed]]
# `ratio` is the mean of estimated over true semivariances of 200 pairs, with its spread over fields in `ratio.se`;
# `largest` the largest deviate of a pair in units of its standard error, of a chi-squared number of so many degrees
# of freedom, and so for rough numbers of fields somewhat above that of 200 normal numbers.
library(statcl)
source("bench/peers.R")
argument <- commandArgs(trailingOnly = TRUE)
fields <- if (length(argument)) as.integer(argument[1]) else 1000L
seed <- if (length(argument) > 1) as.integer(argument[2]) else as.integer(as.numeric(Sys.time()) %% 2^31)
set.seed(seed)
cat(machine(), sprintf("\n%d fields, seed %d\n", fields, seed))

compare <- function(shape, dim, scales, method) {
  model <- covModel("power", shape = shape, range = 2, variance = 3, scales = scales)
  grid <- rfGrid(rep(5, dim), 0.1, c(40, 20, 6)[seq_len(dim)])
  seconds <- system.time(values <- tbrf(grid, model, nsim = fields, method = method))[["elapsed"]]
  xy <- as.matrix(grid)
  values <- matrix(values, nrow(xy))
  pairs <- replicate(200, sample(nrow(xy), 2))
  half <- (values[pairs[1, ], ] - values[pairs[2, ], ])^2 / 2
  lags <- (xy[pairs[1, ], , drop = FALSE] - xy[pairs[2, ], , drop = FALSE]) / rep(scales, each = 200)
  relative <- half / (3 * (sqrt(rowSums(lags^2)) / 2)^shape)
  data.frame(shape, dim, axes = if (all(scales == 1)) "equal" else "scaled", method,
             ratio = mean(relative), ratio.se = sd(colMeans(relative)) / sqrt(fields),
             largest = max(abs(rowMeans(relative) - 1)) / sqrt(2 / fields), seconds)
}
cases <- expand.grid(method = c("spectral", "fft"), scaled = c(FALSE, TRUE), dim = 1:3,
                     shape = c(0.1, 0.6, 1, 1.4, 1.9), stringsAsFactors = FALSE)
cases <- cases[cases$dim > 1 | !cases$scaled, ]
table <- do.call(rbind, lapply(seq_len(nrow(cases)), function(i) with(cases[i, ], {
  compare(shape, dim, if (scaled) c(1, 0.4, 2)[seq_len(dim)] else rep(1, dim), method)
})))
options(width = 140)
print(table, digits = 3, row.names = FALSE)
cat(sprintf("largest |ratio - 1| / ratio.se: %.2f of %d\n", max(abs(table$ratio - 1) / table$ratio.se), nrow(table)))

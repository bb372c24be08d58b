# The generating vector of the lattices of integrategpu(method = "lattice"), R/integrate-lattice.R: embedded rank-one
# rules of 2^10 to 2^20 points in up to 30 variables, by the component-by-component construction. For the squared
# error of n = 2^m points in the worst case of a Korobov space of smoothness 1 with weights 1/j^2,
#   e_m^2 = -1 + sum over k of prod over j of (1 + omega(k z_j / n) / j^2) / n, omega(x) = 2 pi^2 (x^2 - x + 1/6),
# each z_j is the odd number for which the largest of e_m^2 over its own least value, m from 10 to 20, is least
# (Cools, Kuo and Nuyens 2006, SIAM J. Sci. Comput. 28, 2162-2188). Sums over all z at once are circular correlations,
# by fast Fourier transforms (Nuyens and Cools 2006, Math. Comp. 75, 903-920, and J. Complexity 22, 4-28):
# k = 2^(M - l) i with odd i, and odd numbers modulo 2^l are +-5^a with a modulo 2^(l - 2), of which omega cannot tell
# the signs.
#   Rscript tools/lattice-vector.R [variables, 30] [M, 20]
argument <- as.integer(commandArgs(TRUE))
variables <- if (length(argument)) argument[1] else 30L
most <- if (length(argument) > 1) argument[2] else 20L
least <- min(10L, most)
n <- 2^most
omega <- function(x) 2 * pi^2 * (x^2 - x + 1 / 6)
powers <- numeric(2^(most - 2)) # 5^a modulo 2^M
powers[1] <- 1
for (a in seq_along(powers)[-1]) powers[a] <- (5 * powers[a - 1]) %% n
at_level <- lapply(seq_len(most), function(l) if (l <= 2) 1 else powers[seq_len(2^(l - 2))] %% 2^l)
spectra <- lapply(seq_len(most), function(l) stats::fft(omega(at_level[[l]] / 2^l)))
place <- function(l) 2^(most - l) * at_level[[l]] + 1
p <- rep(1, n) # the product, by k
z <- numeric(variables)
for (j in seq_len(variables)) {
  if (j == 1L) z[j] <- 1 else {
    total <- p[1] * (1 + omega(0) / j^2) + p[n / 2 + 1] * (1 + omega(0.5) / j^2)
    sums <- rep(total, length(powers))
    worst <- rep(0, length(powers))
    for (l in 2:most) {
      q <- 2 * p[place(l)] # of +-5^a; of l = 2, too, for which they are 1 and 3
      s <- Re(stats::fft(Conj(stats::fft(q)) * spectra[[l]], inverse = TRUE)) / length(q)
      sums <- sums + rep_len(sum(q) + s / j^2, length(powers))
      if (l < least) next
      error <- pmax(sums / 2^l - 1, 0)
      worst <- pmax(worst, error / min(error))
    }
    z[j] <- powers[which.min(worst)]
  }
  p <- p * (1 + omega(((seq_len(n) - 1) * z[j] / n) %% 1) / j^2)
}
cat(strwrap(paste(format(z, scientific = FALSE, trim = TRUE), collapse = ", "), 116), sep = "\n")
cat("squared error of 2^M points:", mean(p) - 1, "\n")

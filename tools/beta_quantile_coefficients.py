#!/usr/bin/env python3
"""Coefficients of inst/kernels/beta/beta_direct.h, printed as C: polynomials of three variables for quantiles of the
beta distribution, from their values at Chebyshev's nodes in 28 digits, without the terms that do not count.

  python3 tools/beta_quantile_coefficients.py > inst/kernels/beta/beta_quantile_coef.h

Needs mpmath; takes half a minute.
"""
from multiprocessing import Pool
import sys

from mpmath import cospi, erfc, exp, expm1, log, loggamma, mp, mpf, nstr, sqrt

from gamma_quantile_coefficients import chebyshev, eta, powers, quantile, settled

mp.dps = 28
BITS = 128


def fixed(v):
    return int(mp.nint(v * mpf(2) ** BITS))


def power_sum(c, n, z):
    """1 + n/(c + 1) z (1 + (n + 1)/(c + 2) z (...)), in numbers of fixed point."""
    one, top, below, by = 1 << BITS, fixed(n), fixed(c + 1), fixed(z)
    term = total = one
    while term > 16:
        term = ((term * by) >> BITS) * top // below
        total += term
        top += one
        below += one
    return mpf(total) / mpf(2) ** BITS


def tails(c, d, y, up):
    """I_z(c, d), z = 1 - e^-y, or 1 - I, and y times the density of y."""
    z, rest = -expm1(-y), exp(-y)
    log_beta = loggamma(c) + loggamma(d) - loggamma(c + d)
    height = exp(c * log(z) - d * y - log_beta)
    tail = height * (power_sum(d, c + d, rest) / d if up else power_sum(c, c + d, z) / c)
    return tail, height * y / z


def beta_quantile(w, c, d):
    """y with I_z(c, d) = Phi(w), z = 1 - e^-y."""
    up, goal = w > 0, erfc(abs(w) / sqrt(mpf(2))) / 2
    kept = {}

    def at(y):
        if y not in kept:
            kept[y] = tails(c, d, y, up)
        return kept[y]

    n, sign = d + (c - 1) / 2, -1 if up else 1
    start = quantile_start(w, c) / n
    return settled(start, lambda y: log(at(y)[0] / goal), lambda y: sign * at(y)[1] / at(y)[0],
                   lambda y, h: 1 - h + y * ((c - 1) / expm1(y) - d))


def quantile_start(w, c):
    return c * max(1 - 1 / (9 * c) + w / (3 * sqrt(c)), mpf(0.2)) ** 3


def shape_of(v, tau):
    """c and d of v = 1/c and tau = ((c - 1/3)/N)^2, N = d + (c - 1)/2."""
    c = 1 / v
    n = (c - mpf(1) / 3) / sqrt(tau)
    return c, n - (c - 1) / 2, n


def bend(s, v, tau, gamma_eta):
    """(eta - that of the gamma distribution)/tau, of the quantile of s/sqrt(v); N y = c lambda(eta)."""
    c, d, n = shape_of(v, tau)
    return (eta(n * beta_quantile(s / sqrt(v), c, d) / c) - gamma_eta) / tau


def nodes(of, n):
    a, b = mpf(of[0]), mpf(of[1])
    return [(a + b) / 2 + (b - a) / 2 * cospi(mpf(2 * i + 1) / (2 * n)) for i in range(n)]


def column(job):
    s, v, taus = job
    gamma_eta = eta(quantile(s / sqrt(v), 1 / v) * v)
    return [bend(s, v, tau, gamma_eta) for tau in taus]


def group(c, digits):
    """A polynomial in x by groups of four coefficients, joined by Horner's rule in x4."""
    said = [repr(float(mp.nint(v * digits) / digits)) for v in c]
    groups = ["Q%d_(%s)" % (len(said[i:i + 4]), ", ".join(said[i:i + 4])) for i in range(0, len(said), 4)]
    text = groups[-1]
    for v in reversed(groups[:-1]):
        text = "FMA(x4, %s, %s)" % (text, v)
    return text


def wrapped(text, first):
    """Lines of at most 118 characters."""
    while len(text) + first > 114:
        cut = text.rindex(" ", 0, 114 - first)
        print(" " * first + text[:cut])
        text, first = text[cut + 1:], 4
    print(" " * first + text)


def solid(name, f, pool, s_of, v_of, tau_of, sizes, tolerance, note):
    """name(x, y, z): a polynomial of the three variables mapped to [-1, 1], from f of a list of tau at each s, v."""
    ss, vs, taus = nodes(s_of, sizes[0]), nodes(v_of, sizes[1]), nodes(tau_of, sizes[2])
    values = pool.map(f, [(s, v, taus) for v in vs for s in ss], 4)
    by_tau = [[chebyshev(values[j * len(ss) + i]) for i in range(len(ss))] for j in range(len(vs))]
    kept, left = [], mpf(0)
    for k in range(sizes[2]):
        by_v = [chebyshev([by_tau[j][i][k] for j in range(len(vs))]) for i in range(len(ss))]
        rows = [chebyshev([by_v[i][m] for i in range(len(ss))]) for m in range(len(vs))]
        sizes_of = [max([q + 1 for q, u in enumerate(row) if abs(u) > tolerance], default=0) for row in rows]
        kept.append([row[:size] for row, size in zip(rows, sizes_of)])
        left += sum(abs(u) for row, size in zip(rows, sizes_of) for u in row[size:])
    coefficient = lambda k, m, q: kept[k][m][q] if q < len(kept[k][m]) else mpf(0)
    # powers of z, then of y, then of x
    by_z = [[powers([coefficient(k, m, q) for k in range(sizes[2])]) for q in range(sizes[0])]
            for m in range(sizes[1])]
    digits, count = mpf(10) ** int(3 - mp.log10(tolerance)), 0  # no more than count
    arguments, parts = "real x, real x2, real x4, real y", []
    for k in range(sizes[2] - 1, -1, -1):  # a function for each power of z
        by_y = [powers([by_z[m][q][k] for m in range(sizes[1])]) for q in range(sizes[0])]
        lines = []
        for m in range(sizes[1] - 1, -1, -1):
            row = powers([by_y[q][m] for q in range(sizes[0])])
            while row and abs(row[-1]) < tolerance / 10:
                row.pop()
            if not row:
                continue
            count += len(row)
            lines.append(("u = FMA(y, u, %s);" if lines else "real u = %s;") % group(row, digits))
        if lines:
            print("DEV_FN real %s%d_(%s) {" % (name, k, arguments))
            for line in lines:
                wrapped(line, 2)
            print("  return u;\n}")
            parts.append("%s%d_(x, x2, x4, y)" % (name, k))
    print("\n/* %s; error %s */" % (note, nstr(left, 2)))
    print("DEV_FN real %s(real x, real y, real z) {\n  const real x2 = x * x, x4 = x2 * x2;" % name)
    print("  real v = %s;" % parts[0])
    for part in parts[1:]:
        print("  v = FMA(z, v, %s);" % part)
    print("  return v;\n}\n")
    sys.stderr.write("%s: %d coefficients\n" % (name, count))


def main():
    print("/* beta_quantile_coef.h: made by tools/beta_quantile_coefficients.py; do not edit. Errors are absolute\n"
          " * ones of the polynomials, before rounding. */\n#ifndef STATCL_BETA_QUANTILE_COEF_H\n"
          "#define STATCL_BETA_QUANTILE_COEF_H\n\n"
          "#define Q1_(a) K(a)\n#define Q2_(a, b) FMA(x, K(b), K(a))\n"
          "#define Q3_(a, b, c) FMA(x2, K(c), Q2_(a, b))\n"
          "#define Q4_(a, b, c, d) FMA(x2, Q2_(c, d), Q2_(a, b))\n")
    with Pool(2) as pool:
        solid("bend_many_", column, pool, ("-0.92", "1.22"), ("0", "0.125"), ("0", mpf(4) / 9), (24, 11, 9),
              mpf(1.5e-17), "(eta - that of the gamma distribution)/tau by s, v and tau mapped to [-1, 1] from\n"
              " * [-0.92, 1.22], [0, 1/8], [0, 4/9]")
    print("#undef Q1_\n#undef Q2_\n#undef Q3_\n#undef Q4_\n\n#endif")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Coefficients of inst/kernels/beta/beta.h, printed as C.

  python3 tools/beta_coefficients.py > inst/kernels/beta/beta_coef.h

Needs mpmath.
"""
from fractions import Fraction
from math import factorial

from mpmath import cos, mp, mpf, pi

from elementary_coefficients import literal

NODES, ORDER = 24, 18


def legendre_nodes(n):
    """Positive nodes of Gauss and Legendre's rule on [-1, 1], and weights."""
    for i in range(n // 2):
        x = cos(pi * (i + mpf(3) / 4) / (n + mpf(1) / 2))
        for _ in range(10):
            before, now = mpf(1), x
            for k in range(2, n + 1):
                before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
            slope = n * (x * now - before) / (x * x - 1)
            x -= now / slope
        yield x, 2 / ((1 - x * x) * slope * slope)


def cumulants(order):
    """kappa_k/q of a 0-1 variable with q = x y for k = 2, 3, ...: for even k a polynomial in q, for odd ones
    d = x - y times one, from kappa_(k+1) = q dkappa_k/dy with dq/dy = d, dd/dy = -2 and d^2 = 1 - 4 q."""
    p, odd = [Fraction(1)], False  # kappa_2/q
    yield p
    for _ in range(3, order + 1):
        # derivative by y of q p, or of q d p: of q^j it is j q^(j-1) d
        whole = [Fraction(0)] + p
        slope = [j * whole[j] for j in range(1, len(whole))]
        if odd:  # d/dy (d P) = -2 P + d^2 P' = -2 P + (1 - 4 q) P'
            out = [Fraction(0)] * (len(whole) + 1)
            for j, c in enumerate(whole):
                out[j] -= 2 * c
            for j, c in enumerate(slope):
                out[j] += c
                out[j + 1] -= 4 * c
        else:
            out = slope
        while len(out) > 1 and out[-1] == 0:
            out.pop()
        p, odd = out, not odd
        yield p


def main():
    mp.dps = 40
    print("/* beta_coef.h: made by tools/beta_coefficients.py; do not edit. */\n"
          "#ifndef STATCL_BETA_COEF_H\n#define STATCL_BETA_COEF_H\n")
    nodes = list(legendre_nodes(NODES))
    nodes = [(-x, w) for x, w in nodes] + nodes[::-1]
    print("/* Gauss and Legendre's rule on [-1, 1]. */\n#define LEGENDRE_COUNT %d" % NODES)
    for name, values in (("node", [x for x, _ in nodes]), ("weight", [w for _, w in nodes])):
        rows = [", ".join(literal(v) for v in values[i:i + 4]) for i in range(0, NODES, 4)]
        print("DEV_CONST real legendre_%s[LEGENDRE_COUNT] = {\n  %s};" % (name, ",\n  ".join(rows)))
    print()
    rows = [[mpf(c.numerator) / c.denominator / factorial(k) for c in p]
            for k, p in zip(range(2, ORDER + 1), cumulants(ORDER))]
    most = max(len(row) for row in rows)
    print("/* Of log(x + y e^s) = y s + x y (s^2/2 + ...) the coefficients of s^k/(x y), k = 2, 3, ...:\n"
          " * polynomials in q = x y, for odd k times d = x - y. */")
    print("#define CUMULANT_ORDER %d\n#define CUMULANT_COUNT %d" % (ORDER, most))
    print("DEV_CONST real cumulant[CUMULANT_ORDER - 1][CUMULANT_COUNT] = {")
    lines = []
    for row in rows:
        cells = [literal(c) for c in row + [mpf(0)] * (most - len(row))]
        lines.append("  {" + ",\n   ".join(", ".join(cells[i:i + 4]) for i in range(0, most, 4)) + "}")
    print(",\n".join(lines) + "};")
    print("\n#endif")


if __name__ == "__main__":
    main()
